//! A comparison that is being played.

use std::io::Write;

use agon_match::Control;
use agon_runner::{Director, End, Finished, Job};
use anyhow::{Error, Result};
use serde_json::json;

use super::{
    bots::Bots,
    faults::FaultList,
    live::{Live, Standing},
    replays::Replays,
    sameness::Sameness,
    trial::{Counted, Placed, Trial},
    verdict::Verdict,
};
use crate::sandbox::tell_what_is_missing;

/// A comparison with all that is noted while it is played.
pub(super) struct Comparison<'a, W> {
    pub(super) trial: Trial<Finished>,
    pub(super) bots: &'a Bots,
    pub(super) faults: FaultList,
    pub(super) sameness: Sameness,
    pub(super) replays: Option<Replays>,
    /// Matches that are over, whether they count or not.
    over: u64,
    /// How often matches that count were void before.
    pub(super) void: u64,
    /// Where each seed is told as JSON.
    json: Option<&'a mut W>,
    live: Live,
    verdict: Option<Verdict>,
}

impl Placed for Finished {
    fn places(&self) -> Vec<u32> {
        self.result.standing.players.iter().map(|player| player.place).collect()
    }
}

impl<'a, W: Write> Comparison<'a, W> {
    pub(super) fn new(
        trial: Trial<Finished>,
        bots: &'a Bots,
        replays: Option<Replays>,
        json: Option<&'a mut W>,
    ) -> Comparison<'a, W> {
        let faults = FaultList::new(bots.all().iter().map(|bot| bot.info.name.clone()));
        let (sameness, live) = (Sameness::default(), Live::new());
        Comparison { trial, bots, faults, sameness, replays, over: 0, void: 0, json, live, verdict: None }
    }

    /// How it ended, after its last match, and why if it could not go on.
    pub(super) fn finish(&self, end: Result<End>) -> (Verdict, Option<Error>) {
        self.live.clear();
        match end {
            Ok(End::Interrupted) => (self.verdict.unwrap_or(Verdict::Interrupted), None),
            Ok(End::Done | End::Stopped) => (self.verdict.unwrap_or(Verdict::Most), None),
            Err(error) => (Verdict::Failed, Some(error)),
        }
    }

    /// Counts a seed.
    fn note(&mut self, counted: &Counted<Finished>) -> Result<()> {
        for (number, (seats, finished)) in counted.seatings.iter().zip(&counted.matches).enumerate() {
            self.faults.note(seats, &finished.result);
            self.void += u64::from(finished.void);
            if let (Some(replays), Some(replay)) = (&self.replays, &finished.replay) {
                replays.write(counted.number, number, replay)?;
            }
        }
        self.sameness.note(counted.matches.iter().map(|finished| &finished.result));
        let report = self.trial.report();
        self.verdict = Verdict::of(report.decision());
        if self.sameness.is_complete(self.verdict.is_some()) {
            self.verdict = Some(Verdict::Same);
        }
        if let Some(out) = &mut self.json {
            let matches = counted.seatings.iter().zip(&counted.matches);
            let matches: Vec<_> = matches
                .map(|(seats, finished)| {
                    let names = seats.iter().map(|&bot| &self.bots.info(bot).name).collect::<Vec<_>>();
                    json!({ "seats": names, "places": finished.places(), "turns": finished.result.turns })
                })
                .collect();
            let data = json!({ "number": counted.number, "seed": counted.seed, "matches": matches,
                "state": report, "tally": self.trial.judge().tally() });
            writeln!(out, "{}", json!({ "type": "progress", "data": data }))?;
        }
        Ok(())
    }

    fn standing(&self) -> Standing {
        Standing {
            report: self.trial.report(),
            tally: self.trial.judge().tally(),
            seeds: self.trial.seeds(),
            most: self.trial.most_seeds(),
            matches: self.over,
            each: self.trial.design().matches_each(),
        }
    }
}

impl<W: Write> Director for Comparison<'_, W> {
    type Error = Error;

    fn next(&mut self) -> Result<Option<Job>> {
        let Some(planned) = self.trial.next() else { return Ok(None) };
        let bots = self.bots.all();
        let seats = planned.seats.iter().map(|&bot| bots[bot].clone()).collect();
        Ok(Some(Job { ticket: planned.ticket, seed: planned.seed, seats, record: self.replays.is_some() }))
    }

    fn over(&mut self, finished: Finished) -> Result<Control> {
        // Known once a program has been started.
        tell_what_is_missing();
        self.over += 1;
        self.trial.arrive(finished.ticket, finished);
        while let Some(counted) = self.trial.count()? {
            self.note(&counted)?;
            if self.verdict.is_some() {
                return Ok(Control::Stop);
            }
        }
        self.live.show(&self.standing());
        Ok(Control::Continue)
    }
}
