//! What can go by itself in a text: its items, its impls, and what is in these.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use syn::Type;

use super::header::{self, Header};
use super::index::{Index, Kind, Node, Sort};
use super::source;
use super::words::{Id, Words};
use crate::bundle::shake::follow::{Meaning, Names};

/// What can go by itself.
/// What a name may mean: one type or trait, or several of which only one is there at a time.
pub type Meant = Vec<usize>;

pub struct Thing {
    /// Nothing for what stands loose in a module, which never goes.
    pub node: Option<usize>,
    pub kind: ThingKind,
    /// The impl or the trait that it is an item of.
    pub around: Option<usize>,
    /// Of an item of an impl, that of the trait.
    pub implements: Option<usize>,
    /// What it is called, with the node of the name; an impl has no name, a trait that of its items too.
    pub names: Vec<(usize, Id)>,
    /// Of an impl, the types and traits of the file that its header names.
    pub header: Vec<Meant>,
    /// Of an impl, the types of numbers in its header that no value has unless something names them.
    pub numbers: Vec<Id>,
    /// Of a block, those that each impl in it names, with its node, and each call.
    pub parts: Vec<(Option<usize>, Vec<Meant>)>,
    /// A block of somebody else whose calls get nothing that has a name: where the loader did not open it, it makes so many impls for tuples
    /// that the compiler takes long, and next to no program needs one.
    pub is_for_unnamed: bool,
    /// Of an impl and of what is in it, the name of the type that it is for.
    pub of_type: Option<Id>,
    /// The places of its words in the list.
    pub words: Vec<usize>,
    pub module: Option<usize>,
    /// The module of the file that it is in.
    pub outermost: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum ThingKind {
    /// Used whatever names it.
    Root,
    /// Used by its name, which needs no path but of modules.
    Item,
    /// Its words go wherever it is called.
    Macro,
    /// Used by its name, or by an item of it where it is in scope.
    Trait,
    /// A function or a constant of a trait.
    OfTrait,
    /// Used where the trait's is and the impl.
    Implemented,
    /// An item that a type has by itself.
    Inherent,
    /// Used where the types in its header are.
    Impl,
    /// Used where one of the impls in it is, or one that a call in it makes; a call with what it makes also by the names of that.
    Block,
}

/// Whether a number is of this type only where something names that: a literal is an `i32` or what is wanted of it, and what the standard
/// library counts, finds and reads is one of the others. Next to nothing is an atomic number or one that is not zero.
fn is_named_number(path: &[String]) -> bool {
    let Some((name, modules)) = path.split_last() else {
        return false;
    };
    if modules.is_empty() && header::is_number(name) {
        return !["i32", "u8", "u32", "u64", "usize"].contains(&name.as_str());
    }
    let mut kinds = ["Atomic", "NonZero"].into_iter();
    let of = kinds.find_map(|kind| name.strip_prefix(kind));
    of.is_some_and(|of| header::is_number(&of.to_lowercase()))
}

/// Whether what stands beside a call of a macro has a name, macros and calls apart.
fn is_named_beside(index: &Index, call: usize, name: &str) -> bool {
    let nodes = index.nodes.iter().enumerate();
    let beside = nodes.filter(|(n, node)| *n != call && node.parent == index.nodes[call].parent);
    let mut beside = beside.filter(|(_, node)| node.kind != Kind::Call && node.sort != Sort::Macro);
    beside.any(|(n, _)| index.has_word(n, name))
}

/// The things of a text, and its words.
pub struct Read {
    pub words: Words,
    /// What stands loose in the file comes first.
    pub list: Vec<Thing>,
    /// For each node, the thing that it is or that it is in.
    pub of_nodes: Vec<usize>,
    /// The names of types and traits.
    pub types: BTreeSet<Id>,
    /// Names that do not tell which type it is: `type A = B`, and modules, which may look like types.
    pub unclear: BTreeSet<Id>,
}

/// Reads a text.
pub fn read(index: &Index, names: &Names) -> Read {
    let mut reader = Reader::new(index, names);
    for n in 0..index.nodes.len() {
        reader.add(n);
    }
    reader.note_implemented();
    reader.note_words();
    reader.read
}

/// A text on its way.
struct Reader<'r> {
    index: &'r Index<'r>,
    names: &'r Names,
    /// What the calls of macros seem to define, or import for others, and by module and name the call that defines it.
    calls: BTreeMap<usize, Vec<Id>>,
    by_calls: BTreeMap<(Option<usize>, Id), usize>,
    read: Read,
}

impl<'r> Reader<'r> {
    fn new(index: &'r Index<'r>, names: &'r Names) -> Self {
        let mut words = Words::new(index);
        let is_call = |n: &usize| index.nodes[*n].kind == Kind::Call;
        let (mut calls, mut by_calls) = (BTreeMap::new(), BTreeMap::new());
        for n in (0..index.nodes.len()).filter(is_call) {
            let Some(made) = names.made.get(&n) else {
                calls.insert(n, Vec::new());
                continue;
            };
            let imports = made.imports.iter();
            let imports = imports.filter(|name| is_named_beside(index, n, name));
            let brought = made.passes_on.iter().chain(imports);
            let all = made.names.iter().chain(brought);
            let all: Vec<Id> = all.map(|name| words.number(name)).collect();
            let defined = &all[..made.names.len()];
            by_calls.extend(defined.iter().map(|&id| ((index.module(n), id), n)));
            calls.insert(n, all);
        }
        Self {
            index,
            names,
            calls,
            by_calls,
            read: Read {
                words,
                list: vec![Thing::new(index, None, ThingKind::Root, None)],
                of_nodes: Vec::new(),
                types: BTreeSet::new(),
                unclear: BTreeSet::new(),
            },
        }
    }

    /// Adds a node, behind what it is in.
    fn add(&mut self, n: usize) {
        let node = &self.index.nodes[n];
        let around = node.parent.map_or(0, |parent| self.read.of_nodes[parent]);
        let id = self.read.words.number(&node.name);
        // Who asks for a type of a trait names the trait too.
        if self.is_of_trait(node, around) && !is_type_of_trait(self.index, node) {
            self.read.list[around].names.push((n, id));
        }
        let Some(kind) = self.kind(n, around) else {
            self.add_part(n, around);
            self.read.of_nodes.push(around);
            return;
        };
        let is_module = node.kind == Kind::Module;
        if is_module || node.sort == Sort::Alias {
            self.read.unclear.insert(id);
        }
        if matches!(node.sort, Sort::Type | Sort::Alias | Sort::Trait) {
            self.read.types.insert(id);
        }
        let thing = match is_module {
            true => Thing::new(self.index, None, kind, Some(n)),
            false => self.thing(n, id, kind, around),
        };
        self.read.of_nodes.push(self.read.list.len());
        self.read.list.push(thing);
    }

    /// What kind of thing a node is, if it is one by itself.
    fn kind(&self, n: usize, around: usize) -> Option<ThingKind> {
        let index = self.index;
        let node = &index.nodes[n];
        let module = index.module(n);
        let in_module = node.parent == module;
        let in_impl = self.read.list[around].kind == ThingKind::Impl;
        match node.kind {
            Kind::Module => Some(ThingKind::Root),
            Kind::Import | Kind::Arm => None,
            Kind::Call => match self.names.made.get(&n) {
                Some(made)
                    if !(module.is_none() && made.names.iter().any(|name| name == "main")) =>
                {
                    Some(ThingKind::Block)
                }
                _ => in_module.then_some(ThingKind::Root),
            },
            Kind::Impl | Kind::InherentImpl => in_module.then_some(ThingKind::Impl),
            // In an impl that is no thing of its own, this is none either.
            Kind::Inherent => in_impl.then_some(ThingKind::Inherent),
            Kind::Implemented => in_impl.then_some(ThingKind::Implemented),
            Kind::TraitItem => self.is_of_trait(node, around).then_some(ThingKind::OfTrait),
            Kind::Item if !in_module => None,
            Kind::Item => Some(match node.sort {
                Sort::Macro => ThingKind::Macro,
                Sort::Trait => ThingKind::Trait,
                Sort::Value if node.calls_for.is_some() => ThingKind::Block,
                Sort::Value if node.name == "_" => ThingKind::Root,
                Sort::Value if node.name == "main" && module.is_none() => ThingKind::Root,
                Sort::Value if is_for_linker(index, node) => ThingKind::Root,
                _ => ThingKind::Item,
            }),
        }
    }

    fn is_of_trait(&self, node: &Node, around: usize) -> bool {
        node.kind == Kind::TraitItem && self.read.list[around].kind == ThingKind::Trait
    }

    /// A node that is something by itself.
    fn thing(&mut self, n: usize, id: Id, kind: ThingKind, around: usize) -> Thing {
        let node = &self.index.nodes[n];
        let module = self.index.module(n);
        let mut found = Thing::new(self.index, Some(n), kind, module);
        match node.kind {
            Kind::Call => found.names = self.calls[&n].iter().map(|&id| (n, id)).collect(),
            _ if matches!(kind, ThingKind::Impl | ThingKind::Block) => {}
            _ => found.names.push((n, id)),
        }
        if matches!(
            kind,
            ThingKind::Implemented | ThingKind::Inherent | ThingKind::OfTrait
        ) {
            found.around = Some(around);
        }
        if let Some(of) = &node.implements {
            let paths = of.header.paths.iter();
            let types = paths.filter_map(|path| self.meant(module, path));
            // For which type of `impl<T> Trait<A> for T` such a trait is may be left open, and then nothing else names `A`.
            let is_open = of.header.is_for_any();
            let is_trait = |n: &usize| self.index.nodes[*n].sort == Sort::Trait;
            let is_told = |meant: &Meant| !is_open || meant.iter().all(is_trait);
            found.header = types.filter(is_told).collect();
            let numbers = of.header.paths.iter().filter(|path| is_named_number(path));
            let numbers = numbers.filter_map(|path| path.last());
            found.numbers = numbers.map(|name| self.read.words.number(name)).collect();
            let name = node.for_type();
            found.of_type = name.map(|name| self.read.words.number(name));
        } else if kind == ThingKind::Implemented {
            found.of_type = self.read.list[around].of_type;
        }
        if let Some(made) = self.names.made.get(&n) {
            let part = |header: &Header| {
                let types = header
                    .paths
                    .iter()
                    .filter_map(|path| self.meant(module, path));
                (None, types.collect())
            };
            found.parts = made.impls.iter().map(part).collect();
        }
        if let (Some(calls), ThingKind::Block) = (&node.calls_for, kind) {
            // Whatever else a call does, it is for the types that it names; a trait may be one for others.
            let is_type = |n: &usize| self.index.nodes[*n].sort == Sort::Type;
            let is_type = |meant: &Meant| meant.iter().all(is_type);
            let part = |call: &Vec<Vec<String>>| {
                let types = call.iter().filter_map(|path| self.meant(module, path));
                (None, types.filter(is_type).collect())
            };
            found.parts = calls.iter().map(part).collect();
            let is_open = |name: &String| {
                let meaning = self
                    .names
                    .meaning(self.index, module, slice::from_ref(name));
                !header::is_primitive(name)
                    && matches!(meaning, Meaning::Items(items) if items.is_empty())
            };
            let is_of_others = found.outermost.is_some_and(|n| self.index.is_silent(n));
            found.is_for_unnamed = is_of_others
                && node.makes_impls
                && !calls.is_empty()
                && node.name == "_"
                && calls
                    .iter()
                    .flatten()
                    .filter_map(|path| path.last())
                    .all(is_open);
        }
        found
    }

    /// Adds an impl in a block to that.
    fn add_part(&mut self, n: usize, around: usize) {
        let node = &self.index.nodes[n];
        let is_impl = matches!(node.kind, Kind::Impl | Kind::InherentImpl);
        let in_block = self.read.list[around].kind == ThingKind::Block;
        if let (Some(of), true, true) = (&node.implements, is_impl, in_block) {
            let paths = of.header.paths.iter();
            let types = paths.filter_map(|path| self.meant(node.parent, path));
            // What is in a body goes with that.
            let is_thing = |n: &usize| self.index.nodes[*n].parent == self.index.module(*n);
            let is_thing = |meant: &Meant| meant.iter().all(is_thing);
            let part = types.filter(is_thing).collect();
            self.read.list[around].parts.push((Some(n), part));
        }
    }

    /// The types and traits that a path may mean in a node, or the macro's call that makes one.
    fn meant(&self, inside: Option<usize>, path: &[String]) -> Option<Meant> {
        self.of_alias(inside, path, 0)
    }

    /// The same for what so many aliases stand for, which might go in circles.
    fn of_alias(&self, inside: Option<usize>, path: &[String], depth: usize) -> Option<Meant> {
        let nodes = &self.index.nodes;
        let items = match self.names.meaning(self.index, inside, path) {
            Meaning::Items(items) => items,
            Meaning::Unknown => {
                let [name] = path else { return None };
                let module = match inside {
                    Some(n) if nodes[n].kind != Kind::Module => self.index.module(n),
                    module => module,
                };
                let id = self.read.words.find(name)?;
                return Some(vec![*self.by_calls.get(&(module, id))?]);
            }
        };
        let is_type = |n: &usize| {
            let node = &nodes[*n];
            matches!(node.sort, Sort::Type | Sort::Alias | Sort::Trait) || node.kind == Kind::Call
        };
        let mut found = Meant::new();
        for one in items.into_iter().filter(is_type) {
            // An alias need not be used for what it stands for to be.
            match nodes[one].sort {
                Sort::Alias if depth < 8 => {
                    let path = path_to(nodes[one].stands_for.as_deref()?)?;
                    found.extend(self.of_alias(nodes[one].parent, &path, depth + 1)?);
                }
                Sort::Alias => return None,
                _ => found.push(one),
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Notes what of its trait each item of an impl implements: a trait may come after its impls.
    fn note_implemented(&mut self) {
        let nodes = &self.index.nodes;
        let things = self.read.list.iter().enumerate();
        let items = things.filter_map(|(at, thing)| {
            let node = thing.node.filter(|_| thing.kind == ThingKind::OfTrait)?;
            Some(((nodes[node].parent?, thing.names[0].1), at))
        });
        let items: BTreeMap<(usize, Id), usize> = items.collect();
        for thing in &mut self.read.list {
            if let (ThingKind::Implemented, Some(node)) = (thing.kind, thing.node) {
                let of_trait = self.names.trait_of(self.index, node);
                let item = of_trait.and_then(|n| items.get(&(n, thing.names[0].1)));
                thing.implements = item.copied();
            }
        }
    }

    /// Gives each thing its words.
    fn note_words(&mut self) {
        let Read {
            words,
            list,
            of_nodes,
            ..
        } = &mut self.read;
        for (at, word) in words.list.iter().enumerate() {
            let thing = word.node.map_or(0, |n| of_nodes[n]);
            list[thing].words.push(at);
        }
    }
}

/// Whether an item of a trait is a type.
pub fn is_type_of_trait(index: &Index, node: &Node) -> bool {
    let before = index.text_at(&(node.range.start..node.head.start));
    before.trim_end().ends_with("type")
}

/// The names on the path to a type, if it is one of names alone.
fn path_to(of: &Type) -> Option<Vec<String>> {
    let Type::Path(of) = of else {
        return None;
    };
    let is_clear = of.qself.is_none() && of.path.leading_colon.is_none();
    let name = |of: &syn::PathSegment| source::plain_name(&of.ident.to_string()).to_owned();
    is_clear.then(|| of.path.segments.iter().map(name).collect())
}

impl Thing {
    fn new(index: &Index, node: Option<usize>, kind: ThingKind, module: Option<usize>) -> Self {
        Self {
            node,
            kind,
            around: None,
            implements: None,
            names: Vec::new(),
            header: Vec::new(),
            numbers: Vec::new(),
            parts: Vec::new(),
            is_for_unnamed: false,
            of_type: None,
            words: Vec::new(),
            module,
            outermost: outermost(index, module),
        }
    }
}

/// Whether an attribute makes something of an item that nobody has to name for it.
fn is_for_linker(index: &Index, node: &Node) -> bool {
    are_for_linker(index.text_at(&(node.range.start..node.head.start)))
}

/// The same of the text of attributes.
pub fn are_for_linker(attributes: &str) -> bool {
    const ATTRIBUTES: [&str; 5] = [
        "global_allocator",
        "used",
        "no_mangle",
        "export_name",
        "link_section",
    ];
    attributes.contains('#') && source::words(attributes).any(|word| ATTRIBUTES.contains(&word))
}

/// The module of the file that a module is or is in: that of a crate.
pub fn outermost(index: &Index, module: Option<usize>) -> Option<usize> {
    module.map(|n| index.outermost(n).unwrap_or(n))
}
