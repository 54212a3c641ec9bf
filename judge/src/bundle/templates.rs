//! The rules of `macro_rules!` as code, where they are code but for the names of what the macro gets.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::File;

use super::source;

/// What a macro makes by one of its rules.
pub struct Template {
    /// With the brackets around it.
    pub range: Range<usize>,
    /// A function with that in it, each at its place in the text; `$x` is `_x` there.
    pub file: File,
}

/// What the macros of a text make, where `is_wanted`.
pub fn templates(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Template> {
    let mut found = Vec::new();
    if !text.contains("macro_rules") {
        return found;
    }
    let stream: TokenStream = text.parse().unwrap_or_default();
    source::macro_definitions(stream, &mut |_, body| {
        let made = made(body)
            .into_iter()
            .filter(|made| is_wanted(&text[made.clone()]));
        found.extend(made.filter_map(|range| {
            Some(Template {
                file: file(text, &range)?,
                range,
            })
        }));
    });
    found
}

/// What stands behind each `=>` in the definition of a macro.
fn made(body: &Group) -> Vec<Range<usize>> {
    let trees: Vec<TokenTree> = body.stream().into_iter().collect();
    let is =
        |at: usize, mark: char| matches!(&trees[at], TokenTree::Punct(of) if of.as_char() == mark);
    let groups = trees
        .iter()
        .enumerate()
        .filter_map(|(at, tree)| match tree {
            TokenTree::Group(group) if at > 1 && is(at - 2, '=') && is(at - 1, '>') => Some(group),
            _ => None,
        });
    let groups = groups.filter(|group| group.delimiter() != Delimiter::Bracket);
    groups.map(|group| group.span().byte_range()).collect()
}

fn file(text: &str, range: &Range<usize>) -> Option<File> {
    const AROUND: [&str; 2] = ["fn a(){", "}"];
    let before = range.start.checked_sub(AROUND[0].len())?;
    let code = text[range.clone()].replace('$', "_");
    syn::parse_file(&format!("{:before$}{}{code}{}", "", AROUND[0], AROUND[1])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::spanned::Spanned;
    use syn::Item;

    #[test]
    fn what_macros_make_is_code_at_its_place() {
        let text = "fn é() {} macro_rules! m { ($x:expr, $($y:ty)*) => {{ $x.len() }}; () => ($crate::f()); (a) => { struct $x($($y),*); }; (b) => [1] }";
        let found = templates(text, |_| true);
        let shown: Vec<&str> = found.iter().map(|made| &text[made.range.clone()]).collect();
        assert_eq!(shown, ["{{ $x.len() }}", "($crate::f())"]);
        for made in found {
            let Item::Fn(function) = &made.file.items[0] else {
                panic!("it is a function");
            };
            let inside = function.block.stmts[0].span().byte_range();
            assert_eq!(inside, made.range);
        }
    }
}
