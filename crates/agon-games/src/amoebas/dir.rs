//! The eight directions, sets of them, and positions relative to an amoeba.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position relative to an amoeba: `(dx, dy)`, x to the east, y to the south.
pub type Offset = (i32, i32);

/// One of the eight directions: 0 north-west, then clockwise to 7 west.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "i64", into = "u8")]
#[schemars(with = "u8", extend("minimum" = 0, "maximum" = 7))]
pub struct Dir(u8);

const OFFSETS: [Offset; 8] = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)];

impl Dir {
    /// North-west.
    pub const NW: Dir = Dir(0);
    /// North.
    pub const N: Dir = Dir(1);
    /// North-east.
    pub const NE: Dir = Dir(2);
    /// East.
    pub const E: Dir = Dir(3);
    /// South-east.
    pub const SE: Dir = Dir(4);
    /// South.
    pub const S: Dir = Dir(5);
    /// South-west.
    pub const SW: Dir = Dir(6);
    /// West.
    pub const W: Dir = Dir(7);

    /// All directions, by number.
    pub const ALL: [Dir; 8] = [Dir(0), Dir(1), Dir(2), Dir(3), Dir(4), Dir(5), Dir(6), Dir(7)];

    /// The direction of a number 0 to 7.
    pub const fn new(number: u8) -> Option<Dir> {
        if number < 8 { Some(Dir(number)) } else { None }
    }

    /// The direction that an answer of a bot names.
    ///
    /// Only the low 32 bits count, as for an index into a Clojure vector. So species that compute
    /// with large numbers act as in the original game: 4294967299 is 3, but -1 and 8 are no
    /// directions.
    pub fn from_answer(number: i64) -> Option<Dir> {
        Dir::new(u8::try_from(number as i32).ok()?)
    }

    /// The number, 0 to 7.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The cell next to an amoeba in this direction.
    pub const fn offset(self) -> Offset {
        OFFSETS[self.0 as usize]
    }

    /// The direction in which a neighbour lies; `None` for all other positions.
    pub fn of(offset: Offset) -> Option<Dir> {
        Dir::ALL.into_iter().find(|dir| dir.offset() == offset)
    }

    /// This direction turned clockwise by `eighths` of a full turn; negative numbers turn the other
    /// way.
    pub const fn turned(self, eighths: i32) -> Dir {
        Dir((self.0 as i32 + eighths).rem_euclid(8) as u8)
    }

    /// The opposite direction.
    pub const fn away(self) -> Dir {
        self.turned(4)
    }
}

impl From<Dir> for u8 {
    fn from(dir: Dir) -> u8 {
        dir.0
    }
}

/// See [`Dir::from_answer`].
impl TryFrom<i64> for Dir {
    type Error = String;

    fn try_from(number: i64) -> Result<Dir, String> {
        Dir::from_answer(number)
            .ok_or_else(|| format!("direction {number} is not one of 0 (north-west) to 7 (west)"))
    }
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["NW", "N", "NE", "E", "SE", "S", "SW", "W"][usize::from(self.0)])
    }
}

/// A set of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dirs(u8);

impl Dirs {
    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of directions in it.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The directions in it, by number.
    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Dir> + Clone {
        Members(self.0)
    }

    /// The set of the directions that are `true`, by number.
    #[inline]
    pub(super) fn which(wanted: [bool; 8]) -> Dirs {
        Dirs((0..8).fold(0, |set, number| set | u8::from(wanted[number]) << number))
    }
}

/// An iterator over a set, from both ends.
#[derive(Clone)]
struct Members(u8);

impl Iterator for Members {
    type Item = Dir;

    #[inline]
    fn next(&mut self) -> Option<Dir> {
        let dir = Dir::new(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(dir)
    }
}

impl DoubleEndedIterator for Members {
    #[inline]
    fn next_back(&mut self) -> Option<Dir> {
        let dir = Dir(self.0.checked_ilog2()? as u8);
        self.0 ^= 1 << dir.0;
        Some(dir)
    }
}

impl FromIterator<Dir> for Dirs {
    fn from_iter<I: IntoIterator<Item = Dir>>(dirs: I) -> Dirs {
        Dirs(dirs.into_iter().fold(0, |set, dir| set | 1 << dir.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_go_round() {
        assert_eq!(Dir::NW.turned(-1), Dir::W);
        assert_eq!(Dir::W.turned(1), Dir::NW);
        assert_eq!(Dir::NE.away(), Dir::SW);
        for dir in Dir::ALL {
            assert_eq!(Dir::of(dir.offset()), Some(dir));
        }
        assert_eq!(Dir::of((0, 0)), None);
    }

    #[test]
    fn numbers_wrap_at_32_bits_only() {
        let number = |n| Dir::from_answer(n).map(Dir::number);
        assert_eq!([3, 4_294_967_299, -4_294_967_293].map(number), [Some(3); 3]);
        assert_eq!([-1, 8, 256, 4_294_967_304, i64::MAX].map(number), [None; 5]);
    }

    #[test]
    fn sets_keep_the_order_of_numbers() {
        let set: Dirs = [Dir::W, Dir::N, Dir::W].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Dir::N, Dir::W]);
        assert_eq!((set.len(), set.is_empty(), Dirs::default().is_empty()), (2, false, true));
        for bits in 0..=u8::MAX {
            let dirs = || Dir::ALL.into_iter().filter(|dir| bits >> dir.0 & 1 == 1);
            assert!(Dirs(bits).iter().eq(dirs()) && Dirs(bits).iter().rev().eq(dirs().rev()));
            assert_eq!(
                Dirs::which(Dir::ALL.map(|dir| dirs().any(|other| other == dir))),
                Dirs(bits)
            );
        }
    }
}
