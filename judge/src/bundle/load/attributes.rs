//! Attributes: which cfgs hold, and what of the others the file needs.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{anyhow, Result};
use proc_macro2::extra::DelimSpan;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{AttrStyle, Attribute, Expr, ExprLit, Lit, Meta, Token};

use super::attributed;
use super::callers;
use crate::bundle::resolve::cfg::Settled;
use crate::bundle::resolve::Unit;
use crate::bundle::text::source;

use super::files::INCLUDES;
use super::macros::path_name;
use super::{Loader, Pass};

/// What `use name;` means before a macro of that name: attributes of the compiler.
pub(super) const ATTRIBUTES: [&str; 24] = [
    "allow",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "feature",
    "forbid",
    "ignore",
    "inline",
    "link",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "path",
    "repr",
    "should_panic",
    "track_caller",
    "used",
    "warn",
];

/// What becomes of a node that has attributes.
pub(super) enum Fate {
    Keep,
    Drop,
}

/// Lints that are errors where nobody allows them: an `allow(warnings)` does not speak of them.
pub const ERRORS: [&str; 20] = [
    "ambiguous_associated_items",
    "arithmetic_overflow",
    "bindings_with_variant_name",
    "dangerous_implicit_autorefs",
    "deref_nullptr",
    "enum_intrinsics_non_enums",
    "invalid_atomic_ordering",
    "invalid_from_utf8_unchecked",
    "invalid_null_arguments",
    "invalid_reference_casting",
    "let_underscore_lock",
    "long_running_const_eval",
    "mutable_transmutes",
    "overflowing_literals",
    "semicolon_in_expressions_from_macros",
    "static_mut_refs",
    "text_direction_codepoint_in_literal",
    "unconditional_panic",
    "undropped_manually_drops",
    "useless_deprecated",
];

impl Pass<'_, '_, '_> {
    /// Settles the attributes of a node.
    pub(super) fn attributes(&mut self, attrs: &[Attribute], crate_root: bool) -> Fate {
        for attr in attrs {
            let range = attr.span().byte_range();
            let inner = matches!(attr.style, AttrStyle::Inner(_));
            let path = path_name(attr.path());
            let is_settled = match path.as_str() {
                "cfg" | "cfg_attr" => true,
                "allow" => !self.loader.unit.own,
                _ => false,
            };
            match path.as_str() {
                _ if is_settled => match self.settled(&attr.meta, inner, crate_root) {
                    Some(mut left) => {
                        // What is exported is written another way.
                        left.retain(|meta| !meta.starts_with("macro_export"));
                        let bang = if inner { "!" } else { "" };
                        let left = left.iter().map(|meta| format!("#{bang}[{meta}]"));
                        let left: String = left.collect();
                        match left.is_empty() {
                            true => self.delete_attribute(range),
                            false => self.edits.replace(range, left),
                        }
                    }
                    None => return Fate::Drop,
                },
                "test" | "bench" => return Fate::Drop,
                "macro_export" => self.delete_attribute(range),
                "expect" if self.loader.unit.own => {
                    // An expectation may be fulfilled by code that is gone.
                    let word = attr.path().span().byte_range();
                    self.edits.replace(word, "allow");
                    self.without_reason(attr);
                }
                "allow" if !is_elsewhere(&attr.meta) => self.without_reason(attr),
                _ if is_elsewhere(&attr.meta) => self.delete_attribute(range),
                name if !self.keeps(name, inner, crate_root) => self.delete_attribute(range),
                _ => {}
            }
        }
        Fate::Keep
    }

    /// Makes a comment of `reason = "…"`, which Rust knows from 1.81 on, of an attribute that has a line to itself.
    fn without_reason(&mut self, attr: &Attribute) {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        let metas = attr.parse_args_with(parser).unwrap_or_default();
        let mut metas = metas.iter().rev();
        let (Some(Meta::NameValue(last)), Some(before)) = (metas.next(), metas.next()) else {
            return;
        };
        let reason = match &last.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(reason),
                ..
            }) if last.path.is_ident("reason") => reason.value(),
            _ => return,
        };
        let end = attr.span().byte_range().end;
        let is_last = self.text[end..]
            .trim_start_matches([' ', '\r'])
            .starts_with('\n');
        if is_last && !reason.contains(['\n', '\r']) {
            let place = before.span().byte_range().end..last.span().byte_range().end;
            self.delete(place);
            self.edits.replace(end - 1..end, format!("] // {reason}"));
        }
    }

    /// What stays of an attribute when all is put in that is settled; `None` if it takes its node away.
    pub(super) fn settled(
        &self,
        meta: &Meta,
        inner: bool,
        crate_root: bool,
    ) -> Option<Vec<String>> {
        let as_it_is = || meta.to_token_stream().to_string();
        let path = path_name(meta.path());
        if !matches!(path.as_str(), "cfg" | "cfg_attr") {
            if path == "allow" && !self.loader.unit.own {
                return Some(allowed_errors(meta).into_iter().collect());
            }
            let keeps = self.keeps(&path, inner, crate_root) && !is_elsewhere(meta);
            return Some(keeps.then(as_it_is).into_iter().collect());
        }
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        let metas = meta.require_list().map(|list| list.parse_args_with(parser));
        let mut metas = metas.ok().and_then(Result::ok).into_iter().flatten();
        let Some(predicate) = metas.next() else {
            return Some(vec![as_it_is()]);
        };
        let holds = self.loader.unit.cfg.settle(&predicate);
        if path == "cfg" {
            return match holds {
                Settled::True => Some(Vec::new()),
                Settled::False => None,
                Settled::Open(left) => Some(vec![format!("cfg({left})")]),
            };
        }
        let mut rest = Vec::new();
        for meta in metas {
            match (self.settled(&meta, inner, crate_root), &holds) {
                (Some(left), _) => rest.extend(left),
                (None, Settled::True) => return None,
                (None, _) => rest.push("cfg(any())".to_owned()),
            }
        }
        match holds {
            Settled::Open(left) if !rest.is_empty() => {
                Some(vec![format!("cfg_attr({left}, {})", rest.join(", "))])
            }
            Settled::False => {
                // The spelling from before rustfmt had an attribute. An inner one the compiler would not take.
                let is_skip = |meta: &String| meta == "rustfmt_skip" || meta == "rustfmt :: skip";
                let skips = self.loader.unit.own
                    && !inner
                    && predicate.path().is_ident("rustfmt")
                    && rest.iter().any(is_skip);
                Some(Vec::from_iter(skips.then(|| "rustfmt::skip".to_owned())))
            }
            _ => Some(rest),
        }
    }

    /// Whether an attribute matters in the bundle.
    pub(super) fn keeps(&self, name: &str, inner: bool, crate_root: bool) -> bool {
        let program = self.loader.unit.module.is_empty();
        match name {
            "warn" | "deny" | "forbid" => false,
            "no_std" | "crate_name" | "crate_type" | "feature" | "html_root_url" => false,
            // The file that it names is in its place.
            "path" => false,
            "no_main" | "recursion_limit" | "type_length_limit" => program,
            // The front page of a library is about all that was in it.
            "doc" if inner && crate_root && !program => false,
            "doc" | "allow" if self.loader.unit.own => true,
            "doc" | "allow" | "expect" | "must_use" | "deprecated" | "automatically_derived" => {
                false
            }
            _ if name.starts_with("clippy::") || name.starts_with("rustfmt::") => {
                self.loader.unit.own
            }
            _ if name.starts_with("diagnostic::") => false,
            _ => !(inner && crate_root) || self.loader.unit.own,
        }
    }

    /// Settles a node in a list: gone with its comma, or kept.
    pub(super) fn node(&mut self, attrs: &[Attribute], range: Range<usize>) -> Fate {
        let fate = self.attributes(attrs, false);
        if let Fate::Drop = fate {
            let after = &self.text[range.end..];
            let blanks = |at: usize| after[at..].len() - after[at..].trim_start().len();
            let mut comma = blanks(0);
            let is_comment = after[comma..].starts_with('/');
            for comment in source::comments(if is_comment { after } else { "" }) {
                if comment.start != comma {
                    break;
                }
                comma = comment.end + blanks(comment.end);
            }
            let end = if after[comma..].starts_with(',') {
                range.end + comma + 1
            } else {
                range.end
            };
            self.delete_item(range.start..end);
        }
        fate
    }

    /// The same with the attributes that the node's text begins with: those before `a + b` are not the sum's for `syn`.
    pub(super) fn listed(&mut self, node: &impl ToTokens) -> Fate {
        let range = node.span().byte_range();
        if !self.text[range.start..].starts_with('#') {
            return Fate::Keep;
        }
        let parse = |input: syn::parse::ParseStream| {
            let attrs = input.call(Attribute::parse_outer)?;
            input.parse::<TokenStream>()?;
            Ok(attrs)
        };
        match parse.parse2(node.to_token_stream()) {
            Ok(attrs) => self.node(&attrs, range),
            Err(_) => Fate::Keep,
        }
    }

    /// Settles the expressions between two delimiters; tells how many are left.
    pub(super) fn elements(
        &mut self,
        elements: &Punctuated<Expr, Token![,]>,
        around: DelimSpan,
    ) -> usize {
        let inside = around.open().byte_range().end..around.close().byte_range().start;
        let attributes = self.text[inside].contains('#');
        let mut left = 0;
        for element in elements {
            if attributes && matches!(self.listed(element), Fate::Drop) {
                continue;
            }
            left += 1;
            self.visit_expr(element);
        }
        left
    }

    /// Whether what has these attributes is there on this machine.
    pub(super) fn holds(&self, attrs: &[Attribute]) -> bool {
        let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let mut conditions = conditions.filter_map(|attr| attr.parse_args::<Meta>().ok());
        conditions.all(|condition| self.loader.unit.cfg.holds(&condition))
    }

    /// What is left of the cfgs among some attributes: on a line of its own, as what is exported has one (see `exported`).
    pub(super) fn open_cfg(&self, attrs: &[Attribute]) -> String {
        let mut open = String::new();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
            let predicate = attr.parse_args::<Meta>();
            let settled = predicate.map(|predicate| self.loader.unit.cfg.settle(&predicate));
            if let Ok(Settled::Open(left)) = settled {
                open += &format!("#[cfg({left})] ");
            }
        }
        if !open.is_empty() {
            open.push('\n');
        }
        open
    }

    /// What becomes of the predicate of a cfg among tokens.
    pub(super) fn settle(&mut self, predicate: &Meta) -> Settled {
        let own = self.loader.unit.own;
        self.agreed(|unit| unit.cfg.settle_in(own, predicate))
    }

    /// The answer of the crate that we load. In a macro that others call, it is the answer of these.
    pub(super) fn agreed<T: PartialEq>(&mut self, answer: impl Fn(&Unit) -> T) -> T {
        let Loader { units, at, .. } = *self.loader;
        let answer = |at: usize| answer(&units[at]);
        let at_home = answer(at);
        let Some(name) = &self.defining else {
            return at_home;
        };
        let mut reaching = callers::reaching(units, at).into_iter();
        if reaching.all(|at| answer(at) == at_home) {
            return at_home;
        }
        let mut answers = callers::calling(units, at, name)
            .into_iter()
            .map(|at| (at, answer(at)));
        let Some((one, first)) = answers.next() else {
            return at_home;
        };
        if let Some((other, _)) = answers.find(|(_, other)| *other != first) {
            let [one, other] = [one, other].map(|at| units[at].title());
            self.error.get_or_insert(anyhow!(
                "its macro `{name}` asks for features, for what a build script sets, or for the name of the package: that is answered for \
                 the crate that calls it, and {one} and {other} have different answers"
            ));
        }
        first
    }

    pub(super) fn settle_in_macro(&mut self, list: &syn::MetaList) {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        let metas = list.parse_args_with(parser).unwrap_or_default();
        if let Some(predicate) = metas.first() {
            self.settle_in_place(predicate);
        }
    }

    /// Settles the attributes in the body of a macro that no other macro sees.
    pub(super) fn attributes_in_body(
        &mut self,
        body: TokenStream,
        kinds: &BTreeMap<String, String>,
    ) {
        let is_conditional = |meta: &Meta| {
            let path = meta.path();
            path.is_ident("cfg") || path.is_ident("cfg_attr")
        };
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        for of in attributed::in_body(body, kinds) {
            for (range, meta) in of.attributes {
                let metas = meta.require_list().map(|list| list.parse_args_with(parser));
                let metas = Vec::from_iter(metas.ok().and_then(Result::ok).into_iter().flatten());
                let [predicate, made @ ..] = &metas[..] else {
                    continue;
                };
                if !is_conditional(&meta) {
                    continue;
                }
                match (self.settle(predicate), meta.path().is_ident("cfg")) {
                    (Settled::False, true) => {
                        if let Some(whole) = of.whole {
                            match of.is_value {
                                true => self.edits.replace(whole, "{}".to_owned()),
                                false => self.delete(whole),
                            }
                            break;
                        }
                    }
                    (Settled::True, true) | (Settled::False, false) => self.delete(range),
                    (Settled::True, false) if !made.iter().any(is_conditional) => {
                        let made = made.iter().map(|meta| &self.text[meta.span().byte_range()]);
                        let made: Vec<String> = made.map(|meta| format!("#[{meta}]")).collect();
                        self.edits.replace(range, made.join(" "));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Writes what becomes of a predicate in its place.
    pub(super) fn settle_in_place(&mut self, predicate: &Meta) {
        let with = match self.settle(predicate) {
            Settled::True => "all()".to_owned(),
            Settled::False => "any()".to_owned(),
            Settled::Open(left) => left,
        };
        self.edits.replace(predicate.span().byte_range(), with);
    }

    pub(super) fn cfg_value(&mut self, predicate: &Meta, range: Range<usize>) {
        let with = match self.settle(predicate) {
            Settled::True => "true".to_owned(),
            Settled::False => "false".to_owned(),
            Settled::Open(left) => format!("cfg!({left})"),
        };
        self.edits.replace(range, with);
    }
}

/// Of what is allowed, the lints that are errors: the attribute of a crate's module speaks of warnings.
fn allowed_errors(meta: &Meta) -> Option<String> {
    let listed = meta.require_list().ok()?.tokens.to_string();
    let found: Vec<&str> = source::words(&listed)
        .filter(|word| ERRORS.contains(word))
        .collect();
    (!found.is_empty()).then(|| format!("allow({})", found.join(", ")))
}

/// Whether it is documentation that stands in another file.
pub(super) fn is_elsewhere(meta: &Meta) -> bool {
    let Meta::NameValue(pair) = meta else {
        return false;
    };
    let value = match &pair.value {
        Expr::Macro(value) if pair.path.is_ident("doc") => value.to_token_stream().to_string(),
        _ => return false,
    };
    let found = source::words(&value).any(|word| INCLUDES.contains(&word));
    found
}
