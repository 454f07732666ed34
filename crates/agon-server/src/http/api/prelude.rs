//! What most handlers use: requests, replies, and what pages use.

pub(super) use agon_ladder::api::List;
pub(super) use schemars::JsonSchema;

pub(super) use super::call::{
    ArenaPath, BotPath, Call, Created, Json, JsonBody, MatchPath, NoPath, PageQuery, PersonPath,
    Posted, cut, limit, place, reason, usual, wrong,
};
pub(super) use crate::http::prelude::*;
