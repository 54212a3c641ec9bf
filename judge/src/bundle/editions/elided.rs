//! Lifetimes that older compilers want to be written: `const NAME: &str` where an impl of a trait defines it.
//!
//! There the trait says `&'static str`, and today's compilers take a reference without a lifetime for that. For 1.78 it was one of its own,
//! which makes another type than the trait's.

use anyhow::{anyhow, Result};
use proc_macro2::{TokenStream, TokenTree};

use crate::bundle::load::templates;
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_block, is_ident, is_punct};

/// The text with these lifetimes, in macros as well; nothing where none is missing.
pub fn written(text: &str) -> Result<Option<String>> {
    if !text.contains("const ") || !text.contains("impl") {
        return Ok(None);
    }
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let mut edits = Edits::default();
    in_code(tokens, &mut edits);
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

fn in_code(tokens: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if !source::is_macro(&trees, at) => {
                in_code(group.stream(), edits);
            }
            // What a macro is called with has to match its rules.
            TokenTree::Group(group) if !is_punct(&trees[at - 1], '!') => {
                let rules = templates::rules(group).into_iter();
                rules.for_each(|(_, made)| in_code(made.stream(), edits));
            }
            TokenTree::Ident(word) if word == "impl" => {
                let body = trees[at..].iter().position(is_block);
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
    fn has(tokens: &[TokenTree], is_it: &dyn Fn(&TokenTree) -> bool) -> bool {
        tokens.iter().any(|tree| match tree {
            TokenTree::Group(group) => has(&group.stream().into_iter().collect::<Vec<_>>(), is_it),
            tree => is_it(tree),
        })
    }
    let names_type =
        |at: usize| is_ident(header.get(at), "for") && !is_punct(header.get(at + 1), '<');
    let is_lifetime = |tree: &TokenTree| matches!(tree, TokenTree::Punct(mark) if ['\'', '&', ';'].contains(&mark.as_char()));
    (0..header.len()).any(names_type) && !has(header, &is_lifetime)
}

fn in_body(body: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    // A parameter of a method, or a pointer; what a macro repeats ends with `)*`.
    let is_no_item = |at: usize| {
        let before = |by: usize| at.checked_sub(by).and_then(|before| trees.get(before));
        let is_pointer =
            is_punct(before(1), '*') && !matches!(before(2), Some(TokenTree::Group(_)));
        is_pointer || is_punct(before(1), '<') || is_punct(before(1), ',')
    };
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // What a macro repeats.
            TokenTree::Group(group) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                in_body(group.stream(), edits);
            }
            TokenTree::Ident(word) if word == "const" && !is_no_item(at) => {
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

fn in_type(of: &[TokenTree], edits: &mut Edits) {
    // What a function borrows has a lifetime of its own.
    let is_function = |tree: &TokenTree| match tree {
        TokenTree::Ident(word) => ["fn", "Fn", "FnMut", "FnOnce"]
            .iter()
            .any(|name| word == name),
        _ => false,
    };
    if of.iter().any(is_function) {
        return;
    }
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
            // It is written, or another one may be meant, or nothing is borrowed.
            ("impl T for E { const A: &'static str = A; const fn f(a: &u8) -> &u8 { a } const F: fn(&u8) -> &u8 = f; const B: u8 = 1 & 2; }", ""),
            ("impl T for &E { const A: &str = A; }", ""),
            ("impl T for E { fn f<const N: usize, const M: u8>(&self) -> &[u8; N] where *const Self: U<{ &N }> { let a: &u8 = &1; } }", ""),
            ("impl<'a> T<'a> for E { const A: &str = A; }", ""),
            ("impl E { const A: &str = A; } const B: &str = B; trait T { const A: &'static str; }", ""),
            ("fn f() -> impl T { for a in b { const A: &str = A; } }", ""),
        ];
        for (text, expected) in cases {
            let found = written(text).unwrap().unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
    }
}
