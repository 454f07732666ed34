//! The value of open lines, by which the built-in bots `lookahead` and `tumbler` judge boards:
//! stretches that can still become a winning run.

use crate::simd::{Kernel, Level};

use super::super::COLORS;
use super::geometry::{EMPTY, Geometry, MARGIN, PART};

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
        for first in self.geometry.parts() {
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
