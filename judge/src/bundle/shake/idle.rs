//! Takes out what no code is made for, as far as the type checker does without it.

use std::collections::BTreeSet;

use anyhow::Result;

use super::dead::Follow;
use super::first::{First, OPEN};
use super::generated::Generated;
use super::{needs, Care, Shaker, Stays, INNATE};
use crate::bundle::compiler::Diagnostic;
use crate::bundle::text::header;
use crate::bundle::text::index::{Kind, Node};
use crate::bundle::text::source::{self, Lines};

impl Shaker<'_> {
    /// Takes out what no code is made for, and sees that the crates of which there is none at all go with it: then it is no concern what this
    /// machine leaves out of them, which else might need nearly anything.
    pub fn without_idle(
        &mut self,
        first: &First,
        care: Care,
        rounds: usize,
        stays: &mut Stays,
    ) -> Result<()> {
        let idle = self.idle(first, care);
        if !idle.is_empty() {
            let before = (self.gone.clone(), self.lints.clone(), stays.clone());
            self.without_unreached_but(&idle);
            self.without_uninstantiated(first, care, rounds, stays)?;
            self.without_unreached();
            let mut left = self.left_out.looked_at();
            if !left.any(|n| self.index.is_in(n, &idle)) {
                return Ok(());
            }
            (self.gone, self.lints, *stays) = before;
        }
        self.without_unreached();
        self.without_uninstantiated(first, care, rounds, stays)
    }

    /// The crates that leave out what cannot be turned on here, of which no code is made, and that go if all goes that no code is made for.
    fn idle(&mut self, first: &First, care: Care) -> BTreeSet<usize> {
        let index = &self.index;
        let unseen = self.left_out.unseen_nodes();
        let unseen = unseen.filter(|n| !index.is_in(*n, &self.gone));
        let mut crates: BTreeSet<usize> = unseen.filter_map(|n| index.outermost(n)).collect();
        let is_unused = self.unused_lines(first);
        let functions = (0..index.nodes.len()).filter(|&n| index.nodes[n].is_function());
        for n in functions {
            let of = index.outermost(n).filter(|of| crates.contains(of));
            if of.is_some() && !index.is_in(n, &self.gone) && !is_unused(n) {
                of.map(|of| crates.remove(&of));
            }
        }
        drop(is_unused);
        // Without one of them, another may not go.
        while !crates.is_empty() {
            self.without_unreached_but(&crates);
            let mut gone = self.uninstantiated(first, care);
            gone.extend(&self.gone);
            let gone = self.unnamed(&gone, &BTreeSet::new());
            let size = crates.len();
            // Imports alone have nothing to need them.
            let index = &self.index;
            let left = (0..index.nodes.len()).filter(|&n| !index.is_in(n, &gone));
            let left = left.filter(|&n| !index.nodes[n].is_name());
            let left: BTreeSet<usize> = left.filter_map(|n| index.outermost(n)).collect();
            crates.retain(|n| !left.contains(n));
            if crates.len() == size {
                break;
            }
        }
        crates
    }

    /// Takes out what no code is made for and the type checker does not want, but for what is known to stay.
    fn without_uninstantiated(
        &mut self,
        first: &First,
        care: Care,
        rounds: usize,
        stays: &mut Stays,
    ) -> Result<()> {
        let candidates = self.uninstantiated(first, care);
        for _ in 0..rounds {
            let mut gone = self.without_missed(&candidates, stays);
            if gone == self.gone || self.effort.is_enough() {
                return Ok(());
            }
            let kept = &mut stays.kept;
            gone = self.unnamed(&gone, kept);
            let Some(trouble) = self.settle(gone.clone(), &gone, kept, Follow::Imports, None)?
            else {
                return Ok(());
            };
            let Some(more) = self.keep(&trouble, kept) else {
                return Ok(());
            };
            stays.wanted.extend(more);
            let is_sure = |error: &Diagnostic| !OPEN.contains(&error.code.as_str());
            let errors = trouble.errors.into_iter().filter(is_sure);
            stays.told.extend(errors);
        }
        Ok(())
    }

    /// What would be out without candidates, but for what is known to stay and what the rest will miss: the compiler need not be asked about
    /// that, nor about what it has said before.
    fn without_missed(&self, candidates: &BTreeSet<usize>, stays: &mut Stays) -> BTreeSet<usize> {
        loop {
            let Stays { kept, wanted, .. } = stays;
            self.add_missed(candidates, kept, wanted);
            let removed = candidates.difference(kept).filter(|n| !wanted.contains(n));
            let removed: BTreeSet<usize> = removed.copied().collect();
            let gone = self.gone.union(&removed).copied().collect();
            if stays.expected.is_empty() {
                return gone;
            }
            let (index, size) = (&self.index, kept.len());
            let without = self.unnamed(&gone, kept);
            let is_left = |at| {
                let around = index.innermost(at);
                !around.is_some_and(|n| index.is_in(n, &without))
            };
            let expected = stays.expected.iter();
            let expected = expected.filter(|error| error.places().all(is_left));
            let (names, calls, known) = (&self.names, &self.calls, &self.needs);
            let more = needs::keep_named(index, names, calls, known, expected, &removed, kept);
            wanted.extend(more);
            if kept.len() == size {
                return gone;
            }
        }
    }

    /// Adds what the rest will miss without asking the compiler.
    fn add_missed(
        &self,
        candidates: &BTreeSet<usize>,
        kept: &BTreeSet<usize>,
        wanted: &mut BTreeSet<usize>,
    ) {
        loop {
            let removed = candidates.difference(kept).filter(|n| !wanted.contains(n));
            let removed: BTreeSet<usize> = removed.copied().collect();
            let gone = self.gone.union(&removed).copied().collect();
            let gone = self.unnamed(&gone, &BTreeSet::new());
            let is_left = |n: usize| !self.index.is_in(n, &gone);
            let mut named = self.things.surely_named(&self.index, &gone);
            named.retain(|n| removed.contains(n));
            let missed = needs::missed(
                &self.index,
                &self.names,
                &self.calls,
                &self.needs,
                &removed,
                is_left,
                named,
            );
            if missed.is_empty() {
                return;
            }
            wanted.extend(missed);
        }
    }

    /// Whether no line of the code comes from a node.
    fn unused_lines<'f>(&'f self, first: &'f First) -> impl Fn(usize) -> bool + 'f {
        let code: Vec<&Generated> = first.code().collect();
        let places = Lines::new(&self.text());
        move |n: usize| {
            let node = &self.index.nodes[n];
            let start = node.signature.unwrap_or(node.range.start);
            let lines = places.at(start)..=places.at(node.range.end);
            let mut in_code = code
                .iter()
                .map(|code| code.lines.range(lines.clone()).next());
            in_code.all(|found| found.is_none())
        }
    }

    /// The impls of traits, and the functions, that no line of the code comes from.
    fn uninstantiated(&self, first: &First, care: Care) -> BTreeSet<usize> {
        let index = &self.index;
        let unused = self.unused_lines(first);
        let unused = |n: usize| match index.nodes[n].kind {
            // What is on its first line may be the end of another. What a macro makes in it may be on any.
            Kind::Impl if !index.children(n).any(|n| index.nodes[n].kind == Kind::Call) => index
                .children(n)
                .filter(|&n| index.nodes[n].is_function())
                .all(&unused),
            _ => unused(n),
        };
        let unseen = self.left_out.unseen;
        // A promise about what nobody calls, or which nothing that there is code of asks for.
        let is_idle_promise = |n: usize| {
            let node = &index.nodes[n];
            let is_of = |m: usize, of_trait: &str| {
                let other = &index.nodes[m];
                other.kind == Kind::Impl
                    && other.of_trait().is_some_and(|of| of == of_trait)
                    && other.for_type() == node.for_type()
                    && index.outermost(m) == index.outermost(n)
            };
            let iterators = || (0..index.nodes.len()).filter(|&m| is_of(m, "Iterator"));
            let is_asked = |name: &String| first.code().any(|code| code.fuses(name));
            !unseen
                && is_of(n, "FusedIterator")
                && iterators().next().is_some()
                && node.for_type().is_some_and(|name| {
                    iterators().all(&unused) || care == Care::Little && !is_asked(name)
                })
        };
        // What code that is left out here may use.
        let spared = |n: usize| {
            let node = &index.nodes[n];
            let of_trait = node.of_trait().map(String::as_str);
            let named = |name: &str| self.left_out.may_need(name);
            let of_number = || {
                let mut name = node.for_type().into_iter();
                care == Care::Much && name.any(|name| header::is_number(name))
            };
            let is_spared =
                |name: &str| INNATE.contains(&name) || self.left_out.may_use(name) || of_number();
            // What a program itself makes sure of is no concern of others.
            if node.makes_impls {
                return index.outermost(n).is_none()
                    || source::words(index.text_of(n)).any(is_spared);
            }
            of_trait.is_some_and(is_spared) && !is_idle_promise(n) || named(&node.name)
        };
        let live = |n: usize| !index.is_in(n, &self.gone);
        // By trait and name: what a trait provides is needed where an impl has its own, and what it does not provide in each impl.
        let items = |which: &dyn Fn(usize) -> bool| -> BTreeSet<(&str, &str)> {
            let found = (0..index.nodes.len()).filter(|&n| live(n) && which(n));
            found.filter_map(|n| index.trait_item(n)).collect()
        };
        let implemented = items(&|n| index.nodes[n].kind == Kind::Implemented && !unused(n));
        let made = self.names.made.iter();
        let made = made
            .filter(|(n, _)| live(**n))
            .flat_map(|(_, made)| &made.items);
        let made: BTreeSet<(&str, &str)> = made
            .map(|(of_trait, item)| (of_trait.as_str(), item.as_str()))
            .collect();
        let required = items(&|n| {
            let node = &index.nodes[n];
            node.kind == Kind::TraitItem && !node.is_function()
        });
        let among = |n: usize, items: &BTreeSet<(&str, &str)>| {
            index
                .trait_item(n)
                .is_some_and(|item| items.contains(&item))
        };
        // What is inside of a function goes with it, or is called there.
        let local = |n: usize| {
            let parent = index.nodes[n].parent.map(|parent| &index.nodes[parent]);
            parent.is_some_and(Node::is_function)
        };
        let may_go = |n: usize| {
            !spared(n)
                && match index.nodes[n].kind {
                    Kind::Impl => !(unseen && index.children(n).any(spared)),
                    Kind::TraitItem => {
                        let is_made = among(n, &implemented) || among(n, &made);
                        !is_made && !self.in_tables.contains(&n)
                    }
                    Kind::Implemented => !among(n, &required) && !index.is_required(n),
                    _ => true,
                }
        };
        let is_code = |n: usize| {
            let node = &index.nodes[n];
            // With what a trait asks for goes what its impls have for it.
            node.is_function() || node.is_asked_for || node.kind == Kind::Impl || node.makes_impls
        };
        (0..index.nodes.len())
            .filter(|&n| is_code(n) && live(n) && !local(n) && unused(n) && may_go(n))
            .collect()
    }
}
