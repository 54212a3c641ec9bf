//! Blocks of a constant that call macros, as others write what they make for many types.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Item;

use super::plain;
use crate::bundle::shake::hollow::HARMLESS;
use crate::bundle::text::tokens::is_punct;

/// The statements of a block, and those of the blocks among them.
pub fn statements(value: &syn::Expr) -> Option<Vec<&syn::Stmt>> {
    fn add<'s>(block: &'s syn::Block, found: &mut Vec<&'s syn::Stmt>) {
        for statement in &block.stmts {
            match statement {
                syn::Stmt::Expr(syn::Expr::Block(of), _) if of.attrs.is_empty() => {
                    add(&of.block, found);
                }
                other => found.push(other),
            }
        }
    }
    let mut found = Vec::new();
    match value {
        syn::Expr::Block(of) => add(&of.block, &mut found),
        syn::Expr::Unsafe(of) => add(&of.block, &mut found),
        _ => return None,
    }
    Some(found)
}

/// The call of a macro of the text.
fn call(statement: &syn::Stmt) -> Option<&syn::Macro> {
    let call = match statement {
        syn::Stmt::Macro(call) => &call.mac,
        syn::Stmt::Expr(syn::Expr::Macro(call), _) => &call.mac,
        _ => return None,
    };
    let name = call.path.segments.last()?.ident.to_string();
    (!HARMLESS.contains(&name.as_str())).then_some(call)
}

/// Whether macros of the text are called among some statements.
pub fn calls_macros(statements: &[&syn::Stmt]) -> bool {
    statements.iter().any(|statement| call(statement).is_some())
}

/// What each call of a macro names outside of braces, if all else among some statements is imports, types, impls and calls.
pub fn calls_for(statements: &[&syn::Stmt]) -> Option<Vec<Vec<Vec<String>>>> {
    let mut found = Vec::new();
    let (mut makes, mut checks) = (false, false);
    for statement in statements {
        match (statement, call(statement)) {
            (_, Some(call)) => {
                found.push(named(&call.tokens));
                makes = true;
            }
            (syn::Stmt::Item(Item::Impl(_)), None) => makes = true,
            (syn::Stmt::Item(Item::Use(_) | Item::Struct(_) | Item::Enum(_)), None) => {}
            // Beside impls it is there to make the block an unsafe one.
            (syn::Stmt::Expr(syn::Expr::Call(of), Some(_)), None) if of.args.is_empty() => {
                checks = true;
            }
            _ => return None,
        }
    }
    (makes || !checks).then_some(found)
}

/// The paths among tokens that are not in braces, each behind all that it begins with.
fn named(tokens: &TokenStream) -> Vec<Vec<String>> {
    fn add_names(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut path = Vec::new();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(name) => {
                    let goes_on =
                        at > 1 && is_punct(&trees[at - 1], ':') && is_punct(&trees[at - 2], ':');
                    if !goes_on {
                        path.clear();
                    }
                    path.push(plain(name));
                    found.push(path.clone());
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => {}
                TokenTree::Group(of) if of.delimiter() != Delimiter::Brace => {
                    path.clear();
                    add_names(of.stream(), found);
                }
                _ => path.clear(),
            }
        }
    }
    let mut found = Vec::new();
    add_names(tokens.clone(), &mut found);
    found
}

/// What `assert!(…)` names: as a constant it is there for nobody who runs the program.
pub fn asserted(of: &syn::Expr) -> Option<Vec<Vec<String>>> {
    let syn::Expr::Macro(call) = of else {
        return None;
    };
    let name = call.mac.path.segments.last()?.ident.to_string();
    name.starts_with("assert").then(|| named(&call.mac.tokens))
}
