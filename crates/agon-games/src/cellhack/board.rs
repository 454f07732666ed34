//! [`Board`]: owner, energy and memory of every place on the torus. The state of a match holds one.

use crate::simd::{Kernel, Level};
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

/// Returns whether this is the mark of a cell, not of a rock or an empty place.
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
        let mut env = [0; 9];
        self.write_env(index, &mut env);
        Env(env)
    }

    /// Writes the place and its eight neighbours, row by row, straight to their destination. A copy
    /// right after single bytes were written would make the processor wait.
    #[inline]
    pub(super) fn write_env(&self, index: usize, out: &mut [u8; 9]) {
        let (x, y) = self.xy(index);
        let inside = |at: u32, size: u32| at.wrapping_sub(1) < size - 2;
        if !inside(x, self.width) || !inside(y, self.height) {
            *out = self.env_at_edge(x, y).0;
            return;
        }
        let width = self.width as usize;
        let rows = out.as_chunks_mut::<3>().0;
        for (row, from) in rows.iter_mut().zip([index - width - 1, index - 1, index + width - 1]) {
            row.copy_from_slice(&self.owner[from..from + 3]);
        }
    }

    #[cold]
    fn env_at_edge(&self, x: u32, y: u32) -> Env {
        let around = |at: u32, size: u32| {
            [if at == 0 { size - 1 } else { at - 1 }, at, if at + 1 == size { 0 } else { at + 1 }]
        };
        let columns = around(x, self.width);
        let rows = around(y, self.height);
        Env(std::array::from_fn(|i| self.owner[self.index(columns[i % 3], rows[i / 3])]))
    }

    /// Replaces the content of a place.
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
        Level::best().run(Hash(self))
    }
}

struct Hash<'a>(&'a Board);

impl Kernel for Hash<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Board { owner, energy, memory, .. } = self.0;
        let share = |((index, &owner), (&energy, &memory)): ((u64, &u8), (&i32, &u64))| {
            let body = u64::from(owner) << 32 | energy as u64;
            let share = cell_hash(index, mix(memory) ^ body);
            // Computed for empty places as well: a branch would take longer.
            if owner == EMPTY { 0 } else { share }
        };
        (0..).zip(owner).zip(energy.iter().zip(memory)).map(share).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_wrap_at_all_edges() {
        let board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        let around =
            |index| (0..9).map(|offset| board.neighbour(index, offset)).collect::<Vec<_>>();
        assert_eq!(around(0), [11, 8, 9, 3, 0, 1, 7, 4, 5]);
        assert_eq!(around(5), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!(around(11), [6, 7, 4, 10, 11, 8, 2, 3, 0]);
    }

    #[test]
    fn all_levels_hash_the_same() {
        let mut board = Board::new(&Rules { width: 9, height: 7, ..Rules::default() });
        let plain = |board: &Board| {
            let taken = (0..63).filter(|&i| board.owner[i] != EMPTY);
            let body = |i: usize| u64::from(board.owner[i]) << 32 | board.energy[i] as u64;
            let share = |i: usize| cell_hash(i as u64, mix(board.memory[i]) ^ body(i));
            taken.map(share).fold(0, u64::wrapping_add)
        };
        for i in (0..63).step_by(2) {
            board.put(i, (7 * i) as u8, 300 * i as i32, mix(i as u64));
            for level in Level::available() {
                assert_eq!(level.run(Hash(&board)), plain(&board), "{level}");
            }
        }
    }

    #[test]
    fn the_environment_lists_the_neighbours() {
        let mut board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        (0..12).for_each(|i| board.put(i, i as u8 + 1, 100, 0));
        for index in 0..12 {
            let expected: [u8; 9] =
                std::array::from_fn(|o| board.neighbour(index, o as u8) as u8 + 1);
            assert_eq!(board.env(index), Env(expected));
        }
    }
}
