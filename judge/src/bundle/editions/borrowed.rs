//! What `impl Trait` borrows from where a function returns it: from all arguments, in edition 2024.
//!
//! Older compilers know `+ 'a` only, for what lives at least as long as `'a`; `use<…>` is of 1.82.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, GenericParam, Generics, Ident, ImplItemFn, ItemFn, ItemImpl, Lifetime,
    ParenthesizedGenericArguments, Receiver, ReceiverKind, Signature, Type, TypeFnPtr,
    TypeImplTrait, TypeParamBound, TypePtr, TypeReference,
};

use crate::bundle::compiler::Fix;
use crate::bundle::load::templates::Templates;
use crate::bundle::text::source;

/// Ways to write that the function at a place returns an `impl Trait` that borrows from its arguments: those for older compilers first, from
/// all arguments last. None if there is no such function.
pub fn ways(text: &str, place: usize) -> Vec<Vec<Fix>> {
    let mut finder = Finder {
        text,
        place,
        around: Generics::default(),
        found: Vec::new(),
    };
    if let Ok(file) = syn::parse_file(text) {
        finder.visit_file(&file);
    }
    if finder.found.is_empty() {
        // A macro may make it.
        let made = Templates::of(text, |made| made.contains("impl "));
        made.file.iter().for_each(|file| finder.visit_file(file));
    }
    finder.found
}

/// Looks for the innermost function.
struct Finder<'t> {
    text: &'t str,
    place: usize,
    /// The generics of the impl around.
    around: Generics,
    found: Vec<Vec<Fix>>,
}

impl Finder<'_> {
    fn look(&mut self, signature: &Signature, body: &Block) {
        if body.span().byte_range().contains(&self.place) {
            self.found = written(self.text, &self.around, signature);
        }
    }

    fn inside(&mut self, around: Generics, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.around, around);
        look(self);
        self.around = before;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        self.inside(item.generics.clone(), |finder| {
            visit::visit_item_impl(finder, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.look(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.inside(Generics::default(), |finder| {
            finder.look(&item.sig, &item.block);
            visit::visit_item_fn(finder, item);
        });
    }
}

fn written(text: &str, around: &Generics, signature: &Signature) -> Vec<Vec<Fix>> {
    let (mut named, mut types) = (Vec::new(), Vec::new());
    // In a rule the name may be one that the macro gets.
    let called = |name: &Ident| text[name.span().byte_range()].to_owned();
    for parameter in around.params.iter().chain(&signature.generics.params) {
        match parameter {
            GenericParam::Lifetime(of) => named.push(of.lifetime.to_string()),
            GenericParam::Type(of) => types.push(called(&of.ident)),
            GenericParam::Const(of) => types.push(called(&of.ident)),
        }
    }
    let (mut elided, mut unnamed) = (Elided::default(), Unnamed::default());
    for argument in &signature.inputs {
        elided.visit_fn_arg(argument);
        unnamed.visit_fn_arg(argument);
    }
    let mut opaque = Opaque::default();
    opaque.visit_return_type(&signature.output);
    let bound = |with: &str| opaque.bound(with);
    // What borrows has to name all types: `impl Trait` of an argument gets a name.
    let words: BTreeSet<&str> = source::words(text).collect();
    let is_free = |name: &String| !types.contains(name) && !words.contains(name.as_str());
    let letters = ('A'..='Z').map(|c| c.to_string());
    let numbered = ('A'..='Z').map(|c| format!("{c}1"));
    let names = letters.chain(numbered).filter(is_free);
    let is_in = |at: usize| unnamed.found.iter().any(|of| of.start < at && at < of.end);
    let can_be_named = !unnamed.are_nested && !elided.found.iter().any(|(at, _)| is_in(at.start));
    let unnamed = unnamed.found.iter().filter(|_| can_be_named);
    let unnamed: Vec<Fix> = unnamed.cloned().zip(names).collect();
    let new_types: Vec<String> = unnamed
        .iter()
        .map(|(place, name)| {
            let bounds = text[place.clone()].trim_start_matches("impl").trim();
            format!("{name}: {bounds}")
        })
        .collect();
    types.extend(unnamed.iter().map(|(_, name)| name.clone()));
    let all = |lifetimes: &[String], new: &[String]| {
        let all = [lifetimes, &types].concat().join(", ");
        let parameters = parameters(signature, new, &new_types);
        [bound(&format!("use<{all}>")), unnamed.clone(), parameters].concat()
    };
    // One of `for<'b>` in the signature, or of a label, would be hidden.
    let place = signature.span().byte_range();
    let is_free =
        |name: &String| !named.contains(name) && !text[place.clone()].contains(name.as_str());
    let mut free = ('a'..='z').map(|c| format!("'{c}")).filter(is_free);
    match (&named[..], &elided.found[..]) {
        _ if opaque.found.is_empty() => Vec::new(),
        ([], []) => Vec::new(),
        ([], [_]) => vec![bound("'_"), all(&["'_".to_owned()], &[])],
        ([name], []) => vec![bound(name), all(&named, &[])],
        (_, []) => vec![all(&named, &[])],
        (_, places) => {
            let named_as =
                |(place, behind): &Fix, name: &str| (place.clone(), format!("{name}{behind}"));
            let mut ways = Vec::new();
            if elided.is_of_self {
                ways.push(bound("'_"));
            }
            // What is given for as long as all arguments live is given for as long as the shortest does.
            if let ([], Some(name)) = (&named[..], free.clone().next()) {
                let mut one: Vec<Fix> = places.iter().map(|place| named_as(place, &name)).collect();
                one.extend(parameters(signature, std::slice::from_ref(&name), &[]));
                ways.push([one, bound(&name)].concat());
            }
            let names: Vec<String> = free.by_ref().take(places.len()).collect();
            let several = places.iter().zip(&names);
            let several: Vec<Fix> = several.map(|(place, name)| named_as(place, name)).collect();
            ways.push([several, all(&[&named[..], &names].concat(), &names)].concat());
            ways
        }
    }
}

/// Gives a function more lifetimes and types.
fn parameters(signature: &Signature, lifetimes: &[String], types: &[String]) -> Vec<Fix> {
    let mut fixes = Vec::new();
    match (
        signature.generics.params.first(),
        signature.generics.params.last(),
    ) {
        (Some(first), Some(last)) => {
            let (start, end) = (
                first.span().byte_range().start,
                last.span().byte_range().end,
            );
            fixes.extend(
                lifetimes
                    .iter()
                    .map(|name| (start..start, format!("{name}, "))),
            );
            fixes.extend(types.iter().map(|of| (end..end, format!(", {of}"))));
        }
        _ if lifetimes.is_empty() && types.is_empty() => {}
        _ => {
            let at = signature.ident.span().byte_range().end;
            let all = [lifetimes, types].concat().join(", ");
            fixes.push((at..at, format!("<{all}>")));
        }
    }
    fixes
}

/// Where arguments are an `impl Trait`.
#[derive(Default)]
struct Unnamed {
    found: Vec<Range<usize>>,
    /// One is inside of another.
    are_nested: bool,
}

impl<'ast> Visit<'ast> for Unnamed {
    fn visit_type_impl_trait(&mut self, of: &'ast TypeImplTrait) {
        let place = of.span().byte_range();
        self.are_nested |= self
            .found
            .last()
            .is_some_and(|last| last.contains(&place.start));
        self.found.push(place);
        visit::visit_type_impl_trait(self, of);
    }
}

/// Lifetimes without names: where each would get its own, and what stands between the name and the rest.
#[derive(Default)]
struct Elided {
    found: Vec<Fix>,
    /// The first of them is that of `&self`.
    is_of_self: bool,
}

impl Elided {
    fn behind(&mut self, sign: &syn::Token![&]) {
        let at = sign.span.byte_range().end;
        self.found.push((at..at, " ".to_owned()));
    }
}

impl<'ast> Visit<'ast> for Elided {
    fn visit_receiver(&mut self, of: &'ast Receiver) {
        let before = self.found.len();
        match &of.kind {
            ReceiverKind::Reference(sign, None, _) => self.behind(sign),
            _ => visit::visit_receiver(self, of),
        }
        self.is_of_self = self.found.len() > before;
    }

    fn visit_type_reference(&mut self, of: &'ast TypeReference) {
        if of.lifetime.is_none() {
            self.behind(&of.and_token);
        }
        visit::visit_type_reference(self, of);
    }

    fn visit_lifetime(&mut self, of: &'ast Lifetime) {
        if of.ident == "_" {
            self.found.push((of.span().byte_range(), String::new()));
        }
    }

    // Theirs are their own.
    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {}
    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}
}

/// Where each `impl Trait` is that does not say yet what it borrows from.
#[derive(Default)]
struct Opaque {
    found: Vec<Range<usize>>,
    /// Those behind a sign, which several bounds need brackets for.
    pointed_at: Vec<usize>,
}

impl Opaque {
    fn behind_sign(&mut self, of: &Type) {
        if let Type::ImplTrait(of) = of {
            self.pointed_at.push(of.span().byte_range().start);
        }
    }

    /// Gives each another bound.
    fn bound(&self, with: &str) -> Vec<Fix> {
        let bound = |of: &Range<usize>| {
            let (open, close) = match self.pointed_at.contains(&of.start) {
                true => ("(", ")"),
                false => ("", ""),
            };
            let before = (of.start..of.start, open.to_owned());
            let behind = (of.end..of.end, format!(" + {with}{close}"));
            [before, behind]
        };
        let fixes = self.found.iter().flat_map(bound);
        fixes.filter(|(_, with)| !with.is_empty()).collect()
    }
}

impl<'ast> Visit<'ast> for Opaque {
    fn visit_type_reference(&mut self, of: &'ast TypeReference) {
        self.behind_sign(&of.elem);
        visit::visit_type_reference(self, of);
    }

    fn visit_type_ptr(&mut self, of: &'ast TypePtr) {
        self.behind_sign(&of.elem);
        visit::visit_type_ptr(self, of);
    }

    fn visit_type_impl_trait(&mut self, of: &'ast TypeImplTrait) {
        let says = |bound: &TypeParamBound| matches!(bound, TypeParamBound::PreciseCapture(_));
        if !of.bounds.iter().any(says) {
            self.found.push(of.span().byte_range());
        }
        visit::visit_type_impl_trait(self, of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::text::source::Edits;

    fn becomes(before: &str, functions: &[&str]) {
        let text = format!("{before} {{ x() }}");
        let written = ways(&text, text.find("x()").unwrap())
            .into_iter()
            .map(|way| {
                let mut edits = Edits::default();
                for (place, with) in way {
                    edits.replace(place, with);
                }
                edits.apply(&text)
            });
        let expected = functions.iter().map(|f| format!("{f} {{ x() }}"));
        assert_eq!(written.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn one_lifetime_needs_no_name() {
        becomes(
            "fn f<T>(a: &[T], n: u8) -> (impl Tr<T>, u8)",
            &[
                "fn f<T>(a: &[T], n: u8) -> (impl Tr<T> + '_, u8)",
                "fn f<T>(a: &[T], n: u8) -> (impl Tr<T> + use<'_, T>, u8)",
            ],
        );
        becomes(
            "fn f<'x, T>(a: S<'x, T>, f: fn(&T)) -> impl Fn(&T) -> u8",
            &[
                "fn f<'x, T>(a: S<'x, T>, f: fn(&T)) -> impl Fn(&T) -> u8 + 'x",
                "fn f<'x, T>(a: S<'x, T>, f: fn(&T)) -> impl Fn(&T) -> u8 + use<'x, T>",
            ],
        );
        becomes(
            "fn f(&self) -> &impl Tr<T>",
            &[
                "fn f(&self) -> &(impl Tr<T> + '_)",
                "fn f(&self) -> &(impl Tr<T> + use<'_>)",
            ],
        );
        // The first letters are taken.
        becomes(
            "struct A; fn f(a: &[A], b: impl Fn(&A)) -> impl Tr",
            &[
                "struct A; fn f(a: &[A], b: impl Fn(&A)) -> impl Tr + '_",
                "struct A; fn f<B: Fn(&A)>(a: &[A], b: B) -> impl Tr + use<'_, B>",
            ],
        );
        becomes("fn f(a: u8) -> impl Tr", &[]);
        becomes("fn f(a: &u8) -> u8", &[]);
    }

    #[test]
    fn macros_make_functions_too() {
        let before = "macro_rules! m { ($f:ident, $T:ident) => { fn $f<$T>(a: &[$T], b: &[u8]) -> impl Tr { x() } } }";
        let written = ways(before, before.find("x()").unwrap());
        let all = written.last().unwrap().iter();
        let all: Vec<&str> = all.map(|(_, with)| with.as_str()).collect();
        assert_eq!(all, ["'a ", "'b ", " + use<'a, 'b, $T>", "'a, ", "'b, "]);
    }

    #[test]
    fn types_without_names_get_names() {
        becomes(
            "fn f<A>(a: &[A], g: &impl Fn(&A) -> bool) -> impl Tr",
            &[
                "fn f<'a, A>(a: &'a [A], g: &'a impl Fn(&A) -> bool) -> impl Tr + 'a",
                "fn f<'a, 'b, A, B: Fn(&A) -> bool>(a: &'a [A], g: &'b B) -> impl Tr + use<'a, 'b, A, B>",
            ],
        );
        becomes(
            "fn f(a: &u8, g: impl Fn(u8) + Copy) -> impl Tr",
            &[
                "fn f(a: &u8, g: impl Fn(u8) + Copy) -> impl Tr + '_",
                "fn f<A: Fn(u8) + Copy>(a: &u8, g: A) -> impl Tr + use<'_, A>",
            ],
        );
    }

    #[test]
    fn several_lifetimes_get_names() {
        becomes(
            "fn f(a: &u8, b: S<'_>) -> impl Tr",
            &[
                "fn f<'a>(a: &'a u8, b: S<'a>) -> impl Tr + 'a",
                "fn f<'a, 'b>(a: &'a u8, b: S<'b>) -> impl Tr + use<'a, 'b>",
            ],
        );
        becomes(
            "fn f<'a, T>(a: &'a u8, b: &mut T) -> impl Tr",
            &["fn f<'b, 'a, T>(a: &'a u8, b: &'b mut T) -> impl Tr + use<'a, 'b, T>"],
        );
        becomes(
            "fn f<'a, 'b>(a: &'a u8, b: &'b u8) -> impl Tr",
            &["fn f<'a, 'b>(a: &'a u8, b: &'b u8) -> impl Tr + use<'a, 'b>"],
        );
    }
}
