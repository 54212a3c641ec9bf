//! Types and impls that macros make, of which a program uses some.

/// How much something is.
pub trait Amount {
    /// In the smallest unit.
    fn amount(&self) -> u64;
}

macro_rules! unit {
    ($name:ident, $size:expr) => {
        /// So many of a unit.
        #[derive(Clone, Copy)]
        pub struct $name(pub u64);

        impl From<$name> for u64 {
            fn from(of: $name) -> u64 {
                of.0 * $size
            }
        }
    };
}

unit!(Dozen, 12);
unit!(Score, 20);

macro_rules! amount {
    ($($of:ty => $amount:expr;)*) => {
        $(
            impl Amount for $of {
                fn amount(&self) -> u64 {
                    $amount(self)
                }
            }
        )*
    };
}

amount! {
    // By themselves.
    Dozen => |of: &Dozen| u64::from(*of);
    Score => |of: &Score| u64::from(*of);
    // Several.
    [Dozen; 2] => |of: &[Dozen; 2]| of.iter().map(Dozen::amount).sum();
    &Score => |of: &&Score| Score::amount(of);
    Vec<Score> => |of: &Vec<Score>| of.iter().map(Score::amount).sum();
}
