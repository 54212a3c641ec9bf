//! `cargo judge test`: build the problems, run their cases, say what a judge would say.
//!
//! [`process`] runs a case under limits, [`verdict`] judges the run, [`report`] shows the verdict.

use std::convert::Infallible;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::in_order::in_order;
use crate::numbers::whole;
use crate::output;
use crate::workspace::{Case, Misfit, Workspace};
use process::Limits;
use report::{CaseReport, Tally};

pub mod process;
mod report;
pub mod verdict;

/// More than any answer has, little enough to keep.
const OUTPUT_LIMIT: u64 = 64 << 20;

/// Run the cases in testdata/NAME and print a verdict for each: AC, WA, TLE, MLE or RE
///
/// A case is a pair of files CASE.in and CASE.out in testdata/NAME. Blanks at the end of a line and empty lines at the
/// end do not count. Exit status: 0 when every case passed, 1 when one failed, 2 when nothing could be judged.
#[derive(clap::Args)]
pub struct Args {
    /// Problems to judge, by their names or their folders [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Seconds a case may take by the clock. The judges allow about 1; the default leaves room for a slow machine
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds, allow_negative_numbers = true)]
    time_limit: Duration,

    /// Mebibytes of memory a case may take. The judges allow 64 to 512
    #[arg(long, value_name = "MIB", default_value = "256", value_parser = whole(1..=1 << 20), allow_negative_numbers = true)]
    memory_limit: u64,

    /// Cases to run at a time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = whole(1..=1024), allow_negative_numbers = true)]
    jobs: Option<u64>,

    /// Judge submit.rs, compiled alone by plain rustc as a judge does, instead of the workspace's program
    #[arg(long)]
    submit: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|&seconds| 0.0 < seconds && seconds <= 86400.0)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected seconds, more than 0 and at most 86400".to_string())
}

/// A case and what to judge with it.
struct Task {
    /// `NAME/CASE`
    name: String,
    executable: PathBuf,
    case: Case,
}

/// Judges the cases, prints the verdicts.
pub fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let (problems, strays) = workspace.select(&args.names)?;
    // Until the last case has run.
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    // What is temporary goes when this ends, but not if Ctrl-C ends it.
    ctrlc::set_handler(process::stop).context("cannot handle Ctrl-C")?;
    let executables = match args.submit {
        true => workspace.compile_submissions(&problems, folder.path()),
        false => workspace.build(&problems, folder.path()),
    };
    if process::is_stopped() {
        return Ok(interrupted());
    }
    let executables = executables?;

    let mut tasks: Vec<Result<Task, Misfit>> = Vec::new();
    for problem in &problems {
        let executable = executables
            .get(&problem.name)
            .with_context(|| format!("no executable was built for {}", problem.name))?;
        tasks.extend(workspace.cases(problem)?.into_iter().map(|case| {
            case.map(|case| Task {
                name: format!("{}/{}", problem.name, case.name),
                executable: executable.clone(),
                case,
            })
        }));
    }
    if args.names.is_empty() {
        tasks.extend(strays.into_iter().map(|stray| {
            Err(Misfit {
                name: stray.place(),
                reason: stray.reason.clone(),
                input: None,
            })
        }));
        tasks.extend(workspace.ownerless_testdata()?.into_iter().map(Err));
    }

    let limits = Limits {
        time: args.time_limit,
        memory: args.memory_limit << 20,
        output: OUTPUT_LIMIT,
    };
    let jobs = match args.jobs {
        Some(jobs) => jobs as usize,
        None => thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let judge = |task: &Result<Task, Misfit>| match task {
        Ok(task) => judge_case(task, &workspace, &limits),
        Err(misfit) => Some(CaseReport::unjudged(&misfit.name, &misfit.reason)),
    };
    let names = tasks.iter().map(|task| match task {
        Ok(task) => task.name.as_str(),
        Err(misfit) => misfit.name.as_str(),
    });
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let bar = progress_bar(tasks.len());
    let mut tally = Tally::default();
    // Where nobody reads on, as behind `| head`, the exit code is still that of all cases.
    let mut printed = Ok(());
    let Ok(()) = in_order(&tasks, jobs, judge, |report| {
        bar.inc(1);
        tally.add(&report);
        if printed.is_ok() {
            let mut stdout = anstream::stdout().lock();
            printed = bar.suspend(|| report::write_case(&mut stdout, &report, width));
        }
        Ok::<(), Infallible>(())
    });
    bar.finish_and_clear();
    if process::is_stopped() {
        return Ok(interrupted());
    }
    let printed =
        printed.and_then(|()| report::write_tally(&mut anstream::stdout().lock(), &tally));
    output::printed(printed)?;
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

/// What a shell expects of who was ended by Ctrl-C.
fn interrupted() -> ExitCode {
    say!("interrupted");
    ExitCode::from(130)
}

/// Runs and judges one case. `None` if it was interrupted.
fn judge_case(task: &Task, workspace: &Workspace, limits: &Limits) -> Option<CaseReport> {
    let judged = || -> Result<Option<CaseReport>> {
        let read = |path: &Path| {
            fs::read(path)
                .with_context(|| format!("cannot read {}", workspace.shown(path).display()))
        };
        let expected = read(&task.case.expected)?;
        let expected =
            std::str::from_utf8(verdict::without_mark(&expected)).with_context(|| {
                format!(
                    "{} is not UTF-8",
                    workspace.shown(&task.case.expected).display()
                )
            })?;
        File::open(&task.case.input).with_context(|| {
            let shown = workspace.shown(&task.case.input);
            format!("cannot read {}", shown.display())
        })?;
        let run = process::run(&task.executable, &task.case.input, limits)
            .with_context(|| format!("cannot run {}", task.executable.display()))?;
        let Some(run) = run else { return Ok(None) };
        let verdict = verdict::judge(&run, limits, expected);
        let details = match &verdict {
            verdict::Verdict::Accepted => String::new(),
            verdict => {
                let input = report::Input {
                    path: workspace.shown(&task.case.input),
                    bytes: &read(&task.case.input)?,
                };
                report::details(verdict, &run, limits, &input, expected)
            }
        };
        Ok(Some(CaseReport::judged(
            &task.name, &verdict, &run, details,
        )))
    };
    judged().unwrap_or_else(|error| Some(CaseReport::unjudged(&task.name, &format!("{error:#}"))))
}

/// On stderr; draws nothing where that is no terminal.
fn progress_bar(cases: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cases, {elapsed}")
        .expect("the template is constant");
    let bar = ProgressBar::new(cases as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
