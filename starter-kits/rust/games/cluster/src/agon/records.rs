//! cluster: a question is one decision, that of the player to move; a cluster_question tells what
//! it sees, a cluster_answer what it does.
//!
//! Directions are numbered clockwise: 0 South, 1 SouthWest, 2 NorthWest, 3 North, 4 NorthEast, 5
//! SouthEast. Gravity is one of them.
//!
//! Here cluster_question is [`Question`], and so on. Functions that comments name are those
//! of `agon/cluster.h`, in C.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::Record;

// What is not there.

/// The color of a cell without a pellet.
pub const EMPTY: u8 = 255;
/// The cell beyond the edge of the board.
pub const NO_CELL: u16 = 65535;

// Actions.

/// Let a pellet fall into a column.
pub const PLACE: u8 = 1;
/// Turn the gravity; burns the hand.
pub const ROTATE: u8 = 2;
/// Give the game up.
pub const FORFEIT: u8 = 3;

/// What the player to move sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// Cells of the board, numbered from 0 in the centre. The geometry is the same in all
    /// questions of a match.
    pub cells: u32,
    /// Columns, whatever the gravity.
    pub columns: u32,
    /// Offset of uint16_t[cells][6]; cluster_neighbor reads it.
    pub neighbors: u32,
    /// Offset of uint16_t[columns][6]; cluster_top reads it.
    pub tops: u32,
    /// Offset of uint8_t[cells]; cluster_colors finds it.
    pub colors: u32,
    /// Pellets left in your bags, the hand not included, in the order of own_colors.
    pub bags: [u32; 2],
    /// Your pellets that have been burnt by rotations.
    pub burnt: u32,
    /// Cells along each edge of the board.
    pub side: u8,
    /// How long a run has to be to win.
    pub run_length: u8,
    /// The direction in which pellets fall, 0 to 5.
    pub gravity: u8,
    /// Pellets in hand.
    pub hand_size: u8,
    /// Their colors in ascending order, then EMPTY.
    pub hand: [u8; 8],
    /// Your two colors.
    pub own_colors: [u8; 2],
    /// The opponent's two colors.
    pub other_colors: [u8; 2],
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 48);

/// What the player does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    /// PLACE, ROTATE or FORFEIT. 0 is no answer, and loses.
    pub action: u8,
    /// Of PLACE: the pellet's color, one of the hand.
    pub color: u8,
    /// Of PLACE: the column, whose top cell has to be empty.
    pub column: u16,
    /// Of ROTATE: sixths of a full turn, 1 to 5, that are added to the gravity.
    pub cycles: u8,
    /// Ignored.
    pub pad: [u8; 3],
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Answer {}

const _: () = assert!(std::mem::size_of::<Answer>() == 8);
