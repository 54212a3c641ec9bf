//! The Rust that a file needs, where not all judges' compilers know what it has: some are years old.
//!
//! What of the language is new shows in the file. Of the standard library there is no more to see than names: those count that it had not
//! before, where the file itself has nothing so called.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, GenericArgument, GenericParam, Pat, PathArguments, Stmt, UseTree};

use super::constants::{self, Floats};
use super::heaps::Unordered;
use super::typed;
use crate::bundle::editions::capturing;
use crate::bundle::editions::newer;
use crate::bundle::shake::follow::STANDARD;
use crate::bundle::shake::made;
use crate::bundle::text::header;
use crate::bundle::text::index::Index;
use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// Behind what is new where the compiler calculates.
pub const IN_CONSTANT: &str = " in a constant";

/// The functions of types that came after 1.78, the oldest compiler that files are made for, by the version in which they came (from the
/// pages of `std`). Of two with one name the older counts.
const FUNCTIONS: [(u32, &[&str]); 16] = [
    (
        79,
        &[
            "count_bytes",
            "split_at_mut_unchecked",
            "split_at_unchecked",
            "unchecked_add",
            "unchecked_mul",
            "unchecked_sub",
            "utf8_chunks",
        ],
    ),
    (
        80,
        &[
            "as_flattened",
            "as_flattened_mut",
            "div_duration_f32",
            "div_duration_f64",
            "into_flattened",
            "seek_relative",
            "split_at_checked",
            "split_at_mut_checked",
            "take_if",
            "trim_ascii",
            "trim_ascii_end",
            "trim_ascii_start",
        ],
    ),
    (81, &["fetch_not"]),
    (
        82,
        &[
            "is_none_or",
            "is_sorted",
            "is_sorted_by",
            "is_sorted_by_key",
            "new_uninit",
            "new_uninit_slice",
        ],
    ),
    (
        83,
        &[
            "break_value",
            "continue_value",
            "get_or_insert_default",
            "insert_entry",
            "map_break",
            "map_continue",
            "skip_until",
        ],
    ),
    (
        84,
        &[
            "addr",
            "checked_isqrt",
            "expose_provenance",
            "is_unique_local",
            "isqrt",
            "map_addr",
            "with_addr",
        ],
    ),
    (85, &["midpoint"]),
    (
        86,
        &[
            "get_disjoint_mut",
            "get_disjoint_unchecked_mut",
            "next_down",
            "next_up",
            "pop_if",
        ],
    ),
    (
        87,
        &[
            "byte_offset_from_unsigned",
            "cast_signed",
            "cast_unsigned",
            "extract_if",
            "is_multiple_of",
            "offset_from_unsigned",
            "split_off_first",
            "split_off_first_mut",
            "split_off_last",
            "split_off_last_mut",
            "unbounded_shl",
            "unbounded_shr",
        ],
    ),
    (
        88,
        &[
            "as_chunks",
            "as_chunks_mut",
            "as_chunks_unchecked",
            "as_chunks_unchecked_mut",
            "as_rchunks",
            "as_rchunks_mut",
        ],
    ),
    (
        90,
        &[
            "checked_sub_signed",
            "overflowing_sub_signed",
            "saturating_sub_signed",
            "wrapping_sub_signed",
        ],
    ),
    (
        91,
        &[
            "add_extension",
            "as_array_of_cells",
            "borrowing_sub",
            "carrying_add",
            "carrying_mul",
            "carrying_mul_add",
            "ceil_char_boundary",
            "checked_signed_diff",
            "file_prefix",
            "floor_char_boundary",
            "from_octets",
            "payload_as_str",
            "strict_abs",
            "strict_add",
            "strict_add_signed",
            "strict_add_unsigned",
            "strict_div",
            "strict_div_euclid",
            "strict_mul",
            "strict_neg",
            "strict_pow",
            "strict_rem",
            "strict_rem_euclid",
            "strict_shl",
            "strict_shr",
            "strict_sub",
            "strict_sub_signed",
            "strict_sub_unsigned",
        ],
    ),
    (92, &["new_zeroed", "new_zeroed_slice"]),
    (
        93,
        &[
            "as_array",
            "as_mut_array",
            "from_nanos_u128",
            "into_raw_parts",
            "pop_back_if",
            "pop_front_if",
            "unchecked_neg",
            "unchecked_shl",
            "unchecked_shr",
            "write_clone_of_slice",
            "write_copy_of_slice",
        ],
    ),
    (
        94,
        &[
            "array_windows",
            "element_offset",
            "force_mut",
            "next_if_map",
            "next_if_map_mut",
        ],
    ),
    (
        95,
        &[
            "as_mut_unchecked",
            "as_ref_unchecked",
            "insert_mut",
            "push_back_mut",
            "push_front_mut",
            "push_mut",
            "try_update",
        ],
    ),
];

/// The same for what stands in a module, or has a name that older things have as well.
const PATHS: [(u32, [&str; 2]); 37] = [
    (79, ["num", "NonZero"]),
    (79, ["path", "absolute"]),
    (80, ["cell", "LazyCell"]),
    (80, ["sync", "LazyLock"]),
    (81, ["core", "error"]),
    (81, ["fs", "exists"]),
    (81, ["hint", "assert_unchecked"]),
    (81, ["panic", "PanicHookInfo"]),
    (82, ["iter", "repeat_n"]),
    (83, ["char", "MIN"]),
    (84, ["ptr", "dangling"]),
    (84, ["ptr", "dangling_mut"]),
    (84, ["ptr", "with_exposed_provenance"]),
    (84, ["ptr", "with_exposed_provenance_mut"]),
    (84, ["ptr", "without_provenance"]),
    (84, ["ptr", "without_provenance_mut"]),
    (85, ["BuildHasherDefault", "new"]),
    (85, ["Waker", "noop"]),
    (85, ["ptr", "fn_addr_eq"]),
    (87, ["Box", "write"]),
    (87, ["io", "pipe"]),
    (88, ["hint", "select_unpredictable"]),
    (89, ["NonNull", "from_mut"]),
    (89, ["NonNull", "from_ref"]),
    (89, ["Result", "flatten"]),
    (91, ["Duration", "from_hours"]),
    (91, ["Duration", "from_mins"]),
    (91, ["array", "repeat"]),
    (91, ["iter", "chain"]),
    (92, ["RwLockWriteGuard", "downgrade"]),
    (93, ["char", "MAX_LEN_UTF8"]),
    (93, ["fmt", "from_fn"]),
    (94, ["consts", "EULER_GAMMA"]),
    (94, ["consts", "GOLDEN_RATIO"]),
    (95, ["core", "range"]),
    (95, ["hint", "cold_path"]),
    (95, ["std", "range"]),
];

/// What is there without an import since 1.80.
const WITHOUT_IMPORT: [&str; 4] = ["align_of", "align_of_val", "size_of", "size_of_val"];

/// The words before the names that a file defines.
const DEFINING: [&str; 9] = [
    "const",
    "enum",
    "fn",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
];

/// The macros of `std` that take an expression, which could not begin with `const` before 1.87.
const TAKING: [&str; 5] = ["assert_eq", "assert_ne", "dbg", "matches", "vec"];

/// What a file has that not all judges' compilers know, and since which version there is that. `bodies` are those of its functions, as the
/// compiler tells them.
pub fn newest(
    text: &str,
    file: &syn::File,
    bodies: &dyn Fn() -> Option<String>,
) -> Option<(u32, String)> {
    let words = source::words(text);
    let pairs = words.clone().zip(words.skip(1));
    let mut newer = Newer {
        impl_for: None,
        defined: Defined::default(),
        found: Vec::new(),
        imported: BTreeSet::new(),
        within: Within::default(),
        is_open_in_constants: false,
    };
    newer.defined.visit_file(file);
    let defined = pairs.filter(|(before, _)| DEFINING.contains(before));
    newer.defined.names = defined.map(|(_, name)| name.to_owned()).collect();
    newer.defined.names.extend(made_by_macros(text));
    newer.visit_file(file);
    let mut macros = source::words(text).zip(source::words(text).skip(1));
    let is_macro = macros.any(|pair| pair == ("macro_rules", "main"));
    let is_main = |item: &syn::Item| matches!(item, syn::Item::Fn(of) if of.sig.ident == "main");
    // Else a macro makes it.
    let is_written = is_macro || file.items.iter().any(is_main);
    let is_made_by_import = || {
        let mut imports = ["::main;", " as main;"].into_iter();
        !is_written && imports.any(|end| text.contains(end))
    };
    if !is_macro && file.items.iter().any(is_imported_main) || is_made_by_import() {
        newer.add(79, "use …::main");
    }
    let names = &newer.defined.names;
    // What is called by a name that the file has for something of its own: types tell.
    let mut unclear = BTreeMap::new();
    newer.found.retain(|found| {
        let name = found.name.as_deref();
        let is_imported = |name| {
            let may_be = name == "str" || WITHOUT_IMPORT.contains(&name);
            may_be && newer.imported.contains(name)
        };
        let is_own = name.is_some_and(|name| names.contains(name) || is_imported(name));
        if is_own && function(&found.what).is_some() {
            unclear.insert(found.what.clone(), found.minor);
        }
        !is_own
    });
    let is_newest = newer.found.iter().any(|found| found.minor >= typed::NEWEST);
    let is_open = newer.is_open_in_constants || !unclear.is_empty();
    if !is_newest && (is_open || typed::may_have(text, file)) {
        let unordered = Unordered::of(text, file);
        let bodies = bodies().unwrap_or_default();
        let mut found = typed::found(&bodies, names, &unclear, &unordered);
        let collects_tuples = newer.defined.collects_tuples;
        found.retain(|(_, what)| !(collects_tuples && what.starts_with("collect::<(")));
        newer.add_all(found);
    }
    let found = newer.found.into_iter().max_by_key(|found| found.minor);
    found.map(|found| (found.minor, found.what))
}

/// The names of what calls of the file's own macros make.
fn made_by_macros(text: &str) -> Vec<String> {
    if !text.contains("macro_rules") {
        return Vec::new();
    }
    let made = Index::new(text).map(|index| made::by_calls(&index));
    let made = made.unwrap_or_default().into_values();
    made.flat_map(|made| made.names).collect()
}

/// The only module at the top that has the last name of something newer; nothing where the program itself has it, or several have.
pub fn crate_with(text: &str, what: &str) -> Option<String> {
    let path = what.split([' ', '(', '<']).next()?;
    let name = source::words(path).last()?;
    let modules = newer::modules(text).ok()?;
    let places = text.match_indices(name).map(|(at, _)| at);
    let is_whole = |at: &usize| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        !before.ends_with(source::is_word) && !behind.starts_with(source::is_word)
    };
    let mut found = places
        .filter(is_whole)
        .map(|at| newer::module(&modules, at));
    let first = found.next()?;
    let is_only = !first.is_empty() && found.all(|other| other == first);
    is_only.then(|| first.to_owned())
}

/// The version since which there is a function of a type that has this name.
fn function(name: &str) -> Option<u32> {
    let since = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
    since.map(|(minor, _)| *minor)
}

/// Whether an item imports what a program begins with.
fn is_imported_main(item: &syn::Item) -> bool {
    fn brings(tree: &UseTree) -> bool {
        match tree {
            UseTree::Path(path) => brings(&path.tree),
            UseTree::Group(group) => group.items.iter().any(brings),
            UseTree::Name(name) => name.ident == "main",
            UseTree::Rename(rename) => rename.rename == "main",
            UseTree::Glob(_) => false,
        }
    }
    matches!(item, syn::Item::Use(import) if brings(&import.tree))
}

/// Something that came with a version.
struct Found {
    minor: u32,
    what: String,
    /// What it is not if the file defines it itself.
    name: Option<String>,
}

/// What a file defines.
#[derive(Default)]
pub struct Defined {
    /// The names, of whatever it is.
    names: BTreeSet<String>,
    statics: BTreeSet<String>,
    /// Those of variables, which no static in scope has.
    variables: BTreeSet<String>,
    constants: BTreeSet<String>,
    /// The functions that may be called in constants.
    constant_functions: BTreeSet<String>,
    /// Macros make functions whose names nobody knows.
    has_any: bool,
    /// The file itself tells how tuples are collected.
    collects_tuples: bool,
    variants: BTreeSet<String>,
    /// Which parameters are constants, by the names of what has them.
    parameters: BTreeMap<String, Vec<Vec<bool>>>,
    /// The names of what functions of a name give, where that is no reference, whatever it is.
    given: BTreeMap<String, BTreeSet<Option<String>>>,
    /// The types that the file defines.
    types: BTreeSet<String>,
    /// What each trait of a name asks of types with a size only.
    of_sized: BTreeMap<String, Vec<Vec<String>>>,
    /// The modules of the standard library that are imported with all their names.
    brought: BTreeSet<String>,
    /// Those that are imported under other names.
    renamed: BTreeMap<String, String>,
    /// Whether all structs of a name have a `&mut` in a field.
    changing: BTreeMap<String, bool>,
    pub floats: Floats,
}

impl Defined {
    fn generics(&mut self, name: &syn::Ident, generics: &syn::Generics) {
        let parameters = generics.params.iter();
        let parameters = parameters.filter(|one| !matches!(one, GenericParam::Lifetime(_)));
        let constant = parameters.map(|one| matches!(one, GenericParam::Const(_)));
        let of_name = self.parameters.entry(name.to_string()).or_default();
        of_name.push(constant.collect());
    }

    fn function(&mut self, function: &syn::Signature) {
        self.generics(&function.ident, &function.generics);
        if function.constness.is_some() {
            self.constant_functions.insert(function.ident.to_string());
        }
        let given = match &function.output {
            syn::ReturnType::Type(_, of) => name_of(of),
            syn::ReturnType::Default => None,
        };
        let of_name = self.given.entry(function.ident.to_string());
        of_name.or_default().insert(given);
    }

    /// Whether functions of a name give something that is no reference, as far as the names of types tell; nothing where there is none.
    fn gives_owned(&self, name: &str) -> Option<bool> {
        let is_owned = |given: &Option<String>| {
            let name = given.as_ref();
            name.is_some_and(|name| OWNED_TYPES.contains(&name.as_str()) || self.is_type(name))
        };
        Some(self.given.get(name)?.iter().all(is_owned))
    }

    fn is_type(&self, name: &str) -> bool {
        name == "Self" || self.types.contains(name)
    }

    /// Looks at the functions among the rules of a macro, or among what one is called with.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut before = None;
        for tree in tokens {
            match &tree {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) if before.as_deref() == Some("fn") => {
                    self.constant_functions.insert(name.to_string());
                }
                // Its name may be any that somebody writes for it.
                TokenTree::Punct(_) if before.as_deref() == Some("fn") => self.has_any = true,
                _ => {}
            }
            before = Some(tree.to_string());
        }
    }

    /// Whether a parameter of all that has a name is a constant.
    fn is_constant(&self, name: &str, at: usize) -> bool {
        let all = self.parameters.get(name);
        all.is_some_and(|all| all.iter().all(|one| one.get(at) == Some(&true)))
    }

    fn is_static(&self, name: &str) -> bool {
        let others = [&self.constants, &self.variants, &self.variables];
        self.statics.contains(name) && !others.iter().any(|others| others.contains(name))
    }

    /// What an impl for a type without a size leaves out that its trait asks of others.
    fn left_out(&self, item: &syn::ItemImpl) -> Option<String> {
        let (of_trait, _) = item.trait_.as_ref()?;
        let name = &of_trait.segments.last()?.ident;
        let is_unsized = match &*item.self_ty {
            syn::Type::Path(of) => of.path.is_ident("str"),
            of => matches!(of, syn::Type::Slice(_) | syn::Type::TraitObject(_)),
        };
        let [asked] = &self.of_sized.get(&name.to_string())?[..] else {
            return None;
        };
        let may_be = |asked: &&String| {
            item.items.iter().any(|given| match given {
                syn::ImplItem::Fn(given) => given.sig.ident == asked,
                syn::ImplItem::Macro(_) => true,
                _ => false,
            })
        };
        let without = asked.iter().find(|asked| !may_be(asked))?;
        (is_unsized && !is_of_std(of_trait)).then(|| format!("impl {name} without {without}"))
    }

    /// Whether what a call makes is no reference.
    fn makes_owned(&self, made: &Expr) -> bool {
        let is_own = |name: &str| self.gives_owned(name) == Some(true);
        match made {
            Expr::Call(call) => match &*call.func {
                Expr::Path(of) => match &of.path.segments.iter().collect::<Vec<_>>()[..] {
                    [name] => is_own(&name.ident.to_string()),
                    [.., of, name] => {
                        OWNERS.iter().any(|owned| of.ident == owned)
                            && MAKING.iter().any(|owned| name.ident == owned)
                            || self.is_type(&of.ident.to_string())
                                && is_own(&name.ident.to_string())
                    }
                    [] => false,
                },
                _ => false,
            },
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                OWNED.contains(&name.as_str()) && self.gives_owned(&name) != Some(false)
            }
            Expr::Macro(made) => ["format", "vec"]
                .iter()
                .any(|name| made.mac.path.is_ident(name) && !self.names.contains(*name)),
            _ => false,
        }
    }
}

/// The function that a trait asks of types with a size, if an item is one.
fn asked_of_sized(item: &syn::TraitItem) -> Option<String> {
    let syn::TraitItem::Fn(function) = item else {
        return None;
    };
    let bounds = function.sig.generics.where_clause.as_ref()?;
    let is_of_sized = bounds.predicates.iter().any(|bound| match bound {
        syn::WherePredicate::Type(bound) => {
            let is_self =
                matches!(&bound.bounded_ty, syn::Type::Path(of) if of.path.is_ident("Self"));
            is_self
                && bound.bounds.iter().any(
                    |of| matches!(of, syn::TypeParamBound::Trait(of) if of.path.is_ident("Sized")),
                )
        }
        _ => false,
    });
    (is_of_sized && function.default.is_none()).then(|| function.sig.ident.to_string())
}

/// Whether a path begins with a crate that every program has.
fn is_of_std(path: &syn::Path) -> bool {
    let first = path.segments.first();
    let is_first = |name: &&str| first.is_some_and(|first| first.ident == name);
    ["std", "core", "alloc"].iter().any(is_first)
}

/// What a function gives that does not borrow from all of its arguments.
pub const CAPTURES: &str = "impl Trait + use<…>";

/// Types of `std` that are no references.
const OWNERS: [&str; 13] = [
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cell",
    "HashMap",
    "HashSet",
    "Rc",
    "RefCell",
    "String",
    "Vec",
    "VecDeque",
];

/// What makes a value of these.
const MAKING: [&str; 5] = ["clone", "default", "from", "new", "with_capacity"];

/// The methods of `std` that never give a reference.
const OWNED: [&str; 20] = [
    "chars",
    "collect",
    "concat",
    "into_boxed_slice",
    "into_bytes",
    "into_iter",
    "into_owned",
    "iter",
    "join",
    "repeat",
    "replace",
    "replacen",
    "rev",
    "split_off",
    "to_ascii_lowercase",
    "to_ascii_uppercase",
    "to_lowercase",
    "to_string",
    "to_uppercase",
    "to_vec",
];

/// Types of the standard library that are no references.
const OWNED_TYPES: [&str; 20] = [
    "Box", "String", "Vec", "[]", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8",
    "isize", "u128", "u16", "u32", "u64", "u8", "usize",
];

const MUT_POINTER: &str = "*mut";

pub const UNSAFE_EXTERN: &str = "unsafe extern";

const CHANGING: &str = "const fn(&mut …)";

fn is_mut_pointer(of: &syn::Type) -> bool {
    matches!(of, syn::Type::Ptr(of) if matches!(of.mutability, syn::PointerMutability::Mut(_)))
}

/// Whether a type has a `&mut` in it that is none of a function's.
fn changes_something(of: &syn::Type) -> bool {
    struct Changing(bool);
    impl<'ast> Visit<'ast> for Changing {
        fn visit_type_reference(&mut self, of: &'ast syn::TypeReference) {
            self.0 |= of.mutability.is_some();
            visit::visit_type_reference(self, of);
        }

        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}

        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {}
    }
    let mut found = Changing(false);
    found.visit_type(of);
    found.0
}

/// Whether tokens make, or take apart, something with one of these names.
fn makes(tokens: TokenStream, names: &BTreeSet<&str>) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Ident(name) => {
            let behind = trees.get(at + 1);
            // A variant, or a function of a type.
            let is_of_type = at > 2
                && is_punct(&trees[at - 1], ':')
                && trees[at - 3].to_string().starts_with(char::is_uppercase);
            !is_of_type
                && matches!(behind, Some(TokenTree::Group(_)))
                && names.contains(&*name.to_string())
        }
        TokenTree::Group(group) => makes(group.stream(), names),
        _ => false,
    })
}

/// The name of a type that is no reference, as far as that tells.
fn name_of(of: &syn::Type) -> Option<String> {
    match of {
        syn::Type::Array(_) => Some("[]".to_owned()),
        syn::Type::Ptr(_) if is_mut_pointer(of) => Some(MUT_POINTER.to_owned()),
        syn::Type::Path(of) if of.qself.is_none() && of.path.segments.len() == 1 => {
            let first = of.path.segments.first();
            first.map(|first| first.ident.to_string())
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Defined {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for (mut path, called) in source::leaves(item) {
            path.retain(|name| !name.is_empty() && name != "self");
            let is_of_std = path
                .first()
                .is_some_and(|of| STANDARD.contains(&of.as_str()));
            let Some(module) = path.iter().rfind(|name| *name != "*") else {
                continue;
            };
            if is_of_std && called == "*" {
                self.brought.insert(module.clone());
            } else if is_of_std && called != *module {
                self.renamed.insert(called, module.clone());
            }
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = item.trait_.as_ref().and_then(|(of, _)| of.segments.last());
        let is_tuple = matches!(*item.self_ty, syn::Type::Tuple(_));
        self.collects_tuples |= is_tuple && of.is_some_and(|of| of.ident == "FromIterator");
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.function(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.generics(&item.ident, &item.generics);
        self.types.insert(item.ident.to_string());
        let changes = item.fields.iter().any(|field| changes_something(&field.ty));
        *self.changing.entry(item.ident.to_string()).or_insert(true) &= changes;
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.generics(&item.ident, &item.generics);
        self.types.insert(item.ident.to_string());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.generics(&item.ident, &item.generics);
        visit::visit_item_type(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.generics(&item.ident, &item.generics);
        let asked = item.items.iter().filter_map(asked_of_sized).collect();
        let of_name = self.of_sized.entry(item.ident.to_string());
        of_name.or_default().push(asked);
        visit::visit_item_trait(self, item);
    }

    fn visit_pat_ident(&mut self, variable: &'ast syn::PatIdent) {
        self.variables.insert(variable.ident.to_string());
        visit::visit_pat_ident(self, variable);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.statics.insert(item.ident.to_string());
        visit::visit_item_static(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constants.insert(item.ident.to_string());
        visit::visit_item_const(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constants.insert(item.ident.to_string());
        visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.constants.insert(item.ident.to_string());
        visit::visit_trait_item_const(self, item);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.variants.insert(variant.ident.to_string());
        visit::visit_variant(self, variant);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.floats.field(field);
        visit::visit_field(self, field);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.floats.rules(&call.tokens);
        self.tokens(call.tokens.clone());
    }
}

/// Where something stands.
#[derive(Clone, Default)]
struct Within {
    /// In what the compiler calculates.
    constant: bool,
    /// In a static, which could always name another.
    of_static: bool,
    /// In a function that may be called for that, and what there is a number with a point.
    floats: Option<BTreeSet<String>>,
    /// What it gets as `*mut`.
    mut_pointers: BTreeSet<String>,
    /// In the declaration of a trait, or of what is for one.
    of_trait: bool,
    /// In a function for which there are more instructions, and where nothing says that it is unsafe.
    more_instructions: bool,
}

struct Newer {
    found: Vec<Found>,
    defined: Defined,
    imported: BTreeSet<String>,
    within: Within,
    /// The type that an impl is for.
    impl_for: Option<String>,
    /// What is called in a constant is new there if it is of a certain type.
    is_open_in_constants: bool,
}

impl Newer {
    /// What is of the language.
    fn add(&mut self, minor: u32, what: &str) {
        self.found.push(Found {
            minor,
            what: what.to_owned(),
            name: None,
        });
    }

    /// What is not new if the file defines `name`.
    fn add_named(&mut self, minor: u32, what: &str, name: &str) {
        self.found.push(Found {
            minor,
            what: what.to_owned(),
            name: Some(name.to_owned()),
        });
    }

    fn add_all(&mut self, found: impl IntoIterator<Item = (u32, String)>) {
        for (minor, what) in found {
            self.add(minor, &what);
        }
    }

    /// Looks at something that stands elsewhere than what is around it.
    fn look(&mut self, within: Within, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.within, within);
        look(self);
        self.within = before;
    }

    fn in_constant(&mut self, look: impl FnOnce(&mut Self)) {
        let within = Within {
            constant: true,
            ..Within::default()
        };
        self.look(within, look);
    }

    /// Looks at a function in an item that may be of a trait.
    fn in_function(
        &mut self,
        function: &syn::Signature,
        attrs: &[syn::Attribute],
        block: &syn::Block,
        look: impl FnOnce(&mut Self),
    ) {
        let is_constant = function.constness.is_some();
        if is_constant && !self.defined.changing.is_empty() {
            let changing = self
                .defined
                .changing
                .iter()
                .filter(|(_, changes)| **changes);
            let mut changing: BTreeSet<&str> = changing.map(|(name, _)| name.as_str()).collect();
            if self
                .impl_for
                .as_deref()
                .is_some_and(|of| changing.contains(of))
            {
                changing.insert("Self");
            }
            if makes(block.to_token_stream(), &changing) {
                self.add(83, CHANGING);
            }
        }
        let floats = is_constant.then(|| self.defined.floats.of_function(function, block));
        let has_features = attrs
            .iter()
            .any(|attr| attr.path().is_ident("target_feature"));
        let is_safe = !matches!(function.safety, syn::Safety::Unsafe(_));
        if has_features && is_safe {
            self.add(86, "#[target_feature(…)] on a safe function");
        }
        let pointers = function.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) if is_mut_pointer(&typed.ty) => match &*typed.pat {
                Pat::Ident(of) => Some(of.ident.to_string()),
                _ => None,
            },
            _ => None,
        });
        let within = Within {
            constant: is_constant,
            floats,
            mut_pointers: pointers.filter(|_| is_constant).collect(),
            of_trait: self.within.of_trait,
            more_instructions: has_features && is_safe,
            ..Within::default()
        };
        self.look(within, look);
    }

    /// Whether something is a pointer to what may be changed, as far as that shows.
    fn is_mut_pointer(&self, of: &Expr) -> bool {
        let gives = |name: &syn::Ident| {
            let given = self.defined.given.get(&name.to_string());
            given.is_some_and(|given| {
                given
                    .iter()
                    .all(|name| name.as_deref() == Some(MUT_POINTER))
            })
        };
        match of {
            Expr::Paren(of) => self.is_mut_pointer(&of.expr),
            Expr::Cast(of) => is_mut_pointer(&of.ty),
            Expr::Path(of) => {
                let name = of.path.get_ident();
                name.is_some_and(|name| self.within.mut_pointers.contains(&name.to_string()))
            }
            Expr::MethodCall(of) => of.method == "as_mut_ptr" || gives(&of.method),
            Expr::Call(of) => match &*of.func {
                Expr::Path(of) => of.path.segments.last().is_some_and(|of| gives(&of.ident)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Looks at what is called where the compiler calculates.
    fn constant_call(&mut self, name: &str) {
        self.is_open_in_constants |= self.within.constant && typed::may_be_in_constants(name);
        // Of its own only these can be called there.
        let is_own = self.defined.has_any || self.defined.constant_functions.contains(name);
        if let (true, Some(minor)) = (self.within.constant && !is_own, constants::function(name)) {
            self.add(minor, &format!("{name}{IN_CONSTANT}"));
        }
    }

    /// Looks at a pattern that takes all there is.
    fn taking_all(&mut self, pattern: &Pat) {
        if let Some(name) = self.taken(pattern) {
            self.add_named(82, &format!("let {name}(…) = …;"), &name);
        }
    }

    /// The variant of `Result` in a pattern that takes all there is. What is left out is no value then.
    fn taken(&self, pattern: &Pat) -> Option<String> {
        match pattern {
            Pat::TupleStruct(of) => self.variant(&of.path).or_else(|| {
                let mut parts = of.elems.iter();
                parts.find_map(|part| self.taken(part))
            }),
            Pat::Ident(name) => self.taken(&name.subpat.as_ref()?.1),
            Pat::Paren(inner) => self.taken(&inner.pat),
            Pat::Reference(of) => self.taken(&of.pat),
            Pat::Struct(of) => of.fields.iter().find_map(|field| self.taken(&field.pat)),
            Pat::Tuple(all) => all.elems.iter().find_map(|part| self.taken(part)),
            Pat::Type(typed) => self.taken(&typed.pat),
            _ => None,
        }
    }

    /// The variant of `Result` that a path is.
    fn variant(&self, path: &syn::Path) -> Option<String> {
        let name = path.segments.last()?.ident.to_string();
        let is_it = ["Ok", "Err"].contains(&name.as_str());
        (is_it && !self.defined.variants.contains(&name)).then_some(name)
    }

    /// Looks at the function of a type.
    fn function(&mut self, name: &str) {
        if let Some(minor) = function(name) {
            self.add_named(minor, name, name);
        }
    }

    /// Looks at the names of a path.
    fn names(&mut self, names: &[String]) {
        for pair in names.windows(2) {
            let since = PATHS.iter().find(|(_, path)| path[..] == pair[..]);
            if let Some((minor, path)) = since {
                // A function of a type is as own as the type.
                let is_of_type = path[0].starts_with(char::is_uppercase);
                let is_of_crate = STANDARD.contains(&path[0]);
                let name = path[usize::from(!is_of_type && !is_of_crate)];
                self.add_named(*minor, &path.join("::"), name);
            }
        }
        // Of the type, which before had to be of the module.
        if let [of, name] = names {
            if of == "str" && name.starts_with("from_utf8") {
                self.add_named(87, &names.join("::"), of);
            }
        }
    }

    /// Looks at the type of what is collected.
    fn collected(&mut self, of: &syn::Type) {
        match of {
            _ if self.defined.collects_tuples => {}
            syn::Type::Tuple(tuple) if tuple.elems.len() == 2 => self.add(79, "collect::<(A, B)>"),
            syn::Type::Tuple(tuple) if tuple.elems.len() > 2 => {
                self.add(85, "collect::<(A, B, C)>")
            }
            _ => {}
        }
    }

    fn import(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident)),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before);
                }
            }
            UseTree::Name(name) => {
                self.names(&with(&name.ident));
                self.imported.insert(name.ident.to_string());
            }
            UseTree::Rename(rename) => {
                self.names(&with(&rename.ident));
                self.imported.insert(rename.rename.to_string());
            }
            UseTree::Glob(_) => {
                if before.last().is_some_and(|module| module == "mem") {
                    self.imported.extend(WITHOUT_IMPORT.map(str::to_owned));
                }
            }
        }
    }

    /// Looks at what the rules of a macro call and name, and at what is new in them.
    fn rules(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, mark| trees.get(at).is_some_and(|tree| is_punct(tree, mark));
        let is_block = |at: usize| matches!(trees.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace);
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.rules(group.stream()),
                TokenTree::Ident(kind) if kind == "expr_2021" => self.add(83, "$e:expr_2021"),
                TokenTree::Ident(word) if word == "use" && is(at + 1, '<') => {
                    self.add(82, CAPTURES);
                }
                TokenTree::Ident(word) if word == "const" && is_block(at + 1) => {
                    self.add(79, "const { … }");
                }
                TokenTree::Ident(name)
                    if at > 0
                        && is_punct(&trees[at - 1], '\'')
                        && name.to_string().starts_with("r#") =>
                {
                    self.add(83, &format!("'{name}"));
                }
                TokenTree::Ident(name) if at > 0 => {
                    let is_called = matches!(
                        trees.get(at + 1),
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
                    );
                    if is_called && is(at - 1, '.') {
                        self.function(&name.to_string());
                    }
                    // The name on a path before another.
                    let before = |at: usize| match trees.get(at.wrapping_sub(3)) {
                        Some(TokenTree::Ident(of)) if is(at - 1, ':') && is(at - 2, ':') => {
                            Some(of.to_string())
                        }
                        _ => None,
                    };
                    if let Some(of) = before(at) {
                        let around = before(at - 3);
                        let names = around.into_iter().chain([of, name.to_string()]);
                        self.names(&names.collect::<Vec<_>>());
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether one of the conditions of a guard is a pattern.
fn has_let(guard: &Expr) -> bool {
    match guard {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        _ => false,
    }
}

const SELECT: &str = "cfg_select!";

impl Visit<'_> for Newer {
    fn visit_expr_const(&mut self, block: &syn::ExprConst) {
        self.add(79, "const { … }");
        self.in_constant(|newer| visit::visit_expr_const(newer, block));
    }

    fn visit_constraint(&mut self, bounds: &syn::Constraint) {
        self.add(79, "Trait<Type: Bound>");
        visit::visit_constraint(self, bounds);
    }

    fn visit_pat(&mut self, pattern: &syn::Pat) {
        if let syn::Pat::Range(range) = pattern {
            let is_exclusive = matches!(range.limits, syn::RangeLimits::HalfOpen(_));
            if is_exclusive && range.end.is_some() {
                self.add(80, "a pattern a..b");
            }
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_pat_guard(&mut self, pattern: &syn::PatGuard) {
        if has_let(&pattern.guard) {
            self.add(95, "if let … =>");
        }
        visit::visit_pat_guard(self, pattern);
    }

    fn visit_expr_raw_addr(&mut self, place: &syn::ExprRawAddr) {
        self.add(82, "&raw");
        visit::visit_expr_raw_addr(self, place);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.in_function(&item.sig, &item.attrs, &item.block, |newer| {
            visit::visit_item_fn(newer, item)
        });
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.in_function(&item.sig, &item.attrs, &item.block, |newer| {
            visit::visit_impl_item_fn(newer, item)
        });
    }

    fn visit_trait_item_fn(&mut self, item: &syn::TraitItemFn) {
        let within = Within {
            of_trait: true,
            ..Within::default()
        };
        self.look(within, |newer| visit::visit_trait_item_fn(newer, item));
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        if let Some(without) = self.defined.left_out(item) {
            self.add(87, &without);
        }
        let within = Within {
            of_trait: item.trait_.is_some(),
            ..Within::default()
        };
        let around = std::mem::replace(&mut self.impl_for, name_of(&item.self_ty));
        self.look(within, |newer| visit::visit_item_impl(newer, item));
        self.impl_for = around;
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.look(Within::default(), |newer| {
            visit::visit_item_trait(newer, item)
        });
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.in_constant(|newer| visit::visit_item_const(newer, item));
    }

    fn visit_impl_item_const(&mut self, item: &syn::ImplItemConst) {
        self.in_constant(|newer| visit::visit_impl_item_const(newer, item));
    }

    fn visit_trait_item_const(&mut self, item: &syn::TraitItemConst) {
        self.in_constant(|newer| visit::visit_trait_item_const(newer, item));
    }

    fn visit_item_static(&mut self, item: &syn::ItemStatic) {
        let within = Within {
            constant: true,
            of_static: true,
            ..Within::default()
        };
        self.look(within, |newer| visit::visit_item_static(newer, item));
    }

    fn visit_type_array(&mut self, array: &syn::TypeArray) {
        if let Expr::Infer(_) = array.len {
            self.add(89, "[T; _]");
        }
        self.visit_type(&array.elem);
        self.in_constant(|newer| newer.visit_expr(&array.len));
    }

    fn visit_expr_unsafe(&mut self, block: &syn::ExprUnsafe) {
        let within = Within {
            more_instructions: false,
            ..self.within.clone()
        };
        self.look(within, |newer| visit::visit_expr_unsafe(newer, block));
    }

    fn visit_expr_async(&mut self, block: &syn::ExprAsync) {
        self.look(Within::default(), |newer| {
            visit::visit_expr_async(newer, block)
        });
    }

    fn visit_trait_bound(&mut self, bound: &syn::TraitBound) {
        let names: Vec<String> = bound
            .path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        if let [name] = &names[..] {
            if ["AsyncFn", "AsyncFnMut", "AsyncFnOnce"].contains(&name.as_str()) {
                self.add_named(85, name, name);
            }
        }
        visit::visit_trait_bound(self, bound);
    }

    fn visit_signature(&mut self, function: &syn::Signature) {
        let changes = function.inputs.iter().any(|input| match input {
            FnArg::Receiver(this) => {
                matches!(this.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
            }
            FnArg::Typed(typed) => changes_something(&typed.ty),
        });
        let gives =
            matches!(&function.output, syn::ReturnType::Type(_, of) if changes_something(of));
        let changes = changes || gives;
        if function.constness.is_some() && changes {
            self.add(83, CHANGING);
        }
        for input in &function.inputs {
            if let FnArg::Typed(typed) = input {
                self.taking_all(&typed.pat);
            }
        }
        visit::visit_signature(self, function);
    }

    fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
        if lifetime.ident.to_string().starts_with("r#") {
            self.add(83, &lifetime.to_string());
        }
    }

    fn visit_precise_capture(&mut self, _: &syn::PreciseCapture) {
        match self.within.of_trait {
            true => self.add(87, "impl Trait + use<…> in a trait"),
            false => self.add(82, CAPTURES),
        }
    }

    fn visit_item_foreign_mod(&mut self, item: &syn::ItemForeignMod) {
        if item.unsafety.is_some() {
            self.add(82, UNSAFE_EXTERN);
        }
        visit::visit_item_foreign_mod(self, item);
    }

    fn visit_attribute(&mut self, attr: &syn::Attribute) {
        if attr.path().is_ident("unsafe") {
            self.add(82, "#[unsafe(…)]");
        }
        if attr.path().is_ident("expect") {
            self.add(81, "#[expect(…)]");
        }
        if let syn::Meta::List(list) = &attr.meta {
            let is_wide = |tree: TokenTree| matches!(tree, TokenTree::Ident(name) if name == "u128" || name == "i128");
            if list.path.is_ident("repr") && list.tokens.clone().into_iter().any(is_wide) {
                self.add(89, "#[repr(u128)]");
            }
            let is_lint = ["allow", "warn", "deny", "forbid"]
                .iter()
                .any(|level| list.path.is_ident(level));
            let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
            if list.path.is_ident("cfg_attr") && tokens.iter().any(|of| is_ident(of, "unsafe")) {
                self.add(82, "#[unsafe(…)]");
            }
            let is_reason = |pair: &[TokenTree]| matches!(pair, [TokenTree::Ident(name), TokenTree::Punct(is)] if name == "reason" && is.as_char() == '=');
            if is_lint && tokens.windows(2).any(is_reason) {
                self.add(81, "reason = \"…\"");
            }
        }
    }

    fn visit_expr_closure(&mut self, closure: &syn::ExprClosure) {
        if closure.asyncness.is_some() {
            self.add(85, "async ||");
        }
        for input in &closure.inputs {
            self.taking_all(input);
        }
        // What it does is not asked of the compiler where it calculates.
        let within = Within {
            more_instructions: self.within.more_instructions,
            ..Within::default()
        };
        self.look(within, |newer| visit::visit_expr_closure(newer, closure));
    }

    fn visit_expr_repeat(&mut self, array: &syn::ExprRepeat) {
        if let Expr::Infer(_) = *array.len {
            self.add(89, "[value; _]");
        }
        self.visit_expr(&array.expr);
        self.in_constant(|newer| newer.visit_expr(&array.len));
    }

    fn visit_local(&mut self, local: &syn::Local) {
        if let (syn::Pat::Type(typed), Some(init)) = (&local.pat, &local.init) {
            if matches!(&*init.expr, Expr::MethodCall(call) if call.method == "collect") {
                self.collected(&typed.ty);
            }
        }
        let init = local.init.as_ref();
        if init.is_some_and(|init| init.diverge.is_none()) {
            self.taking_all(&local.pat);
        }
        let is_used =
            !matches!(&local.pat, Pat::Ident(name) if name.ident.to_string().starts_with('_'));
        if let Some(init) = init.filter(|_| is_used) {
            if lends(&self.defined, &init.expr, false) {
                self.add(79, "let a = if … { &b() }");
            }
            let is_plain = matches!(local.pat, Pat::Ident(_));
            if is_plain && lends_in(&self.defined, &init.expr) {
                self.add(89, "let a = Some(&b());");
            }
            if is_plain && matches!(&*init.expr, Expr::Macro(made) if prints(&made.mac)) {
                self.add(89, "let a = format_args!(…);");
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        self.function(&name);
        self.constant_call(&name);
        let given = call.turbofish.iter().flat_map(|given| &given.args);
        for argument in given {
            if let (syn::GenericArgument::Type(of), true) = (argument, call.method == "collect") {
                self.collected(of);
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let names = path.path.segments.iter();
            let names: Vec<String> = names.map(|segment| segment.ident.to_string()).collect();
            match &names[..] {
                [.., of, name] if self.within.constant => {
                    if let Some(minor) = constants::path(of, name) {
                        let what = format!("{of}::{name}{IN_CONSTANT}");
                        let is_of_type = of.starts_with(char::is_uppercase);
                        match header::is_primitive(of) {
                            // Its own functions come before those of traits.
                            true => self.add(minor, &what),
                            false if is_of_type => self.add_named(minor, &what, of),
                            false => self.add_named(minor, &what, name),
                        }
                    } else if of.starts_with(char::is_uppercase)
                        || ["f32", "f64"].contains(&of.as_str())
                    {
                        self.constant_call(name);
                    }
                }
                [.., name] if self.within.more_instructions && name.starts_with("_mm") => {
                    self.add_named(87, &format!("{name} without unsafe"), name);
                }
                _ => {}
            }
            let mut names = path
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            if let (Some(name), None, None) = (names.next(), names.next(), &path.qself) {
                if WITHOUT_IMPORT.contains(&name.as_str()) {
                    self.add_named(80, &name, &name);
                }
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        let of_type = path.path.segments.len() > 1 || path.qself.is_some();
        if let Some(name) = path.path.segments.last().filter(|_| of_type) {
            self.function(&name.ident.to_string());
        }
        let last = path.path.segments.last();
        if let Some(name) = last.map(|last| last.ident.to_string()) {
            let is_constant = self.within.constant && !self.within.of_static;
            if is_constant && self.defined.is_static(&name) {
                self.add(83, &format!("static{IN_CONSTANT}"));
            }
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_reference(&mut self, reference: &syn::ExprReference) {
        // What a static holds may always have changed.
        let is_array = matches!(&*reference.expr, Expr::Array(_) | Expr::Repeat(_));
        if self.within.constant && reference.mutability.is_some() && !is_array {
            self.add(83, &format!("&mut{IN_CONSTANT}"));
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_binary(&mut self, both: &syn::ExprBinary) {
        if let Some(floats) = &self.within.floats {
            let is_float = |side| self.defined.floats.is_float(floats, side);
            if is_float(&both.left) || is_float(&both.right) {
                self.add(82, constants::FLOATS);
            }
        }
        visit::visit_expr_binary(self, both);
    }

    fn visit_expr_unary(&mut self, of: &syn::ExprUnary) {
        let is_read = self.within.constant && matches!(of.op, syn::UnOp::Deref(_));
        if is_read && self.is_mut_pointer(&of.expr) {
            self.add(83, &format!("*mut{IN_CONSTANT}"));
        }
        if let (Some(floats), syn::UnOp::Neg(_)) = (&self.within.floats, &of.op) {
            let is_literal = matches!(&*of.expr, Expr::Lit(_));
            if !is_literal && self.defined.floats.is_float(floats, &of.expr) {
                self.add(82, constants::FLOATS);
            }
        }
        visit::visit_expr_unary(self, of);
    }

    fn visit_expr_for_loop(&mut self, each: &syn::ExprForLoop) {
        self.taking_all(&each.pat);
        visit::visit_expr_for_loop(self, each);
    }

    fn visit_expr_match(&mut self, of: &syn::ExprMatch) {
        let arms = of.arms.iter().map(|arm| match &arm.pat {
            Pat::TupleStruct(of) => self.variant(&of.path),
            _ => None,
        });
        let arms: BTreeSet<Option<String>> = arms.collect();
        if let (1, Some(Some(name))) = (arms.len(), arms.first()) {
            self.add_named(82, &format!("match … {{ {name}(…) => … }}"), name);
        }
        visit::visit_expr_match(self, of);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let mut names: Vec<String> = names.collect();
        self.names(&names);
        // Variables may be called like functions.
        if names[0].starts_with(char::is_uppercase) {
            for module in self.defined.brought.clone() {
                self.names(&[module, names[0].clone()]);
            }
        }
        if let Some(module) = self.defined.renamed.get(&names[0]) {
            names[0].clone_from(module);
            self.names(&names);
        }
        for part in path.segments.iter().filter(|_| !is_of_std(path)) {
            let PathArguments::AngleBracketed(given) = &part.arguments else {
                continue;
            };
            let given = given.args.iter();
            let given = given.filter(|one| !matches!(one, GenericArgument::Lifetime(_)));
            let name = part.ident.to_string();
            let inferred = given.enumerate().any(|(at, one)| {
                matches!(one, GenericArgument::Type(syn::Type::Infer(_)))
                    && self.defined.is_constant(&name, at)
            });
            if inferred {
                self.add(89, "_ for a constant");
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &syn::ItemUse) {
        let is_keyword = |name: &String| ["self", "super"].contains(&name.as_str());
        for (path, called) in source::leaves(import) {
            if called != "*" && path.iter().all(is_keyword) {
                self.add(95, &format!("use {} as …", path.join("::")));
            }
        }
        self.import(&import.tree, &[]);
    }

    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        if item.ident.is_some() && !capturing::are_rules(&item.mac.tokens) {
            self.rules(item.mac.tokens.clone());
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        let last = call.path.segments.last();
        let selects = last.is_some_and(|last| last.ident == "cfg_select")
            || call.tokens.to_string().contains("cfg_select !");
        if selects {
            self.add_named(95, SELECT, SELECT.trim_end_matches('!'));
        }
        let name = call
            .path
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        if TAKING.contains(&name.as_str()) {
            let trees: Vec<TokenTree> = call.tokens.clone().into_iter().collect();
            let separates = |tree: &TokenTree| matches!(tree, TokenTree::Punct(mark) if [',', ';'].contains(&mark.as_char()));
            let is_constant = |part: &[TokenTree]| matches!(part, [TokenTree::Ident(word), TokenTree::Group(_), ..] if word == "const");
            if trees.split(separates).any(is_constant) {
                self.add_named(87, &format!("{name}!(const {{ … }})"), &name);
            }
        }
        let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        // It may be the macro that says it is unsafe.
        let within = Within {
            more_instructions: false,
            ..self.within.clone()
        };
        self.look(within, |newer| {
            for argument in call.parse_body_with(list).iter().flatten() {
                newer.visit_expr(argument);
            }
            let matched = |input: syn::parse::ParseStream| {
                let value: Expr = input.parse()?;
                input.parse::<syn::Token![,]>()?;
                let pattern = Pat::parse_multi_with_leading_vert(input)?;
                // A guard may follow.
                input.parse::<TokenStream>()?;
                Ok((value, pattern))
            };
            if name == "matches" {
                if let Ok((value, pattern)) = call.parse_body_with(matched) {
                    newer.visit_expr(&value);
                    newer.visit_pat(&pattern);
                }
            }
        });
    }
}

/// Whether a value is a reference that comes out of a branch, to what is made there: it lives on with the variable now.
fn lends(defined: &Defined, value: &Expr, in_branch: bool) -> bool {
    let ends = |block: &syn::Block, in_branch| {
        let last = block.stmts.last();
        matches!(last, Some(Stmt::Expr(last, None)) if lends(defined, last, in_branch))
    };
    match value {
        Expr::If(of) => {
            let otherwise = of.else_branch.as_ref();
            ends(&of.then_branch, true)
                || otherwise.is_some_and(|(_, branch)| lends(defined, branch, true))
        }
        Expr::Match(of) => of.arms.iter().any(|arm| lends(defined, &arm.body, true)),
        Expr::Block(of) => ends(&of.block, in_branch),
        Expr::Reference(of) if in_branch => defined.makes_owned(lent_from(&of.expr)),
        _ => false,
    }
}

/// What lives as long as a reference to a part of it.
fn lent_from(place: &Expr) -> &Expr {
    match place {
        Expr::Index(of) => lent_from(&of.expr),
        Expr::Field(of) => lent_from(&of.base),
        Expr::Paren(of) => lent_from(&of.expr),
        Expr::Unary(of) if matches!(of.op, syn::UnOp::Deref(_)) => lent_from(&of.expr),
        place => place,
    }
}

/// Whether a value holds a reference to what is made for it.
fn lends_in(defined: &Defined, value: &Expr) -> bool {
    let Expr::Call(call) = value else {
        return false;
    };
    let is_variant = |path: &syn::Path| {
        let mut variants = ["Some", "Ok", "Err"].iter();
        variants.any(|variant| path.is_ident(variant) && !defined.names.contains(*variant))
    };
    matches!(&*call.func, Expr::Path(of) if is_variant(&of.path))
        && call.args.iter().any(
            |argument| matches!(argument, Expr::Reference(of) if defined.makes_owned(&of.expr)),
        )
}

/// Whether a macro makes a text of something.
fn prints(made: &syn::Macro) -> bool {
    let text = made.tokens.clone().into_iter().next();
    let text = text.map(|text| text.to_string().replace("{{", ""));
    made.path.is_ident("format_args") && text.is_some_and(|text| text.contains('{'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::compiler::Compiler;

    fn found(text: &str) -> Option<(u32, String)> {
        newest(text, &syn::parse_file(text).unwrap(), &|| None)
    }

    /// The same with what the compiler tells.
    fn found_by_types(text: &str) -> Option<(u32, String)> {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        let bodies = || compiler.bodies(text, "2021").unwrap();
        newest(text, &syn::parse_file(text).unwrap(), &bodies)
    }

    #[test]
    fn the_crate_that_needs_it_is_told_where_it_is_the_only_one() {
        let text = "fn main() { c(); } mod a { fn f() { p.addr(); i8::from_x(1); c(); } fn addr_of() {} } mod b { fn from_x() {} }";
        let of = |what: &str| crate_with(text, what);
        assert_eq!(of("addr").as_deref(), Some("a"));
        for several in ["i8::from_x in a constant", "c", "none"] {
            assert_eq!(of(several), None, "{several}");
        }
    }

    #[test]
    fn a_name_of_its_own_is_no_other_function() {
        let own = "struct M(u32); impl M { fn isqrt(self) -> u32 { BODY } } \
                   trait T { fn is_sorted(&self) -> bool; } impl T for u8 { fn is_sorted(&self) -> bool { true } } \
                   fn is_none_or() {}";
        let found = |body: &str, main: &str| {
            let own = own.replace("BODY", body);
            found_by_types(&format!("{own} fn main() {{ {main} }}"))
        };
        assert_eq!(
            found("0", "M(1).isqrt(); 1u8.is_sorted(); is_none_or();"),
            None
        );
        // So is one of a type that a macro makes.
        let made = "macro_rules! m { ($n:ident) => { struct $n; impl $n { fn isqrt(&self) {} } } } m!(N); struct O;";
        let with = |main: &str| found_by_types(&format!("{made} fn main() {{ {main} }}"));
        assert_eq!(with("N.isqrt()"), None);
        assert_eq!(
            with("N.isqrt(); 4u8.isqrt();"),
            Some((84, "isqrt".to_owned()))
        );
        for (body, main, what) in [
            ("u32::isqrt(self.0)", "", (84, "isqrt")),
            ("0", "M(17u32.isqrt()).isqrt();", (84, "isqrt")),
            ("0", "[1, 2].is_sorted();", (82, "is_sorted")),
            ("0", "(1..2).is_sorted();", (82, "is_sorted")),
            ("0", "Some(1).is_none_or(|a| a == 2);", (82, "is_none_or")),
        ] {
            let (minor, name) = what;
            assert_eq!(found(body, main), Some((minor, name.to_owned())), "{main}");
        }
    }

    #[test]
    fn what_is_called_in_constants_is_told_by_its_type() {
        let found = |code: &str| found_by_types(&format!("{code} fn main() {{}}"));
        for (code, minor, what) in [
            ("const fn f(a: f64) -> f64 { a.abs() }", 85, "f64::abs"),
            ("const A: u32 = 1f32.to_bits();", 83, "f32::to_bits"),
            ("struct A(Vec<u8>); impl A { const fn len(&self) -> usize { self.0.len() } }", 87, "Vec::len"),
            ("const fn f(a: &String) -> bool { a.is_empty() }", 87, "String::is_empty"),
            ("const fn f(a: &std::cell::Cell<u8>) -> u8 { a.get() }", 88, "Cell::get"),
            (
                "struct B; impl B { fn from_str_radix() {} } const fn f(a: &str) -> bool { u8::from_str_radix(a, 2).is_ok() }",
                82,
                "u8::from_str_radix",
            ),
        ] {
            assert_eq!(found(code), Some((minor, format!("{what} in a constant"))));
        }
        for code in [
            "const fn f(a: i32) -> i32 { a.abs() }",
            "const fn f(a: &[u8], b: &str) -> usize { if a.is_empty() { 0 } else { b.len() } }",
            "fn f(a: f64) -> f64 { a.abs() }",
            "struct CellRef(u8); impl CellRef { const fn get(&self) -> u8 { self.0 } } const fn f(a: &CellRef) -> u8 { a.get() }",
            "struct Cell<T>(T); impl<T: Copy> Cell<T> { const fn get(&self) -> T { self.0 } } const fn f(a: &Cell<u8>) -> u8 { a.get() }",
        ] {
            assert_eq!(found(code), None, "{code}");
        }
    }

    #[test]
    fn the_newest_that_a_file_has_is_told() {
        let borrows = "fn f() -> impl Fn() + use<> { || () }";
        let selects = "fn g() -> u8 { cfg_select! { _ => 1 } }";
        let defines = "macro_rules! cfg_select { () => {} }";
        assert_eq!(found("fn f() {}"), None);
        assert_eq!(found(borrows), Some((82, CAPTURES.to_owned())));
        let both = format!("{borrows}{selects}");
        assert_eq!(found(&both), Some((95, "cfg_select!".to_owned())));
        assert_eq!(found(&format!("{defines}{selects}")), None);
        for (text, since) in [
            ("const A: [u8; 1] = [const { 1 }; 1];", 79),
            ("fn f() { vec![const { 1 }; 2]; assert_eq!(1, const { 1 }); }", 87),
            ("fn f() { assert!(true, \"{}\", const { 1 }); }", 79),
            ("fn f(i: impl Iterator<Item: Copy>) {}", 79),
            ("fn f(i: u8) { match i { 0..9 => {} 9.. => {} } }", 80),
            (
                "fn f(i: u8) { match i { 0..=9 => {} 10.. => {} } for _ in 0..9 {} }",
                0,
            ),
            (
                "fn f() { match a { b if c && let d = e => {} _ => {} } }",
                95,
            ),
            (
                "fn f() { match a { b if { if let c = d {} e } => {} _ => {} } }",
                0,
            ),
            ("fn f(x: u8) -> bool { matches!(x, 0..9 if x != 2) }", 80),
            ("fn f(x: u8) -> bool { matches!(x, 0..=9) }", 0),
            ("fn f(x: u8) { &raw const x; }", 82),
            ("mod a { use super::super as b; use self::{self as c}; }", 95),
            ("mod a { use super::*; use self::b as c; use crate as d; use super::{b, c}; }", 0),
            ("unsafe extern \"C\" {}", 82),
            ("#[unsafe(no_mangle)] fn f() {}", 82),
            ("#[cfg_attr(a, unsafe(no_mangle))] fn f() {}", 82),
            ("mod a { pub fn main() {} } use a::main;", 79),
            (
                "macro_rules! m { () => { mod a { pub fn main() {} } use a::main; } } m!();",
                79,
            ),
            (
                "fn main() {} macro_rules! m { () => { mod a { pub fn main() {} } use a::main; } }",
                0,
            ),
            ("impl A { const fn f(&mut self) {} }", 83),
            ("const fn f(a: Option<&mut u8>, b: PhantomData<fn(&mut u8)>) {}", 83),
            ("const fn f<'a>() -> [PhantomData<&'a mut u8>; 0] { [] }", 83),
            ("struct A<'a>(PhantomData<&'a mut u8>); impl A<'_> { const fn f() -> Self { Self(PhantomData) } }", 83),
            ("struct A<'a>(PhantomData<&'a mut u8>); const fn f() { A { 0: PhantomData }; }", 83),
            ("struct A<'a>(PhantomData<&'a mut u8>); impl A<'_> { const fn f(self) -> u8 { 1 } } impl B { const fn f() -> B { Self(1) } } fn g() { A(PhantomData); }", 0),
            ("const fn f(a: fn(&mut u8), b: PhantomData<fn(&mut u8)>) {}", 0),
            ("const fn f(b: PhantomData<Box<dyn Fn(&mut u8)>>) {}", 83),
            ("const fn f(b: &impl Fn(&mut u8)) {}", 0),
            ("struct A<'a>(&'a mut u8); enum B { A(u8) } const fn f() -> B { B::A(1) }", 0),
            ("mod a { struct A<'a>(&'a mut u8); } mod b { struct A(u8); const fn f() -> A { A(1) } }", 0),
            ("const fn f(mut a: u8, b: &u8, c: &mut u8) {}", 83),
            (
                "impl A { const fn f(mut self, b: &u8) {} fn g(&mut self) {} }",
                0,
            ),
            ("fn f() { async || (); async {}; }", 85),
            ("#[allow(dead_code, reason = \"f\")] fn f() {}", 81),
            ("#[doc(reason = \"f\")] #[allow(dead_code)] fn f() {}", 0),
            ("#[expect(dead_code)] fn f() {}", 81),
            ("fn f() -> [u8; 2] { [0; _] }", 89),
            (
                "fn f() { let a = if b { c } else { &format!(\"d\") }; }",
                79,
            ),
            (
                "fn f() { let a = match b { 1 => { &c.to_vec() } _ => e }; }",
                79,
            ),
            (
                "fn f() { let a: &str = match b { 1 => &c.trim().to_uppercase(), _ => e }; }",
                79,
            ),
            ("fn f() { let a: &Rc<u8> = if b { &Rc::clone(&c) } else { &d }; }", 79),
            (
                "fn f() { let a = if let Some(b) = c { &(*format!(\"{b}\"))[..] } else { \"d\" }; }",
                79,
            ),
            // It may be a reference, and then that to it is as good.
            (
                "fn f() { let a = match b { 1 => { &c.d() } _ => &e() }; } fn e() -> &'static str { \"\" }",
                0,
            ),
            (
                "fn f() { let a = if b { &e() } else { c }; } fn e() -> Vec<u8> { vec![] }",
                79,
            ),
            (
                "struct A; impl A { fn new() -> Self { A } } fn f() { let a = match b { Some(b) => b, None => &A::new() }; }",
                79,
            ),
            (
                "struct A; impl A { fn new() -> Self { A } fn get(&self) -> &B { b } } fn f() { let a = if b { &A::get(c) } else { &B::new() }; }",
                0,
            ),
            ("fn f() { let a = Some(&format!(\"{b}\")); }", 89),
            (
                "fn f() { let a = Some(&b.c()); let _d = Some(&format!(\"{b}\")); let e: Option<&str> = Some(&String::new()); }",
                0,
            ),
            ("fn f() { let a = format_args!(\"{b}\"); }", 89),
            (
                "fn f() { let a = format_args!(\"{{b\"); print(format_args!(\"{b}\")); }",
                0,
            ),
            (
                "fn f() { let a = if b { &D(1) } else { &{ E } }; let g = { &h() }; let i = if b { &j() } else { k }.len(); }",
                0,
            ),
            ("fn f() { let (a, b): (V, V) = g().collect(); }", 79),
            ("fn f() { h(g().collect::<(V, V, V)>()); }", 85),
            (
                "impl<A, B> FromIterator<E<A, B>> for (A, B) {} fn f() { let (a, b): (V, V) = g().collect(); }",
                0,
            ),
            (
                "fn f() { let (a, b): (V, V) = g().unzip(); g().collect::<()>(); }",
                0,
            ),
            ("fn f(x: u32) -> u32 { x.isqrt() }", 84),
            ("fn f(x: *const u8) -> usize { x.addr() }", 84),
            ("fn f(x: usize) -> *mut u8 { ptr::without_provenance_mut(x) }", 84),
            ("fn f(x: S) -> usize { x.addr } struct S { addr: usize }", 0),
            ("fn f(x: u32) -> u32 { u32::midpoint(x, 2) }", 85),
            (
                "fn f(x: u32) { println!(\"{}\", x.is_multiple_of(2)); }",
                87,
            ),
            ("macro_rules! m { ($x:expr) => { $x.as_chunks() } }", 88),
            (
                "macro_rules! m { ($x:expr) => { isqrt($x) + $x.isqrt } }",
                0,
            ),
            (
                "macro_rules! m { ($x:ident) => { static $x: std::sync::LazyLock<u8> = f(); } }",
                80,
            ),
            (
                "macro_rules! m { ($x:ident) => { $x::LazyLock + my::LazyLock + sync } }",
                0,
            ),
            ("fn f(a: &u8) { let _ = std::ptr::NonNull::from_ref(a); }", 89),
            (
                "macro_rules! m { () => { fn f(a: &u8) -> impl Tr + use<'_> { a } } }",
                82,
            ),
            ("macro_rules! m { ($x:ty) => { const { f::<$x>() } } }", 79),
            ("macro_rules! m { ($x:ty) => { const A: $x = {0}; } }", 0),
            ("fn f() { let _ = core::range::RangeInclusive { start: 1, last: 2 }; }", 95),
            (
                "fn f(x: u32) -> u32 { x.isqrt() } trait R { fn isqrt(self) -> u32; }",
                0,
            ),
            ("fn f(x: u32) -> u32 { isqrt(x) + x.isqrt }", 0),
            ("use std::iter::{once, repeat_n};", 82),
            ("fn f() { str::from_utf8(&[]); }", 87),
            ("use std::str; fn f() { str::from_utf8(&[]); }", 0),
            ("fn f() { std::str::from_utf8(&[]); }", 0),
            ("macro_rules! m { () => { core::str::from_utf8(&[]); } }", 0),
            ("macro_rules! m { () => { str::from_utf8(&[]); } }", 87),
            ("use std::iter::once;", 0),
            ("fn f() { for _ in std::iter::chain([1], [2]) {} }", 91),
            (
                "fn f() { for _ in iter::chain([1], [2]) {} } mod iter { pub fn chain() {} }",
                0,
            ),
            (
                "static A: std::sync::LazyLock<u8> = std::sync::LazyLock::new(f);",
                80,
            ),
            ("use std::sync::*; static A: LazyLock<u8> = f();", 80),
            ("use std::sync::*; struct LazyLock; static A: LazyLock = f();", 0),
            ("use my::sync::*; static A: LazyLock<u8> = f();", 0),
            ("use std::{sync as s}; static A: s::LazyLock<u8> = f();", 80),
            ("use std::sync::{self as s}; static A: u8 = s::LazyLock::new(f);", 80),
            ("use std::iter::*; fn f(chain: u8) -> u8 { chain }", 0),
            ("fn f() -> usize { size_of::<u8>() }", 80),
            (
                "use std::mem::size_of; fn f() -> usize { size_of::<u8>() }",
                0,
            ),
            ("fn f() -> usize { std::mem::size_of::<u8>() }", 0),
            ("use std::mem::*; fn f() -> usize { size_of::<u8>() }", 0),
            ("fn f(size_of: usize) -> usize { 2 * size_of }", 0),
            (
                "impl A { fn new() { BuildHasherDefault::<H>::new(); } }",
                85,
            ),
            (
                "struct BuildHasherDefault; fn f() { BuildHasherDefault::new(); }",
                0,
            ),
            ("fn f() { let Ok(a) = b(); }", 82),
            ("fn f() { let (a, &Err(ref b)) = c(); }", 82),
            ("fn f() { for Ok(a) in b() {} }", 82),
            ("fn f() -> u8 { match b() { Ok(0) => 1, Ok(a) => a } }", 82),
            (
                "fn f() { let Ok(a) = b() else { return }; let (Ok(c) | Err(c)) = d(); match e() { Ok(_) => {} Err(_) => {} } }",
                0,
            ),
            (
                "enum A { Ok(u8) } use A::Ok; fn f(Ok(a): A) { let Ok(b) = c(); match d() { Ok(e) => {} } }",
                0,
            ),
            ("fn f<const N: usize>() {} fn g() { f::<_>(); }", 89),
            (
                "struct A<'a, T, const N: usize>(&'a [T; N]); fn g(a: A<'_, _, _>) {}",
                89,
            ),
            ("fn g() { let a: [u8; _] = [1]; }", 89),
            (
                "fn f<T, const N: usize>() {} fn g() { f::<_, 2>(); h::<_, _>(); }",
                0,
            ),
            (
                "mod a { pub fn f<const N: usize>() {} } fn f<T>() {} fn g() { f::<_>(); std::f::<_>(); }",
                0,
            ),
            ("const fn f(a: f64, b: f64) -> f64 { a * b }", 82),
            ("const fn f(a: u8) -> bool { let b = a as f64; b < 1. }", 82),
            (
                "struct A { x: f64 } impl A { const fn f(&self) -> f64 { -self.x } }",
                82,
            ),
            (
                "struct A { x: f64 } struct B { x: u8 } const fn f(a: &B) -> u8 { a.x + a.x }",
                0,
            ),
            (
                "fn f(a: f64) -> f64 { a * 2.0 } const A: f64 = 1.0 + 2.0; const fn g() -> f64 { -1.0 }",
                0,
            ),
            (
                "const fn f(a: f64) -> u64 { let a = a as u64; a + 1 }",
                0,
            ),
            ("const A: u8 = g().unwrap();", 83),
            ("fn f() -> [u8; g().unwrap()] {}", 83),
            ("const fn f(a: Option<u8>) -> u8 { assert!(a.unwrap() > 1); 1 }", 83),
            (
                "static A: L<u8> = L::new(|| g().unwrap()); const fn f() { fn h() { g().unwrap(); } } fn i() { g().unwrap(); }",
                0,
            ),
            ("const A: u8 = g().unwrap(); impl B { const fn unwrap(self) {} }", 0),
            ("const A: u8 = g().unwrap(); impl B { fn unwrap(self) {} }", 83),
            ("mod a { pub fn main() {} } use a::main;", 79),
            (
                "mod a { pub fn main() {} } use a::main as b; fn main() {} mod c { use super::main; }",
                0,
            ),
            ("macro_rules! main { () => {} } use main; main!();", 0),
            ("use core::error::Error; mod error {}", 81),
            ("mod error { use core::error::Error; }", 81),
            ("mod core { pub mod error {} } use core::error;", 0),
            ("fn f() -> u8 { match g() { Ok(x) => x } }", 82),
            ("fn f() { let Ok(x) = g(); }", 82),
            ("fn f() { let Err(x): Result<Infallible, u8> = g(); }", 82),
            (
                "fn f() { match g() { Ok(x) => x, Err(e) => match e {} } }",
                0,
            ),
            ("fn f() { let Ok(x) = g() else { return }; }", 0),
            ("const fn f(a: &'static str, b: T) -> T { str(b) }", 0),
            ("static A: M<B> = M::new(BinaryHeap::new());", 80),
            ("const A: f64 = f64::max(1., 2.); const B: u8 = C::max(1);", 85),
            ("const fn f(mut a: u8) { let b = &mut a; }", 83),
            ("const fn f(a: *mut u8) -> u8 { unsafe { *a } }", 83),
            ("impl A { const fn a(&self) -> *mut u8 { self.0 } const fn f(&self) -> &u8 { unsafe { &*self.a() } } }", 83),
            ("const fn f(a: *const u8) -> u8 { unsafe { *a } } fn g(a: *mut u8) -> u8 { unsafe { *a } } impl A { fn a(&self) -> *mut u8 { self.0 } }", 0),
            (
                "static mut A: &mut [u8] = &mut [1]; fn f(mut a: u8) { let b = &mut a; }",
                0,
            ),
            ("static A: u8 = 1; const B: &u8 = &A;", 83),
            ("static A: u8 = 1; static B: &u8 = &A; fn f() -> u8 { A }", 0),
            ("mod m { pub static a: u8 = 1; } const B: u8 = { let a = 1; a };", 0),
            ("#[target_feature(enable = \"avx2\")] fn f() {}", 86),
            (
                "#[target_feature(enable = \"avx2\")] fn f() { let a = _mm256_setzero_si256(); }",
                87,
            ),
            (
                "#[target_feature(enable = \"avx2\")] unsafe fn f() { let a = _mm256_setzero_si256(); }",
                0,
            ),
            ("trait A { fn f(&self) -> impl Fn() + use<'_, Self>; }", 87),
            ("fn f(a: impl AsyncFn(u8) -> u8) {}", 85),
            ("trait AsyncFn {} fn f(a: impl AsyncFn) {}", 0),
            ("macro_rules! m { ($e:expr_2021) => {} }", 83),
            ("fn f<'r#a>(b: &'r#a u8) {}", 83),
            ("fn f() { 'r#a: loop { break 'r#a } }", 83),
            ("macro_rules! m { () => { 'r#a: loop {} } }", 83),
            ("fn f<'a>(b: &'a r#u8) { 'a: loop {} }", 0),
            ("trait A { fn f() where Self: Sized; } impl A for str {}", 87),
            (
                "trait A { fn f(); fn g() where Self: Sized; } impl A for dyn B { fn f() {} }",
                87,
            ),
            (
                "trait A { fn f() where Self: Sized; } impl A for [u8] { fn f() {} } impl A for str { f!(); } impl A for u8 {}",
                0,
            ),
            (
                "trait A { fn f() where Self: Sized {} fn g() where u8: Sized; } impl A for str {} impl std::A for str {}",
                0,
            ),
            (
                "trait A { fn f() where Self: Sized; } impl A for str {} mod b { trait A {} }",
                0,
            ),
            ("const A: (&str, &str) = str::split_at(\"ab\", 1);", 86),
            ("#[repr(u128)] enum A { B = 1 }", 89),
        ] {
            assert_eq!(found(text).map_or(0, |(minor, _)| minor), since, "{text}");
        }
        let among_tokens = "fn h() { println!(\"{}\", cfg_select! { _ => 1 }); }";
        assert_eq!(found(among_tokens), found(selects));
    }

    #[test]
    fn only_of_a_text_it_is_new_that_a_constant_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(folder.path());
        for (code, since) in [
            ("const A: &str = \"ab\".split_at(1).0;", 86),
            ("static A: &str = { let a = \"ab\"; a.split_at(1).0 };", 86),
            ("struct A(&'static str); impl A { const fn f(&self) -> &str { self.0.split_at(1).0 } }", 86),
            ("fn f() -> &'static str { const { \"ab\".split_at(1).0 } }", 86),
            ("const fn f(a: &[u8]) -> &[u8] { a.split_at(1).0 }", 0),
            (
                "const A: &[u8] = b\"ab\".split_at(1).0; fn f(a: &str) -> &str { a.split_at(1).0 }",
                0,
            ),
        ] {
            let text = format!("{code} fn main() {{}}");
            let file = syn::parse_file(&text).unwrap();
            let bodies = || compiler.bodies(&text, "2021").unwrap();
            let found = newest(&text, &file, &bodies);
            assert_eq!(found.map_or(0, |(minor, _)| minor), since, "{code}");
        }
    }
}
