//! Text.

use itertools::Itertools;
use proconio::source::{Readable, Source};
use std::io::BufRead;

/// Numbers, joined by blanks.
pub fn line(numbers: &[u64]) -> String {
    numbers.iter().join(" ")
}

/// A number among as many; a program may have its own `format!`.
pub fn part(number: u64, all: u64) -> String {
    format!("{number} of {all}")
}

/// The largest of some values; evaluates each once.
#[macro_export]
macro_rules! largest {
    ($only:expr) => { $only };
    ($first:expr, $($rest:expr),+ $(,)?) => {
        $crate::text::larger($first, $crate::largest!($($rest),+))
    };
}

/// The smallest of some values.
#[macro_export]
macro_rules! smallest {
    ($only:expr) => { $only };
    ($first:expr, $($rest:expr),+) => { ::std::cmp::min($first, $crate::smallest!($($rest),+)) };
}

/// The lesser of two; it names the library as those who call it do.
#[macro_export]
macro_rules! lesser {
    ($a:expr, $b:expr) => {
        library::text::lesser($a, $b)
    };
}

/// The lesser of two.
pub fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if b < a {
        b
    } else {
        a
    }
}

/// The larger of two.
pub fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b {
        a
    } else {
        b
    }
}

/// A yes or no, as a marker for `input!`.
pub enum YesNo {}

impl Readable for YesNo {
    type Output = bool;

    fn read<R: BufRead, S: Source<R>>(source: &mut S) -> bool {
        source.next_token_unwrap() == "yes"
    }
}
