//! Live ratings, in Elo points. An average bot has 1500.

use agon_ladder::{PublishedRating, api::Rating};
use agon_rating::{ELO_PER_NAT, Footing, Skill};

/// The rating of an average bot.
const MEAN: f64 = 1_500.0;

/// Returns the rating that the ladder's belief stands for.
pub(crate) fn of_skill(mu: f64, sigma: f64) -> Rating {
    let elo = MEAN + (mu - Skill::default().mu) / Skill::NAT * ELO_PER_NAT;
    let wide = 1.96 * sigma / Skill::NAT * ELO_PER_NAT;
    Rating { elo, low: Some(elo - wide), high: Some(elo + wide) }
}

/// Returns a rating from a table of all results; ends that no result holds are left out.
pub(crate) fn of_published(found: &PublishedRating) -> Rating {
    let is_held_above = !matches!(found.footing, Footing::OpenAbove | Footing::Open);
    let is_held_below = !matches!(found.footing, Footing::OpenBelow | Footing::Open);
    Rating {
        elo: MEAN + found.elo,
        low: is_held_below.then_some(MEAN + found.low),
        high: is_held_above.then_some(MEAN + found.high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_skill_is_the_mean_rating() {
        let unknown = of_skill(25.0, 25.0 / 3.0);
        assert!((unknown.elo - 1_500.0).abs() < 1e-9);
        assert!(unknown.high.unwrap() > 1_900.0);
        assert!(of_skill(30.0, 1.0).elo > 1_600.0);
    }
}
