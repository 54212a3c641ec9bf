//! Traits that objects are made of. The table of such an object has a place for each function of the trait, called or not. Without one of
//! them a call finds another place in the table: the program is the same, but its code is not, and only the same code is taken for
//! the same program. So these functions stay as long as their trait does.

use std::collections::BTreeSet;

use crate::bundle::text::index::{Index, Sort};
use crate::bundle::text::source::is_word;

/// The names behind `dyn` in a text.
pub fn named(text: &str) -> BTreeSet<String> {
    let places = text.match_indices("dyn ");
    let whole = places.filter(|(at, _)| !text[..*at].ends_with(is_word));
    whole
        .filter_map(|(at, dyn_)| {
            let path = text[at + dyn_.len()..].trim_start();
            let end = path.find(|c| !is_word(c) && c != ':');
            last_name(&path[..end.unwrap_or(path.len())])
        })
        .collect()
}

/// The trait of a function in a table: `B` of `<a::A as b::B<u8>>::f`.
pub fn of_function(path: &str) -> Option<String> {
    let (_, of_trait) = of_impl(path)?;
    last_name(of_trait.split(['<', '(', '[']).next()?)
}

/// The type and the trait of a function in an impl: `a::A` and `b::B<u8>` of `<a::A as b::B<u8>>::f`.
pub fn of_impl(path: &str) -> Option<(&str, &str)> {
    let inside = path.strip_prefix('<')?;
    let (mut depth, mut between) = (0, None);
    for (at, c) in inside.char_indices() {
        match c {
            ' ' if depth == 0 && inside[at..].starts_with(" as ") => between = Some(at),
            '<' | '(' | '[' => depth += 1,
            '>' if inside[..at].ends_with('-') => {}
            '>' if depth == 0 => {
                let between = between?;
                return Some((&inside[..between], &inside[between + " as ".len()..at]));
            }
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn last_name(path: &str) -> Option<String> {
    let name = path.rsplit("::").next().unwrap_or_default().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The functions of the traits so called, and of those that they build on, which have places in tables.
pub fn functions(index: &Index, mut traits: BTreeSet<String>) -> BTreeSet<usize> {
    let all = || (0..index.nodes.len()).filter(|&n| index.nodes[n].sort == Sort::Trait);
    loop {
        let size = traits.len();
        for n in all() {
            let node = &index.nodes[n];
            if traits.contains(&node.name) {
                traits.extend(node.bounds.iter().map(|bound| bound.ident.to_string()));
            }
        }
        if traits.len() == size {
            break;
        }
    }
    let of_objects = all().filter(|&n| traits.contains(&index.nodes[n].name));
    let items = of_objects.flat_map(|n| index.children(n));
    items
        .filter(|&n| {
            let text = index.text_at(&(index.nodes[n].head.start..index.nodes[n].range.end));
            let signature = text.split(['{', ';']).next().unwrap_or_default();
            signature.contains('(') && !signature.contains("Self: Sized")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn traits_of_objects_are_found() {
        let text = "Box<dyn a::B<u8> + Send> &dyn C; (dyn ::d::E) mydyn F";
        assert_eq!(named(text), set(&["B", "C", "E"]));
        let of = |path: &str| of_function(path).unwrap_or_default();
        assert_eq!(of("<a::A as b::B>::f"), "B");
        assert_eq!(of("<a::A<<c::D as E>::F> as b::B<u8>>::f::<g::H>"), "B");
        assert_eq!(of("<fn(u8) -> u8 as b::B>::f"), "B");
        assert_eq!(of("a::b::f"), "");
        assert_eq!(of("<a::A>::f"), "");
    }

    #[test]
    fn functions_without_objects_have_no_place_in_the_table() {
        let text = "trait A { fn a(&self); const B: u8; } trait C: A { fn c(&self) {} fn d<T>(&self, _: T) where Self: Sized {} type E; } trait F { fn f(&self); } fn main() {}";
        let index = Index::new(text).unwrap();
        let names = |traits: &[&str]| -> Vec<&str> {
            let found = functions(&index, set(traits)).into_iter();
            found.map(|n| index.nodes[n].name.as_str()).collect()
        };
        assert_eq!(names(&["C"]), ["a", "c"]);
        assert_eq!(names(&["F", "G"]), ["f"]);
    }
}
