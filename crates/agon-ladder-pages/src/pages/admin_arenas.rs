//! `/admin/arenas`: all arenas.

use maud::{Markup, html};

use crate::{
    model::{AdminArena, AdminArenas, Context},
    parts::{
        admin::{AdminTab, admin_page},
        badge, bot, link,
        number::grouped,
        time,
    },
};

/// Writes the list of arenas for organisers.
pub fn admin_arenas(context: &Context, model: &AdminArenas) -> Markup {
    let main = html! {
        div.bar {
            h1 { "Arenas" }
            a.button.primary href="/admin/arenas/new" { "New arena" }
        }
        @if model.arenas.is_empty() {
            p.empty { "There is none yet." }
        } @else {
            div.scroll {
                table.plain {
                    thead {
                        tr {
                            th scope="col" { "Arena" }
                            th scope="col" { "Game" }
                            th scope="col" { "Phase" }
                            th.n scope="col" { "Bots" }
                            th.n scope="col" { "Authors" }
                            th.n scope="col" { "Matches" }
                            th.n scope="col" { "Since the start" }
                            th.n scope="col" { "Waiting versions" }
                            th scope="col" { "Deadline" }
                            th scope="col" { "Change" }
                        }
                    }
                    tbody { @for arena in &model.arenas { (line(arena)) } }
                }
            }
        }
    };
    admin_page(context, AdminTab::Arenas, "Arenas", main)
}

fn line(one: &AdminArena) -> Markup {
    let arena = &one.arena;
    let title = bot::shown(&arena.title, "Arena");
    html! {
        tr {
            th.text scope="row" { a href=(link::arena(&arena.slug)) { bdi { (title) } } }
            td { (bot::text(&arena.game)) }
            td { (badge::phase(arena.phase)) }
            td.n { (grouped(arena.bots)) }
            td.n { (grouped(one.authors)) }
            td.n { (grouped(arena.matches)) }
            td.n { (grouped(one.since_start)) }
            td.n { (grouped(one.waiting)) }
            td.date { @if let Some(deadline) = arena.deadline { (time::zoned(deadline)) } }
            td {
                a href=(link::admin_arena(&arena.slug)) {
                    "Settings" span.unseen { " of " (title) }
                }
            }
        }
    }
}
