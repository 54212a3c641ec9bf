use num_bigint::BigUint;
use proconio::input;

fn main() {
    input! { n: usize, a: [u64; n] }
    let zero = BigUint::from(0u32);
    let sum = a.iter().fold(zero, |sum, &x| sum + BigUint::from(x));
    println!("{:?} {}", sum.to_u32_digits(), sum.bits());
    println!("{}", sum > BigUint::from(u64::MAX));
}
