//! What the pages of an arena show, in memory: bots, their active versions and ratings.
//!
//! The keeper makes it from the database a moment after something has changed, so a thousand
//! visitors cost no more than one.

use std::{collections::BTreeMap, sync::Arc};

use agon_ladder::{Counted, PublishOptions, Published, VersionId, published};
use agon_ledger::Table;
use agon_rating::RatingError;

use crate::{
    database::DatabaseError,
    ranking::{self, Ranked},
    rating::{self, LiveRating},
    store::{Store, Stored, bots::Bot, counts::Count, now, versions::Brief},
};

/// What the pages of an arena show.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The bots that play, the best one first.
    pub(crate) playing: Vec<Ranked>,
    /// Those of them that are in the published table, in its order.
    pub(crate) listed: Vec<Ranked>,
    /// Those that do not.
    pub(crate) absent: Vec<i64>,
    /// The bosses that play, the weakest first: each with the rating of its version.
    bosses: Vec<(i64, f64)>,
    /// All bots.
    pub(crate) bots: BTreeMap<i64, BoardBot>,
    /// Bots by their names in addresses.
    pub(crate) slugs: BTreeMap<String, i64>,
    /// Bots by their authors.
    owners: BTreeMap<i64, i64>,
    /// All versions that are or were ready.
    pub(crate) versions: BTreeMap<i64, Brief>,
    /// Live ratings, by version; of those that have played if all results could be fitted.
    pub(crate) live: BTreeMap<i64, LiveRating>,
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
}

impl Board {
    /// Makes the board of an arena. What changes seldom is taken from the one before.
    pub(crate) async fn read(store: &Store, arena: i64, before: &Board) -> Stored<Board> {
        let bots = store.bots_with_authors(arena).await?;
        let versions = store.brief_versions(arena).await?;
        let versions: BTreeMap<i64, Brief> =
            versions.into_iter().map(|version| (version.id, version)).collect();
        let totals = store.totals(arena).await?;
        let mut board = Board {
            slugs: bots.iter().map(|(bot, _)| (bot.slug.clone(), bot.id)).collect(),
            owners: bots.iter().filter_map(|(bot, _)| Some((bot.owner?, bot.id))).collect(),
            live: live_ratings(store, arena, totals.results, &versions).await?,
            versions,
            matches: totals.matches,
            published: published_table(store, arena, before).await?,
            made: now(),
            ..Board::default()
        };
        board.rank(bots);
        Ok(board)
    }

    /// Takes the bots in, and orders those that play.
    fn rank(&mut self, bots: Vec<(Bot, String)>) {
        let is_playing = |bot: &Bot| {
            bot.stopped.is_none() && bot.active.is_some_and(|id| self.versions.contains_key(&id))
        };
        let absent = bots.iter().filter(|(bot, _)| !is_playing(bot)).map(|(bot, _)| bot.id);
        self.absent = absent.collect();
        let playing = bots.iter().filter(|(bot, _)| is_playing(bot));
        let versions = playing.filter_map(|(bot, _)| self.versions.get(&bot.active?));
        self.playing = ranking::live(versions, &self.live);
        let board_bot = |(bot, author)| BoardBot { bot, author, rank: None };
        self.bots = bots.into_iter().map(|pair| (pair.0.id, board_bot(pair))).collect();
        for ranked in &self.playing {
            if let Some(bot) = self.bots.get_mut(&ranked.bot) {
                bot.rank = Some(ranked.rank);
            }
        }
        let is_boss = |ranked: &&Ranked| self.bots[&ranked.bot].bot.owner.is_none();
        let bosses = self.playing.iter().rev().filter(is_boss);
        self.bosses = bosses.map(|ranked| (ranked.bot, ranked.rating.elo)).collect();
        if let Some((_, table)) = &self.published {
            let plays = |version: &Brief| {
                let bot = self.bots.get(&version.bot);
                bot.is_some_and(|bot| {
                    bot.bot.active == Some(version.id) && bot.bot.stopped.is_none()
                })
            };
            let version = |id| self.versions.get(&id).filter(|version| plays(version));
            self.listed = ranking::listed(table, version);
        }
    }

    /// Returns the bosses of the arena, the weakest first, each with whether a version is certainly
    /// stronger: the lower end of its rating is above the rating of the boss.
    pub(crate) fn milestones(&self, version: i64) -> impl Iterator<Item = (&BoardBot, bool)> {
        let low = self.live.get(&version).and_then(|live| live.low);
        self.bosses.iter().filter_map(move |&(boss, elo)| {
            Some((self.bots.get(&boss)?, low.is_some_and(|low| low > elo)))
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

    /// Returns the live rating of a version.
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

/// Returns the live rating of each version. `results` says how many different results there are.
///
/// It is what would be published now. A version without a match has the rating of the one before.
async fn live_ratings(
    store: &Store,
    arena: i64,
    results: u64,
    versions: &BTreeMap<i64, Brief>,
) -> Stored<BTreeMap<i64, LiveRating>> {
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
    let mut live: BTreeMap<i64, LiveRating> = BTreeMap::new();
    let mut in_order: Vec<&Brief> = versions.values().collect();
    in_order.sort_by_key(|version| (version.bot, version.number));
    let mut before: Option<(i64, f64)> = None;
    for version in in_order {
        let predecessor = before.filter(|(bot, _)| *bot == version.bot).map(|(_, elo)| elo);
        let rating = fitted.get(&version.id).copied().unwrap_or_else(|| {
            let own = rating::of_skill(version.mu, version.sigma);
            match predecessor.filter(|_| version.matches == 0) {
                Some(elo) => own.around(elo),
                None => own,
            }
        });
        before = Some((version.bot, rating.elo));
        live.insert(version.id, rating);
    }
    Ok(live)
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
