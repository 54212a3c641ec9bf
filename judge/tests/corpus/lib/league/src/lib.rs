//! A library that uses another's macros by their names, and passes some on.

#[macro_use]
extern crate tally;

pub use tally::win;

/// The most points that there are for so many games.
pub fn most(games: u64) -> u64 {
    win!(games)
}

/// The points of two teams after so many games without a winner.
pub fn of_both(games: u64) -> u64 {
    2 * draw!(games)
}
