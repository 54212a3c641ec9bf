//! A library of which the program needs less than its bounds, its rules and its assertions seem to say.

use measures::{taken, Length, Pair, Total, DIGITS};

fn main() {
    let input = std::io::read_to_string(std::io::stdin()).unwrap();
    let numbers = input.split_whitespace().map(|word| word.parse().unwrap());
    let lengths: Vec<Length> = numbers.map(|number: u8| Length::from(number)).collect();
    println!("{} {DIGITS}", lengths[0] == lengths[1]);
    println!("{}", Total::of(&lengths).is_more_than(99));
    let mut words: Vec<String> = lengths.iter().map(Length::to_string).collect();
    println!("{:?}", taken(&mut words));
    println!("{:?}", Pair([1, 2]).0);
}
