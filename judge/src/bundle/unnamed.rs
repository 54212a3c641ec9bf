//! What no used code names: types and traits that only their own impls name, functions, methods, macros, imports of these.
//!
//! The compiler takes an impl of a foreign trait as a use of all types in it, so that `impl From<A> for Option<B>` keeps both alive for
//! ever. Here a type counts as used only if something that is itself used names it. A type that no used code names has no value and can be
//! inferred nowhere; an impl with such a type in its header can never be selected. It may go, and with it the type.
//!
//! A word in used code makes the items used that it leads to, by the imports of its module. Where that is not clear, in the call or the
//! definition of a macro above all, it makes all items of that name used: too much stays rather than too little. Behind a dot there is no
//! item of a module, and behind `Type::` none that another type has by itself; which type a method is called on nobody asks here.
//!
//! A trait has one more use than by its name: a method call in a module that it was imported to. So it goes only if no used code names it, and
//! no such module, nor any macro, names one of its items.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::follow::{Meaning, Names};
use super::index::{Index, Kind, Sort};
use super::words::{Before, Id, Words};

/// What can go by itself.
struct Thing {
    /// Nothing for what stands loose in a module, which never goes.
    node: Option<usize>,
    kind: ThingKind,
    /// What it is called, with the node of the name; an impl has no name, a trait that of its items too.
    names: Vec<(usize, Id)>,
    /// Of an impl, the types and traits of the file that its header names.
    header: Vec<usize>,
    /// Of an impl and of what is in it, the name of the type that it is for.
    of_type: Option<Id>,
    /// The places of its words in the list.
    words: Vec<usize>,
    module: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum ThingKind {
    /// Used whatever names it.
    Root,
    /// Used by its name, which needs no path but of modules.
    Item,
    /// Its words go wherever it is called.
    Macro,
    /// Used by its name, or by an item of it where it is in scope.
    Trait,
    /// An item that a trait provides.
    Provided,
    /// An item that a type has by itself.
    Inherent,
    /// Used where the types in its header are.
    Impl,
}

/// The things in a text, and their words.
pub struct Things {
    words: Words,
    list: Vec<Thing>,
    /// Names of types.
    types: BTreeSet<Id>,
    /// Names that do not tell which type it is: `type A = B`, and modules, which may look like types.
    unclear: BTreeSet<Id>,
    leaves: Vec<Leaf>,
    /// For each word, what it may name.
    named: Vec<Named>,
    /// For each node, the thing that it is or that it is in.
    of_nodes: Vec<usize>,
}

/// The items that a word means. Many words mean the same.
type Items = Rc<[usize]>;

/// What a word may name.
enum Named {
    /// A field, or an item of a trait or a type.
    Member,
    /// An item of the type before it: `A` of `A::b`.
    ItemOf(Id),
    /// An item of some type or trait.
    ItemOfAny,
    Items(Items),
    /// Anything so called.
    Anything,
}

/// One name of an import.
struct Leaf {
    node: usize,
    name: Id,
    /// What it is called where it comes from.
    original: Id,
    /// The names before it, if they lead to something in the file or to a crate.
    path: Vec<Id>,
}

/// What of the imports is left.
#[derive(Default)]
struct Imported {
    /// `use a as b`.
    aliases: BTreeMap<Id, BTreeSet<Id>>,
    /// Names on the paths of imports.
    on_paths: BTreeSet<Id>,
    /// For each name, the modules that import one so called.
    scopes: BTreeMap<Id, BTreeSet<Option<usize>>>,
    /// The modules in which any trait may be in scope.
    globs: BTreeSet<Option<usize>>,
}

/// The names that used code has.
#[derive(Default)]
struct Used {
    /// All but those of members, and those among them that may name anything.
    plain: BTreeSet<Id>,
    anything: BTreeSet<Id>,
    /// Before `!`.
    called: BTreeSet<Id>,
    /// The items that others name.
    nodes: BTreeSet<usize>,
    /// Behind a dot.
    members: BTreeSet<Id>,
    /// Behind a type or a trait; behind any; and with the type.
    items: BTreeSet<Id>,
    items_of_any: BTreeSet<Id>,
    items_of: BTreeSet<(Id, Id)>,
    /// By module, and what macros bring anywhere.
    by_module: BTreeMap<Option<usize>, BTreeSet<Id>>,
    by_macros: BTreeSet<Id>,
}

impl Things {
    pub fn new(index: &Index, names: &Names) -> Self {
        let mut words = Words::new(index);
        let mut list: Vec<Thing> = Vec::new();
        let mut types = BTreeSet::new();
        let mut unclear = BTreeSet::new();
        // What stands loose in the file comes first. Each node has the thing that it is, or that it is in.
        let thing = |node: Option<usize>, kind: ThingKind, module: Option<usize>| Thing {
            node,
            kind,
            names: Vec::new(),
            header: Vec::new(),
            of_type: None,
            words: Vec::new(),
            module,
        };
        list.push(thing(None, ThingKind::Root, None));
        let mut things: Vec<usize> = Vec::new();
        for (n, node) in index.nodes.iter().enumerate() {
            let module = index.module(n);
            let around = node.parent.map_or(0, |parent| things[parent]);
            let in_module = node.parent == module;
            let kind = match node.kind {
                Kind::Module => {
                    unclear.insert(words.number(&node.name));
                    things.push(list.len());
                    list.push(thing(None, ThingKind::Root, Some(n)));
                    continue;
                }
                Kind::Import | Kind::Arm | Kind::Implemented => None,
                Kind::Call => in_module.then_some(ThingKind::Root),
                Kind::Impl | Kind::InherentImpl => in_module.then_some(ThingKind::Impl),
                // In an impl that is no thing of its own, this is none either.
                Kind::Inherent => {
                    (list[around].kind == ThingKind::Impl).then_some(ThingKind::Inherent)
                }
                Kind::TraitItem => (node.is_function() && list[around].kind == ThingKind::Trait)
                    .then_some(ThingKind::Provided),
                Kind::Item if !in_module => None,
                Kind::Item => Some(match node.sort {
                    Sort::Macro => ThingKind::Macro,
                    Sort::Trait => ThingKind::Trait,
                    Sort::Value if node.name == "_" => ThingKind::Root,
                    Sort::Value if node.name == "main" && module.is_none() => ThingKind::Root,
                    _ => ThingKind::Item,
                }),
            };
            let id = words.number(&node.name);
            if node.kind == Kind::TraitItem && list[around].kind == ThingKind::Trait {
                list[around].names.push((n, id));
            }
            let Some(kind) = kind else {
                things.push(around);
                continue;
            };
            let mut found = thing(Some(n), kind, module);
            if kind != ThingKind::Impl {
                found.names.push((n, id));
            }
            if let Some(of) = &node.implements {
                for path in &of.header.paths {
                    if let Meaning::Items(items) = names.meaning(index, module, path) {
                        let is_type = |n: &usize| {
                            let sort = index.nodes[*n].sort;
                            matches!(sort, Sort::Type | Sort::Alias | Sort::Trait)
                        };
                        let types: Vec<usize> = items.into_iter().filter(is_type).collect();
                        // One of several would do.
                        found
                            .header
                            .extend(types.first().filter(|_| types.len() == 1));
                    }
                }
                found.of_type = node.for_type().map(|name| words.number(name));
            }
            if matches!(node.sort, Sort::Type | Sort::Alias | Sort::Trait) {
                types.insert(id);
            }
            if node.sort == Sort::Alias {
                unclear.insert(id);
            }
            things.push(list.len());
            list.push(found);
        }
        for (at, word) in words.list.iter().enumerate() {
            let node = word.node.map_or(0, |n| things[n]);
            list[node].words.push(at);
        }
        let mut leaves = Vec::new();
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n).unwrap_or_default();
                let modules = &path[..path.len().saturating_sub(1)];
                leaves.push(Leaf {
                    node: n,
                    name: words.number(&node.name),
                    original: words.number(node.original()),
                    path: modules.iter().map(|name| words.number(name)).collect(),
                });
            }
        }
        let mut found = Self {
            named: Vec::new(),
            words,
            list,
            types,
            unclear,
            leaves,
            of_nodes: things,
        };
        found.named = found.named(index, names);
        found
    }

    pub fn words(&self) -> &Words {
        &self.words
    }

    /// What the words may name.
    fn named(&self, index: &Index, names: &Names) -> Vec<Named> {
        let mut named: Vec<Named> = Vec::new();
        named.resize_with(self.words.list.len(), || Named::Anything);
        let mut known: BTreeMap<(Option<usize>, Id), Option<Items>> = BTreeMap::new();
        let (import, own) = (self.words.find("use"), self.words.find("Self"));
        let is_call = |n: usize| index.nodes[n].kind == Kind::Call;
        for thing in &self.list {
            let words = || thing.words.iter().map(|&at| (at, &self.words.list[at]));
            // An import in a function brings names of its own.
            let imports = words().any(|(_, word)| Some(word.id) == import);
            for (at, word) in words() {
                let is_clear = thing.kind != ThingKind::Macro
                    && !imports
                    && !word.in_call
                    && !word.node.is_some_and(is_call);
                named[at] = match (word.before, type_before(&self.words, at)) {
                    (Before::Dot, _) => Named::Member,
                    (Before::Brackets, _) => Named::ItemOfAny,
                    (_, Some(of)) if Some(of) == own => match thing.of_type {
                        Some(of) => Named::ItemOf(of),
                        None => Named::ItemOfAny,
                    },
                    (_, Some(of)) => Named::ItemOf(of),
                    (Before::Path, None) if self.is_behind_type(at) => Named::ItemOfAny,
                    (Before::Other, None) if is_clear => {
                        let meaning = known.entry((thing.module, word.id)).or_insert_with(|| {
                            let path = [self.words.text(word.id)];
                            items(names.meaning(index, thing.module, &path))
                        });
                        meaning.clone().map_or(Named::Anything, Named::Items)
                    }
                    (Before::Path, None) if is_clear => {
                        let path = self.path_to(at);
                        let meaning = path.map(|path| names.meaning(index, thing.module, &path));
                        meaning
                            .and_then(items)
                            .map_or(Named::Anything, Named::Items)
                    }
                    _ => Named::Anything,
                };
            }
        }
        named
    }

    /// Whether a word on the path to another is a type, or is behind one.
    fn is_behind_type(&self, at: usize) -> bool {
        let mut words = self.words.list[..=at].iter().rev();
        let mut before = words.next().map_or(Before::Other, |word| word.before);
        for word in words {
            let name = self.words.text(word.id);
            match before {
                Before::Path if name.starts_with(char::is_uppercase) => return true,
                Before::Path => before = word.before,
                _ => break,
            }
        }
        before == Before::Brackets
    }

    /// The path that ends in a word, if it is one of names alone.
    fn path_to(&self, at: usize) -> Option<Vec<&str>> {
        let mut path = Vec::new();
        for word in self.words.list[..=at].iter().rev() {
            path.push(self.words.text(word.id));
            match word.before {
                Before::Path => {}
                Before::Other => {
                    path.reverse();
                    return Some(path);
                }
                _ => return None,
            }
        }
        None
    }

    /// What is only named among itself, and what imports it, if some nodes are gone and some are kept. Others stay as long as what they are
    /// in does.
    pub fn unnamed(
        &self,
        index: &Index,
        names: &Names,
        gone: &BTreeSet<usize>,
        kept: &BTreeSet<usize>,
        stays: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut is_gone: Vec<bool> = Vec::with_capacity(index.nodes.len());
        for (n, node) in index.nodes.iter().enumerate() {
            is_gone.push(gone.contains(&n) || node.parent.is_some_and(|parent| is_gone[parent]));
        }
        let left = |node: &Option<usize>| !node.is_some_and(|n| is_gone[n]);
        let mut imported = self.imported(index, &is_gone);
        let things = self.list.iter().enumerate();
        let things: Vec<(usize, &Thing)> = things.filter(|(_, thing)| left(&thing.node)).collect();
        for (_, thing) in &things {
            if thing.kind == ThingKind::Trait {
                let scope = imported.scopes.entry(thing.names[0].1).or_default();
                scope.insert(thing.module);
            }
        }
        let mut used = Used::default();
        // An import may bring what is in a type.
        let on_paths = imported.on_paths.iter();
        used.anything
            .extend(on_paths.filter(|name| self.types.contains(name)));
        let mut live = vec![false; self.list.len()];
        let use_word = self.words.find("use");
        loop {
            let mut more = false;
            for &(n, thing) in &things {
                let stays = |n: usize| {
                    let around = index.nodes[n]
                        .parent
                        .map_or(0, |parent| self.of_nodes[parent]);
                    kept.contains(&n) || stays(n) && live[around]
                };
                let stays = thing.node.is_some_and(stays);
                if live[n] || !stays && !self.lives(thing, &used, &imported, &is_gone) {
                    continue;
                }
                live[n] = true;
                more = true;
                for &at in thing
                    .words
                    .iter()
                    .filter(|&&at| left(&self.words.list[at].node))
                {
                    let id = self.words.list[at].id;
                    if Some(id) == use_word {
                        // An import inside of a function, perhaps of all names.
                        imported.globs.insert(thing.module);
                    }
                    self.note(at, thing, &imported, &mut used);
                }
                // A trait that is used by one of its items is used by its name too.
                if thing.kind == ThingKind::Trait {
                    used.nodes.extend(thing.node);
                }
            }
            if !more {
                break;
            }
        }
        let live = &live;
        let named = |name: &Id| used.plain.contains(name) || used.has(name);
        let that = |lives: bool| {
            let found = things.iter().filter(move |(n, _)| live[*n] == lives);
            found.map(|(_, thing)| *thing)
        };
        let dead = || that(false);
        let names_of_dead: BTreeSet<Id> = dead()
            .flat_map(|thing| thing.names.first())
            .map(|(_, name)| *name)
            .collect();
        let macros = that(true).filter(|thing| thing.kind == ThingKind::Macro);
        let macros: BTreeSet<Id> = macros.map(|thing| thing.names[0].1).collect();
        let imports = self.leaves.iter().filter(|leaf| {
            let is_missing = match index.import_path(leaf.node).as_deref() {
                // A macro, by the order of the text.
                Some([_]) => !macros.contains(&leaf.original) && !used.plain.contains(&leaf.name),
                _ => !named(&leaf.original) && !named(&leaf.name),
            };
            !is_gone[leaf.node]
                && names_of_dead.contains(&leaf.original)
                && is_missing
                && !names.may_be_module(index, leaf.node)
        });
        let imports = imports.map(|leaf| leaf.node);
        dead()
            .filter_map(|thing| thing.node)
            .chain(imports)
            .collect()
    }

    /// What the imports that are left bring.
    fn imported(&self, index: &Index, is_gone: &[bool]) -> Imported {
        let mut found = Imported::default();
        for leaf in self.leaves.iter().filter(|leaf| !is_gone[leaf.node]) {
            let node = &index.nodes[leaf.node];
            let module = index.module(leaf.node);
            found.on_paths.extend(&leaf.path);
            if node.name == "*" {
                found.globs.insert(module);
                continue;
            }
            if leaf.name != leaf.original {
                found
                    .aliases
                    .entry(leaf.name)
                    .or_default()
                    .insert(leaf.original);
            }
            found
                .scopes
                .entry(leaf.original)
                .or_default()
                .insert(module);
        }
        found
    }

    fn lives(&self, thing: &Thing, used: &Used, imported: &Imported, is_gone: &[bool]) -> bool {
        let is_named =
            |node: usize, name: &Id| used.nodes.contains(&node) || used.anything.contains(name);
        let is_dead = |&node: &usize| {
            let (_, name) = self.list[self.of_nodes[node]].names[0];
            !is_named(node, &name)
        };
        if thing.header.iter().any(is_dead) {
            return false;
        }
        let mut names = thing
            .names
            .iter()
            .filter(|(node, _)| !is_gone[*node])
            .map(|(_, name)| name);
        match thing.kind {
            ThingKind::Root | ThingKind::Impl => true,
            ThingKind::Item => thing.names.iter().any(|(node, name)| is_named(*node, name)),
            // It needs no import below where it is defined.
            ThingKind::Macro => {
                names.any(|name| used.called.contains(name) || used.anything.contains(name))
            }
            ThingKind::Provided => names.any(|name| used.has(name)),
            ThingKind::Inherent => names.any(|name| match thing.of_type {
                Some(of) if !self.is_unclear(of, imported) => {
                    used.anything.contains(name)
                        || used.members.contains(name)
                        || used.items_of_any.contains(name)
                        || used.items_of.contains(&(of, *name))
                }
                _ => used.has(name),
            }),
            ThingKind::Trait => {
                let (node, own) = thing.names[0];
                names.next();
                let scope = imported.scopes.get(&own).into_iter().flatten();
                let modules: BTreeSet<_> = scope.chain(&imported.globs).collect();
                is_named(node, &own)
                    || names.any(|item| {
                        let mut modules = modules.iter();
                        used.by_macros.contains(item)
                            || modules.any(|module| {
                                used.by_module
                                    .get(module)
                                    .is_some_and(|all| all.contains(item))
                            })
                    })
            }
        }
    }

    /// Whether a name does not tell which type it is.
    fn is_unclear(&self, of: Id, imported: &Imported) -> bool {
        self.unclear.contains(&of) || imported.aliases.contains_key(&of)
    }

    /// Notes the use of a word.
    fn note(&self, at: usize, thing: &Thing, imported: &Imported, used: &mut Used) {
        let word = &self.words.list[at];
        match &self.named[at] {
            Named::Member => {
                used.members.insert(word.id);
            }
            Named::ItemOf(of) if !self.is_unclear(*of, imported) => {
                used.items_of.insert((*of, word.id));
                used.items.insert(word.id);
            }
            Named::ItemOfAny => {
                used.items_of_any.insert(word.id);
                used.items.insert(word.id);
            }
            Named::Items(items) => {
                used.nodes.extend(items.iter());
                used.plain.insert(word.id);
            }
            Named::Anything | Named::ItemOf(_) => {
                let originals = imported.aliases.get(&word.id).into_iter().flatten();
                for &id in originals.chain([&word.id]) {
                    used.anything.insert(id);
                    used.plain.insert(id);
                }
            }
        }
        if word.called {
            used.called.insert(word.id);
        }
        used.by_module
            .entry(thing.module)
            .or_default()
            .insert(word.id);
        if thing.kind == ThingKind::Macro {
            used.by_macros.insert(word.id);
        }
    }
}

/// The items, if it is known which.
fn items(meaning: Meaning) -> Option<Items> {
    match meaning {
        Meaning::Items(items) => Some(items.into()),
        Meaning::Unknown => None,
    }
}

impl Used {
    /// Whether something may be used by its name, whatever it is an item of.
    fn has(&self, name: &Id) -> bool {
        let mut sets = [&self.anything, &self.members, &self.items].into_iter();
        sets.any(|set| set.contains(name))
    }
}

/// The type that a word is an item of, if its path is nothing but that type, perhaps in modules.
fn type_before(words: &Words, at: usize) -> Option<Id> {
    let is_path = |at: usize| words.list[at].before == Before::Path;
    let starts =
        |at: usize, kind: fn(char) -> bool| words.text(words.list[at].id).starts_with(kind);
    let of = at.checked_sub(1).filter(|_| is_path(at))?;
    let alone = match words.list[of].before {
        Before::Other => true,
        Before::Path => of > 0 && starts(of - 1, char::is_lowercase),
        _ => false,
    };
    (alone && starts(of, char::is_uppercase)).then_some(words.list[of].id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone_of(text: &str) -> Vec<String> {
        gone(text).into_iter().map(str::to_owned).collect()
    }

    fn gone(text: &str) -> Vec<&str> {
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let none = BTreeSet::new();
        let mut found =
            Things::new(&index, &names).unnamed(&index, &names, &none, &none, &|_| false);
        found.sort_unstable();
        let range = |n: usize| index.nodes[n].range.clone();
        found.into_iter().map(|n| &text[range(n)]).collect()
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
            ["struct Iter;"]
        );
        assert_eq!(
            gone("struct A; impl T for std::A {} trait T {} fn t(_: impl T) {} fn main() { t }"),
            ["struct A;"]
        );
        // A name that a glob brings in may be that of the file.
        let glob = "struct A; mod b { use std::fmt::*; use super::*; impl Debug for A {} impl Debug for C {} } fn main() {}";
        assert_eq!(gone(glob), ["struct A;", "impl Debug for A {}"]);
    }

    #[test]
    fn a_name_passed_on_from_outside_is_not_the_local_one() {
        assert_eq!(
            gone("mod a { pub use std::slice::Iter; } mod b { struct Iter; } mod c { use crate::a::Iter; impl crate::T for Iter<'_, u8> {} } trait T {} fn t(_: impl T) {} fn main() { t }"),
            ["struct Iter;"]
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
            ["struct D;", "impl D { const fn h() {} }", "const fn h() {}"]
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
    fn a_word_leads_to_what_its_module_imports() {
        let text = "mod a { pub struct S; pub fn f() {} } mod b { pub struct S; pub fn f() {} }";
        let gone_with = |rest: &str| gone_of(&format!("{text} {rest}"));
        assert_eq!(
            gone_with("use a::S; fn main() { S; }"),
            ["pub fn f() {}", "pub struct S;", "pub fn f() {}"]
        );
        assert_eq!(
            gone_with("use b as c; fn main() { c::f(); self::a::S; }"),
            ["pub fn f() {}", "pub struct S;"]
        );
        assert_eq!(
            gone_with("mod c { pub use crate::a::*; } fn main() { c::f(); std::S; x.S }"),
            ["pub struct S;", "pub struct S;", "pub fn f() {}"]
        );
        // It may be anything.
        assert_eq!(
            gone_with("macro_rules! m { ($f:ident) => { crate::b::$f() } } fn main() { m!(f) }"),
            ["pub struct S;", "pub struct S;"]
        );
        assert!(gone_with("fn main() { use unknown::*; f(); S; }").is_empty());
    }

    #[test]
    fn an_item_of_one_type_is_none_of_another() {
        let text = "struct A; struct B; impl A { fn new() {} fn f() {} } impl B { fn new() {} fn f() { Self::new() } } type C = B;";
        let gone_with = |rest: &str| gone_of(&format!("{text} {rest}"));
        assert_eq!(
            gone_with("fn main() { A::new(); B; }"),
            [
                "fn f() {}",
                "fn new() {}",
                "fn f() { Self::new() }",
                "type C = B;"
            ]
        );
        assert_eq!(
            gone_with("fn main() { self::B::f(); A; }"),
            ["fn new() {}", "fn f() {}", "type C = B;"]
        );
        assert_eq!(
            gone_with("fn main() { C::new(); A }"),
            ["fn f() {}", "fn f() { Self::new() }"]
        );
        assert_eq!(
            gone_with("fn main() { <A>::new(); B; T::f() }"),
            ["fn f() {}", "fn f() { Self::new() }", "type C = B;"]
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
