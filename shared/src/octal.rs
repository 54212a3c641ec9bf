//! Taking-and-breaking games: tables and proven periods.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::Period;

/// An octal game: a move takes stones from a heap and may split what is left in two.
///
/// Digit k of the code says what may be left by a move that takes k stones; it is the sum of
///
/// | | what is left |
/// | --- | --- |
/// | 1 | no heap: the k stones were all |
/// | 2 | one heap |
/// | 4 | two heaps |
///
/// where a heap has at least one stone. Digit 0, before the point, is 0 or 4: a move that takes nothing must split.
/// Kayles is 0.77, Dawson's Kayles 0.07, Nim 0.333…, *take 1, 3 or 4* is 0.3033.
///
/// # Example
///
/// ```
/// use shared::{OctalGame, Period};
///
/// let kayles: OctalGame = "0.77".parse()?;
/// assert_eq!(kayles.table(11), [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]);
/// assert_eq!(kayles.period(1000), Some(Period { pre_period: 71, period: 12 }));
/// # Ok::<(), shared::NotOctal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OctalGame {
    /// Digit 0 first; each below 8, the first 0 or 4, the last of the others not 0.
    digits: Vec<u8>,
}

impl OctalGame {
    /// The most stones that a move takes: the place of the last digit that is not 0.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::OctalGame;
    ///
    /// assert_eq!("0.0700".parse::<OctalGame>()?.largest_move(), 2);
    /// # Ok::<(), shared::NotOctal>(())
    /// ```
    pub fn largest_move(&self) -> usize {
        self.digits.len() - 1
    }

    /// The Grundy values of the heaps 0, 1, …, `largest_heap`.
    ///
    /// # Panics
    ///
    /// Where memory is exhausted.
    ///
    /// # Complexity
    ///
    /// O(n² · d) time for n heaps and a code of d digits, one `usize` a heap.
    ///
    /// # Source
    ///
    /// The definition, one heap after the other; what is left of a heap is a sum of heaps.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::OctalGame;
    ///
    /// let dawsons_kayles: OctalGame = "0.07".parse()?;
    /// assert_eq!(dawsons_kayles.table(9), [0, 0, 1, 1, 2, 0, 3, 1, 1, 0]);
    /// # Ok::<(), shared::NotOctal>(())
    /// ```
    pub fn table(&self, largest_heap: usize) -> Vec<usize> {
        let mut values = Values::new(self);
        values.extend_to(largest_heap);
        values.table
    }

    /// The period of the Grundy values, proven; `None` where the values of the heaps to `bound` prove none.
    ///
    /// # Panics
    ///
    /// Where memory is exhausted.
    ///
    /// # Complexity
    ///
    /// That of a table of at most `bound` heaps, and of less than twice those that prove the period.
    ///
    /// # Source
    ///
    /// R. K. Guy and C. A. B. Smith, *The G-values of various games*, Proceedings of the Cambridge Philosophical
    /// Society 52 (1956); *Winning Ways*, ch. 4: if no move takes more than k stones, and g(n + p) = g(n) for all n
    /// with m ≤ n < 2m + p + k, then for all n ≥ m. For of two heaps with 2m + 2p stones or more one has m + p, and
    /// may have p fewer; so what is left of n + p stones is worth what is left of n. Here m ≥ 1, that the heap with p
    /// fewer is still one.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::{OctalGame, Period};
    ///
    /// // Dawson's chess: no two neighbours.
    /// let dawsons_chess: OctalGame = "0.137".parse()?;
    /// assert_eq!(dawsons_chess.period(500), Some(Period { pre_period: 52, period: 34 }));
    /// assert_eq!(dawsons_chess.period(100), None);
    /// # Ok::<(), shared::NotOctal>(())
    /// ```
    pub fn period(&self, bound: usize) -> Option<Period> {
        let mut values = Values::new(self);
        let mut last = bound.min(64);
        loop {
            values.extend_to(last);
            let period = proven_period(&values.table, self.largest_move());
            if period.is_some() || last == bound {
                return period;
            }
            last = bound.min(last.saturating_mul(2));
        }
    }
}

/// The period that the values of the heaps 0, 1, … prove, if no move takes more than `most` stones.
///
/// A period that is proven is the least: every divisor of a period that is one itself, is proven by the same values.
fn proven_period(table: &[usize], most: usize) -> Option<Period> {
    // The proof for m ≥ 1 looks at g(n + p) for n to 2m + p + k − 1.
    let proves = |m: usize, p: usize| 2 * m.max(1) + 2 * p + most <= table.len();
    (1..table.len())
        .take_while(|&p| proves(0, p))
        .find_map(|p| {
            let differs = |&n: &usize| table[n] != table[n + p];
            let pre_period = (0..table.len() - p)
                .rev()
                .find(differs)
                .map_or(0, |n| n + 1);
            proves(pre_period, p).then_some(Period {
                pre_period: pre_period as u64,
                period: p as u64,
            })
        })
}

/// The values found so far.
struct Values<'a> {
    game: &'a OctalGame,
    table: Vec<usize>,
    /// `seen[v]` is the last heap that has an option of value v.
    seen: Vec<usize>,
}

impl<'a> Values<'a> {
    fn new(game: &'a OctalGame) -> Self {
        Values {
            game,
            table: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn extend_to(&mut self, largest_heap: usize) {
        for heap in self.table.len()..=largest_heap {
            for (taken, digit) in self.game.digits.iter().enumerate() {
                let Some(left) = heap.checked_sub(taken) else {
                    break;
                };
                if digit & 1 != 0 && left == 0 {
                    mark(&mut self.seen, 0, heap);
                }
                if digit & 2 != 0 && left > 0 {
                    mark(&mut self.seen, self.table[left], heap);
                }
                if digit & 4 != 0 {
                    for small in 1..=left / 2 {
                        let value = self.table[small] ^ self.table[left - small];
                        mark(&mut self.seen, value, heap);
                    }
                }
            }
            let value = self.seen.iter().position(|&last| last != heap);
            self.table.push(value.unwrap_or(self.seen.len()));
        }
    }
}

fn mark(seen: &mut Vec<usize>, value: usize, heap: usize) {
    if value >= seen.len() {
        seen.resize(value + 1, usize::MAX);
    }
    seen[value] = heap;
}

/// A code as `0.77`, `.77` or `4.7`.
impl FromStr for OctalGame {
    type Err = NotOctal;

    fn from_str(code: &str) -> Result<Self, NotOctal> {
        let digits = match code.split_once('.') {
            Some(("" | "0", digits)) => std::iter::once(0).chain(digits.bytes().map(octal)),
            Some(("4", digits)) => std::iter::once(4).chain(digits.bytes().map(octal)),
            _ => return Err(NotOctal),
        };
        let mut digits: Vec<u8> = digits.collect();
        if digits.len() < 2 || digits.iter().any(|&digit| digit > 7) {
            return Err(NotOctal);
        }
        while digits.len() > 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        Ok(OctalGame { digits })
    }
}

/// The digit, or more than 7 where it is none.
fn octal(letter: u8) -> u8 {
    letter.wrapping_sub(b'0')
}

impl fmt::Display for OctalGame {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.", self.digits[0])?;
        if self.digits.len() == 1 {
            return f.write_str("0");
        }
        self.digits[1..]
            .iter()
            .try_for_each(|digit| write!(f, "{digit}"))
    }
}

/// The text is no code of an octal game.
///
/// # Example
///
/// ```
/// use shared::{NotOctal, OctalGame};
///
/// assert_eq!("0.78".parse::<OctalGame>(), Err(NotOctal));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOctal;

impl fmt::Display for NotOctal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "expected a point and digits 0 to 7 behind it, 0, 4 or nothing before it, as in 0.77",
        )
    }
}

impl Error for NotOctal {}

#[cfg(test)]
mod tests {
    use super::{NotOctal, OctalGame};
    use crate::{grundy_by_play, GrundySearch, Period, SubtractionSet};
    use proptest::prelude::*;

    fn game(code: &str) -> OctalGame {
        code.parse().unwrap()
    }

    /// What one move leaves of a heap, by the code in words.
    fn moves(code: &str, heap: usize) -> Vec<Vec<usize>> {
        let (before, behind) = code.split_once('.').unwrap();
        let digits = [if before == "4" { "4" } else { "0" }, behind].concat();
        let mut all = Vec::new();
        for (taken, digit) in digits.chars().map(|c| c.to_digit(8).unwrap()).enumerate() {
            for first in 0..=heap {
                for second in first..=heap {
                    let heaps: Vec<usize> =
                        [first, second].into_iter().filter(|&h| h > 0).collect();
                    let allowed = digit >> heaps.len() & 1 == 1;
                    if allowed && first + second + taken == heap {
                        all.push(heaps);
                    }
                }
            }
        }
        all
    }

    fn by_play(code: &str, heap: usize) -> usize {
        grundy_by_play(vec![heap], |heaps: &Vec<usize>| {
            let mut options = Vec::new();
            for (i, &heap) in heaps.iter().enumerate() {
                for left in moves(code, heap) {
                    let mut option = heaps.clone();
                    option.swap_remove(i);
                    option.extend(left);
                    option.sort_unstable();
                    options.push(option);
                }
            }
            options
        })
    }

    fn by_search(code: &str, largest_heap: usize) -> Vec<usize> {
        let mut search = GrundySearch::new(|&heap: &usize| moves(code, heap));
        (0..=largest_heap)
            .map(|heap| search.grundy(heap).unwrap())
            .collect()
    }

    /// Every code of two digits, with and without a split before any stone is taken.
    fn short_codes() -> impl Iterator<Item = String> {
        (0..128).map(|n| format!("{}.{}{}", n / 64 * 4, n / 8 % 8, n % 8))
    }

    #[test]
    fn every_code_of_two_digits_agrees_with_play() {
        for code in short_codes() {
            let table = game(&code).table(7);
            for (heap, &value) in table.iter().enumerate() {
                assert_eq!(value, by_play(&code, heap), "{code}, heap {heap}");
            }
        }
    }

    #[test]
    fn every_code_of_two_digits_agrees_with_the_search() {
        for code in short_codes() {
            assert_eq!(game(&code).table(30), by_search(&code, 30), "{code}");
        }
    }

    /// What is called proven holds ten times as far as was looked, and no shorter period or pre-period does.
    #[test]
    fn proven_periods_go_on() {
        for code in short_codes() {
            let Some(Period { pre_period, period }) = game(&code).period(300) else {
                continue;
            };
            let (n, p) = (pre_period as usize, period as usize);
            let table = game(&code).table(3000);
            assert!(table[n..]
                .iter()
                .eq(&[&table[n..n + p], &table[n..3001 - p]].concat()));
            assert!(n == 0 || table[n - 1] != table[n - 1 + p], "{code}");
            assert!(
                (1..p).all(|q| table[n..n + p] != table[n + q..n + q + p]),
                "{code}"
            );
        }
    }

    /// R. K. Guy and C. A. B. Smith, 1956, the tables of octal games in *Winning Ways*, ch. 4, and the OEIS: A071453,
    /// A071435, A071434, A071452 from 0.117 on.
    #[test]
    fn published_periods() {
        for (code, pre_period, period) in [
            ("0.77", 71, 12),
            ("0.07", 53, 34),
            ("0.137", 52, 34),
            ("0.055", 259, 148),
            ("0.156", 3479, 349),
            ("0.165", 5181, 1550),
            ("0.356", 7315, 142),
            ("0.644", 3256, 442),
            ("0.117", 47, 48),
            ("0.177", 497, 20),
            ("0.1377", 141, 24),
            ("0.11377", 187, 32),
        ] {
            let found = game(code).period(20_000);
            assert_eq!(found, Some(Period { pre_period, period }), "{code}");
        }
    }

    /// No period of these is known to anybody.
    #[test]
    fn open_games_are_not_called_periodic() {
        for code in ["0.6", "0.06", "0.007", "0.37"] {
            assert_eq!(game(code).period(3000), None, "{code}");
        }
    }

    /// The proof needs all of its window: one heap less, and nothing is proven.
    #[test]
    fn a_period_is_proven_by_just_the_heaps_of_the_theorem() {
        for (code, period, pre_period, most) in [("0.77", 12, 71, 2), ("0.07", 34, 53, 2)] {
            let last = 2 * pre_period + 2 * period + most - 1;
            assert!(game(code).period(last).is_some());
            assert_eq!(game(code).period(last - 1), None);
        }
    }

    #[test]
    fn digits_3_are_a_subtraction_set() {
        let set = SubtractionSet::new([1, 3, 4]);
        assert_eq!(game(".3033").table(200), set.plain_table(200));
        assert_eq!(game(".3033").period(200), set.period(200));
    }

    #[test]
    fn a_game_without_moves() {
        let nothing = Some(Period {
            pre_period: 0,
            period: 1,
        });
        assert_eq!(game("0.0").table(3), [0; 4]);
        assert_eq!(game("0.000").period(10), nothing);
        assert_eq!(game("0.0").period(1), None);
    }

    #[test]
    fn codes() {
        for (code, shown) in [(".77", "0.77"), ("0.0700", "0.07"), ("4.0", "4.0")] {
            assert_eq!(game(code).to_string(), shown);
        }
        for wrong in [
            "", "77", ".", "0.", "0.8", "0.7 ", "1.7", "00.7", "0.7.7", "0,77", "-0.7", "0.٧",
        ] {
            assert_eq!(wrong.parse::<OctalGame>(), Err(NotOctal), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn random_codes_agree_with_the_search(code in "(4|0|)[.][0-7]{1,6}") {
            prop_assert_eq!(game(&code).table(40), by_search(&code, 40));
        }

        #[test]
        fn random_proven_periods_go_on(code in "(4|0|)[.][0-7]{1,4}") {
            if let Some(Period { pre_period, period }) = game(&code).period(200) {
                let table = game(&code).table(1000);
                let (n, p) = (pre_period as usize, period as usize);
                prop_assert_eq!(&table[n..1001 - p], &table[n + p..]);
            }
        }
    }
}
