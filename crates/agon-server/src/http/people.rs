//! People: their pages, and what organisers do with their accounts, for the pages and the API.

use std::time::Duration;

use agon_ladder::api::{
    ArenaSummary, BotSummary, Erased, Invitation, InvitationRequest, ResetLink,
};
use tokio::{sync::oneshot, time::timeout};

use super::{parts::names::avatar, prelude::*};
use crate::store::bots::{Bot, DISABLED};
use crate::store::links::{Purpose, RESET};
use crate::store::{bots, links, people, sessions, tokens};
use crate::{accounts::token::Token, store::erasure::Erasure, upkeep::erase_matches};

pub(super) async fn page(Get { app, path: name, visitor, .. }: Get<String>) -> Page {
    if visitor.may_not_see_people(&app) {
        return Err(Failure::sign_in(&visitor.path));
    }
    let person = app.store.person_shown_as(&name).await?.ok_or_else(|| not_found("person"))?;
    let bots = bots_of(&app, person.id, &visitor).await?;
    let name = names::shown(&person.shown, "unnamed");
    let rows = html! {
        @for (arena, of) in &bots {
            tr {
                th scope="row" {
                    (names::bot(&arena.slug, &of.bot)) " "
                    (badge::bot(of.state, of.reason.as_deref()))
                }
                td {
                    a href=(link::arena(&arena.slug)) {
                        bdi { (names::shown(&arena.title, "Arena")) }
                    }
                }
                td.n {
                    @if let Some(rank) = of.rank {
                        b { (grouped(rank)) } small { " of " (grouped(arena.bots)) }
                    }
                }
                td.n { @if let Some(own) = &of.rating { (rating(own)) } }
                td.n.minor { (grouped(of.matches)) }
                td.minor { (names::text(of.language.as_deref().unwrap_or_default())) }
            }
        }
    };
    let is_own = visitor.person.as_ref().is_some_and(|own| own.id == person.id);
    let main = html! {
        div.profile {
            (avatar(&person.shown))
            div {
                h1 { bdi { (name) } }
                p.facts {
                    @if person.role > Role::Author { (badge::plain(person.role.name())) }
                    span { "here since " (time(person.created).day()) }
                    @if is_own { a href="/account" { "Your account" } }
                }
            }
        }
        (section("bots", "Bots", html! {
            @if bots.is_empty() { p.empty { "There are none yet." } } @else {
                (table("plain", &[("", "Bot"), ("", "Arena"), ("n", "Rank"), ("n", "Rating"),
                    ("n minor", "Matches"), ("minor", "Language")], rows))
            }
        }))
    };
    Ok(layout::page(&visitor, &name, main))
}

/// Returns a person's bots in all arenas.
pub(super) async fn bots_of(
    app: &App,
    person: i64,
    visitor: &Visitor,
) -> Shown<Vec<(ArenaSummary, BotSummary)>> {
    let mut bots = Vec::new();
    for bot in app.store.bots_of(person).await? {
        let Some(arena) = app.arena_of(bot.arena) else { continue };
        let board = arena.board();
        let active = bot.active.and_then(|id| board.versions.get(&id));
        let bot = views::with_author(app, &board, bot).await?;
        let head = views::head(&arena, &board, visitor);
        bots.push((head.arena, views::bot_summary(&board, &bot, active, visitor)));
    }
    Ok(bots)
}

/// The most uses of an invitation, and the most days that it holds.
pub(super) const USES: u32 = 10_000;
pub(super) const DAYS: u32 = 366;

/// A day in milliseconds.
const DAY: i64 = 24 * 3600 * 1000;

/// Finds a person who was not erased.
async fn known(app: &App, name: &str) -> Shown<Person> {
    let person = app.store.person(name).await?.ok_or_else(|| not_found("person"))?;
    if person.erased.is_some() {
        let advice = "Nothing is left that could be changed or removed.";
        return Err(failure(Conflict, "This person was erased", advice));
    }
    Ok(person)
}

/// Finds a person whom an organiser may change: not one with more rights.
async fn changeable<'a>(
    app: &App,
    visitor: &'a Visitor,
    name: &str,
) -> Shown<(Person, &'a Person)> {
    let by = visitor.must_be(Role::Organiser)?;
    let person = known(app, name).await?;
    if person.role > by.role {
        return Err(failure(Forbidden, "This person has more rights", "Ask an administrator."));
    }
    Ok((person, by))
}

/// Makes sure that an administrator is left.
async fn check_last(app: &App, person: &Person) -> Shown<()> {
    let is_one = person.role == Role::Administrator && person.disabled.is_none();
    if is_one && app.store.count_of(Role::Administrator).await? <= 1 {
        let advice = "Make somebody else an administrator first.";
        return Err(failure(Conflict, "This is the only administrator", advice));
    }
    Ok(())
}

/// Makes an invitation.
pub(super) async fn invite(
    app: &App,
    visitor: &Visitor,
    wanted: &InvitationRequest,
) -> Shown<Invitation> {
    let maker = visitor.must_be(Role::Organiser)?;
    let &InvitationRequest { role, uses, days, .. } = wanted;
    if role > maker.role {
        return Err(failure(Forbidden, "You cannot give this role", "Ask an administrator."));
    }
    let uses = uses.clamp(1, USES);
    let expires = now() + i64::from(days.clamp(1, DAYS)) * DAY;
    let code = Token::fresh();
    let detail = format!("{} for {uses}", role.name());
    let note = one_line(&wanted.note, 200);
    let statements = vec![
        links::make(&code, &Purpose::Join(role), Some(maker.id), expires, uses, &note),
        audit::note(Some(maker.id), "invitation.make", &note, &detail),
    ];
    app.store.write(statements).await?;
    Ok(Invitation {
        id: code.digest().name(),
        url: format!("{}/join/{code}", visitor.base),
        role,
        note,
        uses: uses.into(),
        expires: time(expires),
    })
}

/// Gives a person a role. Returns the person as it was.
pub(super) async fn set_role(
    app: &App,
    visitor: &Visitor,
    name: &str,
    role: Role,
) -> Shown<Person> {
    let (person, by) = changeable(app, visitor, name).await?;
    if role > by.role {
        return Err(failure(Forbidden, "You cannot give this role", "Ask an administrator."));
    }
    if role < Role::Administrator {
        check_last(app, &person).await?;
    }
    let statements = vec![
        people::set_role(person.id, role),
        // What the old role allowed may be more.
        links::of_maker(person.id),
        audit::note(Some(by.id), "person.role", &person.name, role.name()),
    ];
    app.store.write(statements).await?;
    Ok(person)
}

/// Makes a link with which a person sets a new password.
pub(super) async fn reset_link(app: &App, visitor: &Visitor, name: &str) -> Shown<ResetLink> {
    let (person, by) = changeable(app, visitor, name).await?;
    let code = Token::fresh();
    let expires = now() + RESET;
    let statements = vec![
        links::take_back(person.id),
        links::make(&code, &Purpose::Reset(person.id), Some(by.id), expires, 1, ""),
        audit::note(Some(by.id), "person.reset-link", &person.name, ""),
    ];
    app.store.write(statements).await?;
    Ok(ResetLink {
        name: person.name,
        url: format!("{}/reset/{code}", visitor.base),
        expires: time(expires),
    })
}

/// Keeps a person out, and stops the person's bots. Returns the person as it was.
pub(super) async fn disable(app: &App, visitor: &Visitor, name: &str) -> Shown<Person> {
    let (person, by) = changeable(app, visitor, name).await?;
    check_last(app, &person).await?;
    let mut statements = vec![
        people::disable(person.id, now()),
        links::of_maker(person.id),
        links::take_back(person.id),
        sessions::end_others(person.id, None),
        // They would be valid again if the person was enabled.
        tokens::revoke_all(person.id),
        audit::note(Some(by.id), "person.disable", &person.name, ""),
    ];
    let why = DISABLED.to_owned();
    let stopped = Stopped { by: StoppedBy::Disabled, why, at: now() };
    let own = app.store.bots_of(person.id).await?;
    for bot in own.iter().filter(|bot| bot.stopped.is_none()) {
        statements.push(bots::set_stopped(bot.id, Some(&stopped)));
    }
    app.store.write(statements).await?;
    refresh(app, &own);
    Ok(person)
}

/// Lets a person in again. Returns the person as it was.
pub(super) async fn enable(app: &App, visitor: &Visitor, name: &str) -> Shown<Person> {
    let (person, by) = changeable(app, visitor, name).await?;
    let mut statements = vec![
        people::enable(person.id),
        audit::note(Some(by.id), "person.enable", &person.name, ""),
    ];
    let own = app.store.bots_of(person.id).await?;
    let was_stopped =
        |bot: &&Bot| bot.stopped.as_ref().is_some_and(|stopped| stopped.by == StoppedBy::Disabled);
    for bot in own.iter().filter(was_stopped) {
        statements.push(bots::set_stopped(bot.id, None));
    }
    app.store.write(statements).await?;
    refresh(app, &own);
    Ok(person)
}

/// Has everybody follow changes of bots.
pub(super) fn refresh(app: &App, bots: &[Bot]) {
    for bot in bots {
        app.orders.send(Order::Refresh { arena: bot.arena });
        app.arena_of(bot.arena).iter().for_each(|arena| arena.touch());
    }
}

/// How long earlier results may take until they are written.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many names are tried for somebody who was erased.
const NAMES: u32 = 8;

pub(super) async fn erasing_page(Get { app, path: name, visitor, .. }: Get<String>) -> Page {
    let (person, _) = erasable(&app, &visitor, &name).await?;
    erase_page(&app, &visitor, &person, None).await
}

async fn erase_page(app: &App, visitor: &Visitor, person: &Person, error: Option<&str>) -> Page {
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

pub(super) async fn erase_form(post: Post<String>) -> Page {
    let Post { app, path: name, visitor, fields, .. } = post;
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
    let person = known(app, name).await?;
    if person.id == by.id {
        let advice = "Ask another administrator to do it.";
        return Err(failure(Conflict, "You cannot erase yourself", advice));
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
        return Err(failure(Unprocessable, "The name is not the same", advice));
    }
    let versions = app.store.versions_of(person.id).await?;
    let bots = app.store.bots_of(person.id).await?;
    let erased = match stop(app, &person, &versions).await {
        Ok(()) => write(app, &person, by.id).await,
        Err(failure) => Err(failure),
    };
    if erased.is_err() {
        app.orders.send(Order::Keep { versions });
    }
    let erased = erased?;
    refresh(app, &bots);
    // If one of these fails, it is done again with the rest.
    if let Err(error) = erase_matches(app, &erased).await {
        tracing::warn!("matches still have what was erased: {error}");
    }
    if let Err(error) = app.store.database.forget().await {
        tracing::warn!("the database's files still have what was erased: {error}");
    }
    app.doomed.notify_one();
    tracing::info!(person = erased.person, "a person was erased");
    Ok(Erased { id: erased.person, name: erased.alias, erased: time(erased.at) })
}

/// Ends all that a person's bots do, and waits until earlier results are written.
async fn stop(app: &App, person: &Person, versions: &[i64]) -> Shown<()> {
    app.queue.stop(versions);
    app.tries.forget(person.id);
    let (done, written) = oneshot::channel();
    app.orders.send(Order::Erase { versions: versions.to_vec(), done });
    match timeout(PATIENCE, written).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(failure(
            Unavailable,
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
