//! Numbers.

/// The greatest common divisor, by Euclid.
pub fn gcd(a: u64, b: u64) -> u64 {
    // The remainder shrinks by half every two rounds.
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// Nobody calls this.
pub fn unused(a: u64) -> u64 {
    only_unused(a) + 1
}

fn only_unused(a: u64) -> u64 {
    a
}

/// A number modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modular {
    value: u64,
    modulus: u64,
}

impl Modular {
    /// `value` modulo `modulus`.
    pub fn new(value: u64, modulus: u64) -> Self {
        Self {
            value: value % modulus,
            modulus,
        }
    }

    /// Its least representative.
    pub fn value(self) -> u64 {
        self.value
    }

    /// By repeated squaring.
    pub fn pow(self, mut exponent: u64) -> Self {
        let (mut base, mut result) = (self, Self::new(1, self.modulus));
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = result * base;
            }
            base = base * base;
            exponent /= 2;
        }
        result
    }

    /// Nobody calls this either.
    pub fn inverse(self) -> Self {
        self.pow(self.modulus - 2)
    }
}

impl std::ops::Mul for Modular {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.value * other.value, self.modulus)
    }
}
