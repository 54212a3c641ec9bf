//! Which crates call a macro. What `cfg` asks in a macro, and what `env!` reads, is that of the crate that calls it.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::resolve::Unit;
use crate::bundle::rewrite::namesakes::declares;
use crate::bundle::text::source::{self, is_word, words};

/// The crate at a place among `units`, and those that can call its macros: they depend on it.
pub fn reaching(units: &[Unit], at: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([at]);
    // A crate comes before those that it depends on.
    for user in (0..at).rev() {
        let mut dependencies = units[user].dependencies.values();
        if dependencies.any(|dependency| found.contains(dependency)) {
            found.insert(user);
        }
    }
    found
}

/// The crates that call a macro of the crate at a place, be it through other macros of that crate.
pub fn calling(units: &[Unit], at: usize, name: &str) -> BTreeSet<usize> {
    let own = text_of(&units[at]);
    let mut bodies = Vec::new();
    for text in units[at].texts() {
        let tokens = text.parse().unwrap_or_default();
        source::macro_definitions(tokens, &mut |name, body| {
            bodies.push((name.to_string(), body.to_string()));
        });
    }
    let mut names = BTreeSet::from([name.to_owned()]);
    loop {
        let before = names.len();
        for (defined, body) in &bodies {
            if words(body).any(|word| names.contains(word)) {
                names.insert(defined.clone());
            }
        }
        if names.len() == before {
            break;
        }
    }
    let mut found = reaching(units, at);
    found.retain(|&user| {
        if user == at {
            names.iter().any(|name| is_called_at_home(&own, name))
        } else {
            words(&text_of(&units[user])).any(|word| names.contains(word))
        }
    });
    found
}

/// The crates that a macro of one's own crate names although that crate has none so called: those of all who can call it, where they agree
/// and have nothing else of the name.
pub fn crates(units: &[Unit], at: usize, text: &str) -> BTreeMap<String, usize> {
    let unit = &units[at];
    if at == 0 || !unit.own || !text.contains("macro_rules") {
        return BTreeMap::new();
    }
    let users = reaching(units, at);
    let users = users.iter().filter(|user| **user != at);
    let named = users.flat_map(|&user| &units[user].dependencies);
    let mut found: BTreeMap<&String, BTreeSet<usize>> = BTreeMap::new();
    for (name, &of) in named {
        if of != at && !unit.dependencies.contains_key(name) && text.contains(&format!("{name}::"))
        {
            found.entry(name).or_default().insert(of);
        }
    }
    let is_else = |name: &str| {
        let imported = [format!(" as {name}"), format!("::{name};")];
        let may_be = |text: &str| imported.iter().any(|import| text.contains(import));
        let mut own = units.iter().filter(|unit| unit.own).flat_map(Unit::texts);
        own.any(|text| declares(&text, name) || may_be(&text))
    };
    found.retain(|name, of| of.len() == 1 && !is_else(name));
    found
        .into_iter()
        .flat_map(|(name, of)| of.into_iter().map(|of| (name.clone(), of)))
        .collect()
}

/// Whether a crate calls a macro of its own outside of macros: not by `$crate::name!`.
fn is_called_at_home(text: &str, name: &str) -> bool {
    let call = format!("{name}!");
    text.match_indices(&call).any(|(start, _)| {
        let before = &text[..start];
        !before.ends_with(is_word) && !before.ends_with("$crate::")
    })
}

/// All that lies in the folder of a crate, without comments.
pub fn text_of(unit: &Unit) -> String {
    let texts = unit.texts();
    texts.map(|text| source::without_comments(&text)).collect()
}
