//! Errors.

use maud::{Markup, html};

use crate::{model::Context, parts::layout::page};

/// Writes the page of an error: its HTTP status, what is wrong, and what to do.
pub fn error_page(context: &Context, status: u16, title: &str, advice: &str) -> Markup {
    page(context, title, html! { h1 { (title) } p { (advice) } p { "Error " (status) } })
}
