//! Comments of several lines, outside of macros. Rustfmt makes tabs of what their lines begin with, and of blanks that make no tab nothing:
//! tables and pictures lose their shape.
//!
//! So before it runs each line begins with a mark, and behind that with as many blanks as it is to be deeper than the comment, or than the
//! line that this begins in; and the marks make way for that depth. What is deeper by whole tabs gets tabs.

use std::ops::Range;

use super::indents::{indent_of, is_by_tabs, line_of};
use crate::bundle::text::source::{self, columns, Edits};

/// Letters for private use, which no source has: for a line that is below its comment, and for one below the line that this begins in.
const MARKS: [char; 2] = ['\u{e002}', '\u{e003}'];

/// Marks the lines of a comment.
pub fn mark(text: &str, comment: Range<usize>, edits: &mut Edits) {
    let first = line_of(text, comment.start);
    let (base, start) = (
        columns(indent_of(first)),
        columns(&first[..first.len() - (text.len() - comment.start)]),
    );
    let mut lines = text[comment.clone()].split_inclusive('\n');
    let mut at = comment.start + lines.next().map_or(0, str::len);
    let filled = lines.clone().filter(|line| !line.trim().is_empty());
    let Some(least) = filled.clone().map(|line| columns(indent_of(line))).min() else {
        return;
    };
    let is_below = least >= start;
    let begins = match (is_by_tabs(lines.clone(), base), is_below && start > base) {
        // It makes a tab of two blanks.
        (true, false) => None,
        // These it knows.
        _ if filled
            .clone()
            .all(|line| line.trim_start().starts_with('*')) =>
        {
            return
        }
        _ if text[comment.clone()].contains(MARKS) => return,
        _ if is_below => Some((MARKS[0], start)),
        _ => Some((MARKS[1], base.min(least))),
    };
    for line in lines {
        let indent = indent_of(line);
        let width = columns(indent);
        let new = match begins {
            None => " ".repeat(base + width.saturating_sub(base) / 2),
            Some(_) if line.trim().is_empty() => String::new(),
            Some((mark, from)) => format!("{mark}{}", " ".repeat(width - from)),
        };
        edits.replace(at..at + indent.len(), new);
        at += line.len();
    }
}

/// The text that rustfmt wrote, without the marks.
pub fn settled(text: &str) -> String {
    let mut edits = Edits::default();
    for comment in source::comments(text) {
        let first = line_of(text, comment.start);
        let tabs = indent_of(first).trim_end_matches(' ');
        let before = &first[tabs.len()..first.len() - (text.len() - comment.start)];
        let mut at = comment.start;
        for line in text[comment.clone()].split_inclusive('\n') {
            let indent = indent_of(line).len();
            let mark = line[indent..].chars().next();
            if let Some(mark) = mark.filter(|letter| at > comment.start && MARKS.contains(letter)) {
                // A tab is as wide as a reader has it.
                let deeper = if mark == MARKS[0] { columns(before) } else { 0 };
                let place = at..at + indent + mark.len_utf8();
                edits.replace(place, format!("{tabs}{}", " ".repeat(deeper)));
            }
            at += line.len();
        }
    }
    edits.apply(text)
}

#[cfg(test)]
mod tests {
    use crate::bundle::emit::tests::{is_left, written};

    #[test]
    fn tables_keep_their_columns() {
        is_left(
            "\
/* Table of values,
\u{20}     n   g(n)
\u{20}     0   0

   the rest repeats. */
fn f(n: u32) -> u32 {
	/* n   g(n)
	   1   1
	     2 0
	*/
	g(n)
}
",
        );
    }

    #[test]
    fn lines_below_code_stay_there() {
        is_left(
            "\
mod a {
	fn f(n: u32) -> u32 {
		let x = n; /* one
		              two
		                three */
		let y = n; /* one
		  two
		*/
		let z = [
			1, /* one
			      two */
			2,
		];
		x + y + z[0]
	}
}
",
        );
    }

    #[test]
    fn lines_before_the_comment_move_together() {
        let text = "fn f() {\n    /* one\n  two\n     three */\n    g();\n}\n";
        let want = "fn f() {\n\t/* one\n\ttwo\n\t   three */\n\tg();\n}\n";
        if let Some(out) = written(text) {
            assert_eq!(out, want);
        }
    }

    #[test]
    fn stars_and_whole_tabs_are_left_to_rustfmt() {
        is_left(
            "fn f() {\n\t/*\n\t * one\n\t *    two\n\t */\n\tg();\n\t/*\n\tone\n\t\ttwo\n\t*/\n}\n",
        );
    }
}
