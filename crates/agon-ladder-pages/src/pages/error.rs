//! Errors.

use maud::{Markup, html};

use crate::{
    model::Context,
    parts::{inline::sentence, layout::narrow_page},
};

/// Writes the page of an error: its HTTP status, what is wrong, and what to do. `form` is the page
/// with the form that was sent, if there is one.
pub fn error_page(
    context: &Context,
    status: u16,
    title: &str,
    advice: &str,
    form: Option<&str>,
) -> Markup {
    let main = html! {
        p.status { (status) }
        h1 { (title) }
        @if !advice.is_empty() { p.lead { (sentence(advice)) } }
        p {
            @if let Some(form) = form { a.button.primary href=(form) { "Back to the form" } " " }
            a.button href="/" { "To the arenas" }
        }
    };
    narrow_page(context, title, main)
}
