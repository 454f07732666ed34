//! `/arenas/{arena}/matrix`: results of every two bots.

use maud::{Markup, html};

use crate::{
    model::{Context, Matrix},
    parts::layout::page,
};

/// Writes the page `/arenas/{arena}/matrix`: results of every two bots.
pub fn matrix(context: &Context, model: &Matrix) -> Markup {
    let _ = model;
    page(context, "matrix", html! { h1 { "matrix" } })
}
