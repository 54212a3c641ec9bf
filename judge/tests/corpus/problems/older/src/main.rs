//! Libraries of older editions, and features that only one of them has.

#![allow(unexpected_cfgs)]

#[macro_use]
extern crate earliest;

use rand::rngs::{SmallRng, StdRng};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

struct Pair {
    of: (u32, u32),
}

scaling_trait!(By, &str);

impl By for u32 {
    fn by(&self, times: u32, how: &str) -> u32 {
        self * times + how.len() as u32
    }
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
    let scaling = earliest::scaling(2);
    println!("{}", earliest::Scale::times(&*scaling, numbers[0]));
    println!(
        "{} {}",
        numbers[0].by(2, "ab"),
        numbers[0].reason().is_none()
    );
    let given = std::panic::catch_unwind(|| -> u32 { give_up!(7u32) });
    println!("{:?}", given.unwrap_err().downcast::<u32>());
    let (mut small, mut secure) = (SmallRng::seed_from_u64(3), StdRng::seed_from_u64(3));
    let mut shuffled: Vec<u32> = (0..10).collect();
    shuffled.shuffle(&mut small);
    println!(
        "{shuffled:?} {} {}",
        small.gen_range(0, 100),
        secure.gen_range(0, 100)
    );
}
