//! Signing in and out, joining, passwords, sessions.

use agon_ladder_pages::{
    model::{Account, Join, Reset, Session, SignIn, Token},
    pages,
};
use axum::{
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::Response,
};
use serde::Deserialize;

use super::{
    credentials::{LoginRefused, check_login, check_own_password, hash_password, known_network},
    form::Fields,
    guard::set_cookie,
    reply::{Failure, Shown, again, failure, html, own_path, to},
    visitor::{SESSION, Visitor, time},
    words::sentence,
};
use crate::{
    accounts::{name, password, token::Token as Secret},
    app::App,
    database::DatabaseError,
    play::Order,
    store::{
        audit,
        links::{self, Link, Purpose},
        people::{self, Person, Role},
        sessions,
        tokens::{self, PersonalToken},
    },
};

#[derive(Debug, Default, Deserialize)]
pub(super) struct NextQuery {
    #[serde(default)]
    next: String,
}

pub(super) async fn sign_in_page(Query(query): Query<NextQuery>, visitor: Visitor) -> Response {
    let next = own_path(&query.next);
    if visitor.person.is_some() {
        return to(&next);
    }
    html(pages::sign_in(&visitor.context(), &SignIn { next, ..SignIn::default() }))
}

pub(super) async fn sign_in(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let name = fields.get("name").trim();
    let next = own_path(fields.get("next"));
    let checked = check_login(&app, visitor.address, name, fields.get("password")).await?;
    let person = match checked {
        Ok(person) => person,
        Err(refused) => {
            let error = Some(refused.to_string());
            let model = SignIn { name: name.to_owned(), error, next };
            return Ok(sign_in_again(&visitor, &model, refused));
        }
    };
    let mut response = to(&next);
    begin_session(&app, &visitor, &person, &mut response).await?;
    Ok(response)
}

fn sign_in_again(visitor: &Visitor, model: &SignIn, refused: LoginRefused) -> Response {
    let page = html(pages::sign_in(&visitor.context(), model));
    match refused {
        LoginRefused::Wrong => again(StatusCode::UNAUTHORIZED, page),
        LoginRefused::TooMany(wait) => {
            let mut page = again(StatusCode::TOO_MANY_REQUESTS, page);
            page.headers_mut().insert(header::RETRY_AFTER, wait.into());
            page
        }
    }
}

async fn begin_session(
    app: &App,
    visitor: &Visitor,
    person: &Person,
    response: &mut Response,
) -> Shown<()> {
    let token = Secret::fresh();
    let mut statements = vec![sessions::begin(&token, person.id, &visitor.browser)];
    // The secret of the old one would stay valid.
    if let (Some(old), Some(before)) = (&visitor.session, &visitor.person) {
        statements.push(sessions::end(&old.digest(), before.id));
    }
    app.store.write(statements).await?;
    set_cookie(app, response, SESSION, &token.to_string(), Some(sessions::LASTS / 1_000));
    Ok(())
}

pub(super) async fn sign_out(
    State(app): State<App>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
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
            410,
            "This link cannot be used any more",
            "It was used already, or it is too old. Ask the people who gave it to you for another.",
        )
    };
    let code: Secret = code.parse().map_err(|()| gone())?;
    let link = app.store.link(&code).await?.ok_or_else(gone)?;
    Ok((code, link))
}

pub(super) async fn join_page(
    State(app): State<App>,
    Path(code): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let (_, link) = link(&app, &code).await?;
    join_form(&visitor, &code, &link, "", None)
}

fn join_form(
    visitor: &Visitor,
    code: &str,
    link: &Link,
    name: &str,
    error: Option<String>,
) -> Shown<Response> {
    let Purpose::Join(role) = link.purpose else { return Err(wrong_link()) };
    let model = Join {
        code: code.to_owned(),
        by: String::new(),
        role: page_role(role),
        until: Some(time(link.expires)),
        name: name.to_owned(),
        name_is_fixed: false,
        error,
    };
    let is_wrong = model.error.is_some();
    let page = html(pages::join(&visitor.context(), &model));
    Ok(if is_wrong { again(StatusCode::UNPROCESSABLE_ENTITY, page) } else { page })
}

fn wrong_link() -> Failure {
    failure(404, "This link is for something else", "Open it exactly as you got it.")
}

/// Returns a role for pages.
pub(super) fn page_role(role: Role) -> agon_ladder_pages::model::Role {
    use agon_ladder_pages::model::Role as PageRole;
    match role {
        Role::Spectator => PageRole::Visitor,
        Role::Author => PageRole::Author,
        Role::Organiser => PageRole::Organiser,
        Role::Administrator => PageRole::Administrator,
    }
}

pub(super) async fn join(
    State(app): State<App>,
    Path(code): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let (token, link) = link(&app, &code).await?;
    let Purpose::Join(role) = link.purpose else { return Err(wrong_link()) };
    let (name, password) = (fields.get("name").trim(), fields.get("password"));
    let checked = name::check(name).and_then(|()| password::check(password, name));
    if let Err(error) = checked {
        return join_form(&visitor, &code, &link, name, Some(sentence(&error)));
    }
    let hash = hash_password(&app, password.to_owned()).await?;
    let person = Person::new(name, role, Some(hash));
    let written = app
        .store
        .write(vec![
            links::use_once(&token),
            person.insert(),
            known_network(&app, person.id, visitor.address),
            audit::note(Some(person.id), "account.join", &person.name, role.name()),
        ])
        .await;
    match written {
        Err(DatabaseError::Taken) => {
            let error = Some("This name is taken; choose another one.".to_owned());
            return join_form(&visitor, &code, &link, name, error);
        }
        written => written?,
    }
    let next = if role >= Role::Organiser { "/admin/arenas" } else { "/?done=welcome" };
    let mut response = to(next);
    begin_session(&app, &visitor, &person, &mut response).await?;
    Ok(response)
}

pub(super) async fn reset_page(
    State(app): State<App>,
    Path(code): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let (_, link) = link(&app, &code).await?;
    let Purpose::Reset(person) = link.purpose else { return Err(wrong_link()) };
    let person = app.store.person_of(person).await?.ok_or_else(wrong_link)?;
    let is_first = person.password.is_none();
    let model = Reset { code, name: person.name, is_first, error: None };
    Ok(html(pages::reset(&visitor.context(), &model)))
}

pub(super) async fn reset(
    State(app): State<App>,
    Path(code): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let (token, link) = link(&app, &code).await?;
    let Purpose::Reset(person) = link.purpose else { return Err(wrong_link()) };
    let person = app.store.person_of(person).await?.ok_or_else(wrong_link)?;
    if person.disabled.is_some() {
        return Err(failure(403, "This account is disabled", "Ask the organisers."));
    }
    let is_first = person.password.is_none();
    if let Err(error) = password::check(fields.get("password"), &person.name) {
        let error = Some(sentence(&error));
        let model = Reset { code, name: person.name, is_first, error };
        let page = html(pages::reset(&visitor.context(), &model));
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page));
    }
    let hash = hash_password(&app, fields.get("password").to_owned()).await?;
    app.store
        .write(vec![
            links::use_once(&token),
            people::set_password(person.id, &hash),
            links::take_back(person.id),
            // Whoever knew the old password is signed out.
            sessions::end_others(person.id, None),
            tokens::revoke_all(person.id),
            known_network(&app, person.id, visitor.address),
            audit::note(Some(person.id), "account.password", &person.name, "by a link"),
        ])
        .await?;
    let mut response = to(if is_first { "/account?done=first" } else { "/?done=password" });
    begin_session(&app, &visitor, &person, &mut response).await?;
    Ok(response)
}

pub(super) async fn page(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    account_page(&app, &visitor, None, None).await
}

/// Shows the page with what is wrong, or with the secret of a token that was just made.
pub(super) async fn account_page(
    app: &App,
    visitor: &Visitor,
    error: Option<String>,
    new_token: Option<String>,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    let own = visitor.session.as_ref().map(Secret::digest);
    let session = |session: &sessions::Session| Session {
        id: session.digest.name(),
        program: session.browser.clone(),
        since: time(session.created),
        seen: time(session.seen),
        current: own.as_ref() == Some(&session.digest),
    };
    let sessions = app.store.sessions(person.id).await?;
    let token = |token: &PersonalToken| Token {
        id: token.id.to_string(),
        label: token.label.clone(),
        scopes: token.scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", "),
        by_password: token.by_password,
        seen: token.seen.map(time),
        until: time(token.expires),
    };
    let tokens = app.store.tokens(person.id).await?;
    let model = Account {
        name: person.name.clone(),
        sessions: sessions.iter().map(session).collect(),
        tokens: tokens.iter().map(token).collect(),
        new_token,
        error,
    };
    Ok(html(pages::account(&visitor.context(), &model)))
}

/// Shows the page once more, with what is wrong with a form of it.
pub(super) async fn account_again(
    app: &App,
    visitor: &Visitor,
    status: StatusCode,
    error: &str,
) -> Shown<Response> {
    Ok(again(status, account_page(app, visitor, Some(error.to_owned()), None).await?))
}

pub(super) async fn set_display_name(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    let shown = fields.get("name").trim();
    if let Err(error) = name::check(shown) {
        let error = sentence(&error);
        return account_again(&app, &visitor, StatusCode::UNPROCESSABLE_ENTITY, &error).await;
    }
    let written = app
        .store
        .write(vec![
            people::set_shown(person.id, shown),
            audit::note(Some(person.id), "account.display-name", &person.name, shown),
        ])
        .await;
    match written {
        Err(DatabaseError::Taken | DatabaseError::Unexpected { .. }) => {
            let error = "This name is taken; choose another one.";
            return account_again(&app, &visitor, StatusCode::UNPROCESSABLE_ENTITY, error).await;
        }
        written => written?,
    }
    // Tables have the names of authors.
    for bot in app.store.bots_of(person.id).await? {
        app.orders().send(Order::Refresh { arena: bot.arena });
        app.arena_of(bot.arena).iter().for_each(|arena| arena.touch());
    }
    Ok(to("/account?done=changed"))
}

pub(super) async fn set_password(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    let checked = check_own_password(&app, visitor.address, person, fields.get("old")).await?;
    if let Err(refused) = checked {
        let (status, error) = match refused {
            LoginRefused::Wrong => (StatusCode::FORBIDDEN, "The old password is wrong.".to_owned()),
            LoginRefused::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, refused.to_string()),
        };
        return account_again(&app, &visitor, status, &error).await;
    }
    if let Err(error) = password::check(fields.get("password"), &person.name) {
        let error = sentence(&error);
        return account_again(&app, &visitor, StatusCode::UNPROCESSABLE_ENTITY, &error).await;
    }
    let hash = hash_password(&app, fields.get("password").to_owned()).await?;
    let own = visitor.session.as_ref().map(Secret::digest);
    let (revoked, detail) = match fields.get("tokens") {
        "all" => (tokens::revoke_all(person.id), "with all tokens"),
        _ => (tokens::revoke_by_password(person.id), ""),
    };
    app.store
        .write(vec![
            people::set_password(person.id, &hash),
            sessions::end_others(person.id, own.as_ref()),
            revoked,
            audit::note(Some(person.id), "account.password", &person.name, detail),
        ])
        .await?;
    Ok(to("/account?done=password"))
}

pub(super) async fn end_session(
    State(app): State<App>,
    Path(id): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    for session in app.store.sessions(person.id).await? {
        if session.digest.name() == id {
            app.store.write(vec![sessions::end(&session.digest, person.id)]).await?;
        }
    }
    Ok(to("/account?done=signed-out"))
}

pub(super) async fn end_other_sessions(
    State(app): State<App>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    let own = visitor.session.as_ref().map(Secret::digest);
    app.store.write(vec![sessions::end_others(person.id, own.as_ref())]).await?;
    Ok(to("/account?done=signed-out"))
}
