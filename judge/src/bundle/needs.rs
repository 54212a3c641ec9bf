//! What an error says is needed after all, and what that will want next.
//!
//! An error names things in words, and only the compiler knows which of several it means: all of them stay.

use std::collections::BTreeSet;

use super::compiler::Diagnostic;
use super::index::{Index, Kind, Node};

/// A removal that something live does not allow.
pub struct Trouble {
    pub errors: Vec<Diagnostic>,
    pub removed: Vec<usize>,
}

/// Adds to what is kept what the errors name, or else half of what was removed. Tells whether there was anything to add.
pub fn keep(index: &Index, trouble: &Trouble, kept: &mut BTreeSet<usize>) -> bool {
    let mut new: Vec<usize> = trouble
        .errors
        .iter()
        .flat_map(|error| named(index, &trouble.removed, error))
        .filter(|&n| kept.insert(n))
        .collect();
    if new.is_empty() {
        // Imports last: they are not what the errors were about.
        let is_import = |n: &usize| index.nodes[*n].kind == Kind::Import;
        let removed = trouble.removed.iter().filter(|n| !kept.contains(n));
        let (imports, others): (Vec<usize>, Vec<usize>) = removed.partition(|n| is_import(n));
        let half = (others.len() + imports.len()).div_ceil(2);
        kept.extend(others.into_iter().chain(imports).take(half));
        return half > 0;
    }
    // Each round of the compiler tells of the next step only: what can be told in advance saves it.
    while let Some(n) = new.pop() {
        new.extend(
            next(index, &trouble.removed, n)
                .into_iter()
                .filter(|&n| kept.insert(n)),
        );
    }
    true
}

/// What an error names: in its message, or else in what the compiler says around it.
fn named(index: &Index, removed: &[usize], error: &Diagnostic) -> Vec<usize> {
    let message = words(&error.message);
    let find = |is_it: &dyn Fn(&Node) -> bool| -> Vec<usize> {
        let found = removed.iter().filter(|&&n| is_it(&index.nodes[n]));
        found.copied().collect()
    };
    if error.code == "E0046" {
        // The impl lacks an item that its trait does not provide.
        return find(&|node| {
            let inside = node.parent.is_some_and(|parent| {
                let range = &index.nodes[parent].range;
                let mut places = error.spans.iter();
                places.any(|(at, _)| range.start <= at.start && at.end <= range.end)
            });
            inside && message.contains(&node.name)
        });
    }
    // A number whose type is still open: with one impl alone it would become that one's.
    if error.message.contains("{float}") || error.message.contains("{integer}") {
        return find(&|node| is_named(node, &message, false));
    }
    let all = words(&error.rendered);
    // The type may go by another name in the impl, or be one that it dereferences to.
    let tries: [(&BTreeSet<String>, bool); 3] = [(&message, true), (&all, true), (&message, false)];
    let found = tries
        .into_iter()
        .map(|(words, typed)| find(&|node| is_named(node, words, typed)))
        .find(|found| !found.is_empty());
    // Or the code that fails names it: without a method of a trait the call finds one that the library only tries out.
    found.unwrap_or_else(|| {
        let places = error.spans.iter().map(|(at, _)| index.text_at(at));
        let code = words(&places.collect::<Vec<_>>().join(" "));
        find(&|node| is_named(node, &code, false))
    })
}

/// Whether words name a node.
fn is_named(node: &Node, words: &BTreeSet<String>, typed: bool) -> bool {
    let has = |name: &String| words.contains(name);
    let of_type = !typed || node.for_type().map_or(true, has);
    if node.kind == Kind::Impl {
        return of_type && node.of_trait().is_some_and(has);
    }
    node.name != "_" && has(&node.name) && of_type
}

/// What traits of the standard library ask for besides.
const SUPERTRAITS: [(&str, &[&str]); 9] = [
    ("Ord", &["PartialOrd", "Eq", "PartialEq"]),
    ("PartialOrd", &["PartialEq"]),
    ("Eq", &["PartialEq"]),
    ("DoubleEndedIterator", &["Iterator"]),
    ("ExactSizeIterator", &["Iterator"]),
    ("FusedIterator", &["Iterator"]),
    ("IndexMut", &["Index"]),
    ("FnMut", &["FnOnce"]),
    ("Error", &["Debug", "Display"]),
];

/// What a node to keep will want.
fn next(index: &Index, removed: &[usize], n: usize) -> Vec<usize> {
    let node = &index.nodes[n];
    let mut found = Vec::new();
    found.extend(node.parent.filter(|parent| removed.contains(parent)));
    if node.kind == Kind::Impl {
        // The first function is one that the trait asks for, nearly always.
        let mut children = index.children(n);
        found.extend(children.find(|&child| index.nodes[child].function));
    }
    if !node.function && node.kind != Kind::Impl {
        return found;
    }
    let own = words(index.text_of(n));
    let fields = node.for_type().map_or_else(BTreeSet::new, |name| {
        let mut types = index.nodes.iter().enumerate();
        types
            .find(|(_, node)| node.kind == Kind::Item && !node.function && node.name == *name)
            .map_or_else(BTreeSet::new, |(n, _)| words(index.text_of(n)))
    });
    let supertraits: BTreeSet<String> = node.of_trait().map_or_else(BTreeSet::new, |name| {
        let known = SUPERTRAITS.iter().find(|(of, _)| of == name);
        let known = known.map_or(&[][..], |(_, supertraits)| supertraits);
        known.iter().map(|&name| name.to_owned()).collect()
    });
    found.extend(removed.iter().copied().filter(|&other| {
        let other = &index.nodes[other];
        let of_field = other.for_type().is_some_and(|name| fields.contains(name));
        match other.kind {
            Kind::Item => node.function && other.function && own.contains(&other.name),
            Kind::Inherent => {
                let of_type = other.for_type() == node.for_type()
                    || of_field
                    || other.for_type().is_some_and(|name| own.contains(name));
                node.function && of_type && own.contains(&other.name)
            }
            // Most impls do for each field what they are to do for the whole.
            Kind::Impl if node.kind == Kind::Impl => {
                other.of_trait() == node.of_trait() && of_field
                    || other.for_type() == node.for_type()
                        && other
                            .of_trait()
                            .is_some_and(|name| supertraits.contains(name))
            }
            _ => false,
        }
    }));
    found
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    const TEXT: &str = "struct A { b: B } struct B; impl Clone for A { fn clone(&self) -> A { A { b: self.b.clone() } } } \
                        impl Clone for B { fn clone(&self) -> B { help() } } fn help() -> B { B } impl Clone for C { fn clone(&self) -> C { C } } \
                        impl F for f32 {} impl F for f64 {} impl Ord for B { fn cmp(&self) {} } impl PartialOrd for B { fn partial_cmp(&self) {} }";

    /// The heads of what is kept if all functions and impls were removed and the compiler says so.
    fn kept(message: &str, code: &str) -> Vec<String> {
        kept_at(message, code, Vec::new())
    }

    fn kept_at(
        message: &str,
        code: &str,
        spans: Vec<(Range<usize>, Option<Range<usize>>)>,
    ) -> Vec<String> {
        let index = Index::new(TEXT).unwrap();
        let is_removed = |n: &usize| {
            let node = &index.nodes[*n];
            node.function || node.kind == Kind::Impl
        };
        let trouble = Trouble {
            errors: vec![Diagnostic {
                level: "error".into(),
                code: code.into(),
                message: message.into(),
                rendered: message.into(),
                fixes: Vec::new(),
                spans,
            }],
            removed: (0..index.nodes.len()).filter(is_removed).collect(),
        };
        let mut kept = BTreeSet::new();
        assert!(keep(&index, &trouble, &mut kept));
        let head = |n: &usize| TEXT[index.nodes[*n].head.clone()].trim().to_owned();
        kept.iter().map(head).collect()
    }

    #[test]
    fn an_impl_is_named_by_its_trait_and_its_type() {
        // And its body wants the impls for the fields, and what these call.
        assert_eq!(
            kept("the trait bound `A: Clone` is not satisfied", "E0277"),
            [
                "impl Clone for A",
                "clone",
                "impl Clone for B",
                "clone",
                "help"
            ]
        );
        assert_eq!(
            kept("the trait bound `C: Clone` is not satisfied", "E0277"),
            ["impl Clone for C", "clone"]
        );
    }

    #[test]
    fn a_number_without_a_type_may_be_any() {
        assert_eq!(
            kept("the trait bound `{float}: F` is not satisfied", "E0277"),
            ["impl F for f32", "impl F for f64"]
        );
    }

    #[test]
    fn a_trait_brings_those_that_it_builds_on() {
        assert_eq!(
            kept("the trait bound `B: Ord` is not satisfied", "E0277"),
            [
                "impl Ord for B",
                "cmp",
                "impl PartialOrd for B",
                "partial_cmp"
            ]
        );
    }

    #[test]
    fn the_code_that_fails_may_be_all_that_names_it() {
        let at = TEXT.find("help()").unwrap();
        let call = at..at + "help".len();
        assert_eq!(
            kept_at("use of unstable feature", "E0658", vec![(call, None)]),
            ["help"]
        );
    }

    #[test]
    fn an_error_that_names_nothing_keeps_half() {
        assert_eq!(kept("something else", "E0999").len(), 7);
    }
}
