//! Tables of an arena, and results of pairs.

use agon_ladder::api::{
    HeadToHead, Leaderboard, LeaderboardRow, List, LopsidedPair, Matrix, Role, TableKind, Time,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    call::{ArenaPath, Call, limit, usual},
    cursor::{cut, place},
    matches::ALL,
    reply::Json,
};
use crate::{
    arena_handle::ArenaHandle,
    board::{Board, BoardBot},
    http::{
        arena, lopsided,
        parts::time::time,
        reply::{Shown, not_found},
        views,
        visitor::Visitor,
    },
    ranking::{Place, Ranked},
    store::{
        match_filter::{Against, MatchFilter},
        versions::Brief,
    },
};

/// Matches in a head-to-head.
const LATEST: u32 = 20;

/// Which page of which table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TableQuery {
    /// Which table.
    #[serde(default)]
    table: TableKind,
    /// The `next` of the page before.
    #[serde(default)]
    cursor: String,
    /// How many rows the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

/// Returns the rows of a table, the best one first.
fn table(board: &Board, table: TableKind) -> &[Ranked] {
    match table {
        TableKind::Live => &board.playing,
        TableKind::Published => &board.listed,
    }
}

/// Returns all rows of a table, the best one first.
pub(super) fn rows(board: &Board, kind: TableKind, visitor: &Visitor) -> Vec<LeaderboardRow> {
    table(board, kind).iter().filter_map(|ranked| views::row(board, ranked, visitor)).collect()
}

/// Returns when a table was computed.
fn as_of(board: &Board, table: TableKind) -> Option<Time> {
    match table {
        TableKind::Live => Some(time(board.made)),
        TableKind::Published => board.published.as_ref().map(|(made, _)| time(*made)),
    }
}

pub(super) async fn leaderboard(call: Call<ArenaPath, TableQuery>) -> Shown<Json<Leaderboard>> {
    let Call { app, caller, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let arena = views::arena(&app, &path.arena)?;
    let board = arena.board();
    let list = match query.table {
        TableKind::Live => "live",
        TableKind::Published => "published",
    };
    // The place of the last row: ratings move, but a place in their order stays.
    let last = place(list, &query.cursor, |text| text.parse::<Place>().ok())?;
    let all = table(&board, query.table);
    let is_after = |row: &&Ranked| last.is_none_or(|last| last.cmp(&row.place).is_lt());
    let mut rows: Vec<&Ranked> = all.iter().filter(is_after).take(limit + 1).collect();
    let next = cut(list, &mut rows, limit, |row| row.place.to_string());
    let items = rows.iter().filter_map(|row| views::row(&board, row, &caller.visitor));
    Ok(Json(Leaderboard {
        table: query.table,
        ranks: arena.settings().ranks(),
        as_of: as_of(&board, query.table),
        total: all.len() as u64,
        items: items.collect(),
        next,
    }))
}

pub(super) async fn matrix(call: Call<ArenaPath>) -> Shown<Json<Matrix>> {
    let board = views::arena(&call.app, &call.path.arena)?.board();
    Ok(Json(arena::matrix_of(&call.app, &board).await?))
}

pub(super) async fn lopsided(call: Call<ArenaPath>) -> Shown<Json<List<LopsidedPair>>> {
    let Call { app, caller, path, .. } = call;
    caller.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    let items = lopsided::pairs(&app.store, &arena).await?;
    Ok(Json(List { items, next: None }))
}

/// Two bots, with their active versions unless others are named.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PairQuery {
    /// The name of the first bot in addresses.
    a: String,
    /// The name of the second bot in addresses.
    b: String,
    /// A version of the first bot, instead of the one that plays.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    a_version: Option<u32>,
    /// A version of the second bot, instead of the one that plays.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    b_version: Option<u32>,
}

pub(super) async fn head_to_head(call: Call<ArenaPath, PairQuery>) -> Shown<Json<HeadToHead>> {
    let Call { app, path, query, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let board = arena.board();
    let (a, a_version) = find(&board, &query.a, query.a_version)?;
    let (b, b_version) = find(&board, &query.b, query.b_version)?;
    let pair = app.store.pair(a_version.id, b_version.id).await?;
    let filter = MatchFilter {
        version: Some(a_version.id),
        against: Some(Against::Version(b_version.id)),
        ..MatchFilter::default()
    };
    let numbers = app.store.match_numbers(arena.id(), filter, ALL, LATEST).await?;
    Ok(Json(HeadToHead {
        a: views::named(a, Some(a_version.number)),
        b: views::named(b, Some(b_version.number)),
        tally: pair.unwrap_or_default().into(),
        matches: summaries(&app, &arena, &board, &numbers).await?,
    }))
}

async fn summaries(
    app: &crate::app::App,
    arena: &ArenaHandle,
    board: &Board,
    numbers: &[u64],
) -> Shown<Vec<agon_ladder::api::MatchSummary>> {
    let matches = app.store.seated_matches(arena.id(), numbers).await?;
    Ok(matches.iter().map(|seated| views::match_summary(board, seated)).collect())
}

/// Finds a version of a bot on the board.
fn find<'a>(board: &'a Board, slug: &str, number: Option<u32>) -> Shown<(&'a BoardBot, &'a Brief)> {
    let bot = views::bot(board, slug)?;
    let version = match number {
        None => bot.bot.active.and_then(|id| board.versions.get(&id)),
        Some(number) => board
            .versions
            .values()
            .find(|version| version.bot == bot.bot.id && version.number == number),
    };
    Ok((bot, version.ok_or_else(|| not_found("version that can play"))?))
}
