//! Proof that the bundle is what it should be: it compiles alone without a warning, and answers like the program.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use anyhow::{bail, Context, Result};

use super::build::Profile;
use super::compiler::{Compiler, Diagnostic, Fix, MIGRATIONS};
use super::editions::capturing;
use super::shake;
use super::text::source::Edits;
use crate::test::process::{self, End, Limits};
use crate::test::verdict;

/// An input to try the bundle on, and the output that is expected, if it is known.
#[derive(Clone)]
pub struct Sample {
    pub name: String,
    pub input: Vec<u8>,
    pub expected: Option<Vec<u8>>,
}

/// More than any judge allows.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    memory: 4 << 30,
    output: 64 << 20,
};

/// Where the compiler tells of the bodies of the final text.
const BODIES: &str = "final.mir";

const EDITIONS: [&str; 2] = ["2021", "2024"];

/// Has the compiler tell where edition 2024 borrows more, and how to write that it need not (since 1.82).
const CAPTURES: [&str; 1] = ["--force-warn=impl_trait_overcaptures"];

/// Has the compiler tell what edition 2024 wants `unsafe` for.
const UNSAFE: [&str; 3] = [
    "--force-warn=missing_unsafe_on_extern",
    "--force-warn=unsafe_attr_outside_unsafe",
    "--force-warn=deprecated_safe_2024",
];

/// Checks the text under both editions at a time.
fn check(compiler: &Compiler, text: &str) -> Result<[Vec<Diagnostic>; 2]> {
    thread::scope(|scope| {
        let newer = scope.spawn(|| compiler.check(text, EDITIONS[1], &[]));
        let lints = [&MIGRATIONS[..], &UNSAFE, &CAPTURES].concat();
        let older = compiler.check(text, EDITIONS[0], &lints)?;
        Ok([older, newer.join().expect("the check does not panic")?])
    })
}

/// Makes the text compile without warnings under both editions, or says why it does not compile.
pub fn silence(compiler: &Compiler, mut text: String) -> Result<String> {
    // Each of the kinds of changes once or twice: should one make way for another without end, `build` tells.
    for _ in 0..8 {
        match more_silent(compiler, &text)? {
            Some(more) => text = more,
            None => break,
        }
    }
    Ok(text)
}

/// The text with the next change on the way to no warnings under both editions, if there is one, or why it does not compile: code that was
/// written for edition 2021 is changed as the compiler itself suggests for 2024, and items that had to stay get an `#[allow]`.
pub fn more_silent(compiler: &Compiler, text: &str) -> Result<Option<String>> {
    let found = check(compiler, text)?;
    if let Some(newer) = fixed(text, &found[0], &MIGRATIONS) {
        return Ok(Some(newer));
    }
    let error = |found: &[Diagnostic]| {
        let mut errors = found.iter().filter(|d| d.is_error());
        let error = errors.find(|d| !shake::is_lint(d) && !d.spans.is_empty());
        error.cloned()
    };
    if let (None, Some(_)) = (error(&found[0]), error(&found[1])) {
        // Since 2024 what `impl Trait` stands for borrows from all arguments, where it does not say that it does not.
        let newer = fixed(text, &found[0], &UNSAFE);
        if let Some(newer) = newer.or_else(|| borrowing_no_more(text, &found[0])) {
            return Ok(Some(newer));
        }
    }
    for (edition, diagnostics) in EDITIONS.iter().zip(&found) {
        if let Some(error) = error(diagnostics) {
            let whose = shake::module_of(text, &error)?;
            let whose = whose.map_or("it".to_owned(), |name| format!("the code of `{name}`"));
            bail!(
                "{whose} does not compile with edition {edition}, which judges use:\n{}",
                error.shown()
            );
        }
    }
    let mut warnings = found.concat();
    let asked = [&MIGRATIONS[..], &UNSAFE, &CAPTURES].concat();
    warnings.retain(|warning| !is_about(warning, &asked));
    // Whether that was all `build` tells.
    shake::quiet(text, &warnings)
}

fn is_about(diagnostic: &Diagnostic, lints: &[&str]) -> bool {
    lints.iter().any(|flag| diagnostic.is_about(flag))
}

/// As a bound of `impl Trait`.
const FOR_EVER: &str = " + 'static";

/// The text with what some lints suggest; `None` if they say nothing.
fn fixed(text: &str, found: &[Diagnostic], lints: &[&str]) -> Option<String> {
    let mut edits = Edits::default();
    for (range, with) in suggested(found, lints) {
        edits.replace(range.clone(), with);
    }
    (!edits.is_empty()).then(|| edits.apply(text))
}

fn suggested<'f>(found: &'f [Diagnostic], lints: &'f [&str]) -> impl Iterator<Item = &'f Fix> {
    let about = found.iter().filter(|found| is_about(found, lints));
    // A comment that there is still something to do is nothing for the file.
    let is_code = |(_, with): &&Fix| !with.trim_start().starts_with("//");
    about.flat_map(|lint| &lint.fixes).filter(is_code)
}

/// The text with each `impl Trait` that would borrow from more in edition 2024 saying that it does not; `None` if there is none.
fn borrowing_no_more(text: &str, found: &[Diagnostic]) -> Option<String> {
    let fixes = suggested(found, &CAPTURES).map(|(range, with)| {
        let with = match with.as_str() {
            // What borrows nothing and is of no argument's type lives for ever, and that is no news to older compilers.
            " + use<>" if !text[..range.start].ends_with(FOR_EVER) => FOR_EVER,
            with => with,
        };
        (range.clone(), with.to_owned())
    });
    let edits = capturing::in_2024_only(text, &fixes.collect::<Vec<_>>())?;
    Some(edits.apply(text))
}

/// How much the optimiser does.
#[derive(Clone, Copy, PartialEq)]
pub enum Level {
    /// Nothing: there is no case to try the programs on.
    Unused,
    /// Nothing, but for the newer edition of what is not large: the programs end at once.
    None,
    Some,
}

/// How much text the optimiser does not get where a program ends at once.
const LARGE: usize = 64 << 10;

/// Compiles the final text alone, under both editions, and gives the executables, which need not do the same: when values are dropped
/// depends on the edition. Or tells what the compiler says. It may say nothing at all if that is wanted, and else nothing that is denied.
pub fn build(
    compiler: &Compiler,
    text: &str,
    silent: bool,
    older: Level,
) -> Result<Result<Vec<PathBuf>, String>> {
    let file = compiler.scratch.join("final.rs");
    std::fs::write(&file, text)?;
    let executable = |edition: &str| {
        let name = format!("final{edition}{}", std::env::consts::EXE_SUFFIX);
        compiler.scratch.join(name)
    };
    let externs = compiler.externs(text);
    // One is enough to see what the optimiser makes of it, and of much code that takes longer than all the rest.
    let is_large = text.len() > LARGE;
    let level = |edition: &str| match older {
        Level::Unused => 0,
        Level::None if is_large => 0,
        _ if edition != EDITIONS[0] => 2,
        Level::Some => 1,
        Level::None => 0,
    };
    let start = |edition: &str| {
        let mut command = compiler.command();
        let mut emit = OsString::from("--emit=link");
        // The optimiser changes what they tell.
        if edition == EDITIONS[0] && older != Level::Some {
            emit.push(",mir=");
            emit.push(compiler.scratch.join(BODIES));
        }
        command
            .args(["--edition", edition, "--crate-name", "bundle"])
            .args(["-D", "warnings"])
            .args(&externs)
            .arg(&file)
            // As judges do, but for what makes no difference to answers and takes long.
            .arg(format!("-Copt-level={}", level(edition)))
            .arg(emit)
            .args(["-Clto=off", "-o"])
            .arg(executable(edition))
            .current_dir(&compiler.scratch)
            .stderr(Stdio::piped());
        if silent && edition == EDITIONS[0] {
            command.args(MIGRATIONS);
        }
        command.spawn().context("cannot start rustc")
    };
    let [older, newer] = EDITIONS.map(start);
    let outputs = [older?.wait_with_output()?, newer?.wait_with_output()?];
    for (edition, output) in EDITIONS.iter().zip(&outputs) {
        if !output.status.success() || silent && !output.stderr.is_empty() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Ok(Err(format!("with edition {edition}:\n{stderr}")));
        }
    }
    Ok(Ok(EDITIONS.map(executable).into()))
}

/// What the compiler told of the bodies of the final text, if it did.
pub fn bodies(scratch: &Path) -> Option<String> {
    fs::read_to_string(scratch.join(BODIES)).ok()
}

/// A program that takes no longer does little more than to start, on a machine that has other things to do.
const AT_ONCE: Duration = Duration::from_millis(8);

/// So long it may take without the optimiser.
const AT_ONCE_UNOPTIMISED: Duration = Duration::from_millis(50);

/// Where an unoptimised program takes longer, it is time to build the other.
const LIMITS_UNOPTIMISED: Limits = Limits {
    time: Duration::from_secs(2),
    ..LIMITS
};

/// What the program answers to each of the samples, if that is right, and how much the optimiser has to do for another to do the same.
pub fn answers(
    program: &Path,
    profile: Profile,
    samples: &[Sample],
    scratch: &Path,
) -> Result<(Vec<Answer>, Level)> {
    let (limits, at_once) = match profile {
        Profile::Release => (&LIMITS, AT_ONCE),
        Profile::Quick => (&LIMITS_UNOPTIMISED, AT_ONCE_UNOPTIMISED),
    };
    let mut took = Duration::ZERO;
    let answer = |sample: &Sample| {
        let (answer, said, time) = run(program, sample, scratch, limits)
            .with_context(|| format!("the program, on case {}", sample.name))?;
        took += time;
        if !answer.success && profile == Profile::Quick {
            bail!("on case {} it fails: {said}", sample.name);
        }
        let Some(expected) = &sample.expected else {
            return Ok(answer);
        };
        let expected = verdict::without_mark(expected);
        if std::str::from_utf8(expected).is_err() {
            bail!("what case {} expects is not UTF-8", sample.name);
        }
        if !answer.success {
            bail!("on case {} the program itself fails: {said}", sample.name);
        }
        let expected = Answer {
            output: expected.to_vec(),
            success: true,
        };
        let texts = [&answer, &expected].map(|of| String::from_utf8_lossy(&of.output));
        if verdict::first_difference(&texts[0], &texts[1]).is_some() {
            let (line, [answer, expected]) = difference(&answer, &expected);
            bail!(
                "on case {} the program itself answers in line {line}\n{answer}\nwhere it should be\n{expected}",
                sample.name
            );
        }
        Ok(answer)
    };
    let answers: Result<Vec<Answer>> = samples.iter().map(answer).collect();
    let level = match took.checked_div(samples.len() as u32) {
        None => Level::Unused,
        Some(each) if each <= at_once => Level::None,
        Some(_) => Level::Some,
    };
    Ok((answers?, level))
}

/// Runs the executables of the bundle on the samples, and compares with what the program answers. Tells on which of them the program does
/// not always answer the same, be it by a clock or by the order of a map: there is nothing to compare with then.
pub fn verify(
    executables: &[PathBuf],
    program: &Path,
    samples: &[Sample],
    answers: &[Answer],
    scratch: &Path,
) -> Result<Vec<String>> {
    let mut unsteady = Vec::new();
    for (sample, original) in samples.iter().zip(answers) {
        let mut varies = false;
        for (edition, executable) in EDITIONS.iter().zip(executables) {
            let (bundle, said, _) = run(executable, sample, scratch, &LIMITS)
                .with_context(|| format!("the bundle, on case {}", sample.name))?;
            if bundle == *original {
                continue;
            }
            let ends_so = bundle.success == original.success;
            if ends_so && (varies || is_unsteady(program, sample, original, scratch)?) {
                varies = true;
                continue;
            }
            let (line, [bundle, original]) = difference(&bundle, original);
            let said = if said.is_empty() {
                said
            } else {
                format!("\nThe bundle: {said}")
            };
            bail!(
                "on case {} the bundle, compiled with edition {edition}, answers in line {line}\n{bundle}\nand the program\n{original}{said}",
                sample.name
            );
        }
        unsteady.extend(varies.then(|| sample.name.clone()));
    }
    Ok(unsteady)
}

/// So often a program is asked whether it always answers the same.
const TRIES: usize = 3;

/// Whether a program answers a sample otherwise than before.
fn is_unsteady(program: &Path, sample: &Sample, before: &Answer, scratch: &Path) -> Result<bool> {
    for _ in 0..TRIES {
        let (now, ..) = run(program, sample, scratch, &LIMITS)
            .with_context(|| format!("the program, on case {}", sample.name))?;
        if now != *before {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a program prints, and how it ends.
#[derive(PartialEq, Eq)]
pub struct Answer {
    output: Vec<u8>,
    success: bool,
}

/// The first line in which two answers differ, and what it is in each. If none does, it is what comes behind them: blanks, or a failure.
fn difference(one: &Answer, other: &Answer) -> (usize, [String; 2]) {
    let [a, b] = [one, other].map(|answer| String::from_utf8_lossy(&answer.output));
    let behind = verdict::lines(&a).count() + 1;
    let line = verdict::first_difference(&a, &b).unwrap_or(behind);
    let shown = [(one, &a), (other, &b)].map(|(answer, text)| {
        let found = verdict::lines(text).nth(line - 1);
        let found = found.map_or("nothing".to_owned(), |line| {
            format!("{:?}", line.chars().take(200).collect::<String>())
        });
        let end = if answer.success { "" } else { ", and fails" };
        format!("{found}{end}")
    });
    (line, shown)
}

/// Runs a program on a sample; where it fails, tells how. And how long it took.
fn run(
    binary: &Path,
    sample: &Sample,
    scratch: &Path,
    limits: &Limits,
) -> Result<(Answer, String, Duration)> {
    let input = scratch.join("input");
    fs::write(&input, &sample.input).context("cannot make a file")?;
    let run = process::run(binary, &input, limits);
    let run = run.with_context(|| format!("cannot start {}", binary.display()))?;
    let run = run.context("interrupted")?;
    let status = match run.end {
        End::Exited(status) => status,
        End::OutOfTime => bail!("it does not end within {} s", limits.time.as_secs()),
        End::OutOfMemory => bail!("it takes more than {} MiB of memory", limits.memory >> 20),
        End::OutOfOutput => bail!("it prints more than {} MiB", limits.output >> 20),
    };
    let mut said = String::new();
    if !status.success() {
        let stderr = String::from_utf8_lossy(&run.stderr);
        said = format!("{status}\n{}", stderr.trim_end())
            .trim_end()
            .to_owned();
    }
    let answer = Answer {
        output: run.stdout,
        success: status.success(),
    };
    Ok((answer, said, run.time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_borrows_nothing_lives_for_ever() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let silent = |bound: &str, generic: &str| {
            let text = format!(
                "fn adder{generic}(v: &[u8], _: u8) -> impl Fn(usize) -> usize{bound} {{ let n = v.len(); move |m| m + n }}\n\
                 fn main() {{ let mut v = vec![1]; let add = adder(&v, 0); v.push(2); println!(\"{{}}\", add(v.len())); }}\n"
            );
            let text = text.replace("_: u8", if generic.is_empty() { "_: u8" } else { "_: T" });
            silence(&compiler, text).unwrap()
        };
        assert!(silent("", "").contains("-> usize + 'static {"));
        // Of the type nobody knows how long it lives.
        assert!(
            silent("", "<T>").contains("-> crate::capturing!(_, [T] impl Fn(usize) -> usize) {")
        );
        assert_eq!(silent(" + 'static", ""), silent("", ""));
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let answer = |output: &str, success| Answer {
            output: output.as_bytes().to_vec(),
            success,
        };
        let found = |one: &Answer, other: &Answer| {
            let (line, [one, other]) = difference(one, other);
            format!("{line}: {one} {other}")
        };
        let long = "1\n".repeat(300);
        assert_eq!(
            found(
                &answer(&format!("{long}2\n"), true),
                &answer(&format!("{long}3\n"), true)
            ),
            "301: \"2\" \"3\""
        );
        assert_eq!(
            found(&answer("1\n2\n", true), &answer("1 \n", false)),
            "2: \"2\" nothing, and fails"
        );
        assert_eq!(
            found(&answer("1\n", true), &answer("1\n", false)),
            "2: nothing nothing, and fails"
        );
    }
}
