//! Errors.

use maud::{Markup, html};

use crate::{model::Context, parts::layout::narrow_page};

/// Writes the page of an error: its HTTP status, what is wrong, and what to do.
pub fn error_page(context: &Context, status: u16, title: &str, advice: &str) -> Markup {
    let main = html! {
        p.status { (status) }
        h1 { (title) }
        @if !advice.is_empty() { p.lead { (advice) } }
        p { a.button href="/" { "To the arenas" } }
    };
    narrow_page(context, title, main)
}
