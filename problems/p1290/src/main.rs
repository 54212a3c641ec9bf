//! Luogu P1290, Euclid's game: <https://www.luogu.com.cn/problem/P1290>
//!
//! The player to move wins where the Grundy value is not 0; `shared` finds it from the mex at the meeting point.
//!
//! Cost: O(log min(M, N)) a game.
//! Shown: every pair to 100 and random pairs to 2000 against a search of the game.

use std::process::ExitCode;

use itertools::Itertools;
use proconio::input;
use shared::euclid_grundy;
use shared::input::{run, Tokens, Whole};

const LARGEST: u64 = (1 << 31) - 1;

fn main() -> ExitCode {
    run(|tokens| Ok(answers(read(tokens)?)))
}

fn read(tokens: &mut Tokens) -> Result<Vec<(u64, u64)>, String> {
    input! { from &mut *tokens, games: with Whole("C", 1..=u64::MAX) }
    (1..=games?)
        .map(|game| {
            input! {
                from &mut *tokens,
                m: with Whole(format_args!("M of game {game}"), 1..=LARGEST),
                n: with Whole(format_args!("N of game {game}"), 1..=LARGEST),
            }
            Ok((m?, n?))
        })
        .collect()
}

fn answers(games: Vec<(u64, u64)>) -> String {
    games.into_iter().map(|(m, n)| winner(m, n)).join("\n")
}

fn winner(m: u64, n: u64) -> &'static str {
    if euclid_grundy(m, n) != 0 {
        "Stan wins"
    } else {
        "Ollie wins"
    }
}

#[cfg(test)]
mod tests {
    use super::{winner, LARGEST};
    use proptest::prelude::*;
    use shared::first_player_wins;

    fn by_play(m: u64, n: u64) -> &'static str {
        let stan = first_player_wins((m, n), |&(m, n)| {
            let (large, small) = (m.max(n), m.min(n));
            let times = large.checked_div(small).unwrap_or(0);
            (1..=times).map(move |times| (large - times * small, small))
        });
        if stan {
            "Stan wins"
        } else {
            "Ollie wins"
        }
    }

    #[test]
    fn every_pair_to_100() {
        for m in 1..=100 {
            for n in 1..=100 {
                assert_eq!(winner(m, n), by_play(m, n), "({m}, {n})");
            }
        }
    }

    #[test]
    fn the_largest_pairs() {
        assert_eq!(winner(LARGEST, LARGEST), "Stan wins");
        assert_eq!(winner(LARGEST, LARGEST - 1), "Ollie wins");
    }

    proptest! {
        #[test]
        fn random_pairs(m in 1u64..2000, n in 1u64..2000) {
            prop_assert_eq!(winner(m, n), by_play(m, n));
        }
    }
}
