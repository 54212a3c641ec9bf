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
//! Each stage is the file of its name, and has its helpers in the folder of its name. They all work on `text`; beside them are
//!
//! ```text
//! build      cargo's build, which goes on beside the next three stages
//! compiler   runs rustc and reads what it says
//! parts      the crates, in the text or still compiled
//! editions   what the editions read differently: `older` for those before 2021, `elided` what older compilers want, the rest for 2024
//! refusal    why there is no bundle, soon where that is sure (`named`)
//! notes      what the user should know; `since`: which compiler the file needs
//! ```
//!
//! and in the folders
//!
//! ```text
//! resolve    cfg, environment, licence, limits, external, systems   what cargo, its configuration, manifests and the user say
//! load       files, walk, attributes, checks, choices               files put together, cfg settled
//!            macros, expand, marks, pasted, snippets, templates,
//!              versions, written                                    macros; in the folder of `expand`: what takes a call, whose names
//!                                                                   are whose, what comes out
//!            callers, attributed                                    whose cfgs hold in macros, and for what
//!            blocks, chains, leading, matched, tails                what is written another way
//!            unused                                                 large crates of which the program has no more than an import
//! rewrite    walker, macros, imports                                the paths in one crate
//!            scopes, declared                                       what its names mean
//!            no_std, foreign, namesakes                             what needs the names of all crates
//! shake      first, unreached, idle, dead                           the steps
//!            asking, effort, allowing                               what the compiler is asked, and what it says is all right
//!            unnamed, made, unasked, in_rules, imports, follow,
//!              closed, provided, variants                           what goes
//!            needs, calls, objects                                  what an error wants back; in the folder of `needs`: what it says,
//!                                                                   what was removed of that, what bounds hold by
//!            generated, hollow, left_out                            whether the code stays the same, also where this machine does not see it
//!            derived                                                what procedural macros make for nobody
//! emit       asides, comments, indents, spaces, spoilt              what rustfmt leaves, and what it would spoil
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
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{bail, Context, Result};

mod build;
mod compiler;
mod editions;
mod emit;
mod load;
mod notes;
mod parts;
mod refusal;
mod resolve;
mod rewrite;
mod shake;
mod text;
mod verify;

pub use emit::{has_tokens_of, Header};
pub use resolve::environment::folders_of_cargo;
pub use resolve::Program;
pub use text::source::words;
pub use verify::Sample;

use build::{Build, Profile};
use compiler::{Compiler, GivenUp};
use editions::temporaries::{self, Whose};
use editions::{elided, newer, older};
use emit::Layout;
use load::unused;
use notes::since;
use parts::Parts;
use refusal::Refusal;
use resolve::external::{external, with_parts_of_external};
use resolve::{cfg, environment, limits, Project, Resolved, Unit};
use rewrite::namesakes::keep_apart;
use rewrite::no_std::{self, ToProve, Without};
use rewrite::{foreign, Before, Namesakes};
use shake::in_rules::{self, Looked};
use shake::unasked::{self, Left};
use shake::{derived, provided, variants, Broken, Effort, Incomplete, Look, Other};
use text::source;
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
    /// On so many samples it answers like the program.
    pub agreeing: usize,
    /// The text was laid out by rustfmt.
    pub formatted: bool,
}

/// Whether an error stays what it is, whatever else is tried.
fn is_last_word(error: &anyhow::Error) -> bool {
    error.is::<Refusal>() || error.is::<GivenUp>()
}

/// Bytes of source that well-known judges take at most: Codeforces, and AtCoder.
const SMALLEST_LIMIT: usize = 64 << 10;
const LARGER_LIMIT: usize = 512 << 10;

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
    executable: PathBuf,
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
        let answers = |profile: Profile| {
            let executable = build.executable(project)?;
            verify::answers(&executable, profile, request.samples, scratch)
        };
        let profile = Profile::soonest(project, &project.built("release"));
        build.run(project, profile)?;
        lock(progress).show();
        let mut found = answers(profile);
        // It may only be slow, or take too much of the stack.
        if found.is_err() && profile == Profile::Quick {
            build.run(project, Profile::Release)?;
            found = answers(Profile::Release);
        }
        let (answers, level) = found?;
        Ok(Self {
            executable: build.executable(project)?,
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
    /// What becomes of the program, if it is built from this.
    fn bundle(mut self) -> Result<Bundle> {
        let Resolved { units, unused, .. } = &mut self.resolved;
        self.external = external(units, unused, self.request.external)?;
        let compiler = self.resolved.compiler(&BTreeSet::new(), self.scratch);
        let migrated = older::migrate(&compiler, &mut self.resolved, older::is_asked_about);
        unused::leave_out(&compiler, &mut self.resolved, &self.external);
        keep_apart(&mut self.resolved.units, &self.external);
        if let Err(error) = migrated {
            // What a procedural macro makes may need a crate that nothing else names.
            let parts = Parts::new(&self.resolved, &self.external, &BTreeSet::new(), true);
            let refusal = parts.refused_for_macro(&error.to_string());
            return Err(refusal.map_or(error, anyhow::Error::from));
        }
        let effort = Effort::default();
        let done = self.made(&effort);
        let is_open = match &done {
            Err(error) => !is_last_word(error),
            Ok(_) => effort.is_left_whole.get(),
        };
        // A check was left out that nearly always passes.
        let done = match is_open && effort.is_unchecked.get() {
            true => self.made(&Effort::of_all_checks()),
            false => done,
        };
        done.map_err(|error| match error.is::<Broken>() {
            true => self.with_names_set(error),
            false => error,
        })
    }

    /// Why a text does not compile, with what may be the reason.
    fn with_names_set(&self, error: anyhow::Error) -> anyhow::Error {
        let units = self.resolved.units.iter().filter(|unit| unit.own);
        let texts: Vec<String> = units.flat_map(Unit::texts).collect();
        let notes = left_out_of(
            self.request.program.folder,
            texts.iter().map(String::as_str),
        );
        let lines = [format!("{error:#}").trim_end().to_owned()]
            .into_iter()
            .chain(notes);
        anyhow::anyhow!(lines.collect::<Vec<_>>().join("\n"))
    }

    fn made(&mut self, effort: &Effort) -> Result<Bundle> {
        (self.begins)(Stage::TakingOut);
        let folder = self.scratch;
        let compiler = self.resolved.compiler(&BTreeSet::new(), self.scratch);
        // Expanding item macros finds more that is dead. Should a macro be too clever for it, the compiler expands.
        let mut asks_others = true;
        // What a derive makes may name the crate that passes the derive on. It is taken out, if nobody needs it, while that is compiled.
        let mut compiled = BTreeSet::new();
        let done = loop {
            let done = shaken(
                &self.resolved,
                &self.external,
                &compiled,
                folder,
                effort,
                true,
            );
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
                Err(error) => {
                    let refusal: Option<&Refusal> = error.downcast_ref();
                    match refusal.and_then(|refusal| refusal.passed_on_by) {
                        Some(by) if compiled.insert(by) => continue,
                        _ => break Err(error),
                    }
                }
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
                let again = shaken(
                    &self.resolved,
                    &self.external,
                    &compiled,
                    folder,
                    effort,
                    false,
                );
                again.map_err(|again| {
                    let error = if again.is::<Refusal>() { again } else { error };
                    with_parts_of_external(error, &self.resolved.units, &self.external)
                })?
            }
            done => done?,
        };

        (self.begins)(Stage::Trying);
        let compiler = self.resolved.compiler(&parts.external, self.scratch);
        let is_newer = |name: &str| parts.unit(name).is_newer();
        let is_own = |name: &str| parts.unit(name).own;
        let whose = Whose {
            is_newer: &is_newer,
            is_own: &is_own,
        };
        let (written, mut notes) = temporaries::settled(&compiler, &text, whose)?;
        let text = written.unwrap_or(text);
        let text = elided::written(&text)?.unwrap_or(text);
        parts.refuse_open_questions(&text)?;
        notes.extend(parts.missing(&text)?);
        notes.extend(parts.notes(&compiler, &text)?);
        if effort.is_left_whole.get() {
            notes.push("much that it does not need is in the file: it could not be taken out so that the rest stays the same code".to_owned());
        } else if effort.is_cut_short.get() {
            notes.push("more that it does not need may be in the file: with so much code it would take too long to look for all of it".to_owned());
        }
        let original = self.original.get()?;
        let checks = original.checks.iter();
        notes.extend(checks.map(|setting| {
            format!("the workspace's release profile has `{setting}`, and judges compile without: what the program stops at, the file may not")
        }));
        let flags = environment::compiler_flags(self.request.program.folder);
        let checks = environment::checks_set(&flags).into_iter();
        notes.extend(checks.map(|flag| {
            format!("cargo's flags for the compiler have `{flag}`, and judges compile without: what the program stops at, the file may not")
        }));
        if asks_for_features(&text) {
            notes.extend(environment::processor_set(&flags).into_iter().map(|flag| {
                format!("cargo's flags for the compiler have `{flag}`, and judges compile without: what the file has for a `target_feature` may be left out there")
            }));
        }
        notes.extend(left_out_of(self.request.program.folder, [&*text]));
        let finish =
            |text: &str, layout| finish(self.request, &self.resolved, &parts, folder, text, layout);
        let (finished, executables) = built(&compiler, text, original.level, &finish)?;
        let verify = |executables: &[PathBuf]| {
            let (program, samples) = (&original.executable, self.request.samples);
            verify::verify(executables, program, samples, &original.answers, folder)
        };
        let mut same = verify(&executables);
        // It may only be slow, or take too much of the stack.
        if same.is_err() && original.level == Level::None {
            if let Ok(executables) = verify::build(&compiler, &finished.text, false, Level::Some)? {
                same = verify(&executables);
            }
        }
        let unsteady = same.map_err(|error| match &notes[..] {
            [] => error,
            // What may be the reason.
            notes => anyhow::anyhow!("{error:#}\n{}", notes.join("\n")),
        })?;
        let steady = self.request.samples.len() - unsteady.len();
        notes.extend(unsteady.iter().map(|case| {
            format!("on case {case} the program itself does not always answer the same: the file only has to end as it does there")
        }));
        let bodies = || match verify::bodies(folder) {
            None => compiler.bodies(&finished.bare, "2021").ok().flatten(),
            bodies => bodies,
        };
        let newest = since::newest(&finished.bare, &*source::parsed(&finished.bare)?, &bodies);
        let newest = newest.map(|(minor, what)| {
            let of = since::crate_with(&finished.bare, &what).filter(|of| !is_own(of));
            let of = of.map_or_else(String::new, |of| format!(" in {of}"));
            let (code, place) = what.split_at(what.find(since::IN_CONSTANT).unwrap_or(what.len()));
            let units = &self.resolved.units;
            let is_written = |what: &str| {
                let mut texts = units.iter().flat_map(Unit::texts);
                texts.any(|text| text.contains(what))
            };
            let why = match code {
                since::CAPTURES if !is_written("use<") => {
                    ", without which edition 2024 takes it for something else than 2021"
                }
                since::UNSAFE_EXTERN if !is_written(since::UNSAFE_EXTERN) => {
                    ", which edition 2024 asks for; with 2021, `extern` alone does"
                }
                _ => "",
            };
            format!("it needs Rust 1.{minor} or newer, for `{code}`{place}{of}{why}")
        });
        notes.splice(0..0, newest.into_iter().chain(finished.notes));
        Ok(Bundle {
            text: finished.text,
            notes,
            inlined: inlined_bytes,
            agreeing: steady,
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

/// The names that cargo's configuration for a folder sets by `--cfg` and that some texts have, each with what that means.
fn left_out_of<'t>(folder: &Path, texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let has = |name: &str| {
        let mut words = texts.iter().flat_map(|text| source::words(text));
        words.any(|word| word == name)
    };
    let names = environment::names_set(&environment::compiler_flags(folder));
    let names = names.iter().filter(|name| has(name));
    names
        .map(|name| format!("cargo's flags for the compiler set `--cfg {name}`, and judges do not: what the file has for that name is left out there"))
        .collect()
}

/// Whether a text asks for features of the processor: `cfg(target_feature = "…")`.
fn asks_for_features(text: &str) -> bool {
    let mut found = text.split("target_feature").skip(1);
    found.any(|behind| behind.trim_start().starts_with('='))
}

/// The highest limits of the compiler that any crate sets that may be in the file.
fn highest_limits(units: &[Unit], external: &BTreeSet<usize>) -> limits::Limits {
    let inlined = units.iter().enumerate();
    let inlined = inlined.filter(|(at, unit)| !external.contains(at) && unit.obstacle.is_none());
    limits::highest(inlined.map(|(_, unit)| unit))
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
    let file = source::parsed(text)?;
    let bare = emit::without_remains(text, &file);
    let modules: BTreeSet<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(module) => {
                let name = module.ident.to_string();
                Some(source::plain_name(&name).to_owned())
            }
            _ => None,
        })
        .collect();
    let is_there = |unit: &Unit| modules.contains(source::plain_name(&unit.module));
    let units = resolved.units.iter().enumerate();
    let mut crates: Vec<emit::Inlined> = units
        .filter(|(at, unit)| !parts.deferred.contains(at) && is_there(unit))
        .filter_map(|(_, unit)| {
            Some(emit::Inlined {
                package: unit.package.clone(),
                version: unit.version.clone(),
                is_member: unit.is_member,
                licence: unit.licence.clone()?,
            })
        })
        .collect();
    crates.sort_by(|a, b| {
        (!a.is_member, &a.package, &a.version).cmp(&(!b.is_member, &b.package, &b.version))
    });
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
        let smallest = match request.minify {
            true => None,
            false => emit::minified(&bare)
                .ok()
                .map(|body| header.len() + body.len()),
        };
        let remedy = smallest.map_or_else(String::new, |size| {
            let still = if size > SMALLEST_LIMIT { "still " } else { "" };
            format!(
                "; with `--minify` it is {still}{} KiB",
                size.div_ceil(1 << 10)
            )
        });
        let more = match text.len() > LARGER_LIMIT {
            true => format!(
                ", and than {} KiB, the most that AtCoder takes",
                LARGER_LIMIT >> 10
            ),
            false => String::new(),
        };
        notes.push(format!(
            "it is larger than {} KiB, the most that Codeforces takes{more}{remedy}",
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
    compiled: &BTreeSet<usize>,
    scratch: &Path,
    effort: &Effort,
    expands: bool,
) -> Result<(String, usize, Parts<'a>)> {
    let units = &resolved.units;
    let mut parts = Parts::new(resolved, external, compiled, expands);
    resolved.compiler(&BTreeSet::new(), scratch).go_on()?;
    if let Some(refusal) = parts.refused_by_program(scratch) {
        return Err(refusal.into());
    }
    let mut text = String::new();
    let mut first: Vec<usize> = parts.reachable().into_iter().collect();
    // The user's own code comes first.
    first.sort_by_key(|&at| !units[at].own);
    let mut inlined_bytes = parts.add_to(&mut text, &first)?;

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
        let compiler = resolved.compiler(&parts.deferred, scratch);
        let waiting = parts.waiting();
        let modules: BTreeSet<String> = waiting.keys().cloned().collect();
        effort.waiting.replace(waiting);
        let newer = effort.newer.get();
        let mut shaken = shaken_with_std(&compiler, &text, &parts, &new, effort);
        if shaken.is_ok() && effort.begins_to_check_all() {
            effort.newer.set(newer);
            shaken = shaken_with_std(&compiler, &text, &parts, &new, effort);
        }
        let is_whole = shaken.is_err();
        let mut barred_by = None;
        let named = match shaken {
            Ok((shaken, left)) => {
                text = shaken;
                doubtful.extend(left);
                new.clear();
                rewrite::mentioned(&text, &modules)
            }
            // It will be asked about with that.
            Err(error) => {
                let incomplete: Incomplete = error.downcast()?;
                barred_by = incomplete.barred_by;
                incomplete.named
            }
        };
        let next = parts.deferred.iter().copied();
        let all: Vec<usize> = next
            .filter(|&at| named.contains(&units[at].module))
            .collect();
        // If one is in the way, the others need not be tried. So it is, most often, with one whose derives are needed.
        let has_derives = |at| !is_whole && !looked_at.contains(&at) && !parts.is_clear(at);
        let is_free = |at| (parts.obstacle(at).is_none(), !has_derives(at));
        let Some(&next) = all.iter().min_by_key(|at| is_free(**at)) else {
            if let Some((at, reason)) = no_std::refused(&compiler, &text, &doubtful)? {
                return Err(parts.refusal(at, &reason, &text).into());
            }
            break;
        };
        // What it derives, or passes on to be derived, the program may not need.
        let (obstacle, derives) = (parts.obstacle(next), parts.derives(next));
        let mut is_alone = false;
        if obstacle.is_some() || !derives.is_empty() && looked_at.insert(next) {
            let module = &units[next].module;
            let is_of_program = |name: &str| parts.unit(name).module.is_empty();
            let without = derived::without(&compiler, &text, module, &derives, &is_of_program)?;
            match (without, obstacle) {
                (Some(without), _) => {
                    text = without;
                    effort.newer.set(Look::Never);
                    continue;
                }
                (None, Some(reason)) => {
                    let text = barred_by.as_ref().unwrap_or(&text);
                    return Err(parts.refusal(next, &reason, text).into());
                }
                (None, None) => {
                    let alone = parts.without_shared(&all, BTreeSet::from([next]));
                    is_alone = !is_whole && !alone.is_empty();
                }
            }
        }
        // The same for all of which there is nothing to ask.
        let is_next = |at: &usize| *at == next || !is_alone && parts.is_clear(*at);
        let mut next: BTreeSet<usize> = all.iter().copied().filter(is_next).collect();
        if is_whole {
            let in_text = rewrite::mentioned(&text, &modules);
            next.extend(parts.that_use(&next, &in_text));
            next.extend(parts.rest(&next, text.len()));
        }
        let next = parts.without_shared(&all, next);
        if !parts.load(&next) {
            continue;
        }
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
            imported: BTreeSet::new(),
            calling: BTreeMap::new(),
            defined: BTreeSet::new(),
            passed_on: BTreeSet::new(),
            in_bodies: BTreeSet::new(),
            before: Before::default(),
        };
        text = rewrite::rewrite(&text, &mut names)?;
        let next: Vec<usize> = next.into_iter().collect();
        inlined_bytes += parts.add_to(&mut text, &next)?;
        new.extend(next);
        effort.newer.set(look(&new));
    }
    let compiler = resolved.compiler(&parts.deferred, scratch);
    if let Some(without) = without_unasked(&compiler, &text, effort)? {
        text = without;
    }
    let without = without_overridden(&compiler, &text, effort)?;
    Ok((without.unwrap_or(text), inlined_bytes, parts))
}

/// A text without what macros make for nobody, by their rules or by a call, and what is dead then.
fn without_unasked(compiler: &Compiler, text: &str, effort: &Effort) -> Result<Option<String>> {
    let mut left = None;
    for _ in 0..MOST_LOOKS {
        let text = left.as_deref().unwrap_or(text);
        match without_unasked_once(compiler, text, effort)? {
            // Without it, rules may make more for nobody.
            Again::Yes(less) => left = Some(less),
            Again::No(less) => return Ok(less.or(left)),
        }
    }
    Ok(left)
}

/// How often a text is looked at for what macros make for nobody.
const MOST_LOOKS: usize = 3;

/// A text with less in it, or none, and whether one more look may find more.
enum Again {
    Yes(String),
    No(Option<String>),
}

fn without_unasked_once(compiler: &Compiler, text: &str, effort: &Effort) -> Result<Again> {
    if text.len() > MOST_WITH_CALLS || effort.is_left_whole.get() {
        return Ok(Again::No(None));
    }
    let (in_rules, known) = match in_rules::without_idle(compiler, text)? {
        Looked::Less(left) => (Some(left), None),
        Looked::All(known) => (None, known),
    };
    let text = in_rules.as_ref().map_or(text, |left| &left.text);
    let by_calls = unasked::without_unasked(compiler, text, &effort.impls.borrow(), known)?;
    compiler.go_on()?;
    let has_dead = |left: &Option<Left>| left.as_ref().is_some_and(|left| left.has_dead);
    let is_dead = has_dead(&in_rules) || has_dead(&by_calls);
    Ok(match by_calls.or(in_rules) {
        Some(left) if is_dead => match shaken_again(compiler, &left.text, effort)? {
            Some(less) => Again::Yes(less),
            None => Again::No(None),
        },
        Some(left) if left.may_be_idle => Again::Yes(left.text),
        left => Again::No(left.map(|left| left.text)),
    })
}

/// A text without what alone variants need that nothing makes, and bodies that a trait provides and each impl replaces; nothing where that is
/// not worth a look, or does not go well.
fn without_overridden(compiler: &Compiler, text: &str, effort: &Effort) -> Result<Option<String>> {
    if text.len() > MOST_WITH_CALLS || effort.is_left_whole.get() {
        return Ok(None);
    }
    let unmade = match text.len() > MOST_WITH_VARIANTS {
        true => None,
        false => variants::without_unmade(text)?,
    };
    let unmade_and_provided = provided::without_bodies(unmade.as_deref().unwrap_or(text))?;
    for less in unmade_and_provided.into_iter().chain(unmade) {
        let shaken = shaken_again(compiler, &less, effort)?;
        if shaken.is_some() {
            return Ok(shaken);
        }
    }
    Ok(None)
}

/// A text that is the same program as a shaken one without what is dead in it; nothing where it does not go well.
fn shaken_again(compiler: &Compiler, text: &str, effort: &Effort) -> Result<Option<String>> {
    let shaken = shake::shake(compiler, text, "2021", effort, &|_, _| Ok(true));
    compiler.go_on()?;
    let is_less = !effort.is_left_whole.replace(false);
    Ok(shaken.ok().filter(|_| is_less))
}

/// In a longer text a variant is a small part, and a look at it takes long.
const MOST_WITH_VARIANTS: usize = 32 << 10;

/// The same of calls of macros. What is longer is too long for Codeforces anyway.
const MOST_WITH_CALLS: usize = 64 << 10;

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

/// How many there may be at a time.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
