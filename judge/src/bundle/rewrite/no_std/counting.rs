//! What functions a crate calls, by the compiler's listing of its bodies: which of its own may be meant, and how often each is called.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::sites::group;
use super::{Counts, OF_PRELUDE};
use crate::bundle::editions::newer::{module, modules};
use crate::bundle::shake::calls;
use crate::bundle::text::index::Index;
use crate::bundle::text::source::{self, Lines};
use crate::bundle::text::tokens::{is_ident, is_punct};

/// Those bodies of a text that are in some modules.
pub type Part<'p> = (&'p Places<'p>, &'p dyn Fn(&str) -> bool);

/// The methods that a text declares, by their names.
#[derive(Default)]
pub struct Declared {
    pub of_traits: BTreeSet<String>,
    pub of_types: BTreeSet<String>,
    /// A macro makes some.
    pub unknown_of_traits: bool,
    pub unknown_of_types: bool,
}

impl Declared {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let mut found = Self::default();
        match text.parse() {
            Ok(tokens) => found.look(tokens),
            Err(_) => found.unknown_of_traits = true,
        }
        found
    }

    /// Also in macros, whose rules are what they make.
    fn look(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let word = match tree {
                TokenTree::Ident(word) => word,
                TokenTree::Group(group) => {
                    self.look(group.stream());
                    continue;
                }
                _ => continue,
            };
            let is_trait = word == "trait";
            if !is_trait && word != "impl" {
                continue;
            }
            let rest = &trees[at + 1..];
            let brace = |tree| group(Some(tree), Delimiter::Brace);
            let Some((end, body)) = rest
                .iter()
                .enumerate()
                .find_map(|(n, t)| Some((n, brace(t)?)))
            else {
                continue;
            };
            // But for the lifetimes of `for<'a> Fn(&'a T)`.
            let is_for = |n: usize| is_ident(&rest[n], "for") && !is_punct(rest.get(n + 1), '<');
            let (names, unknown) = match is_trait {
                true => (&mut self.of_traits, &mut self.unknown_of_traits),
                false if (0..end).any(is_for) => continue,
                false => (&mut self.of_types, &mut self.unknown_of_types),
            };
            match Self::functions(body) {
                Some(found) => names.extend(found),
                None => *unknown = true,
            }
        }
    }

    /// The functions in the braces of a trait or an impl, or nothing if a macro gets them.
    fn functions(body: &Group) -> Option<Vec<String>> {
        let trees: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut found = Vec::new();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Punct(mark) if mark.as_char() == '$' => return None,
                TokenTree::Ident(word) if word == "fn" => {
                    found.extend(trees.get(at + 1).map(ToString::to_string));
                }
                _ => {}
            }
        }
        Some(found)
    }

    /// Whether a call by this name may be one of these where there is no `std`, and another where there is. What the prelude of `std` has
    /// is for all types: it may come before a method of the type that a pointer leads to.
    pub fn may_be_meant(&self, name: &str) -> bool {
        self.unknown_of_traits
            || self.of_traits.contains(name)
            || (self.unknown_of_types || self.of_types.contains(name)) && is_of_all(name)
    }
}

/// Where the bodies of a text are that the compiler tells of.
pub struct Places<'t> {
    pub index: Index<'t>,
    pub lines: Lines,
    pub modules: Vec<(Range<usize>, String)>,
}

impl<'t> Places<'t> {
    /// Reads a text.
    pub fn of(text: &'t str) -> Result<Self> {
        Ok(Self {
            index: Index::new(text)?,
            lines: Lines::new(text),
            modules: modules(text)?,
        })
    }

    /// The modules that the body with a path may be in: the compiler leaves them out of the path where the rest is enough.
    fn modules(&self, functions: &BTreeMap<&str, Vec<usize>>, path: &str) -> Vec<&str> {
        if let Some((_, rest)) = path.split_once("<impl at ") {
            let line = rest.split(':').nth(1).and_then(|line| line.parse().ok());
            let start = line.and_then(|line| self.lines.start(line));
            let columns = rest.split(':').nth(2);
            let column: usize = columns.and_then(|n| n.parse().ok()).unwrap_or(1);
            return vec![module(&self.modules, start.unwrap_or(0) + column - 1)];
        }
        if let Some((first, _)) = path.split_once("::") {
            if let Some((_, name)) = self.modules.iter().find(|(_, name)| name == first) {
                return vec![name];
            }
        }
        if let Some(n) = calls::body(&self.index, &self.lines, functions, path) {
            return vec![module(&self.modules, self.index.nodes[n].range.start)];
        }
        // A macro makes it.
        let first = source::words(path).next().unwrap_or_default();
        let text = self.index.text();
        let all = self.modules.iter();
        let named =
            all.filter(|(range, _)| source::words(&text[range.clone()]).any(|word| word == first));
        named.map(|(_, name)| name.as_str()).collect()
    }
}

/// What bodies call: all, or those of a part.
pub fn counts(listing: &str, names: &BTreeSet<String>, of: Option<Part>) -> Counts {
    let mut counts = Counts::new();
    each_call(listing, names, of, &mut |before, name| {
        let of = plain(owner(before));
        *counts.entry((of, name.to_owned())).or_default() += 1;
    });
    counts
}

/// Gives what is before each name in the calls of bodies by some names, and the name.
pub fn each_call(
    listing: &str,
    names: &BTreeSet<String>,
    of: Option<Part>,
    found: &mut dyn FnMut(&str, &str),
) {
    let functions = of.map(|(places, _)| calls::functions(&places.index));
    let functions = functions.unwrap_or_default();
    let names: Vec<(&String, String)> = names.iter().map(|n| (n, format!("::{n}"))).collect();
    let mut body = "";
    // Whether the body is one of those: few have anything to count.
    let mut is_wanted = None;
    for line in listing.lines() {
        if !line.starts_with([' ', '}']) && line.ends_with('{') {
            body = calls::header(line).unwrap_or_default();
            is_wanted = None;
            continue;
        }
        if !line.contains("::") || line.trim_start().starts_with("debug ") {
            continue;
        }
        for (name, marked) in &names {
            for (at, _) in line.match_indices(marked.as_str()) {
                let is_longer = line[at + marked.len()..].starts_with(source::is_word);
                if is_longer || is_quoted(&line[..at]) {
                    continue;
                }
                let is_wanted = is_wanted.get_or_insert_with(|| {
                    of.map_or(true, |(places, is_wanted)| {
                        let mut modules = places.modules(&functions, body).into_iter();
                        modules.any(is_wanted)
                    })
                });
                if *is_wanted {
                    found(&line[..at], name);
                }
            }
        }
    }
}

/// Whether a string is open at the end of a line's part.
fn is_quoted(part: &str) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    for c in part.chars() {
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    quoted
}

/// The type, or the type and the trait, that a path ends with.
fn owner(path: &str) -> &str {
    let word = |text: &str| text.trim_end_matches(source::is_word).len();
    if !path.ends_with('>') {
        return &path[word(path)..];
    }
    let (mut depth, mut start) = (0, 0);
    for (at, c) in path.char_indices().rev() {
        match c {
            '>' if path[..at].ends_with(['-', '=']) => {}
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            start = at;
            break;
        }
    }
    match path[..start].strip_suffix("::") {
        Some(before) => &path[word(before)..],
        None => &path[word(&path[..start])..],
    }
}

/// A path of types with the last names only: how the compiler writes the others depends on what else there is.
fn plain(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.find(|c| !source::is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let next = behind.strip_prefix("::").filter(|_| !word.is_empty());
        if let Some(next) = next.filter(|next| next.starts_with(source::is_word)) {
            rest = next;
            continue;
        }
        let length = behind.chars().next().map_or(0, char::len_utf8);
        out.push_str(word);
        out.push_str(&behind[..length]);
        rest = &behind[length..];
    }
    out
}

/// The type and the trait of a function, where a trait has it.
pub fn of_trait(of: &str) -> Option<(&str, &str)> {
    let inside = of.strip_prefix('<')?.strip_suffix('>')?;
    let (of, name) = inside.rsplit_once(" as ")?;
    Some((of, name.split('<').next().unwrap_or(name)))
}

/// Whether the prelude of `std` has a method so called for all types.
pub fn is_of_all(name: &str) -> bool {
    OF_PRELUDE.split_whitespace().any(|of_all| of_all == name)
}

/// Whether a call may be one of something else where there is `std`: a trait's method of a type that has it there, or what it has for all.
pub fn may_be_other((of, name): &(String, String)) -> bool {
    let has_methods = |of: &str| {
        let of = of.replace("mut ", "");
        let of = of.trim_start_matches('&');
        of.starts_with('[') || ["f32", "f64", "str"].contains(&of)
    };
    is_of_all(name) || of_trait(of).is_some_and(|(of, _)| has_methods(of))
}

/// Whether a call is one of the method that the prelude of `std` has, by an import of its trait: with the prelude it is the same.
pub fn is_of_prelude((of, name): &(String, String), text: &str) -> bool {
    let is_its = |of_trait: &str| {
        ["ToOwned", "ToString"].contains(&of_trait) && !text.contains(&format!("trait {of_trait}"))
    };
    is_of_all(name) && of_trait(of).is_some_and(|(_, of_trait)| is_its(of_trait))
}

/// Whether a method, of which that is before its name, may be one that only `std` or `alloc` gives a type of `core`.
pub fn may_be_of_std(before: &str) -> bool {
    let of = owner(before);
    let place = &before[..before.len() - of.len()];
    of.contains("<impl ") && !place.ends_with("core::")
}

/// What a module calls more often than its crate does. How the path to a function is written that is no type's depends on what else there
/// is, and only methods may be others.
pub fn more<'c>(now: &'c Counts, crates: &'c Counts) -> impl Iterator<Item = &'c (String, String)> {
    let before = |of| crates.get(of).copied().unwrap_or_default();
    let is_method = |of: &str| of_trait(of).is_some() || of.contains("<impl ");
    let more = now
        .iter()
        .filter(move |(of, count)| is_method(&of.0) && **count > before(of));
    more.map(|(of, _)| of)
}
