//! What most modules of pages and handlers use: who asks, replies, parts of pages, what is shown.

pub(super) use agon_console::kits::Kit;
pub(super) use agon_games::GameId;
pub(super) use agon_ladder::api::ProblemCode::{
    self, Conflict, Forbidden, RateLimited, Unauthorized, Unavailable, Unprocessable,
};
pub(super) use agon_ladder::api::Role;
pub(super) use axum::http::{StatusCode, header};
pub(super) use axum::response::{IntoResponse, Response};
pub(super) use maud::{Markup, html};
pub(super) use serde::Deserialize;

pub(super) use super::form::{Fields, Get, Post, Upload, one_line};
pub(super) use super::parts::form::Field;
pub(super) use super::parts::layout::{Head, Tab, admin_page, arena_page};
pub(super) use super::parts::lists::{TALLY, log, section, table, viewer, wide_table};
pub(super) use super::parts::values::{
    ago, as_sentence, bytes, counted, grouped, left, rating, sentence, tally, time, utc, zoned,
};
pub(super) use super::parts::{badge, form, layout, link, lists, names};
pub(super) use super::reply::{
    BYTES, Failure, Page, Shown, again, attachment, blocking, failure, not_found, to, unusable,
    without_reason,
};
pub(super) use super::{views, visitor::Visitor};
pub(super) use crate::board::{Board, BoardBot};
pub(super) use crate::database::{DatabaseError, Statement};
pub(super) use crate::store::arenas::{Arena, ArenaSettings, Arrival};
pub(super) use crate::store::bots::{Stopped, StoppedBy};
pub(super) use crate::store::{audit, fresh_id, now};
pub(super) use crate::{
    app::App, arena_handle::ArenaHandle, play::Order, store::matches::SeatedMatch,
    store::people::Person,
};
