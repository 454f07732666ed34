//! Arenas, and what organisers do with them.

use agon_kits::Kit;
use agon_ladder_api::{
    Arena, ArenaSummary, Language, Limits, List, PublishedTable, Quota, Season, Setting, Sources,
};

use super::{
    call::{ArenaPath, Call, NoPath},
    convert::{self, at},
    reply::Json,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    http::{arena_form::set_season, entry, reply::Shown, views, visitor::Visitor},
    keeper,
    store::{
        arenas::{ArenaSettings, Sources as StoredSources},
        now,
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
        languages: entry::kits(arena).into_iter().map(language).collect(),
        bosses: bosses.map(|bot| convert::bot_ref(&views::bot_ref(&board, bot))).collect(),
        sources: match settings.sources {
            StoredSources::Secret => Sources::Secret,
            StoredSources::After => Sources::After,
            StoredSources::Open => Sources::Open,
        },
        quota: quota(app, arena, visitor).await?,
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
    Ok(Some(Quota {
        left: quota.left,
        per_day: quota.per_day,
        closed: entry::closed(arena, own.as_ref(), now()),
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
