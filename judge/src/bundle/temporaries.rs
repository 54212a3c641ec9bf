//! Temporary values that edition 2024 drops earlier than 2021: those of what an `if let` looks at before its `else`, and those of the last
//! expression of a block before the block's variables.
//!
//! Where something is still borrowed or locked by them, that decides what the program does, and nobody says so. The code is written so that
//! they go as early in 2021.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::Result;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprIf, ExprLoop,
    ExprMethodCall, ExprWhile, Item, Stmt,
};

use super::compiler::{Compiler, Diagnostic};
use super::newer::{about, check, line, module, modules};
use super::source::Edits;

const IF_LET: &str = "--force-warn=if_let_rescope";
const TAIL: &str = "--force-warn=tail_expr_drop_order";

/// Methods whose values end a borrow or unlock something when they are dropped: the lints tell of few of these.
const GUARDS: [&str; 5] = ["borrow", "borrow_mut", "lock", "read", "write"];

/// The text with the values dropped as edition 2024 drops them, if they would not be, and what somebody should know whose code cannot be
/// written so, or is of an earlier edition. `is_newer` tells which modules at the top are of edition 2024 (`""` is the program), and
/// `is_own` which are the user's: the compiler is asked about these.
pub fn settled(
    compiler: &Compiler,
    text: &str,
    is_newer: &dyn Fn(&str) -> bool,
    is_own: &dyn Fn(&str) -> bool,
) -> Result<(Option<String>, Vec<String>)> {
    let modules = modules(text)?;
    let mut drops = text
        .match_indices("Drop for")
        .map(|(at, _)| module(&modules, at));
    let mut names = modules.iter().map(|(_, name)| name.as_str()).chain([""]);
    // In older code only what is seen of it counts: nothing stays borrowed longer.
    let is_asked = names.any(|name| is_own(name) && is_newer(name)) || drops.any(is_own);
    let is_guarded = |guard: &str| text.contains(&format!("{guard}()"));
    if !is_asked && !GUARDS.into_iter().any(is_guarded) {
        return Ok((None, Vec::new()));
    }
    let (mut if_lets, mut tails) = (BTreeSet::new(), BTreeSet::new());
    if is_asked {
        let said = check(compiler, text, &[IF_LET, TAIL])?;
        for (flag, found) in [(IF_LET, &mut if_lets), (TAIL, &mut tails)] {
            let lints = about(text, &said, flag, is_own)?;
            let places = lints.iter().filter_map(|lint| lint.places().next());
            found.extend(places.map(|place| place.start));
        }
    }
    let is_newer_at = |at: usize| is_newer(module(&modules, at));
    let parted = |places: &BTreeSet<usize>| -> (BTreeSet<usize>, BTreeSet<usize>) {
        places.iter().copied().partition(|&at| is_newer_at(at))
    };
    let (newer_if_lets, older_if_lets) = parted(&if_lets);
    let (newer_tails, older_tails) = parted(&tails);
    let mut writer = Writer {
        is_newer: &is_newer_at,
        if_lets: newer_if_lets,
        tails: newer_tails,
        closed: BTreeSet::new(),
        left: BTreeSet::new(),
        edits: Edits::default(),
        labels: 0,
        is_branch: false,
    };
    writer.visit_file(&syn::parse_file(text)?);
    // In macros nothing is found.
    writer.left.extend(&writer.if_lets);
    writer.left.extend(older_if_lets);
    writer.tails.extend(older_tails);
    let mut written = (!writer.edits.is_empty()).then(|| writer.edits.apply(text));
    if let Some(new) = &written {
        let said = check(compiler, new, &[])?;
        if said.iter().any(Diagnostic::is_error) {
            written = None;
            (writer.left, writer.tails) = (if_lets, tails);
        }
    }
    let (mut notes, mut lines) = (Vec::new(), BTreeSet::new());
    for (places, end) in [
        (writer.left, "`else`"),
        (writer.tails, "the end of the block"),
    ] {
        let mut own = places
            .into_iter()
            .filter(|&at| is_own(module(&modules, at)));
        // One line is told once.
        if let Some(place) = own.next().filter(|&place| lines.insert(line(text, place))) {
            notes.push(format!(
                "edition 2024 drops a temporary value in `{}` before {end}, and edition 2021 only behind it; judges use both. \
                 Should it make a difference (a borrow, a lock, a `drop` that prints), give the value to a variable in a statement of its own first",
                line(text, place)
            ));
        }
    }
    Ok((written, notes))
}

/// Writes code so that its temporary values go as early in all editions.
struct Writer<'w> {
    is_newer: &'w dyn Fn(usize) -> bool,
    /// Where the compiler tells of an `if let`, and of the last expression of a block; each until it is found.
    if_lets: BTreeSet<usize>,
    tails: BTreeSet<usize>,
    /// Blocks that end in a statement now.
    closed: BTreeSet<usize>,
    /// Those that cannot be written so.
    left: BTreeSet<usize>,
    edits: Edits,
    labels: usize,
    /// What comes next stands behind an `else`.
    is_branch: bool,
}

impl Visit<'_> for Writer<'_> {
    fn visit_expr_if(&mut self, expr: &ExprIf) {
        let is_branch = std::mem::take(&mut self.is_branch);
        let start = expr.if_token.span.byte_range().start;
        let is_concerned = self.is_concerned(expr);
        let is_written = is_concerned && self.write(expr, is_branch);
        if is_concerned && !is_written {
            self.left.insert(start);
        }
        self.visit_expr(&expr.cond);
        if is_concerned {
            // Its values go with it, and not at the end of a block.
            taken(&mut self.tails, expr.cond.span().byte_range());
        }
        self.visit_block(&expr.then_branch);
        if let Some((_, other)) = &expr.else_branch {
            self.is_branch = matches!(**other, Expr::If(_)) && !is_written;
            self.visit_expr(other);
        }
    }

    fn visit_block(&mut self, block: &Block) {
        visit::visit_block(self, block);
        let Some(range) = tail(block) else { return };
        let is_closed = self.closed.contains(&start_of(block));
        if taken(&mut self.tails, range.clone()) && !is_closed {
            self.edits.insert(range.start, "let value = ");
            self.edits.insert(range.end, "; value");
        }
    }
}

impl Writer<'_> {
    /// Whether an `if let` with an `else` may look at something that is to go before.
    fn is_concerned(&mut self, expr: &ExprIf) -> bool {
        let (Expr::Let(of), Some((_, other))) = (&*expr.cond, &expr.else_branch) else {
            return false;
        };
        let is_told = taken(&mut self.if_lets, of.span().byte_range());
        let is_empty = matches!(&**other, Expr::Block(b) if b.block.stmts.is_empty());
        let mut guards = Guards(false);
        guards.visit_expr(&of.expr);
        is_told || guards.0 && !is_empty && (self.is_newer)(expr.if_token.span.byte_range().start)
    }

    /// `if let P = E { A } else { B }` as `'matched: { if let P = E { break 'matched A; } B }`: without `else` its values go with it.
    fn write(&mut self, expr: &ExprIf, is_branch: bool) -> bool {
        let then = &expr.then_branch;
        let Some((word, other)) = &expr.else_branch else {
            return false;
        };
        let is_over = leaves(then);
        let mut jumps = Jumps(false);
        jumps.visit_block(then);
        jumps.visit_expr(other);
        // These must not leave a block with a label.
        if jumps.0 && !is_over {
            return false;
        }
        let range = expr.span().byte_range();
        if is_over {
            self.edits.insert(range.start, "{ ");
        } else {
            self.labels += 1;
            let label = match self.labels {
                1 => "'matched".to_owned(),
                n => format!("'matched_{n}"),
            };
            let open = if is_branch { "{ " } else { "" };
            self.edits
                .insert(range.start, format!("{open}{label}: {{ "));
            match tail(then) {
                Some(tail) => {
                    self.edits.insert(tail.start, format!("break {label} "));
                    self.edits.insert(tail.end, ";");
                    self.closed.insert(start_of(then));
                }
                None => {
                    let end = then.brace_token.span.close().byte_range().start;
                    self.edits.insert(end, format!("break {label}; "));
                }
            }
        }
        self.edits.delete(word.span.byte_range());
        // The last brace of an `else` closes the block that is new.
        match &**other {
            Expr::Block(of) if of.label.is_none() && of.attrs.is_empty() => {
                let open = of.block.brace_token.span.open();
                self.edits.delete(open.byte_range());
            }
            _ => self.edits.insert(range.end, " }"),
        }
        if is_branch && !is_over {
            self.edits.insert(range.end, " }");
        }
        true
    }
}

/// Takes the places in a range out; tells whether there were any.
fn taken(places: &mut BTreeSet<usize>, range: Range<usize>) -> bool {
    let before = places.len();
    places.retain(|place| !range.contains(place));
    places.len() < before
}

fn start_of(block: &Block) -> usize {
    block.brace_token.span.open().byte_range().start
}

/// Where the expression is that a block ends in.
fn tail(block: &Block) -> Option<Range<usize>> {
    match block.stmts.last()? {
        Stmt::Expr(expr, None) => Some(expr.span().byte_range()),
        Stmt::Macro(call) if call.semi_token.is_none() => Some(call.span().byte_range()),
        _ => None,
    }
}

/// Whether a block never comes to its end, as far as its last statement tells.
fn leaves(block: &Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(expr, _)) => {
            matches!(expr, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
        }
        Some(Stmt::Macro(call)) => {
            let never = ["panic", "unreachable", "todo", "unimplemented"];
            never.iter().any(|name| call.mac.path.is_ident(name))
        }
        _ => false,
    }
}

/// Whether a borrow or a lock is taken.
struct Guards(bool);

impl Visit<'_> for Guards {
    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        self.0 |= call.args.is_empty() && GUARDS.iter().any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether a `break` or `continue` without a label leads out.
struct Jumps(bool);

impl Visit<'_> for Jumps {
    fn visit_expr_break(&mut self, expr: &ExprBreak) {
        self.0 |= expr.label.is_none();
        visit::visit_expr_break(self, expr);
    }

    fn visit_expr_continue(&mut self, expr: &ExprContinue) {
        self.0 |= expr.label.is_none();
    }

    // Theirs lead no further.
    fn visit_expr_loop(&mut self, _: &ExprLoop) {}
    fn visit_expr_while(&mut self, _: &ExprWhile) {}
    fn visit_expr_for_loop(&mut self, _: &ExprForLoop) {}
    fn visit_expr_closure(&mut self, _: &ExprClosure) {}
    fn visit_item(&mut self, _: &Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a program of edition 2024, and how many notes there are.
    fn of(text: &str) -> (Option<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler {
            rustc: super::super::resolve::rustc(),
            externs: Vec::new(),
            scratch: folder.path().to_owned(),
        };
        assert_eq!(
            settled(&compiler, text, &|_| false, &|_| false).unwrap(),
            (None, Vec::new())
        );
        let (text, notes) = settled(&compiler, text, &|_| true, &|_| true).unwrap();
        (text, notes.len())
    }

    fn in_main(body: &str) -> String {
        format!("use std::cell::RefCell; struct D; impl Drop for D {{ fn drop(&mut self) {{}} }} impl D {{ fn n(&self) -> usize {{ 1 }} }} \
                 fn main() {{ let c = RefCell::new(vec![1]); {body} }}")
    }

    fn becomes(body: &str, expected: &str) {
        assert_eq!(of(&in_main(body)), (Some(in_main(expected)), 0));
    }

    #[test]
    fn what_an_if_let_looks_at_goes_before_its_else() {
        becomes(
            "if let Some(x) = c.borrow().first() { print!(\"{x}\"); } else { c.borrow_mut().push(1); }",
            "'matched: { if let Some(x) = c.borrow().first() { print!(\"{x}\"); break 'matched; }   c.borrow_mut().push(1); }",
        );
        becomes(
            "let n = if let Some(x) = c.borrow().first() { *x } else if c.borrow().len() > 1 { 2 } else { 3 }; print!(\"{n}\");",
            "let n = 'matched: { if let Some(x) = c.borrow().first() { break 'matched *x; }  if c.borrow().len() > 1 { 2 } else { 3 } }; print!(\"{n}\");",
        );
        // Behind an `else`, and one in the other.
        becomes(
            "let n = if c.borrow().len() > 3 { 1 } else if let Some(x) = c.borrow().first() { *x } else { if let Some(x) = c.borrow().last() { *x } else { 3 } }; print!(\"{n}\");",
            "let n = if c.borrow().len() > 3 { 1 } else { 'matched: { if let Some(x) = c.borrow().first() { break 'matched *x; }   'matched_2: { if let Some(x) = c.borrow().last() { break 'matched_2 *x; }   3 } } }; print!(\"{n}\");",
        );
    }

    #[test]
    fn what_stands_between_two_of_else_has_braces_of_its_own() {
        becomes(
            "let n = if c.borrow().len() > 3 { 1 } else if let Some(x) = c.borrow().first() { *x } else if c.borrow().len() > 1 { 2 } else { 3 }; print!(\"{n}\");",
            "let n = if c.borrow().len() > 3 { 1 } else { 'matched: { if let Some(x) = c.borrow().first() { break 'matched *x; }  if c.borrow().len() > 1 { 2 } else { 3 } } }; print!(\"{n}\");",
        );
    }

    #[test]
    fn what_leaves_needs_no_label() {
        becomes(
            "loop { if let Some(_) = c.borrow().first() { break; } else { c.borrow_mut().push(1); continue; } }",
            "loop { { if let Some(_) = c.borrow().first() { break; }   c.borrow_mut().push(1); continue; } }",
        );
    }

    #[test]
    fn what_cannot_be_written_so_is_told() {
        let text = "loop { if let Some(x) = c.borrow().first() { print!(\"{x}\"); } else { c.borrow_mut().push(1); break; } }";
        assert_eq!(of(&in_main(text)), (None, 1));
        let text = "print!(\"{}\", if let Some(d) = Some(D).as_ref().filter(|d| d.n() > 3) { d.n() } else { 3 });";
        assert_eq!(of(&in_main(text)), (None, 1));
    }

    #[test]
    fn what_a_block_ends_in_goes_before_its_variables() {
        becomes(
            "let f = |x: usize| { let d = D; x + d.n() + D.n() }; f(1);",
            "let f = |x: usize| { let d = D; let value = x + d.n() + D.n(); value }; f(1);",
        );
        becomes(
            "let n = if let Some(x) = c.borrow().first() { let _d = D; x + D.n() } else { 1 }; print!(\"{n}\");",
            "let n = 'matched: { if let Some(x) = c.borrow().first() { let _d = D; break 'matched x + D.n(); }   1 }; print!(\"{n}\");",
        );
    }
}
