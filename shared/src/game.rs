//! Grundy values of any finite game by memoised search.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::hash::Hash;

use crate::{mex, nim_sum};

/// The Grundy value of one position; see [`GrundySearch`], which keeps its memo for further positions.
///
/// # Errors
///
/// [`Cycle`] where play from `position` can return to a position it has left.
///
/// # Example
///
/// Take 1, 3 or 4 stones:
///
/// ```
/// use shared::grundy;
///
/// let take = |&n: &u32| [1, 3, 4].into_iter().filter(move |&s| s <= n).map(move |s| [n - s]);
/// assert_eq!(grundy(5, take)?, 3);
/// # Ok::<(), shared::Cycle<u32>>(())
/// ```
pub fn grundy<P, O, S>(position: P, options: impl FnMut(&P) -> O) -> Result<usize, Cycle<P>>
where
    P: Clone + Eq + Hash,
    O: IntoIterator<Item = S>,
    S: IntoIterator<Item = P>,
{
    GrundySearch::new(options).grundy(position)
}

/// A memoised search for Grundy values: `g(p)` is the [`mex()`] of the values of the options of `p`.
///
/// `options` gives the options of a position, and each option is a *sum* of positions: one part where a move leads to
/// one position, several where it splits the game, none where it ends it. So heaps, splitting games, two-dimensional
/// and board games all fit.
///
/// # Arguments
///
/// Positions must compare equal exactly where the game goes on alike, and finitely many must be reachable. `options`
/// must give the same options each time.
///
/// # Complexity
///
/// Every reachable position is expanded once: time and memory linear in the number of all parts of all options, on
/// the heap. The search keeps its own stack, so a game of 10⁶ moves in a row is no problem.
///
/// # Source
///
/// R. P. Sprague, *Über mathematische Kampfspiele*, Tôhoku Mathematical Journal 41 (1935); P. M. Grundy, *Mathematics
/// and games*, Eureka 2 (1939).
///
/// # Example
///
/// Kayles, where a ball knocks down one pin or two neighbours and so splits the row:
///
/// ```
/// use shared::GrundySearch;
///
/// let mut kayles = GrundySearch::new(|&pins: &usize| {
///     (1..=pins.min(2)).flat_map(move |hit| (0..=pins - hit).map(move |left| [left, pins - hit - left]))
/// });
/// let values: Result<Vec<_>, _> = (0..12).map(|pins| kayles.grundy(pins)).collect();
/// assert_eq!(values?, [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]);
/// # Ok::<(), shared::Cycle<usize>>(())
/// ```
pub struct GrundySearch<P, F> {
    options: F,
    /// `None` while the options of a position are still being searched.
    memo: HashMap<P, Option<usize>>,
}

/// A position under search: its options as sums, and the parts that have not been looked at.
struct Frame<P> {
    position: P,
    options: Vec<Vec<P>>,
    pending: Vec<P>,
}

impl<P, F, O, S> GrundySearch<P, F>
where
    P: Clone + Eq + Hash,
    F: FnMut(&P) -> O,
    O: IntoIterator<Item = S>,
    S: IntoIterator<Item = P>,
{
    /// A search with an empty memo over the game that `options` describes; constant time.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::GrundySearch;
    ///
    /// let mut nim = GrundySearch::new(|&heap: &u32| (0..heap).map(|left| [left]));
    /// assert_eq!(nim.grundy(3), Ok(3));
    /// ```
    pub fn new(options: F) -> Self {
        GrundySearch {
            options,
            memo: HashMap::new(),
        }
    }

    /// The Grundy value of `position`; what was found on the way is kept for the next call.
    ///
    /// # Errors
    ///
    /// [`Cycle`] where play from `position` can return to a position it has left: such a game has no Grundy value. The
    /// search can go on with other positions afterwards.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::GrundySearch;
    ///
    /// // Two heaps of Nim: what (2, 3) has found also answers (1, 3).
    /// let mut nim = GrundySearch::new(|&(a, b): &(u32, u32)| {
    ///     (0..a).map(move |left| [(left, b)]).chain((0..b).map(move |left| [(a, left)])).collect::<Vec<_>>()
    /// });
    /// assert_eq!([nim.grundy((2, 3))?, nim.grundy((1, 3))?], [1, 2]);
    /// # Ok::<(), shared::Cycle<(u32, u32)>>(())
    /// ```
    pub fn grundy(&mut self, position: P) -> Result<usize, Cycle<P>> {
        let mut path: Vec<Frame<P>> = Vec::new();
        let mut next = Some(position.clone());
        loop {
            if let Some(part) = next.take() {
                match self.memo.get(&part) {
                    Some(Some(_)) => {}
                    Some(None) => {
                        for frame in path {
                            self.memo.remove(&frame.position);
                        }
                        return Err(Cycle { position: part });
                    }
                    None => path.push(self.open(part)),
                }
            }
            let Some(frame) = path.last_mut() else {
                return Ok(self.known(&position));
            };
            next = frame.pending.pop();
            if next.is_none() {
                let value = mex(frame
                    .options
                    .iter()
                    .map(|sum| nim_sum(sum.iter().map(|part| self.known(part)))));
                let frame = path.pop().expect("it was the last one");
                self.memo.insert(frame.position, Some(value));
            }
        }
    }

    fn open(&mut self, position: P) -> Frame<P> {
        self.memo.insert(position.clone(), None);
        let options: Vec<Vec<P>> = (self.options)(&position)
            .into_iter()
            .map(|sum| sum.into_iter().collect())
            .collect();
        let pending = options.iter().flatten().cloned().collect();
        Frame {
            position,
            options,
            pending,
        }
    }

    fn known(&self, position: &P) -> usize {
        self.memo[position].expect("searched before it is asked for")
    }
}

/// Play can return to `position`, so the game is not finite and has no Grundy values.
///
/// # Example
///
/// ```
/// use shared::{grundy, Cycle};
///
/// let round_a_clock = |&hour: &u32| [[(hour + 1) % 12]];
/// assert!(matches!(grundy(3, round_a_clock), Err(Cycle { position: 0..=11 })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle<P> {
    /// A position on the cycle.
    pub position: P,
}

impl<P: fmt::Debug> fmt::Display for Cycle<P> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "the game can return to {:?}: it has no Grundy value",
            self.position
        )
    }
}

impl<P: fmt::Debug> Error for Cycle<P> {}

#[cfg(test)]
mod tests {
    use super::{grundy, Cycle, GrundySearch};
    use crate::grundy_by_play;
    use proptest::prelude::*;

    /// Every acyclic graph on 5 positions in which moves go from higher to lower numbers.
    #[test]
    fn all_small_graphs_agree_with_play() {
        for graph in 0u32..1 << 10 {
            let options =
                |&p: &u32| (0..p).filter(move |q| graph >> (p * (p - 1) / 2 + q) & 1 == 1);
            let mut search = GrundySearch::new(|p: &u32| options(p).map(|q| [q]));
            for position in 0..5 {
                let found = search.grundy(position).unwrap();
                assert_eq!(
                    found,
                    grundy_by_play(position, options),
                    "graph {graph:b}, position {position}"
                );
            }
        }
    }

    /// Kayles and Dawson's Kayles as rows of pins; play keeps the list of rows.
    #[test]
    fn splitting_games_agree_with_play() {
        let kayles = |&n: &usize| {
            (1..=n.min(2))
                .flat_map(move |hit| (0..=n - hit).map(move |left| [left, n - hit - left]))
        };
        let dawson = |&n: &usize| (2..=n).map(move |i| [i - 2, n - i]);
        fn by_play<I: IntoIterator<Item = [usize; 2]>>(
            n: usize,
            rule: impl Fn(&usize) -> I,
        ) -> usize {
            grundy_by_play(vec![n], |rows: &Vec<usize>| {
                let mut options = Vec::new();
                for (i, row) in rows.iter().enumerate() {
                    for parts in rule(row) {
                        let mut option = rows.clone();
                        option.swap_remove(i);
                        option.extend(parts.into_iter().filter(|&part| part > 0));
                        option.sort_unstable();
                        options.push(option);
                    }
                }
                options
            })
        }
        for n in 0..12 {
            assert_eq!(grundy(n, kayles).unwrap(), by_play(n, kayles), "Kayles {n}");
            assert_eq!(
                grundy(n, dawson).unwrap(),
                by_play(n, dawson),
                "Dawson's Kayles {n}"
            );
        }
    }

    /// Published: Kayles has period 12 from 71 on and not before, Dawson's Kayles period 34 from 53 on and not before
    /// (R. K. Guy and C. A. B. Smith, 1956, the heaps of Dawson's Kayles being rows of pins of which a shot takes two
    /// neighbours).
    #[test]
    fn kayles_and_dawsons_kayles_have_their_published_periods() {
        let mut kayles = GrundySearch::new(|&n: &usize| {
            (1..=n.min(2))
                .flat_map(move |hit| (0..=n - hit).map(move |left| [left, n - hit - left]))
        });
        let mut dawson = GrundySearch::new(|&n: &usize| (2..=n).map(move |i| [i - 2, n - i]));
        let kayles: Vec<usize> = (0..400).map(|n| kayles.grundy(n).unwrap()).collect();
        let dawson: Vec<usize> = (0..400).map(|n| dawson.grundy(n).unwrap()).collect();
        for (values, period, pre_period) in [(kayles, 12, 71), (dawson, 34, 53)] {
            let last_exception = (0..400 - period)
                .rev()
                .find(|&n| values[n] != values[n + period]);
            assert_eq!(last_exception, Some(pre_period - 1));
        }
    }

    /// Wythoff's queen: two heaps, take from one or as many from both; lost at (⌊kφ⌋, ⌊kφ²⌋).
    #[test]
    fn two_dimensional_games_fit() {
        let mut wythoff = GrundySearch::new(|&(a, b): &(usize, usize)| {
            let rook = (0..a)
                .map(move |x| (x, b))
                .chain((0..b).map(move |y| (a, y)));
            rook.chain((1..=a.min(b)).map(move |d| (a - d, b - d)))
                .map(|p| [p])
        });
        let phi = (1.0 + 5f64.sqrt()) / 2.0;
        let published: Vec<(usize, usize)> = (0..9)
            .map(|k| k as f64)
            .map(|k| ((k * phi) as usize, (k * phi * phi) as usize))
            .collect();
        for a in 0..=20 {
            for b in a..=20 {
                let lost = wythoff.grundy((a, b)).unwrap() == 0;
                assert_eq!(lost, published.contains(&(a, b)), "({a}, {b})");
            }
        }
    }

    #[test]
    fn a_move_that_ends_the_game_is_an_empty_sum() {
        assert_eq!(grundy((), |()| [[(); 0]]), Ok(1));
    }

    #[test]
    fn a_million_moves_in_a_row_need_no_stack() {
        assert_eq!(
            grundy(1_000_000u32, |&n| n.checked_sub(1).map(|m| [m])),
            Ok(0)
        );
    }

    #[test]
    fn cycles_are_reported_and_leave_the_search_usable() {
        // 0 ends; 1 -> 2 -> 3 -> 1; 4 -> 0; 5 -> 4 and into the cycle; 6 -> itself + 0.
        let mut search = GrundySearch::new(|&p: &u32| match p {
            1 => vec![vec![2]],
            2 => vec![vec![0], vec![3]],
            3 => vec![vec![1]],
            4 => vec![vec![0]],
            5 => vec![vec![1], vec![4]],
            6 => vec![vec![6, 0]],
            _ => vec![],
        });
        for start in [1, 2, 3, 5, 6, 1] {
            let Err(Cycle { position }) = search.grundy(start) else {
                panic!("{start} leads into a cycle");
            };
            assert!(matches!(position, 1..=3 | 6), "{position} is on no cycle");
            assert_eq!(search.grundy(4), Ok(1));
        }
    }

    proptest! {
        #[test]
        fn random_graphs_agree_with_play(edges in prop::collection::vec((0usize..12, 0usize..12), 0..40)) {
            let options = |&p: &usize| {
                let edges = &edges;
                edges.iter().filter(move |e| e.0.max(e.1) == p && e.0 != e.1).map(|e| e.0.min(e.1))
            };
            let mut search = GrundySearch::new(|p: &usize| options(p).map(|q| [q]));
            for position in 0..12 {
                prop_assert_eq!(search.grundy(position).unwrap(), grundy_by_play(position, options));
            }
        }
    }

    /// Template 2 of 「SG模板」: a cleared, shared `vis` would give 0 1 2 3 4 … for {1, 3, 4}.
    #[test]
    fn template_2_for_1_3_4() {
        let mut search = GrundySearch::new(|&n: &u32| {
            [1, 3, 4]
                .into_iter()
                .filter(move |&s| s <= n)
                .map(move |s| [n - s])
        });
        let values: Vec<usize> = (0..9).map(|n| search.grundy(n).unwrap()).collect();
        assert_eq!(values, [0, 1, 0, 1, 2, 3, 2, 0, 1]);
    }
}
