//! What a text consists of, by places: items, their parts, imports.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ForeignItem, ImplItem, Item, PathSegment, TraitItem, Type, UseTree};

use super::header::{self, Aliases, Generics, Header, Scope};
use super::source::{self, blank, Edits};
use super::tokens::is_punct;
use crate::bundle::compiler::Fix;
use crate::bundle::load::expand;
use crate::bundle::shake::follow::{leads_out, STANDARD};
use crate::bundle::shake::hollow::HARMLESS;
use crate::bundle::shake::made::Macros;

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

    pub fn trait_path(&self) -> Option<&[String]> {
        Some(&self.implements.as_ref()?.of_trait)
    }

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

/// A call with the nodes of its parts.
struct List {
    call: usize,
    parts: Range<usize>,
    /// What is between its brackets.
    inside: Range<usize>,
    are_separated: bool,
}

impl<'t> Index<'t> {
    pub fn new(text: &'t str) -> Result<Self> {
        let file = source::parsed(text).context("the bundle does not parse")?;
        let mut index = Self {
            text,
            comments: source::comments(text),
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

    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn text_of(&self, node: usize) -> &str {
        self.text_at(&self.nodes[node].range)
    }

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

    /// Where the comments directly above a node begin. Those at the top of the text, above an import, are about all of it.
    pub fn with_comments(&self, node: usize) -> usize {
        let mut words = ["use ", "extern crate ", "#[allow(unused_imports)]"].into_iter();
        let is_import = words.any(|word| self.text[node..].starts_with(word));
        let mut start = node;
        loop {
            let before = self.text[..start].trim_end_matches([' ', '\t']);
            let Some(before) = before.strip_suffix('\n') else {
                return start;
            };
            let end = before.trim_end_matches([' ', '\t']).len();
            let above = self.comments.partition_point(|c| c.end <= end);
            let Some(comment) = above.checked_sub(1).map(|n| &self.comments[n]) else {
                return start;
            };
            let line = self.text[..comment.start].rfind('\n').map_or(0, |n| n + 1);
            let inner_doc = self.text[comment.clone()].starts_with("//!");
            if comment.end != end || inner_doc || !self.text[line..comment.start].trim().is_empty()
            {
                return start;
            }
            start = comment.start;
            if is_import && self.text[..start].trim().is_empty() {
                return node;
            }
        }
    }

    /// The comments directly above a name in a list, and behind it on its line.
    fn comments_around(&self, name: &Range<usize>) -> [&str; 2] {
        let blanks = [' ', '\t'];
        let above = self.text[self.with_comments(name.start)..name.start].trim();
        let rest = self.text[name.end..].trim_start_matches(blanks);
        let rest = rest.strip_prefix(',').unwrap_or(rest);
        let at = self.text.len() - rest.trim_start_matches(blanks).len();
        let comments = &self.comments;
        let behind = comments.binary_search_by_key(&at, |comment| comment.start);
        let behind = behind.map_or(at..at, |n| comments[n].clone());
        let rest = self.text[behind.end..].trim_start_matches(['\r', ' ', '\t']);
        // A comment with more behind it on the line is about that.
        let behind = match rest.starts_with('\n') {
            true => &self.text[behind],
            false => "",
        };
        [above, behind]
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
        let parts = known.and_then(|known| known.parts(mac.tokens.clone()));
        let parts = parts.or_else(|| expand::statics(mac));
        let Some(parts) = parts.filter(|parts| parts.ranges.len() > 1) else {
            return;
        };
        let first = self.nodes.len();
        self.open.push(call);
        for part in parts.ranges {
            self.add(Kind::Call, part, 0..0, "!");
        }
        self.open.pop();
        let around = mac.delimiter.span();
        self.lists.push(List {
            call,
            parts: first..self.nodes.len(),
            inside: around.open().byte_range().end..around.close().byte_range().start,
            are_separated: parts.are_separated,
        });
    }

    /// The parts of a call, if it has several.
    pub fn parts_of(&self, call: usize) -> Range<usize> {
        let at = self.lists.binary_search_by_key(&call, |list| list.call);
        at.map_or(0..0, |at| self.lists[at].parts.clone())
    }

    /// What stands before the parts of a call, for each of them.
    pub fn before_parts(&self, call: usize) -> &str {
        let list = self.lists.binary_search_by_key(&call, |list| list.call);
        list.map_or("", |at| {
            let list = &self.lists[at];
            self.text_at(&(list.inside.start..self.nodes[list.parts.start].range.start))
        })
    }

    /// The parts of a call whose arguments are there, if it has several.
    pub fn parts_in(&self, arguments: &Range<usize>) -> impl Iterator<Item = &str> {
        let is_it =
            |list: &&List| arguments.start <= list.inside.start && list.inside.end <= arguments.end;
        let parts = self.lists.iter().find(is_it).map(|list| list.parts.clone());
        parts.into_iter().flatten().map(|part| self.text_of(part))
    }

    /// What goes of calls of which not all parts do.
    fn gone_of_lists(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for list in &self.lists {
            let is_gone = |n: &usize| gone.contains(n);
            if gone.range(list.parts.clone()).next().is_none()
                || list.parts.clone().all(|n| is_gone(&n))
            {
                continue;
            }
            let place = |n: usize| &self.nodes[n].range;
            let last = list.parts.end - 1;
            let end = place(last).end;
            let after = self.text_at(&(end..list.inside.end)).trim_end();
            let is_ended = || !source::without_comments(after).trim().is_empty();
            let is_ended = !list.are_separated || is_ended();
            let mut n = list.parts.start;
            while n < list.parts.end {
                let mut next = n + 1;
                if is_gone(&n) {
                    next = (next..list.parts.end)
                        .find(|n| !is_gone(n))
                        .unwrap_or(list.parts.end);
                    let ends_line = || {
                        self.text_at(&(place(n - 1).end..place(n).start))
                            .contains('\n')
                    };
                    found.push(match next <= last {
                        true => place(n).start..place(next).start,
                        false if !list.are_separated && !ends_line() => place(n - 1).end..end,
                        false if is_ended => self.whole_lines(place(n).start..end + after.len()),
                        // The one before has no separator behind it then.
                        false => place(n - 1).end..end + after.len(),
                    });
                }
                n = next;
            }
        }
        found
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

/// The statements of a block, and those of the blocks among them.
fn statements(value: &syn::Expr) -> Option<Vec<&syn::Stmt>> {
    fn add<'s>(block: &'s syn::Block, found: &mut Vec<&'s syn::Stmt>) {
        for statement in &block.stmts {
            match statement {
                syn::Stmt::Expr(syn::Expr::Block(of), _) if of.attrs.is_empty() => {
                    add(&of.block, found);
                }
                other => found.push(other),
            }
        }
    }
    let mut found = Vec::new();
    match value {
        syn::Expr::Block(of) => add(&of.block, &mut found),
        syn::Expr::Unsafe(of) => add(&of.block, &mut found),
        _ => return None,
    }
    Some(found)
}

/// The call of a macro of the text.
fn call(statement: &syn::Stmt) -> Option<&syn::Macro> {
    let call = match statement {
        syn::Stmt::Macro(call) => &call.mac,
        syn::Stmt::Expr(syn::Expr::Macro(call), _) => &call.mac,
        _ => return None,
    };
    let name = call.path.segments.last()?.ident.to_string();
    (!HARMLESS.contains(&name.as_str())).then_some(call)
}

/// Whether macros of the text are called among some statements.
fn calls_macros(statements: &[&syn::Stmt]) -> bool {
    statements.iter().any(|statement| call(statement).is_some())
}

/// What each call of a macro names outside of braces, if all else among some statements is imports, types, impls and calls.
fn calls_for(statements: &[&syn::Stmt]) -> Option<Vec<Vec<Vec<String>>>> {
    let mut found = Vec::new();
    let (mut makes, mut checks) = (false, false);
    for statement in statements {
        match (statement, call(statement)) {
            (_, Some(call)) => {
                found.push(named(&call.tokens));
                makes = true;
            }
            (syn::Stmt::Item(Item::Impl(_)), None) => makes = true,
            (syn::Stmt::Item(Item::Use(_) | Item::Struct(_) | Item::Enum(_)), None) => {}
            // Beside impls it is there to make the block an unsafe one.
            (syn::Stmt::Expr(syn::Expr::Call(of), Some(_)), None) if of.args.is_empty() => {
                checks = true;
            }
            _ => return None,
        }
    }
    (makes || !checks).then_some(found)
}

/// The paths among tokens that are not in braces, each behind all that it begins with.
fn named(tokens: &TokenStream) -> Vec<Vec<String>> {
    fn add_names(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut path = Vec::new();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(name) => {
                    let goes_on =
                        at > 1 && is_punct(&trees[at - 1], ':') && is_punct(&trees[at - 2], ':');
                    if !goes_on {
                        path.clear();
                    }
                    path.push(plain(name));
                    found.push(path.clone());
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => {}
                TokenTree::Group(of) if of.delimiter() != Delimiter::Brace => {
                    path.clear();
                    add_names(of.stream(), found);
                }
                _ => path.clear(),
            }
        }
    }
    let mut found = Vec::new();
    add_names(tokens.clone(), &mut found);
    found
}

/// What `assert!(…)` names: as a constant it is there for nobody who runs the program.
fn asserted(of: &syn::Expr) -> Option<Vec<Vec<String>>> {
    let syn::Expr::Macro(call) = of else {
        return None;
    };
    let name = call.mac.path.segments.last()?.ident.to_string();
    name.starts_with("assert").then(|| named(&call.mac.tokens))
}

fn plain(name: &syn::Ident) -> String {
    source::plain_name(&name.to_string()).to_owned()
}

/// What is to become of the leaves of a `use`.
struct Pruning<'p> {
    /// The text of a place.
    text: &'p dyn Fn(Range<usize>) -> String,
    /// What is said about a name in braces, above it and behind it.
    comments: &'p dyn Fn(&Range<usize>) -> [&'p str; 2],
    gone: BTreeSet<(usize, usize)>,
    /// Whether `use a::{self};` brings all that `use a;` does.
    is_only_module: &'p dyn Fn(&[String]) -> bool,
}

impl Pruning<'_> {
    /// The text of a tree that a path leads to; `None` if nothing is left.
    fn pruned(&self, tree: &UseTree, path: &mut Vec<String>) -> Option<String> {
        match tree {
            UseTree::Path(of) => {
                path.push(plain(&of.ident));
                let inner = self.pruned(&of.tree, path);
                let lone = inner.as_ref().and_then(|inner| {
                    let rest = inner.strip_prefix("{self")?.strip_suffix('}')?;
                    (!rest.contains(',') && (self.is_only_module)(path)).then_some(rest)
                });
                path.pop();
                let name = (self.text)(of.ident.span().byte_range());
                match lone {
                    Some(renamed) => Some(name + renamed),
                    None => Some(format!("{name}::{}", inner?)),
                }
            }
            UseTree::Group(group) => {
                let mut kept: Vec<(String, &UseTree)> = group
                    .items
                    .iter()
                    .filter_map(|tree| Some((self.pruned(tree, path)?, tree)))
                    .collect();
                let comments = |tree: &UseTree| (self.comments)(&tree.span().byte_range());
                match kept.len() {
                    0 => None,
                    _ if kept.iter().any(|(_, tree)| comments(tree) != [""; 2]) => {
                        let lines = kept.into_iter().map(|(text, tree)| {
                            let [above, behind] = comments(tree);
                            format!("{above}\n{text}, {behind}\n")
                        });
                        Some(format!("{{\n{}}}", lines.collect::<String>()))
                    }
                    1 if !matches!(kept[0].1, UseTree::Name(name) if name.ident == "self")
                        && !matches!(kept[0].1, UseTree::Rename(name) if name.ident == "self") =>
                    {
                        Some(kept.remove(0).0)
                    }
                    _ => {
                        let kept: Vec<String> = kept.into_iter().map(|(text, _)| text).collect();
                        Some(format!("{{{}}}", kept.join(", ")))
                    }
                }
            }
            leaf => {
                let range = leaf.span().byte_range();
                (!self.gone.contains(&(range.start, range.end))).then(|| (self.text)(range))
            }
        }
    }
}

/// Modules of the standard library beside which there is a macro of the name.
const WITH_MACROS: [&str; 4] = ["assert_matches", "env", "panic", "vec"];

impl Index<'_> {
    /// The `extern` blocks, and the calls with parts, of which nothing is left.
    fn emptied(&self, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let is_empty = |items: &Range<usize>| items.clone().all(|n| gone.contains(&n));
        let empty = self.foreign.iter().filter(|(_, items)| is_empty(items));
        let place = |range: &Range<usize>| self.with_comments(range.start)..range.end;
        let empty = empty.map(|(range, _)| place(range));
        let lists = self.lists.iter().filter(|list| is_empty(&list.parts));
        let calls = lists.map(|list| self.nodes[list.call].range.clone());
        empty.chain(calls).collect()
    }

    /// Whether a node is a part of a call.
    pub fn is_part(&self, n: usize) -> bool {
        let parent = self.nodes[n].parent;
        parent.is_some_and(|parent| self.nodes[parent].kind == Kind::Call)
    }

    /// The text with some nodes blanked: all that stays is where it was.
    pub fn blanked(&self, gone: &BTreeSet<usize>) -> String {
        let mut bytes = self.text.as_bytes().to_vec();
        for range in self.emptied(gone) {
            blank(&mut bytes, range);
        }
        for range in self.gone_of_lists(gone) {
            blank(&mut bytes, range);
        }
        for &n in gone {
            if self.nodes[n].kind != Kind::Import && !self.is_part(n) {
                blank(&mut bytes, self.nodes[n].range.clone());
            }
        }
        for import in &self.imports {
            if gone.range(import.leaves.clone()).next().is_none() {
                continue;
            }
            let mut leaves = import.leaves.clone().map(|n| gone.contains(&n));
            if blank_leaves(&mut bytes, &import.item.tree, &mut leaves) {
                let start = self.with_comments(import.range.start);
                blank(&mut bytes, start..import.range.end);
            }
        }
        String::from_utf8(bytes).expect("each byte of what is blanked becomes a space")
    }

    /// The text without some nodes, and with replacements in the rest.
    pub fn without(&self, gone: &BTreeSet<usize>, fixes: &[Fix]) -> String {
        let mut edits = Edits::default();
        for (range, with) in fixes {
            edits.replace(range.clone(), with);
        }
        for range in self.emptied(gone) {
            edits.delete(self.whole_lines(range));
        }
        for range in self.gone_of_lists(gone) {
            edits.delete(range);
        }
        for &n in gone {
            let node = &self.nodes[n];
            if node.kind != Kind::Import && !self.is_part(n) {
                edits.delete(self.whole_lines(node.range.clone()));
            }
        }
        for import in &self.imports {
            let leaves: BTreeSet<(usize, usize)> = gone
                .range(import.leaves.clone())
                .map(|&n| (self.nodes[n].range.start, self.nodes[n].range.end))
                .collect();
            if leaves.is_empty() {
                continue;
            }
            let tree = import.item.tree.span().byte_range();
            let is_within = |of: &Range<usize>, place: &Range<usize>| {
                place.start <= of.start && of.end <= place.end
            };
            let in_tree: Vec<&Fix> = fixes
                .iter()
                .filter(|fix| is_within(&fix.0, &tree))
                .collect();
            let text = |place: Range<usize>| {
                let mut edits = Edits::default();
                for (range, with) in in_tree.iter().filter(|fix| is_within(&fix.0, &place)) {
                    edits.replace(range.start - place.start..range.end - place.start, with);
                }
                edits.apply(&self.text[place])
            };
            let pruning = Pruning {
                text: &text,
                comments: &|place| self.comments_around(place),
                gone: leaves,
                is_only_module: &|path| self.is_only_module(path),
            };
            match pruning.pruned(&import.item.tree, &mut Vec::new()) {
                Some(pruned) => {
                    edits.replace(tree, pruned);
                }
                None => {
                    let range = self.with_comments(import.range.start)..import.range.end;
                    edits.delete(self.whole_lines(range));
                }
            }
        }
        edits.apply(self.text)
    }

    /// Whether what a path leads to is a module or a type, and surely nothing else has its name.
    fn is_only_module(&self, path: &[String]) -> bool {
        let Some((name, [first, above @ ..])) = path.split_last() else {
            return false;
        };
        if STANDARD.contains(&first.as_str()) {
            return !above.is_empty() || !WITH_MACROS.contains(&name.as_str());
        }
        let is_module = |first: &str| {
            let mut nodes = self.nodes.iter();
            nodes.any(|node| node.kind == Kind::Module && node.name == first)
        };
        let is_inside = |first: &str| {
            ["crate", "self", "super"].contains(&first)
                || STANDARD.contains(&first)
                || is_module(first)
        };
        (0..self.nodes.len()).all(|n| {
            let node = &self.nodes[n];
            match node.kind {
                Kind::Item if node.sort == Sort::Macro => !self.has_word(n, name),
                Kind::Item => node.name != *name || self.is_only_type(n),
                Kind::Arm | Kind::Call => !self.has_word(n, name),
                Kind::Import if [name, "*"].contains(&node.name.as_str()) => {
                    let path = self.import_path(n).unwrap_or_default();
                    path.first().is_some_and(|first| is_inside(first))
                        && [name, "self", "*"].contains(&node.original())
                }
                _ => true,
            }
        })
    }

    /// Whether an item is a type or a trait, and no function or value: others than structs without braces.
    fn is_only_type(&self, n: usize) -> bool {
        let node = &self.nodes[n];
        match node.sort {
            Sort::Alias => true,
            Sort::Type | Sort::Trait => self.text_at(&node.range).trim_end().ends_with('}'),
            Sort::Value | Sort::Macro => false,
        }
    }

    fn has_word(&self, n: usize, word: &str) -> bool {
        source::words(self.text_at(&self.nodes[n].range)).any(|other| other == word)
    }

    /// The lines of something that stands on them alone, but for comments behind it: else the thing itself, and the blanks on one side.
    pub fn whole_lines(&self, range: Range<usize>) -> Range<usize> {
        let blanks = [' ', '\t'];
        let start = self.text[..range.start].rfind('\n').map_or(0, |n| n + 1);
        if !self.text[start..range.start].trim().is_empty() {
            let before = self.text[..range.start].trim_end_matches(blanks).len();
            let is_between = self.text[range.end..].starts_with([' ', '\t', '\r', '\n']);
            return if is_between { before } else { range.start }..range.end;
        }
        let mut end = range.end;
        loop {
            let rest = self.text[end..].trim_start_matches([' ', '\t', '\r']);
            let at = self.text.len() - rest.len();
            if rest.is_empty() || rest.starts_with('\n') {
                return start..(at + 1).min(self.text.len());
            }
            let comment = self
                .comments
                .binary_search_by_key(&at, |comment| comment.start);
            // That of what comes next is no comment about this.
            let is_doc = ["///", "/**", "//!", "/*!"]
                .iter()
                .any(|mark| rest.starts_with(mark));
            match comment {
                Ok(n) if !is_doc => end = self.comments[n].end,
                _ => return range,
            }
        }
    }
}

/// Blanks the leaves that are gone, or tells that all are: then what is around them goes too.
fn blank_leaves(bytes: &mut [u8], tree: &UseTree, leaves: &mut impl Iterator<Item = bool>) -> bool {
    match tree {
        UseTree::Path(path) => blank_leaves(bytes, &path.tree, leaves),
        UseTree::Group(group) => {
            let mut all = true;
            for pair in group.items.pairs() {
                let gone = blank_leaves(bytes, pair.value(), leaves);
                all &= gone;
                if gone {
                    blank(bytes, pair.value().span().byte_range());
                    if let Some(comma) = pair.punct() {
                        blank(bytes, comma.span().byte_range());
                    }
                }
            }
            all
        }
        _ => leaves.next().expect("each leaf has its node"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text without what has some names.
    fn without(text: &str, names: &[&str], fixes: &[Fix]) -> String {
        let index = Index::new(text).unwrap();
        let is_it = |n: &usize| names.contains(&index.nodes[*n].name.as_str());
        let gone = (0..index.nodes.len()).filter(is_it).collect();
        index.without(&gone, fixes)
    }

    #[test]
    fn a_comment_behind_something_goes_with_it() {
        let text = "const A: u8 = 1; // a\nconst B: u8 = 2; // b\nfn f() {\n} /* f */ // g\nuse a::D; // d\n\
                    const C: u8 = 3; const E: u8 = 4; // e\nconst F: u8 = 5; /// g\nfn g() {}\n";
        let without = |names: &[&str]| without(text, names, &[]);
        assert_eq!(
            without(&["A", "f", "D", "E", "F"]),
            "const B: u8 = 2; // b\nconst C: u8 = 3; // e\n /// g\nfn g() {}\n"
        );
    }

    #[test]
    fn a_comment_at_the_top_above_imports_is_about_all_of_it() {
        let text = "// A solution\n// of b\nuse a::A;\n// c\nconst B: u8 = 2;\nfn f() {}\n";
        let title = "// A solution\n// of b\nfn f() {}\n";
        assert_eq!(without(text, &["A", "B"], &[]), title);
        let allowed = text.replace("use", "#[allow(unused_imports)]\nuse");
        assert_eq!(without(&allowed, &["A", "B"], &[]), title);
        // What else stands there is what it is about.
        let item = "// a\nconst A: u8 = 1;\nfn f() {}\n";
        assert_eq!(without(item, &["A"], &[]), "fn f() {}\n");
    }

    #[test]
    fn what_goes_within_a_line_takes_a_blank_along() {
        let text = "macro_rules! m { (a) => { 1 }; () => {}; (b) => { 2 } }\nfn f() {} fn g() {}\n";
        let index = Index::new(text).unwrap();
        let without = |of: &[&str]| {
            let is_it = |n: &usize| of.contains(&index.text_at(&index.nodes[*n].range));
            let gone = (0..index.nodes.len()).filter(is_it).collect();
            index.without(&gone, &[])
        };
        assert_eq!(
            without(&["() => {};", "fn g() {}"]),
            "macro_rules! m { (a) => { 1 }; (b) => { 2 } }\nfn f() {}\n"
        );
        assert_eq!(
            without(&["() => {};", "(b) => { 2 }"]),
            "macro_rules! m { (a) => { 1 }; }\nfn f() {} fn g() {}\n"
        );
    }

    #[test]
    fn what_is_said_about_a_name_stays_with_it() {
        let text = "use a::{\n    // b\n    b, // all\n    // c\n    c, // of it\n    d::{\n        e, f // f\n    },\n}; // a\n";
        let without = |names: &[&str]| without(text, names, &[]);
        let written = |text: &str| text.replace(['\n', ' '], "");
        assert_eq!(
            written(&without(&["c"])),
            "usea::{//bb,//alld::{e,f,//f},};//a"
        );
        assert_eq!(without(&["b", "c", "f"]), "use a::d::e; // a\n");
        let left = without(&["b", "e", "f"]);
        assert_eq!(left, "use a::{\n// c\nc, // of it\n}; // a\n");
        assert_eq!(without(&["b", "c", "e", "f"]), "");
    }

    #[test]
    fn what_is_left_of_an_import_is_written_as_it_should_be() {
        let text = "use a::{b, gen, c::{d, e}}; fn f() {}";
        let at = text.find("gen").unwrap();
        let fix = (at..at + 3, "r#gen".to_owned());
        let without = |names: &[&str]| without(text, names, std::slice::from_ref(&fix));
        assert_eq!(without(&[]), text.replace("gen", "r#gen"));
        assert_eq!(without(&["b"]), "use a::{r#gen, c::{d, e}}; fn f() {}");
        assert_eq!(without(&["b", "d", "e"]), "use a::r#gen; fn f() {}");
        assert_eq!(without(&["gen", "d", "f"]).trim(), "use a::{b, c::e};");
        assert!(!without(&["b", "gen", "d", "e"]).contains("use"));
    }

    #[test]
    fn what_is_left_of_a_list_is_one() {
        let left = |separator: &str, list: &str, gone: &[usize]| {
            let text = format!(
                "macro_rules! m {{ ($($t:ty{separator} $(,)?) => {{ $( impl A for $t {{}} )* }} }}\nm! {{{list}}}\n"
            );
            let index = Index::new(&text).unwrap();
            let is_list = |n: &usize| index.is_part(*n);
            let parts: Vec<usize> = (0..index.nodes.len()).filter(is_list).collect();
            let gone = gone.iter().map(|&at| parts[at]).collect();
            let call = |text: &str| {
                text[text.find("} }\n").unwrap() + 4..]
                    .trim_start()
                    .to_owned()
            };
            // The compiler gets the one, the reader the other.
            let words = |text: &str| -> String { text.split_whitespace().collect() };
            let without = call(&index.without(&gone, &[]));
            let shown = source::without_comments(&without);
            let blanked = call(&index.blanked(&gone));
            assert_eq!(words(&source::without_comments(&blanked)), words(&shown));
            without
        };
        let plain = |gone: &[usize]| left("),*", "A, B, C", gone);
        assert_eq!(plain(&[0]), "m! {B, C}\n");
        assert_eq!(plain(&[1]), "m! {A, C}\n");
        assert_eq!(plain(&[1, 2]), "m! {A}\n");
        assert_eq!(plain(&[0, 2]), "m! {B}\n");
        assert_eq!(plain(&[0, 1, 2]), "");
        let lines =
            "\n    // a\n    A, // of a\n    // b\n    B, // of b\n    // c\n    C, // of c\n";
        let lines = |gone: &[usize]| left("),*", lines, gone);
        assert_eq!(lines(&[0, 1]), "m! {\n    // c\n    C, // of c\n}\n");
        assert_eq!(lines(&[1, 2]), "m! {\n    // a\n    A, // of a\n}\n");
        let inside = "\n    A; // of a\n    // b\n    B;\n";
        assert_eq!(left(";)*", inside, &[1]), "m! {\n    A; // of a\n}\n");
        assert_eq!(left(";)*", "A; B;", &[1]), "m! {A;}\n");
        assert_eq!(left(";)*", " A; B; ", &[1]), "m! { A; }\n");
    }

    #[test]
    fn a_module_alone_is_imported_by_its_name() {
        let left = |import: &str, rest: &str| {
            let text = format!("{import}\n{rest}");
            let index = Index::new(&text).unwrap();
            let gone = (0..index.nodes.len()).filter(|&n| index.nodes[n].name.starts_with("Gone"));
            let text = index.without(&gone.collect(), &[]);
            text.strip_suffix(rest).unwrap().trim_end().to_owned()
        };
        for (import, expected) in [
            ("use std::fmt::{self, Gone};", "use std::fmt;"),
            (
                "pub use std::{fmt::{self, Gone}, io::{self as i, Gone}};",
                "pub use std::{fmt, io as i};",
            ),
            (
                "use ::std::{fmt::{self, Write, Gone}, io::{Gone, GoneToo}};",
                "use ::std::fmt::{self, Write};",
            ),
            ("use std::{self, Gone};", "use std::{self};"),
            // There is `std::env!`, too.
            ("use std::env::{self, Gone};", "use std::env::{self};"),
            ("use std::sync::env::{self, Gone};", "use std::sync::env;"),
        ] {
            assert_eq!(left(import, "fn fmt() {}"), expected);
        }
        let own = "use crate::a::b::{self, Gone};";
        let alone = "mod a { mod b {} } impl c::A for B { fn b() { b() } } use crate::a::b::d; use a::*; m!(c);";
        assert_eq!(left(own, alone), "use crate::a::b;");
        let of_type = "use crate::a::B::{self, Gone};";
        for (item, expected) in [
            ("enum B { C, Gone }", "use crate::a::B;"),
            ("trait B {}", "use crate::a::B;"),
            ("struct B { c: u8 }", "use crate::a::B;"),
            ("struct B(u8);", "use crate::a::B::{self};"),
            (
                "struct B<const N: usize = { 1 }>;",
                "use crate::a::B::{self};",
            ),
        ] {
            assert_eq!(left(of_type, &format!("mod a {{ {item} }}")), expected);
        }
        for other in [
            "fn b() {}",
            "struct b;",
            "macro_rules! b { () => {} }",
            "macro_rules! m { () => { fn b() {} } }",
            "m!(b);",
            "use crate::a::c as b;",
            "use other::b;",
            "use other::*;",
        ] {
            let rest = format!("mod a {{ mod b {{}} }} {other}");
            assert_eq!(left(own, &rest), "use crate::a::b::{self};", "{other}");
        }
    }
}
