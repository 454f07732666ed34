//! Arenas, and what organisers do with them.

use agon_kits::Kit;
use agon_ladder::api::{
    Arena, ArenaSummary, Extension, ExtensionRequest, Language, Limits, List, NonceRequest,
    PublishedTable, Quota, Season, Setting, Sources,
};
use agon_match::spec::SandboxLevel;

use super::{
    body::JsonBody,
    call::{ArenaPath, Call, NoPath, NoQuery},
    convert::{self, at},
    reply::Json,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    http::{
        arena_form::set_season, closed, entry, extensions::set as set_extension, finals,
        reply::Shown, views, visitor::Visitor,
    },
    keeper,
    store::{
        arenas::{ArenaSettings, Arrival, Sources as StoredSources},
        extensions::Extension as StoredExtension,
        people::Role,
    },
};

pub(super) async fn list(call: Call<NoPath>) -> Shown<Json<List<ArenaSummary>>> {
    let visitor = &call.caller.visitor;
    let arenas = call.app.arenas();
    let items = arenas.iter().map(|arena| convert::arena_summary(arena, visitor)).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn get(call: Call<ArenaPath>) -> Shown<Json<Arena>> {
    let arena = views::arena(&call.app, &call.path.arena)?;
    Ok(Json(arena_of(&call.app, &arena, &call.caller.visitor).await?))
}

async fn arena_of(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> Shown<Arena> {
    let of = arena.get();
    let settings = &of.settings;
    let board = arena.board();
    let bosses = board.bots.values().filter(|bot| bot.bot.owner.is_none());
    let season = &settings.season;
    let game = settings.game;
    let language = |kit: Kit| Language {
        id: kit.id.to_owned(),
        build: kit.manifest.in_game(game).build,
        name: kit.manifest.language,
    };
    Ok(Arena {
        summary: convert::arena_summary(arena, visitor),
        about: settings.about.clone(),
        game_summary: game.meta().summary.to_owned(),
        rules_version: settings.rules_version,
        preset: settings.preset.clone(),
        settings: rules(settings),
        players: settings.players as u32,
        limits: limits(settings),
        season: Season {
            begin: season.begin.map(at),
            deadline: season.deadline.map(at),
            freeze: season.freeze.map(at),
            paused: season.is_paused,
        },
        languages: entry::kits(app, arena).into_iter().map(language).collect(),
        bosses: bosses.map(|bot| views::bot_ref(&board, bot)).collect(),
        sources: match settings.sources {
            StoredSources::Secret => Sources::Secret,
            StoredSources::After => Sources::After,
            StoredSources::Open => Sources::Open,
        },
        ranks: convert::ranks(settings.ranks()),
        quota: quota(app, arena, visitor).await?,
        finals: finals::of_api(app, &of).await?,
        final_of: finals::season_slug(app, &of),
        created: at(of.created),
    })
}

/// Returns the settings of the game with their meanings.
fn rules(settings: &ArenaSettings) -> Vec<Setting> {
    let meanings = views::meanings(settings.game);
    let values = settings.rules.as_object().into_iter().flatten();
    let setting = |(name, value): (&String, &serde_json::Value)| Setting {
        name: name.clone(),
        value: value.clone(),
        meaning: meanings.get(name).cloned().unwrap_or_default(),
    };
    values.map(setting).collect()
}

fn limits(settings: &ArenaSettings) -> Limits {
    Limits {
        time_ms: settings.matches.time.limit,
        strikes: settings.matches.time.strikes.map(|strikes| strikes.get().into()),
        memory_mib: settings.matches.sandbox.memory.map(Into::into),
        strict_sandbox: settings.matches.sandbox.level == SandboxLevel::Strict,
        max_turns: settings.max_turns,
        versions_per_day: settings.daily,
        bytes: agon_archive::MAX_BYTES,
        files: agon_archive::MAX_FILES as u32,
    }
}

async fn quota(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> Shown<Option<Quota>> {
    let Ok(person) = visitor.must_be(Role::Author) else { return Ok(None) };
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let quota = entry::quota(app, &arena.settings(), own.as_ref()).await?;
    let extension = app.store.extension(arena.id(), person.id).await?;
    Ok(Some(Quota {
        left: quota.left,
        per_day: quota.per_day,
        closed: closed::closed(arena, own.as_ref(), Arrival::now(), extension),
        until: extension.map(at),
    }))
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
    let extension = |one: StoredExtension| Extension { name: one.name, until: at(one.until) };
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
        as_of: published.map(|(_, made)| at(made)),
    }))
}
