//! The front page: arenas, and matches just played.

use maud::{Markup, html};

use crate::{
    model::{Context, Front},
    parts::layout::page,
};

/// Writes the page the front page: arenas, and matches just played.
pub fn front(context: &Context, model: &Front) -> Markup {
    let _ = model;
    page(context, "front", html! { h1 { "front" } })
}
