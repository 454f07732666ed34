//! [`Bits`]: a torus with one bit per cell, the memory of the boards of Wireworld and of the worlds
//! of rezzo.
//!
//! Row by row, 64 cells a word, the first cell in the lowest bit. Beside each row are two *ghosts*,
//! copies of the cells at its other end, so that a row can be shifted by a cell as if it did not
//! wrap. The one to the right is the bit after the last cell; the one to the left is the highest
//! bit of the word before the row. Every row has a spare word for them and is a whole number of
//! lines long. All other spare bits are 0, and ghosts are always up to date: equal cells are equal
//! words.

use std::ops::Range;

/// Words that are worked on together: 512 bits, one vector or several.
pub(crate) const LINE: usize = 8;
/// Words before the first row; the last of them has its left ghost.
const LEAD: usize = LINE;

/// The layout of cells in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Words from a row to the next.
    pub(crate) stride: usize,
}

impl Layout {
    /// # Panics
    /// If a side is 0.
    pub(crate) fn new(width: usize, height: usize) -> Layout {
        assert!(width > 0 && height > 0, "a world has cells");
        Layout { width, height, stride: (width.div_ceil(64) + 1).next_multiple_of(LINE) }
    }

    /// Words of a row that hold cells.
    pub(crate) fn words(self) -> usize {
        self.width.div_ceil(64)
    }

    /// Lines of a row that hold cells.
    pub(crate) fn lines(self) -> usize {
        self.words().div_ceil(LINE)
    }

    /// The first word of a row.
    #[inline(always)]
    pub(crate) fn row(self, y: usize) -> usize {
        LEAD + y * self.stride
    }

    /// Which bits of a word of a row are cells.
    #[inline(always)]
    pub(crate) fn cells(self, word: usize) -> u64 {
        match self.width.saturating_sub(word * 64) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => !0,
        }
    }

    /// Which bits of a line of a row are cells.
    #[inline(always)]
    pub(crate) fn mask(self, number: usize) -> [u64; LINE] {
        std::array::from_fn(|i| self.cells(number * LINE + i))
    }

    fn len(self) -> usize {
        // A shift of the last row reads one word after it.
        self.row(self.height) + 1
    }
}

/// One bit per cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    layout: Layout,
    pub(crate) words: Vec<u64>,
}

impl Bits {
    pub(crate) fn new(layout: Layout) -> Bits {
        Bits { layout, words: vec![0; layout.len()] }
    }

    #[inline]
    pub(crate) fn get(&self, x: usize, y: usize) -> bool {
        self.words[self.layout.row(y) + x / 64] >> (x % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, x: usize, y: usize, value: bool) {
        let width = self.layout.width;
        let row = self.layout.row(y);
        put(&mut self.words[row + x / 64], x % 64, value);
        if x == 0 {
            put(&mut self.words[row + width / 64], width % 64, value);
        }
        if x + 1 == width {
            put(&mut self.words[row - 1], 63, value);
        }
    }

    /// The 3×3 box around a cell: three bits a row, the lowest for the north-west.
    #[inline]
    pub(crate) fn around(&self, x: usize, y: usize) -> u16 {
        let height = self.layout.height;
        let above = if y == 0 { height - 1 } else { y - 1 };
        let below = if y + 1 == height { 0 } else { y + 1 };
        let three = |y: usize| {
            let bit = self.layout.row(y) * 64 + x - 1;
            let pair =
                u128::from(self.words[bit / 64]) | u128::from(self.words[bit / 64 + 1]) << 64;
            (pair >> (bit % 64)) as u16 & 7
        };
        three(above) | three(y) << 3 | three(below) << 6
    }

    /// A bit for each cell of a word that is set, or whose western or eastern neighbour is.
    #[inline(always)]
    pub(crate) fn beside(&self, at: usize) -> u64 {
        let here = self.words[at];
        here | here << 1 | self.words[at - 1] >> 63 | here >> 1 | self.words[at + 1] << 63
    }

    /// How many bits are set.
    pub(crate) fn count(&self) -> u64 {
        let words = self.layout.words();
        let last = self.layout.width.div_ceil(64) - 1;
        let cells = |y: usize| {
            let row = &self.words[self.layout.row(y)..][..words];
            let mask = self.layout.mask(last / LINE)[last % LINE];
            row[..last].iter().map(|word| word.count_ones()).sum::<u32>()
                + (row[last] & mask).count_ones()
        };
        (0..self.layout.height).map(|y| u64::from(cells(y))).sum()
    }

    /// Columns and rows of the bits that are set, row by row.
    pub(crate) fn ones(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let Layout { width, height, .. } = self.layout;
        (0..height).flat_map(move |y| {
            let row = &self.words[self.layout.row(y)..][..self.layout.words()];
            row.iter().enumerate().flat_map(move |(i, &word)| {
                each_bit(word).map(move |bit| (i * 64 + bit, y)).filter(move |&(x, _)| x < width)
            })
        })
    }

    /// Updates the ghosts of a row.
    #[inline(always)]
    pub(crate) fn update_ghosts(&mut self, y: usize) {
        update_ghosts(&mut self.words, self.layout, y..y + 1);
    }
}

/// Updates the ghosts of some rows, and those in their spare words.
#[inline(always)]
pub(crate) fn update_ghosts(words: &mut [u64], layout: Layout, rows: Range<usize>) {
    let Layout { width, stride, .. } = layout;
    let start = layout.row(rows.start);
    let end = layout.row(rows.end);
    let last = (width - 1) / 64;
    let right = width / 64;
    assert!(last + 1 < stride && right < stride, "rows have a spare word");
    for row in words[start..end].chunks_exact_mut(stride) {
        row[right] = row[right] & !(1 << (width % 64)) | (row[0] & 1) << (width % 64);
    }
    // Shifted by one word: each chunk is the word before a row, then the row without its last word.
    // The spare words of the last row may hold the left ghost of the row after it.
    let end = layout.row(layout.height.min(rows.end + 1));
    for row in words[start - 1..end - 1].chunks_exact_mut(stride) {
        row[0] = row[0] & (!0 >> 1) | row[last + 1] >> ((width - 1) % 64) << 63;
    }
}

#[inline(always)]
fn put(word: &mut u64, bit: usize, value: bool) {
    *word = *word & !(1 << bit) | u64::from(value) << bit;
}

/// The numbers of the bits that are set, ascending.
pub(crate) fn each_bit(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// `N` words from an index.
#[inline(always)]
pub(crate) fn line<const N: usize>(words: &[u64], at: usize) -> &[u64; N] {
    words[at..].first_chunk().expect("lines are within the plane")
}

/// `N` words from an index, mutable.
#[inline(always)]
pub(crate) fn line_mut<const N: usize>(words: &mut [u64], at: usize) -> &mut [u64; N] {
    words[at..].first_chunk_mut().expect("lines are within the plane")
}

/// For `N` words from an index: the western neighbours of the cells, the cells, and the eastern
/// neighbours.
#[inline(always)]
pub(crate) fn shifted<const N: usize>(words: &[u64], at: usize) -> [[u64; N]; 3] {
    let words = &words[at - 1..at + N + 1];
    let west = std::array::from_fn(|i| words[i + 1] << 1 | words[i] >> 63);
    let east = std::array::from_fn(|i| words[i + 1] >> 1 | words[i + 2] << 63);
    [west, std::array::from_fn(|i| words[i + 1]), east]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_wrap_around_on_worlds_of_all_widths() {
        for width in [1, 2, 3, 63, 64, 65, 127, 448, 511, 512, 513] {
            for height in [1, 2, 5] {
                let mut bits = Bits::new(Layout::new(width, height));
                let set: Vec<(usize, usize)> = (0..width * height)
                    .filter(|i| i * i % 7 < 3)
                    .map(|i| (i % width, i / width))
                    .collect();
                for &(x, y) in &set {
                    bits.set(x, y, true);
                }
                assert_eq!(bits.ones().collect::<Vec<_>>(), set);
                assert_eq!(bits.count(), set.len() as u64);
                let before = bits.clone();
                (0..height).for_each(|y| bits.update_ghosts(y));
                assert_eq!(bits, before, "setting a cell keeps the ghosts up to date");
                for (x, y) in (0..width * height).map(|i| (i % width, i / width)) {
                    let mut expected = 0;
                    for i in 0..9 {
                        let (x, y) =
                            ((x + width + i % 3 - 1) % width, (y + height + i / 3 - 1) % height);
                        expected |= u16::from(bits.get(x, y)) << i;
                    }
                    assert_eq!(bits.around(x, y), expected, "{width}x{height}: {x},{y}");
                }
                for &(x, y) in &set {
                    bits.set(x, y, false);
                }
                assert_eq!(bits, Bits::new(Layout::new(width, height)));
            }
        }
    }
}
