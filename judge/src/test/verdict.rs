//! Judges a run: pure, the only place where the rules of judging are.

use std::fmt;

use super::process::{End, Limits, PeakMemory, Run};

/// What a judge says about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The output is right.
    Accepted,
    /// The program ended well and printed something else than expected.
    WrongAnswer(Mistake),
    /// It ran longer than allowed.
    TimeLimit,
    /// It took more memory than allowed.
    MemoryLimit,
    /// It did not end well.
    RuntimeError(Failure),
}

/// Where the output first goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Line `line` (the first is 1) is not the expected one, or one of the two has no such line.
    Line(usize),
    /// The byte at `offset` (the first is 0) is not part of any character.
    NotUtf8 { offset: usize },
}

/// How a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It returned another status than 0, or a signal ended it. The text is the system's.
    Exit(String),
    /// It was stopped because it printed more than allowed.
    Output,
}

impl fmt::Display for Verdict {
    /// The two or three letters that judges write.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Accepted => "AC",
            Self::WrongAnswer(_) => "WA",
            Self::TimeLimit => "TLE",
            Self::MemoryLimit => "MLE",
            Self::RuntimeError(_) => "RE",
        })
    }
}

/// The verdict on `run` where `expected` is the right output.
pub fn judge(run: &Run, limits: &Limits, expected: &str) -> Verdict {
    match run.end {
        End::OutOfTime => Verdict::TimeLimit,
        End::OutOfMemory => Verdict::MemoryLimit,
        End::OutOfOutput => Verdict::RuntimeError(Failure::Output),
        // A program that dies for want of memory has broken that limit first.
        End::Exited(_) if took_more(run.peak_memory, limits.memory) => Verdict::MemoryLimit,
        End::Exited(_) if run.time > limits.time => Verdict::TimeLimit,
        End::Exited(status) if !status.success() => {
            Verdict::RuntimeError(Failure::Exit(status.to_string()))
        }
        End::Exited(_) => match std::str::from_utf8(&run.stdout) {
            Err(error) => Verdict::WrongAnswer(Mistake::NotUtf8 {
                offset: error.valid_up_to(),
            }),
            Ok(actual) => match first_difference(expected, actual) {
                None => Verdict::Accepted,
                Some(line) => Verdict::WrongAnswer(Mistake::Line(line)),
            },
        },
    }
}

/// Whether it is certain that a program took more than `limit`.
fn took_more(peak: Option<PeakMemory>, limit: u64) -> bool {
    matches!(peak, Some(PeakMemory::Exactly(bytes)) if bytes > limit)
}

/// The lines that count: blanks at the end of a line do not, nor do empty lines at the end of the text.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    trim(text).split('\n').map(trim)
}

fn trim(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_whitespace())
}

/// What a file expects, without the byte order mark that editors on Windows put in front.
pub fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

/// The first line (from 1) in which the two texts differ for a judge.
pub fn first_difference(expected: &str, actual: &str) -> Option<usize> {
    let (mut expected, mut actual) = (lines(expected), lines(actual));
    for line in 1.. {
        match (expected.next(), actual.next()) {
            (None, None) => return None,
            (a, b) if a != b => return Some(line),
            _ => {}
        }
    }
    unreachable!("a text has an end")
}

#[cfg(test)]
mod tests {
    use std::process::{Command, ExitStatus};
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits = Limits {
        time: Duration::from_secs(1),
        memory: 1000,
        output: 100,
    };

    /// A status from the system, for it cannot be made by hand on every one: cargo knows no `--no-such-option`.
    fn status(success: bool) -> ExitStatus {
        let argument = if success {
            "--version"
        } else {
            "--no-such-option"
        };
        let cargo = Command::new(env!("CARGO")).arg(argument).output();
        let status = cargo.expect("cargo runs").status;
        assert_eq!(status.success(), success);
        status
    }

    fn ended(end: End, stdout: &[u8]) -> Run {
        Run {
            end,
            time: Duration::from_millis(10),
            peak_memory: Some(PeakMemory::Exactly(500)),
            stdout: stdout.to_vec(),
            stderr: Vec::new(),
        }
    }

    fn verdict_on_output(expected: &str, actual: &[u8]) -> Verdict {
        judge(&ended(End::Exited(status(true)), actual), &LIMITS, expected)
    }

    #[test]
    fn trailing_blanks_and_final_newlines_do_not_count() {
        let same = [
            ("a\nb\n", "a\nb"),
            ("a\nb", "a\nb\n\n\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\nb\n", "a\r\nb\r\n\r\n"),
            ("a \t\nb  ", "a\nb"),
            ("", ""),
            ("", "\n \n"),
            ("a\n\nb", "a\n  \nb\n"),
        ];
        for (expected, actual) in same {
            assert_eq!(
                verdict_on_output(expected, actual.as_bytes()),
                Verdict::Accepted,
                "{expected:?} {actual:?}"
            );
        }
    }

    #[test]
    fn everything_else_counts() {
        let different = [
            ("a", "b", 1),
            ("a", "", 1),
            ("", "a", 1),
            ("Yes", "yes", 1),
            ("a b", "a  b", 1),
            ("a", " a", 1),
            ("a", "\na", 1),
            ("a\nb", "a b", 1),
            ("a\nb\nc", "a\nb\nd", 3),
            ("a\nb", "a", 2),
            ("a", "a\nb", 2),
            ("a\nb", "a\n\nb", 2),
            ("a", "a\u{a0}", 1),
            ("a", "\u{feff}a", 1),
        ];
        for (expected, actual, line) in different {
            assert_eq!(
                verdict_on_output(expected, actual.as_bytes()),
                Verdict::WrongAnswer(Mistake::Line(line)),
                "{expected:?} {actual:?}"
            );
        }
    }

    #[test]
    fn output_that_is_no_text_is_a_wrong_answer() {
        assert_eq!(
            verdict_on_output("No", b"No\xff"),
            Verdict::WrongAnswer(Mistake::NotUtf8 { offset: 2 })
        );
    }

    #[test]
    fn a_broken_limit_goes_before_a_right_answer() {
        let verdict = |end| judge(&ended(end, b"ok"), &LIMITS, "ok");
        assert_eq!(verdict(End::OutOfTime), Verdict::TimeLimit);
        assert_eq!(verdict(End::OutOfMemory), Verdict::MemoryLimit);
        assert_eq!(
            verdict(End::OutOfOutput),
            Verdict::RuntimeError(Failure::Output)
        );
    }

    #[test]
    fn what_is_measured_at_the_end_is_judged_too() {
        for success in [true, false] {
            let run = ended(End::Exited(status(success)), b"ok");
            let slow = Run {
                time: LIMITS.time + Duration::from_nanos(1),
                ..run.clone()
            };
            assert_eq!(judge(&slow, &LIMITS, "ok"), Verdict::TimeLimit);
            let large = Run {
                peak_memory: Some(PeakMemory::Exactly(LIMITS.memory + 1)),
                ..slow
            };
            assert_eq!(judge(&large, &LIMITS, "ok"), Verdict::MemoryLimit);
        }
        let at_the_limits = Run {
            time: LIMITS.time,
            peak_memory: Some(PeakMemory::Exactly(LIMITS.memory)),
            ..ended(End::Exited(status(true)), b"ok")
        };
        assert_eq!(judge(&at_the_limits, &LIMITS, "ok"), Verdict::Accepted);
        for peak_memory in [None, Some(PeakMemory::AtMost(LIMITS.memory + 1))] {
            let unmeasured = Run {
                peak_memory,
                ..at_the_limits.clone()
            };
            assert_eq!(judge(&unmeasured, &LIMITS, "ok"), Verdict::Accepted);
        }
    }

    #[test]
    fn a_bad_exit_is_a_runtime_error_whatever_was_printed() {
        let failed = status(false);
        for output in ["ok", "wrong"] {
            assert_eq!(
                judge(
                    &ended(End::Exited(failed), output.as_bytes()),
                    &LIMITS,
                    "ok"
                ),
                Verdict::RuntimeError(Failure::Exit(failed.to_string()))
            );
        }
    }

    #[test]
    fn verdicts_are_written_as_judges_write_them() {
        let written = [
            (Verdict::Accepted, "AC "),
            (Verdict::WrongAnswer(Mistake::Line(1)), "WA "),
            (Verdict::TimeLimit, "TLE"),
            (Verdict::MemoryLimit, "MLE"),
            (Verdict::RuntimeError(Failure::Output), "RE "),
        ];
        for (verdict, letters) in written {
            assert_eq!(format!("{verdict:3}"), letters);
        }
    }
}
