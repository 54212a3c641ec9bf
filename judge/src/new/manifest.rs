//! The manifest of a new problem.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{Dependency, DependencyKind, Package};

/// What a manifest says besides the name.
#[derive(Default)]
pub struct Manifest {
    /// The edition of the sources, where it is known.
    pub edition: Option<String>,
    /// The file of the binary, where it is not the one that cargo looks for.
    pub binary: Option<String>,
    /// Name and file of a library in the same package.
    pub library: Option<(String, String)>,
    /// Dependencies and features, with their headings and a blank line before.
    pub rest: String,
}

/// What the packages of the workspace can inherit. The compiler of a manifest is cargo: this only has to find what is written plainly.
pub struct Inherited {
    /// The keys of `[workspace.package]`, and their values as they are written.
    keys: BTreeMap<String, String>,
    lints: bool,
}

impl Inherited {
    /// Reads the manifest of the workspace.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join("Cargo.toml");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .replace("\r\n", "\n");
        Ok(Self::of(&text))
    }

    fn of(text: &str) -> Self {
        let package = sections(text).find(|section| section.starts_with("[workspace.package]"));
        let pairs = package.unwrap_or_default().lines();
        let keys = pairs.filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            Some((key.trim().to_owned(), value.trim().to_owned()))
        });
        Self {
            keys: keys.collect(),
            lints: sections(text).any(|section| section.starts_with("[workspace.lints")),
        }
    }

    fn edition(&self) -> Option<&str> {
        self.keys.get("edition")?.split(['"', '\'']).nth(1)
    }
}

impl Manifest {
    /// The text of the manifest of a problem.
    pub fn text(&self, name: &str, inherited: &Inherited) -> String {
        let mut text = format!(
            "[package]\nname = \"{name}\"\ndescription = \"{name}: what it asks, in a few words\"\n"
        );
        let own_edition = self.edition.as_deref();
        let edition = own_edition.or(inherited.edition()).unwrap_or("2021");
        let as_everywhere = inherited.edition() == Some(edition);
        for (key, otherwise) in [
            ("version", "version = \"0.1.0\"\n".to_owned()),
            ("edition", format!("edition = \"{edition}\"\n")),
            ("license", String::new()),
            ("publish", "publish = false\n".to_owned()),
        ] {
            if inherited.keys.contains_key(key) && (key != "edition" || as_everywhere) {
                text += &format!("{key}.workspace = true\n");
            } else {
                text += &otherwise;
            }
        }
        if let Some((library, path)) = &self.library {
            let (library, path) = (quoted(library), quoted(path));
            text += &format!("\n[lib]\nname = {library}\npath = {path}\n");
        }
        if let Some(path) = &self.binary {
            text += &format!("\n[[bin]]\nname = \"{name}\"\npath = {}\n", quoted(path));
        }
        if inherited.lints {
            text += "\n[lints]\nworkspace = true\n";
        }
        text + &self.rest
    }
}

/// The dependencies and features as a manifest has them, if it leaves some of them to its workspace.
pub fn as_written(text: &str) -> Option<String> {
    let text = text.replace("\r\n", "\n");
    let wanted = |section: &&str| {
        let heading = section.lines().next().unwrap_or_default();
        let of_dependencies =
            heading.contains("dependencies") && !heading.contains("build-dependencies");
        of_dependencies || heading.starts_with("[features]")
    };
    let kept: Vec<&str> = sections(&text).filter(wanted).map(str::trim_end).collect();
    let kept: String = kept.iter().map(|part| format!("\n{part}\n")).collect();
    kept.contains("workspace").then_some(kept)
}

/// The sections of a manifest, each from its `[heading]`.
fn sections(text: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = text
        .match_indices('[')
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || text[..at].ends_with('\n'))
        .collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(|(start, end)| &text[start..end])
}

/// The dependencies and features of a package as cargo knows them, for a manifest in `folder`; and the names of those that no
/// manifest there can have.
pub fn resolved(package: &Package, folder: &Path) -> (String, Vec<String>) {
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    let mut left_out = Vec::new();
    for dependency in &package.dependencies {
        // A build script is not taken over.
        let kind = match dependency.kind {
            DependencyKind::Normal => "dependencies",
            DependencyKind::Development => "dev-dependencies",
            _ => continue,
        };
        let heading = match &dependency.target {
            Some(target) => format!("target.'{target}'.{kind}"),
            None => kind.to_owned(),
        };
        match line(dependency, folder) {
            Some(line) => *tables.entry(heading).or_default() += &line,
            None => left_out.push(format!("the dependency {}", dependency.name)),
        }
    }
    for (feature, enables) in &package.features {
        let enables: Vec<String> = enables.iter().map(|name| quoted(name)).collect();
        let line = format!("{} = [{}]\n", key(feature), enables.join(", "));
        *tables.entry("features".to_owned()).or_default() += &line;
    }
    let tables = tables
        .iter()
        .map(|(heading, lines)| format!("\n[{heading}]\n{lines}"));
    (tables.collect(), left_out)
}

/// A dependency as a line of its table.
fn line(dependency: &Dependency, folder: &Path) -> Option<String> {
    let mut pairs = source(dependency, folder)?;
    let version = dependency.req.to_string();
    if version != "*" || pairs.is_empty() {
        let single = version.strip_prefix('^').filter(|rest| !rest.contains(','));
        let version = single.unwrap_or(&version).to_owned();
        pairs.insert(0, ("version", quoted(&version)));
    }
    if dependency.rename.is_some() {
        pairs.push(("package", quoted(&dependency.name)));
    }
    if !dependency.uses_default_features {
        pairs.push(("default-features", "false".to_owned()));
    }
    if !dependency.features.is_empty() {
        let features: Vec<String> = dependency.features.iter().map(|f| quoted(f)).collect();
        pairs.push(("features", format!("[{}]", features.join(", "))));
    }
    if dependency.optional {
        pairs.push(("optional", "true".to_owned()));
    }
    let name = key(dependency.rename.as_ref().unwrap_or(&dependency.name));
    if let [("version", version)] = &pairs[..] {
        return Some(format!("{name} = {version}\n"));
    }
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(k, value)| format!("{k} = {value}"))
        .collect();
    Some(format!("{name} = {{ {} }}\n", pairs.join(", ")))
}

/// Where a dependency comes from, but for crates.io; `None` if that cannot be written.
fn source(dependency: &Dependency, folder: &Path) -> Option<Vec<(&'static str, String)>> {
    if let Some(path) = &dependency.path {
        let path = relative(folder, path.as_std_path())?;
        return Some(vec![("path", quoted(&path))]);
    }
    if let Some(index) = &dependency.registry {
        return Some(vec![("registry-index", quoted(index))]);
    }
    let source = &dependency.source.as_ref()?.repr;
    let Some(git) = source.strip_prefix("git+") else {
        let known = source.starts_with("registry+") || source.starts_with("sparse+");
        return known.then(Vec::new);
    };
    let git = git.split('#').next()?;
    let (url, reference) = git.split_once('?').unwrap_or((git, ""));
    let mut pairs = vec![("git", quoted(url))];
    if let Some((key, value)) = reference.split_once('=') {
        let known = ["branch", "tag", "rev"].into_iter();
        pairs.push((
            known.into_iter().find(|known| *known == key)?,
            quoted(value),
        ));
    }
    Some(pairs)
}

/// The path that leads from a folder, which need not be there yet, to another, with `/` between its parts.
fn relative(from: &Path, to: &Path) -> Option<String> {
    let (from, to) = (canonical(from)?, canonical(to)?);
    let same = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    // Another drive of Windows.
    if same == 0 {
        return None;
    }
    let up = from.components().skip(same).map(|_| Some("..".to_owned()));
    let down = to.components().skip(same).map(|part| match part {
        Component::Normal(part) => Some(part.to_str()?.to_owned()),
        _ => None,
    });
    let parts: Option<Vec<String>> = up.chain(down).collect();
    Some(parts?.join("/"))
}

/// The path without links, as far as it exists.
fn canonical(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(found) => Some(found),
        Err(_) => Some(canonical(path.parent()?)?.join(path.file_name()?)),
    }
}

/// A string of JSON is one of TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A key as it may stand before `=`.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependency(json: &str) -> Option<String> {
        let rest = r#""kind":null,"optional":false,"target":null"#;
        line(
            &serde_json::from_str(&format!("{{{json},{rest}}}")).unwrap(),
            Path::new("/a/b"),
        )
    }

    #[test]
    fn a_manifest_inherits_what_there_is() {
        let inherited =
            Inherited::of("[workspace.package]\nedition = \"2021\"\nlicense = \"MIT\"\n");
        let text = Manifest {
            edition: Some("2024".to_owned()),
            binary: Some("src/b.rs".to_owned()),
            ..Manifest::default()
        }
        .text("a", &inherited);
        assert_eq!(
            text,
            "[package]\nname = \"a\"\ndescription = \"a: what it asks, in a few words\"\nversion = \"0.1.0\"\n\
             edition = \"2024\"\nlicense.workspace = true\npublish = false\n\n[[bin]]\nname = \"a\"\npath = \"src/b.rs\"\n"
        );
        let text = Manifest::default().text("a", &inherited);
        assert!(text.contains("\nedition.workspace = true\n"), "{text}");
    }

    #[test]
    fn a_dependency_is_written_as_cargo_knows_it() {
        let crates_io =
            r#""source":"registry+https://github.com/rust-lang/crates.io-index","registry":null"#;
        let plain = r#""rename":null,"uses_default_features":true,"features":[]"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":"^0.6",{crates_io},{plain}"#)).as_deref(),
            Some("a = \"0.6\"\n")
        );
        let changed = r#""rename":"b","uses_default_features":false,"features":["c","d"]"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":">=1, <3",{crates_io},{changed}"#)).as_deref(),
            Some("b = { version = \">=1, <3\", package = \"a\", default-features = false, features = [\"c\", \"d\"] }\n")
        );
        let git = r#""source":"git+https://x.y/z?branch=f/g","registry":null"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":"*",{git},{plain}"#)).as_deref(),
            Some("a = { git = \"https://x.y/z\", branch = \"f/g\" }\n")
        );
        let unknown = r#""source":"elsewhere+https://x.y/z","registry":null"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":"*",{unknown},{plain}"#)),
            None
        );
    }

    #[test]
    fn a_path_is_told_from_the_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("x/y");
        fs::create_dir_all(&other).unwrap();
        let new = folder.path().join("problems/new");
        assert_eq!(relative(&new, &other).as_deref(), Some("../../x/y"));
    }

    #[test]
    fn what_the_workspace_settles_stays_as_written() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb = { workspace = true }\n\n[target.'cfg(unix)'.dependencies]\nc = \"1\"\n\n[build-dependencies]\nd = \"1\"\n[features]\ne = []\n";
        assert_eq!(
            as_written(text).as_deref(),
            Some("\n[dependencies]\nb = { workspace = true }\n\n[target.'cfg(unix)'.dependencies]\nc = \"1\"\n\n[features]\ne = []\n")
        );
        assert_eq!(as_written("[dependencies]\nb = \"1\"\n"), None);
    }
}
