//! `/join/{code}`: a new account by invitation.

use maud::{Markup, html};

use crate::{
    model::{Context, Join, Role},
    parts::{
        bot,
        form::{self, Field},
        layout::{self, narrow_page},
        link, time,
    },
};

/// Writes the page behind an invitation.
pub fn join(context: &Context, model: &Join) -> Markup {
    let main = html! {
        h1 { "Join " (bot::shown(layout::site(context), "Agon")) }
        p {
            @if model.by.is_empty() {
                "You are invited"
            } @else {
                (bot::text(&model.by)) " invites you"
            }
            @if model.role > Role::Author { " as " b { (model.role.name()) } } "."
            @if let Some(until) = model.until {
                " The invitation holds until " (time::utc(until)) "."
            }
        }
        (form::problem(model.error.as_deref()))
        (form::form(context, &format!("/join/{}", link::segment(&model.code)), html! {
            (Field {
                label: "Name",
                name: "name",
                value: &model.name,
                hint: "Everybody sees it beside your bots. It has 2 to 32 letters (a-z), digits, \
                       `-`, `_` and `.`, and starts with a letter or digit.",
                autocomplete: "username",
                required: true,
                readonly: model.name_is_fixed,
                most: form::MAX_NAME,
                ..Default::default()
            }.write())
            (new_password("Password"))
            button.primary type="submit" { "Make the account" }
        }))
    };
    narrow_page(context, "Join", main)
}

/// Writes the field of a new password.
pub(super) fn new_password(label: &str) -> Markup {
    Field {
        label,
        name: "password",
        kind: "password",
        hint: "At least 8 characters. Several words are easier to remember than signs.",
        autocomplete: "new-password",
        required: true,
        ..Default::default()
    }
    .write()
}

/// Writes the name of an account that exists; programs that keep passwords need it.
pub(super) fn own_name(name: &str) -> Markup {
    Field {
        label: "Account",
        name: "account",
        value: name,
        autocomplete: "username",
        readonly: true,
        ..Default::default()
    }
    .write()
}
