//! `cfg` predicates: which are settled when the bundle is made, and which are left to the judge's compiler.
//!
//! Features and the cfgs of build scripts mean nothing to `rustc` without cargo, so they are settled. So are `test` and `doc`, and
//! `debug_assertions`: the bundle is the release build. The processor is "none in particular" in other people's crates, whatever their
//! build scripts say of it: they fall back to portable code, and the bundle is the same whichever machine makes it. What depends on the
//! operating system (of those that judges have), on the width of a pointer (32 or 64 bits), or (in our own code) on a name that cargo
//! does not know, such as `ONLINE_JUDGE`, stays in the file as it is. So does, in crates of which it is known that they answer
//! otherwise on other processors, whether there is SSE2: every x86-64 has it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Meta, Token};

use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_ident, is_punct};

/// What is set for a crate.
#[derive(Clone, Default)]
pub struct CfgSet {
    /// `name` or `name="value"`.
    set: BTreeSet<String>,
    /// What the compiler sets for the machine the bundle is made on.
    host: BTreeSet<String>,
    /// The crate is the user's own.
    pub own: bool,
    /// What the crate gives depends on the processor.
    pub by_processor: bool,
}

/// Crates that give something else where there is SSE2. The tables of `hashbrown` look at 16 places at a time then, and at 8 else: what they
/// hold is in another order.
pub const BY_PROCESSOR: [&str; 1] = ["hashbrown"];

/// The same by what a program must reach to see it: the blocks of `fixedbitset` have 128 bits where there is SSE2, and a set is hashed with
/// the rest of its last one.
pub const SEEN_BY_PROCESSOR: [(&str, &str); 1] = [("fixedbitset", "Hash for FixedBitSet")];

/// What is asked for to use SSE2.
const OF_SSE2: [&str; 3] = [
    "target_feature=\"sse2\"",
    "target_arch=\"x86\"",
    "target_arch=\"x86_64\"",
];

/// What tells one system from another.
pub const OF_SYSTEMS: [&str; 4] = ["target_family", "target_os", "unix", "windows"];

/// What another system sets that judges have: Codeforces runs on Windows, most others on Linux.
pub const OTHER_SYSTEM: [(&str, Option<&str>); 3] = match cfg!(windows) {
    true => [
        ("unix", None),
        ("target_family", Some("unix")),
        ("target_os", Some("linux")),
    ],
    false => [
        ("windows", None),
        ("target_family", Some("windows")),
        ("target_os", Some("windows")),
    ],
};

/// A predicate after all that is settled has been put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    True,
    False,
    /// What is left, as source text.
    Open(String),
}

/// A text whose conditions have `all()` and `any()` for `true` and `false`, which older compilers do not know, nor does `syn`.
pub fn without_constants(text: &str) -> Cow<'_, str> {
    let has_one = |(start, _): (usize, &str)| {
        let mut depth = 0;
        let ends = |c: char| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ')' && depth <= 0
        };
        let rest = &text[start..];
        let condition = &rest[..rest.find(ends).unwrap_or(rest.len())];
        source::words(condition).any(|word| ["true", "false"].contains(&word))
    };
    if !text.match_indices("cfg").any(has_one) {
        return Cow::Borrowed(text);
    }
    let Ok(tokens) = text.parse() else {
        return Cow::Borrowed(text);
    };
    let mut edits = Edits::default();
    spell_out_conditions(tokens, &mut edits);
    Cow::Owned(edits.apply(text))
}

fn spell_out_conditions(tokens: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let before = |back: usize| at.checked_sub(back).map(|at| &trees[at]);
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_inner = is_punct(before(1), '!') && is_punct(before(2), '#');
        let is_attribute =
            group.delimiter() == Delimiter::Bracket && (is_punct(before(1), '#') || is_inner);
        match &inside[..] {
            [TokenTree::Ident(name), TokenTree::Group(of), ..]
                if is_attribute && (name == "cfg" || name == "cfg_attr") =>
            {
                spell_out(of.stream(), name == "cfg_attr", edits);
            }
            _ if is_punct(before(1), '!') && is_ident(before(2), "cfg") => {
                spell_out(group.stream(), false, edits);
            }
            _ => spell_out_conditions(group.stream(), edits),
        }
    }
}

/// Spells a condition out, or the first of some tokens with commas between.
fn spell_out(tokens: TokenStream, is_first: bool, edits: &mut Edits) {
    for tree in tokens
        .into_iter()
        .take_while(|tree| !(is_first && is_punct(tree, ',')))
    {
        match tree {
            TokenTree::Group(group) => spell_out(group.stream(), false, edits),
            TokenTree::Ident(word) if word == "true" => {
                edits.replace(word.span().byte_range(), "all()");
            }
            TokenTree::Ident(word) if word == "false" => {
                edits.replace(word.span().byte_range(), "any()");
            }
            _ => {}
        }
    }
}

/// Whether a build script sets a cfg of this name for some processors only.
fn is_of_processor(name: &str) -> bool {
    let is_one = |word: &str| {
        let mut names = ["aarch64", "avx", "neon", "sse", "x86"].into_iter();
        names.any(|name| word.starts_with(name))
    };
    name.split('_').any(is_one)
}

impl CfgSet {
    pub fn of_host(rustc: &OsStr) -> Result<Self> {
        Self::of_target(rustc, None)
    }

    /// What the compiler sets for another machine than this one, if one is named.
    pub fn of_target(rustc: &OsStr, target: Option<&str>) -> Result<Self> {
        let output = Command::new(rustc)
            .args(["--print", "cfg"])
            .args(target.iter().flat_map(|target| ["--target", target]))
            .output()
            .context("cannot start rustc")?;
        Ok(Self {
            set: BTreeSet::new(),
            host: String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(str::to_owned)
                .collect(),
            own: false,
            by_processor: false,
        })
    }

    pub fn add(&mut self, flag: &str) {
        self.set.insert(flag.to_owned());
    }

    /// All that is set by cargo and the build script, as the compiler takes it.
    pub fn flags(&self) -> impl Iterator<Item = &String> {
        self.set.iter()
    }

    /// What the compiler sets for the machine.
    pub fn of_machine(&self) -> impl Iterator<Item = &String> {
        self.host.iter()
    }

    /// Whether something is asked about the processor that makes a difference.
    fn is_kept(&self, text: &str) -> bool {
        self.by_processor && OF_SSE2.contains(&text)
    }

    fn atom(&self, name: &str, value: Option<&str>) -> Settled {
        let text = match value {
            Some(value) => format!("{name}=\"{value}\""),
            None => name.to_owned(),
        };
        let known = |yes: bool| if yes { Settled::True } else { Settled::False };
        let open = || {
            Settled::Open(match value {
                Some(value) => format!("{name} = \"{value}\""),
                None => name.to_owned(),
            })
        };
        match name {
            _ if self.set.contains(&text) => {
                known(self.own || name == "feature" || !is_of_processor(name))
            }
            "true" => Settled::True,
            "false" => Settled::False,
            "feature" | "test" | "doc" | "doctest" | "debug_assertions" | "miri"
            | "overflow_checks" | "proc_macro" | "rustfmt" | "clippy" | "docsrs" => Settled::False,
            "panic" => known(value == Some("unwind")),
            "target_has_atomic" | "target_endian" => known(self.host.contains(&text)),
            // No judge has others.
            "target_pointer_width" if !matches!(value, Some("32" | "64")) => Settled::False,
            "target_family" if !matches!(value, Some("unix" | "windows")) => Settled::False,
            "target_os" if !matches!(value, Some("linux" | "macos" | "windows")) => Settled::False,
            "unix"
            | "windows"
            | "target_os"
            | "target_family"
            | "target_env"
            | "target_vendor"
            | "target_pointer_width" => open(),
            // What a build script sets to another value.
            _ if value.is_some() && self.has_value(name) => Settled::False,
            _ if self.own || self.is_kept(&text) => open(),
            _ => Settled::False,
        }
    }

    /// Whether cargo or the build script sets a name to some value.
    fn has_value(&self, name: &str) -> bool {
        let mut set = self.set.iter();
        set.any(|flag| {
            flag.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('='))
        })
    }

    /// Whether what is still open holds on this machine.
    pub fn on_host(&self, name: &str, value: Option<&str>) -> bool {
        self.host.contains(&as_set(name, value))
    }

    /// The same with the pointers of the other width, for another processor, and with some more set.
    pub fn other(&self, more: &BTreeSet<String>) -> Self {
        let mut other = self.clone();
        for of_processor in OF_SSE2 {
            other.host.remove(of_processor);
        }
        for [one, two] in [["32", "64"], ["64", "32"]] {
            let name = |width| format!("target_pointer_width=\"{width}\"");
            if self.host.contains(&name(one)) {
                other.host.remove(&name(one));
                other.host.insert(name(two));
            }
        }
        other.host.extend(more.iter().cloned());
        other
    }

    /// The same on another system.
    pub fn on_other_system(&self) -> Self {
        let mut other = self.clone();
        let is_of_system = |set: &str| {
            set.split('=')
                .next()
                .is_some_and(|name| OF_SYSTEMS.contains(&name))
        };
        other.host.retain(|set| !is_of_system(set));
        let of_system = OTHER_SYSTEM
            .iter()
            .map(|(name, value)| as_set(name, *value));
        other.host.extend(of_system);
        other
    }

    /// Settles a predicate that stands in a crate which is the user's own or not, for this one.
    pub fn settle_in(&self, own: bool, predicate: &Meta) -> Settled {
        let mut cfg = self.clone();
        cfg.own = own;
        cfg.settle(predicate)
    }

    /// Settles the predicate of `#[cfg(predicate)]`.
    pub fn settle(&self, predicate: &Meta) -> Settled {
        match predicate {
            Meta::Path(path) => self.atom(&path_text(path), None),
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(value),
                    ..
                }) => self.atom(&path_text(&pair.path), Some(&value.value())),
                // A macro reads it otherwise.
                _ => Settled::Open(pair.to_token_stream().to_string()),
            },
            Meta::List(list) => {
                let inner: Vec<Settled> = list
                    .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                    .map(|inner| inner.iter().map(|meta| self.settle(meta)).collect())
                    .unwrap_or_default();
                match path_text(&list.path).as_str() {
                    "not" => match inner.into_iter().next() {
                        Some(Settled::True) => Settled::False,
                        Some(Settled::Open(text)) => Settled::Open(format!("not({text})")),
                        _ => Settled::True,
                    },
                    "all" => join("all", inner, Settled::False, Settled::True),
                    "any" => join("any", inner, Settled::True, Settled::False),
                    _ => Settled::False,
                }
            }
        }
    }

    /// Whether a predicate holds on this machine.
    pub fn holds(&self, predicate: &Meta) -> bool {
        match self.settle(predicate) {
            Settled::True => true,
            Settled::False => false,
            Settled::Open(left) => syn::parse_str(&left).is_ok_and(|left| self.holds_here(&left)),
        }
    }

    /// Whether a predicate that was left open holds on this machine.
    pub fn holds_here(&self, predicate: &Meta) -> bool {
        match predicate {
            Meta::Path(path) => self.on_host(&path_text(path), None),
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(value),
                    ..
                }) => self.on_host(&path_text(&pair.path), Some(&value.value())),
                _ => false,
            },
            Meta::List(list) => {
                let mut inner = list
                    .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|meta| self.holds_here(&meta));
                match path_text(&list.path).as_str() {
                    "not" => !inner.next().unwrap_or(false),
                    "all" => inner.all(|holds| holds),
                    _ => inner.any(|holds| holds),
                }
            }
        }
    }
}

/// As the compiler writes what is set.
fn as_set(name: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("{name}=\"{value}\""),
        None => name.to_owned(),
    }
}

fn path_text(path: &syn::Path) -> String {
    path.get_ident()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// `all` and `any`: `absorbing` decides alone, `neutral` says nothing.
fn join(word: &str, parts: Vec<Settled>, absorbing: Settled, neutral: Settled) -> Settled {
    let mut open = Vec::new();
    for part in parts {
        match part {
            Settled::Open(text) => open.push(text),
            part if part == absorbing => return absorbing,
            _ => {}
        }
    }
    match open.len() {
        0 => neutral,
        1 => Settled::Open(open.remove(0)),
        _ => Settled::Open(format!("{word}({})", open.join(", "))),
    }
}

/// The names in what macros are called with, and in their rules.
pub fn words_in_macros(tokens: TokenStream) -> BTreeSet<String> {
    fn add(tokens: TokenStream, is_in_macro: bool, found: &mut BTreeSet<String>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    let is_macro = source::is_macro(&trees, at);
                    add(group.stream(), is_in_macro || is_macro, found);
                }
                TokenTree::Ident(word) if is_in_macro => {
                    found.insert(source::plain_name(&word.to_string()).to_owned());
                }
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    add(tokens, false, &mut found);
    found
}

/// What a macro asks the compiler for that it gets from its caller, by what it asks with: `cfg!(feature = $name)`, `option_env!($name)`.
pub fn asked_for_variable(body: TokenStream) -> Option<String> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    trees.iter().enumerate().find_map(|(at, tree)| {
        let TokenTree::Group(group) = tree else {
            return None;
        };
        let before = |back: usize| at.checked_sub(back).map(|at| trees[at].to_string());
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let asked = match (before(1).as_deref(), &inside[..]) {
            // `#[cfg(…)]`, `#![cfg_attr(…)]`.
            (Some("#"), [TokenTree::Ident(word), TokenTree::Group(of)]) => {
                Some((word.to_string(), of.stream()))
            }
            (Some("!"), [TokenTree::Ident(word), TokenTree::Group(of)])
                if before(2).as_deref() == Some("#") =>
            {
                Some((word.to_string(), of.stream()))
            }
            (Some("!"), _) => before(2).map(|name| (name, group.stream())),
            _ => None,
        };
        let asked = asked.filter(|(name, of)| {
            ["cfg", "cfg_attr", "option_env"].contains(&name.as_str())
                && source::has_variable(of.clone())
        });
        let asked = asked.map(|(name, _)| name);
        asked.or_else(|| asked_for_variable(group.stream()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_macros_are_those_that_they_may_see() {
        let text = "#[cfg(a)] fn f() { b(!(c)); g!(d, [\"e\"]); } #![h(i)] macro_rules! j { ($k:l) => { m } } n! { r#o }";
        let found = words_in_macros(text.parse().unwrap());
        assert_eq!(Vec::from_iter(found), ["d", "k", "l", "m", "o"]);
    }

    #[test]
    fn what_a_macro_is_to_ask_for_may_be_unknown() {
        let asked = |body: &str| asked_for_variable(body.parse().unwrap());
        let of = |body: &str| asked(&format!("($x:tt) => {{ {body} }}"));
        assert_eq!(of("cfg!(feature = $x)").as_deref(), Some("cfg"));
        assert_eq!(of("{ #[cfg(not($x))] f() }").as_deref(), Some("cfg"));
        assert_eq!(of("#![cfg_attr($x, a)]").as_deref(), Some("cfg_attr"));
        assert_eq!(of("[option_env!($x)]").as_deref(), Some("option_env"));
        for body in [
            "env!($x)",
            "cfg!(unix) && $x",
            "#[$x] fn f() {}",
            "a!(cfg, $x)",
        ] {
            assert_eq!(of(body), None, "{body}");
        }
    }

    #[test]
    fn what_holds_is_asked_of_the_crate_and_of_the_machine() {
        let mut set = CfgSet::default();
        set.add("feature=\"std\"");
        set.host.insert("unix".to_owned());
        let holds = |predicate: &str| set.holds(&syn::parse_str(predicate).unwrap());
        assert!(holds("feature = \"std\"") && !holds("not(feature = \"std\")"));
        assert!(holds("all(unix, feature = \"std\")") && !holds("any(windows, test)"));
    }

    #[test]
    fn what_a_build_script_sets_has_no_other_value() {
        let mut set = CfgSet {
            own: true,
            ..CfgSet::default()
        };
        set.add("mode=\"a\"");
        let settled = |predicate: &str| set.settle(&syn::parse_str(predicate).unwrap());
        assert_eq!(settled("mode = \"a\""), Settled::True);
        assert_eq!(settled("mode = \"b\""), Settled::False);
        assert_eq!(settled("mode"), Settled::Open("mode".to_owned()));
        let other = "modes = \"b\"";
        assert_eq!(settled(other), Settled::Open(other.to_owned()));
    }

    #[test]
    fn what_is_no_condition_stays_what_it_is() {
        let given = "wide = any (x , y = \"1\")";
        let settled = CfgSet::default().settle(&syn::parse_str(given).unwrap());
        assert_eq!(settled, Settled::Open(given.to_owned()));
    }

    #[test]
    fn constants_in_conditions_are_spelled_out() {
        for (text, expected) in [
            (
                "#[cfg(true)] fn f() -> bool { true && cfg!(not(false)) }",
                "#[cfg(all())] fn f() -> bool { true && cfg!(not(any())) }",
            ),
            (
                "#![cfg_attr(any(true, unix), doc(hidden = true))]",
                "#![cfg_attr(any(all(), unix), doc(hidden = true))]",
            ),
            (
                "macro_rules! m { () => { #[cfg(false)] f(cfg(true)); } }",
                "macro_rules! m { () => { #[cfg(any())] f(cfg(true)); } }",
            ),
            (
                "#[cfg(unix)] fn f() { m![cfg(true)]; }",
                "#[cfg(unix)] fn f() { m![cfg(true)]; }",
            ),
        ] {
            assert_eq!(without_constants(text), expected);
        }
    }

    #[test]
    fn what_a_build_script_says_of_the_processor_holds_in_own_code_alone() {
        for (name, own, expected) in [
            ("has_avx512", false, Settled::False),
            ("has_avx512", true, Settled::True),
            ("has_i128", false, Settled::True),
            ("feature = \"sse2\"", false, Settled::True),
        ] {
            let mut set = CfgSet {
                own,
                ..CfgSet::default()
            };
            set.add(&name.replace(' ', ""));
            assert_eq!(
                set.settle(&syn::parse_str(name).unwrap()),
                expected,
                "{name} {own}"
            );
        }
    }

    #[test]
    fn the_processor_matters_where_it_makes_another_answer() {
        let settled = |by_processor: bool, predicate: &str| {
            let set = CfgSet {
                by_processor,
                ..CfgSet::default()
            };
            set.settle(&syn::parse_str(predicate).unwrap())
        };
        let sse2 = "all(target_feature = \"sse2\", any(target_arch = \"x86\", target_arch = \"x86_64\"), not(miri))";
        assert_eq!(settled(false, sse2), Settled::False);
        let open = sse2.replace(", not(miri)", "");
        assert_eq!(settled(true, sse2), Settled::Open(open));
        for other in ["target_arch = \"aarch64\"", "target_feature = \"avx2\""] {
            assert_eq!(settled(true, other), Settled::False, "{other}");
        }
    }
}
