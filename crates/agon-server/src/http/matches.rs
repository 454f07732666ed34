//! The page of a match, and its replay.

use agon_ladder::api::{Match, MatchState, Role};
use agon_match::replay::Replay;
use axum::{
    extract::{Path, Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    form::Fields,
    match_changes::{self, find},
    parts::{
        badge,
        form::{self, Field},
        layout::{Tab, arena_page},
        link,
        lists::{faults, log, seats, section, viewer},
        names,
        number::{grouped, millis},
        time::{time, utc},
    },
    reply::{Shown, not_found, to, without_reason},
    views,
    visitor::Visitor,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::Board,
    store::matches::{Seat, SeatedMatch},
};

#[derive(Debug, Default, Deserialize)]
pub(super) struct MatchQuery {
    turn: Option<u64>,
}

pub(super) async fn page(
    State(app): State<App>,
    Path((slug, number)): Path<(String, u64)>,
    Query(MatchQuery { turn }): Query<MatchQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let (arena, seated) = find(&app, &slug, number).await?;
    let board = arena.board();
    let of = views::whole_match(&arena, &seated, &visitor);
    let logs = logs(&board, &seated, &visitor);
    let last = app.store.last_match(arena.id()).await?;
    let may_watch = visitor.person.is_some() || !app.limits().are_replays_for_members();
    let title = format!("Match {number}");
    let proof = format!("/log/proofs/{}/{number}.txt", seated.of.arena);
    let main = html! {
        div.bar {
            h1 { (title) " " (badge::match_state(of.state)) }
            nav.paging aria-label="Other matches" {
                @if number > 1 {
                    a href=(link::match_page(&slug, number - 1)) rel="prev" { "← " (number - 1) }
                }
                @if number < last {
                    a href=(link::match_page(&slug, number + 1)) rel="next" { (number + 1) " →" }
                }
            }
        }
        (reason(&of))
        (seats(&slug, &of.seats, &[]))
        div.beside[!logs.is_empty()] {
            div { (board_of(&slug, &seated, may_watch, turn)) }
            @if !logs.is_empty() {
                section.logs aria-labelledby="logs" {
                    h2 #logs { (whose_logs(&of, logs.len())) }
                    @for (title, text) in &logs { (log(title, text)) }
                }
            }
        }
        (facts(&of))
        @if !of.faults.is_empty() || of.more_faults > 0 {
            (section("faults", "Faults", faults(&of.seats, &of.faults, of.more_faults)))
        }
        @if of.replay && may_watch {
            (section("share", "Share", share(&slug, &of, &visitor, turn)))
        }
        @if let Some(entry) = seated.of.logged {
            (section("proof", "Proof", html! {
                p {
                    "The result is entry " (entry) " of this ladder's "
                    a href="/log/checkpoint" { "public log" }
                    ", which nobody can change unnoticed. "
                    code { "agon ladder verify " (visitor.base) }
                    " checks the log, the published tables, and matches."
                }
                a.button href=(proof) download { "Download the proof" }
            }))
        }
        @if visitor.role() >= Role::Organiser { (organise(&visitor, &slug, &of)) }
    };
    let head = views::head(&arena, &board, &visitor);
    Ok(arena_page(&visitor, &head, Tab::Matches, &title, main))
}

/// Returns what the bots wrote to stderr that the visitor may see, with titles.
fn logs(board: &Board, seated: &SeatedMatch, visitor: &Visitor) -> Vec<(String, String)> {
    let may_see = views::may_see(board, seated, visitor);
    let log = |seat: &Seat| {
        let bot = views::played_or_unknown(board, seat.version);
        let title = match bot.version {
            Some(version) => format!("stderr of {} v{version}", bot.name),
            None => format!("stderr of {}", bot.name),
        };
        Some((title, views::stderr(seat.stderr.as_deref()?)))
    };
    seated.seats.iter().filter(|seat| may_see[seat.seat]).filter_map(log).collect()
}

/// Says whose output the viewer sees: organisers also see that of others.
fn whose_logs(of: &Match, logs: usize) -> &'static str {
    let own = of.seats.iter().filter(|seat| seat.own).count();
    match (own, logs) {
        (0, 1) => "stderr of the bot",
        (own, logs) if own < logs => "stderr of the bots",
        (_, 1) => "stderr of your bot",
        _ => "stderr of your bots",
    }
}

fn reason(of: &Match) -> Markup {
    let reason = of.reason.as_deref().unwrap_or_default();
    let words = match of.state {
        MatchState::Played => return html! {},
        MatchState::Running => "This match is being played.",
        MatchState::Void => "This match counts for nobody.",
        MatchState::Annulled => "An organiser annulled this match.",
    };
    html! {
        div.notice.warning {
            p { strong { (words) } @if !reason.is_empty() { " Reason: " (reason) } }
        }
    }
}

fn board_of(arena: &str, seated: &SeatedMatch, may_watch: bool, turn: Option<u64>) -> Markup {
    let number = seated.of.number;
    match (seated.of.replay, &seated.of.removed) {
        (Some(_), _) if may_watch => {
            viewer(&format!("Viewer: match {number}"), &link::replay(arena, number), turn)
        }
        (Some(_), _) => html! {
            p.empty { a href="/sign-in" { "Sign in" } " to watch this match." }
        },
        (None, Some(removed)) => html! {
            div.empty {
                p {
                    "The server removed the replay of this match (" (utc(time(removed.at))) "), "
                    @if removed.is_erased {
                        "because the author of a bot was erased. The result counts as before."
                    } @else {
                        "because it keeps replays for a limited time only."
                    }
                }
                p { "Digest of the replay: " code { (names::text(&removed.digest.to_string())) } }
            }
        },
        (None, None) => html! { p.empty { "There is no replay of this match." } },
    }
}

fn facts(of: &Match) -> Markup {
    html! {
        dl.facts-list {
            div { dt { "Turns" } dd { (grouped(of.turns.unwrap_or(0))) } }
            @if let Some(seed) = &of.seed {
                div { dt { "Seed" } dd { code { (names::text(seed)) } } }
            }
            div { dt { "Duration" } dd { (millis(of.ms.unwrap_or(0))) } }
            div { dt { "Ended" } dd { (utc(of.played.unwrap_or(of.planned))) } }
            @if let Some(machine) = &of.machine {
                div { dt { "Played by" } dd { (names::text(&machine.worker)) } }
                @if machine.limits_percent != 100 {
                    div {
                        dt { "CPU limits" }
                        dd {
                            (machine.limits_percent)
                            " % of the arena's, because that machine has another speed"
                        }
                    }
                }
            }
        }
    }
}

fn share(arena: &str, of: &Match, visitor: &Visitor, turn: Option<u64>) -> Markup {
    let replay = link::replay(arena, of.number);
    let page = link::match_page(arena, of.number);
    let turn = turn.unwrap_or(0);
    let embed = format!(
        "<iframe src=\"{}{}\" width=\"720\" height=\"520\" title=\"Match {} on Agon\" \
         allow=\"fullscreen\"></iframe>",
        visitor.base,
        link::viewer(&replay, Some(turn)).replace('&', "&amp;"),
        of.number
    );
    html! {
        form.row.fields method="get" action=(page) {
            div.field {
                label for="turn" { "Start at turn" }
                input #turn name="turn" type="number" min="0" max=(of.turns.unwrap_or(0))
                    value=(turn);
            }
            button type="submit" { "Show this turn" }
            a.button href=(replay) download { "Download the replay" }
        }
        @let address = format!("{}{page}?turn={turn}", visitor.base);
        (form::copied("address", "Address of this turn", &address))
        div.field {
            label for="embed" { "Code for other pages" }
            textarea #embed readonly rows="3" { "\n" (form::raw(&embed)) }
            button type="button" data-copy="embed" hidden { "Copy" }
        }
    }
}

fn organise(visitor: &Visitor, arena: &str, of: &Match) -> Markup {
    let below = |action: &str| format!("{}/{action}", link::match_page(arena, of.number));
    html! {
        section.organise aria-labelledby="organise" {
            h2 #organise { "For organisers" }
            (form::button(visitor, &below("check"), "Check this match", ""))
            p.hint {
                "Agon plays the recorded answers again by the rules, and compares every state."
            }
            @if of.state == MatchState::Annulled {
                (form::button(visitor, &below("restore"), "Count this match again", ""))
            } @else {
                (form::form(visitor, &below("annul"), html! {
                    (Field {
                        label: "Reason, which everybody can read", name: "reason",
                        required: true, most: form::MAX_MESSAGE, ..Default::default()
                    })
                    button.danger type="submit" { "Annul this match" }
                }))
            }
        }
    }
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
    let may_see = views::may_see(&arena.board(), seated, visitor);
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

/// Returns the names of the players as they are now: those in replays are for the bots.
fn names(board: &Board, seated: &SeatedMatch) -> Vec<String> {
    let name = |seat: &Seat| match board.version(seat.version) {
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

#[cfg(test)]
mod tests {
    use agon_ladder::api::Seat;

    use super::*;

    #[test]
    fn organisers_read_whose_output_they_see() {
        let heading = |own: [bool; 2], logs: usize| {
            let seats = own.map(|own| Seat { own, ..Seat::default() }).to_vec();
            whose_logs(&Match { seats, ..Match::default() }, logs)
        };
        assert_eq!(heading([true, false], 1), "stderr of your bot");
        assert_eq!(heading([true, false], 2), "stderr of the bots");
        assert_eq!(heading([false, false], 1), "stderr of the bot");
    }
}
