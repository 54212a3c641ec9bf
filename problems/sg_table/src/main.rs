//! The SG table template: the Grundy values of the heaps 0 … n under one of four rules.
//!
//! `set k s_1 … s_k` is tabulated; `up-to m`, `any` and `prime-powers` have closed forms.
//!
//! Cost: O(n · k) time and O(n) memory for a set of k moves; O(n) time for the others.
//! Shown: every set within 1…6 and every other rule, heaps to 30 (`any`: 20), against a search of the game.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use itertools::join;
use proconio::input;
use shared::input::{run, Tokens, Whole};
use shared::{ReadRule, SubtractionSet, TableTooLarge, TakingRule};

struct Request {
    rule: TakingRule,
    largest_heap: u64,
}

fn main() -> ExitCode {
    run(|tokens| Ok(table(read(tokens)?)?))
}

fn read(tokens: &mut Tokens) -> Result<Request, String> {
    input! {
        from tokens,
        rule: with ReadRule,
        largest_heap: with Whole("n", 0..=SubtractionSet::LARGEST_HEAP),
    }
    Ok(Request {
        rule: rule?,
        largest_heap: largest_heap?,
    })
}

fn table(request: Request) -> Result<Lines, TableTooLarge> {
    Ok(Lines {
        largest_heap: request.largest_heap,
        value: request.rule.table(request.largest_heap)?,
    })
}

struct Lines {
    largest_heap: u64,
    value: Box<dyn Fn(u64) -> u64>,
}

impl Display for Lines {
    /// Some lines at a time: the text of all takes more memory than the table.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for first in (0..=self.largest_heap).step_by(4096) {
            let heaps = first..=self.largest_heap.min(first + 4095);
            let lines = heaps.map(|heap| Line {
                heap,
                value: (self.value)(heap),
            });
            f.write_str(if first > 0 { "\n" } else { "" })?;
            f.write_str(&join(lines, "\n"))?;
        }
        Ok(())
    }
}

struct Line {
    heap: u64,
    value: u64,
}

impl Display for Line {
    /// All at once and without `write!`, which would take most of the time of a long table.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        // A blank and 20 digits, twice.
        let mut text = [b' '; 42];
        let mut start = text.len();
        for mut number in [self.value, self.heap] {
            loop {
                start -= 1;
                text[start] = b'0' + (number % 10) as u8;
                number /= 10;
                if number == 0 {
                    break;
                }
            }
            start -= 1;
        }
        f.write_str(std::str::from_utf8(&text[start + 1..]).expect("ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::{table, Line, Request};
    use proptest::prelude::*;
    use shared::{grundy_by_play, SubtractionSet, TakingRule};

    /// Whether a move may take `s` stones, by the rule in words.
    fn allows(rule: &TakingRule, s: u64) -> bool {
        match rule {
            TakingRule::Set(set) => set.moves().contains(&s),
            TakingRule::UpTo(most) => s <= *most,
            TakingRule::Any => true,
            TakingRule::PrimePowers => (2..=s)
                .filter(|p| s % p == 0)
                .all(|p| p % smallest_prime_factor(s) == 0),
        }
    }

    fn smallest_prime_factor(n: u64) -> u64 {
        (2..=n).find(|p| n % p == 0).expect("n is at least 2")
    }

    fn check(rule: TakingRule, largest_heap: u64) {
        let by_play = (0..=largest_heap).map(|heap| {
            let value = grundy_by_play(heap, |&heap| {
                (1..=heap)
                    .filter(|&s| allows(&rule, s))
                    .map(move |s| heap - s)
            });
            format!("{heap} {value}")
        });
        let expected: Vec<String> = by_play.collect();
        let found = table(Request {
            rule: rule.clone(),
            largest_heap,
        })
        .unwrap()
        .to_string();
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{rule:?}");
    }

    #[test]
    fn lines_of_all_lengths() {
        for number in (0..20).map(|digits| 10u64.pow(digits)).chain([0, u64::MAX]) {
            for other in [0, 9, 10, 12_345, u64::MAX] {
                for (heap, value) in [(number, other), (other, number)] {
                    assert_eq!(Line { heap, value }.to_string(), format!("{heap} {value}"));
                }
            }
        }
    }

    #[test]
    fn long_tables() {
        for largest_heap in [4094, 4095, 4096, 4097, 8191, 8192, 10_000] {
            let rule = TakingRule::Set(SubtractionSet::new([1, 2, 3]));
            let found = table(Request { rule, largest_heap }).unwrap().to_string();
            let expected: Vec<String> = (0..=largest_heap)
                .map(|heap| format!("{heap} {}", heap % 4))
                .collect();
            assert_eq!(found, expected.join("\n"));
        }
    }

    #[test]
    fn every_set_within_1_to_6() {
        for chosen in 0u32..1 << 6 {
            let moves = (1..=6).filter(|s| chosen >> (s - 1) & 1 == 1);
            check(TakingRule::Set(SubtractionSet::new(moves)), 30);
        }
    }

    #[test]
    fn every_other_rule() {
        for most in 1..=12 {
            check(TakingRule::UpTo(most), 30);
        }
        check(TakingRule::Any, 20);
        check(TakingRule::PrimePowers, 40);
    }

    proptest! {
        #[test]
        fn random_sets(moves in prop::collection::vec(1u64..60, 0..10), largest_heap in 0u64..60) {
            check(TakingRule::Set(SubtractionSet::new(moves)), largest_heap);
        }
    }
}
