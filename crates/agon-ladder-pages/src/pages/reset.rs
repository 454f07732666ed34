//! `/reset/{code}`: a new password.

use maud::{Markup, html};

use crate::{
    model::{Context, Reset},
    parts::layout::page,
};

/// Writes the page `/reset/{code}`: a new password.
pub fn reset(context: &Context, model: &Reset) -> Markup {
    let _ = model;
    page(context, "reset", html! { h1 { "reset" } })
}
