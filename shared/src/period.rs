//! Proven periods, and heaps of any size by them.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;

use crate::sweep::sweep;
use crate::SubtractionSet;

/// A proven period: g(h + `period`) = g(h) for all heaps h from `pre_period` on, both the least that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The least heap from which on the values repeat.
    pub pre_period: u64,
    /// After how many heaps they do.
    pub period: u64,
}

impl SubtractionSet {
    /// The period of the Grundy values, proven; `None` where the values of the heaps to `bound` are not found to prove
    /// one.
    ///
    /// # Arguments
    ///
    /// A `bound` above [`LARGEST_HEAP`](Self::LARGEST_HEAP) counts as that, the memory there is; one below 10 000 + 5M,
    /// for the largest move M, counts as that.
    ///
    /// # Complexity
    ///
    /// With pre-period n and period p, the values of at most 2 · max(n + M, p) + p + O(M) heaps are found twice; two
    /// bytes each are kept.
    ///
    /// # Source
    ///
    /// The value of a heap is a function of the M values before it. So M values in a row that occur twice prove a
    /// period, and by the pigeonhole principle some do (S. W. Golomb, *A mathematical investigation of games of
    /// "take-away"*, Journal of Combinatorial Theory 1 (1966)). The row that is waited for is chosen anew at every
    /// doubling (R. P. Brent's cycle finding, BIT 20 (1980)) and looked for with the Knuth–Morris–Pratt automaton, so
    /// that its first return is found, which is the least period.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::{Period, SubtractionSet};
    ///
    /// let set = SubtractionSet::new([1, 3, 4]);
    /// assert_eq!(set.period(10_000), Some(Period { pre_period: 0, period: 7 }));
    /// ```
    pub fn period(&self, bound: u64) -> Option<Period> {
        let moves = self.moves_up_to(Self::LARGEST_HEAP);
        if moves.len() < self.moves().len() {
            return None;
        }
        let least = 10_000 + 5 * moves.last().copied().unwrap_or(0) as u64;
        let last = bound.max(least).min(Self::LARGEST_HEAP);
        let (first, after) = sweep_until_return(&moves, last, |_, _| {})?;
        let table = self.table(first + after).ok()?;
        let differs = |&h: &u64| table.value(h as usize) != table.value((h + after) as usize);
        Some(Period {
            pre_period: (0..first).rev().find(differs).map_or(0, |h| h + 1),
            period: after,
        })
    }

    /// The Grundy values of `heaps`, of any size: the large ones by a proven period.
    ///
    /// Two sweeps at most, to a proof or the largest heap; memory for as many values as the largest move.
    ///
    /// # Errors
    ///
    /// [`NoPeriod`] where a heap is beyond [`LARGEST_HEAP`](Self::LARGEST_HEAP) and none is proven to there, or where
    /// memory is short.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::SubtractionSet;
    ///
    /// // The period is 7.
    /// let set = SubtractionSet::new([1, 3, 4]);
    /// assert_eq!(set.values(&[5, 1_000_000_000_000_000_000])?, [3, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn values(&self, heaps: &[u64]) -> Result<Vec<usize>, NoPeriod> {
        let largest = heaps.iter().copied().max().unwrap_or(0);
        let last = largest.min(Self::LARGEST_HEAP);
        let moves = self.moves_up_to(last);
        let no_period = NoPeriod {
            heap: largest,
            largest_move: self.moves_up_to(largest).last().map_or(0, |&s| s as u64),
        };
        if no_period.largest_move > last {
            return Err(no_period);
        }
        let mut order: Vec<usize> = (0..heaps.len()).collect();
        order.sort_unstable_by_key(|&i| heaps[i]);
        let mut values = vec![0; heaps.len()];
        let mut found = 0;
        let back = sweep_until_return(&moves, last, |first, new| {
            for &i in &order[found..] {
                let Some(&value) = new.get((heaps[i] - first) as usize) else {
                    break;
                };
                values[i] = value as usize;
                found += 1;
            }
        });
        let beyond = &order[found..];
        if !beyond.is_empty() {
            let (first, after) = back.ok_or(no_period)?;
            let reduce = |&i: &usize| first + (heaps[i] - first) % after;
            let reduced: Vec<u64> = beyond.iter().map(reduce).collect();
            for (&i, value) in beyond.iter().zip(self.values(&reduced)?) {
                values[i] = value;
            }
        }
        Ok(values)
    }
}

/// The automaton of a longer row would take too much memory.
const LONGEST_STATE: usize = 1 << 22;

/// Shows the values of the heaps 0 … `last` to `visit`, row by row, each with its first heap, until the values before
/// some heap c that decide all later ones are back, for the first time, before heap c + p: then returns (c, p).
/// `None` also where memory is short.
pub(crate) fn sweep_until_return(
    moves: &[usize],
    last: u64,
    mut visit: impl FnMut(u64, &[u32]),
) -> Option<(u64, u64)> {
    let mut heaps = 0;
    // As many heaps as the largest move takes stones come before the first row that is waited for.
    let mut first = moves.last().map_or(0, |&s| s.div_ceil(2) as u64);
    let mut automaton: Option<Automaton> = None;
    let mut found = None;
    let swept = sweep(moves, last as usize, |new, state| {
        let asked = (last + 1 - heaps).min(new.len() as u64) as usize;
        let seen = automaton
            .as_mut()
            .and_then(|row| row.position(&new[..asked]));
        let shown = seen.map_or(asked, |i| i + 1);
        visit(heaps, &new[..shown]);
        heaps += shown as u64;
        found = seen.map(|_| (first, heaps - first));
        if found.is_some() || heaps > last {
            return ControlFlow::Break(());
        }
        if heaps >= 2 * first && state.len() <= LONGEST_STATE {
            first = heaps;
            automaton = Some(Automaton::after(state.to_vec()));
        }
        ControlFlow::Continue(())
    });
    swept.and(found)
}

/// The Knuth–Morris–Pratt automaton: reads values and stops where the last ones are `pattern`.
struct Automaton {
    pattern: Vec<u32>,
    /// At n, the length of the longest proper prefix of the first n values that is also their suffix.
    border: Vec<u32>,
    /// How many values of the pattern the last ones are.
    matched: usize,
}

impl Automaton {
    /// In the state after reading `pattern`, which is not empty.
    fn after(pattern: Vec<u32>) -> Self {
        let mut automaton = Automaton {
            border: vec![0; 2],
            matched: 0,
            pattern,
        };
        for i in 1..automaton.pattern.len() {
            automaton.read(automaton.pattern[i]);
            automaton.border.push(automaton.matched as u32);
        }
        automaton
    }

    fn read(&mut self, value: u32) {
        while self.matched > 0 && self.pattern[self.matched] != value {
            self.matched = self.border[self.matched] as usize;
        }
        self.matched += usize::from(self.pattern[self.matched] == value);
    }

    /// Where among `values` the pattern ends for the first time.
    fn position(&mut self, values: &[u32]) -> Option<usize> {
        values.iter().position(|&value| {
            self.read(value);
            self.matched == self.pattern.len()
        })
    }
}

/// No period is found, or memory is short, and a heap lies beyond those that can do without.
///
/// # Example
///
/// ```
/// use shared::{NoPeriod, SubtractionSet};
///
/// let (heap, largest_move) = (1 << 50, 1 << 40);
/// let far = SubtractionSet::new([1, largest_move]).values(&[heap]);
/// assert_eq!(far, Err(NoPeriod { heap, largest_move }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPeriod {
    /// The largest heap asked for.
    pub heap: u64,
    /// The largest move from it.
    pub largest_move: u64,
}

impl fmt::Display for NoPeriod {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "a heap of {} stones with moves to {} takes too much memory without a period; expected less, at most {}",
            self.heap,
            self.largest_move,
            SubtractionSet::LARGEST_HEAP
        )
    }
}

impl Error for NoPeriod {}

#[cfg(test)]
mod tests {
    use super::{NoPeriod, Period};
    use crate::SubtractionSet;
    use proptest::prelude::*;

    fn set(moves: &[u64]) -> SubtractionSet {
        SubtractionSet::new(moves.iter().copied())
    }

    /// The least period and pre-period of a table that is long enough to show them many times over.
    fn seen_in(table: &[usize]) -> Period {
        let (pre_period, period) = (1..table.len() / 4)
            .find_map(|p| {
                let last_difference = (0..table.len() - p)
                    .rev()
                    .find(|&h| table[h] != table[h + p]);
                let pre_period = last_difference.map_or(0, |h| h + 1);
                (pre_period < table.len() / 4).then_some((pre_period as u64, p as u64))
            })
            .expect("the table shows a period");
        Period { pre_period, period }
    }

    #[test]
    fn every_set_within_1_to_8() {
        for chosen in 0u32..1 << 8 {
            let moves: Vec<u64> = (1..=8).filter(|s| chosen >> (s - 1) & 1 == 1).collect();
            let set = set(&moves);
            assert_eq!(
                set.period(0),
                Some(seen_in(&set.plain_table(2000))),
                "{moves:?}"
            );
        }
    }

    /// {1, 3, 4} and {2, 3, 5} are in *Winning Ways*, ch. 4; the others were found by searching a table to its end.
    #[test]
    fn known_periods() {
        let known: [(&[u64], u64, u64); 5] = [
            (&[1, 3, 4], 0, 7),
            (&[2, 3, 5], 0, 7),
            (&[2, 3, 7], 0, 5),
            (&[1, 5, 7, 19, 40], 0, 59),
            (&[], 0, 1),
        ];
        for (moves, pre_period, period) in known {
            assert_eq!(
                set(moves).period(0),
                Some(Period { pre_period, period }),
                "{moves:?}"
            );
        }
    }

    /// The first return is the least: patterns that overlap themselves, and long runs that nearly repeat.
    #[test]
    fn periods_that_are_longer_than_they_look() {
        for moves in [
            &[1, 5000][..],
            &[2, 4999],
            &[3000, 3001],
            &[64, 65, 4096],
            &[1, 2, 4097],
        ] {
            let set = set(moves);
            assert_eq!(
                set.period(1 << 20),
                Some(seen_in(&set.plain_table(60_000))),
                "{moves:?}"
            );
        }
    }

    #[test]
    fn heaps_of_any_size_follow_the_period() {
        for moves in [&[1, 5, 7, 19, 40][..], &[2, 9, 300], &[4, 11, 12, 14]] {
            let set = set(moves);
            let Period { pre_period, period } = set.period(1 << 20).unwrap();
            let table = set.plain_table((pre_period + 2 * period) as usize);
            let far = 1_000_000_000_000_000_000;
            let heaps: Vec<u64> = (0..40)
                .chain(far..far + 40)
                .chain([u64::MAX, 7, far])
                .collect();
            let expected: Vec<usize> = heaps
                .iter()
                .map(|&h| match h {
                    _ if h < pre_period => table[h as usize],
                    _ => table[(pre_period + (h - pre_period) % period) as usize],
                })
                .collect();
            assert_eq!(set.values(&heaps), Ok(expected), "{moves:?}");
        }
    }

    #[test]
    fn a_move_too_large_to_look_for_a_period_is_named() {
        let heap = 1_000_000_000_000_000_000;
        let set = set(&[1, SubtractionSet::LARGEST_HEAP + 1]);
        assert_eq!(set.period(u64::MAX), None);
        assert_eq!(set.values(&[3, 5]), Ok(vec![1, 1]));
        let largest_move = set.moves()[1];
        assert_eq!(set.values(&[3, heap]), Err(NoPeriod { heap, largest_move }));
    }

    proptest! {
        #[test]
        fn random_heaps_have_their_plain_values(
            moves in prop::collection::vec(1u64..3000, 0..30),
            heaps in prop::collection::vec(0u64..30_000, 0..20),
        ) {
            let set = set(&moves);
            let table = set.plain_table(30_000);
            let expected: Vec<usize> = heaps.iter().map(|&h| table[h as usize]).collect();
            prop_assert_eq!(set.values(&heaps), Ok(expected));
        }

        #[test]
        fn random_periods_are_the_least(moves in prop::collection::vec(1u64..30, 1..6)) {
            let set = set(&moves);
            if let Some(period) = set.period(0) {
                let long = 8 * (period.pre_period + period.period) as usize + 400;
                prop_assert_eq!(period, seen_in(&set.plain_table(long)));
            }
        }
    }
}
