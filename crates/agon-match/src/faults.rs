//! Counts the faults of a match, and makes faults of answers that break the rules.

use std::{collections::BTreeMap, num::NonZero, ops::Range};

use agon_core::{Decision, Evidence, Fault, FaultKind, Player};
use agon_games::any::{AnyAnswers, AnyGame};

use crate::replay::FaultTally;

/// Makes one fault of all answers of a player that break the rules. `part` is the range of the
/// player's decisions in the batch.
pub(crate) fn illegal(
    game: &AnyGame,
    step: u64,
    part: Range<usize>,
    answers: &AnyAnswers,
) -> Option<Fault> {
    let (Decision { player, unit }, detail, count) = game.breaches(part, answers)?;
    let evidence = Evidence { unit: Some(unit), ..Evidence::default() };
    let mut fault = Fault { player, step, kind: FaultKind::Illegal, detail, evidence, count };
    // The rules may quote texts of the answer.
    fault.escape();
    Some(fault)
}

/// The faults of a match. It counts all of them, and keeps some in detail.
#[derive(Clone, Debug)]
pub struct FaultBook {
    most: usize,
    kept: Vec<Fault>,
    tallies: BTreeMap<(Player, FaultKind), Tally>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    kept: usize,
}

impl FaultBook {
    /// Makes a book that keeps the first `most` faults per player and kind in detail.
    pub fn new(most: usize) -> FaultBook {
        FaultBook { most, kept: Vec::new(), tallies: BTreeMap::new() }
    }

    /// Counts a fault and returns whether it is kept in detail.
    pub fn note(&mut self, fault: &Fault) -> bool {
        self.note_important(fault, false)
    }

    /// Does the same, and keeps an important fault however many there are.
    pub(crate) fn note_important(&mut self, fault: &Fault, is_important: bool) -> bool {
        let tally = self.tallies.entry((fault.player, fault.kind)).or_default();
        tally.count = tally.count.saturating_add(fault.count.max(1));
        let keep = is_important || tally.kept < self.most;
        if keep {
            tally.kept += 1;
            self.kept.push(fault.clone());
        }
        keep
    }

    /// Returns the faults kept in detail, in the order in which they happened.
    pub fn kept(&self) -> &[Fault] {
        &self.kept
    }

    /// Returns the counts, by player, then kind.
    pub fn tallies(&self) -> Vec<FaultTally> {
        let tally =
            |(&(player, kind), tally): (_, &Tally)| FaultTally { player, kind, count: tally.count };
        self.tallies.iter().map(tally).collect()
    }
}

/// Counts the timeouts in a row of one bot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strikes {
    /// The number that stops the bot; `None` for no such limit.
    pub(crate) most: Option<NonZero<u32>>,
    in_a_row: u32,
}

impl Strikes {
    /// Notes an answer, or that it came too late. Returns why the bot has to be stopped, if it has.
    pub(crate) fn note(&mut self, is_late: bool) -> Option<String> {
        self.in_a_row = if is_late { self.in_a_row.saturating_add(1) } else { 0 };
        let most = self.most?.get();
        (self.in_a_row >= most).then(|| {
            let s = if most == 1 { "" } else { "s" };
            format!("the limit is {most} timeout{s} in a row: the bot stays out from now on")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_time_starts_again() {
        let mut strikes = Strikes { most: NonZero::new(2), in_a_row: 0 };
        let late = [true, false, true, true].map(|is_late| strikes.note(is_late));
        let why = "the limit is 2 timeouts in a row: the bot stays out from now on".to_owned();
        assert_eq!(late, [None, None, None, Some(why)]);
        let one = Strikes { most: NonZero::new(1), in_a_row: 0 }.note(true).unwrap();
        assert!(one.starts_with("the limit is 1 timeout in a row"), "{one}");
    }

    #[test]
    fn without_a_limit_nothing_stops_a_bot() {
        let mut strikes = Strikes::default();
        assert!((0..1_000).all(|_| strikes.note(true).is_none()));
        let mut strikes = Strikes { most: NonZero::new(u32::MAX), in_a_row: u32::MAX - 1 };
        assert!(strikes.note(true).is_some() && strikes.note(true).is_some());
    }
}
