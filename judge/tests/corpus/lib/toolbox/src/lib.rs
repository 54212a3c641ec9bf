//! A library on top of another one, which it passes on by a name of its own.

pub use base::number::gcd;
pub use base::raise;
pub use library as base;
pub use std::cmp::max;

pub mod clock;
pub mod pick;
mod pick_macro;
pub mod sizes;
pub mod units;

/// Called like the crate.
pub mod either {
    /// Not that of the crate.
    pub fn left(of: (u64, u64)) -> u64 {
        of.0
    }
}

/// The largest of some numbers.
#[macro_export]
macro_rules! max {
    ($only:expr) => { $only };
    ($first:expr, $($rest:expr),+) => { $crate::max($first, $crate::max!($($rest),+)) };
}
