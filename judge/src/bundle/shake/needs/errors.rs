//! What was removed of what an error names.

use std::collections::BTreeSet;
use std::rc::Rc;

use syn::{Path, Type};

use super::bounds::type_name;
use super::messages::{
    called_macro, is_unresolved, projection, quoted, takes_no_call, words, Wanted, OPERATORS,
};
use super::{Look, Trouble};
use crate::bundle::compiler::Diagnostic;
use crate::bundle::shake::follow::STANDARD;
use crate::bundle::text::header::{is_number, Bound};
use crate::bundle::text::index::{Kind, Node, Sort};
use crate::bundle::text::source;

impl Look<'_> {
    /// What an error says is missing, by its name, or by bounds and methods.
    pub fn named(&self, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let names: Vec<&str> = quoted(&error.message).collect();
        match (error.code.as_str(), &names[..]) {
            // The impl lacks an item that its trait does not provide.
            ("E0046", _) => self.find(|_, node| {
                let inside = node.parent.is_some_and(|parent| {
                    let range = &index.nodes[parent].range;
                    let mut places = error.spans.iter();
                    places.any(|(at, _)| range.start <= at.start && at.end <= range.end)
                });
                inside && names.contains(&node.name.as_str())
            }),
            // An item that a trait does not have any more.
            ("E0407" | "E0437" | "E0438" | "E0576", [item, .., path]) => {
                let of_trait = path.rsplit("::").next().unwrap_or(path);
                self.find(|n, node| {
                    node.kind == Kind::TraitItem && index.trait_item(n) == Some((of_trait, item))
                })
            }
            ("E0405" | "E0412" | "E0425" | "E0432" | "E0433" | "E0531" | "E0532", _) => {
                self.unresolved(&words(&names.join(" ")), error)
            }
            ("E0271", _) => self.projected(&names, error),
            ("E0308", _) => self.mismatched(error),
            ("", _) if takes_no_call(error) => match called_macro(&error.rendered) {
                Some(name) => self.rules_of(name),
                None => Vec::new(),
            },
            _ => self.bounds_and_methods(error),
        }
    }

    /// The rules of the macros so called.
    pub fn rules_of(&self, name: &str) -> Vec<usize> {
        let macros = self.macro_names.get(name).into_iter().flatten();
        let rules = macros.flat_map(|&n| self.index.children(n));
        rules.filter(|n| self.removed.contains(n)).collect()
    }

    /// What names lead to that lead nowhere now.
    fn unresolved(&self, names: &BTreeSet<String>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let found = self.find(|_, node| is_named(node, names, true));
        // What a macro made went with its call, and imports may lead there.
        let made = || {
            self.find(|n, node| {
                node.kind == Kind::Call && !words(index.text_of(n)).is_disjoint(names)
            })
        };
        if found.is_empty() {
            return made();
        }
        let leads_nowhere = |&n: &usize| {
            let node = &index.nodes[n];
            let path = index
                .import_path(n)
                .filter(|path| !STANDARD.contains(&path[0]));
            path.is_some_and(|path| {
                let way = self.names.definition(index, node.parent, &path);
                !way.iter().any(|&n| index.nodes[n].kind == Kind::Item)
            })
        };
        let mut near = self.near(found, error);
        if near.iter().all(leads_nowhere) {
            near.extend(made());
        }
        near
    }

    /// The impls that types of traits came from. Without the one that was meant another one answers: that of all types for themselves,
    /// above all.
    fn projected(&self, names: &[&str], error: &Diagnostic) -> Vec<usize> {
        let bounds: Vec<Bound> = names.iter().filter_map(|name| projection(name)).collect();
        let traits = bounds.iter().map(|bound| bound.of_trait.ident.to_string());
        let traits: BTreeSet<String> = traits.collect();
        let pairs = Wanted::new(&error.rendered).found;
        let made_of = pairs.iter().flat_map(|(made, of)| self.made_of(made, of));
        let of_traits = || {
            self.find(|_, node| {
                let mut of_trait = node.of_trait().into_iter();
                node.kind == Kind::Impl && of_trait.any(|name| traits.contains(name))
            })
        };
        let tries = [self.providers(bounds), made_of.collect(), of_traits()];
        let mut tries = tries.into_iter();
        tries.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The impls without which types do not fit. With fewer of them than before an argument is expected to be of another type.
    fn mismatched(&self, error: &Diagnostic) -> Vec<usize> {
        let found = Wanted::new(&error.rendered).found;
        let taking = found.iter().flat_map(|(_, of)| self.taking(of, error));
        let other = |(expected, of)| self.instead(expected, of);
        let others = found.iter().map(|(expected, of)| (expected, of));
        // With `Borrow` for the type itself alone, a map is asked for that, and for nothing that it can be borrowed as.
        let borrowed = found.iter().flat_map(|pair| match pair {
            (Type::Reference(made), Type::Reference(of)) => self.made_of(&made.elem, &of.elem),
            _ => Vec::new(),
        });
        taking
            .chain(borrowed)
            .chain(others.flat_map(other))
            .collect()
    }

    /// What provides the bounds and the methods that an error asks for.
    fn bounds_and_methods(&self, error: &Diagnostic) -> Vec<usize> {
        let Wanted {
            bounds,
            methods,
            imports,
            ..
        } = Wanted::new(&error.rendered);
        let is_import =
            |name: &str| self.find(|_, node| node.kind == Kind::Import && node.name == name);
        let imports = imports.iter().map(|name| self.near(is_import(name), error));
        let types = bounds.iter().map(|bound| &bound.for_type);
        let types = types.chain(methods.iter().filter_map(|(_, of)| of.as_ref()));
        let types: BTreeSet<String> = types.filter_map(type_name).collect();
        // A bound that fails because another does comes after that.
        let bounds = bounds.into_iter().map(|bound| {
            let mut found = self.providers(vec![bound.clone()]);
            if found.is_empty() {
                found = self.makers(&bound);
                // A macro asks the same of what such a type is made of, nearly always.
                for of in elements(&bound.for_type) {
                    let of = Bound {
                        of_trait: bound.of_trait.clone(),
                        for_type: of.clone(),
                    };
                    found.extend(self.providers(vec![of.clone()]));
                    found.extend(self.makers(&of));
                }
            }
            if bound.is_of_open_number() {
                self.likely_numbers(found, error)
            } else {
                found
            }
        });
        let of_type = methods.iter().map(|(name, of)| self.methods(name, of));
        // The type may only dereference to the one that has the method.
        let of_any = methods
            .iter()
            .map(|(name, _)| self.find(|_, node| node.is_function() && node.name == *name));
        let mut found = imports.chain(bounds).chain(of_type).chain(of_any);
        let found = found.find(|found| !found.is_empty());
        let made = || self.likely(&self.made_for(&types), std::slice::from_ref(error));
        found.unwrap_or_else(made)
    }

    /// The impls for all types of the traits that an error names, or else of the nearest that those of their impls which are left may want:
    /// which of these is meant the compiler does not tell. Without one that was meant another answers, and fails.
    pub fn behind(&self, error: &Diagnostic) -> Vec<usize> {
        const FAR: usize = 4;
        let bounds = Wanted::new(&error.rendered).bounds.into_iter();
        let mut traits: BTreeSet<String> = bounds
            .map(|bound| bound.of_trait.ident.to_string())
            .collect();
        let mut seen = traits.clone();
        let impls = |of_trait: &String| {
            self.impls
                .get(of_trait.as_str())
                .into_iter()
                .flatten()
                .copied()
        };
        let for_all = |n: &usize| self.index.nodes[*n].for_type().is_none();
        for _ in 0..=FAR {
            let (removed, left): (Vec<usize>, Vec<usize>) = traits
                .iter()
                .flat_map(impls)
                .partition(|n| self.removed.contains(n));
            let found: Vec<usize> = removed.into_iter().filter(for_all).collect();
            if !found.is_empty() {
                return found;
            }
            let headers = left
                .iter()
                .filter_map(|&n| self.index.nodes[n].implements.as_ref());
            let asked = headers.flat_map(|of| of.header.asked_traits());
            traits = asked.filter(|name| seen.insert(name.clone())).collect();
        }
        Vec::new()
    }

    /// The calls of macros that went after an error and may be missed, if what is behind that lacks an impl.
    pub fn calls_behind(&self, trouble: &Trouble) -> Vec<usize> {
        let errors = trouble.errors.iter();
        let errors: Vec<Diagnostic> = errors
            .filter(|error| !is_unresolved(error) && !self.misses_import(error))
            .cloned()
            .collect();
        if errors.is_empty() {
            return Vec::new();
        }
        let nodes = trouble.followed.iter().flat_map(|(_, nodes)| nodes);
        let is_call = |n: &usize| self.index.nodes[*n].kind == Kind::Call;
        let calls: Vec<usize> = nodes.copied().filter(is_call).collect();
        self.likely(&calls, &errors)
    }

    /// Whether an error says of a trait that is there that it is not in scope, and an import of it was removed.
    fn misses_import(&self, error: &Diagnostic) -> bool {
        let imports = Wanted::new(&error.rendered).imports;
        let removed = self.removed.iter().map(|&n| &self.index.nodes[n]);
        let mut removed = removed.filter(|node| node.kind == Kind::Import);
        removed.any(|node| imports.contains(&node.name))
    }

    /// The calls of macros that may make an impl of a trait that some errors name, as far as the rules tell; or else what may make a method
    /// that they miss; or else all.
    pub fn likely(&self, calls: &[usize], errors: &[Diagnostic]) -> Vec<usize> {
        let (mut traits, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for error in errors.iter().filter(|error| !is_unresolved(error)) {
            let paths = quoted(&error.rendered)
                .flat_map(|text| text.split(|c: char| c != ':' && !source::is_word(c)));
            traits.extend(paths.flat_map(|path| self.traits_at(path)));
            if error.code == "E0599" {
                methods.extend(quoted(&error.message).next());
            }
        }
        let (mut of_traits, mut of_methods) = (Vec::new(), Vec::new());
        for &n in calls {
            let made = self.words_of_macros(n);
            let own: BTreeSet<&str> = source::words(self.index.text_of(n)).collect();
            let has = |word: &str| made.contains(word) || own.contains(word);
            // Another trait of the name is meant where the crate has one.
            let crate_of = self.index.outermost(n);
            let is_meant = |&of_trait: &usize| {
                let name = self.index.nodes[of_trait].name.as_str();
                let mut all = self.traits[name].iter();
                has(name)
                    && (self.index.outermost(of_trait) == crate_of
                        || !all.any(|&other| self.index.outermost(other) == crate_of))
            };
            of_traits.extend(traits.iter().any(is_meant).then_some(n));
            let may_have_method = made.is_empty() || methods.iter().any(|name| has(name));
            of_methods.extend(may_have_method.then_some(n));
        }
        let mut tries = [of_traits, of_methods].into_iter();
        let found = tries.find(|found| !found.is_empty());
        found.unwrap_or_else(|| calls.to_vec())
    }

    /// The traits that a path in a message may mean, or else all of its last name.
    fn traits_at(&self, path: &str) -> Vec<usize> {
        let last = path.rsplit("::").next().unwrap_or(path);
        let Some(named) = self.traits.get(last) else {
            return Vec::new();
        };
        let Ok(path) = syn::parse_str(path) else {
            return named.clone();
        };
        let is_called = |n: &&usize| self.index.is_called(**n, &path);
        let found: Vec<usize> = named.iter().filter(is_called).copied().collect();
        match found.is_empty() {
            true => named.clone(),
            false => found,
        }
    }

    /// The calls of macros that name types: they may make impls for these.
    pub fn made_for(&self, types: &BTreeSet<String>) -> Vec<usize> {
        self.find(|n, node| {
            // The parameters of all that a block has calls for are called the same.
            let is_it = |word: &str| match node.kind {
                Kind::Call => true,
                _ => self.is_type(word),
            };
            let mut words = source::words(self.index.text_of(n));
            (node.kind == Kind::Call || node.makes_impls)
                && words.any(|word| types.contains(word) && is_it(word))
        })
    }

    /// Whether a type of the text is so called.
    fn is_type(&self, name: &str) -> bool {
        let found = self.definitions.get(name);
        found.is_some_and(|&n| self.index.nodes[n].sort == Sort::Type)
    }

    /// The types of the text that the message of an error names.
    pub fn types_in(&self, error: &Diagnostic) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = quoted(&error.message).flat_map(words).collect();
        names.retain(|name| self.is_type(name));
        names
    }

    /// The blocks of macro calls that name the type of a bound, and the trait or a macro that does, as `T for [U]` where the type has no
    /// name.
    fn makers(&self, bound: &Bound) -> Vec<usize> {
        let of_trait = bound.of_trait.ident.to_string();
        let name = type_name(&bound.for_type);
        let sign = match bound.for_type {
            Type::Array(_) | Type::Slice(_) => "[",
            Type::Tuple(_) => "(",
            Type::Ptr(_) => "*",
            _ => "",
        };
        let is_made_by = |n: usize| {
            let text = self.index.text_of(n);
            let has = |name: &str| source::words(text).any(|word| word == name);
            let is_for = match &name {
                Some(name) => has(name),
                None => text.contains(&format!("{of_trait} for {sign}")),
            };
            is_for && (has(&of_trait) || self.words_of_macros(n).contains(&of_trait))
        };
        self.find(|n, node| node.makes_impls && is_made_by(n))
    }

    /// What the rules of the macros are written with that something names, by themselves and through others.
    pub fn words_of_macros(&self, n: usize) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.words_of_macros.borrow().get(&n) {
            return known.clone();
        }
        let crate_of = self.index.outermost(n);
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut texts = vec![self.index.text_of(n)];
        while let Some(text) = texts.pop() {
            for word in source::words(text) {
                let own = self.macros.get(&(crate_of, word));
                let is_called = || text.contains(&format!("{word}!"));
                let others = own.is_none() && self.macro_names.contains_key(word) && is_called();
                let others = others.then(|| &self.macro_names[word]);
                let macros = own.or(others).into_iter().flatten();
                for rules in macros.filter(|n| seen.insert(**n)) {
                    let rules = self.index.text_of(*rules);
                    found.extend(words(rules));
                    texts.push(rules);
                }
            }
        }
        let found = Rc::new(found);
        let mut all = self.words_of_macros.borrow_mut();
        all.entry(n).or_insert(found).clone()
    }

    /// What an error names in its message, or else in what the compiler says around it, or else in the code that fails.
    pub fn named_by_words(&self, error: &Diagnostic) -> Vec<usize> {
        let names: Vec<&str> = quoted(&error.message).collect();
        let message = words(&names.join(" "));
        let all = words(&error.rendered);
        let bounds = Wanted::new(&error.rendered).bounds.into_iter();
        let open = bounds.filter(Bound::is_of_open_number).collect();
        let numbers = self.providers(open);
        if !numbers.is_empty() {
            return numbers;
        }
        // The type may go by another name in the impl, or be one that it dereferences to.
        let tries: [(&BTreeSet<String>, bool); 3] =
            [(&message, true), (&all, true), (&message, false)];
        let found = tries
            .into_iter()
            .map(|(words, typed)| self.find(|_, node| is_named(node, words, typed)))
            .find(|found| !found.is_empty());
        found.unwrap_or_else(|| self.named_by_code(error, &all))
    }

    /// The impls for what is expected, next to those that stay for what was found: a type that is open becomes that of the only one.
    fn instead(&self, expected: &Type, found: &Type) -> Vec<usize> {
        let takes = |n: usize, of: &Type| {
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = self.index.nodes[n].implements.as_ref();
            block.is_some_and(|block| block.header.has_argument(of, &same))
        };
        // One for any type would take what was expected as well.
        let takes_it_alone = |n: usize| {
            let block = self.index.nodes[n].implements.as_ref();
            takes(n, found) && !block.is_some_and(|block| block.header.has_any_argument())
        };
        let nodes = self.index.nodes.iter().enumerate();
        let stays = nodes.filter(|(n, node)| {
            node.kind == Kind::Impl && !self.index.is_in(*n, self.removed) && takes_it_alone(*n)
        });
        let stays: BTreeSet<_> = stays
            .map(|(_, node)| (node.of_trait(), node.for_type()))
            .collect();
        self.find(|n, node| {
            node.kind == Kind::Impl
                && stays.contains(&(node.of_trait(), node.for_type()))
                && takes(n, expected)
        })
    }

    /// The impls for one type that have another for an argument of their traits.
    fn made_of(&self, made: &Type, of: &Type) -> Vec<usize> {
        self.find(|n, node| {
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = node.implements.as_ref().filter(|_| node.kind == Kind::Impl);
            block.is_some_and(|block| {
                block.header.is_for(made, &same) && block.header.has_argument(of, &same)
            })
        })
    }

    /// The impls that take a type, of the operator before the place of an error, or else of the traits that are named in that line or have
    /// an item that is.
    fn taking(&self, of: &Type, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let mut traits = BTreeSet::new();
        for place in error.places() {
            let before = index.text_at(&(0..place.start)).trim_end();
            let operator = OPERATORS.iter().find_map(|(operator, of_trait)| {
                let assigns = before
                    .strip_suffix('=')
                    .filter(|rest| rest.ends_with(operator));
                match assigns {
                    Some(_) => Some(format!("{of_trait}Assign")),
                    None => before.ends_with(operator).then(|| (*of_trait).to_owned()),
                }
            });
            match operator {
                Some(of_trait) => {
                    traits.insert(of_trait);
                }
                None => {
                    let own = words(index.line_of(place));
                    let with = self.traits_with(|name| own.contains(name));
                    traits.extend(with.into_iter().map(str::to_owned));
                    traits.extend(own);
                }
            }
        }
        let found = self.find(|n, node| {
            let mut of_trait = node.of_trait().into_iter();
            let same = |own: &Path, given: &Path| self.is_same(n, own, given);
            let block = node.implements.as_ref();
            node.kind == Kind::Impl
                && of_trait.any(|name| traits.contains(name))
                && block.is_some_and(|block| block.header.takes(of, &same))
        });
        // For the types that are named around, if there is one.
        let around = error
            .places()
            .filter_map(|at| index.innermost(at))
            .flat_map(|n| {
                let parent = index.nodes[n].parent.map(|n| index.nodes[n].head.clone());
                let header = parent.map_or("", |head| index.text_at(&head));
                words(index.text_of(n)).into_iter().chain(words(header))
            });
        let around: BTreeSet<String> = around.collect();
        let is_near = |n: &usize| {
            let mut of = index.nodes[*n].for_type().into_iter();
            of.any(|name| around.contains(name))
        };
        let near: Vec<usize> = found.iter().copied().filter(is_near).collect();
        if near.is_empty() {
            found
        } else {
            near
        }
    }

    /// Of impls for the numbers that one whose type is open may be, those for the types that are named near by, and for the one
    /// that it becomes if nothing tells. With one impl alone it would become what that is for.
    fn likely_numbers(&self, found: Vec<usize>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let around = error.places().filter_map(|at| index.innermost(at));
        let near: BTreeSet<String> = around.flat_map(|n| words(index.text_of(n))).collect();
        let is_likely = |n: &usize| {
            let of = index.nodes[*n].for_type().map_or("", String::as_str);
            !is_number(of) || ["i32", "f64"].contains(&of) || near.contains(of)
        };
        found.into_iter().filter(is_likely).collect()
    }

    /// Of all that an error could mean, what is in the module of the place and what that leads to, if there is anything.
    fn near(&self, found: Vec<usize>, error: &Diagnostic) -> Vec<usize> {
        let index = self.index;
        let modules: BTreeSet<Option<usize>> = error
            .places()
            .filter_map(|at| index.innermost(at))
            .map(|n| index.module(n))
            .collect();
        let here = |n: &usize| {
            let node = &index.nodes[*n];
            matches!(node.kind, Kind::Item | Kind::Import) && modules.contains(&node.parent)
        };
        let mut near: Vec<usize> = found.iter().copied().filter(here).collect();
        if near.is_empty() {
            return found;
        }
        for at in 0..near.len() {
            let node = &index.nodes[near[at]];
            if let Some(path) = index.import_path(near[at]) {
                near.extend(self.names.definition(index, node.parent, &path));
            }
        }
        near.retain(|n| self.removed.contains(n));
        near
    }

    /// What the code that fails names: without a method of a trait the call finds one that the library only tries out, or one of another
    /// type.
    fn named_by_code(&self, error: &Diagnostic, words_around: &BTreeSet<String>) -> Vec<usize> {
        let places = error.spans.iter().map(|(at, _)| self.index.text_at(at));
        let code = words(&places.collect::<Vec<_>>().join(" "));
        let traits = self.traits_with(|name| code.contains(name));
        self.find(|_, node| {
            let mut of_trait = node.of_trait().into_iter();
            is_named(node, &code, false)
                || node.kind == Kind::Impl
                    && of_trait.any(|name| traits.contains(name.as_str()))
                    && node
                        .for_type()
                        .map_or(true, |name| words_around.contains(name))
        })
    }

    /// The functions of a name that may be meant by a call on a type, and the impls that bring one.
    fn methods(&self, name: &str, of: &Option<Type>) -> Vec<usize> {
        let has = |n: usize| self.index.nodes[n].name == *name;
        let traits = self.traits_with(|item| item == name);
        self.find(|n, node| {
            let is_it = match node.kind {
                Kind::Impl => {
                    node.of_trait()
                        .is_some_and(|name| traits.contains(name.as_str()))
                        || self.index.children(n).any(has)
                }
                _ => has(n),
            };
            let block = match node.kind {
                Kind::Impl => n,
                _ => node.parent.unwrap_or(n),
            };
            is_it
                && match (&node.implements, of) {
                    (Some(implements), Some(of)) => implements
                        .header
                        .is_for(of, &|own, given| self.is_same(block, own, given)),
                    _ => true,
                }
        })
    }
}

/// The types in arrays, slices and tuples, however deep.
fn elements(of: &Type) -> Vec<&Type> {
    let inside: Vec<&Type> = match of {
        Type::Array(of) => vec![&of.elem],
        Type::Slice(of) => vec![&of.elem],
        Type::Tuple(of) => of.elems.iter().collect(),
        _ => return Vec::new(),
    };
    let deeper = inside.iter().flat_map(|of| elements(of));
    deeper.chain(inside.iter().copied()).collect()
}

/// Whether words name a node.
fn is_named(node: &Node, words: &BTreeSet<String>, typed: bool) -> bool {
    let has = |name: &String| words.contains(name);
    let of_type = !typed || node.for_type().map_or(true, has);
    if node.kind == Kind::Impl {
        return of_type && node.of_trait().is_some_and(has);
    }
    node.name != "_" && has(&node.name) && of_type
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::shake::calls::Calls;
    use crate::bundle::shake::follow::Names;
    use crate::bundle::shake::needs::tests::error;
    use crate::bundle::shake::needs::Known;
    use crate::bundle::text::header::named_type;
    use crate::bundle::text::index::Index;

    #[test]
    fn another_impl_of_the_same_trait_may_be_meant() {
        let behind = |text: &str| {
            let index = Index::new(text).unwrap();
            let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
            let removed = (1..index.nodes.len()).collect();
            let look = Look::new(&index, &names, &calls, &known, &removed);
            look.behind(&error(
                "E0277",
                "the trait `U` is not implemented for `X`\n\
                 note: required for `X` to implement `T<B, _>`",
            ))
        };
        // One for a single type would have been named.
        let text = "impl<X: U + V> T<B, u8> for X {} impl T<C, u8> for u8 {} impl<X, R> T<C, R> for X {} impl<X> V for X {}";
        assert_eq!(behind(text), [2]);
        // If there is none, what those ask for that are left.
        assert_eq!(behind(&text.replace("T<C, R>", "W")), [3]);
        assert!(behind(&text.replace("T<C, R>", "W").replace(" + V", "")).is_empty());
    }

    #[test]
    fn what_was_expected_comes_back_next_to_what_is_found() {
        let text =
            "impl D<u8> for S {} impl D<u32> for S {} impl D<u32> for T {} impl E<u32> for S {}";
        let index = Index::new(text).unwrap();
        let removed = (1..index.nodes.len()).collect();
        let names = Names::new(&index);
        let no_calls = Calls::default();
        let known = Known::default();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        let of = |name: &str| named_type(name).unwrap();
        assert_eq!(look.instead(&of("u32"), &of("u8")), [1]);
        assert!(look.instead(&of("u32"), &of("u16")).is_empty());
        // One for all types is not what made the type another.
        let for_all = text.replace("impl D<u8>", "impl<T> D<T>");
        let index = Index::new(&for_all).unwrap();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        assert!(look.instead(&of("u32"), &of("u8")).is_empty());
    }

    #[test]
    fn what_a_type_is_made_of_comes_back_where_it_would_have_to_be_it() {
        let text = "struct S; impl From<&[u8]> for S {} impl From<u8> for S {} impl From<&[u8]> for T {} impl R for A<C> {}";
        let index = Index::new(text).unwrap();
        let removed = (1..index.nodes.len()).collect();
        let names = Names::new(&index);
        let no_calls = Calls::default();
        let known = Known::default();
        let look = Look::new(&index, &names, &no_calls, &known, &removed);
        let named = |message: &str, notes: &str| {
            look.named(&Diagnostic {
                level: "error".into(),
                made_by: Vec::new(),
                code: "E0271".into(),
                message: message.into(),
                rendered: format!("{message}\n{notes}"),
                fixes: Vec::new(),
                offers: Vec::new(),
                spans: Vec::new(),
            })
        };
        let notes = "= note: expected struct `S`\n found reference `&[u8]`";
        let message = "type mismatch resolving `<A<B> as R<'_>>::Ref == S`";
        assert_eq!(named(message, notes), [1]);
        // Or else an impl of the trait that tells which type it is.
        assert_eq!(named(message, ""), [4]);
    }

    #[test]
    fn what_a_parameter_is_to_be_for_a_type_made_of_it_is_wanted() {
        let text = "impl<S, D> Cast<S> for D where D: From<S> {} impl<T> From<U<T>> for T {} struct U<T>(T);";
        let bound = |of: &str| {
            let message = format!("the trait bound `T: Cast<{of}>` is not satisfied");
            error("E0277", &message)
        };
        let of_removed = |error: Diagnostic| {
            let index = Index::new(text).unwrap();
            let (names, calls, known) = (Names::new(&index), Calls::default(), Known::default());
            let removed = BTreeSet::from([1]);
            Look::new(&index, &names, &calls, &known, &removed).named(&error)
        };
        assert_eq!(of_removed(bound("U<T>")), [1]);
        // The function says whether it is that.
        assert!(of_removed(bound("S")).is_empty());
    }
}
