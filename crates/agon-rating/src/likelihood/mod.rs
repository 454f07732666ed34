//! The uncertainty of ratings, by the likelihood of the results.
//!
//! One method for intervals, probabilities and ranks, and one page about it (`docs/ratings.md`):
//!
//! - The likelihood is penalised by imagined duels (`duels`), which take away the bias of its
//!   maximum and keep it finite: Firth, "Bias reduction of maximum likelihood estimates",
//!   Biometrika 80(1), 1993.
//! - A hypothesis, such as "these two are equally strong", is judged by the signed root of twice
//!   the likelihood ratio, which is about normal even where a player won every match; Wald's
//!   statistic is not (Hauck & Donner 1977). Heinze & Schemper, "A solution to the problem of
//!   separation in logistic regression", Statistics in Medicine 21(16), 2002.
//! - Results on the same seed depend on each other: the root is divided by the square root of their
//!   design effect (`effect`).
//! - The ratio is that of moving only the players concerned, scaled by how much more uncertain the
//!   difference is because the others move as well. Where nobody else matters, this is the exact
//!   profile.
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

use crate::{
    RatingError,
    fit::{Choices, Fit, Halt, Totals},
    normal,
};

use local::{Local, Move};
pub(crate) use variance::Base;
use variance::Variances;

/// The penalised likelihood of a group at its maximum. All values are natural logarithms of odds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Likelihood {
    local: Local,
    variances: Variances,
    /// How many times the variance is that of independent matches, in which `widen` of the options
    /// counts as well.
    effect: f64,
}

/// No end of an interval is further off than this: some 7000 Elo points.
const MAX_DISTANCE: f64 = 40.0;

impl Likelihood {
    /// Fits the strengths with imagined duels, which replace the `prior` on strengths.
    pub(crate) fn new(
        choices: Choices,
        totals: Totals,
        prior: f64,
        widen: f64,
    ) -> Result<(Likelihood, Fit), Halt> {
        let players = choices.players;
        let (mut solver, fit) = duels::fit(&choices, &totals, prior)?;
        let duels = solver.duels().to_vec();
        let information = solver.information(&totals, &fit);
        let variances = Variances::new(information, players);
        let effect =
            effect::design_effect(&choices, &fit.values, &information.diagonal) * widen * widen;
        let information = information.clone();
        let local = Local::new(choices, totals, fit.values.clone(), duels, &information);
        Ok((Likelihood { local, variances, effect }, fit))
    }

    /// The strengths.
    fn strengths(&self) -> &[f64] {
        self.local.strengths()
    }

    /// The end points of each player's interval, if the mean of the strengths of `base` is 0.
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
            // With everybody else free to move, the likelihood falls that much slower.
            let target = root * (variances[player] / own).sqrt();
            let end = |sign: f64| middle + sign * part * self.reach(player, sign, target);
            (end(-1.0), end(1.0))
        };
        (0..self.strengths().len()).map(ends).collect()
    }

    /// How far a player's strength can be moved up (1) or down (-1) until the signed root is
    /// `target`.
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
            let still = (next - at).abs() < 1e-9 * (1.0 + at);
            at = if next > inside && next < outside { next } else { (inside + outside) / 2.0 };
            if still || outside - inside < 1e-9 {
                break;
            }
        }
        at
    }

    /// The probability that one player is stronger than another.
    pub(crate) fn superiority(&self, one: usize, other: usize) -> f64 {
        normal::cdf(self.root_of_equality(one, other))
    }

    /// The signed root for "both are equally strong", positive if the first is ahead.
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

/// The strengths alone, as [`Likelihood::new`] fits them.
pub(crate) fn fit(choices: &Choices, prior: f64) -> Result<Fit, Halt> {
    duels::fit(choices, &choices.totals(None), prior).map(|(_, fit)| fit)
}

/// The errors of a fit as callers see them.
pub(crate) fn error_of(halt: Halt, members: &[usize]) -> RatingError {
    match halt {
        Halt::Runaway => RatingError::Separated { players: members.to_vec() },
        Halt::Stuck(steps) => RatingError::Stuck { players: members.len(), steps },
    }
}

#[cfg(test)]
mod tests;
