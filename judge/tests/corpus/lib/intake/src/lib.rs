/// Words one after another.
pub struct Intake<'t> {
    words: std::str::SplitWhitespace<'t>,
}

impl<'t> Intake<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            words: text.split_whitespace(),
        }
    }

    pub fn take<T: Take>(&mut self) -> T {
        T::take(self)
    }

    fn word(&mut self) -> &'t str {
        self.words.next().unwrap_or("0")
    }
}

pub trait Take {
    fn take(intake: &mut Intake) -> Self;
}

macro_rules! integers {
    ($($t:ident)+) => {$(
        impl Take for $t {
            fn take(intake: &mut Intake) -> Self {
                intake.word().parse().unwrap_or(0)
            }
        }
    )+};
}

macro_rules! tuple {
    ($($t:ident),+) => {
        impl<$($t: Take),+> Take for ($($t,)+) {
            fn take(intake: &mut Intake) -> Self {
                ($($t::take(intake),)+)
            }
        }
    };
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// What is left when it is taken away from itself.
pub trait Nothing {
    const NOTHING: Self;
}

macro_rules! nothing {
    ($zero:literal: $($t:ty),+) => { $( impl Nothing for $t { const NOTHING: Self = $zero; } )+ };
}

nothing!(0: i8, i16, i32, i64, u8, u16, u32, u64);
nothing!(0.0: f32, f64);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);

/// What is shown.
pub trait Show {
    fn show(&self) -> String;
    fn twice(&self) -> String {
        format!("{0} {0}", self.show())
    }
}

macro_rules! shown {
    ($(($t:ty, $show:ident)),+ $(,)?) => {$(
        fn $show(value: &$t) -> String {
            value.to_string()
        }
        impl Show for $t {
            fn show(&self) -> String {
                $show(self)
            }
        }
    )+};
}

shown! {
    (i64, show_i64),
    (u64, show_u64),
    (String, show_string),
}

/// Reading and showing come with it, whether anybody reads or shows one.
macro_rules! residues {
    ($name:ident, $modulus:expr) => {
        #[derive(Clone, Copy)]
        pub struct $name(u64);

        impl $name {
            pub fn new(value: u64) -> Self {
                Self(value % $modulus)
            }

            pub fn value(self) -> u64 {
                self.0
            }

            /// What times it is one, if the modulus is prime.
            pub fn inverse(self) -> Self {
                (3..$modulus).fold(self, |power, _| power * self)
            }
        }

        impl std::ops::Div for $name {
            type Output = Self;
            fn div(self, other: Self) -> Self {
                self * other.inverse()
            }
        }

        impl std::ops::Mul for $name {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                Self::new(self.0 * other.0)
            }
        }

        impl Take for $name {
            fn take(intake: &mut Intake) -> Self {
                Self::new(intake.take())
            }
        }
    };
}

residues!(Seven, 7);
residues!(Large, 998_244_353);

/// The gate, with a step.
///
/// ```
/// assert_eq!(intake::GATE.lines().count(), 4);
/// ```
pub const GATE: &str = "
 /\\
///
||
";
