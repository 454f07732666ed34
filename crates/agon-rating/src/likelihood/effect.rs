//! The design effect of seeds: how dependence within seeds changes the variance of results.
//!
//! It widens or narrows the intervals of a table.

use crate::fit::{Choice, Choices, Moments};

/// The number of seeds from which results may vary less than independent ones.
const MIN_SEEDS: usize = 20;

/// The lowest design effect: results count for at most four independent ones each.
const MIN_EFFECT: f64 = 0.25;

/// Returns the variance of the strengths relative to that of independent matches.
///
/// It divides the squared surprises of whole seeds by those of their matches (Kish, "Survey
/// Sampling", 1965). It is 1 if no seed has two matches. A surprise is a player's result minus the
/// one expected from the strengths `values`. Squares are weighted with the variance of the
/// player's strength, about 1 / `information`. It goes below 1 only as far as that is sure: by two
/// standard errors.
pub(super) fn design_effect(choices: &Choices, values: &[f64], information: &[f64]) -> f64 {
    let Some(units) = choices.units_of_matches() else { return 1.0 };
    let mut surprises = Surprises::new(choices, values);
    let mut apart = 0.0;
    let mut differences = Vec::new();
    for unit in units.iter().filter(|unit| unit.matches.len() > 1) {
        let mut own = 0.0;
        let mut sum: Vec<(u32, f64)> = Vec::new();
        for choices in &unit.matches {
            let surprise = surprises.of_match(choices);
            own += square(&surprise, information);
            sum.extend(surprise);
        }
        apart += own;
        differences.push(square(&merged(sum), information) - own);
    }
    if apart <= 0.0 {
        return 1.0;
    }
    let found = 1.0 + differences.iter().sum::<f64>() / apart;
    if found >= 1.0 {
        return found;
    }
    if differences.len() < MIN_SEEDS {
        return 1.0;
    }
    let error =
        differences.iter().map(|difference| difference * difference).sum::<f64>().sqrt() / apart;
    (found + 2.0 * error).clamp(MIN_EFFECT, 1.0)
}

fn square(surprises: &[(u32, f64)], information: &[f64]) -> f64 {
    let term = |&(player, surprise): &(u32, f64)| {
        surprise * surprise / information[player as usize].max(f64::MIN_POSITIVE)
    };
    surprises.iter().map(term).sum()
}

/// Merges the entries of each player.
fn merged(mut entries: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    entries.sort_unstable_by_key(|entry| entry.0);
    let sum = |same: &[(u32, f64)]| (same[0].0, same.iter().map(|entry| entry.1).sum());
    entries.chunk_by(|one, other| one.0 == other.0).map(sum).collect()
}

struct Surprises<'a> {
    choices: &'a Choices,
    values: &'a [f64],
    moments: Moments,
    theta: Vec<f64>,
}

impl<'a> Surprises<'a> {
    fn new(choices: &'a Choices, values: &'a [f64]) -> Surprises<'a> {
        Surprises { choices, values, moments: Moments::default(), theta: Vec::new() }
    }

    fn of_match(&mut self, choices: &[Choice]) -> Vec<(u32, f64)> {
        let (strengths, gamma) = self.values.split_at(self.choices.players);
        let mut entries = Vec::new();
        for choice in choices {
            let set = &self.choices.sets[choice.set];
            self.theta.clear();
            self.theta.extend(set.iter().map(|&player| strengths[player as usize]));
            self.moments.compute(&self.theta, &self.choices.orders, gamma);
            let expected = set.iter().zip(&self.moments.mean);
            entries.extend(expected.map(|(&player, mean)| (player, -choice.weight * mean)));
            let share = choice.weight / choice.chosen.len() as f64;
            entries.extend(choice.chosen.iter().map(|&player| (player, share)));
        }
        merged(entries)
    }
}
