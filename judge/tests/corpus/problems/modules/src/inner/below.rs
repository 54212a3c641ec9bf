pub fn plus(a: u64, b: u64) -> u64 {
    crate::other::identity(a) + ::library::number::gcd(b, 0)
}
