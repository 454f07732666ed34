//! A part of a field, as bits.

/// A bit per cell, each row in words of its own, and a row of zeros above and below.
pub(super) struct Area {
    width: u32,
    words_per_row: usize,
    words: Vec<u64>,
}

impl Area {
    /// Nothing, on a field of this size.
    pub(super) fn new(width: u32, height: u32) -> Area {
        let words_per_row = width.div_ceil(64) as usize;
        Area { width, words_per_row, words: vec![0; words_per_row * (height as usize + 2)] }
    }

    /// Takes a cell in.
    #[inline]
    pub(super) fn add(&mut self, (x, y): (u32, u32)) {
        self.words[(y as usize + 1) * self.words_per_row + x as usize / 64] |= 1 << (x % 64);
    }

    /// Whether a cell is in it.
    #[inline]
    pub(super) fn contains(&self, (x, y): (u32, u32)) -> bool {
        self.words[(y as usize + 1) * self.words_per_row + x as usize / 64] >> (x % 64) & 1 == 1
    }

    /// Takes in all eight neighbours of its cells, as far as they are on the field: word by word to the sides, then
    /// row by row up and down.
    pub(super) fn widen(&mut self) {
        let last = u64::MAX >> (self.words_per_row * 64 - self.width as usize);
        for row in self.words.chunks_exact_mut(self.words_per_row) {
            let mut left = 0;
            for word in 0..row.len() {
                let (bits, right) = (row[word], row.get(word + 1).map_or(0, |next| next << 63));
                row[word] = bits | bits << 1 | bits >> 1 | left | right;
                left = bits >> 63;
            }
            row[self.words_per_row - 1] &= last;
        }
        let rows = self.words.len() - 2 * self.words_per_row;
        let mut above = vec![0; self.words_per_row];
        for word in 0..rows {
            let (at, column) = (word + self.words_per_row, word % self.words_per_row);
            let own = self.words[at];
            self.words[at] |= above[column] | self.words[at + self.words_per_row];
            above[column] = own;
        }
    }

    /// Its cells as `(x, y)`, in order of rows, then columns.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let rows = self.words.chunks_exact(self.words_per_row).skip(1).zip(0..);
        // The row below the field got nothing, and would not count.
        let rows = rows.take(self.words.len() / self.words_per_row - 2);
        rows.flat_map(|(row, y)| {
            row.iter().zip((0..).step_by(64)).flat_map(move |(&word, first)| {
                let mut bits = word;
                std::iter::from_fn(move || {
                    let bit = (bits != 0).then(|| bits.trailing_zeros());
                    bits &= bits.wrapping_sub(1);
                    bit.map(|bit| (first + bit, y))
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn neighbours_are_all_that_is_one_away() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for (width, height) in [(1, 1), (3, 2), (64, 5), (65, 4), (130, 7), (128, 1)] {
            for cells in [1, 3, 40] {
                let mut area = Area::new(width, height);
                let mut expect = BTreeSet::new();
                for _ in 0..cells {
                    let (x, y) = (rng.below(width.into()) as u32, rng.below(height.into()) as u32);
                    area.add((x, y));
                    assert!(area.contains((x, y)));
                    let range = |at: u32, size: u32| at.saturating_sub(1)..=(at + 1).min(size - 1);
                    expect.extend(range(y, height).flat_map(|y| range(x, width).map(move |x| (y, x))));
                }
                area.widen();
                let found: Vec<_> = area.places().map(|(x, y)| (y, x)).collect();
                assert_eq!(found, expect.into_iter().collect::<Vec<_>>(), "{width}x{height}");
            }
        }
    }
}
