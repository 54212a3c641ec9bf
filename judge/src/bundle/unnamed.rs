//! What no used code names: types and traits that only their own impls name, functions, methods, macros, imports of these.
//!
//! The compiler takes an impl of a foreign trait as a use of all types in it, so that `impl From<A> for Option<B>` keeps both alive for
//! ever. Here a type counts as used only if something that is itself used names it. A type that no used code names has no value and can be
//! inferred nowhere; an impl with such a type in its header can never be selected. It may go, and with it the type.
//!
//! Names are compared as words, without resolving them: a word that occurs in used code makes all items of that name used. This keeps too much
//! rather than too little. Where a name could be one of the standard library's, it is taken as used.
//!
//! A trait has one more use than by its name: a method call in a module that it was imported to. So it goes only if no used code names it, and
//! no such module, nor any macro, names one of its items.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ImplItem, Item, TraitItem, UseTree};

use super::source;

/// Names of types that the prelude has, or that anybody may mean.
const PRELUDE: [&str; 12] = [
    "Option", "Result", "Vec", "String", "Box", "Some", "None", "Ok", "Err", "Self", "Fn",
    "Ordering",
];

struct Thing {
    range: Range<usize>,
    /// What it is called; an impl has no name, a trait that of its items too.
    names: Vec<String>,
    /// All words in it.
    words: BTreeSet<String>,
    /// Of an impl, the local names in its header.
    header: BTreeSet<String>,
    /// Used whatever names it.
    root: bool,
    /// The module that it is in.
    module: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Named by its name.
    Plain,
    /// Named by its name, or by an item of it where it is in scope.
    Trait,
    /// Its words go wherever it is called.
    Macro,
}

/// One name of an import.
struct Leaf {
    range: Range<usize>,
    what: String,
    name: String,
    /// What stands before `what` on the path.
    parent: Option<String>,
}

#[derive(Default)]
struct Survey {
    things: Vec<Thing>,
    /// Names of local types.
    types: BTreeSet<String>,
    /// Names that some module re-exports from the standard library; `*` is any.
    foreign: BTreeSet<String>,
    /// `use a as b`.
    aliases: BTreeMap<String, BTreeSet<String>>,
    leaves: Vec<Leaf>,
    /// Modules by the name of what they are in, `crate` for the file.
    inside: BTreeSet<(String, String)>,
    /// Names on the paths of imports.
    on_paths: BTreeSet<String>,
    /// For each name of a trait, the modules that define or import one so called.
    scopes: BTreeMap<String, BTreeSet<usize>>,
    /// The modules in which any trait may be in scope.
    globs: BTreeSet<usize>,
    /// The present module, and how many there are.
    module: usize,
    modules: usize,
}

/// The ranges of the items that are only named among themselves, and of what imports them.
pub fn unnamed(text: &str) -> syn::Result<Vec<Range<usize>>> {
    let file = syn::parse_file(text)?;
    let mut survey = Survey::default();
    // What a module re-exports from outside must be known before the first impl is looked at.
    reexported(&file.items, &mut survey.foreign);
    survey.items(&file.items, "crate");
    let dead_type = |survey: &Survey, used: &BTreeSet<String>, name: &String| {
        survey.types.contains(name) && !used.contains(name) && !survey.foreign.contains(name)
    };
    let mut used: BTreeSet<String> = PRELUDE.iter().map(|&name| name.to_owned()).collect();
    // An import may bring what is in a type.
    used.extend(survey.on_paths.intersection(&survey.types).cloned());
    let mut live = vec![false; survey.things.len()];
    // By module, and what macros bring anywhere.
    let mut used_in = vec![BTreeSet::new(); survey.modules + 1];
    let mut used_by_macros = BTreeSet::new();
    loop {
        let mut more = false;
        for (n, thing) in survey.things.iter().enumerate() {
            if live[n] {
                continue;
            }
            let in_scope = |item: &String| {
                let scope = survey.scopes.get(&thing.names[0]);
                let mut modules = scope.into_iter().flatten().chain(&survey.globs);
                used_by_macros.contains(item)
                    || modules.any(|&module| used_in[module].contains(item))
            };
            let named = match thing.kind {
                Kind::Trait => {
                    used.contains(&thing.names[0]) || thing.names[1..].iter().any(in_scope)
                }
                _ => thing.names.is_empty() || thing.names.iter().any(|name| used.contains(name)),
            };
            let lives = thing.root
                || named
                    && !thing
                        .header
                        .iter()
                        .any(|name| dead_type(&survey, &used, name));
            if lives {
                live[n] = true;
                more = true;
                if thing.words.contains("use") {
                    // An import inside of a function, perhaps of all names.
                    survey.globs.insert(thing.module);
                }
                used_in[thing.module].extend(thing.words.iter().cloned());
                if thing.kind == Kind::Macro {
                    used_by_macros.extend(thing.words.iter().cloned());
                }
                // A trait that is used by one of its items is used by its name too.
                for word in thing.words.iter().chain(thing.names.first()) {
                    used.insert(word.clone());
                    for original in survey.aliases.get(word).into_iter().flatten() {
                        used.insert(original.clone());
                    }
                }
            }
        }
        if !more {
            break;
        }
    }
    let things = survey.things.iter().zip(&live);
    let dead: BTreeSet<&String> = things
        .clone()
        .flat_map(|(thing, _)| thing.names.first())
        .filter(|&name| !used.contains(name))
        .collect();
    let leaves = survey.leaves.iter();
    Ok(things
        .filter(|(_, &live)| !live)
        .map(|(thing, _)| thing.range.clone())
        .chain(
            leaves
                .filter(|leaf| dead.contains(&leaf.what) && !used.contains(&leaf.name))
                .filter(|leaf| !survey.may_be_module(leaf))
                .map(|leaf| leaf.range.clone()),
        )
        .collect())
}

impl Survey {
    /// Whether an import may be one of a module.
    fn may_be_module(&self, leaf: &Leaf) -> bool {
        match leaf.parent.as_deref() {
            // A macro, by the order of the text.
            None => false,
            Some("self" | "super" | "crate") => {
                self.inside.iter().any(|(_, name)| *name == leaf.what)
            }
            Some(parent) => self
                .inside
                .contains(&(parent.to_owned(), leaf.what.clone())),
        }
    }

    /// The items of the module `parent`, which is `crate` for the file.
    fn items(&mut self, items: &[Item], parent: &str) {
        // Only what this module defines or imports by name from the file itself is surely not somebody else's.
        let mut here = BTreeSet::new();
        for item in items {
            match item {
                Item::Struct(i) => here.insert(i.ident.to_string()),
                Item::Enum(i) => here.insert(i.ident.to_string()),
                Item::Union(i) => here.insert(i.ident.to_string()),
                Item::Type(i) => here.insert(i.ident.to_string()),
                Item::Trait(i) => here.insert(i.ident.to_string()),
                Item::Use(i) if i.leading_colon.is_none() && !self.foreign.contains("*") => {
                    local_imports(&i.tree, false, &mut here);
                    true
                }
                _ => false,
            };
        }
        for item in items {
            let (name, is_type) = match item {
                Item::Struct(i) => (i.ident.to_string(), true),
                Item::Enum(i) => (i.ident.to_string(), true),
                Item::Union(i) => (i.ident.to_string(), true),
                Item::Type(i) => (i.ident.to_string(), true),
                Item::Fn(i) => (i.sig.ident.to_string(), false),
                Item::Const(i) if i.ident != "_" => (i.ident.to_string(), false),
                Item::Static(i) => (i.ident.to_string(), false),
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.modules += 1;
                        let name = module.ident.to_string();
                        // A private one can be imported only from near by.
                        let seen_from = match module.vis {
                            syn::Visibility::Inherited => "self",
                            _ => parent,
                        };
                        self.inside.insert((seen_from.to_owned(), name.clone()));
                        let outer = std::mem::replace(&mut self.module, self.modules);
                        self.items(items, &name);
                        self.module = outer;
                    }
                    continue;
                }
                Item::Use(item) => {
                    self.import(&item.tree, None);
                    continue;
                }
                Item::Macro(item) if item.ident.is_some() => {
                    (item.ident.as_ref().expect("just seen").to_string(), false)
                }
                Item::Impl(block) => {
                    let mut header = BTreeSet::new();
                    if let Some((path, _)) = &block.trait_ {
                        local_words(path.to_token_stream(), &mut header);
                    }
                    local_words(block.self_ty.to_token_stream(), &mut header);
                    let parameters: BTreeSet<String> = block
                        .generics
                        .params
                        .iter()
                        .filter_map(|parameter| match parameter {
                            syn::GenericParam::Type(p) => Some(p.ident.to_string()),
                            syn::GenericParam::Const(p) => Some(p.ident.to_string()),
                            syn::GenericParam::Lifetime(_) => None,
                        })
                        .collect();
                    header.retain(|word| !parameters.contains(word) && here.contains(word));
                    let mut words = BTreeSet::new();
                    all_words(block.generics.to_token_stream(), &mut words);
                    all_words(block.generics.where_clause.to_token_stream(), &mut words);
                    all_words(block.self_ty.to_token_stream(), &mut words);
                    if let Some((of, _)) = &block.trait_ {
                        all_words(of.to_token_stream(), &mut words);
                        for item in &block.items {
                            words_but_name(item.to_token_stream(), &mut words);
                        }
                        let thing = self.push(source::item_range(item), Vec::new(), words);
                        thing.header = header;
                        continue;
                    }
                    // The items of an inherent impl are called by their names, each for itself.
                    let mut named = Vec::new();
                    for item in &block.items {
                        let name = match item {
                            ImplItem::Fn(i) => Some(i.sig.ident.to_string()),
                            ImplItem::Const(i) => Some(i.ident.to_string()),
                            _ => None,
                        };
                        let mut inside = BTreeSet::new();
                        all_words(item.to_token_stream(), &mut inside);
                        match name {
                            Some(name) => named.push((source::impl_item_range(item), name, inside)),
                            None => words.extend(inside),
                        }
                    }
                    for (range, name, inside) in named {
                        let thing = self.push(range, vec![name], inside);
                        thing.header = header.clone();
                    }
                    let thing = self.push(source::item_range(item), Vec::new(), words);
                    thing.header = header;
                    continue;
                }
                Item::Trait(block) => {
                    self.types.insert(block.ident.to_string());
                    self.thing_of_trait(block);
                    continue;
                }
                _ => {
                    self.thing(item, None, BTreeSet::new(), true);
                    continue;
                }
            };
            if is_type {
                self.types.insert(name.clone());
            }
            let entry = parent == "crate" && name == "main";
            self.thing(item, Some(name), BTreeSet::new(), entry);
        }
    }

    fn push(
        &mut self,
        range: Range<usize>,
        names: Vec<String>,
        words: BTreeSet<String>,
    ) -> &mut Thing {
        self.things.push(Thing {
            range,
            names,
            words,
            header: BTreeSet::new(),
            root: false,
            module: self.module,
            kind: Kind::Plain,
        });
        self.things.last_mut().expect("just pushed")
    }

    fn thing(&mut self, item: &Item, name: Option<String>, header: BTreeSet<String>, root: bool) {
        let mut words = BTreeSet::new();
        words_but_name(item.to_token_stream(), &mut words);
        let kind = match item {
            Item::Macro(item) if item.ident.is_some() => Kind::Macro,
            _ => Kind::Plain,
        };
        let thing = self.push(source::item_range(item), name.into_iter().collect(), words);
        thing.header = header;
        thing.root = root;
        thing.kind = kind;
    }

    /// A trait may be used without its name, through a glob import, but then one of its items is named. A method that it
    /// provides goes by itself where nothing used has its name; the impls that override it follow the error.
    fn thing_of_trait(&mut self, block: &syn::ItemTrait) {
        let mut names = vec![block.ident.to_string()];
        let mut words = BTreeSet::new();
        all_words(block.generics.to_token_stream(), &mut words);
        all_words(block.generics.where_clause.to_token_stream(), &mut words);
        all_words(block.supertraits.to_token_stream(), &mut words);
        for item in &block.items {
            let name = match item {
                TraitItem::Fn(method) => {
                    let name = method.sig.ident.to_string();
                    if method.default.is_some() {
                        let mut inside = BTreeSet::new();
                        words_but_name(method.to_token_stream(), &mut inside);
                        self.push(method.span().byte_range(), vec![name.clone()], inside);
                        names.push(name);
                        continue;
                    }
                    Some(name)
                }
                TraitItem::Const(item) => Some(item.ident.to_string()),
                TraitItem::Type(item) => Some(item.ident.to_string()),
                _ => None,
            };
            names.extend(name);
            words_but_name(item.to_token_stream(), &mut words);
        }
        let scope = self.scopes.entry(block.ident.to_string()).or_default();
        scope.insert(self.module);
        self.push(block.span().byte_range(), names, words).kind = Kind::Trait;
    }

    fn import(&mut self, tree: &UseTree, parent: Option<&str>) {
        match tree {
            UseTree::Path(path) => {
                let name = path.ident.to_string();
                self.on_paths.insert(name.clone());
                self.import(&path.tree, Some(&name));
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, parent);
                }
            }
            UseTree::Rename(leaf) => {
                self.aliases
                    .entry(leaf.rename.to_string())
                    .or_default()
                    .insert(leaf.ident.to_string());
                let (what, name) = (leaf.ident.to_string(), leaf.rename.to_string());
                let scope = self.scopes.entry(what.clone()).or_default();
                scope.insert(self.module);
                self.leaves.push(Leaf {
                    range: leaf.span().byte_range(),
                    what,
                    name,
                    parent: parent.map(str::to_owned),
                });
            }
            UseTree::Name(leaf) => {
                let name = leaf.ident.to_string();
                let scope = self.scopes.entry(name.clone()).or_default();
                scope.insert(self.module);
                self.leaves.push(Leaf {
                    range: leaf.span().byte_range(),
                    what: name.clone(),
                    name,
                    parent: parent.map(str::to_owned),
                });
            }
            UseTree::Glob(_) => {
                self.globs.insert(self.module);
            }
        }
    }
}

/// The names that modules re-export from outside of the file.
fn reexported(items: &[Item], names: &mut BTreeSet<String>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    reexported(items, names);
                }
            }
            Item::Use(item) if !matches!(item.vis, syn::Visibility::Inherited) => {
                let outside = item.leading_colon.is_some();
                foreign_names(&item.tree, outside, true, names);
            }
            _ => {}
        }
    }
}

/// The names that a `use` brings from the standard library, or from a crate that is not in the file.
fn foreign_names(tree: &UseTree, outside: bool, first: bool, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => {
            let std = ["std", "core", "alloc"]
                .iter()
                .any(|word| path.ident == word);
            foreign_names(&path.tree, outside || first && std, false, names);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                foreign_names(tree, outside, first, names);
            }
        }
        UseTree::Name(leaf) if outside => {
            names.insert(leaf.ident.to_string());
        }
        UseTree::Rename(leaf) if outside => {
            names.insert(leaf.rename.to_string());
        }
        UseTree::Glob(_) if outside => {
            names.insert("*".to_owned());
        }
        _ => {}
    }
}

/// The names that a `use` brings from the file itself. A name that the file re-exports from outside is defined nowhere in it.
fn local_imports(tree: &UseTree, local: bool, here: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => {
            let starts = ["crate", "self", "super"]
                .iter()
                .any(|word| path.ident == word);
            local_imports(&path.tree, local || starts, here);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                local_imports(tree, local, here);
            }
        }
        UseTree::Name(leaf) if local => {
            here.insert(leaf.ident.to_string());
        }
        _ => {}
    }
}

fn all_words(stream: TokenStream, words: &mut BTreeSet<String>) {
    for tree in stream {
        match tree {
            TokenTree::Ident(ident) => {
                words.insert(ident.to_string());
            }
            TokenTree::Group(group) => all_words(group.stream(), words),
            _ => {}
        }
    }
}

/// The words of an item, but for the name that it defines behind the first `fn`, `const` or `type`.
fn words_but_name(stream: TokenStream, words: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let any_of = |tree: &TokenTree, known: &[&str]| matches!(tree, TokenTree::Ident(ident) if known.iter().any(|word| ident == word));
    let name = trees.windows(2).position(|pair| {
        any_of(&pair[0], &["fn", "const", "type"])
            && matches!(pair[1], TokenTree::Ident(_))
            && !any_of(&pair[1], &["fn", "unsafe", "extern", "async"])
    });
    let name = name.map(|at| at + 1);
    let others = trees
        .into_iter()
        .enumerate()
        .filter(|&(at, _)| Some(at) != name);
    all_words(others.map(|(_, tree)| tree).collect(), words);
}

/// The last words of the paths in a header that do not lead out of the file.
fn local_words(stream: TokenStream, words: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let is_colon =
        |n: usize| matches!(trees.get(n), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(ident) => {
                let qualified = at >= 2 && is_colon(at - 1) && is_colon(at - 2);
                let leads_on = is_colon(at + 1) && is_colon(at + 2);
                if !qualified && !leads_on {
                    words.insert(ident.to_string());
                }
            }
            TokenTree::Group(group) => local_words(group.stream(), words),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(text: &str) -> Vec<&str> {
        let ranges = unnamed(text).unwrap();
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn types_that_name_each_other_go_with_their_impls() {
        let text = "struct A; struct B; struct C; impl From<A> for Option<B> {} impl Drop for C {} fn main() { C; }";
        assert_eq!(
            gone(text),
            ["struct A;", "struct B;", "impl From<A> for Option<B> {}"]
        );
    }

    #[test]
    fn an_impl_of_a_used_type_stays() {
        assert!(
            gone("struct C; impl Drop for C {} trait T {} impl T for u8 {} fn t(_: impl T) {} fn main() { C; t(1) }")
                .is_empty()
        );
        // What an associated type brings in is used, although only the impl names it.
        assert!(gone(
            "struct C; struct I; impl IntoIterator for C { type IntoIter = I; } fn main() { C; }"
        )
        .is_empty());
    }

    #[test]
    fn a_name_from_outside_is_used() {
        assert_eq!(
            gone("mod a { struct Iter; } use std::slice::Iter; trait T {} impl T for Iter<'_, u8> {} fn t(_: impl T) {} fn main() { t }"),
            Vec::<&str>::new()
        );
        assert!(gone(
            "struct A; impl T for std::A {} trait T {} fn t(_: impl T) {} fn main() { t }"
        )
        .is_empty());
        // A name that only a glob brings in is left alone.
        assert!(gone(
            "struct A; mod b { use std::fmt::*; use super::*; impl Debug for A {} } fn main() {}"
        )
        .is_empty());
    }

    #[test]
    fn a_name_passed_on_from_outside_is_not_the_local_one() {
        assert_eq!(
            gone("mod a { pub use std::slice::Iter; } mod b { struct Iter; } mod c { use crate::a::Iter; impl crate::T for Iter<'_, u8> {} } trait T {} fn t(_: impl T) {} fn main() { t }"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn a_trait_is_used_by_its_name_or_by_an_item() {
        let text = "mod a { pub trait T { fn a(&self) -> u8 { self.b() } fn b(&self) -> u8; fn c(&self) {} } impl T for u8 { fn b(&self) -> u8 { 1 } } }";
        assert_eq!(
            gone(&format!("{text} use a::*; fn main() {{ 1.b() }}")),
            ["fn a(&self) -> u8 { self.b() }", "fn c(&self) {}"]
        );
        assert_eq!(
            gone(&format!(
                "{text} use a::T; fn t(_: impl T) {{}} fn main() {{ t(1) }}"
            )),
            ["fn a(&self) -> u8 { self.b() }", "fn c(&self) {}"]
        );
        // Neither the import nor the impls keep it.
        assert_eq!(gone(&format!("{text} use a::T; fn main() {{}}")).len(), 5);
    }

    #[test]
    fn a_method_of_a_trait_is_called_where_the_trait_is_in_scope() {
        let text = "mod a { pub trait T { fn pow(&self) {} } impl T for u8 {} }";
        let gone_with = |rest: &str| gone(&format!("{text} {rest}")).len();
        // The method of the same name is another one.
        assert_eq!(gone_with("fn main() { 2u32.pow(3); }"), 2);
        assert_eq!(gone_with("use a::T as _; fn main() { 2u8.pow(); }"), 0);
        assert_eq!(gone_with("use a::*; fn main() { 2u8.pow(); }"), 0);
        assert_eq!(gone_with("fn main() { use a::*; 2u8.pow(); }"), 0);
        assert_eq!(gone_with("fn main() { a::T::pow(&2); }"), 0);
        assert_eq!(gone_with("macro_rules! m { ($x:expr) => { $x.pow() } } mod b { use crate::a::T; pub fn f() { m!(2u8) } } fn main() { b::f() }"), 0);
    }

    #[test]
    fn the_name_of_an_item_is_no_use_of_it() {
        let text = "struct A; struct B; struct C; struct D; trait T { const X: *const A; fn f(x: fn() -> B) -> C; unsafe fn g(); } fn t(_: impl T) {} impl D { const fn h() {} } fn main() { t(1) }";
        assert_eq!(
            gone(text),
            ["struct D;", "const fn h() {}", "impl D { const fn h() {} }"]
        );
    }

    #[test]
    fn a_method_is_called_by_its_name() {
        assert_eq!(
            gone("struct C; impl C { fn a(&self) { self.b() } fn b(&self) {} fn c(&self) { self.d() } fn d(&self) {} } fn main() { C.a() }"),
            ["fn c(&self) { self.d() }", "fn d(&self) {}"]
        );
    }

    #[test]
    fn an_alias_leads_to_what_it_names() {
        assert!(gone(
            "mod a { pub struct A; impl Drop for A {} } use crate::a::A as B; fn main() { B; }"
        )
        .is_empty());
    }
}
