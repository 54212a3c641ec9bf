use either::Either;
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use indexmap::{IndexMap, IndexSet};
use proconio::input;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{smallvec, SmallVec};

fn run(down: bool, n: u32) -> impl Iterator<Item = u32> {
    if down {
        Either::Left((0..n).rev())
    } else {
        Either::Right(0..n)
    }
}

fn main() {
    input! { n: usize, a: [usize; n] }
    let mut seen = FixedBitSet::with_capacity(10);
    a.iter().for_each(|&x| seen.insert(x));
    println!(
        "{:?} {}",
        seen.ones().collect::<Vec<_>>(),
        seen.count_ones(..)
    );
    let mut counts: FxHashMap<usize, u32> = FxHashMap::default();
    a.iter().for_each(|&x| *counts.entry(x).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    println!("{counts:?} {}", a.iter().collect::<FxHashSet<_>>().len());
    let mut order: IndexMap<usize, usize> = IndexMap::new();
    for (i, &x) in a.iter().enumerate() {
        order.entry(x).and_modify(|last| *last = i).or_insert(i);
    }
    println!("{order:?} {:?}", order.get_index(1));
    println!("{:?}", a.iter().copied().collect::<IndexSet<_>>());
    let mut map: HashMap<&str, i32, rustc_hash::FxBuildHasher> = HashMap::default();
    map.insert("a", 1);
    *map.entry("a").or_insert(5) += 1;
    println!("{:?} {}", map.get("a"), map.contains_key("b"));
    // With this hasher the order is always the same on one kind of processor.
    let squares: HashMap<usize, usize, rustc_hash::FxBuildHasher> =
        (0..26).map(|i| (i * i, i)).collect();
    let with_sse2 = [
        0, 18, 11, 5, 6, 3, 16, 8, 1, 17, 10, 2, 12, 9, 14, 13, 19, 22, 21, 25, 20, 23, 4, 7, 24,
        15,
    ];
    println!(
        "{}",
        !cfg!(target_feature = "sse2") || squares.values().eq(&with_sse2)
    );
    let mut small: SmallVec<[usize; 4]> = smallvec![9, 8];
    small.extend(a.iter().copied());
    small.sort();
    println!("{small:?} {}", small.spilled());
    println!(
        "{:?} {:?}",
        run(true, 3).collect::<Vec<_>>(),
        run(false, 2).max()
    );
}
