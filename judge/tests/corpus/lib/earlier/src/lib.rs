//! A library of edition 2018, with a feature that the programs do not have.

#![allow(array_into_iter)]

#[cfg(debug_assertions)]
compile_error!("it is for the release");

/// Written inside a macro, a feature is asked of the crate that calls it.
#[macro_export]
macro_rules! size {
    () => {{
        #[cfg(feature = "big")]
        let n = 100;
        #[cfg(not(feature = "big"))]
        let n = 1;
        n + if cfg!(feature = "big") { 1000 } else { 10 }
    }};
}

/// Calls it for whoever calls this.
#[macro_export]
macro_rules! outer {
    () => {
        ($crate::size!(), env!("CARGO_PKG_NAME"))
    };
}

/// Asked where it stands.
pub const SIZE: u32 = if cfg!(feature = "big") { 7 } else { 8 };

/// Tells when it goes.
pub struct Noisy(&'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        println!("{} goes", self.0);
    }
}

/// Before edition 2021 a closure took the whole pair, which went with it.
pub fn whole_variables() {
    let pair = (Noisy("first"), Noisy("second"));
    {
        let named = move || println!("{}", (pair.0).0);
        named();
    }
    println!("after");
}

/// Before edition 2021 these were references.
pub fn of_arrays() -> usize {
    [1u8, 2]
        .into_iter()
        .map(|n| std::mem::size_of_val(&n))
        .sum()
}
