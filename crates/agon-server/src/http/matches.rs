//! The page of a match, and its replay.

use agon_ladder_pages::{
    model::{Fault, FaultCount, Log, MatchPage, MatchSeat, ReplayState},
    pages,
};
use agon_replay::Replay;
use axum::{
    extract::{Path, Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use super::{
    form::Fields,
    match_changes::{self, find},
    reply::{Shown, html, not_found, to, without_reason},
    views,
    visitor::{Visitor, time},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::Board,
    store::{
        matches::{self, MatchState, SeatedMatch},
        people::Role,
    },
};

#[derive(Debug, Default, Deserialize)]
pub(super) struct MatchQuery {
    turn: Option<u64>,
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
    let own =
        |version: i64| board.version(version).is_some_and(|(bot, _)| visitor.is(bot.bot.owner));
    let may_see = may_see(&board, &seated, &visitor);
    let mut seats = Vec::new();
    for seat in &seated.seats {
        seats.push(MatchSeat {
            bot: views::played_ref(&board, seat.version),
            place: seat.place.unwrap_or(0),
            score: String::new(),
            faults: seat_faults(&outcome, seat),
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
            title: match bot.version {
                Some(version) => format!("stderr of {} v{version}", bot.name),
                None => format!("stderr of {}", bot.name),
            },
            text: views::stderr(seat.stderr.as_deref()?),
            ..Log::default()
        })
    });
    let total: u64 = seated.seats.iter().map(|seat| seat.faults).sum();
    let last = app.store.last_match(arena.id()).await?;
    let is_for_members = visitor.person.is_none() && app.limits().are_replays_for_members();
    let machine = outcome.machine.clone();
    let model = MatchPage {
        arena: views::head(&arena, &board, &visitor),
        number,
        state: views::match_state(&seated),
        at: time(of.played.unwrap_or(of.planned)),
        // Nobody knows it before, so that nobody tells a bot.
        seed: match of.state {
            MatchState::Planned => String::new(),
            _ => of.seed.to_string(),
        },
        machine: machine.map(|machine| (machine.worker, machine.scale)),
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
                let (at, digest) = (time(removed.at), removed.digest.to_string());
                ReplayState::Removed { at, digest, is_erased: removed.is_erased }
            }
            (None, None) => ReplayState::Never,
        },
        proof: of.logged.map(|entry| (entry, format!("/log/proofs/{}/{number}.txt", of.arena))),
        base: visitor.base.clone(),
        logs: logs.collect(),
        related: Vec::new(),
        neighbours: ((number > 1).then(|| number - 1), (number < last).then_some(number + 1)),
    };
    Ok(html(pages::match_page(&visitor.context(), &model)))
}

/// Returns the faults of a seat by kind.
fn seat_faults(outcome: &matches::Outcome, seat: &matches::Seat) -> Vec<FaultCount> {
    let count = |kind: &str, count: u64| FaultCount { kind: kind.to_owned(), count, example: None };
    let own = outcome.faults.iter().filter(|fault| fault.player.index() == seat.seat);
    let mut all: Vec<FaultCount> =
        own.map(|fault| count(fault.kind.words(), fault.count)).collect();
    // If an author was erased, only their number is left.
    let known: u64 = all.iter().map(|fault| fault.count).sum();
    let unknown = seat.faults.saturating_sub(known);
    all.extend((unknown > 0).then(|| count("fault without details", unknown)));
    all
}

pub(super) async fn replay(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
) -> Shown<Response> {
    let (arena, seated) = find(&app, &slug, number).await?;
    let bytes = replay_bytes(&app, &arena, &seated, &visitor).await?;
    Ok(attachment(bytes, &format!("{slug}-{number}.agon")))
}

/// Returns the replay of a match with what the visitor may see.
pub(super) async fn replay_bytes(
    app: &App,
    arena: &ArenaHandle,
    seated: &SeatedMatch,
    visitor: &Visitor,
) -> Shown<Vec<u8>> {
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let may_see = may_see(&arena.board(), seated, visitor);
    let blobs = app.blobs.clone();
    let names = names(&arena.board(), seated);
    let bytes = tokio::task::spawn_blocking(move || -> anyhow::Result<Vec<u8>> {
        let bytes = blobs.get(digest)?;
        let replay = Replay::open(bytes)?;
        // What a bot wrote, and what it was asked, is for its author.
        let may_see = |player: agon_core::Player| may_see.get(player.index()) == Some(&true);
        let redacted = Replay::open(replay.redacted(may_see)?)?;
        Ok(redacted.renamed(&names)?)
    });
    Ok(bytes.await.map_err(anyhow::Error::from)??)
}

/// Returns for each seat whether the visitor may see what its bot wrote.
pub(super) fn may_see(board: &Board, seated: &SeatedMatch, visitor: &Visitor) -> Vec<bool> {
    let is_organiser = visitor.role() >= Role::Organiser;
    let own =
        |version: i64| board.version(version).is_some_and(|(bot, _)| visitor.is(bot.bot.owner));
    seated.seats.iter().map(|seat| is_organiser || own(seat.version)).collect()
}

/// Returns the names of the players as they are now: those in replays are for the bots.
fn names(board: &Board, seated: &SeatedMatch) -> Vec<String> {
    let name = |seat: &matches::Seat| match board.version(seat.version) {
        Some((bot, _)) if bot.bot.owner.is_none() => bot.bot.name.clone(),
        Some((bot, brief)) => format!("{} v{}", bot.bot.name, brief.number),
        // Its author was erased.
        None => seat.version.to_string(),
    };
    seated.seats.iter().map(name).collect()
}

/// Plays a match again by its rules, from the recorded answers.
pub(super) async fn check(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let problem = match_changes::check(&app, &visitor, &slug, number).await?;
    let done = if problem.is_none() { "checked" } else { "check-failed" };
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
    let reason = fields.get("reason").trim();
    if reason.is_empty() {
        return Err(without_reason());
    }
    match_changes::annul(&app, &visitor, &slug, number, reason).await?;
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done=annulled")))
}

pub(super) async fn restore(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    match_changes::restore(&app, &visitor, &slug, number).await?;
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done=restored")))
}
