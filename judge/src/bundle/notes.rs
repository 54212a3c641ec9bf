//! What the user's own code sees that may not be what it sees in the program: its macros the paths of crates, and what the editions
//! take for an expression or for what an older macro makes; and the names of crates and modules. The compiler says nothing about these.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, ItemEnum, ItemStruct, Path, Token};

use super::editions::capturing;
use super::editions::older::Change;
use super::emit;
use super::text::index::Index;
use super::text::source;
use super::text::tokens::{has_word, is_ident, is_punct};

mod constants;
mod heaps;
pub(super) mod since;
mod typed;

/// A name that edition 2024 has taken away.
const GEN: &str = "r#gen";

/// Somebody's code as it was.
#[derive(Default)]
pub struct Sources {
    /// All files.
    pub all: Vec<String>,
    /// Those of edition 2024: of a macro a rule may be gone that is never come to.
    pub newer: Vec<String>,
    /// Macros that make something which means something else in edition 2021, and what that is, as the compiler says of the crate that
    /// defines them.
    pub changing: BTreeSet<(String, Change)>,
}

/// What somebody should know whose code is in the ranges of `text` for which `is_own`, and of an edition before 2021 where `is_older`.
/// `crates` are the modules that were crates, and `is_needed` tells whether the text compiles only with what is in a range.
pub fn notes(
    text: &str,
    crates: &BTreeSet<String>,
    is_own: &dyn Fn(usize) -> bool,
    is_older: &dyn Fn(usize) -> bool,
    sources: &Sources,
    is_needed: &dyn Fn(Range<usize>) -> bool,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let tokens = |text: &str| {
        let stream: TokenStream = text.parse().unwrap_or_default();
        stream.to_string()
    };
    let before = OnceCell::new();
    let was_there = |code: &str| {
        let all = before.get_or_init(|| sources.all.iter().map(|text| tokens(text)).collect());
        let all: &Vec<String> = all;
        all.iter().any(|text| text.contains(&tokens(code)))
    };
    let index = OnceCell::new();
    // Of those that had several some may be gone.
    let were_parts_there = |arguments: &Range<usize>| {
        let index: &Option<Index> = index.get_or_init(|| Index::new(text).ok());
        let parts = index.iter().flat_map(|index| index.parts_in(arguments));
        let parts: Vec<&str> = parts.collect();
        !parts.is_empty() && parts.into_iter().all(was_there)
    };
    let of_code = emit::made_strings_of_code(text);
    for call in emit::made_strings(text) {
        let is_own_code = is_own(call.start) && of_code.contains(&call);
        let shown = &text[call.clone()];
        let name = text[..call.start].trim_end_matches(|c: char| c == '!' || c.is_whitespace());
        let name = &name[name.rfind(|c| !source::is_word(c)).map_or(0, |at| at + 1)..];
        let paths = shown.split("crate::").skip(1);
        let mut modules = paths.filter_map(|rest| source::words(rest).next());
        if let Some(module) = modules.find(|module| is_own_code && crates.contains(*module)) {
            found.push(format!(
                "`{name}!` makes a string of `crate::{module}::…`, which the program writes without `{module}::` or `crate::`: the strings differ"
            ));
        }
        // Code of 2024 says so itself.
        let code = shown.get(1..shown.len().saturating_sub(1)).unwrap_or(shown);
        let is_new = shown.contains(GEN) && !sources.all.iter().any(|text| text.contains(GEN));
        // A name that is put together says what it is, in the file as it does in the program.
        let is_pasted = || {
            let is_name = code.trim().chars().all(source::is_word);
            is_name && sources.all.iter().any(|text| text.contains("[<"))
        };
        let is_changed = || !was_there(code) && !were_parts_there(&call) && !is_pasted();
        if is_own_code && !is_new && found.is_empty() && is_changed() {
            found.push(format!(
                "`{name}!` makes a string of code that the file writes otherwise: the strings differ"
            ));
        }
        if is_new && is_own(call.start) {
            found.push(format!(
                "`{name}!` makes a string of `gen`, a keyword since edition 2024 that the file writes `{GEN}`: the strings differ"
            ));
        }
    }
    let mut left = BTreeSet::new();
    let mut older: BTreeMap<BTreeSet<Change>, Vec<String>> = BTreeMap::new();
    let stream: TokenStream = text.parse().unwrap_or_default();
    source::macro_definitions(stream.clone(), &mut |name, body| {
        let start = name.span().byte_range().start;
        if !is_own(start) {
            return;
        }
        let name = name.to_string();
        if is_older(start) {
            let told = sources.changing.iter().filter(|(of, _)| *of == name);
            let mut found: BTreeSet<Change> = told.map(|(_, change)| *change).collect();
            // What others call is known only when they do, and then the compiler says nothing.
            if text.contains(&format!("use {name};")) {
                changes(body.stream(), &mut found);
            }
            if !found.is_empty() {
                older.entry(found).or_default().push(format!("`{name}!`"));
            }
        }
        left.insert(name);
    });
    found.extend(older.into_iter().map(|(changes, names)| {
        let before: Vec<&str> = changes.into_iter().map(Change::before).collect();
        format!(
            "{}: before edition 2021 {}: in the file what this makes may do something else",
            names.join(", "),
            before.join(", and ")
        )
    }));
    let newer = sources.newer.iter().filter_map(|text| text.parse().ok());
    for stream in [stream].into_iter().chain(newer) {
        source::macro_definitions(stream, &mut |name, body| {
            let rules = body.stream();
            // One tells the editions apart, so that they do the same.
            let is_left = left.contains(&name.to_string()) && !capturing::are_rules(&rules);
            if let Some(token) = read_otherwise(rules).filter(|_| is_left) {
                found.push(format!(
                    "edition 2024 takes `{token}` for an `:expr` of `{name}!`, and edition 2021 goes on to the rule for it: \
                     the file may do something else in the edition that is not the program's, unless that rule comes first"
                ));
            }
        });
    }
    let mut idle = Vec::new();
    let caught = ["downcast", "downcast_mut", "downcast_ref", "set_hook"];
    let is_caught = source::words(text).any(|word| caught.contains(&word));
    let apart: Vec<&str> = match is_caught {
        true => NEVER.to_vec(),
        false => [&NEVER[..], &TO_STDERR[..]].concat(),
    };
    let apart: Vec<&str> = apart
        .into_iter()
        .filter(|name| !left.contains(*name))
        .collect();
    find_idle(text.parse().unwrap_or_default(), &apart, &mut idle);
    let is_told = |name: &str| {
        let mut places = text.match_indices(name).map(|(at, _)| at);
        places.any(|at| {
            let is_name = !text[..at].ends_with(source::is_word);
            is_name && is_own(at) && !idle.iter().any(|range| range.contains(&at))
        })
    };
    for name in ["module_path!", "type_name::", "type_name_of_val("] {
        if is_told(name) {
            let name = name.trim_end_matches([':', '(']);
            found.push(format!(
                "`{name}` gives a path that begins with the name of the crate: at the judge that is the name of the file, and behind it \
                 comes the module that a library is in the file"
            ));
        }
    }
    if text.contains(":?") || text.contains(":#?") {
        let types = types_with_phantoms(text).into_iter();
        let shown =
            types.filter(|(_, derived)| is_own(derived.start) && is_needed(derived.clone()));
        found.extend(shown.map(|(name, _)| {
            format!(
                "`{name}` shows its `PhantomData` with `{{:?}}` by the path of a type, which begins with the name of the file at the judge \
                 and the module that a crate is now"
            )
        }));
    }
    for name in ["line!", "column!", "file!", "Location::caller("] {
        if is_told(name) {
            let name = name.trim_end_matches('(');
            found.push(format!(
                "`{name}` tells where something stands, which is elsewhere in the file"
            ));
        }
    }
    let mut told = BTreeSet::new();
    found.retain(|note| told.insert(note.clone()));
    found
}

/// The types with a field of `PhantomData` that derive `Debug`, and the place of that in the derive.
fn types_with_phantoms(text: &str) -> Vec<(String, Range<usize>)> {
    #[derive(Default)]
    struct Types(Vec<(String, Range<usize>)>);
    impl Types {
        fn add(&mut self, name: &Ident, attrs: &[Attribute], fields: impl ToTokens) {
            if !has_word(fields.to_token_stream(), "PhantomData") {
                return;
            }
            for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
                let paths = attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
                let paths = paths.into_iter().flat_map(Punctuated::into_pairs);
                let is_debug = |path: &Path| {
                    path.segments
                        .last()
                        .is_some_and(|last| last.ident == "Debug")
                };
                let shown = paths.filter(|pair| is_debug(pair.value()));
                let places = shown.map(|pair| (name.to_string(), pair.span().byte_range()));
                self.0.extend(places);
            }
        }
    }
    impl<'ast> Visit<'ast> for Types {
        fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
            self.add(&item.ident, &item.attrs, &item.fields);
        }

        fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
            self.add(&item.ident, &item.attrs, &item.variants);
        }
    }
    let mut types = Types::default();
    if text.contains("PhantomData") {
        if let Ok(file) = source::parsed(text) {
            types.visit_file(&file);
        }
    }
    types.0
}

/// Macros that are called for no release.
const NEVER: [&str; 4] = [
    "compile_error",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
];

/// Macros of which a judge sees nothing, unless the program catches what they say.
const TO_STDERR: [&str; 6] = [
    "eprint",
    "eprintln",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
];

/// Where code is that a judge sees nothing of: behind `if false`, and what some macros get.
fn find_idle(tokens: TokenStream, macros: &[&str], found: &mut Vec<Range<usize>>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let is_call = source::is_macro(&trees, at);
        let is_idle = is_call && macros.iter().any(|name| is_ident(trees.get(at - 2), name))
            || at > 1 && is_ident(trees.get(at - 2), "if") && is_ident(trees.get(at - 1), "false");
        match is_idle {
            true => found.push(group.span().byte_range()),
            false => find_idle(group.stream(), macros, found),
        }
    }
}

/// Finds what the rules of a macro make that may mean something else since edition 2021.
fn changes(rules: TokenStream, found: &mut BTreeSet<Change>) {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    let is_one_of = |at: usize, names: [&str; 2]| {
        names.iter().any(|name| is_ident(trees.get(at), name)) && is_punct(trees.get(at + 1), '!')
    };
    for at in 0..trees.len() {
        if let TokenTree::Group(group) = &trees[at] {
            changes(group.stream(), found);
        }
        let others = match () {
            () if is_one_of(at, ["panic", "unreachable"]) => Some(0),
            () if is_one_of(at, ["assert", "debug_assert"]) => Some(1),
            () => None,
        };
        if let (Some(others), Some(TokenTree::Group(group))) = (others, trees.get(at + 2)) {
            found.extend(prints_as_it_is(group.stream(), others).then_some(Change::Panics));
        }
        if is_punct(trees.get(at), '.') && is_ident(trees.get(at + 1), "into_iter") {
            found.insert(Change::Arrays);
        }
        if is_ident(trees.get(at), "move") && is_punct(trees.get(at + 1), '|') {
            found.insert(Change::Closures);
        }
    }
}

/// Whether what a macro panics with, after some other arguments, may be a single one that is no format, or a text with braces.
fn prints_as_it_is(arguments: TokenStream, others: usize) -> bool {
    let trees: Vec<TokenTree> = arguments.into_iter().collect();
    let mut arguments = trees.split(|tree| is_punct(tree, ',')).skip(others);
    match (arguments.next(), arguments.next()) {
        (Some([TokenTree::Literal(text)]), None) => text.to_string().contains(['{', '}']),
        (Some([TokenTree::Punct(dollar), ..]), None) => dollar.as_char() == '$',
        _ => false,
    }
}

/// The token that is an expression since edition 2024, where an earlier rule of a macro takes one and a later has that token.
fn read_otherwise(body: TokenStream) -> Option<&'static str> {
    let mut rules: Vec<Vec<String>> = Vec::new();
    let mut is_matcher = true;
    for tree in body {
        match tree {
            TokenTree::Group(group) if is_matcher => {
                let mut rule = Vec::new();
                flat(group.stream(), &mut rule);
                rules.push(rule);
                is_matcher = false;
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => is_matcher = true,
            _ => {}
        }
    }
    let pairs = rules.iter().enumerate();
    let mut pairs =
        pairs.flat_map(|(at, rule)| rules[at + 1..].iter().map(move |later| (rule, later)));
    pairs.find_map(|(rule, later)| {
        let same = rule.iter().zip(later).take_while(|(a, b)| a == b).count();
        let token = later
            .get(same)
            .filter(|_| rule.get(same).is_some_and(|part| part == ":expr"))?;
        ["_", "const"].into_iter().find(|newer| token == newer)
    })
}

/// The parts of a matcher: tokens and kinds of fragments. What may be repeated is there once.
fn flat(matcher: TokenStream, out: &mut Vec<String>) {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        let is_dollar = is_punct(&trees[at], '$');
        match &trees[at..] {
            [_, TokenTree::Group(group), ..] if is_dollar => {
                flat(group.stream(), out);
                at += 1;
            }
            [_, TokenTree::Ident(_), TokenTree::Punct(_), TokenTree::Ident(kind), ..]
                if is_dollar =>
            {
                out.push(format!(":{kind}"));
                at += 3;
            }
            [TokenTree::Group(group), ..] => {
                out.push(format!("{:?}", group.delimiter()));
                flat(group.stream(), out);
                out.push(String::new());
            }
            [tree, ..] => out.push(tree.to_string()),
            [] => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn told(text: &str) -> Vec<String> {
        let crates = BTreeSet::from(["geom".to_owned()]);
        found_in(text, &crates, &|_| true, &|_| true, &same(text))
    }

    fn found_in(
        text: &str,
        crates: &BTreeSet<String>,
        is_own: &dyn Fn(usize) -> bool,
        is_older: &dyn Fn(usize) -> bool,
        sources: &Sources,
    ) -> Vec<String> {
        notes(text, crates, is_own, is_older, sources, &|_| true)
    }

    fn same(text: &str) -> Sources {
        Sources {
            all: vec![text.to_owned()],
            ..Sources::default()
        }
    }

    #[test]
    fn strings_of_paths_that_the_file_writes_otherwise_are_told_once() {
        let text = "macro_rules! show { ($e:expr) => { stringify!($e) } } fn f() { show!(crate::geom::f()); show!([crate::geom::g()]); }";
        let found = told(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("`show!` makes a string of `crate::geom::…`"));
        assert!(told(&text.replace("geom", "own")).is_empty());
        assert!(told(&text.replace("stringify", "dbg")).is_empty());
        // Of what is beside a name there is no string.
        let named = "macro_rules! game { ($n:ident = $e:expr) => { mod $n { const N: &str = stringify!($n); fn f() -> u8 { $e } } } } \
                     game!(a = crate::geom::f());";
        assert!(told(named).is_empty());
        assert_eq!(told(&named.replace("$n:ident", "$n:tt")).len(), 1);
        assert_eq!(told(&named.replace("ify!($n)", "ify!($n = $e)")).len(), 1);
        let crates = BTreeSet::from(["geom".to_owned()]);
        assert!(found_in(text, &crates, &|_| false, &|_| true, &same(text)).is_empty());
    }

    #[test]
    fn a_part_that_is_gone_changes_no_string_of_another() {
        let text = "trait Named {} macro_rules! named { ($($t:ty),*) => { $( #[doc = stringify!($t)] impl Named for $t {} )* } } \
                    named!(u8, [u16; 1 + 1], u32);";
        let all = |_: usize| true;
        let told = |left: &str| {
            let left = text.replace("u8, [u16; 1 + 1], u32", left);
            found_in(&left, &BTreeSet::new(), &all, &all, &same(text))
        };
        for left in ["u8, u32", "u32, [u16; 1 + 1]", "u8"] {
            assert_eq!(told(left), [""; 0], "{left}");
        }
        assert_eq!(told("u8, [u16; 2]").len(), 1);
    }

    #[test]
    fn strings_in_errors_are_not_told() {
        let text = "macro_rules! m { ($e:expr) => { $e }; ($($t:tt)*) => { compile_error!(concat!(\"no: \", stringify!($($t)*))) } } \
                    fn f() { m!(crate::geom::f()); }";
        assert_eq!(told(text), [""; 0]);
    }

    #[test]
    fn strings_of_code_that_is_written_otherwise_are_told() {
        let text = |code: &str| {
            format!("macro_rules! show {{ ($e:expr) => {{ print!(\"{{}} {{}}\", stringify!($e), $e) }} }} fn f() {{ show!({code}); }}")
        };
        // What a macro made of the call of another is in the code that was.
        let names =
            "macro_rules! show { ($a:ident) => { print!(stringify!($a)) } } fn f() { show!(a); }";
        let now = names.replace("show!(a)", "print!(stringify!(a))");
        assert!(found_in(&now, &BTreeSet::new(), &|_| true, &|_| true, &same(names)).is_empty());
        let before = same(&text("if let 1 = a && b { 1 } else { 2 }"));
        let now = text("'matched: { if let 1 = a { if b { break 'matched 1; } } 2 }");
        let found = found_in(&now, &BTreeSet::new(), &|_| true, &|_| true, &before);
        assert!(
            found[0].starts_with("`show!` makes a string of code"),
            "{found:?}"
        );
        let laid_out = now.replace(' ', "  ");
        assert!(found_in(
            &laid_out,
            &BTreeSet::new(),
            &|_| true,
            &|_| true,
            &same(&now)
        )
        .is_empty());
        // What it puts together is one name.
        let now = "fn f() { print!(\"{} {}\", stringify!(ab), stringify!(c + d)) }";
        let pasted =
            "paste! { fn f() { print!(\"{} {}\", stringify!([<a b>]), stringify!(c + d)) } }";
        let told = |before: &str| {
            let before = same(before);
            found_in(now, &BTreeSet::new(), &|_| true, &|_| true, &before).len()
        };
        assert_eq!(told(pasted), 0);
        assert_eq!(told(&pasted.replace("c + d", "[<c d>]")), 1);
        assert_eq!(told(&pasted.replace("[<a b>]", "a")), 1);
    }

    #[test]
    fn places_in_the_file_are_told() {
        let told = |code: &str| told(&format!("fn f() {{ print!(\"{{}}\", {code}) }}")).len();
        assert_eq!(told("line!()"), 1);
        assert_eq!(told("std::panic::Location::caller()"), 1);
        assert_eq!(told("my_line!()"), 0);
        let found = super::tests::told("fn f() { if 1 < 2 { print!(\"{}\", line!()) } }");
        assert!(found[0].starts_with("`line!` tells where"), "{found:?}");
    }

    #[test]
    fn places_of_code_that_never_runs_are_not_told() {
        for code in [
            "debug_assert!(a, \"{}\", line!());",
            "if false { g(file!()); } else { h() }",
            "macro_rules! m { (0) => { compile_error!(concat!(file!(), \":\", column!())) } }",
        ] {
            assert_eq!(told(&format!("fn f() {{ {code} }}")), [""; 0]);
        }
    }

    #[test]
    fn strings_of_new_keywords_are_told() {
        let text = "macro_rules! show { ($e:expr) => { stringify!($e) } } fn f(r#gen: u8) { show!(r#gen + 1); }";
        let before = same(&text.replace("r#", ""));
        let found = found_in(text, &BTreeSet::new(), &|_| true, &|_| true, &before);
        assert!(
            found[0].starts_with("`show!` makes a string of `gen`"),
            "{found:?}"
        );
        assert!(found_in(text, &BTreeSet::new(), &|_| true, &|_| true, &same(text)).is_empty());
    }

    #[test]
    fn names_of_crates_that_the_program_tells_are_told() {
        let told = |code: &str| told(&format!("fn f() {{ print!(\"{{}}\", {code}) }}")).len();
        assert_eq!(told("module_path!()"), 1);
        assert_eq!(told("std::any::type_name::<u8>()"), 1);
        assert_eq!(told("my_module_path!()"), 0);
        // What goes to stderr no judge reads.
        let failing =
            "match x { Ok(y) => y, Err(_) => panic!(\"no {}\", std::any::type_name::<T>()) }";
        assert_eq!(told(failing), 0);
        assert_eq!(
            told(&format!(
                "catch_unwind(|| {failing}).unwrap_err().downcast_ref::<String>()"
            )),
            1
        );
    }

    #[test]
    fn types_that_show_the_name_of_a_type_are_told() {
        let told = |derived: &str, fields: &str| {
            let text = format!("mod geom {{ #[derive(Clone, {derived})] pub struct A<T>({fields}); }} fn f() {{ print!(\"{{:?}}\", x) }}");
            told(&text).len()
        };
        assert_eq!(told("Debug", "u8, std::marker::PhantomData<fn() -> T>"), 1);
        assert_eq!(told("Copy", "u8, std::marker::PhantomData<T>"), 0);
        assert_eq!(told("Debug", "u8, Vec<T>"), 0);
    }

    #[test]
    fn types_that_nobody_shows_are_not_told() {
        let text = "#[derive(Clone, Debug)] struct A(PhantomData<u8>); #[derive(std::fmt::Debug, Copy,)] enum B { C(PhantomData<u8>) } \
                    fn f() { print!(\"{:?}\", x) }";
        let asked = RefCell::new(Vec::new());
        let is_needed = |place: Range<usize>| {
            asked.borrow_mut().push(text[place].to_owned());
            asked.borrow().len() == 1
        };
        let found = notes(
            text,
            &BTreeSet::new(),
            &|_| true,
            &|_| true,
            &same(text),
            &is_needed,
        );
        assert_eq!(asked.into_inner(), ["Debug", "std::fmt::Debug,"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("`A` shows"), "{found:?}");
    }

    #[test]
    fn what_editions_take_for_an_expression_is_told() {
        let rules = |rules: &str| told(&format!("macro_rules! m {{ {rules} }}")).len();
        assert_eq!(rules("($e:expr) => {}; (_) => {}"), 1);
        assert_eq!(
            rules("(a $t:ty, [$($e:expr),*]) => {}; () => {}; (a $u:ty, [const $b:block]) => {};"),
            1
        );
        let whole = "macro_rules! m { ($e:expr) => {}; (_) => {} } macro_rules! n { ($e:expr) => {}; (_) => {} }";
        let text = "macro_rules! m { (_) => {} }";
        let found = found_in(
            text,
            &BTreeSet::new(),
            &|_| true,
            &|_| false,
            &Sources {
                newer: vec![whole.to_owned()],
                ..Sources::default()
            },
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(rules("(_) => {}; ($e:expr) => {}"), 0);
        assert_eq!(rules("($e:expr_2021) => {}; (_) => {}"), 0);
        assert_eq!(
            rules("(a $e:expr) => {}; (b _) => {}; ($e:expr) => { _ }"),
            0
        );
    }

    #[test]
    fn what_macros_of_older_editions_make_is_told() {
        let notes_of = |rules: &str, after: &str, changing: &[Change], is_older: bool| {
            let text = format!("macro_rules! m {{ {rules} }} {after}");
            let changing = changing.iter().map(|&change| ("m".to_owned(), change));
            let sources = Sources {
                changing: changing.collect(),
                ..Sources::default()
            };
            found_in(&text, &BTreeSet::new(), &|_| true, &|_| is_older, &sources)
        };
        let of = |rules: &str, after: &str, changing: &[Change], is_older: bool| {
            notes_of(rules, after, changing, is_older).len()
        };
        let exported = |rules: &str| of(rules, "pub(crate) use m;", &[], true);
        let array = "($a:expr) => { for x in $a.into_iter() { f(x) } }";
        assert_eq!(exported(array), 1);
        assert_eq!(of(array, "pub(crate) use m;", &[], false), 0);
        // The compiler has said what of it changes, and it is nothing.
        assert_eq!(of(array, "", &[], true), 0);
        assert_eq!(of(array, "", &[Change::Arrays], true), 1);
        let both = notes_of(array, "use m;", &[Change::Prelude], true);
        let reasons = [Change::Arrays, Change::Prelude].map(Change::before);
        assert!(both[0].contains(&reasons.join(", and ")), "{both:?}");
        assert!(!both[0].contains(Change::Panics.before()));
        assert_eq!(exported("($a:expr) => { IntoIterator::into_iter($a) }"), 0);
        assert_eq!(exported("($a:expr) => { move |x| $a.0 + x }"), 1);
        assert_eq!(exported("($($a:tt)*) => { panic!($($a)*) }"), 1);
        assert_eq!(exported("() => { assert!(f(), \"{}\") }"), 1);
        assert_eq!(exported("($a:expr) => { assert!($a) }"), 0);
        assert_eq!(
            exported("($a:expr) => { panic!(\"none\"); panic!(\"{}\", 1) }"),
            0
        );
    }
}
