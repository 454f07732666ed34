//! What a handler gets: path, query and body, already read.

use agon_ladder::api::ReasonRequest;
use axum::{
    extract::{FromRequestParts, Path, Query},
    http::{Uri, request::Parts},
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    body::NoBody,
    caller::Caller,
    failures::{unusable, wrong},
    idempotency::Key,
};
use crate::{app::App, http::reply::Shown};

/// A request as its handler gets it.
pub(super) struct Call<P, Q = NoQuery, B = NoBody> {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) body: B,
    /// The `Idempotency-Key`, if the route takes one and it was sent.
    pub(super) key: Option<Key>,
}

/// No parameters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

/// No parts of the path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NoPath {}

/// An arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ArenaPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
}

/// A bot of an arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BotPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The name of the bot in addresses.
    pub(super) bot: String,
}

/// A version of a bot.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VersionPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The name of the bot in addresses.
    pub(super) bot: String,
    /// The number of the version.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    pub(super) number: u32,
}

/// A match of an arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MatchPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The number of the match.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub(super) number: u64,
}

/// A person.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PersonPath {
    /// The person's name, in any case.
    pub(super) name: String,
}

/// A token.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TokenPath {
    /// The id of the token.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub(super) id: u64,
}

/// A page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    /// The `next` of the page before.
    #[serde(default)]
    pub(super) cursor: String,
    /// How many items the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: u32,
}

/// Returns how many items a page has unless somebody says it.
pub(super) fn usual() -> u32 {
    50
}

/// Checks the number of items of a page.
pub(super) fn limit(limit: u32) -> Shown<usize> {
    match limit {
        1..=200 => Ok(limit as usize),
        _ => Err(wrong("`limit` is a number from 1 to 200.")),
    }
}

/// Checks the length of a reason.
pub(super) fn reason(request: &ReasonRequest) -> Shown<&str> {
    if request.reason.chars().count() > 500 {
        return Err(unusable("A reason has at most 500 characters."));
    }
    Ok(&request.reason)
}

/// Reads the parts of a path.
pub(super) async fn read_path<P: DeserializeOwned + Send>(
    parts: &mut Parts,
    app: &App,
) -> Shown<P> {
    match Path::<P>::from_request_parts(parts, app).await {
        Ok(Path(path)) => Ok(path),
        Err(rejection) => Err(wrong(sentence("The path", &rejection.body_text()))),
    }
}

/// Reads the parameters of a request.
pub(super) fn read_query<Q: DeserializeOwned>(uri: &Uri) -> Shown<Q> {
    match Query::<Q>::try_from_uri(uri) {
        Ok(Query(query)) => Ok(query),
        Err(rejection) => Err(wrong(sentence("The query", &rejection.body_text()))),
    }
}

fn sentence(what: &str, why: &str) -> String {
    format!("{what} is wrong: {}.", agon_core::text::escape(agon_core::text::name::cut(why, 500)))
}
