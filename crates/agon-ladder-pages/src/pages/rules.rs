//! `/arenas/{arena}/rules`: settings, limits, languages, starter kits.

use maud::{Markup, html};

use crate::{
    model::{Context, Rules},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/rules`: settings, limits, languages, starter kits.
pub fn rules(context: &Context, model: &Rules) -> Markup {
    let _ = model;
    page(context, "rules", html! { h1 { "rules" } })
}
