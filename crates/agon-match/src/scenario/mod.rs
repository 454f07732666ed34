//! Scenarios: scripted play from any state, for tests, bug reports and puzzles. `agon scenario`
//! plays them, and `docs/scenarios.md` describes the format.

mod entry;
mod error;
mod playing;

use std::{
    fmt,
    io::{self, Write},
    str::FromStr,
};

use agon_core::{Game, Seed};
use agon_games::{GameId, with_game};
use serde::{Deserialize, Deserializer, de};

pub use entry::Entry;
pub use error::{EntryProblem, ScenarioError};
pub use playing::{Playing, Snapshot};

/// A scenario: its start, and the answers of each step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Scenario<G: Game> {
    /// The game's id.
    pub game: String,
    /// The settings. Missing ones are the game's defaults.
    #[serde(default)]
    pub rules: G::Rules,
    /// The seed; the number 0 if the scenario has none. Numbers are plain seeds, so that scenarios
    /// never change.
    #[serde(default = "no_seed")]
    pub seed: Seed,
    /// Who plays; as many as the position has, or the fewest the game allows.
    pub players: Option<Players>,
    /// The position at the start, if it is not the game's own start.
    pub position: Option<G::Position>,
    /// The answers of each step. Decisions without one get the default answer.
    #[serde(default)]
    pub steps: Vec<Vec<Entry<G::Answer>>>,
}

fn no_seed() -> Seed {
    Seed::plain(0)
}

/// Players by number or by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Players {
    /// The number of players.
    Count(usize),
    /// Their names.
    Names(Vec<String>),
}

impl Players {
    /// Returns the number of players.
    pub fn count(&self) -> usize {
        match self {
            Players::Count(count) => *count,
            Players::Names(names) => names.len(),
        }
    }
}

impl<'de> Deserialize<'de> for Players {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Players, D::Error> {
        deserializer.deserialize_any(PlayersVisitor)
    }
}

struct PlayersVisitor;

impl<'de> de::Visitor<'de> for PlayersVisitor {
    type Value = Players;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of players or a list of their names")
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Players, E> {
        let too_many = |_| E::invalid_value(de::Unexpected::Unsigned(count), &self);
        usize::try_from(count).map(Players::Count).map_err(too_many)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, names: A) -> Result<Players, A::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(names)).map(Players::Names)
    }
}

/// Returns the id of the game that a scenario is for.
///
/// # Errors
/// If the text is not a JSON object with a `game`.
pub fn game_id(text: &str) -> Result<String, ScenarioError> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with a `game`")]
    struct Peek {
        game: String,
    }
    Ok(serde_json::from_str::<Peek>(text)?.game)
}

/// Plays a scenario of any game, and writes each state as JSON: on a line, or with `pretty` over
/// several lines.
///
/// # Errors
/// If the text is no scenario, or one that cannot be played to its end, or the output cannot be
/// written.
pub fn write_states(text: &str, pretty: bool, out: &mut dyn Write) -> Result<(), ScenarioError> {
    let id = GameId::from_str(&game_id(text)?)?;
    with_game!(id, G => Scenario::<G>::parse(text)?.write(pretty, out))
}

impl<G: Game> Scenario<G> {
    /// Reads a scenario.
    ///
    /// # Errors
    /// If the text is not a scenario of this game. The error has line and column.
    pub fn parse(text: &str) -> Result<Scenario<G>, ScenarioError> {
        let found = game_id(text)?;
        if found != G::META.id {
            return Err(ScenarioError::Game { found, expected: G::META.id });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// Returns the first state.
    ///
    /// # Errors
    /// If rules, players and position do not fit.
    pub fn start(&self) -> Result<G, ScenarioError> {
        let players = self.players.as_ref().map(Players::count);
        let Some(position) = &self.position else {
            return Ok(G::new(
                &self.rules,
                players.unwrap_or(G::META.min_players.max(2)),
                self.seed,
            )?);
        };
        let game = G::from_position(&self.rules, self.seed, position.clone())?;
        match players {
            Some(players) if players != game.players() => {
                Err(ScenarioError::Players { players, position: game.players() })
            }
            _ => Ok(game),
        }
    }

    /// Sets up the game and returns its states: the first, then the one after each step.
    ///
    /// # Errors
    /// If it cannot be set up.
    pub fn play(self) -> Result<Playing<G>, ScenarioError> {
        let game = self.start()?;
        Ok(Playing::new(game, self.steps))
    }

    /// Plays and writes each state as a line of JSON.
    ///
    /// # Errors
    /// If the scenario cannot be played to its end, or the output cannot be written.
    pub fn write_states(self, out: &mut impl Write) -> Result<(), ScenarioError> {
        self.write(false, out)
    }

    fn write(self, pretty: bool, mut out: &mut dyn Write) -> Result<(), ScenarioError> {
        for snapshot in self.play()? {
            let snapshot = snapshot?;
            let written = match pretty {
                true => serde_json::to_writer_pretty(&mut out, &snapshot),
                false => serde_json::to_writer(&mut out, &snapshot),
            };
            written.map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
