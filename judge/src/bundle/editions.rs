//! What is another thing in each edition, written so that it means the same: code of before 2021, and code that 2024 reads differently;
//! and what older compilers want to be written.

mod borrowed;
pub(super) mod capturing;
pub(super) mod drops;
pub(super) mod elided;
pub(super) mod newer;
pub(super) mod older;
pub(super) mod temporaries;
