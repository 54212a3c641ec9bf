//! Where the editions of judges drop values at other times.
//!
//! The compiler's lints tell of this where a type of the program's own does something when it is dropped, and not in what macros make. Its
//! listings of all bodies tell everywhere: where a body is the same in both editions, it does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::thread;

use anyhow::Result;
use syn::visit::{self, Visit};
use syn::TypeParam;

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
    text.contains("Box<dyn")
        || words.any(|word| word != "dyn" && TOLD.contains(&word))
        || source::drops(text).any(|(_, of)| is_guard(&text[of..]))
}

/// Whether the type that a text begins with holds on to something that others have: it has a lifetime.
fn is_guard(text: &str) -> bool {
    let end = text.find(['<', '{']).unwrap_or(text.len());
    text[end..].starts_with("<'")
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
    let all = |header: &str| newer.get(header).map_or(&[][..], Vec::as_slice);
    let differ = |header: &str, bodies: &[&str], is_told: &dyn Fn(&str) -> bool| {
        let pairs = bodies.iter().zip(all(header));
        let mut pairs = pairs.map(|(older, newer)| do_the_same(header, [older, newer], is_told));
        bodies.len() != all(header).len() || !pairs.all(|is_same| is_same)
    };
    let others: Vec<_> = older
        .iter()
        .filter(|(header, bodies)| differ(header, bodies, &|_| true))
        .collect();
    if others.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let index = Index::new(text)?;
    let lines = Lines::new(text);
    let functions = calls::functions(&index);
    let told = told(&index, of_others, is_own);
    // Nobody knows what a closure holds, or what `impl Trait` stands for.
    let is_open = |of: &str| of.contains("{c") || of.contains("impl ");
    let is_told = |of: &str| is_open(of) || source::words(of).any(|word| told.contains(word));
    // Of what stands for any type, nobody knows either; by itself it is no reason to say something.
    let parameters = type_parameters(text)?;
    let may_be_told =
        |of: &str| is_told(of) || source::words(of).any(|word| parameters.contains(word));
    let mut found = Vec::new();
    for (header, body) in others {
        let bodies = body.iter().chain(all(header));
        let has_told = |body: &&str| dropped(header, body).any(is_told);
        if !bodies.copied().any(|body| has_told(&body)) || !differ(header, body, &may_be_told) {
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

/// What functions, types and impls of a text call the types that they are for any of.
fn type_parameters(text: &str) -> Result<BTreeSet<String>> {
    struct Found(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Found {
        fn visit_type_param(&mut self, parameter: &'ast TypeParam) {
            self.0.insert(parameter.ident.to_string());
            visit::visit_type_param(self, parameter);
        }
    }
    let mut found = Found(BTreeSet::from(["Self".to_owned()]));
    found.visit_file(&*source::parsed(text)?);
    Ok(found.0)
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

/// Whether two bodies do the same, however that is cut into blocks; a drop counts where `is_told` says so of the type.
fn do_the_same(header: &str, both: [&str; 2], is_told: &dyn Fn(&str) -> bool) -> bool {
    if both[0] == both[1] {
        return true;
    }
    let both = both.map(|body| {
        let types = types(header, body);
        blocks(body, &|what| type_of(&types, what).map_or(true, is_told))
    });
    let mut open = vec![["bb0", "bb0"]];
    let (mut seen, mut variables) = (BTreeSet::new(), Variables::default());
    while let Some(pair) = open.pop() {
        if !seen.insert(pair) {
            continue;
        }
        let [(steps, end), other] = [0, 1].map(|n| run(&both[n], pair[n]));
        let mut pairs = steps.iter().zip(&other.0);
        if steps.len() != other.0.len() || !pairs.all(|(one, other)| variables.agree(one, other)) {
            return false;
        }
        match (end, other.1) {
            (Some(end), Some(other)) => {
                if !variables.agree(&end.end, &other.end) || end.next.len() != other.next.len() {
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

/// Which variable of one body is which of another: the numbers of temporaries are only names.
#[derive(Default)]
struct Variables {
    others: BTreeMap<u32, u32>,
    taken: BTreeMap<u32, u32>,
}

impl Variables {
    /// Whether two lines are the same, each variable being the same as before.
    fn agree(&mut self, one: &str, other: &str) -> bool {
        let ((rest, numbers), (of_other, others)) = (numbered(one), numbered(other));
        let mut pairs = numbers.into_iter().zip(others);
        rest == of_other
            && pairs.all(|(one, other)| {
                let is_same = *self.others.entry(one).or_insert(other) == other;
                is_same && *self.taken.entry(other).or_insert(one) == one
            })
    }
}

/// A line without the numbers of its variables, and these.
fn numbered(line: &str) -> (String, Vec<u32>) {
    let (mut rest, mut numbers, mut at) = (String::new(), Vec::new(), 0);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    for (start, _) in line.match_indices('_') {
        let digits = &line[start + 1..];
        let length = digits.find(|c| !is_of_name(c)).unwrap_or(digits.len());
        let number = digits[..length].parse();
        if let (Ok(number), false) = (number, line[..start].ends_with(is_of_name)) {
            rest += &line[at..=start];
            numbers.push(number);
            at = start + 1 + length;
        }
    }
    rest += &line[at..];
    (rest, numbers)
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
        match only_next(blocks, block) {
            Some(next) => at = next,
            None => return (steps, Some(block)),
        }
    }
    (steps, None)
}

/// Where a block goes on to in any case.
fn only_next<'b>(blocks: &BTreeMap<&'b str, Block<'b>>, block: &Block<'b>) -> Option<&'b str> {
    let jump = |block: &Block<'b>| match &block.next[..] {
        [next] if block.end.starts_with("goto ") => Some(*next),
        _ => None,
    };
    if !block.end.starts_with("switchInt(") {
        return jump(block);
    }
    let behind = |start: &&'b str| {
        let mut at = *start;
        for _ in 0..=blocks.len() {
            let block = blocks.get(at).filter(|block| block.steps.is_empty());
            match block.and_then(jump) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    };
    let is_reached = |at: &&'b str| {
        let block = blocks.get(at);
        block.map_or(true, |block| block.end != "unreachable;")
    };
    let next: BTreeSet<&str> = block.next.iter().map(behind).filter(is_reached).collect();
    let mut next = next.into_iter();
    next.next().filter(|_| next.next().is_none())
}

/// The blocks of a body by their names. A drop that does not count is a mere jump, and so is the end of a variable's room on the stack.
fn blocks<'b>(body: &'b str, counts: &dyn Fn(&str) -> bool) -> BTreeMap<&'b str, Block<'b>> {
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
            block.end = match block.steps.last().and_then(|step| tested(step, last)) {
                // The number of what is tested is only a name.
                Some(tested) => {
                    block.steps.pop();
                    format!("switchInt({tested}) ")
                }
                None => last[..jump].to_owned(),
            };
            // The names of blocks are only numbers.
            while let Some(at) = rest.find("bb") {
                let digits = rest[at + 2..].find(|c: char| !c.is_ascii_digit());
                let end = digits.map_or(rest.len(), |digits| at + 2 + digits);
                block.end.push_str(&rest[..at]);
                block.next.push(&rest[at..end]);
                rest = &rest[end..];
            }
            block.end.push_str(rest);
            if place_dropped(last).is_some_and(|what| !counts(what)) {
                block.end = "goto -> ".to_owned();
                block.next.truncate(1);
            }
            found.insert(name, block);
        } else if let Some((_, block)) = &mut open {
            if !line.starts_with("Storage") {
                block.steps.push(line);
            }
        }
    }
    found
}

/// What a block tests in the end: `discriminant(_1)`, if its last step finds that out.
fn tested<'b>(step: &'b str, end: &str) -> Option<&'b str> {
    let (variable, value) = step.split_once(" = ")?;
    let value = value.strip_suffix(';')?;
    let is_tested = end.starts_with(&format!("switchInt(move {variable})"));
    (is_tested && value.starts_with("discriminant(")).then_some(value)
}

/// The numbers of the variables of a body, with their types.
fn types<'b>(header: &'b str, body: &'b str) -> BTreeMap<&'b str, &'b str> {
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let parameters = header.split("_").skip(1);
    for parameter in parameters.filter_map(|rest| rest.split_once(": ")) {
        types.entry(parameter.0).or_insert(parameter.1);
    }
    for line in body.lines().map(str::trim) {
        if let Some(variable) = line.strip_prefix("let ") {
            let variable = variable.trim_start_matches("mut ").trim_start_matches('_');
            if let Some((number, of)) = variable.split_once(": ") {
                types.insert(number, of);
            }
        }
    }
    types
}

/// The place that a line drops: `_1`, `(_1.0: T)`.
fn place_dropped(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("drop(")?;
    Some(rest.split_once(") ->")?.0)
}

/// The type of a place.
fn type_of<'b>(types: &BTreeMap<&str, &'b str>, place: &'b str) -> Option<&'b str> {
    match place.rsplit_once(": ") {
        Some((_, of)) => Some(of),
        None => types.get(place.trim_start_matches('_')).copied(),
    }
}

/// The types of what a body drops.
fn dropped<'b>(header: &'b str, body: &'b str) -> impl Iterator<Item = &'b str> {
    let types = types(header, body);
    let places = body.lines().map(str::trim).filter_map(place_dropped);
    places.filter_map(move |place| type_of(&types, place))
}

/// The types of which a drop may be told: some of others, those of one's own that do something then, guards of other crates, and those with
/// these in them.
fn told<'i>(
    index: &'i Index,
    of_others: &[&'i str],
    is_own: &dyn Fn(usize) -> bool,
) -> BTreeSet<&'i str> {
    let text = index.text();
    let mut found: BTreeSet<&str> = of_others.iter().copied().collect();
    let types = index.nodes.iter().enumerate();
    let types: Vec<(usize, &str)> = types
        .filter(|(_, node)| node.sort == Sort::Type)
        .map(|(n, node)| (n, node.name.as_str()))
        .collect();
    let drops = source::drops(text);
    for (_, of) in drops.filter(|&(at, of)| is_own(at) || is_guard(&text[of..])) {
        let path = text[of..].split(|c: char| c == '<' || c == '{' || c.is_whitespace());
        let path = path.take(1).filter(|path| !path.contains('$'));
        let name = path.flat_map(source::words).last();
        match name.filter(|name| types.iter().any(|(_, of)| of == name)) {
            Some(name) => drop(found.insert(name)),
            // The variable of a macro or another name of it: it may be any.
            None => {
                let own = types
                    .iter()
                    .filter(|(n, _)| is_own(index.nodes[*n].range.start));
                found.extend(own.map(|(_, name)| name));
            }
        }
    }
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
        let same = |one: &str, other: &str| {
            do_the_same("fn f() -> () {", [one, other], &|of| of.starts_with('G'))
        };
        assert!(same(body, other));
        assert!(!same(body, &other.replace("a;", "d;")));
        assert!(!same(body, &other.replace("f(c)", "f(d)")));
        assert!(!same(
            body,
            &other.replace("bb4, unwind: bb1", "bb1, unwind: bb4")
        ));
        // Names of variables may be others, if each is the same everywhere.
        let of = |one: &str, two: &str| {
            format!("bb0: {{\n {one} = _1;\n {two} = f_1({one});\n return;\n }}\n")
        };
        assert!(same(&of("_2", "_3"), &of("_3", "_4")));
        assert!(!same(&of("_2", "_3"), &of("_3", "_1")));
        assert!(!same(
            &of("_2", "_3"),
            &of("_3", "_4").replace("f_1", "f_2")
        ));
        // A choice of one way is none.
        let choice = "bb0: {\n a;\n _2 = discriminant(_1);\n switchInt(move _2) -> [0: bb1, 1: bb1, otherwise: bb4];\n }\n bb1: {\n b = f(c) -> [return: bb2, unwind: bb3];\n }\n bb2: {\n return;\n }\n bb3 (cleanup): {\n resume;\n }\n bb4: {\n unreachable;\n }\n";
        assert!(same(body, choice));
        assert!(!same(body, &choice.replace("1: bb1", "1: bb2")));
        let endless = "bb0: {\n goto -> bb0;\n }\n";
        let longer = "bb0: {\n goto -> bb1;\n }\n bb1: {\n goto -> bb0;\n }\n";
        assert!(same(endless, longer));
        assert!(!same(endless, body));
        let dropping = |of: &str| {
            format!(
                "let _1: {of};\nbb0: {{\n a;\n drop(_1) -> [return: bb1, unwind: bb3];\n }}\n{}",
                &body[body.find(" bb1").unwrap()..]
            )
        };
        assert!(same(body, &dropping("S")));
        assert!(!same(body, &dropping("G")));
    }

    #[test]
    fn a_name_that_is_a_word_of_2024_is_the_same() {
        let found = of("use std::rc::Rc; struct S; impl S { fn r#gen(&self) -> u8 { 1 } } fn main() { let c = Rc::new(S); c.r#gen(); }");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_is_done_in_the_same_order_is_the_same() {
        // What is left of a value of which a part was taken; what a guard is there for beside something else.
        let text = "use std::error::Error; fn f(s: &str) -> Result<String, Box<dyn Error>> { Ok(s.parse::<u8>()?.to_string()) }
            fn one() { if let Err(e) = f(\"x\") { println!(\"{e}\"); } println!(\"end\"); }
            fn all() { for l in std::io::stdin().lines() { if let Some(b) = l.unwrap().bytes().next() { print!(\"{b}\"); } else { print!(\"-\"); } } }
            fn told() { if let Ok(s) = f(\"1\").as_ref() { println!(\"{s}\"); } else { println!(\"none\"); } }
            fn game(s: &str) -> Option<(usize, Vec<u32>)> { Some((s.parse().ok()?, vec![1])) }
            fn parts() { for l in std::io::stdin().lines() { if let Some((id, v)) = game(&l.unwrap()) { print!(\"{id} {}\", v.len()); } } }
            trait T { fn f(&self) -> u8; } struct S(u8); impl T for S { fn f(&self) -> u8 { self.0 } }
            fn cast(a: Box<dyn T>) -> Result<Box<S>, Box<dyn T>> { if a.f() > 1 { Ok(Box::new(S(1))) } else { Err(a) } }
            fn later() { let mut v: Vec<Box<dyn T>> = vec![Box::new(S(2))]; if let Ok(t) = cast(v.pop().unwrap()) { print!(\"{}\", t.f()); } println!(); }
            struct G<X>(X); impl<X> G<X> { fn get(self) -> (X, u8) { (self.0, 1) } }
            fn any<X>(x: X, _b: Box<dyn T>) -> u8 { if let (_, 2) = G(x).get() { 1 } else { print!(\"-\"); 2 } }
            fn main() { one(); all(); told(); parts(); later(); any(1, Box::new(S(1))); }";
        assert_eq!(of(text), ["any: fn any<X>", "told: fn told"]);
    }

    #[test]
    fn what_does_something_when_it_goes_is_found_however_that_is_written() {
        let text = |drop: &str| {
            format!(
                "struct G(u8); {drop} impl G {{ fn get(&self) -> Option<u8> {{ Some(self.0) }} }}
                fn f() {{ if let Some(1) = G(2).get() {{ print!(\"1\"); }} else {{ print!(\"2\"); }} }} fn main() {{ f(); }}"
            )
        };
        let body = "fn drop(&mut self) { print!(\"drop\"); }";
        for drop in [
            format!("impl Drop for G {{ {body} }}"),
            format!("impl Drop\n    for\n    self::G {{ {body} }}"),
            format!("type H = G; impl Drop for H {{ {body} }}"),
            format!("macro_rules! m {{ ($G:ty) => {{ impl Drop for $G {{ {body} }} }} }} m!(G);"),
        ] {
            assert_eq!(of(&text(&drop)), ["f: fn f"], "{drop}");
        }
        assert!(of(&text("")).is_empty());
    }

    #[test]
    fn what_drops_nothing_that_is_told_is_the_same() {
        assert!(of("fn main() { let a = vec![1]; if let Some(x) = a.first() { print!(\"{x}\"); } else { print!(\"{}\", a.len()); } }").is_empty());
    }
}
