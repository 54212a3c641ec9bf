//! What a token tree is.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

/// Whether there is a tree and it is this sign.
pub fn is_punct<'t>(tree: impl Into<Option<&'t TokenTree>>, c: char) -> bool {
    matches!(tree.into(), Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

/// Whether there is a tree and it is this word.
pub fn is_ident<'t>(tree: impl Into<Option<&'t TokenTree>>, word: &str) -> bool {
    matches!(tree.into(), Some(TokenTree::Ident(ident)) if ident == word)
}

/// Whether a word is among some tokens, in groups too.
pub fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

/// Whether there is a tree and it is something in braces.
pub fn is_block<'t>(tree: impl Into<Option<&'t TokenTree>>) -> bool {
    matches!(tree.into(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

/// A name as a token, which may be written `r#name`.
pub fn named(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(plain) => Ident::new_raw(plain, span),
        None => Ident::new(name, span),
    }
}

/// Whether a tree is a sign that the next belongs to.
pub fn is_joint(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint)
}

/// A group at its place with something else in it.
pub fn with_inside(group: &Group, inside: TokenStream) -> Group {
    let mut made = Group::new(group.delimiter(), inside);
    made.set_span(group.span());
    made
}
