//! What macros make that are called by a path or an import among the items of a crate, written in its place: the compiler can judge each
//! item then.
//!
//! Macros of the crate itself that are in scope by the order of the text are expanded when it is loaded. Where a path leads is known only
//! when all modules and crates are there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use anyhow::Result;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemFn, ItemMacro, ItemMod, TraitItem};

use crate::bundle::load::expand::{self, Macro};
use crate::bundle::text::source::{self, Edits};

/// Expansions in expansions, at most.
const DEPTH: usize = 64;

/// The text with those calls expanded, in the crates that are others'; `None` if there are none. What is made in a crate is loaded as if it
/// were written there.
pub fn expanded(
    text: &str,
    is_own: &dyn Fn(&str) -> bool,
    loaded: &dyn Fn(&str, &str) -> Option<String>,
) -> Result<Option<String>> {
    let file = source::parsed(text)?;
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
        loaded,
        macros,
        parsed: BTreeMap::new(),
    };
    let mut edits = Edits::default();
    for call in calls.found {
        let made = known.made(call.mac, &call.scope, call.around, 0);
        if let Some(made) = made.and_then(|made| known.settled(&made)) {
            edits.replace(call.range, on_lines_of_their_own(&made, call.around));
        }
    }
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// The macros of a crate by their names.
#[derive(Default)]
struct Definitions {
    /// The modules that we are in, from the crate's on.
    path: Vec<String>,
    found: BTreeMap<String, Vec<Definition>>,
}

#[derive(Clone)]
struct Definition {
    module: Vec<String>,
    rules: TokenStream,
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if let Some(name) = &item.ident {
            let definition = Definition {
                module: self.path.clone(),
                rules: item.mac.tokens.clone(),
            };
            let known = self.found.entry(name.to_string());
            known.or_default().push(definition);
        }
    }

    fn visit_item_mod(&mut self, of: &'ast ItemMod) {
        self.path.push(of.ident.to_string());
        visit::visit_item_mod(self, of);
        self.path.pop();
    }
}

/// A call that stands where items of modules stand, or those of impls.
struct Call<'t> {
    mac: &'t syn::Macro,
    range: Range<usize>,
    around: Around,
    scope: Rc<Scope>,
}

/// What a call stands in.
#[derive(Clone, Copy)]
enum Around {
    Module,
    Impl,
}

impl Around {
    /// What it makes, as a text that can be read, and how much stands before it there.
    fn file(self, made: &str) -> (String, usize) {
        match self {
            Self::Module => (made.to_owned(), 0),
            Self::Impl => (format!("{IMPL}{made}}}"), IMPL.len()),
        }
    }
}

/// What may stand around items of impls.
const IMPL: &str = "impl A {";

/// The calls in the modules of a crate.
#[derive(Default)]
struct Calls<'t> {
    /// The modules that we are in, from the crate's on.
    path: Vec<String>,
    scope: Rc<Scope>,
    found: Vec<Call<'t>>,
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

    fn add(&mut self, mac: &'t syn::Macro, range: Range<usize>, around: Around) {
        if self.scope.place(mac).is_some() {
            let scope = self.scope.clone();
            self.found.push(Call {
                mac,
                range,
                around,
                scope,
            });
        }
    }
}

impl<'t> Visit<'t> for Calls<'t> {
    fn visit_item(&mut self, item: &'t Item) {
        match item {
            Item::Macro(call) if call.ident.is_none() && call.attrs.is_empty() => {
                self.add(&call.mac, call.span().byte_range(), Around::Module);
            }
            Item::Impl(block) => {
                for item in &block.items {
                    match item {
                        ImplItem::Macro(call) if call.attrs.is_empty() => {
                            self.add(&call.mac, call.span().byte_range(), Around::Impl);
                        }
                        _ => {}
                    }
                }
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

/// The crate and the name of a macro, and which of those so called it is.
type Place = (String, String, usize);

struct Known<'l> {
    loaded: &'l dyn Fn(&str, &str) -> Option<String>,
    macros: BTreeMap<(String, String), Vec<Definition>>,
    parsed: BTreeMap<Place, Option<Macro>>,
}

impl Known<'_> {
    /// The macro at a place.
    fn parse(&mut self, place: &Place) -> Option<&Macro> {
        let (crate_of, name, at) = place;
        let parsed = self.parsed.entry(place.clone()).or_insert_with(|| {
            let all = self.macros.get(&(crate_of.clone(), name.clone()))?;
            Macro::parse(all.get(*at)?.rules.clone()).ok()
        });
        parsed.as_ref()
    }

    /// The one macro that a path leads to. A module passes on what is defined in it, or in one of its modules; where there are several
    /// by the name, that which is defined in it. It may have another one from elsewhere.
    fn meant(&self, path: &[String]) -> Option<Place> {
        let (name, module) = path.split_last()?;
        let crate_of = module.first()?.clone();
        let all = self.macros.get(&(crate_of.clone(), name.clone()))?;
        let is_it = |of: &Definition| match all.len() {
            1 => of.module.starts_with(module),
            _ => of.module == module,
        };
        let mut found = (0..all.len()).filter(|&at| is_it(&all[at]));
        let at = found.next().filter(|_| found.next().is_none())?;
        Some((crate_of, name.clone(), at))
    }

    /// What a call makes, with what calls among it make.
    fn made(
        &mut self,
        call: &syn::Macro,
        scope: &Scope,
        around: Around,
        depth: usize,
    ) -> Option<String> {
        let path = scope.place(call).filter(|_| depth < DEPTH)?;
        let place = self.meant(&path)?;
        let made = self.parse(&place)?.expand(call.tokens.clone())?;
        let made = made.to_string();
        let made = (self.loaded)(scope.path.first()?, &around.file(&made).0)?;
        let file = syn::parse_file(&made).ok()?;
        // A macro defined there may have a name that others have; and what cfg leaves out should not be there at all.
        if source::words(&made).any(|word| ["cfg", "cfg_attr", "macro_rules"].contains(&word)) {
            return None;
        }
        let mut items = String::new();
        let mut add = |call: Option<&syn::Macro>, item: &dyn Fn() -> TokenStream| {
            match call {
                Some(call) => items += &self.made(call, scope, around, depth + 1)?,
                None => items += &(item().to_string() + "\n"),
            }
            Some(())
        };
        for item in &file.items {
            match (item, around) {
                (Item::Impl(block), Around::Impl) => {
                    for item in &block.items {
                        let call = match item {
                            ImplItem::Macro(call) if call.attrs.is_empty() => Some(&call.mac),
                            _ => None,
                        };
                        add(call, &|| item.to_token_stream())?;
                    }
                }
                (Item::Macro(call), _) if call.attrs.is_empty() => {
                    add(Some(&call.mac), &TokenStream::new)?
                }
                (item, _) => add(None, &|| item.to_token_stream())?,
            }
        }
        Some(items)
    }

    /// The same without marks of what a macro may not look into.
    fn settled(&mut self, made: &str) -> Option<String> {
        let words: BTreeSet<&str> = source::words(made).collect();
        let called = self.macros.iter();
        let called = called.filter(|((_, name), _)| words.contains(name.as_str()));
        let places = called.flat_map(|((crate_of, name), all)| {
            (0..all.len()).map(|at| (crate_of.clone(), name.clone(), at))
        });
        let called: Vec<Place> = places.collect();
        for place in &called {
            self.parse(place);
        }
        let known = |path: &str| {
            let name = path.rsplit("::").next().unwrap_or(path);
            let mut same = called.iter().filter(|(_, of, _)| of == name);
            match (same.next(), same.next()) {
                (Some(one), None) => self.parsed.get(one)?.as_ref(),
                _ => None,
            }
        };
        expand::settled(made, &known)
    }
}

/// The compiler tells functions by their lines.
fn on_lines_of_their_own(items: &str, around: Around) -> String {
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
    let (text, before) = around.file(items);
    if let Ok(file) = syn::parse_file(&text) {
        starts.visit_file(&file);
    }
    let mut edits = Edits::default();
    for at in starts.0 {
        edits.insert(at - before, "\n");
    }
    edits.apply(items)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bundle::load;
    use crate::bundle::resolve::Unit;

    /// Expands in a crate.
    fn expanded(text: &str, is_own: &dyn Fn(&str) -> bool) -> Result<Option<String>> {
        let units = [Unit::sample(Path::new("lib.rs"))];
        super::expanded(text, is_own, &|_, made| load::made(&units, 0, made))
    }

    const MAKER: &str = "mod maker {
        macro_rules! make {
            ($name:ident: $($of:ty),*) => {
                struct $name;
                $(impl $crate::maker::Made<$of> for $name { fn made() -> $of { <$of>::default() } })*
                $crate::maker::make!(@checked $name);
            };
            (@checked $name:ident) => {};
        }
        macro_rules! asking { ($x:item) => { #[cfg(unix)] $x }; }
        macro_rules! settled { ($x:ident) => { #[cfg(any())] struct $x; #[cfg(all())] fn f() { #[cfg(any())] return; match 0 { #[cfg(any())] 1 => {} _ => $x() } } }; }
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
    fn what_a_known_cfg_leaves_out_is_not_made() {
        let made = calls("crate::maker::settled!(B);").unwrap();
        assert_eq!(made.trim(), "fnf(){match0{_=>B()}}\n}");
    }

    #[test]
    fn items_of_impls_are_made_too() {
        let text = "mod maker {
                mod a { macro_rules! impls { ($of:ty) => { fn a() -> $of { 0 } crate::maker::a::more!(); } } macro_rules! more { () => { fn b() {} } } }
                mod b { macro_rules! impls { ($of:ty) => { fn never() -> $of { 0 } } } }
                struct A; impl A { crate::maker::a::impls!(u8); }
            }";
        let made = expanded(text, &|_| false).unwrap().unwrap();
        let (_, inside) = made.split_once("impl A {").unwrap();
        let words: Vec<&str> = inside.split_whitespace().collect();
        assert_eq!(words.concat(), "fna()->u8{0}fnb(){}}}");
        // Which one is not known where none is defined in the module.
        let text = text.replace("a::impls!(u8)", "impls!(u8)");
        assert!(expanded(&text, &|_| false).unwrap().is_none());
    }

    #[test]
    fn calls_that_are_not_clear_stay() {
        assert_eq!(calls("crate::maker::asking!(struct B;);"), None);
        assert_eq!(calls("crate::maker::other!(B); make!(B: u8);"), None);
        assert_eq!(calls("fn f() { crate::maker::make!(B: u8); }"), None);
    }
}
