//! `/admin`: queue, slots, disk, errors.

use maud::{Markup, html};

use crate::{
    model::{Context, Overview},
    parts::layout::page,
};

/// Writes the page `/admin`: queue, slots, disk, errors.
pub fn admin_overview(context: &Context, model: &Overview) -> Markup {
    let _ = model;
    page(context, "admin_overview", html! { h1 { "admin_overview" } })
}
