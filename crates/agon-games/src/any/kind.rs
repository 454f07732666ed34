//! [`GameKind`]: a game itself, without its type: its facts, settings, bots and formats.

use std::{any::type_name, fmt, marker::PhantomData, time::Duration};

use agon_core::{
    Decision, Game, Meta, Param, ParamError, Params, Policy, QuickStreams, Seed, SetupError,
};
use schemars::{Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answers::{AnswersMut, AnyAnswers};
use super::{AnyGame, FullGame};
use crate::batch::Header;
use crate::jsonl::{conversation, message};
use crate::presets::{self, Preset, Sample};
use crate::scene::{Colors, LegendEntry};
use crate::settings::{self, SettingError};

/// A game, without its type. [`GameId::kind`](crate::GameId::kind) returns it.
///
/// Settings go in and out as JSON objects. Those that a method returns are complete and in the
/// order of their declaration; those that it takes may be incomplete.
pub trait GameKind: fmt::Debug + Send + Sync {
    /// Returns the facts that do not depend on settings.
    fn meta(&self) -> Meta;

    /// Returns the files of a game from files: its compressed [`Archive`](crate::file::Archive).
    fn packed(&self) -> Option<&[u8]> {
        None
    }

    /// Returns whether the same settings, seed and answers must give the same states. Rules that
    /// are a program may do what they like.
    fn is_proven(&self) -> bool {
        true
    }

    /// Returns the documented defaults of all settings.
    fn default_rules(&self) -> Value;

    /// Returns settings in full.
    ///
    /// # Errors
    /// If there is no such setting, or a value has the wrong type.
    fn full_rules(&self, rules: &Value) -> serde_json::Result<Value>;

    /// Reads the text of a JSON object with settings, and returns them in full. Foreign text takes
    /// no more memory than the settings do.
    ///
    /// # Errors
    /// If there is no such setting, or a value has the wrong type.
    fn read_rules(&self, text: &str) -> serde_json::Result<Value>;

    /// Sets one setting of a full set.
    ///
    /// # Errors
    /// Names the setting and the values that would fit; `rules` stays unchanged.
    fn set_rule(&self, rules: &mut Value, key: &str, value: Value) -> Result<(), SettingError>;

    /// Returns the documented defaults, changed by each of `sets` (`SETTING=VALUE`) in order.
    ///
    /// # Errors
    /// If there is no such setting, or a value does not fit.
    fn changed_rules(&self, sets: &[&str]) -> Result<Value, SettingError>;

    /// Returns the settings of a preset.
    ///
    /// # Errors
    /// If there is none of this name.
    fn preset_rules(&self, name: &str) -> Result<Value, SettingError>;

    /// Returns the JSON Schema of the settings, with their descriptions.
    fn rules_schema(&self) -> Schema;

    /// Returns all presets, as [`presets::all`] lists them.
    fn presets(&self) -> Vec<Preset>;

    /// Returns the constants of [`Presets`](crate::Presets) that say how tests and kits play.
    fn trials(&self) -> Trials;

    /// Sets up a match.
    ///
    /// # Errors
    /// Names the settings that do not fit, and a number of players that the rules do not allow.
    fn start(&self, rules: &Value, players: usize, seed: Seed) -> Result<AnyGame, SetupError>;

    /// Plays steps at once, and returns the hash after each. `None`, and nothing has changed, if
    /// something does not fit, or if playing them one by one is as fast.
    ///
    /// # Panics
    /// If game or answers are of another game.
    fn play_ahead(&self, game: &mut AnyGame, steps: &mut [AnyAnswers]) -> Option<Vec<u64>> {
        let _ = (game, steps);
        None
    }

    /// Sets up a match at any point. `position` is JSON as
    /// [`DynGame::position_json`](super::DynGame::position_json) writes it.
    ///
    /// # Errors
    /// If it cannot be read, or contradicts the rules or itself.
    fn start_from_json(
        &self,
        rules: &Value,
        seed: Seed,
        position: &str,
    ) -> Result<AnyGame, PositionError>;

    /// Sets up a match at any point. `position` is what
    /// [`DynGame::position_bytes`](super::DynGame::position_bytes) writes.
    ///
    /// # Errors
    /// If it cannot be read, or contradicts the rules or itself.
    fn start_from_bytes(
        &self,
        rules: &Value,
        seed: Seed,
        position: &[u8],
    ) -> Result<AnyGame, PositionError>;

    /// Returns an empty list of answers.
    fn no_answers(&self) -> AnyAnswers;

    /// Returns the built-in bots, the weakest first.
    fn builtins(&self) -> Vec<BuiltinInfo>;

    /// Returns the bots of a match worth watching, as `NAME?param=value`.
    fn lineup(&self) -> &'static [&'static str];

    /// Makes a built-in bot for a player of a match. Its parameters are checked first
    /// ([`Params::new`]).
    ///
    /// # Errors
    /// If a parameter does not fit.
    ///
    /// # Panics
    /// If there is no such bot.
    fn policy(&self, name: &str, params: &Params) -> Result<Box<dyn AnyPolicy>, ParamError>;

    /// Returns the time for a program's first answer, start included, and for each later one.
    fn answer_times(&self) -> (Duration, Duration);

    /// Returns whether each observation of the JSON Lines protocol lists all allowed replies.
    fn lists_legal(&self) -> bool;

    /// Returns the messages of the JSON Lines protocol as a JSON Schema.
    fn message_schema(&self) -> Value;

    /// Returns what the arena and the bot say in a tiny match.
    fn conversation(&self) -> [(&'static str, String); 2];

    /// Returns the form of questions and answers as flat memory.
    fn header(&self) -> Header;

    /// Returns whether this form is the game's own.
    fn has_own_form(&self) -> bool;

    /// Returns the fuel that a WebAssembly bot gets for each decision.
    fn fuel(&self) -> u64;

    /// Returns the game's own colours.
    fn colors(&self) -> Colors;

    /// Returns what the shapes and colours of a scene mean.
    fn legend(&self) -> &'static [LegendEntry];

    /// Returns the numbers that charts show over time, in the order of
    /// [`DynGame::sample`](super::DynGame::sample).
    fn series(&self) -> Vec<SeriesInfo>;
}

/// How tests, `agon check` and starter kits play a game, see [`Presets`](crate::Presets).
#[derive(Clone, Copy, Debug)]
pub struct Trials {
    /// Settings for a short match, as `SETTING=VALUE`.
    pub short: &'static [&'static str],
    /// Settings on top for the matches of `agon check`.
    pub checked: &'static [&'static str],
    /// Settings for a tiny match of two players, as JSON.
    pub tiny: &'static str,
    /// Options of `agon play` that keep a match short.
    pub options: &'static str,
    /// The setting that makes a match endless, in words.
    pub endless: &'static str,
    /// The match whose messages are recorded for the documentation.
    pub sample: Option<Sample>,
}

/// A built-in bot, see [`Builtin`](agon_core::Builtin).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinInfo {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// Counts up from 1 whenever its answers change, with any parameters.
    pub version: u32,
    /// One sentence that describes its play.
    pub summary: &'static str,
    /// Its parameters with their defaults.
    pub params: &'static [Param],
}

/// A number per player that changes over time, see [`Series`](crate::scene::Series).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesInfo {
    /// One word for command lines: "energy".
    pub id: &'static str,
    /// What is counted, as the title of a chart: "energy of all cells".
    pub title: &'static str,
}

/// Why a match cannot be set up from a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It contradicts the rules or itself.
    #[error(transparent)]
    Unfit(#[from] SetupError),
}

/// A built-in bot in a match, see [`Policy`].
pub trait AnyPolicy: Send {
    /// Makes the answers to some decisions of a step. Each decision has a stream of its own.
    ///
    /// # Panics
    /// If the game or the answers are of another game, or a decision is not wanted now.
    fn decide(
        &mut self,
        game: &AnyGame,
        step: u64,
        decisions: &[Decision],
        streams: &mut QuickStreams,
        answers: AnswersMut<'_>,
    );
}

struct PolicyOf<G: Game>(Box<dyn Policy<G>>);

impl<G: FullGame> AnyPolicy for PolicyOf<G> {
    fn decide(
        &mut self,
        game: &AnyGame,
        step: u64,
        decisions: &[Decision],
        streams: &mut QuickStreams,
        mut answers: AnswersMut<'_>,
    ) {
        let game = game.of_game::<G>();
        for (&decision, answer) in decisions.iter().zip(answers.of_game::<G>()) {
            let mut rng = streams.of_unit(step, decision.unit);
            *answer = self.0.decide(&game.view(decision), &mut rng);
        }
    }
}

/// The game `G` as a [`GameKind`].
pub(super) struct Kind<G>(pub(super) PhantomData<fn() -> G>);

impl<G> fmt::Debug for Kind<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<G>())
    }
}

/// Reads settings; an error is about the one that does not fit.
fn read<G: Game>(rules: &Value) -> Result<G::Rules, SetupError> {
    let error = match G::Rules::deserialize(rules) {
        Ok(rules) => return Ok(rules),
        Err(error) => error,
    };
    // Setting them one by one finds the wrong one.
    let mut known = G::Rules::default();
    for (key, value) in rules.as_object().into_iter().flatten() {
        if let Err(error) = settings::set::<G>(&mut known, key, value.clone()) {
            return Err(SetupError::new("settings", error.to_string()));
        }
    }
    Err(SetupError::new("settings", settings::plain(&error.to_string())))
}

fn map<G: Game>(rules: &G::Rules) -> Value {
    Value::Object(settings::to_map::<G>(rules))
}

impl<G: FullGame> GameKind for Kind<G> {
    fn meta(&self) -> Meta {
        G::META
    }

    fn default_rules(&self) -> Value {
        map::<G>(&G::Rules::default())
    }

    fn full_rules(&self, rules: &Value) -> serde_json::Result<Value> {
        G::Rules::deserialize(rules).map(|rules| map::<G>(&rules))
    }

    fn read_rules(&self, text: &str) -> serde_json::Result<Value> {
        serde_json::from_str(text).map(|rules| map::<G>(&rules))
    }

    fn set_rule(&self, rules: &mut Value, key: &str, value: Value) -> Result<(), SettingError> {
        let read = G::Rules::deserialize(&*rules);
        let mut typed = read.map_err(|error| SettingError(settings::plain(&error.to_string())))?;
        settings::set::<G>(&mut typed, key, value)?;
        *rules = map::<G>(&typed);
        Ok(())
    }

    fn changed_rules(&self, sets: &[&str]) -> Result<Value, SettingError> {
        presets::changed::<G>(sets).map(|rules| map::<G>(&rules))
    }

    fn preset_rules(&self, name: &str) -> Result<Value, SettingError> {
        presets::rules::<G>(name).map(|rules| map::<G>(&rules))
    }

    fn rules_schema(&self) -> Schema {
        schema_for!(G::Rules)
    }

    fn presets(&self) -> Vec<Preset> {
        presets::all::<G>()
    }

    fn trials(&self) -> Trials {
        Trials {
            short: G::SHORT,
            checked: G::CHECKED,
            tiny: G::TINY,
            options: G::OPTIONS,
            endless: G::ENDLESS,
            sample: G::SAMPLE,
        }
    }

    fn start(&self, rules: &Value, players: usize, seed: Seed) -> Result<AnyGame, SetupError> {
        G::new(&read::<G>(rules)?, players, seed).map(AnyGame::of)
    }

    fn start_from_json(
        &self,
        rules: &Value,
        seed: Seed,
        position: &str,
    ) -> Result<AnyGame, PositionError> {
        let rules = read::<G>(rules)?;
        let position = serde_json::from_str(position);
        let position = position.map_err(|error| PositionError::Unreadable(error.to_string()))?;
        Ok(AnyGame::of(G::from_position(&rules, seed, position)?))
    }

    fn start_from_bytes(
        &self,
        rules: &Value,
        seed: Seed,
        position: &[u8],
    ) -> Result<AnyGame, PositionError> {
        let rules = read::<G>(rules)?;
        match postcard::take_from_bytes(position) {
            Ok((position, [])) => Ok(AnyGame::of(G::from_position(&rules, seed, position)?)),
            _ => Err(PositionError::Unreadable("a position cannot be read".to_owned())),
        }
    }

    fn no_answers(&self) -> AnyAnswers {
        AnyAnswers::of::<G>(Vec::new())
    }

    fn builtins(&self) -> Vec<BuiltinInfo> {
        let info = |builtin: &agon_core::Builtin<G>| BuiltinInfo {
            name: builtin.name,
            version: builtin.version,
            summary: builtin.summary,
            params: builtin.params,
        };
        G::BUILTINS.iter().map(info).collect()
    }

    fn lineup(&self) -> &'static [&'static str] {
        G::SHOW
    }

    fn policy(&self, name: &str, params: &Params) -> Result<Box<dyn AnyPolicy>, ParamError> {
        let builtin = G::BUILTINS.iter().find(|builtin| builtin.name == name);
        let builtin = builtin.unwrap_or_else(|| panic!("there is no built-in bot {name}"));
        Ok(Box::new(PolicyOf::<G>((builtin.make)(params)?)))
    }

    fn answer_times(&self) -> (Duration, Duration) {
        (G::FIRST_ANSWER, G::LATER_ANSWERS)
    }

    fn lists_legal(&self) -> bool {
        G::LISTS_LEGAL
    }

    fn message_schema(&self) -> Value {
        message::schema::<G>()
    }

    fn conversation(&self) -> [(&'static str, String); 2] {
        conversation::tiny::<G>()
    }

    fn header(&self) -> Header {
        G::HEADER
    }

    fn has_own_form(&self) -> bool {
        G::HAS_OWN_FORM
    }

    fn fuel(&self) -> u64 {
        G::FUEL
    }

    fn colors(&self) -> Colors {
        G::COLORS
    }

    fn legend(&self) -> &'static [LegendEntry] {
        G::LEGEND
    }

    fn series(&self) -> Vec<SeriesInfo> {
        G::SERIES.iter().map(|series| SeriesInfo { id: series.id, title: series.title }).collect()
    }
}
