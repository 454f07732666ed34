//! Arenas with their tables and results of pairs, and what organisers do with them.

use agon_ladder::api::{
    Arena, ArenaSummary, Extension, ExtensionRequest, HeadToHead, Leaderboard, LeaderboardRow,
    LopsidedPair, Matrix, NonceRequest, PublishedTable, TableKind,
};

use super::prelude::*;
use crate::http::{arena, arena_form, finals, matches::ALL};
use crate::ranking::{Place, Ranked};
use crate::store::match_filter::{Against, MatchFilter};
use crate::{
    arenas, http::rules::arena_of, store::arenas::Extension as StoredExtension,
    store::versions::Brief,
};

pub(super) async fn list(call: Call<NoPath>) -> Shown<Json<List<ArenaSummary>>> {
    let visitor = &call.visitor;
    let arenas = call.app.arenas();
    let summary = |arena: &ArenaHandle| views::head(arena, &arena.board(), visitor).arena;
    Ok(Json(List { items: arenas.iter().map(summary).collect(), next: None }))
}

pub(super) async fn get(call: Call<ArenaPath>) -> Shown<Json<Arena>> {
    let arena = views::arena(&call.app, &call.path.arena)?;
    Ok(Json(arena_of(&call.app, &arena, &call.visitor).await?))
}

/// Pauses or resumes matches.
pub(super) async fn set_season(call: Call<ArenaPath>, action: &str) -> Shown<Json<Arena>> {
    let Call { app, visitor, path, .. } = call;
    let arena = arena_form::set_season(&app, &visitor, &path.arena, action).await?;
    Ok(Json(arena_of(&app, &arena, &visitor).await?))
}

pub(super) async fn extensions(call: Call<ArenaPath>) -> Shown<Json<List<Extension>>> {
    let Call { app, visitor, path, .. } = call;
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    extensions_of(&app, &arena).await
}

async fn extensions_of(app: &App, arena: &ArenaHandle) -> Shown<Json<List<Extension>>> {
    let all = app.store.extensions(arena.id()).await?;
    let extension = |one: StoredExtension| Extension { name: one.name, until: time(one.until) };
    Ok(Json(List { items: all.into_iter().map(extension).collect(), next: None }))
}

pub(super) async fn extend(
    call: Posted<ArenaPath, ExtensionRequest>,
) -> Shown<Json<List<Extension>>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    let seconds = body.until.map(|until| i64::try_from(until).unwrap_or(i64::MAX));
    let until = seconds.map(|seconds| seconds.saturating_mul(1_000));
    arena_form::set_extension(&app, &visitor, &arena, &body.name, until).await?;
    extensions_of(&app, &arena).await
}

pub(super) async fn reveal_nonce(call: Posted<ArenaPath, NonceRequest>) -> Shown<Json<Arena>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &path.arena)?;
    finals::reveal(&app, &arena, person, &body.nonce).await?;
    Ok(Json(arena_of(&app, &arena, &visitor).await?))
}

pub(super) async fn publish(call: Call<ArenaPath>) -> Shown<Json<PublishedTable>> {
    let Call { app, visitor, path, .. } = call;
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    arenas::publish_once(&app, &arena).await?;
    let published = app.store.published_when(arena.id()).await?;
    Ok(Json(PublishedTable {
        matches: published.map_or(0, |(matches, _)| matches),
        as_of: published.map(|(_, made)| time(made)),
    }))
}

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

pub(super) async fn leaderboard(call: Call<ArenaPath, TableQuery>) -> Shown<Json<Leaderboard>> {
    let Call { app, visitor, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let arena = views::arena(&app, &path.arena)?;
    let board = arena.board();
    let published = board.published.as_ref().map(|(made, _)| time(*made));
    let (list, as_of) = match query.table {
        TableKind::Live => ("live", Some(time(board.made))),
        TableKind::Published => ("published", published),
    };
    // The place of the last row: ratings move, but a place in their order stays.
    let last = place(list, &query.cursor, |text| text.parse::<Place>().ok())?;
    let all = table(&board, query.table);
    let is_after = |row: &&Ranked| last.is_none_or(|last| last.cmp(&row.place).is_lt());
    let mut rows: Vec<&Ranked> = all.iter().filter(is_after).take(limit + 1).collect();
    let next = cut(list, &mut rows, limit, |row| row.place.to_string());
    let items = rows.iter().filter_map(|row| views::row(&board, row, &visitor));
    Ok(Json(Leaderboard {
        table: query.table,
        ranks: arena.settings().ranks(),
        as_of,
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
    let Call { app, visitor, path, .. } = call;
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    let items = arena::lopsided_pairs(&app.store, &arena).await?;
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
    let pairs = app.store.pairs_among(a_version.id, &[b_version.id]).await?;
    let filter = MatchFilter {
        versions: Some(vec![a_version.id]),
        against: Some(Against::Version(b_version.id)),
        ..MatchFilter::default()
    };
    let matches = app.store.matches(arena.id(), &filter, ALL, LATEST).await?;
    Ok(Json(HeadToHead {
        a: views::named(a, Some(a_version.number)),
        b: views::named(b, Some(b_version.number)),
        tally: pairs[0].unwrap_or_default().into(),
        matches: matches.iter().map(|seated| views::match_summary(&board, seated)).collect(),
    }))
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
