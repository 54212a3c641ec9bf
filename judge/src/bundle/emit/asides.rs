//! Comments on lines of their own below a line that ends in one. Rustfmt takes them for the rest of that one and puts them far to the right.
//!
//! So before it runs each gets an empty line above it and a mark, and both go afterwards. What its author put below the comment above belongs
//! to it: that gets another mark, and stands below it by blanks, as tabs are as wide as a reader has them.

use std::ops::Range;

use crate::bundle::text::source::{self, columns, Edits};

/// Letters for private use, which no source has: for a comment by itself, and for one that belongs to the comment above.
const MARKS: [char; 2] = ['\u{e000}', '\u{e001}'];

const CLOSING: [char; 3] = [')', ']', '}'];

/// The text with such comments marked.
pub fn marked(text: &str) -> String {
    if text.contains(MARKS) {
        return text.to_owned();
    }
    let mut edits = Edits::default();
    let comments = source::comments(text);
    // Of the last line with a comment behind code, as long as all below belongs to that.
    let (mut code, mut is_below) = ("", false);
    for (at, pair) in comments.windows(2).enumerate() {
        let [above, comment] = pair else { continue };
        let before = code_before(text, above);
        if !before.is_empty() || !is_below {
            code = before;
        }
        let indent = own_line(text, above, comment).filter(|_| !code.is_empty());
        // What is below a line that opens something is in it.
        is_below = !code.trim_end().ends_with(['(', '[', '{'])
            && indent.is_some_and(|indent| columns(indent) >= columns(code));
        if is_below {
            edits.insert(comment.start + 2, MARKS[1]);
        } else if let Some(indent) = indent {
            let code = code.trim();
            let is_attribute = code.starts_with('#') && code.ends_with(']');
            let ends = is_attribute || code.ends_with([';', ',', '{', '}']);
            let rest = &text[end_of_run(text, &comments[at + 1..])..];
            if ends || rest.trim_start().starts_with(CLOSING) {
                edits.insert(comment.start - indent.len(), "\n");
                edits.insert(comment.start + 2, MARKS[0]);
            }
        }
    }
    edits.apply(text)
}

/// The text that rustfmt wrote, without the marks.
pub fn settled(text: &str) -> String {
    let mut edits = Edits::default();
    let comments = source::comments(text);
    // Of the last line with a comment behind code.
    let mut code = "";
    for (at, comment) in comments.iter().enumerate() {
        let before = code_before(text, comment);
        if !before.is_empty() {
            code = before;
        }
        let (mark, line) = (comment.start + 2, line_start(text, comment));
        let found = MARKS.map(|letter| text[mark..].starts_with(letter));
        if found == [false; 2] {
            continue;
        }
        edits.delete(mark..mark + MARKS[0].len_utf8());
        if !before.is_empty() {
            continue;
        }
        if found[1] {
            let tabs = code.len() - code.trim_start_matches('\t').len();
            let blanks = " ".repeat(code[tabs..].chars().count());
            edits.replace(line..comment.start, format!("{}{blanks}", &code[..tabs]));
            continue;
        }
        if text[..line].ends_with("\n\n") {
            edits.delete(line - 1..line);
        }
        // Among the parts of a list it does so all the same.
        if let Some(above) = at.checked_sub(1).map(|at| &comments[at]) {
            if code_before(text, above).is_empty() && own_line(text, above, comment).is_some() {
                let indent = &text[line_start(text, above)..above.start];
                edits.replace(line..comment.start, indent);
            }
        }
        let run = &comments[at..];
        let end = end_of_run(text, run);
        let closing = text[end..].trim_start();
        let gap = &text[end..text.len() - closing.len()];
        let outer = gap.rsplit_once('\n').map(|(_, outer)| outer);
        if let Some(outer) = outer.filter(|_| closing.starts_with(CLOSING)) {
            for comment in run.iter().take_while(|comment| comment.end <= end) {
                let line = line_start(text, comment);
                edits.replace(line..comment.start, format!("{outer}\t"));
            }
        }
    }
    edits.apply(text)
}

fn line_start(text: &str, comment: &Range<usize>) -> usize {
    text[..comment.start].rfind('\n').map_or(0, |n| n + 1)
}

/// What is before a comment on its line, if there is more than blanks.
fn code_before<'t>(text: &'t str, comment: &Range<usize>) -> &'t str {
    let before = &text[line_start(text, comment)..comment.start];
    if before.trim().is_empty() {
        ""
    } else {
        before
    }
}

/// The blanks before a comment that is on the line below one above and is no documentation.
fn own_line<'t>(text: &'t str, above: &Range<usize>, comment: &Range<usize>) -> Option<&'t str> {
    let indent = text[above.end..comment.start].strip_prefix('\n')?;
    let is_doc = source::is_doc(&text[comment.clone()]);
    (!is_doc && indent.trim_matches([' ', '\t']).is_empty()).then_some(indent)
}

/// Where the first of some comments ends with those on the lines right below it.
fn end_of_run(text: &str, comments: &[Range<usize>]) -> usize {
    let pairs = comments.windows(2);
    let is_below = |pair: &&[Range<usize>]| {
        let gap = &text[pair[0].end..pair[1].start];
        gap.trim().is_empty() && gap.matches('\n').count() == 1
    };
    comments[pairs.take_while(is_below).count()].end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comment_for_itself_is_marked() {
        let is_marked = |text: &str| marked(text) != text;
        assert_eq!(
            marked("fn f() {\n    a(); // a\n    // b\n    // c\n    b();\n}\n"),
            "fn f() {\n    a(); // a\n\n    //\u{e000} b\n    // c\n    b();\n}\n"
        );
        assert!(is_marked("} /* a */\n/* b */\nfn f() {}"));
        assert!(is_marked("{\n\ta // a\n\t// b\n}"));
        assert_eq!(
            marked("a(); // a\n     // b\n     // c\n// d\n// e\n"),
            "a(); // a\n     //\u{e001} b\n     //\u{e001} c\n\n//\u{e000} d\n// e\n"
        );
        assert_eq!(
            marked("A { // a\n    // b\n}"),
            "A { // a\n\n    //\u{e000} b\n}"
        );
        assert!(is_marked("#[a] // a\n// b\nfn f() {}"));
        for text in [
            "a(); // a\n\n// b\n",
            "// a\n// b\n",
            "a(); // a\n/// b\nfn f() {}",
            "a // a\n// b\n+ b",
            "\"a(); // a\n// b\"",
        ] {
            assert!(!is_marked(text), "{text}");
        }
    }

    #[test]
    fn marks_go_and_what_belongs_to_a_comment_stands_below_it() {
        for (text, expected) in [
            (
                "\ta(); // a\n\n\t//\u{e000} b\n\t// c\n\tb();\n",
                "\ta(); // a\n\t// b\n\t// c\n\tb();\n",
            ),
            (
                "\tA {\n\t\t// a\n\t   //\u{e000} b\n",
                "\tA {\n\t\t// a\n\t\t// b\n",
            ),
            (
                "\ta: u8, // a\n\t       //\u{e000} b\n\t       // c\n}\n",
                "\ta: u8, // a\n\t// b\n\t// c\n}\n",
            ),
            (
                "\ta(); // a\n\t\t\t//\u{e001} b\n\t\t\t//\u{e001} c\n\t// d\n",
                "\ta(); // a\n\t     // b\n\t     // c\n\t// d\n",
            ),
        ] {
            assert_eq!(settled(text), expected);
        }
    }
}
