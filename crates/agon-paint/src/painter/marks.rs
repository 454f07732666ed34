//! Decides when marks are drawn, and which of them over the pieces.
//!
//! The painters of grids and hexagons share these rules.

use agon_games::scene::Shape;

/// Marks are drawn from this many pixels per cell on.
pub(super) const MARKS: f64 = 8.0;

/// Returns whether a mark is drawn over the pieces.
///
/// Such marks leave the middle of the place free, or must be readable.
pub(super) fn above(shape: Shape) -> bool {
    matches!(shape, Shape::Ring | Shape::Cross | Shape::Number(_))
}
