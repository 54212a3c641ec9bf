//! What `impl Trait` borrows from where a function returns it: from all arguments, in edition 2024.
//!
//! Older compilers know `+ 'a` only, for what lives at least as long as `'a`; `use<…>` is of 1.82.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, GenericParam, Generics, ImplItemFn, ItemFn, ItemImpl, Lifetime,
    ParenthesizedGenericArguments, Receiver, ReceiverKind, Signature, TypeFnPtr, TypeImplTrait,
    TypeParamBound, TypeReference,
};

use super::compiler::Fix;

/// Ways to write that the function at a place returns an `impl Trait` that borrows from its arguments: those for older compilers first, from
/// all arguments last. None if there is no such function.
pub fn ways(text: &str, place: usize) -> Vec<Vec<Fix>> {
    let mut finder = Finder {
        place,
        around: Generics::default(),
        found: Vec::new(),
    };
    if let Ok(file) = syn::parse_file(text) {
        finder.visit_file(&file);
    }
    finder.found
}

/// Looks for the innermost function.
struct Finder {
    place: usize,
    /// The generics of the impl around.
    around: Generics,
    found: Vec<Vec<Fix>>,
}

impl Finder {
    fn look(&mut self, signature: &Signature, body: &Block) {
        if body.span().byte_range().contains(&self.place) {
            self.found = written(&self.around, signature);
        }
    }

    fn inside(&mut self, around: Generics, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.around, around);
        look(self);
        self.around = before;
    }
}

impl<'ast> Visit<'ast> for Finder {
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

fn written(around: &Generics, signature: &Signature) -> Vec<Vec<Fix>> {
    let (mut named, mut types) = (Vec::new(), Vec::new());
    for parameter in around.params.iter().chain(&signature.generics.params) {
        match parameter {
            GenericParam::Lifetime(of) => named.push(of.lifetime.to_string()),
            GenericParam::Type(of) => types.push(of.ident.to_string()),
            GenericParam::Const(of) => types.push(of.ident.to_string()),
        }
    }
    let mut elided = Elided::default();
    for argument in &signature.inputs {
        elided.visit_fn_arg(argument);
    }
    let mut opaque = Opaque::default();
    opaque.visit_return_type(&signature.output);
    let bound = |with: &str| -> Vec<Fix> {
        let ends = opaque.ends.iter();
        ends.map(|&end| (end..end, format!(" + {with}"))).collect()
    };
    let all = |lifetimes: &[String]| {
        let all = [lifetimes, &types].concat().join(", ");
        bound(&format!("use<{all}>"))
    };
    let is_free = |name: &String| !named.contains(name);
    let mut free = ('a'..='z').map(|c| format!("'{c}")).filter(is_free);
    match (&named[..], &elided.found[..]) {
        _ if opaque.ends.is_empty() => Vec::new(),
        ([], []) => Vec::new(),
        ([], [_]) => vec![bound("'_"), all(&["'_".to_owned()])],
        ([name], []) => vec![bound(name), all(&named)],
        (_, []) => vec![all(&named)],
        (_, places) => {
            let mut ways = Vec::new();
            if elided.is_of_self {
                ways.push(bound("'_"));
            }
            // What is given for as long as all arguments live is given for as long as the shortest does.
            if let ([], Some(name)) = (&named[..], free.clone().next()) {
                let one = with_names(signature, places.iter().map(|place| (place, name.clone())));
                ways.push([one, bound(&name)].concat());
            }
            let names: Vec<String> = free.by_ref().take(places.len()).collect();
            let several = with_names(signature, places.iter().zip(names.iter().cloned()));
            ways.push([several, all(&[&named[..], &names].concat())].concat());
            ways
        }
    }
}

/// Gives lifetimes names.
fn with_names<'p>(
    signature: &Signature,
    names: impl Iterator<Item = (&'p Fix, String)>,
) -> Vec<Fix> {
    let (mut fixes, mut new) = (Vec::new(), Vec::new());
    for ((place, behind), name) in names {
        fixes.push((place.clone(), format!("{name}{behind}")));
        if !new.contains(&name) {
            new.push(name);
        }
    }
    let new = new.join(", ");
    let first = signature.generics.params.first();
    fixes.push(match first.map(|first| first.span().byte_range().start) {
        Some(at) => (at..at, format!("{new}, ")),
        None => {
            let at = signature.ident.span().byte_range().end;
            (at..at, format!("<{new}>"))
        }
    });
    fixes
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

/// Where each `impl Trait` ends that does not say yet what it borrows from.
#[derive(Default)]
struct Opaque {
    ends: Vec<usize>,
}

impl<'ast> Visit<'ast> for Opaque {
    fn visit_type_impl_trait(&mut self, of: &'ast TypeImplTrait) {
        let says = |bound: &TypeParamBound| matches!(bound, TypeParamBound::PreciseCapture(_));
        if !of.bounds.iter().any(says) {
            self.ends.push(of.span().byte_range().end);
        }
        visit::visit_type_impl_trait(self, of);
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Edits;
    use super::*;

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
        becomes("fn f(a: u8) -> impl Tr", &[]);
        becomes("fn f(a: &u8) -> u8", &[]);
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
