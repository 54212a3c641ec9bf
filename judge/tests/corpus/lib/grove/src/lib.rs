//! Names that lead back to the root of a crate, and macros that other crates have as well.

/// Of this crate alone: another one exports a macro that is so called.
macro_rules! debug {
    ($($e:expr),*) => { [$($e),*].len() };
}
pub(crate) use debug;

#[cfg_attr(feature = "scored", macro_export)]
macro_rules! score {
    ($n:expr) => {
        $crate::paths::root::LIMIT - $n
    };
}

pub const LIMIT: u32 = 40;

pub const NAME: &str = env!("CARGO_PKG_NAME", "cargo sets it");

pub mod paths {
    pub use crate as root;

    pub fn is_high(x: u32) -> bool {
        x > ::meadow::LIMIT && x > root::LIMIT
    }

    pub fn several() -> usize {
        crate::debug!(1, 2, 3)
    }
}

/// What is called for a judge alone, and has another name's meaning without it.
pub struct Judged;

pub trait Named {
    fn name(&self) -> &'static str {
        "trait"
    }
}

impl Named for Judged {}

impl Judged {
    pub fn name(&self) -> &'static str {
        "inherent"
    }
}

pub fn here() -> &'static str {
    if cfg!(ONLINE_JUDGE) {
        Judged.name()
    } else {
        Named::name(&Judged)
    }
}

/// An item that a macro makes for a judge, and one that is written for all others.
macro_rules! for_judges {
    ($($item:tt)*) => {
        #[cfg(ONLINE_JUDGE)]
        $($item)*
    };
}
for_judges! { pub fn place() -> &'static str { "there" } }
#[cfg(not(ONLINE_JUDGE))]
pub fn place() -> &'static str {
    "here"
}

/// Rows of which a program needs the one that a number is by default.
pub trait Number: Copy + std::ops::Mul<Output = Self> {}
macro_rules! number {
    ($($t:ident)*) => { $( impl Number for $t {} )* };
}
number!(i64 i32 u8 f64);

pub fn square<T: Number>(x: T) -> T {
    x * x
}
