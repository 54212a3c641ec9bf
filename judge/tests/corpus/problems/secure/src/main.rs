use proconio::input;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

fn main() {
    input! { seed: u64, n: usize }
    let mut rng = StdRng::seed_from_u64(seed);
    let a: Vec<i64> = (0..n).map(|_| rng.random_range(-50..=50)).collect();
    println!("{a:?} {}", rng.random::<u64>());
    println!("{:?} {:.6}", a.choose(&mut rng), rng.random::<f64>());
}
