//! Imports that nothing names any more.
//!
//! The compiler would tell, but only a round later, when what named them is gone. Here it is told by words, so this is a guess: what calls a
//! method need not be a call of the trait's.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::{Meaning, Names, STANDARD};
use crate::bundle::text::index::{Index, Kind, Sort};
use crate::bundle::text::words::{Before, Words};

/// Where the names of imports occur.
pub struct Imports {
    uses: BTreeMap<String, Vec<Use>>,
    paths: Paths,
    /// The functions of the traits that imports bring.
    brought: BTreeMap<usize, Vec<String>>,
    /// Where those are called, if not by a name alone: the innermost nodes.
    calls: BTreeMap<String, Vec<Option<usize>>>,
    /// Modules by a module that they import all names of.
    audience: BTreeMap<Option<usize>, Vec<(usize, Option<usize>)>>,
}

/// A word outside of all imports, or one that the path of one goes through.
struct Use {
    /// The innermost node around it, which is nothing for the file.
    node: Option<usize>,
    /// The word before it on its path.
    qualifier: Option<String>,
}

/// The nodes around the paths that lead through modules.
#[derive(Default)]
struct Paths {
    by_module: BTreeMap<usize, Vec<usize>>,
    /// Where it is not clear through which.
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Paths {
    fn add(
        &mut self,
        index: &Index,
        names: &Names,
        from: Option<usize>,
        path: &[&str],
        node: Option<usize>,
    ) {
        let nodes = match (names.module_at(index, from, path), path.last()) {
            (Some(module), _) => self.by_module.entry(module).or_default(),
            (None, Some(name)) => self.by_name.entry((*name).to_owned()).or_default(),
            (None, None) => return,
        };
        nodes.extend(node);
    }

    fn through<'a>(&'a self, index: &Index, module: usize) -> impl Iterator<Item = &'a usize> {
        let by_module = self.by_module.get(&module);
        let by_name = self.by_name.get(&index.nodes[module].name);
        by_module.into_iter().chain(by_name).flatten()
    }
}

impl Imports {
    pub fn new(index: &Index, names: &Names, words: &Words) -> Self {
        let mut uses: BTreeMap<String, Vec<Use>> = index
            .nodes
            .iter()
            .filter(|node| node.kind == Kind::Import)
            .map(|node| (node.name.clone(), Vec::new()))
            .collect();
        let brought = brought(index, names);
        let functions = brought.values().flatten();
        let mut calls: BTreeMap<String, Vec<Option<usize>>> = functions
            .map(|function| (function.clone(), Vec::new()))
            .collect();
        let mut paths = Paths::default();
        for (at, word) in words.list.iter().enumerate() {
            let is_name = word.before == Before::Other;
            let call = (word.is_function && !is_name).then(|| words.text(word.id));
            if let Some(calls) = call.and_then(|function| calls.get_mut(function)) {
                calls.push(word.node);
            }
            let qualifier = match word.before {
                Before::Dot | Before::SelfDot => continue,
                Before::Path => at.checked_sub(1).map(|at| &words.list[at]),
                _ => None,
            };
            let path = words.path_to(at).unwrap_or_default();
            // What is in the standard library is nobody's import.
            if path.len() > 1 && STANDARD.contains(&path[0]) {
                continue;
            }
            let text = words.text(word.id);
            let next = words.list.get(at + 1);
            if next.is_some_and(|next| next.before == Before::Path) {
                let from = word.node.and_then(|n| index.module_around(n));
                paths.add(index, names, from, &path, word.node);
            }
            if let Some(uses) = uses.get_mut(text) {
                uses.push(Use {
                    node: word.node,
                    qualifier: qualifier.map(|word| words.text(word.id).to_owned()),
                });
            }
        }
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n).unwrap_or_default();
                let mut qualifier = None;
                for (at, name) in path.iter().enumerate().take(path.len().saturating_sub(1)) {
                    paths.add(index, names, index.module(n), &path[..=at], Some(n));
                    if let Some(uses) = uses.get_mut(*name) {
                        uses.push(Use {
                            node: Some(n),
                            qualifier,
                        });
                    }
                    qualifier = Some((*name).to_owned());
                }
            }
        }
        let mut audience: BTreeMap<Option<usize>, Vec<(usize, Option<usize>)>> = BTreeMap::new();
        for (glob, module) in names.globs() {
            let listener = (glob, index.module(glob));
            audience.entry(module).or_default().push(listener);
        }
        Self {
            uses,
            paths,
            brought,
            calls,
            audience,
        }
    }

    /// The imports that something named before, and nothing names now.
    pub fn unused(
        &self,
        index: &Index,
        names: &Names,
        before: &BTreeSet<usize>,
        now: &BTreeSet<usize>,
    ) -> Vec<usize> {
        (0..index.nodes.len())
            .filter(|&n| index.nodes[n].kind == Kind::Import && !index.is_in(n, now))
            .filter(|&n| {
                !self.is_used(index, names, n, now) && self.is_used(index, names, n, before)
            })
            .collect()
    }

    fn is_used(&self, index: &Index, names: &Names, import: usize, gone: &BTreeSet<usize>) -> bool {
        let node = &index.nodes[import];
        let live = |n: usize| !index.is_in(n, gone);
        let module = index.module(import);
        // In a function it is seen there alone, which is a matter of a few lines.
        if node.parent != module {
            return true;
        }
        if node.name == "*" {
            return self.has_names(index, names, module, gone);
        }
        let audience = self.audience(index, module, gone);
        let module_at = |node: Option<usize>| {
            let is_module = |n: &usize| index.nodes[*n].kind == Kind::Module;
            node.filter(is_module).or_else(|| index.module(node?))
        };
        let is_use = |found: &Use| {
            let at = module_at(found.node);
            match found.qualifier.as_deref() {
                None | Some("self") => audience.contains(&at),
                Some("crate") => audience.contains(&None),
                Some("super") => {
                    let above = |&at: &Option<usize>| at.map(|n| index.module(n));
                    let mut all = std::iter::successors(Some(at), above).skip(1);
                    all.any(|at| audience.contains(&at))
                }
                Some(name) => {
                    let mut modules = audience.iter().flatten();
                    modules.any(|&n| index.nodes[n].name == name)
                }
            }
        };
        let mut uses = self.uses[&node.name].iter();
        uses.any(|found| {
            found.node != Some(import) && found.node.map_or(true, live) && is_use(found)
        }) || names
            .importing(module, &node.name)
            .any(|n| n != import && live(n))
            || self.brought.get(&import).is_some_and(|functions| {
                let mut calls = functions.iter().flat_map(|function| &self.calls[function]);
                calls.any(|&node| node.map_or(true, live) && audience.contains(&module_at(node)))
            })
    }

    /// Whether all names of another module may be of use in one: there is something else in it, or somebody names it.
    fn has_names(
        &self,
        index: &Index,
        names: &Names,
        module: Option<usize>,
        gone: &BTreeSet<usize>,
    ) -> bool {
        let live = |n: &usize| !index.is_in(*n, gone);
        let Some(module) = module else {
            return true;
        };
        let mut inside = index.children(module).filter(live);
        let is_more = |n: usize| !index.nodes[n].is_name();
        let mut paths = self.paths.through(index, module);
        let listeners = self.audience.get(&Some(module)).into_iter().flatten();
        inside.any(is_more)
            || paths.any(live)
            || listeners.into_iter().any(|(glob, _)| live(glob))
            || names.importing_from(module).any(|n| live(&n))
    }

    /// The module, and those that have all its names.
    fn audience(
        &self,
        index: &Index,
        module: Option<usize>,
        gone: &BTreeSet<usize>,
    ) -> BTreeSet<Option<usize>> {
        let mut found = BTreeSet::from([module]);
        let mut stack = vec![module];
        while let Some(next) = stack.pop() {
            for &(glob, listener) in self.audience.get(&next).into_iter().flatten() {
                if !index.is_in(glob, gone) && found.insert(listener) {
                    stack.push(listener);
                }
            }
        }
        found
    }
}

/// What some traits of the standard library have that is called without their names.
const OF_STANDARD: [(&str, &[&str]); 9] = [
    ("Borrow", &["borrow"]),
    ("BorrowMut", &["borrow_mut"]),
    ("BufRead", &["lines", "read_line", "read_until", "split"]),
    ("BuildHasher", &["build_hasher", "hash_one"]),
    ("FromStr", &["from_str"]),
    ("Hash", &["hash"]),
    ("Hasher", &["finish"]),
    (
        "Read",
        &[
            "bytes",
            "read",
            "read_exact",
            "read_to_end",
            "read_to_string",
        ],
    ),
    (
        "Write",
        &["flush", "write_all", "write_char", "write_fmt", "write_str"],
    ),
];

/// The functions of the traits that imports bring.
fn brought(index: &Index, names: &Names) -> BTreeMap<usize, Vec<String>> {
    let mut found = BTreeMap::new();
    for (n, node) in index.nodes.iter().enumerate() {
        if node.kind != Kind::Import {
            continue;
        }
        let path = index.import_path(n).unwrap_or_default();
        let Meaning::Items(items) = names.meaning(index, index.module(n), &path) else {
            continue;
        };
        let is_trait = |n: &usize| index.nodes[*n].sort == Sort::Trait;
        let inside = items
            .into_iter()
            .filter(is_trait)
            .flat_map(|of| index.children(of));
        let named = inside.map(|n| &index.nodes[n]);
        let named = named.filter(|node| node.kind == Kind::TraitItem);
        let mut functions: Vec<String> = named.map(|node| node.name.clone()).collect();
        if path.first().is_some_and(|first| STANDARD.contains(first)) {
            let standard = OF_STANDARD
                .iter()
                .filter(|(name, _)| path.last() == Some(name));
            functions.extend(standard.flat_map(|(_, all)| all.iter().map(|&name| name.to_owned())));
        }
        if !functions.is_empty() {
            found.insert(n, functions);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The imports that are not used any more without the items of a name.
    fn unused(text: &str, name: &str) -> Vec<String> {
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let gone = (0..index.nodes.len()).filter(|&n| {
            let node = &index.nodes[n];
            node.name == name && node.kind != Kind::Import
        });
        let gone = gone.collect();
        let imports = Imports::new(&index, &names, &Words::new(&index));
        let found = imports.unused(&index, &names, &BTreeSet::new(), &gone);
        found.iter().map(|&n| index.nodes[n].name.clone()).collect()
    }

    #[test]
    fn an_import_is_used_by_its_name_in_its_module() {
        let text = "use std::{cmp::Reverse, rc::Rc, fmt::Write}; fn f(_: Reverse<u8>) {} fn g(_: Rc<u8>) {}";
        assert_eq!(unused(text, "f"), ["Reverse"]);
        let elsewhere =
            format!("{text} mod a {{ use std::cmp::Reverse; fn h(_: Reverse<u8>) {{}} }}");
        assert_eq!(unused(&elsewhere, "f"), ["Reverse"]);
        // What had no name before may be in use.
        assert!(unused(text, "h").is_empty());
    }

    #[test]
    fn an_import_of_a_trait_is_used_by_its_methods() {
        let traits = "mod a { pub trait T { fn m(&self); fn n() {} const C: u8 = 0; }";
        let with =
            |body: &str| format!("{traits} }} use a::T; fn f(_: &impl T) {{}} fn g() {{ {body} }}");
        for body in [
            "x.m()",
            "self.m()",
            "X::n()",
            "<X as Y>::n::<u8>()",
            "x\n.m ()",
        ] {
            assert!(unused(&with(body), "f").is_empty(), "{body}");
        }
        // Neither a field nor a function of the name is one of the trait.
        for body in ["x.m", "m()", "x.o()", "y::n"] {
            assert_eq!(unused(&with(body), "f"), ["T"], "{body}");
        }
        let elsewhere =
            format!("{traits} }} use a::T; fn f(_: &impl T) {{}} mod b {{ fn g() {{ x.m() }} }}");
        assert_eq!(unused(&elsewhere, "f"), ["T"]);
        let inner = format!("{traits} }} use a::T; fn f(_: &impl T) {{}} mod b {{ use super::*; fn g() {{ x.m() }} }}");
        assert!(unused(&inner, "f").is_empty());
        let standard = "use std::io::{Read, Write}; fn f(_: impl Read + Write) {} fn g() { x.read_to_string(y) }";
        assert_eq!(unused(standard, "f"), ["Write"]);
    }

    #[test]
    fn an_import_is_used_from_outside() {
        let all = "use std::rc::Rc; fn f(_: Rc<u8>) {} mod a { use super::*; fn g(_: Rc<u8>) {} }";
        assert!(unused(all, "f").is_empty());
        let path = "mod a { pub use std::rc::Rc; fn f(_: Rc<u8>) {} } fn g(_: a::Rc<u8>) {} fn h(_: b::Rc<u8>) {}";
        assert!(unused(path, "f").is_empty());
        assert!(unused(path, "g").is_empty());
        let other = "mod a { pub use std::rc::Rc; fn f(_: Rc<u8>) {} } fn h(_: b::Rc<u8>) {}";
        assert_eq!(unused(other, "f"), ["Rc"]);
        let path =
            "mod rc { pub use std::rc::Rc; fn f(_: Rc<u8>) {} } fn h(_: ::std::rc::Rc<u8>) {}";
        assert_eq!(unused(path, "f"), ["Rc"]);
        let import =
            "mod a { pub use std::rc::Rc; fn f(_: Rc<u8>) {} } use a::Rc; fn g(_: Rc<u8>) {}";
        assert!(unused(import, "f").is_empty());
        assert_eq!(unused(import, "g"), ["Rc"]);
        let glob = "mod a { use super::*; fn f(_: T) {} } mod b { use super::*; } struct T;";
        assert_eq!(unused(glob, "f"), ["*"]);
        let same = "mod a { pub mod b { use super::*; fn f(_: T) {} } struct T; } mod c { pub mod b { pub struct U; } use self::b::U; fn g(_: U) {} }";
        assert_eq!(unused(same, "f"), ["*"]);
        let through =
            "mod a { pub use b::*; mod b { pub mod c { pub struct T; } } fn f() {} } use a::c::T;";
        assert!(unused(through, "f").is_empty());
        let named = "mod a { pub use super::*; fn f(_: T) {} } use a::T as U; struct T;";
        assert!(unused(named, "f").is_empty());
        let alias = "use ::std as core; use core::rc::Rc; fn f(_: Rc<u8>) {} fn g() {}";
        assert_eq!(unused(alias, "f"), ["Rc"]);
        assert!(unused(alias, "g").is_empty());
    }
}
