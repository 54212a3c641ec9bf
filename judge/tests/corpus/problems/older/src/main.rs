//! A library of an older edition, and features that only it has.

#![allow(unexpected_cfgs)]

fn main() {
    println!(
        "{} {:?} {}",
        earlier::size!(),
        earlier::outer!(),
        earlier::SIZE
    );
    earlier::whole_variables();
    println!("{}", earlier::of_arrays() > 2);
}
