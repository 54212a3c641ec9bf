//! Coin-turning games: the values of single heads under one of five rules, and who wins a row.
//!
//! A row is the sum of its heads, so its value is the XOR of theirs.
//!
//! Cost: that of `CoinRule::table`: linear, but for `up-to t` and `exactly t` with t ≥ 4.
//! Shown: every rule on every row of up to 6 coins against a search of the game (of up to 10 coins in `shared`).

use std::io::BufRead;
use std::process::ExitCode;

use itertools::Itertools;
use proconio::input;
use proconio::source::{RuntimeReadable, Source};
use shared::input::{missing, refusal, run, Tokens, Whole};
use shared::{nim_sum, CoinRule, ValuesTooLarge};

struct Game {
    rule: CoinRule,
    /// Coin 1 first; true for heads.
    row: Vec<bool>,
}

fn main() -> ExitCode {
    run(|tokens| Ok(answer(&read(tokens)?)?))
}

fn read(tokens: &mut Tokens) -> Result<Game, String> {
    input! { from &mut *tokens, rule: with ReadRule, coins: with Whole("n", 0..=u64::MAX) }
    let (rule, coins) = (rule?, coins?);
    input! { from tokens, row: with ReadRow { coins } }
    Ok(Game { rule, row: row? })
}

/// Reads a rule, as `Result<CoinRule, String>`.
struct ReadRule;

impl RuntimeReadable for ReadRule {
    type Output = Result<CoinRule, String>;

    fn read<R: BufRead, S: Source<R>>(self, source: &mut S) -> Self::Output {
        const RULES: &str = "`up-to t`, `exactly t`, `run k`, `near k` or `ruler`";
        let rule: fn(u64) -> CoinRule =
            match source.next_token().ok_or_else(|| missing("rule", RULES))? {
                "up-to" => CoinRule::UpTo,
                "exactly" => CoinRule::Exactly,
                "run" => CoinRule::Run,
                "near" => CoinRule::Near,
                "ruler" => return Ok(CoinRule::Ruler),
                other => return Err(refusal("rule", other, RULES)),
            };
        input! { from source, number: with Whole("number of coins in the rule", 1..=u64::MAX) }
        Ok(rule(number?))
    }
}

/// Reads a row of so many coins, as `Result<Vec<bool>, String>`.
struct ReadRow {
    coins: u64,
}

impl RuntimeReadable for ReadRow {
    type Output = Result<Vec<bool>, String>;

    fn read<R: BufRead, S: Source<R>>(self, source: &mut S) -> Self::Output {
        let expected = format!("n = {} letters H or T", self.coins);
        if self.coins == 0 && source.is_empty() {
            return Ok(Vec::new());
        }
        let letters = source
            .next_token()
            .ok_or_else(|| missing("row", &expected))?;
        let count = letters.chars().count();
        if count as u64 != self.coins {
            let name = format!("row of {count} letter{}", if count == 1 { "" } else { "s" });
            return Err(refusal(name, letters, expected));
        }
        let coin = |letter| match letter {
            'H' => Ok(true),
            'T' => Ok(false),
            _ => Err(refusal(
                format_args!("row, letter {letter:?}"),
                letters,
                &expected,
            )),
        };
        letters.chars().map(coin).collect()
    }
}

fn answer(game: &Game) -> Result<String, ValuesTooLarge> {
    let table = game.rule.table(game.row.len())?;
    let heads = table.iter().zip(&game.row).filter(|(_, &heads)| heads);
    let value = nim_sum(heads.map(|(&value, _)| value));
    let winner = if value != 0 { "First" } else { "Second" };
    Ok(format!("{}\n{winner}", table.iter().join(" ")))
}

#[cfg(test)]
mod tests {
    use super::{answer, Game};
    use shared::{first_player_wins, grundy_by_play, CoinRule};

    /// The rows that one move leads to: any choice of coins that the rule in words allows.
    fn moves(rule: CoinRule, row: &[bool]) -> Vec<Vec<bool>> {
        let choices = 1u32..1 << row.len();
        let turned =
            choices.map(|choice| (0..row.len()).filter(|i| choice >> i & 1 == 1).collect());
        let allowed = turned.filter(|turned: &Vec<usize>| {
            let (first, last) = (turned[0], turned[turned.len() - 1]);
            let count = turned.len() as u64;
            let neighbours = last - first + 1 == turned.len();
            row[last]
                && match rule {
                    CoinRule::UpTo(t) => count <= t,
                    CoinRule::Exactly(t) => count == t,
                    CoinRule::Run(k) => count == k && neighbours,
                    CoinRule::Near(k) if count == 1 => (last as u64) < k,
                    CoinRule::Near(k) => count == 2 && (last - first) as u64 <= k,
                    CoinRule::Ruler => neighbours,
                }
        });
        let turn = |turned: Vec<usize>| {
            let mut row = row.to_vec();
            for i in turned {
                row[i] = !row[i];
            }
            row
        };
        allowed.map(turn).collect()
    }

    #[test]
    fn every_rule_and_row_of_up_to_6_coins() {
        let with_number: [fn(u64) -> CoinRule; 4] = [
            CoinRule::UpTo,
            CoinRule::Exactly,
            CoinRule::Run,
            CoinRule::Near,
        ];
        let rules = with_number
            .into_iter()
            .flat_map(|rule| (1..=7).map(rule))
            .chain([CoinRule::Ruler]);
        for rule in rules {
            for coins in 0..=6 {
                let values = (0..coins).map(|coin| {
                    let single = (0..coins).map(|i| i == coin).collect();
                    grundy_by_play(single, |row: &Vec<bool>| moves(rule, row)).to_string()
                });
                let values = values.collect::<Vec<_>>().join(" ");
                for row in 0u32..1 << coins {
                    let row: Vec<bool> = (0..coins).map(|i| row >> i & 1 == 1).collect();
                    let first = first_player_wins(row.clone(), |row| moves(rule, row));
                    let winner = if first { "First" } else { "Second" };
                    let found = answer(&Game {
                        rule,
                        row: row.clone(),
                    })
                    .unwrap();
                    assert_eq!(found, format!("{values}\n{winner}"), "{rule:?}, {row:?}");
                }
            }
        }
    }
}
