//! Whether a rule's pattern takes a call, and what its fragments are then: as the compiler reads them, token by token.

use std::cell::Cell;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};

use super::substitute::without_lint_attribute;
use super::{Binding, Bindings, Pattern};
use crate::bundle::load::marks::{self, opaque_kind};
use crate::bundle::text::tokens::{is_joint, is_punct, with_inside};

/// What the compiler takes for one token, and what that begins with.
const LONG: [&str; 25] = [
    "..=", "...", "<<=", ">>=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..", "<-",
];

/// The same, joint only where the compiler sees one token: `&&&x` is `&&`, `&` and `x`.
///
/// A type may end in such a token (`Vec<Vec<u8>>`). What is left of it is then a token of its own, and nothing joins it any more.
pub fn glued(stream: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut out = Vec::with_capacity(trees.len());
    let mut token = String::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(p) => {
                token.push(p.as_char());
                let spacing = if goes_on(&token, p, trees.get(at + 1)) {
                    Spacing::Joint
                } else {
                    token.clear();
                    Spacing::Alone
                };
                let mut glued = Punct::new(p.as_char(), spacing);
                glued.set_span(p.span());
                out.push(glued.into());
            }
            TokenTree::Group(group) => {
                out.push(with_inside(group, glued(group.stream())).into());
            }
            tree => {
                // That may end a lifetime.
                token.clear();
                out.push(tree.clone());
            }
        }
    }
    out.into_iter().collect()
}

/// Whether the token that so far ends with `last` has the next in it.
fn goes_on(token: &str, last: &Punct, next: Option<&TokenTree>) -> bool {
    match next {
        _ if last.spacing() == Spacing::Alone => false,
        Some(TokenTree::Punct(next)) => {
            let longer = format!("{token}{}", next.as_char());
            LONG.contains(&longer.as_str())
        }
        // A lifetime.
        Some(TokenTree::Ident(_)) => token == "'",
        _ => false,
    }
}

/// How many trees the first token has.
fn token_length(trees: &[TokenTree]) -> usize {
    let joint = trees.iter().take_while(|tree| is_joint(tree)).count();
    trees.len().min(joint + 1)
}

/// Reads what a rule takes.
pub fn patterns(stream: TokenStream) -> Result<Vec<Pattern>, ()> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Group(group)))
                if p.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
            {
                let (separator, operator, next) = repeat_tail(&trees, at + 2).ok_or(())?;
                found.push(Pattern::Repeat(
                    patterns(group.stream())?,
                    separator,
                    operator,
                ));
                at = next;
            }
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                if is_punct(trees.get(at + 2), ':') {
                    let Some(TokenTree::Ident(kind)) = trees.get(at + 3) else {
                        return Err(());
                    };
                    found.push(Pattern::Fragment(name.to_string(), kind.to_string()));
                    at += 4;
                } else {
                    return Err(());
                }
            }
            (TokenTree::Group(group), _) => {
                found.push(Pattern::Group(group.delimiter(), patterns(group.stream())?));
                at += 1;
            }
            _ => {
                let length = token_length(&trees[at..]);
                found.push(Pattern::Token(trees[at..at + length].to_vec()));
                at += length;
            }
        }
    }
    Ok(found)
}

/// Separator and operator after `$( … )`, and where the next thing starts.
pub fn repeat_tail(trees: &[TokenTree], at: usize) -> Option<(Vec<TokenTree>, char, usize)> {
    let operator = |tree: Option<&TokenTree>| match tree {
        Some(TokenTree::Punct(p)) if "*+?".contains(p.as_char()) && !is_joint(tree?) => {
            Some(p.as_char())
        }
        _ => None,
    };
    // An operator is no separator: in `$(…)+*` the star is a token that follows.
    if let Some(operator) = operator(trees.get(at)) {
        return Some((Vec::new(), operator, at + 1));
    }
    let end = at + token_length(trees.get(at..)?);
    let separator = trees[at..end].to_vec();
    Some((separator, operator(trees.get(end))?, end + 1))
}

/// What the fragments of a rule are for a call, if it takes that. Tells whether that is unclear.
pub fn matched(lhs: &[Pattern], call: TokenStream, unclear: &Cell<bool>) -> Option<Bindings> {
    let parse = |input: ParseStream| {
        let mut bindings = Bindings::new();
        match_sequence(lhs, input, &mut bindings, unclear)?;
        if input.is_empty() {
            Ok(bindings)
        } else {
            Err(input.error("more tokens"))
        }
    };
    parse.parse2(call).ok()
}

/// Whether the next token is the one that is expected.
pub fn next_is(expected: &[TokenTree], input: ParseStream) -> bool {
    tt(input).is_ok_and(|found| same_token(expected, &found))
}

fn same_token(a: &[TokenTree], b: &[TokenTree]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_tree(a, b))
}

fn same_tree(a: &TokenTree, b: &TokenTree) -> bool {
    match (a, b) {
        (TokenTree::Ident(a), TokenTree::Ident(b)) => *a == marks::bare_lifetime(b),
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
        (TokenTree::Literal(a), TokenTree::Literal(b)) => a.to_string() == b.to_string(),
        _ => false,
    }
}

/// Reads the beginning of a call by patterns, and what their fragments are.
pub fn match_sequence(
    lhs: &[Pattern],
    input: ParseStream,
    bindings: &mut Bindings,
    unclear: &Cell<bool>,
) -> syn::Result<()> {
    for (at, pattern) in lhs.iter().enumerate() {
        match pattern {
            Pattern::Token(expected) => {
                if !next_is(expected, input) {
                    return Err(input.error("another token"));
                }
            }
            Pattern::Group(delimiter, inner) => {
                let found: TokenTree = input.parse()?;
                match found {
                    TokenTree::Group(group) if group.delimiter() == *delimiter => {
                        let parse = |input: ParseStream| {
                            match_sequence(inner, input, bindings, unclear)?;
                            if input.is_empty() {
                                Ok(())
                            } else {
                                Err(input.error("more tokens"))
                            }
                        };
                        parse.parse2(group.stream())?;
                    }
                    _ => return Err(input.error("no group")),
                }
            }
            Pattern::Fragment(name, kind) => {
                let given = given(input);
                if given.is_some_and(|given| is_unclear(kind, given)) {
                    unclear.set(true);
                }
                let tokens = fragment(kind, given, input)?;
                let kind = marks::Kind::new(kind, &tokens);
                bindings.insert(name.clone(), Binding::One(tokens, kind));
            }
            Pattern::Repeat(inner, separator, operator) => {
                let rest = &lhs[at + 1..];
                let mut rounds = Vec::new();
                loop {
                    if *operator == '?' && rounds.len() == 1 {
                        break;
                    }
                    let fork = input.fork();
                    let separated = !rounds.is_empty() && !separator.is_empty();
                    if separated && !next_is(separator, &fork) {
                        break;
                    }
                    if fork.is_empty() {
                        break;
                    }
                    // Without a separator, what follows the repetition may look like another round.
                    if separator.is_empty() {
                        if let Some(Pattern::Token(next)) = rest.first() {
                            let is_next = next_is(next, &fork.fork());
                            let starts_same = matches!(inner.first(), Some(Pattern::Token(t)) if same_token(t, next));
                            if is_next && !starts_same {
                                break;
                            }
                        }
                    }
                    let mut round = Bindings::new();
                    if match_sequence(inner, &fork, &mut round, unclear).is_err() {
                        break;
                    }
                    input.advance_to(&fork);
                    rounds.push(round);
                }
                if *operator == '+' && rounds.is_empty() {
                    return Err(input.error("nothing to repeat"));
                }
                let mut names = Vec::new();
                fragment_names(inner, &mut names);
                for name in names {
                    let each = rounds
                        .iter()
                        .filter_map(|round| {
                            Some(Bindings::from([(name.clone(), round.get(&name)?.clone())]))
                        })
                        .collect();
                    bindings.insert(name, Binding::Many(each));
                }
            }
        }
    }
    Ok(())
}

pub fn fragment_names(patterns: &[Pattern], names: &mut Vec<String>) {
    for pattern in patterns {
        match pattern {
            Pattern::Fragment(name, _) => names.push(name.clone()),
            Pattern::Group(_, inner) | Pattern::Repeat(inner, ..) => fragment_names(inner, names),
            Pattern::Token(_) => {}
        }
    }
}

/// The kind of the opaque fragment that comes next.
fn given(input: ParseStream) -> Option<&'static str> {
    let name: Ident = input.fork().call(Ident::parse_any).ok()?;
    opaque_kind(&[name.into()], 0)
}

/// Whether it depends on what is in an opaque fragment if it is one of another kind too.
fn is_unclear(kind: &str, given: &str) -> bool {
    match kind {
        "ident" | "lifetime" | "tt" | "vis" | "expr" | "expr_2021" | "ty" => false,
        _ => kind != given,
    }
}

/// Whether a fragment of a kind may begin with an opaque one.
fn may_begin(kind: &str, given: &str) -> bool {
    match kind {
        "expr" | "expr_2021" => ["expr", "literal", "path"].contains(&given),
        "ty" => ["ty", "path"].contains(&given),
        "tt" | "vis" => true,
        _ => kind == given,
    }
}

fn fragment(kind: &str, given: Option<&str>, input: ParseStream) -> syn::Result<TokenStream> {
    if let Some(given) = given {
        if !may_begin(kind, given) {
            return Err(input.error("another fragment"));
        }
        if kind == "vis" {
            return Ok(TokenStream::new());
        }
        if kind == given && ["literal", "path", "pat"].contains(&kind) || kind == "tt" {
            return Ok(input.parse::<syn::Macro>()?.into_token_stream());
        }
    }
    Ok(match kind {
        "ident" => {
            let token = tt(input)?;
            match &token[..] {
                [TokenTree::Ident(ident)] if ident != "_" => ident.into_token_stream(),
                _ => return Err(input.error("no identifier")),
            }
        }
        "tt" => tt(input)?.into_iter().collect(),
        "ty" => passed(input, syn::Type::parse)?.1,
        "expr" | "expr_2021" => {
            let (expr, mut tokens) = passed(input, syn::Expr::parse)?;
            match expr {
                syn::Expr::Lit(_) | syn::Expr::Path(_) | syn::Expr::Paren(_) => tokens,
                // It has its own parentheses.
                syn::Expr::Macro(call) if is_marked(&call.mac.path) => tokens,
                _ => {
                    while let Some(rest) = without_lint_attribute(&tokens) {
                        tokens = rest;
                    }
                    TokenTree::Group(Group::new(Delimiter::Parenthesis, tokens)).into()
                }
            }
        }
        "path" => passed(input, syn::Path::parse)?.1,
        "pat" => passed(input, syn::Pat::parse_multi)?.1,
        "pat_param" => passed(input, syn::Pat::parse_single)?.1,
        "block" => passed(input, syn::Block::parse)?.1,
        "item" => passed(input, syn::Item::parse)?.1,
        "stmt" => passed(input, statement)?.1,
        "meta" => passed(input, syn::Meta::parse)?.1,
        "vis" => passed(input, syn::Visibility::parse)?.1,
        "lifetime" => passed(input, syn::Lifetime::parse)?.1,
        "literal" => {
            let minus: Option<syn::Token![-]> = input.parse()?;
            let literal: syn::Lit = input.parse()?;
            let mut tokens = minus.into_token_stream();
            literal.to_tokens(&mut tokens);
            tokens
        }
        _ => return Err(input.error("unknown fragment")),
    })
}

/// A statement without the `;` behind it: what is behind a fragment says whether there is one.
fn statement(input: ParseStream) -> syn::Result<TokenStream> {
    if matches!(input.fork().parse(), Ok(syn::Stmt::Item(_))) {
        return Ok(input.parse::<syn::Item>()?.into_token_stream());
    }
    let mut tokens = TokenStream::new();
    for attribute in input.call(syn::Attribute::parse_outer)? {
        attribute.to_tokens(&mut tokens);
    }
    let Some(binding): Option<syn::Token![let]> = input.parse()? else {
        let expr = syn::Expr::parse_with_earlier_boundary_rule(input)?;
        expr.to_tokens(&mut tokens);
        return Ok(tokens);
    };
    binding.to_tokens(&mut tokens);
    syn::Pat::parse_single(input)?.to_tokens(&mut tokens);
    if let Some(colon) = input.parse::<Option<syn::Token![:]>>()? {
        colon.to_tokens(&mut tokens);
        input.parse::<syn::Type>()?.to_tokens(&mut tokens);
    }
    if let Some(equals) = input.parse::<Option<syn::Token![=]>>()? {
        equals.to_tokens(&mut tokens);
        input.parse::<syn::Expr>()?.to_tokens(&mut tokens);
        if let Some(otherwise) = input.parse::<Option<syn::Token![else]>>()? {
            otherwise.to_tokens(&mut tokens);
            input.parse::<syn::Block>()?.to_tokens(&mut tokens);
        }
    }
    Ok(tokens)
}

fn is_marked(path: &syn::Path) -> bool {
    let name = path.get_ident().cloned().map(TokenTree::from);
    name.is_some_and(|name| opaque_kind(&[name], 0).is_some())
}

/// What comes next, and its tokens as they are: those that `syn` makes of it part the marks of `A<B<C>>`.
fn passed<T: ToTokens>(
    input: ParseStream,
    parse: impl FnOnce(ParseStream) -> syn::Result<T>,
) -> syn::Result<(T, TokenStream)> {
    let mut cursor = input.cursor();
    let value = parse(input)?;
    let mut tokens = Vec::new();
    while cursor != input.cursor() {
        // It ends inside a group without delimiters.
        let Some((tree, next)) = cursor.token_tree() else {
            let tokens = value.to_token_stream();
            return Ok((value, tokens));
        };
        tokens.push(tree);
        cursor = next;
    }
    // What came next does not any more.
    if let Some(TokenTree::Punct(last)) = tokens.last_mut() {
        let mut alone = Punct::new(last.as_char(), Spacing::Alone);
        alone.set_span(last.span());
        *last = alone;
    }
    Ok((value, tokens.into_iter().collect()))
}

/// One token tree as `macro_rules!` counts them: `->`, `::` and `'a` are one.
fn tt(input: ParseStream) -> syn::Result<Vec<TokenTree>> {
    let mut token = vec![input.parse::<TokenTree>()?];
    while token.last().is_some_and(is_joint) && !input.is_empty() {
        token.push(input.parse()?);
    }
    if let ([TokenTree::Ident(word)], Ok(TokenTree::Group(behind))) =
        (&token[..], input.fork().parse())
    {
        if marks::is_visibility(word, &behind) {
            token.push(input.parse()?);
        }
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use crate::bundle::load::expand::settled;
    use crate::bundle::load::expand::tests::expand;

    #[test]
    fn tokens_are_matched_whole() {
        let taken = |patterns: [&str; 2], call: &str| {
            let [first, second] = patterns;
            let definition = format!("({first} $($r:tt)*) => {{ first }}; ({second} $($r:tt)*) => {{ second }}; ($($r:tt)*) => {{ neither }}");
            expand(&definition, call).unwrap()
        };
        assert_eq!(taken(["&", "&&"], "&& x"), "second");
        assert_eq!(taken(["&", "&&"], "& &x"), "first");
        assert_eq!(taken(["||", "| |"], "| | x"), "second");
        assert_eq!(taken(["||", "| |"], "||x"), "first");
        assert_eq!(taken([">", ">>"], ">>= x"), "neither");
        assert_eq!(taken(["<", "<-"], "<- x"), "second");
        assert_eq!(taken(["<", "<-"], "<'a"), "first");
        assert_eq!(taken(["..", "..="], "..=x"), "second");
        assert_eq!(taken(["&&&", "&& &"], "&&&x"), "first");
        assert_eq!(taken(["'b", "'a"], "'a"), "second");
    }

    #[test]
    fn a_fragment_may_end_within_a_token() {
        let definition =
            "($a:ident<$b:ident<$t:ty>>) => { glued }; ($a:ident<$b:ident<$t:ty> >) => { apart };";
        assert_eq!(expand(definition, "A<B<u8>>").unwrap(), "glued");
        assert_eq!(expand(definition, "A<B<C<u8>>>").unwrap(), "apart");
    }

    #[test]
    fn one_token_counts_once() {
        let definition = "($($x:tt)*) => { $([$x])* }";
        assert_eq!(
            expand(definition, "..= <- &&& ::< 'a -1 #!").unwrap(),
            "[..=] [<-] [&&] [&] [::] [<] ['a] [-] [1] [#] [!]"
        );
        // What comes behind a lifetime is no part of it.
        assert_eq!(
            expand(definition, "'a std::x {} -> y").unwrap(),
            "['a] [std] [::] [x] [{ }] [->] [y]"
        );
    }

    #[test]
    fn separators_are_whole_tokens() {
        let definition = "($($x:ident)||+; $($y:ident)+*) => { $($x)=>* $($y),* }";
        assert_eq!(expand(definition, "a || b; c d *").unwrap(), "a => b c , d");
        assert_eq!(expand(definition, "a | | b; c *"), None);
        assert_eq!(expand(definition, "a; c + d"), None);
    }

    #[test]
    fn marks_of_lifetimes_and_visibilities_are_as_good_as_none() {
        let definition =
            "($l:lifetime, $v:vis, $m:meta) => { paste! { $l $v $m } inner! { $l $v $m } f!(); $l $v }";
        assert_eq!(
            expand(definition, "'a, pub, inline").unwrap(),
            "paste ! { '__opaque_lifetime_a pub (in __opaque_vis) __opaque_path ! (inline) } \
             inner ! { '__opaque_lifetime_a pub (in __opaque_vis) inline } f ! () ; 'a pub"
        );
        assert_eq!(
            expand(definition, "'r#a, pub(crate), a(b)").unwrap(),
            "paste ! { 'r#__opaque_lifetime_a pub (crate) a (b) } \
             inner ! { 'r#__opaque_lifetime_a pub (crate) a (b) } f ! () ; 'r#a pub (crate)"
        );
        let (lifetime, vis) = ("'__opaque_lifetime_a", "pub(in __opaque_vis)");
        // A literal lifetime is the same one.
        let lifetimes = "('b) => { b }; ('a) => { a }";
        assert_eq!(expand(lifetimes, lifetime).unwrap(), "a");
        // It is one token, and no word.
        let kinds =
            "(pub) => { word }; ($i:ident $($r:tt)*) => { ident }; ($t:tt) => { $t struct A; inner!($t) }";
        assert_eq!(
            expand(kinds, vis).unwrap(),
            "pub struct A ; inner ! (pub (in __opaque_vis))"
        );
        assert_eq!(
            expand(
                "($i:item) => { $i }",
                &format!("{vis} struct A<{lifetime}>;")
            )
            .unwrap(),
            "pub struct A < 'a > ;"
        );
        let label = "($l:lifetime) => { fn f() { 'a: loop { $l } } }";
        assert_eq!(expand(label, lifetime), None);
        let call = format!("unknown!({lifetime} {vis});");
        assert_eq!(settled(&call, &|_| None).unwrap(), "unknown!('a pub);");
    }

    #[test]
    fn statements_end_before_their_semicolon() {
        let rules = "($($s:stmt);* $(;)?) => { fn f() { $($s;)* } }";
        for (given, expected) in [
            (
                "let x: u8 = 1; g(x); h![];",
                "let x : u8 = 1 ; g (x) ; h ! [] ;",
            ),
            ("let x", "let x ;"),
            (
                "let Some(x) = y else { return }; x",
                "let Some (x) = y else { return } ; x ;",
            ),
            (
                "if a { b() }; fn g() {} ; #[a] let y = 2",
                "if a { b () } ; fn g () { } ; # [a] let y = 2 ;",
            ),
        ] {
            let made = expand(rules, given).unwrap();
            assert_eq!(made, format!("fn f () {{ {expected} }}"), "{given}");
        }
        assert_eq!(expand("($s:stmt) => { struct A; }", "let"), None);
    }
}
