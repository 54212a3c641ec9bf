//! What each function calls, and of which types, as the type checker found it.
//!
//! The compiler makes code only for what `main` reaches, but it checks all functions. What it found it tells in its own middle language,
//! where each call is written with the impl's trait and type, however the code calls it: `a / b` is `<A as Div<B>>::div`. An error would tell
//! the same, one step in a round. It is no more than a guess about what the rest needs: where nothing is understood, the errors
//! tell.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::text::index::{Index, Kind, Sort};
use crate::bundle::text::source::{self, is_word, Lines};

/// What functions, constants and statics call, by node.
#[derive(Default)]
pub struct Calls {
    of: BTreeMap<usize, Body>,
    /// Where it is not clear whose it is, by its name: what a macro makes, above all.
    loose: BTreeMap<String, Body>,
}

/// What the compiler tells of a body.
#[derive(Default)]
pub struct Body {
    /// Paths of functions and constants.
    pub called: BTreeSet<String>,
    /// The types of its arguments and variables, as those of functions: `fn(_1: A) -> B`.
    pub types: BTreeSet<String>,
    /// What becomes an object, and as what: `Box<A>` and `Box<dyn Trait>`.
    pub objects: BTreeSet<(String, String)>,
}

impl Calls {
    /// Adds what the compiler tells of the bodies in a text that has its nodes, those which are left, where they are in the index.
    pub fn add(
        &mut self,
        index: &Index,
        lines: &Lines,
        listing: &str,
        is_left: impl Fn(usize) -> bool,
    ) {
        let mut functions = functions(index);
        for named in functions.values_mut() {
            named.retain(|&n| is_left(n));
        }
        let mut inside = None;
        let mut variables = BTreeMap::new();
        for line in listing.lines() {
            if !line.starts_with([' ', '}']) && line.ends_with('{') {
                let path = header(line);
                let node = |path| body(index, lines, &functions, path);
                let of = path.and_then(|path| node(path).or_else(|| made_in(index, lines, path)));
                let body = match of {
                    Some(n) => self.of.entry(n).or_default(),
                    None => {
                        let name = path.map_or("", last_name);
                        self.loose.entry(name.to_owned()).or_default()
                    }
                };
                let rest = path.and_then(|path| line.split_once(path));
                if let Some((_, rest)) = rest.filter(|(_, rest)| rest.starts_with('(')) {
                    let of = rest.trim_end_matches(['{', ' ']);
                    body.types.insert(format!("fn{of}"));
                }
                variables.clear();
                inside = Some(body);
            } else if let Some(body) = &mut inside {
                let line = line.trim_start();
                if let Some(variable) = line.strip_prefix("let ") {
                    let variable = variable.trim_start_matches("mut ").trim_end_matches(';');
                    variables.extend(variable.split_once(": "));
                }
                if let Some((of, object)) = made_object(line) {
                    let of = variables.get(of).map(|of| (*of).to_owned());
                    body.objects.extend(of.map(|of| (of, object.to_owned())));
                }
                body.add(line);
            }
        }
    }

    /// Adds the same calls for numbers of half the width: what the digits of large numbers are where pointers are narrow.
    pub fn add_narrower(&mut self) {
        const NARROWER: [(&str, &str); 4] = [
            ("u64", "u32"),
            ("i64", "i32"),
            ("u128", "u64"),
            ("i128", "i64"),
        ];
        let narrow = |piece: &str| {
            let word = piece.trim_end_matches(|c| !is_word(c));
            let known = NARROWER.iter().find(|(wide, _)| *wide == word);
            known.map_or(piece.to_owned(), |(wide, narrow)| {
                piece.replace(wide, narrow)
            })
        };
        for body in self.of.values_mut().chain(self.loose.values_mut()) {
            let pieces = |path: &String| -> String {
                path.split_inclusive(|c| !is_word(c)).map(narrow).collect()
            };
            let narrower: Vec<String> = body.called.iter().map(pieces).collect();
            body.called.extend(narrower);
        }
    }

    /// The body of a node, with what is in it.
    pub fn of(&self, node: usize) -> Option<&Body> {
        self.of.get(&node)
    }

    /// All of which it is not clear whose they are.
    pub fn loose(&self) -> impl Iterator<Item = &Body> {
        self.loose.values()
    }

    /// Those of them that have a name.
    pub fn loose_of(&self, name: &str) -> Option<&Body> {
        self.loose.get(name)
    }
}

impl Body {
    /// Adds what a line calls, and what it names: constants, and functions to be called later.
    fn add(&mut self, line: &str) {
        if let Some(variable) = line.strip_prefix("let ") {
            if variable.contains('<') {
                let variable = variable.trim_start_matches("mut ").trim_end_matches(';');
                self.types.insert(format!("fn({variable})"));
            }
            return;
        }
        if line.starts_with("debug ") {
            return;
        }
        if let Some((_, value)) = line.split_once(" = ") {
            self.add_path(value);
        }
        for (at, word) in line.match_indices("const ") {
            self.add_path(&line[at + word.len()..]);
        }
        // What a function is to call is part of its type: `map::<fn(A) -> B {path}>`.
        for part in line.split('{').skip(1) {
            let inside = part.split('}').next().unwrap_or_default();
            if inside.contains("::") && !inside.contains('@') {
                self.add_path(inside);
            }
        }
    }

    /// Adds the path that a text begins with, if there is one.
    fn add_path(&mut self, text: &str) {
        if !text.starts_with(|c: char| c == '<' || c == '_' || c.is_alphabetic()) {
            return;
        }
        let mut places = text.char_indices().zip(depths(text));
        let end = places.find(|((_, c), depth)| *depth == 0 && "(), ;".contains(*c));
        let (path, rest) = text.split_at(end.map_or(text.len(), |((at, _), _)| at));
        if rest.starts_with(' ') && !rest.starts_with(" as ") {
            return;
        }
        let is_called = rest.starts_with('(');
        if (is_called || path.contains("::")) && !self.called.contains(path) {
            self.called.insert(path.to_owned());
        }
    }
}

/// The variable that becomes an object in a line, and as what: `_1 = move _2 as Box<dyn Trait> (PointerCoercion(Unsize, Implicit));`. What
/// is shown becomes one as well, where nobody may want to see it: of that the fields of types tell.
fn made_object(line: &str) -> Option<(&str, &str)> {
    let (value, _) = line.split_once(" (PointerCoercion(Unsize")?;
    let (_, value) = value.split_once(" = ")?;
    let (of, object) = value.split_once(" as ")?;
    let of = of
        .strip_prefix("move ")
        .or_else(|| of.strip_prefix("copy "))?;
    let is_one = object.contains("dyn ") && !source::words(object).any(|word| word == "Debug");
    is_one.then_some((of, object))
}

/// The items of modules and traits by their names.
pub fn functions<'i>(index: &'i Index) -> BTreeMap<&'i str, Vec<usize>> {
    let mut functions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, node) in index.nodes.iter().enumerate() {
        if matches!(node.kind, Kind::Item | Kind::TraitItem) {
            functions.entry(&node.name).or_default().push(n);
        }
    }
    functions
}

/// The path of a body from the line that it begins with: `fn a::b(_1: u8) -> u8 {`, `const A: u8 = {`, `a::b::{constant#0}: usize = {`.
pub fn header(line: &str) -> Option<&str> {
    let words = ["const fn ", "fn ", "const ", "static mut ", "static "];
    let named = words.iter().find_map(|word| line.strip_prefix(word));
    let rest = named.or_else(|| line.contains("::{constant#").then_some(line))?;
    let end = rest
        .char_indices()
        .zip(depths(rest))
        .find(|((at, c), depth)| {
            *depth == 0 && (*c == '(' || *c == ':' && rest[*at..].starts_with(": "))
        });
    Some(&rest[..end?.0 .0])
}

/// The name that a path ends with, or of what a closure or a promoted constant at its end is in.
fn last_name(path: &str) -> &str {
    let mut names = path.rsplit("::");
    let named = names.find(|name| !name.contains(['{', '[', '>']));
    named.unwrap_or_default()
}

/// The node of a body: that of the function that a closure or a promoted constant is in.
pub fn body(
    index: &Index,
    lines: &Lines,
    functions: &BTreeMap<&str, Vec<usize>>,
    path: &str,
) -> Option<usize> {
    if path.contains(IMPL) {
        let (at, rest) = impl_at(index, lines, path)?;
        let Some(block) = index.block_at(at) else {
            // What a type derives, or what a macro makes.
            let inside = index.innermost(&(at..at))?;
            let around = index.nodes[inside].parent.into_iter();
            let mut places = [inside].into_iter().chain(around);
            return places.find(|&n| matches!(index.nodes[n].sort, Sort::Type | Sort::Macro));
        };
        let name = rest.strip_prefix("::")?.split("::").next()?;
        // A length in what it is for.
        if name.starts_with('{') {
            return Some(block);
        }
        let mut items = index.children(block);
        return items.find(|&n| index.nodes[n].name == name);
    }
    let names: Vec<&str> = path.split("::").collect();
    let named = names.iter().position(|name| name.contains(['{', '[']));
    let names = &names[..named.unwrap_or(names.len())];
    let (last, around) = names.split_last()?;
    // A name alone is that of no trait's item, which is told with the trait.
    let is_alone = around.is_empty();
    let mut found = functions.get(last)?.iter().copied().filter(|&n| {
        if is_alone && index.nodes[n].kind != Kind::Item {
            return false;
        }
        let mut at = index.nodes[n].parent;
        around.iter().rev().all(|name| {
            let is_it = at.is_some_and(|n| index.nodes[n].name == *name);
            at = at.and_then(|n| index.nodes[n].parent);
            is_it
        })
    });
    // If there are several, none.
    found.next().filter(|_| found.next().is_none())
}

/// Before the place of an impl in a path.
const IMPL: &str = "<impl at ";

/// Where the impl in a path begins, and what comes behind it.
fn impl_at<'p>(index: &Index, lines: &Lines, path: &'p str) -> Option<(usize, &'p str)> {
    let (_, rest) = path.split_once(IMPL)?;
    let (place, rest) = rest.split_once('>')?;
    let mut numbers = place.split(':').skip(1).map(str::trim);
    let line: usize = numbers.next()?.parse().ok()?;
    let column: usize = numbers.next()?.parse().ok()?;
    let start = lines.start(line)?;
    let text = index.text_at(&(start..index.text().len()));
    Some((start + text.char_indices().nth(column - 1)?.0, rest))
}

/// The impl that a body is in which the call of a macro makes there.
fn made_in(index: &Index, lines: &Lines, path: &str) -> Option<usize> {
    let (at, _) = impl_at(index, lines, path)?;
    let block = index.block_at(at)?;
    let mut children = index.children(block);
    children
        .any(|n| index.nodes[n].kind == Kind::Call)
        .then_some(block)
}

/// How deep in brackets each character of a text is.
fn depths(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0usize;
    let mut before = ' ';
    text.chars().map(move |c| {
        let inside = depth;
        match c {
            '<' | '{' | '[' | '(' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            '>' | '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
        inside.min(depth)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_tells_what_it_calls() {
        let text = "struct A;\nmod m {\n    impl T for A {\n        fn f(self) {}\n    }\n    fn g() {}\n}\nfn g() {}\nfn h() {}\n";
        let listing = "fn m::<impl at bundle.rs:3:5: 3:17>::f(_1: A) -> () {\n    let mut _2: u8;\n    let _3: &A;\n\n    bb0: {\n        _4 = copy _3 as &dyn T (PointerCoercion(Unsize, Implicit));\n        _2 = const 1_u8;\n        _0 = <&A as Add>::add(copy _2) -> bb1;\n    }\n}\n\nfn m::g() -> () {\n        _1 = Option::<A>::map::<B, fn(A) -> B {<B as From<A>>::from}>(move _3, <B as From<A>>::from) -> bb1;\n}\n\nfn h::{closure#0}(_1: &{closure@bundle.rs:9:1: 9:2}) -> u8 {\n        _0 = const A::ZERO;\n}\n\nfn g() -> () {\n        _0 = x() -> bb1;\n}\n";
        let index = Index::new(text).unwrap();
        let mut calls = Calls::default();
        calls.add(&index, &Lines::new(text), listing, |_| true);
        let text_of = |n: usize| index.text_of(n).trim();
        let objects = calls.of.values().flat_map(|body| &body.objects);
        let object = ("&A".to_owned(), "&dyn T".to_owned());
        assert_eq!(objects.collect::<Vec<_>>(), [&object]);
        let of: Vec<(&str, String)> = calls
            .of
            .iter()
            .map(|(&n, body)| {
                let called: Vec<&str> = body.called.iter().map(String::as_str).collect();
                (text_of(n), called.join(", "))
            })
            .collect();
        assert_eq!(
            of,
            [
                ("fn f(self) {}", "<&A as Add>::add".to_owned()),
                (
                    "fn g() {}",
                    "<B as From<A>>::from, Option::<A>::map::<B, fn(A) -> B {<B as From<A>>::from}>"
                        .to_owned()
                ),
                ("fn h() {}", "A::ZERO".to_owned()),
            ]
        );
        // There are two so called.
        assert_eq!(calls.loose_of("g").map(|body| body.called.len()), Some(1));
        // One of them is gone, and a trait has another.
        let text = format!("{text}trait U {{ fn g(); }}\n");
        let index = Index::new(&text).unwrap();
        let gone = text.find("fn g").unwrap();
        let listing = "fn g() -> () {\n        _0 = x() -> bb1;\n}\n";
        let mut calls = Calls::default();
        calls.add(&index, &Lines::new(&text), listing, |n| {
            index.nodes[n].range.start != gone
        });
        assert!(calls.loose_of("g").is_none());
    }

    #[test]
    fn a_length_is_calculated_for_what_it_is_in() {
        let text = "impl T for u8 {\n    type A = [u8; Self::N];\n}\nimpl T for [u8; U::N] {}\nfn f() {}\n";
        let index = Index::new(text).unwrap();
        let calls = |path: &str| {
            let listing = format!(
                "{path}::{{constant#0}}: usize = {{\n        _0 = const <u8 as T>::N;\n}}\n"
            );
            let mut calls = Calls::default();
            calls.add(&index, &Lines::new(text), &listing, |_| true);
            let of = calls.of.keys().map(|&n| index.text_of(n).trim());
            of.map(str::to_owned).collect::<Vec<_>>()
        };
        let of_impl = |line: &str| format!("a::<impl at bundle.rs:{line}: 1:1>");
        assert_eq!(
            calls(&format!("{}::A", of_impl("1:1"))),
            ["type A = [u8; Self::N];"]
        );
        assert_eq!(calls(&of_impl("4:1")), ["impl T for [u8; U::N] {}"]);
        assert_eq!(calls("f"), ["fn f() {}"]);
        assert!(calls("g").is_empty());
    }

    #[test]
    fn what_a_macro_makes_in_an_impl_is_the_impls() {
        let text = "impl T for u8 {\n    make!(f);\n}\nimpl T for u16 {\n}\n";
        let index = Index::new(text).unwrap();
        let of = |line: usize| {
            let listing = format!(
                "fn a::<impl at bundle.rs:{line}:1: {line}:9>::f(_1: u8) -> () {{\n        _0 = <u8 as U>::g() -> bb1;\n}}\n"
            );
            let mut calls = Calls::default();
            calls.add(&index, &Lines::new(text), &listing, |_| true);
            let of = calls.of.keys().copied().collect::<Vec<_>>();
            (of, calls.loose().count())
        };
        assert_eq!(of(1), (vec![0], 0));
        assert_eq!(of(4), (vec![], 1));
    }

    #[test]
    fn numbers_become_narrower_and_names_do_not() {
        let mut calls = Calls::default();
        let body = calls.loose.entry("f".to_owned()).or_default();
        body.add_path("<u128 as From<u64>>::from_u64(");
        calls.add_narrower();
        let called = &calls.loose["f"].called;
        assert!(called.contains("<u64 as From<u32>>::from_u64"));
    }
}
