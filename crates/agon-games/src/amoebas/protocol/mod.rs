//! How questions and answers look outside of the arena: pure functions, no input or output.
//!
//! [`json`] is for programs in any language, [`binary`] for native libraries and WebAssembly. Both ask one
//! species about all its amoebas of a batch at once.

pub mod binary;
pub mod json;
