//! Where the editions of judges drop values at other times.
//!
//! The compiler's lints tell of this where a type of the program's own does something when it is dropped, and not in what macros make. Its
//! listings of all bodies tell everywhere: where a body is the same in both editions, it does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::thread;

use anyhow::Result;

use crate::bundle::compiler::Compiler;
use crate::bundle::shake::calls;
use crate::bundle::text::index::{Index, Sort};
use crate::bundle::text::source::{self, Lines};

/// A body that drops something at another time in edition 2024, where somebody could tell.
#[derive(Debug, PartialEq)]
pub struct Differing {
    /// Its path.
    pub name: String,
    /// The function that it is, or is in; nothing if a macro makes that.
    pub range: Option<Range<usize>>,
}

/// Types of the standard library of which the drop may be told: it ends a borrow, unlocks, counts, writes or takes something out.
pub const TOLD: [&str; 21] = [
    "Arc",
    "BufWriter",
    "Drain",
    "ExtractIf",
    "File",
    "LineWriter",
    "MappedMutexGuard",
    "MutexGuard",
    "PeekMut",
    "Rc",
    "Receiver",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Sender",
    "Splice",
    "StdinLock",
    "StdoutLock",
    "SyncSender",
    "dyn",
];

/// Whether a text names a type of which the drop may be told.
pub fn may_be_told(text: &str) -> bool {
    let mut words = source::words(text);
    // Behind a reference nothing is dropped.
    text.contains("Box<dyn") || words.any(|word| word != "dyn" && TOLD.contains(&word))
}

/// The bodies that differ, if both editions take the text. The drop of some types of others is something to be told, and of those of one's own
/// where `is_own` says so.
pub fn differing(
    compiler: &Compiler,
    text: &str,
    of_others: &[&str],
    is_own: &dyn Fn(usize) -> bool,
) -> Result<Option<Vec<Differing>>> {
    let (older, newer) = thread::scope(|scope| {
        let newer = scope.spawn(|| compiler.bodies(text, "2024"));
        let older = compiler.bodies(text, "2021");
        (older, newer.join().expect("a run does not panic"))
    });
    let (Some(older), Some(newer)) = (older?, newer?) else {
        return Ok(None);
    };
    // A word of 2024 is told as what it is there.
    let newer = newer.replace("r#gen", "gen");
    let (older, newer) = (bodies(&older), bodies(&newer));
    let others: Vec<_> = older
        .iter()
        .filter(|(header, bodies)| {
            let newer = newer.get(*header).map_or(&[][..], Vec::as_slice);
            let mut pairs = bodies.iter().zip(newer);
            bodies.len() != newer.len() || !pairs.all(|(older, newer)| do_the_same(older, newer))
        })
        .collect();
    if others.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let index = Index::new(text)?;
    let lines = Lines::new(text);
    let functions = calls::functions(&index);
    let told = told(&index, of_others, is_own);
    let mut found = Vec::new();
    for (header, body) in others {
        let bodies = body.iter().chain(newer.get(header).into_iter().flatten());
        let mut dropped = bodies.flat_map(|body| dropped(header, body));
        // Nobody knows what a closure holds, or what `impl Trait` stands for.
        let is_open = |of: &str| of.contains("{c") || of.contains("impl ");
        let is_told = |of: &str| is_open(of) || source::words(of).any(|word| told.contains(word));
        if !dropped.any(is_told) {
            continue;
        }
        let name = calls::header(header).unwrap_or(header);
        let node = calls::body(&index, &lines, &functions, name);
        found.push(Differing {
            name: name.to_owned(),
            range: node.map(|n| index.nodes[n].range.clone()),
        });
    }
    Ok(Some(found))
}

/// The bodies of a listing by their first lines, which some share. What is only for the compiler's own calculations is not among them.
fn bodies(listing: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut at, mut start, mut skips) = (0, None, false);
    for line in listing.split_inclusive('\n') {
        let trimmed = line.trim_end();
        if trimmed == "// MIR FOR CTFE" {
            skips = true;
        } else if !line.starts_with([' ', '}', '/']) && trimmed.ends_with('{') {
            start = Some((trimmed, at + line.len()));
        } else if trimmed == "}" {
            if let (Some((header, start)), false) = (start.take(), std::mem::take(&mut skips)) {
                found.entry(header).or_default().push(&listing[start..at]);
            }
        }
        at += line.len();
    }
    for bodies in found.values_mut() {
        bodies.sort_unstable();
    }
    found
}

/// A block of a body: what it does, how it ends, and with which blocks that goes on.
#[derive(Default)]
struct Block<'b> {
    steps: Vec<&'b str>,
    end: String,
    next: Vec<&'b str>,
}

/// Whether two bodies do the same, however that is cut into blocks.
fn do_the_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let both = [blocks(one), blocks(other)];
    let mut open = vec![["bb0", "bb0"]];
    let mut seen = BTreeSet::new();
    while let Some(pair) = open.pop() {
        if !seen.insert(pair) {
            continue;
        }
        let [(steps, end), other] = [0, 1].map(|n| run(&both[n], pair[n]));
        match (end, other.1) {
            _ if steps != other.0 => return false,
            (Some(end), Some(other)) => {
                if end.end != other.end || end.next.len() != other.next.len() {
                    return false;
                }
                let next = end.next.iter().zip(&other.next);
                open.extend(next.map(|(one, other)| [*one, *other]));
            }
            (None, None) => {}
            _ => return false,
        }
    }
    true
}

/// What is done from a block on to the first end that is no mere jump; there is none in an empty loop.
fn run<'r, 'b>(
    blocks: &'r BTreeMap<&'b str, Block<'b>>,
    start: &'b str,
) -> (Vec<&'b str>, Option<&'r Block<'b>>) {
    let (mut steps, mut at) = (Vec::new(), start);
    for _ in 0..=blocks.len() {
        let Some(block) = blocks.get(at) else { break };
        steps.extend(&block.steps);
        match &block.next[..] {
            [next] if block.end.starts_with("goto ") => at = next,
            _ => return (steps, Some(block)),
        }
    }
    (steps, None)
}

/// The blocks of a body by their names.
fn blocks(body: &str) -> BTreeMap<&str, Block<'_>> {
    let mut found = BTreeMap::new();
    let mut open: Option<(&str, Block)> = None;
    for line in body.lines().map(str::trim) {
        if line.starts_with("bb") && line.ends_with('{') {
            let name = line.split([':', ' ']).next().unwrap_or_default();
            open = Some((name, Block::default()));
        } else if line == "}" {
            let Some((name, mut block)) = open.take() else {
                continue;
            };
            let last = block.steps.pop().unwrap_or_default();
            let jump = last.rfind("-> ").unwrap_or(last.len());
            let mut rest = &last[jump..];
            block.end = last[..jump].to_owned();
            // The names of blocks are only numbers.
            while let Some(at) = rest.find("bb") {
                let digits = rest[at + 2..].find(|c: char| !c.is_ascii_digit());
                let end = digits.map_or(rest.len(), |digits| at + 2 + digits);
                block.end.push_str(&rest[..at]);
                block.next.push(&rest[at..end]);
                rest = &rest[end..];
            }
            block.end.push_str(rest);
            found.insert(name, block);
        } else if let Some((_, block)) = &mut open {
            block.steps.push(line);
        }
    }
    found
}

/// The types of what a body drops.
fn dropped<'b>(header: &'b str, body: &'b str) -> Vec<&'b str> {
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let parameters = header.split("_").skip(1);
    for parameter in parameters.filter_map(|rest| rest.split_once(": ")) {
        types.entry(parameter.0).or_insert(parameter.1);
    }
    let mut found = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(variable) = line.strip_prefix("let ") {
            let variable = variable.trim_start_matches("mut ").trim_start_matches('_');
            if let Some((number, of)) = variable.split_once(": ") {
                types.insert(number, of);
            }
        } else if let Some((what, _)) = line
            .strip_prefix("drop(")
            .and_then(|rest| rest.split_once(") ->"))
        {
            // A part of something: `(_1.0: T)`.
            let of = match what.rsplit_once(": ") {
                Some((_, of)) => Some(of),
                None => types.get(what.trim_start_matches('_')).copied(),
            };
            found.extend(of);
        }
    }
    found
}

/// The types of which a drop may be told: some of others, those of one's own that do something then, and those with these in them.
fn told<'i>(
    index: &'i Index,
    of_others: &[&'i str],
    is_own: &dyn Fn(usize) -> bool,
) -> BTreeSet<&'i str> {
    let text = index.text();
    let mut found: BTreeSet<&str> = of_others.iter().copied().collect();
    let own = text
        .match_indices("Drop for ")
        .filter(|(at, _)| is_own(*at));
    found.extend(own.filter_map(|(at, of)| {
        let of = &text[at + of.len()..];
        let end = of.find(|c: char| c == '<' || c.is_whitespace())?;
        source::words(&of[..end]).last()
    }));
    let types = index.nodes.iter().enumerate();
    let types: Vec<(usize, &str)> = types
        .filter(|(_, node)| node.sort == Sort::Type && is_own(node.range.start))
        .map(|(n, node)| (n, node.name.as_str()))
        .collect();
    loop {
        let before = found.len();
        for (n, name) in &types {
            if source::words(index.text_of(*n)).any(|word| found.contains(word)) {
                found.insert(name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of what differs.
    fn of(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        let found = differing(&compiler, text, &TOLD, &|_| true)
            .unwrap()
            .unwrap();
        let name = |of: Differing| {
            let place = of.range.map_or("?", |range| &text[range]);
            format!("{}: {}", of.name, place.split('(').next().unwrap())
        };
        found.into_iter().map(name).collect()
    }

    #[test]
    fn bodies_that_drop_guards_at_other_times_differ() {
        let text = "use std::cell::{Ref, RefCell}; struct S(RefCell<Vec<u8>>); struct W<'a>(Ref<'a, Vec<u8>>); \
            impl S { fn get(&self) -> Ref<'_, Vec<u8>> { self.0.borrow() } fn all(&self) -> W<'_> { W(self.0.borrow()) } fn text(&self) -> String { String::new() }
            fn found(&self) -> u8 { if let Some(x) = self.get().first() { *x } else { self.0.borrow_mut().push(1); 1 } }
            fn wrapped(&self) -> u8 { if let Some(x) = self.all().0.first() { *x } else { 1 } }
            fn open(&self) -> impl std::ops::Deref<Target = Vec<u8>> + '_ { self.0.borrow() }
            fn opened(&self) -> u8 { if let Some(x) = self.open().first() { *x } else { 1 } }
            fn plain(&self) -> u8 { if let Some(x) = self.text().bytes().next() { x } else { 1 } }
            fn same(&self) -> u8 { if let Some(x) = self.get().first() { *x } else { return 1 } } }
            macro_rules! made { ($f:ident) => { fn $f(s: &S) -> u8 { if let Some(x) = s.get().first() { *x } else { 2 } } } } made!(f);
            fn main() { let s = S(RefCell::new(vec![])); s.found(); s.opened(); s.wrapped(); s.plain(); s.same(); f(&s); }";
        let found = of(text);
        let names: Vec<&str> = found
            .iter()
            .map(|name| name.rsplit(": ").next().unwrap())
            .collect();
        assert_eq!(
            names,
            ["fn found", "fn opened", "fn same", "fn wrapped", "?"],
            "{found:?}"
        );
    }

    #[test]
    fn what_is_borrowed_is_not_dropped() {
        assert!(
            may_be_told("fn f(_: Box<dyn Fn()>) {}")
                && may_be_told("fn f(_: std::cell::Ref<u8>) {}")
        );
        assert!(!may_be_told("fn f(_: &dyn Fn(RefCell<u8>)) {}"));
    }

    #[test]
    fn the_same_may_be_cut_into_other_blocks() {
        let body = "bb0: {\n a;\n goto -> bb1;\n }\n\n bb1: {\n b = f(c) -> [return: bb2, unwind: bb3];\n }\n bb2: {\n return;\n }\n bb3 (cleanup): {\n resume;\n }\n";
        let other = "bb0: {\n a;\n b = f(c) -> [return: bb4, unwind: bb1];\n }\n bb1 (cleanup): {\n resume;\n }\n bb4: {\n return;\n }\n";
        assert!(do_the_same(body, other));
        assert!(!do_the_same(body, &other.replace("a;", "d;")));
        assert!(!do_the_same(body, &other.replace("f(c)", "f(d)")));
        assert!(!do_the_same(
            body,
            &other.replace("bb4, unwind: bb1", "bb1, unwind: bb4")
        ));
        let endless = "bb0: {\n goto -> bb0;\n }\n";
        let longer = "bb0: {\n goto -> bb1;\n }\n bb1: {\n goto -> bb0;\n }\n";
        assert!(do_the_same(endless, longer));
        assert!(!do_the_same(endless, body));
    }

    #[test]
    fn a_name_that_is_a_word_of_2024_is_the_same() {
        let found = of("use std::rc::Rc; struct S; impl S { fn r#gen(&self) -> u8 { 1 } } fn main() { let c = Rc::new(S); c.r#gen(); }");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_drops_nothing_that_is_told_is_the_same() {
        assert!(of("fn main() { let a = vec![1]; if let Some(x) = a.first() { print!(\"{x}\"); } else { print!(\"{}\", a.len()); } }").is_empty());
    }
}
