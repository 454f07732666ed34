//! [`Field`]: the board, as a sorted list of its occupied cells. The state of a match holds one,
//! and a turn makes the next.

use agon_core::{Player, cell_hash};

use super::{Cell, Direction, slot_index::SlotIndex};

/// The occupied cells of a field in order of rows, then columns; everything else is empty.
///
/// A cell's *index* is `y * width + x`; its *slot* is its place in the list. So the work of a turn
/// depends on the occupied cells and not on the size of the field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) width: u32,
    pub(super) height: u32,
    places: Vec<Place>,
    owner: Vec<Player>,
    units: Vec<u64>,
    /// Finds cells in the list.
    index: SlotIndex,
}

/// Column and row of a cell, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) y: u16,
    pub(super) x: u16,
}

/// The neighbour of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// No cell: outside of the field.
    Outside,
    /// An empty cell.
    Empty,
    /// The occupied cell in this slot.
    Slot(usize),
}

impl PartialEq for Field {
    /// The index follows from the list.
    fn eq(&self, other: &Field) -> bool {
        (self.width, self.height) == (other.width, other.height)
            && self.places == other.places
            && self.owner == other.owner
            && self.units == other.units
    }
}

impl Eq for Field {}

impl Field {
    pub(super) fn empty(width: u32, height: u32) -> Field {
        let index = SlotIndex::new(width, height);
        Field { width, height, places: Vec::new(), owner: Vec::new(), units: Vec::new(), index }
    }

    /// Makes a field with these cells, in any order. All are within the field, and each comes at
    /// most once. Cells without units are empty.
    pub(super) fn with_cells(
        width: u32,
        height: u32,
        cells: impl IntoIterator<Item = Cell>,
    ) -> Field {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
        let mut field = Field::empty(width, height);
        for cell in cells {
            if let Some(owner) = cell.owner
                && cell.units > 0
            {
                field.push(Place { y: cell.y as u16, x: cell.x as u16 }, owner, cell.units);
            }
        }
        field
    }

    /// Removes all cells, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.index.clear(self.places.iter().map(|place| (place.x.into(), place.y.into())));
        self.places.clear();
        self.owner.clear();
        self.units.clear();
    }

    /// Number of cells, empty ones included.
    pub(super) fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Reserves memory for `cells` cells in all.
    pub(super) fn reserve(&mut self, cells: usize) {
        let more = cells.saturating_sub(self.len());
        self.places.reserve(more);
        self.owner.reserve(more);
        self.units.reserve(more);
    }

    /// A random field: one in `part` cells is occupied, by any of `players` players.
    #[cfg(test)]
    pub(super) fn scattered(
        (width, height): (u32, u32),
        part: u64,
        players: u64,
        rng: &mut agon_core::Rng,
    ) -> Field {
        let mut cells = Vec::new();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if rng.chance(1, part) {
                let owner = Some(Player(rng.below(players) as u16));
                cells.push(Cell { x, y, owner, units: 1 + rng.below(100) });
            }
        }
        Field::with_cells(width, height, cells)
    }

    /// Appends a cell after all others.
    pub(super) fn push(&mut self, place: Place, owner: Player, units: u64) {
        self.append(place, owner, units);
        self.note(place.y, usize::from(place.x) / 64, 1 << (place.x % 64), self.len() - 1);
    }

    /// Updates the index after cells of one row were appended. `columns` has a bit for each of the
    /// 64 columns from `64 * word` on; the first of these cells has the slot `first`.
    #[inline]
    pub(super) fn note(&mut self, y: u16, word: usize, columns: u64, first: usize) {
        self.index.add(y.into(), word, columns, first as u32);
    }

    /// Appends a cell after all others, without the index.
    #[inline]
    pub(super) fn append(&mut self, place: Place, owner: Player, units: u64) {
        debug_assert!(units > 0 && self.places.last().is_none_or(|&last| last < place));
        self.places.push(place);
        self.owner.push(owner);
        self.units.push(units);
    }

    /// Number of occupied cells.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The places of all cells.
    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The owners of all cells.
    pub(super) fn owners(&self) -> &[Player] {
        &self.owner
    }

    /// The units of all cells.
    pub(super) fn all_units(&self) -> &[u64] {
        &self.units
    }

    pub(super) fn index(&self, slot: usize) -> u32 {
        let Place { x, y } = self.places[slot];
        u32::from(y) * self.width + u32::from(x)
    }

    #[inline]
    pub(super) fn owner(&self, slot: usize) -> Player {
        self.owner[slot]
    }

    #[inline]
    pub(super) fn units(&self, slot: usize) -> u64 {
        self.units[slot]
    }

    pub(super) fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        (0..self.len()).map(|slot| self.cell(slot))
    }

    #[inline]
    pub(super) fn cell(&self, slot: usize) -> Cell {
        let Place { x, y } = self.places[slot];
        Cell { x: x.into(), y: y.into(), owner: Some(self.owner[slot]), units: self.units[slot] }
    }

    /// The cell at a place within the field, empty or not.
    #[inline]
    pub(super) fn at(&self, x: u32, y: u32) -> Cell {
        match self.index.slot(x, y) {
            Some(slot) => Cell { x, y, owner: Some(self.owner[slot]), units: self.units[slot] },
            None => Cell { x, y, owner: None, units: 0 },
        }
    }

    /// The cell with this index, empty or not.
    pub(super) fn cell_at(&self, index: u32) -> Cell {
        self.at(index % self.width, index / self.width)
    }

    /// The slot of the occupied cell at this place.
    #[inline]
    pub(super) fn slot_at(&self, x: u32, y: u32) -> Option<usize> {
        if x < self.width && y < self.height { self.index.slot(x, y) } else { None }
    }

    /// Returns which of the 64 columns of a row from `64 * word` on are occupied, and the slot of
    /// the first such cell (any number if there is none).
    #[inline]
    pub(super) fn columns(&self, y: u16, word: usize) -> (u64, usize) {
        self.index.columns(y.into(), word)
    }

    /// The neighbours of the cell in a slot, by direction.
    ///
    /// The left and right neighbours are next to it in the list. Only the upper and lower ones need
    /// the index.
    #[inline(always)]
    pub(super) fn beside(&self, slot: usize) -> [Beside; 4] {
        let place @ Place { x, y } = self.places[slot];
        let mapped =
            |y: u16| self.index.slot(x.into(), y.into()).map_or(Beside::Empty, Beside::Slot);
        let listed = |slot: usize, x: u16| {
            if self.places.get(slot) == Some(&Place { x, ..place }) {
                Beside::Slot(slot)
            } else {
                Beside::Empty
            }
        };
        let inside =
            |is_inside: bool, beside: Beside| if is_inside { beside } else { Beside::Outside };
        [
            if y > 0 { mapped(y - 1) } else { Beside::Outside },
            inside(u32::from(x) + 1 < self.width, listed(slot + 1, x.wrapping_add(1))),
            if u32::from(y) + 1 < self.height { mapped(y + 1) } else { Beside::Outside },
            inside(x > 0, listed(slot.wrapping_sub(1), x.wrapping_sub(1))),
        ]
    }

    /// The index of the next cell in a direction; `None` outside of the field.
    pub(super) fn next(&self, index: u32, direction: Direction) -> Option<u32> {
        let (dx, dy) = direction.offset();
        let x = (index % self.width).checked_add_signed(dx).filter(|&x| x < self.width)?;
        let y = (index / self.width).checked_add_signed(dy).filter(|&y| y < self.height)?;
        Some(y * self.width + x)
    }

    /// The hash of all cells. It is computed from scratch, because every cell changes in nearly
    /// every turn.
    pub(super) fn hash(&self) -> u64 {
        let share = |slot: usize| {
            cell_hash(
                u64::from(self.index(slot)),
                self.units[slot] << 16 | u64::from(self.owner[slot].0),
            )
        };
        (0..self.len()).map(share).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_wherever_they_are() {
        let cell = |x, y| Cell { x, y, owner: Some(Player(1)), units: 5 };
        let cells = [cell(0, 0), cell(63, 0), cell(64, 0), cell(129, 0), cell(5, 1), cell(129, 2)];
        let mut field = Field::with_cells(130, 3, cells.into_iter().rev());
        for round in 0..2 {
            let found =
                (0..130 * 3).filter(|&index| field.slot_at(index % 130, index / 130).is_some());
            assert_eq!(found.collect::<Vec<_>>(), [0, 63, 64, 129, 135, 389], "{round}");
            for (slot, cell) in cells.iter().enumerate() {
                assert_eq!((field.slot_at(cell.x, cell.y), field.cell(slot)), (Some(slot), *cell));
                assert_eq!(field.cell_at(field.index(slot)), *cell);
            }
            assert_eq!((field.slot_at(130, 0), field.slot_at(0, 3)), (None, None));
            field.clear();
            assert!((0..390).all(|index| field.cell_at(index).owner.is_none()));
            cells
                .iter()
                .for_each(|c| field.push(Place { y: c.y as u16, x: c.x as u16 }, Player(1), 5));
        }
    }

    #[test]
    fn beside_a_cell_are_four_at_most() {
        use Beside::{Empty, Outside, Slot};
        let cell = |(x, y)| Cell { x, y, owner: Some(Player(1)), units: 5 };
        let field = Field::with_cells(3, 3, [(0, 0), (2, 0), (0, 1), (1, 1), (2, 2)].map(cell));
        assert_eq!(field.beside(0), [Outside, Empty, Slot(2), Outside]);
        assert_eq!(
            field.beside(1),
            [Outside, Outside, Empty, Empty],
            "the next in the list is a row below"
        );
        assert_eq!(field.beside(2), [Slot(0), Slot(3), Empty, Outside]);
        assert_eq!(field.beside(3), [Empty, Empty, Empty, Slot(2)]);
        assert_eq!(field.beside(4), [Empty, Outside, Outside, Empty]);
    }
}
