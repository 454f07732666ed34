//! The uncertainty about the order of the entrants, and how much a match would lessen it.
//!
//! The adaptive matchmaker of ladders chooses matches by it.

use std::f64::consts::{LN_2, PI};

use agon_rating::Skill;

/// How quickly the weight of a pair's uncertainty falls with the square of the lead.
///
/// The lead is in standard deviations. With 0.4 the weight falls as entropy does. Let P be the
/// probability that the first is the stronger one. The entropy of the order is concave in P with
/// curvature 1 / (P (1 - P) ln 2), and P moves by the normal density. Half the curvature times the
/// square of the density is within a fifth of exp(-0.4 z²) / (π ln 2) up to three standard
/// deviations.
const FALL: f64 = 0.4;

/// Pairs whose weight is less than the greatest one divided by e to this power count as certain.
/// That saves most of the time.
const CERTAIN: f64 = 20.0;

/// The believed strengths, each a normal distribution on its own, and the share of each entrant in
/// the uncertainty about the order.
///
/// The uncertainty of a pair is the entropy of "which is stronger": one bit when the believed
/// strengths are equal, none where they lie several standard deviations apart. A match changes the
/// believed strengths of its players, and so bears on their order among themselves and against all
/// entrants of similar strength. The uncertainty of a pair is expected to fall by the weight of
/// that uncertainty times the expected square of the move of the pair's difference, in standard
/// deviations. The gain of a match is the sum of these bits over all pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Uncertainty {
    /// Means, in units in which a lead of 1 is worth odds of e to 1 (400 / ln 10 Elo points).
    means: Vec<f64>,
    /// Variances, in the same units squared.
    variances: Vec<f64>,
    /// For each entrant the sum over all others of the weight of the pair's uncertainty divided by
    /// the variance of its difference.
    shares: Vec<f64>,
}

impl Uncertainty {
    /// Computes the uncertainty that skills leave. It takes time with the square of the number of
    /// entrants, since it looks at all pairs.
    pub(super) fn new(skills: &[Skill]) -> Uncertainty {
        let means = skills.iter().map(|skill| skill.mu / Skill::NAT).collect();
        let variances = skills.iter().map(|skill| square(skill.sigma / Skill::NAT)).collect();
        let mut uncertainty = Uncertainty { means, variances, shares: vec![0.0; skills.len()] };
        for one in 0..skills.len() {
            for other in 0..one {
                let share = uncertainty.share(one, other);
                uncertainty.shares[one] += share;
                uncertainty.shares[other] += share;
            }
        }
        uncertainty
    }

    /// Returns the bits by which the uncertainty around an entrant would fall if it played an
    /// opponent of the same, known strength who revealed everything. It only serves to compare
    /// entrants.
    pub(super) fn around(&self, one: usize) -> f64 {
        square(self.variances[one]) * self.shares[one]
    }

    /// Returns the bits by which a match of these two lessens the uncertainty about the order. For
    /// a group, add up its pairs.
    pub(super) fn gain(&self, one: usize, other: usize) -> f64 {
        let information = self.information(one, other);
        let variance = self.variances[one] + self.variances[other];
        // The means move against each other, so that their difference moves further than each of
        // them.
        let between = 2.0 * self.variances[one] * self.variances[other] * self.share(one, other);
        (self.around(one) + self.around(other) + between) * information
            / (1.0 + information * variance)
    }

    /// Takes the results of future matches of a group as known: means stay, variances fall.
    pub(super) fn expect(&mut self, group: &[usize], matches: u32) {
        let matches = f64::from(matches) * duels_worth(group.len());
        let known = |&one: &usize| {
            let others = group.iter().filter(|&&other| other != one);
            let information: f64 = others.map(|&other| self.information(one, other)).sum();
            (one, self.variances[one] / (1.0 + self.variances[one] * information * matches))
        };
        let known: Vec<(usize, f64)> = group.iter().map(known).collect();
        known.into_iter().for_each(|(one, variance)| self.learn(one, variance));
    }

    /// Returns the weight of a pair's uncertainty divided by the variance of its difference.
    fn share(&self, one: usize, other: usize) -> f64 {
        let variance = self.variances[one] + self.variances[other];
        let fall = FALL * square(self.means[one] - self.means[other]) / variance;
        if fall > CERTAIN { 0.0 } else { libm::exp(-fall) / (PI * LN_2 * variance) }
    }

    /// Returns what a match between two reveals about their difference: Fisher's information of the
    /// expected result.
    fn information(&self, one: usize, other: usize) -> f64 {
        let variance = self.variances[one] + self.variances[other];
        let lead = self.means[one] - self.means[other];
        // A logistic curve blurred by a normal distribution is about a flatter one (MacKay 1992,
        // "The evidence framework applied to classification networks").
        let chance = 1.0 / (1.0 + libm::exp(-lead / (1.0 + PI / 8.0 * variance).sqrt()));
        chance * (1.0 - chance)
    }

    /// Changes the variance of one entrant, and updates all shares.
    fn learn(&mut self, one: usize, variance: f64) {
        let others = || (0..self.means.len()).filter(|&other| other != one);
        let before: Vec<f64> = others().map(|other| self.share(one, other)).collect();
        self.variances[one] = variance;
        self.shares[one] = 0.0;
        let others = (0..self.means.len()).filter(|&other| other != one);
        for (other, before) in others.zip(before) {
            let now = self.share(one, other);
            self.shares[other] += now - before;
            self.shares[one] += now;
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// Returns how much the ranking of a match reveals about each player, as a share of what duels with
/// all the others would reveal.
///
/// It is 1 for two players and less for more, since the ranking of three reveals less than three
/// duels. In the model of Plackett and Luce, for equals: n choices of the best, each with
/// information (1 - 1/k) / k for the k that are left.
fn duels_worth(players: usize) -> f64 {
    let n = players as f64;
    let choices: f64 = (2..=players).map(|left| (1.0 - 1.0 / left as f64) / n).sum();
    choices / ((n - 1.0) / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(nats: f64, sigma: f64) -> Skill {
        Skill { mu: 25.0 + nats * Skill::NAT, sigma: sigma * Skill::NAT }
    }

    fn uncertainty(list: &[(f64, f64)]) -> Uncertainty {
        Uncertainty::new(&list.iter().map(|&(nats, sigma)| skill(nats, sigma)).collect::<Vec<_>>())
    }

    #[test]
    fn the_weight_of_doubt_is_that_of_entropy() {
        for (z, part) in [(0.0f64, 0.5), (1.0, 0.841_345), (2.0, 0.977_250), (3.0, 0.998_650)] {
            let density = libm::exp(-z * z / 2.0) / (2.0 * PI).sqrt();
            let entropy = density * density / (2.0 * LN_2 * part * (1.0 - part));
            // Variances of ½ and ½ make differences of 1.
            let uncertainty = uncertainty(&[(z, 0.5f64.sqrt()), (0.0, 0.5f64.sqrt())]);
            assert!(
                (uncertainty.share(0, 1) / entropy - 1.0).abs() < 0.2,
                "{z}: {} {entropy}",
                uncertainty.share(0, 1)
            );
        }
    }

    /// Two entrants, one match: the expected fall of the entropy, by trying both results.
    #[test]
    fn the_gain_of_a_match_is_the_entropy_that_it_is_expected_to_take() {
        for (lead, sigma) in [(0.0f64, 0.3f64), (0.2, 0.3), (0.5, 0.2)] {
            let variance = 2.0 * sigma * sigma;
            // P(stronger) and P(wins), and both, over the distribution of the true lead.
            let mut stronger = 0.0;
            let mut wins = 0.0;
            let mut both = 0.0;
            let mut all = 0.0;
            for step in -4000..4000 {
                let z = (f64::from(step) + 0.5) / 500.0;
                let truth = lead + z * variance.sqrt();
                let weight = libm::exp(-z * z / 2.0);
                let chance = 1.0 / (1.0 + libm::exp(-truth));
                let ahead = if truth > 0.0 { weight } else { 0.0 };
                all += weight;
                stronger += ahead;
                wins += weight * chance;
                both += ahead * chance;
            }
            let entropy = |p: f64| -p * libm::log2(p) - (1.0 - p) * libm::log2(1.0 - p);
            let won = wins / all;
            let after = won * entropy(both / wins)
                + (1.0 - won) * entropy((stronger - both) / (all - wins));
            let expected = entropy(stronger / all) - after;
            let gain = uncertainty(&[(lead, sigma), (0.0, sigma)]).gain(0, 1);
            assert!(
                (gain / expected - 1.0).abs() < 0.15,
                "{lead} {sigma}: {gain}, but {expected} bits"
            );
        }
    }

    #[test]
    fn matches_in_doubt_are_worth_most() {
        // Two of whom little is known, two who are close, one far below.
        let uncertainty =
            uncertainty(&[(0.0, 0.8), (0.1, 0.8), (1.0, 0.2), (1.05, 0.2), (-4.0, 0.2)]);
        assert!(
            uncertainty.gain(0, 1) > uncertainty.gain(0, 2)
                && uncertainty.gain(0, 2) > uncertainty.gain(2, 3)
        );
        assert!(
            uncertainty.gain(2, 3) > 100.0 * uncertainty.gain(2, 4),
            "{}",
            uncertainty.gain(2, 4)
        );
        assert!(
            uncertainty.around(0) > uncertainty.around(2)
                && uncertainty.around(2) > uncertainty.around(4)
        );
    }

    #[test]
    fn what_is_expected_is_worth_less_the_next_time() {
        let list: Vec<(f64, f64)> = (0..7).map(|at| (f64::from(at) * 0.1, 0.5)).collect();
        let mut uncertainty = uncertainty(&list);
        let before = uncertainty.gain(2, 3);
        let other = uncertainty.gain(0, 6);
        assert!(before > other);
        uncertainty.expect(&[2, 3], 32);
        assert!(
            uncertainty.gain(2, 3) < before / 2.0
                && uncertainty.gain(2, 3) < uncertainty.gain(0, 6)
        );
        // The sums that are kept are those of a new start.
        let skills: Vec<Skill> = uncertainty
            .means
            .iter()
            .zip(&uncertainty.variances)
            .map(|(&mean, v)| skill(mean, v.sqrt()))
            .collect();
        for (kept, fresh) in uncertainty.shares.iter().zip(Uncertainty::new(&skills).shares) {
            assert!((kept / fresh - 1.0).abs() < 1e-9, "{kept} {fresh}");
        }
    }

    #[test]
    fn a_ranking_of_many_is_worth_fewer_duels() {
        assert!((duels_worth(2) - 1.0).abs() < 1e-12);
        assert!((duels_worth(3) - 7.0 / 9.0).abs() < 1e-12);
        assert!(duels_worth(8) < duels_worth(4) && duels_worth(8) > 0.3);
    }
}
