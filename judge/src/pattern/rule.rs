//! Which game: the rules in the words that `sg_table` and `coin_turning` read.

use anyhow::{ensure, Result};
use shared::{
    euclid_grundy, CoinRule, GrundySearch, OctalGame, Period, SubtractionSet, TakingRule,
};

use crate::numbers::whole;

use super::findings::{Findings, Grid, Line, Repeats};

/// More moves and larger ones make no pattern that one could look at.
const LARGEST_MOVE: u64 = 1_000_000;
const LARGEST_BOARD: u64 = 200;

#[derive(clap::Subcommand)]
pub enum Rule {
    /// Take one of the listed numbers of stones (with no count in front of them)
    Set {
        /// How many stones a move takes; none, and nobody ever moves
        #[arg(value_name = "S", value_parser = whole(1..=LARGEST_MOVE), allow_negative_numbers = true)]
        moves: Vec<u64>,

        /// Look for a period in the heaps to H; five times the largest move at least
        #[arg(long, value_name = "H", default_value_t = 1_000_000,
              value_parser = whole(1..=SubtractionSet::LARGEST_HEAP), allow_negative_numbers = true)]
        within: u64,
    },
    /// Take 1, 2, … or M stones
    UpTo {
        /// How many stones a move takes at most
        #[arg(value_name = "M", value_parser = whole(1..=LARGEST_MOVE), allow_negative_numbers = true)]
        most: u64,
    },
    /// Take any number of stones
    Any,
    /// Take a power of a prime, or one stone
    PrimePowers,
    /// Take stones and perhaps split the heap: an octal code, as 0.77 for Kayles
    Octal {
        /// Digit k for taking k stones: 1 if they may be all, 2 if a heap may be left, 4 if two, or the sum of these
        #[arg(value_name = "CODE")]
        code: OctalGame,

        /// Look for a period in the heaps to H; the time grows with the square
        #[arg(long, value_name = "H", default_value_t = 10_000,
              value_parser = whole(1..=1_000_000), allow_negative_numbers = true)]
        within: u64,
    },
    /// Turn coins; the rightmost goes from heads to tails
    #[command(
        subcommand_value_name = "up-to|exactly|run|near|ruler",
        subcommand_help_heading = "Rules"
    )]
    Coins {
        #[command(subcommand)]
        rule: Coins,
    },
    /// Take a multiple of the smaller of two numbers from the larger, until one is 0
    Euclid,
    /// Two heaps: take any number from one, or as many from both
    Wythoff,
    /// Two heaps: take any number from one
    Nim,
}

#[derive(clap::Subcommand)]
pub enum Coins {
    /// Turn 1, 2, … or T coins
    UpTo(Count),
    /// Turn T coins
    Exactly(Count),
    /// Turn K neighbours
    Run(Count),
    /// Turn coin n and one of the K to its left, or coin n alone where n ≤ K
    Near(Count),
    /// Turn any number of neighbours
    Ruler,
}

#[derive(clap::Args)]
pub struct Count {
    /// How many coins
    #[arg(value_name = "COINS", value_parser = whole(1..=LARGEST_MOVE), allow_negative_numbers = true)]
    coins: u64,
}

impl Rule {
    /// What there is to say of the game to `n`, or as far as is usual.
    ///
    /// # Errors
    ///
    /// Where that is more than the rule allows.
    pub fn study(&self, n: Option<u64>) -> Result<Findings> {
        let heap = n.unwrap_or(119);
        Ok(match self {
            Rule::Set { moves, within } => Findings::Line(subtraction(moves, *within, heap)?),
            Rule::UpTo { most } => Findings::Line(bounded(
                format!("take 1 to {most} stones"),
                TakingRule::UpTo(*most),
                most + 1,
                format!("g(n) = n mod {}, in closed form", most + 1),
                heap,
            )),
            Rule::PrimePowers => Findings::Line(bounded(
                "take a power of a prime, or one stone".to_string(),
                TakingRule::PrimePowers,
                6,
                "g(n) = n mod 6: 1 to 5 are prime powers, and no multiple of 6 is one".to_string(),
                heap,
            )),
            Rule::Any => Findings::Line(Line {
                game: "take any number of stones".to_string(),
                item: "heap",
                first: 0,
                values: (0..=heap).map(shared::nim).collect(),
                shown: heap as usize + 1,
                repeats: Repeats::Never("g(n) = n, in closed form".to_string()),
            }),
            Rule::Octal { code, within } => Findings::Line(octal(code, *within, heap)),
            Rule::Coins { rule } => Findings::Line(rule.study(n.unwrap_or(64))?),
            Rule::Euclid => Findings::Grid(Grid {
                game: "Euclid's game: take a multiple of the smaller number from the larger"
                    .to_string(),
                values: board(n, |a, b| Ok(euclid_grundy(a, b)))?,
                theorem:
                    "lost where a number is 0, and where a < b < φa or b < a < φb, φ = (1 + √5)/2 \
                          (Cole and Davie 1969)",
                golden_ratio: true,
            }),
            Rule::Wythoff => {
                let mut search = GrundySearch::new(|&(a, b): &(u64, u64)| {
                    let both = (1..=a.min(b)).map(move |d| (a - d, b - d));
                    rook(a, b).chain(both).map(|p| [p])
                });
                Findings::Grid(Grid {
                    game: "Wythoff's game: take from one of two heaps, or as many from both"
                        .to_string(),
                    values: board(n, |a, b| {
                        Ok(search.grundy((a, b)).map(|value| value as u64)?)
                    })?,
                    theorem:
                        "lost at (⌊kφ⌋, ⌊kφ²⌋) and its mirror image, φ = (1 + √5)/2 (Wythoff 1907)",
                    golden_ratio: true,
                })
            }
            Rule::Nim => {
                let mut search = GrundySearch::new(|&(a, b): &(u64, u64)| rook(a, b).map(|p| [p]));
                Findings::Grid(Grid {
                    game: "Nim with two heaps".to_string(),
                    values: board(n, |a, b| {
                        Ok(search.grundy((a, b)).map(|value| value as u64)?)
                    })?,
                    theorem: "g(a, b) = a XOR b, so lost where a = b (Bouton 1901)",
                    golden_ratio: false,
                })
            }
        })
    }
}

/// The positions with less of one of two heaps.
fn rook(a: u64, b: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..a)
        .map(move |x| (x, b))
        .chain((0..b).map(move |y| (a, y)))
}

fn board(n: Option<u64>, mut value: impl FnMut(u64, u64) -> Result<u64>) -> Result<Vec<Vec<u64>>> {
    let n = n.unwrap_or(20);
    ensure!(
        n <= LARGEST_BOARD,
        "-n {n}: expected at most {LARGEST_BOARD} for a game of two numbers"
    );
    (0..=n)
        .map(|a| (0..=n).map(|b| value(a, b)).collect())
        .collect()
}

fn subtraction(moves: &[u64], within: u64, heap: u64) -> Result<Line> {
    let set = SubtractionSet::new(moves.iter().copied());
    let largest = set.moves().last().copied().unwrap_or(0);
    // As far as `SubtractionSet::period` looks.
    let looked_at = within
        .max(10_000 + 5 * largest)
        .min(SubtractionSet::LARGEST_HEAP);
    let period = set.period(looked_at);
    let repeats = match period {
        Some(period) if largest == 0 => Repeats::Proven(period, "there is no move".to_string()),
        Some(period) => Repeats::Proven(
            period,
            format!(
                "from heap {} on, {} {} later; {} (Golomb 1966)",
                period.pre_period,
                counted(largest, "value returns", "values in a row return"),
                counted(period.period, "heap", "heaps"),
                match largest {
                    1 => "it decides all values after it",
                    _ => "they decide all values after them",
                },
            ),
        ),
        None => Repeats::NotProven { looked_at },
    };
    let table = set.table(heap.max(last_of_first_period(period)))?;
    Ok(Line {
        game: format!("take {} stones", alternatives(set.moves())),
        item: "heap",
        first: 0,
        values: table.values().map(|value| value as u64).collect(),
        shown: heap as usize + 1,
        repeats,
    })
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `1, 3 or 4`, cut where it is long.
fn alternatives(moves: &[u64]) -> String {
    let words = |moves: &[u64]| {
        let words: Vec<String> = moves.iter().map(u64::to_string).collect();
        words.join(", ")
    };
    match moves {
        [] => "no".to_string(),
        [only] => only.to_string(),
        [first, .., last] if moves.len() > 12 => {
            format!(
                "{}, … or {last} ({} numbers from {first} to {last})",
                words(&moves[..8]),
                moves.len()
            )
        }
        [others @ .., last] => format!("{} or {last}", words(others)),
    }
}

fn last_of_first_period(period: Option<Period>) -> u64 {
    period.map_or(0, |Period { pre_period, period }| pre_period + period - 1)
}

/// A rule whose closed form is n mod `period`.
fn bounded(game: String, rule: TakingRule, period: u64, proof: String, heap: u64) -> Line {
    let proven = Period {
        pre_period: 0,
        period,
    };
    let last = heap.max(last_of_first_period(Some(proven)));
    Line {
        game,
        item: "heap",
        first: 0,
        values: (0..=last).filter_map(|n| rule.closed_form(n)).collect(),
        shown: heap as usize + 1,
        repeats: Repeats::Proven(proven, proof),
    }
}

fn octal(code: &OctalGame, within: u64, heap: u64) -> Line {
    let looked_at = within.max(heap);
    let period = code.period(looked_at as usize);
    let repeats = match period {
        Some(proven @ Period { pre_period, period }) => {
            let from = pre_period.max(1);
            let most = code.largest_move() as u64;
            let proof = format!(
                "g(n + {period}) = g(n) from n = {from} to {}, which is 2·{from} + {period} + {most} − 1, \
                 so for all n from {from} on (Guy and Smith 1956)",
                2 * from + period + most - 1
            );
            Repeats::Proven(proven, proof)
        }
        None => Repeats::NotProven { looked_at },
    };
    let last = heap.max(last_of_first_period(period));
    let values = code.table(last as usize);
    Line {
        game: match name(code) {
            Some(name) => format!("octal game {code}, {name}"),
            None => format!("octal game {code}"),
        },
        item: "heap",
        first: 0,
        values: values.into_iter().map(|value| value as u64).collect(),
        shown: heap as usize + 1,
        repeats,
    }
}

/// As *Winning Ways* calls it.
fn name(code: &OctalGame) -> Option<&'static str> {
    match code.to_string().as_str() {
        "0.77" => Some("Kayles"),
        "0.07" => Some("Dawson's Kayles"),
        "0.137" => Some("Dawson's chess"),
        "0.007" => Some("Treblecross"),
        _ => None,
    }
}

impl Coins {
    fn study(&self, coins: u64) -> Result<Line> {
        let from_coin_1 = |period| Period {
            pre_period: 1,
            period,
        };
        let never = |why: &str| Repeats::Never(why.to_string());
        let (rule, game, repeats) = match *self {
            Coins::UpTo(Count { coins: 1 }) | Coins::Exactly(Count { coins: 1 }) => (
                CoinRule::UpTo(1),
                "turn one coin".to_string(),
                Repeats::Proven(from_coin_1(1), "g(n) = 1, in closed form".to_string()),
            ),
            Coins::UpTo(Count { coins: t }) => (
                CoinRule::UpTo(t),
                format!("turn 1 to {t} coins"),
                never("the head of coin n may be moved to any coin before, so all values differ"),
            ),
            Coins::Exactly(Count { coins: t }) => (
                CoinRule::Exactly(t),
                format!("turn {t} coins"),
                never(&format!(
                    "behind the first {} coins, which have the value 0, all values differ",
                    t - 1
                )),
            ),
            Coins::Run(Count { coins: k }) => (
                CoinRule::Run(k),
                format!("turn {} coins", counted(k, "", "neighbouring").trim_end()),
                Repeats::Proven(
                    from_coin_1(k),
                    format!("g(n) = 1 where {k} divides n, else 0, in closed form"),
                ),
            ),
            Coins::Near(Count { coins: k }) => (
                CoinRule::Near(k),
                format!(
                    "turn coin n and one of the {k} to its left, or coin n alone where n ≤ {k}"
                ),
                Repeats::Proven(
                    from_coin_1(k + 1),
                    format!("g(n) = n mod {}, in closed form", k + 1),
                ),
            ),
            Coins::Ruler => (
                CoinRule::Ruler,
                "turn any number of neighbouring coins".to_string(),
                never("g(n) is the largest power of 2 that divides n, in closed form"),
            ),
        };
        let last = match &repeats {
            Repeats::Proven(period, _) => coins.max(last_of_first_period(Some(*period))),
            _ => coins,
        };
        let values = rule.table(last as usize)?;
        Ok(Line {
            game: format!("coins: {game}"),
            item: "coin",
            first: 1,
            values: values.into_iter().map(|value| value as u64).collect(),
            shown: coins as usize,
            repeats,
        })
    }
}
