//! [`HashedBytes`]: a byte for each cell of a board, with a hash that is always up to date. The
//! world keeps owners and damage in it, which change seldom.

use agon_core::cell_hash;

/// One byte per cell, row by row, with a hash that every change updates.
///
/// The hash is the sum of [`cell_hash`] over words of up to eight neighbouring cells of a row: for
/// boards of which few cells change at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HashedBytes {
    width: usize,
    bytes: Vec<u8>,
    /// Makes equal bytes of two boards hash differently.
    salt: u64,
    hash: u64,
}

const WORD: usize = 8;

impl HashedBytes {
    /// A board of zeroes.
    pub(crate) fn new(width: usize, height: usize, salt: u8) -> HashedBytes {
        let mut plane = HashedBytes {
            width,
            bytes: vec![0; width * height],
            salt: u64::from(salt) << 56,
            hash: 0,
        };
        plane.hash = plane.computed_hash();
        plane
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn get(&self, index: usize) -> u8 {
        self.bytes[index]
    }

    pub(crate) fn set(&mut self, x: usize, y: usize, value: u8) {
        let index = y * self.width + x;
        if self.bytes[index] == value {
            return;
        }
        let first = x - x % WORD;
        let word = y * self.width + first..y * self.width + self.width.min(first + WORD);
        let number = self.word_number(y, x / WORD);
        let before = share(number, &self.bytes[word.clone()]);
        self.bytes[index] = value;
        self.exchange(before, share(number, &self.bytes[word]));
    }

    /// The hash, computed from scratch.
    pub(crate) fn computed_hash(&self) -> u64 {
        let words = self.bytes.chunks(self.width).flat_map(|row| row.chunks(WORD));
        (self.salt..)
            .zip(words)
            .fold(0, |sum, (number, word)| sum.wrapping_add(share(number, word)))
    }

    fn word_number(&self, y: usize, word: usize) -> u64 {
        self.salt + (y * self.width.div_ceil(WORD) + word) as u64
    }

    fn exchange(&mut self, before: u64, after: u64) {
        self.hash = self.hash.wrapping_sub(before).wrapping_add(after);
    }
}

fn share(number: u64, cells: &[u8]) -> u64 {
    cell_hash(number, word(cells))
}

/// Up to eight cells as a number; missing ones count as zero.
fn word(cells: &[u8]) -> u64 {
    let whole = cells.first_chunk().copied().map(u64::from_le_bytes);
    whole.unwrap_or_else(|| cells.iter().rev().fold(0, |word, &cell| word << 8 | u64::from(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_follows_every_change() {
        let mut plane = HashedBytes::new(19, 3, 1);
        let empty = plane.hash();
        for (x, y, value) in [(0, 0, 3), (18, 0, 1), (0, 1, 1), (18, 2, 200), (18, 0, 0)] {
            plane.set(x, y, value);
            assert_eq!(plane.hash(), plane.computed_hash());
        }
        for (x, y) in [(0, 0), (0, 1), (18, 2)] {
            plane.set(x, y, 0);
        }
        assert_eq!(plane.hash(), empty);
    }

    #[test]
    fn place_and_plane_matter() {
        let hash = |salt, index: usize| {
            let mut plane = HashedBytes::new(10, 10, salt);
            plane.set(index % 10, index / 10, 1);
            plane.hash()
        };
        assert_ne!(hash(1, 0), hash(1, 1));
        assert_ne!(hash(1, 0), hash(1, 10));
        assert_ne!(hash(1, 0), hash(2, 0));
    }
}
