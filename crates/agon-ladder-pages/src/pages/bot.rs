//! `/arenas/{arena}/bots/{slug}`: a bot.

use maud::{Markup, html};

use crate::{
    model::{BotPage, Context},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/bots/{slug}`: a bot.
pub fn bot(context: &Context, model: &BotPage) -> Markup {
    let _ = model;
    page(context, "bot", html! { h1 { "bot" } })
}
