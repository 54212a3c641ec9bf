//! Traits that objects are made of. The table of such an object has a place for each function of the trait, called or not. Without one of
//! them a call finds another place in the table: the program is the same, but its code is not, and only the same code is taken for
//! the same program. So these functions stay as long as their trait does.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use crate::bundle::text::index::{Index, Sort};
use crate::bundle::text::source;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// The names behind `dyn` in a text, which has those tokens, and what imports call otherwise than they do.
pub fn named(text: &str, tokens: TokenStream) -> BTreeSet<String> {
    let mut found = Named::default();
    if text.contains("dyn") {
        found.look(tokens);
    }
    let Named {
        mut names,
        are_given,
    } = found;
    if names.is_empty() && !are_given {
        return names;
    }
    let words: Vec<&str> = source::words(text).collect();
    if are_given {
        names.extend(words.iter().map(|&word| word.to_owned()));
    }
    loop {
        let size = names.len();
        let renamed = words
            .windows(3)
            .filter(|three| three[1] == "as" && names.contains(three[2]));
        let renamed: Vec<String> = renamed.map(|three| three[0].to_owned()).collect();
        names.extend(renamed);
        if names.len() == size {
            return names;
        }
    }
}

#[derive(Default)]
struct Named {
    names: BTreeSet<String>,
    /// Whether a macro gets some: any word may be one.
    are_given: bool,
}

impl Named {
    fn look(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.look(group.stream()),
                TokenTree::Ident(word) if word == "dyn" => self.add(&trees[at + 1..]),
                _ => {}
            }
        }
    }

    /// Adds the traits that some tokens begin with, with `+` between them.
    fn add(&mut self, mut rest: &[TokenTree]) {
        loop {
            let is = |at: usize, mark: char| is_punct(rest.get(at), mark);
            rest = match rest {
                // `'a`, which is no trait.
                [TokenTree::Punct(mark), _, behind @ ..] if mark.as_char() == '\'' => behind,
                [TokenTree::Punct(mark), behind @ ..] if mark.as_char() == '?' => {
                    rest = behind;
                    continue;
                }
                [TokenTree::Ident(word), behind @ ..] if word == "for" => {
                    rest = past_arguments(behind);
                    continue;
                }
                [TokenTree::Group(group), behind @ ..] => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.add(&inside);
                    behind
                }
                _ => {
                    let mut at = 0;
                    let mut name = None;
                    loop {
                        match rest.get(at) {
                            Some(TokenTree::Punct(mark))
                                if mark.as_char() == ':' && is(at + 1, ':') =>
                            {
                                at += 2
                            }
                            Some(TokenTree::Punct(mark)) if mark.as_char() == '$' => {
                                self.are_given |= !is_ident(rest.get(at + 1), "crate");
                                at += 1;
                            }
                            Some(TokenTree::Ident(word))
                                if name.is_none() || is(at - 1, ':') || is(at - 1, '$') =>
                            {
                                name = Some(word.to_string());
                                at += 1;
                            }
                            _ => break,
                        }
                    }
                    self.names.extend(name);
                    past_arguments(&rest[at..])
                }
            };
            match rest {
                [TokenTree::Punct(mark), behind @ ..] if mark.as_char() == '+' => rest = behind,
                _ => return,
            }
        }
    }
}

/// What is behind the arguments that some tokens begin with: `<…>`, or `(…)` and perhaps what a function gives.
fn past_arguments(trees: &[TokenTree]) -> &[TokenTree] {
    let is = |at: usize, mark: char| is_punct(trees.get(at), mark);
    let is_list = matches!(trees.first(), Some(TokenTree::Group(_)));
    let gives = is_list && is(1, '-') && is(2, '>');
    if !gives && !is(0, '<') {
        return &trees[usize::from(is_list)..];
    }
    let mut depth = 0;
    let start = if gives { 3 } else { 0 };
    for at in start..trees.len() {
        let is_arrow = is(at, '>') && at > 0 && is(at - 1, '-');
        if is(at, '<') {
            depth += 1;
        } else if is(at, '>') && !is_arrow {
            match depth {
                // Of what is around.
                0 => return &trees[at..],
                1 if !gives => return &trees[at + 1..],
                _ => depth -= 1,
            }
        } else if gives && depth == 0 && ['+', ',', ';', '='].iter().any(|&mark| is(at, mark)) {
            return &trees[at..];
        }
    }
    &[]
}

/// The trait of a function in a table: `B` of `<a::A as b::B<u8>>::f`.
pub fn of_function(path: &str) -> Option<String> {
    let (_, of_trait) = of_impl(path)?;
    name_of(of_trait)
}

/// The name of a type or a trait without the path to it and its arguments.
pub fn name_of(path: &str) -> Option<String> {
    last_name(path.split(['<', '(', '[']).next()?)
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

    fn of(text: &str) -> BTreeSet<String> {
        named(text, text.parse().unwrap())
    }

    #[test]
    fn traits_of_objects_are_found() {
        let text = "Box<dyn a::B<u8> + Send> &dyn C; (dyn ::d::E) mydyn F";
        assert_eq!(of(text), set(&["B", "C", "E", "Send"]));
        let text = "dyn 'a + Send + self::G, dyn for<'x> H<'x>; dyn (I); dyn /* j */ J; &(dyn Fn(&dyn K) -> Option<L> + Sync)";
        let traits = ["Fn", "G", "H", "I", "J", "K", "Send", "Sync"];
        assert_eq!(of(text), set(&traits));
        let text = "dyn ?Sized + $crate::M<dyn Fn() -> N, O>; Vec<dyn Fn() -> P>; dyn r#try";
        assert_eq!(of(text), set(&["Fn", "M", "Sized", "r#try"]));
        // It is called otherwise, or given to a macro.
        assert_eq!(of("use a::{A as B, C as D}; dyn B"), set(&["A", "B"]));
        assert!(of("macro_rules! m { ($t:ident) => { Box<dyn $t> } } m!(A)").contains("A"));
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
