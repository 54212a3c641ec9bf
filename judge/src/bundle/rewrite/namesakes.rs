//! What is called like a crate: in one file the modules of crates are beside what the program and they themselves declare.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use crate::bundle::load;
use crate::bundle::resolve::Unit;
use crate::bundle::rewrite::{self, Namesakes};
use crate::bundle::text::source;
use crate::bundle::text::tokens::is_punct;

/// Gives the modules of crates other names where the program has something of the name.
pub fn keep_apart(units: &mut [Unit], external: &BTreeSet<usize>) {
    // If this fails it fails again, where there is more to say about it.
    let Ok(text) = load::load(units, 0, true) else {
        return;
    };
    for at in 1..units.len() {
        units[at].is_like_module = is_like_module(units, at);
    }
    let Ok(mut taken) = rewrite::taken(&text, &namesakes(units, 0, &text)) else {
        return;
    };
    // Where they have other names in the program, it imports them by these.
    let dependencies = units[0].dependencies.iter();
    let renamed = dependencies.filter(|(name, &at)| **name != units[at].module);
    taken.extend(renamed.map(|(name, _)| name.clone()));
    // What an import of all names brings the module of another crate would hide.
    for path in rewrite::imported_whole(&text) {
        let Some(&from) = units[0].dependencies.get(&path[0]) else {
            continue;
        };
        let texts: Vec<String> = units[from].texts().collect();
        let brings = |module: &&str| {
            let declared = format!("pub mod {module}");
            texts.iter().any(|text| text.contains(&declared))
        };
        let others = (1..units.len()).filter(|&at| at != from);
        let modules = others.map(|at| units[at].module.as_str());
        taken.extend(modules.filter(brings).map(str::to_owned));
    }
    // Who imports the module of a crate imports a value of the program, too.
    let modules = (1..units.len()).map(|at| (at, units[at].module.as_str()));
    let imported = modules
        .filter(|&(at, module)| is_behind(&text, &VALUES[1..], module) && is_imported(units, at));
    taken.extend(imported.map(|(_, module)| module.to_owned()));
    taken.extend(load::exported(&text));
    for at in 1..units.len() {
        let unit = &units[at];
        // What the judge has cannot be called otherwise.
        if !taken.contains(&unit.module) || external.contains(&at) {
            continue;
        }
        let mut module = format!("{}_", unit.module);
        while taken.contains(&module) || units.iter().any(|unit| unit.module == module) {
            module.push('_');
        }
        units[at].module = module;
    }
}

/// The words before the names of modules and types.
pub const DECLARING: [&str; 6] = ["mod", "struct", "enum", "union", "trait", "type"];

/// Whether a crate has a module or a type that is called like the crate: rarely.
fn is_like_module(units: &[Unit], at: usize) -> bool {
    let unit = &units[at];
    let name = &unit.library_name;
    let declared = DECLARING.map(|word| format!("pub {word} {name}"));
    // Or something is passed on under that name.
    let (renamed, path) = (format!(" as {name}"), format!("::{name}"));
    let passes_on = |import: &str| import.contains(&renamed) || import.trim_end().ends_with(&path);
    let is_other = |of: &str| !of.starts_with("self") && passes_on(of);
    let is_there = |text: String| {
        let mut crates = text.split("extern crate ").skip(1);
        declared.iter().any(|declared| text.contains(declared))
            || source::imports(&text).any(passes_on)
            || crates.any(|of| is_other(of.split(';').next().unwrap_or(of)))
    };
    // To load a crate takes long.
    unit.texts().any(is_there)
        && load::load(units, at, false).is_ok_and(|text| has_type(&text, name, unit.edition))
}

/// Whether a crate is imported by its own name alone, or seems to be.
fn is_imported(units: &[Unit], of: usize) -> bool {
    if units[of].texts().any(|text| text.contains("crate self as")) {
        return true;
    }
    let is_all = |rest: &str| rest.starts_with([';', ' ']) || rest.starts_with("::{self");
    units.iter().any(|unit| {
        let crates = unit.dependencies.iter();
        let mut names = crates.filter(|&(_, &at)| at == of);
        names.any(|(name, _)| {
            let said = ["use ", "use ::", "crate "].map(|before| format!("{before}{name}"));
            let imports = |text: String| {
                let mut behind = said.iter().flat_map(|said| text.split(said).skip(1));
                behind.any(is_all)
            };
            unit.texts().any(imports)
        })
    })
}

/// Whether the root of a crate has a module or a type that is called so.
fn has_type(text: &str, name: &str, edition: u16) -> bool {
    !rewrite::types(text, &[], [name], edition).is_empty()
}

/// Whether a module or a type of a text is called so.
pub fn declares(text: &str, name: &str) -> bool {
    is_behind(text, &DECLARING, name)
}

/// Whether one of some words comes right before a name.
fn is_behind(text: &str, before: &[&str], name: &str) -> bool {
    let words = source::words(text);
    let mut pairs = words.clone().zip(words.skip(1));
    pairs.any(|(word, next)| next == name && before.contains(&word))
}

/// What the crates that a crate names have that is called like a crate.
pub fn namesakes(units: &[Unit], at: usize, text: &str) -> Namesakes {
    let unit = &units[at];
    let crates = &unit.dependencies;
    let like = crates
        .iter()
        .filter(|(name, &of)| units[of].is_like_module && **name == units[of].library_name);
    let mut values = match unit.own {
        true => rewrite::imported_from(text),
        false => BTreeSet::new(),
    };
    values.retain(|(path, called)| {
        crates.contains_key(called)
            && match path.split_last() {
                // A macro, by the order of the text.
                Some((name, [])) => {
                    !crates.contains_key(name) && is_behind(text, &VALUES[..1], name)
                }
                Some((name, before)) => is_value(units, at, before, name, 0),
                None => false,
            }
    });
    let globs = rewrite::imported_whole(text);
    let brought = globs.into_iter().filter_map(|path| {
        let from = *crates.get(&path[0])?;
        let others = crates.keys().filter(|name| **name != path[0]);
        let found = brought(units, from, &path[1..], others.map(String::as_str));
        (!found.is_empty()).then_some((path, found))
    });
    let own = crates.values().map(|&of| &units[of]);
    let own = own.filter(|of| of.own).flat_map(Unit::texts);
    let own = own.chain([text.to_owned()]).filter(|_| unit.own);
    let (mut making, mut leading) = (BTreeSet::new(), BTreeSet::new());
    let mut macros = Vec::new();
    for text in own.filter(|text| text.contains("macro_rules")) {
        let tokens = text.parse().unwrap_or_default();
        source::macro_definitions(tokens, &mut |name, body| {
            making.extend(makes_types(body.stream()).then(|| name.to_string()));
            leading.extend(rewrite::leads_on(body.stream()).then(|| name.to_string()));
            macros.push((name.to_string(), body.stream()));
        });
    }
    let mut enclosing = BTreeSet::new();
    loop {
        let size = enclosing.len();
        for (name, rules) in &macros {
            if !enclosing.contains(name) && encloses(rules.clone(), &enclosing) {
                enclosing.insert(name.clone());
            }
        }
        if enclosing.len() == size {
            break;
        }
    }
    let like = like.map(|(name, _)| name.as_str());
    Namesakes {
        // `alloc::alloc` is the one of the standard library.
        modules: like.chain(["alloc"]).map(str::to_owned).collect(),
        values,
        brought: brought.collect(),
        making,
        enclosing,
        leading,
    }
}

/// Whether a macro makes modules or types with names that it is called with.
fn makes_types(rules: TokenStream) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Ident(word) => {
            DECLARING.iter().any(|other| word == other) && is_punct(trees.get(at + 1), '$')
        }
        TokenTree::Group(group) => makes_types(group.stream()),
        _ => false,
    })
}

/// Whether a macro puts something that it is called with into a module, or calls one of these that does.
fn encloses(rules: TokenStream, others: &BTreeSet<String>) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    let takes_variable = |at: usize| source::has_variable(trees[at].clone().into());
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Ident(word) if word == "mod" => {
            rewrite::module_block(&trees, at).is_some_and(takes_variable)
        }
        TokenTree::Ident(word) if is_punct(trees.get(at + 1), '!') => {
            at + 2 < trees.len() && others.contains(&word.to_string()) && takes_variable(at + 2)
        }
        TokenTree::Group(group) => encloses(group.stream(), others),
        _ => false,
    })
}

/// Which of some names a crate has for modules or types of one of its modules.
fn brought<'n>(
    units: &[Unit],
    at: usize,
    module: &[String],
    names: impl Iterator<Item = &'n str>,
) -> BTreeSet<String> {
    let unit = &units[at];
    let texts: Vec<String> = unit.texts().collect();
    // Most crates have no such name.
    let may_have = |name: &&str| {
        let renamed = format!(" as {name}");
        texts
            .iter()
            .any(|text| declares(text, name) || text.contains(&renamed))
    };
    let names: Vec<&str> = names.filter(may_have).collect();
    if names.is_empty() {
        return BTreeSet::new();
    }
    let text = load::load(units, at, false);
    text.map_or_else(
        |_| BTreeSet::new(),
        |text| rewrite::types(&text, module, names, unit.edition),
    )
}

/// The words before the names of macros, functions and the like.
const VALUES: [&str; 4] = ["macro_rules", "fn", "const", "static"];

/// Crates that pass something on one after another, at most.
const DEPTH: usize = 8;

/// Whether what comes by a path that a crate imports is a macro or a value, and no module or type.
fn is_value(units: &[Unit], at: usize, before: &[String], name: &str, depth: usize) -> bool {
    let (first, module) = before.split_first().expect("it has several names");
    // Its own modules may be written `crate::a`, `super::a` or `a`.
    let other = units[at].dependencies.get(first).copied();
    let unit = &units[other.unwrap_or(at)];
    // It may pass on anything.
    let imports = ["use ", " as ", "crate "].map(|before| format!("{before}{name};"));
    let is_passed_on = |text: &String| imports.iter().any(|import| text.contains(import));
    let has_value = |text: &String| is_behind(text, &VALUES, name);
    let texts: Vec<String> = unit.texts().collect();
    if texts.iter().any(is_passed_on) {
        return false;
    }
    if !texts.iter().any(has_value) {
        let at = other.unwrap_or(at);
        let is_from = |before: &[String], name: &str| {
            depth < DEPTH && !before.is_empty() && is_value(units, at, before, name, depth + 1)
        };
        let imported = texts.iter().flat_map(|text| rewrite::imported_from(text));
        let mut imported = imported.filter(|(_, called)| called == name).peekable();
        let is_one = match imported.peek() {
            Some(_) => imported.all(|(path, _)| {
                let (last, before) = path.split_last().expect("it has a name");
                is_from(before, last)
            }),
            // It may come with all names of another crate, if with those of one alone.
            None => {
                let all = texts.iter().flat_map(|text| rewrite::imported_whole(text));
                let all: Vec<Vec<String>> = all.collect();
                let is_other = |from: &str| units[at].dependencies.contains_key(from);
                matches!(&all[..], [from] if is_other(&from[0]) && is_from(from, name))
            }
        };
        return is_one && !texts.iter().any(|text| declares(text, name));
    }
    let Some(other) = other else {
        return !texts.iter().any(|text| declares(text, name));
    };
    let text = load::load(units, other, false);
    text.is_ok_and(|text| rewrite::types(&text, module, [name], unit.edition).is_empty())
}
