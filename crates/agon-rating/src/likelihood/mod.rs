//! The uncertainty of ratings, by the likelihood of the results.
//!
//! One method for intervals, probabilities and ranks, and one page about it (`docs/ratings.md`):
//!
//! - The likelihood is penalised by imagined duels (`duels`), which remove the bias of its maximum
//!   and keep it finite: Firth, "Bias reduction of maximum likelihood estimates", Biometrika
//!   80(1), 1993.
//! - A hypothesis, such as "these two are equally strong", is judged by the signed root of twice
//!   the likelihood ratio. The root is about normal even for a player who won every match; Wald's
//!   statistic is not (Hauck & Donner 1977). Heinze & Schemper, "A solution to the problem of
//!   separation in logistic regression", Statistics in Medicine 21(16), 2002.
//! - Results on the same seed depend on each other: the root is divided by the square root of their
//!   design effect (`effect`).
//! - For the ratio only the players concerned move. It is scaled, because the difference is more
//!   uncertain when the others move as well. If nobody else matters, this is the exact profile.
//!
//! | module | noun |
//! | --- | --- |
//! | `duels` | the imagined duels |
//! | `local` | how the likelihood changes if one or two players were stronger or weaker |
//! | `variance` | Wald's variances: the inverse of the information, in full or sampled |
//! | `effect` | the design effect of seeds |
//! | `ranks` | how often each player has each rank |

mod duels;
mod effect;
mod local;
mod ranks;
mod variance;

use local::{Local, Move};
use variance::Variances;

use crate::fit::{Choices, Totals};
use crate::{RatingError, normal};

pub(crate) use variance::Base;

/// The penalised likelihood of a group at its maximum, in natural logarithms of odds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Likelihood {
    local: Local,
    variances: Variances,
    /// The variance relative to that of independent matches, times the square of `widen`.
    effect: f64,
}

/// The largest distance of an interval's end: some 7000 Elo points.
const MAX_DISTANCE: f64 = 40.0;

impl Likelihood {
    /// Fits the strengths with imagined duels. Also returns the estimates: strengths with mean 0,
    /// then logarithms of odds of ties.
    pub(crate) fn new(
        choices: Choices,
        totals: Totals,
        widen: f64,
    ) -> Result<(Likelihood, Vec<f64>), RatingError> {
        let players = choices.players;
        let (mut solver, values) = duels::fit(&choices, &totals)?;
        let duels = solver.duels().to_vec();
        let information = solver.information(&totals, &values);
        let variances = Variances::new(information, players);
        let effect =
            effect::design_effect(&choices, &values, &information.diagonal) * widen * widen;
        let information = information.clone();
        let local = Local::new(choices, totals, values.clone(), duels, &information);
        Ok((Likelihood { local, variances, effect }, values))
    }

    /// Returns the strengths.
    fn strengths(&self) -> &[f64] {
        self.local.strengths()
    }

    /// Returns the ends of each player's interval if the mean strength of `base` is 0.
    pub(crate) fn intervals(&self, base: &Base, confidence: f64) -> Vec<(f64, f64)> {
        let level = base.mean_of(self.strengths());
        let variances = self.variances.of_players(base);
        let root = normal::half_width(confidence) * self.effect.sqrt();
        let ends = |player: usize| {
            let middle = self.strengths()[player] - level;
            let part = base.part(player);
            let own = part * part / self.local.information(player);
            if variances[player] <= 0.0 || own <= 0.0 {
                return (middle, middle);
            }
            // When everybody else is free to move, the likelihood falls that much slower.
            let target = root * (variances[player] / own).sqrt();
            let end = |sign: f64| middle + sign * part * self.reach(player, sign, target);
            (end(-1.0), end(1.0))
        };
        (0..self.strengths().len()).map(ends).collect()
    }

    /// Returns how far a player's strength can move until the signed root is `target`.
    ///
    /// `sign` is 1 for up and -1 for down.
    fn reach(&self, player: usize, sign: f64, target: f64) -> f64 {
        let mut inside = 0.0;
        let mut outside = MAX_DISTANCE;
        let mut at = (target / self.local.information(player).sqrt()).min(MAX_DISTANCE / 2.0);
        for _ in 0..60 {
            let change = self.local.change(Move::one(player, self.strengths()[player] + sign * at));
            let ratio = (-2.0 * change.height).max(0.0);
            let missing = ratio.sqrt() - target;
            if missing < 0.0 {
                inside = at
            } else {
                outside = at
            }
            let slope = -sign * change.slope / ratio.sqrt();
            let next = at - missing / slope;
            // Rounding may put the next point outside of the bounds, and their middle may be far.
            if (next - at).abs() < 1e-9 * (1.0 + at) {
                break;
            }
            at = if next > inside && next < outside { next } else { (inside + outside) / 2.0 };
            if outside - inside < 1e-9 {
                break;
            }
        }
        at
    }

    /// Returns the probability that one player is stronger than another.
    pub(crate) fn superiority(&self, one: usize, other: usize) -> f64 {
        normal::cdf(self.root_of_equality(one, other))
    }

    /// Returns the signed root for "both are equally strong", positive if the first is ahead.
    fn root_of_equality(&self, one: usize, other: usize) -> f64 {
        let lead = self.strengths()[one] - self.strengths()[other];
        let variance = self.variances.of_difference(one, other);
        if lead == 0.0 || variance <= 0.0 {
            return 0.0;
        }
        let (ratio, own) = self.local.ratio_of_equality(one, other);
        lead.signum() * (ratio * own / variance / self.effect).sqrt()
    }
}

#[cfg(test)]
mod tests;
