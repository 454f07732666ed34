//! View models: plain data from which the pages are written.
//!
//! Texts may be foreign: pages escape them. Numbers of matches, versions and seats are what
//! addresses contain. All structs have a `Default`, so that a server can leave out what it lacks.
//! What the JSON API has in the same form is the API's own type.

mod account;
mod admin;
mod arena;
mod arena_form;
mod bot;
mod bot_page;
mod context;
mod front;
mod hand_in;
mod leaderboard;
mod matches;
mod matrix;
mod paging;
mod rules;
mod time;
mod trial;
mod version;

pub use account::{Account, Join, Person, PersonBot, Reset, Session, SignIn, Token};
pub use admin::{
    AdminArena, AdminArenas, AdminPeople, AdminPerson, AuditEntry, AuditLog, ErasePerson,
    ErrorLine, Invitation, Overview, PersonResult, QueueLine, ResetLink, Upload,
};
pub use agon_ladder::api::{
    BotRef, Examination, ExaminationStatus, Milestone, Opponent, Phase, Rating, Stage, StageState,
    Tally,
};
pub use arena::{ArenaHead, Deadline};
pub use arena_form::{
    ArenaForm, ArenaValues, Choice, Extension, FieldError, GameChoice, Lopsided, RankedBy, Sources,
};
pub use bot::{BotState, FaultCount, Log, VersionState};
pub use bot_page::{BotPage, Comparison, Cost, HistoryPoint, OwnBot, VersionRow};
pub use context::{Context, Notice, NoticeKind, Role, Viewer};
pub use front::{ArenaCard, Front};
pub use hand_in::{HandIn, LanguageChoice, Quota, ShellStep};
pub use leaderboard::{Absentee, Leaderboard, LeaderboardRow, LeaderboardTab};
pub use matches::{
    Fault, MatchFilter, MatchLink, MatchPage, MatchRow, MatchSeat, MatchState, Matches,
    ReplayState, Seat,
};
pub use matrix::Matrix;
pub use paging::Paging;
pub use rules::{ArenaLink, Final, FinalOf, FinalState, GameRules, Kit, Language, Rules, Setting};
pub use time::{Time, ZonedTime};
pub use trial::{Trial, TrialState};
pub use version::{SourceFile, VersionPage};
