//! The cells on their torus.

use agon_core::{cell_hash, mix};

use super::{EMPTY, Env, ROCK, Rules};

/// Owner, energy and memory of every place, row by row.
///
/// Places without a cell have energy 0 and memory 0, so that equal boards compare equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) width: u32,
    pub(super) height: u32,
    /// [`EMPTY`], a player's number plus one, or [`ROCK`].
    pub(super) owner: Vec<u8>,
    /// From 0 to `energy_max`.
    pub(super) energy: Vec<i32>,
    pub(super) memory: Vec<u64>,
}

/// Whether this is the mark of a cell, and not of a rock or an empty place.
#[inline(always)]
pub(super) fn is_cell(owner: u8) -> bool {
    owner != EMPTY && owner != ROCK
}

impl Board {
    /// An empty board.
    pub(super) fn new(rules: &Rules) -> Board {
        let places = rules.width as usize * rules.height as usize;
        Board {
            width: rules.width,
            height: rules.height,
            owner: vec![EMPTY; places],
            energy: vec![0; places],
            memory: vec![0; places],
        }
    }

    /// The index of a place.
    pub(super) fn index(&self, x: u32, y: u32) -> usize {
        y as usize * self.width as usize + x as usize
    }

    /// Column and row of a place.
    pub(super) fn xy(&self, index: usize) -> (u32, u32) {
        let index = index as u32;
        (index % self.width, index / self.width)
    }

    /// The place next to `index` with the number `offset` in an [`Env`], across the edges.
    pub(super) fn neighbour(&self, index: usize, offset: u8) -> usize {
        let (x, y) = self.xy(index);
        let step = |at: u32, by: u8, size: u32| match by {
            0 => at.checked_sub(1).unwrap_or(size - 1),
            1 => at,
            _ => (at + 1) % size,
        };
        self.index(step(x, offset % 3, self.width), step(y, offset / 3, self.height))
    }

    /// The place and its eight neighbours.
    pub(super) fn env(&self, index: usize) -> Env {
        let (x, y) = self.xy(index);
        // Comparing is faster than dividing, and every question asks this.
        let around = |at: u32, size: u32| {
            [if at == 0 { size - 1 } else { at - 1 }, at, if at + 1 == size { 0 } else { at + 1 }]
        };
        let (columns, rows) = (around(x, self.width), around(y, self.height));
        Env(std::array::from_fn(|i| self.owner[self.index(columns[i % 3], rows[i / 3])]))
    }

    /// Puts something on a place.
    pub(super) fn put(&mut self, index: usize, owner: u8, energy: i32, memory: u64) {
        self.owner[index] = owner;
        self.energy[index] = energy;
        self.memory[index] = memory;
    }

    /// All places with a cell, and its owner's mark.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let marks = self.owner.iter().copied().enumerate();
        marks.filter(|&(_, owner)| is_cell(owner))
    }

    /// The sum of the hashes of all places that are not empty.
    pub(super) fn hash(&self) -> u64 {
        let share = |(index, &owner): (usize, &u8)| {
            let body = u64::from(owner) << 32 | self.energy[index] as u64;
            cell_hash(index as u64, mix(self.memory[index]) ^ body)
        };
        let taken = self.owner.iter().enumerate().filter(|&(_, &owner)| owner != EMPTY);
        taken.map(share).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_wrap_at_all_edges() {
        let board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        let around = |index| (0..9).map(|offset| board.neighbour(index, offset)).collect::<Vec<_>>();
        assert_eq!(around(0), [11, 8, 9, 3, 0, 1, 7, 4, 5]);
        assert_eq!(around(5), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!(around(11), [6, 7, 4, 10, 11, 8, 2, 3, 0]);
    }

    #[test]
    fn the_environment_lists_the_neighbours() {
        let mut board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        (0..12).for_each(|i| board.put(i, i as u8 + 1, 100, 0));
        for index in 0..12 {
            let expected: [u8; 9] = std::array::from_fn(|o| board.neighbour(index, o as u8) as u8 + 1);
            assert_eq!(board.env(index), Env(expected));
        }
    }
}
