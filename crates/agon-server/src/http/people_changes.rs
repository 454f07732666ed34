//! What organisers do with people's accounts: for the pages and the API.

use agon_ladder::api::{Invitation, InvitationRequest, ResetLink, Role};

use super::{
    parts::time::time,
    reply::{Failure, Shown, failure, not_found},
    visitor::Visitor,
};
use crate::{
    accounts::token::Token,
    app::App,
    play::Order,
    store::{
        audit,
        bots::{self, Bot, DISABLED, Stopped, StoppedBy},
        links::{self, Purpose, RESET},
        now,
        people::{self, Person},
        sessions, tokens,
    },
};

/// The most uses of an invitation, and the most days that it holds.
pub(super) const USES: u32 = 10_000;
pub(super) const DAYS: u32 = 366;

/// A day in milliseconds.
const DAY: i64 = 24 * 3600 * 1000;

/// Finds a person whom an organiser may change: not one with more rights.
async fn changeable<'a>(
    app: &App,
    visitor: &'a Visitor,
    name: &str,
) -> Shown<(Person, &'a Person)> {
    let by = visitor.must_be(Role::Organiser)?;
    let person = app.store.person(name).await?.ok_or_else(|| not_found("person"))?;
    if person.erased.is_some() {
        return Err(erased_already());
    }
    if person.role > by.role {
        return Err(failure(403, "This person has more rights", "Ask an administrator."));
    }
    Ok((person, by))
}

/// Says that nobody is there any more.
pub(super) fn erased_already() -> Failure {
    failure(409, "This person was erased", "Nothing is left that could be changed or removed.")
}

/// Makes sure that an administrator is left.
pub(super) async fn check_last(app: &App, person: &Person) -> Shown<()> {
    let is_one = person.role == Role::Administrator && person.disabled.is_none();
    if is_one && app.store.count_of(Role::Administrator).await? <= 1 {
        let advice = "Make somebody else an administrator first.";
        return Err(failure(409, "This is the only administrator", advice));
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
        return Err(failure(403, "You cannot give this role", "Ask an administrator."));
    }
    let uses = uses.clamp(1, USES);
    let expires = now() + i64::from(days.clamp(1, DAYS)) * DAY;
    let code = Token::fresh();
    let detail = format!("{} for {uses}", role.name());
    let note =
        agon_core::text::escape(agon_core::text::name::cut(wanted.note.trim(), 200)).into_owned();
    app.store
        .write(vec![
            links::make(&code, &Purpose::Join(role), Some(maker.id), expires, uses, &note),
            audit::note(Some(maker.id), "invitation.make", &note, &detail),
        ])
        .await?;
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
        return Err(failure(403, "You cannot give this role", "Ask an administrator."));
    }
    if role < Role::Administrator {
        check_last(app, &person).await?;
    }
    app.store
        .write(vec![
            people::set_role(person.id, role),
            // What the old role allowed may be more.
            links::of_maker(person.id),
            audit::note(Some(by.id), "person.role", &person.name, role.name()),
        ])
        .await?;
    Ok(person)
}

/// Makes a link with which a person sets a new password.
pub(super) async fn reset_link(app: &App, visitor: &Visitor, name: &str) -> Shown<ResetLink> {
    let (person, by) = changeable(app, visitor, name).await?;
    let code = Token::fresh();
    let expires = now() + RESET;
    app.store
        .write(vec![
            links::take_back(person.id),
            links::make(&code, &Purpose::Reset(person.id), Some(by.id), expires, 1, ""),
            audit::note(Some(by.id), "person.reset-link", &person.name, ""),
        ])
        .await?;
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
    let stopped = Stopped { by: StoppedBy::Organiser, why, at: now() };
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
        |bot: &&Bot| bot.stopped.as_ref().is_some_and(|stopped| stopped.why == DISABLED);
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
        app.orders().send(Order::Refresh { arena: bot.arena });
        app.arena_of(bot.arena).iter().for_each(|arena| arena.touch());
    }
}
