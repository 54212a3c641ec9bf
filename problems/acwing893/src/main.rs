//! AcWing 893, Nim with a set of moves: <https://www.acwing.com/problem/content/895/>
//!
//! A heap is a subtraction game: its value comes from a table or a period that it proves. XOR adds the heaps.
//!
//! Cost: O(H · k) time for a largest heap H, or up to a period, and k moves; O(max s) memory.
//! Shown: every set within 1…5 with three heaps to 6, and random larger games, against a search of the game.

use std::process::ExitCode;

use proconio::input;
use shared::input::{run, Counted, Tokens, Whole};
use shared::{nim_sum, NoPeriod, SubtractionSet};

struct Game {
    set: SubtractionSet,
    heaps: Vec<u64>,
}

fn main() -> ExitCode {
    run(|tokens| Ok(answer(&read(tokens)?)?))
}

fn read(tokens: &mut Tokens) -> Result<Game, String> {
    input! {
        from tokens,
        moves: with Counted(Whole("k", 1..=u64::MAX), Whole("s", 1..=u64::MAX)),
        heaps: with Counted(Whole("n", 1..=u64::MAX), Whole("h", 0..=u64::MAX)),
    }
    let set = SubtractionSet::new(moves?);
    Ok(Game { set, heaps: heaps? })
}

fn answer(game: &Game) -> Result<&'static str, NoPeriod> {
    let values = game.set.values(&game.heaps)?;
    Ok(if nim_sum(values) != 0 { "Yes" } else { "No" })
}

#[cfg(test)]
mod tests {
    use super::{answer, Game};
    use proptest::prelude::*;
    use shared::{first_player_wins, SubtractionSet};

    fn check(moves: &[u64], heaps: &[u64]) {
        let wins = first_player_wins(heaps.to_vec(), |heaps: &Vec<u64>| {
            let mut options = Vec::new();
            for (i, &heap) in heaps.iter().enumerate() {
                for &s in moves.iter().filter(|&&s| s <= heap) {
                    let mut option = heaps.clone();
                    option[i] -= s;
                    options.push(option);
                }
            }
            options
        });
        let game = Game {
            set: SubtractionSet::new(moves.iter().copied()),
            heaps: heaps.to_vec(),
        };
        let expected = if wins { "Yes" } else { "No" };
        assert_eq!(
            answer(&game),
            Ok(expected),
            "moves {moves:?}, heaps {heaps:?}"
        );
    }

    #[test]
    fn every_set_within_1_to_5_with_three_heaps_to_6() {
        for chosen in 1u32..1 << 5 {
            let moves: Vec<u64> = (1..=5).filter(|s| chosen >> (s - 1) & 1 == 1).collect();
            for a in 0..=6 {
                for b in 0..=a {
                    for c in 0..=b {
                        check(&moves, &[a, b, c]);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_games(
            moves in prop::collection::vec(1u64..30, 1..8),
            heaps in prop::collection::vec(0u64..25, 1..4),
        ) {
            check(&moves, &heaps);
        }
    }
}
