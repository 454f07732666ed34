//! Simultaneous perturbation stochastic approximation, the method of tuning.
//!
//! All parameters move at once in a random direction. The version on the one side plays the version
//! on the other, and the middle moves a little towards the winner.

use agon_core::{Purpose, Rng, Seed};

use crate::tune::{Duel, Gains, Param};

/// The state of the method.
#[derive(Clone, Debug)]
pub(crate) struct Spsa {
    params: Vec<Param>,
    gains: Gains,
    /// The total number of duels.
    all: u64,
    seed: Seed,
    /// The middle, in steps of the parameters.
    middle: Vec<f64>,
}

impl Spsa {
    pub(crate) fn new(
        params: Vec<Param>,
        start: &[i64],
        gains: Gains,
        all: u64,
        seed: Seed,
    ) -> Spsa {
        let middle = start.iter().map(|&steps| steps as f64).collect();
        Spsa { params, gains, all, seed, middle }
    }

    pub(crate) fn params(&self) -> &[Param] {
        &self.params
    }

    pub(crate) fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// Returns the duel with this number around the current middle. It depends on nothing else.
    pub(crate) fn duel(&self, number: u64) -> Duel {
        let mut rng = self.seed.stream(Purpose::Sample, number);
        let mut plus = Vec::new();
        let mut minus = Vec::new();
        let up: Vec<bool> = self.params.iter().map(|_| rng.chance(1, 2)).collect();
        for ((param, &middle), &up) in self.params.iter().zip(&self.middle).zip(&up) {
            let probe = self.probe(param, number);
            let probe = if up { probe } else { -probe };
            // The same for both, so that they differ only as intended.
            let chance = fraction(&mut rng);
            plus.push(rounded(middle + probe, chance).clamp(0, param.steps()));
            minus.push(rounded(middle - probe, chance).clamp(0, param.steps()));
        }
        Duel { number, plus, minus, up }
    }

    /// Learns the result of a duel: the difference of points, from -1 to 1.
    pub(crate) fn learn(&mut self, duel: &Duel, difference: f64) {
        for ((param, middle), &up) in self.params.iter().zip(&mut self.middle).zip(&duel.up) {
            let probe = self.gains.probe_at(duel.number, self.all) * param.steps() as f64;
            // A probe may have to be larger because values are far apart. Then a result says less
            // about a step.
            let move_by = self.gains.move_at(duel.number, self.all)
                * param.steps() as f64
                * (probe / probe.max(1.0));
            let towards_plus = if up { move_by } else { -move_by };
            *middle = (*middle + difference * towards_plus).clamp(0.0, param.steps() as f64);
        }
    }

    /// Returns the distance of a duel's versions from the middle, in steps.
    ///
    /// Two versions with the same value would reveal nothing.
    fn probe(&self, param: &Param, number: u64) -> f64 {
        (self.gains.probe_at(number, self.all) * param.steps() as f64).max(1.0)
    }
}

/// Draws a number from 0 to 1.
fn fraction(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Rounds up or down at random, so that the average is right.
fn rounded(value: f64, chance: f64) -> i64 {
    (value + chance).floor() as i64
}
