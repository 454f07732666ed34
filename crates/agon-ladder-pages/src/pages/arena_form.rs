//! `/admin/arenas/new` and `/admin/arenas/{arena}`.

mod actions;
mod extensions;
mod fields;

use maud::{Markup, html};

use crate::{
    model::{ArenaForm, ArenaHead, BotRef, Context},
    parts::{
        admin::{AdminTab, admin_page},
        bot, form,
        inline::sentence,
        link,
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
