//! `cargo judge new`: the files of a problem, ready to be filled in.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail, Context, Result};
use cargo_metadata::MetadataCommand;
use toml_edit::Item;

mod manifest;
mod taken;

use crate::output::print;
use crate::workspace::{ask, Workspace};
use manifest::{Inherited, Manifest};
use taken::Taken;

/// Make a problem: folder, manifest, a main.rs to start from, READMEs, an empty sample to paste into
#[derive(clap::Args)]
pub struct Args {
    /// Name of the package, its binary and its folders: a lower-case letter, then such letters, digits, `_` and `-`
    #[arg(value_name = "NAME")]
    name: String,

    /// Take the sources from this folder, and what its Cargo.toml says of edition, dependencies and features; or from the .rs file of
    /// one program, where a package has several
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
//!
//! Cost: linear.
//! Shown: two heaps to 7 against a search of the game.

use std::process::ExitCode;

use proconio::input;
use shared::input::{run, Counted, Tokens, Whole};
use shared::{nim, nim_sum};

fn main() -> ExitCode {
    run(|tokens| Ok(answer(&read(tokens)?)))
}

fn read(tokens: &mut Tokens) -> Result<Vec<u64>, String> {
    input! { from tokens, heaps: with Counted(Whole("n", 1..=u64::MAX), Whole("heap", 0..=u64::MAX)) }
    heaps
}

fn answer(heaps: &[u64]) -> &'static str {
    let values = heaps.iter().map(|&heap| nim(heap) as usize);
    if nim_sum(values) != 0 {
        "Yes"
    } else {
        "No"
    }
}

#[cfg(test)]
mod tests {
    use super::answer;
    use shared::first_player_wins;

    /// The heaps that one move leads to.
    fn moves(heaps: &[u64]) -> Vec<Vec<u64>> {
        let take = |i: usize| {
            (0..heaps[i]).map(move |left| {
                let mut after = heaps.to_vec();
                after[i] = left;
                after
            })
        };
        (0..heaps.len()).flat_map(take).collect()
    }

    #[test]
    fn two_heaps_to_7() {
        for heaps in (0..64).map(|n| vec![n % 8, n / 8]) {
            let first = first_player_wins(heaps.clone(), |heaps: &Vec<u64>| moves(heaps));
            let expected = if first { "Yes" } else { "No" };
            assert_eq!(answer(&heaps), expected, "{heaps:?}");
        }
    }
}
"#;

const README: &str = "\
# NAME

[简体中文](README.zh-CN.md) · [the problem at its judge](https://)

## The problem

What is given, what a move is, who wins, what to print.

## The analysis

The Grundy value, and why.

## Cost

Time and memory.

## Evidence

* `src/main.rs`: what is compared with what, and how far.
";

const README_ZH: &str = "\
# NAME

[English](README.md) · [原题](https://)

## 题意

给出什么，一步怎么走，谁获胜，输出什么。

## 分析

SG 值及其证明。

## 代价

时间与内存。

## 依据

* `src/main.rs`：什么与什么对拍，到多大。
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
    let around = [&problem, &testdata].map(|folder| folder.parent().map(Path::to_owned));
    let new = around
        .into_iter()
        .flatten()
        .filter(|folder| !folder.exists());
    let new: Vec<PathBuf> = new.collect();
    if let Err(error) = write(&files).and_then(|()| accepted(name, &workspace)) {
        for folder in [&problem, &testdata].into_iter().chain(&new) {
            let _ = fs::remove_dir_all(folder);
        }
        return Err(error);
    }
    if !taken.left_out.is_empty() {
        say!("note: not taken over: {}", taken.left_out.join(", "));
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
    if locked(workspace)?.contains(name) {
        bail!("{name:?} cannot be a problem's name: a package in Cargo.lock is called so, and `cargo test -p {name}` would not know which is meant");
    }
    Ok(())
}

/// The names of all packages of others that the workspace is built of: of its own one may be there that has gone since.
fn locked(workspace: &Workspace) -> Result<BTreeSet<String>> {
    let file = workspace.root().join("Cargo.lock");
    // Cargo makes one when it builds.
    if !file.exists() {
        return Ok(BTreeSet::new());
    }
    let lock = manifest::read(&file)?;
    let packages = lock.get("package").and_then(Item::as_array_of_tables);
    let names = packages.into_iter().flatten();
    let names = names.filter(|package| package.contains_key("source"));
    let names = names.filter_map(|package| package.get("name")?.as_str());
    Ok(names.map(str::to_owned).collect())
}

/// What there is where nothing is taken over.
fn skeleton(name: &str) -> Taken {
    Taken {
        manifest: usual(),
        files: vec![(Path::new("src").join("main.rs"), filled(MAIN, name))],
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
    let metadata = ask(command.no_deps())
        .map_err(|reason| anyhow!("cargo does not take {name}: {}", without_manifest(&reason)))?;
    let is_there = metadata
        .workspace_packages()
        .iter()
        .any(|package| package.name == name);
    if !is_there {
        bail!("problems/{name} would be no part of the workspace: expected \"problems/*\" among the members in Cargo.toml");
    }
    Ok(())
}

/// Why cargo does not take a manifest that nobody has to be told of.
fn without_manifest(reason: &str) -> &str {
    let of = reason.strip_prefix("failed to parse manifest at ");
    of.and_then(|rest| rest.split_once(": "))
        .map_or(reason, |(_, why)| why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_goes_without_saying_is_not_named() {
        assert_eq!(
            without_manifest("failed to parse manifest at `a`: no way: no"),
            "no way: no"
        );
        assert_eq!(without_manifest("no way: no"), "no way: no");
    }
}
