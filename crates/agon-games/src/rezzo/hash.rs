//! The hash of the kinds of all cells: a part of the state hash, by which replays prove that a
//! match was played by the rules.

use agon_core::{Fold, cell_hash, mix};

use super::wireworld::{Bits, LINE, line};
use super::world::World;
use crate::simd::{Kernel, Level};

/// Makes successive keys unlike each other.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
/// One salt for each of the four planes of codes.
const SALTS: [u64; 4] =
    [0x2545_F491_4F6C_DD1D, 0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB];

/// The hash of the kinds of all cells: the same number on every level, platform and layout in
/// memory.
///
/// Each kind has a code of four bits, so a line of 512 cells is four times eight words. A row is a
/// whole number of lines, blank beyond its end. Each word is mixed with a key for its place. The
/// product of its halves, plus the word itself, is added to one of eight sums. That is one
/// multiplication for 64 bits, which every vector unit has. For 512 cells it reads 56 words and
/// does some 40 operations on vectors of eight.
pub(super) fn kinds(world: &World, level: Level) -> u64 {
    let mut fold = Fold::new();
    fold.add(world.width() as u64);
    level.run(Sums(world)).into_iter().for_each(|sum| fold.add(mix(sum)));
    fold.finish()
}

struct Sums<'a>(&'a World);

impl Kernel for Sums<'_> {
    type Output = [u64; LINE];

    #[inline(always)]
    fn run(self) -> [u64; LINE] {
        let world = self.0;
        let layout = self.0.layout();
        let mut sums = [0u64; LINE];
        let mut keys: [u64; LINE] = [1, 2, 3, 4, 5, 6, 7, 8].map(|n: u64| n.wrapping_mul(STEP));
        let all = [!0; LINE];
        let last = layout.mask(layout.lines() - 1);
        for y in 0..layout.height {
            for number in 0..layout.lines() {
                let mask = if number + 1 == layout.lines() { &last } else { &all };
                let at = layout.row(y) + number * LINE;
                let wires = row(&world.board.wires, at);
                let electrons = row(&world.board.electrons, at);
                let tails = row(&world.board.tails, at);
                let photons = row(&world.photons, at);
                let sources = row(&world.sources, at);
                let bases = row(&world.bases, at);
                let agents = row(&world.agents, at);
                for i in 0..LINE {
                    let first = electrons[i] | photons[i] | bases[i] | agents[i];
                    let second = tails[i] | photons[i] | bases[i];
                    sums[i] = sums[i]
                        .wrapping_add(share(wires[i] & mask[i], keys[i] ^ SALTS[0]))
                        .wrapping_add(share(first & mask[i], keys[i] ^ SALTS[1]))
                        .wrapping_add(share(second & mask[i], keys[i] ^ SALTS[2]))
                        .wrapping_add(share(sources[i] & mask[i], keys[i] ^ SALTS[3]));
                }
                for key in &mut keys {
                    *key = key.wrapping_add(STEP.wrapping_mul(LINE as u64));
                }
            }
        }
        sums
    }
}

#[inline(always)]
fn row(bits: &Bits, at: usize) -> &[u64; LINE] {
    line(&bits.words, at)
}

#[inline(always)]
fn share(word: u64, key: u64) -> u64 {
    let mixed = word ^ key;
    let product = (mixed & 0xFFFF_FFFF).wrapping_mul(mixed >> 32);
    product.wrapping_add(word.rotate_left(32))
}

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
        let before = byte_share(number, &self.bytes[word.clone()]);
        self.bytes[index] = value;
        self.exchange(before, byte_share(number, &self.bytes[word]));
    }

    /// The hash, computed from scratch.
    pub(crate) fn computed_hash(&self) -> u64 {
        let words = self.bytes.chunks(self.width).flat_map(|row| row.chunks(WORD));
        (self.salt..)
            .zip(words)
            .fold(0, |sum, (number, word)| sum.wrapping_add(byte_share(number, word)))
    }

    fn word_number(&self, y: usize, word: usize) -> u64 {
        self.salt + (y * self.width.div_ceil(WORD) + word) as u64
    }

    fn exchange(&mut self, before: u64, after: u64) {
        self.hash = self.hash.wrapping_sub(before).wrapping_add(after);
    }
}

fn byte_share(number: u64, cells: &[u8]) -> u64 {
    cell_hash(number, word(cells))
}

/// Up to eight cells as a number; missing ones count as zero.
fn word(cells: &[u8]) -> u64 {
    let whole = cells.first_chunk().copied().map(u64::from_le_bytes);
    whole.unwrap_or_else(|| cells.iter().rev().fold(0, |word, &cell| word << 8 | u64::from(cell)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::rezzo::{Cell, Kind};

    #[test]
    fn every_cell_and_kind_counts_on_all_levels() {
        let mut world = World::new(70, 9);
        let mut seen = HashSet::new();
        for index in 0..70 * 9 {
            for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Blank || index == 0) {
                let owner = u8::from(kind.is_owned());
                world.set(index, Cell { kind, owner });
                let hash = kinds(&world, Level::Portable);
                assert!(seen.insert(hash), "{kind:?} at {index}");
                for level in Level::available() {
                    assert_eq!(kinds(&world, level), hash, "{level}");
                }
            }
            world.set(index, Cell::BLANK);
        }
    }

    #[test]
    fn two_cells_that_change_places_are_seen() {
        let mut seen = HashSet::new();
        for place in 0..4 * 64 {
            let mut world = World::new(64, 4);
            world.set(place, Cell { kind: Kind::Electron, owner: 0 });
            world.set(255 - place, Cell { kind: Kind::Tail, owner: 0 });
            assert!(seen.insert(world.hash()));
        }
    }

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
}
