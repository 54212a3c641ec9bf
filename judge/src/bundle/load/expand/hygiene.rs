//! A rule's own local variables and labels, which are not those of its calls though they have the same names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use syn::ext::IdentExt;

use super::{Binding, Bindings, Pattern, EVALUATING, KEYWORDS};
use crate::bundle::load::{marks, pasted};
use crate::bundle::text::source::words;
use crate::bundle::text::tokens::{is_ident, is_joint, is_punct, with_inside};

fn fragment_kinds<'p>(patterns: &'p [Pattern], kinds: &mut BTreeMap<&'p str, &'p str>) {
    for pattern in patterns {
        match pattern {
            Pattern::Fragment(name, kind) => {
                kinds.insert(name, kind);
            }
            Pattern::Group(_, inner) | Pattern::Repeat(inner, ..) => fragment_kinds(inner, kinds),
            Pattern::Token(_) => {}
        }
    }
}

/// Names as the compiler compares them: `r#x` is `x`.
#[derive(Default)]
pub struct Names {
    /// Of variables and of all else.
    words: BTreeSet<String>,
    /// Of lifetimes and of labels.
    lifetimes: BTreeSet<String>,
    /// They are those of a function, so that also those in patterns of the template have to be told.
    of_function: bool,
}

impl Names {
    /// Those that a call brings along, and variables that are there where it stands.
    pub fn given(lhs: &[Pattern], bindings: &Bindings, variables: &BTreeSet<String>) -> Self {
        let mut kinds = BTreeMap::new();
        fragment_kinds(lhs, &mut kinds);
        let mut given = Self {
            words: variables.clone(),
            of_function: !variables.is_empty(),
            ..Self::default()
        };
        captured(bindings, &kinds, &mut given);
        given
    }
}

/// What a call brings along that may be a variable or a label: not what the pattern itself has.
fn captured(bindings: &Bindings, kinds: &BTreeMap<&str, &str>, found: &mut Names) {
    for (name, binding) in bindings {
        match binding {
            Binding::One(tokens, _) => match kinds.get(name.as_str()).copied() {
                Some("meta" | "vis") => {}
                // Of a longer path, nothing is a variable.
                kind => all_names(tokens.clone(), matches!(kind, Some("ty" | "path")), found),
            },
            Binding::Many(rounds) => {
                for bindings in rounds {
                    captured(bindings, kinds, found);
                }
            }
        }
    }
}

fn bare(name: &Ident) -> String {
    marks::bare_lifetime(name).unraw().to_string()
}

/// All names of tokens, those that strings format among them; with `short`, only paths of one segment.
fn all_names(stream: TokenStream, short: bool, found: &mut Names) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &trees[before]);
        match tree {
            TokenTree::Ident(name) if is_punct(before, '\'') => {
                found.lifetimes.insert(bare(name));
            }
            TokenTree::Ident(_) if short && in_path(&trees, at) => {}
            TokenTree::Ident(name) => {
                found.words.insert(bare(name));
            }
            TokenTree::Literal(literal) => found.words.extend(formatted(&literal.to_string())),
            TokenTree::Group(group) if is_punct(before, '#') && is_doc(group) => {}
            TokenTree::Group(group) => all_names(group.stream(), short, found),
            TokenTree::Punct(_) => {}
        }
    }
}

/// Whether what stands in brackets is a line of documentation.
fn is_doc(group: &Group) -> bool {
    let mut inside = group.stream().into_iter();
    is_ident(inside.next().as_ref(), "doc")
        && is_punct(inside.next().as_ref(), '=')
        && matches!(inside.next(), Some(TokenTree::Literal(_)))
        && inside.next().is_none()
}

/// Whether a name has `::` before or behind it.
fn in_path(trees: &[TokenTree], at: usize) -> bool {
    let colons = |first: Option<usize>| {
        first.is_some_and(|first| {
            trees.get(first).is_some_and(is_joint)
                && is_punct(trees.get(first), ':')
                && is_punct(trees.get(first + 1), ':')
        })
    };
    colons(at.checked_sub(2)) || colons(Some(at + 1))
}

/// What stands between the braces of a literal: the variables that a macro which formats takes from there.
fn formatted(literal: &str) -> Vec<String> {
    if !literal.ends_with(['"', '#']) {
        return Vec::new();
    }
    let inside = literal.split('{').skip(1);
    let inside = inside.filter_map(|rest| Some(rest.split_once('}')?.0));
    inside.flat_map(words).map(str::to_owned).collect()
}

/// The template with its own local variables renamed where the call brings the same name along: to the compiler these are
/// different variables. `None` where it is unclear what a name is.
pub fn hygienic(template: TokenStream, given: &Names, call: TokenStream) -> Option<TokenStream> {
    let mut found = Found::default();
    let outside = Inside {
        around: Around::Other,
        pattern: false,
        repeated: false,
    };
    look(template.clone(), given, outside, &mut found);
    let clear = found.bound.is_disjoint(&found.passed) && found.bound.is_disjoint(&found.fields);
    if found.unclear || !found.used.is_subset(&found.bound) || !clear {
        return None;
    }
    if found.bound.is_empty() {
        return Some(template);
    }
    let mut taken = Names::default();
    all_names(template.clone(), false, &mut taken);
    all_names(call, false, &mut taken);
    let local = found.bound.into_iter().map(|name| {
        let other = unused(&name, &taken.words);
        (name, other)
    });
    Some(renamed(template, &local.collect(), Around::Other))
}

/// A name for a local variable that nothing else has.
fn unused(name: &str, taken: &BTreeSet<String>) -> String {
    let mut other = format!("{name}_local");
    while taken.contains(&other) {
        other.push('_');
    }
    other
}

/// Names of a template that its call has too.
#[derive(Default)]
struct Found {
    /// `let` or `for` binds them.
    bound: BTreeSet<String>,
    /// They may be variables.
    used: BTreeSet<String>,
    /// They are passed on to another macro, or a string formats them.
    passed: BTreeSet<String>,
    /// They look like fields, outside of anything that has fields.
    fields: BTreeSet<String>,
    /// A label has the name of one of the call, or a variable that of a type or a constant.
    unclear: bool,
}

/// What a group of tokens is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The fields of `Name { … }`.
    Fields,
    /// The same, in a `let`.
    LetFields,
    /// `( … )`, of a function among others.
    Parentheses,
    Other,
}

/// Where tokens stand.
#[derive(Clone, Copy)]
struct Inside {
    around: Around,
    /// They are a part of a pattern.
    pattern: bool,
    /// They are in a repetition, so that others stand before the first and behind the last.
    repeated: bool,
}

/// Whether the group at `at` is what a template repeats.
fn is_repetition(trees: &[TokenTree], at: usize, group: &Group) -> bool {
    let dollar = at.checked_sub(1).and_then(|before| trees.get(before));
    group.delimiter() == Delimiter::Parenthesis && is_punct(dollar, '$')
}

fn around(trees: &[TokenTree], at: usize, group: &Group, outside: Around) -> Around {
    let before = |back: usize| at.checked_sub(back).map(|n| &trees[n]);
    match group.delimiter() {
        // Its parentheses are not in the expansion.
        Delimiter::Parenthesis if is_repetition(trees, at, group) => return outside,
        Delimiter::Brace => {}
        Delimiter::Parenthesis => return Around::Parentheses,
        _ => return Around::Other,
    }
    let path = match before(1) {
        Some(TokenTree::Ident(name)) => {
            // A type, or a fragment that is one.
            name.to_string().starts_with(char::is_uppercase) || is_punct(before(2), '$')
        }
        Some(TokenTree::Punct(p)) => {
            p.as_char() == '>'
                && !matches!(before(2), Some(TokenTree::Punct(p)) if matches!(p.as_char(), '=' | '-'))
        }
        _ => false,
    };
    let is_let = (2..4).any(|n| is_ident(before(n), "let"));
    match (path, is_let) {
        (true, true) => Around::LetFields,
        (true, false) => Around::Fields,
        _ => Around::Other,
    }
}

/// What an identifier in a template is.
enum Role {
    /// `let` or `for` binds it here.
    Bound,
    /// A field that a variable of the same name goes into or comes out of.
    Shorthand,
    Variable,
    /// A field, a method, a type, a fragment.
    Else,
}

fn role(trees: &[TokenTree], at: usize, name: &str, around: Around) -> Role {
    let before = |back: usize| at.checked_sub(back).map(|n| &trees[n]);
    let word = |back: usize| match before(back) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let next = trees.get(at + 1);
    let path_follows = is_punct(next, ':')
        && is_punct(trees.get(at + 2), ':')
        && matches!(next, Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint);
    let no_variable = name.starts_with(char::is_uppercase)
        || ["self", "super", "crate", "mut", "ref", "_"].contains(&name)
        || KEYWORDS.contains(&name)
        || PRIMITIVE.contains(&name)
        || is_punct(before(1), '.') && !is_punct(before(2), '.')
        || is_punct(before(1), '$')
        || is_punct(before(1), '\'')
        || is_punct(before(1), ':')
            && is_punct(before(2), ':')
            && matches!(before(2), Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint)
        || ["fn", "mod", "type", "macro_rules"].contains(&word(1).as_str())
        || is_punct(next, '!') && !next.is_some_and(is_joint)
        || path_follows
        || name == "union" && is_definition(trees, at);
    if no_variable {
        return Role::Else;
    }
    if ["let", "for"].contains(&word(1).as_str()) || word(1) == "mut" && word(2) == "let" {
        return Role::Bound;
    }
    // A parameter of a function or of a closure.
    if around == Around::Parentheses && is_punct(next, ':') {
        return Role::Bound;
    }
    let bar = if word(1) == "mut" { 2 } else { 1 };
    let opens = match before(bar + 1) {
        None => true,
        Some(TokenTree::Ident(word)) => *word == "move",
        Some(TokenTree::Punct(p)) => ",=".contains(p.as_char()),
        _ => false,
    };
    if is_punct(before(bar), '|') && opens && (is_punct(next, '|') || is_punct(next, ',')) {
        return Role::Bound;
    }
    if matches!(around, Around::Fields | Around::LetFields) {
        if is_punct(next, ':') {
            return Role::Else;
        }
        if (at == 0 || is_punct(before(1), ',')) && (next.is_none() || is_punct(next, ',')) {
            return Role::Shorthand;
        }
    }
    Role::Variable
}

/// Whether a word is before the name of a type and its fields.
fn is_definition(trees: &[TokenTree], at: usize) -> bool {
    let fields = match trees.get(at + 1) {
        Some(TokenTree::Ident(_)) => trees.get(at + 2),
        Some(TokenTree::Punct(p)) if p.as_char() == '$' => trees.get(at + 3),
        _ => None,
    };
    matches!(fields, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

fn look(stream: TokenStream, given: &Names, inside: Inside, found: &mut Found) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // No attribute names a variable.
            TokenTree::Group(_) if is_attribute(&trees, at) => {}
            TokenTree::Group(group) => {
                // What another macro makes of the tokens is its own affair, if it is not one that leaves them what they are.
                let of = at.checked_sub(2).map(|at| &trees[at]);
                let leaves_them = matches!(of, Some(TokenTree::Ident(name)) if name == pasted::PACKAGE || EVALUATING.contains(&&*name.to_string()));
                if at > 0 && is_punct(trees.get(at - 1), '!') && !leaves_them {
                    let mut inside = Names::default();
                    all_names(group.stream(), false, &mut inside);
                    let passed = inside.words.intersection(&given.words);
                    found.passed.extend(passed.cloned());
                }
                let inner = Inside {
                    around: around(&trees, at, group, inside.around),
                    pattern: inside.pattern || is_pattern(&trees, at),
                    repeated: is_repetition(&trees, at, group),
                };
                look(group.stream(), given, inner, found)
            }
            TokenTree::Ident(name) if at > 0 && is_punct(trees.get(at - 1), '\'') => {
                found.unclear |= given.lifetimes.contains(&bare(name)) && is_label(&trees, at);
            }
            TokenTree::Ident(name) if given.words.contains(&bare(name)) => {
                look_at(&trees, at, name, inside, given.of_function, found);
            }
            TokenTree::Literal(literal) => {
                let names = formatted(&literal.to_string()).into_iter();
                let names: Vec<String> = names.filter(|name| given.words.contains(name)).collect();
                // It may be a variable that nothing here binds, or one that cannot be renamed.
                found.used.extend(names.iter().cloned());
                found.passed.extend(names);
            }
            _ => {}
        }
    }
}

/// Whether the group at `at` is what follows `#`.
fn is_attribute(trees: &[TokenTree], at: usize) -> bool {
    matches!(&trees[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
        && is_punct(at.checked_sub(1).and_then(|before| trees.get(before)), '#')
}

fn look_at(
    trees: &[TokenTree],
    at: usize,
    name: &Ident,
    inside: Inside,
    of_function: bool,
    found: &mut Found,
) {
    let next = trees.get(at + 1);
    let colon = is_punct(next, ':') && !next.is_some_and(is_joint);
    let role = role(trees, at, &name.to_string(), inside.around);
    found.unclear |= is_unusual(trees, at, name, inside);
    // It may be a whole element or only a part of one.
    let at_edge = inside.repeated && (at == 0 || next.is_none());
    found.unclear |= at_edge && matches!(role, Role::Shorthand);
    let name = bare(name);
    let is_bound = of_function && (inside.pattern || is_pattern(trees, at));
    if colon && inside.around == Around::Other && !matches!(role, Role::Bound) && !is_bound {
        found.fields.insert(name.clone());
    }
    match role {
        Role::Bound => found.bound.insert(name),
        Role::Shorthand if inside.around == Around::LetFields => found.bound.insert(name),
        Role::Shorthand | Role::Variable if is_bound => found.bound.insert(name),
        Role::Shorthand | Role::Variable => found.used.insert(name),
        Role::Else => false,
    };
}

/// Whether a lifetime of a template is a label.
fn is_label(trees: &[TokenTree], at: usize) -> bool {
    let is_word = |tree: Option<&TokenTree>, words: &[&str]| matches!(tree, Some(TokenTree::Ident(word)) if words.contains(&&*word.to_string()));
    let jump = at
        .checked_sub(2)
        .is_some_and(|before| is_word(trees.get(before), &["break", "continue"]));
    let behind = trees.get(at + 2);
    let loops = is_word(behind, &["loop", "while", "for"])
        || is_punct(behind, '$')
        || matches!(behind, Some(TokenTree::Group(_)));
    jump || is_punct(trees.get(at + 1), ':') && loops
}

/// Whether a name that looks like a type or a constant may be a local variable.
fn is_unusual(trees: &[TokenTree], at: usize, name: &Ident, inside: Inside) -> bool {
    let text = name.to_string();
    let before = at.checked_sub(1).and_then(|before| trees.get(before));
    let next = trees.get(at + 1);
    let colon = is_punct(next, ':') && !next.is_some_and(is_joint);
    let other = ["Self", "Some", "None", "Ok", "Err"].contains(&text.as_str())
        || !text.starts_with(char::is_uppercase)
        || in_path(trees, at)
        || is_punct(before, '$')
        || is_punct(before, '.')
        || matches!(next, Some(TokenTree::Group(_)));
    let parameter = inside.around == Around::Parentheses && colon;
    !other && (inside.pattern || parameter || is_pattern(trees, at))
}

/// Whether a token may be a part of a pattern: behind `let` or `for`, before `=>`, or between the bars of a closure.
fn is_pattern(trees: &[TokenTree], at: usize) -> bool {
    let is_word = |tree: &TokenTree, text: &str| is_ident(tree, text);
    let is_brace = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    // The fields of a pattern follow its name.
    let name_before = at > 0 && matches!(&trees[at - 1], TokenTree::Ident(_) | TokenTree::Punct(_));
    if is_brace(&trees[at]) && !name_before {
        return false;
    }
    let ends = |place: usize| {
        let tree = &trees[place];
        let arrow = is_punct(tree, '=') && is_joint(tree);
        is_brace(tree) || is_punct(tree, ';') || is_punct(tree, '=') && !arrow
    };
    let behind = || (at + 1..trees.len()).take_while(|&place| !ends(place));
    let before = || (0..at).rev().take_while(|&place| !ends(place));
    let is_type = |place: usize| {
        is_punct(trees.get(place), ':')
            && !is_joint(&trees[place])
            && !(place > 0 && is_joint(&trees[place - 1]))
    };
    let in_for = || behind().any(|place| is_word(&trees[place], "in"));
    let bound = before()
        .take_while(|&place| !is_type(place) && !is_word(&trees[place], "in"))
        .any(|place| is_word(&trees[place], "let") || is_word(&trees[place], "for") && in_for());
    let arrow =
        |place: &usize| is_punct(trees.get(*place), '=') && is_punct(trees.get(place + 1), '>');
    let arm = behind()
        .take_while(|&place| !is_punct(trees.get(place), ','))
        .any(|place| arrow(&place));
    let is_bar = |place: usize| is_punct(trees.get(place), '|');
    bound || arm || before().any(is_bar) && behind().any(is_bar)
}

/// The template with the variables of `local` under the names that are given there.
fn renamed(stream: TokenStream, local: &BTreeMap<String, String>, inside: Around) -> TokenStream {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut out = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let around = around(&trees, at, group, inside);
                let inner = renamed(group.stream(), local, around);
                out.push(with_inside(group, inner).into());
            }
            TokenTree::Ident(name) => match local.get(&bare(name)) {
                Some(other) => out.extend(variable(&trees, at, name, other, inside)),
                None => out.push(tree.clone()),
            },
            tree => out.push(tree.clone()),
        }
    }
    out.into_iter().collect()
}

/// What stands for a name in a template if `other` is the variable of that name.
fn variable(
    trees: &[TokenTree],
    at: usize,
    name: &Ident,
    other: &str,
    inside: Around,
) -> Vec<TokenTree> {
    let other = TokenTree::Ident(Ident::new(other, name.span()));
    match role(trees, at, &name.to_string(), inside) {
        Role::Else => vec![trees[at].clone()],
        Role::Bound | Role::Variable => vec![other],
        Role::Shorthand => {
            let colon = Punct::new(':', Spacing::Alone);
            vec![trees[at].clone(), colon.into(), other]
        }
    }
}

const PRIMITIVE: [&str; 18] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize", "never",
];

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use crate::bundle::load::expand::tests::expand;
    use crate::bundle::load::expand::Macro;

    #[test]
    fn variables_of_the_template_are_not_those_of_the_call() {
        let definition =
            "($v:ident) => { fn f($v: u8) -> u8 { let i = 1; self.i + s::i + i + $v } }";
        assert_eq!(
            expand(definition, "i").unwrap(),
            "fn f (i : u8) -> u8 { let i_local = 1 ; self . i + s :: i + i_local + i }"
        );
        assert_eq!(
            expand(
                "($v:ident) => { fn f($v: u8) -> u8 { match 1 { i => i + $v } } }",
                "i"
            ),
            None
        );
        assert_eq!(
            expand("($v:ident) => { fn f(self, $v: u8) { let Self { i } = self; let s = S { i: i, j }; } }", "i").unwrap(),
            "fn f (self , i : u8) { let Self { i : i_local } = self ; let s = S { i : i_local , j } ; }"
        );
    }

    #[test]
    fn raw_names_are_names() {
        assert_eq!(
            expand(
                "($v:ident) => { fn f($v: u8) { let r#type = 7; r#type + $v } }",
                "r#type"
            )
            .unwrap(),
            "fn f (r#type : u8) { let type_local = 7 ; type_local + r#type }"
        );
        assert_eq!(
            expand("($e:expr) => { fn f() { let r#x = 7; x + $e } }", "x").unwrap(),
            "fn f () { let x_local = 7 ; x_local + x }"
        );
    }

    #[test]
    fn strings_format_variables() {
        let local = r#"($w:ident) => { fn f($w: u8) { let w = 1; format!("{:>w$}", "") } }"#;
        assert_eq!(expand(local, "w"), None);
        assert!(expand(local, "v").is_some());
        let global = r#"($w:ident) => { fn f($w: u8) { format!("{w}") } }"#;
        assert_eq!(expand(global, "w"), None);
        assert_eq!(
            expand(
                "($f:literal) => { fn f(n: u8) { format!($f) } }",
                "\"<{n:?}>\""
            )
            .unwrap(),
            "fn f (n_local : u8) { format ! (\"<{n:?}>\") }"
        );
    }

    #[test]
    fn variables_may_have_any_script() {
        assert_eq!(
            expand("($e:expr) => { fn f() { let 甲 = 1; 甲 + $e } }", "甲").unwrap(),
            "fn f () { let 甲_local = 1 ; 甲_local + 甲 }"
        );
        for body in [
            "let N = 7; N + $e",
            "let (a, mut N): (u8, u8) = g(); N + $e",
            "for (N, _) in g() { h(N + $e) }",
            "match g() { Some(N) => N + $e, _ => 1 }",
            "g(|a, N| N + $e)",
        ] {
            let definition = format!("($e:expr) => {{ fn f() {{ {body} }} }}");
            assert_eq!(expand(&definition, "N"), None, "{body}");
        }
        let parameter = "($e:expr) => { fn f(N: u8) { N + $e } }";
        assert_eq!(expand(parameter, "N"), None);
        let constant = "($e:expr) => { impl<T> A<T> for N { fn f(x: N) -> N { g::<N>(N + $e) } } }";
        assert!(expand(constant, "N").is_some());
    }

    #[test]
    fn a_repetition_is_no_list_of_parameters() {
        let generic = "($($n:ident => $t:ty;)+) => { $(impl<T: 'a, O> A<T> for $n where O: B { fn f(x: $t) {} })+ }";
        assert_eq!(
            expand(generic, "N => &'a C<T, O>;").unwrap(),
            "impl < T : 'a , O > A < T > for N where O : B { fn f (x : & 'a C < T , O >) { } }"
        );
        // But it may be in one.
        let parameters = "($e:expr, $($t:ty),*) => { fn f($(N: $t),*) -> u8 { N + $e } }";
        assert_eq!(expand(parameters, "N, u8"), None);
        let parameters = "($e:expr, $($t:ty),*) => { fn f($(n: $t),*) -> u8 { n + $e } }";
        assert_eq!(
            expand(parameters, "n, u8").unwrap(),
            "fn f (n_local : u8) -> u8 { n_local + n }"
        );
        let bound = "($e:expr, $($t:ty)?) => { fn f() { let $((N, b))? = g(); N + $e } }";
        assert_eq!(expand(bound, "N, u8"), None);
    }

    #[test]
    fn a_repetition_of_fields_has_fields() {
        assert_eq!(
            expand(
                "($e:expr, $($t:ty),*) => { struct S { $(n: $t),* } fn f(n: u8) { S { $(n: n as $t),* }; n + $e } }",
                "n, u8"
            )
            .unwrap(),
            "struct S { n : u8 } fn f (n_local : u8) { S { n : n_local as u8 } ; n_local + n }"
        );
        for fields in ["$($t: n)?, b", "$(n)? $t", "a: $(n)? $t", "$(b, n)?, $t"] {
            let definition = format!(
                "($e:expr, $($t:ident)?) => {{ fn f(n: u8) {{ S {{ {fields} }}; n + $e }} }}"
            );
            let refused = expand(&definition, "n, m").is_none();
            assert_eq!(refused, !fields.contains(": n"), "{fields}");
        }
    }

    #[test]
    fn true_is_no_variable() {
        assert_eq!(
            expand("($e:expr) => { fn f() { g(true, $e) } }", "true").unwrap(),
            "fn f () { g (true , true) }"
        );
    }

    #[test]
    fn a_union_is_no_variable() {
        let union = |call| expand("($n:ident) => { union $n { a: u8 } }", call);
        assert_eq!(union("A").unwrap(), "union A { a : u8 }");
        let variable = "($e:expr) => { let union = 1; $e + union }";
        let given = expand(variable, "union").unwrap();
        assert_eq!(given, "let union_local = 1 ; union + union_local");
    }

    #[test]
    fn new_names_are_new() {
        assert_eq!(
            expand(
                "($e:expr) => { fn f() { let i = 1; i + $e } }",
                "i + i_local"
            )
            .unwrap(),
            "fn f () { let i_local_ = 1 ; i_local_ + (i + i_local) }"
        );
        assert_eq!(
            expand("($e:expr) => { fn f() { let i = i_local(); i + $e } }", "i").unwrap(),
            "fn f () { let i_local_ = i_local () ; i_local_ + i }"
        );
    }

    #[test]
    fn paths_may_be_variables() {
        let definition = "($p:path) => { fn f() { let limit = 1; limit + $p() } }";
        assert_eq!(
            expand(definition, "limit").unwrap(),
            "fn f () { let limit_local = 1 ; limit_local + limit () }"
        );
        assert_eq!(
            expand(definition, "limit::of").unwrap(),
            "fn f () { let limit = 1 ; limit + limit :: of () }"
        );
    }

    #[test]
    fn a_variable_is_compared() {
        assert_eq!(
            expand("($e:expr) => { fn f() { let i = 1; i != $e } }", "i").unwrap(),
            "fn f () { let i_local = 1 ; i_local != i }"
        );
    }

    #[test]
    fn labels_of_the_template_are_not_those_of_the_call() {
        let label = "($l:lifetime) => { fn f() { $l: loop { 'out: loop { break $l; } } } }";
        assert_eq!(expand(label, "'out"), None);
        assert!(expand(label, "'other").is_some());
        let inside = "($e:expr) => { fn f() { 'a: for i in $e { continue 'a; } } }";
        assert_eq!(expand(inside, "'a: { break 'a 3 }"), None);
        let lifetime = "($l:lifetime) => { fn f<$l, 'b: 'a>(x: &'a u8) {} }";
        assert!(expand(lifetime, "'a").is_some());
    }

    #[test]
    fn patterns_of_the_template_bind_variables() {
        let among = |rules: &str| {
            let parsed = Macro::parse(rules.parse().unwrap()).unwrap();
            let variables = ["x", "y", "f"].map(str::to_owned).into();
            let made = parsed.expand_among(TokenStream::new(), &variables)?;
            Some(made.to_string().replace(' ', ""))
        };
        for (made, expected) in [
            (
                "match a { Some(x) => x, P { y, .. } => y, z => z }",
                "matcha{Some(x_local)=>x_local,P{y:y_local,..}=>y_local,z=>z}",
            ),
            (
                "if let [x, ..] = a { x } else { 1 }",
                "iflet[x_local,..]=a{x_local}else{1}",
            ),
            ("|x: u8| x + 1", "|x_local:u8|x_local+1"),
            (
                "a.map(|(x, y)| x + y)",
                "a.map(|(x_local,y_local)|x_local+y_local)",
            ),
        ] {
            let found = among(&format!("() => {{ {made} }}"));
            assert_eq!(found.as_deref(), Some(expected), "{made}");
        }
        // It may be a function that the variable hides.
        assert_eq!(among("() => { f(1) }"), None);
    }

    #[test]
    fn attributes_of_the_template_name_no_variables() {
        assert_eq!(
            expand(
                "($($t:tt)*) => { #[cfg(not(a))] f! { $($t)* } }",
                "not(a) => { mod b; }"
            )
            .unwrap(),
            "# [cfg (not (a))] f ! { not (a) => { mod b ; } }"
        );
    }
}
