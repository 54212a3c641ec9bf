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
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{
    Artifact, BuildScript, Dependency, DependencyKind, Message, Package, PackageId, Target,
    TargetKind,
};
use toml_edit::{DocumentMut, Item};

use super::licence;
use super::parts::LARGE;
use super::resolve::{host_triple, is_binding, Project};
use super::source::size;

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
pub struct Profile {
    /// As in a release. Else without the optimiser and in a folder of its own: that is the quicker way where nothing is there yet.
    pub is_release: bool,
    /// What stays optimised nevertheless, also where the workspace's releases are not, as profiles name packages.
    optimised: Vec<String>,
    /// How much.
    level: u8,
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
        let is_release = is_there || inside.iter().any(|package| asks_for_level(package));
        let stays = |package: &&Package| {
            let mut named = program.dependencies.iter();
            let is_named = named.any(|dependency| dependency.name == *package.name);
            package.id != program.id && may_stay_compiled(package, is_named)
        };
        let compiled = inside.into_iter().filter(stays).map(|package| &package.id);
        let optimised = project.with_dependencies(compiled.collect());
        let Releases { level, packages } = project.releases();
        // Cargo refuses two settings for the same package.
        let name = |package: &Package| {
            let mut named = packages.iter().filter(|spec| is_spec_of(spec, package));
            let exact = || format!("{}@{}", package.name, package.version);
            named.next().cloned().unwrap_or_else(exact)
        };
        Self {
            is_release,
            optimised: optimised.into_iter().map(name).collect(),
            // With less, a crate keeps the generic functions that it makes for those who name it: their code differs with it and without it.
            level: if level == Some(2) { 2 } else { 3 },
        }
    }

    /// The same for a release.
    pub fn of_release(self) -> Self {
        Self {
            is_release: true,
            ..self
        }
    }

    fn flags(&self) -> Vec<String> {
        let name = if self.is_release { "release" } else { "bundle" };
        let flag = |of: &str| format!("--config=profile.{name}.{of}");
        let of_all: &[&str] = match self.is_release {
            true => &[],
            false => &["inherits='release'", "opt-level=0", "lto='off'"],
        };
        let of_all = of_all.iter().map(|of| flag(of));
        let optimised = self.optimised.iter();
        let optimised =
            optimised.map(|of| flag(&format!("package.'{of}'.opt-level={}", self.level)));
        let profile = format!("--profile={name}");
        std::iter::once(profile)
            .chain(of_all)
            .chain(optimised)
            .collect()
    }
}

/// What the workspace says of its releases.
#[derive(Default)]
pub struct Releases {
    /// How much they are optimised, where that is a number.
    level: Option<i64>,
    /// The packages with settings of their own, as they are named there.
    packages: Vec<String>,
}

impl Releases {
    /// Reads the manifest of a workspace.
    pub fn new(manifest: &str) -> Self {
        let manifest: DocumentMut = manifest.parse().unwrap_or_default();
        let of = |name: &str| manifest.get("profile")?.get("release")?.get(name);
        let packages = of("package").and_then(Item::as_table_like);
        let packages = packages.into_iter().flat_map(|table| table.iter());
        Self {
            level: of("opt-level").and_then(Item::as_integer),
            packages: packages.map(|(name, _)| name.to_owned()).collect(),
        }
    }
}

/// Whether `name`, `name@1` or `name:1.0.2` is about a package.
fn is_spec_of(spec: &str, package: &Package) -> bool {
    let (name, version) = spec.split_once(['@', ':']).unwrap_or((spec, ""));
    let whole = package.version.to_string();
    let rest = whole.strip_prefix(version);
    let is_version = rest.is_some_and(|rest| {
        version.is_empty() || rest.is_empty() || rest.starts_with(['.', '-', '+'])
    });
    *package.name == *name && is_version
}

/// Whether the build script of a package may tell what depends on the optimiser.
fn asks_for_level(package: &Package) -> bool {
    scripts(package).any(|text| text.contains("OPT_LEVEL"))
}

/// The texts of the build scripts of a package.
fn scripts(package: &Package) -> impl Iterator<Item = String> + '_ {
    let scripts = package.targets.iter().filter(|of| of.is_custom_build());
    scripts.filter_map(|of| fs::read_to_string(&of.src_path).ok())
}

/// Whether a package may stay a compiled crate for a while, which the program names or not. One that is not optimised has generic functions of
/// the standard library in it, which others then call there: with it and without it the code is not the same.
fn may_stay_compiled(package: &Package, is_named: bool) -> bool {
    let mut libraries = package.targets.iter().filter(|target| is_library(target));
    package.links.is_some()
        || is_binding(package)
        || !licence::is_allowed(package)
        || !is_named && libraries.any(is_large)
        || scripts(package).any(|text| STAYING.iter().any(|word| text.contains(word)))
}

/// Words of build scripts that have native code linked, or that write code.
const STAYING: [&str; 3] = ["rustc-link-lib", "cc::Build", "OUT_DIR"];

/// Whether it would be left compiled at first for its size.
fn is_large(target: &Target) -> bool {
    let folder = target.src_path.parent().map(Utf8Path::as_std_path);
    folder.is_some_and(|folder| size(folder) > LARGE)
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
    pub fn run(&self, project: &Project, profile: &Profile) -> Result<()> {
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
        profile: &Profile,
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
            build.run(project, &profile).unwrap();
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
            let profile = with_project(folder.path(), name, look);
            (!profile.is_release).then_some(profile.optimised)
        };
        assert_eq!(soonest("p", &[]), Some(vec![]));
        assert!(soonest("p", &["a", "q"]).is_some(), "`x-y` is not there");
        assert_eq!(soonest("p", &["p"]), None);
        assert_eq!(soonest("p", &["a", "x-y"]), None, "all but the program is");
        // What is written by a build script may stay compiled.
        let script = folder.path().join("a/build.rs");
        let before = fs::read(&script).unwrap();
        fs::write(
            &script,
            "fn main() { std::env::var(\"OUT_DIR\").unwrap(); }",
        )
        .unwrap();
        assert_eq!(soonest("p", &[]), Some(vec!["a@1.0.0".to_owned()]));
        fs::write(&script, before).unwrap();
        // So may what has no licence, and what that depends on then does too.
        let manifest = folder.path().join("x-y/Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace("license", "#")).unwrap();
        let both = ["x-y@1.0.0", "a@1.0.0"].map(str::to_owned);
        assert_eq!(soonest("p", &[]), Some(both.to_vec()));
        // Nor may what has one that does not allow it.
        fs::write(&manifest, text.replace("MIT", "GPL-3.0-only")).unwrap();
        assert_eq!(soonest("p", &[]), Some(both.to_vec()));
        // Cargo takes no second name for what the workspace has one for.
        let all = folder.path().join("Cargo.toml");
        let releases = fs::read_to_string(&all).unwrap();
        let other = "[profile.release.package]\n\"a@1.0\".opt-level = 1\nq.opt-level = 1\n";
        fs::write(&all, releases + other).unwrap();
        let named = ["x-y@1.0.0", "a@1.0"].map(str::to_owned);
        assert_eq!(soonest("p", &[]), Some(named.to_vec()));
        // What its build script says may depend on it.
        fs::write(
            script,
            "fn main() { std::env::var(\"OPT_LEVEL\").unwrap(); }",
        )
        .unwrap();
        assert_eq!(soonest("p", &[]), None);
    }
    #[test]
    fn what_may_stay_compiled_is_optimised_whatever_releases_are() {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), 2);
        let change = |file: &str, from: &str, to: &str| {
            let path = folder.path().join(file);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, text.replace(from, to)).unwrap();
        };
        change("x-y/Cargo.toml", "license", "#");
        let releases =
            "resolver = \"2\"\n[profile.release]\nopt-level = \"s\"\npackage.x-y.opt-level = 1\n";
        change("Cargo.toml", "resolver = \"2\"\n", releases);
        with_project(folder.path(), "p", |project| {
            let levels = |profile: &Profile| {
                let build = Build::default();
                build.run(project, profile).unwrap();
                let state = build.state();
                let artifacts = state.artifacts.values();
                let level = |of: &Artifact| (of.target.name.clone(), of.profile.opt_level.clone());
                artifacts.map(level).collect::<BTreeMap<_, _>>()
            };
            let profile = Profile::soonest(project, &BTreeSet::new());
            let all = |program: &str| {
                let levels = [("a", "3"), ("p", program), ("x_y", "3")];
                BTreeMap::from(levels.map(|(name, level)| (name.to_owned(), level.to_owned())))
            };
            assert_eq!(levels(&profile), all("0"));
            assert_eq!(levels(&profile.of_release()), all("s"));
        });
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
            let profile = Profile {
                is_release: false,
                optimised: Vec::new(),
                level: 3,
            };
            build.run(project, &profile).unwrap();
            build.run(project, &profile.of_release()).unwrap_err()
        });
        let error = error.to_string();
        assert!(
            error.starts_with("the program does not build:\n"),
            "{error}"
        );
        assert!(error.contains("too high"), "{error}");
    }
}
