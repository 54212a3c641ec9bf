//! What depends on the version of the compiler by the macros of `rustversion`: an ordinary cfg here, for the compiler that built the program.
//! The crate is a procedural macro, but its language is small, and finished.

use std::process::Command;
use std::sync::OnceLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::bundle::resolve::{self, Unit};
use crate::bundle::text::source::Edits;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// The package.
const PACKAGE: &str = "rustversion";

/// A version without its first number.
type Version = (u32, u32);

/// What asks for a version.
const ASKING: [&str; 8] = [
    "all", "any", "before", "beta", "nightly", "not", "since", "stable",
];

/// A text of a crate with cfgs in place of what asks for the compiler's version.
pub fn settled(text: String, units: &[Unit], unit: &Unit) -> String {
    let mut names = unit.dependencies.iter();
    let is_it = |of: &Unit| of.is_procedural && of.package == PACKAGE;
    let name = names.find(|(name, &at)| is_it(&units[at]) && text.contains(name.as_str()));
    match name.and_then(|(name, _)| Some((name, compiler()?))) {
        Some((name, version)) => settled_for(text, name, version),
        None => text,
    }
}

/// The version of the compiler, if it is a stable one.
fn compiler() -> Option<Version> {
    static FOUND: OnceLock<Option<Version>> = OnceLock::new();
    let ask = || {
        let output = Command::new(resolve::rustc()).arg("--version").output();
        version(&String::from_utf8(output.ok()?.stdout).ok()?)
    };
    *FOUND.get_or_init(ask)
}

/// The version that a compiler tells.
fn version(said: &str) -> Option<Version> {
    let numbers = said.split_whitespace().nth(1)?.strip_prefix("1.")?;
    let (minor, patch) = numbers.split_once('.')?;
    // It would be `0-nightly`.
    Some((minor.parse().ok()?, patch.parse().ok()?))
}

fn settled_for(text: String, name: &str, version: Version) -> String {
    let mut edits = Edits::default();
    let Ok(tokens) = text.parse() else {
        return text;
    };
    settle(tokens, name, version, &mut edits);
    edits.apply(&text)
}

fn settle(tokens: TokenStream, name: &str, version: Version, edits: &mut Edits) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let range = |at: usize| trees[at].span().byte_range();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_attribute = group.delimiter() == Delimiter::Bracket
                    && at > 0
                    && is_punct(&trees[at - 1], '#');
                let asked = called(&inside, name).filter(|_| is_attribute);
                let Some((asked, rest)) = asked else {
                    if at > 0 && is_ident(&trees[at - 1], "cfg_attr") {
                        settle_conditional(&inside, name, version, edits);
                    }
                    settle(group.stream(), name, version, edits);
                    continue;
                };
                let within = inside_of(group);
                match attribute(&asked, rest, version) {
                    Some(Written::Cfg(cfg)) => edits.replace(within, cfg),
                    Some(Written::Const(is_const)) => {
                        let function = function_after(&trees[at + 1..]);
                        let Some(function) = function else {
                            continue;
                        };
                        edits.delete(range(at - 1).start..range(at).end);
                        if is_const {
                            edits.insert(function.span().byte_range().start, "const ");
                        }
                    }
                    None => {}
                }
            }
            TokenTree::Ident(word) if word == "cfg" && at >= 3 => {
                let of = called(&trees[at - 3..], name);
                let [TokenTree::Punct(mark), TokenTree::Group(group), ..] = &trees[at + 1..] else {
                    continue;
                };
                let holds = holds(group.stream(), version);
                if let (Some(holds), true, '!') = (holds, of.is_some(), mark.as_char()) {
                    let start = range(at - 3).start;
                    edits.replace(start..range(at).end, "cfg");
                    edits.replace(inside_of(group), predicate(holds));
                }
            }
            _ => {}
        }
    }
}

/// The same for the attributes behind the condition of a `cfg_attr`.
fn settle_conditional(inside: &[TokenTree], name: &str, version: Version, edits: &mut Edits) {
    for part in inside.split(|tree| is_punct(tree, ',')).skip(1) {
        let written = called(part, name).and_then(|(asked, rest)| attribute(&asked, rest, version));
        if let (Some(Written::Cfg(cfg)), [first, .., last]) = (written, part) {
            let start = first.span().byte_range().start;
            edits.replace(start..last.span().byte_range().end, cfg);
        }
    }
}

pub fn inside_of(group: &proc_macro2::Group) -> std::ops::Range<usize> {
    group.span_open().byte_range().end..group.span_close().byte_range().start
}

/// What is called by `name::what …`, and what follows.
pub fn called<'t>(trees: &'t [TokenTree], name: &str) -> Option<(String, &'t [TokenTree])> {
    match trees {
        [TokenTree::Ident(of), a, b, TokenTree::Ident(what), rest @ ..]
            if of == name && is_punct(a, ':') && is_punct(b, ':') =>
        {
            Some((what.to_string(), rest))
        }
        _ => None,
    }
}

/// What is written in place of an attribute.
enum Written {
    Cfg(String),
    /// The function is `const` or not.
    Const(bool),
}

fn attribute(asked: &str, rest: &[TokenTree], version: Version) -> Option<Written> {
    if ASKING.contains(&asked) {
        let word = TokenTree::Ident(proc_macro2::Ident::new(
            asked,
            proc_macro2::Span::call_site(),
        ));
        let condition = [word].into_iter().chain(rest.iter().cloned()).collect();
        let holds = holds(condition, version)?;
        return Some(Written::Cfg(format!("cfg({})", predicate(holds))));
    }
    let [TokenTree::Group(group)] = rest else {
        return None;
    };
    let trees: Vec<TokenTree> = group.stream().into_iter().collect();
    let comma = trees.iter().position(|tree| is_punct(tree, ','))?;
    let (condition, then) = trees.split_at(comma);
    let holds = holds(condition.iter().cloned().collect(), version).filter(|_| asked == "attr")?;
    match &then[1..] {
        [TokenTree::Ident(word)] if word == "const" => Some(Written::Const(holds)),
        then => {
            let then: TokenStream = then.iter().cloned().collect();
            Some(Written::Cfg(format!(
                "cfg_attr({}, {then})",
                predicate(holds)
            )))
        }
    }
}

/// The first word of a function, behind its attributes and its visibility.
fn function_after(trees: &[TokenTree]) -> Option<&TokenTree> {
    let mut trees = trees.iter();
    let first = trees.find(|tree| match tree {
        TokenTree::Ident(word) => ["unsafe", "extern", "async", "fn"]
            .iter()
            .any(|of| word == of),
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => mark.as_char() == ';',
        TokenTree::Literal(_) => false,
    });
    first.filter(|tree| matches!(tree, TokenTree::Ident(_)))
}

fn predicate(holds: bool) -> &'static str {
    match holds {
        true => "all()",
        false => "any()",
    }
}

/// Whether a condition holds for a version that is a stable one.
fn holds(condition: TokenStream, version: Version) -> Option<bool> {
    let trees: Vec<TokenTree> = condition.into_iter().collect();
    let [TokenTree::Ident(word), rest @ ..] = &trees[..] else {
        return None;
    };
    let word = word.to_string();
    let inside = match rest {
        [] => {
            return ["stable", "beta", "nightly"]
                .contains(&word.as_str())
                .then_some(word == "stable")
        }
        [TokenTree::Group(group)] => group.stream(),
        _ => return None,
    };
    let parts = || {
        let trees: Vec<TokenTree> = inside.clone().into_iter().collect();
        let parts = trees.split(|tree| is_punct(tree, ','));
        let parts = parts.filter(|part| !part.is_empty());
        let parts = parts.map(|part| holds(part.iter().cloned().collect(), version));
        parts.collect::<Option<Vec<bool>>>()
    };
    let bound = || {
        let text = inside.to_string().replace([' ', ','], "");
        let (minor, patch) = match text.strip_prefix("1.")?.split_once('.') {
            Some((minor, patch)) => (minor.to_owned(), Some(patch.parse::<u32>().ok()?)),
            None => (text.strip_prefix("1.")?.to_owned(), None),
        };
        Some((minor.parse::<u32>().ok()?, patch))
    };
    let is_since = || bound().map(|(minor, patch)| version >= (minor, patch.unwrap_or(0)));
    match word.as_str() {
        "since" => is_since(),
        "before" => is_since().map(|since| !since),
        "stable" => bound().map(|(minor, patch)| {
            version.0 == minor && patch.map_or(true, |patch| version.1 == patch)
        }),
        "not" => match parts()?[..] {
            [one] => Some(!one),
            _ => None,
        },
        "all" => Some(!parts()?.contains(&false)),
        "any" => Some(parts()?.contains(&true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_the_version_are_cfgs() {
        let settled = |text: &str| settled_for(text.to_owned(), "rustversion", (80, 1));
        for (text, written) in [
            ("#[rustversion::since(1.80)] fn f() {}", "#[cfg(all())] fn f() {}"),
            ("#[rustversion::since(1.80.2)] fn f() {}", "#[cfg(any())] fn f() {}"),
            ("#[rustversion::before(1.81)] fn f() {}", "#[cfg(all())] fn f() {}"),
            ("#[rustversion::stable(1.80)] fn f() {}", "#[cfg(all())] fn f() {}"),
            ("#[rustversion::nightly] fn f() {}", "#[cfg(any())] fn f() {}"),
            (
                "#[rustversion::all(stable, not(any(nightly, since(1.81))))] fn f() {}",
                "#[cfg(all())] fn f() {}",
            ),
            (
                "#[rustversion::attr(since(1.81), inline, cold)] fn f() {}",
                "#[cfg_attr(any(), inline , cold)] fn f() {}",
            ),
            (
                "impl A { #[rustversion::attr(since(1.70), const)] #[inline] pub(crate) unsafe fn f() {} }",
                "impl A {  #[inline] pub(crate) const unsafe fn f() {} }",
            ),
            (
                "#[rustversion::attr(before(1.70), const)] pub fn f() {} fn g() {}",
                " pub fn f() {} fn g() {}",
            ),
            ("fn f() { rustversion::cfg!(since(1.81)) }", "fn f() { cfg!(any()) }"),
            (
                "#[cfg_attr(not(a), inline, rustversion::since(1.81))] fn f() {}",
                "#[cfg_attr(not(a), inline, cfg(any()))] fn f() {}",
            ),
        ] {
            assert_eq!(settled(text), written);
        }
        for text in [
            "#[rustversion::since(2024-01-01)] fn f() {}",
            "#[other::since(1.80)] fn f() {}",
            "#[rustversion::attr(since(1.70), const)] struct A;",
        ] {
            assert_eq!(settled(text), text);
        }
    }

    #[test]
    fn only_stable_compilers_are_known() {
        assert_eq!(
            version("rustc 1.95.0 (59807616e 2026-04-14)"),
            Some((95, 0))
        );
        assert_eq!(version("rustc 1.97.0-nightly (59807616e 2026-04-14)"), None);
    }
}
