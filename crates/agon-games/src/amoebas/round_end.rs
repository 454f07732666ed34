//! The two passes over the whole board: fuel grows at the end of a round, and the hash of all cells
//! is computed. They are compiled for wide vectors.
//!
//! Both stream through 8 bytes a cell. A cell's share in the hash takes four multiplications of 64
//! bits, which wide vectors do for eight cells at once.

use crate::simd::{Kernel, Level};
use agon_core::cell_hash;

use super::content::Content;

/// Lets fuel grow on empty cells, and marks all amoebas as not having acted. Returns the new sum of
/// the cells' hashes.
pub(super) fn end_round(level: Level, cells: &mut [Content], sun: u32, max_fuel: u32) -> u64 {
    level.run(RoundEnd { cells, sun: sun.into(), max_fuel: max_fuel.into() })
}

/// The sum of the cells' hashes, without blobs.
pub(super) fn hash_sum(level: Level, cells: &[Content]) -> u64 {
    level.run(HashSum(cells))
}

struct RoundEnd<'a> {
    cells: &'a mut [Content],
    sun: u64,
    max_fuel: u64,
}

impl Kernel for RoundEnd<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut sum = 0u64;
        for (content, index) in self.cells.iter_mut().zip(0u64..) {
            *content = content.after_round(self.sun, self.max_fuel);
            sum = sum.wrapping_add(cell_hash(index, content.hashed()));
        }
        sum
    }
}

struct HashSum<'a>(&'a [Content]);

impl Kernel for HashSum<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let share = |(content, index): (&Content, u64)| cell_hash(index, content.hashed());
        self.0.iter().zip(0u64..).map(share).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of cell, also at the end where no whole vector is left.
    fn cells() -> Vec<Content> {
        let content = |n: u32| match n % 3 {
            0 => Content::of_fuel(n % 101),
            part => Content::of_fuel(n % 7)
                .taken_by(Content::of_amoeba(n % 64, n % 100, n % 11, part == 1))
                .with_blobs(n.is_multiple_of(2)),
        };
        (0..1003).map(content).collect()
    }

    #[test]
    fn all_levels_do_what_the_rules_say() {
        let before = cells();
        let after: Vec<Content> = before
            .iter()
            .map(|&cell| match cell.species() {
                None => cell.with_fuel((cell.fuel() + 3).min(100)),
                Some(species) => cell
                    .vacated()
                    .taken_by(Content::of_amoeba(
                        species as u32,
                        cell.energy(),
                        cell.health(),
                        false,
                    ))
                    .with_blobs(cell.has_blobs()),
            })
            .collect();
        let share =
            |(cell, index): (&Content, u64)| cell_hash(index, cell.with_blobs(false).hashed());
        let expected = after.iter().zip(0..).map(share).fold(0, u64::wrapping_add);
        for level in Level::available() {
            let mut cells = before.clone();
            assert_eq!(end_round(level, &mut cells, 3, 100), expected, "{level}");
            assert_eq!(cells, after, "{level}");
            assert_eq!(hash_sum(level, &cells), expected, "{level}");
        }
    }
}
