//! Scenarios: scripted play from any state, for tests, bug reports and puzzles. `agon scenario`
//! plays them, and `docs/scenarios.md` describes the format.

use std::io::{self, Write};
use std::{fmt, str::FromStr};

use agon_core::{Decision, Player, Seed, SetupError, Standing};
use agon_games::GameId;
use agon_games::any::{AnyGame, GameKind, PositionError};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Value, value::RawValue};

/// A scenario: its start, and the answers of each step. Rules, position and answers are JSON that
/// its game reads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The game's id.
    pub game: String,
    /// The settings. Missing ones are the game's defaults.
    pub rules: Option<Box<RawValue>>,
    /// The seed; the number 0 if the scenario has none. Numbers are plain seeds, so that scenarios
    /// never change.
    #[serde(default = "no_seed")]
    pub seed: Seed,
    /// Who plays; as many as the position has, or the fewest the game allows.
    pub players: Option<Players>,
    /// The position at the start, if it is not the game's own start.
    pub position: Option<Box<RawValue>>,
    /// The answers of each step. Decisions without one get the default answer.
    #[serde(default)]
    pub steps: Vec<Vec<Entry>>,
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
pub fn game_id(text: &str) -> Result<String> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with a `game`")]
    struct Peek {
        game: String,
    }
    Ok(read::<Peek>(text)?.game)
}

fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| unreadable("", &error))
}

fn unreadable(part: &str, error: &dyn fmt::Display) -> anyhow::Error {
    anyhow!("the scenario cannot be read: {part}{}", agon_core::text::escape(&error.to_string()))
}

/// Plays a scenario of any game, and writes each state as JSON: on a line, or with `pretty` over
/// several lines.
pub fn write_states(text: &str, pretty: bool, mut out: &mut dyn Write) -> Result<()> {
    let kind = GameId::from_str(&game_id(text)?)?.kind();
    Scenario::parse(kind, text)?.play(kind, |snapshot| {
        let written = match pretty {
            true => serde_json::to_writer_pretty(&mut out, &snapshot),
            false => serde_json::to_writer(&mut out, &snapshot),
        };
        let written = written.map_err(io::Error::from).and_then(|()| out.write_all(b"\n"));
        written.context("cannot write")
    })
}

impl Scenario {
    /// Reads a scenario for a game.
    pub fn parse(kind: &dyn GameKind, text: &str) -> Result<Scenario> {
        let id = kind.meta().id;
        let found = game_id(text)?;
        if found != id {
            bail!("this is a scenario for {found}, not for {id}");
        }
        read(text)
    }

    /// Returns the first state.
    pub fn start(&self, kind: &dyn GameKind) -> Result<AnyGame> {
        let unfit = |error: SetupError| anyhow!("the scenario cannot be set up: {error}");
        let rules = self.rules.as_ref().map(|rules| kind.read_rules(rules.get())).transpose();
        let rules = rules.map_err(|error| unreadable("rules: ", &error))?;
        let rules = rules.unwrap_or_else(|| kind.default_rules());
        let players = self.players.as_ref().map(Players::count);
        let Some(position) = &self.position else {
            let players = players.unwrap_or(kind.meta().min_players.max(2));
            return kind.start(&rules, players, self.seed).map_err(unfit);
        };
        let game = kind.start_from_json(&rules, self.seed, position.get());
        let game = game.map_err(|error| match error {
            PositionError::Unreadable(error) => unreadable("position: ", &error),
            PositionError::Unfit(error) => unfit(error),
        })?;
        match players {
            Some(players) if players != game.players() => {
                bail!("players: {players} are named, but the position has {}", game.players())
            }
            _ => Ok(game),
        }
    }

    /// Plays, and shows the first state, then the one after each step.
    pub fn play(
        self,
        kind: &dyn GameKind,
        mut show: impl FnMut(Snapshot) -> Result<()>,
    ) -> Result<()> {
        let mut game = self.start(kind)?;
        let mut answers = kind.no_answers();
        show(Snapshot::of(&game, 0))?;
        for (step, entries) in self.steps.into_iter().enumerate() {
            if game.decisions().is_empty() {
                bail!("steps[{step}]: the game is over after {step} steps");
            }
            answers.reset(game.decisions().len());
            let mut is_answered = vec![false; answers.len()];
            for (number, entry) in entries.into_iter().enumerate() {
                let problem = |problem: String| anyhow!("steps[{step}][{number}]: {problem}");
                let place = place_of(game.decisions(), &entry, &is_answered).map_err(problem)?;
                let set = answers.as_mut().set_json(place, entry.answer.get());
                set.map_err(|error| problem(agon_core::text::escape(&error.to_string()).into()))?;
                is_answered[place] = true;
            }
            game.step(&answers);
            show(Snapshot::of(&game, step as u64 + 1))?;
        }
        Ok(())
    }
}

/// An answer to a decision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The player who decides.
    pub player: Player,
    /// The unit. It may be left out if the player has only one decision.
    pub unit: Option<u32>,
    /// The answer.
    pub answer: Box<RawValue>,
}

/// A printed state of a scenario. Its position can be the `position` of another scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// Steps played.
    pub step: u64,
    /// Turns of the game that are over.
    pub turn: u64,
    /// The decisions asked for.
    pub decisions: Vec<Decision>,
    /// The state.
    pub position: Value,
    /// How the players stand.
    pub standing: Standing,
    /// The state's hash.
    #[serde(with = "crate::replay::hex")]
    pub state_hash: u64,
}

impl Snapshot {
    fn of(game: &AnyGame, step: u64) -> Snapshot {
        let position = game.position_json();
        Snapshot {
            step,
            turn: game.progress().turn,
            decisions: game.decisions().to_vec(),
            position: serde_json::from_str(&position).expect("positions survive JSON"),
            standing: game.standing(),
            state_hash: game.state_hash(),
        }
    }
}

/// Returns the index of the decision that an entry answers; an error says what is wrong with it.
fn place_of(decisions: &[Decision], entry: &Entry, is_answered: &[bool]) -> Result<usize, String> {
    let Entry { player, unit, .. } = *entry;
    let first = decisions.partition_point(|decision| decision.player < player);
    let own = &decisions[first..]
        [..decisions[first..].partition_point(|decision| decision.player == player)];
    let not_asked = || {
        let unit = unit.map_or(String::new(), |unit| format!(" unit {unit}"));
        format!("player {player}{unit} is not asked; asked are: {}", list(decisions))
    };
    let place = match (unit, own) {
        (Some(unit), _) => {
            own.iter().position(|decision| decision.unit == unit).ok_or_else(not_asked)?
        }
        (None, []) => return Err(not_asked()),
        (None, [_]) => 0,
        (None, _) => {
            return Err(format!(
                "player {player} has several decisions, so a `unit` is needed: {}",
                list(own)
            ));
        }
    };
    match is_answered[first + place] {
        false => Ok(first + place),
        true => Err(format!("player {player} unit {} is answered twice", own[place].unit)),
    }
}

/// Lists decisions as text.
fn list(decisions: &[Decision]) -> String {
    const SHOWN: usize = 8;
    let one = |decision: &Decision| format!("player {} unit {}", decision.player, decision.unit);
    let mut text = decisions.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    if decisions.len() > SHOWN {
        text.push_str(&format!(" and {} more", decisions.len() - SHOWN));
    }
    text
}
