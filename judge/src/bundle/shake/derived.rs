//! Derives and attributes of procedural macros that the program does not need.
//!
//! A crate may derive with a procedural macro what a program never asks for: `thiserror::Error` for an error that it only unwraps. Such a
//! derive is an impl like any other that no code is made for. So may an attribute be on something that is never called, or change nothing
//! that is in the code: that it is deprecated, or there since a version. Nobody sees what is in it, so all of them are taken out at once, and
//! that counts only if the rest compiles and the compiler makes no other code of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::thread;

use anyhow::Result;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMacro, ItemUse, Path, Token, Visibility};

use crate::bundle::compiler::Compiler;
use crate::bundle::load::expand::Macro;
use crate::bundle::text::source::{self, blank};
use crate::bundle::text::tokens::is_punct;

/// What procedural macros derive, the attributes that these read, and those that are macros themselves.
#[derive(Debug, Default, PartialEq)]
pub struct Derives {
    names: BTreeSet<String>,
    attributes: BTreeSet<String>,
    macros: BTreeSet<String>,
}

impl Derives {
    /// Adds those of a text: `#[proc_macro_derive(Name, attributes(a, b))]`.
    pub fn add(&mut self, text: &str) {
        let by_macros = declared_by_macros(text);
        for text in by_macros.iter().map(String::as_str).chain([text]) {
            let declared = text.split("proc_macro_derive(").skip(1);
            for declared in declared.filter_map(|rest| rest.split_once(")]")) {
                let mut words = source::words(declared.0);
                let name = words.next().filter(|_| !declared.0.starts_with('$'));
                self.names.extend(name.map(str::to_owned));
                let attributes = words.skip_while(|word| *word != "attributes").skip(1);
                self.attributes.extend(attributes.map(str::to_owned));
            }
        }
        self.macros.extend(attribute_macros(text));
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.macros.is_empty()
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.macros.contains(name)
    }
}

/// The attributes that a text has procedural macros for.
pub fn attribute_macros(text: &str) -> impl Iterator<Item = String> + '_ {
    let declared = text.split("#[proc_macro_attribute]").skip(1);
    let functions = declared.filter_map(|rest| Some(rest.split_once("fn ")?.1));
    functions.filter_map(|rest| source::words(rest).next().map(str::to_owned))
}

/// What calls of a text's own macros declare to be derived: `derive!(Name => …)`.
pub fn declared_by_macros(text: &str) -> Vec<String> {
    if !text.contains("proc_macro_derive($") {
        return Vec::new();
    }
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let macros = items.iter().filter_map(|item| match item {
        Item::Macro(item) => Some(item),
        _ => None,
    });
    let declaring = macros.clone().filter_map(|item| {
        let rules = item.mac.tokens.clone();
        Some((item.ident.as_ref()?, Macro::parse(rules).ok()?))
    });
    let declaring: BTreeMap<&Ident, Macro> = declaring.collect();
    let declared = |item: &ItemMacro| {
        let called = declaring.get(item.mac.path.get_ident()?)?;
        let made = called.outline(item.mac.tokens.clone())?.to_string();
        Some(made.split_whitespace().collect::<String>())
    };
    macros.filter_map(declared).collect()
}

/// The macros that a text calls, and the words of its attributes: they may be macros too.
pub fn called_by_name(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if at > 0 && is_punct(trees.get(at - 1), '#') => {
                let words = group.stream().to_string();
                found.extend(source::words(&words).map(str::to_owned));
            }
            TokenTree::Group(group) => called_by_name(group.stream(), found),
            TokenTree::Ident(name)
                if is_punct(trees.get(at + 1), '!')
                    && matches!(trees.get(at + 2), Some(TokenTree::Group(_))) =>
            {
                found.insert(name.to_string());
            }
            _ => {}
        }
    }
}

/// The text without the derives of a crate in the libraries of a program, if the compiler makes the same code of that.
pub fn without(
    compiler: &Compiler,
    text: &str,
    module: &str,
    derives: &Derives,
    is_of_program: &dyn Fn(&str) -> bool,
) -> Result<Option<String>> {
    let Some(new) = blanked(text, module, derives, is_of_program)? else {
        return Ok(None);
    };
    let code = |text: &str| compiler.code(text, "2021");
    let (before, now) = thread::scope(|scope| {
        let before = scope.spawn(|| code(text));
        let now = code(&new);
        (before.join().expect("a run does not panic"), now)
    });
    let (before, now) = (before?, now?);
    let is_same = matches!((&before, &now), (Some(before), Some(now)) if now.is_part_of(before));
    Ok(is_same.then_some(new))
}

/// The text with spaces for these derives, their attributes and the imports of them.
fn blanked(
    text: &str,
    module: &str,
    derives: &Derives,
    is_of_program: &dyn Fn(&str) -> bool,
) -> Result<Option<String>> {
    let file = syn::parse_file(text)?;
    let crates = file.items.iter().filter_map(|item| match item {
        Item::Mod(of) => Some((of.ident.to_string(), &of.content.as_ref()?.1)),
        _ => None,
    });
    let crates = crates.filter(|(name, _)| !is_of_program(name));
    let crates: Vec<(String, &Vec<Item>)> = crates.collect();
    let mut found = Found {
        text,
        derives,
        ways: vec![vec![String::new(), module.to_owned()]],
        names: BTreeSet::new(),
        left: text.as_bytes().to_vec(),
    };
    // Most often a crate around it passes it on.
    for (name, items) in &crates {
        let imports = items.iter().filter_map(|item| match item {
            Item::Use(import) => Some(import),
            _ => None,
        });
        for import in imports {
            if found.passes_on(import) {
                blank(&mut found.left, import.span().byte_range());
                found.ways.push(vec!["crate".to_owned(), name.clone()]);
            }
        }
    }
    for (_, items) in crates {
        found.items(items);
    }
    let left = String::from_utf8(found.left)?;
    Ok((left != text).then_some(left))
}

/// A module of a text.
struct Found<'f> {
    text: &'f str,
    derives: &'f Derives,
    /// The paths to the crates that have the macros, nothing being the first of one out of the text.
    ways: Vec<Vec<String>>,
    /// What the macros are called in the module.
    names: BTreeSet<String>,
    /// The text without what is out.
    left: Vec<u8>,
}

/// The names on the path of an import of one name, or of all, and what that is called then.
fn leaf(import: &ItemUse) -> Option<(Vec<String>, String)> {
    match &mut source::leaves(import)[..] {
        [leaf] => Some(std::mem::take(leaf)),
        _ => None,
    }
}

impl Found<'_> {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Use(import) = item {
                self.import(import);
            }
        }
        for item in items {
            self.visit_item(item);
        }
    }

    /// Whether an import in a crate's root brings all macros of the other, or one of them, for others.
    fn passes_on(&self, import: &ItemUse) -> bool {
        let path = leaf(import).map(|(path, _)| path);
        let is_all = path.as_ref().is_some_and(|path| {
            let (name, way) = path.split_last().expect("an import has a name");
            name == "*" && way == self.ways[0]
        });
        let is_public = !matches!(import.vis, Visibility::Inherited);
        is_public && (is_all || path.is_some_and(|path| self.leads_to_one(&path)))
    }

    /// Takes out an import of them alone: `use ::module::{Name, Other};`.
    fn import(&mut self, import: &ItemUse) {
        let leaves = source::leaves(import);
        let all = leaves.len();
        let mut of_them = leaves;
        of_them.retain(|(path, _)| self.leads_to_one(path));
        if of_them.len() == all {
            blank(&mut self.left, import.span().byte_range());
        }
        self.names
            .extend(of_them.into_iter().map(|(_, called)| called));
    }

    fn leads_to_one(&self, path: &[String]) -> bool {
        let Some((name, way)) = path.split_last() else {
            return false;
        };
        self.derives.has(name) && self.ways.iter().any(|known| known == way)
    }

    /// Whether a path of a derive, or of an attribute, is one of these macros.
    fn is_one(&self, path: &Path) -> bool {
        let mut names = Vec::from_iter(path.leading_colon.map(|_| String::new()));
        names.extend(path.segments.iter().map(|of| of.ident.to_string()));
        match &names[..] {
            [name] => self.names.contains(name),
            names => self.leads_to_one(names),
        }
    }

    /// Takes these macros out of the derives among some attributes, and tells if there were any.
    fn derives(&mut self, attributes: &[Attribute]) -> bool {
        let mut any = false;
        for attribute in attributes.iter().filter(|of| of.path().is_ident("derive")) {
            let paths = Punctuated::<Path, Token![,]>::parse_terminated;
            let Ok(paths) = attribute.parse_args_with(paths) else {
                continue;
            };
            let (gone, left): (Vec<&Path>, Vec<&Path>) =
                paths.iter().partition(|path| self.is_one(path));
            if gone.is_empty() {
                continue;
            }
            any = true;
            let range = attribute.span().byte_range();
            let left = left.iter().map(|path| &self.text[path.span().byte_range()]);
            let left = left.collect::<Vec<_>>().join(",");
            blank(&mut self.left, range.clone());
            // What comes behind stays where it is.
            if !left.is_empty() {
                let new = format!("#[derive({left})]");
                self.left[range.start..range.start + new.len()].copy_from_slice(new.as_bytes());
            }
        }
        any
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let mut called = Called {
            of: self,
            found: Vec::new(),
        };
        match item {
            Item::Mod(of) => of.attrs.iter().for_each(|of| called.visit_attribute(of)),
            item => visit::visit_item(&mut called, item),
        }
        for range in called.found {
            blank(&mut self.left, range);
        }
        let attributes = match item {
            Item::Mod(of) => {
                let outside = std::mem::take(&mut self.names);
                self.items(of.content.as_ref().map_or(&[], |(_, items)| items));
                self.names = outside;
                return;
            }
            Item::Struct(of) => &of.attrs,
            Item::Enum(of) => &of.attrs,
            Item::Union(of) => &of.attrs,
            _ => return,
        };
        if self.derives(attributes) {
            let mut read = Read {
                names: &self.derives.attributes,
                found: Vec::new(),
            };
            visit::visit_item(&mut read, item);
            for range in read.found {
                blank(&mut self.left, range);
            }
        }
    }
}

/// The attributes that are macros themselves.
struct Called<'a, 'f> {
    of: &'a Found<'f>,
    found: Vec<Range<usize>>,
}

impl<'ast> Visit<'ast> for Called<'_, '_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        let name = path.segments.last().map(|of| of.ident.to_string());
        // An import may have called it otherwise.
        let is_plain = path.get_ident().is_some();
        let is_macro = name.is_some_and(|name| is_plain || self.of.derives.macros.contains(&name));
        if is_macro && !self.of.derives.macros.is_empty() && self.of.is_one(path) {
            self.found.push(attribute.span().byte_range());
        }
    }
}

/// The attributes that a macro reads.
struct Read<'n> {
    names: &'n BTreeSet<String>,
    found: Vec<Range<usize>>,
}

impl<'ast> Visit<'ast> for Read<'_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let name = attribute.path().get_ident().map(ToString::to_string);
        if name.is_some_and(|name| self.names.contains(&name)) {
            self.found.push(attribute.span().byte_range());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Derives {
        let mut derives = Derives::default();
        derives.add(
            "#[proc_macro_derive(Error, attributes(backtrace, error, from, source))]\npub fn f() {}",
        );
        derives
    }

    #[test]
    fn a_macro_is_named_where_it_is_called() {
        let text =
            "#[derive(Shown)] struct A; fn f() { let vector = m![a != b, n! {}]; /* told! */ }";
        let mut found = BTreeSet::new();
        called_by_name(text.parse().unwrap(), &mut found);
        let names = ["Shown", "derive", "m", "n"].map(str::to_owned);
        assert_eq!(found, BTreeSet::from(names));
    }

    #[test]
    fn a_macro_tells_what_it_derives_and_reads() {
        let set = |names: &str| names.split(' ').map(str::to_owned).collect();
        let derives = error();
        assert_eq!(derives.names, set("Error"));
        assert_eq!(derives.attributes, set("backtrace error from source"));
        let mut plain = Derives::default();
        plain.add("#[proc_macro_derive(A)] pub fn a() {} #[proc_macro_derive(B)] pub fn b() {}");
        assert_eq!(plain.names, set("A B"));
        assert!(plain.attributes.is_empty());
        let mut by_macro = Derives::default();
        by_macro.add(
            "macro_rules! derive { ($(#[$a:meta])* $name:ident) => { #[proc_macro_derive($name, attributes(x))] pub fn f() {} } } \
             macro_rules! other { ($name:ident) => {} } derive!(C); derive!(#[doc(hidden)] D); other!(E);",
        );
        assert_eq!(by_macro.names, set("C D"));
        assert_eq!(by_macro.attributes, set("x"));
    }

    #[test]
    fn the_variable_that_a_derive_is_declared_by_may_be_any() {
        let text = "macro_rules! create(($(#[$doc:meta])* $of:expr, $way:ident $(:: $rest:ident)*, $name_:ident $(,$attribute:ident)* $(,)?) => { \
            #[proc_macro_derive($name_, attributes($($attribute),*))] pub fn derive() {} }); \
            create!(\"a\", b::b, C, d); create!(#[doc(hidden)] \"a\", b, E,);";
        let mut found = Derives::default();
        found.add(text);
        assert_eq!(found.names, ["C", "E"].map(str::to_owned).into());
        assert!(found.attributes.contains("d") && !found.attributes.contains("b"));
    }

    #[test]
    fn derives_go_with_their_attributes_and_imports() {
        let becomes = |text: &str| -> Option<String> {
            let own = |name: &str| name == "own";
            let new = blanked(text, "thiserror", &error(), &own).unwrap()?;
            assert_eq!(new.len(), text.len());
            Some(new.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            becomes("mod m { use ::thiserror::Error; #[derive(Debug, Error, Clone)] #[error(\"{0}\")] pub enum E { #[error(\"a\")] A(#[from] F), B { #[serde] b: u8 } } }").unwrap(),
            "mod m { #[derive(Debug,Clone)] pub enum E { A( F), B { #[serde] b: u8 } } }"
        );
        assert_eq!(
            becomes("mod m { mod n { #[derive(::thiserror::Error)] struct A; #[derive(Error)] struct B; } }").unwrap(),
            "mod m { mod n { struct A; #[derive(Error)] struct B; } }"
        );
        assert_eq!(
            becomes("mod m { use ::thiserror::Error as E; #[derive(E)] union U { a: u8 } }")
                .unwrap(),
            "mod m { union U { a: u8 } }"
        );
        assert_eq!(
            becomes("mod m { use ::thiserror::{Error as E, Error}; #[derive(E, Error, Debug)] struct A; }").unwrap(),
            "mod m { #[derive(Debug)] struct A; }"
        );
        assert_eq!(
            becomes("mod m { use ::thiserror::{Error, other}; #[derive(Error, Debug)] struct A; }")
                .unwrap(),
            "mod m { use ::thiserror::{Error, other}; #[derive(Debug)] struct A; }"
        );
        // A crate between them.
        assert_eq!(
            becomes("mod x { pub use ::thiserror::*; pub use ::thiserror::Error as E; mod y { pub use ::thiserror::Error; } } mod m { use crate::x::Error; #[derive(Error)] struct A; #[derive(crate::x::Error, Copy)] struct B; }").unwrap(),
            "mod x { mod y { } } mod m { struct A; #[derive(Copy)] struct B; }"
        );
        let mut attributes = Derives::default();
        attributes.add("#[proc_macro_attribute]\npub fn since(a: T, b: T) -> T { b }");
        let own = |name: &str| name == "own";
        let text = "mod m { use ::version::since as s; #[s(1)] fn f() { #[s(2)] fn g() {} } #[inline] #[::version::since(3)] mod n { #[s] trait T {} } \
                    trait S { #[s] fn h(); #[since] fn i(); } } mod own { #[::version::since(4)] fn f() {} }";
        let new = blanked(text, "version", &attributes, &own)
            .unwrap()
            .unwrap();
        assert_eq!(
            new.split_whitespace().collect::<Vec<_>>().join(" "),
            "mod m { fn f() { fn g() {} } #[inline] mod n { #[s] trait T {} } \
             trait S { fn h(); #[since] fn i(); } } mod own { #[::version::since(4)] fn f() {} }"
        );
        for text in [
            "mod own { use ::thiserror::Error; #[derive(Error)] struct A; }",
            "use ::thiserror::Error; #[derive(Error)] struct A;",
            "mod m { use ::other::Error; #[derive(Error)] struct A; }",
            "mod m { use thiserror::Error; #[derive(Error)] struct A; }",
            "mod m { use ::thiserror::Other; #[derive(Debug)] #[error] struct A; }",
        ] {
            assert_eq!(becomes(text), None, "{text}");
        }
    }
}
