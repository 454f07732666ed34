//! The requests and replies of the ladder server's JSON API, below `/api/v1`.
//!
//! Server and clients use the same types. `docs/api.md` explains the API, and
//! `GET /api/v1/openapi.json` describes it for programs.
//!
//! - Names are in snake_case. Times are RFC 3339 texts in UTC, such as `2026-11-26T14:05:00Z`. Ids
//!   are whole numbers of at most 53 bits. Seeds are texts, because they have 64 bits.
//! - Replies may get more fields. Requests with unknown fields are refused.
//! - Lists are pages with `items` and `next`. `?cursor=` takes the value of `next`, `?limit=` the
//!   number of items (1 to 200; 50 if it is missing).
//! - Failures are [`Problem`]s with the media type [`PROBLEM_TYPE`]. Each route can fail with 400,
//!   401 (the token is not valid), 404, 429 and 503; the table has the others.
//! - A token is sent as `Authorization: Bearer agon_…`. `-` in the column scope: no token is
//!   needed, but a token with the scope `read` shows more, such as evidence of own faults.
//! - POST requests that make something take the header `Idempotency-Key`.
//!
//! | method | path below `/api/v1` | request | reply | scope | errors |
//! | --- | --- | --- | --- | --- | --- |
//! | GET | `/` | | [`Server`] | - | |
//! | GET | `/openapi.json` | | OpenAPI 3.1 | - | |
//! | GET | `/problems` | | [`List`] of [`ProblemMeaning`] | - | |
//! | GET | `/me` | | [`Me`] | read | |
//! | POST | `/tokens` | [`TokenRequest`] | 201 [`NewToken`] | - | 401, 409, 422 |
//! | GET | `/tokens` | | [`List`] of [`Token`] | read | |
//! | DELETE | `/tokens/{id}` | | 204 | submit; none for the token itself | |
//! | GET | `/arenas` | | [`List`] of [`ArenaSummary`] | - | |
//! | GET | `/arenas/{arena}` | | [`Arena`] | - | |
//! | GET | `…/leaderboard?table=` | | [`Leaderboard`] | - | |
//! | GET | `…/bots` | | [`List`] of [`BotSummary`], the oldest first | - | |
//! | GET | `…/bots/{bot}` | | [`Bot`] | - | |
//! | GET | `…/bots/{bot}/versions` | | [`List`] of [`VersionSummary`], the latest first | - | |
//! | GET | `…/bots/{bot}/versions/{number}` | | [`Version`] | - | |
//! | GET | `…/bots/{bot}/versions/{number}/source` | | a tar archive | - | 403 |
//! | GET | `…/bots/{bot}/ratings` | | [`List`] of [`RatingPoint`], the oldest first | - | |
//! | GET | `…/bots/{bot}/comparisons` | | [`List`] of [`Comparison`], the latest first | read | 403 |
//! | GET | `…/matches?bot=&version=` | | [`List`] of [`MatchSummary`], the latest first | - | |
//! | GET | `…/matches/{number}` | | [`Match`] | - | |
//! | GET | `…/matches/{number}/replay` | | a replay file | - | |
//! | GET | `…/matches/{number}/logs` | | [`List`] of [`MatchLog`] | read | |
//! | GET | `…/head-to-head?a=&b=` | | [`HeadToHead`] | - | |
//! | GET | `…/matrix` | | [`Matrix`] | - | |
//! | GET | `…/events` | | events [`TableEvent`], [`MatchEvent`], [`VersionEvent`] | - | |
//! | GET | `…/export?what=&format=` | | CSV, JSON Lines or SQLite | - | |
//! | POST | `…/versions?name=&message=` | an archive, or a form | 201 [`Version`] | submit | 403, 408, 409, 413, 415, 422, 507 |
//! | POST | `…/nonce` | [`NonceRequest`] | [`Arena`] | submit | 403, 409, 422 |
//! | POST | `…/bots/{bot}/activate` | [`ActivateRequest`] | [`Bot`] | submit | 403, 409, 422 |
//! | POST | `…/bots/{bot}/pause` | [`ReasonRequest`] | [`Bot`] | submit | 403, 422 |
//! | POST | `…/bots/{bot}/resume` | | [`Bot`] | submit | 403 |
//! | POST | `…/bots/{bot}/rename` | [`RenameRequest`] | [`Bot`] | submit | 403, 422 |
//! | POST | `…/bots/{bot}/compare` | [`CompareRequest`] | 201 [`Comparison`] | submit | 403, 409, 422 |
//! | POST | `…/bots/{bot}/disqualify` | [`ReasonRequest`] | [`Bot`] | manage | 403, 422 |
//! | POST | `…/bots/{bot}/reinstate` | | [`Bot`] | manage | 403 |
//! | GET | `…/extensions` | | list of [`Extension`] | manage | 403 |
//! | POST | `…/extensions` | [`ExtensionRequest`] | list of [`Extension`] | manage | 403, 409, 422 |
//! | POST | `…/matches/{number}/annul` | [`ReasonRequest`] | [`Match`] | manage | 403, 409, 422 |
//! | POST | `…/matches/{number}/restore` | | [`Match`] | manage | 403, 409 |
//! | POST | `…/matches/{number}/check` | | [`MatchCheck`] | manage | 403 |
//! | POST | `…/pause` | | [`Arena`] | manage | 403 |
//! | POST | `…/resume` | | [`Arena`] | manage | 403 |
//! | POST | `…/publish` | | [`PublishedTable`] | manage | 403 |
//! | GET | `/people/{name}` | | [`Person`] | - | |
//! | GET | `/admin/overview` | | [`Overview`] | manage | 403 |
//! | GET | `/admin/people?q=` | | [`List`] of [`AdminPerson`], by name | manage | 403 |
//! | GET | `/admin/log` | | [`List`] of [`AuditEntry`], the latest first | manage | 403 |
//! | POST | `/admin/people/{name}/role` | [`RoleRequest`] | [`AdminPerson`] | manage | 403, 409, 422 |
//! | POST | `/admin/people/{name}/disable` | | [`AdminPerson`] | manage | 403, 409 |
//! | POST | `/admin/people/{name}/enable` | | [`AdminPerson`] | manage | 403 |
//! | POST | `/admin/people/{name}/erase` | [`EraseRequest`] | [`Erased`] | manage | 403, 409, 422 |
//! | POST | `/admin/people/{name}/reset-link` | | 201 [`ResetLink`] | manage | 403 |
//! | POST | `/admin/invitations` | [`InvitationRequest`] | 201 [`Invitation`] | manage | 403, 422 |
//!
//! `…` stands for `/arenas/{arena}`.
//!
//! A hand-in is an archive (zip, tar or tar.gz) as `application/zip`, `application/x-tar`,
//! `application/gzip` or `application/octet-stream`, with the bot's name and a message as `?name=`
//! and `?message=`. Or it is `multipart/form-data` with one archive or several files as `files`,
//! and the fields `name` and `message`. The name counts for a first version only. `Location` has
//! the path of the version. If an earlier version has the same files, it is that one.

mod admin;
mod arena;
mod bot;
mod event;
mod list;
mod matches;
mod person;
mod problem;
mod server;
mod table;
mod time;
mod token;
mod version;

pub use admin::{
    AdminPerson, AuditEntry, Disk, EraseRequest, Erased, Invitation, InvitationRequest, Overview,
    Queue, ResetLink, RoleRequest, ServerProblem, Slots,
};
pub use arena::{
    Arena, ArenaSummary, Extension, ExtensionRequest, Final, FinalState, Language, Limits,
    NonceRequest, Phase, Quota, Season, Setting, Sources,
};
pub use bot::{
    ActivateRequest, Bot, BotCost, BotRef, BotState, BotSummary, CompareRequest, Comparison,
    FaultCount, Milestone, Opponent, Rating, RatingPoint, ReasonRequest, RenameRequest, Tally,
};
pub use event::{ExportedMatch, ExportedSeat, MatchEvent, TableEvent, VersionEvent};
pub use list::List;
pub use matches::{
    Fault, Machine, Match, MatchCheck, MatchLog, MatchState, MatchSummary, Seat, SeatCost,
    SeatSummary,
};
pub use person::{Person, PersonBot, Role};
pub use problem::{PROBLEM_TYPE, Problem, ProblemCode, ProblemMeaning};
pub use server::{Me, Server, ServerLinks};
pub use table::{
    HeadToHead, Leaderboard, LeaderboardRow, LopsidedPair, Matrix, PublishedTable, RankRange,
    RankedBy, Ranks, TableKind,
};
pub use time::{Time, ZonedTime};
pub use token::{NewToken, Scope, Token, TokenRequest};
pub use version::{
    Examination, ExaminationStatus, Report, Stage, StageState, Version, VersionState,
    VersionSummary,
};

/// Where the API is on a server.
pub const BASE: &str = "/api/v1";

/// What each token begins with.
pub const TOKEN_PREFIX: &str = "agon_";
