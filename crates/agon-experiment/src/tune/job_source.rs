//! Hands the matches of a tuning to the pool that plays them, and takes in their results.
//!
//! `agon tune` follows the progress through [`Watcher`].

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use agon_arena::{BotEntry, Job, JobSource, Next};
use agon_core::Seed;
use agon_match::spec::{MatchOutcome, MatchSpec};
use agon_match::{Control, MatchResult};
use agon_rating::tune::{Tuner, Verdict};

use crate::Tell;

use super::{
    field::{Field, Seat, Version},
    journal::{Entry, Journal},
    template::Template,
};

/// The duels of a tuning, as a source of matches.
///
/// When they are over, the verification follows: duels between the best values and the starting
/// ones. Matches in the journal are not played again.
pub struct Duels<'a> {
    /// The search.
    pub tuner: Tuner,
    template: &'a Template,
    field: &'a Field,
    /// A match without bots.
    base: &'a MatchSpec,
    start: Vec<i64>,
    seed: Seed,
    /// How many duels the tuning has, and how many the verification after it.
    tuning: u64,
    verification: u64,
    journal: Journal,
    /// Results of an earlier run that are not used yet.
    known: BTreeMap<u64, Entry>,
    /// Duels in progress, with the results of their matches so far.
    open: BTreeMap<u64, Open>,
    /// Matches to be played.
    waiting: VecDeque<u64>,
    /// The next duel of the verification.
    next: u64,
    /// The result of each duel of the verification.
    verified: BTreeMap<u64, f64>,
    /// Counts of matches.
    pub counts: Counts,
    watcher: &'a mut dyn Watcher,
    tell: Tell<'a>,
}

/// Follows the progress of a tuning, for people to see.
pub trait Watcher {
    /// `matches` are over, counting an earlier run.
    fn over(&mut self, matches: u64, tuner: &Tuner);

    /// A match of this run is over.
    fn played(&mut self) {}

    /// No more matches are played.
    fn ended(&mut self) {}
}

/// How many matches are over, and in how many a version did something wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Matches that are over.
    pub matches: u64,
    /// Those in which a version committed a fault.
    pub faulty: u64,
}

/// A duel in progress.
struct Open {
    plus: Arc<BotEntry>,
    minus: Arc<BotEntry>,
    places: Vec<Option<Vec<u32>>>,
}

/// What does not change in a tuning.
pub struct Course<'a> {
    pub template: &'a Template,
    pub field: &'a Field,
    pub base: &'a MatchSpec,
    pub start: Vec<i64>,
    pub seed: Seed,
    pub tuning: u64,
    pub verification: u64,
}

impl<'a> Duels<'a> {
    /// Makes the duels of a tuning before their first match.
    pub fn new(
        course: Course<'a>,
        tuner: Tuner,
        journal: Journal,
        known: BTreeMap<u64, Entry>,
        (watcher, tell): (&'a mut dyn Watcher, Tell<'a>),
    ) -> Duels<'a> {
        let Course { template, field, base, start, seed, tuning, verification } = course;
        Duels {
            tuner,
            template,
            field,
            base,
            start,
            seed,
            tuning,
            verification,
            journal,
            known,
            open: BTreeMap::new(),
            waiting: VecDeque::new(),
            next: tuning,
            verified: BTreeMap::new(),
            counts: Counts::default(),
            watcher,
            tell,
        }
    }

    /// Returns the result of the verification, if there was one and it is over.
    pub fn verdict(&self) -> Option<Verdict> {
        let differences: Vec<f64> = self.verified.values().copied().collect();
        Verdict::of(&differences).filter(|_| self.verified.len() as u64 == self.verification)
    }

    /// Waits until everything is on the disk.
    pub fn close(&mut self) -> anyhow::Result<()> {
        self.watcher.ended();
        self.journal.synchronise()
    }

    /// Queues the matches of the next duel. Returns whether there is one.
    fn next_duel(&mut self) -> anyhow::Result<bool> {
        let (number, plus, minus) = if let Some(duel) = self.tuner.next_duel() {
            (duel.number, duel.plus, duel.minus)
        } else if self.tuner.is_over() && self.next < self.tuning + self.verification {
            let best = self.tuner.best();
            if best == self.start {
                return Ok(false);
            }
            self.next += 1;
            (self.next - 1, best, self.start.clone())
        } else {
            return Ok(false);
        };
        let plus = self.template.entry(&plus, Some(PLUS), self.tell)?;
        let minus = self.template.entry(&minus, Some(MINUS), self.tell)?;
        let places = vec![None; self.field.matches() as usize];
        self.open.insert(number, Open { plus, minus, places });
        let first = number * self.field.matches();
        self.waiting.extend(first..first + self.field.matches());
        Ok(true)
    }

    fn job(&self, ticket: u64) -> Job {
        let duel = ticket / self.field.matches();
        let number = ticket % self.field.matches();
        let versions = &self.open[&duel];
        let seat = |seat: Seat| match seat {
            Seat::Version(Version::Plus) => versions.plus.clone(),
            Seat::Version(Version::Minus) => versions.minus.clone(),
            Seat::Other(number) => self.field.others[number].clone(),
        };
        let seats = self.field.seats(duel, number).into_iter().map(seat).collect();
        // All matches of a duel have the same seed.
        Job::new(ticket, self.base, self.seed.derive(duel), seats)
    }

    /// Counts a match. The last match of a duel gives the result of the duel.
    fn enter(&mut self, entry: Entry) {
        self.counts.matches += 1;
        self.counts.faulty += u64::from(entry.faulty > 0);
        let duel = entry.number / self.field.matches();
        let number = entry.number % self.field.matches();
        let places = &mut self.open.get_mut(&duel).expect("the duel of a match is open").places;
        places[number as usize] = Some(entry.places);
        if let Some(places) = places.iter().cloned().collect::<Option<Vec<_>>>() {
            self.open.remove(&duel);
            let difference = self.field.difference(duel, &places);
            if duel < self.tuning {
                self.tuner.result(duel, difference);
            } else {
                self.verified.insert(duel, difference);
            }
        }
        self.watcher.over(self.counts.matches, &self.tuner);
    }
}

/// The names of the two versions in their matches.
pub(crate) const PLUS: &str = "tuned-plus";
pub(crate) const MINUS: &str = "tuned-minus";

impl JobSource for Duels<'_> {
    type Error = anyhow::Error;

    fn next(&mut self) -> anyhow::Result<Next> {
        loop {
            while let Some(ticket) = self.waiting.pop_front() {
                match self.known.remove(&ticket) {
                    // A result with another number of seats is not of this match.
                    Some(entry) if entry.places.len() == self.field.players => self.enter(entry),
                    _ => return Ok(Next::Job(self.job(ticket))),
                }
            }
            if !self.next_duel()? {
                return Ok(if self.open.is_empty() { Next::Done } else { Next::Wait });
            }
        }
    }

    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        _: Option<Vec<u8>>,
    ) -> anyhow::Result<Control> {
        self.watcher.played();
        let entry = entry(ticket, &outcome.result);
        self.journal.append(&entry)?;
        self.enter(entry);
        Ok(Control::Continue)
    }
}

fn entry(number: u64, result: &MatchResult) -> Entry {
    let places = result.standing.players.iter().map(|player| player.place).collect();
    let is_version = |name: &str| name == PLUS || name == MINUS;
    let faulty = result
        .players
        .iter()
        .filter(|player| is_version(&player.bot.name) && !player.faults.is_empty());
    Entry { number, places, faulty: faulty.count() as u32 }
}
