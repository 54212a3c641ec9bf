//! Many crates under one roof, of which a program uses one or two.

pub extern crate ac_library as acl;
pub use itertools::{self, iproduct, izip, Itertools};
pub use num_bigint::{BigInt, BigUint};
#[doc(hidden)]
pub use proconio as __proconio;

/// Paths and trees.
pub mod graph {
    pub use petgraph::{algo, prelude::*, unionfind::UnionFind, visit::*};

    /// A graph without weights at its nodes.
    pub type Graph<W = ()> = UnGraph<(), W, usize>;
}

/// Maps in the order of insertion, and counts.
pub mod maps {
    use std::hash::Hash;

    pub use indexmap::{IndexMap, IndexSet};

    /// How often each is there.
    pub fn counts<T: Eq + Hash>(items: impl IntoIterator<Item = T>) -> IndexMap<T, usize> {
        let mut counts = IndexMap::new();
        for item in items {
            *counts.entry(item).or_insert(0) += 1;
        }
        counts
    }
}

/// More for iterators.
pub trait More: Itertools {
    /// The place of the first smallest one.
    fn place_of_min(self) -> Option<usize>
    where
        Self: Sized,
        Self::Item: Ord,
    {
        let (place, _) = self.enumerate().min_by(|a, b| a.1.cmp(&b.1))?;
        Some(place)
    }
}

impl<I: Itertools> More for I {}

/// Reads from stdin.
#[macro_export]
macro_rules! read {
    ($($what:tt)*) => { $crate::__proconio::input! { $($what)* } };
}

pub mod prelude {
    pub use crate::acl::{Dsu, ModInt998244353 as Mint};
    pub use crate::graph::*;
    pub use crate::maps::*;
    pub use crate::{izip, read, BigInt, Itertools as _, More as _};
    pub use std::cmp::Reverse;
}
