//! Heaps of what need not have an order. They can be made since 1.94: before, `BinaryHeap::new` asked for one, and what is not put into a
//! heap often has none.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, WherePredicate};

use super::typed::traits;
use crate::bundle::text::source;

/// What asked for an order before, besides `default`.
const MAKING: [&str; 2] = ["new", "with_capacity"];

const HEAP: &str = "BinaryHeap";

/// The functions of a file with parameters that need not have an order.
#[derive(Default)]
pub struct Unordered {
    functions: Vec<Function>,
    /// What each trait asks for.
    traits: BTreeMap<String, Vec<String>>,
}

struct Function {
    /// The type that it is of.
    of: Option<String>,
    name: String,
    parameter: String,
    /// What the parameter has to be.
    bounds: Vec<String>,
}

impl Unordered {
    pub fn of(text: &str, file: &syn::File) -> Self {
        let mut all = Self::default();
        if !source::words(text).any(|word| word == HEAP) {
            return all;
        }
        all.visit_file(file);
        let mut functions = std::mem::take(&mut all.functions);
        functions.retain(|function| !all.asks_for_order(&function.bounds));
        all.functions = functions;
        all
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    fn asks_for_order(&self, bounds: &[String]) -> bool {
        let mut open: Vec<&String> = bounds.iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(bound) = open.pop() {
            if bound == "Ord" {
                return true;
            }
            if seen.insert(bound) {
                open.extend(self.traits.get(bound).into_iter().flatten());
            }
        }
        false
    }

    fn add(&mut self, of: Option<&str>, name: &str, generics: &[&Generics]) {
        let all = generics.iter().flat_map(|generics| &generics.params);
        for one in all {
            let GenericParam::Type(one) = one else {
                continue;
            };
            let parameter = one.ident.to_string();
            let mut bounds = traits(&one.bounds);
            for generics in generics {
                let clause = generics.where_clause.iter();
                for predicate in clause.flat_map(|clause| &clause.predicates) {
                    // It may be about a type that has an order if this has one.
                    if let WherePredicate::Type(about) = predicate {
                        let text = about.bounded_ty.to_token_stream().to_string();
                        if source::words(&text).any(|word| word == parameter) {
                            bounds.extend(traits(&about.bounds));
                        }
                    }
                }
            }
            self.functions.push(Function {
                of: of.map(str::to_owned),
                name: name.to_owned(),
                parameter,
                bounds,
            });
        }
    }

    /// Whether a call in a body makes a heap of what need not have an order. The file defines some names: what they are for may have one.
    pub fn makes(&self, header: &str, callee: &str, own: &BTreeSet<String>) -> bool {
        let by_path = |name: &&str| callee.strip_suffix(*name)?.strip_suffix(">::");
        let by_trait = callee.strip_suffix(" as Default>::default");
        let heap = by_trait.or_else(|| MAKING.iter().find_map(by_path));
        let Some((before, inside)) = heap.and_then(|heap| heap.split_once(HEAP)) else {
            return false;
        };
        // It is what a heap is for, or holds one.
        if own.contains(HEAP) || source::words(before).any(|word| !MODULES.contains(&word)) {
            return false;
        }
        let head = header.strip_prefix("fn ").unwrap_or(header);
        let name = head.split('(').next().unwrap_or(head);
        let mut names = name.rsplit("::");
        let name = names.find(|name| !name.starts_with('{'));
        let is_of_impl = names.next().is_some_and(|around| around.ends_with('>'));
        let is_here = |function: &&Function| {
            let mut words = source::words(header);
            Some(&*function.name) == name
                && match &function.of {
                    Some(of) => words.any(|word| word == of),
                    None => !is_of_impl,
                }
        };
        let mut here = self.functions.iter().filter(is_here);
        here.any(|function| {
            let is_it = |word: &str| word == function.parameter;
            source::words(inside).any(is_it)
                && source::words(inside).all(|word| is_it(word) || !own.contains(word))
        })
    }
}

/// Where the heap is.
const MODULES: [&str; 3] = ["alloc", "collections", "std"];

fn name_of(of: &syn::Type) -> Option<String> {
    match of {
        syn::Type::Path(of) => Some(of.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Unordered {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let mut derives = item
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("derive"));
        let is_default = derives.any(|attr| match &attr.meta {
            syn::Meta::List(list) => {
                let text = list.tokens.to_string();
                let mut words = source::words(&text);
                words.any(|word| word == "Default")
            }
            _ => false,
        });
        if is_default {
            let name = item.ident.to_string();
            self.add(Some(&name), "default", &[&item.generics]);
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = name_of(&item.self_ty);
        for inside in &item.items {
            if let syn::ImplItem::Fn(function) = inside {
                let (name, own) = (function.sig.ident.to_string(), &function.sig.generics);
                self.add(of.as_deref(), &name, &[&item.generics, own]);
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let of = item.ident.to_string();
        let of_name = self.traits.entry(of.clone()).or_default();
        of_name.extend(traits(&item.supertraits));
        for inside in &item.items {
            match inside {
                syn::TraitItem::Fn(function) if function.default.is_some() => {
                    let (name, own) = (function.sig.ident.to_string(), &function.sig.generics);
                    self.add(Some(&of), &name, &[&item.generics, own]);
                }
                _ => {}
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(None, &item.sig.ident.to_string(), &[&item.sig.generics]);
        visit::visit_item_fn(self, item);
    }
}
