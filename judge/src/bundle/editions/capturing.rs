//! `impl Trait` that borrows from as little in edition 2024 as it does in 2021.
//!
//! `use<…>` says so, which compilers before 1.82 do not know, and edition 2021 needs nothing there. So a macro writes it in 2024 alone, that
//! tells the editions apart by what they take for an expression: `_` is one since 2024.

use std::ops::Range;

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{File, Item, TypeImplTrait, TypeMacro};

use crate::bundle::compiler::Fix;
use crate::bundle::text::source::{self, Edits};

const NAME: &str = "capturing";

/// The rules of the macro. What is captured is in brackets, as it may be nothing: `<>` might be a list of one `>`.
const RULES: &str = "
\t($edition_2024:expr, [$($captured:tt),*] $($bounds:tt)+) => { $($bounds)+ + use<$($captured),*> };
\t(_, [$($captured:tt),*] $($bounds:tt)+) => { $($bounds)+ };
";

/// What the compiler suggests for edition 2024, `use<…>` as a bound, written so that only that edition sees it. Where that cannot be, as in
/// the rules of a macro, it stays as it is. None if all is written already.
pub fn in_2024_only(text: &str, fixes: &[Fix]) -> Option<Edits> {
    let mut found = Found::default();
    if let Ok(file) = syn::parse_file(text) {
        found.visit_file(&file);
    }
    let is_written = |(range, _): &&Fix| {
        let mut calls = found.calls.iter();
        calls.any(|call| call.start <= range.start && range.end <= call.end)
    };
    let name = found.name.clone().unwrap_or_else(|| unused(text));
    let mut edits = Edits::default();
    let mut is_called = false;
    for (range, with) in fixes.iter().filter(|fix| !is_written(fix)) {
        let captured = with.strip_prefix(" + use<");
        let captured = captured.and_then(|rest| rest.strip_suffix('>'));
        let of = found.opaque.iter().find(|of| of.end == range.start);
        match (captured, of) {
            (Some(captured), Some(of)) if range.is_empty() => {
                let before = format!("crate::{name}!(_, [{captured}] ");
                edits.surround(of.clone(), &before, ")");
                is_called = true;
            }
            _ => edits.replace(range.clone(), with),
        }
    }
    if is_called && found.name.is_none() {
        let definition = format!(
            "\n\n// For edition 2024: there `_` is an expression, and `impl Trait` borrows from all arguments.\n\
             macro_rules! {name} {{{RULES}}}\npub(crate) use {name};"
        );
        edits.insert(text.trim_end().len(), definition);
    }
    (!edits.is_empty()).then_some(edits)
}

/// A name that the text has for nothing.
fn unused(text: &str) -> String {
    let mut name = NAME.to_owned();
    while source::words(text).any(|word| word == name) {
        name.push('_');
    }
    name
}

/// Whether the rules of a macro are those that tell the editions apart.
pub fn are_rules(rules: &TokenStream) -> bool {
    let known: TokenStream = RULES.parse().unwrap_or_default();
    rules.to_string() == known.to_string()
}

/// What a text has of it.
#[derive(Default)]
struct Found {
    opaque: Vec<Range<usize>>,
    /// The macro, and the calls of it.
    name: Option<String>,
    calls: Vec<Range<usize>>,
}

impl<'ast> Visit<'ast> for Found {
    fn visit_file(&mut self, file: &'ast File) {
        let mut macros = file.items.iter().filter_map(|item| match item {
            Item::Macro(item) => item.ident.as_ref().filter(|_| are_rules(&item.mac.tokens)),
            _ => None,
        });
        self.name = macros.next_back().map(ToString::to_string);
        visit::visit_file(self, file);
    }

    fn visit_type_impl_trait(&mut self, of: &'ast TypeImplTrait) {
        self.opaque.push(of.span().byte_range());
        visit::visit_type_impl_trait(self, of);
    }

    fn visit_type_macro(&mut self, of: &'ast TypeMacro) {
        let called = of.mac.path.segments.last();
        if called.is_some_and(|called| self.name.as_ref().is_some_and(|name| called.ident == name))
        {
            self.calls.push(of.span().byte_range());
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::ItemMacro;

    use super::*;

    fn written(text: &str, with: &str) -> Option<String> {
        let at = text.find('|').unwrap();
        let text = text.replace('|', "");
        Some(in_2024_only(&text, &[(at..at, with.to_owned())])?.apply(&text))
    }

    #[test]
    fn a_macro_tells_the_editions_apart() {
        let once = written("fn f<T>(a: &T) -> S<impl A + B|> {}\n", " + use<T>").unwrap();
        let (function, definition) = once.split_once("\n\n").unwrap();
        assert_eq!(
            function,
            "fn f<T>(a: &T) -> S<crate::capturing!(_, [T] impl A + B)> {}"
        );
        let definition: ItemMacro =
            syn::parse_str(definition.split_once("pub(").unwrap().0).unwrap();
        assert!(are_rules(&definition.mac.tokens));

        // What is written is told again.
        let again = once.replace("A + B)", "A + B|)");
        assert_eq!(written(&again, " + use<T>"), None);
        let more = once.replace("{}", "{} fn g<'a, T>(a: &T) -> impl B| {}");
        let more = written(&more, " + use<'a, T>").unwrap();
        assert!(more.contains("-> crate::capturing!(_, ['a, T] impl B) {}"));
        assert_eq!(more.matches("macro_rules!").count(), 1);
    }

    #[test]
    fn the_macro_gets_a_name_of_its_own() {
        let text = "fn capturing<T>(a: &T) -> impl A| {}";
        let text = written(text, " + use<T>").unwrap();
        assert!(text.contains("-> crate::capturing_!(_, [T] impl A) {}"));
        assert!(text.ends_with("}\npub(crate) use capturing_;"));
    }

    #[test]
    fn in_a_macro_it_stays_as_suggested() {
        let text = "macro_rules! m { () => { fn f<T>(a: &T) -> impl A| {} } }";
        let bound = text.replace('|', " + use<T>");
        assert_eq!(written(text, " + use<T>"), Some(bound));
    }
}
