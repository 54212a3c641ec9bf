//! Luogu P4018, Roy & October taking stones: <https://www.luogu.com.cn/problem/P4018>
//!
//! The moves are the prime powers: 1, 2, 3, 4 and 5 are, and no multiple of 6 is. So the game is "take 1…5".
//!
//! Cost: constant a heap.
//! Shown: every heap to 2000 against a search of the game.

use std::process::ExitCode;

use itertools::Itertools;
use proconio::input;
use shared::bounded_nim;
use shared::input::{run, Counted, Tokens, Whole};

const LARGEST_HEAP: u64 = 50_000_000;

fn main() -> ExitCode {
    run(|tokens| Ok(answers(read(tokens)?)))
}

fn read(tokens: &mut Tokens) -> Result<Vec<u64>, String> {
    input! { from tokens, heaps: with Counted(Whole("T", 1..=u64::MAX), Whole("n", 1..=LARGEST_HEAP)) }
    heaps
}

fn answers(heaps: Vec<u64>) -> String {
    heaps.into_iter().map(winner).join("\n")
}

fn winner(heap: u64) -> &'static str {
    if bounded_nim(heap, 5) != 0 {
        "October wins!"
    } else {
        "Roy wins!"
    }
}

#[cfg(test)]
mod tests {
    use super::winner;
    use shared::grundy_by_play;

    /// The numbers to `largest` that dividing by their least divisor above 1, a prime, reduces to 1.
    fn prime_powers(largest: u64) -> Vec<u64> {
        let is_prime_power = |&n: &u64| {
            let p = (2..=n).find(|p| n % p == 0).unwrap_or(2);
            let mut rest = n;
            while rest % p == 0 {
                rest /= p;
            }
            rest == 1
        };
        (1..=largest).filter(is_prime_power).collect()
    }

    #[test]
    fn every_heap_to_2000() {
        let moves = prime_powers(2000);
        let mut october = vec![false; 2001];
        for heap in 1..=2000 {
            october[heap as usize] = moves
                .iter()
                .any(|&s| s <= heap && !october[(heap - s) as usize]);
            let expected = if october[heap as usize] {
                "October wins!"
            } else {
                "Roy wins!"
            };
            assert_eq!(winner(heap), expected, "n = {heap}");
        }
    }

    #[test]
    fn values_are_the_remainders_by_6() {
        let moves = prime_powers(60);
        let take = |&heap: &u64| {
            moves
                .iter()
                .filter(move |&&s| s <= heap)
                .map(move |s| heap - s)
        };
        for heap in 0..60 {
            assert_eq!(grundy_by_play(heap, take) as u64, heap % 6);
        }
    }
}
