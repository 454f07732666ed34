//! Pages of administrators and organisers: overview, people, audit log.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use agon_arena::SlotCounts;
use agon_ladder::api::{
    AdminPerson, AuditEntry, Disk, Invitation, InvitationRequest, Overview, Queue, ServerProblem,
    Slots,
};

use super::people::{self, DAYS, USES};
use super::{parts::lists::bare_table, parts::values::length, prelude::*};
use crate::store::links::Purpose;
use crate::store::{links, replace_fact};
use crate::{accounts::name, accounts::token::Token, store::people::PEOPLE_PRIVATE};

/// How long the links of a class list can be used: 60 days.
const CLASS: i64 = 60 * 24 * 3600 * 1000;

/// The most people of a class list.
const MOST: usize = 2_000;

/// With fewer times the least room on the disk, people read how much that is.
const SOON_LOW: u64 = 16;

/// Entries of the audit log that are shown.
const ENTRIES: u32 = 300;

/// What is asked before an invitation is withdrawn.
const WITHDRAW: &str = "Nobody can use this link any more. Withdraw it?";

/// Returns what the server does.
pub(super) async fn overview(app: &App, visitor: &Visitor) -> Shown<Overview> {
    visitor.must_be(Role::Organiser)?;
    let waiting = app.store.open_versions().await?;
    let oldest_s = waiting.first().map(|version| ((now() - version.created) / 1_000) as u64);
    let SlotCounts { all, playing, waiting: planned } = app.slots.get();
    let problem = |problem: &crate::health::Problem| ServerProblem {
        at: time(problem.at),
        place: problem.place.to_owned(),
        text: problem.text.clone(),
        count: problem.count,
    };
    let builds =
        Queue { name: "versions to build".to_owned(), waiting: waiting.len() as u64, oldest_s };
    let matches = Queue { name: "matches planned".to_owned(), waiting: planned, oldest_s: None };
    let running = (now() - app.site.since).max(1) as f64 / 3_600_000.0;
    let played: u64 = app.arenas().iter().map(|arena| arena.played.load(Ordering::Relaxed)).sum();
    Ok(Overview {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        since: time(app.site.since),
        queues: vec![builds, matches],
        slots: Slots { total: all, playing },
        matches_per_hour: (played as f64 / running.max(1.0 / 60.0)) as u64,
        disk: Disk {
            used: blob_bytes(app).saturating_add(app.store.database.size().await?),
            free: app.disk.room().map_or(0, |room| room.free),
        },
        problems: app.problems.all().iter().map(problem).collect(),
    })
}

/// Returns the bytes of files of bots and replays, which are counted every ten minutes.
fn blob_bytes(app: &App) -> u64 {
    u64::try_from(app.metrics.state.blob_bytes.get()).unwrap_or(0)
}

pub(super) async fn overview_page(Get { app, visitor, .. }: Get) -> Page {
    let overview = overview(&app, &visitor).await?;
    let Overview { slots, disk, .. } = &overview;
    let waiting: u64 = overview.queues.iter().map(|queue| queue.waiting).sum();
    let queues = html! {
        @for queue in &overview.queues {
            tr {
                th.text scope="row" { (names::text(&queue.name)) }
                td.n { (grouped(queue.waiting)) }
                td.n { (queue.oldest_s.map(length).unwrap_or_default()) }
            }
        }
    };
    let problems = html! {
        @for problem in &overview.problems {
            tr {
                td.n { (ago(problem.at)) }
                th scope="row" { (names::text(&problem.place)) }
                td.n { (grouped(problem.count)) }
                td.text { (problem.text) }
            }
        }
    };
    let main = html! {
        h1 { "Server" }
        div #live {
            dl.figures {
                div {
                    dt { "Slots in use" }
                    dd {
                        b { (grouped(slots.playing)) } small { " of " (grouped(slots.total)) }
                    }
                }
                div { dt { "Waiting" } dd { b { (grouped(waiting)) } } }
                div { dt { "Matches an hour" } dd { b { (grouped(overview.matches_per_hour)) } } }
                div { dt { "Disk, free" } dd { b { (bytes(disk.free)) } } }
            }
            div.columns {
                div {
                    (section("queue", "Queue", bare_table(
                        "plain", &[("", "What"), ("n", "Waiting"), ("n", "Oldest")], queues,
                    )))
                }
                div {
                    (section("disk", "Disk", disk_use(&app, disk)))
                    (section("about", "Program", html! {
                        p {
                            "Agon " (names::text(&overview.version)) ", running since "
                            (utc(overview.since)) "."
                        }
                        @if let Some(workers) = &app.site.workers {
                            p { "Matches are played by the workers of " (names::text(workers)) "." }
                        }
                    }))
                }
            }
            (section("errors", "Errors", html! {
                @if overview.problems.is_empty() { p.empty { "There were none." } } @else {
                    @let heads = [("", "Last seen"), ("", "Where"), ("n", "Times"), ("", "What")];
                    (wide_table("Errors", "plain", &heads, problems))
                }
            }))
        }
    };
    Ok(admin_page(&visitor, "/admin", "Server", main))
}

fn disk_use(app: &App, disk: &Disk) -> Markup {
    let all = disk.used.saturating_add(disk.free).max(1);
    let least = app.disk.room().map_or(0, |room| room.least());
    let blobs = blob_bytes(app);
    let database = disk.used.saturating_sub(blobs);
    let rows = html! {
        @for (name, size) in [("files of bots, and replays", blobs), ("database", database)] {
            tr { th.text scope="row" { (names::text(name)) } td.n { (bytes(size)) } }
        }
    };
    html! {
        p {
            meter min="0" max=(all) value=(disk.used) aria-label="Used by the ladder" {}
            " The ladder uses " (bytes(disk.used)) ", and " (bytes(disk.free))
            " are left for it."
        }
        @if disk.free < SOON_LOW * least {
            p { "With less than " (bytes(least)) " left, it accepts and plays nothing." }
        }
        (bare_table("plain", &[("", "What"), ("n", "Size")], rows))
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PeopleQuery {
    #[serde(default)]
    q: String,
}

pub(super) async fn people(Get { app, query, visitor, .. }: Get<(), PeopleQuery>) -> Page {
    people_page(&app, &visitor, &query.q, html! {}, None).await
}

/// Returns a person as organisers see it. `seen` says when people were last here.
pub(super) async fn admin_person(
    app: &App,
    person: &Person,
    seen: &BTreeMap<i64, i64>,
) -> Shown<AdminPerson> {
    Ok(AdminPerson {
        id: person.id,
        name: person.name.clone(),
        display_name: person.shown.clone(),
        role: person.role,
        bots: app.store.bots_of(person.id).await?.len() as u64,
        created: time(person.created),
        seen: seen.get(&person.id).copied().map(time),
        disabled: person.disabled.is_some(),
    })
}

/// Shows the page of people, with what has just been done, and the invitation that was just made.
async fn people_page(
    app: &App,
    visitor: &Visitor,
    search: &str,
    done: Markup,
    new: Option<Invitation>,
) -> Page {
    visitor.must_be(Role::Organiser)?;
    let wanted = search.trim().to_lowercase();
    let all = app.store.people().await?;
    let found: Vec<&Person> = all.iter().filter(|person| person.is_found(&wanted)).collect();
    let seen = app.store.last_seen().await?;
    let mut people = Vec::new();
    for person in found.iter().take(MOST) {
        people.push(admin_person(app, person, &seen).await?);
    }
    let mut invitations: Vec<Invitation> = new.into_iter().collect();
    for known in app.store.invitations().await? {
        if invitations.iter().all(|new| new.id != known.digest.name()) {
            invitations.push(Invitation {
                id: known.digest.name(),
                // Its secret is not kept.
                url: String::new(),
                role: known.role,
                note: known.note,
                uses: known.uses,
                expires: time(known.expires),
            });
        }
    }
    let is_private = app.are_people_private.load(Ordering::Relaxed);
    let main = html! {
        h1 { "People" }
        (done)
        div.bar {
            p { (counted(found.len() as u64, "account", "accounts")) }
            (form::search("/admin/people", "Name", "Name", search, html! {}))
        }
        (people_table(visitor, &people, search))
        (section("invitations", "Invitations", invitations_list(visitor, &invitations)))
        div.columns {
            (section("invite", "Invite people", invite_form(visitor)))
            (section("class", "Class list", html! {
                p {
                    "A CSV file with a name in the first column of each line. Each name becomes an \
                     author, and gets a personal link to set a password. A first line with the \
                     title " code { "name" } " is left out."
                }
                form.fields method="post" action="/admin/people/upload"
                    enctype="multipart/form-data" {
                    (form::csrf(visitor))
                    div.field {
                        label for="list" { "Class list (CSV file)" }
                        input #list name="list" type="file" accept=".csv,text/csv" required;
                    }
                    (form::check("public", "checkbox", ("public", "yes"), false, html! {
                        "Everybody sees these names beside the bots. Otherwise each author gets a \
                         display name such as " code { "player-1a2b3c4d" } ", and can change it."
                    }))
                    button type="submit" { "Upload the class list" }
                }
            }))
        }
        (section("privacy", "Who sees the pages of people", html! {
            (form::form(visitor, "/admin/privacy", html! {
                (form::check("private", "checkbox", ("private", "yes"), is_private, html! {
                    "Only people with an account. Tables still show the names of authors."
                }))
                button type="submit" { "Save" }
            }))
        }))
    };
    Ok(admin_page(visitor, "/admin/people", "People", main))
}

fn people_table(visitor: &Visitor, people: &[AdminPerson], search: &str) -> Markup {
    if people.is_empty() {
        return html! { p.empty { "Nobody is found." } };
    }
    // The list keeps its search after a form.
    let query =
        if search.is_empty() { String::new() } else { format!("?q={}", link::value(search)) };
    let rows = html! {
        @for (at, person) in people.iter().enumerate() {
            @let action = |name: &str| format!("{}{query}", link::admin_person(&person.name, name));
            @let id = format!("role-{at}");
            tr {
                th.text scope="row" {
                    (names::person(&person.display_name))
                    @if person.display_name.to_lowercase() != person.name {
                        br; "signs in as " (names::text(&person.name))
                    }
                    @if person.disabled { " " (badge::plain("disabled")) }
                }
                td {
                    form.row.single method="post" action=(action("role")) {
                        (form::csrf(visitor))
                        label.unseen for=(id) { "Role of " (names::text(&person.name)) }
                        select id=(id) name="role" { (roles(person.role)) }
                        button type="submit" { "Set" }
                    }
                }
                td.n.less { (grouped(person.bots)) }
                td.n.minor { (person.created.day()) }
                td.n.minor { @if let Some(seen) = person.seen { (ago(seen)) } @else { "never" } }
                td.row {
                    (form::button(visitor, &action("reset"), "Reset link", ""))
                    @if person.disabled {
                        (form::button(visitor, &action("enable"), "Enable", ""))
                    } @else {
                        (form::button(
                            visitor,
                            &action("disable"),
                            "Disable",
                            "This person cannot sign in any more, and their bots stop. Disable?",
                        ))
                    }
                    @if visitor.role() == Role::Administrator
                        && person.display_name != visitor.name() {
                        a href=(link::admin_person(&person.name, "erase")) {
                            "Erase" span.unseen { " " (person.name) } "…"
                        }
                    }
                }
            }
        }
    };
    html! {
        (table("plain stacked", &[("", "Name"), ("", "Role"), ("n less", "Bots"),
            ("n minor", "Since"), ("n minor", "Last here"), ("", "Account")], rows))
    }
}

/// Writes the options of a role.
fn roles(chosen: Role) -> Markup {
    html! {
        @for role in [Role::Author, Role::Organiser, Role::Administrator] {
            option value=(role.name()) selected[role == chosen] { (role.name()) }
        }
    }
}

fn invitations_list(visitor: &Visitor, invitations: &[Invitation]) -> Markup {
    let heads = [("", "Role"), ("", "For"), ("n", "Uses left"), ("n", "Until"), ("", "Withdraw")];
    let rows = html! {
        @for one in invitations {
            @let action = format!("/admin/invitations/{}/withdraw", link::segment(&one.id));
            tr {
                td { (one.role.name()) }
                td.text { (names::text(&one.note)) }
                td.n { (grouped(one.uses)) }
                td.n { (one.expires.day()) }
                td { (form::button(visitor, &action, "Withdraw", WITHDRAW)) }
            }
        }
    };
    html! {
        @for (at, one) in invitations.iter().enumerate().filter(|(_, one)| !one.url.is_empty()) {
            div.notice.done {
                p { "Copy this link now, and send it to the people whom you invite." }
                (form::copied(&format!("invitation-{at}"), "Link of the invitation", &one.url))
            }
        }
        @if invitations.is_empty() { p.empty { "There are none." } } @else {
            (table("plain", &heads, rows))
            p.hint { "A link is shown only when it is made." }
        }
    }
}

fn invite_form(visitor: &Visitor) -> Markup {
    let fields = html! {
        div.field {
            label for="invite-role" { "Role" }
            select #invite-role name="role" { (roles(Role::Author)) }
        }
        (Field {
            label: "How many people can use it", name: "uses", prefix: "invite", kind: "number",
            value: "1", required: true, ..Default::default()
        })
        (Field {
            label: "How many days it holds", name: "days", prefix: "invite", kind: "number",
            value: "14", required: true, ..Default::default()
        })
        (Field {
            label: "What it is for (optional)", name: "note", prefix: "invite",
            most: form::MAX_MESSAGE, ..Default::default()
        })
        button type="submit" { "Make a link" }
    };
    form::form(visitor, "/admin/invitations", fields)
}

/// For people who load a page again that showed a link once.
pub(super) async fn to_people() -> Response {
    to("/admin/people")
}

pub(super) async fn invite(Post { app, visitor, fields, .. }: Post) -> Page {
    visitor.must_be(Role::Organiser)?;
    let wrong = |advice: &str| failure(Unprocessable, "This invitation cannot be made", advice);
    let number = |name: &str, most: u32| {
        let number = fields.get(name).trim().parse::<u32>().ok();
        number.filter(|number| (1..=most).contains(number))
    };
    let wanted = InvitationRequest {
        role: fields.get("role").parse().map_err(|()| no_such_role())?,
        uses: number("uses", USES)
            .ok_or_else(|| wrong("Give a number of people from 1 to 10 000."))?,
        days: number("days", DAYS).ok_or_else(|| wrong("Give a number of days from 1 to 366."))?,
        note: fields.get("note").to_owned(),
    };
    let invitation = people::invite(&app, &visitor, &wanted).await?;
    people_page(&app, &visitor, "", html! {}, Some(invitation)).await
}

fn no_such_role() -> Failure {
    let names = [Role::Author, Role::Organiser, Role::Administrator].map(Role::name);
    failure(Unprocessable, "There is no such role", format!("Choose one of {}.", names.join(", ")))
}

pub(super) async fn withdraw(Post { app, path: name, visitor, .. }: Post<String>) -> Page {
    let by = visitor.must_be(Role::Organiser)?;
    let all = app.store.invitations().await?;
    let invitation = all.iter().find(|invitation| invitation.digest.name() == name);
    let invitation = invitation.ok_or_else(|| not_found("invitation"))?;
    if invitation.role > by.role {
        let advice = "Ask an administrator.";
        return Err(failure(Forbidden, "You cannot withdraw this invitation", advice));
    }
    let role = invitation.role.name();
    let statements = vec![
        links::withdraw(&invitation.digest),
        audit::note(Some(by.id), "invitation.withdraw", role, ""),
    ];
    app.store.write(statements).await?;
    Ok(to("/admin/people?done=changed"))
}

/// Says whether visitors see the pages of people.
pub(super) async fn set_privacy(Post { app, visitor, fields, .. }: Post) -> Page {
    let by = visitor.must_be(Role::Organiser)?;
    let (is_private, value) = match fields.get("private") {
        "yes" => (true, "yes"),
        _ => (false, "no"),
    };
    let statements = vec![
        replace_fact(PEOPLE_PRIVATE, value.to_owned()),
        audit::note(Some(by.id), "people.private", "", value),
    ];
    app.store.write(statements).await?;
    app.are_people_private.store(is_private, Ordering::Relaxed);
    Ok(to("/admin/people?done=changed"))
}

/// Sends back to the list of people, with the search that it had.
fn changed(query: &PeopleQuery) -> Response {
    match query.q.as_str() {
        "" => to("/admin/people?done=changed"),
        search => to(&format!("/admin/people?q={}&done=changed", link::value(search))),
    }
}

pub(super) async fn set_role(post: Post<String, PeopleQuery>) -> Page {
    let Post { app, path: name, query, visitor, fields } = post;
    let role: Role = fields.get("role").parse().map_err(|()| no_such_role())?;
    people::set_role(&app, &visitor, &name, role).await?;
    Ok(changed(&query))
}

pub(super) async fn reset_link(post: Post<String, PeopleQuery>) -> Page {
    let Post { app, path: name, query, visitor, .. } = post;
    let reset = people::reset_link(&app, &visitor, &name).await?;
    let done = html! {
        div.notice.done {
            p {
                "Send this link to " b { (names::text(&reset.name)) }
                ". It works once, and is shown only now."
                " It holds until " (utc(reset.expires)) "."
            }
            (form::copied("reset-link", "Link to choose a new password", &reset.url))
        }
    };
    people_page(&app, &visitor, &query.q, done, None).await
}

pub(super) async fn disable(post: Post<String, PeopleQuery>) -> Page {
    let Post { app, path: name, query, visitor, .. } = post;
    people::disable(&app, &visitor, &name).await?;
    Ok(changed(&query))
}

pub(super) async fn enable(post: Post<String, PeopleQuery>) -> Page {
    let Post { app, path: name, query, visitor, .. } = post;
    people::enable(&app, &visitor, &name).await?;
    Ok(changed(&query))
}

/// Makes an account for each name of a class list, with a link to set its password.
pub(super) async fn upload_people(Get { app, visitor, .. }: Get, upload: Upload) -> Page {
    let by = visitor.must_be(Role::Organiser)?.id;
    let text = match upload.files.first() {
        Some(file) => text_of(&file.contents),
        None => Some(""),
    };
    let names = names_of(text.unwrap_or_default());
    let is_public = upload.fields.get("public") == "yes";
    let mut error = None;
    // For each person: the name in the list, what became of it, and the link to set a password.
    let mut people = Vec::new();
    if text.is_none() {
        let advice = "This file is not text in UTF-8. Save the list as CSV (UTF-8).";
        error = Some(advice.to_owned());
    } else if names.is_empty() || names.len() > MOST {
        error = Some(format!(
            "The class list has {} names. Upload a CSV file with 1 to {MOST} names: one in the \
             first column of each line.",
            names.len()
        ));
    } else {
        for name in &names {
            let (words, address) = add_person(&app, &visitor.base, name, is_public, by).await?;
            people.push((agon_core::text::shown_name(name), words, address));
        }
    }
    let heads = [("", "Name"), ("", "Result"), ("", "Link to set a password")];
    let rows = html! {
        @for (name, words, address) in &people {
            tr {
                th scope="row" { (names::text(name)) }
                td.text { (sentence(words)) }
                td.text { @if !address.is_empty() { code { (names::text(address)) } } }
            }
        }
    };
    let done = html! {
        (form::problem(error.as_deref()))
        @if !people.is_empty() {
            @let title = "The class list";
            (section("uploaded", title, wide_table(title, "plain stacked", &heads, rows)))
        }
    };
    let page = people_page(&app, &visitor, "", done, None).await?;
    Ok(if error.is_some() { again(StatusCode::UNPROCESSABLE_ENTITY, page) } else { page })
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
    let statements = vec![
        person.insert(),
        links::make(&code, &Purpose::Reset(person.id), Some(by), now() + CLASS, 1, ""),
        audit::note(Some(by), "person.add", &person.name, "by a class list"),
    ];
    let written = app.store.write(statements).await;
    match written {
        Ok(()) => Ok((format!("new, as {name}"), format!("{base}/reset/{code}"))),
        Err(DatabaseError::Taken) => {
            let words = "exists already: choose another name, or make a reset link below";
            Ok((words.to_owned(), String::new()))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn audit_log(Get { app, query, visitor, .. }: Get<(), PeopleQuery>) -> Page {
    visitor.must_be(Role::Organiser)?;
    let wanted = query.q.trim().to_lowercase();
    let entries = app.store.audit_before(i64::MAX, ENTRIES).await?;
    let is_found = |entry: &&AuditEntry| {
        let who = entry.person.as_deref().unwrap_or_default();
        [who, &entry.action, &entry.subject, &entry.detail]
            .iter()
            .any(|text| text.to_lowercase().contains(&wanted))
    };
    let entries: Vec<&AuditEntry> = entries.iter().filter(is_found).collect();
    let heads = [("", "When"), ("", "Who"), ("", "What"), ("", "About"), ("", "Detail")];
    let rows = html! {
        @for entry in &entries {
            tr {
                td.nowrap { (utc(entry.at)) }
                th scope="row" {
                    @match &entry.person {
                        Some(who) => { (names::person(who)) }
                        None => { span.faint { "server" } }
                    }
                }
                td { code { (names::text(&entry.action)) } }
                td.text { (names::text(&entry.subject)) }
                td.text { (names::text(&entry.detail.replace('\n', " "))) }
            }
        }
    };
    let main = html! {
        h1 { "Log" }
        div.bar {
            p { (counted(entries.len() as u64, "entry", "entries")) ", newest first" }
            @let label = "Person, action or subject";
            (form::search("/admin/log", label, label, &query.q, html! {}))
        }
        @if entries.is_empty() { p.empty { "Nothing is found." } } @else {
            (table("plain stacked flow", &heads, rows))
        }
    };
    Ok(admin_page(&visitor, "/admin/log", "Log", main))
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
