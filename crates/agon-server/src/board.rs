//! What the pages of an arena show, in memory: bots, their active versions and ratings.
//!
//! The keeper makes it from the database a moment after something has changed, so a thousand
//! visitors cost no more than one.

use std::collections::BTreeMap;

use agon_ladder::{Counted, PublishOptions, Published, VersionId, published};
use agon_ledger::Table;
use agon_rating::RatingError;

use crate::{
    database::DatabaseError,
    rating::{self, LiveRating},
    store::{Store, Stored, bots::Bot, matches::Count, now, versions::Brief},
};

/// What the pages of an arena show.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The bots that play, the best one first.
    pub(crate) playing: Vec<i64>,
    /// Those that do not.
    pub(crate) absent: Vec<i64>,
    /// All bots.
    pub(crate) bots: BTreeMap<i64, BoardBot>,
    /// Bots by their names in addresses.
    pub(crate) slugs: BTreeMap<String, i64>,
    /// All versions that are or were ready.
    pub(crate) versions: BTreeMap<i64, Brief>,
    /// Live ratings, by version; of those that have played if all results could be fitted.
    pub(crate) live: BTreeMap<i64, LiveRating>,
    /// The number of matches that count.
    pub(crate) matches: u64,
    /// The table that was published last, and when.
    pub(crate) published: Option<(i64, Published)>,
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
        let is_playing = |bot: &Bot| {
            bot.stopped.is_none() && bot.active.is_some_and(|id| versions.contains_key(&id))
        };
        let mut playing: Vec<i64> =
            bots.iter().filter(|(bot, _)| is_playing(bot)).map(|(bot, _)| bot.id).collect();
        let absent = bots.iter().filter(|(bot, _)| !is_playing(bot)).map(|(bot, _)| bot.id);
        let absent = absent.collect();
        let slugs = bots.iter().map(|(bot, _)| (bot.slug.clone(), bot.id)).collect();
        let board_bot = |(bot, author)| BoardBot { bot, author, rank: None };
        let mut bots: BTreeMap<i64, BoardBot> =
            bots.into_iter().map(|pair| (pair.0.id, board_bot(pair))).collect();
        let live = live_ratings(store, arena, &versions).await?;
        let strength = |id: &i64| {
            let active = bots.get(id).and_then(|bot| versions.get(&bot.bot.active?));
            active.map_or(f64::MIN, |version| live[&version.id].elo)
        };
        playing
            .sort_by(|one, other| strength(other).total_cmp(&strength(one)).then(one.cmp(other)));
        for (place, id) in playing.iter().enumerate() {
            if let Some(bot) = bots.get_mut(id) {
                bot.rank = Some(place as u64 + 1);
            }
        }
        let matches = store.counted(arena).await?;
        let published = match store.published(arena).await? {
            // It may be large, and changes seldom.
            Some((_, made, _)) if before.published.as_ref().is_some_and(|old| old.0 == made) => {
                before.published.clone()
            }
            Some((_, made, body)) => Some((made, crate::store::from_json::<Table>(&body)?.table)),
            None => None,
        };
        let made = now();
        Ok(Board { playing, absent, bots, slugs, versions, live, matches, published, made })
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

/// Returns the live rating of each version.
///
/// It is what would be published now. A version without a match has the rating of the one before.
async fn live_ratings(
    store: &Store,
    arena: i64,
    versions: &BTreeMap<i64, Brief>,
) -> Stored<BTreeMap<i64, LiveRating>> {
    let mut fitted = BTreeMap::new();
    if store.different_results(arena).await? <= FITTED {
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
pub(crate) fn counted(count: &Count) -> Counted {
    Counted {
        players: count.players.iter().map(version_id).collect(),
        places: count.places.clone(),
        times: count.count,
    }
}

fn version_id(id: &i64) -> VersionId {
    VersionId(id.cast_unsigned())
}
