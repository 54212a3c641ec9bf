//! The layout of the workspace: where the problems, their cases and their binaries are. No other module knows it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail, Context, Result};
use cargo_metadata::{Message, Metadata, MetadataCommand, Package, PackageId, Target};

use crate::bundle::folders_of_cargo;

/// The workspace around the current folder.
pub struct Workspace {
    root: PathBuf,
    /// Sorted by name, no name twice.
    problems: Vec<Problem>,
    /// Packages in `problems/` that are no problems.
    strays: Vec<Stray>,
    /// The folder of each package, by its name.
    packages: BTreeMap<String, PathBuf>,
}

/// A package in `problems/` that is not made as a problem is.
pub struct Stray {
    /// What somebody may call it: its package and its folder.
    names: [String; 2],
    /// What is wrong with it.
    pub reason: String,
}

impl Stray {
    /// Where it is.
    pub fn place(&self) -> String {
        format!("problems/{}", self.names[1])
    }
}

/// A package in `problems/` with a binary that solves the problem.
pub struct Problem {
    /// Name of the package, its folder and its folder in `testdata`.
    pub name: String,
    /// Name of its binary, most often the same.
    pub binary: String,
    /// The first file of the binary.
    pub source: PathBuf,
    package: PackageId,
}

/// An input and the output that is expected for it.
pub struct Case {
    /// Name of the two files without their extension.
    pub name: String,
    /// `CASE.in`
    pub input: PathBuf,
    /// `CASE.out`
    pub expected: PathBuf,
}

/// Something in `testdata` that was meant as a case and is none.
pub struct Misfit {
    /// What it is called there.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
    /// The input, if nothing but the answer is missing.
    pub input: Option<PathBuf>,
}

impl Workspace {
    /// Asks cargo for the workspace that the current folder is in.
    pub fn find() -> Result<Self> {
        let metadata = ask(MetadataCommand::new().no_deps()).map_err(|reason| {
            let hint = match reason.starts_with("could not find") {
                true => ": run this inside the workspace",
                false => "",
            };
            anyhow!("cannot read the workspace: {reason}{hint}")
        })?;
        let root = metadata.workspace_root.clone().into_std_path_buf();
        let mut workspace = Self {
            root,
            problems: Vec::new(),
            strays: Vec::new(),
            packages: BTreeMap::new(),
        };
        for package in metadata.workspace_packages() {
            workspace.add(package);
        }
        workspace.problems.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workspace)
    }

    /// Takes note of a package, and of what it is.
    fn add(&mut self, package: &Package) {
        let name = package.name.to_string();
        let Some(folder) = package.manifest_path.as_std_path().parent() else {
            return;
        };
        self.packages.insert(name.clone(), folder.to_owned());
        if folder.parent() != Some(&self.root.join("problems")) {
            return;
        }
        let called = folder.file_name().unwrap_or_default().to_string_lossy();
        let reason = if called != name {
            format!("its package is called {name}: expected the name of the folder")
        } else {
            match binary(package) {
                Ok(binary) => {
                    self.problems.push(Problem {
                        name,
                        binary: binary.name.clone(),
                        source: binary.src_path.clone().into_std_path_buf(),
                        package: package.id.clone(),
                    });
                    return;
                }
                Err(reason) => reason,
            }
        };
        self.strays.push(Stray {
            names: [name, called.into_owned()],
            reason,
        });
    }

    /// The folder of the package that has this name, of all in the workspace.
    pub fn package(&self, name: &str) -> Option<&Path> {
        self.packages.get(name).map(PathBuf::as_path)
    }

    /// The problems called `names`, or in the folders called so, in the order of the workspace; all of them if `names` is empty, and then
    /// also the packages in `problems/` that are none.
    pub fn select(&self, names: &[String]) -> Result<(Vec<&Problem>, Vec<&Stray>)> {
        if self.problems.is_empty() && self.strays.is_empty() {
            let home = self.root.join("problems");
            bail!(
                "no folder in {} is a package of the workspace",
                home.display()
            );
        }
        let names: Vec<&str> = names.iter().map(|name| self.name_of(name)).collect();
        // One that is not asked for is in nobody's way.
        let asked = |stray: &&Stray| {
            let mut called = stray.names.iter();
            called.any(|called| names.contains(&called.as_str()))
        };
        if let Some(stray) = self.strays.iter().find(asked) {
            bail!("{}: {}", stray.place(), stray.reason);
        }
        for name in &names {
            if !self.problems.iter().any(|problem| problem.name == *name) {
                let known: Vec<&str> = self.problems.iter().map(|p| p.name.as_str()).collect();
                bail!(
                    "no problem is called {name:?}; there are: {}",
                    known.join(", ")
                );
            }
        }
        let is_asked =
            |problem: &&Problem| names.is_empty() || names.contains(&problem.name.as_str());
        let problems = self.problems.iter().filter(is_asked).collect();
        let strays = self.strays.iter().filter(|_| names.is_empty());
        Ok((problems, strays.collect()))
    }

    /// The name of a problem where somebody gives its name or its folder.
    fn name_of<'a>(&'a self, given: &'a str) -> &'a str {
        let name = name_of(given);
        let is_name = |problem: &Problem| problem.name == name;
        if self.problems.iter().any(is_name) || !Path::new(given).is_dir() {
            return name;
        }
        // As `.` is in there.
        let given = fs::canonicalize(given).ok();
        let is_there = |problem: &&Problem| fs::canonicalize(self.folder(problem)).ok() == given;
        let problem = self.problems.iter().find(is_there);
        problem.map_or(name, |problem| &problem.name)
    }

    /// The cases of a problem by name. Half a case, and a problem without any, are misfits.
    pub fn cases(&self, problem: &Problem) -> Result<Vec<Result<Case, Misfit>>> {
        let folder = self.root.join("testdata").join(&problem.name);
        let mut names = BTreeSet::new();
        if folder.is_dir() {
            for path in list(&folder)? {
                let extension = path.extension().and_then(OsStr::to_str);
                if let (Some("in" | "out"), Some(stem)) = (extension, path.file_stem()) {
                    names.insert(stem.to_os_string());
                }
            }
        }
        if names.is_empty() {
            return Ok(vec![Err(Misfit {
                name: problem.name.clone(),
                reason: format!("no case in {}", self.shown(&folder).display()),
                input: None,
            })]);
        }
        let pair = |stem: OsString| {
            let file = |extension: &str| {
                let mut name = stem.clone();
                name.push(extension);
                folder.join(name)
            };
            let (input, expected) = (file(".in"), file(".out"));
            let name = stem.to_string_lossy().into_owned();
            let missing = [&input, &expected].into_iter().find(|path| !path.is_file());
            if let Some(missing) = missing {
                let shown = self.shown(missing).display();
                let lacks_answer = *missing == expected && !expected.exists();
                return Err(Misfit {
                    name: format!("{}/{name}", problem.name),
                    reason: match missing.is_dir() {
                        true => format!("{shown} is a folder: expected a file"),
                        false => format!("there is no {shown}"),
                    },
                    input: lacks_answer.then(|| input.clone()),
                });
            }
            Ok(Case {
                name,
                input,
                expected,
            })
        };
        Ok(names.into_iter().map(pair).collect())
    }

    /// Folders in `testdata` that no problem will ever read.
    pub fn ownerless_testdata(&self) -> Result<Vec<Misfit>> {
        let folder = self.root.join("testdata");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut misfits = Vec::new();
        for path in list(&folder)? {
            let Some(name) = path.file_name().map(OsStr::to_string_lossy) else {
                continue;
            };
            let is_problem = self.problems.iter().any(|problem| problem.name == name);
            // Of which something else is wrong.
            let is_stray = || {
                let mut called = self.strays.iter().flat_map(|stray| &stray.names);
                called.any(|called| *called == name)
            };
            if path.is_dir() && !is_problem && !is_stray() {
                misfits.push(Misfit {
                    name: name.clone().into_owned(),
                    reason: format!("testdata/{name} belongs to no problem"),
                    input: None,
                });
            }
        }
        Ok(misfits)
    }

    /// Builds `problems` in release; the executable of each by name, in `folder` where another takes its place. What cargo says goes to
    /// stderr.
    pub fn build(&self, problems: &[&Problem], folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
        let mut executables = BTreeMap::new();
        let mut left = problems.to_vec();
        while !left.is_empty() {
            // Cargo puts binaries of one name into one place.
            let mut names = BTreeSet::new();
            let (now, later) = left
                .into_iter()
                .partition(|problem| names.insert(problem.binary.as_str()));
            left = later;
            let mut built = self.build_at_once(&now)?;
            for (name, executable) in &mut built {
                let problem = now.iter().find(|problem| problem.name == *name);
                if left
                    .iter()
                    .any(|other| Some(&other.binary) == problem.map(|of| &of.binary))
                {
                    let kept = folder
                        .join(name)
                        .with_extension(std::env::consts::EXE_EXTENSION);
                    fs::copy(&*executable, &kept)
                        .with_context(|| format!("cannot copy {}", executable.display()))?;
                    *executable = kept;
                }
            }
            executables.extend(built);
        }
        Ok(executables)
    }

    /// Builds problems whose programs have different names.
    fn build_at_once(&self, problems: &[&Problem]) -> Result<BTreeMap<String, PathBuf>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args([
                "build",
                "--release",
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(&self.root)
            .envs(folders_of_cargo())
            .stdout(Stdio::piped());
        for problem in problems {
            // By its id: a crate that it depends on may have the name too.
            command.args(["--package", &problem.package.repr, "--bin", &problem.binary]);
        }
        let mut cargo = command.spawn().context("cannot start cargo")?;
        let messages = cargo.stdout.take().expect("stdout is piped");
        let mut executables = BTreeMap::new();
        for message in Message::parse_stream(BufReader::new(messages)) {
            let Message::CompilerArtifact(artifact) = message.context("cannot read cargo")? else {
                continue;
            };
            let Some(executable) = artifact.executable else {
                continue;
            };
            if let Some(problem) = problems.iter().find(|problem| {
                problem.package == artifact.package_id && problem.binary == artifact.target.name
            }) {
                executables.insert(problem.name.clone(), executable.into_std_path_buf());
            }
        }
        if !cargo.wait().context("cannot wait for cargo")?.success() {
            bail!("the build failed");
        }
        Ok(executables)
    }

    /// The folder of a problem.
    pub fn folder(&self, problem: &Problem) -> PathBuf {
        self.root.join("problems").join(&problem.name)
    }

    /// The file of a problem that can be submitted.
    pub fn submission(&self, problem: &Problem) -> PathBuf {
        self.folder(problem).join("submit.rs")
    }

    /// Where the workspace is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Compiles the submit.rs of `problems`, each alone, into `folder`; the executable of each by name.
    pub fn compile_submissions(
        &self,
        problems: &[&Problem],
        folder: &Path,
    ) -> Result<BTreeMap<String, PathBuf>> {
        let mut executables = BTreeMap::new();
        for problem in problems {
            let source = self.submission(problem);
            let shown = self.shown(&source).display().to_string();
            if !source.is_file() {
                bail!(
                    "there is no {shown}: make it with cargo judge bundle {}",
                    problem.name
                );
            }
            let executable = folder
                .join(&problem.name)
                .with_extension(std::env::consts::EXE_EXTENSION);
            let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let compiled = Command::new(rustc)
                .args(["--edition", "2021", "-D", "warnings", "-C", "opt-level=2"])
                .arg("-o")
                .arg(&executable)
                .arg(&source)
                .status()
                .context("cannot start rustc")?;
            if !compiled.success() {
                bail!("{shown} does not compile");
            }
            executables.insert(problem.name.clone(), executable);
        }
        Ok(executables)
    }

    /// The path as a person at the root would type it.
    pub fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// The programs of a package.
pub fn binaries(package: &Package) -> impl Iterator<Item = &Target> {
    package.targets.iter().filter(|target| target.is_bin())
}

/// The binary that a package is for: the one that is called like it, else the one that `cargo run` takes; else why there is none.
pub fn binary(package: &Package) -> Result<&Target, String> {
    let binaries: Vec<&Target> = binaries(package).collect();
    let called = |name: &str| binaries.iter().copied().find(|binary| binary.name == name);
    let by_default = || package.default_run.as_deref().and_then(called);
    if let Some(binary) = called(&package.name).or_else(by_default) {
        return Ok(binary);
    }
    match &binaries[..] {
        [binary] => Ok(binary),
        [] => Err("it has no binary: expected a src/main.rs".to_owned()),
        _ => {
            let names: Vec<&str> = binaries.iter().map(|binary| binary.name.as_str()).collect();
            Err(format!(
                "it has the binaries {}: expected one only, one called {}, or `default-run` in the manifest",
                names.join(", "),
                package.name
            ))
        }
    }
}

/// What cargo knows of a workspace; else why it does not, in one line.
pub fn ask(command: &MetadataCommand) -> Result<Metadata, String> {
    command.exec().map_err(|error| match error {
        cargo_metadata::Error::CargoMetadata { stderr } => reason(&stderr),
        error => error.to_string(),
    })
}

/// The last causes that cargo tells: which manifest it stopped at, and why.
fn reason(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    let start = lines.iter().position(|line| line.starts_with("error: "));
    let lines = &lines[start.unwrap_or(0)..];
    // Of a manifest that is no TOML it shows the line.
    if let [said, place, ..] = lines {
        if let (Some(said), Some(place)) =
            (said.strip_prefix("error: "), place.strip_prefix("--> "))
        {
            return format!("{place}: {said}");
        }
    }
    let causes: Vec<String> = lines
        .split(|line| *line == "Caused by:")
        .map(|cause| {
            let mut parts = cause.split(|line| line.is_empty());
            let first = parts.next().unwrap_or_default().join(" ");
            // After what it looked for comes why that cannot be.
            let why = parts.find(|part| {
                part.first()
                    .is_some_and(|line| line.starts_with("package `"))
            });
            let said = why.map_or(first, |part| part.join(" "));
            said.trim_start_matches("error: ").to_owned()
        })
        .collect();
    let is_manifest = |cause: &String| cause.starts_with("failed to parse manifest");
    let from = causes.iter().position(is_manifest);
    causes[from.unwrap_or(causes.len().saturating_sub(2))..].join(": ")
}

/// What is in a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| format!("cannot list {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// The name of a problem where somebody gives its folder, as shells complete it.
fn name_of(given: &str) -> &str {
    let path = given.trim_end_matches(['/', '\\']);
    match path.rsplit_once(['/', '\\']) {
        Some((around, name)) if around.ends_with("problems") => name,
        // As a shell completes it in there.
        None => path,
        _ => given,
    }
}

#[cfg(test)]
mod tests {
    use super::{name_of, reason};

    #[test]
    fn a_folder_is_a_name() {
        for given in ["a", "a/", "problems/a", "./problems/a/", r"problems\a\"] {
            assert_eq!(name_of(given), "a");
        }
        assert_eq!(name_of("testdata/a"), "testdata/a");
    }

    #[test]
    fn cargo_s_reason_is_one_line() {
        let said = "warning: x\n\nerror: failed to load `a`\nby `b`\n\nCaused by:\n  failed to load `c`\n\nCaused by:\n  no\n  way\n\n  hint\n";
        assert_eq!(reason(said), "failed to load `c`: no way");
        let said = "error: failed to load `a`\n\nCaused by:\n  failed to parse manifest at `a`\n\nCaused by:\n  no way\n\nCaused by:\n  no\n";
        assert_eq!(reason(said), "failed to parse manifest at `a`: no way: no");
        let said = "error: failed to select a version for `a`.\n    ... required by package `b`\n\npackage `b` depends on `a` with feature `c` but `a` does not have that feature.\n available features: d\n\n\nfailed";
        assert_eq!(
            reason(said),
            "package `b` depends on `a` with feature `c` but `a` does not have that feature. available features: d"
        );
        assert_eq!(reason("error: it is\nso\n\nthis may help\n"), "it is so");
        let said = "error: extra `=`\n  --> a/Cargo.toml:16:8\n   |\n16 | a = = 3\n   |     ^\nerror: failed to load `a`\n";
        assert_eq!(reason(said), "a/Cargo.toml:16:8: extra `=`");
    }
}
