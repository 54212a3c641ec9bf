use permutohedron::LexicalPermutation;
use proconio::input;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use superslice::Ext;

fn main() {
    input! { n: usize }
    let mut rng = SmallRng::seed_from_u64(42);
    let mut a: Vec<u32> = (0..n).map(|_| rng.random_range(0..100)).collect();
    a.shuffle(&mut rng);
    println!("{a:?} {} {:.6}", rng.random_bool(0.5), rng.random::<f64>());
    a.sort();
    println!("{} {}", a.lower_bound(&50), a.upper_bound(&50));
    let mut p = [1usize, 2, 3];
    let mut count = 1usize;
    while LexicalPermutation::next_permutation(&mut p[..]) {
        count += 1;
    }
    println!("{count} {p:?}");
    permutohedron::heap_recursive(&mut p, |q| count += q[0] as usize);
    println!("{count}");
}
