//! `/games/{game}`: the rules of a game.

use maud::{Markup, PreEscaped, html};

use crate::{
    model::{Context, GameRules},
    parts::{bot, layout},
};

/// Writes the page with the rules of a game.
pub fn game_rules(context: &Context, model: &GameRules) -> Markup {
    let title = format!("Rules of {}", bot::shown(&model.game, "a game"));
    let main = html! {
        h1 { (title) }
        @if model.contents.is_empty() {
            p.empty { "This game has no rules yet." }
        } @else {
            div.prose { (PreEscaped(&model.contents)) }
        }
    };
    layout::page(context, &title, main)
}
