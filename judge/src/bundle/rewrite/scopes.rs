//! The modules of a crate, and what names mean in them as far as imports tell.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, ItemUse, UseTree, Visibility};

use super::declared::declare;
use super::Namesakes;

/// The modules of a crate, by their paths.
#[derive(Default)]
pub struct Modules(pub BTreeMap<Vec<String>, Scope>);

/// What a module declares.
#[derive(Default)]
pub struct Scope {
    /// Names of types and modules, each with the module in which it can be seen.
    pub names: BTreeMap<String, Vec<String>>,
    /// Those that are no imports, and those that anybody sees.
    pub own: BTreeSet<String>,
    pub public: BTreeSet<String>,
    /// What the imported ones are.
    pub imports: BTreeMap<String, Vec<String>>,
    /// The paths before `::*`, with the module in which what comes by it can be seen.
    pub globs: Vec<(Vec<String>, Vec<String>)>,
}

/// How many imports a path is followed through.
pub const DEPTH: usize = 4;

impl Modules {
    /// Reads the items of a crate.
    pub fn of(items: &[Item], edition: u16, namesakes: &Namesakes) -> Self {
        let mut modules = Self::default();
        modules.add(items, &[], edition, namesakes);
        modules
    }

    fn add(&mut self, items: &[Item], path: &[String], edition: u16, namesakes: &Namesakes) {
        let mut scope = Scope::default();
        for item in items {
            let mut names = BTreeSet::new();
            declare(item, namesakes, &mut names);
            let vis = item_visibility(item);
            let seen = vis.map_or(Vec::new(), |vis| seen_in(vis, path));
            if matches!(vis, Some(Visibility::Public(_))) {
                scope.public.extend(names.iter().cloned());
            }
            if !matches!(item, Item::Use(_)) {
                scope.own.extend(names.iter().cloned());
            }
            scope
                .names
                .extend(names.into_iter().map(|name| (name, seen.clone())));
            match item {
                Item::Mod(inner) => {
                    let items = inner.content.as_ref().map_or(&[][..], |(_, items)| items);
                    self.add(items, &below(path, &inner.ident), edition, namesakes);
                }
                Item::Use(import) => scope.import(import, path, edition),
                _ => {}
            }
        }
        self.0.insert(path.to_vec(), scope);
    }

    /// The names that globs bring into a module.
    pub fn brought(&self, path: &[String]) -> BTreeSet<String> {
        let scope = self.0.get(path);
        scope.map_or_else(BTreeSet::new, |scope| self.through(scope, path))
    }

    /// The `std` that a glob brings into a module: a crate without the standard library has no other, and in the file it has, and nothing says
    /// which of the two is meant.
    pub fn std_by_glob(&self, path: &[String], depth: usize) -> Option<Vec<String>> {
        let (scope, depth) = (self.0.get(path)?, depth.checked_sub(1)?);
        let mut globs = scope.globs.iter();
        globs.find_map(|(glob, _)| {
            let from = self.follow(path, glob, depth)?;
            match self.0.get(&from)?.names.contains_key("std") {
                true => Some(below(&from, "std")),
                false => self.std_by_glob(&from, depth),
            }
        })
    }

    /// The names that the globs of a scope in a module bring.
    pub fn through(&self, scope: &Scope, viewer: &[String]) -> BTreeSet<String> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let globs = |scope: &Scope, from: &[String]| -> Vec<Vec<String>> {
            let seen = scope
                .globs
                .iter()
                .filter(|(_, seen)| viewer.starts_with(seen));
            seen.filter_map(|(glob, _)| self.follow(from, glob, DEPTH))
                .collect()
        };
        let mut next = globs(scope, viewer);
        while let Some(path) = next.pop() {
            let Some(scope) = self.0.get(&path) else {
                continue;
            };
            if seen.insert(path.clone()) {
                let visible = scope
                    .names
                    .iter()
                    .filter(|(_, seen)| viewer.starts_with(seen));
                found.extend(visible.map(|(name, _)| name.clone()));
                next.extend(globs(scope, &path));
            }
        }
        found
    }

    /// The module of this crate that a path in a module means.
    pub fn follow(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        let mut here = from.to_vec();
        for name in path {
            match name.as_str() {
                "crate" => here.clear(),
                "self" => {}
                "super" => drop(here.pop()?),
                _ => here = self.child(&here, name, depth)?,
            }
        }
        Some(here)
    }

    /// Whether a name of a module is one of a type or a module, for those outside of it or inside.
    pub fn is_type(&self, module: &[String], name: &str, outside: bool, depth: usize) -> bool {
        let (Some(scope), Some(depth)) = (self.0.get(module), depth.checked_sub(1)) else {
            return false;
        };
        if scope.names.contains_key(name) && (!outside || scope.public.contains(name)) {
            let leads = |path: &Vec<String>| {
                let (last, before) = path.split_last()?;
                let from = self.follow(module, before, depth)?;
                Some(self.is_type(&from, last, false, depth))
            };
            return scope.own.contains(name)
                || scope.imports.get(name).and_then(leads).unwrap_or(false);
        }
        let mut globs = scope.globs.iter();
        globs.any(|(glob, seen)| {
            let is_seen = !outside || seen.is_empty();
            let from = self.follow(module, glob, depth).filter(|_| is_seen);
            from.is_some_and(|from| self.is_type(&from, name, true, depth))
        })
    }

    /// Whether a module imports all names of the root.
    pub fn is_root_imported(&self) -> bool {
        let mut scopes = self.0.iter();
        scopes.any(|(path, scope)| {
            let mut globs = scope.globs.iter();
            globs.any(|(glob, _)| {
                self.follow(path, glob, DEPTH)
                    .is_some_and(|to| to.is_empty())
            })
        })
    }

    fn child(&self, module: &[String], name: &str, depth: usize) -> Option<Vec<String>> {
        let inner = below(module, name);
        if self.0.contains_key(&inner) {
            return Some(inner);
        }
        let depth = depth.checked_sub(1)?;
        let scope = self.0.get(module)?;
        if let Some(path) = scope.imports.get(name) {
            return self.follow(module, path, depth);
        }
        let mut globs = scope.globs.iter();
        globs.find_map(|(glob, _)| {
            let target = self.follow(module, glob, depth)?;
            self.child(&target, name, depth)
        })
    }
}

impl Scope {
    /// Adds what an import brings.
    pub fn import(&mut self, import: &ItemUse, path: &[String], edition: u16) {
        let before = match (edition, import.leading_colon) {
            (2015, _) => vec!["crate".to_owned()],
            (_, Some(_)) => return,
            _ => Vec::new(),
        };
        self.tree(&import.tree, &before, &seen_in(&import.vis, path));
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], seen: &[String]) {
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &below(before, &path.ident), seen),
            UseTree::Name(leaf) => {
                let path = below(before, &leaf.ident);
                let name = path.iter().rev().find(|name| *name != "self");
                if let Some(name) = name.cloned() {
                    self.imports.insert(name, path);
                }
            }
            UseTree::Rename(leaf) => {
                let path = below(before, &leaf.ident);
                self.imports.insert(leaf.rename.to_string(), path);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, before, seen);
                }
            }
            UseTree::Glob(_) => self.globs.push((before.to_vec(), seen.to_vec())),
        }
    }
}

/// The path to a name in a module.
pub fn below(path: &[String], name: impl ToString) -> Vec<String> {
    let mut path = path.to_vec();
    path.push(name.to_string());
    path
}

/// The module in which something can be seen that a module declares.
fn seen_in(vis: &Visibility, path: &[String]) -> Vec<String> {
    let Visibility::Restricted(vis) = vis else {
        let public = matches!(vis, Visibility::Public(_));
        return if public { Vec::new() } else { path.to_vec() };
    };
    // Other paths lead from the root: they are of edition 2015.
    let is_word = |first: &syn::PathSegment| {
        ["crate", "self", "super"]
            .iter()
            .any(|word| first.ident == word)
    };
    let mut seen = match vis.path.segments.first().is_some_and(is_word) {
        true => path.to_vec(),
        false => Vec::new(),
    };
    for segment in &vis.path.segments {
        match segment.ident.to_string().as_str() {
            "crate" => seen.clear(),
            "self" => {}
            "super" => drop(seen.pop()),
            name => seen.push(name.to_owned()),
        }
    }
    seen
}

fn item_visibility(item: &Item) -> Option<&Visibility> {
    match item {
        Item::Enum(i) => Some(&i.vis),
        Item::Mod(i) => Some(&i.vis),
        Item::Struct(i) => Some(&i.vis),
        Item::Trait(i) => Some(&i.vis),
        Item::Type(i) => Some(&i.vis),
        Item::Union(i) => Some(&i.vis),
        Item::Use(i) => Some(&i.vis),
        _ => None,
    }
}
