//! Plans the matches of a comparison, and counts their results in planned order.
//!
//! A pool plays them; the tests in `simulation` draw their results instead.

use std::collections::BTreeMap;

use agon_arena::{End, Job, JobSource, Next};
use agon_core::Seed;
use agon_match::Control;
use agon_match::spec::{MatchOutcome, MatchSpec};
use agon_rating::Decision;
use anyhow::{Error, Result};

use super::results::{Journal, SeedEntry};
use super::{Arrival, Bots, Design, FaultList, Judge, Replays, Report, Sameness, Tally, Verdict};
use crate::{Notice, Tell};

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
    /// Which matches each seed has.
    pub design: Design,
    /// The test.
    pub judge: Judge,
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
    pub seeds: u64,
}

impl<T> Trial<T> {
    /// Makes a trial of at most `most` matches, rounded down to whole seeds.
    pub fn new(design: Design, judge: Judge, seed: Seed, most: Option<u64>) -> Trial<T> {
        let each = design.matches_each();
        let most = most.map_or(u64::MAX, |most| most - most % each);
        let waiting = Vec::new();
        let arrived = BTreeMap::new();
        Trial { design, judge, seed, most, planned: 0, waiting, arrived, seeds: 0 }
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
    pub fn count(&mut self) -> Result<Option<Counted<T>>> {
        let each = self.design.matches_each();
        let tickets = self.seeds * each..(self.seeds + 1) * each;
        let complete = tickets.clone().all(|ticket| self.arrived.contains_key(&ticket));
        if !complete || self.judge.decision() != Decision::Continue {
            return Ok(None);
        }
        let arrived = tickets.filter_map(|ticket| self.arrived.remove(&ticket));
        let (places, matches): (Vec<Vec<u32>>, Vec<T>) = arrived.unzip();
        let number = self.seeds;
        let seed = self.seed.derive(number);
        let seatings = self.design.seatings(seed);
        self.judge.count(&seatings, &places)?;
        self.seeds += 1;
        Ok(Some(Counted { number, seed, seatings, matches }))
    }

    /// Returns how many seeds there may be at most.
    pub fn most_seeds(&self) -> Option<u64> {
        (self.most < u64::MAX).then(|| self.most / self.design.matches_each())
    }
}

/// A comparison in progress, as a source of matches for a pool.
pub struct Comparison<'a> {
    /// The results of the matches that count.
    pub results: Results,
    bots: &'a Bots,
    /// A match without bots.
    base: &'a MatchSpec,
    /// Matches that are over, whether they count or not.
    over: u64,
    /// Keeps the seeds that count.
    journal: Option<Journal>,
    watcher: &'a mut dyn Watcher,
    verdict: Option<Verdict>,
}

/// Follows the progress of a comparison, for people to see.
pub trait Watcher {
    /// A seed counts; `results` contain it.
    fn counted(&mut self, counted: &Counted<Arrival>, results: &Results) -> Result<()>;

    /// A match is over. `None` if the comparison is decided with it.
    fn over(&mut self, standing: Option<&Standing>);
}

/// The state of a comparison after a match.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// What the test says.
    pub report: Report,
    /// Wins, ties and losses of the new version.
    pub tally: Tally,
    /// Seeds that count.
    pub seeds: u64,
    /// How many there may be.
    pub most: Option<u64>,
    /// Matches that are over, whether they count or not.
    pub matches: u64,
    /// The number of matches of a seed.
    pub each: u64,
}

/// The results of the matches that count.
pub struct Results {
    /// The matches in order, and the test.
    pub trial: Trial<Arrival>,
    /// The faults of each bot.
    pub faults: FaultList,
    /// Whether seeds lead to different matches.
    pub sameness: Sameness,
    /// Where replays are written.
    pub replays: Option<Replays>,
    /// How often matches that count were void before.
    pub void: u64,
}

impl<'a> Comparison<'a> {
    /// Makes a comparison before its first match.
    pub fn new(
        trial: Trial<Arrival>,
        bots: &'a Bots,
        base: &'a MatchSpec,
        watcher: &'a mut dyn Watcher,
    ) -> Comparison<'a> {
        let results = Results {
            trial,
            faults: FaultList::new(bots.all().iter().map(|bot| bot.info.name.clone())),
            sameness: Sameness::default(),
            replays: None,
            void: 0,
        };
        Comparison { results, bots, base, over: 0, journal: None, watcher, verdict: None }
    }

    /// Counts the seeds of an earlier run, as if their matches had just been played, and writes
    /// the next ones into its journal.
    pub(crate) fn resume(
        &mut self,
        journal: Journal,
        entries: Vec<SeedEntry>,
        tell: Tell<'_>,
    ) -> Result<()> {
        for played in entries.into_iter().flat_map(|entry| entry.matches) {
            // With a lower --max than before there is no place for all.
            let Some(planned) = self.results.trial.plan() else { break };
            let places = played.places.clone();
            self.results.trial.arrive(planned.ticket, places, Arrival { played, replay: None });
            self.count()?;
        }
        let matches = self.results.trial.seeds * self.results.trial.design.matches_each();
        if matches > 0 {
            let matches =
                if matches == 1 { "1 match".into() } else { format!("{matches} matches") };
            let place = journal.path().display();
            tell(Notice::Info(format!("continuing after {matches} in {place}")));
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// Returns whether no more matches are to be played.
    pub fn is_over(&self) -> bool {
        self.verdict.is_some() || self.results.trial.most_seeds() == Some(self.results.trial.seeds)
    }

    /// Waits until the journal is on the disk.
    pub fn close(&mut self) -> Result<()> {
        self.journal.as_mut().map_or(Ok(()), Journal::synchronise)
    }

    /// Returns the verdict after the last match, and the error if it could not continue.
    pub fn finish(&self, end: Result<End>) -> (Verdict, Option<Error>) {
        match end {
            Ok(End::Interrupted) => (self.verdict.unwrap_or(Verdict::Interrupted), None),
            Ok(End::Done | End::Waiting | End::Stopped) => {
                (self.verdict.unwrap_or(Verdict::Most), None)
            }
            Err(error) => (Verdict::Failed, Some(error)),
        }
    }

    /// Counts the seeds that are complete, up to the verdict.
    fn count(&mut self) -> Result<()> {
        while self.verdict.is_none()
            && let Some(counted) = self.results.trial.count()?
        {
            self.keep(&counted)?;
            self.note(&counted)?;
        }
        Ok(())
    }

    /// Writes the files of a seed. A seed in the journal has all its replays.
    fn keep(&mut self, counted: &Counted<Arrival>) -> Result<()> {
        if let Some(replays) = &self.results.replays {
            for (number, arrival) in counted.matches.iter().enumerate() {
                if let Some(replay) = &arrival.replay {
                    replays.write(counted.number, number, replay)?;
                }
            }
        }
        if let Some(journal) = &mut self.journal {
            let matches = counted.matches.iter().map(|arrival| arrival.played.clone()).collect();
            journal.append(&SeedEntry { seed: counted.number, matches })?;
        }
        Ok(())
    }

    /// Notes the faults and the sameness of a seed that counts, and sets the verdict.
    fn note(&mut self, counted: &Counted<Arrival>) -> Result<()> {
        for (seats, arrival) in counted.seatings.iter().zip(&counted.matches) {
            self.results.faults.note(seats, counted.seed, &arrival.played);
            self.results.void += u64::from(arrival.played.void);
        }
        self.results.sameness.note(counted.matches.iter().map(|arrival| &arrival.played));
        self.verdict = Verdict::of(self.results.trial.judge.decision());
        if self.results.sameness.is_complete(self.verdict.is_some()) {
            self.verdict = Some(Verdict::Same);
        }
        self.watcher.counted(counted, &self.results)
    }

    fn standing(&self) -> Standing {
        Standing {
            report: self.results.trial.judge.report(),
            tally: self.results.trial.judge.tally(),
            seeds: self.results.trial.seeds,
            most: self.results.trial.most_seeds(),
            matches: self.over,
            each: self.results.trial.design.matches_each(),
        }
    }
}

impl JobSource for Comparison<'_> {
    type Error = Error;

    fn next(&mut self) -> Result<Next> {
        let Some(planned) = self.results.trial.plan() else { return Ok(Next::Done) };
        let bots = self.bots.all();
        let seats = planned.seats.iter().map(|&bot| bots[bot].clone()).collect();
        Ok(Next::Job(Job::new(planned.ticket, self.base, planned.seed, seats)))
    }

    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control> {
        self.over += 1;
        let arrival = Arrival::new(&outcome, replay);
        self.results.trial.arrive(ticket, arrival.played.places.clone(), arrival);
        self.count()?;
        if self.verdict.is_some() {
            self.watcher.over(None);
            return Ok(Control::Stop);
        }
        self.watcher.over(Some(&self.standing()));
        Ok(Control::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::TestOptions;

    fn trial(design: Design, most: Option<u64>) -> Trial<()> {
        let args = TestOptions::default();
        Trial::new(design, Judge::new(design, &args).unwrap(), Seed(3), most)
    }

    #[test]
    fn nothing_counts_after_the_decision() {
        let mut trial = trial(Design::Mirror, None);
        while trial.judge.decision() == Decision::Continue {
            // New wins all, from both seats.
            let job = trial.plan().unwrap();
            let places = if job.seats[0] == 0 { vec![1, 2] } else { vec![2, 1] };
            trial.arrive(job.ticket, places, ());
            trial.count().unwrap();
        }
        assert_eq!(trial.judge.decision(), Decision::AcceptH1);
        let seeds = trial.seeds;
        for _ in 0..2 {
            let job = trial.plan().unwrap();
            trial.arrive(job.ticket, vec![1, 2], ());
        }
        assert!(trial.count().unwrap().is_none());
        assert_eq!(trial.seeds, seeds);
    }
}
