//! [`Pellets`]: all pellets on the board, in the order in which they were placed. The state of a
//! match holds one; views, bots and pictures read it.

use std::sync::Arc;

use crate::simd::{Kernel, Level};
use agon_core::cell_hash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Board, COLORS, Cell, color_grid::ColorGrid};

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
    color_grid: ColorGrid,
    /// The direction in which they fall.
    gravity: u8,
    /// The number of pellets on each line along gravity.
    heights: Vec<u8>,
    counts: [u32; COLORS],
    hash: u64,
}

impl Pellets {
    /// No pellets, on this board, under this gravity.
    pub fn new(board: Arc<Board>, gravity: u8) -> Pellets {
        // There are never more pellets than cells.
        let cells = Vec::with_capacity(board.cells());
        let colors = Vec::with_capacity(board.cells());
        let heights = vec![0; board.columns()];
        let color_grid = ColorGrid::new(board);
        Pellets { cells, colors, color_grid, gravity, heights, counts: [0; COLORS], hash: 0 }
    }

    /// Puts the next pellet on a free cell.
    ///
    /// # Panics
    /// If there is no such cell or colour.
    pub fn put(&mut self, pellet: Pellet) {
        let index = self.len() as u16;
        self.cells.push(pellet.cell);
        self.colors.push(pellet.color);
        self.color_grid.put(pellet.cell, pellet.color);
        self.heights[self.color_grid.board().line(pellet.cell, self.gravity)] += 1;
        self.counts[usize::from(pellet.color)] += 1;
        self.hash = self.hash.wrapping_add(share(index, pellet));
    }

    /// Lets all of them fall.
    pub fn settle(&mut self, gravity: u8) {
        Level::best().run(Settle { pellets: self, gravity });
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
    /// If the number is too large.
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
        self.color_grid.color_at(cell)
    }

    /// The number of the pellet on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn number_at(&self, cell: Cell) -> Option<usize> {
        if self.is_free(cell) { None } else { self.cells.iter().position(|&taken| taken == cell) }
    }

    /// Whether nothing lies on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.color_grid.is_free(cell)
    }

    /// The cell where a pellet that enters at `top` comes to rest; `None` if `top` is taken. All
    /// pellets are at rest, so they fill each line from its floor.
    pub(super) fn landing(&self, top: Cell) -> Option<Cell> {
        let board = self.color_grid.board();
        let line = board.line(top, self.gravity);
        board.above_floor(line, self.gravity, self.heights[line].into())
    }

    /// The colours on the board.
    pub(super) fn color_grid(&self) -> &ColorGrid {
        &self.color_grid
    }

    /// A hash of all pellets with their numbers, kept up to date as they move.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

#[inline(always)]
fn share(index: u16, pellet: Pellet) -> u64 {
    cell_hash(u64::from(index), (u64::from(pellet.cell) << 8) | u64::from(pellet.color))
}

/// Lets all pellets fall. Almost all of them move, so everything is computed from scratch.
struct Settle<'a> {
    pellets: &'a mut Pellets,
    gravity: u8,
}

impl Kernel for Settle<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Settle { pellets, gravity } = self;
        pellets.gravity = gravity;
        let Pellets { cells, colors, color_grid, heights, hash, .. } = pellets;
        cells.iter().for_each(|&cell| color_grid.clear(cell));
        color_grid.board().fall(gravity, cells);
        heights.fill(0);
        cells.iter().for_each(|&cell| heights[color_grid.board().line(cell, gravity)] += 1);
        cells.iter().zip(&*colors).for_each(|(&cell, &color)| color_grid.put(cell, color));
        let pellets = cells.iter().zip(&*colors).map(|(&cell, &color)| Pellet { cell, color });
        *hash = (0..).zip(pellets).fold(0, |hash, (i, pellet)| hash.wrapping_add(share(i, pellet)));
    }
}
