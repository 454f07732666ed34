//! Runs many generations at once, of which only the end is of interest. For experiments with large
//! worlds; a match runs one generation per tick.
//!
//! A generation is three stages of a [`Wave`]: finding the changes, Wireworld, and applying the
//! changes.

use crate::simd::Level;

use super::{
    changes::Changes,
    rules::Rules,
    wireworld::Wave,
    world::{Losers, World},
};

const STAGES: usize = 3;

impl World {
    /// Runs `count` generations, like as many calls of [`World::generation`]. Returns the players
    /// whose flag touched a base in any of them; their cells stay.
    ///
    /// On worlds larger than the caches this is faster than single calls: up to 16 generations go
    /// over the rows together. It is for experiments without agents; in a match, agents act between
    /// generations.
    ///
    /// ```
    /// use agon_games::rezzo::{Rules, World};
    ///
    /// let mut world = World::from_rows(["          ", " ,*.....B ", "          "])?;
    /// let losers = world.generations(7, &Rules::default());
    /// assert_eq!(world.to_rows()[1], " ......B. ");
    /// assert!(losers.is_empty());
    /// # Ok::<(), agon_core::SetupError>(())
    /// ```
    pub fn generations(&mut self, count: u64, rules: &Rules) -> Losers {
        self.generations_at(count, rules, Level::best())
    }

    /// [`World::generations`] compiled for a vector unit; the result is the same for all.
    ///
    /// # Panics
    /// If the processor lacks this vector unit.
    pub fn generations_at(&mut self, count: u64, rules: &Rules, level: Level) -> Losers {
        let wave = Wave::new(self.height());
        let mut losers = Losers::default();
        let mut left = count;
        while left > 0 {
            let together = wave.generations(left, STAGES);
            losers.add_all(match together {
                1 => self.generation_at(rules, level),
                _ => self.pass(wave, together, rules, level),
            });
            left -= together as u64;
        }
        losers
    }

    /// Runs an even number of generations in one pass.
    fn pass(&mut self, wave: Wave, generations: usize, rules: &Rules, level: Level) -> Losers {
        let mut losers = Losers::default();
        // The changes that each generation has found and not yet applied.
        let mut changes: Vec<Changes> = (0..generations).map(|_| Changes::default()).collect();
        for block in wave.blocks() {
            for (generation, changes) in changes.iter_mut().enumerate() {
                let [look, work, apply] = stages(generation).map(|stage| wave.rows(block, stage));
                losers.add_all(changes.find(self, rules, look));
                self.board.write_next_electrons(level, work);
                self.board.swap_planes();
                changes.apply(self, apply);
            }
        }
        for (generation, changes) in changes.iter_mut().enumerate() {
            let [look, work, _] = stages(generation).map(|stage| wave.seam(stage));
            for rows in look {
                losers.add_all(changes.find(self, rules, rows));
            }
            for rows in work {
                self.board.write_next_electrons(level, rows);
            }
            self.board.swap_planes();
            changes.apply(self, 0..self.height());
        }
        losers
    }
}

/// The stages of a generation in a pass.
fn stages(generation: usize) -> [usize; STAGES] {
    std::array::from_fn(|stage| STAGES * generation + stage)
}
