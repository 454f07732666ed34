//! Tournaments without the playing: plan, format, schedule, journal and report.
//!
//! `agon-experiment` plays the matches.
//!
//! | module | contents |
//! | --- | --- |
//! | [`pairing`] | [`Entrant`], [`Pairing`], [`Match`]: who meets whom, on which seeds, in which seats |
//! | [`history`] | [`History`], [`Outcome`]: the results so far |
//! | [`mod@format`] | round robin, gauntlet, Swiss, eliminations, groups, ladder: who meets whom next, and who stands where |
//! | [`plan`] | [`Plan`]: the TOML file; [`SavedPlan`]: a plan beside its journal |
//! | [`schedule`] | [`Schedule`]: the matches to play now |
//! | [`key`] | [`MatchKey`]: everything that a result depends on |
//! | [`resume`] | a schedule after the results of a journal |
//! | [`journal`] | [`Journal`]: results on the disk, which survive crashes |
//!
//! The schedule is a pure function of the plan and of the results so far. It does not depend on the
//! order in which matches finish, nor on interruptions. Each match has an id ([`MatchId`]) that is
//! its place in the tournament. Its seed follows from the tournament's seed and the names of its
//! bots.

pub mod format;
pub mod history;
pub mod journal;
pub mod key;
pub mod pairing;
pub mod plan;
pub mod report;
pub mod resume;
pub mod schedule;

pub use history::{History, Outcome, Played};
pub use journal::{Journal, JournalError, Record};
pub use key::MatchKey;
pub use pairing::{Entrant, Games, Match, MatchId, Pairing, PairingId, PairingSeeds};
pub use plan::{Plan, PlanBot, PlanError, SavedPlan, SavedPlanError};
pub use resume::ResumeError;
pub use schedule::{RecordError, Schedule};
