//! Strength as a function of parameters, and matches drawn from it.

use agon_core::Rng;
use agon_rating::score_of_elo;

use crate::fraction;

/// The way strength depends on parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A wide hill: 400 points for the whole range of a parameter.
    Hill,
    /// The same, but parameters depend on each other.
    Ridge,
    /// A narrow hill on a plain that rises slowly towards it.
    Peak,
    /// Strength breaks down below a threshold, and hardly changes above it.
    Cliff,
    /// A hill of 40 points: there is hardly anything to gain.
    Low,
}

impl Shape {
    pub(crate) const ALL: [Shape; 5] =
        [Shape::Hill, Shape::Ridge, Shape::Peak, Shape::Cliff, Shape::Low];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Hill => "hill",
            Shape::Ridge => "ridge",
            Shape::Peak => "peak",
            Shape::Cliff => "cliff",
            Shape::Low => "low",
        }
    }
}

/// A shape with its summit.
pub(crate) struct Landscape {
    shape: Shape,
    best: Vec<f64>,
}

/// One match in ten between equals is a tie.
const TIES: f64 = 0.1;

impl Landscape {
    pub(crate) fn new(shape: Shape, dims: usize, rng: &mut Rng) -> Landscape {
        Landscape { shape, best: (0..dims).map(|_| 0.1 + 0.8 * fraction(rng)).collect() }
    }

    /// Returns how many Elo points values are below the best ones.
    pub(crate) fn lost(&self, values: &[f64]) -> f64 {
        let off: Vec<f64> =
            values.iter().zip(&self.best).map(|(value, best)| value - best).collect();
        let squares = off.iter().map(|x| x * x).sum::<f64>();
        let all = off.len() as f64;
        match self.shape {
            Shape::Hill => 400.0 * squares,
            Shape::Ridge => {
                let mean = off.iter().sum::<f64>() / all;
                let across = off.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
                200.0 * mean * mean + 800.0 * across
            }
            Shape::Peak => 200.0 * (1.0 - (-squares / (0.045 * all)).exp()) + 40.0 * squares.sqrt(),
            Shape::Cliff => {
                let broken = |x: f64| 300.0 / (1.0 + ((x + 0.1) / 0.03).exp()) + 40.0 * x.abs();
                // The best value is a little further from the cliff.
                let least =
                    (0..100).map(|n| broken(f64::from(n) / 1000.0)).fold(f64::INFINITY, f64::min);
                off.iter().map(|&x| broken(x) - least).sum()
            }
            Shape::Low => 40.0 * squares,
        }
    }

    /// Returns the one's points minus the other's, per match, after two matches.
    pub(crate) fn duel(&self, one: &[f64], other: &[f64], rng: &mut Rng) -> f64 {
        let expected = score_of_elo(self.lost(other) - self.lost(one));
        let tie = TIES * 4.0 * expected * (1.0 - expected);
        let mut one_match = || match fraction(rng) {
            drawn if drawn < expected - tie / 2.0 => 1.0,
            drawn if drawn < expected + tie / 2.0 => 0.0,
            _ => -1.0,
        };
        (one_match() + one_match()) / 2.0
    }
}
