//! The first text that compiles without what no code names.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::mpsc::Sender;
use std::sync::Arc;

use anyhow::{anyhow, bail, Result};
use proc_macro2::TokenStream;

use super::asking::{said, start, Elsewhere, How, LINTS};
use super::dead::Follow;
use super::effort::{length, Look};
use super::generated::Generated;
use super::hollow::Hollow;
use super::{needs, objects, Care, Incomplete, Shaker, Stays, Told};
use crate::bundle::compiler::{Diagnostic, BODIES, LINES};
use crate::bundle::editions::newer;
use crate::bundle::resolve::limits;
use crate::bundle::rewrite;
use crate::bundle::text::index::{Index, Kind};
use crate::bundle::text::source::{self, Lines};

/// As long as each round leaves only such a part of the errors, there is hope for a text that does not compile. Else the whole text is asked.
const FEWER: usize = 2;

/// Errors that too much may make as well as too little: what fits is not one thing, or nothing tells which it is.
pub const OPEN: [&str; 7] = [
    "E0034", "E0275", "E0282", "E0283", "E0284", "E0659", "E0790",
];

/// To ask which crates are needed takes as long as so much code more, and longer by what is asked about.
const ASKING: u64 = 200_000;

/// As many rounds where it is only to be told that.
const ROUNDS_TO_ASK: usize = 3;

/// What is wanted in the text of the crates that wait.
pub enum Wanted {
    Nothing,
    Surely(BTreeSet<String>),
    /// Many of these may be named only to be passed on.
    Perhaps(BTreeSet<String>),
}

/// The first text that compiles without what no code names.
pub struct First {
    pub here: Arc<Generated>,
    pub elsewhere: Option<Elsewhere>,
}

impl First {
    /// Its code, here and with what this machine leaves out.
    pub fn code(&self) -> impl Iterator<Item = &Generated> {
        let elsewhere = self.elsewhere.iter();
        let code = elsewhere.flat_map(|elsewhere| &elsewhere.code);
        code.chain([&self.here]).map(|code| &**code)
    }
}

/// There is code of a later edition that has to be written otherwise first.
#[derive(Debug, thiserror::Error)]
#[error("it is code of edition 2024")]
pub struct Newer {
    /// The text that tells, as long as the whole one.
    pub tried: String,
    /// It compiles, and may mean something else.
    pub compiles: bool,
}

/// The text does not compile.
#[derive(Debug, thiserror::Error)]
#[error("{said}")]
pub struct Broken {
    pub said: String,
    /// Among these are the attributes and derived traits whose macros made what does not.
    pub by: BTreeSet<String>,
    /// It would compile in an older edition.
    pub is_of_older_edition: bool,
    /// There is no file for a module that a macro makes.
    pub makes_module: bool,
}

/// `&Trait` for `&dyn Trait`, which edition 2021 does not take.
const BARE_TRAIT_OBJECT: &str = "E0782";

/// `a::b` without an `a`.
const UNKNOWN_MODULE: &str = "E0433";

/// `mod x;` that a macro makes where the loader did not see it.
const NO_MODULE_FILE: &str = "E0583";

impl Shaker<'_> {
    /// The crates that wait and that are named in what is left without what no code names: most often the compiler would tell the same of
    /// them, after some rounds. None, if something might be used of one that may not be put into the text at all.
    pub fn waiting(&self) -> Wanted {
        let waiting = self.effort.waiting.borrow();
        let is_there = |name: &str| self.index.text().contains(name);
        if self.effort.checks_all.get()
            || !waiting
                .iter()
                .any(|(name, of)| of.is_clear && is_there(name))
        {
            return Wanted::Nothing;
        }
        let gone = self.unnamed(&self.gone, &BTreeSet::new());
        let modules = waiting.keys().cloned().collect();
        let part = self.index.blanked(&gone);
        let named = &rewrite::mentioned(&part, &modules) - &self.effort.unneeded.borrow();
        let (named, in_the_way): (_, BTreeSet<_>) =
            named.into_iter().partition(|name| waiting[name].is_clear);
        if named.is_empty() || !in_the_way.is_empty() && self.are_used(&gone, &in_the_way) {
            return Wanted::Nothing;
        }
        // Of what is only passed on most is for others; of what is named where it is imported some. To ask takes the longer the more is left.
        let worth = ASKING + length(&part) as u64;
        let size = |of: &BTreeSet<String>| of.iter().map(|name| waiting[name].size).sum::<u64>();
        if size(&named) > worth {
            let passed_on = self.things.named_elsewhere(&self.index, &gone);
            let gone = gone.into_iter().chain(passed_on).collect();
            let sure = rewrite::mentioned(&self.index.blanked(&gone), &named);
            if size(&(&named - &sure)) + size(&sure) / 4 > worth {
                return Wanted::Perhaps(named);
            }
        }
        Wanted::Surely(named)
    }

    /// The code of the text, and which of the crates that wait are named in what there is code of.
    pub fn named_by_code(
        &mut self,
        tell: &Sender<Told>,
    ) -> Result<(Option<First>, BTreeSet<String>)> {
        let first = self.first_round(tell)?;
        let mut named = BTreeSet::new();
        if let Some(first) = &first {
            let before = (self.gone.clone(), self.lints.clone());
            let mut stays = Stays::default();
            self.without_idle(first, Care::Little, ROUNDS_TO_ASK, &mut stays)?;
            let kept = &stays.kept;
            let gone = self.gone.union(&self.pointed_at(kept)).copied().collect();
            let gone = self.unnamed(&self.names.with_followers(&self.index, gone, kept), kept);
            let gone = self.with_unused_imports(gone, kept);
            (self.gone, self.lints) = before;
            let waiting = self.effort.waiting.borrow();
            let clear = waiting.iter().filter(|(_, of)| of.is_clear);
            let clear = clear.map(|(name, _)| name.clone()).collect();
            named = rewrite::mentioned(&self.index.blanked(&gone), &clear);
        }
        Ok((first, named))
    }

    /// Sees that no function that there is code of names a crate that may not be put into the text: it stays, whatever goes.
    pub fn refuse_barred(&self, first: &First) -> Result<()> {
        let waiting = self.effort.waiting.borrow();
        let barred = waiting.iter().filter(|(_, of)| of.is_barred);
        let barred: BTreeSet<String> = barred.map(|(name, _)| name.clone()).collect();
        let text = self.text();
        if rewrite::mentioned(&text, &barred).is_empty() {
            return Ok(());
        }
        let nodes = &self.index.nodes;
        let live = |n: &usize| nodes[*n].is_function() && !self.index.is_in(*n, &self.gone);
        let places = Lines::new(&text);
        let mut on_lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for n in (0..nodes.len()).filter(live) {
            let start = nodes[n].signature.unwrap_or(nodes[n].range.start);
            on_lines.entry(places.at(start)).or_default().push(n);
        }
        let (used, others): (Vec<_>, Vec<_>) = on_lines.into_iter().partition(|(line, found)| {
            // Of several that begin on one line there may be code of any.
            found.len() == 1 && first.here.lines.contains(line)
        });
        // What is in a function may go without it.
        let others = others.into_iter().flat_map(|(_, found)| found);
        let gone = self.gone.iter().copied().chain(others).collect();
        let left = self.index.blanked(&gone);
        let used = used.into_iter().flat_map(|(_, found)| found);
        let named = used.flat_map(|n| rewrite::mentioned(&left[nodes[n].range.clone()], &barred));
        let named: BTreeSet<String> = named.collect();
        if named.is_empty() {
            return Ok(());
        }
        let part = self.index.blanked(&self.unnamed(&gone, &BTreeSet::new()));
        let barred_by = Some(part);
        Err(Incomplete { named, barred_by }.into())
    }

    /// Whether anything but imports names some crates, or seems to call a macro that one of these brings.
    fn are_used(&self, gone: &BTreeSet<usize>, crates: &BTreeSet<String>) -> bool {
        let index = &self.index;
        let mut gone = gone.clone();
        let is_of_them = |n: &usize| {
            let place = &index.nodes[*n].range;
            let start = index.import_start(place.start).unwrap_or(place.start);
            let mut path = source::words(index.text_at(&(start..place.start)));
            path.any(|name| crates.contains(name))
        };
        let imports = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Import);
        let imports = imports.filter(|n| !index.is_in(*n, &gone) && is_of_them(n));
        let imports: Vec<usize> = imports.collect();
        gone.extend(&imports);
        if !rewrite::mentioned(&index.blanked(&gone), crates).is_empty() {
            return true;
        }
        // What others call so is their own.
        let importing: BTreeSet<usize> =
            imports.iter().filter_map(|&n| index.outermost(n)).collect();
        let others = (0..index.nodes.len()).filter(|&n| {
            let node = &index.nodes[n];
            let is_crate = node.kind == Kind::Module && node.parent.is_none();
            is_crate && index.is_silent(n) && !importing.contains(&n)
        });
        gone.extend(others);
        let text = index.blanked(&gone);
        let mut names = imports.iter().map(|&n| index.nodes[n].name.as_str());
        let is_called = |name: &str| {
            let mut places = text.match_indices(name).map(|(at, _)| at);
            places.any(|at| {
                let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
                let is_any = name.starts_with(|c: char| c.is_uppercase() || c == '*');
                is_any || after.starts_with('!') || before.trim_end().ends_with('[')
            })
        };
        names.any(is_called)
    }

    /// Takes out what no code names, and reads the code that the compiler makes of the rest. Nothing where it cannot be read.
    pub fn first_round(&mut self, tell: &Sender<Told>) -> Result<Option<First>> {
        let mut kept = BTreeSet::new();
        // How many errors there were, until the whole text has been asked.
        let mut before = Some(usize::MAX);
        loop {
            let gone = self.unnamed(&self.gone, &kept);
            // Most often it compiles, and one run tells all.
            let said = match self.start_with(gone.clone(), tell)? {
                Ok(_) if self.has_boxed_slices() => return Err(self.newer(&self.gone, true)),
                Ok(code) => return Ok(Some(code)),
                Err(said) => Some(said),
            };
            // It ends with how many there are, which is one without a place.
            let is_error = |said: &&Diagnostic| said.is_error() && said.places().next().is_some();
            let errors = || said.iter().flatten().filter(is_error);
            if let Some(error) = errors().find(|error| self.is_of_procedural(error, &gone)) {
                return Err(self.broken(error).into());
            }
            // With more of the text there would be no fewer calls of macros.
            if let Some(error) =
                errors().find(|error| limits::are_reached_by_macros(&error.message))
            {
                return Err(self.broken(error).into());
            }
            if let (Some(error), false) = (
                errors().find(|error| error.code == BARE_TRAIT_OBJECT),
                self.effort.is_migrated.get(),
            ) {
                return Err(self.broken(error).into());
            }
            // What would make these good most often is not what is gone.
            let is_of_program = |error: &Diagnostic| crate_of(&self.index, error).is_none();
            if self.effort.newer.get() == Look::AtOnce
                && errors().any(|error| newer::is_reason(&error.rendered) || is_of_program(error))
            {
                return Err(self.newer(&gone, false));
            }
            match self.settle(gone.clone(), &gone, &kept, Follow::Imports, said)? {
                None if self.has_boxed_slices() => return Err(self.newer(&self.gone, true)),
                None => return Ok(self.start_with(self.gone.clone(), tell)?.ok()),
                Some(trouble) => {
                    // What is put back most often helps soon.
                    let now = trouble.errors.len();
                    before = match before {
                        Some(before) if now <= before / FEWER => Some(now),
                        Some(_) => {
                            if let Some(error) = self.lasting(&trouble.errors)? {
                                return Err(self.broken(error).into());
                            }
                            None
                        }
                        None => None,
                    };
                    let wanted = self.keep(&trouble, &mut kept);
                    kept.extend(wanted.iter().flatten());
                    self.hidden.clone_from(&kept);
                    if wanted.is_none() || self.effort.is_too_much() {
                        let Some(error) = trouble.errors.first() else {
                            bail!("inlined, the program does not compile, and is too large to find out why: try it with fewer crates at a time");
                        };
                        return Err(self.broken(error).into());
                    }
                }
            }
        }
    }

    /// An error that stays if all is put back.
    fn lasting<'e>(&self, errors: &'e [Diagnostic]) -> Result<Option<&'e Diagnostic>> {
        let text = self.text();
        self.effort.add(&text);
        let flags = [LINTS[0], "--cap-lints=allow"];
        let found = self.compiler.check(&text, self.edition, &flags)?;
        let found: BTreeSet<_> = found.iter().map(said).collect();
        let mut errors = errors.iter().filter(|error| {
            let is_open = OPEN.contains(&error.code.as_str());
            error.is_error() && !is_open && start(error).is_some()
        });
        Ok(errors.find(|error| found.contains(&said(error))))
    }

    /// Whether a macro that runs inside the compiler made a name that nothing has of what is gone: it is written for a crate, and there is
    /// none. To look for such a name may take the compiler as long as all the rest.
    fn is_of_procedural(&self, error: &Diagnostic, gone: &BTreeSet<usize>) -> bool {
        let procedural = self.effort.procedural.borrow();
        let mut by = error.made_by.iter();
        if error.code != UNKNOWN_MODULE || !by.any(|name| procedural.contains(name)) {
            return false;
        }
        let missing = needs::words_of(error);
        !gone
            .iter()
            .any(|n| missing.contains(&self.index.nodes[*n].name))
    }

    fn newer(&self, gone: &BTreeSet<usize>, compiles: bool) -> anyhow::Error {
        let tried = self.index.blanked(gone);
        Newer { tried, compiles }.into()
    }

    /// Whether boxed slices may be taken that nobody has looked at yet.
    fn has_boxed_slices(&self) -> bool {
        let mut lints = self.lints.iter();
        self.effort.newer.get() != Look::Never
            && lints.any(|lint| lint.code == "boxed_slice_into_iter")
    }

    /// Why the text does not compile.
    fn broken(&self, error: &Diagnostic) -> Broken {
        let shown = error.shown();
        let edition = self.edition;
        let crate_of = crate_of(&self.index, error).map(|name| format!("the crate {name}"));
        let of = crate_of.as_deref().unwrap_or("it");
        let is_unread = error.message.starts_with("couldn't read");
        let is_module = error.code == NO_MODULE_FILE || is_unread && !shown.contains("include");
        let said = if shown.contains("only allowed in Rust") {
            format!(
                "{of} needs a newer edition than {edition}, which judges compile with:\n{shown}"
            )
        } else if is_module {
            format!("{of} has a module that a macro makes and whose file cannot be told without that macro:\n{shown}")
        } else if is_unread {
            format!("{of} includes a file by a name that a macro gets: write the name where it is included:\n{shown}")
        } else if error.message.starts_with("environment variable") {
            format!("{of} asks for a variable of cargo by a name that is made up, or differs by who calls a macro: write out in `env!` what it asks for:\n{shown}")
        } else if is_expr_of_2024(error) {
            format!("edition 2024 takes `const {{ … }}` and `_` for an `:expr`, and edition 2021, which judges use as well, does not: write `(const {{ … }})`, or a rule for `_`:\n{shown}")
        } else {
            let places = error.places();
            let of_others = |at| {
                self.index
                    .innermost(at)
                    .is_some_and(|n| self.is_silenced(n))
            };
            let of = crate_of
                .as_deref()
                .filter(|_| places.take(1).any(of_others));
            let of = of.unwrap_or("the program");
            format!("inlined, {of} does not compile:\n{shown}")
        };
        // What a macro makes may have the places of what it is made of.
        let innermost = error
            .places()
            .next()
            .and_then(|at| self.index.innermost(at));
        let attributes = innermost.map_or("", |n| {
            let node = &self.index.nodes[n];
            self.index.text_at(&(node.range.start..node.head.start))
        });
        let by = source::words(attributes).map(str::to_owned);
        Broken {
            said,
            by: error.made_by.iter().cloned().chain(by).collect(),
            is_of_older_edition: error.code == BARE_TRAIT_OBJECT,
            makes_module: is_module,
        }
    }

    /// Starts without some nodes if the text compiles so, or tells what the compiler says.
    fn start_with(
        &mut self,
        gone: BTreeSet<usize>,
        tell: &Sender<Told>,
    ) -> Result<Result<First, Vec<Diagnostic>>> {
        let text = self.index.blanked(&gone);
        let is_told = Cell::new(false);
        let is_tried = || {
            if !is_told.replace(true) {
                // Should nobody listen any more, that shows in the end.
                drop(tell.send(Told::Tried(text.clone())));
            }
        };
        let how = How::Generate(&[BODIES, LINES]);
        let mut before = self.left_out.turn_system_on();
        let (mut lints, mut code) = self.ask_first(&text, how, &is_tried)?;
        // Where there are no lines it is not understood.
        let here = loop {
            let Some(here) = code.here.take().filter(|here| !here.lines.is_empty()) else {
                if let Some(before) = before {
                    self.left_out = before;
                }
                return Ok(Err(lints));
            };
            let errors = code.elsewhere.as_ref().map(|there| &there.errors[..]);
            if let Some(errors @ [_, ..]) = errors {
                // One thing at a time is asked from here on.
                is_tried();
                let found = self.without_unbuilt(&text, errors, how)?;
                code.elsewhere = found.or(code.elsewhere);
            }
            let there = code.elsewhere.as_ref();
            match before.take() {
                Some(before) if there.map_or(true, |there| there.code.is_none()) => {
                    self.left_out = before.on_this_system();
                    (lints, code) = self.ask_elsewhere(&text, how, lints, Some(here))?;
                }
                _ => break here,
            }
        };
        let elsewhere = code.elsewhere.as_ref();
        let there = elsewhere.and_then(|elsewhere| elsewhere.code.as_ref());
        let lines = Lines::new(&text);
        let mut of_objects = BTreeSet::new();
        let there_too = there.filter(|there| !Arc::ptr_eq(there, &here));
        for code in there_too.into_iter().chain([&here]) {
            let is_left = |n| !self.index.is_in(n, &gone);
            self.calls.add(&self.index, &lines, &code.bodies, is_left);
            of_objects.extend(code.of_objects.iter().cloned());
        }
        self.in_tables = objects::functions(&self.index, of_objects);
        self.left_out.is_compiled = there.is_some();
        if elsewhere.is_some() && there.is_none() {
            self.calls.add_narrower();
        }
        let errors = elsewhere
            .into_iter()
            .flat_map(|elsewhere| &elsewhere.errors);
        self.known = Some(errors.map(said).collect());
        self.gone = gone;
        self.lints = lints;
        Ok(Ok(First {
            here,
            elsewhere: code.elsewhere,
        }))
    }

    /// What the compiler makes of a text with what this machine leaves out, where nothing is wrong with it but bodies of functions, and
    /// without these: `usize` is as wide as it is here all the same.
    fn without_unbuilt(
        &mut self,
        text: &str,
        errors: &[Diagnostic],
        how: How,
    ) -> Result<Option<Elsewhere>> {
        let places = errors.iter().filter_map(|error| error.places().next());
        let places: Vec<&Range<usize>> = places.collect();
        if places.is_empty() {
            return Ok(None);
        }
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
        let hollow = Hollow::new(text, tokens)?;
        let body_around = |place| {
            let body = hollow.body_around(place)?;
            Some((self.index.innermost(&body)?, body))
        };
        let bodies = places.into_iter().map(body_around);
        let Some(bodies) = bodies.collect::<Option<BTreeMap<_, _>>>() else {
            return Ok(None);
        };
        let before = self.left_out.clone();
        self.left_out.without_bodies(text, bodies);
        if let Some(turned_on) = self.turned_on(text) {
            let there = Elsewhere::new(self.compiler, self.edition, &turned_on, how)?;
            if there.code.is_some() {
                return Ok(Some(there));
            }
        }
        self.left_out = before;
        Ok(None)
    }
}

/// Whether no rule takes what edition 2024 takes for an expression.
fn is_expr_of_2024(error: &Diagnostic) -> bool {
    let missed = error.message.strip_prefix("no rules expected ");
    let missed = missed.and_then(|rest| rest.split('`').nth(1));
    missed.is_some_and(|word| ["const", "_"].contains(&word)) && error.rendered.contains(":expr`")
}

/// The module of the file, and so the crate, that an error is in.
pub fn module_of(text: &str, error: &Diagnostic) -> Result<Option<String>> {
    Ok(crate_of(&Index::new(text)?, error).map(str::to_owned))
}

/// The module at the top of the file that an error is in.
pub fn crate_of<'i>(index: &'i Index, error: &Diagnostic) -> Option<&'i str> {
    let innermost = error.places().next().and_then(|at| index.innermost(at));
    let parents = std::iter::successors(innermost, |&n| index.nodes[n].parent);
    let outermost = parents.last().map(|n| &index.nodes[n]);
    outermost
        .filter(|node| node.kind == Kind::Module)
        .map(|node| node.name.as_str())
}
