//! `cargo judge new`: the files of a problem, ready to be filled in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail, Context, Result};
use cargo_metadata::{Metadata, MetadataCommand};

mod manifest;
mod taken;

use crate::stdout::print;
use crate::workspace::Workspace;
use manifest::{Inherited, Manifest};
use taken::Taken;

/// Make a problem: folder, manifest, a main.rs to start from, READMEs, an empty sample to paste into
#[derive(clap::Args)]
pub struct Args {
    /// Name of the package, its binary and its folders: a lower-case letter, then such letters, digits, `_` and `-`
    #[arg(value_name = "NAME")]
    name: String,

    /// Take the sources from this folder, and what its Cargo.toml says of edition, dependencies and features
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

const DEPENDENCIES: &str = "
[dependencies]
itertools = { workspace = true }
proconio = { workspace = true }
shared = { workspace = true }
";

const MAIN: &str = r#"//! NAME: what is asked, and how it is answered.

use itertools::Itertools;
use proconio::input;

/// The answer.
fn solve(heaps: &[usize]) -> String {
    heaps.iter().join(" ")
}

fn main() {
    input! {
        heaps: [usize],
    }
    println!("{}", solve(&heaps));
}
"#;

const README: &str = "\
# NAME

[The problem at its judge](https://)

[简体中文](README.zh-CN.md)

## The game

What is given, what a move is, who wins, what to print.

## Analysis

The Grundy value, and why.

## Complexity
";

const README_ZH: &str = "\
# NAME

[原题](https://)

[English](README.md)

## 题意

给出什么，一步怎么走，谁获胜，输出什么。

## 分析

SG 值及其证明。

## 复杂度
";

/// A file to write, and what is to be in it.
type File = (PathBuf, Vec<u8>);

/// Runs `cargo judge new`.
pub fn run(args: &Args) -> Result<ExitCode> {
    let name = &args.name;
    let workspace = Workspace::find()?;
    refuse_bad_name(name, &workspace)?;
    let problem = workspace.root().join("problems").join(name);
    let testdata = workspace.root().join("testdata").join(name);
    for folder in [&problem, &testdata] {
        if folder.exists() {
            bail!("{} is there already", workspace.shown(folder).display());
        }
    }
    let taken = match &args.from {
        Some(from) => taken::read(from, &workspace, &problem)?,
        None => skeleton(name),
    };

    // Everything has been read: from here on nothing stays if something fails.
    let files = files(name, &workspace, &taken, &problem, &testdata)?;
    if let Err(error) = write(&files).and_then(|()| accepted(name, &workspace)) {
        for folder in [&problem, &testdata] {
            let _ = fs::remove_dir_all(folder);
        }
        return Err(error);
    }
    if !taken.left_out.is_empty() {
        eprintln!("note: not taken over: {}", taken.left_out.join(", "));
    }
    let shown = files
        .iter()
        .map(|(path, _)| format!("{}\n", workspace.shown(path).display()));
    print(&shown.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_bad_name(name: &str, workspace: &Workspace) -> Result<()> {
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-');
    if !fits {
        bail!("{name:?} cannot be a problem's name: expected a lower-case letter, then lower-case letters, digits, `_` or `-`");
    }
    let port = |of: &str| {
        name.strip_prefix(of)
            .is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    if ["con", "prn", "aux", "nul"].contains(&name) || port("com") || port("lpt") {
        bail!("{name:?} cannot be a problem's name: Windows has a device that is called so, and no folder can be");
    }
    if let Some(folder) = workspace.package(name) {
        bail!(
            "the package in {} is called {name} already: expected a name that no package of the workspace has",
            workspace.shown(folder).display()
        );
    }
    Ok(())
}

/// What there is where nothing is taken over.
fn skeleton(name: &str) -> Taken {
    Taken {
        manifest: usual(),
        files: vec![(PathBuf::from("src/main.rs"), filled(MAIN, name))],
        left_out: Vec::new(),
    }
}

/// The manifest of a problem that uses what most of them use.
fn usual() -> Manifest {
    Manifest {
        rest: DEPENDENCIES.parse().expect("these are tables"),
        ..Manifest::default()
    }
}

fn filled(template: &str, name: &str) -> Vec<u8> {
    template.replace("NAME", name).into_bytes()
}

/// All files of the problem, with those that nobody has written yet.
fn files(
    name: &str,
    workspace: &Workspace,
    taken: &Taken,
    problem: &Path,
    testdata: &Path,
) -> Result<Vec<File>> {
    let inherited = Inherited::of(manifest::read(&workspace.root().join("Cargo.toml"))?);
    let manifest = taken.manifest.text(name, &inherited);
    let mut files = vec![(problem.join("Cargo.toml"), manifest.into_bytes())];
    let place = |(file, content): &File| (problem.join(file), content.clone());
    files.extend(taken.files.iter().map(place));
    for (readme, text) in [("README.md", README), ("README.zh-CN.md", README_ZH)] {
        let path = problem.join(readme);
        if !files.iter().any(|(file, _)| *file == path) {
            files.push((path, filled(text, name)));
        }
    }
    for sample in ["sample.in", "sample.out"] {
        files.push((testdata.join(sample), Vec::new()));
    }
    Ok(files)
}

fn write(files: &[File]) -> Result<()> {
    for (path, content) in files {
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(path, content))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Asks cargo whether the workspace is still one: there are names that only cargo knows to be forbidden.
fn accepted(name: &str, workspace: &Workspace) -> Result<()> {
    let mut command = MetadataCommand::new();
    command.current_dir(workspace.root());
    let metadata =
        ask(&mut command).map_err(|reason| anyhow!("cargo does not take {name}: {reason}"))?;
    let is_there = metadata
        .workspace_packages()
        .iter()
        .any(|package| package.name == name);
    if !is_there {
        bail!("problems/{name} would be no part of the workspace: expected \"problems/*\" among the members in Cargo.toml");
    }
    Ok(())
}

/// What cargo knows of a workspace, without the packages of others; else why it does not, in one line.
fn ask(command: &mut MetadataCommand) -> Result<Metadata, String> {
    command.no_deps().exec().map_err(|error| match error {
        cargo_metadata::Error::CargoMetadata { stderr } => reason(&stderr),
        error => error.to_string(),
    })
}

/// The last two causes that cargo tells: what it stopped at, and why. That a manifest is at fault goes without saying.
fn reason(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    let start = lines.iter().position(|line| line.starts_with("error: "));
    let causes: Vec<String> = lines[start.unwrap_or(0)..]
        .split(|line| *line == "Caused by:")
        .map(|cause| {
            let until = cause.iter().position(|line| line.is_empty());
            let cause = cause[..until.unwrap_or(cause.len())].join(" ");
            cause.trim_start_matches("error: ").to_owned()
        })
        .collect();
    let last = &causes[causes.len().saturating_sub(2)..];
    match last {
        [at, why] if at.starts_with("failed to parse manifest") => why.clone(),
        _ => last.join(": "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_s_reason_is_one_line() {
        let said = "warning: x\n\nerror: failed to load `a`\nby `b`\n\nCaused by:\n  failed to load `c`\n\nCaused by:\n  no\n  way\n\n  hint\n";
        assert_eq!(reason(said), "failed to load `c`: no way");
        let said = "error: failed to load `a`\n\nCaused by:\n  failed to parse manifest at `a`\n\nCaused by:\n  no way\n";
        assert_eq!(reason(said), "no way");
        assert_eq!(reason("error: it is\nso\n\nthis may help\n"), "it is so");
    }
}
