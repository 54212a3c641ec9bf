//! One crate as one text: its files put together, what cfg excludes left out, its item macros expanded, its
//! chains of conditions taken apart.
//!
//! Everything is an edit of the original text, so that formatting and comments of our own code survive. Comments of other people's crates
//! are dropped when a file is read, but for documentation that a macro gets.
//!
//! A macro that stands where items stand (`impl_tuple_collect!(12, …)`) is expanded when the same crate defines it: the compiler
//! can call a single item dead, but not half of a macro call. So are those in a block without a name (see [`blocks`]).
//!
//! A [`Pass`] walks over one file and writes down the edits; what it does with attributes, macros and the rest is in the modules of
//! these names.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{anyhow, Context, Result};
use syn::visit::Visit;
use syn::{Attribute, Item, Meta, UseTree};

use super::editions::older;
use super::resolve::cfg::{self, Settled};
use super::resolve::Unit;
use super::rewrite;
use super::rewrite::namesakes::DECLARING;
use super::text::source::{self, Edits};

mod attributed;
mod attributes;
mod blocks;
pub(super) mod callers;
mod chains;
mod checks;
mod choices;
pub(super) mod expand;
mod files;
pub(super) mod leading;
mod macros;
pub(super) mod marks;
pub(super) mod matched;
pub(super) mod pasted;
mod snippets;
mod tails;
pub(super) mod templates;
pub(super) mod unused;
mod versions;
mod walk;
mod written;

use attributes::Fate;
pub use attributes::ERRORS;
use checks::has_own_checks;
use expand::Macro;
use macros::local_macros;
pub use macros::{is_like_block, is_operand, Form};

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
        let own = [&VALUES[..], &DECLARING].concat();
        let names = |text: &String| match unit.own {
            true => names_in(&source::without_comments(text), &own),
            false => names_in(text, &VALUES),
        };
        loader.taken = texts.iter().flat_map(names).collect();
        let imported = texts.iter().flat_map(|text| imported_where_defined(text));
        loader.taken.extend(imported);
        if unit.own {
            loader.elsewhere = called_alike(units, at, &texts);
        }
    }
    let rendered = loader
        .module(&text, &Place::of_root(unit))?
        .with_context(|| format!("{}: cfg excludes the whole crate", unit.title()))?;
    let mut text = rendered.text;
    // In edition 2015 these lead from the root as all imports do.
    if unit.edition > 2015 {
        text = leading::apart(&text).unwrap_or(text);
    }
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
    let defined: BTreeSet<String> = rewrite::defined(text).collect();
    text.lines()
        .filter_map(|line| {
            let path = line
                .trim()
                .strip_prefix("pub(crate) use ")?
                .strip_suffix(';')?;
            let name = path.rsplit("::").next()?;
            let (word, name) = name.split_once(" as ").unwrap_or((name, name));
            defined.contains(word).then(|| name.to_owned())
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

/// The macros that the files of a crate define, and those of them that are for others.
struct Inside {
    defined: BTreeSet<String>,
    exported: BTreeSet<String>,
}

/// A macro on its way to the root of its crate.
#[derive(PartialEq)]
struct Exported {
    name: String,
    /// Something else of the crate has the name too, and an import would mean both: the macro goes up in a module of its
    /// own, which is called so.
    apart: Option<String>,
    /// The attributes without which it is not there, on lines of their own.
    cfg: String,
}

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
    inside: OnceCell<Inside>,
    /// Those of each other crate of one's own that it depends on, by its name.
    of_others: BTreeMap<String, OnceCell<BTreeMap<String, Option<Macro>>>>,
    /// Names of functions, constants and modules, in one's own crate also of types, and of what modules import that have a macro so called: a
    /// macro that has one of these goes up apart.
    taken: Vec<String>,
    /// Names of macros that another may have: on the way up to the root it would mean that one.
    elsewhere: BTreeSet<String>,
    /// Exported macros with names of [`attributes::ATTRIBUTES`]: each is defined as `name_macro`.
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

/// Where a file cannot be parsed as it lies there, and why; `None` if it can.
fn line_of_error(file: &Path) -> Option<(usize, syn::Error)> {
    let text = fs::read_to_string(file).ok()?;
    let error = syn::parse_file(&text).err()?;
    Some((error.span().start().line, error))
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
            inside: OnceCell::new(),
            of_others: BTreeMap::new(),
            called_otherwise: BTreeMap::new(),
            taken: Vec::new(),
            elsewhere: BTreeSet::new(),
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
        let text = snippets::unmarked(text, self.units, self.unit);
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

    fn macros_inside(&self) -> &Inside {
        self.inside.get_or_init(|| {
            let mut found = Inside {
                defined: BTreeSet::new(),
                exported: BTreeSet::new(),
            };
            for text in self.unit.texts() {
                found.defined.extend(rewrite::defined(&text));
                let exported = text.split("macro_export").skip(1);
                let exported = exported.filter_map(|rest| rewrite::defined(rest).next());
                found.exported.extend(exported);
            }
            found
        })
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
            comments: OnceCell::new(),
            place: place.clone(),
            edits: Edits::default(),
            exported: Vec::new(),
            defining: None,
            closures: 0,
            whole: None,
            checked: Vec::new(),
            knows_variables: false,
            is_matched: false,
            error: None,
        };
        if let Fate::Drop = pass.attributes(&file.attrs, place.root) {
            return Ok(None);
        }
        for item in &file.items {
            pass.visit_item(item);
        }
        if pass.loader.unit.own {
            pass.delete_titles(&file.items);
        }
        let cfg = pass.open_cfg(&file.attrs);
        for exported in &mut pass.exported {
            exported.cfg.insert_str(0, &cfg);
        }
        pass.finish()
    }
}

/// One pass over one text.
struct Pass<'l, 'u, 't> {
    loader: &'l mut Loader<'u>,
    text: &'t str,
    /// Of the text, once something goes that may have some.
    comments: OnceCell<Vec<Range<usize>>>,
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
    /// Whether the variables of the text are among those that the loader knows.
    knows_variables: bool,
    /// Whether the tokens that we are in go to a macro of one's own, as they are written.
    is_matched: bool,
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
            for Exported { name, apart, cfg } in &self.exported {
                if let Some(module) = apart {
                    text += &format!("{cfg}pub(crate) use {module}::{name};\n");
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

    fn comments(&self) -> &[Range<usize>] {
        self.comments.get_or_init(|| source::comments(self.text))
    }

    /// Whether a comment begins or ends a region of more than what it stands above.
    fn is_region(&self, comment: usize) -> bool {
        let regions = source::regions(self.text, self.comments());
        regions.iter().any(|marks| marks.contains(&comment))
    }

    /// Deletes a range, with the rest of its line if nothing else is on it but a comment behind it.
    fn delete(&mut self, range: Range<usize>) {
        let line = self.text[..range.start].rfind('\n').map_or(0, |n| n + 1);
        let rest = self.text[range.end..]
            .find('\n')
            .map_or(self.text.len(), |n| range.end + n + 1);
        let behind = self.text[range.end..rest].trim();
        let is_comment = behind.starts_with("//") && !source::is_doc(behind);
        let alone =
            self.text[line..range.start].trim().is_empty() && (behind.is_empty() || is_comment);
        if !alone {
            self.edits.delete(range);
            return;
        }
        let mut end = rest;
        if is_comment {
            let comments = self.comments();
            let below = comments.partition_point(|comment| comment.start < rest);
            let more = (below..comments.len())
                .take_while(|&n| source::goes_on(self.text, comments, n))
                .last();
            end = more.map_or(rest, |n| (comments[n].end + 1).min(self.text.len()));
        }
        self.edits.delete(line..end);
    }

    /// Deletes an attribute. A comment behind it may be about what stays.
    fn delete_attribute(&mut self, range: Range<usize>) {
        let behind = &self.text[range.end..];
        let comment = behind.trim_start_matches([' ', '\t']);
        match comment.starts_with("//") {
            true => self
                .edits
                .delete(range.start..range.end + behind.len() - comment.len()),
            false => self.delete(range),
        }
    }

    /// Deletes an item with the comments directly above it.
    fn delete_item(&mut self, range: Range<usize>) {
        let mut start = range.start;
        while let Some(above) = self.text[..start]
            .trim_end_matches([' ', '\t'])
            .strip_suffix('\n')
        {
            let line = above.rfind('\n').map_or(0, |n| n + 1);
            let text = above[line..].trim_start();
            let comment = above.len() - text.len();
            let may_be = text.starts_with("//") && !text.starts_with("//!");
            if !may_be {
                break;
            }
            // It may be in a string.
            let comments = self.comments();
            match comments.binary_search_by_key(&comment, |of| of.start) {
                Ok(n) if !source::goes_on(self.text, comments, n) && !self.is_region(n) => {}
                _ => break,
            }
            start = comment;
        }
        self.delete(start..range.end);
    }

    /// Deletes the comments that stand, with an empty line between, above items all of which are excluded, up to the next such comment. What
    /// the file begins with is about that.
    fn delete_titles(&mut self, items: &[Item]) {
        let places: Vec<Range<usize>> = items.iter().map(source::item_range).collect();
        let done = self.edits.clone().into_list();
        let is_gone = |item: &Range<usize>| {
            let mut deleted = done.iter().filter(|(_, with)| with.is_empty());
            deleted.any(|(range, _)| range.start <= item.start && item.end <= range.end)
        };
        let (gone, left): (Vec<_>, Vec<_>) = places.iter().partition(|item| is_gone(item));
        if gone.is_empty() {
            return;
        }
        let comments = self.comments();
        let regions = source::regions(self.text, comments);
        let mut titles = source::titles(self.text, comments, &regions);
        titles.retain(|title| !places.iter().any(|item| item.contains(&title.start)));
        let ends = titles
            .iter()
            .skip(1)
            .map(|next| next.start)
            .chain([self.text.len()]);
        let sections: Vec<Range<usize>> = titles
            .iter()
            .zip(ends)
            .map(|(title, end)| title.end..end)
            .collect();
        for (title, section) in titles.into_iter().zip(sections) {
            let is_first = self.text[..title.start].trim().is_empty();
            let has =
                |items: &[&Range<usize>]| items.iter().any(|item| section.contains(&item.start));
            if !is_first && has(&gone) && !has(&left) {
                self.delete(title);
            }
        }
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
}

/// Which macros of one's own crate are called like others of it, of those that it depends on, or as imports.
fn called_alike(units: &[Unit], at: usize, texts: &[String]) -> BTreeSet<String> {
    let others = units[at].dependencies.values().map(|&at| &units[at]);
    let others = others.filter(|other| other.own).flat_map(Unit::texts);
    let mut seen: BTreeSet<String> = others
        .flat_map(|text| rewrite::defined(&text).collect::<Vec<_>>())
        .collect();
    let mut found = BTreeSet::new();
    for text in texts {
        let text = source::without_comments(text);
        let pieces: Vec<&str> = text.split("macro_rules!").collect();
        for pair in pieces.windows(2) {
            let start = pair[0].rfind(['}', ';']).map_or(0, |at| at + 1);
            // One of several for as many conditions.
            let is_choice = pair[0][start..].contains("cfg(");
            let name = source::words(pair[1]).next().unwrap_or_default();
            if !seen.insert(name.to_owned()) && !is_choice {
                found.insert(name.to_owned());
            }
        }
        let renamed = text.split(" as ").skip(1);
        found.extend(renamed.filter_map(|rest| source::words(rest).next().map(str::to_owned)));
    }
    found
}

/// The words before the names of values and modules.
const VALUES: [&str; 4] = ["fn", "const", "static", "mod"];

/// The names behind some words: a macro's import brings what is called like the macro, too.
fn names_in(text: &str, declaring: &[&str]) -> Vec<String> {
    let words = source::words(text);
    let pairs = words.clone().zip(words.skip(1));
    let named = pairs.filter(|(before, _)| declaring.contains(before));
    named.map(|(_, name)| name.to_owned()).collect()
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
    // To read all of it takes long, and an import of such a name is rare.
    let behind = |word| text.split(word).skip(1);
    let defined = behind("macro_rules").filter_map(|rest| source::words(rest).next());
    let defined: BTreeSet<&str> = defined.collect();
    let mut imported = source::imports(text).flat_map(source::words);
    if text.contains("macro_export") && imported.any(|name| defined.contains(name)) {
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

#[cfg(test)]
mod tests {
    use super::files::{bytes_literal, enclosed, string_literal};
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
            units[0].dependencies.insert(name.replace('-', "_"), at);
        }
        load(&units, 0, true)
    }

    #[test]
    fn what_stands_behind_another_on_a_line_gets_its_own() {
        let dense = "trait T { fn a(); fn b() {} } impl T for u8 { fn a() {} #[inline] fn b() {} } /* a */ /* b */ /// X.\nimpl T for i8 { fn a() {} } fn main() {}";
        let apart = "trait T { fn a(); \nfn b() {} } \nimpl T for u8 { fn a() {} \n#[inline] fn b() {} } \n/* a */ /* b */ /// X.\nimpl T for i8 { fn a() {} } \nfn main() {}";
        assert_eq!(load_file(true, dense).unwrap().trim_end(), apart);
        let skipped = format!("#[rustfmt::skip] mod m {{}} {dense}");
        assert_eq!(load_file(true, &skipped).unwrap().trim_end(), skipped);
    }

    #[test]
    fn a_comment_behind_a_module_that_is_a_file_goes_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("main.rs");
        let text = "  #[cfg(not(test))]\n  mod a; // points\n         // and lines\nmod b; // gone\n#[cfg(test)]\nmod c; // gone\nfn main() {}\n";
        fs::write(&root, text).unwrap();
        fs::write(folder.path().join("a.rs"), "pub struct A;\n").unwrap();
        fs::write(folder.path().join("b.rs"), "#![cfg(test)]\n").unwrap();
        let mut unit = Unit::sample(&root);
        (unit.own, unit.cfg.own) = (true, true);
        assert_eq!(
            load(&[unit], 0, true).unwrap().trim_end(),
            "// points\n// and lines\n  mod a {\npub struct A;\n}\nfn main() {}"
        );
    }

    #[test]
    fn a_comment_behind_an_exported_macro_stays_there() {
        let text = "#[macro_export]\nmacro_rules! a { () => {} } // a\n                            // of nothing\nfn f() {}\n";
        let loaded = load_file(true, text).unwrap();
        let [start, end] =
            ["() => {} } // a", "// of nothing\npub(crate) use a;"].map(|part| loaded.find(part));
        assert!(start.is_some() && start < end, "{loaded}");
    }

    #[test]
    fn a_macro_of_ones_own_may_be_called_as_one_that_reads_files() {
        let text = "macro_rules! env { ($a:expr) => { $a } } macro_rules! include_str { ($a:expr) => { $a } } \
                    fn f() { env!(\"a\"); include_str!(\"b\"); }";
        let words: String = text.split_whitespace().collect();
        assert_eq!(loaded_of(true, text), words);
        assert!(load_file(true, "fn f() { env!(\"a\"); }").is_err());
        assert!(load_file(true, "fn f() { include_str!(\"b\"); }").is_err());
    }

    #[test]
    fn a_title_goes_with_all_that_was_below_it() {
        let text = "// about all\n\n// - one -\n\nfn f() {}\n\n// - two -\n\n#[cfg(test)]\nfn g() {}\n\n\
                    // region three\n#[cfg(test)]\nfn h() {}\n// endregion\n\n// - four -\n\n#[cfg(test)]\nmod tests {}\n\
                    #[cfg(not(test))]\nfn i() {}\n\n// - five -\n\n#[cfg(test)]\nmod tests {}\n";
        let loaded = load_file(true, text).unwrap();
        let lines: Vec<&str> = loaded.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            lines,
            [
                "// about all",
                "// - one -",
                "fn f() {}",
                "// region three",
                "// endregion",
                "// - four -",
                "fn i() {}"
            ]
        );
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
    fn marks_for_a_tool_are_dropped() {
        let text = "#[cargo_snippet::snippet(\"a\")]\nfn a() {}";
        let made = load_with(true, &["cargo-snippet"], text).unwrap();
        assert_eq!(made.trim(), "fn a() {}");
    }

    #[test]
    fn what_a_call_makes_is_followed_through_any_number_of_macros() {
        let far: String = (0..20)
            .map(|n| {
                format!(
                    "macro_rules! m{n} {{ ($name:expr) => {{ m{}!($name) }} }} ",
                    n + 1
                )
            })
            .collect();
        let macros = format!("macro_rules! m20 {{ ($name:expr) => {{ env!($name) }} }} {far}");
        let made = main_of(2021, &macros, "m0!(\"CARGO_PKG_NAME\")");
        assert_eq!(made, "\"p\"");
    }

    #[test]
    fn a_macro_with_many_rules_that_call_it_is_looked_at_once() {
        let rules: String = (0..20)
            .map(|n| format!("(a{n} $($t:tt)*) => {{ each!($($t)*); each!($($t)*) }}; "))
            .collect();
        let macros = format!("macro_rules! each {{ {rules} () => {{}} }}");
        assert_eq!(main_of(2021, &macros, "each!(a0)"), "each!(a0)");
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
    fn macros_that_a_macro_makes_for_others_are_written_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("lib.rs");
        let text = "macro_rules! make { ($($n:ident $v:expr;)*) => { $( #[doc(hidden)] #[macro_export] macro_rules! $n { () => { $v }; } )* } }
            mod inner { make! { five 5; six 6; } } #[macro_export] macro_rules! r#try { () => {} } macro_rules! own { ($n:ident) => { macro_rules! $n { () => {} } } }
            own!(a);";
        fs::write(&root, text).unwrap();
        let mut unit = Unit {
            own: true,
            ..Unit::sample(&root)
        };
        unit.module = "library".to_owned();
        let loaded = load(&[unit], 0, true).unwrap();
        let exported: BTreeSet<String> = exported(&loaded).into_iter().collect();
        let expected = ["r#try", "five", "six"].map(str::to_owned);
        assert_eq!(exported, BTreeSet::from(expected));
        assert!(loaded.contains("own!(a);"), "{loaded}");
    }

    #[test]
    fn macros_go_up_by_names_that_mean_nothing_else() {
        let of = |name: &str| {
            let exported = format!("#[macro_export] macro_rules! {name} {{ () => {{}} }}");
            loaded(&format!(
                "mod a {{ mod r#type {{ {exported} }} }} struct Row; use a as renamed; mod b {{ macro_rules! two {{ () => {{}} }} }} /* fn mine */ #[cfg(unix)] macro_rules! one_of {{ () => {{}} }}"
            ))
        };
        let plain = of("mine");
        assert!(
            plain.contains("pub(crate)useself::r#type::mine;"),
            "{plain}"
        );
        assert!(!plain.contains("mine_macro"), "{plain}");
        // One of several for as many conditions.
        assert!(!of("one_of").contains("one_of_macro"));
        for name in ["vec", "Row", "renamed", "two", "a"] {
            let text = of(name);
            let module = format!("pub(crate)mod{name}_macro{{pub(crate)use{name};}}");
            let up = format!("pub(crate)useself::r#type::{name}_macro;");
            let root = format!("pub(crate)use{name}_macro::{name};");
            for part in [module, up, root] {
                assert!(text.contains(&part), "no {part} in {text}");
            }
        }
        // At the root it is what it was.
        let text = loaded("#[macro_export] macro_rules! vec { () => {} }");
        assert!(text.ends_with("pub(crate)usevec;"), "{text}");
    }

    #[test]
    fn what_macros_match_has_as_many_tokens() {
        let text = "fn f() { m!(cfg!(test), println!(\"{}\", cfg!(feature = \"big\"))); println!(\"{}\", n!(!cfg!(test))); }";
        assert_eq!(
            loaded(text),
            "fnf(){m!(cfg!(any()),println!(\"{}\",true));println!(\"{}\",n!(!cfg!(any())));}"
        );
        let rules = "macro_rules! m { ($x:expr) => { f(std::cfg!(test), $x, ::core::cfg!(feature = \"big\"), own::cfg!(test)) }; }";
        let made = "macro_rules!m{($x:expr)=>{f(false,$x,true,own::cfg!(test))};}";
        assert_eq!(loaded(rules), made);
        let of_others = loaded_of(false, "fn f() { m!(cfg!(test)); }");
        assert_eq!(of_others, "fnf(){m!(false);}");
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
            "self . x } }",
            "fn main() {}",
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
    fn a_macro_is_exported_where_its_cfg_holds() {
        let text = "#[cfg(local)] #[macro_export] macro_rules! debug { () => { 1 } }\n\
                    #[cfg(not(local))] #[macro_export] macro_rules! debug { () => { 2 } }";
        let loaded = load_file(true, text).unwrap();
        assert_eq!(exported(&loaded), ["debug", "debug"]);
        let words: Vec<&str> = loaded.split_whitespace().collect();
        let words = words.join(" ");
        for cfg in ["#[cfg(local)]", "#[cfg(not(local))]"] {
            assert!(
                words.contains(&format!("{cfg} pub(crate) use debug;")),
                "{words}"
            );
        }
    }

    #[test]
    fn an_own_macro_may_be_called_cfg() {
        let own = "macro_rules! cfg { ($n:ident) => { 1 } }";
        let code = "fn f() { cfg!(test); g!(cfg!(test)); if cfg!(test) {} }";
        let loaded = loaded_of(true, &format!("{own} {code}"));
        assert_eq!(loaded.matches("cfg!(test)").count(), 3, "{loaded}");
        assert!(!loaded_of(true, code).contains("cfg!(test)"));
    }

    #[test]
    fn a_macro_may_be_exported_by_a_feature_or_passed_on_inside() {
        let text =
            "#[cfg_attr(all(), macro_export, allow(unused))] macro_rules! a { () => { 1 } }\n\
                    macro_rules! b { () => { 2 } }\npub(crate) use b;\npub(crate) use b as c;\n\
                    mod m { #[macro_export] macro_rules! d { () => {} } pub(crate) use d as e; }";
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("lib.rs");
        fs::write(&root, text).unwrap();
        let mut unit = Unit::sample(&root);
        unit.own = true;
        unit.module = "library".to_owned();
        let loaded = load(&[unit], 0, true).unwrap();
        assert_eq!(exported(&loaded), ["a", "d", "d"]);
        assert!(!loaded.contains("macro_export"), "{loaded}");
        let inside = ["pub(in crate) use b;", "pub(in crate) use b as c;"];
        assert!(
            inside.iter().all(|import| loaded.contains(import)),
            "{loaded}"
        );
    }

    #[test]
    fn a_macro_is_exported_where_the_modules_are_that_it_is_in() {
        let inner = "#[cfg(target_pointer_width = \"32\")] #[macro_export] macro_rules! a { () => {} } \
                     #[cfg(not(target_pointer_width = \"32\"))] #[macro_export] macro_rules! a { () => { 1 } }";
        let text = format!("#[cfg(local)] mod b {{ {inner} }} fn a() {{}}");
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("lib.rs");
        fs::write(&root, "mod c;").unwrap();
        fs::write(
            folder.path().join("c.rs"),
            format!("#![cfg(windows)] {text}"),
        )
        .unwrap();
        let mut unit = Unit::sample(&root);
        (unit.own, unit.cfg.own) = (true, true);
        let loaded = load(&[unit], 0, true).unwrap();
        let words: Vec<&str> = loaded.split_whitespace().collect();
        let words = words.join(" ");
        let [narrow, wide] = [
            "target_pointer_width = \"32\"",
            "not(target_pointer_width = \"32\")",
        ];
        for width in [narrow, wide] {
            let cfgs = [
                format!("#[cfg({width})]"),
                "#[cfg(local)]".to_owned(),
                "#[cfg(windows)]".to_owned(),
            ];
            for (at, module) in ["", "b::", "c::"].into_iter().enumerate() {
                let cfgs: Vec<&str> = cfgs[..=at].iter().rev().map(String::as_str).collect();
                let import = match module {
                    "" => "pub(crate) mod a_macro { pub(crate) use a; }".to_owned(),
                    module => format!("pub(crate) use self::{module}a_macro;"),
                };
                let want = format!("{} {import}", cfgs.join(" "));
                assert!(words.contains(&want), "{want}\n{loaded}");
            }
            assert!(words.contains("pub(crate) use a_macro::a;"), "{loaded}");
        }
        assert_eq!(exported(&loaded), ["a", "a"]);
    }

    #[test]
    fn what_documentation_says_is_no_variable() {
        let text = "macro_rules! when { (atomic(8) $a:tt) => { items! $a }; (atomic(bool) $($rest:tt)*) => { when! { atomic(8) $($rest)* } }; } \
                    macro_rules! items { ($($a:tt)*) => { $($a)* } } \
                    when!(atomic(bool) { /// Of `{ptr, sync::atomic::*}`.\nfn f() {} });";
        assert!(loaded_of(false, text).ends_with("fnf(){}"));
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
        assert_eq!(items, "{fna(){}}modm{fnc(){}}implT{#[cfg(unix)]fnd(){}}");
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
            ("vec![1, 2]", "vec![1, 2]\n"),
            ("m! { 1 }", "(m! { 1 }\n)"),
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
    fn reasons_of_lints_become_comments() {
        let text = "#![allow(clippy::x, reason = \"clearer\")]\n#[expect(y, z, reason = \"so\",)]\nfn f() {}\n#[allow(a, reason = \"b\")] fn g() {}\n";
        let found = load_file(true, text).unwrap();
        let expected = "#![allow(clippy::x)] // clearer\n#[allow(y, z,)] // so\nfn f() {}\n#[allow(a, reason = \"b\")] fn g() {}\n";
        assert_eq!(found.trim_end(), expected.trim_end());
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
    fn an_open_cfg_of_a_call_goes_to_each_thing_that_it_makes() {
        let macros = "macro_rules! two { ($a:ident $b:ident) => { fn $a(); fn $b() {} }; }\
                      macro_rules! one { ($a:ident) => { const $a: u8 = 1; fn f() {} }; }";
        let text = format!("{macros} trait T {{ #[cfg(unix)] two!(c d); }} impl A {{ #[cfg(all(unix, feature = \"big\"))] one!(C); }}");
        let made = "traitT{#[cfg(unix)]fnc();#[cfg(unix)]fnd(){}}implA{#[cfg(unix)]constC:u8=1;#[cfg(unix)]fnf(){}}";
        let loaded = loaded_of(false, &text);
        assert!(loaded.ends_with(made), "{loaded}");
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
    fn comments_on_what_is_not_there_go_with_it() {
        let text = "struct S {
                #[cfg(test)]
                a: u8, // a
                b: u8, // b
            } // S
            // before f

            // about f
            // and more
            #[cfg(test)]
            fn f() {} // f
            // after f
            fn main() {
                #[cfg(test)]
                f(); // call
                g(); #[cfg(test)] f(); // g
            }
            #[cfg(test)] const A: u8 = 0; /// doc
            const B: u8 = 0;
            const C: &str = \"
            // c\";
            #[cfg(test)] fn f() {}";
        let left =
            "struct S { b: u8, // b } // S // before f // after f fn main() { g(); // g } /// doc const B: u8 = 0; const C: &str = \" // c\";";
        assert_eq!(loaded(text), left.replace(' ', ""));
    }

    #[test]
    fn comments_on_parts_that_are_not_there_go_with_them() {
        let text = "enum E {
    A, // a
    // b
    #[cfg(test)]
    B, // b
       // b
    #[cfg(test)]
    C /* c */ ,
    D, // d
       // d
    #[cfg(test)]
    E,
}
#[cfg(not(test))] // f
#[inline] // f
#[must_use] // f
fn f() {
    f(); // f
    // g
    #[cfg(test)]
    g();
}
";
        let left = "enum E {
    A, // a
    D, // d
       // d
}
// f
#[inline] // f
// f
fn f() {
    f(); // f
}
";
        assert_eq!(load_file(true, text).unwrap().trim(), left.trim());
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
    fn attributes_in_bodies_of_macros_are_settled() {
        let of = |body: &str| {
            let body = body.replace("BIG", BIG).replace("SMALL", SMALL);
            let text = format!("macro_rules! m {{ ($x:ident) => {{ {body} }} }}");
            assert_eq!(loaded_of(false, &text), loaded(&text));
            let text = loaded(&text);
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
            "if let a = b && c { d } else if a { b } else { c }",
            "loop { f() }",
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
            "SMALL if let A { b } = a { c } d();",
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

    #[test]
    fn own_code_that_rustfmt_is_to_leave_stays_so() {
        let text = "#[cfg_attr(rustfmt, SKIP)] const A: [u8; 2] = [1, 2]; #[cfg_attr(rustfmt, inline)] fn f() {}";
        for skip in ["rustfmt_skip", "rustfmt::skip"] {
            let text = text.replace("SKIP", skip);
            let skipped = "#[rustfmt::skip]constA:[u8;2]=[1,2];fnf(){}";
            assert_eq!(loaded_of(true, &text), skipped);
            assert_eq!(
                loaded_of(false, &text),
                skipped.replace("#[rustfmt::skip]", "")
            );
        }
    }
}
