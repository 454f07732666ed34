//! The page of a person.

use agon_ladder_pages::{
    model::{Person, PersonBot},
    pages,
};
use axum::{
    extract::{Path, State},
    response::Response,
};

use super::{
    account::page_role,
    reply::{Failure, Shown, html, not_found},
    views,
    visitor::{Visitor, time},
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
    let mut bots = Vec::new();
    for bot in app.store.bots_of(person.id).await? {
        let Some(arena) = app.arena_of(bot.arena) else { continue };
        let board = arena.board();
        let Some(bot) = board.bots.get(&bot.id) else { continue };
        let version = bot.bot.active.and_then(|id| board.versions.get(&id));
        bots.push(PersonBot {
            arena: views::head(&arena, &board, &visitor),
            bot: views::bot_ref(&board, bot),
            state: views::bot_state(bot),
            rank: bot.rank.map(|rank| (rank, board.playing.len() as u64)),
            rating: version.and_then(|version| views::live_rating(&board, version.id)),
            matches: version.map_or(0, |version| version.matches),
            language: version.map(|version| version.language.clone()).unwrap_or_default(),
        });
    }
    let model = Person {
        name: person.shown,
        role: page_role(person.role),
        since: time(person.created),
        bots,
    };
    Ok(html(pages::person(&visitor.context(), &model)))
}
