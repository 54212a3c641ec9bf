//! Comparing what is not exact: macros of a crate that name others of it to a third one, which calls them.

#[macro_use]
extern crate approx;

use std::fmt::{self, Display};
use std::io;

struct Root {
    of: f64,
    found: f64,
}

impl Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // The compiler warns of this, and an attribute in the file does not silence it.
        write!(f, "{} {:.4}", self.of, root = self.found)
    }
}

/// By Newton's steps.
fn root(of: f64) -> Root {
    let mut found = of.max(1.0);
    while !relative_eq!(found * found, of, max_relative = 1e-12) {
        found = (found + of / found) / 2.0;
    }
    Root { of, found }
}

fn main() {
    let numbers = io::read_to_string(io::stdin()).unwrap();
    for number in numbers.split_whitespace() {
        let root = root(number.parse().unwrap());
        assert_relative_eq!(root.found, root.of.sqrt(), max_relative = 1e-9);
        assert_abs_diff_ne!(root.found, -1.0);
        println!("{root}");
    }
}
