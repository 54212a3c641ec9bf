//! Code of editions before 2021, made to mean the same in 2021: what a closure captures, what `into_iter` of an array is, `dyn` before
//! a trait. The compiler tells where that matters, and what to write.
//!
//! It is asked about the user's own code. Other people's has had the same warnings, and a look at it costs a run of the compiler for each
//! crate: it gets one only if the bundle would not compile without.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::compiler::{is_written, Compiler};
use super::resolve::{Resolved, Unit};
use super::source::Edits;

/// What changed with edition 2021.
const CHANGES: &str = "--force-warn=rust_2021_compatibility";

/// Finds what to write in the files of own crates, or in those of others; tells whether there is anything.
pub fn migrate(compiler: &Compiler, resolved: &mut Resolved, own: bool) -> Result<bool> {
    let mut any = false;
    for at in 0..resolved.units.len() {
        let unit = &resolved.units[at];
        if unit.own == own && unit.edition < 2021 && unit.obstacle.is_none() {
            let found = changes(compiler, resolved, unit)?;
            any |= !found.is_empty();
            resolved.units[at].migrated = found;
        }
    }
    Ok(any)
}

/// The edits of each file of a crate.
fn changes(
    compiler: &Compiler,
    resolved: &Resolved,
    unit: &Unit,
) -> Result<BTreeMap<PathBuf, Edits>> {
    let kind = if unit.module.is_empty() { "bin" } else { "lib" };
    let mut command = compiler.command();
    command
        .args(["--edition", &unit.edition.to_string(), "--crate-type", kind])
        .args(["--crate-name", "older", "--emit=metadata"])
        .args(["--error-format=json", "-Awarnings", CHANGES])
        .env("CARGO_PKG_NAME", &unit.package)
        .env("CARGO_PKG_VERSION", &unit.version)
        .current_dir(&compiler.scratch);
    for flag in unit.cfg.flags() {
        command.args(["--cfg", flag]);
    }
    for (name, &dependency) in &unit.dependencies {
        if let Some(library) = &resolved.units[dependency].library {
            let mut path = OsString::from(format!("{name}="));
            path.push(library);
            command.arg("--extern").arg(path);
        }
    }
    for folder in &resolved.library_folders {
        let mut path = OsString::from("dependency=");
        path.push(folder);
        command.arg("-L").arg(path);
    }
    let output = command.arg(&unit.root).output();
    let output = output.context("cannot start rustc")?;
    let mut found: BTreeMap<PathBuf, Edits> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let Ok(warning) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let notes = warning["children"].as_array().into_iter().flatten();
        let spans = notes.flat_map(|note| note["spans"].as_array().into_iter().flatten());
        for span in spans {
            if span["suggestion_applicability"] != "MachineApplicable" || !is_written(span) {
                continue;
            }
            let place = |name: &str| span[name].as_u64().map(|place| place as usize);
            if let (Some(file), Some(start), Some(end), Some(with)) = (
                span["file_name"].as_str(),
                place("byte_start"),
                place("byte_end"),
                span["suggested_replacement"].as_str(),
            ) {
                let edits = found.entry(Path::new(file).to_owned()).or_default();
                edits.replace(start..end, with);
            }
        }
    }
    Ok(found)
}
