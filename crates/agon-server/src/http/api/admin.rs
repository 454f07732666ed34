//! What organisers and administrators see and do.

use std::collections::BTreeMap;

use agon_arena::SlotCounts;
use agon_ladder::api::{
    AdminPerson, AuditEntry, Disk, EraseRequest, Erased, Invitation, InvitationRequest, List,
    Overview, Queue, ResetLink, RoleRequest, ServerProblem, Slots,
};
use agon_ladder_pages::model::Time;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    body::JsonBody,
    call::{Call, NoPath, NoQuery, PageQuery, PersonPath, limit, usual},
    convert::at,
    cursor::{cursor, place},
    failures::unusable,
    reply::{Created, Json},
};
use crate::{
    app::App,
    http::{
        admin::overview_model,
        erasing,
        people_changes::{self, Wanted},
        reply::{Shown, not_found},
    },
    store::people::{Person, Role},
};

pub(super) async fn overview(call: Call<NoPath>) -> Shown<Json<Overview>> {
    let model = overview_model(&call.app, &call.caller.visitor).await?;
    let SlotCounts { all, playing, .. } = call.app.slots().get();
    let queue = model.queue.into_iter().map(|line| Queue {
        name: line.name,
        waiting: line.waiting,
        oldest_s: line.oldest,
    });
    let problem = |line: agon_ladder_pages::model::ErrorLine| ServerProblem {
        at: line.at.machine(),
        place: line.place,
        text: line.text,
        count: line.count,
    };
    Ok(Json(Overview {
        version: model.version,
        since: model.since.machine(),
        queues: queue.collect(),
        slots: Slots { total: all, playing },
        matches_per_hour: model.per_hour,
        disk: Disk { used: model.disk_used, free: model.disk_free },
        problems: model.errors.into_iter().map(problem).collect(),
    }))
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
    let is_more = people.len() > limit;
    people.truncate(limit);
    let next = people.last().filter(|_| is_more).map(|person| cursor("people", &person.name));
    let seen = app.store.last_seen().await?;
    let mut items = Vec::new();
    for person in &people {
        items.push(shown(&app, person, &seen).await?);
    }
    Ok(Json(List { items, next }))
}

async fn shown(app: &App, person: &Person, seen: &BTreeMap<i64, i64>) -> Shown<AdminPerson> {
    Ok(AdminPerson {
        id: person.id,
        name: person.name.clone(),
        display_name: person.shown.clone(),
        role: person.role,
        bots: app.store.bots_of(person.id).await?.len() as u64,
        created: at(person.created),
        seen: seen.get(&person.id).copied().map(at),
        disabled: person.disabled.is_some(),
    })
}

/// Returns a person after a change.
async fn changed(app: &App, before: &Person) -> Shown<Json<AdminPerson>> {
    let person = app.store.person_of(before.id).await?.ok_or_else(|| not_found("person"))?;
    let seen = app.store.last_seen().await?;
    Ok(Json(shown(app, &person, &seen).await?))
}

pub(super) async fn log(call: Call<NoPath, PageQuery>) -> Shown<Json<List<AuditEntry>>> {
    let Call { app, caller, query, .. } = call;
    caller.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("log", &query.cursor, |text| text.parse::<i64>().ok())?;
    let before = last.unwrap_or(i64::MAX);
    let mut entries = app.store.audit_before(before, limit as u32 + 1).await?;
    let is_more = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| is_more);
    let next = next.map(|(id, _)| cursor("log", &id.to_string()));
    let shown = |(id, entry): (i64, crate::store::audit::Entry)| AuditEntry {
        id,
        at: at(entry.at),
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
    let done = erasing::erase(&app, &caller.visitor, &path.name, &body.confirm).await?;
    Ok(Json(Erased { id: done.person, name: done.alias, erased: at(done.at) }))
}

fn until(time: Option<Time>) -> String {
    time.unwrap_or_default().machine()
}

pub(super) async fn reset_link(call: Call<PersonPath>) -> Shown<Created<ResetLink>> {
    let Call { app, caller, path, .. } = call;
    let link = people_changes::reset_link(&app, &caller.visitor, &path.name).await?;
    let body = ResetLink { name: link.name, url: link.address, expires: until(link.until) };
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
    let wanted = Wanted { role: body.role, uses: body.uses, days: body.days, note: &body.note };
    let made = people_changes::invite(&app, &caller.visitor, &wanted).await?;
    let body = Invitation {
        id: made.code,
        url: made.address,
        role: body.role,
        uses: made.left,
        note: made.note,
        expires: until(made.until),
    };
    Ok(Created { body, location: None })
}
