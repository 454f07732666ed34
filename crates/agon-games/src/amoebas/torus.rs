//! The shape of the world: a torus, and its division into classes of cells that act together.

use super::{
    dir::{Dir, Offset},
    helpers,
};

/// Tables that make relative positions cheap. Depends on the settings only.
#[derive(Debug)]
pub(super) struct Torus {
    size: usize,
    view_distance: i32,
    /// Column of `x`, for x from `-view_distance` to `size - 1 + view_distance`, shifted to begin at 0.
    columns: Vec<u32>,
    /// Index of the first cell of row `y`, likewise.
    rows: Vec<u32>,
    /// How a side is cut into classes.
    pub(super) axis: Axis,
    /// The positions of each direction's section, see [`helpers::section`].
    pub(super) sections: [Vec<Offset>; 8],
}

impl Torus {
    pub(super) fn new(size: u32, view_distance: u32) -> Torus {
        let (width, reach) = (size as i32, view_distance as i32);
        let columns: Vec<u32> = (-reach..width + reach).map(|x| x.rem_euclid(width) as u32).collect();
        Torus {
            size: size as usize,
            view_distance: reach,
            rows: columns.iter().map(|row| row * size).collect(),
            columns,
            axis: Axis::new(size as usize, view_distance as usize + 2),
            sections: Dir::ALL.map(|dir| helpers::section(dir, reach).collect()),
        }
    }

    pub(super) fn view_distance(&self) -> i32 {
        self.view_distance
    }

    /// Column and row of a cell.
    #[inline]
    pub(super) fn place(&self, cell: usize) -> (u32, u32) {
        (cell as u32 % self.size as u32, cell as u32 / self.size as u32)
    }

    /// The cell at an offset of at most the view distance from a place.
    #[inline]
    pub(super) fn cell(&self, (x, y): (u32, u32), (dx, dy): Offset) -> usize {
        let column = self.columns[(x as i32 + self.view_distance + dx) as usize];
        let row = self.rows[(y as i32 + self.view_distance + dy) as usize];
        (row + column) as usize
    }

    /// Number of classes of cells.
    pub(super) fn classes(&self) -> usize {
        self.axis.classes.pow(2)
    }

    /// The class of each cell, row by row.
    pub(super) fn class_of_cells(&self) -> impl Iterator<Item = usize> + '_ {
        let Axis { offsets, classes } = &self.axis;
        offsets.iter().flat_map(move |y| offsets.iter().map(move |x| y * classes + x))
    }
}

/// A ring of cells cut into classes, such that two cells of one class are far apart.
///
/// The ring of `size` is cut into `size / distance` blocks of nearly equal lengths (block `b` of `k` begins at
/// `b * size / k`, rounded down), and a cell's class is its offset within its block. No block is shorter than
/// `distance`, so from one offset to the same one in the next block it is at least that far, all around the ring.
/// A ring shorter than `distance` is one block: every cell is a class of its own.
#[derive(Debug)]
pub(super) struct Axis {
    /// The class of each cell.
    offsets: Vec<usize>,
    classes: usize,
}

impl Axis {
    fn new(size: usize, distance: usize) -> Axis {
        let blocks = (size / distance).max(1);
        let start = |block: usize| block * size / blocks;
        let offsets: Vec<usize> = (0..blocks).flat_map(|b| 0..start(b + 1) - start(b)).collect();
        Axis { offsets, classes: size.div_ceil(blocks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_class_cannot_see_what_the_others_do() {
        for view_distance in 1..=10 {
            for size in 3..=120 {
                let distance = view_distance + 2;
                let axis = Axis::new(size, distance);
                assert_eq!(axis.offsets.len(), size);
                for a in 0..size {
                    assert!(axis.offsets[a] < axis.classes);
                    for b in (a + 1..size).filter(|&b| axis.offsets[a] == axis.offsets[b]) {
                        let apart = (b - a).min(size - (b - a));
                        assert!(apart >= distance, "{a} and {b} of {size}, distance {distance}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_classes_than_needed() {
        assert_eq!(Torus::new(200, 3).classes(), 25);
        assert_eq!(Torus::new(203, 3).classes(), 36);
        assert_eq!(Torus::new(4, 3).classes(), 16);
        assert_eq!(Axis::new(11, 5).offsets, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn positions_wrap_even_where_the_view_is_wider_than_the_world() {
        let torus = Torus::new(3, 10);
        assert_eq!(torus.cell((0, 0), (-1, -1)), 8);
        assert_eq!(torus.cell((2, 1), (10, -10)), 0);
        assert_eq!(torus.place(7), (1, 2));
    }
}
