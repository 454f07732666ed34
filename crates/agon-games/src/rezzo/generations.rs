//! Runs many generations at once, of which only the end is of interest. For experiments with large
//! worlds; a match runs one generation per tick.
//!
//! A generation is three stages of a [`Wave`]: finding the changes, Wireworld, and applying the
//! changes.

use agon_simd::Level;

use super::{
    changes::Changes,
    rules::Rules,
    wireworld::Wave,
    world::{Losers, World},
};

const STAGES: usize = 3;

impl World {
    /// So many generations, as if [`World::generation`] were called so often and nothing else
    /// happened. Returns the players whose flag touched a base in any of them; their cells stay.
    ///
    /// On worlds that are larger than the caches this is faster than one by one: up to 16
    /// generations go over the rows together. For experiments with large worlds without agents; in
    /// a match, something may happen in each generation.
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

    /// [`World::generations`] as compiled for a level; all levels do the same.
    ///
    /// # Panics
    /// If the processor does not have it.
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

    /// An even number of generations in one pass.
    fn pass(&mut self, wave: Wave, generations: usize, rules: &Rules, level: Level) -> Losers {
        let mut losers = Losers::default();
        // What each generation has found and not yet put right.
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

/// The stages that a generation of a pass is.
fn stages(generation: usize) -> [usize; STAGES] {
    std::array::from_fn(|stage| STAGES * generation + stage)
}
