//! The schedule: which matches are to be played now.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::Seed;
use thiserror::Error;

use crate::{
    History, Match, MatchId, Outcome, Pairing, Played,
    format::{Format, Next, Row},
};

/// The schedule of a tournament: a function of its format, its seed and the results so far.
///
/// Results may come in any order, also before the wave that they belong to, as when a journal is
/// read again.
///
/// ```
/// use agon_core::Seed;
/// use agon_tournament::{Games, Outcome, Schedule, format::RoundRobin};
///
/// let games = Games { matches: 2, mirrored: true };
/// let mut schedule = Schedule::new(Box::new(RoundRobin::pairs(3, games)), Seed(1));
/// while let Some(next) = schedule.missing().first().cloned() {
///     // Whoever has the first seat wins.
///     let outcome = Outcome { places: vec![1, 2], scores: vec![1, 0] };
///     schedule.record(next.id, outcome).expect("it was asked for");
/// }
/// assert!(schedule.is_finished());
/// assert!(schedule.standing().iter().all(|row| row.place == 1 && row.half_points == 4));
/// ```
#[derive(Debug)]
pub struct Schedule {
    format: Box<dyn Format>,
    seed: Seed,
    /// Complete waves.
    history: History,
    /// The wave being played.
    wave: Vec<Pairing>,
    /// Its matches without result.
    missing: BTreeMap<MatchId, Match>,
    /// Results of the wave being played, and of later ones.
    results: BTreeMap<MatchId, Outcome>,
    /// Matches of complete waves.
    over: BTreeSet<MatchId>,
    /// Results that came early and turned out to be those of other matches.
    strays: BTreeSet<MatchId>,
    /// How many matches have been called for.
    called: u64,
    /// How many of them because others ended level.
    more: u64,
    finished: bool,
}

/// Why a result does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// There is one already.
    #[error("match {0} has a result already")]
    Twice(MatchId),
    /// It has places or scores of too many or too few seats.
    #[error(
        "match {id} has {seats} seats, but the result is one of {places} places and {scores} scores"
    )]
    Seats {
        /// Which match.
        id: MatchId,
        /// Its seats.
        seats: usize,
        /// Places in the result.
        places: usize,
        /// Scores in the result.
        scores: usize,
    },
}

impl Schedule {
    /// The schedule before the first match.
    pub fn new(format: Box<dyn Format>, seed: Seed) -> Schedule {
        let mut schedule = Schedule {
            format,
            seed,
            history: History::default(),
            wave: Vec::new(),
            missing: BTreeMap::new(),
            results: BTreeMap::new(),
            over: BTreeSet::new(),
            strays: BTreeSet::new(),
            called: 0,
            more: 0,
            finished: false,
        };
        schedule.advance();
        schedule
    }

    /// Matches that can be played now, in order, without those that have results. Empty only at the
    /// end.
    pub fn missing(&self) -> Vec<Match> {
        self.missing.values().cloned().collect()
    }

    /// The number of the wave that is being played, from 0. When it changes, there are new matches
    /// to be played.
    pub fn wave(&self) -> usize {
        self.history.waves.len()
    }

    /// A match that can be played now.
    pub fn find(&self, id: MatchId) -> Option<&Match> {
        self.missing.get(&id)
    }

    /// Takes a result.
    ///
    /// # Errors
    /// If the match has one already, or it is one of a match with another number of seats.
    pub fn record(&mut self, id: MatchId, outcome: Outcome) -> Result<(), RecordError> {
        if self.results.contains_key(&id) || self.over.contains(&id) {
            return Err(RecordError::Twice(id));
        }
        if let Some(game) = self.missing.get(&id) {
            check(id, game.seats.len(), &outcome)?;
        }
        self.results.insert(id, outcome);
        if self.missing.remove(&id).is_some() && self.missing.is_empty() {
            self.advance();
        }
        Ok(())
    }

    /// Whether all is played.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// How many matches there are in all, those that are over and those that are called for
    /// included; `None` if there is no end. At least so many: more are played where a decision is
    /// needed and points are equal, and they count from when they are called for. Exact when
    /// [`Schedule::is_finished`].
    pub fn planned(&self) -> Option<u64> {
        let planned = self.format.planned()?;
        Some(planned.saturating_add(self.more).max(self.called))
    }

    /// Results of matches that have not been called for, or that had another number of seats. After
    /// all results of one tournament, in any order, there are none: a wave is called for when the
    /// last result before it is there.
    pub fn strays(&self) -> Vec<MatchId> {
        let called: BTreeSet<MatchId> = self.wave.iter().flat_map(Pairing::ids).collect();
        let early = self.results.keys().filter(|id| !called.contains(id));
        early.chain(&self.strays).copied().collect()
    }

    /// The table, with all results of matches that have been called for.
    pub fn standing(&self) -> Vec<Row> {
        self.format.standing(&self.history())
    }

    /// What has been played; the last wave may be incomplete.
    pub fn history(&self) -> History {
        let mut history = self.history.clone();
        if !self.wave.is_empty() {
            history
                .waves
                .push(self.wave.iter().map(|pairing| played(pairing, &self.results)).collect());
        }
        history
    }

    /// Goes to the next wave in which something is to be played.
    fn advance(&mut self) {
        while self.missing.is_empty() && !self.finished {
            if !self.wave.is_empty() {
                let wave = std::mem::take(&mut self.wave);
                self.history
                    .waves
                    .push(wave.iter().map(|pairing| played(pairing, &self.results)).collect());
                for id in wave.iter().flat_map(Pairing::ids) {
                    self.results.remove(&id);
                    self.over.insert(id);
                }
            }
            match self.format.next(&self.history) {
                Next::Finished => self.finished = true,
                Next::Wave(wave) => self.call(wave),
            }
        }
    }

    fn call(&mut self, wave: Vec<Pairing>) {
        self.wave = wave;
        for pairing in &self.wave {
            self.called += u64::from(pairing.count);
            self.more += if pairing.first > 0 { u64::from(pairing.count) } else { 0 };
        }
        for game in self.wave.iter().flat_map(|pairing| pairing.matches(self.seed)) {
            let early =
                self.results.get(&game.id).map(|outcome| check(game.id, game.seats.len(), outcome));
            if let Some(Err(_)) = early {
                self.results.remove(&game.id);
                self.strays.insert(game.id);
            }
            if !matches!(early, Some(Ok(()))) {
                self.missing.insert(game.id, game);
            }
        }
    }
}

fn check(id: MatchId, seats: usize, outcome: &Outcome) -> Result<(), RecordError> {
    let places = outcome.places.len();
    let scores = outcome.scores.len();
    if (places, scores) == (seats, seats) {
        Ok(())
    } else {
        Err(RecordError::Seats { id, seats, places, scores })
    }
}

fn played(pairing: &Pairing, results: &BTreeMap<MatchId, Outcome>) -> Played {
    let numbers = pairing.first..pairing.first + pairing.count;
    let of =
        |number| Some((number, results.get(&MatchId { pairing: pairing.id, number })?.clone()));
    Played { outcomes: numbers.filter_map(of).collect(), pairing: pairing.clone() }
}
