//! One crate as one text: its files put together, what cfg excludes left out, its item macros expanded, its
//! chains of conditions taken apart.
//!
//! Everything is an edit of the original text, so that formatting and comments of our own code survive. Comments of other people's crates
//! are dropped when a file is read, but for documentation that a macro gets.
//!
//! A macro that stands where items stand (`impl_tuple_collect!(12, …)`) is expanded when the same crate defines it: the compiler
//! can call a single item dead, but not half of a macro call. So are those in a block without a name (see [`blocks`]).

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{anyhow, bail, Context, Result};
use proc_macro2::extra::DelimSpan;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    AttrStyle, Attribute, BinOp, Block, Expr, ExprArray, ExprAsync, ExprBinary, ExprCall,
    ExprClosure, ExprIf, ExprLit, ExprMethodCall, ExprTuple, ExprWhile, FnArg, ForeignItem,
    GenericParam, ImplItem, Item, ItemConst, ItemMod, Lit, Meta, NamedArg, Pat, Stmt, Token,
    TraitItem, UnOp, UseTree, Visibility,
};

use super::attributed;
use super::blocks;
use super::callers;
use super::cfg::{self, Settled};
use super::chains;
use super::expand::{self, Macro};
use super::older;
use super::pasted::{self, pasted};
use super::resolve::Unit;
use super::source::{self, Edits};
use super::tails;
use super::versions;
use super::written;

/// Loads one of the crates; with `expands`, item macros are expanded.
pub fn load(units: &[Unit], at: usize, expands: bool) -> Result<String> {
    let unit = &units[at];
    let mut loader = Loader::new(units, at, expands);
    let text = loader.read(&unit.root)?;
    let texts: Vec<String> = unit.texts().collect();
    (loader.calling, loader.taking) = local_macros(&texts);
    if unit.own && expands {
        let own = unit.dependencies.iter().filter(|(_, &at)| units[at].own);
        loader.of_others = own
            .map(|(name, _)| (name.clone(), OnceCell::new()))
            .collect();
        let others = loader.of_others.keys();
        let others: Vec<&str> = others.map(String::as_str).collect();
        loader.called_otherwise = texts
            .iter()
            .flat_map(|text| written::renamed(text, &others))
            .collect();
    }
    loader.drops_checks = !unit.own && expands && !texts.iter().any(|text| has_own_checks(text));
    if !unit.own || texts.iter().any(|text| text.contains("macro_export")) {
        loader.taken = texts.iter().flat_map(|text| names_in(text)).collect();
        let imported = texts.iter().flat_map(|text| imported_where_defined(text));
        loader.taken.extend(imported);
    }
    let rendered = loader
        .module(&text, &Place::of_root(unit))?
        .with_context(|| format!("{}: cfg excludes the whole crate", unit.title()))?;
    let mut text = rendered.text;
    if unit.is_newer() {
        let nested = chains::nested(&text);
        let nested = nested.with_context(|| format!("{}: cannot parse it", unit.title()))?;
        text = nested.unwrap_or(text);
    }
    if unit.edition < 2021 {
        text = older::patterns(&text).unwrap_or(text);
    }
    Ok(text)
}

/// What a macro makes in one of the crates, loaded like what is written there.
pub fn made(units: &[Unit], at: usize, text: &str) -> Option<String> {
    let place = Place {
        root: false,
        ..Place::of_root(&units[at])
    };
    let made = Loader::new(units, at, false).module(text, &place);
    Some(made.ok()??.text)
}

/// The macros that a loaded crate exports: `pub(crate) use name;` at its root.
pub fn exported(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| {
            let path = line
                .trim()
                .strip_prefix("pub(crate) use ")?
                .strip_suffix(';')?;
            let name = path.rsplit("::").next()?;
            let (word, name) = name.split_once(" as ").unwrap_or((name, name));
            text.contains(&format!("macro_rules! {word}"))
                .then(|| name.to_owned())
        })
        .collect()
}

/// Where a module's text comes from.
#[derive(Clone)]
struct Place {
    file: PathBuf,
    /// The folder of the file.
    folder: PathBuf,
    /// The folder for files of the modules in it.
    children: PathBuf,
    /// The module is written `mod name { … }`.
    inline: bool,
    /// The crate's root.
    root: bool,
}

impl Place {
    fn of_root(unit: &Unit) -> Self {
        Self {
            file: unit.root.clone(),
            folder: unit.sources().to_owned(),
            children: unit.sources().to_owned(),
            inline: false,
            root: true,
        }
    }
}

struct Rendered {
    text: String,
    /// Macros with `#[macro_export]` in this module and below.
    exported: Vec<Exported>,
}

/// A macro on its way to the root of its crate.
struct Exported {
    name: String,
    /// Something else of the crate has the name too, and an import would mean both: the macro goes up in a module of its
    /// own, which is called so.
    apart: Option<String>,
}

/// What `use name;` means before a macro of that name: attributes of the compiler.
const ATTRIBUTES: [&str; 24] = [
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

struct Loader<'a> {
    units: &'a [Unit],
    /// Which of the units is loaded.
    at: usize,
    unit: &'a Unit,
    expands: bool,
    /// The `macro_rules!` in scope, the latest last.
    macros: Vec<(String, Rc<Macro>)>,
    /// All `macro_rules!` of the crate, wherever they are in scope, but for those of which there are several by a name.
    by_paths: OnceCell<BTreeMap<String, Option<Macro>>>,
    /// Those of each other crate of one's own that it depends on, by its name.
    of_others: BTreeMap<String, OnceCell<BTreeMap<String, Option<Macro>>>>,
    /// Names of functions, constants and modules, and of what modules import that have a macro so called: a macro that has one of these goes
    /// up apart.
    taken: Vec<String>,
    /// Exported macros with names of [`ATTRIBUTES`]: each is defined as `name_macro`.
    renamed: Vec<String>,
    /// Macros that call what others of the crate name to them (see [`local_macros`]).
    calling: BTreeSet<String>,
    /// Macros that match the call of another.
    taking: BTreeSet<String>,
    /// Whether checks go that no release makes.
    drops_checks: bool,
    /// What imports from those crates are called, where they have other names there.
    called_otherwise: BTreeMap<String, String>,
    /// How deep we are in expansions.
    depth: usize,
    /// How deep we are in calls that are written out in functions.
    bodies: usize,
    /// Whether one in them cannot be, and so none can.
    is_unclear: Cell<bool>,
    /// The variables of what is around the expansions that we are in.
    variables: BTreeSet<String>,
}

/// Macros that do nothing in a release.
const CHECKS: [&str; 3] = ["debug_assert", "debug_assert_eq", "debug_assert_ne"];

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

/// Where a file cannot be parsed as it lies there, and why; `None` if it can.
fn line_of_error(file: &Path) -> Option<(usize, syn::Error)> {
    let text = fs::read_to_string(file).ok()?;
    let error = syn::parse_file(&text).err()?;
    Some((error.span().start().line, error))
}

/// What becomes of a node that has attributes.
enum Fate {
    Keep,
    Drop,
}

impl<'a> Loader<'a> {
    fn new(units: &'a [Unit], at: usize, expands: bool) -> Self {
        Self {
            units,
            at,
            unit: &units[at],
            expands,
            macros: Vec::new(),
            by_paths: OnceCell::new(),
            of_others: BTreeMap::new(),
            called_otherwise: BTreeMap::new(),
            taken: Vec::new(),
            renamed: Vec::new(),
            calling: BTreeSet::new(),
            taking: BTreeSet::new(),
            drops_checks: false,
            depth: 0,
            bodies: 0,
            is_unclear: Cell::new(false),
            variables: BTreeSet::new(),
        }
    }

    fn read(&self, path: &Path) -> Result<String> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{}: cannot read {}", self.unit.title(), path.display()))?;
        let text = match self.unit.migrated.edits.get(path) {
            Some(edits) => edits.clone().apply(&text),
            None => text,
        };
        let text = versions::settled(source::plain(&text), self.units, self.unit);
        let text = cfg::without_constants(&text).into_owned();
        let text = match self.unit.edition {
            2015 => source::with_dyn(&source::with_raw_names(&text)),
            2018 => source::with_dyn(&text),
            _ => text,
        };
        let text = match self.unit.edition < 2021 {
            true => older::macros(&text, self.unit.edition).unwrap_or(text),
            false => text,
        };
        let is_old = self.unit.edition < 2021 && text.contains("cfg(test)");
        let text = if is_old && syn::parse_file(&text).is_err() {
            source::without_tests(&text)
        } else {
            text
        };
        Ok(if self.unit.module.is_empty() {
            text
        } else if self.unit.own {
            source::without_examples(&text)
        } else {
            source::without_other_comments(&text)
        })
    }

    /// The macro that is in scope by a name.
    fn known(&self, name: &str) -> Option<&Macro> {
        let mut macros = self.macros.iter().rev();
        let (_, known) = macros.find(|(known, _)| known == name)?;
        Some(known)
    }

    /// The macro that `crate::name` leads to, which may stand further down.
    fn at_root(&self, name: &str) -> Option<&Macro> {
        let all = self.by_paths.get_or_init(|| self.all_macros(None));
        all.get(name)?.as_ref()
    }

    /// The macro that `::of::name` leads to, if that is in a crate of one's own.
    fn of_other(&self, of: &str, name: &str) -> Option<&Macro> {
        let all = self.of_others.get(of)?.get_or_init(|| {
            let at = self.unit.dependencies[of];
            Loader::new(self.units, at, false).all_macros(Some(of))
        });
        all.get(name)?.as_ref()
    }

    /// All macros of the crate by their names, as they read in it, or in one that calls it so.
    fn all_macros(&self, called: Option<&str>) -> BTreeMap<String, Option<Macro>> {
        let mut found: BTreeMap<String, Option<Macro>> = BTreeMap::new();
        for file in source::files(self.unit.sources()) {
            let text = self.read(file.path()).unwrap_or_default();
            let tokens = text.parse().unwrap_or_default();
            source::macro_definitions(tokens, &mut |name, body| {
                let body = match called {
                    Some(called) => written::rooted(body.stream(), called),
                    None => body.stream(),
                };
                let known = found.entry(name.to_string());
                known
                    .and_modify(|several| *several = None)
                    .or_insert_with(|| Macro::parse(body).ok());
            });
        }
        found
    }

    /// Renders a file or an expansion; `None` if an inner `#![cfg]` excludes it.
    fn module(&mut self, text: &str, place: &Place) -> Result<Option<Rendered>> {
        let file = syn::parse_file(text).map_err(|error| {
            let title = self.unit.title();
            match line_of_error(&place.file) {
                Some((line, error)) => {
                    anyhow!(
                        "{title}: cannot parse {}:{line}: {error}",
                        place.file.display()
                    )
                }
                None => anyhow!("{title}: cannot parse {}: {error}", place.file.display()),
            }
        })?;
        let mut pass = Pass {
            loader: self,
            text,
            place: place.clone(),
            edits: Edits::default(),
            exported: Vec::new(),
            defining: None,
            closures: 0,
            whole: None,
            checked: Vec::new(),
            error: None,
        };
        if let Fate::Drop = pass.attributes(&file.attrs, place.root) {
            return Ok(None);
        }
        for item in &file.items {
            pass.visit_item(item);
        }
        pass.finish()
    }
}

/// One pass over one text.
struct Pass<'l, 'u, 't> {
    loader: &'l mut Loader<'u>,
    text: &'t str,
    place: Place,
    edits: Edits,
    exported: Vec<Exported>,
    /// The exported macro that we are in.
    defining: Option<String>,
    /// How many closures we are in.
    closures: usize,
    /// Where the last expression is that is all of a closure or the value of a block.
    whole: Option<Range<usize>>,
    /// The variables of the blocks we are in that only checks name.
    checked: Vec<String>,
    error: Option<anyhow::Error>,
}

impl Pass<'_, '_, '_> {
    fn finish(self) -> Result<Option<Rendered>> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut text = self.edits.apply(self.text);
        if self.place.root {
            text.push('\n');
            for Exported { name, apart } in &self.exported {
                if let Some(module) = apart {
                    text += &format!("pub(crate) use {module}::{name};\n");
                }
            }
        }
        Ok(Some(Rendered {
            text,
            exported: self.exported,
        }))
    }

    fn attempt<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// Deletes a range, with the rest of its line if nothing else is on it but a comment behind it.
    fn delete(&mut self, range: Range<usize>) {
        let line = self.text[..range.start].rfind('\n').map_or(0, |n| n + 1);
        let rest = self.text[range.end..]
            .find('\n')
            .map_or(self.text.len(), |n| range.end + n + 1);
        let behind = self.text[range.end..rest].trim();
        let is_doc = ["///", "//!"].iter().any(|mark| behind.starts_with(mark));
        let alone = self.text[line..range.start].trim().is_empty()
            && (behind.is_empty() || behind.starts_with("//") && !is_doc);
        self.edits.delete(if alone { line..rest } else { range });
    }

    /// Replaces a node with its attributes, which may be deleted already with all of their lines.
    fn replace(&mut self, range: Range<usize>, with: String) {
        let before = self.text[..range.start].trim_end_matches([' ', '\t']);
        let start = match before.ends_with('\n') {
            true => before.len(),
            false => range.start,
        };
        self.edits.replace(start..range.end, with);
    }

    /// Settles the attributes of a node.
    fn attributes(&mut self, attrs: &[Attribute], crate_root: bool) -> Fate {
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
                    Some(left) if left.is_empty() => self.delete(range),
                    Some(left) => {
                        let bang = if inner { "!" } else { "" };
                        let left = left.iter().map(|meta| format!("#{bang}[{meta}]"));
                        self.edits.replace(range, left.collect::<String>());
                    }
                    None => return Fate::Drop,
                },
                "test" | "bench" => return Fate::Drop,
                "macro_export" => self.delete(range),
                "expect" if self.loader.unit.own => {
                    // An expectation may be fulfilled by code that is gone.
                    let word = attr.path().span().byte_range();
                    self.edits.replace(word, "allow");
                }
                _ if is_elsewhere(&attr.meta) => self.delete(range),
                name if !self.keeps(name, inner, crate_root) => self.delete(range),
                _ => {}
            }
        }
        Fate::Keep
    }

    /// What stays of an attribute when all is put in that is settled; `None` if it takes its node away.
    fn settled(&self, meta: &Meta, inner: bool, crate_root: bool) -> Option<Vec<String>> {
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
            Settled::False => Some(Vec::new()),
            _ => Some(rest),
        }
    }

    /// Whether an attribute matters in the bundle.
    fn keeps(&self, name: &str, inner: bool, crate_root: bool) -> bool {
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
    fn node(&mut self, attrs: &[Attribute], range: Range<usize>) -> Fate {
        let fate = self.attributes(attrs, false);
        if let Fate::Drop = fate {
            let after = &self.text[range.end..];
            let comma = after.len() - after.trim_start().len();
            let end = if after[comma..].starts_with(',') {
                range.end + comma + 1
            } else {
                range.end
            };
            self.delete(range.start..end);
        }
        fate
    }

    /// The same with the attributes that the node's text begins with: those before `a + b` are not the sum's for `syn`.
    fn listed(&mut self, node: &impl ToTokens) -> Fate {
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
    fn elements(&mut self, elements: &Punctuated<Expr, Token![,]>, around: DelimSpan) -> usize {
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

    /// The file that `path = "…"` names, or `cfg_attr(…, path = "…")` where the condition holds.
    fn path_in(&self, meta: &Meta) -> Option<String> {
        match meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(path),
                    ..
                }) => Some(path.value()),
                _ => None,
            },
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
                let metas = list.parse_args_with(parser).ok()?;
                let mut metas = metas.iter();
                let holds = match self.loader.unit.cfg.settle(metas.next()?) {
                    Settled::True => true,
                    Settled::False => false,
                    // There can be one file only, and the program has been tried with this one.
                    Settled::Open(left) => {
                        let left: Meta = syn::parse_str(&left).ok()?;
                        self.loader.unit.cfg.holds_here(&left)
                    }
                };
                metas.filter(|_| holds).find_map(|meta| self.path_in(meta))
            }
            _ => None,
        }
    }

    fn child_module(&mut self, module: &ItemMod) -> Result<Option<Rendered>> {
        let name = module.ident.to_string();
        let name = name.trim_start_matches("r#");
        let path = module
            .attrs
            .iter()
            .find_map(|attr| self.path_in(&attr.meta));
        let base = if self.place.inline {
            self.place.children.clone()
        } else {
            self.place.folder.clone()
        };
        let macros = self.loader.macros.len();
        let leaks = module
            .attrs
            .iter()
            .any(|attr| attr.path().is_ident("macro_use"));
        let mut rendered = if let Some((_, items)) = &module.content {
            let children = match &path {
                Some(path) => base.join(path),
                None => self.place.children.join(name),
            };
            let place = Place {
                children,
                inline: true,
                root: false,
                ..self.place.clone()
            };
            let outer = std::mem::replace(&mut self.place, place);
            let exported = std::mem::take(&mut self.exported);
            let fate = self.attributes(
                &module
                    .attrs
                    .iter()
                    .filter(|attr| matches!(attr.style, AttrStyle::Inner(_)))
                    .cloned()
                    .collect::<Vec<_>>(),
                false,
            );
            for item in items {
                self.visit_item(item);
            }
            self.place = outer;
            let below = std::mem::replace(&mut self.exported, exported);
            match fate {
                Fate::Drop => None,
                Fate::Keep => Some(Rendered {
                    text: String::new(),
                    exported: below,
                }),
            }
        } else {
            let (file, is_root_like) = match &path {
                Some(path) => (base.join(path), true),
                None => {
                    let flat = self.place.children.join(format!("{name}.rs"));
                    if flat.is_file() {
                        (flat, false)
                    } else {
                        (self.place.children.join(name).join("mod.rs"), true)
                    }
                }
            };
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            let children = if is_root_like {
                folder.clone()
            } else {
                self.place.children.join(name)
            };
            // What is for other systems alone may not be there.
            if file.is_file() || self.holds(&module.attrs) {
                let text = self.loader.read(&file)?;
                let place = Place {
                    file,
                    folder,
                    children,
                    inline: false,
                    root: false,
                };
                self.loader.module(&text, &place)?
            } else {
                None
            }
        };
        if !leaks {
            self.loader.macros.truncate(macros);
        }
        if let (Some(rendered), None) = (&rendered, &module.content) {
            let semi = module.semi.span().byte_range();
            self.edits
                .replace(semi, format!(" {{\n{}\n}}", rendered.text.trim_end()));
        }
        if let Some(rendered) = &mut rendered {
            let end = module.span().byte_range().end;
            for Exported {
                name: exported,
                apart,
            } in &rendered.exported
            {
                let passed_on = apart.as_ref().unwrap_or(exported);
                self.edits
                    .insert(end, format!("\npub(crate) use self::{name}::{passed_on};"));
            }
            self.exported.append(&mut rendered.exported);
        }
        Ok(rendered)
    }

    /// Whether what has these attributes is there on this machine.
    fn holds(&self, attrs: &[Attribute]) -> bool {
        let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let mut conditions = conditions.filter_map(|attr| attr.parse_args::<Meta>().ok());
        conditions.all(|condition| self.loader.unit.cfg.holds(&condition))
    }

    /// Makes a macro that was exported from the crate a name of its module; `child_module` passes it up to the root.
    fn export(&mut self, name: &str, end: usize) {
        let is_taken = |name: &str| self.loader.taken.iter().any(|taken| taken == name);
        let apart = is_taken(name).then(|| {
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
        self.edits.insert(
            end,
            match &apart {
                Some(module) => format!("\npub(crate) mod {module} {{ {import} }}\n"),
                None => format!("\n{import}\n"),
            },
        );
        self.exported.push(Exported {
            name: name.to_owned(),
            apart,
        });
    }

    /// A call of a macro whose definition got another name.
    fn renamed_call(&mut self, mac: &syn::Macro) {
        if let Some(name) = mac.path.get_ident() {
            if self.loader.renamed.iter().any(|renamed| name == renamed) {
                self.edits.insert(name.span().byte_range().end, "_macro");
            }
        }
    }

    /// An item macro: expanded if we know it. Own code stays as it was written, unless the macro makes modules that are in files of their own,
    /// or names of parts.
    fn item_macro(&mut self, item: &syn::ItemMacro) -> Result<()> {
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
            let exported = item
                .attrs
                .iter()
                .any(|attr| attr.path().is_ident("macro_export"));
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
            if self.loader.unit.own {
                for body in expansions(item.mac.tokens.clone()) {
                    self.attributes_in_body(body);
                }
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
                self.export(&ident.to_string(), range.end);
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
            let items = syn::parse_file(&text).ok()?.items.into_iter();
            Some(
                items
                    .map(|item| format!("{open}{}\n", item.to_token_stream()))
                    .collect(),
            )
        });
        let Some(rendered) = self.rendered(expansion)? else {
            self.renamed_call(&item.mac);
            if !self.predicates(&item.mac, false) {
                self.macro_tokens(item.mac.tokens.clone(), false);
            }
            return Ok(());
        };
        self.replace(range, rendered);
        Ok(())
    }

    /// A block without a name, if macros that we know are called in it.
    fn block(&mut self, block: &ItemConst) -> Result<Option<String>> {
        // All else among its attributes is about lints.
        if !self.open_cfg(&block.attrs).is_empty() {
            return Ok(None);
        }
        let opened = blocks::opened(block, self);
        self.rendered(opened)
    }

    /// What is left of the cfgs among some attributes.
    fn open_cfg(&self, attrs: &[Attribute]) -> String {
        let mut open = String::new();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
            let predicate = attr.parse_args::<Meta>();
            let settled = predicate.map(|predicate| self.loader.unit.cfg.settle(&predicate));
            if let Ok(Settled::Open(left)) = settled {
                open += &format!("#[cfg({left})] ");
            }
        }
        open
    }

    /// An expansion is one line, and the compiler tells functions by their lines.
    fn on_its_own_line(&mut self, start: usize) {
        let before = self.text[..start].trim_end_matches(' ');
        if self.loader.depth > 0 && !before.ends_with('\n') {
            self.edits.insert(start, "\n");
        }
    }

    /// A macro call among the items of what begins so: expanded if we know it.
    fn member_macro(
        &mut self,
        before: &str,
        attrs: &[Attribute],
        mac: &syn::Macro,
        range: Range<usize>,
    ) -> Result<()> {
        let is_cfg = |attr: &Attribute| attr.path().is_ident("cfg");
        let is_plain = attrs.iter().all(is_cfg) && self.open_cfg(attrs).is_empty();
        let expansion = is_plain.then(|| self.expansion(mac)).flatten();
        let expansion = expansion
            .filter(|_| self.expands_here(mac))
            .map(|text| format!("{before}{text}}}"))
            .filter(|text| syn::parse_file(text).is_ok());
        let Some(rendered) = self.rendered(expansion)? else {
            self.macro_tokens(mac.tokens.clone(), false);
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
    fn rendered(&mut self, expansion: Option<String>) -> Result<Option<String>> {
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

    /// Whether a call is a check of a crate of others that no release makes. Nothing runs of it, but the type checker wants what it names.
    /// A closure holds what it names, too, and so that is dropped with it.
    fn is_idle_check(&self, mac: &syn::Macro) -> bool {
        let tells_type = || {
            let tokens = mac.tokens.to_string();
            let mut words = source::words(&tokens);
            words.any(|word| self.checked.iter().any(|name| name == word))
        };
        self.drops_code() && CHECKS.iter().any(|name| mac.path.is_ident(name)) && !tells_type()
    }

    /// The variables of a block that a function of a type makes and only checks name: they may have their types from those.
    fn checked_in(&self, block: &Block) -> Vec<String> {
        let text = &self.text[block.span().byte_range()];
        if !self.drops_code() || !text.contains(CHECKS[0]) {
            return Vec::new();
        }
        let mut named = Vec::new();
        words_but_of_checks(block.to_token_stream(), &mut named);
        let locals = block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Local(local) => match (&local.pat, &*local.init.as_ref()?.expr) {
                // `Index::new(1)`, of which not all parameters may be clear.
                (Pat::Ident(variable), Expr::Call(call)) => {
                    let is_of_type = matches!(&*call.func, Expr::Path(function) if function.path.segments.len() > 1);
                    is_of_type.then(|| variable.ident.to_string())
                }
                _ => None,
            },
            _ => None,
        });
        locals
            .filter(|name| named.iter().filter(|word| *word == name).count() == 1)
            .collect()
    }

    /// Whether code that never runs may go.
    fn drops_code(&self) -> bool {
        self.loader.drops_checks && self.closures == 0
    }

    /// Whether a statement does nothing but what no release does.
    fn is_idle(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Macro(call) => {
                let ended = call.semi_token.is_some();
                ended && call.attrs.is_empty() && self.is_idle_check(&call.mac)
            }
            Stmt::Expr(Expr::If(choice), _) => {
                choice.else_branch.is_none() && self.is_never_taken(choice)
            }
            _ => false,
        }
    }

    /// Whether the first branch of `if cfg!(…) { … }` is dead. The compiler drops it before it tells what is called.
    fn is_never_taken(&self, choice: &ExprIf) -> bool {
        self.drops_code() && choice.attrs.is_empty() && self.value(&choice.cond) == Some(false)
    }

    /// The value of a condition of which `cfg!` alone decides.
    fn value(&self, condition: &Expr) -> Option<bool> {
        match condition {
            Expr::Paren(inside) => self.value(&inside.expr),
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => {
                self.value(&not.expr).map(|value| !value)
            }
            // What comes first may do something.
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                self.value(&both.left).filter(|value| !value)
            }
            Expr::Macro(call) if call.mac.path.is_ident("cfg") => {
                match self.loader.unit.cfg.settle(&call.mac.parse_body().ok()?) {
                    Settled::True => Some(true),
                    Settled::False => Some(false),
                    Settled::Open(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The value of what consists of `cfg!` alone in own code.
    fn value_of(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Paren(inside) => self.value_of(&inside.expr),
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => {
                self.value_of(&not.expr).map(|value| !value)
            }
            Expr::Binary(both) => {
                let (left, right) = (self.value_of(&both.left)?, self.value_of(&both.right)?);
                match both.op {
                    BinOp::And(_) => Some(left && right),
                    BinOp::Or(_) => Some(left || right),
                    _ => None,
                }
            }
            Expr::Macro(_) => self.value(expr).filter(|_| self.loader.unit.own),
            _ => None,
        }
    }

    /// What `a && cfg!(…)` or `cfg!(…) || a` is in own code, if that is `a`.
    fn deciding<'e>(&self, both: &'e ExprBinary) -> Option<&'e Expr> {
        let idle = match both.op {
            BinOp::And(_) => true,
            BinOp::Or(_) => false,
            _ => return None,
        };
        let is_idle = |expr: &Expr| self.value_of(expr) == Some(idle);
        let deciding = match (is_idle(&both.left), is_idle(&both.right)) {
            (true, _) => &*both.right,
            (_, true) => &*both.left,
            _ => return None,
        };
        // Others may need brackets then, or must not have theirs.
        let may_stand_alone = matches!(
            deciding,
            Expr::Binary(_)
                | Expr::Call(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Lit(_)
                | Expr::Macro(_)
                | Expr::MethodCall(_)
                | Expr::Path(_)
                | Expr::Unary(_)
        );
        (may_stand_alone && both.attrs.is_empty()).then_some(deciding)
    }

    /// Visits a condition, whose parts drop what they borrow before it ends: one that decides nothing can go.
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Binary(both) if self.value_of(condition).is_none() => {
                if let Some(deciding) = self.deciding(both) {
                    let (whole, inside) = (both.span().byte_range(), deciding.span().byte_range());
                    self.edits.delete(whole.start..inside.start);
                    self.edits.delete(inside.end..whole.end);
                    self.condition(deciding);
                } else if matches!(both.op, BinOp::And(_) | BinOp::Or(_)) && both.attrs.is_empty() {
                    self.condition(&both.left);
                    self.condition(&both.right);
                } else {
                    self.visit_expr(condition);
                }
            }
            _ => self.visit_expr(condition),
        }
    }

    /// A call in a function of what has to be written out, in its place, if that is clear. Tells if it is.
    fn written_call(&mut self, mac: &syn::Macro, range: Range<usize>, form: Form) -> bool {
        const BEFORE: &str = "fn around() {";
        if !self.is_to_be_written(mac) {
            return false;
        }
        let form = match self.text[range.end..].trim_start().starts_with('}') {
            true if form != Form::Expression => Form::Tail,
            _ => form,
        };
        let around = written::variables(self.text);
        self.loader.variables.extend(around);
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
    /// the call names, or as many conditions of a chain as the call has.
    fn is_to_be_written(&self, mac: &syn::Macro) -> bool {
        self.loader.unit.own
            && (self.is_paste(&mac.path)
                || self.called(&mac.path).is_some_and(|called| {
                    called
                        .templates()
                        .any(|made| self.makes_more(made.clone(), 0))
                }))
    }

    fn makes_more(&self, template: TokenStream, depth: usize) -> bool {
        let trees: Vec<TokenTree> = template.into_iter().collect();
        let punct = |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        trees.iter().enumerate().any(|(at, tree)| {
            let TokenTree::Group(group) = tree else {
                return false;
            };
            let inside = group.stream();
            let repeats = at > 0 && punct(at - 1, '$');
            if repeats
                && self.loader.unit.is_newer()
                && written::repeats_a_chain(group, &trees[at + 1..])
            {
                return true;
            }
            let Some(start) = at.checked_sub(2).filter(|_| punct(at - 1, '!')) else {
                return self.makes_more(inside, depth);
            };
            let TokenTree::Ident(name) = &trees[start] else {
                return self.makes_more(inside, depth);
            };
            let name = name.to_string();
            let path = &trees[written::path_start(&trees, at - 1)..at - 1];
            let path: Option<syn::Path> = syn::parse2(path.iter().cloned().collect()).ok();
            let reads = match name.as_str() {
                "env" | "option_env" => source::has_variable(inside.clone()),
                name => INCLUDES.contains(&name),
            };
            let of_another = || {
                let called = path.as_ref().and_then(|path| self.called(path));
                let known = called.or_else(|| self.loader.at_root(&name));
                let mut templates = known.into_iter().flat_map(Macro::templates);
                depth < 8 && templates.any(|made| self.makes_more(made.clone(), depth + 1))
            };
            let is_pasted = || path.as_ref().is_some_and(|path| self.is_paste(path));
            reads || is_pasted() || self.makes_more(inside, depth) || of_another()
        })
    }

    /// The expansion of a call of `cfg_if`, `cfg_select` or a macro that we know.
    fn expansion(&self, mac: &syn::Macro) -> Option<String> {
        self.expansion_among(mac, &BTreeSet::new())
    }

    fn expansion_among(&self, mac: &syn::Macro, variables: &BTreeSet<String>) -> Option<String> {
        let name = mac.path.segments.last()?.ident.to_string();
        if self.loader.depth >= 64 {
            return None;
        }
        if expand::is_choice(&name) {
            if let Some(items) = expand::chosen_items(mac.tokens.clone()) {
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
            false => made.to_string(),
        })
    }

    /// The macro that a path leads to, if we know it.
    fn called(&self, path: &syn::Path) -> Option<&Macro> {
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
        let punct = |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                // What takes a call by its name would not know it by a path. Whoever calls this has all the crate's macros in scope.
                TokenTree::Group(_)
                    if at >= 2
                        && punct(at - 1, '!')
                        && self.loader.taking.contains(&trees[at - 2].to_string()) => {}
                TokenTree::Group(group) => self.calls_of_the_crate(group.stream()),
                TokenTree::Ident(name)
                    if punct(at + 1, '!')
                        && matches!(trees.get(at + 2), Some(TokenTree::Group(_)))
                        && !(at > 0 && (punct(at - 1, ':') || punct(at - 1, '$'))) =>
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
        let punct = |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Group(group) = tree {
                if at >= 3 && punct(at - 1, '!') && punct(at - 3, '$') {
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
            let refuses =
                matches!(words.next(), Some(TokenTree::Ident(word)) if word == "compile_error");
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

    /// cfg inside a macro's tokens: settled, but still an attribute, because the macro may match on it.
    fn macro_tokens(&mut self, tokens: TokenStream, definition: bool) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        // A contestant's macros may take it for an argument by name, as `println` does.
        if !definition && !self.loader.unit.own {
            self.handed_over(&trees);
        }
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Group(group) = tree else {
                continue;
            };
            let punct = |back: usize, c: char| {
                at >= back && matches!(&trees[at - back], TokenTree::Punct(p) if p.as_char() == c)
            };
            let inside = group.stream();
            if at >= 2 && punct(1, '!') {
                let start = written::path_start(&trees, at - 1);
                let call: TokenStream = trees[start..=at].iter().cloned().collect();
                let mac = syn::parse2::<syn::Macro>(call).ok();
                if mac.is_some_and(|mac| self.call_in_macro(&mac, definition)) {
                    continue;
                }
            }
            // What a macro puts in for a variable is not known here.
            let known = || !source::has_variable(inside.clone());
            if (punct(1, '#') || punct(1, '!') && punct(2, '#')) && known() {
                match syn::parse2::<Meta>(inside.clone()) {
                    Ok(Meta::List(list))
                        if list.path.is_ident("cfg") || list.path.is_ident("cfg_attr") =>
                    {
                        self.settle_in_macro(&list);
                        continue;
                    }
                    // Documentation of what the macro makes.
                    Ok(meta) if definition && is_elsewhere(&meta) => {
                        let sign = if punct(1, '#') { 1 } else { 2 };
                        let start = trees[at - sign].span().byte_range().start;
                        self.edits.delete(start..group.span().byte_range().end);
                        continue;
                    }
                    _ => {}
                }
            } else if punct(1, '!')
                && at >= 2
                && matches!(&trees[at - 2], TokenTree::Ident(ident) if ident == "cfg")
                && known()
            {
                if let Ok(predicate) = syn::parse2::<Meta>(inside.clone()) {
                    let start = trees[at - 2].span().byte_range().start;
                    self.cfg_value(&predicate, start..group.span().byte_range().end);
                    continue;
                }
            }
            self.macro_tokens(inside, definition);
        }
    }

    /// A `cfg_if!` or a `cfg_select!` in a function: what of it is left, if it is known. Tells if it is.
    fn settled_choice(&mut self, mac: &syn::Macro, range: Range<usize>, form: Form) -> bool {
        let last = mac.path.segments.last();
        let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        // Own code stays as it was written, but without a `cfg_select!` it needs no newer compiler.
        if !expand::is_choice(&name) || self.loader.unit.own && name == "cfg_if" {
            return false;
        }
        let settle = |predicate: &Meta| self.loader.unit.cfg.settle(predicate);
        let Some(chosen) = expand::chosen(mac.tokens.clone(), &settle) else {
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
    fn predicates(&mut self, mac: &syn::Macro, definition: bool) -> bool {
        let name = mac.path.segments.last();
        let branches = match name {
            Some(name) if name.ident == "cfg_select" => expand::branches(mac.tokens.clone()),
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
            let whole = after.map_or(
                true,
                |next| matches!(next, TokenTree::Punct(p) if p.as_char() == ','),
            );
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

    /// What becomes of the predicate of a cfg among tokens.
    fn settle(&mut self, predicate: &Meta) -> Settled {
        let own = self.loader.unit.own;
        self.agreed(|unit| unit.cfg.settle_in(own, predicate))
    }

    /// The answer of the crate that we load. In a macro that others call, it is the answer of these.
    fn agreed<T: PartialEq>(&mut self, answer: impl Fn(&Unit) -> T) -> T {
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
        let mut answers = callers::calling(units, at, name).into_iter().map(answer);
        let Some(first) = answers.next() else {
            return at_home;
        };
        if answers.any(|other| other != first) {
            self.error.get_or_insert(anyhow!(
                "its macro `{name}` asks for features, for what a build script sets, or for the name of the package, and the crates that call it have others"
            ));
        }
        first
    }

    fn settle_in_macro(&mut self, list: &syn::MetaList) {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        let metas = list.parse_args_with(parser).unwrap_or_default();
        if let Some(predicate) = metas.first() {
            self.settle_in_place(predicate);
        }
    }

    /// Settles the attributes in the body of a macro that no other macro sees.
    fn attributes_in_body(&mut self, body: TokenStream) {
        let is_conditional = |meta: &Meta| {
            let path = meta.path();
            path.is_ident("cfg") || path.is_ident("cfg_attr")
        };
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        for of in attributed::in_body(body) {
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
                            self.delete(whole);
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
    fn settle_in_place(&mut self, predicate: &Meta) {
        let with = match self.settle(predicate) {
            Settled::True => "all()".to_owned(),
            Settled::False => "any()".to_owned(),
            Settled::Open(left) => left,
        };
        self.edits.replace(predicate.span().byte_range(), with);
    }

    fn cfg_value(&mut self, predicate: &Meta, range: Range<usize>) {
        let with = match self.settle(predicate) {
            Settled::True => "true".to_owned(),
            Settled::False => "false".to_owned(),
            Settled::Open(left) => format!("cfg!({left})"),
        };
        self.edits.replace(range, with);
    }

    /// `include_str!` and its kin, which read a file that the bundle has not.
    fn included(
        &mut self,
        name: &str,
        mac: &syn::Macro,
        string: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        let range = macro_range(mac);
        if name == "env" || name == "option_env" {
            let Some(variable) = self.string(mac.tokens.clone()) else {
                return Ok(());
            };
            let unit = self.loader.unit;
            let value = match unit.variables.get(&variable) {
                Some(value) if unit.is_on_machine(value) => {
                    bail!("the environment variable {variable}, which it reads when it is compiled, names a file or a folder of this machine")
                }
                Some(value) => value,
                None if variable == "OUT_DIR" => bail!(GENERATED),
                None if name == "option_env" && !variable.starts_with("CARGO") => {
                    // It may be the argument of a macro.
                    if mac.parse_body::<syn::LitStr>().is_err() {
                        let asked = format!("{name}!({variable:?})");
                        self.edits.replace(range, asked);
                    }
                    return Ok(());
                }
                None => bail!("it reads the environment variable {variable} when it is compiled"),
            };
            self.edits.replace(range, literal(name, value));
            return Ok(());
        }
        let file = self.file_of(mac)?;
        let bytes = fs::read(&file).with_context(|| {
            format!(
                "{}: cannot read {}",
                self.loader.unit.title(),
                file.display()
            )
        })?;
        let literal = match (name, String::from_utf8(bytes)) {
            ("include_str", Ok(text)) => string(&text),
            ("include_str", Err(_)) => bail!("{} is no UTF-8", file.display()),
            ("include_bytes", Ok(text)) => bytes_literal(text.as_bytes()),
            ("include_bytes", Err(raw)) => bytes_literal(raw.as_bytes()),
            (_, Ok(text)) => enclosed(&source::plain(&text)),
            (_, Err(_)) => bail!("{} is no UTF-8", file.display()),
        };
        self.edits.replace(range, literal);
        Ok(())
    }

    /// The file that `include!` or its kin read.
    fn file_of(&self, mac: &syn::Macro) -> Result<PathBuf> {
        match self.string(mac.tokens.clone()) {
            Some(path) => Ok(self.place.folder.join(path)),
            None if mac.tokens.to_string().contains("OUT_DIR") => bail!(GENERATED),
            None => bail!(
                "it cannot be told which file `{}` reads",
                mac.to_token_stream()
            ),
        }
    }

    /// The text that the only argument of a macro is.
    fn string(&self, tokens: TokenStream) -> Option<String> {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let arguments = parser.parse2(expand::transparent(tokens)).ok()?;
        match arguments.first() {
            Some(only) if arguments.len() == 1 => self.string_of(only),
            _ => None,
        }
    }

    /// The text that a literal is, or `concat!` and `env!` make.
    fn string_of(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Lit(ExprLit { lit, .. }) => match lit {
                Lit::Str(text) => Some(text.value()),
                Lit::Char(c) => Some(c.value().to_string()),
                Lit::Bool(word) => Some(word.value().to_string()),
                Lit::Int(number) => Some(number.base10_digits().to_owned()),
                _ => None,
            },
            Expr::Paren(inside) => self.string_of(&inside.expr),
            Expr::Macro(call) if call.mac.path.is_ident("concat") => {
                let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
                let parts = call.mac.parse_body_with(parser).ok()?;
                parts.iter().map(|part| self.string_of(part)).collect()
            }
            Expr::Macro(call) if call.mac.path.is_ident("env") => {
                let unit = self.loader.unit;
                match call.mac.parse_body::<syn::LitStr>().ok()?.value().as_str() {
                    "CARGO_MANIFEST_DIR" => unit.folder.to_str().map(str::to_owned),
                    variable => unit.variables.get(variable).cloned(),
                }
            }
            _ => None,
        }
    }
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

/// Whether there is a module in a file of its own.
fn has_module_file(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Mod(module) => match &module.content {
            Some((_, items)) => has_module_file(items),
            None => true,
        },
        _ => false,
    })
}

/// The words of some tokens outside of [`CHECKS`].
fn words_but_of_checks(tokens: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_check = |at: usize| match at.checked_sub(2).map(|before| &trees[before..at]) {
        Some([TokenTree::Ident(name), TokenTree::Punct(bang)]) => {
            bang.as_char() == '!' && CHECKS.iter().any(|check| name == check)
        }
        _ => false,
    };
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if !is_check(at) => words_but_of_checks(group.stream(), found),
            TokenTree::Ident(name) => found.push(name.to_string()),
            _ => {}
        }
    }
}

/// Whether a text defines or imports something by the name of one of [`CHECKS`].
fn has_own_checks(text: &str) -> bool {
    let names = |line: &str| source::words(line).any(|word| CHECKS.contains(&word));
    let mut lines = text.lines().filter(|line| names(line));
    lines.any(|line| source::words(line).any(|word| ["use", "macro_rules"].contains(&word)))
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
fn local_macros(texts: &[String]) -> (BTreeSet<String>, BTreeSet<String>) {
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
    let is = |at: usize, c: char| matches!(&trees[at], TokenTree::Punct(p) if p.as_char() == c);
    (0..trees.len()).any(|at| match &trees[at] {
        TokenTree::Group(group) => takes_a_call(group.stream()),
        TokenTree::Punct(bang) if bang.as_char() == '!' && at >= 2 => {
            is(at - 2, ':') && matches!(&trees[at - 1], TokenTree::Ident(kind) if kind == "ident")
        }
        _ => false,
    })
}

/// What the arms of a macro expand to.
fn expansions(body: TokenStream) -> Vec<TokenStream> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let arrow = |at: usize| {
        let is = |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        at >= 2 && is(at - 2, '=') && is(at - 1, '>')
    };
    let groups = trees.iter().enumerate().filter(|&(at, _)| arrow(at));
    groups
        .filter_map(|(_, tree)| match tree {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
        .collect()
}

/// A text as a literal: in its lines, if it is long and they show all that is in it.
fn string_literal(text: &str) -> String {
    const SHORT: usize = 80;
    let line = format!("{text:?}");
    let is_shown = |line: &str| {
        let mut letters = line.chars();
        letters.all(|c| c == '\\' || c == '"' || c == '\'' || c.escape_debug().count() == 1)
            && line.trim_end() == line
    };
    let has_lines = line.len() > SHORT && text.trim_end().contains('\n');
    if !has_lines || !text.split('\n').all(is_shown) {
        return line;
    }
    if !text.contains(['\\', '"']) {
        return format!("\"{text}\"");
    }
    let runs = text.split('"').skip(1);
    let longest = runs.map(|rest| rest.len() - rest.trim_start_matches('#').len());
    let marks = longest.max().map_or(0, |longest| longest + 1);
    let marks = "#".repeat(marks);
    format!("r{marks}\"{text}\"{marks}")
}

/// Bytes as they are written in a string, a zero as shortly as can be: tables are full of them.
fn bytes_literal(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for &byte in bytes {
        match byte {
            0 => text.push_str("\\0"),
            byte => text.extend(byte.escape_ascii().map(char::from)),
        }
    }
    text.push('"');
    text
}

/// The expression of a file as it stands among others.
fn enclosed(text: &str) -> String {
    let is_closed = syn::parse_str::<Expr>(text).is_ok_and(|expr| match expr {
        Expr::Array(_) | Expr::Paren(_) | Expr::Repeat(_) | Expr::Tuple(_) => true,
        Expr::Lit(literal) => !matches!(literal.lit, syn::Lit::Float(_)),
        _ => false,
    });
    // The last line may be a comment, or what comes next a word.
    match is_closed {
        true => format!("{}\n", text.trim()),
        false => format!("({}\n)", text.trim()),
    }
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

/// Of what is allowed, the lints that are errors: the attribute of a crate's module speaks of warnings.
fn allowed_errors(meta: &Meta) -> Option<String> {
    let listed = meta.require_list().ok()?.tokens.to_string();
    let found: Vec<&str> = source::words(&listed)
        .filter(|word| ERRORS.contains(word))
        .collect();
    (!found.is_empty()).then(|| format!("allow({})", found.join(", ")))
}

/// Macros that read what the bundle has not.
const INCLUDES: [&str; 5] = [
    "include_str",
    "include_bytes",
    "include",
    "env",
    "option_env",
];

/// Whether it is documentation that stands in another file.
fn is_elsewhere(meta: &Meta) -> bool {
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

/// What `env!` or `option_env!` is for a value.
fn literal(name: &str, value: &str) -> String {
    match name {
        "env" => format!("{value:?}"),
        _ => format!("Some({value:?})"),
    }
}

const GENERATED: &str = "its build script generates part of its code";

fn macro_range(mac: &syn::Macro) -> Range<usize> {
    mac.path.span().byte_range().start..mac.delimiter.span().close().byte_range().end
}

fn path_name(path: &syn::Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    segments.join("::")
}

/// The names of functions, constants and modules: those after `fn`, `const`, `static` and `mod`.
fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut words = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty());
    let mut before = words.next().unwrap_or("");
    for word in words {
        if matches!(before, "fn" | "const" | "static" | "mod") {
            names.push(word.to_owned());
        }
        before = word;
    }
    names
}

/// The names that an import brings, but for those of globs.
fn names_of(tree: &UseTree, found: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => names_of(&path.tree, found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names_of(tree, found)),
        UseTree::Name(leaf) => found.extend([leaf.ident.to_string()]),
        UseTree::Rename(leaf) => found.extend([leaf.rename.to_string()]),
        UseTree::Glob(_) => {}
    }
}

/// The macros of a file with names that the modules in which they are defined import as well: another thing so called, or the macro from the
/// root.
fn imported_where_defined(text: &str) -> Vec<String> {
    fn add(items: &[Item], found: &mut Vec<String>) {
        let mut imported = BTreeSet::new();
        for item in items {
            if let Item::Use(import) = item {
                names_of(&import.tree, &mut imported);
            }
        }
        for item in items {
            match item {
                Item::Macro(item) => {
                    let name = item.ident.as_ref().map(ToString::to_string);
                    found.extend(name.filter(|name| imported.contains(name)));
                }
                Item::Mod(module) => {
                    let items = module.content.as_ref();
                    add(items.map_or(&[][..], |(_, items)| items), found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if text.contains("macro_export") {
        let file = syn::parse_file(text);
        add(&file.map_or(Vec::new(), |file| file.items), &mut found);
    }
    found
}

impl blocks::Known for Pass<'_, '_, '_> {
    fn expansion(&self, call: &syn::Macro) -> Option<String> {
        self.expansion(call)
    }

    fn is_there(&self, attrs: &[Attribute]) -> Option<bool> {
        let mut is_there = true;
        for attr in attrs {
            let predicate = attr
                .path()
                .is_ident("cfg")
                .then(|| attr.parse_args::<Meta>());
            match self.loader.unit.cfg.settle(&predicate?.ok()?) {
                Settled::True => {}
                Settled::False => is_there = false,
                Settled::Open(_) => return None,
            }
        }
        Some(is_there)
    }
}

fn visit_all(pass: &mut Pass, attrs: &[Attribute]) {
    for attr in attrs {
        pass.visit_attribute(attr);
    }
}

impl<'ast> Visit<'ast> for Pass<'_, '_, '_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let range = item.span().byte_range();
        let none = Vec::new();
        let attrs = match item {
            Item::Const(i) => &i.attrs,
            Item::Enum(i) => &i.attrs,
            Item::ExternCrate(i) => &i.attrs,
            Item::Fn(i) => &i.attrs,
            Item::ForeignMod(i) => &i.attrs,
            Item::Impl(i) => &i.attrs,
            Item::Macro(i) => &i.attrs,
            Item::Mod(i) => &i.attrs,
            Item::Static(i) => &i.attrs,
            Item::Struct(i) => &i.attrs,
            Item::Trait(i) => &i.attrs,
            Item::TraitAlias(i) => &i.attrs,
            Item::Type(i) => &i.attrs,
            Item::Union(i) => &i.attrs,
            Item::Use(i) => &i.attrs,
            _ => &none,
        };
        let outer: Vec<Attribute> = attrs
            .iter()
            .filter(|attr| matches!(attr.style, AttrStyle::Outer))
            .cloned()
            .collect();
        if let Fate::Drop = self.attributes(&outer, false) {
            self.delete(range);
            return;
        }
        match item {
            Item::Mod(module) => {
                let rendered = self.child_module(module);
                if let Some(None) = self.attempt(rendered) {
                    self.delete(range);
                }
            }
            Item::Macro(item) => {
                let done = self.item_macro(item);
                self.attempt(done);
            }
            Item::Const(block) if block.ident == "_" && !self.loader.unit.own => {
                let rendered = self.block(block);
                match self.attempt(rendered).flatten() {
                    Some(rendered) => self.replace(range, rendered),
                    None => visit::visit_item(self, item),
                }
            }
            _ => {
                if let Item::Fn(function) = item {
                    self.on_its_own_line(source::function_start(&function.vis, &function.sig));
                }
                visit::visit_item(self, item);
            }
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attrs = match item {
            ImplItem::Const(i) => &i.attrs[..],
            ImplItem::Fn(i) => &i.attrs,
            ImplItem::Type(i) => &i.attrs,
            ImplItem::Macro(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            if let ImplItem::Macro(call) = item {
                let range = call.span().byte_range();
                let done = self.member_macro("impl Around {", &call.attrs, &call.mac, range);
                self.attempt(done);
                return;
            }
            if let ImplItem::Fn(function) = item {
                self.on_its_own_line(source::function_start(&function.vis, &function.sig));
            }
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attrs = match item {
            TraitItem::Const(i) => &i.attrs[..],
            TraitItem::Fn(i) => &i.attrs,
            TraitItem::Type(i) => &i.attrs,
            TraitItem::Macro(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            if let TraitItem::Macro(call) = item {
                let range = call.span().byte_range();
                let done = self.member_macro("trait Around {", &call.attrs, &call.mac, range);
                self.attempt(done);
                return;
            }
            if let TraitItem::Fn(function) = item {
                self.on_its_own_line(source::function_start(
                    &Visibility::Inherited,
                    &function.sig,
                ));
            }
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_foreign_item(&mut self, item: &'ast ForeignItem) {
        let attrs = match item {
            ForeignItem::Fn(i) => &i.attrs[..],
            ForeignItem::Static(i) => &i.attrs,
            ForeignItem::Type(i) => &i.attrs,
            _ => &[],
        };
        if let Fate::Keep = self.node(attrs, item.span().byte_range()) {
            visit::visit_foreign_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if let Fate::Keep = self.node(&variant.attrs, variant.span().byte_range()) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Fate::Keep = self.node(&arm.attrs, arm.span().byte_range()) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_field_pat(&mut self, field: &'ast syn::FieldPat) {
        if let Fate::Keep = self.node(&field.attrs, field.span().byte_range()) {
            visit::visit_field_pat(self, field);
        }
    }

    fn visit_fn_arg(&mut self, arg: &'ast FnArg) {
        let attrs = match arg {
            FnArg::Receiver(arg) => &arg.attrs,
            FnArg::Typed(arg) => &arg.attrs,
        };
        if let Fate::Keep = self.node(attrs, arg.span().byte_range()) {
            visit::visit_fn_arg(self, arg);
        }
    }

    fn visit_generic_param(&mut self, param: &'ast GenericParam) {
        let attrs = match param {
            GenericParam::Lifetime(p) => &p.attrs,
            GenericParam::Type(p) => &p.attrs,
            GenericParam::Const(p) => &p.attrs,
        };
        if let Fate::Keep = self.node(attrs, param.span().byte_range()) {
            visit::visit_generic_param(self, param);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let outside = self.checked.len();
        self.checked.extend(self.checked_in(block));
        let idle = block.stmts.iter().rev();
        let idle = idle.take_while(|stmt| self.is_idle(stmt)).count();
        let (done, idle) = block.stmts.split_at(block.stmts.len() - idle);
        for stmt in done {
            self.visit_stmt(stmt);
        }
        for stmt in idle {
            match done.last() {
                // It would be the block's value, and what it borrows would live longer.
                Some(Stmt::Expr(_, None)) => visit::visit_stmt(self, stmt),
                _ => self.visit_stmt(stmt),
            }
        }
        self.checked.truncate(outside);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if !matches!(stmt, Stmt::Item(_)) {
            if let Fate::Drop = self.listed(stmt) {
                return;
            }
        }
        if self.is_idle(stmt) {
            self.delete(stmt.span().byte_range());
            return;
        }
        if let Stmt::Expr(Expr::If(choice), _) = stmt {
            if let (Some((_, other)), true) = (&choice.else_branch, self.is_never_taken(choice)) {
                let start = choice.span().byte_range().start;
                self.edits.delete(start..other.span().byte_range().start);
                return self.visit_expr(other);
            }
        }
        if let Stmt::Macro(call) = stmt {
            let range = call.span().byte_range();
            let ended = call.semi_token.is_some();
            let form = Form::Statement { ended };
            let is_bare = call.attrs.is_empty();
            if is_bare
                && (self.settled_choice(&call.mac, range.clone(), form)
                    || self.written_call(&call.mac, range, form))
            {
                return;
            }
        }
        match stmt {
            Stmt::Expr(Expr::Macro(call), None) if call.attrs.is_empty() => {
                self.whole = Some(call.span().byte_range());
            }
            _ => {}
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_type_macro(&mut self, call: &'ast syn::TypeMacro) {
        const BEFORE: &str = "type Around =";
        let expansion = (!self.loader.unit.own).then(|| self.expansion(&call.mac));
        let expansion = expansion.flatten().map(|text| format!("{BEFORE} {text};"));
        let expansion = expansion.filter(|text| syn::parse_str::<syn::ItemType>(text).is_ok());
        let rendered = self.rendered(expansion);
        let rendered = self.attempt(rendered).flatten();
        match rendered
            .as_deref()
            .and_then(|text| text.strip_prefix(BEFORE))
        {
            Some(text) => {
                let of_type = text.trim().trim_end_matches(';').to_owned();
                self.edits.replace(call.span().byte_range(), of_type);
            }
            None => visit::visit_type_macro(self, call),
        }
    }

    fn visit_expr_macro(&mut self, call: &'ast syn::ExprMacro) {
        let range = call.span().byte_range();
        let is_bare = call.attrs.is_empty();
        if is_bare
            && (self.settled_choice(&call.mac, range.clone(), Form::Expression)
                || self.written_call(&call.mac, range, Form::Expression))
        {
            return;
        }
        visit::visit_expr_macro(self, call);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match self.value_of(expr) {
            Some(value) if !matches!(expr, Expr::Macro(_)) => {
                self.edits
                    .replace(expr.span().byte_range(), value.to_string());
            }
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        visit_all(self, &choice.attrs);
        self.condition(&choice.cond);
        self.visit_block(&choice.then_branch);
        if let Some((_, other)) = &choice.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        visit_all(self, &repeated.attrs);
        self.condition(&repeated.cond);
        self.visit_block(&repeated.body);
    }

    fn visit_expr_array(&mut self, array: &'ast ExprArray) {
        visit_all(self, &array.attrs);
        self.elements(&array.elems, array.bracket_token.span);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit_all(self, &call.attrs);
        self.visit_expr(&call.func);
        self.elements(&call.args, call.paren_token.span);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit_all(self, &call.attrs);
        self.visit_expr(&call.receiver);
        if let Some(arguments) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(arguments);
        }
        self.elements(&call.args, call.paren_token.span);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast ExprTuple) {
        visit_all(self, &tuple.attrs);
        let left = self.elements(&tuple.elems, tuple.paren_token.span);
        let last = match tuple.elems.last() {
            Some(last) if left == 1 && tuple.elems.len() > 1 => last,
            _ => return,
        };
        // What is left of a tuple is one still.
        if !tuple.elems.trailing_punct() && matches!(self.listed(last), Fate::Keep) {
            let end = tuple.paren_token.span.close().byte_range().start;
            self.edits.insert(end, ",");
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        visit_all(self, &closure.attrs);
        for input in &closure.inputs {
            if let Fate::Keep = self.listed(input) {
                self.visit_pat(input);
            }
        }
        self.visit_return_type(&closure.output);
        self.closures += 1;
        self.whole = Some(closure.body.span().byte_range());
        self.visit_expr(&closure.body);
        self.closures -= 1;
    }

    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        self.closures += 1;
        visit::visit_expr_async(self, block);
        self.closures -= 1;
    }

    fn visit_named_arg(&mut self, arg: &'ast NamedArg) {
        if let Fate::Keep = self.node(&arg.attrs, arg.span().byte_range()) {
            visit::visit_named_arg(self, arg);
        }
    }

    /// Where nothing could be left out.
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if let ("cfg" | "cfg_attr", Fate::Drop) = (
            path_name(attr.path()).as_str(),
            self.attributes(std::slice::from_ref(attr), false),
        ) {
            let bang = match attr.style {
                AttrStyle::Inner(_) => "!",
                AttrStyle::Outer => "",
            };
            let range = attr.span().byte_range();
            self.edits.replace(range, format!("#{bang}[cfg(any())]"));
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = mac
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        self.renamed_call(mac);
        match name.as_str() {
            "cfg" => {
                if let Ok(predicate) = mac.parse_body::<Meta>() {
                    self.cfg_value(&predicate, macro_range(mac));
                }
            }
            name if INCLUDES.contains(&name) => {
                let done = self.included(name, mac, &string_literal);
                self.attempt(done);
            }
            _ if self.predicates(mac, false) => {}
            _ => self.macro_tokens(mac.tokens.clone(), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as it is loaded with the feature `big`, without its white space.
    fn loaded(text: &str) -> String {
        loaded_of(true, text)
    }

    fn loaded_of(own: bool, text: &str) -> String {
        let text = load_file(own, text).unwrap();
        text.split_whitespace().collect()
    }

    fn load_file(own: bool, text: &str) -> Result<String> {
        load_with(own, &[], text)
    }

    /// The same with some procedural macros.
    fn load_with(own: bool, procedural: &[&str], text: &str) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("main.rs");
        fs::write(&root, text).unwrap();
        let mut unit = Unit::sample(&root);
        unit.cfg.add("feature=\"big\"");
        unit.cfg.own = own;
        unit.own = own;
        let mut units = vec![unit];
        for (at, name) in (1..).zip(procedural) {
            let mut unit = Unit::sample(Path::new("lib.rs"));
            unit.package = (*name).to_owned();
            unit.is_procedural = true;
            units.push(unit);
            units[0].dependencies.insert((*name).to_owned(), at);
        }
        load(&units, 0, true)
    }

    #[test]
    fn questions_for_the_version_of_the_compiler_are_answered() {
        let text = "#[rustversion::since(1.0)] fn a() {} #[rustversion::before(1.0)] fn b() {} \
                    #[rustversion::attr(since(1.0), const)] pub fn c() {}";
        let loaded = load_with(false, &["rustversion"], text).unwrap();
        let loaded: String = loaded.split_whitespace().collect();
        assert_eq!(loaded, "fna(){}pubconstfnc(){}");
        let unknown = load_with(false, &[], text).unwrap();
        assert!(unknown.contains("rustversion"));
    }

    #[test]
    fn names_are_made_of_parts() {
        let text = "use paste::paste;
            macro_rules! getters { ($($name:ident)*) => { paste::item! { $( fn [<get_ $name>](&self) -> u8 { self.$name } )* } } }
            macro_rules! point { ($name:ident $of:literal) => { paste! {
                #[doc = \"Of \" $of] struct [<$name Point $of>] { x: u8 } impl [<$name Point $of>] { getters!(x); }
            } } }
            macro_rules! set { ($name:ident) => { paste! { fn [<set_ $name>](a: &mut A, x: u8) { a.$name = x; } } } }
            macro_rules! other { () => { struct Other; } }
            point!(A 2);
            set!(x);
            other!();
            paste! { mod [<a b>] {} }";
        for own in [false, true] {
            let loaded = load_with(own, &["paste"], text).unwrap();
            let loaded: String = loaded.split_whitespace().collect();
            let (_, made) = loaded.split_once("structOther;}}").unwrap();
            // The parameter is not what the call names.
            let set = "fnset_x(a:&mutA,x_local:u8){a.x=x_local;}";
            let (doc, other) = match own {
                true => ("///Of2", "other!();"),
                false => ("", "structOther;"),
            };
            assert_eq!(
                made,
                format!("{doc}structAPoint2{{x:u8}}implAPoint2{{fnget_x(&self)->u8{{self.x}}}}{set}{other}modab{{}}")
            );
            // Another one may have the name.
            let other = load_with(own, &[], text).unwrap();
            assert!(other.contains("[<a b>]"), "{other}");
        }
    }

    /// What becomes of the body of `main` behind some macros.
    fn main_of(edition: u16, macros: &str, body: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("main.rs");
        fs::write(folder.path().join("a.txt"), "Ab").unwrap();
        fs::write(&root, format!("{macros} fn main() {{ {body} }}")).unwrap();
        let mut units = vec![Unit::sample(&root), Unit::sample(&root)];
        (units[0].own, units[0].edition) = (true, edition);
        units[1].package = "paste".to_owned();
        units[1].is_procedural = true;
        units[0].dependencies.insert("paste".to_owned(), 1);
        let loaded = load(&units, 0, true).unwrap();
        let words: Vec<&str> = loaded.split_whitespace().collect();
        let words = words.join(" ");
        let body = words.split_once("fn main() { ").unwrap().1;
        body.strip_suffix(" }").unwrap().to_owned()
    }

    #[test]
    fn fragments_of_what_is_put_together_anew_are_taken_apart() {
        let macros = "macro_rules! a { ($n:ident, $e:expr) => { paste! { fn [<a_ $n>]() -> u8 { 2 * $e } const [<A_ $n>]: u8 = 2 * $e; } } } \
                      macro_rules! b { ($l:literal, $e:expr) => { paste! { fn b() -> u8 { $l * $e } } } } \
                      macro_rules! c { ($e:expr) => { a!(c, $e); } }";
        let text = format!(
            "use paste::paste; {macros} a!(x, 1 + 2); a!(y, (1 + 2)); b!(2, 1 + 2); c!(1 + 2);"
        );
        let loaded = load_with(true, &["paste"], &text).unwrap();
        let made: String = loaded.split_whitespace().collect();
        for expected in [
            "fna_x()->u8{2*(1+2)}constA_x:u8=2*1+2;",
            "fna_y()->u8{2*(1+2)}constA_y:u8=2*(1+2);",
            "fnb()->u8{2*1+2}",
            "fna_c()->u8{2*(1+2)}constA_c:u8=2*1+2;",
        ] {
            assert!(made.contains(expected), "{loaded}");
        }
    }

    #[test]
    fn calls_in_functions_make_names_of_parts() {
        let macros = "macro_rules! get { ($name:ident, $of:expr) => { paste::paste! { [<get_ $name:lower>]($of) } } } \
                      macro_rules! both { ($name:ident, $e:expr) => { let n = $e; paste! { let [<$name _a>] = n; } }; }";
        for (body, expected) in [
            (
                "paste! { let [<a b>] = 1; /* c */ f([<a b>]) }",
                "let ab = 1 ; /* c */ f (ab)",
            ),
            ("paste! { [<a b>](1) } let x = 1;", "{ ab (1) } let x = 1;"),
            ("let x = get!(LEFT, 1 + 1);", "let x = get_left ( 1 + 1 );"),
            (
                "println!(\"{}\", 2 * get!(A, b));",
                "println!(\"{}\", 2 * get_a ( b ));",
            ),
            // The variable of the macro is not that of the function.
            (
                "let n = 1; both!(b, n); f(n)",
                "let n = 1; let n_local = n ; let b_a = n_local ; f(n)",
            ),
            // What it makes there is not the variable of the function either.
            (
                "let b_a = 1; both!(b, 2); f(b_a)",
                "let b_a = 1; both!(b, 2); f(b_a)",
            ),
        ] {
            let made = main_of(2021, macros, body);
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(words(&made), words(expected), "{made}");
        }
    }

    #[test]
    fn what_calls_name_is_read() {
        let macros = "macro_rules! file { ($name:literal) => { include_str!(concat!($name, \".txt\")) } } \
                      macro_rules! of { ($path:expr) => { include_bytes!($path) } } \
                      macro_rules! about { ($what:tt) => { env!(concat!(\"CARGO_PKG_\", $what)) } } \
                      macro_rules! maybe { ($name:expr) => { option_env!($name) } }";
        for (body, expected) in [
            ("f(file!(\"a\"), of!(\"a.txt\"))", "f(\"Ab\", b\"Ab\")"),
            (
                "println!(\"{}\", std::include_str!(\"a.txt\"))",
                "println!(\"{}\", \"Ab\")",
            ),
            ("println!(\"{}\", file!(\"a\"))", "println!(\"{}\", \"Ab\")"),
            ("about!(\"NAME\")", "\"p\""),
            (
                "[maybe!(\"CARGO_PKG_NAME\"), maybe!(\"NONE\")]",
                "[Some(\"p\"), option_env!(\"NONE\")]",
            ),
        ] {
            assert_eq!(main_of(2021, macros, body), expected);
        }
    }

    #[test]
    fn macros_of_own_libraries_are_written_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = |name: &str, text: &str| {
            let root = folder.path().join(name).join("lib.rs");
            fs::create_dir(root.parent().unwrap()).unwrap();
            fs::write(&root, text).unwrap();
            Unit {
                own: true,
                ..Unit::sample(&root)
            }
        };
        let program = "use names::{value, value as of}; fn main() { println!(\"{}\", names::value!(a, 2), value!(b, 3), of!(c, 4)); } names::getter!(A, x);";
        let library = "pub use paste::paste as __paste;
            macro_rules! value { ($of:ident, $x:expr) => { $crate::__paste! { [<$of _value>]($crate::copy($x)) } } }
            macro_rules! getter { ($of:ident, $x:ident) => { impl $of { $crate::__paste! { fn [<get_ $x>](&self) {} } } } }";
        let mut units = vec![
            root("p", program),
            root("names", library),
            root("paste", ""),
        ];
        units[0].dependencies.insert("names".to_owned(), 1);
        units[1].dependencies.insert("paste".to_owned(), 2);
        (units[2].is_procedural, units[2].own) = (true, false);
        units[2].package = "paste".to_owned();
        let loaded = load(&units, 0, true).unwrap();
        let loaded: String = loaded.split_whitespace().collect();
        assert_eq!(
            loaded,
            "usenames::{value,valueasof};fnmain(){println!(\"{}\",a_value(::names::copy(2)),b_value(::names::copy(3)),c_value(::names::copy(4)));}implA{fnget_x(&self){}}"
        );
    }

    #[test]
    fn chains_are_as_long_as_their_calls() {
        let macros =
            "macro_rules! all { ($p:pat = $e:expr $(, $q:pat = $f:expr)* => $then:expr) => { \
                          if let $p = $e $( && let $q = $f )* { Some($then) } else { None } } }";
        let made = main_of(
            2024,
            macros,
            "let x = all!(Some(a) = b, Ok(c) = a => a + c);",
        );
        assert_eq!(
            made,
            "let x = 'matched: { if let Some (a) = b { if let Ok (c) = a { break 'matched Some ( a + c ); } } None };"
        );
    }

    #[test]
    fn comments_of_macros_stay() {
        let macros = "macro_rules! getter { ($name:ident) => { paste! {
                          /// Of `A`.
                          fn [<get_ $name>](&self) -> u8 {
                              // It is there.
                              self.$name // Always.
                          }
                      } } }
                      impl A { getter!(x); }";
        let loaded = load_with(true, &["paste"], &format!("{macros} fn main() {{}}")).unwrap();
        let lines: Vec<&str> = loaded.lines().map(str::trim).collect();
        let made = [
            "impl A { /// Of `A`.",
            "fn get_x (& self) -> u8 {",
            "// It is there.",
            "self . x } } fn main() {}",
        ];
        assert!(lines.ends_with(&made), "{loaded}");
    }

    #[test]
    fn what_cannot_be_parsed_is_told_with_its_line() {
        let said = load_file(true, "fn f() {}\ntrait T {\n    fn g(u8);\n}\n").unwrap_err();
        let said = said.to_string();
        assert!(
            said.contains("cannot parse ") && said.contains("main.rs:3: expected "),
            "{said}"
        );
    }

    const BIG: &str = "#[cfg(feature = \"big\")]";
    const SMALL: &str = "#[cfg(not(feature = \"big\"))]";

    fn in_main(body: &str) -> String {
        let body = body.replace("BIG", BIG).replace("SMALL", SMALL);
        let text = loaded(&format!("fn main() {{ {body} }}"));
        let body = text.strip_prefix("fnmain(){").unwrap();
        body.strip_suffix('}').unwrap().to_owned()
    }

    #[test]
    fn a_macro_at_the_root_may_be_defined_further_down() {
        let below = "macro_rules! all { ($name:ident) => { $name!(A, u8); }; } pub(crate) use all;";
        let above = "macro_rules! one { ($name:ident, $of:ty) => { struct $name($of); }; }";
        let text = |call: &str| format!("mod a {{ {above} {call} }} {below}");
        assert!(loaded_of(false, &text("crate::all!(one);")).contains("structA(u8);"));
        // Without a path it is not in scope there.
        assert!(!loaded_of(false, &text("all!(one);")).contains("structA(u8);"));
        // One of two.
        let two = text("crate::all!(one);") + "mod b { macro_rules! all { () => {}; } }";
        assert!(!loaded_of(false, &two).contains("structA(u8);"));
    }

    #[test]
    fn what_a_macro_hands_on_is_known_at_a_path_too() {
        let tools = "mod tools { macro_rules! swap { ($a:ty, $b:ty) => { impl T<$b> for $a {} }; } pub(crate) use swap; }";
        let both = "use crate::tools; macro_rules! both { ($of:ty) => { impl T<u8> for $of {} tools::swap!(u8, $of); }; } both!(A);";
        let text = loaded_of(false, &format!("{tools} mod a {{ {both} }}"));
        assert!(text.contains("implT<u8>forA{}"), "{text}");
        // One that tells what it gets may tell another thing of it.
        let tools = tools.replace("swap { (", "swap { (u8, A) => {}; (");
        let text = loaded_of(false, &format!("{tools} mod a {{ {both} }}"));
        assert!(!text.contains("implT<u8>forA{}"), "{text}");
    }

    #[test]
    fn calls_with_a_cfg_that_holds_are_expanded_too() {
        let macros = "macro_rules! f { ($name:ident) => { fn $name() {} } }";
        let text = format!(
            "{macros}\nimpl S {{\n    {BIG}\n    f!(a);\n    {SMALL}\n    f!(b);\n}}\nmod m {{\n    {BIG}\n    f!(c);\n}}\n\
             impl T {{\n    #[cfg(unix)]\n    f!(d);\n}}"
        );
        let found = loaded_of(false, &text);
        let items = found.split_once("implS").unwrap().1;
        assert_eq!(items, "{fna(){}}modm{fnc(){}}implT{#[cfg(unix)]f!(d);}");
        // The user's own calls stay.
        assert!(loaded(&text).contains("implS{f!(a);}modm{f!(c);}"));
    }

    #[test]
    fn elements_and_arguments_go_with_their_commas() {
        assert_eq!(in_main("[1, BIG 2, SMALL 3];"), "[1,2,];");
        assert_eq!(in_main("[SMALL 1 + 1, BIG 2];"), "[2];");
        assert_eq!(in_main("f(SMALL 1, 2, BIG g(SMALL 3, 4));"), "f(2,g(4));");
        assert_eq!(in_main("x.f::<u8>(BIG 1, SMALL 2);"), "x.f::<u8>(1,);");
        assert_eq!(in_main("|SMALL a: u8, BIG b| b;"), "|b|b;");
        assert_eq!(
            in_main("let f: fn(SMALL u8, BIG i8) = g;"),
            "letf:fn(i8)=g;"
        );
    }

    #[test]
    fn what_is_read_is_put_into_the_tokens_of_macros() {
        assert_eq!(
            in_main("print!(\"{}\", env!(\"CARGO_PKG_NAME\")); m!([option_env!(\"CARGO_PKG_VERSION_MAJOR\")]);"),
            "print!(\"{}\",\"p\");m!([Some(\"1\")]);"
        );
        // Where a file lies depends on who calls the macro.
        let definition = "macro_rules!m{()=>{include_str!(\"a\")}}";
        assert_eq!(loaded(definition), definition);
        assert_eq!(
            loaded("macro_rules! m { () => { env!(\"CARGO_PKG_NAME\") } }"),
            "macro_rules!m{()=>{\"p\"}}"
        );
    }

    #[test]
    fn an_included_expression_stands_in_parentheses_where_it_needs_them() {
        for (text, expected) in [
            ("\n[[1, 2], [3, 4]]\n", "[[1, 2], [3, 4]]\n"),
            ("(1, 'a') // b", "(1, 'a') // b\n"),
            ("[0; 9]", "[0; 9]\n"),
            ("998244353", "998244353\n"),
            ("1 + 1", "(1 + 1\n)"),
            ("-1", "(-1\n)"),
            ("1.", "(1.\n)"),
        ] {
            assert_eq!(enclosed(text), expected);
        }
    }

    #[test]
    fn attributes_of_the_program_stay_that_matter() {
        let text = "#![no_main] #![crate_name = \"a\"] #![deny(missing_docs)] #![recursion_limit = \"9\"] fn f() {}";
        assert_eq!(loaded(text), "#![no_main]#![recursion_limit=\"9\"]fnf(){}");
    }

    #[test]
    fn what_a_macro_gets_to_ask_is_settled() {
        let text =
            "fn main(){m!(if:any(feature=\"big\",feature=\"small\"),n:1);m!(a==\"b\",os=\"x\");}";
        assert_eq!(
            loaded_of(false, text),
            "fnmain(){m!(if:any(all(),any()),n:1);m!(a==\"b\",os=\"x\");}"
        );
        assert_eq!(loaded(text), text.replace(' ', ""));
    }

    #[test]
    fn what_a_choice_leaves_stands_in_its_place() {
        let chosen = |arms: &str| {
            let arms = arms
                .replace("BIG", BIG)
                .replace("SMALL", SMALL)
                .replace("UNIX", "#[cfg(unix)]");
            loaded_of(false, &format!("fn f(){{cfg_if!{{{arms}}}g()}}"))
        };
        assert_eq!(
            chosen("if SMALL { 1 } else if BIG { let a = 2; SMALL h(); } else { 3 }"),
            "fnf(){leta=2;g()}"
        );
        assert_eq!(chosen("if SMALL { 1 } else { h(); }"), "fnf(){h();g()}");
        assert_eq!(chosen("if SMALL { 1 }"), "fnf(){g()}");
        let open = "if UNIX { 1 } else { 2 }";
        assert!(chosen(open).contains("cfg_if!{if#[cfg(unix)]{1}else{2}}"));
    }

    #[test]
    fn what_is_selected_stands_in_its_place() {
        let of = |body: &str| {
            let body = body
                .replace("BIG", "feature = \"big\"")
                .replace("SMALL", "feature = \"small\"")
                .replace("SELECT", "cfg_select!");
            let [theirs, own] = [false, true].map(|own| {
                let text = loaded_of(own, &format!("fn f(){{{body}}}"));
                text[6..text.len() - 1].to_owned()
            });
            assert_eq!(theirs, own);
            own
        };
        let select = "SELECT { SMALL => { 1 } BIG => { a + 2 } _ => { 3 } }";
        assert_eq!(of(&format!("let x = {select};")), "letx={a+2};");
        assert_eq!(of(&format!("{select} g()")), "{a+2}g()");
        assert_eq!(of("g(SELECT { SMALL => 1, _ => h(2) })"), "g(h(2))");
        assert_eq!(of("SELECT { BIG => h(2), _ => {} } g()"), "{h(2)}g()");
        assert_eq!(
            of("SELECT { BIG => { h(2); k(); } _ => {} } g()"),
            "h(2);k();g()"
        );
        assert_eq!(of("SELECT { BIG => {} _ => { h(2) } } g()"), "g()");
        assert_eq!(of("SELECT { BIG => h(2), _ => {} };"), "h(2);");
        assert_eq!(
            of("SELECT { BIG => { k(); h(2) } _ => {} }; g()"),
            "k();h(2);g()"
        );
        assert_eq!(
            of("g(SELECT { unix => 1, BIG => 2, SMALL => 3, _ => SELECT { SMALL => 4, _ => 5 } })"),
            "g(cfg_select!{unix=>1,all()=>2,any()=>3,_=>{5}})"
        );
    }

    #[test]
    fn what_is_selected_among_the_tokens_of_macros_is_settled() {
        assert_eq!(
            in_main("println!(\"{}\", cfg_select! { feature = \"small\" => 1, _ => 2 });"),
            "println!(\"{}\",cfg_select!{any()=>1,_=>2});"
        );
        assert_eq!(
            loaded("macro_rules! m { ($x:expr) => { cfg_select! { feature = \"big\" => { $x } _ => { 2 } } } }"),
            "macro_rules!m{($x:expr)=>{cfg_select!{all()=>{$x}_=>{2}}}}"
        );
    }

    #[test]
    fn selected_items_are_plain_ones_but_in_own_code() {
        let text = "cfg_select! { unix => { fn a() {} } feature = \"small\" => { fn b() {} } _ => { fn c() {} fn d() {} } }";
        assert_eq!(
            loaded_of(false, text),
            "#[cfg(unix)]fna(){}#[cfg(not(unix))]fnc(){}#[cfg(not(unix))]fnd(){}"
        );
        assert_eq!(
            loaded(text),
            "cfg_select!{unix=>{fna(){}}any()=>{fnb(){}}_=>{fnc(){}fnd(){}}}"
        );
    }

    #[test]
    fn macros_with_names_of_attributes_are_defined_by_others() {
        assert_eq!(
            loaded("#[macro_export] macro_rules! warn { () => { warn!(1) }; ($x:tt) => {} } fn g() { warn!(); a!(warn!()); }"),
            "macro_rules!warn_macro{()=>{warn_macro!(1)};($x:tt)=>{}}pub(crate)usewarn_macroaswarn;fng(){warn_macro!();a!(warn_macro!());}"
        );
    }

    #[test]
    fn checks_of_others_that_no_release_makes_go() {
        let text = "fn f(a: u8) -> u8 { debug_assert!(a > 1, \"{}\", a); debug_assert_eq!(a, 2); assert!(a < 9); a }";
        assert_eq!(loaded_of(false, text), "fnf(a:u8)->u8{assert!(a<9);a}");
        assert_eq!(loaded_of(true, text), text.replace(' ', ""));
        // What is the value of something stays.
        let text = "fn f(a: u8) { match a { 1 => debug_assert!(true), _ => {} } }";
        assert_eq!(loaded_of(false, text), text.replace(' ', ""));
        // With it would go what a closure holds.
        let text = "fn f(a: Vec<u8>) { g(move || { debug_assert!(a.is_empty()); }); }";
        assert_eq!(loaded_of(false, text), text.replace(' ', ""));
        // What a variable is may follow from it.
        let text = "fn f(a: &mut [S]) { let b = S::new(); let c = S::of(); let e = a.len(); for d in a { debug_assert!(*d == b); debug_assert!(c == e); h(d, c) } }";
        assert_eq!(
            loaded_of(false, text),
            text.replace("debug_assert!(c == e);", "").replace(' ', "")
        );
        for own in [
            "use a::debug_assert;",
            "macro_rules! debug_assert { ($a:expr) => { b() } }",
        ] {
            let text = format!("{own} fn f() {{ debug_assert!(true); }}");
            assert!(
                loaded_of(false, &text).contains("debug_assert!(true)"),
                "{own}"
            );
        }
    }

    #[test]
    fn branches_of_others_that_are_never_taken_go() {
        let of = |body: &str| {
            let text = loaded_of(false, &format!("fn f(a: Vec<u8>) -> u8 {{ {body} }}"));
            let body = text.strip_prefix("fnf(a:Vec<u8>)->u8{").unwrap();
            body.strip_suffix('}').unwrap().to_owned()
        };
        assert_eq!(of("if cfg!(test) { g(); } 1"), "1");
        assert_eq!(of("if !(cfg!(feature = \"big\")) { g(); } 1"), "1");
        assert_eq!(of("if cfg!(test) && g() { h(); } 1"), "1");
        assert_eq!(of("if cfg!(test) { 1 } else { 2 }"), "{2}");
        assert_eq!(
            of("if cfg!(test) { 1 } else if g() { 2 } else { 3 }"),
            "ifg(){2}else{3}"
        );
        // Others do something, or may.
        for body in [
            "if g() && cfg!(test) { h(); } 1",
            "if cfg!(unix) { g(); } 1",
        ] {
            let expected = body.replace("cfg!(test)", "false").replace(' ', "");
            assert_eq!(of(body), expected);
        }
        assert_eq!(of("if cfg!(feature = \"big\") { g(); } 1"), "iftrue{g();}1");
        assert_eq!(
            of("g(move || { if cfg!(test) { a.len(); } 1 })"),
            "g(move||{iffalse{a.len();}1})"
        );
        let own = loaded("fn f() { if cfg!(test) { g(); } }");
        assert_eq!(own, "fnf(){iffalse{g();}}");
    }

    #[test]
    fn what_decides_nothing_goes_from_own_conditions() {
        let of = |condition: &str| in_main(&format!("if {condition} {{ f(); }}"));
        for (condition, left) in [
            ("a && cfg!(feature = \"big\")", "a"),
            ("cfg!(feature = \"big\") && a > 1 && b", "a>1&&b"),
            (
                "!cfg!(test) && !(cfg!(test)) && a.b(cfg!(test))",
                "a.b(false)",
            ),
            ("cfg!(test) || a || cfg!(test)", "a"),
            ("cfg!(test) || cfg!(test)", "false"),
            ("!!cfg!(test)", "false"),
            // Nobody names `a` any more.
            ("cfg!(test) && a", "false&&a"),
            ("a || !cfg!(test)", "a||true"),
            ("(a || b) && cfg!(feature = \"big\")", "(a||b)&&true"),
            ("a && cfg!(unix)", "a&&cfg!(unix)"),
            ("a == cfg!(test)", "a==false"),
            ("let Some(a) = b && !cfg!(test)", "letSome(a)=b&&true"),
        ] {
            assert_eq!(of(condition), format!("if{left}{{f();}}"));
        }
        // What it borrows would be dropped later.
        let text = "let b = a.c() && !cfg!(test);";
        assert_eq!(in_main(text), "letb=a.c()&&true;");
        let repeated = "while !cfg!(test) && a { f(!cfg!(test)); }";
        assert_eq!(in_main(repeated), "whilea{f(true);}");
        let text = "fn f() { if a && !cfg!(test) { g(); } }";
        assert_eq!(loaded_of(false, text), "fnf(){ifa&&!false{g();}}");
    }

    #[test]
    fn what_becomes_the_value_of_a_block_is_none_before() {
        let of = |body: &str| loaded_of(false, &format!("fn f() {{ {body} }}"));
        for idle in ["debug_assert!(g());", "if false { g() }"] {
            let body = |rest: &str| format!("match g().h() {{ _ => {{}} }} {rest}");
            let written = idle.replace("false", "cfg!(test)");
            let stays = format!("fnf(){{{}}}", body(idle).replace(' ', ""));
            assert_eq!(of(&body(&written)), stays);
            let goes = of(&body(&format!("{written} i();")));
            assert_eq!(goes, "fnf(){matchg().h(){_=>{}}i();}");
        }
    }

    #[test]
    fn what_a_macro_calls_is_of_the_crate_that_names_it() {
        let export = "#[macro_export(local_inner_macros)]";
        let rules = |name: &str, body: &str| format!("macro_rules! {name} {{ {body} }}");
        let same = rules("same", "($a:expr) => { $a == 1 }");
        let check = rules("check", "($eq:ident, $a:expr) => { assert!($eq!($a)) }");
        let call = rules("call", "($m:ident) => { $m!() }");
        let is_same = rules("is_same", "($a:expr) => { check!(same, $a) }");
        let text = format!("{export} {same} {check} {call} {export} {is_same} call!(same);");
        let found = loaded(&text);
        assert!(found.contains("assert!($crate::$eq!($a))"), "{found}");
        assert!(found.contains("{$crate::check!(same,$a)}"), "{found}");
        // What it is told may be anybody's.
        assert!(found.contains("($m:ident)=>{$m!()}"), "{found}");
        // The names in other macros are looked for where they are called.
        let found = loaded(&text.replace("(local_inner_macros)", ""));
        assert!(found.contains("assert!($eq!($a))"), "{found}");
    }

    #[test]
    fn a_call_that_a_macro_takes_has_no_path() {
        let text = "#[macro_export(local_inner_macros)] macro_rules! twice { ($e:expr, $m:ident!($($t:tt)*)) => { f($m!($($t)*)) }; \
                    ($e:expr, $f:expr) => { once!(twice!($e, call!($f)), other!()) }; }";
        let found = loaded(text);
        assert!(
            found.contains("{$crate::once!($crate::twice!($e,call!($f)),$crate::other!())}"),
            "{found}"
        );
    }

    #[test]
    fn a_module_may_import_what_is_called_like_its_macro() {
        let text = "mod a { use crate::{b, m}; #[macro_export] macro_rules! m { () => {} } #[macro_export] macro_rules! n { () => {} } }
            mod c { use crate::n; }";
        let expected = "moda{usecrate::{b,m};macro_rules!m{()=>{}}pub(crate)modm_macro{pub(crate)usem;}\
                        macro_rules!n{()=>{}}pub(crate)usen;}\
                        pub(crate)useself::a::m_macro;pub(crate)useself::a::n;modc{usecrate::n;}pub(crate)usem_macro::m;";
        assert_eq!(loaded(text), expected);
        // What is so called may be a function of another crate.
        let text = "use std::cmp::{max, a as b}; #[macro_export] macro_rules! max { () => {} } #[macro_export] macro_rules! a { () => {} }";
        let expected = "usestd::cmp::{max,aasb};macro_rules!max{()=>{}}pub(crate)modmax_macro{pub(crate)usemax;}\
                        macro_rules!a{()=>{}}pub(crate)usea;pub(crate)usemax_macro::max;";
        assert_eq!(loaded(text), expected);
    }

    #[test]
    fn a_condition_may_be_a_constant() {
        let text = "#[cfg(true)] fn f() {} #[cfg(any(false, not(true)))] fn g() {} #[cfg(all(true, unix))] fn h() {}";
        assert_eq!(loaded(text), "fnf(){}#[cfg(unix)]fnh(){}");
    }

    #[test]
    fn the_file_of_a_module_may_depend_on_an_open_cfg() {
        let text = "#[cfg_attr(any(unix, feature = \"big\"), path = \"other.rs\")] mod os {} #[cfg_attr(windows, path = \"w.rs\")] mod p {}";
        assert_eq!(loaded(text), "modos{}modp{}");
    }

    #[test]
    fn the_file_of_a_module_for_other_systems_may_be_missing() {
        let text = "#[cfg(elsewhere)] mod a; #[cfg(not(elsewhere))] #[cfg(all(elsewhere, feature = \"big\"))] mod b; fn f() {}";
        assert_eq!(loaded(text), "fnf(){}");
        for text in ["mod a;", "#[cfg(not(elsewhere))] mod a;"] {
            let error = load_file(true, text).unwrap_err();
            assert!(format!("{error:#}").contains("cannot read"));
        }
    }

    #[test]
    fn a_comment_behind_what_is_not_there_goes_with_it() {
        let text = "struct S {
                #[cfg(test)]
                a: u8, // a
                b: u8, // b
            }
            #[cfg(test)]
            fn f() {} // f
            // after f
            fn main() {
                #[cfg(test)]
                f(); // call
                g(); #[cfg(test)] f(); // g
            }
            #[cfg(test)] const A: u8 = 0; /// doc
            const B: u8 = 0;";
        let left =
            "struct S { b: u8, // b } // after f fn main() { g(); // g } /// doc const B: u8 = 0;";
        assert_eq!(loaded(text), left.replace(' ', ""));
    }

    #[test]
    fn what_is_an_error_where_nobody_allows_it_stays_allowed() {
        let of_others = loaded_of(
            false,
            "#[allow(unconditional_panic, clippy::all)] fn f() {} #[allow(dead_code)] fn g() {}",
        );
        assert!(
            of_others.contains("#[allow(unconditional_panic)]"),
            "{of_others}"
        );
        assert!(
            !of_others.contains("clippy") && !of_others.contains("dead_code"),
            "{of_others}"
        );
    }

    #[test]
    fn long_texts_are_written_in_lines() {
        let long = "1 2\n".repeat(30);
        for (text, before, behind) in [
            ("'é'\n\n  b", "\"", "\""),
            ("\\a\nb", "r\"", "\""),
            ("a\"b\"\nc", "r#\"", "\"#"),
            ("a\"##b\"#\n\"", "r###\"", "\"###"),
        ] {
            let text = long.clone() + text;
            let literal = string_literal(&text);
            assert_eq!(literal, format!("{before}{text}{behind}"));
            let read: syn::LitStr = syn::parse_str(&literal).unwrap();
            assert_eq!(read.value(), text);
        }
        // What nobody sees there, or an editor may change.
        for other in ["a\tb", "a\r\nb", "a \nb", "a\u{202e}b", "\u{feff}b", " "] {
            let text = long.clone() + other;
            assert_eq!(string_literal(&text), format!("{text:?}"));
        }
        for text in ["1\n2\n", &(long.replace('\n', "") + "\n")] {
            assert_eq!(string_literal(text), format!("{text:?}"));
        }
    }

    #[test]
    fn bytes_are_written_shortly() {
        assert_eq!(bytes_literal(b"a\0\"\\\n\xff"), r#"b"a\0\"\\\n\xff""#);
    }

    #[test]
    fn documentation_of_another_file_goes_from_definitions() {
        let text = "macro_rules! m { ($t:ident) => { #[repr(C)] #[doc = include_str!(\"../a.md\")] struct $t; } }";
        let expected = "macro_rules!m{($t:ident)=>{#[repr(C)]struct$t;}}";
        assert_eq!(loaded_of(false, text), expected);
        assert_eq!(loaded(text), expected);
    }

    #[test]
    fn attributes_in_own_macros_are_settled() {
        let of = |body: &str| {
            let body = body.replace("BIG", BIG).replace("SMALL", SMALL);
            let text = loaded(&format!("macro_rules! m {{ ($x:ident) => {{ {body} }} }}"));
            let body = text.strip_prefix("macro_rules!m{($x:ident)=>{").unwrap();
            body.strip_suffix("}}").unwrap().to_owned()
        };
        let live = "fn live() {}";
        for dead in [
            "fn f<T>(x: [T; 2]) -> T where T: A { x }",
            "pub(crate) const unsafe extern \"C\" fn $x();",
            "/// Doc.\n #[inline] $v struct S(u8);",
            "pub enum E { #[a] B }",
            "impl $x { fn g() {} }",
            "const X: [u8; 1] = { [1] };",
            "use a::{b, c};",
            "let x = { 1 }.max(2);",
            "return 1;",
            "{ f(); }",
            "eprintln!(\"{}\", 1);",
            "a::b! { c }",
            "a::b!(c).d();",
            "a.b += c[1];",
            "macro_rules! n { () => {} }",
        ] {
            assert_eq!(of(&format!("SMALL {dead} {live}")), "fnlive(){}", "{dead}");
            let kept = dead.replace("/// Doc.\n", "").replace(' ', "");
            let kept = kept.strip_prefix("#[inline]").unwrap_or(&kept);
            let shown = of(&format!("{live} BIG {dead}"));
            assert!(shown.ends_with(kept) && !shown.contains("cfg"), "{shown}");
        }
        assert_eq!(
            of("{ SMALL f(); g(); #[a] SMALL fn f() {} h() }"),
            "{g();h()}"
        );
        assert_eq!(of("$(SMALL fn f() {} BIG fn $x() {})*"), "$(fn$x(){})*");
        // What is not clear stays, as what others see.
        for open in [
            "$(#[$a])* SMALL fn f() {}",
            "struct S { SMALL a: u8 }",
            "SMALL { a }.b();",
            "SMALL if a { b } c();",
            "SMALL a => b, c => d;",
            "SMALL impl A<{ 1 }> for B {}",
            "n! { SMALL fn f() {} }",
            "#[cfg(unix)] fn f() {}",
        ] {
            let expected = open.replace("SMALL", "#[cfg(any())]").replace(' ', "");
            assert_eq!(of(open), expected);
        }
        assert_eq!(
            of("#[cfg_attr(feature = \"big\", a, b(c))] #[cfg_attr(feature = \"small\", d)] fn f() {}"),
            "#[a]#[b(c)]fnf(){}"
        );
    }

    #[test]
    fn a_tuple_stays_one() {
        assert_eq!(in_main("(SMALL 1, 2);"), "(2,);");
        assert_eq!(in_main("(1, SMALL 2);"), "(1,);");
        assert_eq!(in_main("(1, BIG 2);"), "(1,2);");
    }

    #[test]
    fn attributes_in_attributes_are_settled() {
        let text = "#[cfg_attr(all(), cfg(feature = \"big\"), cfg_attr(feature = \"big\", inline))] fn f() {}
            #[cfg_attr(all(), cfg_attr(all(), cfg(feature = \"small\")))] fn g() {}
            #[cfg_attr(unix, cfg(feature = \"small\"), cfg(feature = \"big\"))] fn h() {}";
        assert_eq!(
            loaded(text),
            "#[inline]fnf(){}#[cfg_attr(unix,cfg(any()))]fnh(){}"
        );
        assert_eq!(
            in_main("m!(#[cfg_attr(feature = \"big\", x)] SMALL);"),
            "m!(#[cfg_attr(all(),x)]#[cfg(any())]);"
        );
    }
}
