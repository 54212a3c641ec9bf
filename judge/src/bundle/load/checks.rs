//! Checks that judges do not make, and choices that are decided as soon as that is known.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr, ExprBinary, ExprIf, Pat, Stmt, UnOp};

use crate::bundle::resolve::cfg::Settled;
use crate::bundle::text::source;

use super::Pass;

/// Macros that do nothing in a release.
const CHECKS: [&str; 3] = ["debug_assert", "debug_assert_eq", "debug_assert_ne"];

impl Pass<'_, '_, '_> {
    /// Whether a call is a check of a crate of others that no release makes. Nothing runs of it, but the type checker wants what it names.
    /// A closure holds what it names, too, and so that is dropped with it.
    fn is_idle_check(&self, mac: &syn::Macro) -> bool {
        let tells_type = || {
            let tokens = mac.tokens.to_string();
            let mut words = source::words(&tokens);
            words.any(|word| self.checked.iter().any(|name| name == word))
        };
        self.drops_code() && CHECKS.iter().any(|name| mac.path.is_ident(name)) && !tells_type()
    }

    /// The variables of a block that a function of a type makes and only checks name: they may have their types from those.
    pub(super) fn checked_in(&self, block: &Block) -> Vec<String> {
        let text = &self.text[block.span().byte_range()];
        if !self.drops_code() || !text.contains(CHECKS[0]) {
            return Vec::new();
        }
        let mut named = Vec::new();
        words_but_of_checks(block.to_token_stream(), &mut named);
        let locals = block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Local(local) => match (&local.pat, &*local.init.as_ref()?.expr) {
                // `Index::new(1)`, of which not all parameters may be clear.
                (Pat::Ident(variable), Expr::Call(call)) => {
                    let is_of_type = matches!(&*call.func, Expr::Path(function) if function.path.segments.len() > 1);
                    is_of_type.then(|| variable.ident.to_string())
                }
                _ => None,
            },
            _ => None,
        });
        locals
            .filter(|name| named.iter().filter(|word| *word == name).count() == 1)
            .collect()
    }

    /// Whether code that never runs may go.
    fn drops_code(&self) -> bool {
        self.loader.drops_checks && self.closures == 0
    }

    /// Whether a statement does nothing but what no release does.
    pub(super) fn is_idle(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Macro(call) => {
                let ended = call.semi_token.is_some();
                ended && call.attrs.is_empty() && self.is_idle_check(&call.mac)
            }
            Stmt::Expr(Expr::If(choice), _) => {
                choice.else_branch.is_none() && self.is_never_taken(choice)
            }
            _ => false,
        }
    }

    /// Whether the first branch of `if cfg!(…) { … }` is dead. The compiler drops it before it tells what is called.
    pub(super) fn is_never_taken(&self, choice: &ExprIf) -> bool {
        self.drops_code() && choice.attrs.is_empty() && self.value(&choice.cond) == Some(false)
    }

    /// The value of a condition of which `cfg!` alone decides.
    pub(super) fn value(&self, condition: &Expr) -> Option<bool> {
        match condition {
            Expr::Paren(inside) => self.value(&inside.expr),
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => {
                self.value(&not.expr).map(|value| !value)
            }
            // What comes first may do something.
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                self.value(&both.left).filter(|value| !value)
            }
            Expr::Macro(call)
                if call.mac.path.is_ident("cfg") && self.loader.known("cfg").is_none() =>
            {
                match self.loader.unit.cfg.settle(&call.mac.parse_body().ok()?) {
                    Settled::True => Some(true),
                    Settled::False => Some(false),
                    Settled::Open(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The value of what consists of `cfg!` alone in own code.
    pub(super) fn value_of(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Paren(inside) => self.value_of(&inside.expr),
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => {
                self.value_of(&not.expr).map(|value| !value)
            }
            Expr::Binary(both) => {
                let (left, right) = (self.value_of(&both.left)?, self.value_of(&both.right)?);
                match both.op {
                    BinOp::And(_) => Some(left && right),
                    BinOp::Or(_) => Some(left || right),
                    _ => None,
                }
            }
            Expr::Macro(_) => self.value(expr).filter(|_| self.loader.unit.own),
            _ => None,
        }
    }

    /// What `a && cfg!(…)` or `cfg!(…) || a` is in own code, if that is `a`.
    fn deciding<'e>(&self, both: &'e ExprBinary) -> Option<&'e Expr> {
        let idle = match both.op {
            BinOp::And(_) => true,
            BinOp::Or(_) => false,
            _ => return None,
        };
        let is_idle = |expr: &Expr| self.value_of(expr) == Some(idle);
        let deciding = match (is_idle(&both.left), is_idle(&both.right)) {
            (true, _) => &*both.right,
            (_, true) => &*both.left,
            _ => return None,
        };
        // Others may need brackets then, or must not have theirs.
        let may_stand_alone = matches!(
            deciding,
            Expr::Binary(_)
                | Expr::Call(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Lit(_)
                | Expr::Macro(_)
                | Expr::MethodCall(_)
                | Expr::Path(_)
                | Expr::Unary(_)
        );
        (may_stand_alone && both.attrs.is_empty()).then_some(deciding)
    }

    /// Visits a condition, whose parts drop what they borrow before it ends: one that decides nothing can go.
    pub(super) fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Binary(both) if self.value_of(condition).is_none() => {
                if let Some(deciding) = self.deciding(both) {
                    let (whole, inside) = (both.span().byte_range(), deciding.span().byte_range());
                    self.edits.delete(whole.start..inside.start);
                    self.edits.delete(inside.end..whole.end);
                    self.condition(deciding);
                } else if matches!(both.op, BinOp::And(_) | BinOp::Or(_)) && both.attrs.is_empty() {
                    self.condition(&both.left);
                    self.condition(&both.right);
                } else {
                    self.visit_expr(condition);
                }
            }
            _ => self.visit_expr(condition),
        }
    }
}

/// The words of some tokens outside of [`CHECKS`].
fn words_but_of_checks(tokens: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_check = |at: usize| match at.checked_sub(2).map(|before| &trees[before..at]) {
        Some([TokenTree::Ident(name), TokenTree::Punct(bang)]) => {
            bang.as_char() == '!' && CHECKS.iter().any(|check| name == check)
        }
        _ => false,
    };
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if !is_check(at) => words_but_of_checks(group.stream(), found),
            TokenTree::Ident(name) => found.push(name.to_string()),
            _ => {}
        }
    }
}

/// Whether a text defines or imports something by the name of one of [`CHECKS`].
pub(super) fn has_own_checks(text: &str) -> bool {
    let names = |line: &str| source::words(line).any(|word| CHECKS.contains(&word));
    let mut lines = text.lines().filter(|line| names(line));
    lines.any(|line| source::words(line).any(|word| ["use", "macro_rules"].contains(&word)))
}
