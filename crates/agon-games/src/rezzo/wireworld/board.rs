//! One world in bit planes.

use agon_simd::{Kernel, Level};

use super::{
    Bits, Layout, State,
    bits::{haunt, line, line_mut, shifted},
    majority, next_electrons,
};

/// A torus of Wireworld cells, in three planes of bits: wire in any state, electrons, tails.
///
/// A generation reads and writes 32 bits for 64 cells: wire never changes, tails become the electrons of before, so
/// the new electrons are written where the tails were, and the planes change places. Some 20 operations on words
/// make a word of 64 cells, with ternary logic.
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

    /// The board that rows of text show, in the characters of [`State::to_char`].
    ///
    /// # Panics
    /// If there is no cell, a row is not as long as the first, or a character shows no state.
    pub fn from_rows(rows: &[&str]) -> Board {
        let mut board = Board::new(rows.first().map_or(0, |row| row.chars().count()), rows.len());
        for (y, row) in rows.iter().enumerate() {
            assert_eq!(row.chars().count(), board.width(), "row {y} is as long as the first");
            for (x, c) in row.chars().enumerate() {
                let state = State::from_char(c);
                board.set(x, y, state.unwrap_or_else(|| panic!("row {y}, column {x}: {c:?} is no cell")));
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

    /// All cells change at once.
    pub fn generation(&mut self) {
        self.generation_at(Level::best());
    }

    /// [`Board::generation`] as compiled for a level; all levels do the same.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub fn generation_at(&mut self, level: Level) {
        match level {
            Level::Portable => level.run(Generation::<2>(self)),
            Level::Avx2 => level.run(Generation::<4>(self)),
            Level::Avx512 => level.run(Generation::<8>(self)),
        }
        std::mem::swap(&mut self.electrons, &mut self.tails);
    }
}

/// Writes the next electrons over the tails, `N` words of a row at a time and column by column of these, so that
/// the sums of a row are made once and serve three rows.
struct Generation<'a, const N: usize>(&'a mut Board);

impl<const N: usize> Kernel for Generation<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Board { layout, wires, electrons, tails } = self.0;
        let (layout, height) = (*layout, layout.height);
        let (wires, electrons, tails) = (&wires.words[..], &electrons.words[..], &mut tails.words[..]);
        for column in (0..layout.words()).step_by(N) {
            let mut above = sums::<N>(electrons, layout.row(height - 1) + column);
            let mut here = sums::<N>(electrons, layout.row(0) + column);
            for y in 0..height {
                let at = layout.row(y) + column;
                let next = if y + 1 == height { 0 } else { y + 1 };
                let below = sums::<N>(electrons, layout.row(next) + column);
                let (wires, electrons) = (line::<N>(wires, at), line::<N>(electrons, at));
                let tails = line_mut::<N>(tails, at);
                *tails = std::array::from_fn(|i| {
                    let [ones, twos] = [0, 1].map(|bit| [above[bit][i], here[bit][i], below[bit][i]]);
                    next_electrons(wires[i], electrons[i], tails[i], ones, twos)
                });
                (above, here) = (here, below);
            }
        }
        for y in 0..height {
            haunt(tails, layout, y);
        }
    }
}

/// How many of each cell and its neighbours to the west and east are electrons, as numbers of two bits.
#[inline(always)]
fn sums<const N: usize>(electrons: &[u64], at: usize) -> [[u64; N]; 2] {
    let [west, here, east] = shifted::<N>(electrons, at);
    let ones = std::array::from_fn(|i| west[i] ^ here[i] ^ east[i]);
    let twos = std::array::from_fn(|i| majority(west[i], here[i], east[i]));
    [ones, twos]
}
