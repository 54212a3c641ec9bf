//! What a crate declares and imports that is called like a crate.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Item, ItemUse, UseTree};

use super::imports::of_macro;
use super::scopes::{below, Modules, DEPTH};
use super::{colons, is_std, Namesakes};
use crate::bundle::text::source;

/// Which names a program has at its root, or brings somewhere by a glob: a module for a crate there would be a second thing of that name.
pub fn taken(text: &str, namesakes: &Namesakes) -> syn::Result<BTreeSet<String>> {
    let file = source::parsed(text)?;
    let modules = Modules::of(&file.items, 2021, namesakes);
    let mut taken = BTreeSet::new();
    for item in &file.items {
        declare(item, namesakes, &mut taken);
        if let Item::ExternCrate(item) = item {
            taken.extend(item.rename.iter().map(|(_, name)| name.to_string()));
        }
    }
    for path in modules.0.keys() {
        taken.extend(modules.brought(path));
    }
    Ok(taken)
}

/// The paths that a text imports all names of.
pub fn imported_whole(text: &str) -> BTreeSet<Vec<String>> {
    let Ok(file) = source::parsed(text) else {
        return BTreeSet::new();
    };
    let mut found = Globs::default();
    found.visit_file(&file);
    found.0
}

#[derive(Default)]
struct Globs(BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Globs {
    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        fn add(tree: &UseTree, before: &[String], found: &mut BTreeSet<Vec<String>>) {
            match tree {
                UseTree::Path(path) => add(&path.tree, &below(before, &path.ident), found),
                UseTree::Group(group) => {
                    for tree in &group.items {
                        add(tree, before, found);
                    }
                }
                UseTree::Glob(_) => found.extend((!before.is_empty()).then(|| before.to_vec())),
                UseTree::Name(_) | UseTree::Rename(_) => {}
            }
        }
        add(&import.tree, &[], &mut self.0);
    }
}

/// The paths that a text imports something by, each with what it is called there, but for what is called what it is.
pub fn imported_from(text: &str) -> BTreeSet<(Vec<String>, String)> {
    let mut found = Paths::default();
    if let Ok(file) = source::parsed(text) {
        found.visit_file(&file);
    }
    found.0
}

/// The names of crates and of what a text imports from their roots under one of some names.
pub fn imported_as(text: &str, names: &BTreeMap<String, String>) -> BTreeSet<(String, String)> {
    struct Imports<'n>(&'n BTreeMap<String, String>, BTreeSet<(String, String)>);
    impl<'ast> Visit<'ast> for Imports<'_> {
        fn visit_item_use(&mut self, import: &'ast ItemUse) {
            for (mut path, called) in source::leaves(import) {
                path.retain(|name| !name.is_empty());
                if let (Ok([of, name]), true) =
                    (<[String; 2]>::try_from(path), self.0.contains_key(&called))
                {
                    self.1.insert((of, name));
                }
            }
        }
    }
    let mut found = Imports(names, BTreeSet::new());
    if let (Ok(file), false) = (source::parsed(text), names.is_empty()) {
        found.visit_file(&file);
    }
    found.1
}

/// Paths of imports from modules, with what each brings.
#[derive(Default)]
pub struct Paths(pub BTreeSet<(Vec<String>, String)>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        for (mut path, called) in source::leaves(import) {
            path.retain(|name| !name.is_empty());
            let is_plain = path.len() == 1 && path[0] == called;
            if called != "*" && !is_plain {
                self.0.insert((path, called));
            }
        }
    }
}

/// Which of some names modules or types have in a module of a crate.
pub fn types<'n>(
    text: &str,
    module: &[String],
    names: impl IntoIterator<Item = &'n str>,
    edition: u16,
) -> BTreeSet<String> {
    let Ok(file) = source::parsed(text) else {
        return BTreeSet::new();
    };
    let modules = Modules::of(&file.items, edition, &Namesakes::default());
    let Some(module) = modules.follow(&[], module, DEPTH) else {
        return BTreeSet::new();
    };
    let names = names.into_iter();
    let types = names.filter(|name| modules.is_type(&module, name, true, DEPTH));
    types.map(str::to_owned).collect()
}

/// The names that an item declares where crates have theirs.
pub fn declare(item: &Item, namesakes: &Namesakes, declared: &mut BTreeSet<String>) {
    match item {
        Item::Enum(i) => declared.insert(i.ident.to_string()),
        Item::Mod(i) => declared.insert(i.ident.to_string()),
        Item::Struct(i) => declared.insert(i.ident.to_string()),
        Item::Trait(i) => declared.insert(i.ident.to_string()),
        Item::Type(i) => declared.insert(i.ident.to_string()),
        Item::Union(i) => declared.insert(i.ident.to_string()),
        Item::Use(i) => {
            declare_use(&i.tree, &[], namesakes, declared);
            true
        }
        Item::Macro(i) => {
            let name = i.mac.path.segments.last();
            let name = name.map_or(String::new(), |of| of.ident.to_string());
            if namesakes.making.contains(&name) {
                bare_words(i.mac.tokens.clone(), declared);
            }
            true
        }
        _ => false,
    };
}

/// The words among tokens that no path goes on behind and that call no macro.
fn bare_words(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_called = |group: usize| {
        matches!(trees.get(group), Some(TokenTree::Group(_))) && source::is_macro(&trees, group)
    };
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(word) if !colons(&trees, at + 1) && !is_called(at + 2) => {
                found.insert(word.to_string());
            }
            TokenTree::Group(group) => bare_words(group.stream(), found),
            _ => {}
        }
    }
}

/// The names that an import declares, behind some of its path.
pub fn declare_use(
    tree: &UseTree,
    before: &[String],
    namesakes: &Namesakes,
    declared: &mut BTreeSet<String>,
) {
    match tree {
        UseTree::Path(path) => {
            let inner = match &*path.tree {
                UseTree::Group(group) => group.items.iter().collect(),
                tree => vec![tree],
            };
            for tree in inner {
                match tree {
                    // `use name::{self, …}` declares the crate under its own name.
                    UseTree::Name(name) if name.ident == "self" => {
                        if !before.is_empty() {
                            declared.insert(path.ident.to_string());
                        }
                    }
                    tree => {
                        declare_use(tree, &below(before, &path.ident), namesakes, declared);
                    }
                }
            }
        }
        UseTree::Name(leaf) => {
            let name = leaf.ident.to_string();
            // `use name::name` means a macro or a function of the crate nearly always, which hides no crate.
            let hides = match before {
                [] => false,
                [first] if *first == name => namesakes.modules.contains(&name),
                [.., module] if of_macro(module) == Some(name.as_str()) => false,
                // A function.
                [first, module] if name == "alloc" && module == "alloc" && is_std(first) => false,
                before => {
                    let value = (below(before, &name), name.clone());
                    !namesakes.values.contains(&value)
                }
            };
            if hides {
                declared.insert(name);
            }
        }
        UseTree::Rename(leaf) => {
            let value = (below(before, &leaf.ident), leaf.rename.to_string());
            if !namesakes.values.contains(&value) {
                declared.insert(value.1);
            }
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                declare_use(tree, before, namesakes, declared);
            }
        }
        // Among all names of such a crate is its own.
        UseTree::Glob(_) => {
            if let [name] = before {
                declared.extend(namesakes.modules.get(name).cloned());
            }
            declared.extend(namesakes.brought.get(before).into_iter().flatten().cloned());
        }
    }
}
