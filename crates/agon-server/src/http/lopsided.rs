//! Authors whose results against each other stand out, for organisers.

use std::collections::{BTreeMap, BTreeSet};

use agon_ladder::{Lopsided, Meeting, VersionId, api::LopsidedPair, lopsided};

use super::{reply::Shown, views};
use crate::{arena_handle::ArenaHandle, store::Store};

/// So many bots that play are compared, those that are best, and as many that do not play.
const AMONG: usize = 200;

/// So many versions of each are compared, the newest ones.
const VERSIONS: usize = 10;

/// Returns the pairs of authors' bots of which one gets much less against the other than all other
/// results say, the most unlikely ones first. Who no longer plays, or with other versions, is among
/// them, too.
pub(super) async fn pairs(store: &Store, arena: &ArenaHandle) -> Shown<Vec<LopsidedPair>> {
    let board = arena.board();
    let best = board.playing.iter().take(AMONG).map(|ranked| ranked.bot);
    let among: BTreeSet<i64> = best.chain(board.absent.iter().copied().take(AMONG)).collect();
    let mut newest: BTreeMap<i64, BTreeMap<u32, i64>> = BTreeMap::new();
    for version in board.versions.values().filter(|version| among.contains(&version.bot)) {
        let versions = newest.entry(version.bot).or_default();
        versions.insert(version.number, version.id);
        if versions.len() > VERSIONS {
            versions.pop_first();
        }
    }
    let of = |(&bot, versions): (&i64, &BTreeMap<u32, i64>)| {
        versions.values().map(|&version| (version, bot)).collect::<Vec<_>>()
    };
    let bots: BTreeMap<i64, i64> = newest.iter().flat_map(of).collect();
    let mut meetings = Vec::new();
    let add = |one: i64, other: i64, results| {
        let both = [one, other].map(|id| bots.get(&id).copied());
        let [Some(a), Some(b)] = both else { return };
        let versions = [one, other].map(|id| VersionId(id.cast_unsigned()));
        let bots = [a, b].map(i64::cast_unsigned);
        // Results of a bot against itself do not count.
        meetings.extend((a != b).then_some(Meeting { versions, bots, results }));
    };
    store.met(arena.id(), add).await?;
    let found = tokio::task::spawn_blocking(move || lopsided(&meetings)).await;
    let found = found.map_err(anyhow::Error::from)?.map_err(anyhow::Error::from)?;
    let pair = |found: Lopsided| {
        let (loser, winner) = (found.loser.cast_signed(), found.winner.cast_signed());
        // A boss agrees with nobody.
        let is_authors = |bot: i64| board.bots.get(&bot).is_some_and(|bot| bot.bot.owner.is_some());
        if !is_authors(loser) || !is_authors(winner) {
            return None;
        }
        let bot = |id: i64| Some(views::bot_ref(&board, board.bots.get(&id)?));
        Some(LopsidedPair {
            loser: bot(loser)?,
            winner: bot(winner)?,
            tally: found.results.into(),
            expected: found.expected,
            chance: found.chance,
        })
    };
    Ok(found.into_iter().filter_map(pair).collect())
}
