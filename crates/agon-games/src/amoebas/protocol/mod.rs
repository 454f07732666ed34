//! How questions and answers look outside of the arena: pure functions, no input or output.
//!
//! [`json`] is for programs in any language. It asks one species about all its amoebas of a batch at once.

pub mod json;
