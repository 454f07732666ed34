//! What organisers do with a match: for its page and the API.

use agon_ladder::ledger::Entry;
use agon_match::replay::{Replay, Verdict};

use super::{
    reply::{Shown, failure, not_found},
    views,
    visitor::Visitor,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    database::Statement,
    play::Order,
    store::{
        audit, counts, ledger,
        matches::{self, MatchState, SeatedMatch},
        people::Role,
    },
};

/// Finds a match.
pub(super) async fn find(app: &App, slug: &str, number: u64) -> Shown<(ArenaHandle, SeatedMatch)> {
    let arena = views::arena(app, slug)?;
    let found = app.store.seated_match(arena.id(), number).await?;
    Ok((arena, found.ok_or_else(|| not_found("match"))?))
}

/// Plays a match again by its rules, from the recorded answers. Returns what differs, if anything
/// does.
pub(super) async fn check(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    number: u64,
) -> Shown<Option<String>> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let (arena, seated) = find(app, slug, number).await?;
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let game = arena.settings().game;
    let blobs = app.blobs.clone();
    let work = tokio::task::spawn_blocking(move || -> anyhow::Result<Option<String>> {
        let replay = Replay::open(blobs.get(digest)?)?;
        Ok(match agon_match::verify(&replay, game) {
            Verdict::Proven { .. } => None,
            Verdict::Unproven { reason, .. } => Some(reason.to_string()),
        })
    });
    // A replay that is missing or damaged is a finding, too.
    let found = work.await.map_err(anyhow::Error::from)?;
    let problem = found.unwrap_or_else(|error| Some(error.to_string()));
    let subject = format!("{slug} match {number}");
    let detail = problem.as_deref().unwrap_or_default();
    app.store.write(vec![audit::note(Some(organiser), "match.check", &subject, detail)]).await?;
    Ok(problem)
}

/// Takes a match out of the count.
pub(super) async fn annul(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    number: u64,
    reason: &str,
) -> Shown<()> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let _read = app.erasing.read().await;
    let (arena, seated) = find(app, slug, number).await?;
    if seated.of.state != MatchState::Played {
        return Err(failure(409, "This match does not count", "There is nothing to annul."));
    }
    let (players, places) = result_of(&seated);
    let subject = format!("{slug} match {number}");
    let reason = agon_core::text::escape(agon_core::text::name::cut(reason.trim(), 500));
    let outcome = matches::Outcome {
        annulled: reason.into_owned(),
        ..seated.of.outcome.clone().unwrap_or_default()
    };
    let mut statements = vec![matches::annul(arena.id(), number, &outcome)];
    statements.extend(counts::count(arena.id(), &players, &places, -1));
    let id = arena.id().cast_unsigned();
    statements.push(ledger::append(&Entry::Annulled { arena: id, number }));
    statements.push(audit::note(Some(organiser), "match.annul", &subject, &outcome.annulled));
    write(app, &arena, statements).await
}

/// Puts an annulled match into the count again.
pub(super) async fn restore(app: &App, visitor: &Visitor, slug: &str, number: u64) -> Shown<()> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let _read = app.erasing.read().await;
    let (arena, seated) = find(app, slug, number).await?;
    if seated.of.state != MatchState::Annulled {
        return Err(failure(409, "This match is not annulled", "There is nothing to take back."));
    }
    let (players, places) = result_of(&seated);
    let outcome = seated.of.outcome.unwrap_or_default();
    let subject = format!("{slug} match {number}");
    let note = audit::note(Some(organiser), "match.restore", &subject, &outcome.annulled);
    let outcome = matches::Outcome { annulled: String::new(), ..outcome };
    let mut statements = vec![matches::restore(arena.id(), number, &outcome), note];
    statements.extend(counts::count(arena.id(), &players, &places, 1));
    let id = arena.id().cast_unsigned();
    statements.push(ledger::append(&Entry::Restored { arena: id, number }));
    write(app, &arena, statements).await
}

/// Returns the players of a match in order of their ids, and their places.
fn result_of(seated: &SeatedMatch) -> (Vec<i64>, Vec<u32>) {
    let mut both: Vec<(i64, u32)> =
        seated.seats.iter().map(|seat| (seat.version, seat.place.unwrap_or(0))).collect();
    both.sort_unstable();
    both.into_iter().unzip()
}

async fn write(app: &App, arena: &ArenaHandle, mut statements: Vec<Statement>) -> Shown<()> {
    statements.push(counts::outdate(arena.id()));
    app.store.write(statements).await?;
    arena.touch();
    app.orders().send(Order::Refresh { arena: arena.id() });
    Ok(())
}
