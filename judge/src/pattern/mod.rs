//! `cargo judge pattern`: what there is to see in the Grundy values of a game.
//!
//! [`rule`] says which game, [`findings`] finds out about it, [`text`] and [`picture`] show it in the colours of
//! [`palette`].

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::numbers::whole;
use crate::output::{print, printed};
use rule::Rule;

mod findings;
mod palette;
mod picture;
mod rule;
mod text;

/// Study the Grundy values of a game: period, P-positions, the values in rows of one period
///
/// A period is given only where a theorem proves it, and the theorem is named.
///
/// Examples:
///   cargo judge pattern set 1 3 4
///   cargo judge pattern octal 0.77 -n 143 --svg kayles.svg
///   cargo judge pattern coins up-to 3
///   cargo judge pattern euclid
///
/// Exit status: 0 when all went well, 2 when a rule or a number is refused.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    subcommand_value_name = "set|up-to|any|prime-powers|octal|coins|euclid|wythoff|nim",
    subcommand_help_heading = "Rules"
)]
pub struct Args {
    #[command(subcommand)]
    rule: Rule,

    /// The last heap, coin or row of the board to show [default: heap 119, coin 64, row 20]
    #[arg(short, global = true, value_name = "N", value_parser = whole(1..=100_000), allow_negative_numbers = true)]
    n: Option<u64>,

    /// Also draw it: one cell a heap, rows of a period; `-` is stdout, and then nothing else is printed
    #[arg(long, global = true, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Finds out about the game and shows it.
pub fn run(args: &Args) -> Result<ExitCode> {
    let findings = args.rule.study(args.n)?;
    if let Some(path) = &args.svg {
        if path.as_os_str() == "-" {
            print(&picture::draw(&findings).to_string())?;
            return Ok(ExitCode::SUCCESS);
        }
        fs::write(path, picture::draw(&findings))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let columns = match console::Term::stdout().size_checked() {
        Some((_, columns @ 1..)) => columns.into(),
        _ => 100,
    };
    let shown = text::show(&findings, columns);
    printed(anstream::stdout().lock().write_all(shown.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}
