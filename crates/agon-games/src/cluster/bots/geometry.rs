//! [`Geometry`]: where lines and runs are on a board whose colours are bytes by spot, for deep
//! searches ([`super::game_tree`]).

use super::super::pellets::{EMPTY, HasRun, MARGIN, PART};
use super::super::{Board, COLORS, owner};
use crate::simd::{Kernel, Level};

/// Where lines run, by spots (see [`Board::spot`]): a step in a direction adds a constant.
#[derive(Debug)]
pub(super) struct Geometry {
    /// The steps to a neighbour by direction.
    pub(super) steps: [isize; 6],
    spots: usize,
    /// Bytes of a board: all spots, and a margin for comparisons beyond the last.
    pub(super) size: usize,
    /// The spots of all lines from the floor up, by gravity.
    pub(super) floor_up: [Vec<u16>; 6],
    /// Where the lines of an axis begin in `floor_up`, and the end of the last.
    starts: [Vec<usize>; 3],
    /// The line of each spot, by axis.
    pub(super) line_of: [Vec<u8>; 3],
    /// The column of each line, by gravity.
    columns: [Vec<u16>; 6],
    /// The length of a winning run.
    pub(super) run_length: usize,
}

impl Geometry {
    /// Lists the lines of a board.
    pub(super) fn new(board: &Board, run_length: u32) -> Geometry {
        let run_length = run_length as usize;
        let spots = board.spots();
        let size = spots.next_multiple_of(PART) + (run_length - 1) * board.stride();
        let mut floor_up: [Vec<u16>; 6] = Default::default();
        let mut starts: [Vec<usize>; 3] = Default::default();
        let mut line_of: [Vec<u8>; 3] = std::array::from_fn(|_| vec![0; spots]);
        for axis in 0..3 {
            for (number, line) in board.lines(axis as u8).enumerate() {
                starts[axis].push(floor_up[axis].len());
                let spots = || line.iter().map(|&cell| board.spot(cell) as u16);
                spots().for_each(|spot| line_of[axis][usize::from(spot)] = number as u8);
                floor_up[axis].extend(spots().rev());
                floor_up[axis + 3].extend(spots());
            }
            starts[axis].push(board.cells());
        }
        let columns = std::array::from_fn(|gravity| {
            let mut columns = vec![0; board.columns()];
            for column in 0..board.columns() {
                let top = board.top(column, gravity as u8);
                columns[board.line(top, gravity as u8)] = column as u16;
            }
            columns
        });
        let steps = std::array::from_fn(|direction| board.step(direction as u8));
        Geometry { steps, spots, size, floor_up, starts, line_of, columns, run_length }
    }

    /// Number of lines along an axis.
    pub(super) fn lines(&self) -> usize {
        self.columns[0].len()
    }

    /// The column that is a line along this gravity.
    pub(super) fn column(&self, gravity: u8, line: usize) -> u16 {
        self.columns[usize::from(gravity)][line]
    }

    /// The spots of a line from the floor up.
    pub(super) fn line(&self, gravity: usize, line: usize) -> &[u16] {
        let starts = &self.starts[gravity % 3];
        &self.floor_up[gravity][starts[line]..starts[line + 1]]
    }

    /// The steps along the three axes, towards higher spots.
    #[inline(always)]
    pub(super) fn axes(&self) -> [usize; 3] {
        [self.steps[0], self.steps[1], self.steps[5]].map(isize::unsigned_abs)
    }

    /// Whether a board has a run that is long enough to win.
    pub(super) fn has_run(&self, board: &[u8]) -> bool {
        let steps = self.axes();
        let run = HasRun { colors: board, spots: self.spots, steps, length: self.run_length };
        self.fits_run() && Level::best().run(run)
    }

    /// Whether the board has room for a run that wins.
    pub(super) fn fits_run(&self) -> bool {
        self.run_length <= self.lines()
    }

    /// The longest run of each player: its length, and the number of pellets of its colour on the
    /// board, which decides between equally long runs. If a player has such runs of both colours,
    /// the first one found counts, unlike in the game, which asks which pellet is newer.
    pub(super) fn longest_runs(&self, board: &[u8]) -> [(usize, usize); 2] {
        let mut best = [(0, EMPTY); 2];
        let color = |spot: &u16| board[usize::from(*spot)];
        for axis in 0..3 {
            for line in 0..self.lines() {
                for run in self.line(axis, line).chunk_by(|a, b| color(a) == color(b)) {
                    if color(&run[0]) != EMPTY {
                        let best = &mut best[owner(color(&run[0])).index()];
                        if run.len() > best.0 {
                            *best = (run.len(), color(&run[0]));
                        }
                    }
                }
            }
        }
        best.map(|(length, color)| (length, board.iter().filter(|&&other| other == color).count()))
    }
}

/// The change of the open lines, for player 0, if a pellet comes to rest on an empty spot.
///
/// Every stretch as long as a winning run that holds pellets of one colour only has the value
/// of their number squared.
pub(super) fn gain(geometry: &Geometry, board: &[u8], spot: usize, color: u8) -> i32 {
    let length = geometry.run_length;
    let mut gain = 0;
    for &step in &geometry.steps[..3] {
        let back = room(board, spot, -step, length - 1);
        let ahead = room(board, spot, step, length - 1);
        let at = |i: usize| board[spot.wrapping_add_signed(step * (i as isize - back as isize))];
        let mut counts = [0i32; COLORS];
        for end in 0..=back + ahead {
            if let Some(count) = counts.get_mut(usize::from(at(end))) {
                *count += 1;
            }
            if end >= length
                && let Some(count) = counts.get_mut(usize::from(at(end - length)))
            {
                *count -= 1;
            }
            if end + 1 >= length {
                gain -= stretch(counts);
                counts[usize::from(color)] += 1;
                gain += stretch(counts);
                counts[usize::from(color)] -= 1;
            }
        }
    }
    gain
}

/// The value of all open lines of a board, for player 0.
pub(super) fn open_lines(geometry: &Geometry, board: &[u8]) -> i32 {
    if geometry.fits_run() { Level::best().run(OpenLines { geometry, board }) } else { 0 }
}

/// Sums up the value of the stretches that start on each spot, along each axis, for many spots at a
/// time.
struct OpenLines<'a> {
    geometry: &'a Geometry,
    /// The colour on each spot.
    board: &'a [u8],
}

impl Kernel for OpenLines<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Geometry { run_length, .. } = self.geometry;
        let part =
            |first: usize| self.board[first..].first_chunk::<PART>().expect("parts are whole");
        let mut sum = 0;
        for first in (0..self.geometry.spots).step_by(PART) {
            for step in self.geometry.axes() {
                // The colour of the stretch so far, the number of its pellets, and whether there
                // is anything else in it.
                let mut colors = [EMPTY; PART];
                let mut counts = [0u8; PART];
                let mut blocked = [0u8; PART];
                for i in 0..*run_length {
                    let here = part(first + i * step);
                    for x in 0..PART {
                        let pellet = u8::from(here[x] != EMPTY);
                        let other = u8::from(colors[x] != EMPTY) & u8::from(here[x] != colors[x]);
                        blocked[x] |= u8::from(here[x] == MARGIN) | (pellet & other);
                        counts[x] += pellet;
                        colors[x] = colors[x].min(here[x]);
                    }
                }
                for x in 0..PART {
                    let count = i32::from(counts[x]) * i32::from(1 - blocked[x]);
                    let sign = 1 - 2 * i32::from(colors[x] & 1);
                    sum += sign * count * count;
                }
            }
        }
        sum
    }
}

/// The number of spots of the board in a row from a spot on, at most `most`.
fn room(board: &[u8], spot: usize, step: isize, most: usize) -> usize {
    let at = |i: usize| board[spot.wrapping_add_signed(step * i as isize)];
    (1..=most).take_while(|&i| at(i) != MARGIN).count()
}

/// The value of a stretch with so many pellets of each colour, for player 0.
fn stretch(counts: [i32; COLORS]) -> i32 {
    let evens = counts[0] + counts[2];
    let odds = counts[1] + counts[3];
    let mixed =
        (evens > 0 && odds > 0) || counts[0].min(counts[2]) > 0 || counts[1].min(counts[3]) > 0;
    if mixed { 0 } else { evens * evens - odds * odds }
}
