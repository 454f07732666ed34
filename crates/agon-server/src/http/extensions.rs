//! Later deadlines of single authors: for the organisers' page and the API.

use agon_ladder::api::ProblemCode::Unprocessable;
use axum::{
    extract::{Path, State},
    response::Response,
};

use super::{
    form::Fields,
    parts::time::typed,
    reply::{Shown, coded, failure, not_found, to},
    views,
    visitor::Visitor,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    store::{audit, extensions, people::Role},
};

/// Gives an author a later deadline, or takes it back.
pub(super) async fn set(
    app: &App,
    visitor: &Visitor,
    arena: &ArenaHandle,
    name: &str,
    until: Option<i64>,
) -> Shown<()> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let of = arena.get();
    let season = &of.settings.season;
    if of.settings.final_of.is_some() {
        return Err(failure(409, "This is a final", "Nobody hands in any more."));
    }
    let person = app.store.person(name).await?.ok_or_else(|| not_found("person"))?;
    if until.is_some() && season.deadline.is_none() {
        return Err(failure(409, "This arena has no deadline", "All can hand in at any time."));
    }
    if until.is_some_and(|until| season.deadline.is_some_and(|deadline| until <= deadline)) {
        let advice = "Give a time after the deadline of the arena.";
        return Err(coded(Unprocessable, "This is not later", advice));
    }
    if until.is_some_and(|until| season.freeze.is_some_and(|freeze| until > freeze)) {
        let advice = "Nobody can hand in after the freeze; move the freeze first.";
        return Err(coded(Unprocessable, "This is after the freeze", advice));
    }
    let subject = format!("{} in {}", person.name, of.slug);
    let detail = match until {
        Some(until) => format!("until {}", views::zoned(until, &of)),
        None => "as all others".to_owned(),
    };
    let statements = vec![
        extensions::set(of.id, person.id, until),
        audit::note(Some(by), "deadline.extend", &subject, &detail),
    ];
    app.store.write(statements).await?;
    arena.touch();
    Ok(())
}

pub(super) async fn change(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let local = fields.get("until").trim();
    let until = match local {
        "" => None,
        local => {
            let zoned = typed(local, fields.get("until_zone").trim());
            let wrong = "Give date and time as in 2026-11-26T15:05, and the zone as in +01:00.";
            let zoned = zoned.ok_or_else(|| failure(422, "This is no time", wrong))?;
            i64::try_from(zoned.at.0).ok().map(|seconds| seconds * 1_000)
        }
    };
    let name = fields.get("name").trim();
    if app.store.person(name).await?.is_none() {
        let advice = "Type the name of an author as for signing in. Organise → People has a list.";
        return Err(failure(422, "Nobody has this name", advice));
    }
    set(&app, &visitor, &arena, name, until).await?;
    Ok(to(&format!("/admin/arenas/{slug}?done=extended")))
}
