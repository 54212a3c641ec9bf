//! Whether a crate's licence lets its code be inlined, and the notice that it asks for.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::Package;
use spdx::{Expression, ParseMode};

/// A licence that allows inlining, and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    /// The `license` field.
    pub expression: String,
    /// The licence of those offered whose terms the bundle follows.
    pub chosen: Vec<String>,
    /// `Copyright (c) 2015`, as the crate's licence file has it, else its authors.
    pub copyright: Vec<String>,
    /// The whole licence, where it is one that must be passed on and is not MIT's.
    pub text: Option<String>,
    /// The NOTICE file that goes with every copy under Apache-2.0.
    pub notice: Option<String>,
    /// Where the whole source is, as far as the manifest tells.
    pub source: Option<String>,
}

/// Licences that allow inlining into a file under other terms, the ones that ask for least first.
const ALLOWED: [&str; 18] = [
    "CC0-1.0",
    "Unlicense",
    "0BSD",
    "MIT-0",
    "WTFPL",
    "MIT",
    "BSL-1.0",
    "Zlib",
    "ISC",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Apache-2.0",
    "NCSA",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Artistic-2.0",
    "MPL-2.0",
];

/// Licences whose text goes with every copy, besides MIT's.
const WITH_TEXT: [&str; 9] = [
    "BSL-1.0",
    "Zlib",
    "ISC",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "NCSA",
    "Unicode-3.0",
    "Unicode-DFS-2016",
];

/// The name of a licence that an expression asks for. "Or later" allows the version itself.
fn name(req: &spdx::LicenseReq) -> String {
    let licence = req.license.to_string();
    licence.trim_end_matches('+').to_owned()
}

/// The length of the shortest prefix of ALLOWED that satisfies an expression: it leaves the choice that asks for least.
fn enough(parsed: &Expression) -> Option<usize> {
    (1..=ALLOWED.len()).find(|&n| parsed.evaluate(|req| ALLOWED[..n].contains(&name(req).as_str())))
}

/// The licence of `package`, or why its code may not be inlined; `root` is the folder of the workspace.
pub fn read(package: &Package, root: &Path) -> Result<Licence, String> {
    let Some(expression) = package.license.clone() else {
        return Err(no_licence(package, root));
    };
    let parsed = Expression::parse_mode(&expression, ParseMode::LAX)
        .map_err(|_| format!("its licence {expression:?} is no SPDX expression"))?;
    let Some(enough) = enough(&parsed) else {
        return Err(format!(
            "its licence {expression} does not let its code be part of a file under other terms"
        ));
    };
    let mut chosen: Vec<String> = parsed
        .requirements()
        .map(|req| name(&req.req))
        .filter(|name| ALLOWED[..enough].contains(&name.as_str()))
        .collect();
    chosen.sort();
    chosen.dedup();
    if parsed.evaluate(|req| name(req) == ALLOWED[enough - 1]) {
        chosen = vec![ALLOWED[enough - 1].to_owned()];
    }

    let files = files(package);
    let mut copyright = Vec::new();
    let mut text = None;
    for licence in &chosen {
        let Some(found) = licence_file(&files, licence) else {
            continue;
        };
        if *licence != "Apache-2.0" && *licence != "MPL-2.0" {
            copyright.extend(copyright_lines(&found));
        }
        if WITH_TEXT.contains(&licence.as_str()) {
            text = Some(found.replace("\r\n", "\n").trim().to_owned());
        }
    }
    copyright.dedup();
    if copyright.is_empty() && !package.authors.is_empty() {
        copyright.push(format!("Copyright (c) {}", names(&package.authors)));
    }
    let is_apache = chosen.iter().any(|licence| licence == "Apache-2.0");
    Ok(Licence {
        expression,
        copyright,
        text,
        notice: is_apache.then(|| notice(&files)).flatten(),
        source: source(package),
        chosen,
    })
}

/// Says that there is no licence, and which file on this machine should name one: it may be the user's own.
fn no_licence(package: &Package, root: &Path) -> String {
    if package.source.is_some() {
        return "its manifest has no `license` field".to_owned();
    }
    format!(
        "its manifest {} has no `license` field: expected one, such as `license = \"MIT\"` if it is yours",
        manifest(package, root).display()
    )
}

/// The manifest of a package, as seen from the root of the workspace.
pub fn manifest<'p>(package: &'p Package, root: &Path) -> &'p Path {
    let manifest = package.manifest_path.as_std_path();
    manifest.strip_prefix(root).unwrap_or(manifest)
}

/// The files at the top of a package, in order.
fn files(package: &Package) -> Vec<PathBuf> {
    let entries = package.manifest_path.parent().map(fs::read_dir);
    let entries = entries.and_then(Result::ok).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// The name of a file in capitals.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_ascii_uppercase()
}

/// The text of a licence: the file named after it, or the only one.
fn licence_file(files: &[PathBuf], licence: &str) -> Option<String> {
    let word = licence.split('-').next().unwrap_or(licence);
    let word = word.to_ascii_uppercase();
    let starts = ["LICENSE", "LICENCE", "COPYING"];
    let licences: Vec<&PathBuf> = files
        .iter()
        .filter(|path| starts.iter().any(|start| name_of(path).starts_with(start)))
        .collect();
    let named = licences.iter().find(|path| name_of(path).contains(&word));
    let only = licences.first().filter(|_| licences.len() == 1);
    fs::read_to_string(named.or(only)?).ok()
}

/// The text of the NOTICE file.
fn notice(files: &[PathBuf]) -> Option<String> {
    let is_notice = |path: &&PathBuf| name_of(path).split('.').next() == Some("NOTICE");
    let text = fs::read_to_string(files.iter().find(is_notice)?).ok()?;
    Some(text.replace("\r\n", "\n").trim().to_owned()).filter(|text| !text.is_empty())
}

/// Where the whole source of a package can be had.
fn source(package: &Package) -> Option<String> {
    let from = package.source.as_ref();
    if from.is_some_and(|source| source.is_crates_io()) {
        let (name, version) = (&package.name, &package.version);
        return Some(format!("https://crates.io/crates/{name}/{version}"));
    }
    let git = || {
        let url = from?.repr.strip_prefix("git+")?;
        url.split(['?', '#']).next().map(str::to_owned)
    };
    package.repository.clone().or_else(git)
}

/// The copyright notices of a licence, each in one line. One that ends with a comma or "and" goes on in the next line.
fn copyright_lines(text: &str) -> Vec<String> {
    let starts = |line: &str| {
        let mark = |c: char| c.is_ascii_digit() || c == '©';
        let is_marked = line.contains(mark) || line.to_ascii_lowercase().contains("(c)");
        line.starts_with("Copyright") && is_marked || line.starts_with('©')
    };
    let goes_on = |line: &str| line.ends_with(',') || line.ends_with(" and");
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if starts(line) {
            found.push(line.to_owned());
        } else if let Some(last) = found.last_mut().filter(|_| open && !line.is_empty()) {
            *last += &format!(" {line}");
        } else {
            open = false;
            continue;
        }
        open = found.last().is_some_and(|last| goes_on(last));
    }
    found
}

fn names(authors: &[String]) -> String {
    let names: Vec<&str> = authors
        .iter()
        .map(|author| author.split('<').next().unwrap_or(author).trim())
        .filter(|name| !name.is_empty())
        .collect();
    names.join(", ")
}

/// The permission notice of the MIT licence, which goes with every copy.
pub const MIT: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to the following conditions:
The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software.
THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.";

#[cfg(test)]
mod tests {
    use super::*;

    /// A package with files, in a folder of a workspace that is called `root`.
    fn package(folder: &Path, fields: &str, files: &[(&str, &str)]) -> Package {
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        let manifest = serde_json::Value::from(folder.join("Cargo.toml").to_str().unwrap());
        let json = format!(
            r#"{{"name":"a","version":"1.2.3","id":"a","dependencies":[],"targets":[],"features":{{}},"manifest_path":{manifest}{fields}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_copyright_notice_may_go_over_lines() {
        let text = "Copyright (c) 2015 - 2021 Ulrik Sverdrup \"bluss\",\n\t\t\t  Jim Turner,\n\t\t\t  and ndarray developers\n\n\
                    Permission is hereby granted, free of charge, to any\nperson obtaining a copy\n\
                    Copyright (c) 2016 A and\nB\nCopyright 2017 C,\n\nD\nCopyright and related rights in a work or (ii) else\n";
        assert_eq!(
            copyright_lines(text),
            [
                "Copyright (c) 2015 - 2021 Ulrik Sverdrup \"bluss\", Jim Turner, and ndarray developers",
                "Copyright (c) 2016 A and B",
                "Copyright 2017 C,"
            ]
        );
    }

    #[test]
    fn a_notice_goes_along_where_apache_is_the_only_licence() {
        let folder = tempfile::tempdir().unwrap();
        let read = |licence: &str| {
            let fields = format!(r#","license":"{licence}""#);
            let files = [("NOTICE.txt", "Made by A.\r\n"), ("NOTICES.md", "b")];
            super::read(&package(folder.path(), &fields, &files), folder.path()).unwrap()
        };
        assert_eq!(read("Apache-2.0").notice.as_deref(), Some("Made by A."));
        assert_eq!(read("MIT OR Apache-2.0").notice, None);
    }

    #[test]
    fn the_source_of_a_crate_is_where_it_came_from() {
        let folder = tempfile::tempdir().unwrap();
        let source = |fields: &str| super::source(&package(folder.path(), fields, &[]));
        assert_eq!(
            source(r#","source":"registry+https://github.com/rust-lang/crates.io-index""#),
            Some("https://crates.io/crates/a/1.2.3".to_owned())
        );
        let git = r#","source":"git+https://x.y/z?branch=b#1234567""#;
        assert_eq!(source(git), Some("https://x.y/z".to_owned()));
        let repository = r#","repository":"https://x.y/a""#;
        assert_eq!(source(repository), Some("https://x.y/a".to_owned()));
        assert_eq!(source(""), None);
    }

    #[test]
    fn the_manifest_to_edit_is_named_if_it_is_not_from_a_registry() {
        let folder = tempfile::tempdir().unwrap();
        let own = package(folder.path(), "", &[]);
        let said = |root: &Path| super::read(&own, root).unwrap_err();
        assert_eq!(
            said(folder.path()),
            "its manifest Cargo.toml has no `license` field: expected one, such as `license = \"MIT\"` if it is yours"
        );
        // A library of one's own may lie next to the workspace.
        let whole = folder.path().join("Cargo.toml");
        assert!(said(Path::new("/elsewhere")).contains(&*whole.to_string_lossy()));
        let of_registry = package(folder.path(), r#","source":"registry+https://x.y/z""#, &[]);
        assert_eq!(
            super::read(&of_registry, folder.path()).unwrap_err(),
            "its manifest has no `license` field"
        );
    }
}
