//! Short texts, from a crate that says with a procedural macro since when something is there.

use std::collections::BTreeMap;

use compact_str::{format_compact, CompactString, ToCompactString};

fn main() {
    let read = std::io::read_to_string(std::io::stdin()).expect("text");
    let mut counted: BTreeMap<CompactString, usize> = BTreeMap::new();
    for word in read.split_whitespace() {
        *counted.entry(word.into()).or_default() += 1;
    }
    let texts: Vec<CompactString> = counted
        .iter()
        .map(|(word, count)| format_compact!("{word}{}", count.to_compact_string()))
        .collect();
    println!("{}", texts.join(" "));
}
