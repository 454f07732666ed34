//! Fixes what the seed of a final is made of: the versions, their nonces, the server's secret.

use std::collections::BTreeMap;

use agon_ladder::ledger::{Entry, FinalEntrant, Inputs};
use anyhow::{Result, bail, ensure};
use tracing::info;

use super::Step;
use crate::{
    arena_handle::ArenaHandle,
    board::Board,
    ranking::Ranked,
    shared::Shared,
    store::{
        arenas::FinalSettings,
        audit,
        bots::Bot,
        finals, ledger,
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
///
/// Those with a rank come first. Who has not played takes only a place that is left.
async fn chosen(shared: &Shared, arena: &ArenaHandle, most: usize) -> Result<Vec<Version>> {
    // The one that pages show may be older, or empty after a start.
    let board = Board::read(&shared.store, &arena.get(), &arena.board()).await?;
    let active = best(&board.playing, shared.store.bots(arena.id()).await?, most);
    let mut versions = shared.store.ready_versions(arena.id()).await?;
    versions.retain(|version| version.state == State::Ready && active.contains(&version.id));
    versions.sort_by_key(|version| version.id);
    Ok(versions)
}

/// Returns the active versions of the best bots of authors, in order of the table, and of all
/// bosses.
fn best(table: &[Ranked], mut bots: Vec<Bot>, most: usize) -> Vec<i64> {
    // Equal ones share a rank: none of them is before another.
    let place = |(at, row): (usize, &Ranked)| match row.rank {
        Some(rank) => (row.bot, (rank, 0)),
        None => (row.bot, (u64::MAX, at)),
    };
    let places: BTreeMap<i64, (u64, usize)> = table.iter().enumerate().map(place).collect();
    let place = |bot: &Bot| places.get(&bot.id).copied().unwrap_or((u64::MAX, usize::MAX));
    bots.retain(|bot| bot.stopped.is_none() && bot.active.is_some());
    bots.sort_by_key(|bot| (bot.owner.is_none(), place(bot), bot.id));
    let authors = bots.iter().filter(|bot| bot.owner.is_some()).take(most);
    let bosses = bots.iter().filter(|bot| bot.owner.is_none());
    authors.chain(bosses).filter_map(|bot| bot.active).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ranking,
        store::{
            arenas::Ranks,
            bots::{Stopped, StoppedBy},
            versions::Brief,
        },
    };

    /// A bot's version has the bot's id, and the bot its owner's.
    fn bot(id: i64) -> Bot {
        Bot { id, arena: 1, owner: (id > 1).then_some(id), active: Some(id), ..Bot::default() }
    }

    #[test]
    fn who_has_not_played_takes_only_a_place_that_is_left() {
        // A boss; three that have a rank; one that owes matches; one that never played.
        let played = [(1, 99), (2, 99), (3, 99), (4, 99), (5, 3), (6, 0)];
        let brief = |(id, matches)| Brief { id, bot: id, matches, ..Brief::default() };
        let briefs = played.map(brief);
        let rating = |id: i64| {
            let elo = 1_400.0 + 100.0 * id as f64;
            (id, agon_ladder::api::Rating { elo, low: Some(elo - 50.0), high: None })
        };
        let table = ranking::live(briefs.iter(), &(1..6).map(rating).collect(), Ranks::default());
        let best = |most| best(&table, (1..=6).map(bot).collect(), most);
        assert_eq!(best(2), [4, 3, 1]);
        assert_eq!(best(4), [4, 3, 2, 5, 1]);
        assert_eq!(best(64), [4, 3, 2, 5, 6, 1]);
        let paused = |mut bot: Bot| {
            let stopped = Stopped { by: StoppedBy::Author, why: String::new(), at: 0 };
            bot.stopped = (bot.id == 4).then_some(stopped);
            bot
        };
        let bots = (1..=6).map(bot).map(paused).collect();
        assert_eq!(super::best(&table, bots, 2), [3, 2, 1]);
    }
}
