//! Wireworld without players: the cellular automaton under rezzo, in fast code. The worlds of rezzo
//! run on [`Board`]; experiments can use the automaton alone.
//!
//! A conductor becomes an electron if one or two of its eight neighbours are electrons; an electron
//! becomes a tail, a tail a conductor; blank cells stay. Worlds are tori; in one narrower than
//! three cells a wrapped neighbour counts as often as it occurs.
//!
//! [`Board`] is one world, 64 cells of a row in a word. [`Lanes`] are many worlds of one size, the
//! same cell of 512 worlds in eight words: for training, where many worlds change together.
//!
//! ```
//! use agon_games::rezzo::wireworld::{Board, Lanes, State};
//!
//! let mut board = Board::from_rows(&[" ,*... ", "       "]);
//! board.generation();
//! assert_eq!(board.to_rows(), [" .,*.. ", "       "]);
//! let mut lanes = Lanes::new(7, 2, 64);
//! lanes.put(5, &board);
//! lanes.generation();
//! board.generation();
//! assert_eq!(lanes.board(5), board);
//! assert_eq!(lanes.get(4, 1, 0), State::Blank);
//! ```

mod bits;
mod board;
mod lanes;

pub use board::Board;
pub use lanes::Lanes;

pub(crate) use bits::{Bits, LINE, Layout, each_bit, line};

use std::ops::Range;

/// The state of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Empty ground.
    #[default]
    Blank,
    /// Wire at rest.
    Conductor,
    /// The head of a signal.
    Electron,
    /// The end of a signal.
    Tail,
}

impl State {
    /// All states, each at its number.
    pub const ALL: [State; 4] = [State::Blank, State::Conductor, State::Electron, State::Tail];

    /// The state's character in map files.
    pub const fn to_char(self) -> char {
        [' ', '.', '*', ','][self as usize]
    }

    /// The state a character shows, if any.
    pub fn from_char(c: char) -> Option<State> {
        State::ALL.into_iter().find(|state| state.to_char() == c)
    }

    /// Makes a state from the bits of the three planes.
    fn of(wire: bool, electron: bool, tail: bool) -> State {
        match (wire, electron, tail) {
            (false, ..) => State::Blank,
            (_, true, _) => State::Electron,
            (_, _, true) => State::Tail,
            _ => State::Conductor,
        }
    }
}

/// The next electrons, 64 cells a word: wire at rest with one or two electrons around it.
///
/// `ones` and `twos` are the low and high bits of three numbers: the electrons in each row, or each
/// column, of the 3×3 box around a cell. The cell itself is in the box, but a conductor is no
/// electron and does not count. The sum is one or two in two cases: the low bits add up to one or
/// two and the high bits are 0, or the high bits add up to two and the low bits are 0. With the
/// sums this takes 13 operations with ternary logic, and 22 without.
#[inline(always)]
fn next_electrons(wires: u64, electrons: u64, tails: u64, ones: [u64; 3], twos: [u64; 3]) -> u64 {
    let [a, b, c] = ones;
    let [d, e, f] = twos;
    let one_or_two_ones = (a ^ b) | (b ^ c);
    let one_two = (d ^ e ^ f) & !(d & e);
    let fires = (one_or_two_ones & !(d | e | f)) | (one_two & !(a | b | c));
    fires & wires & !(electrons | tails)
}

/// The bits that are set in at least two of three words.
#[inline(always)]
fn majority(a: u64, b: u64, c: u64) -> u64 {
    (a & b) | (c & (a | b))
}

/// The most generations in one pass. A pass over a world of 4096×4096 cells works on some hundred
/// rows at a time, 200 kB.
const GENERATIONS: usize = 16;
/// Rows by which a pass advances in a step.
const BLOCK: usize = 64;

/// The rows that each *stage* of a pass works on, where a generation is one stage or several.
///
/// A stage reads a row and the two beside it, and changes the row, once the stages before it are
/// done with these. So each stage stays a row behind the one before it. On a torus it cannot start
/// at row 0 either, because the last row is not ready. So stage s leaves out the first s rows and
/// the last s. These rows, the *seam*, are worked on at the end of the pass, stage by stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wave {
    height: usize,
}

impl Wave {
    pub(crate) fn new(height: usize) -> Wave {
        Wave { height }
    }

    /// The number of generations to do in one pass, out of `left`, each in `stages` stages. It is
    /// even, because planes swap in each generation; or it is one, which needs no wave.
    pub(crate) fn generations(self, left: u64, stages: usize) -> usize {
        let fit = GENERATIONS.min(self.height / (2 * stages));
        let most = usize::try_from(left).map_or(fit, |left| left.min(fit));
        (most & !1).max(1)
    }

    /// The steps of a pass, each named by its first row.
    pub(crate) fn blocks(self) -> impl Iterator<Item = usize> {
        (0..self.height).step_by(BLOCK)
    }

    /// The rows of a stage in a step of the pass.
    pub(crate) fn rows(self, block: usize, stage: usize) -> Range<usize> {
        let behind = |row: usize| row.min(self.height).saturating_sub(stage).max(stage);
        behind(block)..behind(block + BLOCK)
    }

    /// The rows of a stage that are left at the end of the pass.
    pub(crate) fn seam(self, stage: usize) -> [Range<usize>; 2] {
        [self.height - stage..self.height, 0..stage]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does a pass, and fails if a stage works on a row before its turn, or not once.
    fn check(height: usize, stages: usize) {
        let wave = Wave::new(height);
        let mut done = vec![0; height];
        let mut work = |rows: Range<usize>, stage: usize| {
            for y in rows {
                assert_eq!(done[y], stage, "{height} rows, {stages} stages: row {y}");
                for beside in [(y + height - 1) % height, (y + 1) % height] {
                    let near = done[beside];
                    assert!(
                        (stage..=stage + 1).contains(&near),
                        "{height} rows, {stages} stages: {y}, {beside}"
                    );
                }
                done[y] += 1;
            }
        };
        for block in wave.blocks() {
            (0..stages).for_each(|stage| work(wave.rows(block, stage), stage));
        }
        for stage in 0..stages {
            wave.seam(stage).into_iter().for_each(|rows| work(rows, stage));
        }
        assert!(done.iter().all(|&done| done == stages));
    }

    #[test]
    fn every_stage_waits_for_the_one_before_it() {
        for height in [1, 2, 3, 4, 5, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200] {
            for stages in 1..=(height / 2).clamp(1, 3 * GENERATIONS) {
                check(height, stages);
            }
        }
    }

    #[test]
    fn passes_are_as_long_as_the_height_allows() {
        let generations = |height, left| Wave::new(height).generations(left, 3);
        assert_eq!(
            [1, 6, 11, 12, 23, 24, 4096].map(|height| generations(height, 1000)),
            [1, 1, 1, 2, 2, 4, 16]
        );
        assert_eq!(
            [1, 2, 3, 15, 17, u64::MAX].map(|left| generations(4096, left)),
            [1, 2, 2, 14, 16, 16]
        );
    }
}
