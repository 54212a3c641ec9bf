//! What bounds hold by: impls and derives, and what these build on.

use std::collections::BTreeSet;
use std::rc::Rc;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Field, Ident, ImplItemType, Item, ItemType, Path, PathArguments, PathSegment, Type, TypePath,
};

use super::messages::words;
use super::Look;
use crate::bundle::shake::follow::STANDARD;
use crate::bundle::text::header::{argument, arguments_of, parameters, Bound, Generics};
use crate::bundle::text::index::{Kind, Node, Sort};
use crate::bundle::text::tokens;

/// What one bound leads to.
pub struct Step {
    impls: Vec<usize>,
    /// What must hold for these, by how it is written.
    next: Vec<(String, Bound)>,
}

impl Look<'_> {
    /// The impls that bounds may hold by, with those that these build on.
    pub fn providers(&self, bounds: Vec<Bound>) -> Vec<usize> {
        let found = self.all_providers(bounds);
        self.removed_of(&found)
    }

    /// The same, whether they were removed or not.
    pub fn all_providers(&self, bounds: Vec<Bound>) -> Vec<usize> {
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

    /// What was removed of what was found, with the block that it went with.
    pub fn removed_of(&self, found: &[usize]) -> Vec<usize> {
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
    pub fn derived(&self, n: usize) -> Vec<usize> {
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
                Sort::Type => last.ident = tokens::named(&item.name, last.ident.span()),
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

    /// What the types in a type ask of their arguments.
    pub fn asked_in(&self, of: &Type) -> Vec<Bound> {
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
    pub fn builds_on(&self, n: usize) -> Vec<usize> {
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

    /// What a function asks of the types that it is called with.
    pub fn asks(&self, n: usize, itself: Option<&Type>, arguments: &PathArguments) -> Vec<Bound> {
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
}

/// What functions of the standard library ask of their arguments, or of those of the types that they are called on.
pub fn asked_outside(of: Option<&Type>, function: &PathSegment) -> Vec<Bound> {
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

/// What a type is called, whatever refers to it.
pub fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Reference(of) => type_name(&of.elem),
        Type::Path(of) => Some(of.path.segments.last()?.ident.to_string()),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use crate::bundle::shake::calls::Calls;
    use crate::bundle::shake::follow::Names;
    use crate::bundle::shake::needs::{Known, Look};
    use crate::bundle::text::header::Bound;
    use crate::bundle::text::index::{Index, Kind};

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
}
