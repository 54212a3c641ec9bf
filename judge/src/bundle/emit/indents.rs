//! How deep lines stand that rustfmt leaves as they are: in definitions of macros, in many of their calls, and around strings that are too
//! long for it.
//!
//! Macros may have moved, and their authors indent by other means. So each line in one is marked before rustfmt runs: by an odd number of
//! blanks, from which follows how many levels it is below the line that the macro begins in. Rustfmt itself writes tabs, so that blanks tell
//! afterwards which lines it left. What it moves as a whole it indents by a tab for two blanks, as it should be.
//!
//! What it is told to skip has a layout that its author made by hand: there the columns stay, counted from those of the attribute. Blanks
//! make them where tabs would not, however wide a tab is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{comments, leaves};
use crate::bundle::text::source::{self, columns, Edits, TAB};

/// The text with the lines in macros marked.
pub fn marked(text: &str) -> String {
    let mut edits = Edits::default();
    let stream: TokenStream = text.parse().unwrap_or_default();
    let skipped = skipped(text);
    // The columns of the lines above, by how many groups are open.
    let mut above = BTreeMap::new();
    for gap in gaps(text, &stream, &skipped) {
        let base = columns(indent_of(line_of(text, gap.of.start)));
        let new = gap.with_indents(text, |indent, is_token| {
            let mut width = columns(indent).saturating_sub(base);
            if is_token && !gap.closes {
                above.retain(|groups, _| *groups <= gap.groups);
                // What was put before a token took its indent.
                match above.get(&gap.groups) {
                    Some(above) if width == 0 && gap.groups > 0 => width = *above,
                    _ => drop(above.insert(gap.groups, width)),
                }
            }
            Some(" ".repeat(width))
        });
        edits.replace(gap.range, new);
    }
    let mut kept = skipped.clone();
    outermost(stream, &mut |group| {
        let place = group.span().byte_range();
        if around(&skipped, place.start).is_some() {
            return;
        }
        kept.push(place);
        let mut reader = Reader {
            text,
            edits: &mut edits,
            end: group.span_open().byte_range().end,
            width: base(text, group),
            level: 0,
        };
        reader.read(group, TAB);
    });
    for comment in source::comments(text) {
        let is_in = |range: &Range<usize>| range.contains(&comment.start);
        if !kept.iter().any(is_in) {
            comments::mark(text, comment, &mut edits);
        }
    }
    edits.apply(text)
}

/// Whether all lines stand whole tabs deeper than so many columns.
pub fn is_by_tabs<'l>(lines: impl Iterator<Item = &'l str>, base: usize) -> bool {
    let mut lines = lines.filter(|line| !line.trim().is_empty());
    lines.all(|line| {
        let deeper = columns(indent_of(line)).checked_sub(base);
        deeper.is_some_and(|deeper| deeper % TAB == 0)
    })
}

/// The columns before the line that a macro begins in. What stood there before the macro may have gone, but not what is before its end.
fn base(text: &str, group: &Group) -> usize {
    let [open, close] = [group.span_open(), group.span_close()].map(|span| span.byte_range());
    let line = |at: usize| text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = line(close.start)..close.start;
    columns(
        match end.start > open.start && text[end.clone()].trim().is_empty() {
            true => &text[end],
            false => indent_of(&text[line(open.start)..]),
        },
    )
}

/// Where the things are that rustfmt is told to skip, one after another.
fn skipped(text: &str) -> Vec<Range<usize>> {
    if !text.contains("rustfmt::skip") {
        return Vec::new();
    }
    let Ok(file) = syn::parse_file(text) else {
        return Vec::new();
    };
    let mut skipped = Skipped::default();
    skipped.visit_file(&file);
    let mut found = skipped.found;
    found.sort_by_key(|range| range.start);
    found.dedup_by(|inner, outer| inner.end <= outer.end);
    found
}

#[derive(Default)]
struct Skipped {
    found: Vec<Range<usize>>,
    /// What the next attributes may be those of.
    of: Range<usize>,
}

impl Skipped {
    fn within(&mut self, node: &impl Spanned, then: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.of, node.span().byte_range());
        then(self);
        self.of = outside;
    }
}

impl<'ast> Visit<'ast> for Skipped {
    fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
        let names = attr.path().segments.iter().map(|name| &name.ident);
        let is_outer = matches!(attr.style, syn::AttrStyle::Outer);
        if is_outer && names.eq(["rustfmt", "skip"]) {
            self.found.push(self.of.clone());
        }
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.within(item, |this| visit::visit_item(this, item));
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        self.within(item, |this| visit::visit_impl_item(this, item));
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        self.within(item, |this| visit::visit_trait_item(this, item));
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.within(statement, |this| visit::visit_stmt(this, statement));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.within(arm, |this| visit::visit_arm(this, arm));
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.within(variant, |this| visit::visit_variant(this, variant));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.within(field, |this| visit::visit_field(this, field));
    }
}

/// The one of these that a place is in.
fn around(skipped: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    skipped.iter().find(|range| range.contains(&at))
}

/// What is between two tokens of what rustfmt skips.
struct Gap<'s> {
    range: Range<usize>,
    of: &'s Range<usize>,
    /// How many groups of that are open at the token behind, and whether it closes one more.
    groups: usize,
    closes: bool,
}

fn gaps<'s>(text: &str, stream: &TokenStream, skipped: &'s [Range<usize>]) -> Vec<Gap<'s>> {
    let mut gaps = Vec::new();
    let mut pieces = Vec::new();
    if !skipped.is_empty() {
        leaves(stream.clone(), true, &mut pieces);
    }
    let (mut groups, mut inside) = (0, 0..0);
    for pair in pieces.windows(2) {
        let Some(of) = around(skipped, pair[0].start).filter(|of| pair[1].start < of.end) else {
            continue;
        };
        if *of != inside {
            (groups, inside) = (0, of.clone());
        }
        let [before, next] = [&pair[0], &pair[1]].map(|piece| &text[piece.clone()]);
        let closes = [")", "]", "}"].contains(&next);
        groups += usize::from(["(", "[", "{"].contains(&before));
        groups = groups.saturating_sub(usize::from(closes));
        gaps.push(Gap {
            range: pair[0].end..pair[1].start,
            of,
            groups,
            closes,
        });
    }
    gaps
}

impl Gap<'_> {
    /// The gap with other blanks before what its lines begin with, and no more than an empty line in a row.
    fn with_indents(
        &self,
        text: &str,
        mut new: impl FnMut(&str, bool) -> Option<String>,
    ) -> String {
        let lines: Vec<&str> = text[self.range.clone()].split('\n').collect();
        let last = lines.len() - 1;
        let mut out = lines[0].to_owned();
        for (at, line) in lines.iter().enumerate().skip(1) {
            let indent = indent_of(line);
            let rest = &line[indent.len()..];
            let is_token = at == last;
            if rest.is_empty() && !is_token {
                let next = indent_of(lines[at + 1]).len() == lines[at + 1].len();
                // Of several the last stays, but none before the end of a group.
                if next && (at + 1 < last || self.closes) {
                    continue;
                }
                out.push('\n');
                continue;
            }
            out.push('\n');
            out += new(indent, is_token).as_deref().unwrap_or(indent);
            out += rest;
        }
        out
    }
}

/// What begins with the line that a place is in.
pub fn line_of(text: &str, at: usize) -> &str {
    &text[text[..at].rfind('\n').map_or(0, |n| n + 1)..]
}

/// Calls `then` with what macros get or consist of, but not with macros in others.
fn outermost(stream: TokenStream, then: &mut dyn FnMut(&Group)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if source::is_macro(&trees, at) => then(group),
            TokenTree::Group(group) => outermost(group.stream(), then),
            _ => {}
        }
    }
}

/// The lines inside a group of tokens, as their author indented them.
#[derive(Clone, Copy)]
struct Inside {
    /// The columns before the line that the group begins in, and its level.
    width: usize,
    level: usize,
    /// The columns of a level.
    unit: usize,
    is_block: bool,
}

impl Inside {
    /// The level of a line behind so many columns.
    fn level(&self, width: usize) -> usize {
        let deeper = width.saturating_sub(self.width);
        let least = usize::from(self.is_block || deeper > 0);
        self.level + least.max((deeper + self.unit / 2) / self.unit)
    }
}

/// Goes through the tokens of a macro.
struct Reader<'t> {
    text: &'t str,
    edits: &'t mut Edits,
    /// Where the last token ends.
    end: usize,
    /// Of the present line.
    width: usize,
    level: usize,
}

impl Reader<'_> {
    fn read(&mut self, group: &Group, unit: usize) {
        let mut inside = Inside {
            width: self.width,
            level: self.level,
            unit,
            is_block: group.delimiter() == Delimiter::Brace,
        };
        let mut is_first = true;
        for tree in group.stream() {
            let range = tree.span().byte_range();
            // All tokens of a doc comment have the place of the whole comment.
            if range.start < self.end {
                continue;
            }
            if let Some(width) = self.line_width(range.start) {
                if is_first && width > inside.width {
                    inside.unit = width - inside.width;
                }
                self.width = width;
                self.level = inside.level(width);
                self.mark(range.start, inside, [is_first, false]);
            }
            is_first = false;
            match &tree {
                TokenTree::Group(inner) => {
                    self.end = inner.span_open().byte_range().end;
                    self.read(inner, inside.unit);
                }
                _ => self.end = range.end,
            }
        }
        let close = group.span_close().byte_range();
        if self.line_width(close.start).is_some() {
            (self.width, self.level) = (inside.width, inside.level);
            self.mark(close.start, inside, [is_first, true]);
        }
        self.end = close.end;
    }

    /// The columns before the next token if it begins a line, but for comments.
    fn line_width(&self, start: usize) -> Option<usize> {
        let blanks = blanks(&self.text[self.end..start]);
        let indents = blanks.filter_map(|blank| Some(blank.rsplit_once('\n')?.1));
        indents.last().map(columns)
    }

    /// Marks the line of the next token and those of comments before it. There are no empty lines at the ends of a group.
    fn mark(&mut self, start: usize, inside: Inside, [is_first, is_last]: [bool; 2]) {
        let gap = &self.text[self.end..start];
        let (mut new, mut at) = (String::new(), 0);
        // Of the present line.
        let (mut mark, mut width) = (None, 0);
        for comment in comments_and_end(gap) {
            let is_token = comment.start == gap.len();
            let blank = &gap[at..comment.start];
            if let Some((above, indent)) = blank.rsplit_once('\n') {
                width = columns(indent);
                let level = match is_token {
                    true => self.level,
                    false => inside.level(width),
                };
                let parts = !(is_first && at == 0 || is_last && is_token);
                new += match parts && above.contains('\n') {
                    true => "\n\n",
                    false => "\n",
                };
                new += mark.insert("  ".repeat(level) + " ");
            } else if !blank.is_empty() {
                new.push(' ');
            }
            let mut lines = gap[comment.clone()].split('\n');
            new += lines.next().unwrap_or_default().trim_end();
            let part = if is_by_tabs(lines.clone(), width) {
                2
            } else {
                1
            };
            for line in lines {
                new.push('\n');
                match &mark {
                    Some(mark) if !line.trim().is_empty() => {
                        let deeper = columns(indent_of(line)).saturating_sub(width);
                        new += &format!("{mark}{}{}", " ".repeat(deeper / part), line.trim());
                    }
                    Some(_) => {}
                    None => new += line,
                }
            }
            at = comment.end;
        }
        self.edits.replace(self.end..start, new);
    }
}

/// What is between comments.
fn blanks(gap: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    comments_and_end(gap).map(move |comment| {
        let start = std::mem::replace(&mut at, comment.end);
        &gap[start..comment.start]
    })
}

fn comments_and_end(gap: &str) -> impl Iterator<Item = Range<usize>> {
    let end = gap.len()..gap.len();
    source::comments(gap).into_iter().chain([end])
}

/// The blanks that a line begins with.
pub fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The text that rustfmt wrote with tabs at the start of each line that it left.
pub fn settled(text: &str) -> String {
    let stream: TokenStream = text.parse().unwrap_or_default();
    let mut macros = Vec::new();
    outermost(stream.clone(), &mut |group| {
        macros.push(group.span().byte_range())
    });
    let mut macros = macros.into_iter().peekable();
    let mut edits = Edits::default();
    let skipped = skipped(text);
    let gaps = gaps(text, &stream, &skipped);
    // What is indented by more than its groups and a line that goes on.
    let mut aligned = BTreeSet::new();
    for gap in &gaps {
        gap.with_indents(text, |indent, _| {
            let is_left = !indent.contains('\t');
            if is_left && (indent.len() % TAB > 0 || indent.len() / TAB > gap.groups + 1) {
                aligned.insert(gap.of.start);
            }
            None
        });
    }
    for gap in gaps {
        let tabs = indent_of(line_of(text, gap.of.start));
        let new = gap.with_indents(text, |indent, _| {
            // Where rustfmt did not skip it, it wrote tabs.
            let is_left = !indent.contains('\t');
            let more = match aligned.contains(&gap.of.start) {
                true => indent.to_owned(),
                false => "\t".repeat(indent.len() / TAB),
            };
            is_left.then(|| format!("{tabs}{more}"))
        });
        edits.replace(gap.range, new);
    }
    let mut pieces = Vec::new();
    leaves(stream, true, &mut pieces);
    let mut indent = 0;
    // The indents of the lines that the open groups begin in.
    let mut groups: Vec<usize> = Vec::new();
    // Where the macro around ends, and the indent of the line that it begins in.
    let mut in_macro = (0, 0);
    let mut end = 0;
    let mut before = "";
    for piece in pieces {
        let gap = &text[end..piece.start];
        let token = &text[piece.clone()];
        let closes = [")", "]", "}"].contains(&token);
        let outside = groups.last().copied();
        if around(&skipped, end).is_some_and(|range| piece.start < range.end) {
            // Its gaps are as they should be.
        } else if piece.start < in_macro.0 {
            let (new, last) = unmarked(gap, in_macro.1);
            indent = last.unwrap_or(indent);
            edits.replace(end..piece.start, new);
        } else if let Some((_, last)) = gap.rsplit_once('\n') {
            if is_left(gap) {
                let within = outside.map_or(0, |indent| indent + 1);
                let ended = before.starts_with("//") || ",;({[]}".contains(before);
                indent = match outside {
                    Some(indent) if closes => indent,
                    _ => within + usize::from(!ended || token == "."),
                };
                // A comment amid an expression stands with what goes on.
                let comments = if closes { within } else { indent };
                edits.replace(end..piece.start, indented(gap, comments, indent));
            } else {
                indent = indent_of(last).len();
            }
        }
        if closes {
            groups.pop();
        } else if ["(", "[", "{"].contains(&token) {
            groups.push(indent);
        }
        if let Some(inside) = macros.next_if(|inside| inside.start == piece.start) {
            in_macro = (inside.end, indent);
        }
        end = piece.end;
        before = token;
    }
    edits.apply(text)
}

/// The lines of a gap but for the first, which ends another, and whether each begins within a comment.
fn lines_of(gap: &str) -> impl Iterator<Item = (&str, bool)> {
    let comments = source::comments(gap);
    let mut at = 0;
    let lines = gap.split('\n').map(move |line| {
        let is_in = comments.iter().any(|c| c.start < at && at < c.end);
        at += line.len() + 1;
        (line, is_in)
    });
    lines.skip(1)
}

/// Whether blanks tell that rustfmt left a gap as it was: those before the token, if no comment ends on its line.
fn is_left(gap: &str) -> bool {
    let is_by_blanks =
        |(line, is_in_comment): (&str, bool)| !is_in_comment && indent_of(line).contains(' ');
    match lines_of(gap).last() {
        Some((_, true)) => lines_of(gap).any(is_by_blanks),
        last => last.is_some_and(is_by_blanks),
    }
}

/// A gap that rustfmt left, with tabs before its comments, and as many as is said before the token behind it.
fn indented(gap: &str, comments: usize, token: usize) -> String {
    let first = gap.split('\n').next().unwrap_or_default();
    let mut new = match first.trim() {
        "" => String::new(),
        comment => format!(" {comment}"),
    };
    let mut lines = lines_of(gap).peekable();
    while let Some((line, is_in_comment)) = lines.next() {
        let is_last = lines.peek().is_none();
        let rest = &line[indent_of(line).len()..];
        new.push('\n');
        if !is_in_comment && (is_last || !rest.is_empty()) {
            new += &"\t".repeat(if is_last { token } else { comments });
            new += rest;
        } else if rest.starts_with('*') {
            // Rustfmt would have written it so.
            new += &format!("{} {rest}", "\t".repeat(comments));
        } else {
            new += line;
        }
    }
    new
}

/// A gap in a macro that begins in a line with an indent, with tabs in the marked lines, and the indent of its last line.
fn unmarked(gap: &str, base: usize) -> (String, Option<usize>) {
    let (mut new, mut at, mut last) = (String::new(), 0, None);
    // The blanks of the present line.
    let mut mark = 0;
    for comment in comments_and_end(gap) {
        match gap[at..comment.start].rsplit_once('\n') {
            Some((above, blanks)) => {
                mark = blanks.matches(' ').count();
                let tabs = match mark {
                    0 => blanks.len(),
                    _ => base + mark / 2,
                };
                new += &format!("{above}\n{}", "\t".repeat(tabs));
                last = Some(tabs);
            }
            None => new += &gap[at..comment.start],
        }
        for (n, line) in gap[comment.clone()].split('\n').enumerate() {
            if n > 0 {
                new.push('\n');
            }
            let blanks = indent_of(line);
            if n > 0 && mark > 0 && blanks.len() >= mark {
                new += &"\t".repeat(base + mark / 2);
                new += &line[mark..];
            } else {
                new += line;
            }
        }
        at = comment.end;
    }
    (new, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::emit;

    #[test]
    fn what_rustfmt_leaves_is_indented() {
        let text = "mod a {\n\tfn f() {\n\t\twrite!( // c\n            f,\n\n            \"x\n  y\",\n            // d\n            g(|| {\n                \
                    1\n            })\n                .h(),\n        )\n\t}\n}\n";
        let want = "mod a {\n\tfn f() {\n\t\twrite!( // c\n\t\t\tf,\n\n\t\t\t\"x\n  y\",\n\t\t\t// d\n\t\t\tg(|| {\n\t\t\t\t\
                    1\n\t\t\t})\n\t\t\t\t.h(),\n\t\t)\n\t}\n}\n";
        assert_eq!(settled(&marked(text)), want);
        let [call, want] = [text, want].map(|text| text.replace("write!", "write"));
        assert_eq!(settled(&call), want);
        assert_eq!(settled(&want), want);
    }

    #[test]
    fn comments_between_the_arms_of_a_macro_are_indented() {
        let text = "macro_rules! m {\n    // one\n    () => {\n        a // b\n    };\n\n    // two\n\n    (1) => {}; // c\n    // three\n\n}\n";
        let expected = "macro_rules! m {\n\t// one\n\t() => {\n\t\ta // b\n\t};\n\n\t// two\n\n\t(1) => {}; // c\n\t// three\n}\n";
        assert_eq!(settled(&marked(text)), expected);
    }

    #[test]
    fn what_rustfmt_leaves_is_indented_by_nesting() {
        let text = "mod a {\n\tmacro_rules! m {\n    ($a:expr) => {\n        f(\"x\n  y\", [\n          $a])\n    };\n\n\n    () => {};\n  }\n}\n";
        let expected = "mod a {\n\tmacro_rules! m {\n\t\t($a:expr) => {\n\t\t\tf(\"x\n  y\", [\n\t\t\t\t$a])\n\t\t};\n\n\t\t() => {};\n\t}\n}\n";
        assert_eq!(settled(&marked(text)), expected);
    }

    #[test]
    fn doc_comments_in_a_macro_are_indented_like_the_rest() {
        let text = "thread_local! {\n    /// A {\n    /// b\n  static X: u8 = 0;\n\n\n/** C */\n  #[d]\nstruct Y {\n/// e\n  f: u8\n /// é\n}\n//! G\n }\n";
        let expected = "thread_local! {\n\t/// A {\n\t/// b\n\tstatic X: u8 = 0;\n\n\t/** C */\n\t#[d]\n\tstruct Y {\n\t\t/// e\n\t\tf: u8\n\t\t/// é\n\t}\n\t//! G\n}\n";
        assert_eq!(settled(&marked(text)), expected);
    }

    /// What becomes of a macro four columns deep that comes to stand below one tab.
    fn moved(lines: &str) -> String {
        let lines = marked(lines);
        let text = format!("mod a {{\n\t{}}}\n", lines.trim_start());
        let settled = settled(&text);
        let inside = settled.strip_prefix("mod a {\n").unwrap();
        inside.strip_suffix("}\n").unwrap().to_owned()
    }

    #[test]
    fn lines_that_go_on_are_deeper_as_their_author_put_them() {
        let text = "    macro_rules! m {
        ($x:expr, $($t:ty)*) => {
            $x.iter()
                .map(|x| {
                    x > 0
                        && x < 9
                })
        };
        (@) => {$(
            impl A for $t
            where
                $t: B,
            {
            }

            impl C for $t {}
        )*};
        (#) => {
            $(impl A for $t {
            }

            impl C for $t {})*
            call! { 1 +
                2
            }
        };
    }
";
        let want = text.replace("    ", "\t");
        assert_eq!(moved(text), want);
        assert_eq!(moved(&want), want);
        let narrow = text.replace("    ", "  ");
        assert_eq!(moved(&narrow), want);
    }

    #[test]
    fn comments_of_several_lines_move_as_they_are() {
        let text = "    m! {
        /* one
           two

         * three */
        a /* four
   five */
        ;
    }
";
        let want = "\tm! {
\t\t/* one
\t\t   two

\t\t * three */
\t\ta /* four
   five */
\t\t;
\t}
";
        assert_eq!(moved(text), want);
    }

    #[test]
    fn what_rustfmt_skips_keeps_its_shape() {
        let text = "fn f() {
    #[rustfmt::skip]
    macro_rules! m {
        (a) => { 1 };
        (b) => {
            2
                + 3
        };
    }
    n!(
        a => 1;
        b => [
            2
        ]
    );
}
";
        let folder = tempfile::tempdir().unwrap();
        match emit::formatted(text, folder.path(), emit::Layout::Sorted) {
            Ok(out) => assert_eq!(out, text.replace("    ", "\t")),
            Err(why) => assert_eq!(why, "rustfmt is missing or failed"),
        }
    }

    #[test]
    fn what_rustfmt_skips_keeps_its_columns() {
        // As modules come that were files of their own.
        let text = "mod a {
#[rustfmt::skip]
const A: [u8; 4] = [
    1,   2, // two

    // four
    3, 4,
];
impl B {
    #[rustfmt::skip]
    fn c() -> [[u8; 2]; 2] {
        let d = 0;
        [[1, d],   /* e
                      f */
         [d, 1]]
    }
    fn g() {
        #[rustfmt::skip]
        let h = [1,   2,
                 3, m!(4,
                       5), \"6
  7\"];
        h ( );
    }
}
#[rustfmt::skip]
mod i {
  use a;
use b;


  fn c( ) {}

}
}
";
        let want = "mod a {
\t#[rustfmt::skip]
\tconst A: [u8; 4] = [
\t\t1,   2, // two

\t\t// four
\t\t3, 4,
\t];
\timpl B {
\t\t#[rustfmt::skip]
\t\tfn c() -> [[u8; 2]; 2] {
\t\t    let d = 0;
\t\t    [[1, d],   /* e
\t\t                  f */
\t\t     [d, 1]]
\t\t}
\t\tfn g() {
\t\t\t#[rustfmt::skip]
\t\t\tlet h = [1,   2,
\t\t\t         3, m!(4,
\t\t\t               5), \"6
  7\"];
\t\t\th();
\t\t}
\t}
\t#[rustfmt::skip]
\tmod i {
\t  use a;
\t  use b;

\t  fn c( ) {}
\t}
}
";
        let folder = tempfile::tempdir().unwrap();
        match emit::formatted(text, folder.path(), emit::Layout::Sorted) {
            Ok(out) => assert_eq!(out, want),
            Err(why) => assert_eq!(why, "rustfmt is missing or failed"),
        }
    }

    #[test]
    fn lines_of_a_comment_stand_as_deep_as_they_did() {
        let text = "\
/*
    one
        two
*/
fn main() {
    f(1);
    /*
    fn g() {
        h();
    }
    */
    /*
     * five
     */
    m! {
        /*
            six
        */
    }
}
";
        let folder = tempfile::tempdir().unwrap();
        let tabs = text.replace("    ", "\t");
        for text in [text, &tabs] {
            match emit::formatted(text, folder.path(), emit::Layout::Sorted) {
                Ok(out) => assert_eq!(out, tabs),
                Err(why) => assert_eq!(why, "rustfmt is missing or failed"),
            }
        }
    }

    #[test]
    fn comments_before_code_that_rustfmt_leaves_are_indented() {
        let long = "this text is longer than rustfmt takes, ".repeat(4);
        let text = format!(
            "\
fn f(k: u8) -> String {{
	match k {{
		0 => format!(\"{long}{{}}\", k),
		/* one */
		1 => {{
			let x = k + 1;
			/* the table of two:
			     a b
			   c d */
			let t = [
				x, // first
				/*
				 * second
				 */
				2,
			];
			format!(\"{{}}\", t[0])
		}}
		/* a */ /* b */
		// rest
		_ => String::new(),
	}}
}}
"
        );
        emit::tests::is_left(&text);
    }
}
