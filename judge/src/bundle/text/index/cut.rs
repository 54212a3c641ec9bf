//! A text without some of its nodes.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::UseTree;

use super::{plain, Index, Kind, Sort};
use crate::bundle::compiler::Fix;
use crate::bundle::shake::follow::STANDARD;
use crate::bundle::text::source::{self, blank, Edits};

/// What is to become of the leaves of a `use`.
struct Pruning<'p> {
    /// The text of a place.
    text: &'p dyn Fn(Range<usize>) -> String,
    /// What is said about a name in braces, above it and behind it.
    comments: &'p dyn Fn(&Range<usize>) -> [&'p str; 2],
    gone: BTreeSet<(usize, usize)>,
    /// Whether `use a::{self};` brings all that `use a;` does.
    is_only_module: &'p dyn Fn(&[String]) -> bool,
}

impl Pruning<'_> {
    /// The text of a tree that a path leads to; `None` if nothing is left.
    fn pruned(&self, tree: &UseTree, path: &mut Vec<String>) -> Option<String> {
        match tree {
            UseTree::Path(of) => {
                path.push(plain(&of.ident));
                let inner = self.pruned(&of.tree, path);
                let lone = inner.as_ref().and_then(|inner| {
                    let rest = inner.strip_prefix("{self")?.strip_suffix('}')?;
                    (!rest.contains(',') && (self.is_only_module)(path)).then_some(rest)
                });
                path.pop();
                let name = (self.text)(of.ident.span().byte_range());
                match lone {
                    Some(renamed) => Some(name + renamed),
                    None => Some(format!("{name}::{}", inner?)),
                }
            }
            UseTree::Group(group) => {
                let mut kept: Vec<(String, &UseTree)> = group
                    .items
                    .iter()
                    .filter_map(|tree| Some((self.pruned(tree, path)?, tree)))
                    .collect();
                let comments = |tree: &UseTree| (self.comments)(&tree.span().byte_range());
                match kept.len() {
                    0 => None,
                    _ if kept.iter().any(|(_, tree)| comments(tree) != [""; 2]) => {
                        let lines = kept.into_iter().map(|(text, tree)| {
                            let [above, behind] = comments(tree);
                            let end = if above.is_empty() { "" } else { "\n" };
                            format!("{above}{end}{text}, {behind}\n")
                        });
                        Some(format!("{{\n{}}}", lines.collect::<String>()))
                    }
                    1 if !matches!(kept[0].1, UseTree::Name(name) if name.ident == "self")
                        && !matches!(kept[0].1, UseTree::Rename(name) if name.ident == "self") =>
                    {
                        Some(kept.remove(0).0)
                    }
                    _ => {
                        let kept: Vec<String> = kept.into_iter().map(|(text, _)| text).collect();
                        Some(format!("{{{}}}", kept.join(", ")))
                    }
                }
            }
            leaf => {
                let range = leaf.span().byte_range();
                (!self.gone.contains(&(range.start, range.end))).then(|| (self.text)(range))
            }
        }
    }
}

/// Modules of the standard library beside which there is a macro of the name: that of these is everywhere anyway, but one of the text may be
/// called so.
const WITH_MACROS: [&str; 3] = ["env", "panic", "vec"];

/// One beside which there is a macro that is not stable.
const ASSERT_MATCHES: &str = "assert_matches";

impl Index<'_> {
    /// The `extern` blocks, and the calls with parts, of which nothing is left.
    fn emptied(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let is_empty = |items: &Range<usize>| items.clone().all(|n| gone.contains(&n));
        let empty = self.foreign.iter().filter(|(_, items)| is_empty(items));
        let place = |range: &Range<usize>| self.with_comments(range.start)..range.end;
        let empty = empty.map(|(range, _)| place(range));
        let calls = self.lists.chunk_by(|one, next| one.call == next.call);
        let calls = calls.filter(|lists| lists.iter().all(|list| is_empty(&list.parts)));
        let calls = calls.map(|lists| self.nodes[lists[0].call].range.clone());
        empty.chain(calls).collect()
    }

    /// Whether a node is a part of a call.
    pub fn is_part(&self, n: usize) -> bool {
        let parent = self.nodes[n].parent;
        parent.is_some_and(|parent| self.nodes[parent].kind == Kind::Call)
    }

    /// The text with some nodes blanked: all that stays is where it was.
    pub fn blanked(&self, gone: &BTreeSet<usize>) -> String {
        let mut bytes = self.text.as_bytes().to_vec();
        for range in self.emptied(gone) {
            blank(&mut bytes, range);
        }
        for range in self.gone_of_lists(gone) {
            blank(&mut bytes, range);
        }
        for &n in gone {
            if self.nodes[n].kind != Kind::Import && !self.is_part(n) {
                blank(&mut bytes, self.nodes[n].range.clone());
            }
        }
        for import in &self.imports {
            if gone.range(import.leaves.clone()).next().is_none() {
                continue;
            }
            let mut leaves = import.leaves.clone().map(|n| gone.contains(&n));
            if blank_leaves(&mut bytes, &import.item.tree, &mut leaves) {
                let start = self.with_comments(import.range.start);
                blank(&mut bytes, start..import.range.end);
            }
        }
        String::from_utf8(bytes).expect("each byte of what is blanked becomes a space")
    }

    /// The text without some nodes, and with replacements in the rest.
    pub fn without(&self, gone: &BTreeSet<usize>, fixes: &[Fix]) -> String {
        let mut edits = Edits::default();
        let is_gone = OnceCell::new();
        let is_left = |n: usize| !is_gone.get_or_init(|| self.all_in(gone))[n];
        for (range, with) in fixes {
            edits.replace(range.clone(), with);
        }
        for range in self.emptied(gone) {
            edits.delete(self.whole_lines(range));
        }
        for range in self.titles_of_nothing(gone) {
            edits.delete(self.whole_lines(range));
        }
        for range in self.regions_of_nothing(gone) {
            edits.delete(self.whole_lines(range));
        }
        for range in self.gone_of_lists(gone) {
            edits.delete(range);
        }
        for &n in gone {
            let node = &self.nodes[n];
            if node.kind != Kind::Import && !self.is_part(n) {
                edits.delete(self.whole_lines(node.range.clone()));
            }
        }
        for import in &self.imports {
            let leaves: BTreeSet<(usize, usize)> = gone
                .range(import.leaves.clone())
                .map(|&n| (self.nodes[n].range.start, self.nodes[n].range.end))
                .collect();
            if leaves.is_empty() {
                continue;
            }
            let tree = import.item.tree.span().byte_range();
            let is_within = |of: &Range<usize>, place: &Range<usize>| {
                place.start <= of.start && of.end <= place.end
            };
            let in_tree: Vec<&Fix> = fixes
                .iter()
                .filter(|fix| is_within(&fix.0, &tree))
                .collect();
            let text = |place: Range<usize>| {
                let mut edits = Edits::default();
                for (range, with) in in_tree.iter().filter(|fix| is_within(&fix.0, &place)) {
                    edits.replace(range.start - place.start..range.end - place.start, with);
                }
                edits.apply(&self.text[place])
            };
            let pruning = Pruning {
                text: &text,
                comments: &|place| self.comments_around(place),
                gone: leaves,
                is_only_module: &|path| self.is_only_module(path, &is_left),
            };
            match pruning.pruned(&import.item.tree, &mut Vec::new()) {
                Some(pruned) => {
                    edits.replace(tree, pruned);
                }
                None => {
                    let range = self.with_comments(import.range.start)..import.range.end;
                    edits.delete(self.whole_lines(range));
                }
            }
        }
        edits.apply(self.text)
    }

    /// Whether what a path leads to is a module or a type, and surely nothing else that is left has its name.
    fn is_only_module(&self, path: &[String], is_left: &dyn Fn(usize) -> bool) -> bool {
        let Some((name, [first, above @ ..])) = path.split_last() else {
            return false;
        };
        let mut left = (0..self.nodes.len()).filter(|&n| is_left(n));
        if STANDARD.contains(&first.as_str()) {
            let is_macro = |n: usize| self.nodes[n].sort == Sort::Macro && self.has_word(n, name);
            return !above.is_empty()
                || name != ASSERT_MATCHES
                    && (!WITH_MACROS.contains(&name.as_str()) || !left.any(is_macro));
        }
        let is_module = |first: &str| {
            let mut nodes = self.nodes.iter();
            nodes.any(|node| node.kind == Kind::Module && node.name == first)
        };
        let is_inside = |first: &str| {
            ["crate", "self", "super"].contains(&first)
                || STANDARD.contains(&first)
                || is_module(first)
        };
        left.all(|n| {
            let node = &self.nodes[n];
            match node.kind {
                Kind::Item if node.sort == Sort::Macro => !self.has_word(n, name),
                Kind::Item => node.name != *name || self.is_only_type(n),
                Kind::Arm | Kind::Call => !self.has_word(n, name),
                Kind::Import if [name, "*"].contains(&node.name.as_str()) => {
                    let path = self.import_path(n).unwrap_or_default();
                    path.first().is_some_and(|first| is_inside(first))
                        && [name, "self", "*"].contains(&node.original())
                }
                _ => true,
            }
        })
    }

    /// Whether an item is a type or a trait, and no function or value: others than structs without braces.
    fn is_only_type(&self, n: usize) -> bool {
        let node = &self.nodes[n];
        match node.sort {
            Sort::Alias => true,
            Sort::Type | Sort::Trait => self.text_at(&node.range).trim_end().ends_with('}'),
            Sort::Value | Sort::Macro => false,
        }
    }

    /// Whether a word stands in a node.
    pub fn has_word(&self, n: usize, word: &str) -> bool {
        source::words(self.text_at(&self.nodes[n].range)).any(|other| other == word)
    }

    /// The lines of something that stands on them alone, but for comments behind it: else the thing itself, and the blanks on one side.
    pub fn whole_lines(&self, range: Range<usize>) -> Range<usize> {
        let blanks = [' ', '\t'];
        let start = self.text[..range.start].rfind('\n').map_or(0, |n| n + 1);
        if !self.text[start..range.start].trim().is_empty() {
            let before = self.text[..range.start].trim_end_matches(blanks).len();
            let is_between = self.text[range.end..].starts_with([' ', '\t', '\r', '\n']);
            return if is_between { before } else { range.start }..range.end;
        }
        let mut end = range.end;
        loop {
            let rest = self.text[end..].trim_start_matches([' ', '\t', '\r']);
            let at = self.text.len() - rest.len();
            if rest.is_empty() || rest.starts_with('\n') {
                let below = self.comments.partition_point(|comment| comment.start < at);
                match self.comments.get(below) {
                    // The comment behind this goes on.
                    Some(comment)
                        if end > range.end && source::goes_on(self.text, &self.comments, below) =>
                    {
                        end = comment.end;
                        continue;
                    }
                    _ => return start..(at + 1).min(self.text.len()),
                }
            }
            let comment = self
                .comments
                .binary_search_by_key(&at, |comment| comment.start);
            match comment.map(|n| self.comments[n].clone()) {
                // That of what comes next is no comment about this.
                Ok(comment) if !source::is_doc(&self.text[comment.clone()]) => end = comment.end,
                _ => return range,
            }
        }
    }

    /// The comments between blank lines that all is gone of which stood below them, up to the next such one. What a file or a module begins
    /// with is about that.
    fn titles_of_nothing(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let text = self.text;
        let runs = source::titles(text, &self.comments, &self.regions);
        if runs.is_empty() || gone.is_empty() {
            return Vec::new();
        }
        let blanked = self.blanked(gone);
        // With where what they are in begins and ends.
        let place = |run: &Range<usize>| match self.innermost(run) {
            None => Some(0..text.len()),
            Some(n) if self.nodes[n].kind == Kind::Module => Some(self.nodes[n].range.clone()),
            Some(_) => None,
        };
        let places: Vec<Option<Range<usize>>> = runs.iter().map(place).collect();
        let is_nothing = |code: &str| source::without_comments(code).trim().is_empty();
        let mut found = Vec::new();
        for (n, run) in runs.iter().enumerate() {
            let Some(around) = &places[n] else { continue };
            let before = text[around.start..run.start].trim_end();
            let is_first = before.is_empty() || before.ends_with('{');
            let next = (n + 1..runs.len()).find(|&next| places[next].as_ref() == Some(around));
            let end = match next {
                Some(next) => runs[next].start,
                None if around.len() == text.len() => around.end,
                None => around.end - 1,
            };
            if !is_first && is_nothing(&blanked[run.end..end]) && !is_nothing(&text[run.end..end]) {
                found.push(run.clone());
            }
        }
        found
    }

    /// The comments that begin and end regions in which no code is left.
    fn regions_of_nothing(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        if self.regions.is_empty() {
            return Vec::new();
        }
        let blanked = self.blanked(gone);
        let is_nothing = |code: &str| source::without_comments(code).trim().is_empty();
        let empty = self.regions.iter().filter(|[start, end]| {
            let inside = self.comments[*start].end..self.comments[*end].start;
            // One of nothing but comments is as its author wanted it.
            let had_code = !is_nothing(&self.text[inside.clone()]);
            let had_none = self.text[inside.clone()].trim().is_empty();
            (had_code || had_none) && is_nothing(&blanked[inside])
        });
        empty.flatten().map(|&n| self.comments[n].clone()).collect()
    }

    /// What goes of calls of which not all parts do.
    fn gone_of_lists(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for list in &self.lists {
            let is_gone = |n: &usize| gone.contains(n);
            if gone.range(list.parts.clone()).next().is_none()
                || self.parts_of(list.call).all(|n| is_gone(&n))
            {
                continue;
            }
            let place = |n: usize| &self.nodes[n].range;
            let last = list.parts.end - 1;
            let end = place(last).end;
            let after = self.text_at(&(end..list.end)).trim_end();
            if list.parts.clone().all(|n| is_gone(&n)) {
                found.push(place(list.parts.start).start..end + after.len());
                continue;
            }
            let is_ended = || !source::without_comments(after).trim().is_empty();
            let is_ended = !list.are_separated || is_ended();
            let mut n = list.parts.start;
            while n < list.parts.end {
                let mut next = n + 1;
                if is_gone(&n) {
                    next = (next..list.parts.end)
                        .find(|n| !is_gone(n))
                        .unwrap_or(list.parts.end);
                    let ends_line = || {
                        self.text_at(&(place(n - 1).end..place(n).start))
                            .contains('\n')
                    };
                    found.push(match next <= last {
                        true => place(n).start..place(next).start,
                        false if !list.are_separated && !ends_line() => place(n - 1).end..end,
                        false if is_ended => self.whole_lines(place(n).start..end + after.len()),
                        // The one before has no separator behind it then.
                        false => place(n - 1).end..end + after.len(),
                    });
                }
                n = next;
            }
        }
        found
    }

    /// The comments directly above a name in a list, and behind it on its line.
    fn comments_around(&self, name: &Range<usize>) -> [&str; 2] {
        let blanks = [' ', '\t'];
        let before = self.text[..name.start].trim_end_matches(blanks);
        let last = self.comments.partition_point(|c| c.end < before.len());
        let start = match self.comments.get(last) {
            // Between two names of a line.
            Some(comment) if comment.end == before.len() => comment.start,
            _ => name.start,
        };
        let above = self.text[self.with_comments(start)..name.start].trim();
        let rest = self.text[name.end..].trim_start_matches(blanks);
        let rest = rest.strip_prefix(',').unwrap_or(rest);
        let at = self.text.len() - rest.trim_start_matches(blanks).len();
        let comments = &self.comments;
        let behind = comments.binary_search_by_key(&at, |comment| comment.start);
        let behind = behind.map_or(at..at, |n| comments[n].clone());
        let rest = self.text[behind.end..].trim_start_matches(['\r', ' ', '\t']);
        // A comment with more behind it on the line is about that.
        let behind = match rest.starts_with('\n') {
            true => &self.text[behind],
            false => "",
        };
        [above, behind]
    }
}

/// Blanks the leaves that are gone, or tells that all are: then what is around them goes too.
fn blank_leaves(bytes: &mut [u8], tree: &UseTree, leaves: &mut impl Iterator<Item = bool>) -> bool {
    match tree {
        UseTree::Path(path) => blank_leaves(bytes, &path.tree, leaves),
        UseTree::Group(group) => {
            let mut all = true;
            for pair in group.items.pairs() {
                let gone = blank_leaves(bytes, pair.value(), leaves);
                all &= gone;
                if gone {
                    blank(bytes, pair.value().span().byte_range());
                    if let Some(comma) = pair.punct() {
                        blank(bytes, comma.span().byte_range());
                    }
                }
            }
            all
        }
        _ => leaves.next().expect("each leaf has its node"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text without what has some names.
    fn without(text: &str, names: &[&str], fixes: &[Fix]) -> String {
        let index = Index::new(text).unwrap();
        let is_it = |n: &usize| names.contains(&index.nodes[*n].name.as_str());
        let gone = (0..index.nodes.len()).filter(is_it).collect();
        index.without(&gone, fixes)
    }

    #[test]
    fn a_comment_behind_something_goes_with_it() {
        let text = "const A: u8 = 1; // a\nconst B: u8 = 2; // b\nfn f() {\n} /* f */ // g\nuse a::D; // d\n\
                    const C: u8 = 3; const E: u8 = 4; // e\nconst F: u8 = 5; /// g\nfn g() {}\n";
        let without = |names: &[&str]| without(text, names, &[]);
        assert_eq!(
            without(&["A", "f", "D", "E", "F"]),
            "const B: u8 = 2; // b\nconst C: u8 = 3; // e\n /// g\nfn g() {}\n"
        );
    }

    #[test]
    fn a_comment_that_goes_on_below_belongs_to_what_it_is_behind() {
        let text = "const A: u8 = 1; // a\n                 // a\nconst B: u8 = 2; // b\n                 // b\n// c\nconst C: u8 = 3;\n";
        let lines =
            |range: Range<usize>| text.split_inclusive('\n').collect::<Vec<_>>()[range].concat();
        assert_eq!(without(text, &["B"], &[]), lines(0..2) + &lines(4..6));
        assert_eq!(without(text, &["A"], &[]), lines(2..6));
        assert_eq!(without(text, &["C"], &[]), lines(0..4));
    }

    #[test]
    fn regions_stay_as_long_as_there_is_code_in_them() {
        let text = "// region A\nfn a() {}\nfn b() {}\n// endregion\n// #region C\nfn c() {}\n// #endregion: C\n\
                    // region\n// endregion\n// region\n// more to come\n// endregion\n// regions\n// region of all\n";
        let without = |names: &[&str]| without(text, names, &[]);
        let (start, end) = text.split_at(text.find("// #region").unwrap());
        let last = "// region\n// more to come\n// endregion\n// regions\n// region of all\n";
        let (mid, _) = end.split_at(end.find("// region\n").unwrap());
        assert_eq!(
            without(&["a"]),
            start.replace("fn a() {}\n", "") + mid + last
        );
        assert_eq!(without(&["a", "b"]), mid.to_owned() + last);
        assert_eq!(without(&["c"]), start.to_owned() + last);
    }

    #[test]
    fn a_comment_before_something_on_its_line_goes_with_it() {
        let text = "/* a */ const A: u8 = 1;\n/* b */ /* c */ const B: u8 = 2;\n";
        assert_eq!(
            without(text, &["A"], &[]),
            "/* b */ /* c */ const B: u8 = 2;\n"
        );
        assert_eq!(without(text, &["B"], &[]), "/* a */ const A: u8 = 1;\n");
        let list = "use x::{a, /* b */ b, c};\n";
        assert_eq!(
            without(list, &["a", "c"], &[]),
            "use x::{\n/* b */\nb, \n};\n"
        );
        assert_eq!(without(list, &["b", "c"], &[]), "use x::a;\n");
    }

    #[test]
    fn a_title_goes_with_all_that_is_below_it() {
        let text = "// Top\n\n// One\n\nconst A: u8 = 1;\n// b\nconst B: u8 = 2; // b\n\n// Two\n// 2\n\nmod m {\n    // M\n\n    fn f() {}\n\n    // N\n\n    fn g() {}\n}\n\n// End\n";
        let left = |names: &[&str]| {
            let left = without(text, names, &[]);
            let titles = ["Top", "One", "Two", "M", "N", "End"];
            titles.map(|title| left.contains(&format!("// {title}\n")))
        };
        assert_eq!(left(&["A"]), [true; 6]);
        assert_eq!(left(&["A", "B"]), [true, false, true, true, true, true]);
        assert_eq!(left(&["m"]), [true, true, false, false, false, true]);
        // What a module begins with is about that.
        assert_eq!(left(&["f"]), [true; 6]);
        assert_eq!(left(&["g"]), [true, true, true, true, false, true]);
    }

    #[test]
    fn a_comment_at_the_top_above_imports_is_about_all_of_it() {
        let text = "// A solution\n// of b\nuse a::A;\n// c\nconst B: u8 = 2;\nfn f() {}\n";
        let title = "// A solution\n// of b\nfn f() {}\n";
        assert_eq!(without(text, &["A", "B"], &[]), title);
        let allowed = text.replace("use", "#[allow(unused_imports)]\nuse");
        assert_eq!(without(&allowed, &["A", "B"], &[]), title);
        // What else stands there is what it is about.
        let item = "// a\nconst A: u8 = 1;\nfn f() {}\n";
        assert_eq!(without(item, &["A"], &[]), "fn f() {}\n");
    }

    #[test]
    fn what_goes_within_a_line_takes_a_blank_along() {
        let text = "macro_rules! m { (a) => { 1 }; () => {}; (b) => { 2 } }\nfn f() {} fn g() {}\n";
        let index = Index::new(text).unwrap();
        let without = |of: &[&str]| {
            let is_it = |n: &usize| of.contains(&index.text_at(&index.nodes[*n].range));
            let gone = (0..index.nodes.len()).filter(is_it).collect();
            index.without(&gone, &[])
        };
        assert_eq!(
            without(&["() => {};", "fn g() {}"]),
            "macro_rules! m { (a) => { 1 }; (b) => { 2 } }\nfn f() {}\n"
        );
        assert_eq!(
            without(&["() => {};", "(b) => { 2 }"]),
            "macro_rules! m { (a) => { 1 }; }\nfn f() {} fn g() {}\n"
        );
    }

    #[test]
    fn what_is_said_about_a_name_stays_with_it() {
        let text = "use a::{\n    // b\n    b, // all\n    // c\n    c, // of it\n    d::{\n        e, f // f\n    },\n}; // a\n";
        let without = |names: &[&str]| without(text, names, &[]);
        let written = |text: &str| text.replace(['\n', ' '], "");
        assert_eq!(
            written(&without(&["c"])),
            "usea::{//bb,//alld::{e,f,//f},};//a"
        );
        assert_eq!(without(&["b", "c", "f"]), "use a::d::e; // a\n");
        let left = without(&["b", "e", "f"]);
        assert_eq!(left, "use a::{\n// c\nc, // of it\n}; // a\n");
        assert_eq!(without(&["b", "c", "e", "f"]), "");
    }

    #[test]
    fn what_is_left_of_an_import_is_written_as_it_should_be() {
        let text = "use a::{b, gen, c::{d, e}}; fn f() {}";
        let at = text.find("gen").unwrap();
        let fix = (at..at + 3, "r#gen".to_owned());
        let without = |names: &[&str]| without(text, names, std::slice::from_ref(&fix));
        assert_eq!(without(&[]), text.replace("gen", "r#gen"));
        assert_eq!(without(&["b"]), "use a::{r#gen, c::{d, e}}; fn f() {}");
        assert_eq!(without(&["b", "d", "e"]), "use a::r#gen; fn f() {}");
        assert_eq!(without(&["gen", "d", "f"]).trim(), "use a::{b, c::e};");
        assert!(!without(&["b", "gen", "d", "e"]).contains("use"));
    }

    #[test]
    fn what_is_left_of_a_list_is_one() {
        let left_of = |rule: &str, list: &str, gone: &[usize]| {
            let text = format!("macro_rules! m {{ {rule} }}\nm! {{{list}}}\n");
            let index = Index::new(&text).unwrap();
            let is_list = |n: &usize| index.is_part(*n);
            let parts: Vec<usize> = (0..index.nodes.len()).filter(is_list).collect();
            let gone = gone.iter().map(|&at| parts[at]).collect();
            let call = |text: &str| {
                text[text.find("} }\n").unwrap() + 4..]
                    .trim_start()
                    .to_owned()
            };
            // The compiler gets the one, the reader the other.
            let words = |text: &str| -> String { text.split_whitespace().collect() };
            let without = call(&index.without(&gone, &[]));
            let shown = source::without_comments(&without);
            let blanked = call(&index.blanked(&gone));
            assert_eq!(words(&source::without_comments(&blanked)), words(&shown));
            without
        };
        let left = |separator: &str, list: &str, gone: &[usize]| {
            let rule = format!("($($t:ty{separator} $(,)?) => {{ $( impl A for $t {{}} )* }}");
            left_of(&rule, list, gone)
        };
        let plain = |gone: &[usize]| left("),*", "A, B, C", gone);
        assert_eq!(plain(&[0]), "m! {B, C}\n");
        assert_eq!(plain(&[1]), "m! {A, C}\n");
        assert_eq!(plain(&[1, 2]), "m! {A}\n");
        assert_eq!(plain(&[0, 2]), "m! {B}\n");
        assert_eq!(plain(&[0, 1, 2]), "");
        let lines =
            "\n    // a\n    A, // of a\n    // b\n    B, // of b\n    // c\n    C, // of c\n";
        let lines = |gone: &[usize]| left("),*", lines, gone);
        assert_eq!(lines(&[0, 1]), "m! {\n    // c\n    C, // of c\n}\n");
        assert_eq!(lines(&[1, 2]), "m! {\n    // a\n    A, // of a\n}\n");
        let inside = "\n    A; // of a\n    // b\n    B;\n";
        assert_eq!(left(";)*", inside, &[1]), "m! {\n    A; // of a\n}\n");
        assert_eq!(left(";)*", "A; B;", &[1]), "m! {A;}\n");
        assert_eq!(left(";)*", " A; B; ", &[1]), "m! { A; }\n");
        let two = "($($a:ty),* $(,)?; b $($b:ty)* end) => { $( impl A for $a {} )* $( impl B for $b {} )* }";
        for (gone, expected) in [
            (&[0, 3][..], "m! {B,; b C end}\n"),
            (&[1, 2], "m! {A, ; b D end}\n"),
            (&[0, 1], "m! {; b C D end}\n"),
            (&[2, 3], "m! {A, B,; b  end}\n"),
            (&[0, 1, 2], "m! {; b D end}\n"),
            (&[0, 1, 2, 3], ""),
        ] {
            assert_eq!(left_of(two, "A, B,; b C D end", gone), expected);
        }
    }

    #[test]
    fn a_module_alone_is_imported_by_its_name() {
        let left = |import: &str, rest: &str| {
            let text = format!("{import}\n{rest}");
            let index = Index::new(&text).unwrap();
            let gone = (0..index.nodes.len()).filter(|&n| index.nodes[n].name.starts_with("Gone"));
            let text = index.without(&gone.collect(), &[]);
            let rest = rest.split("mod Gone").next().unwrap();
            text.strip_suffix(rest).unwrap().trim_end().to_owned()
        };
        for (import, expected) in [
            ("use std::fmt::{self, Gone};", "use std::fmt;"),
            (
                "pub use std::{fmt::{self, Gone}, io::{self as i, Gone}};",
                "pub use std::{fmt, io as i};",
            ),
            (
                "use ::std::{fmt::{self, Write, Gone}, io::{Gone, GoneToo}};",
                "use ::std::fmt::{self, Write};",
            ),
            ("use std::{self, Gone};", "use std::{self};"),
            // `std::env!` is everywhere.
            ("use std::env::{self, Gone};", "use std::env;"),
            (
                "use std::assert_matches::{self, Gone};",
                "use std::assert_matches::{self};",
            ),
            ("use std::sync::env::{self, Gone};", "use std::sync::env;"),
        ] {
            assert_eq!(left(import, "fn fmt() {}"), expected);
        }
        let own = "macro_rules! env { () => {} }";
        let import = "use std::env::{self, Gone};";
        assert_eq!(left(import, own), "use std::env::{self};");
        let own = "use crate::a::b::{self, Gone};";
        let gone = "mod a { mod b {} } mod Gone { fn b() {} }";
        assert_eq!(left(own, gone), "use crate::a::b;");
        let alone = "mod a { mod b {} } impl c::A for B { fn b() { b() } } use crate::a::b::d; use a::*; m!(c);";
        assert_eq!(left(own, alone), "use crate::a::b;");
        let of_type = "use crate::a::B::{self, Gone};";
        for (item, expected) in [
            ("enum B { C, Gone }", "use crate::a::B;"),
            ("trait B {}", "use crate::a::B;"),
            ("struct B { c: u8 }", "use crate::a::B;"),
            ("struct B(u8);", "use crate::a::B::{self};"),
            (
                "struct B<const N: usize = { 1 }>;",
                "use crate::a::B::{self};",
            ),
        ] {
            assert_eq!(left(of_type, &format!("mod a {{ {item} }}")), expected);
        }
        for other in [
            "fn b() {}",
            "struct b;",
            "macro_rules! b { () => {} }",
            "macro_rules! m { () => { fn b() {} } }",
            "m!(b);",
            "use crate::a::c as b;",
            "use other::b;",
            "use other::*;",
        ] {
            let rest = format!("mod a {{ mod b {{}} }} {other}");
            assert_eq!(left(own, &rest), "use crate::a::b::{self};", "{other}");
        }
    }
}
