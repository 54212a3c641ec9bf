//! Limits of the compiler that a crate sets for itself, as `#![recursion_limit = "256"]`: code of the crate in the file is under the file's.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

use super::Unit;
use crate::bundle::text::source::{self, Edits};

const NAMES: [&str; 2] = ["recursion_limit", "type_length_limit"];

/// The limits by their names.
pub type Limits = BTreeMap<&'static str, u64>;

/// Whether the compiler says that one is too low.
pub fn are_reached(said: &str) -> bool {
    NAMES
        .iter()
        .any(|name| said.contains(&format!("#![{name}")))
}

/// Whether the compiler says that macros call each other too deeply.
pub fn are_reached_by_macros(message: &str) -> bool {
    message.starts_with("recursion limit reached while expanding")
}

/// The highest that any of the crates sets.
pub fn highest<'a>(units: impl Iterator<Item = &'a Unit>) -> Limits {
    let mut found = Limits::new();
    for unit in units {
        let text = fs::read_to_string(&unit.root).unwrap_or_default();
        for attr in &source::inner_attributes(&source::plain(&text)) {
            add(&mut found, &attr.meta, &|meta| unit.cfg.holds(meta));
        }
    }
    found
}

fn add(found: &mut Limits, meta: &Meta, holds: &dyn Fn(&Meta) -> bool) {
    each(meta, holds, &mut |meta| {
        if let Some((name, limit)) = limit(meta) {
            let highest = found.entry(name).or_default();
            *highest = limit.max(*highest);
        }
    });
}

/// Looks at an attribute, or at those that `cfg_attr` makes of it.
pub fn each(meta: &Meta, holds: &dyn Fn(&Meta) -> bool, look: &mut dyn FnMut(&Meta)) {
    let Meta::List(list) = meta else {
        return look(meta);
    };
    if !meta.path().is_ident("cfg_attr") {
        return look(meta);
    }
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let metas = list.parse_args_with(parser).unwrap_or_default();
    if metas.first().is_some_and(holds) {
        metas
            .iter()
            .skip(1)
            .for_each(|meta| each(meta, holds, look));
    }
}

fn limit(meta: &Meta) -> Option<(&'static str, u64)> {
    let name = NAMES.into_iter().find(|name| meta.path().is_ident(name))?;
    match &meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(limit),
            ..
        }) => Some((name, limit.value().parse().ok()?)),
        _ => None,
    }
}

/// The text of a file with these limits instead of its own.
pub fn raised(text: &str, limits: &Limits) -> Result<String> {
    if limits.is_empty() {
        return Ok(text.to_owned());
    }
    let mut edits = Edits::default();
    let is_limit = |attr: &&Attribute| limit(&attr.meta).is_some();
    for attr in syn::parse_file(text)?.attrs.iter().filter(is_limit) {
        edits.delete(attr.span().byte_range());
    }
    let lines = limits
        .iter()
        .map(|(name, limit)| format!("#![{name} = \"{limit}\"]\n"));
    Ok(lines.collect::<String>() + &edits.apply(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_limit_is_that_of_the_file() {
        let mut found = Limits::new();
        let text =
            "#![recursion_limit = \"256\"] #![cfg_attr(yes, recursion_limit = \"512\", no_std)]
            #![cfg_attr(no, recursion_limit = \"1024\")]";
        for attr in &syn::parse_file(text).unwrap().attrs {
            add(&mut found, &attr.meta, &|meta| meta.path().is_ident("yes"));
        }
        assert_eq!(found, Limits::from([("recursion_limit", 512)]));
        assert_eq!(
            raised("#![recursion_limit = \"300\"]fn main() {}", &found).unwrap(),
            "#![recursion_limit = \"512\"]\nfn main() {}"
        );
    }
}
