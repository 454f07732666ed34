//! The fields of the form.

use maud::{Markup, html};

use crate::{
    model::{ArenaForm, Choice, RankedBy, Sources, ZonedTime},
    parts::{
        bot,
        form::{Field, raw},
        inline::sentence,
    },
};

/// Fields that have an element with their name as its id.
const FIELDS: [&str; 21] = [
    "slug",
    "title",
    "about",
    "game",
    "preset",
    "settings",
    "players",
    "time_ms",
    "memory_mib",
    "strict",
    "begin",
    "deadline",
    "past",
    "freeze",
    "per_day",
    "ranked_by",
    "ranked_after",
    "final_games",
    "final_most",
    "final_minutes",
    "boss",
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
                           cannot change later. Empty: made from the title.",
                    error: error(model, "slug"),
                    most: 40,
                    autocomplete: "off",
                    ..Default::default()
                }.write())
            }
            (Field {
                label: "About",
                name: "about",
                value: &values.about,
                hint: "What authors should know. Everybody sees it on the front page and \
                       above the rules.",
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
                p.hint {
                    "Results count for these settings, so they cannot change. Make another arena \
                     for others."
                }
            }
            div.row { (choose_game(model)) (choose_preset(model)) }
            @if !model.game_is_fixed {
                (Field {
                    label: "Other settings",
                    name: "settings",
                    value: &values.settings,
                    hint: "name = value, one a line, in place of those of the preset. The page \
                           with the rules lists all names.",
                    error: error(model, "settings"),
                    ..Default::default()
                }.area(3))
            }
            (Field {
                readonly: model.game_is_fixed,
                required: true,
                ..number(model, "players", "Players in a match", &values.players)
            }.write())
        }
    }
}

fn choose_game(model: &ArenaForm) -> Markup {
    let fixed = model.game_is_fixed;
    html! {
        div.field {
            label for="game" { "Game" }
            select #game name="game" data-presets="preset" data-groups="boss" {
                @for game in model.games.iter().filter(|g| !fixed || g.id == model.values.game) {
                    option value=(raw(&game.id)) selected[game.id == model.values.game] {
                        (bot::shown(&game.id, "?"))
                        @if !game.about.is_empty() { ": " (game.about) }
                    }
                }
            }
            @let wrong = error(model, "game");
            @if !wrong.is_empty() { p.hint { strong.error { (sentence(wrong)) } } }
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
            @if !wrong.is_empty() { p.hint { strong.error { (sentence(wrong)) } } }
        }
    }
}

fn number<'a>(model: &'a ArenaForm, name: &'a str, label: &'a str, value: &'a str) -> Field<'a> {
    let error = error(model, name);
    Field { label, name, kind: "number", value, error, ..Default::default() }
}

/// Writes limits of bots.
pub(super) fn limits(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Limits" }
            div.row {
                (Field {
                    hint: "Empty: as the game says.",
                    ..number(model, "time_ms", "Time of a decision, in ms", &values.time_ms)
                }.write())
                (Field {
                    hint: "Empty: 1024.",
                    ..number(model, "memory_mib", "Memory of a bot, in MiB", &values.memory_mib)
                }.write())
                (Field {
                    required: true,
                    hint: "For each author.",
                    ..number(model, "per_day", "Hand-ins a day", &values.per_day)
                }.write())
            }
            fieldset.inner {
                legend { "Allowed languages" }
                (boxes("language", &model.languages))
                p.hint { "If you choose none, all are allowed." }
            }
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
            @if !error(model, "past").is_empty() {
                div.check {
                    input #past type="checkbox" name="past" value="yes";
                    label for="past" { "The deadline is in the past: nobody hands in any more" }
                }
            }
            (date(
                model,
                "freeze",
                "Freeze",
                values.freeze,
                "From then on nothing is played, and the tables stay. Empty: never.",
            ))
        }
        (ranks(model))
        (finals(model))
    }
}

/// Writes what decides ranks.
fn ranks(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Ranks" }
            p.hint {
                "For the tables, for grades, and for who takes part in a final. A version that \
                 plays again after a pause or after another version has to play as many matches \
                 again before it has a rank."
            }
            fieldset.inner #ranked_by {
                legend { "Ranks follow" }
                @for choice in RankedBy::ALL {
                    @let id = format!("ranked-by-{}", choice.id());
                    div.check {
                        input id=(id) type="radio" name="ranked_by" value=(choice.id())
                            checked[choice == values.ranked_by];
                        label for=(id) { (choice.words()) }
                    }
                }
                @let wrong = error(model, "ranked_by");
                @if !wrong.is_empty() { p.hint { strong.error { (sentence(wrong)) } } }
            }
            (Field {
                hint: "Empty: 10 for the lower end, 50 for the rating.",
                ..number(model, "ranked_after", "Matches before a rank", &values.ranked_after)
            }.write())
        }
    }
}

/// Writes the fields of the final.
fn finals(model: &ArenaForm) -> Markup {
    let values = &model.values;
    html! {
        fieldset {
            legend { "Final" }
            p.hint {
                "At the freeze all versions are fixed, and everybody meets everybody in an arena \
                 of its own. Choose it before the deadline: its seed is made so that nobody can \
                 know it before, if you announce the final while people still hand in."
            }
            div.row {
                (Field {
                    hint: "For each pair or group. Empty: no final.",
                    ..number(model, "final_games", "Matches of a meeting", &values.final_games)
                }.write())
                (Field {
                    hint: "The best ones, and all of Agon's own. Empty: 64.",
                    ..number(model, "final_most", "Bots of authors, at most", &values.final_most)
                }.write())
                (Field {
                    hint: "So nobody can try seeds. Empty: 10. 0: at once, without protection.",
                    ..number(
                        model,
                        "final_minutes",
                        "Minutes to compute the seed",
                        &values.final_minutes,
                    )
                }.write())
            }
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
pub(super) fn zones(chosen: i32) -> Markup {
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
                legend { "Sandbox" }
                div.check {
                    input #strict type="checkbox" name="strict" value="yes"
                        checked[model.values.is_strict];
                    label for="strict" { "Only on machines that can confine bots fully" }
                }
                @let wrong = error(model, "strict");
                @if !wrong.is_empty() { p.hint { strong.error { (sentence(wrong)) } } }
            }
            fieldset.inner {
                legend { "Names" }
                div.check {
                    input #named type="checkbox" name="named" value="yes"
                        checked[model.values.is_named];
                    label for="named" { "Bots learn whom they meet" }
                }
                p.hint {
                    "Otherwise all have new names in each match, so that no bot treats some \
                     opponents in another way than others. People see who played."
                }
            }
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
            fieldset.inner #boss {
                legend { "Bosses: bots of Agon that play along" }
                (bosses(model))
            }
        }
    }
}

/// Bosses of all games, in groups; the script shows only those of the chosen game.
fn bosses(model: &ArenaForm) -> Markup {
    let fixed = model.game_is_fixed;
    html! {
        @if model.bosses.is_empty() { p.hint { "There are none." } }
        @for (at, choices) in model.bosses.iter().enumerate() {
            @let game = model.games.get(at).map_or("", |game| &game.id);
            div data-group=[(!fixed).then_some("boss")] {
                @if !fixed { p.group { (bot::shown(game, "?")) } }
                (boxes(&format!("boss-{at}"), choices))
            }
        }
    }
}

fn boxes(prefix: &str, choices: &[Choice]) -> Markup {
    let name = prefix.split('-').next().unwrap_or_default();
    html! {
        div.boxes {
            @for (at, choice) in choices.iter().enumerate() {
                @let id = format!("{prefix}-{at}");
                div.check {
                    input id=(id) type="checkbox" name=(name) value=(raw(&choice.id))
                        checked[choice.on];
                    label for=(id) { (bot::shown(&choice.label, "unnamed")) }
                }
            }
        }
    }
}
