//! Attributes that only mark code for a tool: `#[snippet]` of `cargo-snippet`, `#[entry]` and `#[skip]` of `codesnip`. They are procedural
//! macros that make of an item what it is.

use proc_macro2::{TokenStream, TokenTree};

use super::versions::{called, inside_of};
use crate::bundle::resolve::Unit;
use crate::bundle::text::source::Edits;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// Packages and their marks. That of `codesnip` itself is the tool with the marks passed on.
const MARKS: [(&str, &[&str]); 3] = [
    ("cargo-snippet", &["snippet"]),
    ("codesnip", &["entry", "skip"]),
    ("codesnip_attr", &["entry", "skip"]),
];

/// A text of a crate with conditions that hold in place of the marks.
pub fn unmarked(mut text: String, units: &[Unit], unit: &Unit) -> String {
    for (name, &at) in &unit.dependencies {
        let marks = MARKS.iter().find(|(of, _)| *of == units[at].package);
        let marks = marks.filter(|_| text.contains(name.as_str()));
        if let Some((_, marks)) = marks {
            text = unmarked_of(text, name, marks);
        }
    }
    text
}

fn unmarked_of(text: String, name: &str, marks: &[&str]) -> String {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return text;
    };
    let is_imported = |mark: &&&str| is_imported(tokens.clone(), name, mark);
    let imported: Vec<&&str> = marks.iter().filter(is_imported).collect();
    let is_called = |path: &[TokenTree]| {
        called(path, name).is_some_and(|(what, _)| marks.contains(&what.as_str()))
    };
    let is_mark = |path: &[TokenTree]| match path {
        [TokenTree::Ident(word), rest @ ..] if imported.iter().any(|mark| word == mark) => {
            !rest.first().is_some_and(|tree| is_punct(tree, ':'))
        }
        [a, b, path @ ..] if is_punct(a, ':') && is_punct(b, ':') => is_called(path),
        path => is_called(path),
    };
    let mut edits = Edits::default();
    unmark(tokens, &is_mark, &mut edits);
    edits.apply(&text)
}

/// Whether a mark is imported from the crate of this name, so that it needs no path.
fn is_imported(tokens: TokenStream, name: &str, mark: &str) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let from = |tree: &TokenTree| is_ident(tree, name);
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => is_imported(group.stream(), name, mark),
        TokenTree::Ident(word) if word == "use" => {
            let path = trees[at + 1..].split(|tree| is_punct(tree, ';')).next();
            let path = path.unwrap_or_default();
            let words = path.iter().filter(|tree| !is_punct(*tree, ':'));
            let words: Vec<&TokenTree> = words.collect();
            match words[..] {
                [_, TokenTree::Ident(of)] => path.iter().any(from) && of == mark,
                [_, TokenTree::Group(of)] => {
                    let names: Vec<TokenTree> = of.stream().into_iter().collect();
                    let mut names = names.split(|tree| is_punct(tree, ','));
                    let is_it = |name: &[TokenTree]| name.len() == 1 && is_ident(&name[0], mark);
                    path.iter().any(from) && names.any(is_it)
                }
                _ => false,
            }
        }
        _ => false,
    })
}

fn unmark(tokens: TokenStream, is_mark: &dyn Fn(&[TokenTree]) -> bool, edits: &mut Edits) {
    const HOLDS: &str = "cfg(all())";
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        match at.checked_sub(1).map(|before| &trees[before]) {
            Some(before) if is_punct(before, '#') && is_mark(&inside) => {
                edits.replace(inside_of(group), HOLDS);
            }
            Some(TokenTree::Ident(of)) if of == "cfg_attr" => {
                let parts = inside.split(|tree| is_punct(tree, ',')).skip(1);
                for part in parts.filter(|part| is_mark(part)) {
                    let range = |at: usize| part[at].span().byte_range();
                    edits.replace(range(0).start..range(part.len() - 1).end, HOLDS);
                }
            }
            _ => unmark(group.stream(), is_mark, edits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_conditions_that_hold() {
        let unmarked = |text: &str| unmarked_of(text.to_owned(), "cargo_snippet", &["snippet"]);
        for (text, written) in [
            (
                "#[cargo_snippet::snippet(\"a\")] fn f() {}",
                "#[cfg(all())] fn f() {}",
            ),
            (
                "mod m { #[::cargo_snippet::snippet] #[inline] fn f() {} }",
                "mod m { #[cfg(all())] #[inline] fn f() {} }",
            ),
            (
                "use cargo_snippet::snippet; #[snippet(name = \"a\")] #[snippet] struct A;",
                "use cargo_snippet::snippet; #[cfg(all())] #[cfg(all())] struct A;",
            ),
            (
                "#[cfg_attr(feature = \"a\", inline, cargo_snippet::snippet(\"a\"))] fn f() {}",
                "#[cfg_attr(feature = \"a\", inline, cfg(all()))] fn f() {}",
            ),
        ] {
            assert_eq!(unmarked(text), written);
        }
        let entries = "use codesnip::{entry, skip as s}; #[entry(\"a\", inline)] mod m { #[codesnip::skip] fn f() {} #[skip] fn g() {} }";
        assert_eq!(
            unmarked_of(entries.to_owned(), "codesnip", &["entry", "skip"]),
            "use codesnip::{entry, skip as s}; #[cfg(all())] mod m { #[cfg(all())] fn f() {} #[skip] fn g() {} }"
        );
        for text in [
            "#[snippet] fn f() {} // Not that of cargo_snippet.",
            "use other::snippet; #[snippet] fn f() {}",
            "use cargo_snippet::snippet; #[snippet::other] fn f() {}",
            "#[cargo_snippet::other] fn f() {}",
        ] {
            assert_eq!(unmarked(text), text);
        }
    }
}
