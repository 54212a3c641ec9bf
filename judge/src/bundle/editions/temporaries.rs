//! Temporary values that edition 2024 drops earlier than 2021: those of what an `if let` looks at before its `else`, and those of the last
//! expression of a block before the block's variables.
//!
//! Where something is still borrowed or locked by them, that decides what the program does, and nobody says so. The code is written so that
//! they go as early in 2021.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprForLoop, ExprIf, ExprLoop, ExprWhile, File, ImplItemFn, ItemFn, Macro,
    ReturnType,
};

use super::drops::{self, Differing};
use super::newer::{about, check, line, module, modules};
use crate::bundle::compiler::{Compiler, Diagnostic};
use crate::bundle::load::matched::{self, guards, visit_arguments, Matched, Place};
use crate::bundle::load::templates::Templates;
use crate::bundle::text::source::{self, parsed, Edits};
use crate::bundle::verify;

const IF_LET: &str = "--force-warn=if_let_rescope";
const TAIL: &str = "--force-warn=tail_expr_drop_order";

/// Which modules at the top are of edition 2024 (`""` is the program), and which are the user's.
#[derive(Clone, Copy)]
pub struct Whose<'w> {
    pub is_newer: &'w dyn Fn(&str) -> bool,
    pub is_own: &'w dyn Fn(&str) -> bool,
}

/// The text with the values dropped as edition 2024 drops them, if they would not be, and what somebody should know whose code cannot be
/// written so, or is of an earlier edition.
pub fn settled(
    compiler: &Compiler,
    text: &str,
    whose: Whose,
) -> Result<(Option<String>, Vec<String>)> {
    let Whose { is_newer, is_own } = whose;
    let modules = modules(text)?;
    let names = || modules.iter().map(|(_, name)| name.as_str()).chain([""]);
    let mut drops = source::drops(text).map(|(at, _)| module(&modules, at));
    // In older code only what is seen of it counts: nothing stays borrowed longer.
    let has_own_newer = names().any(|name| is_own(name) && is_newer(name));
    let is_older = drops.any(is_own) && names().any(|name| is_own(name) && !is_newer(name));
    let is_asked = has_own_newer || is_older;
    // In other people's code it matters only where there is something to be told of.
    let mut of_others = modules.iter().filter(|(_, name)| is_newer(name));
    let has_newer =
        has_own_newer || of_others.any(|(range, _)| drops::may_be_told(&text[range.clone()]));
    let mut left = match has_newer {
        true => differing(compiler, text, whose)?,
        false => None,
    };
    if has_newer && left.is_none() {
        // It may be that 2024 does not take it as it is.
        let silent = verify::silence(compiler, text.to_owned()).ok();
        if let Some(silent) = silent.filter(|silent| silent != text) {
            let (written, notes) = settled(compiler, &silent, whose)?;
            return Ok((Some(written.unwrap_or(silent)), notes));
        }
    }
    let mut told = Told::default();
    if is_asked {
        let said = check(compiler, text, &[IF_LET, TAIL])?;
        for (flag, found) in [(IF_LET, &mut told.if_lets), (TAIL, &mut told.tails)] {
            let lints = about(text, &said, flag, is_own)?;
            let spans = lints.iter().filter_map(|lint| lint.spans.first());
            // What a newer macro makes in older code is as new as the macro.
            let is_newer_macro = |at: &Range<usize>| is_newer(module(&modules, at.start));
            let places = spans.filter_map(|(at, call)| match call {
                Some(call) if is_newer_macro(at) => Some(call).filter(|call| is_newer_macro(call)),
                Some(call) => Some(call),
                None => Some(at),
            });
            found.extend(places.map(|place| place.start));
        }
    }
    let mut older = told.take(|at| !is_newer(module(&modules, at)));
    if !older.is_empty() {
        // The lints tell of more than there is: of a `while let` at the end, say.
        let bodies = bodies(compiler, text, &drops::TOLD, whose)?;
        let is_in = |at: usize, body: &Body| {
            let range = body.range.as_ref();
            range.map_or(true, |range| range.contains(&at))
        };
        let differs = |at: usize| match &bodies {
            Some(bodies) => bodies.iter().any(|body| is_in(at, body)),
            None => true,
        };
        older = older.take(differs);
    }
    let mut new = text.to_owned();
    if has_newer {
        for stage in [Stage::First, Stage::Macros, Stage::Tails, Stage::MacroTails] {
            if left.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
            // What is told of is where it was in the first text.
            let is_first = stage == Stage::First;
            let told_now = if is_first {
                told.clone()
            } else {
                Told::default()
            };
            let (edits, not_found) = written(&new, stage, is_newer, told_now, left.as_deref())?;
            if edits.is_empty() {
                continue;
            }
            let next = edits.apply(&new);
            let then = differing(compiler, &next, whose)?;
            let is_taken = match (&left, &then) {
                (Some(left), Some(then)) => then.len() <= left.len(),
                (Some(_), None) => false,
                (None, _) => !check(compiler, &next, &[])?
                    .iter()
                    .any(Diagnostic::is_error),
            };
            if is_taken {
                (new, left) = (next, then);
                if is_first {
                    told = not_found;
                }
            }
        }
    }
    if left.as_ref().is_some_and(Vec::is_empty) {
        told = Told::default();
    }
    let mut notes = Vec::new();
    let advice =
        "judges use both. Should it make a difference (a borrow, a lock, a `drop` that prints), \
                  give the value to a variable in a statement of its own first";
    let mut lines = BTreeSet::new();
    let if_lets = &told.if_lets | &older.if_lets;
    let tails = &told.tails | &older.tails;
    for (places, end) in [(if_lets, "`else`"), (tails, "the end of the block")] {
        // One line is told once.
        let first = places.first().map(|&place| line(text, place));
        if let Some(line) = first.filter(|line| lines.insert(*line)) {
            notes.push(format!(
                "edition 2024 drops a temporary value in `{line}` before {end}, and edition 2021 only behind it; {advice}"
            ));
        }
    }
    if notes.is_empty() {
        let newer = left.into_iter().flatten();
        let mut newer = newer.filter(|body| is_own(&body.module));
        let name = match newer.next() {
            Some(body) => Some(body.name),
            None if is_older => older_differing(compiler, &new, whose)?,
            None => None,
        };
        notes.extend(name.map(|name| {
            format!("edition 2024 drops a temporary value in `{name}` earlier than edition 2021; {advice}")
        }));
    }
    Ok(((new != text).then_some(new), notes))
}

/// What to write so that blocks which macros make end in a variable: those with one of some places in their last expressions.
pub fn ended(text: &str, places: BTreeSet<usize>) -> Vec<(Range<usize>, String)> {
    struct Ends<'w> {
        places: BTreeSet<usize>,
        made: &'w [Range<usize>],
        matched: Matched<'w>,
    }
    impl Visit<'_> for Ends<'_> {
        fn visit_block(&mut self, block: &Block) {
            visit::visit_block(self, block);
            let start = block.brace_token.span.open().byte_range().start;
            let tail = matched::tail(block).map(|tail| tail.byte_range());
            // The brackets of a rule are none of what it makes.
            let is_inside = !self.made.iter().any(|made| made.start == start);
            if is_inside && tail.is_some_and(|tail| taken(&mut self.places, tail)) {
                self.matched.end(block);
            }
        }
    }
    let Templates { ranges, file } = match places.is_empty() {
        true => Templates::default(),
        false => Templates::of(text, |made| made.contains("let ")),
    };
    let Some(file) = file else {
        return Vec::new();
    };
    let mut ends = Ends {
        places,
        made: &ranges,
        matched: Matched::new(text, &[&file]),
    };
    ends.visit_file(&file);
    ends.matched.edits.into_list()
}

/// What to write so that what an `if let` of edition 2024 looks at is dropped before its `else`: of those with one of some places there the
/// innermost.
pub fn before_else(
    text: &str,
    places: &BTreeSet<usize>,
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Vec<(Range<usize>, String)>> {
    struct Around<'p> {
        places: &'p BTreeSet<usize>,
        /// By the place, the innermost so far.
        found: BTreeMap<usize, usize>,
    }
    impl Visit<'_> for Around<'_> {
        fn visit_expr_if(&mut self, expr: &ExprIf) {
            if let (Expr::Let(_), Some((_, other))) = (&*expr.cond, &expr.else_branch) {
                let start = expr.cond.span().byte_range().start;
                let inside = self.places.range(other.span().byte_range());
                self.found.extend(inside.map(|&place| (place, start)));
            }
            visit::visit_expr_if(self, expr);
        }

        fn visit_macro(&mut self, call: &Macro) {
            visit_arguments(self, call);
        }
    }
    let modules = modules(text)?;
    let mut around = Around {
        places,
        found: BTreeMap::new(),
    };
    around.visit_file(&*parsed(text)?);
    let found = around.found.into_values();
    let told = Told {
        if_lets: found.filter(|&at| is_newer(module(&modules, at))).collect(),
        tails: BTreeSet::new(),
    };
    let (edits, _) = written(text, Stage::First, is_newer, told, Some(&[]))?;
    Ok(edits.into_list())
}

/// Where the compiler tells of an `if let`, and of the last expression of a block.
#[derive(Clone, Default)]
struct Told {
    if_lets: BTreeSet<usize>,
    tails: BTreeSet<usize>,
}

impl Told {
    fn is_empty(&self) -> bool {
        self.if_lets.is_empty() && self.tails.is_empty()
    }

    /// Takes out what is at some places.
    fn take(&mut self, is_it: impl Fn(usize) -> bool) -> Self {
        let mut taken = Self::default();
        for (from, to) in [
            (&mut self.if_lets, &mut taken.if_lets),
            (&mut self.tails, &mut taken.tails),
        ] {
            to.extend(from.iter().copied().filter(|&at| is_it(at)));
            from.retain(|&at| !is_it(at));
        }
        taken
    }
}

/// A body with code of edition 2024 that does something else in 2021.
struct Body {
    name: String,
    module: String,
    range: Option<Range<usize>>,
}

/// The bodies of a text that both editions take in which they drop something at other times: something of one's own, or one of these.
fn bodies(
    compiler: &Compiler,
    text: &str,
    of_others: &[&str],
    whose: Whose,
) -> Result<Option<Vec<Body>>> {
    let modules = modules(text)?;
    let is_own_at = |at: usize| (whose.is_own)(module(&modules, at));
    let found = drops::differing(compiler, text, of_others, &is_own_at)?;
    let body = |of: Differing| {
        let first = of.name.split("::").next().unwrap_or_default();
        let mut names = modules.iter().map(|(_, name)| name.as_str());
        let module = match &of.range {
            Some(range) => module(&modules, range.start),
            None => names.find(|name| *name == first).unwrap_or_default(),
        };
        Body {
            module: module.to_owned(),
            name: with_headers(&of.name, text),
            range: of.range,
        }
    };
    Ok(found.map(|found| found.into_iter().map(body).collect()))
}

/// A path with the headers of its impls, which the compiler names by their lines: `<impl at bundle.rs:3:1: 3:9>::f`.
fn with_headers(path: &str, text: &str) -> String {
    let mut parts = path.split("<impl at ");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once('>').unwrap_or((part, ""));
        let number = place.split(':').nth(1).and_then(|n| n.parse().ok());
        let line = number.and_then(|n: usize| text.lines().nth(n.checked_sub(1)?));
        let header = line.map(|line| line.trim().split(['{', '}']).next().unwrap_or_default());
        let header = header.filter(|header| header.starts_with("impl"));
        found += &format!("<{}>{rest}", header.unwrap_or("impl").trim_end());
    }
    found
}

/// Those with newer code.
fn differing(compiler: &Compiler, text: &str, whose: Whose) -> Result<Option<Vec<Body>>> {
    let macros = newer_macros(text, &modules(text)?, whose.is_newer);
    let has_newer = |body: &Body| {
        // What such a macro makes is newer code wherever it is called.
        let calls_newer = match &body.range {
            Some(range) => macros.iter().any(|call| text[range.clone()].contains(call)),
            None => !macros.is_empty(),
        };
        (whose.is_newer)(&body.module) || calls_newer
    };
    let mut found = bodies(compiler, text, &drops::TOLD, whose)?;
    found.iter_mut().for_each(|found| found.retain(has_newer));
    Ok(found)
}

/// How the macros of newer code are called that make something with variables or patterns.
fn newer_macros(
    text: &str,
    modules: &[(Range<usize>, String)],
    is_newer: &dyn Fn(&str) -> bool,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if text.contains("macro_rules") {
        let tokens = text.parse().unwrap_or_default();
        source::macro_definitions(tokens, &mut |name, body| {
            let range = body.span().byte_range();
            if is_newer(module(modules, range.start)) && text[range].contains("let ") {
                found.insert(format!("{name}!"));
            }
        });
    }
    found
}

/// A body of older code of one's own in which edition 2024 drops something of one's own at another time: the lints do not tell of blocks
/// without variables.
fn older_differing(compiler: &Compiler, text: &str, whose: Whose) -> Result<Option<String>> {
    let differing = |text: &str| -> Result<Option<Option<String>>> {
        // That of an object may be one's own.
        let found = bodies(compiler, text, &["dyn"], whose)?;
        let is_older =
            |body: &Body| (whose.is_own)(&body.module) && !(whose.is_newer)(&body.module);
        Ok(found.map(|found| found.into_iter().find(is_older).map(|body| body.name)))
    };
    if let Some(found) = differing(text)? {
        return Ok(found);
    }
    // It may be that 2024 does not take it as it is.
    match verify::silence(compiler, text.to_owned()) {
        Ok(silent) if silent != text => Ok(differing(&silent)?.flatten()),
        _ => Ok(None),
    }
}

/// What is written otherwise.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Each `if let` in a body that differs, and what the compiler tells of.
    First,
    /// Each `if let` that macros make.
    Macros,
    /// The ends of blocks in bodies that differ.
    Tails,
    /// Those of blocks that macros make.
    MacroTails,
}

/// What is to be written in a text, and what was told of and not found. Without bodies, what has a method that may take a borrow or a lock.
fn written(
    text: &str,
    stage: Stage,
    is_newer: &dyn Fn(&str) -> bool,
    told: Told,
    bodies: Option<&[Body]>,
) -> Result<(Edits, Told)> {
    let modules = modules(text)?;
    let is_newer_at = |at: usize| is_newer(module(&modules, at));
    let file = parsed(text)?;
    let made = match stage {
        Stage::Macros => Templates::of(text, |made| made.contains("if let ")),
        Stage::MacroTails => Templates::of(text, |made| made.contains("let ")),
        _ => Templates::default(),
    };
    let mut files: Vec<&File> = made.file.iter().collect();
    let mut ranges = made.ranges;
    ranges.retain(|made| is_newer_at(made.start));
    if matches!(stage, Stage::First | Stage::Tails) {
        files.push(&file);
        let bodies = bodies.into_iter().flatten();
        let bodies = bodies.filter_map(|body| body.range.clone());
        ranges.extend(bodies.filter(|range| is_newer_at(range.start)));
    }
    let mut writer = Writer {
        is_newer: &is_newer_at,
        stage,
        by_name: bodies.is_none(),
        ranges,
        told,
        matched: Matched::new(text, &files),
        next: Default::default(),
    };
    for file in files {
        writer.visit_file(file);
    }
    Ok((writer.matched.edits, writer.told))
}

/// Writes code so that its temporary values go as early in all editions.
struct Writer<'w> {
    is_newer: &'w dyn Fn(usize) -> bool,
    stage: Stage,
    /// Nothing is known of bodies.
    by_name: bool,
    /// Where something is to be written.
    ranges: Vec<Range<usize>>,
    /// Each until it is found.
    told: Told,
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
            taken(&mut self.told.tails, expr.cond.span().byte_range());
        }
        self.visit_block(&expr.then_branch);
        match &expr.else_branch {
            Some((_, other)) => {
                let is_if = matches!(**other, Expr::If(_));
                self.next = (Matched::place(open.as_ref(), other), is_told && is_if);
                self.visit_expr(other);
            }
            // As a statement it drops them before the block is left.
            None if is_last && is_let && (is_told || self.is_in_range(expr)) => {
                let end = expr.span().byte_range().end;
                self.matched.edits.insert(end, ";");
            }
            None => {}
        }
        if let Some(open) = open {
            self.matched.close(expr, open);
        }
    }

    fn visit_expr_for_loop(&mut self, of: &ExprForLoop) {
        self.matched.has_no_value(&of.body);
        visit::visit_expr_for_loop(self, of);
    }

    fn visit_expr_while(&mut self, of: &ExprWhile) {
        self.matched.has_no_value(&of.body);
        visit::visit_expr_while(self, of);
    }

    fn visit_expr_loop(&mut self, of: &ExprLoop) {
        self.matched.has_no_value(&of.body);
        visit::visit_expr_loop(self, of);
    }

    fn visit_item_fn(&mut self, of: &ItemFn) {
        if let ReturnType::Default = of.sig.output {
            self.matched.has_no_value(&of.block);
        }
        visit::visit_item_fn(self, of);
    }

    fn visit_impl_item_fn(&mut self, of: &ImplItemFn) {
        if let ReturnType::Default = of.sig.output {
            self.matched.has_no_value(&of.block);
        }
        visit::visit_impl_item_fn(self, of);
    }

    fn visit_block(&mut self, block: &Block) {
        visit::visit_block(self, block);
        let Some(tail) = matched::tail(block) else {
            return;
        };
        let start = block.brace_token.span.open().byte_range().start;
        let is_in_body = match self.stage {
            Stage::First | Stage::Macros => false,
            Stage::Tails => self.is_at(start),
            // Its own brackets are none of what a macro makes.
            Stage::MacroTails => {
                self.is_at(start) && !self.ranges.iter().any(|of| of.start == start)
            }
        };
        if taken(&mut self.told.tails, tail.byte_range())
            || is_in_body && matched::ends_in_a_call(block, self.stage == Stage::MacroTails)
        {
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
            && taken(&mut self.told.if_lets, expr.cond.span().byte_range())
    }

    /// Whether it may look at something that is to go before its `else`.
    fn holds(&self, expr: &ExprIf) -> bool {
        let is_empty = |other: &Expr| matches!(other, Expr::Block(b) if b.block.stmts.is_empty());
        let is_empty = expr.else_branch.as_ref().is_some_and(|(_, b)| is_empty(b));
        let at = expr.if_token.span.byte_range().start;
        let by_name = || self.by_name && (self.is_newer)(at) && guards(&expr.cond);
        !is_empty && (by_name() || self.is_in_range(expr))
    }

    /// Whether an `if let` that calls something is to be written.
    fn is_in_range(&self, expr: &ExprIf) -> bool {
        let at = expr.if_token.span.byte_range().start;
        matches!(self.stage, Stage::First | Stage::Macros)
            && self.is_at(at)
            && matched::calls_any(&expr.cond, self.stage == Stage::Macros)
    }

    fn is_at(&self, at: usize) -> bool {
        self.ranges.iter().any(|range| range.contains(&at))
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
        let compiler = Compiler::new(folder.path());
        let none = Whose {
            is_newer: &|_| false,
            is_own: &|_| false,
        };
        assert_eq!(settled(&compiler, text, none).unwrap(), (None, Vec::new()));
        let all = Whose {
            is_newer: &|_| true,
            is_own: &|_| true,
        };
        let (text, notes) = settled(&compiler, text, all).unwrap();
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
    fn what_a_function_gives_goes_before_the_else_too() {
        let get = "fn get(c: &RefCell<Vec<u8>>) -> std::cell::Ref<'_, Vec<u8>> { c.borrow() }";
        becomes(
            &format!("{get} let n = if let Some(x) = get(&c).first() {{ *x }} else {{ c.borrow_mut().push(1); 1 }}; print!(\"{{n}}\");"),
            &format!("{get} let n = 'matched: {{ if let Some(x) = get(&c).first() {{ break 'matched *x; }} c.borrow_mut().push(1); 1 }}; print!(\"{{n}}\");"),
        );
        let text = "let v = vec![1]; if let Some(x) = v.first() { print!(\"{x}\"); } else { print!(\"{c:?}\"); }";
        assert_eq!(of(&in_main(text)), (None, 0));
    }

    #[test]
    fn what_2024_does_not_take_is_written_first() {
        let text = |captures: &str, found: &str| {
            format!(
                "fn size(v: &[u8]) -> impl Sized{captures} {{ v.len() }} let mut v = vec![1]; let n = size(&v); v.push(D.n() as u8); drop(n); {found} v.push(3);"
            )
        };
        becomes(
            &text("", "if let Some(x) = c.borrow().first() { print!(\"{x}\"); } else { c.borrow_mut().push(1); }"),
            &text(
                " + 'static",
                "'matched: { if let Some(x) = c.borrow().first() { print!(\"{x}\"); break 'matched; } c.borrow_mut().push(1); }",
            ),
        );
    }

    #[test]
    fn what_macros_make_is_written_too() {
        let text = |made: &str| {
            format!("macro_rules! get_or {{ ($m:expr, $v:expr) => {{ {made} }} }} print!(\"{{}}\", get_or!(c, 3));")
        };
        becomes(
            &text("if let Some(v) = $m.borrow().first() { *v } else { $m.borrow_mut().push($v); $v }"),
            &text("'matched: { if let Some(v) = $m.borrow().first() { break 'matched *v; } $m.borrow_mut().push($v); $v }"),
        );
        let text = |made: &str| {
            format!("macro_rules! pick {{ ($p:pat = $e:expr => $a:expr, $b:expr) => {{ {made} }} }} print!(\"{{}}\", pick!(Some(x) = c.borrow().first() => *x, D.n()));")
        };
        becomes(
            &text("if let $p = $e { $a } else { $b }"),
            &text("'matched: { if let $p = $e { break 'matched $a; } let value = $b; value }"),
        );
    }

    #[test]
    fn what_a_newer_macro_makes_in_older_code_is_written_too() {
        let text = |made: &str, own: &str| {
            format!("#[macro_use] mod newer {{ macro_rules! first {{ ($m:expr) => {{ {made} }} }} }} use std::cell::RefCell;
                fn own(c: &RefCell<Vec<u8>>) -> u8 {{ {own} }} fn main() {{ let c = RefCell::new(vec![1]); print!(\"{{}}\", first!(c) + own(&c)); }}")
        };
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        let whose = Whose {
            is_newer: &|name| name == "newer",
            is_own: &|_| true,
        };
        let own = "if let Some(v) = c.borrow().first() { *v } else { 2 }";
        let made =
            "if let Some(v) = $m.borrow().first() { *v } else { $m.borrow_mut().push(3); 3 }";
        let expected = "'matched: { if let Some(v) = $m.borrow().first() { break 'matched *v; } $m.borrow_mut().push(3); 3 }";
        let (written, notes) = settled(&compiler, &text(made, own), whose).unwrap();
        let words = |text: &str| -> String { text.split_whitespace().collect() };
        assert_eq!(words(&written.unwrap()), words(&text(expected, own)));
        assert_eq!(notes, [""; 0]);
        // What it drops is no concern of the older code either.
        let text = |made: &str, own: &str| {
            format!("#[macro_use] mod newer {{ macro_rules! first {{ ($d:ident) => {{ {made} }} }} }} struct D; impl Drop for D {{ fn drop(&mut self) {{}} }}
                impl D {{ fn n(&self) -> Option<u8> {{ None }} }} fn main() {{ print!(\"{{}}\", {own}) }}")
        };
        let dropping = |of: &str| format!("if let Some(v) = {of}.n() {{ v }} else {{ 2 }}");
        let notes = |made: &str, own: &str| settled(&compiler, &text(made, own), whose).unwrap().1;
        assert_eq!(notes(&dropping("$d"), "first!(D)"), [""; 0]);
        assert_eq!(notes("$d.n()", &dropping("D")).len(), 1);
    }

    #[test]
    fn blocks_that_macros_make_drop_their_values_first() {
        let text = |end: &str| {
            format!("macro_rules! number {{ ($d:expr) => {{{{ let _e = D; {end} }}}} }} print!(\"{{}}\", number!(D)); c.borrow();")
        };
        becomes(&text("$d.n()"), &text("let value = $d.n(); value"));
        let text = |end: &str| text(end).replace("number!(D)", "number!(D.n())");
        becomes(&text("$d"), &text("let value = $d; value"));
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
    fn older_code_is_told_of_where_it_differs_alone() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        let older = Whose {
            is_newer: &|_| false,
            is_own: &|_| true,
        };
        let notes = |body: &str| {
            let text = format!(
                "struct N(Option<Box<N>>); impl N {{ fn n(&self) -> u8 {{ 1 }} }}
                impl Drop for N {{ fn drop(&mut self) {{ let mut st = Vec::from_iter(self.0.take()); {body} }} }}
                fn main() {{ drop(N(Some(Box::new(N(None))))); }}"
            );
            settled(&compiler, &text, older).unwrap().1
        };
        // The lint tells of this.
        let notes_of_loop = notes("while let Some(mut b) = st.pop() { st.extend(b.0.take()); }");
        assert_eq!(notes_of_loop, [""; 0]);
        let said =
            notes("if st.is_empty() { return; } let _n = N(None); match N(None).n() { _ => {} }");
        assert!(said[0].contains("in `N(None).n()"), "{said:?}");
    }

    #[test]
    fn impls_are_named_by_their_headers() {
        let text = "mod a {\n    impl<T> Set<T> {\n        fn f() {}\n    }\n}\n";
        let named = |path: &str| with_headers(path, text);
        let path = "a::<impl at bundle.rs:2:5: 2:20>::f::{closure#0}";
        assert_eq!(named(path), "a::<impl<T> Set<T>>::f::{closure#0}");
        assert_eq!(named("a::<impl at bundle.rs:9:5: 9:20>::f"), "a::<impl>::f");
        assert_eq!(named("main"), "main");
    }

    #[test]
    fn what_has_no_value_ends_in_a_statement() {
        let of = |end: &str| {
            format!("for i in 0..2usize {{ let _d = D; match i + D.n() {{ 1 => {{}} _ => print!(\"x\") }}{end} }}")
        };
        becomes(&of(""), &of(";"));
        let of = |end: &str| {
            format!(
                "fn f() {{ let _d = D; match D.n() {{ 1 => {{}} _ => print!(\"x\") }}{end} }} f();"
            )
        };
        becomes(&of(""), &of(";"));
    }

    #[test]
    fn what_cannot_be_written_so_is_told() {
        let text = "macro_rules! shown { (@ $e:expr) => { print!(\"{}\", $e) } } shown!(@ if let Some(d) = Some(D).as_ref() { d.n() } else { 3 });";
        assert_eq!(of(&in_main(text)), (None, 1));
    }

    #[test]
    fn older_code_is_told_of_where_no_lint_tells() {
        let notes = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            let older = Whose {
                is_newer: &|_| false,
                is_own: &|_| true,
            };
            let compiler = Compiler::new(folder.path());
            let (written, notes) = settled(&compiler, text, older).unwrap();
            assert_eq!(written, None);
            notes
        };
        let turns = in_main("while let 1 = { c.borrow_mut().push(2); D.n() } {}");
        let told = notes(&turns);
        assert!(told.len() == 1 && told[0].contains("in `main`"), "{told:?}");
        assert_eq!(notes(&turns.replace("Drop for D", "Clone for D")), [""; 0]);
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
