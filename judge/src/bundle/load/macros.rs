//! Macros: which of them are exported, which calls are replaced by what they make, and what in them has to be settled.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::ptr;
use std::rc::Rc;

use anyhow::{Context, Result};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, Item, ItemConst, Meta, Stmt};

use super::blocks;
use super::choices;
use super::expand::{self, Macro};
use super::pasted::{self, pasted};
use super::tails;
use super::written;
use crate::bundle::resolve::cfg::Settled;
use crate::bundle::resolve::Unit;
use crate::bundle::rewrite;
use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_ident, is_punct};

use super::attributes::{is_elsewhere, ATTRIBUTES};
use super::files::{has_module_file, literal, INCLUDES};
use super::templates;
use super::{Exported, Inside, Loader, Pass, Place};

/// Where a macro is called.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// With a semicolon behind it or without.
    Statement {
        ended: bool,
    },
    /// As the last of a block, which may be its value.
    Tail,
    /// As an expression of which nothing else is a part.
    Whole,
    Expression,
}

impl Pass<'_, '_, '_> {
    /// Tells apart the import that passes on a macro within a library: in the file it would go beyond, as those do that are exported.
    pub(super) fn passed_on_inside(&mut self, import: &syn::ItemUse) {
        if self.loader.unit.module.is_empty() {
            return;
        }
        let range = import.vis.span().byte_range();
        if self.text[range.clone()]
            .split_whitespace()
            .collect::<String>()
            != "pub(crate)"
        {
            return;
        }
        let names = source::leaves(import).into_iter();
        let names: BTreeSet<String> = names.filter_map(|(mut path, _)| path.pop()).collect();
        let Inside { defined, exported } = self.loader.macros_inside();
        if !names.is_disjoint(defined) && names.is_disjoint(exported) {
            self.edits.replace(range, "pub(in crate)");
        }
    }

    /// Makes a macro that was exported from the crate a name of its module, where its cfg holds; `child_module` passes it up to the root.
    pub(super) fn export(&mut self, name: &str, end: usize, cfg: &str) {
        let is_taken = |name: &str| self.loader.taken.iter().any(|taken| taken == name);
        let is_another = || rewrite::is_standard(name) || self.loader.elsewhere.contains(name);
        let apart = (is_taken(name) || !self.place.root && is_another()).then(|| {
            let mut module = format!("{name}_macro");
            while is_taken(&module) {
                module.push('_');
            }
            module
        });
        let import = if self.loader.renamed.iter().any(|renamed| renamed == name) {
            format!("pub(crate) use {name}_macro as {name};")
        } else {
            format!("pub(crate) use {name};")
        };
        // A comment behind the macro stays there.
        let end = source::end_of_comments(self.text, self.comments(), end);
        self.edits.insert(
            end,
            match &apart {
                Some(module) => format!("\n{cfg}pub(crate) mod {module} {{ {import} }}\n"),
                None => format!("\n{cfg}{import}\n"),
            },
        );
        let exported = Exported {
            name: name.to_owned(),
            apart,
            cfg: cfg.to_owned(),
        };
        // There may be one for each of several systems.
        if !self.exported.contains(&exported) {
            self.exported.push(exported);
        }
    }

    /// A call of a macro whose definition got another name.
    pub(super) fn renamed_call(&mut self, mac: &syn::Macro) {
        if let Some(name) = mac.path.get_ident() {
            if self.loader.renamed.iter().any(|renamed| name == renamed) {
                self.edits.insert(name.span().byte_range().end, "_macro");
            }
        }
    }

    /// An item macro: expanded if we know it. Own code stays as it was written, unless the macro makes modules that are in files of their own,
    /// or names of parts.
    pub(super) fn item_macro(&mut self, item: &syn::ItemMacro) -> Result<()> {
        let range = item.span().byte_range();
        let name = item
            .mac
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        if name == "compile_error" && !self.loader.unit.own {
            // It refuses other machines, since cargo has built this crate here.
            self.delete(range);
            return Ok(());
        }
        if name == "macro_rules" {
            let Some(ident) = &item.ident else {
                return Ok(());
            };
            let exported = item.attrs.iter().any(|attr| {
                let settled = || self.settled(&attr.meta, false, false).unwrap_or_default();
                match attr.path().is_ident("cfg_attr") {
                    true => settled()
                        .iter()
                        .any(|left| left.starts_with("macro_export")),
                    false => attr.path().is_ident("macro_export"),
                }
            });
            let local = calls_its_crate(&item.attrs);
            if exported && ATTRIBUTES.iter().any(|attribute| ident == attribute) {
                self.edits.insert(ident.span().byte_range().end, "_macro");
                self.loader.renamed.push(ident.to_string());
            }
            self.defining = exported.then(|| ident.to_string());
            if local {
                // `$crate::name` is what they are exported as.
                let renamed = std::mem::take(&mut self.loader.renamed);
                self.macro_tokens(item.mac.tokens.clone(), true);
                self.loader.renamed = renamed;
                for body in expansions(item.mac.tokens.clone()) {
                    self.calls_of_the_crate(body);
                }
            } else {
                self.macro_tokens(item.mac.tokens.clone(), true);
            }
            for (kinds, made) in templates::rules(item.mac.tokens.clone()) {
                self.attributes_in_body(made.stream(), &kinds);
            }
            self.defining = None;
            if self.loader.calling.contains(&ident.to_string()) {
                for body in expansions(item.mac.tokens.clone()) {
                    self.calls_of_variables(body);
                }
            }
            if !self.loader.unit.own {
                self.drop_refusals(item.mac.tokens.clone());
            }
            if !self.loader.unit.own && !self.loader.unit.is_newer() && !local {
                for body in expansions(item.mac.tokens.clone()) {
                    for (range, new) in tails::unblocked(self.text, body) {
                        self.edits.replace(range, new);
                    }
                }
            }
            if let Ok(parsed) = Macro::parse(item.mac.tokens.clone()) {
                self.loader
                    .macros
                    .push((ident.to_string(), Rc::new(parsed)));
            }
            if exported {
                let open = self.open_cfg(&item.attrs);
                self.export(&ident.to_string(), range.end, &open);
            }
            return Ok(());
        }
        if name == "include" && item.mac.path.segments.len() == 1 {
            let file = self.file_of(&item.mac)?;
            let text = self.loader.read(&file)?;
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            let place = Place {
                file,
                folder: folder.clone(),
                children: folder,
                inline: false,
                root: false,
            };
            if let Some(rendered) = self.loader.module(&text, &place)? {
                // The last line may be a comment.
                self.edits.replace(range, rendered.text + "\n");
                self.exported.extend(rendered.exported);
            }
            return Ok(());
        }
        let is_better =
            |file: &syn::File| self.expands_here(&item.mac) || has_module_file(&file.items);
        let expansion = self
            .expansion(&item.mac)
            .filter(|text| syn::parse_file(text).is_ok_and(|file| is_better(&file)));
        // What is left of the call's own cfg goes to each item.
        let open = self.open_cfg(&item.attrs);
        let expansion = expansion.and_then(|text| {
            if open.is_empty() {
                return Some(text);
            }
            Some(each_with(&open, &syn::parse_file(&text).ok()?.items))
        });
        let Some(rendered) = self.rendered(expansion)? else {
            self.renamed_call(&item.mac);
            if !self.predicates(&item.mac, false) {
                self.arguments(&item.mac);
            }
            return Ok(());
        };
        self.replace(range, rendered);
        Ok(())
    }

    /// A block without a name, if macros that we know are called in it.
    pub(super) fn block(&mut self, block: &ItemConst) -> Result<Option<String>> {
        // All else among its attributes is about lints.
        if !self.open_cfg(&block.attrs).is_empty() {
            return Ok(None);
        }
        let opened = blocks::opened(block, self);
        self.rendered(opened)
    }

    /// The compiler tells functions by their lines. An expansion is one line; what is written may have several items on one.
    pub(super) fn on_its_own_line(&mut self, start: usize, with_attributes: usize) {
        let before = |start: usize| self.text[..start].trim_end_matches(' ');
        if self.loader.depth > 0 {
            if !before(start).ends_with('\n') {
                self.edits.insert(start, "\n");
            }
            return;
        }
        let mut start = with_attributes;
        // A comment on that line is about what follows.
        while before(start).ends_with("*/") {
            let end = before(start).len();
            let comment = self.comments().iter().find(|comment| comment.end == end);
            start = comment.map_or(0, |comment| comment.start);
        }
        if before(start).ends_with(['}', ';']) && !self.text.contains("rustfmt::skip") {
            self.edits.insert(start, "\n");
        }
    }

    /// A macro call among the items of what begins so: expanded if we know it.
    pub(super) fn member_macro(
        &mut self,
        before: &str,
        attrs: &[Attribute],
        mac: &syn::Macro,
        range: Range<usize>,
    ) -> Result<()> {
        let is_cfg = |attr: &Attribute| attr.path().is_ident("cfg");
        let is_plain = attrs.iter().all(is_cfg);
        let expansion = is_plain.then(|| self.expansion(mac)).flatten();
        let expansion = expansion.filter(|_| self.expands_here(mac));
        // What is left of the call's own cfg goes to each.
        let open = self.open_cfg(attrs);
        let expansion = expansion.and_then(|text| {
            let text = format!("{before}{text}}}");
            let items = syn::parse_file(&text).ok()?.items;
            let members = match (&open[..], &items[..]) {
                ("", _) => return Some(text),
                (_, [Item::Impl(of)]) => each_with(&open, &of.items),
                (_, [Item::Trait(of)]) => each_with(&open, &of.items),
                _ => return None,
            };
            Some(format!("{before}{members}}}"))
        });
        let Some(rendered) = self.rendered(expansion)? else {
            self.arguments(mac);
            return Ok(());
        };
        let (start, rest) = rendered.split_once('{').unwrap_or_default();
        let items = rest.trim_end().strip_suffix('}');
        let items = items.filter(|_| before.starts_with(start.trim()));
        let items = items.context("what is around an expansion is not there any more")?;
        let items = items.to_owned();
        self.replace(range, items);
        Ok(())
    }

    /// An expansion, loaded like what is written in its place; `None` if it is better left to the compiler.
    pub(super) fn rendered(&mut self, expansion: Option<String>) -> Result<Option<String>> {
        let Some(expansion) = expansion else {
            return Ok(None);
        };
        let place = Place {
            root: false,
            ..self.place.clone()
        };
        let loader = &mut *self.loader;
        let before = (loader.macros.len(), loader.renamed.len());
        loader.depth += 1;
        let rendered = loader.module(&expansion, &place)?;
        loader.depth -= 1;
        let Some(rendered) = rendered else {
            return Ok(Some(String::new()));
        };
        let known = |path: &str| match path.rsplit_once("::") {
            None => loader.known(path),
            Some((before, name)) => {
                let first = before.split("::").next().unwrap_or_default();
                let is_here = !first.is_empty() && !loader.unit.dependencies.contains_key(first);
                is_here.then(|| loader.at_root(name)).flatten()
            }
        };
        let settled = expand::settled(&rendered.text, &known);
        let settled = match settled {
            Some(text) if loader.unit.own && loader.depth == 0 => Some(written::bare(text)),
            other => other,
        };
        match settled {
            Some(_) => self.exported.extend(rendered.exported),
            None => {
                loader.macros.truncate(before.0);
                loader.renamed.truncate(before.1);
            }
        }
        Ok(settled)
    }

    /// A call in a function of what has to be written out, in its place, if that is clear. Tells if it is.
    pub(super) fn written_call(
        &mut self,
        mac: &syn::Macro,
        range: Range<usize>,
        form: Form,
    ) -> bool {
        const BEFORE: &str = "fn around() {";
        if !self.is_to_be_written(mac) {
            return false;
        }
        let form = match self.text[range.end..].trim_start().starts_with('}') {
            true if form != Form::Expression => Form::Tail,
            _ => form,
        };
        if !std::mem::replace(&mut self.knows_variables, true) {
            let around = written::variables(self.text);
            self.loader.variables.extend(around);
        }
        let expansion = self.expansion_among(mac, &self.loader.variables);
        let form = match form {
            Form::Expression
                if self.whole.as_ref() == Some(&range) || written::is_alone(self.text, &range) =>
            {
                Form::Whole
            }
            form => form,
        };
        let expansion = expansion.filter(|text| written::replacement(text, form).is_some());
        self.loader.bodies += 1;
        let rendered = self.rendered(expansion.map(|text| format!("{BEFORE}{text}}}")));
        self.loader.bodies -= 1;
        let is_unclear = self.loader.is_unclear.get();
        if self.loader.bodies == 0 {
            self.loader.is_unclear.set(false);
        }
        let rendered = self.attempt(rendered).flatten();
        let Some(rendered) = rendered.filter(|_| !is_unclear) else {
            return false;
        };
        let inside = rendered.trim().strip_prefix(BEFORE);
        let inside = inside.and_then(|rest| rest.strip_suffix('}'));
        match inside.and_then(|text| written::replacement(text.trim(), form)) {
            Some(text) => self.edits.replace(range, text),
            None => return false,
        }
        true
    }

    /// Whether what a call makes where items stand is to be written in its place.
    fn expands_here(&self, mac: &syn::Macro) -> bool {
        !self.loader.unit.own || self.is_to_be_written(mac)
    }

    /// Whether a call in own code has to be written out, for what its macro makes is not known before: names of parts, what a file holds that
    /// the call names, as many conditions of a chain as the call has, or macros for others.
    fn is_to_be_written(&self, mac: &syn::Macro) -> bool {
        self.loader.unit.own
            && (self.is_paste(&mac.path)
                || self
                    .called(&mac.path)
                    .is_some_and(|called| self.makes_more(called, &mut Vec::new())))
    }

    /// Whether a macro makes such a thing, or one that it calls and that is not among the `seen`.
    fn makes_more<'m>(&'m self, called: &'m Macro, seen: &mut Vec<&'m Macro>) -> bool {
        if seen.iter().any(|one| ptr::eq(*one, called)) {
            return false;
        }
        seen.push(called);
        let mut templates = called.templates();
        templates.any(|made| self.has_more(made.clone(), seen))
    }

    fn has_more<'m>(&'m self, template: TokenStream, seen: &mut Vec<&'m Macro>) -> bool {
        let trees: Vec<TokenTree> = template.into_iter().collect();
        trees.iter().enumerate().any(|(at, tree)| {
            let TokenTree::Group(group) = tree else {
                return false;
            };
            let inside = group.stream();
            let is_attribute = at > 0 && is_punct(trees.get(at - 1), '#');
            let is_library = !self.loader.unit.module.is_empty();
            if is_attribute
                && is_library
                && is_ident(inside.clone().into_iter().next().as_ref(), "macro_export")
            {
                return true;
            }
            let repeats = at > 0 && is_punct(trees.get(at - 1), '$');
            if repeats
                && self.loader.unit.is_newer()
                && written::repeats_a_chain(group, &trees[at + 1..])
            {
                return true;
            }
            let Some(start) = at
                .checked_sub(2)
                .filter(|_| is_punct(trees.get(at - 1), '!'))
            else {
                return self.has_more(inside, seen);
            };
            let TokenTree::Ident(name) = &trees[start] else {
                return self.has_more(inside, seen);
            };
            let name = name.to_string();
            let path = &trees[written::path_start(&trees, at - 1)..at - 1];
            let path: Option<syn::Path> = syn::parse2(path.iter().cloned().collect()).ok();
            let reads = match name.as_str() {
                "env" | "option_env" => source::has_variable(inside.clone()),
                name => INCLUDES.contains(&name),
            };
            let is_pasted = || path.as_ref().is_some_and(|path| self.is_paste(path));
            if reads || is_pasted() || self.has_more(inside, seen) {
                return true;
            }
            let called = path.as_ref().and_then(|path| self.called(path));
            let known = called.or_else(|| self.loader.at_root(&name));
            known.is_some_and(|known| self.makes_more(known, seen))
        })
    }

    /// The expansion of a call of `cfg_if`, `cfg_select` or a macro that we know.
    pub(super) fn expansion(&self, mac: &syn::Macro) -> Option<String> {
        self.expansion_among(mac, &BTreeSet::new())
    }

    fn expansion_among(&self, mac: &syn::Macro, variables: &BTreeSet<String>) -> Option<String> {
        let name = mac.path.segments.last()?.ident.to_string();
        if self.loader.depth >= 64 {
            return None;
        }
        if choices::is_choice(&name) {
            if let Some(items) = choices::chosen_items(mac.tokens.clone()) {
                return Some(items);
            }
        }
        if self.is_paste(&mac.path) {
            let mut names = BTreeSet::new();
            let known = &self.loader.unit.variables;
            let made = pasted(mac.tokens.clone(), known, &mut names)?;
            // The variables of the function are others than those of a macro that is called in it.
            if self.loader.bodies > 0 && !names.is_disjoint(&self.loader.variables) {
                self.loader.is_unclear.set(true);
                return None;
            }
            return Some(match self.loader.unit.own {
                true => written::inside_with_comments(mac, made),
                false => made.to_string(),
            });
        }
        let known = self.called(&mac.path)?;
        let made = known.expand_among(mac.tokens.clone(), variables)?;
        Some(match self.loader.unit.own {
            true => written::with_comments(made),
            false => expand::counted(made).to_string(),
        })
    }

    /// The macro that a path leads to, if we know it.
    pub(super) fn called(&self, path: &syn::Path) -> Option<&Macro> {
        let loader = &*self.loader;
        let names = path.segments.iter().map(|name| name.ident.to_string());
        match &names.collect::<Vec<_>>()[..] {
            _ if !loader.expands => None,
            [name] => loader.known(name).or_else(|| {
                let name = loader.called_otherwise.get(name).unwrap_or(name);
                let others = loader.of_others.keys();
                let mut found = others.filter_map(|of| loader.of_other(of, name));
                found.next().filter(|_| found.next().is_none())
            }),
            [root, name] if root == "crate" => loader.known(name).or_else(|| loader.at_root(name)),
            [of, name] => loader.of_other(of, name),
            _ => None,
        }
    }

    /// Whether a path leads to the macro of the crate `paste`.
    fn is_paste(&self, path: &syn::Path) -> bool {
        let Loader { units, unit, .. } = *self.loader;
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let names: Vec<String> = names.collect();
        let has_paste = |unit: &Unit| {
            let mut dependencies = unit.dependencies.values();
            dependencies.any(|&at| units[at].is_paste())
        };
        // What a crate passes on, be it by another name.
        let passes_on = |unit: &Unit, name: &String| {
            let other = format!("{} as {name}", pasted::PACKAGE);
            has_paste(unit)
                && (name == pasted::PACKAGE || unit.texts().any(|text| text.contains(&other)))
        };
        match &names[..] {
            [name] => {
                name == pasted::PACKAGE && self.loader.known(name).is_none() && has_paste(unit)
            }
            [of, .., name] => match unit.dependencies.get(of) {
                Some(&at) if units[at].is_paste() => pasted::NAMES.contains(&name.as_str()),
                Some(&at) => units[at].own && passes_on(&units[at], name),
                None => of == "crate" && passes_on(unit, name),
            },
            [] => false,
        }
    }

    /// Writes `$crate::` before the macros that a macro calls, as `#[macro_export(local_inner_macros)]` has them read.
    fn calls_of_the_crate(&mut self, body: TokenStream) {
        let trees: Vec<TokenTree> = body.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                // What takes a call by its name would not know it by a path. Whoever calls this has all the crate's macros in scope.
                TokenTree::Group(_)
                    if at >= 2
                        && is_punct(trees.get(at - 1), '!')
                        && self.loader.taking.contains(&trees[at - 2].to_string()) => {}
                TokenTree::Group(group) => self.calls_of_the_crate(group.stream()),
                TokenTree::Ident(name)
                    if is_punct(trees.get(at + 1), '!')
                        && matches!(trees.get(at + 2), Some(TokenTree::Group(_)))
                        && !(at > 0
                            && (is_punct(trees.get(at - 1), ':')
                                || is_punct(trees.get(at - 1), '$'))) =>
                {
                    self.edits
                        .insert(name.span().byte_range().start, "$crate::");
                }
                _ => {}
            }
        }
    }

    /// Writes `$crate::` before the variables that a macro calls.
    fn calls_of_variables(&mut self, body: TokenStream) {
        let trees: Vec<TokenTree> = body.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Group(group) = tree {
                if at >= 3 && is_punct(trees.get(at - 1), '!') && is_punct(trees.get(at - 3), '$') {
                    let start = trees[at - 3].span().byte_range().start;
                    self.edits.insert(start, "$crate::");
                }
                self.calls_of_variables(group.stream());
            }
        }
    }

    /// Drops the arms of a macro that only refuse: no call that compiles ever came there.
    fn drop_refusals(&mut self, body: TokenStream) {
        let trees: Vec<TokenTree> = body.into_iter().collect();
        let mut at = 0;
        let mut dropped = 0;
        while let (Some(lhs), Some(TokenTree::Group(rhs))) = (trees.get(at), trees.get(at + 3)) {
            let mut words = rhs.stream().into_iter();
            let refuses = is_ident(words.next().as_ref(), "compile_error");
            let semicolon = match trees.get(at + 4) {
                Some(TokenTree::Punct(p)) if p.as_char() == ';' => Some(p.span().byte_range().end),
                _ => None,
            };
            let last = trees.len() <= at + 4 + usize::from(semicolon.is_some());
            // A macro without any arm is none.
            if refuses && !(last && dropped == at / 5) {
                let end = semicolon.unwrap_or(rhs.span().byte_range().end);
                self.delete(lhs.span().byte_range().start..end);
                dropped += 1;
            }
            at += 4 + usize::from(semicolon.is_some());
        }
    }

    /// What a macro is called with: its patterns may tell `cfg!(…)` from a value.
    pub(super) fn arguments(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let is_matched =
            self.loader.unit.own && !name.is_some_and(|name| rewrite::is_standard(&name));
        let before = std::mem::replace(&mut self.is_matched, is_matched);
        self.macro_tokens(mac.tokens.clone(), false);
        self.is_matched = before;
    }

    /// cfg inside a macro's tokens: settled, but still an attribute, because the macro may match on it.
    pub(super) fn macro_tokens(&mut self, tokens: TokenStream, definition: bool) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        // A contestant's macros may take it for an argument by name, as `println` does.
        if !definition && !self.loader.unit.own {
            self.handed_over(&trees);
        }
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Group(group) = tree else {
                continue;
            };
            let is_before = |back: usize, c: char| at >= back && is_punct(&trees[at - back], c);
            let inside = group.stream();
            let mut call = None;
            if at >= 2 && is_before(1, '!') {
                let start = written::path_start(&trees, at - 1);
                let tokens: TokenStream = trees[start..=at].iter().cloned().collect();
                call = syn::parse2::<syn::Macro>(tokens).ok();
                if call
                    .as_ref()
                    .is_some_and(|mac| self.call_in_macro(mac, definition))
                {
                    continue;
                }
            }
            // What a macro puts in for a variable is not known here.
            let known = || !source::has_variable(inside.clone());
            let asks_cfg = || {
                let path = &trees[written::path_start(&trees, at - 1)..at - 1];
                let path: TokenStream = path.iter().cloned().collect();
                match path.to_string().replace(' ', "").as_str() {
                    "cfg" => self.loader.known("cfg").is_none(),
                    path => ["std::cfg", "core::cfg"].contains(&path.trim_start_matches("::")),
                }
            };
            if (is_before(1, '#') || is_before(1, '!') && is_before(2, '#')) && known() {
                match syn::parse2::<Meta>(inside.clone()) {
                    Ok(Meta::List(list))
                        if list.path.is_ident("cfg") || list.path.is_ident("cfg_attr") =>
                    {
                        self.settle_in_macro(&list);
                        continue;
                    }
                    // Documentation of what the macro makes.
                    Ok(meta) if definition && is_elsewhere(&meta) => {
                        let sign = if is_before(1, '#') { 1 } else { 2 };
                        let start = trees[at - sign].span().byte_range().start;
                        self.edits.delete(start..group.span().byte_range().end);
                        continue;
                    }
                    _ => {}
                }
            } else if is_before(1, '!')
                && at >= 2
                && is_ident(&trees[at - 2], "cfg")
                && known()
                && asks_cfg()
            {
                if let Ok(predicate) = syn::parse2::<Meta>(inside.clone()) {
                    if self.is_matched {
                        self.settle_in_place(&predicate);
                    } else {
                        let first = &trees[written::path_start(&trees, at - 1)];
                        let start = first.span().byte_range().start;
                        self.cfg_value(&predicate, start..group.span().byte_range().end);
                    }
                    continue;
                }
            }
            match call {
                Some(mac) if !definition => self.arguments(&mac),
                _ => self.macro_tokens(inside, definition),
            }
        }
    }

    /// A `cfg_if!` or a `cfg_select!` in a function: what of it is left, if it is known. Tells if it is.
    pub(super) fn settled_choice(
        &mut self,
        mac: &syn::Macro,
        range: Range<usize>,
        form: Form,
    ) -> bool {
        let last = mac.path.segments.last();
        let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        // Own code stays as it was written, but without a `cfg_select!` it needs no newer compiler.
        if !choices::is_choice(&name) || self.loader.unit.own && name == "cfg_if" {
            return false;
        }
        let settle = |predicate: &Meta| self.loader.unit.cfg.settle(predicate);
        let Some(chosen) = choices::chosen(mac.tokens.clone(), &settle) else {
            return false;
        };
        let Some(chosen) = chosen else {
            let may_go = form != Form::Expression;
            if may_go {
                self.delete(range);
            }
            return may_go;
        };
        let block = chosen.block();
        let body = block.as_ref().map_or(chosen.body, Group::stream);
        let body_range = body.span().byte_range();
        let Ok(stmts) = Block::parse_within.parse2(body) else {
            return false;
        };
        let inside = match block {
            Some(block) => {
                block.span_open().byte_range().end..block.span_close().byte_range().start
            }
            None => body_range,
        };
        // Among statements an expression needs a semicolon or braces, elsewhere braces if it may fall apart.
        let [open, close] = match (form, &stmts[..]) {
            (Form::Statement { ended: true }, [.., Stmt::Expr(_, None)]) => ["", ";"],
            (Form::Statement { .. }, [Stmt::Expr(expr, None)]) if !is_like_block(expr) => {
                ["{ ", " }"]
            }
            (Form::Statement { .. } | Form::Tail | Form::Whole, _) => ["", ""],
            (Form::Expression, [Stmt::Expr(expr, None)]) if is_operand(expr) => ["", ""],
            (Form::Expression, _) => ["{ ", " }"],
        };
        self.edits.replace(range.start..inside.start, open);
        self.edits.replace(inside.end..range.end, close);
        for stmt in &stmts {
            self.visit_stmt(stmt);
        }
        true
    }

    /// What cargo knows in the predicates of a `cfg_select!`. Tells if it is one.
    pub(super) fn predicates(&mut self, mac: &syn::Macro, definition: bool) -> bool {
        let name = mac.path.segments.last();
        let branches = match name {
            Some(name) if name.ident == "cfg_select" => choices::branches(mac.tokens.clone()),
            _ => None,
        };
        for branch in branches.iter().flatten() {
            if let Some(predicate) = &branch.condition {
                self.settle_in_place(predicate);
            }
            let body = branch.block().map(|block| block.stream());
            let body = body.unwrap_or_else(|| branch.body.clone());
            match Block::parse_within.parse2(body.clone()) {
                Ok(stmts) if !stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))) => {
                    stmts.iter().for_each(|stmt| self.visit_stmt(stmt));
                }
                _ => self.macro_tokens(body, definition),
            }
        }
        branches.is_some()
    }

    /// Predicates that a macro gets to put them into a cfg: `m!(if: target_arch = "x86")`.
    fn handed_over(&mut self, trees: &[TokenTree]) {
        const SETTLED: [&str; 3] = ["feature", "target_arch", "target_feature"];
        for (at, tree) in trees.iter().enumerate() {
            let named =
                matches!(tree, TokenTree::Ident(name) if SETTLED.iter().any(|known| name == known));
            let given: TokenStream = trees.iter().skip(at).take(3).cloned().collect();
            let after = trees.get(at + 3);
            let whole = after.is_none() || is_punct(after, ',');
            let Ok(Meta::NameValue(pair)) = syn::parse2::<Meta>(given) else {
                continue;
            };
            if named && whole {
                let range = pair.span().byte_range();
                match self.settle(&Meta::NameValue(pair)) {
                    Settled::True => self.edits.replace(range, "all()"),
                    Settled::False => self.edits.replace(range, "any()"),
                    Settled::Open(_) => {}
                }
            }
        }
    }

    /// A call among a macro's tokens; tells if it is settled. What a definition includes is the caller's.
    fn call_in_macro(&mut self, mac: &syn::Macro, definition: bool) -> bool {
        self.renamed_call(mac);
        if self.predicates(mac, definition) {
            return true;
        }
        if !definition && self.written_call(mac, macro_range(mac), Form::Expression) {
            return true;
        }
        let name = path_name(&mac.path);
        let name = name.strip_prefix("std::").unwrap_or(&name).to_owned();
        if !INCLUDES.contains(&name.as_str()) {
            return false;
        }
        let Some(variable) = self.string(mac.tokens.clone()) else {
            return false;
        };
        if definition {
            let value = self.agreed(|unit| unit.variables.get(&variable).cloned());
            if let Some(value) = value.filter(|_| name.ends_with("env")) {
                self.edits.replace(macro_range(mac), literal(&name, &value));
                return true;
            }
            return false;
        }
        let done = self.included(&name, mac, &|text| format!("{text:?}"));
        self.attempt(done);
        true
    }
}

/// Whether the macros that a macro calls are those of its crate: `#[macro_export(local_inner_macros)]`.
fn calls_its_crate(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attr| {
        let arguments = attr.meta.require_list().map(|list| list.tokens.to_string());
        attr.path().is_ident("macro_export")
            && arguments.is_ok_and(|words| words.contains("local_inner_macros"))
    })
}

/// Where there are macros that call those of their crate: the macros to which such a one names another first (`call!(other, …)`), for that
/// is also found in the crate then, wherever `$name!(…)` stands; and those that match the call of a macro (`$name:ident!(…)`).
pub(super) fn local_macros(texts: &[String]) -> (BTreeSet<String>, BTreeSet<String>) {
    #[derive(Default)]
    struct Macros {
        names: BTreeSet<String>,
        local: Vec<TokenStream>,
        taking: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Macros {
        fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
            let name = item.ident.iter().map(|name| name.to_string());
            self.names.extend(name.clone());
            if takes_a_call(item.mac.tokens.clone()) {
                self.taking.extend(name);
            }
            if calls_its_crate(&item.attrs) {
                self.local.push(item.mac.tokens.clone());
            }
        }
    }
    fn look(tokens: TokenStream, names: &BTreeSet<String>, found: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Group(group) = tree else {
                continue;
            };
            look(group.stream(), names, found);
            let [.., TokenTree::Ident(called), TokenTree::Punct(bang)] = &trees[..at] else {
                continue;
            };
            let first = group.stream().into_iter().next();
            let is_name =
                matches!(&first, Some(TokenTree::Ident(name)) if names.contains(&name.to_string()));
            if bang.as_char() == '!' && is_name {
                found.insert(called.to_string());
            }
        }
    }
    let mut found = BTreeSet::new();
    let mut macros = Macros::default();
    if !texts.iter().any(|text| text.contains("local_inner_macros")) {
        return (found, macros.taking);
    }
    for file in texts.iter().filter_map(|text| syn::parse_file(text).ok()) {
        macros.visit_file(&file);
    }
    for rules in macros.local {
        look(rules, &macros.names, &mut found);
    }
    (found, macros.taking)
}

/// Whether there is `: ident !` among the tokens of a macro's definition.
fn takes_a_call(rules: TokenStream) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    (0..trees.len()).any(|at| match &trees[at] {
        TokenTree::Group(group) => takes_a_call(group.stream()),
        TokenTree::Punct(bang) if bang.as_char() == '!' && at >= 2 => {
            is_punct(&trees[at - 2], ':') && is_ident(&trees[at - 1], "ident")
        }
        _ => false,
    })
}

/// What the arms of a macro expand to.
pub(super) fn expansions(body: TokenStream) -> Vec<TokenStream> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let arrow =
        |at: usize| at >= 2 && is_punct(trees.get(at - 2), '=') && is_punct(trees.get(at - 1), '>');
    let groups = trees.iter().enumerate().filter(|&(at, _)| arrow(at));
    groups
        .filter_map(|(_, tree)| match tree {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
        .collect()
}

/// Some items with attributes before each.
fn each_with<T: ToTokens>(attributes: &str, items: &[T]) -> String {
    let texts = items.iter().map(ToTokens::to_token_stream);
    texts.map(|text| format!("{attributes}{text}\n")).collect()
}

pub(super) fn macro_range(mac: &syn::Macro) -> Range<usize> {
    mac.path.span().byte_range().start..mac.delimiter.span().close().byte_range().end
}

/// Whether an expression is a statement without a semicolon.
pub fn is_like_block(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
    )
}

/// Whether an expression keeps together wherever it stands.
pub fn is_operand(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Lit(_)
            | Expr::Path(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Macro(_)
            | Expr::Paren(_)
    )
}

pub(super) fn path_name(path: &syn::Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    segments.join("::")
}
