//! [`LegendEntry`]: what a shape or colour of a scene means. Viewers list the entries of a game
//! beside its board.

use super::{Ink, Shape};

/// A sample of something on the board, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegendEntry {
    /// The ink of the sample's place.
    pub cell: Ink,
    /// The mark on the place, in an ink that is readable there.
    pub mark: Option<Shape>,
    /// The piece on the place.
    pub piece: Option<(Shape, Ink)>,
    /// What it is, in one or a few words.
    pub label: &'static str,
}

impl LegendEntry {
    /// A place in this ink.
    pub const fn cell(cell: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: None, piece: None, label }
    }

    /// A place in this ink with a mark, whose ink stands out from it. For ground use a piece.
    pub const fn marked(cell: Ink, mark: Shape, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: Some(mark), piece: None, label }
    }

    /// A piece on empty ground.
    pub const fn piece(shape: Shape, ink: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell: Ink::GROUND, mark: None, piece: Some((shape, ink)), label }
    }
}
