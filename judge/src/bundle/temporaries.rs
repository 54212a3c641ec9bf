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
use syn::{Block, Expr, ExprIf, Macro};

use super::compiler::{Compiler, Diagnostic};
use super::matched::{self, guards, visit_arguments, Matched, Place, GUARDS};
use super::newer::{about, check, line, module, modules};

const IF_LET: &str = "--force-warn=if_let_rescope";
const TAIL: &str = "--force-warn=tail_expr_drop_order";

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
    let file = syn::parse_file(text)?;
    let mut writer = Writer {
        is_newer: &is_newer_at,
        if_lets: newer_if_lets,
        tails: newer_tails,
        matched: Matched::new(text, &file),
        next: Default::default(),
    };
    writer.visit_file(&file);
    // In what other macros get nothing is found.
    let mut left = (
        &writer.if_lets | &older_if_lets,
        &writer.tails | &older_tails,
    );
    let edits = writer.matched.edits;
    let mut written = (!edits.is_empty()).then(|| edits.apply(text));
    if let Some(new) = &written {
        let said = check(compiler, new, &[])?;
        if said.iter().any(Diagnostic::is_error) {
            written = None;
            left = (if_lets, tails);
        }
    }
    let (mut notes, mut lines) = (Vec::new(), BTreeSet::new());
    for (places, end) in [(left.0, "`else`"), (left.1, "the end of the block")] {
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
    matched: Matched<'w>,
    /// Where the next `if` stands, and whether the compiler tells of that before it.
    next: (Place, bool),
}

impl Visit<'_> for Writer<'_> {
    fn visit_expr_if(&mut self, expr: &ExprIf) {
        let (place, is_told) = std::mem::take(&mut self.next);
        let is_told = self.is_told(expr) || is_told;
        let is_let = matches!(*expr.cond, Expr::Let(_));
        let is_concerned = is_let && expr.else_branch.is_some() && (is_told || self.holds(expr));
        let is_last = matches!(place, Place::Last(_));
        let open = is_concerned.then(|| self.matched.open(expr, place));
        self.visit_expr(&expr.cond);
        if is_concerned {
            // Its values go with it, and not at the end of a block.
            taken(&mut self.tails, expr.cond.span().byte_range());
        }
        self.visit_block(&expr.then_branch);
        match &expr.else_branch {
            Some((_, other)) => {
                let is_if = matches!(**other, Expr::If(_));
                self.next = (Matched::place(open.as_ref(), other), is_told && is_if);
                self.visit_expr(other);
            }
            // As a statement it drops them before the block is left.
            None if is_last && is_let && is_told => {
                let end = expr.span().byte_range().end;
                self.matched.edits.insert(end, ";");
            }
            None => {}
        }
        if let Some(open) = open {
            self.matched.close(expr, open);
        }
    }

    fn visit_block(&mut self, block: &Block) {
        visit::visit_block(self, block);
        let Some(tail) = matched::tail(block) else {
            return;
        };
        if taken(&mut self.tails, tail.byte_range()) {
            self.matched.end(block);
        }
    }

    fn visit_macro(&mut self, call: &Macro) {
        visit_arguments(self, call);
    }
}

impl Writer<'_> {
    /// Whether the compiler tells of an `if let`: of the first for all that stand behind its `else`.
    fn is_told(&mut self, expr: &ExprIf) -> bool {
        matches!(*expr.cond, Expr::Let(_))
            && taken(&mut self.if_lets, expr.cond.span().byte_range())
    }

    /// Whether it may look at something that is to go before its `else`.
    fn holds(&self, expr: &ExprIf) -> bool {
        let is_empty = |other: &Expr| matches!(other, Expr::Block(b) if b.block.stmts.is_empty());
        let is_empty = expr.else_branch.as_ref().is_some_and(|(_, b)| is_empty(b));
        let at = expr.if_token.span.byte_range().start;
        !is_empty && (self.is_newer)(at) && guards(&expr.cond)
    }
}

/// Takes the places in a range out; tells whether there were any.
fn taken(places: &mut BTreeSet<usize>, range: Range<usize>) -> bool {
    let before = places.len();
    places.retain(|place| !range.contains(place));
    places.len() < before
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

    /// What becomes of a body, without regard to spaces.
    fn becomes(body: &str, expected: &str) {
        let (found, notes) = of(&in_main(body));
        let words = |text: &str| {
            text.parse::<proc_macro2::TokenStream>()
                .unwrap()
                .to_string()
        };
        assert_eq!(words(&found.unwrap()), words(&in_main(expected)));
        assert_eq!(notes, 0);
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
    fn what_stands_behind_several_of_else_is_in_one_block() {
        becomes(
            "let n = if let Some(d) = Some(D).as_ref() { d.n() } else if let Some(_) = Some(D).as_ref() { 2 } else { D.n() }; print!(\"{n}\");",
            "let n = 'matched: { if let Some(d) = Some(D).as_ref() { break 'matched d.n(); } if let Some(_) = Some(D).as_ref() { break 'matched 2; } \
                let value = D.n(); value }; print!(\"{n}\");",
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
    fn what_macros_get_is_written_too() {
        becomes(
            "print!(\"{}\", if let Some(d) = Some(D).as_ref() { d.n() } else { 3 });",
            "print!(\"{}\", 'matched: { if let Some(d) = Some(D).as_ref() { break 'matched d.n(); } 3 });",
        );
    }

    #[test]
    fn what_leads_out_says_where() {
        becomes(
            "loop { if let Some(x) = c.borrow().first() { print!(\"{x}\"); } else { c.borrow_mut().push(1); break; } }",
            "'outer: loop { 'matched: { if let Some(x) = c.borrow().first() { print!(\"{x}\"); break 'matched; }   c.borrow_mut().push(1); break 'outer; } }",
        );
    }

    #[test]
    fn what_cannot_be_written_so_is_told() {
        let text = "macro_rules! shown { (; $e:expr) => { print!(\"{}\", $e) } } shown!(; if let Some(d) = Some(D).as_ref() { d.n() } else { 3 });";
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
