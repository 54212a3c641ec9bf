//! Euclid's game.

/// The Grundy value of Euclid's game at `(a, b)`: a move takes a positive multiple of the smaller number from the
/// larger, both stay non-negative, and the game is over when one of them is 0.
///
/// # Arguments
///
/// Any two numbers, in any order.
///
/// # Complexity
///
/// O(log min(a, b)) time and stack: the steps of Euclid's algorithm.
///
/// # Source
///
/// Let a = qb + r with r < b. Every option of (a, b) is one of (r, b), (r + b, b), …, (r + (q − 1)b, b), so these
/// positions form a line in which each may move to all before it. The first, the *meeting point* of the line, has a
/// value t from its own, smaller line; the others therefore take 0, 1, 2, … in order, leaving t out. Who wins is in
/// A. J. Cole and A. J. T. Davie, *A game based on the Euclidean algorithm and a winning strategy for it*,
/// Mathematical Gazette 53 (1969).
///
/// # Example
///
/// ```
/// use shared::euclid_grundy;
///
/// assert_eq!(euclid_grundy(24, 15), 0);
/// assert_eq!(euclid_grundy(25, 7), 3);
/// // The meeting point of (5, 2) is (1, 2), whose value is 2: the line goes on with 0, 1, 3, …
/// assert_eq!(euclid_grundy(5, 2), 1);
/// ```
pub fn euclid_grundy(a: u64, b: u64) -> u64 {
    let (a, b) = (a.max(b), a.min(b));
    if b == 0 {
        return 0;
    }
    let (quotient, meeting_point) = (a / b, euclid_grundy(b, a % b));
    // (a, b) comes `quotient`-th after the meeting point.
    quotient - u64::from(quotient <= meeting_point)
}

#[cfg(test)]
mod tests {
    use super::euclid_grundy;
    use crate::{first_player_wins, grundy};
    use proptest::prelude::*;

    fn options(&(a, b): &(u64, u64)) -> Vec<(u64, u64)> {
        let (a, b) = (a.max(b), a.min(b));
        (1..=a.checked_div(b).unwrap_or(0))
            .map(|times| (a - times * b, b))
            .collect()
    }

    /// Every pair to 100 against the value by definition, and the winner against play.
    #[test]
    fn every_pair_to_100() {
        for a in 0..=100 {
            for b in 0..=100 {
                let expected = grundy((a, b), |p| options(p).into_iter().map(|q| [q])).unwrap();
                assert_eq!(euclid_grundy(a, b), expected as u64, "({a}, {b})");
                assert_eq!(
                    expected != 0,
                    first_player_wins((a, b), options),
                    "({a}, {b})"
                );
            }
        }
    }

    /// Won just where the larger is more than φ times the smaller, or a multiple of it (Cole and Davie, 1969).
    #[test]
    fn lost_within_the_golden_ratio() {
        for b in 1..300u64 {
            for a in b..300 {
                // a < φb, in whole numbers: a² < ab + b².
                let lost = a != b && a * a < a * b + b * b;
                assert_eq!(euclid_grundy(a, b) == 0, lost, "({a}, {b})");
            }
        }
    }

    /// 「sg函数(博弈论)」 gives the line above a meeting point of value 0 as 1, 2, 3, …, and otherwise 0, 2, 3, ….
    #[test]
    fn euclid_values_leave_out_the_meeting_point() {
        assert_eq!(euclid_grundy(1, 2), 2);
        assert_eq!([3, 5, 7, 9].map(|a| euclid_grundy(a, 2)), [0, 1, 3, 4]);
    }

    #[test]
    fn the_largest_numbers() {
        assert_eq!(euclid_grundy(u64::MAX, 1), u64::MAX);
        // Neighbouring Fibonacci numbers make the longest run of Euclid's algorithm.
        assert_eq!(
            euclid_grundy(12_200_160_415_121_876_738, 7_540_113_804_746_346_429),
            1
        );
    }

    proptest! {
        #[test]
        fn the_order_of_the_numbers_does_not_matter(a: u64, b: u64) {
            prop_assert_eq!(euclid_grundy(a, b), euclid_grundy(b, a));
        }

        #[test]
        fn random_larger_pairs(a in 0u64..4000, b in 0u64..4000) {
            let expected = grundy((a, b), |p| options(p).into_iter().map(|q| [q])).unwrap();
            prop_assert_eq!(euclid_grundy(a, b), expected as u64);
        }
    }
}
