//! A program of several modules.

mod inner;
#[path = "elsewhere/odd_name.rs"]
mod other;

/// A module for each name, in a file of its own.
macro_rules! parts {
    ($($name:ident)*) => { $(mod $name;)* };
}
parts! { first second }

use library::text::{line, YesNo};
use library::{largest, number::Modular};
use proconio::input;

mod inline {
    pub mod deep {
        use itertools::Itertools as _;

        pub fn reversed(text: &str) -> String {
            text.chars().rev().join("")
        }
    }
}

fn main() {
    input! {
        from proconio::source::once::OnceSource::from("4 yes 6 10 15 27"),
        n: usize,
        flag: YesNo,
    }
    println!("{n} {flag}");
    input! { a: u64, b: u64 }
    println!("{} {}", inner::doubled(a), other::halved(b));
    println!("{} {}", first::sum(&[a, b]), second::product(&[a, b]));
    println!("{}", inline::deep::reversed("abc"));
    println!("{} {}", largest!(a, b, 5), library::lesser!(a, b));
    println!("{}", Modular::new(a, 1_000_000_007).pow(b).value());
    println!("{}", line(&[a, b]));
    if cfg!(debug_assertions) {
        eprintln!("debug");
    }
    #[cfg(not(ONLINE_JUDGE))]
    local_only();
}

#[cfg(not(ONLINE_JUDGE))]
fn local_only() {
    eprintln!("local");
}
