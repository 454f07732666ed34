//! A matchmaker that chooses the matches with the greatest expected gain of knowledge.
//!
//! Ladders use it unless their plan chooses groups at random.

use std::cmp::Reverse;

use agon_core::Rng;
use agon_rating::Skills;

use super::{Field, Matchmaker, uncertainty::Uncertainty};
use crate::{Entrant, History, Pairing, Played};

/// Chooses the groups whose matches are expected to reveal most about the order of all entrants.
///
/// It learns the strengths with [`Skills`] from the matches of each wave. A group starts with the
/// entrant around whom the uncertainty is greatest, or with one that is starving. The others are
/// added one by one, each time the one with the greatest expected gain. For the next group of the
/// wave the results of earlier groups count as known, so that a wave does not ask the same again
/// and again. Only the order among equals is drawn by lot: gains are compared in billionths of a
/// bit.
#[derive(Clone, Debug, Default)]
pub struct AdaptiveMatchmaker {
    /// `None` before the first wave.
    learned: Option<Learned>,
    /// The uncertainty, given the groups of the wave that is being made.
    uncertainty: Uncertainty,
}

impl AdaptiveMatchmaker {
    /// Returns the factor by which intervals of ratings must be wider than those of random matches.
    ///
    /// A pair plays until one of the two is ahead, which draws ratings apart. The more bots there
    /// are, the stronger the effect. The factor was measured (`docs/ratings.md`): 12 bots need 1.2,
    /// 40 need 1.4, and 100 need 1.6.
    pub fn widening(bots: usize) -> f64 {
        1.0 + 0.2 * libm::log(bots as f64 / 4.0).max(0.0)
    }
}

/// The skills after the waves so far. Each wave is learned once, not again for each wave after it.
#[derive(Clone, Debug)]
struct Learned {
    skills: Skills,
    waves: usize,
    /// The last learned wave. A history that does not continue from it starts from zero.
    last: Vec<Played>,
}

impl Learned {
    fn new(entrants: usize) -> Learned {
        Learned { skills: Skills::new(entrants), waves: 0, last: Vec::new() }
    }

    fn fits(&self, history: &History, entrants: usize) -> bool {
        let last = self.waves.checked_sub(1);
        self.skills.all().len() == entrants
            && last
                .is_none_or(|last| history.waves.get(last).is_some_and(|wave| *wave == self.last))
    }

    fn learn(&mut self, wave: &[Played]) {
        for record in (0..).zip(wave).flat_map(|(number, played)| played.records(number)) {
            self.skills
                .update(&record)
                .expect("groups have two or more different entrants of the field");
        }
        self.waves += 1;
        self.last = wave.to_vec();
    }
}

impl Matchmaker for AdaptiveMatchmaker {
    fn start(&mut self, history: &History, entrants: usize) {
        let learned = self.learned.take().filter(|learned| learned.fits(history, entrants));
        let mut learned = learned.unwrap_or_else(|| Learned::new(entrants));
        for wave in &history.waves[learned.waves..] {
            learned.learn(wave);
        }
        self.uncertainty = Uncertainty::new(learned.skills.all());
        self.learned = Some(learned);
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        // Among equals the one with the fewest matches comes first, and then the lot decides.
        let mut left: Vec<usize> = (0..field.calls.len()).collect();
        rng.shuffle(&mut left);
        let best = |left: &[usize], worth: &dyn Fn(usize) -> f64| {
            left.iter()
                .copied()
                .max_by_key(|&one| (billionths(worth(one)), Reverse(field.calls[one])))
        };
        let mut group: Vec<usize> = Vec::new();
        while group.len() < field.size {
            let next = match (group.is_empty(), field.starving.first()) {
                (true, Some(starving)) => Some(starving.index()),
                (true, None) => best(&left, &|one| self.uncertainty.around(one)),
                (false, _) => best(&left, &|one| {
                    group.iter().map(|&other| self.uncertainty.gain(one, other)).sum()
                }),
            };
            let Some(next) = next else { break };
            left.retain(|&one| one != next);
            group.push(next);
        }
        group.into_iter().map(Entrant::from_index).collect()
    }

    fn called(&mut self, pairing: &Pairing) {
        let group: Vec<usize> = pairing.entrants.iter().map(|entrant| entrant.index()).collect();
        self.uncertainty.expect(&group, pairing.count);
    }
}

/// Bits as whole numbers, so that the last digits of a float do not choose.
fn billionths(bits: f64) -> u64 {
    (bits.max(0.0) * 1e9) as u64
}
