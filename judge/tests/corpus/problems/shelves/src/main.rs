//! Things on shelves: `multimap` has serde by default, whose build script writes code. Nobody needs it.

use multimap::{multimap, MultiMap};
use proconio::input;

fn main() {
    input! { n: usize, things: [(usize, String); n] }
    let mut shelves: MultiMap<usize, String> = multimap!(0 => "a spider".to_owned());
    shelves.extend(things);
    let mut numbers: Vec<usize> = shelves.keys().copied().collect();
    numbers.sort_unstable();
    for number in numbers {
        let all = shelves.get_vec(&number).map_or(&[][..], Vec::as_slice);
        println!("{number}: {}", all.join(", "));
    }
    shelves.retain(|_, thing| thing.len() > 3);
    println!("{} {}", shelves.len(), shelves.is_vec(&1));
}
