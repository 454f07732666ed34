//! The server as a whole: what its threads and requests share.

use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use agon_arena::{BlobStore, JobCounts};
use tokio::sync::{Notify, Semaphore, watch};

use crate::{
    accounts::throttle::Throttle,
    board::Board,
    intake::{build::Workshop, queue::Queue},
    play::{Comparisons, Player},
    store::{
        Store,
        arenas::{Arena, ArenaSettings},
        now,
    },
    tries::Tries,
};

/// What the threads and requests of the server share. Clones share it too.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// See [`App`].
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) blobs: BlobStore,
    pub(crate) workshop: Workshop,
    pub(crate) queue: Queue,
    pub(crate) player: Player,
    pub(crate) tries: Tries,
    pub(crate) comparisons: Comparisons,
    pub(crate) problems: Problems,
    pub(crate) slots: SlotUse,
    pub(crate) site: Site,
    /// A random secret of this server, from which others are derived.
    pub(crate) secret: [u8; 32],
    /// Whether results cannot be written at the moment.
    pub(crate) trouble: AtomicBool,
    /// How long matches that have begun may take to their end when the server stops.
    pub(crate) patience: Duration,
    /// Matches a second of an arena whose bots are all well known; 0 for no limit.
    pub(crate) pace: u32,
    /// How many uploads are read at a time: each may take its whole size of memory.
    pub(crate) uploads: Semaphore,
    /// Limits for tries of passwords, by name and by address.
    pub(crate) passwords: Throttle,
    /// How many passwords are hashed at a time: each takes 19 MiB and a core.
    pub(crate) hashing: Semaphore,
    /// Set once the server stops.
    ending: watch::Sender<bool>,
    arenas: RwLock<BTreeMap<i64, ArenaHandle>>,
}

/// Where and as what the server is seen.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The name of the site.
    pub(crate) title: String,
    /// Scheme, host and port of its pages.
    pub(crate) address: String,
    /// Whether pages are seen over HTTPS.
    pub(crate) is_secure: bool,
    /// The folder with everything.
    pub(crate) data: PathBuf,
    /// When the server started.
    pub(crate) since: i64,
}

/// What the app is made of.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) blobs: BlobStore,
    pub(crate) workshop: Workshop,
    pub(crate) tries: Tries,
    pub(crate) site: Site,
    pub(crate) secret: [u8; 32],
    pub(crate) patience: Duration,
    pub(crate) pace: u32,
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    pub(crate) fn new(parts: Parts) -> App {
        let Parts { store, blobs, workshop, tries, site, secret, patience, pace } = parts;
        App(Arc::new(Shared {
            store,
            blobs,
            workshop,
            queue: Queue::default(),
            player: Player::new(),
            tries,
            comparisons: Comparisons::default(),
            problems: Problems::default(),
            slots: SlotUse::default(),
            site,
            secret,
            trouble: AtomicBool::new(false),
            patience,
            pace,
            uploads: Semaphore::new(4),
            passwords: Throttle::new(10, Duration::from_secs(30)),
            hashing: Semaphore::new(2),
            ending: watch::Sender::new(false),
            arenas: RwLock::default(),
        }))
    }

    /// Returns all arenas, the oldest first.
    pub(crate) fn arenas(&self) -> Vec<ArenaHandle> {
        let arenas = self.arenas.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<ArenaHandle> = arenas.values().cloned().collect();
        all.sort_by_key(|arena| (arena.get().created, arena.id()));
        all
    }

    /// Returns an arena by id.
    pub(crate) fn arena_of(&self, id: i64) -> Option<ArenaHandle> {
        self.arenas.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Returns an arena by its name in addresses.
    pub(crate) fn arena(&self, slug: &str) -> Option<ArenaHandle> {
        let arenas = self.arenas.read().unwrap_or_else(PoisonError::into_inner);
        arenas.values().find(|arena| arena.get().slug == slug).cloned()
    }

    /// Adds an arena, or changes it.
    pub(crate) fn set_arena(&self, arena: Arena) -> ArenaHandle {
        let mut arenas = self.arenas.write().unwrap_or_else(PoisonError::into_inner);
        let id = arena.id;
        match arenas.get(&id) {
            Some(handle) => handle.set(arena),
            None => drop(arenas.insert(id, ArenaHandle::new(arena))),
        }
        arenas[&id].clone()
    }

    /// Returns whether the server stops.
    pub(crate) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Notes that the server stops.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Waits until the server stops.
    pub(crate) async fn ended(&self) {
        let mut ending = self.ending.subscribe();
        // The sender lives as long as the app.
        let _ = ending.wait_for(|is_ending| *is_ending).await;
    }
}

/// An arena, with what pages show of it. Clones are the same arena.
#[derive(Clone, Debug)]
pub(crate) struct ArenaHandle(Arc<ArenaInner>);

#[derive(Debug)]
struct ArenaInner {
    id: i64,
    arena: RwLock<Arc<Arena>>,
    board: watch::Sender<Arc<Board>>,
    /// Matches that were over since the start.
    results: AtomicU64,
    /// The board is out of date.
    changed: Notify,
}

impl ArenaHandle {
    fn new(arena: Arena) -> ArenaHandle {
        ArenaHandle(Arc::new(ArenaInner {
            id: arena.id,
            arena: RwLock::new(Arc::new(arena)),
            board: watch::Sender::default(),
            results: AtomicU64::new(0),
            changed: Notify::new(),
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

    fn set(&self, arena: Arena) {
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

    /// Shows another board.
    pub(crate) fn show(&self, board: Board) {
        self.0.board.send_replace(Arc::new(board));
    }

    /// Notes that so many matches are over.
    pub(crate) fn results(&self, count: u64) {
        self.0.results.fetch_add(count, Ordering::Relaxed);
        self.touch();
    }

    /// Returns how many matches were over since the start.
    pub(crate) fn played_since_start(&self) -> u64 {
        self.0.results.load(Ordering::Relaxed)
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

/// How many problems are kept.
const PROBLEMS: usize = 100;

/// Problems of the server itself, for its administrators.
#[derive(Debug, Default)]
pub(crate) struct Problems(Mutex<VecDeque<Problem>>);

/// A problem of the server itself.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// When it was last there.
    pub(crate) at: i64,
    pub(crate) place: &'static str,
    pub(crate) text: String,
    pub(crate) count: u64,
}

impl Problems {
    /// Notes a problem.
    pub(crate) fn note(&self, place: &'static str, text: &str) {
        let mut problems = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = agon_text::escape_lines(agon_text::name::cut(text, 2_000)).into_owned();
        let known = problems.iter().position(|known| known.place == place && known.text == text);
        let count = known.and_then(|at| problems.remove(at)).map_or(0, |known| known.count);
        problems.push_front(Problem { at: now(), place, text, count: count + 1 });
        problems.truncate(PROBLEMS);
    }

    /// Returns all problems, the last one first.
    pub(crate) fn all(&self) -> Vec<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// What the slots for matches do.
#[derive(Debug, Default)]
pub(crate) struct SlotUse(Mutex<(usize, u64, u64)>);

impl SlotUse {
    /// Notes it.
    pub(crate) fn set(&self, counts: &JobCounts, slots: usize) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            (slots, counts.given_out, counts.planned);
    }

    /// Returns how many slots there are, how many play, and how many matches wait for one.
    pub(crate) fn get(&self) -> (usize, u64, u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
