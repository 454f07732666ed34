//! What the pages of an arena show, in memory: bots, their active versions and ratings.
//!
//! Boards are made from the database a moment after something has changed, so a thousand visitors
//! cost no more than one.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use agon_ladder::Published;
use tokio::{task::JoinHandle, time::sleep};
use tracing::error;

use crate::{
    app::{App, ArenaHandle},
    play::rating,
    store::{Stored, bots::Bot, matches, now, versions::Brief},
};

/// How long a board is shown at least.
const LASTS: Duration = Duration::from_millis(300);

/// A board is not made more often than it takes this many times as long to make it.
const SHARE: u32 = 10;

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
    async fn read(app: &App, arena: &ArenaHandle, before: &Board) -> Stored<Board> {
        let bots = app.store.bots_with_authors(arena.id()).await?;
        let versions = app.store.brief_versions(arena.id()).await?;
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
        let strength = |id: &i64| {
            let active = bots.get(id).and_then(|bot| bot.bot.active);
            active.and_then(|id| versions.get(&id)).map_or(f64::MIN, |version| version.mu)
        };
        playing
            .sort_by(|one, other| strength(other).total_cmp(&strength(one)).then(one.cmp(other)));
        for (place, id) in playing.iter().enumerate() {
            if let Some(bot) = bots.get_mut(id) {
                bot.rank = Some(place as u64 + 1);
            }
        }
        let matches = app.store.counted(arena.id()).await?;
        let published = match app.store.published(arena.id()).await? {
            // It may be large, and changes seldom.
            Some((_, made, _)) if before.published.as_ref().is_some_and(|old| old.0 == made) => {
                before.published.clone()
            }
            Some((_, made, body)) => Some((made, crate::store::from_json(&body)?)),
            None => None,
        };
        let made = now();
        Ok(Board { playing, absent, bots, slugs, versions, matches, published, made })
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
        self.versions.get(&version).map(|version| rating(version.mu))
    }
}

/// Keeps the board of an arena up to date.
pub(crate) fn keep(app: App, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let began = Instant::now();
            let before = arena.board();
            match Board::read(&app, &arena, &before).await {
                Ok(board) => arena.show(board),
                Err(problem) => {
                    error!("the board of an arena cannot be made: {problem}");
                    app.problems.note("board", &problem.to_string());
                    sleep(Duration::from_secs(1)).await;
                    continue;
                }
            }
            sleep(LASTS.max(began.elapsed() * SHARE)).await;
            tokio::select! {
                () = arena.touched() => {}
                () = app.ended() => return,
            }
        }
    })
}

/// How long a published table stays at least.
const PUBLISHED: Duration = Duration::from_secs(10);

/// How long it stays at most if there are new results.
const PUBLISHED_MOST: Duration = Duration::from_secs(600);

/// Publishes the table of an arena again and again.
pub(crate) fn publish(app: App, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let began = Instant::now();
            if let Err(problem) = publish_once(&app, &arena).await {
                error!("the table of an arena cannot be published: {problem:#}");
                app.problems.note("published table", &format!("{problem:#}"));
            }
            let pause = (began.elapsed() * 50).clamp(PUBLISHED, PUBLISHED_MOST);
            tokio::select! {
                () = sleep(pause) => {}
                () = app.ended() => return,
            }
        }
    })
}

/// Publishes the table of an arena if there are new results.
///
/// # Errors
/// If the database fails, or the results cannot be rated.
pub(crate) async fn publish_once(app: &App, arena: &ArenaHandle) -> anyhow::Result<()> {
    let matches = app.store.counted(arena.id()).await?;
    let last = app.store.published(arena.id()).await?;
    if matches == last.map_or(0, |(matches, ..)| matches) {
        return Ok(());
    }
    let counts = app.store.counts(arena.id()).await?;
    let board = arena.board();
    let versions: Vec<i64> = board.versions.keys().copied().collect();
    let table = tokio::task::spawn_blocking(move || table(&counts, &versions)).await??;
    let body = crate::store::to_json(&table);
    app.store.write(vec![matches::publish(arena.id(), matches, now(), body)]).await?;
    arena.touch();
    Ok(())
}

fn table(counts: &[matches::Count], versions: &[i64]) -> anyhow::Result<Published> {
    use agon_ladder::{Counted, PublishOptions, VersionId, published};
    let id = |&id: &i64| VersionId(id.cast_unsigned());
    let counted = counts.iter().map(|count| Counted {
        players: count.players.iter().map(id).collect(),
        places: count.places.clone(),
        times: count.count,
    });
    let versions: Vec<VersionId> = versions.iter().map(id).collect();
    Ok(published(counted, &versions, &PublishOptions::default())?)
}
