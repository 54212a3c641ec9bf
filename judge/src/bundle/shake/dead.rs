//! Takes out what the compiler calls dead, round by round, with all that only named it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;

use super::asking::{said, Elsewhere, How};
use super::follow::{Meaning, Names};
use super::needs::{self, Trouble};
use super::{closed, Shaker};
use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::index::{Index, Kind, Sort};
use crate::bundle::text::source;

/// What may go because it names what is gone.
#[derive(Clone, Copy, PartialEq)]
pub enum Follow {
    /// Imports and impls.
    Imports,
    /// All that cannot be live if what it names is dead.
    Dead,
}

impl Shaker<'_> {
    /// Takes out what the compiler calls dead and what no code names, until nothing is left to go.
    pub fn without_dead(&mut self, kept: &mut BTreeSet<usize>) -> Result<()> {
        self.closed = (Vec::new(), None);
        let mut guesses = true;
        loop {
            self.without_unreached();
            let mut pointed_at = self.pointed_at(kept);
            let mut stays = BTreeSet::new();
            let gone = loop {
                let gone = self.gone.union(&pointed_at).copied().collect();
                let gone = self.unnamed(&self.names.with_followers(&self.index, gone, kept), kept);
                // The lints say nothing about what a trait that stays names.
                let mut named = self.things.named_in_traits(&self.index, &gone, &stays);
                named.extend(self.called(&gone, &stays));
                named.extend(self.named_by_calls(&gone, &pointed_at));
                let size = pointed_at.len();
                stays.extend(pointed_at.intersection(&named));
                pointed_at.retain(|n| !named.contains(n));
                if pointed_at.len() == size {
                    break gone;
                }
            };
            // Where one was wrong, others are likely to be after the next error, and each makes that a run longer.
            let with_guesses = match guesses {
                true => self.with_unused_imports(gone.clone(), kept),
                false => gone.clone(),
            };
            if self.effort.is_enough() {
                self.effort.is_cut_short.set(true);
                return Ok(());
            }
            let is_all = with_guesses == self.gone;
            if is_all || self.is_only_names(&with_guesses, &pointed_at) {
                // What was kept for an error of more that is gone by now may go.
                let again = self.kept_for_nothing(kept);
                if !again.is_empty() {
                    kept.retain(|n| !again.contains(n));
                    self.tried_again.extend(again);
                    continue;
                }
            }
            if is_all {
                if self.finds_closed()? {
                    continue;
                }
                return Ok(());
            }
            // Without an import that the compiler calls unused it makes the same code.
            if !self.is_only_names(&with_guesses, &pointed_at) {
                self.code = None;
            } else if self.are_last(&with_guesses, kept) {
                if self.finds_closed()? {
                    continue;
                }
                self.effort.is_unchecked.set(true);
                self.gone = with_guesses;
                let (index, gone) = (&self.index, &self.gone);
                let is_left = |at: &Range<usize>| !index.at(at).iter().any(|n| gone.contains(n));
                self.lints.retain(|lint| lint.places().all(is_left));
                return Ok(());
            }
            let wrong = self.wrong_guesses.len();
            let settled = self.settle(gone, &with_guesses, kept, Follow::Dead, None)?;
            guesses = settled.is_none() || self.wrong_guesses.len() == wrong;
            if let Some(trouble) = settled {
                let wanted = self.keep(&trouble, kept);
                let Some(wanted) = wanted else {
                    return Ok(());
                };
                kept.extend(wanted);
            }
        }
    }

    /// Finds what is dead where nothing is public beyond the program, once for what is left, and tells if there is any.
    fn finds_closed(&mut self) -> Result<bool> {
        let text = self.text();
        if self.closed.1.as_ref() == Some(&self.gone) || !closed::shows(&text)? {
            return Ok(false);
        }
        let (mut found, _) = self.ask(&text, How::CheckClosed)?;
        // What a macro makes may be public still, and then it may not show what is not.
        if found.iter().any(Diagnostic::is_error) {
            found.clear();
        }
        let known: BTreeSet<_> = self.lints.iter().map(said).collect();
        found.retain(|lint| lint.code == "dead_code" && !known.contains(&said(lint)));
        let is_any = !found.is_empty();
        self.closed = (found, Some(self.gone.clone()));
        Ok(is_any)
    }

    /// Whether nothing goes but imports that are unused and modules.
    fn is_only_names(&self, gone: &BTreeSet<usize>, unused: &BTreeSet<usize>) -> bool {
        let is_name = |n: &usize| match self.index.nodes[*n].kind {
            Kind::Import => unused.contains(n),
            kind => kind == Kind::Module,
        };
        gone.difference(&self.gone).all(is_name)
    }

    /// What is kept and still called dead, once each. (Methods most often have a call in an impl that stays.)
    fn kept_for_nothing(&self, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut dead = self.pointed_at(&self.tried_again);
        dead.retain(|n| kept.contains(n) && self.index.nodes[*n].kind == Kind::Item);
        dead
    }

    /// Whether the compiler would not tell more if these unused imports were out too: the file that is built of it in the end shows that it
    /// compiles.
    fn are_last(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> bool {
        let has_errors = |there: &Elsewhere| !there.errors.is_empty();
        let code = self.code.as_ref();
        let is_clear = code.is_some_and(|code| !code.elsewhere.as_ref().is_some_and(has_errors));
        let mut imports = gone.difference(&self.gone);
        // An import of an import may be all that used that. Where nobody is warned of it, words tell well enough.
        let is_clear = is_clear
            && !self.effort.checks_all.get()
            && imports.all(|&n| self.is_silenced(n) || !self.names.is_passed_on(&self.index, n))
            && !self.may_import_emptied(gone);
        is_clear && self.with_unused_imports(gone.clone(), kept) == *gone
    }

    /// Whether what a macro makes may import a module of which nothing is left. Words tell too little to keep it for that.
    fn may_import_emptied(&self, gone: &BTreeSet<usize>) -> bool {
        let (index, nodes) = (&self.index, &self.index.nodes);
        let modules = gone
            .difference(&self.gone)
            .filter(|&&n| nodes[n].kind == Kind::Module);
        let modules: Vec<&str> = modules.map(|&n| nodes[n].name.as_str()).collect();
        let is_macro = |n: &usize| matches!(nodes[*n].kind, Kind::Arm | Kind::Call);
        let mut macros = (0..nodes.len()).filter(|n| is_macro(n) && !index.is_in(*n, gone));
        let names_one = |n: usize| modules.iter().any(|name| index.has_word(n, name));
        !modules.is_empty() && macros.any(names_one)
    }

    /// What is gone although functions call it that stay, and that the lints know no call of.
    fn called(&self, gone: &BTreeSet<usize>, stay: &BTreeSet<usize>) -> Vec<usize> {
        let mut callers = uncalled(&self.index, &self.lints, gone);
        callers.extend(stay);
        let removed = gone.difference(&self.gone).copied().collect();
        let (index, names, calls) = (&self.index, &self.names, &self.calls);
        // An impl that stays may be dead with its type. It goes if it names what is gone, but not if it calls a method that is.
        let nodes = index.nodes.iter().enumerate();
        let in_impls = nodes.filter(|(_, node)| node.kind == Kind::Implemented);
        let in_impls = in_impls.map(|(n, _)| n).filter(|&n| !index.is_in(n, gone));
        let in_impls: Vec<usize> = in_impls.collect();
        needs::called(
            index,
            names,
            calls,
            &self.needs,
            &removed,
            &callers,
            &in_impls,
        )
    }

    /// With the imports that nothing names when the rest is gone: the compiler would call them unused in the next round.
    pub fn with_unused_imports(
        &self,
        mut gone: BTreeSet<usize>,
        kept: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let nodes = &self.index.nodes;
        let items = nodes.iter().filter(|node| {
            node.kind == Kind::TraitItem && self.left_out.names.contains(&node.name)
        });
        let traits = items.filter_map(|item| Some(nodes[item.parent?].name.as_str()));
        let traits: BTreeSet<&str> = traits.collect();
        // What this machine leaves out may call what such a trait has.
        let stays = |n: &usize| {
            kept.contains(n)
                || self.wrong_guesses.contains(n)
                || traits.contains(nodes[*n].original())
        };
        loop {
            let unused = self
                .imports
                .unused(&self.index, &self.names, &self.gone, &gone);
            let size = gone.len();
            gone.extend(unused.into_iter().filter(|n| !stays(n)));
            if gone.len() == size {
                return gone;
            }
            gone = self.names.with_followers(&self.index, gone, kept);
        }
    }

    /// Whether a call of a macro defines something that the lints do not call dead.
    fn is_used_call(&self, n: usize) -> bool {
        let made = self.names.made.get(&n);
        made.is_some_and(|made| !self.are_dead(n, &made.names))
    }

    /// Whether the lints call all dead that a call of a macro defines by some names.
    fn are_dead(&self, call: usize, names: &[String]) -> bool {
        let call = &self.index.nodes[call].range;
        let lints = self.lints.iter().chain(&self.closed.0);
        let dead = lints.filter(|lint| lint.code == "dead_code");
        let places = dead.flat_map(|lint| lint.spans.iter().map(|(at, _)| at));
        let places = places.filter(|at| call.start <= at.start && at.end <= call.end);
        let dead: BTreeSet<&str> = places
            .map(|at| source::plain_name(self.index.text_at(at)))
            .collect();
        names.iter().all(|name| dead.contains(name.as_str()))
    }

    /// The items among some nodes that a call in the same crate names in what it makes, if that is more than impls and stays.
    fn named_by_calls(&self, gone: &BTreeSet<usize>, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
        let index = &self.index;
        let mut words: BTreeMap<Option<usize>, BTreeSet<&str>> = BTreeMap::new();
        for (&n, made) in &self.names.made {
            if self.is_used_call(n) && !index.is_in(n, gone) {
                let all = words.entry(index.outermost(n)).or_default();
                all.extend(made.words.iter().map(String::as_str));
            }
        }
        let is_named = |n: &&usize| {
            let node = &index.nodes[**n];
            let words = words.get(&index.outermost(**n));
            let is_named = words.is_some_and(|words| words.contains(node.name.as_str()));
            node.kind == Kind::Item && node.sort != Sort::Macro && is_named
        };
        nodes.iter().filter(is_named).copied().collect()
    }

    /// What the lints point at.
    pub fn pointed_at(&self, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let made = self.made_in_impls();
        let made_by_macros = made_by_macros(&self.index, &self.gone);
        let bring_to_others = self.bring_to_others();
        for lint in self.lints.iter().chain(&self.closed.0) {
            for (range, _) in &lint.spans {
                for n in self.index.pointed_at(range) {
                    let node = &self.index.nodes[n];
                    let fits = is_about(lint, node.kind)
                        || lint.code == "redundant_imports" && self.is_of_prelude(n);
                    let item = self.index.trait_item(n);
                    let fits = fits && !item.is_some_and(|item| made.contains(&item));
                    let made_here = (self.index.outermost(n), node.name.as_str());
                    let is_made =
                        node.kind == Kind::TraitItem && made_by_macros.contains(&made_here);
                    let fits = fits && !is_made;
                    let fits =
                        fits && !self.in_tables.contains(&n) && !bring_to_others.contains(&n);
                    if fits && !kept.contains(&n) && !self.is_for_others(n) {
                        found.insert(n);
                    }
                }
            }
        }
        // All that it makes is called as something in the call.
        let dead_calls = self.made_in_impls.iter().filter(|(n, made)| {
            let may_be_needed = made.iter().any(|name| self.left_out.may_need(name));
            !kept.contains(n) && !may_be_needed && self.are_dead(**n, made)
        });
        found.extend(dead_calls.map(|(&n, _)| n));
        found
    }

    /// The names in calls of macros in impls, which may make the items of their traits, with the traits.
    fn made_in_impls(&self) -> BTreeSet<(&str, &str)> {
        let index = &self.index;
        let calls = index
            .nodes
            .iter()
            .enumerate()
            .filter(|(n, node)| node.kind == Kind::Call && !index.is_in(*n, &self.gone));
        let names = calls.flat_map(|(n, node)| {
            let of_trait = node
                .parent
                .and_then(|parent| index.nodes[parent].of_trait());
            let words = source::words(index.text_of(n));
            of_trait
                .into_iter()
                .flat_map(move |of| words.clone().map(move |word| (of.as_str(), word)))
        });
        names.collect()
    }

    /// Follows the errors of a removal until the text compiles: then that is the present text. Or tells what nothing may follow.
    /// What is guessed to go besides stays if an error names it. The compiler may have said already what it says of the first text.
    pub fn settle(
        &mut self,
        mut gone: BTreeSet<usize>,
        with_guesses: &BTreeSet<usize>,
        kept: &BTreeSet<usize>,
        follow: Follow,
        mut said: Option<Vec<Diagnostic>>,
    ) -> Result<Option<Trouble>> {
        let (mut errors, mut followed) = (Vec::new(), Vec::new());
        let guessed = || with_guesses.difference(&gone).copied();
        let name = |n: usize| self.index.nodes[n].name.clone();
        let guesses: BTreeSet<String> = guessed().map(name).collect();
        let traits: BTreeSet<String> = guessed()
            .filter(|&n| may_be_trait(&self.index, &self.names, n))
            .map(name)
            .collect();
        let certain = std::mem::replace(&mut gone, with_guesses.clone());
        let mut certain = (!guesses.is_empty()).then_some(certain);
        for _ in 0..60 {
            let mut missed = Vec::new();
            let text = self.index.blanked(&gone);
            // What is dead goes in one round most often, and its code is wanted in the end.
            let (diagnostics, code) = match self.code.take() {
                None if said.is_some() => (said.take().unwrap_or_default(), None),
                None if follow == Follow::Dead => {
                    let (diagnostics, code) = self.ask(&text, How::Generate(&[]))?;
                    (diagnostics, Some(code))
                }
                // It gives the same code; but with what this machine leaves out it may use what is unused here.
                Some(mut code) => {
                    let (diagnostics, now) = self.ask(&text, How::Check)?;
                    if let (Some(before), Some(now)) = (&mut code.elsewhere, now.elsewhere) {
                        (before.errors, before.lints) = (now.errors, now.lints);
                    }
                    (diagnostics, Some(code))
                }
                None => {
                    let (diagnostics, code) = self.ask(&text, How::Check)?;
                    missed.extend(self.missed(&code).cloned());
                    (diagnostics, None)
                }
            };
            let others;
            (errors, others) = diagnostics.into_iter().partition(Diagnostic::is_error);
            self.effort.add_errors(&errors);
            if let Some(certain) = certain.take() {
                // A method or a bound may miss a trait that nothing names, and whatever else is imported they only tell of.
                let is_wrong = |error: &&Diagnostic| {
                    let missed = match error.code.as_str() {
                        "E0277" | "E0599" => &traits,
                        _ => &guesses,
                    };
                    !is_about_members(error) && !needs::words_of(error).is_disjoint(missed)
                };
                let missed = code.iter().flat_map(|code| self.missed(code));
                let wrong = errors.iter().chain(missed).filter(is_wrong);
                let wrong: BTreeSet<String> = wrong.flat_map(needs::words_of).collect();
                if !wrong.is_empty() {
                    let guesses = gone.difference(&certain);
                    let is_wrong = |n: &&usize| wrong.contains(&self.index.nodes[**n].name);
                    self.wrong_guesses
                        .extend(guesses.copied().filter(|n| is_wrong(&n)));
                    gone = certain;
                    continue;
                }
            }
            if errors.is_empty() && missed.is_empty() {
                self.gone = gone;
                self.lints = others;
                self.closed.0.clear();
                self.code = code;
                return Ok(None);
            }
            // What is missed where this machine does not look is no reason for more to go.
            if errors.is_empty() {
                errors = missed;
                break;
            }
            let mut more = BTreeSet::new();
            errors.retain(|error| {
                let following = self.following(error, kept, follow);
                let trouble = following.is_empty();
                more.extend(following.iter().copied());
                if !trouble {
                    followed.push((error.clone(), following));
                }
                trouble
            });
            // What is in something that goes is no trouble.
            errors.retain(|error| {
                let inside = |at: &Range<usize>| {
                    more.iter().any(|&n| {
                        let node = &self.index.nodes[n].range;
                        node.start <= at.start && at.end <= node.end
                    })
                };
                !error.places().any(inside)
            });
            if !errors.is_empty() || more.is_empty() || self.effort.is_too_much() {
                break;
            }
            gone.extend(more);
        }
        let mut removed: BTreeSet<usize> = gone.difference(&self.gone).copied().collect();
        // What may be missed of an impl that followed is inside of it.
        let nodes = followed.iter().flat_map(|(_, nodes)| nodes);
        let inside: Vec<usize> = nodes.flat_map(|&n| self.index.children(n)).collect();
        removed.extend(inside);
        Ok(Some(Trouble {
            errors,
            removed,
            followed,
        }))
    }

    /// What only named the thing that an error misses.
    fn following(&self, error: &Diagnostic, kept: &BTreeSet<usize>, follow: Follow) -> Vec<usize> {
        let not_a_member = is_about_members(error) && error.code != "E0046";
        // Only what names something that is gone may follow it: what fails for another reason is needed.
        let unresolved = needs::is_unresolved(error);
        let may_go = |n: &usize, in_macro: bool| {
            let node = &self.index.nodes[*n];
            // What is needed where this machine does not look needs more itself.
            !self.is_for_others(*n)
                // An import that fails is no use, kept or not.
                && (node.kind == Kind::Import || !kept.contains(n))
                && match node.kind {
                    Kind::Import => !in_macro,
                    Kind::Impl | Kind::InherentImpl => {
                        unresolved && !in_macro && !self.index.has(*n, kept)
                    }
                    Kind::Implemented => not_a_member && !in_macro,
                    Kind::Inherent => follow == Follow::Dead,
                    Kind::Item => {
                        // The lints say nothing about names that begin so.
                        node.name.starts_with('_')
                            || follow == Follow::Dead && unresolved && node.name != "main"
                    }
                    Kind::Call => follow == Follow::Dead && unresolved && !self.is_used_call(*n),
                    _ => false,
                }
        };
        let mut found = Vec::new();
        for (range, call) in &error.spans {
            let nodes = self.index.at(call.as_ref().unwrap_or(range));
            found.extend(nodes.into_iter().filter(|n| may_go(n, call.is_some())));
        }
        found
    }
}

/// Whether a lint that points at such a node is about that.
pub fn is_about(lint: &Diagnostic, kind: Kind) -> bool {
    match lint.code.as_str() {
        "dead_code" => matches!(kind, Kind::Item | Kind::Inherent | Kind::TraitItem),
        "unused_imports" => kind == Kind::Import,
        "unused_macros" => kind == Kind::Item,
        "unused_macro_rules" => kind == Kind::Arm,
        _ => false,
    }
}

/// What macros and calls of them define, by crate: they may make the impl of a trait, or what is in one.
fn made_by_macros<'i>(
    index: &'i Index,
    gone: &BTreeSet<usize>,
) -> BTreeSet<(Option<usize>, &'i str)> {
    let is_macro = |n: &usize| {
        let node = &index.nodes[*n];
        let is_whole = node.sort == Sort::Macro && index.children(*n).next().is_none();
        is_whole || matches!(node.kind, Kind::Call | Kind::Arm)
    };
    let macros = (0..index.nodes.len()).filter(is_macro);
    let macros = macros.filter(|&n| !index.is_in(n, gone));
    let names = macros.flat_map(|n| {
        let words = source::words(index.text_of(n));
        let names = words.clone().zip(words.skip(1));
        let names = names.filter(|(word, _)| ["fn", "const", "type"].contains(word));
        names.map(move |(_, name)| (index.outermost(n), name))
    });
    names.collect()
}

/// Functions of traits that nobody calls and that are left, as those in the tables of objects. All that only such functions call is dead
/// to the lints.
fn uncalled(index: &Index, lints: &[Diagnostic], gone: &BTreeSet<usize>) -> Vec<usize> {
    let is_left = |n: &usize| !index.is_in(*n, gone);
    let dead = lints.iter().filter(|lint| lint.code == "dead_code");
    let dead = dead.flat_map(|lint| lint.spans.iter().flat_map(|(at, _)| index.pointed_at(at)));
    let items: BTreeSet<(&str, &str)> = dead
        .filter(|n| index.nodes[*n].kind == Kind::TraitItem && is_left(n))
        .filter_map(|n| index.trait_item(n))
        .collect();
    let is_one = |n: &usize| {
        index
            .trait_item(*n)
            .is_some_and(|item| items.contains(&item))
    };
    (0..index.nodes.len())
        .filter(|n| is_left(n) && is_one(n))
        .collect()
}

/// Whether a node may be the import of a trait.
fn may_be_trait(index: &Index, names: &Names, n: usize) -> bool {
    let path = index.import_path(n);
    let meaning = path.map(|path| names.meaning(index, index.module(n), &path));
    let is_other = |&n: &usize| matches!(index.nodes[n].sort, Sort::Type | Sort::Value);
    match meaning {
        Some(Meaning::Items(items)) => items.is_empty() || !items.iter().all(is_other),
        _ => true,
    }
}

/// Whether an error says that an impl has not the items that its trait has, which no import changes.
fn is_about_members(error: &Diagnostic) -> bool {
    ["E0046", "E0407", "E0437", "E0438"].contains(&error.code.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::compiler::Compiler;
    use crate::bundle::shake::tests::lint;
    use crate::bundle::shake::Effort;
    use crate::bundle::shake::Read;
    use crate::bundle::text::index::Node;

    #[test]
    fn calls_of_macros_define_items() {
        let text = "mod a { make! { u8, fn f() { g() } } } make! { type T = u8; } impl S { make! { const A; } }";
        let index = Index::new(text).unwrap();
        let found = made_by_macros(&index, &BTreeSet::new());
        let of_a = Some(0);
        assert_eq!(
            found,
            BTreeSet::from([(None, "T"), (of_a, "f"), (None, "A")])
        );
        assert_eq!(
            made_by_macros(&index, &BTreeSet::from([0])),
            BTreeSet::from([(None, "T"), (None, "A")])
        );
    }

    #[test]
    fn what_has_a_place_in_a_table_calls_what_the_lints_call_dead() {
        let text = "trait T { fn a(&self); fn b(&self) {} } impl T for A { fn a(&self) { f() } } impl U for A { fn a() {} } fn f() {}";
        let index = Index::new(text).unwrap();
        let texts = |found: Vec<usize>| -> Vec<&str> {
            found.into_iter().map(|n| index.text_of(n)).collect()
        };
        let place = |part: &str| text.find(part).unwrap() + 3;
        let dead = [lint("dead_code", &[place("fn a"), place("fn f")])];
        let all = ["fn a(&self);", "fn a(&self) { f() }"];
        assert_eq!(texts(uncalled(&index, &dead, &BTreeSet::new())), all);
        let is_impl = |n: &usize| index.nodes[*n].kind == Kind::Impl;
        let gone: BTreeSet<usize> = (0..index.nodes.len()).filter(is_impl).collect();
        assert_eq!(texts(uncalled(&index, &dead, &gone)), all[..1]);
        let unused = [lint("unused_imports", &[place("fn a")])];
        assert!(uncalled(&index, &unused, &BTreeSet::new()).is_empty());
    }

    #[test]
    fn a_module_of_which_nothing_is_left_may_be_imported_by_what_a_macro_makes() {
        let text = "macro_rules! word { ($double:ident) => { pub use super::$double as Double; pub type D = $double; } }
            pub mod one { word!(u64); } pub mod u64 { use std::vec::Vec; } pub mod u32 { use std::vec::Vec; }\nfn main() {}\n";
        let scratch = tempfile::tempdir().unwrap();
        let (compiler, effort) = (Compiler::new(scratch.path()), Effort::default());
        let read = || Read::new(text, text.parse().unwrap());
        let shaker = Shaker::new(&compiler, text, "2021", &effort, read).unwrap();
        let with_all_in = |names: &[&str]| -> BTreeSet<usize> {
            let index = &shaker.index;
            let named = |n: &usize| names.contains(&index.nodes[*n].name.as_str());
            let modules: BTreeSet<usize> = (0..index.nodes.len()).filter(named).collect();
            index
                .all_in(&modules)
                .iter()
                .enumerate()
                .filter(|(_, is_in)| **is_in)
                .map(|(n, _)| n)
                .collect()
        };
        assert!(shaker.may_import_emptied(&with_all_in(&["u64"])));
        assert!(shaker.may_import_emptied(&with_all_in(&["u32", "u64"])));
        // Nothing names it, or what does goes too.
        assert!(!shaker.may_import_emptied(&with_all_in(&["u32"])));
        assert!(!shaker.may_import_emptied(&with_all_in(&["one", "u64"])));
    }

    #[test]
    fn an_impl_follows_with_what_is_in_it_and_only_if_nothing_of_that_is_needed() {
        let text = "trait T {} struct A<B>(B); impl<B: T> A<B> { fn f(&self) {} }\nfn main() { A(1).f() }\n";
        let scratch = tempfile::tempdir().unwrap();
        let (compiler, effort) = (Compiler::new(scratch.path()), Effort::default());
        let read = || Read::new(text, text.parse().unwrap());
        let mut shaker = Shaker::new(&compiler, text, "2021", &effort, read).unwrap();
        let called = |name: &str| {
            let named = |node: &Node| node.name == name;
            shaker.index.nodes.iter().position(named).unwrap()
        };
        let (gone, f) = (BTreeSet::from([called("T")]), called("f"));
        let mut trouble = |kept: &BTreeSet<usize>| {
            let settled = shaker.settle(gone.clone(), &gone, kept, Follow::Imports, None);
            settled.unwrap().unwrap()
        };
        let missed = trouble(&BTreeSet::new());
        assert!(missed.errors.iter().all(|error| error.code == "E0599"));
        assert_eq!(missed.followed.len(), 1);
        assert!(missed.removed.contains(&f));
        let missed = trouble(&BTreeSet::from([f]));
        assert!(missed.errors.iter().all(|error| error.code == "E0405"));
        assert!(missed.followed.is_empty());
    }

    #[test]
    fn what_leads_to_a_type_is_no_import_of_a_trait() {
        let text = "mod m { pub struct A; pub trait B {} pub fn C() {} pub trait C {} } use m::{A, B, C}; use std::fmt::D;";
        let index = Index::new(text).unwrap();
        let names = Names::new(&index);
        let imports = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Import);
        let found: Vec<bool> = imports.map(|n| may_be_trait(&index, &names, n)).collect();
        assert_eq!(found, [false, true, true, true]);
    }
}
