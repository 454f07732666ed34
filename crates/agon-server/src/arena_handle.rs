//! An arena while the server runs: its settings, and what pages show of it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::{collections::HashMap, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Mutex as AsyncMutex, Notify, broadcast, watch};

use crate::store::arenas::{Arena, ArenaSettings};
use crate::store::{Store, Stored};
use crate::{board::Board, ranking::Ranked};

/// How many numbers of matches wait for those who follow them slowly.
const FOLLOWED: usize = 1_024;

/// An arena. Clones are the same arena.
pub(crate) type ArenaHandle = Arc<LiveArena>;

/// An arena, with what pages show of it.
#[derive(Debug)]
pub(crate) struct LiveArena {
    id: i64,
    arena: RwLock<Arc<Arena>>,
    /// What the arena's pages show, for those who follow it.
    pub(crate) boards: watch::Sender<Arc<Board>>,
    /// The latest ratings of its versions.
    pub(crate) trends: Trends,
    /// Matches that were over since the start.
    pub(crate) played: AtomicU64,
    /// Their numbers, for those who follow them.
    pub(crate) over: broadcast::Sender<u64>,
    /// The board is out of date.
    pub(crate) changed: Notify,
    /// Held while a table is published: one after the other, as the log has them.
    pub(crate) publishing: AsyncMutex<()>,
    /// Since when a final has no match to play any more; 0 if it has.
    exhausted: AtomicI64,
}

impl LiveArena {
    pub(crate) fn new(arena: Arena) -> LiveArena {
        LiveArena {
            id: arena.id,
            arena: RwLock::new(Arc::new(arena)),
            boards: watch::Sender::default(),
            trends: Trends::default(),
            played: AtomicU64::new(0),
            over: broadcast::Sender::new(FOLLOWED),
            changed: Notify::new(),
            publishing: AsyncMutex::default(),
            exhausted: AtomicI64::new(0),
        }
    }

    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// Returns the arena as it is now.
    pub(crate) fn get(&self) -> Arc<Arena> {
        Arc::clone(&self.arena.read())
    }

    /// Returns its settings as they are now.
    pub(crate) fn settings(&self) -> ArenaSettings {
        self.get().settings.clone()
    }

    /// Changes it.
    pub(crate) fn set(&self, arena: Arena) {
        *self.arena.write() = Arc::new(arena);
        self.touch();
    }

    /// Returns what the arena's pages show.
    pub(crate) fn board(&self) -> Arc<Board> {
        Arc::clone(&self.boards.borrow())
    }

    /// Shows another board.
    pub(crate) fn show(&self, board: Board) {
        self.boards.send_replace(Arc::new(board));
    }

    /// Notes that matches with these numbers are over.
    pub(crate) fn results(&self, numbers: &[u64]) {
        self.played.fetch_add(numbers.len() as u64, Ordering::Relaxed);
        for &number in numbers {
            // Perhaps nobody follows them.
            let _ = self.over.send(number);
        }
        self.touch();
    }

    /// Notes since when a final has no match to play any more.
    pub(crate) fn exhaust(&self, at: i64) {
        let _ = self.exhausted.compare_exchange(0, at, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns whether a final had no match to play at this time.
    pub(crate) fn is_exhausted(&self, at: i64) -> bool {
        let since = self.exhausted.load(Ordering::Relaxed);
        since != 0 && since <= at
    }

    /// Notes that the board is out of date.
    pub(crate) fn touch(&self) {
        self.changed.notify_one();
    }
}

/// Ratings of a trend.
const LONG: u32 = 40;

/// The most trends that are kept: some megabytes. Beyond, all are read anew.
const KEPT: usize = 20_000;

/// How many are read at a time.
const AT_A_TIME: usize = 8;

/// Ratings in the order of their matches.
pub(crate) type Trend = Arc<[f64]>;

/// The latest ratings of versions, for small charts of the leaderboard: by version, each with the
/// number of matches after which it was read. They are kept until the version plays again: a page
/// shows a hundred of them.
#[derive(Debug, Default)]
pub(crate) struct Trends(Mutex<HashMap<i64, (u64, Trend)>>);

impl Trends {
    /// Returns the trends of rows, in their order.
    pub(crate) async fn of(&self, store: &Store, rows: &[&Ranked]) -> Stored<Vec<Trend>> {
        let mut trends = Vec::new();
        for row in rows {
            trends.push(self.one(store, row.version, row.matches));
        }
        stream::iter(trends).buffered(AT_A_TIME).try_collect().await
    }

    /// Returns the trend of a version that has played so many matches.
    pub(crate) async fn one(&self, store: &Store, version: i64, matches: u64) -> Stored<Trend> {
        if let Some((_, trend)) = self.0.lock().get(&version).filter(|(known, _)| *known == matches)
        {
            return Ok(Arc::clone(trend));
        }
        let trend: Trend = store.last_ratings(version, LONG).await?.into_iter().rev().collect();
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(version, (matches, Arc::clone(&trend)));
        Ok(trend)
    }
}
