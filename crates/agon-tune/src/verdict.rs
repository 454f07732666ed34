//! How much better one version is than another.

use agon_rating::elo_of_score;
use serde::Serialize;

/// What duels between the same two versions say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// How many duels.
    pub duels: usize,
    /// The mean difference of points per match, from -1 to 1.
    pub mean: f64,
    /// Lower end of a 95 % interval of it.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Standard deviations on either side of the mean that hold 95 % of a normal distribution.
const SIGMAS: f64 = 1.959964;

impl Verdict {
    /// What these differences, of independent duels, say: their mean and its normal interval. Two more differences, 1 and
    /// -1, are counted for the interval, so that a few equal ones do not make it empty. `None` if there are none.
    pub fn of(differences: &[f64]) -> Option<Verdict> {
        let count = differences.len() as f64;
        if differences.is_empty() {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / count;
        let squares = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>();
        let spread = SIGMAS * ((squares + 2.0) / (count + 1.0) / count).sqrt();
        let (low, high) = ((mean - spread).max(-1.0), (mean + spread).min(1.0));
        Some(Verdict { duels: differences.len(), mean, low, high })
    }

    /// Mean, lower and upper end as Elo differences, for duels in which the versions meet; ends may be infinite.
    pub fn elo(&self) -> [f64; 3] {
        [self.mean, self.low, self.high].map(|difference| elo_of_score(f64::midpoint(1.0, difference)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_narrows_with_more_duels() {
        let duels = |count: usize| (0..count).map(|n| [1.0, 0.0, 0.0, -0.5][n % 4]).collect::<Vec<_>>();
        let (few, many) = (Verdict::of(&duels(40)).unwrap(), Verdict::of(&duels(4000)).unwrap());
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
        assert!(Verdict::of(&[1.0; 30]).unwrap().low > 0.8);
    }
}
