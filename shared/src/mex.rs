//! The least excluded value.

/// The *mex* (minimum excludant) of `values`: the least non-negative integer that is not among them.
///
/// # Arguments
///
/// Any values, in any order; repeats and huge values are welcome, since a value above the number of values cannot
/// change the result.
///
/// # Complexity
///
/// Time and memory linear in the number of values.
///
/// # Source
///
/// P. M. Grundy, *Mathematics and games*, Eureka 2 (1939).
///
/// # Example
///
/// ```
/// use shared::mex;
///
/// assert_eq!(mex([0, 1, 2, 4]), 3);
/// assert_eq!(mex([2, 3, 5]), 0);
/// assert_eq!(mex([]), 0);
/// ```
pub fn mex(values: impl IntoIterator<Item = usize>) -> usize {
    let values: Vec<usize> = values.into_iter().collect();
    // n values leave at least one of 0..=n out.
    let mut present = vec![false; values.len() + 1];
    for value in values {
        if let Some(flag) = present.get_mut(value) {
            *flag = true;
        }
    }
    present.iter().take_while(|&&flag| flag).count()
}

#[cfg(test)]
mod tests {
    use super::mex;
    use proptest::prelude::*;

    #[test]
    fn empty_set_has_mex_0() {
        assert_eq!(mex([]), 0);
    }

    #[test]
    fn repeats_and_huge_values_do_not_matter() {
        assert_eq!(mex([usize::MAX, 1, 0, 0, 1, usize::MAX]), 2);
    }

    proptest! {
        /// The definition: absent itself, and everything below it present.
        #[test]
        fn is_the_least_absent_value(values in prop::collection::vec(prop_oneof![0usize..20, any::<usize>()], 0..40)) {
            let found = mex(values.iter().copied());
            prop_assert!(!values.contains(&found));
            prop_assert!((0..found).all(|below| values.contains(&below)));
        }
    }
}
