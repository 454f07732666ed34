//! Paints a scene on a frame: grids, hexagons, and movements from one scene to the next.
//!
//! The viewer calls [`Painter::board`] for its board, [`Screenshot`](crate::paint::Screenshot) for films.

mod grid;
mod hexagons;
mod raster;
mod shape;
mod tween;

use agon_games::scene::Board;

pub use tween::Instant;

use crate::paint::{Area, Camera, Frame, Theme};
use raster::View;

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
        let has_patterns = self.theme.has_patterns(instant.scene.players.len());
        self.paint(frame, area, instant, camera, has_patterns);
    }

    /// Paints the board as [`Painter::board`] does, without the patterns of players.
    ///
    /// For terminals, which write letters over the board instead.
    pub fn plain_board(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
    ) {
        self.paint(frame, area, instant, camera, false);
    }

    fn paint(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
        has_patterns: bool,
    ) {
        let instant = instant.settled();
        let view = View { theme: &self.theme, camera, has_patterns };
        match instant.scene.board {
            Board::Grid { width, height, wraps } => {
                grid::paint(view, frame, area, &instant, (width, height, wraps));
            }
            Board::Hexagon { .. } => hexagons::paint(view, frame, area, &instant),
        }
    }
}
