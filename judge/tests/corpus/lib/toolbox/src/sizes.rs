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

macro_rules! length {
    ($name:ident, $unit:literal) => {
        use std::fmt;

        pub struct $name(pub u64);

        const _: () = assert!(std::mem::size_of::<$name>() == 8);

        impl $name {
            pub const NONE: Self = Self(0);

            pub fn unit() -> &'static str {
                $unit
            }

            pub fn one() -> Self {
                Self(1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "{} {}", self.0, Self::unit())
            }
        }
    };
}

/// A length of the program.
pub mod mile {
    length!(Mile, "mi");
}

macro_rules! from_numbers {
    ($of:ty: $($small:ident)*; $($large:ident)*) => {
        $(
            impl From<$small> for $of {
                fn from(number: $small) -> Self {
                    Self(number.into())
                }
            }
        )*
        $(
            impl From<$large> for $of {
                fn from(number: $large) -> Self {
                    Self(number as u64)
                }
            }
        )*
    };
}

from_numbers!(mile::Mile: u8 u16 u32 u64 bool char; i8 i16 i32 i64 i128 isize u128 usize);

/// A length that nobody asks for, with an import of its own.
pub mod furlong {
    length!(Furlong, "fur");
}
