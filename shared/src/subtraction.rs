//! Taking stones from a heap.

use std::error::Error;
use std::fmt;

use crate::period::sweep_until_return;

/// A subtraction set: a move takes `s` stones from the heap, for one `s` of the set.
///
/// # Example
///
/// ```
/// use shared::SubtractionSet;
///
/// let set = SubtractionSet::new([4, 1, 3, 1]);
/// assert_eq!(set.moves(), [1, 3, 4]);
/// assert_eq!(set.plain_table(8), [0, 1, 0, 1, 2, 3, 2, 0, 1]);
/// assert_eq!(set.table(1_000_000)?.value(1_000_000), 1);
/// # Ok::<(), shared::TableTooLarge>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtractionSet {
    /// Sorted, distinct, positive.
    moves: Vec<u64>,
}

impl SubtractionSet {
    /// The largest heap of a table, which is then 256 MiB, and the last one looked at for a period.
    pub const LARGEST_HEAP: u64 = (1 << 27) - 1;

    /// The set of k `moves`, in any order, repeated or not, or of none at all. O(k log k) time.
    ///
    /// # Panics
    ///
    /// Where a move takes no stone: the game would not end.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::SubtractionSet;
    ///
    /// assert_eq!(SubtractionSet::new([2, 5]), SubtractionSet::new(vec![5, 2, 5]));
    /// ```
    pub fn new(moves: impl IntoIterator<Item = u64>) -> Self {
        let mut moves: Vec<u64> = moves.into_iter().collect();
        moves.sort_unstable();
        moves.dedup();
        assert!(
            moves.first() != Some(&0),
            "a move takes 0 stones; expected at least 1"
        );
        SubtractionSet { moves }
    }

    /// The moves, sorted and distinct; constant time.
    ///
    /// # Example
    ///
    /// ```
    /// assert_eq!(shared::SubtractionSet::new([4, 1, 3, 1]).moves(), [1, 3, 4]);
    /// ```
    pub fn moves(&self) -> &[u64] {
        &self.moves
    }

    /// The moves that a heap allows.
    pub(crate) fn moves_up_to(&self, heap: u64) -> Vec<usize> {
        self.moves
            .iter()
            .take_while(|&&s| s <= heap)
            .map(|&s| s as usize)
            .collect()
    }

    /// The Grundy values of the heaps 0, 1, …, `largest_heap`, the plain way.
    ///
    /// # Panics
    ///
    /// Where memory is exhausted; [`table`](Self::table) refuses.
    ///
    /// # Complexity
    ///
    /// O(n · k) time for n heaps and k moves, and one `usize` a heap.
    ///
    /// # Source
    ///
    /// The definition, one heap after the other: g(h) = mex of g(h − s).
    ///
    /// # Example
    ///
    /// ```
    /// use shared::SubtractionSet;
    ///
    /// assert_eq!(SubtractionSet::new([2, 3]).plain_table(6), [0, 0, 1, 1, 2, 0, 0]);
    /// ```
    pub fn plain_table(&self, largest_heap: usize) -> Vec<usize> {
        let moves = self.moves_up_to(largest_heap as u64);
        // seen[v] is the last heap that has an option of value v; with k moves no value exceeds k.
        let mut seen = vec![usize::MAX; moves.len() + 1];
        let mut table: Vec<usize> = Vec::with_capacity(largest_heap + 1);
        for heap in 0..=largest_heap {
            for &s in moves.iter().take_while(|&&s| s <= heap) {
                seen[table[heap - s]] = heap;
            }
            table.extend((0..).find(|&value| seen[value] != heap));
        }
        table
    }

    /// The Grundy values of the heaps 0, 1, …, `largest_heap`: the plain table, fast.
    ///
    /// O(n · k · v / 128) vector operations for n heaps, k moves and values up to v; behind a proven period, a copy.
    ///
    /// # Errors
    ///
    /// [`TableTooLarge`] beyond [`LARGEST_HEAP`](Self::LARGEST_HEAP) or where memory is short.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::SubtractionSet;
    ///
    /// let set = SubtractionSet::new([2, 3]);
    /// let fast: Vec<usize> = set.table(1000)?.values().collect();
    /// assert_eq!(fast, set.plain_table(1000));
    /// # Ok::<(), shared::TableTooLarge>(())
    /// ```
    pub fn table(&self, largest_heap: u64) -> Result<Table, TableTooLarge> {
        let too_large = TableTooLarge { largest_heap };
        if largest_heap > Self::LARGEST_HEAP {
            return Err(too_large);
        }
        let cells = largest_heap as usize + 1;
        let mut table = Table::default();
        table.low.try_reserve_exact(cells).map_err(|_| too_large)?;
        let back = sweep_until_return(&self.moves_up_to(largest_heap), largest_heap, |_, new| {
            table.extend(new)
        });
        if let Some((first, _)) = back {
            table.repeat_from(first as usize, cells);
        }
        if table.low.len() < cells {
            return Err(too_large);
        }
        Ok(table)
    }
}

/// The Grundy values of the heaps 0, 1, 2, …: see [`SubtractionSet::table`].
///
/// # Example
///
/// ```
/// use shared::{SubtractionSet, Table};
///
/// let table: Table = SubtractionSet::new([1, 2]).table(9)?;
/// assert_eq!(table, SubtractionSet::new([1, 2, 100]).table(9)?);
/// # Ok::<(), shared::TableTooLarge>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The last 16 bits of each value.
    low: Vec<u16>,
    /// The others; empty where all are 0.
    high: Vec<u16>,
}

impl Table {
    /// The value of `heap`, in constant time.
    ///
    /// # Panics
    ///
    /// Where the heap is larger than the table.
    ///
    /// # Example
    ///
    /// ```
    /// let table = shared::SubtractionSet::new([1, 2]).table(9)?;
    /// assert_eq!([table.value(8), table.value(9)], [2, 0]);
    /// # Ok::<(), shared::TableTooLarge>(())
    /// ```
    pub fn value(&self, heap: usize) -> usize {
        let high = self.high.get(heap).copied().unwrap_or(0);
        usize::from(high) << 16 | usize::from(self.low[heap])
    }

    /// The values, heap 0 first; constant time each.
    ///
    /// # Example
    ///
    /// ```
    /// let table = shared::SubtractionSet::new([1, 2]).table(9)?;
    /// assert!(table.values().eq([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]));
    /// # Ok::<(), shared::TableTooLarge>(())
    /// ```
    pub fn values(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.low.len()).map(|heap| self.value(heap))
    }

    fn extend(&mut self, values: &[u32]) {
        if !self.high.is_empty() || values.iter().any(|&value| value > u32::from(u16::MAX)) {
            self.high.resize(self.low.len(), 0);
            self.high
                .extend(values.iter().map(|&value| (value >> 16) as u16));
        }
        self.low.extend(values.iter().map(|&value| value as u16));
    }

    /// Goes on to `cells` cells by repeating the ones from `first` on.
    fn repeat_from(&mut self, first: usize, cells: usize) {
        for half in [&mut self.low, &mut self.high] {
            // What stands behind `first` stays a number of whole periods.
            while !half.is_empty() && half.len() < cells {
                let end = half.len().min(first + cells - half.len());
                half.extend_from_within(first..end);
            }
        }
    }
}

/// The Grundy value of a heap from which any number of stones may be taken, up to `most` at a time: h mod (most + 1).
///
/// The same holds for every set of moves that has 1, 2, …, `most` in it and no multiple of `most` + 1: from
/// h = q(most + 1) + r the small moves lead to every value below r, and no move leaves the remainder as it is. The
/// prime powers 1, 2, 3, 4, 5, 7, … are such a set with `most` = 5, since a multiple of 6 has two prime factors.
///
/// Any heap and any `most`, 0 for no moves; constant time. Source: *Winning Ways*, ch. 4.
///
/// # Example
///
/// ```
/// use shared::bounded_nim;
///
/// assert_eq!((0..8).map(|heap| bounded_nim(heap, 2)).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0, 1]);
/// ```
pub fn bounded_nim(heap: u64, most: u64) -> u64 {
    // Without a successor, `most` is no bound on any heap.
    most.checked_add(1).map_or(heap, |period| heap % period)
}

/// The Grundy value of a heap from which any positive number of stones may be taken: the heap itself.
///
/// Constant time. Source: C. L. Bouton, *Nim, a game with a complete mathematical theory*, Annals of Mathematics 3 (1901).
///
/// # Example
///
/// ```
/// assert_eq!(shared::nim(5), 5);
/// ```
pub fn nim(heap: u64) -> u64 {
    heap
}

/// A table up to this heap takes too much memory.
///
/// # Example
///
/// ```
/// use shared::{SubtractionSet, TableTooLarge};
///
/// let largest_heap = SubtractionSet::LARGEST_HEAP + 1;
/// assert_eq!(SubtractionSet::new([1]).table(largest_heap), Err(TableTooLarge { largest_heap }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableTooLarge {
    /// The heap that the table was to go to.
    pub largest_heap: u64,
}

impl fmt::Display for TableTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "a heap of {} stones needs a table larger than memory allows; expected at most {}",
            self.largest_heap,
            SubtractionSet::LARGEST_HEAP
        )
    }
}

impl Error for TableTooLarge {}

#[cfg(test)]
mod tests {
    use super::{bounded_nim, nim, SubtractionSet, TableTooLarge};
    use crate::{grundy_by_play, GrundySearch};
    use proptest::prelude::*;

    fn table(moves: &[u64], largest_heap: u64) -> Vec<usize> {
        let set = SubtractionSet::new(moves.iter().copied());
        let plain = set.plain_table(largest_heap as usize);
        let fast = set.table(largest_heap).unwrap();
        assert_eq!(fast.values().collect::<Vec<_>>(), plain, "{moves:?}");
        plain
    }

    fn taking(moves: &[u64]) -> impl Fn(&u64) -> Vec<u64> + '_ {
        |&heap| {
            moves
                .iter()
                .filter(|&&s| s <= heap)
                .map(|&s| heap - s)
                .collect()
        }
    }

    fn is_prime_power(n: u64) -> bool {
        let Some(p) = (2..=n).find(|p| n % p == 0) else {
            return n == 1;
        };
        (0..64).any(|k| p.checked_pow(k) == Some(n))
    }

    #[test]
    fn every_set_within_1_to_8_agrees_with_play_and_search() {
        for chosen in 0u32..1 << 8 {
            let moves: Vec<u64> = (1..=8).filter(|s| chosen >> (s - 1) & 1 == 1).collect();
            let table = table(&moves, 40);
            let mut search =
                GrundySearch::new(|h: &u64| taking(&moves)(h).into_iter().map(|p| [p]));
            for heap in 0..=40 {
                let value = table[heap as usize];
                assert_eq!(
                    value,
                    search.grundy(heap).unwrap(),
                    "{moves:?}, heap {heap}"
                );
                assert_eq!(
                    value,
                    grundy_by_play(heap, taking(&moves)),
                    "{moves:?}, heap {heap}"
                );
            }
        }
    }

    /// One period each, from *Winning Ways*, ch. 4 (nim-sequences of subtraction games).
    #[test]
    fn published_periods() {
        let published: [(&[u64], &[usize]); 6] = [
            (&[1], &[0, 1]),
            (&[2], &[0, 0, 1, 1]),
            (&[1, 2], &[0, 1, 2]),
            (&[5], &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
            (&[2, 3, 5], &[0, 0, 1, 1, 2, 2, 3]),
            (&[1, 3, 4], &[0, 1, 0, 1, 2, 3, 2]),
        ];
        for (moves, period) in published {
            let expected: Vec<usize> = period.iter().copied().cycle().take(100).collect();
            assert_eq!(table(moves, 99), expected, "{moves:?}");
        }
    }

    /// The blog post 「sg函数(博弈论)」 leaves its table 0 (`==` for `=`); TheAlgorithms/Rust gives 1 for {2, 3, 4} and 4 stones.
    #[test]
    fn a_blog_post_and_a_library_are_wrong_here() {
        assert_eq!(table(&[1, 3, 4], 4), [0, 1, 0, 1, 2]);
        assert_eq!(table(&[2, 3, 4], 4)[4], 2);
    }

    #[test]
    fn prime_powers_are_taking_up_to_5() {
        let prime_powers: Vec<u64> = (1..=1000).filter(|&n| is_prime_power(n)).collect();
        assert_eq!(prime_powers[..12], [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17]);
        let by_table = table(&prime_powers, 1000);
        for heap in 0..=1000 {
            assert_eq!(
                bounded_nim(heap, 5),
                by_table[heap as usize] as u64,
                "heap {heap}"
            );
        }
    }

    #[test]
    fn closed_forms_agree_with_tabulation() {
        let all: Vec<u64> = (1..=60).collect();
        for most in 0..=20 {
            let by_table = table(&all[..most], 60);
            for heap in 0..=60 {
                assert_eq!(
                    bounded_nim(heap, most as u64),
                    by_table[heap as usize] as u64
                );
            }
        }
        let by_table: Vec<u64> = table(&all, 60)
            .into_iter()
            .map(|value| value as u64)
            .collect();
        assert_eq!(by_table, (0..=60).map(nim).collect::<Vec<_>>());
        assert_eq!(bounded_nim(u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn moves_may_be_none_unsorted_repeated_or_too_large() {
        assert_eq!(table(&[], 3), [0; 4]);
        assert_eq!(SubtractionSet::new([4, 1, 4, 3]).moves(), [1, 3, 4]);
        assert_eq!(table(&[u64::MAX, 1], 4), [0, 1, 0, 1, 0]);
        assert_eq!(table(&[7], 0), [0]);
    }

    #[test]
    #[should_panic(expected = "a move takes 0 stones")]
    fn a_move_of_no_stones_is_refused() {
        SubtractionSet::new([3, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let set = SubtractionSet::new([1]);
        for largest_heap in [
            SubtractionSet::LARGEST_HEAP + 1,
            1_000_000_000_000_000_000,
            u64::MAX,
        ] {
            assert_eq!(set.table(largest_heap), Err(TableTooLarge { largest_heap }));
        }
    }

    proptest! {
        #[test]
        fn random_sets_agree_with_the_search(moves in prop::collection::vec(1u64..500, 0..60)) {
            let table = table(&moves, 1500);
            let mut search = GrundySearch::new(|h: &u64| taking(&moves)(h).into_iter().map(|p| [p]));
            for heap in 0..=1500 {
                prop_assert_eq!(table[heap as usize], search.grundy(heap).unwrap());
            }
        }
    }
}
