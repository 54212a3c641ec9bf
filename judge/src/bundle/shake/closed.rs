//! What is dead though others might use it: nobody can, for a file is a program.
//!
//! The compiler's lint takes for used what other crates could reach, in a program too: a type that stands in the header of an impl which
//! nothing keeps private by itself (`impl Add for &T`, `impl From<T> for u64`), and all that such a type has in public. Where no
//! item is public beyond the program, it tells of them as of any others.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Item, Path, StmtMacro, Type, Visibility};

use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::source::{self, Edits};

/// What stands behind each `pub`.
const CLOSING: &str = "(crate)";

/// A text whose items are public in the program only. What macros make stays as it is.
pub struct Closed {
    pub text: String,
    /// Where that which has come into the text ends.
    ends: Vec<usize>,
}

impl Closed {
    /// Nothing where no item is public.
    pub fn new(text: &str) -> syn::Result<Option<Self>> {
        let mut found = Found(Vec::new());
        found.visit_file(&*source::parsed(text)?);
        let Found(mut places) = found;
        places.sort_unstable();
        let mut edits = Edits::default();
        for &at in &places {
            edits.insert(at, CLOSING);
        }
        let ends = (1..).zip(&places);
        let ends: Vec<usize> = ends.map(|(n, at)| at + n * CLOSING.len()).collect();
        let text = edits.apply(text);
        Ok((!ends.is_empty()).then_some(Self { text, ends }))
    }

    /// What the compiler says of this text, by the places of the one before.
    pub fn as_written(&self, mut said: Diagnostic) -> Diagnostic {
        for (range, call) in &mut said.spans {
            for range in call.iter_mut().chain([range]) {
                *range = self.before(range.start)..self.before(range.end);
            }
        }
        // Who wants to write something asks about the text itself.
        said.fixes.clear();
        said.offers.clear();
        said
    }

    fn before(&self, at: usize) -> usize {
        let passed = self.ends.partition_point(|&end| end <= at);
        let all = passed * CLOSING.len();
        match self.ends.get(passed) {
            // Inside of the next one.
            Some(end) if end - CLOSING.len() < at => end - CLOSING.len() - all,
            _ => at - all,
        }
    }
}

/// Whether a text has an impl that others could come upon without a name of the text: of a trait that it does not define, for what is not one
/// of its types by itself. A macro may make one.
pub fn shows(text: &str) -> syn::Result<bool> {
    let mut headers = Headers::default();
    headers.visit_file(&*source::parsed(text)?);
    let Headers {
        defined,
        impls,
        calls,
    } = headers;
    let is_shown = |(of_trait, of): &(String, Option<String>)| {
        !defined.contains(of_trait) && !of.as_ref().is_some_and(|of| defined.contains(of))
    };
    Ok(calls || impls.iter().any(is_shown))
}

#[derive(Default)]
struct Headers {
    /// The names of traits and types.
    defined: BTreeSet<String>,
    /// The traits of impls, and their types where these are paths.
    impls: Vec<(String, Option<String>)>,
    /// Whether a macro is called for items.
    calls: bool,
}

impl<'ast> Visit<'ast> for Headers {
    fn visit_item(&mut self, item: &'ast Item) {
        let last = |path: &Path| path.segments.last().map(|last| last.ident.to_string());
        let defined = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.defined.extend(defined.map(ToString::to_string));
        match item {
            Item::Impl(item) => {
                let of = match &*item.self_ty {
                    Type::Path(of) => last(&of.path),
                    _ => None,
                };
                let of_trait = item.trait_.as_ref().and_then(|(path, _)| last(path));
                self.impls.extend(of_trait.map(|name| (name, of)));
            }
            Item::Macro(item) => self.calls |= item.ident.is_none(),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_stmt_macro(&mut self, _: &'ast StmtMacro) {
        self.calls = true;
    }
}

struct Found(Vec<usize>);

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, item: &'ast Item) {
        let vis = match item {
            Item::Const(item) => &item.vis,
            Item::Enum(item) => &item.vis,
            Item::ExternCrate(item) => &item.vis,
            Item::Fn(item) => &item.vis,
            Item::Mod(item) => &item.vis,
            Item::Static(item) => &item.vis,
            Item::Struct(item) => &item.vis,
            Item::Trait(item) => &item.vis,
            Item::TraitAlias(item) => &item.vis,
            Item::Type(item) => &item.vis,
            Item::Union(item) => &item.vis,
            Item::Use(item) => &item.vis,
            _ => &Visibility::Inherited,
        };
        if let Visibility::Public(word) = vis {
            self.0.push(word.span().byte_range().end);
        }
        visit::visit_item(self, item);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::bundle::compiler::Compiler;

    /// What of a text is dead.
    fn dead(text: &str, is_closed: bool) -> Vec<&str> {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let lints = ["--force-warn=dead_code"];
        let check = match is_closed {
            true => Compiler::check_closed,
            false => Compiler::check,
        };
        let found = check(&compiler, text, "2021", &lints).unwrap();
        assert!(!found.iter().any(Diagnostic::is_error), "{found:?}");
        let places = found.iter().flat_map(Diagnostic::places);
        let words: Vec<Range<usize>> = places.cloned().collect();
        words.into_iter().map(|at| &text[at]).collect()
    }

    #[test]
    fn what_an_impl_shows_to_others_may_be_dead() {
        let text = "mod a { pub struct T; pub struct U; impl T { pub fn used(&self) {} pub fn of_t(&self) -> U { U } } \
                    impl U { pub fn of_u(&self) {} } impl From<T> for u8 { fn from(_: T) -> u8 { 1 } } \
                    impl Default for &T { fn default() -> Self { &T } } pub trait R { fn r(&self); } impl R for u8 { fn r(&self) {} } pub fn f() {} } \
                    pub use a::{R, T}; mod b { pub use crate::T as V; pub fn g() {} } \
                    fn main() { b::V.used(); <&T>::default().used(); print!(\"{}\", u8::from(T)); 1u8.r(); b::g(); }";
        assert_eq!(dead(text, false), ["f"]);
        assert_eq!(dead(text, true), ["U", "of_t", "of_u", "f"]);
        assert_eq!(dead("fn main() {} fn f() {}", true), ["f"]);
    }

    #[test]
    fn an_impl_of_the_texts_own_trait_or_type_shows_nothing() {
        let own = "struct T; trait R {} impl T {} impl Clone for T { fn clone(&self) -> T { T } } impl R for &T {} impl<I: Iterator> R for I {}";
        assert!(!shows(own).unwrap());
        for more in [
            "impl From<T> for u8 {}",
            "fn f() { impl Default for &T {} }",
            "impl PartialEq<T> for [u8] {}",
            "m! { T }",
            "fn f() { m! { T } }",
        ] {
            assert!(shows(&format!("{own} {more}")).unwrap(), "{more}");
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "pub fn f() {} pub(super) mod m { pub struct S { pub a: u8 } impl S { pub fn g() { pub use a::b; } } m! { pub fn h() {} } }";
        let closed = Closed::new(text).unwrap().unwrap();
        let expected = text
            .replace("pub fn f", "pub(crate) fn f")
            .replace("pub struct", "pub(crate) struct")
            .replace("pub use", "pub(crate) use");
        assert_eq!(closed.text, expected);
        for word in [
            "fn f", "mod m", "struct S", "pub a", "impl S", "use a", "fn h",
        ] {
            let later = closed.text.find(word).unwrap();
            assert_eq!(closed.before(later), text.find(word).unwrap(), "{word}");
        }
        let struct_of = |text: &str| text.find("struct").unwrap();
        let later = struct_of(&closed.text) - "pub(crate) ".len();
        assert_eq!(closed.before(later), struct_of(text) - "pub ".len());
        // Inside of what has come.
        assert_eq!(closed.before(5), 3);
        assert!(Closed::new("fn main() {}").unwrap().is_none());
    }
}
