//! Calls in functions that are written out in their place, because what they make has to be known before the compiler sees it: names of
//! parts, what is in a file that the call names, as many conditions of a chain as the call has.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Macro, Stmt};

use super::{is_like_block, is_operand, Form};
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_ident, is_punct, with_inside};

/// What stands in the place of a call that makes some code, if that is something that can.
pub fn replacement(text: &str, form: Form) -> Option<String> {
    let made = Block::parse_within.parse_str(text).ok()?;
    match (form, &made[..]) {
        (Form::Statement { ended: false }, [Stmt::Expr(expr, None)]) if !is_like_block(expr) => {
            Some(format!("{{ {text} }}"))
        }
        (Form::Statement { ended: true }, [.., Stmt::Expr(_, None)]) => Some(format!("{text};")),
        (Form::Statement { .. } | Form::Tail, _) => Some(text.to_owned()),
        (Form::Expression, [Stmt::Expr(expr, None)]) if is_operand(expr) => Some(text.to_owned()),
        (Form::Whole, [Stmt::Expr(_, None)]) => Some(text.to_owned()),
        (Form::Expression, [Stmt::Expr(_, None)]) => Some(format!("({text})")),
        (Form::Expression | Form::Whole, [Stmt::Macro(call)]) if call.semi_token.is_none() => {
            Some(text.to_owned())
        }
        (Form::Expression | Form::Whole, _) => None,
    }
}

/// Whether an expression in a text is all of an argument or of what something is set to.
pub fn is_alone(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end();
    let is_first = before.ends_with(['(', ',']) || before.ends_with(" =") || before.ends_with("=>");
    is_first
        && text[range.end..]
            .trim_start()
            .starts_with([';', ',', ')', '}'])
}

/// Whether what a template repeats are conditions of a chain: `$( && let $p = $e )*`, `$( let $p = $e )&&*`.
pub fn repeats_a_chain(group: &Group, behind: &[TokenTree]) -> bool {
    let trees: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_let = |tree: &TokenTree| is_ident(tree, "let");
    let is_and = |tree: &TokenTree| is_punct(tree, '&');
    group.delimiter() == Delimiter::Parenthesis
        && trees.iter().any(is_let)
        && (trees.iter().any(is_and) || behind.first().is_some_and(is_and))
}

/// The names that may be variables in the code of a text, but for what macros make.
pub fn variables(text: &str) -> BTreeSet<String> {
    #[derive(Default)]
    struct Variables(BTreeSet<String>);
    impl Variables {
        fn add(&mut self, tokens: TokenStream) {
            let trees: Vec<TokenTree> = tokens.into_iter().collect();
            for (at, tree) in trees.iter().enumerate() {
                let before = at.checked_sub(1).map(|before| trees[before].to_string());
                match tree {
                    TokenTree::Group(group) => self.add(group.stream()),
                    TokenTree::Ident(name)
                        if before.is_some_and(|before| {
                            ["let", "for", "mut", "ref", "|"].contains(&&*before)
                        }) =>
                    {
                        self.0.insert(name.to_string());
                    }
                    _ => {}
                }
            }
        }
    }
    impl<'ast> Visit<'ast> for Variables {
        fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
            if item.ident.is_none() {
                visit::visit_item_macro(self, item);
            }
        }

        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.insert(pat.ident.to_string());
            visit::visit_pat_ident(self, pat);
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.add(mac.tokens.clone());
        }
    }
    let mut found = Variables::default();
    if let Ok(file) = syn::parse_file(text) {
        found.visit_file(&file);
    }
    found.0.remove("self");
    found.0
}

/// The rules of a macro with `::called` for `$crate`.
pub fn rooted(rules: TokenStream, called: &str) -> TokenStream {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::new();
    for tree in trees {
        let is_root = is_ident(&tree, "crate") && is_punct(out.last(), '$');
        match tree {
            TokenTree::Ident(name) if is_root => {
                out.pop();
                out.push(Punct::new(':', Spacing::Joint).into());
                out.push(Punct::new(':', Spacing::Alone).into());
                out.push(Ident::new(called, name.span()).into());
            }
            TokenTree::Group(group) => {
                out.push(with_inside(&group, rooted(group.stream(), called)).into());
            }
            tree => out.push(tree),
        }
    }
    out.into_iter().collect()
}

/// What a text imports from some crates under another name: that, and the name there.
pub fn renamed(text: &str, crates: &[&str]) -> Vec<(String, String)> {
    struct Imports<'c>(&'c [&'c str], Vec<(String, String)>);
    impl<'ast> Visit<'ast> for Imports<'_> {
        fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
            for (path, called) in source::leaves(import) {
                let of = path.iter().find(|name| !name.is_empty());
                let name = path.last().filter(|name| **name != called);
                if let (Some(of), Some(name)) = (of, name) {
                    if self.0.contains(&of.as_str()) {
                        self.1.push((called, name.clone()));
                    }
                }
            }
        }
    }
    let mut found = Imports(crates, Vec::new());
    if !crates.is_empty() && text.contains(" as ") {
        if let Ok(file) = syn::parse_file(text) {
            found.visit_file(&file);
        }
    }
    found.1
}

/// Where the path begins that ends before a token.
pub fn path_start(trees: &[TokenTree], end: usize) -> usize {
    let is_colon = |at: usize| is_punct(&trees[at], ':');
    let mut start = end;
    while let Some(TokenTree::Ident(_)) = start.checked_sub(1).map(|at| &trees[at]) {
        start -= 1;
        match start.checked_sub(2) {
            Some(colons) if is_colon(colons) && is_colon(colons + 1) => start = colons,
            _ => break,
        }
    }
    start
}

/// Some tokens as a text, with the comments that stand between neighbours where they come from, and documentation as such.
pub fn with_comments(tokens: TokenStream) -> String {
    let mut out = String::new();
    add(tokens, false, &mut out);
    out
}

/// The same for all that stands in a call which passes it on, with the comments at its ends.
pub fn inside_with_comments(call: &Macro, tokens: TokenStream) -> String {
    let around = call.delimiter.span();
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let before = trees.first().map(|first| (around.open(), start(first)));
    let behind = trees.last().map(|last| (end(last), around.close()));
    let [before, behind] = [before, behind].map(|ends| {
        let comments = ends.and_then(|(first, last)| between(first, last));
        comments.unwrap_or_default()
    });
    before + &with_comments(tokens) + &behind
}

/// Adds the text of some tokens. The call of a macro gets documentation as it is: it may look at what that says.
fn add(tokens: TokenStream, in_call: bool, out: &mut String) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        if let Some(before) = at.checked_sub(1).map(|before| &trees[before]) {
            let comments = between(end(before), start(&trees[at]));
            out.push_str(&comments.unwrap_or_else(|| space_behind(before).to_owned()));
        }
        let documentation = match &trees[at..] {
            [TokenTree::Punct(sign), TokenTree::Group(group), ..] if sign.as_char() == '#' => {
                documentation(group).filter(|_| !in_call)
            }
            _ => None,
        };
        if let Some(line) = documentation {
            let space = match line.starts_with(' ') || line.is_empty() {
                true => "",
                false => " ",
            };
            out.push_str(&format!("///{space}{line}\n"));
            at += 2;
            continue;
        }
        match &trees[at] {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => (" ", " "),
                };
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let first = inside.first().map_or(group.span_close(), start);
                out.push_str(open);
                out.push_str(&between(group.span_open(), first).unwrap_or_default());
                let is_call = matches!(&trees[..at], [.., TokenTree::Ident(_), TokenTree::Punct(mark)] if mark.as_char() == '!');
                add(group.stream(), in_call || is_call, out);
                if let Some(last) = inside.last() {
                    out.push_str(&between(end(last), group.span_close()).unwrap_or_default());
                }
                out.push_str(close);
            }
            tree => out.push_str(&tree.to_string()),
        }
        at += 1;
    }
}

fn start(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_open(),
        tree => tree.span(),
    }
}

fn end(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_close(),
        tree => tree.span(),
    }
}

fn space_behind(tree: &TokenTree) -> &'static str {
    match tree {
        TokenTree::Punct(mark) if mark.spacing() == Spacing::Joint => "",
        _ => " ",
    }
}

/// The comments between two tokens that are neighbours where they come from, with the space around them.
fn between(before: Span, behind: Span) -> Option<String> {
    let (first, last) = (before.source_text()?, behind.source_text()?);
    let all = before.join(behind)?.source_text()?;
    let between = all.strip_prefix(&first)?.strip_suffix(&last)?;
    let is_comment = between.contains('/') && source::without_comments(between).trim().is_empty();
    is_comment.then(|| between.to_owned())
}

/// What `#[doc = "…"]` says in one line.
fn documentation(attribute: &Group) -> Option<String> {
    let meta: syn::MetaNameValue = syn::parse2(attribute.stream()).ok()?;
    let value: syn::LitStr = syn::parse2(meta.value.to_token_stream()).ok()?;
    let line = value.value();
    let is_line = !line.contains(['\n', '\r']) && !line.starts_with('/');
    (meta.path.is_ident("doc") && is_line).then_some(line)
}

/// A file without the parentheses that stand around what needs none, as those of what macros get do.
pub fn bare(text: String) -> String {
    struct Parentheses(Edits);
    impl Parentheses {
        fn drop_around(&mut self, expr: &Expr) {
            if let Expr::Paren(of) = expr {
                let around = of.paren_token.span;
                if of.attrs.is_empty() {
                    self.0.replace(around.open().byte_range(), " ");
                    self.0.replace(around.close().byte_range(), " ");
                }
            }
        }
    }
    impl<'ast> Visit<'ast> for Parentheses {
        fn visit_expr_paren(&mut self, of: &'ast syn::ExprParen) {
            // `1.` would take in what follows, and `a! {}` might be a statement.
            let is_open = match &*of.expr {
                Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Float(_)),
                Expr::Macro(call) => matches!(call.mac.delimiter, syn::MacroDelimiter::Brace(_)),
                _ => false,
            };
            let is_postfix = matches!(&*of.expr, Expr::Try(_) | Expr::Index(_));
            if (is_operand(&of.expr) || is_postfix) && !is_open {
                self.drop_around(&Expr::Paren(of.clone()));
            }
            visit::visit_expr_paren(self, of);
        }

        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            call.args
                .iter()
                .for_each(|argument| self.drop_around(argument));
            visit::visit_expr_call(self, call);
        }

        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            call.args
                .iter()
                .for_each(|argument| self.drop_around(argument));
            visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
            // Behind it comes a block, or what else is a condition.
            if let Expr::Paren(of) = &*expr.expr {
                let is_one = match &*of.expr {
                    Expr::Binary(both) => !matches!(both.op, BinOp::And(_) | BinOp::Or(_)),
                    _ => false,
                };
                if is_one && !of.to_token_stream().to_string().contains('{') {
                    self.drop_around(&expr.expr);
                }
            }
            visit::visit_expr_let(self, expr);
        }

        fn visit_expr_reference(&mut self, of: &'ast syn::ExprReference) {
            let is_unary =
                |expr: &Expr| matches!(expr, Expr::Paren(of) if matches!(*of.expr, Expr::Unary(_)));
            if is_unary(&of.expr) {
                self.drop_around(&of.expr);
            }
            visit::visit_expr_reference(self, of);
        }

        fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
            self.drop_around(&item.expr);
            visit::visit_item_const(self, item);
        }

        fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
            self.drop_around(&item.expr);
            visit::visit_item_static(self, item);
        }

        fn visit_stmt(&mut self, stmt: &'ast Stmt) {
            if let Stmt::Expr(Expr::Paren(of), Some(_)) = stmt {
                let is_own = match &*of.expr {
                    Expr::Assign(_) => true,
                    Expr::Binary(both) => both.op.to_token_stream().to_string().ends_with('='),
                    _ => false,
                };
                if is_own {
                    self.drop_around(&Expr::Paren(of.clone()));
                }
            }
            visit::visit_stmt(self, stmt);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) {
                self.drop_around(&init.expr);
            }
            visit::visit_local(self, local);
        }
    }
    let mut found = Parentheses(Edits::default());
    if let Ok(file) = syn::parse_file(&text) {
        found.visit_file(&file);
    }
    found.0.apply(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_go_where_nothing_needs_them() {
        let body = |text: &str| {
            let text = bare(format!("fn f() {{ {text} }}"));
            text.split_whitespace().collect::<String>()
        };
        for (text, expected) in [
            ("let x = (a + b) * (c);", "letx=(a+b)*c;"),
            ("let x = (a + b); f((a + b), 1)", "letx=a+b;f(a+b,1)"),
            ("a + (f()?) + (x[0])", "a+f()?+x[0]"),
            ("(1.).sqrt() + (2.5).sqrt()", "(1.).sqrt()+(2.5).sqrt()"),
            ("(vec! { 1 }).len()", "(vec!{1}).len()"),
            ("if let true = (a < b) {}", "iflettrue=a<b{}"),
            ("if let true = (a || b) {}", "iflettrue=(a||b){}"),
            (
                "if let A { .. } = (A { x } == b) {}",
                "ifletA{..}=(A{x}==b){}",
            ),
            ("(self.f)(&(*x))", "(self.f)(&*x)"),
            ("const A: u8 = (1 + 2);", "constA:u8=1+2;"),
            ("(a += 1); (b = 2); ({ c });", "a+=1;b=2;({c});"),
        ] {
            assert_eq!(body(text), format!("fnf(){{{expected}}}"));
        }
    }

    #[test]
    fn what_stands_alone_needs_no_parentheses() {
        for (text, is_one) in [
            ("let x = m!();", true),
            ("f(m!(), 1)", true),
            ("A => m!(),", true),
            ("x == m!();", false),
            ("x <= m!();", false),
            ("f(m!().len())", false),
            ("a | m!()}", false),
        ] {
            let start = text.find("m!").unwrap();
            assert_eq!(is_alone(text, &(start..start + 4)), is_one, "{text}");
        }
    }

    #[test]
    fn the_root_of_a_macro_is_the_crate_that_has_it() {
        let rules = "() => { $crate::a!([$crate::b]); crate::c }";
        let made = rooted(rules.parse().unwrap(), "x").to_string();
        let made: String = made.split_whitespace().collect();
        assert_eq!(made, "()=>{::x::a!([::x::b]);crate::c}");
    }

    #[test]
    fn documentation_is_a_comment() {
        let text = "#[doc = \"a\"] #[doc = \"/b\"] struct A;";
        let made = with_comments(text.parse().unwrap());
        assert!(made.starts_with("/// a\n #"), "{made}");
        let call = "f!(#[doc = \"a\"])";
        let made = with_comments(call.parse().unwrap()).replace(' ', "");
        assert_eq!(made, call.replace(' ', ""));
    }
}
