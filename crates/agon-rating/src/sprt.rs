//! A sequential test whether one player is better than another, from counts of pairs.
//!
//! [`DuelTest`](crate::DuelTest) decides with it for normalised Elo.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::elo::{NORMALIZED_ELO_PER_SIGMA, score_of_elo};
use crate::{RatingError, Record, normal::square};

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

/// Scores from 0 to 1 with their observed frequencies, which sum to 1.
pub(crate) struct Observed {
    /// Score and frequency, scores ascending.
    pub(crate) scores: Vec<(f64, f64)>,
    /// The number of observations.
    pub(crate) total: f64,
}

/// How many standard deviations are tried for a distribution with an effect.
const DEVIATIONS: u32 = 32;

/// A distribution that may be the most likely one with an effect.
#[derive(Clone, Debug)]
struct Candidate {
    /// The assumed standard deviation.
    sigma: f64,
    /// By how much its mean differs from the one that goes with `sigma`.
    gap: f64,
    /// The logarithm of the likelihood of an observation.
    likelihood: f64,
    chances: Vec<f64>,
}

/// The substitute for a count of 0, so that each score remains possible.
const RARE: f64 = 1e-3;

impl Observed {
    /// Takes counts of scores in equal steps from 0 to 1.
    pub(crate) fn new(counts: &[u64]) -> Observed {
        let counts: Vec<f64> =
            counts.iter().map(|&count| if count == 0 { RARE } else { count as f64 }).collect();
        let total: f64 = counts.iter().sum();
        let best = (counts.len() - 1) as f64;
        let scores = counts
            .iter()
            .enumerate()
            .map(|(at, count)| (at as f64 / best, count / total))
            .collect();
        Observed { scores, total }
    }

    /// Takes scores in order, each with its count, which is more than 0.
    pub(crate) fn weighted(counts: Vec<(f64, f64)>) -> Observed {
        let total: f64 = counts.iter().map(|(_, count)| count).sum();
        let scores = counts.into_iter().map(|(score, count)| (score, count / total)).collect();
        Observed { scores, total }
    }

    /// Returns mean and variance of one observation.
    pub(crate) fn moments(&self) -> (f64, f64) {
        moments(&self.scores)
    }

    /// Returns the log-likelihood ratio of mean `one` to mean `zero`.
    pub(crate) fn ratio_of_means(&self, zero: f64, one: f64) -> f64 {
        self.ratio(&self.with_mean(zero), &self.with_mean(one))
    }

    /// Returns the log-likelihood ratio of effect `one` to effect `zero`.
    ///
    /// The effect is (mean - ½) / (standard deviation).
    pub(crate) fn ratio_of_effects(&self, zero: f64, one: f64) -> f64 {
        self.ratio(&self.with_effect(zero), &self.with_effect(one))
    }

    /// Returns twice the log-likelihood ratio of the observations to the best fit with this mean.
    ///
    /// The mean must lie between the scores.
    pub(crate) fn deviance(&self, mean: f64) -> f64 {
        let observed: Vec<f64> = self.scores.iter().map(|(_, frequency)| *frequency).collect();
        2.0 * self.ratio(&self.with_mean(mean), &observed)
    }

    fn ratio(&self, zero: &[f64], one: &[f64]) -> f64 {
        let terms = self.scores.iter().zip(zero.iter().zip(one));
        self.total
            * terms
                .map(|(&(_, frequency), (zero, one))| frequency * libm::log(one / zero))
                .sum::<f64>()
    }

    /// Returns the most likely distribution with this mean: p / (1 + x (a - mean)).
    fn with_mean(&self, mean: f64) -> Vec<f64> {
        let deviations: Vec<f64> = self.scores.iter().map(|(score, _)| score - mean).collect();
        self.tilted(&deviations)
    }

    /// Finds the most likely distribution with this effect.
    ///
    /// Each candidate is [`tilted`](Self::tilted) by the condition, made linear at the candidate's
    /// own mean and deviation. The effect ties both together, so that candidates are the roots of a
    /// function of the deviation alone. An iteration from one start finds some of them only.
    fn with_effect(&self, effect: f64) -> Vec<f64> {
        if effect == 0.0 {
            return self.with_mean(0.5);
        }
        let mut best: Option<Candidate> = None;
        let mut nearest: Option<Candidate> = None;
        let mut before: Option<Candidate> = None;
        for step in 1..=DEVIATIONS {
            // Small ones lie closer together: large effects need them.
            let sigma = 0.5 * square(f64::from(step) / f64::from(DEVIATIONS));
            let now = self.candidate(effect, sigma);
            if let (Some(low), Some(high)) = (&before, &now)
                && low.gap.is_sign_positive() != high.gap.is_sign_positive()
            {
                let root = self.root(effect, low.clone(), high.clone());
                if best.as_ref().is_none_or(|best| best.likelihood < root.likelihood) {
                    best = Some(root);
                }
            }
            if let Some(now) = &now
                && nearest.as_ref().is_none_or(|nearest| now.gap.abs() < nearest.gap.abs())
            {
                nearest = Some(now.clone());
            }
            before = now;
        }
        // Rounding hides roots only where the observations contradict the effect entirely.
        best.or(nearest).map_or_else(|| self.with_mean(0.5), |found| found.chances)
    }

    /// Finds the root between two deviations, by the false position (the Illinois method).
    fn root(&self, effect: f64, mut one: Candidate, mut other: Candidate) -> Candidate {
        // What counts as the gap of `other`.
        let mut weight = other.gap;
        for _ in 0..60 {
            let sigma = (one.sigma * weight - other.sigma * one.gap) / (weight - one.gap);
            let Some(next) = self.candidate(effect, sigma) else { break };
            if next.gap.is_sign_positive() == one.gap.is_sign_positive() {
                weight /= 2.0;
            } else {
                other = one;
                weight = other.gap;
            }
            one = next;
            if one.gap.abs() < 1e-13 {
                break;
            }
        }
        one
    }

    /// Returns the distribution for an assumed standard deviation; `None` if there is none.
    fn candidate(&self, effect: f64, sigma: f64) -> Option<Candidate> {
        let mean = 0.5 + effect * sigma;
        let slope = |&(score, _): &(f64, f64)| {
            score - 0.5 - effect * sigma / 2.0 * (1.0 + square((score - mean) / sigma))
        };
        let slopes: Vec<f64> = self.scores.iter().map(slope).collect();
        if !(slopes.iter().any(|&slope| slope > 0.0) && slopes.iter().any(|&slope| slope < 0.0)) {
            return None;
        }
        let chances = self.tilted(&slopes);
        let pairs = || self.scores.iter().zip(&chances);
        let gap = pairs().map(|(&(score, _), chance)| score * chance).sum::<f64>() - mean;
        let likelihood = pairs().map(|(&(_, seen), &chance)| seen * libm::log(chance)).sum();
        Some(Candidate { sigma, gap, likelihood, chances })
    }

    /// Returns p / (1 + x d) with the x that makes the mean of `d` 0.
    ///
    /// It is the root of Σ p d / (1 + x d), which falls all the way between its poles. It is found
    /// by Newton's method, and by bisection where that leaves the bracket.
    fn tilted(&self, d: &[f64]) -> Vec<f64> {
        let least = d.iter().copied().fold(f64::INFINITY, f64::min);
        let most = d.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let mut x = 0.0;
        for _ in 0..200 {
            let mut value = 0.0;
            let mut fall = 0.0;
            for (&(_, frequency), d) in self.scores.iter().zip(d) {
                let part = d / (1.0 + x * d);
                value += frequency * part;
                fall += frequency * part * part;
            }
            if value > 0.0 {
                low = x
            } else {
                high = x
            }
            let step = x + value / fall;
            let next = if step > low && step < high { step } else { (low + high) / 2.0 };
            let still = (next - x).abs() <= 1e-14 * (1.0 + x.abs());
            x = next;
            if still {
                break;
            }
        }
        self.scores.iter().zip(d).map(|(&(_, frequency), d)| frequency / (1.0 + x * d)).collect()
    }
}

fn moments(scores: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = scores.iter().map(|(score, chance)| score * chance).sum();
    let variance = scores.iter().map(|(score, chance)| chance * square(score - mean)).sum();
    (mean, variance)
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

    #[test]
    fn estimates_meet_their_condition() {
        let observed = Observed::new(&[12, 30, 50, 22, 9]);
        let of = |chances: Vec<f64>| {
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let pairs: Vec<(f64, f64)> = observed
                .scores
                .iter()
                .zip(chances)
                .map(|(&(score, _), chance)| (score, chance))
                .collect();
            moments(&pairs)
        };
        for mean in [0.3, 0.5, 0.61] {
            assert!((of(observed.with_mean(mean)).0 - mean).abs() < 1e-9);
        }
        for effect in [-2.8, -0.94, -0.2, 0.0, 0.1, 0.95, 1.4, 2.8] {
            let (mean, variance) = of(observed.with_effect(effect));
            assert!(((mean - 0.5) / variance.sqrt() - effect).abs() < 1e-6);
        }
    }

    /// Returns the greatest likelihood of three scores with an effect, by trying all of them.
    fn tried(frequencies: &[f64], effect: f64) -> f64 {
        let steps = 20_000;
        let chances = (1..steps).filter_map(|step| {
            let win = f64::from(step) / f64::from(steps);
            let gap = |loss: f64| {
                let mean = (win - loss) / 2.0;
                mean - effect * ((win + loss) / 4.0 - square(mean)).max(0.0).sqrt()
            };
            let (mut low, mut high) = (0.0, 1.0 - win);
            if (gap(low) > 0.0) == (gap(high) > 0.0) {
                return None;
            }
            let rises = gap(high) > 0.0;
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                if (gap(middle) > 0.0) == rises { high = middle } else { low = middle }
            }
            let all = [low, 1.0 - win - low, win];
            all.iter().all(|&chance| chance > 0.0).then_some(all)
        });
        let likelihood = |all: [f64; 3]| -> f64 {
            frequencies.iter().zip(all).map(|(seen, chance)| seen * libm::log(chance)).sum()
        };
        chances.map(likelihood).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn no_other_distribution_with_the_effect_is_more_likely() {
        let counts =
            [[0, 0, 0], [1, 0, 0], [0, 0, 5], [0, 9, 0], [3, 1, 2], [40, 2, 90], [500, 0, 500]];
        for counts in counts {
            let observed = Observed::new(&counts);
            let frequencies: Vec<f64> = observed.scores.iter().map(|(_, seen)| *seen).collect();
            for effect in [-2.0, -0.95, -0.3, 0.1, 0.6, 0.94, 1.3, 2.0] {
                let found = observed.with_effect(effect);
                let likelihood: f64 = frequencies
                    .iter()
                    .zip(&found)
                    .map(|(seen, chance)| seen * libm::log(*chance))
                    .sum();
                let best = tried(&frequencies, effect);
                let lacks = (best - likelihood) * observed.total;
                assert!(lacks < 1e-3, "{counts:?} {effect}: {likelihood} {best}");
            }
        }
    }
}
