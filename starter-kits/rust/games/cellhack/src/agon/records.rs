//! cellhack: each decision is about one cell; a cellhack_question tells what it sees, a
//! cellhack_answer what it does.
//!
//! Here cellhack_question is [`Question`], and so on. Functions that comments name are those
//! of `agon/cellhack.h`, in C.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::Record;

// What a place of env holds if it holds no cell.

/// Nothing.
pub const EMPTY: u8 = 0;
/// A rock.
pub const ROCK: u8 = 255;

// Directions, which are places of env as well. The cell itself is in the middle.

/// To the row above.
pub const UP: u8 = 1;
/// To the column on the left.
pub const LEFT: u8 = 3;
/// No direction: the cell itself.
pub const CENTER: u8 = 4;
/// To the column on the right.
pub const RIGHT: u8 = 5;
/// To the row below.
pub const DOWN: u8 = 7;

// Actions.

/// Gain energy, less in a crowd.
pub const REST: u8 = 1;
/// Wait.
pub const NOTHING: u8 = 2;
/// Disappear.
pub const DIE: u8 = 3;
/// Plus a direction: take energy from the cell there.
pub const EAT: u8 = 0x10;
/// Plus a direction: go there.
pub const MOVE: u8 = 0x20;
/// Plus a direction: put half of the cell there.
pub const SPLIT: u8 = 0x30;
/// Plus a direction: give energy to the cell there.
pub const FEED: u8 = 0x40;

/// What one cell sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// The cell in the middle and its neighbours, row by row from the top left one: 0 empty,
    /// 255 rock, else a player's number plus one.
    pub env: [u8; 9],
    /// The cell's energy; 255 stands for all that does not fit a byte.
    pub energy: u8,
    /// 0.
    pub pad: [u8; 6],
    /// The cell's memory.
    pub memory: u64,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 24);

/// What one cell does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    /// The action: REST and so on, for some plus a direction. 0 is no answer.
    pub action: u8,
    /// Ignored.
    pub pad: [u8; 7],
    /// The cell's memory from now on. To keep it as it is, copy that of the question.
    pub memory: u64,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Answer {}

const _: () = assert!(std::mem::size_of::<Answer>() == 16);
