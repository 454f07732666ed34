//! Inputs of a person in the window, as `agon-window-host` reports them to the arena.
//!
//! They mirror the inputs of the viewer (`agon-view`), which the host is built without.

use serde::{Deserialize, Serialize};

/// An input, like those of the viewer. Places are in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A key goes down, or repeats.
    Key(Key),
    /// The pointer has moved.
    Move {
        /// From the left edge.
        x: f32,
        /// From the upper edge.
        y: f32,
    },
    /// A button goes down where the pointer is.
    Press(Button),
    /// A button goes up.
    Release(Button),
    /// The wheel turns: notches, up is positive.
    Wheel(f32),
    /// The screen's pixels per pixel of a plain screen: 1.0, or 2.0 on a screen with small pixels.
    Scale(f32),
    /// The person wants to leave.
    Close,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// Its character, as typed with Shift or without.
    Char(char),
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left with Shift.
    ShiftLeft,
    /// Arrow right with Shift.
    ShiftRight,
    /// Arrow up with Shift.
    ShiftUp,
    /// Arrow down with Shift.
    ShiftDown,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Tab.
    Tab,
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Button {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// The middle one.
    Middle,
}
