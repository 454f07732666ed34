//! [`Wave`]: the order in which several generations go over the rows of a torus in one pass. Runs
//! of many generations use it, so that a large world comes from memory less often.
//!
//! A row of the next generation needs no more than three rows of this one. So a generation can
//! follow the one before it a few rows behind, over rows that are still in the cache: each comes
//! from memory once a pass, not once a generation.

use std::ops::Range;

/// The most generations in one pass. A pass over a world of 4096×4096 cells works on some hundred
/// rows at a time, 200 kB.
const GENERATIONS: usize = 16;
/// Rows by which a pass advances in a step.
const BLOCK: usize = 64;

/// The rows that each *stage* of a pass works on, where a generation is one stage or several.
///
/// A stage reads a row and the two beside it, and changes the row, once the stages before it are
/// done with these. So each stage stays a row behind the one before it. On a torus it cannot start
/// at row 0 either, because the last row is not ready. So stage s leaves out the first s rows and
/// the last s. These rows, the *seam*, are worked on at the end of the pass, stage by stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wave {
    height: usize,
}

impl Wave {
    pub(crate) fn new(height: usize) -> Wave {
        Wave { height }
    }

    /// The number of generations to do in one pass, out of `left`, each in `stages` stages. It is
    /// even, because planes swap in each generation; or it is one, which needs no wave.
    pub(crate) fn generations(self, left: u64, stages: usize) -> usize {
        let fit = GENERATIONS.min(self.height / (2 * stages));
        let most = usize::try_from(left).map_or(fit, |left| left.min(fit));
        (most & !1).max(1)
    }

    /// The steps of a pass, each named by its first row.
    pub(crate) fn blocks(self) -> impl Iterator<Item = usize> {
        (0..self.height).step_by(BLOCK)
    }

    /// The rows of a stage in a step of the pass.
    pub(crate) fn rows(self, block: usize, stage: usize) -> Range<usize> {
        let behind = |row: usize| row.min(self.height).saturating_sub(stage).max(stage);
        behind(block)..behind(block + BLOCK)
    }

    /// The rows of a stage that are left at the end of the pass.
    pub(crate) fn seam(self, stage: usize) -> [Range<usize>; 2] {
        [self.height - stage..self.height, 0..stage]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does a pass, and fails if a stage works on a row before its turn, or not once.
    fn check(height: usize, stages: usize) {
        let wave = Wave::new(height);
        let mut done = vec![0; height];
        let mut work = |rows: Range<usize>, stage: usize| {
            for y in rows {
                assert_eq!(done[y], stage, "{height} rows, {stages} stages: row {y}");
                for beside in [(y + height - 1) % height, (y + 1) % height] {
                    let near = done[beside];
                    assert!(
                        (stage..=stage + 1).contains(&near),
                        "{height} rows, {stages} stages: {y}, {beside}"
                    );
                }
                done[y] += 1;
            }
        };
        for block in wave.blocks() {
            (0..stages).for_each(|stage| work(wave.rows(block, stage), stage));
        }
        for stage in 0..stages {
            wave.seam(stage).into_iter().for_each(|rows| work(rows, stage));
        }
        assert!(done.iter().all(|&done| done == stages));
    }

    #[test]
    fn every_stage_waits_for_the_one_before_it() {
        for height in [1, 2, 3, 4, 5, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200] {
            for stages in 1..=(height / 2).clamp(1, 3 * GENERATIONS) {
                check(height, stages);
            }
        }
    }

    #[test]
    fn passes_are_as_long_as_the_height_allows() {
        let generations = |height, left| Wave::new(height).generations(left, 3);
        assert_eq!(
            [1, 6, 11, 12, 23, 24, 4096].map(|height| generations(height, 1000)),
            [1, 1, 1, 2, 2, 4, 16]
        );
        assert_eq!(
            [1, 2, 3, 15, 17, u64::MAX].map(|left| generations(4096, left)),
            [1, 2, 2, 14, 16, 16]
        );
    }
}
