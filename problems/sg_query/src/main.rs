//! Grundy values of single heaps of up to 10^18 stones under one of four rules.
//!
//! `set k s_1 … s_k` is tabulated until a period is proven, which answers all larger heaps; `up-to m`, `any` and
//! `prime-powers` have closed forms.
//!
//! Cost: O(H · k) time for a set of k moves, H the largest heap or that by which the period is proven; O(max s) memory.
//! Shown: every set within 1…6 and every other rule against a search of the game, heaps to 40; the same values a
//! multiple of the period further on, near 10^18.

use std::process::ExitCode;

use itertools::Itertools;
use proconio::input;
use shared::input::{run, Counted, Tokens, Whole};
use shared::{NoPeriod, ReadRule, TakingRule};

const LARGEST_HEAP: u64 = 1_000_000_000_000_000_000;

struct Query {
    rule: TakingRule,
    heaps: Vec<u64>,
}

fn main() -> ExitCode {
    run(|tokens| Ok(answers(read(tokens)?)?))
}

fn read(tokens: &mut Tokens) -> Result<Query, String> {
    input! { from &mut *tokens, rule: with ReadRule }
    let rule = rule?;
    input! { from tokens, heaps: with Counted(Whole("q", 1..=u64::MAX), Whole("heap", 0..=LARGEST_HEAP)) }
    Ok(Query {
        rule,
        heaps: heaps?,
    })
}

fn answers(query: Query) -> Result<String, NoPeriod> {
    Ok(query.rule.values(&query.heaps)?.iter().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{answers, Query};
    use proptest::prelude::*;
    use shared::{first_player_wins, SubtractionSet, TakingRule};

    fn values(rule: &TakingRule, heaps: impl IntoIterator<Item = u64>) -> Vec<usize> {
        let query = Query {
            rule: rule.clone(),
            heaps: heaps.into_iter().collect(),
        };
        let lines = answers(query).unwrap();
        lines.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// Each value v: a heap together with a Nim heap of v stones is lost, and with one of fewer it is not.
    fn check(rule: &TakingRule, allows: impl Fn(u64) -> bool) {
        for (heap, value) in values(rule, 0..=40).into_iter().enumerate() {
            for nim in 0..=value {
                let wins = first_player_wins((heap as u64, nim), |&(heap, nim)| {
                    let taken = (1..=heap)
                        .filter(|&s| allows(s))
                        .map(move |s| (heap - s, nim));
                    taken
                        .chain((0..nim).map(move |less| (heap, less)))
                        .collect::<Vec<_>>()
                });
                assert_eq!(wins, nim < value, "{rule:?}, heap {heap}");
            }
        }
    }

    #[test]
    fn every_set_within_1_to_6() {
        for chosen in 0u32..1 << 6 {
            let allows = |s: u64| s <= 6 && chosen >> (s - 1) & 1 == 1;
            let set = SubtractionSet::new((1..=6).filter(|&s| allows(s)));
            check(&TakingRule::Set(set), allows);
        }
    }

    #[test]
    fn every_other_rule() {
        for most in 1..=9 {
            check(&TakingRule::UpTo(most), |s| s <= most);
        }
        check(&TakingRule::Any, |_| true);
        check(&TakingRule::PrimePowers, |s| {
            s == 1
                || (2..=s)
                    .filter(|p| s % p == 0)
                    .all(|d| d % (2..=s).find(|p| s % p == 0).unwrap() == 0)
        });
    }

    #[test]
    fn the_order_of_the_heaps_is_kept() {
        let set = TakingRule::Set(SubtractionSet::new([1, 3, 4]));
        assert_eq!(values(&set, [8, 5, 5, 0, 4]), [1, 3, 3, 0, 2]);
    }

    proptest! {
        #[test]
        fn heaps_of_10_to_the_18_are_as_far_on_in_the_period(
            moves in prop::collection::vec(1u64..9, 0..3),
            heaps in prop::collection::vec(0u64..1000, 1..5),
        ) {
            let set = SubtractionSet::new(moves);
            let period = set.period(0).unwrap();
            let far = 900_000_000_000_000_000 / period.period * period.period;
            let rule = TakingRule::Set(set);
            let near: Vec<u64> = heaps.iter().map(|h| period.pre_period + h).collect();
            let beyond: Vec<u64> = near.iter().map(|h| h + far).collect();
            prop_assert_eq!(values(&rule, near), values(&rule, beyond));
        }
    }
}
