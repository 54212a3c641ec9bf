//! A text of Rust and what is in it: its tokens, its words, its items with what their headers say, and what of it can go.
//!
//! All stages work on such texts, and edit them by byte range.

pub(super) mod aliases;
pub(super) mod header;
pub(super) mod index;
pub(super) mod source;
pub(super) mod things;
pub(super) mod tokens;
pub(super) mod words;
