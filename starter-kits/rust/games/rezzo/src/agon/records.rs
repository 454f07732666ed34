//! rezzo: a question is one decision, a tick of one agent; a rezzo_question tells what it sees, a
//! rezzo_answer what it does.
//!
//! Here rezzo_question is [`Question`], and so on. Functions that comments name are those
//! of `agon/rezzo.h`, in C.
//!
//! Generated from the arena's code; `cargo xtask generate` writes it anew.

use super::Record;

// Actions.

/// Nothing.
pub const NOP: u8 = b' ';
/// A step ahead onto a blank cell.
pub const ADVANCE: u8 = b'^';
/// A turn to the left.
pub const LEFT: u8 = b'\\';
/// A turn to the right.
pub const RIGHT: u8 = b'/';
/// A step ahead that leaves a conductor.
pub const BUILD: u8 = b'.';
/// Damage to the wire or flag ahead.
pub const HIT: u8 = b'!';

// Cells that are nobody's.

/// Empty ground.
pub const BLANK: u8 = b' ';
/// Wire at rest.
pub const CONDUCTOR: u8 = b'.';
/// Wire with the head of a signal.
pub const ELECTRON: u8 = b'*';
/// Wire with the end of a signal.
pub const TAIL: u8 = b',';
/// What is about to become a flag.
pub const PHOTON: u8 = b'~';

// Cells of players, plus the player's number.

/// An agent.
pub const AGENT: u8 = b'0';
/// A flag.
pub const FLAG: u8 = b'A';
/// A source of flags.
pub const GEYSER: u8 = b'a';
/// A base.
pub const BASE: u8 = b'n';

// What became of the answer before.

/// Done; or there was none.
pub const OK: u8 = 0;
/// No answer came.
pub const NO_MESSAGE: u8 = 1;
/// The action was not possible.
pub const INVALID: u8 = 2;
/// The answer named no action.
pub const GARBAGE: u8 = 3;
/// Never so for this kind of bot.
pub const SEVERAL: u8 = 4;

/// What an agent sees: the 13 rows ahead of it, the farthest first, from left to right. The
/// agent itself is in the middle of the last row, at cells[12][6], and the cell ahead of it is
/// cells[11][6].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Question {
    /// The number of this tick, from 0.
    pub tick: u64,
    /// What became of the answer before: OK and so on.
    pub ack: u8,
    /// Your player's number, from 0: your agent is '0' + me, your flags are 'A' + me, your
    /// geysers 'a' + me, your bases 'n' + me.
    pub me: u8,
    /// The cells, as characters.
    pub cells: [[u8; 13]; 13],
    /// The damage of each.
    pub damage: [[u8; 13]; 13],
    /// 0.
    pub pad: [u8; 4],
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Question {}

const _: () = assert!(std::mem::size_of::<Question>() == 352);

/// What the agent does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    /// The character of the action: NOP and so on. 0 is no answer.
    pub action: u8,
}

// SAFETY: numbers without any padding between them.
unsafe impl Record for Answer {}

const _: () = assert!(std::mem::size_of::<Answer>() == 1);
