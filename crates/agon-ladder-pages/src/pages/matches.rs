//! `/arenas/{arena}/matches`: the list of matches.

use maud::{Markup, html};

use crate::{
    model::{Context, Matches},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/matches`: the list of matches.
pub fn matches(context: &Context, model: &Matches) -> Markup {
    let _ = model;
    page(context, "matches", html! { h1 { "matches" } })
}
