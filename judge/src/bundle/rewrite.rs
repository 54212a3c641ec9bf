//! Paths of a crate that becomes a module: `crate::x` is `crate::name::x`, and `other::x` is `crate::other::x`.
//!
//! The pass works on tokens, so that it reaches into macros as well, and edits the text by byte range.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Attribute, Item, ItemExternCrate, ItemMacro, ItemMod, ItemUse, UseName, UseRename, UseTree,
    Visibility,
};

use super::load::leading;
use super::shake::needs;
use super::text::source::{self, Edits};
use super::text::tokens::{is_block, is_ident, is_punct};

pub(super) mod foreign;
pub(super) mod namesakes;
pub(super) mod no_std;

/// How the names of one crate are to be read.
pub struct Names {
    /// The module it becomes; empty for the program.
    pub module: String,
    pub edition: u16,
    /// The user's own code, which is changed as little as possible.
    pub own: bool,
    /// What a name of the extern prelude becomes: `crate::rand_core`, `::std`.
    pub prelude: BTreeMap<String, String>,
    /// What is called like the crates that it names.
    pub namesakes: Namesakes,
    /// Only paths that start with `::` name crates.
    pub leading_only: bool,
    /// The macros that the crate defines: `use name;` of one is what `load` wrote to pass it on.
    pub defined: BTreeSet<String>,
    /// Names that the crate's own imports have from other crates, whose roots have most of them from modules and may not pass them on further
    /// than they themselves are seen.
    pub passed_on: BTreeSet<String>,
    /// The crates that those of the program name, which mean what is so called where they are called.
    pub in_bodies: BTreeSet<String>,
    /// The program's macros, for a crate that comes after them in the file.
    pub before: Before,
    /// Names the macros of a `#[macro_use] extern crate` go by, with the path to each.
    pub macros: BTreeMap<String, String>,
    /// Of the crate's own macros and of those, which of those they call.
    pub calling: BTreeMap<String, BTreeSet<String>>,
}

/// What crates have that is called like a crate.
#[derive(Default)]
pub struct Namesakes {
    /// Crates that have a module or a type with their own name: `use name::name` hides these, and no others.
    pub modules: BTreeSet<String>,
    /// What modules have that is a macro or a value and is imported under the name of a crate, by the path to it, with that name: `use
    /// first::name` hides no crate.
    pub values: BTreeSet<(Vec<String>, String)>,
    /// By the path before `::*`, what it brings from a crate with the names of others: `use first::*` hides these.
    pub brought: BTreeMap<Vec<String>, BTreeSet<String>>,
    /// Macros that make modules or types with names that they are called with.
    pub making: BTreeSet<String>,
    /// Macros that put what they are called with into a module: there nothing is in scope that is in scope where they are called.
    pub enclosing: BTreeSet<String>,
    /// Macros that go on from a name that they are called with, as in `$name::f()`: it may be that of a crate.
    pub leading: BTreeSet<String>,
}

/// What stands before a crate in the file and is in scope there.
#[derive(Clone, Default)]
pub struct Before {
    /// Macros called like those of the standard library.
    hiding: BTreeSet<String>,
    /// All macros: an import of another one that is so called does not hide one of these.
    macros: BTreeSet<String>,
    /// All words: what a macro that is called there names is what is so called there.
    words: BTreeSet<String>,
}

impl Before {
    pub fn of(texts: impl Iterator<Item = String>) -> Self {
        let mut found = Self::default();
        for text in texts {
            found.hide(&text);
            found.words.extend(source::words(&text).map(str::to_owned));
        }
        found
    }

    /// Adds the macros of a text that are called like those of the standard library.
    pub fn hide(&mut self, text: &str) {
        self.hiding
            .extend(defined(text).filter(|name| is_standard(name)));
        self.macros.extend(defined(text));
    }
}

/// The macros that are in scope everywhere.
const STANDARD: &str = "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint \
    eprintln file format format_args include include_bytes include_str is_x86_feature_detected line matches module_path \
    option_env panic print println stringify thread_local todo try unimplemented unreachable vec write writeln";

/// Whether a macro is called like one of those.
pub fn is_standard(name: &str) -> bool {
    STANDARD.split(' ').any(|other| other == name)
}

const KEYWORDS: [&str; 24] = [
    "as", "await", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "loop",
    "match", "move", "mut", "pub", "ref", "return", "static", "type", "unsafe", "where", "while",
    "yield",
];

/// Rewrites the paths in the whole text of a crate.
pub fn rewrite(text: &str, names: &mut Names) -> syn::Result<String> {
    let file = source::parsed(text)?;
    names.defined = defined(text).collect();
    for item in &file.items {
        if let Item::ExternCrate(item) = item {
            let target = item.ident.to_string();
            let alias = item.rename.as_ref().map(|(_, name)| name.to_string());
            let path = match target.as_str() {
                // It stays what it is.
                "self" if names.module.is_empty() => continue,
                "self" => own_root(names),
                "std" | "core" if alias.is_none() => continue,
                "std" | "core" => format!("::{target}"),
                // All that `alloc` has is in `std` too, and needs no `extern crate` there.
                "alloc" => "::std".to_owned(),
                _ => match (names.prelude.get(&target), &alias) {
                    (Some(path), _) => path.clone(),
                    // The judge has it.
                    (None, Some(_)) if names.own && !names.leading_only => format!("::{target}"),
                    (None, _) => continue,
                },
            };
            names.prelude.insert(alias.unwrap_or(target), path);
        }
    }
    if names.own && names.module.is_empty() {
        names.in_bodies = in_bodies(file.to_token_stream(), &names.prelude);
    }
    if names.own && !names.leading_only {
        find_passed_on(&file.items, names);
    }
    let mut edits = Edits::default();
    let modules = Modules::of(&file.items, names.edition, &names.namesakes);
    let mut doubles = Doubles::default();
    if !names.macros.is_empty() {
        defined_in_modules(&file.items, &mut doubles.all);
        doubles.all.retain(|name| names.macros.contains_key(name));
        doubles.outside.clone_from(&doubles.all);
    }
    if !names.module.is_empty() {
        doubles.before.clone_from(&names.before.macros);
    }
    module(&file.items, names, &modules, &[], &mut doubles, &mut edits);
    if !names.module.is_empty() {
        let root = own_root(names);
        let mut narrower = Narrower {
            root: &root,
            defined: &names.defined,
            depth: 0,
            edits: &mut edits,
        };
        narrower.visit_file(&file);
    }
    Ok(edits.apply(text))
}

/// The macros that a text defines.
pub fn defined(text: &str) -> impl Iterator<Item = String> + '_ {
    let definitions = text.split("macro_rules").skip(1);
    let definitions = definitions.filter_map(|rest| rest.trim_start().strip_prefix('!'));
    definitions.map(|rest| {
        let word = rest.trim_start();
        // `r#try`.
        let end = word.find(|c: char| !source::is_word(c) && c != '#');
        word[..end.unwrap_or(word.len())].to_owned()
    })
}

/// The macros that modules define.
fn defined_in_modules(items: &[Item], found: &mut BTreeSet<String>) {
    for item in items {
        match item {
            Item::Macro(item) => found.extend(item.ident.as_ref().map(ToString::to_string)),
            Item::Mod(module) => {
                let items = module.content.as_ref();
                defined_in_modules(items.map_or(&[][..], |(_, items)| items), found);
            }
            _ => {}
        }
    }
}

/// Whether the `dyn` at `at` of edition 2015 is no name: a path from the root of the crates behind it is one that `load` wrote it for.
fn is_before_trait(trees: &[TokenTree], at: usize) -> bool {
    let in_type = || match at.checked_sub(1).map(|at| &trees[at]) {
        Some(TokenTree::Punct(mark)) => matches!(mark.as_char(), '<' | '&'),
        Some(TokenTree::Ident(word)) => {
            word == "mut" || at > 1 && is_punct(trees.get(at - 2), '\'')
        }
        _ => false,
    };
    let is_name = match at.checked_sub(1).map(|at| &trees[at]) {
        Some(TokenTree::Punct(mark)) => mark.as_char() == '.' || at > 1 && colons(trees, at - 2),
        Some(TokenTree::Ident(word)) => word == "fn",
        _ => false,
    };
    match trees.get(at + 1) {
        _ if is_name => false,
        Some(TokenTree::Ident(_) | TokenTree::Group(_)) => true,
        next => is_punct(next, '$') || colons(trees, at + 1) && in_type(),
    }
}

/// Whether the `>` at `at` is one of `->` or `=>`.
fn is_arrow(trees: &[TokenTree], at: usize) -> bool {
    matches!(at.checked_sub(1).map(|at| &trees[at]), Some(TokenTree::Punct(p))
        if matches!(p.as_char(), '-' | '=') && p.spacing() == Spacing::Joint)
}

/// Whether tokens end in the parameters of `impl<T>` or `for<'a>`, which no path goes on behind.
fn declares_parameters(trees: &[TokenTree]) -> bool {
    let mut depth = 0;
    for at in (0..trees.len()).rev() {
        match &trees[at] {
            TokenTree::Punct(p) if p.as_char() == '>' && !is_arrow(trees, at) => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let before = at.checked_sub(1).map(|at| &trees[at]);
            return is_ident(before, "impl") || is_ident(before, "for");
        }
    }
    false
}

/// Writes how far `pub(crate)` went: outside of the crate, what is called so may be something else.
struct Narrower<'a> {
    root: &'a str,
    /// The macros: the modules that `load` made for them are meant for the whole file.
    defined: &'a BTreeSet<String>,
    /// How many modules there are around.
    depth: usize,
    edits: &'a mut Edits,
}

impl<'ast> Visit<'ast> for Narrower<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let name = module.ident.to_string();
        if of_macro(&name).is_some_and(|name| self.defined.contains(name)) {
            return;
        }
        self.visit_visibility(&module.vis);
        self.depth += 1;
        for item in module.content.iter().flat_map(|(_, items)| items) {
            self.visit_item(item);
        }
        self.depth -= 1;
    }

    // Imports are written elsewhere.
    fn visit_item_use(&mut self, _: &'ast ItemUse) {}

    fn visit_visibility(&mut self, vis: &'ast Visibility) {
        let Visibility::Restricted(restricted) = vis else {
            return;
        };
        if restricted.path.is_ident("crate") {
            let with = match self.depth {
                0 => String::new(),
                1 => "pub(super)".to_owned(),
                _ => format!("pub(in {})", self.root),
            };
            self.edits.replace(vis.span().byte_range(), with);
        }
    }
}

fn own_root(names: &Names) -> String {
    if names.module.is_empty() {
        "crate".to_owned()
    } else {
        format!("crate::{}", names.module)
    }
}

/// The macros of other crates that are called like some of the crate's.
#[derive(Clone, Default)]
struct Doubles {
    all: BTreeSet<String>,
    /// Those of which the crate's own are not in scope yet.
    outside: BTreeSet<String>,
    /// Macros that stand before the crate in the file, but for those that it has defined itself since.
    before: BTreeSet<String>,
}

/// Whether an import is one of the standard library and called like one of its macros: with it comes that one at most.
fn is_of_std(path: &[String], called: &str) -> bool {
    let mut names = path.iter().filter(|name| !name.is_empty());
    is_standard(called) && names.next().is_some_and(|first| is_std(first))
}

/// Which of some macros an item imports in itself, each with the path to it as far as it is known.
fn imported_inside(
    item: &Item,
    names: &Names,
    before: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut inside = Paths::default();
    if !matches!(item, Item::Use(_)) {
        inside.visit_item(item);
    }
    let all = inside.0.into_iter();
    let macros = all.filter(|(path, called)| before.contains(called) && !is_of_std(path, called));
    let path = |(path, called): (Vec<String>, String)| {
        let known = match &path[..] {
            [of, last] if *last == called => names.prelude.get(of),
            _ => None,
        };
        let known = known.map(|of| format!("{of}::"));
        (called, known.unwrap_or_default())
    };
    macros.map(path).collect()
}

/// Which of some macros a module gets by an import: a path says that it is that one.
fn imported_macros(items: &[Item], names: &Names, before: &BTreeSet<String>) -> BTreeSet<String> {
    if before.is_empty() {
        return BTreeSet::new();
    }
    let imports = items.iter().filter_map(|item| match item {
        Item::Use(import) => Some(source::leaves(import)),
        _ => None,
    });
    let others = imports
        .flatten()
        .filter(|(path, called)| !is_of_std(path, called));
    let called: BTreeSet<String> = others.map(|(_, called)| called).collect();
    let is_imported = |name: &&String| {
        let may_be_in_all = || !is_standard(name) && !names.defined.contains(*name);
        called.contains(*name)
            || names.macros.contains_key(*name)
            || called.contains("*") && may_be_in_all()
    };
    before.iter().filter(is_imported).cloned().collect()
}

fn module(
    items: &[Item],
    names: &Names,
    modules: &Modules,
    path: &[String],
    doubles: &mut Doubles,
    edits: &mut Edits,
) {
    let mut declared = modules.brought(path);
    let brings_std = declared.remove("std");
    for item in items {
        declare(item, &names.namesakes, &mut declared);
    }
    let own_std = match brings_std && !names.leading_only && !declared.contains("std") {
        true => modules.std_by_glob(path, DEPTH),
        false => None,
    };
    declared.extend(brings_std.then(|| "std".to_owned()));
    let program_root = path.is_empty() && names.module.is_empty();
    let wanted = RefCell::default();
    // Those of edition 2015 are not in scope but at the root.
    let keeps = names.own && !names.leading_only && names.edition > 2015;
    let walker = Walker {
        names,
        modules,
        path,
        declared: &declared,
        program_root,
        wanted: keeps.then_some(&wanted),
        within: Within::Code,
        hiding: &names.before.hiding,
        outside: &BTreeSet::new(),
        imported: &BTreeMap::new(),
    };
    let all_imported = imported_macros(items, names, &doubles.before);
    let mut called = BTreeSet::new();
    for item in items {
        match item {
            Item::Mod(inner) if inner.content.is_some() => {
                for attr in &inner.attrs {
                    walker.walk(attr.to_token_stream(), edits);
                }
                walker.walk(inner.vis.to_token_stream(), edits);
                let (_, items) = inner.content.as_ref().expect("just seen");
                let mut inside = doubles.clone();
                let path = below(path, &inner.ident);
                module(items, names, modules, &path, &mut inside, edits);
                if uses_macros(&inner.attrs) {
                    *doubles = inside;
                }
            }
            Item::ExternCrate(item) if path.is_empty() && is_idle(item, items, names) => {
                edits.delete(item.span().byte_range());
            }
            Item::ExternCrate(item) => extern_crate(item, items, names, program_root, edits),
            item => {
                match item {
                    Item::Use(import) => visible(import, names, edits),
                    item => InBodies { names, edits }.visit_item(item),
                }
                let tokens = item.to_token_stream();
                if !names.macros.is_empty() {
                    let mut own = BTreeSet::new();
                    called_macros(tokens.clone(), &mut called, &mut own);
                    own.extend(called.iter().cloned());
                    let meant = own.iter().filter_map(|name| names.calling.get(name));
                    called.extend(meant.flatten().cloned());
                }
                let mut outside = doubles.outside.clone();
                if !outside.is_empty() {
                    source::macro_definitions(tokens.clone(), &mut |name, _| {
                        outside.remove(&name.to_string());
                    });
                    if matches!(item, Item::Macro(item) if item.ident.is_some()) {
                        doubles.outside.clone_from(&outside);
                    }
                }
                let imported = all_imported.intersection(&doubles.before);
                let imported = imported.map(|name| (name.clone(), "self::".to_owned()));
                let mut imported: BTreeMap<String, String> = imported.collect();
                if !doubles.before.is_empty() {
                    source::macro_definitions(tokens.clone(), &mut |name, _| {
                        imported.remove(&name.to_string());
                    });
                    imported.extend(imported_inside(item, names, &doubles.before));
                }
                if let Item::Macro(ItemMacro {
                    ident: Some(name), ..
                }) = item
                {
                    doubles.before.remove(&name.to_string());
                }
                let walker = Walker {
                    outside: &outside,
                    imported: &imported,
                    ..walker
                };
                walker.walk(tokens, edits);
            }
        }
    }
    let mut imports = String::new();
    if let Some(own_std) = own_std {
        imports += &format!("use {}::{};\n", own_root(names), own_std.join("::"));
    }
    for name in &called {
        if let (Some(path), false) = (names.macros.get(name), doubles.all.contains(name)) {
            // What passes it on has it in scope, and one more import would hide that.
            if !items
                .iter()
                .any(|item| brings_macro(item, name, path, names))
            {
                imports += &format!("use {path}::{name};\n");
            }
        }
    }
    let brought: BTreeSet<String> = items
        .iter()
        .filter_map(|item| match item {
            Item::ExternCrate(item) => {
                let alias = item.rename.as_ref().map(|(_, name)| name);
                Some(alias.unwrap_or(&item.ident).to_string())
            }
            _ => None,
        })
        .collect();
    for name in wanted.take().difference(&brought) {
        let path = &names.prelude[name];
        // What else the root has of the name stays there.
        imports += &if path.ends_with(&format!("::{name}")) {
            format!("use {path}::{{self}};\n")
        } else {
            format!("use {path}::{{self as {name}}};\n")
        };
    }
    // With the others: what is before the first item may be about it.
    let mut others = items.iter();
    let import = others.find(|item| matches!(item, Item::Use(_)));
    if let (Some(next), false) = (import.or(items.first()), imports.is_empty()) {
        edits.insert(next.span().byte_range().start, imports);
    }
}

/// Whether an `extern crate std;` at the root brings what the name means anyway, and nothing names it as a part of the root.
fn is_idle(item: &ItemExternCrate, items: &[Item], names: &Names) -> bool {
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
fn extern_crate(
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
fn visible(import: &ItemUse, names: &Names, edits: &mut Edits) {
    let mut vis = import.vis.to_token_stream().to_string();
    let public = matches!(import.vis, Visibility::Public(_));
    if public && goes_too_far(import, names) {
        vis = "pub(crate)".to_owned();
        edits.replace(import.vis.span().byte_range(), &vis);
    }
    // Its root was as far as `pub(crate)` went, and what is imported may go no further. What `load` wrote for macros
    // is meant for the whole file.
    let crate_wide = !public && ["pub (crate)", "pub (in crate)"].contains(&vis.as_str());
    let is_inside = !names.own || !names.module.is_empty();
    if crate_wide && is_inside && !imports_macro(&import.tree, &names.defined) {
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
struct InBodies<'a> {
    names: &'a Names,
    edits: &'a mut Edits,
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

/// Whether an item imports a macro from the root of the crate that has a path, by its name or with all.
fn brings_macro(item: &Item, name: &str, path: &str, names: &Names) -> bool {
    let Item::Use(import) = item else {
        return false;
    };
    let is_root = |first: &String| names.prelude.get(first).is_some_and(|root| root == path);
    source::leaves(import).iter().any(|(from, called)| {
        let from = from.strip_prefix(&[String::new()]).unwrap_or(from);
        let is_it = called == name || called == "*";
        matches!(from, [first, last] if is_root(first) && is_it && last == called)
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
fn split(import: &ItemUse, vis: &str, edition: u16, edits: &mut Edits) {
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
fn of_macro(module: &str) -> Option<&str> {
    module.trim_end_matches('_').strip_suffix("_macro")
}

/// Whether `crate` or `$crate` stands alone among tokens, for a macro that puts a path behind it: no module can be passed on so.
pub fn has_bare_root(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    (0..trees.len()).any(|at| {
        let before = at.checked_sub(1).map(|at| &trees[at]);
        let is_behind = |word: &str| is_ident(before, word);
        match &trees[at] {
            TokenTree::Ident(word) if word == "crate" => {
                !colons(&trees, at + 1) && !is_behind("in") && !is_behind("extern")
            }
            // `pub(crate)`.
            TokenTree::Group(group) => !is_behind("pub") && has_bare_root(group.stream()),
            _ => false,
        }
    })
}

/// The macros of a text with a rule for a path from `crate`: which that is depends on who calls them.
pub fn rules_for_root(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !text.contains("macro_rules") {
        return found;
    }
    source::macro_definitions(text.parse().unwrap_or_default(), &mut |name, rules| {
        let trees: Vec<TokenTree> = rules.stream().into_iter().collect();
        let mut patterns = trees
            .iter()
            .enumerate()
            .filter_map(|(at, tree)| match tree {
                TokenTree::Group(group) if is_punct(trees.get(at + 1), '=') => Some(group.stream()),
                _ => None,
            });
        if patterns.any(has_path_from_root) {
            found.insert(name.to_string());
        }
    });
    found
}

/// The first of these macros that is called with a path from `crate`.
pub fn called_with_root(tokens: TokenStream, macros: &BTreeSet<String>) -> Option<String> {
    if macros.is_empty() {
        return None;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().find_map(|(at, tree)| {
        let TokenTree::Group(group) = tree else {
            return None;
        };
        let name = (at >= 2 && is_punct(trees.get(at - 1), '!')).then(|| trees[at - 2].to_string());
        let called = name.filter(|name| macros.contains(name));
        let called = called.filter(|_| has_path_from_root(group.stream()));
        called.or_else(|| called_with_root(group.stream(), macros))
    })
}

/// Whether `crate::` stands among tokens, but for `$crate::`.
fn has_path_from_root(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    (0..trees.len()).any(|at| match &trees[at] {
        TokenTree::Ident(word) if word == "crate" => {
            colons(&trees, at + 1) && !(at > 0 && is_punct(trees.get(at - 1), '$'))
        }
        TokenTree::Group(group) => has_path_from_root(group.stream()),
        _ => false,
    })
}

/// Whether a `use` imports one of `macros`, or the module made for one.
fn imports_macro(tree: &UseTree, macros: &BTreeSet<String>) -> bool {
    match tree {
        UseTree::Path(path) => imports_macro(&path.tree, macros),
        UseTree::Name(leaf) => {
            let name = leaf.ident.to_string();
            // The macro itself may be called as such a module is.
            of_macro(&name).is_some_and(|name| macros.contains(name))
                || macros.contains(&name)
                || macros.contains(&format!("{name}_macro"))
        }
        UseTree::Rename(leaf) => {
            let name = leaf.ident.to_string();
            macros.contains(&format!("{name}_macro")) || macros.contains(&name)
        }
        UseTree::Group(group) => group.items.iter().any(|tree| imports_macro(tree, macros)),
        UseTree::Glob(_) => false,
    }
}

/// All names of a module, among those that imports bring.
const ALL: &str = "*";

/// Finds the names that imports pass on from other crates, on whatever way through the own modules.
fn find_passed_on(items: &[Item], names: &mut Names) {
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

/// The names that a `use` brings, each with whether they come from another crate, or from an import that passes on what does.
fn brought(tree: &UseTree, names: &Names) -> impl Iterator<Item = (String, bool)> {
    fn add(tree: &UseTree, names: &Names, of_crate: bool, found: &mut Vec<(String, bool)>) {
        // `crate::name` is another crate where the root has `extern crate name`, and so is what an import brought one as.
        let is_crate = |name: &Ident| {
            let name = name.to_string();
            // Any name may be one of all those that an import brings.
            let may_be = |name: &str| names.passed_on.contains(name);
            names.prelude.contains_key(&name) || may_be(&name) || may_be(ALL)
        };
        let mut leaf = |name: &Ident, new: &Ident| {
            found.push((new.to_string(), of_crate || is_crate(name)));
        };
        match tree {
            UseTree::Path(path) => {
                let of_crate = of_crate || is_crate(&path.ident);
                add(&path.tree, names, of_crate, found);
            }
            UseTree::Name(UseName { ident }) => leaf(ident, ident),
            UseTree::Rename(UseRename { ident, rename, .. }) => leaf(ident, rename),
            UseTree::Group(group) => {
                let inside = group.items.iter();
                inside.for_each(|tree| add(tree, names, of_crate, found));
            }
            UseTree::Glob(_) => found.extend(of_crate.then(|| (ALL.to_owned(), true))),
        }
    }
    let mut found = Vec::new();
    add(tree, names, false, &mut found);
    found.into_iter()
}

/// The modules of a crate, by their paths.
#[derive(Default)]
struct Modules(BTreeMap<Vec<String>, Scope>);

/// What a module declares.
#[derive(Default)]
struct Scope {
    /// Names of types and modules, each with the module in which it can be seen.
    names: BTreeMap<String, Vec<String>>,
    /// Those that are no imports, and those that anybody sees.
    own: BTreeSet<String>,
    public: BTreeSet<String>,
    /// What the imported ones are.
    imports: BTreeMap<String, Vec<String>>,
    /// The paths before `::*`, with the module in which what comes by it can be seen.
    globs: Vec<(Vec<String>, Vec<String>)>,
}

/// How many imports a path is followed through.
const DEPTH: usize = 4;

impl Modules {
    fn of(items: &[Item], edition: u16, namesakes: &Namesakes) -> Self {
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
    fn brought(&self, path: &[String]) -> BTreeSet<String> {
        let scope = self.0.get(path);
        scope.map_or_else(BTreeSet::new, |scope| self.through(scope, path))
    }

    /// The `std` that a glob brings into a module: a crate without the standard library has no other, and in the file it has, and nothing says
    /// which of the two is meant.
    fn std_by_glob(&self, path: &[String], depth: usize) -> Option<Vec<String>> {
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
    fn through(&self, scope: &Scope, viewer: &[String]) -> BTreeSet<String> {
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
    fn follow(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
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
    fn is_type(&self, module: &[String], name: &str, outside: bool, depth: usize) -> bool {
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
    fn is_root_imported(&self) -> bool {
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
    fn import(&mut self, import: &ItemUse, path: &[String], edition: u16) {
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

fn below(path: &[String], name: impl ToString) -> Vec<String> {
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
    let mut seen = path.to_vec();
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

#[derive(Default)]
struct Paths(BTreeSet<(Vec<String>, String)>);

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
fn declare(item: &Item, namesakes: &Namesakes, declared: &mut BTreeSet<String>) {
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
fn declare_use(
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

/// Which of `crates` the definitions of macros name.
fn in_bodies(tokens: TokenStream, crates: &BTreeMap<String, String>) -> BTreeSet<String> {
    fn scan(tokens: TokenStream, crates: &BTreeMap<String, String>, found: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => scan(group.stream(), crates, found),
                TokenTree::Ident(word) if colons(&trees, at + 1) => {
                    found.extend(Some(word.to_string()).filter(|word| crates.contains_key(word)));
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    source::macro_definitions(tokens, &mut |_, body| {
        scan(body.stream(), crates, &mut found)
    });
    found
}

/// Whether a macro has a path that begins with what it is called with.
pub fn leads_on(rules: TokenStream) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => leads_on(group.stream()),
        TokenTree::Ident(name) => {
            name != "crate" && at > 0 && is_punct(trees.get(at - 1), '$') && colons(&trees, at + 1)
        }
        _ => false,
    })
}

/// The macros that are called by name, and by a path.
fn called_macros(
    tokens: TokenStream,
    called: &mut BTreeSet<String>,
    by_path: &mut BTreeSet<String>,
) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if is_punct(trees.get(at + 1), '!') => {
                // `a: m!()` is none.
                let is_path = at > 1 && colons(&trees, at - 2);
                let found = if is_path { &mut *by_path } else { &mut *called };
                found.insert(name.to_string());
            }
            TokenTree::Group(group) => called_macros(group.stream(), called, by_path),
            _ => {}
        }
    }
}

/// Of the macros of some texts, which of some others they call by name, or what they call does.
pub fn calling(
    texts: &[&str],
    others: &BTreeMap<String, String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let streams = texts
        .iter()
        .filter_map(|text| text.parse::<TokenStream>().ok());
    source::macro_definitions(streams.collect(), &mut |name, body| {
        let (mut called, mut by_path) = (BTreeSet::new(), BTreeSet::new());
        called_macros(body.stream(), &mut called, &mut by_path);
        let meant = called.iter().filter(|name| others.contains_key(*name));
        let found = found.entry(name.to_string()).or_default();
        found.extend(meant.cloned());
        all.entry(name.to_string())
            .or_default()
            .extend(called.into_iter().chain(by_path));
    });
    loop {
        let mut grown = false;
        for (name, called) in &all {
            let more = called.iter().filter_map(|name| found.get(name));
            let more: BTreeSet<String> = more.flatten().cloned().collect();
            let own = found.get_mut(name).expect("all have an entry");
            let size = own.len();
            own.extend(more);
            grown |= own.len() > size;
        }
        if !grown {
            return found;
        }
    }
}

/// Whether a `...` between two ends is over at `at`. Outside of macros `syn` reads it as `..=`. The `...` of C functions has nothing
/// before it, or a comma or colon.
fn is_old_range(trees: &[TokenTree], at: usize) -> bool {
    let dot = |n: usize| is_punct(trees.get(n), '.');
    let Some(first) = at.checked_sub(2).filter(|&n| dot(n) && dot(n + 1)) else {
        return false;
    };
    let before = first.checked_sub(1).map(|before| &trees[before]);
    let between = matches!(before, Some(TokenTree::Ident(_) | TokenTree::Literal(_)));
    is_punct(trees.get(at), '=') || dot(at) && between && at + 1 < trees.len()
}

/// Where the braces of the module are that begins with `mod`: that of a macro may be called by a variable.
pub fn module_block(trees: &[TokenTree], at: usize) -> Option<usize> {
    let end = at + 2 + usize::from(is_punct(trees.get(at + 1), '$'));
    is_block(trees.get(end)).then_some(end)
}

fn colons(trees: &[TokenTree], at: usize) -> bool {
    matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint)
        && is_punct(trees.get(at + 1), ':')
}

#[derive(Clone, Copy)]
struct Walker<'a> {
    names: &'a Names,
    modules: &'a Modules,
    /// The module that we are in.
    path: &'a [String],
    declared: &'a BTreeSet<String>,
    program_root: bool,
    /// The crates to import, as macros get their names; `None` where these are no names after an import.
    wanted: Option<&'a RefCell<BTreeSet<String>>>,
    within: Within,
    /// Macros that hide those of the standard library.
    hiding: &'a BTreeSet<String>,
    /// Macros of other crates that are meant here, and elsewhere in the crate its own.
    outside: &'a BTreeSet<String>,
    /// Macros that an import brings while another so called stands before the crate in the file, with what to write before them.
    imported: &'a BTreeMap<String, String>,
}

/// Where tokens are.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Code,
    /// A macro gets or has them that may look at them, or mean something else elsewhere: they stay.
    Kept,
    /// The definition of a macro that may be called in any crate, or what one gets that puts it into a module.
    Definition,
}

impl Walker<'_> {
    /// The names of crates that mean something else in a block.
    fn local(&self, trees: &[TokenTree]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Ident(word) = tree else {
                continue;
            };
            match (word.to_string().as_str(), trees.get(at + 1)) {
                ("use", _) => {
                    let rest = trees[at..].iter().cloned();
                    let end = |tree: &TokenTree| is_punct(tree, ';');
                    let length = trees[at..].iter().take_while(|tree| !end(tree)).count() + 1;
                    if let Ok(import) = syn::parse2::<ItemUse>(rest.take(length).collect()) {
                        declare_use(&import.tree, &[], &self.names.namesakes, &mut found);
                        let mut scope = Scope::default();
                        scope.import(&import, self.path, self.names.edition);
                        found.extend(self.modules.through(&scope, self.path));
                    }
                }
                ("mod" | "struct" | "enum" | "union" | "trait" | "type", Some(name)) => {
                    found.insert(name.to_string());
                }
                _ => {}
            }
        }
        found.retain(|name| self.names.prelude.contains_key(name));
        found
    }

    /// Whether a word begins an item with type parameters that have names of crates.
    fn has_parameters(&self, word: &Ident, rest: &[TokenTree]) -> bool {
        // Behind `impl` a name is that of a trait or a type, and what follows are its arguments.
        let begins = match word.to_string().as_str() {
            "impl" => is_punct(rest.first(), '<'),
            "fn" | "struct" | "enum" | "union" | "trait" | "type" => true,
            _ => false,
        };
        begins && !self.parameters(rest).is_empty()
    }

    /// Those parameters: what follows is `name<A, …`, or `<A, …`.
    fn parameters(&self, rest: &[TokenTree]) -> BTreeSet<String> {
        let named = usize::from(matches!(rest.first(), Some(TokenTree::Ident(_))));
        let mut found = BTreeSet::new();
        if !is_punct(rest.get(named), '<') {
            return found;
        }
        let (mut depth, mut begins) = (0, false);
        for (at, tree) in rest.iter().enumerate().skip(named) {
            match tree {
                TokenTree::Punct(p) if p.as_char() == '<' => {
                    depth += 1;
                    begins = depth == 1;
                }
                TokenTree::Punct(p) if p.as_char() == '>' => {
                    let arrow = is_punct(rest.get(at - 1), '-') || is_punct(rest.get(at - 1), '=');
                    depth -= i32::from(!arrow);
                    if depth == 0 {
                        break;
                    }
                }
                TokenTree::Punct(p) if p.as_char() == ',' => begins = depth == 1,
                TokenTree::Punct(p) if p.as_char() == '\'' => begins = false,
                TokenTree::Ident(word) if begins && word != "const" => {
                    begins = false;
                    found.insert(word.to_string());
                }
                _ => {}
            }
        }
        found.retain(|name| self.names.prelude.contains_key(name));
        found
    }

    /// What the first name of a path becomes, if it changes.
    fn first(&self, name: &str) -> Option<String> {
        if self.names.leading_only || self.declared.contains(name) {
            return None;
        }
        let path = self.names.prelude.get(name)?;
        // At the program's root the module is in scope under its own name.
        let is_at_root = self.program_root && *path == format!("crate::{name}");
        if is_at_root && self.within != Within::Definition {
            return None;
        }
        // All that the root imports comes to those who import all of it, and may not be what they call so.
        let may_import =
            !self.program_root || path.starts_with("::") || !self.modules.is_root_imported();
        let wanted = self.wanted.filter(|_| may_import);
        match (wanted, self.within) {
            (Some(wanted), Within::Kept) => {
                wanted.borrow_mut().insert(name.to_owned());
                None
            }
            _ => Some(path.clone()),
        }
    }

    /// What is in the group at a place.
    fn inside(&self, trees: &[TokenTree], at: usize) -> Within {
        if self.within != Within::Code || !source::is_macro(trees, at) {
            return self.within;
        }
        let is_definition = matches!(trees[at - 1], TokenTree::Ident(_));
        let enclosing = &self.names.namesakes.enclosing;
        if !is_definition && !enclosing.is_empty() && enclosing.contains(&trees[at - 2].to_string())
        {
            return Within::Definition;
        }
        let within = match self.wanted {
            Some(_) if !is_definition || self.names.module.is_empty() => Within::Kept,
            _ if is_definition => Within::Definition,
            _ => Within::Code,
        };
        if within == Within::Kept && !is_definition {
            let called = Walker { within, ..*self };
            for name in &self.names.in_bodies {
                called.first(name);
            }
        }
        within
    }

    /// Imports the crates whose names stand alone among what a macro gets that leads on from them.
    fn named_alone(&self, trees: &[TokenTree]) {
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    self.named_alone(&group.stream().into_iter().collect::<Vec<_>>());
                }
                TokenTree::Ident(name) if !colons(trees, at + 1) => {
                    let within = Within::Kept;
                    Walker { within, ..*self }.first(&name.to_string());
                }
                _ => {}
            }
        }
    }

    fn walk(&self, tokens: TokenStream, edits: &mut Edits) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        self.trees(&trees, edits);
    }

    fn trees(&self, trees: &[TokenTree], edits: &mut Edits) {
        let mut at = 0;
        while at < trees.len() {
            match &trees[at] {
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let within = self.inside(trees, at);
                    if let Some(called) =
                        source::is_macro(trees, at).then(|| trees[at - 2].to_string())
                    {
                        if self.names.namesakes.leading.contains(&called) {
                            self.named_alone(&inside);
                        }
                    }
                    let begins = within == Within::Definition && self.within != within;
                    let none = BTreeSet::new();
                    // What the program calls, it calls with its own macros.
                    let hiding = match begins.then(|| trees[at - 1].to_string()) {
                        Some(name) if self.names.before.words.contains(&name) => &none,
                        _ => self.hiding,
                    };
                    let walker = Walker {
                        within,
                        hiding,
                        ..*self
                    };
                    let block = group.delimiter() == Delimiter::Brace;
                    match block.then(|| self.local(&inside)) {
                        Some(more) if !more.is_empty() => {
                            let declared = &(self.declared | &more);
                            Walker { declared, ..walker }.trees(&inside, edits);
                        }
                        _ => walker.trees(&inside, edits),
                    }
                    at += 1;
                }
                TokenTree::Punct(last) if self.names.edition < 2021 && is_old_range(trees, at) => {
                    edits.replace(last.span().byte_range(), "=");
                    at += 1;
                }
                TokenTree::Ident(word) if word == "mod" && module_block(trees, at).is_some() => {
                    // Of what is in scope around a module nothing is in scope in it.
                    let end = module_block(trees, at).expect("just seen");
                    let path = below(self.path, &trees[end - 1]);
                    let inner = Walker {
                        path: &path,
                        declared: &BTreeSet::new(),
                        program_root: false,
                        wanted: None,
                        ..*self
                    };
                    inner.trees(&trees[end..=end], edits);
                    at = end + 1;
                }
                // `extern crate a as b;` in a function.
                TokenTree::Ident(word)
                    if word == "extern" && is_ident(trees.get(at + 1), "crate") =>
                {
                    let end = (at..trees.len()).find(|&n| is_punct(trees.get(n), ';'));
                    let words = &trees[at..end.unwrap_or(trees.len())];
                    if let [first, _, target, rest @ ..] = words {
                        let alias = rest.last().unwrap_or(target);
                        if let Some(path) = self.names.prelude.get(&target.to_string()) {
                            let range =
                                first.span().byte_range().start..alias.span().byte_range().end;
                            edits.replace(range, format!("use {path} as {alias}"));
                        }
                    }
                    at += words.len();
                }
                TokenTree::Ident(word) if self.has_parameters(word, &trees[at + 1..]) => {
                    let end = (at..trees.len())
                        .find(|&n| is_block(trees.get(n)) || is_punct(trees.get(n), ';'));
                    let end = end.map_or(trees.len(), |end| end + 1);
                    let declared = &(self.declared | &self.parameters(&trees[at + 1..]));
                    Walker { declared, ..*self }.trees(&trees[at + 1..end], edits);
                    at = end;
                }
                TokenTree::Ident(word)
                    if word == "use"
                        && !is_punct(trees.get(at + 1), '<')
                        && !(at > 0 && is_punct(trees.get(at - 1), '.')) =>
                {
                    let end = (at + 1..trees.len())
                        .find(|&n| is_punct(trees.get(n), ';'))
                        .unwrap_or(trees.len());
                    let import = &trees[at + 1..end];
                    if !self.passes_on(&trees[..at], import) {
                        self.use_tree(import, edits);
                    }
                    at = end;
                }
                TokenTree::Ident(word) => {
                    let name = word.to_string();
                    let fragment = at > 0 && is_punct(trees.get(at - 1), '$');
                    let before_path = at >= 2 && colons(trees, at - 2);
                    let member = at > 0
                        && is_punct(trees.get(at - 1), '.')
                        && !(at > 1 && is_punct(trees.get(at - 2), '.'));
                    let range = word.span().byte_range();
                    if colons(trees, at + 1) && !before_path && !member {
                        if name == "crate" {
                            if !self.names.module.is_empty() {
                                edits.insert(range.end, format!("::{}", self.names.module));
                            }
                        // Crates have no `::<T>`: it is a function.
                        } else if !fragment && !is_punct(trees.get(at + 3), '<') {
                            if let Some(path) = self.first(&name) {
                                edits.replace(range.clone(), path);
                            }
                        }
                    } else if before_path && !fragment && at >= 2 && self.leads(trees, at - 2) {
                        // `::name::…`
                        let start = trees[at - 2].span().byte_range().start;
                        if let Some(path) = self.names.prelude.get(&name) {
                            edits.replace(start..range.end, path.clone());
                        } else if self.names.edition == 2015 && !is_std(&name) {
                            edits.replace(
                                start..range.end,
                                format!("{}::{name}", own_root(self.names)),
                            );
                        }
                    }
                    let is_call = is_punct(trees.get(at + 1), '!')
                        && matches!(trees.get(at + 2), Some(TokenTree::Group(_)));
                    if is_call && !before_path && !fragment {
                        let path = self.names.macros.get(&name);
                        let path = path.filter(|_| self.outside.contains(&name));
                        let imported = self.imported.get(&name);
                        let imported = imported.filter(|_| self.within != Within::Definition);
                        if let Some(path) = path {
                            edits.insert(range.start, format!("{path}::"));
                        } else if let Some(path) = imported {
                            edits.insert(range.start, path);
                        } else if self.hiding.contains(&name) && !self.names.defined.contains(&name)
                        {
                            edits.insert(range.start, "::std::");
                        }
                    }
                    self.reserved(&name, trees, at, edits);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Whether the `::` at `at` starts a path.
    fn leads(&self, trees: &[TokenTree], at: usize) -> bool {
        match at.checked_sub(1).map(|before| &trees[before]) {
            None => true,
            // Edition 2015 has modules called `dyn` and `await`.
            Some(TokenTree::Ident(word)) => {
                let is_on_a_path = at >= 3 && colons(trees, at - 3);
                let is_lifetime = at >= 2 && is_punct(trees.get(at - 2), '\'');
                is_lifetime || KEYWORDS.contains(&word.to_string().as_str()) && !is_on_a_path
            }
            Some(TokenTree::Punct(p)) if p.as_char() == '>' => {
                is_arrow(trees, at - 1) || declares_parameters(&trees[..at])
            }
            Some(TokenTree::Group(group)) => {
                let is_visibility =
                    at >= 2 && matches!(&trees[at - 2], TokenTree::Ident(word) if word == "pub");
                is_visibility || group.delimiter() != Delimiter::Parenthesis
            }
            Some(_) => true,
        }
    }

    /// Words that later editions reserve.
    fn reserved(&self, name: &str, trees: &[TokenTree], at: usize, edits: &mut Edits) {
        let reserved = name == "gen" && self.names.edition < 2024
            || matches!(name, "async" | "await" | "try" | "dyn")
                && self.names.edition == 2015
                && !(name == "dyn" && is_before_trait(trees, at));
        // The variable of a macro may be called by any word.
        if reserved && !(at > 0 && is_punct(trees.get(at - 1), '$')) {
            edits.insert(trees[at].span().byte_range().start, "r#");
        }
    }

    /// Whether an import is one that `load` wrote for a macro, which may be called like a crate.
    fn passes_on(&self, before: &[TokenTree], import: &[TokenTree]) -> bool {
        match (before.last(), import) {
            (Some(TokenTree::Group(vis)), [TokenTree::Ident(name)]) => {
                vis.stream().to_string() == "crate"
                    && self.names.defined.contains(&name.to_string())
            }
            _ => false,
        }
    }

    /// The trees of a `use`, each from its first name.
    fn use_tree(&self, trees: &[TokenTree], edits: &mut Edits) {
        // `use ::{a, b};` of edition 2015 leads from the root as all imports do.
        let of_2015 = self.names.edition == 2015 && colons(trees, 0);
        let group = if of_2015 { &trees[2..] } else { trees };
        if let [TokenTree::Group(group)] = group {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for part in inner.split(|tree| is_punct(tree, ',')) {
                self.use_tree(part, edits);
            }
            return;
        }
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Ident(word) = tree {
                if at > 0 {
                    self.reserved(&word.to_string(), trees, at, edits);
                }
            }
        }
        let leading = colons(trees, 0);
        let first = if leading { 2 } else { 0 };
        let Some(tree) = trees.get(first) else { return };
        let start = trees[0].span().byte_range().start;
        match tree {
            TokenTree::Punct(p)
                if p.as_char() == '$'
                    && is_ident(trees.get(first + 1), "crate")
                    && !self.names.module.is_empty() =>
            {
                let end = trees[first + 1].span().byte_range().end;
                edits.insert(end, format!("::{}", self.names.module));
            }
            TokenTree::Ident(word) => {
                let name = word.to_string();
                let range = word.span().byte_range();
                if name == "crate" {
                    if !self.names.module.is_empty() {
                        edits.insert(range.end, format!("::{}", self.names.module));
                    }
                    return;
                }
                if matches!(name.as_str(), "self" | "super") {
                    return;
                }
                let rest = &trees[first + 1..];
                if leading || self.names.edition == 2015 {
                    if let Some(path) = self.names.prelude.get(&name) {
                        self.import(path.clone(), start, tree, rest, &name, edits, trees);
                    } else if self.names.edition == 2015
                        && !is_std(&name)
                        && !(!colons(rest, 0) && !leading && self.names.defined.contains(&name))
                    {
                        edits.replace(
                            start..range.end,
                            format!("{}::{name}", own_root(self.names)),
                        );
                    }
                    return;
                }
                if let Some(path) = self.names.prelude.get(&name) {
                    let scope = self.modules.0.get(self.path);
                    let is_own = || scope.is_some_and(|scope| scope.own.contains(&name));
                    // What the import declares itself it does not mean.
                    let hidden = || {
                        self.declared.contains(&name)
                            && (is_own()
                                || !self.names.namesakes.modules.contains(&name)
                                || !has_leaf(rest, &name))
                    };
                    if self.names.leading_only || hidden() {
                        return;
                    }
                    self.import(path.clone(), start, tree, rest, &name, edits, trees);
                }
            }
            _ => {}
        }
    }

    /// An import from another crate.
    #[allow(clippy::too_many_arguments)]
    fn import(
        &self,
        path: String,
        start: usize,
        tree: &TokenTree,
        rest: &[TokenTree],
        name: &str,
        edits: &mut Edits,
        all: &[TokenTree],
    ) {
        let range = tree.span().byte_range();
        let in_scope = self.program_root && path == format!("crate::{name}");
        if in_scope && rest.is_empty() {
            // `use name;` at the root, where the module is.
            let end = all
                .last()
                .map_or(range.end, |last| last.span().byte_range().end);
            edits.replace(start..end, "{}");
            return;
        }
        if in_scope {
            // A leading `::` leads out of the file.
            if start < range.start {
                edits.delete(start..range.start);
            }
            // `use name::{self, …}`.
            if let Some(TokenTree::Group(group)) = rest.get(2) {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for (at, tree) in inner.iter().enumerate() {
                    let is_self = is_ident(tree, "self");
                    let alone = match inner.get(at + 1) {
                        None => true,
                        next => is_punct(next, ','),
                    };
                    if is_self && alone {
                        let end = match inner.get(at + 1) {
                            Some(comma) => comma.span().byte_range().end,
                            None => tree.span().byte_range().end,
                        };
                        edits.delete(tree.span().byte_range().start..end);
                    }
                }
            }
            return;
        }
        let end = range.end;
        let renamed = !path.ends_with(&format!("::{name}"));
        if let (true, Some(TokenTree::Group(group))) = (renamed, rest.get(2)) {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for part in inner.split(|tree| is_punct(tree, ',')) {
                match part {
                    [TokenTree::Ident(word)] if word == "self" => {
                        edits.insert(word.span().byte_range().end, format!(" as {name}"));
                    }
                    _ => {}
                }
            }
        }
        if rest.is_empty() && renamed {
            edits.replace(start..end, format!("{path} as {name}"));
        } else {
            edits.replace(start..end, path);
        }
    }
}

/// Whether what follows the first name of an import is `::name` or `::*`, or has that in braces.
fn has_leaf(rest: &[TokenTree], name: &str) -> bool {
    match rest.get(2) {
        Some(TokenTree::Ident(leaf)) => leaf == name && rest.len() == 3,
        Some(TokenTree::Punct(all)) => all.as_char() == '*',
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut leaves = inner.split(|tree| is_punct(tree, ','));
            leaves.any(|leaf| match leaf {
                [TokenTree::Ident(leaf)] => leaf == name,
                leaf => is_punct(leaf.first(), '*'),
            })
        }
        _ => false,
    }
}

fn is_std(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Which of `crates` the text names as `::crate`.
pub fn mentioned(text: &str, crates: &BTreeSet<String>) -> BTreeSet<String> {
    fn scan(tokens: TokenStream, crates: &BTreeSet<String>, found: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => scan(group.stream(), crates, found),
                TokenTree::Ident(name) if at >= 2 && colons(&trees, at - 2) => {
                    let name = name.to_string();
                    let inside = matches!(
                        at.checked_sub(3).map(|before| &trees[before]),
                        Some(TokenTree::Ident(word)) if !KEYWORDS.contains(&word.to_string().as_str()) && word != "use"
                    );
                    if !inside && crates.contains(&name) {
                        found.insert(name);
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    if let Ok(tokens) = text.parse() {
        scan(tokens, crates, &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::resolve::Unit;
    use super::namesakes::namesakes;
    use super::*;

    /// A program without crates.
    fn empty() -> Names {
        Names {
            module: String::new(),
            edition: 2021,
            prelude: BTreeMap::new(),
            own: true,
            namesakes: Namesakes::default(),
            leading_only: false,
            macros: BTreeMap::new(),
            calling: BTreeMap::new(),
            defined: BTreeSet::new(),
            passed_on: BTreeSet::new(),
            in_bodies: BTreeSet::new(),
            before: Before::default(),
        }
    }

    /// The text of the program, which uses the crate `geom`, rewritten.
    fn rewritten(text: &str, module: &str) -> String {
        let mut names = Names {
            prelude: BTreeMap::from([("geom".to_owned(), format!("crate::{module}"))]),
            ..empty()
        };
        rewrite(text, &mut names).unwrap()
    }

    /// The text names no crate.
    fn stays(text: &str) {
        assert_eq!(rewritten(text, "geom"), text);
    }

    #[test]
    fn names_that_globs_bring_are_no_crates() {
        let same = [
            "mod h { pub mod geom {} } mod a { use super::h::*; fn f() { geom::f() } }",
            "mod h { pub mod i { pub struct geom; } pub use i::*; } use h as j; mod a { use crate::j::*; fn f() { geom::f() } }",
            "mod h { pub mod geom {} } mod a { fn f() { use super::h::*; geom::f() } }",
        ];
        same.iter().for_each(|text| stays(text));
        // Not seen from there.
        assert_eq!(
            rewritten(
                "mod h { mod geom {} } mod a { use super::h::*; fn f() { geom::f() } }",
                "geom"
            ),
            "mod h { mod geom {} } mod a { use super::h::*; fn f() { crate::geom::f() } }",
        );
    }

    #[test]
    fn a_path_leads_out_of_the_crate_behind_lifetimes_and_visibilities() {
        let outside = [
            "fn f<'a>(a: &'a ::geom::T) -> u8 { 'o: loop { break 'o ::geom::N; } }",
            "struct S(pub(crate) ::geom::T, pub(in crate::m) ::geom::T, pub ::geom::T);",
        ];
        for text in outside {
            assert_eq!(
                rewritten(text, "geometry"),
                text.replace("::geom", "crate::geometry")
            );
        }
        // These paths begin in front of it.
        stays("fn f<T: A>() { <T>::geom::g(); (T::geom)(1); m::geom::g(); r#in::geom::g() }");
    }

    #[test]
    fn names_of_blocks_and_parameters_are_no_crates() {
        let same = [
            "mod a { fn f() { use super::b as geom; geom::f() } }",
            "mod a { fn f() { mod geom { fn g() {} } geom::g() } }",
            "mod a { fn f<'a, const N: usize, geom: Tr<u8>>() -> i32 { geom::g() } }",
            "mod a { fn geom<T>() {} fn f() { geom::<i32>() } }",
        ];
        same.iter().for_each(|text| stays(text));
        assert_eq!(
            rewritten(
                "mod a { impl From<geom::A> for B {} impl<T> C<geom::A> for T {} }",
                "geom"
            ),
            "mod a { impl From<crate::geom::A> for B {} impl<T> C<crate::geom::A> for T {} }",
        );
        assert_eq!(
            rewritten(
                "mod a { fn f() { { mod geom {} } geom::f(); } fn g<geom>() { mod b { fn h() { geom::h() } } } fn i() { geom::i() } }",
                "geom"
            ),
            "mod a { fn f() { { mod geom {} } crate::geom::f(); } fn g<geom>() { mod b { fn h() { crate::geom::h() } } } fn i() { crate::geom::i() } }",
        );
    }

    #[test]
    fn macros_get_the_tokens_that_the_program_has() {
        let text = "fn f() { show!(geom::f()); } mod a { mod b { fn f() { show!(x, [geom::f()]); geom::g(); } } mod geom {} fn f() { show!(geom::f()) } }";
        assert_eq!(
            rewritten(text, "geom"),
            text.replace("mod b { ", "mod b { use crate::geom::{self};\n")
                .replace(" geom::g", " crate::geom::g")
        );
        assert_eq!(
            rewritten("mod a { fn f() { show!(geom::f()) } }", "geom_"),
            "mod a { use crate::geom_::{self as geom};\nfn f() { show!(geom::f()) } }"
        );
    }

    #[test]
    fn a_macro_of_the_program_names_what_its_callers_know() {
        let text = "macro_rules! m { () => { geom::f() } } fn f() { m!() } mod a { mod geom {} fn f() { m!() } } mod b { fn f() { m!() } }";
        assert_eq!(
            rewritten(text, "geom"),
            text.replace("mod b { ", "mod b { use crate::geom::{self};\n")
        );
        // One of a library may be called in any crate.
        let mut names = Names {
            module: "lib".to_owned(),
            prelude: BTreeMap::from([("geom".to_owned(), "crate::geom".to_owned())]),
            ..empty()
        };
        let text = "macro_rules! m { () => { geom::f() } }";
        let expected = "macro_rules! m { () => { crate::geom::f() } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_the_program_calls_like_a_standard_macro_is_not_what_a_crate_calls() {
        let program =
            "macro_rules! println { () => {} } fn f() { shown!() } macro_rules! own { () => {} }";
        let mut names = Names {
            module: "lib".to_owned(),
            before: Before::of([program.to_owned()].into_iter()),
            ..empty()
        };
        let text = "macro_rules! shown { () => { println!() } } macro_rules! m { () => { println!(\"{}\", print!()) } } \
                    fn f(println: u8) { if println != (1) { std::println!(\"{:?}\", [println!()]); own!() } }";
        let expected = text
            .replace("{ println!(\"{}", "{ ::std::println!(\"{}")
            .replace("[println", "[::std::println");
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        // A crate may do the same.
        let text = format!("macro_rules! println {{ () => {{}} }} {text}");
        assert_eq!(rewrite(&text, &mut names).unwrap(), text);
    }

    #[test]
    fn what_a_crate_imports_is_not_what_the_program_calls_so() {
        let program =
            ["vec", "own", "far"].map(|name| format!("macro_rules! {name} {{ () => {{}} }}"));
        let mut names = Names {
            module: "lib".to_owned(),
            before: Before::of(program.into_iter()),
            ..empty()
        };
        names.prelude.insert("c".to_owned(), "crate::c_".to_owned());
        let text = "use a::vec; fn f() { vec![own!()] } fn g() { use c::own; own!() } mod m { use b::*; fn h() { far!(); vec![]; ::c::own!() } fn l() { use b::vec; vec![] } fn n() { use std::vec; vec![1] } } \
                    mod n { macro_rules! own { () => {} } mod o { use b::own; fn i() { own!() } } } pub(crate) use own; fn j() { own!() } \
                    macro_rules! own { () => {} } fn k() { own!() }";
        let expected = text
            .replace("f() { vec![own", "f() { self::vec![self::own")
            .replace("use c::own; own", "use crate::c_::own; crate::c_::own")
            .replace("::c::own!()", "crate::c_::own!()")
            .replace("h() { far!(); vec!", "h() { self::far!(); ::std::vec!")
            .replace("vec![1]", "::std::vec![1]")
            .replace("j() { own", "j() { self::own");
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_a_macro_makes_by_name_hides_a_crate() {
        let mut names = Names {
            prelude: BTreeMap::from([("geom".to_owned(), "crate::geom_".to_owned())]),
            namesakes: Namesakes {
                making: BTreeSet::from(["make".to_owned()]),
                ..Namesakes::default()
            },
            ..empty()
        };
        let text = "mod a { make!(geom); fn f() { geom::x() } } mod b { make!(y, geom::T); fn f() { geom::x() } } mod c { show!(geom); fn f() { geom::x() } } \
                    mod d { make!(y { geom!(1) }); fn f() { geom::x() } }";
        let expected = "mod a { make!(geom); fn f() { geom::x() } } mod b { use crate::geom_::{self as geom};\nmake!(y, geom::T); fn f() { crate::geom_::x() } } \
                        mod c { show!(geom); fn f() { crate::geom_::x() } } mod d { make!(y { geom!(1) }); fn f() { crate::geom_::x() } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn the_root_alone_is_no_path() {
        let is_bare = |text: &str| has_bare_root(text.parse().unwrap());
        for text in [
            "macro_rules! m { () => { $crate::n!(@ $crate x) } }",
            "fn f() { root!(crate) }",
        ] {
            assert!(is_bare(text), "{text}");
        }
        let text = "pub(crate) mod m { pub(in crate::m) use crate::{a}; extern crate b; macro_rules! n { () => { $crate::f!(crate::x) } } }";
        assert!(!is_bare(text));
    }

    #[test]
    fn a_program_may_name_itself() {
        stays("extern crate self as me; fn f() { me::f() }");
    }

    #[test]
    fn a_crate_that_is_declared_is_not_imported_again() {
        assert_eq!(
            rewritten("extern crate geom as g; fn f() { m!(g::x) } mod a { extern crate geom; fn f() { m!(geom::x) } }", "geom"),
            " use crate::geom as g; fn f() { m!(g::x) } mod a {  use crate::geom as geom; fn f() { m!(geom::x) } }"
        );
    }

    #[test]
    fn a_crate_that_the_judge_has_keeps_its_name() {
        let of = |text: &str| rewrite(text, &mut empty()).unwrap();
        assert_eq!(
            of("extern crate far as f; use f::g; mod a { use f::h; fn k() { f::g(); crate::f::g(); } }"),
            " use ::far as f; use ::far::g; mod a { use ::far::h; fn k() { ::far::g(); crate::f::g(); } }"
        );
        assert_eq!(
            of("#[macro_use] extern crate far as f; pub extern crate near as n;"),
            "#[macro_use] extern crate far as f; pub(crate) use ::near as n;"
        );
        // Where it is a part of what it stands in.
        let kept = "extern crate far; use far::g; mod a { fn k() { far::g(); crate::far::g(); } }";
        assert_eq!(of(kept), kept);
        assert_eq!(
            of("mod a { extern crate far; fn k() { self::far::g(); } } extern crate near; use near::f;"),
            "mod a {  use ::far as far; fn k() { self::far::g(); } }  use near::f;"
        );
        // Should it be put into the text after all, it is the module.
        let mut inlined = Names {
            leading_only: true,
            prelude: [("far".to_owned(), "crate::far".to_owned())].into(),
            ..empty()
        };
        let text = "extern crate near; extern crate far; fn k() { crate::far::g(); ::far::g(); }";
        assert_eq!(
            rewrite(text, &mut inlined).unwrap(),
            "extern crate near;  fn k() { crate::far::g(); crate::far::g(); }"
        );
    }

    #[test]
    fn a_macro_is_that_of_a_crate_where_no_own_is_in_scope() {
        let mut names = Names {
            prelude: BTreeMap::from([("geom".to_owned(), "crate::geom".to_owned())]),
            macros: ["m", "n"]
                .map(|name| (name.to_owned(), "crate::geom".to_owned()))
                .into(),
            ..empty()
        };
        let text = "fn f() { m!() } mod a { fn f() { m!(); n!() } } macro_rules! m { () => {} } mod b { fn f() { m!() } } fn g() { m!() }";
        let expected = "fn f() { crate::geom::m!() } mod a { use crate::geom::n;\nfn f() { crate::geom::m!(); n!() } } \
                        macro_rules! m { () => {} } mod b { fn f() { m!() } } fn g() { m!() }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        // Where it is passed on it is there, and may not be hidden.
        let text = "pub use geom::{k, m}; fn f() { m!(); n!() } mod a { pub use geom::*; fn f() { m!() } } \
                    mod b { use geom::h::*; use x::m; fn f() { n!() } }";
        let expected = "use crate::geom::n;\npub(crate) use geom::{k, m}; fn f() { m!(); n!() } mod a { pub(crate) use crate::geom::*; fn f() { m!() } } \
                        mod b { use crate::geom::n;\nuse crate::geom::h::*; use x::m; fn f() { n!() } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        // What a module defines may be seen behind it.
        let text = "mod a { macro_rules! m { () => {} } } fn f() { m!() } #[macro_use] mod b { macro_rules! m { () => {} } } fn g() { m!() }";
        let expected = "mod a { macro_rules! m { () => {} } } fn f() { crate::geom::m!() } \
                        #[macro_use] mod b { macro_rules! m { () => {} } } fn g() { m!() }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_an_own_macro_calls_is_in_scope_where_it_is_called() {
        let text = "#[macro_export] macro_rules! n { () => { m!() } } #[macro_export] macro_rules! o { () => { $crate::n!() } } \
                    mod a { crate::o!(); } mod b { use crate::n; n!(); } mod c { p!(); }";
        let macros = BTreeMap::from([("m".to_owned(), "crate::geom".to_owned())]);
        let mut names = Names {
            calling: calling(&[text], &macros),
            macros,
            ..empty()
        };
        let expected = "use crate::geom::m;\n#[macro_export] macro_rules! n { () => { m!() } } #[macro_export] macro_rules! o { () => { $crate::n!() } } \
                        mod a { use crate::geom::m;\ncrate::o!(); } mod b { use crate::geom::m;\nuse crate::n; n!(); } mod c { p!(); }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_the_macros_of_a_crate_call_by_name_is_in_scope_where_they_are_called() {
        let of_crate = "macro_rules! m { () => { n!() } } macro_rules! n { () => { $crate::o!() } } macro_rules! o { () => { p!(q!()) } }";
        let path = "crate::geom".to_owned();
        let macros = ["m", "n", "o", "p", "q"].map(|name| (name.to_owned(), path.clone()));
        let macros = BTreeMap::from(macros);
        let imports = |text: &str| {
            let mut names = Names {
                calling: calling(&[of_crate, text], &macros),
                macros: macros.clone(),
                ..empty()
            };
            let text = rewrite(text, &mut names).unwrap();
            let imports = text
                .lines()
                .filter_map(|line| line.strip_prefix("use crate::geom::"));
            imports.collect::<String>()
        };
        assert_eq!(imports("fn f() { m!(); }"), "m;n;p;q;");
        assert_eq!(imports("fn f() { A { b: q!() }; }"), "q;");
        assert_eq!(imports("fn f() { a::q!(); r!(); }"), "");
    }

    #[test]
    fn what_a_macro_puts_into_a_module_needs_its_whole_path() {
        let mut names = Names {
            prelude: BTreeMap::from([("geom".to_owned(), "crate::geom".to_owned())]),
            namesakes: Namesakes {
                enclosing: BTreeSet::from(["m".to_owned()]),
                ..Namesakes::default()
            },
            ..empty()
        };
        let text = "m! { a, geom::A } n! { geom::A } macro_rules! m { ($n:ident, $t:ty) => { mod $n { use geom::f; type T = $t; } } }";
        let expected = "m! { a, crate::geom::A } n! { geom::A } \
                        macro_rules! m { ($n:ident, $t:ty) => { mod $n { use crate::geom::f; type T = $t; } } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_a_macro_leads_on_from_may_be_a_crate() {
        let mut names = Names {
            prelude: BTreeMap::from([("g".to_owned(), "crate::geom".to_owned())]),
            namesakes: Namesakes {
                leading: BTreeSet::from(["m".to_owned()]),
                ..Namesakes::default()
            },
            ..empty()
        };
        let text = "n!(g); mod a { m! { f, (g) } }";
        let expected = "n!(g); mod a { use crate::geom::{self as g};\nm! { f, (g) } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        // Where it is imported among others.
        let text = "mod a { /* A */ const A: u8 = 1; use self::b; m! { f, (g) } }";
        let expected = "mod a { /* A */ const A: u8 = 1; use crate::geom::{self as g};\n\
                        use self::b; m! { f, (g) } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        let leads = |rules: &str| leads_on(rules.parse().unwrap());
        assert!(leads("($m:ident) => { { use $m::f; } }"));
        assert!(!leads("($m:ident: $t:ty) => { $crate::f::<$t>($m) }"));
    }

    #[test]
    fn an_extern_crate_that_changes_nothing_goes() {
        let of = |edition: u16, text: &str| {
            let mut names = Names {
                module: "a".to_owned(),
                edition,
                own: false,
                ..empty()
            };
            rewrite(text, &mut names).unwrap()
        };
        let plain = "#[macro_use] extern crate std; use std::vec; mod b { use ::std::rc; }";
        assert_eq!(
            of(2018, plain).trim(),
            "use std::vec; mod b { use ::std::rc; }"
        );
        let stays = |text: &str| of(2021, text).contains("use ::std as");
        for named in [
            "extern crate std; mod b { use crate::std::vec; }",
            "extern crate std; mod b { use super::{std::vec, c}; }",
            "extern crate std; macro_rules! m { () => { $crate::std::vec![] } }",
            "extern crate std as other;",
            "pub extern crate std;",
            "mod b { extern crate std; }",
        ] {
            assert!(stays(named), "{named}");
        }
        assert!(of(2015, plain).contains("use ::std as"));
    }

    #[test]
    fn rules_may_be_for_the_root() {
        let text = "macro_rules! m { ($x:ident) => {}; (a (crate::$x:ident)) => {} } \
                    macro_rules! n { (crate $x:ident) => { crate::f() }; ($crate::$x:ident) => {} }";
        let macros = rules_for_root(text);
        assert_eq!(macros, BTreeSet::from(["m".to_owned()]));
        let called = |text: &str| called_with_root(text.parse().unwrap(), &macros);
        assert_eq!(
            called("fn f() { a::m!(b, (crate::x)) }"),
            Some("m".to_owned())
        );
        assert_eq!(called("fn f() { m!(x); n!(crate::x); crate::m!(x) }"), None);
    }

    #[test]
    fn crates_are_declared_in_functions() {
        assert_eq!(
            rewritten("fn f() { extern crate geom as g; extern crate geom; g::h(); m!(extern crate other;) }", "geom"),
            "fn f() { use crate::geom as g; use crate::geom as geom; g::h(); m!(extern crate other;) }"
        );
        let named = taken(
            "extern crate a; extern crate b as c;",
            &Namesakes::default(),
        );
        assert_eq!(named.unwrap(), BTreeSet::from(["c".to_owned()]));
        // Macros of a crate that the judge has come by no other way.
        let text = "#[macro_use(f)] extern crate a; extern crate b;";
        assert_eq!(
            rewritten(text, "geom").trim(),
            "#[macro_use(f)] extern crate a;"
        );
    }

    #[test]
    fn a_crate_goes_by_its_name_where_its_module_has_another() {
        assert_eq!(
            rewritten(
                "use geom::{self, a}; mod geom_a {} fn f() { geom::b() }",
                "geom_"
            ),
            "use crate::geom_::{self as geom, a}; mod geom_a {} fn f() { crate::geom_::b() }",
        );
    }

    #[test]
    fn what_was_for_the_crate_stays_in_its_module() {
        let mut names = Names {
            module: "geom".to_owned(),
            ..empty()
        };
        let text = "pub(crate) struct S { pub(crate) a: u8 } macro_rules! m { () => { pub(crate) fn f() {} } } \
                    pub(crate) mod m_macro { pub(crate) use m; } \
                    mod a { pub(in crate) fn f() {} impl S { pub(crate) fn g() {} } mod b { pub(crate) fn f() {} pub(super) fn h() {} } }";
        let expected = " struct S {  a: u8 } macro_rules! m { () => { pub(crate) fn f() {} } } \
                    pub(crate) mod m_macro { pub(crate) use m; } \
                    mod a { pub(super) fn f() {} impl S { pub(super) fn g() {} } mod b { pub(in crate::geom) fn f() {} pub(super) fn h() {} } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn a_function_called_like_its_crate_hides_no_crate() {
        let text = "mod a { use geom::{geom, x}; use geom::y; }";
        let expected = "mod a { use crate::geom::{geom, x}; use crate::geom::y; }";
        assert_eq!(rewritten(text, "geom"), expected);
        // A module does, but not in the import itself.
        let mut names = Names {
            prelude: BTreeMap::from([("geom".to_owned(), "crate::geom_".to_owned())]),
            namesakes: Namesakes {
                modules: BTreeSet::from(["geom".to_owned()]),
                ..Namesakes::default()
            },
            ..empty()
        };
        let text = "use geom::geom; fn f() { geom::x() }";
        let expected = "use crate::geom_::geom; fn f() { geom::x() }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        let taken = taken(text, &names.namesakes).unwrap();
        assert!(taken.contains("geom"));
        // It has a module of its own that is called so.
        let own = "mod geom { pub fn x() {} } use geom::*;";
        assert_eq!(rewrite(own, &mut names).unwrap(), own);
        let text = "use geom::*; fn f() { geom::x() }";
        let expected = "use crate::geom_::*; fn f() { geom::x() }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_all_names_of_a_crate_bring_hides_another() {
        let crates = ["a", "geom"].map(|of| (of.to_owned(), format!("crate::{of}_")));
        let path = ["a", "b"].map(str::to_owned).to_vec();
        let mut names = Names {
            prelude: BTreeMap::from(crates),
            namesakes: Namesakes {
                brought: BTreeMap::from([(path, BTreeSet::from(["geom".to_owned()]))]),
                ..Namesakes::default()
            },
            ..empty()
        };
        let text = "use a::b::*; fn f() { geom::x(); ::geom::x() } mod m { use super::*; fn g() { geom::x() } } \
                    mod n { use a::*; fn h() { geom::x() } }";
        let expected = "use crate::a_::b::*; fn f() { geom::x(); crate::geom_::x() } mod m { use super::*; fn g() { geom::x() } } \
                    mod n { use crate::a_::*; fn h() { crate::geom_::x() } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        assert!(taken(text, &names.namesakes).unwrap().contains("geom"));
        let text =
            "pub mod m { pub mod n {} struct S; } pub use m as o; pub type T = u8; fn f() {}";
        let of = |module: &[&str], names: [&'static str; 2]| {
            let module: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
            types(text, &module, names, 2021)
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&[], ["o", "f"]), ["o"]);
        assert_eq!(of(&[], ["T", "n"]), ["T"]);
        assert_eq!(of(&["o"], ["n", "S"]), ["n"]);
    }

    #[test]
    fn a_module_for_the_standard_library_stays_the_one_that_is_meant() {
        let mut names = Names {
            module: "geom".to_owned(),
            ..empty()
        };
        let text = "mod base { pub mod std { pub use core::*; } } mod next { pub use super::base::*; } \
                    mod a { use super::next::*; use std::fmt; } mod b { use super::base::*; use super::base::std; }";
        let expected = "mod base { pub mod std { pub use core::*; } } mod next { use crate::geom::base::std;\npub use super::base::*; } \
                    mod a { use crate::geom::base::std;\nuse super::next::*; use std::fmt; } mod b { use super::base::*; use super::base::std; }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn what_other_crates_have_is_passed_on_as_far_as_it_is_seen() {
        let text = "pub use geom::min; pub use geom::{Point, a::Line}; pub use crate::x;";
        let expected =
            "pub(crate) use geom::min; pub(crate) use geom::{Point, a::Line}; pub use crate::x;";
        assert_eq!(rewritten(text, "geom"), expected);
        let through = "mod m { pub use geom::Point as P; pub use super::{y, n::z}; } pub use m::{P, y}; pub use geom::*; \
                       mod n { pub use super::y; pub use super::w; pub fn z() {} }";
        let expected = "mod m { pub(crate) use crate::geom::Point as P; pub(crate) use super::{y, n::z}; } pub(crate) use m::{P, y}; pub(crate) use geom::*; \
                       mod n { pub(crate) use super::y; pub(crate) use super::w; pub fn z() {} }";
        assert_eq!(rewritten(through, "geom"), expected);
        let renamed = "pub extern crate geom as g; pub mod m { pub use crate::g::Point; }";
        let expected =
            "pub(crate) use crate::geom as g; pub mod m { pub(crate) use crate::g::Point; }";
        assert_eq!(rewritten(renamed, "geom"), expected);
        let body = "const _: () = { mod m { pub use geom as g; pub use std::fmt; } };";
        let expected =
            "const _: () = { mod m { pub(crate) use crate::geom as g; pub use std::fmt; } };";
        assert_eq!(rewritten(body, "geom"), expected);
        let renamed = "pub use geom as g; pub use g::Point;";
        let expected = "pub(crate) use geom as g; pub(crate) use g::Point;";
        assert_eq!(rewritten(renamed, "geom"), expected);
    }

    #[test]
    fn paths_begin_behind_parameters() {
        let text = "impl<T: ::geom::B<u8>, F: Fn() -> T> ::geom::A for S<T> where for<'a> ::geom::C<'a>: D { \
                    fn f() { Vec::<u8>::geom::x(); <T>::geom::y(); a::<::geom::Z>::geom::z() } }";
        let expected = "impl<T: crate::geom::B<u8>, F: Fn() -> T> crate::geom::A for S<T> where for<'a> crate::geom::C<'a>: D { \
                    fn f() { Vec::<u8>::geom::x(); <T>::geom::y(); a::<crate::geom::Z>::geom::z() } }";
        assert_eq!(rewritten(text, "geom"), expected);
    }

    #[test]
    fn imports_of_all_names_are_found() {
        let text =
            "use a::*; use ::b::{c::*, d}; use {e::f, g::*}; mod m { fn f() { use h::i::*; } }";
        let found = imported_whole(text).into_iter().map(|path| path.join("::"));
        assert_eq!(found.collect::<Vec<_>>(), ["a", "b::c", "g", "h::i"]);
    }

    #[test]
    fn a_macro_called_like_a_crate_hides_no_crate() {
        let text = "use a::{b::c, d}; use ::a::e as f; fn g() { use {a::*, geom}; use a::geom; }";
        let path = |of: &str| -> Vec<String> { of.split("::").map(str::to_owned).collect() };
        let value = |of: &str, called: &str| (path(of), called.to_owned());
        let values = [
            value("a::b::c", "c"),
            value("a::d", "d"),
            value("a::e", "f"),
            value("a::geom", "geom"),
        ];
        assert_eq!(imported_from(text), BTreeSet::from(values));
        let mut names = Names {
            prelude: BTreeMap::from(
                ["a", "geom"].map(|of| (of.to_owned(), format!("crate::{of}"))),
            ),
            ..empty()
        };
        let text = "use a::geom; use geom::f; mod m { use a::geom; fn g() { geom::h(); geom!() } }";
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            text.replace("m { use a", "m { use crate::a")
        );
        names.namesakes.values.insert(value("a::geom", "geom"));
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            text.replace("m { use a", "m { use crate::a")
                .replace("geom::h", "crate::geom::h")
        );
        let hiding = taken(text, &names.namesakes).unwrap();
        assert_eq!(hiding, BTreeSet::from(["f", "m"].map(str::to_owned)));
        names.namesakes.values.insert(value("a::b::f", "a"));
        let text = "use a::b::{f as a, f as c};";
        let hiding = taken(text, &names.namesakes).unwrap();
        assert_eq!(hiding, BTreeSet::from(["c".to_owned()]));
    }

    #[test]
    fn a_type_of_a_crate_is_found_through_imports() {
        let has_type = |text: &str| !types(text, &[], ["a"], 2021).is_empty();
        assert!(has_type("pub mod a {}"));
        assert!(has_type("mod b { pub struct a; } pub use b::a;"));
        assert!(has_type("mod b { pub mod a {} } pub use b::*;"));
        assert!(!has_type("mod a { pub fn a() {} } pub use a::a;"));
        assert!(!has_type("pub fn a() {}"));
    }

    #[test]
    fn what_a_program_has_is_taken() {
        let text = "use std::mem; use a::{self, b as c}; use d::{d, e}; struct S; fn f() {} \
                    mod m { pub mod n { pub struct O; struct P; } } mod q { use crate::m::n::*; }";
        let found: Vec<String> = taken(text, &Namesakes::default())
            .unwrap()
            .into_iter()
            .collect();
        assert_eq!(found, ["O", "S", "c", "e", "m", "mem", "q"]);
    }

    #[test]
    fn old_ranges_get_their_new_sign() {
        let mut names = Names {
            edition: 2018,
            ..empty()
        };
        let text = "extern { fn f(a: u8, ...); } fn g(c: char) { match c { 'a'...'z' | A ... B => {} _ => {} } m!(1 ... 2) }";
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            text.replace("'...'", "'..='")
                .replace("A ... B", "A ..= B")
                .replace("1 ...", "1 ..=")
        );
    }

    #[test]
    fn what_exports_a_macro_goes_no_further_than_the_macro() {
        let mut names = Names {
            module: "a".to_owned(),
            ..empty()
        };
        let text = "macro_rules! m { () => {} } pub(crate) use m; \
                    pub mod p { pub use crate::m; pub use crate::m as n; pub use crate::f; }";
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            "macro_rules! m { () => {} } pub(crate) use m; \
             pub mod p { pub(crate) use crate::a::m; pub(crate) use crate::a::m as n; pub use crate::a::f; }"
        );
        // Nor less far, whatever it is called.
        let text = "macro_rules! make_macro { () => {} } pub(crate) use make_macro;";
        assert_eq!(rewrite(text, &mut names).unwrap(), text);
    }

    #[test]
    fn a_macro_called_like_its_crate_is_passed_on() {
        let text =
            "macro_rules! geom { () => { geom::f() } } pub(crate) use geom; mod m { use geom; }";
        let expected = text
            .replace("geom::f", "crate::geom::f")
            .replace("{ use geom", "{ use crate::geom");
        for edition in [2015, 2021] {
            let mut names = Names {
                module: "geom".to_owned(),
                edition,
                prelude: BTreeMap::from([("geom".to_owned(), "crate::geom".to_owned())]),
                own: false,
                ..empty()
            };
            assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        }
    }

    #[test]
    fn dyn_is_a_name_where_no_trait_follows() {
        let text = "fn f(a: &'a mut dyn ::std::any::Any, b: Box<dyn ::std::any::Any>, c: Box<dyn Tr>) { m!(dyn, 1; Option<&dyn $x>; a::dyn::f(), a.dyn(), b::dyn(1), a.dyn as u8, fn dyn(), &dyn (Tr), [impl<$($x),*> dyn $y<$z>]) }";
        let mut names = Names {
            edition: 2015,
            prelude: BTreeMap::from([("std".to_owned(), "::std".to_owned())]),
            ..empty()
        };
        let expected = text
            .replace("dyn,", "r#dyn,")
            .replace("dyn::f", "r#dyn::f")
            .replace(".dyn", ".r#dyn")
            .replace("b::dyn", "b::r#dyn")
            .replace("fn dyn", "fn r#dyn");
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
    }

    #[test]
    fn the_module_alloc_is_not_the_crate() {
        let text = "extern crate alloc; fn f() { alloc::vec![]; } mod a { use alloc::alloc; fn g() { alloc::dealloc(); } }";
        let units = [Unit::sample(Path::new("lib.rs"))];
        let mut names = Names {
            module: "a".to_owned(),
            own: false,
            namesakes: namesakes(&units, 0, text),
            ..empty()
        };
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            " use ::std as alloc; fn f() { ::std::vec![]; } mod a { use ::std::alloc; fn g() { alloc::dealloc(); } }"
        );
        // The function of that name does not.
        let text =
            "extern crate alloc; use alloc::alloc::{alloc, Layout}; fn f() { alloc::vec![]; }";
        assert_eq!(
            rewrite(text, &mut names).unwrap(),
            " use ::std as alloc; use ::std::alloc::{alloc, Layout}; fn f() { ::std::vec![]; }"
        );
    }

    #[test]
    fn imports_in_braces_alone_become_several() {
        let mut names = Names {
            module: "a".to_owned(),
            prelude: BTreeMap::from([("alloc".to_owned(), "::std".to_owned())]),
            own: false,
            ..empty()
        };
        let text =
            "#[cfg(x)] pub use {alloc::{vec, rc::Rc}, core::fmt,}; use {crate::b}; use ::{c, d};";
        let found = rewrite(text, &mut names).unwrap();
        assert_eq!(
            found.parse::<TokenStream>().unwrap().to_string(),
            "# [cfg (x)] pub (crate) use :: std :: { vec , rc :: Rc } ; \
             # [cfg (x)] pub (crate) use core :: fmt ; use crate :: a :: b ; use :: { c , d } ;"
        );
        let mut found = |text: &str, own| {
            names.edition = 2015;
            names.own = own;
            let found = rewrite(text, &mut names).unwrap();
            found.parse::<TokenStream>().unwrap().to_string()
        };
        let expected = "use crate :: a :: c ; use crate :: a :: d :: e ;";
        assert_eq!(found("use ::{c, d::e};", false), expected);
        assert_eq!(found("use ::{c, d::e};", true), expected);
    }
}
