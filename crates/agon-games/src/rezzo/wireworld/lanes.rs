//! [`Lanes`]: many worlds of Wireworld of one size, which change together. For experiments and
//! training; matches do not use it.

use super::bits::{line, line_mut};
use super::{Board, LINE, State, majority, next_electrons};
use crate::simd::{Kernel, Level};

/// Any number of Wireworld boards of one size that change together, the same cell of 64 boards in a
/// word.
///
/// The planes are those of [`Board`], but cell by cell: first the words of the first cell of all
/// boards, then the words of the second. Neighbours are whole words apart, so nothing is shifted.
/// For each word of cells, a generation reads five words, writes one, and does 13 operations of
/// ternary logic. It is fastest for multiples of 512 boards, because then the sums of a column
/// serve three cells. 512 boards of 64×64 cells take 800 KiB, which fits the second cache of most
/// processors. With many more cells, several `Lanes` one after the other are faster than one.
///
/// The boards are tori, and each has its own wires. To put a board in and to take it out costs as
/// much as some hundred of its generations. So `Lanes` pay off for many generations.
///
/// ```
/// use agon_games::rezzo::wireworld::{Board, Lanes};
///
/// let start = Board::from_rows(&[" .*,  ", ".   . ", " ...  ", "      "]);
/// let mut lanes = Lanes::new(start.width(), start.height(), 64);
/// (0..64).for_each(|number| lanes.put(number, &start));
/// (0..1000).for_each(|_| lanes.generation());
/// let ends: Vec<Board> = (0..64).map(|number| lanes.board(number)).collect();
/// assert!(ends.iter().all(|end| end.electrons() == 1), "a loop keeps its signal");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    width: usize,
    height: usize,
    boards: usize,
    wires: Vec<u64>,
    electrons: Vec<u64>,
    tails: Vec<u64>,
}

impl Lanes {
    /// Blank boards.
    ///
    /// # Panics
    /// If a side, or the number of boards, is 0.
    pub fn new(width: usize, height: usize, boards: usize) -> Lanes {
        assert!(width > 0 && height > 0 && boards > 0, "boards have cells");
        let mut lanes = Lanes {
            width,
            height,
            boards,
            wires: Vec::new(),
            electrons: Vec::new(),
            tails: Vec::new(),
        };
        let words = lanes.stride() * height;
        for plane in [&mut lanes.wires, &mut lanes.electrons, &mut lanes.tails] {
            plane.resize(words, 0);
        }
        lanes
    }

    /// Cells in a row of each board.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of each board.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many boards there are.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// A cell of a board.
    ///
    /// # Panics
    /// If there is no such board or cell.
    pub fn get(&self, board: usize, x: usize, y: usize) -> State {
        let (word, bit) = self.place(board, x, y);
        let [wire, electron, tail] =
            [&self.wires, &self.electrons, &self.tails].map(|plane| plane[word] >> bit & 1 == 1);
        State::of(wire, electron, tail)
    }

    /// Replaces a cell of a board.
    ///
    /// # Panics
    /// If there is no such board or cell.
    pub fn set(&mut self, board: usize, x: usize, y: usize, state: State) {
        let (word, bit) = self.place(board, x, y);
        let width = self.width;
        let around = self.width * self.lanes();
        let values = [state != State::Blank, state == State::Electron, state == State::Tail];
        for (plane, value) in
            [&mut self.wires, &mut self.electrons, &mut self.tails].into_iter().zip(values)
        {
            let mut put =
                |word: usize| plane[word] = plane[word] & !(1 << bit) | u64::from(value) << bit;
            put(word);
            if x == 0 {
                put(word + around);
            }
            if x + 1 == width {
                put(word - around);
            }
        }
    }

    /// Replaces a board.
    ///
    /// # Panics
    /// If there is no such board, or the new one has another size.
    pub fn put(&mut self, number: usize, board: &Board) {
        assert_eq!(
            (board.width(), board.height()),
            (self.width, self.height),
            "all boards have one size"
        );
        for y in 0..self.height {
            for x in 0..self.width {
                self.set(number, x, y, board.get(x, y));
            }
        }
    }

    /// A copy of a board.
    ///
    /// # Panics
    /// If there is no such board.
    pub fn board(&self, number: usize) -> Board {
        let mut board = Board::new(self.width, self.height);
        for y in 0..self.height {
            for x in 0..self.width {
                board.set(x, y, self.get(number, x, y));
            }
        }
        board
    }

    /// Changes all cells of all boards at once.
    pub fn generation(&mut self) {
        self.generation_at(Level::best());
    }

    /// [`Lanes::generation`] compiled for a vector unit; the result is the same for all.
    ///
    /// # Panics
    /// If the processor lacks this vector unit.
    pub fn generation_at(&mut self, level: Level) {
        level.run(Generation(self));
        std::mem::swap(&mut self.electrons, &mut self.tails);
    }

    /// Words for a cell of all boards.
    #[inline]
    fn lanes(&self) -> usize {
        self.boards.div_ceil(64)
    }

    /// Words from a row to the next. A row holds a copy of its last cell, the cells, and a copy of
    /// its first cell, so that all cells have neighbours on both sides.
    fn stride(&self) -> usize {
        (self.width * self.lanes()).next_multiple_of(LINE) + 2 * self.lanes()
    }

    /// The word and the bit of a cell of a board.
    fn place(&self, board: usize, x: usize, y: usize) -> (usize, usize) {
        let inside = board < self.boards && x < self.width && y < self.height;
        assert!(inside, "there is no board {board}, column {x}, row {y}");
        (y * self.stride() + (x + 1) * self.lanes() + board / 64, board % 64)
    }
}

struct Generation<'a>(&'a mut Lanes);

impl Kernel for Generation<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let height = self.0.height;
        let stride = self.0.stride();
        for y in 0..height {
            let [above, below] = [(y + height - 1) % height, (y + 1) % height];
            let rows = [above, y, below].map(|y| &self.0.electrons[y * stride..][..stride]);
            let wires = &self.0.wires[y * stride..][..stride];
            let tails = &mut self.0.tails[y * stride..][..stride];
            let lanes = self.0.boards.div_ceil(64);
            let cells = self.0.width * self.0.boards.div_ceil(64);
            if lanes.is_multiple_of(LINE) {
                for lane in (0..lanes).step_by(LINE) {
                    next_lane(rows, wires, tails, lanes, lane);
                }
            } else {
                next_row(rows, wires, tails, lanes, cells);
            }
            tails.copy_within(cells..cells + lanes, 0);
            tails.copy_within(lanes..2 * lanes, cells + lanes);
        }
    }
}

/// Computes a row of 512 boards, cell by cell: the sums of a column are made once and serve three
/// cells.
#[inline(always)]
fn next_lane(rows: [&[u64]; 3], wires: &[u64], tails: &mut [u64], lanes: usize, lane: usize) {
    let mut west = column(rows, lane);
    let mut here = column(rows, lane + lanes);
    for at in (lane + lanes..wires.len() - lanes).step_by(lanes) {
        let east = column(rows, at + lanes);
        let wires = line::<LINE>(wires, at);
        let tails = line_mut::<LINE>(tails, at);
        *tails = next(wires, tails, &west, &here, &east);
        (west, here) = (here, east);
    }
}

/// Computes a row if the boards do not fill whole lines: a line is several cells.
#[inline(always)]
fn next_row(rows: [&[u64]; 3], wires: &[u64], tails: &mut [u64], lanes: usize, cells: usize) {
    for at in (lanes..lanes + cells).step_by(LINE) {
        let west = column(rows, at - lanes);
        let here = column(rows, at);
        let east = column(rows, at + lanes);
        let wires = line::<LINE>(wires, at);
        let tails = line_mut::<LINE>(tails, at);
        *tails = next(wires, tails, &west, &here, &east);
    }
}

/// Three cells above each other, for a line: the number of electrons, as numbers of two bits, and
/// the electrons in the middle. The compiler makes vectors of these plain arrays.
type Column = [[u64; LINE]; 3];

#[inline(always)]
fn column(rows: [&[u64]; 3], at: usize) -> Column {
    let above = line::<LINE>(rows[0], at);
    let here = line::<LINE>(rows[1], at);
    let below = line::<LINE>(rows[2], at);
    [
        std::array::from_fn(|i| above[i] ^ here[i] ^ below[i]),
        std::array::from_fn(|i| majority(above[i], here[i], below[i])),
        *here,
    ]
}

#[inline(always)]
fn next(
    wires: &[u64; LINE],
    tails: &[u64; LINE],
    west: &Column,
    here: &Column,
    east: &Column,
) -> [u64; LINE] {
    std::array::from_fn(|i| {
        let [ones, twos] = [0, 1].map(|bit| [west[bit][i], here[bit][i], east[bit][i]]);
        next_electrons(wires[i], here[2][i], tails[i], ones, twos)
    })
}
