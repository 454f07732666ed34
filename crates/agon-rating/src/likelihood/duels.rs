//! Imagined duels that remove the bias from the maximum of the likelihood.
//!
//! The ratings of a table are fitted with them.
//!
//! Firth's penalty is half the logarithm of the information's determinant. It adds half of each
//! observation's leverage to each possible result (Firth 1993, section 3). The information about
//! strengths is that of a network. Between two players who met there is a conductance. The leverage
//! of their matches is this conductance times the resistance between them. By Foster's theorem all
//! leverages sum to one less than the number of players. Two players alone get one duel, half won
//! and half lost, for any number of matches. That is Jeffreys' prior.

use crate::RatingError;
use crate::fit::{Choices, Duel, Penalty, Solver, Symmetric, Totals, covariance};

/// The largest group with exact resistances.
///
/// Larger ones get approximations from each player's own resistance and the known sum.
const EXACT: usize = 100;

/// The weight of the prior on the odds of ties, in imagined matches: half ended in a tie.
///
/// It keeps the odds finite. The first fit has the same prior on strengths.
const PRIOR: f64 = 0.1;

/// Fits the strengths with imagined duels for all players who met.
///
/// The solver keeps the duels.
pub(super) fn fit<'a>(
    choices: &'a Choices,
    totals: &Totals,
) -> Result<(Solver<'a>, Vec<f64>), RatingError> {
    let prior = Penalty { players: PRIOR, ties: PRIOR, duels: Vec::new() };
    let mut solver = Solver::new(choices, prior);
    let mut values = solver.fit_roughly(totals, &vec![0.0; choices.parameters()])?;
    // Any sensible strengths give leverages, and these give better strengths.
    for is_last in [false, true] {
        let duels = leverages(solver.information(totals, &values), choices.players);
        solver.set_penalty(Penalty { players: 0.0, ties: PRIOR, duels });
        values = if is_last {
            solver.fit(totals, &values)?
        } else {
            solver.fit_roughly(totals, &values)?
        };
    }
    Ok((solver, values))
}

fn leverages(information: &Symmetric, players: usize) -> Vec<Duel> {
    let resistance = resistances(information, players);
    let met = information.pairs().filter(|&(_, other, _)| (other as usize) < players);
    let mut duels: Vec<Duel> = met
        .map(|(one, other, entry)| {
            let weight = (-entry).max(0.0) * resistance(one as usize, other as usize);
            Duel { one, other, weight }
        })
        .collect();
    let sum: f64 = duels.iter().map(|duel| duel.weight).sum();
    let whole = players.saturating_sub(1) as f64;
    duels.iter_mut().for_each(|duel| duel.weight *= whole / sum);
    duels
}

/// Returns the variance of the difference between two players.
fn resistances(information: &Symmetric, players: usize) -> Box<dyn Fn(usize, usize) -> f64 + '_> {
    if players > EXACT {
        let own = |at: usize| 1.0 / information.diagonal[at].max(f64::MIN_POSITIVE);
        return Box::new(move |one, other| own(one) + own(other));
    }
    let size = information.diagonal.len();
    let covariance = covariance(information.dense(), size, players);
    let at = move |row: usize, column: usize| covariance[row * players + column];
    Box::new(move |one, other| at(one, one) + at(other, other) - 2.0 * at(one, other))
}
