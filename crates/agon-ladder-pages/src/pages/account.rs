//! `/account`: password and sessions.

use maud::{Markup, html};

use crate::{
    model::{Account, Context},
    parts::layout::page,
};

/// Writes the page `/account`: password and sessions.
pub fn account(context: &Context, model: &Account) -> Markup {
    let _ = model;
    page(context, "account", html! { h1 { "account" } })
}
