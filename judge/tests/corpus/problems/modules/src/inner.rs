mod below;

/// Twice.
pub fn doubled(a: u64) -> u64 {
    below::plus(a, a)
}
