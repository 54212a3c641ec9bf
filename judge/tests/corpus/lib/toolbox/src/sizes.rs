//! A macro that its own module imports from where it is exported, and one that puts a type of another crate into modules.

use crate::total;

macro_rules! sizes {
    ($($name:ident: $of:ty;)*) => {
        $(
            pub mod $name {
                /// Bytes.
                pub const SIZE: usize = std::mem::size_of::<$of>();
            }
        )*
    };
}

sizes! {
    one: library::number::Modular;
    two: [library::number::Modular; 2];
}

/// Bytes of three.
pub fn three() -> usize {
    total!(one::SIZE, two::SIZE)
}

/// A sum.
#[macro_export]
macro_rules! total {
    ($($size:expr),*) => { 0 $(+ $size)* };
}

macro_rules! unit {
    ($($name:ident)*) => { $(
        /// A weight.
        pub struct $name(pub u64);
    )* };
}

// Another macro is called so in `units`.
unit! { Gram Stone }
