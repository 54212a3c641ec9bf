//! `cargo judge bundle`: where the one file to submit goes, what it is tried on, and what its first lines say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{bail, Context, Result};
use similar::TextDiff;

use crate::bundle::{self, Bundle, Header, Program, Request, Sample};
use crate::workspace::{Problem, Workspace};

/// Makes one file of a solution and all it uses, to paste into a judge.
#[derive(clap::Args)]
pub struct Args {
    /// The problems.
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    names: Vec<String>,
    /// All problems of the workspace.
    #[arg(long)]
    all: bool,
    /// Write here instead of problems/NAME/submit.rs; `-` is stdout.
    #[arg(short, long, value_name = "FILE", conflicts_with = "all")]
    output: Option<PathBuf>,
    /// Write nothing; show how the committed file differs, and exit 1 if it does.
    #[arg(long)]
    check: bool,
    /// Leave this crate to the judge (may be given several times).
    #[arg(long, value_name = "CRATE")]
    external: Vec<String>,
    /// The smallest file instead of one for reading.
    #[arg(long)]
    minify: bool,
}

/// Runs `cargo judge bundle`.
pub fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let problems = workspace.select(&args.names)?;
    if args.output.is_some() && args.names.len() > 1 {
        bail!("-o takes one problem at a time");
    }
    let mut stale = false;
    let mut failed = 0;
    for problem in problems {
        match one(args, &workspace, problem) {
            Ok(fresh) => stale |= !fresh,
            Err(error) => {
                eprintln!("error: {}: {error:#}", problem.name);
                failed += 1;
            }
        }
    }
    Ok(if failed > 0 {
        ExitCode::from(2)
    } else {
        ExitCode::from(u8::from(stale))
    })
}

/// Bundles a problem; whether the file that was there is what it should be, or now is.
fn one(args: &Args, workspace: &Workspace, problem: &Problem) -> Result<bool> {
    let start = Instant::now();
    let samples = samples(workspace, problem)?;
    let folder = workspace.folder(problem);
    let mut command = format!("cargo judge bundle {}", problem.name);
    for external in &args.external {
        command += &format!(" --external {external}");
    }
    if args.minify {
        command += " --minify";
    }
    let (title, link) = title(&folder);
    let bundle = bundle::bundle(&Request {
        program: Program {
            folder: &folder,
            package: &problem.name,
            binary: &problem.name,
        },
        external: &args.external,
        minify: args.minify,
        header: Header {
            title: title.unwrap_or_else(|| problem.name.clone()),
            link,
            command,
        },
        samples: &samples,
    })?;
    for note in &bundle.notes {
        eprintln!("note: {}: {note}", problem.name);
    }
    if samples.is_empty() {
        eprintln!(
            "note: {}: testdata has no case to try the file on",
            problem.name
        );
    }
    let file = args
        .output
        .clone()
        .unwrap_or_else(|| workspace.submission(problem));
    let shown = workspace.shown(&file).display().to_string();
    if args.check {
        let old = fs::read_to_string(&file)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        if same(&old, &bundle) {
            eprintln!("{shown} is up to date");
            return Ok(true);
        }
        let diff = TextDiff::from_lines(&old, &bundle.text);
        print!(
            "{}",
            diff.unified_diff().header(&shown, "what it should be")
        );
        eprintln!("{shown} is stale: run cargo judge bundle {}", problem.name);
        return Ok(false);
    }
    if file.as_os_str() == "-" {
        print!("{}", bundle.text);
    } else {
        fs::write(&file, &bundle.text).with_context(|| format!("cannot write {shown}"))?;
    }
    eprintln!(
        "{shown}: {:.1} KiB of {:.0} KiB, {} cases agree, {:.1} s",
        bundle.text.len() as f64 / 1024.0,
        bundle.inlined as f64 / 1024.0,
        samples.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(true)
}

/// Whether the committed file is what the bundler makes. Without rustfmt only the layout may differ.
fn same(old: &str, bundle: &Bundle) -> bool {
    let dense = |text: &str| {
        text.split_whitespace()
            .collect::<String>()
            .replace(",)", ")")
    };
    old == bundle.text || !bundle.formatted && dense(old) == dense(&bundle.text)
}

/// The cases of a problem that somebody has filled in.
fn samples(workspace: &Workspace, problem: &Problem) -> Result<Vec<Sample>> {
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut samples = Vec::new();
    for case in workspace.cases(problem)?.into_iter().flatten() {
        let (input, expected) = (read(&case.input)?, read(&case.expected)?);
        if !input.is_empty() || !expected.is_empty() {
            samples.push(Sample {
                name: case.name,
                input,
                expected: Some(expected),
            });
        }
    }
    Ok(samples)
}

/// Title and link of a problem: from the first line of main.rs, `//! Title: <https://…>`, or else the heading of its README and the
/// first link there.
fn title(folder: &Path) -> (Option<String>, Option<String>) {
    let read = |file: PathBuf| fs::read_to_string(file).unwrap_or_default();
    let main = read(folder.join("src").join("main.rs"));
    let doc = main
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//!"));
    if let Some((before, found)) = doc.and_then(link) {
        let before = before.trim_end_matches(['<', '(', '[', ':', ' ']).trim();
        return (Some(before.to_owned()), Some(found));
    }
    let readme = read(folder.join("README.md"));
    let heading = readme.lines().find_map(|line| line.strip_prefix("# "));
    let found = readme.lines().find_map(link).map(|(_, found)| found);
    (heading.map(|heading| heading.trim().to_owned()), found)
}

/// The first link of a line, and what is before it.
fn link(line: &str) -> Option<(&str, String)> {
    let at = line.find("https://").or_else(|| line.find("http://"))?;
    let end = line[at..]
        .find(|c: char| c == ')' || c == '>' || c.is_whitespace())
        .map_or(line.len(), |n| at + n);
    let found = &line[at..end];
    (!found.ends_with("://")).then(|| (&line[..at], found.to_owned()))
}
