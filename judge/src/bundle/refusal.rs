//! Why there is no bundle: which crate is in the way, who uses it, and what to write instead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{bail, Result};
use quote::ToTokens;

use super::editions::newer;
use super::load::callers;
use super::parts::{procedural, Parts};
use super::resolve::cfg;
use super::resolve::limits;
use super::resolve::systems::{Missing, System};
use super::resolve::Unit;
use super::rewrite;
use super::shake::derived;
use super::shake::{Broken, Effort};
use super::shaken_with_std;
use super::text::source;

mod named;

/// A crate that the program needs cannot be inlined.
#[derive(Debug, thiserror::Error)]
#[error("{said}")]
pub struct Refusal {
    said: String,
    /// The crate in the file that has what does not compile made by a procedural macro: while it is compiled, that may be well.
    pub passed_on_by: Option<usize>,
}

impl Parts<'_> {
    /// Why there is no bundle, if what the user's own code surely does names a crate that cannot be inlined: it is told before the others
    /// are taken apart.
    pub fn refused_by_program(&self, scratch: &Path) -> Option<Refusal> {
        let units = &self.resolved.units;
        let (own, others): (BTreeSet<usize>, BTreeSet<usize>) =
            (0..units.len()).partition(|&at| units[at].own);
        let direct = own.iter().flat_map(|&at| units[at].dependencies.values());
        let hindered: BTreeMap<String, usize> = direct
            .filter(|at| others.contains(at) && !self.external.contains(at))
            // What a macro makes may be for nobody.
            .filter(|&&at| !units[at].is_procedural && units[at].obstacle.is_some())
            .map(|&at| (units[at].module.clone(), at))
            .collect();
        let macros = self.procedural_macros(&own);
        if hindered.is_empty() && macros.is_empty() {
            return None;
        }
        let texts: Vec<String> = own.iter().flat_map(|&at| units[at].texts()).collect();
        let is_named = |name: &String| {
            let mut words = texts.iter().flat_map(|text| source::words(text));
            words.any(|word| word == name)
        };
        let dependencies = own.iter().flat_map(|&at| &units[at].dependencies);
        let mut names = dependencies
            .filter(|(_, at)| hindered.values().any(|other| other == *at))
            .map(|(name, _)| name)
            .chain(macros.keys().map(|(_, name)| name));
        if own.iter().any(|at| self.deferred.contains(at)) || !names.any(is_named) {
            return None;
        }
        let parts = Parts {
            resolved: self.resolved,
            expands: self.expands,
            deferred: others,
            external: self.external.clone(),
            failed: self.failed.clone(),
            loaded: own
                .iter()
                .filter_map(|at| Some((*at, self.loaded.get(at)?.clone())))
                .collect(),
            before: self.before.clone(),
        };
        let first: Vec<usize> = parts.reachable().into_iter().collect();
        let text = first.iter().map(|&at| parts.module(at));
        let text = limits::raised(
            &text.collect::<Result<String>>().ok()?,
            &self.resolved.limits,
        );
        let compiler = self.resolved.compiler(&parts.deferred, scratch);
        let effort = Effort::default();
        effort.procedural.replace(parts.procedural());
        let (text, _) = shaken_with_std(&compiler, &text.ok()?, &parts, &first, &effort).ok()?;
        let crates = hindered.keys().cloned().collect();
        let calls = macros.keys().cloned().collect();
        let named = named::surely(&syn::parse_file(&text).ok()?, &crates, &calls);
        // Another macro so called may be what the crate passes on.
        let is_alone = |(_, name): &&(String, String)| {
            let definition = format!("macro_rules! {name}");
            let mut texts = units.iter().flat_map(Unit::texts);
            !texts.any(|text| text.contains(&definition))
        };
        let of_crate = named.crates.first().map(|name| hindered[name]);
        let of_call = || named.calls.iter().find(is_alone).map(|call| macros[call]);
        let at = of_crate.or_else(of_call)?;
        Some(parts.refusal(at, &parts.obstacle(at)?, &text))
    }

    /// Why there is no file where an error is in what a macro makes that runs inside the compiler.
    pub fn refused_for_macro(&self, said: &str) -> Option<Refusal> {
        let units = &self.resolved.units;
        let own = (0..units.len()).filter(|&at| units[at].own && !units[at].is_procedural);
        let own = own.collect();
        let macros = self.procedural_macros(&own);
        let (_, by) = said.split_once("error originates in the ")?;
        let path = by.split('`').nth(1)?;
        let made_by = path.rsplit("::").next();
        let (_, &at) = macros
            .iter()
            .find(|((_, name), _)| Some(name.as_str()) == made_by)?;
        let text = self.module(0).ok()?;
        Some(self.refusal(at, &self.obstacle(at)?, &text))
    }

    /// The procedural macros that a crate of others has for the user's own code, or passes on: by the module of that crate and their name.
    fn procedural_macros(&self, own: &BTreeSet<usize>) -> BTreeMap<(String, String), usize> {
        let units = &self.resolved.units;
        let direct = own.iter().flat_map(|&at| units[at].dependencies.values());
        let direct = direct.filter(|at| !own.contains(at) && !self.external.contains(at));
        let mut found = BTreeMap::new();
        for &by in direct {
            let behind = units[by].dependencies.values().chain([&by]);
            let is_one = |at: &usize| {
                units[*at].is_procedural && !units[*at].is_paste() && !self.external.contains(at)
            };
            for &at in behind.filter(|at| is_one(at)) {
                let texts = units[at].texts();
                let names = texts.flat_map(|text| procedural(&text));
                found.extend(names.map(|name| ((units[by].module.clone(), name), at)));
            }
        }
        found
    }

    /// Why a crate cannot be in the file, and who uses it in a text.
    pub fn refusal(&self, at: usize, reason: &str, text: &str) -> Refusal {
        let units = &self.resolved.units;
        let users = self.users(at, text);
        let by: Vec<&Unit> = users.iter().map(|&at| &units[at]).collect();
        let titles: Vec<String> = by.iter().map(|unit| unit.title()).collect();
        let names = self.named_of(at);
        let remedy = remedy(&units[at].package, &by, &names);
        let mut remedy = remedy.map_or(String::new(), |remedy| format!("; {remedy}"));
        // What the user's own code names of others.
        let mut way = users.iter().rev().chain([&at]);
        if let Some(direct) = way.find(|&&at| !units[at].own) {
            let name = &units[*direct].package;
            remedy += &format!("; if the judge has {name}, `--external {name}` leaves it there");
        }
        let named = match Vec::from_iter(names).join("`, `").as_str() {
            "" => String::new(),
            names => format!("; the program names its `{names}`"),
        };
        Refusal {
            said: format!(
                "{} cannot be put into the file: {reason} (used by {}{named}){remedy}",
                units[at].title(),
                titles.join(", used by ")
            ),
            passed_on_by: None,
        }
    }

    /// Refuses what judges with Linux would miss. What those with Windows would miss is told: there are few.
    pub fn missing(&self, text: &str) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for Missing { system, by, name } in self.missing_elsewhere(text)? {
            let needs = |who: &str, has: &str| {
                format!("on {system:?}, as {has}, {who} needs the crate `{name}`, which cargo does not build on this system")
            };
            let title = match by {
                0 => "the program".to_owned(),
                _ => self.resolved.units[by].title(),
            };
            match system {
                System::Linux if by == 0 => bail!(needs(&title, "most judges have it")),
                System::Linux => {
                    let reason = needs("it", "most judges have it");
                    return Err(self.refusal(by, &reason, text).into());
                }
                System::Windows => {
                    let needs = needs(&title, "Codeforces has it");
                    notes.push(format!("{needs}: it is not in the file"));
                }
            }
        }
        Ok(notes)
    }

    /// The macros of a procedural crate that the user's own code names.
    fn named_of(&self, at: usize) -> BTreeSet<String> {
        let units = &self.resolved.units;
        if !units[at].is_procedural {
            return BTreeSet::new();
        }
        let mut names: BTreeSet<String> = units[at]
            .texts()
            .flat_map(|text| procedural(&text))
            .collect();
        let own = units.iter().filter(|unit| unit.own).flat_map(Unit::texts);
        let mut called = BTreeSet::new();
        own.for_each(|text| derived::called_by_name(text.parse().unwrap_or_default(), &mut called));
        names.retain(|name| called.contains(name));
        names
    }

    /// The crates on the shortest way from one to the program: each is used by the next, and in a text its module names it, if there is
    /// such a way.
    fn users(&self, at: usize, text: &str) -> Vec<usize> {
        let units = &self.resolved.units;
        let modules = newer::modules(text).unwrap_or_default();
        let parts: BTreeMap<&str, &str> = modules
            .iter()
            .map(|(range, name)| (name.as_str(), &text[range.clone()]))
            .collect();
        let mut rest = text.as_bytes().to_vec();
        for (range, _) in modules.iter().filter(|(_, name)| self.is_crate(name)) {
            source::blank(&mut rest, range.clone());
        }
        let program = String::from_utf8(rest).unwrap_or_default();
        let names = |user: usize, of: usize| {
            let module = &units[of].module;
            match (user, parts.get(units[user].module.as_str())) {
                // What it names is in scope there.
                (0, _) => source::words(&program).any(|word| word == module),
                (_, Some(part)) => source::has_path_to(part, module),
                (_, None) => self.deferred.contains(&user),
            }
        };
        self.way(at, &names)
            .or_else(|| self.way(at, &|_, _| true))
            .unwrap_or_default()
    }

    fn is_crate(&self, module: &str) -> bool {
        let mut units = self.resolved.units.iter();
        units.any(|unit| unit.module == module)
    }

    /// The crates on the shortest way to the program, with those steps from a user to what it uses that are `taken`.
    fn way(&self, at: usize, taken: &dyn Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
        let units = &self.resolved.units;
        let mut used_by = BTreeMap::new();
        let mut next = vec![at];
        while !used_by.contains_key(&0) && !next.is_empty() {
            let mut users = Vec::new();
            for of in next {
                for (user, unit) in units.iter().enumerate() {
                    let is_new = !used_by.contains_key(&user) && user != at;
                    if is_new && unit.dependencies.values().any(|&d| d == of) && taken(user, of) {
                        used_by.insert(user, of);
                        users.push(user);
                    }
                }
            }
            next = users;
        }
        let mut way = vec![0];
        loop {
            let of = *used_by.get(way.last()?)?;
            if of == at {
                way.reverse();
                return Some(way);
            }
            way.push(of);
        }
    }

    /// Why a text does not compile: what a procedural macro makes of it names crates that are no crates any more.
    pub fn blamed(&self, error: anyhow::Error, text: &str) -> anyhow::Error {
        let Some(Broken {
            by, makes_module, ..
        }) = error.downcast_ref()
        else {
            return error;
        };
        let units = &self.resolved.units;
        let said = error.to_string();
        let missing = said.split("cannot find macro `").nth(1);
        if let Some(name) = missing.and_then(|rest| source::words(rest).next()) {
            // A crate that could not be loaded is none of which macros could be imported.
            let definition = format!("macro_rules! {name}");
            let defines = |at: usize| callers::text_of(&units[at]).contains(&definition);
            if let Some((&at, reason)) = self.failed.iter().find(|(&at, _)| defines(at)) {
                return self.refusal(at, reason, text).into();
            }
        }
        // The macro that makes it may be one of a crate that cannot be in the file.
        if *makes_module {
            let with_module = units
                .iter()
                .find(|unit| said.starts_with(&format!("the crate {} ", unit.module)));
            let text_of = with_module.map(callers::text_of).unwrap_or_default();
            let is_named = |at: &usize| text_of.contains(&format!("{}::", units[*at].module));
            let mut named = self.deferred.iter().copied().filter(is_named);
            let refused = named.find_map(|at| Some((at, self.obstacle(at)?)));
            if let Some((at, reason)) = refused {
                return self.refusal(at, &reason, text).into();
            }
        }
        let defines = |at: &usize| {
            let mut names = units[*at].texts().flat_map(|text| procedural(&text));
            names.any(|name| by.contains(&name))
        };
        let mut macros = self.deferred.iter().copied();
        match macros.find(|at| units[*at].is_procedural && defines(at)) {
            Some(at) => {
                let reason = self.obstacle(at).unwrap_or_default();
                let passes_on = |by: &usize| {
                    let unit = &units[*by];
                    !unit.own && unit.dependencies.values().any(|&of| of == at)
                };
                let mut inside = (1..units.len()).filter(|by| !self.deferred.contains(by));
                Refusal {
                    passed_on_by: inside.find(passes_on),
                    ..self.refusal(at, &reason, text)
                }
                .into()
            }
            None => error,
        }
    }

    /// Refuses macros of one's own that ask for what they are called with, where cargo's answer is not that of plain `rustc`, and those of
    /// libraries that pass on where their crate begins, or look at it in what others call them with.
    pub fn refuse_open_questions(&self, text: &str) -> Result<()> {
        let units = &self.resolved.units;
        let file = source::parsed(text)?;
        // What calls have for it may have been answered.
        let words = cfg::words_in_macros(text.parse().unwrap_or_default());
        let is_asked = |flag: &String| source::words(flag).take(1).any(|name| words.contains(name));
        let is_told = |what: &str| {
            let mut own = units.iter().filter(|unit| unit.own);
            own.any(|unit| match what {
                "option_env" => !unit.variables.is_empty(),
                _ => unit.cfg.flags().any(is_asked),
            })
        };
        let is_own = |item: &&syn::Item| match item {
            syn::Item::Mod(of) => self.unit(&of.ident.to_string()).own,
            _ => true,
        };
        // A rule that nobody came to may be gone.
        let libraries = units.iter().skip(1).filter(|unit| unit.own);
        let for_root = libraries.map(|unit| {
            let macros = unit.texts().flat_map(|text| rewrite::rules_for_root(&text));
            (unit, macros.collect())
        });
        let for_root: Vec<(&Unit, BTreeSet<String>)> = for_root.collect();
        let mut found = None;
        for item in file.items.iter().filter(is_own) {
            let library = match item {
                syn::Item::Mod(of) => {
                    Some(self.unit(&of.ident.to_string())).filter(|unit| of.ident == unit.module)
                }
                _ => None,
            };
            if let Some(unit) = library.filter(|_| rewrite::has_bare_root(item.to_token_stream())) {
                bail!(
                    "{} passes `crate` on to a macro without a path, and in one file that is the program: pass on a path in it",
                    unit.title()
                );
            }
            source::macro_definitions(item.to_token_stream(), &mut |name, body| {
                let what = cfg::asked_for_variable(body.stream());
                if let Some(what) = what.filter(|what| is_told(what)) {
                    found.get_or_insert((name.to_string(), what));
                }
            });
            let others = for_root
                .iter()
                .filter(|(unit, _)| library.map_or(true, |library| library.module != unit.module));
            let mut called = others.filter_map(|(_, macros)| {
                rewrite::called_with_root(item.to_token_stream(), macros)
            });
            if let Some(name) = called.next() {
                bail!(
                    "the macro `{name}` has a rule for what begins with `crate::`, and in one file that is another path for it than for \
                     those who call it: write the rule without `crate`"
                );
            }
        }
        match found {
            None => Ok(()),
            Some((name, what)) => bail!(
                "the macro `{name}` asks `{what}` for what it is called with, which cargo knows and a judge's compiler does not: \
                 write out in it what it asks for"
            ),
        }
    }
}

/// What to write instead of what contestants want a crate for most often.
fn remedy(package: &str, users: &[&Unit], named: &BTreeSet<String>) -> Option<&'static str> {
    let user = |package: &str| users.iter().find(|unit| unit.package == package);
    match package {
        "proconio-derive" if named.contains("fastout") => {
            Some("without `#[fastout]` it prints the same; where that is much, collect it in a `String` and print that")
        }
        "proconio-derive" if named.contains("derive_readable") => {
            Some("`impl Readable for` the type does what the macro does")
        }
        "easy-ext" if named.contains("ext") => {
            Some("a trait with these functions and an `impl` of it for the type do what `#[ext]` does")
        }
        "multiversion-macros" if named.contains("multiversion") => {
            Some("without `#[multiversion]` it answers the same")
        }
        "nalgebra-macros" if named.contains("matrix") || named.contains("vector") => {
            Some("`Matrix2::new(…)`, `Vector3::new(…)` and the like make the same")
        }
        "dashu-macros" => {
            Some("`IBig::from(…)`, `UBig::from(…)` and `\"…\".parse()` make the same")
        }
        "memoise" => Some("a `HashMap` that the function looks into first does the same"),
        "error-chain" => Some("`Box<dyn std::error::Error>` takes any error, by `?` too"),
        "libc" if user("ahash").is_some_and(|ahash| is_before(&ahash.version, 8)) => {
            Some("`ahash` before 0.8 asks the system for keys; `hashbrown` has a newer one from 0.13 on")
        }
        "libc" if user("ahash").is_some() => {
            Some("`ahash` asks the system for keys; with `default-features = false, features = [\"std\", \"no-rng\"]` it does not")
        }
        "libc" | "getrandom" => {
            let mut steps = users.windows(2);
            let rand = steps.find(|by| by[0].package == "rand" && by[1].own)?[0];
            // Other types have other seeds: one number for all is there from 0.6 on.
            if is_before(&rand.version, 5) {
                return Some("`rand` asks the system for a seed; a generator that is given one needs no system: `XorShiftRng::from_seed([1, 2, 3, 4])`");
            }
            if is_before(&rand.version, 6) {
                return Some("`rand` asks the system for a seed; a generator that is given one needs no system: `SmallRng::from_seed([1; 16])`");
            }
            // The small generator needs a feature from 0.7 on, and none from 0.9 on.
            match is_before(&rand.version, 9) {
                true => Some("`rand` asks the system for a seed; a generator that is given one needs no system: `StdRng::seed_from_u64(1)`, or `SmallRng` with the feature `small_rng`"),
                false => Some("`rand` asks the system for a seed; a generator that is given one needs no system: `SmallRng::seed_from_u64(1)`"),
            }
        }
        _ => None,
    }
}

/// Whether a version is one before 0.`minor`.
fn is_before(version: &str, minor: u32) -> bool {
    (0..minor).any(|minor| version.starts_with(&format!("0.{minor}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_help_is_not_advised() {
        let unit = |package: &str, version: &str| Unit {
            package: package.to_owned(),
            version: version.to_owned(),
            ..Unit::sample(Path::new("p.rs"))
        };
        let program = Unit {
            own: true,
            ..unit("p", "1.0.0")
        };
        let said = |package: &str, version: &str| {
            let users = [&unit(package, version), &program];
            remedy("libc", &users, &BTreeSet::new()).unwrap_or_default()
        };
        assert!(said("ahash", "0.7.8").contains("hashbrown"));
        assert!(said("ahash", "0.8.12").contains("default-features = false"));
        assert_eq!(said("getrandom", "0.2.17"), "");
        assert!(said("rand", "0.8.8").contains("with the feature `small_rng`"));
        assert!(said("rand", "0.4.6").contains("XorShiftRng::from_seed"));
        assert!(said("rand", "0.5.6").contains("SmallRng::from_seed"));
        assert!(said("rand", "0.9.2").ends_with("`SmallRng::seed_from_u64(1)`"));
        let named = |name: &str| BTreeSet::from([name.to_owned()]);
        let users = [&unit("nalgebra", "0.33.3"), &program];
        let nalgebra = |name| remedy("nalgebra-macros", &users, &named(name)).unwrap_or_default();
        assert!(nalgebra("vector").contains("Vector3::new"));
        assert_eq!(nalgebra("stack"), "");
        // It is another crate that calls it.
        let users = [&unit("rand", "0.8.8"), &unit("xorf", "0.10.2"), &program];
        assert_eq!(remedy("libc", &users, &BTreeSet::new()), None);
    }
}
