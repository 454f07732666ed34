//! The conformance kit: what every game promises, checked by playing it. `agon game check` prints
//! what it finds.
//!
//! A test of a game is one call:
//!
//! ```no_run
//! # use agon_games::{any::kind_of, cluster::Cluster, conformance};
//! let game = kind_of::<Cluster>();
//! conformance::require(game, &conformance::Options::tiny(game));
//! ```

/// Fails the check unless something holds.
macro_rules! ensure {
    ($holds:expr, $($detail:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            return $crate::conformance::failed(format!($($detail)+));
        }
    };
}

mod actions;
mod damage;
mod facts;
mod rules;
mod secrets;
mod shown;

use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{cell::Cell, error::Error};

use agon_core::{Purpose, Rng, Seed, text::number::plural};
use serde_json::Value;

use crate::any::{AnyAnswers, AnyGame, GameKind};

/// The names of all points, in order, and what checks them.
const POINTS: [(&str, Check); 20] = [
    ("players", rules::players),
    ("settings", rules::settings),
    ("same game", rules::same_game),
    ("decisions", rules::decisions),
    ("standing", rules::standing),
    ("hash", rules::hash),
    ("clones", rules::clones),
    ("save and load", rules::save_and_load),
    ("answer formats", rules::answer_formats),
    ("end", rules::end),
    ("action names", actions::names),
    ("legal actions", actions::legal_actions),
    ("legal replies", actions::legal_replies),
    ("damaged positions", damage::positions),
    ("damaged answers", damage::answers),
    ("secrets", secrets::secrets),
    ("pictures", shown::pictures),
    ("people", shown::people),
    ("presets and bots", facts::presets_and_bots),
    ("speed", facts::speed),
];

/// The numbers of all points.
pub const ALL: RangeInclusive<u8> = 1..=POINTS.len() as u8;

/// The numbers of the points that are about rules alone.
pub const RULES: RangeInclusive<u8> = 1..=12;

/// How a game is examined.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The settings of the matches.
    pub rules: Value,
    /// Matches are played with each of these numbers of players.
    pub players: Vec<usize>,
    /// Each is the seed of a match and of its script; at least one.
    pub seeds: Vec<Seed>,
    /// The most steps of a match: a match whose rules have a limit must end before.
    pub max_steps: u64,
    /// How much damaged input is tried.
    pub rounds: u64,
    /// The numbers of the points.
    pub points: RangeInclusive<u8>,
}

impl Options {
    /// Returns options for all points, in matches with the game's settings for tiny ones.
    pub fn tiny(kind: &dyn GameKind) -> Options {
        let meta = kind.meta();
        let usual = usual_players(kind);
        let mut players = vec![meta.min_players, usual, meta.max_players.min(usual + 1)];
        players.dedup();
        Options {
            // A point is about these settings.
            rules: kind.read_rules(kind.trials().tiny).unwrap_or_else(|_| kind.default_rules()),
            players,
            seeds: vec![Seed(0), Seed(1)],
            max_steps: 10_000,
            rounds: 200,
            points: ALL,
        }
    }
}

/// As near to two players as the game allows.
fn usual_players(kind: &dyn GameKind) -> usize {
    let meta = kind.meta();
    2.max(meta.min_players).min(meta.max_players)
}

/// What was found about a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number, from 1.
    pub number: u8,
    /// The promise in a word or two.
    pub name: &'static str,
    /// Whether the game keeps it.
    pub status: Status,
    /// What was checked, or how the promise is broken, or why it does not apply.
    pub found: String,
}

/// Whether a game keeps a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No problem was found.
    Passed,
    /// The promise is broken.
    Failed,
    /// There was nothing to check.
    NotApplicable,
}

/// Examines a game, point by point. A game that panics breaks the promise that is being checked.
///
/// # Panics
/// If there is no such point, or no seed.
pub fn examine(kind: &'static dyn GameKind, options: &Options) -> impl Iterator<Item = Point> {
    options.points.clone().map(move |number| {
        let (name, check) = POINTS[usize::from(number) - 1];
        let exam = Exam { kind, options, place: Cell::default() };
        let (status, found) = match caught(|| check(&exam)) {
            Ok(found) => (Status::Passed, found),
            Err(Stop::NotApplicable(reason)) => (Status::NotApplicable, reason),
            Err(Stop::Failed(detail)) => match exam.place.get() {
                None => (Status::Failed, detail),
                Some((players, seed, step)) => {
                    let players = plural(players as u64, "player");
                    (Status::Failed, format!("{players}, seed {seed}, step {step}: {detail}"))
                }
            },
        };
        Point { number, name, status, found }
    })
}

/// Examines a game in a test.
///
/// # Panics
/// If it breaks a promise, with all that it breaks.
#[track_caller]
pub fn require(kind: &'static dyn GameKind, options: &Options) {
    let failed = examine(kind, options).filter(|point| point.status == Status::Failed);
    let failed: Vec<String> =
        failed.map(|point| format!("{} {}: {}", point.number, point.name, point.found)).collect();
    assert!(failed.is_empty(), "{} breaks promises:\n{}", kind.meta().id, failed.join("\n"));
}

/// Checks a promise, and returns what was checked.
type Check = fn(&Exam<'_>) -> Found;

type Found<T = String> = Result<T, Stop>;

/// Why a check ended early.
enum Stop {
    Failed(String),
    NotApplicable(String),
}

impl Stop {
    /// Adds what a failure is about.
    fn within(self, what: &str) -> Stop {
        match self {
            Stop::Failed(detail) => Stop::Failed(format!("{what}: {detail}")),
            other => other,
        }
    }
}

impl<E: Error> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.to_string())
    }
}

fn failed<T>(detail: impl Into<String>) -> Found<T> {
    Err(Stop::Failed(detail.into()))
}

/// Returns what `check` finds. A panic is a failure.
fn caught<T>(check: impl FnOnce() -> Found<T>) -> Found<T> {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        failed(format!("it panicked: {}", text.unwrap_or("without a message")))
    })
}

/// An examination of a game.
struct Exam<'a> {
    kind: &'static dyn GameKind,
    options: &'a Options,
    /// Players, seed and step of the match that is being played.
    place: Cell<Option<(usize, Seed, u64)>>,
}

/// A state of a match.
struct State<'a> {
    game: &'a AnyGame,
    seed: Seed,
    step: u64,
    /// The answers that come next.
    answers: &'a AnyAnswers,
}

impl State<'_> {
    /// Whether this is one of the states for checks that take long. Their distance grows, so that
    /// long matches do not take quadratic time.
    fn is_sampled(&self) -> bool {
        self.step < 3 || self.step.is_power_of_two()
    }
}

/// The most steps of matches for checks that take long in each state.
const FEW_STEPS: u64 = 60;

impl Exam<'_> {
    fn start(&self, players: usize, seed: Seed) -> Found<AnyGame> {
        let game = self.kind.start(&self.options.rules, players, seed);
        game.or_else(|error| failed(format!("a match of {players} does not start: {error}")))
    }

    fn rng(&self, number: u64) -> Rng {
        self.options.seeds[0].stream(Purpose::Script, !number)
    }

    /// Plays all matches with scripted answers and checks each state. Returns how many there were.
    fn walk(&self, most: u64, check: impl FnMut(&State<'_>) -> Found<()>) -> Found<u64> {
        let scripted = |game: &AnyGame, seed, step| Ok(game.scripted_answers(seed, step));
        self.walk_with(most, scripted, check)
    }

    /// Does the same with other answers.
    fn walk_with(
        &self,
        most: u64,
        answers: impl Fn(&AnyGame, Seed, u64) -> Found<AnyAnswers>,
        mut check: impl FnMut(&State<'_>) -> Found<()>,
    ) -> Found<u64> {
        let mut states = 0;
        let Options { players, seeds, .. } = self.options;
        let matches =
            players.iter().flat_map(|players| seeds.iter().map(move |seed| (players, seed)));
        for (&players, &seed) in matches {
            let mut game = self.start(players, seed)?;
            for step in 0..=most {
                self.place.set(Some((players, seed, step)));
                let answers = answers(&game, seed, step)?;
                check(&State { game: &game, seed, step, answers: &answers })?;
                states += 1;
                if game.is_over() {
                    break;
                }
                game.step(&answers);
            }
        }
        self.place.set(None);
        Ok(states)
    }
}

/// Returns why an answer of a batch breaks the rules, if it does.
fn breach(game: &AnyGame, at: usize, answers: &AnyAnswers) -> Found<Option<String>> {
    Ok(game.illegal(game.decisions()[at], answers, at)?)
}

/// Checks an answer that should be legal.
fn ensure_legal(game: &AnyGame, at: usize, answers: &AnyAnswers) -> Found<()> {
    let Some(reason) = breach(game, at, answers)? else { return Ok(()) };
    failed(format!("{:?} should be legal, but breaks a rule: {reason}", answers.debug(at)))
}
