//! Macros that borrow from a temporary value at the end of a block, `{{ const N: usize = …; &make!(…)[..N] }}`.
//!
//! Edition 2024 drops it with the block, and so it means what editions before it do only where there is no block.

use std::ops::Range;

use crate::bundle::text::tokens::is_punct;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What to write for such a block in what a macro makes: the borrow alone, with the constants where it names them.
pub fn unblocked(text: &str, made: TokenStream) -> Vec<(Range<usize>, String)> {
    edits(text, made).unwrap_or_default()
}

fn edits(text: &str, made: TokenStream) -> Option<Vec<(Range<usize>, String)>> {
    let mut trees = made.into_iter();
    let block = match (trees.next()?, trees.next()) {
        (TokenTree::Group(block), None) if block.delimiter() == Delimiter::Brace => block,
        _ => return None,
    };
    let trees: Vec<TokenTree> = block.stream().into_iter().collect();
    let mut constants = Vec::new();
    let mut at = 0;
    while let [TokenTree::Ident(word), TokenTree::Ident(name), ..] = &trees[at..] {
        let length = trees[at..].iter().position(|tree| is_punct(tree, ';'))?;
        if word != "const" {
            return None;
        }
        constants.push(name.to_string());
        at += length + 1;
    }
    let end = trees[..at]
        .last()
        .map_or(block.span_open(), TokenTree::span)
        .byte_range()
        .end;
    let borrow = trees
        .get(at)
        .filter(|tree| is_punct(*tree, '&'))?
        .span()
        .byte_range();
    let definitions = text[block.span_open().byte_range().end..end].trim();
    if trees[at..].iter().any(|tree| is_punct(tree, ';')) || definitions.contains("cfg") {
        return None;
    }
    let mut found = vec![
        (
            block.span_open().byte_range().start..borrow.start,
            String::new(),
        ),
        (block.span_close().byte_range(), String::new()),
    ];
    put_in(&trees[at..], &constants, definitions, &mut found)?;
    Some(found)
}

/// Writes constants where some tokens name one; nothing where a macro gets it.
fn put_in(
    trees: &[TokenTree],
    constants: &[String],
    definitions: &str,
    found: &mut Vec<(Range<usize>, String)>,
) -> Option<()> {
    let before = |at: usize, c: char| at > 0 && is_punct(&trees[at - 1], c);
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if before(at, '!') && names(group, constants) => return None,
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                put_in(&inside, constants, definitions, found)?;
            }
            TokenTree::Ident(name) if constants.iter().any(|of| name == of) => {
                let is_range = at > 1 && before(at, '.') && is_punct(&trees[at - 2], '.');
                if before(at, '$') || before(at, ':') || before(at, '.') && !is_range {
                    return None;
                }
                let range = tree.span().byte_range();
                found.push((range, format!("{{ {definitions} {name} }}")));
            }
            _ => {}
        }
    }
    Some(())
}

fn names(group: &Group, constants: &[String]) -> bool {
    group.stream().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => names(&group, constants),
        TokenTree::Ident(name) => constants.iter().any(|of| name == of),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::text::source::Edits;

    fn written(text: &str) -> String {
        let mut edits = Edits::default();
        for (range, new) in unblocked(text, text.parse().unwrap()) {
            edits.replace(range, new);
        }
        edits.apply(text)
    }

    #[test]
    fn a_borrow_stands_without_its_block() {
        assert_eq!(written("{ &make!($x)[..$n] }"), "&make!($x)[..$n] ");
        assert_eq!(
            written("{ const N: usize = $crate::count!($($x),*); &mut make!($($x),*)[.. N] }"),
            "&mut make!($($x),*)[.. { const N: usize = $crate::count!($($x),*); N }] "
        );
    }

    #[test]
    fn what_is_not_clear_stays() {
        for text in [
            "{ let x = 1; &make!(x)[..] }",
            "{ const N: usize = 1; &make!(N)[..] }",
            "{ const N: usize = 1; &a.N }",
            "{ const N: usize = 1; make!() }",
            "{ &make!($x); 1 }",
            "&make!($x)[..]",
        ] {
            assert_eq!(written(text), text);
        }
    }
}
