//! Crates that are left to the judge.

use std::collections::BTreeSet;

use anyhow::{bail, Result};

use super::Unit;

/// The crates that somebody means who says that the judge has those called `names`: as packages, as libraries, or as the program calls them.
/// Those called `unused` are none of the program's.
pub fn external(
    units: &mut [Unit],
    unused: &BTreeSet<String>,
    names: &[String],
) -> Result<BTreeSet<usize>> {
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
        // Of two versions the judge has the one that the program names, or calls so.
        if meant.len() > 1 {
            let direct = &units[0].dependencies;
            let versions = meant.iter().map(|&at| units[at].version.clone());
            let versions = versions.collect::<Vec<_>>().join(" and ");
            meant.retain(|at| direct.values().any(|named| named == at));
            if let (Some(called), true) = (direct.get(&name), meant.len() > 1) {
                meant.retain(|at| at == called);
            }
            if meant.len() != 1 {
                let called = direct.iter().filter(|(_, at)| meant.contains(at));
                let called: Vec<&str> = called.map(|(name, _)| name.as_str()).collect();
                let expected = match called.is_empty() {
                    true => String::new(),
                    false => format!(
                        "; expected a name that the program has for it: {}",
                        called.join(", ")
                    ),
                };
                bail!("--external {given}: the program uses it in the versions {versions}, and a judge has one at most{expected}");
            }
        }
        let Some(&at) = meant.first() else {
            // It is in the manifest alone, or another program has it: there is nothing to leave.
            if unused.contains(&name) {
                continue;
            }
            let known: BTreeSet<&str> = units[1..]
                .iter()
                .map(|unit| unit.package.as_str())
                .collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => Vec::from_iter(known).join(", "),
            };
            bail!("--external {given:?}: the program uses no such crate; it uses {known}");
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A program that has two versions of a crate, under these names.
    fn with_two(names: [&str; 2]) -> [Unit; 3] {
        let unit = |module: &str, version: &str| Unit {
            module: module.to_owned(),
            library_name: "itertools".to_owned(),
            package: "itertools".to_owned(),
            version: version.to_owned(),
            ..Unit::sample(Path::new(""))
        };
        let program = Unit {
            own: true,
            dependencies: names.into_iter().map(str::to_owned).zip(1..).collect(),
            ..Unit::sample(Path::new(""))
        };
        [
            program,
            unit("itertools", "0.14.0"),
            unit("itertools_0_13_0", "0.13.0"),
        ]
    }

    #[test]
    fn of_two_versions_the_program_calls_one_by_the_name() {
        let asked = |names, given: &str| {
            let found = external(&mut with_two(names), &BTreeSet::new(), &[given.to_owned()]);
            found.map_err(|error| error.to_string())
        };
        assert_eq!(asked(["itertools", "b"], "itertools"), Ok([1].into()));
        assert_eq!(asked(["a", "itertools"], "itertools"), Ok([2].into()));
        assert_eq!(asked(["a", "b"], "b"), Ok([2].into()));
        let said = asked(["a", "b"], "itertools").unwrap_err();
        assert!(
            said.ends_with("; expected a name that the program has for it: a, b"),
            "{said}"
        );
        let said = asked(["a", "b"], "").unwrap_err();
        assert_eq!(
            said,
            r#"--external "": the program uses no such crate; it uses itertools"#
        );
        let unused = BTreeSet::from(["proconio".to_owned()]);
        let mut units = with_two(["itertools", "b"]);
        let found = external(&mut units, &unused, &["proconio".to_owned()]).unwrap();
        assert_eq!(found, BTreeSet::new());
    }
}
