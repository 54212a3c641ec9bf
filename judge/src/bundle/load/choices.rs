//! Macros that take one of several blocks by their cfgs: `cfg_if!`, and `cfg_select!` of the standard library.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Meta, MetaList};

use crate::bundle::resolve::cfg::Settled;
use crate::bundle::text::tokens::is_ident;

/// What is written for one of the conditions of `cfg_if!` or `cfg_select!`, the last perhaps without one.
pub struct Branch {
    pub condition: Option<Meta>,
    /// A block, or the expression that may stand for one in `cfg_select!`.
    pub body: TokenStream,
}

impl Branch {
    /// What is between the braces of a block.
    pub fn block(&self) -> Option<Group> {
        let mut trees = self.body.clone().into_iter();
        match (trees.next()?, trees.next()) {
            (TokenTree::Group(group), None) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        }
    }
}

/// Whether a macro is one that takes one of several blocks by their cfgs.
pub fn is_choice(name: &str) -> bool {
    ["cfg_if", "cfg_select"].contains(&name)
}

/// The branches of `cfg_if! { if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … } }` or of
/// `cfg_select! { a => { … } b => { … } _ => { … } }`.
pub fn branches(body: TokenStream) -> Option<Vec<Branch>> {
    let of_if = body.clone().into_iter().next();
    if is_ident(of_if.as_ref(), "if") {
        return branches_of_if(body);
    }
    let parse = |input: ParseStream| {
        let mut found = Vec::new();
        while !input.is_empty() {
            let condition = match input.parse::<Option<syn::Token![_]>>()? {
                Some(_) => None,
                None => Some(input.parse()?),
            };
            input.parse::<syn::Token![=>]>()?;
            let body = if input.peek(syn::token::Brace) {
                input.parse::<TokenTree>()?.into()
            } else {
                input.parse::<syn::Expr>()?.into_token_stream()
            };
            input.parse::<Option<syn::Token![,]>>()?;
            found.push(Branch { condition, body });
        }
        Ok(found)
    };
    parse.parse2(body).ok()
}

fn branches_of_if(body: TokenStream) -> Option<Vec<Branch>> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut rest = &trees[..];
    let mut found = Vec::new();
    let branch = |condition: Option<Meta>, block: &Group| Branch {
        condition,
        body: TokenTree::from(block.clone()).into(),
    };
    loop {
        rest = match rest {
            [] => return Some(found),
            [TokenTree::Group(last)] => {
                found.push(branch(None, last));
                return Some(found);
            }
            [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Group(cfg), TokenTree::Group(block), rest @ ..]
                if word == "if" =>
            {
                let cfg: MetaList = syn::parse2(cfg.stream()).ok()?;
                found.push(branch(Some(cfg.parse_args().ok()?), block));
                match rest {
                    [TokenTree::Ident(word), rest @ ..] if word == "else" => rest,
                    [] => rest,
                    _ => return None,
                }
            }
            _ => return None,
        };
    }
}

/// A `cfg_if!` or a `cfg_select!` as plain items under plain cfgs.
pub fn chosen_items(body: TokenStream) -> Option<String> {
    let mut out = String::new();
    let mut before: Vec<String> = Vec::new();
    for branch in branches(body)? {
        let condition = &branch.condition;
        let condition = condition
            .as_ref()
            .map(|cfg| cfg.to_token_stream().to_string());
        let nots = before.iter().map(|earlier| format!("not({earlier})"));
        let all: Vec<String> = nots.chain(condition.clone()).collect();
        let file: syn::File = syn::parse2(branch.block()?.stream()).ok()?;
        for item in file.items {
            out += &format!(
                "#[cfg(all({}))] {}\n",
                all.join(", "),
                item.to_token_stream()
            );
        }
        before.extend(condition);
    }
    Some(out)
}

/// The branch that is left of a `cfg_if!` or a `cfg_select!`, or nothing if none is; `None` if that is not known.
pub fn chosen(body: TokenStream, settle: &dyn Fn(&Meta) -> Settled) -> Option<Option<Branch>> {
    for branch in branches(body)? {
        match branch.condition.as_ref().map_or(Settled::True, settle) {
            Settled::True => return Some(Some(branch)),
            Settled::False => {}
            Settled::Open(_) => return None,
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cfg_if_becomes_plain_cfgs() {
        let text = chosen_items(
            "if #[cfg(a)] { fn f() {} } else if #[cfg(b)] { fn f() {} } else { fn g() {} }"
                .parse()
                .unwrap(),
        )
        .unwrap();
        let text = text.split_whitespace().collect::<String>();
        assert_eq!(
            text,
            "#[cfg(all(a))]fnf(){}#[cfg(all(not(a),b))]fnf(){}#[cfg(all(not(a),not(b)))]fng(){}"
        );
    }
}
