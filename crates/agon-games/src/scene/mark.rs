//! What a scene shows on top of its cells: marks on places, pieces that keep their identity from
//! scene to scene, and things that travel between two scenes. The painters draw them.

use super::{Ink, Place};

/// Something drawn on a place that helps where there is room for it; small pictures leave it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its place.
    pub place: Place,
    /// Its shape.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// Something that stands on a place, and is the same thing in the next scene, where it may be
/// elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which one; each once in a scene.
    pub id: u32,
    /// Its place.
    pub place: Place,
    /// What it looks like; drawn at any size.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// A shape on a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A disc, with its diameter in percent of the place.
    Disc(u8),
    /// A ring along the edge of the place.
    Ring,
    /// A square that fills the place.
    Square,
    /// A pointer that fills the place.
    Pointer(Arrow),
    /// A flag.
    Flag,
    /// A cross over the place.
    Cross,
    /// A number; from a million on it is shortened: "1.2M".
    Number(u64),
}

/// A direction on the picture: on a grid in eighths of a turn, on hexagons in sixths, clockwise; 0
/// is up on a grid and South, as the game counts, on hexagons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow(pub u8);

/// Something that goes from one place to another between two scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Travel {
    /// From where.
    pub from: Place,
    /// To where: to a neighbour, over the edge where the board wraps.
    pub to: Place,
    /// Its colour.
    pub ink: Ink,
}
