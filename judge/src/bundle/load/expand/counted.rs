//! Lengths of arrays that a macro has counted.

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use super::called;
use crate::bundle::text::tokens::{is_punct, with_inside};

/// An expansion in which lengths of arrays that are calculated from numbers alone are numbers: a macro that counts makes `[T; ((32 - 1) - 1)]`,
/// of which nobody sees which array that is.
pub fn counted(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let made = trees.iter().enumerate().map(|(at, tree)| match tree {
        // Another macro may look at it.
        TokenTree::Group(group) if called(&trees, at).is_none() => {
            let inside = counted(group.stream());
            with_inside(group, with_number(group.delimiter(), inside)).into()
        }
        tree => tree.clone(),
    });
    made.collect()
}

/// What is in brackets, with the length of the array as a number.
fn with_number(around: Delimiter, inside: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = inside.into_iter().collect();
    let semicolon = trees.iter().rposition(|tree| is_punct(tree, ';'));
    let length = semicolon.filter(|_| around == Delimiter::Bracket);
    let (kept, number) = match length.map(|at| trees.split_at(at + 1)) {
        Some((before, length @ ([TokenTree::Group(_)] | [_, _, ..]))) => {
            (before, syn::parse2(length.iter().cloned().collect()).ok())
        }
        _ => (&trees[..], None),
    };
    match number.and_then(|expr: syn::Expr| calculated(&expr)) {
        Some(number) => {
            let number = TokenTree::from(Literal::usize_unsuffixed(number));
            kept.iter().cloned().chain([number]).collect()
        }
        None => trees.into_iter().collect(),
    }
}

/// The value of an expression of numbers.
fn calculated(expr: &syn::Expr) -> Option<usize> {
    use syn::{BinOp, Expr, Lit};
    match expr {
        Expr::Paren(of) => calculated(&of.expr),
        Expr::Group(of) => calculated(&of.expr),
        Expr::Lit(of) => match &of.lit {
            Lit::Int(number) if ["", "usize"].contains(&number.suffix()) => {
                number.base10_parse().ok()
            }
            _ => None,
        },
        Expr::Binary(of) => {
            let (left, right) = (calculated(&of.left)?, calculated(&of.right)?);
            match of.op {
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Mul(_) => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_arrays_are_counted() {
        let of = |text: &str| {
            let made = counted(text.parse().unwrap()).to_string();
            made.replace(' ', "")
        };
        assert_eq!(
            of("impl T for [u8; ((32 - 1) - 1)] {}"),
            "implTfor[u8;30]{}"
        );
        assert_eq!(of("[0u8; 2 * 3usize + 1]"), "[0u8;7]");
        for as_it_is in [
            "[u8;1-2]",
            "[u8;(N-1)]",
            "m![u8;(2-1)]",
            "(a;(2-1))",
            "[u8;4]",
            "[(2-1)]",
            "[u8;1u8+1]",
        ] {
            assert_eq!(of(as_it_is), as_it_is);
        }
        assert_eq!(of("f([[u8; (2 - 1)]; 1 + 1])"), "f([[u8;1];2])");
    }
}
