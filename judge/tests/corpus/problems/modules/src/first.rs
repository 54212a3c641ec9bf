//! A module that a macro declares.

/// The sum.
pub fn sum(values: &[u64]) -> u64 {
    values.iter().sum()
}
