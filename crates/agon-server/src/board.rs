//! What the pages of an arena show, in memory: bots, their active versions and ratings.
//!
//! A task makes it from the database a moment after something has changed, so a thousand
//! visitors cost no more than one.

use std::{collections::BTreeMap, sync::Arc};

use agon_ladder::{PublishOptions, Published, api::Rating, ledger::Table};

use crate::ranking::{self, Ranked};
use crate::store::arenas::{Arena, Ranks};
use crate::store::{Store, Stored, now};
use crate::{database::DatabaseError, store::bots::Bot, store::versions::Brief};

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
        let (_, counted) = store.counted_results(arena).await?;
        // Without ranges of ranks.
        let fit = move || counted.published(&PublishOptions::default());
        let fit = tokio::task::spawn_blocking(fit).await;
        let failed = |error: &dyn std::fmt::Display| DatabaseError::Engine(error.to_string());
        let fit = fit.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        for row in &fit.rows {
            if let Some(found) = &row.rating {
                fitted.insert(row.version.0.cast_signed(), ranking::of_published(found));
            }
        }
    }
    for version in versions.values().filter(|version| version.matches > 0) {
        let own = || ranking::of_skill(version.mu, version.sigma);
        fitted.entry(version.id).or_insert_with(own);
    }
    Ok(fitted)
}

#[cfg(test)]
mod tests {
    //! What luck is worth: with SQLite, and with PostgreSQL if the variable for it is there.

    use agon_games::GameId;
    use agon_match::spec::Digest;
    use agon_rating::Skill;

    use super::*;
    use crate::store::tests::{ARENA, store};
    use crate::store::versions::{PlayState, State, Version};
    use crate::store::{bots, counts, versions};
    use crate::{arenas, database::Statement, store::arenas::RankedBy};

    /// A boss, and bots of two authors.
    const BOSS: i64 = 1;
    const STEADY: i64 = 2;
    const LUCKY: i64 = 3;

    /// The version of the second author that was lucky, and how often each of them won, from the
    /// version 100 on: each has the same files.
    const BEST: i64 = 106;
    const WINS: [i64; 14] = [3, 1, 4, 2, 5, 3, 6, 2, 3, 4, 1, 3, 5, 2];

    fn bot(id: i64, active: i64) -> Statement {
        Bot {
            id,
            arena: ARENA,
            slug: id.to_string(),
            name: id.to_string(),
            active: Some(active),
            ..Bot::default()
        }
        .insert()
    }

    fn version(id: i64, bot: i64, number: u32) -> Statement {
        let Skill { mu, sigma } = Skill::default();
        Version {
            id,
            bot,
            number,
            state: State::Ready,
            source: Some(Digest::of(&bot.to_le_bytes())),
            ready: Some(0),
            play: PlayState { mu, sigma, ..PlayState::default() },
            ..Version::default()
        }
        .insert()
    }

    /// Has a version win so many of its matches against the boss.
    fn play(version: i64, wins: i64, matches: i64) -> Vec<Statement> {
        let result = |wins| if wins { [2, 1] } else { [1, 2] };
        let mut all = Vec::new();
        for number in 0..matches {
            all.extend(counts::count(ARENA, &[BOSS, version], &result(number < wins), 1));
            let Skill { mu, sigma } = Skill::default();
            let play = PlayState { mu, sigma, matches: number as u64 + 1, ..PlayState::default() };
            all.push(versions::keep(version, &play));
        }
        all
    }

    /// The ranks of the two authors' bots, and what the second one owes.
    async fn ranks(store: &Store, ranks: Ranks) -> (Option<u64>, Option<u64>, u64) {
        let mut arena = Arena { id: ARENA, ..arenas::first(GameId::OWN[0]) };
        arena.settings.ranks = Some(ranks);
        let board = Board::read(store, &arena, &Board::default()).await.unwrap();
        let lucky = &board.bots[&LUCKY];
        (board.bots[&STEADY].rank, lucky.rank, lucky.owed)
    }

    #[tokio::test]
    async fn the_luckiest_of_many_versions_is_not_before_one_that_has_proven_its_strength() {
        let (_folder, store) = store().await;
        let mut all = vec![bot(BOSS, BOSS), version(BOSS, BOSS, 1)];
        all.extend([bot(STEADY, STEADY), version(STEADY, STEADY, 1), bot(LUCKY, 113)]);
        all.extend(play(STEADY, 100, 167));
        for (number, (id, wins)) in (1..).zip((100..).zip(WINS)) {
            all.push(version(id, LUCKY, number));
            all.extend(play(id, wins, 6));
        }
        store.write(all).await.unwrap();
        // The author has the lucky one play.
        let plain = Ranks { by: RankedBy::Rating, least: 0 };
        store.write(vec![bots::set_active(LUCKY, Some(BEST))]).await.unwrap();
        assert_eq!(ranks(&store, plain).await, (Some(2), Some(1), 0), "this is luck");
        let least = Ranks::default().least;
        assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 4));
        store.write(vec![versions::owe(BEST, least)]).await.unwrap();
        assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 10));
        let fifty = Ranks { by: RankedBy::Rating, least: 50 };
        assert_eq!(ranks(&store, fifty).await, (Some(1), None, 44));
        // Matches that it owes are of the strength that it has, and then it has a rank again.
        let Skill { mu, sigma } = Skill::default();
        for (number, is_won) in (7_u64..).zip([true, false, false, true, false, true, false, false])
        {
            let places = if is_won { [2, 1] } else { [1, 2] };
            let mut played = counts::count(ARENA, &[BOSS, BEST], &places, 1);
            let play = PlayState { mu, sigma, matches: number, ..PlayState::default() };
            played.push(versions::keep(BEST, &play));
            store.write(played).await.unwrap();
        }
        assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 2));
        let play = PlayState { mu, sigma, matches: 16, ..PlayState::default() };
        store.write(vec![versions::keep(BEST, &play), versions::keep(BEST, &play)]).await.unwrap();
        let (steady, lucky, owed) = ranks(&store, Ranks::default()).await;
        assert!(steady < lucky && lucky.is_some() && owed == 0, "{steady:?} {lucky:?} {owed}");
    }

    #[tokio::test]
    async fn a_version_that_has_not_played_has_no_rating() {
        let (_folder, store) = store().await;
        let mut all = vec![bot(BOSS, BOSS), version(BOSS, BOSS, 1), bot(LUCKY, 101)];
        all.extend([version(100, LUCKY, 1), version(101, LUCKY, 2)]);
        all.extend(play(100, 20, 20));
        store.write(all).await.unwrap();
        let arena = Arena { id: ARENA, ..arenas::first(GameId::OWN[0]) };
        let board = Board::read(&store, &arena, &Board::default()).await.unwrap();
        assert!(board.rating(100).is_some() && board.rating(101).is_none());
        let last = board.playing.last().unwrap();
        assert_eq!((last.bot, last.rank, last.rating, last.owed), (LUCKY, None, None, 10));
        assert!(board.milestones(101).all(|(_, is_reached)| !is_reached));
    }
}
