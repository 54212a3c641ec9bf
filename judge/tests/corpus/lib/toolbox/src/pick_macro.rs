//! The macro `pick!`.

/// The largest of some numbers.
#[macro_export]
macro_rules! pick {
    ($only:expr) => { $only };
    ($first:expr, $($rest:expr),+) => {
        $crate::pick::larger($first, $crate::pick!($($rest),+))
    };
}
