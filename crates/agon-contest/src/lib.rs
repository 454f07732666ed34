//! Tournaments, comparisons, tunings and examinations of bots, without showing them.
//!
//! `agon tournament`, `agon compare`, `agon tune` and `agon check` are built on it. They parse the
//! command line, show the progress and print the result.
//!
//! | module | contents |
//! | --- | --- |
//! | [`pairing`] | [`Entrant`], [`Pairing`], [`Match`]: who meets whom, on which seeds, in which seats; [`History`], [`Outcome`]: the results so far |
//! | [`mod@format`] | round robin, gauntlet, Swiss, eliminations, groups, ladder: who meets whom next, and who stands where |
//! | [`plan`] | [`Plan`]: the TOML file; [`SavedPlan`]: a plan beside its journal |
//! | [`schedule`] | [`Schedule`]: the matches to play now; [`MatchKey`]: everything that a result depends on |
//! | [`journal`] | [`Journal`]: results on the disk, which survive crashes |
//! | [`report`] | the report of a tournament |
//!
//! The schedule is a pure function of the plan and of the results so far. It does not depend on the
//! order in which matches finish, nor on interruptions. Each match has an id ([`MatchId`]) that is
//! its place in the tournament. Its seed follows from the tournament's seed and the names of its
//! bots.
//!
//! These modules start bots, and need the feature `play`:
//!
//! | module | contents |
//! | --- | --- |
//! | `check` | an examination of one bot |
//! | `compare` | whether a new version is better than an old one |
//! | `tune` | good values of a bot's parameters |
//! | `tournament` | a tournament in its folder |
//! | `series` | many matches of one game under the same conditions |
//! | `events` | the lines that `agon --json` prints |
//! | `settings` | a game's settings from `--rules` and `--set` |
//!
//! Errors of these are messages for people: they name the file or option and the remedy.

#[cfg(feature = "play")]
pub mod check;
#[cfg(feature = "play")]
pub mod compare;
#[cfg(feature = "play")]
pub mod events;
pub mod format;
pub mod journal;
pub mod pairing;
pub mod plan;
pub mod report;
pub mod schedule;
#[cfg(feature = "play")]
pub mod series;
#[cfg(feature = "play")]
pub mod settings;
#[cfg(feature = "play")]
pub mod tournament;
#[cfg(feature = "play")]
pub mod tune;

#[cfg(feature = "play")]
pub use agon_arena::{Notice, Tell};
pub use journal::{Journal, Record};
pub use pairing::{
    Entrant, Games, History, Match, MatchId, Outcome, Pairing, PairingId, PairingSeeds, Played,
};
pub use plan::{Plan, PlanBot, SavedPlan};
pub use schedule::{MatchKey, Schedule};
