//! Attributes that allow what the program's own code is warned of.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;

use super::asking::LINTS;
use super::Shaker;
use crate::bundle::compiler::{Diagnostic, Fix};
use crate::bundle::load;
use crate::bundle::text::index::{Index, Kind};
use crate::bundle::text::source::{self, Edits};

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

impl Shaker<'_> {
    /// The present text as it is to be, in which what changes with the edition is written so that it does not, and what the program's own
    /// code is warned of is allowed.
    pub fn finished(&self) -> String {
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
}

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
pub fn allowing<'d>(index: &Index, warnings: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Fix> {
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
    use crate::bundle::shake::tests::lint;

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
}
