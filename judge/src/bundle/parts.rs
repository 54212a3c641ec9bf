//! The crates on their way into the file: which of them are in the text, which are compiled libraries as yet, and each as a module.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use anyhow::{Context, Result};

use super::compiler::{Compiler, Diagnostic};
use super::editions::newer;
use super::load;
use super::load::callers;
use super::notes::{self, Sources};
use super::resolve::{Resolved, Unit};
use super::rewrite::namesakes::{declares, namesakes};
use super::rewrite::no_std;
use super::rewrite::{self, Before};
use super::shake::derived::{self, Derives};
use super::shake::Waiting;
use super::text::source;
use super::threads;
use crate::in_order::in_order;

/// Crates larger than this stay compiled until something live names them, but for those that the program itself names.
pub const LARGE: u64 = 1 << 20;

/// Where those that the program does not name have more code than this, that holds for each of them: what is left of the others most often
/// names few.
const MUCH: u64 = 1 << 19;

/// Where what is to be looked through anew is so many times as much as what could come after it, that is not waited for.
const MANY_TIMES: u64 = 3;

/// The crates on their way into the file.
pub struct Parts<'a> {
    pub resolved: &'a Resolved,
    pub expands: bool,
    /// Units that stay compiled for now.
    pub deferred: BTreeSet<usize>,
    /// Units that the judge has.
    pub external: BTreeSet<usize>,
    /// Why a unit turned out not to be inlinable when it was loaded.
    pub failed: BTreeMap<usize, String>,
    pub loaded: BTreeMap<usize, String>,
    /// What the program has in scope for all that comes after it.
    pub before: Before,
}

impl<'a> Parts<'a> {
    /// `compiled` are crates that could be inlined and stay compiled for now.
    pub fn new(
        resolved: &'a Resolved,
        external: &BTreeSet<usize>,
        compiled: &BTreeSet<usize>,
        expands: bool,
    ) -> Self {
        let units = &resolved.units;
        let mut parts = Self {
            resolved,
            expands,
            deferred: external.union(compiled).copied().collect(),
            external: external.clone(),
            failed: BTreeMap::new(),
            loaded: BTreeMap::new(),
            before: Before::of(units[0].texts()),
        };
        // Those of a crate that the judge has may be in scope everywhere.
        if units[0].texts().any(|text| text.contains("macro_use")) {
            let texts = external.iter().flat_map(|&at| units[at].texts());
            texts.for_each(|text| parts.before.hide(&text));
        }
        // What is wrong with it is told when it is needed.
        let program = load::load(units, 0, expands).ok();
        let mut loaded = load_all(units, expands, program.as_deref());
        parts.loaded.extend(program.map(|text| (0, text)));
        for at in (1..units.len()).filter(|at| !external.contains(at)) {
            match loaded.remove(&at) {
                Some(Ok(text)) => {
                    parts.loaded.insert(at, text);
                }
                Some(Err(error)) => {
                    parts.failed.insert(at, format!("{error:#}"));
                    parts.deferred.insert(at);
                }
                None => {
                    parts.deferred.insert(at);
                }
            }
        }
        // A compiled library was compiled against compiled ones: their types must be the same everywhere.
        loop {
            let more: BTreeSet<usize> = parts
                .deferred
                .iter()
                .flat_map(|&at| units[at].dependencies.values().copied())
                .filter(|at| !parts.deferred.contains(at))
                .collect();
            if more.is_empty() {
                return parts;
            }
            parts.deferred.extend(more);
        }
    }

    /// Those that are compiled for now and that the judge has not.
    pub fn waiting(&self) -> BTreeMap<String, Waiting> {
        let waiting = self.deferred.difference(&self.external);
        let waiting = waiting.map(|&at| {
            let unit = &self.resolved.units[at];
            let waiting = Waiting {
                is_clear: self.is_clear(at),
                is_barred: self.obstacle(at).is_some() && self.derives(at).is_empty(),
                size: unit.code_size(),
            };
            (unit.module.clone(), waiting)
        });
        waiting.collect()
    }

    /// Whether there is nothing to ask before a crate is put into the file.
    pub fn is_clear(&self, at: usize) -> bool {
        self.obstacle(at).is_none() && self.derives(at).is_empty()
    }

    pub fn obstacle(&self, at: usize) -> Option<String> {
        let unit = &self.resolved.units[at];
        unit.obstacle
            .clone()
            .or_else(|| self.failed.get(&at).cloned())
    }

    /// What a crate derives, or one that it passes on.
    pub fn derives(&self, at: usize) -> Derives {
        let units = &self.resolved.units;
        let dependencies = units[at].dependencies.values().copied();
        let mut found = Derives::default();
        for at in dependencies
            .chain([at])
            .filter(|&at| units[at].is_procedural)
        {
            for text in units[at].texts() {
                found.add(&text);
            }
        }
        found
    }

    /// The macros of all crates that run inside the compiler.
    pub fn procedural(&self) -> BTreeSet<String> {
        let units = self.deferred.iter().map(|&at| &self.resolved.units[at]);
        let units = units.filter(|unit| unit.is_procedural);
        let texts = units.flat_map(Unit::texts);
        texts.flat_map(|text| procedural(&text)).collect()
    }

    /// The crate with a module; without one, the program.
    pub fn unit(&self, module: &str) -> &Unit {
        &self.resolved.units[self.at(module)]
    }

    /// Which one that is.
    pub fn at(&self, module: &str) -> usize {
        let mut units = self.resolved.units.iter();
        units.position(|unit| unit.module == module).unwrap_or(0)
    }

    /// What somebody should know whose macros look at what they get.
    pub fn notes(&self, compiler: &Compiler, text: &str) -> Result<Vec<String>> {
        let units = &self.resolved.units;
        let crates = units.iter().map(|unit| unit.module.clone()).collect();
        let own = || units.iter().filter(|unit| unit.own);
        let newer = own().filter(|unit| unit.is_newer());
        let sources = Sources {
            all: own().flat_map(Unit::texts).collect(),
            newer: newer.flat_map(Unit::texts).collect(),
            changing: own()
                .flat_map(|unit| unit.migrated.macros.clone())
                .collect(),
        };
        let modules = newer::modules(text)?;
        let unit = |at| self.unit(newer::module(&modules, at));
        let (is_own, is_older) = (|at| unit(at).own, |at| unit(at).edition < 2021);
        let is_needed = |place| {
            let mut edits = source::Edits::default();
            edits.delete(place);
            let said = compiler.check(&edits.apply(text), "2021", &[]);
            said.map_or(true, |said| said.iter().any(Diagnostic::is_error))
        };
        Ok(notes::notes(
            text, &crates, &is_own, &is_older, &sources, &is_needed,
        ))
    }

    /// The units to inline at first.
    pub fn reachable(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([0]);
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            for &next in self.resolved.units[at].dependencies.values() {
                if !self.deferred.contains(&next) && found.insert(next) {
                    stack.push(next);
                }
            }
        }
        found
    }

    /// Those of the compiled units that the text names and that use what is put into it: they would go on using the compiled one, and its
    /// types are others.
    pub fn that_use(&self, next: &BTreeSet<usize>, named: &BTreeSet<String>) -> BTreeSet<usize> {
        let units = &self.resolved.units;
        let may_follow = |at: &usize| named.contains(&units[*at].module) && self.is_clear(*at);
        let waiting = self.deferred.difference(&self.external).copied();
        let uses = |at: usize| units[at].dependencies.values().copied().collect();
        that_use(next, waiting.filter(may_follow).collect(), &uses)
    }

    /// What some units that are put into a text may use as well: the smallest of these, as long as they are not much.
    pub fn rest(&self, next: &BTreeSet<usize>, text: usize) -> BTreeSet<usize> {
        let units = &self.resolved.units;
        let mut found = BTreeSet::new();
        let mut stack: Vec<usize> = next.iter().copied().collect();
        while let Some(at) = stack.pop() {
            for &at in units[at].dependencies.values() {
                let is_free = self.deferred.contains(&at) && !self.external.contains(&at);
                if is_free && self.is_clear(at) && !next.contains(&at) && found.insert(at) {
                    stack.push(at);
                }
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|&at| units[at].code_size());
        let of_next: u64 = next.iter().map(|&at| units[at].code_size()).sum();
        let most = (text as u64 + of_next) / MANY_TIMES;
        let mut size = 0;
        let is_little = |at: &usize| {
            size += units[*at].code_size();
            size <= most
        };
        found.into_iter().take_while(is_little).collect()
    }

    /// Those of some units that can be put into the text now, which names all of `named`: without what a crate uses that stays compiled, for
    /// that would go on using the compiled one.
    pub fn without_shared(&self, named: &[usize], units: BTreeSet<usize>) -> BTreeSet<usize> {
        let compiled = |at: usize| {
            let dependencies = self.resolved.units[at].dependencies.values().copied();
            dependencies.filter(|of| self.deferred.contains(of))
        };
        let compiled: Vec<BTreeSet<usize>> = (0..self.resolved.units.len())
            .map(|at| compiled(at).collect())
            .collect();
        without_shared(&compiled, named, units)
    }

    /// Those of some units that do without the standard library, each with what may mean something else when it is there.
    pub fn without_std(&self, of: &[usize]) -> Result<Vec<(usize, BTreeSet<String>)>> {
        let mut found = Vec::new();
        let names = |&at: &usize| {
            let names = |text: Cow<str>| no_std::names(&self.resolved.units[at], &text);
            Some((at, self.loaded(at).map(names)))
        };
        in_order(of, threads(), names, |(at, names)| {
            let names = names?;
            if !names.is_empty() {
                found.push((at, names));
            }
            anyhow::Ok(())
        })?;
        Ok(found)
    }

    /// Loads some units, and tells whether all can be inlined, as far as that shows now.
    pub fn load(&mut self, units: &BTreeSet<usize>) -> bool {
        let wanted: Vec<usize> = units.iter().copied().collect();
        let (mut loaded, mut failed) = (Vec::new(), Vec::new());
        let load = |&at: &usize| Some((at, self.loaded(at).map(Cow::into_owned)));
        let add = |(at, text)| {
            match text {
                Ok(text) => loaded.push((at, text)),
                Err(error) => failed.push((at, format!("{error:#}"))),
            }
            Ok::<(), Infallible>(())
        };
        let Ok(()) = in_order(&wanted, threads(), load, add);
        self.loaded.extend(loaded);
        self.failed.extend(failed);
        units.iter().all(|at| !self.failed.contains_key(at))
    }

    /// The text of a unit as a crate.
    pub fn loaded(&self, at: usize) -> Result<Cow<'_, str>> {
        Ok(match self.loaded.get(&at) {
            Some(text) => Cow::Borrowed(text.as_str()),
            None => Cow::Owned(load::load(&self.resolved.units, at, self.expands)?),
        })
    }

    /// Adds some units to a text, and tells how long they are.
    pub fn add_to(&self, text: &mut String, units: &[usize]) -> Result<usize> {
        let before = text.len();
        let module = |&at: &usize| Some(self.module(at));
        in_order(units, threads(), module, |part| {
            *text += &part?;
            anyhow::Ok(())
        })?;
        Ok(text.len() - before)
    }

    /// A unit as text in the bundle.
    pub fn module(&self, at: usize) -> Result<String> {
        let units = &self.resolved.units;
        let unit = &units[at];
        let text = self.loaded(at)?;
        let mut prelude = BTreeMap::new();
        let of_callers = callers::crates(units, at, &text);
        for (name, &dependency) in unit.dependencies.iter().chain(&of_callers) {
            let module = &units[dependency].module;
            if !self.deferred.contains(&dependency) {
                prelude.insert(name.clone(), format!("crate::{module}"));
            } else if !(at == 0 && self.external.contains(&dependency) && name == module) {
                prelude.insert(name.clone(), format!("::{module}"));
            }
        }
        // A macro for others may name its crate as these do.
        let itself = &unit.library_name;
        let names_itself = text.contains("macro_rules") && text.contains(&format!("{itself}::"));
        if at != 0 && names_itself && !declares(&text, itself) {
            let path = format!("crate::{}", unit.module);
            prelude.entry(itself.clone()).or_insert(path);
        }
        let (macros, calling) = self.macro_use(unit, &text, &prelude);
        let imported = self.imported_macros(unit, &text, &macros);
        let mut names = rewrite::Names {
            module: unit.module.clone(),
            edition: unit.edition,
            own: unit.own,
            prelude,
            namesakes: namesakes(units, at, &text),
            leading_only: false,
            macros,
            calling,
            imported,
            defined: BTreeSet::new(),
            passed_on: BTreeSet::new(),
            in_bodies: BTreeSet::new(),
            before: if at == 0 {
                Before::default()
            } else {
                self.before.clone()
            },
        };
        let text = rewrite::rewrite(&text, &mut names)
            .with_context(|| format!("{}: cannot parse what was loaded", unit.title()))?;
        Ok(if at == 0 {
            text
        } else {
            let allow = if unit.own { "" } else { "#[allow(warnings)]\n" };
            format!("\n{allow}mod {} {{\n{text}\n}}\n", unit.module)
        })
    }

    /// The macros that a crate imports by their path where others that are so called come with `#[macro_use]`: the names of their crates and
    /// their own.
    fn imported_macros(
        &self,
        unit: &Unit,
        text: &str,
        macros: &BTreeMap<String, String>,
    ) -> BTreeSet<(String, String)> {
        let mut found = rewrite::imported_as(text, macros);
        found.retain(|(of, name)| {
            let at = unit.dependencies.get(of);
            let source = at.map(|&at| load::load(&self.resolved.units, at, self.expands));
            let source = source.and_then(Result::ok).unwrap_or_default();
            load::exported(&source).contains(name)
        });
        found
    }

    /// The macros of crates that are imported with `#[macro_use]`, with the path to each, and which of them each macro calls.
    fn macro_use(
        &self,
        unit: &Unit,
        text: &str,
        prelude: &BTreeMap<String, String>,
    ) -> (BTreeMap<String, String>, BTreeMap<String, BTreeSet<String>>) {
        let mut macros = BTreeMap::new();
        let mut sources = Vec::new();
        if !text.contains("macro_use") {
            return (macros, BTreeMap::new());
        }
        let Ok(file) = source::parsed(text) else {
            return (macros, BTreeMap::new());
        };
        for item in &file.items {
            let syn::Item::ExternCrate(item) = item else {
                continue;
            };
            if !rewrite::uses_macros(&item.attrs) {
                continue;
            }
            let listed = rewrite::listed_macros(&item.attrs);
            let is_used = |name: &String| match &listed {
                Some(listed) => listed.contains(name),
                None => true,
            };
            let name = item.ident.to_string();
            let (Some(&at), Some(path)) = (unit.dependencies.get(&name), prelude.get(&name)) else {
                continue;
            };
            let source = load::load(&self.resolved.units, at, self.expands).unwrap_or_default();
            let exported = load::exported(&source).into_iter().filter(is_used);
            macros.extend(exported.map(|name| (name, path.clone())));
            sources.push(source);
        }
        if macros.is_empty() {
            return (macros, BTreeMap::new());
        }
        // Macros of these crates may call each other by name: whoever calls them has all in scope.
        let texts = sources.iter().map(String::as_str).chain([text]);
        let calling = rewrite::calling(&texts.collect::<Vec<_>>(), &macros);
        (macros, calling)
    }
}

/// Those of some crates that none of the others uses, of the named ones and those that these use. What each uses comes behind it.
fn without_shared(
    uses: &[BTreeSet<usize>],
    named: &[usize],
    mut some: BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut used: BTreeSet<usize> = named.iter().copied().collect();
    for (at, uses) in uses.iter().enumerate() {
        if used.contains(&at) {
            used.extend(uses);
        }
    }
    loop {
        let others = used.difference(&some);
        let shared: BTreeSet<usize> = others.flat_map(|&at| uses[at].iter().copied()).collect();
        if some.is_disjoint(&shared) {
            return some;
        }
        some = &some - &shared;
    }
}

/// Those of `some` that use one of `next`, by others of `some` as well.
fn that_use(
    next: &BTreeSet<usize>,
    mut some: BTreeSet<usize>,
    uses: &dyn Fn(usize) -> BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut all = next.clone();
    loop {
        let more: BTreeSet<usize> = some
            .iter()
            .copied()
            .filter(|&at| !all.is_disjoint(&uses(at)))
            .collect();
        if more.is_empty() {
            return &all - next;
        }
        some = &some - &more;
        all.extend(more);
    }
}

/// The crates that are not too large and that nothing forbids, as texts; the program is one already, if it can be.
fn load_all(
    units: &[Unit],
    expands: bool,
    program: Option<&str>,
) -> BTreeMap<usize, Result<String>> {
    // In its folder there may be other programs.
    let all = || Cow::Owned(units[0].texts().collect());
    let program = program.map_or_else(all, Cow::Borrowed);
    let words: BTreeSet<&str> = source::words(&program).collect();
    let direct = units[0].dependencies.iter();
    let named: BTreeSet<usize> = direct
        .filter(|(name, _)| words.contains(name.as_str()))
        .map(|(_, &at)| at)
        .collect();
    let possible = (1..units.len()).filter(|&at| units[at].obstacle.is_none());
    let rest = possible.clone().filter(|at| !named.contains(at));
    let is_much = rest.map(|at| units[at].code_size()).sum::<u64>() > MUCH;
    // The user's own code comes before that of others.
    let is_small = |at: usize| units[at].size() <= LARGE && (units[at].own || !is_much);
    let mut wanted: Vec<usize> = possible
        .filter(|&at| named.contains(&at) || is_small(at))
        .collect();
    // Nobody waits long for the last one.
    wanted.sort_by_key(|&at| std::cmp::Reverse(units[at].size()));
    let mut loaded = BTreeMap::new();
    let load = |&at: &usize| Some((at, load::load(units, at, expands)));
    let add = |(at, text)| {
        loaded.insert(at, text);
        Ok::<(), Infallible>(())
    };
    let Ok(()) = in_order(&wanted, threads(), load, add);
    loaded
}

/// What a text has procedural macros for: attributes, derived traits, calls.
pub fn procedural(text: &str) -> Vec<String> {
    let functions = text.split("proc_macro]").skip(1);
    let functions = functions.filter_map(|rest| Some(rest.split_once("fn ")?.1));
    let first = |rest| source::words(rest).next().map(str::to_owned);
    let by_macros = derived::declared_by_macros(text);
    let texts = by_macros.iter().map(String::as_str).chain([text]);
    let derives = texts.flat_map(|text| text.split("proc_macro_derive(").skip(1));
    // In a macro the name comes from where that is called.
    let derives = derives.filter(|rest| !rest.starts_with('$'));
    functions
        .chain(derives)
        .filter_map(first)
        .chain(derived::attribute_macros(text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_uses_a_crate_comes_with_it() {
        // 1 uses 2, 2 uses 3, 4 uses 5.
        let uses = [&[][..], &[2], &[3], &[], &[5], &[]];
        let uses = |at: usize| uses[at].iter().copied().collect();
        let with = |next: &[usize], some: &[usize]| {
            let (next, some) = (next.iter().copied(), some.iter().copied());
            Vec::from_iter(that_use(&next.collect(), some.collect(), &uses))
        };
        assert_eq!(with(&[3], &[1, 2, 4, 5]), [1, 2]);
        // 1 alone has nothing to do with 3.
        assert_eq!(with(&[3], &[1, 4]), [0usize; 0]);
        assert_eq!(with(&[2, 5], &[1, 4]), [1, 4]);
    }

    #[test]
    fn what_a_compiled_crate_uses_stays_compiled() {
        // 1 uses 2 and 3, 2 uses 3, 3 uses 4.
        let uses = [&[][..], &[2, 3], &[3], &[4], &[]];
        let uses = uses.map(|uses| BTreeSet::from_iter(uses.iter().copied()));
        let left = |named: &[usize], some: &[usize]| {
            let some = some.iter().copied().collect();
            Vec::from_iter(without_shared(&uses, named, some))
        };
        assert_eq!(left(&[1, 2, 3], &[1, 2, 3]), [1, 2, 3]);
        // Nobody names 2 yet, but what is in 1 does.
        assert_eq!(left(&[1, 3], &[1, 3]), [1]);
        assert_eq!(left(&[1, 3, 4], &[1, 3, 4]), [1]);
        // Nothing that is left of the program leads to 1.
        assert_eq!(left(&[2, 3], &[2, 3]), [2, 3]);
        // There is something to ask about 2.
        assert_eq!(left(&[1, 2, 3], &[1, 3]), [1]);
    }
}
