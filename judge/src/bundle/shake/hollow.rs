//! A text whose functions are empty where no code is made for them.
//!
//! It gives the code of the whole text: what a function's code is depends on its own body and on what stands outside of bodies, all of
//! which is still there, so by induction from `main` no function that is reached is other than before. Were an empty one reached
//! after all, its caller's code would show. The compiler is spared most of its work.
//!
//! Functions that are called by nothing but their name, as those of modules and of types are, go altogether if nothing that is left has
//! that word: no call can mean them, whatever else is there. Those of traits and their impls stay: calls may mean them without a word.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItem, ItemFn, ItemImpl, Signature, TraitItemFn};

use crate::bundle::text::source::{self, Edits, Lines};

/// Macros of the standard library that define nothing, and make no paths of what they are called with.
pub const HARMLESS: [&str; 22] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprintln",
    "format",
    "format_args",
    "line",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// A text, and which of its functions can be empty.
pub struct Hollow<'t> {
    text: &'t str,
    functions: Vec<Function>,
}

struct Function {
    /// Where it begins, without what is before `fn`.
    start: usize,
    body: Range<usize>,
    /// Whether it can be empty.
    empties: bool,
    /// Its name and all of it, if it goes where nothing names it.
    named: Option<(String, Range<usize>)>,
}

impl<'t> Hollow<'t> {
    /// Looks at a text by its tokens.
    pub fn new(text: &'t str, tokens: TokenStream) -> syn::Result<Self> {
        let file: syn::File = syn::parse2(tokens)?;
        let mut macros = Macros(BTreeSet::new());
        macros.visit_file(&file);
        let mut bodies = Bodies {
            macros: macros.0,
            found: Vec::new(),
        };
        bodies.visit_file(&file);
        bodies.found.sort_by_key(|of| of.body.start);
        Ok(Self {
            text,
            functions: bodies.found,
        })
    }

    /// The functions of which no line is among those of the code.
    pub fn idle(&self, lines: &BTreeSet<usize>) -> BTreeSet<usize> {
        let places = Lines::new(self.text);
        self.those(|of| {
            let lines_of = places.at(of.start)..=places.at(of.body.end);
            lines.range(lines_of).next().is_none()
        })
    }

    /// The body of the function that a place is in, if it can be empty.
    pub fn body_around(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let is_around = |of: &&Function| of.body.contains(&place.start);
        let of = self.functions.iter().find(is_around)?;
        of.empties.then(|| of.body.clone())
    }

    /// The functions that a part of the text does not have, in which blanks stand for the rest.
    pub fn left_out_of(&self, part: &str) -> BTreeSet<usize> {
        self.those(|of| part[of.body.clone()].trim().is_empty())
    }

    fn those(&self, are: impl Fn(&Function) -> bool) -> BTreeSet<usize> {
        let all = self.functions.iter().enumerate();
        all.filter(|(_, of)| are(of)).map(|(at, _)| at).collect()
    }

    /// The text with some functions empty, or left out. All lines stay as they are.
    pub fn without(&self, idle: &BTreeSet<usize>) -> String {
        let idle = || idle.iter().map(|&at| &self.functions[at]);
        let is_named = self.named(idle());
        let mut edits = Edits::default();
        for of in idle() {
            let (place, with) = match &of.named {
                Some((name, whole)) if !is_named(name) => (whole.clone(), ""),
                // This has any type.
                _ if of.empties => (of.body.clone(), "{loop {}}"),
                _ => continue,
            };
            let below = self.text[place.clone()].matches('\n').count();
            edits.replace(place, format!("{with}{}", "\n".repeat(below)));
        }
        edits.apply(self.text)
    }

    /// Whether there is a word in the text besides where some functions are called so, and outside of those of their bodies that can be empty.
    fn named<'f>(
        &self,
        functions: impl Iterator<Item = &'f Function>,
    ) -> impl Fn(&str) -> bool + 't {
        let mut left: HashMap<&str, usize> = HashMap::new();
        let mut defined: HashMap<String, usize> = HashMap::new();
        let mut add = |text: &'t str| {
            for word in source::words(text) {
                *left.entry(word).or_default() += 1;
            }
        };
        let mut end = 0;
        for of in functions {
            if let Some((name, _)) = &of.named {
                *defined.entry(name.clone()).or_default() += 1;
            }
            if of.empties {
                add(&self.text[end..of.body.start]);
                end = of.body.end;
            }
        }
        add(&self.text[end..]);
        move |name| left.get(name) > defined.get(name)
    }
}

/// The names of the macros that a text defines.
struct Macros(BTreeSet<String>);

impl<'ast> Visit<'ast> for Macros {
    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.0.extend(item.ident.as_ref().map(ToString::to_string));
    }
}

/// The functions that can be empty without a difference to others, or go.
struct Bodies {
    macros: BTreeSet<String>,
    found: Vec<Function>,
}

impl Bodies {
    /// Looks at a function: at all of it, if calls mean it by its name alone.
    fn function(&mut self, signature: &Signature, body: &Block, whole: Option<Range<usize>>) {
        let mut inside = Inside {
            macros: &self.macros,
            counts: false,
            hides: false,
        };
        inside.visit_return_type(&signature.output);
        inside.visit_block(body);
        if inside.counts {
            return;
        }
        // Others may need the value of the function, or the type that it hides.
        let is_needed = signature.constness.is_some() || signature.asyncness.is_some();
        let braces = body.brace_token.span;
        let name = signature.ident.to_string();
        // The system calls it.
        let whole = whole.filter(|_| name != "main" && signature.abi.is_none());
        self.found.push(Function {
            start: signature.fn_token.span.byte_range().start,
            body: braces.open().byte_range().start..braces.close().byte_range().end,
            empties: !is_needed && !inside.hides,
            named: whole.map(|whole| (source::plain_name(&name).to_owned(), whole)),
        });
    }
}

impl<'ast> Visit<'ast> for Bodies {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, &item.block, Some(item.span().byte_range()));
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        for item in &block.items {
            if let ImplItem::Fn(item) = item {
                let whole = item.span().byte_range();
                let whole = block.trait_.is_none().then_some(whole);
                self.function(&item.sig, &item.block, whole);
            }
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body, None);
        }
    }
}

/// Whether something in a function counts outside of it.
struct Inside<'m> {
    macros: &'m BTreeSet<String>,
    counts: bool,
    /// There is a type that others do not see.
    hides: bool,
}

impl<'ast> Visit<'ast> for Inside<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {
        self.counts = true;
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let harmless = name
            .is_some_and(|name| HARMLESS.contains(&name.as_str()) && !self.macros.contains(&name));
        self.counts |= !harmless;
    }

    fn visit_type_impl_trait(&mut self, hidden: &'ast syn::TypeImplTrait) {
        self.hides = true;
        visit::visit_type_impl_trait(self, hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hollow(text: &str, lines: &[usize]) -> String {
        let hollow = Hollow::new(text, text.parse().unwrap()).unwrap();
        hollow.without(&hollow.idle(&lines.iter().copied().collect()))
    }

    #[test]
    fn what_a_part_does_not_have_is_empty() {
        let text = "fn f() { g() }\nfn g() {}\nimpl T for A { fn h() { 1 } fn i() { 2 } }";
        let part = "fn f() { g() }\n         \nimpl T for A {             fn i() { 2 } }";
        let hollow = Hollow::new(text, text.parse().unwrap()).unwrap();
        let left_out = hollow.left_out_of(part);
        assert_eq!(
            hollow.without(&left_out),
            "fn f() { g() }\nfn g() {loop {}}\nimpl T for A { fn h() {loop {}} fn i() { 2 } }"
        );
        // There is code of the first line alone, or of one that is left out.
        let is_idle = |line| left_out.is_subset(&hollow.idle(&BTreeSet::from([line])));
        assert_eq!([1, 2, 3].map(is_idle), [true, false, false]);
    }

    #[test]
    fn functions_without_code_are_empty() {
        let text = "use g;\nfn f() { 1; }\nfn g(\n) -> u8 {\n    2\n}\ntrait T { fn h() { 3 } }\nimpl A {\nfn i() { 4 } fn j() { 5 }\n}\nimpl T for A { fn h() { 6 } }";
        assert_eq!(
            hollow(text, &[2, 9]),
            "use g;\nfn f() { 1; }\nfn g(\n) -> u8 {loop {}}\n\n\ntrait T { fn h() {loop {}} }\nimpl A {\nfn i() { 4 } fn j() { 5 }\n}\nimpl T for A { fn h() {loop {}} }"
        );
    }

    #[test]
    fn functions_that_nothing_names_go() {
        let text = "use a::f; fn f() {} fn g() { h() } fn h() {}\nimpl A { #[inline] pub fn i(\n&self) {} const fn j() -> u8 { 1 } fn k() {} fn l() -> impl T {} }\n\
                    impl B { fn k(&self) { self.l() } fn l() {} }\nconst fn m() { A::k(); }";
        assert_eq!(
            hollow(text, &[4]),
            "use a::f; fn f() {loop {}}  \nimpl A { \n  fn k() {loop {}} fn l() -> impl T {} }\n\
             impl B { fn k(&self) { self.l() } fn l() {} }\n"
        );
        // Others call these.
        for text in ["fn main() {}", "extern \"C\" fn f() {}"] {
            assert_eq!(hollow(text, &[]), text.replace("{}", "{loop {}}"));
        }
    }

    #[test]
    fn what_counts_outside_stays() {
        let same = |text: &str| {
            let text = format!("use f; {text}");
            hollow(&text, &[]) == text
        };
        assert!(same("const fn f() -> u8 { 1 }"));
        assert!(same("async fn f() {}"));
        assert!(same("fn f() -> Option<impl T> { None }"));
        assert!(same("fn f() { impl T for u8 {} }"));
        assert!(same("fn f() { m!() }"));
        assert!(same("macro_rules! vec { () => {} } fn f() { vec![] }"));
        assert!(!same("fn f() { vec![]; }"));
        assert!(!same("fn f(x: impl T) {}"));
        // Nobody names it, but what is in it may be for others.
        let text = "fn f() { impl T for u8 {} }";
        assert_eq!(hollow(text, &[]), text);
    }
}
