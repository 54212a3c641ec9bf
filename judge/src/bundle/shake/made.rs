//! What calls of macros make where items stand, if these are macros of the text and make nothing but items with names and impls.
//!
//! Own code keeps its calls as they were written. What comes of them has to be known all the same: `modulus!(Fast, 998244353)` names a
//! type that perhaps no code asks for, and `weight!(&Dead)` is for one. Of `weight!(u8, &Dead)` each part counts for itself, and of
//! `weight!(10: u8, &Dead)` with what stands before all.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{
    Attribute, Expr, Ident, ImplItem, ImplItemMacro, Item, ItemImpl, ItemMod, ItemUse, Stmt, Type,
    Visibility,
};

use crate::bundle::load::expand::Macro;
use crate::bundle::load::marks;
use crate::bundle::text::header::Header;
use crate::bundle::text::index::{Index, Kind};
use crate::bundle::text::source;
use crate::bundle::text::things;
use crate::bundle::text::tokens::{is_ident, is_punct};

/// Expansions in expansions, at most.
const DEPTH: usize = 32;

/// What a call makes.
#[derive(Default)]
pub struct Made {
    /// What its items are called.
    pub names: Vec<String>,
    /// What it imports for the code around.
    pub imports: Vec<String>,
    /// What it passes on to others.
    pub passes_on: Vec<String>,
    /// The words in what it makes, nothing where that is not known.
    pub words: BTreeSet<String>,
    /// What its impls have, by trait and name; without a trait that has no name.
    pub items: BTreeSet<(String, String)>,
    pub impls: Vec<Header>,
    /// Whether it makes sure of something, of which no code comes.
    checks: bool,
}

impl Made {
    fn implement(&mut self, index: &Index, modules: &[&str], block: &ItemImpl) {
        self.items.extend(implemented(block));
        let header = Header::new(block, index.aliases.within(modules.first().copied()));
        self.impls.push(header);
    }
}

/// What each call makes that is in no item, and each part of one, where that is known.
pub fn by_calls(index: &Index) -> BTreeMap<usize, Made> {
    let calls = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Call);
    let calls = calls.filter(|&n| index.nodes[n].parent == index.module(n));
    let made = calls.filter_map(|n| by_call(index, n));
    made.flatten().collect()
}

/// The macros of a text by their names.
#[derive(Default)]
pub struct Macros {
    defined: BTreeMap<String, Vec<Defined>>,
    /// What imports bring, each name with the crate that has the import.
    imported: BTreeSet<(Option<String>, String)>,
}

struct Defined {
    /// The module of the file that it is in.
    crate_of: Option<String>,
    /// The modules of the file that it is in scope in, from the outermost on.
    scope: Vec<String>,
    rules: TokenStream,
    /// Nothing if it cannot be read.
    read: OnceCell<Option<Macro>>,
}

impl Macros {
    /// Those among some items and in their modules.
    pub fn new(items: &[Item]) -> Self {
        let mut macros = Self::default();
        macros.add(items, &[], &[]);
        macros
    }

    /// Adds those among the items of a module, which are in scope in another around it, or in that alone.
    fn add(&mut self, items: &[Item], module: &[String], scope: &[String]) {
        let crate_name = || module.first().cloned();
        for item in items {
            match item {
                Item::Macro(of) => {
                    let Some(name) = &of.ident else { continue };
                    let all = self
                        .defined
                        .entry(source::plain_name(&name.to_string()).to_owned());
                    all.or_default().push(Defined {
                        crate_of: crate_name(),
                        scope: scope.to_owned(),
                        rules: of.mac.tokens.clone(),
                        read: OnceCell::new(),
                    });
                }
                Item::Mod(of) => {
                    let name = source::plain_name(&of.ident.to_string()).to_owned();
                    let module = [module, &[name]].concat();
                    let is_open = of.attrs.iter().any(|of| of.path().is_ident("macro_use"));
                    let scope = if is_open { scope } else { &module };
                    let items = of.content.iter().flat_map(|(_, items)| items);
                    items.for_each(|item| self.add(slice::from_ref(item), &module, scope));
                }
                Item::Use(of) => {
                    let names = source::leaves(of).into_iter().map(|(_, called)| called);
                    self.imported.extend(names.map(|name| (crate_name(), name)));
                }
                _ => {}
            }
        }
    }

    /// The one macro that a call in some modules, from the outermost on, may mean; nothing in it if that cannot be read.
    pub fn meant(&self, modules: &[&str], path: &syn::Path) -> Option<Option<&Macro>> {
        let name = path.segments.last()?.ident.to_string();
        let all = self.defined.get(source::plain_name(&name))?;
        let crate_of = modules.first().map(|&name| name.to_owned());
        let is_far = path.segments.len() > 1 || self.imported.contains(&(crate_of.clone(), name));
        let may_be = |of: &&Defined| is_far || of.scope.is_empty() || of.crate_of == crate_of;
        let is_in_scope = |of: &&Defined| {
            let mut around = of.scope.iter().zip(modules);
            of.scope.len() <= modules.len() && around.all(|(one, other)| one == other)
        };
        let all = || all.iter().filter(may_be);
        let in_scope = || only(all().filter(is_in_scope));
        let only = only(all()).or_else(|| in_scope().filter(|_| !is_far))?;
        let read = || Macro::parse(only.rules.clone()).ok();
        Some(only.read.get_or_init(read).as_ref())
    }
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    found.next().filter(|_| found.next().is_none())
}

/// What a call makes, and what its parts do.
fn by_call(index: &Index, call: usize) -> Option<Vec<(usize, Made)>> {
    let item: syn::ItemMacro = syn::parse_str(index.text_of(call)).ok()?;
    let mut all = vec![(call, item.mac.clone())];
    for part in index.children(call) {
        let tokens = index.with_part(call, part).parse().ok()?;
        let mac = syn::Macro {
            tokens,
            ..item.mac.clone()
        };
        all.push((part, mac));
    }
    let modules = index.modules_around(call);
    let made = |(n, mac)| {
        let mut made = Made::default();
        add(index, &modules, &mac, 0, &mut made)?;
        // Imports alone are for the code around, and a check alone is no less its author's if nothing names it.
        let has_imports = !(made.imports.is_empty() && made.passes_on.is_empty());
        let has_more = has_imports || made.checks;
        (!has_more || !made.names.is_empty()).then_some((n, made))
    };
    let all: Option<Vec<_>> = all.into_iter().map(made).collect();
    all.or_else(|| {
        let names = defined(item.mac.tokens);
        let made = Made {
            names,
            ..Made::default()
        };
        (!made.names.is_empty()).then(|| vec![(call, made)])
    })
}

/// What the functions and constants are called that each call in an impl without a trait makes, where that is known.
pub fn in_impls(index: &Index) -> BTreeMap<usize, Vec<String>> {
    let is_in_impl = |n: usize| {
        let around = index.nodes[n].parent;
        around.is_some_and(|around| index.nodes[around].kind == Kind::InherentImpl)
    };
    let calls = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Call);
    let calls = calls.filter(|&n| is_in_impl(n));
    let made = calls.filter_map(|n| Some((n, members(index, n)?)));
    made.collect()
}

fn members(index: &Index, call: usize) -> Option<Vec<String>> {
    let call_of: ImplItemMacro = syn::parse_str(index.text_of(call)).ok()?;
    let modules = index.modules_around(call);
    let mut found = Vec::new();
    add_members(index, &modules, call_of.mac, 0, &mut found)?;
    Some(found)
}

fn add_members(
    index: &Index,
    modules: &[&str],
    call: syn::Macro,
    depth: usize,
    found: &mut Vec<String>,
) -> Option<()> {
    let known = index.macros.meant(modules, &call.path)?;
    let made = known.filter(|_| depth < DEPTH)?.outline(call.tokens)?;
    let items = |input: ParseStream| {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse::<ImplItem>()?);
        }
        Ok(items)
    };
    for item in items.parse2(marks::transparent(made)).ok()? {
        let name = match item {
            ImplItem::Const(of) => of.ident,
            ImplItem::Fn(of) => of.sig.ident,
            ImplItem::Macro(of) => {
                add_members(index, modules, of.mac, depth + 1, found)?;
                continue;
            }
            _ => return None,
        };
        found.push(source::plain_name(&name.to_string()).to_owned());
    }
    Some(())
}

/// Adds what a call in some modules makes.
fn add(
    index: &Index,
    modules: &[&str],
    call: &syn::Macro,
    depth: usize,
    made: &mut Made,
) -> Option<()> {
    let Some(known) = index.macros.meant(modules, &call.path) else {
        // One of the standard library, or of a crate that is not in the text.
        let names = defined(call.tokens.clone());
        return (!names.is_empty()).then(|| made.names.extend(names));
    };
    let outline = known
        .filter(|_| depth < DEPTH)?
        .outline(call.tokens.clone())?;
    add_words(outline.clone(), &mut made.words);
    for item in syn::parse2::<syn::File>(outline).ok()?.items {
        let item = match item {
            // It may not look into all that it gets.
            Item::Macro(inner) if inner.ident.is_none() => {
                add(index, modules, &inner.mac, depth + 1, made)?;
                continue;
            }
            Item::Use(of) => {
                let names = match of.vis {
                    Visibility::Inherited => &mut made.imports,
                    _ => &mut made.passes_on,
                };
                names.extend(brought(&of)?);
                continue;
            }
            item => syn::parse2(marks::transparent(item.into_token_stream())).ok()?,
        };
        let is_for_code = |attributes: &[Attribute]| !attributes.iter().any(is_for_linker);
        let name = match item {
            Item::Impl(block) => {
                made.implement(index, modules, &block);
                continue;
            }
            Item::Const(of) if of.ident == "_" => {
                made.checks |= is_check(&of.expr);
                for block in impls_in(index, modules, &of.expr)? {
                    made.implement(index, modules, block);
                }
                continue;
            }
            Item::Mod(of) if is_named_to_be_used(&of) => {
                add_implemented(&of, &mut made.items);
                of.ident
            }
            Item::Const(of) => of.ident,
            Item::Enum(of) => of.ident,
            Item::Fn(of) if is_for_code(&of.attrs) => of.sig.ident,
            Item::Static(of) if is_for_code(&of.attrs) => of.ident,
            Item::Struct(of) => of.ident,
            Item::Trait(of) => of.ident,
            Item::Type(of) => of.ident,
            Item::Union(of) => of.ident,
            _ => return None,
        };
        let name = name.to_string();
        made.names.push(name.trim_start_matches("r#").to_owned());
    }
    Some(())
}

/// Whether what a constant without a name is made of is more than items.
fn is_check(expr: &Expr) -> bool {
    let is_item = |statement: &Stmt| matches!(statement, Stmt::Item(_));
    match expr {
        Expr::Block(of) => !of.block.stmts.iter().all(is_item),
        _ => true,
    }
}

/// The impls in what a constant without a name is made of. Nothing where nobody knows what is in it.
fn impls_in<'e>(index: &Index, modules: &[&str], expr: &'e Expr) -> Option<Vec<&'e ItemImpl>> {
    let is_of_std = |call: &syn::Macro| index.macros.meant(modules, &call.path).is_none();
    let of_statement = |statement: &'e Stmt| match statement {
        Stmt::Item(Item::Impl(block)) => Some(Some(block)),
        Stmt::Item(Item::Macro(_)) => None,
        Stmt::Macro(call) => is_of_std(&call.mac).then_some(None),
        _ => Some(None),
    };
    match expr {
        Expr::Block(of) => {
            let all: Option<Vec<_>> = of.block.stmts.iter().map(of_statement).collect();
            Some(all?.into_iter().flatten().collect())
        }
        Expr::Macro(call) => is_of_std(&call.mac).then(Vec::new),
        _ => Some(Vec::new()),
    }
}

/// The names that an import brings; nothing where nobody knows all of them. Who only calls the methods of a trait among them names none,
/// and the compiler tells.
fn brought(import: &ItemUse) -> Option<Vec<String>> {
    let leaves = source::leaves(import).into_iter();
    let names = leaves.map(|(path, called)| match called.as_str() {
        "*" | "_" => None,
        "self" => path.into_iter().rev().nth(1),
        _ => Some(called),
    });
    names
        .map(|name| Some(name?.trim_start_matches("r#").to_owned()))
        .collect()
}

/// Whether what is in a module is named through that alone. An impl for a type of the module is of no use to who cannot name that.
fn is_named_to_be_used(module: &ItemMod) -> bool {
    let items = || module.content.iter().flat_map(|(_, items)| items);
    let is_of_module = |of: &Ident| {
        items().any(|item| match item {
            Item::Enum(item) => item.ident == *of,
            Item::Struct(item) => item.ident == *of,
            _ => false,
        })
    };
    items().all(|item| match item {
        Item::Const(of) => of.ident != "_",
        Item::Fn(of) => !of.attrs.iter().any(is_for_linker),
        Item::Static(of) => !of.attrs.iter().any(is_for_linker),
        Item::Enum(_) | Item::Struct(_) | Item::Trait(_) | Item::Type(_) | Item::Use(_) => true,
        Item::Impl(block) => match &*block.self_ty {
            Type::Path(of) => match &of.path.segments.iter().collect::<Vec<_>>()[..] {
                [name] => is_of_module(&name.ident),
                _ => false,
            },
            _ => false,
        },
        Item::Mod(of) => is_named_to_be_used(of),
        _ => false,
    })
}

/// Adds what the impls in a module have.
fn add_implemented(module: &ItemMod, found: &mut BTreeSet<(String, String)>) {
    for item in module.content.iter().flat_map(|(_, items)| items) {
        match item {
            Item::Impl(block) => found.extend(implemented(block)),
            Item::Mod(of) => add_implemented(of, found),
            _ => {}
        }
    }
}

fn is_for_linker(attribute: &Attribute) -> bool {
    things::are_for_linker(&attribute.to_token_stream().to_string())
}

/// What an impl has, each name with that of its trait.
fn implemented(block: &ItemImpl) -> impl Iterator<Item = (String, String)> + '_ {
    let path = block.trait_.as_ref().map(|(path, _)| path);
    let of_trait = path.and_then(|path| path.segments.last());
    let of_trait = of_trait.map_or_else(String::new, |of_trait| of_trait.ident.to_string());
    let names = block.items.iter().filter_map(|item| match item {
        ImplItem::Const(of) => Some(&of.ident),
        ImplItem::Fn(of) => Some(&of.sig.ident),
        ImplItem::Type(of) => Some(&of.ident),
        _ => None,
    });
    names.map(move |name| (of_trait.clone(), name.to_string()))
}

/// Adds the words that may name an item: not those of what an impl has for its trait, as in `type A = B`, `Self::A` and `T<A = B>`.
fn add_words(stream: TokenStream, words: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let before = |by: usize| at.checked_sub(by).map(|at| &trees[at]);
        match tree {
            TokenTree::Ident(word) => {
                let is_defined = ["type", "fn"].iter().any(|def| is_ident(before(1), def));
                let is_of_self = is_punct(before(1), ':') && is_ident(before(3), "Self");
                let is_bound = is_punct(trees.get(at + 1), '=')
                    && (is_punct(before(1), '<') || is_punct(before(1), ','));
                if !is_defined && !is_of_self && !is_bound {
                    words.insert(source::plain_name(&word.to_string()).to_owned());
                }
            }
            TokenTree::Group(group) => add_words(group.stream(), words),
            _ => {}
        }
    }
}

/// What a macro's call seems to define: `A` of `m! { pub struct A { … } }`. What else comes of it, errors tell.
fn defined(inside: TokenStream) -> Vec<String> {
    const DEFINING: [&str; 8] = [
        "const", "enum", "fn", "static", "struct", "trait", "type", "union",
    ];
    const BETWEEN: [&str; 6] = ["async", "extern", "mut", "ref", "safe", "unsafe"];
    let mut found = Vec::new();
    let mut begun = false;
    for tree in inside {
        let TokenTree::Ident(word) = tree else {
            continue;
        };
        let word = word.to_string();
        if DEFINING.contains(&word.as_str()) {
            begun = true;
        } else if begun && !BETWEEN.contains(&word.as_str()) {
            begun = false;
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the calls in a text make: names, and headers of impls.
    fn made(text: &str) -> Vec<(Vec<String>, Vec<String>)> {
        let index = Index::new(text).unwrap();
        let path = |path: &Vec<String>| path.join("::");
        let header = |of: &Header| of.paths.iter().map(path).collect::<Vec<_>>().join(" ");
        let shown = |made: Made| (made.names, made.impls.iter().map(header).collect());
        by_calls(&index).into_values().map(shown).collect()
    }

    #[test]
    fn a_call_defines_what_its_macro_does() {
        let found = made(
            "macro_rules! modulus { ($name:ident) => { pub struct $name; same!($name); impl From<$name> for u64 {} } }
             macro_rules! same { ($name:ident) => { impl PartialEq for $name {} } }
             modulus!(Fast);",
        );
        let impls = ["PartialEq Fast", "From Fast u64"].map(str::to_owned);
        assert_eq!(found, [(vec!["Fast".to_owned()], impls.to_vec())]);
    }

    #[test]
    fn constants_without_names_are_checks_or_have_impls() {
        let of = |constants: &str| {
            made(&format!(
                "macro_rules! own {{ () => {{}} }}
                 macro_rules! m {{ ($n:ident) => {{ struct $n; {constants} }} }} m!(A);"
            ))
        };
        let found = of("const _: () = { use a::B; impl B for $n {} struct C; assert!(true); }; const _: () = assert!(1 < 2);");
        assert_eq!(found, [(vec!["A".to_owned()], vec!["B A".to_owned()])]);
        // By themselves they are of no type that could go.
        let alone = |made_of: &str| {
            let rule = format!("macro_rules! m {{ ($n:ident) => {{ const _: () = {made_of}; }} }}");
            made(&format!("{rule} m!(A);")).len()
        };
        assert_eq!([alone("assert!(true)"), alone("{ struct B; 1 }")], [0, 0]);
        assert_eq!(alone("{ impl B for $n {} }"), 1);
        for unclear in ["{ own!(); }", "{ own! {} 1 }", "own!()"] {
            assert!(
                of(&format!("const _: () = {unclear};")).is_empty(),
                "{unclear}"
            );
        }
    }

    #[test]
    fn what_a_call_imports_is_known_beside_its_items() {
        let all =
            "use std::{fmt::{self, Write as W}, r#mod}; pub use $n::A; mod $n { pub struct A; }";
        let made = |rule: &str| {
            let text = format!("macro_rules! m {{ ($n:ident) => {{ {rule} }} }} m!(a);");
            let made = by_calls(&Index::new(&text).unwrap()).into_values().next();
            made.map(|made| {
                (
                    made.names.join(" "),
                    made.imports.join(" "),
                    made.passes_on.join(" "),
                )
            })
        };
        let [names, imports, passes_on] = <[String; 3]>::from(made(all).unwrap());
        assert_eq!([names, imports, passes_on], ["a", "fmt W mod", "A"]);
        for more in ["use std::fmt::*;", "use std::fmt::Write as _;"] {
            assert!(made(&format!("{more} {all}")).is_none(), "{more}");
        }
        assert!(made("use std::fmt;").is_none());
    }

    #[test]
    fn each_part_of_a_call_makes_its_own() {
        let found = made(
            "macro_rules! weight { ($($t:ty),*) => { $( impl Weight for $t {} )* } }
             weight!(&A, [B; 2]);
             mod other { macro_rules! weight { () => {} } }",
        );
        let headers: Vec<Vec<String>> = found.into_iter().map(|(_, impls)| impls).collect();
        assert_eq!(
            headers,
            [
                vec!["Weight A".to_owned(), "Weight B".to_owned()],
                vec!["Weight A".to_owned()],
                vec!["Weight B".to_owned()]
            ]
        );
    }

    #[test]
    fn calls_in_impls_make_functions() {
        let text = "macro_rules! get { ($($t:ident)*) => { $( #[inline] pub fn $t(&self) -> $t { 0 } )* const N: u8 = 0; } }
                    macro_rules! ty { () => { type A = u8; } }
                    macro_rules! both { ($a:ident) => { get!($a); fn f() {} } }
                    impl A { get!(u8 r#u16); ty!(); other!(); fn f() { get!(u32) } }
                    impl B { both!(u8); }
                    impl T for A { get!(u8); }";
        let index = Index::new(text).unwrap();
        let found: Vec<Vec<String>> = in_impls(&index).into_values().collect();
        assert_eq!(found, [["u8", "u16", "N"], ["u8", "N", "f"]]);
    }

    #[test]
    fn a_variable_may_be_called_as_in_the_call() {
        let found = made(
            "macro_rules! shapes { ($($name:ident = $area:expr),*) => {
                 $( impl Shape for $name { fn area(&self) -> u64 { let s = 1; $area(s) } } )*
             } }
             shapes! { Square = |s| s * s }",
        );
        assert_eq!(found, [(Vec::new(), vec!["Shape Square".to_owned()])]);
    }

    #[test]
    fn of_other_macros_the_tokens_tell() {
        let names = |text: &str| -> Vec<Vec<String>> {
            made(text).into_iter().map(|(names, _)| names).collect()
        };
        assert_eq!(names("bitflags! { struct A; }"), [["A"]]);
        assert_eq!(
            names("macro_rules! lazy { ($n:ident) => { thread_local! { static $n: u8 = 1; } } } lazy!(B);"),
            [["B"]]
        );
        // Each static may go by itself.
        let statics = "thread_local! { /// A\n static A: u8 = { 1; 2 }; pub static B: u8 = 2 }";
        assert_eq!(names(statics), [vec!["A", "B"], vec!["A"], vec!["B"]]);
        // A module, unless somebody outside may use what is in it without its name.
        let module = "macro_rules! m { ($n:ident) => { mod $n { pub fn f() {} } } } m!(a);";
        assert_eq!(names(module), [["a"]]);
        let with = |more: &str| names(&module.replace("pub fn", &format!("{more} pub fn")));
        let own = "pub struct S<T>(T); impl<T> S<T> { fn f() {} } impl<T: Copy> T for S<T> {} pub trait T {}";
        assert_eq!(with(own), [["a"]]);
        for of_others in [
            "impl T for u8 {}",
            "impl<T> U for T {}",
            "impl T for super::S {}",
        ] {
            assert!(
                with(&format!("{own} {of_others}")).is_empty(),
                "{of_others}"
            );
        }
        // Of two that which is in scope.
        let twins = "mod a { macro_rules! m { () => { struct A; } } m!(); mod b { m!(); } } mod a { macro_rules! m { () => { struct B; } } } \
                     mod c { macro_rules! m { () => { struct C; } } m!(); }";
        let in_crate = |text: &str| names(&format!("mod x {{ {text} }}"));
        assert_eq!(in_crate(twins), [["C"]]);
        let other = twins.replacen("} mod a {", "} mod d {", 1);
        assert_eq!(in_crate(&other), [["A"], ["A"], ["C"]]);
        let open = other.replacen("mod d", "#[macro_use] mod d", 1);
        assert!(in_crate(&open).is_empty());
        // A module of the program is none of another crate.
        let of_program = "#[macro_use] mod d { macro_rules! m { () => { struct A; } } } m!();";
        assert_eq!(names(of_program), [["A"]]);
        assert!(names(&of_program.replace("#[macro_use]", "")).is_empty());
        // One of two; an import among what it makes.
        assert!(
            names("macro_rules! m { () => {} } macro_rules! m { () => { struct A; } } m!();")
                .is_empty()
        );
        assert!(names("macro_rules! m { () => { use a::*; } } m!();").is_empty());
        // Nobody has to name it.
        assert!(
            names("macro_rules! m { ($n:ident) => { #[no_mangle] fn $n() {} } } m!(f);").is_empty()
        );
    }
}
