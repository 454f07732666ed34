//! `/arenas/{arena}/tries/{id}`: a trial match.

use maud::{Markup, html};

use crate::{
    model::{Context, Trial, TrialState},
    parts::{
        arena_frame::{Tab, arena_page},
        badge, faults,
        form::{self, Field},
        inline::sentence,
        link,
        log::log,
        number::grouped,
        seats::seats,
        viewer::viewer,
    },
};

/// Writes the page of a trial match.
///
/// Everything is in `#live`: the script shows it below the editor, too.
pub fn trial(context: &Context, model: &Trial) -> Markup {
    let slug = &model.arena.slug;
    let back = format!("{}?try={}", link::below(slug, "hand-in"), link::value(&model.id));
    let main = html! {
        h1 { "Trial match" }
        p { a href=(back) { "← Back to the editor" } }
        @let live = if model.is_live() { "true" } else { "false" };
        div #live data-live=(live) data-announce=(announcement(&model.state)) {
            (state(model))
            @if !model.seats.is_empty() { (seats(slug, &model.seats)) }
            @if !model.replay.is_empty() {
                (viewer("Viewer: the trial match", &model.replay, None))
            }
            @if model.can_hand_in { (hand_in(context, model)) }
            (details(model))
        }
    };
    arena_page(context, &model.arena, Tab::HandIn, "Trial match", main)
}

fn announcement(state: &TrialState) -> &'static str {
    match state {
        TrialState::Queued(_) => "The trial match waits",
        TrialState::Building => "The bot is being built",
        TrialState::Playing => "The trial match is being played",
        TrialState::Over => "The trial match is over",
        TrialState::Failed(_) => "The trial match could not be played",
    }
}

fn state(model: &Trial) -> Markup {
    let (turn, most) = model.progress;
    let kind = match model.state {
        TrialState::Failed(_) => "problem",
        TrialState::Over if model.faults.is_empty() => "done",
        TrialState::Over => "warning",
        _ => "plain",
    };
    html! {
        div class={ "notice state " (kind) } {
            p {
                strong { (announcement(&model.state)) ". " }
                @match &model.state {
                    TrialState::Queued(before) => { (grouped(*before)) " are before it." },
                    TrialState::Building => {},
                    TrialState::Playing => {
                        @if turn > 0 {
                            "Turn " (grouped(turn)) @if most > 0 { " of " (grouped(most)) } "."
                        }
                    },
                    TrialState::Over => {
                        @if model.faults.is_empty() {
                            "Your bot made no fault."
                        } @else {
                            "There were faults; they are listed below."
                        }
                    },
                    TrialState::Failed(reason) => (sentence(reason)),
                }
                @if !model.language.is_empty() { " " (badge::plain(&model.language)) }
            }
            @if model.state == TrialState::Playing && most > 0 {
                progress max=(most) value=(turn.min(most)) aria-label="Turns played" {}
            }
            @if model.is_live() { p.reload { a href="" { "Reload" } " to see what is new." } }
        }
    }
}

fn details(model: &Trial) -> Markup {
    html! {
        @if !model.faults.is_empty() {
            section aria-labelledby="faults" {
                h2 #faults { "Faults" }
                (faults::list(&model.seats, &model.faults, model.more_faults))
            }
        }
        @if let Some(output) = &model.build {
            section aria-labelledby="build" {
                h2 #build { "Build" }
                (log(&model.arena.slug, output))
            }
        }
        @if let Some(output) = &model.stderr {
            section aria-labelledby="stderr" {
                h2 #stderr { "stderr of your bot" }
                (log(&model.arena.slug, output))
            }
        }
    }
}

fn hand_in(context: &Context, model: &Trial) -> Markup {
    let action = format!(
        "{}/hand-in",
        link::below(&model.arena.slug, &format!("tries/{}", link::segment(&model.id)))
    );
    form::form(
        context,
        &action,
        html! {
            @if model.arena.own_bot.is_none() {
                (Field {
                    label: "Name of your bot",
                    name: "name",
                    prefix: "trial",
                    value: &model.name,
                    required: true,
                    most: form::MAX_NAME,
                    autocomplete: "off",
                    ..Default::default()
                }.write())
            }
            (Field {
                label: "What changed (optional)",
                name: "message",
                prefix: "trial",
                value: &model.message,
                most: form::MAX_MESSAGE,
                autocomplete: "off",
                ..Default::default()
            }.write())
            (form::replaces("trial", model.replaces.as_deref()))
            button.primary type="submit" { "Hand in this bot" }
        },
    )
}
