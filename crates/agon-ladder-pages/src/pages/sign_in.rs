//! `/sign-in`.

use maud::{Markup, html};

use crate::{
    model::{Context, SignIn},
    parts::{
        form::{self, Field},
        layout::narrow_page,
    },
};

/// Writes the page to sign in.
pub fn sign_in(context: &Context, model: &SignIn) -> Markup {
    let main = html! {
        h1 { "Sign in" }
        (form::problem(model.error.as_deref()))
        (form::form(context, "/sign-in", html! {
            (form::hidden("next", &model.next))
            (Field {
                label: "Name",
                name: "name",
                value: &model.name,
                autocomplete: "username",
                required: true,
                ..Default::default()
            }.write())
            (Field {
                label: "Password",
                name: "password",
                kind: "password",
                autocomplete: "current-password",
                required: true,
                ..Default::default()
            }.write())
            button.primary type="submit" { "Sign in" }
        }))
        p.hint {
            "You have no account? Organisers send invitations. You forgot your password? Ask an \
             organiser for a link."
        }
    };
    narrow_page(context, "Sign in", main)
}
