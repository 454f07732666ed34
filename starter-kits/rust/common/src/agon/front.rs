//! What stands in front of every question, and how records refer to other bytes.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::Record;

/// The version of this interface.
pub const ABI: u32 = 1;

/// The front of every question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// How many decisions are wanted: records that follow, and answers.
    pub decisions: u32,
    /// Whose decisions these are, from 0.
    pub player: u32,
    /// The step of the match, from 0. A large batch may come in several questions, all with the
    /// same step.
    pub step: u64,
    /// The turn of the game, from 0.
    pub turn: u64,
    /// Bytes of the fixed part of each decision; the first one begins right behind this record.
    pub stride: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 32);

/// Bytes elsewhere in the same message. Offset 0 stands for none at all, as opposed to an empty
/// string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bytes {
    /// Where they begin, counted from the front of the question or of the answers.
    pub offset: u32,
    /// How many there are.
    pub length: u32,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Bytes {}

const _: () = assert!(std::mem::size_of::<Bytes>() == 8);
