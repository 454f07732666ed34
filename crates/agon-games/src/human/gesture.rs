//! Clicks and keys of a person who plays, and the reactions of a game to them. Screens (window,
//! terminal, browser, VNC) make [`Gesture`]s of their own input and pass them to
//! [`HumanInput::act`](super::HumanInput::act).

use serde::{Deserialize, Serialize};

use crate::scene::{Arrow, Place};

/// What a person did on a screen. Places are those of
/// [`Render::scene_for`](crate::scene::Render::scene_for) the player.
///
/// As JSON: `{"pick": 12}`, `{"point": 12}`, `{"choose": 3}`, `{"type": "r"}`, `{"go": "up"}`,
/// `"confirm"`, `"undo"`, `"cancel"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gesture {
    /// Picked a place with the pointer, or confirmed the one under the cursor.
    Pick(Place),
    /// Moved the cursor to a place, or to an entry of a list, without choosing it.
    Point(u32),
    /// Chose an entry of a list, by its number.
    Choose(u32),
    /// Typed a character: one of a [`Choice`](super::Choice), or a digit of a number.
    Type(char),
    /// An arrow key.
    Go(ArrowKey),
    /// Return.
    Confirm,
    /// Backspace: take the last order back.
    Undo,
    /// Escape: drop the unfinished choice.
    Cancel,
}

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowKey {
    /// Up.
    Up,
    /// Right.
    Right,
    /// Down.
    Down,
    /// Left.
    Left,
}

impl ArrowKey {
    /// All four, clockwise.
    pub const ALL: [ArrowKey; 4] = [ArrowKey::Up, ArrowKey::Right, ArrowKey::Down, ArrowKey::Left];

    /// The change of column and row of one step.
    pub const fn step(self) -> (i32, i32) {
        match self {
            ArrowKey::Up => (0, -1),
            ArrowKey::Right => (1, 0),
            ArrowKey::Down => (0, 1),
            ArrowKey::Left => (-1, 0),
        }
    }

    /// The arrow that points this way on a grid.
    pub const fn arrow(self) -> Arrow {
        Arrow(2 * self as u8)
    }

    /// The key's name in English.
    pub const fn name(self) -> &'static str {
        match self {
            ArrowKey::Up => "up",
            ArrowKey::Right => "right",
            ArrowKey::Down => "down",
            ArrowKey::Left => "left",
        }
    }
}

/// A game's reaction to a gesture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The gesture means nothing here.
    Ignored,
    /// The orders or hints have changed.
    Changed,
    /// The gesture is not possible, and why: "column 3 is full".
    Refused(String),
    /// The orders are complete.
    Submitted,
}
