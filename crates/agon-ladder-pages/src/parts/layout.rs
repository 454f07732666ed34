//! The frame of all pages.

use maud::{DOCTYPE, Markup, html};

use crate::model::Context;

/// Writes a page.
pub(crate) fn page(_: &Context, title: &str, main: Markup) -> Markup {
    html! { (DOCTYPE) html lang="en" { head { title { (title) } } body { main { (main) } } } }
}
