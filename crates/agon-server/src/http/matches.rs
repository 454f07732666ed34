//! Matches: lists, and the page of one match with its replay.

use agon_ladder_pages::{
    model::{Fault, FaultCount, Log, MatchPage, MatchSeat, Matches, Paging, ReplayState},
    pages,
};
use agon_replay::{Replay, Verdict};
use axum::{
    extract::{Path, Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use super::{
    form::Fields,
    reply::{Shown, failure, html, not_found, to},
    views,
    visitor::{Visitor, time},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    play::Order,
    store::{
        audit,
        matches::{self, MatchState, SeatedMatch},
        people::Role,
    },
};

/// Matches on a page of a list.
const PAGE: u64 = 50;

#[derive(Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    #[serde(default)]
    bot: String,
    page: Option<u64>,
}

pub(super) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    Query(query): Query<ListQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let of = arena.get();
    let last = app.store.last_match(arena.id()).await?;
    let bot = match query.bot.as_str() {
        "" => None,
        slug => Some(views::bot(&board, slug)?),
    };
    let page = query.page.unwrap_or(1).clamp(1, 1_000_000);
    let known = match bot.and_then(|bot| bot.bot.active) {
        Some(active) => board.versions.get(&active).map_or(0, |version| version.matches),
        None => last,
    };
    let page = page.min(known.div_ceil(PAGE).max(1));
    let skipped = (page - 1) * PAGE;
    let (rows, total) = match bot {
        None => {
            let before = (last + 1).saturating_sub(skipped);
            (app.store.latest_matches(arena.id(), before, PAGE as u32).await?, last)
        }
        Some(bot) => {
            let active = bot.bot.active.unwrap_or_default();
            let total = board.versions.get(&active).map_or(0, |version| version.matches);
            let rows =
                app.store.matches_of(active, i64::MAX as u64, (skipped + PAGE) as u32).await?;
            (rows.into_iter().skip(skipped as usize).collect(), total)
        }
    };
    let model = Matches {
        arena: views::head(&arena, &board, &visitor),
        rows: rows.iter().map(|seated| views::match_row(&of, &board, seated)).collect(),
        bot: bot.map(|bot| views::bot_ref(&board, bot)),
        paging: Paging {
            page,
            pages: total.div_ceil(PAGE),
            total,
            query: if query.bot.is_empty() {
                String::new()
            } else {
                format!("bot={}", super::reply::escaped(&query.bot))
            },
        },
    };
    Ok(html(pages::matches(&visitor.context(), &model)))
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct MatchQuery {
    turn: Option<u64>,
}

async fn find(app: &App, slug: &str, number: u64) -> Shown<(ArenaHandle, SeatedMatch)> {
    let arena = views::arena(app, slug)?;
    let found = app.store.seated_match(arena.id(), number).await?;
    Ok((arena, found.ok_or_else(|| not_found("match"))?))
}

pub(super) async fn page(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    Query(query): Query<MatchQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let (arena, seated) = find(&app, &slug, number).await?;
    let board = arena.board();
    let of = &seated.of;
    let outcome = of.outcome.clone().unwrap_or_default();
    let is_organiser = visitor.role() >= Role::Organiser;
    let own =
        |version: i64| board.version(version).is_some_and(|(bot, _)| visitor.is(bot.bot.owner));
    let may_see: Vec<bool> =
        seated.seats.iter().map(|seat| is_organiser || own(seat.version)).collect();
    let seat_faults = |seat: usize| -> Vec<FaultCount> {
        let own = outcome.faults.iter().filter(|fault| fault.player.index() == seat);
        own.map(|fault| FaultCount {
            kind: fault.kind.words().to_owned(),
            count: fault.count,
            example: None,
        })
        .collect()
    };
    let mut seats = Vec::new();
    for seat in &seated.seats {
        seats.push(MatchSeat {
            bot: views::played_ref(&board, seat.version),
            place: seat.place.unwrap_or(0),
            score: String::new(),
            faults: seat_faults(seat.seat),
            thinking: seat.cpu_us,
            slowest: None,
            // The next table shows it; a single match has no rating of its own.
            change: None,
            own: own(seat.version),
        });
    }
    let faults = outcome.faults.iter().map(|fault| Fault {
        turn: fault.step,
        seat: fault.player.index() as u32,
        kind: fault.kind.words().to_owned(),
        detail: fault.detail.clone(),
        evidence: match may_see.get(fault.player.index()) {
            Some(true) => views::evidence(fault),
            _ => String::new(),
        },
    });
    let logs = seated.seats.iter().filter(|seat| may_see[seat.seat]).filter_map(|seat| {
        let bot = views::played_ref(&board, seat.version);
        Some(Log {
            title: format!("stderr of {} v{}", bot.name, bot.version),
            text: seat.stderr.clone()?,
            ..Log::default()
        })
    });
    let total: u64 = seated.seats.iter().map(|seat| seat.faults).sum();
    let last = app.store.last_match(arena.id()).await?;
    let is_for_members = visitor.person.is_none() && app.limits().are_replays_for_members();
    let model = MatchPage {
        arena: views::head(&arena, &board, &visitor),
        number,
        state: views::match_state(&seated),
        at: time(of.played.unwrap_or(of.planned)),
        seed: of.seed.to_string(),
        turns: of.turns.unwrap_or(0),
        ms: of.ms.unwrap_or(0),
        turn: query.turn,
        seats,
        faults: faults.collect(),
        more_faults: total.saturating_sub(outcome.faults.iter().map(|fault| fault.count).sum()),
        replay: match (of.replay, of.removed) {
            (Some(_), _) if is_for_members => ReplayState::ForMembers,
            (Some(_), _) => ReplayState::There,
            (None, Some(removed)) => {
                ReplayState::Removed { at: time(removed.at), digest: removed.digest.to_string() }
            }
            (None, None) => ReplayState::Never,
        },
        base: visitor.base.clone(),
        logs: logs.collect(),
        related: Vec::new(),
        neighbours: ((number > 1).then(|| number - 1), (number < last).then_some(number + 1)),
    };
    Ok(html(pages::match_page(&visitor.context(), &model)))
}

pub(super) async fn replay(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
) -> Shown<Response> {
    let (arena, seated) = find(&app, &slug, number).await?;
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let board = arena.board();
    let is_organiser = visitor.role() >= Role::Organiser;
    let may_see: Vec<bool> = seated
        .seats
        .iter()
        .map(|seat| {
            let bot = board.version(seat.version).map(|(bot, _)| bot);
            is_organiser || bot.is_some_and(|bot| visitor.is(bot.bot.owner))
        })
        .collect();
    let blobs = app.blobs.clone();
    let bytes = tokio::task::spawn_blocking(move || -> anyhow::Result<Vec<u8>> {
        let bytes = blobs.get(digest)?;
        let replay = Replay::open(bytes)?;
        // What a bot wrote, and what it was asked, is for its author.
        let may_see = |player: agon_core::Player| may_see.get(player.index()) == Some(&true);
        Ok(replay.redacted(may_see)?)
    });
    let bytes = bytes.await.map_err(anyhow::Error::from)??;
    Ok(attachment(bytes, &format!("{slug}-{number}.agon")))
}

/// Plays a match again by its rules, from the recorded answers.
pub(super) async fn check(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let (arena, seated) = find(&app, &slug, number).await?;
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let game = arena.settings().game;
    let blobs = app.blobs.clone();
    let work = tokio::task::spawn_blocking(move || -> anyhow::Result<String> {
        let replay = Replay::open(blobs.get(digest)?)?;
        Ok(match agon_match::verify(&replay, game) {
            Verdict::Proven { .. } => String::new(),
            Verdict::Unproven { reason, .. } => reason.to_string(),
        })
    });
    // A replay that is missing or damaged is a finding, too.
    let found = work.await.map_err(anyhow::Error::from)?;
    let problem = found.unwrap_or_else(|error| error.to_string());
    let done = if problem.is_empty() { "checked" } else { "check-failed" };
    let subject = format!("{slug} match {number}");
    app.store.write(vec![audit::note(Some(organiser), "match.check", &subject, &problem)]).await?;
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done={done}")))
}

/// Returns a replay as a file.
pub(super) fn attachment(bytes: Vec<u8>, name: &str) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, bytes).into_response()
}

pub(super) async fn annul(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let (arena, seated) = find(&app, &slug, number).await?;
    if seated.of.state != MatchState::Played {
        return Err(failure(409, "This match does not count", "There is nothing to annul."));
    }
    let mut both: Vec<(i64, u32)> =
        seated.seats.iter().map(|seat| (seat.version, seat.place.unwrap_or(0))).collect();
    both.sort_unstable();
    let (players, places): (Vec<i64>, Vec<u32>) = both.into_iter().unzip();
    let subject = format!("{slug} match {number}");
    let reason = agon_text::escape(agon_text::name::cut(fields.get("reason").trim(), 500));
    let outcome = matches::Outcome {
        annulled: reason.into_owned(),
        ..seated.of.outcome.clone().unwrap_or_default()
    };
    let mut statements = vec![matches::annul(arena.id(), number, &outcome)];
    statements.extend(matches::count(arena.id(), &players, &places, -1));
    statements.push(audit::note(Some(organiser), "match.annul", &subject, &outcome.annulled));
    app.store.write(statements).await?;
    arena.touch();
    app.orders().send(Order::Refresh { arena: arena.id() });
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done=annulled")))
}
