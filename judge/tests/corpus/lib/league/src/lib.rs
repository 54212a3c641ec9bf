//! A library that uses another's macros by their names, and passes some on; the crate itself it calls otherwise.

#[macro_use]
extern crate tally;
extern crate tally as of_one;

pub use tally::win;

/// The most points that there are for so many games.
pub fn most(games: u64) -> u64 {
    win!(games)
}

/// The points of two teams after so many games without a winner.
pub fn of_both(games: u64) -> u64 {
    2 * draw!(games)
}

/// The points of one team that wins so many games. Called like the crate.
pub fn of_one(games: u64) -> u64 {
    let row: of_one::Row = of_one::Row!(games);
    row.1
}

/// What it calls is defined below, and the program has one that is called so.
pub fn first_round() -> u64 {
    round!(1)
}

#[macro_export]
macro_rules! round {
    ($n:expr) => {
        $n * 10
    };
}

pub mod cup {
    use tally::lost;

    pub(crate) fn drop(games: u64) -> u64 {
        lost!(games)
    }

    /// The points of a team that loses all games.
    pub fn none(games: u64) -> u64 {
        use tally::matches;
        drop(games) + matches!(games, 100..)
    }
}

pub mod season {
    pub mod dates {
        /// Called like one of the standard library, which is meant everywhere but at the root.
        #[macro_export]
        macro_rules! vec {
            ($weeks:expr) => {
                $weeks * 7
            };
        }
    }

    /// The days of so many weeks, one by one.
    pub fn days(weeks: usize) -> usize {
        vec![0; crate::vec!(weeks)].len()
    }
}
