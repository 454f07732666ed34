//! Matches as plain data: what is to be played, and what came of it.
//!
//! The arena plays specs and makes outcomes. Comparisons, tunings and tournaments work with these.
//!
//! | module | contents |
//! | --- | --- |
//! | `match_spec` | [`MatchSpec`]: all that a result depends on |
//! | `seat` | [`Seat`]: a built-in bot, a bot in a store, or a bot of this machine; [`Digest`]; [`BotManifest`] |
//! | `settings` | [`MatchSettings`]: time limits, sandbox, memory, recording |
//! | `outcome` | [`MatchOutcome`]: result, costs, faults, replay by digest |
//!
//! ```
//! use agon_core::Seed;
//! use agon_games::GameId;
//! use agon_match::spec::{MatchSettings, MatchSpec};
//!
//! let rules = GameId::Cluster.kind().default_rules();
//! let spec = MatchSpec::new(GameId::Cluster, rules, MatchSettings::default());
//! let spec = MatchSpec { seed: Seed(7), ..spec };
//! let text = serde_json::to_string(&spec)?;
//! assert_eq!(serde_json::from_str::<MatchSpec>(&text)?, spec);
//! let other = text.replacen("\"seed\"", "\"sead\"", 1);
//! assert!(serde_json::from_str::<MatchSpec>(&other).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod match_spec;
mod outcome;
mod seat;
pub mod settings;

pub use match_spec::{MatchSpec, SPEC_VERSION, SpecError};
pub use outcome::{MatchOutcome, MatchResult, OUTCOME_VERSION, PlayedOn, PlayerResult};
pub use seat::{
    BlobSeat, BotManifest, BotProtocol, BuiltinSeat, Digest, LocalSeat, MANIFEST, NoDigest, Seat,
    SeatBot, Why,
};
pub use settings::{MatchSettings, Recording, SandboxLevel, SandboxSettings, TimeSettings};
