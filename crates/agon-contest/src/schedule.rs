//! The schedule of a tournament: which matches can be played now.
//!
//! `tournament` plays them, and gives the results back to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agon_core::Seed;
use agon_games::GameId;
use agon_match::spec::{SandboxSettings, TimeSettings};
use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::format::{Format, Next, Row};
use crate::{Entrant, History, Match, MatchId, Outcome, Pairing, PairingSeeds, Plan, Played};

/// The newest version of schedules, and of saved plans, which have one.
pub(crate) const NEWEST: u64 = 2;

/// The oldest version, whose seeds follow from places in the tournament.
pub(crate) const fn oldest() -> u64 {
    1
}

/// The schedule of a tournament: a function of its format, its seed and the results so far.
///
/// Results may come in any order, also before the wave that they belong to, as when a journal is
/// read again.
///
/// ```
/// use agon_core::Seed;
/// use agon_contest::{Games, Outcome, Schedule, format::RoundRobin};
///
/// let games = Games { matches: 2, mirrored: true };
/// let mut schedule = Schedule::new(Box::new(RoundRobin::pairs(3, games)), Seed(1));
/// while let Some(next) = schedule.missing().first().cloned() {
///     // The first seat wins.
///     let outcome = Outcome::new(vec![1, 2], vec![1, 0]);
///     schedule.record(next.id, outcome).expect("it was asked for");
/// }
/// assert!(schedule.is_finished());
/// assert!(schedule.standing().iter().all(|row| row.place == 1 && row.half_points == 4));
/// ```
#[derive(Debug)]
pub struct Schedule {
    format: Box<dyn Format>,
    seed: Seed,
    /// The names of the entrants, if the seeds of matches follow from these.
    names: Option<Vec<String>>,
    /// How often the same entrants have met, if so.
    meetings: BTreeMap<Vec<Entrant>, u64>,
    /// Complete waves.
    history: History,
    /// The wave being played.
    wave: Vec<Pairing>,
    /// Its matches without a result.
    missing: BTreeMap<MatchId, Match>,
    /// Results of the wave being played, and of later ones.
    results: BTreeMap<MatchId, Outcome>,
    /// Matches of complete waves.
    over: BTreeSet<MatchId>,
    /// Results that came early and turned out to fit no match.
    strays: BTreeSet<MatchId>,
    /// How many matches have been scheduled.
    called: u64,
    /// How many of them because of ties.
    more: u64,
    finished: bool,
}

impl Schedule {
    /// Makes the schedule before the first match. The seeds of matches follow from their places in
    /// the tournament.
    pub fn new(format: Box<dyn Format>, seed: Seed) -> Schedule {
        Schedule::of_bots(format, seed, None)
    }

    /// Makes the schedule before the first match of entrants with these names, if there are any.
    /// The seeds of matches then follow from who meets: one more bot changes nothing for the
    /// others.
    pub fn of_bots(format: Box<dyn Format>, seed: Seed, names: Option<Vec<String>>) -> Schedule {
        let mut schedule = Schedule {
            format,
            seed,
            names,
            meetings: BTreeMap::new(),
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

    /// Returns the matches that can be played now and have no result. The list is empty only at the
    /// end.
    ///
    /// The first seed of each pairing comes before the second of any: so a table says something
    /// about all bots early.
    pub fn missing(&self) -> Vec<Match> {
        let mut missing: Vec<(u32, &Match)> = Vec::with_capacity(self.missing.len());
        for pairing in &self.wave {
            let open = pairing.ids().filter_map(|id| self.missing.get(&id));
            missing.extend(open.map(|game| (pairing.board(game.id.number), game)));
        }
        missing.sort_by_key(|(board, game)| (*board, game.id));
        missing.into_iter().map(|(_, game)| game.clone()).collect()
    }

    /// Returns the number of the wave that is being played, from 0. When it changes, there are new
    /// matches.
    pub fn wave(&self) -> usize {
        self.history.waves.len()
    }

    /// Returns a match that can be played now.
    pub fn find(&self, id: MatchId) -> Option<&Match> {
        self.missing.get(&id)
    }

    /// Takes a result.
    pub fn record(&mut self, id: MatchId, outcome: Outcome) -> Result<()> {
        let is_new = !self.results.contains_key(&id) && !self.over.contains(&id);
        ensure!(is_new, "match {id} has a result already");
        if let Some(game) = self.missing.get(&id) {
            check(id, game.seats.len(), &outcome)?;
        }
        self.results.insert(id, outcome);
        if self.missing.remove(&id).is_some() && self.missing.is_empty() {
            self.advance();
        }
        Ok(())
    }

    /// Returns whether the tournament is over.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Returns the number of all matches; `None` if there is no end.
    ///
    /// It may grow: if a decision is needed and points are equal, more matches are scheduled. It is
    /// exact when [`Schedule::is_finished`].
    pub fn planned(&self) -> Option<u64> {
        let planned = self.format.planned()?;
        Some(planned.saturating_add(self.more).max(self.called))
    }

    /// Returns the results of matches that were not scheduled, or that have another number of
    /// seats. After all results of one tournament, in any order, there are none: the last result of
    /// a wave schedules the next one.
    pub fn strays(&self) -> Vec<MatchId> {
        let called: BTreeSet<MatchId> = self.wave.iter().flat_map(Pairing::ids).collect();
        let early = self.results.keys().filter(|id| !called.contains(id));
        early.chain(&self.strays).copied().collect()
    }

    /// Returns the table, with the results of all scheduled matches.
    pub fn standing(&self) -> Vec<Row> {
        self.format.standing(&self.history())
    }

    /// Returns what has been played; the last wave may be incomplete.
    pub fn history(&self) -> History {
        let mut history = self.history.clone();
        if !self.wave.is_empty() {
            history
                .waves
                .push(self.wave.iter().map(|pairing| played(pairing, &self.results)).collect());
        }
        history
    }

    /// Moves on to the next wave with matches to play.
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

    fn call(&mut self, mut wave: Vec<Pairing>) {
        wave.iter_mut().for_each(|pairing| pairing.seeds = self.seeds(pairing));
        self.wave = wave;
        for pairing in &self.wave {
            self.called += u64::from(pairing.count);
            self.more += if pairing.first > 0 { u64::from(pairing.count) } else { 0 };
        }
        for game in self.wave.iter().flat_map(Pairing::matches) {
            let early = self.results.get(&game.id);
            let fits = early.map(|outcome| check(game.id, game.seats.len(), outcome).is_ok());
            if fits == Some(false) {
                self.results.remove(&game.id);
                self.strays.insert(game.id);
            }
            if fits != Some(true) {
                self.missing.insert(game.id, game);
            }
        }
    }

    /// Returns what the seeds of a new pairing follow from.
    fn seeds(&mut self, pairing: &Pairing) -> PairingSeeds {
        let Some(names) = &self.names else { return pairing.id.seeds(self.seed) };
        // More matches because of a tie: they have the seeds that follow.
        if pairing.first > 0 {
            return pairing.seeds;
        }
        let mut entrants = pairing.entrants.clone();
        entrants.sort_unstable();
        let names = entrants.iter().map(|entrant| names[entrant.index()].as_str());
        let met = self.meetings.get(&entrants).copied().unwrap_or(0);
        let seeds = PairingSeeds::of_bots(self.seed, names, met);
        self.meetings.insert(entrants, met + 1);
        seeds
    }
}

fn check(id: MatchId, seats: usize, outcome: &Outcome) -> Result<()> {
    let places = outcome.places.len();
    let scores = outcome.scores.len();
    ensure!(
        (places, scores) == (seats, seats),
        "match {id} has {seats} seats, but the result is one of {places} places and {scores} scores"
    );
    Ok(())
}

fn played(pairing: &Pairing, results: &BTreeMap<MatchId, Outcome>) -> Played {
    let numbers = pairing.first..pairing.first + pairing.count;
    let of =
        |number| Some((number, results.get(&MatchId { pairing: pairing.id, number })?.clone()));
    Played { outcomes: numbers.filter_map(of).collect(), pairing: pairing.clone() }
}

/// A hash of everything that the result of a match depends on.
///
/// That is the game and the version of its rules, the settings, the contents of the bots in order
/// of seats, the seed, the time limits and the sandbox. Of two matches with the same key only one
/// needs to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchKey([u8; 32]);

/// What is hashed, in this order; names of bots are not in it.
#[derive(Serialize)]
struct Parts<'a> {
    kind: &'static str,
    game: GameId,
    rules_version: u32,
    settings: &'a Map<String, Value>,
    bots: Vec<&'a str>,
    seed: u64,
    time: &'a TimeSettings,
    /// In order of seats, if a bot has limits of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    times: Vec<TimeSettings>,
    sandbox: &'a SandboxSettings,
}

impl MatchKey {
    /// Returns the key of a match. `contents` describes the content of each bot of the plan, such
    /// as its text with its version or the digest of its files.
    ///
    /// # Panics
    /// If there is no content for a bot of the match.
    pub fn new(plan: &Plan, game: &Match, contents: &[impl AsRef<str>]) -> MatchKey {
        let name = |entrant: &Entrant| &plan.bots[entrant.index()].name;
        let has_own = game.seats.iter().any(|entrant| plan.time.bots.contains_key(name(entrant)));
        let times = game.seats.iter().map(|entrant| plan.time.of(name(entrant)));
        let parts = Parts {
            // The same number says something else in files of older versions.
            kind: if game.seed.is_plain() { "agon-match-1" } else { "agon-match-2" },
            game: plan.game,
            rules_version: plan.game.meta().rules_version,
            settings: &plan.settings,
            bots: game.seats.iter().map(|entrant| contents[entrant.index()].as_ref()).collect(),
            seed: game.seed.number(),
            // Names are not in it.
            time: &plan.time.of(""),
            times: if has_own { times.collect() } else { Vec::new() },
            sandbox: &plan.sandbox,
        };
        // JSON separates the parts, and settings come in order of their declaration.
        let text = serde_json::to_vec(&parts).expect("parts of a key can be written as JSON");
        MatchKey(*blake3::hash(&text).as_bytes())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use agon_core::Seed;

    use super::*;

    fn plan(more: &str) -> Plan {
        let text = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\"]\n";
        let text = format!("{text}{more}\n[format]\nkind = \"round-robin\"\n");
        Plan::parse(&text, Path::new("plan.toml")).unwrap()
    }

    #[test]
    fn everything_that_can_change_a_result_changes_the_key() {
        let contents = ["a".to_owned(), "b".to_owned()];
        let base = plan("");
        let game = base.schedule().missing()[0].clone();
        let key = |plan: &Plan, game: &Match, contents: &[String]| {
            MatchKey::new(plan, game, contents).to_string()
        };
        let other_seats =
            Match { seats: game.seats.iter().rev().copied().collect(), ..game.clone() };
        let other_seed = Match { seed: game.seed.derive(1), ..game.clone() };
        let keys = [
            key(&base, &game, &contents),
            key(&base, &other_seats, &contents),
            key(&base, &other_seed, &contents),
            key(&base, &game, &["a".to_owned(), "c".to_owned()]),
            key(&plan("[settings]\nside = 5"), &game, &contents),
            key(&plan("[time]\nlimit = 5"), &game, &contents),
            key(&plan("[time]\nstrikes = 5"), &game, &contents),
            key(&plan("[time]\nstart_up = 5"), &game, &contents),
            key(&plan("[time.bots.greedy]\nlimit = 5"), &game, &contents),
            key(&plan("[time.bots.random]\nlimit = 5"), &game, &contents),
            key(&plan("[sandbox]\nmemory = 64"), &game, &contents),
        ];
        assert!(keys.iter().all(|key| key.len() == 64));
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        // Neither where in the tournament it stands nor how bots are called matters.
        let elsewhere = Match { id: Default::default(), ..game.clone() };
        assert_eq!(key(&base, &elsewhere, &contents), keys[0]);
        assert_eq!(key(&plan("jobs = 3"), &game, &contents), keys[0]);
    }

    /// Except when the rules of the game get a new version or a new setting.
    #[test]
    fn keys_never_change() {
        let base = plan("[settings]\nside = 5");
        for (seed, known) in [
            (Seed::plain(0), "0652e0d6cf981cc553246910b2f3a65fe8d41fb3c3db100178bdcc6cfae4ed20"),
            (Seed(0), "b196c8a4697180f5326efe6e63d71841996c1650085054ff8f8cbc7e9dba9848"),
        ] {
            let plan = Plan { seed, schedule_version: 1, ..base.clone() };
            let game = plan.schedule().missing()[0].clone();
            let key = MatchKey::new(&plan, &game, &["a".to_owned(), "b".to_owned()]).to_string();
            assert_eq!(key, known);
        }
    }
}
