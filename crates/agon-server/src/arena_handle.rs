//! An arena while the server runs: its settings, and what pages show of it.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use tokio::sync::{Mutex, MutexGuard, Notify, broadcast, watch};

use crate::{
    board::Board,
    store::arenas::{Arena, ArenaSettings},
    trends::Trends,
};

/// How many numbers of matches wait for those who follow them slowly.
const FOLLOWED: usize = 1_024;

/// An arena, with what pages show of it. Clones are the same arena.
#[derive(Clone, Debug)]
pub(crate) struct ArenaHandle(Arc<ArenaInner>);

#[derive(Debug)]
struct ArenaInner {
    id: i64,
    arena: RwLock<Arc<Arena>>,
    board: watch::Sender<Arc<Board>>,
    trends: Trends,
    /// Matches that were over since the start.
    results: AtomicU64,
    /// Their numbers, for those who follow them.
    over: broadcast::Sender<u64>,
    /// The board is out of date.
    changed: Notify,
    /// Held while a table is published: one after the other, as the log has them.
    publishing: Mutex<()>,
    /// Since when a final has no match to play any more; 0 if it has.
    exhausted: AtomicI64,
}

impl ArenaHandle {
    pub(crate) fn new(arena: Arena) -> ArenaHandle {
        ArenaHandle(Arc::new(ArenaInner {
            id: arena.id,
            arena: RwLock::new(Arc::new(arena)),
            board: watch::Sender::default(),
            trends: Trends::default(),
            results: AtomicU64::new(0),
            over: broadcast::Sender::new(FOLLOWED),
            changed: Notify::new(),
            publishing: Mutex::default(),
            exhausted: AtomicI64::new(0),
        }))
    }

    pub(crate) fn id(&self) -> i64 {
        self.0.id
    }

    /// Returns the arena as it is now.
    pub(crate) fn get(&self) -> Arc<Arena> {
        Arc::clone(&self.0.arena.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns its settings as they are now.
    pub(crate) fn settings(&self) -> ArenaSettings {
        self.get().settings.clone()
    }

    /// Changes it.
    pub(crate) fn set(&self, arena: Arena) {
        *self.0.arena.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(arena);
        self.touch();
    }

    /// Returns what the arena's pages show.
    pub(crate) fn board(&self) -> Arc<Board> {
        Arc::clone(&self.0.board.borrow())
    }

    /// Returns a way to follow the board.
    pub(crate) fn follow(&self) -> watch::Receiver<Arc<Board>> {
        self.0.board.subscribe()
    }

    /// Returns the latest ratings of its versions.
    pub(crate) fn trends(&self) -> &Trends {
        &self.0.trends
    }

    /// Shows another board.
    pub(crate) fn show(&self, board: Board) {
        self.0.board.send_replace(Arc::new(board));
    }

    /// Notes that matches with these numbers are over.
    pub(crate) fn results(&self, numbers: &[u64]) {
        self.0.results.fetch_add(numbers.len() as u64, Ordering::Relaxed);
        for &number in numbers {
            // Perhaps nobody follows them.
            let _ = self.0.over.send(number);
        }
        self.touch();
    }

    /// Returns a way to hear the numbers of matches that are over.
    pub(crate) fn follow_matches(&self) -> broadcast::Receiver<u64> {
        self.0.over.subscribe()
    }

    /// Returns how many matches were over since the start.
    pub(crate) fn played_since_start(&self) -> u64 {
        self.0.results.load(Ordering::Relaxed)
    }

    /// Waits until nobody else publishes a table.
    pub(crate) async fn publish_alone(&self) -> MutexGuard<'_, ()> {
        self.0.publishing.lock().await
    }

    /// Notes since when a final has no match to play any more.
    pub(crate) fn exhaust(&self, at: i64) {
        let _ = self.0.exhausted.compare_exchange(0, at, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns whether a final had no match to play at this time.
    pub(crate) fn is_exhausted(&self, at: i64) -> bool {
        let since = self.0.exhausted.load(Ordering::Relaxed);
        since != 0 && since <= at
    }

    /// Notes that the board is out of date.
    pub(crate) fn touch(&self) {
        self.0.changed.notify_one();
    }

    /// Waits until the board is out of date.
    pub(crate) async fn touched(&self) {
        self.0.changed.notified().await;
    }
}
