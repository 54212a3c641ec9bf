//! What `paste!` makes: `[<get_ $name>]` is one name. The crate is a procedural macro, but its language is small, and finished.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use super::marks;
use crate::bundle::text::tokens::{is_punct, with_inside};

/// The package.
pub const PACKAGE: &str = "paste";

/// What its macro is called in it.
pub const NAMES: [&str; 3] = ["paste", "item", "expr"];

/// What is made of some tokens, if that is clear, with what `env!` says. Adds the names that are made, but for those of fields and methods.
pub fn pasted(
    tokens: TokenStream,
    variables: &BTreeMap<String, String>,
    names: &mut BTreeSet<String>,
) -> Option<TokenStream> {
    Some(level(tokens, variables, names, false)?.0)
}

/// The same of what is in one pair of delimiters, and whether the crate takes that apart.
///
/// It gets fragments as groups without delimiters. Of those that it puts together anew the compiler takes no notice: `[<a b>]() * $e` with
/// `x + 1` is `ab() * x + 1`. What the crate finds nothing to do in stays as it was. A fragment of one word is something to do, but not in
/// an attribute.
fn level(
    tokens: TokenStream,
    variables: &BTreeMap<String, String>,
    names: &mut BTreeSet<String>,
    in_attribute: bool,
) -> Option<(TokenStream, bool)> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut made: Vec<TokenTree> = Vec::new();
    let mut is_apart = false;
    let mut at = 0;
    while at < trees.len() {
        let of_path = |trees: &[TokenTree]| matches!(trees, [a, b, ..] if is_punct(a, ':') && is_punct(b, ':'));
        if let Some(fragment) = marks::fragment_at(&trees, at) {
            let behind = at + fragment.length;
            let before = &made[made.len().saturating_sub(2)..];
            is_apart |= of_path(before) || of_path(&trees[behind..]);
            is_apart |= is_word(fragment.inside.clone()) && !in_attribute;
            let (inside, is_inside_apart) = level(fragment.inside, variables, names, in_attribute)?;
            match is_inside_apart {
                true => made.extend(inside),
                false => made.extend_from_slice(&trees[at..behind]),
            }
            is_apart |= is_inside_apart;
            at = behind;
            continue;
        }
        let tree = trees[at].clone();
        at += 1;
        let TokenTree::Group(group) = tree else {
            made.push(tree);
            continue;
        };
        let inside = group.stream();
        let is_bracket = group.delimiter() == Delimiter::Bracket;
        if let Some(parts) = parts(&inside).filter(|_| is_bracket) {
            let name = name(parts, variables)?;
            let is_dot = |back: usize| {
                let before = made.len().checked_sub(back).map(|at| &made[at]);
                before.is_some_and(|before| is_punct(before, '.'))
            };
            if !is_dot(1) || is_dot(2) {
                names.insert(name.to_string());
            }
            made.extend(name);
            is_apart = true;
            continue;
        }
        let is_attribute = is_bracket
            && match &made[..] {
                [.., hash, bang] if is_punct(bang, '!') => is_punct(hash, '#'),
                [.., hash] => is_punct(hash, '#'),
                [] => false,
            };
        let (inside, is_inside_apart) =
            level(inside, variables, names, in_attribute || is_attribute)?;
        is_apart |= is_inside_apart;
        let inside = match is_attribute {
            true => {
                let trees: Vec<TokenTree> = inside.into_iter().collect();
                let joined = attribute(&trees, variables)?;
                is_apart |= joined.is_some();
                // What it says is the same without the marks.
                let inside = joined.unwrap_or_else(|| marks::taken_apart(&trees));
                marks::transparent(inside)
            }
            false => inside,
        };
        made.push(with_inside(&group, inside).into());
    }
    let made = match is_apart {
        true => marks::taken_apart(&made),
        false => made.into_iter().collect(),
    };
    Some((made, is_apart))
}

/// Whether a fragment is a name, a path of names, a literal or a lifetime.
pub fn is_word(fragment: TokenStream) -> bool {
    let trees: Vec<TokenTree> = fragment.into_iter().collect();
    let is_name = |tree: &TokenTree| matches!(tree, TokenTree::Ident(_));
    match &trees[..] {
        [TokenTree::Literal(_)] => true,
        [mark, name] => is_punct(mark, '\'') && is_name(name),
        [first, rest @ ..] => {
            let is_step = |step: &[TokenTree]| matches!(step, [a, b, name] if is_punct(a, ':') && is_punct(b, ':') && is_name(name));
            is_name(first) && rest.chunks(3).all(is_step)
        }
        [] => false,
    }
}

/// What is in `<…>`, if brackets hold that.
fn parts(inside: &TokenStream) -> Option<Vec<TokenTree>> {
    let trees: Vec<TokenTree> = marks::transparent(inside.clone()).into_iter().collect();
    match &trees[..] {
        [first, parts @ .., last] if is_punct(first, '<') && is_punct(last, '>') => {
            let is_one = !parts.is_empty() && !parts.iter().any(|tree| is_punct(tree, '>'));
            is_one.then(|| parts.to_vec())
        }
        _ => None,
    }
}

/// The name, number or lifetime that some parts make.
fn name(parts: Vec<TokenTree>, variables: &BTreeMap<String, String>) -> Option<TokenStream> {
    let unquoted = |literal: &Literal| {
        let text = literal.to_string();
        let inside = text.strip_prefix(['"', '\'']).unwrap_or(&text);
        let inside = inside.strip_suffix(['"', '\'']).unwrap_or(inside);
        let is_plain = !inside.contains(['#', '\\', '.', '+', '"', '\'']);
        is_plain.then(|| inside.replace('-', "_"))
    };
    let made: TokenStream = joined(&parts, &unquoted, variables)?.parse().ok()?;
    let trees: Vec<TokenTree> = made.clone().into_iter().collect();
    let is_one = match &trees[..] {
        [TokenTree::Ident(_) | TokenTree::Literal(_)] => true,
        [mark, TokenTree::Ident(_)] => is_punct(mark, '\''),
        _ => false,
    };
    is_one.then_some(made)
}

/// `doc = "A " $x` with its text in one, also within `doc(…)`; within the `Some` nothing if there is none to put together.
fn attribute(
    trees: &[TokenTree],
    variables: &BTreeMap<String, String>,
) -> Option<Option<TokenStream>> {
    let is_path = |tree: &&TokenTree| matches!(tree, TokenTree::Ident(_)) || is_punct(*tree, ':');
    let (path, rest) = trees.split_at(trees.iter().take_while(is_path).count());
    let made: TokenStream = match rest {
        [sign, parts @ ..] if is_punct(sign, '=') && are_texts(parts) => {
            let value = |literal: &Literal| {
                let text = literal.to_string();
                let value = syn::parse_str::<syn::LitStr>(&text);
                Some(value.map_or(text, |value| value.value()))
            };
            let parts = marks::transparent(parts.iter().cloned().collect());
            let parts: Vec<TokenTree> = parts.into_iter().collect();
            let text = joined(&parts, &value, variables)?;
            let text = TokenTree::Literal(Literal::string(&text));
            [sign.clone(), text].into_iter().collect()
        }
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut made = TokenStream::new();
            let mut is_joined = false;
            for of in inside.split_inclusive(|tree| is_punct(tree, ',')) {
                let (of, comma) = match of {
                    [of @ .., comma] if is_punct(comma, ',') => (of, Some(comma.clone())),
                    of => (of, None),
                };
                let joined = attribute(of, variables)?;
                is_joined |= joined.is_some();
                made.extend(joined.unwrap_or_else(|| of.iter().cloned().collect()));
                made.extend(comma);
            }
            if !is_joined {
                return Some(None);
            }
            TokenTree::from(with_inside(group, made)).into()
        }
        _ => return Some(None),
    };
    Some(Some(path.iter().cloned().chain(made).collect()))
}

/// Whether an attribute's value is several texts, each perhaps a fragment.
fn are_texts(parts: &[TokenTree]) -> bool {
    let is_text = |tree: &TokenTree| match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Literal(literal) => !literal.to_string().starts_with(['b', '\'']),
        TokenTree::Punct(_) => is_punct(tree, ':') || is_punct(tree, '\''),
        TokenTree::Group(_) => false,
    };
    let mut count = 0;
    let mut at = 0;
    while at < parts.len() {
        let (tree, length) = match marks::fragment_at(parts, at) {
            Some(fragment) => {
                let mut trees = fragment.inside.into_iter();
                (
                    trees.next().filter(|_| trees.next().is_none()),
                    fragment.length,
                )
            }
            None => (Some(parts[at].clone()), 1),
        };
        if !tree.is_some_and(|tree| is_text(&tree)) {
            return false;
        }
        at += length;
        count += 1;
    }
    count > 1
}

/// The text that some parts make.
fn joined(
    parts: &[TokenTree],
    literal: &dyn Fn(&Literal) -> Option<String>,
    variables: &BTreeMap<String, String>,
) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = parts;
    while let [part, after @ ..] = rest {
        rest = after;
        let text = match (part, rest) {
            (TokenTree::Ident(name), [bang, TokenTree::Group(of), after @ ..])
                if name == "env" && is_punct(bang, '!') =>
            {
                rest = after;
                let variable: syn::LitStr = syn::parse2(of.stream()).ok()?;
                variables.get(&variable.value())?.replace('-', "_")
            }
            (TokenTree::Ident(name), _) => name.to_string().trim_start_matches("r#").to_owned(),
            (TokenTree::Literal(of), _) => literal(of)?,
            (TokenTree::Punct(colon), [TokenTree::Ident(how), after @ ..])
                if colon.as_char() == ':' =>
            {
                rest = after;
                modified(&found.pop()?, &how.to_string())?
            }
            (TokenTree::Punct(mark), _) if mark.as_char() == '\'' && found.is_empty() => {
                "'".to_owned()
            }
            _ => return None,
        };
        found.push(text);
    }
    Some(found.concat())
}

/// A part in another form.
fn modified(part: &str, how: &str) -> Option<String> {
    let mut made = String::new();
    let mut before = '_';
    match how {
        "lower" => return Some(part.to_lowercase()),
        "upper" => return Some(part.to_uppercase()),
        "snake" => {
            for c in part.chars() {
                if c.is_uppercase() && before != '_' {
                    made.push('_');
                }
                made.push(c);
                before = c;
            }
            made = made.to_lowercase();
        }
        "camel" => {
            for c in part.chars() {
                match c {
                    '_' => {}
                    c if before == '_' => made.extend(c.to_uppercase()),
                    c if before.is_uppercase() => made.extend(c.to_lowercase()),
                    c => made.push(c),
                }
                before = c;
            }
        }
        _ => return None,
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of a text, without its white space.
    fn made(text: &str) -> Option<String> {
        let variables = [("CARGO_PKG_NAME".to_owned(), "a-b".to_owned())].into();
        let names = &mut BTreeSet::new();
        let made = pasted(text.parse().unwrap(), &variables, names)?.to_string();
        Some(made.split_whitespace().collect())
    }

    #[test]
    fn parts_become_one_name() {
        for (text, expected) in [
            ("fn [<get_ a 1>]() { [<A>]; x[0] }", "fnget_a1(){A;x[0]}"),
            ("[<r#type _ \"b-c\">]", "type_b_c"),
            ("&[<'a b>] [<1 u8>]", "&'ab1u8"),
            ("[<Make:upper a:camel>]", "MAKEA"),
            (
                "[<getHttpXX:snake>] [<NEW_tree:camel>]",
                "get_http_x_xNewTree",
            ),
            ("[<x env!(\"CARGO_PKG_NAME\")>]", "xa_b"),
            ("[<A as B>::C; 2] [<A>, <B>]", "[<AasB>::C;2][<A>,<B>]"),
            // Where there is something to do, nothing keeps fragments together.
            (
                "'__opaque_lifetime_a: loop { break '__opaque_lifetime_a 2 * __opaque_expr![(1 + 2)] }",
                "'a:loop{break'a2*1+2}",
            ),
            (
                "pub(in __opaque_vis) const X: u8 = X * __opaque_expr![(1 + 2)];",
                "pubconstX:u8=X*1+2;",
            ),
            (
                "'a: X * __opaque_expr![(1 + 2)]; pub X * __opaque_expr![(1 + 2)]",
                "'a:X*__opaque_expr![(1+2)];pubX*__opaque_expr![(1+2)]",
            ),
            // Those in it it may keep together.
            (
                "a * __opaque_expr![(__opaque_literal!(1) - __opaque_expr![(2 - 3)])]",
                "a*1-2-3",
            ),
            (
                "[<a b>] * __opaque_expr![(1 - __opaque_expr![(2 - 3)])]",
                "ab*1-__opaque_expr![(2-3)]",
            ),
            // In an attribute one word is nothing to do.
            (
                "#[doc = __opaque_literal!(\"a\")] #![a(__opaque_path!(b))] 2 * __opaque_expr![(1 + 2)]",
                "#[doc=\"a\"]#![a(b)]2*__opaque_expr![(1+2)]",
            ),
            (
                "#[doc = \"a\" __opaque_literal!(1)] 2 * __opaque_expr![(1 + 2)]",
                "#[doc=\"a1\"]2*1+2",
            ),
            (
                "#[a::b(c, alias = d \"e\", f)] 2 * __opaque_expr![(1 + 2)]",
                "#[a::b(c,alias=\"de\",f)]2*1+2",
            ),
            (
                "#[a(b = __opaque_path!(c::d))] 2 * __opaque_expr![(1 + 2)]",
                "#[a(b=c::d)]2*__opaque_expr![(1+2)]",
            ),
            ("[<a b>]() * __opaque_expr![(x + 1)]", "ab()*x+1"),
            ("__opaque_literal!(2) * __opaque_expr!((x + 1))", "2*(x+1)"),
            (
                "__opaque_path!(a::B)(__opaque_expr![(-1)])",
                "a::B(__opaque_expr![(-1)])",
            ),
            (
                "__opaque_ty!(A<B>)::new(__opaque_expr!(&x))",
                "A<B>::new(__opaque_expr!(&x))",
            ),
        ] {
            assert_eq!(made(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn names_of_fields_are_no_variables() {
        let mut names = BTreeSet::new();
        let text = "a.[<b c>] + [<d e>]() + (0..[<f g>])";
        pasted(text.parse().unwrap(), &BTreeMap::new(), &mut names).unwrap();
        assert_eq!(Vec::from_iter(names), ["de", "fg"]);
    }

    #[test]
    fn texts_of_attributes_are_joined() {
        assert_eq!(
            made("#[doc = \"Gets:\" name:upper \" \\\"a\\\"\"] #[inline] struct A;").unwrap(),
            "#[doc=\"Gets:NAME\\\"a\\\"\"]#[inline]structA;"
        );
    }

    #[test]
    fn what_is_not_clear_is_not_made() {
        for text in [
            "[<a {b}>]",
            "[<a 1.5>]",
            "[<a:title>]",
            "[<a $b>]",
            "[<- a>]",
        ] {
            assert_eq!(made(text), None, "{text}");
        }
    }
}
