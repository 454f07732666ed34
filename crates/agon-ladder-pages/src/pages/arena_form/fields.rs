//! The fields of the form.

use maud::{Markup, html};

use crate::{
    model::{ArenaForm, Choice, Sources, ZonedTime},
    parts::{
        bot,
        form::{Field, raw},
    },
};

/// Fields that have an element with their name as its id.
const FIELDS: [&str; 14] = [
    "slug",
    "title",
    "about",
    "game",
    "preset",
    "settings",
    "players_min",
    "players_max",
    "time_ms",
    "memory_mib",
    "begin",
    "deadline",
    "freeze",
    "per_day",
];

/// Returns whether a field has an element that a link can lead to.
pub(super) fn has(field: &str) -> bool {
    FIELDS.contains(&field)
}

/// Returns what is wrong with a field; empty if nothing is.
fn error<'a>(model: &'a ArenaForm, field: &str) -> &'a str {
    model.errors.iter().find(|error| error.field == field).map_or("", |error| &error.text)
}

/// Writes title, address and text.
pub(super) fn about(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Arena" }
            (Field {
                label: "Title",
                name: "title",
                value: &values.title,
                error: error(model, "title"),
                required: true,
                most: 80,
                ..Default::default()
            }.write())
            @if model.arena.is_none() {
                (Field {
                    label: "Address",
                    name: "slug",
                    value: &values.slug,
                    hint: "The last part of its address: small letters, digits and hyphens. It \
                           cannot change later.",
                    error: error(model, "slug"),
                    required: true,
                    most: 40,
                    autocomplete: "off",
                    ..Default::default()
                }.write())
            }
            (Field {
                label: "About",
                name: "about",
                value: &values.about,
                hint: "What authors should know. It is shown above the rules.",
                error: error(model, "about"),
                ..Default::default()
            }.area(3))
        }
    }
}

/// Writes game, preset, settings and the number of players.
pub(super) fn game(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Game" }
            @if model.game_is_fixed {
                p.hint { "Matches were played, so game and settings cannot change any more." }
            }
            div.row { (choose_game(model)) (choose_preset(model)) }
            (Field {
                label: "Other settings",
                name: "settings",
                value: &values.settings,
                hint: "name = value, one a line, in place of those of the preset.",
                error: error(model, "settings"),
                readonly: model.game_is_fixed,
                ..Default::default()
            }.area(4))
            div.row {
                (number(model, "players_min", "Players in a match, at least", &values.players.0))
                (number(model, "players_max", "at most", &values.players.1))
            }
        }
    }
}

fn choose_game(model: &ArenaForm) -> Markup {
    let fixed = model.game_is_fixed;
    html! {
        div.field {
            label for="game" { "Game" }
            select #game name="game" data-presets="preset" {
                @for game in model.games.iter().filter(|g| !fixed || g.id == model.values.game) {
                    option value=(raw(&game.id)) selected[game.id == model.values.game] {
                        (bot::shown(&game.id, "?"))
                        @if !game.about.is_empty() { ": " (game.about) }
                    }
                }
            }
            @let wrong = error(model, "game");
            @if !wrong.is_empty() { p.hint { strong.error { (wrong) } } }
        }
    }
}

/// Presets of all games, in groups; the script shows only those of the chosen game.
fn choose_preset(model: &ArenaForm) -> Markup {
    let values = &model.values;
    let fixed = model.game_is_fixed;
    let open = |preset: &&String| !fixed || **preset == values.preset;
    html! {
        div.field {
            label for="preset" { "Preset" }
            select #preset name="preset" {
                @for game in model.games.iter().filter(|g| !fixed || g.id == values.game) {
                    optgroup label=(bot::shown(&game.id, "?")) {
                        @for preset in game.presets.iter().filter(open)
                        {
                            @let chosen = game.id == values.game && *preset == values.preset;
                            option value=(raw(preset)) selected[chosen] { (preset) }
                        }
                    }
                }
            }
            @let wrong = error(model, "preset");
            @if !wrong.is_empty() { p.hint { strong.error { (wrong) } } }
        }
    }
}

fn number(model: &ArenaForm, name: &str, label: &str, value: &str) -> Markup {
    let error = error(model, name);
    let kind = "number";
    Field { label, name, kind, value, error, required: true, ..Default::default() }.write()
}

/// Writes limits of bots.
pub(super) fn limits(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Limits" }
            div.row {
                (number(model, "time_ms", "Time of a decision, in ms", &values.time_ms))
                (number(model, "memory_mib", "Memory of a bot, in MiB", &values.memory_mib))
                (number(model, "per_day", "Hand-ins a day", &values.per_day))
            }
            (boxes("language", "Allowed languages", &model.languages))
        }
    }
}

/// Writes begin, deadline and freeze.
pub(super) fn dates(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Dates" }
            (date(model, "begin", "Begin", values.begin, "Empty: at once."))
            (date(model, "deadline", "Deadline", values.deadline, "Empty: none."))
            (date(
                model,
                "freeze",
                "Freeze",
                values.freeze,
                "From then on nothing is played, and the tables stay. Empty: never.",
            ))
        }
    }
}

fn date(
    model: &ArenaForm,
    name: &str,
    label: &str,
    value: Option<ZonedTime>,
    hint: &str,
) -> Markup {
    let zone = format!("{name}_zone");
    let chosen = value.map_or(0, |time| time.offset);
    let local = value.map(ZonedTime::local).unwrap_or_default();
    let field = Field {
        label,
        name,
        kind: "datetime-local",
        value: &local,
        hint,
        error: error(model, name),
        ..Default::default()
    };
    html! {
        div.row {
            (field.write())
            div.field {
                label for=(zone) { "Time zone of " (label.to_lowercase()) }
                select id=(zone) name=(zone) { (zones(chosen)) }
            }
        }
    }
}

/// Writes offsets to UTC, with the chosen one even if it is unusual.
fn zones(chosen: i32) -> Markup {
    let mut offsets: Vec<i32> = (-12..=14).map(|hours| 60 * hours).collect();
    offsets.extend([-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, chosen]);
    offsets.sort_unstable();
    offsets.dedup();
    html! {
        @for offset in offsets {
            @let zone = ZonedTime { offset, ..ZonedTime::default() }.zone();
            option value=(zone) selected[offset == chosen] { "UTC" (zone) }
        }
    }
}

/// Writes who can read sources, and which of Agon's bots play along.
pub(super) fn bots(model: &ArenaForm) -> Markup {
    html! {
        fieldset {
            legend { "Bots" }
            fieldset.inner {
                legend { "Who can read the sources of bots" }
                @for choice in Sources::ALL {
                    @let id = format!("sources-{}", choice.id());
                    div.check {
                        input id=(id) type="radio" name="sources" value=(choice.id())
                            checked[choice == model.values.sources];
                        label for=(id) { (choice.words()) }
                    }
                }
            }
            (boxes("boss", "Bosses: bots of Agon that play along", &model.bosses))
        }
    }
}

fn boxes(name: &str, legend: &str, choices: &[Choice]) -> Markup {
    html! {
        fieldset.inner {
            legend { (legend) }
            @if choices.is_empty() { p.hint { "There are none." } }
            div.boxes {
                @for (at, choice) in choices.iter().enumerate() {
                    @let id = format!("{name}-{at}");
                    div.check {
                        input id=(id) type="checkbox" name=(name) value=(raw(&choice.id))
                            checked[choice.on];
                        label for=(id) { (bot::shown(&choice.label, "unnamed")) }
                    }
                }
            }
        }
    }
}
