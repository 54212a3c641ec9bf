//! Imports that lead out of the crate together, `use ::{a::b, std::io};`, each as one of its own.
//!
//! The compiler takes `::` in braces, `syn` does not, and a crate that becomes a module loses it where another keeps it.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, ItemUse, UseGroup, UseTree};

use crate::bundle::text::source::Edits;

/// The text with these imports apart; `None` if it has none.
pub fn apart(text: &str) -> Option<String> {
    let mut behind = text.split("use").skip(1).map(str::trim_start);
    let leads = |rest: &str| {
        let inside = rest.strip_prefix("::").map(str::trim_start);
        inside.is_some_and(|inside| inside.starts_with('{'))
    };
    if !behind.any(leads) {
        return None;
    }
    let mut writer = Writer(Edits::default());
    writer.visit_file(&syn::parse_file(text).ok()?);
    (!writer.0.is_empty()).then(|| writer.0.apply(text))
}

struct Writer(Edits);

impl<'ast> Visit<'ast> for Writer {
    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let (Some(colons), UseTree::Group(group)) = (import.leading_colon, &import.tree) else {
            return;
        };
        let Self(edits) = self;
        if group.items.is_empty() {
            let [first, second] = colons.spans;
            edits.delete(first.byte_range());
            edits.delete(second.byte_range());
            return;
        }
        let vis = import.vis.to_token_stream();
        part(group, &import.attrs, &format!("{vis} use ::"), edits);
    }
}

/// Makes each of what an import has in braces one of its own, which begins in the same way.
pub fn part(group: &UseGroup, attrs: &[Attribute], begin: &str, edits: &mut Edits) {
    let attrs: TokenStream = attrs.iter().map(ToTokens::to_token_stream).collect();
    let next = format!("; {attrs} {begin}");
    let braces = group.brace_token.span;
    edits.delete(braces.open().byte_range());
    edits.delete(braces.close().byte_range());
    for (n, pair) in group.items.pairs().enumerate() {
        if let Some(comma) = pair.punct() {
            let is_last = n + 1 == group.items.len();
            let with = if is_last { "" } else { &next };
            edits.replace(comma.span().byte_range(), with);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_that_lead_out_together_stand_apart() {
        let apart = |text: &str| apart(text).map(|text| text.replace(' ', ""));
        assert_eq!(
            apart("use ::{a::b, std::{io, fmt}};").as_deref(),
            Some("use::a::b;use::std::{io,fmt};")
        );
        assert_eq!(
            apart("fn f() { #[allow(x)] pub(crate) use :: { a as c, };}\nuse ::{};").as_deref(),
            Some("fnf(){#[allow(x)]pub(crate)use::aasc;}\nuse{};")
        );
        for text in ["use ::a::{b, c};", "use {a::b, c};", "// use ::{a, b};"] {
            assert_eq!(apart(text), None, "{text}");
        }
    }
}
