//! Beside `grove`, which has a macro so called for itself.

pub const LIMIT: u32 = 30;

#[macro_export]
macro_rules! debug {
    ($($e:expr),*) => { concat!("", $(stringify!($e), ";"),*) };
}
