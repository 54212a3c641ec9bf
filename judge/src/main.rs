//! `cargo judge`: the command line, nothing else.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// `eprintln!`, but for its panic where stderr is a pipe that was closed.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::output::say(format_args!($($words)*))
    };
}

mod bundle;
mod in_order;
mod new;
mod numbers;
mod output;
mod pattern;
mod submit;
mod test;
mod workspace;

/// Works on the problems of this workspace.
///
/// Exit status: 0 when all went well, 1 when a case failed or `bundle --check` found a file that is not what it should be, 2 when the
/// command could not be carried out.
#[derive(Parser)]
#[command(name = "cargo judge", bin_name = "cargo judge", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(test::Args),
    Bundle(submit::Args),
    New(new::Args),
    Pattern(pattern::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Bundle(args) => submit::run(&args),
        Command::New(args) => new::run(&args),
        Command::Pattern(args) => pattern::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        say!("error: {error:#}");
        ExitCode::from(2)
    })
}
