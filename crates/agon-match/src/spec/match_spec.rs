//! A match spec: a match as plain data, with all that its result depends on.
//!
//! Each job of a pool has one.

use agon_core::{Meta, Seed, text::check_name};
use agon_games::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::spec::settings::{MAX_FAULTS, MAX_MS, MAX_SCALE, MAX_WASM_MEMORY, MIN_MEMORY};
use crate::spec::{MatchSettings, Seat, SeatBot};

/// The version of [`MatchSpec`]. Another form gets another number.
pub const SPEC_VERSION: u32 = 1;

/// A match that is to be played.
///
/// A spec without local seats names its match completely: equal specs with deterministic bots have
/// equal outcomes on every machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchSpec {
    /// The version of this form, [`SPEC_VERSION`].
    pub version: u32,
    /// The game.
    pub game: GameId,
    /// The version of its rules.
    pub rules_version: u32,
    /// All settings of the game with their values.
    pub rules: Value,
    /// The seed.
    pub seed: Seed,
    /// Tells matches apart that are otherwise equal: bots that are not deterministic may play them
    /// differently.
    #[serde(default)]
    pub repetition: u32,
    /// The match ends after so many turns of the game; `None` for as long as its rules say.
    #[serde(default)]
    pub max_turns: Option<u64>,
    /// Who plays, in order of player number.
    pub seats: Vec<Seat>,
    /// How bots are run, and what is recorded.
    pub settings: MatchSettings,
}

/// Why a spec cannot be played here or on another machine, or why an outcome is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SpecError(pub(super) String);

impl MatchSpec {
    /// Makes the spec of a match with these settings of the game. Nobody sits there yet.
    pub fn new(game: GameId, rules: Value, settings: MatchSettings) -> MatchSpec {
        MatchSpec {
            version: SPEC_VERSION,
            game,
            rules_version: game.meta().rules_version,
            rules,
            seed: Seed(0),
            repetition: 0,
            max_turns: None,
            seats: Vec::new(),
            settings,
        }
    }

    /// Checks what can be checked without bots.
    pub fn check(&self) -> Result<(), SpecError> {
        if self.version != SPEC_VERSION {
            return Err(SpecError(format!(
                "the match spec has version {}, but this Agon reads version {SPEC_VERSION}",
                self.version
            )));
        }
        self.check_names()?;
        self.check_ranges()?;
        self.check_rules_version()?;
        let full = self.game.kind().full_rules(&self.rules);
        full.map(drop).map_err(|error| {
            SpecError(format!("settings of {} in the match spec: {error}", self.game))
        })
    }

    /// Checks the version of the game's rules.
    pub fn check_rules_version(&self) -> Result<(), SpecError> {
        let Meta { id: game, rules_version: own, .. } = self.game.meta();
        if self.rules_version != own {
            return Err(SpecError(format!(
                "the match spec is for version {} of {game}, but this Agon plays version {own}",
                self.rules_version
            )));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), SpecError> {
        for (number, seat) in self.seats.iter().enumerate() {
            let name = &seat.name;
            check_name(name).map_err(|error| {
                SpecError(format!("seat {} of the match spec: {error}", number + 1))
            })?;
            if self.seats[..number].iter().any(|other| other.name == *name) {
                let text = format!("two seats of the match spec have the name `{name}`");
                return Err(SpecError(text));
            }
        }
        Ok(())
    }

    fn check_ranges(&self) -> Result<(), SpecError> {
        let MatchSettings { time, sandbox, recording } = &self.settings;
        let own = time.bots.values().flat_map(|own| [own.limit, own.bank, own.start_up]);
        let longest = own.flatten().max();
        let ranges = [
            ("settings.time.limit", time.limit, 0..=MAX_MS),
            ("settings.time.bank", time.bank, 0..=MAX_MS),
            ("settings.time.start_up", time.start_up, 0..=MAX_MS),
            ("settings.time.bots", longest, 0..=MAX_MS),
            ("settings.time.scale", Some(time.scale.into()), 1..=MAX_SCALE.into()),
            ("settings.recording.faults", Some(recording.faults as u64), 0..=MAX_FAULTS),
            (
                "settings.sandbox.memory",
                sandbox.memory.map(u64::from),
                MIN_MEMORY.into()..=u32::MAX.into(),
            ),
            (
                "settings.sandbox.wasm_memory",
                sandbox.wasm_memory.map(u64::from),
                1..=MAX_WASM_MEMORY.into(),
            ),
        ];
        for (key, value, range) in ranges {
            if let Some(found) = value.filter(|value| !range.contains(value)) {
                let (least, most) = range.into_inner();
                let text =
                    format!("`{key}` in the match spec is {found}, but may be {least} to {most}");
                return Err(SpecError(text));
            }
        }
        Ok(())
    }

    /// Checks that the match can be played on any machine.
    ///
    /// # Errors
    /// With what belongs to this machine: a bot, or a path that bots may read or write.
    pub fn check_portable(&self) -> Result<(), SpecError> {
        for seat in &self.seats {
            if let SeatBot::Local(seat) = &seat.bot {
                return Err(seat.reason());
            }
        }
        let sandbox = &self.settings.sandbox;
        if let Some(name) = sandbox.env.first() {
            let text = format!("bots get the environment variable {name} of this machine");
            return Err(SpecError(text));
        }
        match sandbox.read.iter().chain(&sandbox.write).next() {
            Some(path) => Err(SpecError(format!(
                "bots may read or write {}, which is a path of this machine",
                path.display()
            ))),
            None => Ok(()),
        }
    }
}
