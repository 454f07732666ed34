//! Tokens with which programs use the API.

use maud::{Markup, html};

use crate::{
    model::{Account, Context, Role, Token},
    parts::{
        bot,
        form::{self, Field},
        link,
        time::{ago, utc},
    },
};

/// What is asked before a token is revoked.
const REVOKE: &str = "Programs with this token must sign in again. Revoke it?";

/// Writes the list of tokens, and the form that makes one.
pub(super) fn tokens(context: &Context, model: &Account) -> Markup {
    html! {
        section aria-labelledby="tokens" {
            h2 #tokens { "Tokens" }
            p {
                "Programs use a token instead of your password. "
                code { "agon login" } " makes one, too. "
                "A token ends when you revoke it, and after its last day. "
                "One that was made with your password also ends when your password changes."
            }
            @if let Some(secret) = &model.new_token {
                div.notice role="status" {
                    p {
                        strong { "Your new token. " }
                        "Copy it now: this page does not show it again."
                    }
                    (form::copied("new-token", "Token", secret))
                }
            }
            @if !model.tokens.is_empty() { (list(context, &model.tokens)) }
            h3 { "New token" }
            (new(context))
        }
    }
}

fn list(context: &Context, tokens: &[Token]) -> Markup {
    html! {
        div.scroll {
            table.plain {
                thead {
                    tr {
                        th scope="col" { "For" }
                        th scope="col" { "May" }
                        th.minor scope="col" { "Last used" }
                        th scope="col" { "Until" }
                        th scope="col" { "Revoke" }
                    }
                }
                tbody { @for token in tokens { (line(context, token)) } }
            }
        }
    }
}

fn line(context: &Context, token: &Token) -> Markup {
    let action = format!("/account/tokens/{}/revoke", link::segment(&token.id));
    html! {
        tr {
            th.text scope="row" {
                @if token.label.is_empty() { "no name" } @else { (bot::text(&token.label)) }
                @if token.by_password { " " span.hint { "made with the password" } }
            }
            td { (token.scopes) }
            td.minor {
                @if let Some(seen) = token.seen { (ago(context.now, seen)) } @else { "never" }
            }
            td { (utc(token.until)) }
            td { (form::button(context, &action, "Revoke", REVOKE)) }
        }
    }
}

/// Writes the form that makes a token.
fn new(context: &Context) -> Markup {
    let manages = matches!(context.viewer.role, Role::Organiser | Role::Administrator);
    html! {
        (form::form(context, "/account/tokens", html! {
            (Field {
                label: "What it is for",
                name: "label",
                prefix: "token",
                hint: "such as the name of a computer",
                most: 80,
                ..Default::default()
            }.write())
            fieldset {
                legend { "What it may do" }
                div.boxes {
                    (scope("read", "read what you may see", true))
                    (scope("submit", "hand in versions, and change your bots", true))
                    @if manages { (scope("manage", "organise: all that your role may do", false)) }
                }
            }
            (Field {
                label: "How many days it holds",
                name: "days",
                prefix: "token",
                kind: "number",
                value: "90",
                required: true,
                ..Default::default()
            }.write())
            button type="submit" { "Make a token" }
        }))
    }
}

fn scope(name: &str, words: &str, on: bool) -> Markup {
    html! {
        @let id = format!("token-scope-{name}");
        div.check {
            input id=(id) type="checkbox" name="scope" value=(name) checked[on];
            label for=(id) { b { (name) } ": " (words) }
        }
    }
}
