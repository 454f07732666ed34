//! What organisers and administrators see and do.

use agon_ladder::api::{
    AdminPerson, AuditEntry, EraseRequest, Erased, Invitation, InvitationRequest, List, Overview,
    ResetLink, Role, RoleRequest,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    body::JsonBody,
    call::{Call, NoPath, NoQuery, PageQuery, PersonPath, limit, usual},
    cursor::{cut, place},
    failures::unusable,
    reply::{Created, Json},
};
use crate::{
    app::App,
    http::{
        admin::{self, admin_person},
        erasing,
        parts::time::time,
        people_changes,
        reply::{Shown, not_found},
    },
    store::people::Person,
};

pub(super) async fn overview(call: Call<NoPath>) -> Shown<Json<Overview>> {
    Ok(Json(admin::overview(&call.app, &call.caller.visitor).await?))
}

/// Which page of which people.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PeopleQuery {
    /// A part of their names.
    #[serde(default)]
    q: String,
    /// The `next` of the page before.
    #[serde(default)]
    cursor: String,
    /// How many people the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

pub(super) async fn people(call: Call<NoPath, PeopleQuery>) -> Shown<Json<List<AdminPerson>>> {
    let Call { app, caller, query, .. } = call;
    caller.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("people", &query.cursor, |text| Some(text.to_owned()))?;
    let wanted = query.q.trim().to_lowercase();
    let mut people = app.store.people().await?;
    people.retain(|person| person.is_found(&wanted));
    people.retain(|person| last.as_ref().is_none_or(|last| person.name > *last));
    let next = cut("people", &mut people, limit, |person| person.name.clone());
    let seen = app.store.last_seen().await?;
    let mut items = Vec::new();
    for person in &people {
        items.push(admin_person(&app, person, &seen).await?);
    }
    Ok(Json(List { items, next }))
}

/// Returns a person after a change.
async fn changed(app: &App, before: &Person) -> Shown<Json<AdminPerson>> {
    let person = app.store.person_of(before.id).await?.ok_or_else(|| not_found("person"))?;
    let seen = app.store.last_seen().await?;
    Ok(Json(admin_person(app, &person, &seen).await?))
}

pub(super) async fn log(call: Call<NoPath, PageQuery>) -> Shown<Json<List<AuditEntry>>> {
    let Call { app, caller, query, .. } = call;
    caller.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("log", &query.cursor, |text| text.parse::<i64>().ok())?;
    let before = last.unwrap_or(i64::MAX);
    let mut entries = app.store.audit_before(before, limit as u32 + 1).await?;
    let next = cut("log", &mut entries, limit, |(id, _)| id.to_string());
    let shown = |(id, entry): (i64, crate::store::audit::Entry)| AuditEntry {
        id,
        at: time(entry.at),
        person: entry.person,
        action: entry.action,
        subject: entry.subject,
        detail: entry.detail,
    };
    Ok(Json(List { items: entries.into_iter().map(shown).collect(), next }))
}

pub(super) async fn set_role(
    call: Call<PersonPath, NoQuery, JsonBody<RoleRequest>>,
) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let role = body.role;
    let before = people_changes::set_role(&app, &caller.visitor, &path.name, role).await?;
    changed(&app, &before).await
}

pub(super) async fn disable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, .. } = call;
    let before = people_changes::disable(&app, &caller.visitor, &path.name).await?;
    changed(&app, &before).await
}

pub(super) async fn enable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, .. } = call;
    let before = people_changes::enable(&app, &caller.visitor, &path.name).await?;
    changed(&app, &before).await
}

pub(super) async fn erase(
    call: Call<PersonPath, NoQuery, JsonBody<EraseRequest>>,
) -> Shown<Json<Erased>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    Ok(Json(erasing::erase(&app, &caller.visitor, &path.name, &body.confirm).await?))
}

pub(super) async fn reset_link(call: Call<PersonPath>) -> Shown<Created<ResetLink>> {
    let Call { app, caller, path, .. } = call;
    let body = people_changes::reset_link(&app, &caller.visitor, &path.name).await?;
    Ok(Created { body, location: None })
}

pub(super) async fn invite(
    call: Call<NoPath, NoQuery, JsonBody<InvitationRequest>>,
) -> Shown<Created<Invitation>> {
    let Call { app, caller, body: JsonBody(body), .. } = call;
    if !(1..=10_000).contains(&body.uses) || !(1..=366).contains(&body.days) {
        return Err(unusable("An invitation has 1 to 10000 uses, and ends after 1 to 366 days."));
    }
    if body.note.chars().count() > 200 {
        return Err(unusable("The note of an invitation has at most 200 characters."));
    }
    let body = people_changes::invite(&app, &caller.visitor, &body).await?;
    Ok(Created { body, location: None })
}
