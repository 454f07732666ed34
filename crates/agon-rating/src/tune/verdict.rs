//! The difference in strength between two versions, which `agon tune` reports at its end.

use crate::{MeanInterval, elo_of_score};
use serde::Serialize;

/// The result of duels between the same two versions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The number of duels.
    pub duels: usize,
    /// The mean difference of points per match, from -1 to 1.
    pub mean: f64,
    /// Lower end of a 95 % interval of it.
    pub low: f64,
    /// Upper end of the same interval.
    pub high: f64,
}

const CONFIDENCE: f64 = 0.95;

impl Verdict {
    /// Computes the mean of these differences and its interval ([`MeanInterval`]).
    ///
    /// The differences are of independent duels and from -1 to 1. `None` if there are none.
    pub fn of(differences: &[f64]) -> Option<Verdict> {
        let score = |difference: &f64| f64::midpoint(1.0, *difference).clamp(0.0, 1.0);
        let scores: Vec<f64> = differences.iter().map(score).collect();
        let interval = MeanInterval::of(&scores, CONFIDENCE)?;
        let difference = |score: f64| 2.0 * score - 1.0;
        Some(Verdict {
            duels: differences.len(),
            mean: difference(interval.mean),
            low: difference(interval.low),
            high: difference(interval.high),
        })
    }

    /// Returns mean, lower and upper end as Elo differences, for duels between the versions.
    ///
    /// Ends may be infinite.
    pub fn elo(&self) -> [f64; 3] {
        [self.mean, self.low, self.high]
            .map(|difference| elo_of_score(f64::midpoint(1.0, difference)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_narrows_with_more_duels() {
        let duels =
            |count: usize| (0..count).map(|n| [1.0, 0.0, 0.0, -0.5][n % 4]).collect::<Vec<_>>();
        let few = Verdict::of(&duels(40)).unwrap();
        let many = Verdict::of(&duels(4000)).unwrap();
        assert!((few.mean - 0.125).abs() < 1e-9 && (many.mean - 0.125).abs() < 1e-9);
        assert!(few.low < 0.0 && few.high > 0.25, "{few:?}");
        assert!(many.low > 0.1 && many.high < 0.15, "{many:?}");
        let elo = many.elo();
        assert!((elo[0] - 43.7).abs() < 0.1 && elo[1] < elo[0] && elo[0] < elo[2], "{elo:?}");
        assert_eq!(Verdict::of(&[]), None);
    }

    #[test]
    fn a_few_equal_results_prove_little() {
        let won = Verdict::of(&[1.0; 2]).unwrap();
        assert!(won.low < 0.0, "{won:?}");
        assert!(Verdict::of(&[1.0; 30]).unwrap().low > 0.75);
    }
}
