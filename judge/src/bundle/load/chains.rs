//! Conditions of edition 2024 that match and compare at once, `if let P = E && c`, as those one in the other that all editions know.
//!
//! ```text
//! if let P = E && c { A }              if let P = E { if c { A } }
//! if let P = E && c { A } else { B }   'matched: { if let P = E { if c { break 'matched A; } } B }
//! while let P = E && c { A }           while let P = E { if !(c) { break; } A }
//! while c && let P = E { A }           while c { if let P = E { A continue; } break; }
//! ```
//!
//! What is matched lives as long as it did: to the end of the `if`, or of the loop's body.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprIf, ExprWhile, File, ItemMacro, Macro};

use super::matched::{tail, visit_arguments, visit_code, Matched, Place};
use super::templates::{self, Templates};
use crate::bundle::text::source::{self, Edits};
use crate::bundle::text::tokens::is_punct;

/// The text without chains of conditions; `None` if it has none.
pub fn nested(text: &str) -> syn::Result<Option<String>> {
    if !text.contains("&&") {
        return Ok(None);
    }
    let braced = braced(text);
    let text = braced.as_deref().unwrap_or(text);
    let file = syn::parse_file(text)?;
    let made = Templates::of(text, may_have_chain);
    let files: Vec<&File> = made.file.iter().chain([&file]).collect();
    let mut writer = Writer {
        matched: Matched::new(text, &files),
        rules: &made.ranges,
        labelled: labelled(text),
        place: Place::Anywhere,
    };
    for file in files {
        writer.visit_file(file);
    }
    let edits = writer.matched.edits;
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

fn may_have_chain(code: &str) -> bool {
    code.contains("&&") && code.contains("let ")
}

/// The macros with a chain that has an `else`.
fn labelled(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !text.contains("macro_rules") {
        return found;
    }
    source::macro_definitions(text.parse().unwrap_or_default(), &mut |name, body| {
        let code = &text[body.span().byte_range()];
        if may_have_chain(code) && code.contains("else") {
            found.insert(name.to_string());
        }
    });
    found
}

/// The text with braces around the blocks that macros get, where chains are made: then it can be read as code.
fn braced(text: &str) -> Option<String> {
    let mut edits = Edits::default();
    if !text.contains(":block") && !text.contains(": block") {
        return None;
    }
    source::macro_definitions(text.parse().ok()?, &mut |_, body| {
        for (kinds, made) in templates::rules(body.stream()) {
            let code = &text[made.span().byte_range()];
            if may_have_chain(code) {
                surround_blocks(made.stream(), &kinds, &mut edits);
            }
        }
    });
    (!edits.is_empty()).then(|| edits.apply(text))
}

fn surround_blocks(made: TokenStream, kinds: &BTreeMap<String, String>, edits: &mut Edits) {
    let trees: Vec<TokenTree> = made.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => surround_blocks(group.stream(), kinds, edits),
            TokenTree::Ident(name) if at > 0 && is_punct(trees.get(at - 1), '$') => {
                let kind = kinds.get(&name.to_string());
                if kind.is_some_and(|kind| kind == "block") {
                    let start = trees[at - 1].span().byte_range().start;
                    edits.surround(start..name.span().byte_range().end, "{ ", " }");
                }
            }
            _ => {}
        }
    }
}

/// A part of a chain that can be a condition on its own: a pattern, or all that is compared before the next one.
struct Link {
    range: Range<usize>,
    is_let: bool,
    is_in_parentheses: bool,
    /// The `&&` before it.
    and: Range<usize>,
}

/// The links of a condition that is a chain.
fn links(condition: &Expr) -> Option<Vec<Link>> {
    fn add(expr: &Expr, and: Range<usize>, links: &mut Vec<Link>) {
        if let Expr::Binary(both) = expr {
            if matches!(both.op, BinOp::And(_)) {
                add(&both.left, and, links);
                return add(&both.right, both.op.span().byte_range(), links);
            }
        }
        let is_let = matches!(expr, Expr::Let(_));
        let range = expr.span().byte_range();
        match links.last_mut() {
            Some(last) if !last.is_let && !is_let => {
                last.range.end = range.end;
                last.is_in_parentheses = false;
            }
            _ => links.push(Link {
                range,
                is_let,
                is_in_parentheses: matches!(expr, Expr::Paren(_)),
                and,
            }),
        }
    }
    let mut found = Vec::new();
    add(condition, 0..0, &mut found);
    (found.len() > 1).then_some(found)
}

struct Writer<'t> {
    matched: Matched<'t>,
    /// The rules of macros that are read as code.
    rules: &'t [Range<usize>],
    /// Macros that get a block with a label: a jump in what they get has to say where it leads.
    labelled: BTreeSet<String>,
    /// Where the next `if` stands.
    place: Place,
}

impl Writer<'_> {
    /// Takes the parentheses away that a condition of its own does not need.
    fn bare(&mut self, link: &Link) {
        if link.is_in_parentheses {
            let Range { start, end } = link.range;
            self.matched.edits.delete(start..start + 1);
            self.matched.edits.delete(end - 1..end);
        }
    }
}

impl<'ast> Visit<'ast> for Writer<'_> {
    fn visit_expr_if(&mut self, expr: &'ast ExprIf) {
        let place = std::mem::take(&mut self.place);
        let links = links(&expr.cond).unwrap_or_default();
        let is_open = !links.is_empty() && expr.else_branch.is_some();
        let open = is_open.then(|| self.matched.open(expr, place));
        self.visit_expr(&expr.cond);
        self.visit_block(&expr.then_branch);
        for link in &links {
            self.bare(link);
        }
        for link in links.iter().skip(1) {
            let and = self.matched.with_blanks(link.and.clone());
            self.matched.edits.replace(and, " { if ");
            let end = expr.then_branch.span().byte_range().end;
            self.matched.edits.insert(end, " }");
        }
        if let Some((_, other)) = &expr.else_branch {
            self.place = Matched::place(open.as_ref(), other);
            self.visit_expr(other);
        }
        if let Some(open) = open {
            self.matched.close(expr, open);
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        visit::visit_expr_while(self, expr);
        let Some(links) = links(&expr.cond) else {
            return;
        };
        let braces = expr.body.brace_token.span;
        let edits = &mut self.matched.edits;
        // Behind a pattern there is a block to begin, behind what is compared there is one.
        let (mut patterns, mut begin) = (0, " { ");
        for link in &links[1..] {
            if link.is_let {
                edits.replace(link.and.clone(), format!("{begin}if "));
                patterns += 1;
                begin = " { ";
            } else {
                let (not, end) = match link.is_in_parentheses {
                    true => ("!", ""),
                    false => ("!(", ")"),
                };
                edits.replace(link.and.clone(), format!("{begin}if "));
                edits.insert(link.range.start, not);
                edits.insert(link.range.end, format!("{end} {{ break; }}"));
                begin = " ";
            }
        }
        if begin == " " {
            self.matched.unbrace(&expr.body);
        }
        let leaves = self.matched.leaves(&expr.body);
        let edits = &mut self.matched.edits;
        if patterns > 0 {
            if !leaves {
                if let Some(tail) = tail(&expr.body) {
                    edits.insert(tail.byte_range().end, ";");
                }
                edits.insert(braces.close().byte_range().start, " continue; ");
            }
            let end = " break; }".repeat(patterns);
            edits.insert(braces.close().byte_range().end, end);
        }
        self.bare(&links[0]);
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if !item.mac.path.is_ident("macro_rules") {
            return visit::visit_item_macro(self, item);
        }
        for rule in templates::made(item.mac.tokens.clone()) {
            if !self.rules.contains(&rule.span().byte_range()) {
                visit_code(self, rule.stream());
            }
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit_arguments(self, call);
        let name = call.path.segments.last();
        if name.is_some_and(|name| self.labelled.contains(&name.ident.to_string())) {
            self.matched.lead(call.span().byte_range());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a body, without regard to spaces.
    fn becomes(body: &str, expected: &str) {
        let found = nested(&format!("fn f() {{ {body} }}")).unwrap().unwrap();
        let words = |text: &str| {
            text.parse::<proc_macro2::TokenStream>()
                .unwrap()
                .to_string()
        };
        assert_eq!(words(&found), words(&format!("fn f() {{ {expected} }}")));
    }

    #[test]
    fn conditions_stand_one_in_the_other() {
        becomes(
            "if let P = e && c && d { a(); }",
            "if let P = e { if c && d { a(); } }",
        );
        becomes(
            "if c&&let P = e&&let Q = g { a(); }",
            "if c { if let P = e { if let Q = g { a(); } } }",
        );
        becomes(
            "if (c || d) && let P = e && (c || d) { a(); }",
            "if c || d { if let P = e { if c || d { a(); } } }",
        );
        becomes(
            "if x { y } else if let P = e && c { z }",
            "if x { y } else if let P = e { if c { z } }",
        );
        assert_eq!(
            nested("fn f() { if c && d { while c && d {} if let P = e { a && b } } }").unwrap(),
            None
        );
    }

    #[test]
    fn a_macro_of_ones_own_with_the_name_of_another_may_come_to_its_end() {
        let text = |first: &str, call: &str| {
            let chain = format!("if let P = e && c {{ {call} }} else {{ b() }}");
            nested(&format!("{first} fn f() {{ {chain} }}"))
                .unwrap()
                .unwrap()
        };
        assert!(!text("", "todo!()").contains("break"));
        assert!(!text("use a::b; // todo\n", "todo!()").contains("break"));
        assert!(!text("// use this\n", "todo!()").contains("break"));
        for own in [
            "macro_rules! todo { () => {} }",
            "use crate::todo;",
            "use a::{b as todo, c};",
        ] {
            assert!(text(own, "todo!()").contains("break 'matched"), "{own}");
        }
        let value = "break 'matched print!(1)";
        assert!(!text("", "print!(1)").contains(value));
        assert!(text("macro_rules! print { ($a:expr) => { $a } }", "print!(1)").contains(value));
    }

    #[test]
    fn blanks_are_as_people_write_them() {
        let text = "m!({ if let P = e && (c) && let Q = f { g() } });";
        let found = nested(text).unwrap().unwrap();
        assert_eq!(
            found,
            "m!({ if let P = e { if c { if let Q = f { g() } } } });"
        );
    }

    #[test]
    fn a_comment_stays_on_its_line() {
        let text = "fn f() {\n    if let P = e && c {\n        x\n    } else {\n        // b\n        y\n    }\n}";
        let found = nested(text).unwrap().unwrap();
        assert!(found.contains("\n        // b\n"), "{found}");
    }

    #[test]
    fn what_macros_make_and_get_is_written_too() {
        let text = |[made, got]: [&str; 2]| {
            format!("macro_rules! m {{ ($a:expr, $($b:ty)*) => {{ $($b)* }}; ($a:expr) => {{{{ {made} }}}} }} fn f() {{ vec![{got}; 2] }}")
        };
        let chain = |e: &str| format!("if let Some(x) = {e} && x {{ x }} else {{ c }}");
        let expected = |e: &str| {
            format!("'matched: {{ if let Some(x) = {e} {{ if x {{ break 'matched x; }} }} c }}")
        };
        let found = nested(&text([&chain("$a"), &chain("a")])).unwrap().unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = text([&expected("$a"), &expected("a")]);
        assert_eq!(words(&found), words(&expected));
    }

    #[test]
    fn jumps_in_what_macros_get_say_where_they_lead() {
        let made = "macro_rules! m { ($a:expr, $t:block else $f:block) => { if let Some(x) = $a && x { g(); } else $f } }";
        let text = format!(
            "{made} fn f() {{ loop {{ m!(a, {{ continue }} else {{ break }}); n!({{ break }}); m!(a, {{ loop {{ break; }} }} else {{}}); }} }}"
        );
        let found = nested(&text).unwrap().unwrap();
        let calls = "'outer: loop { m!(a, { continue 'outer } else { break 'outer }); n!({ break }); m!(a, { loop { break; } } else {}); }";
        assert!(found.contains(calls), "{found}");
    }

    #[test]
    fn what_stands_in_a_rule_is_written_once() {
        let chain = "if let Some(x) = a && x { g(); } else { h(); }";
        let nested_once = "'matched: { if let Some(x) = a { if x { g(); break 'matched; } } h(); }";
        for rule in [
            "fn $f(a: Option<bool>) { CHAIN }",
            "let $f = |a: Option<bool>| { CHAIN };",
            "impl $f { fn f(a: Option<bool>) { CHAIN } }",
            // Names stand for more than code.
            "$( struct $f; impl $f { fn f(a: Option<bool>) { CHAIN } } )*",
            "$f! { fn f(a: Option<bool>) { CHAIN } }",
            "macro_rules! $f { () => { fn f(a: Option<bool>) { CHAIN } } }",
        ] {
            let text = |code: &str| {
                let rule = rule.replace("CHAIN", code);
                format!("macro_rules! m {{ ($f:ident) => {{ {rule} }} }} fn f() {{ m!(a); }}")
            };
            let found = nested(&text(chain)).unwrap().unwrap();
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&found), words(&text(nested_once)), "{rule}");
        }
    }

    #[test]
    fn blocks_that_macros_get_are_branches() {
        let text = "macro_rules! m { ($a:expr, $t:block else $f : block) => { if let Some(x) = $a && x $t else $f } }";
        let found = nested(text).unwrap().unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "macro_rules! m { ($a:expr, $t:block else $f : block) => { \
                        'matched: { if let Some(x) = $a { if x { break 'matched $t; } } $f } } }";
        assert_eq!(words(&found), expected);
        assert_eq!(
            nested("macro_rules! m { ($t:block) => { if a && let_it() $t } }").unwrap(),
            None
        );
    }

    #[test]
    fn what_macros_get_need_not_be_arguments() {
        let chain = "if let Some(x) = a && x { g(); }";
        let nested = "if let Some(x) = a { if x { g(); } }";
        for text in [
            "memo! { fn f(a: Option<bool>) -> u8 { CHAIN 1 } }",
            "rows! { { CHAIN } => \"a\", b => { CHAIN } }",
            "rows! { CHAIN => \"a\", other => \"b\" }",
            "run!(|a: Option<bool>| -> { CHAIN });",
            "run!(@ (a; f({ CHAIN })) 1);",
            "memo! { let a = 1; CHAIN }",
        ] {
            becomes(
                &text.replace("CHAIN", chain),
                &text.replace("CHAIN", nested),
            );
        }
    }

    #[test]
    fn what_comes_instead_stands_behind() {
        becomes(
            "let n = if let P = e && c { x } else { y };",
            "let n = 'matched: { if let P = e { if c { break 'matched x; } } y };",
        );
        becomes(
            "if let P = e && c { a() } else if let Q = g && d { print!(\"1\") } else if d { b() } else { c() }",
            "'matched: { if let P = e { if c { break 'matched a(); } }
                if let Q = g { if d { print!(\"1\"); break 'matched; } } if d { b() } else { c() } }",
        );
        becomes(
            "if x { y } else if let P = e && c { z } else if d { a } else { b }",
            "if x { y } else { 'matched: { if let P = e { if c { break 'matched z; } } if d { a } else { b } } }",
        );
        becomes(
            "'matched: loop { if let P = e && c { return; } else { a(); } }",
            "'matched: loop { { if let P = e { if c { return; } } a(); } }",
        );
        // One ends where the other does.
        becomes(
            "if let P = e && c { if let Q = g && d { x } else if d { y } else { z } } else { w }",
            "'matched: { if let P = e { if c { break 'matched 'matched_2: { if let Q = g { if d { break 'matched_2 x; } } if d { y } else { z } }; } } w }",
        );
        becomes(
            "g(|| if let P = e && c { x } else { y });",
            "g(|| 'matched: { if let P = e { if c { break 'matched x; } } y });",
        );
        becomes(
            "print!(\"{}\", if let P = e && c { x } else { y });",
            "print!(\"{}\", 'matched: { if let P = e { if c { break 'matched x; } } y });",
        );
    }

    #[test]
    fn jumps_say_where_they_lead() {
        becomes(
            "for x in y { if let P = e && c { if c { continue; } a(); } else { loop { break; } break; } }",
            "'outer: for x in y { 'matched: { if let P = e { if c { if c { continue 'outer; } a(); break 'matched; } } loop { break; } break 'outer; } }",
        );
        becomes(
            "let n = 'a: loop { if let P = e && c { loop { if let P = e && c { break; } else { break 'a 2; } } } else { break 1; } };",
            "let n = 'a: loop { 'matched: { if let P = e { if c { break 'matched loop { { if let P = e { if c { break; } } break 'a 2; } }; } } break 'a 1; } };",
        );
    }

    #[test]
    fn a_loop_ends_where_a_condition_fails() {
        becomes(
            "while let P = e && c { a(); }",
            "while let P = e { if !(c) { break; } a(); }",
        );
        becomes(
            "while let P = e && (c || d) { a() }",
            "while let P = e { if !(c || d) { break; } a() }",
        );
        becomes(
            "'a: while c && let P = e { if d { continue; } a() }",
            "'a: while c { if let P = e { if d { continue; } a(); continue; } break; }",
        );
        becomes(
            "while let P = e && c && let Q = g && let R = h && d { return; }",
            "while let P = e { if !(c) { break; } if let Q = g { if let R = h { if !(d) { break; } return; } break; } break; }",
        );
    }
}
