//! The shape of a scene's board: a grid of squares or a hexagon of hexagons. A game's `scene.rs`
//! chooses one; the painters draw it.

use std::sync::Arc;

/// A place of a board: on a grid `y * width + x` with y downwards, on hexagons the number of the
/// cell.
pub type Place = u32;

/// The shape of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Board {
    /// Squares.
    Grid {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Whether the right edge meets the left one and the lower the upper one.
        wraps: bool,
    },
    /// A hexagon of hexagons with flat tops.
    Hexagon {
        /// Cells along each edge.
        side: u32,
        /// Where each cell lies: columns of constant q, r growing downwards, (0, 0) in the centre.
        cells: Arc<[(i16, i16)]>,
        /// The direction that is down: 0 South, then clockwise in sixths of a turn. Outputs turn
        /// the board so that pieces fall downwards.
        down: u8,
    },
}

impl Board {
    /// Number of places.
    pub fn places(&self) -> usize {
        match self {
            Board::Grid { width, height, .. } => (width * height) as usize,
            Board::Hexagon { cells, .. } => cells.len(),
        }
    }
}
