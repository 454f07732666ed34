//! `/admin/arenas`: all arenas.

use maud::{Markup, html};

use crate::{
    model::{AdminArenas, Context},
    parts::layout::page,
};

/// Writes the page `/admin/arenas`: all arenas.
pub fn admin_arenas(context: &Context, model: &AdminArenas) -> Markup {
    let _ = model;
    page(context, "admin_arenas", html! { h1 { "admin_arenas" } })
}
