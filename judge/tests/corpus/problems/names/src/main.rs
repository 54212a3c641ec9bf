//! Names that something else has too, and what only seems to be in nobody's use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};

use itertools::Itertools;

/// A crate that itertools uses is called so.
mod either {
    pub fn left() -> u32 {
        1
    }
}

mod helpers {
    pub mod library {
        pub fn area(a: u32, b: u32) -> u32 {
            a * b
        }
    }
}

mod solution {
    use super::helpers::*;

    /// Not that of the crate `library`.
    pub fn area(sides: &[u32]) -> u32 {
        library::area(sides[0], sides[1])
    }
}

/// Shows what it gets; and what a macro names is what is called so where the macro is called.
macro_rules! shown {
    ($e:expr) => {
        format!(
            "{} = {}, {}",
            stringify!($e),
            $e,
            library::number::gcd(4, 6)
        )
    };
}

/// In scope for all that comes after the program in the file.
macro_rules! format {
    ($($text:tt)*) => {
        ["<", &::std::format!($($text)*), ">"].concat()
    };
}

mod shown {
    pub mod of_the_crate {
        pub fn text() -> String {
            shown!(library::number::gcd(8, 12))
        }
    }

    pub mod of_a_module {
        mod library {
            pub mod number {
                pub fn gcd(a: u64, b: u64) -> u64 {
                    a + b
                }
            }
        }

        pub fn text() -> String {
            shown!(library::number::gcd(8, 12))
        }
    }
}

struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(1, Ordering::Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        System.dealloc(place, layout)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// How often it was asked.
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

macro_rules! residue {
    ($name:ident, $modulus:expr) => {
        struct $name(u32);

        impl $name {
            fn new(value: u32) -> Self {
                Self(value % $modulus)
            }

            #[allow(dead_code)]
            fn double(&self) -> Self {
                Self::new(self.0 * 2)
            }
        }
    };
}

residue!(Residue, 7);

fn weights() -> [u32; 2] {
    [
        #[cfg(feature = "large")]
        100,
        #[cfg(not(feature = "large"))]
        1,
        pair(
            #[cfg(feature = "large")]
            20,
            #[cfg(not(feature = "large"))]
            2,
            3,
        ),
    ]
}

fn pair(a: u32, b: u32) -> u32 {
    ASKED.set(ASKED.get() + 1);
    a + b
}

unsafe fn first(numbers: &[u32]) -> u32 {
    *numbers.get_unchecked(0)
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers = input.split_whitespace().map(|word| word.parse().unwrap());
    let numbers: Vec<u32> = numbers.sorted().collect();
    println!("{} {}", either::left(), solution::area(&numbers));
    println!("{} {}", weights().iter().join(" "), ASKED.get());
    // SAFETY: there are some.
    println!("{} {}", Residue::new(numbers[1]).0, unsafe {
        first(&numbers)
    });
    println!("{}", shown::of_the_crate::text());
    println!("{}", shown::of_a_module::text());
    println!("{} {}", library::text::part(1, 2), format!("{}", 3));
    println!("{}", ALLOCATED.load(Ordering::Relaxed) > 0);
}
