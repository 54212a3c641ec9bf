//! Numbers of types that only impls name: what has them for values comes from the standard library, or from a literal that nothing else fits.

use std::io::Read;
use std::ops::Add;
use std::time::Duration;

trait Told {
    fn told(&self) -> String;
}

impl Told for u128 {
    fn told(&self) -> String {
        format!("u128 {self}")
    }
}

impl Told for i8 {
    fn told(&self) -> String {
        format!("i8 {self}")
    }
}

/// For an open literal there is one impl.
trait Alone {
    fn alone(&self) -> &'static str;
}

impl Alone for i64 {
    fn alone(&self) -> &'static str {
        "i64"
    }
}

struct Sum;

impl Add<i16> for Sum {
    type Output = String;

    fn add(self, other: i16) -> String {
        format!("i16 {other}")
    }
}

/// A method of a reference to anything: one of the number itself comes first.
#[allow(dead_code)]
trait OfAny: Sized {
    fn width(self) -> &'static str {
        "any"
    }
}

impl<T> OfAny for &T {}

trait OfUnit: Sized {
    fn width(self) -> &'static str {
        "u16"
    }
}

impl OfUnit for u16 {}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    println!(
        "{}",
        Duration::from_secs(text.len() as u64).as_millis().told()
    );
    println!("{} {}", 1.alone(), Sum + 2);
    let units: Vec<_> = text.trim().encode_utf16().collect();
    println!("{} {}", units.len(), units[0].width());
}
