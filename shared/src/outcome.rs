//! Who wins, by nothing but the rules: the plain search that everything else in this crate is tested against.

use std::collections::HashMap;
use std::hash::Hash;

/// Whether the player to move from `position` can force a win, where a player who cannot move loses: true for an
/// *N-position*, false for a *P-position*.
///
/// # Arguments
///
/// `options` gives the whole positions that one move leads to; from no position may play go on for ever.
///
/// # Panics
///
/// Overflows the stack for games of very many moves or of endless ones; [`GrundySearch`](crate::GrundySearch) does not.
///
/// # Complexity
///
/// Each reachable position is searched once.
///
/// # Example
///
/// ```
/// use shared::first_player_wins;
///
/// // Take 1, 3 or 4 stones.
/// let take = |&n: &u32| [1, 3, 4].into_iter().filter(move |&s| s <= n).map(move |s| n - s);
/// let lost: Vec<u32> = (0..15).filter(|&n| !first_player_wins(n, take)).collect();
/// assert_eq!(lost, [0, 2, 7, 9, 14]);
/// ```
pub fn first_player_wins<P, O>(position: P, mut options: impl FnMut(&P) -> O) -> bool
where
    P: Clone + Eq + Hash,
    O: IntoIterator<Item = P>,
{
    search(&position, &mut options, &mut HashMap::new())
}

/// The Grundy value of `position` by play alone: the least `v` for which whoever moves first loses the sum of
/// `position` and a Nim heap of `v` stones.
///
/// Slow, and for that reason trustworthy: neither [`mex`](crate::mex()) nor [`nim_sum`](crate::nim_sum()) has a part in it.
///
/// # Arguments, panics
///
/// As for [`first_player_wins`].
///
/// # Complexity
///
/// Each reachable position is searched once with each heap of at most g stones, g the result.
///
/// # Example
///
/// ```
/// use shared::grundy_by_play;
///
/// let take = |&n: &u32| [1, 3, 4].into_iter().filter(move |&s| s <= n).map(move |s| n - s);
/// assert_eq!(grundy_by_play(4, take), 2);
/// ```
pub fn grundy_by_play<P, O>(position: P, mut options: impl FnMut(&P) -> O) -> usize
where
    P: Clone + Eq + Hash,
    O: IntoIterator<Item = P>,
{
    let mut memo = HashMap::new();
    let mut with_heap = |(p, heap): &(P, usize)| {
        let mut all: Vec<(P, usize)> = options(p)
            .into_iter()
            .map(|option| (option, *heap))
            .collect();
        all.extend((0..*heap).map(|less| (p.clone(), less)));
        all
    };
    (0..)
        .find(|&heap| !search(&(position.clone(), heap), &mut with_heap, &mut memo))
        .expect("a finite game has a finite value")
}

fn search<P, O>(
    position: &P,
    options: &mut impl FnMut(&P) -> O,
    memo: &mut HashMap<P, bool>,
) -> bool
where
    P: Clone + Eq + Hash,
    O: IntoIterator<Item = P>,
{
    if let Some(&wins) = memo.get(position) {
        return wins;
    }
    let wins = options(position)
        .into_iter()
        .any(|option| !search(&option, options, memo));
    memo.insert(position.clone(), wins);
    wins
}

#[cfg(test)]
mod tests {
    use super::{first_player_wins, grundy_by_play};

    fn nothing(_: &u32) -> [u32; 0] {
        []
    }

    #[test]
    fn who_cannot_move_loses() {
        assert!(!first_player_wins(7, nothing));
        assert_eq!(grundy_by_play(7, nothing), 0);
    }

    #[test]
    fn a_nim_heap_has_its_size_as_value() {
        for heap in 0..10 {
            assert_eq!(grundy_by_play(heap, |&n: &usize| 0..n), heap);
        }
    }
}
