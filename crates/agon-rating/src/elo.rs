//! Elo points: 400 of them mean odds of ten to one.
//!
//! Converts them to expected scores and back.

use std::{collections::BTreeMap, f64::consts::LN_10};

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

/// Returns the Elo points in one unit of strength.
///
/// Near equality a difference of ratings then means the expected score of Elo's formula: 1 / (1 +
/// 10^(-elo/400)). A strength is about the odds of winning to losing. If half of the matches
/// between equals are ties, the expected score changes half as much with it. So the factor is
/// [`ELO_PER_NAT`] times the probability that two equal players do not tie. With two players that
/// is 2 / (2 + δ), where δ are Davidson's odds of a tie. In larger matches it is that of two
/// players among equals, averaged over the `sizes` of matches (size, how many).
pub(crate) fn elo_per_strength(
    orders: &[usize],
    sizes: &BTreeMap<usize, f64>,
    gamma: &[f64],
) -> f64 {
    let odds = |order: usize| match orders.iter().position(|&known| known == order) {
        None => 0.0,
        Some(0) => 1.0,
        Some(at) => libm::exp(gamma[at - 1]),
    };
    let largest = sizes.keys().last().copied().unwrap_or(0);
    let ties = ties_between_equals(largest, odds);
    let all: f64 = sizes.values().sum();
    let apart: f64 = sizes.iter().map(|(&size, count)| count * (1.0 - ties[size])).sum();
    if all > 0.0 && apart > 0.0 { ELO_PER_NAT * apart / all } else { ELO_PER_NAT }
}

/// Returns the probability that two given players tie, for matches of 0, 1, … `largest` equals.
fn ties_between_equals(largest: usize, odds: impl Fn(usize) -> f64) -> Vec<f64> {
    let pairs = |count: usize| (count * count.saturating_sub(1)) as f64;
    let mut ties = vec![0.0; largest + 1];
    for size in 2..=largest {
        // The chances that 1, 2, 3, … players are the best: the number of such sets, times
        // their odds.
        let mut sets = 1.0;
        let mut sum = 0.0;
        let mut tied = 0.0;
        for best in 1..=size {
            sets *= (size - best + 1) as f64 / best as f64;
            let weight = sets * odds(best);
            let rest = size - best;
            sum += weight;
            tied += weight * (pairs(best) + pairs(rest) * ties[rest]) / pairs(size);
        }
        ties[size] = tied / sum;
    }
    ties
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

    #[test]
    fn two_tie_as_davidson_says_and_three_as_counting_does() {
        let odds = |order| [0.0, 1.0, 3.0, 0.5][order];
        let ties = ties_between_equals(3, odds);
        assert!((ties[2] - 3.0 / 5.0).abs() < 1e-12);
        // Of three players: 3 single winners, 3 pairs with odds 3, and all with odds 0.5. After a
        // single winner the other two tie with 3/5.
        let expected = (3.0 / 3.0 * (3.0 / 5.0) + 9.0 / 3.0 + 0.5) / 12.5;
        assert!((ties[3] - expected).abs() < 1e-12);
    }
}
