//! `cargo judge bundle` on small programs over many crates, each with an input and what it prints, and on what cannot be bundled.
//!
//! The programs are a workspace of their own in `corpus`; it is copied, so that nothing is built inside this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

struct Corpus {
    /// The folder that goes with it, if it is in one of its own.
    _folder: Option<tempfile::TempDir>,
    root: PathBuf,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "target" {
                copy(&path, &to.join(name));
            }
        } else if name != "submit.rs" {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

fn copy_corpus(to: &Path) {
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"),
        to,
    );
}

fn fresh() -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("corpus");
    copy_corpus(&root);
    Corpus {
        _folder: Some(folder),
        root,
    }
}

/// One copy for the programs that are not changed: what they share is compiled once. It lies where cargo cleans up, for nothing here ends
/// after the last of the tests.
fn shared() -> &'static Corpus {
    static SHARED: OnceLock<Corpus> = OnceLock::new();
    SHARED.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        copy_corpus(&root);
        Corpus {
            _folder: None,
            root,
        }
    })
}

fn judge(root: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_judge"))
        .args(args)
        .current_dir(root)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn compiles(rustc: &str, file: &Path, edition: &str, deny: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(rustc);
    command
        .args(["--edition", edition, "--emit=metadata", "--crate-name", "x"])
        .arg("--out-dir")
        .arg(folder.path())
        .arg(file);
    if deny {
        command.args(["-D", "warnings"]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Bundles a program of the corpus; the bundler itself runs it on the input and compares the output.
fn bundles(name: &str) -> String {
    bundles_from(name).0
}

/// The file, and of how many KiB of source the bundler tells.
fn bundles_from(name: &str) -> (String, f64) {
    let root = &shared().root;
    let output = judge(root, &["bundle", name]);
    assert!(output.status.success(), "{name}: {}", stderr(&output));
    assert!(
        stderr(&output).contains("1 case agrees"),
        "{}",
        stderr(&output)
    );
    let file = root.join("problems").join(name).join("submit.rs");
    compiles("rustc", &file, "2021", true);
    compiles("rustc", &file, "2024", true);
    // An older compiler, where one is given: for what nobody was told to need a newer one for.
    let is_new = stderr(&output).contains("it needs Rust 1.");
    if let (Ok(old), false) = (std::env::var("OLD_RUSTC"), is_new) {
        compiles(&old, &file, "2021", false);
    }
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains(root.to_str().unwrap()),
        "the path of this machine is in the file"
    );
    let said = stderr(&output);
    let source = said.split_once(", from ").and_then(|(_, rest)| {
        let (size, _) = rest.split_once(" KiB of source")?;
        size.parse().ok()
    });
    (text, source.expect("it tells the size"))
}

#[test]
fn plain_input() {
    let text = bundles("plain_input");
    assert!(text.contains("@generated"));
    assert!(text.contains("proconio 0.6.0, MIT OR Apache-2.0"));
    assert!(text.contains("Permission is hereby granted"));
    assert!(!text.contains("struct Usize1"), "markers are not used");
    assert!(
        !text.contains("OnceSource"),
        "a variant that nothing makes has it"
    );
    assert!(text.len() < 13_000, "{} bytes", text.len());
}

#[test]
fn template() {
    let (text, source) = bundles_from("template");
    assert!(text.contains("fn upper_bound") && !text.contains("mod petgraph"));
    assert!(
        source < 500.0,
        "what it only imports is not read: {source} KiB"
    );
}

#[test]
fn markers() {
    bundles("markers");
}

#[test]
fn what_is_read_need_not_be_used() {
    let text = bundles("unread");
    let allowed = "#![allow(non_snake_case, unknown_lints, unused_variables)]";
    assert!(text.contains(allowed), "{text}");
}

#[test]
fn libraries_with_all_their_names() {
    let text = bundles("roots");
    assert!(text.contains("// Two libraries with all their names.\n\n#![allow(unused_variables)]"));
    // What a library passes on within itself is not what the program imports of another.
    assert!(text.contains("pub(in crate::grove) use debug;"));
    assert!(text.contains("number!(i32);"), "{text}");
    // Where the judge sets what is asked for, the other branch runs, and the other item is there.
    let folder = tempfile::tempdir().unwrap();
    let judged = folder.path().join("judged");
    let output = Command::new("rustc")
        .args(["--edition", "2021", "--cfg", "ONLINE_JUDGE", "-o"])
        .arg(&judged)
        .arg(shared().root.join("problems/roots/submit.rs"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let input = fs::File::open(shared().root.join("testdata/roots/one.in")).unwrap();
    let output = Command::new(&judged).stdin(input).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("inherent there"), "{said}");
}

#[test]
fn itertools() {
    let text = bundles("adaptors");
    // The prelude has them: the crate does without it.
    for name in ["vec::Vec", "string::String", "std::iter::IntoIterator;"] {
        assert!(!text.contains(name), "{name} is imported");
    }
}

#[test]
fn modules_and_an_own_library() {
    let text = bundles("modules");
    // Kept: the comments of our own code, and what a cfg of the judge may turn on.
    assert!(text.contains("// The remainder shrinks by half every two rounds."));
    assert!(text.contains("#[cfg(not(ONLINE_JUDGE))]"));
    for gone in [
        "only_unused",
        "fn inverse",
        "never_in_a_bundle",
        "smallest",
        "debug_assertions",
    ] {
        assert!(!text.contains(gone), "{gone} is still there");
    }
    assert!(text.len() < 17_000, "{} bytes", text.len());
}

#[test]
fn macros_that_are_named_to_another() {
    let text = bundles("tolerance");
    assert!(text.contains("#![allow(named_arguments_used_positionally)]"));
}

#[test]
fn algorithms() {
    bundles("acl");
}

#[test]
fn numbers() {
    let text = bundles("numbers");
    assert!(text.len() < 36_000, "{} bytes", text.len());
    // It was wanted by what is gone.
    assert!(!text.contains("ToPrimitive for i64"));
}

#[test]
fn random() {
    let text = bundles("random");
    assert!(text.len() < 42_000, "{} bytes", text.len());
}

#[test]
fn random_as_others_cannot_foresee_it() {
    let text = bundles("secure");
    // What macros make, in blocks without a name and for another crate, goes one by one.
    assert!(text.len() < 131_000, "{} bytes", text.len());
}

#[test]
fn random_without_the_system() {
    let text = bundles("flips");
    assert!(!text.contains("mod getrandom"));
    assert!(text.len() < 18_000, "{} bytes", text.len());
}

/// Where nothing of `getrandom` is reached, it is no concern what that would need on other systems.
#[test]
fn random_with_what_is_left_out() {
    let text = bundles("annealing");
    assert!(!text.contains("mod getrandom"));
    assert!(text.len() < 32_000, "{} bytes", text.len());
}

#[test]
fn a_problem_with_the_name_of_a_crate() {
    bundles("either");
}

#[test]
fn names_that_something_else_has() {
    let text = bundles("names");
    assert!(text.contains("mod either {") && !text.contains("mod either_"));
    assert!(text.contains("[100, pair(20, 3)]") && text.contains("#[global_allocator]"));
}

#[test]
fn names_that_a_library_passes_on() {
    let text = bundles("toolbox");
    assert!(text.contains("mod either_ {"), "{text}");
    assert!(text.contains("use crate::library as base;"), "{text}");
    // Of what macros make, that alone which is used.
    let units = &text[text.find("mod units").unwrap()..];
    for kept in [
        "\tunit!(Dozen, 12);",
        "\t[Dozen; 2] =>",
        "// By themselves.\n",
        "// Several.\n",
    ] {
        assert!(units.contains(kept), "no {kept} in {units}");
    }
    for gone in ["Score", "LEAST", "is_nothing"] {
        assert!(!units.contains(gone), "{gone} is still there: {units}");
    }
    assert!(
        text.contains("from_numbers!(mile::Mile: u16; usize);"),
        "{text}"
    );
    for gone in ["Stone", "furlong", "Furlong", "NONE"] {
        assert!(!text.contains(gone), "{gone} is still there: {text}");
    }
    // The list ends with the operator that is used, and what another one needed goes with that.
    let clock = &text[text.find("mod clock").unwrap()..];
    for gone in ["inverse", "div_assign", "$assigning for"] {
        assert!(!clock.contains(gone), "{gone} is still there: {clock}");
    }
    assert!(
        clock.contains("known!(pub(in crate::toolbox) Short: "),
        "{clock}"
    );
    // Nobody goes through an `Either`.
    assert!(!text.contains("Iterator"), "{text}");
}

#[test]
fn macros_that_a_library_lists_and_makes() {
    let text = bundles("tallies");
    let of_library = &text[text.find("mod tally").unwrap()..];
    assert!(of_library.contains("use win;"), "{text}");
    assert!(
        !text.contains("forfeit") && !text.contains("scores"),
        "{text}"
    );
}

#[test]
fn attributes_of_procedural_macros() {
    let text = bundles("texts");
    assert!(!text.contains("rustversion"));
}

#[test]
fn a_library_of_an_older_edition() {
    let text = bundles("older");
    // What means the same in edition 2021.
    assert!(text.contains("let _ = &pair;") && text.contains("[1u8, 2].iter()"));
}

#[test]
fn conditions_of_edition_2024() {
    let text = bundles("chains");
    assert!(!text.contains("&& let") && text.contains("'matched: {"));
}

#[test]
fn macros_of_other_crates() {
    let text = bundles("macros");
    assert!(text.contains("fn to_fourth(") && !text.contains("to_never"));
    assert!(text.contains("\t// One name of two parts.\n\tlet half_of = rule_halving("));
}

#[test]
fn collections() {
    let text = bundles("collections");
    assert!(text.len() < 160_000, "{} bytes", text.len());
}

#[test]
fn crates_that_bring_others_by_default() {
    let text = bundles("shelves");
    for gone in ["Serialize", "impl<K, V, S> Debug"] {
        assert!(!text.contains(gone), "{gone} is still there");
    }
}

#[test]
fn large_integers_without_the_operators_that_nobody_uses() {
    let text = bundles("bigs");
    assert!(text.len() < 30_000, "{} bytes", text.len());
    assert!(!text.contains("impl Mul<"), "{text}");
}

#[test]
fn what_only_seems_to_be_asked_for() {
    let text = bundles("lengths");
    for gone in ["stretched", "impl Mul", "impl Add", "Quad", "fn sum"] {
        assert!(!text.contains(gone), "{gone} is still there: {text}");
    }
    for kept in ["BecauseNobodyElseDoes> for T", "From<$t> for Length"] {
        assert!(text.contains(kept), "{kept} is gone: {text}");
    }
}

#[test]
fn graphs() {
    let text = bundles("graphs");
    assert!(text.len() < 120_000, "{} bytes", text.len());
}

#[test]
fn a_library_over_many_crates_brings_those_that_are_used() {
    let (text, source) = bundles_from("sheltered");
    assert!(text.len() < 15_000, "{} bytes", text.len());
    // With petgraph and big integers it is four times that.
    assert!(source < 700.0, "{source} KiB");
}

#[test]
fn a_crate_that_a_library_over_many_passes_on_is_refused_by_name() {
    let corpus = fresh();
    let change = |file: &str, change: &dyn Fn(&str) -> String| {
        let path = corpus.root.join(file);
        fs::write(&path, change(&fs::read_to_string(&path).unwrap())).unwrap();
    };
    change("lib/umbrella/Cargo.toml", &|text| {
        format!("{text}serde = \"1\"\n")
    });
    change("lib/umbrella/src/lib.rs", &|text| {
        format!("{text}\npub use serde;\n")
    });
    let main = "problems/sheltered/src/main.rs";
    // As long as nobody needs it, it may be anything.
    let bundled = || judge(&corpus.root, &["bundle", "sheltered", "-o", "-"]);
    let output = bundled();
    assert!(output.status.success(), "{}", stderr(&output));
    change(main, &|text| {
        let text = text.replace("fn main() {", "fn main() {\n    shown(&1);");
        format!("{text}\nfn shown(of: &impl umbrella::serde::Serialize) {{\n    let _ = of;\n}}\n")
    });
    let output = bundled();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    for part in [
        "error: sheltered: serde",
        "its build script generates",
        "used by umbrella 0.1.0",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_library_that_implements_its_traits_by_lists() {
    let text = bundles("lists");
    let left = [
        "integers!(i64 u64);",
        "nothing!(0: u64);",
        "tuple!(A, B);",
        "(i64, show_i64),",
        "residues!(Large, 998_244_353);",
        // A line of a string.
        "\n///\n||\n",
    ];
    for left in left {
        assert!(text.contains(left), "{left}: {text}");
    }
    let gone = [
        "A, B, C",
        "0.0:",
        "Seven",
        "show_u64",
        "```",
        "Take for $name",
        "Div for $name",
        "inverse",
        "What times it is one",
    ];
    for gone in gone {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}

#[test]
fn impls_that_only_seem_unneeded() {
    let text = bundles("impls");
    for kept in [
        "Drop for Counted",
        "Deref for Wrapper",
        "Deref for Pointer",
        "FusedIterator for",
        "nobody names it",
    ] {
        assert!(text.contains(kept), "{kept} is gone");
    }
    // No code is made for these, and the program is the same without them.
    for gone in [
        "nobody skips",
        "never shown",
        "nobody follows",
        "fn size_hint",
    ] {
        assert!(!text.contains(gone), "{gone} is still there");
    }
}

#[test]
fn numbers_of_types_that_nothing_names() {
    let text = bundles("unspoken");
    for kept in [
        "Told for u128",
        "Alone for i64",
        "Add<i16>",
        "OfUnit for u16",
    ] {
        assert!(text.contains(kept), "{kept} is gone");
    }
    for gone in ["Told for i8", "OfAny"] {
        assert!(!text.contains(gone), "{gone} is still there");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let root = &shared().root;
    let once = || judge(root, &["bundle", "plain_input", "-o", "-"]).stdout;
    let first = once();
    assert!(!first.is_empty());
    assert_eq!(first, once());
}

/// Where rustfmt looks for what somebody set for all that is theirs.
#[cfg(target_os = "linux")]
#[test]
fn what_somebody_set_for_rustfmt_changes_nothing() {
    let root = &shared().root;
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("rustfmt")).unwrap();
    let settings = home.path().join("rustfmt/rustfmt.toml");
    fs::write(&settings, "disable_all_formatting = true\n").unwrap();
    let bundle = |with_settings: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge"));
        command.args(["bundle", "plain_input", "-o", "-"]);
        command.current_dir(root).env_remove("CARGO_TARGET_DIR");
        if with_settings {
            command.env("XDG_CONFIG_HOME", home.path());
        }
        command.output().unwrap().stdout
    };
    let without = bundle(false);
    assert!(!without.is_empty());
    assert_eq!(without, bundle(true));
}

#[test]
fn the_optimiser_is_asked_where_it_has_to_be() {
    let corpus = fresh();
    let bundles = || {
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let is_built = |profile| corpus.root.join("target").join(profile).exists();
        (output.stdout, is_built("bundle"), is_built("release"))
    };
    let (unoptimised, in_its_folder, in_that_of_releases) = bundles();
    assert!(in_its_folder && !in_that_of_releases);
    // Without the optimiser, each call puts half a kilobyte and more on the stack.
    let down = "fn down(n: u64) -> u64 {\n    if n == 0 {\n        return 0;\n    }\n    let a = [n; 32];\n    let b = a;\n    \
                b[0] - b[1] + 1 + down(n - 1)\n}\n";
    let call = "let small = std::thread::Builder::new().stack_size(512 << 10);\n    \
                let deep = small.spawn(|| down(2500)).unwrap();\n    assert_eq!(deep.join().unwrap(), 2500);";
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let deep = text.replace("fn main() {", &format!("{down}fn main() {{\n    {call}"));
    fs::write(&main, deep).unwrap();
    assert!(bundles().2);
    // The same where nothing tells what is right.
    fs::remove_dir_all(corpus.root.join("target/release")).unwrap();
    fs::remove_file(corpus.root.join("testdata/plain_input/one.out")).unwrap();
    assert!(bundles().2);
    // Now the program is there as a release makes it.
    fs::write(&main, text).unwrap();
    fs::remove_dir_all(corpus.root.join("target/bundle")).unwrap();
    assert_eq!(bundles(), (unoptimised, false, true));
}

#[test]
fn check_tells_stale_from_fresh() {
    let corpus = fresh();
    let check = || judge(&corpus.root, &["bundle", "plain_input", "--check"]);
    assert_eq!(check().status.code(), Some(1), "there is no file yet");
    let file = corpus.root.join("problems/plain_input/submit.rs");
    assert!(!file.exists(), "--check writes nothing");
    assert!(judge(&corpus.root, &["bundle", "plain_input"])
        .status
        .success());
    assert_eq!(check().status.code(), Some(0));
    let stale = fs::read_to_string(&file)
        .unwrap()
        .replace("a.iter()", "a.iter().rev()");
    fs::write(&file, &stale).unwrap();
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    let diff = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        diff.contains("-") && diff.contains("a.iter().rev()"),
        "{diff}"
    );
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        stale,
        "--check writes nothing"
    );
    // The lock file has another version of the program.
    let manifest = corpus.root.join("problems/plain_input/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replace("version.workspace = true", "version = \"9.0.0\""),
    )
    .unwrap();
    let lock = || fs::read_to_string(corpus.root.join("Cargo.lock")).unwrap();
    let before = lock();
    let output = check();
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("Cargo.lock does not fit the manifests"),
        "{said}"
    );
    assert_eq!(lock(), before, "--check writes nothing");
}

#[test]
fn a_minified_bundle_is_smaller() {
    let root = &shared().root;
    let output = judge(root, &["bundle", "plain_input", "--minify", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let plain = judge(root, &["bundle", "plain_input", "-o", "-"])
        .stdout
        .len();
    assert!(
        output.stdout.len() < plain * 9 / 10,
        "{} of {plain}",
        output.stdout.len()
    );
}

#[test]
fn an_external_crate_stays_outside() {
    let root = &shared().root;
    let output = judge(
        root,
        &["bundle", "plain_input", "--external", "proconio", "-o", "-"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        !text.contains("mod proconio") && text.contains("use proconio::input;"),
        "{text}"
    );
    let output = judge(
        root,
        &[
            "bundle",
            "plain_input",
            "--external",
            "proconio,nothing",
            "-o",
            "-",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("--external \"nothing\": the program uses no such crate"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn an_external_crate_is_built_as_judges_build_it() {
    let corpus = fresh();
    let manifest = corpus.root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text + "\n[profile.release]\npanic = \"abort\"\n").unwrap();
    let args = ["bundle", "plain_input", "--external", "proconio", "-o", "-"];
    // Neither of the two profiles that it is built by ends where it panics.
    for _ in ["bundle", "release"] {
        let output = judge(&corpus.root, &args);
        assert!(output.status.success(), "{}", stderr(&output));
        cargo_builds(&corpus.root, "plain_input");
    }
}

/// As for a release.
fn cargo_builds(root: &Path, name: &str) {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "-q", "-p", name]);
    cargo.current_dir(root).env_remove("CARGO_TARGET_DIR");
    assert!(cargo.status().unwrap().success());
}

#[test]
fn all_is_named_where_no_problem_is() {
    let said = stderr(&judge(&shared().root, &["bundle"]));
    assert!(said.contains("bundle [OPTIONS] --all\n"), "{said}");
}

#[test]
fn cargo_builds_where_the_user_says() {
    let corpus = fresh();
    for (command, from) in [("bundle", "testdata"), ("test", "lib")] {
        let output = Command::new(env!("CARGO_BIN_EXE_judge"))
            .args([command, "plain_input"])
            .current_dir(corpus.root.join(from))
            .env("CARGO_TARGET_DIR", "built")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let is_built = |at: &str| corpus.root.join(at).join("built").exists();
        assert!(is_built(from));
        assert!(!is_built("problems/plain_input") && !is_built(""));
    }
}

/// Changes a copy of `plain_input`, and returns what bundling it says. Nothing may be written.
fn refused(change: impl FnOnce(&Path)) -> String {
    let corpus = fresh();
    change(&corpus.root);
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(!corpus.root.join("problems/plain_input/submit.rs").exists());
    let said = stderr(&output);
    assert!(!said.ends_with("\n\n"), "{said}");
    said
}

/// Adds a library to the corpus, and its use to `plain_input`.
fn add_library(root: &Path, manifest: &str, files: &[(&str, &str)]) {
    let folder = root.join("lib/extra");
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(
        folder.join("Cargo.toml"),
        format!("[package]\nname = \"extra\"\nversion = \"1.2.3\"\nedition = \"2021\"\n{manifest}"),
    )
    .unwrap();
    add_dependencies(root, "extra = { path = \"../../lib/extra\" }");
    let problem = root.join("problems/plain_input");
    let main = fs::read_to_string(problem.join("src/main.rs")).unwrap();
    fs::write(
        problem.join("src/main.rs"),
        main.replace("fn main() {", "fn main() {\n    extra::touch!();"),
    )
    .unwrap();
}

/// Adds dependencies to `plain_input`.
fn add_dependencies(root: &Path, dependencies: &str) {
    let path = root.join("problems/plain_input/Cargo.toml");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{manifest}{dependencies}\n")).unwrap();
}

const TOUCH: &str = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } pub fn f() {}";

#[test]
fn what_a_program_does_not_name_is_no_part_of_it() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    // Named, it would be refused.
    add_library(&corpus.root, "", &[("src/lib.rs", TOUCH)]);
    fs::write(&main, text).unwrap();
    for more in [&[][..], &["--external", "extra"]] {
        let args = [&["bundle", "plain_input", "-o", "-"], more].concat();
        let output = judge(&corpus.root, &args);
        assert!(output.status.success(), "{}", stderr(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("mod extra"), "{text}");
    }
}

#[test]
fn what_a_library_passes_on_from_another_crate_is_seen() {
    let corpus = fresh();
    let manifest = "license = \"MIT\"\n[dependencies]\nnum-traits = \"0.2\"\n";
    let library = "pub use num_traits::One; pub mod m { pub use num_traits::Zero as Null; } pub use m::Null; \
                   #[macro_export] macro_rules! touch { () => { assert!($crate::sum::<u8>() == <u8 as $crate::One>::one()) }; } \
                   pub fn sum<T: One + Null>() -> T { T::one() + T::zero() }";
    add_library(&corpus.root, manifest, &[("src/lib.rs", library)]);
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let text = text.replace("touch!();", "touch!();\n    assert_eq!(zero::<u8>(), 0);");
    let more = "use extra::{Null, One};\nfn zero<T: One + Null>() -> T {\n    T::zero()\n}\n";
    fs::write(&main, format!("{more}{text}")).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_crate_without_a_licence_is_refused() {
    let said = refused(|root| add_library(root, "", &[("src/lib.rs", TOUCH)]));
    assert!(
        said.contains("extra 1.2.3") && said.contains("no `license` field"),
        "{said}"
    );
}

#[test]
fn all_own_libraries_without_a_licence_are_named() {
    let said = refused(|root| {
        let manifest = "[dependencies]\nmore = { path = \"../more\" }\n";
        let library =
            "#[macro_export] macro_rules! touch { () => { $crate::f() }; } pub use more::f;";
        add_library(root, manifest, &[("src/lib.rs", library)]);
        let more = "[package]\nname = \"more\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        let folder = root.join("lib/more");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("Cargo.toml"), more).unwrap();
        fs::write(folder.join("src/lib.rs"), "pub fn f() {}").unwrap();
    });
    let manifest = |name| {
        Path::new("lib")
            .join(name)
            .join("Cargo.toml")
            .display()
            .to_string()
    };
    let named = ["extra", "more"].map(manifest);
    assert!(named.iter().all(|path| said.contains(path)), "{said}");
}

#[test]
fn a_licence_that_forbids_it_is_refused() {
    let said = refused(|root| {
        add_library(
            root,
            "license = \"GPL-3.0-only\"\n",
            &[("src/lib.rs", TOUCH)],
        );
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("GPL-3.0-only"),
        "{said}"
    );
}

#[test]
fn a_licence_or_a_later_one_is_the_licence() {
    let corpus = fresh();
    add_library(
        &corpus.root,
        "license = \"MPL-2.0+\"\n",
        &[("src/lib.rs", TOUCH)],
    );
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("- extra 1.2.3, MPL-2.0+"), "{text}");
}

#[test]
fn a_procedural_macro_is_refused() {
    let said = refused(|root| {
        let macro_source = "use proc_macro::TokenStream; #[proc_macro] pub fn touch(_: TokenStream) -> TokenStream { TokenStream::new() }";
        add_library(
            root,
            "license = \"MIT\"\n[lib]\nproc-macro = true\n",
            &[("src/lib.rs", macro_source)],
        );
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("procedural macro"),
        "{said}"
    );
}

#[test]
fn a_procedural_macro_is_refused_whatever_it_makes() {
    let said = refused(|root| {
        // Nothing that is written names the crate.
        let macro_source = "use proc_macro::TokenStream; #[proc_macro] pub fn touch(_: TokenStream) -> TokenStream { \
                            format!(\"extern crate eit{} as made;\", \"her\").parse().unwrap() }";
        let manifest = "license = \"MIT\"\n[lib]\nproc-macro = true\n";
        add_library(root, manifest, &[("src/lib.rs", macro_source)]);
        add_dependencies(root, "either = \"1\"");
        let manifest = root.join("problems/plain_input/Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(
            &manifest,
            text.replace("edition.workspace = true", "edition = \"2018\""),
        )
        .unwrap();
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("procedural macro"),
        "{said}"
    );
}

#[test]
fn what_a_library_derives_by_a_procedural_macro_may_not_be_needed() {
    const DERIVE: &str = "use proc_macro::{TokenStream, TokenTree};\n\
        #[proc_macro_derive(Shown, attributes(shown))] pub fn shown(item: TokenStream) -> TokenStream {\n\
        let words = item.into_iter().filter_map(|tree| match tree { TokenTree::Ident(word) => Some(word.to_string()), _ => None });\n\
        let name = words.skip_while(|word| word != \"struct\").nth(1).unwrap();\n\
        format!(\"impl ::std::fmt::Display for {name} {{ fn fmt(&self, f: &mut ::std::fmt::Formatter) -> ::std::fmt::Result {{ WRITE(f, \\\"{name}\\\") }} }}\").parse().unwrap() }";
    const LIBRARY: &str = "use extra_derive::Shown;\n\
        #[derive(Debug, Shown)] #[shown] pub struct Failed { #[shown] pub why: u8 }\n\
        pub fn half(n: u8) -> Result<u8, Failed> { if n % 2 == 0 { Ok(n / 2) } else { Err(Failed { why: n }) } }";
    // What it makes may name the crate that passes it on.
    const PASSING: &str = "pub use extra_derive::*;\n\
        pub fn write(f: &mut std::fmt::Formatter, text: &str) -> std::fmt::Result { f.write_str(text) }";
    let bundled = |call: &str, is_passed_on: bool| {
        let (corpus, outside) = (fresh(), tempfile::tempdir().unwrap());
        let package = |name: &str, manifest: &str, source: &str| {
            let folder = outside.path().join(name);
            fs::create_dir_all(folder.join("src")).unwrap();
            fs::write(folder.join("src/lib.rs"), source).unwrap();
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"1.2.3\"\nedition = \"2021\"\nlicense = \"MIT\"\n{manifest}"
            );
            fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        };
        let (by, write) = match is_passed_on {
            true => ("extra_passing", "extra_passing::write"),
            false => ("extra_derive", "::std::fmt::Formatter::write_str"),
        };
        let made = DERIVE.replace("WRITE", write);
        package("extra_derive", "[lib]\nproc-macro = true\n", &made);
        let dependency = |on: &str| format!("[dependencies]\n{on} = {{ path = \"../{on}\" }}\n");
        let repository = "repository = \"https://example.org/extra\"\n";
        let passing = repository.to_owned() + &dependency("extra_derive");
        package("extra_passing", &passing, PASSING);
        package(
            "extra",
            &dependency(by),
            &LIBRARY.replace("extra_derive", by),
        );
        let path = outside.path().join("extra");
        add_dependencies(&corpus.root, &format!("extra = {{ path = {path:?} }}"));
        let main = corpus.root.join("problems/plain_input/src/main.rs");
        let text = fs::read_to_string(&main).unwrap();
        let call = format!("fn main() {{ assert_eq!({call});");
        fs::write(&main, text.replacen("fn main() {", &call, 1)).unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, stderr(&output))
    };
    for is_passed_on in [false, true] {
        let (code, text, said) = bundled("extra::half(6).unwrap(), 3", is_passed_on);
        assert_eq!(code, Some(0), "{said}");
        let left = ["shown", "extra_passing"].map(|word| text.to_lowercase().contains(word));
        assert!(
            text.contains("struct Failed") && left == [false; 2],
            "{text}"
        );
        let call = "extra::half(7).unwrap_err().to_string(), \"Failed\"";
        let (code, text, said) = bundled(call, is_passed_on);
        assert_eq!((code, text.as_str()), (Some(2), ""), "{said}");
        assert!(
            said.contains("extra_derive 1.2.3") && said.contains("procedural macro"),
            "{said}"
        );
    }
}

#[test]
fn a_library_beside_the_workspace_is_the_users_own_unless_it_is_published() {
    let bundled = |more: &str| {
        let (corpus, beside) = (fresh(), tempfile::tempdir().unwrap());
        fs::create_dir(beside.path().join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"extra\"\nversion = \"1.2.3\"\nedition = \"2021\"\nlicense = \"MIT\"\n{more}"
        );
        fs::write(beside.path().join("Cargo.toml"), manifest).unwrap();
        let library = "/// Rounded down.\npub fn half(n: u8) -> u8 {\n    n / 2 // not n >> 1\n}\n";
        fs::write(beside.path().join("src/lib.rs"), library).unwrap();
        let dependency = format!("extra = {{ path = {:?} }}", beside.path());
        add_dependencies(&corpus.root, &dependency);
        let main = corpus.root.join("problems/plain_input/src/main.rs");
        let text = fs::read_to_string(&main).unwrap();
        let call = "fn main() { assert_eq!(extra::half(7), 3);";
        fs::write(&main, text.replacen("fn main() {", call, 1)).unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        // It may be a clone of somebody else's all the same.
        let notices = ["- extra 1.2.3, MIT", "// Permission is hereby granted"];
        assert!(notices.iter().all(|notice| text.contains(notice)), "{text}");
        ["/// Rounded down.", "// not n >> 1"].map(|comment| text.contains(comment))
    };
    assert_eq!(bundled(""), [true; 2]);
    let repository = "repository = \"https://example.org/extra\"\n";
    assert_eq!(bundled(repository), [false; 2]);
}

#[test]
fn a_procedural_attribute_is_refused_by_name() {
    // What it makes names a crate, which is none any more when the file is compiled.
    let source = "use proc_macro::TokenStream; #[proc_macro_attribute] pub fn marked(_: TokenStream, item: TokenStream) -> TokenStream { \
                  let mut all: TokenStream = \"pub use ::proconio::source::line::LineSource as Marked;\".parse().unwrap(); all.extend(item); all }";
    let said = refused(|root| {
        let manifest = "license = \"MIT\"\n[lib]\nproc-macro = true\n";
        add_library(root, manifest, &[("src/lib.rs", source)]);
        let main = root.join("problems/plain_input/src/main.rs");
        let text = fs::read_to_string(&main).unwrap();
        let text = text.replace("    extra::touch!();\n", "");
        let marked = "#[extra::marked]\nfn main() {";
        fs::write(&main, text.replace("fn main() {", marked)).unwrap();
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("the program names its `marked`"),
        "{said}"
    );
}

#[test]
fn of_two_versions_the_judge_has_the_one_that_the_program_names() {
    let root = &shared().root;
    let arguments = [
        "bundle",
        "collections",
        "--external",
        "hashbrown",
        "-o",
        "-",
    ];
    let output = judge(root, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("use hashbrown::"), "{text}");
    assert!(
        !text.contains("::hashbrown_") || text.contains("mod hashbrown_"),
        "{text}"
    );
    assert!(!text.contains("mod hashbrown {"), "{text}");
}

#[test]
fn a_hash_is_what_the_processor_makes_it() {
    let corpus = fresh();
    add_dependencies(&corpus.root, "fixedbitset = \"0.5\"\nrustc-hash = \"2\"");
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let set =
        "fn set() -> fixedbitset::FixedBitSet { fixedbitset::FixedBitSet::with_capacity(10) }";
    let bundled = |hash: &str| {
        let text = text.replace("fn main() {", &format!("fn main() {{\n    {hash};"));
        fs::write(&main, format!("{text}\n{set}\n")).unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // What else is done with a set gives the same with blocks of any width.
    assert!(!bundled("assert!(set() == set())").contains("sse2"));
    let hash = "std::hash::BuildHasher::hash_one(&rustc_hash::FxBuildHasher, set())";
    assert!(bundled(&format!("eprintln!(\"{{}}\", {hash})")).contains("sse2"));
}

#[test]
fn what_rustfmt_breaks_is_left_as_it_is() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    // It writes `r#e$lse`.
    let text = text.replace("fn main() {", "fn main() {\n    next!(1);");
    let defined = "macro_rules! next { ($r#else:expr) => { assert!($r#else + 1 > 0) } }";
    fs::write(&main, format!("{defined}\n{text}")).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("laid out less well"), "{said}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("($r#else + 1 > 0)"), "{text}");
}

#[test]
fn of_two_crates_with_a_name_the_one_that_the_program_calls_so_has_it() {
    let corpus = fresh();
    for (package, function) in [("twin-a", "theirs"), ("twin-b", "ours")] {
        let folder = corpus.root.join("lib").join(package);
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = "version = \"1.0.0\"\nlicense = \"MIT\"\n[lib]\nname = \"twin\"\n";
        let manifest = format!("[package]\nname = \"{package}\"\n{manifest}");
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::write(
            folder.join("src/lib.rs"),
            format!("pub fn {function}() {{}}"),
        )
        .unwrap();
    }
    // What the program names first needs the other.
    let manifest = "license = \"MIT\"\n[dependencies]\ntwin-a = { path = \"../twin-a\" }\n";
    let library = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } pub fn f() { twin::theirs() }";
    add_library(&corpus.root, manifest, &[("src/lib.rs", library)]);
    add_dependencies(&corpus.root, "twin-b = { path = \"../../lib/twin-b\" }");
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let text = text.replace("extra::touch!();", "extra::touch!();\n    twin::ours();");
    fs::write(&main, text).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    for kept in ["twin::ours()", "twin_1_0_0::theirs()"] {
        assert!(text.contains(kept), "no {kept} in {text}");
    }
}

#[test]
fn a_function_with_the_name_of_a_crate_is_imported() {
    let corpus = fresh();
    let library = "#[macro_export] macro_rules! touch { () => { $crate::extra(1) }; } \
                   pub fn extra(x: u8) -> u8 { x } pub fn other(x: u8) -> u8 { x } pub fn proconio(x: u8) -> u8 { x }";
    add_library(
        &corpus.root,
        "license = \"MIT\"\n",
        &[("src/lib.rs", library)],
    );
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let module = "mod a {\n    use extra::{extra, other, proconio};\n    pub fn f() -> u8 {\n        let _: [proconio::marker::Usize1; 0] = [];\n        extra(other(proconio(2)))\n    }\n}\n";
    let text = text.replace("extra::touch!();", "extra::touch!();\n    a::f();");
    fs::write(&main, format!("{text}\n{module}")).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_macro_with_the_name_of_its_crate_may_come_from_another() {
    let corpus = fresh();
    let library = "#[macro_export] macro_rules! touch { () => { $crate::other::f() }; } \
                   #[macro_export] macro_rules! extra { ($n:expr) => { $n + 1 }; } pub mod other { pub fn f() -> u8 { 1 } }";
    add_library(
        &corpus.root,
        "license = \"MIT\"\n",
        &[("src/lib.rs", library)],
    );
    let folder = corpus.root.join("lib/on");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"on\"\nversion = \"1.0.0\"\nedition = \"2021\"\nlicense = \"MIT\"\n[dependencies]\nextra = { path = \"../extra\" }\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    add_dependencies(&corpus.root, "on = { path = \"../../lib/on\" }");
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let text = text.replace(
        "extra::touch!();",
        "assert_eq!(extra!(extra::other::f()), 2);",
    );
    fs::write(&main, format!("use on::extra;\n{text}")).unwrap();
    for passed_on in ["pub use extra::extra;", "pub use extra::*;"] {
        fs::write(folder.join("src/lib.rs"), passed_on).unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input"]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn generated_code_is_refused() {
    let said = refused(|root| {
        let build = "fn main() { let dir = std::env::var(\"OUT_DIR\").unwrap(); std::fs::write(dir + \"/g.rs\", \"pub fn f() {}\").unwrap(); }";
        let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } include!(concat!(env!(\"OUT_DIR\"), \"/g.rs\"));";
        add_library(
            root,
            "license = \"MIT\"\n",
            &[("build.rs", build), ("src/lib.rs", source)],
        );
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("build script"),
        "{said}"
    );
}

#[test]
fn what_a_build_script_sets_is_what_it_is_in_the_program() {
    let build =
        |value: &str| format!("fn main() {{ println!(\"cargo:rustc-env=ROWS={{}}\", {value}); }}");
    let source = "#[macro_export] macro_rules! touch { () => { eprintln!(\"{}\", $crate::ROWS.unwrap_or(\"?\")) }; } \
                  pub const ROWS: Option<&str> = option_env!(\"ROWS\");";
    let corpus = fresh();
    let seven = build("7");
    let files = [("build.rs", seven.as_str()), ("src/lib.rs", source)];
    add_library(&corpus.root, "license = \"MIT\"\n", &files);
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Some(\"7\")"), "{text}{}", stderr(&output));

    let build = build("std::env::var(\"OUT_DIR\").unwrap()");
    let said = refused(|root| {
        let files = [("build.rs", build.as_str()), ("src/lib.rs", source)];
        add_library(root, "license = \"MIT\"\n", &files);
    });
    assert!(
        said.contains("extra 1.2.3") && said.contains("names a file or a folder of this machine"),
        "{said}"
    );
}

#[test]
fn a_newer_edition_than_the_judges_is_refused() {
    let said = refused(|root| {
        let problem = root.join("problems/plain_input");
        let manifest = fs::read_to_string(problem.join("Cargo.toml")).unwrap();
        fs::write(
            problem.join("Cargo.toml"),
            manifest.replace("edition.workspace = true", "edition = \"2024\""),
        )
        .unwrap();
        let main = fs::read_to_string(problem.join("src/main.rs")).unwrap();
        let main = main.replace(
            "println!",
            "macro_rules! first { ($of:expr, $($then:tt)*) => { if let Some(x) = $of.first() && *x > 100 $($then)* } }\n    \
             first!(a, { return; });\n    println!",
        );
        fs::write(problem.join("src/main.rs"), main).unwrap();
    });
    assert!(
        said.contains("it needs a newer edition than 2021"),
        "{said}"
    );
}

/// Has a macro of a library make a module of `plain_input` that is in a file of its own.
fn make_module(root: &Path, call: &str) {
    let source = format!(
        "{TOUCH} #[macro_export] macro_rules! part {{ ($name:ident) => {{ mod $name; }} }} \
         #[macro_export] macro_rules! by {{ ($of:ident, $name:ident) => {{ $crate::$of!($name); }} }}"
    );
    add_library(root, "license = \"MIT\"\n", &[("src/lib.rs", &source)]);
    let source = root.join("problems/plain_input/src");
    let main = fs::read_to_string(source.join("main.rs")).unwrap();
    let main = main.replace("fn main() {", "fn main() {\n    first::done();");
    fs::write(source.join("main.rs"), format!("extra::{call};\n{main}")).unwrap();
    fs::write(source.join("first.rs"), "pub fn done() {}").unwrap();
}

#[test]
fn a_module_file_that_a_macro_of_a_library_names_is_found() {
    let corpus = fresh();
    make_module(&corpus.root, "part!(first)");
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(corpus.root.join("problems/plain_input/submit.rs")).unwrap();
    assert!(text.contains("mod first {\n\tpub fn done() {}"), "{text}");
}

#[test]
fn a_module_file_that_cannot_be_told_is_refused() {
    let said = refused(|root| make_module(root, "by!(part, first)"));
    assert!(
        said.contains("it has a module that a macro makes"),
        "{said}"
    );
}

#[test]
fn what_a_macro_asks_the_compiler_for_by_another_name_is_refused() {
    let cases = [
        (
            "($p:literal) => { include_str!($p) }",
            "by!(m, \"a.txt\")",
            "it includes a file by a name that a macro gets",
        ),
        (
            "($p:literal) => { env!($p) }",
            "by!(m, \"CARGO_PKG_NAME\")",
            "it asks for a variable of cargo by a name that is made up",
        ),
    ];
    for (rule, call, reason) in cases {
        let said = refused(|root| {
            let source = root.join("problems/plain_input/src");
            let main = fs::read_to_string(source.join("main.rs")).unwrap();
            let main = main.replace("fn main() {", &format!("fn main() {{ let _ = {call};"));
            let by = "macro_rules! by { ($name:ident, $given:literal) => { $name!($given) } }";
            let macros = format!("macro_rules! m {{ {rule} }}\n{by}\n");
            fs::write(source.join("main.rs"), macros + &main).unwrap();
            fs::write(source.join("a.txt"), "a").unwrap();
        });
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_crate_that_only_an_older_edition_takes_is_named() {
    // Since 2024 a temporary at the end of a block goes before the value of the block is used.
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } \
                  pub fn f() { let four = { &String::from(\"1234\") }.len(); assert_eq!(four, 4); }";
    let said = refused(|root| {
        add_library(root, "license = \"MIT\"\n", &[("src/lib.rs", source)]);
    });
    assert!(
        said.contains("the code of `extra`") && said.contains("edition 2024"),
        "{said}"
    );
}

#[test]
fn what_edition_2024_borrows_is_written_out() {
    // There the numbers would borrow from the list that holds the slice as well.
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } \
                  struct List<'a>(&'a [u32]); \
                  impl<'a> List<'a> { fn numbers(&self) -> impl Iterator<Item = u32> + 'a { self.0.iter().copied() } } \
                  fn numbers<'a>(of: &'a [u32]) -> impl Iterator<Item = u32> + 'a { List(of).numbers() } \
                  fn halves(&n: &u32) -> impl Iterator<Item = u32> { 0..n / 2 } \
                  fn count<O: Iterator<Item = u32>>(options: impl Fn(&u32) -> O) -> usize { options(&8).count() } \
                  pub fn f() { assert_eq!(numbers(&[1, 2]).sum::<u32>(), 3); assert_eq!(count(halves), 4); }";
    let corpus = fresh();
    add_library(
        &corpus.root,
        "license = \"MIT\"\n",
        &[("src/lib.rs", source)],
    );
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    // What only that edition reads needs no newer compiler, and is nothing to tell of.
    assert!(!said.contains("note:"), "{said}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let borrowing = "-> crate::capturing!(_, ['a] impl Iterator<Item = u32> + 'a)";
    assert!(text.contains(borrowing), "{text}");
    // An iterator that lives for ever may still be another one for each lifetime.
    let nothing = "-> crate::capturing!(_, [] impl Iterator<Item = u32> + 'static)";
    assert!(text.contains(nothing), "{text}");
}

#[test]
fn what_edition_2024_means_by_everyday_code() {
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
        fn small(v: &[u8]) -> impl Iterator<Item = u8> { v.iter().copied().filter(|x| *x < 9) }\n\
        fn both(v: &[u8], w: &[u8]) -> impl Iterator<Item = u8> { v.iter().zip(w).map(|(v, w)| v + w) }\n\
        fn said(of: Box<[String]>) -> Vec<String> { of.into_iter().map(|s| s + \"!\").collect() }\n\
        pub fn f() { let v = [1, 20]; assert_eq!(small(&v).sum::<u8>() + both(&v, &v).sum::<u8>(), 43);\n\
        assert_eq!(said([\"a\".to_owned()].into()), [\"a!\"]); }";
    let (text, said) = with_library("2024", &[("src/lib.rs", source)]);
    assert!(!said.contains("1.82"), "{said}");
    for written in [
        "-> impl Iterator<Item = u8> + '_ {",
        "fn both<'a>(v: &'a [u8], w: &'a [u8]) -> impl Iterator<Item = u8> + 'a {",
        "IntoIterator::into_iter(of)",
    ] {
        assert!(text.contains(written), "{text}");
    }
}

#[test]
fn what_cfg_asks_in_a_macro_is_of_the_crate_that_calls_it() {
    // What comes behind a macro that is called at home is none of it.
    let source = "#[macro_export] macro_rules! touch { () => { if cfg!(feature = \"default\") { $crate::f(); } }; }\n\
        macro_rules! constants { ($($n:ident)*) => { $(pub const $n: u8 = 7;)* }; }\n\
        constants! { A }\n\
        pub fn f() { assert_eq!(A, 7); }\n\
        pub mod prelude { pub use crate::touch; }";
    let (text, _) = with_library("2021", &[("src/lib.rs", source)]);
    assert!(text.contains("if false"), "{text}");
}

#[test]
fn functions_of_the_system_are_refused() {
    let root = &shared().root;
    let output = judge(root, &["bundle", "entropy"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        ["libc", "getrandom", "seed_from_u64"]
            .iter()
            .all(|word| said.contains(word)),
        "{said}"
    );
    assert!(!root.join("problems/entropy/submit.rs").exists());
}

#[test]
fn who_uses_what_is_refused_is_who_names_it() {
    let said = refused(|root| {
        let manifest = "license = \"MIT\"\n[dependencies]\ngetrandom = \"0.2\"\n";
        let library = TOUCH.replace("f() {}", "f() { getrandom::getrandom(&mut [0]).unwrap(); }");
        add_library(root, manifest, &[("src/lib.rs", &library)]);
        // It depends on `libc` as well.
        add_dependencies(
            root,
            "rand = { version = \"0.8\", features = [\"small_rng\"] }",
        );
        let main = root.join("problems/plain_input/src/main.rs");
        let text = fs::read_to_string(&main).unwrap();
        let seeded =
            "fn main() { let _: rand::rngs::SmallRng = rand::SeedableRng::seed_from_u64(1);";
        fs::write(&main, text.replace("fn main() {", seeded)).unwrap();
    });
    // On Windows there is no libc, which getrandom needs on Linux.
    let chain = match cfg!(windows) {
        false => "(used by getrandom 0.2.17, used by extra 1.2.3, used by plain_input 0.1.0)",
        true => "(used by extra 1.2.3, used by plain_input 0.1.0)",
    };
    let hint = "if the judge has getrandom, `--external getrandom` leaves it there";
    assert!(said.contains(chain) && said.contains(hint), "{said}");
}

#[test]
fn what_is_not_reached_may_be_anything() {
    let corpus = fresh();
    // A crate without a licence that nothing of the program calls does not stand in the way.
    add_library(&corpus.root, "", &[("src/lib.rs", TOUCH)]);
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    fs::write(&main, text.replace("    extra::touch!();", "")).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn what_a_program_is_warned_of_is_allowed_where_it_is() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let warned = "mod tables { pub const dead: u8 = 0; pub fn Odd(x: u8) -> u8 { let mut y = x; y } pub fn r#gen() -> u8 { 2 } pub fn other() {} }\n\
        use tables::{r#gen, other, Odd};\n\
        macro_rules! add { ($a:expr, $b:expr) => { { let unused = 0; $a + $b } }; }\n\
        fn warned() { if add!(Odd(1), r#gen()) != 3 { unreachable!(); } }\n\
        fn main() { warned();";
    fs::write(&main, text.replacen("fn main() {", warned, 1)).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let file = corpus.root.join("problems/plain_input/submit.rs");
    for edition in ["2021", "2024"] {
        compiles("rustc", &file, edition, true);
    }
    let text = fs::read_to_string(file).unwrap();
    for kept in [
        "#[allow(non_snake_case",
        "r#gen",
        "#[allow(unused_variables)]",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(!text.contains("other") && !text.contains("dead"), "{text}");
}

#[test]
fn imports_that_bring_the_same_keep_their_order() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    // The other way round, the compiler calls the prelude unused.
    let modules = "mod near { pub fn one() -> u8 { 1 } pub use super::wide::*; }\n\
        mod wide { pub mod prelude { pub use crate::near::one; } pub fn two() -> u8 { 2 } }\n\
        use wide::prelude::*;\nuse near::*;\n\
        fn main() { assert_eq!(one() + two(), 3);";
    fs::write(&main, text.replacen("fn main() {", modules, 1)).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let file = corpus.root.join("problems/plain_input/submit.rs");
    for edition in ["2021", "2024"] {
        compiles("rustc", &file, edition, true);
    }
}

#[test]
fn new_makes_a_problem_that_bundles() {
    let corpus = fresh();
    let from = corpus.root.join("problems/markers");
    let args = ["new", "copied", "--from", from.to_str().unwrap()];
    let output = judge(&corpus.root, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    for file in [
        "problems/copied/Cargo.toml",
        "problems/copied/src/main.rs",
        "problems/copied/README.md",
        "problems/copied/README.zh-CN.md",
        "testdata/copied/sample.in",
        "testdata/copied/sample.out",
    ] {
        assert!(corpus.root.join(file).is_file(), "{file}");
    }
    let manifest = corpus.root.join("problems/copied/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(
        text.contains("name = \"copied\"") && text.contains("proconio = \"0.6\""),
        "{text}"
    );
    // The corpus has no lints of its own to inherit.
    assert!(!text.contains("[lints]"), "{text}");
    let output = judge(&corpus.root, &["bundle", "copied"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let again = judge(&corpus.root, &["new", "copied"]);
    assert_eq!(again.status.code(), Some(2));
    // Cargo.lock has it still.
    for folder in ["problems", "testdata"] {
        fs::remove_dir_all(corpus.root.join(folder).join("copied")).unwrap();
    }
    let again = judge(&corpus.root, &args);
    assert!(again.status.success(), "{}", stderr(&again));
    for bad in ["../bad", "con", "lpt1", "proconio"] {
        let output = judge(&corpus.root, &["new", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

/// In a copy of this workspace: what `new` writes there builds, passes its own test, is laid out, and refuses what it cannot read.
#[test]
fn new_writes_a_program_to_start_from() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for part in ["judge", "problems", "shared"] {
        copy(&workspace.join(part), &root.join(part));
    }
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(workspace.join(file), root.join(file)).unwrap();
    }
    let done = judge(root, &["new", "fresh"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let headings = |file: &Path| -> Vec<String> {
        let text = fs::read_to_string(file).unwrap();
        let headings = text.lines().filter(|line| line.starts_with("## "));
        headings.map(str::to_owned).collect()
    };
    for readme in ["README.md", "README.zh-CN.md"] {
        let [known, new] = ["p4018", "fresh"].map(|name| root.join("problems").join(name));
        let (known, new) = (headings(&known.join(readme)), headings(&new.join(readme)));
        assert_eq!(new, known[..4], "{readme}");
    }
    let cargo = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        let command = command.args(args).current_dir(root);
        command.env_remove("CARGO_TARGET_DIR").output().unwrap()
    };
    let tested = cargo(&["test", "--offline", "--package", "fresh"]);
    assert!(tested.status.success(), "{}", stderr(&tested));
    let said = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert!(said.contains("1 passed") && !stderr(&tested).contains("warning"));
    if cargo(&["fmt", "--version"]).status.success() {
        assert!(cargo(&["fmt", "--package", "fresh", "--check"])
            .status
            .success());
    }
    for (input, expected) in [("2\n3 5\n", "Yes\n"), ("2\n4 4\n", "No\n")] {
        fs::write(root.join("testdata/fresh/sample.in"), input).unwrap();
        fs::write(root.join("testdata/fresh/sample.out"), expected).unwrap();
        let tested = judge(root, &["test", "fresh"]);
        assert!(tested.status.success(), "{}", stderr(&tested));
    }
    let bundled = judge(root, &["bundle", "fresh"]);
    assert!(
        stderr(&bundled).contains("1 case agrees"),
        "{}",
        stderr(&bundled)
    );
    fs::write(root.join("testdata/fresh/sample.in"), "").unwrap();
    fs::write(root.join("testdata/fresh/sample.out"), "").unwrap();
    let bundled = judge(root, &["bundle", "fresh"]);
    let said = stderr(&bundled);
    assert!(
        said.contains("the cases in testdata/fresh are empty"),
        "{said}"
    );
    // The program's own answer serves where nobody has written one.
    fs::remove_file(root.join("testdata/fresh/sample.out")).unwrap();
    fs::write(root.join("testdata/fresh/sample.in"), "1\n7\n").unwrap();
    let bundled = judge(root, &["bundle", "fresh"]);
    let said = stderr(&bundled);
    let note = "there is no testdata/fresh/sample.out; the file is compared with the program alone";
    assert!(
        said.contains(note) && said.contains("1 case agrees"),
        "{said}"
    );
}

/// Asks for a new problem, which must leave no trace, and returns what is said.
fn new_refused(corpus: &Corpus, args: &[&str]) -> String {
    let output = judge(&corpus.root, &[&["new"], args].concat());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
    for folder in ["problems", "testdata"] {
        let folder = corpus.root.join(folder).join(args[0]);
        assert!(!folder.exists(), "{} is left", folder.display());
    }
    said
}

#[test]
fn new_takes_packages_and_no_workspaces() {
    let corpus = fresh();
    let root = corpus.root.to_str().unwrap();
    let said = new_refused(&corpus, &["whole", "--from", root]);
    assert!(
        said.contains("expected the folder of one of its packages"),
        "{said}"
    );
}

#[test]
fn a_workspace_that_cargo_cannot_read_is_told_of_in_one_line() {
    let corpus = fresh();
    let manifest = corpus.root.join("problems/plain_input/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    for (wrong, why) in [
        (format!("{text}a = = 1\n"), "extra `=`"),
        (text.replace("name =", "nam ="), "missing field"),
    ] {
        fs::write(&manifest, wrong).unwrap();
        let said = stderr(&judge(&corpus.root, &["bundle", "plain_input"]));
        assert!(
            said.starts_with("error: cannot read the workspace: "),
            "{said}"
        );
        assert!(
            said.contains("plain_input/Cargo.toml") && said.contains(why),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    fs::write(&manifest, text).unwrap();
    fs::create_dir(corpus.root.join("problems/empty")).unwrap();
    let said = stderr(&judge(&corpus.root, &["test"]));
    assert!(
        said.contains("failed to read") && said.contains("problems/empty"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let said = stderr(&judge(&std::env::temp_dir(), &["bundle", "plain_input"]));
    assert!(said.contains("run this inside the workspace"), "{said}");
}

#[test]
fn a_problem_without_a_program_is_told_of() {
    let said = refused(|root| {
        let source = root.join("problems/plain_input/src");
        fs::rename(source.join("main.rs"), source.join("lib.rs")).unwrap();
    });
    let expected = "problems/plain_input: it has no binary: expected a src/main.rs";
    assert!(said.contains(expected), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_binary_may_be_called_otherwise_than_its_package() {
    let corpus = fresh();
    let folder = corpus.root.join("problems/plain_input");
    let program = fs::read_to_string(folder.join("src/main.rs")).unwrap();
    fs::create_dir(folder.join("src/bin")).unwrap();
    fs::rename(folder.join("src/main.rs"), folder.join("src/bin/a.rs")).unwrap();
    let is_tried = || {
        let output = judge(&corpus.root, &["bundle", "plain_input"]);
        assert!(
            stderr(&output).contains("1 case agrees"),
            "{}",
            stderr(&output)
        );
        let output = judge(&corpus.root, &["test", "plain_input"]);
        assert!(output.status.success(), "{}", stderr(&output));
    };
    is_tried();
    // Of two there must be one that is meant.
    fs::write(folder.join("src/bin/b.rs"), "fn main() {}").unwrap();
    let said = stderr(&judge(&corpus.root, &["bundle", "plain_input"]));
    let expected =
        "problems/plain_input: it has the binaries a, b: expected one only, one called plain_input";
    assert!(said.contains(expected), "{said}");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let with_default = manifest.replace("[package]", "[package]\ndefault-run = \"a\"");
    fs::write(folder.join("Cargo.toml"), with_default).unwrap();
    is_tried();
    fs::write(folder.join("src/bin/plain_input.rs"), program).unwrap();
    fs::write(folder.join("src/bin/a.rs"), "fn main() {}").unwrap();
    is_tried();
}

#[test]
fn new_refuses_the_name_of_a_package() {
    let corpus = fresh();
    let said = new_refused(&corpus, &["library"]);
    assert!(said.contains("library is called library already"), "{said}");
    // One whose folder is called otherwise is in nobody's way but its own.
    for folder in ["problems", "testdata"] {
        let folder = corpus.root.join(folder);
        fs::rename(folder.join("markers"), folder.join("other")).unwrap();
    }
    let said = new_refused(&corpus, &["markers"]);
    assert!(said.contains("problems"), "{said}");
    assert!(said.contains("other is called markers already"), "{said}");
    let expected =
        "error: problems/other: its package is called markers: expected the name of the folder\n";
    for name in ["markers", "other"] {
        let output = judge(&corpus.root, &["bundle", name]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stderr(&output), expected);
    }
}

#[test]
fn new_refuses_a_name_that_cargo_forbids() {
    let corpus = fresh();
    let from = corpus.root.join("problems/markers");
    let from = from.to_str().unwrap();
    for name in ["build", "deps", "examples", "incremental"] {
        let said = new_refused(&corpus, &[name, "--from", from]);
        assert!(said.contains("is forbidden"), "{said}");
    }
}

/// A package that is no part of the corpus, with all that makes it hard to take over.
fn foreign(folder: &Path) {
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"faraway\"\nversion = \"1.0.0\"\nedition = \"2018\"\n\
             [dependencies]\nnumbers = { path = \"near/by\", package = \"near-by\", features = [\"twice\"] }\n\
             rustc-hash = { version = \"2\", default-features = false, optional = true }\n\
             [target.'cfg(any())'.dependencies]\neither = \"1\"\n\
             [features]\nfast = [\"dep:rustc-hash\"]\n\
             [[bin]]\nname = \"first\"\npath = \"code/first.rs\"\n[workspace]\n",
        ),
        (
            "code/first.rs",
            "mod second;\nfn main() { let async_ = include_str!(\"../table.txt\").trim(); \
             println!(\"{} {} {}\", async_, second::TEXT.trim(), numbers::f()); }\n",
        ),
        (
            "code/second.rs",
            "pub const TEXT: &str = include_str!(\"data/NAME.csv\");\n",
        ),
        ("code/data/NAME.csv", "1,NAME\n"),
        ("table.txt", "table\n"),
        ("build.rs", "fn main() {}\n"),
        ("README.md", "# Far away: NAME\n"),
        ("submit.rs", ""),
        (".hidden", ""),
        ("target/debug/x.txt", ""),
        (
            "near/by/Cargo.toml",
            "[package]\nname = \"near-by\"\nversion = \"0.1.0\"\nedition = \"2021\"\nlicense = \"MIT\"\n\
             [features]\ntwice = []\n",
        ),
        (
            "near/by/src/lib.rs",
            "pub fn f() -> u8 { if cfg!(feature = \"twice\") { 2 } else { 1 } }\n",
        ),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn new_takes_over_a_foreign_package() {
    let corpus = fresh();
    let elsewhere = tempfile::tempdir().unwrap();
    foreign(elsewhere.path());
    let from = elsewhere.path().to_str().unwrap();
    let output = judge(&corpus.root, &["new", "taken", "--from", from]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stderr(&output),
        "note: not taken over: the build script build.rs\n"
    );
    let problem = corpus.root.join("problems/taken");
    let read = |file: &str| fs::read_to_string(problem.join(file)).unwrap();
    for file in ["src/second.rs", "table.txt", "README.zh-CN.md"] {
        assert!(problem.join(file).is_file(), "{file}");
    }
    assert_eq!(read("src/data/NAME.csv"), "1,NAME\n");
    assert_eq!(read("README.md"), "# Far away: NAME\n");
    for file in ["build.rs", "submit.rs", ".hidden", "target", "src/first.rs"] {
        assert!(!problem.join(file).exists(), "{file}");
    }
    let manifest = read("Cargo.toml");
    for line in [
        "edition = \"2018\"",
        "either = \"1\"",
        "[target.'cfg(any())'.dependencies]",
        "fast = [\"dep:rustc-hash\"]",
        "rustc-hash = { version = \"2\", default-features = false, optional = true }",
    ] {
        assert!(manifest.lines().any(|found| found == line), "{manifest}");
    }
    for (file, text) in [("in", "\n"), ("out", "table 1,NAME 2\n")] {
        fs::write(
            corpus
                .root
                .join("testdata/taken/sample")
                .with_extension(file),
            text,
        )
        .unwrap();
    }
    let output = judge(&corpus.root, &["test", "taken"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn new_tells_what_stays_behind() {
    let corpus = fresh();
    let elsewhere = tempfile::tempdir().unwrap();
    let program = "fn main() { print!(\"{}{}\", include_str!(\"../../far.txt\"), include_str!(\"near.txt\")); }\n";
    for (file, text) in [
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"a\"]\n[patch.crates-io]\neither = { path = \"either\" }\n",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        ("a/src/main.rs", program),
        ("a/src/near.txt", "near\n"),
        ("far.txt", "far\n"),
        ("alone/b.rs", "fn main() { print!(\"{}\", include_str!(\"near.txt\")); }\n"),
    ] {
        let path = elsewhere.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let new = |name: &str, from: &str| {
        let from = elsewhere.path().join(from);
        let output = judge(
            &corpus.root,
            &["new", name, "--from", from.to_str().unwrap()],
        );
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    assert_eq!(
        new("patched", "a"),
        "note: not taken over: `[patch]` of its workspace, the file ../../far.txt that src/main.rs includes\n"
    );
    let manifest = corpus.root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let shared = "\n[workspace.dependencies]\nproconio = \"0.6\"\nitertools = \"0.15\"\nshared = { path = \"lib/library\", package = \"library\" }\n";
    fs::write(&manifest, text + shared).unwrap();
    assert_eq!(
        new("lone", "alone/b.rs"),
        "note: not taken over: the file near.txt that src/main.rs includes\n"
    );
}

#[test]
fn new_takes_a_binary_with_the_library_beside_it() {
    let corpus = fresh();
    let elsewhere = tempfile::tempdir().unwrap();
    for (file, text) in [
        (
            "Cargo.toml",
            "[package]\nname = \"pair\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[workspace]\n",
        ),
        ("src/lib.rs", "pub fn f() -> u8 { 7 }\n"),
        (
            "src/bin/one.rs",
            "fn main() { println!(\"{}\", pair::f()); }\n",
        ),
    ] {
        let path = elsewhere.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let from = elsewhere.path().to_str().unwrap();
    let output = judge(&corpus.root, &["new", "single", "--from", from]);
    assert!(output.status.success(), "{}", stderr(&output));
    // As Notepad may save it.
    let expected = corpus.root.join("testdata/single/sample.out");
    fs::write(expected, "\u{feff}7\r\n").unwrap();
    for command in ["test", "bundle"] {
        let output = judge(&corpus.root, &[command, "single"]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    // It is as much the solution as the program is, which need not name a licence.
    let manifest = corpus.root.join("problems/single/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("license"));
    let silent = lines.collect::<Vec<_>>().join("\n");
    assert_ne!(silent.trim_end(), text.trim_end());
    fs::write(&manifest, silent).unwrap();
    let output = judge(&corpus.root, &["bundle", "single", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("single 0"));
}

#[test]
fn new_takes_one_program_of_several() {
    let corpus = fresh();
    // What is no package gets the dependencies of the workspace.
    let manifest = corpus.root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let shared = "\n[workspace.dependencies]\nproconio = \"0.6\"\nitertools = \"0.15\"\nshared = { path = \"lib/library\", package = \"library\" }\n";
    fs::write(&manifest, text + shared).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let program = "mod util; fn main() { println!(\"{}\", util::LETTER); }\n";
    for (file, text) in [
        (
            "contest/Cargo.toml",
            "[package]\nname = \"contest\"\nversion = \"0.1.0\"\nedition = \"2018\"\n\
             [dependencies]\neither = \"1\"\n[workspace]\n",
        ),
        ("contest/src/bin/a.rs", program),
        ("contest/src/bin/b.rs", "fn main() { println!(\"b\"); }\n"),
        (
            "contest/src/bin/util/mod.rs",
            "pub const LETTER: char = 'a';\n",
        ),
        ("alone.rs", "fn main() { println!(\"a\"); }\n"),
        ("part.rs", "pub fn f() {}\n"),
        (
            "parts.rs",
            "mod part; mod whole {} fn main() { part::f(); }\n",
        ),
    ] {
        let path = elsewhere.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let at = |path: &str| elsewhere.path().join(path).to_str().unwrap().to_owned();
    for (path, expected) in [
        ("contest", "has the binaries a, b: expected one only"),
        (
            "contest/src/bin/util/mod.rs",
            "is no program of contest: expected ",
        ),
        ("contest/Cargo.toml", "expected a folder or a .rs file"),
        ("nowhere.rs", "expected a folder or a .rs file"),
        ("part.rs", "has no `main`: expected "),
    ] {
        let said = new_refused(&corpus, &["several", "--from", &at(path)]);
        assert!(said.contains(expected), "{said}");
    }
    for (name, path) in [
        ("several", "contest/src/bin/../bin/a.rs"),
        ("lonely", "alone.rs"),
    ] {
        let output = judge(&corpus.root, &["new", name, "--from", &at(path)]);
        assert!(output.status.success(), "{}", stderr(&output));
        let expected = corpus.root.join("testdata").join(name).join("sample.out");
        fs::write(expected, "a\n").unwrap();
        let output = judge(&corpus.root, &["test", name]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let output = judge(&corpus.root, &["new", "parted", "--from", &at("parts.rs")]);
    let said = stderr(&output);
    assert!(
        said.contains("note: not taken over: the file of `mod part`\n"),
        "{said}"
    );
    // No folder is left that was not there.
    let text = fs::read_to_string(corpus.root.join("Cargo.toml")).unwrap();
    let others = text.replace("\"problems/*\"", "\"problems/lonely\"");
    assert_ne!(others, text);
    fs::write(corpus.root.join("Cargo.toml"), others).unwrap();
    fs::rename(
        corpus.root.join("testdata"),
        elsewhere.path().join("testdata"),
    )
    .unwrap();
    let said = new_refused(&corpus, &["other"]);
    assert!(said.contains("would be no part of the workspace"), "{said}");
    assert!(!corpus.root.join("testdata").exists());
    let problem = corpus.root.join("problems/several");
    let manifest = fs::read_to_string(problem.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("edition = \"2018\"") && manifest.contains("either = \"1\""));
    assert!(problem.join("src/util/mod.rs").is_file() && !problem.join("src/b.rs").exists());
}

/// Bundles a program that uses a library of an edition, and returns the file and what is said.
fn with_library(edition: &str, files: &[(&str, &str)]) -> (String, String) {
    let corpus = fresh();
    add_library(&corpus.root, "license = \"MIT\"\n", files);
    let manifest = corpus.root.join("lib/extra/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let edition = format!("edition = \"{edition}\"");
    fs::write(&manifest, text.replace("edition = \"2021\"", &edition)).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, said)
}

#[test]
fn files_may_begin_and_end_as_the_compiler_allows() {
    let source = "#!/usr/bin/env run\n#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
                  #[doc = include_str!(\"../notes.md\")] pub fn f() { assert_eq!((A, B.len(), include!(\"number.in\")), (1, 3, 2)); }\n\
                  include!(\"items.rs\"); const B: &str = include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/notes.md\"));";
    let (text, _) = with_library(
        "2021",
        &[
            ("src/lib.rs", source),
            ("src/items.rs", "const A: u8 = 1; // one"),
            ("src/number.in", "2 // two"),
            ("notes.md", "???"),
        ],
    );
    assert!(!text.contains("include!") && !text.contains("include_str"));
    assert!(text.contains("\"???\""));
}

#[test]
fn a_macro_that_makes_more_than_is_needed_keeps_no_others() {
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
                  mod other { macro_rules! def { ($name:ident) => { pub struct $name; impl $name { pub fn new() -> Self { help(); $name } } } }\n\
                  def!(Unneeded); fn help() {} }\n\
                  trait Zero { fn zero() -> Self; } trait One { fn one() -> Self; }\n\
                  macro_rules! number { ($($t:ty),*) => { $( impl Zero for $t { fn zero() -> Self { 0 } } impl One for $t { fn one() -> Self { 1 } } )* } }\n\
                  number!(u8, u64);\n\
                  struct Sum; impl Sum { fn of<T: Zero + std::ops::Add<Output = T>>(&self, a: T, b: T) -> T { a + b } }\n\
                  pub fn f() { assert_eq!(Sum.of(1u64, 2), 3); }";
    let (text, _) = with_library("2021", &[("src/lib.rs", source)]);
    assert!(text.contains("trait Zero"), "{text}");
    assert!(!text.contains("Unneeded"), "{text}");
}

#[test]
fn a_path_that_cannot_be_followed_is_told() {
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; } pub fn f() { assert_eq!(N, \"\"); }\n\
                  const N: &str = include_str!(concat!(stringify!(notes), \".md\"));";
    let said = refused(|root| {
        let files = [("src/lib.rs", source), ("src/notes.md", "")];
        add_library(root, "license = \"MIT\"\n", &files);
    });
    assert!(
        said.contains("which file") && !said.contains("build script"),
        "{said}"
    );
}

#[test]
fn the_limits_of_a_library_are_those_of_the_file() {
    let source = "#![recursion_limit = \"512\"]\n#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
                  macro_rules! deep { () => { 0 }; ($h:tt $($t:tt)*) => { 1 + deep!($($t)*) }; }\n";
    let deep = format!(
        "{source}pub fn f() {{ assert_eq!(deep!({}), 200); }}",
        "a ".repeat(200)
    );
    let (text, _) = with_library("2021", &[("src/lib.rs", &deep)]);
    assert!(text.contains("#![recursion_limit = \"512\"]"), "{text}");
    let shallow = format!("{source}pub fn f() {{ assert_eq!(deep!(a a), 2); }}");
    let (text, _) = with_library("2021", &[("src/lib.rs", &shallow)]);
    assert!(!text.contains("recursion_limit"), "{text}");
}

#[test]
fn what_is_wrong_with_the_crate_of_a_macro_is_told() {
    let said = refused(|root| {
        // The compiler passes over what the parser does not know.
        let source = format!("{TOUCH} #[cfg(any())] impl A for B {{ safe fn g() {{}} }}");
        add_library(root, "license = \"MIT\"\n", &[("src/lib.rs", &source)]);
        let main = root.join("problems/plain_input/src/main.rs");
        let text = fs::read_to_string(&main).unwrap();
        let text = text.replace("extra::touch!", "touch!");
        fs::write(&main, format!("#[macro_use]\nextern crate extra;\n{text}")).unwrap();
    });
    assert!(
        said.contains("cannot parse") && said.contains("extra 1.2.3"),
        "{said}"
    );
}

#[test]
fn a_name_that_cargo_sets_is_told_where_the_program_does_not_compile_without() {
    let said = refused(|root| {
        let source = format!("#[cfg(local)] {TOUCH}");
        let files = [("src/lib.rs", &*source)];
        add_library(root, "license = \"MIT\"\n", &files);
        let cargo = root.join(".cargo");
        fs::create_dir_all(&cargo).unwrap();
        let flags = "[build]\nrustflags = [\"--cfg\", \"local\", \"--cfg\", \"other\"]\n";
        fs::write(cargo.join("config.toml"), flags).unwrap();
    });
    assert!(said.contains("does not compile"), "{said}");
    assert!(
        said.contains("cargo's flags for the compiler set `--cfg local`, and judges do not"),
        "{said}"
    );
    assert!(!said.contains("--cfg other"), "{said}");
}

#[test]
fn a_library_of_edition_2024_means_the_same() {
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
                  struct List(Vec<u32>); impl List { fn all(&self) -> impl Iterator<Item = u32> { self.0.iter().copied() } }\n\
                  fn later() -> impl Future<Output = u32> { async { 1 } }\n\
                  trait Kind { fn kind(&self) -> u32; } impl Kind for u32 { fn kind(&self) -> u32 { 1 } } impl Kind for &u32 { fn kind(&self) -> u32 { 2 } }\n\
                  fn kinds(of: Box<[u32]>) -> u32 { of.into_iter().map(|n| Kind::kind(&n)).sum() }\n\
                  pub fn f() { drop(later()); assert_eq!(List(vec![1, 2]).all().sum::<u32>(), 3); assert_eq!(kinds(Box::new([7])), 1); }";
    let (text, said) = with_library("2024", &[("src/lib.rs", source)]);
    assert!(text.contains("Item = u32> + '_"), "{text}");
    assert!(text.contains("use std::future::Future;"), "{text}");
    assert!(text.contains("IntoIterator::into_iter(of)"), "{text}");
    assert!(
        !said.contains("1.82") && !said.contains("temporary"),
        "{said}"
    );
}

#[test]
fn temporaries_of_edition_2024_go_as_early_in_2021() {
    let source = |value: &str| {
        format!(
            "#[macro_export] macro_rules! touch {{ () => {{ $crate::f() }}; }}\n\
             use std::cell::RefCell; pub fn f() {{ let seen = RefCell::new(vec![1]); seen.borrow_mut().pop();\n\
             loop {{ if let Some(x) = seen.borrow().last() {{ assert_eq!(*x, 1); return; }} else {{ seen.borrow_mut().push(1); }}\n\
             let n = {value}; drop(n); }} }}"
        )
    };
    let last = "if let Some(x) = seen.borrow().last() { *x } else { break }";
    let (text, said) = with_library("2024", &[("src/lib.rs", &source(last))]);
    assert!(text.contains("break 'matched *x;"), "{text}");
    assert!(!said.contains("temporary"), "{said}");
    let (text, said) = with_library(
        "2024",
        &[("src/lib.rs", &source(&format!("format!(\"{{}}\", {last})")))],
    );
    assert!(text.contains("break 'outer"), "{text}");
    assert!(!said.contains("temporary"), "{said}");
    let (text, said) = with_library(
        "2021",
        &[("src/lib.rs", &source(last).replace(".pop()", ".first()"))],
    );
    assert!(
        !said.contains("temporary") && !text.contains("'matched"),
        "{said}{text}"
    );
}

#[test]
fn a_library_without_std_calls_its_own_methods() {
    let source = |value: &str| {
        format!(
            "#![no_std]\n{}\nmacro_rules! root {{ ($x:expr) => {{ $x.sqrt() }}; }}\n\
             pub trait Fast {{ fn sqrt(self) -> Self; }} impl Fast for f32 {{ fn sqrt(self) -> f32 {{ 7.0 }} }}\n\
             pub trait Down {{ fn sort(&mut self); }} impl Down for [u8] {{ fn sort(&mut self) {{ self.reverse(); }} }}\n\
             pub trait Show {{ fn to_string(&self) -> u8; }} impl Show for i32 {{ fn to_string(&self) -> u8 {{ 3 }} }}\n\
             pub fn f() {{ let x: f32 = {value}; assert_eq!(root!(x), 7.0); let mut v = [1, 2]; v[..].sort(); assert_eq!(v, [2, 1]);\n\
             assert_eq!([1].iter().map(|n: &i32| n.to_string()).sum::<u8>(), 3); }}",
            "#[macro_export] macro_rules! touch { () => { $crate::f() }; }"
        )
    };
    let (text, _) = with_library("2021", &[("src/lib.rs", &source("4.0f32.sqrt()"))]);
    for written in [
        "<f32 as Fast>::sqrt(",
        "<[_] as Down>::sort(",
        "as Show>::to_string(",
    ] {
        assert!(text.contains(written), "{text}");
    }
    // A library may be without `std` by a feature.
    let block = source("unsafe { 4.0f32 }.sqrt()");
    let asked = block.replace("#![no_std]", "#![cfg_attr(feature = \"no-std\", no_std)]");
    for (block, features) in [
        (&block, ""),
        (&asked, "[features]\ndefault = [\"no-std\"]\nno-std = []\n"),
    ] {
        let manifest = format!("license = \"MIT\"\n{features}");
        let said = refused(|root| add_library(root, &manifest, &[("src/lib.rs", block)]));
        assert!(
            said.contains("extra 1.2.3") && said.contains("<f32 as Fast>::sqrt"),
            "{said}"
        );
    }
}

#[test]
fn what_edition_2024_calls_unsafe_is_written_so() {
    let source = "#[macro_export] macro_rules! touch { () => { $crate::f() }; }\n\
                  extern \"C\" { fn labs(n: i64) -> i64; }\n\
                  #[no_mangle] pub extern \"C\" fn of_extra() -> i64 { unsafe { labs(-3) } }\n\
                  pub fn f() { std::env::set_var(\"A_B\", \"c\"); assert_eq!(of_extra(), 3); }";
    let (text, said) = with_library("2021", &[("src/lib.rs", source)]);
    assert!(said.contains("1.82"), "{said}");
    for written in [
        "unsafe extern \"C\"",
        "#[unsafe(no_mangle)]",
        "unsafe { std::env::set_var",
    ] {
        assert!(text.contains(written), "{text}");
    }
    assert!(!text.contains("TODO"), "{text}");
}

#[test]
fn what_macros_of_older_editions_make_is_told() {
    let corpus = fresh();
    let library = "macro_rules! count { ($a:expr) => { $a.into_iter().count() } }\n\
        #[macro_export]\nmacro_rules! touch { () => { assert_eq!($crate::count(), [1].into_iter().count()) } }\n\
        pub fn count() -> usize { count!([1u8]) }\n";
    let manifest = "license = \"MIT\"\n";
    add_library(&corpus.root, manifest, &[("src/lib.rs", library)]);
    let path = corpus.root.join("lib/extra/Cargo.toml");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(path, manifest.replace("2021", "2018")).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    let note = "note: plain_input: `count!`, `touch!`: before edition 2021 `into_iter` of an array";
    assert!(said.contains(note), "{said}");
}

#[test]
fn the_file_of_somebody_else_is_not_written_over() {
    let root = &shared().root;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main.rs");
    let path = file.to_str().unwrap();
    let bundle = || judge(root, &["bundle", "plain_input", "-o", path]);
    fs::write(&file, "fn main() {}\n").unwrap();
    let check = judge(root, &["bundle", "plain_input", "-o", path, "--check"]);
    for output in [bundle(), check] {
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(
            said.contains("is no file that the bundler wrote: expected another name"),
            "{said}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "fn main() {}\n");
    fs::write(&file, "\n").unwrap();
    for _ in ["empty", "its own"] {
        assert!(bundle().status.success());
    }
    let corpus = fresh();
    let file = corpus.root.join("problems/plain_input/submit.rs");
    fs::write(&file, "fn main() {}\n").unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("submit.rs is no file that the bundler wrote: expected `-o` with"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "fn main() {}\n");
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    fs::write(main, "fn main() {").unwrap();
    let missing = corpus.root.join("missing/a.rs");
    let link = corpus.root.join("link.rs");
    #[cfg(unix)]
    std::os::unix::fs::symlink("missing/a.rs", &link).unwrap();
    // On Windows a link takes rights that not everybody has.
    let links = cfg!(unix).then_some(&link);
    let files = [&corpus.root, &corpus.root.join("missing/"), &missing];
    for file in files.into_iter().chain(links) {
        let path = file.to_str().unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", path]);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("plain_input: cannot write"), "{said}");
        assert!(!file.is_file());
    }
    assert_eq!(link.is_symlink(), cfg!(unix));
}

#[test]
fn what_another_system_alone_builds_is_missed_there() {
    let corpus = fresh();
    let folder = corpus.root.join("problems/plain_input");
    let other = if cfg!(windows) { "unix" } else { "windows" };
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let dependency = format!("\n[target.'cfg({other})'.dependencies]\neither = \"1\"\n");
    fs::write(&manifest, text + &dependency).unwrap();
    let main = folder.join("src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    let call =
        format!("fn main() {{\n    #[cfg({other})]\n    either::Either::<u8, u8>::Left(1);\n");
    fs::write(&main, text.replace("fn main() {\n", &call)).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    let said = stderr(&output);
    // Most judges have Linux, only one has Windows.
    assert_eq!(output.status.success(), !cfg!(windows), "{said}");
    assert!(
        said.contains("the program needs the crate `either`"),
        "{said}"
    );
    // Named where nothing of the other system is.
    fs::write(&main, text).unwrap();
    let output = judge(&corpus.root, &["bundle", "plain_input"]);
    let said = stderr(&output);
    assert!(
        output.status.success() && !said.contains("either"),
        "{said}"
    );
}

#[test]
fn what_the_code_of_another_system_needs_stays() {
    let corpus = fresh();
    let (other, own) = match cfg!(windows) {
        true => ("unix", "unix::ffi::OsStrExt::as_bytes"),
        false => ("windows", "windows::ffi::OsStrExt::encode_wide"),
    };
    fs::remove_file(corpus.root.join("testdata/plain_input/one.out")).unwrap();
    let bundled = |body: &str| {
        let program = format!(
            "use std::ops::{{Add, Mul}};\n\
             struct A(u32);\n\
             impl Add for A {{ type Output = A; fn add(self, b: A) -> A {{ A(self.0 + b.0) }} }}\n\
             impl Mul for A {{ type Output = A; fn mul(self, b: A) -> A {{ A(self.0 * b.0) }} }}\n\
             trait Get {{ fn get(&self) -> u32; }}\n\
             impl Get for A {{ fn get(&self) -> u32 {{ self.0 }} }}\n\
             mod deep {{ pub mod inner {{ pub fn help(a: u32) -> u32 {{ more(a) }} fn more(a: u32) -> u32 {{ a }} }} pub use inner::*; }}\n\
             mod sum {{\n    \
                 use super::*;\n    \
                 #[cfg({other})] pub fn sum(a: A, b: A) -> u32 {{ {body} }}\n    \
                 #[cfg(not({other}))] pub fn sum(a: A, b: A) -> u32 {{ a.0 + b.0 }}\n\
             }}\n\
             fn main() {{ println!(\"{{}}\", sum::sum(A(1), A(2))); }}\n"
        );
        fs::write(
            corpus.root.join("problems/plain_input/src/main.rs"),
            program,
        )
        .unwrap();
        let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    // It is compiled as if the system were that one.
    let file = bundled("(a + b).get()");
    assert!(
        file.contains("impl Add for A") && file.contains("impl Get for A"),
        "{file}"
    );
    assert!(!file.contains("Mul") && !file.contains("help"), "{file}");
    // It cannot be: nobody tells which operators it has, and what it names stays with all that this needs.
    let file = bundled(&format!(
        "let _ = std::os::{own}; deep::help((a + b).get())"
    ));
    let needed = [
        "impl Add for A",
        "impl Mul for A",
        "impl Get for A",
        "use super::*;",
        "use inner::*;",
        "fn help",
        "fn more",
    ];
    assert!(needed.iter().all(|what| file.contains(what)), "{file}");
}

#[test]
fn what_is_one_thing_here_and_another_elsewhere_goes_where_nobody_needs_it() {
    let system = "pub struct Seed(imp::Seed); impl Seed { pub fn new() -> Self { Self(imp::Seed::new()) } } \
                  impl Next for Seed { fn next(&mut self) -> u32 { self.0.next() } }\n\
                  #[cfg(unix)] mod imp { use crate::Next; pub struct Seed(u32); impl Seed { pub fn new() -> Self { Self(unsafe { libc::getuid() }) } } \
                  impl Next for Seed { fn next(&mut self) -> u32 { self.0 } } }\n\
                  #[cfg(not(unix))] mod imp { use crate::Next; pub struct Seed; impl Seed { pub fn new() -> Self { Self } } \
                  impl Next for Seed { fn next(&mut self) -> u32 { std::process::id() } } }\n";
    let source = format!(
        "pub trait Next {{ fn next(&mut self) -> u32; }}\n{system}\
         #[macro_export] macro_rules! touch {{ () => {{ $crate::f() }}; }}\n\
         pub struct Steps(u32); impl Next for Steps {{ fn next(&mut self) -> u32 {{ self.0 += 1; self.0 }} }}\n\
         pub fn f() {{ assert_eq!(Steps(1).next(), 2); }}"
    );
    let manifest = "license = \"MIT\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n";
    let corpus = fresh();
    add_library(&corpus.root, manifest, &[("src/lib.rs", &source)]);
    let output = judge(&corpus.root, &["bundle", "plain_input", "-o", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Steps") && !text.contains("Seed"), "{text}");
}

#[test]
fn a_program_that_varies_is_not_compared() {
    let corpus = fresh();
    let main = corpus.root.join("problems/plain_input/src/main.rs");
    let ends = |end: &str| {
        let varies =
            "std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 1)";
        fs::write(
            &main,
            format!("fn main() {{ println!(\"{{}}\", {varies}); {end} }}\n"),
        )
        .unwrap();
        fs::remove_file(corpus.root.join("testdata/plain_input/one.out")).ok();
        let output = judge(&corpus.root, &["bundle", "plain_input"]);
        (output.status.success(), stderr(&output))
    };
    let (is_made, said) = ends("");
    let note = "on case one the program itself does not always answer the same";
    assert!(
        is_made && said.contains(note) && said.contains("not compared"),
        "{said}"
    );
    // In one of the two programs alone.
    let (is_made, said) = ends(
        "if std::env::current_exe().unwrap().file_stem().unwrap() == \"final2024\" { std::process::exit(1) }",
    );
    assert!(
        !is_made && said.contains("compiled with edition 2024"),
        "{said}"
    );
}
