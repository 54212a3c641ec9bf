//! The Sprague–Grundy routines that the solutions of this workspace share, in the order in which one learns them.
//!
//! Two players move in turn, the same moves are open to both, play always ends, and *who cannot move loses*.
//!
//! 1. **Who wins.** A position is won (an *N-position*) if some move leads to a lost one (a *P-position*):
//!    [`first_player_wins`] is that sentence as a program. It is slow and trustworthy, and the tests hold everything
//!    else to it.
//!
//!    ```
//!    // Take a prime power of stones: 6 and 12 are lost.
//!    let take = |&n: &u64| [1, 2, 3, 4, 5, 7, 8, 9, 11].into_iter().filter(move |&s| s <= n).map(move |s| n - s);
//!    let lost: Vec<u64> = (0..=12).filter(|&n| !shared::first_player_wins(n, take)).collect();
//!    assert_eq!(lost, [0, 6, 12]);
//!    ```
//!
//! 2. **Mex.** The least value that is missing: [`mex()`].
//!
//!    ```
//!    assert_eq!(shared::mex([0, 1, 2, 4]), 3);
//!    ```
//!
//! 3. **Grundy value.** g(p) is the mex of the values of the options of p; p is lost where it is 0. [`grundy`] finds it
//!    for any game, [`GrundySearch`] keeps what it has found, and [`grundy_by_play`] asks for it by play alone.
//!
//!    ```
//!    // Take 1, 3 or 4 stones from a heap of 5.
//!    let take = |&n: &u32| [1, 3, 4].into_iter().filter(move |&s| s <= n).map(move |s| [n - s]);
//!    assert_eq!(shared::grundy(5, take)?, 3);
//!    # Ok::<(), shared::Cycle<u32>>(())
//!    ```
//!
//! 4. **Sums.** Where a move is made in one of several games, the value is the [`nim_sum`] of their values.
//!
//!    ```
//!    // AcWing 893: take 2 or 5, heaps 2, 4 and 7.
//!    let values = shared::SubtractionSet::new([2, 5]).values(&[2, 4, 7])?;
//!    assert_ne!(shared::nim_sum(values), 0);
//!    # Ok::<(), Box<dyn std::error::Error>>(())
//!    ```
//!
//! 5. **Tabulation.** All heaps up to n at once, for a listed set of moves: [`SubtractionSet`], plainly and fast. The
//!    values of such a set repeat; where that is proven, its [`Period`] answers heaps of any size.
//!
//!    ```
//!    let set = shared::SubtractionSet::new([1, 3, 4]);
//!    assert_eq!(set.plain_table(8), [0, 1, 0, 1, 2, 3, 2, 0, 1]);
//!    assert_eq!(set.table(1_000_000)?.value(1_000_000), 1);
//!    assert_eq!(set.values(&[1_000_000_000_000_000_000])?, [1]);
//!    # Ok::<(), Box<dyn std::error::Error>>(())
//!    ```
//!
//! 6. **Taking and breaking.** Moves that may also split the heap: [`OctalGame`], with a proven [`Period`] where the
//!    table shows one.
//!
//!    ```
//!    // Kayles: knock down one pin or two neighbours.
//!    let kayles: shared::OctalGame = "0.77".parse()?;
//!    assert_eq!(kayles.period(1000), Some(shared::Period { pre_period: 71, period: 12 }));
//!    # Ok::<(), shared::NotOctal>(())
//!    ```
//!
//! 7. **Closed forms.** [`bounded_nim`] for moves 1…m (and for the prime powers), [`nim()`] for any number,
//!    [`euclid_grundy`] for Euclid's game; [`TakingRule`] gathers those that `sg_table` knows.
//!
//!    ```
//!    assert_eq!(shared::bounded_nim(14, 5), 2);
//!    assert_eq!(shared::euclid_grundy(24, 15), 0);
//!    ```
//!
//! 8. **Coin turning.** Rows of coins are sums of single heads: [`CoinRule`].
//!
//!    ```
//!    // One or two coins.
//!    assert_eq!(shared::CoinRule::UpTo(2).table(5)?, [1, 2, 3, 4, 5]);
//!    # Ok::<(), shared::ValuesTooLarge>(())
//!    ```
//!
//! Last, [`input`] is about judges rather than games: it reads what a solution asks for and refuses the rest.

mod coins;
mod euclid;
mod game;
pub mod input;
mod mex;
mod nim;
mod octal;
mod outcome;
mod period;
mod rule;
mod subtraction;
mod sweep;

pub use coins::{CoinRule, ValuesTooLarge};
pub use euclid::euclid_grundy;
pub use game::{grundy, Cycle, GrundySearch};
pub use mex::mex;
pub use nim::nim_sum;
pub use octal::{NotOctal, OctalGame};
pub use outcome::{first_player_wins, grundy_by_play};
pub use period::{NoPeriod, Period};
pub use rule::{ReadRule, TakingRule};
pub use subtraction::{bounded_nim, nim, SubtractionSet, Table, TableTooLarge};
