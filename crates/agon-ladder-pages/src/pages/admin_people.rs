//! `/admin/people`: people and invitations.

use maud::{Markup, html};

use crate::{
    model::{AdminPeople, Context},
    parts::layout::page,
};

/// Writes the page `/admin/people`: people and invitations.
pub fn admin_people(context: &Context, model: &AdminPeople) -> Markup {
    let _ = model;
    page(context, "admin_people", html! { h1 { "admin_people" } })
}
