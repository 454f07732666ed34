//! `/arenas/{arena}/bots/{slug}/versions/{n}`: a version of a bot.

use maud::{Markup, html};

use crate::{
    model::{Context, VersionPage},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/bots/{slug}/versions/{n}`: a version of a bot.
pub fn version(context: &Context, model: &VersionPage) -> Markup {
    let _ = model;
    page(context, "version", html! { h1 { "version" } })
}
