//! `/people/{name}`: an author with their bots.

use maud::{Markup, html};

use crate::{
    model::{Context, Person},
    parts::layout::page,
};

/// Writes the page `/people/{name}`: an author with their bots.
pub fn person(context: &Context, model: &Person) -> Markup {
    let _ = model;
    page(context, "person", html! { h1 { "person" } })
}
