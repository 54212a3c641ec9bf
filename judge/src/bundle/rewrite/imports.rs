//! Imports and `extern crate`, as they have to be in a module.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Item, ItemExternCrate, ItemUse, UseName, UseRename, UseTree, Visibility};

use super::macros::imports_macro;
use super::{own_root, Names, KEYWORDS};
use crate::bundle::load::leading;
use crate::bundle::shake::needs;
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::is_punct;

/// Whether an `extern crate std;` at the root brings what the name means anyway, and nothing names it as a part of the root.
pub fn is_idle(item: &ItemExternCrate, items: &[Item], names: &Names) -> bool {
    let is_there = ["std", "core"].iter().any(|name| item.ident == name);
    let is_plain = item.rename.is_none() && matches!(item.vis, Visibility::Inherited);
    is_there && is_plain && names.edition > 2015 && !is_named_within(items, &item.ident)
}

/// Whether a path in some items leads to something that is called so.
fn is_named_within(items: &[Item], name: &Ident) -> bool {
    let mut items = items.iter();
    items.any(|item| is_named_in(item.to_token_stream(), name, false))
}

/// Whether a path leads to something that is called so, which is not the crate.
fn is_named_in(tokens: TokenStream, name: &Ident, in_braces: bool) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |at: Option<usize>| is_punct(at.and_then(|at| trees.get(at)), ':');
    trees.iter().enumerate().any(|(at, tree)| {
        let before = |back: usize| at.checked_sub(back);
        let is_within = is_colon(before(1)) && is_colon(before(2));
        match tree {
            TokenTree::Group(group) => is_named_in(group.stream(), name, is_within),
            TokenTree::Ident(word) if word == name => {
                let of = before(3).map(|at| trees[at].to_string());
                let begins = |of: &str| {
                    !of.ends_with(char::is_alphanumeric) || of == "use" || KEYWORDS.contains(&of)
                };
                in_braces || is_within && of.is_some_and(|of| !begins(&of))
            }
            _ => false,
        }
    })
}

/// Makes `extern crate x;` an import of the module that `x` is now, or drops it where the name means that anyway.
pub fn extern_crate(
    item: &ItemExternCrate,
    items: &[Item],
    names: &Names,
    program_root: bool,
    edits: &mut Edits,
) {
    let range = item.span().byte_range();
    let target = item.ident.to_string();
    let rename = item.rename.as_ref().map(|(_, name)| name.to_string());
    let name = rename.unwrap_or_else(|| target.clone());
    let std = match target.as_str() {
        "std" | "core" => format!("::{target}"),
        _ => "::std".to_owned(),
    };
    let own = own_root(names);
    let outside = format!("::{target}");
    let path = match target.as_str() {
        // It is the same in one file, and all modules know it by the name.
        "self" if own == "crate" => return,
        "self" => Some(&own),
        // `crate::alloc` may mean it.
        "std" | "core" | "alloc" => Some(&std),
        _ => match names.prelude.get(&target) {
            // The judge has it, and its macros are in scope everywhere.
            None if program_root && uses_macros(&item.attrs) => return,
            None if !names.own || names.leading_only => None,
            None if item.rename.is_some() => Some(&outside),
            // `crate::x` means it too.
            None if is_named_within(items, &item.ident) && program_root => return,
            None if is_named_within(items, &item.ident) => Some(&outside),
            path => path,
        },
    };
    let is_here = path.is_some_and(|path| program_root && *path == format!("crate::{name}"));
    match path {
        _ if names.leading_only && !is_here => {}
        Some(path) if !is_here => {
            let vis = match &item.vis {
                Visibility::Inherited => "",
                _ => "pub(crate)",
            };
            edits.replace(range, format!("{vis} use {path} as {name};"));
        }
        _ => edits.delete(range),
    }
}

/// Makes an import visible no further than what it imports.
pub fn visible(import: &ItemUse, names: &Names, edits: &mut Edits) {
    let mut vis = import.vis.to_token_stream().to_string();
    let public = matches!(import.vis, Visibility::Public(_));
    if public && goes_too_far(import, names) {
        vis = "pub(crate)".to_owned();
        edits.replace(import.vis.span().byte_range(), &vis);
    }
    // Its root was as far as `pub(crate)` went, and what is imported may go no further. What `load` wrote for exported
    // macros is meant for the whole file; the others it has as `pub(in crate)`.
    let crate_wide = !public && ["pub (crate)", "pub (in crate)"].contains(&vis.as_str());
    let is_inside = !names.own || !names.module.is_empty();
    let is_exported = || vis != "pub (in crate)" && imports_macro(&import.tree, &names.defined);
    if crate_wide && is_inside && !is_exported() {
        vis = format!("pub(in {})", own_root(names));
        edits.replace(import.vis.span().byte_range(), &vis);
    }
    if (!names.own || names.edition == 2015) && !names.leading_only {
        split(import, &vis, names.edition, edits);
    }
}

/// Whether a public import is of what is seen in the file alone: the module of a crate cannot be exported further than it is visible, nor can
/// what it exports.
fn goes_too_far(import: &ItemUse, names: &Names) -> bool {
    let is_macro = || imports_macro(&import.tree, &names.defined);
    let passes_on = || brought(&import.tree, names).any(|(_, is_passed_on)| is_passed_on);
    !names.leading_only && (!names.own || is_macro() || passes_on())
}

/// The public imports in bodies, which may have modules.
pub struct InBodies<'a> {
    pub names: &'a Names,
    pub edits: &'a mut Edits,
}

impl<'ast> Visit<'ast> for InBodies<'_> {
    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let public = matches!(import.vis, Visibility::Public(_));
        if public && goes_too_far(import, self.names) {
            let range = import.vis.span().byte_range();
            self.edits.replace(range, "pub(crate)");
        }
    }
}

/// Whether the macros of a crate, or of a module, are in scope without a path.
pub fn uses_macros(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("macro_use"))
}

/// Whether an item imports a macro from the root of the crate that has a path, by its name or with all; or another one under that name,
/// which comes before it.
pub fn brings_macro(item: &Item, name: &str, path: &str, names: &Names) -> bool {
    let Item::Use(import) = item else {
        return false;
    };
    let is_root = |first: &String| names.prelude.get(first).is_some_and(|root| root == path);
    let is_other = |first: &String, last: &String, called: &String| {
        called == name && names.imported.contains(&(first.clone(), last.clone()))
    };
    source::leaves(import).iter().any(|(from, called)| {
        let from = from.strip_prefix(&[String::new()]).unwrap_or(from);
        let is_it = called == name || called == "*";
        matches!(from, [first, last] if is_root(first) && is_it && last == called || is_other(first, last, called))
    })
}

/// The macros of a crate that are in scope without a path, where `#[macro_use(a, b)]` lists them.
pub fn listed_macros(attrs: &[Attribute]) -> Option<BTreeSet<String>> {
    let all = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("macro_use"));
    let lists = all.map(|attr| Some(attr.meta.require_list().ok()?.tokens.to_string()));
    let lists: Option<Vec<String>> = lists.collect();
    Some(lists?.iter().flat_map(|list| needs::words(list)).collect())
}

/// Makes `use {a, b};` one `use` for each: a path of the standard library comes to begin with `::`, which the compiler allows in braces, but
/// `syn` does not.
pub fn split(import: &ItemUse, vis: &str, edition: u16, edits: &mut Edits) {
    let UseTree::Group(group) = &import.tree else {
        return;
    };
    // In edition 2015 these lead from the root as all paths of imports do.
    let leading = import
        .leading_colon
        .map(|colons| colons.span().byte_range());
    let leads_out = leading.is_some() && edition != 2015;
    if group.items.is_empty() || leads_out {
        return;
    }
    if let Some(colons) = leading {
        edits.delete(colons);
    }
    leading::part(group, &import.attrs, &format!("{vis} use "), edits);
}

/// The macro that a module may have been made for.
pub fn of_macro(module: &str) -> Option<&str> {
    module.trim_end_matches('_').strip_suffix("_macro")
}

/// All names of a module, among those that imports bring.
const ALL: &str = "*";

/// Finds the names that imports pass on from other crates, on whatever way through the own modules.
pub fn find_passed_on(items: &[Item], names: &mut Names) {
    fn public<'i>(items: &'i [Item], found: &mut Vec<&'i UseTree>) {
        for item in items {
            match item {
                Item::Use(import) if matches!(import.vis, Visibility::Public(_)) => {
                    found.push(&import.tree);
                }
                Item::Mod(inner) => {
                    let content = inner.content.iter();
                    content.for_each(|(_, items)| public(items, found));
                }
                _ => {}
            }
        }
    }
    let mut imports = Vec::new();
    public(items, &mut imports);
    loop {
        // One import that is seen less far makes all of its statement so.
        let are_passed_on = |tree: &&UseTree| {
            imports_macro(tree, &names.defined) || brought(tree, names).any(|(_, is)| is)
        };
        let found = imports.iter().copied().filter(are_passed_on);
        let found = found.flat_map(|tree| brought(tree, names).map(|(name, _)| name));
        let found: BTreeSet<String> = found.collect();
        if found.is_subset(&names.passed_on) {
            return;
        }
        names.passed_on.extend(found);
    }
}

/// What the path of an import leads through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// Nothing but `crate`, `self` and `super`.
    Keywords,
    Module,
    Crate,
}

/// The names that a `use` brings, each with whether they come from another crate, or from an import that passes on what does.
pub fn brought(tree: &UseTree, names: &Names) -> impl Iterator<Item = (String, bool)> {
    fn add(tree: &UseTree, names: &Names, from: Through, found: &mut Vec<(String, bool)>) {
        // `crate::name` is another crate where the root has `extern crate name`, and so is what an import brought one as.
        let is_crate = |name: &Ident| {
            let name = name.to_string();
            // Any name may be one of all those that an import brings.
            let may_be = |name: &str| names.passed_on.contains(name);
            names.prelude.contains_key(&name) || may_be(&name) || may_be(ALL)
        };
        // `crate as root`, which is a module of the file now; so may `super` be.
        let is_keyword = |name: &Ident| ["crate", "self", "super"].iter().any(|word| name == word);
        let mut leaf = |name: &Ident, new: &Ident| {
            let is_root = from == Through::Keywords && is_keyword(name);
            let is_of_crate = from == Through::Crate || is_crate(name);
            found.push((new.to_string(), is_of_crate || is_root));
        };
        match tree {
            UseTree::Path(path) => {
                let from = match from {
                    Through::Keywords if is_keyword(&path.ident) => from,
                    _ if from == Through::Crate || is_crate(&path.ident) => Through::Crate,
                    _ => Through::Module,
                };
                add(&path.tree, names, from, found);
            }
            UseTree::Name(UseName { ident }) => leaf(ident, ident),
            UseTree::Rename(UseRename { ident, rename, .. }) => leaf(ident, rename),
            UseTree::Group(group) => {
                let inside = group.items.iter();
                inside.for_each(|tree| add(tree, names, from, found));
            }
            UseTree::Glob(_) => {
                found.extend((from == Through::Crate).then(|| (ALL.to_owned(), true)));
            }
        }
    }
    let mut found = Vec::new();
    add(tree, names, Through::Keywords, &mut found);
    found.into_iter()
}
