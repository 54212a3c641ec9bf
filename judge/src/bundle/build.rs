//! Cargo's build of the program, and what is known of it while it goes on.
//!
//! What decides how a crate reads is there long before the crate is compiled: its features, which `cargo tree` tells at once, and what its
//! build script says. So the crates are read and shaken beside the build. Who needs a compiled library waits for that one. What the build
//! tells in the end is compared with what was foreseen.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{BufReader, Read, Seek};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{bail, Context, Result};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::{
    Artifact, BuildScript, Dependency, DependencyKind, Message, Package, PackageId, Target,
    TargetKind,
};

use super::resolve::{host_triple, Project};

/// What is compiled of a package, as far as that tells how it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub root: PathBuf,
    pub edition: u16,
    pub is_procedural: bool,
    pub features: BTreeSet<String>,
}

impl Part {
    fn new(target: &Target, features: impl IntoIterator<Item = String>) -> Self {
        Self {
            name: target.name.clone(),
            root: target.src_path.clone().into_std_path_buf(),
            edition: match target.edition.as_str() {
                "2015" => 2015,
                "2018" => 2018,
                "2021" => 2021,
                _ => 2024,
            },
            is_procedural: target.kind.contains(&TargetKind::ProcMacro),
            features: features.into_iter().collect(),
        }
    }

    pub fn library_name(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// What is built, or will be.
#[derive(Default)]
pub struct Plan {
    pub parts: BTreeMap<PackageId, Part>,
    pub scripts: BTreeMap<PackageId, BuildScript>,
}

/// A key for the library that lies in the same package as the program.
pub fn library_of_program(id: &PackageId) -> PackageId {
    PackageId {
        repr: format!("{}{LIBRARY}", id.repr),
    }
}

/// Whether it is such a key.
pub fn is_library_of_program(id: &PackageId) -> bool {
    id.repr.ends_with(LIBRARY)
}

const LIBRARY: &str = "#library";

/// How cargo compiles the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As in a release.
    Release,
    /// Without the optimiser and in a folder of its own: that is the quicker way where nothing is there yet.
    Quick,
}

impl Profile {
    /// The one by which the program answers soonest, as far as the packages tell of which there is something in the folder for releases.
    pub fn soonest(project: &Project, built: &BTreeSet<String>) -> Self {
        let program = project.package();
        let is_plain = |dependency: &&Dependency| {
            dependency.kind == DependencyKind::Normal
                && !dependency.optional
                && dependency.target.is_none()
        };
        let mut named = program.dependencies.iter().filter(is_plain);
        let is_built = |name: &str| built.contains(name);
        let is_there =
            is_built(&program.name) || named.all(|dependency| is_built(&dependency.name));
        let inside = project.with_dependencies(vec![&program.id]);
        match is_there || inside.iter().any(|package| asks_for_level(package)) {
            true => Self::Release,
            false => Self::Quick,
        }
    }

    /// Whatever the workspace has for its releases, judges unwind, and a file cannot be linked with a crate that does not.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Release => &[
                "--profile=release",
                "--config=profile.release.panic='unwind'",
            ],
            Self::Quick => &[
                "--profile=bundle",
                "--config=profile.bundle.inherits='release'",
                "--config=profile.bundle.opt-level=0",
                "--config=profile.bundle.lto='off'",
                "--config=profile.bundle.panic='unwind'",
            ],
        }
    }
}

/// Whether the build script of a package may tell what depends on the optimiser.
fn asks_for_level(package: &Package) -> bool {
    let mut scripts = package.targets.iter().filter(|of| of.is_custom_build());
    scripts.any(|of| fs::read_to_string(&of.src_path).is_ok_and(|text| text.contains("OPT_LEVEL")))
}

/// A build that goes on, or has ended.
#[derive(Default)]
pub struct Build {
    state: Mutex<State>,
    changed: Condvar,
    is_given_up: AtomicBool,
}

#[derive(Default)]
struct State {
    artifacts: BTreeMap<PackageId, Artifact>,
    scripts: BTreeMap<PackageId, BuildScript>,
    /// The same package is built twice, for the program and for a build script or macro, with other features.
    is_ambiguous: bool,
    has_ended: bool,
}

impl Build {
    /// Has cargo build the program, and takes in what it tells.
    pub fn run(&self, project: &Project, profile: Profile) -> Result<()> {
        // The second time all has been said, but for why it fails.
        let is_shown = !self.state().has_ended;
        let mut done = self.run_once(project, profile, None, is_shown);
        if done.is_ok() && self.state().is_ambiguous {
            let run = |host: String| self.run_once(project, profile, Some(&host), false);
            done = host_triple().and_then(run);
        }
        self.state().has_ended = true;
        self.changed.notify_all();
        done
    }

    fn run_once(
        &self,
        project: &Project,
        profile: Profile,
        target: Option<&str>,
        is_shown: bool,
    ) -> Result<()> {
        let program = project.program;
        let mut command = project.cargo();
        command
            .args([
                "build",
                "--message-format=json-render-diagnostics",
                "--quiet",
            ])
            .args(profile.flags())
            // By its id: a crate that it depends on may have the name too.
            .args(["--package", &project.package().id.repr])
            .args(["--bin", program.binary])
            .stdout(Stdio::piped());
        if let Some(target) = target {
            command.args(["--target", target]);
        }
        let mut said = None;
        if !is_shown {
            let file = tempfile::tempfile().context("cannot make a temporary file")?;
            command.stderr(file.try_clone()?);
            said = Some(file);
        }
        *self.state() = State {
            is_ambiguous: target.is_some(),
            ..State::default()
        };
        let mut child = command.spawn().context("cannot start cargo")?;
        let output = child.stdout.take().expect("stdout is piped");
        for message in Message::parse_stream(BufReader::new(output)) {
            let message = message.context("cannot read cargo's messages")?;
            self.state().take(message, program.binary, target);
            self.changed.notify_all();
        }
        if !child.wait().context("cannot wait for cargo")?.success() {
            let Some(mut file) = said else {
                bail!("the program does not build");
            };
            let mut said = String::new();
            file.rewind()?;
            file.read_to_string(&mut said)?;
            bail!("the program does not build:\n{}", said.trim_end());
        }
        Ok(())
    }

    /// Has whoever works with it stop.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// Whether there is nothing to work for any more.
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// What is built, as it is known now.
    pub fn plan(&self) -> Plan {
        let state = self.state();
        let part = |artifact: &Artifact| Part::new(&artifact.target, artifact.features.clone());
        let artifacts = state.artifacts.iter();
        Plan {
            parts: artifacts.map(|(id, of)| (id.clone(), part(of))).collect(),
            scripts: state.scripts.clone(),
        }
    }

    /// What will be built, as soon as that is known but for what is told of in the end. Nothing where the build ends before.
    pub fn foreseen(&self, project: &Project) -> Option<Plan> {
        let parts = planned(project)?;
        let has_script = |id: &&PackageId| {
            let package = project.packages().get(*id);
            package.is_some_and(|package| package.targets.iter().any(Target::is_custom_build))
        };
        let with_scripts: Vec<&PackageId> = parts.keys().filter(has_script).collect();
        let is_open = |state: &mut State| {
            let mut waiting = with_scripts.iter();
            !state.has_ended && !waiting.all(|id| state.scripts.contains_key(*id))
        };
        let state = self.changed.wait_while(self.state(), is_open);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let is_of_use = !state.has_ended && !state.is_ambiguous;
        is_of_use.then(|| Plan {
            scripts: state.scripts.clone(),
            parts,
        })
    }

    /// Whether each package was built once. Else what was told of one before the end may be about the other.
    pub fn is_clear(&self) -> bool {
        !self.state().is_ambiguous
    }

    /// The binary.
    pub fn executable(&self, project: &Project) -> Result<PathBuf> {
        let state = self.state();
        let artifact = state.artifacts.get(&project.package().id);
        let executable = artifact.and_then(|artifact| artifact.executable.clone());
        let binary = project.program.binary;
        executable
            .map(Utf8PathBuf::into_std_path_buf)
            .with_context(|| format!("cargo made no binary {binary}"))
    }

    /// How the compiler finds the compiled libraries of some packages by names, once all are there.
    pub fn flags(&self, of: &[(&str, &PackageId)]) -> Vec<OsString> {
        let ids: Vec<&PackageId> = of.iter().map(|(_, id)| *id).collect();
        let (files, folders) = self.libraries(&ids);
        let mut flags = Vec::new();
        for ((name, _), file) in of.iter().zip(files) {
            let Some(file) = file else { continue };
            let mut flag = OsString::from(format!("{name}="));
            flag.push(file);
            flags.extend(["--extern".into(), flag]);
        }
        for folder in folders {
            let mut flag = OsString::from("dependency=");
            flag.push(folder);
            flags.extend(["-L".into(), flag]);
        }
        flags
    }

    /// The compiled libraries of some packages, once all are there, and where those lie that they depend on.
    fn libraries(&self, ids: &[&PackageId]) -> (Vec<Option<PathBuf>>, BTreeSet<PathBuf>) {
        let is_open = |state: &mut State| {
            !state.has_ended && !ids.iter().all(|id| state.artifacts.contains_key(*id))
        };
        let state = self.changed.wait_while(self.state(), is_open);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let library = |id: &&PackageId| {
            let mut files = state.artifacts.get(*id)?.filenames.iter();
            let is_library = |file: &&Utf8PathBuf| {
                matches!(file.extension(), Some("rlib" | "so" | "dll" | "dylib"))
            };
            files
                .find(is_library)
                .map(|file| file.clone().into_std_path_buf())
        };
        let files = state.artifacts.values().flat_map(|of| &of.filenames);
        let folders = files.filter_map(|file| file.parent());
        let folders = folders.flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
        let folders: BTreeSet<Utf8PathBuf> = folders.collect();
        let folders = folders.into_iter().filter(|folder| folder.is_dir());
        (
            ids.iter().map(library).collect(),
            folders.map(Utf8PathBuf::into_std_path_buf).collect(),
        )
    }

    /// The settings by which the user's own crates are built to check more than judges have them.
    pub fn checks(&self, project: &Project) -> Vec<&'static str> {
        let state = self.state();
        let own = state.artifacts.iter();
        let own = own.filter(|(id, _)| project.is_own(id));
        let profiles: Vec<_> = own.map(|(_, artifact)| &artifact.profile).collect();
        let mut found = Vec::new();
        if profiles.iter().any(|profile| profile.overflow_checks) {
            found.push("overflow-checks");
        }
        if profiles.iter().any(|profile| profile.debug_assertions) {
            found.push("debug-assertions");
        }
        found
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, message: Message, binary: &str, target: Option<&str>) {
        match message {
            Message::CompilerArtifact(artifact) => self.add(artifact, binary, target),
            Message::BuildScriptExecuted(script) => {
                self.scripts.insert(script.package_id.clone(), script);
            }
            _ => {}
        }
    }

    fn add(&mut self, artifact: Artifact, binary: &str, target: Option<&str>) {
        let kinds = &artifact.target.kind;
        let is_binary = artifact.executable.is_some();
        let wanted = is_library(&artifact.target)
            || is_binary && artifact.target.name == binary && kinds.contains(&TargetKind::Bin);
        let is_in_target = |target: &str| {
            let mut files = artifact.filenames.iter();
            files.any(|file| file.components().any(|part| part.as_str() == target))
        };
        let for_host = !kinds.contains(&TargetKind::ProcMacro)
            && target.is_some_and(|target| !is_in_target(target));
        if !wanted || for_host {
            return;
        }
        if let Some(earlier) = self.artifacts.get(&artifact.package_id) {
            if !is_binary && earlier.executable.is_none() {
                self.is_ambiguous = true;
            }
            if earlier.executable.is_some() {
                return;
            }
        }
        // A package with a library and the binary: the library is asked for by its own key.
        if is_binary {
            if let Some(library) = self.artifacts.remove(&artifact.package_id) {
                let id = library_of_program(&library.package_id);
                self.artifacts.insert(id, library);
            }
        }
        self.artifacts.insert(artifact.package_id.clone(), artifact);
    }
}

/// Whether others can depend on it.
fn is_library(target: &Target) -> bool {
    target.kind.iter().any(|kind| {
        matches!(
            kind,
            TargetKind::Lib
                | TargetKind::RLib
                | TargetKind::DyLib
                | TargetKind::CDyLib
                | TargetKind::StaticLib
                | TargetKind::ProcMacro
        )
    })
}

/// What cargo is going to build, by what it tells of the packages and their features.
fn planned(project: &Project) -> Option<BTreeMap<PackageId, Part>> {
    let all = tree(project, "normal")?;
    let all = listed(project, &all)?;
    // What a procedural macro is made of is compiled for the compiler, with other features.
    let inside = match all.iter().any(|line| line.is_procedural) {
        true => listed(project, &tree(project, "normal,no-proc-macro")?)?,
        false => Vec::new(),
    };
    let lines = if inside.is_empty() { &all } else { &inside };
    let mut parts = BTreeMap::new();
    for line in lines {
        let features = line.features.iter().cloned();
        let targets = &line.package.targets;
        let mut libraries = targets.iter().filter(|target| is_library(target));
        let id = line.package.id.clone();
        if id == project.package().id {
            let is_program =
                |target: &&Target| target.is_bin() && target.name == project.program.binary;
            let program = targets.iter().find(is_program)?;
            if let Some(library) = libraries.next() {
                let part = Part::new(library, features.clone());
                parts.insert(library_of_program(&id), part);
            }
            parts.insert(id, Part::new(program, features));
        } else {
            parts.insert(id, Part::new(libraries.next()?, features));
        }
    }
    let mut above: Vec<&PackageId> = Vec::new();
    let mut macros = BTreeMap::new();
    for line in &all {
        above.truncate(line.depth);
        if line.is_procedural && above.last().is_some_and(|by| parts.contains_key(*by)) {
            let features = line.features.iter().cloned();
            let library = line
                .package
                .targets
                .iter()
                .find(|target| is_library(target))?;
            macros.insert(line.package.id.clone(), Part::new(library, features));
        }
        above.push(&line.package.id);
    }
    parts.extend(macros);
    Some(parts)
}

/// What cargo shows of the packages behind the program.
fn tree(project: &Project, edges: &str) -> Option<String> {
    let mut command = project.cargo();
    command
        .args(["tree", "--offline", "--quiet", "--package"])
        .arg(&project.package().id.repr)
        .args([
            "--edges", edges, "--prefix", "depth", "--format", "|{p}|{f}",
        ])
        .stderr(Stdio::null());
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// A line of what `tree` shows.
struct Line<'p> {
    depth: usize,
    package: &'p Package,
    is_procedural: bool,
    features: Vec<String>,
}

/// The lines of a tree; nothing where one could mean several packages.
fn listed<'p>(project: &Project<'p>, tree: &str) -> Option<Vec<Line<'p>>> {
    let line = |line: &str| {
        let (depth, rest) = line.split_once('|')?;
        let (title, features) = rest.rsplit_once('|')?;
        let mut words = title.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let mut meant = project.packages().values().filter(|package| {
            package.name.as_str() == name && package.version.to_string() == version
        });
        let (package, None) = (*meant.next()?, meant.next()) else {
            return None;
        };
        // It was shown before with what it depends on.
        let features = features.strip_suffix(" (*)").unwrap_or(features);
        let features = features.split(',').filter(|name| !name.is_empty());
        Some(Line {
            depth: depth.parse().ok()?,
            package,
            is_procedural: words.next() == Some("(proc-macro)"),
            features: features.map(str::to_owned).collect(),
        })
    };
    tree.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::resolve::{metadata, Program};
    use super::*;

    /// A workspace with a program `p`, another `q`, a library `a`, of which they want other features, and a procedural macro `m`.
    fn workspace(folder: &Path, resolver: u8) {
        let write = |file: &str, text: &str| {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let package = |name: &str, rest: &str| {
            let head = "version = \"1.0.0\"\nedition = \"2021\"\nlicense = \"MIT\"\n";
            write(
                &format!("{name}/Cargo.toml"),
                &format!("[package]\nname = \"{name}\"\n{head}{rest}"),
            );
        };
        write(
            "Cargo.toml",
            &format!("[workspace]\nmembers = [\"p\", \"q\", \"a\", \"m\", \"x-y\"]\nresolver = \"{resolver}\"\n"),
        );
        let features = "[features]\ndefault = [\"std\"]\nstd = []\none = []\ntwo = []\nthree = []\nfour = []\n";
        package("a", features);
        write(
            "a/build.rs",
            "fn main() { println!(\"cargo::rustc-cfg=found\"); }",
        );
        write("a/src/lib.rs", "pub fn f() {}");
        package("x-y", "[dependencies]\na.path = \"../a\"\n");
        write("x-y/src/lib.rs", "pub use a::f;");
        package(
            "m",
            "[lib]\nproc-macro = true\n[dependencies]\na = { path = \"../a\", features = [\"four\"] }\n",
        );
        write("m/src/lib.rs", "");
        let wanted = |feature: &str| {
            format!(
                "a = {{ path = \"../a\", default-features = false, features = [\"{feature}\"] }}\n"
            )
        };
        package(
            "p",
            &format!(
                "[dependencies]\nx-y.path = \"../x-y\"\n{}[dev-dependencies]\n{}",
                wanted("one"),
                wanted("three")
            ),
        );
        write("p/src/lib.rs", "pub use x_y::f;");
        write("p/src/main.rs", "fn main() { p::f(); }");
        let with_macro = format!("[dependencies]\nm.path = \"../m\"\n{}", wanted("two"));
        package("q", &with_macro);
        write("q/src/main.rs", "fn main() { a::f(); }");
    }

    /// Has somebody look at a program of the workspace.
    fn with_project<T>(folder: &Path, name: &str, look: impl FnOnce(&Project) -> T) -> T {
        let program = Program {
            folder: &folder.join(name),
            package: name,
            binary: name,
            is_locked: false,
        };
        let metadata = metadata(&program).unwrap();
        look(&Project::new(&program, &metadata).unwrap())
    }

    /// What is foreseen of a program, what is built, and whether that is each package once.
    fn of(folder: &Path, name: &str) -> (BTreeMap<PackageId, Part>, Plan, bool) {
        with_project(folder, name, |project| {
            let foreseen = planned(project).unwrap();
            let build = Build::default();
            let profile = Profile::soonest(project, &BTreeSet::new());
            build.run(project, profile).unwrap();
            assert!(build.executable(project).unwrap().is_file());
            assert!(build.foreseen(project).is_none(), "there is no need to");
            (foreseen, build.plan(), build.is_clear())
        })
    }

    fn features_of<'p>(parts: &'p BTreeMap<PackageId, Part>, name: &str) -> Vec<&'p str> {
        let part = parts.values().find(|part| part.name == name).unwrap();
        part.features.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_is_foreseen_is_built() {
        for resolver in [1, 2] {
            let folder = tempfile::tempdir().unwrap();
            workspace(folder.path(), resolver);
            let (foreseen, built, is_clear) = of(folder.path(), "p");
            assert_eq!(foreseen, built.parts, "with resolver {resolver}");
            assert!(is_clear);
            let features = match resolver {
                1 => vec!["default", "one", "std", "three"],
                _ => vec!["default", "one", "std"],
            };
            assert_eq!(features_of(&foreseen, "a"), features);
            assert_eq!(built.scripts.len(), 1);
            let names: Vec<&str> = foreseen.values().map(|part| &*part.name).collect();
            assert_eq!(names, ["a", "p", "p", "x_y"]);
        }
    }

    #[test]
    fn what_is_built_for_the_compiler_has_features_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), 2);
        let (foreseen, built, is_clear) = of(folder.path(), "q");
        assert!(!is_clear);
        assert_eq!(features_of(&foreseen, "a"), ["two"]);
        assert_eq!(foreseen, built.parts);
    }

    #[test]
    fn what_is_there_is_not_built_another_way() {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), 2);
        let soonest = |name: &str, built: &[&str]| {
            let built = built.iter().map(|&name| name.to_owned()).collect();
            let look = |project: &Project| Profile::soonest(project, &built);
            with_project(folder.path(), name, look)
        };
        assert_eq!(soonest("p", &[]), Profile::Quick);
        assert_eq!(
            soonest("p", &["a", "q"]),
            Profile::Quick,
            "`x-y` is not there"
        );
        assert_eq!(soonest("p", &["p"]), Profile::Release);
        assert_eq!(
            soonest("p", &["a", "x-y"]),
            Profile::Release,
            "all but the program is"
        );
        // What its build script says may depend on it.
        let script = folder.path().join("a/build.rs");
        let text = "fn main() { std::env::var(\"OPT_LEVEL\").unwrap(); }";
        fs::write(script, text).unwrap();
        assert_eq!(soonest("p", &[]), Profile::Release);
    }

    #[test]
    fn why_the_second_build_fails_is_told() {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), 2);
        let script = folder.path().join("a/build.rs");
        let text = "fn main() { let level = std::env::var(\"OPT_LEVEL\"); assert_eq!(level.unwrap(), \"0\", \"too high\"); }";
        fs::write(script, text).unwrap();
        let error = with_project(folder.path(), "p", |project| {
            let build = Build::default();
            build.run(project, Profile::Quick).unwrap();
            build.run(project, Profile::Release).unwrap_err()
        });
        let error = error.to_string();
        assert!(
            error.starts_with("the program does not build:\n"),
            "{error}"
        );
        assert!(error.contains("too high"), "{error}");
    }
}
