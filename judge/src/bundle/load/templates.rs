//! The rules of `macro_rules!` as code, where they are code but for the names of what the macro gets.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Punct, TokenStream, TokenTree};
use syn::File;

use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::is_punct;

/// What macros make by their rules.
#[derive(Default)]
pub struct Templates {
    /// Where each is in the text, with the brackets around it.
    pub ranges: Vec<Range<usize>>,
    /// For each a function with that body at its place in the text; `$x` is `_x` there.
    pub file: Option<File>,
}

impl Templates {
    /// Those of a text that are code, where `is_wanted`.
    pub fn of(text: &str, is_wanted: impl Fn(&str) -> bool) -> Self {
        if !text.contains("macro_rules") {
            return Self::default();
        }
        let mut all = Vec::new();
        let stream: TokenStream = text.parse().unwrap_or_default();
        source::macro_definitions(stream, &mut |_, body| {
            let rules = made(body.stream()).into_iter();
            all.extend(rules.map(|rule| rule.span().byte_range()));
        });
        all.retain(|made| is_wanted(&text[made.clone()]));
        // A macro may make another one.
        all.sort_by_key(|made| made.start);
        let (mut ranges, mut functions) = (Vec::new(), String::new());
        for made in all {
            let Some(space) = made.start.checked_sub(functions.len() + FUNCTION.len()) else {
                continue;
            };
            if let Some(code) = code(text, &made) {
                functions.push_str(&" ".repeat(space));
                functions.push_str(&code);
                ranges.push(made);
            }
        }
        let file = syn::parse_file(&functions).ok();
        Self { ranges, file }
    }
}

/// What stands before a body.
const FUNCTION: &str = "fn a()";

/// A rule as a function, if that is code.
fn code(text: &str, made: &Range<usize>) -> Option<String> {
    let written = &text[made.clone()];
    let mut edits = Edits::default();
    repeated_once(written, written.parse().ok()?, true, &mut edits);
    let once = edits.apply(written).replace('$', "_");
    let code = format!("{FUNCTION}{{{}}}", &once[1..once.len() - 1]);
    syn::parse_file(&code).is_ok().then_some(code)
}

/// Writes what is repeated as if it stood there once, at its place: statements as a block, what stands in a list in parentheses.
///
/// ```text
/// $( f($x); )*          { f($x); };
/// $( if $x { f(); } )*  { if $x { f(); };};
/// $(if $x { f(); })*    {if $x { f(); };}
/// [$($x),*]             [ ($x)  ]
/// ```
fn repeated_once(text: &str, stream: TokenStream, in_block: bool, edits: &mut Edits) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    // Whether a statement can begin.
    let mut begins = in_block;
    let mut at = 0;
    while at < trees.len() {
        if let Some(repeated) = Repeated::at(&trees[at..]) {
            repeated_once(text, repeated.group.stream(), begins, edits);
            let is_first = at == 0 || is_punct(trees.get(at - 1), ',');
            let separator = repeated.separator.map(Punct::as_char);
            if begins && matches!(separator, None | Some(';')) {
                repeated.as_block(text, edits);
            } else if is_first && separator == Some(',') {
                repeated.in_parentheses(edits);
                begins = false;
            }
            at += repeated.length;
            continue;
        }
        if let TokenTree::Group(group) = &trees[at] {
            let is_block = group.delimiter() == Delimiter::Brace;
            repeated_once(text, group.stream(), is_block, edits);
            begins = in_block && is_block;
        } else {
            begins = in_block && is_punct(trees.get(at), ';');
        }
        at += 1;
    }
}

/// `$(…)*`, with a separator or not.
struct Repeated<'t> {
    dollar: &'t Punct,
    group: &'t Group,
    separator: Option<&'t Punct>,
    operator: &'t Punct,
    length: usize,
}

impl<'t> Repeated<'t> {
    fn at(trees: &'t [TokenTree]) -> Option<Self> {
        let is_operator = |it: &Punct| "*+?".contains(it.as_char());
        let (dollar, group, behind) = match trees {
            [TokenTree::Punct(dollar), TokenTree::Group(group), behind @ ..] => {
                (dollar, group, behind)
            }
            _ => return None,
        };
        if dollar.as_char() != '$' || group.delimiter() != Delimiter::Parenthesis {
            return None;
        }
        let (separator, operator) = match behind {
            [TokenTree::Punct(operator), ..] if is_operator(operator) => (None, operator),
            [TokenTree::Punct(separator), TokenTree::Punct(operator), ..]
                if is_operator(operator) =>
            {
                (Some(separator), operator)
            }
            _ => return None,
        };
        Some(Self {
            dollar,
            group,
            separator,
            operator,
            length: 3 + usize::from(separator.is_some()),
        })
    }

    fn as_block(&self, text: &str, edits: &mut Edits) {
        let close = self.group.span_close().byte_range();
        let last = self.group.stream().into_iter().last();
        let ends = is_punct(last.as_ref(), ';');
        // The places behind what is repeated: for the end of its last statement, for the brace, for the end of the block.
        let mut places = Vec::new();
        if !ends && text[..close.start].ends_with(char::is_whitespace) {
            places.push(close.start - 1..close.start);
        }
        places.push(close);
        places.extend(self.separator.map(|it| it.span().byte_range()));
        places.push(self.operator.span().byte_range());
        // A block ends without the last of them, too.
        let marks: &[&str] = if ends { &["}", ";"] } else { &[";", "}", ";"] };
        edits.replace(self.dollar.span().byte_range(), " ");
        edits.replace(self.group.span_open().byte_range(), "{");
        for (at, place) in places.into_iter().enumerate() {
            edits.replace(place, marks.get(at).copied().unwrap_or(" "));
        }
    }

    fn in_parentheses(&self, edits: &mut Edits) {
        for mark in self
            .separator
            .into_iter()
            .chain([self.dollar, self.operator])
        {
            edits.replace(mark.span().byte_range(), " ");
        }
    }
}

/// What stands behind each `=>` in the definition of a macro.
pub fn made(body: TokenStream) -> Vec<Group> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let is = |at: usize, mark| is_punct(trees.get(at), mark);
    let groups = trees
        .iter()
        .enumerate()
        .filter_map(|(at, tree)| match tree {
            TokenTree::Group(group) if at > 1 && is(at - 2, '=') && is(at - 1, '>') => Some(group),
            _ => None,
        });
    let groups = groups.filter(|group| group.delimiter() != Delimiter::Bracket);
    groups.cloned().collect()
}

/// What the rules of a macro are called with.
pub fn matchers(body: &Group) -> TokenStream {
    let trees: Vec<TokenTree> = body.stream().into_iter().collect();
    let matchers = trees.windows(3).filter(|trees| {
        matches!(trees[0], TokenTree::Group(_))
            && is_punct(&trees[1], '=')
            && is_punct(&trees[2], '>')
    });
    matchers.map(|trees| trees[0].clone()).collect()
}

/// The rules of a macro: what their variables stand for, by their names, and what they make.
pub fn rules(body: TokenStream) -> Vec<(BTreeMap<String, String>, Group)> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let rules = trees.windows(4).filter_map(|trees| match trees {
        [matcher, equals, greater, TokenTree::Group(made)]
            if is_punct(equals, '=') && is_punct(greater, '>') =>
        {
            Some((kinds(matcher.clone().into()), made.clone()))
        }
        _ => None,
    });
    rules.collect()
}

fn kinds(matcher: TokenStream) -> BTreeMap<String, String> {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    let mut found = BTreeMap::new();
    for (at, tree) in trees.iter().enumerate() {
        match (tree, trees.get(at + 2)) {
            (TokenTree::Group(group), _) => found.extend(kinds(group.stream())),
            (TokenTree::Ident(name), Some(TokenTree::Ident(kind)))
                if is_punct(trees.get(at + 1), ':')
                    && at > 0
                    && is_punct(trees.get(at - 1), '$') =>
            {
                found.insert(name.to_string(), kind.to_string());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::spanned::Spanned;
    use syn::Item;

    #[test]
    fn what_macros_make_is_code_at_its_place() {
        let text = "fn é() {} macro_rules! m { ($x:expr, $($y:ty)*) => {{ $x.len() }}; () => ($crate::f()); (a) => { struct $x($($y),*); }; (b) => [1] }";
        let found = Templates::of(text, |_| true);
        let shown: Vec<&str> = found
            .ranges
            .iter()
            .map(|made| &text[made.clone()])
            .collect();
        assert_eq!(
            shown,
            ["{{ $x.len() }}", "($crate::f())", "{ struct $x($($y),*); }"]
        );
        let bodies = found
            .file
            .unwrap()
            .items
            .into_iter()
            .map(|item| match item {
                Item::Fn(function) => function.block.span().byte_range(),
                _ => panic!("each is a function"),
            });
        assert_eq!(bodies.collect::<Vec<_>>(), found.ranges);
        // There is no room for a function before the second.
        let tight = format!(
            "{}macro_rules!m{{($x:ty)=>{{1}};()=>{{2}}}}",
            " ".repeat(100_000)
        );
        assert_eq!(Templates::of(&tight, |_| true).ranges.len(), 1);
        assert!(Templates::of(&tight, |_| true).file.is_some());
    }

    #[test]
    fn what_is_repeated_is_code_where_that_stands() {
        let once = |made: &str| code(made, &(0..made.len()));
        let is = |made: &str, expected: &str| {
            let found = once(made).expect("it is code");
            assert_eq!(found, format!("{FUNCTION}{{{expected}}}"));
            assert_eq!(found.len(), FUNCTION.len() + made.len());
        };
        is("{ $(f($x);)* g() }", "  {f(_x);}; g() ");
        is("{ $( f($x) );* }", "  { f(_x);};  ");
        is("{ $( if $x { } )* }", "  { if _x { };}; ");
        is("{ $(if $x { })* g() }", "  {if _x { };} g() ");
        is(
            "{ let a = [$($x),*]; $($y;)+ }",
            " let a = [ (_x)  ];  {_y;}; ",
        );
        is(
            "{ $( $( f($x, $($y),+); )* )* }",
            "  {  { f(_x,  (_y)  ); };;}; ",
        );
        // It would stand for another thing.
        for made in [
            "{ a $(+ $x)* }",
            "{ if $($x)&&* { } }",
            "{ match $x { $($y => $z),* } }",
        ] {
            assert_eq!(once(made), None, "{made}");
        }
    }
}
