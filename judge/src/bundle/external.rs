//! Crates that are left to the judge.

use std::collections::BTreeSet;

use anyhow::{bail, Result};

use super::resolve::{Resolved, Unit};

/// The crates that somebody means who says that the judge has those called `names`: as packages, as libraries, or as the program calls them.
pub fn external(resolved: &mut Resolved, names: &[String]) -> Result<BTreeSet<usize>> {
    let (units, unnamed) = (&mut resolved.units, &resolved.unnamed);
    let mut found = BTreeSet::new();
    for given in names {
        let name = given.replace('-', "_");
        let is_called =
            |unit: &Unit| unit.library_name == name || unit.package.replace('-', "_") == name;
        let mut meant: Vec<usize> = (1..units.len())
            .filter(|&at| is_called(&units[at]))
            .collect();
        if meant.is_empty() {
            let own = units.iter().filter(|unit| unit.own);
            meant.extend(own.filter_map(|unit| unit.dependencies.get(&name)));
        }
        // Of two versions the judge has the one that the program names.
        if meant.len() > 1 {
            let direct: BTreeSet<usize> = units[0].dependencies.values().copied().collect();
            let versions = meant.iter().map(|&at| units[at].version.clone());
            let versions = versions.collect::<Vec<_>>().join(" and ");
            meant.retain(|at| direct.contains(at));
            if meant.len() != 1 {
                bail!("--external {given}: the program uses it in the versions {versions}, and a judge has one at most");
            }
        }
        let Some(&at) = meant.first() else {
            // It is in the manifest alone.
            if unnamed.contains(&name) {
                continue;
            }
            let known: Vec<&str> = units
                .iter()
                .skip(1)
                .map(|unit| unit.package.as_str())
                .collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            };
            bail!("--external {given}: the program uses no such crate; it uses {known}");
        };
        // It is called at the judge what it is called everywhere.
        if units[at].module != units[at].library_name {
            let name = units[at].library_name.clone();
            if let Some(other) = (1..units.len()).find(|&other| units[other].module == name) {
                units[other].module = std::mem::take(&mut units[at].module);
            }
            units[at].module = name;
        }
        found.insert(at);
    }
    Ok(found)
}

/// Why there is no bundle, and which crates are in the file and at the judge: those are two crates with other types.
pub fn with_parts_of_external(
    error: anyhow::Error,
    units: &[Unit],
    external: &BTreeSet<usize>,
) -> anyhow::Error {
    let within = |start: &[usize], stops: &BTreeSet<usize>| {
        let mut found: BTreeSet<usize> = start.iter().copied().collect();
        let mut stack = start.to_vec();
        while let Some(at) = stack.pop() {
            let next = units[at].dependencies.values().copied();
            stack.extend(next.filter(|at| !stops.contains(at) && found.insert(*at)));
        }
        found
    };
    let at_judge = within(
        &external.iter().copied().collect::<Vec<_>>(),
        &BTreeSet::new(),
    );
    let in_file = within(&[0], external);
    let both: Vec<&str> = in_file
        .intersection(&at_judge)
        .map(|&at| units[at].package.as_str())
        .collect();
    if both.is_empty() {
        return error;
    }
    let names = both.join(", ");
    let options: Vec<String> = both
        .iter()
        .map(|name| format!("--external {name}"))
        .collect();
    error.context(format!(
        "{names}: used by the program and by what is left to the judge, which would be two crates with different types; \
         if the judge has that too, add {}",
        options.join(" ")
    ))
}
