//! Macros that a macro makes for others, one that is called like a keyword, and one that is called like one of the standard library.

macro_rules! scores {
    ($($name:ident $points:expr;)*) => {
        $(
            /// So many points, or several times as many.
            #[macro_export]
            macro_rules! $name {
                () => { $points };
                ($times:expr) => { $points * $times };
            }
        )*
    };
}

mod results {
    scores! {
        win 3;
        draw 1;
        lost 0;
        forfeit 0;
    }
}

/// How many of the patterns a value has.
#[macro_export]
macro_rules! matches {
    ($value:expr, $($pattern:pat),+) => { 0 $(+ u64::from(std::matches!($value, $pattern)))+ };
}

/// What is there, or else nothing at all comes of it.
#[macro_export]
macro_rules! r#try {
    ($found:expr) => {
        match $found {
            Some(found) => found,
            None => return 0,
        }
    };
}

pub mod r#final {
    /// Whose points count twice.
    #[macro_export]
    macro_rules! double {
        ($points:expr) => {
            2 * $points
        };
    }
}

/// Both a type and the macro that makes one.
pub struct Row(pub u64, pub u64);

#[macro_export]
macro_rules! Row {
    ($won:expr) => {
        $crate::Row($won, $crate::win!($won))
    };
}

/// So many points, by how many go evenly into the games. Who calls it has `library`, and this crate has not.
#[macro_export]
macro_rules! share {
    ($points:expr, $games:expr) => {
        $points / library::number::gcd($points, $games)
    };
}
