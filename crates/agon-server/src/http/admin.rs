//! Pages of administrators and organisers: overview, people, audit log.

use std::sync::atomic::Ordering;

use agon_arena::SlotCounts;
use agon_ladder_pages::{
    model::{
        AdminPeople, AdminPerson, AuditEntry, AuditLog, ErrorLine, Invitation, Overview, Paging,
        PersonResult, QueueLine, ResetLink, Upload as PeopleUpload,
    },
    pages,
};
use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use super::{
    account::page_role,
    form::{Fields, Upload},
    people_changes::{self, Wanted},
    reply::{Failure, Shown, again, escaped, failure, html, not_found, to},
    visitor::{Visitor, time},
};
use crate::{
    accounts::{name, token::Token},
    app::App,
    database::DatabaseError,
    store::{
        audit, fresh_id, links,
        links::Purpose,
        now,
        people::{PEOPLE_PRIVATE, Person, Role},
        replace_fact,
    },
};

/// How long the links of a class list can be used: 60 days.
const CLASS: i64 = 60 * 24 * 3600 * 1000;

/// The most people of a class list.
const MOST: usize = 2_000;

/// With fewer times the least room on the disk, people read how much that is.
const SOON_LOW: u64 = 16;

/// Entries of the audit log that are shown.
const ENTRIES: u32 = 300;

pub(super) async fn overview(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    let model = overview_model(&app, &visitor).await?;
    Ok(html(pages::admin_overview(&visitor.context(), &model)))
}

/// Returns what the server does.
pub(super) async fn overview_model(app: &App, visitor: &Visitor) -> Shown<Overview> {
    visitor.must_be(Role::Organiser)?;
    let waiting = app.store.open_versions().await?;
    let oldest = waiting.first().map(|version| ((now() - version.created) / 1_000) as u64);
    let SlotCounts { all, playing, waiting: planned } = app.slots().get();
    let problem = |problem: &crate::problems::Problem| ErrorLine {
        at: time(problem.at),
        place: problem.place.to_owned(),
        text: problem.text.clone(),
        count: problem.count,
    };
    let (free, least) = app.disk.room().map_or((0, 0), |room| (room.free, room.least()));
    // Blobs are counted every ten minutes.
    let blobs = u64::try_from(app.metrics.state.blob_bytes.get()).unwrap_or(0);
    let database = app.store.size().await?;
    let queue = vec![
        QueueLine { name: "versions to build".to_owned(), waiting: waiting.len() as u64, oldest },
        QueueLine { name: "matches planned".to_owned(), waiting: planned, oldest: None },
    ];
    let running = (now() - app.site.since).max(1) as f64 / 3_600_000.0;
    let played: u64 = app.arenas().iter().map(|arena| arena.played_since_start()).sum();
    Ok(Overview {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        since: time(app.site.since),
        queue,
        slots: all,
        playing,
        workers: app.site.workers.clone(),
        per_hour: (played as f64 / running.max(1.0 / 60.0)) as u64,
        disk_used: blobs.saturating_add(database),
        disk_free: free,
        disk_least: (free < SOON_LOW * least).then_some(least),
        disk: vec![
            ("files of bots, and replays".to_owned(), blobs),
            ("database".to_owned(), database),
        ],
        errors: app.problems.all().iter().map(problem).collect(),
    })
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PeopleQuery {
    #[serde(default)]
    q: String,
}

/// What has just been done, for the page of people.
#[derive(Default)]
struct Done {
    invitation: Option<Invitation>,
    reset: Option<ResetLink>,
    upload: Option<PeopleUpload>,
}

pub(super) async fn people(
    State(app): State<App>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    people_page(&app, &visitor, &query.q, Done::default()).await
}

async fn people_page(app: &App, visitor: &Visitor, search: &str, done: Done) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let wanted = search.trim().to_lowercase();
    let all = app.store.people().await?;
    let found: Vec<&Person> = all.iter().filter(|person| person.is_found(&wanted)).collect();
    let last_seen = app.store.last_seen().await?;
    let mut people = Vec::new();
    for person in found.iter().take(MOST) {
        people.push(AdminPerson {
            name: person.name.clone(),
            shown: person.shown.clone(),
            role: page_role(person.role),
            bots: app.store.bots_of(person.id).await?.len() as u64,
            since: time(person.created),
            seen: last_seen.get(&person.id).map(|&seen| time(seen)),
            disabled: person.disabled.is_some(),
        });
    }
    let mut invitations: Vec<Invitation> = done.invitation.into_iter().collect();
    for known in app.store.invitations().await? {
        if invitations.iter().all(|new| new.code != known.digest.name()) {
            invitations.push(Invitation {
                code: known.digest.name(),
                // Its secret is not kept.
                address: String::new(),
                role: page_role(known.role),
                note: known.note,
                left: known.uses,
                until: Some(time(known.expires)),
            });
        }
    }
    let model = AdminPeople {
        people,
        search: search.to_owned(),
        paging: Paging { page: 1, pages: 1, total: found.len() as u64, query: String::new() },
        invitations,
        are_private: app.are_people_private.load(Ordering::Relaxed),
        reset: done.reset,
        upload: done.upload,
    };
    Ok(html(pages::admin_people(&visitor.context(), &model)))
}

/// For people who load a page again that showed a link once.
pub(super) async fn to_people() -> Response {
    to("/admin/people")
}

pub(super) async fn invite(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let wrong = |advice: &str| failure(422, "This invitation cannot be made", advice);
    let number = |name: &str, most: u32| {
        let number = fields.get(name).trim().parse::<u32>().ok();
        number.filter(|number| (1..=most).contains(number))
    };
    let wanted = Wanted {
        role: fields.get("role").parse().map_err(|()| no_such_role())?,
        uses: number("uses", people_changes::USES)
            .ok_or_else(|| wrong("Give a number of people from 1 to 10 000."))?,
        days: number("days", people_changes::DAYS)
            .ok_or_else(|| wrong("Give a number of days from 1 to 366."))?,
        note: fields.get("note"),
    };
    let invitation = people_changes::invite(&app, &visitor, &wanted).await?;
    let done = Done { invitation: Some(invitation), ..Done::default() };
    people_page(&app, &visitor, "", done).await
}

fn no_such_role() -> Failure {
    let names = [Role::Author, Role::Organiser, Role::Administrator].map(Role::name);
    failure(422, "There is no such role", format!("Choose one of {}.", names.join(", ")))
}

pub(super) async fn withdraw(
    State(app): State<App>,
    Path(name): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?;
    let all = app.store.invitations().await?;
    let invitation = all.iter().find(|invitation| invitation.digest.name() == name);
    let invitation = invitation.ok_or_else(|| not_found("invitation"))?;
    if invitation.role > by.role {
        return Err(failure(403, "You cannot withdraw this invitation", "Ask an administrator."));
    }
    let role = invitation.role.name();
    app.store
        .write(vec![
            links::withdraw(&invitation.digest),
            audit::note(Some(by.id), "invitation.withdraw", role, ""),
        ])
        .await?;
    Ok(to("/admin/people?done=changed"))
}

/// Says whether visitors see the pages of people.
pub(super) async fn set_privacy(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?;
    let (is_private, value) = match fields.get("private") {
        "yes" => (true, "yes"),
        _ => (false, "no"),
    };
    app.store
        .write(vec![
            replace_fact(PEOPLE_PRIVATE, value.to_owned()),
            audit::note(Some(by.id), "people.private", "", value),
        ])
        .await?;
    app.are_people_private.store(is_private, Ordering::Relaxed);
    Ok(to("/admin/people?done=changed"))
}

/// Sends back to the list of people, with the search that it had.
fn changed(query: &PeopleQuery) -> Response {
    match query.q.as_str() {
        "" => to("/admin/people?done=changed"),
        search => to(&format!("/admin/people?q={}&done=changed", escaped(search))),
    }
}

pub(super) async fn set_role(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let role: Role = fields.get("role").parse().map_err(|()| no_such_role())?;
    people_changes::set_role(&app, &visitor, &name, role).await?;
    Ok(changed(&query))
}

pub(super) async fn reset_link(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let reset = people_changes::reset_link(&app, &visitor, &name).await?;
    let done = Done { reset: Some(reset), ..Done::default() };
    people_page(&app, &visitor, &query.q, done).await
}

pub(super) async fn disable(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    people_changes::disable(&app, &visitor, &name).await?;
    Ok(changed(&query))
}

pub(super) async fn enable(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    people_changes::enable(&app, &visitor, &name).await?;
    Ok(changed(&query))
}

/// Makes an account for each name of a class list, with a link to set its password.
pub(super) async fn upload_people(
    State(app): State<App>,
    visitor: Visitor,
    upload: Upload,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let text = match upload.files.first() {
        Some(file) => text_of(&file.contents),
        None => Some(""),
    };
    let names = names_of(text.unwrap_or_default());
    let is_public = upload.fields.get("public") == "yes";
    let mut result = PeopleUpload::default();
    if text.is_none() {
        let advice = "This file is not text in UTF-8. Save the list as CSV (UTF-8).";
        result.error = Some(advice.to_owned());
    } else if names.is_empty() || names.len() > MOST {
        result.error = Some(format!(
            "The class list has {} names. Upload a CSV file with 1 to {MOST} names: one in the \
             first column of each line.",
            names.len()
        ));
    } else {
        for name in &names {
            let (words, address) = add_person(&app, &visitor.base, name, is_public, by).await?;
            result.people.push(PersonResult {
                name: agon_text::shown_name(name).into_owned(),
                words,
                address,
            });
        }
    }
    let is_wrong = result.error.is_some();
    let done = Done { upload: Some(result), ..Done::default() };
    let page = people_page(&app, &visitor, "", done).await?;
    Ok(if is_wrong { again(StatusCode::UNPROCESSABLE_ENTITY, page) } else { page })
}

/// Returns a class list as text, if it is one.
fn text_of(contents: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(contents).ok()?;
    let is_odd = |c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\n');
    (!text.contains(is_odd)).then_some(text)
}

/// Returns the first column of a class list, without the line of titles.
fn names_of(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let is_between = |c: &char| matches!(c, ',' | ';' | '\t');
    let between = first.chars().find(is_between).unwrap_or(',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(between as u8)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let names = reader.records().filter_map(|record| {
        let name = record.ok()?.get(0)?.trim().to_owned();
        (!name.is_empty() && !name.eq_ignore_ascii_case("name")).then_some(name)
    });
    names.collect()
}

/// Makes an account; returns what became of it, and the link that sets its password.
///
/// Unless its name is public, everybody sees a random one until the person chooses another.
async fn add_person(
    app: &App,
    base: &str,
    name: &str,
    is_public: bool,
    by: i64,
) -> Shown<(String, String)> {
    let name = name::of_real(name);
    if let Err(error) = name::check(&name) {
        return Ok((error, String::new()));
    }
    let mut person = Person::new(&name, Role::Author, None);
    if !is_public {
        person.shown = format!("player-{:08x}", fresh_id() & 0xffff_ffff);
    }
    let code = Token::fresh();
    let written = app
        .store
        .write(vec![
            person.insert(),
            links::make(&code, &Purpose::Reset(person.id), Some(by), now() + CLASS, 1, ""),
            audit::note(Some(by), "person.add", &person.name, "by a class list"),
        ])
        .await;
    match written {
        Ok(()) => Ok((format!("new, as {name}"), format!("{base}/reset/{code}"))),
        Err(DatabaseError::Taken) => {
            let words = "exists already: choose another name, or make a reset link below";
            Ok((words.to_owned(), String::new()))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn audit_log(
    State(app): State<App>,
    Query(query): Query<PeopleQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let wanted = query.q.trim().to_lowercase();
    let entries = app.store.audit(ENTRIES).await?;
    let entries: Vec<AuditEntry> = entries
        .into_iter()
        .map(|entry| AuditEntry {
            at: time(entry.at),
            who: entry.person.unwrap_or_default(),
            address: String::new(),
            action: entry.action,
            subject: entry.subject,
            detail: entry.detail,
        })
        .filter(|entry| {
            [&entry.who, &entry.action, &entry.subject, &entry.detail]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
        })
        .collect();
    let paging = Paging { page: 1, pages: 1, total: entries.len() as u64, query: String::new() };
    let model = AuditLog { entries, search: query.q, paging };
    Ok(html(pages::audit_log(&visitor.context(), &model)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_lists_come_from_all_spreadsheets() {
        let list = "\u{feff}Name;Group\n\"Fox, Fred\";A\nanna;B\n;C\n";
        assert_eq!(names_of(list), ["Fox, Fred", "anna"]);
        assert_eq!(names_of("ben\r\neve\r\n"), ["ben", "eve"]);
        assert_eq!(names_of("\"a,b\",x\n"), ["a,b"]);
        assert!(names_of("").is_empty());
    }
}
