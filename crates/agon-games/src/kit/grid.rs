//! [`Grid`]: the board of a game of the kit as coloured squares. A small game returns one in
//! [`SmallGame::grid`](super::SmallGame::grid), and viewers and films show it.

use crate::scene::{Ink, Mark, Place, Shape};

/// A picture of squares, each with a colour and perhaps a shape or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) wraps: bool,
    pub(super) cells: Vec<Ink>,
    pub(super) marks: Vec<Mark>,
}

impl Grid {
    /// Returns empty ground.
    pub fn new(width: u32, height: u32) -> Grid {
        let cells = vec![Ink::GROUND; width as usize * height as usize];
        Grid { width, height, wraps: false, cells, marks: Vec::new() }
    }

    /// Returns the same board as a torus: opposite edges meet.
    pub fn wrapping(self) -> Grid {
        Grid { wraps: true, ..self }
    }

    /// Returns the place of a column and a row, for [`Gesture::Pick`](crate::human::Gesture).
    pub fn place(&self, x: u32, y: u32) -> Place {
        y * self.width + x
    }

    /// Colours a square.
    ///
    /// # Panics
    /// If it is outside of the board.
    pub fn fill(&mut self, x: u32, y: u32, ink: Ink) {
        let place = self.require(x, y);
        self.cells[place as usize] = ink;
    }

    /// Draws a shape on a square, where squares are large enough to show it.
    ///
    /// # Panics
    /// As [`Grid::fill`].
    pub fn mark(&mut self, x: u32, y: u32, shape: Shape, ink: Ink) {
        let place = self.require(x, y);
        self.marks.push(Mark { place, shape, ink });
    }

    fn require(&self, x: u32, y: u32) -> Place {
        assert!(x < self.width && y < self.height, "{x}, {y} is outside of the board");
        self.place(x, y)
    }
}
