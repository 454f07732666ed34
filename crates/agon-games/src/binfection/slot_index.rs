//! [`SlotIndex`]: finds the slot of a cell in the field's sorted list, and says whether the cell is
//! occupied. It belongs to `field.rs`.

/// A bit per cell, each row in words of its own; and for each word with bits, how many bits come
/// before it.
///
/// Any cell is found with one look at a word and a count of bits, and a new field only touches the
/// words that had bits or get some: the work depends on the occupied cells, not on the size of the
/// field.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotIndex {
    words_per_row: usize,
    words: Vec<Word>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bits: u64,
    /// Cells in the words before; of no meaning where there are no bits.
    before: u32,
}

impl SlotIndex {
    /// Nothing, on a field of this size.
    pub(super) fn new(width: u32, height: u32) -> SlotIndex {
        let words_per_row = width.div_ceil(64) as usize;
        SlotIndex { words_per_row, words: vec![Word::default(); words_per_row * height as usize] }
    }

    /// Forgets these cells, which have to be all there are.
    pub(super) fn clear(&mut self, places: impl Iterator<Item = (u32, u32)>) {
        for (x, y) in places {
            let word = self.word(x, y);
            self.words[word].bits = 0;
        }
    }

    /// Notes cells of a row in the columns from `64 * word` on, the first of which has this place
    /// in the list; in order of rows, then columns.
    #[inline]
    pub(super) fn add(&mut self, y: u32, word: usize, columns: u64, slot: u32) {
        let word = &mut self.words[y as usize * self.words_per_row + word];
        if word.bits == 0 {
            word.before = slot;
        }
        word.bits |= columns;
    }

    /// The place in the list of the cell, which lies in the field; `None` if it is empty.
    #[inline]
    pub(super) fn slot(&self, x: u32, y: u32) -> Option<usize> {
        let Word { bits, before } = self.words[self.word(x, y)];
        let below = bits & ((1 << (x % 64)) - 1);
        (bits >> (x % 64) & 1 == 1).then(|| before as usize + below.count_ones() as usize)
    }

    /// Which columns of a row are occupied, of the 64 from `64 * word` on, and the place in the
    /// list of the first that is; any number if none is.
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
