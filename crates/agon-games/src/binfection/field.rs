//! The field, as a sorted list of its occupied cells.

use agon_core::{Player, cell_hash};

use super::{Cell, Direction};

/// The occupied cells of a field in order of rows, then columns; everything else is empty.
///
/// A cell's index is `y * width + x`, its slot its place in the list. A turn's work thus depends on the
/// occupied cells and not on the size of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) width: u32,
    pub(super) height: u32,
    index: Vec<u32>,
    owner: Vec<Player>,
    units: Vec<u64>,
}

impl Field {
    pub(super) fn empty(width: u32, height: u32) -> Field {
        Field { width, height, index: Vec::new(), owner: Vec::new(), units: Vec::new() }
    }

    /// The field with these cells, in any order; all within it and each at most once. Cells without units
    /// are nobody's.
    pub(super) fn with_cells(width: u32, height: u32, cells: impl IntoIterator<Item = Cell>) -> Field {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
        let mut field = Field::empty(width, height);
        for cell in cells {
            if let Some(owner) = cell.owner
                && cell.units > 0
            {
                field.push(cell.y * width + cell.x, owner, cell.units);
            }
        }
        field
    }

    /// Appends a cell behind all others.
    pub(super) fn push(&mut self, index: u32, owner: Player, units: u64) {
        debug_assert!(units > 0 && self.index.last().is_none_or(|&last| last < index));
        self.index.push(index);
        self.owner.push(owner);
        self.units.push(units);
    }

    /// Number of occupied cells.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    pub(super) fn index(&self, slot: usize) -> u32 {
        self.index[slot]
    }

    pub(super) fn owner(&self, slot: usize) -> Player {
        self.owner[slot]
    }

    pub(super) fn units(&self, slot: usize) -> u64 {
        self.units[slot]
    }

    pub(super) fn all_units_mut(&mut self) -> &mut [u64] {
        &mut self.units
    }

    pub(super) fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        (0..self.len()).map(|slot| self.cell(slot))
    }

    pub(super) fn cell(&self, slot: usize) -> Cell {
        let (x, y) = self.place(self.index[slot]);
        Cell { x, y, owner: Some(self.owner[slot]), units: self.units[slot] }
    }

    /// The cell with this index, empty or not.
    pub(super) fn cell_at(&self, index: u32) -> Cell {
        match self.index.binary_search(&index) {
            Ok(slot) => self.cell(slot),
            Err(_) => {
                let (x, y) = self.place(index);
                Cell { x, y, owner: None, units: 0 }
            }
        }
    }

    /// The slot of the occupied cell at this place.
    pub(super) fn slot_at(&self, x: u32, y: u32) -> Option<usize> {
        if x >= self.width || y >= self.height {
            return None;
        }
        self.index.binary_search(&(y * self.width + x)).ok()
    }

    /// The index of the cell `(dx, dy)` away, unless that is outside.
    pub(super) fn neighbour(&self, index: u32, (dx, dy): (i32, i32)) -> Option<u32> {
        let (x, y) = self.place(index);
        let x = x.checked_add_signed(dx).filter(|&x| x < self.width)?;
        let y = y.checked_add_signed(dy).filter(|&y| y < self.height)?;
        Some(y * self.width + x)
    }

    /// The index of the next cell in a direction, unless that is outside.
    pub(super) fn next(&self, index: u32, direction: Direction) -> Option<u32> {
        self.neighbour(index, direction.offset())
    }

    /// The hash of all cells; every cell changes in nearly every turn, so there is nothing to keep up to date.
    pub(super) fn hash(&self) -> u64 {
        let share = |slot: usize| {
            cell_hash(u64::from(self.index[slot]), self.units[slot] << 16 | u64::from(self.owner[slot].0))
        };
        (0..self.len()).map(share).fold(0, u64::wrapping_add)
    }

    fn place(&self, index: u32) -> (u32, u32) {
        (index % self.width, index / self.width)
    }
}
