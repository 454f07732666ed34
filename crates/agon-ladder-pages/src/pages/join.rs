//! `/join/{code}`: a new account by invitation.

use maud::{Markup, html};

use crate::{
    model::{Context, Join},
    parts::layout::page,
};

/// Writes the page `/join/{code}`: a new account by invitation.
pub fn join(context: &Context, model: &Join) -> Markup {
    let _ = model;
    page(context, "join", html! { h1 { "join" } })
}
