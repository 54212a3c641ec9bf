//! Code of editions before 2021, made to mean the same in 2021: what a closure captures, what `into_iter` of an array is, `dyn` before
//! a trait, parameters without names. The compiler tells where that matters, and what to write.
//!
//! It is asked about the user's own code. Other people's has had the same warnings, and a look at it costs a run of the compiler for each
//! crate: it gets one only if nobody reads it without, or the bundle would not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{bail, Context, Result};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use serde_json::Value;

use crate::bundle::compiler::{is_written, place, suggestions, Compiler, Fix};
use crate::bundle::load::templates;
use crate::bundle::resolve::{Resolved, Unit};
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::{is_ident, is_joint, is_punct};
use crate::bundle::threads;
use crate::in_order::in_order;

/// What changed with edition 2021.
const CHANGES: &str = "--force-warn=rust_2021_compatibility";

/// What changed of what code does and leaves it without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Arrays,
    Closures,
    Panics,
    Prelude,
}

impl Change {
    /// What a lint of the compiler is about.
    fn of(lint: &str) -> Option<Self> {
        match lint {
            "array_into_iter" => Some(Self::Arrays),
            "rust_2021_incompatible_closure_captures" => Some(Self::Closures),
            "non_fmt_panics" => Some(Self::Panics),
            "rust_2021_prelude_collisions" => Some(Self::Prelude),
            _ => None,
        }
    }

    /// How it was.
    pub fn before(self) -> &'static str {
        match self {
            Self::Arrays => "`into_iter` of an array gives references",
            Self::Closures => "a closure takes whole variables",
            Self::Panics => "`panic!` prints a single argument as it is",
            Self::Prelude => "`TryFrom`, `TryInto` and `FromIterator` are not everywhere in scope",
        }
    }
}

/// What changed with edition 2018, as far as it is not made so anyway.
const FIRST_CHANGES: [&str; 2] = [
    "--force-warn=anonymous_parameters",
    "--force-warn=keyword_idents_2018",
];

/// Whether to ask about a crate before anything is tried: it may mean something else, or cannot be read.
pub fn is_asked_about(unit: &Unit) -> bool {
    let is_unreadable = |text: String| {
        let text = source::with_raw_names(&source::plain(&text));
        syn::parse_file(&text).is_err()
    };
    unit.own || unit.edition == 2015 && unit.texts().any(is_unreadable)
}

/// Finds what to write in the files of some crates; tells whether there is anything.
pub fn migrate(
    compiler: &Compiler,
    resolved: &mut Resolved,
    is_wanted: impl Fn(&Unit) -> bool,
) -> Result<bool> {
    let units = resolved.units.iter().enumerate();
    let wanted =
        units.filter(|(_, unit)| is_wanted(unit) && unit.edition < 2021 && unit.obstacle.is_none());
    let wanted: Vec<usize> = wanted.map(|(at, _)| at).collect();
    let mut all = Vec::new();
    let of_unit = |&at: &usize| Some((at, changes(compiler, resolved, at)));
    in_order(&wanted, threads(), of_unit, |(at, found)| {
        all.push((at, found?));
        anyhow::Ok(())
    })?;
    let any = all.iter().any(|(_, found)| !found.edits.is_empty());
    for (at, found) in all {
        resolved.units[at].migrated = found;
    }
    Ok(any)
}

/// What the compiler says of a crate.
#[derive(Default)]
pub struct Migrated {
    /// What to write in its files.
    pub edits: BTreeMap<PathBuf, Edits>,
    /// The macros that make what changes: others may call them with something else, so nothing is written in them.
    pub macros: BTreeSet<(String, Change)>,
}

fn changes(compiler: &Compiler, resolved: &Resolved, at: usize) -> Result<Migrated> {
    let unit = &resolved.units[at];
    let mut command = resolved.command(compiler, unit, &unit.root);
    command
        // There may be others at the same time.
        .arg(format!("--emit=metadata=older{at}"))
        .args(["--error-format=json", CHANGES])
        .current_dir(&compiler.scratch);
    if unit.edition == 2015 {
        command.args(FIRST_CHANGES);
    }
    let output = command.output().context("cannot start rustc")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let messages: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if unit.own && !output.status.success() {
        let said = messages.iter().find(|message| message["level"] == "error");
        let said = said.and_then(|error| error["rendered"].as_str());
        bail!(
            "{}: rustc does not tell what edition 2021 changes in it:\n{}",
            unit.title(),
            said.unwrap_or_default()
        );
    }
    let mut files: BTreeMap<&str, Vec<Fix>> = BTreeMap::new();
    for message in &messages {
        let code = message["code"]["code"].as_str();
        // It is an error in 2021 wherever a macro makes it: what the definition has of it can be written there, whatever it is called with.
        let in_macros = code == Some("anonymous_parameters");
        let objects = (code == Some("bare_trait_objects")).then(|| objects_in_macros(message));
        let objects = objects.into_iter().flatten();
        for (file, fix) in without_brackets(suggestions(message, in_macros)).chain(objects) {
            let fixes = files.entry(file).or_default();
            // A macro may be called more than once.
            if !fixes.contains(&fix) {
                fixes.push(fix);
            }
        }
    }
    let changing = messages.iter().filter_map(|message| {
        let change = Change::of(message["code"]["code"].as_str()?)?;
        Some(made_by(message).map(move |name| (name, change)))
    });
    let mut found = Migrated {
        edits: BTreeMap::new(),
        macros: changing.flatten().collect(),
    };
    for (file, fixes) in files {
        let text = fs::read_to_string(file).unwrap_or_default();
        let has_parameters = fixes.iter().any(|(_, with)| with.starts_with(NAMED));
        let mut types = Vec::new();
        if has_parameters {
            let naming = naming_parameters(unit.texts());
            add_types(text.parse().unwrap_or_default(), &naming, false, &mut types);
        }
        let mut edits = Edits::default();
        for fix in fixes {
            let (place, with) = new_only(&text, fix);
            // What a macro makes of types is named where that is defined.
            let is_type = types.iter().any(|types| types.contains(&place.start));
            if is_type && with.starts_with(NAMED) {
                continue;
            }
            let literal = (with == AS_IT_IS).then(|| braces(&text[place.start..]));
            match literal.flatten() {
                // With that argument the panic would carry a `String`.
                Some(braces) => {
                    for (at, brace) in braces {
                        edits.insert(place.start + at, brace);
                    }
                }
                None => edits.replace(place, without_allocator(&with)),
            }
        }
        found.edits.insert(PathBuf::from(file), edits);
    }
    Ok(found)
}

/// What the compiler puts before a parameter without a name.
const NAMED: &str = "_: ";

/// The macros that make parameters of types, which get their names there.
fn naming_parameters(texts: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        source::macro_definitions(text.parse().unwrap_or_default(), &mut |name, body| {
            let mut edits = Edits::default();
            for (kinds, made) in templates::rules(body.stream()) {
                name_parameters(made.stream(), &kinds, &mut edits);
            }
            if !edits.is_empty() {
                found.insert(name.to_string());
            }
        });
    }
    found
}

/// Where such macros are called with types that are no parameters of functions there.
fn add_types(
    tokens: TokenStream,
    naming: &BTreeSet<String>,
    in_call: bool,
    found: &mut Vec<Range<usize>>,
) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let functions = (0..trees.len()).filter(|&at| is_ident(&trees[at], "fn"));
    let lists = functions.filter_map(|at| list_of_function(&trees, at));
    let lists: Vec<usize> = lists.map(|list| list.span().byte_range().start).collect();
    for (at, tree) in trees.iter().enumerate() {
        let range = tree.span().byte_range();
        match tree {
            TokenTree::Group(group) => {
                let is_called = at > 1
                    && is_punct(&trees[at - 1], '!')
                    && naming.contains(&trees[at - 2].to_string());
                if !lists.contains(&range.start) {
                    add_types(group.stream(), naming, in_call || is_called, found);
                }
            }
            _ if in_call => found.push(range),
            _ => {}
        }
    }
}

/// What the compiler suggests without the brackets of `dyn (::a::T + Send)`, in which more than one bound may not be.
fn without_brackets<'m>(
    suggested: impl Iterator<Item = (&'m str, Fix)>,
) -> impl Iterator<Item = (&'m str, Fix)> {
    let suggested: Vec<(&str, Fix)> = suggested.collect();
    let has_bracket = suggested.iter().any(|(_, (_, with))| with == "dyn (");
    suggested
        .into_iter()
        .filter_map(move |(file, (place, with))| match with.as_str() {
            "dyn (" => Some((file, (place, "dyn ".to_owned()))),
            ")" if has_bracket => None,
            _ => Some((file, (place, with))),
        })
}

/// `dyn` before the traits that macros make objects of, by file: of these the compiler tells, and suggests nothing.
fn objects_in_macros(message: &Value) -> impl Iterator<Item = (&str, Fix)> {
    let spans = message["spans"].as_array().into_iter().flatten();
    let made = spans.filter(|span| !is_written(span));
    made.filter_map(|span| {
        let start = place(span)?.start;
        let line = span["text"][0]["text"].as_str()?;
        let column = span["text"][0]["highlight_start"].as_u64()? as usize - 1;
        let before: String = line.chars().take(column).collect();
        let before = before.trim_end();
        // `&'a mut`
        let before = before.strip_suffix("mut").unwrap_or(before).trim_end();
        let lifetime = before.trim_end_matches(source::is_word).strip_suffix('\'');
        let before = lifetime.unwrap_or(before).trim_end();
        // What stands alone may be the path to a function.
        let in_type = before.ends_with(['<', '&', '(', ',']);
        in_type.then(|| {
            (
                span["file_name"].as_str().unwrap_or_default(),
                (start..start, "dyn ".to_owned()),
            )
        })
    })
}

/// How many arguments types of `std` take on stable; the compiler writes one more, for the allocator.
const STABLE_ARGUMENTS: [(&str, usize); 11] = [
    ("Arc", 1),
    ("BTreeMap", 2),
    ("BTreeSet", 1),
    ("BinaryHeap", 1),
    ("Box", 1),
    ("HashMap", 3),
    ("HashSet", 2),
    ("LinkedList", 1),
    ("Rc", 1),
    ("Vec", 1),
    ("VecDeque", 1),
];

/// `<Vec<_, _> as Trait>` and the like without the argument that is unstable.
fn without_allocator(path: &str) -> String {
    let given = path
        .strip_prefix('<')
        .and_then(|rest| rest.split_once("<_"));
    let Some((name, (arguments, rest))) =
        given.and_then(|(name, rest)| Some((name, rest.split_once("> as ")?)))
    else {
        return path.to_owned();
    };
    let last = name.rsplit("::").next().unwrap_or(name);
    let stable = STABLE_ARGUMENTS.iter().find(|(of, _)| *of == last);
    match stable {
        Some(&(_, count)) if arguments == ", _".repeat(count) => {
            format!("<{name}<_{}> as {rest}", ", _".repeat(count - 1))
        }
        _ => path.to_owned(),
    }
}

/// What the compiler puts before a single argument of `panic!`, which was no format.
const AS_IT_IS: &str = "\"{}\", ";

/// Where the braces are in a literal at the start of a text; `None` if there is none.
fn braces(text: &str) -> Option<Vec<(usize, &str)>> {
    let quote = text.find('"')?;
    let (is_raw, end) = match &text[..quote] {
        "" => (false, "\"".to_owned()),
        start => {
            let hashes = start.strip_prefix('r')?;
            if hashes.contains(|c| c != '#') {
                return None;
            }
            (true, format!("\"{hashes}"))
        }
    };
    let mut found = Vec::new();
    let mut at = quote + 1;
    while !text[at..].starts_with(&end) {
        let c = text[at..].chars().next()?;
        at += match c {
            '\\' if is_raw => 1,
            '\\' if text[at..].starts_with("\\u{") => text[at..].find('}')? + 1,
            '\\' => 1 + text[at + 1..].chars().next()?.len_utf8(),
            '{' | '}' => {
                found.push((at, &text[at..at + 1]));
                1
            }
            c => c.len_utf8(),
        };
    }
    Some(found)
}

/// The macros that made what a message is about.
fn made_by(message: &Value) -> impl Iterator<Item = String> + '_ {
    let spans = message["spans"].as_array().into_iter().flatten();
    let expansions = spans.filter_map(|span| span["expansion"]["macro_decl_name"].as_str());
    expansions.filter_map(|name| Some(name.strip_suffix('!')?.to_owned()))
}

/// The text with what the compiler tells nothing of, because nobody calls the macro that makes it where that is defined: parameters
/// without names in traits (edition 2015), `panic!` with a value that is no format, and objects of traits. `None` if it has none.
pub fn macros(text: &str, edition: u16) -> Option<String> {
    if !text.contains("macro_rules") {
        return None;
    }
    let mut edits = Edits::default();
    source::macro_definitions(text.parse().ok()?, &mut |_, body| {
        for (kinds, made) in templates::rules(body.stream()) {
            if edition == 2015 {
                name_parameters(made.stream(), &kinds, &mut edits);
            }
            if !text.contains("macro_rules! panic") {
                throw_values(made.stream(), &kinds, &mut edits);
            }
            name_objects(made.stream(), &kinds, &mut edits);
        }
    });
    (!edits.is_empty()).then(|| edits.apply(text))
}

/// What a variable of a macro stands for, if that is all there is among tokens.
fn kind_of<'k>(trees: &[TokenTree], kinds: &'k BTreeMap<String, String>) -> Option<&'k str> {
    match trees {
        [dollar, TokenTree::Ident(name)] if is_punct(dollar, '$') => {
            kinds.get(&name.to_string()).map(String::as_str)
        }
        _ => None,
    }
}

/// Gives the parameters of functions in traits names that a macro makes without.
fn name_parameters(made: TokenStream, kinds: &BTreeMap<String, String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    let mut in_trait = false;
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(word) if word == "trait" => in_trait = true,
            TokenTree::Punct(mark) if mark.as_char() == ';' => in_trait = false,
            TokenTree::Group(group) if in_trait && group.delimiter() == Delimiter::Brace => {
                in_trait = false;
                name_in_trait(group.stream(), kinds, edits);
            }
            TokenTree::Group(group) if !source::is_macro(&trees, at) => {
                name_parameters(group.stream(), kinds, edits);
            }
            _ => {}
        }
    }
}

fn name_in_trait(items: TokenStream, kinds: &BTreeMap<String, String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = items.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // A repetition.
            TokenTree::Group(group) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                name_in_trait(group.stream(), kinds, edits);
            }
            TokenTree::Ident(word) if word == "fn" => {
                let Some(list) = list_of_function(&trees, at) else {
                    continue;
                };
                for parameter in parameters(list.stream()) {
                    let is_type = match parameter.first() {
                        Some(first) if is_punct(first, '$') => {
                            kind_of(&parameter, kinds) == Some("ty")
                        }
                        first => first.is_some() && !is_named(&parameter),
                    };
                    if is_type {
                        edits.insert(parameter[0].span().byte_range().start, "_: ");
                    }
                }
            }
            _ => {}
        }
    }
}

/// The parameters of the function with a name that begins at `fn`.
fn list_of_function(trees: &[TokenTree], at: usize) -> Option<&Group> {
    let mut depth = 0;
    for (at, tree) in trees.iter().enumerate().skip(at + 1) {
        match tree {
            TokenTree::Group(group) if depth == 0 => {
                let has_name = matches!(trees[at - 1], TokenTree::Ident(_))
                    && trees[at - 1].to_string() != "fn"
                    || is_punct(trees.get(at - 1), '>');
                return (has_name && group.delimiter() == Delimiter::Parenthesis).then_some(group);
            }
            TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
            TokenTree::Punct(mark)
                if mark.as_char() == '>' && !is_punct(trees.get(at - 1), '-') =>
            {
                depth -= 1;
            }
            _ => {}
        }
    }
    None
}

/// The parts of a list between its commas, also those of what a macro repeats in it.
fn parameters(list: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut found, mut depth, mut is_arrow) = (vec![Vec::new()], 0, false);
    let trees: Vec<TokenTree> = list.into_iter().collect();
    let is_operator = |at: usize| ['*', '+', '?'].iter().any(|&c| is_punct(trees.get(at), c));
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        at += 1;
        match (tree, trees.get(at)) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group))) if mark.as_char() == '$' => {
                found.extend(parameters(group.stream()));
                found.push(Vec::new());
                // A separator has up to three signs.
                let operator = (at + 1..at + 5).find(|&at| is_operator(at));
                at = operator.map_or(at, |at| at + 1).max(at + 1);
                continue;
            }
            (TokenTree::Punct(mark), _) => match mark.as_char() {
                ',' if depth == 0 => {
                    found.push(Vec::new());
                    continue;
                }
                '<' => depth += 1,
                '>' if !is_arrow => depth -= 1,
                _ => {}
            },
            _ => {}
        }
        is_arrow = is_punct(tree, '-');
        found.last_mut().expect("there is one").push(tree.clone());
    }
    found
}

/// Whether a parameter has a name: `self`, or what stands before a colon that is no part of a path.
fn is_named(parameter: &[TokenTree]) -> bool {
    let is_self = |tree: &TokenTree| is_ident(tree, "self");
    let is_colon = |at: usize| is_punct(parameter.get(at), ':');
    parameter.iter().take(5).any(is_self)
        || (0..parameter.len())
            .any(|at| is_colon(at) && !is_colon(at + 1) && !at.checked_sub(1).is_some_and(is_colon))
}

/// Makes `panic!($value)` what it was: the value goes with the panic as it is. A literal alone, also behind what is asserted, was no format.
fn throw_values(made: TokenStream, kinds: &BTreeMap<String, String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        throw_values(group.stream(), kinds, edits);
        let is_called = |name: &str| {
            at > 1
                && is_punct(trees.get(at - 1), '!')
                && is_ident(&trees[at - 2], name)
                && !(at > 2 && is_punct(trees.get(at - 3), ':'))
        };
        let is_panic = is_called("panic");
        if !is_panic && !is_called("assert") && !is_called("debug_assert") {
            continue;
        }
        let mut given: Vec<TokenTree> = group.stream().into_iter().collect();
        if is_punct(given.last(), ',') {
            given.pop();
        }
        let mut parts = given.split(|tree| is_punct(tree, ','));
        let said = parts.nth(usize::from(!is_panic));
        if let (Some([TokenTree::Literal(said)]), None) = (said, parts.next()) {
            let written = said.to_string();
            let start = said.span().byte_range().start;
            for (at, brace) in braces(&written).unwrap_or_default() {
                edits.insert(start + at, brace);
            }
        }
        if !is_panic {
            continue;
        }
        if let Some("expr" | "ident") = kind_of(&given, kinds) {
            let name = trees[at - 2].span().byte_range().start;
            let bang = trees[at - 1].span().byte_range().end;
            edits.replace(name..bang, "::std::panic::panic_any");
        }
    }
}

/// Writes `dyn` in `<&$path>`, as a macro gets its types as types, and traits as paths; and before what is said to be a trait by its
/// arguments: `&mut $crate::Trait<Item = T>`.
fn name_objects(made: TokenStream, kinds: &BTreeMap<String, String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        if let TokenTree::Group(group) = tree {
            name_objects(group.stream(), kinds, edits);
        }
        let is_object = is_punct(tree, '<')
            && is_punct(trees.get(at + 1), '&')
            && is_punct(trees.get(at + 4), '>')
            && kind_of(&trees[at + 2..at + 4], kinds) == Some("path");
        if is_object {
            edits.insert(trees[at + 2].span().byte_range().start, "dyn ");
        }
        if is_punct(tree, '&') {
            let start = at + 1 + borrow(&trees[at + 1..]);
            if is_path_of_trait(&trees[start..]) {
                edits.insert(trees[start].span().byte_range().start, "dyn ");
            }
        }
    }
}

/// How many of these trees are what may stand after `&` in a type: `'a mut`.
fn borrow(trees: &[TokenTree]) -> usize {
    let lifetime = if is_punct(trees.first(), '\'') { 2 } else { 0 };
    lifetime + usize::from(is_ident(trees.get(lifetime), "mut"))
}

/// Whether trees begin with a path that says of its last name what types such a thing has, as only a trait has.
fn is_path_of_trait(trees: &[TokenTree]) -> bool {
    // One colon alone says what `&T` has: `where &T: Add<Output = T>`.
    let is_colon = |at: usize| is_punct(trees.get(at), ':');
    let is_colons = |at: usize| is_colon(at) && is_joint(&trees[at]) && is_colon(at + 1);
    let is_path = |at: &usize| match &trees[*at] {
        TokenTree::Ident(word) => !["dyn", "impl"].iter().any(|other| word == other),
        tree => is_punct(tree, '$') || is_colons(*at) || *at > 0 && is_colons(at - 1),
    };
    let path = (0..trees.len()).take_while(is_path).count();
    if path == 0 || !is_punct(trees.get(path), '<') {
        return false;
    }
    let mut depth = 0;
    for (at, tree) in trees.iter().enumerate().skip(path) {
        let is_arrow = || is_punct(trees.get(at - 1), '-');
        match tree {
            TokenTree::Punct(sign) => match sign.as_char() {
                '<' => depth += 1,
                '>' if !is_arrow() => depth -= 1,
                ';' => return false,
                '=' if depth == 1 && !is_joint(tree) => {
                    return matches!(trees.get(at - 1), Some(TokenTree::Ident(_)));
                }
                _ => {}
            },
            TokenTree::Group(of) if of.delimiter() == Delimiter::Brace => return false,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

/// The text with patterns of macros that end before a `|`, as they do in older editions; `None` if it has none. Where there is one rule only,
/// what it takes besides is no concern.
pub fn patterns(text: &str) -> Option<String> {
    if !text.contains("macro_rules") || !source::words(text).any(|word| word == "pat") {
        return None;
    }
    let mut edits = Edits::default();
    source::macro_definitions(text.parse().ok()?, &mut |_, body| {
        let trees: Vec<TokenTree> = body.stream().into_iter().collect();
        let is_rule =
            |at: &usize| is_punct(trees.get(at + 1), '=') && is_punct(trees.get(at + 2), '>');
        let rules: Vec<usize> = (0..trees.len()).filter(is_rule).collect();
        if rules.len() > 1 {
            for rule in rules {
                wholes(TokenStream::from(trees[rule].clone()), &mut edits);
            }
        }
    });
    (!edits.is_empty()).then(|| edits.apply(text))
}

/// Writes `:pat` otherwise in what a rule takes.
fn wholes(matcher: TokenStream, edits: &mut Edits) {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => wholes(group.stream(), edits),
            TokenTree::Ident(kind)
                if kind == "pat"
                    && at > 2
                    && is_punct(trees.get(at - 1), ':')
                    && is_punct(trees.get(at - 3), '$') =>
            {
                edits.insert(kind.span().byte_range().end, "_param");
            }
            _ => {}
        }
    }
}

/// What of a replacement is new in front, if it keeps all that it replaces: something else may be written in there.
fn new_only(text: &str, (place, with): Fix) -> Fix {
    let before = text.get(place.clone()).unwrap_or_default();
    match with.strip_suffix(before) {
        Some(new) => (place.start..place.start, new.to_owned()),
        None => (place, with),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_macros_end_where_they_did() {
        let text = |pat: &str| {
            format!("macro_rules! m {{ ($p:{pat}; [$($q:{pat}),*]) => {{ $p:pat }}; ($p:{pat} | $q:{pat}) => {{}} }} macro_rules! n {{ ($p:pat) => {{}} }}")
        };
        assert_eq!(patterns(&text("pat")), Some(text("pat_param")));
        assert_eq!(patterns(&text("pat_param")), None);
    }

    #[test]
    fn several_bounds_of_an_object_are_in_no_brackets() {
        let fixes = |all: &[(usize, &str)]| -> Vec<(usize, String)> {
            let suggested = all
                .iter()
                .map(|&(at, with)| ("lib.rs", (at..at, with.to_owned())));
            let left = without_brackets(suggested);
            left.map(|(_, (place, with))| (place.start, with)).collect()
        };
        let dyn_ = |at: usize| (at, "dyn ".to_owned());
        assert_eq!(fixes(&[(3, "dyn ("), (9, ")")]), [dyn_(3)]);
        assert_eq!(fixes(&[(3, "dyn ")]), [dyn_(3)]);
        assert_eq!(fixes(&[(3, "(dyn "), (9, ")")]).len(), 2);
    }

    #[test]
    fn macros_make_what_they_made() {
        let made = "macro_rules! t { ($n:ident, $t:ty, $($a:tt)*) => { trait $n<T> { fn f(&self, u8, &'a str, a: u8, $t, $($a)*) -> fn(u8) { g(x, y) } \
                    $(fn $a<F: Fn(u8)>(Map<u8, F>, a::b, self: Box<Self>, $($t,)* $(b: $t),* $(u8)=>+);)* } m! { trait X { fn f(u8); } } fn f(x) {} } }";
        let named = "macro_rules! t { ($n:ident, $t:ty, $($a:tt)*) => { trait $n<T> { fn f(&self, _: u8, _: &'a str, a: u8, _: $t, $($a)*) -> fn(u8) { g(x, y) } \
                    $(fn $a<F: Fn(u8)>(_: Map<u8, F>, _: a::b, self: Box<Self>, $(_: $t,)* $(b: $t),* $(_: u8)=>+);)* } m! { trait X { fn f(u8); } } fn f(x) {} } }";
        assert_eq!(macros(made, 2015).as_deref(), Some(named));
        assert_eq!(macros(made, 2018), None);
        let made = "macro_rules! p { ($e:expr) => { panic!($e) }; ($e:expr,) => { { panic!($e,) } }; ($f:literal, $($a:tt)*) => { panic!($f, $($a)*); panic!($f); own::panic!($f) } }";
        let literal = "macro_rules! p { ($c:expr) => { panic!(\"{a}\"); assert!($c, \"b {}\",); debug_assert!($c, r\"{{\"); panic!(\"{}\", 1); assert!($c, \"{}\", 1); assert!(\"{}\"); own::panic!(\"{}\") } }";
        let as_it_is = "macro_rules! p { ($c:expr) => { panic!(\"{{a}}\"); assert!($c, \"b {{}}\",); debug_assert!($c, r\"{{{{\"); panic!(\"{}\", 1); assert!($c, \"{}\", 1); assert!(\"{}\"); own::panic!(\"{}\") } }";
        assert_eq!(macros(literal, 2018).as_deref(), Some(as_it_is));
        let thrown = "macro_rules! p { ($e:expr) => { ::std::panic::panic_any($e) }; ($e:expr,) => { { ::std::panic::panic_any($e,) } }; ($f:literal, $($a:tt)*) => { panic!($f, $($a)*); panic!($f); own::panic!($f) } }";
        assert_eq!(macros(made, 2018).as_deref(), Some(thrown));
        let made = "macro_rules! o { ($($p:path)* $t:ty) => { $(const _: Option<&$p> = None;)* f::<&$t>(&$p) } }";
        let objects = made.replace("<&$p>", "<&dyn $p>");
        assert_eq!(macros(made, 2018), Some(objects));
        let made = "macro_rules! o { ($t:ty) => { |f: &mut $crate::Trait<_, Item = $t>, g: &'a mut Trait<Item = u8>, h: &dyn Trait<Item = u8>, \
                    i: &Type<fn() -> u8, u8>| where &'a T: Add<Output = T>, for<'b> &'b $t: a::B<C = T> { let a = &b < c; d = e > f; &a < b } } }";
        let objects = made
            .replace("mut $crate", "mut dyn $crate")
            .replace("mut Trait", "mut dyn Trait");
        assert_eq!(macros(made, 2018), Some(objects));
    }

    #[test]
    fn arguments_for_allocators_are_not_written() {
        for (path, expected) in [
            ("<Vec<_, _> as A>::from_iter", "<Vec<_> as A>::from_iter"),
            (
                "<std::vec::Vec<_, _> as A>::f",
                "<std::vec::Vec<_> as A>::f",
            ),
            ("<BTreeMap<_, _, _> as A>::f", "<BTreeMap<_, _> as A>::f"),
            ("<BTreeMap<_, _> as A>::f", "<BTreeMap<_, _> as A>::f"),
            ("<Own<_, _> as A>::f", "<Own<_, _> as A>::f"),
            ("<u8 as A<Vec<_, _>>>::f", "<u8 as A<Vec<_, _>>>::f"),
        ] {
            assert_eq!(without_allocator(path), expected);
        }
    }

    #[test]
    fn braces_of_a_literal_are_found() {
        let at = |text: &str| {
            let found = braces(text)?.into_iter();
            Some(found.map(|(at, _)| at).collect::<Vec<_>>())
        };
        assert_eq!(at(r#""{a} \u{e9} \" \\{é}", {}"#), Some(vec![1, 3, 17, 20]));
        assert_eq!(at("r#\"\\{\"}\"#, {}"), Some(vec![4, 6]));
        assert_eq!(at("message, \"{}\""), None);
        assert_eq!(at("\"{"), None);
    }

    #[test]
    fn what_is_kept_is_not_replaced() {
        let text = "fn f(&Tr);";
        assert_eq!(
            new_only(text, (5..8, "_: &Tr".into())),
            (5..5, "_: ".into())
        );
        assert_eq!(new_only(text, (6..8, "dyn".into())), (6..8, "dyn".into()));
        assert_eq!(new_only(text, (5..5, "_: ".into())), (5..5, "_: ".into()));
    }
}
