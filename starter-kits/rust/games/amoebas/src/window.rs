//! What an amoeba sees.

use crate::agon::{records::Cell, Decision};

/// The steps to the east and to the south that lead to the neighbor in each direction, north-west
/// first.
pub const STEPS: [(i32, i32); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
];

impl<'a> Decision<'a> {
    /// The cell `dx` to the east and `dy` to the south; neither may exceed the view distance.
    pub fn cell_at(&self, dx: i32, dy: i32) -> &'a Cell {
        let reach = i32::from(self.view_distance);
        &self.following()[((dy + reach) * (2 * reach + 1) + dx + reach) as usize]
    }

    /// The neighboring cell in a direction.
    pub fn cell_towards(&self, dir: u8) -> &'a Cell {
        let (dx, dy) = STEPS[usize::from(dir)];
        self.cell_at(dx, dy)
    }
}
