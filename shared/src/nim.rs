//! Sums of games.

/// The *nim-sum* of Grundy values: their XOR.
///
/// It is the value of a sum of games with these values: 0 where the player to move loses, 0 for no game. Linear time.
/// Source: C. L. Bouton (1901) for Nim, R. P. Sprague (1935) and P. M. Grundy (1939).
///
/// # Example
///
/// ```
/// use shared::nim_sum;
///
/// // Heaps of 1, 2 and 3: whoever moves next loses.
/// assert_eq!(nim_sum([1, 2, 3]), 0);
/// assert_eq!(nim_sum([3, 4, 5]), 2);
/// ```
pub fn nim_sum(values: impl IntoIterator<Item = usize>) -> usize {
    values.into_iter().fold(0, |sum, value| sum ^ value)
}

#[cfg(test)]
mod tests {
    use super::nim_sum;
    use crate::{first_player_wins, grundy_by_play, SubtractionSet};
    use proptest::prelude::*;

    #[test]
    fn nothing_sums_to_0() {
        assert_eq!(nim_sum([]), 0);
    }

    /// Bouton's theorem against a search of Nim itself, for all three heaps of up to 7.
    #[test]
    fn nim_is_lost_where_the_nim_sum_is_0() {
        for heaps in
            (0..8).flat_map(|a| (0..8).flat_map(move |b| (0..8).map(move |c| vec![a, b, c])))
        {
            let wins = first_player_wins(heaps.clone(), |heaps: &Vec<usize>| {
                let mut options = Vec::new();
                for (i, &heap) in heaps.iter().enumerate() {
                    for left in 0..heap {
                        let mut option = heaps.clone();
                        option[i] = left;
                        option.sort_unstable();
                        options.push(option);
                    }
                }
                options
            });
            assert_eq!(wins, nim_sum(heaps.iter().copied()) != 0, "{heaps:?}");
        }
    }

    proptest! {
        /// The value of a sum, found by playing the sum, is the nim-sum of the values of its parts.
        #[test]
        fn a_sum_of_games_has_the_nim_sum_of_the_values(
            games in prop::collection::vec((prop::collection::vec(1u64..7, 0..4), 0u64..10), 0..4),
        ) {
            let sets: Vec<SubtractionSet> =
                games.iter().map(|(moves, _)| SubtractionSet::new(moves.iter().copied())).collect();
            let heaps: Vec<u64> = games.iter().map(|&(_, heap)| heap).collect();
            let by_play = grundy_by_play(heaps.clone(), |heaps| {
                let mut options = Vec::new();
                for (i, set) in sets.iter().enumerate() {
                    for &s in set.moves().iter().filter(|&&s| s <= heaps[i]) {
                        let mut option = heaps.clone();
                        option[i] -= s;
                        options.push(option);
                    }
                }
                options
            });
            let values = sets.iter().zip(&heaps).map(|(set, &heap)| set.plain_table(heap as usize)[heap as usize]);
            prop_assert_eq!(by_play, nim_sum(values));
        }
    }
}
