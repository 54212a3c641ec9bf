//! What no used code names: types and traits that only their own impls name, functions, methods, macros, imports of these.
//!
//! The compiler takes an impl of a foreign trait as a use of all types in it, so that `impl From<A> for Option<B>` keeps both alive for
//! ever. Here a type counts as used only if something that is itself used names it. A type that no used code names has no value and is
//! next to never inferred; an impl with such a type in its header is not selected then. It may go, and with it the type. (What may well be
//! inferred is the argument of a trait that is for any type: of `impl<T> Trait<A> for T`, the only one whose conditions hold.)
//!
//! A word in used code makes the items used that it leads to, by the imports of its module and of the bodies around it; one in the
//! definition of a macro, by those of the modules that macros are called in. Where that is not clear, in the call of a macro above all, it
//! makes all items of that name used: too much stays rather than too little. Behind a dot there is no item of a module, and behind `Type::`
//! none that another type has by itself; which type a method is called on nobody asks here, but for `self`. A variable names no item, as
//! far as its word tells that it is one.
//!
//! The same holds of most types of numbers: an impl for `i16` or `f32` is of no use where nobody names that type and no literal is of it.
//! What an open literal becomes it becomes without: where there are several impls it is an `i32` or an `f64`, and those stay. Nor does
//! next to any program need the impls for tuples that a block makes where these are too many to be written out.
//!
//! A macro is called by its name in its crate, and elsewhere where something may import it: `vec!` is that of the standard library
//! nearly always, whatever a crate has of that name.
//!
//! What the call of another crate's macro makes nobody sees: it goes if no used code names what its tokens define. Errors tell where it made
//! more than that. A block without a name, `const _: () = { … }`, goes if each impl in it would, and each call in it names a type that does.
//! So does `const _: () = assert!(…)`, which nobody runs.
//!
//! A trait has one more use than by its name: a method call in a module that it was imported to. So it goes only if no used code names it, and
//! no such module, nor any macro, names one of its items. What it asks for or provides goes if no used code names it, with what its impls
//! have for it: most of the functions that a number has to have nobody calls, and they name one another.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::follow::{leads_out, Meaning, Names};
use crate::bundle::text::header::is_primitive;
use crate::bundle::text::index::{Index, Kind, Node};
use crate::bundle::text::things::{self, outermost, Meant, Read, Thing, ThingKind};
use crate::bundle::text::words::{Before, Id, Words};

/// The things in a text, and their words.
pub struct Things {
    words: Words,
    list: Vec<Thing>,
    /// Names that do not tell which type it is: `type A = B`, and modules, which may look like types.
    unclear: BTreeSet<Id>,
    leaves: Vec<Leaf>,
    /// The modules of the file whose macros are seen outside.
    spread: BTreeSet<usize>,
    /// What types have by themselves, by their names.
    items_of: BTreeMap<(Id, Id), Vec<usize>>,
    /// For each trait, the modules that may import it with all names of others.
    by_globs: BTreeMap<usize, Vec<Option<usize>>>,
    /// For each word, what it may name.
    named: Vec<Named>,
    /// What a word of a macro means in a module that macros are called in.
    in_calls: Vec<(Option<usize>, Id, Lead)>,
    /// For each node, the thing that it is or that it is in.
    of_nodes: Vec<usize>,
    /// Impls for numbers stay whether their types are named or not, and blocks that make impls for what has no name.
    pub all_numbers: bool,
    /// Whether some did not.
    pub misses_numbers: Cell<bool>,
}

/// The items that a word means. Many words mean the same.
type Items = Rc<[usize]>;

/// What a name leads to; or the name, if that may be anything.
type Lead = Result<Items, Id>;

/// What a word may name.
enum Named {
    /// A variable, or the type of a number: no item.
    Local,
    /// A field, or an item of a trait or a type.
    Member,
    /// An item of the type before it: `A` of `A::b`.
    ItemOf(Id),
    /// An item of some type or trait.
    ItemOfAny,
    Items(Items),
    /// In the definition of a macro, what is so called where it is called.
    Bare,
    /// Anything so called.
    Anything,
}

/// One name of an import.
struct Leaf {
    node: usize,
    name: Id,
    /// What it is called where it comes from.
    original: Id,
    /// The types that it comes from.
    through: Vec<Lead>,
    /// It may bring a macro from another crate.
    is_far: bool,
}

/// What of the imports is left.
#[derive(Default)]
struct Imported {
    /// `use a as b`.
    aliases: BTreeMap<Id, BTreeSet<Id>>,
    /// What may bring a macro from another crate: the module of the file, and the name, which is nothing for all names.
    far: BTreeSet<(Option<usize>, Option<Id>)>,
    /// For each name, the modules that import one so called.
    scopes: BTreeMap<Id, BTreeSet<Option<usize>>>,
    /// The modules that import all names of others, and those in which any trait may be in scope.
    globs: BTreeSet<Option<usize>>,
    anywhere: BTreeSet<Option<usize>>,
}

/// The names that used code has.
#[derive(Default)]
struct Used {
    words: BTreeSet<Id>,
    /// All but those of members, and those among them that may name anything.
    plain: BTreeSet<Id>,
    anything: BTreeSet<Id>,
    /// Those of macros that lead somewhere only where these are called, and the modules in which macros are.
    bare: BTreeSet<Id>,
    calling: BTreeSet<Option<usize>>,
    /// Before `!`, and where a macro may be named for another.
    called: BTreeSet<Id>,
    passed: BTreeSet<Id>,
    /// Called by their paths.
    called_nodes: BTreeSet<usize>,
    /// Called in a module of the file that imports nothing so called; and in any.
    called_in: BTreeSet<(Option<usize>, Id)>,
    called_bare: BTreeSet<Id>,
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
        let Read {
            mut words,
            list,
            of_nodes,
            types,
            unclear,
        } = things::read(index, names);
        let leaves = leaves(index, names, &mut words, &types);
        let mut items_of: BTreeMap<(Id, Id), Vec<usize>> = BTreeMap::new();
        for thing in &list {
            if let (ThingKind::Inherent, Some(of)) = (thing.kind, thing.of_type) {
                let (node, name) = thing.names[0];
                items_of.entry((of, name)).or_default().push(node);
            }
        }
        let nodes = index.nodes.iter().enumerate();
        let spread = nodes.filter(|(_, node)| {
            let attributes = index.text_at(&(node.range.start..node.head.start));
            node.kind == Kind::Module && node.parent.is_none() && attributes.contains("macro_use")
        });
        let mut found = Self {
            spread: spread.map(|(n, _)| n).collect(),
            items_of,
            by_globs: BTreeMap::new(),
            named: Vec::new(),
            in_calls: Vec::new(),
            words,
            list,
            unclear,
            leaves,
            of_nodes,
            all_numbers: false,
            misses_numbers: Cell::new(false),
        };
        found.by_globs = found.by_globs(index, names);
        found.named = found.named(index, names);
        found.in_calls = found.in_calls(index, names);
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
        let function = self.words.find("fn");
        let is_function = |at: usize| at > 0 && Some(self.words.list[at - 1].id) == function;
        let of_traits = self.list.iter();
        let of_traits = of_traits.filter(|thing| thing.kind == ThingKind::OfTrait);
        let of_traits = of_traits.filter_map(|thing| thing.names.first());
        let types = of_traits.filter(|(n, _)| things::is_type_of_trait(index, &index.nodes[*n]));
        let types: BTreeSet<Id> = types.map(|(_, name)| *name).collect();
        for thing in &self.list {
            let words = || thing.words.iter().map(|&at| (at, &self.words.list[at]));
            // An import in a function brings names of its own.
            let imports = words().any(|(_, word)| Some(word.id) == import);
            let is_kind =
                |node: Option<usize>, kind| node.is_some_and(|n| index.nodes[n].kind == kind);
            let meaning = |node: Option<usize>, path: &[&str]| match imports {
                true => meaning_in_body(index, names, thing.module, node, path),
                false => names.meaning(index, thing.module, path),
            };
            for (at, word) in words() {
                let is_clear = thing.kind != ThingKind::Macro
                    && !word.in_call
                    && !is_kind(word.node, Kind::Call);
                named[at] = match (word.before, type_before(&self.words, at)) {
                    (Before::Other, None) if word.is_local && !word.in_call => Named::Local,
                    _ if word.is_primitive => Named::Local,
                    // A macro's function has the name of a trait's item, if that of anything.
                    (Before::Other, None) if thing.kind == ThingKind::Macro && is_function(at) => {
                        Named::Member
                    }
                    (Before::SelfDot, _) => match thing.of_type {
                        Some(of) if self.items_of.contains_key(&(of, word.id)) => Named::ItemOf(of),
                        _ => Named::Member,
                    },
                    (Before::Dot, _) => Named::Member,
                    (Before::Brackets, _) => Named::ItemOfAny,
                    (_, Some(of)) if Some(of) == own => match thing.of_type {
                        Some(of) => Named::ItemOf(of),
                        None => Named::ItemOfAny,
                    },
                    (_, Some(of)) => Named::ItemOf(of),
                    (Before::Path, None) if self.is_behind_type(at) => Named::ItemOfAny,
                    // The type that a trait has.
                    (Before::Other, None) if word.is_bound && types.contains(&word.id) => {
                        Named::Anything
                    }
                    (Before::Other, None) if is_clear => {
                        let look = || match self.words.text(word.id) {
                            // What is imported as `_` has no name.
                            "_" => Some(Items::default()),
                            name => items_of(meaning(word.node, &[name])),
                        };
                        let items = match imports {
                            true => look(),
                            false => {
                                let place = (thing.module, word.id);
                                known.entry(place).or_insert_with(look).clone()
                            }
                        };
                        items.map_or(Named::Anything, Named::Items)
                    }
                    (Before::Other, None) if thing.kind == ThingKind::Macro && !word.in_call => {
                        Named::Bare
                    }
                    (Before::Path, None) => {
                        let path = self.words.path_to(at);
                        let is_clear = |path: &Vec<&str>| is_clear || path[0] == "crate";
                        let path = path.filter(is_clear).unwrap_or_default();
                        let meant = meaning(word.node, &path);
                        // Of a type whose name looks like that of a module, such as that of a number.
                        let is_of_type = |path: &[&str]| match path {
                            [] => false,
                            [name] if is_primitive(name) => true,
                            path => {
                                let items = items_of(meaning(word.node, path));
                                items.is_some_and(|items| !items.is_empty())
                            }
                        };
                        match (path.split_last(), items_of(meant)) {
                            (None, _) | (_, None) => Named::Anything,
                            (Some((_, of)), _) if is_of_type(of) => {
                                Named::ItemOf(self.words.list[at - 1].id)
                            }
                            (_, Some(items)) => Named::Items(items),
                        }
                    }
                    _ => Named::Anything,
                };
            }
        }
        named
    }

    /// For each trait, the modules that may import it with all names of others.
    fn by_globs(&self, index: &Index, names: &Names) -> BTreeMap<usize, Vec<Option<usize>>> {
        let is_glob = |leaf: &&Leaf| index.nodes[leaf.node].name == "*";
        let globs = self.leaves.iter().filter(is_glob);
        let globs: BTreeSet<_> = globs.map(|leaf| index.module(leaf.node)).collect();
        // Under another name it comes with all names as well.
        let renamed = self.leaves.iter().filter(|leaf| leaf.name != leaf.original);
        let renamed: BTreeSet<Id> = renamed.map(|leaf| leaf.original).collect();
        let traits = self
            .list
            .iter()
            .filter(|thing| thing.kind == ThingKind::Trait);
        let found = traits.map(|thing| {
            let (node, name) = thing.names[0];
            let path = [self.words.text(name)];
            let brings = |module: &Option<usize>| {
                renamed.contains(&name)
                    || match names.meaning(index, *module, &path) {
                        Meaning::Items(items) => items.contains(&node),
                        Meaning::Unknown => true,
                    }
            };
            (node, globs.iter().copied().filter(brings).collect())
        });
        found.collect()
    }

    /// What the words of macros mean in the modules that macros are called in.
    fn in_calls(&self, index: &Index, names: &Names) -> Vec<(Option<usize>, Id, Lead)> {
        let is_item = |n: &usize| matches!(index.nodes[*n].kind, Kind::Item | Kind::Import);
        let nodes = (0..index.nodes.len()).filter(is_item);
        let items: BTreeSet<Id> = nodes
            .filter_map(|n| self.words.find(&index.nodes[n].name))
            .collect();
        let (mut bare, mut modules) = (BTreeSet::new(), BTreeSet::new());
        for thing in &self.list {
            for &at in &thing.words {
                let word = &self.words.list[at];
                if matches!(self.named[at], Named::Bare) && items.contains(&word.id) {
                    bare.insert(word.id);
                }
                if word.called || word.in_call {
                    modules.insert(thing.module);
                }
            }
        }
        let mut found = Vec::new();
        for &module in &modules {
            for &id in &bare {
                let meaning = names.meaning(index, module, &[self.words.text(id)]);
                let lead = items_of(meaning).ok_or(id);
                if !lead.as_ref().is_ok_and(|items| items.is_empty()) {
                    found.push((module, id, lead));
                }
            }
        }
        found
    }

    /// Whether a word on the path to another is a type, or is behind one.
    fn is_behind_type(&self, at: usize) -> bool {
        let mut words = self.words.list[..=at].iter().rev();
        let mut before = words.next().map_or(Before::Other, |word| word.before);
        for word in words {
            let name = self.words.text(word.id);
            match before {
                // What a macro gets behind `::` may be a module, whatever that is called in it.
                Before::Path if word.before == Before::PathDollar => break,
                Before::Path if name.starts_with(char::is_uppercase) => return true,
                Before::Path => before = word.before,
                _ => break,
            }
        }
        before == Before::Brackets
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
        let is_gone = index.all_in(gone);
        let (used, live) = self.reached(index, &is_gone, kept, stays);
        let things = self.list.iter().zip(live);
        let things = things.filter(|(thing, _)| !thing.node.is_some_and(|n| is_gone[n]));
        let mut missed = things.clone().filter(|(_, is_live)| !is_live);
        if missed.any(|(thing, _)| thing.is_for_unnamed || !used.has_numbers_of(thing)) {
            self.misses_numbers.set(true);
        }
        let (live, dead): (Vec<_>, Vec<_>) = things.partition(|(_, live)| *live);
        let [live, dead] = [live, dead]
            .map(|things| -> Vec<&Thing> { things.into_iter().map(|(thing, _)| thing).collect() });
        let imports = self.leaves.iter().filter(|leaf| !is_gone[leaf.node]);
        let imports = self.useless(index, names, imports, &used, [&live, &dead]);
        let dead = dead.into_iter().filter_map(|thing| thing.node);
        dead.chain(imports).collect()
    }

    /// The names that used code has, and which of the things are used.
    fn reached(
        &self,
        index: &Index,
        is_gone: &[bool],
        kept: &BTreeSet<usize>,
        stays: &dyn Fn(usize) -> bool,
    ) -> (Used, Vec<bool>) {
        let left = |node: &Option<usize>| !node.is_some_and(|n| is_gone[n]);
        let mut imported = self.imported(index, is_gone);
        let things = self.list.iter().enumerate();
        let things: Vec<(usize, &Thing)> = things.filter(|(_, thing)| left(&thing.node)).collect();
        for (_, thing) in &things {
            if thing.kind == ThingKind::Trait {
                let scope = imported.scopes.entry(thing.names[0].1).or_default();
                scope.insert(thing.module);
            }
        }
        // Imports of what is in a type.
        let leaves = self.leaves.iter();
        let mut through: Vec<&Leaf> = leaves
            .filter(|leaf| !is_gone[leaf.node] && !leaf.through.is_empty())
            .collect();
        let all = self.words.find("*");
        let mut used = Used::default();
        let mut live = vec![false; self.list.len()];
        loop {
            let mut more = false;
            for &(n, thing) in &things {
                let stays = |n: usize| {
                    let around = index.nodes[n]
                        .parent
                        .map_or(0, |parent| self.of_nodes[parent]);
                    kept.contains(&n) || stays(n) && live[around]
                };
                // A call stays with its parts.
                let mut of_parts = thing.node.into_iter().flat_map(|n| index.parts_of(n));
                let stays = thing.node.is_some_and(stays) || of_parts.any(|n| kept.contains(&n));
                // An item of an impl or of a trait goes with it.
                let around = thing.around.filter(|_| !stays);
                let mut needed = around
                    .into_iter()
                    .chain(thing.implements.filter(|_| !stays));
                if needed.any(|needed| !live[needed]) {
                    continue;
                }
                if live[n] || !stays && !self.lives(thing, &used, &imported, is_gone) {
                    continue;
                }
                live[n] = true;
                more = true;
                for &at in thing
                    .words
                    .iter()
                    .filter(|&&at| left(&self.words.list[at].node))
                {
                    if self.words.list[at].brings_all {
                        imported.anywhere.insert(thing.module);
                    }
                    self.note(at, thing, &imported, &mut used);
                }
                // A trait that is used by one of its items is used by its name too.
                if thing.kind == ThingKind::Trait {
                    used.nodes.extend(thing.node);
                }
            }
            for (module, id, lead) in &self.in_calls {
                if used.bare.contains(id) && used.calling.contains(module) {
                    more |= used.add(lead);
                }
            }
            through.retain(|leaf| {
                let is_used = Some(leaf.name) == all || used.words.contains(&leaf.name);
                for lead in leaf.through.iter().filter(|_| is_used) {
                    more |= used.add(lead);
                }
                !is_used
            });
            if !more {
                return (used, live);
            }
        }
    }

    /// The imports of dead things alone.
    fn useless<'l>(
        &self,
        index: &Index,
        names: &Names,
        imports: impl Iterator<Item = &'l Leaf>,
        used: &Used,
        [live, dead]: [&[&Thing]; 2],
    ) -> Vec<usize> {
        let named = |name: &Id| used.plain.contains(name) || used.has(name);
        let first = |thing: &&Thing| Some(thing.names.first()?.1);
        let names_of_dead: BTreeSet<Id> = dead.iter().filter_map(first).collect();
        let of_kind = |things: &[&Thing], kind: ThingKind| -> BTreeSet<Id> {
            let found = things.iter().filter(|thing| thing.kind == kind);
            found.filter_map(first).collect()
        };
        let macros = of_kind(live, ThingKind::Macro);
        let dead_macros = of_kind(dead, ThingKind::Macro);
        // What has the name of something dead may be a trait of which only an item is named.
        let traits = of_kind(live, ThingKind::Trait);
        let is_useless = |leaf: &&Leaf| {
            let is_missing = match index.import_path(leaf.node).as_deref() {
                // A macro, by the order of the text.
                Some([_]) => {
                    !macros.contains(&leaf.original)
                        && (dead_macros.contains(&leaf.original)
                            || !used.plain.contains(&leaf.name))
                }
                _ => !named(&leaf.original) && !named(&leaf.name),
            };
            names_of_dead.contains(&leaf.original)
                && !traits.contains(&leaf.original)
                && !leads_out(index, leaf.node)
                && is_missing
                && !names.may_be_module(index, leaf.node)
        };
        imports.filter(is_useless).map(|leaf| leaf.node).collect()
    }

    /// The imports that are left and that nothing names which is left in their modules: some of what they bring may be named elsewhere.
    pub fn named_elsewhere(&self, index: &Index, gone: &BTreeSet<usize>) -> Vec<usize> {
        let is_gone = index.all_in(gone);
        let left = |node: &Option<usize>| !node.is_some_and(|n| is_gone[n]);
        let nothing = self.words.find("_");
        let mut named = BTreeSet::new();
        for thing in self.list.iter().filter(|thing| left(&thing.node)) {
            let words = thing.words.iter().filter(|&&at| {
                let is_item = !matches!(self.named[at], Named::Local | Named::Member);
                is_item
                    && Some(self.words.list[at].id) != nothing
                    && left(&self.words.list[at].node)
            });
            named.extend(words.map(|&at| (thing.module, self.words.list[at].id)));
        }
        let leaves = self.leaves.iter().filter(|leaf| !is_gone[leaf.node]);
        let elsewhere =
            leaves.filter(|leaf| !named.contains(&(index.module(leaf.node), leaf.name)));
        elsewhere.map(|leaf| leaf.node).collect()
    }

    /// What is gone although what is left names it for sure.
    pub fn surely_named(&self, index: &Index, gone: &BTreeSet<usize>) -> Vec<usize> {
        // What a macro names is wanted where that is called, and only if it comes to it.
        self.named_for_sure(index, gone, |thing| thing.kind != ThingKind::Macro)
    }

    fn named_for_sure(
        &self,
        index: &Index,
        gone: &BTreeSet<usize>,
        which: impl Fn(&Thing) -> bool,
    ) -> Vec<usize> {
        let is_gone = |n: usize| index.is_in(n, gone);
        let mut found = Vec::new();
        for thing in &self.list {
            if !which(thing) || thing.node.is_some_and(is_gone) {
                continue;
            }
            for &at in &thing.words {
                let word = &self.words.list[at];
                if word.node.is_some_and(is_gone) {
                    continue;
                }
                match &self.named[at] {
                    Named::Items(items) => found.extend(items.iter()),
                    // Another crate may have a type so called.
                    Named::ItemOf(of) => {
                        let items = self.items_of.get(&(*of, word.id)).into_iter().flatten();
                        let here =
                            |n: &&usize| outermost(index, index.module(**n)) == thing.outermost;
                        found.extend(items.filter(here));
                    }
                    _ => {}
                }
            }
        }
        found.retain(|n| gone.contains(n));
        found
    }

    /// What is gone although a trait that is left names it for sure, in what it asks for or in a body that it provides, or the impl of one,
    /// or something else of which that is known.
    pub fn named_in_traits(
        &self,
        index: &Index,
        gone: &BTreeSet<usize>,
        stays: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let is_in_trait =
            |thing: &Thing| matches!(thing.kind, ThingKind::Trait | ThingKind::OfTrait);
        let stays = |thing: &Thing| thing.node.is_some_and(|n| stays.contains(&n));
        let mut found =
            self.named_for_sure(index, gone, |thing| is_in_trait(thing) || stays(thing));
        found.extend(self.named_in_impls(index, gone));
        let itself = self.words.find("Self");
        let things = self.list.iter().enumerate();
        for (n, thing) in things.filter(|(_, thing)| is_in_trait(thing)) {
            let around = thing.around.unwrap_or(n);
            for &at in &thing.words {
                let word = &self.words.list[at];
                let is_gone = |n: usize| index.is_in(n, gone);
                let is_own = match word.before {
                    Before::SelfDot => true,
                    Before::Path => at > 0 && Some(self.words.list[at - 1].id) == itself,
                    _ => false,
                };
                if is_own && !word.node.is_some_and(is_gone) {
                    let names = self.list[around].names.iter();
                    found.extend(names.filter(|(_, name)| *name == word.id).map(|(n, _)| *n));
                }
            }
        }
        found.into_iter().filter(|n| gone.contains(n)).collect()
    }

    /// What is gone although the impl of a trait that is left names it, and nothing else that is so called.
    fn named_in_impls<'s>(
        &'s self,
        index: &'s Index,
        gone: &'s BTreeSet<usize>,
    ) -> impl Iterator<Item = usize> + 's {
        let is_gone = |n: usize| index.is_in(n, gone);
        let impls = self.list.iter().filter(move |thing| {
            let mut node = thing.node.into_iter();
            let is_of_impl =
                |n: usize| matches!(index.nodes[n].kind, Kind::Impl | Kind::Implemented);
            node.any(|n| is_of_impl(n) && !is_gone(n))
        });
        let words = impls.flat_map(|thing| &thing.words);
        // A macro may be called like an item.
        let words = words.filter(move |&&at| {
            let word = &self.words.list[at];
            !word.called && !word.node.is_some_and(is_gone)
        });
        words.filter_map(|&at| match &self.named[at] {
            Named::Items(items) if items.len() == 1 => Some(items[0]),
            _ => None,
        })
    }

    /// What the imports that are left bring.
    fn imported(&self, index: &Index, is_gone: &[bool]) -> Imported {
        let mut found = Imported::default();
        for leaf in self.leaves.iter().filter(|leaf| !is_gone[leaf.node]) {
            let node = &index.nodes[leaf.node];
            let module = index.module(leaf.node);
            if leaf.is_far {
                let name = (node.name != "*").then_some(leaf.name);
                found.far.insert((outermost(index, module), name));
            }
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
            let of = &self.list[self.of_nodes[node]];
            // The items of a trait are among its names.
            let most = if of.kind == ThingKind::Trait {
                1
            } else {
                of.names.len()
            };
            let mut names = of.names[..most].iter();
            is_gone[node] || !names.any(|(_, name)| is_named(node, name))
        };
        let is_all_dead = |meant: &Meant| meant.iter().all(is_dead);
        let is_own = |meant: &Meant| {
            let things = meant.iter().map(|&n| &self.list[self.of_nodes[n]]);
            let mut names = things.flat_map(|of| &of.names);
            names.any(|(_, name)| Some(*name) == thing.of_type)
        };
        let mut dead = thing
            .header
            .iter()
            .filter(|meant| is_all_dead(meant))
            .peekable();
        if dead.peek().is_some() && (dead.any(is_own) || !self.is_named_behind_type(thing, used)) {
            return false;
        }
        let mut names = thing
            .names
            .iter()
            .filter(|(node, _)| !is_gone[*node])
            .map(|(_, name)| name);
        match thing.kind {
            ThingKind::Root | ThingKind::Implemented => true,
            ThingKind::Impl => self.all_numbers || used.has_numbers_of(thing),
            ThingKind::Block if thing.is_for_unnamed && !self.all_numbers => false,
            ThingKind::Block => {
                let left = |node: &Option<usize>| !node.is_some_and(|n| is_gone[n]);
                let mut parts = thing.parts.iter().filter(|(node, _)| left(node));
                thing.names.iter().any(|(node, name)| is_named(*node, name))
                    || parts.any(|(_, part)| !part.iter().any(is_all_dead))
            }
            ThingKind::Item => thing.names.iter().any(|(node, name)| is_named(*node, name)),
            // It needs no import below where it is defined.
            ThingKind::Macro => names.any(|name| {
                used.called.contains(name)
                    || used.passed.contains(name)
                    || used.called_nodes.contains(&thing.names[0].0)
                    || match thing.outermost {
                        Some(module) if !self.spread.contains(&module) => {
                            used.called_in.contains(&(thing.outermost, *name))
                        }
                        _ => used.called_bare.contains(name),
                    }
            }),
            ThingKind::OfTrait => names.any(|name| used.has(name)),
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
                let by_globs = self.by_globs.get(&node).into_iter().flatten();
                let by_globs = by_globs.filter(|module| imported.globs.contains(module));
                let scope = scope.chain(by_globs).chain(&imported.anywhere);
                let modules: BTreeSet<_> = scope.collect();
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

    /// Whether an item of an inherent impl is named behind the type: `A::new()` may make an `A<B>`, and nobody else names `B`.
    fn is_named_behind_type(&self, thing: &Thing, used: &Used) -> bool {
        let (Some(of), Some(node)) = (thing.of_type, thing.node) else {
            return false;
        };
        let own = Some(self.of_nodes[node]);
        let mut items = self.items_of.range((of, Id::MIN)..=(of, Id::MAX));
        items.any(|(item, nodes)| {
            let around = |&n: &usize| self.list[self.of_nodes[n]].around;
            used.items_of.contains(item) && nodes.iter().any(|n| around(n) == own)
        })
    }

    /// Whether a name does not tell which type it is.
    fn is_unclear(&self, of: Id, imported: &Imported) -> bool {
        self.unclear.contains(&of) || imported.aliases.contains_key(&of)
    }

    /// Notes the use of a word.
    fn note(&self, at: usize, thing: &Thing, imported: &Imported, used: &mut Used) {
        let word = &self.words.list[at];
        match &self.named[at] {
            Named::Local => {
                // The module of a number's constants is called like its type.
                if word.is_primitive {
                    used.plain.insert(word.id);
                }
                return;
            }
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
            Named::Bare => {
                used.bare.insert(word.id);
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
        let originals = imported.aliases.get(&word.id).into_iter().flatten();
        let all = originals.chain([&word.id]);
        used.words.extend(all.clone());
        let outermost = thing.outermost;
        let may_be_far = || {
            let mut names = [Some(word.id), None].into_iter();
            names.any(|name| imported.far.contains(&(outermost, name)))
        };
        if word.called || word.in_call {
            used.calling.insert(thing.module);
        }
        if word.called {
            let is_here = thing.kind != ThingKind::Macro && !may_be_far();
            match (word.before, &self.named[at]) {
                (Before::Path, Named::Items(items)) => used.called_nodes.extend(items.iter()),
                (Before::Other, _) if is_here => {
                    used.called_in.insert((outermost, word.id));
                    used.called_bare.insert(word.id);
                }
                _ => used.called.extend(all),
            }
        } else if word.in_call {
            used.passed.extend(all);
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

/// The names of the imports.
fn leaves(index: &Index, names: &Names, words: &mut Words, types: &BTreeSet<Id>) -> Vec<Leaf> {
    let globs: BTreeMap<usize, Option<usize>> = names.globs().collect();
    let nodes = index.nodes.iter().enumerate();
    let imports = nodes.filter(|(_, node)| node.kind == Kind::Import);
    let leaf = |(n, node): (usize, &Node)| {
        let module = index.module(n);
        let path = index.import_path(n).unwrap_or_default();
        let mut through = Vec::new();
        for end in 1..path.len() {
            let id = words.number(path[end - 1]);
            if types.contains(&id) {
                let meaning = names.meaning(index, module, &path[..end]);
                through.push(items_of(meaning).ok_or(id));
            }
        }
        let is_far = match globs.get(&n) {
            Some(&from) => outermost(index, from) != outermost(index, module),
            None => !matches!(path[..], [_]) && !leads_out(index, n),
        };
        Leaf {
            node: n,
            name: words.number(&node.name),
            original: words.number(node.original()),
            through,
            is_far,
        }
    };
    imports.map(leaf).collect()
}

/// The items that a path may lead to at a node of a module, in which bodies around it may have imports of their own.
fn meaning_in_body(
    index: &Index,
    names: &Names,
    module: Option<usize>,
    node: Option<usize>,
    path: &[&str],
) -> Meaning {
    let around = std::iter::successors(node, |&n| index.nodes[n].parent);
    let bodies = around.take_while(|&n| Some(n) != module).map(Some);
    let mut all = BTreeSet::new();
    for from in bodies.chain([module]) {
        match names.meaning(index, from, path) {
            Meaning::Items(items) => all.extend(items),
            Meaning::Unknown => return Meaning::Unknown,
        }
    }
    Meaning::Items(all.into_iter().collect())
}

/// The items, if it is known which.
fn items_of(meaning: Meaning) -> Option<Items> {
    match meaning {
        Meaning::Items(items) => Some(items.into()),
        Meaning::Unknown => None,
    }
}

impl Used {
    /// Adds what a name leads to, and tells whether there was something new.
    fn add(&mut self, lead: &Lead) -> bool {
        match lead {
            Ok(items) => {
                let size = self.nodes.len();
                self.nodes.extend(items.iter());
                self.nodes.len() > size
            }
            Err(name) => self.anything.insert(*name),
        }
    }

    /// Whether there may be numbers of the types in the header of an impl.
    fn has_numbers_of(&self, thing: &Thing) -> bool {
        let mut numbers = thing.numbers.iter();
        numbers.all(|number| self.plain.contains(number))
    }

    /// Whether something may be used by its name, whatever it is an item of.
    fn has(&self, name: &Id) -> bool {
        let mut sets = [&self.anything, &self.bare, &self.members, &self.items].into_iter();
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
    fn what_is_passed_on_is_named_elsewhere() {
        let text = "mod a { pub use ::big::{b, c, d as e, f as _, T}; pub use ::other::*; fn g(_: T) { let d = b!(1); d.c() } } fn main() { a::c() }";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let found = |gone: &BTreeSet<usize>| {
            let found = Things::new(&index, &names).named_elsewhere(&index, gone);
            let texts = found.into_iter().map(|n| index.text_of(n));
            texts.collect::<Vec<_>>()
        };
        assert_eq!(found(&BTreeSet::new()), ["c", "d as e", "f as _", "*"]);
        let g = index.nodes.iter().position(|node| node.name == "g");
        let all = ["b", "c", "d as e", "f as _", "T", "*"];
        assert_eq!(found(&g.into_iter().collect()), all);
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
    fn an_impl_goes_with_all_that_its_type_may_be() {
        let twins = "trait T {} mod a { pub struct S; impl crate::T for S {} } mod a { pub struct S; impl crate::T for S {} }";
        let gone = |main: &str| gone_of(&format!("{twins} fn main() {{ {main} }}"));
        let impls = |main: &str| {
            let gone = gone(main);
            gone.iter().filter(|text| text.starts_with("impl")).count()
        };
        assert_eq!(
            (
                impls("fn t(_: impl T) {}"),
                impls("fn t(_: impl T) {} t(a::S)")
            ),
            (2, 0)
        );
    }

    #[test]
    fn a_type_may_be_inferred_that_only_an_impl_for_any_type_names() {
        let text = "struct A; struct B; struct C; trait T<M> {} trait U {} impl<X: Copy> T<A> for X {} impl<X> T<B> for Vec<X> {} \
                    impl<X> U for X {} impl<X> From<C> for X {} fn t<M>(_: impl T<M>) {} fn main() { t(1) }";
        assert_eq!(
            gone(text),
            [
                "struct B;",
                "trait U {}",
                "impl<X> T<B> for Vec<X> {}",
                "impl<X> U for X {}"
            ]
        );
    }

    #[test]
    fn what_is_imported_without_a_name_is_named_by_nothing() {
        let text = "mod a { pub trait T {} } pub trait U { fn f(_: u8) {} } use a::T as _; impl U for u8 {} fn main() { u8::f(1); let _ = 1; }";
        assert_eq!(gone(text), ["pub trait T {}"]);
    }

    #[test]
    fn a_word_in_a_body_means_what_its_imports_and_the_module_bring() {
        let gone_with = |body: &str| {
            let text = format!(
                "pub enum E {{ A }} mod a {{ pub struct A; pub struct B; }} mod b {{ pub struct C; pub fn f() {{}} }} fn main() {{ {body} }}"
            );
            let gone = gone_of(&text);
            ["struct A", "struct B", "struct C", "fn f"]
                .into_iter()
                .filter(|item| gone.iter().any(|text| text.contains(item)))
                .collect::<Vec<_>>()
        };
        // Of a type come the variants.
        let all = ["struct A", "struct B", "struct C", "fn f"];
        assert_eq!(gone_with("use E::*; let C = A;"), all);
        assert_eq!(gone_with("use std::fmt::*; A; f()"), all);
        let but_a = &all[1..];
        assert_eq!(gone_with("use a::*; A;"), but_a);
        assert_eq!(gone_with("use a::A; A;"), but_a);
        assert_eq!(gone_with("use a::A as D; D;"), but_a);
        assert_eq!(gone_with("use a::{A as D, *}; { D; }"), but_a);
        assert_eq!(gone_with("use a as c; c::A;"), but_a);
        assert_eq!(
            gone_with("use a::*; use b as d; d::f(); A;"),
            ["struct B", "struct C"]
        );
        assert_eq!(
            gone_with("use self::b::*; { use a::*; B; f(); }"),
            ["struct A", "struct C"]
        );
        // Nobody knows what another crate is.
        assert!(!gone_with("use unknown::*; A;").contains(&"struct A"));
    }

    #[test]
    fn a_field_is_no_function() {
        let text =
            "struct S { f: u8 } fn f() {} fn g() {} fn main() { let S { f: a } = (S { f: g }); }";
        assert_eq!(gone(text), ["fn f() {}"]);
        let text = "struct S { f: u8 } fn f() {} fn main() { m! { f: 1 } }";
        assert_eq!(gone(text), ["struct S { f: u8 }"]);
    }

    #[test]
    fn an_import_in_a_body_is_no_use_of_what_it_names() {
        let text = "mod a { pub use crate::b::A as B; } mod b { pub struct A; pub struct B; }";
        let gone_with = |body: &str| gone_of(&format!("{text} fn main() {{ {body} }}"));
        let both = ["pub struct A;", "pub struct B;"];
        for (body, gone) in [
            ("use a::B; B;", &both[1..]),
            ("use b::{A, B}; B;", &both[..1]),
            ("use b::{A as B}; B;", &both[1..]),
        ] {
            let found = gone_with(body);
            let structs = found.iter().filter(|text| text.contains("struct"));
            assert_eq!(structs.collect::<Vec<_>>(), gone, "{body}");
        }
        // Nor is it left where that is gone.
        let unused = gone_with("use b::{A, B};");
        assert!(unused.contains(&"A".to_owned()), "{unused:?}");
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
    fn an_impl_for_a_number_that_nothing_is_goes() {
        let text = "trait T { fn t(self) {} } trait U<A> { fn u(self, a: A) {} } impl T for i16 {} impl T for f64 {} impl U<i64> for u8 {} impl T for u8 {} impl T for i32 {} ";
        let gone_with = |body: &str| {
            let gone = gone_of(&format!("{text} fn main() {{ {body} }}"));
            let impls = gone.into_iter().filter(|text| text.starts_with("impl"));
            impls.collect::<Vec<_>>()
        };
        let [short, float, long] = [
            "impl T for i16 {}",
            "impl T for f64 {}",
            "impl U<i64> for u8 {}",
        ];
        let uses = "1.t(); 1.u(2);";
        assert_eq!(gone_with(uses), [short, float, long]);
        assert_eq!(gone_with(&format!("{uses} let a: i16 = 1;")), [float, long]);
        assert_eq!(gone_with(&format!("{uses} (1i64, 2.5)")), [short]);
        let other = "impl T for std::num::NonZeroI8 {}";
        let uses_other = |body: &str| {
            let gone = gone_of(&format!("{text} {other} fn main() {{ 1.t(); {body} }}"));
            !gone.contains(&other.to_owned())
        };
        assert!(!uses_other("let a: i8 = 1;"));
        assert!(uses_other("std::num::NonZeroI8::MAX.t();"));
        // In what goes itself nobody names it.
        assert_eq!(
            gone_with(&format!("{uses} }} fn f(a: i64) {{")),
            [short, float, long]
        );
    }

    #[test]
    fn a_block_that_makes_impls_for_what_has_no_name_goes() {
        let gone_with = |attributes: &str, call: &str| {
            let block = format!("const _: () = {{ make!({call}); }};");
            let text = format!("fn main() {{ z::f(1) }} {attributes} mod z {{ pub trait T {{}} struct S; impl T for u8 {{}} macro_rules! make {{ ($($t:ident)*) => {{}} }} {block} pub fn f(t: impl T) {{ S; }} }}");
            gone_of(&text).contains(&block)
        };
        let others = "#[allow(warnings)]";
        assert!(gone_with(others, "A B"));
        for call in ["S", "u8", "A S"] {
            assert!(!gone_with(others, call), "{call}");
        }
        assert!(!gone_with("", "A B"));
    }

    #[test]
    fn an_impl_for_an_alias_is_one_for_what_that_stands_for() {
        let gone_with = |alias: &str, rest: &str| {
            let text = format!(
                "mod a {{ pub struct A<T>(T); pub mod c {{ pub struct T; }} }} mod b {{ use super::a::A; {alias} }} use b::B; impl Copy for B<u8> {{}} impl B<u8> {{ fn f() {{}} }} fn main() {{ {rest} }}"
            );
            let gone = gone_of(&text);
            gone.iter().filter(|text| text.starts_with("impl")).count()
        };
        assert_eq!(gone_with("pub type B<T> = A<T>;", ""), 2);
        assert_eq!(
            gone_with("pub type B<T> = C<T>; type C<T> = super::a::A<T>;", ""),
            2
        );
        // It is used, whatever names it.
        assert_eq!(gone_with("pub type B<T> = A<T>;", "a::A(1)"), 0);
        assert_eq!(gone_with("pub type B<T> = A<T>;", "b::B::f()"), 0);
        // What it stands for is not clear, or of another crate.
        assert_eq!(gone_with("use super::a::c::*; pub type B<T> = T;", ""), 0);
        assert_eq!(gone_with("pub type B<T> = Vec<T>;", ""), 0);
        assert_eq!(gone_with("pub type B<T> = B<T>;", ""), 0);
    }

    #[test]
    fn a_block_of_impls_goes_with_the_last_of_their_types() {
        let gone_with = |block: &str| {
            let text = format!(
                "struct A; struct B; mod m {{ struct D; }} const _: () = {block}; fn main() {{ B; }}"
            );
            let found = gone(&text).iter().any(|gone| gone.starts_with("const"));
            found
        };
        for goes in [
            "{ use x::T; impl T for A {} }",
            "{ impl T for A {} impl T<B> for A { fn f() { B } } }",
            "{ make!(T for A => { B }); }",
            "unsafe { make!(T for A); make!(A, B) }",
            "{ make!(A); impl T for A {} }",
            "{ use x::T; struct C; { f(); impl T for A {} } }",
            "{ make!(A); f(); }",
            "{}",
            "assert!(size_of::<A>() == 1)",
            "std::assert_eq!(size_of::<B>(), size_of::<A>())",
            "assert!(size_of::<m::D>() == 1)",
            "assert!(1 == crate::m::D::SIZE)",
        ] {
            assert!(gone_with(goes), "{goes}");
        }
        for stays in [
            "{ impl T for A {} impl T for B {} }",
            "{ impl T for u8 { fn f() { A } } }",
            // It is its own.
            "{ struct A; impl T for A {} }",
            "{ use x::A; impl T for A {} }",
            "assert!(size_of::<B>() == 1)",
            "assert!(size_of::<crate::B>() == 1)",
            "assert!(size_of::<x::A>() == 1)",
            "assert!(cfg!(b), \"{}\", 1)",
            "f(size_of::<A>())",
            "{ make!(A); make!(B); }",
            "{ make!(u8); }",
            "{ make!({ A }); }",
            "{ make!(A); assert!(true); }",
            "{ make!(A); f(B); }",
            "{ f(); }",
            "f(A)",
        ] {
            assert!(!gone_with(stays), "{stays}");
        }
    }

    #[test]
    fn a_macro_may_make_main() {
        let gone_with = |main: &str| {
            let text = format!(
                "mod a {{ macro_rules! m {{ ($($t:tt)*) => {{ $($t)* }} }} pub(crate) use m; pub fn f() {{}} thread_local!(static S: u8 = 1); }} {main}"
            );
            gone_of(&text)
        };
        for body in ["a::f()", "a::m! { a::f() }"] {
            let dead = "thread_local!(static S: u8 = 1);";
            assert_eq!(
                gone_with(&format!("a::m! {{ fn main() {{ {body} }} }}")),
                [dead]
            );
        }
        // Elsewhere it is a function like any other.
        assert!(gone_with("mod b { a::m! { fn main() {} } }").len() > 3);
    }

    #[test]
    fn what_is_named_behind_a_type_may_make_one_of_any() {
        let text = "struct A<T>(T); struct B; struct C; impl A<B> { fn new() {} } impl A<C> { fn other() {} } fn main() { A::new(); }";
        assert_eq!(
            gone(text),
            ["struct C;", "impl A<C> { fn other() {} }", "fn other() {}"]
        );
        // The type itself has to be used.
        let text =
            "struct A; mod m { pub struct A; impl A { fn new() {} } } fn main() { A::new(); }";
        assert_eq!(
            gone(text),
            ["pub struct A;", "impl A { fn new() {} }", "fn new() {}"]
        );
    }

    #[test]
    fn what_a_macro_gets_on_a_path_may_be_a_module() {
        let text = "mod a { pub mod b { pub const C: u8 = 1; pub const D: u8 = 2; } } fn main() { m!(b); }";
        assert_eq!(
            gone(&format!(
                "macro_rules! m {{ ($X:ident) => {{ a::$X::C }} }} {text}"
            )),
            ["pub const D: u8 = 2;"]
        );
    }

    #[test]
    fn the_import_of_a_trait_stays_whatever_else_is_called_so() {
        let text = "mod a { pub trait T { fn f() {} } } mod b { struct T; } use a::T; struct A; impl T for A {} fn main() { A::f(); }";
        assert_eq!(gone(text), ["struct T;"]);
        let text = "mod b { struct T; } use ::a::T; struct A; impl S for A {} trait S {} fn main() { A::f(); <A as S>::g() }";
        assert_eq!(gone(text), ["struct T;"]);
    }

    #[test]
    fn a_type_may_be_called_like_a_number() {
        let text = "struct u256 { a: u8 } fn main() { u256 { a: 0 }; }";
        assert!(gone(text).is_empty());
    }

    #[test]
    fn a_call_goes_if_no_code_names_what_it_defines() {
        let call = "m::make! { pub struct A<T>(T); static ref B: u8; }";
        let default = "impl<T> Default for A<T> {}";
        let gone_with = |rest: &str| gone(&format!("{call} {default} {rest}")).len();
        assert_eq!(gone_with("fn main() {}"), 2);
        assert_eq!(gone_with("fn main() { A(1); }"), 0);
        // The impl is for the type alone.
        assert_eq!(gone_with("fn main() { *B; }"), 0);
        assert!(gone("#[a(struct A)] m::make! { u8, { fn f() {} } } fn main() {}").is_empty());
    }

    #[test]
    fn a_call_that_makes_impls_goes_with_their_trait() {
        let text = "mod a { pub trait T {} pub mod m { use super::*; \
                    macro_rules! integers { ($($t:ident)+) => { $( impl T for $t {} )+ } } integers!(u8 u16); } pub mod n { use super::*; \
                    macro_rules! with_type { ($t:ident) => { pub struct $t; impl T for $t {} } } with_type!(A); } } \
                    fn main() { a::n::A; }";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let is_trait = |n: &usize| index.nodes[*n].name == "T";
        let gone: BTreeSet<usize> = (0..index.nodes.len()).filter(is_trait).collect();
        let things = Things::new(&index, &names);
        let found = things.unnamed(&index, &names, &gone, &BTreeSet::new(), &|_| false);
        let found: Vec<&str> = found.iter().map(|&n| index.text_of(n)).collect();
        assert!(found.contains(&"integers!(u8 u16);"), "{found:?}");
        assert!(!found.contains(&"with_type!(A);"), "{found:?}");
    }

    #[test]
    fn a_call_of_a_macro_of_the_text_goes_with_what_it_makes() {
        let modulus = "macro_rules! modulus { ($name:ident) => { struct $name; impl From<$name> for u64 {} }; }";
        let gone_with = |rest: &str| gone_of(&format!("{modulus} {rest} fn main() {{ A; }}"));
        assert_eq!(gone_with("modulus!(A); modulus!(B);"), ["modulus!(B);"]);
        // Of what has parts each goes by itself.
        let weight = "macro_rules! weight { ($($t:ty),*) => { $( impl Weight for $t {} )* }; } trait Weight {}";
        let used = "fn main() { f::<u8>(); } fn f<W: Weight>() {} struct B;";
        let text = format!("{weight} weight!(u8, &B, [B; 2]); {used}");
        assert_eq!(gone(&text), ["&B", "[B; 2]", "struct B;"]);
        let text = format!("{weight} weight!(&B, [B; 2]); {used}");
        assert!(gone(&text).contains(&"weight!(&B, [B; 2]);"));
        // What makes nothing is for nobody.
        let nothing = "macro_rules! nothing { ($name:ident) => {}; } nothing!(a); fn main() {}";
        assert!(gone(nothing).contains(&"nothing!(a);"));
    }

    #[test]
    fn what_the_impl_of_a_trait_names_is_needed() {
        let text = "mod m { pub fn f() { k() } fn k() {} pub fn g() {} pub fn h() {} pub struct S; pub fn S() {} } \
                    impl T for u8 { fn a() { m::f(); m::g!(); m::S } fn b() { m::h() } } trait T { fn a(); fn b(); }";
        let index = Index::new(text).unwrap();
        let things = Things::new(&index, &Names::new(&index));
        let is_gone = |n: &usize| {
            let node = &index.nodes[*n];
            ["f", "g", "h", "k", "S"].contains(&node.name.as_str())
                || node.kind == Kind::Implemented && node.name == "b"
        };
        let gone: BTreeSet<usize> = (0..index.nodes.len()).filter(is_gone).collect();
        let named = |gone: &BTreeSet<usize>, stays: &BTreeSet<usize>| {
            let found = things.named_in_traits(&index, gone, stays);
            let names = found.iter().map(|&n| index.nodes[n].name.clone());
            (names.collect::<Vec<_>>(), found)
        };
        let (names, stays) = named(&gone, &BTreeSet::new());
        assert_eq!(names, ["f"]);
        // Then what that names is needed too.
        let gone = gone.difference(&stays).copied().collect();
        assert_eq!(named(&gone, &stays).0, ["k"]);
    }

    #[test]
    fn functions_of_other_languages_go_one_by_one() {
        assert_eq!(
            gone("extern \"C\" { fn a() -> A; fn b(); } type A = u8; fn main() { unsafe { b() } }"),
            ["fn a() -> A;", "type A = u8;"]
        );
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
            [
                "fn a(&self) -> u8 { self.b() }",
                "fn b(&self) -> u8;",
                "fn c(&self) {}",
                "fn b(&self) -> u8 { 1 }"
            ]
        );
        // Neither the import nor the impls keep it.
        assert_eq!(gone(&format!("{text} use a::T; fn main() {{}}")).len(), 7);
    }

    #[test]
    fn what_a_trait_asks_for_is_used_by_its_name() {
        let text = "trait T { const A: u8; fn f(); fn g(); type B; } mod m { pub fn f() {} pub fn g() {} } \
                    impl T for u8 { const A: u8 = h(); fn f() { m::f() } fn g() { Self::f(); m::g() } type B = C; } \
                    struct C; fn h() -> u8 { 1 }";
        // Impls that call each other are no use of it.
        assert_eq!(
            gone_of(&format!("{text} fn t(_: impl T) {{}} fn main() {{ t(1) }}")).len(),
            12
        );
        let types = ["type B;", "type B = C;", "struct C;"];
        let found = gone_of(&format!("{text} fn main() {{ u8::f() }}"));
        let found: Vec<_> = found
            .iter()
            .filter(|item| !types.contains(&item.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                "const A: u8;",
                "fn g();",
                "pub fn g() {}",
                "const A: u8 = h();",
                "fn g() { Self::f(); m::g() }",
                "fn h() -> u8 { 1 }"
            ]
        );
        let text = format!("{text} fn main() {{ u8::g(); u8::A; REST }}");
        let gone_with = |rest: &str| gone_of(&text.replace("REST", rest));
        assert_eq!(gone_with(""), types);
        // A bare name is no type of a trait.
        assert_eq!(gone_with("B"), types);
        for used in [
            "let b: <u8 as T>::B;",
            "f() } fn f<U: T>(_: U::B) {",
            "f() } fn f<U: T<B = C>>() {",
            "f() } fn f() -> impl T<B: Copy> { 1u8",
            "m!(u8) } macro_rules! m { ($t:ty) => { $t::B } } fn f() {",
        ] {
            assert!(gone_with(used).is_empty(), "{used}");
        }
        // What another has is always asked for.
        assert!(
            gone("impl Ord for A { fn cmp() { f() } } struct A; fn f() {} fn main() { A }")
                .is_empty()
        );
        let made = "use m::T; struct A; impl T for A { fn g() {} } mod m { trait_of!(T); } trait S { fn g(); } fn main() { A }";
        assert_eq!(gone(made), ["trait S { fn g(); }", "fn g();"]);
    }

    #[test]
    fn a_method_of_a_trait_is_called_where_the_trait_is_in_scope() {
        let text = "mod a { pub trait T { fn pow(&self) {} } impl T for u8 {} }";
        let gone_with = |rest: &str| gone(&format!("{text} {rest}")).len();
        // The method of the same name is another one.
        assert_eq!(gone_with("fn main() { 2u32.pow(3); }"), 3);
        assert_eq!(gone_with("use a::T as _; fn main() { 2u8.pow(); }"), 0);
        assert_eq!(gone_with("use a::*; fn main() { 2u8.pow(); }"), 0);
        assert_eq!(
            gone_with("mod b { pub use crate::a::T as U; } use b::*; fn main() { 2u8.pow(); }"),
            0
        );
        assert_eq!(
            gone_with("mod b { pub struct S; } use b::*; fn main() { 2u8.pow(); S; }"),
            3
        );
        assert_eq!(gone_with("fn main() { use a::*; 2u8.pow(); }"), 0);
        // An import in a function brings what it names, and of all names those of the file.
        assert_eq!(gone_with("fn main() { use a::T as _; 2u8.pow(); }"), 0);
        let other = "mod b { pub trait U {} pub struct S; } ";
        for (import, gone) in [
            ("use a::{self, T}; use b::S;", 0),
            ("use b::S;", 3),
            ("use b::*;", 0),
            ("use std::io::*;", 3),
            ("bring!(use a::T;);", 0),
        ] {
            let body = format!("{other} fn main() {{ {import} S; 2u8.pow(); }}");
            let rest = gone_of(&format!("{text} {body}"));
            let of_a = rest
                .iter()
                .filter(|text| text.contains("pow") || text.contains("T for"));
            assert_eq!(of_a.count(), gone, "{import}");
        }
        assert_eq!(gone_with("fn main() { a::T::pow(&2); }"), 0);
        assert_eq!(gone_with("macro_rules! m { ($x:expr) => { $x.pow() } } mod b { use crate::a::T; pub fn f() { m!(2u8) } } fn main() { b::f() }"), 0);
    }

    #[test]
    fn a_macro_is_called_in_its_crate_or_where_it_is_imported() {
        let text = "mod a { macro_rules! vec { () => {} } pub(crate) use vec; } mod b { pub fn f() { vec![]; } }";
        let gone_with = |rest: &str| gone_of(&format!("{text} {rest}"));
        let all = ["macro_rules! vec { () => {} }", "vec"];
        // That of the standard library.
        assert_eq!(gone_with("fn main() { b::f() }"), all);
        assert_eq!(gone_with("fn main() { let vec = b::f(); }"), all);
        for rest in [
            "use a::vec; fn main() { b::f(); vec![] }",
            "use a::vec as v; fn main() { b::f(); v![] }",
            "use a::*; fn main() { b::f(); vec![] }",
            "fn main() { b::f(); a::vec![] }",
            "macro_rules! m { () => { $crate::a::vec![] } } fn main() { b::f(); m!() }",
            "macro_rules! m { ($m:ident) => { $m![] } } fn main() { b::f(); m!(vec) }",
        ] {
            assert_eq!(gone_with(rest), Vec::<String>::new(), "{rest}");
        }
        // What is in scope by the order of the text is seen by all that follows.
        let seen = "macro_rules! m { () => {} } mod a { pub fn f() { m!() } } fn main() { a::f() }";
        assert!(gone(seen).is_empty());
        let seen = "#[macro_use] mod a { macro_rules! m { () => {} } } fn main() { m!() }";
        assert!(gone(seen).is_empty());
    }

    #[test]
    fn what_a_macro_names_is_looked_up_where_it_is_called() {
        let text = "mod a { pub struct Vec; } macro_rules! m { () => { Vec } } mod b { pub fn f() { m!() } }";
        assert_eq!(
            gone_of(&format!("{text} fn main() {{ b::f() }}")),
            ["pub struct Vec;"]
        );
        assert!(gone(&format!("{text} use a::Vec; fn main() {{ b::f(); m!() }}")).is_empty());
        let absolute = "mod a { pub struct S; } mod b { pub struct S; } macro_rules! m { () => { $crate::a::S } } fn main() { m!() }";
        assert_eq!(gone(absolute), ["pub struct S;"]);
    }

    #[test]
    fn a_type_is_used_where_an_import_of_its_variants_is() {
        let text = "mod a { pub enum E { A, B } impl E { pub fn f() {} } } use a::E::A;";
        assert_eq!(
            gone_of(&format!("{text} fn main() {{ A }}")),
            ["pub fn f() {}"]
        );
        // The import follows.
        assert_eq!(gone_of(&format!("{text} fn main() {{}}")).len(), 3);
    }

    #[test]
    fn a_method_of_self_is_that_of_the_type() {
        let text = "struct A; struct B; impl A { fn f(&self) { self.g() } fn g(&self) {} } impl B { fn g(&self) {} } fn main() { A.f(); B }";
        assert_eq!(gone(text), ["fn g(&self) {}"]);
        // What it has not got itself may be that of what it dereferences to.
        let text = "struct A; struct B; impl A { fn f(&self) { self.g() } } impl B { fn g(&self) {} } fn main() { A.f(); B }";
        assert!(gone(text).is_empty());
    }

    #[test]
    fn what_is_left_may_name_what_is_gone() {
        let text = "struct A; impl A { fn f() {} } fn f() { g(); A::f() } fn g() {} fn h() {} macro_rules! m { () => { h() } } fn main() { f(); m!() }";
        let index = Index::new(text).unwrap();
        let things = Things::new(&index, &Names::new(&index));
        let functions = (0..index.nodes.len()).filter(|&n| index.nodes[n].is_function());
        let mut gone: BTreeSet<usize> = functions.collect();
        gone.retain(|&n| {
            index.text_of(n) != "fn f() { g(); A::f() }" && index.nodes[n].name != "main"
        });
        let named = things.surely_named(&index, &gone);
        let named: Vec<&str> = named.iter().map(|&n| index.text_of(n)).collect();
        assert_eq!(named, ["fn g() {}", "fn f() {}"]);
    }

    #[test]
    fn the_name_of_an_item_is_no_use_of_it() {
        let text = "struct A; struct B; struct C; struct D; trait T { const X: *const A; fn f(x: fn() -> B) -> C; unsafe fn g(); } fn t(_: impl T) { T::X; T::f(); T::g() } impl D { const fn h() {} } fn main() { t(1) }";
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
        // Through an import of an import of a module.
        assert_eq!(
            gone_with("mod c { pub use crate::a as d; } mod e { use crate::c::d; pub fn g() { d::f() } } fn main() { e::g() }"),
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
        let small = text.replace('A', "a");
        assert_eq!(
            gone(&format!("{small} fn main() {{ a::new(); B; }}")),
            [
                "fn f() {}",
                "fn new() {}",
                "fn f() { Self::new() }",
                "type C = B;"
            ]
        );
        let of_number = "trait T { fn f() {} fn g() {} } impl T for u8 {} fn main() { u8::f() }";
        assert_eq!(gone(of_number), ["fn g() {}"]);
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
    fn what_the_linker_uses_is_used() {
        let text = "struct A; #[global_allocator] static G: A = A; #[no_mangle] pub extern \"C\" fn f() {} static H: u8 = 0; fn main() {}";
        assert_eq!(gone(text), ["static H: u8 = 0;"]);
    }

    #[test]
    fn an_alias_leads_to_what_it_names() {
        assert!(gone(
            "mod a { pub struct A; impl Drop for A {} } use crate::a::A as B; fn main() { B; }"
        )
        .is_empty());
    }
}
