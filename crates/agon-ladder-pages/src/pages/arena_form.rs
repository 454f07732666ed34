//! `/admin/arenas/new` and `/admin/arenas/{arena}`.

mod actions;
mod extensions;
mod fields;

use maud::{Markup, html};

use crate::{
    model::{ArenaForm, ArenaHead, BotRef, Context, Lopsided},
    parts::{
        admin::{AdminTab, admin_page},
        bot, form,
        inline::sentence,
        link,
        number::tally,
    },
};

/// Writes the form with which organisers set up an arena.
pub fn arena_form(context: &Context, model: &ArenaForm) -> Markup {
    let (title, action) = match &model.arena {
        None => ("New arena".to_owned(), "/admin/arenas/new".to_owned()),
        Some(arena) => (
            format!("Settings of {}", bot::shown(&arena.title, "the arena")),
            link::admin_arena(&arena.slug),
        ),
    };
    let main = html! {
        h1 { (title) }
        @if let Some(arena) = &model.arena { (actions::actions(context, arena)) }
        (errors(model))
        form.fields.wide method="post" action=(action) {
            (form::csrf(context))
            (fields::about(model))
            (fields::game(model))
            (fields::limits(model))
            (fields::dates(model))
            (fields::bots(model))
            div.actions {
                button.primary type="submit" {
                    @if model.arena.is_some() { "Save" } @else { "Make the arena" }
                }
            }
        }
        @if let Some(arena) = &model.arena {
            (extensions::extensions(context, arena, model))
            (alike(arena, &model.alike))
            (lopsided(arena, &model.lopsided))
        }
    };
    admin_page(context, AdminTab::Arenas, &title, main)
}

/// Lists bots whose names look alike. Nobody can choose such a name any more.
fn alike(arena: &ArenaHead, groups: &[Vec<BotRef>]) -> Markup {
    html! {
        @if !groups.is_empty() {
            section aria-labelledby="alike" {
                h2 #alike { "Names that look alike" }
                p { "These bots had their names before Agon compared what names look like." }
                ul.people {
                    @for group in groups {
                        li { @for one in group { (bot::bot(&arena.slug, one)) " " } }
                    }
                }
            }
        }
    }
}

/// Lists authors who perhaps lose to each other on purpose.
fn lopsided(arena: &ArenaHead, pairs: &[Lopsided]) -> Markup {
    html! {
        @if !pairs.is_empty() {
            section aria-labelledby="lopsided" {
                h2 #lopsided { "Results that stand out" }
                p {
                    "Against the other, the first bot gets much less than all its other results \
                     say. Perhaps their authors have agreed on that: look at the replays. It may \
                     also be honest, if the bot's style happens to lose to the other one."
                }
                div.scroll tabindex="0" role="group" aria-label="Results that stand out" {
                    table.plain {
                        thead {
                            tr {
                                th scope="col" { "Bot" }
                                th scope="col" { "Other bot" }
                                th.n scope="col" title="Won – tied – lost" { "W – T – L" }
                                th.n scope="col" { "Points" }
                                th.n scope="col" { "Expected" }
                            }
                        }
                        tbody { @for one in pairs { (pair(arena, one)) } }
                    }
                }
            }
        }
    }
}

fn pair(arena: &ArenaHead, one: &Lopsided) -> Markup {
    let points = one.tally.wins as f64 + 0.5 * one.tally.ties as f64;
    html! {
        tr {
            th scope="row" { (bot::bot(&arena.slug, &one.loser)) }
            td { (bot::bot(&arena.slug, &one.winner)) }
            td.n { (tally(one.tally)) }
            td.n { (points) }
            td.n { (format!("{:.1}", one.expected)) }
        }
    }
}

/// Lists what is wrong, with links to fields.
fn errors(model: &ArenaForm) -> Markup {
    html! {
        @if !model.errors.is_empty() {
            div.notice.problem role="alert" {
                p { strong { "Not saved. " } "Change these fields:" }
                ul {
                    @for error in &model.errors {
                        li {
                            @if fields::has(&error.field) {
                                a href={ "#" (error.field) } { (sentence(&error.text)) }
                            } @else {
                                (sentence(&error.text))
                            }
                        }
                    }
                }
            }
        }
    }
}
