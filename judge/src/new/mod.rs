//! `cargo judge new`: the files of a problem, ready to be filled in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, Context, Result};

use crate::workspace::Workspace;

/// Make a problem: folder, manifest, a main.rs to start from, READMEs, an empty sample to paste into
#[derive(clap::Args)]
pub struct Args {
    /// Name of the package, its binary and its folders: lower-case letters, digits, `_` and `-`
    #[arg(value_name = "NAME")]
    name: String,

    /// Take src, and the dependencies in Cargo.toml, from this folder instead
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

const MANIFEST: &str = r#"[package]
name = "NAME"
description = "NAME: what it asks, in a few words"
version.workspace = true
edition.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

[dependencies]
itertools = { workspace = true }
proconio = { workspace = true }
shared = { workspace = true }
"#;

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

/// Runs `cargo judge new`.
pub fn run(args: &Args) -> Result<ExitCode> {
    let name = &args.name;
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-');
    if !fits {
        bail!("{name:?} cannot be a problem's name: expected a lower-case letter, then letters, digits, `_` or `-`");
    }
    let workspace = Workspace::find()?;
    let problem = workspace.root().join("problems").join(name);
    let testdata = workspace.root().join("testdata").join(name);
    for folder in [&problem, &testdata] {
        if folder.exists() {
            bail!("{} is there already", workspace.shown(folder).display());
        }
    }
    let source = match &args.from {
        Some(from) => Some(source(from)?),
        None => None,
    };

    // Everything has been read: from here on only writing can fail.
    let write = |path: PathBuf, text: &str| -> Result<()> {
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text.replace("NAME", name)))
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", workspace.shown(&path).display());
        Ok(())
    };
    match source {
        Some(source) => {
            write(
                problem.join("Cargo.toml"),
                &source.manifest.unwrap_or_else(|| MANIFEST.to_owned()),
            )?;
            for (file, text) in source.files {
                let path = problem.join("src").join(file);
                fs::create_dir_all(path.parent().expect("a file lies in a folder"))
                    .and_then(|()| fs::write(&path, text))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                println!("{}", workspace.shown(&path).display());
            }
        }
        None => {
            write(problem.join("Cargo.toml"), MANIFEST)?;
            write(problem.join("src").join("main.rs"), MAIN)?;
        }
    }
    write(problem.join("README.md"), README)?;
    write(problem.join("README.zh-CN.md"), README_ZH)?;
    write(testdata.join("sample.in"), "")?;
    write(testdata.join("sample.out"), "")?;
    Ok(ExitCode::SUCCESS)
}

/// What is taken over from another folder.
struct Source {
    manifest: Option<String>,
    /// Below `src`.
    files: Vec<(PathBuf, String)>,
}

fn source(from: &Path) -> Result<Source> {
    let mut files = Vec::new();
    let src = from.join("src");
    let top = if src.is_dir() { &src } else { from };
    collect(top, top, &mut files)?;
    files.sort();
    if !files.iter().any(|(file, _)| file == Path::new("main.rs")) {
        bail!("there is no main.rs in {} or its src", from.display());
    }
    let manifest = match fs::read_to_string(from.join("Cargo.toml")) {
        Ok(text) => {
            // Ours, with the dependencies from there.
            let text = text.replace("\r\n", "\n");
            let own = MANIFEST.find("[dependencies]").expect("it is there");
            let dependencies: String = sections(&text)
                .filter(|section| {
                    section.starts_with("[dependencies") || section.starts_with("[dev-dependencies")
                })
                .collect();
            let heading = if dependencies.contains("[dependencies]") {
                ""
            } else {
                "[dependencies]\n"
            };
            Some(format!("{}{heading}{dependencies}", &MANIFEST[..own]))
        }
        Err(_) => None,
    };
    Ok(Source { manifest, files })
}

/// The sections of a manifest, each from its `[heading]`.
fn sections(text: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = text
        .match_indices('[')
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || text[..at].ends_with('\n'))
        .collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(|(start, end)| &text[start..end])
}

fn collect(top: &Path, folder: &Path, files: &mut Vec<(PathBuf, String)>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                collect(top, &path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let below = path
                .strip_prefix(top)
                .expect("it was found there")
                .to_owned();
            files.push((below, text));
        }
    }
    Ok(())
}
