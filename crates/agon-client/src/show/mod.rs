//! Facts of the API in words and in tables. All foreign text in them is escaped.

mod bot;
mod matches;
mod report;
mod rows;

pub(crate) use bot::{bot_name, elo, rank, state, tally};
pub(crate) use matches::{matches, state_of_match};
pub(crate) use report::{indented, report};
pub(crate) use rows::{print_json, right};
