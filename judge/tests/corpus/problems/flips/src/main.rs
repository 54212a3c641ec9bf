//! The generator that most programs of today have, with all the features that it comes with.

use std::io::Read;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut rng = SmallRng::seed_from_u64(input.trim().parse().unwrap());
    let flips: Vec<bool> = (0..5).map(|_| rng.gen_bool(0.5)).collect();
    println!("{flips:?} {}", rng.gen_range(0..1000));
}
