//! `/account`: password, sessions and tokens.

mod tokens;

use maud::{Markup, html};

use super::join::{new_password, own_name};
use crate::{
    model::{Account, Context, Session},
    parts::{
        badge, bot,
        form::{self, Field},
        layout, link,
        time::{ago, utc},
    },
};

/// Writes the page of one's own account.
pub fn account(context: &Context, model: &Account) -> Markup {
    let main = html! {
        h1 { "Your account" }
        p {
            "You are " (bot::person(&context.viewer.name)) ", "
            (context.viewer.role.name()) ". You sign in as " b { (bot::text(&model.name)) } "."
        }
        (form::problem(model.error.as_deref()))
        section aria-labelledby="display-name" {
            h2 #display-name { "Your display name" }
            (form::form(context, "/account/display-name", html! {
                (Field {
                    label: "Display name",
                    name: "name",
                    value: &context.viewer.name,
                    autocomplete: "nickname",
                    required: true,
                    hint: "Everybody sees it beside your bots. Only organisers see the name with \
                           which you sign in.",
                    ..Default::default()
                }.write())
                button type="submit" { "Change it" }
            }))
        }
        section aria-labelledby="password-heading" {
            h2 #password-heading { "Change the password" }
            (form::form(context, "/account/password", html! {
                (own_name(&model.name))
                (Field {
                    label: "Old password",
                    name: "old",
                    kind: "password",
                    autocomplete: "current-password",
                    required: true,
                    ..Default::default()
                }.write())
                (new_password("New password"))
                div.check {
                    input #end-tokens type="checkbox" name="tokens" value="all";
                    label for="end-tokens" {
                        "End all tokens, too. Choose this if somebody else may know the password."
                    }
                }
                button type="submit" { "Change it" }
            }))
        }
        section aria-labelledby="sessions" {
            h2 #sessions { "Where you are signed in" }
            (sessions(context, &model.sessions))
        }
        (tokens::tokens(context, model))
    };
    layout::page(context, "Account", main)
}

fn sessions(context: &Context, sessions: &[Session]) -> Markup {
    html! {
        @if sessions.is_empty() {
            p.empty { "Nowhere." }
        } @else {
            div.scroll {
                table.plain {
                    thead {
                        tr {
                            th scope="col" { "Program" }
                            th.minor scope="col" { "Since" }
                            th scope="col" { "Last used" }
                            th scope="col" { "Sign out" }
                        }
                    }
                    tbody { @for session in sessions { (line(context, session)) } }
                }
            }
            @if sessions.len() > 1 {
                (form::button(
                    context,
                    "/account/sessions/sign-out-others",
                    "Sign out everywhere else",
                    "",
                ))
            }
        }
    }
}

fn line(context: &Context, session: &Session) -> Markup {
    let action = format!("/account/sessions/{}/sign-out", link::segment(&session.id));
    html! {
        tr {
            th.text scope="row" {
                (bot::text(&session.program))
                @if session.current { " " (badge::own("this one")) }
            }
            td.minor { (utc(session.since)) }
            td { (ago(context.now, session.seen)) }
            td { (form::button(context, &action, "Sign out", "")) }
        }
    }
}
