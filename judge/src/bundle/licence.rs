//! Whether a crate's licence lets its code be inlined, and the notice that it asks for.

use std::fs;

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

/// The licence of `package`, or why its code may not be inlined.
pub fn read(package: &Package) -> Result<Licence, String> {
    let Some(expression) = package.license.clone() else {
        return Err("its manifest has no `license` field".into());
    };
    let parsed = Expression::parse_mode(&expression, ParseMode::LAX)
        .map_err(|_| format!("its licence {expression:?} is no SPDX expression"))?;
    // The shortest prefix of ALLOWED that satisfies the expression leaves the choice that asks for least.
    // "Or later" allows the version itself.
    let name = |req: &spdx::LicenseReq| {
        let licence = req.license.to_string();
        licence.trim_end_matches('+').to_owned()
    };
    let enough = (1..=ALLOWED.len())
        .find(|&n| parsed.evaluate(|req| ALLOWED[..n].contains(&name(req).as_str())));
    let Some(enough) = enough else {
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

    let folder = package.manifest_path.parent();
    let mut files: Vec<_> = folder
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.to_ascii_uppercase();
            name.starts_with("LICENSE")
                || name.starts_with("LICENCE")
                || name.starts_with("COPYING")
        })
        .collect();
    files.sort();
    let read = |word: &str| {
        let named = files.iter().find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.to_ascii_uppercase().contains(word)
        });
        let only = (files.len() == 1).then(|| &files[0]);
        named
            .or(only)
            .and_then(|path| fs::read_to_string(path).ok())
    };
    let mut copyright = Vec::new();
    let mut text = None;
    for licence in &chosen {
        let word = licence
            .split('-')
            .next()
            .unwrap_or(licence)
            .to_ascii_uppercase();
        let Some(found) = read(&word) else { continue };
        if *licence != "Apache-2.0" && *licence != "MPL-2.0" {
            copyright.extend(
                found
                    .lines()
                    .map(str::trim)
                    .filter(|line| {
                        line.starts_with("Copyright")
                            && line.contains(|c: char| c.is_ascii_digit() || c == '(')
                            || line.starts_with('©')
                    })
                    .map(str::to_owned),
            );
        }
        let asks_for_text = [
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
        if asks_for_text.contains(&licence.as_str()) {
            text = Some(found.replace("\r\n", "\n").trim().to_owned());
        }
    }
    copyright.dedup();
    if copyright.is_empty() && !package.authors.is_empty() {
        copyright.push(format!("Copyright (c) {}", names(&package.authors)));
    }
    Ok(Licence {
        expression,
        chosen,
        copyright,
        text,
    })
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
