//! `/arenas/{arena}`: the leaderboard.

use maud::{Markup, html};

use crate::{
    model::{Context, Leaderboard},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}`: the leaderboard.
pub fn leaderboard(context: &Context, model: &Leaderboard) -> Markup {
    let _ = model;
    page(context, "leaderboard", html! { h1 { "leaderboard" } })
}
