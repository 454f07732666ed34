//! binfection: a question is one decision, a turn of one player; a binfection_question leads to the
//! cells it sees, a binfection_answer to its moves.
//!
//! Here binfection_question is [`Question`], and so on. Functions that comments name are those
//! of `agon/binfection.h`, in C.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::Record;

// Directions.

/// Y - 1.
pub const UP: u8 = 0;
/// X + 1.
pub const RIGHT: u8 = 1;
/// Y + 1.
pub const DOWN: u8 = 2;
/// X - 1.
pub const LEFT: u8 = 3;

/// A cell in view. Cells outside of the field are missing; so a bot notices the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Cell {
    /// Column, from 0 at the left.
    pub x: u16,
    /// Row, from 0 at the top.
    pub y: u16,
    /// Whose the units are: 0 nobody's, else the player's number plus one.
    pub owner: u16,
    /// 0.
    pub pad: u16,
    /// Number of units.
    pub units: u64,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Cell {}

const _: () = assert!(std::mem::size_of::<Cell>() == 16);

/// Sends half of a cell's units, rounded down, one cell further. Of several moves of a cell the
/// last counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Move {
    /// Column of the cell, which has to be your own.
    pub x: u16,
    /// Row of the cell.
    pub y: u16,
    /// UP, RIGHT, DOWN or LEFT.
    pub direction: u8,
    /// Ignored.
    pub pad: [u8; 3],
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Move {}

const _: () = assert!(std::mem::size_of::<Move>() == 8);

/// What a bot sees: its own cells and all around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// Cells in view, each once, row by row.
    pub cells: u32,
    /// How many of them are your own.
    pub own_cells: u32,
    /// Offset of the Cell[cells]; Cells finds them.
    pub cells_offset: u32,
    /// 0.
    pub pad: u32,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 16);

/// A bot's turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    /// 1. 0 is no answer: nothing moves.
    pub answered: u8,
    /// Ignored.
    pub pad: [u8; 3],
    /// Number of moves. There is room for one of each of your cells right behind this record.
    pub moves: u32,
    /// Where they begin, counted from the front of the answers: sizeof(Answer) for
    /// right behind it.
    pub moves_offset: u32,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Answer {}

const _: () = assert!(std::mem::size_of::<Answer>() == 12);
