//! Signing in and out, joining, and the page of one's own account: password, sessions, tokens.

use agon_ladder::api::{Scope, TOKEN_PREFIX};

use super::credentials::{self, check_login, check_own_password, hash_password, known_network};
use super::{
    guard::set_cookie, parts::layout::narrow_page, people::refresh, prelude::*, reply::own_path,
    visitor::SESSION,
};
use crate::accounts::token::Token as Secret;
use crate::accounts::{name, password};
use crate::store::links::{Link, Purpose};
use crate::store::sessions::Session;
use crate::store::tokens::PersonalToken;
use crate::store::{links, people, sessions, tokens};

/// What is asked before a token is revoked.
const REVOKE: &str = "Programs with this token must sign in again. Revoke it?";

#[derive(Debug, Default, Deserialize)]
pub(super) struct NextQuery {
    #[serde(default)]
    next: String,
}

pub(super) async fn sign_in_page(Get { query, visitor, .. }: Get<(), NextQuery>) -> Response {
    let next = own_path(&query.next);
    match visitor.person {
        Some(_) => to(&next),
        None => sign_in_form(&visitor, "", &next, None),
    }
}

/// Shows the form with the name that was just sent, and what is wrong with it.
fn sign_in_form(visitor: &Visitor, name: &str, next: &str, error: Option<&str>) -> Response {
    let main = html! {
        h1 { "Sign in" }
        (form::problem(error))
        (form::form(visitor, "/sign-in", html! {
            (form::hidden("next", next))
            (Field {
                label: "Name", name: "name", value: name, autocomplete: "username",
                required: true, ..Default::default()
            })
            (Field {
                label: "Password", name: "password", kind: "password",
                autocomplete: "current-password", required: true, ..Default::default()
            })
            button.primary type="submit" { "Sign in" }
        }))
        p.hint {
            "You have no account? Organisers send invitations. You forgot your password? Ask an \
             organiser for a link."
        }
    };
    narrow_page(visitor, "Sign in", main)
}

pub(super) async fn sign_in(Post { app, visitor, fields, .. }: Post) -> Page {
    let name = fields.get("name").trim();
    let next = own_path(fields.get("next"));
    match check_login(&app, visitor.address, name, fields.get("password")).await {
        Ok(person) => begin_session(&app, &visitor, &person, &next).await,
        Err(refusal) if refusal.is_refusal() => {
            let page = sign_in_form(&visitor, name, &next, Some(&refusal.advice));
            Ok(refusal.with_page(page))
        }
        Err(failure) => Err(failure),
    }
}

/// Begins a session, and sends to another page.
async fn begin_session(app: &App, visitor: &Visitor, person: &Person, next: &str) -> Page {
    let token = Secret::fresh();
    let mut statements = vec![sessions::begin(&token, person.id, &visitor.browser)];
    // The secret of the old one would stay valid.
    if let (Some(old), Some(before)) = (&visitor.session, &visitor.person) {
        statements.push(sessions::end(&old.digest(), before.id));
    }
    app.store.write(statements).await?;
    let mut response = to(next);
    set_cookie(app, &mut response, SESSION, &token.to_string(), Some(sessions::LASTS / 1_000));
    Ok(response)
}

pub(super) async fn sign_out(Post { app, visitor, .. }: Post) -> Page {
    if let (Some(session), Some(person)) = (&visitor.session, &visitor.person) {
        app.store.write(vec![sessions::end(&session.digest(), person.id)]).await?;
    }
    let mut response = to("/");
    set_cookie(&app, &mut response, SESSION, "", Some(0));
    Ok(response)
}

/// Finds the link of a code in an address.
async fn link(app: &App, code: &str) -> Shown<(Secret, Link)> {
    let gone = || {
        failure(
            ProblemCode::Gone,
            "This link cannot be used any more",
            "It was used already, or it is too old. Ask the people who gave it to you for another.",
        )
    };
    let code: Secret = code.parse().map_err(|()| gone())?;
    let link = app.store.link(&code).await?.ok_or_else(gone)?;
    Ok((code, link))
}

pub(super) async fn join_page(Get { app, path: code, visitor, .. }: Get<String>) -> Page {
    let (_, link) = link(&app, &code).await?;
    join_form(&visitor, &code, &link, "", None)
}

fn join_form(visitor: &Visitor, code: &str, link: &Link, name: &str, error: Option<&str>) -> Page {
    let Purpose::Join(role) = link.purpose else { return Err(wrong_link()) };
    let main = html! {
        h1 { "Join " (names::shown(layout::site(visitor), "Agon")) }
        p {
            "You are invited"
            @if role > Role::Author { " as " b { (role.name()) } } "."
            " The invitation holds until " (utc(time(link.expires))) "."
        }
        (form::problem(error))
        (form::form(visitor, &format!("/join/{}", link::segment(code)), html! {
            (Field {
                label: "Name", name: "name", value: name, autocomplete: "username",
                hint: "Everybody sees it beside your bots. It has 2 to 32 letters (a-z), digits, \
                       `-`, `_` and `.`, and starts with a letter or digit.",
                required: true, most: form::MAX_NAME, ..Default::default()
            })
            (new_password("Password"))
            button.primary type="submit" { "Make the account" }
        }))
    };
    let page = narrow_page(visitor, "Join", main);
    Ok(if error.is_some() { again(StatusCode::UNPROCESSABLE_ENTITY, page) } else { page })
}

/// The field of a new password.
fn new_password(label: &str) -> Markup {
    html! {
        (Field {
            label, name: "password", kind: "password", autocomplete: "new-password",
            hint: "At least 8 characters. Several words are easier to remember than signs.",
            required: true, ..Default::default()
        })
    }
}

/// The name of an account that exists; programs that keep passwords need it.
fn own_name(name: &str) -> Markup {
    html! {
        (Field {
            label: "Account", name: "account", value: name, autocomplete: "username",
            readonly: true, ..Default::default()
        })
    }
}

fn wrong_link() -> Failure {
    let advice = "Open it exactly as you got it.";
    failure(ProblemCode::NotFound, "This link is for something else", advice)
}

pub(super) async fn join(Post { app, path: code, visitor, fields, .. }: Post<String>) -> Page {
    let (token, link) = link(&app, &code).await?;
    let Purpose::Join(role) = link.purpose else { return Err(wrong_link()) };
    let (name, password) = (fields.get("name").trim(), fields.get("password"));
    let checked = name::check(name).and_then(|()| password::check(password, name));
    if let Err(error) = checked {
        return join_form(&visitor, &code, &link, name, Some(&as_sentence(&error)));
    }
    let hash = hash_password(&app, password.to_owned()).await?;
    let person = Person::new(name, role, Some(hash));
    let statements = vec![
        links::use_once(&token),
        person.insert(),
        known_network(&app, person.id, visitor.address),
        audit::note(Some(person.id), "account.join", &person.name, role.name()),
    ];
    let written = app.store.write(statements).await;
    match written {
        Err(DatabaseError::Taken) => {
            let error = Some("This name is taken; choose another one.");
            return join_form(&visitor, &code, &link, name, error);
        }
        written => written?,
    }
    let next = if role >= Role::Organiser { "/admin/arenas" } else { "/?done=welcome" };
    begin_session(&app, &visitor, &person, next).await
}

pub(super) async fn reset_page(Get { app, path: code, visitor, .. }: Get<String>) -> Page {
    let (_, link) = link(&app, &code).await?;
    let Purpose::Reset(person) = link.purpose else { return Err(wrong_link()) };
    let person = app.store.person_of(person).await?.ok_or_else(wrong_link)?;
    Ok(reset_form(&visitor, &code, &person, None))
}

fn reset_form(visitor: &Visitor, code: &str, person: &Person, error: Option<&str>) -> Response {
    let (title, label) = match person.password {
        None => ("Choose a password", "Password"),
        Some(_) => ("Choose a new password", "New password"),
    };
    let main = html! {
        h1 { (title) }
        @if person.password.is_some() { p { "All sessions of the account end." } }
        (form::problem(error))
        (form::form(visitor, &format!("/reset/{}", link::segment(code)), html! {
            (own_name(&person.name))
            (new_password(label))
            button.primary type="submit" { "Save the password" }
        }))
    };
    narrow_page(visitor, title, main)
}

pub(super) async fn reset(Post { app, path: code, visitor, fields, .. }: Post<String>) -> Page {
    let (token, link) = link(&app, &code).await?;
    let Purpose::Reset(person) = link.purpose else { return Err(wrong_link()) };
    let person = app.store.person_of(person).await?.ok_or_else(wrong_link)?;
    if person.disabled.is_some() {
        return Err(failure(Forbidden, "This account is disabled", "Ask the organisers."));
    }
    let is_first = person.password.is_none();
    if let Err(error) = password::check(fields.get("password"), &person.name) {
        let page = reset_form(&visitor, &code, &person, Some(&as_sentence(&error)));
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page));
    }
    let hash = hash_password(&app, fields.get("password").to_owned()).await?;
    let statements = vec![
        links::use_once(&token),
        people::set_password(person.id, &hash),
        links::take_back(person.id),
        // Whoever knew the old password is signed out.
        sessions::end_others(person.id, None),
        tokens::revoke_all(person.id),
        known_network(&app, person.id, visitor.address),
        audit::note(Some(person.id), "account.password", &person.name, "by a link"),
    ];
    app.store.write(statements).await?;
    let next = if is_first { "/account?done=first" } else { "/?done=password" };
    begin_session(&app, &visitor, &person, next).await
}

pub(super) async fn page(Get { app, visitor, .. }: Get) -> Page {
    account_page(&app, &visitor, None, None).await
}

/// Shows the page with what is wrong, or with the secret of a token that was just made.
async fn account_page(
    app: &App,
    visitor: &Visitor,
    error: Option<&str>,
    new_token: Option<&str>,
) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    let sessions = app.store.sessions(person.id).await?;
    let tokens = app.store.tokens(person.id).await?;
    let main = html! {
        h1 { "Your account" }
        p {
            "You are " (names::person(visitor.name())) ", " (person.role.name())
            ". You sign in as " b { (names::text(&person.name)) } "."
        }
        (form::problem(error))
        (section("display-name", "Your display name", html! {
            (form::form(visitor, "/account/display-name", html! {
                (Field {
                    label: "Display name", name: "name", value: visitor.name(),
                    autocomplete: "nickname", required: true,
                    hint: "Everybody sees it beside your bots. Only organisers see the name with \
                           which you sign in.",
                    ..Default::default()
                })
                button type="submit" { "Change it" }
            }))
        }))
        (section("password-heading", "Change the password", html! {
            (form::form(visitor, "/account/password", html! {
                (own_name(&person.name))
                (Field {
                    label: "Old password", name: "old", kind: "password",
                    autocomplete: "current-password", required: true, ..Default::default()
                })
                (new_password("New password"))
                (form::check("end-tokens", "checkbox", ("tokens", "all"), false, html! {
                    "End all tokens, too. Choose this if somebody else may know the password."
                }))
                button type="submit" { "Change it" }
            }))
        }))
        (section("sessions", "Where you are signed in", sessions_table(visitor, &sessions)))
        (section("tokens", "Tokens", html! {
            p {
                "Programs use a token instead of your password. "
                code { "agon login" } " makes one, too. "
                "A token ends when you revoke it, and after its last day. "
                "One that was made with your password also ends when your password changes."
            }
            @if let Some(secret) = new_token {
                div.notice role="status" {
                    p {
                        strong { "Your new token. " }
                        "Copy it now: this page does not show it again."
                    }
                    (form::copied("new-token", "Token", secret))
                }
            }
            @if !tokens.is_empty() { (tokens_table(visitor, &tokens)) }
            h3 { "New token" }
            (token_form(visitor))
        }))
    };
    Ok(layout::page(visitor, "Account", main))
}

fn sessions_table(visitor: &Visitor, sessions: &[Session]) -> Markup {
    let own = visitor.session.as_ref().map(Secret::digest);
    let heads = [("", "Program"), ("minor", "Since"), ("", "Last used"), ("", "Sign out")];
    let rows = html! {
        @for session in sessions {
            @let action = format!("/account/sessions/{}/sign-out", session.digest.name());
            tr {
                th.text scope="row" {
                    (names::text(&session.browser))
                    @if own.as_ref() == Some(&session.digest) { " " (badge::own("this one")) }
                }
                td.minor { (utc(time(session.created))) }
                td { (ago(time(session.seen))) }
                td { (form::button(visitor, &action, "Sign out", "")) }
            }
        }
    };
    let others = "/account/sessions/sign-out-others";
    html! {
        @if sessions.is_empty() { p.empty { "Nowhere." } } @else { (table("plain", &heads, rows)) }
        @if sessions.len() > 1 {
            (form::button(visitor, others, "Sign out everywhere else", ""))
        }
    }
}

fn tokens_table(visitor: &Visitor, tokens: &[PersonalToken]) -> Markup {
    let heads = [("", "For"), ("", "May"), ("minor", "Last used"), ("", "Until"), ("", "Revoke")];
    let scopes = |token: &PersonalToken| {
        token.scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", ")
    };
    let rows = html! {
        @for token in tokens {
            @let action = format!("/account/tokens/{}/revoke", token.id);
            tr {
                th.text scope="row" {
                    @if token.label.is_empty() { "no name" } @else { (names::text(&token.label)) }
                    @if token.by_password { " " span.hint { "made with the password" } }
                }
                td { (scopes(token)) }
                td.minor { @if let Some(seen) = token.seen { (ago(time(seen))) } @else { "never" } }
                td { (utc(time(token.expires))) }
                td { (form::button(visitor, &action, "Revoke", REVOKE)) }
            }
        }
    };
    table("plain", &heads, rows)
}

/// Writes the form that makes a token.
fn token_form(visitor: &Visitor) -> Markup {
    let scope = |name: &str, words: &str, on: bool| {
        let words = html! { b { (name) } ": " (words) };
        form::check(&format!("token-scope-{name}"), "checkbox", ("scope", name), on, words)
    };
    let fields = html! {
        (Field {
            label: "What it is for", name: "label", prefix: "token",
            hint: "such as the name of a computer", most: 80, ..Default::default()
        })
        fieldset {
            legend { "What it may do" }
            div.boxes {
                (scope("read", "read what you may see", true))
                (scope("submit", "hand in versions, and change your bots", true))
                @if visitor.role() >= Role::Organiser {
                    (scope("manage", "organise: all that your role may do", false))
                }
            }
        }
        (Field {
            label: "How many days it holds", name: "days", prefix: "token", kind: "number",
            value: "90", required: true, ..Default::default()
        })
        button type="submit" { "Make a token" }
    };
    form::form(visitor, "/account/tokens", fields)
}

/// Shows the page once more, with what is wrong with a form of it.
async fn account_again(app: &App, visitor: &Visitor, failure: Failure) -> Page {
    if !failure.is_refusal() {
        return Err(failure);
    }
    let page = account_page(app, visitor, Some(&failure.advice), None).await?;
    Ok(failure.with_page(page))
}

pub(super) async fn set_display_name(Post { app, visitor, fields, .. }: Post) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    let shown = fields.get("name").trim();
    if let Err(error) = name::check(shown) {
        return account_again(&app, &visitor, unusable(as_sentence(&error))).await;
    }
    let statements = vec![
        people::set_shown(person.id, shown),
        audit::note(Some(person.id), "account.display-name", &person.name, shown),
    ];
    let written = app.store.write(statements).await;
    match written {
        Err(DatabaseError::Taken | DatabaseError::Unexpected { .. }) => {
            let taken = unusable("This name is taken; choose another one.");
            return account_again(&app, &visitor, taken).await;
        }
        written => written?,
    }
    // Tables have the names of authors.
    refresh(&app, &app.store.bots_of(person.id).await?);
    Ok(to("/account?done=changed"))
}

pub(super) async fn set_password(Post { app, visitor, fields, .. }: Post) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    let checked = check_own_password(&app, visitor.address, person, fields.get("old")).await;
    if let Err(failure) = checked {
        return account_again(&app, &visitor, failure).await;
    }
    if let Err(error) = password::check(fields.get("password"), &person.name) {
        return account_again(&app, &visitor, unusable(as_sentence(&error))).await;
    }
    let hash = hash_password(&app, fields.get("password").to_owned()).await?;
    let own = visitor.session.as_ref().map(Secret::digest);
    let (revoked, detail) = match fields.get("tokens") {
        "all" => (tokens::revoke_all(person.id), "with all tokens"),
        _ => (tokens::revoke_by_password(person.id), ""),
    };
    let statements = vec![
        people::set_password(person.id, &hash),
        sessions::end_others(person.id, own.as_ref()),
        revoked,
        audit::note(Some(person.id), "account.password", &person.name, detail),
    ];
    app.store.write(statements).await?;
    Ok(to("/account?done=password"))
}

pub(super) async fn end_session(Post { app, path: id, visitor, .. }: Post<String>) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    for session in app.store.sessions(person.id).await? {
        if session.digest.name() == id {
            app.store.write(vec![sessions::end(&session.digest, person.id)]).await?;
        }
    }
    Ok(to("/account?done=signed-out"))
}

pub(super) async fn end_other_sessions(Post { app, visitor, .. }: Post) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    let own = visitor.session.as_ref().map(Secret::digest);
    app.store.write(vec![sessions::end_others(person.id, own.as_ref())]).await?;
    Ok(to("/account?done=signed-out"))
}

/// Makes a token, and shows its secret once.
pub(super) async fn make_token(Post { app, visitor, fields, .. }: Post) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    let refused = async |error: &str| account_again(&app, &visitor, unusable(error)).await;
    let scope = |name: &String| Scope::ALL.into_iter().find(|scope| scope.name() == name);
    let Some(scopes) = fields.all("scope").iter().map(scope).collect::<Option<Vec<_>>>() else {
        return refused("The scopes of a token are `read`, `submit` and `manage`.").await;
    };
    let days = fields.get("days").trim().parse().unwrap_or(0);
    let token = match credentials::new_token(fields.get("label").trim(), &scopes, days, false) {
        Ok(token) => token,
        Err(refusal) => return account_again(&app, &visitor, refusal).await,
    };
    if scopes.contains(&Scope::Manage) && person.role < Role::Organiser {
        return refused("Only organisers can choose the scope `manage`.").await;
    }
    let secret = credentials::make_token(&app, person, &token).await?;
    let secret = format!("{TOKEN_PREFIX}{secret}");
    account_page(&app, &visitor, None, Some(&secret)).await
}

/// For people who load a page again that showed a secret once.
pub(super) async fn to_account() -> Response {
    to("/account")
}

pub(super) async fn revoke_token(Post { app, path: id, visitor, .. }: Post<i64>) -> Page {
    let person = visitor.must_be(Role::Spectator)?;
    // One that is gone already is what was wanted.
    credentials::revoke_token(&app, person, id).await?;
    Ok(to("/account?done=revoked"))
}
