//! Wireworld without players: the cellular automaton under rezzo, in fast code. The worlds of rezzo
//! run on [`Board`]; experiments can use the automaton alone.
//!
//! A conductor becomes an electron if one or two of its eight neighbours are electrons; an electron
//! becomes a tail, a tail a conductor; blank cells stay. Worlds are tori; in one narrower than
//! three cells a wrapped neighbour counts as often as it occurs.
//!
//! [`Board`] is one world, 64 cells of a row in a word; it can run many generations in one pass
//! over its rows ([`Board::generations`]). [`Lanes`] are many worlds of one size, the same cell of
//! 512 worlds in eight words: for training, where many worlds change together.
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
mod wave;

pub(crate) use bits::{Bits, LINE, Layout, each_bit, line};
pub use board::Board;
pub use lanes::Lanes;
pub(crate) use wave::Wave;

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
