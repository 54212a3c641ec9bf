//! Shows verdicts to a person. Writes colours always; the stream takes them out where they are not wanted.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use super::process::{Limits, PeakMemory, Run};
use super::verdict::{lines, Failure, Mistake, Verdict};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const EXPECTED: Style = AnsiColor::Green.on_default();
const ACTUAL: Style = AnsiColor::Red.on_default();
const FAINT: Style = Style::new().dimmed();

/// Lines shown of an input, of stderr, and of each side of a diff.
const LINES: usize = 20;
/// Lines shown before the first difference.
const CONTEXT: usize = 3;
/// Characters shown of a line.
const COLUMNS: usize = 120;

/// What there is to show of a case.
pub struct CaseReport {
    name: String,
    /// `AC` … `RE`, or `ERR` for a case that could not be judged.
    label: String,
    passed: bool,
    time: Option<Duration>,
    peak_memory: Option<PeakMemory>,
    /// Lines that explain a failure.
    details: String,
}

impl CaseReport {
    /// A case with a verdict.
    pub fn judged(name: &str, verdict: &Verdict, run: &Run, details: String) -> Self {
        Self {
            name: name.to_string(),
            label: verdict.to_string(),
            passed: *verdict == Verdict::Accepted,
            time: Some(run.time),
            peak_memory: run.peak_memory,
            details,
        }
    }

    /// A case that could not be run: it counts as failed.
    pub fn unjudged(name: &str, reason: &str) -> Self {
        Self {
            name: name.to_string(),
            label: "ERR".to_string(),
            passed: false,
            time: None,
            peak_memory: None,
            details: format!("{}\n", visible(reason)),
        }
    }
}

/// What is said at the end.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    slowest: Option<(Duration, String)>,
    largest: Option<(PeakMemory, String)>,
}

impl Tally {
    /// Counts a case in.
    pub fn add(&mut self, report: &CaseReport) {
        match report.passed {
            true => self.passed += 1,
            false => self.failed += 1,
        }
        keep_larger(&mut self.slowest, report.time, &report.name, |time| time);
        // What is only known to be small comes after all that was measured.
        keep_larger(
            &mut self.largest,
            report.peak_memory,
            &report.name,
            |peak| match peak {
                PeakMemory::Exactly(bytes) => (true, bytes),
                PeakMemory::AtMost(bytes) => (false, bytes),
            },
        );
    }
}

fn keep_larger<T: Copy, K: Ord>(
    kept: &mut Option<(T, String)>,
    new: Option<T>,
    name: &str,
    size: impl Fn(T) -> K,
) {
    if let Some(new) = new {
        if kept
            .as_ref()
            .map_or(true, |(old, _)| size(new) > size(*old))
        {
            *kept = Some((new, name.to_string()));
        }
    }
}

/// The line of a case, names padded to `width`, and its details below.
pub fn write_case(out: &mut impl Write, report: &CaseReport, width: usize) -> io::Result<()> {
    let style = if report.passed { GOOD } else { BAD };
    let mut line = format!("{style}{:3}{style:#} {:width$}", report.label, report.name);
    if let Some(time) = report.time {
        let _ = write!(line, "  {}", shown_time(time));
    }
    if let Some(peak) = report.peak_memory {
        let _ = write!(line, "  {}", shown_memory(peak));
    }
    writeln!(out, "{}", line.trim_end())?;
    for line in report.details.lines() {
        writeln!(out, "    {line}")?;
    }
    out.flush()
}

/// The slowest case, the largest memory, how many passed and failed.
pub fn write_tally(out: &mut impl Write, tally: &Tally) -> io::Result<()> {
    writeln!(out)?;
    if let Some((time, name)) = &tally.slowest {
        writeln!(out, "slowest case:   {}     {name}", shown_time(*time))?;
    }
    if let Some((peak, name)) = &tally.largest {
        writeln!(out, "largest memory: {}  {name}", shown_memory(*peak))?;
    }
    let style = if tally.failed == 0 { GOOD } else { BAD };
    writeln!(
        out,
        "{style}{} passed, {} failed{style:#}",
        tally.passed, tally.failed
    )?;
    out.flush()
}

fn shown_time(time: Duration) -> String {
    format!("{:7.3} s", time.as_secs_f64())
}

fn shown_memory(peak: PeakMemory) -> String {
    let mib = |bytes| bytes as f64 / f64::from(1 << 20);
    match peak {
        PeakMemory::Exactly(bytes) => format!("{:8.1} MiB", mib(bytes)),
        PeakMemory::AtMost(bytes) => format!("{:>8} MiB", format!("≤ {:.1}", mib(bytes))),
    }
}

/// The input of a case.
pub struct Input<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
}

/// Explains a failure.
pub fn details(
    verdict: &Verdict,
    run: &Run,
    limits: &Limits,
    input: &Input,
    expected: &str,
) -> String {
    match verdict {
        Verdict::Accepted => String::new(),
        Verdict::TimeLimit => format!("the limit is {} s\n", limits.time.as_secs_f64()),
        Verdict::MemoryLimit => format!("the limit is {} MiB\n", limits.memory >> 20),
        Verdict::RuntimeError(Failure::Output) => {
            format!("printed more than {} MiB\n", limits.output >> 20)
        }
        Verdict::RuntimeError(Failure::Exit(status)) => {
            let mut text = format!("{status}\n");
            let stderr = String::from_utf8_lossy(&run.stderr);
            let last: Vec<&str> = lines(&stderr).collect();
            if last.iter().all(|line| line.is_empty()) {
                text.push_str("nothing on stderr\n");
            } else {
                let skipped = last.len().saturating_sub(LINES);
                let of = if skipped > 0 {
                    "end of stderr"
                } else {
                    "stderr"
                };
                let _ = writeln!(text, "{FAINT}{of}:{FAINT:#}");
                for line in &last[skipped..] {
                    let _ = writeln!(text, "  {}", cut(line, 0));
                }
            }
            text
        }
        Verdict::WrongAnswer(mistake) => {
            let mut text = shown_input(input);
            match *mistake {
                Mistake::NotUtf8 { offset } => {
                    let _ = writeln!(
                        text,
                        "stdout is not UTF-8: byte {offset} is 0x{:02x}",
                        run.stdout[offset]
                    );
                }
                Mistake::Line(line) => {
                    let actual = String::from_utf8_lossy(&run.stdout);
                    text.push_str(&diff(expected, &actual, line));
                }
            }
            text
        }
    }
}

fn shown_input(input: &Input) -> String {
    let mut text = format!("{FAINT}input {}:{FAINT:#}\n", input.path.display());
    let content = String::from_utf8_lossy(input.bytes);
    let mut all = lines(&content);
    for line in all.by_ref().take(LINES) {
        let _ = writeln!(text, "  {}", cut(line, 0));
    }
    match all.count() {
        0 => {}
        more => {
            let _ = writeln!(text, "  {FAINT}… {more} more lines{FAINT:#}");
        }
    }
    text
}

/// The neighbourhood of `first`, the first line (from 1) in which the texts differ.
fn diff(expected: &str, actual: &str, first: usize) -> String {
    let start = first.saturating_sub(1 + CONTEXT);
    let window = |text| -> (Vec<&str>, usize) {
        let mut rest = lines(text).skip(start);
        (rest.by_ref().take(LINES).collect(), rest.count())
    };
    let ((expected, expected_left), (actual, actual_left)) = (window(expected), window(actual));
    // Where long lines differ far from their beginning, show that place.
    let at = first - 1 - start;
    let column = match (expected.get(at), actual.get(at)) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };

    let mut text = format!(
        "{FAINT}first difference in line {first}{FAINT:#}: {EXPECTED}- expected{EXPECTED:#} {ACTUAL}+ printed{ACTUAL:#}\n"
    );
    for change in TextDiff::from_slices(&expected, &actual).iter_all_changes() {
        let line = cut(change.value(), column);
        let _ = match change.tag() {
            ChangeTag::Equal => writeln!(text, "   {line}"),
            ChangeTag::Delete => writeln!(text, " {EXPECTED}-{line}{EXPECTED:#}"),
            ChangeTag::Insert => writeln!(text, " {ACTUAL}+{line}{ACTUAL:#}"),
        };
    }
    if expected_left + actual_left > 0 {
        let _ = writeln!(
            text,
            "   {FAINT}… {expected_left} more lines expected, {actual_left} more printed{FAINT:#}"
        );
    }
    text
}

/// A line as it is shown: at most [`COLUMNS`] characters, those around `column`; what cannot be seen is spelled out.
fn cut(line: &str, column: usize) -> String {
    let length = line.chars().count();
    if length <= COLUMNS {
        return visible(line);
    }
    let start = column.saturating_sub(COLUMNS / 2).min(length - COLUMNS);
    let part: String = line.chars().skip(start).take(COLUMNS).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = match length - COLUMNS - start {
        0 => String::new(),
        more => format!("… {more} more characters"),
    };
    format!("{before}{}{FAINT}{after}{FAINT:#}", visible(&part))
}

/// Control characters, byte order marks and the like as escapes, all else as it is.
fn visible(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            '\'' | '"' | '\\' => c.to_string(),
            _ => c.escape_debug().to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text as it looks without colours.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_long_line_is_cut_around_the_place_that_matters() {
        let line: String = ('a'..='z').cycle().take(1000).collect();
        assert_eq!(plain(&cut(&line[..COLUMNS], 0)), line[..COLUMNS]);
        let shown = format!("{}… 880 more characters", &line[..COLUMNS]);
        assert_eq!(plain(&cut(&line, 3)), shown);
        let shown = format!("…{}… 440 more characters", &line[440..560]);
        assert_eq!(plain(&cut(&line, 500)), shown);
        assert_eq!(plain(&cut(&line, 999)), format!("…{}", &line[880..]));
        // Counted in characters: no cut falls into one.
        let line = "集".repeat(1000);
        assert_eq!(plain(&cut(&line, 999)), format!("…{}", "集".repeat(120)));
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(visible("a\tb\u{1b}[31m\u{feff}"), r"a\tb\u{1b}[31m\u{feff}");
        assert_eq!(visible(r#"'"\集"#), r#"'"\集"#);
    }

    #[test]
    fn a_diff_shows_the_lines_around_the_first_difference() {
        let numbered = |except: usize| -> String {
            let line = |i| {
                if i == except {
                    "x\n".into()
                } else {
                    format!("{i}\n")
                }
            };
            (1..=100).map(line).collect()
        };
        let shown = plain(&diff(&numbered(0), &numbered(50), 50));
        let shown: Vec<&str> = shown.lines().collect();
        assert_eq!(
            shown[..7],
            [
                "first difference in line 50: - expected + printed",
                "   47",
                "   48",
                "   49",
                " -50",
                " +x",
                "   51"
            ]
        );
        let last = "   … 34 more lines expected, 34 more printed";
        assert_eq!(shown.last(), Some(&last));
    }

    #[test]
    fn a_diff_of_texts_of_different_length_says_so() {
        let shown = plain(&diff("a\nb\n", "a\n", 2));
        assert!(shown.ends_with("   a\n -b\n"), "{shown}");
        let shown = plain(&diff("", "a\n", 1));
        assert!(shown.ends_with(" +a\n"), "{shown}");
    }

    #[test]
    fn the_tally_keeps_the_extremes() {
        let case = |name: &str, passed, time, peak_memory| CaseReport {
            name: name.to_string(),
            label: String::new(),
            passed,
            time: Some(Duration::from_millis(time)),
            peak_memory,
            details: String::new(),
        };
        let mut tally = Tally::default();
        tally.add(&case("a", true, 20, Some(PeakMemory::AtMost(9 << 20))));
        tally.add(&case("b", false, 1500, None));
        tally.add(&case("c", true, 3, Some(PeakMemory::Exactly(3 << 20))));
        tally.add(&CaseReport::unjudged("d", "there is none"));
        let mut out = Vec::new();
        write_tally(&mut out, &tally).unwrap();
        assert_eq!(
            plain(&String::from_utf8(out).unwrap()),
            "\nslowest case:     1.500 s     b\nlargest memory:      3.0 MiB  c\n2 passed, 2 failed\n"
        );
    }
}
