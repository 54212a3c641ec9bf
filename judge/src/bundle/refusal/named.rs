//! The crates and macros that a program surely needs: what `main` does names them, or a function that it calls.

use std::collections::{BTreeMap, BTreeSet};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Item, ItemFn, Pat, UseTree};

/// The macros of `std` of which all arguments are expressions that run.
const RUNNING: [&str; 8] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "eprintln",
    "print",
    "println",
    "vec",
    "writeln",
];

/// A macro by the crate that it is imported from, and its name.
pub type Call = (String, String);

/// What surely runs or is compiled when `main` is.
#[derive(Default)]
pub struct Found {
    pub crates: BTreeSet<String>,
    pub calls: BTreeSet<Call>,
}

/// Which of some crates and macros the code names that surely runs or is compiled when `main` is. The text names crates as `::name`.
pub fn surely(file: &syn::File, crates: &BTreeSet<String>, calls: &BTreeSet<Call>) -> Found {
    let mut functions = BTreeMap::new();
    find(&file.items, &mut functions);
    let mut variables = Variables::default();
    variables.visit_file(file);
    let main = file.items.iter().filter_map(|item| match item {
        Item::Fn(function) if function.sig.ident == "main" => Some(function),
        _ => None,
    });
    let mut next: Vec<(&ItemFn, &[Item])> = main.map(|main| (main, &file.items[..])).collect();
    let (mut found, mut seen) = (Found::default(), BTreeSet::new());
    while let Some((function, module)) = next.pop() {
        let mut imported = BTreeMap::new();
        for item in module {
            if let Item::Use(import) = item {
                if import.leading_colon.is_some() {
                    imports(&import.tree, None, &mut imported);
                }
            }
        }
        let mut named = Named {
            crates,
            calls,
            imported: &imported,
            found: &mut found,
            called: BTreeSet::new(),
            types: BTreeSet::new(),
        };
        named.visit_signature(&function.sig);
        named.visit_block(&function.block);
        named.of_attributes(&function.attrs);
        for parameter in function.sig.generics.type_params() {
            named.types.remove(&parameter.ident.to_string());
        }
        for item in module {
            let (name, attributes) = match item {
                Item::Struct(item) => (&item.ident, &item.attrs),
                Item::Enum(item) => (&item.ident, &item.attrs),
                _ => continue,
            };
            if named.types.contains(&name.to_string()) {
                named.of_attributes(attributes);
            }
        }
        for name in named.called {
            // If it is another's name as well, it may be that which is called.
            let is_one = variables.0.contains(&name) || !seen.insert(name.clone());
            if let (false, Some([one])) = (is_one, functions.get(&name).map(Vec::as_slice)) {
                next.push(*one);
            }
        }
    }
    found
}

/// Finds functions, each with the items among which it is.
fn find<'f>(items: &'f [Item], found: &mut BTreeMap<String, Vec<(&'f ItemFn, &'f [Item])>>) {
    for item in items {
        match item {
            Item::Fn(function) => {
                let of_name = found.entry(function.sig.ident.to_string()).or_default();
                of_name.push((function, items));
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    find(items, found);
                }
            }
            _ => {}
        }
    }
}

/// What an import brings, and from which crate.
fn imports(tree: &UseTree, from: Option<&str>, found: &mut BTreeMap<String, String>) {
    match (tree, from) {
        (UseTree::Path(path), from) => {
            let name = path.ident.to_string();
            imports(&path.tree, Some(from.unwrap_or(&name)), found);
        }
        (UseTree::Group(group), from) => {
            for tree in &group.items {
                imports(tree, from, found);
            }
        }
        (UseTree::Name(name), from) => {
            let name = name.ident.to_string();
            found.insert(name.clone(), from.unwrap_or(&name).to_owned());
        }
        (UseTree::Rename(rename), from) => {
            let name = rename.ident.to_string();
            found.insert(rename.rename.to_string(), from.unwrap_or(&name).to_owned());
        }
        (UseTree::Glob(_), _) => {}
    }
}

struct Named<'n> {
    crates: &'n BTreeSet<String>,
    calls: &'n BTreeSet<Call>,
    imported: &'n BTreeMap<String, String>,
    found: &'n mut Found,
    called: BTreeSet<String>,
    /// What looks like a type and is not imported.
    types: BTreeSet<String>,
}

impl Named<'_> {
    /// A macro that a path leads to.
    fn call(&mut self, path: &syn::Path) {
        let ends = (path.segments.first(), path.segments.last());
        let (Some(first), Some(last)) = ends else {
            return;
        };
        let (first, name) = (first.ident.to_string(), last.ident.to_string());
        let from = match path.leading_colon {
            Some(_) => Some(&first),
            None => self.imported.get(&name).filter(|_| first == name),
        };
        let called = from.map(|from| (from.clone(), name));
        let called = called.filter(|called| self.calls.contains(called));
        self.found.calls.extend(called);
    }

    /// The macros that attributes are, and those that derive.
    fn of_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            if !attribute.path().is_ident("derive") {
                self.call(attribute.path());
                continue;
            }
            let list = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
            for of_trait in attribute.parse_args_with(list).iter().flatten() {
                self.call(of_trait);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Named<'_> {
    // What is defined there may be for nobody.
    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            let name = first.ident.to_string();
            let from = match path.leading_colon {
                Some(_) => Some(&name),
                // Variables and fields have no such names.
                None if name.starts_with(char::is_uppercase) => self.imported.get(&name),
                None => None,
            };
            if from.is_none() && name.starts_with(char::is_uppercase) {
                self.types.insert(name.clone());
            }
            let from = from.filter(|name| self.crates.contains(*name));
            self.found.crates.extend(from.cloned());
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(of) = &*call.func {
            self.called
                .extend(of.path.get_ident().map(ToString::to_string));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.call(&call.path);
        let is_running = RUNNING.iter().any(|name| call.path.is_ident(name));
        let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let arguments = call.parse_body_with(list).ok().filter(|_| is_running);
        for argument in arguments.iter().flatten() {
            // It does not live as long as the text.
            let mut inner = Named {
                crates: self.crates,
                calls: self.calls,
                imported: self.imported,
                found: &mut *self.found,
                called: BTreeSet::new(),
                types: BTreeSet::new(),
            };
            inner.visit_expr(argument);
            let (called, types) = (inner.called, inner.types);
            self.called.extend(called);
            self.types.extend(types);
        }
    }
}

/// The names of variables.
#[derive(Default)]
struct Variables(BTreeSet<String>);

impl<'ast> Visit<'ast> for Variables {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(name) = pattern {
            self.0.insert(name.ident.to_string());
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            if let syn::Stmt::Item(Item::Fn(function)) = statement {
                self.0.insert(function.sig.ident.to_string());
            }
        }
        visit::visit_block(self, block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_main_surely_does_counts() {
        let is_named = |text: &str| {
            let crates = BTreeSet::from(["geom".to_owned()]);
            let calls = BTreeSet::from([("geom".to_owned(), "shape".to_owned())]);
            let found = surely(&syn::parse_file(text).unwrap(), &crates, &calls);
            !found.crates.is_empty() || !found.calls.is_empty()
        };
        for text in [
            "fn main() { ::geom::f(); }",
            "use ::geom::{a::B as C}; fn main() { println!(\"{}\", C::new()); }",
            "fn main() { f(1) } fn f(a: u8) -> ::geom::A { g() }",
            "mod m { use ::geom::A; pub fn f() { let a: A; } } use m::f; fn main() { f(); }",
            "use ::geom::{shape, size}; fn main() { println!(\"{}\", 1 + shape![1; 2]); }",
            "fn main() { f(1) } fn f(a: u8) { ::geom::shape! { a } }",
            "use ::geom::shape; #[shape] fn main() {}",
            "fn main() { f() } #[::geom::shape(1)] fn f() {}",
            "use ::geom::shape; fn main() { println!(\"{}\", A::B) } #[derive(Debug, shape)] enum A { B }",
        ] {
            assert!(is_named(text), "{text}");
        }
        for text in [
            "use ::geom::A; fn main() {} fn f() -> A {}",
            "use ::geom::A; fn main() { struct B(A); impl B { fn a(&self) -> A {} } }",
            "use ::geom::A; trait B { fn b(); } impl B for u8 { fn b() { f() } } fn f() { A } fn main() {}",
            "use ::geom::A; fn main() { let f = || 1; f(); } fn f() -> A { A }",
            "use ::geom::A; fn main() { ignored!(A); m::g(); }",
            "use ::other::A; mod m { use ::geom::A; } fn main() { A; }",
            "use ::geom::a; fn main() { let a = 1; a + 1; }",
            "fn main() { #[::geom::a] struct A; #[::geom::b] { 1 } }",
            "use ::other::shape; fn main() { shape!(1); }",
            "use ::geom::shape; fn main() { f() } #[inline] fn f() {} #[shape] fn g() {} #[derive(shape)] struct A;",
            "use ::geom::shape; fn main() { f(1) } fn f<A>(a: A) {} #[derive(shape)] struct A;",
            "use ::geom::shape; use ::other::A; fn main() { A; } mod m { #[derive(shape)] struct A; }",
            "use ::geom::{shape, size}; fn main() { size!(1); ignored!(shape!(1)); } fn f() { shape!(1) }",
            "use ::geom::*; fn main() { shape!(1); m::shape!(1); }",
        ] {
            assert!(!is_named(text), "{text}");
        }
    }
}
