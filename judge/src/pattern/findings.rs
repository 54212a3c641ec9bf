//! What is found of a game, before it is shown.

use shared::Period;

/// What was found of a game.
pub enum Findings {
    /// One number: a heap, or a coin.
    Line(Line),
    /// Two numbers.
    Grid(Grid),
}

/// A game whose positions are numbered `first`, `first + 1`, ….
pub struct Line {
    /// The rule in words.
    pub game: String,
    /// What a number stands for, `heap` or `coin`.
    pub item: &'static str,
    pub first: u64,
    /// The values of the first positions; the first period is among them where one is proven.
    pub values: Vec<u64>,
    /// How many of them to show.
    pub shown: usize,
    pub repeats: Repeats,
}

/// Whether the values repeat.
pub enum Repeats {
    /// They do, from the position `pre_period` on; and why.
    Proven(Period, String),
    /// They do not; and why.
    Never(String),
    /// Nothing is known: the values of the positions to here prove no period.
    NotProven { looked_at: u64 },
}

impl Line {
    /// The positions to show, with their values.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (self.first..).zip(self.values[..self.shown].iter().copied())
    }

    /// The positions to show that are lost.
    pub fn lost(&self) -> Vec<u64> {
        self.cells()
            .filter(|&(_, value)| value == 0)
            .map(|(n, _)| n)
            .collect()
    }

    /// The largest of the values that are known, all of them where a period is proven; and where it is first.
    pub fn largest(&self) -> (u64, u64) {
        let mut cells = (self.first..).zip(&self.values);
        let largest = self.values.iter().max().expect("something is shown");
        let (n, _) = cells
            .find(|(_, value)| *value == largest)
            .expect("it is there");
        (n, *largest)
    }

    /// The remainders by the proven period of the positions behind the pre-period that are lost.
    pub fn lost_remainders(&self) -> Option<Vec<u64>> {
        let Repeats::Proven(Period { pre_period, period }, _) = self.repeats else {
            return None;
        };
        let lost = (pre_period..pre_period + period).filter(|&n| self.value(n) == 0);
        let mut remainders: Vec<u64> = lost.map(|n| n % period).collect();
        remainders.sort_unstable();
        Some(remainders)
    }

    /// Whether position `n` comes before the proven period and has another value than those that it would repeat.
    pub fn is_exception(&self, n: u64) -> bool {
        let Repeats::Proven(Period { pre_period, period }, _) = self.repeats else {
            return false;
        };
        n < pre_period
            && self.value(n) != self.value(n + (pre_period - n).div_ceil(period) * period)
    }

    /// The number of cells in a row: one period where one is proven, a few where it is short; else about as many as
    /// fit.
    pub fn row(&self, fits: usize) -> usize {
        match (&self.repeats, self.item) {
            (Repeats::Proven(Period { period, .. }, _), _) if *period < 5 => {
                (8u64.div_ceil(*period) * period) as usize
            }
            (Repeats::Proven(Period { period, .. }, _), _) => *period as usize,
            // The values of coins follow the binary digits.
            (_, "coin") => [32, 16].into_iter().find(|&row| row <= fits).unwrap_or(8),
            _ => (fits / 10 * 10).clamp(10, 30),
        }
    }

    fn value(&self, n: u64) -> u64 {
        self.values[(n - self.first) as usize]
    }
}

/// A game whose positions are pairs (a, b).
pub struct Grid {
    /// The rule in words.
    pub game: String,
    /// The value of (a, b) is `values[a][b]`.
    pub values: Vec<Vec<u64>>,
    /// Which positions are lost, and whose theorem that is.
    pub theorem: &'static str,
    /// Whether the theorem is about the lines a = φb and b = φa.
    pub golden_ratio: bool,
}

impl Grid {
    /// The pairs with a ≤ b that are lost; all these games are symmetric.
    pub fn lost(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.values.len()).flat_map(|b| (0..=b).map(move |a| (a, b)));
        let mut lost: Vec<(usize, usize)> =
            pairs.filter(|&(a, b)| self.values[a][b] == 0).collect();
        lost.sort_unstable();
        lost
    }

    /// The largest value, and a pair that has it.
    pub fn largest(&self) -> ((usize, usize), u64) {
        let cells = self.values.iter().enumerate().flat_map(|(a, row)| {
            row.iter()
                .enumerate()
                .map(move |(b, &value)| ((a, b), value))
        });
        cells
            .reduce(|best, cell| if cell.1 > best.1 { cell } else { best })
            .expect("a board has a cell")
    }
}
