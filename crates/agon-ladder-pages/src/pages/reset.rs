//! `/reset/{code}`: a new password.

use maud::{Markup, html};

use super::join::{new_password, own_name};
use crate::{
    model::{Context, Reset},
    parts::{form, layout::narrow_page, link},
};

/// Writes the page to choose a new password with a link.
pub fn reset(context: &Context, model: &Reset) -> Markup {
    let (title, label) = match model.is_first {
        true => ("Choose a password", "Password"),
        false => ("Choose a new password", "New password"),
    };
    let main = html! {
        h1 { (title) }
        @if !model.is_first { p { "All sessions of the account end." } }
        (form::problem(model.error.as_deref()))
        (form::form(context, &format!("/reset/{}", link::segment(&model.code)), html! {
            (own_name(&model.name))
            (new_password(label))
            button.primary type="submit" { "Save the password" }
        }))
    };
    narrow_page(context, title, main)
}
