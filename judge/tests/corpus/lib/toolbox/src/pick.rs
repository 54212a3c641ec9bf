//! Called like the macro.

/// The larger of two.
pub fn larger(a: u64, b: u64) -> u64 {
    if a < b {
        b
    } else {
        a
    }
}
