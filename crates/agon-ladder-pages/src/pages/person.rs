//! `/people/{name}`: an author with their bots.

use maud::{Markup, html};

use crate::{
    model::{Context, Person, PersonBot, Role},
    parts::{
        avatar::avatar,
        badge, bot, layout, link,
        number::{grouped, rating},
    },
};

/// Writes the page of a person.
pub fn person(context: &Context, model: &Person) -> Markup {
    let name = bot::shown(&model.name, "unnamed");
    let own = context.viewer.is_signed_in() && context.viewer.name == model.name;
    let main = html! {
        div.profile {
            (avatar(&model.name))
            div {
                h1 { bdi { (name) } }
                p.facts {
                    @if model.role > Role::Author { (badge::plain(model.role.name())) }
                    span { "here since " (model.since.day()) }
                    @if own { a href="/account" { "Your account" } }
                }
            }
        }
        section aria-labelledby="bots" {
            h2 #bots { "Bots" }
            @if model.bots.is_empty() {
                p.empty { "There are none yet." }
            } @else {
                (bots(&model.bots))
            }
        }
    };
    layout::page(context, &name, main)
}

fn bots(bots: &[PersonBot]) -> Markup {
    html! {
        div.scroll {
            table.plain {
                thead {
                    tr {
                        th scope="col" { "Bot" }
                        th scope="col" { "Arena" }
                        th.n scope="col" { "Rank" }
                        th.n scope="col" { "Rating" }
                        th.n.minor scope="col" { "Matches" }
                        th.minor scope="col" { "Language" }
                    }
                }
                tbody { @for bot in bots { (line(bot)) } }
            }
        }
    }
}

fn line(one: &PersonBot) -> Markup {
    let arena = &one.arena;
    html! {
        tr {
            th scope="row" { (bot::bot(&arena.slug, &one.bot)) " " (badge::bot(&one.state)) }
            td {
                a href=(link::arena(&arena.slug)) { bdi { (bot::shown(&arena.title, "Arena")) } }
            }
            td.n {
                @if let Some((rank, of)) = one.rank {
                    b { (grouped(rank)) } small { " of " (grouped(of)) }
                }
            }
            td.n { @if let Some(own) = &one.rating { (rating(own)) } }
            td.n.minor { (grouped(one.matches)) }
            td.minor { (bot::text(&one.language)) }
        }
    }
}
