//! Coin-turning games.
//!
//! Coins 1, 2, 3, … lie in a row; a move turns some, the rightmost from heads to tails. A row is the sum of its heads,
//! each alone in a row, so the XOR of their values is its value.

use std::error::Error;
use std::fmt;

use crate::bounded_nim;

/// Which coins one move may turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoinRule {
    /// 1, 2, … or t coins: Turning Turtles (t = 2), Mock Turtles (3), Moebius (5), Mogul (7), Moidores (9).
    UpTo(u64),
    /// t coins: Twins (2), Triplets (3).
    Exactly(u64),
    /// k neighbours.
    Run(u64),
    /// Coin n and one of the k to its left, or coin n alone where n ≤ k.
    Near(u64),
    /// Any number of neighbours.
    Ruler,
}

impl CoinRule {
    /// The values g(1), g(2), … of rows whose only head is coin 1, 2, …; all 0 for a rule of 0 coins, which has no moves.
    ///
    /// Linear time, but for `UpTo(t)` and `Exactly(t)` with t ≥ 4: there memory grows as the values do, a bit each.
    /// Source: *Winning Ways*, ch. 14, with proofs in the README of `coin_turning`.
    ///
    /// # Errors
    ///
    /// [`ValuesTooLarge`] where t ≥ 4 and the search takes more than 128 MiB or some 10⁹ steps. Up to coin t there is no
    /// search, and only values of more than 64 bits are too large.
    ///
    /// # Example
    ///
    /// ```
    /// use shared::CoinRule;
    ///
    /// assert_eq!(CoinRule::UpTo(3).table(8)?, [1, 2, 4, 7, 8, 11, 13, 14]);
    /// assert_eq!(CoinRule::Run(3).table(7)?, [0, 0, 1, 0, 0, 1, 0]);
    /// assert_eq!(CoinRule::Ruler.table(8)?, [1, 2, 1, 4, 1, 2, 1, 8]);
    /// # Ok::<(), shared::ValuesTooLarge>(())
    /// ```
    pub fn table(self, coins: usize) -> Result<Vec<usize>, ValuesTooLarge> {
        match self {
            CoinRule::UpTo(t) => up_to(t, coins),
            CoinRule::Exactly(t) => exactly(t, coins),
            CoinRule::Run(k) => closed_form(coins, |n| u64::from(k != 0 && n % k == 0)),
            CoinRule::Near(k) => closed_form(coins, |n| bounded_nim(n, k)),
            CoinRule::Ruler => closed_form(coins, |n| n & n.wrapping_neg()),
        }
    }
}

/// The values of [`greedy`] stay below this: its notes, a bit for each number, then take 128 MiB.
const VALUES_END: u64 = 1 << 30;

/// Words that [`greedy`] may OR: one or two seconds.
const MOST_STEPS: usize = 1 << 30;

fn closed_form(coins: usize, value: impl Fn(u64) -> u64) -> Result<Vec<usize>, ValuesTooLarge> {
    let mut table = Vec::new();
    table
        .try_reserve_exact(coins)
        .map_err(|_| ValuesTooLarge { coin: coins })?;
    table.extend((1..=coins).map(|n| value(n as u64) as usize));
    Ok(table)
}

/// With t − 1 worthless coins in front, of which any number fills a move up to t coins, the rest plays `UpTo(t)`.
fn exactly(t: u64, coins: usize) -> Result<Vec<usize>, ValuesTooLarge> {
    let fillers = usize::try_from(t.saturating_sub(1))
        .unwrap_or(coins)
        .min(coins);
    let mut table = closed_form(fillers, |_| 0)?;
    table.extend(up_to(t, coins - fillers).map_err(|error| error.behind(fillers))?);
    Ok(table)
}

/// g(n) is the least number that is no XOR of fewer than t different values before it.
fn up_to(t: u64, coins: usize) -> Result<Vec<usize>, ValuesTooLarge> {
    match t {
        0 => closed_form(coins, |_| 0),
        1 => closed_form(coins, |_| 1),
        2 => closed_form(coins, |n| n),
        // All the coins before n may be turned with it: every number below 2ⁿ⁻¹ is an XOR of the values before.
        _ if t >= coins.min(65) as u64 => (1..=coins)
            .map(|n| {
                1usize
                    .checked_shl(n as u32 - 1)
                    .ok_or(ValuesTooLarge { coin: n })
            })
            .collect(),
        // With up to t coins there is no need to search.
        _ if t % 2 == 0 => greedy(t as usize / 2, coins).map_err(|error| ValuesTooLarge {
            coin: error.coin.max(t as usize + 1),
        }),
        _ => {
            let halves = up_to(t - 1, coins - 1).map_err(|error| error.behind(1))?;
            Ok(std::iter::once(1)
                .chain(halves.into_iter().map(odious))
                .collect())
        }
    }
}

/// 2x or 2x + 1, whichever is *odious*: has an odd number of ones in binary.
///
/// The Mock Turtles theorem (*Winning Ways*, ch. 14; proved in the README of `coin_turning`): where g are the values of
/// `UpTo(t)`, t even, those of `UpTo(t + 1)` are h(1) = 1 and h(n) = odious(g(n − 1)).
fn odious(x: usize) -> usize {
    2 * x + usize::from(x.count_ones() % 2 == 0)
}

/// The values of `UpTo(2m)`, by sieving the numbers, 64 at a time.
///
/// A number is barred where it is an XOR of at most 2m − 1 values: where it differs by an XOR of at most m − 1 of them
/// (`near`) from an XOR of at most m (`far`). No two of these XORs agree, or at most 2m values would have XOR 0.
fn greedy(m: usize, coins: usize) -> Result<Vec<usize>, ValuesTooLarge> {
    // near[j]: the XORs of just j values.
    let mut near = vec![Vec::new(); m];
    near[0].push(0);
    let mut sieve = Sieve::new();
    let mut table = Vec::new();
    let mut value = 1;
    for coin in 1..=coins {
        value = sieve.first_open(value).ok_or(ValuesTooLarge { coin })?;
        for xor in near.iter().flatten() {
            sieve.insert_far(value ^ xor);
        }
        for j in (1..m).rev() {
            for i in 0..near[j - 1].len() {
                let xor = value ^ near[j - 1][i];
                near[j].push(xor);
                sieve.insert_near(xor);
            }
        }
        table.push(value);
    }
    Ok(table)
}

/// The numbers that are no XOR of one of `near` and one of `far`.
struct Sieve {
    /// `near[r]`: the members with remainder r by 64, divided by 64.
    near: Vec<Vec<usize>>,
    /// A bit for every number; the length is a power of 2.
    far: Vec<u64>,
    /// How many words have been OR-ed.
    steps: usize,
}

impl Sieve {
    /// Only 0 is in either set.
    fn new() -> Self {
        let mut near = vec![Vec::new(); 64];
        near[0].push(0);
        Sieve {
            near,
            far: vec![1],
            steps: 0,
        }
    }

    fn insert_near(&mut self, number: usize) {
        self.near[number % 64].push(number / 64);
    }

    fn insert_far(&mut self, number: usize) {
        let block = number / 64;
        if block >= self.far.len() {
            self.far.resize((block + 1).next_power_of_two(), 0);
        }
        self.far[block] |= 1 << (number % 64);
    }

    /// The first number from `start` on that is not barred; `None` where it is beyond the bounds.
    fn first_open(&mut self, start: usize) -> Option<usize> {
        let mut barred = self.barred(start / 64) | ((1 << (start % 64)) - 1);
        let mut block = start / 64;
        while barred == u64::MAX && self.steps < MOST_STEPS {
            block += 1;
            barred = self.barred(block);
        }
        let number = block * 64 + barred.trailing_ones() as usize;
        (barred != u64::MAX && (number as u64) < VALUES_END).then_some(number)
    }

    /// Which of the numbers 64 · `block` + 0…63 are barred, a bit each.
    fn barred(&mut self, block: usize) -> u64 {
        let mut barred = 0;
        for (remainder, blocks) in self.near.iter().enumerate() {
            self.steps += 1 + blocks.len();
            let far = blocks.iter().fold(0, |bits, near| {
                bits | self.far.get(block ^ near).copied().unwrap_or(0)
            });
            barred |= xor_positions(far, remainder);
            if barred == u64::MAX {
                break;
            }
        }
        barred
    }
}

/// Moves the bit at each position p to position p XOR `mask`.
fn xor_positions(mut bits: u64, mask: usize) -> u64 {
    // The positions whose binary digit 0, 1, … is 0.
    const ZERO_DIGIT: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    for (digit, zero) in ZERO_DIGIT.into_iter().enumerate() {
        if mask >> digit & 1 == 1 {
            bits = (bits & zero) << (1 << digit) | bits >> (1 << digit) & zero;
        }
    }
    bits
}

/// The Grundy values of a coin-turning game outgrow the memory and time that they may take.
///
/// # Example
///
/// ```
/// use shared::{CoinRule, ValuesTooLarge};
///
/// // With so many coins in a move the values are the powers of 2.
/// let table: Result<Vec<usize>, ValuesTooLarge> = CoinRule::UpTo(100).table(65);
/// assert!(table.is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuesTooLarge {
    /// The first coin that is out of reach.
    pub coin: usize,
}

impl ValuesTooLarge {
    fn behind(self, coins: usize) -> Self {
        ValuesTooLarge {
            coin: self.coin + coins,
        }
    }
}

impl fmt::Display for ValuesTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "the Grundy values of this rule outgrow memory and time at coin {}; expected fewer coins",
            self.coin
        )
    }
}

impl Error for ValuesTooLarge {}

#[cfg(test)]
mod tests {
    use super::{CoinRule, ValuesTooLarge};
    use crate::{first_player_wins, grundy_by_play, nim_sum};
    use proptest::prelude::*;

    /// The rows that one move leads to, by the rules in words; bit i of a row is coin i + 1, 1 for heads.
    fn moves(rule: CoinRule, row: u32, coins: u32) -> Vec<u32> {
        let allowed = |turned: u32| {
            let (count, rightmost) = (u64::from(turned.count_ones()), 32 - turned.leading_zeros());
            let leftmost = turned.trailing_zeros() + 1;
            let neighbours = count == u64::from(rightmost + 1 - leftmost);
            match rule {
                CoinRule::UpTo(t) => count <= t,
                CoinRule::Exactly(t) => count == t,
                CoinRule::Run(k) => neighbours && count == k,
                CoinRule::Near(k) => match count {
                    1 => u64::from(rightmost) <= k,
                    2 => u64::from(rightmost - leftmost) <= k,
                    _ => false,
                },
                CoinRule::Ruler => neighbours,
            }
        };
        let to_tails = |turned: u32| row >> (31 - turned.leading_zeros()) & 1 == 1;
        (1..1 << coins)
            .filter(|&turned| to_tails(turned) && allowed(turned))
            .map(|turned| row ^ turned)
            .collect()
    }

    fn all_rules(largest: u64) -> impl Iterator<Item = CoinRule> {
        let with = |rule: fn(u64) -> CoinRule| (1..=largest).map(rule);
        with(CoinRule::UpTo)
            .chain(with(CoinRule::Exactly))
            .chain(with(CoinRule::Run))
            .chain(with(CoinRule::Near))
            .chain([CoinRule::Ruler])
    }

    #[test]
    fn every_rule_and_row_of_up_to_10_coins_agrees_with_play() {
        for rule in all_rules(11) {
            let table = rule.table(10).unwrap();
            let mut wins = vec![false; 1 << 10];
            for row in 0..1u32 << 10 {
                // A move takes the row, read as a binary number, down: all options have been decided.
                wins[row as usize] = moves(rule, row, 10)
                    .iter()
                    .any(|&option| !wins[option as usize]);
                let heads = (0..10).filter(|i| row >> i & 1 == 1).map(|i| table[i]);
                assert_eq!(
                    wins[row as usize],
                    nim_sum(heads) != 0,
                    "{rule:?}, row {row:010b}"
                );
            }
        }
    }

    #[test]
    fn single_heads_have_the_value_that_play_gives() {
        for rule in all_rules(6) {
            let table = rule.table(6).unwrap();
            for coin in 0..6 {
                let value = grundy_by_play(1u32 << coin, |&row| moves(rule, row, 6));
                assert_eq!(table[coin as usize], value, "{rule:?}, coin {}", coin + 1);
            }
        }
    }

    /// *Winning Ways*, ch. 14, and the OEIS: A000069 for Mock Turtles.
    #[test]
    fn published_sequences() {
        let published: [(CoinRule, &[usize]); 12] = [
            (CoinRule::UpTo(1), &[1, 1, 1, 1, 1]),
            (CoinRule::UpTo(2), &[1, 2, 3, 4, 5, 6]),
            (
                CoinRule::UpTo(3),
                &[
                    1, 2, 4, 7, 8, 11, 13, 14, 16, 19, 21, 22, 25, 26, 28, 31, 32, 35, 37, 38,
                ],
            ),
            (
                CoinRule::UpTo(4),
                &[1, 2, 4, 8, 15, 16, 32, 51, 64, 85, 106, 128, 150],
            ),
            (
                CoinRule::UpTo(5),
                &[
                    1, 2, 4, 8, 16, 31, 32, 64, 103, 128, 171, 213, 256, 301, 342, 439, 475, 494,
                ],
            ),
            (
                CoinRule::UpTo(7),
                &[
                    1, 2, 4, 8, 16, 32, 64, 127, 128, 256, 512, 911, 1024, 1459, 1749, 1897, 2048,
                ],
            ),
            (
                CoinRule::UpTo(9),
                &[
                    1, 2, 4, 8, 16, 32, 64, 128, 256, 511, 512, 1024, 2048, 4096, 7711, 8192,
                ],
            ),
            (CoinRule::Exactly(2), &[0, 1, 2, 3, 4, 5]),
            (CoinRule::Exactly(3), &[0, 0, 1, 2, 4, 7, 8, 11, 13, 14]),
            (CoinRule::Run(3), &[0, 0, 1, 0, 0, 1]),
            (CoinRule::Near(3), &[1, 2, 3, 0, 1, 2, 3, 0]),
            (CoinRule::Ruler, &[1, 2, 1, 4, 1, 2, 1, 8]),
        ];
        for (rule, values) in published {
            assert_eq!(rule.table(values.len()).unwrap(), values, "{rule:?}");
        }
    }

    /// 「硬币博弈的SG值规律」 plays "exactly two" where it says "one or two", and writes 3 for K in its variant 4.
    #[test]
    fn variants_2_and_4_as_their_rules_say() {
        assert_eq!(CoinRule::UpTo(2).table(1).unwrap(), [1]);
        assert_eq!(CoinRule::Near(5).table(7).unwrap(), [1, 2, 3, 4, 5, 0, 1]);
    }

    /// The definition of `UpTo(t)` for single heads: the least number that is no XOR of fewer than t values before.
    fn by_definition(t: usize, coins: usize) -> Vec<usize> {
        let mut table: Vec<usize> = Vec::new();
        // fewest[x]: the least number of values whose XOR is x.
        let mut fewest = vec![usize::MAX; 1 << 16];
        fewest[0] = 0;
        for _ in 0..coins {
            let value = (0..).find(|&x| fewest[x] >= t).unwrap();
            let with: Vec<usize> = (0..1 << 16)
                .map(|x| fewest[x].min(fewest[x ^ value].saturating_add(1)))
                .collect();
            fewest = with;
            table.push(value);
        }
        table
    }

    #[test]
    fn up_to_t_agrees_with_its_definition() {
        for (t, coins) in [
            (1, 40),
            (2, 300),
            (3, 300),
            (4, 70),
            (5, 70),
            (6, 30),
            (7, 30),
            (8, 20),
            (9, 20),
        ] {
            assert_eq!(
                CoinRule::UpTo(t as u64).table(coins).unwrap(),
                by_definition(t, coins),
                "t = {t}"
            );
        }
    }

    #[test]
    fn a_rule_of_no_coins_has_no_moves() {
        for rule in [
            CoinRule::UpTo(0),
            CoinRule::Exactly(0),
            CoinRule::Run(0),
            CoinRule::Near(0),
        ] {
            assert_eq!(rule.table(3).unwrap(), [0; 3], "{rule:?}");
        }
    }

    #[test]
    fn values_that_outgrow_memory_are_refused() {
        let powers: Vec<usize> = (0..usize::BITS).map(|i| 1 << i).collect();
        assert_eq!(CoinRule::UpTo(1000).table(powers.len()).unwrap(), powers);
        let coin = powers.len() + 1;
        assert_eq!(
            CoinRule::UpTo(1000).table(coin),
            Err(ValuesTooLarge { coin })
        );
        // The limits that the README of `coin_turning` tells, however many coins are asked for. What stands in front of the coins of
        // the smaller rule counts too.
        for (rule, coins, coin) in [
            (CoinRule::UpTo(4), 100_000, 2989),
            (CoinRule::UpTo(5), 4_000, 2990),
            (CoinRule::Exactly(4), 4_000, 2992),
            (CoinRule::UpTo(6), 2_988, 203),
            (CoinRule::UpTo(31), 200, 32),
            (CoinRule::Exactly(31), 100, 62),
        ] {
            assert_eq!(rule.table(coins), Err(ValuesTooLarge { coin }), "{rule:?}");
        }
        for rule in [CoinRule::UpTo(31), CoinRule::Exactly(16)] {
            assert!(rule.table(31).is_ok(), "{rule:?}");
        }
        assert!(CoinRule::UpTo(2).table(usize::MAX).is_err());
    }

    proptest! {
        #[test]
        fn random_rows_agree_with_play(
            rule in prop::sample::select(all_rules(14).collect::<Vec<_>>()),
            row in 0u32..1 << 12,
        ) {
            let table = rule.table(12).unwrap();
            let heads = (0..12).filter(|i| row >> i & 1 == 1).map(|i| table[i]);
            let wins = first_player_wins(row, |&row| moves(rule, row, 12));
            prop_assert_eq!(wins, nim_sum(heads) != 0);
        }
    }
}
