//! All names of a library: among them are a macro that it passes on from another one, a macro called like a module, and a module called like
//! a crate. One of its modules imports its own macro, others are made for types of another crate, and a macro has the name of a function
//! of the standard library.

use toolbox::*;

mod inner {
    use super::*;

    pub fn first(pair: (u64, u64)) -> u64 {
        either::left(pair)
    }
}

fn main() {
    let read = std::io::read_to_string(std::io::stdin()).expect("text");
    let numbers = read
        .split_whitespace()
        .map(|word| word.parse().expect("a number"));
    let numbers: Vec<u64> = numbers.collect();
    let mut best = 0;
    for &number in &numbers {
        raise!(best, number);
    }
    let pair = (numbers[0], numbers[1]);
    println!(
        "{best} {} {}",
        pick!(3, pair.0, pair.1),
        gcd(pair.0, pair.1)
    );
    println!("{} {}", inner::first(pair), either::left(pair));
    let side: ::either::Either<u64, u64> = ::either::Left(pair.1);
    println!("{side:?}");
    println!(
        "{}",
        total!(sizes::three() / sizes::one::SIZE, max!(1, 4, max(2, 3)))
    );
    let eggs = [units::Dozen(pair.0), units::Dozen(pair.1)];
    println!("{}", units::Amount::amount(&eggs));
    println!(
        "{} and {}",
        sizes::mile::Mile::one(),
        sizes::mile::Mile(pair.0)
    );
    let miles = sizes::mile::Mile::from(3u16).0 + sizes::mile::Mile::from(4usize).0;
    println!("{miles}");
    let hour = clock::Hour::<13>(pair.0) * clock::Hour(pair.1);
    println!("{}", noted!(hour.0 + clock::short()));
}
