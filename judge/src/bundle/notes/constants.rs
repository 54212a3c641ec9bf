//! What the compiler calculates itself, and what it could not in its older versions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, FnArg, Lit, Pat, Type};

/// The methods that may be called there since a version, all that have the name (from the pages of `std`).
const METHODS: [(u32, &[&str]); 12] = [
    (80, &["last_chunk"]),
    (
        83,
        &[
            "as_bytes_mut",
            "as_mut",
            "as_secs_f32",
            "as_secs_f64",
            "classify",
            "copied",
            "copy_from",
            "copy_from_nonoverlapping",
            "copy_to",
            "copy_to_nonoverlapping",
            "encode_utf8",
            "expect",
            "first_chunk_mut",
            "first_mut",
            "flatten",
            "is_finite",
            "is_infinite",
            "is_nan",
            "is_normal",
            "is_sign_negative",
            "is_sign_positive",
            "is_subnormal",
            "last_chunk_mut",
            "last_mut",
            "replace",
            "split_at_mut",
            "split_first_chunk_mut",
            "split_first_mut",
            "split_last_chunk_mut",
            "split_last_mut",
            "take",
            "transpose",
            "unwrap",
            "unwrap_unchecked",
            "write_bytes",
            "write_unaligned",
        ],
    ),
    (
        84,
        &[
            "as_mut_slice",
            "assume_init_mut",
            "encode_utf16",
            "is_lowercase",
            "is_null",
            "is_uppercase",
            "make_ascii_lowercase",
            "make_ascii_uppercase",
        ],
    ),
    (
        85,
        &[
            "align_to",
            "clamp",
            "copysign",
            "max",
            "min",
            "recip",
            "swap",
            "to_degrees",
            "to_radians",
        ],
    ),
    (86, &["is_char_boundary"]),
    (
        87,
        &[
            "as_mut_str",
            "as_mut_vec",
            "capacity",
            "copy_from_slice",
            "into_bytes",
            "is_digit",
            "is_whitespace",
        ],
    ),
    (88, &["as_slice_of_cells"]),
    (89, &["eq_ignore_ascii_case"]),
    (
        90,
        &[
            "ceil",
            "floor",
            "fract",
            "reverse",
            "round",
            "round_ties_even",
            "trunc",
        ],
    ),
    (91, &["each_mut", "each_ref"]),
    (94, &["mul_add"]),
    (95, &["is_break", "is_continue"]),
];

/// The same for functions of a type or of a module.
const PATHS: [(u32, [&str; 2]); 18] = [
    (80, ["BinaryHeap", "new"]),
    (83, ["f32", "from_bits"]),
    (83, ["f32", "to_bits"]),
    (83, ["f64", "from_bits"]),
    (83, ["f64", "to_bits"]),
    (83, ["mem", "replace"]),
    (85, ["HashMap", "with_hasher"]),
    (85, ["HashSet", "with_hasher"]),
    (85, ["mem", "align_of_val"]),
    (85, ["mem", "size_of_val"]),
    (85, ["mem", "swap"]),
    (86, ["hint", "black_box"]),
    (86, ["str", "split_at"]),
    (86, ["str", "split_at_checked"]),
    (86, ["str", "split_at_mut"]),
    (86, ["str", "split_at_mut_checked"]),
    (91, ["PathBuf", "new"]),
    (91, ["TypeId", "of"]),
];

/// What of numbers with a point a function could not.
pub const FLOATS: &str = "const fn(…) with float arithmetic";

/// The version since which a method may be called in constants, if it is new that it may.
pub fn function(name: &str) -> Option<u32> {
    let since = METHODS.iter().find(|(_, names)| names.contains(&name));
    since.map(|(minor, _)| *minor)
}

/// The same for a function of a type or of a module.
pub fn path(of: &str, name: &str) -> Option<u32> {
    let integers = ["i8", "i16", "i32", "i64", "i128", "isize"];
    let is_integer = integers.contains(&of) || integers.contains(&of.replace('u', "i").as_str());
    if name == "from_str_radix" && is_integer {
        return Some(82);
    }
    let since = PATHS.iter().find(|(_, path)| *path == [of, name]);
    since.map(|(minor, _)| *minor)
}

/// What of a file is surely a number with a point, by its name.
#[derive(Default)]
pub struct Floats {
    /// Whether all fields of a name are.
    fields: BTreeMap<String, bool>,
    /// Macros make types, whose fields nobody knows.
    are_made: bool,
}

impl Floats {
    pub fn field(&mut self, field: &syn::Field) {
        if let Some(name) = &field.ident {
            let of_name = self.fields.entry(name.to_string());
            *of_name.or_insert(true) &= is_type(&field.ty);
        }
    }

    /// Looks at the rules of a macro, or at what one is called with.
    pub fn rules(&mut self, rules: &TokenStream) {
        for tree in rules.clone() {
            match tree {
                TokenTree::Ident(word) => self.are_made |= word == "struct",
                TokenTree::Group(group) => self.rules(&group.stream()),
                _ => {}
            }
        }
    }

    /// The variables of a function that are.
    pub fn of_function(&self, function: &syn::Signature, block: &syn::Block) -> BTreeSet<String> {
        let mut named = Named::default();
        named.visit_signature(function);
        named.visit_block(block);
        let is_once = |name: &String| named.all.iter().filter(|other| *other == name).count() == 1;
        let parameters = function.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) if is_type(&typed.ty) => variable(&typed.pat),
            _ => None,
        });
        let mut found: BTreeSet<String> = parameters.filter(is_once).collect();
        // What another is calculated from stands before it.
        for (name, value) in &named.with_values {
            if is_once(name) && self.is_float(&found, value) {
                found.insert(name.clone());
            }
        }
        found
    }

    /// Whether a value is, where `variables` are.
    pub fn is_float(&self, variables: &BTreeSet<String>, value: &Expr) -> bool {
        let is_float = |value| self.is_float(variables, value);
        match value {
            Expr::Lit(of) => match &of.lit {
                Lit::Float(_) => true,
                Lit::Int(number) => ["f32", "f64"].contains(&number.suffix()),
                _ => false,
            },
            Expr::Cast(of) => is_type(&of.ty),
            Expr::Path(of) => {
                let name = of.path.get_ident();
                name.is_some_and(|name| variables.contains(&name.to_string()))
            }
            // A range has these of any type.
            Expr::Field(of) => match &of.member {
                syn::Member::Named(name) if name != "start" && name != "end" => {
                    !self.are_made && self.fields.get(&name.to_string()) == Some(&true)
                }
                _ => false,
            },
            Expr::Paren(inner) => is_float(&inner.expr),
            Expr::Unary(of) => matches!(of.op, syn::UnOp::Neg(_)) && is_float(&of.expr),
            Expr::Binary(both) => {
                let calculates = matches!(
                    both.op,
                    BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
                );
                calculates && (is_float(&both.left) || is_float(&both.right))
            }
            _ => false,
        }
    }
}

fn is_type(of: &Type) -> bool {
    matches!(of, Type::Path(of) if of.path.is_ident("f32") || of.path.is_ident("f64"))
}

fn variable(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) => Some(name.ident.to_string()),
        Pat::Type(typed) => variable(&typed.pat),
        _ => None,
    }
}

/// The variables of a function, and those that have a value from the beginning, with that.
#[derive(Default)]
struct Named<'a> {
    all: Vec<String>,
    with_values: Vec<(String, &'a Expr)>,
}

impl<'ast> Visit<'ast> for Named<'ast> {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.all.push(name.ident.to_string());
        visit::visit_pat_ident(self, name);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (Some(name), Some(init)) = (variable(&local.pat), &local.init) {
            self.with_values.push((name, &init.expr));
        }
        visit::visit_local(self, local);
    }
}
