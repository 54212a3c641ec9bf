//! What an arm becomes: its template with the fragments of a call in it.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::matching::repeat_tail;
use super::{called, Binding, Bindings};
use crate::bundle::load::marks::{is_negative, marked, transparent, with_its_sign};
use crate::bundle::load::pasted;
use crate::bundle::text::tokens::{is_ident, is_punct, with_inside};

/// Macros of the standard library to which it makes no difference who wrote their arguments.
const INDIFFERENT: [&str; 31] = [
    "addr_of",
    "addr_of_mut",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg_if",
    "cfg_select",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "matches",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Negative numbers, which were groups without delimiters, as text.
fn without_invisible(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::with_capacity(trees.len());
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                out.extend(with_its_sign(group.stream(), trees.get(at + 1)));
            }
            TokenTree::Group(group) => {
                let inner = without_invisible(group.stream());
                out.push(with_inside(group, inner).into());
            }
            tree => out.push(tree.clone()),
        }
    }
    out.into_iter().collect()
}

/// What an arm becomes.
pub fn substituted(rhs: TokenStream, bindings: &Bindings) -> Option<TokenStream> {
    let mut out = Vec::new();
    substitute(rhs, bindings, Called::Nothing, &mut out)?;
    Some(without_invisible(out.into_iter().collect()))
}

/// What tokens of a template are handed to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Nothing,
    Macro,
    Paste,
}

fn substitute(
    rhs: TokenStream,
    bindings: &Bindings,
    outside: Called,
    out: &mut Vec<TokenTree>,
) -> Option<()> {
    let trees: Vec<TokenTree> = rhs.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Ident(name))) if p.as_char() == '$' => {
                if name == "crate" {
                    out.push(TokenTree::Ident(name.clone()));
                } else {
                    match bindings.get(&name.to_string()) {
                        Some(Binding::One(tokens, kind)) if outside != Called::Nothing => {
                            let tokens = tokens.clone();
                            out.extend(match kind {
                                Some(kind) => marked(*kind, tokens, outside == Called::Paste),
                                None => tokens,
                            });
                        }
                        Some(Binding::One(tokens, kind)) => {
                            let tokens = transparent(tokens.clone());
                            let tokens = if is_negative(&tokens) {
                                // What follows may come from another fragment.
                                let number = Group::new(Delimiter::None, tokens);
                                TokenTree::from(number).into()
                            } else {
                                tokens
                            };
                            let cast = is_ident(out.last(), "as");
                            // As text, what follows would be the parameters of the type. Those of a name they are.
                            if cast && kind.is_some() && is_punct(trees.get(at + 2), '<') {
                                let inner = Group::new(Delimiter::Parenthesis, tokens);
                                out.push(TokenTree::Group(inner));
                            } else if let Some(block) =
                                argument_block(&tokens, out.last(), trees.get(at + 2))
                            {
                                out.push(TokenTree::Group(block));
                            } else {
                                out.extend(tokens);
                            }
                        }
                        Some(Binding::Many(_)) => return None,
                        None => {
                            // A fragment of a macro that this one defines.
                            out.push(trees[at].clone());
                            out.push(trees[at + 1].clone());
                        }
                    }
                }
                at += 2;
            }
            (TokenTree::Punct(p), Some(TokenTree::Group(group)))
                if p.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
            {
                let (separator, _, next) = repeat_tail(&trees, at + 2)?;
                let mut names = Vec::new();
                used_names(group.stream(), &mut names);
                let many: Vec<&Vec<Bindings>> = names
                    .iter()
                    .filter_map(|name| match bindings.get(name) {
                        Some(Binding::Many(rounds)) => Some(rounds),
                        _ => None,
                    })
                    .collect();
                let Some(first) = many.first() else {
                    // A repetition of a macro that this one defines.
                    if names.iter().any(|name| bindings.contains_key(name)) {
                        return None;
                    }
                    out.push(trees[at].clone());
                    out.push(trees[at + 1].clone());
                    out.extend(separator);
                    out.push(trees[next - 1].clone());
                    at = next;
                    continue;
                };
                let count = first.len();
                if many.iter().any(|rounds| rounds.len() != count) {
                    return None;
                }
                for round in 0..count {
                    if round > 0 {
                        out.extend(separator.iter().cloned());
                    }
                    // No more than it names: of calls in calls all is copied as often as there are rounds.
                    let mut inner = Bindings::new();
                    for name in &names {
                        match bindings.get(name) {
                            Some(Binding::Many(rounds)) => inner.extend(rounds[round].clone()),
                            Some(one) => _ = inner.insert(name.clone(), one.clone()),
                            None => {}
                        }
                    }
                    substitute(group.stream(), &inner, outside, out)?;
                }
                at = next;
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Vec::new();
                let called = match called(&trees, at).map(ToString::to_string) {
                    Some(name) if outside == Called::Nothing => match &*name {
                        pasted::PACKAGE => Called::Paste,
                        name if INDIFFERENT.contains(&name) => Called::Nothing,
                        _ => Called::Macro,
                    },
                    _ => outside,
                };
                substitute(group.stream(), bindings, called, &mut inner)?;
                out.push(with_inside(group, inner.into_iter().collect()).into());
                at += 1;
            }
            (tree, _) => {
                out.push(tree.clone());
                at += 1;
            }
        }
    }
    Some(())
}

/// The block that an expression is, without its parentheses, between what stands around an argument: types take none there.
fn argument_block(
    tokens: &TokenStream,
    before: Option<&TokenTree>,
    behind: Option<&TokenTree>,
) -> Option<Group> {
    let is_alone = (is_punct(before, ',') || is_punct(before, '<'))
        && (is_punct(behind, ',') || is_punct(behind, '>'));
    let only = |tokens: TokenStream, delimiter: Delimiter| {
        let mut trees = tokens.into_iter();
        match (trees.next()?, trees.next()) {
            (TokenTree::Group(group), None) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    };
    let inside = only(tokens.clone(), Delimiter::Parenthesis).filter(|_| is_alone)?;
    only(inside.stream(), Delimiter::Brace)
}

/// The tokens behind an `#[allow(…)]` and the like in front of an expression, which parentheses must not stand around.
pub fn without_lint_attribute(tokens: &TokenStream) -> Option<TokenStream> {
    let mut trees = tokens.clone().into_iter();
    let hash = trees.next();
    let Some(TokenTree::Group(group)) = trees.next() else {
        return None;
    };
    let lint = group.stream().into_iter().next()?.to_string();
    let is_lint = ["allow", "warn", "deny", "expect"].contains(&lint.as_str());
    (is_punct(hash.as_ref(), '#') && is_lint).then(|| trees.collect())
}

pub fn used_names(stream: TokenStream, names: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => used_names(group.stream(), names),
            TokenTree::Ident(ident) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                names.push(ident.to_string());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::bundle::load::expand::tests::expand;

    #[test]
    fn repetitions_nest_and_separate() {
        assert_eq!(
            expand(
                "($($n:ident: $($t:ty),+);* $(;)?) => { $(fn $n($(_: $t),+) {})* }",
                "a: u8, i8; b: u16;"
            )
            .unwrap(),
            "fn a (_ : u8 , _ : i8) { } fn b (_ : u16) { }"
        );
    }

    #[test]
    fn the_trait_of_a_path_has_its_parameters() {
        assert_eq!(
            expand(
                "($tr:ident, $t:ty) => { type A = <$t as $tr<$t>>::B; }",
                "Add, u8"
            )
            .unwrap(),
            "type A = < u8 as Add < u8 >> :: B ;"
        );
    }

    #[test]
    fn a_type_keeps_together_before_a_shift() {
        assert_eq!(
            expand(
                "($t:ty, $n:expr) => { const X: $t = 1 as $t << $n; }",
                "u8, 3"
            )
            .unwrap(),
            "const X : u8 = 1 as (u8) << 3 ;"
        );
    }

    #[test]
    fn an_expression_keeps_together() {
        assert_eq!(
            expand("($e:expr) => { const X: u8 = 2 * $e; }", "1 + 2").unwrap(),
            "const X : u8 = 2 * (1 + 2) ;"
        );
    }

    #[test]
    fn an_attribute_stands_in_front_of_no_expression() {
        assert_eq!(
            expand(
                "($e:expr) => { fn f() -> u8 { $e } }",
                "#[allow(clippy::identity_op)] { 1 + 0 }"
            )
            .unwrap(),
            "fn f () -> u8 { ({ 1 + 0 }) }"
        );
    }

    #[test]
    fn a_block_for_a_type_has_no_parentheses() {
        let definition = "($a:expr, $b:expr) => { fn f() -> A<$a, $b> { g::<$a>($a, $b * 2) } }";
        assert_eq!(
            expand(definition, "{ 1 + 2 }, 3").unwrap(),
            "fn f () -> A < { 1 + 2 } , 3 > { g :: < { 1 + 2 } > (({ 1 + 2 }) , 3 * 2) }"
        );
        // What is none where types are stays, and is read as an error.
        assert_eq!(
            expand("($a:expr) => { type B = A<$a>; }", "1 + 2").unwrap(),
            "type B = A < (1 + 2) > ;"
        );
    }

    #[test]
    fn a_number_keeps_its_sign() {
        let definition = "($l:literal) => { const X: i32 = $l.pow(2); }";
        assert_eq!(
            expand(definition, "-3i32").unwrap(),
            "const X : i32 = (- 3i32) . pow (2) ;"
        );
        assert_eq!(
            expand(definition, "3i32").unwrap(),
            "const X : i32 = 3i32 . pow (2) ;"
        );
        assert_eq!(
            expand(
                "($l:literal $($t:tt)*) => { const X: i32 = $l $($t)*; }",
                "-3 .abs()"
            )
            .unwrap(),
            "const X : i32 = (- 3) . abs () ;"
        );
        // Where parentheses would be wrong, or be seen.
        assert_eq!(
            expand(
                "($l:literal) => { fn f() { match x { $l..=3 => concat!($l), _ => g(-$l) } } }",
                "-3"
            )
            .unwrap(),
            "fn f () { match x { - 3 ..= 3 => concat ! (- 3) , _ => g (- - 3) } }"
        );
    }
}
