//! Inputs of a person: keys, pointer and wheel.
//!
//! Windows, terminals, pages and VNC servers translate their own events to these types, and pass
//! them to [`App::input`](crate::App::input). `agon-window-host` sends them to the arena.

use serde::{Deserialize, Serialize};

use crate::paint::ThemeName;

/// The source of these types: the dialogue with `agon-window-host` depends on it.
pub const INPUT_SOURCE: &str = include_str!("input.rs");

/// An input, the same from a window, a browser, a terminal and a VNC client.
///
/// Places are in pixels of the frame.
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
    /// The pointer is a finger: buttons have to be large.
    Touch,
    /// The person wants to leave.
    Close,
    /// The person's system has changed to dark or light. Only pages know that.
    #[serde(skip)]
    Theme(ThemeName),
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Key {
    /// A key with a character, as typed with Shift or without.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Button {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// The middle one.
    Middle,
}
