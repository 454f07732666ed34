//! What most handlers use: requests, replies, and what pages use.

pub(super) use agon_ladder::api::{List, ProblemCode};
pub(super) use schemars::JsonSchema;

pub(super) use super::call::{
    ArenaPath, BotPath, Call, JsonBody, MatchPath, NoPath, NoQuery, PageQuery, PersonPath, cut,
    limit, place, reason, unusable, usual, wrong,
};
pub(super) use super::gate::Caller;
pub(super) use super::reply::{Created, Json};
pub(super) use crate::http::prelude::*;
