//! Types and impls that macros make, of which a program uses some.

/// How much something is.
pub trait Amount {
    /// The smallest of all.
    const LEAST: u64;

    /// In the smallest unit.
    fn amount(&self) -> u64;

    /// Whether there is nothing.
    fn is_nothing(&self) -> bool;
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
            impl Amount for $of { const LEAST: u64 = 0; fn amount(&self) -> u64 { $amount(self) } fn is_nothing(&self) -> bool { self.amount() == 0 } }
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
