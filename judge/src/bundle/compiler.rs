//! The compiler, asked about the bundle.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use cargo_metadata::PackageId;
use serde_json::Value;
use tempfile::TempDir;

use super::build::Build;
use super::resolve;
use super::shake::closed::Closed;
use super::shake::generated::Generated;
use super::text::source::{self, Edits};

/// How long the compiler is left alone before somebody looks at it again.
pub const MOMENT: Duration = Duration::from_millis(4);

/// How to call the compiler on the bundle.
#[derive(Clone)]
pub struct Compiler {
    pub rustc: OsString,
    /// The crates that are not inlined, by the names that texts call them.
    pub libraries: BTreeMap<String, PackageId>,
    /// Where they come from.
    pub build: Arc<Build>,
    /// Behind each text, those of them that it has with it whether it names them or not.
    pub brought: String,
    /// A folder for the compiler's files.
    pub scratch: std::path::PathBuf,
}

/// The program itself has turned out to be wrong.
#[derive(Debug, thiserror::Error)]
#[error("nobody wants to know any more")]
pub struct GivenUp;

/// What changes from edition 2021 to 2024 and can be written so that it means the same in both.
pub const MIGRATIONS: [&str; 5] = [
    "--force-warn=rust_2024_incompatible_pat",
    "--force-warn=boxed_slice_into_iter",
    "--force-warn=keyword_idents_2024",
    "--force-warn=rust_2024_prelude_collisions",
    "--force-warn=rust_2024_guarded_string_incompatible_syntax",
];

/// Has the compiler tell of the bodies of all functions.
pub const BODIES: &str = "--emit=mir=bundle.mir";

/// Has the compiler tell of the code that it makes, before it optimises.
const LISTING: [&str; 5] = [
    "--emit=llvm-ir=bundle.ll",
    "-Copt-level=0",
    "-Ccodegen-units=1",
    "-Cno-prepopulate-passes",
    "-Csymbol-mangling-version=v0",
];

/// Has `generate` tell of the lines that code comes from.
pub const LINES: &str = "-Cdebuginfo=line-tables-only";

/// A place, and what is to be there.
pub type Fix = (Range<usize>, String);

/// What the compiler says about one place.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub level: String,
    pub code: String,
    pub message: String,
    pub rendered: String,
    /// Replacements that the compiler is sure of.
    pub fixes: Vec<Fix>,
    /// All that it suggests, also where it is not sure: what belongs together is in one.
    pub offers: Vec<Vec<Fix>>,
    /// Primary byte ranges; those from a macro's expansion with the outermost call.
    pub spans: Vec<(Range<usize>, Option<Range<usize>>)>,
    /// The macros that made what it is about: attributes, derived traits and others, by their names alone.
    pub made_by: Vec<String>,
}

impl Diagnostic {
    /// Whether it is an error, and not the count of all.
    pub fn is_error(&self) -> bool {
        self.level == "error" && !self.message.starts_with("aborting")
    }

    /// Whether it is a warning about what changes with the edition.
    pub fn is_migration(&self) -> bool {
        MIGRATIONS.iter().any(|flag| self.is_about(flag))
    }

    /// Whether it is a warning that a flag turns on.
    pub fn is_about(&self, flag: &str) -> bool {
        flag.strip_prefix("--force-warn=") == Some(&self.code)
    }

    /// Where it is written: an expansion's is that of the outermost call.
    pub fn places(&self) -> impl Iterator<Item = &Range<usize>> {
        let spans = self.spans.iter();
        spans.map(|(range, call)| call.as_ref().unwrap_or(range))
    }

    /// For people: the code of an expansion may all be on one line.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 160;
        let lines = self
            .rendered
            .lines()
            .map(|line| match line.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}...\n", &line[..end]),
                None => format!("{line}\n"),
            });
        lines.collect()
    }
}

/// The name of the text for the compiler. It stands in the code, where a panic would tell its place.
const FILE: &str = "bundle.rs";

impl Compiler {
    /// For texts that need no compiled crate.
    pub fn new(scratch: &Path) -> Self {
        Self {
            rustc: resolve::rustc(),
            libraries: BTreeMap::new(),
            build: Arc::default(),
            brought: String::new(),
            scratch: scratch.to_owned(),
        }
    }

    /// The same where all texts have those crates with them that one of them names: code that a crate which is optimised little has made of
    /// the standard library is called there by all that have it with them.
    pub fn with_crates_of(&self, text: &str) -> Self {
        let is_named = |name: &&String| {
            let path = format!("::{name}");
            let mut found = text.match_indices(&path);
            found.any(|(at, _)| !text[at + path.len()..].starts_with(source::is_word))
        };
        let named = self.libraries.keys().filter(is_named);
        Self {
            brought: named
                .map(|name| format!("\nextern crate {name} as _;"))
                .collect(),
            ..self.clone()
        }
    }

    /// An error once there is nothing to work for.
    pub fn go_on(&self) -> Result<()> {
        if self.build.is_given_up() {
            bail!(GivenUp);
        }
        Ok(())
    }

    /// How the compiler finds the crates that are not inlined. Where a text names none of them it needs none, and nobody waits for them: what
    /// one that it names makes, by a macro, may name the others.
    pub fn externs(&self, text: &str) -> Vec<OsString> {
        let is_named = |word: &str| self.libraries.contains_key(word);
        let names_none = || self.brought.is_empty() && !source::words(text).any(is_named);
        if self.libraries.is_empty() || names_none() {
            return Vec::new();
        }
        let libraries = self.libraries.iter();
        let libraries: Vec<(&str, &PackageId)> =
            libraries.map(|(name, id)| (&**name, id)).collect();
        self.build.flags(&libraries)
    }

    /// Compiles `text` without making code.
    pub fn check(&self, text: &str, edition: &str, flags: &[&str]) -> Result<Vec<Diagnostic>> {
        let folder = self.folder(text)?;
        let flags = [flags, &["--emit=metadata"]].concat();
        self.run(text, &folder, edition, &flags)
    }

    /// The same of a text of which nothing is public beyond the program (see `closed`).
    pub fn check_closed(
        &self,
        text: &str,
        edition: &str,
        flags: &[&str],
    ) -> Result<Vec<Diagnostic>> {
        let Some(closed) = Closed::new(text)? else {
            return self.check(text, edition, flags);
        };
        let found = self.check(&closed.text, edition, flags)?;
        Ok(found.into_iter().map(|of| closed.as_written(of)).collect())
    }

    /// Compiles `text` and reads the code that the compiler makes of it, before it optimises: nothing where there are errors.
    pub fn generate(
        &self,
        text: &str,
        edition: &str,
        flags: &[&str],
    ) -> Result<(Vec<Diagnostic>, Option<Generated>)> {
        let folder = self.folder(text)?;
        let flags = [flags, &LISTING].concat();
        let found = self.run(text, &folder, edition, &flags)?;
        Ok((found, listed(folder.path())))
    }

    /// The code alone, if it compiles; nothing as soon as there is an error: to tell of all may take much longer, where names are missing.
    pub fn code(&self, text: &str, edition: &str) -> Result<Option<Generated>> {
        self.code_while(text, edition, || {
            thread::sleep(MOMENT);
            true
        })
    }

    /// The same, and nothing if it is not wanted any more before it is there. That is asked again and again: whoever answers takes a
    /// [`MOMENT`] each time.
    pub fn code_while(
        &self,
        text: &str,
        edition: &str,
        mut is_wanted: impl FnMut() -> bool,
    ) -> Result<Option<Generated>> {
        let folder = self.folder(text)?;
        let flags = [&["--cap-lints=allow"], &LISTING[..]].concat();
        let mut command = self.asked(text, folder.path(), edition, &flags)?;
        let said = folder.path().join("said");
        command.stdin(Stdio::null());
        command.stderr(File::create(&said).context("cannot make a file")?);
        let mut child = command.spawn().context("cannot start rustc")?;
        while child.try_wait()?.is_none() {
            if !is_wanted() || has_error(&said)? {
                // It may have ended meanwhile.
                let _ = child.kill();
                child.wait()?;
                return Ok(None);
            }
        }
        Ok(listed(folder.path()))
    }

    /// What the compiler tells of the bodies of all functions, if the text compiles.
    pub fn bodies(&self, text: &str, edition: &str) -> Result<Option<String>> {
        let folder = self.folder(text)?;
        let flags = ["-Awarnings", "--cap-lints=allow", BODIES];
        let found = self.run(text, &folder, edition, &flags)?;
        if found.iter().any(Diagnostic::is_error) {
            return Ok(None);
        }
        Ok(fs::read_to_string(folder.path().join("bundle.mir")).ok())
    }

    /// A new folder with the text in it.
    fn folder(&self, text: &str) -> Result<Folder> {
        let folder = tempfile::tempdir_in(&self.scratch).context("cannot make a folder")?;
        let quiet = Quiet::new(text);
        let told = quiet.told_of(text) + &*self.brought;
        fs::write(folder.path().join(FILE), &*told)?;
        Ok(Folder { folder, quiet })
    }

    /// The compiler to be started as a judge starts it: nothing is checked that a release does not check, and what cargo tells the packages that
    /// it builds or runs is not there.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        let variables = env::vars_os().map(|(name, _)| name);
        let of_cargo = [
            "CARGO_PKG_",
            "CARGO_MANIFEST_",
            "CARGO_BIN_",
            "CARGO_CRATE_",
        ];
        for name in variables {
            let text = name.to_string_lossy();
            if text == "OUT_DIR" || of_cargo.iter().any(|prefix| text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command.arg("-Cdebug-assertions=off");
        command
    }

    /// The compiler to be started on a text that lies in a folder.
    fn asked(&self, text: &str, folder: &Path, edition: &str, flags: &[&str]) -> Result<Command> {
        let externs = self.externs(text);
        self.go_on()?;
        let mut command = self.command();
        command
            .args(["--edition", edition, "--crate-name", "bundle"])
            .args(["--crate-type", "bin", "--error-format=json"])
            .args(flags)
            .args(externs)
            .arg(FILE)
            .current_dir(folder);
        Ok(command)
    }

    /// Runs it on a text that lies in a folder.
    fn run(
        &self,
        text: &str,
        folder: &Folder,
        edition: &str,
        flags: &[&str],
    ) -> Result<Vec<Diagnostic>> {
        let mut command = self.asked(text, folder.path(), edition, flags)?;
        let output = command.output().context("cannot start rustc")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stderr = folder.quiet.as_written(&stderr);
        let mut found: Vec<Diagnostic> = Vec::new();
        // Some lints have an error's code, and their name in a note, the first time.
        let mut lints = BTreeMap::new();
        for line in stderr.lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let lint = notes(&value).find_map(|note| {
                let rest = note["message"].as_str()?.strip_prefix("`#[")?;
                let (level, rest) = rest.split_once('(')?;
                let (lint, rest) = rest.split_once(")]`")?;
                let is_it = ["deny", "warn"].contains(&level) && rest.ends_with(" on by default");
                is_it.then(|| lint.to_owned())
            });
            if let Some(mut diagnostic) = diagnostic(&value) {
                if let Some(lint) = lint {
                    lints.insert((diagnostic.level.clone(), diagnostic.code.clone()), lint);
                }
                let kind = (diagnostic.level.clone(), diagnostic.code.clone());
                if let Some(lint) = lints.get(&kind) {
                    diagnostic.code = lint.clone();
                }
                found.push(diagnostic);
            }
        }
        if !output.status.success() && !found.iter().any(|d| d.level == "error") {
            bail!("rustc failed: {stderr}");
        }
        Ok(found)
    }
}

/// A folder with a text in it.
struct Folder {
    folder: TempDir,
    quiet: Quiet,
}

impl Folder {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The macros of a text whose names begin with `_`: the lints do not tell of those, nor of their rules. So the compiler gets them under other
/// names of the same length, which are no words of the text. Nothing else may be called so: it would have another name in the code.
struct Quiet(BTreeMap<String, String>);

impl Quiet {
    fn new(text: &str) -> Self {
        let defined = text.match_indices("macro_rules");
        let names = defined.filter_map(|(at, _)| source::words(&text[at..]).nth(1));
        let mut names: BTreeSet<&str> = names.filter(|name| name.starts_with('_')).collect();
        names.remove("_");
        if names.is_empty() {
            return Self(BTreeMap::new());
        }
        let mut words = HashSet::new();
        for word in source::words(text) {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            if names.contains(word) && !is_of_macro(text, start..start + word.len()) {
                names.remove(word);
            }
            words.insert(word);
        }
        // No keyword begins with these.
        let letters = || ["q", "h", "j", "k"].into_iter();
        let aloud = |name: &str| {
            let mut others = letters().map(|letter| format!("{letter}{}", &name[1..]));
            others.find(|other| !words.contains(&**other))
        };
        let pairs = names.into_iter();
        let pairs = pairs.filter_map(|name| Some((name.to_owned(), aloud(name)?)));
        Self(pairs.collect())
    }

    /// The text with the other names.
    fn told_of<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.0.is_empty() {
            true => Cow::Borrowed(text),
            false => renamed(text, |word| self.0.get(word)),
        }
    }

    /// What the compiler says, with those that stand in the text.
    fn as_written<'t>(&self, said: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(said);
        }
        let pairs = self.0.iter();
        let names: BTreeMap<&str, &String> = pairs.map(|(name, other)| (&**other, name)).collect();
        renamed(said, |word| names.get(word).copied())
    }
}

/// Whether a word defines, calls or imports a macro.
fn is_of_macro(text: &str, word: Range<usize>) -> bool {
    let before = text[..word.start].trim_end();
    let behind = text[word.end..].trim_start();
    let is_imported = before.ends_with([':', '{', ',']) || before.ends_with("use");
    before.ends_with("macro_rules!")
        || behind.starts_with('!')
        || is_imported && (behind.starts_with([';', ',', '}']) || behind.starts_with("as "))
}

/// A text with some words of the same length for others.
fn renamed<'t, 'n>(text: &'t str, other: impl Fn(&str) -> Option<&'n String>) -> Cow<'t, str> {
    let mut edits = Edits::default();
    for word in source::words(text) {
        if let Some(other) = other(word) {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            edits.replace(at..at + word.len(), other.clone());
        }
    }
    match edits.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(edits.apply(text)),
    }
}

/// Whether there is an error in what the compiler has said so far, which is in a file.
fn has_error(said: &Path) -> Result<bool> {
    if fs::metadata(said)?.len() == 0 {
        return Ok(false);
    }
    // It may end within a character.
    let said = fs::read(said)?;
    Ok(String::from_utf8_lossy(&said).contains("\"level\":\"error"))
}

/// The code that the compiler has told of in a folder.
fn listed(folder: &Path) -> Option<Generated> {
    let listing = fs::read_to_string(folder.join("bundle.ll")).ok()?;
    let mut code = Generated::new(&listing, FILE)?;
    let bodies = fs::read_to_string(folder.join("bundle.mir"));
    code.bodies = bodies.unwrap_or_default();
    Some(code)
}

/// What the compiler suggests to write in a diagnostic, by file, where it is sure; in expansions of macros only if that is wanted.
pub fn suggestions(diagnostic: &Value, in_macros: bool) -> impl Iterator<Item = (&str, Fix)> {
    notes(diagnostic).flat_map(move |note| written(note, true, in_macros))
}

/// All that the compiler suggests to write in the text.
fn offers(diagnostic: &Value) -> Vec<Vec<Fix>> {
    let offer = |note| {
        let here = written(note, false, false).filter(|(file, _)| *file == FILE);
        here.map(|(_, fix)| fix).collect::<Vec<_>>()
    };
    let offers = notes(diagnostic).map(offer);
    offers.filter(|fixes| !fixes.is_empty()).collect()
}

fn notes(diagnostic: &Value) -> impl Iterator<Item = &Value> {
    diagnostic["children"].as_array().into_iter().flatten()
}

/// What a note suggests to write, by file: all of it, or where the compiler is sure.
fn written(note: &Value, where_sure: bool, in_macros: bool) -> impl Iterator<Item = (&str, Fix)> {
    let spans = note["spans"].as_array().into_iter().flatten();
    spans.filter_map(move |span| {
        let is_sure = span["suggestion_applicability"] == "MachineApplicable";
        let with = span["suggested_replacement"].as_str()?.to_owned();
        let wanted = (in_macros || is_written(span)) && (is_sure || !where_sure);
        wanted.then_some((span["file_name"].as_str()?, (place(span)?, with)))
    })
}

/// Where a span is, in bytes.
pub fn place(span: &Value) -> Option<Range<usize>> {
    Some(span["byte_start"].as_u64()? as usize..span["byte_end"].as_u64()? as usize)
}

/// Whether what is at a place is what is written there, and no macro's expansion.
pub fn is_written(span: &Value) -> bool {
    let by = span["expansion"]["macro_decl_name"].as_str();
    by.map_or(true, |by| by.starts_with("desugaring of "))
}

/// The name of a macro that the compiler calls `#[name]`, `#[derive(name)]` or `path::name!`.
fn short_name(name: &str) -> String {
    let attribute = name
        .strip_prefix("#[")
        .and_then(|name| name.strip_suffix(']'));
    let derived = attribute.and_then(|name| name.strip_prefix("derive(")?.strip_suffix(')'));
    let path = derived.or(attribute).unwrap_or(name.trim_end_matches('!'));
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

fn diagnostic(value: &Value) -> Option<Diagnostic> {
    let level = value.get("level")?.as_str()?.to_owned();
    let spans = value.get("spans")?.as_array()?;
    let here = |span: &Value| span["file_name"] == FILE;
    let mut made_by = Vec::new();
    let mut found = Vec::new();
    for span in spans.iter().filter(|span| span["is_primary"] == true) {
        let mut call = None;
        let mut outer = span;
        while let Some(next) = outer.get("expansion").and_then(|e| e.get("span")) {
            let name = outer["expansion"]["macro_decl_name"].as_str();
            made_by.extend(name.map(short_name));
            outer = next;
            if here(outer) {
                call = place(outer);
            }
        }
        if here(span) || call.is_some() {
            let range = if here(span) {
                place(span)?
            } else {
                call.clone()?
            };
            found.push((range, call));
        }
    }
    Some(Diagnostic {
        level,
        code: value["code"]["code"].as_str().unwrap_or("").to_owned(),
        message: value["message"].as_str().unwrap_or("").to_owned(),
        rendered: value["rendered"].as_str().unwrap_or("").to_owned(),
        spans: found,
        made_by,
        fixes: suggestions(value, false).map(|(_, fix)| fix).collect(),
        offers: offers(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_macros_that_begin_with_an_underscore_are_told_of() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let text = "macro_rules! __m { (a) => { 1 }; (b) => { \"q_m\" } } macro_rules! _n { () => {} } fn main() { let _ = __m!(a); }";
        let flags = [
            "--force-warn=unused_macro_rules",
            "--force-warn=unused_macros",
        ];
        let found = compiler.check(text, "2021", &flags).unwrap();
        let said: Vec<&str> = found.iter().map(|of| &*of.message).collect();
        assert!(said[0].contains("of macro `__m`"), "{said:?}");
        assert!(said[1].contains("macro definition: `_n`"), "{said:?}");
        let at = found[0].places().next().unwrap().clone();
        assert_eq!(&text[at], "(b)");
        // A function of that name has it in the code.
        let named = format!("{text} mod _n {{ pub fn __m() {{}} }} use _n::__m as _;");
        assert!(Quiet::new(&named).0.is_empty());
        let imported =
            format!("{text} mod n {{ pub(crate) use {{__m, _n as m}}; }} pub use n::__m;");
        assert_eq!(Quiet::new(&imported).0.len(), 2);
    }

    #[test]
    fn the_crates_of_a_text_are_with_its_parts() {
        let scratch = tempfile::tempdir().unwrap();
        let mut compiler = Compiler::new(scratch.path());
        let id = PackageId {
            repr: String::new(),
        };
        let names = ["a", "b", "bc", "d"];
        compiler.libraries = names.map(|name| (name.to_owned(), id.clone())).into();
        let with =
            compiler.with_crates_of("use ::a; fn b() { x::bc::f(::d\n::g) } mod c { use ::bcd; }");
        assert_eq!(
            with.brought,
            "\nextern crate a as _;\nextern crate bc as _;\nextern crate d as _;"
        );
        // Behind the text they move nothing in it.
        compiler.libraries.clear();
        compiler.brought = "\nextern crate core as _;".to_owned();
        let text = "fn main() {} fn f() {}";
        let found = compiler
            .check(text, "2021", &["--force-warn=dead_code"])
            .unwrap();
        let places: Vec<_> = found.iter().flat_map(Diagnostic::places).collect();
        assert_eq!(places.len(), 1, "{found:?}");
        assert_eq!(&text[places[0].clone()], "f");
    }

    #[test]
    fn there_is_code_of_what_compiles() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let code = |text: &str| compiler.code(text, "2021").unwrap().is_some();
        // What is only warned of is no error.
        assert!(code("fn main() { let héron = \"level\\\":\\\"error\"; }"));
        assert!(!code("fn main() { héron() }"));
        // Nothing is wrong with this before there is code.
        assert!(!code(
            "fn main() { const { assert!(size_of::<usize>() == 1) } }"
        ));
        let wanted = |wanted| compiler.code_while("fn main() {}", "2021", || wanted);
        assert!(wanted(true).unwrap().is_some());
        assert!(wanted(false).unwrap().is_none());
    }

    #[test]
    fn what_does_not_hold_in_a_release_is_not_compiled() {
        let scratch = tempfile::tempdir().unwrap();
        let compiler = Compiler::new(scratch.path());
        let text = "#[cfg(debug_assertions)] compile_error!(\"only for release\"); \
                    const fn wrapped(a: u8) -> u8 { a + 200 } const A: u8 = wrapped(100); fn main() { let _ = A; }";
        let found = compiler.check(text, "2021", &[]).unwrap();
        assert!(!found.iter().any(Diagnostic::is_error), "{found:?}");
    }
}
