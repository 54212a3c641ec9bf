//! The Rust that a file needs, where not all judges' compilers know what it has: some are years old.
//!
//! What of the language is new shows in the file. Of the standard library there is no more to see than names: those count that it had not
//! before, where the file itself has nothing so called.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, Stmt, UseTree};

use super::source;

/// The functions of types that came after 1.78, the oldest compiler that files are made for, by the version in which they came (from the
/// pages of `std`). Of two with one name the older counts.
const FUNCTIONS: [(u32, &[&str]); 14] = [
    (
        79,
        &[
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
            "split_at_checked",
            "split_at_mut_checked",
            "take_if",
            "trim_ascii",
            "trim_ascii_end",
            "trim_ascii_start",
        ],
    ),
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
        &["checked_isqrt", "expose_provenance", "isqrt", "map_addr"],
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
            "borrowing_sub",
            "carrying_add",
            "carrying_mul",
            "carrying_mul_add",
            "ceil_char_boundary",
            "checked_signed_diff",
            "floor_char_boundary",
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
    (
        93,
        &[
            "as_array",
            "as_mut_array",
            "into_raw_parts",
            "pop_back_if",
            "pop_front_if",
            "unchecked_neg",
            "unchecked_shl",
            "unchecked_shr",
        ],
    ),
    (
        94,
        &[
            "array_windows",
            "element_offset",
            "next_if_map",
            "next_if_map_mut",
        ],
    ),
    (
        95,
        &["insert_mut", "push_back_mut", "push_front_mut", "push_mut"],
    ),
];

/// The same for what stands in a module, or has a name that older things have as well.
const PATHS: [(u32, [&str; 2]); 18] = [
    (79, ["num", "NonZero"]),
    (80, ["cell", "LazyCell"]),
    (80, ["sync", "LazyLock"]),
    (81, ["core", "error"]),
    (81, ["hint", "assert_unchecked"]),
    (82, ["iter", "repeat_n"]),
    (83, ["char", "MIN"]),
    (85, ["BuildHasherDefault", "new"]),
    (85, ["ptr", "fn_addr_eq"]),
    (88, ["hint", "select_unpredictable"]),
    (91, ["Duration", "from_hours"]),
    (91, ["Duration", "from_mins"]),
    (91, ["array", "repeat"]),
    (91, ["iter", "chain"]),
    (93, ["fmt", "from_fn"]),
    (94, ["consts", "EULER_GAMMA"]),
    (94, ["consts", "GOLDEN_RATIO"]),
    (95, ["hint", "cold_path"]),
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

/// What a file has that not all judges' compilers know, and since which version there is that.
pub fn newest(text: &str, file: &syn::File) -> Option<(u32, String)> {
    let words = source::words(text);
    let pairs = words.clone().zip(words.skip(1));
    let mut newer = Newer {
        found: Vec::new(),
        has: pairs
            .filter(|(before, _)| DEFINING.contains(before))
            .map(|(_, name)| name)
            .collect(),
        imported: BTreeSet::new(),
    };
    newer.visit_file(file);
    let Newer {
        found,
        has,
        imported,
    } = &newer;
    let is_own = |what: &str| {
        // A function of a type is as own as the type, and a module of a crate as the crate.
        let name = match what.split_once("::") {
            Some((of, _)) if of.starts_with(char::is_uppercase) || of == "core" => of,
            Some((_, name)) => name,
            None => what.trim_end_matches('!'),
        };
        has.contains(name) || WITHOUT_IMPORT.contains(&what) && imported.contains(what)
    };
    let found = found.iter().filter(|(_, what)| !is_own(what));
    found.max_by_key(|(minor, _)| *minor).cloned()
}

struct Newer<'t> {
    found: Vec<(u32, String)>,
    /// The names of what the file defines, whatever it is.
    has: BTreeSet<&'t str>,
    imported: BTreeSet<String>,
}

impl Newer<'_> {
    fn add(&mut self, minor: u32, what: &str) {
        self.found.push((minor, what.to_owned()));
    }

    /// Looks at the function of a type.
    fn function(&mut self, name: &str) {
        let since = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
        if let Some((minor, _)) = since {
            self.add(*minor, name);
        }
    }

    /// Looks at the names of a path.
    fn names(&mut self, names: &[String]) {
        for pair in names.windows(2) {
            let since = PATHS.iter().find(|(_, path)| path[..] == pair[..]);
            if let Some((minor, path)) = since {
                self.add(*minor, &path.join("::"));
            }
        }
    }

    /// Looks at the type of what is collected.
    fn collected(&mut self, of: &syn::Type) {
        match of {
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

    /// Looks at the methods that the rules of a macro call.
    fn rules(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.rules(group.stream()),
                TokenTree::Ident(name) if at > 0 => {
                    let is_called = matches!(
                        trees.get(at + 1),
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
                    );
                    let is_method =
                        matches!(&trees[at - 1], TokenTree::Punct(dot) if dot.as_char() == '.');
                    if is_called && is_method {
                        self.function(&name.to_string());
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
const ALONE: &str = "Ok(…) or Err(…) as the only pattern";

impl Visit<'_> for Newer<'_> {
    fn visit_expr_const(&mut self, block: &syn::ExprConst) {
        self.add(79, "const { … }");
        visit::visit_expr_const(self, block);
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

    fn visit_expr_match(&mut self, of: &syn::ExprMatch) {
        if let [arm] = &of.arms[..] {
            if is_half_of_result(&arm.pat) {
                self.add(82, ALONE);
            }
        }
        visit::visit_expr_match(self, of);
    }

    fn visit_expr_raw_addr(&mut self, place: &syn::ExprRawAddr) {
        self.add(82, "&raw");
        visit::visit_expr_raw_addr(self, place);
    }

    fn visit_signature(&mut self, function: &syn::Signature) {
        let changes = function.inputs.iter().any(|input| match input {
            FnArg::Receiver(this) => {
                matches!(this.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
            }
            FnArg::Typed(typed) => {
                matches!(&*typed.ty, syn::Type::Reference(to) if to.mutability.is_some())
            }
        });
        if function.constness.is_some() && changes {
            self.add(83, "const fn(&mut …)");
        }
        visit::visit_signature(self, function);
    }

    fn visit_precise_capture(&mut self, _: &syn::PreciseCapture) {
        self.add(82, "impl Trait + use<…>");
    }

    fn visit_item_foreign_mod(&mut self, item: &syn::ItemForeignMod) {
        if item.unsafety.is_some() {
            self.add(82, "unsafe extern");
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
            let is_lint = ["allow", "warn", "deny", "forbid"]
                .iter()
                .any(|level| list.path.is_ident(level));
            let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
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
        visit::visit_expr_closure(self, closure);
    }

    fn visit_expr_repeat(&mut self, array: &syn::ExprRepeat) {
        if let Expr::Infer(_) = *array.len {
            self.add(89, "[value; _]");
        }
        visit::visit_expr_repeat(self, array);
    }

    fn visit_local(&mut self, local: &syn::Local) {
        let can_fail = local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some());
        if is_half_of_result(&local.pat) && !can_fail {
            self.add(82, ALONE);
        }
        if let (syn::Pat::Type(typed), Some(init)) = (&local.pat, &local.init) {
            if matches!(&*init.expr, Expr::MethodCall(call) if call.method == "collect") {
                self.collected(&typed.ty);
            }
        }
        if local
            .init
            .as_ref()
            .is_some_and(|init| lends(&init.expr, false))
        {
            self.add(79, "let a = if … { &b() }");
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        self.function(&call.method.to_string());
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
            let mut names = path
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            if let (Some(name), None, None) = (names.next(), names.next(), &path.qself) {
                if WITHOUT_IMPORT.contains(&name.as_str()) {
                    self.add(80, &name);
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
        visit::visit_expr_path(self, path);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.names(&names.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &syn::ItemUse) {
        self.import(&import.tree, &[]);
    }

    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        if item.ident.is_some() {
            self.rules(item.mac.tokens.clone());
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        let last = call.path.segments.last();
        let selects = last.is_some_and(|last| last.ident == "cfg_select")
            || call.tokens.to_string().contains("cfg_select !");
        if selects {
            self.add(95, SELECT);
        }
        let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        for argument in call.parse_body_with(list).iter().flatten() {
            self.visit_expr(argument);
        }
    }
}

/// Whether a pattern leaves out one variant of `Result`. As the only one it is enough where there can be no value of the other.
fn is_half_of_result(pattern: &syn::Pat) -> bool {
    let pattern = match pattern {
        syn::Pat::Type(typed) => &typed.pat,
        pattern => pattern,
    };
    matches!(pattern, syn::Pat::TupleStruct(half) if half.path.is_ident("Ok") || half.path.is_ident("Err"))
}

/// Whether a value may be a reference that comes out of a branch, to what is made there: it lives on with the variable now.
fn lends(value: &Expr, in_branch: bool) -> bool {
    let ends = |block: &syn::Block, in_branch| {
        let last = block.stmts.last();
        matches!(last, Some(Stmt::Expr(last, None)) if lends(last, in_branch))
    };
    match value {
        Expr::If(of) => {
            let otherwise = of.else_branch.as_ref();
            ends(&of.then_branch, true) || otherwise.is_some_and(|(_, branch)| lends(branch, true))
        }
        Expr::Match(of) => of.arms.iter().any(|arm| lends(&arm.body, true)),
        Expr::Block(of) => ends(&of.block, in_branch),
        Expr::Reference(of) if in_branch => match &*of.expr {
            // One with a capital makes a value that may be a constant.
            Expr::Call(call) => matches!(&*call.func, Expr::Path(function) if function
                .path
                .segments
                .last()
                .is_some_and(|name| name.ident.to_string().starts_with(char::is_lowercase))),
            made => matches!(made, Expr::MethodCall(_) | Expr::Macro(_)),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(u32, String)> {
        newest(text, &syn::parse_file(text).unwrap())
    }

    #[test]
    fn the_newest_that_a_file_has_is_told() {
        let borrows = "fn f() -> impl Fn() + use<> { || () }";
        let selects = "fn g() -> u8 { cfg_select! { _ => 1 } }";
        let defines = "macro_rules! cfg_select { () => {} }";
        assert_eq!(found("fn f() {}"), None);
        assert_eq!(found(borrows), Some((82, "impl Trait + use<…>".to_owned())));
        let both = format!("{borrows}{selects}");
        assert_eq!(found(&both), Some((95, "cfg_select!".to_owned())));
        assert_eq!(found(&format!("{defines}{selects}")), None);
        for (text, since) in [
            ("const A: [u8; 1] = [const { 1 }; 1];", 79),
            ("fn f() { vec![const { 1 }; 2]; }", 0),
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
            ("fn f(x: u8) { &raw const x; }", 82),
            ("fn f() -> u8 { match g() { Ok(x) => x } }", 82),
            ("fn f() { let Ok(x) = g(); }", 82),
            ("fn f() { let Err(x): Result<Infallible, u8> = g(); }", 82),
            (
                "fn f() { match g() { Ok(x) => x, Err(e) => match e {} } }",
                0,
            ),
            ("fn f() { let Ok(x) = g() else { return }; }", 0),
            ("unsafe extern \"C\" {}", 82),
            ("#[unsafe(no_mangle)] fn f() {}", 82),
            ("impl A { const fn f(&mut self) {} }", 83),
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
                "fn f() { let a = match b { 1 => { &c.d() } _ => e }; }",
                79,
            ),
            (
                "fn f() { let a = if b { &D(1) } else { &{ E } }; let g = { &h() }; let i = if b { &j() } else { k }.len(); }",
                0,
            ),
            ("fn f() { let (a, b): (V, V) = g().collect(); }", 79),
            ("fn f() { h(g().collect::<(V, V, V)>()); }", 85),
            (
                "fn f() { let (a, b): (V, V) = g().unzip(); g().collect::<()>(); }",
                0,
            ),
            ("fn f(x: u32) -> u32 { x.isqrt() }", 84),
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
                "fn f(x: u32) -> u32 { x.isqrt() } trait R { fn isqrt(self) -> u32; }",
                0,
            ),
            ("fn f(x: u32) -> u32 { isqrt(x) + x.isqrt }", 0),
            ("use std::iter::{once, repeat_n};", 82),
            ("use std::iter::once;", 0),
            ("fn f() { for _ in std::iter::chain([1], [2]) {} }", 91),
            ("mod error { use core::error::Error; }", 81),
            ("mod core { pub mod error {} } use core::error;", 0),
            (
                "fn f() { for _ in iter::chain([1], [2]) {} } mod iter { pub fn chain() {} }",
                0,
            ),
            (
                "static A: std::sync::LazyLock<u8> = std::sync::LazyLock::new(f);",
                80,
            ),
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
        ] {
            assert_eq!(found(text).map_or(0, |(minor, _)| minor), since, "{text}");
        }
        let among_tokens = "fn h() { println!(\"{}\", cfg_select! { _ => 1 }); }";
        assert_eq!(found(among_tokens), found(selects));
    }
}
