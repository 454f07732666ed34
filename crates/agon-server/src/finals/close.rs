//! Fixes what the seed of a final is made of: the versions, their nonces, the server's secret.

use agon_ledger::{Entry, FinalEntrant, Inputs};
use anyhow::{Result, bail, ensure};
use tracing::info;

use super::step::Step;
use crate::{
    arena_handle::ArenaHandle,
    board::Board,
    shared::Shared,
    store::{
        arenas::FinalSettings,
        audit, finals, ledger,
        versions::{State, Version},
    },
};

/// Returns whether all versions that were in time have come, and are built and checked.
pub(super) async fn is_quiet(shared: &Shared, arena: &ArenaHandle) -> Result<bool> {
    let freeze = arena.settings().season.freeze.unwrap_or(i64::MAX);
    if shared.uploads.has_begun_by(freeze) {
        return Ok(false);
    }
    Ok(shared.store.unfinished(arena.id()).await? == 0)
}

/// Fixes the versions of a final.
///
/// # Errors
/// If there are too few bots, or the database fails.
pub(super) async fn close(
    shared: &Shared,
    arena: &ArenaHandle,
    settings: &FinalSettings,
    secret: String,
) -> Result<Step> {
    // No nonce is added meanwhile.
    let _draw = shared.drawing.lock().await;
    let versions = chosen(shared, arena, settings.most as usize).await?;
    let of = arena.get();
    if let Some(why) = of.settings.outdated() {
        bail!("the final of {} cannot be played: {why}", of.slug);
    }
    let players = of.settings.players;
    ensure!(
        versions.len() >= players,
        "the final of {} needs {players} bots, but {} can play; let another bot play, or take \
         the final out of the arena's settings",
        of.slug,
        versions.len()
    );
    let mut entrants = Vec::new();
    for version in versions {
        let nonce = shared.store.nonce(version.id).await?.and_then(|(_, nonce)| nonce);
        let (version, source) = (version.id.cast_unsigned(), version.source);
        entrants.push(FinalEntrant { version, source, nonce });
    }
    let (arena, FinalSettings { games, steps, .. }) = (arena.id(), *settings);
    let inputs = Inputs { arena: arena.cast_unsigned(), secret, steps, players, games, entrants };
    // Whatever the seed will be, the number of matches is the same.
    inputs.matches(agon_core::Seed(0))?;
    let entry = Entry::Closed { arena: inputs.arena, inputs: inputs.digest() };
    let note = audit::note(None, "final.closed", &of.slug, "");
    let statements = vec![finals::close(arena, &inputs), ledger::append(&entry), note];
    shared.store.write(statements).await?;
    info!(arena = of.slug, bots = inputs.entrants.len(), "the versions of a final are fixed");
    Ok(Step::Next)
}

/// Returns the versions that take part, in order of their ids: the best ones of authors, and all
/// bosses.
async fn chosen(shared: &Shared, arena: &ArenaHandle, most: usize) -> Result<Vec<Version>> {
    // The one that pages show may be older, or empty after a start.
    let board = Board::read(&shared.store, arena.id(), &arena.board()).await?;
    let rank = |bot: i64| board.bots.get(&bot).and_then(|bot| bot.rank).unwrap_or(u64::MAX);
    let mut bots = shared.store.bots(arena.id()).await?;
    bots.retain(|bot| bot.stopped.is_none() && bot.active.is_some());
    bots.sort_by_key(|bot| (bot.owner.is_none(), rank(bot.id), bot.id));
    let authors = bots.iter().filter(|bot| bot.owner.is_some()).take(most);
    let bosses = bots.iter().filter(|bot| bot.owner.is_none());
    let active: Vec<i64> = authors.chain(bosses).filter_map(|bot| bot.active).collect();
    let mut versions = shared.store.ready_versions(arena.id()).await?;
    versions.retain(|version| version.state == State::Ready && active.contains(&version.id));
    versions.sort_by_key(|version| version.id);
    Ok(versions)
}
