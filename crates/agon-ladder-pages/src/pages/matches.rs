//! `/arenas/{arena}/matches`: the list of matches.

use maud::{Markup, html};

use crate::{
    model::{Context, Matches},
    parts::{
        arena_frame::{Tab, arena_page},
        bot, link,
        match_list::match_list,
        paging::paging,
    },
};

/// Writes the list of matches of an arena.
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
    arena_page(context, &model.arena, Tab::Matches, "Matches", main)
}
