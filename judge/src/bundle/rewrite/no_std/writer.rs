//! Writes calls with their traits, as far as the type checker takes that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use syn::visit::{self, Visit};
use syn::{Item, ItemTrait, ReceiverKind, TraitItem};

use super::counting::{of_trait, Places};
use super::sites::{sites, Site};
use super::{Counts, Without};
use crate::bundle::compiler::{Compiler, Diagnostic};
use crate::bundle::editions::newer::check;
use crate::bundle::text::source;

/// How a call may be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub of: String,
    pub path: String,
    /// What is to be done with the receiver.
    pub with: &'static str,
}

/// The traits of a text that have methods with some name.
pub struct Traits {
    /// By trait and method: the paths, and how the receiver is written.
    pub found: BTreeMap<(String, String), (Vec<String>, String)>,
    pub path: Vec<String>,
}

impl<'ast> Visit<'ast> for Traits {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(module) = item {
            self.path.push(module.ident.to_string());
            visit::visit_item(self, item);
            self.path.pop();
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        let name = item.ident.to_string();
        let path = format!("crate::{}::{name}", self.path.join("::"));
        for method in &item.items {
            let TraitItem::Fn(method) = method else {
                continue;
            };
            let receiver = match method.sig.receiver().map(|receiver| &receiver.kind) {
                Some(ReceiverKind::Reference(_, _, None)) => "&",
                Some(ReceiverKind::Reference(..)) => "&mut ",
                _ => "",
            };
            let key = (name.clone(), method.sig.ident.to_string());
            let known = self.found.entry(key);
            let (paths, _) = known.or_insert_with(|| (Vec::new(), receiver.to_owned()));
            paths.push(path.clone());
        }
    }
}

impl Traits {
    /// Reads a text.
    pub fn of(text: &str) -> Result<Self> {
        let mut traits = Self {
            found: BTreeMap::new(),
            path: Vec::new(),
        };
        traits.visit_file(&*source::parsed(text)?);
        Ok(traits)
    }

    /// How a call may be written, the first last, if a crate calls such traits.
    pub fn ways(&self, calls: &Counts, site: &Site) -> Vec<Way> {
        let called = calls.keys().filter(|(_, name)| *name == site.name);
        let called: Vec<_> = called.filter_map(|(of, _)| of_trait(of)).collect();
        let mut ways = Vec::new();
        let traits: BTreeSet<&str> = called.iter().map(|(_, name)| *name).collect();
        for name in traits {
            let known = self.found.get(&(name.to_owned(), site.name.clone()));
            let (paths, receiver) = known.cloned().unwrap_or_default();
            // A reference to it, if that is a value: what is expected of it has a say in what it is.
            let is_value = site.is_value;
            // Those that the compiler has by itself, before what it has to find out.
            let types = called.iter().filter(|(_, other)| *other == name);
            let types: BTreeSet<(bool, bool, String)> = types
                .map(|(of, _)| written_type(of))
                .map(|of| (of == "_", site.around.as_ref() != Some(&of), of))
                .collect();
            for path in [name.to_owned()].into_iter().chain(paths) {
                for (is_open, _, of) in &types {
                    let withs: &[&str] = match (receiver.as_str(), is_open) {
                        _ if !site.is_method => &[""],
                        ("&", false) => &["&"],
                        ("&", true) if is_value => &["&", "", "*", "&*"],
                        ("&", true) => &["", "&", "*", "&*"],
                        ("&mut ", false) => &["&mut ", ""],
                        ("&mut ", true) => &["", "&mut ", "*", "&mut *"],
                        _ if of.starts_with('&') => &["", "&"],
                        _ => &["", "*", "**"],
                    };
                    // A path says which type it is.
                    let of = match site.is_method {
                        true => of.clone(),
                        false => String::new(),
                    };
                    ways.extend(withs.iter().map(|with| Way {
                        of: of.clone(),
                        path: path.clone(),
                        with,
                    }));
                }
            }
        }
        ways.reverse();
        ways
    }
}

/// A type as it can be written everywhere.
pub fn written_type(of: &str) -> String {
    let (references, rest) = of.split_at(of.len() - of.trim_start_matches('&').len());
    let rest = match rest {
        "f32" | "f64" | "str" => rest,
        _ if rest.starts_with('[') && !rest.contains(';') => "[_]",
        _ => return "_".to_owned(),
    };
    format!("{references}{rest}")
}

/// Writes calls as the type checker takes them.
pub struct Writer<'t> {
    pub text: &'t str,
    pub sites: Vec<Site>,
}

/// What the compiler says of names that it does not find, or that cannot be seen.
const OF_NAMES: [&str; 6] = ["E0404", "E0405", "E0412", "E0433", "E0576", "E0603"];

/// Why a way to write a call is not taken.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    #[default]
    Other,
    /// What is there is a parameter's type, and no reference makes that a type with a name.
    Parameter,
    /// The trait has no such name there.
    Name,
}

impl Why {
    fn of(error: &Diagnostic) -> Self {
        if OF_NAMES.contains(&error.code.as_str()) {
            Self::Name
        } else if error.rendered.contains("found type parameter `") {
            Self::Parameter
        } else {
            Self::Other
        }
    }
}

/// After so many runs of the compiler a call stays as it is.
const MOST: usize = 24;

impl Writer<'_> {
    /// Adds the calls by some names in a crate that may be written, the last of a chain before the others: it is around them.
    pub fn add(
        &mut self,
        places: &Places,
        of: &Without,
        names: &BTreeSet<String>,
        in_macros: bool,
        ways: impl Fn(&Site) -> Vec<Way>,
    ) {
        let modules = places.modules.iter();
        for (range, _) in modules.filter(|(_, name)| *name == of.module) {
            let sites = sites(self.text, range, names).into_iter();
            let sites = sites.filter(|site| in_macros || !site.in_macro);
            let sites = sites.map(|site| Site {
                ways: ways(&site),
                ..site
            });
            self.sites
                .extend(sites.filter(|site| !site.ways.is_empty()));
        }
        self.sites.sort_by_key(|site| Reverse(site.cut.start));
    }

    /// The text with each call written in the first way that the type checker takes, and whether it takes all.
    pub fn settled(&mut self, compiler: &Compiler) -> Result<(String, bool)> {
        for _ in 0..MOST {
            let (new, places) = self.written(self.text);
            let said = check(compiler, &new, &[])?;
            let errors: Vec<&Diagnostic> = said.iter().filter(|d| d.is_error()).collect();
            let mut wrong = BTreeMap::new();
            for error in &errors {
                let why = Why::of(error);
                for (place, _) in &error.spans {
                    let around = places.iter().filter(|(_, range)| {
                        range.start <= place.start && place.end <= range.end && *range != place
                    });
                    if let Some((&n, _)) = around.min_by_key(|(_, range)| range.len()) {
                        let all: &mut Why = wrong.entry(n).or_default();
                        *all = why.max(*all);
                    }
                }
            }
            if wrong.is_empty() {
                return Ok((new, errors.is_empty()));
            }
            // What is around another that is wrong may only be wrong because of that.
            let inner: Vec<Range<usize>> = wrong.keys().map(|n| places[n].clone()).collect();
            wrong.retain(|n, _| {
                let outer = &places[n];
                let is_in = |range: &Range<usize>| {
                    range != outer && outer.start <= range.start && range.end <= outer.end
                };
                !inner.iter().any(is_in)
            });
            for (n, why) in wrong {
                let ways = &mut self.sites[n].ways;
                let Some(way) = ways.pop() else {
                    continue;
                };
                ways.retain(|other| match why {
                    Why::Name => other.path != way.path,
                    Why::Parameter => other.of != way.of,
                    Why::Other => true,
                });
            }
        }
        Ok((self.written(self.text).0, false))
    }

    /// The text, or all of which it is a part, and where the calls are in it that are written otherwise.
    pub fn written(&self, text: &str) -> (String, BTreeMap<usize, Range<usize>>) {
        let mut edits: Vec<(Range<usize>, String, Option<usize>)> = Vec::new();
        for (n, site) in self.sites.iter().enumerate() {
            let Some(Way { of, path, with }) = site.ways.last() else {
                continue;
            };
            // `a <<` would be something else.
            if site.is_method {
                let start = site.range.start;
                let call = format!(" <{of} as {path}>::{}{}({with}", site.name, site.generics);
                let comma = if site.has_arguments { ", " } else { "" };
                edits.push((start..start, call, Some(n)));
                edits.push((site.cut.clone(), comma.to_owned(), None));
                let parentheses = site.parentheses.iter().flatten();
                for parenthesis in parentheses.filter(|_| with.is_empty()) {
                    edits.push((parenthesis.clone(), String::new(), None));
                }
            } else {
                let of = &text[site.cut.clone()];
                edits.push((site.cut.clone(), format!(" <{of} as {path}>"), Some(n)));
            }
        }
        edits.sort_by_key(|(range, ..)| range.start);
        let (mut out, mut at) = (String::new(), 0);
        let mut starts = BTreeMap::new();
        // Where the text goes on behind each edit, before and now.
        let mut behind = Vec::new();
        for (range, with, of) in edits {
            out.push_str(&text[at..range.start]);
            starts.extend(of.map(|n| (n, out.len())));
            out.push_str(&with);
            at = range.end;
            behind.push((at, out.len()));
        }
        out.push_str(&text[at..]);
        let places = starts.into_iter().map(|(n, start)| {
            let site = &self.sites[n];
            let last = behind.partition_point(|(at, _)| *at < site.range.end);
            let (before, now) = behind[last - 1];
            // An error may be about all of a path, which is inside then; all of a call is another's argument.
            let start = start + usize::from(site.is_method);
            (n, start..site.range.end - before + now)
        });
        let places = places.collect();
        (out, places)
    }
}
