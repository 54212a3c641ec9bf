//! The code that this machine leaves out, because a `cfg` that is open does not hold here.
//!
//! The compiler does not see it, so nobody can ask it what that code needs. What such code names stays. And as much of it as can be is
//! turned on for a trial: pointers of the other width, another processor, the names that only judges set, and another system.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::UNSPOKEN;
use crate::bundle::resolve;
use crate::bundle::resolve::cfg::{self, CfgSet};
use crate::bundle::text::index::Index;
use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_ident, is_punct};
use crate::bundle::text::words;

#[derive(Clone, Default)]
pub struct LeftOut {
    /// The names in the code that is left out.
    pub names: BTreeSet<String>,
    /// Those in what cannot be turned on here.
    unseen_names: BTreeSet<String>,
    /// Some of that may use what it does not name.
    pub unseen: bool,
    /// What can be turned on compiles: the compiler tells what it needs.
    pub is_compiled: bool,
    pieces: Vec<Piece>,
    /// The nodes of those that are looked at.
    looked_at: BTreeSet<Option<usize>>,
    /// What is off here, and what is on here and off where that is turned on.
    off_here: Vec<Range<usize>>,
    off_there: Vec<Range<usize>>,
    /// The widths of pointers in predicates, and what asks for a processor with SSE2.
    values: Vec<Range<usize>>,
    /// What can be set.
    flags: BTreeSet<String>,
    /// What predicates ask a system for.
    of_systems: Vec<Range<usize>>,
    /// Code that is compiled here asks so, too: `cfg!(windows)`. What it does not come to here is not made here.
    chooses_by_system: bool,
    /// Another system is turned on.
    is_of_other_system: bool,
    /// The same where it is, as long as nobody knows whether that compiles.
    on_other_system: Option<Box<LeftOut>>,
    /// The bodies of functions that do not compile where all that is turned on.
    unbuilt: Vec<Range<usize>>,
}

/// What one predicate leaves out.
#[derive(Clone)]
struct Piece {
    at: usize,
    /// The innermost node there, nothing for the file.
    node: Option<usize>,
    names: BTreeSet<String>,
    unseen: bool,
    /// It does no more than to name things.
    is_plain: bool,
    /// This machine compiles it, and another might not.
    is_here: bool,
}

impl LeftOut {
    /// Looks at a text by its tokens.
    pub fn new(text: &str, stream: TokenStream) -> Result<Self> {
        let mut found = Self::default();
        if !text.contains("cfg(") && !text.contains("cfg!") {
            return Ok(found);
        }
        predicates(stream.clone(), &mut |predicate, is_value| {
            let before = found.of_systems.len();
            found.conditions(predicate.into());
            found.chooses_by_system |= is_value && found.of_systems.len() > before;
        });
        let host = resolve::host_cfg()?;
        found.leave_main(&stream, &host);
        let other = host.other(&found.flags);
        if !found.of_systems.is_empty() {
            let mut there = found.clone();
            there.is_of_other_system = true;
            there.walk(text, stream.clone(), &host, &other.on_other_system());
            // What asks for a third one is seen on neither.
            let is_seen = found.chooses_by_system || there.pieces.iter().any(|piece| !piece.unseen);
            found.on_other_system = is_seen.then(|| Box::new(there));
        }
        found.walk(text, stream, &host, &other);
        found.only(&|_| true);
        Ok(found)
    }

    /// Turns another system on, if there is code for it that may compile here; gives what was before.
    pub fn turn_system_on(&mut self) -> Option<Self> {
        // What leads to the system itself is not there.
        const OF_SYSTEM: [&str; 5] = ["extern", "libc", "os", "winapi", "windows_sys"];
        let there = self.on_other_system.as_deref()?;
        let is_asked = self.unseen || self.chooses_by_system;
        if !is_asked || OF_SYSTEM.iter().any(|name| there.names.contains(*name)) {
            return None;
        }
        let there = there.clone();
        Some(std::mem::replace(self, there))
    }

    /// The same where that has turned out not to compile.
    pub fn on_this_system(mut self) -> Self {
        self.on_other_system = None;
        self
    }

    /// Looks which nodes the code is in.
    pub fn place(&mut self, index: &Index) {
        for piece in &mut self.pieces {
            piece.node = index.innermost(&(piece.at..piece.at));
        }
        if let Some(there) = &mut self.on_other_system {
            there.place(index);
        }
    }

    /// Has some functions, by their nodes and bodies, do nothing where it is turned on: this machine compiles it, with its own `usize`. What
    /// they are for is not seen then.
    pub fn without_bodies(&mut self, text: &str, functions: BTreeMap<usize, Range<usize>>) {
        for (node, body) in functions {
            self.pieces.push(Piece {
                at: body.start,
                node: Some(node),
                names: words::names(&text[body.clone()]),
                unseen: true,
                is_plain: false,
                is_here: true,
            });
            self.unbuilt.push(body);
        }
        self.only(&|_| true);
    }

    /// The nodes that it is in.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().filter_map(|piece| piece.node)
    }

    /// The nodes with code that cannot be turned on.
    pub fn unseen_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let unseen = self.pieces.iter().filter(|piece| piece.unseen);
        unseen.filter_map(|piece| piece.node)
    }

    /// The nodes with code of which nobody tells which imports it needs; nothing for the file.
    pub fn in_need(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let pieces = self.pieces.iter();
        let in_need = pieces.filter(|piece| !piece.is_here && (piece.unseen || !self.is_compiled));
        let nodes = in_need.map(|piece| piece.node);
        nodes.filter(|node| self.looked_at.contains(node))
    }

    /// The nodes with code that is looked at.
    pub fn looked_at(&self) -> impl Iterator<Item = usize> + '_ {
        self.looked_at.iter().copied().flatten()
    }

    /// Looks at the code in some nodes only, and tells whether that makes a difference.
    pub fn only(&mut self, is_left: &dyn Fn(Option<usize>) -> bool) -> bool {
        if let Some(there) = &mut self.on_other_system {
            there.only(is_left);
        }
        let pieces = self.pieces.iter().filter(|piece| is_left(piece.node));
        let pieces: Vec<&Piece> = pieces.collect();
        let names = pieces.iter().flat_map(|piece| &piece.names);
        let unseen_pieces = || pieces.iter().filter(|piece| piece.unseen);
        let unseen_names = unseen_pieces().flat_map(|piece| &piece.names);
        let now = (
            names.cloned().collect(),
            unseen_names.cloned().collect(),
            unseen_pieces().any(|piece| !piece.is_plain),
        );
        let before = (&self.names, &self.unseen_names, &self.unseen);
        let differs = (&now.0, &now.1, &now.2) != before;
        self.looked_at = pieces.iter().map(|piece| piece.node).collect();
        (self.names, self.unseen_names, self.unseen) = now;
        differs
    }

    /// Whether something so called may be needed there, and nobody would tell.
    pub fn may_need(&self, name: &str) -> bool {
        let names = if self.is_compiled {
            &self.unseen_names
        } else {
            &self.names
        };
        // Nobody needs that by its name.
        name != "_" && names.contains(name)
    }

    /// Whether code that cannot be turned on may use an impl of a trait, or something else, that is so called.
    pub fn may_use(&self, name: &str) -> bool {
        self.unseen && (UNSPOKEN.contains(&name) || self.may_need(name))
    }

    /// The text with what this machine leaves out and without what it takes in its place, and the flags that it wants. Everything is
    /// where it was.
    pub fn turned_on(&self, text: &str) -> Option<(String, Vec<String>)> {
        if self.values.is_empty() && self.flags.is_empty() && !self.is_of_other_system {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        let mut has_systems = false;
        let of_systems = self.of_systems.iter();
        for range in of_systems.filter(|_| self.is_of_other_system) {
            let last = &mut bytes[range.end - 1];
            // It is gone.
            if *last == b' ' {
                continue;
            }
            *last = b'0';
            has_systems = true;
        }
        for range in &self.values {
            let other: &[u8] = match &bytes[range.clone()] {
                b"\"32\"" => b"\"64\"",
                b"\"64\"" => b"\"32\"",
                b"\"sse2\"" => b"\"none\"",
                b"\"x86_64\"" => b"\"no-x86\"",
                // It is gone.
                _ => continue,
            };
            bytes[range.clone()].copy_from_slice(other);
        }
        if bytes != text.as_bytes() || !self.flags.is_empty() {
            for body in &self.unbuilt {
                empty(&mut bytes[body.clone()]);
            }
        }
        let text = String::from_utf8(bytes).expect("letters for letters");
        let flags = self.flags.iter().map(|flag| format!("--cfg={flag}"));
        let of_system = cfg::OTHER_SYSTEM.iter().filter(|_| has_systems);
        let of_system = of_system.map(|(name, value)| match value {
            Some(value) => format!("--cfg={}=\"{value}\"", renamed(name)),
            None => format!("--cfg={}", renamed(name)),
        });
        Some((text, flags.chain(of_system).collect()))
    }

    /// Whether turning it on changes nothing: what asked for it is gone.
    pub fn is_off(&self, text: &str, (turned_on, _): &(String, Vec<String>)) -> bool {
        let names = self.flags.iter().filter_map(|flag| flag.split('=').next());
        let names: BTreeSet<&str> = names.collect();
        turned_on == text
            && (names.is_empty() || !source::words(text).any(|word| names.contains(word)))
    }

    /// Whether something is compiled here only.
    pub fn is_only_here(&self, at: usize) -> bool {
        self.off_there.iter().any(|range| range.contains(&at))
    }

    /// Whether something is compiled only where what this machine leaves out is turned on.
    pub fn is_only_there(&self, at: usize) -> bool {
        self.off_here.iter().any(|range| range.contains(&at))
    }

    /// What a predicate asks for that can be had here.
    fn conditions(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let name = match tree {
                TokenTree::Ident(name) => name.to_string(),
                TokenTree::Group(group) => {
                    self.conditions(group.stream());
                    continue;
                }
                _ => continue,
            };
            match (trees.get(at + 1), trees.get(at + 2)) {
                (Some(TokenTree::Punct(_)), Some(TokenTree::Literal(value)))
                    if name == "target_pointer_width"
                        || name == "target_feature" && value.to_string() == "\"sse2\""
                        || name == "target_arch" && value.to_string() == "\"x86_64\"" =>
                {
                    self.values.push(value.span().byte_range());
                }
                _ if cfg::OF_SYSTEMS.contains(&name.as_str()) => {
                    self.of_systems.push(tree.span().byte_range());
                }
                (Some(TokenTree::Punct(_)), Some(TokenTree::Literal(value)))
                    if !name.starts_with("target_") =>
                {
                    self.flags.insert(format!("{name}={value}"));
                }
                (None, _) | (Some(TokenTree::Punct(_)), _) if !name.starts_with("target_") => {
                    self.flags.insert(name);
                }
                _ => {}
            }
        }
    }

    /// Sets no name that would leave a program without `main`: no judge sets that.
    fn leave_main(&mut self, stream: &TokenStream, host: &CfgSet) {
        let trees: Vec<TokenTree> = stream.clone().into_iter().collect();
        let is_main = |rest: &[TokenTree]| {
            let mut pairs = rest.windows(2);
            pairs.any(|pair| is_ident(pair.first(), "fn") && is_ident(pair.last(), "main"))
        };
        let predicates = (0..trees.len()).filter_map(|at| {
            let rest = trees.get(at + 2..)?;
            let predicate = predicate_at(&trees, at)?;
            is_main(&rest[..end_of_node(rest)]).then_some(predicate)
        });
        let other = host.other(&self.flags);
        let predicates: Vec<Group> = predicates.collect();
        let is_lost = |predicate: &Group| holds(host, predicate) && !holds(&other, predicate);
        if predicates.iter().any(is_lost) && !predicates.iter().any(|of| holds(&other, of)) {
            let mut asked = Self::default();
            let all = predicates.into_iter().map(|of| of.stream());
            all.for_each(|predicate| asked.conditions(predicate));
            self.flags = &self.flags - &asked.flags;
        }
    }

    /// Takes in what does not hold here, or where all is turned on that can be.
    fn walk(&mut self, text: &str, stream: TokenStream, host: &CfgSet, other: &CfgSet) {
        conditional(stream, &mut |predicate, rest| {
            let range = place_of(rest);
            match (holds(host, predicate), holds(other, predicate)) {
                (true, true) => {}
                (true, false) => self.off_there.push(range),
                (false, is_on_there) => {
                    // What is off everywhere is no concern.
                    let never = !asks(predicate.stream());
                    self.pieces.push(Piece {
                        at: range.start,
                        node: None,
                        names: names(text, rest),
                        unseen: !is_on_there && !never,
                        is_plain: is_plain(rest),
                        is_here: false,
                    });
                    self.off_here.extend(is_on_there.then_some(range));
                    return true;
                }
            }
            false
        });
    }
}

/// What a predicate asks for in place of a system: what asks for that one itself is answered by the compiler.
fn renamed(name: &str) -> String {
    format!("{}0", &name[..name.len() - 1])
}

/// Makes a body one that has any type, unless it is gone. All lines stay.
fn empty(body: &mut [u8]) {
    const EMPTY: &[u8] = b"loop{}";
    let is_free = |at: &usize| {
        let place = body.get(*at..at + EMPTY.len());
        place.is_some_and(|place| !place.contains(&b'\n'))
    };
    let place = (1..body.len().saturating_sub(1)).find(is_free);
    if let (Some(at), Some(b'{')) = (place, body.first()) {
        let end = body.len() - 1;
        source::blank(body, 1..end);
        body[at..at + EMPTY.len()].copy_from_slice(EMPTY);
    }
}

/// By token: an attribute `#[cfg(…)]`, and what follows it up to the end of that node. What is said to be off is not looked into.
fn conditional(stream: TokenStream, is_off: &mut impl FnMut(&Group, &[TokenTree]) -> bool) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        let Some(predicate) = predicate_at(&trees, at) else {
            if let TokenTree::Group(group) = &trees[at] {
                conditional(group.stream(), is_off);
            }
            at += 1;
            continue;
        };
        at += 2;
        let rest = trees.get(at..).unwrap_or_default();
        let rest = &rest[..end_of_node(rest)];
        if is_off(&predicate, rest) {
            at += rest.len();
        }
    }
}

fn holds(set: &CfgSet, predicate: &Group) -> bool {
    syn::parse2(predicate.stream()).map_or(true, |meta| set.holds_here(&meta))
}

fn place_of(trees: &[TokenTree]) -> Range<usize> {
    let place = |tree: &TokenTree| tree.span().byte_range();
    match trees {
        [] => 0..0,
        [first, ..] => place(first).start..place(&trees[trees.len() - 1]).end,
    }
}

/// The names in some code of a text: what predicates ask for is none.
fn names(text: &str, trees: &[TokenTree]) -> BTreeSet<String> {
    let range = place_of(trees);
    let mut code = text.as_bytes()[range.clone()].to_vec();
    predicates(trees.iter().cloned().collect(), &mut |predicate, _| {
        let place = predicate.span().byte_range();
        source::blank(
            &mut code,
            place.start - range.start..place.end - range.start,
        );
    });
    words::names(&String::from_utf8(code).expect("whole predicates are blanked"))
}

/// Where code is that a machine does not read.
pub fn off_on(machine: &CfgSet, stream: TokenStream) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    conditional(stream, &mut |predicate, rest| {
        let is_off = !holds(machine, predicate);
        found.extend(is_off.then(|| place_of(rest)));
        is_off
    });
    found
}

/// How far a node goes that these begin with: up to the braces or the semicolon that end it.
fn end_of_node(trees: &[TokenTree]) -> usize {
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Punct(p) => p.as_char() == ';' || p.as_char() == ',',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    trees.iter().position(is_end).map_or(trees.len(), |n| n + 1)
}

/// Whether code is an import, or a function that gives what it names: it uses no operator and no method.
fn is_plain(trees: &[TokenTree]) -> bool {
    const BEFORE: [&str; 4] = ["pub", "const", "unsafe", "async"];
    let mut words = trees.iter().filter_map(|tree| match tree {
        TokenTree::Ident(word) if !BEFORE.iter().any(|before| word == before) => Some(word),
        _ => None,
    });
    let first = words.next().map(ToString::to_string);
    match (first.as_deref(), trees.last()) {
        (Some("use"), _) => true,
        (Some("fn"), Some(TokenTree::Group(body))) => {
            body.stream().into_iter().all(|tree| match tree {
                TokenTree::Ident(_) | TokenTree::Literal(_) => true,
                TokenTree::Punct(mark) => mark.as_char() == ':',
                TokenTree::Group(_) => false,
            })
        }
        _ => false,
    }
}

/// What is in the brackets of `#[cfg(…)]`.
fn predicate_at(trees: &[TokenTree], at: usize) -> Option<Group> {
    let (TokenTree::Punct(hash), TokenTree::Group(attribute)) = (&trees[at], trees.get(at + 1)?)
    else {
        return None;
    };
    if hash.as_char() != '#' || attribute.delimiter() != Delimiter::Bracket {
        return None;
    }
    let mut inside = attribute.stream().into_iter();
    match (inside.next()?, inside.next()?) {
        (TokenTree::Ident(word), TokenTree::Group(predicate))
            if word == "cfg" && !has_variables(predicate.stream()) =>
        {
            Some(predicate)
        }
        _ => None,
    }
}

/// Whether a predicate is one of a macro's definition, to be filled in by its calls.
fn has_variables(stream: TokenStream) -> bool {
    stream.into_iter().any(|tree| match tree {
        TokenTree::Punct(mark) => mark.as_char() == '$',
        TokenTree::Group(group) => has_variables(group.stream()),
        _ => false,
    })
}

/// Whether a predicate has any condition in it: `any()` has none.
fn asks(stream: TokenStream) -> bool {
    stream.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => {
            let words = ["all", "any", "not", "true", "false"];
            !words.iter().any(|known| word == known)
        }
        TokenTree::Group(group) => asks(group.stream()),
        _ => false,
    })
}

/// All predicates, each with whether it is that of a `cfg!(…)`.
fn predicates(stream: TokenStream, found: &mut impl FnMut(TokenTree, bool)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for at in 0..trees.len() {
        if let Some(predicate) = predicate_at(&trees, at) {
            found(predicate.into(), false);
        }
        if let (true, true, Some(TokenTree::Group(predicate))) = (
            is_ident(trees.get(at), "cfg"),
            is_punct(trees.get(at + 1), '!'),
            trees.get(at + 2),
        ) {
            if !has_variables(predicate.stream()) {
                found(predicate.clone().into(), true);
            }
        }
        if let TokenTree::Group(group) = &trees[at] {
            predicates(group.stream(), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is on a machine with pointers of 64 bits, as all that these tests ever ran on.
    const TEXT: &str = "#[cfg(target_pointer_width = \"64\")] fn wide() {} #[cfg(not(target_pointer_width = \"64\"))] fn narrow() { callee() } \
                        #[cfg(any())] fn never() {} fn always() {}";

    fn left_out(text: &str) -> LeftOut {
        LeftOut::new(text, text.parse().unwrap()).unwrap()
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_other_width_is_turned_on_in_place() {
        let found = left_out(TEXT);
        assert!(found.names.contains("narrow") && found.names.contains("callee"));
        assert!(!found.names.contains("wide") && !found.names.contains("always"));
        assert!(!found.unseen);
        let (text, flags) = found.turned_on(TEXT).unwrap();
        assert_eq!(text, TEXT.replace("64", "32"));
        assert!(flags.is_empty());
        // What was blanked since is left alone.
        let blanked = TEXT.replace("\"64\"", "    ");
        let turned_on = found.turned_on(&blanked).unwrap();
        assert_eq!(turned_on.0, blanked);
        assert!(found.is_off(&blanked, &turned_on));
        assert!(!found.is_off(TEXT, &(text, flags)));
    }

    #[test]
    fn there_is_a_main_whatever_is_set() {
        let set = |text: &str| {
            let flags = left_out(text).flags.into_iter();
            flags.collect::<Vec<_>>()
        };
        let one = "#[cfg(not(tarpaulin))] #[inline] fn main() {} #[cfg(a)] fn f() {}";
        assert_eq!(set(one), ["a"]);
        let other = "#[cfg(tarpaulin)] fn main() {}";
        assert_eq!(set(&format!("{one} {other}")), ["a", "tarpaulin"]);
        let nested = "mod m { #[cfg(not(b))] fn main() {} } fn main() {}";
        assert_eq!(set(nested), ["b"]);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn bodies_that_are_for_this_width_do_nothing_there() {
        let text = "#[cfg(target_pointer_width = \"32\")] type B = [u8; 4];\nfn f(b: B) -> usize {\n    usize::from_ne_bytes(b)\n}\nfn g() {}\n";
        let body = text.find("{\n").unwrap()..text.find("\nfn g").unwrap();
        let mut found = left_out(text);
        found.is_compiled = true;
        assert!(!found.may_need("from_ne_bytes"));
        found.without_bodies(text, BTreeMap::from([(0, body.clone())]));
        assert!(found.may_need("from_ne_bytes") && found.unseen);
        // The compiler tells of its imports.
        assert_eq!(found.in_need().count(), 0);
        let (on, _) = found.turned_on(text).unwrap();
        assert_eq!(
            on[body.clone()].split_whitespace().collect::<Vec<_>>(),
            ["{", "loop{}", "}"]
        );
        assert_eq!(
            (on.len(), on.lines().count()),
            (text.len(), text.lines().count())
        );
        // It may be gone, or what asked for the other width.
        let mut gone = text.as_bytes().to_vec();
        source::blank(&mut gone, body);
        let gone = String::from_utf8(gone).unwrap();
        assert!(!found.turned_on(&gone).unwrap().0.contains("loop"));
        let of_here = text.replace("\"32\"", "    ");
        assert_eq!(found.turned_on(&of_here).unwrap().0, of_here);
        found.only(&|_| false);
        assert!(!found.may_need("from_ne_bytes") && !found.unseen);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn another_processor_is_turned_on_in_place() {
        let text = "#[cfg(all(target_feature = \"sse2\", target_arch = \"x86_64\"))] use a as b; \
                    #[cfg(not(all(target_feature = \"sse2\", target_arch = \"x86_64\")))] use c as b;";
        let found = left_out(text);
        assert!(found.names.contains("c") && !found.names.contains("a") && !found.unseen);
        let (turned_on, _) = found.turned_on(text).unwrap();
        let expected = text.replace("sse2", "none").replace("x86_64", "no-x86");
        assert_eq!(turned_on, expected);
    }

    #[test]
    fn names_of_judges_are_set() {
        let text = "#[cfg(ONLINE_JUDGE)] fn f() {} #[cfg(all(local, judge = \"x\"))] fn g() {}";
        let found = left_out(text);
        assert!(found.names.contains("f") && !found.unseen);
        let (_, flags) = found.turned_on("").unwrap();
        assert_eq!(
            flags,
            ["--cfg=ONLINE_JUDGE", "--cfg=judge=\"x\"", "--cfg=local"]
        );
        let is_off = |text: &str| found.is_off(text, &found.turned_on(text).unwrap());
        assert!(is_off("fn f() {}") && !is_off("#[cfg(local)] fn f() {}"));
    }

    #[test]
    fn what_code_asks_itself_is_set_too() {
        let text = "fn f() { if cfg!(ONLINE_JUDGE) { g() } else if cfg!(target_pointer_width = \"64\") { h() } }";
        let found = left_out(text);
        assert!(found.names.is_empty() && !found.unseen);
        let (on, flags) = found.turned_on(text).unwrap();
        assert_eq!(
            on,
            text.replace(
                "64",
                if cfg!(target_pointer_width = "64") {
                    "32"
                } else {
                    "64"
                }
            )
        );
        assert_eq!(flags, ["--cfg=ONLINE_JUDGE"]);
        let system = if cfg!(windows) { "unix" } else { "windows" };
        let text = format!("fn f() {{ if cfg!({system}) {{ g() }} }} macro_rules! m {{ ($m:meta) => {{ cfg!($m) }} }}");
        let mut found = left_out(&text);
        assert!(found.turned_on(&text).is_none() && found.turn_system_on().is_some());
        let (on, _) = found.turned_on(&text).unwrap();
        assert_eq!(
            on,
            text.replace(&format!("({system}"), &format!("({}", renamed(system)))
        );
    }

    #[test]
    fn what_predicates_ask_for_is_no_name() {
        let text = "#[cfg(all(a, not(b)))] fn f() { #[cfg(any(c, not(d)))] g(\"é\"); }";
        let found = left_out(text);
        let words = ["f", "g", "any", "not", "c", "d"];
        assert_eq!(
            words.map(|word| found.names.contains(word)),
            [true, true, false, false, false, false]
        );
    }

    #[test]
    fn the_variables_of_macros_are_no_names() {
        let text = "macro_rules! m { ($($meta:meta)*) => { $(#[cfg($meta)] fn f() {})* #[cfg(all($($meta),*))] fn g() {} } }";
        let found = left_out(text);
        assert!(found.names.is_empty() && found.turned_on(text).is_none());
    }

    #[test]
    fn another_system_is_turned_on_where_its_code_may_compile() {
        let (here, elsewhere) = if cfg!(windows) {
            ("windows", "unix")
        } else {
            ("unix", "windows")
        };
        let text = format!(
            "#[cfg({elsewhere})] fn f() {{ a + b }} #[cfg(not({elsewhere}))] fn f() {{}} \
             #[cfg(any(target_os = \"redox\", target_family = \"{here}\"))] fn g() {{}}"
        );
        let mut found = left_out(&text);
        assert!(found.unseen && found.turned_on(&text).is_none());
        let before = found.turn_system_on().unwrap();
        assert!(!found.unseen && before.unseen && found.turn_system_on().is_none());
        let (on, flags) = found.turned_on(&text).unwrap();
        let expected = text
            .replace(
                &format!("({elsewhere}"),
                &format!("({}", renamed(elsewhere)),
            )
            .replace("target_os", "target_o0")
            .replace("target_family", "target_famil0");
        assert_eq!(on, expected);
        let name = renamed(elsewhere);
        assert!(flags.contains(&format!("--cfg={name}")), "{flags:?}");
        assert!(found.is_only_there(text.find("a + b").unwrap()));
        assert!(found.is_only_here(text.find("fn g").unwrap()));
        // What was blanked since asks for nothing.
        let blanked = " ".repeat(text.len());
        let turned_on = found.turned_on(&blanked).unwrap();
        assert!(turned_on.1.is_empty() && found.is_off(&blanked, &turned_on));
        // It has turned out not to compile.
        assert!(before.on_this_system().turn_system_on().is_none());
        for code in [
            "std::os::windows::f() + 1",
            "extern \"C\" { fn g(); } 1 + 2",
        ] {
            let mut found = left_out(&format!("#[cfg({elsewhere})] fn f() {{ {code} }}"));
            assert!(found.unseen && found.turn_system_on().is_none(), "{code}");
        }
    }

    #[test]
    fn what_another_system_needs_is_unseen_until_it_is_turned_on() {
        let elsewhere = if cfg!(windows) { "unix" } else { "windows" };
        let text = format!("#[cfg({elsewhere})] fn f() {{}}");
        let mut found = left_out(&text);
        assert!(!found.unseen && found.turned_on(&text).is_none());
        found.is_compiled = true;
        assert!(found.may_need("f"));
        assert_eq!(found.in_need().count(), 1);
        found.unseen_names.insert("_".to_owned());
        assert!(!found.may_need("_"));
        for (code, is_plain) in [
            ("fn f() -> Option<&'static str> { None }", true),
            ("use a::{b, c};", true),
            ("fn f() { a.b() }", false),
            ("fn f() -> u8 { 1 + 2 }", false),
            ("impl A {}", false),
            ("mod m { use a; fn f() {} }", false),
            ("type A = u8;", false),
        ] {
            let found = left_out(&format!("#[cfg({elsewhere})] {code}"));
            assert_eq!(!found.unseen, is_plain, "{code}");
        }
    }
}
