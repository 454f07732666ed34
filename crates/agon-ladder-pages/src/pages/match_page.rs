//! `/arenas/{arena}/matches/{n}`: a match with its viewer.

use maud::{Markup, html};

use crate::{
    model::{Context, MatchPage},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/matches/{n}`: a match with its viewer.
pub fn match_page(context: &Context, model: &MatchPage) -> Markup {
    let _ = model;
    page(context, "match_page", html! { h1 { "match_page" } })
}
