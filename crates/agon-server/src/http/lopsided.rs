//! Authors whose results against each other stand out, for organisers.

use std::collections::BTreeMap;

use agon_ladder::{Lopsided, Meeting, VersionId, lopsided};

use super::reply::Shown;
use crate::{arena_handle::ArenaHandle, store::Store};

/// Bots are compared with so many others: those that are best.
const AMONG: usize = 200;

/// A pair of authors' bots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) loser: i64,
    pub(super) winner: i64,
    pub(super) found: Lopsided,
}

/// Returns the pairs of authors' bots of which one gets much less against the other than all other
/// results of the versions that play say, the most unlikely ones first.
pub(super) async fn pairs(store: &Store, arena: &ArenaHandle) -> Shown<Vec<Pair>> {
    let board = arena.board();
    let best = board.playing.iter().take(AMONG).map(|ranked| (ranked.version, ranked.bot));
    let bots: BTreeMap<i64, i64> = best.collect();
    let mut meetings = Vec::new();
    let add = |one: i64, other: i64, results| {
        let is_among = bots.contains_key(&one) && bots.contains_key(&other);
        let versions = [one, other].map(|id| VersionId(id.cast_unsigned()));
        meetings.extend(is_among.then_some(Meeting { versions, results }));
    };
    store.met(arena.id(), add).await?;
    let found = tokio::task::spawn_blocking(move || lopsided(&meetings)).await;
    let found = found.map_err(anyhow::Error::from)?.map_err(anyhow::Error::from)?;
    let pair = |found: Lopsided| {
        let bot = |version: VersionId| bots.get(&version.0.cast_signed()).copied();
        let (loser, winner) = (bot(found.loser)?, bot(found.winner)?);
        // A boss agrees with nobody.
        let is_authors = |bot: i64| board.bots.get(&bot).is_some_and(|bot| bot.bot.owner.is_some());
        (is_authors(loser) && is_authors(winner)).then_some(Pair { loser, winner, found })
    };
    Ok(found.into_iter().filter_map(pair).collect())
}
