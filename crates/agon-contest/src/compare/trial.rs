//! Plans the matches of a comparison, and counts their results in planned order. It plays none.
//!
//! `job_source` has them played by a pool, and the tests in `simulation` draw their results.

use std::collections::BTreeMap;

use agon_core::Seed;
use agon_rating::Decision;
use anyhow::Result;

use super::judge::{Design, Judge, Report};

/// A match that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its number, from 0, in the order in which matches count.
    pub ticket: u64,
    pub seed: Seed,
    /// The bots' numbers, in order of seats.
    pub seats: Vec<usize>,
}

/// The matches of a seed, all of which are over and count.
#[derive(Clone, Debug)]
pub struct Counted<T> {
    /// The number of the seed, from 0.
    pub number: u64,
    /// The seed.
    pub seed: Seed,
    /// Who sat where in each match.
    pub seatings: Vec<Vec<usize>>,
    /// What came of each match.
    pub matches: Vec<T>,
}

/// A comparison in progress, without the playing.
///
/// Results count in the order in which their matches were planned, not in the order in which they
/// arrive. So the number of matches at a time changes no decision. Short matches arrive first, and
/// one of the versions may win most of these.
#[derive(Debug)]
pub struct Trial<T> {
    design: Design,
    judge: Judge,
    seed: Seed,
    /// How many matches may be played; a multiple of those of a seed.
    most: u64,
    /// How many have been planned.
    planned: u64,
    /// Matches of the current seed that are not planned yet, the next one last.
    waiting: Vec<Vec<usize>>,
    /// Places and results of matches that do not count yet.
    arrived: BTreeMap<u64, (Vec<u32>, T)>,
    /// How many seeds count.
    counted: u64,
}

impl<T> Trial<T> {
    /// Makes a trial of at most `most` matches, rounded down to whole seeds.
    pub fn new(design: Design, judge: Judge, seed: Seed, most: Option<u64>) -> Trial<T> {
        let each = design.matches_each();
        let most = most.map_or(u64::MAX, |most| most - most % each);
        let waiting = Vec::new();
        let arrived = BTreeMap::new();
        Trial { design, judge, seed, most, planned: 0, waiting, arrived, counted: 0 }
    }

    /// Plans the next match; `None` if no more are allowed.
    pub fn plan(&mut self) -> Option<Planned> {
        if self.planned == self.most {
            return None;
        }
        let ticket = self.planned;
        let seed = self.seed.derive(ticket / self.design.matches_each());
        if self.waiting.is_empty() {
            self.waiting = self.design.seatings(seed);
            self.waiting.reverse();
        }
        let seats = self.waiting.pop()?;
        self.planned += 1;
        Some(Planned { ticket, seed, seats })
    }

    /// Takes the result of a match, with the places in order of seats; the smallest is the best.
    pub fn arrive(&mut self, ticket: u64, places: Vec<u32>, result: T) {
        self.arrived.insert(ticket, (places, result));
    }

    /// Counts the next seed, if all its matches are over and nothing is decided yet.
    ///
    /// # Errors
    /// If the results are not of such matches.
    pub fn count(&mut self) -> Result<Option<Counted<T>>> {
        let each = self.design.matches_each();
        let tickets = self.counted * each..(self.counted + 1) * each;
        let complete = tickets.clone().all(|ticket| self.arrived.contains_key(&ticket));
        if !complete || self.decision() != Decision::Continue {
            return Ok(None);
        }
        let arrived = tickets.filter_map(|ticket| self.arrived.remove(&ticket));
        let (places, matches): (Vec<Vec<u32>>, Vec<T>) = arrived.unzip();
        let number = self.counted;
        let seed = self.seed.derive(number);
        let seatings = self.design.seatings(seed);
        self.judge.count(&seatings, &places)?;
        self.counted += 1;
        Ok(Some(Counted { number, seed, seatings, matches }))
    }

    /// Returns whether to play on after the matches that count.
    pub fn decision(&self) -> Decision {
        self.judge.decision()
    }

    /// Returns the state of the test after the matches that count.
    pub fn report(&self) -> Report {
        self.judge.report()
    }

    /// Returns the test.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// Returns which matches each seed has.
    pub fn design(&self) -> Design {
        self.design
    }

    /// Returns how many seeds count.
    pub fn seeds(&self) -> u64 {
        self.counted
    }

    /// Returns how many seeds there may be at most.
    pub fn most_seeds(&self) -> Option<u64> {
        (self.most < u64::MAX).then(|| self.most / self.design.matches_each())
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::TestOptions;

    use super::*;

    fn trial(design: Design, most: Option<u64>) -> Trial<()> {
        let args = TestOptions::default();
        Trial::new(design, Judge::new(design, &args).unwrap(), Seed(3), most)
    }

    #[test]
    fn nothing_counts_after_the_decision() {
        let mut trial = trial(Design::Mirror, None);
        while trial.decision() == Decision::Continue {
            // New wins all, from both seats.
            let job = trial.plan().unwrap();
            let places = if job.seats[0] == 0 { vec![1, 2] } else { vec![2, 1] };
            trial.arrive(job.ticket, places, ());
            trial.count().unwrap();
        }
        assert_eq!(trial.decision(), Decision::AcceptH1);
        let seeds = trial.seeds();
        for _ in 0..2 {
            let job = trial.plan().unwrap();
            trial.arrive(job.ticket, vec![1, 2], ());
        }
        assert!(trial.count().unwrap().is_none());
        assert_eq!(trial.seeds(), seeds);
    }
}
