//! A library that passes on many large crates, of which three are used.

use umbrella::prelude::*;

fn main() {
    read! { n: usize, pairs: [(usize, usize)] }
    let mut groups = Dsu::new(n);
    for (a, b) in pairs {
        groups.merge(a, b);
    }
    let mut sizes: Vec<usize> = groups.groups().iter().map(Vec::len).collect();
    let place = sizes.iter().place_of_min();
    sizes.sort_by_key(|&size| Reverse(size));
    println!("{} {place:?}", sizes.len());
    for (size, name) in izip!(sizes, 'a'..) {
        println!("{name}: {size}");
    }
}
