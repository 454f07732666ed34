//! What a scene shows on top of its cells: marks on places, pieces that keep their identity from
//! scene to scene, and things that travel between two scenes. The painters draw them.

use super::{Ink, Place};

/// A helpful extra on a place. Small pictures leave it out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its place.
    pub place: Place,
    /// Its shape.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// A thing on a place with an identity: in the next scene the piece with the same id may be
/// elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its identity; unique in a scene.
    pub id: u32,
    /// Its place.
    pub place: Place,
    /// What it looks like; drawn at any size.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// A shape on a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrow(pub u8);

/// Something that goes from one place to another between two scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Travel {
    /// The place where it starts.
    pub from: Place,
    /// The place where it arrives: a neighbour, across the edge where the board wraps.
    pub to: Place,
    /// Its colour.
    pub ink: Ink,
}
