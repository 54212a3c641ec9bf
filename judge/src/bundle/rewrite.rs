//! Paths of a crate that becomes a module: `crate::x` is `crate::name::x`, and `other::x` is `crate::other::x`.
//!
//! The pass works on tokens, so that it reaches into macros as well, and edits the text by byte range.

mod declared;
pub(super) mod foreign;
mod imports;
mod macros;
pub(super) mod namesakes;
pub(super) mod no_std;
mod scopes;
mod walker;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Item, ItemMacro, ItemMod, ItemUse, Visibility};

pub use declared::{imported_as, imported_from, imported_whole, taken, types};
pub use imports::{listed_macros, uses_macros};
pub use macros::{called_with_root, calling, has_bare_root, is_standard, leads_on, rules_for_root};

use super::text::source::{self, Edits};
use super::text::tokens::{is_block, is_ident, is_punct};
use declared::{declare, Paths};
use imports::{brings_macro, extern_crate, find_passed_on, is_idle, of_macro, visible, InBodies};
use macros::{called_macros, in_bodies};
use scopes::{below, Modules, DEPTH};
use walker::{Walker, Within};

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
    /// Macros of other crates that are imported by a path and are called like one of those, with the crates' names.
    pub imported: BTreeSet<(String, String)>,
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
        let mut direct = BTreeSet::new();
        defined_in_modules(&file.items, &mut direct);
        doubles.made = &names.defined - &direct;
    }
    module(&file.items, names, &modules, &[], &mut doubles, &mut edits);
    if !names.module.is_empty() {
        let root = own_root(names);
        let mut looking = LookingForCrate::default();
        if text.contains("(crate)") {
            looking.visit_file(&file);
        }
        let mut narrower = Narrower {
            root: &root,
            defined: &names.defined,
            looking: &looking.0,
            depth: 0,
            edits: &mut edits,
        };
        narrower.visit_file(&file);
    }
    Ok(edits.apply(text))
}

/// The macros that a text defines.
pub fn defined(text: &str) -> impl Iterator<Item = String> + '_ {
    const WORD: &str = "macro_rules";
    let definitions = text.match_indices(WORD).filter(|(at, _)| {
        let line = text[..*at].rfind('\n').map_or(0, |end| end + 1);
        // A comment may speak of one.
        !text[line..*at].contains("//")
    });
    let definitions = definitions.filter_map(|(at, _)| {
        let rest = text[at + WORD.len()..].trim_start();
        rest.strip_prefix('!')
    });
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

/// Writes how far `pub(crate)` went: outside of the crate, what is called so may be something else.
struct Narrower<'a> {
    root: &'a str,
    /// The macros: the modules that `load` made for them are meant for the whole file.
    defined: &'a BTreeSet<String>,
    /// Those of them that have rules for `pub(crate)`.
    looking: &'a BTreeSet<String>,
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

    // What goes further than the types it shows is an error, as in `impl Deref for NAME { type Target = … }`.
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        let called = item.mac.path.segments.last();
        let called = called.map(|last| last.ident.to_string());
        let passes_on = called.is_some_and(|name| {
            let own = self.defined.contains(&name) && !self.looking.contains(&name);
            own || name == "lazy_static"
        });
        if item.ident.is_none() && passes_on {
            self.narrow(item.mac.tokens.clone());
        }
    }

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

impl Narrower<'_> {
    fn narrow(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Group(group) = tree else {
                continue;
            };
            if at > 0 && is_ident(trees.get(at - 1), "pub") && is_for_crate(group) {
                let range = group.span().byte_range();
                self.edits.replace(range, format!("(in {})", self.root));
            } else {
                self.narrow(group.stream());
            }
        }
    }
}

/// Whether a group is that of `pub(crate)`.
fn is_for_crate(group: &Group) -> bool {
    group.delimiter() == Delimiter::Parenthesis && group.stream().to_string() == "crate"
}

/// The macros with rules for `pub(crate)`.
#[derive(Default)]
struct LookingForCrate(BTreeSet<String>);

impl<'ast> Visit<'ast> for LookingForCrate {
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        fn has(tokens: TokenStream) -> bool {
            tokens.into_iter().any(|tree| match tree {
                TokenTree::Group(group) => is_for_crate(&group) || has(group.stream()),
                _ => false,
            })
        }
        if let Some(name) = &item.ident {
            let trees: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
            let mut rules = trees.windows(2).filter(|trees| is_punct(trees.get(1), '='));
            if rules.any(|trees| has(trees[0].clone().into())) {
                self.0.insert(name.to_string());
            }
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
    /// The crate's own that macros define, so that nobody tells where they are in scope.
    made: BTreeSet<String>,
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
fn imported_macros(items: &[Item], names: &Names, doubles: &Doubles) -> BTreeSet<String> {
    let Doubles { before, made, .. } = doubles;
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
        let may_be_in_all = || !is_standard(name) && !made.contains(*name);
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
    let all_imported = imported_macros(items, names, doubles);
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

/// Where the braces of the module are that begins with `mod`: that of a macro may be called by a variable.
pub fn module_block(trees: &[TokenTree], at: usize) -> Option<usize> {
    let end = at + 2 + usize::from(is_punct(trees.get(at + 1), '$'));
    is_block(trees.get(end)).then_some(end)
}

fn colons(trees: &[TokenTree], at: usize) -> bool {
    matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint)
        && is_punct(trees.get(at + 1), ':')
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
            imported: BTreeSet::new(),
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
            "fn f(x: u8) -> bool { x > ::geom::N || 1 < x && x > ::geom::N && x >> ::geom::N > ::geom::N }",
            "fn f() { let a = b < c; let d = e > ::geom::N; }",
        ];
        for text in outside {
            assert_eq!(
                rewritten(text, "geometry"),
                text.replace("::geom", "crate::geometry")
            );
        }
        // These paths begin in front of it.
        stays("fn f<T: A>() { <&'a &&T as B<&mut &&C>>::geom::g(); a && <T as B<fn() -> C, &&D, E<F>>>::geom::g(); A::<B>::geom::g(); <T>::geom::g(); (T::geom)(1); m::geom::g(); r#in::geom::g() }");
    }

    #[test]
    fn names_of_blocks_and_parameters_are_no_crates() {
        let same = [
            "mod a { fn f() { use super::b as geom; geom::f() } }",
            "mod a { fn f() { mod geom { fn g() {} } geom::g() } }",
            "mod a { fn f<'a, const N: usize, geom: Tr<u8>>() -> i32 { geom::g() } }",
            "mod a { fn geom<T>() {} fn f() { geom::<i32>() } }",
            "mod a { union U<geom> { a: geom::A } }",
        ];
        same.iter().for_each(|text| stays(text));
        assert_eq!(
            rewritten("mod a { fn f() { union < geom::N; } }", "geom"),
            "mod a { fn f() { union < crate::geom::N; } }"
        );
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
        // All of a module may bring it, as long as the crate's own is not in scope.
        let text = "mod m { use b::*; fn f() { far!() } } macro_rules! far { () => {} } mod n { use b::*; fn f() { far!(); own!() } } \
                    macro_rules! make { () => { macro_rules! own { () => {} } } }";
        let expected = text.replace("{ far!() } }", "{ self::far!() } }");
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
    fn an_import_by_a_path_comes_before_the_macros_of_a_crate() {
        let mut names = Names {
            macros: BTreeMap::from([("m".to_owned(), "crate::geom".to_owned())]),
            imported: BTreeSet::from([("far".to_owned(), "n".to_owned())]),
            ..empty()
        };
        let text = "fn f() { m!() } mod a { use far::n as m; fn f() { m!() } } mod b { use far::m; fn f() { m!() } }";
        let expected =
            "use crate::geom::m;\nfn f() { m!() } mod a { use far::n as m; fn f() { m!() } } \
                        mod b { use crate::geom::m;\nuse far::m; fn f() { m!() } }";
        assert_eq!(rewrite(text, &mut names).unwrap(), expected);
        let text = "use a::n as m; use b::{m, c as n, d}; mod e { use ::f::g as m; use h::i::m; use k::*; }";
        let named = [("a", "n"), ("b", "m"), ("f", "g")];
        let named = named.map(|(of, name)| (of.to_owned(), name.to_owned()));
        assert_eq!(imported_as(text, &names.macros), BTreeSet::from(named));
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
    fn what_a_macro_gets_for_the_crate_stays_in_its_module() {
        let mut names = Names {
            module: "geom".to_owned(),
            ..empty()
        };
        let text = "macro_rules! m { ($v:vis $n:ident) => { pub(crate) fn f() {} } } macro_rules! o { ((pub(crate)) $n:ident) => {} } \
                    lazy_static! { pub(crate) static ref A: u8 = 1; } mod a { m!(pub(crate) x); } o!((pub(crate)) y); far! { pub(crate) z }";
        let expected = "macro_rules! m { ($v:vis $n:ident) => { pub(crate) fn f() {} } } macro_rules! o { ((pub(crate)) $n:ident) => {} } \
                    lazy_static! { pub(in crate::geom) static ref A: u8 = 1; } mod a { m!(pub(in crate::geom) x); } o!((pub(crate)) y); far! { pub(crate) z }";
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
        let root = "mod m { pub use crate as r; pub use super::{self as s, n}; pub use crate::{self as t}; pub mod n { pub use super::s; } }";
        let expected = "mod m { pub(crate) use crate as r; pub(crate) use super::{self as s, n}; pub(crate) use crate::{self as t}; pub mod n { pub(crate) use super::s; } }";
        assert_eq!(rewritten(root, "geom"), expected);
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
    fn what_edition_2015_sees_from_the_root_it_sees_from_its_own() {
        let text = "pub mod a { pub mod b { pub(in a) fn f() {} pub(in ::a::b) fn g() {} pub(in super) fn h() {} } pub(in self) fn i() { for _ in (x) {} } }";
        let expected = text
            .replace("in a", "in crate::geom::a")
            .replace("in ::a", "in crate::geom::a");
        let rewritten = |edition| {
            let mut names = Names {
                module: "geom".to_owned(),
                edition,
                ..empty()
            };
            rewrite(text, &mut names).unwrap()
        };
        assert_eq!(rewritten(2015), expected);
        assert_eq!(rewritten(2021), text);
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
