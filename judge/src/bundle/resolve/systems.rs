//! The systems that judges have, of which this machine is one at most: what a crate depends on at another alone is not built here, so it
//! cannot be put into the file, and nobody would miss it before the judge's compiler does.

use std::collections::BTreeSet;

use anyhow::Result;
use cargo_metadata::cargo_platform::{Cfg, Platform};
use cargo_metadata::{DependencyKind, Node};
use proc_macro2::{TokenStream, TokenTree};

use super::cfg::CfgSet;
use crate::bundle::editions::newer;
use crate::bundle::parts::Parts;
use crate::bundle::resolve;
use crate::bundle::shake::left_out;
use crate::bundle::text::source;

/// A system that judges have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    Linux,
    Windows,
}

impl System {
    fn triple(self) -> &'static str {
        match self {
            Self::Linux => "x86_64-unknown-linux-gnu",
            Self::Windows => "x86_64-pc-windows-msvc",
        }
    }

    /// Those that are not the one that this machine has.
    fn others() -> impl Iterator<Item = Self> {
        let is_other = |system: &Self| match system {
            Self::Linux => !cfg!(target_os = "linux"),
            Self::Windows => !cfg!(windows),
        };
        [Self::Linux, Self::Windows].into_iter().filter(is_other)
    }

    /// What the compiler sets for it.
    fn cfg(self) -> Result<CfgSet> {
        CfgSet::of_target(&resolve::rustc(), Some(self.triple()))
    }
}

/// What a crate depends on, by the names that it calls it, and for which systems only, where that is not for all.
pub fn by_system(node: &Node) -> impl Iterator<Item = (String, Vec<Platform>)> + '_ {
    node.deps.iter().filter_map(|dep| {
        let kinds = dep.dep_kinds.iter();
        let kinds = kinds.filter(|kind| kind.kind == DependencyKind::Normal);
        let platforms: Option<Vec<Platform>> = kinds.map(|kind| kind.target.clone()).collect();
        let platforms = platforms.filter(|platforms| !platforms.is_empty())?;
        Some((dep.name.replace('-', "_"), platforms))
    })
}

/// A crate that the text names where another system reads it, and that is built for such alone.
pub struct Missing {
    pub system: System,
    /// Who names it.
    pub by: usize,
    pub name: String,
}

impl Parts<'_> {
    /// The crates that a text needs on another system than this machine's and that are not in it.
    pub fn missing_elsewhere(&self, text: &str) -> Result<Vec<Missing>> {
        let units = || self.resolved.units.iter().enumerate();
        let mut modules = Vec::new();
        if units().any(|(_, unit)| !unit.elsewhere.is_empty()) {
            modules = newer::modules(text)?;
        }
        // Those that stand anywhere in who could name them.
        let mut parts = Vec::new();
        for (by, unit) in units() {
            let module = modules.iter().find(|(_, module)| *module == unit.module);
            let part = match module {
                Some((range, _)) => &text[range.clone()],
                None if by == 0 => text,
                None => continue,
            };
            let mut names = unit.elsewhere.iter().map(|(name, _)| name.as_str());
            if names.any(|name| part.contains(name)) {
                parts.push((by, part));
            }
        }
        let mut found = Vec::new();
        for system in System::others().filter(|_| !parts.is_empty()) {
            let cfg = system.cfg()?;
            let set = cfg.of_machine().filter_map(|set| set.parse().ok());
            let set: Vec<Cfg> = set.collect();
            let is_there = |of: &Platform| of.matches(system.triple(), &set);
            for &(by, part) in &parts {
                let named = named(part, &cfg);
                let elsewhere = self.resolved.units[by].elsewhere.iter();
                let missing = elsewhere.filter(|(name, platforms)| {
                    named.contains(name) && platforms.iter().any(is_there)
                });
                found.extend(missing.map(|(name, _)| Missing {
                    system,
                    by,
                    name: name.clone(),
                }));
            }
        }
        Ok(found)
    }
}

/// The words that paths and imports of a text begin with, where these are read by a system; but for the names of its modules.
fn named(text: &str, cfg: &CfgSet) -> BTreeSet<String> {
    let mut bytes = text.as_bytes().to_vec();
    for range in left_out::off_on(cfg, text.parse().unwrap_or_default()) {
        source::blank(&mut bytes, range);
    }
    let text = String::from_utf8(bytes).unwrap_or_default();
    let (mut first, mut modules) = (BTreeSet::new(), BTreeSet::new());
    walk(text.parse().unwrap_or_default(), &mut first, &mut modules);
    first.retain(|name| !modules.contains(name));
    first
}

fn walk(tokens: TokenStream, first: &mut BTreeSet<String>, modules: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_path = |at: usize| {
        let is_mark =
            |at: usize| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        is_mark(at) && is_mark(at + 1)
    };
    let word = |at: usize| match trees.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => walk(group.stream(), first, modules),
            TokenTree::Ident(name) => {
                let before = at.checked_sub(1).map(word).unwrap_or_default();
                // `::a` begins there as well, `x::a` does not.
                let is_first = !(at >= 3 && is_path(at - 2) && !word(at - 3).is_empty());
                if before == "mod" {
                    modules.insert(name.to_string());
                } else if is_first && (is_path(at + 1) || ["use", "crate"].contains(&&*before)) {
                    first.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_system_names_is_told_from_what_it_does_not_read() {
        let text = "#[cfg(unix)] mod a { fn f() { libc::f(); } } #[cfg(windows)] use sys::g; use c; extern crate d; x::e::f(); ::g::h(); \
                    mod i { #[cfg(windows)] i::j(); }";
        let found = |system: System| -> Vec<String> {
            let named = named(text, &system.cfg().unwrap());
            named.into_iter().collect()
        };
        assert_eq!(found(System::Linux), ["c", "d", "g", "libc", "x"]);
        assert_eq!(found(System::Windows), ["c", "d", "g", "sys", "x"]);
    }

    #[test]
    fn this_machine_is_no_other_system() {
        let others: Vec<System> = System::others().collect();
        assert_eq!(others.contains(&System::Linux), !cfg!(target_os = "linux"));
        assert_eq!(others.contains(&System::Windows), !cfg!(windows));
    }
}
