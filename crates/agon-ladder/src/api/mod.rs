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
//! - Failures are [`Problem`]s with the media type [`PROBLEM_TYPE`].
//! - A token is sent as `Authorization: Bearer agon_…`. Where none is needed, one with the scope
//!   `read` shows more, such as evidence of own faults.
//! - POST requests that make something take the header `Idempotency-Key`.
//!
//! `docs/api.md` lists the routes, with what a hand-in may be.

mod arena;
mod bot;
mod matches;
mod person;
mod problem;
mod time;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{arena::*, bot::*, matches::*, person::*, problem::*, time::*};

/// Where the API is on a server.
pub const BASE: &str = "/api/v1";

/// What each token begins with.
pub const TOKEN_PREFIX: &str = "agon_";

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "List_of_{T}")]
pub struct List<T> {
    /// The items, in the order that the route documents.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last one.
    pub next: Option<String>,
}
