//! A sequential test for two players whose seeds are played twice, with exchanged seats.
//!
//! `agon compare` decides with it when two versions play each other.
//!
//! The points of a pair of matches, 0 to 2, become a number from -1 to 1. Its mean is bet on (see
//! [`PairedTest`](crate::PairedTest)), so errors are at most the requested ones, at any rate of
//! ties. Normalised Elo also depends on the spread, and no such bet is known for it. There the
//! [`Sprt`] decides, with approximate errors.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bets::{Bets, Effect};
use crate::elo::{NORMALIZED_ELO_PER_SIGMA, elo_of_score, score_of_elo};
use crate::{Decision, EloModel, Pentanomial, RatingError, Sprt, normal, sprt::Observed};

/// Elo points beyond this give a score that looks like 0 or 1.
const MAX_ELO: f64 = 3000.0;

/// A test whether one player is better than another.
///
/// H0: it is at most `elo0` better. H1: it is at least `elo1` better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct DuelTest {
    sprt: Sprt,
}

/// The state of a [`DuelTest`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DuelReport {
    /// The decision.
    pub decision: Decision,
    /// The progress of the test: at `upper` H1 is accepted, at `lower` H0.
    ///
    /// It is the logarithm of the capital of the bet that has won more, negative if that is the bet
    /// against H1. For normalised Elo it is the logarithm of the generalised likelihood ratio.
    pub llr: f64,
    /// At or below this, H0 is accepted.
    pub lower: f64,
    /// At or above this, H1 is accepted.
    pub upper: f64,
    /// The number of matches so far; those after the decision do not count.
    pub matches: u64,
    /// The greatest capital so far of the bet against H0, which is refuted at 1/α.
    ///
    /// `None` for normalised Elo.
    pub evidence_against_h0: Option<f64>,
    /// The greatest capital so far of the bet against H1, which is refuted at 1/β.
    pub evidence_against_h1: Option<f64>,
    /// The estimated difference; `None` before the first pair.
    pub estimate: Option<DuelEstimate>,
}

/// The lead of one player over another, by pairs of matches. It holds at the stop of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DuelEstimate {
    /// Mean score of a match so far, from 0 to 1. At the stop it is a little too far from ½.
    pub score: f64,
    /// Elo difference: about as often too high as too low. It and its interval end at ±1200.
    pub elo: f64,
    /// Lower end of the interval. The truth is ever below it with a probability of at most α.
    ///
    /// It is `elo0` or more if and only if H1 was accepted, except for normalised Elo.
    pub elo_low: f64,
    /// Upper end of the interval. The truth is ever above it with a probability of at most β.
    pub elo_high: f64,
    /// The probability that the interval holds: 1 - α - β.
    pub confidence: f64,
    /// The same in normalised Elo, for the standard deviation so far; `None` if that is 0.
    pub normalized: Option<f64>,
    /// Lower end of its interval.
    pub normalized_low: Option<f64>,
    /// Upper end of its interval.
    pub normalized_high: Option<f64>,
    /// The probability that the difference is above 0, as if the number of pairs had been fixed.
    ///
    /// `None` if all pairs have the same points.
    pub superiority: Option<f64>,
}

impl DuelTest {
    /// Makes a test of `elo0` against `elo1`.
    ///
    /// `alpha` and `beta` are the probabilities of a wrong decision.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: EloModel,
    ) -> Result<DuelTest, RatingError> {
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model)?;
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if value.abs() > MAX_ELO {
                let remedy = "give a number from -3000 to 3000";
                return Err(RatingError::Option { name, value, remedy });
            }
        }
        Ok(DuelTest { sprt })
    }

    /// Starts a run without pairs; add them one by one.
    pub fn run(&self) -> DuelRun {
        let Sprt { elo0, elo1, model, .. } = self.sprt;
        let bets = match model {
            EloModel::Logistic => {
                let [low, high] = [elo0, elo1].map(|elo| 2.0 * score_of_elo(elo) - 1.0);
                Bets::new(low, high, Effect::Mean(high - low))
            }
            EloModel::Normalized => {
                // A pair varies less than a match by the root of 2, its mean by 2.
                let effect = (elo1 - elo0) / NORMALIZED_ELO_PER_SIGMA * 2f64.sqrt();
                Bets::new(0.0, 0.0, Effect::Deviations(effect))
            }
        };
        let pairs = Pentanomial::default();
        DuelRun { test: *self, decision: Decision::Continue, pairs, bets }
    }
}

/// A [`DuelTest`] in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct DuelRun {
    test: DuelTest,
    decision: Decision,
    pairs: Pentanomial,
    bets: Bets,
}

impl DuelRun {
    /// Adds a pair with this many half points, 0 to 4. After a decision it changes nothing.
    pub fn push(&mut self, half_points: usize) -> Result<(), RatingError> {
        let Some(count) = self.pairs.0.get_mut(half_points) else {
            let remedy = "a pair has 0 to 4 half points";
            return Err(RatingError::Option { name: "points", value: half_points as f64, remedy });
        };
        if self.decision == Decision::Continue {
            *count += 1;
            self.bets.push(half_points as f64 / 2.0 - 1.0);
            self.decision = self.decide();
        }
        Ok(())
    }

    fn decide(&self) -> Decision {
        let Sprt { alpha, beta, model, .. } = self.test.sprt;
        match model {
            EloModel::Normalized => self.test.sprt.decide(&self.pairs),
            EloModel::Logistic if self.bets.against_low() >= 1.0 / alpha => Decision::AcceptH1,
            EloModel::Logistic if self.bets.against_high() >= 1.0 / beta => Decision::AcceptH0,
            EloModel::Logistic => Decision::Continue,
        }
    }

    /// Returns the decision so far.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns the pairs that decided, or all pairs so far.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Returns the current state.
    pub fn report(&self) -> DuelReport {
        let bets = self.test.sprt.model == EloModel::Logistic;
        let (llr, (lower, upper)) = if bets {
            self.progress()
        } else {
            (self.test.sprt.llr(&self.pairs), self.test.sprt.bounds())
        };
        let pairs = self.pairs.0.iter().sum::<u64>();
        DuelReport {
            decision: self.decision,
            llr,
            lower,
            upper,
            matches: 2 * pairs,
            evidence_against_h0: bets.then(|| self.bets.against_low()),
            evidence_against_h1: bets.then(|| self.bets.against_high()),
            estimate: (pairs > 0).then(|| self.estimate()),
        }
    }

    /// Returns the progress of the bets, with both ends.
    fn progress(&self) -> (f64, (f64, f64)) {
        let Sprt { alpha, beta, .. } = self.test.sprt;
        let [lower, upper] = [libm::log(beta), -libm::log(alpha)];
        let [for_h1, for_h0] = self.bets.capitals().map(|capital| libm::log(capital).max(0.0));
        let llr = if for_h1 / upper >= for_h0 / -lower { for_h1 } else { -for_h0 };
        (llr, (lower, upper))
    }

    fn estimate(&self) -> DuelEstimate {
        let Sprt { alpha, beta, .. } = self.test.sprt;
        let [low, middle, high] = self.bets.interval(alpha, beta);
        let elo = |mean: f64| elo_of_score(((1.0 + mean) / 2.0).clamp(1e-3, 1.0 - 1e-3));
        let is_spread = self.pairs.0.iter().filter(|&&count| count > 0).count() > 1;
        let observed = Observed::new(&self.pairs.0);
        let (mean, variance) = observed.moments();
        let per_mean = NORMALIZED_ELO_PER_SIGMA / 2.0 / (2.0 * variance).sqrt();
        let normalized = |mean: f64| is_spread.then_some(mean * per_mean);
        DuelEstimate {
            score: (1.0 + self.bets.moments().mean()) / 2.0,
            elo: elo(middle),
            elo_low: elo(low),
            elo_high: elo(high),
            confidence: 1.0 - (alpha + beta),
            normalized: normalized(middle),
            normalized_low: normalized(low),
            normalized_high: normalized(high),
            superiority: is_spread
                .then(|| normal::cdf((mean - 0.5) / (variance / observed.total).sqrt())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(half_points: &[usize], model: EloModel) -> DuelReport {
        let mut run = DuelTest::new(0.0, 20.0, 0.05, 0.1, model).unwrap().run();
        half_points.iter().for_each(|&points| run.push(points).unwrap());
        run.report()
    }

    #[test]
    fn the_ratio_leaves_its_bounds_at_the_decision() {
        for (points, decision) in [(4, Decision::AcceptH1), (0, Decision::AcceptH0)] {
            for model in [EloModel::Logistic, EloModel::Normalized] {
                let report = run(&[points; 100], model);
                assert_eq!(report.decision, decision);
                assert!(!(report.lower..report.upper).contains(&report.llr), "{report:?}");
                assert!(report.matches < 200, "what comes after a decision counts: {report:?}");
            }
        }
        let open = run(&[2, 3, 1], EloModel::Logistic);
        assert_eq!(open.decision, Decision::Continue);
        assert!((open.lower..open.upper).contains(&open.llr), "{open:?}");
    }

    #[test]
    fn pairs_that_are_all_the_same_have_an_interval_but_no_spread() {
        let report = run(&[4; 5], EloModel::Logistic);
        let estimate = report.estimate.unwrap();
        assert_eq!((estimate.score, estimate.elo_high.round()), (1.0, 1200.0));
        assert!(estimate.elo_low < estimate.elo && estimate.normalized.is_none(), "{estimate:?}");
        assert_eq!(estimate.superiority, None);
        assert_eq!(run(&[], EloModel::Logistic).estimate, None);
        let spread = run(&[4, 4, 3, 4], EloModel::Logistic).estimate.unwrap();
        assert!(spread.normalized_low < spread.normalized, "{spread:?}");
    }

    /// Source: `app/tests/elo_test.cpp` of fastchess.
    #[test]
    fn superiority_is_that_of_others() {
        for (pairs, percent) in [([34, 54, 63, 64, 75], 100.0), ([332, 433, 498, 333, 334], 5.05)] {
            let run = DuelTest::new(0.0, 20.0, 0.05, 0.1, EloModel::Logistic).unwrap().run();
            let run = DuelRun { pairs: Pentanomial(pairs), ..run };
            let found = 100.0 * run.estimate().superiority.unwrap();
            assert!((found - percent).abs() < 0.0051 + 1e-3 * percent, "{found}, not {percent}");
        }
    }

    #[test]
    fn exchanging_the_players_exchanges_the_hypotheses() {
        let points = [4, 1, 2, 3, 3, 4, 0, 2, 4, 3];
        let mirrored: Vec<usize> = points.iter().map(|points| 4 - points).collect();
        let of = |elo0, elo1, points: &[usize]| {
            let mut run = DuelTest::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap().run();
            points.iter().for_each(|&points| run.push(points).unwrap());
            run.report()
        };
        let [one, other] = [of(-3.0, 7.0, &points), of(-7.0, 3.0, &mirrored)];
        let [first, second] = [one, other].map(|report| report.estimate.unwrap());
        assert!((one.llr + other.llr).abs() < 1e-9, "{one:?} {other:?}");
        assert!((first.elo + second.elo).abs() < 1e-6, "{first:?} {second:?}");
        assert!((first.elo_low + second.elo_high).abs() < 1e-6, "{first:?} {second:?}");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let message = |elo0, elo1| {
            let test = DuelTest::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic);
            test.unwrap_err().to_string()
        };
        assert_eq!(message(5.0, 5.0), "elo0 is 5: give a number below elo1");
        assert_eq!(message(0.0, 4000.0), "elo1 is 4000: give a number from -3000 to 3000");
        let mut run = DuelTest::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap().run();
        assert!(run.push(5).is_err());
    }
}
