//! The calls of some names in a text, with what each is called on.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::writer::Way;
use crate::bundle::text::source;
use crate::bundle::text::tokens::is_punct;

/// Types that have such methods, and a name that may stand for one.
const TYPES: [&str; 4] = ["f32", "f64", "str", "Self"];

/// A call that may mean something else.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    pub in_macro: bool,
    /// A type that the impl around it names: most often what it is called on.
    pub around: Option<String>,
    /// The receiver, if it is called as a method, and all of the call; or the path.
    pub range: Range<usize>,
    /// From the dot to the first argument, or the type before `::name`.
    pub cut: Range<usize>,
    /// What stands between the name and the arguments.
    pub generics: String,
    pub is_method: bool,
    pub has_arguments: bool,
    /// The receiver is what a function or a macro gives.
    pub is_value: bool,
    /// The receiver is one expression in parentheses, which are those.
    pub parentheses: Option<[Range<usize>; 2]>,
    /// How it may be written, the next last.
    pub ways: Vec<Way>,
}

/// The calls of some names in a part of a text, and their paths by types that may have them.
pub fn sites(text: &str, range: &Range<usize>, names: &BTreeSet<String>) -> Vec<Site> {
    let mut found = Vec::new();
    let part = &text[range.clone()];
    let words = source::words(part).zip(source::words(part).skip(1));
    let aliases = words.filter(|(word, _)| *word == "type");
    let aliases = aliases.map(|(_, name)| name);
    if let Ok(tokens) = part.parse() {
        let mut finder = Finder {
            text: part,
            names,
            types: TYPES.into_iter().chain(aliases).collect(),
            found: &mut found,
        };
        finder.look(tokens, false, None);
    }
    for site in &mut found {
        let parentheses = site.parentheses.iter_mut().flatten();
        for place in [&mut site.range, &mut site.cut]
            .into_iter()
            .chain(parentheses)
        {
            *place = place.start + range.start..place.end + range.start;
        }
    }
    found
}

struct Finder<'f> {
    pub text: &'f str,
    pub names: &'f BTreeSet<String>,
    /// Those that have such methods, by all their names.
    pub types: BTreeSet<&'f str>,
    pub found: &'f mut Vec<Site>,
}

fn range(tree: &TokenTree) -> Range<usize> {
    tree.span().byte_range()
}

/// A tree, if it is a group with such brackets.
pub fn group(tree: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match tree {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

impl Finder<'_> {
    fn look(&mut self, tokens: TokenStream, in_macro: bool, around: Option<&str>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        // The last of them between `impl` and its braces.
        let (mut is_impl, mut of_impl) = (false, None);
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(inner) => {
                    let named = at.checked_sub(3).map(|at| trees[at].to_string());
                    let is_macro = named.as_deref() == Some("macro_rules");
                    let is_body = is_impl && inner.delimiter() == Delimiter::Brace;
                    let around = of_impl.as_deref().filter(|_| is_body).or(around);
                    self.look(inner.stream(), in_macro || is_macro, around);
                    is_impl &= !is_body;
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if name == "impl" {
                        (is_impl, of_impl) = (true, None);
                    } else if self.names.contains(&name) {
                        let site = self.method(&trees, at, &name);
                        let site = site.or_else(|| self.path(&trees, at, &name));
                        self.found.extend(site.map(|site| Site {
                            in_macro,
                            around: around.map(str::to_owned),
                            ..site
                        }));
                    } else if is_impl && TYPES.contains(&name.as_str()) {
                        of_impl = Some(name);
                    }
                }
                _ => {}
            }
        }
    }

    fn method(&self, trees: &[TokenTree], at: usize, name: &str) -> Option<Site> {
        let dot = at
            .checked_sub(1)
            .filter(|&dot| is_punct(trees.get(dot), '.'))?;
        let mut open = at + 1;
        if is_punct(trees.get(open), ':') {
            let mut depth = 0;
            open += 2;
            loop {
                let (tree, before) = (trees.get(open)?, trees.get(open - 1));
                depth += i32::from(is_punct(tree, '<'));
                depth -= i32::from(is_punct(tree, '>') && !is_punct(before, '-'));
                open += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        let arguments = group(trees.get(open), Delimiter::Parenthesis)?;
        let start = receiver(trees, dot)?;
        let alone = group(trees.get(start), Delimiter::Parenthesis);
        let alone = alone.filter(|group| {
            let is_tuple = |tree| is_punct(&tree, ',');
            start + 1 == dot && !group.stream().into_iter().any(is_tuple)
        });
        let generics = range(&trees[at]).end..range(&trees[open]).start;
        Some(Site {
            name: name.to_owned(),
            in_macro: false,
            around: None,
            range: range(&trees[start]).start..range(&trees[open]).end,
            cut: range(&trees[dot]).start..arguments.span_open().byte_range().end,
            generics: self.text[generics].to_owned(),
            is_method: true,
            has_arguments: !arguments.stream().is_empty(),
            is_value: group(trees.get(dot - 1), Delimiter::Parenthesis).is_some(),
            parentheses: alone.map(|group| {
                let ends = [group.span_open(), group.span_close()];
                ends.map(|end| end.byte_range())
            }),
            ways: Vec::new(),
        })
    }

    fn path(&self, trees: &[TokenTree], at: usize, name: &str) -> Option<Site> {
        let of = at.checked_sub(3)?;
        let is_path = is_punct(trees.get(of + 1), ':') && is_punct(trees.get(of + 2), ':');
        let has_before = of == 0 || !is_punct(trees.get(of - 1), ':');
        let is_known = self.types.contains(trees[of].to_string().as_str());
        (is_path && has_before && is_known).then(|| Site {
            name: name.to_owned(),
            in_macro: false,
            around: None,
            range: range(&trees[of]).start..range(&trees[at]).end,
            cut: range(&trees[of]),
            generics: String::new(),
            is_method: false,
            has_arguments: false,
            is_value: false,
            parentheses: None,
            ways: Vec::new(),
        })
    }
}

/// Where the expression starts whose field or method stands behind a dot.
fn receiver(trees: &[TokenTree], dot: usize) -> Option<usize> {
    let before = |at: usize| at.checked_sub(1).map(|at| &trees[at]);
    let is_name = |tree: Option<&TokenTree>| match tree {
        // But for keywords that something may follow.
        Some(TokenTree::Ident(name)) => {
            let name = name.to_string();
            ["self", "Self", "super", "crate"].contains(&name.as_str())
                || syn::parse_str::<Ident>(&name).is_ok()
        }
        _ => false,
    };
    let mut at = dot.checked_sub(1)?;
    loop {
        match &trees[at] {
            TokenTree::Punct(mark) if mark.as_char() == '?' => {
                at = at.checked_sub(1)?;
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == '>' => {
                let mut depth = 0;
                loop {
                    let arrow = is_punct(before(at), '-');
                    depth += i32::from(is_punct(&trees[at], '>') && !arrow);
                    depth -= i32::from(is_punct(&trees[at], '<'));
                    if depth == 0 {
                        break;
                    }
                    at = at.checked_sub(1)?;
                }
            }
            TokenTree::Punct(_) => return None,
            TokenTree::Group(inner) if inner.delimiter() == Delimiter::Brace => return None,
            TokenTree::Group(_) => {
                let is_macro = is_punct(before(at), '!') && at > 1 && is_name(before(at - 1));
                if is_macro {
                    at -= 2;
                } else if is_name(before(at))
                    || is_punct(before(at), '>')
                        && at > 1
                        && !is_punct(before(at - 1), '=')
                        && !is_punct(before(at - 1), '-')
                    || is_punct(before(at), '?')
                    || matches!(before(at), Some(TokenTree::Group(inner)) if inner.delimiter() != Delimiter::Brace)
                {
                    at -= 1;
                    continue;
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
        // The start of a name: what stands before it?
        if is_punct(before(at), '$') {
            at -= 1;
        }
        if at > 1 && is_punct(before(at), ':') && is_punct(before(at - 1), ':') {
            at -= 2;
            if is_name(before(at)) || is_punct(before(at), '>') {
                at -= 1;
                continue;
            }
            return Some(at);
        }
        let is_field = at > 1 && is_punct(before(at), '.') && !is_punct(before(at - 1), '.');
        if !is_field {
            return Some(at);
        }
        at -= 2;
    }
}
