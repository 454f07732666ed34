//! A scene on a frame.

mod grid;
mod hexagons;
mod lattice;
mod raster;
mod shape;
mod tween;

use agon_games::scene::{Board, Scene, Shape, Travel};

use crate::{Area, Camera, Frame, Theme};

/// A moment to be painted: a scene, or a point of time on the way to it.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The scene; at the end of the way if there is one.
    pub scene: &'a Scene,
    /// The scene before it.
    pub before: Option<&'a Scene>,
    /// What was on its way between the two.
    pub travels: &'a [Travel],
    /// How much of the way is done, from 0 to 1.
    pub done: f32,
}

impl<'a> Instant<'a> {
    /// A scene at rest.
    pub fn still(scene: &'a Scene) -> Instant<'a> {
        Instant { scene, before: None, travels: &[], done: 1.0 }
    }

    /// The same, without a way where it has not begun or is over, or where the scenes have
    /// different boards.
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

/// Whether two boards differ at most in what is down.
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
    /// A painter.
    pub fn new(theme: Theme) -> Painter {
        Painter { theme }
    }

    /// Paints the board on `area` of the frame as `camera` sees it, and nothing beside the area.
    ///
    /// On the way from one scene to another, pieces move, fall or fade, colours change by and by,
    /// and a board that is turned turns first. At both ends of the way it looks exactly as the
    /// scene there.
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

/// From so many pixels a cell on, marks are drawn.
const MARKS: f64 = 8.0;

/// Whether a mark is drawn over the pieces: what leaves the middle of the place free, and what has
/// to be read.
fn above(shape: Shape) -> bool {
    matches!(shape, Shape::Ring | Shape::Cross | Shape::Number(_))
}
