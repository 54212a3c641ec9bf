//! Blanks in calls that come from other macros: such a call has one on each side of everything, and rustfmt leaves that where the arguments
//! are no expressions.

use std::ops::Range;

use super::{leaves, made_strings};
use crate::bundle::load::expand::{self, KEYWORDS};
use crate::bundle::text::source::Edits;

/// The text with such calls as somebody would write them.
pub fn closed(text: &str) -> String {
    let mut pieces = Vec::new();
    leaves(text.parse().unwrap_or_default(), true, &mut pieces);
    let tokens = Tokens { text, pieces };
    let strings = made_strings(text);
    let mut edits = Edits::default();
    let mut at = 1;
    while at < tokens.pieces.len() {
        let Some(call) = tokens.call(at) else {
            at += 1;
            continue;
        };
        at = call.end;
        let start = tokens.pieces[call.start].start;
        // Those see the blanks.
        if !strings.iter().any(|string| string.contains(&start)) {
            for blank in tokens.needless(call) {
                edits.delete(blank);
            }
        }
    }
    edits.apply(text)
}

struct Tokens<'t> {
    text: &'t str,
    pieces: Vec<Range<usize>>,
}

impl Tokens<'_> {
    fn token(&self, at: usize) -> &str {
        let piece = self.pieces.get(at);
        piece.map_or("", |piece| &self.text[piece.clone()])
    }

    /// The tokens of a call or a definition whose mark is at a place, if a blank parts it from the name.
    fn call(&self, at: usize) -> Option<Range<usize>> {
        let name = self.token(at - 1);
        if self.token(at) != "!" || self.blank(at - 1).is_none() || !is_name(name) {
            return None;
        }
        // What a pattern of a macro takes for a name is no call.
        if at >= 4 && (self.token(at - 4), self.token(at - 2)) == ("$", ":") {
            return None;
        }
        let open = at + 1 + usize::from(is_name(self.token(at + 1)));
        if !is_open(self.token(open)) {
            return None;
        }
        let mut start = at - 1;
        while start >= 3 && self.is_path(start - 2) && is_word(self.token(start - 3)) {
            start -= 3;
        }
        let mut depth = 0;
        let end = (open..self.pieces.len()).find(|&at| {
            depth += i32::from(is_open(self.token(at)));
            depth -= i32::from(is_close(self.token(at)));
            depth == 0
        })?;
        Some(start..end + 1)
    }

    /// Whether `::` begins at a place.
    fn is_path(&self, at: usize) -> bool {
        (self.token(at), self.token(at + 1)) == (":", ":")
    }

    /// The blanks behind a token, on its line.
    fn blank(&self, at: usize) -> Option<Range<usize>> {
        let blank = self.pieces[at].end..self.pieces.get(at + 1)?.start;
        let is_blank = !blank.is_empty() && self.text[blank.clone()].bytes().all(|b| b == b' ');
        is_blank.then_some(blank)
    }

    /// Those that nobody would write: all, or all but one.
    fn needless_behind(&self, at: usize) -> Option<Range<usize>> {
        let blank = self.blank(at)?;
        let left = usize::from(!self.is_close_to_next(at));
        Some(blank.start + left..blank.end).filter(|blank| !blank.is_empty())
    }

    /// The blanks that nobody would write among some tokens, which are the same without them.
    fn needless(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let whole = self.pieces[tokens.start].start..self.pieces[tokens.end - 1].end;
        let gaps = tokens.start..tokens.end - 1;
        let found: Vec<Range<usize>> = gaps.filter_map(|at| self.needless_behind(at)).collect();
        let mut edits = Edits::default();
        for blank in &found {
            edits.delete(blank.start - whole.start..blank.end - whole.start);
        }
        let old = &self.text[whole];
        let seen = |text: &str| Some(expand::glued(text.parse().ok()?).to_string());
        match seen(old) == seen(&edits.apply(old)) {
            true => found,
            false => Vec::new(),
        }
    }

    fn is_close_to_next(&self, at: usize) -> bool {
        let [a, b, c] = [at, at + 1, at + 2].map(|at| self.token(at));
        let before = at.checked_sub(1).map_or("", |at| self.token(at));
        let begins = is_open(before) || [",", ";", "=", ">"].contains(&before);
        match (a, b) {
            ("(" | "[" | "$", _) | (_, ")" | "]" | "," | ";" | "?") => true,
            // A range has two of them.
            (".", _) => before != ".",
            (_, ".") => c != ".",
            (":", _) => before == ":",
            (_, ":") => is_word(a) || [")", "]", ">"].contains(&a),
            (_, "!") => is_name(a) && (is_open(c) || a == "macro_rules"),
            ("!", "(" | "[") if is_name(before) => true,
            ("#", "[") => true,
            (_, "(") => is_name(a),
            ("&" | "*" | "!" | "-" | "@", _) => begins,
            _ => false,
        }
    }
}

fn is_open(token: &str) -> bool {
    ["(", "[", "{"].contains(&token)
}

fn is_close(token: &str) -> bool {
    [")", "]", "}"].contains(&token)
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_name(token: &str) -> bool {
    is_word(token) && !KEYWORDS.contains(&token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_lose_the_blanks_that_nobody_writes() {
        for (text, expected) in [
            ("fn f() { g ! (a b , c) }", "fn f() { g!(a b, c) }"),
            ("type A = [u8 ; crate :: a :: g ! [k l] - 1];", "type A = [u8 ; crate::a::g![k l] - 1];"),
            (
                "g ! { @ a # [repr (transparent)] ( [u32 ; 4] ) => * self , & mut x . y . z () ? , i : T :: U , - 1 - 2 , h ! (x) }",
                "g! { @a #[repr(transparent)] ([u32; 4]) => *self, &mut x.y.z()?, i: T::U, -1 - 2, h!(x) }",
            ),
            (
                "macro_rules ! a { ($ i : ident , $ ($ j : expr) *) => { $ crate :: g ! ($ i) } }",
                "macro_rules! a { ($i: ident, $($j: expr) *) => { $crate::g!($i) } }",
            ),
            ("g ! {  a  < b >   =>  c  ,  d  }", "g! { a < b > => c, d }"),
            // Other tokens, and what is no call.
            ("g ! (1 . 2 , a)", "g ! (1 . 2 , a)"),
            ("fn f() { if ! (a , b) . c { return ! (d) } }", "fn f() { if ! (a , b) . c { return ! (d) } }"),
            ("g ! (x , if ! (y) { 0 .. 1 } , \"a , b\")", "g!(x, if ! (y) { 0 .. 1 }, \"a , b\")"),
            // Somebody's own.
            ("macro_rules! m { ($f:ident ! ( $a:expr ) ) => {} }", "macro_rules! m { ($f:ident ! ( $a:expr ) ) => {} }"),
            ("g!(a , b); stringify!(h ! (a , b))", "g!(a , b); stringify!(h ! (a , b))"),
        ] {
            assert_eq!(closed(text), expected);
        }
    }
}
