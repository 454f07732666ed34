//! Elo points: 400 of them mean odds of ten to one.
//!
//! Converts them to expected scores and back.

use std::f64::consts::LN_10;

/// Elo points in one unit of the natural logarithm of odds: 400 / ln 10, about 173.7.
pub const ELO_PER_NAT: f64 = 400.0 / LN_10;

/// Normalised Elo in one standard deviation of the score of a match: 800 / ln 10, about 347.4.
///
/// Source: Van den Bergh, "Normalized Elo", <https://www.cantate.be/Fishtest/normalized_elo.pdf>.
pub const NORMALIZED_ELO_PER_SIGMA: f64 = 800.0 / LN_10;

/// Returns the expected score, from 0 to 1, of a player who is `elo` points better.
///
/// It is 1 / (1 + 10^(-elo/400)).
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-elo / ELO_PER_NAT))
}

/// Returns the Elo difference for an expected score; infinite for 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    ELO_PER_NAT * libm::log(score / (1.0 - score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_points_are_ten_to_one() {
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of_score(score_of_elo(-123.0)) + 123.0).abs() < 1e-9);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }
}
