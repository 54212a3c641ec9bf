//! Numbers modulo a prime, with a macro for their operators, and a macro that makes what only this crate sees.

use std::ops::{Div, DivAssign, Mul, MulAssign};

/// A number modulo `P`.
#[derive(Clone, Copy)]
pub struct Hour<const P: u64>(pub u64);

impl<const P: u64> Hour<P> {
    /// What gives 1 with it.
    pub fn inverse(self) -> Self {
        let mut product = Self(1);
        for _ in 2..P {
            product *= self;
        }
        product
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident $assigning:ident $assign:ident |$a:ident, $b:ident| $made:expr;)*) => { $(
        impl<const P: u64> $operator for Hour<P> {
            type Output = Self;

            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $made
            }
        }

        impl<const P: u64> $assigning for Hour<P> {
            fn $assign(&mut self, other: Self) {
                *self = self.$name(other);
            }
        }
    )* };
}

operators! {
    Mul mul MulAssign mul_assign |a, b| Hour(a.0 % P * (b.0 % P) % P);
    Div div DivAssign div_assign |a, b| a * b.inverse();
}

mod hands {
    pub(crate) struct Hand(pub u64);
}

/// What is known by its name.
pub trait Known {
    type Kind;

    fn kind(&self) -> Self::Kind;
}

macro_rules! known {
    ($vis:vis $name:ident: $kind:ty = $value:expr) => {
        $vis struct $name;

        impl Known for $name {
            type Kind = $kind;

            fn kind(&self) -> $kind {
                $value
            }
        }
    };
}

known!(pub(crate) Short: hands::Hand = hands::Hand(12));

/// The hours of a short round.
pub fn short() -> u64 {
    Short.kind().0
}

/// A value that is told on the way where checks are on.
#[macro_export]
macro_rules! noted {
    ($value:expr) => {{
        if std::cfg!(debug_assertions) {
            eprintln!("{}", $value);
        }
        $value
    }};
}
