//! `/arenas/{arena}/rules`: settings, limits, languages, starter kits.

mod finals;

use crate::guide::RANKING;
use maud::{Markup, html};

use crate::{
    model::{Context, Rules, Setting},
    parts::{
        arena_frame::{Tab, arena_page},
        bot, form,
        inline::sentence,
        link,
        number::counted,
        time,
    },
};

/// Writes the rules of an arena.
pub fn rules(context: &Context, model: &Rules) -> Markup {
    let main = html! {
        h1 { "Rules" }
        @if !model.about.is_empty() { p.lead.paragraphs { (model.about) } }
        div.columns {
            div {
                (game(model))
                (settings("limits", "Limits of bots", &model.limits))
                (languages(model))
                (ranking(model))
            }
            div {
                (dates(context, model))
                (finals::finals(model))
                @if model.final_of.is_none() { (kits(model)) }
                (bosses(model))
            }
        }
    };
    arena_page(context, &model.arena, Tab::Rules, "Rules", main)
}

fn game(model: &Rules) -> Markup {
    let (least, most) = model.players;
    html! {
        section aria-labelledby="game" {
            h2 #game { "The game" }
            p {
                "Bots play " b { (bot::shown(&model.arena.game, "a game")) } ", "
                @if least == most { (most) } @else { (least) " to " (most) }
                " in a match. "
                @if !model.summary.is_empty() { (model.summary) }
            }
            @if !model.game_rules.is_empty() {
                p {
                    a href=(model.game_rules) { "The rules of the game" }
                    " say what a bot sees and what it can answer."
                }
            }
            // Nobody can take part in a final any more.
            @if model.final_of.is_none() {
                p {
                    a href=(link::below(&model.arena.slug, "agents.txt")) {
                        "Everything for taking part as plain text"
                    }
                    ", for coding agents and shells."
                }
            }
            @if !model.settings.is_empty() { (table("Settings of the game", &model.settings)) }
        }
    }
}

fn settings(id: &str, heading: &str, settings: &[Setting]) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (heading) }
            @if settings.is_empty() {
                p.empty { "There are none." }
            } @else {
                (table(heading, settings))
            }
        }
    }
}

fn table(caption: &str, settings: &[Setting]) -> Markup {
    let meanings = settings.iter().any(|setting| !setting.meaning.is_empty());
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table.plain {
                caption.unseen { (caption) }
                thead {
                    tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Value" }
                        @if meanings { th scope="col" { "Meaning" } }
                    }
                }
                tbody {
                    @for setting in settings {
                        tr {
                            th scope="row" { (bot::text(&setting.name)) }
                            td { (bot::text(&setting.value)) }
                            @if meanings { td.text.faint { (sentence(&setting.meaning)) } }
                        }
                    }
                }
            }
        }
    }
}

fn languages(model: &Rules) -> Markup {
    html! {
        section aria-labelledby="languages" {
            h2 #languages { "Languages" }
            @if model.languages.is_empty() { p.empty { "No language is allowed yet." } }
            ul.languages {
                @for language in &model.languages {
                    li {
                        b { (bot::text(&language.name)) }
                        @if !language.version.is_empty() { " " (bot::text(&language.version)) }
                        @if !language.note.is_empty() { " " small { (sentence(&language.note)) } }
                    }
                }
            }
        }
    }
}

/// Explains the ranking.
fn ranking(model: &Rules) -> Markup {
    let paragraphs = match model.final_of {
        None => RANKING.as_slice(),
        Some(_) => finals::RANKING.as_slice(),
    };
    html! {
        section aria-labelledby="ranking" {
            h2 #ranking { "How ranking works" }
            @if !model.ranks.is_empty() { p { (model.ranks) } }
            @for paragraph in paragraphs { p { (paragraph) } }
        }
    }
}

fn dates(context: &Context, model: &Rules) -> Markup {
    let deadline = model.arena.deadline;
    html! {
        section aria-labelledby="dates" {
            h2 #dates { "Dates and hand-ins" }
            dl.pairs {
                @if let Some(begin) = model.begin { dt { "Begins" } dd { (time::zoned(begin)) } }
                dt { "Deadline" }
                dd {
                    @if let Some(deadline) = deadline {
                        (time::zoned(deadline))
                        @if let Some(left) = time::left(context.now, deadline.at) {
                            " · " b { (left) }
                        }
                    } @else {
                        "none"
                    }
                }
                @if let Some(freeze) = model.freeze {
                    dt { "Freeze" }
                    dd {
                        (time::zoned(freeze))
                        small { " From then on nothing is played, and the tables stay." }
                    }
                }
                dt { "Hand-ins" }
                dd {
                    @if model.final_of.is_some() {
                        "none: the versions are fixed"
                    } @else {
                        (counted(u64::from(model.per_day), "version", "versions")) " a day"
                    }
                }
                @if !model.sources.is_empty() { dt { "Sources" } dd { (model.sources) } }
            }
        }
    }
}

fn kits(model: &Rules) -> Markup {
    html! {
        section aria-labelledby="kits" {
            h2 #kits { "Starter kits" }
            @if model.kits.is_empty() {
                p.empty { "There are none for this game." }
            } @else {
                p {
                    "Each has a complete bot that makes random moves. Open one in "
                    a href=(link::below(&model.arena.slug, "hand-in")) { "the editor" }
                    ", or take it to your machine:"
                }
            }
            @for (at, kit) in model.kits.iter().enumerate() {
                @let label = bot::shown(&kit.language, "Kit");
                (form::copied(&format!("kit-{at}"), &label, &kit.command))
                @if !kit.download.is_empty() {
                    p.hint {
                        a href=(kit.download) download { "Download the kit in " (kit.language) }
                    }
                }
            }
        }
    }
}

fn bosses(model: &Rules) -> Markup {
    html! {
        @if !model.bosses.is_empty() {
            section aria-labelledby="bosses" {
                h2 #bosses { "Bosses" }
                p { "Agon's own bots play along as milestones. Can you beat them?" }
                ul.people {
                    @for boss in &model.bosses { li { (bot::bot(&model.arena.slug, boss)) } }
                }
            }
        }
    }
}
