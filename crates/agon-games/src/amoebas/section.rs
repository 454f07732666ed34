//! The section of a view in a direction: the cells that an amoeba counts as lying there. Built-in
//! bots compare the fuel of sections.

use super::dir::{Dir, Offset};

/// The positions of the section in a direction: a square for the corners, a triangle for the sides.
/// All contain the amoeba's own position, and they overlap.
pub fn section(dir: Dir, view_distance: i32) -> impl Iterator<Item = Offset> {
    let (x, y) = dir.offset();
    (0..=view_distance).flat_map(move |a| {
        let width = if x != 0 && y != 0 { view_distance } else { 2 * a };
        (0..=width).map(move |b| match (x, y) {
            (0, _) => (b - a, y * a),
            (_, 0) => (x * a, b - a),
            _ => (x * a, y * b),
        })
    })
}
