//! Random numbers of the system, which come through the C library.

use rand::Rng;

fn main() {
    let dice: u32 = rand::rng().random_range(1..=6);
    println!("{}", dice.min(7));
}
