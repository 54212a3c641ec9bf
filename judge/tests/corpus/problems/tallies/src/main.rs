//! Some macros of a library by their names alone, others by a path: one of those has a name that the standard library's has here.

#[macro_use(win, draw)]
extern crate tally;

use league::most as league;

mod season {
    /// The points of a team after so many wins and draws.
    pub fn points(wins: u64, draws: u64) -> u64 {
        win!(wins) + draw!(draws)
    }

    pub fn share(points: u64) -> u64 {
        tally::share!(points, 21)
    }
}

mod table {
    use league::*;

    /// How many points less than possible these are.
    pub fn missed(games: u64, points: u64) -> u64 {
        most(games) - points + of_both(2)
    }
}

/// Those that libraries call so are others.
macro_rules! lost {
    ($words:expr) => {
        $words.count() as u64
    };
}

macro_rules! round {
    ($words:expr) => {
        lost!($words.filter(|word| *word == "round"))
    };
}

macro_rules! matches {
    ($value:expr, $pattern:pat) => {
        std::matches!($value, $pattern)
    };
}

mod cup {
    use league::cup::*;

    /// The one of the library is for its own use.
    pub fn none_of(words: Vec<&str>) -> u64 {
        let games = words.len() as u64;
        drop(words);
        none(games)
    }
}

/// What it gets may be something else in edition 2024.
macro_rules! tokens {
    ($($token:tt)*) => { [$(stringify!($token)),*].len() };
}

/// Called like a crate that `league` imports.
fn tally(points: u64) -> u64 {
    tally::double!(points)
}

fn first_digit(word: Option<&str>) -> u32 {
    tally::r#try!(word.and_then(|word| word.chars().find_map(|c| c.to_digit(10))))
}

fn main() {
    let results = std::io::read_to_string(std::io::stdin()).unwrap();
    let count = |of: char| results.chars().filter(|&c| c == of).count() as u64;
    let points = season::points(count('W'), count('D'));
    println!("{points} {} {}", draw!(), matches!(points, 7 | 8));
    println!("{}", table::missed(9, points) + league::win!(2));
    println!("{}", tally::matches!(points, 0..=9, 7, 8, 5..));
    println!("{} {}", tally(points), league(4) + league::of_one(0));
    println!("{} {}", league::season::days(2), league::vec!(3));
    println!("{} {}", tokens!(#"two"#), season::share(points));
    let all = || results.split_whitespace();
    println!("{} {}", lost!(all()), round!(all()));
    println!(
        "{} {}",
        cup::none_of(all().collect()),
        league::first_round()
    );
    let mut words = results.split_whitespace().rev();
    println!(
        "{} {}",
        first_digit(words.next()),
        first_digit(words.nth(9))
    );
}
