//! What rustfmt would spoil: it drops comments where it expects none, as in `[u8 /* a */; 2]`, and of `a, /* b */, /* c */` it makes a list
//! with two commas in a row.
//!
//! So what it wrote is compared with what it got, and the statement, arm, field or item with such a comment is skipped when it writes once
//! more. What only holds other things is not skipped for a comment in its head: that goes above it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::TokenStream;
use similar::{capture_diff_slices, Algorithm, DiffOp};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::leaves;
use crate::bundle::text::source::{self, Edits};

const SKIP: &str = "#[rustfmt::skip]";

/// What tells our own from others, with a letter for private use, which no source has.
const MARK: &str = "/*\u{e004}*/";

/// What is to be done about it.
#[derive(Default)]
pub struct Spoilt {
    /// Where the things begin that are skipped.
    skipped: BTreeSet<usize>,
    /// The comments that go above something, by the places of both.
    raised: BTreeMap<usize, usize>,
}

impl Spoilt {
    /// Adds what rustfmt spoiled in a text, and tells whether there is any that was not known.
    pub fn add(&mut self, text: &str, out: &str) -> bool {
        let spoilt = comments(text, out);
        let file = match spoilt.is_empty() {
            true => return false,
            false => syn::parse_file(text),
        };
        let mut things = Things::default();
        if let Ok(file) = file {
            things.visit_file(&file);
        }
        let size = self.skipped.len() + self.raised.len();
        for at in spoilt {
            // Where it did not help to skip something, what is around it is.
            let around = things
                .0
                .iter()
                .filter(|(range, _)| range.contains(&at) && !self.skipped.contains(&range.start));
            match around.min_by_key(|(range, _)| range.len()) {
                Some((range, Is::Head)) => drop(self.raised.insert(at, range.start)),
                Some((range, Is::Whole)) => drop(self.skipped.insert(range.start)),
                None => {}
            }
        }
        self.skipped.len() + self.raised.len() > size
    }

    /// The text with marks at what is to be skipped.
    pub fn marked(&self, text: &str) -> String {
        let mut edits = Edits::default();
        for &place in &self.skipped {
            edits.insert(place, format!("{SKIP}{MARK}"));
        }
        for comment in source::comments(text) {
            if let Some(&above) = self.raised.get(&comment.start) {
                edits.insert(above, format!("{}\n", &text[comment.clone()]));
                edits.delete(comment);
            }
        }
        edits.apply(text)
    }
}

/// The text that rustfmt wrote, without the marks.
pub fn settled(text: &str) -> String {
    let mut parts = text.split(MARK);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let before = out.trim_end();
        out.truncate(before.strip_suffix(SKIP).unwrap_or(before).len());
        // Rustfmt may put what it skips on the next line.
        out += part.trim_start();
    }
    out
}

/// Where the comments of a text begin that are missing in another, or have commas around them there.
fn comments(text: &str, out: &str) -> BTreeSet<usize> {
    let (from, to) = (source::comments(text), source::comments(out));
    let (before, after) = (said(text, &from), said(out, &to));
    let mut missing: BTreeMap<&String, isize> = BTreeMap::new();
    for (list, by) in [(&before, 1), (&after, -1)] {
        for comment in list {
            *missing.entry(comment).or_default() += by;
        }
    }
    let broken = between_commas(out);
    let mut found = BTreeSet::new();
    if broken.is_empty() && missing.values().all(|&number| number <= 0) {
        return found;
    }
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => {
                let pairs = (0..len).map(|n| (old_index + n, new_index + n));
                let pairs =
                    pairs.filter(|(_, new)| broken.iter().any(|gap| gap.contains(&to[*new].start)));
                found.extend(pairs.map(|(old, _)| from[old].start));
            }
            // What has moved is there all the same.
            _ => {
                let gone = op.old_range().filter(|&old| missing[&before[old]] > 0);
                found.extend(gone.map(|old| from[old].start));
            }
        }
    }
    found
}

/// What comments say, but for their layout.
fn said(text: &str, comments: &[Range<usize>]) -> Vec<String> {
    let of = |range: &Range<usize>| text[range.clone()].split_whitespace().collect();
    comments.iter().map(of).collect()
}

/// The gaps between two commas, where there is more than blanks.
fn between_commas(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let stream: TokenStream = text.parse().unwrap_or_default();
    leaves(stream, true, &mut pieces);
    let pairs = pieces.windows(2);
    let gaps = pairs.filter(|pair| pair.iter().all(|piece| &text[piece.clone()] == ","));
    gaps.map(|pair| pair[0].end..pair[1].start)
        .filter(|gap| !text[gap.clone()].trim().is_empty())
        .collect()
}

#[derive(Clone, Copy)]
enum Is {
    /// Something that rustfmt can be told to skip.
    Whole,
    /// What is before the braces of something that only holds other things.
    Head,
}

#[derive(Default)]
struct Things(Vec<(Range<usize>, Is)>);

impl Things {
    fn add(&mut self, thing: &impl Spanned) {
        self.0.push((thing.span().byte_range(), Is::Whole));
    }
}

impl<'ast> Visit<'ast> for Things {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let place = item.span().byte_range();
        let braces = match item {
            syn::Item::Impl(item) => Some(&item.brace_token),
            syn::Item::Trait(item) => Some(&item.brace_token),
            syn::Item::Mod(item) => item.content.as_ref().map(|(braces, _)| braces),
            _ => None,
        };
        self.0.push(match braces {
            Some(braces) => (place.start..braces.span.open().byte_range().start, Is::Head),
            None => (place, Is::Whole),
        });
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        self.add(item);
        visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        self.add(item);
        visit::visit_trait_item(self, item);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        use syn::Expr::{Assign, Binary, Break, Cast, Range, Return};
        // An attribute would be one of what it begins with, or is not expected.
        let begins_with_another = matches!(
            statement,
            syn::Stmt::Expr(
                Assign(_) | Binary(_) | Break(_) | Cast(_) | Range(_) | Return(_),
                _
            )
        );
        if !begins_with_another {
            self.add(statement);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.add(arm);
        visit::visit_arm(self, arm);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add(variant);
        visit::visit_variant(self, variant);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if field.ident.is_some() {
            self.add(field);
        }
        visit::visit_field(self, field);
    }
}

#[cfg(test)]
mod tests {
    use crate::bundle::emit::tests::{is_left, written};

    #[test]
    fn comments_stay_where_rustfmt_expects_none() {
        is_left(
            "\
struct G {
	d: [u8 /* per row */; 2],
	n: /* all */ usize,
}

enum E {
	A = /* first */ 0,
	B /* second */ = 1,
}

type Id = /* index */ usize;

impl G {
	fn s(& /* never changed */ self) -> i64 {
		let a: /* of a row */ i64 = 1;
		a + 1
	}
}

fn f(
	a: usize,
) // behind the list
-> usize {
	match a {
		0 => 1,
		_ => {
			let b = [0 /* none */; 2];
			b[0]
		}
	}
}
",
        );
    }

    #[test]
    fn comments_around_a_comma_do_not_make_it_two() {
        let text = "\
struct G { a: u8
	, b: u8 /* b */ , /* end */
}

fn f(x: u8) {
	h(x, 2 /* a */ , /* b */);
	if x > 2 { h(g) }
	match x {
		0 => 1 /* c */ ,
		_ => 2,
	}
}
";
        let want = text.replace("if x > 2 { h(g) }", "if x > 2 {\n\t\th(g)\n\t}");
        if let Some(out) = written(text) {
            assert_eq!(out, want);
        }
    }

    #[test]
    fn a_statement_that_begins_with_another_is_skipped_with_what_is_around() {
        is_left(
            "\
fn f(mut a: u8, b: u8) -> u8 {
	a = b as /* cut off */ u8 + 1;
	a
}

fn g() -> u8 {
	1
}
",
        );
    }

    #[test]
    fn comments_in_heads_go_above() {
        let text = "\
/// Documented.
impl /* of all */ A for // of B
B
where
	u8: /* wide */ C,
{
	fn a() {}
}

mod /* m */ m {
	fn b() {}
}
";
        let want = "\
/* of all */
// of B
/* wide */
/// Documented.
impl A for B
where
	u8: C,
{
	fn a() {}
}

/* m */
mod m {
	fn b() {}
}
";
        if let Some(out) = written(text) {
            assert_eq!(out, want);
        }
    }

    #[test]
    fn of_equal_comments_the_lost_one_is_found() {
        is_left(
            "\
type A = u8; // index

type B = /* index */ u8;

type C = /* index */ u8;

fn f() {
	// index
	g();
}
",
        );
    }
}
