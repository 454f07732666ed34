//! The board.

use crate::agon::{
    records::{EMPTY, NO_CELL},
    Decision,
};

impl<'a> Decision<'a> {
    /// The color of the pellet on each cell, `EMPTY` for none.
    pub fn colors_on_cells(&self) -> &'a [u8] {
        self.array(self.colors, self.cells as usize)
    }

    /// The cell next to a cell in a direction, 0 to 5.
    pub fn neighbor(&self, cell: u16, direction: u8) -> Option<u16> {
        let neighbors: &[u16] = self.array(self.neighbors, 6 * self.cells as usize);
        let next = neighbors[6 * usize::from(cell) + usize::from(direction)];
        (next != NO_CELL).then_some(next)
    }

    /// The cell where a pellet enters a column under a gravity.
    pub fn top(&self, column: u16, gravity: u8) -> u16 {
        let tops: &[u16] = self.array(self.tops, 6 * self.columns as usize);
        tops[6 * usize::from(column) + usize::from(gravity)]
    }

    /// The cell where a pellet comes to rest in a column now; none if the column is full.
    pub fn landing(&self, column: u16) -> Option<u16> {
        let colors = self.colors_on_cells();
        let free = |cell: &u16| colors[usize::from(*cell)] == EMPTY;
        let first = Some(self.top(column, self.gravity)).filter(free);
        std::iter::successors(first, |&cell| {
            self.neighbor(cell, self.gravity).filter(free)
        })
        .last()
    }
}
