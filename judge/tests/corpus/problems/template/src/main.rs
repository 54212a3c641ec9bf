//! As templates begin: with imports of whatever the judge has.

#![allow(unused_imports)]

use petgraph::algo::*;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use proconio::input;
use rand::prelude::*;
use superslice::*;

fn main() {
    input! {
        n: usize,
        mut a: [u32; n],
        x: u32,
    }
    a.sort_unstable();
    println!("{}", a.upper_bound(&x));
}
