//! Imports of large crates that the program does not use: templates for contests import whatever a judge has.
//!
//! All that the program names is read at once, and of much code that takes long. So the compiler is asked first, about the program as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Item, ItemUse};

use crate::bundle::compiler::{is_written, place, suggestions, Compiler};
use crate::bundle::load;
use crate::bundle::resolve::{Resolved, Unit};
use crate::bundle::text::source;

/// How many bytes of source are worth the question.
const MUCH: u64 = 3 << 18;

/// Questions, at most. An import may be used for no more than the path of another.
const ROUNDS: usize = 4;

/// Takes the imports out of the program that it does not use, if perhaps much need not be read then.
pub fn leave_out(compiler: &Compiler, resolved: &mut Resolved, external: &BTreeSet<usize>) {
    let units = &resolved.units;
    let Ok(text) = load::load(units, 0, true) else {
        return;
    };
    // What this machine leaves out may use them.
    let is_whole = !source::words(&text).any(|word| ["cfg", "cfg_attr"].contains(&word));
    if is_whole && size(units, external, doubtful(&units[0], &text)) >= MUCH {
        // Without an answer all is read, as if there were no question.
        let unused = unused(compiler, resolved).unwrap_or_default();
        let edits = &mut resolved.units[0].migrated.edits;
        for (file, places) in unused {
            let edits = edits.entry(file).or_default();
            places.into_iter().for_each(|place| edits.delete(place));
        }
    }
}

/// Where unused imports are, by file.
fn unused(
    compiler: &Compiler,
    resolved: &Resolved,
) -> Result<BTreeMap<PathBuf, Vec<Range<usize>>>> {
    let root = &resolved.units[0].root;
    let mut bytes = fs::read(root)?;
    let mut asked = root.clone();
    let mut found: BTreeMap<PathBuf, Vec<Range<usize>>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let places = told(compiler, resolved, &asked)?;
        let is_last = places.is_empty();
        for (file, place) in places {
            let is_root = file == asked;
            if is_root {
                // All others stay where they are.
                source::blank(&mut bytes, place.clone());
            }
            let file = if is_root { root.clone() } else { file };
            found.entry(file).or_default().push(place);
        }
        // Other files are found from where it lies.
        if is_last || needs_files(&bytes) {
            break;
        }
        asked = compiler.scratch.join("unused.rs");
        fs::write(&asked, &bytes)?;
    }
    Ok(found)
}

/// Whether a program has a part in another file.
fn needs_files(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let is_elsewhere = |item: &Item| matches!(item, Item::Mod(module) if module.content.is_none());
    let includes = |word: &str| word.starts_with("include");
    source::words(&text).any(includes)
        || syn::parse_file(&text).map_or(true, |file| file.items.iter().any(is_elsewhere))
}

/// What the compiler would take out of a program, given by its first file; nothing if it does not compile.
fn told(
    compiler: &Compiler,
    resolved: &Resolved,
    root: &Path,
) -> Result<Vec<(PathBuf, Range<usize>)>> {
    let mut command = resolved.command(compiler, &resolved.units[0], root);
    command
        .args(["--emit=metadata=unused", "--error-format=json"])
        .arg("--force-warn=unused_imports")
        .current_dir(&compiler.scratch);
    let output = command.output().context("cannot start rustc")?;
    if !output.status.success() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let message: Value = serde_json::from_str(line)?;
        if message["code"]["code"] != "unused_imports" {
            continue;
        }
        let fixes = suggestions(&message, false).filter(|(_, (_, with))| with.is_empty());
        let before = found.len();
        found.extend(fixes.map(|(file, (place, _))| (PathBuf::from(file), place)));
        // Of what could only bring methods it tells where that is, and no more.
        let span = &message["spans"][0];
        if let (true, Some(path), Some(place)) = (
            found.len() == before && is_written(span),
            span["file_name"].as_str(),
            place(span),
        ) {
            let path = PathBuf::from(path);
            let import = import_at(&fs::read_to_string(&path)?, &place);
            found.extend(import.map(|place| (path, place)));
        }
    }
    Ok(found)
}

/// The import that has a path at this place and brings nothing else.
fn import_at(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let mut imports = Imports::default();
    imports.visit_file(&syn::parse_file(text).ok()?);
    let is_it = |of: &Import| of.place.start <= place.start && place.end <= of.place.end;
    let import = imports.0.into_iter().find(is_it)?;
    (import.leaves.len() == 1).then_some(import.place)
}

/// The crates that the program imports from, and of which it may use nothing: all, or what it names nowhere else.
fn doubtful(program: &Unit, text: &str) -> BTreeSet<usize> {
    let mut imports = Imports::default();
    if let Ok(file) = source::parsed(text) {
        imports.visit_file(&file);
    }
    let is_named_again =
        |called: &str| source::words(text).filter(|word| *word == called).count() > 1;
    let mut doubtful = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (path, called) in imports.0.into_iter().flat_map(|import| import.leaves) {
        let first = path.iter().find(|name| !name.is_empty());
        let Some(&of) = first.and_then(|name| program.dependencies.get(name)) else {
            continue;
        };
        match called == "*" || !is_named_again(&called) {
            true => doubtful.insert(of),
            false => used.insert(of),
        };
    }
    &doubtful - &used
}

struct Import {
    place: Range<usize>,
    /// What it brings, each with its path.
    leaves: Vec<(Vec<String>, String)>,
}

#[derive(Default)]
struct Imports(Vec<Import>);

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.0.push(Import {
            place: item.span().byte_range(),
            leaves: source::leaves(item),
        });
    }
}

/// How much source some crates have and those that they use, as far as it could be read.
fn size(units: &[Unit], external: &BTreeSet<usize>, of: BTreeSet<usize>) -> u64 {
    let is_read = |at: &usize| !external.contains(at) && units[*at].obstacle.is_none();
    let mut found = BTreeSet::new();
    let mut stack: Vec<usize> = of.into_iter().filter(is_read).collect();
    while let Some(at) = stack.pop() {
        if found.insert(at) {
            let more = units[at].dependencies.values().copied();
            stack.extend(more.filter(is_read));
        }
    }
    found.into_iter().map(|at| units[at].size()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_nowhere_else_may_be_unused() {
        let names = ["a", "b", "c", "d"];
        let dependencies = names
            .iter()
            .zip(1..)
            .map(|(name, at)| ((*name).to_owned(), at));
        let program = Unit {
            dependencies: dependencies.collect(),
            ..Unit::sample(Path::new("main.rs"))
        };
        let text = "use a::*; use ::b::{self as other, X}; use c::Y as Z; use std::d::V; mod m { use d::W; } fn main() { Z }";
        assert_eq!(doubtful(&program, text), BTreeSet::from([1, 2, 4]));
    }

    #[test]
    fn an_import_that_brings_one_thing_goes_as_a_whole() {
        let text = "use a::b::*; mod m { use a::{b::C, D}; }";
        let import = |path: &str| {
            let start = text.find(path).unwrap();
            Some(&text[import_at(text, &(start..start + path.len()))?])
        };
        assert_eq!(import("a::b"), Some("use a::b::*;"));
        assert_eq!(import("b::C"), None);
    }
}
