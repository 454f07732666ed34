//! What a tournament is, without the playing: its plan, its format, the schedule that follows, and
//! what is kept.
//!
//! | module | noun |
//! | --- | --- |
//! | [`pairing`] | [`Entrant`], [`Pairing`], [`Match`]: who meets whom, on which seeds, in which seats |
//! | [`history`] | [`History`], [`Outcome`]: what has been played |
//! | [`mod@format`] | round robin, gauntlet, Swiss, eliminations, groups, ladder: who meets whom next, and who stands where |
//! | [`plan`] | [`Plan`]: the TOML file; [`SavedPlan`]: a plan beside its journal |
//! | [`schedule`] | [`Schedule`]: what is to be played now |
//! | [`key`] | [`MatchKey`]: what a result depends on |
//! | [`resume`] | a schedule after the results of a journal |
//! | [`journal`] | [`Journal`]: results on the disk, whatever happens |
//! | [`database`] | [`Database`]: the same for SQL, derived from the journal, written by a program of its own |
//!
//! The schedule is a pure function of the plan and of the results so far: nothing depends on the
//! order in which matches finish, nor on when somebody pulled the plug. Each match has an id
//! ([`MatchId`]) that says where in the tournament it stands, and its seed follows from the
//! tournament's seed and that id.

pub mod database;
pub mod format;
pub mod history;
pub mod journal;
pub mod key;
pub mod pairing;
pub mod plan;
pub mod resume;
pub mod schedule;

pub use database::{Database, DatabaseError};
pub use history::{History, Outcome, Played};
pub use journal::{Journal, JournalError, Record};
pub use key::MatchKey;
pub use pairing::{Entrant, Games, Match, MatchId, Pairing, PairingId};
pub use plan::{Plan, PlanBot, PlanError, SavedPlan, SavedPlanError};
pub use resume::ResumeError;
pub use schedule::{RecordError, Schedule};
