//! What cargo really builds for a binary: packages, features, cfgs of build scripts, names of the dependencies.
//!
//! The manifest tells only what *could* be built. So cargo builds the binary (which is needed anyway, to compare answers), and tells what
//! it builds: which packages, with which features, under which cfgs, and where each compiled library lies.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use anyhow::{anyhow, bail, Context, Result};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::cargo_platform::Platform;
use cargo_metadata::{
    DependencyKind, Metadata, MetadataCommand, Node, NodeDep, Package, PackageId, Target,
};

use super::build::{is_library_of_program, library_of_program, Build, Part, Plan};
use super::compiler::Compiler;
use super::editions::older::Migrated;
use super::load::pasted;
use super::text::source;
use crate::workspace;

pub(super) mod cfg;
pub(super) mod environment;
pub(super) mod external;
pub(super) mod licence;
pub(super) mod limits;
pub(super) mod systems;

use cfg::CfgSet;
use limits::Limits;

/// The crates of a program, the program first and each crate before those that it depends on.
pub struct Resolved {
    pub units: Vec<Unit>,
    /// What each is built from.
    pub parts: BTreeMap<PackageId, Part>,
    build: Arc<Build>,
    /// What the file sets limits of the compiler to, if those that it has by itself are too low.
    pub limits: Limits,
    /// Dependencies of the user's own crates that these do not name, by the names that they would have, and what is in the workspace for
    /// other programs.
    pub unused: BTreeSet<String>,
}

impl Resolved {
    /// The compiler, for texts in which some units are not inlined.
    pub fn compiler(&self, others: &BTreeSet<usize>, scratch: &Path) -> Compiler {
        let others = others.iter().map(|&at| &self.units[at]);
        let library = |unit: &Unit| Some((unit.module.clone(), unit.id.clone()?));
        Compiler {
            libraries: others.filter_map(library).collect(),
            build: self.build.clone(),
            ..Compiler::new(scratch)
        }
    }

    /// The compiler, to be started on a crate, by its first file, with all that cargo tells it.
    pub fn command<'u>(&'u self, compiler: &Compiler, unit: &'u Unit, root: &Path) -> Command {
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
        let library =
            |(name, &at): (&'u String, &usize)| Some((&**name, self.units[at].id.as_ref()?));
        let libraries: Vec<(&str, &PackageId)> = libraries.filter_map(library).collect();
        if !libraries.is_empty() {
            command.args(self.build.flags(&libraries));
        }
        command.arg(root);
        command
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
    /// The crate is the user's own, not somebody else's.
    pub own: bool,
    /// It is a package of the same workspace.
    pub is_member: bool,
    pub edition: u16,
    pub root: PathBuf,
    /// Where its manifest lies.
    pub folder: PathBuf,
    /// What cargo tells it of itself by the environment, but for where it lies, what its build script has cargo tell it, and what cargo is
    /// configured to set.
    pub variables: BTreeMap<String, String>,
    /// Where its build script writes files.
    pub generated: Option<PathBuf>,
    /// What edition 2021 changes in it.
    pub migrated: Migrated,
    pub cfg: CfgSet,
    /// The name by which the code calls a crate, and which unit that is.
    pub dependencies: BTreeMap<String, usize>,
    /// What it depends on for some systems only and is not built here, by the names that it has.
    pub elsewhere: Vec<(String, Vec<Platform>)>,
    /// By what cargo tells of it.
    pub id: Option<PackageId>,
    /// It has a module or a type that is called as it is.
    pub is_like_module: bool,
    /// It is code for the compiler.
    pub is_procedural: bool,
    /// Why the source cannot be inlined, if it cannot.
    pub obstacle: Option<String>,
    pub licence: Option<licence::Licence>,
    /// What `code_size` found: to read all files takes its time.
    pub counted: OnceLock<u64>,
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
            is_member: false,
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
            elsewhere: Vec::new(),
            id: None,
            is_like_module: false,
            is_procedural: false,
            obstacle: None,
            licence: None,
            counted: OnceLock::new(),
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

    /// Whether a text names a folder that it has on this machine, or is a path of it.
    pub fn is_on_machine(&self, text: &str) -> bool {
        let mut folders = self.generated.iter().chain([&self.folder]);
        let path = Path::new(text);
        let is_path = || path.is_absolute() && path.components().count() > 1 && path.exists();
        folders.any(|folder| text.contains(&*folder.to_string_lossy())) || is_path()
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
        source::size(self.sources())
    }

    /// About how many of them are no comments and no tests.
    pub fn code_size(&self) -> u64 {
        let count = || self.texts().map(|text| source::code_size(&text)).sum();
        *self.counted.get_or_init(count)
    }
}

/// Which program to bundle.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// A folder of the workspace.
    pub folder: &'a Path,
    pub package: &'a str,
    pub binary: &'a str,
    /// A `Cargo.lock` that does not fit the manifests is an error, and stays as it is.
    pub is_locked: bool,
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
    static HOST: OnceLock<Result<CfgSet, String>> = OnceLock::new();
    let ask = || CfgSet::of_host(&rustc()).map_err(|error| format!("{error:#}"));
    let found = HOST.get_or_init(ask);
    found.clone().map_err(anyhow::Error::msg)
}

/// A program and the packages that it could be built from.
pub struct Project<'p> {
    pub program: Program<'p>,
    package: PackageId,
    metadata: &'p Metadata,
    packages: BTreeMap<&'p PackageId, &'p Package>,
}

/// What cargo knows of the workspace that a program is in.
pub fn metadata(program: &Program) -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.current_dir(program.folder);
    for (name, folder) in environment::folders_of_cargo() {
        command.env(name, folder);
    }
    let ask = |options: &[(bool, &str)]| {
        let options = options.iter().filter(|(is_wanted, _)| *is_wanted);
        let options: Vec<String> = options.map(|(_, option)| (*option).to_owned()).collect();
        workspace::ask(command.clone().other_options(options))
    };
    let locked = (program.is_locked, "--locked");
    let answer = match ask(&[locked, (true, "--offline")]) {
        // A dependency may not have been fetched yet.
        Err(error) if !is_of_lock(&error) => ask(&[locked]),
        answer => answer,
    };
    match answer {
        Err(error) if is_of_lock(&error) => {
            bail!("Cargo.lock does not fit the manifests: run cargo update --workspace")
        }
        answer => {
            answer.map_err(|reason| anyhow!("cargo cannot tell what it is built of: {reason}"))
        }
    }
}

/// Whether cargo would have had to write `Cargo.lock`.
fn is_of_lock(reason: &str) -> bool {
    reason.contains("--locked was passed")
}

impl<'p> Project<'p> {
    pub fn new(program: &Program<'p>, metadata: &'p Metadata) -> Result<Self> {
        let mut members = metadata.workspace_packages().into_iter();
        let package = members
            .find(|package| package.name.as_str() == program.package)
            .with_context(|| {
                format!("no package of the workspace is called {}", program.package)
            })?;
        let packages = metadata.packages.iter();
        Ok(Self {
            program: *program,
            package: package.id.clone(),
            metadata,
            packages: packages.map(|package| (&package.id, package)).collect(),
        })
    }

    /// That of the program.
    pub fn package(&self) -> &'p Package {
        self.packages[&self.package]
    }

    pub fn packages(&self) -> &BTreeMap<&'p PackageId, &'p Package> {
        &self.packages
    }

    /// Whether a package is the user's own.
    pub fn is_own(&self, id: &PackageId) -> bool {
        let package = self.packages.get(id);
        package.is_some_and(|package| is_own(package, self.metadata))
    }

    /// The packages of which there is something in the folder of a profile.
    pub fn built(&self, profile: &str) -> BTreeSet<String> {
        let metadata = self.metadata;
        let folder = metadata.build_directory.as_ref();
        let folder = folder.unwrap_or(&metadata.target_directory).join(profile);
        let entries = fs::read_dir(folder.join(".fingerprint"));
        let names = entries.into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.rsplit_once('-')?.0.to_owned())
        });
        names.collect()
    }

    /// Some packages with all that they may depend on, but for what runs inside the compiler.
    pub fn with_dependencies(&self, of: Vec<&'p PackageId>) -> Vec<&'p Package> {
        let nodes = self.metadata.resolve.iter().flat_map(|all| &all.nodes);
        let nodes: BTreeMap<&PackageId, &Node> = nodes.map(|node| (&node.id, node)).collect();
        let (mut seen, mut open, mut found) = (BTreeSet::new(), of, Vec::new());
        while let Some(id) = open.pop() {
            let package = self.packages.get(id).copied();
            let mut targets = package.iter().flat_map(|package| &package.targets);
            if seen.insert(id) && !targets.any(Target::is_proc_macro) {
                found.extend(package);
                let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
                open.extend(dependencies.filter(|of| is_normal(of)).map(|of| &of.pkg));
            }
        }
        found
    }

    /// Cargo, to be told what to do with the program.
    pub fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(self.program.folder)
            .envs(environment::folders_of_cargo());
        command
    }
}

pub fn host_triple() -> Result<String> {
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
    fn new(metadata: &Metadata, plan: &Plan) -> Self {
        let packages = metadata
            .packages
            .iter()
            .filter(|package| is_own(package, metadata));
        let packages: BTreeSet<PackageId> = packages.map(|package| package.id.clone()).collect();
        let is_own = |id: &PackageId| packages.contains(id) || is_library_of_program(id);
        let own = plan.parts.iter().filter(|(id, _)| is_own(id));
        let folders: BTreeSet<&Path> = own.filter_map(|(_, part)| part.root.parent()).collect();
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
    plan: &'m Plan,
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
    fn new(root: &'m PackageId, nodes: &'m [Node], plan: &'m Plan, own: &'m OwnWords) -> Self {
        let mut order = Self {
            nodes: nodes.iter().map(|node| (&node.id, node)).collect(),
            plan,
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
        // What a procedural macro is made of is no part of the program.
        let is_procedural = self
            .plan
            .parts
            .get(id)
            .is_some_and(|part| part.is_procedural);
        let node = self.nodes.get(package).filter(|_| !is_procedural);
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
            if let Some(library) = self.plan.parts.get(&own_library) {
                names.insert(library.library_name(), own_library.clone());
                self.visit(&own_library, self.root);
            }
        }
        self.edges.insert(id.clone(), names);
        self.ids.push(id.clone());
    }

    /// Whether a dependency is built into the program.
    fn is_inside(&self, dep: &NodeDep) -> bool {
        self.plan.parts.contains_key(&dep.pkg) && is_normal(dep)
    }
}

/// Whether it is a dependency of the crate itself, not only of its build script or tests.
fn is_normal(dep: &NodeDep) -> bool {
    let mut kinds = dep.dep_kinds.iter();
    kinds.any(|kind| kind.kind == DependencyKind::Normal)
}

impl Project<'_> {
    /// What the program consists of, if this is built of it.
    pub fn resolved(&self, plan: &Plan, build: &Arc<Build>) -> Result<Resolved> {
        let host_cfg = host_cfg()?;
        let metadata = self.metadata;
        let graph = metadata.resolve.as_ref().context("no dependency graph")?;
        let own = OwnWords::new(metadata, plan);
        let order = Order::new(&self.package, &graph.nodes, plan, &own);
        let ids = order.ids.iter().enumerate();
        let index: BTreeMap<&PackageId, usize> = ids.map(|(at, id)| (id, at)).collect();
        let configured = environment::configured(self.program.folder);
        let mut units = Vec::new();
        let mut silent = Vec::new();
        // What the program calls like the crate is the one that a reader looks for.
        let direct = order.edges[&self.package].iter();
        let direct: BTreeSet<&PackageId> = direct
            .filter(|(name, id)| **name == plan.parts[id].library_name())
            .map(|(_, id)| id)
            .collect();
        let plain = direct.iter().map(|id| plan.parts[id].library_name());
        let mut modules: BTreeSet<String> = plain.collect();
        for id in &order.ids {
            let part = &plan.parts[id];
            let is_program = *id == self.package;
            let is_own_library = *id == order.own_library;
            let package = match is_own_library {
                true => self.package(),
                false => self.packages[id],
            };
            let module = match is_program {
                true => String::new(),
                false if direct.contains(id) => part.library_name(),
                false => module(package, part, &mut modules),
            };
            let mut unit = unit(package, part, metadata, plan, &host_cfg);
            let dependencies = order.edges[id].iter();
            unit.dependencies = dependencies
                .map(|(name, id)| (name.clone(), index[id]))
                .collect();
            let mut nodes = graph.nodes.iter();
            let node = nodes.find(|node| node.id == package.id);
            let by_system = node.into_iter().flat_map(systems::by_system);
            let elsewhere = by_system.filter(|(name, _)| !unit.dependencies.contains_key(name));
            unit.elsewhere = elsewhere.collect();
            for (name, value) in &configured {
                let known = unit.variables.entry(name.clone());
                known.or_insert_with(|| value.clone());
            }
            unit.module = module;
            unit.id = Some(id.clone());
            if is_program {
                let name = part.name.clone();
                unit.variables.insert("CARGO_BIN_NAME".to_owned(), name);
            }
            // The library beside a program may say as little of its licence as the program.
            let is_silent = package.license.is_none() && package.license_file.is_none();
            let needs_no_licence = is_program || is_own_library && is_silent;
            if !needs_no_licence {
                match licence(package, &unit, metadata, plan) {
                    Ok(found) => unit.licence = Some(found),
                    Err(reason) => {
                        unit.obstacle = Some(reason);
                        if is_silent && package.source.is_none() && !unit.is_procedural {
                            let root = metadata.workspace_root.as_std_path();
                            silent.push((units.len(), licence::manifest(package, root)));
                        }
                    }
                }
            }
            units.push(unit);
        }
        // Who has to write it into one manifest wants to know of the others.
        for (at, _) in &silent {
            let others = silent.iter().filter(|(other, _)| other != at);
            let others: Vec<String> = others.map(|(_, path)| path.display().to_string()).collect();
            if let (Some(obstacle), [first, rest @ ..]) = (&mut units[*at].obstacle, &others[..]) {
                let list = rest
                    .iter()
                    .fold(first.clone(), |list, path| list + ", " + path);
                *obstacle += &format!("; there is none in {list} either");
            }
        }
        let others = metadata.packages.iter();
        let others = others.filter(|package| !metadata.workspace_members.contains(&package.id));
        let mut unused = order.unnamed;
        unused.extend(others.map(|package| package.name.replace('-', "_")));
        let parts = order.ids.into_iter();
        let parts = parts.map(|id| (plan.parts[&id].clone(), id));
        Ok(Resolved {
            units,
            parts: parts.map(|(part, id)| (id, part)).collect(),
            build: build.clone(),
            limits: Limits::default(),
            unused,
        })
    }
}

/// What a crate's module is called: like the crate, unless there are two versions of it.
fn module(package: &Package, part: &Part, modules: &mut BTreeSet<String>) -> String {
    let name = part.library_name();
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
    part: &Part,
    metadata: &Metadata,
    plan: &Plan,
    host_cfg: &CfgSet,
) -> Unit {
    let script = plan.scripts.get(&package.id);
    let mut cfg = host_cfg.clone();
    for feature in &part.features {
        cfg.add(&format!("feature=\"{feature}\""));
    }
    for flag in script.iter().flat_map(|script| &script.cfgs) {
        cfg.add(flag);
    }
    cfg.own = is_own(package, metadata);
    cfg.by_processor = cfg::BY_PROCESSOR.contains(&package.name.as_str());
    let name = part.library_name();
    let mut variables = variables(package);
    variables.insert("CARGO_CRATE_NAME".to_owned(), name.clone());
    variables.extend(script.iter().flat_map(|script| script.env.clone()));
    let folder = package.manifest_path.parent();
    Unit {
        module: String::new(),
        library_name: name,
        variables,
        generated: script.map(|script| script.out_dir.clone().into_std_path_buf()),
        package: package.name.to_string(),
        version: package.version.to_string(),
        own: cfg.own,
        is_member: metadata.workspace_members.contains(&package.id),
        edition: part.edition,
        root: part.root.clone(),
        folder: folder.map_or_else(PathBuf::new, |folder| folder.as_std_path().to_owned()),
        migrated: Migrated::default(),
        cfg,
        dependencies: BTreeMap::new(),
        elsewhere: Vec::new(),
        id: None,
        is_like_module: false,
        is_procedural: part.is_procedural,
        obstacle: None,
        licence: None,
        counted: OnceLock::new(),
    }
}

/// Whether a package is the user's own: one of the workspace, or beside it and not published anywhere, as a clone of a known crate is.
fn is_own(package: &Package, metadata: &Metadata) -> bool {
    let is_published = package.repository.is_some() || package.homepage.is_some();
    let is_beside = package.source.is_none() && !is_published;
    is_beside || metadata.workspace_members.contains(&package.id)
}

/// Whether it calls the system in its language.
pub fn is_binding(package: &Package) -> bool {
    package.categories.iter().any(|of| of == BINDINGS)
}

/// The licence of a crate, or what is in its way into a file.
fn licence(
    package: &Package,
    unit: &Unit,
    metadata: &Metadata,
    plan: &Plan,
) -> Result<licence::Licence, String> {
    let script = plan.scripts.get(&package.id);
    if unit.is_procedural {
        return Err("it is a procedural macro, which runs inside the compiler".to_owned());
    }
    if let Some(lib) = script.and_then(|script| script.linked_libs.first()) {
        return Err(format!("it links the native library {lib}"));
    }
    if is_binding(package) {
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
