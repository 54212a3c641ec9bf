use num_integer::{gcd, Integer, Roots};
use num_traits::{
    one, zero, Bounded, CheckedMul, NumCast, One, Pow, PrimInt, Signed, ToPrimitive, Zero,
};
use proconio::input;

fn power<T: Copy + One + std::ops::Mul<Output = T>>(base: T, n: usize) -> T {
    num_traits::pow(base, n)
}

fn bits<T: PrimInt>(x: T) -> u32 {
    x.count_ones() + x.trailing_zeros()
}

fn total<T: Zero + Copy>(values: &[T]) -> T {
    values.iter().fold(zero(), |sum: T, &x| sum + x)
}

fn main() {
    input! { a: u64, b: u64 }
    println!("{} {} {:?}", gcd(a, b), a.lcm(&b), a.div_rem(&7));
    println!("{} {}", power(3u64, 5), Pow::pow(2i64, 10u32));
    println!("{} {}", bits(a), total(&[1.5, 2.5]));
    println!("{} {}", (-5i32).abs_sub(&3), (-5i64).signum());
    println!(
        "{:?} {:?}",
        CheckedMul::checked_mul(&200u8, &2),
        <u8 as NumCast>::from(300)
    );
    println!("{:?} {} {}", 3.7f64.to_u8(), u16::max_value(), one::<u8>());
    println!("{} {}", 99u32.sqrt(), 1_000u32.cbrt());
    println!("{} {}", (-7i32).div_floor(&2), Integer::mod_floor(&-7, &2));
    println!("{}", <i16 as Bounded>::min_value());
    println!("{:?}", 10i128.extended_gcd(&6));
}
