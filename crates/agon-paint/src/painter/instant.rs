//! What to paint: a scene at rest, or a moment on the way from one scene to the next.
//!
//! Viewers and films give it to the painter.

use agon_games::scene::{Board, Scene, Travel};

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
    pub(super) fn settled(&self) -> Instant<'a> {
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
