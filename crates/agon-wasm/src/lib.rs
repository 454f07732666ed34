//! Runs WebAssembly bots: the program `agon-wasm-host`, a child process of the arena.
//!
//! A bot is a [`Module`], compiled once, and a [`Machine`], which is its memory and answers
//! questions. A bot's answers depend only on its module, the questions and their seeds:
//!
//! - it can import [two functions](imports) of the arena and nothing else: no clock, no file,
//!   no network;
//! - fuel is counted in instructions, so that the same question ends in the same place on
//!   every machine;
//! - all open points of WebAssembly are fixed: bit patterns of NaN, and no threads ([`engine`]).
//!
//! `docs/wasm.md` is for authors of bots. The arena's side of the pipe is in [`agon_bots::batch`].

pub mod engine;
mod host;
pub mod imports;
mod limits;
mod machine;
mod module;
mod signature;
mod trap;

pub use host::host_main;
pub use machine::{Machine, START_FUEL};
pub use module::{MAX_MODULE, Module};
