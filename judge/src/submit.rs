//! `cargo judge bundle`: where the one file to submit goes, what it is tried on, and what its first lines say.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf, MAIN_SEPARATOR};
use std::process::ExitCode;
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use similar::TextDiff;

use crate::bundle::{self, Bundle, Header, Program, Request, Sample, Stage};
use crate::output::print;
use crate::test::{process, verdict};
use crate::workspace::{Problem, Workspace};

/// Make one file of a solution and all it uses, to paste into a judge
///
/// Exit status: 0 when all went well, 1 when --check finds a file that is not what it should be, 2 when there is no bundle.
#[derive(clap::Args)]
#[command(
    override_usage = "cargo judge bundle [OPTIONS] <NAME>...\n       cargo judge bundle [OPTIONS] --all"
)]
pub struct Args {
    /// The problems, by their names or their folders
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    names: Vec<String>,
    /// All problems of the workspace
    #[arg(long)]
    all: bool,
    /// Write here instead of problems/NAME/submit.rs; `-` is stdout
    #[arg(short, long, value_name = "FILE", conflicts_with = "all")]
    output: Option<PathBuf>,
    /// Write nothing; show how the committed file differs, and exit 1 if it does
    #[arg(long)]
    check: bool,
    /// Leave this crate to the judge; several with commas between them, or as several options
    #[arg(long, value_name = "CRATE", value_delimiter = ',')]
    external: Vec<String>,
    /// The smallest file instead of one for reading
    #[arg(long)]
    minify: bool,
}

/// Runs `cargo judge bundle`.
pub fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let (problems, strays) = workspace.select(&args.names)?;
    if args.output.is_some() && args.names.len() > 1 {
        bail!("-o takes one problem at a time");
    }
    if args.check && args.output.as_deref().is_some_and(is_stdout) {
        bail!("--check compares with a file: there is none with `-o -`");
    }
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let spinner = spinner();
    // The compilers get the signal as well; a program that is tried on a case does not.
    let (folder, shown) = (scratch.path().to_owned(), spinner.clone());
    ctrlc::set_handler(move || {
        process::stop();
        shown.finish_and_clear();
        let _ = fs::remove_dir_all(&folder);
        say!("interrupted");
        std::process::exit(130);
    })
    .context("cannot handle Ctrl-C")?;
    let mut stale = false;
    let mut failed = 0;
    for stray in strays {
        say!("error: {}: {}", stray.place(), stray.reason);
        failed += 1;
    }
    for problem in problems {
        match one(args, &workspace, problem, scratch.path(), &spinner) {
            Ok(fresh) => stale |= !fresh,
            // The handler ends all.
            Err(_) if process::is_stopped() => loop {
                thread::park();
            },
            Err(error) => {
                say!("error: {}: {error:#}", problem.name);
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

/// On stderr; draws nothing where that is no terminal.
fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}")
        .expect("the template is constant");
    ProgressBar::new_spinner().with_style(style)
}

/// Bundles a problem; whether the file that was there is what it should be, or now is.
fn one(
    args: &Args,
    workspace: &Workspace,
    problem: &Problem,
    scratch: &Path,
    spinner: &ProgressBar,
) -> Result<bool> {
    let start = Instant::now();
    let file = args
        .output
        .clone()
        .unwrap_or_else(|| workspace.submission(problem));
    refuse_other(&file, args.output.is_some(), workspace)?;
    if !args.check {
        refuse_unwritable(&file)
            .with_context(|| format!("cannot write {}", workspace.shown(&file).display()))?;
    }
    let (samples, has_empty) = samples(workspace, problem)?;
    let folder = workspace.folder(problem);
    let mut command = format!("cargo judge bundle {}", problem.name);
    let externals = args.external.iter().map(|name| name.trim().to_owned());
    let externals: BTreeSet<String> = externals.collect();
    for external in &externals {
        command += &format!(" --external {external}");
    }
    if args.minify {
        command += " --minify";
    }
    let (title, link) = title(&problem.source, &folder);
    let first = Once::new();
    let progress = |stage: Stage| {
        spinner.set_message(format!("{}: {stage}", problem.name));
        first.call_once(|| {
            spinner.reset();
            spinner.enable_steady_tick(Duration::from_millis(100));
        });
    };
    let bundle = bundle::bundle(&Request {
        program: Program {
            folder: &folder,
            package: &problem.name,
            binary: &problem.binary,
            // Where there is none yet, nothing is lost.
            is_locked: args.check && workspace.root().join("Cargo.lock").exists(),
        },
        external: &externals.into_iter().collect::<Vec<_>>(),
        scratch,
        minify: args.minify,
        header: Header {
            title: title.unwrap_or_else(|| problem.name.clone()),
            link,
            command: command.clone(),
        },
        samples: &samples,
        progress: &progress,
    });
    spinner.finish_and_clear();
    let bundle = bundle?;
    for note in &bundle.notes {
        say!("note: {}: {note}", problem.name);
    }
    if samples.is_empty() {
        let name = &problem.name;
        match has_empty {
            true => say!("note: {name}: the cases in testdata/{name} are empty; expected one to try the file on"),
            false => say!("note: {name}: testdata has no case to try the file on"),
        }
    }
    let shown = match is_stdout(&file) {
        true => "stdout".to_owned(),
        false => workspace.shown(&file).display().to_string(),
    };
    if args.check {
        return check(&file, &shown, &bundle, &command, args);
    }
    if is_stdout(&file) {
        print(&bundle.text)?;
    } else {
        write_whole(&file, &bundle.text).with_context(|| format!("cannot write {shown}"))?;
    }
    let kib = |bytes: usize| bytes as f64 / 1024.0;
    let agree = match bundle.agreeing {
        0 if samples.is_empty() => "not tried".to_owned(),
        0 => "not compared".to_owned(),
        1 => "1 case agrees".to_owned(),
        n => format!("{n} cases agree"),
    };
    say!(
        "{shown}: {:.1} KiB, from {:.1} KiB of source, {agree}, {:.1} s",
        kib(bundle.text.len()),
        kib(bundle.inlined),
        start.elapsed().as_secs_f64()
    );
    Ok(true)
}

/// Somebody's own file is not to be written over.
fn refuse_other(file: &Path, is_given: bool, workspace: &Workspace) -> Result<()> {
    // A pipe has nothing to lose.
    if is_stdout(file) || !file.is_file() {
        return Ok(());
    }
    let shown = workspace.shown(file).display();
    let old = fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let words = verdict::without_mark(&old);
    if !words.iter().all(u8::is_ascii_whitespace) && !words.starts_with(b"// @generated by ") {
        let expected = match is_given {
            true => "another name",
            false => "`-o` with another name",
        };
        bail!("{shown} is no file that the bundler wrote: expected {expected}, or delete it first");
    }
    Ok(())
}

/// What cannot be written is told before the work, not after it.
fn refuse_unwritable(file: &Path) -> io::Result<()> {
    if is_stdout(file) {
        return Ok(());
    }
    if file.is_file() || file.is_dir() {
        return fs::OpenOptions::new().write(true).open(file).map(drop);
    }
    // A pipe or a device is left alone until there is something to say.
    if file.exists() {
        return Ok(());
    }
    if file
        .as_os_str()
        .to_string_lossy()
        .ends_with(['/', MAIN_SEPARATOR])
    {
        return Err(io::Error::other("there is no such folder"));
    }
    let folder = |file: &Path| {
        let folder = file.parent().unwrap_or(Path::new(""));
        match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder.to_owned(),
        }
    };
    let mut around = folder(file);
    // A link to what is not there yet.
    if let Ok(target) = fs::read_link(file) {
        around = folder(&around.join(target));
    }
    tempfile::tempfile_in(around).map(drop)
}

fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// A path as every shell takes it for one word, if there are no quotes, dollars and the like in it: those each has its own way with.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-./:_".contains(c);
    match path.chars().all(is_plain) {
        true => path.to_owned(),
        false => format!("\"{path}\""),
    }
}

/// Tells whether the committed file is what the bundler makes, and if not, how it differs.
fn check(file: &Path, shown: &str, bundle: &Bundle, command: &str, args: &Args) -> Result<bool> {
    let mut remedy = command.to_owned();
    if let Some(output) = &args.output {
        remedy += &format!(" -o {}", quoted(&output.display().to_string()));
    }
    let old = match fs::read_to_string(file) {
        Ok(old) => old.replace("\r\n", "\n"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            say!("there is no {shown}: run {remedy}");
            return Ok(false);
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    };
    if same(&old, bundle) {
        say!("{shown} is up to date");
        return Ok(true);
    }
    let diff = TextDiff::from_lines(&old, &bundle.text);
    let diff = diff
        .unified_diff()
        .header(shown, "what it should be")
        .to_string();
    print(&diff)?;
    say!("{shown} is stale: run {remedy}");
    Ok(false)
}

/// Writes a file so that nothing of it stays that is not whole: where that fails, the old one is there as before.
fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    // The file that a link leads to.
    let Ok(file) = fs::canonicalize(file) else {
        let is_link = file.is_symlink();
        return fs::write(file, text).inspect_err(|_| {
            if !is_link {
                let _ = fs::remove_file(file);
            }
        });
    };
    let old = fs::metadata(&file)?;
    let folder = file.parent().filter(|_| old.is_file());
    let new = folder.and_then(|folder| {
        tempfile::Builder::new()
            .prefix(".submit")
            .tempfile_in(folder)
            .ok()
    });
    // No file can take the place of a device, and none be made in a folder that is read only.
    let Some(mut new) = new else {
        return fs::write(&file, text);
    };
    new.write_all(text.as_bytes())?;
    let new = new.into_temp_path();
    fs::set_permissions(&new, old.permissions())?;
    new.persist(&file).map_err(|error| error.error)
}

/// Whether the committed file is what the bundler makes. Without rustfmt only the layout may differ.
fn same(old: &str, bundle: &Bundle) -> bool {
    let dense = |text: &str| {
        text.split_whitespace()
            .collect::<String>()
            .replace(['{', '}', ','], "")
    };
    let new = &bundle.text;
    old == new || !bundle.formatted && dense(old) == dense(new) && bundle::has_tokens_of(old, new)
}

/// The cases of a problem that somebody has filled in, and whether there are others.
fn samples(workspace: &Workspace, problem: &Problem) -> Result<(Vec<Sample>, bool)> {
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let (mut samples, mut has_empty) = (Vec::new(), false);
    for case in workspace.cases(problem)? {
        let case = match case {
            Ok(case) => case,
            // That there is no case at all is said in the end.
            Err(misfit) => {
                let input = misfit.input.as_deref().map(read).transpose()?;
                let instead = match &input {
                    Some(input) if input.is_empty() => "; the input is empty, and is not tried",
                    Some(_) => "; the file is compared with the program alone",
                    None => "",
                };
                let input = input.filter(|input| !input.is_empty());
                if misfit.name != problem.name {
                    say!("note: {}: {}{instead}", misfit.name, misfit.reason);
                }
                let name = misfit.name.rsplit('/').next().unwrap_or_default();
                samples.extend(input.map(|input| Sample {
                    name: name.to_owned(),
                    input,
                    expected: None,
                }));
                continue;
            }
        };
        let (input, expected) = (read(&case.input)?, read(&case.expected)?);
        if input.is_empty() && expected.is_empty() {
            has_empty = true;
        } else {
            samples.push(Sample {
                name: case.name,
                input,
                expected: Some(expected),
            });
        }
    }
    Ok((samples, has_empty))
}

/// Title and link of a problem: from the first line of its program, `//! Title: <https://…>`, or else the heading of its README and the
/// first link there.
fn title(source: &Path, folder: &Path) -> (Option<String>, Option<String>) {
    let read = |file: &Path| fs::read_to_string(file).unwrap_or_default();
    let main = read(source);
    let doc = main
        .trim_start_matches('\u{feff}')
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//!"));
    if let Some((before, found)) = doc.and_then(link) {
        let before = without_links(before.trim_start_matches(['#', ' ']));
        let before = before.trim_end_matches(['<', '(', '[', ':', ' ']);
        return (Some(before.to_owned()), Some(found));
    }
    let readme = read(&folder.join("README.md"));
    let heading = readme.lines().find_map(|line| line.strip_prefix("# "));
    let found = readme.lines().find_map(link).map(|(_, found)| found);
    let heading = heading.map(|heading| without_links(heading.trim()));
    (heading.filter(|heading| !heading.is_empty()), found)
}

/// A line of markdown with the text of each link `[text](…)` for it; the last one may be cut off.
fn without_links(line: &str) -> String {
    let Some(middle) = line.find("](") else {
        return line.to_owned();
    };
    let mut open = 0;
    let begins = |(_, c): &(usize, char)| {
        open += i32::from(*c == ']') - i32::from(*c == '[');
        open < 0
    };
    let Some((start, _)) = line[..middle].char_indices().rev().find(begins) else {
        return line.to_owned();
    };
    let mut open = 0;
    let behind = &line[middle + 1..];
    let ends = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        c == ')' && open == 0
    };
    let rest = behind.find(ends).map_or("", |end| &behind[end + 1..]);
    let (before, text) = (&line[..start], &line[start + 1..middle]);
    format!("{before}{text}{}", without_links(rest))
}

/// The first link of a line, and what is before it.
fn link(line: &str) -> Option<(&str, String)> {
    let at = line.find("https://").or_else(|| line.find("http://"))?;
    // A bracket ends it that does not begin in it.
    let mut open = 0;
    let ends = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open < 0 || c == '>' || c.is_whitespace()
    };
    let end = line[at..].find(ends).map_or(line.len(), |n| at + n);
    // Nor does what ends the sentence belong to it; in Chinese it need not have a blank behind it.
    let found = &line[at..end];
    let found = found
        .split(['。', '，', '、', '；', '）', '》', '」'])
        .next()
        .unwrap_or(found);
    let found = found.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (!found.ends_with("://")).then(|| (&line[..at], found.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_no_links() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let url = "https://a.b/c";
        for (doc, heading, expected) in [
            (format!("A: <{url}>"), "B", "A"),
            (format!("# [A [1] (2)]({url}): {url}"), "B", "A [1] (2)"),
            (format!("AtCoder [A]({url})"), "B", "AtCoder A"),
            ("A".to_owned(), "[B](https://x.y/(z)), 1", "B, 1"),
            ("A".to_owned(), "[x](y) [B] (1) f[0](z", "x [B] (1) f0"),
            ("A".to_owned(), "f[0] > [B]", "f[0] > [B]"),
        ] {
            fs::write(folder.path().join("src/main.rs"), format!("//! {doc}\n")).unwrap();
            fs::write(folder.path().join("README.md"), format!("# {heading}\n")).unwrap();
            assert_eq!(
                title(&folder.path().join("src/main.rs"), folder.path())
                    .0
                    .unwrap(),
                expected
            );
        }
    }

    #[test]
    fn a_link_ends_with_its_brackets() {
        let found = |line| link(line).map(|(_, link)| link);
        assert_eq!(
            found("[a](https://a.b/c?d=(e)) f").as_deref(),
            Some("https://a.b/c?d=(e)")
        );
        assert_eq!(
            found("a: <https://a.b/(c)>").as_deref(),
            Some("https://a.b/(c)")
        );
        assert_eq!(found("[a](https://)"), None);
    }

    #[test]
    fn what_ends_a_sentence_is_no_part_of_a_link() {
        for line in [
            "See https://a.b/c.",
            "题目：https://a.b/c。请看",
            "（https://a.b/c）",
            "At https://a.b/c, or d",
        ] {
            let found = link(line).map(|(_, link)| link);
            assert_eq!(found.as_deref(), Some("https://a.b/c"));
        }
        let kept = link("https://a.b/c.html?d=1.5").map(|(_, link)| link);
        assert_eq!(kept.as_deref(), Some("https://a.b/c.html?d=1.5"));
    }

    #[test]
    fn a_heading_of_nothing_is_no_title() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("README.md"), "# \n\nhttps://a.b/c\n").unwrap();
        let (title, link) = title(&folder.path().join("main.rs"), folder.path());
        assert_eq!((title, link.as_deref()), (None, Some("https://a.b/c")));
    }

    #[test]
    fn what_shells_read_otherwise_is_quoted() {
        for plain in ["a/b-1.rs", "../题.rs"] {
            assert_eq!(quoted(plain), plain);
        }
        for path in ["a b.rs", "a&b.rs", "(a).rs", "a;b", "*.rs", r"C:\a.rs"] {
            assert_eq!(quoted(path), format!("\"{path}\""));
        }
    }

    #[test]
    fn without_rustfmt_only_the_layout_may_differ() {
        let bundle = |text: &str| Bundle {
            text: text.to_owned(),
            notes: Vec::new(),
            inlined: 0,
            agreeing: 0,
            formatted: false,
        };
        let new = bundle("// a\nfn main() { f(1, \"a b\") }\n");
        assert!(same(
            "// a\nfn main() {\n    f(\n        1,\n        \"a b\",\n    )\n}\n",
            &new
        ));
        let one = "// a\nfn main() {\n    f(1, |b| b + 1)\n}\n";
        assert!(same(
            one,
            &bundle("// a\nfn main() { f(1, |b| { b + 1 }) }\n")
        ));
        assert!(!same(
            one,
            &bundle("// a\nfn main() { f(1, |b| { b - 1 }) }\n")
        ));
        assert!(!same("// a\nfnmain() { f(1, \"a b\") }\n", &new));
        assert!(!same("// a\nfn main() { f(1, \"ab\") }\n", &new));
        assert!(!same("// b\nfn main() { f(1, \"a b\") }\n", &new));
    }
}
