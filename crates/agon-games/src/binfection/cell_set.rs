//! [`CellSet`]: a set of cells of a field, as bits. The built-in bot `general` notes with it which
//! empty cells it has already sent units to.

/// One bit per cell; each row starts with a new word.
pub(super) struct CellSet {
    words_per_row: usize,
    words: Vec<u64>,
}

impl CellSet {
    /// An empty set for a field of this size.
    pub(super) fn new(width: u32, height: u32) -> CellSet {
        let words_per_row = width.div_ceil(64) as usize;
        CellSet { words_per_row, words: vec![0; words_per_row * height as usize] }
    }

    /// Adds a cell.
    #[inline]
    pub(super) fn add(&mut self, (x, y): (u32, u32)) {
        self.words[y as usize * self.words_per_row + x as usize / 64] |= 1 << (x % 64);
    }

    /// Returns whether a cell is in the set.
    #[inline]
    pub(super) fn contains(&self, (x, y): (u32, u32)) -> bool {
        self.words[y as usize * self.words_per_row + x as usize / 64] >> (x % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_in_is_in() {
        let mut set = CellSet::new(65, 3);
        for place in [(0, 0), (63, 1), (64, 1), (64, 2)] {
            assert!(!set.contains(place));
            set.add(place);
            assert!(set.contains(place) && !set.contains((1, 1)));
        }
    }
}
