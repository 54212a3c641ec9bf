//! How much was asked of the compiler, and what holds for all texts of one bundle.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::first::Broken;
use crate::bundle::compiler::Diagnostic;

/// How much text there was for the compiler, and of its errors: it takes as long to tell them as to find them.
#[derive(Default)]
pub struct Effort {
    pub(super) bytes: Cell<usize>,
    /// Of how much text the last one was that compiled first.
    pub(super) first: Cell<usize>,
    /// The code of older editions is as it can be: what is only allowed there is no reason to stop.
    pub is_migrated: Cell<bool>,
    /// Whether there is code of a later edition to look at.
    pub newer: Cell<Look>,
    /// The macros of crates that run inside the compiler.
    pub procedural: RefCell<BTreeSet<String>>,
    /// The modules of crates that are compiled for now.
    pub waiting: RefCell<BTreeMap<String, Waiting>>,
    /// Those of them of which the compiler has told that no code needs them.
    pub(super) unneeded: RefCell<BTreeSet<String>>,
    /// Nothing is taken for granted that nearly always holds: that a crate is needed which the words of the text name, that a number has
    /// no type which nothing names, that nobody needs many impls for tuples, and that the last imports that are unused may go if it
    /// compiles so.
    pub(super) checks_all: Cell<bool>,
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
    /// It may not be put into the text at all.
    pub is_barred: bool,
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

impl Effort {
    /// After so much nothing more is tried out: what is left stays. The programs of the tests take a tenth of it.
    pub const MOST: usize = 12 << 20;
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

    /// The compiler is asked about a text.
    pub fn add(&self, text: &str) {
        self.bytes.set(self.bytes.get() + length(text));
    }

    /// This text compiles: what was spent before is no reason to leave more in it.
    pub fn begin(&self, first: &str) {
        self.bytes.set(0);
        self.first.set(length(first));
    }

    /// The compiler has told these errors.
    pub fn add_errors(&self, errors: &[Diagnostic]) {
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

    /// Whether what is left is to stay.
    pub fn is_enough(&self) -> bool {
        self.bytes.get() > Self::MOST.max(Self::LOOKS * self.first.get())
    }

    /// Whether a text that does not compile is given up.
    pub fn is_too_much(&self) -> bool {
        self.bytes.get() > Self::TOO_MUCH
    }
}

/// How much of a text is not blank.
pub fn length(text: &str) -> usize {
    let bytes = text.bytes();
    bytes.filter(|byte| !byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::shake::tests::lint;

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
}
