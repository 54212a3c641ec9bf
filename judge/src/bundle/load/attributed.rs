//! What attributes stand before in the bodies of macros, where `syn` reads nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Meta;

use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_block, is_ident, is_punct};

/// Attributes in a row, and what they belong to if that is clear.
pub struct Attributed {
    pub attributes: Vec<(Range<usize>, Meta)>,
    /// With the attributes, and with the repetition that has nothing else.
    pub whole: Option<Range<usize>>,
    /// A block that is all a macro makes: where that is the value of something, there has to be one.
    pub is_value: bool,
}

impl Attributed {
    fn has_condition(&self) -> bool {
        let mut attributes = self.attributes.iter();
        attributes.any(|(_, meta)| meta.path().is_ident("cfg"))
    }
}

/// `$( … )*` in the body of a macro.
struct Repetition {
    whole: Range<usize>,
    inside: Range<usize>,
}

/// The attributes in the body of a macro that say the same in all calls, but for what other macros get. `kinds`: what its variables
/// stand for.
pub fn in_body(body: TokenStream, kinds: &BTreeMap<String, String>) -> Vec<Attributed> {
    let mut found = Vec::new();
    look(body.clone(), true, kinds, &mut found);
    let mut repetitions = Vec::new();
    let mut variables = Vec::new();
    add_repetitions(body, &mut repetitions, &mut variables);
    for repetition in repetitions {
        keep_repeated(&mut found, &repetition, &variables);
    }
    found
}

/// What repeats needs the variables that it repeats by.
fn keep_repeated(found: &mut [Attributed], repetition: &Repetition, variables: &[(usize, String)]) {
    let is_in = |of: &Attributed| {
        let mut whole = of.whole.iter();
        whole.any(|whole| {
            repetition.inside.start <= whole.start && whole.end <= repetition.inside.end
        })
    };
    let conditional = found.iter().filter(|of| is_in(of) && of.has_condition());
    let conditional: Vec<Range<usize>> = conditional.filter_map(|of| of.whole.clone()).collect();
    let is_left = |at: usize| !conditional.iter().any(|whole| whole.contains(&at));
    let inside = variables
        .iter()
        .filter(|(at, _)| repetition.inside.contains(at));
    let left: Vec<&String> = inside
        .filter(|(at, _)| is_left(*at))
        .map(|(_, name)| name)
        .collect();
    for of in found.iter_mut().filter(|of| is_in(of)) {
        let Some(whole) = of.whole.clone() else {
            continue;
        };
        let mut own = variables.iter().filter(|(at, _)| whole.contains(at));
        if whole == repetition.inside {
            of.whole = Some(repetition.whole.clone());
        } else if !own.all(|(_, name)| left.contains(&name)) {
            of.whole = None;
        }
    }
}

/// The repetitions in the body of a macro, the inner ones first, and its variables.
fn add_repetitions(
    tokens: TokenStream,
    found: &mut Vec<Repetition>,
    variables: &mut Vec<(usize, String)>,
) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_operator = |at: usize| ['*', '+', '?'].iter().any(|&c| is_punct(trees.get(at), c));
    for (at, tree) in trees.iter().enumerate() {
        let dollar = at.checked_sub(1).filter(|&at| is_punct(&trees[at], '$'));
        match (tree, dollar) {
            (TokenTree::Ident(name), Some(dollar)) => {
                variables.push((trees[dollar].span().byte_range().start, name.to_string()));
            }
            (TokenTree::Group(group), dollar) => {
                add_repetitions(group.stream(), found, variables);
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_repetition = group.delimiter() == Delimiter::Parenthesis;
                let (Some(dollar), true, [first, ..]) = (dollar, is_repetition, &inside[..]) else {
                    continue;
                };
                // A separator has up to three signs.
                let Some(end) = (at + 1..at + 5).find(|&at| is_operator(at)) else {
                    continue;
                };
                let start = |tree: &TokenTree| tree.span().byte_range().start;
                found.push(Repetition {
                    whole: start(&trees[dollar])..trees[end].span().byte_range().end,
                    inside: start(first)..inside[inside.len() - 1].span().byte_range().end,
                });
            }
            _ => {}
        }
    }
}

fn look(
    tokens: TokenStream,
    is_made: bool,
    kinds: &BTreeMap<String, String>,
    found: &mut Vec<Attributed>,
) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let range = |at: usize| trees[at].span().byte_range();
    let mut at = 0;
    while at < trees.len() {
        let start = at;
        let mut attributes = Vec::new();
        while let (true, Some(TokenTree::Group(group))) =
            (is_punct(trees.get(at), '#'), trees.get(at + 1))
        {
            let meta = syn::parse2(group.stream());
            let is_known = !source::has_variable(group.stream());
            if let (true, Ok(meta)) = (is_known, meta) {
                attributes.push((range(at).start..range(at + 1).end, meta));
            }
            at += 2;
        }
        if at == start {
            match &trees[at] {
                TokenTree::Group(group) if !source::is_macro(&trees, at) => {
                    look(group.stream(), false, kinds, found)
                }
                _ => {}
            }
            at += 1;
            continue;
        }
        // What stands before them may be attributes, too: `$(#[$attributes])*`.
        let is_first =
            start == 0 || is_punct(trees.get(start - 1), ';') || is_block(trees.get(start - 1));
        let end = end(&trees, at, kinds).filter(|_| is_first);
        let is_all = start == 0 && end == Some(trees.len());
        found.push(Attributed {
            attributes,
            is_value: is_made
                && is_all
                && (is_block(trees.get(at)) || kind(&trees, at, kinds) == Some("block")),
            whole: end.map(|end| range(start).start..range(end - 1).end),
        });
    }
}

/// What items begin with for which there may be a variable before that says how visible they are, but for those read above.
const VISIBLE: [&str; 4] = ["const", "static", "type", "use"];

/// What a variable at a place stands for.
fn kind<'k>(
    trees: &[TokenTree],
    at: usize,
    kinds: &'k BTreeMap<String, String>,
) -> Option<&'k str> {
    match trees.get(at + 1) {
        Some(TokenTree::Ident(name)) if is_punct(&trees[at], '$') => {
            kinds.get(&name.to_string()).map(String::as_str)
        }
        _ => None,
    }
}

/// Where an item or a statement ends that begins at a place.
fn end(trees: &[TokenTree], start: usize, kinds: &BTreeMap<String, String>) -> Option<usize> {
    if let Some("item" | "block" | "stmt") = kind(trees, start, kinds) {
        return Some(start + 2);
    }
    let word = |at: usize| match trees.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let past_semicolon = |at: usize| {
        (at..trees.len())
            .find(|&at| is_punct(trees.get(at), ';'))
            .map(|at| at + 1)
    };
    // What goes on with `.` is a longer expression, and `{ N }>` a type.
    let past_block = |at: usize| {
        let goes_on = ['.', '?', '>', ',']
            .iter()
            .any(|&mark| is_punct(trees.get(at + 1), mark));
        (!goes_on).then_some(at + 1)
    };
    let mut at = start;
    loop {
        match (word(at).as_str(), word(at + 1).as_str()) {
            ("pub", _) | ("extern", _) => {
                let is_more = matches!(
                    trees.get(at + 1),
                    Some(TokenTree::Group(_) | TokenTree::Literal(_))
                );
                at += 1 + usize::from(is_more && !is_block(trees.get(at + 1)));
            }
            ("async" | "unsafe", _) => at += 1,
            ("const", "fn" | "async" | "unsafe" | "extern") => at += 1,
            ("", _) if at == start && is_punct(trees.get(at), '$') => at += 2,
            _ => break,
        }
    }
    match word(at).as_str() {
        "fn" | "struct" | "enum" | "union" | "trait" | "mod" | "impl" => {
            let end = (at..trees.len())
                .find(|&at| is_punct(trees.get(at), ';') || is_block(trees.get(at)))?;
            match is_block(trees.get(end)) {
                true => past_block(end),
                false => Some(end + 1),
            }
        }
        // Before what is no item and no field it is no visibility: the macro has a block or a statement for it.
        other
            if is_punct(trees.get(start), '$')
                && at == start + 2
                && !["", "as"].contains(&other)
                && !VISIBLE.contains(&other)
                && !is_punct(trees.get(at + 1), ':') =>
        {
            Some(at)
        }
        "const" if is_block(trees.get(at + 1)) => past_block(at + 1),
        "const" | "static" | "type" | "use" | "let" | "return" | "break" | "continue" => {
            past_semicolon(at)
        }
        "loop" if is_block(trees.get(at + 1)) => past_block(at + 1),
        "if" => past_branches(trees, at).and_then(|end| past_block(end - 1)),
        "" if is_block(trees.get(at)) => past_block(at),
        "" => None,
        _ => {
            let first = at;
            while is_punct(trees.get(at + 1), ':') && is_punct(trees.get(at + 2), ':') {
                at += 3;
            }
            let group = at + 2 + usize::from(!word(at + 2).is_empty());
            let is_call = is_punct(trees.get(at + 1), '!')
                && matches!(trees.get(group), Some(TokenTree::Group(_)));
            if is_call && is_block(trees.get(group)) {
                return past_block(group).filter(|&end| !is_punct(trees.get(end), ';'));
            }
            // With a block in it, it may end with that.
            let end = past_semicolon(first)?;
            let is_simple = |at: usize| !is_block(trees.get(at)) && !is_punct(trees.get(at), ',');
            (first..end).all(is_simple).then_some(end)
        }
    }
}

/// Where an `if` with all its `else` ends; `None` if its condition might have a block in it.
fn past_branches(trees: &[TokenTree], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let block = match is_ident(trees.get(at), "if") {
            true => (at + 1..trees.len()).find(|&at| is_block(trees.get(at)))?,
            false => at,
        };
        // The condition may go on behind a block: `if unsafe { f() } && x {`.
        let goes_on = match trees.get(block + 1) {
            Some(TokenTree::Ident(word)) => word == "as",
            Some(behind) => !['#', '$', ';'].iter().any(|&mark| is_punct(behind, mark)),
            None => false,
        };
        if !is_block(trees.get(block)) || block == at + 1 || goes_on {
            return None;
        }
        if !is_ident(trees.get(block + 1), "else") {
            return Some(block + 1);
        }
        at = block + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_is_whole_and_leaves_a_repetition_what_it_repeats_by() {
        let kinds = [("i", "item"), ("b", "block"), ("v", "vis")];
        let kinds = kinds.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
        let kinds = BTreeMap::from(kinds);
        for (body, whole) in [
            (
                "$(#[cfg(test)] fn $n() {})* fn f() {}",
                Some("$(#[cfg(test)] fn $n() {})*"),
            ),
            (
                "$($(#[cfg(test)] fn $n() {})=>*)+ f();",
                Some("$($(#[cfg(test)] fn $n() {})=>*)+"),
            ),
            (
                "$(#[cfg(test)] fn $n() {} fn f() { $n; })*",
                Some("#[cfg(test)] fn $n() {}"),
            ),
            (
                "$(mod $n { #[cfg(test)] fn f() { $n } })*",
                Some("#[cfg(test)] fn f() { $n }"),
            ),
            ("$(#[cfg(test)] fn $n() {} fn f() { $x; })*", None),
            ("$(mod m { #[cfg(test)] fn f() { $n } })*", None),
            (
                "#[cfg(test)] if f($n) { $n } else if g!{} { } else { $n } $n",
                None,
            ),
            (
                "#[cfg(test)] if f($n) { $n } else if $n { } else { $n } $n",
                Some("#[cfg(test)] if f($n) { $n } else if $n { } else { $n }"),
            ),
            ("#[cfg(test)] if let A { $n } = $n { }", None),
            ("#[cfg(test)] if { $n } == $n { }", None),
            ("#[cfg(test)] if unsafe { $n } && $n { }", None),
            ("#[cfg(test)] if unsafe { $n } as u8 == $n { }", None),
            ("#[cfg(test)] if unsafe { $n } { $n }", None),
            (
                "#[cfg(test)] if $n { } f($n);",
                Some("#[cfg(test)] if $n { }"),
            ),
            ("#[cfg(test)] $n r += 1;", Some("#[cfg(test)] $n")),
            ("#[cfg(test)] $n let r = 1;", Some("#[cfg(test)] $n")),
            (
                "#[cfg(test)] $n const R: u8 = 1; f();",
                Some("#[cfg(test)] $n const R: u8 = 1;"),
            ),
            ("#[cfg(test)] $n r: u8, $n", None),
            ("#[cfg(test)] $i fn f() {}", Some("#[cfg(test)] $i")),
            ("#[cfg(test)] $b const R: u8 = 1;", Some("#[cfg(test)] $b")),
            (
                "#[cfg(test)] $v fn f() {}",
                Some("#[cfg(test)] $v fn f() {}"),
            ),
            (
                "#[cfg(test)] $n as u8; f();",
                Some("#[cfg(test)] $n as u8;"),
            ),
            (
                "#[cfg(test)] const { $n } $n",
                Some("#[cfg(test)] const { $n }"),
            ),
            (
                "#[cfg(test)] loop { $n } $n",
                Some("#[cfg(test)] loop { $n }"),
            ),
            (
                "#[cfg(test)] fn f() { $(f($n);)* }",
                Some("#[cfg(test)] fn f() { $(f($n);)* }"),
            ),
        ] {
            let found = in_body(body.parse().unwrap(), &kinds);
            assert_eq!(
                found[0].whole.clone().map(|whole| &body[whole]),
                whole,
                "{body}"
            );
        }
        for (body, is_value) in [
            ("#[cfg(test)] { $n }", true),
            ("#[cfg(test)] { $n } f();", false),
            ("#[cfg(test)] fn f() { $n }", false),
            ("{ #[cfg(test)] { $n } }", false),
            ("#[cfg(test)] $b", true),
            ("#[cfg(test)] $i", false),
        ] {
            let found = in_body(body.parse().unwrap(), &kinds);
            assert_eq!(found[0].is_value, is_value, "{body}");
        }
        let both = "$(#[cfg(test)] fn f() { $n } #[cfg(test)] fn g() { $n })*";
        let found = in_body(both.parse().unwrap(), &kinds);
        assert!(found.iter().all(|of| of.whole.is_none()));
    }
}
