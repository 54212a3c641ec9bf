//! Numbers, and what else must hold for some of their types. Much of it only looks as if somebody needed it.

use std::fmt::{self, Display};
use std::ops::{Add, Mul};

/// Each product of an unsigned number and one of its kind is another.
pub trait Unsigned: Mul<Output = Self> + Copy {
    const DIGITS: usize;
}

impl Unsigned for u64 {
    const DIGITS: usize = 20;
}

/// As many digits as the largest of these numbers has.
pub const DIGITS: usize = <u64 as Unsigned>::DIGITS;

#[derive(Clone, Copy, PartialEq)]
pub struct Length(u64);

impl Mul<u64> for &Length {
    type Output = Length;

    fn mul(self, by: u64) -> Length {
        self.stretched(by)
    }
}

// No bound that tells only what comes out asks for this product.
impl<'a> Mul<&'a Length> for u64 {
    type Output = <&'a Length as Mul<u64>>::Output;

    fn mul(self, length: &Length) -> Self::Output {
        length.mul(self)
    }
}

impl Length {
    fn stretched(self, by: u64) -> Self {
        Self(self.0 * by)
    }
}

impl Add for Length {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}m", self.0)
    }
}

/// All that it makes is repeated.
macro_rules! lengths {
    ($($t:ty)*) => {
        $(
            impl Add<$t> for Length {
                type Output = Length;

                fn add(self, other: $t) -> Length {
                    self + Length::from(other)
                }
            }

            impl Add<Length> for $t {
                type Output = Length;

                fn add(self, other: Length) -> Length {
                    other + self
                }
            }

            impl From<$t> for Length {
                fn from(length: $t) -> Self {
                    Length(length.into())
                }
            }
        )*
    };
}

lengths!(u8 u16);

/// Why something may be read: nobody names one of these, and the compiler finds out which it is.
pub trait Readable<Access, Reason> {}

pub struct Shared;
pub struct Alone;

pub enum BecauseItIsCopied {}
pub enum BecauseNobodyElseDoes {}

impl<T: Copy> Readable<Shared, BecauseItIsCopied> for T {}
impl<T> Readable<Alone, BecauseNobodyElseDoes> for T {}

pub fn taken<Reason, T: Readable<Alone, Reason>>(from: &mut Vec<T>) -> Option<T> {
    from.pop()
}

pub struct Pair(pub [u32; 2]);
const _: () = assert!(std::mem::size_of::<Pair>() == 8);

pub struct Quad(pub [u32; 4]);
const _: () = assert!(std::mem::size_of::<Quad>() == 16);

/// Its field has the name of a function.
pub struct Total {
    sum: u64,
}

impl Total {
    pub fn of(lengths: &[Length]) -> Self {
        Self {
            sum: lengths.iter().map(|length| length.0).sum(),
        }
    }

    pub fn is_more_than(&self, other: u64) -> bool {
        self.sum > other
    }
}

pub fn sum(pair: &Pair) -> u32 {
    pair.0.iter().sum()
}
