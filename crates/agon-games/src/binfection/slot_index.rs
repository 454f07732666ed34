//! [`SlotIndex`]: finds the slot of a cell in the field's sorted list, and says whether the cell is
//! occupied. It belongs to `field.rs`.

/// One bit per cell, set if the cell is occupied; each row starts with a new word. For each word
/// with bits, also the number of bits before it.
///
/// To find a cell takes one word and a count of bits. A new field only touches words that had bits
/// or get some. So the work depends on the occupied cells, not on the size of the field.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotIndex {
    words_per_row: usize,
    words: Vec<Word>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bits: u64,
    /// Number of cells in the words before; meaningless if the word has no bits.
    before: u32,
}

impl SlotIndex {
    /// An empty index for a field of this size.
    pub(super) fn new(width: u32, height: u32) -> SlotIndex {
        let words_per_row = width.div_ceil(64) as usize;
        SlotIndex { words_per_row, words: vec![Word::default(); words_per_row * height as usize] }
    }

    /// Removes these cells, which must be all that are in the index.
    pub(super) fn clear(&mut self, places: impl Iterator<Item = (u32, u32)>) {
        for (x, y) in places {
            let word = self.word(x, y);
            self.words[word].bits = 0;
        }
    }

    /// Adds the cells of a row whose bits are set in `columns`, which stands for the 64 columns
    /// from `64 * word` on. The first of them has this slot. Calls come in order of rows, then
    /// columns.
    #[inline]
    pub(super) fn add(&mut self, y: u32, word: usize, columns: u64, slot: u32) {
        let word = &mut self.words[y as usize * self.words_per_row + word];
        if word.bits == 0 {
            word.before = slot;
        }
        word.bits |= columns;
    }

    /// Returns the slot of a cell of the field; `None` if it is empty.
    #[inline]
    pub(super) fn slot(&self, x: u32, y: u32) -> Option<usize> {
        let Word { bits, before } = self.words[self.word(x, y)];
        let below = bits & ((1 << (x % 64)) - 1);
        (bits >> (x % 64) & 1 == 1).then(|| before as usize + below.count_ones() as usize)
    }

    /// Returns which of the 64 columns of a row from `64 * word` on are occupied, and the slot of
    /// the first such cell (any number if there is none).
    #[inline]
    pub(super) fn columns(&self, y: u32, word: usize) -> (u64, usize) {
        let Word { bits, before } = self.words[y as usize * self.words_per_row + word];
        (bits, before as usize)
    }

    #[inline]
    fn word(&self, x: u32, y: u32) -> usize {
        y as usize * self.words_per_row + x as usize / 64
    }
}
