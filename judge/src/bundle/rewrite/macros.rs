//! What macros name and call, which means what it means where they are called.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::UseTree;

use super::colons;
use super::imports::of_macro;
use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// The macros that are in scope everywhere.
const STANDARD: &str = "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint \
    eprintln file format format_args include include_bytes include_str is_x86_feature_detected line matches module_path \
    option_env panic print println stringify thread_local todo try unimplemented unreachable vec write writeln";

/// Whether a macro is called like one of those.
pub fn is_standard(name: &str) -> bool {
    STANDARD.split(' ').any(|other| other == name)
}

/// Whether `crate` or `$crate` stands alone among tokens, for a macro that puts a path behind it: no module can be passed on so.
pub fn has_bare_root(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    (0..trees.len()).any(|at| {
        let before = at.checked_sub(1).map(|at| &trees[at]);
        let is_behind = |word: &str| is_ident(before, word);
        match &trees[at] {
            TokenTree::Ident(word) if word == "crate" => {
                !colons(&trees, at + 1) && !is_behind("in") && !is_behind("extern")
            }
            // `pub(crate)`.
            TokenTree::Group(group) => !is_behind("pub") && has_bare_root(group.stream()),
            _ => false,
        }
    })
}

/// The macros of a text with a rule for a path from `crate`: which that is depends on who calls them.
pub fn rules_for_root(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !text.contains("macro_rules") {
        return found;
    }
    source::macro_definitions(text.parse().unwrap_or_default(), &mut |name, rules| {
        let trees: Vec<TokenTree> = rules.stream().into_iter().collect();
        let mut patterns = trees
            .iter()
            .enumerate()
            .filter_map(|(at, tree)| match tree {
                TokenTree::Group(group) if is_punct(trees.get(at + 1), '=') => Some(group.stream()),
                _ => None,
            });
        if patterns.any(has_path_from_root) {
            found.insert(name.to_string());
        }
    });
    found
}

/// The first of these macros that is called with a path from `crate`.
pub fn called_with_root(tokens: TokenStream, macros: &BTreeSet<String>) -> Option<String> {
    if macros.is_empty() {
        return None;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().find_map(|(at, tree)| {
        let TokenTree::Group(group) = tree else {
            return None;
        };
        let name = (at >= 2 && is_punct(trees.get(at - 1), '!')).then(|| trees[at - 2].to_string());
        let called = name.filter(|name| macros.contains(name));
        let called = called.filter(|_| has_path_from_root(group.stream()));
        called.or_else(|| called_with_root(group.stream(), macros))
    })
}

/// Whether `crate::` stands among tokens, but for `$crate::`.
fn has_path_from_root(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    (0..trees.len()).any(|at| match &trees[at] {
        TokenTree::Ident(word) if word == "crate" => {
            colons(&trees, at + 1) && !(at > 0 && is_punct(trees.get(at - 1), '$'))
        }
        TokenTree::Group(group) => has_path_from_root(group.stream()),
        _ => false,
    })
}

/// Whether a `use` imports one of `macros`, or the module made for one.
pub fn imports_macro(tree: &UseTree, macros: &BTreeSet<String>) -> bool {
    match tree {
        UseTree::Path(path) => imports_macro(&path.tree, macros),
        UseTree::Name(leaf) => {
            let name = leaf.ident.to_string();
            // The macro itself may be called as such a module is.
            of_macro(&name).is_some_and(|name| macros.contains(name))
                || macros.contains(&name)
                || macros.contains(&format!("{name}_macro"))
        }
        UseTree::Rename(leaf) => {
            let name = leaf.ident.to_string();
            macros.contains(&format!("{name}_macro")) || macros.contains(&name)
        }
        UseTree::Group(group) => group.items.iter().any(|tree| imports_macro(tree, macros)),
        UseTree::Glob(_) => false,
    }
}

/// Which of `crates` the definitions of macros name.
pub fn in_bodies(tokens: TokenStream, crates: &BTreeMap<String, String>) -> BTreeSet<String> {
    fn scan(tokens: TokenStream, crates: &BTreeMap<String, String>, found: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => scan(group.stream(), crates, found),
                TokenTree::Ident(word) if colons(&trees, at + 1) => {
                    found.extend(Some(word.to_string()).filter(|word| crates.contains_key(word)));
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    source::macro_definitions(tokens, &mut |_, body| {
        scan(body.stream(), crates, &mut found)
    });
    found
}

/// Whether a macro has a path that begins with what it is called with.
pub fn leads_on(rules: TokenStream) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => leads_on(group.stream()),
        TokenTree::Ident(name) => {
            name != "crate" && at > 0 && is_punct(trees.get(at - 1), '$') && colons(&trees, at + 1)
        }
        _ => false,
    })
}

/// The macros that are called by name, and by a path.
pub fn called_macros(
    tokens: TokenStream,
    called: &mut BTreeSet<String>,
    by_path: &mut BTreeSet<String>,
) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if is_punct(trees.get(at + 1), '!') => {
                // `a: m!()` is none.
                let is_path = at > 1 && colons(&trees, at - 2);
                let found = if is_path { &mut *by_path } else { &mut *called };
                found.insert(name.to_string());
            }
            TokenTree::Group(group) => called_macros(group.stream(), called, by_path),
            _ => {}
        }
    }
}

/// Of the macros of some texts, which of some others they call by name, or what they call does.
pub fn calling(
    texts: &[&str],
    others: &BTreeMap<String, String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let streams = texts
        .iter()
        .filter_map(|text| text.parse::<TokenStream>().ok());
    source::macro_definitions(streams.collect(), &mut |name, body| {
        let (mut called, mut by_path) = (BTreeSet::new(), BTreeSet::new());
        called_macros(body.stream(), &mut called, &mut by_path);
        let meant = called.iter().filter(|name| others.contains_key(*name));
        let found = found.entry(name.to_string()).or_default();
        found.extend(meant.cloned());
        all.entry(name.to_string())
            .or_default()
            .extend(called.into_iter().chain(by_path));
    });
    loop {
        let mut grown = false;
        for (name, called) in &all {
            let more = called.iter().filter_map(|name| found.get(name));
            let more: BTreeSet<String> = more.flatten().cloned().collect();
            let own = found.get_mut(name).expect("all have an entry");
            let size = own.len();
            own.extend(more);
            grown |= own.len() > size;
        }
        if !grown {
            return found;
        }
    }
}
