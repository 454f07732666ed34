//! A comparison that is being played.

use std::io::Write;

use agon_arena::{End, Job, JobSource, Next};
use agon_match::Control;
use agon_spec::{MatchOutcome, MatchSpec};
use anyhow::{Error, Result};
use serde_json::json;

use super::{
    bots::Bots,
    faults::FaultList,
    journal::{Entry, Journal},
    live::{Live, Standing},
    played::{Arrival, Played},
    replays::Replays,
    sameness::Sameness,
    trial::{Counted, Trial},
    verdict::Verdict,
};
use crate::{output::plural, sandbox::tell_what_is_missing};

/// A comparison with all that is noted while it is played.
pub(super) struct Comparison<'a, W> {
    pub(super) results: Results,
    bots: &'a Bots,
    /// A match without bots.
    base: &'a MatchSpec,
    /// Matches that are over, whether they count or not.
    over: u64,
    /// Keeps the seeds that count.
    journal: Option<Journal>,
    /// Where each seed is reported as JSON.
    json: Option<&'a mut W>,
    live: Live,
    verdict: Option<Verdict>,
}

/// What the matches that count came to.
pub(super) struct Results {
    pub(super) trial: Trial<Arrival>,
    pub(super) faults: FaultList,
    pub(super) sameness: Sameness,
    pub(super) replays: Option<Replays>,
    /// How often matches that count were void before.
    pub(super) void: u64,
}

impl<'a, W: Write> Comparison<'a, W> {
    pub(super) fn new(
        trial: Trial<Arrival>,
        bots: &'a Bots,
        base: &'a MatchSpec,
        json: Option<&'a mut W>,
    ) -> Comparison<'a, W> {
        let results = Results {
            trial,
            faults: FaultList::new(bots.all().iter().map(|bot| bot.info.name.clone())),
            sameness: Sameness::default(),
            replays: None,
            void: 0,
        };
        let live = Live::new();
        Comparison { results, bots, base, over: 0, journal: None, json, live, verdict: None }
    }

    /// Counts the seeds of an earlier run, as if their matches had just been played, and writes
    /// the next ones into its journal.
    ///
    /// # Errors
    /// If these are not such matches, or they cannot be reported.
    pub(super) fn resume(&mut self, journal: Journal, entries: Vec<Entry>) -> Result<()> {
        for played in entries.into_iter().flat_map(|entry| entry.matches) {
            // With a lower --max than before there is no place for all.
            let Some(planned) = self.results.trial.next() else { break };
            self.results.trial.arrive(planned.ticket, Arrival { played, replay: None });
            self.count()?;
        }
        let matches = self.results.trial.seeds() * self.results.trial.design().matches_each();
        if matches > 0 {
            say!("continuing after {} in {}", plural(matches, "match"), journal.path().display());
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// Whether no more matches are to be played.
    pub(super) fn is_over(&self) -> bool {
        self.verdict.is_some()
            || self.results.trial.most_seeds() == Some(self.results.trial.seeds())
    }

    /// Waits until the journal is on the disk.
    pub(super) fn close(&self) -> Result<()> {
        self.journal.as_ref().map_or(Ok(()), Journal::synchronise)
    }

    /// How it ended, after its last match, and why if it could not go on.
    pub(super) fn finish(&self, end: Result<End>) -> (Verdict, Option<Error>) {
        self.live.clear();
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
            journal.append(&Entry { seed: counted.number, matches })?;
        }
        Ok(())
    }

    /// Takes in a seed that counts.
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
        self.report(counted)
    }

    /// Reports a seed that counts as JSON.
    fn report(&mut self, counted: &Counted<Arrival>) -> Result<()> {
        let Some(out) = &mut self.json else { return Ok(()) };
        let row = |(seats, arrival): (&Vec<usize>, &Arrival)| {
            let names: Vec<_> = seats.iter().map(|&bot| &self.bots.info(bot).name).collect();
            let Played { places, turns, .. } = &arrival.played;
            json!({ "seats": names, "places": places, "turns": turns })
        };
        let matches: Vec<_> = counted.seatings.iter().zip(&counted.matches).map(row).collect();
        let data = json!({
            "number": counted.number,
            "seed": counted.seed,
            "matches": matches,
            "state": self.results.trial.report(),
            "tally": self.results.trial.judge().tally(),
        });
        Ok(writeln!(out, "{}", json!({ "type": "progress", "data": data }))?)
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

impl<W: Write> JobSource for Comparison<'_, W> {
    type Error = Error;

    fn next(&mut self) -> Result<Next> {
        let Some(planned) = self.results.trial.next() else { return Ok(Next::Done) };
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
        // Known once a program has been started.
        tell_what_is_missing();
        self.over += 1;
        self.results.trial.arrive(ticket, Arrival::new(&outcome, replay));
        self.count()?;
        if self.verdict.is_some() {
            return Ok(Control::Stop);
        }
        self.live.show(&self.standing());
        Ok(Control::Continue)
    }
}
