//! A library that implements its traits by lists, of which the program uses next to nothing.

use intake::{Intake, Large, Nothing, Show, GATE};

fn main() {
    let text = std::io::read_to_string(std::io::stdin()).expect("text");
    let mut intake = Intake::new(&text);
    let (a, b): (u64, i64) = intake.take();
    println!("{} {}", a + u64::NOTHING, b.twice());
    println!("{}", (Large::new(a) * Large::new(a)).value());
    print!("{GATE}");
}
