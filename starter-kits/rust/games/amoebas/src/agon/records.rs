//! amoebas: each decision is about one amoeba; an amoebas_question and the window behind it tell
//! what it sees, an amoebas_answer what it does.
//!
//! Here amoebas_question is [`Question`], and so on. Functions that comments name are those
//! of `agon/amoebas.h`, in C.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::{front::Bytes, Record};

// Actions. One whose needs are not met becomes a rest.

/// Eat from the cell and recover.
pub const REST: u8 = 1;
/// Go to an empty neighboring cell.
pub const MOVE: u8 = 2;
/// Hurt whoever is on a neighboring cell.
pub const HIT: u8 = 3;
/// Put a child on an empty neighboring cell.
pub const DIVIDE: u8 = 4;

// Directions, clockwise.

/// North-west.
pub const NW: u8 = 0;
/// North.
pub const N: u8 = 1;
/// North-east.
pub const NE: u8 = 2;
/// East.
pub const E: u8 = 3;
/// South-east.
pub const SE: u8 = 4;
/// South.
pub const S: u8 = 5;
/// South-west.
pub const SW: u8 = 6;
/// West.
pub const W: u8 = 7;

/// A cell in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Cell {
    /// Its fuel.
    pub fuel: u16,
    /// Who is there: 0 nobody, else the species plus one. The rest is 0 where nobody is.
    pub occupant: u16,
    /// The occupant's energy.
    pub energy: u16,
    /// The occupant's health.
    pub health: u16,
    /// The occupant's data.
    pub data: Bytes,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Cell {}

const _: () = assert!(std::mem::size_of::<Cell>() == 16);

/// What one amoeba knows. Right behind it is its window, (2 * view_distance + 1) squared cells
/// row by row from the north-west; the amoeba itself is in the middle. Cell_at finds
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// The amoeba's energy.
    pub energy: u16,
    /// Its health.
    pub health: u16,
    /// Its species: your player's number.
    pub species: u16,
    /// How many cells it sees in each direction.
    pub view_distance: u16,
    /// Its data.
    pub data: Bytes,
    /// Its amoeba function; none: the original one of the species.
    pub function: Bytes,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 24);

/// What one amoeba does. Data and functions are bytes that you write behind all answers:
/// agon_append does so, beginning with a length of decisions * sizeof(Answer). Offset 0
/// stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    /// REST, MOVE, HIT or DIVIDE. 0 is no answer: it rests, and
    /// keeps its data.
    pub action: u8,
    /// The direction of MOVE, HIT and DIVIDE.
    pub dir: u8,
    /// Ignored.
    pub pad: [u8; 2],
    /// The amoeba's data from now on; none: it forgets those it has.
    pub data: Bytes,
    /// Of DIVIDE: the child's data.
    pub child_data: Bytes,
    /// Of DIVIDE: the child's amoeba function; none: the parent's.
    pub function: Bytes,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Answer {}

const _: () = assert!(std::mem::size_of::<Answer>() == 28);
