//! `/sign-in`.

use maud::{Markup, html};

use crate::{
    model::{Context, SignIn},
    parts::layout::page,
};

/// Writes the page `/sign-in`.
pub fn sign_in(context: &Context, model: &SignIn) -> Markup {
    let _ = model;
    page(context, "sign_in", html! { h1 { "sign_in" } })
}
