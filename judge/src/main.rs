//! `cargo judge`: the command line, nothing else.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Works on the problems of this workspace.
#[derive(Parser)]
#[command(name = "cargo judge", bin_name = "cargo judge", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {}

fn main() -> ExitCode {
    match Cli::parse().command {}
}
