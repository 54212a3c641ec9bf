//! Libraries of older editions, and features that only one of them has.

#![allow(unexpected_cfgs)]

#[macro_use]
extern crate earliest;

struct Pair {
    of: (u32, u32),
}

fn main() {
    let numbers: Vec<u32> = whiteread::parse_line().unwrap();
    println!("{numbers:?}");
    println!(
        "{} {:?} {}",
        earlier::size!(),
        earlier::outer!(),
        earlier::SIZE
    );
    earlier::whole_variables();
    println!("{}", earlier::of_arrays() > 2);
    println!("{}", earliest::r#dyn(&numbers[0]));
    println!("{:?}", earliest::twice_and_thrice(&7u8));
    let pairs = vec![Pair {
        of: both!(numbers[1]),
    }];
    println!("{:?}", pairs[0].of);
}
