//! The page of a bot, and what its author and organisers may do with it.

use std::collections::BTreeMap;

use agon_ladder::api::ExaminationStatus;
use agon_ladder_pages::{
    model::{
        BotPage, Comparison, Cost, FaultCount, HistoryPoint, Log, Milestone, Opponent, OwnBot,
        Rating, Tally, VersionRow, VersionState,
    },
    pages,
};
use axum::{
    extract::{Path, State},
    response::Response,
};

use super::{
    bot_changes::{self, Stop, changeable},
    form::Fields,
    reply::{Shown, html, not_found, to, without_reason},
    views,
    visitor::{Visitor, time},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::{Board, BoardBot},
    store::{
        arenas::ArenaSettings,
        bots::{Bot, Stopped, StoppedBy},
        matches::{Seat, SeatedMatch},
        now,
        people::Role,
        versions::{Brief, State as VersionStored, Version},
    },
};

/// Matches in the list of the page.
pub(super) const LATEST: u32 = 20;

/// Points of the chart, for each version.
pub(super) const POINTS: u32 = 150;

/// The most opponents in the list.
const OPPONENTS: u32 = 40;

pub(super) async fn page(
    State(app): State<App>,
    Path((slug, bot)): Path<(String, String)>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    // As it is stored: the board may be older than the change that led here.
    let stored = app.store.bot(arena.id(), &bot).await?.ok_or_else(|| not_found("bot"))?;
    let found = views::with_author(&app, &board, stored).await?;
    let found = &found;
    let of = arena.get();
    let versions = app.store.versions(found.bot.id).await?;
    let active = versions.iter().find(|version| Some(version.id) == found.bot.active);
    let active = active.map(Brief::of);
    let active = active.as_ref();
    let is_own = visitor.is(found.bot.owner);
    let may_change = is_own || visitor.role() >= Role::Organiser;
    let mut history = Vec::new();
    for version in versions.iter().rev().filter(|version| version.play.matches > 0).take(20) {
        let ratings = app.store.ratings_of(version.id, version.play.matches, POINTS).await?;
        for (at, elo) in ratings {
            history.push(HistoryPoint { at: time(at), elo, version: version.number });
        }
    }
    // Ratings change with the matches of others, too.
    if let Some((version, live)) = active.zip(active.and_then(|of| board.live.get(&of.id))) {
        let made = time(board.made);
        let at = history.last().map_or(made, |last| made.max(last.at));
        let point = HistoryPoint { at, elo: live.elo, version: version.number };
        history.push(point);
    }
    let matches = match active {
        Some(version) => app.store.matches_of(version.id, 0, LATEST).await?,
        None => Vec::new(),
    };
    let extension = match visitor.person.as_ref().filter(|_| may_change) {
        Some(person) => app.store.extension(arena.id(), person.id).await?,
        None => None,
    };
    let own = may_change.then(|| OwnBot {
        waiting: why_not(&arena, found, &versions),
        costs: costs(&matches, found.bot.active).into_iter().collect(),
        logs: matches
            .iter()
            .flat_map(|seated| seated.seats.iter().map(move |seat| (seated.of.number, seat)))
            .filter(|(_, seat)| Some(seat.version) == found.bot.active)
            .filter_map(|(number, seat)| {
                let text = views::stderr(seat.stderr.as_deref()?);
                Some(Log { title: format!("stderr in match {number}"), text, ..Log::default() })
            })
            .take(3)
            .collect(),
        comparisons: app.comparisons().of(found.bot.id).iter().take(8).map(comparison).collect(),
        can_change: may_change,
        can_activate: of.settings.season.is_open(now(), extension),
        can_resume: visitor.role() >= Role::Organiser
            || found.bot.stopped.as_ref().is_none_or(|stopped| !stopped.by.is_organiser()),
        can_hold: visitor.role() >= Role::Organiser
            && !is_own
            && found.bot.stopped.as_ref().is_some_and(|stopped| {
                matches!(stopped.by, StoppedBy::Author | StoppedBy::Failures)
            }),
        fixed: bot_changes::fixed(&of.settings).map(|(what, why)| format!("{what}. {why}")),
    });
    let model = BotPage {
        arena: views::head(&arena, &board, &visitor),
        bot: views::named(found, active.map(|version| version.number)),
        language: active.map(|version| version.language.clone()).unwrap_or_default(),
        about: String::new(),
        state: views::bot_state(found),
        rank: found.rank.map(|rank| (rank, board.playing.len() as u64)),
        rating: active.and_then(|version| views::live_rating(&board, version.id)),
        owed: found.owed,
        matches: active.map_or(0, |version| version.matches),
        tally: active.map(views::tally).unwrap_or_default(),
        history,
        versions: version_rows(&board, &versions, &found.bot, may_change),
        opponents: opponents(&app, &board, found.bot.active).await?,
        latest: matches.iter().map(|seated| views::match_row(&of, &board, seated)).collect(),
        faults: fault_kinds(&matches, found.bot.active),
        faults_among: matches.len() as u64,
        milestones: milestones(&board, found),
        own,
    };
    Ok(html(pages::bot(&visitor.context(), &model)))
}

/// Returns the bosses that a bot has left behind, and those that it has not.
pub(super) fn milestones(board: &Board, bot: &BoardBot) -> Vec<Milestone> {
    let Some(active) = bot.bot.active.filter(|_| bot.bot.owner.is_some()) else {
        return Vec::new();
    };
    let milestone = |(boss, reached)| Milestone { boss: views::bot_ref(board, boss), reached };
    board.milestones(active).map(milestone).collect()
}

/// Returns how often a version committed each kind of fault in its latest matches.
pub(super) fn fault_kinds(matches: &[SeatedMatch], version: Option<i64>) -> Vec<FaultCount> {
    let mut faults: BTreeMap<&str, FaultCount> = BTreeMap::new();
    for seated in matches {
        for fault in seated.of.outcome.iter().flat_map(|outcome| &outcome.faults) {
            let seat = seated.seats.get(fault.player.index());
            if seat.map(|seat| seat.version) != version {
                continue;
            }
            let kind = fault.kind.words();
            let count = faults.entry(kind).or_insert_with(|| FaultCount {
                kind: kind.to_owned(),
                count: 0,
                example: Some(seated.of.number),
            });
            count.count += fault.count;
        }
    }
    faults.into_values().collect()
}

/// Says why a bot was stopped, and what its author can do.
pub(super) fn why_stopped(settings: &ArenaSettings, stopped: &Stopped) -> String {
    let remedy = match stopped.by {
        StoppedBy::Failures | StoppedBy::Author | StoppedBy::OrganiserPaused
            if bot_changes::fixed(settings).is_some() =>
        {
            "It stays so: the season is over."
        }
        StoppedBy::Failures => "Hand in a version that works, or resume it.",
        StoppedBy::Author => "Resume it when you like.",
        StoppedBy::Organiser | StoppedBy::OrganiserPaused => "Ask the organisers.",
        StoppedBy::Erased => "It does not play again.",
    };
    format!("{} {remedy}", super::words::sentence(&stopped.why))
}

/// Says why a bot does not play at this moment, if it does not.
pub(super) fn why_not(arena: &ArenaHandle, bot: &BoardBot, versions: &[Version]) -> Option<String> {
    let of = arena.get();
    if let Some(stopped) = &bot.bot.stopped {
        return Some(why_stopped(&of.settings, stopped));
    }
    let newest = versions.first();
    if let Some(version) = newest.filter(|version| version.state.is_open()) {
        return bot.bot.active.is_none().then(|| {
            format!(
                "Version {} is {}; it plays once that is done.",
                version.number,
                version.state.name()
            )
        });
    }
    if bot.bot.active.is_none() {
        return Some(match newest {
            Some(version) if version.state == VersionStored::Ready => {
                format!("Version {} is ready, and plays in a moment.", version.number)
            }
            Some(version) => {
                let report = version.report.clone().unwrap_or_default();
                let failed =
                    report.checks.iter().find(|check| check.status == ExaminationStatus::Failed);
                let why = failed.map(|check| check.found.clone()).or(report.refused);
                let why = super::words::first_line(&why.unwrap_or_default()).to_owned();
                format!("Version {} failed: {why}. Its page has the report.", version.number)
            }
            None => "Nothing was handed in yet.".to_owned(),
        });
    }
    let season = &of.settings.season;
    if let Some(why) = of.settings.outdated() {
        return Some(super::words::sentence(&why));
    }
    if season.begin.is_some_and(|begin| now() < begin) {
        return Some("The season has not begun.".to_owned());
    }
    if season.freeze.is_some_and(|freeze| freeze <= now()) {
        return Some("The season is over.".to_owned());
    }
    if season.is_paused {
        return Some("An organiser has paused this arena.".to_owned());
    }
    let others = arena.board().playing.len();
    (others < of.settings.players)
        .then(|| format!("There are {others} bots, but a match needs {}.", of.settings.players))
}

/// Returns what decisions of a version cost in its latest matches.
pub(super) fn costs(matches: &[SeatedMatch], version: Option<i64>) -> Option<Cost> {
    let seats = matches.iter().flat_map(|seated| &seated.seats);
    let own: Vec<&Seat> = seats.filter(|seat| Some(seat.version) == version).collect();
    let all: Vec<_> = own.iter().filter_map(|seat| seat.cost).collect();
    let mut medians: Vec<u64> = all.iter().map(|cost| cost.median).collect();
    medians.sort_unstable();
    let us = |ns: u64| ns.div_ceil(1_000);
    Some(Cost {
        what: format!("the latest {} matches", all.len()),
        decisions: own.iter().filter_map(|seat| seat.decisions).sum(),
        median: us(*medians.get(medians.len() / 2)?),
        slow: us(all.iter().map(|cost| cost.p99).max()?),
        slowest: us(all.iter().map(|cost| cost.most).max()?),
        limit: 0,
        memory: all.iter().filter_map(|cost| cost.memory).max(),
    })
}

pub(super) fn comparison(one: &crate::play::Comparison) -> Comparison {
    let [wins, ties, losses] = one.results;
    Comparison {
        a: one.numbers[0],
        b: one.numbers[1],
        verdict: one.verdict(),
        tally: Tally { wins, ties, losses },
        difference: one.difference().map(|(elo, low, high)| Rating {
            elo,
            low: Some(low),
            high: Some(high),
        }),
        running: one.is_running(),
        at: time(one.asked),
    }
}

fn version_rows(
    board: &Board,
    versions: &[Version],
    bot: &Bot,
    may_change: bool,
) -> Vec<VersionRow> {
    let is_active = |version: &Version| bot.active == Some(version.id);
    let is_excluded = bot.stopped.as_ref().is_some_and(Stopped::is_exclusion);
    let state = |version: &Version| match is_excluded {
        true if is_active(version) => VersionState::Disqualified,
        _ => views::version_state(version.state, is_active(version), version.play.matches > 0),
    };
    let row = |version: &Version| VersionRow {
        number: version.number,
        state: state(version),
        active: is_active(version),
        at: time(version.created),
        message: version.message.clone(),
        language: version.language.clone(),
        rating: views::live_rating(board, version.id),
        matches: version.play.matches,
    };
    // What was refused is between the author and the server.
    let is_public = |row: &VersionRow| may_change || !matches!(row.state, VersionState::Failed);
    versions.iter().map(row).filter(is_public).collect()
}

/// Returns results of a version against each opponent, those met most often first.
pub(super) async fn opponents(
    app: &App,
    board: &Board,
    version: Option<i64>,
) -> Shown<Vec<Opponent>> {
    let Some(version) = version else { return Ok(Vec::new()) };
    let pairs = app.store.most_met(version, OPPONENTS).await?;
    let opponent = |(id, [wins, ties, losses]): (i64, [u64; 3])| Opponent {
        bot: views::played_ref(board, id),
        elo: board.rating(id),
        tally: Tally { wins, ties, losses },
    };
    Ok(pairs.into_iter().map(opponent).collect())
}

/// Shows the page of a bot after a change.
fn changed(arena: &ArenaHandle, bot: &Bot, done: &str) -> Response {
    to(&format!("/arenas/{}/bots/{}?done={done}", arena.get().slug, bot.slug))
}

pub(super) async fn compare(
    State(app): State<App>,
    Path((slug, bot)): Path<(String, String)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    let number = |field: &str| fields.get(field).parse().unwrap_or(0);
    bot_changes::compare(&app, &own, number("a"), number("b")).await?;
    Ok(changed(&own.arena, &own.bot, "compared"))
}

pub(super) async fn activate(
    State(app): State<App>,
    Path((slug, bot)): Path<(String, String)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    bot_changes::activate(&app, &own, fields.get("version").parse().unwrap_or(0)).await?;
    Ok(changed(&own.arena, &own.bot, "activated"))
}

pub(super) async fn rename(
    State(app): State<App>,
    Path((slug, bot)): Path<(String, String)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    bot_changes::rename(&app, &own, fields.get("name")).await?;
    Ok(changed(&own.arena, &own.bot, "renamed"))
}

/// Stops a bot or lets it play again, for its author or an organiser.
pub(super) async fn stop(
    State(app): State<App>,
    Path((slug, bot, action)): Path<(String, String, String)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let stop = Stop::ALL.into_iter().find(|stop| stop.name() == action);
    let stop = stop.ok_or_else(|| not_found("page"))?;
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    let reason = fields.get("reason").trim();
    if stop == Stop::Disqualify && reason.is_empty() {
        return Err(without_reason());
    }
    bot_changes::stop(&app, &own, stop, reason).await?;
    Ok(changed(&own.arena, &own.bot, stop.done()))
}
