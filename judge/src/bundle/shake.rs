//! Drops what `main` does not reach, and nothing else.
//!
//! The compiler decides.
//!
//! 1. What no code names is taken out (see `unreached`, `unnamed`), until the rest compiles (see `first`): that saves the compiler most of
//!    its work.
//! 2. The compiler makes code of what is left, and tells for which functions (see `generated`). An impl of a trait that no code was made
//!    for, and a method of an impl that the trait provides as well, go where the type checker does without them (see `idle`, `calls`,
//!    `needs`). So does what a trait asks for, with what its impls have for it, if there is code of none of these.
//! 3. Round by round, what the lints `dead_code`, `unused_imports`, `unused_macros` and `unused_macro_rules` point at (forced, so that no
//!    `allow` hides anything) is removed, with all that no code names any more, and imports of what the prelude has (see `dead`). Then what
//!    only others could use (see `closed`).
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

mod allowing;
mod asking;
pub(super) mod calls;
pub(super) mod closed;
mod dead;
pub(super) mod derived;
mod effort;
mod first;
pub(super) mod follow;
pub(super) mod generated;
pub(super) mod hollow;
mod idle;
mod imports;
pub(super) mod in_rules;
pub(super) mod left_out;
pub(super) mod made;
pub(super) mod needs;
mod objects;
pub(super) mod provided;
pub(super) mod unasked;
mod unnamed;
mod unreached;
pub(super) mod variants;

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::thread;

use anyhow::{anyhow, Context, Result};
use proc_macro2::TokenStream;

pub use allowing::{is_lint, quiet};
pub use asking::LINTS;
pub use dead::is_about;
pub use effort::{Effort, Look, Waiting};
pub use first::{module_of, Broken, Newer};

use super::compiler::{Compiler, Diagnostic, MOMENT};
use super::rewrite;
use super::text::index::{Index, Kind};
use asking::{said, Code, How};
use calls::Calls;
use effort::length;
use first::{First, Wanted};
use follow::{is_of_prelude, Names};
use generated::Generated;
use hollow::Hollow;
use imports::Imports;
use left_out::LeftOut;
use needs::{Known, Trouble};
use unnamed::Things;

/// After so many rounds what no code is made for stays: where errors do not tell what they miss, there is no end in sight.
const MOST_ROUNDS: usize = 20;

/// What may go when the rest is gone most often does so after as many.
const MORE_ROUNDS: usize = 5;

/// A text that got smaller by less than such a part is not looked at again.
const LEAST_GAIN: usize = 10;

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
pub struct Incomplete {
    pub named: BTreeSet<String>,
    /// What names those that may not be put into the text: the text with blanks for the functions that there is no code of.
    pub barred_by: Option<String>,
}

impl From<BTreeSet<String>> for Incomplete {
    fn from(named: BTreeSet<String>) -> Self {
        Self {
            named,
            barred_by: None,
        }
    }
}

/// Who is to say whether a text means what it should, by what the compiler tells of its bodies.
pub type Asked<'a> = dyn Fn(&str, &str) -> Result<bool> + 'a;

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
        let (send_read, read) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let waiting: BTreeSet<String> = effort.waiting.borrow().keys().cloned().collect();
        let whole = scope.spawn(move || {
            let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
            let _ = send_read.send(Read::new(text, tokens.clone()));
            let hollow = Hollow::new(text, tokens)?;
            let by_lines = |idle: &BTreeSet<usize>| {
                whole(compiler, edition, &hollow.without(idle), text, &waiting)
            };
            whole_meanwhile(compiler, edition, &hollow, &told, &by_lines)
        });
        let read = || read.recv().context("its tokens cannot be read")?;
        let mut shaker = Shaker::new(compiler, text, edition, effort, read)?;
        shaker.without_unreached();
        let first = match shaker.waiting() {
            Wanted::Nothing => {
                let first = shaker.first_round(&tell)?;
                if let Some(first) = &first {
                    shaker.refuse_barred(first)?;
                }
                first
            }
            Wanted::Surely(named) => {
                effort.is_unchecked.set(true);
                return Err(Incomplete::from(named).into());
            }
            Wanted::Perhaps(all) => {
                let (first, named) = match shaker.named_by_code(&tell) {
                    Ok((Some(first), named)) => {
                        shaker.refuse_barred(&first)?;
                        (Some(first), named)
                    }
                    // It may be for want of them that it does not compile.
                    _ => (None, all.clone()),
                };
                effort.unneeded.borrow_mut().extend(&all - &named);
                if !named.is_empty() {
                    effort.is_unchecked.set(true);
                    return Err(Incomplete::from(named).into());
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
                    Outcome::Different(called) => {
                        let beside = shaker.impls_beside(&called, &kept);
                        if care != Care::Little || beside.is_empty() || effort.is_enough() {
                            break;
                        }
                        kept.extend(beside);
                        continue;
                    }
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

/// What is found in the tokens of a text.
struct Read {
    left_out: LeftOut,
    /// Names of the traits that there are objects of.
    objects: BTreeSet<String>,
}

impl Read {
    fn new(text: &str, tokens: TokenStream) -> Result<Self> {
        Ok(Self {
            objects: objects::named(text, tokens.clone()),
            left_out: LeftOut::new(text, tokens)?,
        })
    }
}

/// What is told of a text to whom makes the code of all of it.
enum Told {
    /// The compiler is asked about this part of it, in which blanks stand for the rest.
    Tried(String),
    /// That has compiled, and there is code of these lines.
    Compiled(BTreeSet<usize>),
}

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
        let code = compiler.code_while(&text, edition, is_wanted)?;
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
    match compiler.code(hollow, edition)? {
        // What is compiled for now knows other types than those in the text: what names it seldom compiles, hollow or not.
        None if rewrite::mentioned(text, waiting).is_empty() => compiler.code(text, edition),
        found => Ok(found),
    }
}

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

/// What a comparison tells.
enum Outcome {
    /// It gives this code.
    Same(Arc<Generated>),
    /// It does not; there the first text calls functions of impls for these types, of these traits.
    Different(BTreeSet<(String, String)>),
    /// What this machine leaves out has errors that it had not before.
    Missing(Vec<Diagnostic>),
}

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
        read: impl FnOnce() -> Result<Read>,
    ) -> Result<Self> {
        let index = Index::new(text)?;
        let names = Names::new(&index);
        let mut things = Things::new(&index, &names);
        things.all_numbers = effort.checks_all.get();
        let imports = Imports::new(&index, &names, things.words());
        let Read {
            mut left_out,
            objects,
        } = read()?;
        left_out.place(&index);
        let in_tables = objects::functions(&index, objects);
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

    /// The impls that are out, for some types and of some traits: where one of several is left, the type checker knows what an operand
    /// becomes, and borrows it anew.
    fn impls_beside(
        &self,
        called: &BTreeSet<(String, String)>,
        kept: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let name = |path: &String| objects::name_of(path);
        let called: BTreeSet<_> = called.iter().map(|(of, by)| (name(of), name(by))).collect();
        let out = self.gone.iter().copied().filter(|n| !kept.contains(n));
        out.filter(|&n| {
            let node = &self.index.nodes[n];
            node.kind == Kind::Impl
                && called.contains(&(node.for_type().cloned(), node.of_trait().cloned()))
        })
        .collect()
    }

    /// Whether the present text gives the code of the first one that compiled.
    fn compare(&mut self, first: &First) -> Result<Outcome> {
        let code = match self.code.take() {
            Some(code) => code,
            None => self.ask(&self.text(), How::Generate(&[]))?.1,
        };
        let here = match &code.here {
            Some(here) if here.is_part_of(&first.here) => here.clone(),
            Some(here) => return Ok(Outcome::Different(here.called_where_other(&first.here))),
            None => return Ok(Outcome::Different(BTreeSet::new())),
        };
        let missed: Vec<Diagnostic> = self.missed(&code).cloned().collect();
        let (Some(now), Some(before)) = (code.elsewhere, &first.elsewhere) else {
            return Ok(Outcome::Same(here));
        };
        Ok(match (&now.code, &before.code) {
            _ if !missed.is_empty() => Outcome::Missing(missed),
            (Some(now), Some(before)) if !now.is_part_of(before) => {
                Outcome::Different(now.called_where_other(before))
            }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn lint(code: &str, places: &[usize]) -> Diagnostic {
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

    /// What the compiler of this machine leaves of a text.
    fn shaken(text: &str, effort: &Effort) -> Result<String> {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        shake(&compiler, text, "2021", effort, &|_, _| Ok(true))
    }

    #[test]
    fn an_impl_stays_beside_which_an_operand_is_borrowed_anew() {
        let text = "#[allow(dead_code)] mod lib {\n\
                    pub struct S(pub usize);\n\
                    impl PartialEq<str> for S {\n fn eq(&self, of: &str) -> bool { self.0 == of.len() }\n }\n\
                    impl PartialEq<&str> for S {\n fn eq(&self, of: &&str) -> bool { self.0 == of.len() }\n }\n\
                    impl PartialOrd<str> for S {\n fn partial_cmp(&self, _: &str) -> Option<std::cmp::Ordering> { None }\n }\n\
                    pub struct R(pub S);\n\
                    impl PartialEq<&str> for R {\n fn eq(&self, of: &&str) -> bool { self.0 == *of }\n }\n\
                    impl PartialEq<str> for R {\n fn eq(&self, of: &str) -> bool { self.0 == *of }\n }\n\
                    impl PartialEq<u8> for R {\n fn eq(&self, of: &u8) -> bool { self.0.0 == *of as usize }\n }\n\
                    }\n\
                    fn main() { let r = lib::R(lib::S(3)); println!(\"{} {}\", r == \"abc\", r == 3u8); }\n";
        let left = shaken(text, &Effort::default()).unwrap();
        assert!(left.contains("PartialEq<str> for S"), "{left}");
        for gone in ["PartialOrd", "PartialEq<str> for R"] {
            assert!(!left.contains(gone), "{gone} is still there: {left}");
        }
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
    fn a_promise_to_end_for_good_goes_where_nothing_asks_for_it() {
        let text = |used: &str| {
            format!(
                "use std::iter::FusedIterator;\nstruct Odd(u8);\n\
                 impl Iterator for Odd {{ type Item = u8; fn next(&mut self) -> Option<u8> {{ self.0 += 1; Some(self.0 % 2) }} }}\n\
                 impl FusedIterator for Odd {{}}\nfn f(of: impl FusedIterator) {{ of.last(); }}\n\
                 fn main() {{ let odd = Odd(0); {used} }}\n"
            )
        };
        let has_promise = |used: &str| {
            let left = shaken(&text(used), &Effort::default()).unwrap();
            left.contains("FusedIterator for Odd")
        };
        assert!(!has_promise("odd.last();"));
        // The adaptor does not look whether it is kept, also where another one has it inside.
        assert!(has_promise("odd.fuse().last();"));
        assert!(has_promise("odd.flat_map(|n| 0..n).next();"));
        // This takes all at once, and goes on with nothing.
        assert!(!has_promise("odd.flat_map(|n| 0..n).last();"));
        assert!(has_promise("f(odd);"));
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
                let waiting = Waiting {
                    is_clear,
                    is_barred: false,
                    size,
                };
                (name.to_owned(), waiting)
            });
            effort.waiting.replace(waiting.collect());
            let error = shaken(text, &effort).unwrap_err();
            let named: Incomplete = error.downcast().ok()?;
            Some(named.named.into_iter().collect())
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
    fn a_crate_that_may_not_come_is_wanted_as_soon_as_there_is_code_that_names_it() {
        let text = "mod a { pub trait T { fn f(&self); fn g(&self) {} }
            impl T for u8 { fn f(&self) { ::std::mem::drop(1) } }
            impl T for u16 { fn f(&self) {
                fn unused() { ::std::mem::drop(2) } }
                fn g(&self) { ::std::mem::drop(3) } }
            impl T for u32 { fn f(&self) {} fn g(&self) { ::std::mem::drop(4) } } }\n";
        let left = |main: &str| {
            let effort = Effort::default();
            let waiting = Waiting {
                is_clear: false,
                is_barred: true,
                size: 1,
            };
            effort
                .waiting
                .replace(BTreeMap::from([("std".to_owned(), waiting)]));
            shaken(&format!("{text}fn main() {{ {main} }}\n"), &effort)
        };
        let error = left("a::T::f(&1u8)").unwrap_err();
        let named = BTreeSet::from(["std".to_owned()]);
        let incomplete: Incomplete = error.downcast().unwrap();
        assert_eq!(incomplete.named, named);
        let part = incomplete.barred_by.unwrap();
        assert!(part.contains("drop(1)") && !part.contains("drop(2)") && !part.contains("drop(3)"));
        // There is no code of the others, or of one on the same line only.
        assert!(left("a::T::f(&1u32)").unwrap().contains("impl T for u32"));
        assert!(left("a::T::f(&1u16)").unwrap().contains("impl T for u16"));
        assert!(left("a::T::g(&1u8)").unwrap().contains("impl T for u8"));
    }

    #[test]
    fn a_trait_may_have_a_raw_name_and_an_object_of_it_another() {
        let text = "trait r#try { fn f(&self) -> u8; fn g(&self) -> u8 { 1 } } struct A; impl r#try for A { fn f(&self) -> u8 { 2 } }
            mod m { pub trait T { fn h(&self) -> u8; fn i(&self) -> u8 { 3 } } impl T for u8 { fn h(&self) -> u8 { *self } } }
            use m::T as Told; fn unused() {}
            fn main() { let objects: [Box<dyn Send + Told>; 1] = [Box::new(4)]; print!(\"{} {}\", A.f(), objects[0].h()); }\n";
        let left = shaken(text, &Effort::default()).unwrap();
        // What has a place in a table stays, and that is all.
        assert!(
            left.contains("fn i(&self)") && !left.contains("fn g(&self)"),
            "{left}"
        );
        assert!(!left.contains("unused"), "{left}");
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
