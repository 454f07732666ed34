//! Live ratings: Elo points for what the ladder believes of a version.

use agon_rating::{ELO_PER_NAT, Skill};

/// The rating of an average bot.
const MEAN: f64 = 1_500.0;

/// Returns the live rating that a skill stands for, in Elo points.
pub(crate) fn rating(mu: f64) -> f64 {
    MEAN + (mu - Skill::default().mu) / Skill::NAT * ELO_PER_NAT
}

/// Returns how wide the live rating's 95 % interval is to each side, in Elo points.
pub(crate) fn spread(sigma: f64) -> f64 {
    1.96 * sigma / Skill::NAT * ELO_PER_NAT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_skill_is_the_mean_rating() {
        assert!((rating(25.0) - 1_500.0).abs() < 1e-9);
        assert!(rating(30.0) > 1_600.0 && spread(25.0 / 3.0) > 400.0);
    }
}
