//! A sequential test for more than two players: is the new version better in the same fields?
//!
//! `agon compare` decides with it in larger matches, and against other bots.
//!
//! Both versions play the same seeds, in the same seats, against the same others. The difference of
//! their scores ([`differences`]) is a number from -1 to 1, whose mean is tested.
//!
//! # Why it is sound
//! It bets against both hypotheses with the differences as they come (`bets.rs`). It refutes one
//! when the bet against it has won enough. This holds for any distribution on [-1, 1], any length,
//! and any time of stopping. Nothing is approximated, and differences need not be independent.
//!
//! # What it costs
//! Let λ = δ / (variance + δ²), where δ is the hoped-for improvement. The capital grows as the
//! likelihood ratio of the GSPRT does. But it has to reach 1/α instead of (1 - β)/α, and the
//! variance is unknown at first. A tenth of the capital bets on larger differences. In simulations
//! (`tests/simulation/`; α = β = 5 %) it needs 5 to 10 % more pairs than [`Sprt`](crate::Sprt) at
//! usual differences. At large ones it needs far fewer.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::bets::{Bets, Effect, Moments};
use crate::{Decision, RatingError, Record, normal::square};

/// Returns the differences of scores, new minus old, of each cluster in which both played.
///
/// A difference is the mean score ([`Record::score`]) of the new version minus that of the old one.
/// It comes at the place of the cluster's first match. A cluster should have the same matches for
/// both, or matches in which both take part, once in each seat.
///
/// Give the records in the order in which the matches were planned. Otherwise short matches come in
/// first, and their winners would decide.
pub fn differences(records: &[Record], new: usize, old: usize) -> Vec<f64> {
    let mut numbers = HashMap::new();
    // For each cluster the sums of scores and the numbers of matches of both.
    let mut clusters: Vec<[(f64, u32); 2]> = Vec::new();
    for record in records {
        let Some(cluster) = record.cluster else { continue };
        let at = *numbers.entry(cluster).or_insert_with(|| {
            clusters.push(Default::default());
            clusters.len() - 1
        });
        for (sum, player) in clusters[at].iter_mut().zip([new, old]) {
            if let Some(score) = record.score(player) {
                *sum = (sum.0 + score, sum.1 + 1);
            }
        }
    }
    let both = clusters.into_iter().filter(|[new, old]| new.1 > 0 && old.1 > 0);
    both.map(|[new, old]| new.0 / f64::from(new.1) - old.0 / f64::from(old.1)).collect()
}

/// A test of two hypotheses on the mean difference of paired scores.
///
/// H0: it is at most `score0`. H1: it is at least `score1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedTest {
    /// H0: a mean difference of scores, from -1 to 1.
    score0: f64,
    /// H1: a mean difference of scores, from -1 to 1.
    score1: f64,
    /// The probability of accepting H1 although H0 holds.
    alpha: f64,
    /// The probability of accepting H0 although H1 holds.
    beta: f64,
}

/// The state of a [`PairedTest`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedReport {
    /// The decision.
    pub decision: Decision,
    /// The number of differences so far; those after the decision do not count.
    pub pairs: usize,
    /// The greatest capital so far of the bet against H0, which is refuted at 1/α.
    ///
    /// 1 divided by it is a p-value that holds at any time.
    pub evidence_against_h0: f64,
    /// The greatest capital so far of the bet against H1, which is refuted at 1/β.
    pub evidence_against_h1: f64,
    /// Mean difference. At the end of the test it is a little too far from the middle.
    pub mean: f64,
    /// The difference that is about as often too high as too low, even at the end of the test.
    pub estimate: f64,
    /// Lower end of an interval that holds the true mean at all times at once.
    ///
    /// It does so with a probability of 1 - α: it is the predictable plug-in empirical Bernstein
    /// confidence sequence of the paper, theorem 2.
    pub low: f64,
    /// Upper end of the same interval.
    pub high: f64,
}

impl PairedTest {
    /// Makes a test of `score0` against `score1`, such as 0 and 0.05.
    ///
    /// `alpha` and `beta` are the probabilities of a wrong decision.
    pub fn new(score0: f64, score1: f64, alpha: f64, beta: f64) -> Result<PairedTest, RatingError> {
        let wrong = |name, value, remedy| Err(RatingError::Option { name, value, remedy });
        if !(score0 > -1.0 && score0 < score1) {
            return wrong("score0", score0, "give a number above -1 and below score1");
        }
        if score1 >= 1.0 {
            return wrong("score1", score1, "give a number below 1");
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 1.0) {
                return wrong(name, value, "give a number between 0 and 1, such as 0.05");
            }
        }
        Ok(PairedTest { score0, score1, alpha, beta })
    }

    /// Tests the differences (new minus old) in the order in which they came.
    pub fn decide(&self, differences: &[f64]) -> Result<PairedReport, RatingError> {
        let mut run = self.run();
        for &difference in differences {
            run.push(difference)?;
        }
        Ok(run.report())
    }

    /// Starts a run without differences; add them one by one.
    pub fn run(&self) -> PairedRun {
        PairedRun {
            test: *self,
            decision: Decision::Continue,
            bets: Bets::new(self.score0, self.score1, Effect::Mean(self.score1 - self.score0)),
            bound: Bound::default(),
        }
    }
}

/// A [`PairedTest`] in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRun {
    test: PairedTest,
    decision: Decision,
    bets: Bets,
    bound: Bound,
}

impl PairedRun {
    /// Adds a difference. After a decision it changes nothing.
    pub fn push(&mut self, difference: f64) -> Result<(), RatingError> {
        if !(-1.0..=1.0).contains(&difference) {
            let remedy = "differences of scores are from -1 to 1";
            return Err(RatingError::Option { name: "a difference", value: difference, remedy });
        }
        if self.decision != Decision::Continue {
            return Ok(());
        }
        let PairedTest { alpha, beta, .. } = self.test;
        self.bound.add(difference, self.bets.moments(), alpha);
        self.bets.push(difference);
        if self.bets.against_low() >= 1.0 / alpha {
            self.decision = Decision::AcceptH1;
        } else if self.bets.against_high() >= 1.0 / beta {
            self.decision = Decision::AcceptH0;
        }
        Ok(())
    }

    /// Returns the decision so far.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns the current state.
    pub fn report(&self) -> PairedReport {
        let [_, estimate, _] = self.bets.interval(self.test.alpha, self.test.beta);
        PairedReport {
            decision: self.decision,
            pairs: self.bets.moments().count,
            evidence_against_h0: self.bets.against_low(),
            evidence_against_h1: self.bets.against_high(),
            mean: self.bets.moments().mean(),
            estimate,
            low: self.bound.low,
            high: self.bound.high,
        }
    }

    /// Returns an interval of the mean that agrees with the decision.
    ///
    /// It starts at `score0` or above if and only if H0 was refuted, and ends at `score1` or below
    /// if and only if H1 was. At its ends the same stakes, bet on a mean beyond them, have won
    /// enough. The truth is ever below with a probability of at most alpha, and above with one of
    /// at most beta, even at the end of the test. Later differences do not change it.
    pub fn interval(&self) -> (f64, f64) {
        let [low, _, high] = self.bets.interval(self.test.alpha, self.test.beta);
        (low, high)
    }
}

/// The confidence sequence, for values y = (x + 1) / 2 from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    stakes: f64,
    staked: f64,
    penalty: f64,
    low: f64,
    high: f64,
}

impl Default for Bound {
    fn default() -> Bound {
        Bound { stakes: 0.0, staked: 0.0, penalty: 0.0, low: -1.0, high: 1.0 }
    }
}

impl Bound {
    /// Adds `difference`; `before` are the moments of those before it.
    fn add(&mut self, difference: f64, before: &Moments, alpha: f64) {
        let number = before.count as f64 + 1.0;
        let value = (difference + 1.0) / 2.0;
        let mean = (0.5 + (before.sum + before.count as f64) / 2.0) / number;
        // The variance of y is a quarter of that of x. One more observation keeps it above 0.
        let spread = (before.variance() / 4.0).max(1e-6);
        let growth = spread * number * libm::log(1.0 + number);
        let stake = (2.0 * libm::log(2.0 / alpha) / growth).sqrt().min(0.5);
        self.stakes += stake;
        self.staked += stake * value;
        self.penalty += square(value - mean) * (-libm::log1p(-stake) - stake);
        let middle = self.staked / self.stakes;
        let width = (libm::log(2.0 / alpha) + self.penalty) / self.stakes;
        self.low = self.low.max(2.0 * (middle - width) - 1.0);
        self.high = self.high.min(2.0 * (middle + width) - 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_differences_decide_soon_and_later_ones_change_nothing() {
        let test = PairedTest::new(0.0, 0.1, 0.05, 0.05).unwrap();
        let better = test.decide(&[1.0; 100]).unwrap();
        assert_eq!(better.decision, Decision::AcceptH1);
        assert!(better.pairs < 30 && better.evidence_against_h0 >= 20.0, "{better:?}");
        let worse = test.decide(&[[-0.5; 100], [1.0; 100]].concat()).unwrap();
        assert_eq!(worse.decision, Decision::AcceptH0);
        assert!(worse.mean == -0.5 && worse.pairs < 30, "{worse:?}");
    }

    #[test]
    fn the_interval_agrees_with_the_decision() {
        let test = PairedTest::new(0.0, 0.1, 0.05, 0.05).unwrap();
        let interval = |differences: &[f64]| {
            let mut run = test.run();
            differences.iter().for_each(|&difference| run.push(difference).unwrap());
            run.interval()
        };
        let (low, high) = interval(&[0.25, -0.25, 0.5]);
        assert!(low < 0.0 && high > 0.1, "{low} {high}");
        let (low, high) = interval(&[1.0; 100]);
        assert!(low >= 0.0 && high == 1.0, "{low} {high}");
        let (low, high) = interval(&[[-0.5; 100], [1.0; 100]].concat());
        assert!(low < -0.5 && high <= 0.1, "what comes after a decision counts: {low} {high}");
        assert_eq!(interval(&[]), (-1.0, 1.0));
    }

    #[test]
    fn differences_are_taken_within_clusters() {
        // Old is 0, new is 1, the field is 2 and 3.
        let records = [
            Record::new(&[0, 2, 3], &[2, 1, 3]).clustered(9),
            Record::new(&[1, 2, 3], &[1, 2, 3]).clustered(2),
            Record::new(&[1, 2, 3], &[1, 2, 3]).clustered(9),
            Record::new(&[1, 2, 3], &[3, 2, 1]).clustered(5),
            Record::new(&[0, 1], &[1, 2]),
            Record::new(&[0, 2, 3], &[1, 1, 3]).clustered(2),
        ];
        assert_eq!(differences(&records, 1, 0), [0.5, 0.25]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let test = PairedTest::new(0.0, 0.1, 0.05, 0.05).unwrap();
        assert_eq!(
            test.decide(&[0.0, 1.5]).unwrap_err().to_string(),
            "a difference is 1.5: differences of scores are from -1 to 1"
        );
        assert!(test.decide(&[f64::NAN]).is_err());
        assert!(PairedTest::new(0.1, 0.1, 0.05, 0.05).is_err());
        assert!(PairedTest::new(0.0, 1.0, 0.05, 0.05).is_err());
        assert!(PairedTest::new(0.0, 0.5, 1.0, 0.05).is_err());
    }
}
