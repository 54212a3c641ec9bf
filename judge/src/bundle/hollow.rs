//! A text whose functions are empty where no code is made for them.
//!
//! It gives the code of the whole text: what a function's code is depends on its own body and on what stands outside of bodies, all of
//! which is still there, so by induction from `main` no function that is reached is other than before. Were an empty one reached
//! after all, its caller's code would show. The compiler is spared most of its work.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};

use super::source::{Edits, Lines};

/// Macros of the standard library that define nothing, and make no paths of what they are called with.
pub const HARMLESS: [&str; 22] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprintln",
    "format",
    "format_args",
    "line",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// A text, and which of its functions can be empty.
pub struct Hollow<'t> {
    text: &'t str,
    /// Where a function begins, and its body.
    bodies: Vec<(usize, Range<usize>)>,
}

impl<'t> Hollow<'t> {
    /// Looks at a text by its tokens.
    pub fn new(text: &'t str, tokens: TokenStream) -> syn::Result<Self> {
        let file: syn::File = syn::parse2(tokens)?;
        let mut macros = Macros(BTreeSet::new());
        macros.visit_file(&file);
        let mut bodies = Bodies {
            macros: macros.0,
            found: Vec::new(),
        };
        bodies.visit_file(&file);
        Ok(Self {
            text,
            bodies: bodies.found,
        })
    }

    /// Empties the functions of which no line is among those of the code. All lines stay as they are.
    pub fn without(&self, lines: &BTreeSet<usize>) -> String {
        let places = Lines::new(self.text);
        let mut edits = Edits::default();
        for (start, body) in &self.bodies {
            let of_function = places.at(*start)..=places.at(body.end);
            if lines.range(of_function).next().is_none() {
                let below = self.text[body.clone()].matches('\n').count();
                // This has any type.
                edits.replace(body.clone(), format!("{{loop {{}}}}{}", "\n".repeat(below)));
            }
        }
        edits.apply(self.text)
    }
}

/// The names of the macros that a text defines.
struct Macros(BTreeSet<String>);

impl<'ast> Visit<'ast> for Macros {
    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.0.extend(item.ident.as_ref().map(ToString::to_string));
    }
}

/// The functions that can be empty without a difference to others.
struct Bodies {
    macros: BTreeSet<String>,
    /// Where a function begins, and its body.
    found: Vec<(usize, Range<usize>)>,
}

impl Bodies {
    fn function(&mut self, signature: &syn::Signature, body: &syn::Block) {
        // Others may need the value of the function, or the type that it hides.
        let counts = signature.constness.is_some() || signature.asyncness.is_some();
        let mut inside = Inside {
            macros: &self.macros,
            counts,
        };
        inside.visit_return_type(&signature.output);
        inside.visit_block(body);
        if !inside.counts {
            let start = signature.fn_token.span.byte_range().start;
            let braces = body.brace_token.span;
            let body = braces.open().byte_range().start..braces.close().byte_range().end;
            self.found.push((start, body));
        }
    }
}

impl<'ast> Visit<'ast> for Bodies {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
    }
}

/// Whether something in a function counts outside of it.
struct Inside<'m> {
    macros: &'m BTreeSet<String>,
    counts: bool,
}

impl<'ast> Visit<'ast> for Inside<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {
        self.counts = true;
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let harmless = name
            .is_some_and(|name| HARMLESS.contains(&name.as_str()) && !self.macros.contains(&name));
        self.counts |= !harmless;
    }

    fn visit_type_impl_trait(&mut self, hidden: &'ast syn::TypeImplTrait) {
        self.counts = true;
        visit::visit_type_impl_trait(self, hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hollow(text: &str, lines: &[usize]) -> String {
        Hollow::new(text, text.parse().unwrap())
            .unwrap()
            .without(&lines.iter().copied().collect())
    }

    #[test]
    fn functions_without_code_are_empty() {
        let text = "fn f() { 1; }\nfn g(\n) -> u8 {\n    2\n}\ntrait T { fn h() { 3 } }\nimpl A {\nfn i() { 4 } fn j() { 5 }\n}";
        assert_eq!(
            hollow(text, &[1, 8]),
            "fn f() { 1; }\nfn g(\n) -> u8 {loop {}}\n\n\ntrait T { fn h() {loop {}} }\nimpl A {\nfn i() { 4 } fn j() { 5 }\n}"
        );
    }

    #[test]
    fn what_counts_outside_stays() {
        let same = |text: &str| hollow(text, &[]) == text;
        assert!(same("const fn f() -> u8 { 1 }"));
        assert!(same("async fn f() {}"));
        assert!(same("fn f() -> Option<impl T> { None }"));
        assert!(same("fn f() { impl T for u8 {} }"));
        assert!(same("fn f() { m!() }"));
        assert!(same("macro_rules! vec { () => {} } fn f() { vec![] }"));
        assert!(!same("fn f() { vec![]; }"));
        assert!(!same("fn f(x: impl T) {}"));
    }
}
