//! Bots, and what their authors and organisers do with them.

use agon_ladder::api::{
    ActivateRequest, Bot, BotCost, BotSummary, CompareRequest, Comparison, FaultCount, List,
    Rating, RatingPoint, ReasonRequest, RenameRequest, Tally,
};

use super::{
    body::{JsonBody, OptionalBody},
    call::{ArenaPath, BotPath, Call, NoQuery, PageQuery, limit, reason},
    convert::{self, at},
    cursor::{cursor, place},
    failures::unusable,
    reply::{Created, Json},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::BoardBot,
    http::{
        bot::{LATEST, POINTS, comparison, costs, fault_kinds, milestones, opponents, why_not},
        bot_changes::{self, Stop, bot_name, changeable},
        reply::{Shown, not_found},
        views,
        visitor::Visitor,
    },
    play::Comparison as Asked,
    store::{bots::Bot as StoredBot, people::Role, versions::Brief},
};

/// Versions of which ratings are shown.
const RATED: usize = 20;

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
    let is_more = bots.len() > limit;
    bots.truncate(limit);
    let next = bots.last().filter(|_| is_more);
    let next = next.map(|bot| cursor("bots", &format!("{}.{}", bot.bot.created, bot.bot.id)));
    let summary = |bot: &&BoardBot| {
        let active = bot.bot.active.and_then(|id| board.versions.get(&id));
        convert::bot_summary(&board, bot, active, &caller.visitor)
    };
    Ok(Json(List { items: bots.iter().map(summary).collect(), next }))
}

pub(super) async fn get(call: Call<BotPath>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    whole(&app, &arena, &path.bot, &caller.visitor).await
}

/// Finds a bot as it is stored now.
pub(super) async fn stored(app: &App, arena: &ArenaHandle, slug: &str) -> Shown<StoredBot> {
    app.store.bot(arena.id(), slug).await?.ok_or_else(|| not_found("bot"))
}

/// Returns all about a bot, as it is stored now.
async fn whole(app: &App, arena: &ArenaHandle, slug: &str, visitor: &Visitor) -> Shown<Json<Bot>> {
    let board = arena.board();
    let bot = stored(app, arena, slug).await?;
    let bot = views::with_author(app, &board, bot).await?;
    let active = bot.bot.active;
    let versions = app.store.versions(bot.bot.id).await?;
    let brief = versions.iter().find(|version| Some(version.id) == active).map(Brief::of);
    let matches = match active {
        Some(active) => app.store.matches_of(active, 0, LATEST).await?,
        None => Vec::new(),
    };
    let may_see = visitor.is(bot.bot.owner) || visitor.role() >= Role::Organiser;
    let cost = costs(&matches, active).filter(|_| may_see).map(|cost| BotCost {
        decisions: cost.decisions,
        median_us: cost.median,
        p99_us: cost.slow,
        max_us: cost.slowest,
        memory_bytes: cost.memory,
    });
    let opponents = opponents(app, &board, active).await?;
    let kinds = fault_kinds(&matches, active).into_iter();
    Ok(Json(Bot {
        summary: convert::bot_summary(&board, &bot, brief.as_ref(), visitor),
        waiting: why_not(arena, &bot, &versions).filter(|_| may_see),
        opponents,
        milestones: milestones(&board, &bot),
        fault_kinds: kinds.map(|of| FaultCount { kind: of.kind, count: of.count }).collect(),
        cost,
    }))
}

pub(super) async fn ratings(call: Call<BotPath>) -> Shown<Json<List<RatingPoint>>> {
    let Call { app, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let bot = stored(&app, &arena, &path.bot).await?;
    let mut versions = app.store.versions(bot.id).await?;
    versions.retain(|version| version.play.matches > 0);
    versions.truncate(RATED);
    let mut items = Vec::new();
    for version in versions.iter().rev() {
        let ratings = app.store.ratings_of(version.id, version.play.matches, POINTS).await?;
        for (when, elo) in ratings {
            items.push(RatingPoint { at: at(when), version: version.number, elo });
        }
    }
    Ok(Json(List { items, next: None }))
}

fn asked(one: &Asked) -> Comparison {
    let shown = comparison(one);
    Comparison {
        id: one.id,
        a: shown.a,
        b: shown.b,
        verdict: shown.verdict,
        running: shown.running,
        tally: Tally { wins: shown.tally.wins, ties: shown.tally.ties, losses: shown.tally.losses },
        difference: shown.difference.map(|rating| Rating {
            elo: rating.elo,
            low: rating.low,
            high: rating.high,
        }),
        created: at(one.asked),
    }
}

pub(super) async fn comparisons(call: Call<BotPath>) -> Shown<Json<List<Comparison>>> {
    let Call { app, caller, path, .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    let items = app.comparisons().of(own.bot.id).iter().map(asked).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn compare(call: Change<JsonBody<CompareRequest>>) -> Shown<Created<Comparison>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    let body = asked(&bot_changes::compare(&app, &own, body.a, body.b).await?);
    Ok(Created { body, location: None })
}

pub(super) async fn activate(call: Change<JsonBody<ActivateRequest>>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    bot_changes::activate(&app, &own, body.version).await?;
    whole(&app, &own.arena, &path.bot, &caller.visitor).await
}

pub(super) async fn rename(call: Change<JsonBody<RenameRequest>>) -> Shown<Json<Bot>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &caller.visitor, &path.arena, &path.bot).await?;
    bot_name(&body.name).map_err(unusable)?;
    bot_changes::rename(&app, &own, &body.name).await?;
    whole(&app, &own.arena, &path.bot, &caller.visitor).await
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
    whole(&app, &own.arena, &path.bot, &caller.visitor).await
}
