//! The headers of impls, and whether one could be what an error misses.

use std::collections::{BTreeMap, BTreeSet};

use quote::quote;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    AngleBracketedGenericArguments, GenericArgument, Ident, ItemImpl, Path, PathArguments,
    PathSegment, Token, Type, TypeParamBound, WherePredicate,
};

/// `impl<T: Bound> Trait<A> for Type<T>`: which types it is for, and what it asks of them.
pub struct Header {
    parameters: BTreeSet<String>,
    of_trait: Option<PathSegment>,
    for_type: Type,
    /// What parameters are to implement.
    bounds: Vec<(String, PathSegment)>,
    /// All paths in the trait and in the type, but for those out of the text.
    pub paths: Vec<Vec<String>>,
}

/// `Type: Trait<A>`.
#[derive(Clone)]
pub struct Bound {
    pub of_trait: PathSegment,
    pub for_type: Type,
}

/// A comparison on its way.
struct Found<'s> {
    same: &'s dyn Fn(&Path, &Path) -> bool,
    /// What the header's parameters stand for.
    bindings: BTreeMap<String, Type>,
}

impl<'s> Found<'s> {
    fn new(same: &'s dyn Fn(&Path, &Path) -> bool) -> Self {
        Self {
            same,
            bindings: BTreeMap::new(),
        }
    }
}

impl Bound {
    /// Reads a type and a trait as the compiler writes them in errors.
    pub fn new(for_type: &str, of_trait: &str) -> Option<Self> {
        let path: Path = syn::parse_str(&readable(of_trait)).ok()?;
        Some(Self {
            of_trait: path.segments.last()?.clone(),
            for_type: named_type(for_type)?,
        })
    }

    /// Whether the type is open, so that any impl of the trait would do.
    pub fn is_open(&self) -> bool {
        match &self.for_type {
            Type::Path(of) => of.qself.is_some(),
            of => matches!(of, Type::Infer(_)),
        }
    }

    /// Whether the type is that of a number that could be of several.
    pub fn is_of_open_number(&self) -> bool {
        let Type::Path(of) = &self.for_type else {
            return false;
        };
        OPEN.iter().any(|(_, name, _)| of.path.is_ident(name))
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { of_trait, for_type } = self;
        write!(f, "{}", quote!(#for_type: #of_trait))
    }
}

/// A type as the compiler writes it in errors.
pub fn named_type(text: &str) -> Option<Type> {
    syn::parse_str(&readable(text)).ok()
}

/// Numbers whose types are still open, in names that Rust can read.
const OPEN: [(&str, &str, &str); 2] = [
    ("{integer}", "OpenInteger", "iu"),
    ("{float}", "OpenFloat", "f"),
];

/// What is in braces or left out has no name that Rust could read: `_` may be anything.
fn readable(text: &str) -> String {
    let mut text = text.replace("...", "_");
    for (written, name, _) in OPEN {
        text = text.replace(written, name);
    }
    let mut out = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                out.push('_');
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

impl Header {
    pub fn new(block: &ItemImpl) -> Self {
        let generics = &block.generics;
        let types = generics.type_params().map(|p| p.ident.to_string());
        let constants = generics.const_params().map(|p| p.ident.to_string());
        let path = block.trait_.as_ref().map(|(path, _)| path);
        let mut bounds = Vec::new();
        for parameter in generics.type_params() {
            let name = parameter.ident.to_string();
            bounds.extend(traits(&parameter.bounds).map(|of| (name.clone(), of)));
        }
        for predicate in generics.where_clause.iter().flat_map(|w| &w.predicates) {
            let WherePredicate::Type(predicate) = predicate else {
                continue;
            };
            if let Type::Path(of) = &predicate.bounded_ty {
                let name = of
                    .path
                    .get_ident()
                    .map(Ident::to_string)
                    .unwrap_or_default();
                bounds.extend(traits(&predicate.bounds).map(|of| (name.clone(), of)));
            }
        }
        let parameters: BTreeSet<String> = types.chain(constants).collect();
        let mut found = Paths {
            parameters: &parameters,
            found: Vec::new(),
        };
        path.into_iter().for_each(|path| found.visit_path(path));
        found.visit_type(&block.self_ty);
        let paths = found.found;
        Self {
            parameters,
            paths,
            of_trait: path.and_then(|path| path.segments.last()).cloned(),
            for_type: (*block.self_ty).clone(),
            bounds,
        }
    }

    /// Whether this impl may be the one that makes a bound hold, and what else must hold then. Whether a path of its own
    /// and one of the compiler's mean the same type, `same` tells for those that end in the same name.
    pub fn provides(
        &self,
        bound: &Bound,
        same: &dyn Fn(&Path, &Path) -> bool,
    ) -> Option<Vec<Bound>> {
        let of_trait = self.of_trait.as_ref()?;
        let mut found = Found::new(same);
        let fits = of_trait.ident == bound.of_trait.ident
            && self.arguments_fit(&of_trait.arguments, &bound.of_trait.arguments, &mut found)
            && self.fits(&self.for_type, &bound.for_type, &mut found);
        fits.then(|| {
            let bounds = self.bounds.iter().filter_map(|(name, of_trait)| {
                Some(Bound {
                    of_trait: of_trait.clone(),
                    for_type: found.bindings.get(name)?.clone(),
                })
            });
            bounds.collect()
        })
    }

    /// Whether the trait of this impl has a type for its argument.
    pub fn takes(&self, given: &Type, same: &dyn Fn(&Path, &Path) -> bool) -> bool {
        // An operator's is the type itself then, and of most other traits it would be.
        let itself = || self.fits(&self.for_type, given, &mut Found::new(same));
        self.has_argument(given, same) || self.arguments().is_none() && itself()
    }

    fn arguments(&self) -> Option<&AngleBracketedGenericArguments> {
        match &self.of_trait.as_ref()?.arguments {
            PathArguments::AngleBracketed(own) => Some(own),
            _ => None,
        }
    }

    /// Whether an argument of the trait is written that may be a type.
    pub fn has_argument(&self, given: &Type, same: &dyn Fn(&Path, &Path) -> bool) -> bool {
        let mut found = Found::new(same);
        let own = self.arguments();
        own.is_some_and(|own| {
            own.args.iter().any(|own| match own {
                GenericArgument::Type(own) => self.fits(own, given, &mut found),
                _ => false,
            })
        })
    }

    /// What holds for the type of this impl if a trait asks for it.
    pub fn also(&self, of_trait: &PathSegment) -> Bound {
        Bound {
            of_trait: of_trait.clone(),
            for_type: self.for_type.clone(),
        }
    }

    /// Whether a method of this impl may be called on a value of a type: on itself, on what it refers to, or on a reference to it. The
    /// arguments of the type do not count: in a message `A<T>` may be any.
    pub fn is_for(&self, given: &Type, same: &dyn Fn(&Path, &Path) -> bool) -> bool {
        let given = bare(given);
        let own = bare(&self.for_type);
        let mut found = Found::new(same);
        self.fits(&own, &given, &mut found)
    }

    fn fits(&self, own: &Type, given: &Type, found: &mut Found) -> bool {
        match (own, given) {
            (Type::Paren(own), given) => self.fits(&own.elem, given, found),
            (Type::Group(own), given) => self.fits(&own.elem, given, found),
            (own, Type::Paren(given)) => self.fits(own, &given.elem, found),
            (_, Type::Infer(_)) => true,
            (Type::Path(own), given) => {
                let first = own.path.segments.first().map(|s| s.ident.to_string());
                let first = first.unwrap_or_default();
                if own.qself.is_some() || self.parameters.contains(&first) {
                    // `T::Item` may be any type too.
                    if own.path.segments.len() == 1 {
                        found.bindings.entry(first).or_insert_with(|| given.clone());
                    }
                    return true;
                }
                let Type::Path(given) = given else {
                    return false;
                };
                // `<T as Trait>::Item`.
                if given.qself.is_some() {
                    return true;
                }
                let ends = (own.path.segments.last(), given.path.segments.last());
                let (Some(own_end), Some(given_end)) = ends else {
                    return false;
                };
                may_be(&given_end.ident, &own_end.ident.to_string())
                    || own_end.ident == given_end.ident
                        && (found.same)(&own.path, &given.path)
                        && self.arguments_fit(&own_end.arguments, &given_end.arguments, found)
            }
            (_, Type::Path(given)) => given.qself.is_some(),
            (Type::Reference(own), Type::Reference(given)) => {
                own.mutability.is_some() == given.mutability.is_some()
                    && self.fits(&own.elem, &given.elem, found)
            }
            (Type::Slice(own), Type::Slice(given)) => self.fits(&own.elem, &given.elem, found),
            (Type::Array(own), Type::Array(given)) => self.fits(&own.elem, &given.elem, found),
            (Type::Ptr(own), Type::Ptr(given)) => self.fits(&own.elem, &given.elem, found),
            (Type::Tuple(own), Type::Tuple(given)) => {
                let mut pairs = own.elems.iter().zip(&given.elems);
                own.elems.len() == given.elems.len()
                    && pairs.all(|(own, given)| self.fits(own, given, found))
            }
            (own, given) => std::mem::discriminant(own) == std::mem::discriminant(given),
        }
    }

    fn arguments_fit(&self, own: &PathArguments, given: &PathArguments, found: &mut Found) -> bool {
        let (PathArguments::AngleBracketed(own), PathArguments::AngleBracketed(given)) =
            (own, given)
        else {
            // Either may leave out what has a default.
            return true;
        };
        let types = |argument: &'_ &GenericArgument| matches!(argument, GenericArgument::Type(_));
        let own = own.args.iter().filter(types);
        own.zip(given.args.iter().filter(types))
            .all(|pair| match pair {
                (GenericArgument::Type(own), GenericArgument::Type(given)) => {
                    self.fits(own, given, found)
                }
                _ => true,
            })
    }
}

/// A type without references to it and without its arguments.
fn bare(of: &Type) -> Type {
    match of {
        Type::Reference(of) => bare(&of.elem),
        Type::Path(of) => {
            let mut of = of.clone();
            for segment in &mut of.path.segments {
                segment.arguments = PathArguments::None;
            }
            Type::Path(of)
        }
        of => of.clone(),
    }
}

/// The traits among bounds.
pub fn traits<'b>(
    bounds: &'b Punctuated<TypeParamBound, Token![+]>,
) -> impl Iterator<Item = PathSegment> + 'b {
    bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().cloned(),
        _ => None,
    })
}

/// Whether a number whose type is open may be of a type.
fn may_be(open: &Ident, name: &str) -> bool {
    let kind = OPEN.iter().find(|(_, known, _)| open == known);
    kind.is_some_and(|(_, _, letters)| is_number(name) && name.starts_with(|c| letters.contains(c)))
}

/// Whether a type is one of those of numbers.
pub fn is_number(name: &str) -> bool {
    let mut letters = name.chars();
    let kind = letters.next().is_some_and(|c| "iuf".contains(c));
    let width = letters.as_str();
    kind && (width == "size" || !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit()))
}

/// The paths in types.
struct Paths<'p> {
    parameters: &'p BTreeSet<String>,
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        match &path.qself {
            None => self.visit_path(&path.path),
            Some(of) => self.visit_type(&of.ty),
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments = path.segments.iter();
        let names: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
        if path.leading_colon.is_none() && !self.parameters.contains(&names[0]) {
            self.found.push(names);
        }
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Header {
        Header::new(&syn::parse_str(text).unwrap())
    }

    #[test]
    fn parameters_fit_anything_and_names_only_themselves() {
        let provides = |text: &str, for_type: &str, of_trait: &str| {
            header(text)
                .provides(&Bound::new(for_type, of_trait).unwrap(), &|_, _| true)
                .is_some()
        };
        assert!(provides("impl Clone for A {}", "crate::m::A", "Clone"));
        assert!(!provides("impl Clone for A {}", "B", "Clone"));
        assert!(!provides("impl Clone for A {}", "A", "Copy"));
        assert!(provides("impl<T> Clone for T {}", "B", "Clone"));
        assert!(provides(
            "impl<T> Clone for A<T, u8> {}",
            "A<'_, B, u8>",
            "Clone"
        ));
        assert!(!provides(
            "impl<T> Clone for A<T, u8> {}",
            "A<B, u16>",
            "Clone"
        ));
        assert!(provides("impl Add<u8> for A {}", "A", "Add<u8>"));
        assert!(!provides("impl Add<u8> for A {}", "A", "Add<u16>"));
        assert!(provides("impl F for f64 {}", "{float}", "F"));
        assert!(provides("impl F for usize {}", "{integer}", "F"));
        assert!(!provides("impl F for u8 {}", "{float}", "F"));
        assert!(!provides("impl F for str {}", "{integer}", "F"));
        assert!(provides(
            "impl F for str {}",
            "{closure@bundle.rs:1:2: 1:4}",
            "F"
        ));
        assert!(provides("impl F for A<u8> {}", "A<<T as I>::Item>", "F"));
        assert!(provides(
            "impl<'a, G: X> G for &'a G {}",
            "&Graph<(), u64>",
            "G"
        ));
        assert!(!provides(
            "impl<'a, G: X> G for &'a G {}",
            "Graph<(), u64>",
            "G"
        ));
        assert!(provides("impl<T> F for [T] {}", "[u32]", "F"));
        assert!(!provides(
            "impl<T, const N: usize> F for [T; N] {}",
            "[u32]",
            "F"
        ));
        assert!(!provides("impl F for (u8, u8) {}", "(u8, u16)", "F"));
    }

    #[test]
    fn what_a_parameter_stands_for_is_to_hold_its_bounds() {
        let wanted = |text: &str, for_type: &str, of_trait: &str| {
            let bound = Bound::new(for_type, of_trait).unwrap();
            let bounds = header(text).provides(&bound, &|_, _| true);
            let written = bounds.unwrap().into_iter().map(|bound| bound.to_string());
            written.collect::<Vec<_>>()
        };
        assert_eq!(
            wanted("impl<T: X + Y> F for A<T> where T: Z {}", "A<u8>", "F"),
            ["u8 : X", "u8 : Y", "u8 : Z"]
        );
        assert_eq!(
            wanted("impl<B: S> F<B> for B {}", "u8", "F<u8>"),
            ["u8 : S"]
        );
        assert!(wanted("impl<T: X, U> F for A<U> {}", "A<u8>", "F").is_empty());
    }

    #[test]
    fn an_operator_takes_its_argument() {
        let takes =
            |text: &str, given: &str| header(text).takes(&named_type(given).unwrap(), &|_, _| true);
        assert!(takes("impl Div<&A> for A {}", "&A"));
        assert!(!takes("impl Div<&A> for A {}", "A"));
        assert!(takes("impl Div for A {}", "A"));
    }

    #[test]
    fn methods_are_called_through_references() {
        let is_for = |text: &str, given: &str| {
            header(text).is_for(&named_type(given).unwrap(), &|_, _| true)
        };
        assert!(is_for("impl<T> A<T> {}", "&mut A<u8>"));
        assert!(is_for("impl<'a, T> F for &'a A<T> {}", "A<u8>"));
        assert!(!is_for("impl<T> A<T> {}", "B<u8>"));
        assert!(is_for("impl<T> F for [T] {}", "&[Block]"));
        assert!(is_for("impl A<u8> {}", "A<T>"));
    }
}
