//! Erases people: for the page and the API.

use std::time::Duration;

use agon_ladder::api::{Erased, ProblemCode};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::html;
use tokio::{sync::oneshot, time::timeout};

use super::{
    form::Fields,
    parts::{
        form::{self, Field},
        layout::admin_page,
        link, names,
        number::counted,
        time::time,
    },
    people_changes::{check_last, erased_already, refresh},
    reply::{Failure, Shown, again, coded, failure, not_found, to},
    visitor::Visitor,
};
use crate::{
    app::App,
    database::DatabaseError,
    play::Order,
    store::{
        audit,
        erasure::Erasure,
        fresh_id, now,
        people::{Person, Role},
    },
    upkeep::erase_matches,
};

/// How long earlier results may take until they are written.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many names are tried for somebody who was erased.
const NAMES: u32 = 8;

pub(super) async fn page(
    State(app): State<App>,
    Path(name): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let (person, _) = erasable(&app, &visitor, &name).await?;
    erase_page(&app, &visitor, &person, None).await
}

async fn erase_page(
    app: &App,
    visitor: &Visitor,
    person: &Person,
    error: Option<&str>,
) -> Shown<Response> {
    let bots = app.store.bots_of(person.id).await?.len() as u64;
    let main = html! {
        h1 { "Erase " (names::text(&person.name)) }
        (form::problem(error))
        p {
            b { "This cannot be undone." } " Agon removes the account of "
            b { (names::text(&person.name)) } " and all that the person wrote: names, password, \
             sessions, tokens and links; sources, builds, messages and reports of "
            (counted(bots, "bot", "bots"))
            "; what the bots wrote in matches; and the replays of these matches."
        }
        p {
            "The results stay, under a name such as " code { "erased-1a2b3c" } ". So the public \
             log is as before. Backups that were made earlier still have everything."
        }
        p { "To keep a person out without losing anything, disable the account instead." }
        form method="post" action=(link::admin_person(&person.name, "erase")) {
            (form::csrf(visitor))
            (Field {
                label: "Type the name to confirm", name: "confirm", prefix: "erase",
                required: true, most: form::MAX_NAME, autocomplete: "off", ..Default::default()
            })
            div.row.actions {
                button.danger type="submit" { "Erase this person" }
                a href="/admin/people" { "Cancel" }
            }
        }
    };
    Ok(admin_page(visitor, "/admin/people", "Erase a person", main))
}

pub(super) async fn post(
    State(app): State<App>,
    Path(name): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let (person, _) = erasable(&app, &visitor, &name).await?;
    if !is_confirmed(&person, fields.get("confirm")) {
        let error = Some("This is not the name. Nothing was changed.");
        let page = erase_page(&app, &visitor, &person, error).await?;
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page));
    }
    erase(&app, &visitor, &name, fields.get("confirm")).await?;
    Ok(to("/admin/people?done=erased"))
}

/// Finds a person whom an administrator may erase.
async fn erasable<'a>(app: &App, visitor: &'a Visitor, name: &str) -> Shown<(Person, &'a Person)> {
    let by = visitor.must_be(Role::Administrator)?;
    let person = app.store.person(name).await?.ok_or_else(|| not_found("person"))?;
    if person.erased.is_some() {
        return Err(erased_already());
    }
    if person.id == by.id {
        let advice = "Ask another administrator to do it.";
        return Err(failure(409, "You cannot erase yourself", advice));
    }
    check_last(app, &person).await?;
    Ok((person, by))
}

fn is_confirmed(person: &Person, confirm: &str) -> bool {
    confirm.trim().to_lowercase() == person.name
}

/// Erases a person: all that is known of the person, and what the person's bots wrote. The results
/// stay.
///
/// Files are removed later by `upkeep`, which also completes what a crash interrupts.
pub(super) async fn erase(
    app: &App,
    visitor: &Visitor,
    name: &str,
    confirm: &str,
) -> Shown<Erased> {
    let (person, by) = erasable(app, visitor, name).await?;
    if !is_confirmed(&person, confirm) {
        let advice = "`confirm` must be the name of the person. Nothing was changed.";
        return Err(coded(ProblemCode::Unprocessable, "The name is not the same", advice));
    }
    let versions = app.store.versions_of(person.id).await?;
    let bots = app.store.bots_of(person.id).await?;
    let erased = match stop(app, &person, &versions).await {
        Ok(()) => write(app, &person, by.id).await,
        Err(failure) => Err(failure),
    };
    if erased.is_err() {
        app.orders().send(Order::Keep { versions });
    }
    let erased = erased?;
    refresh(app, &bots);
    // If one of these fails, it is done again with the rest.
    if let Err(error) = erase_matches(app, &erased).await {
        tracing::warn!("matches still have what was erased: {error}");
    }
    if let Err(error) = app.store.forget().await {
        tracing::warn!("the database's files still have what was erased: {error}");
    }
    app.doomed.notify_one();
    tracing::info!(person = erased.person, "a person was erased");
    Ok(Erased { id: erased.person, name: erased.alias, erased: time(erased.at) })
}

/// Ends all that a person's bots do, and waits until earlier results are written.
async fn stop(app: &App, person: &Person, versions: &[i64]) -> Shown<()> {
    app.queue().stop(versions);
    app.tries().forget(person.id);
    let (done, written) = oneshot::channel();
    app.orders().send(Order::Erase { versions: versions.to_vec(), done });
    match timeout(PATIENCE, written).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(failure(
            503,
            "The results of matches cannot be written now",
            "Nothing was erased. Try again once the server is well.",
        )),
    }
}

/// Erases a person in one transaction, but for what is in matches.
async fn write(app: &App, person: &Person, by: i64) -> Shown<Erasure> {
    let _alone = app.erasing.write().await;
    let traces = app.store.traces(person).await?;
    for _ in 0..NAMES {
        let alias = format!("erased-{:06x}", fresh_id() & 0xff_ffff);
        let erasure = Erasure { person: person.id, alias, at: now() };
        let mut statements = erasure.statements(&traces);
        statements.push(audit::note(Some(by), "person.erase", &person.id.to_string(), ""));
        match app.store.write(statements).await {
            Ok(()) => return Ok(erasure),
            // Somebody has this name.
            Err(DatabaseError::Taken) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::from(DatabaseError::Taken))
}
