//! What cargo's configuration sets for the compiler: `[env]` of each `.cargo/config.toml` above the program, and the `--cfg` of its flags.
//! And what the environment sets for cargo.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

/// The variables that cargo sets when it builds in a folder.
pub fn configured(folder: &Path) -> BTreeMap<String, String> {
    let is_set = |name: &str| env::var_os(name).is_some();
    variables(files(folder, home().as_deref()), &is_set)
}

/// Where the environment tells cargo to build: as the user means it, who is elsewhere than where cargo is started.
pub fn folders_of_cargo() -> impl Iterator<Item = (&'static str, PathBuf)> {
    let names = [
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_BUILD_BUILD_DIR",
    ];
    names.into_iter().filter_map(|name| {
        let folder = PathBuf::from(env::var_os(name)?);
        // `{workspace-root}` and the like are no part of a path.
        let is_told = folder.is_relative() && !folder.to_string_lossy().starts_with('{');
        let base = env::current_dir().ok().filter(|_| is_told)?;
        Some((name, base.join(folder)))
    })
}

/// Cargo's flags for the compiler, which no judge has.
pub fn compiler_flags(folder: &Path) -> Vec<String> {
    let lists = [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
    ];
    let mut lists = lists.into_iter().filter_map(|name| env::var(name).ok());
    match lists.next() {
        // The first stands between marks that no flag has.
        Some(list) => list.split(['\u{1f}', ' ']).map(str::to_owned).collect(),
        None => flags(files(folder, home().as_deref())),
    }
}

/// The flags that some files have, for the compiler on some or all targets.
fn flags(files: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let document: DocumentMut = text.parse().unwrap_or_default();
        let targets = document.get("target").and_then(Item::as_table_like);
        let tables = targets.iter().flat_map(|targets| targets.iter());
        let tables = tables.map(|(_, table)| table);
        for table in tables.chain(document.get("build")) {
            let Some(flags) = table.get("rustflags") else {
                continue;
            };
            let words = flags.as_str().unwrap_or_default().split_whitespace();
            found.extend(words.map(str::to_owned));
            let several = flags.as_array().into_iter().flatten();
            found.extend(several.filter_map(|flag| Some(flag.as_str()?.to_owned())));
        }
    }
    found
}

/// The names that some flags set by `--cfg`.
pub fn names_set(flags: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let set = match flag.strip_prefix("--cfg") {
            Some("") => flags.next().map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        let name = set.map(|set| set.split('=').next().unwrap_or(set));
        found.extend(name.map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

/// What some flags say of the processor.
pub fn processor_set(flags: &[String]) -> Vec<String> {
    let is_it = |name: &str, _: &str| ["target-cpu", "target-feature"].contains(&name);
    options_set(flags, is_it)
}

/// What some flags say by which the program checks more than at a judge.
pub fn checks_set(flags: &[String]) -> Vec<String> {
    let is_check = |name: &str| ["debug-assertions", "overflow-checks"].contains(&name);
    let is_on = |value: &str| ["", "on", "true", "y", "yes"].contains(&value);
    options_set(flags, |name, value| is_check(name) && is_on(value))
}

/// The options of the code generator among some flags, by their names and values.
fn options_set(flags: &[String], is_it: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let rest = flags.iter().skip(1).map(Some).chain([None]);
    let found = flags.iter().zip(rest).filter_map(|(flag, next)| {
        let set = match flag.strip_prefix("-C").or(flag.strip_prefix("--codegen"))? {
            "" => next?,
            set => set.trim_start_matches('='),
        };
        let (name, value) = set.split_once('=').unwrap_or((set, ""));
        is_it(name, value).then(|| set.to_owned())
    });
    found.collect()
}

fn home() -> Option<PathBuf> {
    let below = || Some(env::home_dir()?.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(below)
}

/// The files of a configuration, those that count more first.
fn files<'f>(folder: &'f Path, home: Option<&'f Path>) -> impl Iterator<Item = PathBuf> + 'f {
    let above = folder.ancestors().map(|folder| folder.join(".cargo"));
    let file = |folder: PathBuf| {
        let names = ["config", "config.toml"].into_iter();
        let mut files = names.map(|name| folder.join(name));
        files.find(|file| file.is_file())
    };
    above.chain(home.map(Path::to_owned)).filter_map(file)
}

/// What some files set, where the environment does not.
fn variables(
    files: impl Iterator<Item = PathBuf>,
    is_set: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let document: DocumentMut = text.parse().unwrap_or_default();
        let Some(set) = document.get("env").and_then(Item::as_table_like) else {
            continue;
        };
        for (name, item) in set.iter() {
            let of_table = |key: &str| item.get(key).and_then(Item::as_bool) == Some(true);
            let value = item.as_str().or_else(|| item.get("value")?.as_str());
            let Some(value) = value.filter(|_| of_table("force") || !is_set(name)) else {
                continue;
            };
            let value = match of_table("relative") {
                // To the folder in which `.cargo` is.
                true => {
                    let base = file.parent().and_then(Path::parent);
                    let path = base.unwrap_or(Path::new("")).join(value);
                    path.to_string_lossy().into_owned()
                }
                false => value.to_owned(),
            };
            found.entry(name.to_owned()).or_insert(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_that_flags_set_are_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".cargo")).unwrap();
        let text = "[build]\nrustflags = [\"--cfg\", \"local\", \"-O\"]\n\
                    [target.'cfg(unix)']\nrustflags = \"--cfg=mode=\\\"fast\\\" --check-cfg a\"\n";
        fs::write(folder.path().join(".cargo/config.toml"), text).unwrap();
        let flags = flags(files(folder.path(), Some(Path::new("missing"))));
        assert_eq!(names_set(&flags), ["local", "mode"]);
    }

    #[test]
    fn what_flags_say_of_the_processor_is_found() {
        let set = |flags: &str| {
            let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            processor_set(&flags).join(" ")
        };
        assert_eq!(set("-C target-cpu=native -O"), "target-cpu=native");
        assert_eq!(
            set("-Copt-level=3 -Ctarget-feature=+avx2 --codegen=target-cpu=x --codegen target-cpu=y"),
            "target-feature=+avx2 target-cpu=x target-cpu=y"
        );
        assert_eq!(set("--cfg target-cpu=a -C"), "");
    }

    #[test]
    fn what_flags_say_of_checks_is_found() {
        let set = |flags: &str| {
            let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            checks_set(&flags).join(" ")
        };
        assert_eq!(
            set("-C debug-assertions -Coverflow-checks=on --codegen overflow-checks=y"),
            "debug-assertions overflow-checks=on overflow-checks=y"
        );
        assert_eq!(
            set("-Coverflow-checks=off -Cdebuginfo=1 --cfg debug-assertions"),
            ""
        );
    }

    #[test]
    fn the_nearest_file_counts_and_the_environment_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let above = folder.path();
        let below = above.join("games");
        for (folder, text) in [
            (
                above,
                "[env]\nA = \"far\"\nB = { value = \"data\", relative = true }\n",
            ),
            (
                &below,
                "[env]\nA = \"near\"\nSET = \"x\"\nFORCED = { value = \"y\", force = true }\n",
            ),
        ] {
            fs::create_dir_all(folder.join(".cargo")).unwrap();
            fs::write(folder.join(".cargo/config.toml"), text).unwrap();
        }
        let is_set = |name: &str| ["SET", "FORCED"].contains(&name);
        let found = variables(files(&below, Some(&above.join(".cargo"))), &is_set);
        let data = above.join("data").to_string_lossy().into_owned();
        let expected = [("A", "near"), ("B", &data), ("FORCED", "y")];
        assert_eq!(
            found,
            expected
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into()
        );
    }
}
