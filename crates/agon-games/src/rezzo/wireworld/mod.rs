//! Wireworld without players: the cellular automaton under rezzo, in fast code. The worlds of rezzo
//! run on [`Board`]; experiments can use the automaton alone.
//!
//! A conductor becomes an electron if one or two of its eight neighbours are electrons; an electron
//! becomes a tail, a tail a conductor; blank cells stay. Worlds are tori; in one narrower than
//! three cells a wrapped neighbour counts as often as it occurs.
//!
//! [`Board`] is one world, 64 cells of a row in a word; it can run many generations in one pass over
//! its rows ([`Board::generations`]). [`Lanes`] are many worlds of one size, the same cell of 512
//! worlds in eight words: for training, where many worlds change together.
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

/// What a cell can be.
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

    /// The character of map files.
    pub const fn to_char(self) -> char {
        [' ', '.', '*', ','][self as usize]
    }

    /// The state a character shows, if any.
    pub fn from_char(c: char) -> Option<State> {
        State::ALL.into_iter().find(|state| state.to_char() == c)
    }

    /// From the bits of the three planes: whether it is wire, electron, tail.
    fn of(wire: bool, electron: bool, tail: bool) -> State {
        match (wire, electron, tail) {
            (false, ..) => State::Blank,
            (_, true, _) => State::Electron,
            (_, _, true) => State::Tail,
            _ => State::Conductor,
        }
    }
}

/// Where the next electrons are, 64 cells a word: on wire at rest around which one or two electrons
/// are.
///
/// `ones` and `twos` are the electrons in the three rows of the box around each cell, or in its
/// three columns, as numbers of two bits. A cell is in its own box: a conductor is no electron, so
/// it does not count itself. There are one or two if the low bits make one or two and the high bits
/// nothing, or the high bits make two and the low bits nothing. 13 operations with ternary logic,
/// and 22 without, together with the sums.
#[inline(always)]
fn next_electrons(wires: u64, electrons: u64, tails: u64, ones: [u64; 3], twos: [u64; 3]) -> u64 {
    let ([a, b, c], [d, e, f]) = (ones, twos);
    let one_or_two_ones = (a ^ b) | (b ^ c);
    let one_two = (d ^ e ^ f) & !(d & e);
    let fires = (one_or_two_ones & !(d | e | f)) | (one_two & !(a | b | c));
    fires & wires & !(electrons | tails)
}

/// The bits that are set in two of three words at least.
#[inline(always)]
fn majority(a: u64, b: u64, c: u64) -> u64 {
    (a & b) | (c & (a | b))
}
