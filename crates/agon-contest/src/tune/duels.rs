//! The duels of a tuning: who plays whom in which seats, the matches for the pool, and the journal
//! `tune.jsonl`, from which a stopped `agon tune` continues.
//!
//! The two versions of the tuned bot play each other, or both play the same matches against other
//! bots. `agon tune` follows the progress through [`Watcher`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use agon_arena::{BotEntry, Job, JobSource, Next};
use agon_core::Seed;
use agon_match::spec::{MatchOutcome, MatchSpec};
use agon_match::{Control, MatchResult};
use agon_rating::tune::{Tuner, Verdict};
use serde::{Deserialize, Serialize};

use super::Template;
use crate::Tell;
use crate::series::{JournalKind, SeriesJournal};

/// The duels of a tuning, as a source of matches.
///
/// When they are over, the verification follows: duels between the best values and the starting
/// ones. Matches in the journal are not played again.
pub struct Duels<'a> {
    /// The search.
    pub tuner: Tuner,
    course: Course<'a>,
    journal: Journal,
    /// Results of an earlier run that are not used yet.
    known: BTreeMap<u64, MatchEntry>,
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
    /// A match without bots.
    pub base: &'a MatchSpec,
    /// The starting values, in steps.
    pub start: &'a [i64],
    /// The seed from which those of all matches follow.
    pub seed: Seed,
    /// How many duels the tuning has, and how many the verification after it.
    pub tuning: u64,
    pub verification: u64,
    pub tell: Tell<'a>,
}

impl<'a> Duels<'a> {
    /// Makes the duels of a tuning before their first match.
    pub fn new(
        course: Course<'a>,
        tuner: Tuner,
        journal: Journal,
        known: BTreeMap<u64, MatchEntry>,
        watcher: &'a mut dyn Watcher,
    ) -> Duels<'a> {
        Duels {
            tuner,
            journal,
            known,
            open: BTreeMap::new(),
            waiting: VecDeque::new(),
            next: course.tuning,
            course,
            verified: BTreeMap::new(),
            counts: Counts::default(),
            watcher,
        }
    }

    /// Returns the result of the verification, if there was one and it is over.
    pub fn verdict(&self) -> Option<Verdict> {
        let differences: Vec<f64> = self.verified.values().copied().collect();
        Verdict::of(&differences).filter(|_| self.verified.len() as u64 == self.course.verification)
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
        } else if self.tuner.is_over() && self.next < self.course.tuning + self.course.verification
        {
            let best = self.tuner.best();
            if best == self.course.start {
                return Ok(false);
            }
            self.next += 1;
            (self.next - 1, best, self.course.start.to_vec())
        } else {
            return Ok(false);
        };
        let plus = self.course.template.entry(&plus, Some(PLUS), self.course.tell)?;
        let minus = self.course.template.entry(&minus, Some(MINUS), self.course.tell)?;
        let places = vec![None; self.course.field.matches() as usize];
        self.open.insert(number, Open { plus, minus, places });
        let first = number * self.course.field.matches();
        self.waiting.extend(first..first + self.course.field.matches());
        Ok(true)
    }

    fn job(&self, ticket: u64) -> Job {
        let duel = ticket / self.course.field.matches();
        let number = ticket % self.course.field.matches();
        let versions = &self.open[&duel];
        let seat = |seat: Seat| match seat {
            Seat::Version(Version::Plus) => versions.plus.clone(),
            Seat::Version(Version::Minus) => versions.minus.clone(),
            Seat::Other(number) => self.course.field.others[number].clone(),
        };
        let seats = self.course.field.seats(duel, number).into_iter().map(seat).collect();
        // All matches of a duel have the same seed.
        Job::new(ticket, self.course.base, self.course.seed.derive(duel), seats)
    }

    /// Counts a match. The last match of a duel gives the result of the duel.
    fn enter(&mut self, entry: MatchEntry) {
        self.counts.matches += 1;
        self.counts.faulty += u64::from(entry.faulty > 0);
        let duel = entry.number / self.course.field.matches();
        let number = entry.number % self.course.field.matches();
        let places = &mut self.open.get_mut(&duel).expect("the duel of a match is open").places;
        places[number as usize] = Some(entry.places);
        if let Some(places) = places.iter().cloned().collect::<Option<Vec<_>>>() {
            self.open.remove(&duel);
            let difference = self.course.field.difference(duel, &places);
            if duel < self.course.tuning {
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
                    Some(entry) if entry.places.len() == self.course.field.players => {
                        self.enter(entry)
                    }
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

fn entry(number: u64, result: &MatchResult) -> MatchEntry {
    let places = result.standing.players.iter().map(|player| player.place).collect();
    let is_version = |name: &str| name == PLUS || name == MINUS;
    let faulty = result
        .players
        .iter()
        .filter(|player| is_version(&player.bot.name) && !player.faults.is_empty());
    MatchEntry { number, places, faulty: faulty.count() as u32 }
}

/// The opponents of both versions in a duel.
pub struct Field {
    /// The bots of `--against`; none if the versions play each other.
    pub others: Vec<Arc<BotEntry>>,
    /// Players of a match.
    pub players: usize,
}

/// The versions of a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Plus,
    Minus,
}

/// Who sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    Version(Version),
    /// One of the others, by number.
    Other(usize),
}

impl Field {
    /// Returns the number of matches of a duel: each version has each seat once, on one seed.
    pub fn matches(&self) -> u64 {
        if self.others.is_empty() { 2 } else { 2 * self.players as u64 }
    }

    /// Returns the seats of match `number` of a duel.
    pub fn seats(&self, duel: u64, number: u64) -> Vec<Seat> {
        use Version::{Minus, Plus};
        if self.others.is_empty() {
            let versions = if number == 0 { [Plus, Minus] } else { [Minus, Plus] };
            return versions.map(Seat::Version).to_vec();
        }
        let version = number as usize / self.players;
        let seat = number as usize % self.players;
        let version = if version == 0 { Plus } else { Minus };
        // Each duel takes the next ones, so that all play equally often.
        let rest = self.players - 1;
        let first = (duel % self.others.len() as u64) as usize * rest;
        let mut seats = vec![Seat::Version(version)];
        seats.extend((first..first + rest).map(|number| Seat::Other(number % self.others.len())));
        seats.rotate_right(seat);
        seats
    }

    /// Returns the points of `plus` minus those of `minus`, per match, from -1 to 1.
    ///
    /// The points of a version are the share of opponents that it left behind. `places` has the
    /// places of each match of the duel, in order of seats.
    pub fn difference(&self, duel: u64, places: &[Vec<u32>]) -> f64 {
        let mut points = [0.0; 2];
        let mut counts = [0.0; 2];
        for (number, places) in places.iter().enumerate() {
            for (seat, &place) in self.seats(duel, number as u64).iter().zip(places) {
                let Seat::Version(version) = seat else { continue };
                let worse = places.iter().filter(|&&other| other > place).count() as f64;
                let equal = places.iter().filter(|&&other| other == place).count() as f64 - 1.0;
                points[*version as usize] += (worse + equal / 2.0) / (places.len() as f64 - 1.0);
                counts[*version as usize] += 1.0;
            }
        }
        points[0] / counts[0] - points[1] / counts[1]
    }
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchEntry {
    /// Its number in the tuning.
    #[serde(rename = "match")]
    pub number: u64,
    /// Places in order of seats.
    pub places: Vec<u32>,
    /// How many of the two versions committed a fault in it.
    pub faulty: u32,
}

/// A file with a line for each match that is over.
pub(crate) type Journal = SeriesJournal<MatchEntry>;

pub(crate) const KIND: JournalKind = JournalKind {
    key: "tune",
    noun: "tuning",
    entry: b"{\"match\":",
    remedy: "delete it, and its match is played again",
    flag: "--out",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_meet_once_in_each_seat() {
        let own = Field { others: Vec::new(), players: 2 };
        assert_eq!(own.matches(), 2);
        assert_eq!(own.seats(5, 0), [Seat::Version(Version::Plus), Seat::Version(Version::Minus)]);
        assert_eq!(own.seats(5, 1), [Seat::Version(Version::Minus), Seat::Version(Version::Plus)]);
        assert_eq!(own.difference(5, &[vec![1, 2], vec![2, 1]]), 1.0);
        assert_eq!(own.difference(5, &[vec![1, 2], vec![1, 2]]), 0.0);
        assert_eq!(own.difference(5, &[vec![2, 1], vec![1, 1]]), -0.5);
    }

    #[test]
    fn both_play_the_same_others_from_every_seat() {
        let others = ["builtin:nasty", "builtin:brood", "builtin:mindless"];
        let others = others.map(|text| BotEntry::of(text.parse().unwrap()).unwrap()).to_vec();
        let pool = Field { others, players: 3 };
        assert_eq!(pool.matches(), 6);
        for number in 0..3 {
            let mut plus = pool.seats(1, number);
            let minus = pool.seats(1, number + 3);
            assert_eq!(plus[number as usize], Seat::Version(Version::Plus));
            plus[number as usize] = Seat::Version(Version::Minus);
            assert_eq!(plus, minus);
        }
        let others = |duel| {
            let other = |seat| if let Seat::Other(number) = seat { Some(number) } else { None };
            pool.seats(duel, 0).into_iter().filter_map(other).collect::<Vec<usize>>()
        };
        assert_eq!([0, 1, 2].map(others), [[0, 1], [2, 0], [1, 2]]);
        let first = vec![vec![1, 2, 3], vec![2, 1, 3], vec![2, 3, 1]];
        let last = vec![vec![3, 2, 1], vec![1, 3, 2], vec![1, 2, 3]];
        assert_eq!(pool.difference(1, &[first, last].concat()), 1.0);
    }
}
