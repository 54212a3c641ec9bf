//! One file from a program and all the crates it uses, with only what `main` reaches.
//!
//! ```text
//! resolve   what cargo really builds: packages, features, cfgs of build scripts
//! load      each crate as one text: files put together, cfg settled, item macros expanded, chains of conditions taken apart
//! rewrite   each crate as a module: its paths, `$crate`, exported macros, other crates; what it calls without `std` stays what it is;
//!           item macros that are called by a path expanded
//! shake     what no code names, what no code is made for and what the compiler calls dead goes, and the code stays the same
//! emit      header, rustfmt or the smallest form
//! verify    the file compiles alone, without warnings, and answers like the program
//! ```
//!
//! Each stage is the file of its name. The others help:
//!
//! ```text
//! build                                 cargo's build, which goes on beside the next three stages
//! compiler                              runs rustc and reads what it says
//! source, words, index, things          a text, its words, its items, and what of it can go
//! cfg, licence, limits                  resolve: what cargo and the crates' manifests say
//! expand, pasted, templates, versions   load: macros
//! callers, attributed                   load: whose cfgs hold in macros, and for what
//! blocks, chains, matched, tails        load: what is written another way
//! no_std, foreign                       rewrite: what needs the names of all crates
//! unnamed, made, imports, follow        shake: what goes
//! needs, calls, header, objects         shake: what an error wants back
//! named                                 shake: what need not be shaken to be refused
//! generated, hollow, left_out           shake: whether the code stays the same, also where this machine does not see it
//! derived                               shake: what procedural macros make for nobody
//! older                                 editions before 2021
//! newer, borrowed,
//!   temporaries, editions               edition 2024
//! asides, indents, spaces               emit: what rustfmt leaves
//! notes, since, constants, typed        emit: what the user should know
//! ```
//!
//! The stages know nothing of where programs or their tests lie; a [`Request`] brings all that.
//!
//! A crate that cannot be inlined (a procedural macro, native code, a licence that forbids it) is no reason to give up at once: most of what a
//! crate *could* use is never reached. It stays a compiled library while the rest is shaken. Only if something live still names it
//! then, the bundle is refused.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{bail, Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

mod asides;
mod attributed;
mod blocks;
mod borrowed;
mod build;
mod callers;
mod calls;
mod cfg;
mod chains;
mod compiler;
mod constants;
mod derived;
mod editions;
mod emit;
mod expand;
mod follow;
mod foreign;
mod generated;
mod header;
mod hollow;
mod imports;
mod indents;
mod index;
mod left_out;
mod licence;
mod limits;
mod load;
mod made;
mod matched;
mod named;
mod needs;
mod newer;
mod no_std;
mod notes;
mod objects;
mod older;
mod pasted;
mod resolve;
mod rewrite;
mod shake;
mod since;
mod source;
mod spaces;
mod tails;
mod templates;
mod temporaries;
mod things;
mod typed;
mod unnamed;
mod verify;
mod versions;
mod words;

pub use emit::{has_tokens_of, Header};
pub use resolve::Program;
pub use verify::Sample;

use crate::in_order::in_order;
use build::Build;
use compiler::{Compiler, Diagnostic, GivenUp};
use derived::Derives;
use emit::Layout;
use no_std::{ToProve, Without};
use notes::Sources;
use resolve::{Project, Resolved, Unit};
use rewrite::{Before, Namesakes};
use shake::{Broken, Effort, Incomplete, Look, Other};
use temporaries::Whose;
use verify::Level;

/// What to bundle, and how.
pub struct Request<'a> {
    pub program: Program<'a>,
    /// Crates that the judge has.
    pub external: &'a [String],
    /// A folder for files that nobody needs afterwards.
    pub scratch: &'a Path,
    pub minify: bool,
    pub header: Header,
    pub samples: &'a [Sample],
    /// Is told what is being done, once cargo has built the program and writes nothing more.
    pub progress: &'a (dyn Fn(Stage) + Sync),
}

/// What is done with a program.
#[derive(Clone, Copy)]
pub enum Stage {
    Reading,
    TakingOut,
    Trying,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Reading => "reading the crates",
            Self::TakingOut => "taking out what is not reached",
            Self::Trying => "trying the file",
        })
    }
}

/// A verified bundle.
pub struct Bundle {
    pub text: String,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Bytes of source before anything was dropped.
    pub inlined: usize,
    /// The text was laid out by rustfmt.
    pub formatted: bool,
}

/// A crate that the program needs cannot be inlined.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

/// Whether an error stays what it is, whatever else is tried.
fn is_last_word(error: &anyhow::Error) -> bool {
    error.is::<Refusal>() || error.is::<GivenUp>()
}

/// Bytes of source that a well-known judge takes at most.
const SMALLEST_LIMIT: usize = 64 << 10;

/// Crates larger than this stay compiled until something live names them, but for those that the program itself names.
const LARGE: u64 = 1 << 20;

/// Makes the bundle, or says why there can be none.
pub fn bundle(request: &Request) -> Result<Bundle> {
    let scratch =
        tempfile::tempdir_in(request.scratch).context("cannot make a temporary folder")?;
    let metadata = resolve::metadata(&request.program)?;
    let project = Project::new(&request.program, &metadata)?;
    let build = Arc::new(Build::default());
    let progress = Mutex::new(Progress {
        tell: request.progress,
        is_shown: false,
        stage: Stage::Reading,
    });
    thread::scope(|scope| {
        // It is asked for soon.
        scope.spawn(resolve::host_cfg);
        let original = Awaited::new(scope.spawn(|| {
            let done = Original::new(request, &project, &build, &progress, scratch.path());
            if done.is_err() {
                build.give_up();
            }
            done
        }));
        let bundle = |resolved| {
            let asked = Asked {
                request,
                resolved,
                external: BTreeSet::new(),
                scratch: scratch.path(),
                original: &original,
                begins: &|stage| lock(&progress).begins(stage),
            };
            asked.bundle()
        };
        // Most of the work needs nothing that cargo builds.
        let foreseen = build.foreseen(&project).map(|plan| {
            let resolved = project.resolved(&plan, &build)?;
            anyhow::Ok((resolved.parts.clone(), bundle(resolved)))
        });
        // What is wrong with the program itself comes before what that leads to.
        original.get()?;
        let resolved = project.resolved(&build.plan(), &build)?;
        match foreseen.transpose()? {
            Some((parts, bundle)) if build.is_clear() && parts == resolved.parts => bundle,
            _ => bundle(resolved),
        }
    })
}

fn lock<'g, T>(mutex: &'g Mutex<T>) -> MutexGuard<'g, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program as cargo builds it.
struct Original {
    answers: Vec<verify::Answer>,
    /// How much the optimiser has to do for the file to do the same.
    level: Level,
    /// Settings of the profile by which the user's own crates check more than they do at a judge.
    checks: Vec<&'static str>,
}

impl Original {
    fn new(
        request: &Request,
        project: &Project,
        build: &Build,
        progress: &Mutex<Progress>,
        scratch: &Path,
    ) -> Result<Self> {
        build.run(project)?;
        lock(progress).show();
        let executable = build.executable(project)?;
        let (answers, level) = verify::answers(&executable, request.samples, scratch)?;
        Ok(Self {
            answers,
            level,
            checks: build.checks(project),
        })
    }
}

/// What another thread finds out.
struct Awaited<'s, T> {
    thread: Cell<Option<ScopedJoinHandle<'s, Result<T>>>>,
    found: OnceCell<Result<T, String>>,
}

impl<'s, T> Awaited<'s, T> {
    fn new(thread: ScopedJoinHandle<'s, Result<T>>) -> Self {
        Self {
            thread: Cell::new(Some(thread)),
            found: OnceCell::new(),
        }
    }

    /// What it found out, once it has ended.
    fn get(&self) -> Result<&T> {
        let found = self.found.get_or_init(|| {
            let thread = self.thread.take().expect("it is joined once");
            let found = thread.join().expect("it does not panic");
            found.map_err(|error| format!("{error:#}"))
        });
        found.as_ref().map_err(|error| anyhow::anyhow!("{error}"))
    }
}

/// What is done now: nobody is told before cargo writes nothing more.
struct Progress<'r> {
    tell: &'r (dyn Fn(Stage) + Sync),
    is_shown: bool,
    stage: Stage,
}

impl Progress<'_> {
    fn begins(&mut self, stage: Stage) {
        self.stage = stage;
        if self.is_shown {
            (self.tell)(stage);
        }
    }

    fn show(&mut self) {
        self.is_shown = true;
        (self.tell)(self.stage);
    }
}

/// What is to be bundled, and what is known about it.
struct Asked<'a, 's> {
    request: &'a Request<'a>,
    resolved: Resolved,
    external: BTreeSet<usize>,
    scratch: &'a Path,
    original: &'a Awaited<'s, Original>,
    begins: &'a dyn Fn(Stage),
}

impl Asked<'_, '_> {
    fn compiler(&self, externs: Vec<OsString>) -> Compiler {
        self.resolved.compiler(externs, self.scratch)
    }

    /// What becomes of the program, if it is built from this.
    fn bundle(mut self) -> Result<Bundle> {
        self.external = external(&mut self.resolved, self.request.external)?;
        let compiler = self.compiler(Vec::new());
        older::migrate(&compiler, &mut self.resolved, older::is_asked_about)?;
        keep_apart(&mut self.resolved.units, &self.external);
        let effort = Effort::default();
        match self.made(&effort) {
            // A check was left out that nearly always passes.
            Err(error) if effort.is_unchecked.get() && !is_last_word(&error) => {
                self.made(&Effort::of_all_checks())
            }
            done => done,
        }
    }

    fn made(&mut self, effort: &Effort) -> Result<Bundle> {
        (self.begins)(Stage::TakingOut);
        let folder = self.scratch;
        let compiler = self.compiler(Vec::new());
        // Expanding item macros finds more that is dead. Should a macro be too clever for it, the compiler expands.
        let mut asks_others = true;
        let done = loop {
            let done = shaken(&self.resolved, &self.external, folder, effort, true);
            let text = done.as_ref().map_or("", |(text, ..)| text);
            let by_processor = seen_by_processor(&self.resolved.units, text);
            if !by_processor.is_empty() {
                drop(done);
                for at in by_processor {
                    self.resolved.units[at].cfg.by_processor = true;
                }
                continue;
            }
            let error = match done {
                Err(error) if !is_last_word(&error) => error,
                done => break done,
            };
            let is_low = self.resolved.limits.is_empty() && limits::are_reached(&error.to_string());
            if is_low {
                self.resolved.limits = highest_limits(&self.resolved.units, &self.external);
            }
            let mut again = is_low && !self.resolved.limits.is_empty();
            if !again && std::mem::take(&mut asks_others) {
                effort.is_migrated.set(true);
                let broken: Option<&Broken> = error.downcast_ref();
                again = older::migrate(&compiler, &mut self.resolved, |unit| !unit.own)?
                    || broken.is_some_and(|broken| broken.is_of_older_edition);
            }
            if !again {
                break Err(error);
            }
        };
        let (text, inlined_bytes, parts) = match done {
            Err(error) if !is_last_word(&error) => {
                let again = shaken(&self.resolved, &self.external, folder, effort, false);
                again.map_err(|again| {
                    let error = if again.is::<Refusal>() { again } else { error };
                    with_parts_of_external(error, &self.resolved.units, &self.external)
                })?
            }
            done => done?,
        };

        (self.begins)(Stage::Trying);
        let compiler = self.compiler(parts.external_only());
        let is_newer = |name: &str| parts.unit(name).is_newer();
        let is_own = |name: &str| parts.unit(name).own;
        let whose = Whose {
            is_newer: &is_newer,
            is_own: &is_own,
        };
        let (written, mut notes) = temporaries::settled(&compiler, &text, whose)?;
        let text = written.unwrap_or(text);
        parts.refuse_open_questions(&text)?;
        notes.extend(parts.notes(&compiler, &text)?);
        if effort.is_left_whole.get() {
            notes.push("much that it does not need is in the file: it could not be taken out so that the rest stays the same code".to_owned());
        }
        let original = self.original.get()?;
        let checks = original.checks.iter();
        notes.extend(checks.map(|setting| {
            format!("the workspace's release profile has `{setting}`, and judges compile without: what the program stops at, the file may not")
        }));
        let finish =
            |text: &str, layout| finish(self.request, &self.resolved, &parts, folder, text, layout);
        let (finished, executables) = built(&compiler, text, original.level, &finish)?;
        let verify = |executables: &[PathBuf]| {
            verify::verify(executables, self.request.samples, &original.answers, folder)
        };
        let mut same = verify(&executables);
        // It may only be slow, or take too much of the stack.
        if same.is_err() && original.level == Level::None {
            if let Ok(executables) = verify::build(&compiler, &finished.text, false, Level::Some)? {
                same = verify(&executables);
            }
        }
        same.map_err(|error| match &notes[..] {
            [] => error,
            // What may be the reason.
            notes => anyhow::anyhow!("{error:#}\n{}", notes.join("\n")),
        })?;
        let bodies = || match verify::bodies(folder) {
            None => compiler.bodies(&finished.bare, "2021").ok().flatten(),
            bodies => bodies,
        };
        let newest = since::newest(&finished.bare, &syn::parse_file(&finished.bare)?, &bodies);
        let newest =
            newest.map(|(minor, what)| format!("it needs Rust 1.{minor} or newer, for `{what}`"));
        notes.splice(0..0, newest.into_iter().chain(finished.notes));
        Ok(Bundle {
            text: finished.text,
            notes,
            inlined: inlined_bytes,
            formatted: finished.formatted,
        })
    }
}

/// The file, and the executables of it, with what the compiler would warn of allowed.
fn built(
    compiler: &Compiler,
    mut text: String,
    level: Level,
    finish: &dyn Fn(&str, Layout) -> Result<Finished>,
) -> Result<(Finished, Vec<PathBuf>)> {
    // Most often there is nothing to say about it. Where there is, to build it again tells as soon as to check it whether that was all.
    let (mut is_silent, mut layout) = (true, Layout::Sorted);
    for _ in 0..10 {
        let finished = finish(&text, layout)?;
        let said = match verify::build(compiler, &finished.text, is_silent, level)? {
            Ok(executables) => return Ok((finished, executables)),
            Err(said) => said,
        };
        match verify::more_silent(compiler, &text)? {
            Some(more) => text = more,
            // What it is told of it may be as it is.
            None if is_silent => is_silent = false,
            // Of imports that bring the same, which is unused depends on their order.
            None if layout == Layout::Sorted => layout = Layout::Unsorted,
            // It splits names as `$r#else`.
            None if finished.formatted && layout != Layout::Plain => layout = Layout::Plain,
            None => bail!("the finished file does not compile {said}"),
        }
    }
    bail!("the finished file is warned of whatever is allowed in it");
}

/// The crates of which a text has what depends on the processor, and that were read as if nothing did.
fn seen_by_processor(units: &[Unit], text: &str) -> Vec<usize> {
    let is_seen = |unit: &Unit| {
        let mut seen = cfg::SEEN_BY_PROCESSOR.iter();
        !unit.cfg.by_processor
            && seen.any(|(package, what)| unit.package == *package && text.contains(what))
    };
    (0..units.len()).filter(|&at| is_seen(&units[at])).collect()
}

/// The highest limits of the compiler that any crate sets that may be in the file.
fn highest_limits(units: &[Unit], external: &BTreeSet<usize>) -> limits::Limits {
    let inlined = units.iter().enumerate();
    let inlined = inlined.filter(|(at, unit)| !external.contains(at) && unit.obstacle.is_none());
    limits::highest(inlined.map(|(_, unit)| unit))
}

/// The crates that somebody means who says that the judge has those called `names`: as packages, as libraries, or as the program calls them.
fn external(resolved: &mut Resolved, names: &[String]) -> Result<BTreeSet<usize>> {
    let (units, unnamed) = (&mut resolved.units, &resolved.unnamed);
    let mut found = BTreeSet::new();
    for given in names {
        let name = given.replace('-', "_");
        let is_called =
            |unit: &Unit| unit.library_name == name || unit.package.replace('-', "_") == name;
        let mut meant: Vec<usize> = (1..units.len())
            .filter(|&at| is_called(&units[at]))
            .collect();
        if meant.is_empty() {
            let own = units.iter().filter(|unit| unit.own);
            meant.extend(own.filter_map(|unit| unit.dependencies.get(&name)));
        }
        // Of two versions the judge has the one that the program names.
        if meant.len() > 1 {
            let direct: BTreeSet<usize> = units[0].dependencies.values().copied().collect();
            let versions = meant.iter().map(|&at| units[at].version.clone());
            let versions = versions.collect::<Vec<_>>().join(" and ");
            meant.retain(|at| direct.contains(at));
            if meant.len() != 1 {
                bail!("--external {given}: the program uses it in the versions {versions}, and a judge has one at most");
            }
        }
        let Some(&at) = meant.first() else {
            // It is in the manifest alone.
            if unnamed.contains(&name) {
                continue;
            }
            let known: Vec<&str> = units
                .iter()
                .skip(1)
                .map(|unit| unit.package.as_str())
                .collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            };
            bail!("--external {given}: the program uses no such crate; it uses {known}");
        };
        // It is called at the judge what it is called everywhere.
        if units[at].module != units[at].library_name {
            let name = units[at].library_name.clone();
            if let Some(other) = (1..units.len()).find(|&other| units[other].module == name) {
                units[other].module = std::mem::take(&mut units[at].module);
            }
            units[at].module = name;
        }
        found.insert(at);
    }
    Ok(found)
}

/// Why there is no bundle, and which crates are in the file and at the judge: those are two crates with other types.
fn with_parts_of_external(
    error: anyhow::Error,
    units: &[Unit],
    external: &BTreeSet<usize>,
) -> anyhow::Error {
    let within = |start: &[usize], stops: &BTreeSet<usize>| {
        let mut found: BTreeSet<usize> = start.iter().copied().collect();
        let mut stack = start.to_vec();
        while let Some(at) = stack.pop() {
            let next = units[at].dependencies.values().copied();
            stack.extend(next.filter(|at| !stops.contains(at) && found.insert(*at)));
        }
        found
    };
    let at_judge = within(
        &external.iter().copied().collect::<Vec<_>>(),
        &BTreeSet::new(),
    );
    let in_file = within(&[0], external);
    let both: Vec<&str> = in_file
        .intersection(&at_judge)
        .map(|&at| units[at].package.as_str())
        .collect();
    if both.is_empty() {
        return error;
    }
    let names = both.join(", ");
    let options: Vec<String> = both
        .iter()
        .map(|name| format!("--external {name}"))
        .collect();
    error.context(format!(
        "{names}: used by the program and by what is left to the judge, which would be two crates with different types; \
         if the judge has that too, add {}",
        options.join(" ")
    ))
}

/// Gives the modules of crates other names where the program has something of the name.
fn keep_apart(units: &mut [Unit], external: &BTreeSet<usize>) {
    // If this fails it fails again, where there is more to say about it.
    let Ok(text) = load::load(units, 0, true) else {
        return;
    };
    for at in 1..units.len() {
        units[at].is_like_module = is_like_module(units, at);
    }
    let Ok(mut taken) = rewrite::taken(&text, &namesakes(units, 0, &text)) else {
        return;
    };
    // Where they have other names in the program, it imports them by these.
    let dependencies = units[0].dependencies.iter();
    let renamed = dependencies.filter(|(name, &at)| **name != units[at].module);
    taken.extend(renamed.map(|(name, _)| name.clone()));
    // What an import of all names brings the module of another crate would hide.
    for path in rewrite::imported_whole(&text) {
        let Some(&from) = units[0].dependencies.get(&path[0]) else {
            continue;
        };
        let texts: Vec<String> = units[from].texts().collect();
        let brings = |module: &&str| {
            let declared = format!("pub mod {module}");
            texts.iter().any(|text| text.contains(&declared))
        };
        let others = (1..units.len()).filter(|&at| at != from);
        let modules = others.map(|at| units[at].module.as_str());
        taken.extend(modules.filter(brings).map(str::to_owned));
    }
    for at in 1..units.len() {
        let unit = &units[at];
        // What the judge has cannot be called otherwise.
        if !taken.contains(&unit.module) || external.contains(&at) {
            continue;
        }
        let mut module = format!("{}_", unit.module);
        while taken.contains(&module) || units.iter().any(|unit| unit.module == module) {
            module.push('_');
        }
        units[at].module = module;
    }
}

/// The words before the names of modules and types.
const DECLARING: [&str; 6] = ["mod", "struct", "enum", "union", "trait", "type"];

/// Whether a crate has a module or a type that is called like the crate: rarely.
fn is_like_module(units: &[Unit], at: usize) -> bool {
    let unit = &units[at];
    let name = &unit.library_name;
    let may_be = DECLARING.map(|word| format!("pub {word} {name}"));
    let is_there = |text: String| may_be.iter().any(|declared| text.contains(declared));
    unit.texts().any(is_there)
        && load::load(units, at, false).is_ok_and(|text| has_type(&text, name, unit.edition))
}

/// Whether the root of a crate has a module or a type that is called so.
fn has_type(text: &str, name: &str, edition: u16) -> bool {
    !rewrite::types(text, &[], [name], edition).is_empty()
}

/// Whether a module or a type of a text is called so.
fn declares(text: &str, name: &str) -> bool {
    is_behind(text, &DECLARING, name)
}

/// Whether one of some words comes right before a name.
fn is_behind(text: &str, before: &[&str], name: &str) -> bool {
    let words = source::words(text);
    let mut pairs = words.clone().zip(words.skip(1));
    pairs.any(|(word, next)| next == name && before.contains(&word))
}

/// What the crates that a crate names have that is called like a crate.
fn namesakes(units: &[Unit], at: usize, text: &str) -> Namesakes {
    let unit = &units[at];
    let crates = &unit.dependencies;
    let like = crates
        .iter()
        .filter(|(name, &of)| units[of].is_like_module && **name == units[of].library_name);
    let mut values = match unit.own {
        true => rewrite::imported_from(text),
        false => BTreeSet::new(),
    };
    values.retain(|(from, name)| {
        let is_value = |&of| from != name && is_value(units, of, name);
        crates.contains_key(name) && crates.get(from).is_some_and(is_value)
    });
    let globs = rewrite::imported_whole(text);
    let brought = globs.into_iter().filter_map(|path| {
        let from = *crates.get(&path[0])?;
        let others = crates.keys().filter(|name| **name != path[0]);
        let found = brought(units, from, &path[1..], others.map(String::as_str));
        (!found.is_empty()).then_some((path, found))
    });
    let own = crates.values().map(|&of| &units[of]);
    let own = own.filter(|of| of.own).flat_map(Unit::texts);
    let own = own.chain([text.to_owned()]).filter(|_| unit.own);
    let (mut making, mut leading) = (BTreeSet::new(), BTreeSet::new());
    let mut macros = Vec::new();
    for text in own.filter(|text| text.contains("macro_rules")) {
        let tokens = text.parse().unwrap_or_default();
        source::macro_definitions(tokens, &mut |name, body| {
            making.extend(makes_types(body.stream()).then(|| name.to_string()));
            leading.extend(rewrite::leads_on(body.stream()).then(|| name.to_string()));
            macros.push((name.to_string(), body.stream()));
        });
    }
    let mut enclosing = BTreeSet::new();
    loop {
        let size = enclosing.len();
        for (name, rules) in &macros {
            if !enclosing.contains(name) && encloses(rules.clone(), &enclosing) {
                enclosing.insert(name.clone());
            }
        }
        if enclosing.len() == size {
            break;
        }
    }
    Namesakes {
        modules: like.map(|(name, _)| name.clone()).collect(),
        values,
        brought: brought.collect(),
        making,
        enclosing,
        leading,
    }
}

/// Whether a macro makes modules or types with names that it is called with.
fn makes_types(rules: TokenStream) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Ident(word) => {
            DECLARING.iter().any(|other| word == other) && rewrite::punct(trees.get(at + 1), '$')
        }
        TokenTree::Group(group) => makes_types(group.stream()),
        _ => false,
    })
}

/// Whether a macro puts something that it is called with into a module, or calls one of these that does.
fn encloses(rules: TokenStream, others: &BTreeSet<String>) -> bool {
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    let takes_variable = |at: usize| source::has_variable(trees[at].clone().into());
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Ident(word) if word == "mod" => {
            rewrite::module_block(&trees, at).is_some_and(takes_variable)
        }
        TokenTree::Ident(word) if rewrite::punct(trees.get(at + 1), '!') => {
            at + 2 < trees.len() && others.contains(&word.to_string()) && takes_variable(at + 2)
        }
        TokenTree::Group(group) => encloses(group.stream(), others),
        _ => false,
    })
}

/// Which of some names a crate has for modules or types of one of its modules.
fn brought<'n>(
    units: &[Unit],
    at: usize,
    module: &[String],
    names: impl Iterator<Item = &'n str>,
) -> BTreeSet<String> {
    let unit = &units[at];
    let texts: Vec<String> = unit.texts().collect();
    // Most crates have no such name.
    let may_have = |name: &&str| {
        let renamed = format!(" as {name}");
        texts
            .iter()
            .any(|text| declares(text, name) || text.contains(&renamed))
    };
    let names: Vec<&str> = names.filter(may_have).collect();
    if names.is_empty() {
        return BTreeSet::new();
    }
    let text = load::load(units, at, false);
    text.map_or_else(
        |_| BTreeSet::new(),
        |text| rewrite::types(&text, module, names, unit.edition),
    )
}

/// Whether what a crate has by a name is a macro or a function, and nothing else.
fn is_value(units: &[Unit], at: usize, name: &str) -> bool {
    let unit = &units[at];
    // It may pass on anything.
    let imports = ["use ", " as ", "crate "].map(|before| format!("{before}{name};"));
    let is_passed_on = |text: &String| imports.iter().any(|import| text.contains(import));
    let has_value = |text: &String| is_behind(text, &["macro_rules", "fn"], name);
    let texts: Vec<String> = unit.texts().collect();
    texts.iter().any(has_value)
        && !texts.iter().any(is_passed_on)
        && load::load(units, at, false).is_ok_and(|text| !has_type(&text, name, unit.edition))
}

/// A text with its header, laid out.
struct Finished {
    text: String,
    /// What it was before.
    bare: String,
    notes: Vec<String>,
    formatted: bool,
}

fn finish(
    request: &Request,
    resolved: &Resolved,
    parts: &Parts,
    scratch: &Path,
    text: &str,
    layout: Layout,
) -> Result<Finished> {
    // A crate of which nothing is left needs no mention.
    let file = syn::parse_file(text)?;
    let bare = emit::without_empty_imports(text, &file);
    let modules: BTreeSet<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        })
        .collect();
    let units = resolved.units.iter().enumerate();
    let mut crates: Vec<emit::Inlined> = units
        .filter(|(at, unit)| !parts.deferred.contains(at) && modules.contains(&unit.module))
        .filter_map(|(_, unit)| {
            Some(emit::Inlined {
                package: unit.package.clone(),
                version: unit.version.clone(),
                own: unit.own,
                licence: unit.licence.clone()?,
            })
        })
        .collect();
    crates.sort_by(|a, b| (!a.own, &a.package, &a.version).cmp(&(!b.own, &b.package, &b.version)));
    let header = emit::header(&request.header, &crates);

    let mut notes = Vec::new();
    let mut formatted = true;
    let body = if request.minify {
        emit::minified(&bare).map_err(|error| anyhow::anyhow!("cannot minify: {error}"))?
    } else {
        match emit::formatted(&emit::dense(&bare), scratch, layout) {
            Ok(text) => text,
            Err(why) => {
                formatted = false;
                notes.push(format!("{why}: the file is laid out less well"));
                emit::tidied(&bare)
            }
        }
    };
    let separator = if request.minify { "" } else { "\n" };
    let text = format!("{header}{separator}{}", body.trim_start());
    if text.len() > SMALLEST_LIMIT {
        let remedy = if request.minify {
            ""
        } else {
            "; `--minify` makes it smaller"
        };
        notes.push(format!(
            "it is larger than {} KiB, the most that Codeforces takes{remedy}",
            SMALLEST_LIMIT >> 10
        ));
    }
    Ok(Finished {
        text,
        bare,
        notes,
        formatted,
    })
}

/// The text of the program and its crates, without what is dead.
fn shaken<'a>(
    resolved: &'a Resolved,
    external: &BTreeSet<usize>,
    scratch: &Path,
    effort: &Effort,
    expands: bool,
) -> Result<(String, usize, Parts<'a>)> {
    let units = &resolved.units;
    let mut parts = Parts::new(resolved, external, expands);
    resolved.compiler(Vec::new(), scratch).go_on()?;
    if let Some(refusal) = parts.refused_by_program(scratch) {
        return Err(refusal.into());
    }
    let mut inlined_bytes = 0;
    let mut text = String::new();
    let mut first: Vec<usize> = parts.reachable().into_iter().collect();
    // The user's own code comes first.
    first.sort_by_key(|&at| !units[at].own);
    let rewrite = |&at: &usize| Some(parts.module(at));
    in_order(&first, threads(), rewrite, |part| {
        let part = part?;
        inlined_bytes += part.len();
        text += &part;
        anyhow::Ok(())
    })?;

    effort.procedural.replace(parts.procedural());
    let look = |of: &[usize]| match of.iter().any(|&at| units[at].is_newer()) {
        true => Look::AtOnce,
        false => Look::Never,
    };
    effort.newer.set(look(&first));
    let (mut new, mut doubtful, mut looked_at) = (first, Vec::new(), BTreeSet::new());
    loop {
        let is_own = |name: &str| parts.unit(name).own;
        text = limits::raised(&text, &resolved.limits)?;
        if expands {
            let loaded = |name: &str, made: &str| load::made(units, parts.at(name), made);
            text = foreign::expanded(&text, &is_own, &loaded)?.unwrap_or(text);
        }
        let compiler = resolved.compiler(parts.externs(), scratch);
        let waiting = parts.waiting();
        let modules: BTreeSet<String> = waiting.keys().cloned().collect();
        effort.waiting.replace(waiting);
        let shaken = shaken_with_std(&compiler, &text, &parts, &new, effort);
        let named = match shaken {
            Ok((shaken, left)) => {
                text = shaken;
                doubtful.extend(left);
                new.clear();
                rewrite::mentioned(&text, &modules)
            }
            // It will be asked about with that.
            Err(error) => error.downcast::<Incomplete>()?.0,
        };
        let next = parts.deferred.iter().copied();
        let all: Vec<usize> = next
            .filter(|&at| named.contains(&units[at].module))
            .collect();
        // If one is in the way, the others need not be tried.
        let Some(&next) = all.iter().min_by_key(|at| parts.obstacle(**at).is_none()) else {
            if let Some((at, reason)) = no_std::refused(&compiler, &text, &doubtful)? {
                return Err(parts.refusal(at, &reason, &text).into());
            }
            break;
        };
        // What it derives, or passes on to be derived, the program may not need.
        let (obstacle, derives) = (parts.obstacle(next), parts.derives(next));
        if obstacle.is_some() || !derives.is_empty() && looked_at.insert(next) {
            let module = &units[next].module;
            let without = derived::without(&compiler, &text, module, &derives, &is_own)?;
            match (without, obstacle) {
                (Some(without), _) => {
                    text = without;
                    effort.newer.set(Look::Never);
                    continue;
                }
                (None, Some(reason)) => return Err(parts.refusal(next, &reason, &text).into()),
                (None, None) => {}
            }
        }
        // The same for all of which there is nothing to ask.
        let is_next = |at: &usize| *at == next || parts.is_clear(*at);
        let next: Vec<usize> = all.into_iter().filter(is_next).collect();
        parts.deferred.retain(|at| !next.contains(at));
        let path = |&at: &usize| {
            let module = units[at].module.clone();
            let path = format!("crate::{module}");
            (module, path)
        };
        let mut names = rewrite::Names {
            module: String::new(),
            edition: 2021,
            own: true,
            prelude: next.iter().map(path).collect(),
            namesakes: Namesakes::default(),
            leading_only: true,
            macros: BTreeMap::new(),
            calling: BTreeMap::new(),
            defined: BTreeSet::new(),
            passed_on: BTreeSet::new(),
            in_bodies: BTreeSet::new(),
            before: Before::default(),
        };
        text = rewrite::rewrite(&text, &mut names)?;
        for at in next {
            let loaded = parts.loaded(at)?.into_owned();
            parts.loaded.insert(at, loaded);
            let part = parts.module(at)?;
            inlined_bytes += part.len();
            text += &part;
            new.push(at);
        }
        effort.newer.set(look(&new));
    }
    Ok((text, inlined_bytes, parts))
}

/// A text without what is dead, in which crates that do without the standard library mean the same as without it: most often they do, or
/// what is left of the text tells what to write. Tells of those for which it does not.
fn shaken_with_std(
    compiler: &Compiler,
    text: &str,
    parts: &Parts,
    new: &[usize],
    effort: &Effort,
) -> Result<(String, Vec<Without>)> {
    let resolved = parts.resolved;
    let without_std = no_std::possible(&resolved.units, text, parts.without_std(new)?);
    let (to_write, to_prove) = no_std::parted(without_std);
    let ask = |text: &str, of: &[_]| no_std::asked(compiler, resolved, text, of);
    let to_write = ask(text, &to_write)?;
    let mut to_prove = ToProve::new(&ask, to_prove);
    let (mut text, mut doubtful) = no_std::written(compiler, text.to_owned(), to_write)?;
    let newer = effort.newer.get();
    // Before calls were written by what a part of it tells.
    let mut before = None;
    loop {
        // Most often the first look at it proves that they call nothing else.
        let is_right = |bodies: &str, text: &str| to_prove.are_same(bodies, text);
        let error = match shaken_once(compiler, &text, parts, effort, &is_right) {
            Ok(text) => return Ok((text, doubtful)),
            Err(error) if error.is::<Incomplete>() => return Err(error),
            Err(error) if effort.is_to_migrate(&error) => return Err(parts.blamed(error, &text)),
            Err(error) => parts.blamed(error, &text),
        };
        if is_last_word(&error) {
            return Err(error);
        }
        // What is left of it most often tells what to write.
        if let (Some(Other { part, bodies }), None) = (error.downcast_ref(), &before) {
            let crates = to_prove.all(&text)?;
            let meant = no_std::written_by_part(compiler, &text, part, bodies, &crates)?;
            if let Some(meant) = meant {
                before = Some(std::mem::replace(&mut text, meant));
                effort.newer.set(newer);
                continue;
            }
        }
        text = before.take().unwrap_or(text);
        // They may also be why it does not compile.
        let crates = to_prove.all(&text)?;
        let (meant, left) = no_std::written(compiler, text.clone(), crates)?;
        if meant == text && !error.is::<Other>() {
            return Err(error);
        }
        text = meant;
        doubtful.extend(left);
        to_prove = ToProve::new(&ask, Vec::new());
        effort.newer.set(newer);
    }
}

/// A text without what is dead, written so that it is the same in edition 2021 where it is not.
fn shaken_once(
    compiler: &Compiler,
    text: &str,
    parts: &Parts,
    effort: &Effort,
    is_right: &shake::Asked,
) -> Result<String> {
    let is_newer = |name: &str| parts.unit(name).is_newer();
    let mut text = Cow::Borrowed(text);
    // Most often code of edition 2024 is the same in 2021. Where it is not, that shows in what the program reaches.
    for others in (0..4).rev() {
        let error = match shake::shake(compiler, &text, "2021", effort, is_right) {
            // Older code is to be made newer before anything else, and what is missing comes first.
            Err(error)
                if !(effort.is_to_migrate(&error)
                    || error.is::<Other>()
                    || error.is::<Incomplete>()) =>
            {
                error
            }
            done => return done,
        };
        if effort.newer.get() == Look::Never && !newer::is_reason(&error.to_string()) {
            return Err(error);
        }
        let newer: Option<&shake::Newer> = error.downcast_ref();
        let tried = newer.map_or(&*text, |newer| newer.tried.as_str());
        let changed = newer::written(compiler, &text, tried, &is_newer)?;
        effort.newer.set(match (newer, &changed) {
            (Some(newer), _) if newer.compiles || others == 0 => Look::Never,
            (Some(_), Some(_)) => Look::AtOnce,
            (Some(_), _) => Look::InTheEnd,
            (None, Some(_)) => Look::Never,
            (None, None) => return Err(error),
        });
        text = changed.map_or(text, Cow::Owned);
    }
    shake::shake(compiler, &text, "2021", effort, is_right)
}

/// The crates on their way into the file.
struct Parts<'a> {
    resolved: &'a Resolved,
    expands: bool,
    /// Units that stay compiled for now.
    deferred: BTreeSet<usize>,
    /// Units that the judge has.
    external: BTreeSet<usize>,
    /// Why a unit turned out not to be inlinable when it was loaded.
    failed: BTreeMap<usize, String>,
    loaded: BTreeMap<usize, String>,
    /// What the program has in scope for all that comes after it.
    before: Before,
}

impl<'a> Parts<'a> {
    fn new(resolved: &'a Resolved, external: &BTreeSet<usize>, expands: bool) -> Self {
        let units = &resolved.units;
        let mut parts = Self {
            resolved,
            expands,
            deferred: external.clone(),
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
        let mut loaded = load_all(units, expands);
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

    /// Those that are compiled for now and that the judge has not, and whether there is nothing to ask before they are put into the file.
    fn waiting(&self) -> BTreeMap<String, bool> {
        let waiting = self.deferred.difference(&self.external);
        waiting
            .map(|&at| (self.resolved.units[at].module.clone(), self.is_clear(at)))
            .collect()
    }

    /// Whether there is nothing to ask before a crate is put into the file.
    fn is_clear(&self, at: usize) -> bool {
        self.obstacle(at).is_none() && self.derives(at).is_empty()
    }

    fn obstacle(&self, at: usize) -> Option<String> {
        let unit = &self.resolved.units[at];
        unit.obstacle
            .clone()
            .or_else(|| self.failed.get(&at).cloned())
    }

    /// Why there is no bundle, if what the user's own code surely does names a crate that cannot be inlined: it is told before the others
    /// are taken apart.
    fn refused_by_program(&self, scratch: &Path) -> Option<Refusal> {
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
        if hindered.is_empty() {
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
            .map(|(name, _)| name);
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
        let compiler = self.resolved.compiler(parts.externs(), scratch);
        let effort = Effort::default();
        effort.procedural.replace(parts.procedural());
        let (text, _) = shaken_with_std(&compiler, &text.ok()?, &parts, &first, &effort).ok()?;
        let crates = hindered.keys().cloned().collect();
        let named = named::surely(&syn::parse_file(&text).ok()?, &crates);
        let at = hindered[named.first()?];
        Some(parts.refusal(at, &parts.obstacle(at)?, &text))
    }

    /// Why a crate cannot be in the file, and who uses it in a text.
    fn refusal(&self, at: usize, reason: &str, text: &str) -> Refusal {
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
        Refusal(format!(
            "{} cannot be put into the file: {reason} (used by {}{named}){remedy}",
            units[at].title(),
            titles.join(", used by ")
        ))
    }

    /// What a crate derives, or one that it passes on.
    fn derives(&self, at: usize) -> Derives {
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
    fn procedural(&self) -> BTreeSet<String> {
        let units = self.deferred.iter().map(|&at| &self.resolved.units[at]);
        let units = units.filter(|unit| unit.is_procedural);
        let texts = units.flat_map(Unit::texts);
        texts.flat_map(|text| procedural(&text)).collect()
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
    fn blamed(&self, error: anyhow::Error, text: &str) -> anyhow::Error {
        let Some(Broken { by, .. }) = error.downcast_ref() else {
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
        let defines = |at: &usize| {
            let mut names = units[*at].texts().flat_map(|text| procedural(&text));
            names.any(|name| by.contains(&name))
        };
        let mut macros = self.deferred.iter().copied();
        match macros.find(|at| units[*at].is_procedural && defines(at)) {
            Some(at) => {
                let reason = self.obstacle(at).unwrap_or_default();
                self.refusal(at, &reason, text).into()
            }
            None => error,
        }
    }

    /// The crate with a module; without one, the program.
    fn unit(&self, module: &str) -> &Unit {
        &self.resolved.units[self.at(module)]
    }

    /// Which one that is.
    fn at(&self, module: &str) -> usize {
        let mut units = self.resolved.units.iter();
        units.position(|unit| unit.module == module).unwrap_or(0)
    }

    /// Refuses macros of one's own that ask for what they are called with, where cargo's answer is not that of plain `rustc`, and those of
    /// libraries that pass on where their crate begins, or look at it in what others call them with.
    fn refuse_open_questions(&self, text: &str) -> Result<()> {
        let units = &self.resolved.units;
        let is_told = |what: &str| {
            let mut own = units.iter().filter(|unit| unit.own);
            own.any(|unit| match what {
                "option_env" => !unit.variables.is_empty(),
                _ => unit.cfg.flags().next().is_some(),
            })
        };
        let file = syn::parse_file(text)?;
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

    /// What somebody should know whose macros look at what they get.
    fn notes(&self, compiler: &Compiler, text: &str) -> Result<Vec<String>> {
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
    fn reachable(&self) -> BTreeSet<usize> {
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

    /// Those of some units that do without the standard library, each with what may mean something else when it is there.
    fn without_std(&self, of: &[usize]) -> Result<Vec<(usize, BTreeSet<String>)>> {
        let mut found = Vec::new();
        for &at in of {
            let names = no_std::names(&self.resolved.units[at], &self.loaded(at)?);
            if !names.is_empty() {
                found.push((at, names));
            }
        }
        Ok(found)
    }

    /// The text of a unit as a crate.
    fn loaded(&self, at: usize) -> Result<Cow<'_, str>> {
        Ok(match self.loaded.get(&at) {
            Some(text) => Cow::Borrowed(text.as_str()),
            None => Cow::Owned(load::load(&self.resolved.units, at, self.expands)?),
        })
    }

    /// A unit as text in the bundle.
    fn module(&self, at: usize) -> Result<String> {
        let units = &self.resolved.units;
        let unit = &units[at];
        let text = self.loaded(at)?;
        let mut prelude = BTreeMap::new();
        for (name, &dependency) in &unit.dependencies {
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
        let mut names = rewrite::Names {
            module: unit.module.clone(),
            edition: unit.edition,
            own: unit.own,
            prelude,
            namesakes: namesakes(units, at, &text),
            leading_only: false,
            macros,
            calling,
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
        let Ok(file) = syn::parse_file(text) else {
            return (macros, BTreeMap::new());
        };
        for item in &file.items {
            let syn::Item::ExternCrate(item) = item else {
                continue;
            };
            if !rewrite::uses_macros(&item.attrs) {
                continue;
            }
            let name = item.ident.to_string();
            let (Some(&at), Some(path)) = (unit.dependencies.get(&name), prelude.get(&name)) else {
                continue;
            };
            let source = load::load(&self.resolved.units, at, self.expands).unwrap_or_default();
            for exported in load::exported(&source) {
                macros.insert(exported, path.clone());
            }
            sources.push(source);
        }
        // Macros of these crates may call each other by name: whoever calls them has all in scope.
        let texts = sources.iter().map(String::as_str).chain([text]);
        let calling = rewrite::calling(&texts.collect::<Vec<_>>(), &macros);
        (macros, calling)
    }

    fn externs(&self) -> Vec<OsString> {
        self.flags(&self.deferred)
    }

    fn external_only(&self) -> Vec<OsString> {
        self.flags(&self.external)
    }

    fn flags(&self, which: &BTreeSet<usize>) -> Vec<OsString> {
        let units = &self.resolved.units;
        let libraries = which.iter().map(|&at| (units[at].module.as_str(), at));
        self.resolved.flags(libraries)
    }
}

/// The crates that are not too large and that nothing forbids, as texts.
fn load_all(units: &[Unit], expands: bool) -> BTreeMap<usize, Result<String>> {
    let program: Vec<String> = units[0].texts().collect();
    let words: BTreeSet<&str> = program
        .iter()
        .flat_map(|text| source::words(text))
        .collect();
    let direct = units[0].dependencies.iter();
    let named: BTreeSet<usize> = direct
        .filter(|(name, _)| words.contains(name.as_str()))
        .map(|(_, &at)| at)
        .collect();
    // The program itself comes first, and is loaded where it is needed.
    let mut wanted: Vec<usize> = (1..units.len())
        .filter(|&at| units[at].obstacle.is_none())
        .filter(|at| named.contains(at) || units[*at].size() <= LARGE)
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
fn procedural(text: &str) -> Vec<String> {
    let after = |mark| text.split(mark).skip(1);
    let functions = after("proc_macro]").filter_map(|rest| Some(rest.split_once("fn ")?.1));
    let first = |rest| source::words(rest).next().map(str::to_owned);
    // In a macro the name comes from where that is called.
    let derives = after("proc_macro_derive(").filter(|rest| !rest.starts_with('$'));
    functions
        .chain(derives)
        .filter_map(first)
        .chain(derived::attribute_macros(text))
        .chain(derived::declared_by_macros(text))
        .collect()
}

/// How many there may be at a time.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
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
        "error-chain" => Some("`Box<dyn std::error::Error>` takes any error, by `?` too"),
        "libc" if user("ahash").is_some_and(|ahash| asks_always(&ahash.version)) => {
            Some("`ahash` before 0.8 asks the system for keys; `hashbrown` has a newer one from 0.13 on")
        }
        "libc" if user("ahash").is_some() => {
            Some("`ahash` asks the system for keys; with `default-features = false, features = [\"std\"]` it does not")
        }
        "libc" if users.windows(2).any(|by| by[0].package == "rand" && by[1].own) => {
            Some("`rand` asks the system for a seed; a generator that is given one needs no system: `SmallRng::seed_from_u64(1)`")
        }
        _ => None,
    }
}

/// Whether a version of `ahash` has no feature without which it asks for no keys.
fn asks_always(version: &str) -> bool {
    (0..8).any(|minor| version.starts_with(&format!("0.{minor}.")))
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
        assert!(said("rand", "0.8.8").contains("SmallRng"));
        // It is another crate that calls it.
        let users = [&unit("rand", "0.8.8"), &unit("xorf", "0.10.2"), &program];
        assert_eq!(remedy("libc", &users, &BTreeSet::new()), None);
    }
}
