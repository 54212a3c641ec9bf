//! What an error says is needed after all, and what that will want next.
//!
//! What functions call the compiler has told (see `calls`); what headers and types ask for follows from how they are written.
//!
//! An error names things in words. Bounds and methods are looked up as the compiler does it, but for what only it can know: the types
//! of parameters. Of anything else that is named, all that it could mean stays.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    ExprPath, Field, Ident, ImplItemType, Item, ItemType, Path, PathArguments, PathSegment, Type,
    TypePath,
};

use super::calls::{Body, Calls};
use super::follow::{Meaning, Names, STANDARD};
use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::header::{
    argument, arguments_of, is_number, made_object, named_type, parameters, readable, Bound,
    Generics,
};
use crate::bundle::text::index::{Index, Kind, Node, Sort};
use crate::bundle::text::source;

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

/// What one bound leads to.
struct Step {
    impls: Vec<usize>,
    /// What must hold for these, by how it is written.
    next: Vec<(String, Bound)>,
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

    /// What an error says is missing, by its name, or by bounds and methods.
    fn named(&self, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let names: Vec<&str> = quoted(&error.message).collect();
        match (error.code.as_str(), &names[..]) {
            // The impl lacks an item that its trait does not provide.
            ("E0046", _) => self.find(|_, node| {
                let inside = node.parent.is_some_and(|parent| {
                    let range = &index.nodes[parent].range;
                    let mut places = error.spans.iter();
                    places.any(|(at, _)| range.start <= at.start && at.end <= range.end)
                });
                inside && names.contains(&node.name.as_str())
            }),
            // An item that a trait does not have any more.
            ("E0407" | "E0437" | "E0438" | "E0576", [item, .., path]) => {
                let of_trait = path.rsplit("::").next().unwrap_or(path);
                self.find(|n, node| {
                    node.kind == Kind::TraitItem && index.trait_item(n) == Some((of_trait, item))
                })
            }
            ("E0405" | "E0412" | "E0425" | "E0432" | "E0433" | "E0531" | "E0532", _) => {
                self.unresolved(&words(&names.join(" ")), error)
            }
            ("E0271", _) => self.projected(&names, error),
            ("E0308", _) => self.mismatched(error),
            ("", _) if takes_no_call(error) => match called_macro(&error.rendered) {
                Some(name) => self.rules_of(name),
                None => Vec::new(),
            },
            _ => self.bounds_and_methods(error),
        }
    }

    /// The rules of the macros so called.
    fn rules_of(&self, name: &str) -> Vec<usize> {
        let macros = self.macro_names.get(name).into_iter().flatten();
        let rules = macros.flat_map(|&n| self.index.children(n));
        rules.filter(|n| self.removed.contains(n)).collect()
    }

    /// What names lead to that lead nowhere now.
    fn unresolved(&self, names: &BTreeSet<String>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let found = self.find(|_, node| is_named(node, names, true));
        // What a macro made went with its call, and imports may lead there.
        let made = || {
            self.find(|n, node| {
                node.kind == Kind::Call && !words(index.text_of(n)).is_disjoint(names)
            })
        };
        if found.is_empty() {
            return made();
        }
        let leads_nowhere = |&n: &usize| {
            let node = &index.nodes[n];
            let path = index
                .import_path(n)
                .filter(|path| !STANDARD.contains(&path[0]));
            path.is_some_and(|path| {
                let way = self.names.definition(index, node.parent, &path);
                !way.iter().any(|&n| index.nodes[n].kind == Kind::Item)
            })
        };
        let mut near = self.near(found, error);
        if near.iter().all(leads_nowhere) {
            near.extend(made());
        }
        near
    }

    /// The impls that types of traits came from. Without the one that was meant another one answers: that of all types for themselves,
    /// above all.
    fn projected(&self, names: &[&str], error: &Diagnostic) -> Vec<usize> {
        let bounds: Vec<Bound> = names.iter().filter_map(|name| projection(name)).collect();
        let traits = bounds.iter().map(|bound| bound.of_trait.ident.to_string());
        let traits: BTreeSet<String> = traits.collect();
        let pairs = Wanted::new(&error.rendered).found;
        let made_of = pairs.iter().flat_map(|(made, of)| self.made_of(made, of));
        let of_traits = || {
            self.find(|_, node| {
                let mut of_trait = node.of_trait().into_iter();
                node.kind == Kind::Impl && of_trait.any(|name| traits.contains(name))
            })
        };
        let tries = [self.providers(bounds), made_of.collect(), of_traits()];
        let mut tries = tries.into_iter();
        tries.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The impls without which types do not fit. With fewer of them than before an argument is expected to be of another type.
    fn mismatched(&self, error: &Diagnostic) -> Vec<usize> {
        let found = Wanted::new(&error.rendered).found;
        let taking = found.iter().flat_map(|(_, of)| self.taking(of, error));
        let other = |(expected, of)| self.instead(expected, of);
        let others = found.iter().map(|(expected, of)| (expected, of));
        // With `Borrow` for the type itself alone, a map is asked for that, and for nothing that it can be borrowed as.
        let borrowed = found.iter().flat_map(|pair| match pair {
            (Type::Reference(made), Type::Reference(of)) => self.made_of(&made.elem, &of.elem),
            _ => Vec::new(),
        });
        taking
            .chain(borrowed)
            .chain(others.flat_map(other))
            .collect()
    }

    /// What provides the bounds and the methods that an error asks for.
    fn bounds_and_methods(&self, error: &Diagnostic) -> Vec<usize> {
        let Wanted {
            bounds,
            methods,
            imports,
            ..
        } = Wanted::new(&error.rendered);
        let is_import =
            |name: &str| self.find(|_, node| node.kind == Kind::Import && node.name == name);
        let imports = imports.iter().map(|name| self.near(is_import(name), error));
        let types = bounds.iter().map(|bound| &bound.for_type);
        let types = types.chain(methods.iter().filter_map(|(_, of)| of.as_ref()));
        let types: BTreeSet<String> = types.filter_map(type_name).collect();
        // A bound that fails because another does comes after that.
        let bounds = bounds.into_iter().map(|bound| {
            let mut found = self.providers(vec![bound.clone()]);
            if found.is_empty() {
                found = self.makers(&bound);
                // A macro asks the same of what such a type is made of, nearly always.
                for of in elements(&bound.for_type) {
                    let of = Bound {
                        of_trait: bound.of_trait.clone(),
                        for_type: of.clone(),
                    };
                    found.extend(self.providers(vec![of.clone()]));
                    found.extend(self.makers(&of));
                }
            }
            if bound.is_of_open_number() {
                self.likely_numbers(found, error)
            } else {
                found
            }
        });
        let of_type = methods.iter().map(|(name, of)| self.methods(name, of));
        // The type may only dereference to the one that has the method.
        let of_any = methods
            .iter()
            .map(|(name, _)| self.find(|_, node| node.is_function() && node.name == *name));
        let mut found = imports.chain(bounds).chain(of_type).chain(of_any);
        let found = found.find(|found| !found.is_empty());
        let made = || self.likely(&self.made_for(&types), std::slice::from_ref(error));
        found.unwrap_or_else(made)
    }

    /// The impls for all types that a failing bound may want behind the impls that are left of its trait, the nearest: which of these is
    /// meant the compiler does not tell.
    fn behind(&self, error: &Diagnostic) -> Vec<usize> {
        const FAR: usize = 4;
        let bounds = Wanted::new(&error.rendered).bounds.into_iter();
        let mut traits: BTreeSet<String> = bounds
            .map(|bound| bound.of_trait.ident.to_string())
            .collect();
        let mut seen = traits.clone();
        let impls = |of_trait: &String| {
            self.impls
                .get(of_trait.as_str())
                .into_iter()
                .flatten()
                .copied()
        };
        for _ in 0..FAR {
            let left = traits
                .iter()
                .flat_map(impls)
                .filter(|n| !self.removed.contains(n));
            let headers = left.filter_map(|n| self.index.nodes[n].implements.as_ref());
            let asked = headers.flat_map(|of| of.header.asked_traits());
            traits = asked.filter(|name| seen.insert(name.clone())).collect();
            let for_all = |n: &usize| self.index.nodes[*n].for_type().is_none();
            let removed = traits
                .iter()
                .flat_map(impls)
                .filter(|n| self.removed.contains(n));
            let found: Vec<usize> = removed.filter(for_all).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The calls of macros that went after an error and may be missed, if what is behind that lacks an impl.
    fn calls_behind(&self, trouble: &Trouble) -> Vec<usize> {
        let errors = trouble.errors.iter();
        let errors: Vec<Diagnostic> = errors
            .filter(|error| !is_unresolved(error) && !self.misses_import(error))
            .cloned()
            .collect();
        if errors.is_empty() {
            return Vec::new();
        }
        let nodes = trouble.followed.iter().flat_map(|(_, nodes)| nodes);
        let is_call = |n: &usize| self.index.nodes[*n].kind == Kind::Call;
        let calls: Vec<usize> = nodes.copied().filter(is_call).collect();
        self.likely(&calls, &errors)
    }

    /// Whether an error says of a trait that is there that it is not in scope, and an import of it was removed.
    fn misses_import(&self, error: &Diagnostic) -> bool {
        let imports = Wanted::new(&error.rendered).imports;
        let removed = self.removed.iter().map(|&n| &self.index.nodes[n]);
        let mut removed = removed.filter(|node| node.kind == Kind::Import);
        removed.any(|node| imports.contains(&node.name))
    }

    /// The calls of macros that may make an impl of a trait that some errors name, as far as the rules tell; or else what may make a method
    /// that they miss; or else all.
    fn likely(&self, calls: &[usize], errors: &[Diagnostic]) -> Vec<usize> {
        let (mut traits, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for error in errors.iter().filter(|error| !is_unresolved(error)) {
            let paths = quoted(&error.rendered)
                .flat_map(|text| text.split(|c: char| c != ':' && !source::is_word(c)));
            traits.extend(paths.flat_map(|path| self.traits_at(path)));
            if error.code == "E0599" {
                methods.extend(quoted(&error.message).next());
            }
        }
        let (mut of_traits, mut of_methods) = (Vec::new(), Vec::new());
        for &n in calls {
            let made = self.words_of_macros(n);
            let own: BTreeSet<&str> = source::words(self.index.text_of(n)).collect();
            let has = |word: &str| made.contains(word) || own.contains(word);
            // Another trait of the name is meant where the crate has one.
            let crate_of = self.index.outermost(n);
            let is_meant = |&of_trait: &usize| {
                let name = self.index.nodes[of_trait].name.as_str();
                let mut all = self.traits[name].iter();
                has(name)
                    && (self.index.outermost(of_trait) == crate_of
                        || !all.any(|&other| self.index.outermost(other) == crate_of))
            };
            of_traits.extend(traits.iter().any(is_meant).then_some(n));
            let may_have_method = made.is_empty() || methods.iter().any(|name| has(name));
            of_methods.extend(may_have_method.then_some(n));
        }
        let mut tries = [of_traits, of_methods].into_iter();
        let found = tries.find(|found| !found.is_empty());
        found.unwrap_or_else(|| calls.to_vec())
    }

    /// The traits that a path in a message may mean, or else all of its last name.
    fn traits_at(&self, path: &str) -> Vec<usize> {
        let last = path.rsplit("::").next().unwrap_or(path);
        let Some(named) = self.traits.get(last) else {
            return Vec::new();
        };
        let Ok(path) = syn::parse_str(path) else {
            return named.clone();
        };
        let is_called = |n: &&usize| self.index.is_called(**n, &path);
        let found: Vec<usize> = named.iter().filter(is_called).copied().collect();
        match found.is_empty() {
            true => named.clone(),
            false => found,
        }
    }

    /// The calls of macros that name types: they may make impls for these.
    fn made_for(&self, types: &BTreeSet<String>) -> Vec<usize> {
        self.find(|n, node| {
            // The parameters of all that a block has calls for are called the same.
            let is_it = |word: &str| match node.kind {
                Kind::Call => true,
                _ => self.is_type(word),
            };
            let mut words = source::words(self.index.text_of(n));
            (node.kind == Kind::Call || node.makes_impls)
                && words.any(|word| types.contains(word) && is_it(word))
        })
    }

    /// Whether a type of the text is so called.
    fn is_type(&self, name: &str) -> bool {
        let found = self.definitions.get(name);
        found.is_some_and(|&n| self.index.nodes[n].sort == Sort::Type)
    }

    /// The types of the text that the message of an error names.
    fn types_in(&self, error: &Diagnostic) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = quoted(&error.message).flat_map(words).collect();
        names.retain(|name| self.is_type(name));
        names
    }

    /// The blocks of macro calls that name the type of a bound, and the trait or a macro that does, as `T for [U]` where the type has no
    /// name.
    fn makers(&self, bound: &Bound) -> Vec<usize> {
        let of_trait = bound.of_trait.ident.to_string();
        let name = type_name(&bound.for_type);
        let sign = match bound.for_type {
            Type::Array(_) | Type::Slice(_) => "[",
            Type::Tuple(_) => "(",
            Type::Ptr(_) => "*",
            _ => "",
        };
        let is_made_by = |n: usize| {
            let text = self.index.text_of(n);
            let has = |name: &str| source::words(text).any(|word| word == name);
            let is_for = match &name {
                Some(name) => has(name),
                None => text.contains(&format!("{of_trait} for {sign}")),
            };
            is_for && (has(&of_trait) || self.words_of_macros(n).contains(&of_trait))
        };
        self.find(|n, node| node.makes_impls && is_made_by(n))
    }

    /// What the rules of the macros are written with that something names, by themselves and through others.
    fn words_of_macros(&self, n: usize) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.words_of_macros.borrow().get(&n) {
            return known.clone();
        }
        let crate_of = self.index.outermost(n);
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut texts = vec![self.index.text_of(n)];
        while let Some(text) = texts.pop() {
            for word in source::words(text) {
                let own = self.macros.get(&(crate_of, word));
                let is_called = || text.contains(&format!("{word}!"));
                let others = own.is_none() && self.macro_names.contains_key(word) && is_called();
                let others = others.then(|| &self.macro_names[word]);
                let macros = own.or(others).into_iter().flatten();
                for rules in macros.filter(|n| seen.insert(**n)) {
                    let rules = self.index.text_of(*rules);
                    found.extend(words(rules));
                    texts.push(rules);
                }
            }
        }
        let found = Rc::new(found);
        let mut all = self.words_of_macros.borrow_mut();
        all.entry(n).or_insert(found).clone()
    }

    /// What an error names in its message, or else in what the compiler says around it, or else in the code that fails.
    fn named_by_words(&self, error: &Diagnostic) -> Vec<usize> {
        let names: Vec<&str> = quoted(&error.message).collect();
        let message = words(&names.join(" "));
        let all = words(&error.rendered);
        let bounds = Wanted::new(&error.rendered).bounds.into_iter();
        let open = bounds.filter(Bound::is_of_open_number).collect();
        let numbers = self.providers(open);
        if !numbers.is_empty() {
            return numbers;
        }
        // The type may go by another name in the impl, or be one that it dereferences to.
        let tries: [(&BTreeSet<String>, bool); 3] =
            [(&message, true), (&all, true), (&message, false)];
        let found = tries
            .into_iter()
            .map(|(words, typed)| self.find(|_, node| is_named(node, words, typed)))
            .find(|found| !found.is_empty());
        found.unwrap_or_else(|| self.named_by_code(error, &all))
    }

    /// The impls for what is expected, next to those that stay for what was found: a type that is open becomes that of the only one.
    fn instead(&self, expected: &Type, found: &Type) -> Vec<usize> {
        let takes = |n: usize, of: &Type| {
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = self.index.nodes[n].implements.as_ref();
            block.is_some_and(|block| block.header.has_argument(of, &same))
        };
        // One for any type would take what was expected as well.
        let takes_it_alone = |n: usize| {
            let block = self.index.nodes[n].implements.as_ref();
            takes(n, found) && !block.is_some_and(|block| block.header.has_any_argument())
        };
        let nodes = self.index.nodes.iter().enumerate();
        let stays = nodes.filter(|(n, node)| {
            node.kind == Kind::Impl && !self.index.is_in(*n, self.removed) && takes_it_alone(*n)
        });
        let stays: BTreeSet<_> = stays
            .map(|(_, node)| (node.of_trait(), node.for_type()))
            .collect();
        self.find(|n, node| {
            node.kind == Kind::Impl
                && stays.contains(&(node.of_trait(), node.for_type()))
                && takes(n, expected)
        })
    }

    /// The impls for one type that have another for an argument of their traits.
    fn made_of(&self, made: &Type, of: &Type) -> Vec<usize> {
        self.find(|n, node| {
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = node.implements.as_ref().filter(|_| node.kind == Kind::Impl);
            block.is_some_and(|block| {
                block.header.is_for(made, &same) && block.header.has_argument(of, &same)
            })
        })
    }

    /// The impls that take a type, of the operator before the place of an error, or else of the traits that are named in that line or have
    /// an item that is.
    fn taking(&self, of: &Type, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let mut traits = BTreeSet::new();
        for place in error.places() {
            let before = index.text_at(&(0..place.start)).trim_end();
            let operator = OPERATORS.iter().find_map(|(operator, of_trait)| {
                let assigns = before
                    .strip_suffix('=')
                    .filter(|rest| rest.ends_with(operator));
                match assigns {
                    Some(_) => Some(format!("{of_trait}Assign")),
                    None => before.ends_with(operator).then(|| (*of_trait).to_owned()),
                }
            });
            match operator {
                Some(of_trait) => {
                    traits.insert(of_trait);
                }
                None => {
                    let own = words(index.line_of(place));
                    let with = self.traits_with(|name| own.contains(name));
                    traits.extend(with.into_iter().map(str::to_owned));
                    traits.extend(own);
                }
            }
        }
        let found = self.find(|n, node| {
            let mut of_trait = node.of_trait().into_iter();
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = node.implements.as_ref();
            node.kind == Kind::Impl
                && of_trait.any(|name| traits.contains(name))
                && block.is_some_and(|block| block.header.takes(of, &same))
        });
        // For the types that are named around, if there is one.
        let around = error
            .places()
            .filter_map(|at| index.innermost(at))
            .flat_map(|n| {
                let parent = index.nodes[n].parent.map(|n| index.nodes[n].head.clone());
                let header = parent.map_or("", |head| index.text_at(&head));
                words(index.text_of(n)).into_iter().chain(words(header))
            });
        let around: BTreeSet<String> = around.collect();
        let is_near = |n: &usize| {
            let mut of = index.nodes[*n].for_type().into_iter();
            of.any(|name| around.contains(name))
        };
        let near: Vec<usize> = found.iter().copied().filter(is_near).collect();
        if near.is_empty() {
            found
        } else {
            near
        }
    }

    /// Of impls for the numbers that one whose type is open may be, those for the types that are named near by, and for the one
    /// that it becomes if nothing tells. With one impl alone it would become what that is for.
    fn likely_numbers(&self, found: Vec<usize>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let around = error.places().filter_map(|at| index.innermost(at));
        let near: BTreeSet<String> = around.flat_map(|n| words(index.text_of(n))).collect();
        let is_likely = |n: &usize| {
            let of = index.nodes[*n].for_type().map_or("", String::as_str);
            !is_number(of) || ["i32", "f64"].contains(&of) || near.contains(of)
        };
        found.into_iter().filter(is_likely).collect()
    }

    /// Of all that an error could mean, what is in the module of the place and what that leads to, if there is anything.
    fn near(&self, found: Vec<usize>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let modules: BTreeSet<Option<usize>> = error
            .places()
            .filter_map(|at| index.innermost(at))
            .map(|n| index.module(n))
            .collect();
        let here = |n: &usize| {
            let node = &index.nodes[*n];
            matches!(node.kind, Kind::Item | Kind::Import) && modules.contains(&node.parent)
        };
        let mut near: Vec<usize> = found.iter().copied().filter(here).collect();
        if near.is_empty() {
            return found;
        }
        for at in 0..near.len() {
            let node = &index.nodes[near[at]];
            if let Some(path) = index.import_path(near[at]) {
                near.extend(self.names.definition(index, node.parent, &path));
            }
        }
        near.retain(|n| self.removed.contains(n));
        near
    }

    /// What the code that fails names: without a method of a trait the call finds one that the library only tries out, or one of another
    /// type.
    fn named_by_code(&self, error: &Diagnostic, words_around: &BTreeSet<String>) -> Vec<usize> {
        let places = error.spans.iter().map(|(at, _)| self.index.text_at(at));
        let code = words(&places.collect::<Vec<_>>().join(" "));
        let traits = self.traits_with(|name| code.contains(name));
        self.find(|_, node| {
            let mut of_trait = node.of_trait().into_iter();
            is_named(node, &code, false)
                || node.kind == Kind::Impl
                    && of_trait.any(|name| traits.contains(name.as_str()))
                    && node
                        .for_type()
                        .map_or(true, |name| words_around.contains(name))
        })
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

    /// The functions of a name that may be meant by a call on a type, and the impls that bring one.
    fn methods(&self, name: &str, of: &Option<Type>) -> Vec<usize> {
        let has = |n: usize| self.index.nodes[n].name == *name;
        let traits = self.traits_with(|item| item == name);
        self.find(|n, node| {
            let is_it = match node.kind {
                Kind::Impl => {
                    node.of_trait()
                        .is_some_and(|name| traits.contains(name.as_str()))
                        || self.index.children(n).any(has)
                }
                _ => has(n),
            };
            let block = match node.kind {
                Kind::Impl => n,
                _ => node.parent.unwrap_or(n),
            };
            is_it
                && match (&node.implements, of) {
                    (Some(implements), Some(of)) => implements
                        .header
                        .is_for(of, &|own, given| self.is_same(block, own, given)),
                    _ => true,
                }
        })
    }

    /// The impls that bounds may hold by, with those that these build on.
    fn providers(&self, bounds: Vec<Bound>) -> Vec<usize> {
        let found = self.all_providers(bounds);
        self.removed_of(&found)
    }

    /// The same, whether they were removed or not.
    fn all_providers(&self, bounds: Vec<Bound>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open: Vec<(String, Bound)> = bounds
            .into_iter()
            .map(|bound| (bound.to_string(), bound))
            .collect();
        let mut seen: BTreeSet<String> = open.iter().map(|(text, _)| text.clone()).collect();
        while let Some((text, bound)) = open.pop() {
            let step = self.step(text, &bound);
            found.extend(&step.impls);
            // Types that build on themselves go on without end.
            for (text, bound) in &step.next {
                if seen.len() < 100 && seen.insert(text.clone()) {
                    open.push((text.clone(), bound.clone()));
                }
            }
        }
        found
    }

    /// The impls that a bound may hold by, and what they build on.
    fn step(&self, text: String, bound: &Bound) -> Rc<Step> {
        if let Some(known) = self.known.steps.borrow().get(&text) {
            return known.clone();
        }
        let name = bound.of_trait.ident.to_string();
        let mut fitting: Vec<(usize, Vec<Bound>)> = self.fitting(&name, bound).collect();
        // No more than one can be meant.
        if fitting.len() > 1 {
            let may_hold = |bounds: &[Bound]| bounds.iter().all(|bound| self.may_hold(bound));
            let all = std::mem::take(&mut fitting);
            let (possible, others) = all.into_iter().partition(|(_, asked)| may_hold(asked));
            fitting = possible;
            if fitting.is_empty() {
                fitting = others;
            }
        }
        let (mut impls, mut next) = (Vec::new(), Vec::new());
        for (n, bounds) in fitting {
            // What a parameter is to be its function tells, but not what it is to be for a type that is made of it.
            let is_told = |next: &Bound| {
                self.is_parameter(&next.for_type) && !next.has_argument_with_arguments()
            };
            next.extend(bounds.into_iter().filter(|next| !is_told(next)));
            next.extend(self.supertraits(n));
            impls.push(n);
        }
        if impls.is_empty() {
            next.extend(bound.outside());
            next.extend(self.derived_for(bound));
        }
        // Of several with something open, those that code is made for are the ones, nearly always. Else an error tells.
        let is_left = |n: &usize| !self.removed.contains(n);
        if impls.len() > 1 && bound.has_open_argument() && impls.iter().any(is_left) {
            impls.retain(is_left);
        }
        // Of a type that is open nobody knows which impl it is.
        next.retain(|bound| !bound.is_open());
        let next = next.into_iter().map(|bound| (bound.to_string(), bound));
        let step = Rc::new(Step {
            impls,
            next: next.collect(),
        });
        self.known.steps.borrow_mut().insert(text, step.clone());
        step
    }

    /// The impls of the traits so called that a bound may hold by, each with what it asks for.
    fn fitting<'l>(
        &'l self,
        of_trait: &str,
        bound: &'l Bound,
    ) -> impl Iterator<Item = (usize, Vec<Bound>)> + 'l {
        let impls = self.impls.get(of_trait).into_iter().flatten();
        impls.filter_map(move |&n| {
            let block = self.index.nodes[n].implements.as_ref()?;
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            Some((n, block.header.provides(bound, &same)?))
        })
    }

    /// Whether there is an impl that a bound may hold by, as far as that can be seen here.
    fn may_hold(&self, bound: &Bound) -> bool {
        let name = bound.of_trait.ident.to_string();
        let is_seen = self.traits.contains_key(name.as_str())
            && !bound.is_open()
            && !bound.is_of_open_number()
            && !self.is_parameter(&bound.for_type);
        !is_seen || self.fitting(&name, bound).next().is_some()
    }

    /// What was removed of what an impl, or what a type derives, builds on.
    fn foundation(&self, n: usize, look_up: impl Fn() -> Vec<usize>) -> Vec<usize> {
        let known = self.known.foundations.borrow().get(&n).cloned();
        let found = known.unwrap_or_else(|| {
            let found: Rc<[usize]> = look_up().into();
            let mut known = self.known.foundations.borrow_mut();
            known.insert(n, found.clone());
            found
        });
        self.removed_of(&found)
    }

    fn removed_of(&self, found: &[usize]) -> Vec<usize> {
        let nodes = &self.index.nodes;
        let removed = |&n: &usize| match nodes[n].parent {
            _ if self.removed.contains(&n) => Some(n),
            // With what it is in.
            Some(block) if nodes[block].makes_impls && self.removed.contains(&block) => Some(block),
            _ => None,
        };
        found.iter().filter_map(removed).collect()
    }

    /// The impls that what a type derives builds on: those of other traits for it, and those of the same for its fields. And what the
    /// types of the fields ask for.
    fn derived(&self, n: usize) -> Vec<usize> {
        self.foundation(n, || self.all_derived(n))
    }

    fn all_derived(&self, n: usize) -> Vec<usize> {
        let Some(of) = Deriving::read(self.index.text_of(n)) else {
            return Vec::new();
        };
        let known = SUPERTRAITS
            .iter()
            .filter(|(name, _)| of.traits.contains(*name));
        let name = &of.name;
        let itself: Type = syn::parse_quote!(#name<_>);
        let bound = |of_trait: &str, for_type: &Type| Bound {
            of_trait: Ident::new(of_trait, name.span()).into(),
            for_type: for_type.clone(),
        };
        let mut bounds: Vec<Bound> = known
            .flat_map(|(_, others)| *others)
            .map(|of_trait| bound(of_trait, &itself))
            .collect();
        let scope = self.index.scope_of(n).with(&of.parameters);
        for mut field in of.fields {
            // `T`, or `T::Item`.
            if !begins_with_one_of(&of.parameters, &field) {
                self.put_in_meant(n, &mut field);
            }
            scope.in_type(&mut field);
            bounds.extend(self.asked_in(&field));
            bounds.extend(of.traits.iter().map(|of_trait| bound(of_trait, &field)));
        }
        self.all_providers(bounds)
    }

    /// Writes a type as it is called where it is defined, if an import or an alias is what calls it so where a node is: other things
    /// of the crate may have that name.
    fn put_in_meant(&self, n: usize, of: &mut Type) {
        let mut from = self.index.nodes[n].parent;
        for _ in 0..8 {
            let Type::Path(path) = &mut *of else { return };
            let names = path.path.segments.iter().map(|s| s.ident.to_string());
            let names: Vec<String> = names.collect();
            let way = self.names.definition(self.index, from, &names);
            let Some(item) = way.last().map(|&n| &self.index.nodes[n]) else {
                return;
            };
            let Some(last) = path.path.segments.last_mut() else {
                return;
            };
            match item.sort {
                Sort::Type => last.ident = Ident::new(&item.name, last.ident.span()),
                Sort::Alias if last.arguments.is_none() => {
                    let text = self.index.text_at(&item.range);
                    match syn::parse_str::<ItemType>(text) {
                        Ok(alias) if alias.generics.params.is_empty() => *of = *alias.ty,
                        _ => return,
                    }
                    from = item.parent;
                    continue;
                }
                _ => {}
            }
            return;
        }
    }

    /// What else must hold for a type to have a trait that it derives, which builds on what its parameters have: `of: P::Item`.
    fn derived_for(&self, bound: &Bound) -> Vec<Bound> {
        let found = || {
            let Type::Path(path) = &bound.for_type else {
                return None;
            };
            let name = &path.path.segments.last()?.ident;
            let n = *self.definitions.get(name.to_string().as_str())?;
            let of = Deriving::read(self.index.text_of(n))?;
            let is_it = of.traits.contains(&bound.of_trait.ident.to_string());
            is_it.then_some(of)
        };
        let arguments = arguments_of(&bound.for_type);
        let Some((of, arguments)) = found().zip(arguments) else {
            return Vec::new();
        };
        let projected = of.fields.iter().filter_map(|field| {
            let Type::Path(field) = field else {
                return None;
            };
            let mut names = field.path.segments.iter().map(|s| s.ident.to_string());
            let (first, item) = (names.next()?, names.next()?);
            let is_all = field.qself.is_none() && names.next().is_none();
            let at = of.parameters.iter().position(|name| *name == first)?;
            argument(arguments, at)
                .filter(|_| is_all)
                .map(|given| (given, item))
        });
        let types = projected.flat_map(|(given, item)| self.types_of(given, &item));
        let with_trait = |for_type| Bound {
            for_type,
            of_trait: bound.of_trait.clone(),
        };
        types.map(with_trait).collect()
    }

    /// What an associated type is in the impls for a type.
    fn types_of(&self, of: &Type, item: &str) -> Vec<Type> {
        let nodes = self.index.nodes.iter();
        let items = nodes.filter(|node| node.kind == Kind::Implemented && node.name == item);
        let is_of = |node: &&Node| {
            let block = node.parent?;
            let implements = self.index.nodes[block].implements.as_ref()?;
            let same = |own: &Path, given: &Path| self.is_same(block, own, given);
            Some(implements.header.is_for(of, &same))
        };
        let items = items.filter(|node| is_of(node) == Some(true));
        let text = items.map(|node| self.index.text_at(&node.range));
        let read = text.map(syn::parse_str::<ImplItemType>);
        read.filter_map(|item| Some(item.ok()?.ty)).collect()
    }

    /// What the trait of an impl asks of the type besides.
    fn supertraits(&self, n: usize) -> Vec<Bound> {
        let node = &self.index.nodes[n];
        let (Some(of_trait), Some(block)) = (node.of_trait(), &node.implements) else {
            return Vec::new();
        };
        let known = SUPERTRAITS.iter().filter(|(of, _)| of == of_trait);
        let known = known
            .flat_map(|(_, supertraits)| *supertraits)
            .map(|name| block.header.with_arguments(name))
            .map(|name| block.header.also(&name, &[]));
        let here = self.traits.get(of_trait.as_str()).into_iter().flatten();
        let here = here.map(|&n| &self.index.nodes[n]).flat_map(|node| {
            let bounds = node.bounds.iter();
            bounds.map(|name| block.header.also(name, &node.parameters))
        });
        known.chain(here).collect()
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

    /// What the types in a type ask of their arguments.
    fn asked_in(&self, of: &Type) -> Vec<Bound> {
        struct Asked<'l, 'a> {
            look: &'l Look<'a>,
            bounds: Vec<Bound>,
        }
        impl<'ast> Visit<'ast> for Asked<'_, '_> {
            fn visit_type_path(&mut self, path: &'ast TypePath) {
                visit::visit_type_path(self, path);
                // `<A as B>::C`.
                let of = path.qself.as_ref();
                let at = of.and_then(|of| of.position.checked_sub(1));
                let of_trait = at.and_then(|at| path.path.segments.get(at));
                let bound = of.zip(of_trait).map(|(of, of_trait)| Bound {
                    of_trait: of_trait.clone(),
                    for_type: (*of.ty).clone(),
                });
                self.bounds.extend(bound);
            }

            fn visit_path(&mut self, path: &'ast Path) {
                visit::visit_path(self, path);
                let Some(last) = path.segments.last() else {
                    return;
                };
                // `std::slice::Iter` asks for nothing that an own `Iter` does.
                let first = path.segments.first().map(|first| first.ident.to_string());
                let is_standard = first.is_some_and(|first| STANDARD.contains(&first.as_str()));
                if is_standard && path.segments.len() > 1 {
                    return;
                }
                let types = self.look.picky.get(last.ident.to_string().as_str());
                for generics in types.into_iter().flatten() {
                    self.bounds.extend(generics.asks(None, &last.arguments));
                }
            }
        }
        let mut asked = Asked {
            look: self,
            bounds: Vec::new(),
        };
        asked.visit_type(of);
        asked
            .bounds
            .retain(|bound| !bound.is_open() && !self.is_parameter(&bound.for_type));
        asked.bounds
    }

    /// What an impl builds on: what its trait asks of its type and of those that it tells, and what these ask of their arguments.
    fn builds_on(&self, n: usize) -> Vec<usize> {
        self.foundation(n, || self.all_foundations(n))
    }

    fn all_foundations(&self, n: usize) -> Vec<usize> {
        let node = &self.index.nodes[n];
        let mut bounds = self.supertraits(n);
        let (Some(of_trait), Some(block)) = (node.of_trait(), &node.implements) else {
            return Vec::new();
        };
        bounds.extend(self.asked_in(&block.header.for_type));
        // `trait Trait<T: Bound>`.
        let given = block.header.with_arguments(of_trait).arguments;
        for generics in self.picky.get(of_trait.as_str()).into_iter().flatten() {
            bounds.extend(generics.asks(Some(&block.header.for_type), &given));
        }
        for item in self.index.children(n) {
            let item = &self.index.nodes[item];
            let Some(of) = &item.stands_for else { continue };
            bounds.extend(self.asked_in(of));
            for &of_trait in self.traits.get(of_trait.as_str()).into_iter().flatten() {
                let parameters = &self.index.nodes[of_trait].parameters;
                let declared = self.index.children(of_trait);
                let declared = declared.map(|n| &self.index.nodes[n]);
                let declared = declared.filter(|declared| declared.name == item.name);
                let asked = declared.flat_map(|declared| &declared.bounds);
                bounds.extend(asked.map(|name| block.header.asked_of(of, name, parameters)));
            }
        }
        // Of a type that is open any impl might be meant.
        bounds.retain(|bound| !bound.is_open());
        self.all_providers(bounds)
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

    /// What a function asks of the types that it is called with.
    fn asks(&self, n: usize, itself: Option<&Type>, arguments: &PathArguments) -> Vec<Bound> {
        if arguments.is_none() && itself.is_none() {
            return Vec::new();
        }
        let node = &self.index.nodes[n];
        let start = node.signature.unwrap_or(node.range.start);
        let text = self.index.text_at(&(start..node.range.end));
        let generics = Generics::of_function(text, self.index.scope_of(n));
        generics.map_or_else(Vec::new, |generics| generics.asks(itself, arguments))
    }

    /// Whether a type seems to be a parameter: nothing is so called.
    fn is_parameter(&self, of: &Type) -> bool {
        let Type::Path(of) = of else { return false };
        let Some(name) = of.path.get_ident().map(Ident::to_string) else {
            return false;
        };
        !self.types.contains(name.as_str())
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

/// A type that derives traits.
struct Deriving {
    name: Ident,
    traits: BTreeSet<String>,
    parameters: Vec<String>,
    fields: Vec<Type>,
}

impl Deriving {
    fn read(item: &str) -> Option<Self> {
        let (attributes, name, generics, fields): (_, _, _, Vec<Field>) =
            match syn::parse_str(item).ok()? {
                Item::Struct(i) => (i.attrs, i.ident, i.generics, i.fields.into_iter().collect()),
                Item::Enum(i) => {
                    let fields = i.variants.into_iter().flat_map(|variant| variant.fields);
                    (i.attrs, i.ident, i.generics, fields.collect())
                }
                _ => return None,
            };
        let derives = attributes.iter().filter(|a| a.path().is_ident("derive"));
        let derives = derives.flat_map(|a| words(&a.meta.to_token_stream().to_string()));
        Some(Self {
            name,
            traits: derives.collect(),
            parameters: parameters(&generics).collect(),
            fields: fields.into_iter().map(|field| field.ty).collect(),
        })
    }
}

/// Whether a type is one of these parameters, or something that one has.
fn begins_with_one_of(parameters: &[String], of: &Type) -> bool {
    let Type::Path(of) = of else { return false };
    let first = of.path.segments.first();
    first.is_some_and(|first| parameters.iter().any(|name| first.ident == name))
}

/// What an error says is missing.
#[derive(Default)]
struct Wanted {
    /// The innermost first: in a message the bound that was asked for comes before the one that fails.
    bounds: Vec<Bound>,
    /// Methods, and the types that they are called on.
    methods: Vec<(String, Option<Type>)>,
    /// Types that were expected, and those that came instead.
    found: Vec<(Type, Type)>,
    /// Traits that are not in scope.
    imports: Vec<String>,
}

impl Wanted {
    fn new(rendered: &str) -> Self {
        let mut wanted = Self::default();
        let (mut asked_for, mut builds_on_it) = (Vec::new(), Vec::new());
        let parts: Vec<&str> = rendered.split('`').collect();
        // Text, name, text, name, … text.
        for at in (1..parts.len()).step_by(2) {
            let (before, name) = (parts[at - 1], parts[at]);
            let after = parts.get(at + 1).copied().unwrap_or_default();
            let next = parts.get(at + 2).copied().unwrap_or_default();
            if after.starts_with(" is not implemented for ") {
                wanted.bounds.extend(Bound::new(next, name));
            } else if after.starts_with(" doesn't implement ") {
                wanted.bounds.extend(Bound::new(name, next));
            } else if after.starts_with(" is not an iterator") {
                let iterators = ["Iterator", "IntoIterator"].map(|of| Bound::new(name, of));
                wanted.bounds.extend(iterators.into_iter().flatten());
            } else if before.ends_with("can't compare ") {
                let of_both = ["PartialEq", "PartialOrd"].map(|of| format!("{of}<{next}>"));
                let bounds = of_both.iter().map(|of| Bound::new(name, of));
                wanted.bounds.extend(bounds.flatten());
            } else if before.ends_with("implementation of ") && after.contains(" missing for ") {
                wanted.bounds.extend(Bound::new(next, name));
            } else if is_kind_after("expected ", before) && is_kind_after("found ", after) {
                wanted.found.extend(named_type(name).zip(named_type(next)));
            } else if before.ends_with("trait ") && after.starts_with(" which provides ") {
                wanted.imports.push(name.to_owned());
            } else if before.ends_with("required for ") && after == " to implement " {
                // It might do so in another way.
                builds_on_it.extend(Bound::new(name, next));
            } else if before.ends_with("no implementation for ") {
                wanted.bounds.extend(operation(name));
            } else if let Some((of, of_trait)) = name.split_once(": ") {
                asked_for.extend(Bound::new(of, of_trait));
            } else if before.ends_with(" named ") && after.contains(" found for ")
                || before.ends_with("the method ") && after.contains(" exists for ")
            {
                let name = source::plain_name(name).to_owned();
                wanted.methods.push((name, named_type(next)));
            }
        }
        wanted.bounds.extend(asked_for);
        wanted.bounds.extend(builds_on_it);
        wanted
    }
}

/// The bounds and the methods that an error says are missing, and the types that these are called on.
pub fn wanted(error: &Diagnostic) -> (Vec<Bound>, Vec<(String, Option<Type>)>) {
    let wanted = Wanted::new(&error.rendered);
    (wanted.bounds, wanted.methods)
}

/// What functions of the standard library ask of their arguments, or of those of the types that they are called on.
fn asked_outside(of: Option<&Type>, function: &PathSegment) -> Vec<Bound> {
    // The name, whose argument, which, and the trait.
    const ASKED: [(&str, bool, usize, &str); 18] = [
        ("collect", true, 0, "FromIterator<_>"),
        ("sum", true, 0, "Sum<_>"),
        ("product", true, 0, "Product<_>"),
        ("chain", true, 0, "IntoIterator"),
        ("extend", true, 0, "IntoIterator"),
        ("from_iter", true, 0, "IntoIterator"),
        ("zip", true, 0, "IntoIterator"),
        ("parse", true, 0, "FromStr"),
        ("new_display", true, 0, "Display"),
        ("new_debug", true, 0, "Debug"),
        ("new_binary", true, 0, "Binary"),
        ("new_lower_hex", true, 0, "LowerHex"),
        ("new_upper_hex", true, 0, "UpperHex"),
        ("new_lower_exp", true, 0, "LowerExp"),
        ("unwrap", false, 1, "Debug"),
        ("expect", false, 1, "Debug"),
        ("unwrap_err", false, 0, "Debug"),
        ("expect_err", false, 0, "Debug"),
    ];
    let name = function.ident.to_string();
    // Of what refers to something open, any impl might be meant.
    let is_type = |of: &Type| matches!(of, Type::Path(of) if of.qself.is_none());
    let is_clear =
        |bound: &Bound| bound.of_trait.ident != "IntoIterator" || is_type(&bound.for_type);
    let asked = ASKED.iter().filter(|(known, ..)| *known == name);
    let mut bounds: Vec<Bound> = asked
        .filter_map(|&(_, own, at, of_trait)| {
            let arguments = match own {
                true => &function.arguments,
                false => arguments_of(of?)?,
            };
            Bound::of(argument(arguments, at)?, of_trait)
        })
        .filter(is_clear)
        .collect();
    let Some(of) = of else { return bounds };
    let asked = |of: Option<&Type>, traits: &[&str]| -> Vec<Bound> {
        let bounds = traits
            .iter()
            .filter_map(|of_trait| Bound::of(of?, of_trait));
        bounds.filter(is_clear).collect()
    };
    let given = |at| argument(arguments_of(of)?, at);
    bounds.extend(match type_name(of).as_deref() {
        // Nearly all that these have asks for it, and of what something is looked up by as well.
        Some("BTreeMap" | "BTreeSet" | "BinaryHeap") => {
            let mut bounds = asked(given(0), &["Ord"]);
            bounds.extend(asked(argument(&function.arguments, 0), &["Ord"]));
            bounds
        }
        Some(kind @ ("HashMap" | "HashSet")) => {
            let by = given(if kind == "HashMap" { 2 } else { 1 });
            let mut bounds = asked(given(0), &["Eq", "Hash"]);
            bounds.extend(asked(argument(&function.arguments, 0), &["Eq", "Hash"]));
            bounds.extend(asked(by, &["BuildHasher"]));
            bounds
        }
        Some("DebugList" | "DebugSet") if name == "entries" => {
            asked(argument(&function.arguments, 1), &["IntoIterator"])
        }
        Some("DebugMap") if name == "entries" => {
            asked(argument(&function.arguments, 2), &["IntoIterator"])
        }
        // It compares by `lt`, and there is no code of the trait's own.
        _ if ["sort", "sort_unstable"].contains(&name.as_str()) => {
            let element = match of {
                Type::Slice(of) => Some(&*of.elem),
                Type::Array(of) => Some(&*of.elem),
                _ => None,
            };
            asked(element, &["Ord"])
        }
        _ => Vec::new(),
    });
    bounds
}

/// A path as the compiler writes it in its own language: `a::<impl B>::c` where the block is not next to its type.
fn named_path(text: &str) -> Option<ExprPath> {
    let text = readable(text);
    let of_block = text.split_once("::<impl ");
    let of_block = of_block.filter(|(module, _)| !module.contains('<'));
    let on_type = of_block.map(|(_, of)| format!("<{of}"));
    syn::parse_str(&on_type.unwrap_or(text)).ok()
}

/// The types in arrays, slices and tuples, however deep.
fn elements(of: &Type) -> Vec<&Type> {
    let inside: Vec<&Type> = match of {
        Type::Array(of) => vec![&of.elem],
        Type::Slice(of) => vec![&of.elem],
        Type::Tuple(of) => of.elems.iter().collect(),
        _ => return Vec::new(),
    };
    let deeper = inside.iter().flat_map(|of| elements(of));
    deeper.chain(inside.iter().copied()).collect()
}

/// What a type is called, whatever refers to it.
fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Reference(of) => type_name(&of.elem),
        Type::Path(of) => Some(of.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// Operators and their traits.
const OPERATORS: [(&str, &str); 10] = [
    ("+", "Add"),
    ("-", "Sub"),
    ("*", "Mul"),
    ("/", "Div"),
    ("%", "Rem"),
    ("&", "BitAnd"),
    ("|", "BitOr"),
    ("^", "BitXor"),
    ("<<", "Shl"),
    (">>", "Shr"),
];

/// The bound that `A + B` or `A += B` asks for.
fn operation(text: &str) -> Option<Bound> {
    OPERATORS.iter().find_map(|(operator, of_trait)| {
        let assigns = [("", ""), ("=", "Assign")];
        assigns.iter().find_map(|(equals, assign)| {
            let (left, right) = text.split_once(&format!(" {operator}{equals} "))?;
            Bound::new(left, &format!("{of_trait}{assign}<{right}>"))
        })
    })
}

/// Whether a text ends with such words, and perhaps with what kind of type comes next.
fn is_kind_after(words: &str, text: &str) -> bool {
    const KINDS: [&str; 6] = [
        "",
        "struct ",
        "enum ",
        "type parameter ",
        "reference ",
        "mutable reference ",
    ];
    let mut kinds = KINDS.iter();
    kinds.any(|kind| {
        text.strip_suffix(kind)
            .is_some_and(|text| text.ends_with(words))
    })
}

/// The bound that `<A as B>::C == D` builds on.
fn projection(text: &str) -> Option<Bound> {
    let path = text.split_once(" == ").map_or(text, |(path, _)| path);
    let (of, item) = path.strip_prefix('<')?.rsplit_once(">::")?;
    if !item.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (for_type, of_trait) = of.rsplit_once(" as ")?;
    Bound::new(for_type, of_trait)
}

/// What is between backticks.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let names = message.split('`').skip(1).step_by(2);
    names.map(source::plain_name)
}

/// What an error names: of what cannot be found the message alone tells, and the code around it names more.
pub fn words_of(error: &Diagnostic) -> BTreeSet<String> {
    if is_unresolved(error) {
        let names: Vec<&str> = error.message.split('`').skip(1).step_by(2).collect();
        return words(&names.join(" "));
    }
    // The modules of the standard library are files, and imports are called like them.
    let is_place = |line: &&str| line.trim_start().starts_with("-->");
    let lines = error.rendered.lines().filter(|line| !is_place(line));
    words(&lines.collect::<Vec<_>>().join("\n"))
}

/// Whether an error misses a function of a type that is not known.
fn is_of_unknown_type(error: &Diagnostic) -> bool {
    error.code == "E0599" && error.message.contains(" found for type `_`")
}

/// Whether an error says that a name leads nowhere.
pub fn is_unresolved(error: &Diagnostic) -> bool {
    let starts = ["cannot find", "unresolved", "failed to resolve"];
    starts.iter().any(|start| error.message.starts_with(start))
}

/// Whether an error says that a macro has no rule for a call.
fn takes_no_call(error: &Diagnostic) -> bool {
    let starts = ["no rules expected", "unexpected end of macro invocation"];
    starts.iter().any(|start| error.message.starts_with(start))
}

/// The macro that an error points at for what it is called with.
fn called_macro(rendered: &str) -> Option<&str> {
    let (before, _) = rendered.split_once("when calling this macro")?;
    let (_, name) = before.rsplit_once("macro_rules!")?;
    source::words(name).next()
}

/// Whether words name a node.
fn is_named(node: &Node, words: &BTreeSet<String>, typed: bool) -> bool {
    let has = |name: &String| words.contains(name);
    let of_type = !typed || node.for_type().map_or(true, has);
    if node.kind == Kind::Impl {
        return of_type && node.of_trait().is_some_and(has);
    }
    node.name != "_" && has(&node.name) && of_type
}

/// What traits of the standard library ask for besides.
const SUPERTRAITS: [(&str, &[&str]); 14] = [
    ("BorrowMut", &["Borrow"]),
    ("BufRead", &["Read"]),
    ("Copy", &["Clone"]),
    ("Ord", &["PartialOrd", "Eq", "PartialEq"]),
    ("PartialOrd", &["PartialEq"]),
    ("Eq", &["PartialEq"]),
    ("DerefMut", &["Deref"]),
    ("DoubleEndedIterator", &["Iterator"]),
    ("ExactSizeIterator", &["Iterator"]),
    ("FusedIterator", &["Iterator"]),
    ("IndexMut", &["Index"]),
    ("Fn", &["FnMut", "FnOnce"]),
    ("FnMut", &["FnOnce"]),
    ("Error", &["Debug", "Display"]),
];

pub fn words(text: &str) -> BTreeSet<String> {
    // A keyword is a name with its mark.
    let marked = text.split("r#").skip(1);
    let marked = marked.filter_map(|rest| Some(format!("r#{}", source::words(rest).next()?)));
    let words = source::words(text).map(str::to_owned);
    words.chain(marked).collect()
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
    fn what_cannot_be_found_is_in_the_message() {
        let words_of = |message: &str| {
            let found = words_of(&Diagnostic {
                level: "error".into(),
                made_by: Vec::new(),
                code: "E0425".into(),
                message: message.into(),
                rendered: format!("{message}\n   --> library/core/mod.rs\nimpl A<Cell<u8>> {{"),
                fixes: Vec::new(),
                offers: Vec::new(),
                spans: Vec::new(),
            });
            found.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words_of("cannot find type `A` in module `m::n`"), "A m n");
        let of_method = words_of("no method named `f` found for struct `A`");
        assert!(of_method.contains("Cell") && !of_method.contains("core"));
    }

    #[test]
    fn what_builds_on_a_bound_may_hold_in_another_way() {
        let text = "error: the trait bound `A<_>: From<u8>` is not satisfied\n\
                    = note: required for `u8` to implement `Into<A<_>>`\n\
                    = note: required for `A<_>` to implement `TryFrom<u8>`\n";
        let bounds = Wanted::new(text).bounds.into_iter();
        assert_eq!(
            bounds.map(|bound| bound.to_string()).collect::<Vec<_>>(),
            [
                "A < _ > : From < u8 >",
                "u8 : Into < A < _ > >",
                "A < _ > : TryFrom < u8 >"
            ]
        );
    }

    /// Which of the impls in a text a bound may hold by, if all are gone, in the order of the text.
    fn providing(text: &str, for_type: &str, of_trait: &str) -> Vec<usize> {
        let index = Index::new(text).unwrap();
        let impls: Vec<usize> = (0..index.nodes.len())
            .filter(|&n| index.nodes[n].kind == Kind::Impl)
            .collect();
        let removed = impls.iter().copied().collect();
        let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
        let look = Look::new(&index, &names, &calls, &known, &removed);
        let found = look.providers(vec![Bound::new(for_type, of_trait).unwrap()]);
        let place = |n: usize| impls.iter().position(|&of| of == n).unwrap();
        found.into_iter().map(place).collect()
    }

    #[test]
    fn of_two_impls_that_fit_the_one_that_can_hold_is_meant() {
        let text = "trait Rem {} impl Rem for u32 {} struct M; struct N; impl Mul for M {} impl<T: Rem> Mul<T> for M {} \
                    impl<T: Copy> Mul<T> for N {}";
        assert_eq!(providing(text, "M", "Mul"), [1]);
        assert_eq!(providing(text, "M", "Mul<u32>"), [2, 0]);
        // Of other crates' traits nobody knows.
        assert_eq!(providing(text, "N", "Mul<u32>"), [3]);
    }

    #[test]
    fn a_type_of_the_standard_library_is_none_that_a_glob_brings() {
        let text = "mod m { pub struct Error; mod ext { use super::*; trait Ext {} impl<E: Show> Ext for E {} impl Ext for Error {} } }";
        assert_eq!(providing(text, "std::io::Error", "Ext"), [0]);
        assert_eq!(providing(text, "m::Error", "Ext"), [0, 1]);
        // What else a glob brings nobody sees.
        let open = text.replace("use super::*;", "use super::*; use other::*;");
        assert_eq!(providing(&open, "std::io::Error", "Ext"), [0, 1]);
    }

    #[test]
    fn what_was_expected_comes_back_next_to_what_is_found() {
        let text =
            "impl D<u8> for S {} impl D<u32> for S {} impl D<u32> for T {} impl E<u32> for S {}";
        let index = Index::new(text).unwrap();
        let removed = (1..index.nodes.len()).collect();
        let names = Names::new(&index);
        let no_calls = Calls::default();
        let known = Known::default();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        let of = |name: &str| named_type(name).unwrap();
        assert_eq!(look.instead(&of("u32"), &of("u8")), [1]);
        assert!(look.instead(&of("u32"), &of("u16")).is_empty());
        // One for all types is not what made the type another.
        let for_all = text.replace("impl D<u8>", "impl<T> D<T>");
        let index = Index::new(&for_all).unwrap();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        assert!(look.instead(&of("u32"), &of("u8")).is_empty());
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
    fn what_a_type_is_made_of_comes_back_where_it_would_have_to_be_it() {
        let text = "struct S; impl From<&[u8]> for S {} impl From<u8> for S {} impl From<&[u8]> for T {} impl R for A<C> {}";
        let index = Index::new(text).unwrap();
        let removed = (1..index.nodes.len()).collect();
        let names = Names::new(&index);
        let no_calls = Calls::default();
        let known = Known::default();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        let named = |message: &str, notes: &str| {
            look.named(&Diagnostic {
                level: "error".into(),
                made_by: Vec::new(),
                code: "E0271".into(),
                message: message.into(),
                rendered: format!("{message}\n{notes}"),
                fixes: Vec::new(),
                offers: Vec::new(),
                spans: Vec::new(),
            })
        };
        let notes = "= note: expected struct `S`\n found reference `&[u8]`";
        let message = "type mismatch resolving `<A<B> as R<'_>>::Ref == S`";
        assert_eq!(named(message, notes), [1]);
        // Or else an impl of the trait that tells which type it is.
        assert_eq!(named(message, ""), [4]);
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

    fn error(code: &str, message: &str) -> Diagnostic {
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
    fn what_a_parameter_is_to_be_for_a_type_made_of_it_is_wanted() {
        let text = "impl<S, D> Cast<S> for D where D: From<S> {} impl<T> From<U<T>> for T {} struct U<T>(T);";
        let bound = |of: &str| {
            let message = format!("the trait bound `T: Cast<{of}>` is not satisfied");
            error("E0277", &message)
        };
        let of_removed = |error: Diagnostic| {
            let index = Index::new(text).unwrap();
            let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
            let removed = BTreeSet::from([1]);
            Look::new(&index, &names, &calls, &known, &removed).named(&error)
        };
        assert_eq!(of_removed(bound("U<T>")), [1]);
        // The function says whether it is that.
        assert!(of_removed(bound("S")).is_empty());
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

    #[test]
    fn a_keyword_is_a_name_with_its_mark() {
        let found = words("no method `r#type` or `r#gen` found");
        assert!(found.contains("r#type") && found.contains("gen"));
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
