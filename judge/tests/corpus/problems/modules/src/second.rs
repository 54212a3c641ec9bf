pub fn product(values: &[u64]) -> u64 {
    values.iter().product()
}
