//! The shape of the world: neighbours on a torus, and the division of its cells into classes. The
//! cells of a class are so far apart that their amoebas can be asked together.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tables that make relative positions cheap. Depends on the settings only.
#[derive(Debug)]
pub(super) struct Torus {
    size: usize,
    view_distance: i32,
    /// Column of `x`, for x from `-view_distance` to `size - 1 + view_distance`, shifted to begin
    /// at 0.
    columns: Vec<u32>,
    /// Index of the first cell of row `y`, shifted like `columns`.
    rows: Vec<u32>,
    /// The division of a side into classes.
    axis: Axis,
    /// For each cell, whether its window lies within the edges. Then plain steps lead to all cells
    /// in it.
    is_inner: Vec<bool>,
    /// The difference of index to the neighbour in each direction, for inner cells.
    steps: [isize; 8],
    /// The positions of each direction's section, see [`section`](section()).
    pub(super) sections: [Vec<Offset>; 8],
}

impl Torus {
    pub(super) fn new(size: u32, view_distance: u32) -> Torus {
        let width = size as i32;
        let reach = view_distance as i32;
        let columns: Vec<u32> =
            (-reach..width + reach).map(|x| x.rem_euclid(width) as u32).collect();
        let axis = Axis::new(size as usize, view_distance as usize + 2);
        let inner = |at: i32| at >= reach && at + reach < width;
        Torus {
            size: size as usize,
            view_distance: reach,
            rows: columns.iter().map(|row| row * size).collect(),
            columns,
            axis,
            is_inner: (0..width)
                .flat_map(|y| (0..width).map(move |x| inner(x) && inner(y)))
                .collect(),
            steps: Dir::ALL.map(|dir| (dir.offset().1 * width + dir.offset().0) as isize),
            sections: Dir::ALL.map(|dir| section(dir, reach).collect()),
        }
    }

    pub(super) fn view_distance(&self) -> i32 {
        self.view_distance
    }

    /// Column and row of a cell.
    #[inline]
    pub(super) fn place(&self, cell: usize) -> (u32, u32) {
        (cell as u32 % self.size as u32, cell as u32 / self.size as u32)
    }

    /// The cell at an offset of at most the view distance from a place.
    #[inline]
    pub(super) fn cell(&self, (x, y): (u32, u32), (dx, dy): Offset) -> usize {
        let column = self.columns[(x as i32 + self.view_distance + dx) as usize];
        let row = self.rows[(y as i32 + self.view_distance + dy) as usize];
        (row + column) as usize
    }

    /// Whether the window around the cell lies within the edges.
    #[inline]
    pub(super) fn is_inner(&self, cell: usize) -> bool {
        self.is_inner[cell]
    }

    /// The difference of index from an inner cell to the neighbour in each direction.
    #[inline]
    pub(super) fn steps(&self) -> [isize; 8] {
        self.steps
    }

    /// The cell at an offset of at most the view distance from another.
    #[inline]
    pub(super) fn beside(&self, cell: usize, (dx, dy): Offset) -> usize {
        if self.is_inner(cell) {
            return cell.wrapping_add_signed(dy as isize * self.size as isize + dx as isize);
        }
        self.cell(self.place(cell), (dx, dy))
    }

    /// The cell next to another.
    #[inline]
    pub(super) fn neighbor(&self, cell: usize, dir: Dir) -> usize {
        if self.is_inner(cell) {
            return cell.wrapping_add_signed(self.steps[usize::from(dir.number())]);
        }
        self.cell(self.place(cell), dir.offset())
    }

    /// Number of classes of cells.
    pub(super) fn classes(&self) -> usize {
        self.axis.classes.pow(2)
    }

    /// The rows with cells of a class, and a bit for each of their columns in it.
    pub(super) fn class(&self, class: usize) -> (&[u32], &[u64]) {
        let Axis { classes, members, masks, .. } = &self.axis;
        (&members[class / classes], &masks[class % classes])
    }
}

/// A ring of cells cut into classes, such that two cells of one class are far apart.
///
/// The ring of `size` is cut into `size / distance` blocks of nearly equal lengths (block `b` of
/// `k` begins at `b * size / k`, rounded down), and a cell's class is its offset within its block.
/// No block is shorter than `distance`, so from one offset to the same one in the next block it is
/// at least that far, all around the ring. A ring shorter than `distance` is one block: every cell
/// is a class of its own.
#[derive(Debug)]
pub(super) struct Axis {
    classes: usize,
    /// The cells of each class.
    members: Vec<Vec<u32>>,
    /// The same as bits.
    masks: Vec<Vec<u64>>,
}

impl Axis {
    fn new(size: usize, distance: usize) -> Axis {
        let blocks = (size / distance).max(1);
        let start = |block: usize| block * size / blocks;
        let offsets: Vec<usize> = (0..blocks).flat_map(|b| 0..start(b + 1) - start(b)).collect();
        let classes = size.div_ceil(blocks);
        let mut members = vec![Vec::new(); classes];
        let mut masks = vec![vec![0; size.div_ceil(64)]; classes];
        for (cell, &class) in offsets.iter().enumerate() {
            members[class].push(cell as u32);
            masks[class][cell / 64] |= 1 << (cell % 64);
        }
        Axis { classes, members, masks }
    }
}

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

/// The positions of the section in a direction: a square for the corners, a triangle for the sides.
/// All contain the amoeba's own position, and they overlap.
pub fn section(dir: Dir, view_distance: i32) -> impl Iterator<Item = Offset> {
    let (x, y) = dir.offset();
    (0..=view_distance).flat_map(move |a| {
        let width = if x != 0 && y != 0 { view_distance } else { 2 * a };
        (0..=width).map(move |b| match (x, y) {
            (0, _) => (b - a, y * a),
            (_, 0) => (x * a, b - a),
            _ => (x * a, y * b),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{super::helpers, *};

    /// The class of each cell.
    fn offsets(axis: &Axis) -> Vec<usize> {
        let class = |cell: u32| axis.members.iter().position(|members| members.contains(&cell));
        (0..).map_while(class).collect()
    }

    #[test]
    fn cells_of_a_class_cannot_see_what_the_others_do() {
        for view_distance in 1..=10 {
            for size in 3..=120 {
                let distance = view_distance + 2;
                let axis = Axis::new(size, distance);
                let offsets = offsets(&axis);
                assert_eq!(offsets.len(), size);
                for a in 0..size {
                    assert!(offsets[a] < axis.classes);
                    for b in (a + 1..size).filter(|&b| offsets[a] == offsets[b]) {
                        let apart = (b - a).min(size - (b - a));
                        assert!(apart >= distance, "{a} and {b} of {size}, distance {distance}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_classes_than_needed() {
        assert_eq!(Torus::new(200, 3).classes(), 25);
        assert_eq!(Torus::new(203, 3).classes(), 36);
        assert_eq!(Torus::new(4, 3).classes(), 16);
        assert_eq!(offsets(&Axis::new(11, 5)), [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_cell_is_in_its_class_and_beside_its_neighbours() {
        for (size, view_distance) in [(3, 1), (11, 3), (23, 2), (5, 10), (130, 4)] {
            let torus = Torus::new(size, view_distance);
            let mut seen = vec![0; (size * size) as usize];
            let offsets = offsets(&torus.axis);
            for class in 0..torus.classes() {
                let (rows, columns) = torus.class(class);
                for (&y, x) in rows.iter().flat_map(|y| (0..size).map(move |x| (y, x))) {
                    if columns[x as usize / 64] >> (x % 64) & 1 == 1 {
                        let offset = |at: u32| offsets[at as usize];
                        assert_eq!(offset(y) * torus.axis.classes + offset(x), class);
                        seen[(y * size + x) as usize] += 1;
                    }
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "size {size}");
            let reach = view_distance as i32;
            for cell in 0..seen.len() {
                let place = torus.place(cell);
                for dir in Dir::ALL {
                    assert_eq!(torus.neighbor(cell, dir), torus.cell(place, dir.offset()));
                }
                for offset in helpers::environment(reach) {
                    assert_eq!(torus.beside(cell, offset), torus.cell(place, offset));
                }
            }
            let inner = torus.is_inner.iter().filter(|&&inner| inner).count() as u32;
            assert_eq!(inner, size.saturating_sub(2 * view_distance).pow(2));
        }
    }

    #[test]
    fn positions_wrap_even_where_the_view_is_wider_than_the_world() {
        let torus = Torus::new(3, 10);
        assert_eq!(torus.cell((0, 0), (-1, -1)), 8);
        assert_eq!(torus.cell((2, 1), (10, -10)), 0);
        assert_eq!(torus.place(7), (1, 2));
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
