//! Imports that nothing names any more.
//!
//! The compiler would tell, but only a round later, when what named them is gone. Here it is told by words, so this is a guess: the import of
//! a trait may be in use without its name.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::Names;
use super::index::{Index, Kind};

/// Where the names of imports occur.
pub struct Imports {
    uses: BTreeMap<String, Vec<Use>>,
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

impl Imports {
    pub fn new(index: &Index, names: &Names) -> Self {
        let mut uses: BTreeMap<String, Vec<Use>> = index
            .nodes
            .iter()
            .filter(|node| node.kind == Kind::Import)
            .map(|node| (node.name.clone(), Vec::new()))
            .collect();
        // Each node stands behind the one that it is in.
        let mut next = 0;
        let mut around: Vec<usize> = Vec::new();
        let mut qualifier: Option<(usize, &str)> = None;
        for (at, word) in words(index.text()) {
            while index.nodes.get(next).is_some_and(|n| n.range.start <= at) {
                if index.nodes[next].kind != Kind::Import {
                    around.push(next);
                }
                next += 1;
            }
            while around
                .last()
                .is_some_and(|&n| index.nodes[n].range.end <= at)
            {
                around.pop();
            }
            let before = index.text_at(&(0..at)).trim_end();
            let is_member = before.ends_with('.') && !before.ends_with("..");
            let path = qualifier.filter(|(end, _)| index.text_at(&(*end..at)).trim() == "::");
            let is_use = !is_member && !index.is_in_import(at);
            if let Some(uses) = uses.get_mut(word).filter(|_| is_use) {
                uses.push(Use {
                    node: around.last().copied(),
                    qualifier: path.map(|(_, word)| word.to_owned()),
                });
            }
            qualifier = Some((at + word.len(), word));
        }
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n).unwrap_or_default();
                let mut qualifier = None;
                for name in path.iter().take(path.len().saturating_sub(1)) {
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
        Self { uses, audience }
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
        // In a function it is seen there alone, which is a matter of a few lines; of all names nobody knows.
        if node.parent != module || node.name == "*" {
            return true;
        }
        let audience = self.audience(index, module, gone);
        let is_use = |found: &Use| {
            let is_module = |n: &usize| index.nodes[*n].kind == Kind::Module;
            let inner = found.node.filter(is_module);
            let at = inner.or_else(|| index.module(found.node?));
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
        }) || names.importing(module, &node.name).any(live)
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

/// The words of a text, those of comments and strings too.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find(is_word)?;
        let start = at;
        let rest = &text[start..];
        at += rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        Some((start, &text[start..at]))
    })
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
        let imports = Imports::new(&index, &names);
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
        // A trait's methods are called without it, so what had no name before may be in use.
        assert!(unused(text, "h").is_empty());
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
        let import =
            "mod a { pub use std::rc::Rc; fn f(_: Rc<u8>) {} } use a::Rc; fn g(_: Rc<u8>) {}";
        assert!(unused(import, "f").is_empty());
        assert_eq!(unused(import, "g"), ["Rc"]);
        let alias = "use ::std as core; use core::rc::Rc; fn f(_: Rc<u8>) {} fn g() {}";
        assert_eq!(unused(alias, "f"), ["Rc"]);
        assert!(unused(alias, "g").is_empty());
    }
}
