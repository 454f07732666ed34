//! Bots, and what their authors and organisers do with them.

use agon_ladder::api::{
    ActivateRequest, Bot, BotSummary, CompareRequest, Comparison, List, RatingPoint, ReasonRequest,
    RenameRequest,
};

use super::{
    body::{JsonBody, OptionalBody},
    call::{ArenaPath, BotPath, Call, NoQuery, PageQuery, limit, reason},
    cursor::{cut, place},
    failures::unusable,
    reply::{Created, Json},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::BoardBot,
    http::{
        bot::{self, comparison, whole},
        bot_changes::{self, Stop, bot_name, changeable},
        reply::Shown,
        views,
        visitor::Visitor,
    },
};

/// A bot with `{}` as its body.
type Change<B> = Call<BotPath, NoQuery, B>;

pub(super) async fn list(call: Call<ArenaPath, PageQuery>) -> Shown<Json<List<BotSummary>>> {
    let Call { app, caller, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let board = views::arena(&app, &path.arena)?.board();
    let last = place("bots", &query.cursor, |text| {
        let (created, id) = text.split_once('.')?;
        Some((created.parse::<i64>().ok()?, id.parse::<i64>().ok()?))
    })?;
    let key = |bot: &BoardBot| (bot.bot.created, bot.bot.id);
    let mut bots: Vec<&BoardBot> =
        board.bots.values().filter(|bot| last.is_none_or(|last| key(bot) > last)).collect();
    bots.sort_unstable_by_key(|bot| key(bot));
    let next = cut("bots", &mut bots, limit, |bot| {
        let (created, id) = key(bot);
        format!("{created}.{id}")
    });
    let summary = |bot: &&BoardBot| {
        let active = bot.bot.active.and_then(|id| board.versions.get(&id));
        views::bot_summary(&board, bot, active, &caller.visitor)
    };
    Ok(Json(List { items: bots.iter().map(summary).collect(), next }))
}

pub(super) async fn get(call: Call<BotPath>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    reply(&app, &arena, &path.bot, &caller.visitor).await
}

/// Returns all about a bot, as it is stored now.
async fn reply(app: &App, arena: &ArenaHandle, slug: &str, visitor: &Visitor) -> Shown<Json<Bot>> {
    Ok(Json(whole(app, arena, slug, visitor).await?.bot))
}

pub(super) async fn ratings(call: Call<BotPath>) -> Shown<Json<List<RatingPoint>>> {
    let Call { app, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let stored = views::stored(&app, &arena, &path.bot).await?;
    let versions = app.store.versions(stored.id).await?;
    Ok(Json(List { items: bot::ratings(&app, &versions).await?, next: None }))
}

pub(super) async fn comparisons(call: Call<BotPath>) -> Shown<Json<List<Comparison>>> {
    let Call { app, caller, path, .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    let items = app.comparisons().of(own.bot.id).iter().map(comparison).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn compare(call: Change<JsonBody<CompareRequest>>) -> Shown<Created<Comparison>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    let body = comparison(&bot_changes::compare(&app, &own, body.a, body.b).await?);
    Ok(Created { body, location: None })
}

pub(super) async fn activate(call: Change<JsonBody<ActivateRequest>>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    bot_changes::activate(&app, &own, body.version).await?;
    reply(&app, &own.arena, &path.bot, &caller.visitor).await
}

pub(super) async fn rename(call: Change<JsonBody<RenameRequest>>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    bot_name(&body.name).map_err(unusable)?;
    bot_changes::rename(&app, &own, &body.name).await?;
    reply(&app, &own.arena, &path.bot, &caller.visitor).await
}

pub(super) async fn pause(call: Change<OptionalBody<ReasonRequest>>) -> Shown<Json<Bot>> {
    stop(call, Stop::Pause).await
}

pub(super) async fn resume(call: Change<OptionalBody<ReasonRequest>>) -> Shown<Json<Bot>> {
    stop(call, Stop::Resume).await
}

pub(super) async fn disqualify(call: Change<OptionalBody<ReasonRequest>>) -> Shown<Json<Bot>> {
    stop(call, Stop::Disqualify).await
}

pub(super) async fn reinstate(call: Change<OptionalBody<ReasonRequest>>) -> Shown<Json<Bot>> {
    stop(call, Stop::Reinstate).await
}

async fn stop(call: Change<OptionalBody<ReasonRequest>>, stop: Stop) -> Shown<Json<Bot>> {
    let Call { app, caller, path, body: OptionalBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    bot_changes::stop(&app, &own, stop, reason(&body)?).await?;
    reply(&app, &own.arena, &path.bot, &caller.visitor).await
}
