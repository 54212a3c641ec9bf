//! A contestant's own library, of which each program uses a part.

pub mod number;
pub mod text;

/// Raises the first to the second if that is larger.
#[macro_export]
macro_rules! raise {
    ($value:expr, $to:expr) => {
        if $value < $to {
            $value = $to;
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn never_in_a_bundle() {
        assert_eq!(crate::number::gcd(4, 6), 2);
    }
}
