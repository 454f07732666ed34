//! The page of a person.

use agon_ladder::api::{ArenaSummary, BotSummary, Role};
use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::html;

use super::{
    parts::{
        avatar::avatar,
        badge, layout, link,
        lists::{section, table},
        names,
        number::{grouped, rating},
        time::time,
    },
    reply::{Failure, Shown, not_found},
    views,
    visitor::Visitor,
};
use crate::app::App;

pub(super) async fn page(
    State(app): State<App>,
    Path(name): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    if visitor.may_not_see_people(&app) {
        return Err(Failure::sign_in(&visitor.path));
    }
    let person = app.store.person_shown_as(&name).await?.ok_or_else(|| not_found("person"))?;
    let bots = bots_of(&app, person.id, &visitor).await?;
    let name = names::shown(&person.shown, "unnamed");
    let heads = [
        ("", "Bot"),
        ("", "Arena"),
        ("n", "Rank"),
        ("n", "Rating"),
        ("n minor", "Matches"),
        ("minor", "Language"),
    ];
    let rows = html! {
        @for (arena, of) in &bots {
            tr {
                th scope="row" {
                    (names::bot(&arena.slug, &of.bot)) " "
                    (badge::bot(of.state, of.reason.as_deref()))
                }
                td {
                    a href=(link::arena(&arena.slug)) {
                        bdi { (names::shown(&arena.title, "Arena")) }
                    }
                }
                td.n {
                    @if let Some(rank) = of.rank {
                        b { (grouped(rank)) } small { " of " (grouped(arena.bots)) }
                    }
                }
                td.n { @if let Some(own) = &of.rating { (rating(own)) } }
                td.n.minor { (grouped(of.matches)) }
                td.minor { (names::text(of.language.as_deref().unwrap_or_default())) }
            }
        }
    };
    let is_own = visitor.person.as_ref().is_some_and(|own| own.id == person.id);
    let main = html! {
        div.profile {
            (avatar(&person.shown))
            div {
                h1 { bdi { (name) } }
                p.facts {
                    @if person.role > Role::Author { (badge::plain(person.role.name())) }
                    span { "here since " (time(person.created).day()) }
                    @if is_own { a href="/account" { "Your account" } }
                }
            }
        }
        (section("bots", "Bots", html! {
            @if bots.is_empty() { p.empty { "There are none yet." } } @else {
                (table("plain", &heads, rows))
            }
        }))
    };
    Ok(layout::page(&visitor, &name, main))
}

/// Returns a person's bots in all arenas.
pub(super) async fn bots_of(
    app: &App,
    person: i64,
    visitor: &Visitor,
) -> Shown<Vec<(ArenaSummary, BotSummary)>> {
    let mut bots = Vec::new();
    for bot in app.store.bots_of(person).await? {
        let Some(arena) = app.arena_of(bot.arena) else { continue };
        let board = arena.board();
        let active = bot.active.and_then(|id| board.versions.get(&id));
        let bot = views::with_author(app, &board, bot).await?;
        let head = views::head(&arena, &board, visitor);
        bots.push((head.arena, views::bot_summary(&board, &bot, active, visitor)));
    }
    Ok(bots)
}
