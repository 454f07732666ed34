//! Paints a scene on a frame.

mod grid;
mod hexagons;
mod lattice;
mod raster;
mod shape;
mod tween;

use agon_games::scene::{Board, Scene, Shape, Travel};

use crate::{Area, Camera, Frame, Theme};

/// A moment to paint: a scene, or a time on the way to it.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The scene; the end of the way, if there is one.
    pub scene: &'a Scene,
    /// The scene before it.
    pub before: Option<&'a Scene>,
    /// The pieces that were moving between the two.
    pub travels: &'a [Travel],
    /// The completed share of the way, from 0 to 1.
    pub done: f32,
}

impl<'a> Instant<'a> {
    /// Makes the moment of a scene at rest.
    pub fn still(scene: &'a Scene) -> Instant<'a> {
        Instant { scene, before: None, travels: &[], done: 1.0 }
    }

    /// Returns the same, without a way if it has not begun, is over, or changes the board.
    fn settled(&self) -> Instant<'a> {
        match self.before {
            Some(before) if same_places(&before.board, &self.scene.board) => {
                if self.done <= 0.0 {
                    Instant::still(before)
                } else if self.done < 1.0 {
                    *self
                } else {
                    Instant::still(self.scene)
                }
            }
            _ => Instant::still(self.scene),
        }
    }
}

/// Returns whether two boards differ at most in their direction of down.
fn same_places(one: &Board, other: &Board) -> bool {
    match (one, other) {
        (
            Board::Hexagon { side, cells, .. },
            Board::Hexagon { side: other_side, cells: other_cells, .. },
        ) => side == other_side && cells == other_cells,
        _ => one == other,
    }
}

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

/// Marks are drawn from this many pixels per cell on.
const MARKS: f64 = 8.0;

/// Returns whether a mark is drawn over the pieces.
///
/// Such marks leave the middle of the place free, or must be readable.
fn above(shape: Shape) -> bool {
    matches!(shape, Shape::Ring | Shape::Cross | Shape::Number(_))
}
