//! What an error says is needed after all, and what that will want next.
//!
//! What functions call the compiler has told (see `calls`); what headers and types ask for follows from how they are written.
//!
//! An error names things in words. Bounds and methods are looked up as the compiler does it, but for what only it can know: the types
//! of parameters. Of anything else that is named, all that it could mean stays.

mod bounds;
mod errors;
mod messages;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use syn::{ExprPath, Path, PathArguments, PathSegment, Type};

pub use messages::{is_unresolved, wanted, words, words_of};

use super::calls::{Body, Calls};
use super::follow::{Meaning, Names};
use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::header::{made_object, named_type, readable, Bound, Generics};
use crate::bundle::text::index::{Index, Kind, Node, Sort};
use crate::bundle::text::source;
use bounds::{asked_outside, Step};
use messages::is_of_unknown_type;

/// A removal that something live does not allow.
pub struct Trouble {
    pub errors: Vec<Diagnostic>,
    pub removed: BTreeSet<usize>,
    /// The errors before these, and what went after each.
    pub followed: Vec<(Diagnostic, Vec<usize>)>,
}

/// What was found out about a text, whatever is removed of it: each look asks for most of it again.
#[derive(Default)]
pub struct Known {
    /// What paths that are called mean, and what types ask for.
    meant: RefCell<HashMap<String, Rc<[usize]>>>,
    /// What impls and derives build on.
    foundations: RefCell<HashMap<usize, Rc<[usize]>>>,
    /// The impls that a bound may hold by.
    steps: RefCell<HashMap<String, Rc<Step>>>,
}

/// Adds to what is kept what the errors name, or else half of what was removed. Tells what that will want next, if there was anything to
/// add.
pub fn keep(
    index: &Index,
    names: &Names,
    calls: &Calls,
    known: &Known,
    trouble: &Trouble,
    kept: &mut BTreeSet<usize>,
) -> Option<BTreeSet<usize>> {
    let look = Look::new(index, names, calls, known, &trouble.removed);
    let errors = || trouble.errors.iter();
    // Where the type is not known, that is so because of another error, nearly always.
    let (open, known): (Vec<_>, Vec<_>) = errors().partition(|error| is_of_unknown_type(error));
    let exact = known.into_iter().flat_map(|error| look.named(error));
    let exact = exact.chain(look.calls_behind(trouble));
    let mut new: Vec<usize> = exact.filter(|&n| kept.insert(n)).collect();
    if new.is_empty() {
        let named = open.into_iter().flat_map(|error| look.named(error));
        new.extend(named.filter(|&n| kept.insert(n)));
    }
    if new.is_empty() {
        let behind = errors().flat_map(|error| look.behind(error));
        new.extend(behind.filter(|&n| kept.insert(n)));
    }
    if new.is_empty() {
        // What nothing is known about may be the consequence of another error, but not of one that is mended.
        let vague = errors().flat_map(|error| look.named_by_words(error));
        new.extend(vague.filter(|&n| kept.insert(n)));
    }
    if new.is_empty() {
        // What the call of a macro makes nobody sees, and so no error names it: but the type that it is for, most often.
        let calls = look.find(|_, node| node.kind == Kind::Call || node.makes_impls);
        let likely = errors().flat_map(|error| look.types_in(error)).collect();
        let of_types = look.likely(&look.made_for(&likely), &trouble.errors);
        new.extend(of_types.into_iter().filter(|&n| kept.insert(n)));
        if new.is_empty() {
            let calls: Vec<usize> = calls.into_iter().filter(|n| !kept.contains(n)).collect();
            let likely = look.likely(&calls, &trouble.errors).into_iter();
            new.extend(likely.filter(|&n| kept.insert(n)));
        }
    }
    if new.is_empty() {
        // Imports last: they are not what the errors were about.
        let is_import = |n: &usize| index.nodes[*n].kind == Kind::Import;
        let removed = trouble.removed.iter().filter(|n| !kept.contains(n));
        let (imports, others): (Vec<usize>, Vec<usize>) = removed.partition(|n| is_import(n));
        let half = (others.len() + imports.len()).div_ceil(2);
        kept.extend(others.into_iter().chain(imports).take(half));
        return (half > 0).then(BTreeSet::new);
    }
    let mut wanted = look.follow(new);
    // Where what went after an error is needed, what that missed is too: else it would go the same way again.
    let mut followed: Vec<_> = trouble.followed.iter().collect();
    loop {
        let stays = |n: &usize| index.has(*n, kept) || wanted.contains(n);
        let (needed, others) = followed
            .into_iter()
            .partition(|(_, nodes)| nodes.iter().any(stays));
        followed = others;
        let needed: Vec<_> = needed;
        if needed.is_empty() {
            return Some(wanted);
        }
        let missed = needed.iter().flat_map(|(error, _)| look.named(error));
        let new = missed.filter(|&n| kept.insert(n)).collect();
        wanted.extend(look.follow(new));
    }
}

/// The same for errors that were told of another removal, as far as they name what this one takes: they would be told again.
pub fn keep_named<'e>(
    index: &Index,
    names: &Names,
    calls: &Calls,
    known: &Known,
    errors: impl Iterator<Item = &'e Diagnostic>,
    removed: &BTreeSet<usize>,
    kept: &mut BTreeSet<usize>,
) -> BTreeSet<usize> {
    let look = Look::new(index, names, calls, known, removed);
    let named = errors.flat_map(|error| look.named(error));
    let new: Vec<usize> = named.filter(|&n| kept.insert(n)).collect();
    look.follow(new)
}

/// What the rest will miss: what it names and calls, and what its impls and derives build on.
pub fn missed(
    index: &Index,
    names: &Names,
    calls: &Calls,
    known: &Known,
    removed: &BTreeSet<usize>,
    is_left: impl Fn(usize) -> bool,
    named: Vec<usize>,
) -> BTreeSet<usize> {
    let look = Look::new(index, names, calls, known, removed);
    let mut found = named;
    found.extend(calls.loose().flat_map(|body| look.wanted_by(body)));
    for (n, node) in index.nodes.iter().enumerate().filter(|(n, _)| is_left(*n)) {
        found.extend(look.calls(n).into_iter().flatten());
        match node.kind {
            Kind::Impl => {
                found.extend(look.builds_on(n));
                // Where a condition is known before, there is no code of what is shown otherwise.
                if node.of_trait().is_some_and(|of_trait| of_trait == "Debug") {
                    found.extend(look.of_fields(n));
                }
            }
            Kind::Item if node.sort == Sort::Type => found.extend(look.derived(n)),
            _ => {}
        }
    }
    let mut all = look.follow(found.clone());
    all.extend(found);
    all
}

/// What was removed although some functions call it, and the methods of types that others call.
pub fn called(
    index: &Index,
    names: &Names,
    calls: &Calls,
    known: &Known,
    removed: &BTreeSet<usize>,
    callers: &[usize],
    others: &[usize],
) -> Vec<usize> {
    let look = Look::new(index, names, calls, known, removed);
    let methods = others.iter().filter_map(|&n| look.calls(n)).flatten();
    let methods = methods.filter(|&n| index.nodes[n].kind == Kind::Inherent);
    let mut found: Vec<usize> = methods.collect();
    let own = callers.iter().filter_map(|&n| calls.of(n));
    let names = callers.iter().map(|&n| index.nodes[n].name.as_str());
    let names: BTreeSet<&str> = names.collect();
    let loose = names.into_iter().filter_map(|name| calls.loose_of(name));
    let bodies: Vec<&Body> = own.chain(loose).collect();
    found.extend(bodies.iter().flat_map(|body| look.wanted_by(body)));
    // The types that functions are called with.
    let texts = bodies
        .iter()
        .flat_map(|body| body.called.iter().chain(&body.types));
    let words: BTreeSet<&str> = texts.flat_map(|text| source::words(text)).collect();
    let is_type = |node: &Node| matches!(node.sort, Sort::Type | Sort::Alias);
    found.extend(look.find(|_, node| is_type(node) && words.contains(node.name.as_str())));
    found
}

/// A look at what was removed.
struct Look<'a> {
    index: &'a Index<'a>,
    names: &'a Names,
    calls: &'a Calls,
    known: &'a Known,
    /// All functions, by name.
    functions: BTreeMap<&'a str, Vec<usize>>,
    /// All traits, and all impls by their traits.
    traits: BTreeMap<&'a str, Vec<usize>>,
    impls: BTreeMap<&'a str, Vec<usize>>,
    /// Types that ask something of their arguments.
    picky: BTreeMap<&'a str, Vec<&'a Generics>>,
    /// The names of types and of what impls are for.
    types: BTreeSet<&'a str>,
    removed: &'a BTreeSet<usize>,
    /// What was removed, by its name.
    by_name: BTreeMap<&'a str, Vec<usize>>,
    /// The first types, traits and the like of their names.
    definitions: BTreeMap<&'a str, usize>,
    /// The only impls of traits by the names of the traits' items; and by its name what was removed of a type if no other type or trait
    /// of the crate has one so called.
    alone: BTreeMap<&'a str, Vec<usize>>,
    /// The words that aliases of types stand for.
    aliases: BTreeMap<&'a str, BTreeSet<String>>,
    /// The macros, by crate and name, and by name.
    macros: BTreeMap<(Option<usize>, &'a str), Vec<usize>>,
    macro_names: BTreeMap<&'a str, Vec<usize>>,
    /// What the macros that a node names are written with, where that was asked.
    words_of_macros: RefCell<BTreeMap<usize, Rc<BTreeSet<String>>>>,
}

impl<'a> Look<'a> {
    fn new(
        index: &'a Index,
        names: &'a Names,
        calls: &'a Calls,
        known: &'a Known,
        removed: &'a BTreeSet<usize>,
    ) -> Self {
        let mut found = Self {
            index,
            names,
            calls,
            known,
            functions: BTreeMap::new(),
            traits: BTreeMap::new(),
            impls: BTreeMap::new(),
            picky: BTreeMap::new(),
            types: BTreeSet::new(),
            removed,
            by_name: BTreeMap::new(),
            definitions: BTreeMap::new(),
            alone: BTreeMap::new(),
            aliases: BTreeMap::new(),
            macros: BTreeMap::new(),
            macro_names: BTreeMap::new(),
            words_of_macros: RefCell::default(),
        };
        // The same by crate.
        let mut impls_here: BTreeMap<(Option<usize>, &str), Vec<usize>> = BTreeMap::new();
        let mut items_here: BTreeMap<(Option<usize>, &str), BTreeSet<&str>> = BTreeMap::new();
        let mut methods_here: BTreeMap<(Option<usize>, &str), Vec<usize>> = BTreeMap::new();
        for (n, node) in index.nodes.iter().enumerate() {
            if removed.contains(&n) {
                found.by_name.entry(&node.name).or_default().push(n);
            }
            if node.kind == Kind::Item && !node.is_function() {
                found.definitions.entry(&node.name).or_insert(n);
            }
            if node.is_function() || node.kind == Kind::TraitItem {
                found.functions.entry(&node.name).or_default().push(n);
            }
            if node.sort == Sort::Macro {
                let place = (index.outermost(n), node.name.as_str());
                found.macros.entry(place).or_default().push(n);
                found.macro_names.entry(&node.name).or_default().push(n);
            }
            if node.sort == Sort::Trait {
                found.traits.entry(&node.name).or_default().push(n);
            }
            if let (Kind::Impl, Some(of_trait)) = (node.kind, node.of_trait()) {
                found.impls.entry(of_trait).or_default().push(n);
            }
            if let Some(generics) = &node.generics {
                found.picky.entry(&node.name).or_default().push(generics);
            }
            if node.sort != Sort::Value {
                found.types.insert(&node.name);
            }
            found.types.extend(node.for_type().map(String::as_str));
            if matches!(node.kind, Kind::Inherent | Kind::TraitItem) {
                let place = (index.outermost(n), node.name.as_str());
                methods_here.entry(place).or_default().push(n);
            }
            match (node.kind, node.of_trait()) {
                (Kind::Impl, Some(of_trait)) => {
                    let place = (index.outermost(n), of_trait.as_str());
                    impls_here.entry(place).or_default().push(n);
                }
                (Kind::TraitItem, _) => {
                    if let Some((of_trait, item)) = index.trait_item(n) {
                        let place = (index.outermost(n), of_trait);
                        items_here.entry(place).or_default().insert(item);
                    }
                }
                _ if node.sort == Sort::Trait => {
                    let place = (index.outermost(n), node.name.as_str());
                    items_here.entry(place).or_default();
                }
                _ if node.sort == Sort::Alias => {
                    let words = words(index.text_of(n));
                    found.aliases.entry(&node.name).or_default().extend(words);
                }
                _ => {}
            }
        }
        // Where no trait is so called, it is one of another crate.
        let foreign = impls_here
            .keys()
            .filter(|place| !items_here.contains_key(place));
        let foreign: BTreeSet<&str> = foreign.map(|(_, of_trait)| *of_trait).collect();
        for (place, impls) in &impls_here {
            let [n] = impls[..] else { continue };
            if let (Some(items), true, false) = (
                items_here.get(place),
                removed.contains(&n),
                foreign.contains(place.1),
            ) {
                for item in items {
                    found.alone.entry(item).or_default().push(n);
                }
            }
        }
        for ((_, name), methods) in methods_here {
            if let [n] = methods[..] {
                let is_removed = removed.contains(&n) && index.nodes[n].kind == Kind::Inherent;
                found
                    .alone
                    .entry(name)
                    .or_default()
                    .extend(is_removed.then_some(n));
            }
        }
        found
    }

    /// Each round of the compiler tells of the next step only: what can be told in advance saves it.
    fn follow(&self, mut new: Vec<usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        while let Some(n) = new.pop() {
            new.extend(self.next(n).into_iter().filter(|&n| found.insert(n)));
        }
        found
    }

    /// What was removed and is called so.
    fn called_so(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        self.by_name.get(name).into_iter().flatten().copied()
    }

    fn find(&self, is_it: impl Fn(usize, &Node) -> bool) -> Vec<usize> {
        let removed = self.removed.iter().copied();
        removed
            .filter(|&n| is_it(n, &self.index.nodes[n]))
            .collect()
    }

    /// The traits that have a function of such a name.
    fn traits_with(&self, is_it: impl Fn(&String) -> bool) -> BTreeSet<&str> {
        let is_function = |node: &Node| node.is_function() || node.is_asked_for;
        let nodes = self.index.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| node.kind == Kind::TraitItem && is_function(node))
            .filter(|(_, node)| is_it(&node.name))
            .filter_map(|(n, _)| Some(self.index.trait_item(n)?.0))
            .collect()
    }

    /// Whether a path in the header of an impl may mean the type that the compiler calls so.
    fn is_same(&self, block: usize, own: &Path, given: &Path) -> bool {
        let segments: Vec<String> = own.segments.iter().map(|s| s.ident.to_string()).collect();
        let parent = self.index.nodes[block].parent;
        let way = self.names.definition(self.index, parent, &segments);
        let is_item = |n: &&usize| self.index.nodes[**n].kind == Kind::Item;
        if let Some(&item) = way.last().filter(is_item) {
            return self.index.is_called(item, given);
        }
        // What a glob brings: `Error` is not `std::io::Error` then.
        let is_type = |n: &usize| self.index.nodes[*n].sort == Sort::Type;
        match self.names.meaning(self.index, parent, &segments) {
            Meaning::Items(items) if items.iter().all(is_type) => {
                let mut called = items.iter().filter(|n| self.index.is_called(**n, given));
                items.is_empty() || called.next().is_some()
            }
            _ => true,
        }
    }

    /// What a function calls, as the compiler tells it, if it does.
    fn calls(&self, n: usize) -> Option<Vec<usize>> {
        Some(self.wanted_by(self.calls.of(n)?))
    }

    /// What a body calls, and what its types ask for.
    fn wanted_by(&self, body: &Body) -> Vec<usize> {
        let meant = |text: &str, look_up: &dyn Fn() -> Vec<usize>| {
            if let Some(known) = self.known.meant.borrow().get(text) {
                return self.removed_of(known);
            }
            let found: Rc<[usize]> = look_up().into();
            let of_removed = self.removed_of(&found);
            let mut known = self.known.meant.borrow_mut();
            known.insert(text.to_owned(), found);
            of_removed
        };
        let called = body.called.iter().flat_map(|path| {
            let look_up = || named_path(path).map_or_else(Vec::new, |path| self.look_up(&path));
            meant(path, &look_up)
        });
        let types = body.types.iter().flat_map(|text| {
            let look_up = || {
                let of = named_type(text).filter(|_| self.has_picky(text));
                of.map_or_else(Vec::new, |of| self.all_providers(self.asked_in(&of)))
            };
            meant(text, &look_up)
        });
        let objects = body.objects.iter().flat_map(|(of, object)| {
            let look_up = || {
                let types = named_type(of).zip(named_type(object));
                types.map_or_else(Vec::new, |(of, object)| {
                    self.all_providers(made_object(&of, &object))
                })
            };
            meant(&format!("{of} as {object}"), &look_up)
        });
        called.chain(types).chain(objects).collect()
    }

    /// Whether a text names a type that asks something of its arguments.
    fn has_picky(&self, text: &str) -> bool {
        source::words(text).any(|word| self.picky.contains_key(word))
    }

    /// All that a path may mean, and what that asks for, removed or not.
    fn look_up(&self, called: &ExprPath) -> Vec<usize> {
        let segments: Vec<&PathSegment> = called.path.segments.iter().collect();
        let functions = |name: &PathSegment| {
            let name = name.ident.to_string();
            self.functions
                .get(source::plain_name(&name))
                .into_iter()
                .flatten()
                .copied()
        };
        let (mut found, mut bounds) = (Vec::new(), Vec::new());
        let of_trait = called.qself.as_ref().and_then(|of| {
            let at = of.position.checked_sub(1)?;
            Some((&of.ty, *segments.get(at)?, *segments.get(of.position)?))
        });
        if let Some((of, of_trait, name)) = of_trait {
            // `<A as B>::c::<D>`.
            bounds.push(Bound {
                of_trait: of_trait.clone(),
                for_type: (**of).clone(),
            });
            for n in functions(name) {
                let item = self.index.trait_item(n);
                let is_it = self.index.nodes[n].kind == Kind::TraitItem
                    && item.is_some_and(|(known, _)| of_trait.ident == known);
                if is_it {
                    found.push(n);
                    bounds.extend(self.asks(n, Some(of), &name.arguments));
                }
            }
            bounds.extend(asked_outside(Some(of), name));
        } else if let Some((name, around)) = segments.split_last() {
            // `<A>::c`, `A::c`, or `a::c`.
            let of: Option<Type> = match &called.qself {
                Some(of) => Some((*of.ty).clone()),
                None if around.is_empty() => None,
                None => Some(syn::parse_quote!(#(#around)::*)),
            };
            for n in functions(name) {
                let node = &self.index.nodes[n];
                let is_it = match (node.kind, &node.implements, &of) {
                    (Kind::Inherent, Some(block), Some(of)) => {
                        let block_node = node.parent.unwrap_or(n);
                        let same = |own: &Path, given: &Path| self.is_same(block_node, own, given);
                        let asks = block.header.asks(of, &same);
                        bounds.extend(asks.iter().flatten().cloned());
                        asks.is_some()
                    }
                    (Kind::Item, ..) if called.qself.is_none() => {
                        let mut path = called.path.clone();
                        path.segments
                            .iter_mut()
                            .for_each(|s| s.arguments = PathArguments::None);
                        self.index.is_called(n, &path)
                    }
                    _ => false,
                };
                if is_it {
                    found.push(n);
                    bounds.extend(self.asks(n, None, &name.arguments));
                }
            }
            bounds.extend(asked_outside(of.as_ref(), name));
        }
        // Of a type that is open any impl might be meant, if there are several: of other people's traits there are more than these.
        for bound in bounds.iter().filter(|bound| bound.is_open()) {
            let of_trait = bound.of_trait.ident.to_string();
            let impls = self.impls.get(of_trait.as_str()).map(Vec::as_slice);
            if let (Some([only]), true) = (impls, self.traits.contains_key(of_trait.as_str())) {
                found.push(*only);
            }
        }
        bounds.retain(|bound| !bound.is_open());
        found.extend(self.all_providers(bounds));
        found
    }

    /// What a node to keep will want.
    fn next(&self, n: usize) -> Vec<usize> {
        let index = self.index;
        let node = &index.nodes[n];
        let is_told = node.kind == Kind::Impl && self.is_told(n);
        let mut found = match (node.kind, self.calls(n)) {
            // What is in none of its items alone: lengths, and what macros make.
            (Kind::Impl, own) => {
                let others = (!is_told).then(|| self.called(n));
                own.into_iter().chain(others).flatten().collect()
            }
            (_, own) => own.unwrap_or_else(|| self.called(n)),
        };
        if node.kind == Kind::Call || node.makes_impls {
            // Whatever the macro makes of them.
            let own = words(index.text_of(n));
            let crate_of = index.outermost(n);
            // What one in a block makes it uses there: it has no name that others could use.
            let made = match node.makes_impls {
                true => self.words_of_macros(n),
                false => Rc::default(),
            };
            found.extend(self.find(|m, other| {
                let is_it = match other.kind {
                    Kind::Item => own.contains(&other.name) || made.contains(&other.name),
                    Kind::Inherent => made.contains(&other.name),
                    _ => false,
                };
                is_it && other.name != "_" && index.outermost(m) == crate_of
            }));
        }
        if node.kind == Kind::Arm {
            let text = index.text_of(n);
            let of_macros = source::words(text).filter(|name| text.contains(&format!("{name}!")));
            found.extend(of_macros.flat_map(|name| self.rules_of(name)));
        }
        found.extend(node.parent.filter(|parent| self.removed.contains(parent)));
        if node.kind == Kind::Impl {
            // The first function is one that the trait asks for, nearly always.
            let mut children = index.children(n).filter(|n| !self.goes_with_trait(*n));
            found.extend(children.find(|&child| index.nodes[child].is_function()));
            // What the trait does not provide comes with it.
            let inside = index.children(n);
            let inside = inside.filter(|n| !self.removed.contains(n) && !self.goes_with_trait(*n));
            found.extend(inside.flat_map(|n| self.calls(n).unwrap_or_default()));
            found.extend(self.builds_on(n));
            // The trait, and those of its items that are implemented.
            let Some(of_trait) = node.of_trait() else {
                return found;
            };
            let is_trait = |m: &usize| index.nodes[*m].kind == Kind::Item;
            found.extend(self.called_so(of_trait).filter(is_trait));
            for child in index.children(n) {
                let items = self.called_so(&index.nodes[child].name);
                found.extend(items.filter(|&m| {
                    index.nodes[m].kind == Kind::TraitItem
                        && !index.nodes[m].is_asked_for
                        && index
                            .trait_item(m)
                            .is_some_and(|(name, _)| name == of_trait)
                }));
            }
            // Where a condition is known before, there is no code of what is shown otherwise.
            if !is_told || of_trait == "Debug" {
                found.extend(self.of_fields(n));
            }
        }
        found
    }

    /// Whether an item of an impl is one that its trait does not ask for any more.
    fn goes_with_trait(&self, n: usize) -> bool {
        let item = self.index.trait_item(n);
        let mut asked = self.called_so(&self.index.nodes[n].name);
        asked.any(|m| self.index.nodes[m].is_asked_for && self.index.trait_item(m) == item)
    }

    /// Whether the compiler tells what all functions of an impl call.
    fn is_told(&self, n: usize) -> bool {
        let mut children = self.index.children(n);
        children.all(|n| match self.index.nodes[n].kind {
            Kind::Call => false,
            _ => !self.index.nodes[n].is_function() || self.calls.of(n).is_some(),
        })
    }

    /// The functions that a function, or an impl, seems to call.
    fn called(&self, n: usize) -> Vec<usize> {
        let node = &self.index.nodes[n];
        if !node.is_function() && node.kind != Kind::Impl {
            return Vec::new();
        }
        let own = self.with_aliases(words(self.index.text_of(n)));
        let fields = self.fields(n);
        let named = own.iter().flat_map(|name| self.called_so(name));
        let is_meant = |m: &usize| {
            let other = &self.index.nodes[*m];
            other.is_function()
                && match other.kind {
                    Kind::Item | Kind::TraitItem => true,
                    Kind::Inherent => {
                        let mut of = other.for_type().into_iter();
                        other.for_type() == node.for_type()
                            || of.any(|name| fields.contains(name) || own.contains(name))
                    }
                    _ => false,
                }
        };
        let mut found: Vec<usize> = named.filter(is_meant).collect();
        for name in own {
            let alone = self.alone.get(name.as_str()).into_iter().flatten().copied();
            let here = |m: &usize| self.index.outermost(*m) == self.index.outermost(n);
            let (near, far): (Vec<usize>, Vec<usize>) = alone.partition(here);
            found.extend(if near.is_empty() { far } else { near });
        }
        found
    }

    /// Most impls do for each field what they are to do for the whole; and what is shown of it may be made for that.
    fn of_fields(&self, n: usize) -> Vec<usize> {
        let node = &self.index.nodes[n];
        let Some(of_trait) = node.of_trait() else {
            return Vec::new();
        };
        let mut types = self.fields(n);
        if of_trait == "Debug" {
            types.extend(words(self.index.text_of(n)));
        }
        let impls = self.impls.get(of_trait.as_str()).into_iter().flatten();
        let is_for = |m: &usize| {
            let mut of = self.index.nodes[*m].for_type().into_iter();
            self.removed.contains(m) && of.any(|name| types.contains(name))
        };
        impls.copied().filter(is_for).collect()
    }

    /// The words in the definition of the type that a node is for, but for its name.
    fn fields(&self, n: usize) -> BTreeSet<String> {
        let Some(of) = self.index.nodes[n].for_type() else {
            return BTreeSet::new();
        };
        let found = self.definitions.get(of.as_str());
        let mut found = found.map_or_else(BTreeSet::new, |&n| words(self.index.text_of(n)));
        found.remove(of);
        self.with_aliases(found)
    }

    /// Words, and those that they stand for.
    fn with_aliases(&self, mut words: BTreeSet<String>) -> BTreeSet<String> {
        let aliases = words
            .iter()
            .filter_map(|word| self.aliases.get(word.as_str()));
        let more: Vec<String> = aliases.flatten().cloned().collect();
        words.extend(more);
        words
    }
}

/// A path as the compiler writes it in its own language: `a::<impl B>::c` where the block is not next to its type.
fn named_path(text: &str) -> Option<ExprPath> {
    let text = readable(text);
    let of_block = text.split_once("::<impl ");
    let of_block = of_block.filter(|(module, _)| !module.contains('<'));
    let on_type = of_block.map(|(_, of)| format!("<{of}"));
    syn::parse_str(&on_type.unwrap_or(text)).ok()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    #[test]
    fn a_call_that_no_rule_takes_wants_the_rules_of_its_macro_and_of_those_that_these_call() {
        let text = "mod error {} macro_rules! m { (1) => {}; (2) => { n!(1) }; } macro_rules! n { () => {}; (1) => {}; } \
                    macro_rules! o { (1) => {}; }";
        let index = Index::new(text).unwrap();
        let rules = |name: &str| {
            let of = |n: &usize| index.nodes[*n].name == name && index.nodes[*n].kind == Kind::Item;
            let n = (0..index.nodes.len()).find(of).unwrap();
            index.children(n).collect::<Vec<_>>()
        };
        let said = Diagnostic {
            rendered: "error: no rules expected `2`\n 1 | macro_rules! m {\n   | --- when calling this macro\n\
                       2 |     m!(2);\n   |     ^ no rules expected this token in macro call\n\
                       = note: while trying to match `1`\n --> macro_rules! o\n"
                .into(),
            ..error("", "no rules expected `2`")
        };
        let trouble = Trouble {
            errors: vec![said],
            removed: [&rules("m")[1..], &rules("n")[..], &rules("o")[..], &[0]]
                .concat()
                .into_iter()
                .collect(),
            followed: Vec::new(),
        };
        let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
        let mut kept = BTreeSet::new();
        let wanted = keep(&index, &names, &calls, &known, &trouble, &mut kept).unwrap();
        assert_eq!(kept, BTreeSet::from([rules("m")[1]]));
        assert_eq!(wanted, rules("n").into_iter().collect());
    }

    #[test]
    fn what_is_taken_is_taken_by_functions() {
        let text = "fn f() -> Output { 1.plus(2u8) }\n trait M { type Output; } \
                    trait P<T> { fn plus(self, other: T); } impl M for u8 {} impl P<u8> for u16 {}";
        let index = Index::new(text).unwrap();
        let impls: Vec<usize> = (0..index.nodes.len())
            .filter(|&n| index.nodes[n].kind == Kind::Impl)
            .collect();
        let at = text.find("2u8").unwrap();
        let said = Diagnostic {
            rendered: "error[E0308]: mismatched types\n expected `u16`, found `u8`\n".into(),
            spans: vec![(at..at + 3, None)],
            ..error("E0308", "mismatched types")
        };
        let found = stays(text, said, Vec::new());
        assert!(found.contains(&impls[1]) && !found.contains(&impls[0]));
    }

    #[test]
    fn a_type_that_is_not_known_comes_of_another_error() {
        let text = "trait S {} impl S for B {} struct A; impl A { fn new() {} }";
        let index = Index::new(text).unwrap();
        let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
        let of_unknown = || {
            let said = "no function or associated item named `new` found for type `_` in the current scope";
            error("E0599", said)
        };
        let kept = |errors: Vec<Diagnostic>| {
            let trouble = Trouble {
                errors,
                removed: (0..index.nodes.len()).collect(),
                followed: Vec::new(),
            };
            let mut kept = BTreeSet::new();
            keep(&index, &names, &calls, &known, &trouble, &mut kept);
            let mut named = kept.iter().map(|&n| index.nodes[n].name.as_str());
            named.any(|name| name == "new")
        };
        let bound = error("E0277", "the trait bound `B: S` is not satisfied");
        assert!(!kept(vec![of_unknown(), bound]));
        assert!(kept(vec![of_unknown()]));
    }

    #[test]
    fn what_shows_a_type_shows_its_fields_and_what_it_makes_of_them() {
        let text = "struct A { b: B } struct B(u8); struct C(u8); struct D(u8); \
                    impl Debug for A { fn fmt(&self, f: &mut F) -> R { if cfg!(a) { f.x() } else { f.field(&self.b).field(&C(self.b.0)) } } } \
                    impl Debug for B {} impl Debug for C {} impl Debug for D {} impl Display for B {}";
        let index = Index::new(text).unwrap();
        let impls: Vec<usize> = (0..index.nodes.len())
            .filter(|&n| index.nodes[n].kind == Kind::Impl)
            .collect();
        let removed: BTreeSet<usize> = impls[1..].iter().copied().collect();
        let names = Names::new(&index);
        let (calls, known) = (Calls::default(), Known::default());
        let is_left = |n: usize| !index.is_in(n, &removed);
        let found = missed(
            &index,
            &names,
            &calls,
            &known,
            &removed,
            is_left,
            Vec::new(),
        );
        assert_eq!(found, impls[1..3].iter().copied().collect());
    }

    #[test]
    fn what_can_be_borrowed_comes_back_where_the_type_itself_is_expected() {
        let text = "struct A<T>(T); struct B<T>(T); impl<T, U> Borrow<B<U>> for A<T> {} impl<T> Borrow<T> for B<T> {} impl From<B<u8>> for u8 {}";
        let error = |expected: &str, found: &str| Diagnostic {
            rendered: format!(
                "error[E0308]: mismatched types\n expected `{expected}`, found `{found}`\n"
            ),
            ..error("E0308", "mismatched types")
        };
        assert_eq!(stays(text, error("&A<K>", "&B<Q>"), Vec::new()), [2]);
    }

    #[test]
    fn what_stays_builds_on_what_is_to_go() {
        let text = "struct A; impl Eq for A {} impl PartialEq for A { fn eq(&self) {} } trait T: S {} trait S {} impl<X> T for Vec<X> {} \
                    impl<X> S for Vec<X> {} impl S for A {} #[derive(Copy, Debug)] struct B(C); struct C; impl Clone for B { fn clone(&self) {} } \
                    impl Debug for C { fn fmt(&self) {} } impl Clone for A { fn clone(&self) {} } \
                    struct D { d: <A as I>::Of } impl I for A { type Of = u8; } \
                    trait J<X>: K<X> { type L: K<X>; } trait K<X> {} impl<X> J<X> for A { type L = B; } impl<X> K<[X]> for A {} impl K<u8> for A {} \
                    impl J<[u8]> for B { type L = A; } impl K<[u8]> for B {} impl K<u8> for B {} \
                    impl J<u8> for V<C> { type L = W<Self>; } impl K<u8> for W<V<C>> {} impl K<u8> for W<C> {} struct V<X>(X); struct W<X>(X); \
                    mod m { use super::n::{E as H, F}; type G = F; #[derive(Hash)] struct O(H, G, super::n::P<Q>); struct Q; } mod o { trait H {} trait G {} } \
                    mod n { struct E; struct F; impl Hash for E {} impl Hash for F {} #[derive(Hash)] struct P<X>(X::N); \
                    impl Of for super::m::Q { type N = R; } struct R; impl Hash for R {} }";
        let index = Index::new(text).unwrap();
        let is_mark = |node: &Node| {
            ["Eq", "T", "J", "Of"].map(|name| node.of_trait().is_some_and(|of| of == name))
        };
        let blocks = index.nodes.iter().enumerate();
        let blocks = blocks.filter(|(_, node)| node.kind == Kind::Impl);
        let removed = blocks.filter(|(_, node)| !is_mark(node).contains(&true));
        let removed: BTreeSet<usize> = removed.map(|(n, _)| n).collect();
        let is_left = |n: usize| !index.is_in(n, &removed);
        let names = Names::new(&index);
        let found = missed(
            &index,
            &names,
            &Calls::default(),
            &Known::default(),
            &removed,
            is_left,
            Vec::new(),
        );
        let heads = found
            .iter()
            .filter(|n| removed.contains(n))
            .map(|&n| index.text_at(&index.nodes[n].head).trim());
        assert_eq!(
            heads.collect::<Vec<_>>(),
            [
                "impl PartialEq for A",
                "impl<X> S for Vec<X>",
                "impl Clone for B",
                "impl Debug for C",
                "impl I for A",
                "impl<X> K<[X]> for A",
                "impl K<[u8]> for B",
                "impl K<u8> for W<V<C>>",
                "impl Hash for E",
                "impl Hash for F",
                "impl Hash for R",
            ]
        );
    }

    #[test]
    fn what_the_standard_library_asks_for_is_wanted() {
        let text = "struct K; impl Ord for K {} impl Eq for K {} impl Hash for K {} struct S; impl Hasher for S {} impl Default for S {} \
                    struct I; impl Iterator for I {} trait T<X: U> {} trait U {} impl T<S> for K {} impl U for S {} fn show(to: u8, of: impl T<S>) {} fn g() {}";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let all: BTreeSet<usize> = (0..index.nodes.len()).collect();
        let wanted = |lines: &str| -> Vec<&str> {
            let mut calls = Calls::default();
            let listing = format!("fn g() -> () {{\n{lines}\n}}\n");
            calls.add(&index, &source::Lines::new(text), &listing, |_| true);
            let known = Known::default();
            let look = Look::new(&index, &names, &calls, &known, &all);
            let body = all.iter().find_map(|&n| calls.of(n)).unwrap();
            let found: BTreeSet<usize> = look.wanted_by(body).into_iter().collect();
            let impls = found
                .into_iter()
                .filter(|&n| index.nodes[n].kind == Kind::Impl);
            impls
                .map(|n| index.text_at(&index.nodes[n].head).trim())
                .collect()
        };
        assert_eq!(
            wanted("_0 = HashMap::<K, u8, BuildHasherDefault<S>>::len(copy _1) -> bb1;"),
            [
                "impl Eq for K",
                "impl Hash for K",
                "impl Hasher for S",
                "impl Default for S"
            ]
        );
        let by_key = "_0 = BTreeMap::<u8, u8>::get::<K>(copy _1) -> bb1;";
        let ordered = ["impl Ord for K", "impl Eq for K"];
        assert_eq!(wanted(by_key), ordered);
        let sorted = "_0 = core::slice::<impl [K]>::sort_unstable(copy _1) -> bb1;";
        assert_eq!(wanted(sorted), ordered);
        let shown = "_0 = DebugMap::<'_, '_>::entries::<&K, &u8, I>(copy _1) -> bb1;";
        assert_eq!(wanted(shown), ["impl Iterator for I"]);
        let zipped = "_0 = <Range<u8> as Iterator>::zip::<&mut I>(copy _1) -> bb1;";
        assert_eq!(wanted(zipped), [""; 0]);
        assert_eq!(
            wanted("_0 = show::<K>(copy _1) -> bb1;"),
            ["impl T<S> for K"]
        );
        let object =
            "let _1: Box<K>;\n_0 = move _1 as Box<dyn T<S>> (PointerCoercion(Unsize, Implicit));";
        assert_eq!(wanted(object), ["impl T<S> for K"]);
        // What the trait asks of its argument.
        let known = Known::default();
        let calls = Calls::default();
        let look = Look::new(&index, &names, &calls, &known, &all);
        let block = all
            .iter()
            .find(|n| index.nodes[**n].of_trait().is_some_and(|of| of == "T"));
        let built_on = look.builds_on(*block.unwrap());
        assert!(built_on
            .iter()
            .any(|&n| index.text_of(n).contains("impl U for S")));
    }

    #[test]
    fn what_is_called_is_that_of_its_type() {
        let text = "struct A; mod m { struct B; impl B { fn f() {} } impl super::A { fn f() {} } impl [u8] { fn f() {} } } \
                    mod n { struct B; impl B { fn f() {} } } struct C; fn g() {} fn h() {}";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let called = |listing: &str, callers: &[&str]| -> Vec<String> {
            let mut calls = Calls::default();
            calls.add(&index, &source::Lines::new(text), listing, |_| true);
            let nodes = index.nodes.iter().enumerate();
            let callers = nodes.filter(|(_, node)| callers.contains(&node.name.as_str()));
            let callers: Vec<usize> = callers.map(|(n, _)| n).collect();
            let all = (0..index.nodes.len()).collect();
            let known = Known::default();
            let found = super::called(&index, &names, &calls, &known, &all, &callers, &[]);
            let of = |n: usize| {
                let block = index.nodes[n].parent.map(|n| &index.nodes[n].head);
                let block = block.map_or("", |head| index.text_at(head).trim());
                format!("{block} {}", index.nodes[n].name).trim().to_owned()
            };
            found.into_iter().map(of).collect()
        };
        let body = |name: &str, line: &str| {
            format!("fn {name}() -> () {{\n    _0 = {line}() -> bb1;\n}}\n")
        };
        let by = |line: &str| called(&body("g", line), &["g"]);
        assert_eq!(by("m::<impl A>::f"), ["impl super::A f", "A"]);
        assert_eq!(by("m::<impl [u8]>::f"), ["impl [u8] f"]);
        assert_eq!(by("m::B::f")[0], "impl B f");
        assert_eq!(by("m::B::f").len(), by("B::f").len() - 1);
        assert_eq!(by("x::<C>"), ["C"]);
        // What a macro makes is known by its name alone.
        let made = body("_::<impl at bundle.rs:9:1: 9:2>::h", "g");
        assert_eq!(called(&made, &["h"]), ["g"]);
        assert_eq!(called(&made, &["f"]), [""; 0]);
    }

    #[test]
    fn the_call_that_makes_an_impl_comes_back_with_what_it_names() {
        let text = "struct A; struct B; struct C; make! { A => B } make! { C }";
        let index = Index::new(text).unwrap();
        let removed = (1..index.nodes.len()).collect();
        let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
        let look = Look::new(&index, &names, &calls, &known, &removed);
        let message = "`A` doesn't implement `Debug`";
        let named = look.named(&error("E0277", message));
        assert_eq!(named, [3]);
        // The first struct is not removed.
        assert_eq!(look.follow(named), BTreeSet::from([1]));
    }

    pub fn error(code: &str, message: &str) -> Diagnostic {
        Diagnostic {
            level: "error".into(),
            made_by: Vec::new(),
            code: code.into(),
            message: message.into(),
            rendered: message.into(),
            fixes: Vec::new(),
            offers: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// What stays of a text if all but the first was removed: what was for `followed` went after an error.
    fn stays(text: &str, error: Diagnostic, followed: Vec<(Diagnostic, Vec<usize>)>) -> Vec<usize> {
        let index = Index::new(text).unwrap();
        let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
        let trouble = Trouble {
            errors: vec![error],
            removed: (1..index.nodes.len()).collect(),
            followed,
        };
        let mut kept = BTreeSet::new();
        let wanted = keep(&index, &names, &calls, &known, &trouble, &mut kept);
        kept.extend(wanted.unwrap());
        kept.into_iter().collect()
    }

    #[test]
    fn what_a_macro_has_of_a_trait_comes_back() {
        let text = "make! {} mod m { trait T { fn f(); fn g(); } trait S { fn f(); } }";
        let said = "method `f` is not a member of trait `$crate::m::T`";
        let found = stays(text, error("E0407", said), Vec::new());
        let index = Index::new(text).unwrap();
        let items: Vec<_> = found.iter().filter_map(|n| index.trait_item(*n)).collect();
        assert_eq!(items, [("T", "f")]);
    }

    #[test]
    fn what_followed_an_error_stays_with_what_that_missed() {
        let text = "struct A; make! { A } trait T {} trait S {} impl S for B {}";
        let (missed, other) = (
            error("E0405", "cannot find trait `T` in this scope"),
            error("E0425", "cannot find value `S` in this scope"),
        );
        let bound = || error("E0277", "the trait bound `B: S` is not satisfied");
        let went = vec![(missed, vec![1]), (other, Vec::new())];
        // The call, the trait that it names, and the impl with its trait.
        assert_eq!(stays(text, bound(), went), [1, 2, 3, 4]);
        assert_eq!(stays(text, bound(), Vec::new()), [3, 4]);
        // Nothing lacks an impl.
        let unresolved = error("E0405", "cannot find trait `S` in this scope");
        let missed = error("E0405", "cannot find trait `T` in this scope");
        assert_eq!(stays(text, unresolved, vec![(missed, vec![1])]), [3]);
        // An import is all that is missed, if there was one.
        let lacks_import = || {
            error(
                "E0599",
                "no method named `f` found for struct `A` in the current scope: \
                            trait `R` which provides `f` is implemented but not in scope",
            )
        };
        let missed = || error("E0405", "cannot find trait `T` in this scope");
        let text = "struct A; make! { A } use m::R; mod m { pub trait R {} }";
        assert_eq!(stays(text, lacks_import(), vec![(missed(), vec![1])]), [2]);
        let text = "struct A; make! { A } use m::Q; mod m { pub trait R {} }";
        let found = stays(text, lacks_import(), vec![(missed(), vec![1])]);
        assert!(found.contains(&1), "{found:?}");
    }

    #[test]
    fn an_import_of_what_a_macro_makes_leads_to_its_call() {
        let text = "mod a { make! { F } make! { G } } use a::F; use a::F as H;";
        let index = Index::new(text).unwrap();
        let kinds = |found: Vec<usize>| -> Vec<Kind> {
            found.into_iter().map(|n| index.nodes[n].kind).collect()
        };
        let unresolved = || error("E0432", "unresolved import `F`");
        let found = stays(text, unresolved(), Vec::new());
        assert_eq!(kinds(found), [Kind::Call, Kind::Import]);
    }

    #[test]
    fn a_block_of_calls_is_named_by_trait_and_type() {
        let text = "struct S; const _: () = { m!(T for A); m!(U for B); }; const _: () = m(); \
                    const _: () = unsafe { m!(T => T for [X]) }; const _: () = { m!(A); }; \
                    macro_rules! n { ($t:ty) => { o!($t); } } macro_rules! o { ($t:ty) => { impl V for $t { fn f() { g() } } } } \
                    const _: () = { n!(A); }; fn g() {}";
        let found = |bound: &str| {
            let message = format!("the trait bound `{bound}` is not satisfied");
            stays(text, error("E0277", &message), Vec::new())
        };
        assert_eq!(found("A: T"), [1]);
        assert_eq!(found("[u8; 2]: T"), [3]);
        assert_eq!(found("[A; 2]: T"), [1, 3]);
        // The trait may be named where the macro is defined, with what else that names.
        assert_eq!(found("A: V"), [5, 7, 9, 10]);
    }

    const TEXT: &str = "struct A { b: B } struct B; impl Clone for A { fn clone(&self) -> A { A { b: self.b.clone() } } } \
                        impl Clone for B { fn clone(&self) -> B { help() } } fn help() -> B { B } impl Clone for C { fn clone(&self) -> C { C } } \
                        impl F for f32 {} impl F for f64 {} impl Ord for B { fn cmp(&self) {} } impl PartialOrd for B { fn partial_cmp(&self) {} } make! { MADE } \
                        use std::fmt::Display as Shown; impl Shown for B {}";

    /// The heads of what is kept if all functions and impls were removed and the compiler says so.
    fn kept(message: &str, code: &str) -> Vec<String> {
        kept_at(message, code, Vec::new(), 1)
    }

    fn kept_at(
        message: &str,
        code: &str,
        spans: Vec<(Range<usize>, Option<Range<usize>>)>,
        rounds: usize,
    ) -> Vec<String> {
        let index = Index::new(TEXT).unwrap();
        let is_removed = |n: &usize| {
            let node = &index.nodes[*n];
            node.is_function() || matches!(node.kind, Kind::Impl | Kind::Call)
        };
        let trouble = Trouble {
            errors: vec![Diagnostic {
                spans,
                ..error(code, message)
            }],
            removed: (0..index.nodes.len()).filter(is_removed).collect(),
            followed: Vec::new(),
        };
        let mut kept = BTreeSet::new();
        for _ in 0..rounds {
            let wanted = keep(
                &index,
                &Names::new(&index),
                &Calls::default(),
                &Known::default(),
                &trouble,
                &mut kept,
            );
            kept.extend(wanted.unwrap());
        }
        let head = |n: &usize| match index.nodes[*n].kind {
            Kind::Call => index.text_of(*n).to_owned(),
            _ => index.text_at(&index.nodes[*n].head).trim().to_owned(),
        };
        kept.iter().map(head).collect()
    }

    #[test]
    fn an_impl_is_named_by_its_trait_and_its_type() {
        // And its body wants the impls for the fields, and what these call.
        assert_eq!(
            kept("the trait bound `A: Clone` is not satisfied", "E0277"),
            [
                "impl Clone for A",
                "clone",
                "impl Clone for B",
                "clone",
                "help"
            ]
        );
        assert_eq!(
            kept("the trait bound `C: Clone` is not satisfied", "E0277"),
            ["impl Clone for C", "clone"]
        );
    }

    #[test]
    fn a_trait_is_named_as_it_is_called_where_it_is_defined() {
        let message = "`B` doesn't implement `std::fmt::Display`";
        assert_eq!(kept(message, "E0277"), ["impl Shown for B"]);
    }

    #[test]
    fn a_number_without_a_type_becomes_what_is_named_or_else_the_usual() {
        assert_eq!(
            kept("the trait bound `{float}: F` is not satisfied", "E0277"),
            ["impl F for f64"]
        );
        let at = TEXT.find("f32").unwrap();
        let spans = vec![(at..at + 3, None)];
        assert_eq!(
            kept_at(
                "the trait bound `{float}: F` is not satisfied",
                "E0277",
                spans,
                1
            ),
            ["impl F for f32", "impl F for f64"]
        );
    }

    #[test]
    fn what_a_macro_made_is_named_in_its_call() {
        assert_eq!(
            kept("cannot find value `MADE` in this scope", "E0425"),
            ["make! { MADE }"]
        );
    }

    #[test]
    fn a_trait_brings_those_that_it_builds_on() {
        assert_eq!(
            kept("the trait bound `B: Ord` is not satisfied", "E0277"),
            [
                "impl Ord for B",
                "cmp",
                "impl PartialOrd for B",
                "partial_cmp"
            ]
        );
    }

    #[test]
    fn the_code_that_fails_may_be_all_that_names_it() {
        let at = TEXT.find("help()").unwrap();
        let call = at..at + "help".len();
        assert_eq!(
            kept_at("use of unstable feature", "E0658", vec![(call, None)], 1),
            ["help"]
        );
    }

    #[test]
    fn an_error_that_names_nothing_keeps_calls_and_then_half() {
        let kept = |rounds| kept_at("something else", "E0999", Vec::new(), rounds);
        assert_eq!(kept(1), ["make! { MADE }"]);
        assert_eq!(kept(2).len(), 8);
    }
}
