//! `/arenas/{arena}/matches/{n}`: a match with its viewer.

use maud::{Markup, html};

use crate::{
    model::{Context, MatchPage, MatchState, ReplayState},
    parts::{
        arena_frame::{Tab, arena_page},
        badge, bot, faults, form, link,
        log::log,
        number::{grouped, millis},
        seats::seats,
        time,
        viewer::viewer,
    },
};

/// Writes the page of a match.
pub fn match_page(context: &Context, model: &MatchPage) -> Markup {
    let title = format!("Match {}", model.number);
    let main = html! {
        div.bar {
            h1 { (title) " " (badge::match_state(&model.state)) }
            (neighbours(model))
        }
        (reason(model))
        (seats(&model.arena.slug, &model.seats))
        div.beside[!model.logs.is_empty()] {
            div { (board(model)) }
            @if !model.logs.is_empty() {
                section.logs aria-labelledby="logs" {
                    h2 #logs { (whose_logs(model)) }
                    @for own in &model.logs { (log(&model.arena.slug, own)) }
                }
            }
        }
        (facts(model))
        @if !model.faults.is_empty() || model.more_faults > 0 {
            section aria-labelledby="faults" {
                h2 #faults { "Faults" }
                (faults::list(&model.seats, &model.faults, model.more_faults))
            }
        }
        @if model.replay == ReplayState::There { (share(model)) }
        @if let Some((entry, address)) = &model.proof { (proof(model, *entry, address)) }
        @if context.viewer.is_organiser() { (organise(context, model)) }
    };
    arena_page(context, &model.arena, Tab::Matches, &title, main)
}

/// Says whose output the viewer sees: organisers also see that of others.
fn whose_logs(model: &MatchPage) -> &'static str {
    let own = model.seats.iter().filter(|seat| seat.own).count();
    match (own, model.logs.len()) {
        (0, 1) => "stderr of the bot",
        (own, logs) if own < logs => "stderr of the bots",
        (_, 1) => "stderr of your bot",
        _ => "stderr of your bots",
    }
}

fn neighbours(model: &MatchPage) -> Markup {
    let address = |number| link::match_page(&model.arena.slug, number);
    html! {
        nav.paging aria-label="Other matches" {
            @if let Some(number) = model.neighbours.0 {
                a href=(address(number)) rel="prev" { "← " (number) }
            }
            @if let Some(number) = model.neighbours.1 {
                a href=(address(number)) rel="next" { (number) " →" }
            }
        }
    }
}

fn reason(model: &MatchPage) -> Markup {
    let (words, reason) = match &model.state {
        MatchState::Played => return html! {},
        MatchState::Running => ("This match is being played.", ""),
        MatchState::Void(reason) => ("This match counts for nobody.", reason.as_str()),
        MatchState::Annulled(reason) => ("An organiser annulled this match.", reason.as_str()),
    };
    html! {
        div.notice.warning {
            p { strong { (words) } @if !reason.is_empty() { " Reason: " (reason) } }
        }
    }
}

fn board(model: &MatchPage) -> Markup {
    html! {
        @match &model.replay {
            ReplayState::There => {
                @let replay = link::replay(&model.arena.slug, model.number);
                @let title = format!("Viewer: match {}", model.number);
                (viewer(&title, &replay, model.turn))
            }
            ReplayState::Removed { at, digest, is_erased } => {
                div.empty {
                    p {
                        "The server removed the replay of this match (" (time::utc(*at)) "), "
                        @if *is_erased {
                            "because the author of a bot was erased. The result counts as before."
                        } @else {
                            "because it keeps replays for a limited time only."
                        }
                    }
                    p { "Digest of the replay: " code { (bot::text(digest)) } }
                }
            }
            ReplayState::ForMembers => {
                p.empty {
                    a href="/sign-in" { "Sign in" } " to watch this match."
                }
            }
            ReplayState::Never => { p.empty { "There is no replay of this match." } }
        }
    }
}

fn facts(model: &MatchPage) -> Markup {
    html! {
        dl.facts-list {
            div { dt { "Turns" } dd { (grouped(model.turns)) } }
            @if !model.seed.is_empty() {
                div { dt { "Seed" } dd { code { (bot::text(&model.seed)) } } }
            }
            div { dt { "Duration" } dd { (millis(model.ms)) } }
            div { dt { "Ended" } dd { (time::utc(model.at)) } }
            @if let Some((worker, percent)) = &model.machine {
                div { dt { "Played by" } dd { (bot::text(worker)) } }
                @if *percent != 100 {
                    div {
                        dt { "CPU limits" }
                        dd { (percent) " % of the arena's, because that machine has another speed" }
                    }
                }
            }
            @for other in &model.related {
                div {
                    dt {
                        a href=(link::match_page(&model.arena.slug, other.number)) {
                            "Match " (other.number)
                        }
                    }
                    dd { (other.words) }
                }
            }
        }
    }
}

fn proof(model: &MatchPage, entry: u64, address: &str) -> Markup {
    html! {
        section aria-labelledby="proof" {
            h2 #proof { "Proof" }
            p {
                "The result is entry " (entry) " of this ladder's "
                a href="/log/checkpoint" { "public log" }
                ", which nobody can change unnoticed. " code { "agon ladder verify " (model.base) }
                " checks the log, the published tables, and matches."
            }
            a.button href=(address) download { "Download the proof" }
        }
    }
}

fn share(model: &MatchPage) -> Markup {
    let replay = link::replay(&model.arena.slug, model.number);
    let page = link::match_page(&model.arena.slug, model.number);
    let turn = model.turn.unwrap_or(0);
    let embed = format!(
        "<iframe src=\"{}{}\" width=\"720\" height=\"520\" title=\"Match {} on Agon\" \
         allow=\"fullscreen\"></iframe>",
        model.base,
        link::viewer(&replay, Some(turn)).replace('&', "&amp;"),
        model.number
    );
    html! {
        section aria-labelledby="share" {
            h2 #share { "Share" }
            form.row.fields method="get" action=(page) {
                div.field {
                    label for="turn" { "Start at turn" }
                    input #turn name="turn" type="number" min="0" max=(model.turns) value=(turn);
                }
                button type="submit" { "Show this turn" }
                a.button href=(replay) download { "Download the replay" }
            }
            (form::copied(
                "address",
                "Address of this turn",
                &format!("{}{page}?turn={turn}", model.base),
            ))
            div.field {
                label for="embed" { "Code for other pages" }
                textarea #embed readonly rows="3" { "\n" (form::raw(&embed)) }
                button type="button" data-copy="embed" hidden { "Copy" }
            }
        }
    }
}

fn organise(context: &Context, model: &MatchPage) -> Markup {
    let below =
        |action: &str| format!("{}/{action}", link::match_page(&model.arena.slug, model.number));
    let annulled = matches!(model.state, MatchState::Annulled(_));
    html! {
        section.organise aria-labelledby="organise" {
            h2 #organise { "For organisers" }
            (form::button(context, &below("check"), "Check this match", ""))
            p.hint {
                "Agon plays the recorded answers again by the rules, and compares every state."
            }
            @if annulled {
                (form::button(context, &below("restore"), "Count this match again", ""))
            } @else {
                (form::form(context, &below("annul"), html! {
                    (form::Field {
                        label: "Reason, which everybody can read",
                        name: "reason",
                        required: true,
                        most: form::MAX_MESSAGE,
                        ..Default::default()
                    }.write())
                    button.danger type="submit" { "Annul this match" }
                }))
            }
        }
    }
}
