//! Lifetimes that older compilers want to be written: `const NAME: &str` where an impl of a trait defines it.
//!
//! There the trait says `&'static str`, and today's compilers take a reference without a lifetime for that. For 1.78 it was one of its own,
//! which makes another type than the trait's.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{anyhow, Result};
use proc_macro2::{TokenStream, TokenTree};

use crate::bundle::load::templates;
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{has_word, is_block, is_ident, is_punct};

/// The text with these lifetimes, in macros as well; nothing where none is missing.
pub fn written(text: &str) -> Result<Option<String>> {
    if !text.contains("const ") || !text.contains("impl") {
        return Ok(None);
    }
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let passing = passing(tokens.clone());
    let mut edits = Edits::default();
    in_code(tokens, &passing, &mut edits);
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// The macros that take items or tokens whole, so that what they are called with may have a lifetime more.
fn passing(tokens: TokenStream) -> BTreeSet<String> {
    let (mut names, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // The tokens may be given to another macro that takes constants apart.
    let mut takes_constants = false;
    source::macro_definitions(tokens, &mut |name, body| {
        let rules = templates::rules(body.stream());
        let is_whole = |kinds: &BTreeMap<String, String>| {
            let mut kinds = kinds.values();
            kinds.all(|kind| ["item", "meta", "tt", "vis"].contains(&kind.as_str()))
        };
        let passes = rules.iter().all(|(kinds, made)| {
            is_whole(kinds)
                && !["stringify", "concat"]
                    .iter()
                    .any(|word| has_word(made.stream(), word))
                && !counts_tokens(made.stream(), kinds)
        });
        let set = if passes { &mut names } else { &mut others };
        set.insert(name.to_string());
        let calls = calls.entry(name.to_string()).or_default();
        let made = rules.into_iter();
        made.for_each(|(_, made)| add_calls(made.stream(), calls));
        takes_constants |= has_word(templates::matchers(body), "const");
    });
    names.retain(|name| !takes_constants && !others.contains(name));
    // So do those that get the tokens from it.
    loop {
        let is_passed_on = |name: &&String| calls[*name].is_subset(&names);
        let left: BTreeSet<String> = names.iter().filter(is_passed_on).cloned().collect();
        if left.len() == names.len() {
            return names;
        }
        names = left;
    }
}

/// Whether something is made for each token.
fn counts_tokens(made: TokenStream, kinds: &BTreeMap<String, String>) -> bool {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    let is_token = |tree: &TokenTree| {
        kinds
            .get(&tree.to_string())
            .is_some_and(|kind| kind == "tt")
    };
    let tokens = || kinds.iter().filter(|(_, kind)| *kind == "tt");
    trees.iter().enumerate().any(|(at, tree)| {
        let TokenTree::Group(group) = tree else {
            return false;
        };
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_repeated = at > 0 && is_punct(&trees[at - 1], '$');
        let is_alone =
            matches!(&inside[..], [dollar, name] if is_punct(dollar, '$') && is_token(name));
        let has_token = || tokens().any(|(name, _)| has_word(group.stream(), name));
        is_repeated && !is_alone && has_token() || counts_tokens(group.stream(), kinds)
    })
}

/// The macros that are called with something that a macro got itself.
fn add_calls(made: TokenStream, found: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let is_call = source::is_macro(&trees, at) && is_punct(&trees[at - 1], '!');
        if is_call && source::has_variable(group.stream()) {
            found.insert(trees[at - 2].to_string());
        }
        add_calls(group.stream(), found);
    }
}

fn in_code(tokens: TokenStream, passing: &BTreeSet<String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if !source::is_macro(&trees, at) => {
                in_code(group.stream(), passing, edits);
            }
            TokenTree::Group(group) if !is_punct(&trees[at - 1], '!') => {
                let rules = templates::rules(group.stream()).into_iter();
                rules.for_each(|(_, made)| in_code(made.stream(), passing, edits));
            }
            // What a macro is called with has to match its rules.
            TokenTree::Group(group) if passing.contains(&trees[at - 2].to_string()) => {
                in_code(group.stream(), passing, edits);
            }
            TokenTree::Ident(word) if word == "impl" => {
                // A constant argument may be in braces, too.
                let mut depth = Angles::default();
                let mut header = trees[at..].iter();
                let body = header.position(|tree| depth.is_outside(tree) && is_block(tree));
                let header = &trees[at..body.map_or(at, |body| at + body)];
                if let (true, Some(body)) = (is_of_trait(header), body) {
                    if let TokenTree::Group(body) = &trees[at + body] {
                        in_body(body.stream(), edits);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether this is the header of a trait's impl in which no lifetime is in scope that could be meant.
fn is_of_trait(header: &[TokenTree]) -> bool {
    fn has_lifetime(trees: &[TokenTree]) -> bool {
        (0..trees.len()).any(|at| match &trees[at] {
            TokenTree::Group(group) => has_lifetime(&without_functions(group.stream().into_iter())),
            TokenTree::Punct(mark) => match mark.as_char() {
                '&' => !is_punct(trees.get(at + 1), '\''),
                '\'' => !is_ident(trees.get(at + 1), "static"),
                _ => false,
            },
            _ => false,
        })
    }
    let names_type =
        |at: usize| is_ident(header.get(at), "for") && !is_punct(header.get(at + 1), '<');
    // `impl Trait` that a function gives, of which nothing more is written.
    let is_ended = header.iter().any(|tree| is_punct(tree, ';'));
    let outside = without_functions(header.iter().cloned());
    (0..header.len()).any(names_type) && !is_ended && !has_lifetime(&outside)
}

fn in_body(body: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut depth = Angles::default();
    for (at, tree) in trees.iter().enumerate() {
        // Others are parameters of methods.
        let is_item = depth.is_outside(tree);
        let is_pointer =
            || is_punct(at.checked_sub(1).map(|at| &trees[at]), '*') && !is_repeated(&trees[..at]);
        match tree {
            // What a macro repeats.
            TokenTree::Group(group) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                in_body(group.stream(), edits);
            }
            TokenTree::Ident(word) if word == "const" && is_item && !is_pointer() => {
                let name = 1 + usize::from(is_punct(trees.get(at + 1), '$'));
                if is_punct(trees.get(at + name + 1), ':') {
                    let of = trees[at + name + 2..].iter();
                    let of = of.take_while(|tree| !is_punct(*tree, '='));
                    in_type(&of.cloned().collect::<Vec<_>>(), edits);
                }
            }
            _ => {}
        }
    }
}

/// Whether some tokens end with `)*`, as what a macro repeats.
fn is_repeated(trees: &[TokenTree]) -> bool {
    matches!(trees, [.., TokenTree::Group(_), _])
}

/// How many lists of arguments or parameters are open.
#[derive(Default)]
struct Angles {
    open: usize,
    /// Whether the last token was one that makes an arrow of the next.
    may_be_arrow: bool,
}

impl Angles {
    /// Whether a token, the next one, is outside of all.
    fn is_outside(&mut self, tree: &TokenTree) -> bool {
        let may_be_arrow = std::mem::take(&mut self.may_be_arrow);
        match tree {
            TokenTree::Punct(mark) => match mark.as_char() {
                '<' => self.open += 1,
                '>' if !may_be_arrow => self.open = self.open.saturating_sub(1),
                // Before these `<` has compared.
                ';' => self.open = 0,
                '-' | '=' => self.may_be_arrow = true,
                _ => {}
            },
            _ => return self.open == 0,
        }
        self.open == 0
    }
}

/// Some tokens without what functions in them take and give: what they borrow has a lifetime of its own.
fn without_functions(trees: impl Iterator<Item = TokenTree>) -> Vec<TokenTree> {
    const FUNCTIONS: [&str; 4] = ["fn", "Fn", "FnMut", "FnOnce"];
    let mut trees = trees.peekable();
    let mut left = Vec::new();
    while let Some(tree) = trees.next() {
        let is_function = FUNCTIONS.iter().any(|word| is_ident(&tree, word));
        left.push(tree);
        if !is_function || !matches!(trees.peek(), Some(TokenTree::Group(_))) {
            continue;
        }
        trees.next();
        if !is_punct(trees.peek(), '-') {
            continue;
        }
        let mut depth = Angles::default();
        while let Some(tree) = trees.peek() {
            let was_outside = depth.open == 0;
            let ends = [',', '+', ';', '=']
                .iter()
                .any(|&mark| is_punct(tree, mark))
                || is_ident(tree, "for")
                || is_ident(tree, "where")
                || is_punct(tree, '>') && !depth.may_be_arrow;
            if was_outside && ends {
                break;
            }
            depth.is_outside(tree);
            trees.next();
        }
    }
    left
}

fn in_type(of: &[TokenTree], edits: &mut Edits) {
    let of = without_functions(of.iter().cloned());
    for (at, tree) in of.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                in_type(&group.stream().into_iter().collect::<Vec<_>>(), edits);
            }
            TokenTree::Punct(mark) if mark.as_char() == '&' && !is_punct(of.get(at + 1), '\'') => {
                let end = mark.span().byte_range().end;
                edits.insert(end, "'static ");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_a_traits_constants_live_for_ever() {
        let cases = [
            ("impl T for E { const A: &str = \"&\"; fn f(a: &str) {} }", "impl T for E { const A: &'static str = \"&\"; fn f(a: &str) {} }"),
            ("impl<T: for<'b> F<'b>> T for E<T> { const A: &str = A; }", ""),
            ("impl<X> T for E<X> where X: U { const A: Option<&[&str; 2]> = A; const B: (&u8, u8) = B; }",
             "impl<X> T for E<X> where X: U { const A: Option<&'static [&'static str; 2]> = A; const B: (&'static u8, u8) = B; }"),
            ("macro_rules! m { ($t:ty, $($n:ident)*) => { impl T for $t { $(const $n: &str = stringify!($n);)* const B: &$t = &1; } } }",
             "macro_rules! m { ($t:ty, $($n:ident)*) => { impl T for $t { $(const $n: &'static str = stringify!($n);)* const B: &'static $t = &1; } } }"),
            ("macro_rules! m { (impl $t:ident for $n:ident { const A: &str = $e:expr; }) => { impl $t for $n { const A: &str = $e; } } } m! { impl T for E { const A: &str = \"\"; } }",
             "macro_rules! m { (impl $t:ident for $n:ident { const A: &str = $e:expr; }) => { impl $t for $n { const A: &'static str = $e; } } } m! { impl T for E { const A: &str = \"\"; } }"),
            ("macro_rules! m { ($($i:item)*) => { $($i)* }; (#[$m:meta] $($t:tt)*) => { m! { $($t)* } } } m! { impl T for E { const A: &str = \"\"; } }",
             "macro_rules! m { ($($i:item)*) => { $($i)* }; (#[$m:meta] $($t:tt)*) => { m! { $($t)* } } } m! { impl T for E { const A: &'static str = \"\"; } }"),
            ("macro_rules! m { ($($t:tt)*) => { n! { $($t)* } } } macro_rules! n { ({ const A: & $t:ident }) => {} } m! { impl T for E { const A: &str = \"\"; } }", ""),
            ("macro_rules! m { ($($t:tt)*) => { n! { $($t)* } } } macro_rules! n { ({ $k:tt $n:ident : & $t:ident }) => {} } m! { impl T for E { const A: &str = \"\"; } }", ""),
            ("macro_rules! m { ($($t:tt)*) => { $($t)* const N: u8 = 0 $(+ one!($t))*; } } macro_rules! one { ($t:tt) => { 1 } } m! { impl T for E { const A: &str = \"\"; } }", ""),
            ("macro_rules! m { ($($t:tt)*) => { n! { $($t)* } } } macro_rules! n { ($($t:tt)*) => { $(one!($t))* } } m! { impl T for E { const A: &str = \"\"; } }", ""),
            ("macro_rules! m { ($($t:tt)*) => { stringify!($($t)*) } } m! { impl T for E { const A: &str = \"\"; } }", ""),
            // It is written, or another one may be meant, or nothing is borrowed.
            ("impl T for E { const A: &'static str = A; const fn f(a: &u8) -> &u8 { a } const F: fn(&u8) -> &u8 = f; const B: u8 = 1 & 2; }", ""),
            ("impl T for &E { const A: &str = A; }", ""),
            ("impl T for E { fn f<const N: usize, const M: u8>(&self) -> &[u8; N] where *const Self: U<{ &N }> { let a: &u8 = &1; } }", ""),
            ("impl<'a> T<'a> for E { const A: &str = A; }", ""),
            ("impl E { const A: &str = A; } const B: &str = B; trait T { const A: &'static str; }", ""),
            ("fn f() -> impl T { for a in b { const A: &str = A; } }", ""),
            ("impl T for fn(&str) -> Vec<&u8> { const A: &str = A; } impl T<&'static str> for Box<dyn Fn(&u8) -> &u8 + Send> { const A: &str = A; }",
             "impl T for fn(&str) -> Vec<&u8> { const A: &'static str = A; } impl T<&'static str> for Box<dyn Fn(&u8) -> &u8 + Send> { const A: &'static str = A; }"),
            ("impl T for E { const A: &[&dyn Fn(&str) -> &u8] = A; const B: (&fn(&u8) -> &u8, &u8) = B; }",
             "impl T for E { const A: &'static [&'static dyn Fn(&str) -> &u8] = A; const B: (&'static fn(&u8) -> &u8, &'static u8) = B; }"),
            ("impl T<fn(&u8) -> &u8> for &E { const A: &str = A; }", ""),
            ("trait T { fn f() -> impl U; fn g() { for a in b { const A: &str = A; } } }", ""),
            ("impl T for E { fn f<#[allow(x)] const N: usize>(&self) { let a = &1; } const A: &str = A; fn g() -> bool { 1 < 2 } const B: bool = 1 < 2; const C: &str = A; }",
             "impl T for E { fn f<#[allow(x)] const N: usize>(&self) { let a = &1; } const A: &'static str = A; fn g() -> bool { 1 < 2 } const B: bool = 1 < 2; const C: &'static str = A; }"),
            ("impl T for E<{ 1 + 2 }> { const A: &str = A; } impl T<Vec<fn() -> u8>> for [u8; 3] { const A: &str = A; } impl<X: 'static> T for X { const A: &str = A; }",
             "impl T for E<{ 1 + 2 }> { const A: &'static str = A; } impl T<Vec<fn() -> u8>> for [u8; 3] { const A: &'static str = A; } impl<X: 'static> T for X { const A: &'static str = A; }"),
        ];
        for (text, expected) in cases {
            let found = written(text).unwrap().unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
    }
}
