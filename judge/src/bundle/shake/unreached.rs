//! What no code names that is used, and what this machine leaves out of the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::Shaker;
use crate::bundle::text::index::{Kind, Sort};

impl Shaker<'_> {
    /// Of what this machine leaves out, what is in something that no code names is no concern. What is in the rest may name more.
    pub fn without_unreached(&mut self) {
        self.without_unreached_but(&BTreeSet::new());
    }

    /// The same with what it leaves out of some modules no concern at all.
    pub fn without_unreached_but(&mut self, modules: &BTreeSet<usize>) {
        self.left_out.only(&|_| false);
        loop {
            let gone = self.unnamed(&self.gone, &BTreeSet::new());
            let index = &self.index;
            let left = (0..index.nodes.len()).filter(|&n| !index.is_in(n, &gone));
            // A module of imports alone has nothing to need them.
            let mut full = BTreeSet::new();
            for n in left.filter(|&n| !index.nodes[n].is_name()) {
                let mut module = index.module(n);
                while let Some(next) = module.filter(|&n| full.insert(n)) {
                    module = index.module(next);
                }
            }
            let is_left = |node: Option<usize>| match node {
                Some(n) if index.is_in(n, modules) => false,
                Some(n) if index.nodes[n].is_name() => {
                    let module = index.module_around(n);
                    module.map_or(true, |module| full.contains(&module))
                }
                node => !node.is_some_and(|n| index.is_in(n, &gone)),
            };
            if !self.left_out.only(&is_left) {
                return;
            }
        }
    }

    /// What no used code names, with what is out already.
    pub fn unnamed(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = self.unnamed_items(gone, kept);
        loop {
            let crates = self.unnamed_crates(&all, kept);
            if crates.is_empty() {
                return all;
            }
            all.extend(crates);
            all = self.unnamed_items(&all, kept);
        }
    }

    /// The crates that nobody else names: there may be something left in them that is called like what others have.
    fn unnamed_crates(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> Vec<usize> {
        let (index, words) = (&self.index, self.things.words());
        let of = |n: usize| match index.module_around(n) {
            Some(module) => index.outermost(module).or(Some(module)),
            None => None,
        };
        let stay = kept.iter().chain(&self.in_tables).filter_map(|&n| of(n));
        let stay: BTreeSet<usize> = stay.collect();
        let is_gone = index.all_in(gone);
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for (n, node) in index.nodes.iter().enumerate() {
            let is_crate = node.kind == Kind::Module && node.parent.is_none();
            if is_crate && !is_gone[n] && !stay.contains(&n) && self.index.is_silent(n) {
                found.insert(&node.name, n);
            }
        }
        let ids = found.keys().map(|name| (words.find(name), *name));
        let ids: Vec<_> = ids.collect();
        let mut named = |name: &str, by: Option<usize>| {
            let is_it = found
                .get(name)
                .is_some_and(|&n| by.map_or(true, |by| of(by) != Some(n) && !is_gone[by]));
            if is_it {
                found.remove(name);
            }
        };
        for word in &words.list {
            if let Some((_, name)) = ids.iter().find(|(id, _)| *id == Some(word.id)) {
                named(name, word.node);
            }
        }
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n).unwrap_or_default();
                path.into_iter().for_each(|name| named(name, Some(n)));
            }
        }
        found.into_values().collect()
    }

    /// The same but for whole crates.
    fn unnamed_items(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let stays = |n: usize| self.is_for_others(n) || self.in_tables.contains(&n);
        let (index, names) = (&self.index, &self.names);
        let is_gone = index.all_in(gone);
        let hidden = self.hidden.iter().filter(|&&n| !is_gone[n]);
        let kept: &BTreeSet<usize> = &kept.iter().chain(hidden).copied().collect();
        let found = self.things.unnamed(index, names, gone, kept, &stays);
        if self.things.misses_numbers.get() {
            self.effort.is_unchecked.set(true);
        }
        let mut all = gone.clone();
        all.extend(
            found
                .into_iter()
                .filter(|n| !stays(*n) && !kept.contains(n)),
        );
        // Nobody tells that an import is unused where this machine does not look. What it passes on may be in use.
        let is_needed = |n: usize| !index.nodes[n].is_name() || self.is_passed_on(n);
        let is_out = index.all_in(&all);
        let mut has_needed = vec![false; index.nodes.len()];
        // What is inside stands behind.
        for (n, node) in index.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                has_needed[parent] |= has_needed[n] || !is_out[n] && is_needed(n);
            }
        }
        let is_empty = |module: &usize| !has_needed[*module];
        let is_module = |n: &usize| index.nodes[*n].kind == Kind::Module && !kept.contains(n);
        let blind = self.left_out.nodes().filter(is_module);
        let empty: Vec<usize> = blind.filter(is_empty).collect();
        all.extend(empty);
        self.names.with_followers(&self.index, all, kept)
    }

    /// Whether code that this machine leaves out may need a node: by its name, or one of the items of a trait.
    pub fn is_for_others(&self, n: usize) -> bool {
        let node = &self.index.nodes[n];
        let is_needed = |n: usize| self.left_out.may_need(&self.index.nodes[n].name);
        is_needed(n) || node.sort == Sort::Trait && self.index.children(n).any(is_needed)
    }

    /// Whether an import is public.
    fn is_passed_on(&self, n: usize) -> bool {
        let place = &self.index.nodes[n].range;
        let start = self.index.import_start(place.start);
        let before = start.unwrap_or(place.start)..place.start;
        self.index.text_at(&before).contains("pub")
    }

    /// The imports of all names of a module that code needs which this machine leaves out, as far as anybody knows.
    pub fn bring_to_others(&self) -> BTreeSet<usize> {
        let index = &self.index;
        let blind: BTreeSet<Option<usize>> = self
            .left_out
            .in_need()
            .map(|node| node.and_then(|n| index.module_around(n)))
            .collect();
        if blind.is_empty() {
            return BTreeSet::new();
        }
        let is_wanted = |n: &usize| {
            let name = &index.nodes[*n].name;
            self.left_out.may_need(name) && !index.is_in(*n, &self.gone)
        };
        let wanted: Vec<usize> = (0..index.nodes.len()).filter(is_wanted).collect();
        let modules: BTreeMap<usize, Option<usize>> = self.names.globs().collect();
        let brings = |n: &usize| {
            let has = |module| {
                let module = BTreeSet::from([module]);
                wanted.iter().any(|&n| index.is_in(n, &module))
            };
            let passes_on =
                |module: &Option<usize>| self.is_passed_on(*n) && module.map_or(true, has);
            blind.contains(&index.module(*n)) || modules.get(n).is_some_and(passes_on)
        };
        let imports = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Import);
        let globs = imports.filter(|&n| index.nodes[n].name == "*" && !index.is_in(n, &self.gone));
        globs.filter(brings).collect()
    }
}
