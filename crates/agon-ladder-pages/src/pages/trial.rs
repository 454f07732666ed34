//! `/arenas/{arena}/tries/{id}`: a trial match.

use maud::{Markup, html};

use crate::{
    model::{Context, Trial},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/tries/{id}`: a trial match.
pub fn trial(context: &Context, model: &Trial) -> Markup {
    let _ = model;
    page(context, "trial", html! { h1 { "trial" } })
}
