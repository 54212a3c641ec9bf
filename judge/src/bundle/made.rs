//! What calls of macros make where items stand, if these are macros of the text and make nothing but items with names and impls.
//!
//! Own code keeps its calls as they were written. What comes of them has to be known all the same: `modulus!(Fast, 998244353)` names a
//! type that perhaps no code asks for, and `weight!(&Dead)` is for one. Of `weight!(u8, &Dead)` each part counts for itself.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item};

use super::expand::{self, Macro};
use super::header::Header;
use super::index::{Index, Kind, Sort};
use super::things;

/// Expansions in expansions, at most.
const DEPTH: usize = 32;

/// What a call makes.
#[derive(Default)]
pub struct Made {
    /// What its items are called.
    pub names: Vec<String>,
    /// For each impl, the paths in its header.
    pub impls: Vec<Vec<Vec<String>>>,
}

/// What each call makes that is in no item, and each part of one, where that is known.
pub fn by_calls(index: &Index) -> BTreeMap<usize, Made> {
    let calls = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Call);
    let calls = calls.filter(|&n| index.nodes[n].parent == index.module(n));
    let calls: Vec<usize> = calls.collect();
    let mut found = BTreeMap::new();
    if calls.is_empty() {
        return found;
    }
    let mut expander = Expander::new(index);
    for n in calls {
        let made = expander.made(n);
        found.extend(made.into_iter().flatten());
    }
    found
}

struct Expander<'i> {
    index: &'i Index<'i>,
    /// The macros of the text by their names, each where it is defined.
    defined: BTreeMap<&'i str, Vec<usize>>,
    /// Those that have been read, or cannot be.
    read: BTreeMap<usize, Option<Macro>>,
}

impl<'i> Expander<'i> {
    fn new(index: &'i Index<'i>) -> Self {
        let mut defined: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (n, node) in index.nodes.iter().enumerate() {
            if node.sort == Sort::Macro {
                defined.entry(&node.name).or_default().push(n);
            }
        }
        Self {
            index,
            defined,
            read: BTreeMap::new(),
        }
    }

    /// What a call makes, and what its parts do.
    fn made(&mut self, call: usize) -> Option<Vec<(usize, Made)>> {
        let item: syn::ItemMacro = syn::parse_str(self.index.text_of(call)).ok()?;
        let mut all = vec![(call, item.mac.clone())];
        for part in self.index.children(call) {
            let tokens = self.index.text_of(part).parse().ok()?;
            let mac = syn::Macro {
                tokens,
                ..item.mac.clone()
            };
            all.push((part, mac));
        }
        let mut made = |(n, mac)| {
            let mut made = Made::default();
            self.add(call, &mac, 0, &mut made)?;
            Some((n, made))
        };
        let all: Option<Vec<_>> = all.into_iter().map(&mut made).collect();
        all.or_else(|| {
            let names = defined(item.mac.tokens);
            let impls = Vec::new();
            (!names.is_empty()).then(|| vec![(call, Made { names, impls })])
        })
    }

    /// Adds what a call in the place of another makes.
    fn add(
        &mut self,
        place: usize,
        call: &syn::Macro,
        depth: usize,
        made: &mut Made,
    ) -> Option<()> {
        let Some(macro_of) = self.meant(place, &call.path) else {
            // One of the standard library, or of a crate that is not in the text.
            let names = defined(call.tokens.clone());
            return (!names.is_empty()).then(|| made.names.extend(names));
        };
        self.read(macro_of);
        let known = self.read[&macro_of].as_ref().filter(|_| depth < DEPTH)?;
        let outline = known.outline(call.tokens.clone())?;
        for item in syn::parse2::<syn::File>(outline).ok()?.items {
            let item = match item {
                // It may not look into all that it gets.
                Item::Macro(inner) if inner.ident.is_none() => {
                    self.add(place, &inner.mac, depth + 1, made)?;
                    continue;
                }
                item => syn::parse2(expand::transparent(item.into_token_stream())).ok()?,
            };
            let is_for_code = |attributes: &[Attribute]| {
                let attributes = attributes.iter();
                let text: String = attributes
                    .map(|attr| attr.to_token_stream().to_string())
                    .collect();
                !things::are_for_linker(&text)
            };
            let name = match item {
                Item::Impl(block) => {
                    let header = Header::new(&block, &self.index.aliases);
                    made.impls.push(header.paths);
                    continue;
                }
                Item::Const(of) if of.ident != "_" => of.ident,
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

    /// The one macro that a call at the place of a node may mean.
    fn meant(&self, place: usize, path: &syn::Path) -> Option<usize> {
        let index = self.index;
        let name = path.segments.last()?.ident.to_string();
        let all = self.defined.get(&*name)?.iter().copied();
        let is_alone = path.segments.len() == 1;
        let crate_of = index.outermost(place);
        let imports = || {
            let nodes = index.nodes.iter().enumerate();
            let mut imports = nodes.filter(|(_, node)| node.kind == Kind::Import);
            imports.any(|(n, node)| node.name == name && index.outermost(n) == crate_of)
        };
        let may_be = |&n: &usize| {
            let of = index.outermost(n);
            !is_alone || of.is_none() || of == crate_of || imports()
        };
        let mut found = all.filter(may_be);
        found.next().filter(|_| found.next().is_none())
    }

    fn read(&mut self, n: usize) {
        let index = self.index;
        self.read.entry(n).or_insert_with(|| {
            let item: syn::ItemMacro = syn::parse_str(index.text_of(n)).ok()?;
            let body: TokenStream = item.mac.tokens;
            Macro::parse(body).ok()
        });
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
        let header =
            |paths: &Vec<Vec<String>>| paths.iter().map(path).collect::<Vec<_>>().join(" ");
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
    fn each_part_of_a_call_makes_its_own() {
        let found = made(
            "macro_rules! weight { ($($t:ty),*) => { $( impl Weight for $t {} )* } }
             weight!(&A, [B; 2]);",
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
