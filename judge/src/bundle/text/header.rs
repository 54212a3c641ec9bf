//! The headers of impls, and whether one could be what an error misses.

use std::collections::{BTreeMap, BTreeSet};

use quote::{quote, ToTokens};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, Expr, ExprLit, FnArg, GenericArgument, GenericParam, Ident,
    ImplItemFn, ItemImpl, Lit, Path, PathArguments, PathSegment, Stmt, Token, Type, TypeParamBound,
    WherePredicate,
};

use super::aliases::Scope;
use super::tokens;
use crate::bundle::shake::{INNATE, UNSPOKEN};

/// `impl<T: Bound> Trait<A> for Type<T>`: which types it is for, and what it asks of them.
pub struct Header {
    generics: Generics,
    of_trait: Option<PathSegment>,
    pub for_type: Type,
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
    bindings: Bindings,
}

impl<'s> Found<'s> {
    fn new(same: &'s dyn Fn(&Path, &Path) -> bool) -> Self {
        Self {
            same,
            bindings: Bindings::new(),
        }
    }

    /// What a parameter stands for where it is first. Whether it may stand for that.
    fn bind(&mut self, name: String, to: GenericArgument) -> bool {
        match self.bindings.get(&name) {
            Some(known) => !are_different(known, &to),
            None => {
                self.bindings.insert(name, to);
                true
            }
        }
    }
}

impl Bound {
    /// Reads a type and a trait as the compiler writes them in errors.
    pub fn new(for_type: &str, of_trait: &str) -> Option<Self> {
        Self::of(&named_type(for_type)?, &readable(of_trait))
    }

    /// The same for the type that a number has where nothing tells another; nothing if this one is open in no such way.
    pub fn by_default(&self) -> Option<Self> {
        let of = match &self.for_type {
            Type::Path(of) if of.path.is_ident("OpenInteger") => "i32",
            Type::Path(of) if of.path.is_ident("OpenFloat") => "f64",
            _ => return None,
        };
        Some(Self {
            of_trait: self.of_trait.clone(),
            for_type: syn::parse_str(of).ok()?,
        })
    }

    /// A bound of a type that is known.
    pub fn of(for_type: &Type, of_trait: &str) -> Option<Self> {
        let path: Path = syn::parse_str(of_trait).ok()?;
        Some(Self {
            of_trait: path.segments.last()?.clone(),
            for_type: for_type.clone(),
        })
    }

    /// What this one holds by if no impl of the text tells: that of the standard library for all types that others convert to, and those
    /// for what holds several values, if they have what is asked for.
    pub fn outside(&self) -> Vec<Self> {
        let for_type = &self.for_type;
        let given_type = argument(&self.of_trait.arguments, 0);
        // `of: Trait<from>`.
        let conversion = |of: Option<&Type>, of_trait: &str, from: Option<&Type>| {
            let (of, from) = (of?, from?);
            Self::of(of, &format!("{of_trait}<{}>", quote!(#from)))
        };
        // `Result<A, of>: FromResidual<Result<Infallible, from>>`.
        let error = |of: &Type| argument(arguments_of(of)?, 1).cloned();
        let name = self.of_trait.ident.to_string();
        let found = match name.as_str() {
            "Into" => conversion(given_type, "From", Some(for_type)),
            "TryInto" => conversion(given_type, "TryFrom", Some(for_type)),
            "TryFrom" => conversion(Some(for_type), "From", given_type),
            "ToString" => Self::of(for_type, "Display"),
            "IntoIterator" => Self::of(for_type, "Iterator"),
            "BuildHasher"
                if path_end(for_type).is_some_and(|of| of.ident == "BuildHasherDefault") =>
            {
                let mut found = self.of_held("Hasher");
                found.extend(self.of_held("Default"));
                return found;
            }
            "From" if is_boxed_error(for_type) => {
                given_type.and_then(|from| Self::of(from, "Error"))
            }
            "FromResidual" => {
                let from = given_type.and_then(error);
                conversion(error(for_type).as_ref(), "From", from.as_ref())
            }
            "DoubleEndedIterator" => {
                let mut found = self.of_held(&name);
                // From behind these count how many there are.
                if path_end(for_type).is_some_and(|of| COUNTING.iter().any(|name| of.ident == name))
                {
                    found.extend(self.of_held("ExactSizeIterator"));
                }
                return found;
            }
            _ if HELD.contains(&name.as_str()) => return self.of_held(&name),
            _ => None,
        };
        found.into_iter().collect()
    }

    /// A trait for the types of what a value holds.
    fn of_held(&self, of_trait: &str) -> Vec<Self> {
        let held: Vec<&Type> = match &self.for_type {
            Type::Reference(of) => vec![&of.elem],
            Type::Slice(of) => vec![&of.elem],
            Type::Array(of) => vec![&of.elem],
            Type::Tuple(of) => of.elems.iter().collect(),
            of if asks_nothing(of, of_trait) => Vec::new(),
            of => {
                let given = arguments_of(of).into_iter().flat_map(given);
                let types = given.filter_map(|given| match given {
                    GenericArgument::Type(of) => Some(of),
                    _ => None,
                });
                types.collect()
            }
        };
        let bound = |of| Self::of(of, of_trait);
        held.into_iter().filter_map(bound).collect()
    }

    /// The bound for what parameters stand for, if that is known of its type. Arguments of the trait may be any where it is not, but for
    /// those of operators, which have many; and what an associated type is to be need not be known.
    fn with(&self, parameters: &[String], bindings: &Bindings) -> Option<Self> {
        let new = || Parameters {
            parameters,
            bindings,
            unknown: false,
        };
        let known = |of: &Type| {
            let (mut put_in, mut of) = (new(), of.clone());
            put_in.visit_type_mut(&mut of);
            (!put_in.unknown).then_some(of)
        };
        let mut bound = self.clone();
        if let PathArguments::AngleBracketed(of) = &mut bound.of_trait.arguments {
            let put_in = |mut argument: GenericArgument| {
                match &mut argument {
                    GenericArgument::AssocType(of) => of.ty = known(&of.ty)?,
                    GenericArgument::Type(_) => {
                        let mut put_in = new();
                        put_in.visit_generic_argument_mut(&mut argument);
                        if put_in.unknown {
                            argument = GenericArgument::Type(syn::parse_quote!(_));
                        }
                    }
                    _ => {}
                }
                Some(argument)
            };
            of.args = of.args.iter().cloned().filter_map(put_in).collect();
            let is_any = |of: &GenericArgument| matches!(of, GenericArgument::Type(Type::Infer(_)));
            if UNSPOKEN.iter().any(|name| bound.of_trait.ident == name)
                && of.args.iter().any(is_any)
            {
                return None;
            }
        }
        bound.for_type = known(&bound.for_type)?;
        Some(bound)
    }

    /// Whether the type is open, so that any impl of the trait would do.
    pub fn is_open(&self) -> bool {
        match &self.for_type {
            Type::Path(of) => of.qself.is_some(),
            of => matches!(of, Type::Infer(_)),
        }
    }

    /// Whether the trait has an argument that is not known, or stands for another type: `<A as B>::C`.
    pub fn has_open_argument(&self) -> bool {
        let PathArguments::AngleBracketed(arguments) = &self.of_trait.arguments else {
            return false;
        };
        arguments.args.iter().any(|argument| match argument {
            GenericArgument::Type(Type::Path(of)) => of.qself.is_some(),
            GenericArgument::Type(of) => matches!(of, Type::Infer(_)),
            _ => false,
        })
    }

    /// Whether an argument of the trait is a type that has arguments itself: `Trait<Type<T>>`.
    pub fn has_argument_with_arguments(&self) -> bool {
        given(&self.of_trait.arguments).any(|argument| match argument {
            GenericArgument::Type(of) => arguments_of(of).is_some_and(|of| !of.is_none()),
            _ => false,
        })
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

/// Traits that the standard library implements for what holds values of types that do.
const HELD: [&str; 11] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "ExactSizeIterator",
    "Hash",
    "Iterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// Iterators over others.
const COUNTING: [&str; 4] = ["Enumerate", "Skip", "Take", "Zip"];

/// Whether there is more among the arguments of a trait than what its associated types are.
fn has_types(arguments: &PathArguments) -> bool {
    match arguments {
        PathArguments::None => false,
        PathArguments::AngleBracketed(of) => {
            let mut args = of.args.iter();
            args.any(|of| matches!(of, GenericArgument::Type(_) | GenericArgument::Const(_)))
        }
        PathArguments::Parenthesized(_) => true,
    }
}

/// What parameters stand for: types, or constants.
type Bindings = BTreeMap<String, GenericArgument>;

/// What `Self` stands for.
fn itself(of: &Type) -> Bindings {
    Bindings::from([("Self".to_owned(), GenericArgument::Type(of.clone()))])
}

/// Puts in what parameters stand for.
pub struct Parameters<'p> {
    pub parameters: &'p [String],
    pub bindings: &'p Bindings,
    /// There is one of which that is not known.
    pub unknown: bool,
}

impl VisitMut for Parameters<'_> {
    fn visit_generic_argument_mut(&mut self, given: &mut GenericArgument) {
        let alone = match given {
            GenericArgument::Type(Type::Path(of)) => of.path.get_ident(),
            _ => None,
        };
        match alone.and_then(|name| self.bindings.get(&name.to_string())) {
            Some(bound @ GenericArgument::Const(_)) => *given = bound.clone(),
            _ => visit_mut::visit_generic_argument_mut(self, given),
        }
    }

    fn visit_type_mut(&mut self, of: &mut Type) {
        let Type::Path(path) = of else {
            return visit_mut::visit_type_mut(self, of);
        };
        let first = path.path.segments.first().map(|s| s.ident.to_string());
        let is_parameter = |name: &String| name == "Self" || self.parameters.contains(name);
        let name = first.filter(|name| path.qself.is_none() && is_parameter(name));
        let Some(name) = name else {
            return visit_mut::visit_type_mut(self, of);
        };
        match self.bindings.get(&name) {
            Some(GenericArgument::Type(bound)) if path.path.segments.len() == 1 => {
                *of = bound.clone();
            }
            // `T::Item` may be any type.
            _ => self.unknown = true,
        }
    }
}

/// What must hold for a pointer to become one to an object: `Box<A>` a `Box<dyn Trait>`.
pub fn made_object(of: &Type, object: &Type) -> Vec<Bound> {
    match (of, object) {
        (of, Type::TraitObject(object)) => {
            let traits = object.bounds.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(of_trait) => of_trait.path.segments.last().cloned(),
                _ => None,
            });
            let bound = |of_trait| Bound {
                of_trait,
                for_type: of.clone(),
            };
            traits.map(bound).collect()
        }
        (Type::Reference(of), Type::Reference(object)) => made_object(&of.elem, &object.elem),
        (Type::Ptr(of), Type::Ptr(object)) => made_object(&of.elem, &object.elem),
        (Type::Paren(of), object) => made_object(&of.elem, object),
        (of, Type::Paren(object)) => made_object(of, &object.elem),
        (of, object) => {
            let (of, object) = (arguments_of(of), arguments_of(object));
            let pairs = of
                .zip(object)
                .into_iter()
                .flat_map(|(of, object)| given(of).zip(given(object)));
            let bounds = pairs.map(|pair| match pair {
                (GenericArgument::Type(of), GenericArgument::Type(object)) => {
                    made_object(of, object)
                }
                _ => Vec::new(),
            });
            bounds.flatten().collect()
        }
    }
}

/// What a function or a type asks of its arguments.
pub struct Generics {
    parameters: Vec<String>,
    bounds: Vec<Bound>,
}

impl Generics {
    pub fn new(generics: &syn::Generics, aliases: Scope) -> Self {
        let parameters: Vec<String> = parameters(generics).collect();
        Self {
            bounds: bounds(generics, aliases.with(&parameters)),
            parameters,
        }
    }

    /// Those of a function, which is read up to its body.
    pub fn of_function(function: &str, aliases: Scope) -> Option<Self> {
        let head = function.split('{').next()?;
        let head = head.trim_end().trim_end_matches(';');
        let mut function: ImplItemFn = syn::parse_str(&format!("{head} {{}}")).ok()?;
        // `of: impl Trait` is one more parameter, without a name.
        let unnamed = function.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(input) => match &*input.ty {
                Type::ImplTrait(of) => Some(of.bounds.clone()),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        });
        for (at, bounds) in unnamed.enumerate() {
            let name = quote::format_ident!("Unnamed{at}");
            function
                .sig
                .generics
                .params
                .push(syn::parse_quote!(#name: #bounds));
        }
        Some(Self::new(&function.sig.generics, aliases))
    }

    /// Whether any arguments would do.
    pub fn is_free(&self) -> bool {
        self.bounds.is_empty()
    }

    /// What must hold where it gets these arguments, and is called on such a type.
    pub fn asks(&self, on: Option<&Type>, arguments: &PathArguments) -> Vec<Bound> {
        let mut bindings = bindings(&self.parameters, arguments);
        bindings.extend(on.into_iter().flat_map(itself));
        self.asked(&bindings)
    }

    /// What must hold where the parameters stand for these.
    fn asked(&self, bindings: &Bindings) -> Vec<Bound> {
        let bounds = self.bounds.iter();
        bounds
            .filter_map(|bound| bound.with(&self.parameters, bindings))
            .collect()
    }
}

/// What parameters stand for.
pub fn bindings(parameters: &[String], arguments: &PathArguments) -> Bindings {
    let pairs = parameters.iter().cloned().zip(given(arguments).cloned());
    let is_value = |given: &GenericArgument| {
        matches!(given, GenericArgument::Type(_) | GenericArgument::Const(_))
    };
    pairs.filter(|(_, given)| is_value(given)).collect()
}

/// What types and constants are called that something takes.
pub fn parameters(generics: &syn::Generics) -> impl Iterator<Item = String> + '_ {
    let parameters = generics.params.iter();
    parameters.filter_map(|parameter| match parameter {
        GenericParam::Type(of) => Some(of.ident.to_string()),
        GenericParam::Const(of) => Some(of.ident.to_string()),
        GenericParam::Lifetime(_) => None,
    })
}

/// The last name on the path of a type, with its arguments.
fn path_end(of: &Type) -> Option<&PathSegment> {
    match of {
        Type::Path(of) => of.path.segments.last(),
        _ => None,
    }
}

/// Whether a type is `Box<dyn Error>`, with more or without: all errors convert to it.
fn is_boxed_error(of: &Type) -> bool {
    let inside = path_end(of).filter(|end| end.ident == "Box");
    let Some(Type::TraitObject(object)) = inside.and_then(|end| argument(&end.arguments, 0)) else {
        return false;
    };
    let mut traits = object.bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(of) => of.path.segments.last(),
        _ => None,
    });
    traits.any(|of| of.ident == "Error")
}

/// The arguments of a type that has a name.
pub fn arguments_of(of: &Type) -> Option<&PathArguments> {
    Some(&path_end(of)?.arguments)
}

/// The argument at a place, if it is a type; lifetimes do not count.
pub fn argument(arguments: &PathArguments, at: usize) -> Option<&Type> {
    match given(arguments).nth(at)? {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    }
}

/// The arguments that are no lifetimes.
pub fn given(arguments: &PathArguments) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    };
    let arguments = arguments.into_iter().flatten();
    arguments.filter(|given| !matches!(given, GenericArgument::Lifetime(_)))
}

/// What generics ask for.
fn bounds(generics: &syn::Generics, aliases: Scope) -> Vec<Bound> {
    let mut found = Vec::new();
    for parameter in generics.type_params() {
        let name = &parameter.ident;
        let for_type: Type = syn::parse_quote!(#name);
        let bound = |of_trait| Bound {
            of_trait,
            for_type: for_type.clone(),
        };
        found.extend(traits(&parameter.bounds, aliases).map(bound));
    }
    for predicate in generics.where_clause.iter().flat_map(|w| &w.predicates) {
        if let WherePredicate::Type(of) = predicate {
            let mut for_type = of.bounded_ty.clone();
            aliases.in_type(&mut for_type);
            let bound = |of_trait| Bound {
                of_trait,
                for_type: for_type.clone(),
            };
            found.extend(traits(&of.bounds, aliases).map(bound));
        }
    }
    found
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

/// What is in braces or left out has no name that Rust could read: `_` may be anything. What a constant without a name has in it is in `_`.
pub fn readable(text: &str) -> String {
    let mut text = text.replace("...", "_").replace("::_::", "::");
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
                if !is_behind_type(&out) {
                    out.push('_');
                }
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Behind the type of a function stands which it is.
fn is_behind_type(text: &str) -> bool {
    let Some(before) = text.strip_suffix(' ') else {
        return false;
    };
    let is_type = before.ends_with(|c: char| c.is_alphanumeric() || "_>)]".contains(c));
    is_type
        && !["mut", "const", "dyn", "->"]
            .iter()
            .any(|end| before.ends_with(end))
}

impl Header {
    pub fn new(block: &ItemImpl, aliases: Scope) -> Self {
        let generics = Generics::new(&block.generics, aliases);
        let aliases = aliases.with(&generics.parameters);
        let path = block.trait_.as_ref().map(|(path, _)| path);
        let mut found = Paths {
            parameters: &generics.parameters,
            found: Vec::new(),
        };
        path.into_iter().for_each(|path| found.visit_path(path));
        found.visit_type(&block.self_ty);
        let paths = found.found;
        let mut of_trait = path.and_then(|path| path.segments.last()).cloned();
        let mut for_type = (*block.self_ty).clone();
        aliases.in_type(&mut for_type);
        of_trait.iter_mut().for_each(|of| aliases.in_arguments(of));
        // `impl Add<&Self> for A` is one for `A + &A`.
        let mut put_in = Parameters {
            parameters: &[],
            bindings: &itself(&for_type),
            unknown: false,
        };
        let of = of_trait.iter_mut();
        of.for_each(|of| put_in.visit_path_segment_mut(of));
        Self {
            generics,
            paths,
            of_trait,
            for_type,
        }
    }

    /// Whether it is `impl<T> Trait for T`, for any type that has what it asks for.
    pub fn is_for_any(&self) -> bool {
        self.is_parameter(&self.for_type)
    }

    fn is_parameter(&self, of: &Type) -> bool {
        let Type::Path(of) = of else { return false };
        let name = of.path.get_ident().map(ToString::to_string);
        name.is_some_and(|name| self.generics.parameters.contains(&name))
    }

    /// The last name of its trait, if it is one of a trait.
    pub fn trait_name(&self) -> Option<String> {
        self.of_trait.as_ref().map(|of| of.ident.to_string())
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
            && self.fits(&self.for_type, &bound.for_type, &mut found)
            && match (&of_trait.arguments, &bound.of_trait.arguments) {
                // What is left out is the type itself, of operators and of most others.
                (PathArguments::AngleBracketed(own), given) if !has_types(given) => {
                    let mut own = own.args.iter();
                    own.all(|own| match own {
                        GenericArgument::Type(own) => self.fits(own, &bound.for_type, &mut found),
                        _ => true,
                    })
                }
                (PathArguments::None, PathArguments::AngleBracketed(given)) => {
                    let mut given = given.args.iter();
                    given.all(|given| match given {
                        GenericArgument::Type(given) => {
                            self.fits(&self.for_type, given, &mut found)
                        }
                        _ => true,
                    })
                }
                (own, given) => self.arguments_fit(own, given, &mut found),
            };
        fits.then(|| self.generics.asked(&found.bindings))
    }

    /// What else must hold for a method of this impl to be called on a type.
    pub fn asks(&self, for_type: &Type, same: &dyn Fn(&Path, &Path) -> bool) -> Option<Vec<Bound>> {
        let mut found = Found::new(same);
        let fits = self.fits(&self.for_type, for_type, &mut found);
        fits.then(|| self.generics.asked(&found.bindings))
    }

    /// The traits that it asks of its parameters.
    pub fn asked_traits(&self) -> impl Iterator<Item = String> + '_ {
        let bounds = self.generics.bounds.iter();
        bounds.map(|bound| bound.of_trait.ident.to_string())
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

    /// Whether an argument of the trait may be any type.
    pub fn has_any_argument(&self) -> bool {
        let mut own = self.arguments().into_iter().flat_map(|own| &own.args);
        own.any(|own| matches!(own, GenericArgument::Type(own) if self.is_parameter(own)))
    }

    /// Another trait with the arguments that the one of this impl has.
    pub fn with_arguments(&self, name: &str) -> PathSegment {
        let of_trait = self.of_trait.as_ref();
        PathSegment {
            ident: tokens::named(name, proc_macro2::Span::call_site()),
            arguments: of_trait.map_or(PathArguments::None, |of| of.arguments.clone()),
        }
    }

    /// What holds for the type of this impl if its trait, which has these parameters, asks for it.
    pub fn also(&self, of_trait: &PathSegment, parameters: &[String]) -> Bound {
        self.asked_of(&self.for_type, of_trait, parameters)
    }

    /// What holds for a type by which this impl tells what an associated one of its trait is.
    pub fn asked_of(
        &self,
        for_type: &Type,
        of_trait: &PathSegment,
        parameters: &[String],
    ) -> Bound {
        let bound = |for_type: &Type| Bound {
            of_trait: of_trait.clone(),
            for_type: for_type.clone(),
        };
        let mut known = itself(&self.for_type);
        // What is called like a parameter of the trait is another in the type.
        let written = bound(for_type);
        let for_type = written.with(&[], &known).unwrap_or(written).for_type;
        let own = self.of_trait.iter();
        known.extend(own.flat_map(|of| bindings(parameters, &of.arguments)));
        let asked = bound(&syn::parse_quote!(Self));
        let asked = asked.with(parameters, &known).unwrap_or(asked);
        Bound { for_type, ..asked }
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
            // What a macro makes may be any type.
            (Type::Macro(_), _) | (_, Type::Infer(_)) => true,
            (Type::Path(own), given) => {
                let first = own.path.segments.first().map(|s| s.ident.to_string());
                let first = first.unwrap_or_default();
                if own.qself.is_some() || self.generics.parameters.contains(&first) {
                    // `T::Item` may be any type too.
                    let is_itself = own.path.segments.len() == 1 && own.qself.is_none();
                    return !is_itself || found.bind(first, GenericArgument::Type(given.clone()));
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
            (Type::Array(own), Type::Array(given)) => {
                is_same_length(&own.len, &given.len) && self.fits(&own.elem, &given.elem, found)
            }
            (Type::Ptr(own), Type::Ptr(given)) => self.fits(&own.elem, &given.elem, found),
            (Type::Tuple(own), Type::Tuple(given)) => {
                let mut pairs = own.elems.iter().zip(&given.elems);
                own.elems.len() == given.elems.len()
                    && pairs.all(|(own, given)| self.fits(own, given, found))
            }
            // One of their traits may be called otherwise there.
            (Type::TraitObject(own), Type::TraitObject(given)) => promised(own) == promised(given),
            (own, given) => std::mem::discriminant(own) == std::mem::discriminant(given),
        }
    }

    fn arguments_fit(
        &self,
        own: &PathArguments,
        others: &PathArguments,
        found: &mut Found,
    ) -> bool {
        // Either may leave out what has a default.
        let (own, others) = (given(own), given(others));
        own.zip(others).all(|pair| match pair {
            (GenericArgument::Type(own), GenericArgument::Type(given)) => {
                self.fits(own, given, found)
            }
            (GenericArgument::Type(Type::Path(own)), GenericArgument::Const(_)) => {
                let name = own.path.get_ident();
                name.map_or(true, |name| found.bind(name.to_string(), pair.1.clone()))
            }
            (GenericArgument::Const(own), GenericArgument::Const(given)) => {
                !is_in_braces(given) && is_same_length(own, given)
            }
            // A parameter, with braces or without, may be any number: none of them does. The compiler writes constants as what they are.
            (GenericArgument::Const(_), GenericArgument::Type(given)) => match given {
                Type::Path(given) => {
                    let last = given.path.segments.last();
                    given.path.get_ident().is_none()
                        && last.is_some_and(|last| last.arguments.is_none())
                }
                Type::Infer(_) | Type::Macro(_) => true,
                _ => false,
            },
            _ => true,
        })
    }
}

/// What an object promises besides its trait.
fn promised(of: &syn::TypeTraitObject) -> BTreeSet<String> {
    let names = of.bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(of) => Some(of.path.segments.last()?.ident.to_string()),
        _ => None,
    });
    names
        .filter(|name| INNATE.contains(&name.as_str()))
        .collect()
}

/// Whether a type of the standard library has a trait whatever it is of: it leads to a value and does not look at it.
fn asks_nothing(of: &Type, of_trait: &str) -> bool {
    path_end(of).is_some_and(|of| match of.ident.to_string().as_str() {
        "NonNull" | "PhantomData" => true,
        "Arc" | "Rc" => of_trait == "Clone",
        "Weak" => of_trait == "Clone" || of_trait == "Debug",
        _ => false,
    })
}

/// Whether two arguments of one bound cannot be the same: two types that the language has, or one that is a part of the other.
fn are_different(one: &GenericArgument, other: &GenericArgument) -> bool {
    let (GenericArgument::Type(one), GenericArgument::Type(other)) = (one, other) else {
        return false;
    };
    let primitive = |of: &Type| match of {
        Type::Path(of) => of.path.get_ident().map(Ident::to_string),
        _ => None,
    };
    let primitive = |of: &Type| primitive(of).filter(|name| is_primitive(name));
    if let (Some(one), Some(other)) = (primitive(one), primitive(other)) {
        return one != other;
    }
    is_part(one, other) || is_part(other, one)
}

/// Whether a type, of which all is known, is written inside another.
fn is_part(part: &Type, whole: &Type) -> bool {
    struct Parts<'t> {
        part: &'t str,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Parts<'_> {
        fn visit_type(&mut self, of: &'ast Type) {
            // `<A as Iterator>::Item` may be `A`.
            if matches!(of, Type::Path(of) if of.qself.is_some()) {
                return;
            }
            self.found |= of.to_token_stream().to_string() == self.part;
            visit::visit_type(self, of);
        }
    }

    let text = part.to_token_stream().to_string();
    let is_known = text.chars().all(|c| c.is_alphanumeric() || c == '_') && text != "_";
    let mut parts = Parts {
        part: &text,
        found: false,
    };
    if is_known && text != whole.to_token_stream().to_string() {
        parts.visit_type(whole);
    }
    parts.found
}

/// Whether two lengths may be the same.
fn is_same_length(own: &Expr, given: &Expr) -> bool {
    !matches!((length(own), length(given)), (Some(own), Some(given)) if own != given)
}

/// Whether a number is written as `{ N }`.
fn is_in_braces(of: &Expr) -> bool {
    let Expr::Block(of) = of else {
        return false;
    };
    let is_name = |only: &Expr| matches!(only, Expr::Path(only) if only.path.get_ident().is_some());
    matches!(&of.block.stmts[..], [Stmt::Expr(only, None)] if is_name(only))
}

/// A length that is written in digits.
fn length(of: &Expr) -> Option<u64> {
    match of {
        Expr::Lit(ExprLit {
            lit: Lit::Int(digits),
            ..
        }) => digits.base10_parse().ok(),
        _ => None,
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
    aliases: Scope<'b>,
) -> impl Iterator<Item = PathSegment> + 'b {
    bounds.iter().filter_map(move |bound| match bound {
        TypeParamBound::Trait(bound) => {
            let mut of_trait = bound.path.segments.last()?.clone();
            aliases.in_arguments(&mut of_trait);
            Some(of_trait)
        }
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
    kind && ["8", "16", "32", "64", "128", "size"].contains(&letters.as_str())
}

/// Whether a type has its name everywhere.
pub fn is_primitive(name: &str) -> bool {
    is_number(name) || ["bool", "char", "str"].contains(&name)
}

/// The paths in types.
struct Paths<'p> {
    parameters: &'p [String],
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
    use crate::bundle::text::aliases::Aliases;

    fn header(text: &str) -> Header {
        Header::new(
            &syn::parse_str(text).unwrap(),
            Aliases::default().within(None),
        )
    }

    /// Whether an impl may make a bound hold.
    fn provides(text: &str, for_type: &str, of_trait: &str) -> bool {
        let bound = Bound::new(for_type, of_trait).unwrap();
        header(text).provides(&bound, &|_, _| true).is_some()
    }

    #[test]
    fn a_renamed_type_is_called_as_in_messages() {
        let file = "use std::mem::{MaybeUninit as M, Drop as D}; mod a { use x::Y as D; }";
        let aliases = Aliases::new(&syn::parse_file(file).unwrap().items);
        let aliases = aliases.within(None);
        let provides = |text: &str, for_type: &str| {
            Header::new(&syn::parse_str(text).unwrap(), aliases)
                .provides(&Bound::new(for_type, "T").unwrap(), &|_, _| true)
                .is_some()
        };
        assert!(provides("impl T for M<u8> {}", "std::mem::MaybeUninit<u8>"));
        // There are two so called.
        assert!(!provides("impl T for D {}", "x::Y"));
        assert!(!provides("impl T for b::M<u8> {}", "MaybeUninit<u8>"));
    }

    #[test]
    fn what_an_associated_type_is_to_be_is_no_argument() {
        let bound = Bound::new("u64", "Mul<Output = u64>").unwrap();
        let provides = |text: &str| header(text).provides(&bound, &|_, _| true).is_some();
        assert!(provides("impl Mul for u64 {}") && provides("impl Mul<u64> for u64 {}"));
        assert!(provides("impl<T> Mul<T> for u64 {}"));
        assert!(!provides("impl<'a> Mul<&'a Big> for u64 {}"));
    }

    #[test]
    fn an_alias_is_that_of_its_crate() {
        let file = "mod a { pub type U2 = Const<2>; pub type V<T> = M<T, U2>; }
            mod b { pub type U2 = Bits<u8>; pub type T = u8; } type W = i8; mod c { struct W; }";
        let aliases = Aliases::new(&syn::parse_file(file).unwrap().items);
        let provides = |inside: Option<&str>, text: &str, for_type: &str| {
            Header::new(&syn::parse_str(text).unwrap(), aliases.within(inside))
                .provides(&Bound::new(for_type, "F").unwrap(), &|_, _| true)
                .is_some()
        };
        for inside in [None, Some("a"), Some("b")] {
            let text = "impl F for V<i8> {}";
            assert!(provides(inside, text, "M<i8, Const<2>>"));
            assert!(!provides(inside, text, "M<i8, Const<3>>"));
            assert!(!provides(inside, text, "M<i8, Bits<u8>>"));
        }
        assert!(provides(Some("a"), "impl F for U2 {}", "Const<2>"));
        assert!(provides(Some("b"), "impl F for U2 {}", "Bits<u8>"));
        assert!(provides(Some("a"), "impl F for b::U2 {}", "Bits<u8>"));
        // There are two, and neither is nearer.
        assert!(!provides(None, "impl F for U2 {}", "Const<2>"));
        assert!(provides(None, "impl F for W {}", "i8"));
        assert!(!provides(Some("c"), "impl F for W {}", "i8"));
        // Objects that promise something are others than those that do not.
        let text = "impl F for Box<dyn A + Send + 'a> {}";
        assert!(provides(None, text, "Box<dyn b::A + Send>"));
        assert!(!provides(None, text, "Box<dyn A>"));
        // A parameter is none, whatever is so called.
        assert!(provides(None, "impl<T> F for M<T> {}", "M<i8>"));
        // The standard library has aliases, too.
        let text = "impl F for core::num::NonZeroU8 {}";
        assert!(provides(None, text, "NonZero<u8>") && !provides(None, text, "NonZero<i8>"));
        let text = "impl<C: D> F for M<C::U2> {}";
        assert!(provides(Some("a"), text, "M<i8>"));
    }

    #[test]
    fn a_constant_stands_for_a_parameter() {
        let file = "type Square<T, const N: usize> = Matrix<T, Const<N>, Const<N>>;";
        let aliases = Aliases::new(&syn::parse_file(file).unwrap().items);
        let provides = |text: &str, for_type: &str| {
            let block = syn::parse_str(text).unwrap();
            let header = Header::new(&block, aliases.within(None));
            let bounds = header.provides(&Bound::new(for_type, "F").unwrap(), &|_, _| true);
            bounds.map(|bounds| bounds.iter().map(Bound::to_string).collect::<Vec<_>>())
        };
        let text = "impl F for Square<u8, 2> {}";
        assert!(provides(text, "Matrix<u8, Const<2>, Const<2>>").is_some());
        assert!(provides(text, "Matrix<u8, Const<2>, Const<3>>").is_none());
        assert!(provides(text, "Matrix<u8, Const<_>, Const<2>>").is_some());
        assert!(provides(text, "Matrix<u8, Const<N>, Const<N>>").is_none());
        assert!(provides(text, "Matrix<u8, Const<{ N }>, Const<N>>").is_none());
        // A type is no number.
        for given in ["[u8; 4]", "(A, B)", "Vec<A>", "&A"] {
            let given = format!("Matrix<u8, Const<{given}>, Const<2>>");
            assert!(provides(text, &given).is_none(), "{given}");
        }
        assert!(provides(text, "Matrix<u8, Const<A::B>, Const<2>>").is_some());
        let text = "impl<T, const N: usize> F for A<N, T> where Const<N>: X, T: Y {}";
        assert_eq!(
            provides(text, "A<4, u8>").unwrap(),
            ["Const < 4 > : X", "u8 : Y"]
        );
    }

    #[test]
    fn parameters_fit_anything_and_names_only_themselves() {
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
        assert!(provides("impl Add<&Self> for A {}", "A", "Add<&A>"));
        assert!(!provides("impl Add<&Self> for A {}", "A", "Add<&B>"));
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
        assert!(provides("impl F for (u8, m!(a)) {}", "(u8, u16)", "F"));
        assert!(!provides("impl F for (u8, m!(a)) {}", "(u8,)", "F"));
    }

    #[test]
    fn a_parameter_stands_for_one_type() {
        let number = "impl<T> Mul<T> for M<T> {}";
        for (for_type, of_trait, is_so) in [
            ("M<u8>", "Mul<u8>", true),
            ("M<u8>", "Mul<u16>", false),
            // It is multiplied by itself.
            ("M<u8>", "Mul", false),
            ("M<A>", "Mul<M<A>>", false),
            ("M<A>", "Mul<&A>", false),
            // These may be the same, or become it.
            ("M<A>", "Mul<B>", true),
            ("M<_>", "Mul<M<_>>", true),
            ("M<{integer}>", "Mul<u8>", true),
            ("M<<A as I>::B>", "Mul<A>", true),
        ] {
            assert_eq!(
                provides(number, for_type, of_trait),
                is_so,
                "{for_type}: {of_trait}"
            );
        }
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
        assert_eq!(
            wanted("impl<T: X<U, Y = V>, U, V> F<U> for T {}", "A", "F<&B>"),
            ["A : X < & B >"]
        );
        assert!(wanted("impl<T: X, U> F for A<U> {}", "A<u8>", "F").is_empty());
        // Any `Y<…>` would do.
        assert_eq!(
            wanted("impl<T: X<T::Item> + Y<U>, U> F for A<T> {}", "A<u8>", "F"),
            ["u8 : X < _ >", "u8 : Y < _ >"]
        );
        assert!(wanted("impl<T: Add<T::Item>> F for A<T> {}", "A<u8>", "F").is_empty());
    }

    #[test]
    fn errors_convert_to_boxes() {
        let outside = |of: &str, from: &str| {
            let of_trait = format!("FromResidual<Result<Infallible, {from}>>");
            let bound = Bound::new(&format!("Result<(), {of}>"), &of_trait).unwrap();
            let next = bound
                .outside()
                .into_iter()
                .flat_map(|bound| bound.outside());
            let next: Vec<String> = next.map(|bound| bound.to_string()).collect();
            next.join(", ")
        };
        assert_eq!(
            outside("Box<dyn std::error::Error + Send>", "A"),
            "A : Error"
        );
        assert_eq!(outside("Box<dyn Display>", "A"), "");
        assert_eq!(outside("B", "A"), "");
    }

    #[test]
    fn what_leads_to_a_value_asks_nothing_of_it() {
        let outside = |of: &str, of_trait: &str| {
            let found = Bound::new(of, of_trait).unwrap().outside();
            found.iter().map(Bound::to_string).collect::<Vec<_>>()
        };
        assert_eq!(outside("Vec<A>", "Hash"), ["A : Hash"]);
        assert_eq!(outside("Rc<A>", "Hash"), ["A : Hash"]);
        for (of, of_trait) in [
            ("NonNull<A>", "Hash"),
            ("PhantomData<A>", "Default"),
            ("Rc<A>", "Clone"),
            ("Weak<A>", "Debug"),
        ] {
            assert!(outside(of, of_trait).is_empty(), "{of}: {of_trait}");
        }
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
