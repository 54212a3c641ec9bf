//! Expands `macro_rules!` calls that stand where items stand, so that the compiler can judge each item.
//!
//! Names of items are not hygienic, so the expansion is plain text, with each matched expression in parentheses. Where anything is
//! unclear the answer is `None`: the call then stays as it is, and the compiler expands it.
//!
//! A macro that gets a type, an expression or the like from another macro cannot look into it. So where an expansion calls a macro, these
//! stand behind [`marks`] until that call is expanded, or found not to care (see [`settled`]).

mod counted;
mod hygiene;
mod matching;
mod substitute;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::slice;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};

pub use counted::counted;
pub use matching::glued;

use super::marks::{self, has_opaque, opaque_kind, taken_apart, transparent, unmark, MARK};
use crate::bundle::text::source::Edits;
use crate::bundle::text::tokens::{is_ident, is_punct};
use hygiene::{hygienic, Names};
use matching::{fragment_names, match_sequence, matched, next_is, patterns};
use substitute::{substituted, used_names};

/// A parsed `macro_rules!`.
pub struct Macro {
    arms: Vec<(Vec<Pattern>, TokenStream)>,
}

/// A list in a call.
pub struct List {
    /// Where each of its parts is in the text.
    pub parts: Vec<Range<usize>>,
    /// Whether there is something between them that is in none.
    pub are_separated: bool,
    /// Where that begins which stands behind it in the call, if anything does.
    pub end: Option<usize>,
}

/// The macros that define statics, each for itself: that of `std`, and one of a crate that takes them one after another by calling itself.
const OF_STATICS: [&str; 2] = ["lazy_static", "thread_local"];

/// The statics in a call of a macro for such.
pub fn statics(mac: &syn::Macro) -> Option<List> {
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
    Some(List {
        parts: statics.map(range).collect::<Option<_>>()?,
        are_separated: false,
        end: None,
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

    /// Whether it is no more than a last separator.
    fn is_end(&self) -> bool {
        matches!(self, Self::Repeat(inner, _, '?' | '*') if matches!(inner[..], [Self::Token(_)]))
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
        let given = Names::given(lhs, &bindings, variables);
        let rhs = hygienic(rhs.clone(), &given, call)?;
        substituted(rhs, &bindings)
    }

    /// The expansion of a call, in which a variable of the one may look like one of the other.
    pub fn outline(&self, call: TokenStream) -> Option<TokenStream> {
        let (arm, bindings) = self.arm(call)?;
        substituted(self.arms[arm].1.clone(), &bindings)
    }

    /// The lists in a call, if it makes what calls with one of their parts each, and all that is in no list, would make.
    pub fn lists(&self, call: TokenStream) -> Option<Vec<List>> {
        let (arm, _) = self.arm(call.clone())?;
        let (lhs, rhs) = &self.arms[arm];
        let is_list = |at: &usize| matches!(lhs[*at], Pattern::Repeat(..)) && !lhs[*at].is_end();
        let places: Vec<usize> = (0..lhs.len()).filter(is_list).collect();
        let lists: Vec<&Pattern> = places.iter().map(|&at| &lhs[at]).collect();
        let has_several = lists.len() > 1;
        let may_go = |list: &&Pattern| match list {
            // Where all of it goes, that is no rule for what is left.
            Pattern::Repeat(_, _, '+') => !has_several,
            list => !list.is_optional(),
        };
        if !lists.iter().all(may_go) || !is_made_by_each(rhs, &lists) {
            return None;
        }
        let parse = |input: ParseStream| {
            let unclear = Cell::new(false);
            let read = |patterns: &[Pattern]| {
                taken(input, |input| {
                    match_sequence(patterns, input, &mut Bindings::new(), &unclear)
                })
            };
            let head = read(&lhs[..places[0]])?;
            let mut found = Vec::new();
            let ends = places.iter().skip(1).copied().chain([lhs.len()]);
            for (&at, end) in places.iter().zip(ends) {
                let behind = &lhs[at + 1..end];
                let parts = parts_of(&lhs[at], behind.first(), input, &unclear);
                let separators = behind.iter().take_while(|pattern| pattern.is_end());
                let (separators, behind) = behind.split_at(separators.count());
                read(separators)?;
                let next = input.cursor().token_stream().into_iter().next();
                let end = next.map(|tree| tree.span().byte_range().start);
                found.push((parts, end, read(behind)?));
            }
            input.parse::<TokenStream>()?;
            Ok((head, found))
        };
        let (head, found) = parse.parse2(glued(call)).ok()?;
        // Another arm may be for one of them, or for one alone.
        let is_same = |list: usize, part: &[TokenTree]| {
            let mut alone = head.clone();
            for (at, (_, _, behind)) in found.iter().enumerate() {
                alone.extend_from_slice(if at == list { part } else { &[] });
                alone.extend_from_slice(behind);
            }
            let found = self.arm(alone.into_iter().collect());
            found.is_some_and(|(found, _)| found == arm)
        };
        let mut all = found.iter().enumerate();
        if !all.all(|(at, (parts, ..))| parts.iter().all(|part| is_same(at, part))) {
            return None;
        }
        let range = |part: &Vec<TokenTree>| {
            let start = part.first()?.span().byte_range().start;
            Some(start..part.last()?.span().byte_range().end)
        };
        let list = |((parts, end, _), list): (&(Vec<_>, _, _), &&Pattern)| {
            Some(List {
                parts: parts.iter().map(range).collect::<Option<_>>()?,
                are_separated: matches!(list, Pattern::Repeat(_, separator, _) if !separator.is_empty()),
                end: *end,
            })
        };
        found.iter().zip(&lists).map(list).collect()
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

/// Whether a rule makes nothing but something for each part of its lists, and of none nothing.
fn is_made_by_each(made: &TokenStream, lists: &[&Pattern]) -> bool {
    let names = lists.iter().map(|list| {
        let mut names = Vec::new();
        fragment_names(slice::from_ref(*list), &mut names);
        names
    });
    let names: Vec<Vec<String>> = names.collect();
    let trees: Vec<TokenTree> = made.clone().into_iter().collect();
    let mut used = BTreeSet::new();
    for repeated in trees.chunks(3) {
        let [dollar, TokenTree::Group(group), times] = repeated else {
            return false;
        };
        let is_repeated = is_punct(dollar, '$')
            && group.delimiter() == Delimiter::Parenthesis
            && (is_punct(times, '*') || is_punct(times, '+'));
        let is_of = |list: &usize, of: &[String]| of.iter().any(|name| names[*list].contains(name));
        let mut of = Vec::new();
        used_names(group.stream(), &mut of);
        let mut of = (0..lists.len()).filter(|list| is_of(list, &of));
        let (Some(list), None, true) = (of.next(), of.next(), is_repeated) else {
            return false;
        };
        used.insert(list);
    }
    !used.is_empty() && used.len() == lists.len()
}

/// What of some input is read so.
fn taken(
    input: ParseStream,
    read: impl FnOnce(ParseStream) -> syn::Result<()>,
) -> syn::Result<Vec<TokenTree>> {
    let tokens = || input.cursor().token_stream().into_iter();
    let before: Vec<TokenTree> = tokens().collect();
    read(input)?;
    let length = before.len() - tokens().count();
    Ok(before.into_iter().take(length).collect())
}

/// What of some input is in the rounds of a repetition, which something may stand behind.
fn parts_of(
    list: &Pattern,
    behind: Option<&Pattern>,
    input: ParseStream,
    unclear: &Cell<bool>,
) -> Vec<Vec<TokenTree>> {
    let mut parts = Vec::new();
    let Pattern::Repeat(inner, separator, _) = list else {
        return parts;
    };
    loop {
        let fork = input.fork();
        if !parts.is_empty() && !separator.is_empty() && !next_is(separator, &fork) {
            break;
        }
        // It may look like another round.
        let may_be = separator.is_empty() && !matches!(inner.first(), Some(Pattern::Token(_)));
        let is_behind =
            || matches!(behind, Some(Pattern::Token(next)) if next_is(next, &fork.fork()));
        if fork.is_empty() || may_be && is_behind() {
            break;
        }
        let Ok(part) = taken(&fork, |input| {
            match_sequence(inner, input, &mut Bindings::new(), unclear)
        }) else {
            break;
        };
        parts.push(part);
        input.advance_to(&fork);
    }
    parts
}

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
                Some(name) if name == "stringify" => is_word(inside),
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

/// Whether there is no more than one token, also in fragments.
fn is_word(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    match &trees[..] {
        [] => true,
        [tree] => !matches!(tree, TokenTree::Group(_)),
        [_, _, _] if opaque_kind(&trees, 0).is_some() => is_word(taken_apart(&trees)),
        _ => false,
    }
}

/// Words that are no names.
pub const KEYWORDS: [&str; 32] = [
    "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "pub", "return",
    "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What a call of a macro becomes, with a blank between all tokens.
    pub fn expand(definition: &str, call: &str) -> Option<String> {
        let parsed = Macro::parse(definition.parse().unwrap()).unwrap();
        let text = parsed.expand(call.parse().unwrap())?.to_string();
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
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
        assert_eq!(settled("stringify!((a))"), None);
        assert_eq!(settled("stringify!(__opaque_expr!(1+2))"), None);
        assert_eq!(
            settled("stringify!(__opaque_expr!(__opaque_expr!(1)))").as_deref(),
            Some("stringify!(  1  )")
        );
    }

    /// The parts of a call of the one macro of a text.
    fn parts(definition: &str, call: &str) -> Option<Vec<String>> {
        let item: syn::ItemMacro = syn::parse_str(definition).unwrap();
        let known = Macro::parse(item.mac.tokens).unwrap();
        let lists = known.lists(call.parse().unwrap())?;
        let parts = lists.into_iter().flat_map(|list| list.parts);
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
        let both = "macro_rules! m { ($($a:ident),* $(,)?; signed $($t:ty)* end) => { $( impl A for $a {} )* $( impl A for $t {} )* $( impl B for $a {} )* }; }";
        assert_eq!(
            parts(both, "A, B,; signed u8 &C end").unwrap(),
            ["A", "B", "u8", "&C"]
        );
        assert_eq!(parts(both, "; signed u8 end").unwrap(), ["u8"]);
        for [from, to] in [
            ["{} )* }", "{} )* fn f() {} }"],
            ["B for $a", "B<$t> for $a"],
            ["$t:ty)*", "$t:ty)+"],
        ] {
            assert_eq!(
                parts(&both.replace(from, to), "A, B; signed u8 end"),
                None,
                "{to}"
            );
        }
        // By itself, one takes another arm.
        let alone = "macro_rules! m { ($t:ty) => { struct S; }; ($($t:ty),*) => { $( impl A for $t {} )* }; }";
        assert_eq!(parts(alone, "u8, B"), None);
    }
}
