//! What the pages of an arena show, in memory: bots, their active versions and ratings.
//!
//! The keeper makes it from the database a moment after something has changed, so a thousand
//! visitors cost no more than one.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use agon_ladder::api::Rating;
use agon_ladder::ledger::Table;
use agon_ladder::{Counted, PublishOptions, Published, VersionId, published};
use agon_rating::RatingError;

use crate::{
    database::DatabaseError,
    ranking::{self, Ranked},
    rating,
    store::{
        Store, Stored,
        arenas::{Arena, Ranks},
        bots::Bot,
        counts::Count,
        now,
        versions::Brief,
    },
};

/// What the pages of an arena show.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The bots that play: those with a rank first, the best one before all.
    pub(crate) playing: Vec<Ranked>,
    /// Those of them that are in the published table, in its order.
    pub(crate) listed: Vec<Ranked>,
    /// Those that do not.
    pub(crate) absent: Vec<i64>,
    /// The bosses that play, the weakest first: each with the rating of its version, once it has
    /// played.
    bosses: Vec<(i64, Option<f64>)>,
    /// All bots.
    pub(crate) bots: BTreeMap<i64, BoardBot>,
    /// Bots by their names in addresses.
    pub(crate) slugs: BTreeMap<String, i64>,
    /// Bots by their authors.
    owners: BTreeMap<i64, i64>,
    /// Later deadlines of authors.
    pub(crate) extensions: BTreeMap<i64, i64>,
    /// All versions that are or were ready.
    pub(crate) versions: BTreeMap<i64, Brief>,
    /// Live ratings of the versions that have played.
    pub(crate) live: BTreeMap<i64, Rating>,
    /// The number of matches that count.
    pub(crate) matches: u64,
    /// The table that was published last, and when. Boards share it.
    pub(crate) published: Option<(i64, Arc<Published>)>,
    /// When this board was made.
    pub(crate) made: i64,
}

/// A bot on the board.
#[derive(Debug)]
pub(crate) struct BoardBot {
    pub(crate) bot: Bot,
    /// The name of its author; empty for a boss.
    pub(crate) author: String,
    /// Its rank among those that play, from 1.
    pub(crate) rank: Option<u64>,
    /// Matches that it has to play before it has a rank.
    pub(crate) owed: u64,
}

impl Board {
    /// Makes the board of an arena. What changes seldom is taken from the one before.
    pub(crate) async fn read(store: &Store, of: &Arena, before: &Board) -> Stored<Board> {
        let arena = of.id;
        let bots = store.bots_with_authors(arena).await?;
        let versions = store.brief_versions(arena).await?;
        let versions: BTreeMap<i64, Brief> =
            versions.into_iter().map(|version| (version.id, version)).collect();
        let totals = store.totals(arena).await?;
        let mut board = Board {
            slugs: bots.iter().map(|(bot, _)| (bot.slug.clone(), bot.id)).collect(),
            owners: bots.iter().filter_map(|(bot, _)| Some((bot.owner?, bot.id))).collect(),
            extensions: store.later_deadlines(arena).await?,
            live: live_ratings(store, arena, totals.results, &versions).await?,
            versions,
            matches: totals.matches,
            published: published_table(store, arena, before).await?,
            made: now(),
            ..Board::default()
        };
        board.rank(bots, of.settings.ranks());
        Ok(board)
    }

    /// Takes the bots in, and orders those that play.
    fn rank(&mut self, bots: Vec<(Bot, String)>, ranks: Ranks) {
        let is_playing = |bot: &Bot| {
            bot.stopped.is_none() && bot.active.is_some_and(|id| self.versions.contains_key(&id))
        };
        let absent = bots.iter().filter(|(bot, _)| !is_playing(bot)).map(|(bot, _)| bot.id);
        self.absent = absent.collect();
        let playing = bots.iter().filter(|(bot, _)| is_playing(bot));
        let versions = playing.filter_map(|(bot, _)| self.versions.get(&bot.active?));
        self.playing = ranking::live(versions, &self.live, ranks);
        let board_bot = |(bot, author)| BoardBot { bot, author, rank: None, owed: 0 };
        self.bots = bots.into_iter().map(|pair| (pair.0.id, board_bot(pair))).collect();
        for ranked in &self.playing {
            if let Some(bot) = self.bots.get_mut(&ranked.bot) {
                (bot.rank, bot.owed) = (ranked.rank, ranked.owed);
            }
        }
        let is_boss = |ranked: &&Ranked| self.bots[&ranked.bot].bot.owner.is_none();
        let bosses = self.playing.iter().rev().filter(is_boss);
        let elo = |ranked: &Ranked| ranked.rating.map(|rating| rating.elo);
        self.bosses = bosses.map(|ranked| (ranked.bot, elo(ranked))).collect();
        if let Some((_, table)) = &self.published {
            let plays = |version: &Brief| {
                let bot = self.bots.get(&version.bot);
                bot.is_some_and(|bot| {
                    bot.bot.active == Some(version.id) && bot.bot.stopped.is_none()
                })
            };
            let version = |id| self.versions.get(&id).filter(|version| plays(version));
            self.listed = ranking::listed(table, version, ranks);
        }
    }

    /// Returns the bosses of the arena, the weakest first, each with whether a version is certainly
    /// stronger: the lower end of its rating is above the rating of the boss.
    pub(crate) fn milestones(&self, version: i64) -> impl Iterator<Item = (&BoardBot, bool)> {
        let low = self.live.get(&version).and_then(|live| live.low);
        self.bosses.iter().filter_map(move |&(boss, elo)| {
            let is_reached = low.zip(elo).is_some_and(|(low, elo)| low > elo);
            Some((self.bots.get(&boss)?, is_reached))
        })
    }

    /// Returns the bot of an author.
    pub(crate) fn own_bot(&self, owner: i64) -> Option<&BoardBot> {
        self.bots.get(self.owners.get(&owner)?)
    }

    /// Returns the bot with this name in addresses.
    pub(crate) fn bot(&self, slug: &str) -> Option<&BoardBot> {
        self.bots.get(self.slugs.get(slug)?)
    }

    /// Returns the bot and number of a version.
    pub(crate) fn version(&self, id: i64) -> Option<(&BoardBot, &Brief)> {
        let version = self.versions.get(&id)?;
        Some((self.bots.get(&version.bot)?, version))
    }

    /// Returns the live rating of a version that has played.
    pub(crate) fn rating(&self, version: i64) -> Option<f64> {
        self.live.get(&version).map(|live| live.elo)
    }
}

/// Up to so many different results all are fitted each time; beyond it, live ratings are the
/// ladder's own, which follow each match at once.
const FITTED: u64 = 3_000;

/// Returns the published table; the one of the board before if there is no other.
async fn published_table(
    store: &Store,
    arena: i64,
    before: &Board,
) -> Stored<Option<(i64, Arc<Published>)>> {
    let Some((_, made)) = store.published_when(arena).await? else { return Ok(None) };
    if let Some(kept) = before.published.as_ref().filter(|kept| kept.0 == made) {
        return Ok(Some(kept.clone()));
    }
    let Some((made, body)) = store.published(arena).await? else { return Ok(None) };
    Ok(Some((made, Arc::new(crate::store::from_json::<Table>(&body)?.table))))
}

/// Returns the live rating of each version that has played. `results` says how many different
/// results there are.
///
/// It is what would be published now.
async fn live_ratings(
    store: &Store,
    arena: i64,
    results: u64,
    versions: &BTreeMap<i64, Brief>,
) -> Stored<BTreeMap<i64, Rating>> {
    let mut fitted = BTreeMap::new();
    if results <= FITTED {
        let counts = store.counts(arena).await?;
        let ids: Vec<i64> = versions.keys().copied().collect();
        let fit = move || table(&counts, &ids);
        let fit = tokio::task::spawn_blocking(fit).await;
        let failed = |error: &dyn std::fmt::Display| DatabaseError::Engine(error.to_string());
        let fit = fit.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        for row in &fit.rows {
            if let Some(found) = &row.rating {
                fitted.insert(row.version.0.cast_signed(), rating::of_published(found));
            }
        }
    }
    for version in versions.values().filter(|version| version.matches > 0) {
        let own = || rating::of_skill(version.mu, version.sigma);
        fitted.entry(version.id).or_insert_with(own);
    }
    Ok(fitted)
}

/// Rates versions by counted results, without ranges of ranks.
///
/// # Errors
/// If the results cannot be rated.
fn table(counts: &[Count], versions: &[i64]) -> Result<Published, RatingError> {
    let versions: Vec<VersionId> = versions.iter().map(version_id).collect();
    published(counts.iter().map(counted), &versions, &PublishOptions::default())
}

/// Returns a count as the ladder takes it.
fn counted(count: &Count) -> Counted {
    Counted {
        players: count.players.iter().map(version_id).collect(),
        places: count.places.clone(),
        times: count.count,
    }
}

fn version_id(id: &i64) -> VersionId {
    VersionId(id.cast_unsigned())
}
