//! What a text consists of, by places: items, their parts, imports.

mod blocks;
mod cut;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use anyhow::{Context, Result};
use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ForeignItem, ImplItem, Item, PathSegment, TraitItem, Type, UseTree};

use super::aliases::{Aliases, Scope};
use super::header::{self, Generics, Header};
use super::source;
use super::tokens::is_punct;
use crate::bundle::compiler::Fix;
use crate::bundle::load::expand;
use crate::bundle::shake::follow::leads_out;
use crate::bundle::shake::made::Macros;
use blocks::{asserted, calls_for, calls_macros, statements};

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Item,
    /// A module, which goes when it is empty.
    Module,
    Impl,
    InherentImpl,
    /// An item of an inherent impl.
    Inherent,
    /// An item of an impl of a trait.
    Implemented,
    TraitItem,
    Arm,
    Import,
    /// A macro call, whose expansion nobody sees; or, in one that makes what several would make, what one of these would get.
    Call,
}

/// A part of a text that may go by itself.
pub struct Node {
    pub kind: Kind,
    /// With attributes and comments.
    pub range: Range<usize>,
    /// The name, which lints point at; of a macro's arm the pattern, of an impl what is before its braces.
    pub head: Range<usize>,
    pub name: String,
    pub sort: Sort,
    /// The node that this one is directly in.
    pub parent: Option<usize>,
    /// Of an impl, and of what is in it.
    pub implements: Option<Implements>,
    /// Where a function with a body begins, behind its attributes.
    pub signature: Option<usize>,
    /// Of a trait, those that it builds on; of a type of one, those that it is to implement.
    pub bounds: Vec<PathSegment>,
    /// Of a trait, what its arguments are called.
    pub parameters: Vec<String>,
    /// Of a type in an impl, or of an alias that is no argument of its own, which it is.
    pub stands_for: Option<Rc<Type>>,
    /// Of a type, what it asks of its arguments.
    pub generics: Option<Rc<Generics>>,
    /// Of an import, the names on the path to it.
    ancestors: Vec<Range<usize>>,
    /// Of an import, the last name on its path: `a` of `use x::a as b`. Nothing for a path that `::` leads out of the text.
    original: Option<String>,
    /// Of a function of a trait, that each impl has to have its own.
    pub is_asked_for: bool,
    /// Of a module, whether others than those around it may see it.
    pub is_public: bool,
    /// `const _: () = { make!(…); }`, which is there for the impls that macros make in it.
    pub makes_impls: bool,
    /// Of `const _: () = { … }` with nothing but imports, types, impls and calls, what each call of a macro names outside of braces. The same
    /// of `const _: () = assert!(…)`. A path is there with all that it begins with.
    pub calls_for: Option<Vec<Vec<Vec<String>>>>,
}

impl Node {
    /// Of an import, the name that it has where it comes from.
    pub fn original(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name)
    }

    /// Whether it does no more than bring names.
    pub fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Import | Kind::Module)
    }

    /// Whether it is a function with a body.
    pub fn is_function(&self) -> bool {
        self.signature.is_some()
    }

    /// What the trait is called where it is defined, and in errors.
    pub fn of_trait(&self) -> Option<&String> {
        self.implements.as_ref()?.trait_name.as_ref()
    }

    /// The path of the trait of an impl, as it is written.
    pub fn trait_path(&self) -> Option<&[String]> {
        Some(&self.implements.as_ref()?.of_trait)
    }

    /// What the type is called that an impl is for.
    pub fn for_type(&self) -> Option<&String> {
        self.implements.as_ref()?.for_type.last()
    }

    /// The paths in the header of an impl.
    pub fn header(&self) -> impl Iterator<Item = &[String]> {
        let paths = self.implements.iter();
        paths
            .flat_map(|of| [&of.of_trait[..], &of.for_type[..]])
            .filter(|path| !path.is_empty())
    }
}

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A function, a constant, a static; and all that is no item of a module.
    Value,
    Type,
    /// `type A = B;`
    Alias,
    Trait,
    Macro,
}

/// What traits of the standard library that provide something do not provide. Most others provide nothing.
const REQUIRED: [(&str, &[&str]); 15] = [
    ("BufRead", &["fill_buf", "consume"]),
    ("Clone", &["clone"]),
    ("DoubleEndedIterator", &["next_back"]),
    ("Error", &[]),
    ("ExactSizeIterator", &[]),
    ("Extend", &["extend"]),
    ("Hash", &["hash"]),
    ("Hasher", &["finish", "write"]),
    ("Iterator", &["next"]),
    ("Ord", &["cmp"]),
    ("PartialEq", &["eq"]),
    ("PartialOrd", &["partial_cmp"]),
    ("Read", &["read"]),
    ("Seek", &["seek"]),
    // Of `std::fmt` and of `std::io`.
    ("Write", &["write_str", "write", "flush"]),
];

/// What the header of an impl says.
#[derive(Clone)]
pub struct Implements {
    of_trait: Vec<String>,
    trait_name: Option<String>,
    /// Nothing for `impl<T> Trait for T`, or for a tuple.
    for_type: Vec<String>,
    pub header: Rc<Header>,
}

/// The nodes of a text. Whatever is taken out, the places stay as they are: it is blanked, so that the nodes are the same in all rounds.
pub struct Index<'t> {
    text: &'t str,
    comments: Vec<Range<usize>>,
    /// Those that begin and end regions.
    regions: Vec<[usize; 2]>,
    pub nodes: Vec<Node>,
    /// The nodes around the present place.
    open: Vec<usize>,
    imports: Vec<Import>,
    pub macros: Macros,
    /// The calls that have parts.
    lists: Vec<List>,
    /// The `extern` blocks of named items, with the nodes of these.
    foreign: Vec<(Range<usize>, Range<usize>)>,
    /// Nodes by where their heads start.
    heads: BTreeMap<usize, Vec<usize>>,
    /// The names of traits.
    traits: HashSet<String>,
    pub aliases: Aliases,
}

/// Where a `use` stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Use {
    OfModule,
    /// In a function; perhaps it brings all names of something in the file.
    OfBody {
        all: bool,
    },
}

/// A `use`, with the nodes of its leaves.
struct Import {
    range: Range<usize>,
    item: syn::ItemUse,
    leaves: Range<usize>,
}

/// A list in a call, with the nodes of its parts.
struct List {
    call: usize,
    parts: Range<usize>,
    /// What is between the brackets of the call.
    inside: Range<usize>,
    /// Where that begins which stands behind it, or the inside ends.
    end: usize,
    are_separated: bool,
}

impl<'t> Index<'t> {
    /// Reads a text.
    pub fn new(text: &'t str) -> Result<Self> {
        let file = source::parsed(text).context("the bundle does not parse")?;
        let comments = source::comments(text);
        let mut index = Self {
            text,
            regions: source::regions(text, &comments),
            comments,
            nodes: Vec::new(),
            open: Vec::new(),
            imports: Vec::new(),
            macros: Macros::new(&file.items),
            lists: Vec::new(),
            foreign: Vec::new(),
            heads: BTreeMap::new(),
            traits: HashSet::new(),
            aliases: Aliases::new(&file.items),
        };
        for item in &file.items {
            index.visit_item(item);
        }
        for (n, node) in index.nodes.iter().enumerate() {
            index.heads.entry(node.head.start).or_default().push(n);
        }
        let traits = index.nodes.iter().filter(|node| node.sort == Sort::Trait);
        index.traits = traits.map(|node| node.name.clone()).collect();
        Ok(index)
    }

    fn add(&mut self, kind: Kind, range: Range<usize>, head: Range<usize>, name: &str) -> usize {
        let parent = self.open.last().copied();
        let implements = parent
            .filter(|_| matches!(kind, Kind::Implemented | Kind::Inherent))
            .and_then(|parent| self.nodes[parent].implements.clone());
        self.nodes.push(Node {
            kind,
            range: self.with_comments(range.start)..range.end,
            head,
            name: name.to_owned(),
            sort: Sort::Value,
            parent,
            implements,
            signature: None,
            bounds: Vec::new(),
            parameters: Vec::new(),
            stands_for: None,
            generics: None,
            ancestors: Vec::new(),
            original: None,
            is_public: false,
            is_asked_for: false,
            makes_impls: false,
            calls_for: None,
        });
        self.nodes.len() - 1
    }

    /// Adds a node, and what `inside` adds inside it.
    fn add_around(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        name: &syn::Ident,
        inside: impl FnOnce(&mut Self),
    ) {
        let text = plain(name);
        let node = self.add(kind, range, name.span().byte_range(), &text);
        self.open.push(node);
        inside(self);
        self.open.pop();
    }

    /// The nodes directly in a node: they stand behind it.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].range.end;
        (node + 1..self.nodes.len())
            .take_while(move |&n| self.nodes[n].range.start < end)
            .filter(move |&n| self.nodes[n].parent == Some(node))
    }

    /// What stands before the first node in a module, or in the file: the attributes of all that is in it are there.
    pub fn start_of(&self, module: Option<usize>) -> &str {
        let (start, end) = match module {
            Some(n) => (self.nodes[n].head.end, self.nodes[n].range.end),
            None => (0, self.text.len()),
        };
        let mut inside = self.nodes.iter().skip(module.map_or(0, |n| n + 1));
        let first = inside.find(|node| node.parent == module);
        &self.text[start..first.map_or(end, |node| node.range.start.min(end))]
    }

    /// Of an item of a trait, or of an impl of one, the names of the trait and of the item.
    pub fn trait_item(&self, node: usize) -> Option<(&str, &str)> {
        let item = &self.nodes[node];
        let of_trait = match item.kind {
            Kind::TraitItem => &self.nodes[item.parent?].name,
            _ => item.of_trait()?,
        };
        Some((of_trait, &item.name))
    }

    /// Whether an item of an impl is one that a trait of the standard library does not provide.
    pub fn is_required(&self, node: usize) -> bool {
        let Some((of_trait, name)) = self.trait_item(node) else {
            return false;
        };
        let known = REQUIRED.iter().find(|(known, _)| *known == of_trait);
        let is_required = known.map_or(true, |(_, required)| required.contains(&name));
        is_required && !self.traits.contains(of_trait)
    }

    /// For each node, whether it is in one of some or is one of them.
    pub fn all_in(&self, some: &BTreeSet<usize>) -> Vec<bool> {
        let mut found: Vec<bool> = vec![false; self.nodes.len()];
        for &n in some {
            found[n] = true;
        }
        // Each stands behind what it is in.
        for (n, node) in self.nodes.iter().enumerate() {
            found[n] |= node.parent.is_some_and(|parent| found[parent]);
        }
        found
    }

    /// The path of an import in the text.
    pub fn import_path(&self, node: usize) -> Option<Vec<&str>> {
        let node = &self.nodes[node];
        let original = node.original.as_deref()?;
        let ancestors = node.ancestors.iter();
        let names = ancestors.map(|at| source::plain_name(&self.text[at.clone()]));
        Some(names.chain([original]).collect())
    }

    /// The module that a node is in, nothing for the file.
    pub fn module(&self, node: usize) -> Option<usize> {
        let parents = std::iter::successors(self.nodes[node].parent, |&n| self.nodes[n].parent);
        parents
            .into_iter()
            .find(|&n| self.nodes[n].kind == Kind::Module)
    }

    /// The module that a node is or is in.
    pub fn module_around(&self, node: usize) -> Option<usize> {
        match self.nodes[node].kind {
            Kind::Module => Some(node),
            _ => self.module(node),
        }
    }

    /// The module of the file that a node is in, which is a crate.
    pub fn outermost(&self, node: usize) -> Option<usize> {
        std::iter::successors(self.module(node), |&n| self.module(n)).last()
    }

    /// Whether all warnings are allowed in a module at the top: it is other people's code.
    pub fn is_silent(&self, module: usize) -> bool {
        let node = &self.nodes[module];
        let attributes = self.text_at(&(node.range.start..node.head.start));
        attributes.contains("#[allow(warnings)]")
    }

    /// What names mean where the index is read.
    fn scope(&self) -> Scope<'_> {
        let outermost = self.open.first().map(|&n| &self.nodes[n]);
        let inside = outermost.filter(|node| node.kind == Kind::Module);
        self.aliases.within(inside.map(|node| node.name.as_str()))
    }

    /// What names mean in the crate of a node.
    pub fn scope_of(&self, node: usize) -> Scope<'_> {
        self.aliases.within(self.crate_of(node))
    }

    /// What that is called.
    pub fn crate_of(&self, node: usize) -> Option<&str> {
        self.outermost(node).map(|n| &*self.nodes[n].name)
    }

    /// What the modules are called that a node is in, from the outermost on.
    pub fn modules_around(&self, node: usize) -> Vec<&str> {
        let module = |&n: &usize| self.module(n);
        let modules = std::iter::successors(self.module(node), module);
        let mut names: Vec<&str> = modules.map(|n| &*self.nodes[n].name).collect();
        names.reverse();
        names
    }

    /// Whether a path as the compiler writes it in messages, with as many modules as it takes, may mean a node.
    pub fn is_called(&self, node: usize, path: &syn::Path) -> bool {
        let mut at = Some(node);
        path.segments.iter().rev().all(|segment| {
            let known = at.map(|n| segment.ident == self.nodes[n].name);
            at = at.and_then(|n| self.module(n));
            known.unwrap_or(segment.ident == "crate")
        })
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The text of a node.
    pub fn text_of(&self, node: usize) -> &str {
        self.text_at(&self.nodes[node].range)
    }

    /// The text of a place.
    pub fn text_at(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The line that a range begins in.
    pub fn line_of(&self, range: &Range<usize>) -> &str {
        let (before, after) = self.text.split_at(range.start);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = after
            .find('\n')
            .map_or(self.text.len(), |newline| range.start + newline);
        self.text_at(&(start..end))
    }

    /// Whether a node, or one that it is in, is in a set.
    pub fn is_in(&self, node: usize, set: &BTreeSet<usize>) -> bool {
        std::iter::successors(Some(node), |&n| self.nodes[n].parent).any(|n| set.contains(&n))
    }

    /// Whether a node, or one inside of it, is in a set.
    pub fn has(&self, node: usize, set: &BTreeSet<usize>) -> bool {
        let end = self.nodes[node].range.end;
        // What is inside stands behind.
        let next = set.range(node..).next();
        next.is_some_and(|&n| n == node || self.nodes[n].range.start < end)
    }

    /// Whether a comment begins or ends a region, which is more than what it stands above.
    fn is_region(&self, comment: usize) -> bool {
        self.regions.iter().any(|marks| marks.contains(&comment))
    }

    /// Where the comments directly above a node begin. Those at the top of the text, above an import, are about all of it.
    pub fn with_comments(&self, node: usize) -> usize {
        let mut words = ["use ", "extern crate ", "#[allow(unused_imports)]"].into_iter();
        let is_import = words.any(|word| self.text[node..].starts_with(word));
        let mut start = node;
        // Those that the line begins with.
        let line = self.text[..node].rfind('\n').map_or(0, |n| n + 1);
        let first = self.comments.partition_point(|c| c.start < line);
        if let Some(comment) = self.comments.get(first).filter(|c| c.end <= node) {
            let before = source::without_comments(&self.text[line..node]);
            if before.trim().is_empty() {
                start = comment.start;
            }
        }
        loop {
            let before = self.text[..start].trim_end_matches([' ', '\t']);
            let Some(before) = before.strip_suffix('\n') else {
                return start;
            };
            let end = before.trim_end_matches([' ', '\t']).len();
            let above = self.comments.partition_point(|c| c.end <= end);
            let Some(above) = above.checked_sub(1) else {
                return start;
            };
            let comment = &self.comments[above];
            let line = self.text[..comment.start].rfind('\n').map_or(0, |n| n + 1);
            let inner_doc = self.text[comment.clone()].starts_with("//!");
            let is_on_line = self.text[line..comment.start].trim().is_empty();
            if comment.end != end
                || inner_doc
                || !is_on_line
                || source::goes_on(self.text, &self.comments, above)
                || self.is_region(above)
            {
                return start;
            }
            start = comment.start;
            if is_import && self.text[..start].trim().is_empty() {
                return node;
            }
        }
    }

    /// What adds an attribute (`[…]`) to what begins at a place, or to the file: below what is said about it.
    pub fn attribute_at(&self, of: Option<usize>, attribute: &str) -> Fix {
        let is_inner = |c: &str| c.starts_with("//!") || c.starts_with("/*!");
        let behind_blanks = |at: usize| self.text.len() - self.text[at..].trim_start().len();
        // Behind comments, and where these end.
        let behind_comments = |only_inner: bool| {
            let mut at = of.unwrap_or(0);
            let mut next = behind_blanks(at);
            while let Ok(n) = self.comments.binary_search_by_key(&next, |c| c.start) {
                let comment = &self.comments[n];
                if only_inner && !is_inner(&self.text[comment.clone()]) {
                    break;
                }
                at = comment.end;
                next = behind_blanks(at);
            }
            (at, next)
        };
        let (_, next) = behind_comments(false);
        // Before the first item of a file other comments are about that.
        let (inner, _) = behind_comments(true);
        match of {
            Some(_) => (next..next, format!("#{attribute}\n")),
            // With those that are there.
            None if self.text[next..].starts_with("#!") => (next..next, format!("#!{attribute}\n")),
            None if inner > 0 => (inner..inner, format!("\n#!{attribute}")),
            None => (0..0, format!("#!{attribute}\n\n")),
        }
    }

    fn leaves(&mut self, tree: &UseTree, ancestors: &mut Vec<Range<usize>>) {
        match tree {
            UseTree::Path(path) => {
                ancestors.push(path.ident.span().byte_range());
                self.leaves(&path.tree, ancestors);
                ancestors.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.leaves(tree, ancestors);
                }
            }
            leaf => {
                let range = leaf.span().byte_range();
                let (original, name) = match leaf {
                    UseTree::Name(leaf) => {
                        let original = plain(&leaf.ident);
                        let module = ancestors.last().filter(|_| original == "self");
                        let name = module.map(|at| source::plain_name(&self.text[at.clone()]));
                        let name = name.map(str::to_owned);
                        let name = name.unwrap_or_else(|| original.clone());
                        (original, name)
                    }
                    UseTree::Rename(leaf) => (plain(&leaf.ident), plain(&leaf.rename)),
                    _ => ("*".to_owned(), "*".to_owned()),
                };
                self.nodes.push(Node {
                    kind: Kind::Import,
                    range: range.clone(),
                    head: range,
                    name,
                    sort: Sort::Value,
                    parent: self.open.last().copied(),
                    implements: None,
                    signature: None,
                    bounds: Vec::new(),
                    parameters: Vec::new(),
                    stands_for: None,
                    generics: None,
                    ancestors: ancestors.clone(),
                    original: Some(original),
                    is_public: false,
                    is_asked_for: false,
                    makes_impls: false,
                    calls_for: None,
                });
            }
        }
    }

    /// The imports that a range in a `use` is about: a leaf, with or without its path, or all below a name.
    fn imports_at(&self, range: &Range<usize>) -> Vec<usize> {
        let import = self.import_at(range.start);
        let Some(import) = import.filter(|import| range.end <= import.range.end) else {
            return Vec::new();
        };
        let meets = |other: &Range<usize>| other.start < range.end && range.start < other.end;
        let leaves = import.leaves.clone();
        let met: Vec<usize> = leaves
            .clone()
            .filter(|&n| meets(&self.nodes[n].range))
            .collect();
        if !met.is_empty() {
            return met;
        }
        leaves
            .filter(|&n| self.nodes[n].ancestors.iter().any(meets))
            .collect()
    }

    /// The `use` that a place is in.
    pub fn use_at(&self, at: usize) -> Option<Use> {
        let import = self.import_at(at)?;
        let mut leaves = import.leaves.clone();
        let is_of_module = |leaf: usize| self.nodes[leaf].parent == self.module(leaf);
        let is_glob = |leaf: usize| self.nodes[leaf].name == "*" && !leads_out(self, leaf);
        Some(match leaves.clone().all(is_of_module) {
            true => Use::OfModule,
            false => Use::OfBody {
                all: leaves.any(is_glob),
            },
        })
    }

    /// Where the `use` begins that a place is in.
    pub fn import_start(&self, at: usize) -> Option<usize> {
        self.import_at(at).map(|import| import.range.start)
    }

    fn import_at(&self, at: usize) -> Option<&Import> {
        let after = self
            .imports
            .partition_point(|import| import.range.start <= at);
        let import = &self.imports[after.checked_sub(1)?];
        (at < import.range.end).then_some(import)
    }

    /// The nodes that an error at a place is in.
    pub fn at(&self, range: &Range<usize>) -> Vec<usize> {
        let imports = self.imports_at(range);
        if imports.is_empty() {
            self.innermost(range).into_iter().collect()
        } else {
            imports
        }
    }

    /// The block whose header has a place in it.
    pub fn block_at(&self, place: usize) -> Option<usize> {
        let (_, heads) = self.heads.range(..=place).next_back()?;
        let mut heads = heads.iter().copied();
        heads.find(|&n| {
            let node = &self.nodes[n];
            matches!(node.kind, Kind::Impl | Kind::InherentImpl) && node.head.contains(&place)
        })
    }

    /// The innermost node at a place.
    pub fn innermost(&self, range: &Range<usize>) -> Option<usize> {
        (0..self.nodes.len())
            .filter(|&n| {
                let node = &self.nodes[n].range;
                node.start <= range.start && range.end <= node.end
            })
            .min_by_key(|&n| self.nodes[n].range.len())
    }

    /// The nodes whose name, pattern or leaf a lint points at.
    pub fn pointed_at(&self, range: &Range<usize>) -> Vec<usize> {
        let heads = self.heads.get(&range.start).into_iter().flatten();
        if let Some(&n) = heads
            .copied()
            .find(|&n| self.nodes[n].head == *range)
            .as_ref()
        {
            return vec![n];
        }
        let imports = self.imports_at(range);
        if !imports.is_empty() {
            return imports;
        }
        self.innermost(range)
            .filter(|&n| self.nodes[n].kind == Kind::Arm)
            .into_iter()
            .collect()
    }
}

impl<'ast> Visit<'ast> for Index<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let range = source::item_range(item);
        let named = match item {
            Item::Const(i) => Some(&i.ident),
            Item::Enum(i) => Some(&i.ident),
            Item::Fn(i) => Some(&i.sig.ident),
            Item::Static(i) => Some(&i.ident),
            Item::Struct(i) => Some(&i.ident),
            Item::Trait(i) => Some(&i.ident),
            Item::TraitAlias(i) => Some(&i.ident),
            Item::Type(i) => Some(&i.ident),
            Item::Union(i) => Some(&i.ident),
            _ => None,
        };
        if let Some(name) = named {
            let node = self.nodes.len();
            self.add_around(Kind::Item, range, name, |index| {
                index.nodes[node].sort = match item {
                    Item::Const(_) | Item::Fn(_) | Item::Static(_) => Sort::Value,
                    Item::Trait(_) | Item::TraitAlias(_) => Sort::Trait,
                    Item::Type(_) => Sort::Alias,
                    _ => Sort::Type,
                };
                if let (Item::Const(of), true) = (item, name == "_") {
                    if let Some(statements) = statements(&of.expr) {
                        index.nodes[node].makes_impls = calls_macros(&statements);
                        index.nodes[node].calls_for = calls_for(&statements);
                    } else {
                        index.nodes[node].calls_for = asserted(&of.expr).map(|names| vec![names]);
                    }
                }
                index.nodes[node].signature = match item {
                    Item::Fn(function) => {
                        Some(source::function_start(&function.vis, &function.sig))
                    }
                    _ => None,
                };
                let generics = match item {
                    Item::Struct(i) => Some(&i.generics),
                    Item::Enum(i) => Some(&i.generics),
                    Item::Union(i) => Some(&i.generics),
                    Item::Trait(i) => Some(&i.generics),
                    _ => None,
                };
                let generics = generics.map(|generics| Generics::new(generics, index.scope()));
                let generics = generics.filter(|generics| !generics.is_free());
                index.nodes[node].generics = generics.map(Rc::new);
                if let Item::Type(of) = item {
                    let mut arguments = of.generics.type_params();
                    let mut is_argument = |path: &syn::Path| {
                        arguments.any(|argument| path.segments[0].ident == argument.ident)
                    };
                    if !matches!(&*of.ty, Type::Path(of) if is_argument(&of.path)) {
                        index.nodes[node].stands_for = Some(Rc::new((*of.ty).clone()));
                    }
                }
                if let Item::Trait(block) = item {
                    index.nodes[node].bounds =
                        header::traits(&block.supertraits, index.scope()).collect();
                    let parameters = header::parameters(&block.generics);
                    index.nodes[node].parameters = parameters.collect();
                }
                visit::visit_item(index, item);
            });
            return;
        }
        match item {
            Item::Mod(module) => {
                let Some((_, items)) = &module.content else {
                    return;
                };
                self.add_around(Kind::Module, range, &module.ident, |index| {
                    let node = index.nodes.len() - 1;
                    index.nodes[node].is_public = !matches!(module.vis, syn::Visibility::Inherited);
                    for item in items {
                        index.visit_item(item);
                    }
                });
            }
            Item::Impl(block) => self.implementation(block, range),
            Item::Macro(mac) => match &mac.ident {
                Some(name) => self.add_around(Kind::Item, range, name, |index| {
                    let node = index.nodes.len() - 1;
                    index.nodes[node].sort = Sort::Macro;
                    index.arms(&mac.mac.tokens);
                }),
                None => {
                    let node = self.add(Kind::Call, range, 0..0, "!");
                    self.parts(node, &mac.mac);
                }
            },
            Item::Use(item) => {
                let first = self.nodes.len();
                self.leaves(&item.tree, &mut Vec::new());
                if item.leading_colon.is_some() {
                    for leaf in &mut self.nodes[first..] {
                        leaf.original = None;
                    }
                }
                self.imports.push(Import {
                    range,
                    item: item.clone(),
                    leaves: first..self.nodes.len(),
                });
            }
            Item::ForeignMod(block) => self.foreign(block, range),
            other => visit::visit_item(self, other),
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let name = match item {
            TraitItem::Const(i) => &i.ident,
            TraitItem::Fn(i) => &i.sig.ident,
            TraitItem::Type(i) => &i.ident,
            _ => return,
        };
        let node = self.nodes.len();
        self.add_around(Kind::TraitItem, item.span().byte_range(), name, |index| {
            index.nodes[node].signature = match item {
                TraitItem::Fn(method) if method.default.is_some() => Some(source::function_start(
                    &syn::Visibility::Inherited,
                    &method.sig,
                )),
                _ => None,
            };
            index.nodes[node].is_asked_for =
                matches!(item, TraitItem::Fn(method) if method.default.is_none());
            if let TraitItem::Type(of) = item {
                index.nodes[node].bounds = header::traits(&of.bounds, index.scope()).collect();
            }
            visit::visit_trait_item(index, item);
        });
    }
}

impl Index<'_> {
    /// `extern "C" { … }`: what is in it is named as if it stood around it.
    fn foreign(&mut self, block: &syn::ItemForeignMod, range: Range<usize>) {
        let name = |item: &ForeignItem| match item {
            ForeignItem::Fn(i) => Some((i.sig.ident.clone(), Sort::Value)),
            ForeignItem::Static(i) => Some((i.ident.clone(), Sort::Value)),
            ForeignItem::Type(i) => Some((i.ident.clone(), Sort::Type)),
            _ => None,
        };
        let Some(names) = block.items.iter().map(name).collect::<Option<Vec<_>>>() else {
            return;
        };
        let first = self.nodes.len();
        for (item, (name, sort)) in block.items.iter().zip(names) {
            let text = plain(&name);
            let head = name.span().byte_range();
            let node = self.add(Kind::Item, item.span().byte_range(), head, &text);
            self.nodes[node].sort = sort;
        }
        if first < self.nodes.len() {
            self.foreign.push((range, first..self.nodes.len()));
        }
    }

    /// Adds the parts of a call, if it has several.
    fn parts(&mut self, call: usize, mac: &syn::Macro) {
        let modules = self.modules_around(call);
        let known = self.macros.meant(&modules, &mac.path).flatten();
        let lists = known.and_then(|known| known.lists(mac.tokens.clone()));
        let lists = lists.or_else(|| Some(vec![expand::statics(mac)?]));
        let mut lists = lists.unwrap_or_default();
        lists.retain(|list| !list.parts.is_empty());
        if lists.iter().map(|list| list.parts.len()).sum::<usize>() < 2 {
            return;
        }
        let around = mac.delimiter.span();
        let inside = around.open().byte_range().end..around.close().byte_range().start;
        self.open.push(call);
        for list in lists {
            let first = self.nodes.len();
            for part in list.parts {
                self.add(Kind::Call, part, 0..0, "!");
            }
            self.lists.push(List {
                call,
                parts: first..self.nodes.len(),
                inside: inside.clone(),
                end: list.end.unwrap_or(inside.end),
                are_separated: list.are_separated,
            });
        }
        self.open.pop();
    }

    /// The lists in a call that have parts, if there are several parts.
    fn lists_of(&self, call: usize) -> &[List] {
        let first = self.lists.partition_point(|list| list.call < call);
        let behind = self.lists.partition_point(|list| list.call <= call);
        &self.lists[first..behind]
    }

    /// The parts of a call, if it has several.
    pub fn parts_of(&self, call: usize) -> Range<usize> {
        match self.lists_of(call) {
            [] => 0..0,
            [first, .., last] => first.parts.start..last.parts.end,
            [list] => list.parts.clone(),
        }
    }

    /// What a call gets if all its other parts go.
    pub fn with_part(&self, call: usize, part: usize) -> String {
        let mut text = String::new();
        let mut at = None;
        for list in self.lists_of(call) {
            let start = self.nodes[list.parts.start].range.start;
            text += self.text_at(&(at.unwrap_or(list.inside.start)..start));
            if list.parts.contains(&part) {
                text += self.text_of(part);
            }
            at = Some(list.end);
        }
        let end = self.lists_of(call).last().map_or(0, |list| list.inside.end);
        text + self.text_at(&(at.unwrap_or(end)..end))
    }

    /// The parts of a call whose arguments are there, if it has several.
    pub fn parts_in(&self, arguments: &Range<usize>) -> impl Iterator<Item = &str> {
        let is_it =
            |list: &&List| arguments.start <= list.inside.start && list.inside.end <= arguments.end;
        let call = self.lists.iter().find(is_it).map(|list| list.call);
        let parts = call.into_iter().flat_map(|call| self.parts_of(call));
        parts.map(|part| self.text_of(part))
    }

    fn implementation(&mut self, block: &syn::ItemImpl, range: Range<usize>) {
        let head = range.start..block.brace_token.span.open().byte_range().start;
        let (kind, inside) = match block.trait_ {
            Some(_) => (Kind::Impl, Kind::Implemented),
            None => (Kind::InherentImpl, Kind::Inherent),
        };
        let node = self.add(kind, range, head, "");
        let mut of = &*block.self_ty;
        while let syn::Type::Reference(reference) = of {
            of = &reference.elem;
        }
        let parameters: Vec<&syn::Ident> = block.generics.type_params().map(|p| &p.ident).collect();
        let segments = |path: &syn::Path| -> Vec<String> {
            let segments = path.segments.iter();
            segments.map(|segment| plain(&segment.ident)).collect()
        };
        let for_type = match of {
            syn::Type::Path(of) if of.qself.is_none() => segments(&of.path),
            _ => Vec::new(),
        };
        let is_parameter = for_type.len() == 1 && parameters.iter().any(|p| **p == for_type[0]);
        let of_trait = block.trait_.as_ref();
        let trait_name = of_trait.and_then(|(path, _)| path.segments.last());
        let trait_name = trait_name.map(|of| self.scope().original(&of.ident).unwrap_or(&of.ident));
        self.nodes[node].implements = Some(Implements {
            trait_name: trait_name.map(plain),
            of_trait: of_trait.map_or_else(Vec::new, |(path, _)| segments(path)),
            for_type: if is_parameter { Vec::new() } else { for_type },
            header: Rc::new(Header::new(block, self.scope())),
        });
        let parameters: Vec<String> = header::parameters(&block.generics).collect();
        self.open.push(node);
        for item in &block.items {
            let name = match item {
                ImplItem::Const(i) => &i.ident,
                ImplItem::Fn(i) => &i.sig.ident,
                ImplItem::Type(i) => &i.ident,
                _ => {
                    self.add(Kind::Call, source::impl_item_range(item), 0..0, "!");
                    continue;
                }
            };
            let node = self.nodes.len();

            self.add_around(inside, source::impl_item_range(item), name, |index| {
                index.nodes[node].signature = match item {
                    ImplItem::Fn(method) => Some(source::function_start(&method.vis, &method.sig)),
                    _ => None,
                };
                if let ImplItem::Type(of) = item {
                    let mut stands_for = of.ty.clone();
                    index.scope().with(&parameters).in_type(&mut stands_for);
                    index.nodes[node].stands_for = Some(Rc::new(stands_for));
                }
                visit::visit_impl_item(index, item);
            });
        }
        self.open.pop();
    }

    /// The arms of a macro.
    fn arms(&mut self, tokens: &TokenStream) {
        let mut start = None;
        let trees: Vec<_> = tokens.clone().into_iter().collect();
        let mut head = 0..0;
        for tree in &trees {
            let at = tree.span().byte_range();
            if start.is_none() {
                start = Some(at.start);
                head = at.clone();
            }
            let semicolon = is_punct(tree, ';');
            if semicolon {
                let start = start.take().expect("set above");
                self.add(Kind::Arm, start..at.end, head.clone(), "arm");
            }
        }
        if let (Some(start), Some(last)) = (start, trees.last()) {
            self.add(Kind::Arm, start..last.span().byte_range().end, head, "arm");
        }
    }
}

fn plain(name: &syn::Ident) -> String {
    source::plain_name(&name.to_string()).to_owned()
}
