//! Asks the compiler about a text, here and with what this machine leaves out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use anyhow::Result;

use super::generated::Generated;
use super::left_out::LeftOut;
use super::Shaker;
use crate::bundle::compiler::{Compiler, Diagnostic, MIGRATIONS};
use crate::bundle::threads;

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
pub fn lints() -> Vec<&'static str> {
    [&LINTS[..], &MIGRATIONS].concat()
}

/// What the compiler is to do.
#[derive(Clone, Copy)]
pub enum How<'f> {
    Check,
    /// Where nothing is public beyond the program.
    CheckClosed,
    /// With some more flags.
    Generate(&'f [&'f str]),
}

/// A text with what this machine leaves out, and the flags that it wants.
type TurnedOn = (String, Vec<String>);

/// What the compiler makes of a text with what this machine leaves out, as far as it can be turned on.
pub struct Elsewhere {
    /// Nothing where there are errors.
    pub code: Option<Arc<Generated>>,
    pub errors: Vec<Diagnostic>,
    pub lints: Vec<Diagnostic>,
}

/// The code of a text.
pub struct Code {
    pub here: Option<Arc<Generated>>,
    pub elsewhere: Option<Elsewhere>,
}

impl Elsewhere {
    /// Asks the compiler about a text that is turned on.
    pub fn new(
        compiler: &Compiler,
        edition: &str,
        (text, flags): &TurnedOn,
        how: How,
    ) -> Result<Self> {
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

impl Shaker<'_> {
    /// A text with what this machine leaves out, for the compiler.
    pub fn turned_on(&self, text: &str) -> Option<TurnedOn> {
        let turned_on = self.left_out.turned_on(text)?;
        self.effort.add(text);
        Some(turned_on)
    }

    /// Asks the compiler about a text, here and with what this machine leaves out. That is no use before there is a first text, but for
    /// its code.
    pub fn ask(&self, text: &str, how: How) -> Result<(Vec<Diagnostic>, Code)> {
        self.ask_first(text, how, &|| ())
    }

    /// The same. If that leaves the machine something to do for another, it is told so.
    pub fn ask_first(
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
        let (found, here) = here?;
        let here = here.map(Arc::new);
        let elsewhere = match elsewhere.transpose()? {
            None if is_same => Some(Elsewhere::from(found.clone(), here.clone())),
            elsewhere => elsewhere,
        };
        Ok(self.together(found, here, elsewhere))
    }

    /// The same where it is known what the compiler says of it here.
    pub fn ask_elsewhere(
        &self,
        text: &str,
        how: How,
        found: Vec<Diagnostic>,
        here: Option<Arc<Generated>>,
    ) -> Result<(Vec<Diagnostic>, Code)> {
        let elsewhere = match self.turned_on(text) {
            None => None,
            Some(on) if self.left_out.is_off(text, &on) => {
                Some(Elsewhere::from(found.clone(), here.clone()))
            }
            Some(on) => Some(Elsewhere::new(self.compiler, self.edition, &on, how)?),
        };
        Ok(self.together(found, here, elsewhere))
    }

    /// What is dead both here and elsewhere.
    fn together(
        &self,
        mut found: Vec<Diagnostic>,
        here: Option<Arc<Generated>>,
        elsewhere: Option<Elsewhere>,
    ) -> (Vec<Diagnostic>, Code) {
        if let Some(elsewhere) = &elsewhere {
            if !found.iter().any(Diagnostic::is_error) {
                elsewhere.restrict(&mut found, &self.left_out);
            }
        }
        (found, Code { here, elsewhere })
    }
}

/// Where the first place begins that a diagnostic is about.
pub fn start(diagnostic: &Diagnostic) -> Option<usize> {
    diagnostic.spans.first().map(|(range, _)| range.start)
}

/// What an error says, and where. The compiler writes the path to a name only as long as there is another one of that name.
pub fn said(error: &Diagnostic) -> (String, Option<usize>) {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts: Vec<&str> = error.message.split("::").collect();
    let last = parts.pop().unwrap_or_default();
    let parts = parts
        .into_iter()
        .map(|part| part.trim_end_matches(is_of_name));
    (parts.chain([last]).collect(), start(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::shake::tests::lint;

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
}
