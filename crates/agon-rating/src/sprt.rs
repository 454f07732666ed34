//! A sequential test whether one player is better than another, from counts of pairs.
//!
//! [`DuelTest`](crate::DuelTest) decides with it for normalised Elo.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    RatingError, Record,
    elo::{NORMALIZED_ELO_PER_SIGMA, score_of_elo},
    gsprt::Observed,
};

/// Hypotheses in normalised Elo lie between this and its opposite: `tests/simulation.rs` shows that
/// the errors are as rare as promised there.
const MOST_NORMALIZED: f64 = 700.0;

/// The kind of Elo in which a test states its hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Usual Elo: the expected score is 1 / (1 + 10^(-elo/400)).
    #[default]
    Logistic,
    /// Normalised Elo: the lead in standard deviations of a match, times 800 / ln 10.
    ///
    /// The lead is the expected score minus ½. A given number takes the same number of matches to
    /// find, at any rate of ties.
    Normalized,
}

/// A sequential probability ratio test of two hypotheses about a player.
///
/// H0: it is `elo0` better than the other. H1: it is `elo1` better. It is Wald's test with the
/// generalised likelihood ratio (GSPRT), as fishtest and fastchess use it. You look at the ratio
/// after each pair and stop when it leaves the bounds.
///
/// Accepting H1 although H0 holds has a probability of about `alpha`. Accepting H0 although H1
/// holds has one of about `beta`. That is an approximation for many matches. In simulations with
/// `alpha` 5 % and `beta` 10 % (`tests/simulation.rs`) the errors were 4.2 to 4.7 % and 9.0 to 9.7
/// %, with many ties, few ties, or dependent matches within pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Sprt {
    /// H0 in Elo points.
    pub(crate) elo0: f64,
    /// H1 in Elo points.
    pub(crate) elo1: f64,
    /// The probability of accepting H1 although H0 holds.
    pub(crate) alpha: f64,
    /// The probability of accepting H0 although H1 holds.
    pub(crate) beta: f64,
    /// The kind of Elo.
    pub(crate) model: EloModel,
}

/// The decision of a sequential test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Play on.
    Continue,
    /// Stop: H0, no improvement.
    AcceptH0,
    /// Stop: H1, an improvement.
    AcceptH1,
}

impl Sprt {
    /// Makes a test of `elo0` against `elo1`.
    ///
    /// `alpha` and `beta` are the probabilities of a wrong decision.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, if a probability is not between 0 and 1, or if both sum to 1
    /// or more. Also if hypotheses in normalised Elo are beyond ±700.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: EloModel,
    ) -> Result<Sprt, RatingError> {
        let wrong = |name, value, remedy| Err(RatingError::Option { name, value, remedy });
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return wrong("elo0", elo0, "give a number below elo1");
        }
        if model == EloModel::Normalized {
            for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
                if value.abs() > MOST_NORMALIZED {
                    return wrong(name, value, "give normalised Elo from -700 to 700");
                }
            }
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 1.0) {
                return wrong(name, value, "give a number between 0 and 1, such as 0.05");
            }
        }
        if alpha + beta >= 1.0 {
            return wrong("alpha + beta", alpha + beta, "give less than 1, such as 0.05 and 0.05");
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// Returns Wald's bounds, lower and upper.
    pub fn bounds(&self) -> (f64, f64) {
        (libm::log(self.beta / (1.0 - self.alpha)), libm::log((1.0 - self.beta) / self.alpha))
    }

    /// Returns the logarithm of the generalised likelihood ratio of H1 to H0.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        let observed = Observed::new(&pairs.0);
        match self.model {
            EloModel::Logistic => {
                observed.ratio_of_means(score_of_elo(self.elo0), score_of_elo(self.elo1))
            }
            EloModel::Normalized => {
                // The mean of a pair varies less than one match by the root of 2.
                let scale = 2f64.sqrt() / NORMALIZED_ELO_PER_SIGMA;
                observed.ratio_of_effects(self.elo0 * scale, self.elo1 * scale)
            }
        }
    }

    /// Decides by the pairs so far.
    pub fn decide(&self, pairs: &Pentanomial) -> Decision {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Decision::AcceptH1,
            llr if llr <= lower => Decision::AcceptH0,
            _ => Decision::Continue,
        }
    }
}

/// Mirrored pairs: the numbers of pairs with 0, ½, 1, 1½ and 2 points, in this order.
///
/// A pair is two matches with the same seed and the seats exchanged; the points are those of the
/// tested player. The two matches of a pair depend on each other, pairs do not. A seed that favours
/// a seat does so in both matches. So scores of pairs vary less, and tests end sooner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts the pairs of `one` and `other`: clusters of two matches of theirs.
    ///
    /// Also returns the number of their matches without a pair, which are left out.
    pub fn of(records: &[Record], one: usize, other: usize) -> (Pentanomial, u64) {
        let mut counts = Pentanomial::default();
        let mut alone = 0;
        let mut clusters: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for record in records {
            match (points(record, one, other), record.cluster) {
                (Some(points), Some(cluster)) => clusters.entry(cluster).or_default().push(points),
                (Some(_), None) => alone += 1,
                (None, _) => (),
            }
        }
        for points in clusters.values() {
            match points[..] {
                [first, second] => counts.0[first + second] += 1,
                _ => alone += points.len() as u64,
            }
        }
        (counts, alone)
    }
}

/// Returns the half points of `one` in a match against `other` alone: 0, 1 or 2.
fn points(record: &Record, one: usize, other: usize) -> Option<usize> {
    let theirs = record.players.len() == 2 && record.players.contains(&other);
    let score = record.score(one).filter(|_| theirs && one != other)?;
    Some((2.0 * score) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_cannot_be_is_refused() {
        let message = |elo0, elo1, alpha, beta| {
            Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic).unwrap_err().to_string()
        };
        assert_eq!(message(5.0, 5.0, 0.05, 0.05), "elo0 is 5: give a number below elo1");
        let normalized = |elo0, elo1| Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized);
        let error = normalized(0.0, 700.1).unwrap_err().to_string();
        assert_eq!(error, "elo1 is 700.1: give normalised Elo from -700 to 700");
        assert!(normalized(-701.0, 0.0).is_err() && normalized(-700.0, 700.0).is_ok());
        assert!(message(0.0, 5.0, 0.0, 0.05).starts_with("alpha is 0"));
        assert!(message(0.0, 5.0, 0.5, 0.5).starts_with("alpha + beta is 1"));
    }

    #[test]
    fn no_matches_decide_nothing() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).unwrap();
        assert_eq!(sprt.decide(&Pentanomial::default()), Decision::Continue);
        assert!(sprt.llr(&Pentanomial::default()).abs() < 0.01);
    }

    #[test]
    fn large_hypotheses_are_decided_for_the_right_player() {
        for (elo0, elo1) in [(0.0, 232.0), (0.0, 350.0), (0.0, 500.0), (-350.0, -100.0)] {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized).unwrap();
            let decide = |counts| sprt.decide(&Pentanomial(counts));
            for (counts, decision) in [
                ([30, 0, 1, 0, 0], Decision::AcceptH0),
                ([40, 0, 0, 0, 0], Decision::AcceptH0),
                ([0, 0, 0, 1, 30], Decision::AcceptH1),
                ([0, 0, 0, 0, 40], Decision::AcceptH1),
            ] {
                assert_eq!(decide(counts), decision, "{elo0} {elo1} {counts:?}");
            }
            assert!(sprt.llr(&Pentanomial([0, 0, 40, 0, 0])).is_finite());
        }
    }

    #[test]
    fn exchanging_the_players_exchanges_the_hypotheses() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let one = Sprt::new(-3.0, 7.0, 0.05, 0.1, model)
                .unwrap()
                .llr(&Pentanomial([10, 25, 60, 30, 12]));
            let other = Sprt::new(-7.0, 3.0, 0.1, 0.05, model)
                .unwrap()
                .llr(&Pentanomial([12, 30, 60, 25, 10]));
            assert!((one + other).abs() < 1e-6, "{one} {other}");
        }
    }

    #[test]
    fn pairs_are_counted() {
        let records = [
            Record::win(0, 1).clustered(1),
            Record::win(1, 0).clustered(2),
            Record::tie(1, 0).clustered(1),
            Record::tie(0, 1),
            Record::win(2, 0).clustered(2),
            Record::new(&[0, 1, 2], &[1, 2, 3]).clustered(2),
        ];
        assert_eq!(Pentanomial::of(&records, 0, 1), (Pentanomial([0, 0, 0, 1, 0]), 2));
        assert_eq!(Pentanomial::of(&records, 1, 0), (Pentanomial([0, 1, 0, 0, 0]), 2));
    }
}
