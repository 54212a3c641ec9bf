//! Expands `macro_rules!` calls that stand where items stand, so that the compiler can judge each item.
//!
//! Names of items are not hygienic, so the expansion is plain text, with each matched expression in parentheses. Where anything is
//! unclear the answer is `None`: the call then stays as it is, and the compiler expands it.
//!
//! A macro that gets a type, an expression or the like from another macro cannot look into it. So where an expansion calls a macro, these
//! stand behind [`marks`] until that call is expanded, or found not to care (see [`settled`]).

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Meta, MetaList};

use super::marks::{
    self, has_opaque, is_negative, marked, opaque_kind, transparent, unmark, with_its_sign, MARK,
};
use super::pasted;
use crate::bundle::resolve::cfg::Settled;
use crate::bundle::text::source::{words, Edits};
use crate::bundle::text::tokens::{is_ident, is_joint, is_punct, with_inside};

/// A parsed `macro_rules!`.
pub struct Macro {
    arms: Vec<(Vec<Pattern>, TokenStream)>,
}

/// The parts of a call.
pub struct Parts {
    /// Where each is in the text.
    pub ranges: Vec<Range<usize>>,
    /// Whether there is something between them that is in none.
    pub are_separated: bool,
}

/// The macros that define statics, each for itself: that of `std`, and one of a crate that takes them one after another by calling itself.
const OF_STATICS: [&str; 2] = ["lazy_static", "thread_local"];

/// The statics in a call of a macro for such.
pub fn statics(mac: &syn::Macro) -> Option<Parts> {
    let name = &mac.path.segments.last()?.ident;
    if !OF_STATICS.iter().any(|of| name == of) {
        return None;
    }
    let trees: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
    let statics = trees.split_inclusive(|tree| is_punct(tree, ';'));
    let range = |of: &[TokenTree]| {
        let mut words = of.iter().filter(|tree| is_ident(*tree, "static"));
        let (first, last) = (of.first()?, of.last()?);
        words.next()?;
        Some(first.span().byte_range().start..last.span().byte_range().end)
    };
    Some(Parts {
        ranges: statics.map(range).collect::<Option<_>>()?,
        are_separated: false,
    })
}

enum Pattern {
    /// One token of the compiler, which may be several here.
    Token(Vec<TokenTree>),
    Group(Delimiter, Vec<Pattern>),
    Fragment(String, String),
    Repeat(Vec<Pattern>, Vec<TokenTree>, char),
}

#[derive(Clone, Debug)]
enum Binding {
    /// What was matched, and as what it is marked where another macro gets it.
    One(TokenStream, Option<marks::Kind>),
    Many(Vec<BTreeMap<String, Binding>>),
}

type Bindings = BTreeMap<String, Binding>;

impl Pattern {
    fn is_optional(&self) -> bool {
        matches!(self, Self::Repeat(_, _, '?'))
    }
}

impl Macro {
    /// Parses what is between the braces of `macro_rules! name { … }`.
    pub fn parse(body: TokenStream) -> Result<Self, ()> {
        let trees: Vec<TokenTree> = glued(body).into_iter().collect();
        let mut arms = Vec::new();
        let mut at = 0;
        while at < trees.len() {
            let (Some(TokenTree::Group(lhs)), Some(TokenTree::Group(rhs))) =
                (trees.get(at), trees.get(at + 3))
            else {
                return Err(());
            };
            arms.push((patterns(lhs.stream())?, rhs.stream()));
            at += 4;
            if is_punct(trees.get(at), ';') {
                at += 1;
            }
        }
        Ok(Self { arms })
    }

    /// The expansion of a call.
    pub fn expand(&self, call: TokenStream) -> Option<TokenStream> {
        self.expand_among(call, &BTreeSet::new())
    }

    /// The same where there are some variables, none of which is meant by what the macro itself says.
    pub fn expand_among(
        &self,
        call: TokenStream,
        variables: &BTreeSet<String>,
    ) -> Option<TokenStream> {
        let (arm, bindings) = self.arm(call.clone())?;
        let (lhs, rhs) = &self.arms[arm];
        let mut kinds = BTreeMap::new();
        fragment_kinds(lhs, &mut kinds);
        let mut given = Names::default();
        given.words.extend(variables.iter().cloned());
        given.of_function = !variables.is_empty();
        captured(&bindings, &kinds, &mut given);
        let rhs = hygienic(rhs.clone(), &given, call)?;
        substituted(rhs, &bindings)
    }

    /// The expansion of a call, in which a variable of the one may look like one of the other.
    pub fn outline(&self, call: TokenStream) -> Option<TokenStream> {
        let (arm, bindings) = self.arm(call)?;
        substituted(self.arms[arm].1.clone(), &bindings)
    }

    /// The parts of a call, if it makes what calls with what is before them all and one of these each would make.
    pub fn parts(&self, call: TokenStream) -> Option<Parts> {
        let (arm, _) = self.arm(call.clone())?;
        let (lhs, rhs) = &self.arms[arm];
        let is_list = |pattern: &Pattern| matches!(pattern, Pattern::Repeat(..));
        let (head, lists) = lhs.split_at(lhs.iter().position(is_list)?);
        let [repeated @ Pattern::Repeat(inner, separator, _), rest @ ..] = lists else {
            return None;
        };
        // No more than a last separator.
        let is_end = |pattern: &Pattern| matches!(pattern, Pattern::Repeat(inner, _, '?' | '*') if matches!(inner[..], [Pattern::Token(_)]));
        let made: Vec<TokenTree> = rhs.clone().into_iter().collect();
        let [dollar, TokenTree::Group(group), star] = &made[..] else {
            return None;
        };
        let is_all = is_punct(dollar, '$')
            && group.delimiter() == Delimiter::Parenthesis
            && (is_punct(star, '*') || is_punct(star, '+'));
        if !is_all || !rest.iter().all(is_end) || repeated.is_optional() {
            return None;
        }
        let parse = |input: ParseStream| {
            let unclear = Cell::new(false);
            let mut parts: Vec<Vec<TokenTree>> = Vec::new();
            let whole: Vec<TokenTree> = input.cursor().token_stream().into_iter().collect();
            match_sequence(head, input, &mut Bindings::new(), &unclear)?;
            let left = input.cursor().token_stream().into_iter().count();
            let before_all = whole[..whole.len() - left].to_vec();
            loop {
                let fork = input.fork();
                if !parts.is_empty() && !separator.is_empty() && !next_is(separator, &fork) {
                    break;
                }
                let before: Vec<TokenTree> = fork.cursor().token_stream().into_iter().collect();
                if before.is_empty()
                    || match_sequence(inner, &fork, &mut Bindings::new(), &unclear).is_err()
                {
                    break;
                }
                let left = fork.cursor().token_stream().into_iter().count();
                let length = before.len() - left;
                parts.push(before.into_iter().take(length).collect());
                input.advance_to(&fork);
            }
            input.parse::<TokenStream>()?;
            Ok((before_all, parts))
        };
        let (head, parts) = parse.parse2(glued(call)).ok()?;
        // Another arm may be for one of them, or for one alone.
        let is_same = |part: &Vec<TokenTree>| {
            let found = self.arm(head.iter().chain(part).cloned().collect());
            found.is_some_and(|(found, _)| found == arm)
        };
        if !parts.iter().all(is_same) {
            return None;
        }
        let range = |part: &Vec<TokenTree>| {
            let start = part.first()?.span().byte_range().start;
            Some(start..part.last()?.span().byte_range().end)
        };
        Some(Parts {
            ranges: parts.iter().map(range).collect::<Option<_>>()?,
            are_separated: !separator.is_empty(),
        })
    }

    /// What its rules make of calls.
    pub fn templates(&self) -> impl Iterator<Item = &TokenStream> {
        self.arms.iter().map(|(_, made)| made)
    }

    /// The arm that a call takes.
    fn arm(&self, call: TokenStream) -> Option<(usize, Bindings)> {
        let call = glued(call);
        for (arm, (lhs, _)) in self.arms.iter().enumerate() {
            let unclear = Cell::new(false);
            let bindings = matched(lhs, call.clone(), &unclear);
            if unclear.get() {
                return None;
            }
            if let Some(bindings) = bindings {
                return Some((arm, bindings));
            }
        }
        None
    }

    /// Whether a call means the same if the macro can look into all fragments that it gets.
    fn is_indifferent(&self, call: TokenStream) -> bool {
        fn passes_on(bindings: &Bindings) -> bool {
            bindings.values().any(|binding| match binding {
                Binding::One(tokens, kind) => kind.is_none() && has_opaque(tokens.clone()),
                Binding::Many(rounds) => rounds.iter().any(passes_on),
            })
        }
        let open = self.arm(transparent(call.clone()));
        match (self.arm(call), open) {
            (Some((arm, bindings)), Some((same, _))) => arm == same && !passes_on(&bindings),
            _ => false,
        }
    }
}

/// What the compiler takes for one token, and what that begins with.
const LONG: [&str; 25] = [
    "..=", "...", "<<=", ">>=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..", "<-",
];

/// The same, joint only where the compiler sees one token: `&&&x` is `&&`, `&` and `x`.
///
/// A type may end in such a token (`Vec<Vec<u8>>`). What is left of it is then a token of its own, and nothing joins it any more.
pub fn glued(stream: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut out = Vec::with_capacity(trees.len());
    let mut token = String::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(p) => {
                token.push(p.as_char());
                let spacing = if goes_on(&token, p, trees.get(at + 1)) {
                    Spacing::Joint
                } else {
                    token.clear();
                    Spacing::Alone
                };
                let mut glued = Punct::new(p.as_char(), spacing);
                glued.set_span(p.span());
                out.push(glued.into());
            }
            TokenTree::Group(group) => {
                out.push(with_inside(group, glued(group.stream())).into());
            }
            tree => out.push(tree.clone()),
        }
    }
    out.into_iter().collect()
}

/// Whether the token that so far ends with `last` has the next in it.
fn goes_on(token: &str, last: &Punct, next: Option<&TokenTree>) -> bool {
    match next {
        _ if last.spacing() == Spacing::Alone => false,
        Some(TokenTree::Punct(next)) => {
            let longer = format!("{token}{}", next.as_char());
            LONG.contains(&longer.as_str())
        }
        // A lifetime.
        Some(TokenTree::Ident(_)) => token == "'",
        _ => false,
    }
}

/// How many trees the first token has.
fn token_length(trees: &[TokenTree]) -> usize {
    let joint = trees.iter().take_while(|tree| is_joint(tree)).count();
    trees.len().min(joint + 1)
}

/// Macros of the standard library to which it makes no difference.
const INDIFFERENT: [&str; 31] = [
    "addr_of",
    "addr_of_mut",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg_if",
    "cfg_select",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "matches",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Macros of the standard library whose arguments are expressions.
const EVALUATING: [&str; 12] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "eprint",
    "eprintln",
    "format",
    "panic",
    "print",
    "println",
    "vec",
    "write",
    "writeln",
];

/// Negative numbers, which were groups without delimiters, as text.
fn without_invisible(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::with_capacity(trees.len());
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                out.extend(with_its_sign(group.stream(), trees.get(at + 1)));
            }
            TokenTree::Group(group) => {
                let inner = without_invisible(group.stream());
                out.push(with_inside(group, inner).into());
            }
            tree => out.push(tree.clone()),
        }
    }
    out.into_iter().collect()
}

/// An expansion in which lengths of arrays that are calculated from numbers alone are numbers: a macro that counts makes `[T; ((32 - 1) - 1)]`,
/// of which nobody sees which array that is.
pub fn counted(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let made = trees.iter().enumerate().map(|(at, tree)| match tree {
        // Another macro may look at it.
        TokenTree::Group(group) if called(&trees, at).is_none() => {
            let inside = counted(group.stream());
            with_inside(group, with_number(group.delimiter(), inside)).into()
        }
        tree => tree.clone(),
    });
    made.collect()
}

/// What is in brackets, with the length of the array as a number.
fn with_number(around: Delimiter, inside: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = inside.into_iter().collect();
    let semicolon = trees.iter().rposition(|tree| is_punct(tree, ';'));
    let length = semicolon.filter(|_| around == Delimiter::Bracket);
    let (kept, number) = match length.map(|at| trees.split_at(at + 1)) {
        Some((before, length @ ([TokenTree::Group(_)] | [_, _, ..]))) => {
            (before, syn::parse2(length.iter().cloned().collect()).ok())
        }
        _ => (&trees[..], None),
    };
    match number.and_then(|expr: syn::Expr| calculated(&expr)) {
        Some(number) => {
            let number = TokenTree::from(Literal::usize_unsuffixed(number));
            kept.iter().cloned().chain([number]).collect()
        }
        None => trees.into_iter().collect(),
    }
}

/// The value of an expression of numbers.
fn calculated(expr: &syn::Expr) -> Option<usize> {
    use syn::{BinOp, Expr, Lit};
    match expr {
        Expr::Paren(of) => calculated(&of.expr),
        Expr::Group(of) => calculated(&of.expr),
        Expr::Lit(of) => match &of.lit {
            Lit::Int(number) if ["", "usize"].contains(&number.suffix()) => {
                number.base10_parse().ok()
            }
            _ => None,
        },
        Expr::Binary(of) => {
            let (left, right) = (calculated(&of.left)?, calculated(&of.right)?);
            match of.op {
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Mul(_) => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The name of the macro that is called with the group at `at`.
fn called(trees: &[TokenTree], at: usize) -> Option<&Ident> {
    match (at.checked_sub(2).map(|name| &trees[name]), trees.get(at)) {
        (Some(TokenTree::Ident(name)), Some(TokenTree::Group(_)))
            if is_punct(trees.get(at - 1), '!') && !KEYWORDS.contains(&&*name.to_string()) =>
        {
            Some(name)
        }
        _ => None,
    }
}

/// The path that some tokens end in.
fn path(trees: &[TokenTree]) -> String {
    let is_part = |tree: &&TokenTree| match tree {
        TokenTree::Ident(name) => !KEYWORDS.contains(&&*name.to_string()),
        tree => is_punct(*tree, ':'),
    };
    let mut parts: Vec<String> = Vec::new();
    for tree in trees.iter().rev().take_while(is_part) {
        let is_name = |part: &String| part != ":";
        let part = tree.to_string();
        if is_name(&part) && parts.last().is_some_and(is_name) {
            break;
        }
        parts.push(part);
    }
    parts.reverse();
    parts.concat()
}

/// An expansion without opaque fragments: `None` if a macro that is still called in it might make something else of them.
/// `known` gives the macros that may be called by their paths.
pub fn settled<'m>(text: &str, known: &dyn Fn(&str) -> Option<&'m Macro>) -> Option<String> {
    fn look<'m>(tokens: TokenStream, known: &dyn Fn(&str) -> Option<&'m Macro>) -> bool {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        trees.iter().enumerate().all(|(at, tree)| {
            let TokenTree::Group(group) = tree else {
                return true;
            };
            let inside = group.stream();
            match called(&trees, at).map(ToString::to_string) {
                Some(name) if name.starts_with(MARK) => true,
                // Of more than a word it shows the blanks between them.
                Some(name) if name == "stringify" => transparent(inside).into_iter().count() <= 1,
                Some(_) if has_opaque(inside.clone()) => {
                    let path = path(&trees[..at - 1]);
                    let name = path.strip_prefix("::").unwrap_or(&path);
                    let name = name.strip_prefix("std::").unwrap_or(name);
                    match known(&path) {
                        Some(known) => known.is_indifferent(inside),
                        None => EVALUATING.contains(&name) && look(inside, known),
                    }
                }
                _ => look(inside, known),
            }
        })
    }
    if !text.contains(MARK) && !text.contains("stringify") {
        return Some(text.to_owned());
    }
    let tokens: TokenStream = text.parse().ok()?;
    let mut edits = Edits::default();
    unmark(tokens.clone(), &mut edits);
    look(tokens, known).then(|| edits.apply(text))
}

fn fragment_kinds<'p>(patterns: &'p [Pattern], kinds: &mut BTreeMap<&'p str, &'p str>) {
    for pattern in patterns {
        match pattern {
            Pattern::Fragment(name, kind) => {
                kinds.insert(name, kind);
            }
            Pattern::Group(_, inner) | Pattern::Repeat(inner, ..) => fragment_kinds(inner, kinds),
            Pattern::Token(_) => {}
        }
    }
}

/// Names as the compiler compares them: `r#x` is `x`.
#[derive(Default)]
struct Names {
    /// Of variables and of all else.
    words: BTreeSet<String>,
    /// Of lifetimes and of labels.
    lifetimes: BTreeSet<String>,
    /// They are those of a function, so that also those in patterns of the template have to be told.
    of_function: bool,
}

/// What a call brings along that may be a variable or a label: not what the pattern itself has.
fn captured(bindings: &Bindings, kinds: &BTreeMap<&str, &str>, found: &mut Names) {
    for (name, binding) in bindings {
        match binding {
            Binding::One(tokens, _) => match kinds.get(name.as_str()).copied() {
                Some("meta" | "vis") => {}
                // Of a longer path, nothing is a variable.
                kind => all_names(tokens.clone(), matches!(kind, Some("ty" | "path")), found),
            },
            Binding::Many(rounds) => {
                for bindings in rounds {
                    captured(bindings, kinds, found);
                }
            }
        }
    }
}

fn bare(name: &Ident) -> String {
    marks::bare_lifetime(name).unraw().to_string()
}

/// All names of tokens, those that strings format among them; with `short`, only paths of one segment.
fn all_names(stream: TokenStream, short: bool, found: &mut Names) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &trees[before]);
        match tree {
            TokenTree::Ident(name) if is_punct(before, '\'') => {
                found.lifetimes.insert(bare(name));
            }
            TokenTree::Ident(_) if short && in_path(&trees, at) => {}
            TokenTree::Ident(name) => {
                found.words.insert(bare(name));
            }
            TokenTree::Literal(literal) => found.words.extend(formatted(&literal.to_string())),
            TokenTree::Group(group) if is_punct(before, '#') && is_doc(group) => {}
            TokenTree::Group(group) => all_names(group.stream(), short, found),
            TokenTree::Punct(_) => {}
        }
    }
}

/// Whether what stands in brackets is a line of documentation.
fn is_doc(group: &Group) -> bool {
    let mut inside = group.stream().into_iter();
    is_ident(inside.next().as_ref(), "doc")
        && is_punct(inside.next().as_ref(), '=')
        && matches!(inside.next(), Some(TokenTree::Literal(_)))
        && inside.next().is_none()
}

/// Whether a name has `::` before or behind it.
fn in_path(trees: &[TokenTree], at: usize) -> bool {
    let colons = |first: Option<usize>| {
        first.is_some_and(|first| {
            trees.get(first).is_some_and(is_joint)
                && is_punct(trees.get(first), ':')
                && is_punct(trees.get(first + 1), ':')
        })
    };
    colons(at.checked_sub(2)) || colons(Some(at + 1))
}

/// What stands between the braces of a literal: the variables that a macro which formats takes from there.
fn formatted(literal: &str) -> Vec<String> {
    if !literal.ends_with(['"', '#']) {
        return Vec::new();
    }
    let inside = literal.split('{').skip(1);
    let inside = inside.filter_map(|rest| Some(rest.split_once('}')?.0));
    inside.flat_map(words).map(str::to_owned).collect()
}

/// The template with its own local variables renamed where the call brings the same name along: to the compiler these are
/// different variables. `None` where it is unclear what a name is.
fn hygienic(template: TokenStream, given: &Names, call: TokenStream) -> Option<TokenStream> {
    let mut found = Found::default();
    let outside = Inside {
        around: Around::Other,
        pattern: false,
        repeated: false,
    };
    look(template.clone(), given, outside, &mut found);
    let clear = found.bound.is_disjoint(&found.passed) && found.bound.is_disjoint(&found.fields);
    if found.unclear || !found.used.is_subset(&found.bound) || !clear {
        return None;
    }
    if found.bound.is_empty() {
        return Some(template);
    }
    let mut taken = Names::default();
    all_names(template.clone(), false, &mut taken);
    all_names(call, false, &mut taken);
    let local = found.bound.into_iter().map(|name| {
        let other = unused(&name, &taken.words);
        (name, other)
    });
    Some(renamed(template, &local.collect(), Around::Other))
}

/// A name for a local variable that nothing else has.
fn unused(name: &str, taken: &BTreeSet<String>) -> String {
    let mut other = format!("{name}_local");
    while taken.contains(&other) {
        other.push('_');
    }
    other
}

/// Names of a template that its call has too.
#[derive(Default)]
struct Found {
    /// `let` or `for` binds them.
    bound: BTreeSet<String>,
    /// They may be variables.
    used: BTreeSet<String>,
    /// They are passed on to another macro, or a string formats them.
    passed: BTreeSet<String>,
    /// They look like fields, outside of anything that has fields.
    fields: BTreeSet<String>,
    /// A label has the name of one of the call, or a variable that of a type or a constant.
    unclear: bool,
}

/// What a group of tokens is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The fields of `Name { … }`.
    Fields,
    /// The same, in a `let`.
    LetFields,
    /// `( … )`, of a function among others.
    Parentheses,
    Other,
}

/// Where tokens stand.
#[derive(Clone, Copy)]
struct Inside {
    around: Around,
    /// They are a part of a pattern.
    pattern: bool,
    /// They are in a repetition, so that others stand before the first and behind the last.
    repeated: bool,
}

/// Whether the group at `at` is what a template repeats.
fn is_repetition(trees: &[TokenTree], at: usize, group: &Group) -> bool {
    let dollar = at.checked_sub(1).and_then(|before| trees.get(before));
    group.delimiter() == Delimiter::Parenthesis && is_punct(dollar, '$')
}

fn around(trees: &[TokenTree], at: usize, group: &Group, outside: Around) -> Around {
    let before = |back: usize| at.checked_sub(back).map(|n| &trees[n]);
    match group.delimiter() {
        // Its parentheses are not in the expansion.
        Delimiter::Parenthesis if is_repetition(trees, at, group) => return outside,
        Delimiter::Brace => {}
        Delimiter::Parenthesis => return Around::Parentheses,
        _ => return Around::Other,
    }
    let path = match before(1) {
        Some(TokenTree::Ident(name)) => {
            // A type, or a fragment that is one.
            name.to_string().starts_with(char::is_uppercase) || is_punct(before(2), '$')
        }
        Some(TokenTree::Punct(p)) => {
            p.as_char() == '>'
                && !matches!(before(2), Some(TokenTree::Punct(p)) if matches!(p.as_char(), '=' | '-'))
        }
        _ => false,
    };
    let is_let = (2..4).any(|n| is_ident(before(n), "let"));
    match (path, is_let) {
        (true, true) => Around::LetFields,
        (true, false) => Around::Fields,
        _ => Around::Other,
    }
}

/// What an identifier in a template is.
enum Role {
    /// `let` or `for` binds it here.
    Bound,
    /// A field that a variable of the same name goes into or comes out of.
    Shorthand,
    Variable,
    /// A field, a method, a type, a fragment.
    Else,
}

fn role(trees: &[TokenTree], at: usize, name: &str, around: Around) -> Role {
    let before = |back: usize| at.checked_sub(back).map(|n| &trees[n]);
    let word = |back: usize| match before(back) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let next = trees.get(at + 1);
    let path_follows = is_punct(next, ':')
        && is_punct(trees.get(at + 2), ':')
        && matches!(next, Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint);
    let no_variable = name.starts_with(char::is_uppercase)
        || ["self", "super", "crate", "mut", "ref", "_"].contains(&name)
        || KEYWORDS.contains(&name)
        || PRIMITIVE.contains(&name)
        || is_punct(before(1), '.') && !is_punct(before(2), '.')
        || is_punct(before(1), '$')
        || is_punct(before(1), '\'')
        || is_punct(before(1), ':')
            && is_punct(before(2), ':')
            && matches!(before(2), Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint)
        || ["fn", "mod", "type", "macro_rules"].contains(&word(1).as_str())
        || is_punct(next, '!') && !next.is_some_and(is_joint)
        || path_follows
        || name == "union" && is_definition(trees, at);
    if no_variable {
        return Role::Else;
    }
    if ["let", "for"].contains(&word(1).as_str()) || word(1) == "mut" && word(2) == "let" {
        return Role::Bound;
    }
    // A parameter of a function or of a closure.
    if around == Around::Parentheses && is_punct(next, ':') {
        return Role::Bound;
    }
    let bar = if word(1) == "mut" { 2 } else { 1 };
    let opens = match before(bar + 1) {
        None => true,
        Some(TokenTree::Ident(word)) => *word == "move",
        Some(TokenTree::Punct(p)) => ",=".contains(p.as_char()),
        _ => false,
    };
    if is_punct(before(bar), '|') && opens && (is_punct(next, '|') || is_punct(next, ',')) {
        return Role::Bound;
    }
    if matches!(around, Around::Fields | Around::LetFields) {
        if is_punct(next, ':') {
            return Role::Else;
        }
        if (at == 0 || is_punct(before(1), ',')) && (next.is_none() || is_punct(next, ',')) {
            return Role::Shorthand;
        }
    }
    Role::Variable
}

/// Whether a word is before the name of a type and its fields.
fn is_definition(trees: &[TokenTree], at: usize) -> bool {
    let fields = match trees.get(at + 1) {
        Some(TokenTree::Ident(_)) => trees.get(at + 2),
        Some(TokenTree::Punct(p)) if p.as_char() == '$' => trees.get(at + 3),
        _ => None,
    };
    matches!(fields, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

fn look(stream: TokenStream, given: &Names, inside: Inside, found: &mut Found) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // No attribute names a variable.
            TokenTree::Group(_) if is_attribute(&trees, at) => {}
            TokenTree::Group(group) => {
                // What another macro makes of the tokens is its own affair, if it is not one that leaves them what they are.
                let of = at.checked_sub(2).map(|at| &trees[at]);
                let leaves_them = matches!(of, Some(TokenTree::Ident(name)) if name == pasted::PACKAGE || EVALUATING.contains(&&*name.to_string()));
                if at > 0 && is_punct(trees.get(at - 1), '!') && !leaves_them {
                    let mut inside = Names::default();
                    all_names(group.stream(), false, &mut inside);
                    let passed = inside.words.intersection(&given.words);
                    found.passed.extend(passed.cloned());
                }
                let inner = Inside {
                    around: around(&trees, at, group, inside.around),
                    pattern: inside.pattern || is_pattern(&trees, at),
                    repeated: is_repetition(&trees, at, group),
                };
                look(group.stream(), given, inner, found)
            }
            TokenTree::Ident(name) if at > 0 && is_punct(trees.get(at - 1), '\'') => {
                found.unclear |= given.lifetimes.contains(&bare(name)) && is_label(&trees, at);
            }
            TokenTree::Ident(name) if given.words.contains(&bare(name)) => {
                look_at(&trees, at, name, inside, given.of_function, found);
            }
            TokenTree::Literal(literal) => {
                let names = formatted(&literal.to_string()).into_iter();
                let names: Vec<String> = names.filter(|name| given.words.contains(name)).collect();
                // It may be a variable that nothing here binds, or one that cannot be renamed.
                found.used.extend(names.iter().cloned());
                found.passed.extend(names);
            }
            _ => {}
        }
    }
}

/// Whether the group at `at` is what follows `#`.
fn is_attribute(trees: &[TokenTree], at: usize) -> bool {
    matches!(&trees[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
        && is_punct(at.checked_sub(1).and_then(|before| trees.get(before)), '#')
}

fn look_at(
    trees: &[TokenTree],
    at: usize,
    name: &Ident,
    inside: Inside,
    of_function: bool,
    found: &mut Found,
) {
    let next = trees.get(at + 1);
    let colon = is_punct(next, ':') && !next.is_some_and(is_joint);
    let role = role(trees, at, &name.to_string(), inside.around);
    found.unclear |= is_unusual(trees, at, name, inside);
    // It may be a whole element or only a part of one.
    let at_edge = inside.repeated && (at == 0 || next.is_none());
    found.unclear |= at_edge && matches!(role, Role::Shorthand);
    let name = bare(name);
    let is_bound = of_function && (inside.pattern || is_pattern(trees, at));
    if colon && inside.around == Around::Other && !matches!(role, Role::Bound) && !is_bound {
        found.fields.insert(name.clone());
    }
    match role {
        Role::Bound => found.bound.insert(name),
        Role::Shorthand if inside.around == Around::LetFields => found.bound.insert(name),
        Role::Shorthand | Role::Variable if is_bound => found.bound.insert(name),
        Role::Shorthand | Role::Variable => found.used.insert(name),
        Role::Else => false,
    };
}

/// Whether a lifetime of a template is a label.
fn is_label(trees: &[TokenTree], at: usize) -> bool {
    let is_word = |tree: Option<&TokenTree>, words: &[&str]| matches!(tree, Some(TokenTree::Ident(word)) if words.contains(&&*word.to_string()));
    let jump = at
        .checked_sub(2)
        .is_some_and(|before| is_word(trees.get(before), &["break", "continue"]));
    let behind = trees.get(at + 2);
    let loops = is_word(behind, &["loop", "while", "for"])
        || is_punct(behind, '$')
        || matches!(behind, Some(TokenTree::Group(_)));
    jump || is_punct(trees.get(at + 1), ':') && loops
}

/// Whether a name that looks like a type or a constant may be a local variable.
fn is_unusual(trees: &[TokenTree], at: usize, name: &Ident, inside: Inside) -> bool {
    let text = name.to_string();
    let before = at.checked_sub(1).and_then(|before| trees.get(before));
    let next = trees.get(at + 1);
    let colon = is_punct(next, ':') && !next.is_some_and(is_joint);
    let other = ["Self", "Some", "None", "Ok", "Err"].contains(&text.as_str())
        || !text.starts_with(char::is_uppercase)
        || in_path(trees, at)
        || is_punct(before, '$')
        || is_punct(before, '.')
        || matches!(next, Some(TokenTree::Group(_)));
    let parameter = inside.around == Around::Parentheses && colon;
    !other && (inside.pattern || parameter || is_pattern(trees, at))
}

/// Whether a token may be a part of a pattern: behind `let` or `for`, before `=>`, or between the bars of a closure.
fn is_pattern(trees: &[TokenTree], at: usize) -> bool {
    let is_word = |tree: &TokenTree, text: &str| is_ident(tree, text);
    let is_brace = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    // The fields of a pattern follow its name.
    let name_before = at > 0 && matches!(&trees[at - 1], TokenTree::Ident(_) | TokenTree::Punct(_));
    if is_brace(&trees[at]) && !name_before {
        return false;
    }
    let ends = |place: usize| {
        let tree = &trees[place];
        let arrow = is_punct(tree, '=') && is_joint(tree);
        is_brace(tree) || is_punct(tree, ';') || is_punct(tree, '=') && !arrow
    };
    let behind = || (at + 1..trees.len()).take_while(|&place| !ends(place));
    let before = || (0..at).rev().take_while(|&place| !ends(place));
    let is_type = |place: usize| {
        is_punct(trees.get(place), ':')
            && !is_joint(&trees[place])
            && !(place > 0 && is_joint(&trees[place - 1]))
    };
    let in_for = || behind().any(|place| is_word(&trees[place], "in"));
    let bound = before()
        .take_while(|&place| !is_type(place) && !is_word(&trees[place], "in"))
        .any(|place| is_word(&trees[place], "let") || is_word(&trees[place], "for") && in_for());
    let arrow =
        |place: &usize| is_punct(trees.get(*place), '=') && is_punct(trees.get(place + 1), '>');
    let arm = behind()
        .take_while(|&place| !is_punct(trees.get(place), ','))
        .any(|place| arrow(&place));
    let is_bar = |place: usize| is_punct(trees.get(place), '|');
    bound || arm || before().any(is_bar) && behind().any(is_bar)
}

/// The template with the variables of `local` under the names that are given there.
fn renamed(stream: TokenStream, local: &BTreeMap<String, String>, inside: Around) -> TokenStream {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut out = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let around = around(&trees, at, group, inside);
                let inner = renamed(group.stream(), local, around);
                out.push(with_inside(group, inner).into());
            }
            TokenTree::Ident(name) => match local.get(&bare(name)) {
                Some(other) => out.extend(variable(&trees, at, name, other, inside)),
                None => out.push(tree.clone()),
            },
            tree => out.push(tree.clone()),
        }
    }
    out.into_iter().collect()
}

/// What stands for a name in a template if `other` is the variable of that name.
fn variable(
    trees: &[TokenTree],
    at: usize,
    name: &Ident,
    other: &str,
    inside: Around,
) -> Vec<TokenTree> {
    let other = TokenTree::Ident(Ident::new(other, name.span()));
    match role(trees, at, &name.to_string(), inside) {
        Role::Else => vec![trees[at].clone()],
        Role::Bound | Role::Variable => vec![other],
        Role::Shorthand => {
            let colon = Punct::new(':', Spacing::Alone);
            vec![trees[at].clone(), colon.into(), other]
        }
    }
}

const PRIMITIVE: [&str; 18] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize", "never",
];

pub const KEYWORDS: [&str; 32] = [
    "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "pub", "return",
    "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while",
];

fn patterns(stream: TokenStream) -> Result<Vec<Pattern>, ()> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Group(group)))
                if p.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
            {
                let (separator, operator, next) = repeat_tail(&trees, at + 2).ok_or(())?;
                found.push(Pattern::Repeat(
                    patterns(group.stream())?,
                    separator,
                    operator,
                ));
                at = next;
            }
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                if is_punct(trees.get(at + 2), ':') {
                    let Some(TokenTree::Ident(kind)) = trees.get(at + 3) else {
                        return Err(());
                    };
                    found.push(Pattern::Fragment(name.to_string(), kind.to_string()));
                    at += 4;
                } else {
                    return Err(());
                }
            }
            (TokenTree::Group(group), _) => {
                found.push(Pattern::Group(group.delimiter(), patterns(group.stream())?));
                at += 1;
            }
            _ => {
                let length = token_length(&trees[at..]);
                found.push(Pattern::Token(trees[at..at + length].to_vec()));
                at += length;
            }
        }
    }
    Ok(found)
}

/// Separator and operator after `$( … )`, and where the next thing starts.
fn repeat_tail(trees: &[TokenTree], at: usize) -> Option<(Vec<TokenTree>, char, usize)> {
    let operator = |tree: Option<&TokenTree>| match tree {
        Some(TokenTree::Punct(p)) if "*+?".contains(p.as_char()) && !is_joint(tree?) => {
            Some(p.as_char())
        }
        _ => None,
    };
    // An operator is no separator: in `$(…)+*` the star is a token that follows.
    if let Some(operator) = operator(trees.get(at)) {
        return Some((Vec::new(), operator, at + 1));
    }
    let end = at + token_length(trees.get(at..)?);
    let separator = trees[at..end].to_vec();
    Some((separator, operator(trees.get(end))?, end + 1))
}

fn matched(lhs: &[Pattern], call: TokenStream, unclear: &Cell<bool>) -> Option<Bindings> {
    let parse = |input: ParseStream| {
        let mut bindings = Bindings::new();
        match_sequence(lhs, input, &mut bindings, unclear)?;
        if input.is_empty() {
            Ok(bindings)
        } else {
            Err(input.error("more tokens"))
        }
    };
    parse.parse2(call).ok()
}

/// Whether the next token is the one that is expected.
fn next_is(expected: &[TokenTree], input: ParseStream) -> bool {
    tt(input).is_ok_and(|found| same_token(expected, &found))
}

fn same_token(a: &[TokenTree], b: &[TokenTree]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_tree(a, b))
}

fn same_tree(a: &TokenTree, b: &TokenTree) -> bool {
    match (a, b) {
        (TokenTree::Ident(a), TokenTree::Ident(b)) => *a == marks::bare_lifetime(b),
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
        (TokenTree::Literal(a), TokenTree::Literal(b)) => a.to_string() == b.to_string(),
        _ => false,
    }
}

fn match_sequence(
    lhs: &[Pattern],
    input: ParseStream,
    bindings: &mut Bindings,
    unclear: &Cell<bool>,
) -> syn::Result<()> {
    for (at, pattern) in lhs.iter().enumerate() {
        match pattern {
            Pattern::Token(expected) => {
                if !next_is(expected, input) {
                    return Err(input.error("another token"));
                }
            }
            Pattern::Group(delimiter, inner) => {
                let found: TokenTree = input.parse()?;
                match found {
                    TokenTree::Group(group) if group.delimiter() == *delimiter => {
                        let parse = |input: ParseStream| {
                            match_sequence(inner, input, bindings, unclear)?;
                            if input.is_empty() {
                                Ok(())
                            } else {
                                Err(input.error("more tokens"))
                            }
                        };
                        parse.parse2(group.stream())?;
                    }
                    _ => return Err(input.error("no group")),
                }
            }
            Pattern::Fragment(name, kind) => {
                let given = given(input);
                if given.is_some_and(|given| is_unclear(kind, given)) {
                    unclear.set(true);
                }
                let tokens = fragment(kind, given, input)?;
                let kind = marks::Kind::new(kind, &tokens);
                bindings.insert(name.clone(), Binding::One(tokens, kind));
            }
            Pattern::Repeat(inner, separator, operator) => {
                let rest = &lhs[at + 1..];
                let mut rounds = Vec::new();
                loop {
                    if *operator == '?' && rounds.len() == 1 {
                        break;
                    }
                    let fork = input.fork();
                    let separated = !rounds.is_empty() && !separator.is_empty();
                    if separated && !next_is(separator, &fork) {
                        break;
                    }
                    if fork.is_empty() {
                        break;
                    }
                    // Without a separator, what follows the repetition may look like another round.
                    if separator.is_empty() {
                        if let Some(Pattern::Token(next)) = rest.first() {
                            let is_next = next_is(next, &fork.fork());
                            let starts_same = matches!(inner.first(), Some(Pattern::Token(t)) if same_token(t, next));
                            if is_next && !starts_same {
                                break;
                            }
                        }
                    }
                    let mut round = Bindings::new();
                    if match_sequence(inner, &fork, &mut round, unclear).is_err() {
                        break;
                    }
                    input.advance_to(&fork);
                    rounds.push(round);
                }
                if *operator == '+' && rounds.is_empty() {
                    return Err(input.error("nothing to repeat"));
                }
                let mut names = Vec::new();
                fragment_names(inner, &mut names);
                for name in names {
                    let each = rounds
                        .iter()
                        .filter_map(|round| {
                            Some(Bindings::from([(name.clone(), round.get(&name)?.clone())]))
                        })
                        .collect();
                    bindings.insert(name, Binding::Many(each));
                }
            }
        }
    }
    Ok(())
}

fn fragment_names(patterns: &[Pattern], names: &mut Vec<String>) {
    for pattern in patterns {
        match pattern {
            Pattern::Fragment(name, _) => names.push(name.clone()),
            Pattern::Group(_, inner) | Pattern::Repeat(inner, ..) => fragment_names(inner, names),
            Pattern::Token(_) => {}
        }
    }
}

/// The kind of the opaque fragment that comes next.
fn given(input: ParseStream) -> Option<&'static str> {
    let name: Ident = input.fork().call(Ident::parse_any).ok()?;
    opaque_kind(&[name.into()], 0)
}

/// Whether it depends on what is in an opaque fragment if it is one of another kind too.
fn is_unclear(kind: &str, given: &str) -> bool {
    match kind {
        "ident" | "lifetime" | "tt" | "vis" | "expr" | "expr_2021" | "ty" => false,
        _ => kind != given,
    }
}

/// Whether a fragment of a kind may begin with an opaque one.
fn may_begin(kind: &str, given: &str) -> bool {
    match kind {
        "expr" | "expr_2021" => ["expr", "literal", "path"].contains(&given),
        "ty" => ["ty", "path"].contains(&given),
        "tt" | "vis" => true,
        _ => kind == given,
    }
}

fn fragment(kind: &str, given: Option<&str>, input: ParseStream) -> syn::Result<TokenStream> {
    if let Some(given) = given {
        if !may_begin(kind, given) {
            return Err(input.error("another fragment"));
        }
        if kind == "vis" {
            return Ok(TokenStream::new());
        }
        if kind == given && ["literal", "path", "pat"].contains(&kind) || kind == "tt" {
            return Ok(input.parse::<syn::Macro>()?.into_token_stream());
        }
    }
    Ok(match kind {
        "ident" => {
            let token = tt(input)?;
            match &token[..] {
                [TokenTree::Ident(ident)] if ident != "_" => ident.into_token_stream(),
                _ => return Err(input.error("no identifier")),
            }
        }
        "tt" => tt(input)?.into_iter().collect(),
        "ty" => passed(input, syn::Type::parse)?.1,
        "expr" | "expr_2021" => {
            let (expr, mut tokens) = passed(input, syn::Expr::parse)?;
            match expr {
                syn::Expr::Lit(_) | syn::Expr::Path(_) | syn::Expr::Paren(_) => tokens,
                // It has its own parentheses.
                syn::Expr::Macro(call) if is_marked(&call.mac.path) => tokens,
                _ => {
                    while let Some(rest) = without_lint_attribute(&tokens) {
                        tokens = rest;
                    }
                    TokenTree::Group(Group::new(Delimiter::Parenthesis, tokens)).into()
                }
            }
        }
        "path" => passed(input, syn::Path::parse)?.1,
        "pat" => passed(input, syn::Pat::parse_multi)?.1,
        "pat_param" => passed(input, syn::Pat::parse_single)?.1,
        "block" => passed(input, syn::Block::parse)?.1,
        "item" => passed(input, syn::Item::parse)?.1,
        "stmt" => passed(input, statement)?.1,
        "meta" => passed(input, syn::Meta::parse)?.1,
        "vis" => passed(input, syn::Visibility::parse)?.1,
        "lifetime" => passed(input, syn::Lifetime::parse)?.1,
        "literal" => {
            let minus: Option<syn::Token![-]> = input.parse()?;
            let literal: syn::Lit = input.parse()?;
            let mut tokens = minus.into_token_stream();
            literal.to_tokens(&mut tokens);
            tokens
        }
        _ => return Err(input.error("unknown fragment")),
    })
}

/// A statement without the `;` behind it: what is behind a fragment says whether there is one.
fn statement(input: ParseStream) -> syn::Result<TokenStream> {
    if matches!(input.fork().parse(), Ok(syn::Stmt::Item(_))) {
        return Ok(input.parse::<syn::Item>()?.into_token_stream());
    }
    let mut tokens = TokenStream::new();
    for attribute in input.call(syn::Attribute::parse_outer)? {
        attribute.to_tokens(&mut tokens);
    }
    let Some(binding): Option<syn::Token![let]> = input.parse()? else {
        let expr = syn::Expr::parse_with_earlier_boundary_rule(input)?;
        expr.to_tokens(&mut tokens);
        return Ok(tokens);
    };
    binding.to_tokens(&mut tokens);
    syn::Pat::parse_single(input)?.to_tokens(&mut tokens);
    if let Some(colon) = input.parse::<Option<syn::Token![:]>>()? {
        colon.to_tokens(&mut tokens);
        input.parse::<syn::Type>()?.to_tokens(&mut tokens);
    }
    if let Some(equals) = input.parse::<Option<syn::Token![=]>>()? {
        equals.to_tokens(&mut tokens);
        input.parse::<syn::Expr>()?.to_tokens(&mut tokens);
        if let Some(otherwise) = input.parse::<Option<syn::Token![else]>>()? {
            otherwise.to_tokens(&mut tokens);
            input.parse::<syn::Block>()?.to_tokens(&mut tokens);
        }
    }
    Ok(tokens)
}

fn is_marked(path: &syn::Path) -> bool {
    let name = path.get_ident().cloned().map(TokenTree::from);
    name.is_some_and(|name| opaque_kind(&[name], 0).is_some())
}

/// What comes next, and its tokens as they are: those that `syn` makes of it part the marks of `A<B<C>>`.
fn passed<T: ToTokens>(
    input: ParseStream,
    parse: impl FnOnce(ParseStream) -> syn::Result<T>,
) -> syn::Result<(T, TokenStream)> {
    let mut cursor = input.cursor();
    let value = parse(input)?;
    let mut tokens = Vec::new();
    while cursor != input.cursor() {
        // It ends inside a group without delimiters.
        let Some((tree, next)) = cursor.token_tree() else {
            let tokens = value.to_token_stream();
            return Ok((value, tokens));
        };
        tokens.push(tree);
        cursor = next;
    }
    // What came next does not any more.
    if let Some(TokenTree::Punct(last)) = tokens.last_mut() {
        let mut alone = Punct::new(last.as_char(), Spacing::Alone);
        alone.set_span(last.span());
        *last = alone;
    }
    Ok((value, tokens.into_iter().collect()))
}

/// One token tree as `macro_rules!` counts them: `->`, `::` and `'a` are one.
fn tt(input: ParseStream) -> syn::Result<Vec<TokenTree>> {
    let mut token = vec![input.parse::<TokenTree>()?];
    while token.last().is_some_and(is_joint) && !input.is_empty() {
        token.push(input.parse()?);
    }
    if let ([TokenTree::Ident(word)], Ok(TokenTree::Group(behind))) =
        (&token[..], input.fork().parse())
    {
        if marks::is_visibility(word, &behind) {
            token.push(input.parse()?);
        }
    }
    Ok(token)
}

/// What an arm becomes.
fn substituted(rhs: TokenStream, bindings: &Bindings) -> Option<TokenStream> {
    let mut out = Vec::new();
    substitute(rhs, bindings, Called::Nothing, &mut out)?;
    Some(without_invisible(out.into_iter().collect()))
}

/// What tokens of a template are handed to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Nothing,
    Macro,
    Paste,
}

fn substitute(
    rhs: TokenStream,
    bindings: &Bindings,
    outside: Called,
    out: &mut Vec<TokenTree>,
) -> Option<()> {
    let trees: Vec<TokenTree> = rhs.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                if name == "crate" {
                    out.push(TokenTree::Ident(name.clone()));
                } else {
                    match bindings.get(&name.to_string()) {
                        Some(Binding::One(tokens, kind)) if outside != Called::Nothing => {
                            let tokens = tokens.clone();
                            out.extend(match kind {
                                Some(kind) => marked(*kind, tokens, outside == Called::Paste),
                                None => tokens,
                            });
                        }
                        Some(Binding::One(tokens, kind)) => {
                            let tokens = transparent(tokens.clone());
                            let tokens = if is_negative(&tokens) {
                                // What follows may come from another fragment.
                                let number = Group::new(Delimiter::None, tokens);
                                TokenTree::from(number).into()
                            } else {
                                tokens
                            };
                            let cast = is_ident(out.last(), "as");
                            // As text, what follows would be the parameters of the type. Those of a name they are.
                            if cast && kind.is_some() && is_punct(trees.get(at + 2), '<') {
                                let inner = Group::new(Delimiter::Parenthesis, tokens);
                                out.push(TokenTree::Group(inner));
                            } else if let Some(block) =
                                argument_block(&tokens, out.last(), trees.get(at + 2))
                            {
                                out.push(TokenTree::Group(block));
                            } else {
                                out.extend(tokens);
                            }
                        }
                        Some(Binding::Many(_)) => return None,
                        None => {
                            // A fragment of a macro that this one defines.
                            out.push(trees[at].clone());
                            out.push(trees[at + 1].clone());
                        }
                    }
                }
                at += 2;
            }
            (TokenTree::Punct(p), Some(TokenTree::Group(group)))
                if p.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
            {
                let (separator, _, next) = repeat_tail(&trees, at + 2)?;
                let mut names = Vec::new();
                used_names(group.stream(), &mut names);
                let many: Vec<&Vec<Bindings>> = names
                    .iter()
                    .filter_map(|name| match bindings.get(name) {
                        Some(Binding::Many(rounds)) => Some(rounds),
                        _ => None,
                    })
                    .collect();
                let Some(first) = many.first() else {
                    // A repetition of a macro that this one defines.
                    if names.iter().any(|name| bindings.contains_key(name)) {
                        return None;
                    }
                    out.push(trees[at].clone());
                    out.push(trees[at + 1].clone());
                    out.extend(separator);
                    out.push(trees[next - 1].clone());
                    at = next;
                    continue;
                };
                let count = first.len();
                if many.iter().any(|rounds| rounds.len() != count) {
                    return None;
                }
                for round in 0..count {
                    if round > 0 {
                        out.extend(separator.iter().cloned());
                    }
                    // No more than it names: of calls in calls all is copied as often as there are rounds.
                    let mut inner = Bindings::new();
                    for name in &names {
                        match bindings.get(name) {
                            Some(Binding::Many(rounds)) => inner.extend(rounds[round].clone()),
                            Some(one) => _ = inner.insert(name.clone(), one.clone()),
                            None => {}
                        }
                    }
                    substitute(group.stream(), &inner, outside, out)?;
                }
                at = next;
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Vec::new();
                let called = match called(&trees, at).map(ToString::to_string) {
                    Some(name) if outside == Called::Nothing => match &*name {
                        pasted::PACKAGE => Called::Paste,
                        name if INDIFFERENT.contains(&name) => Called::Nothing,
                        _ => Called::Macro,
                    },
                    _ => outside,
                };
                substitute(group.stream(), bindings, called, &mut inner)?;
                out.push(with_inside(group, inner.into_iter().collect()).into());
                at += 1;
            }
            (tree, _) => {
                out.push(tree.clone());
                at += 1;
            }
        }
    }
    Some(())
}

/// The block that an expression is, without its parentheses, between what stands around an argument: types take none there.
fn argument_block(
    tokens: &TokenStream,
    before: Option<&TokenTree>,
    behind: Option<&TokenTree>,
) -> Option<Group> {
    let is_alone = (is_punct(before, ',') || is_punct(before, '<'))
        && (is_punct(behind, ',') || is_punct(behind, '>'));
    let only = |tokens: TokenStream, delimiter: Delimiter| {
        let mut trees = tokens.into_iter();
        match (trees.next()?, trees.next()) {
            (TokenTree::Group(group), None) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    };
    let inside = only(tokens.clone(), Delimiter::Parenthesis).filter(|_| is_alone)?;
    only(inside.stream(), Delimiter::Brace)
}

/// The tokens behind an `#[allow(…)]` and the like in front of an expression, which parentheses must not stand around.
fn without_lint_attribute(tokens: &TokenStream) -> Option<TokenStream> {
    let mut trees = tokens.clone().into_iter();
    let hash = trees.next();
    let Some(TokenTree::Group(group)) = trees.next() else {
        return None;
    };
    let lint = group.stream().into_iter().next()?.to_string();
    let is_lint = ["allow", "warn", "deny", "expect"].contains(&lint.as_str());
    (is_punct(hash.as_ref(), '#') && is_lint).then(|| trees.collect())
}

fn used_names(stream: TokenStream, names: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => used_names(group.stream(), names),
            TokenTree::Ident(ident) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                names.push(ident.to_string());
            }
            _ => {}
        }
    }
}

/// What is written for one of the conditions of `cfg_if!` or `cfg_select!`, the last perhaps without one.
pub struct Branch {
    pub condition: Option<Meta>,
    /// A block, or the expression that may stand for one in `cfg_select!`.
    pub body: TokenStream,
}

impl Branch {
    /// What is between the braces of a block.
    pub fn block(&self) -> Option<Group> {
        let mut trees = self.body.clone().into_iter();
        match (trees.next()?, trees.next()) {
            (TokenTree::Group(group), None) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        }
    }
}

/// Whether a macro is one that takes one of several blocks by their cfgs.
pub fn is_choice(name: &str) -> bool {
    ["cfg_if", "cfg_select"].contains(&name)
}

/// The branches of `cfg_if! { if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … } }` or of
/// `cfg_select! { a => { … } b => { … } _ => { … } }`.
pub fn branches(body: TokenStream) -> Option<Vec<Branch>> {
    let of_if = body.clone().into_iter().next();
    if is_ident(of_if.as_ref(), "if") {
        return branches_of_if(body);
    }
    let parse = |input: ParseStream| {
        let mut found = Vec::new();
        while !input.is_empty() {
            let condition = match input.parse::<Option<syn::Token![_]>>()? {
                Some(_) => None,
                None => Some(input.parse()?),
            };
            input.parse::<syn::Token![=>]>()?;
            let body = if input.peek(syn::token::Brace) {
                input.parse::<TokenTree>()?.into()
            } else {
                input.parse::<syn::Expr>()?.into_token_stream()
            };
            input.parse::<Option<syn::Token![,]>>()?;
            found.push(Branch { condition, body });
        }
        Ok(found)
    };
    parse.parse2(body).ok()
}

fn branches_of_if(body: TokenStream) -> Option<Vec<Branch>> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut rest = &trees[..];
    let mut found = Vec::new();
    let branch = |condition: Option<Meta>, block: &Group| Branch {
        condition,
        body: TokenTree::from(block.clone()).into(),
    };
    loop {
        rest = match rest {
            [] => return Some(found),
            [TokenTree::Group(last)] => {
                found.push(branch(None, last));
                return Some(found);
            }
            [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Group(cfg), TokenTree::Group(block), rest @ ..]
                if word == "if" =>
            {
                let cfg: MetaList = syn::parse2(cfg.stream()).ok()?;
                found.push(branch(Some(cfg.parse_args().ok()?), block));
                match rest {
                    [TokenTree::Ident(word), rest @ ..] if word == "else" => rest,
                    [] => rest,
                    _ => return None,
                }
            }
            _ => return None,
        };
    }
}

/// A `cfg_if!` or a `cfg_select!` as plain items under plain cfgs.
pub fn chosen_items(body: TokenStream) -> Option<String> {
    let mut out = String::new();
    let mut before: Vec<String> = Vec::new();
    for branch in branches(body)? {
        let condition = &branch.condition;
        let condition = condition
            .as_ref()
            .map(|cfg| cfg.to_token_stream().to_string());
        let nots = before.iter().map(|earlier| format!("not({earlier})"));
        let all: Vec<String> = nots.chain(condition.clone()).collect();
        let file: syn::File = syn::parse2(branch.block()?.stream()).ok()?;
        for item in file.items {
            out += &format!(
                "#[cfg(all({}))] {}\n",
                all.join(", "),
                item.to_token_stream()
            );
        }
        before.extend(condition);
    }
    Some(out)
}

/// The branch that is left of a `cfg_if!` or a `cfg_select!`, or nothing if none is; `None` if that is not known.
pub fn chosen(body: TokenStream, settle: &dyn Fn(&Meta) -> Settled) -> Option<Option<Branch>> {
    for branch in branches(body)? {
        match branch.condition.as_ref().map_or(Settled::True, settle) {
            Settled::True => return Some(Some(branch)),
            Settled::False => {}
            Settled::Open(_) => return None,
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(definition: &str, call: &str) -> Option<String> {
        let parsed = Macro::parse(definition.parse().unwrap()).unwrap();
        let text = parsed.expand(call.parse().unwrap())?.to_string();
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn lengths_of_arrays_are_counted() {
        let of = |text: &str| {
            let made = counted(text.parse().unwrap()).to_string();
            made.replace(' ', "")
        };
        assert_eq!(
            of("impl T for [u8; ((32 - 1) - 1)] {}"),
            "implTfor[u8;30]{}"
        );
        assert_eq!(of("[0u8; 2 * 3usize + 1]"), "[0u8;7]");
        for as_it_is in [
            "[u8;1-2]",
            "[u8;(N-1)]",
            "m![u8;(2-1)]",
            "(a;(2-1))",
            "[u8;4]",
            "[(2-1)]",
            "[u8;1u8+1]",
        ] {
            assert_eq!(of(as_it_is), as_it_is);
        }
        assert_eq!(of("f([[u8; (2 - 1)]; 1 + 1])"), "f([[u8;1];2])");
    }

    #[test]
    fn repetitions_nest_and_separate() {
        assert_eq!(
            expand(
                "($($n:ident: $($t:ty),+);* $(;)?) => { $(fn $n($(_: $t),+) {})* }",
                "a: u8, i8; b: u16;"
            )
            .unwrap(),
            "fn a (_ : u8 , _ : i8) { } fn b (_ : u16) { }"
        );
    }

    #[test]
    fn the_trait_of_a_path_has_its_parameters() {
        assert_eq!(
            expand(
                "($tr:ident, $t:ty) => { type A = <$t as $tr<$t>>::B; }",
                "Add, u8"
            )
            .unwrap(),
            "type A = < u8 as Add < u8 >> :: B ;"
        );
    }

    #[test]
    fn a_type_keeps_together_before_a_shift() {
        assert_eq!(
            expand(
                "($t:ty, $n:expr) => { const X: $t = 1 as $t << $n; }",
                "u8, 3"
            )
            .unwrap(),
            "const X : u8 = 1 as (u8) << 3 ;"
        );
    }

    #[test]
    fn an_expression_keeps_together() {
        assert_eq!(
            expand("($e:expr) => { const X: u8 = 2 * $e; }", "1 + 2").unwrap(),
            "const X : u8 = 2 * (1 + 2) ;"
        );
    }

    #[test]
    fn an_attribute_stands_in_front_of_no_expression() {
        assert_eq!(
            expand(
                "($e:expr) => { fn f() -> u8 { $e } }",
                "#[allow(clippy::identity_op)] { 1 + 0 }"
            )
            .unwrap(),
            "fn f () -> u8 { ({ 1 + 0 }) }"
        );
    }

    #[test]
    fn variables_of_the_template_are_not_those_of_the_call() {
        let definition =
            "($v:ident) => { fn f($v: u8) -> u8 { let i = 1; self.i + s::i + i + $v } }";
        assert_eq!(
            expand(definition, "i").unwrap(),
            "fn f (i : u8) -> u8 { let i_local = 1 ; self . i + s :: i + i_local + i }"
        );
        assert_eq!(
            expand(
                "($v:ident) => { fn f($v: u8) -> u8 { match 1 { i => i + $v } } }",
                "i"
            ),
            None
        );
        assert_eq!(
            expand("($v:ident) => { fn f(self, $v: u8) { let Self { i } = self; let s = S { i: i, j }; } }", "i").unwrap(),
            "fn f (self , i : u8) { let Self { i : i_local } = self ; let s = S { i : i_local , j } ; }"
        );
    }

    #[test]
    fn raw_names_are_names() {
        assert_eq!(
            expand(
                "($v:ident) => { fn f($v: u8) { let r#type = 7; r#type + $v } }",
                "r#type"
            )
            .unwrap(),
            "fn f (r#type : u8) { let type_local = 7 ; type_local + r#type }"
        );
        assert_eq!(
            expand("($e:expr) => { fn f() { let r#x = 7; x + $e } }", "x").unwrap(),
            "fn f () { let x_local = 7 ; x_local + x }"
        );
    }

    #[test]
    fn strings_format_variables() {
        let local = r#"($w:ident) => { fn f($w: u8) { let w = 1; format!("{:>w$}", "") } }"#;
        assert_eq!(expand(local, "w"), None);
        assert!(expand(local, "v").is_some());
        let global = r#"($w:ident) => { fn f($w: u8) { format!("{w}") } }"#;
        assert_eq!(expand(global, "w"), None);
        assert_eq!(
            expand(
                "($f:literal) => { fn f(n: u8) { format!($f) } }",
                "\"<{n:?}>\""
            )
            .unwrap(),
            "fn f (n_local : u8) { format ! (\"<{n:?}>\") }"
        );
    }

    #[test]
    fn variables_may_have_any_script() {
        assert_eq!(
            expand("($e:expr) => { fn f() { let 甲 = 1; 甲 + $e } }", "甲").unwrap(),
            "fn f () { let 甲_local = 1 ; 甲_local + 甲 }"
        );
        for body in [
            "let N = 7; N + $e",
            "let (a, mut N): (u8, u8) = g(); N + $e",
            "for (N, _) in g() { h(N + $e) }",
            "match g() { Some(N) => N + $e, _ => 1 }",
            "g(|a, N| N + $e)",
        ] {
            let definition = format!("($e:expr) => {{ fn f() {{ {body} }} }}");
            assert_eq!(expand(&definition, "N"), None, "{body}");
        }
        let parameter = "($e:expr) => { fn f(N: u8) { N + $e } }";
        assert_eq!(expand(parameter, "N"), None);
        let constant = "($e:expr) => { impl<T> A<T> for N { fn f(x: N) -> N { g::<N>(N + $e) } } }";
        assert!(expand(constant, "N").is_some());
    }

    #[test]
    fn a_repetition_is_no_list_of_parameters() {
        let generic = "($($n:ident => $t:ty;)+) => { $(impl<T: 'a, O> A<T> for $n where O: B { fn f(x: $t) {} })+ }";
        assert_eq!(
            expand(generic, "N => &'a C<T, O>;").unwrap(),
            "impl < T : 'a , O > A < T > for N where O : B { fn f (x : & 'a C < T , O >) { } }"
        );
        // But it may be in one.
        let parameters = "($e:expr, $($t:ty),*) => { fn f($(N: $t),*) -> u8 { N + $e } }";
        assert_eq!(expand(parameters, "N, u8"), None);
        let parameters = "($e:expr, $($t:ty),*) => { fn f($(n: $t),*) -> u8 { n + $e } }";
        assert_eq!(
            expand(parameters, "n, u8").unwrap(),
            "fn f (n_local : u8) -> u8 { n_local + n }"
        );
        let bound = "($e:expr, $($t:ty)?) => { fn f() { let $((N, b))? = g(); N + $e } }";
        assert_eq!(expand(bound, "N, u8"), None);
    }

    #[test]
    fn a_repetition_of_fields_has_fields() {
        assert_eq!(
            expand(
                "($e:expr, $($t:ty),*) => { struct S { $(n: $t),* } fn f(n: u8) { S { $(n: n as $t),* }; n + $e } }",
                "n, u8"
            )
            .unwrap(),
            "struct S { n : u8 } fn f (n_local : u8) { S { n : n_local as u8 } ; n_local + n }"
        );
        for fields in ["$($t: n)?, b", "$(n)? $t", "a: $(n)? $t", "$(b, n)?, $t"] {
            let definition = format!(
                "($e:expr, $($t:ident)?) => {{ fn f(n: u8) {{ S {{ {fields} }}; n + $e }} }}"
            );
            let refused = expand(&definition, "n, m").is_none();
            assert_eq!(refused, !fields.contains(": n"), "{fields}");
        }
    }

    #[test]
    fn true_is_no_variable() {
        assert_eq!(
            expand("($e:expr) => { fn f() { g(true, $e) } }", "true").unwrap(),
            "fn f () { g (true , true) }"
        );
    }

    #[test]
    fn a_union_is_no_variable() {
        let union = |call| expand("($n:ident) => { union $n { a: u8 } }", call);
        assert_eq!(union("A").unwrap(), "union A { a : u8 }");
        let variable = "($e:expr) => { let union = 1; $e + union }";
        let given = expand(variable, "union").unwrap();
        assert_eq!(given, "let union_local = 1 ; union + union_local");
    }

    #[test]
    fn new_names_are_new() {
        assert_eq!(
            expand(
                "($e:expr) => { fn f() { let i = 1; i + $e } }",
                "i + i_local"
            )
            .unwrap(),
            "fn f () { let i_local_ = 1 ; i_local_ + (i + i_local) }"
        );
        assert_eq!(
            expand("($e:expr) => { fn f() { let i = i_local(); i + $e } }", "i").unwrap(),
            "fn f () { let i_local_ = i_local () ; i_local_ + i }"
        );
    }

    #[test]
    fn paths_may_be_variables() {
        let definition = "($p:path) => { fn f() { let limit = 1; limit + $p() } }";
        assert_eq!(
            expand(definition, "limit").unwrap(),
            "fn f () { let limit_local = 1 ; limit_local + limit () }"
        );
        assert_eq!(
            expand(definition, "limit::of").unwrap(),
            "fn f () { let limit = 1 ; limit + limit :: of () }"
        );
    }

    #[test]
    fn a_variable_is_compared() {
        assert_eq!(
            expand("($e:expr) => { fn f() { let i = 1; i != $e } }", "i").unwrap(),
            "fn f () { let i_local = 1 ; i_local != i }"
        );
    }

    #[test]
    fn labels_of_the_template_are_not_those_of_the_call() {
        let label = "($l:lifetime) => { fn f() { $l: loop { 'out: loop { break $l; } } } }";
        assert_eq!(expand(label, "'out"), None);
        assert!(expand(label, "'other").is_some());
        let inside = "($e:expr) => { fn f() { 'a: for i in $e { continue 'a; } } }";
        assert_eq!(expand(inside, "'a: { break 'a 3 }"), None);
        let lifetime = "($l:lifetime) => { fn f<$l, 'b: 'a>(x: &'a u8) {} }";
        assert!(expand(lifetime, "'a").is_some());
    }

    #[test]
    fn a_block_for_a_type_has_no_parentheses() {
        let definition = "($a:expr, $b:expr) => { fn f() -> A<$a, $b> { g::<$a>($a, $b * 2) } }";
        assert_eq!(
            expand(definition, "{ 1 + 2 }, 3").unwrap(),
            "fn f () -> A < { 1 + 2 } , 3 > { g :: < { 1 + 2 } > (({ 1 + 2 }) , 3 * 2) }"
        );
        // What is none where types are stays, and is read as an error.
        assert_eq!(
            expand("($a:expr) => { type B = A<$a>; }", "1 + 2").unwrap(),
            "type B = A < (1 + 2) > ;"
        );
    }

    #[test]
    fn a_number_keeps_its_sign() {
        let definition = "($l:literal) => { const X: i32 = $l.pow(2); }";
        assert_eq!(
            expand(definition, "-3i32").unwrap(),
            "const X : i32 = (- 3i32) . pow (2) ;"
        );
        assert_eq!(
            expand(definition, "3i32").unwrap(),
            "const X : i32 = 3i32 . pow (2) ;"
        );
        assert_eq!(
            expand(
                "($l:literal $($t:tt)*) => { const X: i32 = $l $($t)*; }",
                "-3 .abs()"
            )
            .unwrap(),
            "const X : i32 = (- 3) . abs () ;"
        );
        // Where parentheses would be wrong, or be seen.
        assert_eq!(
            expand(
                "($l:literal) => { fn f() { match x { $l..=3 => concat!($l), _ => g(-$l) } } }",
                "-3"
            )
            .unwrap(),
            "fn f () { match x { - 3 ..= 3 => concat ! (- 3) , _ => g (- - 3) } }"
        );
    }

    #[test]
    fn a_number_keeps_its_sign_through_other_macros() {
        let first = "($l:literal) => { const X: i32 = other!($l.pow(2), $l); }";
        let text = expand(first, "-3i32").unwrap();
        assert_eq!(
            text,
            "const X : i32 = other ! (__opaque_literal ! (- 3i32) . pow (2) , __opaque_literal ! (- 3i32)) ;"
        );
        let other = Macro::parse("($a:expr, $b:expr) => {}".parse().unwrap()).unwrap();
        assert_eq!(
            settled(&text, &|_| Some(&other)).unwrap(),
            "const X : i32 = other ! ((- 3i32) . pow (2) ,  - 3i32 ) ;"
        );
        let second = "($($t:tt)*) => { const X: i32 = $($t)*; }; ";
        assert_eq!(
            expand(second, "__opaque_literal!(-3i32).pow(2)").unwrap(),
            "const X : i32 = (- 3i32) . pow (2) ;"
        );
        assert_eq!(
            expand(
                "($e:expr) => { const X: i32 = $e; }",
                "__opaque_literal!(-3i32).pow(2)"
            )
            .unwrap(),
            "const X : i32 = ((- 3i32) . pow (2)) ;"
        );
    }

    #[test]
    fn tokens_are_matched_whole() {
        let taken = |patterns: [&str; 2], call: &str| {
            let [first, second] = patterns;
            let definition = format!("({first} $($r:tt)*) => {{ first }}; ({second} $($r:tt)*) => {{ second }}; ($($r:tt)*) => {{ neither }}");
            expand(&definition, call).unwrap()
        };
        assert_eq!(taken(["&", "&&"], "&& x"), "second");
        assert_eq!(taken(["&", "&&"], "& &x"), "first");
        assert_eq!(taken(["||", "| |"], "| | x"), "second");
        assert_eq!(taken(["||", "| |"], "||x"), "first");
        assert_eq!(taken([">", ">>"], ">>= x"), "neither");
        assert_eq!(taken(["<", "<-"], "<- x"), "second");
        assert_eq!(taken(["<", "<-"], "<'a"), "first");
        assert_eq!(taken(["..", "..="], "..=x"), "second");
        assert_eq!(taken(["&&&", "&& &"], "&&&x"), "first");
        assert_eq!(taken(["'b", "'a"], "'a"), "second");
    }

    #[test]
    fn a_fragment_may_end_within_a_token() {
        let definition =
            "($a:ident<$b:ident<$t:ty>>) => { glued }; ($a:ident<$b:ident<$t:ty> >) => { apart };";
        assert_eq!(expand(definition, "A<B<u8>>").unwrap(), "glued");
        assert_eq!(expand(definition, "A<B<C<u8>>>").unwrap(), "apart");
    }

    #[test]
    fn one_token_counts_once() {
        let definition = "($($x:tt)*) => { $([$x])* }";
        assert_eq!(
            expand(definition, "..= <- &&& ::< 'a -1 #!").unwrap(),
            "[..=] [<-] [&&] [&] [::] [<] ['a] [-] [1] [#] [!]"
        );
    }

    #[test]
    fn separators_are_whole_tokens() {
        let definition = "($($x:ident)||+; $($y:ident)+*) => { $($x)=>* $($y),* }";
        assert_eq!(expand(definition, "a || b; c d *").unwrap(), "a => b c , d");
        assert_eq!(expand(definition, "a | | b; c *"), None);
        assert_eq!(expand(definition, "a; c + d"), None);
    }

    #[test]
    fn the_first_arm_that_matches_is_taken() {
        let definition = "(@end) => { struct End; }; ($a:tt $($rest:tt)*) => { m! { $($rest)* } }";
        assert_eq!(expand(definition, "@end").unwrap(), "struct End ;");
        assert_eq!(expand(definition, "a b -> c").unwrap(), "m ! { b -> c }");
        assert_eq!(expand("(a) => {}", "b"), None);
    }

    #[test]
    fn macros_cannot_look_into_what_others_matched() {
        let text = expand("($t:ty) => { inner! { $t } vec![$t]; }", "Vec<u8>").unwrap();
        assert_eq!(
            text,
            "inner ! { __opaque_ty ! (Vec < u8 >) } vec ! [Vec < u8 >] ;"
        );
        let first = "(u8) => { fn number() {} }; ($i:ident) => { fn ident() {} }; ($t:ty) => { fn f(_: $t) {} }";
        assert_eq!(expand(first, "u8").unwrap(), "fn number () { }");
        let marked = "__opaque_ty!(u8)";
        assert_eq!(expand(first, marked).unwrap(), "fn f (_ : u8) { }");
        // For `tt` it is one, and stays what it is.
        let second = "($($x:tt)*) => { $(last! { $x })* fn f(_: $($x)*) {} }";
        assert_eq!(
            expand(second, marked).unwrap(),
            "last ! { __opaque_ty ! (u8) } fn f (_ : u8) { }"
        );
        assert_eq!(
            expand(
                "($e:expr) => { const A: u8 = $e; }",
                "1 + __opaque_expr!((2 + 3))"
            )
            .unwrap(),
            "const A : u8 = (1 + (2 + 3)) ;"
        );
        let kinds = "($a:path, $b:pat_param, $c:expr_2021, $d:tt) => { m! { $a $b $c $d } }";
        assert_eq!(
            expand(kinds, "a::A, _, 1, b").unwrap(),
            "m ! { __opaque_path ! (a :: A) __opaque_pat ! (_) __opaque_expr ! (1) b }"
        );
        // A literal may be in it.
        assert_eq!(
            expand("($l:literal) => {}; ($e:expr) => {}", "__opaque_expr!(2)"),
            None
        );
    }

    #[test]
    fn marks_of_lifetimes_and_visibilities_are_as_good_as_none() {
        let definition =
            "($l:lifetime, $v:vis, $m:meta) => { paste! { $l $v $m } inner! { $l $v $m } f!(); $l $v }";
        assert_eq!(
            expand(definition, "'a, pub, inline").unwrap(),
            "paste ! { '__opaque_lifetime_a pub (in __opaque_vis) __opaque_path ! (inline) } \
             inner ! { '__opaque_lifetime_a pub (in __opaque_vis) inline } f ! () ; 'a pub"
        );
        assert_eq!(
            expand(definition, "'r#a, pub(crate), a(b)").unwrap(),
            "paste ! { 'r#__opaque_lifetime_a pub (crate) a (b) } \
             inner ! { 'r#__opaque_lifetime_a pub (crate) a (b) } f ! () ; 'r#a pub (crate)"
        );
        let (lifetime, vis) = ("'__opaque_lifetime_a", "pub(in __opaque_vis)");
        // A literal lifetime is the same one.
        let lifetimes = "('b) => { b }; ('a) => { a }";
        assert_eq!(expand(lifetimes, lifetime).unwrap(), "a");
        // It is one token, and no word.
        let kinds =
            "(pub) => { word }; ($i:ident $($r:tt)*) => { ident }; ($t:tt) => { $t struct A; inner!($t) }";
        assert_eq!(
            expand(kinds, vis).unwrap(),
            "pub struct A ; inner ! (pub (in __opaque_vis))"
        );
        assert_eq!(
            expand(
                "($i:item) => { $i }",
                &format!("{vis} struct A<{lifetime}>;")
            )
            .unwrap(),
            "pub struct A < 'a > ;"
        );
        let label = "($l:lifetime) => { fn f() { 'a: loop { $l } } }";
        assert_eq!(expand(label, lifetime), None);
        let call = format!("unknown!({lifetime} {vis});");
        assert_eq!(settled(&call, &|_| None).unwrap(), "unknown!('a pub);");
    }

    #[test]
    fn statements_end_before_their_semicolon() {
        let rules = "($($s:stmt);* $(;)?) => { fn f() { $($s;)* } }";
        for (given, expected) in [
            (
                "let x: u8 = 1; g(x); h![];",
                "let x : u8 = 1 ; g (x) ; h ! [] ;",
            ),
            ("let x", "let x ;"),
            (
                "let Some(x) = y else { return }; x",
                "let Some (x) = y else { return } ; x ;",
            ),
            (
                "if a { b() }; fn g() {} ; #[a] let y = 2",
                "if a { b () } ; fn g () { } ; # [a] let y = 2 ;",
            ),
        ] {
            let made = expand(rules, given).unwrap();
            assert_eq!(made, format!("fn f () {{ {expected} }}"), "{given}");
        }
        assert_eq!(expand("($s:stmt) => { struct A; }", "let"), None);
    }

    #[test]
    fn calls_that_do_not_care_get_what_is_behind() {
        let parsed = |text: &str| Macro::parse(text.parse().unwrap()).unwrap();
        let one = parsed("($t:ty) => {}");
        let choosing = parsed("(u8) => {}; ($t:ty) => {}");
        let counting = parsed("($($x:tt)*) => {}");
        let known = |name: &str| match name {
            "one" | "a::one" => Some(&one),
            "choosing" => Some(&choosing),
            "counting" | "format" => Some(&counting),
            _ => None,
        };
        let settled = |call: &str| settled(&call.replace("OPAQUE", "__opaque_ty!(u8)"), &known);
        assert_eq!(settled("one!(OPAQUE);\nf()").unwrap(), "one!( u8 );\nf()");
        assert_eq!(settled("choosing!(OPAQUE);"), None);
        assert_eq!(settled("counting!(OPAQUE);"), None);
        assert_eq!(settled("unknown!(OPAQUE);"), None);
        assert_eq!(settled("a::unknown!(OPAQUE);"), None);
        assert!(settled("return a::one!(OPAQUE);").is_some());
        // Those of the standard library take expressions.
        for path in ["vec", "std::vec", "::std::vec"] {
            let call = |inside: &str| format!("{path}![1, {inside}];");
            assert!(settled(&call("OPAQUE")).is_some(), "{path}");
            assert_eq!(settled(&call("unknown!(OPAQUE)")), None, "{path}");
        }
        for other in ["format!(OPAQUE)", "a::vec![OPAQUE]", "dbg!(OPAQUE)"] {
            assert_eq!(settled(other), None, "{other}");
        }
        assert!(settled("stringify!(OPAQUE)").is_some());
        assert_eq!(settled("stringify!(a.b)"), None);
    }

    #[test]
    fn patterns_of_the_template_bind_variables() {
        let among = |rules: &str| {
            let parsed = Macro::parse(rules.parse().unwrap()).unwrap();
            let variables = ["x", "y", "f"].map(str::to_owned).into();
            let made = parsed.expand_among(TokenStream::new(), &variables)?;
            Some(made.to_string().replace(' ', ""))
        };
        for (made, expected) in [
            (
                "match a { Some(x) => x, P { y, .. } => y, z => z }",
                "matcha{Some(x_local)=>x_local,P{y:y_local,..}=>y_local,z=>z}",
            ),
            (
                "if let [x, ..] = a { x } else { 1 }",
                "iflet[x_local,..]=a{x_local}else{1}",
            ),
            ("|x: u8| x + 1", "|x_local:u8|x_local+1"),
            (
                "a.map(|(x, y)| x + y)",
                "a.map(|(x_local,y_local)|x_local+y_local)",
            ),
        ] {
            let found = among(&format!("() => {{ {made} }}"));
            assert_eq!(found.as_deref(), Some(expected), "{made}");
        }
        // It may be a function that the variable hides.
        assert_eq!(among("() => { f(1) }"), None);
    }

    #[test]
    fn attributes_of_the_template_name_no_variables() {
        assert_eq!(
            expand(
                "($($t:tt)*) => { #[cfg(not(a))] f! { $($t)* } }",
                "not(a) => { mod b; }"
            )
            .unwrap(),
            "# [cfg (not (a))] f ! { not (a) => { mod b ; } }"
        );
    }

    #[test]
    fn cfg_if_becomes_plain_cfgs() {
        let text = chosen_items(
            "if #[cfg(a)] { fn f() {} } else if #[cfg(b)] { fn f() {} } else { fn g() {} }"
                .parse()
                .unwrap(),
        )
        .unwrap();
        let text = text.split_whitespace().collect::<String>();
        assert_eq!(
            text,
            "#[cfg(all(a))]fnf(){}#[cfg(all(not(a),b))]fnf(){}#[cfg(all(not(a),not(b)))]fng(){}"
        );
    }

    /// The parts of a call of the one macro of a text.
    fn parts(definition: &str, call: &str) -> Option<Vec<String>> {
        let item: syn::ItemMacro = syn::parse_str(definition).unwrap();
        let known = Macro::parse(item.mac.tokens).unwrap();
        let parts = known.parts(call.parse().unwrap())?;
        let parts = parts.ranges.into_iter();
        Some(parts.map(|at| call[at].to_owned()).collect())
    }

    #[test]
    fn a_call_with_a_list_has_parts() {
        let comma = "macro_rules! m { ($($t:ty),+ $(,)?) => { $( impl A for $t {} )+ }; }";
        assert_eq!(
            parts(comma, "u8, &B, [u8; 2],").unwrap(),
            ["u8", "&B", "[u8; 2]"]
        );
        let none =
            "macro_rules! m { ($($t:ty => |$s:ident| $e:expr;)*) => { $( impl A for $t {} )* }; }";
        assert_eq!(
            parts(none, "u8 => |s| *s; &B => |s| s.0;").unwrap(),
            ["u8 => |s| *s;", "&B => |s| s.0;"]
        );
        let optional = "macro_rules! m { ($($t:ty)?) => { $( impl A for $t {} )* }; }";
        assert_eq!(parts(optional, "u8"), None);
        let more =
            "macro_rules! m { ($($t:ty),*) => { impl B for u8 {} $( impl A for $t {} )* }; }";
        assert_eq!(parts(more, "u8, B"), None);
        let head = "macro_rules! m { ($a:ident: $($t:ty),*) => { $( impl $a for $t {} )* }; }";
        assert_eq!(parts(head, "A: u8, B").unwrap(), ["u8", "B"]);
        let variable =
            "macro_rules! m { ($n:expr, $($t:ty),*) => { $( impl A for $t { const N: u8 = $n; } )* }; }";
        assert_eq!(parts(variable, "1 + 2, u8, B").unwrap(), ["u8", "B"]);
        let two = "macro_rules! m { ($($a:ident)*; $($t:ty),*) => { $( impl A for $t {} )* }; }";
        assert_eq!(parts(two, "A; u8, B"), None);
        // By itself, one takes another arm.
        let alone = "macro_rules! m { ($t:ty) => { struct S; }; ($($t:ty),*) => { $( impl A for $t {} )* }; }";
        assert_eq!(parts(alone, "u8, B"), None);
    }
}
