//! Macros of other crates that make items, call each other by their plain names, or share a name with a module.

use std::fmt::Write as _;

use ::maplit::{self, btreemap, hashset};
use lazy_static::lazy_static;
use once_cell::sync::Lazy;
use paste::paste;
use proconio::input;
use static_assertions::{assert_obj_safe, const_assert};

bitflags::bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sides: u32 {
        const LEFT = 1;
        const RIGHT = 2;
    }
}

cfg_if::cfg_if! {
    if #[cfg(target_pointer_width = "16")] {
        fn width() -> &'static str {
            "narrow"
        }
    } else if #[cfg(any(unix, windows))] {
        fn width() -> &'static str {
            "wide"
        }
    } else {
        fn width() -> &'static str {
            "unknown"
        }
    }
}

struct Pointer;

impl Pointer {
    cfg_if::cfg_if! {
        if #[cfg(target_pointer_width = "16")] {
            fn bits() -> u32 {
                16
            }
        } else {
            fn bits() -> u32 {
                64
            }
        }
    }
}

lazy_static! {
    static ref SQUARES: Vec<u64> = (0..10).map(|x| x * x).collect();
}

static CUBES: Lazy<Vec<u64>> = Lazy::new(|| (0..10).map(|x| x * x * x).collect());

const_assert!(u64::BITS == 64);
assert_obj_safe!(std::fmt::Write);

macro_rules! powers {
    ($($name:ident: $of:literal),*) => {
        paste! {
            $(
                #[doc = "A number to the power of " $of "."]
                fn [<to_ $name:lower>](n: u64) -> u64 {
                    n.pow([<$of u32>])
                }
            )*
        }
    };
}

powers!(FOURTH: 4, Never: 5);

/// `paste!` puts the constant together anew, with which the fragment falls apart, but not the function.
macro_rules! doubled {
    ($name:ident, $e:expr) => {
        paste! {
            const [<TWICE_ $name>]: u64 = 2 * $e;
            fn [<twice_ $name:lower>]() -> u64 {
                2 * $e
            }
        }
    };
}

doubled!(SUM, 3 + 4);

/// So it does where a fragment is a lifetime, which a token is not, or a visibility, but not for a text in an attribute.
macro_rules! searched {
    ($name:ident, $label:tt, $vis:vis, $doc:literal, $e:expr) => {
        paste! {
            fn $name() -> [u64; 3] {
                let first = { $label: loop { break $label 2 * $e } };
                let second = { $vis const TWO: u64 = 2; TWO * $e };
                let third = { #[doc = $doc] const TWICE: u64 = 2 * $e; TWICE };
                [first, second, third]
            }
        }
    };
}

macro_rules! searched_by {
    ($name:ident, $label:lifetime) => {
        searched!($name, $label, pub, "Both.", 3 + 4);
    };
}

searched!(searched, 'search, pub, "Both.", 3 + 4);
searched_by!(searched_by, 'search);

fn rule_halving(n: u64) -> u64 {
    n / 2
}

/// Some rule, by its name.
macro_rules! ruled {
    ($name:ident, $n:expr) => {
        paste!([<rule_ $name:lower>])($n)
    };
}

/// A text that lies beside the program.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../data/", $name, ".txt")).trim_end()
    };
}

fn main() {
    input! { n: usize }
    let names = btreemap! { 1 => "a", 2 => "b" };
    println!(
        "{} {} {names:?} {}",
        SQUARES[n],
        CUBES[n],
        maplit::hashset! { 1, 2, 2 }.len() + hashset! { 1 }.len() - 1
    );
    println!(
        "{:?} {} {} {}",
        Sides::LEFT | Sides::RIGHT,
        width(),
        Pointer::bits(),
        to_fourth(2)
    );
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = String::new();
    for _ in 0..3 {
        write!(text, "{} ", random.i8(..10) < 10).unwrap();
    }
    println!("{text}{}", random.u32(5..6));
    paste! {
        // One name of two parts.
        let [<half _of>] = ruled!(HALVING, random.u64(18..20));
        println!("{} {} {}", half_of, text!("greeting"), env!("CORPUS_NAME"));
    }
    println!("{TWICE_SUM} {}", twice_sum());
    println!("{:?} {:?}", searched(), searched_by());
}
