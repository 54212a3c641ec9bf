//! Code of edition 2024 in a text that is compiled as 2021 first: what it would not be there, written so that it means the same.
//!
//! In 2024 `impl Trait` borrows from all arguments, `Future` is in the prelude, and `into_iter` of a boxed slice takes the slice. The
//! compiler tells where that matters, and what to write. Of temporaries, which live shorter since 2024, it tells where they have to (see
//! `temporaries` for the others).

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{bail, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ExprMethodCall, ImplItemFn, Item, ItemFn, Macro};

use super::borrowed;
use super::temporaries;
use crate::bundle::compiler::{Compiler, Diagnostic, Fix};
use crate::bundle::load::matched::visit_arguments;
use crate::bundle::text::source::{self, Edits};

/// Of a borrow that lasts as long as a temporary value, which may be longer than in edition 2024.
const BORROWING: &str = "a temporary with access to the ";

const BOXED: &str = "--force-warn=boxed_slice_into_iter";

/// Whether a text does not compile for a reason that [`written`] may put right.
pub fn is_reason(said: &str) -> bool {
    let marks = [
        "[E0700]",
        "use std::future::",
        " dropped sooner, before the",
        BORROWING,
    ];
    marks.iter().any(|mark| said.contains(mark))
}

/// The text as it has to be written for edition 2021; `None` if it is that already. `is_newer` tells which modules at the top are crates
/// of edition 2024, and `""` is the program. The compiler is asked about `tried`, which is the text with some of it blank.
pub fn written(
    compiler: &Compiler,
    text: &str,
    tried: &str,
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Option<String>> {
    let mut changed: Option<[String; 2]> = None;
    // What the compiler says of borrows comes after all names are known, and what is left shows when the text is checked again.
    for _ in 0..8 {
        let [text, now] = match &changed {
            Some([text, now]) => [text.as_str(), now],
            None => [text, tried],
        };
        let both = |edits: Edits| [edits.clone().apply(text), edits.apply(now)];
        let said = check(compiler, now, &[BOXED])?;
        // What else the compiler suggests may be about what that is written as.
        let branches = else_branches(now, &said, is_newer)?;
        if !branches.is_empty() {
            changed = Some(both(edits(branches.iter())));
            continue;
        }
        let mut fixes: Vec<Fix> = said.iter().flat_map(imports).collect();
        fixes.extend(said.iter().filter_map(tail).flatten().cloned());
        fixes.extend(tails_of_macros(now, &said));
        fixes.extend(boxed_slices(now, &said, is_newer)?);
        let borrows: Vec<Vec<Vec<Fix>>> = said.iter().map(|d| captures(now, d)).collect();
        let most = borrows.iter().map(Vec::len).max().unwrap_or_default();
        if fixes.is_empty() {
            if let Some(taking) = taking_boxed_slices(compiler, now, &said, is_newer)? {
                changed = Some(both(taking));
                continue;
            }
            if most == 0 {
                break;
            }
        }
        // The last way to write it is the surest, the others are for older compilers.
        let way = |number: usize| {
            let ways = borrows.iter().filter_map(|ways| {
                let number = (number + ways.len()).saturating_sub(most);
                ways.get(number)
            });
            edits(fixes.iter().chain(ways.flatten()))
        };
        let mut next = both(way(0));
        for number in 1..most {
            let said = check(compiler, &next[1], &[])?;
            if !said.iter().any(Diagnostic::is_error) {
                break;
            }
            next = both(way(number));
        }
        changed = Some(next);
    }
    Ok(changed.map(|[text, _]| text))
}

pub fn check(compiler: &Compiler, text: &str, flags: &[&str]) -> Result<Vec<Diagnostic>> {
    let all = [&["-Awarnings", "--cap-lints=warn"], flags].concat();
    compiler.check(text, "2021", &all)
}

/// Each of the fixes made once: several errors may want one import.
fn edits<'f>(fixes: impl Iterator<Item = &'f Fix>) -> Edits {
    let fixes: BTreeSet<_> = fixes
        .map(|(place, with)| (place.start, place.end, with))
        .collect();
    let mut edits = Edits::default();
    for (start, end, with) in fixes {
        edits.replace(start..end, with);
    }
    edits
}

/// The first of the compiler's suggestions that has such a text in it.
fn offer(of: &Diagnostic, is_it: impl Fn(&str) -> bool) -> Option<&[Fix]> {
    let mut offers = of.offers.iter();
    let found = offers.find(|offer| offer.iter().any(|(_, with)| is_it(with)));
    found.map(Vec::as_slice)
}

/// Imports of what the prelude of 2024 has.
fn imports(error: &Diagnostic) -> Vec<Fix> {
    let names = ["use std::future::Future;", "use std::future::IntoFuture;"];
    let wanted = |with: &str| names.contains(&with.trim());
    let found = offer(error, wanted).filter(|_| error.is_error());
    let mut found = found.unwrap_or_default().to_vec();
    // All that may be imported at one place is offered at once.
    found.retain(|(_, with)| wanted(with));
    found
}

/// Whether a temporary value at the end of a block is dropped after the variables that it borrows.
fn is_dropped_late(error: &Diagnostic) -> bool {
    error.is_error() && error.rendered.contains(" dropped sooner, before the")
}

/// Whether what an error is about is written in the rule of a macro.
fn is_of_macro(error: &Diagnostic) -> bool {
    let mut spans = error.spans.iter();
    spans.any(|(range, call)| call.as_ref().is_some_and(|call| call != range))
}

/// The end of a block as a statement, which drops its temporary values before the variables of the block.
fn tail(error: &Diagnostic) -> Option<&[Fix]> {
    let found = (is_dropped_late(error) && !is_of_macro(error))
        .then(|| offer(error, |with| ["; x", ";"].contains(&with)));
    found.flatten()
}

/// The same for blocks that macros make: what the compiler suggests for these is no code.
fn tails_of_macros(text: &str, said: &[Diagnostic]) -> Vec<Fix> {
    let errors = said.iter().filter(|d| is_dropped_late(d) && is_of_macro(d));
    let places = errors.flat_map(|error| error.spans.iter().map(|(range, _)| range.start));
    temporaries::ended(text, places.collect())
}

/// What `if let`s look at, written so that it is dropped before the `else` in which something else borrows.
fn else_branches(
    text: &str,
    said: &[Diagnostic],
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Vec<Fix>> {
    let errors = said.iter().filter(|d| d.rendered.contains(BORROWING));
    let errors = errors.filter(|d| d.is_error() && !is_of_macro(d));
    let places = errors.filter_map(|error| error.places().next());
    let places: BTreeSet<usize> = places.map(|place| place.start).collect();
    match places.is_empty() {
        true => Ok(Vec::new()),
        false => temporaries::before_else(text, &places, is_newer),
    }
}

/// Ways to write what `impl Trait` borrows from.
fn captures(text: &str, error: &Diagnostic) -> Vec<Vec<Fix>> {
    if error.code != "E0700" {
        return Vec::new();
    }
    let offer = offer(error, |with| with.contains("use<"));
    let short = offer.and_then(bound).map(|fix| vec![fix]);
    // Where a closure is a part of it, the compiler does not know what to write, and of several lifetimes it may name none.
    let place = match is_of_macro(error) {
        true => error.spans.first().map(|(range, _)| range.start),
        false => error.places().next().map(|place| place.start),
    };
    let mut ways = place.map_or(Vec::new(), |place| borrowed::ways(text, place));
    if ways.is_empty() {
        ways.extend(offer.map(<[Fix]>::to_vec));
    }
    short.into_iter().chain(ways).collect()
}

/// The same as older compilers know it, where there is one lifetime only: they borrow from what they outlive.
fn bound(fixes: &[Fix]) -> Option<Fix> {
    let (place, with) = fixes.iter().find(|(_, with)| with.contains("use<"))?;
    let all = with.trim().strip_prefix("+ use<")?.strip_suffix('>')?;
    let mut lifetimes = all.split(", ").filter(|name| name.starts_with('\''));
    match (lifetimes.next(), lifetimes.next()) {
        (Some(only), None) => Some((place.clone(), format!(" + {only}"))),
        _ => None,
    }
}

/// How to write that a boxed slice is taken, where code of 2024 takes one.
fn boxed_slices(
    text: &str,
    said: &[Diagnostic],
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Vec<Fix>> {
    let mut fixes = Vec::new();
    for lint in about(text, said, BOXED, is_newer)? {
        let takes = |with: &str| with.is_empty() || with.contains("IntoIterator::into_iter(");
        let Some(offer) = offer(lint, takes) else {
            bail!(
                "the boxed slice in `{}` gives its elements with edition 2024, and references to them with 2021, which judges use; \
                 write `IntoIterator::into_iter(…)` there instead of `.into_iter()`",
                line(text, lint.places().next().map_or(0, |at| at.start))
            );
        };
        fixes.extend(offer.iter().cloned());
    }
    Ok(fixes)
}

/// Takes boxed slices where only so the text compiles: where their elements are wanted, references are an error, and no lint comes.
fn taking_boxed_slices(
    compiler: &Compiler,
    text: &str,
    said: &[Diagnostic],
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Option<Edits>> {
    let modules = modules(text)?;
    let errors = |said: &[Diagnostic]| -> Vec<usize> {
        // Where types are right, the compiler goes on to what borrows.
        let is_of_types = |d: &&Diagnostic| d.code != "E0700" && !is_dropped_late(d);
        let of_types = said.iter().filter(|d| d.is_error()).filter(is_of_types);
        of_types
            .flat_map(Diagnostic::places)
            .map(|at| at.start)
            .collect()
    };
    let places = errors(said);
    let mut calls = Calls::default();
    if places.iter().any(|&at| is_newer(module(&modules, at))) && text.contains("into_iter()") {
        calls.visit_file(&*source::parsed(text)?);
    }
    let is_near = |at: usize| {
        let mut around = calls.bodies.iter().filter(|body| body.contains(&at));
        around.any(|body| places.iter().any(|place| body.contains(place)))
    };
    let concerned = calls.found.into_iter();
    let concerned =
        concerned.filter(|(of, _)| is_newer(module(&modules, of.start)) && is_near(of.start));
    let (mut left, mut edits) = (places.len(), Edits::default());
    for (of, end) in concerned {
        let mut with = edits.clone();
        with.insert(of.start, "IntoIterator::into_iter(");
        with.replace(of.end..end, ")");
        let still = errors(&check(compiler, &with.clone().apply(text), &[])?).len();
        if still < left {
            (left, edits) = (still, with);
        }
    }
    Ok((!edits.is_empty()).then_some(edits))
}

/// The calls of `into_iter` as a method: on what, and where each ends. And the bodies of functions.
#[derive(Default)]
struct Calls {
    found: Vec<(Range<usize>, usize)>,
    bodies: Vec<Range<usize>>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        if call.method == "into_iter" && call.args.is_empty() {
            let end = call.paren_token.span.close().byte_range().end;
            self.found.push((call.receiver.span().byte_range(), end));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.bodies.push(item.block.span().byte_range());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.bodies.push(item.block.span().byte_range());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit_arguments(self, call);
    }
}

/// The module at the top that a place is in, `""` for the program.
pub fn module(modules: &[(Range<usize>, String)], place: usize) -> &str {
    let found = modules.iter().find(|(range, _)| range.contains(&place));
    found.map_or("", |(_, name)| name.as_str())
}

/// What a lint says about the code of some crates.
pub fn about<'d>(
    text: &str,
    said: &'d [Diagnostic],
    flag: &str,
    is_newer: &dyn Fn(&str) -> bool,
) -> Result<Vec<&'d Diagnostic>> {
    let mut found: Vec<&Diagnostic> = said.iter().filter(|d| d.is_about(flag)).collect();
    if found.is_empty() {
        return Ok(found);
    }
    let modules = modules(text)?;
    found.retain(|lint| {
        let mut places = lint.places();
        places
            .next()
            .is_some_and(|at| is_newer(module(&modules, at.start)))
    });
    Ok(found)
}

/// Where the modules at the top are.
pub fn modules(text: &str) -> Result<Vec<(Range<usize>, String)>> {
    let file = source::parsed(text)?;
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some((source::item_range(item), module.ident.to_string())),
        _ => None,
    });
    Ok(modules.collect())
}

/// The line of code at a place, or the start of what is there if the line is long.
pub fn line(text: &str, at: usize) -> &str {
    const MOST: usize = 100;
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line_at = |start: usize| text[start..].lines().next().unwrap_or_default().trim();
    let line = line_at(start);
    if line.chars().count() <= MOST {
        return line;
    }
    let rest = line_at(at);
    let end = rest.char_indices().nth(MOST);
    end.map_or(rest, |(end, _)| rest[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_the_place_is_told() {
        let text = format!("a\n  b = {{ {} }};\nc", "é + ".repeat(60));
        assert_eq!(line(&text, 0), "a");
        assert_eq!(line(&text, text.len() - 1), "c");
        let at = text.find('é').unwrap();
        assert_eq!(line(&text, at), "é + ".repeat(25).trim_end());
    }

    fn compiler(scratch: &tempfile::TempDir) -> Compiler {
        Compiler::new(scratch.path())
    }

    fn written_of(text: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        written(&compiler(&folder), text, text, &|name| name != "older").unwrap()
    }

    #[test]
    fn what_is_borrowed_is_written_as_old_compilers_know_it() {
        let text = |bound: &str| {
            format!("fn f(v: &[u8]) -> impl Iterator<Item = u8>{bound} {{ v.iter().copied() }} fn main() {{ f(&[]); }}")
        };
        assert_eq!(written_of(&text("")), Some(text(" + '_")));
        assert_eq!(written_of(&text(" + '_")), None);
        // An iterator over both lives no longer than either.
        // The compiler does not tell what to write for these.
        let text = |bound: &str| {
            format!("fn f(v: &[u8]) -> impl Iterator<Item = u8>{bound} {{ v.iter().copied().filter(|v| *v > 2) }} fn main() {{ f(&[]); }}")
        };
        assert_eq!(written_of(&text("")), Some(text(" + '_")));
        let text = |[names, a, bound]: [&str; 3]| {
            format!("fn f{names}(v: &{a}[u8], w: &{a}[u8]) -> impl Iterator<Item = (u8, u8)>{bound} {{ v.iter().copied().zip(w.iter().copied()).filter(|(v, w)| v < w) }} fn main() {{ f(&[], &[]); }}")
        };
        assert_eq!(
            written_of(&text(["", "", ""])),
            Some(text(["<'a>", "'a ", " + 'a"]))
        );
        let text = |bound: &str| {
            format!("fn f<T: Copy>(v: &[u8], t: T) -> impl Iterator<Item = (u8, T)>{bound} {{ v.iter().map(move |v| (*v, t)) }} fn main() {{ f(&[], 1); }}")
        };
        assert_eq!(written_of(&text("")), Some(text(" + use<'_, T>")));
    }

    #[test]
    fn what_is_blank_where_the_compiler_looks_stays() {
        let text = |bound: &str| {
            format!("fn f(v: &[u8]) -> impl Iterator<Item = u8>{bound} {{ v.iter().copied() }} fn g() {{ }} fn main() {{ f(&[]); }}")
        };
        let folder = tempfile::tempdir().unwrap();
        let tried = text("").replace("fn g() { }", "          ");
        let found = written(&compiler(&folder), &text(""), &tried, &|_| true).unwrap();
        assert_eq!(found, Some(text(" + '_")));
    }

    #[test]
    fn what_the_newer_prelude_has_is_imported_once() {
        let text = "mod m { pub fn f() -> impl Future<Output = u8> { async { 3 } } pub fn g(_: impl Future) {} } fn main() { m::g(m::f()); }";
        let found = written_of(text).unwrap();
        assert_eq!(found.matches("use std::future::Future;").count(), 1);
        assert_eq!(found.replace("use std::future::Future;\n\n", ""), text);
    }

    #[test]
    fn the_end_of_a_block_that_a_macro_makes_drops_its_values_first() {
        let text = "macro_rules! size { ($e:expr) => {{ let c = std::cell::RefCell::new($e); c.borrow().len() }} }
            fn main() { println!(\"{}\", size!(\"ab\")); }";
        let expected = text.replace("c.borrow().len()", "let value = c.borrow().len(); value");
        assert_eq!(written_of(text), Some(expected));
    }

    #[test]
    fn the_end_of_a_block_drops_its_values_first() {
        let text = "fn f() -> usize { let c = std::cell::RefCell::new(vec![1]); c.borrow().len() }
            fn main() { let c = std::cell::RefCell::new(vec![f()]); match c.borrow().first() { Some(1) => print!(\"1\"), _ => {} } }";
        let expected = text
            .replace("c.borrow().len()", "let x = c.borrow().len(); x")
            .replace("_ => {} }", "_ => {} };");
        assert_eq!(written_of(text), Some(expected));
    }

    #[test]
    fn what_an_if_let_borrows_is_free_in_its_else() {
        let text = |body: &str| {
            format!("struct G<'a>(&'a mut Vec<u8>); impl Drop for G<'_> {{ fn drop(&mut self) {{}} }} impl G<'_> {{ fn last(&self) -> Option<u8> {{ self.0.last().copied() }} }}
            fn f(v: &mut Vec<u8>, n: u8) -> u8 {{ {body} }}
            fn main() {{ print!(\"{{}}\", f(&mut vec![], 1)); }}")
        };
        let before = text("let x = if n > 3 { 1 } else if let Some(x) = G(v).last() { x } else { if let Some(y) = Some(n) { v.push(y); } else {} n }; x");
        let after = "let x = if n > 3 { 1 } else { 'matched: { if let Some(x) = G(v).last() { break 'matched x; } if let Some(y) = Some(n) { v.push(y); } else {} n } }; x";
        let words = |text: &str| -> String { text.split_whitespace().collect() };
        assert_eq!(words(&written_of(&before).unwrap()), words(&text(after)));
        let after = written_of(&before).unwrap();
        assert_eq!(written_of(&after), None);
        let older = |text: &str| format!("mod older {{ {text} }} fn main() {{}}");
        assert_eq!(written_of(&older(&before)), None);
    }

    #[test]
    fn boxed_slices_are_taken_where_their_elements_are_wanted() {
        let text = "fn f(b: Box<[String]>, v: Vec<u8>) -> Vec<String> { v.into_iter().count(); b.into_iter().map(|s| s + \"!\").collect() }
            fn main() { f([].into(), vec![]); }";
        let expected = text.replace("b.into_iter()", "IntoIterator::into_iter(b)");
        assert_eq!(written_of(text), Some(expected));
        assert_eq!(written_of(&text.replace("Box<[String]>", "u8")), None);
        // What the compiler finds after that is another matter.
        let text = text.replace(
            "main() {",
            "main() { { let c = std::cell::RefCell::new(1); *c.borrow() };",
        );
        let text = text.replace(
            "v.into_iter().count();",
            "let v = { let c = std::cell::RefCell::new(v); c.borrow().len() };",
        );
        let found = written_of(&text).unwrap();
        assert!(
            found.contains("IntoIterator::into_iter(b)")
                && found.contains("let x = c.borrow().len(); x"),
            "{found}"
        );
    }

    #[test]
    fn boxed_slices_are_taken_in_what_a_macro_gets() {
        let text = "fn main() { let b: Box<[i64]> = [1].into(); println!(\"{}\", b.into_iter().map(|x: i64| x).count()); }";
        let expected = text.replace("b.into_iter()", "IntoIterator::into_iter(b)");
        assert_eq!(written_of(text), Some(expected));
    }

    #[test]
    fn boxed_slices_are_taken_in_newer_code_only() {
        let text = "mod older { pub fn f(b: Box<[u8]>) -> Vec<u8> { b.into_iter().copied().collect() } }
            fn main() { let b: Box<[u8]> = older::f(Box::new([1])).into(); let v: Vec<_> = b.into_iter().collect(); println!(\"{v:?}\"); }";
        let found = written_of(text).unwrap();
        assert_eq!(
            found,
            text.replace(
                "b.into_iter().collect",
                "IntoIterator::into_iter(b).collect"
            )
        );
    }
}
