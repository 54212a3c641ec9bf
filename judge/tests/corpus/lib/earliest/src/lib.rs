//! A library of edition 2015, as nobody could write it now.

#![allow(anonymous_parameters, bare_trait_objects)]

/// Parameters needed no names.
pub trait Scale {
    /// So many times as much.
    fn times(&self, u32) -> u32;
}

impl Scale for u32 {
    fn times(&self, by: u32) -> u32 {
        self * by
    }
}

/// A word that is none to use any more.
pub fn dyn(scale: &Scale) -> u32 {
    scale.times(2)
}
