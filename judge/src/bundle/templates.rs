//! The rules of `macro_rules!` as code, where they are code but for the names of what the macro gets.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::File;

use super::source;
use super::tokens::is_punct;

/// What macros make by their rules.
#[derive(Default)]
pub struct Templates {
    /// Where each is in the text, with the brackets around it.
    pub ranges: Vec<Range<usize>>,
    /// For each a function with that body at its place in the text; `$x` is `_x` there.
    pub file: Option<File>,
}

impl Templates {
    /// Those of a text that are code, where `is_wanted`.
    pub fn of(text: &str, is_wanted: impl Fn(&str) -> bool) -> Self {
        if !text.contains("macro_rules") {
            return Self::default();
        }
        let mut all = Vec::new();
        let stream: TokenStream = text.parse().unwrap_or_default();
        source::macro_definitions(stream, &mut |_, body| all.extend(made(body)));
        all.retain(|made| is_wanted(&text[made.clone()]));
        // A macro may make another one.
        all.sort_by_key(|made| made.start);
        let (mut ranges, mut functions) = (Vec::new(), String::new());
        for made in all {
            let Some(space) = made.start.checked_sub(functions.len() + FUNCTION.len()) else {
                continue;
            };
            if let Some(code) = code(text, &made) {
                functions.push_str(&" ".repeat(space));
                functions.push_str(&code);
                ranges.push(made);
            }
        }
        let file = syn::parse_file(&functions).ok();
        Self { ranges, file }
    }
}

/// What stands before a body.
const FUNCTION: &str = "fn a()";

/// A rule as a function, if that is code.
fn code(text: &str, made: &Range<usize>) -> Option<String> {
    let inside = text[made.start + 1..made.end - 1].replace('$', "_");
    let code = format!("{FUNCTION}{{{inside}}}");
    syn::parse_file(&code).is_ok().then_some(code)
}

/// What stands behind each `=>` in the definition of a macro.
fn made(body: &Group) -> Vec<Range<usize>> {
    let trees: Vec<TokenTree> = body.stream().into_iter().collect();
    let is = |at: usize, mark| is_punct(trees.get(at), mark);
    let groups = trees
        .iter()
        .enumerate()
        .filter_map(|(at, tree)| match tree {
            TokenTree::Group(group) if at > 1 && is(at - 2, '=') && is(at - 1, '>') => Some(group),
            _ => None,
        });
    let groups = groups.filter(|group| group.delimiter() != Delimiter::Bracket);
    groups.map(|group| group.span().byte_range()).collect()
}

/// The rules of a macro: what their variables stand for, by their names, and what they make.
pub fn rules(body: &Group) -> Vec<(BTreeMap<String, String>, Group)> {
    let trees: Vec<TokenTree> = body.stream().into_iter().collect();
    let rules = trees.windows(4).filter_map(|trees| match trees {
        [matcher, equals, greater, TokenTree::Group(made)]
            if is_punct(equals, '=') && is_punct(greater, '>') =>
        {
            Some((kinds(matcher.clone().into()), made.clone()))
        }
        _ => None,
    });
    rules.collect()
}

fn kinds(matcher: TokenStream) -> BTreeMap<String, String> {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    let mut found = BTreeMap::new();
    for (at, tree) in trees.iter().enumerate() {
        match (tree, trees.get(at + 2)) {
            (TokenTree::Group(group), _) => found.extend(kinds(group.stream())),
            (TokenTree::Ident(name), Some(TokenTree::Ident(kind)))
                if is_punct(trees.get(at + 1), ':')
                    && at > 0
                    && is_punct(trees.get(at - 1), '$') =>
            {
                found.insert(name.to_string(), kind.to_string());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::spanned::Spanned;
    use syn::Item;

    #[test]
    fn what_macros_make_is_code_at_its_place() {
        let text = "fn é() {} macro_rules! m { ($x:expr, $($y:ty)*) => {{ $x.len() }}; () => ($crate::f()); (a) => { struct $x($($y),*); }; (b) => [1] }";
        let found = Templates::of(text, |_| true);
        let shown: Vec<&str> = found
            .ranges
            .iter()
            .map(|made| &text[made.clone()])
            .collect();
        assert_eq!(shown, ["{{ $x.len() }}", "($crate::f())"]);
        let bodies = found
            .file
            .unwrap()
            .items
            .into_iter()
            .map(|item| match item {
                Item::Fn(function) => function.block.span().byte_range(),
                _ => panic!("each is a function"),
            });
        assert_eq!(bodies.collect::<Vec<_>>(), found.ranges);
        // There is no room for a function before the second.
        let tight = format!(
            "{}macro_rules!m{{($x:ty)=>{{1}};()=>{{2}}}}",
            " ".repeat(100_000)
        );
        assert_eq!(Templates::of(&tight, |_| true).ranges.len(), 1);
        assert!(Templates::of(&tight, |_| true).file.is_some());
    }
}
