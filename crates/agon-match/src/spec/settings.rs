//! How bots are run: settings that plans of tournaments, flags and match specs share.

use std::{collections::BTreeMap, num::NonZero, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest time limit and bank, in milliseconds: a day.
pub const MAX_MS: u64 = 86_400_000;

/// The smallest limit for the memory of a bot, in MiB.
pub const MIN_MEMORY: u32 = 16;

/// The greatest limit for the memory of a WebAssembly bot, in MiB.
pub const MAX_WASM_MEMORY: u32 = 4096;

/// The greatest [`TimeSettings::scale`], in percent.
pub const MAX_SCALE: u32 = 10_000;

/// The greatest [`Recording::faults`].
pub const MAX_FAULTS: u64 = 1000;

/// How bots are run in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchSettings {
    /// Time limits.
    pub time: TimeSettings,
    /// Confinement and memory.
    pub sandbox: SandboxSettings,
    /// What is kept of the match beside its result.
    pub recording: Recording,
}

/// Time limits of bots: `[time]` of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeSettings {
    /// Whether there are limits at all; `--no-clock` switches them off.
    pub clock: bool,
    /// Milliseconds for an answer (`--time`); `None` for the game's limits.
    pub limit: Option<u64>,
    /// Milliseconds of the bank (`--bank`); `None` for the game's bank, or for none beside `limit`.
    pub bank: Option<u64>,
    /// A bot is stopped after this many timeouts in a row (`--strikes`); `None` for no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strikes: Option<NonZero<u32>>,
    /// All limits are multiplied by this percentage on a machine of another speed. `bank` and
    /// `limit` are scaled too.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    #[schemars(range(min = 1, max = 10_000))]
    pub scale: u32,
    /// Milliseconds for the first answer of a program, which has to start (`--start-up`), if its
    /// limit is shorter; `None` for ten seconds with JSON Lines and the game's limit otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_up: Option<u64>,
    /// Bots with limits of their own (`--bot-time`, `--bot-start-up`), by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bots: BTreeMap<String, BotTime>,
}

/// Time limits of one bot. `None` leaves a limit as it is for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BotTime {
    /// As [`TimeSettings::limit`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// As [`TimeSettings::bank`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<u64>,
    /// As [`TimeSettings::start_up`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_up: Option<u64>,
}

impl TimeSettings {
    /// Returns the limits of the bot with this name.
    #[must_use]
    pub fn of(&self, name: &str) -> TimeSettings {
        let own = self.bots.get(name).cloned().unwrap_or_default();
        TimeSettings {
            limit: own.limit.or(self.limit),
            bank: own.bank.or(self.bank),
            start_up: own.start_up.or(self.start_up),
            bots: BTreeMap::new(),
            ..self.clone()
        }
    }
}

const fn whole() -> u32 {
    100
}

fn is_whole(scale: &u32) -> bool {
    *scale == whole()
}

impl Default for TimeSettings {
    fn default() -> TimeSettings {
        TimeSettings {
            clock: true,
            limit: None,
            bank: None,
            strikes: None,
            scale: whole(),
            start_up: None,
            bots: BTreeMap::new(),
        }
    }
}

/// How strictly bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxLevel {
    /// Fully, or they are not started.
    Strict,
    /// As well as the machine can.
    #[default]
    Default,
    /// Not at all.
    Off,
}

/// Confinement and memory of bots: `[sandbox]` of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SandboxSettings {
    /// How strictly bots are confined; `--sandbox`.
    pub level: SandboxLevel,
    /// The most memory of a bot with all its processes, in MiB; `--bot-memory`.
    pub memory: Option<u32>,
    /// Files and folders that bots may read beside their own; `--allow-read`.
    pub read: Vec<PathBuf>,
    /// Folders that bots may write to; `--allow-write`.
    pub write: Vec<PathBuf>,
    /// Whether C sources are compiled to WebAssembly; `--wasm`.
    pub wasm: bool,
    /// The most memory of a WebAssembly bot, in MiB; `--wasm-memory`.
    pub wasm_memory: Option<u32>,
    /// Whether all species in Clojure of a match live in one JVM; `--share-jvm`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share_jvm: bool,
    /// Environment variables that bots get beside the usual ones; `--allow-env`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// What is kept of a match beside its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Whether a replay is recorded.
    pub replay: bool,
    /// How many faults of each player and kind are kept in detail.
    pub faults: usize,
    /// It means nothing any more. It is still written, because an audit of a ladder compares the
    /// settings of a final with those of its season as they were written.
    #[serde(default)]
    pub runtimes: bool,
}

impl Default for Recording {
    /// No replay, and the first fault of each kind.
    fn default() -> Recording {
        Recording { replay: false, faults: 1, runtimes: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_their_form() {
        let text = serde_json::to_string(&TimeSettings::default()).unwrap();
        assert_eq!(text, r#"{"clock":true,"limit":null,"bank":null}"#);
        let strict = TimeSettings { strikes: NonZero::new(3), ..TimeSettings::default() };
        let text = serde_json::to_string(&strict).unwrap();
        assert_eq!(text, r#"{"clock":true,"limit":null,"bank":null,"strikes":3}"#);
        assert_eq!(serde_json::from_str::<TimeSettings>(&text).unwrap(), strict);
        assert!(serde_json::from_str::<TimeSettings>(&text.replace('3', "0")).is_err());
        let text = serde_json::to_string(&SandboxSettings::default()).unwrap();
        let expected = r#"{"level":"default","memory":null,"read":[],"write":[],"wasm":false,"#;
        assert_eq!(text, format!(r#"{expected}"wasm_memory":null}}"#));
        // As the log of a ladder has it.
        let text = serde_json::to_string(&Recording::default()).unwrap();
        assert_eq!(text, r#"{"replay":false,"faults":1,"runtimes":false}"#);
        assert_eq!(serde_json::from_str::<Recording>(&text).unwrap(), Recording::default());
    }
}
