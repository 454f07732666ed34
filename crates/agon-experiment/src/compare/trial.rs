//! Plans the matches of a comparison, and counts their results in planned order. It plays none.
//!
//! `job_source` has them played by a pool, and the tests in `simulation` draw their results.

use std::collections::BTreeMap;

use agon_core::Seed;
use agon_rating::Decision;
use anyhow::Result;

use super::{
    design::Design,
    judge::{Judge, Report},
};

/// A match that is over. A trial needs only its places.
pub trait Placed {
    /// The places, in order of seats; the smallest is the best.
    fn places(&self) -> Vec<u32>;
}

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
    /// Results that do not count yet.
    arrived: BTreeMap<u64, T>,
    /// How many seeds count.
    counted: u64,
}

impl<T: Placed> Trial<T> {
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

    /// Takes the result of a match.
    pub fn arrive(&mut self, ticket: u64, result: T) {
        self.arrived.insert(ticket, result);
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
        let matches: Vec<T> = tickets.filter_map(|ticket| self.arrived.remove(&ticket)).collect();
        let number = self.counted;
        let seed = self.seed.derive(number);
        let seatings = self.design.seatings(seed);
        let places: Vec<Vec<u32>> = matches.iter().map(Placed::places).collect();
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
    use super::*;
    use crate::compare::TestOptions;

    impl Placed for Vec<u32> {
        fn places(&self) -> Vec<u32> {
            self.clone()
        }
    }

    fn trial(design: Design, most: Option<u64>) -> Trial<Vec<u32>> {
        let args = TestOptions::default();
        Trial::new(design, Judge::new(design, &args).unwrap(), Seed(3), most)
    }

    #[test]
    fn results_count_in_the_order_of_the_plan() {
        let mut trial = trial(Design::Mirror, None);
        let planned: Vec<Planned> = std::iter::from_fn(|| trial.plan()).take(6).collect();
        assert_eq!(planned.iter().map(|job| job.ticket).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(planned[0].seed == planned[1].seed && planned[1].seed != planned[2].seed);
        for ticket in [4, 5, 2, 1] {
            trial.arrive(ticket, vec![1, 2]);
            assert!(trial.count().unwrap().is_none(), "the first pair is not complete");
        }
        trial.arrive(0, vec![2, 1]);
        let first = trial.count().unwrap().unwrap();
        assert_eq!((first.number, first.seed, first.matches.len()), (0, planned[0].seed, 2));
        assert_eq!(first.matches[0], [2, 1]);
        assert!(trial.count().unwrap().is_none());
        trial.arrive(3, vec![1, 2]);
        assert_eq!(trial.count().unwrap().unwrap().number, 1);
        assert_eq!(trial.count().unwrap().unwrap().number, 2);
        assert_eq!(trial.seeds(), 3);
    }

    #[test]
    fn only_whole_seeds_are_planned() {
        for (most, seeds) in [(0, 0), (5, 0), (6, 1), (17, 2)] {
            let mut trial = trial(Design::Pool { players: 3, pool: 2 }, Some(most));
            assert_eq!(std::iter::from_fn(|| trial.plan()).count(), 6 * seeds);
            assert_eq!(trial.most_seeds(), Some(seeds as u64));
        }
    }

    #[test]
    fn nothing_counts_after_the_decision() {
        let mut trial = trial(Design::Mirror, None);
        while trial.decision() == Decision::Continue {
            // New wins all, from both seats.
            let job = trial.plan().unwrap();
            trial.arrive(job.ticket, if job.seats[0] == 0 { vec![1, 2] } else { vec![2, 1] });
            trial.count().unwrap();
        }
        assert_eq!(trial.decision(), Decision::AcceptH1);
        let seeds = trial.seeds();
        for _ in 0..2 {
            let job = trial.plan().unwrap();
            trial.arrive(job.ticket, vec![1, 2]);
        }
        assert!(trial.count().unwrap().is_none());
        assert_eq!(trial.seeds(), seeds);
    }
}
