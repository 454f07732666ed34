//! [`BusyWords`]: the few places of a world where a generation may do more than plain Wireworld
//! does. `changes.rs` looks only there.

use std::ops::Range;

use super::wireworld::{Layout, each_bit};

/// A bit for each word (64 cells) of the rows: set if the word holds a photon, or a cell beside a
/// flag or geyser. Few words do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BusyWords {
    /// Words of bits from a row to the next.
    stride: usize,
    bits: Vec<u64>,
}

impl BusyWords {
    /// No busy word yet.
    pub(crate) fn new(layout: Layout) -> BusyWords {
        let stride = layout.words().div_ceil(64);
        BusyWords { stride, bits: vec![0; stride * layout.height] }
    }

    /// Sets whether a word of a row is busy.
    #[inline(always)]
    pub(crate) fn note(&mut self, y: usize, word: usize, busy: bool) {
        let bits = &mut self.bits[y * self.stride + word / 64];
        *bits = *bits & !(1 << (word % 64)) | u64::from(busy) << (word % 64);
    }

    /// The busy words of some rows: row and word, ascending.
    #[inline(always)]
    pub(crate) fn in_rows(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let bits = &self.bits[rows.start * self.stride..rows.end * self.stride];
        rows.zip(bits.chunks_exact(self.stride)).flat_map(|(y, row)| {
            (0..)
                .zip(row)
                .flat_map(move |(part, &bits)| each_bit(bits).map(move |bit| (y, part * 64 + bit)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_words_come_in_order() {
        let mut busy = BusyWords::new(Layout::new(64 * 130, 3));
        let words = [(0, 0), (0, 63), (0, 64), (0, 129), (1, 5), (2, 128)];
        for (y, word) in words.into_iter().rev() {
            busy.note(y, word, true);
        }
        busy.note(1, 6, true);
        busy.note(1, 6, false);
        assert_eq!(busy.in_rows(0..3).collect::<Vec<_>>(), words);
        assert_eq!(busy.in_rows(1..2).collect::<Vec<_>>(), [(1, 5)]);
        assert_eq!(busy.in_rows(2..2).count(), 0);
    }
}
