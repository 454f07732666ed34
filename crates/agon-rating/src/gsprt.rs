//! The generalised log-likelihood ratio of scores, as engine testers use it.
//!
//! [`Sprt`](crate::Sprt) and [`MeanInterval`](crate::MeanInterval) are computed with it.
//!
//! Under each hypothesis the distribution of scores a₁ < a₂ < … is unknown. It is replaced by its
//! maximum likelihood estimate among the distributions with the hypothesis' mean (or mean relative
//! to the standard deviation). Sources by M. Van den Bergh: "A practical introduction to the
//! GSPRT"; "The GSPRT and multinomial distributions"
//! (<https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>, proposition 1.1); "Comments on
//! normalized Elo" (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>, section 4.1).

use crate::normal::square;

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
