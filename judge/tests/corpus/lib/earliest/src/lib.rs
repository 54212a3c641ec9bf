//! A library of edition 2015, as nobody could write it now.

#![allow(anonymous_parameters, bare_trait_objects)]

/// Parameters needed no names.
pub trait Scale {
    /// So many times as much.
    fn times(&self, u32) -> u32;
}

impl Scale for u32 {
    fn times(&self, by: u32) -> u32 {
        self * by
    }
}

/// A word that is none to use any more.
pub fn dyn(scale: &Scale) -> u32 {
    scale.times(2)
}

/// Paths began at the root, where a module may be called like the crate.
mod earliest {
    use prelude::*;

    /// Twice as much, and thrice.
    pub fn twice_and_thrice<S: Scale>(scale: &S) -> (u32, u32) {
        (scale.times(2), scale.times(3))
    }
}

pub mod prelude {
    #[rustfmt::skip]
    pub use ::{Scale};
}

macro_rules! scales {
    ($($of:ty),*) => { $(
        impl Scale for $of {
            fn times(&self, by: u32) -> u32 {
                u32::from(*self) * by
            }
        }
    )* };
}

scales!(u8, u16);

macro_rules! boxed {
    ($name:ident) => {
        /// What scales.
        pub fn $name(of: u8) -> Box<Scale> {
            Box::new(of)
        }
    };
}

boxed!(scaling);

/// A trait whose methods need no names for what they take.
#[macro_export]
macro_rules! scaling_trait {
    ($name:ident, $by:ty) => {
        trait $name {
            fn by(&self, u32, $by) -> u32;

            fn reason(&self) -> Option<&::std::error::Error> {
                None
            }
        }
    };
}

/// A panic takes whatever it gets.
#[macro_export]
macro_rules! give_up {
    ($with:expr) => {
        panic!($with)
    };
}

/// Macros called each other by name: whoever used one had all in scope.
#[macro_export]
macro_rules! apply {
    ($f:ident, $($of:tt)*) => { $f!($($of)*) };
}

/// One that takes the call of another.
#[macro_export]
macro_rules! both {
    ($one:ident!($($of:tt)*), $other:expr) => { (apply!($one, $($of)*), $other) };
    ($one:expr) => { both!(doubled!($one), $one) };
}

#[macro_export]
macro_rules! doubled {
    ($of:expr) => {
        $of * 2
    };
}

pub use earliest::twice_and_thrice;

#[cfg(test)]
mod tests {
    #[test]
    fn a_trait_without_a_word_before_it() {
        let twice: Box<Fn(u8) -> u8> = Box::new(|of| doubled!(of));
        assert_eq!(twice(2), 4);
    }
}
