// Two libraries with all their names.

#![allow(unused_variables)]

use grove::*;
use meadow::*;

fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    println!(
        "{} {} {}",
        paths::is_high(n),
        paths::several(),
        debug!(n, 2)
    );
    println!("{} {} {}", score!(n), NAME, paths::root::NAME.len());
    println!("{} {} {}", here(), place(), square(3) + square(n as i32));
}
