//! Bodies that a trait of other people provides and each impl of it replaces. Nobody runs them, but as long as they are there the type checker
//! wants what they call: of `rand`, for `random_range`, which samples once, also all that samples more than once.
//!
//! The compiler confirms that each impl has its own: one without would not compile.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItem, Item, ItemImpl, ItemTrait, Pat, TraitItem, TraitItemFn};

use super::variants;
use crate::bundle::text::source::{self, Edits};

/// The text in which traits ask for what each of their impls has itself; nothing if none provides that.
pub fn without_bodies(text: &str) -> Result<Option<String>> {
    let file = source::parsed(text)?;
    let mut found = Found::default();
    found.visit_file(&file);
    let mut edits = Edits::default();
    for (name, of_trait) in &found.traits {
        let (Some(of_trait), Some(impls)) = (of_trait, found.impls.get(name)) else {
            continue;
        };
        if found.in_macros.contains(name) {
            continue;
        }
        for item in &of_trait.items {
            let TraitItem::Fn(item) = item else { continue };
            let name = item.sig.ident.to_string();
            if may_be_asked_for(item) && impls.iter().all(|items| items.contains(&name)) {
                ask_for(item, &mut edits);
            }
        }
    }
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// Writes a function that a trait provides as one that it asks for.
fn ask_for(item: &TraitItemFn, edits: &mut Edits) {
    let Some(body) = &item.default else { return };
    for attribute in &item.attrs {
        // These are about a body.
        if ["cold", "inline"]
            .iter()
            .any(|name| attribute.path().is_ident(name))
        {
            edits.delete(attribute.span().byte_range());
        }
    }
    edits.replace(body.span().byte_range(), ";");
}

/// Whether a function with a body compiles without it: its arguments then have to be plain names.
fn may_be_asked_for(item: &TraitItemFn) -> bool {
    let is_name = |input: &FnArg| match input {
        FnArg::Receiver(of) => of.mutability.is_none(),
        FnArg::Typed(of) => match &*of.pat {
            Pat::Ident(of) => of.mutability.is_none() && of.by_ref.is_none() && of.subpat.is_none(),
            pattern => matches!(pattern, Pat::Wild(_)),
        },
    };
    item.default.is_some() && item.sig.inputs.iter().all(is_name)
}

#[derive(Default)]
struct Found<'a> {
    /// The traits of other people, by name: nothing where there are several so called.
    traits: BTreeMap<String, Option<&'a ItemTrait>>,
    /// For each name of a trait, the functions of its impls that are there on every system.
    impls: BTreeMap<String, Vec<BTreeSet<String>>>,
    /// The names in rules of macros and in what they are called with, which may make impls.
    in_macros: BTreeSet<String>,
    /// Whether this is code of other people.
    is_of_others: bool,
}

impl Found<'_> {
    fn add_names(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(name) => drop(self.in_macros.insert(name.to_string())),
                TokenTree::Group(group) => self.add_names(group.stream()),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Found<'ast> {
    fn visit_item(&mut self, item: &'ast Item) {
        let before = self.is_of_others;
        self.is_of_others |= variants::is_silenced(item);
        visit::visit_item(self, item);
        self.is_of_others = before;
    }

    fn visit_item_trait(&mut self, of_trait: &'ast ItemTrait) {
        let name = of_trait.ident.to_string();
        let known = self.traits.contains_key(&name);
        let only = (self.is_of_others && !known).then_some(of_trait);
        self.traits.insert(name, only);
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        let path = block.trait_.as_ref().map(|(path, _)| path);
        if let Some(name) = path.and_then(|path| path.segments.last()) {
            let items = block.items.iter().filter_map(|item| match item {
                ImplItem::Fn(item) if !item.attrs.iter().any(is_cfg) => {
                    Some(item.sig.ident.to_string())
                }
                _ => None,
            });
            let of_name = self.impls.entry(name.ident.to_string()).or_default();
            of_name.push(items.collect());
        }
        visit::visit_item_impl(self, block);
    }

    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        self.add_names(of.tokens.clone());
    }

    // It may bring a trait under another name.
    fn visit_use_rename(&mut self, rename: &'ast syn::UseRename) {
        let name = rename.ident.to_string();
        self.in_macros.insert(name);
    }
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_impls_have_themselves_is_asked_for() {
        let left = |body: &str, impls: &str, rest: &str| {
            let text = format!(
                "#[allow(warnings)] mod a {{ pub trait T {{ fn f(&self); {body} }} {impls} }} {rest} fn main() {{}}"
            );
            let found = without_bodies(&text).unwrap();
            let place = found
                .as_deref()
                .map(|text| &text[text.find("fn f(&self);").unwrap() + 13..]);
            place.map(|text| text[..text.find(" } ").unwrap()].to_owned())
        };
        let body = "#[inline] fn g(&self, a: u8) -> u8 { self.f(); a }";
        let both = "impl T for u8 { fn f(&self) {} fn g(&self, a: u8) -> u8 { a } } impl<A> T for [A] { fn f(&self) {} fn g(&self, _: u8) -> u8 { 1 } }";
        assert_eq!(
            left(body, both, "").unwrap().trim(),
            "fn g(&self, a: u8) -> u8 ;"
        );
        let shown = "m!(\"T\");";
        assert!(left(body, both, shown).is_some());
        // One has it not, or not on every system, or may not be seen.
        for (impls, rest) in [
            ("impl T for u8 { fn f(&self) {} }", ""),
            ("impl T for u8 { fn f(&self) {} m!(); }", ""),
            (
                "impl T for u8 { fn f(&self) {} #[cfg(unix)] fn g(&self, a: u8) -> u8 { a } }",
                "",
            ),
            ("", ""),
            (both, "m!(a::T for u16);"),
            (both, "use a::T as U; impl U for u16 { fn f(&self) {} }"),
            (both, "mod b { trait T {} }"),
        ] {
            assert_eq!(left(body, impls, rest), None, "{impls} {rest}");
        }
        assert_eq!(
            left("fn g(&self, mut a: u8) -> u8 { a += 1; a }", both, ""),
            None
        );
        // The user's own code stays as it was written.
        let own = format!("trait T {{ fn f(&self); {body} }} {both} fn main() {{}}");
        assert_eq!(without_bodies(&own).unwrap(), None);
    }
}
