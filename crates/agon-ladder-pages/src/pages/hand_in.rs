//! `/arenas/{arena}/hand-in`: three ways to hand in a bot.

use maud::{Markup, html};

use crate::{
    model::{Context, HandIn},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/hand-in`: three ways to hand in a bot.
pub fn hand_in(context: &Context, model: &HandIn) -> Markup {
    let _ = model;
    page(context, "hand_in", html! { h1 { "hand_in" } })
}
