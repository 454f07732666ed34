//! [`Board`]: one world of Wireworld in bit planes, and its next generations. The worlds of rezzo
//! run on it.

use std::ops::Range;

use super::bits::{line, line_mut, shifted, update_ghosts};
use super::{Bits, Layout, State, majority, next_electrons};
use crate::simd::{Kernel, Level};

/// A torus of Wireworld cells, in three planes of bits: wire in any state, electrons, tails.
///
/// Wire never changes, and electrons become tails. So a generation writes the new electrons over
/// the tails, and then the two planes swap. It reads and writes 32 bytes for 64 cells. With ternary
/// logic, some 20 operations on words make a word of 64 cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub(crate) layout: Layout,
    pub(crate) wires: Bits,
    pub(crate) electrons: Bits,
    pub(crate) tails: Bits,
}

impl Board {
    /// A blank board.
    ///
    /// # Panics
    /// If a side is 0.
    pub fn new(width: usize, height: usize) -> Board {
        let layout = Layout::new(width, height);
        let plane = || Bits::new(layout);
        Board { layout, wires: plane(), electrons: plane(), tails: plane() }
    }

    /// Makes the board that rows of text show, in the characters of [`State::to_char`].
    ///
    /// # Panics
    /// If there is no cell, a row is not as long as the first, or a character shows no state.
    pub fn from_rows(rows: &[&str]) -> Board {
        let mut board = Board::new(rows.first().map_or(0, |row| row.chars().count()), rows.len());
        for (y, row) in rows.iter().enumerate() {
            assert_eq!(row.chars().count(), board.width(), "row {y} is as long as the first");
            for (x, c) in row.chars().enumerate() {
                let state = State::from_char(c);
                board.set(
                    x,
                    y,
                    state.unwrap_or_else(|| panic!("row {y}, column {x}: {c:?} is no cell")),
                );
            }
        }
        board
    }

    /// The rows of the board as text.
    pub fn to_rows(&self) -> Vec<String> {
        let row = |y| (0..self.width()).map(|x| self.get(x, y).to_char()).collect();
        (0..self.height()).map(row).collect()
    }

    /// Cells in a row.
    pub fn width(&self) -> usize {
        self.layout.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.layout.height
    }

    /// A cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn get(&self, x: usize, y: usize) -> State {
        self.require(x, y);
        State::of(self.wires.get(x, y), self.electrons.get(x, y), self.tails.get(x, y))
    }

    /// Replaces a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn set(&mut self, x: usize, y: usize, state: State) {
        self.require(x, y);
        self.wires.set(x, y, state != State::Blank);
        self.electrons.set(x, y, state == State::Electron);
        self.tails.set(x, y, state == State::Tail);
    }

    fn require(&self, x: usize, y: usize) {
        assert!(x < self.width() && y < self.height(), "the board has no column {x}, row {y}");
    }

    /// How many electrons there are.
    pub fn electrons(&self) -> u64 {
        self.electrons.count()
    }

    /// Changes all cells at once.
    pub fn generation(&mut self) {
        self.generation_at(Level::best());
    }

    /// [`Board::generation`] compiled for a vector unit; the result is the same for all.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub fn generation_at(&mut self, level: Level) {
        self.write_next_electrons(level, 0..self.height());
        self.swap_planes();
    }

    /// Writes the next electrons of some rows over their tails.
    pub(crate) fn write_next_electrons(&mut self, level: Level, rows: Range<usize>) {
        match level {
            Level::Portable => level.run(Generation::<2> { board: self, rows }),
            Level::Avx2 => level.run(Generation::<4> { board: self, rows }),
            Level::Avx512 => level.run(Generation::<8> { board: self, rows }),
        }
    }

    /// Ends a generation: the new electrons, which are where the tails were, become the electrons,
    /// and the old electrons become the tails.
    pub(crate) fn swap_planes(&mut self) {
        std::mem::swap(&mut self.electrons, &mut self.tails);
    }
}

/// Rows that are worked on column by column before the next rows, so that they stay in the caches
/// on a wide board.
const TILE: usize = 64;

/// Writes the next electrons of some rows over the tails. It goes down columns of `N` words, so
/// that the sums of a row are made once and serve three rows.
struct Generation<'a, const N: usize> {
    board: &'a mut Board,
    rows: Range<usize>,
}

impl<const N: usize> Kernel for Generation<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Board { layout, wires, electrons, tails } = self.board;
        let wires = &wires.words[..];
        let electrons = &electrons.words[..];
        let tails = &mut tails.words[..];
        for top in self.rows.clone().step_by(TILE) {
            let rows = top..self.rows.end.min(top + TILE);
            for column in (0..layout.words()).step_by(N) {
                next_column::<N>(*layout, wires, electrons, tails, rows.clone(), column);
            }
            update_ghosts(tails, *layout, rows);
        }
    }
}

/// Writes the next electrons of a column of `N` words.
#[inline(always)]
fn next_column<const N: usize>(
    layout: Layout,
    wires: &[u64],
    electrons: &[u64],
    tails: &mut [u64],
    rows: Range<usize>,
    column: usize,
) {
    let above = if rows.start == 0 { layout.height } else { rows.start } - 1;
    let mut above = sums::<N>(electrons, layout.row(above) + column);
    let mut here = sums::<N>(electrons, layout.row(rows.start) + column);
    for y in rows {
        let at = layout.row(y) + column;
        let next = if y + 1 == layout.height { 0 } else { y + 1 };
        let below = sums::<N>(electrons, layout.row(next) + column);
        let wires = line::<N>(wires, at);
        let electrons = line::<N>(electrons, at);
        let tails = line_mut::<N>(tails, at);
        *tails = std::array::from_fn(|i| {
            let [ones, twos] = [0, 1].map(|bit| [above[bit][i], here[bit][i], below[bit][i]]);
            next_electrons(wires[i], electrons[i], tails[i], ones, twos)
        });
        (above, here) = (here, below);
    }
}

/// For each cell, the number of electrons among it and its western and eastern neighbours, as a
/// number of two bits.
#[inline(always)]
fn sums<const N: usize>(electrons: &[u64], at: usize) -> [[u64; N]; 2] {
    let [west, here, east] = shifted::<N>(electrons, at);
    let ones = std::array::from_fn(|i| west[i] ^ here[i] ^ east[i]);
    let twos = std::array::from_fn(|i| majority(west[i], here[i], east[i]));
    [ones, twos]
}
