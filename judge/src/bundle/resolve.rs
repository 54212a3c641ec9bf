//! What cargo really builds for a binary: packages, features, cfgs of build scripts, names of the dependencies.
//!
//! The manifest tells only what *could* be built. So cargo builds the binary (which is needed anyway, to compare answers), and its
//! messages tell what was: which packages, with which features, under which cfgs, and where each compiled library lies.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use anyhow::{bail, Context, Result};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::{
    Artifact, BuildScript, CargoOpt, DependencyKind, Message, Metadata, MetadataCommand, Node,
    NodeDep, Package, PackageId, TargetKind,
};

use super::cfg::{self, CfgSet};
use super::compiler::Compiler;
use super::licence;
use super::limits::Limits;
use super::older::Migrated;
use super::pasted;
use super::source;

/// The crates of a program, the program first and each crate before those that it depends on.
pub struct Resolved {
    pub units: Vec<Unit>,
    /// The binary that cargo made of the program.
    pub executable: PathBuf,
    /// Where the compiled libraries lie.
    pub library_folders: Vec<PathBuf>,
    /// What the file sets limits of the compiler to, if those that it has by itself are too low.
    pub limits: Limits,
    /// Dependencies of the user's own crates that these do not name, by the names that they would have.
    pub unnamed: BTreeSet<String>,
    /// Settings of the profile by which the user's own crates check more than they do at a judge.
    pub checks: Vec<&'static str>,
}

impl Resolved {
    /// The compiler, to be started on a crate with all that cargo tells it.
    pub fn command(&self, compiler: &Compiler, unit: &Unit) -> Command {
        let kind = if unit.module.is_empty() { "bin" } else { "lib" };
        let mut command = compiler.command();
        command
            .args(["--edition", &unit.edition.to_string(), "--crate-type", kind])
            .args(["--crate-name", &unit.library_name, "-Awarnings"])
            .envs(&unit.variables)
            .env("CARGO_MANIFEST_DIR", &unit.folder)
            .envs(unit.generated.iter().map(|folder| ("OUT_DIR", folder)));
        for flag in unit.cfg.flags() {
            command.args(["--cfg", flag]);
        }
        let libraries = unit.dependencies.iter();
        command.args(self.flags(libraries.map(|(name, &at)| (name.as_str(), at))));
        command.arg(&unit.root);
        command
    }

    /// How the compiler finds the compiled libraries of units by names.
    pub fn flags<'n>(&self, libraries: impl Iterator<Item = (&'n str, usize)>) -> Vec<OsString> {
        let mut flags = Vec::new();
        for (name, at) in libraries {
            if let Some(library) = &self.units[at].library {
                let mut flag = OsString::from(format!("{name}="));
                flag.push(library);
                flags.extend(["--extern".into(), flag]);
            }
        }
        if !flags.is_empty() {
            for folder in &self.library_folders {
                let mut flag = OsString::from("dependency=");
                flag.push(folder);
                flags.extend(["-L".into(), flag]);
            }
        }
        flags
    }
}

/// A crate that is part of the program.
pub struct Unit {
    /// What the crate's module is called in the bundle; empty for the program.
    pub module: String,
    /// What it is called as a crate.
    pub library_name: String,
    pub package: String,
    pub version: String,
    /// The crate is a package of the same workspace, not somebody else's.
    pub own: bool,
    pub edition: u16,
    pub root: PathBuf,
    /// Where its manifest lies.
    pub folder: PathBuf,
    /// What cargo tells it of itself by the environment, but for where it lies, and what its build script has cargo tell it.
    pub variables: BTreeMap<String, String>,
    /// Where its build script writes files.
    pub generated: Option<PathBuf>,
    /// What edition 2021 changes in it.
    pub migrated: Migrated,
    pub cfg: CfgSet,
    /// The name by which the code calls a crate, and which unit that is.
    pub dependencies: BTreeMap<String, usize>,
    /// The compiled library, for as long as the source is not inlined.
    pub library: Option<PathBuf>,
    /// It has a module or a type that is called as it is.
    pub is_like_module: bool,
    /// It is code for the compiler.
    pub is_procedural: bool,
    /// Why the source cannot be inlined, if it cannot.
    pub obstacle: Option<String>,
    pub licence: Option<licence::Licence>,
}

#[cfg(test)]
impl Unit {
    /// A program without dependencies, for tests.
    pub fn sample(root: &Path) -> Self {
        Self {
            module: String::new(),
            library_name: "p".to_owned(),
            package: "p".to_owned(),
            version: "1.2.3".to_owned(),
            own: false,
            edition: 2021,
            root: root.to_owned(),
            folder: root.parent().unwrap_or(root).to_owned(),
            variables: [("CARGO_PKG_NAME", "p"), ("CARGO_PKG_VERSION_MAJOR", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            generated: None,
            migrated: Migrated::default(),
            cfg: CfgSet::default(),
            dependencies: BTreeMap::new(),
            library: None,
            is_like_module: false,
            is_procedural: false,
            obstacle: None,
            licence: None,
        }
    }
}

/// The category of crates such as libc.
const BINDINGS: &str = "external-ffi-bindings";

impl Unit {
    /// Name and version, as a message calls the crate.
    pub fn title(&self) -> String {
        format!("{} {}", self.package, self.version)
    }

    /// Whether a text names a folder that it has on this machine.
    pub fn is_on_machine(&self, text: &str) -> bool {
        let mut folders = self.generated.iter().chain([&self.folder]);
        folders.any(|folder| text.contains(&*folder.to_string_lossy()))
    }

    /// Whether it is the crate that makes names of parts.
    pub fn is_paste(&self) -> bool {
        self.is_procedural && self.package == pasted::PACKAGE
    }

    /// Whether it is written for an edition after the judges'.
    pub fn is_newer(&self) -> bool {
        self.edition > 2021
    }

    /// The folder that its modules are in.
    pub fn sources(&self) -> &Path {
        self.root.parent().unwrap_or(Path::new(""))
    }

    /// What is in each of its files.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        source::files(self.sources()).filter_map(|file| fs::read_to_string(file.path()).ok())
    }

    /// Bytes of Rust source.
    pub fn size(&self) -> u64 {
        let files = source::files(self.sources()).filter_map(|file| file.metadata().ok());
        files.map(|file| file.len()).sum()
    }
}

/// Which program to bundle.
pub struct Program<'a> {
    /// A folder of the workspace.
    pub folder: &'a Path,
    pub package: &'a str,
    pub binary: &'a str,
}

/// What cargo tells all crates of a package. (`CARGO_PKG_RUST_VERSION` is as the manifest writes it, which nobody tells.)
fn variables(package: &Package) -> BTreeMap<String, String> {
    let version = &package.version;
    let path = |path: &Option<Utf8PathBuf>| path.as_ref().map(|path| path.to_string());
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let all = [
        ("CARGO_PKG_NAME", package.name.to_string()),
        ("CARGO_PKG_VERSION", version.to_string()),
        ("CARGO_PKG_VERSION_MAJOR", version.major.to_string()),
        ("CARGO_PKG_VERSION_MINOR", version.minor.to_string()),
        ("CARGO_PKG_VERSION_PATCH", version.patch.to_string()),
        ("CARGO_PKG_VERSION_PRE", version.pre.to_string()),
        ("CARGO_PKG_AUTHORS", package.authors.join(":")),
        ("CARGO_PKG_DESCRIPTION", optional(&package.description)),
        ("CARGO_PKG_HOMEPAGE", optional(&package.homepage)),
        ("CARGO_PKG_REPOSITORY", optional(&package.repository)),
        ("CARGO_PKG_LICENSE", optional(&package.license)),
        (
            "CARGO_PKG_LICENSE_FILE",
            path(&package.license_file).unwrap_or_default(),
        ),
        (
            "CARGO_PKG_README",
            path(&package.readme).unwrap_or_default(),
        ),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The program `rustc` that cargo would use.
pub fn rustc() -> OsString {
    static RUSTC: OnceLock<OsString> = OnceLock::new();
    let named = || std::env::var_os("RUSTC").or_else(behind_proxy);
    let found = RUSTC.get_or_init(|| named().unwrap_or_else(|| "rustc".into()));
    found.clone()
}

/// What is first on the path is a proxy nearly always, which looks for the compiler each time.
fn behind_proxy() -> Option<OsString> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let name = format!("rustc{}", std::env::consts::EXE_SUFFIX);
    let rustc = Path::new(sysroot.trim()).join("bin").join(name);
    rustc.is_file().then(|| rustc.into())
}

/// What holds on this machine.
pub fn host_cfg() -> Result<CfgSet> {
    static HOST: OnceLock<CfgSet> = OnceLock::new();
    if let Some(found) = HOST.get() {
        return Ok(found.clone());
    }
    let found = CfgSet::of_host(&rustc())?;
    Ok(HOST.get_or_init(|| found).clone())
}

struct Built {
    artifacts: BTreeMap<PackageId, Artifact>,
    scripts: BTreeMap<PackageId, BuildScript>,
    ambiguous: bool,
}

fn cargo_build(program: &Program, package: &Package, target: Option<&str>) -> Result<Built> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([
            "build",
            "--release",
            "--message-format=json-render-diagnostics",
            "--quiet",
        ])
        // By its id: a crate that it depends on may have the name too.
        .args(["--package", &package.id.repr, "--bin", program.binary])
        .current_dir(program.folder)
        .stdout(Stdio::piped());
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    let mut child = command.spawn().context("cannot start cargo")?;
    let output = child.stdout.take().expect("stdout is piped");
    let mut built = Built {
        artifacts: BTreeMap::new(),
        scripts: BTreeMap::new(),
        ambiguous: false,
    };
    for message in Message::parse_stream(BufReader::new(output)) {
        match message.context("cannot read cargo's messages")? {
            Message::CompilerArtifact(artifact) => {
                let wanted = artifact.target.kind.iter().any(|kind| {
                    matches!(
                        kind,
                        TargetKind::Lib
                            | TargetKind::RLib
                            | TargetKind::DyLib
                            | TargetKind::CDyLib
                            | TargetKind::StaticLib
                            | TargetKind::ProcMacro
                    )
                }) || artifact.executable.is_some()
                    && artifact.target.name == program.binary
                    && artifact.target.kind.contains(&TargetKind::Bin);
                let for_host = target.is_some()
                    && !artifact.target.kind.contains(&TargetKind::ProcMacro)
                    && !artifact
                        .filenames
                        .iter()
                        .any(|file| file.components().any(|c| Some(c.as_str()) == target));
                if !wanted || for_host {
                    continue;
                }
                let bin = artifact.executable.is_some();
                if let Some(earlier) = built.artifacts.get(&artifact.package_id) {
                    if !bin && earlier.executable.is_none() {
                        built.ambiguous = true;
                    }
                    if earlier.executable.is_some() {
                        continue;
                    }
                }
                // A package with a library and the binary: the library is asked for by its own key.
                if bin {
                    if let Some(library) = built.artifacts.remove(&artifact.package_id) {
                        let id = library_of_program(&library.package_id);
                        built.artifacts.insert(id, library);
                    }
                }
                built
                    .artifacts
                    .insert(artifact.package_id.clone(), artifact);
            }
            Message::BuildScriptExecuted(script) => {
                built.scripts.insert(script.package_id.clone(), script);
            }
            _ => {}
        }
    }
    if !child.wait().context("cannot wait for cargo")?.success() {
        bail!("the program does not build");
    }
    Ok(built)
}

/// A key for the library that lies in the same package as the program.
fn library_of_program(id: &PackageId) -> PackageId {
    PackageId {
        repr: format!("{}{LIBRARY}", id.repr),
    }
}

const LIBRARY: &str = "#library";

/// Builds the program and finds out what it consists of.
pub fn resolve(program: &Program) -> Result<Resolved> {
    let mut command = MetadataCommand::new();
    command.current_dir(program.folder);
    let offline = command
        .clone()
        .other_options(vec!["--offline".to_owned()])
        .exec();
    let metadata = match offline {
        Ok(metadata) => metadata,
        // A dependency may not have been fetched yet.
        Err(_) => command
            .features(CargoOpt::SomeFeatures(Vec::new()))
            .exec()
            .context("cargo metadata failed")?,
    };
    let package = metadata
        .workspace_packages()
        .into_iter()
        .find(|package| package.name.as_str() == program.package)
        .with_context(|| format!("no package of the workspace is called {}", program.package))?;
    let (built, host_cfg) = thread::scope(|scope| {
        let host_cfg = scope.spawn(host_cfg);
        let built = cargo_build(program, package, None);
        (built, host_cfg.join().expect("it does not panic"))
    });
    let (mut built, host_cfg) = (built?, host_cfg?);
    if built.ambiguous {
        // The same package is built twice, for the program and for a build script or macro, with other features.
        built = cargo_build(program, package, Some(&host_triple()?))?;
    }
    collect(program, package, &metadata, &built, &host_cfg)
}

/// The settings by which the user's own crates are built to check more than judges have them.
fn checks(built: &Built, metadata: &Metadata) -> Vec<&'static str> {
    let own = built.artifacts.iter();
    let own = own.filter(|(id, _)| metadata.workspace_members.contains(id));
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

fn host_triple() -> Result<String> {
    let output = Command::new(rustc()).arg("-vV").output()?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .context("rustc does not tell its host")
}

/// The words of the user's own crates: what these depend on and do not name is no part of the program, however much there is of it.
struct OwnWords {
    packages: BTreeSet<PackageId>,
    /// Nothing where more is read than what lies beside the first file of each.
    words: Option<BTreeSet<String>>,
}

impl OwnWords {
    fn new(metadata: &Metadata, built: &Built) -> Self {
        let members = metadata.workspace_members.iter();
        let packages: BTreeSet<PackageId> = members.cloned().collect();
        let is_own = |id: &PackageId| packages.contains(id) || id.repr.ends_with(LIBRARY);
        let own = built.artifacts.iter().filter(|(id, _)| is_own(id));
        let roots = own.filter_map(|(_, artifact)| artifact.target.src_path.parent());
        let folders: BTreeSet<&Path> = roots.map(|folder| folder.as_std_path()).collect();
        let files = folders.into_iter().flat_map(source::files);
        let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        let mut words = Some(BTreeSet::new());
        for text in texts {
            if ["include!", "path =", "path="]
                .iter()
                .any(|far| text.contains(far))
            {
                words = None;
            }
            let Some(words) = &mut words else { break };
            let text = source::without_comments(&text);
            words.extend(naming(&text).map(str::to_owned));
        }
        Self { packages, words }
    }

    fn may_name(&self, package: &PackageId, name: &str) -> bool {
        let is_own = self.packages.contains(package);
        !is_own
            || self
                .words
                .as_ref()
                .map_or(true, |words| words.contains(name))
    }
}

/// The words of a text that may name a crate: `time` of `std::time` does not.
fn naming(text: &str) -> impl Iterator<Item = &str> {
    source::words(text).filter(|word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let before = text[..at].strip_suffix("::").unwrap_or("");
        let of_standard = ["std", "core"].map(|name| before.strip_suffix(name));
        let mut of_standard = of_standard.into_iter().flatten();
        !of_standard.any(|before| !before.ends_with(source::is_word))
    })
}

/// The packages behind a program, in the order in which their crates come.
struct Order<'m> {
    nodes: BTreeMap<&'m PackageId, &'m Node>,
    built: &'m Built,
    root: &'m PackageId,
    own_library: PackageId,
    own: &'m OwnWords,
    /// The dependencies of the user's own crates that are not named.
    unnamed: BTreeSet<String>,
    seen: BTreeSet<PackageId>,
    /// What each calls its dependencies.
    edges: BTreeMap<PackageId, BTreeMap<String, PackageId>>,
    /// Each crate before its dependencies.
    ids: Vec<PackageId>,
}

impl<'m> Order<'m> {
    fn new(root: &'m PackageId, nodes: &'m [Node], built: &'m Built, own: &'m OwnWords) -> Self {
        let mut order = Self {
            nodes: nodes.iter().map(|node| (&node.id, node)).collect(),
            built,
            root,
            own_library: library_of_program(root),
            own,
            unnamed: BTreeSet::new(),
            seen: BTreeSet::new(),
            edges: BTreeMap::new(),
            ids: Vec::new(),
        };
        order.visit(root, root);
        // Depth first, so that this is the order of completion reversed.
        order.ids.reverse();
        order
    }

    fn visit(&mut self, id: &PackageId, package: &PackageId) {
        if !self.seen.insert(id.clone()) {
            return;
        }
        let mut names = BTreeMap::new();
        let node = self.nodes.get(package);
        let deps = node.into_iter().flat_map(|node| &node.deps);
        let mut deps: Vec<_> = deps.filter(|dep| self.is_inside(dep)).collect();
        deps.sort_by(|a, b| b.name.cmp(&a.name));
        for dep in deps {
            let name = dep.name.replace('-', "_");
            if self.own.may_name(package, &name) {
                names.insert(name, dep.pkg.clone());
                self.visit(&dep.pkg, &dep.pkg);
            } else {
                self.unnamed.insert(name);
            }
        }
        if id == self.root {
            let own_library = self.own_library.clone();
            if let Some(library) = self.built.artifacts.get(&own_library) {
                names.insert(library.target.name.replace('-', "_"), own_library.clone());
                self.visit(&own_library, self.root);
            }
        }
        self.edges.insert(id.clone(), names);
        self.ids.push(id.clone());
    }

    /// Whether a dependency is built into the program.
    fn is_inside(&self, dep: &NodeDep) -> bool {
        let mut kinds = dep.dep_kinds.iter();
        self.built.artifacts.contains_key(&dep.pkg)
            && kinds.any(|kind| kind.kind == DependencyKind::Normal)
    }
}

fn collect(
    program: &Program,
    root_package: &Package,
    metadata: &Metadata,
    built: &Built,
    host_cfg: &CfgSet,
) -> Result<Resolved> {
    let graph = metadata.resolve.as_ref().context("no dependency graph")?;
    let packages = metadata.packages.iter();
    let packages: BTreeMap<&PackageId, &Package> =
        packages.map(|package| (&package.id, package)).collect();
    let executable = built
        .artifacts
        .get(&root_package.id)
        .and_then(|artifact| artifact.executable.clone())
        .with_context(|| format!("cargo made no binary {}", program.binary))?;
    let own = OwnWords::new(metadata, built);
    let order = Order::new(&root_package.id, &graph.nodes, built, &own);
    let ids = order.ids.iter().enumerate();
    let index: BTreeMap<&PackageId, usize> = ids.map(|(at, id)| (id, at)).collect();
    let mut units = Vec::new();
    let mut library_folders = BTreeSet::new();
    // What the program calls like the crate is the one that a reader looks for.
    let direct = order.edges[&root_package.id].iter();
    let direct: BTreeSet<&PackageId> = direct
        .filter(|(name, id)| **name == library_name(&built.artifacts[id]))
        .map(|(_, id)| id)
        .collect();
    let plain = direct.iter().map(|id| library_name(&built.artifacts[id]));
    let mut modules: BTreeSet<String> = plain.collect();
    for id in &order.ids {
        let artifact = &built.artifacts[id];
        let folders = artifact.filenames.iter().filter_map(|file| file.parent());
        for folder in folders.map(|folder| folder.as_std_path()) {
            library_folders.insert(folder.to_owned());
            library_folders.insert(folder.join("deps"));
        }
        let is_program = *id == root_package.id;
        let is_own_library = *id == order.own_library;
        let package = match is_own_library {
            true => root_package,
            false => packages[id],
        };
        let module = match is_program {
            true => String::new(),
            false if direct.contains(id) => library_name(artifact),
            false => module(package, artifact, &mut modules),
        };
        let mut unit = unit(package, artifact, metadata, built, host_cfg);
        let dependencies = order.edges[id].iter();
        unit.dependencies = dependencies
            .map(|(name, id)| (name.clone(), index[id]))
            .collect();
        unit.module = module;
        if is_program {
            let name = artifact.target.name.clone();
            unit.variables.insert("CARGO_BIN_NAME".to_owned(), name);
        }
        // The library beside a program may say as little of its licence as the program.
        let is_silent = package.license.is_none() && package.license_file.is_none();
        let needs_no_licence = is_program || is_own_library && is_silent;
        if !needs_no_licence {
            match licence(package, &unit, metadata, built) {
                Ok(found) => unit.licence = Some(found),
                Err(reason) => unit.obstacle = Some(reason),
            }
        }
        units.push(unit);
    }
    Ok(Resolved {
        units,
        executable: executable.into_std_path_buf(),
        library_folders: library_folders.into_iter().filter(|f| f.is_dir()).collect(),
        limits: Limits::default(),
        unnamed: order.unnamed,
        checks: checks(built, metadata),
    })
}

fn library_name(artifact: &Artifact) -> String {
    artifact.target.name.replace('-', "_")
}

/// What a crate's module is called: like the crate, unless there are two versions of it.
fn module(package: &Package, artifact: &Artifact, modules: &mut BTreeSet<String>) -> String {
    let name = library_name(artifact);
    if modules.insert(name.clone()) {
        return name;
    }
    let version = package.version.to_string().replace(['.', '-', '+'], "_");
    let versioned = format!("{name}_{version}");
    modules.insert(versioned.clone());
    versioned
}

/// A crate, before it is known what it is for the others.
fn unit(
    package: &Package,
    artifact: &Artifact,
    metadata: &Metadata,
    built: &Built,
    host_cfg: &CfgSet,
) -> Unit {
    let script = built.scripts.get(&package.id);
    let mut cfg = host_cfg.clone();
    for feature in &artifact.features {
        cfg.add(&format!("feature=\"{feature}\""));
    }
    for flag in script.iter().flat_map(|script| &script.cfgs) {
        cfg.add(flag);
    }
    cfg.own = package.source.is_none() && metadata.workspace_members.contains(&package.id);
    cfg.by_processor = cfg::BY_PROCESSOR.contains(&package.name.as_str());
    let name = library_name(artifact);
    let mut variables = variables(package);
    variables.insert("CARGO_CRATE_NAME".to_owned(), name.clone());
    variables.extend(script.iter().flat_map(|script| script.env.clone()));
    let is_library =
        |file: &&Utf8PathBuf| matches!(file.extension(), Some("rlib" | "so" | "dll" | "dylib"));
    let library = artifact.filenames.iter().find(is_library);
    let folder = package.manifest_path.parent();
    Unit {
        module: String::new(),
        library_name: name,
        variables,
        generated: script.map(|script| script.out_dir.clone().into_std_path_buf()),
        package: package.name.to_string(),
        version: package.version.to_string(),
        own: cfg.own,
        edition: match artifact.target.edition.as_str() {
            "2015" => 2015,
            "2018" => 2018,
            "2021" => 2021,
            _ => 2024,
        },
        root: artifact.target.src_path.clone().into_std_path_buf(),
        folder: folder.map_or_else(PathBuf::new, |folder| folder.as_std_path().to_owned()),
        migrated: Migrated::default(),
        cfg,
        dependencies: BTreeMap::new(),
        library: library.map(|file| file.clone().into_std_path_buf()),
        is_like_module: false,
        is_procedural: artifact.target.kind.contains(&TargetKind::ProcMacro),
        obstacle: None,
        licence: None,
    }
}

/// The licence of a crate, or what is in its way into a file.
fn licence(
    package: &Package,
    unit: &Unit,
    metadata: &Metadata,
    built: &Built,
) -> Result<licence::Licence, String> {
    let script = built.scripts.get(&package.id);
    if unit.is_procedural {
        return Err("it is a procedural macro, which runs inside the compiler".to_owned());
    }
    if let Some(lib) = script.and_then(|script| script.linked_libs.first()) {
        return Err(format!("it links the native library {lib}"));
    }
    if package.categories.iter().any(|of| of == BINDINGS) {
        return Err(
            "it calls C functions of the operating system, and each system has others".to_owned(),
        );
    }
    licence::read(package, metadata.workspace_root.as_std_path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_the_standard_library_name_no_crates() {
        let text = "use std::time; ::core::num::x(); my_std::rand; use std::{hash};";
        let words: Vec<&str> = naming(text).collect();
        assert_eq!(
            words,
            ["use", "std", "core", "x", "my_std", "rand", "use", "std", "hash"]
        );
    }
}
