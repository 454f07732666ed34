//! [`ColorGrid`]: the colours on the board, laid out so that adding a number leads to a neighbour.
//! With it the rules find runs fast after every move.

use std::sync::Arc;

use crate::simd::{Kernel, Level};

use super::{Board, Cell};

/// No pellet.
const EMPTY: u8 = u8::MAX;

/// A spot of the margin.
const MARGIN: u8 = EMPTY - 1;

/// The colour on each spot of a board (see [`Board::spot`]), a byte each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColorGrid {
    board: Arc<Board>,
    colors: Vec<u8>,
}

/// Number of spots that are compared together.
const PART: usize = 64;

/// The longest run that [`ColorGrid::may_have_run`] looks for.
const MAX_RUN: usize = 4;

impl ColorGrid {
    /// A grid without pellets.
    pub(super) fn new(board: Arc<Board>) -> ColorGrid {
        // Padded, so that the last part and the parts compared with it are whole.
        let spots = board.spots().next_multiple_of(PART) + (MAX_RUN - 1) * board.stride();
        let mut colors = vec![MARGIN; spots];
        (0..board.cells() as Cell).for_each(|cell| colors[board.spot(cell)] = EMPTY);
        ColorGrid { board, colors }
    }

    /// The geometry.
    #[inline(always)]
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The colour on a cell.
    pub(super) fn color_at(&self, cell: Cell) -> Option<u8> {
        let color = self.colors[self.board.spot(cell)];
        (color != EMPTY).then_some(color)
    }

    /// Whether nothing lies on a cell.
    pub(super) fn is_free(&self, cell: Cell) -> bool {
        self.colors[self.board.spot(cell)] == EMPTY
    }

    /// Puts a colour on a cell.
    #[inline(always)]
    pub(super) fn put(&mut self, cell: Cell, color: u8) {
        self.colors[self.board.spot(cell)] = color;
    }

    /// Removes the colour from a cell.
    #[inline(always)]
    pub(super) fn clear(&mut self, cell: Cell) {
        self.put(cell, EMPTY);
    }

    /// The number of cells of a colour in a row after `cell` in a direction.
    fn count_behind(&self, cell: Cell, direction: u8, color: u8) -> usize {
        let step = self.board.step(direction);
        let mut spot = self.board.spot(cell);
        for length in 0.. {
            spot = spot.wrapping_add_signed(step);
            if self.colors[spot] != color {
                return length;
            }
        }
        unreachable!("every line ends at the margin")
    }

    /// The longest run of a colour through `cell`, over the three axes. `cell` itself always
    /// counts.
    pub(super) fn run_through(&self, cell: Cell, color: u8) -> u32 {
        let both = |axis| {
            self.count_behind(cell, axis, color) + self.count_behind(cell, axis + 3, color) + 1
        };
        both(0).max(both(1)).max(both(2)) as u32
    }

    /// Whether there may be a run of this length. `false` is certain, and `true` is certain for
    /// lengths up to four.
    pub(super) fn may_have_run(&self, length: u32) -> bool {
        let length = MAX_RUN.min(length as usize);
        Level::best().run(HasRun { color_grid: self, length })
    }
}

/// Finds out whether any spot has the colour of the next `length - 1` spots along an axis. It
/// compares the bytes of 64 spots at a time, once for each axis and each spot of the run.
struct HasRun<'a> {
    color_grid: &'a ColorGrid,
    length: usize,
}

impl Kernel for HasRun<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let board = &self.color_grid.board;
        let colors = &self.color_grid.colors;
        let steps = [board.stride(), board.stride() - 1, 1];
        let mut found = [0; PART];
        for first in (0..board.spots()).step_by(PART) {
            let part =
                |first: usize| colors[first..].first_chunk::<PART>().expect("parts are whole");
            let here = part(first);
            for step in steps {
                let mut run = here.map(|color| u8::from(color < MARGIN));
                for i in 1..self.length {
                    let there = part(first + i * step);
                    for x in 0..PART {
                        run[x] &= u8::from(here[x] == there[x]);
                    }
                }
                for x in 0..PART {
                    found[x] |= run[x];
                }
            }
        }
        found != [0; PART]
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn runs_are_found_in_all_directions_by_all_levels() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let mut with = 0;
        let mut without = 0;
        for side in [2, 3, 5, 12, 17] {
            for _ in 0..100 {
                let board = Board::shared(side);
                let mut color_grid = ColorGrid::new(board.clone());
                for cell in 0..board.cells() as Cell {
                    if rng.chance(1, 3) {
                        color_grid.put(cell, rng.below(4) as u8);
                    }
                }
                for length in 2..=4 {
                    let runs = |cell| {
                        let color = color_grid.color_at(cell)?;
                        let alike = |cell| color_grid.color_at(cell) == Some(color);
                        let run = board.run_through(cell, alike);
                        assert_eq!(color_grid.run_through(cell, color), run);
                        Some(run)
                    };
                    let expected =
                        (0..board.cells() as Cell).filter_map(runs).any(|run| run >= length);
                    for level in Level::available() {
                        let found =
                            level.run(HasRun { color_grid: &color_grid, length: length as usize });
                        assert_eq!(found, expected, "side {side}, length {length}, {level}");
                    }
                    *if expected { &mut with } else { &mut without } += 1;
                }
            }
        }
        assert!(with > 100 && without > 100, "{with} with, {without} without");
    }
}
