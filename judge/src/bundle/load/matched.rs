//! An `if` written without its `else`: what it looks at is dropped before what comes instead, in all editions.
//!
//! `if let P = E { A } else { B }` is `'matched: { if let P = E { break 'matched A; } B }`. A `break` or `continue` in it must say where it
//! leads then, and the loop gets a label.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    BinOp, Block, Expr, ExprAsync, ExprBreak, ExprCall, ExprClosure, ExprContinue, ExprForLoop,
    ExprIf, ExprLoop, ExprMethodCall, ExprPath, ExprStruct, ExprWhile, File, Item, Label, Macro,
    Stmt, Token,
};

use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::is_punct;

/// Methods whose values end a borrow or unlock something when they are dropped: the compiler's lints tell of few of these.
const GUARDS: [&str; 5] = ["borrow", "borrow_mut", "lock", "read", "write"];

/// What is to be written in a text.
pub struct Matched<'t> {
    text: &'t str,
    /// The text has values that do something when they are dropped.
    has_drops: bool,
    /// Macros of the standard library that something else is called like.
    hidden: BTreeSet<&'static str>,
    pub edits: Edits,
    jumps: Jumps,
    /// The labels that loops get, by where the loops start.
    loops: BTreeMap<usize, String>,
    /// How many loops of those that are inside one have got a label, by where that one starts.
    named: BTreeMap<usize, usize>,
    /// How many blocks with a label there are around.
    depth: usize,
    /// Blocks that end in a statement now.
    closed: Vec<usize>,
    /// The blocks that have no value, by where they start.
    without_value: Vec<usize>,
}

/// Where an `if` stands.
#[derive(Default)]
pub enum Place {
    #[default]
    Anywhere,
    /// Behind an `else`.
    Branch,
    /// At the end of a block that is written for another, with its label.
    Last(Option<String>),
}

/// Macros of the standard library that never end, and such as have no value.
const NEVER: [&str; 4] = ["panic", "unreachable", "todo", "unimplemented"];
const PRINT: [&str; 4] = ["print", "println", "eprint", "eprintln"];

/// What is to be written behind an `if` when all inside is.
pub struct Open {
    label: Option<String>,
    /// It stands in a block of its own, with that label if there is one.
    is_block: bool,
    is_branch: bool,
}

impl<'t> Matched<'t> {
    pub fn new(text: &'t str, files: &[&File]) -> Self {
        let mut jumps = Jumps::default();
        for file in files {
            jumps.visit_file(file);
        }
        Self {
            text,
            has_drops: source::drops(text).next().is_some(),
            hidden: hidden(text, &[&NEVER[..], &PRINT].concat()),
            edits: Edits::default(),
            jumps,
            loops: BTreeMap::new(),
            named: BTreeMap::new(),
            depth: 0,
            closed: Vec::new(),
            without_value: Vec::new(),
        }
    }

    /// Whether a statement calls one of some macros of the standard library.
    fn calls(&self, last: &Stmt, names: &[&str]) -> bool {
        let is_standard =
            |name: &String| names.contains(&name.as_str()) && !self.hidden.contains(name.as_str());
        called(last).is_some_and(|name| is_standard(&name))
    }

    /// Whether a block never comes to its end, as far as its last statement tells.
    pub fn leaves(&self, block: &Block) -> bool {
        block.stmts.last().is_some_and(|last| match last {
            Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _) => true,
            last => self.calls(last, &NEVER),
        })
    }

    /// The last expression of a block if it may have a value.
    fn value(&self, last: &Stmt) -> Option<Span> {
        value(last, self.calls(last, &PRINT))
    }

    /// Remembers that a block has no value, as the body of a loop.
    pub fn has_no_value(&mut self, block: &Block) {
        self.without_value.push(start(block));
    }

    /// Has a block end in a variable, so that the values that its last expression uses go before those of the block; or in a statement.
    pub fn end(&mut self, block: &Block) {
        let Some(tail) = tail(block) else { return };
        if self.closed.contains(&start(block)) {
            return;
        }
        self.closed.push(start(block));
        let place = tail.byte_range();
        match self.without_value.contains(&start(block)) {
            true => self.edits.insert(place.end, ";"),
            false => self.edits.surround(place, "let value = ", "; value"),
        }
    }

    /// Writes the start of an `if` with an `else`.
    pub fn open(&mut self, expr: &ExprIf, place: Place) -> Open {
        let at = expr.if_token.span.byte_range().start;
        let then = &expr.then_branch;
        if self.leaves(then) {
            let is_block = !matches!(place, Place::Last(_));
            if is_block {
                self.edits.insert(at, "{ ");
            }
            return Open {
                label: match place {
                    Place::Last(label) => label,
                    _ => None,
                },
                is_block,
                is_branch: false,
            };
        }
        self.lead(expr.span().byte_range());
        let is_branch = matches!(place, Place::Branch);
        let (label, is_block) = match place {
            Place::Last(Some(label)) => (label, false),
            _ => (self.label("'matched", self.depth), true),
        };
        if is_block {
            self.depth += 1;
            let brace = if is_branch { "{ " } else { "" };
            self.edits.insert(at, format!("{brace}{label}: {{ "));
        }
        match then.stmts.last() {
            Some(last) if tail(then).is_some() => {
                if let Some(value) = self.value(last) {
                    let at = value.byte_range().start;
                    self.edits.insert(at, format!("break {label} "));
                }
                self.closed.push(start(then));
            }
            _ => {
                let end = then.brace_token.span.close().byte_range().start;
                self.edits.insert(end, format!("break {label}; "));
            }
        }
        Open {
            label: Some(label),
            is_block,
            is_branch,
        }
    }

    /// A place with the blanks around it.
    pub fn with_blanks(&self, place: Range<usize>) -> Range<usize> {
        let before = self.text[..place.start].trim_end_matches(' ');
        let behind = self.text[place.end..].trim_start_matches(' ');
        before.len()..self.text.len() - behind.len()
    }

    /// Where what stands behind the `else` of an `if` stands then.
    pub fn place(open: Option<&Open>, other: &Expr) -> Place {
        match (open, other) {
            (Some(open), Expr::If(_)) => Place::Last(open.label.clone()),
            (None, Expr::If(_)) => Place::Branch,
            _ => Place::Anywhere,
        }
    }

    /// Writes the rest.
    pub fn close(&mut self, expr: &ExprIf, open: Open) {
        let then = &expr.then_branch;
        if let (Some(label), Some(tail), false) = (&open.label, tail(then), self.leaves(then)) {
            let is_value = then
                .stmts
                .last()
                .and_then(|last| self.value(last))
                .is_some();
            let end = match then.stmts.last() {
                _ if is_value => ";".to_owned(),
                Some(Stmt::Expr(last, None)) if is_statement(last) => format!(" break {label};"),
                _ => format!("; break {label};"),
            };
            self.edits.insert(tail.byte_range().end, end);
        }
        let Some((word, other)) = &expr.else_branch else {
            return;
        };
        self.depth -= usize::from(open.is_block && open.label.is_some());
        self.edits.delete(word.span.byte_range());
        let end = expr.span().byte_range().end;
        match &**other {
            Expr::Block(of) if of.label.is_none() && of.attrs.is_empty() => {
                self.unbrace(&of.block);
                // In a plain block its values would live to the end of the statement around.
                if self.holds(&of.block) {
                    self.end(&of.block);
                }
                // The last brace of an `else` closes the block that is new.
                if !open.is_block {
                    self.edits.delete(end - 1..end);
                }
            }
            _ if open.is_block => self.edits.insert(end, " }"),
            _ => {}
        }
        if open.is_branch {
            self.edits.insert(end, " }");
        }
    }

    /// Whether a value at the end of a block may do something when it is dropped.
    fn holds(&self, block: &Block) -> bool {
        let calls = Calls::at_the_end(block, false);
        calls.has_guard || self.has_drops && calls.has_any
    }

    /// Deletes the first brace of a block, with the spaces behind it. A comment stays on its line.
    pub fn unbrace(&mut self, block: &Block) {
        let range = block.brace_token.span.open().byte_range();
        let rest = &self.text[range.end..];
        let (spaces, code) = rest.split_at(rest.len() - rest.trim_start().len());
        let space = match code.starts_with('/') && spaces.contains('\n') {
            true => spaces,
            false => " ",
        };
        self.edits
            .replace(range.start..range.end + spaces.len(), space);
    }

    /// Gives each jump in a place that leads out of it the label of its loop.
    pub fn lead(&mut self, place: Range<usize>) {
        let inside = self.jumps.found.range(place.clone());
        let leading = inside.filter(|(_, of)| !place.contains(&of.start));
        let leading: Vec<(usize, Loop)> = leading.map(|(&at, of)| (at, of.clone())).collect();
        for (at, of) in leading {
            self.jumps.found.remove(&at);
            let known = of.label.or_else(|| self.loops.get(&of.start).cloned());
            let label = known.unwrap_or_else(|| {
                let number = self.named.get(&of.outermost).copied().unwrap_or_default();
                let label = self.label("'outer", number);
                self.named.insert(of.outermost, number + 1);
                self.edits.insert(of.start, format!("{label}: "));
                self.loops.insert(of.start, label.clone());
                label
            });
            self.edits.insert(at, format!(" {label}"));
        }
    }

    /// One of the labels that the text has not.
    fn label(&self, name: &str, number: usize) -> String {
        let all = (1..).map(|n| match n {
            1 => name.to_owned(),
            n => format!("{name}_{n}"),
        });
        let mut free = all.filter(|label| !self.text.contains(&format!("{label}:")));
        free.nth(number).expect("there is no end of numbers")
    }
}

fn start(block: &Block) -> usize {
    block.brace_token.span.open().byte_range().start
}

/// The expression that a block ends in.
pub fn tail(block: &Block) -> Option<Span> {
    match block.stmts.last()? {
        Stmt::Expr(expr, None) => Some(expr.span()),
        Stmt::Macro(call) if call.semi_token.is_none() => Some(call.span()),
        _ => None,
    }
}

/// The last expression of a block if it may have a value: nothing that is printed has.
fn value(last: &Stmt, is_printed: bool) -> Option<Span> {
    let is_without = match last {
        Stmt::Expr(Expr::ForLoop(_) | Expr::While(_) | Expr::Assign(_), None) => true,
        Stmt::Expr(Expr::If(expr), None) => expr.else_branch.is_none(),
        Stmt::Expr(Expr::Binary(expr), None) => is_assignment(&expr.op),
        _ => is_printed,
    };
    (!is_without).then(|| last.span())
}

/// Those of the standard library's macros that a text has something else for, or imports from elsewhere.
fn hidden(text: &str, names: &[&'static str]) -> BTreeSet<&'static str> {
    let words: Vec<&str> = source::words(text).collect();
    let is_hidden = |name: &&&'static str| {
        let imports = || {
            let statements = text.split(';').filter_map(|part| part.rsplit_once("use "));
            // A comment may say that something is of use.
            let imports = statements.filter(|(_, import)| !import.contains(['!', '(', '"']));
            imports.flat_map(|(_, import)| source::words(import))
        };
        words.contains(*name)
            && (words.windows(2).any(|pair| pair == ["macro_rules", **name])
                || imports().any(|word| word == **name))
    };
    names.iter().filter(is_hidden).copied().collect()
}

/// The macro that a statement calls by its name alone.
fn called(last: &Stmt) -> Option<String> {
    let path = match last {
        Stmt::Macro(call) => &call.mac.path,
        Stmt::Expr(Expr::Macro(call), _) => &call.mac.path,
        _ => return None,
    };
    path.get_ident().map(ToString::to_string)
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Whether an expression is one without a value that needs nothing behind it.
fn is_statement(expr: &Expr) -> bool {
    match expr {
        Expr::If(of) => of.else_branch.is_none(),
        Expr::ForLoop(_) | Expr::While(_) => true,
        _ => false,
    }
}

/// Visits the code that a macro gets: arguments such as `a, b` or `a; b`, items, or what stands in braces.
pub fn visit_arguments(visitor: &mut impl for<'a> Visit<'a>, call: &Macro) {
    visit_tokens(visitor, call.tokens.clone());
}

fn visit_tokens(visitor: &mut impl for<'a> Visit<'a>, tokens: TokenStream) {
    let commas = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone());
    let semicolons = Punctuated::<Expr, Token![;]>::parse_terminated;
    let arguments: Vec<Expr> = match commas {
        Ok(arguments) => arguments.into_iter().collect(),
        Err(_) => match semicolons.parse2(tokens.clone()) {
            Ok(arguments) => arguments.into_iter().collect(),
            Err(_) => return visit_code(visitor, tokens),
        },
    };
    for argument in &arguments {
        visitor.visit_expr(argument);
    }
}

/// Visits statements, or the code between commas, semicolons and arrows, or what is in brackets there.
pub fn visit_code(visitor: &mut impl for<'a> Visit<'a>, tokens: TokenStream) {
    if let Ok(statements) = Block::parse_within.parse2(tokens.clone()) {
        for statement in &statements {
            visitor.visit_stmt(statement);
        }
        return;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mark = |at: usize, c: char| is_punct(trees.get(at), c);
    let is_arrow = |at: usize| mark(at, '=') && mark(at + 1, '>');
    let mut start = 0;
    for at in 0..=trees.len() {
        if at < trees.len() && !mark(at, ',') && !mark(at, ';') && !is_arrow(at) {
            continue;
        }
        let part = &trees[start.min(at)..at];
        start = at + if is_arrow(at) { 2 } else { 1 };
        if let Ok(expr) = syn::parse2(part.iter().cloned().collect()) {
            visitor.visit_expr(&expr);
            continue;
        }
        for tree in part {
            match tree {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    visit_code(visitor, group.stream());
                }
                TokenTree::Group(group) => visit_tokens(visitor, group.stream()),
                _ => {}
            }
        }
    }
}

/// Whether a borrow or a lock is taken.
pub fn guards(expr: &Expr) -> bool {
    let mut calls = Calls::default();
    calls.visit_expr(expr);
    calls.has_guard
}

/// Whether anything is called.
pub fn calls_any(expr: &Expr, is_template: bool) -> bool {
    let mut calls = Calls {
        is_template,
        ..Calls::default()
    };
    calls.visit_expr(expr);
    calls.has_any
}

/// Whether anything is called at the end of a block, a macro that may make a value too.
pub fn ends_in_a_call(block: &Block, is_template: bool) -> bool {
    let is_macro = || match block.stmts.last() {
        Some(Stmt::Macro(_)) => true,
        Some(Stmt::Expr(expr, _)) => matches!(expr, Expr::Macro(_)),
        _ => false,
    };
    let is_printed = |last: &Stmt| called(last).is_some_and(|name| PRINT.contains(&name.as_str()));
    let value = |last: &Stmt| value(last, is_printed(last));
    let is_value = || block.stmts.last().and_then(value).is_some();
    Calls::at_the_end(block, is_template).has_any || is_macro() && is_value()
}

/// What is called.
#[derive(Default)]
struct Calls {
    /// What a macro is called with may call anything: `$x`, which is `_x` in a template.
    is_template: bool,
    has_any: bool,
    has_guard: bool,
}

impl Calls {
    fn at_the_end(block: &Block, is_template: bool) -> Self {
        let mut calls = Self {
            is_template,
            ..Self::default()
        };
        match block.stmts.last() {
            // Their blocks drop what is theirs.
            Some(Stmt::Expr(
                Expr::If(_) | Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_),
                _,
            )) => {}
            Some(last) => calls.visit_stmt(last),
            None => {}
        }
        calls
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.has_any = true;
        self.has_guard |= call.args.is_empty() && GUARDS.iter().any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.has_any = true;
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_struct(&mut self, _: &'ast ExprStruct) {
        self.has_any = true;
    }

    fn visit_expr_path(&mut self, of: &'ast ExprPath) {
        let name = of.path.get_ident().map(ToString::to_string);
        self.has_any |= self.is_template && name.is_some_and(|name| name.starts_with('_'));
    }
}

/// A loop: where it starts, with its label.
#[derive(Clone)]
struct Loop {
    start: usize,
    /// Where the first of the loops starts that it is in.
    outermost: usize,
    label: Option<String>,
}

/// Where each `break` or `continue` without a label leads, by the end of its word.
#[derive(Default)]
struct Jumps {
    found: BTreeMap<usize, Loop>,
    within: Option<Loop>,
}

impl Jumps {
    fn inside(&mut self, of: Option<Loop>, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.within, of);
        look(self);
        self.within = before;
    }

    fn of(&self, label: &Option<Label>, word: Span) -> Option<Loop> {
        let start = label.as_ref().map_or(word, |label| label.name.span());
        let start = start.byte_range().start;
        Some(Loop {
            start,
            outermost: self.within.as_ref().map_or(start, |of| of.outermost),
            label: label.as_ref().map(|label| label.name.to_string()),
        })
    }

    fn jump(&mut self, word: Span) {
        if let Some(of) = &self.within {
            self.found.insert(word.byte_range().end, of.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Jumps {
    fn visit_expr_break(&mut self, expr: &'ast ExprBreak) {
        if expr.label.is_none() {
            self.jump(expr.break_token.span);
        }
        visit::visit_expr_break(self, expr);
    }

    fn visit_expr_continue(&mut self, expr: &'ast ExprContinue) {
        if expr.label.is_none() {
            self.jump(expr.continue_token.span);
        }
    }

    fn visit_expr_loop(&mut self, expr: &'ast ExprLoop) {
        let of = self.of(&expr.label, expr.loop_token.span);
        self.inside(of, |jumps| visit::visit_expr_loop(jumps, expr));
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        let of = self.of(&expr.label, expr.while_token.span);
        self.inside(of, |jumps| visit::visit_expr_while(jumps, expr));
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast ExprForLoop) {
        self.visit_expr(&expr.expr);
        let of = self.of(&expr.label, expr.for_token.span);
        self.inside(of, |jumps| jumps.visit_block(&expr.body));
    }

    // Nothing leads out of these.
    fn visit_expr_closure(&mut self, expr: &'ast ExprClosure) {
        self.inside(None, |jumps| visit::visit_expr_closure(jumps, expr));
    }

    fn visit_expr_async(&mut self, expr: &'ast ExprAsync) {
        self.inside(None, |jumps| visit::visit_expr_async(jumps, expr));
    }

    fn visit_item(&mut self, item: &'ast Item) {
        self.inside(None, |jumps| visit::visit_item(jumps, item));
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit_arguments(self, call);
    }
}
