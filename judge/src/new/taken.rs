//! What a new problem takes over from another folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{anyhow, bail, Context, Result};
use cargo_metadata::{MetadataCommand, Package, Target, TargetKind};
use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, LitStr};
use toml_edit::DocumentMut;
use walkdir::WalkDir;

use super::manifest::{self, Manifest};
use super::{usual, without_manifest, File};
use crate::bundle::words;
use crate::workspace::{ask, binaries, binary, Workspace};

/// What is taken over.
pub struct Taken {
    pub manifest: Manifest,
    /// By their paths below the folder of the problem.
    pub files: Vec<File>,
    /// What stays behind although the program may need it.
    pub left_out: Vec<String>,
}

/// Reads the folder or the file `from` for a problem in the folder `problem`.
pub fn read(from: &Path, workspace: &Workspace, problem: &Path) -> Result<Taken> {
    if from.is_file() && is_rust(from) {
        return of_file(from, workspace, problem);
    }
    if !from.is_dir() {
        let missing = match from.exists() {
            true => "",
            false => "there is no ",
        };
        bail!(
            "{missing}{}: expected a folder or a .rs file",
            from.display()
        );
    }
    if from.join("Cargo.toml").is_file() {
        of_package(from, None, workspace, problem)
    } else {
        of_folder(from)
    }
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Takes one program of a package, which may have several, or a file that lies in none.
fn of_file(file: &Path, workspace: &Workspace, problem: &Path) -> Result<Taken> {
    let path = whole(file)?;
    for folder in path.ancestors().skip(1) {
        let manifest = folder.join("Cargo.toml");
        if manifest.is_file() && manifest::read(&manifest)?.contains_key("package") {
            return of_package(folder, Some(&path), workspace, problem);
        }
    }
    let content = read_file(file)?;
    let text = String::from_utf8_lossy(&content);
    if !words(&text).any(|word| word == "main") {
        let file = file.display();
        bail!("{file} has no `main`: expected the file that a program begins with");
    }
    let mut left_out = modules_elsewhere(&text);
    let files = vec![(Path::new("src").join("main.rs"), content)];
    left_out.extend(included_elsewhere(&files)?);
    Ok(Taken {
        manifest: usual(),
        files,
        left_out,
    })
}

/// The files that Rust files include by a name and that are not among them.
fn included_elsewhere(files: &[File]) -> Result<Vec<String>> {
    let taken = files.iter().map(|(path, _)| whole(path));
    let taken: BTreeSet<PathBuf> = taken.collect::<Result<_>>()?;
    let mut found = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| is_rust(path)) {
        let text = String::from_utf8_lossy(content);
        let folder = path.parent().unwrap_or(Path::new(""));
        for name in included(text.parse().unwrap_or_default()) {
            if !taken.contains(&whole(&folder.join(&name))?) {
                let by = path.to_string_lossy().replace('\\', "/");
                found.push(format!("the file {name} that {by} includes"));
            }
        }
    }
    Ok(found)
}

/// What `include_str!("…")` and the like name.
fn included(tokens: TokenStream) -> Vec<String> {
    const MACROS: [&str; 3] = ["include", "include_bytes", "include_str"];
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let is_macro = matches!(trees[..at], [.., TokenTree::Ident(ref name), TokenTree::Punct(ref mark)]
            if mark.as_char() == '!' && MACROS.iter().any(|known| name == known));
        match syn::parse2::<LitStr>(group.stream()) {
            Ok(name) if is_macro => found.push(name.value()),
            _ => found.extend(included(group.stream())),
        }
    }
    found
}

/// The modules of a file that lie in others.
fn modules_elsewhere(text: &str) -> Vec<String> {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let modules = items.into_iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() => Some(module.ident),
        _ => None,
    });
    modules
        .map(|name| format!("the file of `mod {name}`"))
        .collect()
}

/// A path from the top, without `.` and `..` in it.
fn whole(path: &Path) -> Result<PathBuf> {
    let mut found = PathBuf::new();
    for part in std::env::current_dir()?.join(path).components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            part => found.push(part),
        }
    }
    Ok(found)
}

/// Takes the Rust files of a folder that is no package: there may be anything else in it.
fn of_folder(from: &Path) -> Result<Taken> {
    let src = from.join("src");
    let top = if src.is_dir() { &src } else { from };
    let mut paths = Vec::new();
    collect(
        top,
        &|path| path.is_dir() && path != top.join("target") || is_rust(path),
        &mut paths,
    )?;
    if !paths.contains(&top.join("main.rs")) {
        bail!("there is no main.rs in {} or its src", from.display());
    }
    let place = |path: &PathBuf| {
        let below = path.strip_prefix(top).expect("it was found there");
        Ok((Path::new("src").join(below), read_file(path)?))
    };
    Ok(Taken {
        manifest: usual(),
        files: paths.iter().map(place).collect::<Result<_>>()?,
        left_out: Vec::new(),
    })
}

/// Takes the binary of a package, or the one of a file, with all that lies beside it.
fn of_package(
    from: &Path,
    file: Option<&Path>,
    workspace: &Workspace,
    problem: &Path,
) -> Result<Taken> {
    let path = whole(from)?.join("Cargo.toml");
    let metadata =
        ask(MetadataCommand::new().no_deps().manifest_path(&path)).map_err(|reason| {
            let reason = without_manifest(&reason);
            anyhow!("cannot read {}: {reason}", path.display())
        })?;
    let package = metadata
        .packages
        .iter()
        .find(|package| is_same(package.manifest_path.as_std_path(), &path))
        .with_context(|| {
            let path = path.display();
            format!("{path} is of a workspace: expected the folder of one of its packages")
        })?;
    let root = package.manifest_path.as_std_path().parent();
    let root = root.context("a manifest lies in a folder")?;
    let binary = match file {
        Some(file) => program_of(package, file, root)?,
        None => binary(package).map_err(|reason| {
            let several = binaries(package)
                .nth(1)
                .map_or("", |_| "; or the file of one");
            anyhow!("{}: {reason}{several}", package.name)
        })?,
    };
    let layout = Layout::new(package, root, binary)?;
    let mut files = Vec::new();
    for path in &layout.paths {
        files.push((layout.place(path), read_file(path)?));
    }
    let mut left_out = Vec::new();
    if let Some(script) = of_kind(package, &TargetKind::CustomBuild) {
        left_out.push(format!("the build script {}", shown(script, root)));
    }
    let library = library(package);
    if let Some(library) = library.filter(|library| !layout.has(library)) {
        left_out.push(format!("the library {}", shown(library, root)));
    }
    let is_here = is_same(metadata.workspace_root.as_std_path(), workspace.root());
    let (rest, dependencies) = dependencies(package, root, is_here, problem)?;
    left_out.extend(dependencies);
    if !is_here {
        left_out.extend(replaced(metadata.workspace_root.as_std_path())?);
    }
    left_out.extend(included_elsewhere(&files)?);
    let written = |target: &Target| {
        let path = layout.place(target.src_path.as_std_path());
        path.to_string_lossy().replace('\\', "/")
    };
    Ok(Taken {
        manifest: Manifest {
            edition: Some(binary.edition.as_str().to_owned()),
            binary: Some(written(binary)).filter(|path| path != "src/main.rs"),
            library: library
                .filter(|library| layout.has(library))
                .map(|library| (library.name.clone(), written(library))),
            rest,
        },
        files,
        left_out,
    })
}

/// The sections by which a workspace has other code for its dependencies than they name.
fn replaced(root: &Path) -> Result<Vec<String>> {
    let manifest = manifest::read(&root.join("Cargo.toml"))?;
    let sections = ["patch", "replace"].into_iter();
    let sections = sections.filter(|section| manifest.contains_key(section));
    Ok(sections
        .map(|section| format!("`[{section}]` of its workspace"))
        .collect())
}

/// The program that a file is the root of.
fn program_of<'p>(package: &'p Package, file: &Path, root: &Path) -> Result<&'p Target> {
    binaries(package)
        .find(|program| is_same(program.src_path.as_std_path(), file))
        .with_context(|| {
            let all: Vec<String> = binaries(package).map(|one| shown(one, root)).collect();
            let expected = match &all[..] {
                [] => "it has none".to_owned(),
                all => format!("expected {}", all.join(", ")),
            };
            format!(
                "{} is no program of {}: {expected}",
                file.display(),
                package.name
            )
        })
}

/// The library that the package's own programs may call.
fn library(package: &Package) -> Option<&Target> {
    of_kind(package, &TargetKind::Lib).or_else(|| of_kind(package, &TargetKind::RLib))
}

fn of_kind<'p>(package: &'p Package, kind: &TargetKind) -> Option<&'p Target> {
    package
        .targets
        .iter()
        .find(|target| target.kind.contains(kind))
}

/// The file of a target as a message may call it.
fn shown(target: &Target, root: &Path) -> String {
    let path = target.src_path.as_std_path();
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Dependencies and features for the manifest, and what of them stays behind.
fn dependencies(
    package: &Package,
    root: &Path,
    is_here: bool,
    problem: &Path,
) -> Result<(DocumentMut, Vec<String>)> {
    if is_here {
        let manifest = manifest::read(package.manifest_path.as_std_path())?;
        let is_beside = root.parent() == problem.parent();
        if let Some(written) = manifest::as_written(manifest, is_beside) {
            return Ok((written, Vec::new()));
        }
    }
    Ok(manifest::resolved(package, problem))
}

/// Which files of a package come along, and where they go.
struct Layout {
    root: PathBuf,
    /// The folder that is taken as a whole.
    folder: PathBuf,
    /// What it is called in the problem.
    called: PathBuf,
    /// The file that becomes `src/main.rs`.
    main: Option<PathBuf>,
    /// All files.
    paths: Vec<PathBuf>,
}

impl Layout {
    fn new(package: &Package, root: &Path, binary: &Target) -> Result<Self> {
        let source = binary.src_path.as_std_path();
        let beside = source.parent().context("a file lies in a folder")?;
        let kept = kept_folder(package, root, beside);
        let (folder, called) = match &kept {
            Some(name) => (root.join(name), name.clone()),
            None => (beside.to_owned(), PathBuf::from("src")),
        };
        // Another program is another problem.
        let carried = [Some(binary), library(package)];
        let carried: BTreeSet<&Path> = carried
            .into_iter()
            .flatten()
            .map(|target| target.src_path.as_std_path())
            .collect();
        let others: BTreeSet<&Path> = package
            .targets
            .iter()
            .map(|target| target.src_path.as_std_path())
            .filter(|path| !carried.contains(path))
            .collect();
        let wanted = |path: &Path| belongs(path, root) && !others.contains(path);
        let mut paths = Vec::new();
        collect(&folder, &wanted, &mut paths)?;
        if folder != root {
            collect(root, &|path| !path.is_dir() && wanted(path), &mut paths)?;
        }
        let is_free = kept.is_none() && !paths.contains(&folder.join("main.rs"));
        Ok(Self {
            root: root.to_owned(),
            folder,
            called,
            main: is_free.then(|| source.to_owned()),
            paths,
        })
    }

    fn has(&self, target: &Target) -> bool {
        self.paths.iter().any(|path| target.src_path == *path)
    }

    /// Where a file goes.
    fn place(&self, path: &Path) -> PathBuf {
        let at_top = path.strip_prefix(&self.root).unwrap_or(path);
        // Those of the problem, wherever the sources are.
        if [Path::new("README.md"), Path::new("README.zh-CN.md")].contains(&at_top) {
            return at_top.to_owned();
        }
        if self.main.as_deref() == Some(path) {
            return self.called.join("main.rs");
        }
        match path.strip_prefix(&self.folder) {
            Ok(below) => self.called.join(below),
            Err(_) => at_top.to_owned(),
        }
    }
}

/// The folder of the package that keeps its name, because the binary lies deep in it (`src/bin/x.rs`) and needs what lies above.
fn kept_folder(package: &Package, root: &Path, beside: &Path) -> Option<PathBuf> {
    let parts: Vec<Component> = beside.strip_prefix(root).ok()?.components().collect();
    let is_below = |part: &Component| matches!(part, Component::Normal(_));
    if parts.len() < 2 || !parts.iter().all(is_below) {
        return None;
    }
    let reaches_up = || {
        let mut paths = Vec::new();
        let listed = collect(beside, &|path| belongs(path, root), &mut paths);
        let mut texts = paths
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok());
        listed.is_ok() && texts.any(|text| text.contains("\"../"))
    };
    (library(package).is_some() || reaches_up()).then(|| PathBuf::from(parts[0].as_os_str()))
}

/// Whether a file or folder is part of the package in `root`, and none that the new problem has or makes itself.
fn belongs(path: &Path, root: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let made = [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "submit.rs",
        "target",
    ];
    let is_made = path.parent() == Some(root) && made.contains(&&*name);
    !name.starts_with('.') && !is_made && !path.join("Cargo.toml").is_file()
}

/// The files that are wanted in a folder and the wanted folders below it, in order.
fn collect(folder: &Path, wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) -> Result<()> {
    let all = WalkDir::new(folder).min_depth(1).sort_by_file_name();
    let entries = all.into_iter().filter_entry(|entry| wanted(entry.path()));
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        // Links to files are taken as well; a link to a folder may lead back up.
        if entry.path().is_file() {
            found.push(entry.into_path());
        }
    }
    Ok(())
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Whether two paths lead to the same place.
fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path| fs::canonicalize(path).ok();
    canonical(one).is_some_and(|one| canonical(other) == Some(one))
}
