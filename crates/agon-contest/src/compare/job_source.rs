//! Hands the matches of a comparison to the pool that plays them, and counts their results.
//!
//! `agon compare` follows the progress through [`Watcher`].

use agon_arena::{End, Job, JobSource, Next};
use agon_match::{
    Control,
    spec::{MatchOutcome, MatchSpec},
};
use anyhow::{Error, Result};

use super::{
    Arrival, Bots, Counted, FaultList, Replays, Report, Sameness, Tally, Trial, Verdict,
    results::{Journal, SeedEntry},
};
use crate::{Notice, Tell};

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
    ///
    /// # Errors
    /// If it cannot be shown. The comparison then ends.
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
    ///
    /// # Errors
    /// If they are not matches of this comparison, or cannot be shown.
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
        let matches = self.results.trial.seeds() * self.results.trial.design().matches_each();
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
        self.verdict.is_some()
            || self.results.trial.most_seeds() == Some(self.results.trial.seeds())
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
        self.verdict = Verdict::of(self.results.trial.decision());
        if self.results.sameness.is_complete(self.verdict.is_some()) {
            self.verdict = Some(Verdict::Same);
        }
        self.watcher.counted(counted, &self.results)
    }

    fn standing(&self) -> Standing {
        Standing {
            report: self.results.trial.report(),
            tally: self.results.trial.judge().tally(),
            seeds: self.results.trial.seeds(),
            most: self.results.trial.most_seeds(),
            matches: self.over,
            each: self.results.trial.design().matches_each(),
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
