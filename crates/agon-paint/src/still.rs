//! A whole scene with its caption, as in exported pictures.

use agon_games::scene::{Board, Scene};

use crate::{Area, Camera, Frame, Instant, Painter};

/// What stands beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caption<'a> {
    /// Nothing: a pixel a cell is a pixel a cell.
    None,
    /// Game, turn, and the players of these names with their scores.
    Players(&'a [String]),
}

/// The form of pictures of one match: all have the same size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Still<'a> {
    /// Pixels a cell.
    pub zoom: f32,
    /// What stands beside the board.
    pub caption: Caption<'a>,
}

impl Still<'_> {
    /// The size of pictures of scenes like this one, in pixels; both even, as films want them, unless there is no
    /// caption.
    pub fn size(&self, scene: &Scene) -> (u32, u32) {
        match scene.board {
            Board::Grid { width, height, .. } => {
                ((width as f32 * self.zoom) as u32, (height as f32 * self.zoom) as u32)
            }
            Board::Hexagon { side, .. } => {
                let size = (2.0 * side as f32 * self.zoom) as u32;
                (size, size)
            }
        }
    }

    /// Paints a picture; the frame gets the size that it needs.
    pub fn paint(&self, painter: &Painter, instant: &Instant<'_>, frame: &mut Frame) {
        let (width, height) = self.size(instant.scene);
        frame.resize(width, height);
        let area = Area { x: 0, y: 0, width, height };
        let camera = Camera { zoom: self.zoom, ..Camera::fit(&instant.scene.board, area) };
        painter.board(frame, area, instant, &camera);
    }
}
