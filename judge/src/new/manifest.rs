//! The manifest of a new problem.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use anyhow::{anyhow, Context, Result};
use cargo_metadata::{Dependency, DependencyKind, Package};
use toml_edit::{
    value, Array, ArrayOfTables, DocumentMut, InlineTable, Item, Key, Table, TomlError, Value,
};

/// What a manifest says besides the name.
#[derive(Default)]
pub struct Manifest {
    /// The edition of the sources, where it is known.
    pub edition: Option<String>,
    /// The file of the binary, where it is not the one that cargo looks for.
    pub binary: Option<String>,
    /// Name and file of a library in the same package.
    pub library: Option<(String, String)>,
    /// Dependencies and features.
    pub rest: DocumentMut,
}

/// What the packages of the workspace can inherit: the entry `workspace` of its manifest.
pub struct Inherited(Item);

impl Inherited {
    /// Takes it from the manifest of the workspace.
    pub fn of(mut manifest: DocumentMut) -> Self {
        Self(manifest.remove("workspace").unwrap_or_default())
    }

    fn package(&self, key: &str) -> Option<&Item> {
        self.0.get("package")?.get(key)
    }

    fn edition(&self) -> Option<&str> {
        self.package("edition")?.as_str()
    }
}

impl Manifest {
    /// The text of the manifest of a problem.
    pub fn text(&self, name: &str, inherited: &Inherited) -> String {
        let own_edition = self.edition.as_deref();
        let edition = own_edition.or(inherited.edition()).unwrap_or("2021");
        let as_everywhere = inherited.edition() == Some(edition);
        let description = format!("{name}: what it asks, in a few words");
        let mut package = Table::from_iter([("name", name), ("description", &description)]);
        for (key, otherwise) in [
            ("version", value("0.1.0")),
            ("edition", value(edition)),
            ("license", Item::None),
            ("publish", value(false)),
        ] {
            let is_inherited = inherited.package(key).is_some();
            package[key] = if is_inherited && (key != "edition" || as_everywhere) {
                let mut left = of_workspace();
                left.set_dotted(true);
                left.into()
            } else {
                otherwise
            };
        }
        let mut manifest = self.rest.clone();
        manifest["package"] = above(package).into();
        if let Some((library, path)) = &self.library {
            let table = Table::from_iter([("name", library), ("path", path)]);
            manifest["lib"] = above(table).into();
        }
        if let Some(path) = &self.binary {
            let table = Table::from_iter([("name", name), ("path", path)]);
            manifest["bin"] = ArrayOfTables::from_iter([above(table)]).into();
        }
        if inherited.0.get("lints").is_some() {
            manifest["lints"] = above(of_workspace()).into();
        }
        format!("{}\n", manifest.to_string().trim_end())
    }
}

/// What leaves something to the workspace.
fn of_workspace() -> Table {
    Table::from_iter([("workspace", true)])
}

/// Puts a table above all that is there: what was read keeps its place, counted from 0.
fn above(mut table: Table) -> Table {
    table.set_position(Some(-1));
    table
}

/// Reads a manifest that cargo takes for one.
pub fn read(path: &Path) -> Result<DocumentMut> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    // What is taken over comes among lines that end in `\n` alone.
    let parsed = text.replace("\r\n", "\n").parse();
    parsed
        .map_err(|error: TomlError| anyhow!("cannot read {}: {}", path.display(), error.message()))
}

/// The dependencies and features as a manifest has them, if it leaves some of them to its workspace; and, as a path means the
/// same only in a folder beside, if there is none or the new manifest `is_beside`.
pub fn as_written(mut manifest: DocumentMut, is_beside: bool) -> Option<DocumentMut> {
    let kept = [
        "dependencies",
        "dev-dependencies",
        "dev_dependencies",
        "features",
        "target",
    ];
    manifest.retain(|key, _| kept.contains(&key));
    let targets = manifest.get_mut("target").and_then(Item::as_table_like_mut);
    for (_, target) in targets.into_iter().flat_map(|targets| targets.iter_mut()) {
        let Some(target) = target.as_table_like_mut() else {
            continue;
        };
        // A build script is not taken over.
        target.remove("build-dependencies");
        target.remove("build_dependencies");
    }
    let targets = manifest.get("target").into_iter().flat_map(entries);
    let tables = iter::once(manifest.as_item())
        .chain(targets)
        .flat_map(entries);
    let dependencies: Vec<&Item> = tables.flat_map(entries).collect();
    let any_has = |key| {
        dependencies
            .iter()
            .any(|dependency| dependency.get(key).is_some())
    };
    let is_same = any_has("workspace") && (is_beside || !any_has("path"));
    is_same.then_some(manifest)
}

/// What there is in a table, however that is written.
fn entries(table: &Item) -> impl Iterator<Item = &Item> {
    let table = table.as_table_like().into_iter();
    table.flat_map(|table| table.iter()).map(|(_, entry)| entry)
}

/// The dependencies and features of a package as cargo knows them, for a manifest in `folder`; and the names of those that no
/// manifest there can have.
pub fn resolved(package: &Package, folder: &Path) -> (DocumentMut, Vec<String>) {
    let mut manifest = DocumentMut::new();
    let mut left_out = Vec::new();
    for dependency in &package.dependencies {
        // Not those of a build script either.
        let kind = match dependency.kind {
            DependencyKind::Normal => "dependencies",
            DependencyKind::Development => "dev-dependencies",
            _ => continue,
        };
        let Some(written) = written(dependency, folder) else {
            left_out.push(format!("the dependency {}", dependency.name));
            continue;
        };
        let holder = match &dependency.target {
            Some(target) => {
                // In single quotes, as manifests have it: there are double ones in `cfg(a = "b")`.
                let literal = format!("'{target}'").parse();
                let key = literal.unwrap_or_else(|_| Key::new(target.to_string()));
                table(table(&mut manifest, "target"), key)
            }
            None => &mut manifest,
        };
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        table(holder, kind)[name] = value(written);
    }
    for (feature, enables) in &package.features {
        table(&mut manifest, "features")[feature] = value(Array::from_iter(enables));
    }
    (manifest, left_out)
}

/// A table in another, made if it is missing; its heading is written only if it has more than tables.
fn table(holder: &mut Table, key: impl Into<Key>) -> &mut Table {
    let mut new = Table::new();
    new.set_implicit(true);
    let item = holder.entry_format(&key.into()).or_insert(new.into());
    item.as_table_mut().expect("there are only tables")
}

/// What a table says of a dependency.
fn written(dependency: &Dependency, folder: &Path) -> Option<Value> {
    let source = source(dependency, folder)?;
    let mut pairs = InlineTable::new();
    let version = dependency.req.to_string();
    if version != "*" || source.is_empty() {
        let single = version.strip_prefix('^').filter(|rest| !rest.contains(','));
        pairs.insert("version", single.unwrap_or(&version).into());
    }
    pairs.extend(source);
    if dependency.rename.is_some() {
        pairs.insert("package", (&dependency.name).into());
    }
    if !dependency.uses_default_features {
        pairs.insert("default-features", false.into());
    }
    if !dependency.features.is_empty() {
        pairs.insert("features", Value::from_iter(&dependency.features));
    }
    if dependency.optional {
        pairs.insert("optional", true.into());
    }
    let version = pairs.get("version").filter(|_| pairs.len() == 1);
    Some(version.cloned().unwrap_or(pairs.into()))
}

/// Where a dependency comes from, but for crates.io; `None` if that cannot be written.
fn source<'d>(dependency: &'d Dependency, folder: &Path) -> Option<Vec<(&'d str, String)>> {
    if let Some(path) = &dependency.path {
        return Some(vec![("path", relative(folder, path.as_std_path())?)]);
    }
    if let Some(index) = &dependency.registry {
        return Some(vec![("registry-index", index.clone())]);
    }
    let source = &dependency.source.as_ref()?.repr;
    let Some(git) = source.strip_prefix("git+") else {
        let known = source.starts_with("registry+") || source.starts_with("sparse+");
        return known.then(Vec::new);
    };
    let git = git.split('#').next()?;
    let (url, reference) = git.split_once('?').unwrap_or((git, ""));
    let mut pairs = vec![("git", url.to_owned())];
    if let Some((key, value)) = reference.split_once('=') {
        let known = ["branch", "tag", "rev"].contains(&key);
        pairs.push(known.then(|| (key, value.to_owned()))?);
    }
    Some(pairs)
}

/// The path that leads from a folder, which need not be there yet, to another, with `/` between its parts.
fn relative(from: &Path, to: &Path) -> Option<String> {
    let path = pathdiff::diff_paths(canonical(to)?, canonical(from)?)?;
    // To another drive of Windows there is none.
    if path.is_absolute() {
        return None;
    }
    let parts: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
    Some(parts?.join("/"))
}

/// The path without links, as far as it exists.
fn canonical(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(found) => Some(found),
        Err(_) => Some(canonical(path.parent()?)?.join(path.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> DocumentMut {
        text.parse().unwrap()
    }

    fn dependency(json: &str) -> Option<String> {
        let rest = r#""kind":null,"optional":false,"target":null"#;
        let dependency = serde_json::from_str(&format!("{{{json},{rest}}}")).unwrap();
        Some(written(&dependency, Path::new("/a/b"))?.to_string())
    }

    #[test]
    fn a_manifest_inherits_what_there_is() {
        let inherited = Inherited::of(parsed(
            "[workspace.package]\nedition = \"2021\"\nlicense = \"MIT\"\n",
        ));
        let text = Manifest {
            edition: Some("2024".to_owned()),
            binary: Some("src/b.rs".to_owned()),
            library: Some(("c".to_owned(), "src/\"c\".rs".to_owned())),
            rest: parsed("features.d = []\n\n[dependencies]\ne = \"1\"\n"),
        }
        .text("a", &inherited);
        assert_eq!(
            text,
            "features.d = []\n\n\
             [package]\nname = \"a\"\ndescription = \"a: what it asks, in a few words\"\nversion = \"0.1.0\"\n\
             edition = \"2024\"\nlicense.workspace = true\npublish = false\n\n\
             [lib]\nname = \"c\"\npath = 'src/\"c\".rs'\n\n[[bin]]\nname = \"a\"\npath = \"src/b.rs\"\n\n\
             [dependencies]\ne = \"1\"\n"
        );
        let text = Manifest::default().text("a", &inherited);
        assert!(text.contains("\nedition.workspace = true\n"), "{text}");
    }

    #[test]
    fn the_workspace_may_be_written_in_any_form() {
        for manifest in [
            "[workspace]\npackage = { edition = \"2018\", publish = false }\nlints.rust.dead_code = \"warn\"\n",
            "workspace.package.edition = '2018'\nworkspace.package.publish = false\nworkspace.lints = {}\n",
            "[workspace]\nmetadata.a = [\n[1],\n]\npackage.edition = \"2018\" # not \"2021\"\npackage.publish = false\n[workspace.lints]\n",
            "[ workspace . package ]\n\"edition\" = \"\"\"2018\"\"\"\npublish = false\n[ workspace . lints ]\n",
            "[workspace.package]\ndescription = '''\n[a]\n'''\nedition = \"2018\"\npublish = false\n[workspace.lints.rust]\n",
        ] {
            let inherited = Inherited::of(parsed(manifest));
            assert_eq!(inherited.edition(), Some("2018"), "{manifest}");
            let text = Manifest::default().text("a", &inherited);
            let end = "version = \"0.1.0\"\nedition.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n";
            assert!(text.ends_with(end), "{manifest}\n{text}");
        }
        // What only looks like it.
        let manifest = "[workspace.metadata]\na = '''\n[workspace.lints]\n[workspace.package]\nedition = \"2018\"\n'''\n";
        let text = Manifest::default().text("a", &Inherited::of(parsed(manifest)));
        let end = "version = \"0.1.0\"\nedition = \"2021\"\npublish = false\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn a_dependency_is_written_as_cargo_knows_it() {
        let crates_io =
            r#""source":"registry+https://github.com/rust-lang/crates.io-index","registry":null"#;
        let plain = r#""rename":null,"uses_default_features":true,"features":[]"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":"^0.6",{crates_io},{plain}"#)).as_deref(),
            Some("\"0.6\"")
        );
        let changed = r#""rename":"b","uses_default_features":false,"features":["c","d"]"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":">=1, <3",{crates_io},{changed}"#)).as_deref(),
            Some("{ version = \">=1, <3\", package = \"a\", default-features = false, features = [\"c\", \"d\"] }")
        );
        let git = r#""source":"git+https://x.y/z?branch=f/g","registry":null"#;
        assert_eq!(
            dependency(&format!(r#""name":"a","req":"*",{git},{plain}"#)).as_deref(),
            Some("{ git = \"https://x.y/z\", branch = \"f/g\" }")
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
        let text = "[package]\nname = \"a\"\n\n# Of all.\n[dependencies]\nb = { workspace = true } # b\n\n\
                    [ target . 'cfg(unix)' . dependencies ]\nc = \"1\"\n\n[dependencies.d]\nworkspace = true\nfeatures = [\n    \"e\", # e\n]\n";
        let dropped = "\n[build-dependencies]\nf = \"1\"\n\n[target.'cfg(unix)'.build-dependencies]\ng = { path = \"g\" }\n\n\
                       [package.metadata]\nh = '''\n[dependencies]\n'''\ni = [\n[1],\n]\n";
        let end = "\n[features]\nj = []\n# The end.\n";
        let kept = as_written(parsed(&format!("{text}{dropped}{end}")), false).unwrap();
        let (_, rest) = text.split_once("name = \"a\"\n").unwrap();
        assert_eq!(kept.to_string(), format!("{rest}{end}"));
    }

    #[test]
    fn what_the_workspace_settles_may_be_written_in_any_form() {
        for text in [
            "[dependencies]\nb.workspace = true\n",
            "dependencies.b.workspace = true\n",
            "dev-dependencies = { b = { workspace = true } }\n",
            "[dependencies.b]\nworkspace = true\n",
            "[target.'cfg(unix)'.dev-dependencies]\nb = { workspace = true }\n",
            "target.'cfg(unix)' = { dependencies = { b = { workspace = true } } }\n",
        ] {
            let written = as_written(parsed(text), false).map(|written| written.to_string());
            assert_eq!(written.as_deref(), Some(text));
        }
        for text in [
            "[dependencies]\nb = \"1\"\n",
            "[dependencies]\nworkspace = \"1\" # workspace\n\n[features]\nworkspace = []\n",
            "[build-dependencies]\nb.workspace = true\n",
            "[target.'cfg(unix)'.build-dependencies]\nb.workspace = true\n",
        ] {
            assert!(as_written(parsed(text), true).is_none(), "{text}");
        }
    }

    #[test]
    fn a_path_stays_as_written_only_beside() {
        for (other, anywhere) in [
            ("b = { path = \"../b\" }", false),
            (
                "[target.'cfg(unix)'.dependencies.b]\npath = \"../b\"",
                false,
            ),
            ("path = \"1\" # path", true),
        ] {
            let text = format!("[dependencies]\na.workspace = true\n{other}\n");
            assert!(as_written(parsed(&text), true).is_some(), "{text}");
            let stays = as_written(parsed(&text), false).is_some();
            assert_eq!(stays, anywhere, "{text}");
        }
    }
}
