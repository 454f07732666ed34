//! Arenas, and what organisers do with them.

use agon_ladder::api::{
    Arena, ArenaSummary, Extension, ExtensionRequest, List, NonceRequest, PublishedTable, Role,
};

use super::{
    body::JsonBody,
    call::{ArenaPath, Call, NoPath, NoQuery},
    reply::Json,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    http::{
        arena_form::set_season, extensions::set as set_extension, finals, parts::time::time,
        reply::Shown, rules::arena_of, views,
    },
    keeper,
    store::extensions::Extension as StoredExtension,
};

pub(super) async fn list(call: Call<NoPath>) -> Shown<Json<List<ArenaSummary>>> {
    let visitor = &call.caller.visitor;
    let arenas = call.app.arenas();
    let summary = |arena: &ArenaHandle| views::head(arena, &arena.board(), visitor).arena;
    Ok(Json(List { items: arenas.iter().map(summary).collect(), next: None }))
}

pub(super) async fn get(call: Call<ArenaPath>) -> Shown<Json<Arena>> {
    let arena = views::arena(&call.app, &call.path.arena)?;
    Ok(Json(arena_of(&call.app, &arena, &call.caller.visitor).await?))
}

pub(super) async fn pause(call: Call<ArenaPath>) -> Shown<Json<Arena>> {
    season(call, "pause").await
}

pub(super) async fn resume(call: Call<ArenaPath>) -> Shown<Json<Arena>> {
    season(call, "resume").await
}

async fn season(call: Call<ArenaPath>, action: &str) -> Shown<Json<Arena>> {
    let Call { app, caller, path, .. } = call;
    let arena = set_season(&app, &caller.visitor, &path.arena, action).await?;
    Ok(Json(arena_of(&app, &arena, &caller.visitor).await?))
}

pub(super) async fn extensions(call: Call<ArenaPath>) -> Shown<Json<List<Extension>>> {
    let Call { app, caller, path, .. } = call;
    caller.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    extensions_of(&app, &arena).await
}

async fn extensions_of(app: &App, arena: &ArenaHandle) -> Shown<Json<List<Extension>>> {
    let all = app.store.extensions(arena.id()).await?;
    let extension = |one: StoredExtension| Extension { name: one.name, until: time(one.until) };
    Ok(Json(List { items: all.into_iter().map(extension).collect(), next: None }))
}

pub(super) async fn extend(
    call: Call<ArenaPath, NoQuery, JsonBody<ExtensionRequest>>,
) -> Shown<Json<List<Extension>>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    caller.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    let seconds = body.until.map(|until| i64::try_from(until).unwrap_or(i64::MAX));
    let until = seconds.map(|seconds| seconds.saturating_mul(1_000));
    set_extension(&app, &caller.visitor, &arena, &body.name, until).await?;
    extensions_of(&app, &arena).await
}

pub(super) async fn reveal_nonce(
    call: Call<ArenaPath, NoQuery, JsonBody<NonceRequest>>,
) -> Shown<Json<Arena>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let person = caller.must_be(Role::Author)?;
    let arena = views::arena(&app, &path.arena)?;
    finals::reveal(&app, &arena, person, &body.nonce).await?;
    Ok(Json(arena_of(&app, &arena, &caller.visitor).await?))
}

pub(super) async fn publish(call: Call<ArenaPath>) -> Shown<Json<PublishedTable>> {
    let Call { app, caller, path, .. } = call;
    caller.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &path.arena)?;
    keeper::publish_once(&app, &arena).await?;
    let published = app.store.published_when(arena.id()).await?;
    Ok(Json(PublishedTable {
        matches: published.map_or(0, |(matches, _)| matches),
        as_of: published.map(|(_, made)| time(made)),
    }))
}
