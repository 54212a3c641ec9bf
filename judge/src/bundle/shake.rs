//! Drops what `main` does not reach, and nothing else.
//!
//! The compiler decides.
//!
//! 1. What no code names is taken out (see `unnamed`): that saves the compiler most of its work.
//! 2. The compiler makes code of what is left, and tells for which functions (see `generated`). An impl of a trait that no code was made
//!    for, and a method of an impl that the trait provides as well, go where the type checker does without them (see `calls`, `needs`).
//!    So does what a trait asks for, with what its impls have for it, if there is code of none of these.
//! 3. Round by round, what the lints `dead_code`, `unused_imports`, `unused_macros` and `unused_macro_rules` point at (forced, so that no
//!    `allow` hides anything) is removed, with all that no code names any more, and imports of what the prelude has. Then what only others
//!    could use (see `closed`).
//! 4. The compiler makes code again. If it is not the code that it makes of the whole text (see `hollow`), all starts anew with more
//!    [`Care`]. If it is, what step 2 left for the sake of something that is gone now goes too.
//!
//! A removal makes errors where something named what is gone: an import, an impl of a type or trait that is gone, an impl item of a trait
//! method that is gone. These are removed in turn, until the text compiles again. Everything else that breaks is proof that the thing was
//! needed after all: the round is undone, and the thing stays. So a removal that would break something live cannot survive;
//! one that would change what the program does without an error, because a call now finds another method, cannot survive step 4.
//! `Drop` and the traits that the compiler asks for by itself without making code (`Copy`, `Send`) are not even tried.
//!
//! Struct fields stay, and most enum variants (see `variants`): they are part of a type's layout, of its `Debug` text and of its ordering.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail, Context, Result};
use proc_macro2::TokenStream;

use super::compiler::{Compiler, Diagnostic, Fix, BODIES, LINES, MIGRATIONS};
use super::editions::newer;
use super::load;
use super::resolve::limits;
use super::rewrite;
use super::text::header;
use super::text::index::{Index, Kind, Node, Sort};
use super::text::source::{self, Edits, Lines};
use super::threads;

pub(super) mod calls;
pub(super) mod closed;
pub(super) mod derived;
pub(super) mod follow;
pub(super) mod generated;
pub(super) mod hollow;
mod imports;
pub(super) mod in_rules;
pub(super) mod left_out;
pub(super) mod made;
pub(super) mod needs;
mod objects;
pub(super) mod provided;
pub(super) mod unasked;
mod unnamed;
pub(super) mod variants;

use calls::Calls;
use follow::{is_of_prelude, Meaning, Names};
use generated::Generated;
use hollow::Hollow;
use imports::Imports;
use left_out::LeftOut;
use needs::{Known, Trouble};
use unnamed::Things;

/// What tells what is dead.
pub const LINTS: [&str; 7] = [
    // No type is too long to be told.
    "--diagnostic-width=100000",
    // What is an error by itself is none in a dependency that cargo compiles.
    "--cap-lints=warn",
    "--force-warn=dead_code",
    "--force-warn=unused_imports",
    "--force-warn=redundant_imports",
    "--force-warn=unused_macros",
    "--force-warn=unused_macro_rules",
];

/// Those, and what is to be written otherwise for the next edition: a file without it would have to be made again.
fn lints() -> Vec<&'static str> {
    [&LINTS[..], &MIGRATIONS].concat()
}

/// After so many rounds what no code is made for stays: where errors do not tell what they miss, there is no end in sight.
const MOST_ROUNDS: usize = 20;
/// To ask which crates are needed takes as long as so much code more, and longer by what is asked about.
const ASKING: u64 = 200_000;
/// As many rounds where it is only to be told that.
const ROUNDS_TO_ASK: usize = 3;

/// As long as each round leaves only such a part of the errors, there is hope for a text that does not compile. Else the whole text is asked.
const FEWER: usize = 2;

/// Errors that too much may make as well as too little: what fits is not one thing, or nothing tells which it is.
const OPEN: [&str; 7] = [
    "E0034", "E0275", "E0282", "E0283", "E0284", "E0659", "E0790",
];

/// What may go when the rest is gone most often does so after as many.
const MORE_ROUNDS: usize = 5;

/// A text that got smaller by less than such a part is not looked at again.
const LEAST_GAIN: usize = 10;

/// How much text there was for the compiler, and of its errors: it takes as long to tell them as to find them.
#[derive(Default)]
pub struct Effort {
    bytes: Cell<usize>,
    /// Of how much text the last one was that compiled first.
    first: Cell<usize>,
    /// The code of older editions is as it can be: what is only allowed there is no reason to stop.
    pub is_migrated: Cell<bool>,
    /// Whether there is code of a later edition to look at.
    pub newer: Cell<Look>,
    /// The macros of crates that run inside the compiler.
    pub procedural: RefCell<BTreeSet<String>>,
    /// The modules of crates that are compiled for now.
    pub waiting: RefCell<BTreeMap<String, Waiting>>,
    /// Those of them of which the compiler has told that no code needs them.
    unneeded: RefCell<BTreeSet<String>>,
    /// Nothing is taken for granted that nearly always holds: that a crate is needed which the words of the text name, that a number has
    /// no type which nothing names, that nobody needs many impls for tuples, and that the last imports that are unused may go if it
    /// compiles so.
    checks_all: Cell<bool>,
    /// Whether something was.
    pub is_unchecked: Cell<bool>,
    /// What is dead could not be taken out of the last text: the compiler made other code without it.
    pub is_left_whole: Cell<bool>,
    /// There may be more that is dead in the last text: it was too much to look for all of it.
    pub is_cut_short: Cell<bool>,
    /// The types and the traits of the impls that there are functions of in what is left of the last text.
    pub impls: RefCell<BTreeSet<(String, String)>>,
}

/// A crate that is compiled for now.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// There is nothing to ask before it is put into the text.
    pub is_clear: bool,
    /// How much code it has.
    pub size: u64,
}

/// When to look at code of a later edition.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Look {
    #[default]
    Never,
    /// As soon as something of the program does not compile.
    AtOnce,
    /// When nothing else helps.
    InTheEnd,
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

/// Whoever is asked about the first text that compiles says no.
#[derive(Debug, thiserror::Error)]
#[error("it means something else")]
pub struct Other {
    /// The text that was asked about, as long as the whole one.
    pub part: String,
    /// What the compiler tells of its bodies; nothing where that is not to be had.
    pub bodies: String,
}

/// What is left without what no code names still names crates that wait.
#[derive(Debug, thiserror::Error)]
#[error("it names crates that are compiled")]
pub struct Incomplete(pub BTreeSet<String>);

/// Who is to say whether a text means what it should, by what the compiler tells of its bodies.
pub type Asked<'a> = dyn Fn(&str, &str) -> Result<bool> + 'a;

impl Effort {
    /// After so much nothing more is tried out: what is left stays. The programs of the tests take a tenth of it.
    const MOST: usize = 12 << 20;
    /// Of an error: lines with tables in them are told in full.
    const MOST_TOLD: usize = 10_000;
    /// A large text may be looked at so often.
    const LOOKS: usize = 12;
    /// After so much there is no hope for a text that does not compile.
    const TOO_MUCH: usize = 2 * Self::MOST;

    /// That of another try, where one of these did not compile.
    pub fn of_all_checks() -> Self {
        Self {
            checks_all: Cell::new(true),
            ..Self::default()
        }
    }

    /// Checks all from now on, if something was taken for granted that may be why what is dead could not be taken out of the last text; tells
    /// whether it does.
    pub fn begins_to_check_all(&self) -> bool {
        let is_doubtful = self.is_left_whole.get() && self.is_unchecked.replace(false);
        is_doubtful && !self.checks_all.replace(true)
    }

    fn add(&self, text: &str) {
        self.bytes.set(self.bytes.get() + length(text));
    }

    /// This text compiles: what was spent before is no reason to leave more in it.
    fn begin(&self, first: &str) {
        self.bytes.set(0);
        self.first.set(length(first));
    }

    fn add_errors(&self, errors: &[Diagnostic]) {
        for error in errors {
            let told = length(&error.rendered).min(Self::MOST_TOLD);
            self.bytes.set(self.bytes.get() + told);
        }
    }

    /// Whether a text does not compile because of older code that nobody has looked at yet.
    pub fn is_to_migrate(&self, error: &anyhow::Error) -> bool {
        let broken: Option<&Broken> = error.downcast_ref();
        !self.is_migrated.get() && broken.is_some_and(|broken| broken.is_of_older_edition)
    }

    fn is_enough(&self) -> bool {
        self.bytes.get() > Self::MOST.max(Self::LOOKS * self.first.get())
    }

    fn is_too_much(&self) -> bool {
        self.bytes.get() > Self::TOO_MUCH
    }
}

/// How much of a text is not blank.
fn length(text: &str) -> usize {
    let bytes = text.bytes();
    bytes.filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// Removes everything that the program does not reach. Somebody is asked first about the text without what no code names.
pub fn shake(
    compiler: &Compiler,
    text: &str,
    edition: &str,
    effort: &Effort,
    is_right: &Asked,
) -> Result<String> {
    // What was spent on a text that did not compile is no reason to leave more in this one.
    effort.bytes.set(0);
    effort.is_left_whole.set(false);
    effort.is_cut_short.set(false);
    let compiler = &compiler.with_crates_of(text);
    thread::scope(|scope| {
        // Two look at the text at a time. What all is to be compared with in the end takes as long as some rounds.
        let (send_left_out, left_out) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let waiting: BTreeSet<String> = effort.waiting.borrow().keys().cloned().collect();
        let whole = scope.spawn(move || {
            let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
            let _ = send_left_out.send(LeftOut::new(text, tokens.clone()));
            let hollow = Hollow::new(text, tokens)?;
            let by_lines = |idle: &BTreeSet<usize>| {
                whole(compiler, edition, &hollow.without(idle), text, &waiting)
            };
            whole_meanwhile(compiler, edition, &hollow, &told, &by_lines)
        });
        let left_out = || left_out.recv().context("its tokens cannot be read")?;
        let mut shaker = Shaker::new(compiler, text, edition, effort, left_out)?;
        shaker.without_unreached();
        let first = match shaker.waiting() {
            Wanted::Nothing => shaker.first_round(&tell)?,
            Wanted::Surely(named) => {
                effort.is_unchecked.set(true);
                return Err(Incomplete(named).into());
            }
            Wanted::Perhaps(all) => {
                let (first, named) = match shaker.named_by_code(&tell) {
                    Ok((Some(first), named)) => (Some(first), named),
                    // It may be for want of them that it does not compile.
                    _ => (None, all.clone()),
                };
                effort.unneeded.borrow_mut().extend(&all - &named);
                if !named.is_empty() {
                    effort.is_unchecked.set(true);
                    return Err(Incomplete(named).into());
                }
                first
            }
        };
        let bodies = first.as_ref().map_or("", |first| &first.here.bodies);
        let part = shaker.text();
        effort.begin(&part);
        if !is_right(bodies, &part)? {
            let bodies = bodies.to_owned();
            return Err(Other { part, bodies }.into());
        }
        let Some(first) = first else {
            shaker.without_dead(&mut BTreeSet::new())?;
            return Ok(shaker.finished());
        };
        let _ = tell.send(Told::Compiled(first.here.lines.clone()));
        let (whole, joined) = (Cell::new(Some(whole)), OnceCell::new());
        let whole = || -> Result<Option<&Generated>> {
            let join = || whole.take().expect("it is joined once").join();
            let result = joined.get_or_init(|| join().expect("a run does not panic"));
            let code = result.as_ref().map_err(|error| anyhow!("{error:#}"))?;
            Ok(code.as_ref())
        };
        let start = (shaker.gone.clone(), shaker.lints.clone());
        for care in [Care::Little, Care::Much, Care::All] {
            if effort.is_enough() {
                break;
            }
            // What this machine leaves out wants.
            let mut kept = BTreeSet::new();
            let (mut stays, mut alive) = (Stays::default(), None);
            loop {
                shaker.code = None;
                if let Some(alive) = alive.take() {
                    (shaker.gone, shaker.lints) = alive;
                } else {
                    (shaker.gone, shaker.lints) = start.clone();
                    if care != Care::All {
                        stays.kept.extend(&kept);
                        shaker.without_idle(&first, care, MOST_ROUNDS, &mut stays)?;
                    }
                }
                let before = (shaker.gone.clone(), shaker.lints.clone());
                shaker.without_dead(&mut kept)?;
                let errors = match shaker.compare(&first)? {
                    // The whole text may take longer than what can still be done.
                    Outcome::Same(code) => {
                        let told = std::mem::take(&mut stays.told);
                        let found = shaker.thinned(&first, code, care, &kept, told)?;
                        let whole = whole()?;
                        let is_same =
                            |code: &Generated| whole.map_or(true, |whole| code.is_part_of(whole));
                        let same = found.into_iter().take_while(|(_, code)| is_same(code));
                        match same.last() {
                            Some((done, code)) => {
                                effort.impls.replace(code.impls());
                                return Ok(done);
                            }
                            None => break,
                        }
                    }
                    Outcome::Different => break,
                    Outcome::Missing(errors) => errors,
                };
                let removed = shaker.gone.difference(&start.0).copied().collect();
                let trouble = Trouble {
                    errors,
                    removed,
                    followed: Vec::new(),
                };
                let wanted = shaker.keep(&trouble, &mut kept);
                let Some(wanted) = wanted.filter(|_| !effort.is_enough()) else {
                    break;
                };
                kept.extend(wanted);
                // Most often it is only what is dead here.
                alive = before.0.is_disjoint(&kept).then_some(before);
            }
        }
        effort.is_left_whole.set(true);
        // What compiled first, if that is the same program.
        let is_whole = whole()?.map_or(true, |whole| first.here.is_part_of(whole));
        let gone = if is_whole { start.0 } else { BTreeSet::new() };
        Ok(shaker.index.without(&gone, &[]))
    })
}

/// What is wanted in the text of the crates that wait.
enum Wanted {
    Nothing,
    Surely(BTreeSet<String>),
    /// Many of these may be named only to be passed on.
    Perhaps(BTreeSet<String>),
}

/// What is told of a text to whom makes the code of all of it.
enum Told {
    /// The compiler is asked about this part of it, in which blanks stand for the rest.
    Tried(String),
    /// That has compiled, and there is code of these lines.
    Compiled(BTreeSet<usize>),
}

/// So long whoever waits for the compiler looks whether there is something new.
const MOMENT: Duration = Duration::from_millis(4);

/// The code of a whole text, begun as soon as there is a part of it that is expected to compile: what is not in that needs no code, and
/// should there be code of it after all, it is made again by the lines. Nothing as soon as nobody tells more.
fn whole_meanwhile(
    compiler: &Compiler,
    edition: &str,
    hollow: &Hollow,
    told: &Receiver<Told>,
    by_lines: &dyn Fn(&BTreeSet<usize>) -> Result<Option<Generated>>,
) -> Result<Option<Generated>> {
    let mut next = told.recv().ok();
    while let Some(news) = next.take() {
        let part = match news {
            Told::Tried(part) => part,
            Told::Compiled(lines) => return by_lines(&hollow.idle(&lines)),
        };
        let left_out = hollow.left_out_of(&part);
        let heard = |told: Option<Told>| {
            let lines = match &told {
                Some(Told::Compiled(lines)) => Some(lines),
                _ => None,
            };
            let is_right = lines.is_some_and(|lines| left_out.is_subset(&hollow.idle(lines)));
            (told, is_right)
        };
        let mut news = None;
        let is_wanted = || match told.recv_timeout(MOMENT) {
            Err(RecvTimeoutError::Timeout) => true,
            told => {
                let (_, is_right) = news.insert(heard(told.ok()));
                *is_right
            }
        };
        let text = hollow.without(&left_out);
        let code = compiler.generate_while(&text, edition, is_wanted)?;
        let (told, is_right) = news.unwrap_or_else(|| heard(told.recv().ok()));
        if is_right && code.is_some() {
            return Ok(code);
        }
        next = told;
    }
    Ok(None)
}

/// The code of a text, if it compiles: of a hollow one, which gives the same and compiles if the text does, as far as anybody knows.
fn whole(
    compiler: &Compiler,
    edition: &str,
    hollow: &str,
    text: &str,
    waiting: &BTreeSet<String>,
) -> Result<Option<Generated>> {
    let code = |text: &str| -> Result<Option<Generated>> {
        Ok(compiler.generate(text, edition, &["--cap-lints=allow"])?.1)
    };
    match code(hollow)? {
        // What is compiled for now knows other types than those in the text: what names it seldom compiles, hollow or not.
        None if rewrite::mentioned(text, waiting).is_empty() => code(text),
        found => Ok(found),
    }
}

/// The text does not compile.
#[derive(Debug, thiserror::Error)]
#[error("{said}")]
pub struct Broken {
    said: String,
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

/// Whether no rule takes what edition 2024 takes for an expression.
fn is_expr_of_2024(error: &Diagnostic) -> bool {
    let missed = error.message.strip_prefix("no rules expected ");
    let missed = missed.and_then(|rest| rest.split('`').nth(1));
    missed.is_some_and(|word| ["const", "_"].contains(&word)) && error.rendered.contains(":expr`")
}

/// `mod x;` that a macro makes where the loader did not see it.
const NO_MODULE_FILE: &str = "E0583";

/// How much is left that could go.
#[derive(Clone, Copy, PartialEq)]
enum Care {
    /// What no code is made for goes.
    Little,
    /// But for impls for numbers: a number whose type is open becomes what the last of them is for.
    Much,
    /// Only what is dead goes.
    All,
}

/// What no code is made for and is needed nevertheless.
#[derive(Clone, Default)]
struct Stays {
    kept: BTreeSet<usize>,
    /// What goes if no code names it.
    wanted: BTreeSet<usize>,
    /// What the compiler said when it was out.
    told: Vec<Diagnostic>,
    /// What it will say again, where what it says that of is left.
    expected: Vec<Diagnostic>,
}

/// The first text that compiles without what no code names.
struct First {
    here: Arc<Generated>,
    elsewhere: Option<Elsewhere>,
}

/// The code of a text.
struct Code {
    here: Option<Arc<Generated>>,
    elsewhere: Option<Elsewhere>,
}

/// What the compiler makes of a text with what this machine leaves out, as far as it can be turned on.
struct Elsewhere {
    /// Nothing where there are errors.
    code: Option<Arc<Generated>>,
    errors: Vec<Diagnostic>,
    lints: Vec<Diagnostic>,
}

/// What a comparison tells.
enum Outcome {
    /// It gives this code.
    Same(Arc<Generated>),
    Different,
    /// What this machine leaves out has errors that it had not before.
    Missing(Vec<Diagnostic>),
}

impl Elsewhere {
    fn new(compiler: &Compiler, edition: &str, (text, flags): &TurnedOn, how: How) -> Result<Self> {
        let mut all = lints();
        all.extend(flags.iter().map(String::as_str));
        let (found, code) = match how {
            How::Check => (compiler.check(text, edition, &all)?, None),
            How::CheckClosed => (compiler.check_closed(text, edition, &all)?, None),
            How::Generate(more) => {
                all.extend(more);
                compiler.generate(text, edition, &all)?
            }
        };
        Ok(Self::from(found, code.map(Arc::new)))
    }

    /// From what the compiler says, and its code.
    fn from(found: Vec<Diagnostic>, code: Option<Arc<Generated>>) -> Self {
        let (errors, lints) = found.into_iter().partition(Diagnostic::is_error);
        Self {
            code,
            errors,
            lints,
        }
    }

    /// Of what the compiler calls dead here leaves what it calls so there too, or does not see there; and adds what it sees only there.
    /// Where there are errors it does not look for what is dead.
    fn restrict(&self, here: &mut Vec<Diagnostic>, left_out: &LeftOut) {
        if !self.errors.is_empty() {
            return;
        }
        // One lint may point at several names.
        let mut there = BTreeSet::new();
        for lint in &self.lints {
            let places = lint.spans.iter();
            there.extend(places.map(|(range, _)| (lint.code.as_str(), range.start)));
        }
        for lint in here.iter_mut().filter(|lint| !lint.is_migration()) {
            let code = lint.code.as_str();
            lint.spans.retain(|(range, _)| {
                there.contains(&(code, range.start)) || left_out.is_only_here(range.start)
            });
        }
        let only_there = self.lints.iter().cloned().filter_map(|mut lint| {
            lint.spans
                .retain(|(range, _)| left_out.is_only_there(range.start));
            (!lint.spans.is_empty()).then_some(lint)
        });
        here.extend(only_there);
    }
}

/// What the compiler is to do.
#[derive(Clone, Copy)]
enum How<'f> {
    Check,
    /// Where nothing is public beyond the program.
    CheckClosed,
    /// With some more flags.
    Generate(&'f [&'f str]),
}

fn start(diagnostic: &Diagnostic) -> Option<usize> {
    diagnostic.spans.first().map(|(range, _)| range.start)
}

/// What an error says, and where. The compiler writes the path to a name only as long as there is another one of that name.
fn said(error: &Diagnostic) -> (String, Option<usize>) {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts: Vec<&str> = error.message.split("::").collect();
    let last = parts.pop().unwrap_or_default();
    let parts = parts
        .into_iter()
        .map(|part| part.trim_end_matches(is_of_name));
    (parts.chain([last]).collect(), start(error))
}

/// A text with what this machine leaves out, and the flags that it wants.
type TurnedOn = (String, Vec<String>);

struct Shaker<'a> {
    compiler: &'a Compiler,
    edition: &'a str,
    effort: &'a Effort,
    index: Index<'a>,
    names: Names,
    imports: Imports,
    left_out: LeftOut,
    things: Things,
    /// What has a place in the table of an object.
    in_tables: BTreeSet<usize>,
    /// What calls of macros in impls make.
    made_in_impls: BTreeMap<usize, Vec<String>>,
    /// The nodes that are out, and what the compiler says of the rest.
    gone: BTreeSet<usize>,
    lints: Vec<Diagnostic>,
    calls: Calls,
    needs: Known,
    /// Imports that seemed to be unused and were not.
    wrong_guesses: BTreeSet<usize>,
    /// What was kept and has been tried again.
    tried_again: BTreeSet<usize>,
    /// What no code seemed to name, and the first text lacked: it stays until the compiler calls it dead.
    hidden: BTreeSet<usize>,
    /// The errors that what this machine leaves out had from the first, by what they say and where; nothing before there is a first.
    known: Option<BTreeSet<(String, Option<usize>)>>,
    /// The code of what is left, where it is known already.
    code: Option<Code>,
    /// What the compiler calls dead only where nothing is public beyond the program, and what was out when it was last asked that.
    closed: (Vec<Diagnostic>, Option<BTreeSet<usize>>),
}

/// Traits that mean something to the compiler without anybody asking for them, and without code that tells. (Of `Deref` there is code wherever
/// something is dereferenced.)
pub const INNATE: [&str; 8] = [
    "Drop",
    "Copy",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "FusedIterator",
];

/// Traits, most of them of operators, that code which is left out on this machine may use without naming them.
pub const UNSPOKEN: [&str; 36] = [
    "Add",
    "AddAssign",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Borrow",
    "Clone",
    "Debug",
    "Deref",
    "DerefMut",
    "Display",
    "Div",
    "DivAssign",
    "Eq",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Index",
    "IndexMut",
    "IntoIterator",
    "Iterator",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "Shl",
    "Shr",
    "Sub",
];

impl<'a> Shaker<'a> {
    /// Reads the text. What this machine leaves out of it may come while that is done.
    fn new(
        compiler: &'a Compiler,
        text: &'a str,
        edition: &'a str,
        effort: &'a Effort,
        left_out: impl FnOnce() -> Result<LeftOut>,
    ) -> Result<Self> {
        let index = Index::new(text)?;
        let names = Names::new(&index);
        let mut things = Things::new(&index, &names);
        things.all_numbers = effort.checks_all.get();
        let imports = Imports::new(&index, &names, things.words());
        let mut left_out = left_out()?;
        left_out.place(&index);
        let in_tables = objects::functions(&index, objects::named(text));
        let made_in_impls = made::in_impls(&index);
        Ok(Self {
            compiler,
            edition,
            effort,
            names,
            imports,
            index,
            left_out,
            things,
            in_tables,
            made_in_impls,
            gone: BTreeSet::new(),
            lints: Vec::new(),
            calls: Calls::default(),
            needs: Known::default(),
            wrong_guesses: BTreeSet::new(),
            tried_again: BTreeSet::new(),
            hidden: BTreeSet::new(),
            known: None,
            code: None,
            closed: (Vec::new(), None),
        })
    }

    /// The present text as it is to be, in which what changes with the edition is written so that it does not, and what the program's own
    /// code is warned of is allowed.
    fn finished(&self) -> String {
        let (migrations, others): (Vec<_>, Vec<_>) =
            self.lints.iter().partition(|lint| lint.is_migration());
        let fixes = migrations.into_iter().flat_map(|lint| lint.fixes.clone());
        let (forced, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|lint| is_forced(lint));
        // Where it is not clear whether one is told, the last look at the file tells.
        let told = forced
            .into_iter()
            .filter(|lint| self.is_shown(lint) && self.is_allowed(lint) == Some(false));
        let allowed = allowing(&self.index, others.into_iter().chain(told));
        let fixes: Vec<Fix> = fixes.chain(allowed).collect();
        self.index.without(&self.gone, &fixes)
    }

    /// Whether the text allows what the compiler is forced to warn of, if the attributes around it tell.
    fn is_allowed(&self, lint: &Diagnostic) -> Option<bool> {
        // Those of what a macro makes are in the macro.
        if !lint.made_by.is_empty() {
            return None;
        }
        let mut allowed = lint.places().map(|at| {
            let mut around = self.index.innermost(at);
            if around.is_some_and(|n| self.index.nodes[n].kind == Kind::Arm) {
                return None;
            }
            // A field or a statement may have attributes.
            let start = around.map_or(0, |n| self.index.nodes[n].head.start);
            let inside = self.index.text_at(&(start.min(at.start)..at.start));
            if inside.contains('#') {
                return None;
            }
            let mut attributes = self.index.start_of(None).to_owned();
            while let Some(n) = around {
                let node = &self.index.nodes[n];
                let start = match node.kind {
                    Kind::Import => self.index.import_start(node.range.start),
                    _ => None,
                };
                let start = start.unwrap_or(node.range.start);
                attributes += self.index.text_at(&(start..node.head.start));
                if node.kind == Kind::Module {
                    attributes += self.index.start_of(Some(n));
                }
                around = node.parent;
            }
            let has = |names: &[&str]| source::words(&attributes).any(|word| names.contains(&word));
            let is_clear = !has(&["cfg_attr", "expect", "warn", "deny", "forbid"]);
            let is_named = has(&[&lint.code, "unused", "warnings"]);
            is_clear.then(|| has(&["allow"]) && is_named)
        });
        let first = allowed.next().flatten()?;
        allowed.all(|other| other == Some(first)).then_some(first)
    }

    /// Whether a forced warning may be one by itself: some are none without a flag, and where all are allowed there is none.
    fn is_shown(&self, lint: &Diagnostic) -> bool {
        let is_silent = |at: &Range<usize>| {
            let around = self.index.innermost(at);
            around.is_some_and(|n| self.is_silenced(n))
        };
        let is_quiet = ["redundant_imports", "unused_macro_rules"].contains(&&*lint.code);
        !is_quiet && !lint.places().all(is_silent)
    }

    /// Whether a node is where all warnings are allowed: in other people's code.
    fn is_silenced(&self, n: usize) -> bool {
        self.index
            .outermost(n)
            .is_some_and(|n| self.index.is_silent(n))
    }

    /// Whether it is an import by somebody else of what is known without, where the compiler calls that redundant.
    fn is_of_prelude(&self, n: usize) -> bool {
        let node = &self.index.nodes[n];
        node.kind == Kind::Import && is_of_prelude(node) && self.is_silenced(n)
    }

    /// The present text.
    fn text(&self) -> String {
        self.index.blanked(&self.gone)
    }

    /// Adds to what is kept what is needed after all, and tells what that will want (see `needs`).
    fn keep(&self, trouble: &Trouble, kept: &mut BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        let (index, names, calls) = (&self.index, &self.names, &self.calls);
        needs::keep(index, names, calls, &self.needs, trouble, kept)
    }

    /// The present text as it is to be, with its code. Then what is left if that goes, too, which the type checker wanted while more was
    /// there and may do without now, as long as the code stays the same.
    fn thinned(
        &mut self,
        first: &First,
        code: Arc<Generated>,
        care: Care,
        kept: &BTreeSet<usize>,
        mut told: Vec<Diagnostic>,
    ) -> Result<Vec<(String, Arc<Generated>)>> {
        let mut found = vec![(self.finished(), code)];
        while care != Care::All && !self.effort.is_enough() {
            let (gone, size) = (self.gone.clone(), length(&self.text()));
            let mut stays = Stays {
                kept: kept.clone(),
                expected: told.clone(),
                ..Stays::default()
            };
            self.code = None;
            self.without_idle(first, care, MORE_ROUNDS, &mut stays)?;
            told.append(&mut stays.told);
            if self.gone == gone {
                break;
            }
            self.without_dead(&mut kept.clone())?;
            let Outcome::Same(code) = self.compare(first)? else {
                break;
            };
            found.push((self.finished(), code));
            // The next look would find still less.
            if length(&self.text()) > size - size / LEAST_GAIN {
                break;
            }
        }
        Ok(found)
    }

    /// Whether the present text gives the code of the first one that compiled.
    fn compare(&mut self, first: &First) -> Result<Outcome> {
        let code = match self.code.take() {
            Some(code) => code,
            None => self.ask(&self.text(), How::Generate(&[]))?.1,
        };
        let same = |now: &&Arc<Generated>| now.is_part_of(&first.here);
        let Some(here) = code.here.as_ref().filter(same).cloned() else {
            return Ok(Outcome::Different);
        };
        let missed: Vec<Diagnostic> = self.missed(&code).cloned().collect();
        let (Some(now), Some(before)) = (code.elsewhere, &first.elsewhere) else {
            return Ok(Outcome::Same(here));
        };
        Ok(match (&now.code, &before.code) {
            _ if !missed.is_empty() => Outcome::Missing(missed),
            (Some(now), Some(before)) if !now.is_part_of(before) => Outcome::Different,
            _ => Outcome::Same(here),
        })
    }

    /// The errors with what this machine leaves out that the first text had not.
    fn missed<'c>(&'c self, code: &'c Code) -> impl Iterator<Item = &'c Diagnostic> {
        let errors = code.elsewhere.iter().flat_map(|there| &there.errors);
        errors.filter(|error| {
            let known = self.known.as_ref();
            !known.is_some_and(|known| known.contains(&said(error)))
        })
    }

    /// A text with what this machine leaves out, for the compiler.
    fn turned_on(&self, text: &str) -> Option<TurnedOn> {
        let turned_on = self.left_out.turned_on(text)?;
        self.effort.add(text);
        Some(turned_on)
    }

    /// Asks the compiler about a text, here and with what this machine leaves out. That is no use before there is a first text, but for
    /// its code.
    fn ask(&self, text: &str, how: How) -> Result<(Vec<Diagnostic>, Code)> {
        self.ask_first(text, how, &|| ())
    }

    /// The same. If that leaves the machine something to do for another, it is told so.
    fn ask_first(
        &self,
        text: &str,
        how: How,
        is_tried: &dyn Fn(),
    ) -> Result<(Vec<Diagnostic>, Code)> {
        let (compiler, edition) = (self.compiler, self.edition);
        let is_first = self.known.is_none() && matches!(how, How::Check);
        let turned_on = if is_first { None } else { self.turned_on(text) };
        // Most often nothing is left of it soon.
        let is_off = |on: &TurnedOn| self.left_out.is_off(text, on);
        let is_same = turned_on.as_ref().is_some_and(is_off);
        let turned_on = turned_on.filter(|_| !is_same);
        self.effort.add(text);
        if turned_on.is_none() || threads() > 2 {
            is_tried();
        }
        let (here, elsewhere) = thread::scope(|scope| {
            let elsewhere = turned_on.map(|turned_on| {
                scope.spawn(move || Elsewhere::new(compiler, edition, &turned_on, how))
            });
            let here = match how {
                How::Check => compiler
                    .check(text, edition, &lints())
                    .map(|found| (found, None)),
                How::CheckClosed => compiler
                    .check_closed(text, edition, &lints())
                    .map(|found| (found, None)),
                How::Generate(more) => compiler.generate(text, edition, &[&lints(), more].concat()),
            };
            let elsewhere = elsewhere.map(|run| run.join().expect("a run does not panic"));
            (here, elsewhere)
        });
        let (mut found, here) = here?;
        let here = here.map(Arc::new);
        let mut elsewhere = elsewhere.transpose()?;
        if is_same {
            elsewhere = Some(Elsewhere::from(found.clone(), here.clone()));
        }
        if let Some(elsewhere) = &elsewhere {
            if !found.iter().any(Diagnostic::is_error) {
                elsewhere.restrict(&mut found, &self.left_out);
            }
        }
        Ok((found, Code { here, elsewhere }))
    }

    /// Of what this machine leaves out, what is in something that no code names is no concern. What is in the rest may name more.
    fn without_unreached(&mut self) {
        self.without_unreached_but(&BTreeSet::new());
    }

    /// The same with what it leaves out of some modules no concern at all.
    fn without_unreached_but(&mut self, modules: &BTreeSet<usize>) {
        self.left_out.only(&|_| false);
        loop {
            let gone = self.unnamed(&self.gone, &BTreeSet::new());
            let index = &self.index;
            let left = (0..index.nodes.len()).filter(|&n| !index.is_in(n, &gone));
            // A module of imports alone has nothing to need them.
            let mut full = BTreeSet::new();
            for n in left.filter(|&n| !index.nodes[n].is_name()) {
                let mut module = index.module(n);
                while let Some(next) = module.filter(|&n| full.insert(n)) {
                    module = index.module(next);
                }
            }
            let is_left = |node: Option<usize>| match node {
                Some(n) if index.is_in(n, modules) => false,
                Some(n) if index.nodes[n].is_name() => {
                    let module = index.module_around(n);
                    module.map_or(true, |module| full.contains(&module))
                }
                node => !node.is_some_and(|n| index.is_in(n, &gone)),
            };
            if !self.left_out.only(&is_left) {
                return;
            }
        }
    }

    /// The crates that wait and that are named in what is left without what no code names: most often the compiler would tell the same of
    /// them, after some rounds. None, if something might be used of one that may not be put into the text at all.
    fn waiting(&self) -> Wanted {
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
    fn named_by_code(&mut self, tell: &Sender<Told>) -> Result<(Option<First>, BTreeSet<String>)> {
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
    fn first_round(&mut self, tell: &Sender<Told>) -> Result<Option<First>> {
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
        // Should nobody listen any more, that shows in the end.
        let is_tried = || drop(tell.send(Told::Tried(text.clone())));
        let how = How::Generate(&[BODIES, LINES]);
        let before = self.left_out.turn_system_on();
        let (lints, mut code) = self.ask_first(&text, how, &is_tried)?;
        if let (Some(_), Some(elsewhere)) = (&code.here, &code.elsewhere) {
            let found = self.without_unbuilt(&text, &elsewhere.errors, how)?;
            code.elsewhere = found.or(code.elsewhere);
        }
        // Where there are no lines it is not understood.
        let Some(here) = code.here.filter(|here| !here.lines.is_empty()) else {
            if let Some(before) = before {
                self.left_out = before;
            }
            return Ok(Err(lints));
        };
        if let Some(before) = before {
            let there = code.elsewhere.as_ref();
            if there.map_or(true, |there| there.code.is_none()) {
                self.left_out = before.on_this_system();
                return self.start_with(gone, tell);
            }
        }
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

    /// What no used code names, with what is out already.
    fn unnamed(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = self.unnamed_items(gone, kept);
        loop {
            let crates = self.unnamed_crates(&all, kept);
            if crates.is_empty() {
                return all;
            }
            all.extend(crates);
            all = self.unnamed_items(&all, kept);
        }
    }

    /// The crates that nobody else names: there may be something left in them that is called like what others have.
    fn unnamed_crates(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> Vec<usize> {
        let (index, words) = (&self.index, self.things.words());
        let of = |n: usize| match index.module_around(n) {
            Some(module) => index.outermost(module).or(Some(module)),
            None => None,
        };
        let stay = kept.iter().chain(&self.in_tables).filter_map(|&n| of(n));
        let stay: BTreeSet<usize> = stay.collect();
        let is_gone = index.all_in(gone);
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for (n, node) in index.nodes.iter().enumerate() {
            let is_crate = node.kind == Kind::Module && node.parent.is_none();
            if is_crate && !is_gone[n] && !stay.contains(&n) && self.index.is_silent(n) {
                found.insert(&node.name, n);
            }
        }
        let ids = found.keys().map(|name| (words.find(name), *name));
        let ids: Vec<_> = ids.collect();
        let mut named = |name: &str, by: Option<usize>| {
            let is_it = found
                .get(name)
                .is_some_and(|&n| by.map_or(true, |by| of(by) != Some(n) && !is_gone[by]));
            if is_it {
                found.remove(name);
            }
        };
        for word in &words.list {
            if let Some((_, name)) = ids.iter().find(|(id, _)| *id == Some(word.id)) {
                named(name, word.node);
            }
        }
        for (n, node) in index.nodes.iter().enumerate() {
            if node.kind == Kind::Import {
                let path = index.import_path(n).unwrap_or_default();
                path.into_iter().for_each(|name| named(name, Some(n)));
            }
        }
        found.into_values().collect()
    }

    /// The same but for whole crates.
    fn unnamed_items(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let stays = |n: usize| self.is_for_others(n) || self.in_tables.contains(&n);
        let (index, names) = (&self.index, &self.names);
        let is_gone = index.all_in(gone);
        let hidden = self.hidden.iter().filter(|&&n| !is_gone[n]);
        let kept: &BTreeSet<usize> = &kept.iter().chain(hidden).copied().collect();
        let found = self.things.unnamed(index, names, gone, kept, &stays);
        if self.things.misses_numbers.get() {
            self.effort.is_unchecked.set(true);
        }
        let mut all = gone.clone();
        all.extend(
            found
                .into_iter()
                .filter(|n| !stays(*n) && !kept.contains(n)),
        );
        // Nobody tells that an import is unused where this machine does not look. What it passes on may be in use.
        let is_needed = |n: usize| !index.nodes[n].is_name() || self.is_passed_on(n);
        let is_out = index.all_in(&all);
        let mut has_needed = vec![false; index.nodes.len()];
        // What is inside stands behind.
        for (n, node) in index.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                has_needed[parent] |= has_needed[n] || !is_out[n] && is_needed(n);
            }
        }
        let is_empty = |module: &usize| !has_needed[*module];
        let is_module = |n: &usize| index.nodes[*n].kind == Kind::Module && !kept.contains(n);
        let blind = self.left_out.nodes().filter(is_module);
        let empty: Vec<usize> = blind.filter(is_empty).collect();
        all.extend(empty);
        self.names.with_followers(&self.index, all, kept)
    }

    /// Whether code that this machine leaves out may need a node: by its name, or one of the items of a trait.
    fn is_for_others(&self, n: usize) -> bool {
        let node = &self.index.nodes[n];
        let is_needed = |n: usize| self.left_out.may_need(&self.index.nodes[n].name);
        is_needed(n) || node.sort == Sort::Trait && self.index.children(n).any(is_needed)
    }

    /// Whether an import is public.
    fn is_passed_on(&self, n: usize) -> bool {
        let place = &self.index.nodes[n].range;
        let start = self.index.import_start(place.start);
        let before = start.unwrap_or(place.start)..place.start;
        self.index.text_at(&before).contains("pub")
    }

    /// The imports of all names of a module that code needs which this machine leaves out, as far as anybody knows.
    fn bring_to_others(&self) -> BTreeSet<usize> {
        let index = &self.index;
        let blind: BTreeSet<Option<usize>> = self
            .left_out
            .in_need()
            .map(|node| node.and_then(|n| index.module_around(n)))
            .collect();
        if blind.is_empty() {
            return BTreeSet::new();
        }
        let is_wanted = |n: &usize| {
            let name = &index.nodes[*n].name;
            self.left_out.may_need(name) && !index.is_in(*n, &self.gone)
        };
        let wanted: Vec<usize> = (0..index.nodes.len()).filter(is_wanted).collect();
        let modules: BTreeMap<usize, Option<usize>> = self.names.globs().collect();
        let brings = |n: &usize| {
            let has = |module| {
                let module = BTreeSet::from([module]);
                wanted.iter().any(|&n| index.is_in(n, &module))
            };
            let passes_on =
                |module: &Option<usize>| self.is_passed_on(*n) && module.map_or(true, has);
            blind.contains(&index.module(*n)) || modules.get(n).is_some_and(passes_on)
        };
        let imports = (0..index.nodes.len()).filter(|&n| index.nodes[n].kind == Kind::Import);
        let globs = imports.filter(|&n| index.nodes[n].name == "*" && !index.is_in(n, &self.gone));
        globs.filter(brings).collect()
    }

    /// Takes out what no code is made for, and sees that the crates of which there is none at all go with it: then it is no concern what this
    /// machine leaves out of them, which else might need nearly anything.
    fn without_idle(
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
        let elsewhere = first.elsewhere.iter();
        let code = elsewhere.flat_map(|elsewhere| &elsewhere.code);
        let code: Vec<&Arc<Generated>> = code.chain([&first.here]).collect();
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
        // A promise about what nobody calls.
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
            !unseen
                && is_of(n, "FusedIterator")
                && node.for_type().is_some()
                && iterators().next().is_some()
                && iterators().all(&unused)
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

    /// Takes out what the compiler calls dead and what no code names, until nothing is left to go.
    fn without_dead(&mut self, kept: &mut BTreeSet<usize>) -> Result<()> {
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
            && imports.all(|&n| self.is_silenced(n) || !self.names.is_passed_on(&self.index, n));
        is_clear && self.with_unused_imports(gone.clone(), kept) == *gone
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
    fn with_unused_imports(
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
    fn pointed_at(&self, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
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
    fn settle(
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

/// What may go because it names what is gone.
#[derive(Clone, Copy, PartialEq)]
enum Follow {
    /// Imports and impls.
    Imports,
    /// All that cannot be live if what it names is dead.
    Dead,
}

/// The module of the file, and so the crate, that an error is in.
pub fn module_of(text: &str, error: &Diagnostic) -> Result<Option<String>> {
    Ok(crate_of(&Index::new(text)?, error).map(str::to_owned))
}

fn crate_of<'i>(index: &'i Index, error: &Diagnostic) -> Option<&'i str> {
    let innermost = error.places().next().and_then(|at| index.innermost(at));
    let parents = std::iter::successors(innermost, |&n| index.nodes[n].parent);
    let outermost = parents.last().map(|n| &index.nodes[n]);
    outermost
        .filter(|node| node.kind == Kind::Module)
        .map(|node| node.name.as_str())
}

/// Whether a diagnostic is one that an `allow` silences.
pub fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic
        .code
        .starts_with(|c: char| c.is_ascii_lowercase())
}

/// Lints that are allowed for a whole file only: the compiler asks for them before it knows what an attribute belongs to.
const OF_FILES: [&str; 6] = [
    "break_with_label_and_loop",
    "confusable_idents",
    "mixed_script_confusables",
    "named_arguments_used_positionally",
    "non_ascii_idents",
    "uncommon_codepoints",
];

/// Adds `#[allow(…)]` to items of the user's own code where the compiler would warn about what had to stay: a field that only dropped code
/// read, a variant that only dropped code made.
pub fn quiet(text: &str, warnings: &[Diagnostic]) -> Result<Option<String>> {
    let index = Index::new(text)?;
    let mut edits = Edits::default();
    for (place, attribute) in allowing(&index, warnings) {
        edits.replace(place, attribute);
    }
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// The attributes that allow what a text is warned of.
fn allowing<'d>(index: &Index, warnings: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Fix> {
    let mut wanted: BTreeMap<Option<usize>, BTreeSet<&str>> = BTreeMap::new();
    // Errors have codes like E0308, lints have names.
    for warning in warnings.into_iter().filter(|warning| is_lint(warning)) {
        for place in warning.places() {
            let code = warning.code.as_str();
            let node = index.innermost(place);
            let node = node.filter(|&n| !OF_FILES.contains(&code) && !allows(index, n, code));
            // An attribute of the file is in no node. If one here was no use, it must be that.
            let at = match node.map(|n| (n, index.nodes[n].kind)) {
                None => None,
                Some((_, Kind::Arm)) if warning.code == "unused_macro_rules" => continue,
                // What is so called in the arm is what a call gave it: nobody tells which.
                Some((_, Kind::Arm)) => None,
                Some((_, Kind::Import)) => index.import_start(place.start),
                // An attribute of a call says nothing about what it makes: that of the module does, or of the file.
                Some((n, Kind::Call)) => index
                    .module(n)
                    .map(|module| index.nodes[module].range.start),
                Some((n, _)) => Some(index.nodes[n].range.start),
            };
            wanted.entry(at).or_default().insert(&warning.code);
        }
    }
    let attribute = |(at, lints): (Option<usize>, BTreeSet<&str>)| {
        let lints = Vec::from_iter(lints).join(", ");
        index.attribute_at(at, &format!("[allow({lints})]"))
    };
    wanted.into_iter().map(attribute).collect()
}

/// Whether a node, or one that it is in, has an attribute that allows a lint.
fn allows(index: &Index, n: usize, lint: &str) -> bool {
    let is_allowing = |word: &str| match word {
        "warnings" => !load::ERRORS.contains(&lint),
        word => word == lint,
    };
    let around = std::iter::successors(Some(n), |&n| index.nodes[n].parent);
    around.into_iter().any(|n| {
        let node = &index.nodes[n];
        let mut words = source::words(index.text_at(&(node.range.start..node.head.start)));
        words.any(|word| word == "allow") && words.any(is_allowing)
    })
}

/// Whether a warning is told also where it is allowed.
fn is_forced(lint: &Diagnostic) -> bool {
    LINTS.iter().any(|flag| lint.is_about(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_the_same_with_the_paths_of_its_names_and_without() {
        let said_of = |message: &str| {
            let error = Diagnostic {
                message: message.to_owned(),
                ..lint("E0277", &[3])
            };
            said(&error)
        };
        let short = said_of("`<T as A<B>>::C` is not `&[u8]`");
        assert_eq!(said_of("`<T as a::b::A<c_d::B>>::C` is not `&[u8]`"), short);
        assert_eq!(short.1, Some(3));
        assert_ne!(said_of("`<T as a::A<B>>::C` is not `&[u16]`"), short);
    }

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

    fn lint(code: &str, places: &[usize]) -> Diagnostic {
        Diagnostic {
            level: "warning".to_owned(),
            made_by: Vec::new(),
            code: code.to_owned(),
            message: String::new(),
            rendered: String::new(),
            fixes: Vec::new(),
            offers: Vec::new(),
            spans: places.iter().map(|&at| (at..at + 1, None)).collect(),
        }
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
    fn what_it_took_until_a_text_compiled_leaves_no_more_in_it() {
        let effort = Effort::default();
        let text = |length: usize| "x ".repeat(length);
        effort.add(&text(Effort::MOST + 1));
        assert!(effort.is_enough());
        effort.begin(&text(9));
        assert!(!effort.is_enough());
        effort.add(&text(Effort::MOST + 1));
        assert!(effort.is_enough());
        let first = Effort::MOST / Effort::LOOKS + 1;
        effort.begin(&text(first));
        effort.add(&text(Effort::MOST + 1));
        assert!(!effort.is_enough());
        effort.add(&text(first));
        assert!(effort.is_enough());
        // An error may show a table of megabytes.
        effort.begin("");
        let error = Diagnostic {
            rendered: text(Effort::MOST + 1),
            ..lint("E0277", &[0])
        };
        effort.add_errors(&[error]);
        assert!(!effort.is_enough());
    }

    /// What the compiler of this machine leaves of a text.
    fn shaken(text: &str, effort: &Effort) -> Result<String> {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        shake(&compiler, text, "2021", effort, &|_, _| Ok(true))
    }

    #[test]
    fn imports_of_what_the_prelude_has_go_where_others_wrote_them() {
        let text = "#[allow(warnings)] mod lib { use std::vec::Vec; pub fn f() -> Vec<u8> { Vec::new() } \
                    pub mod m { pub struct Vec; } pub mod n { use super::m::Vec; pub fn g() -> usize { std::mem::size_of::<Vec>() } } }\n\
                    use std::vec::Vec;\n\
                    fn main() { let a: Vec<u8> = lib::f(); println!(\"{a:?} {}\", lib::n::g()); }\n";
        let left = shaken(text, &Effort::default()).unwrap();
        assert_eq!(left.matches("use std::vec::Vec;").count(), 1, "{left}");
        assert!(left.contains("\nuse std::vec::Vec;"), "{left}");
        assert!(left.contains("use super::m::Vec;"), "{left}");
        // Nobody is told of it.
        assert!(!left.contains("redundant"), "{left}");
    }

    #[test]
    fn an_impl_follows_with_what_is_in_it_and_only_if_nothing_of_that_is_needed() {
        let text = "trait T {} struct A<B>(B); impl<B: T> A<B> { fn f(&self) {} }\nfn main() { A(1).f() }\n";
        let scratch = tempfile::tempdir().unwrap();
        let (compiler, effort) = (Compiler::new(scratch.path()), Effort::default());
        let left_out = || LeftOut::new(text, text.parse().unwrap());
        let mut shaker = Shaker::new(&compiler, text, "2021", &effort, left_out).unwrap();
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
    fn with_all_checks_it_is_the_same_text() {
        // That `H` is dead the compiler tells, and then that `f` is imported for nothing.
        let text = "#[allow(warnings)] mod lib { pub mod a { pub fn f() -> u8 { 1 } } \
                    mod b { use super::a::f; const H: fn() -> u8 = f; \
                    pub fn g() -> u8 { assert!(stringify!(f) != stringify!(H)); super::a::f() } } pub use self::b::g; }\n\
                    fn main() { println!(\"{}\", lib::g()); }\n";
        let found = |effort: &Effort| {
            let found = shaken(text, effort).unwrap();
            (found, effort.is_unchecked.get())
        };
        let (quick, careful) = (found(&Effort::default()), found(&Effort::of_all_checks()));
        assert!(!quick.0.contains("use super::a::f;"), "{}", quick.0);
        assert_eq!(quick.0, careful.0);
        assert_eq!((quick.1, careful.1), (true, false));
    }

    #[test]
    fn a_crate_that_is_named_by_what_is_left_comes_first() {
        let text = "mod a { pub fn f() { ::big::f() } pub fn g() { ::other::g() } }\nfn main() { a::f(); }\n";
        let named_in = |text: &str, waiting: &[(&str, bool)]| -> Option<Vec<String>> {
            let effort = Effort::default();
            let waiting = waiting.iter().map(|&(name, is_clear)| {
                let size = 10;
                (name.to_owned(), Waiting { is_clear, size })
            });
            effort.waiting.replace(waiting.collect());
            let error = shaken(text, &effort).unwrap_err();
            let named: Incomplete = error.downcast().ok()?;
            Some(named.0.into_iter().collect())
        };
        let named = |waiting: &[(&str, bool)]| named_in(text, waiting);
        let big = vec!["big".to_owned()];
        assert_eq!(named(&[("big", true), ("third", true)]), Some(big.clone()));
        // What nothing that is left names is no concern.
        assert_eq!(named(&[("big", true), ("other", false)]), Some(big.clone()));
        // The compiler is to say whether one is needed that might not be put in.
        assert_eq!(named(&[("big", false)]), None);
        // Nor is what brings a macro that nobody calls: a module has the name, and another crate's macro.
        let text = "#[allow(warnings)] mod a { pub use ::macros::table; pub mod table { pub fn f() { ::big::f() } } }\n\
                    #[allow(warnings)] mod b { macro_rules! table { () => {} } pub fn f() { table!() } }\n\
                    fn main() { a::table::f(); b::f(); }\n";
        let waiting = [("big", true), ("macros", false)];
        let called = text.replace("a::table::f();", "a::table::f(); a::table!();");
        assert_eq!(named_in(text, &waiting), Some(big));
        assert_eq!(named_in(&called, &waiting), None);
    }

    #[test]
    fn what_does_not_compile_is_named() {
        let said = |text: &str| {
            let error = shaken(text, &Effort::default()).unwrap_err();
            error.to_string()
        };
        let text = "mod a { pub fn f() -> u8 { true } }\nfn main() { a::f(); }\n";
        assert!(said(text).starts_with("inlined, the program does not compile"));
        let of_others = said(&format!("#[allow(warnings)]\n{text}"));
        assert!(of_others.starts_with("inlined, the crate a does not compile"));
    }

    #[test]
    fn what_nothing_would_mend_is_refused_soon() {
        let unused = (0..300).map(|n| format!("pub fn unused_{n}() {{}} "));
        let unused: String = unused.collect();
        let text = format!(
            "mod a {{ {unused} }}\nconst A: [u8; 1] = [0; 2];\nfn main() {{ let _ = A; }}\n"
        );
        let effort = Effort::default();
        let said = shaken(&text, &effort).unwrap_err().to_string();
        assert!(said.contains("mismatched types"), "{said}");
        // Once all of it, and before no more than half.
        assert!(effort.bytes.get() < 3 * length(&text));
    }

    #[test]
    fn what_another_text_took_leaves_nothing_in_this_one() {
        let text =
            "struct A; impl Clone for A { fn clone(&self) -> A { A } }\nfn main() { let A = A; }\n";
        let effort = Effort::default();
        effort.bytes.set(Effort::MOST + 1);
        let found = shaken(text, &effort).unwrap();
        assert!(!found.contains("Clone"), "{found}");
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

    #[test]
    fn a_lint_of_a_file_is_allowed_at_its_top() {
        let text = "fn f() { x() }";
        let allowed = |code: &str| quiet(text, &[lint(code, &[9])]).unwrap();
        assert_eq!(
            allowed("confusable_idents").unwrap(),
            format!("#![allow(confusable_idents)]\n\n{text}")
        );
        assert_eq!(
            allowed("dead_code").unwrap(),
            format!("#[allow(dead_code)]\n{text}")
        );
    }

    #[test]
    fn a_lint_of_a_file_is_allowed_beside_others() {
        let text = "// A solution.\n\n#![allow(x)]\n// Of it.\nfn f() { x() }";
        let at = text.find("x()").unwrap();
        let allowed = quiet(text, &[lint("confusable_idents", &[at])]).unwrap();
        let expected = text.replace("#![", "#![allow(confusable_idents)]\n#![");
        assert_eq!(allowed.unwrap(), expected);
    }

    #[test]
    fn what_an_attribute_does_not_silence_one_of_the_file_does() {
        let text = "#[allow(warnings)] mod a { fn f() {} }\nmod b { #[allow(y)] fn f() {} #[cfg(x)] fn g() {} }\n";
        let quiet = |place: &str, code: &str| {
            let at = text.find(place).unwrap();
            quiet(text, &[lint(code, &[at + 4])]).unwrap().unwrap()
        };
        assert!(quiet("{ fn f", "x").starts_with("#![allow(x)]"));
        assert!(quiet("] fn f", "y").starts_with("#![allow(y)]"));
        let denied = "dangerous_implicit_autorefs";
        let attribute = format!("mod a {{ #[allow({denied})]\nfn f");
        assert!(quiet("{ fn f", denied).contains(&attribute));
        assert!(quiet("] fn f", "x").contains("mod b { #[allow(x)]\n#[allow(y)] fn f"));
        assert!(quiet("] fn g", "x").contains("#[allow(x)]\n#[cfg(x)] fn g"));
    }

    #[test]
    fn an_attribute_stands_below_comments() {
        let text = "//! All.\n/*! Of it. */\n\n// One.\n/// Two.\n/** Three. */\n\n#[x]\n// Four.\nfn f() {}\n";
        let quiet = |code: &str| {
            let at = text.find("f()").unwrap();
            quiet(text, &[lint(code, &[at])]).unwrap().unwrap()
        };
        assert_eq!(quiet("y"), text.replace("#[x]", "#[allow(y)]\n#[x]"));
        let below = "Of it. */\n#![allow(uncommon_codepoints)]\n\n// One.";
        let of_file = quiet("uncommon_codepoints");
        assert_eq!(of_file, text.replace("Of it. */\n\n// One.", below));
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_is_used_elsewhere_is_not_dead() {
        let text = "fn a() {} #[cfg(target_pointer_width = \"64\")] fn b() {} #[cfg(target_pointer_width = \"32\")] fn c() {}";
        let [a, b, c] = ["a()", "b()", "c()"].map(|name| text.find(name).unwrap());
        let left_out = LeftOut::new(text, text.parse().unwrap()).unwrap();
        let places = |errors: Vec<Diagnostic>| -> Vec<Vec<usize>> {
            let lints = vec![
                lint("unused_imports", &[2]),
                lint("dead_code", &[a, c]),
                lint("dead_code", &[4]),
            ];
            let elsewhere = Elsewhere {
                code: None,
                errors,
                lints,
            };
            let mut here = vec![
                lint("unused_imports", &[1, 2]),
                lint("dead_code", &[a, b]),
                lint("dead_code", &[4, 5]),
            ];
            elsewhere.restrict(&mut here, &left_out);
            let starts = |lint: &Diagnostic| lint.spans.iter().map(|(at, _)| at.start).collect();
            here.iter().map(starts).collect()
        };
        // What is compiled on one of the two only is dead if it is dead there.
        assert_eq!(places(Vec::new()), [vec![2], vec![a, b], vec![4], vec![c]]);
        // Where there are errors nobody has looked.
        assert_eq!(
            places(vec![lint("E0425", &[9])]),
            [vec![1, 2], vec![a, b], vec![4, 5]]
        );
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_compiles_for_this_width_alone_hides_nothing_else() {
        let text = "#[cfg(target_pointer_width = \"64\")] const WIDTH: usize = 8;
#[cfg(target_pointer_width = \"32\")] const WIDTH: usize = 4;
trait Bytes { fn read(from: [u8; WIDTH]) -> Self; }
impl Bytes for usize { fn read(from: [u8; WIDTH]) -> usize { usize::from_ne_bytes(from) } }
#[cfg(target_pointer_width = \"64\")] fn by_width() -> u8 { 8 }
#[cfg(target_pointer_width = \"32\")] fn by_width() -> u8 { a::four() }
mod a { pub fn four() -> u8 { 4 } }
mod b { use crate::a::four; pub struct S(pub u8); impl Default for S { fn default() -> S { S(four()) } } }
fn main() { b::S(1); print!(\"{} {}\", by_width(), usize::read([0; WIDTH])); }
";
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let effort = Effort::default();
        let left = shake(&compiler, text, "2021", &effort, &|_, _| Ok(true)).unwrap();
        assert!(
            left.contains("fn four()") && !left.contains("use crate::a::four"),
            "{left}"
        );
        assert!(left.contains("impl Bytes for usize"), "{left}");
    }
}
