//! What most programs read and do not all use: the warning of it is about what a macro of another crate makes. And one about an attribute of
//! the file.

#![allow(no_such_lint)]

use proconio::input;

macro_rules! read {
    ($v:tt = $e:expr) => {
        read!(@ $v $e)
    };
    (@ $v:tt $e:expr) => {
        let $v = $e;
    };
}

fn main() {
    input! {
        n: usize,
        K: usize,
        mut a: [u64; n],
    }
    read!(unused = 1);
    match n {
        0 => {
            input! { x: usize, y: usize }
            println!("{x}");
        }
        _ => println!("{}", a.iter().sum::<u64>()),
    }
}
