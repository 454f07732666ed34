//! The state of the pointer: its place, and what it drags.
//!
//! `pointer_input` changes it.

use agon_games::human::Gesture;

use crate::Button;

/// The pointer's place, and the thing that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) at: (f32, f32),
    pub(super) held: Option<Held>,
    /// What a click there would do for a person who plays.
    pub(super) act: Option<Gesture>,
}

impl Default for Pointer {
    /// Nowhere: nobody has moved it yet.
    fn default() -> Pointer {
        Pointer { at: (-1.0, -1.0), held: None, act: None }
    }
}

/// The thing that the pointer holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// The board, with the start and the last place of the drag, and whether it has moved.
    Board { by: Button, from: (f32, f32), last: (f32, f32), moved: bool },
    /// The seek bar, and whether playback continues afterwards.
    Seek { was_playing: bool },
    /// The chart, in the same way.
    Chart { was_playing: bool },
    /// The curves beside the board, in the same way.
    Curves { was_playing: bool },
}

impl Pointer {
    pub(super) fn at(&self) -> (f32, f32) {
        self.at
    }

    pub(super) fn move_to(&mut self, at: (f32, f32)) {
        self.at = at;
    }
}
