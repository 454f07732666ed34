//! `/arenas/{arena}/matches`: the list of matches.

use maud::{Markup, html};

use crate::{
    model::{Context, Matches, Phase},
    parts::{
        arena_frame::{Tab, arena_page_with_events},
        bot, link,
        match_list::match_list,
        paging::paging,
    },
};

/// Writes the list of matches of an arena. Its first page follows the events of the leaderboard.
pub fn matches(context: &Context, model: &Matches) -> Markup {
    let own = model.bot.as_ref().map(|bot| bot.slug.as_str());
    let main = html! {
        h1 { "Matches" }
        @if let Some(bot) = &model.bot {
            p {
                "Only those of " (bot::bot(&model.arena.slug, bot)) " · "
                a href=(link::below(&model.arena.slug, "matches")) { "Show all" }
            }
        }
        div #live {
            (match_list(context, &model.rows, own))
            (paging(&model.paging, "Pages of the list"))
        }
    };
    let newest = model.paging.page <= 1 && model.arena.phase != Phase::Over;
    let events = newest.then(|| link::below(&model.arena.slug, "events"));
    arena_page_with_events(context, &model.arena, Tab::Matches, "Matches", events, main)
}
