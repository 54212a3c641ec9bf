//! What types are called elsewhere: aliases, and imports under another name.

use std::collections::BTreeMap;
use std::rc::Rc;

use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Item, Path, PathSegment, Type, UseTree};

use super::header::{bindings, given, is_number, parameters, Parameters};

/// What the aliases of a text stand for.
#[derive(Default)]
pub struct Aliases {
    /// By the module that a crate is.
    of_crates: BTreeMap<String, Named>,
    all: Named,
}

/// What is so called: nothing where several are.
#[derive(Default)]
struct Named {
    /// The types, and what those are that are aliases.
    types: BTreeMap<String, Option<Rc<Alias>>>,
    /// `use a::B as C`: what C is called in messages.
    renamed: BTreeMap<String, Option<Ident>>,
}

struct Alias {
    /// The crate that it is written in.
    crate_of: Option<String>,
    parameters: Vec<String>,
    stands_for: Type,
}

impl Named {
    fn add_type(&mut self, name: &Ident, alias: Option<&Rc<Alias>>) {
        self.types
            .entry(name.to_string())
            .and_modify(|several| *several = None)
            .or_insert_with(|| alias.cloned());
    }

    fn add_renamed(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(of) => self.add_renamed(&of.tree),
            UseTree::Group(of) => of.items.iter().for_each(|tree| self.add_renamed(tree)),
            UseTree::Rename(of) => {
                let name = self.renamed.entry(of.rename.to_string());
                name.and_modify(|several| {
                    if several.as_ref() != Some(&of.ident) {
                        *several = None;
                    }
                })
                .or_insert_with(|| Some(of.ident.clone()));
            }
            _ => {}
        }
    }
}

impl Aliases {
    /// Reads the items of a text.
    pub fn new(items: &[Item]) -> Self {
        let mut aliases = Self::default();
        aliases.add(items, None);
        aliases
    }

    fn add(&mut self, items: &[Item], crate_of: Option<&str>) {
        for item in items {
            let (name, alias) = match item {
                Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let crate_of = crate_of.unwrap_or(&name);
                    let content = module.content.iter();
                    content.for_each(|(_, items)| self.add(items, Some(crate_of)));
                    continue;
                }
                Item::Type(of) => {
                    let alias = Alias {
                        crate_of: crate_of.map(str::to_owned),
                        parameters: parameters(&of.generics).collect(),
                        stands_for: (*of.ty).clone(),
                    };
                    (&of.ident, Some(Rc::new(alias)))
                }
                Item::Struct(of) => (&of.ident, None),
                Item::Enum(of) => (&of.ident, None),
                Item::Union(of) => (&of.ident, None),
                Item::Trait(of) => (&of.ident, None),
                Item::Use(of) => {
                    self.all.add_renamed(&of.tree);
                    self.own(crate_of).add_renamed(&of.tree);
                    continue;
                }
                _ => continue,
            };
            self.all.add_type(name, alias.as_ref());
            self.own(crate_of).add_type(name, alias.as_ref());
        }
    }

    /// What the program itself has at the top is there by no name.
    fn own(&mut self, crate_of: Option<&str>) -> &mut Named {
        let crate_of = crate_of.unwrap_or_default().to_owned();
        self.of_crates.entry(crate_of).or_default()
    }

    /// As they are known in a crate, or at the top of the text.
    pub fn within<'a>(&'a self, crate_of: Option<&'a str>) -> Scope<'a> {
        Scope {
            aliases: self,
            crate_of: crate_of.unwrap_or_default(),
            parameters: &[],
        }
    }
}

/// Where names are looked up.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    aliases: &'a Aliases,
    crate_of: &'a str,
    /// What is no alias, whatever is so called elsewhere.
    parameters: &'a [String],
}

impl<'a> Scope<'a> {
    /// The same where there are parameters.
    pub fn with(self, parameters: &'a [String]) -> Self {
        Self { parameters, ..self }
    }

    /// What is found by a name in the crate itself, or else in any.
    fn find<T>(self, look_up: impl Fn(&'a Named) -> Option<&'a T>) -> Option<&'a T> {
        let own = self.aliases.of_crates.get(self.crate_of).and_then(&look_up);
        own.or_else(|| look_up(&self.aliases.all))
    }

    /// What an import renames to this, unless there is a type or a trait so called.
    pub fn original(self, name: &Ident) -> Option<&'a Ident> {
        let name = name.to_string();
        if self.find(|named| named.types.get(&name)).is_some() {
            return None;
        }
        self.find(|named| named.renamed.get(&name))?.as_ref()
    }

    /// The alias that a path means.
    fn alias(self, path: &Path) -> Option<&'a Alias> {
        let mut names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let last = names.next_back()?;
        // The path may lead to another crate.
        let of_crates = &self.aliases.of_crates;
        let crate_of = names.find_map(|name| Some(of_crates.get_key_value(&name)?.0.as_str()));
        let scope = Self {
            crate_of: crate_of.unwrap_or(self.crate_of),
            ..self
        };
        scope.find(|named| named.types.get(&last))?.as_deref()
    }

    /// Writes a type without aliases.
    pub fn in_type(self, of: &mut Type) {
        self.expanded().visit_type_mut(of);
    }

    /// Writes the arguments of a trait without aliases.
    pub fn in_arguments(self, of_trait: &mut PathSegment) {
        let arguments = &mut of_trait.arguments;
        self.expanded().visit_path_arguments_mut(arguments);
    }

    /// Writes `NonZeroU8` as the `NonZero<u8>` that it is in messages, unless there is a type so called.
    fn in_nonzero(self, of: &mut PathSegment) {
        let name = of.ident.to_string();
        let number = name.strip_prefix("NonZero").map(str::to_lowercase);
        let Some(number) = number.filter(|number| is_number(number)) else {
            return;
        };
        if self.find(|named| named.types.get(&name)).is_none() {
            let number = Ident::new(&number, of.ident.span());
            *of = syn::parse_quote!(NonZero<#number>);
        }
    }

    fn expanded(self) -> Expanded<'a> {
        Expanded {
            scope: self,
            depth: 0,
        }
    }
}

/// Writes types without aliases.
struct Expanded<'a> {
    scope: Scope<'a>,
    /// Aliases of aliases might go in circles.
    depth: usize,
}

impl VisitMut for Expanded<'_> {
    fn visit_type_mut(&mut self, of: &mut Type) {
        visit_mut::visit_type_mut(self, of);
        let Type::Path(path) = of else { return };
        if path.qself.is_some() {
            return;
        }
        let is_alone = path.path.segments.len() == 1;
        let Some(first) = path.path.segments.first_mut() else {
            return;
        };
        // `T`, or `T::Item`.
        if self.scope.parameters.contains(&first.ident.to_string()) {
            return;
        }
        if let Some(original) = self.scope.original(&first.ident).filter(|_| is_alone) {
            first.ident = original.clone();
        }
        let alias = self.scope.alias(&path.path);
        let Some((alias, last)) = alias.zip(path.path.segments.last()) else {
            if let Some(last) = path.path.segments.last_mut() {
                self.scope.in_nonzero(last);
            }
            return;
        };
        // Another type may be so called outside of the text.
        let is_it = given(&last.arguments).count() == alias.parameters.len();
        if !is_it || self.depth >= 8 {
            return;
        }
        let mut inner = alias.stands_for.clone();
        let scope = self.scope.aliases.within(alias.crate_of.as_deref());
        let mut inside = Expanded {
            scope: scope.with(&alias.parameters),
            depth: self.depth + 1,
        };
        inside.visit_type_mut(&mut inner);
        let mut put_in = Parameters {
            parameters: &alias.parameters,
            bindings: &bindings(&alias.parameters, &last.arguments),
            unknown: false,
        };
        put_in.visit_type_mut(&mut inner);
        if !put_in.unknown {
            *of = inner;
        }
    }
}
