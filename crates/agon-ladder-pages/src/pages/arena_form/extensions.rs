//! Authors with a later deadline than others.

use maud::{Markup, html};

use super::fields::zones;
use crate::{
    model::{ArenaForm, ArenaHead, Context},
    parts::{bot, form, link, time},
};

/// Writes the list of later deadlines, and the form that changes it.
pub(super) fn extensions(context: &Context, arena: &ArenaHead, model: &ArenaForm) -> Markup {
    let action = format!("{}/extensions", link::admin_arena(&arena.slug));
    let offset = arena.deadline.map_or(0, |deadline| deadline.offset);
    html! {
        section aria-labelledby="extensions" {
            h2 #extensions { "Later deadlines" }
            @if model.extensions.is_empty() {
                p.empty { "All authors have the same deadline." }
            } @else {
                ul.people {
                    @for one in &model.extensions {
                        li {
                            b { (bot::shown(&one.shown, "somebody")) } " (" code { (one.name) }
                            "): " (time::zoned(one.until))
                        }
                    }
                }
            }
            form.fields.wide method="post" action=(action) {
                (form::csrf(context))
                div.row {
                    (form::Field {
                        label: "Name of the author",
                        name: "name",
                        required: true,
                        hint: "As for signing in.",
                        ..Default::default()
                    }.write())
                    (form::Field {
                        label: "Hands in until",
                        name: "until",
                        kind: "datetime-local",
                        hint: "Empty: as all others. Nobody can hand in after the freeze.",
                        ..Default::default()
                    }.write())
                    div.field {
                        label for="until_zone" { "Time zone" }
                        select #until_zone name="until_zone" { (zones(offset)) }
                    }
                }
                div.actions { button type="submit" { "Set the deadline" } }
            }
        }
    }
}
