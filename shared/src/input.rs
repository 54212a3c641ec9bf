//! Judge input, read by `proconio::input!`; what cannot be right is refused with a message that names it.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead, Empty, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::str::SplitWhitespace;

use proconio::source::{RuntimeReadable, Source};

/// Writes the lines that `answer` makes of all of stdin. Where it refuses, its message goes to stderr, nothing to stdout,
/// and the exit code is 1.
///
/// ```
/// use std::process::ExitCode;
///
/// // Here stdin ends at once.
/// let exit_code = shared::input::run(|_| Err::<u64, _>("no number".into()));
/// assert_eq!(exit_code, ExitCode::FAILURE);
/// ```
pub fn run<T: Display>(answer: impl FnOnce(&mut Tokens) -> Result<T, Box<dyn Error>>) -> ExitCode {
    let done = io::read_to_string(io::stdin())
        .map_err(|error| format!("stdin cannot be read: {error}; expected text in UTF-8").into())
        .and_then(|text| answer(&mut Tokens::from(text.as_str())))
        .and_then(|lines| {
            writeln!(io::stdout(), "{lines}").map_err(|error| format!("stdout: {error}").into())
        });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The words of a text, as a source for `input!`.
///
/// ```
/// use proconio::input;
/// use shared::input::Tokens;
///
/// input! { from Tokens::from("7 left"), heap: u64, side: String }
/// assert_eq!((heap, side.as_str()), (7, "left"));
/// ```
pub struct Tokens<'a>(SplitWhitespace<'a>);

impl<'a> From<&'a str> for Tokens<'a> {
    fn from(text: &'a str) -> Self {
        // Editors on Windows put it in front.
        Tokens(text.trim_start_matches('\u{feff}').split_whitespace())
    }
}

/// A source must name a reader; all has been read, so an empty one will do.
impl Source<Empty> for Tokens<'_> {
    fn next_token(&mut self) -> Option<&str> {
        self.0.next()
    }

    fn is_empty(&mut self) -> bool {
        self.0.clone().next().is_none()
    }
}

/// What to say where the input ends and `expected` should stand, for `name`.
///
/// ```
/// use shared::input::missing;
///
/// assert_eq!(missing("row", "letters"), "row: the input ends here; expected letters");
/// ```
pub fn missing(name: impl Display, expected: impl Display) -> String {
    format!("{name}: the input ends here; expected {expected}")
}

/// What to say of a `word` that cannot stand for `name`; it is cut where it is long.
///
/// ```
/// use shared::input::refusal;
///
/// assert_eq!(refusal("row", "HXT", "letters H or T"), "row: read \"HXT\"; expected letters H or T");
/// ```
pub fn refusal(name: impl Display, word: &str, expected: impl Display) -> String {
    let mut shown: String = word.chars().take(40).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    format!("{name}: read {shown:?}; expected {expected}")
}

/// A whole number by its name, for messages, and its range. It reads as `Result<u64, String>`.
///
/// ```
/// use proconio::input;
/// use shared::input::{Tokens, Whole};
///
/// input! { from Tokens::from("0"), heap: with Whole("heap", 1..=9) }
/// assert_eq!(heap.unwrap_err(), "heap: read \"0\"; expected a whole number from 1 to 9");
/// ```
pub struct Whole<N>(pub N, pub RangeInclusive<u64>);

impl<N: Display> RuntimeReadable for Whole<N> {
    type Output = Result<u64, String>;

    fn read<R: BufRead, S: Source<R>>(self, source: &mut S) -> Self::Output {
        let Whole(name, range) = self;
        let expected = || format!("a whole number from {} to {}", range.start(), range.end());
        let word = source
            .next_token()
            .ok_or_else(|| missing(&name, expected()))?;
        match word.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(refusal(name, word, expected())),
        }
    }
}

/// A count, then as many numbers. It reads as `Result<Vec<u64>, String>`.
///
/// Memory is taken as the numbers come: a huge count before a short list is refused like anything else.
///
/// ```
/// use proconio::input;
/// use shared::input::{Counted, Tokens, Whole};
///
/// input! { from Tokens::from("3 2 4 7"), heaps: with Counted(Whole("n", 1..=9), Whole("h", 0..=9)) }
/// assert_eq!(heaps, Ok(vec![2, 4, 7]));
/// ```
pub struct Counted<C, I>(pub Whole<C>, pub Whole<I>);

impl<C: Display, I: Display> RuntimeReadable for Counted<C, I> {
    type Output = Result<Vec<u64>, String>;

    fn read<R: BufRead, S: Source<R>>(self, source: &mut S) -> Self::Output {
        let Counted(count, Whole(item, range)) = self;
        let count = count.read(source)?;
        let nth = |i| Whole(format_args!("{item} {i} of {count}"), range.clone()).read(source);
        (1..=count).map(nth).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Tokens, Whole};
    use proconio::input;

    fn number(text: &str) -> Result<u64, String> {
        input! { from Tokens::from(text), x: with Whole("x", 1..=50) }
        x
    }

    fn list(text: &str) -> Result<Vec<u64>, String> {
        input! { from Tokens::from(text), list: with Counted(Whole("n", 0..=u64::MAX), Whole("s", 1..=9)) }
        list
    }

    #[test]
    fn numbers_within_the_range_are_read() {
        assert_eq!(number("1"), Ok(1));
        assert_eq!(number(" \r\n\t50\r\n"), Ok(50));
    }

    #[test]
    fn all_else_is_refused_by_name() {
        for (text, read) in [
            ("0", "read \"0\""),
            ("51", "read \"51\""),
            ("-1", "read \"-1\""),
            ("1.5", "read \"1.5\""),
            ("two", "read \"two\""),
            ("99999999999999999999", "read \"99999999999999999999\""),
            ("", "the input ends here"),
        ] {
            let message = format!("x: {read}; expected a whole number from 1 to 50");
            assert_eq!(number(text), Err(message));
        }
    }

    #[test]
    fn a_long_word_is_cut() {
        let message = number(&"é".repeat(1000)).unwrap_err();
        assert!(
            message.contains(&format!("{}…", "é".repeat(40))),
            "{message}"
        );
    }

    #[test]
    fn a_byte_order_mark_in_front_is_no_part_of_the_first_word() {
        assert_eq!(number("\u{feff}7"), Ok(7));
        assert!(number("7\u{feff}").is_err());
    }

    #[test]
    fn lists_are_as_long_as_they_say() {
        assert_eq!(list("0"), Ok(vec![]));
        assert_eq!(list("3 1 9 1 7"), Ok(vec![1, 9, 1]));
        assert_eq!(
            list("3 1 0 1").unwrap_err(),
            "s 2 of 3: read \"0\"; expected a whole number from 1 to 9"
        );
        assert_eq!(
            list("18446744073709551615 1").unwrap_err(),
            "s 2 of 18446744073709551615: the input ends here; expected a whole number from 1 to 9"
        );
    }
}
