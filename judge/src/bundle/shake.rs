//! Drops what `main` does not reach, and nothing else.
//!
//! The compiler decides.
//!
//! 1. What no code names is taken out (see `unnamed`): that saves the compiler most of its work.
//! 2. The compiler makes code of what is left, and tells for which functions (see `generated`). An impl of a trait that no code was made
//!    for, and a method of an impl that the trait provides as well, go where the type checker does without them.
//! 3. Round by round, what the lints `dead_code`, `unused_imports`, `unused_macros` and `unused_macro_rules` point at (forced, so that no
//!    `allow` hides anything) is removed, with all that no code names any more.
//! 4. The compiler makes code again. If it is not the code that it makes of the whole text, all starts anew without step 2.
//!
//! A removal makes errors where something named what is gone: an import, an impl of a type or trait that is gone, an impl item of a trait
//! method that is gone. These are removed in turn, until the text compiles again. Everything else that breaks is proof that the thing was
//! needed after all: the round is undone, and the thing stays. So a removal that would break something live cannot survive;
//! one that would change what the program does without an error, because a call now finds another method, cannot survive step 4.
//! `Drop`, `Deref` and the traits that the compiler knows by itself are not even tried.
//!
//! Enum variants and struct fields stay: they are part of a type's layout, of its `Debug` text and of its ordering.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::thread;

use anyhow::{bail, Result};

use super::compiler::{Compiler, Diagnostic};
use super::follow::Names;
use super::generated::Generated;
use super::index::{Index, Kind, Node};
use super::left_out::LeftOut;
use super::needs::{self, Trouble};
use super::source::Edits;
use super::unnamed;

const LINTS: [&str; 7] = [
    "-Awarnings",
    // What is an error by itself is none in a dependency that cargo compiles.
    "--cap-lints=warn",
    "--force-warn=dead_code",
    "--force-warn=unused_imports",
    "--force-warn=unused_macros",
    "--force-warn=unused_macro_rules",
    "-Aunused",
];

/// Removes everything that the program does not reach.
pub fn shake(compiler: &Compiler, text: &str, edition: &str) -> Result<String> {
    thread::scope(|scope| {
        // What all is to be compared with in the end takes as long as some rounds.
        let whole = scope.spawn(|| compiler.generate(text, edition, &LINTS));
        let index = Index::new(text)?;
        let mut shaker = Shaker {
            compiler,
            edition,
            names: Names::new(&index),
            index,
            left_out: LeftOut::new(text)?,
            gone: BTreeSet::new(),
            lints: Vec::new(),
        };
        let before = shaker.first_round()?;
        let start = (shaker.gone.clone(), shaker.lints.clone());
        if let Some(before) = &before {
            shaker.without_uninstantiated(before)?;
        }
        shaker.without_dead()?;
        let whole = whole.join().expect("a run does not panic")?.1;
        let Some(before) = before else {
            return Ok(shaker.index.without(&shaker.gone));
        };
        if !shaker.is_proven(whole.as_ref(), &before)? {
            (shaker.gone, shaker.lints) = start.clone();
            shaker.without_dead()?;
            if !shaker.is_proven(whole.as_ref(), &before)? {
                (shaker.gone, shaker.lints) = start;
            }
        }
        Ok(shaker.index.without(&shaker.gone))
    })
}

struct Shaker<'a> {
    compiler: &'a Compiler,
    edition: &'a str,
    index: Index<'a>,
    names: Names,
    left_out: LeftOut,
    /// The nodes that are out, and what the compiler says of the rest.
    gone: BTreeSet<usize>,
    lints: Vec<Diagnostic>,
}

/// Traits that mean something to the compiler without anybody asking for them.
const INNATE: [&str; 10] = [
    "Drop",
    "Deref",
    "DerefMut",
    "Copy",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "FusedIterator",
];

/// Traits, most of them of operators, that code which is left out on this machine may use without naming them.
const UNSPOKEN: [&str; 34] = [
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

impl Shaker<'_> {
    /// The present text.
    fn text(&self) -> String {
        self.index.blanked(&self.gone)
    }

    /// Whether the present text gives the code of the whole one, or of the first that compiled, if the whole does not.
    fn is_proven(&self, whole: Option<&Generated>, before: &Code) -> Result<bool> {
        let Some(after) = self.generate(&self.gone)?.1 else {
            return Ok(false);
        };
        Ok(after.is_part_of(before) && whole.map_or(true, |whole| after.here.is_part_of(whole)))
    }

    /// Takes out what no code names, and reads the code that the compiler makes of the rest. Nothing where it cannot be read.
    fn first_round(&mut self) -> Result<Option<Code>> {
        let mut kept = BTreeSet::new();
        loop {
            let gone = self.unnamed(&self.gone, &kept)?;
            // Most often it compiles, and one run tells all.
            if let Some(code) = self.start_with(gone.clone())? {
                return Ok(Some(code));
            }
            match self.settle(gone, &kept, Follow::Imports)? {
                None => return self.start_with(self.gone.clone()),
                Some(trouble) => {
                    if !needs::keep(&self.index, &self.names, &trouble, &mut kept) {
                        let error = trouble.errors.first().map_or("", |error| &error.rendered);
                        let edition = self.edition;
                        if error.contains("only allowed in Rust") {
                            bail!("it needs a newer edition than {edition}, which judges compile with:\n{error}");
                        }
                        bail!("inlined, the program does not compile:\n{error}");
                    }
                }
            }
        }
    }

    /// Starts without some nodes, if the text compiles so.
    fn start_with(&mut self, gone: BTreeSet<usize>) -> Result<Option<Code>> {
        let (lints, code) = self.generate(&gone)?;
        if code.is_some() {
            self.gone = gone;
            self.lints = lints;
        }
        Ok(code)
    }

    /// Has code made of the text without some nodes, here and as it would be elsewhere.
    fn generate(&self, gone: &BTreeSet<usize>) -> Result<(Vec<Diagnostic>, Option<Code>)> {
        let text = self.index.blanked(gone);
        let elsewhere = self.left_out.turned_on(&text);
        let (compiler, edition) = (self.compiler, self.edition);
        let (here, elsewhere) = thread::scope(|scope| {
            let elsewhere = elsewhere.as_ref().map(|(text, flags)| {
                let flags: Vec<&str> = flags.iter().map(String::as_str).chain(LINTS).collect();
                scope.spawn(move || compiler.generate(text, edition, &flags))
            });
            let here = compiler.generate(&text, edition, &LINTS);
            let elsewhere = elsewhere.map(|run| run.join().expect("a run does not panic"));
            (here, elsewhere)
        });
        let (lints, here) = here?;
        let elsewhere = match elsewhere.transpose()? {
            Some((found, Some(code))) => (Some(code), found),
            Some((found, None)) => (None, found),
            None => (None, Vec::new()),
        };
        let code = here.map(|here| Code {
            here,
            elsewhere: elsewhere.0,
            errors: errors(elsewhere.1).iter().map(place).collect(),
        });
        Ok((lints, code))
    }

    /// What no used code names, with what is out already.
    fn unnamed(&self, gone: &BTreeSet<usize>, kept: &BTreeSet<usize>) -> Result<BTreeSet<usize>> {
        let text = self.index.blanked(gone);
        let starts: BTreeMap<usize, usize> = unnamed::unnamed(&text)?
            .into_iter()
            .map(|range| (range.end, range.start))
            .collect();
        let mut all = gone.clone();
        all.extend((0..self.index.nodes.len()).filter(|n| {
            let node = &self.index.nodes[*n];
            let is_unnamed = starts
                .get(&node.range.end)
                .is_some_and(|&start| node.range.start <= start);
            is_unnamed
                && !matches!(
                    node.kind,
                    Kind::Module | Kind::Implemented | Kind::Arm | Kind::Call
                )
                && !self.left_out.names.contains(&node.name)
                && !kept.contains(n)
        }));
        Ok(self.names.with_followers(&self.index, all, kept))
    }

    /// Takes out what no code is made for and the type checker does not want.
    fn without_uninstantiated(&mut self, code: &Code) -> Result<()> {
        let (candidates, rest) = self.uninstantiated(code);
        let removed: Vec<usize> = candidates.iter().copied().collect();
        let mut kept = needs::called(&self.index, &self.names, &rest, &removed);
        loop {
            let mut gone = self.gone.clone();
            gone.extend(candidates.difference(&kept));
            if gone == self.gone {
                return Ok(());
            }
            gone = self.unnamed(&gone, &kept)?;
            let before = (self.gone.clone(), self.lints.clone());
            let mut trouble = self.settle(gone, &kept, Follow::Imports)?;
            if trouble.is_none() {
                let mut errors = self.errors_elsewhere()?;
                errors.retain(|error| !code.errors.contains(&place(error)));
                if errors.is_empty() {
                    return Ok(());
                }
                let removed = self.gone.difference(&before.0).copied().collect();
                (self.gone, self.lints) = before;
                trouble = Some(Trouble { errors, removed });
            }
            let Some(trouble) = trouble else {
                return Ok(());
            };
            if !needs::keep(&self.index, &self.names, &trouble, &mut kept) {
                return Ok(());
            }
        }
    }

    /// The impls of traits, and the functions, that no line of the code comes from; and those functions among them that may not go.
    fn uninstantiated(&self, code: &Code) -> (BTreeSet<usize>, Vec<usize>) {
        let text = self.text();
        let line_starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let line = |at: usize| line_starts.partition_point(|&start| start <= at);
        let index = &self.index;
        let unused = |n: usize| {
            let node = &index.nodes[n];
            let lines = line(node.signature.unwrap_or(node.range.start))..=line(node.range.end);
            let in_code = |code: &Generated| code.lines.range(lines.clone()).next().is_some();
            !in_code(&code.here) && !code.elsewhere.as_ref().is_some_and(in_code)
        };
        let unused = |n: usize| match index.nodes[n].kind {
            // What is on its first line may be the end of another. What a macro makes in it may be on any.
            Kind::Impl if !index.children(n).any(|n| index.nodes[n].kind == Kind::Call) => index
                .children(n)
                .filter(|&n| index.nodes[n].is_function())
                .all(unused),
            _ => unused(n),
        };
        let unseen = self.left_out.unseen;
        // What code that is left out here may use.
        let spared = |n: usize| {
            let node = &index.nodes[n];
            let of_trait = node.of_trait().map(String::as_str);
            let named = |name: &str| unseen && self.left_out.names.contains(name);
            let innate = |name: &str| INNATE.contains(&name) || unseen && UNSPOKEN.contains(&name);
            of_trait.is_some_and(|name| innate(name) || named(name)) || named(&node.name)
        };
        let live = |n: usize| !index.is_in(n, &self.gone);
        // By trait and name: what a trait provides is needed where an impl has its own, and what it does not provide in each impl.
        let items = |which: &dyn Fn(usize) -> bool| -> BTreeSet<(&str, &str)> {
            let found = (0..index.nodes.len()).filter(|&n| live(n) && which(n));
            found.filter_map(|n| index.of_trait(n)).collect()
        };
        let implemented = items(&|n| index.nodes[n].kind == Kind::Implemented && !unused(n));
        let required = items(&|n| {
            let node = &index.nodes[n];
            node.kind == Kind::TraitItem && !node.is_function()
        });
        let among = |n: usize, items: &BTreeSet<(&str, &str)>| {
            index.of_trait(n).is_some_and(|item| items.contains(&item))
        };
        // What is inside of a function goes with it, or is called there.
        let local = |n: usize| {
            let parent = index.nodes[n].parent.map(|parent| &index.nodes[parent]);
            parent.is_some_and(Node::is_function)
        };
        let may_go = |n: usize| {
            !spared(n)
                && match index.nodes[n].kind {
                    Kind::Impl => !index.children(n).any(spared),
                    Kind::TraitItem => !among(n, &implemented),
                    Kind::Implemented => !among(n, &required),
                    _ => true,
                }
        };
        let is_code = |n: usize| index.nodes[n].is_function() || index.nodes[n].kind == Kind::Impl;
        let (candidates, rest): (BTreeSet<usize>, BTreeSet<usize>) = (0..index.nodes.len())
            .filter(|&n| is_code(n) && live(n) && !local(n) && unused(n))
            .partition(|&n| may_go(n));
        // What is in something that goes calls nothing.
        let stays = |n: &usize| index.nodes[*n].is_function() && !index.is_in(*n, &candidates);
        let rest = rest.into_iter().filter(stays).collect();
        (candidates, rest)
    }

    /// Takes out what the compiler calls dead and what no code names, until nothing is left to go.
    fn without_dead(&mut self) -> Result<()> {
        let mut kept = BTreeSet::new();
        loop {
            let mut gone = self.gone.clone();
            gone.extend(self.pointed_at(&kept));
            let gone = self.unnamed(&self.names.with_followers(&self.index, gone, &kept), &kept)?;
            if gone == self.gone {
                return Ok(());
            }
            if let Some(trouble) = self.settle(gone, &kept, Follow::Dead)? {
                if !needs::keep(&self.index, &self.names, &trouble, &mut kept) {
                    return Ok(());
                }
            }
        }
    }

    /// What the lints point at.
    fn pointed_at(&self, kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for lint in &self.lints {
            for (range, _) in &lint.spans {
                for n in self.index.pointed_at(range) {
                    let node = &self.index.nodes[n];
                    let fits = match lint.code.as_str() {
                        "dead_code" => {
                            matches!(node.kind, Kind::Item | Kind::Inherent | Kind::TraitItem)
                        }
                        "unused_imports" => node.kind == Kind::Import,
                        "unused_macros" => node.kind == Kind::Item,
                        "unused_macro_rules" => node.kind == Kind::Arm,
                        _ => false,
                    };
                    if fits && !kept.contains(&n) && !self.left_out.names.contains(&node.name) {
                        found.insert(n);
                    }
                }
            }
        }
        found
    }

    /// The errors of the present text with what this machine leaves out.
    fn errors_elsewhere(&self) -> Result<Vec<Diagnostic>> {
        let Some((text, flags)) = self.left_out.turned_on(&self.text()) else {
            return Ok(Vec::new());
        };
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain(LINTS).collect();
        let found = self.compiler.check(&text, self.edition, &flags)?;
        Ok(errors(found))
    }

    /// Follows the errors of a removal until the text compiles: then that is the present text. Or tells what nothing may follow.
    fn settle(
        &mut self,
        mut gone: BTreeSet<usize>,
        kept: &BTreeSet<usize>,
        follow: Follow,
    ) -> Result<Option<Trouble>> {
        let mut errors = Vec::new();
        for _ in 0..60 {
            let text = self.index.blanked(&gone);
            let diagnostics = self.compiler.check(&text, self.edition, &LINTS)?;
            let others;
            (errors, others) = diagnostics
                .into_iter()
                .partition(|d| d.level == "error" && !d.message.starts_with("aborting"));
            if errors.is_empty() {
                self.gone = gone;
                self.lints = others;
                return Ok(None);
            }
            let mut more = BTreeSet::new();
            errors.retain(|error| {
                let following = self.following(error, kept, follow);
                let trouble = following.is_empty();
                more.extend(following);
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
                let mut places = error.spans.iter();
                !places.any(|(at, call)| inside(call.as_ref().unwrap_or(at)))
            });
            if !errors.is_empty() || more.is_empty() {
                break;
            }
            gone.extend(more);
        }
        Ok(Some(Trouble {
            errors,
            removed: gone.difference(&self.gone).copied().collect(),
        }))
    }

    /// What only named the thing that an error misses.
    fn following(&self, error: &Diagnostic, kept: &BTreeSet<usize>, follow: Follow) -> Vec<usize> {
        let not_a_member = matches!(error.code.as_str(), "E0407" | "E0437" | "E0438");
        // Only what names something that is gone may follow it: what fails for another reason is needed.
        let unresolved = ["cannot find", "unresolved", "failed to resolve"]
            .iter()
            .any(|start| error.message.starts_with(start));
        let may_go = |n: &usize, in_macro: bool| {
            let node = &self.index.nodes[*n];
            // An import that fails is no use, kept or not.
            (node.kind == Kind::Import || !kept.contains(n))
                && match node.kind {
                    Kind::Import => !in_macro,
                    Kind::Impl | Kind::InherentImpl => unresolved && !in_macro,
                    Kind::Implemented => not_a_member && !in_macro,
                    Kind::Inherent => follow == Follow::Dead,
                    Kind::Item => {
                        // The lints say nothing about names that begin so.
                        node.name.starts_with('_')
                            || follow == Follow::Dead && unresolved && node.name != "main"
                    }
                    Kind::Call => follow == Follow::Dead && unresolved,
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

/// What may go because it names what is gone.
#[derive(Clone, Copy, PartialEq)]
enum Follow {
    /// Imports and impls.
    Imports,
    /// All that cannot be live if what it names is dead.
    Dead,
}

/// The code of a text.
struct Code {
    here: Generated,
    /// With what this machine leaves out, as far as it can be turned on and is without errors then.
    elsewhere: Option<Generated>,
    errors: BTreeSet<(String, Option<usize>)>,
}

impl Code {
    /// Whether the two programs do the same, see [`Generated::is_part_of`].
    fn is_part_of(&self, other: &Self) -> bool {
        let elsewhere = match (&self.elsewhere, &other.elsewhere) {
            (Some(this), Some(other)) => this.is_part_of(other),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        elsewhere && self.errors.is_subset(&other.errors) && self.here.is_part_of(&other.here)
    }
}

fn errors(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.retain(|d| d.level == "error" && !d.message.starts_with("aborting"));
    found
}

/// An error, to be told from others.
fn place(error: &Diagnostic) -> (String, Option<usize>) {
    let start = error.spans.first().map(|(range, _)| range.start);
    (error.message.clone(), start)
}

/// The module of the file, and so the crate, that an error is in.
pub fn module_of(text: &str, error: &Diagnostic) -> Result<Option<String>> {
    let index = Index::new(text)?;
    let innermost = error
        .spans
        .first()
        .and_then(|(range, call)| index.innermost(call.as_ref().unwrap_or(range)));
    let parents = std::iter::successors(innermost, |&n| index.nodes[n].parent);
    let outermost = parents.last().map(|n| &index.nodes[n]);
    Ok(outermost
        .filter(|node| node.kind == Kind::Module)
        .map(|node| node.name.clone()))
}

/// Whether a diagnostic is one that an `allow` silences.
pub fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic
        .code
        .starts_with(|c: char| c.is_ascii_lowercase())
}

/// Adds `#[allow(…)]` to items of the user's own code where the compiler would warn about what had to stay: a field that only dropped code
/// read, a variant that only dropped code made.
pub fn quiet(text: &str, warnings: &[Diagnostic]) -> Result<Option<String>> {
    let index = Index::new(text)?;
    let mut wanted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for warning in warnings {
        // Errors have codes like E0308, lints have names.
        if !is_lint(warning) {
            continue;
        }
        for (range, call) in &warning.spans {
            let place = call.as_ref().unwrap_or(range);
            if let Some(n) = index.innermost(place) {
                let node = &index.nodes[n];
                if !matches!(node.kind, Kind::Import | Kind::Arm) {
                    wanted
                        .entry(node.range.start)
                        .or_default()
                        .insert(warning.code.clone());
                }
            }
        }
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut edits = Edits::default();
    for (at, lints) in wanted {
        let lints: Vec<String> = lints.into_iter().collect();
        edits.insert(at, format!("#[allow({})]\n", lints.join(", ")));
    }
    Ok(Some(edits.apply(text)))
}
