//! What lies on the board.

use agon_core::cell_hash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Board, COLORS, Cell};

const EMPTY: u16 = u16::MAX;

/// A pellet on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pellet {
    /// The index of the cell it lies on.
    pub cell: Cell,
    /// Its colour, from 0 to 3; even colours are player 0's, odd ones player 1's.
    pub color: u8,
}

/// All pellets on the board, numbered in the order they were placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pellets {
    cells: Vec<Cell>,
    colors: Vec<u8>,
    /// The pellet on each cell of the board, or `EMPTY`.
    grid: Vec<u16>,
    counts: [u32; COLORS],
    hash: u64,
}

impl Pellets {
    /// None, on a board with so many cells.
    pub fn new(cells: usize) -> Pellets {
        Pellets { cells: vec![], colors: vec![], grid: vec![EMPTY; cells], counts: [0; COLORS], hash: 0 }
    }

    /// Puts the next pellet on a free cell.
    ///
    /// # Panics
    /// If there is no such cell or colour.
    pub fn put(&mut self, pellet: Pellet) {
        let index = self.len() as u16;
        self.cells.push(pellet.cell);
        self.colors.push(pellet.color);
        self.grid[usize::from(pellet.cell)] = index;
        self.counts[usize::from(pellet.color)] += 1;
        self.hash = self.hash.wrapping_add(share(index, pellet));
    }

    /// Lets all of them fall.
    pub fn settle(&mut self, board: &Board, gravity: u8) {
        let Pellets { cells, colors, grid, hash, .. } = self;
        board.settle(gravity, grid, EMPTY, |index, from, to| {
            let color = colors[usize::from(index)];
            cells[usize::from(index)] = to;
            *hash = hash
                .wrapping_sub(share(index, Pellet { cell: from, color }))
                .wrapping_add(share(index, Pellet { cell: to, color }));
        });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many of a colour there are.
    ///
    /// # Panics
    /// If there is no such colour.
    pub fn count(&self, color: u8) -> u32 {
        self.counts[usize::from(color)]
    }

    /// A pellet by its number.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, index: usize) -> Pellet {
        Pellet { cell: self.cells[index], color: self.colors[index] }
    }

    /// All pellets, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Pellet> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The colour on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn color_at(&self, cell: Cell) -> Option<u8> {
        // Indices of pellets end well before EMPTY.
        self.colors.get(usize::from(self.grid[usize::from(cell)])).copied()
    }

    /// The number of the pellet on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn number_at(&self, cell: Cell) -> Option<usize> {
        let number = self.grid[usize::from(cell)];
        (number != EMPTY).then_some(number.into())
    }

    /// Whether nothing lies on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.grid[usize::from(cell)] == EMPTY
    }

    /// A hash of all pellets with their numbers, kept up to date as they move.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

fn share(index: u16, pellet: Pellet) -> u64 {
    cell_hash(u64::from(index), (u64::from(pellet.cell) << 8) | u64::from(pellet.color))
}
