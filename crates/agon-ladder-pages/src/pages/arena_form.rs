//! `/admin/arenas/new` and `/admin/arenas/{arena}`.

use maud::{Markup, html};

use crate::{
    model::{ArenaForm, Context},
    parts::layout::page,
};

/// Writes the page `/admin/arenas/new` and `/admin/arenas/{arena}`.
pub fn arena_form(context: &Context, model: &ArenaForm) -> Markup {
    let _ = model;
    page(context, "arena_form", html! { h1 { "arena_form" } })
}
