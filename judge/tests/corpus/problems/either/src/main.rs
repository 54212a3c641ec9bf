//! A problem that has the name of a crate that it uses.

use either::Either;
use proconio::input;

fn main() {
    input! { n: u32, falls: u8 }
    let numbers = match falls {
        0 => Either::Left(1..=n),
        _ => Either::Right((1..=n).rev()),
    };
    let numbers: Vec<String> = numbers.map(|x| x.to_string()).collect();
    println!("{}", numbers.join(" "));
}
