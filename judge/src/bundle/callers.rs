//! Which crates call a macro. What `cfg` asks in a macro, and what `env!` reads, is that of the crate that calls it.

use std::collections::BTreeSet;

use super::resolve::Unit;
use super::source::{self, is_word, words};

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
