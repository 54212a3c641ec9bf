//! What macros make that are called by a path or an import among the items of a crate, written in its place: the compiler can judge each
//! item then.
//!
//! Macros of the crate itself that are in scope by the order of the text are expanded when it is loaded. Where a path leads is known only
//! when all modules and crates are there.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyhow::Result;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemFn, ItemMacro, ItemMod, TraitItem};

use super::expand::{self, Macro};
use super::source::{self, Edits};

/// Expansions in expansions, at most.
const DEPTH: usize = 64;

/// The text with those calls expanded, in the crates that are others'; `None` if there are none.
pub fn expanded(text: &str, is_own: &dyn Fn(&str) -> bool) -> Result<Option<String>> {
    let file = syn::parse_file(text)?;
    let crates = file.items.iter().filter_map(|item| match item {
        Item::Mod(of) => Some((of.ident.to_string(), &of.content.as_ref()?.1)),
        _ => None,
    });
    let mut calls = Calls::default();
    let mut macros = BTreeMap::new();
    for (name, items) in crates {
        let mut definitions = Definitions::default();
        definitions.path.push(name.clone());
        items.iter().for_each(|item| definitions.visit_item(item));
        let found = definitions.found.into_iter();
        macros.extend(found.map(|(of, definition)| ((name.clone(), of), definition)));
        if !is_own(&name) {
            calls.visit_module(&name, items);
        }
    }
    let mut known = Known {
        macros,
        parsed: BTreeMap::new(),
    };
    let mut edits = Edits::default();
    for (call, scope) in calls.found {
        let made = known.made(&call.mac, &scope, 0);
        if let Some(made) = made.and_then(|made| known.settled(&made)) {
            edits.replace(call.span().byte_range(), on_lines_of_their_own(&made));
        }
    }
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// The macros of a crate by their names, and nothing for those of which it has several.
#[derive(Default)]
struct Definitions {
    /// The modules that we are in, from the crate's on.
    path: Vec<String>,
    found: BTreeMap<String, Option<Definition>>,
}

#[derive(Clone)]
struct Definition {
    module: Vec<String>,
    rules: TokenStream,
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if let Some(name) = &item.ident {
            let definition = Some(Definition {
                module: self.path.clone(),
                rules: item.mac.tokens.clone(),
            });
            let known = self.found.entry(name.to_string());
            known
                .and_modify(|known| *known = None)
                .or_insert(definition);
        }
    }

    fn visit_item_mod(&mut self, of: &'ast ItemMod) {
        self.path.push(of.ident.to_string());
        visit::visit_item_mod(self, of);
        self.path.pop();
    }
}

/// The calls that stand where items of modules stand.
#[derive(Default)]
struct Calls<'t> {
    /// The modules that we are in, from the crate's on.
    path: Vec<String>,
    scope: Rc<Scope>,
    found: Vec<(&'t ItemMacro, Rc<Scope>)>,
}

impl<'t> Calls<'t> {
    fn visit_module(&mut self, name: &str, items: &'t [Item]) {
        self.path.push(name.to_owned());
        let scope = Rc::new(Scope::new(&self.path, items));
        let around = std::mem::replace(&mut self.scope, scope);
        items.iter().for_each(|item| self.visit_item(item));
        self.scope = around;
        self.path.pop();
    }
}

impl<'t> Visit<'t> for Calls<'t> {
    fn visit_item(&mut self, item: &'t Item) {
        match item {
            Item::Macro(call) if call.ident.is_none() && call.attrs.is_empty() => {
                let is_clear = self.scope.place(&call.mac).is_some();
                self.found
                    .extend(is_clear.then(|| (call, self.scope.clone())));
            }
            Item::Mod(of) => {
                if let Some((_, items)) = &of.content {
                    self.visit_module(&of.ident.to_string(), items);
                }
            }
            _ => {}
        }
    }
}

/// A module, and what it imports one by one.
#[derive(Default)]
struct Scope {
    path: Vec<String>,
    modules: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
}

impl Scope {
    fn new(path: &[String], items: &[Item]) -> Self {
        let modules = items.iter().filter_map(|item| match item {
            Item::Mod(of) => Some(of.ident.to_string()),
            _ => None,
        });
        let mut scope = Self {
            path: path.to_owned(),
            modules: modules.collect(),
            imports: BTreeMap::new(),
        };
        let imports = items.iter().filter_map(|item| match item {
            Item::Use(of) => Some(source::leaves(of)),
            _ => None,
        });
        for (mut path, mut called) in imports.flatten() {
            // A module, among names in it.
            if path.last().is_some_and(|name| name == "self") {
                path.pop();
                if called == "self" {
                    called = path.last().cloned().unwrap_or_default();
                }
            }
            if let Some(path) = scope.rooted(&path) {
                scope.imports.insert(called, path);
            }
        }
        scope
    }

    /// A path by the modules from the crate's on, if that is clear without imports.
    fn rooted(&self, path: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        let (start, rest) = match path.first()?.as_str() {
            "crate" => (0, &path[1..]),
            "super" => (self.path.len().checked_sub(ups)?, &path[ups..]),
            "self" => (self.path.len(), &path[1..]),
            name if path.len() > 1 && self.modules.contains(name) => (self.path.len(), path),
            _ => return None,
        };
        Some([&self.path[..start], rest].concat())
    }

    /// The path of the macro that is called, if it is one of another crate or stands in a module.
    fn place(&self, call: &syn::Macro) -> Option<Vec<String>> {
        if call.path.leading_colon.is_some() {
            return None;
        }
        let segments = call.path.segments.iter();
        let path: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
        let path = self.rooted(&path).or_else(|| {
            let imported = self.imports.get(path.first()?)?;
            Some([imported, &path[1..]].concat())
        })?;
        // Those at the root of the crate itself were in scope when it was loaded.
        let is_far = path.len() > 2 || path.len() == 2 && self.path.first() != path.first();
        is_far.then_some(path)
    }
}

struct Known {
    macros: BTreeMap<(String, String), Option<Definition>>,
    parsed: BTreeMap<(String, String), Option<Macro>>,
}

impl Known {
    /// The macro at a place.
    fn parse(&mut self, place: &(String, String)) {
        if !self.parsed.contains_key(place) {
            let definition = self.macros.get(place).cloned().flatten();
            let parsed = definition.and_then(|found| Macro::parse(found.rules).ok());
            self.parsed.insert(place.clone(), parsed);
        }
    }

    /// What a call makes, with what calls among it make.
    fn made(&mut self, call: &syn::Macro, scope: &Scope, depth: usize) -> Option<String> {
        let path = scope.place(call).filter(|_| depth < DEPTH)?;
        let (name, module) = path.split_last()?;
        let place = (module.first()?.clone(), name.clone());
        // A module passes on what is defined in it, or in one of its modules; it may have another by the name from elsewhere.
        let definition = self.macros.get(&place)?.as_ref()?;
        if !definition.module.starts_with(module) {
            return None;
        }
        self.parse(&place);
        let of = self.parsed.get(&place)?.as_ref()?;
        let made = of.expand(call.tokens.clone())?;
        let file = syn::parse_file(&made).ok()?;
        // A macro defined there may have a name that others have; and what cfg leaves out should not be there at all.
        if source::words(&made).any(|word| ["cfg", "cfg_attr", "macro_rules"].contains(&word)) {
            return None;
        }
        let mut items = String::new();
        for item in &file.items {
            match item {
                Item::Macro(call) if call.attrs.is_empty() => {
                    items += &self.made(&call.mac, scope, depth + 1)?;
                }
                item => items += &(item.to_token_stream().to_string() + "\n"),
            }
        }
        Some(items)
    }

    /// The same without marks of what a macro may not look into.
    fn settled(&mut self, made: &str) -> Option<String> {
        let words: BTreeSet<&str> = source::words(made).collect();
        let called = self.macros.keys();
        let called = called.filter(|(_, name)| words.contains(name.as_str()));
        let called: Vec<_> = called.cloned().collect();
        called.iter().for_each(|place| self.parse(place));
        let known = |name: &str| {
            let mut same = called.iter().filter(|(_, of)| of == name);
            match (same.next(), same.next()) {
                (Some(one), None) => self.parsed.get(one)?.as_ref(),
                _ => None,
            }
        };
        expand::settled(made, &known)
    }
}

/// The compiler tells functions by their lines.
fn on_lines_of_their_own(items: &str) -> String {
    struct Starts(Vec<usize>);

    impl<'ast> Visit<'ast> for Starts {
        fn visit_item_fn(&mut self, of: &'ast ItemFn) {
            self.0.push(source::function_start(&of.vis, &of.sig));
            visit::visit_item_fn(self, of);
        }

        fn visit_impl_item(&mut self, item: &'ast ImplItem) {
            if let ImplItem::Fn(of) = item {
                self.0.push(source::function_start(&of.vis, &of.sig));
            }
            visit::visit_impl_item(self, item);
        }

        fn visit_trait_item(&mut self, item: &'ast TraitItem) {
            if let TraitItem::Fn(of) = item {
                let none = syn::Visibility::Inherited;
                self.0.push(source::function_start(&none, &of.sig));
            }
            visit::visit_trait_item(self, item);
        }
    }

    let mut starts = Starts(Vec::new());
    if let Ok(file) = syn::parse_file(items) {
        starts.visit_file(&file);
    }
    let mut edits = Edits::default();
    for at in starts.0 {
        edits.insert(at, "\n");
    }
    edits.apply(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKER: &str = "mod maker {
        macro_rules! make {
            ($name:ident: $($of:ty),*) => {
                struct $name;
                $(impl $crate::maker::Made<$of> for $name { fn made() -> $of { <$of>::default() } })*
                $crate::maker::make!(@checked $name);
            };
            (@checked $name:ident) => {};
        }
        macro_rules! asking { ($x:item) => { #[cfg(all())] $x }; }
        pub(crate) use make;
        make!(Own: u8);
    }";

    fn calls(of: &str) -> Option<String> {
        let text = format!("crate::maker::make!(A: u8);\n{MAKER}\nmod user {{ {of} }}");
        let expanded = expanded(&text, &|name| name == "own").unwrap()?;
        let (rest, inside) = expanded.split_once("mod user {").unwrap();
        assert!(text.starts_with(rest));
        Some(inside.replace(' ', ""))
    }

    #[test]
    fn what_is_made_stands_in_its_place() {
        let made = calls("mod inner { crate::maker::make! { B: u8, Vec<u8> } }").unwrap();
        let want = "modinner{structB;implcrate::maker::Made<u8>forB{\\nfnmade()->u8{<u8>::default()}}\
                    implcrate::maker::Made<Vec<u8>>forB{\\nfnmade()->Vec<u8>{<Vec<u8>>::default()}}}}";
        assert_eq!(
            made.replace("}\n", "}")
                .replace(";\n", ";")
                .replace('\n', "\\n"),
            want
        );
    }

    #[test]
    fn a_path_leads_through_modules_and_imports() {
        let made = |call: &str| {
            let text = format!(
                "mod maker {{
                    mod tools {{
                        macro_rules! make {{ ($of:ident) => {{ struct $of; }}; (@ $of:ident) => {{ super::tools::make! {{ $of }} }} }}
                        pub(crate) use make;
                    }}
                    macro_rules! other {{ () => {{}} }}
                    mod user {{ {call} }}
                }}"
            );
            let found = expanded(&text, &|_| false).unwrap();
            found.map(|found| found.matches("struct B").count())
        };
        for call in [
            "crate::maker::tools::make!(B);",
            "super::tools::make!(B);",
            "use crate::maker::tools; tools::make!(B);",
            "use super::tools::{self as t, make as m}; t::make!(B); ",
            "use super::{tools::make as m}; m!(B);",
            "use crate::maker::tools::make; make!(@ B);",
            "mod inner { use super::super::tools::make; make!(B); }",
        ] {
            assert_eq!(made(call), Some(1), "{call}");
        }
        // The order of the text may tell what these are.
        for call in [
            "make!(B);",
            "crate::maker::other!();",
            "use x::tools; tools::make!(B);",
            "use super::tools::*; make!(B);",
            "use super::super::super::tools; tools::make!(B);",
            "mod also { pub use x::make; } also::make!(B);",
            "mod tools { pub use super::super::tools::make; } ::tools::make!(B);",
            "mod tools {} use ::tools::make; make!(B);",
        ] {
            assert_eq!(made(call), None, "{call}");
        }
    }

    #[test]
    fn calls_that_are_not_clear_stay() {
        assert_eq!(calls("crate::maker::asking!(struct B;);"), None);
        assert_eq!(calls("crate::maker::other!(B); make!(B: u8);"), None);
        assert_eq!(calls("fn f() { crate::maker::make!(B: u8); }"), None);
    }
}
