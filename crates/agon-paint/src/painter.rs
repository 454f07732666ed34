//! Paints a scene on a frame: grids, hexagons, and movements from one scene to the next.
//!
//! The viewer calls [`Painter::board`] for its board, [`Screenshot`](crate::Screenshot) for films.

mod grid;
mod hexagons;
mod instant;
mod lattice;
mod marks;
mod raster;
mod shape;
mod tween;

use agon_games::scene::Board;

pub use instant::Instant;

use crate::{Area, Camera, Frame, Theme};

/// Paints boards in the colours of a theme.
#[derive(Clone, Debug)]
pub struct Painter {
    /// The colours.
    pub theme: Theme,
}

impl Painter {
    /// Makes a painter with this theme.
    pub fn new(theme: Theme) -> Painter {
        Painter { theme }
    }

    /// Paints the board on `area` of the frame as seen by `camera`, and nothing outside of it.
    ///
    /// On the way from one scene to another, pieces move, fall or fade, and colours change
    /// gradually. A board that is turned turns first. Both ends of the way look exactly like
    /// their scenes.
    pub fn board(&self, frame: &mut Frame, area: Area, instant: &Instant<'_>, camera: &Camera) {
        let instant = instant.settled();
        match instant.scene.board {
            Board::Grid { width, height, wraps } => {
                grid::paint(&self.theme, frame, area, &instant, camera, (width, height, wraps));
            }
            Board::Hexagon { .. } => hexagons::paint(&self.theme, frame, area, &instant, camera),
        }
    }
}
