//! What all threads and requests of the server share. Clones share it too.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock, atomic::AtomicBool},
    time::Duration,
};

use agon_arena::BlobStore;
use tokio::sync::{Notify, RwLock as AsyncLock, watch};

use crate::{
    arena_handle::ArenaHandle,
    disk::Disk,
    intake::build::Workshop,
    ledger::Ledger,
    metrics::Metrics,
    problems::Problems,
    store::{Store, arenas::Arena},
    uploads::Uploads,
};

/// What all threads and requests of the server share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

/// See [`Shared`].
pub(crate) struct Inner {
    parts: Parts,
    pub(crate) problems: Problems,
    /// The last checkpoint of the public log.
    pub(crate) ledger: Ledger,
    /// Whether results cannot be written at the moment.
    pub(crate) trouble: AtomicBool,
    /// The thread that plays has a clone of it, as long as it lives.
    pub(crate) player: Arc<()>,
    /// Whoever erases a person, or removes a blob that nothing names, holds it alone. Those share
    /// it who write what they have read of a person, or that names a blob, until it is written.
    pub(crate) erasing: AsyncLock<()>,
    /// Held while a draw is fixed or a nonce is added to it: the log must agree with the draw. Held
    /// also while an author changes a bot or an organiser a season: nothing changes after a freeze.
    pub(crate) drawing: tokio::sync::Mutex<()>,
    /// Uploads that are on their way.
    pub(crate) uploads: Uploads,
    /// Somebody was erased, or a blob is to be removed.
    pub(crate) doomed: Notify,
    /// Set once the server stops.
    ending: watch::Sender<bool>,
    arenas: RwLock<BTreeMap<i64, ArenaHandle>>,
}

/// What it is made of.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) blobs: BlobStore,
    pub(crate) workshop: Workshop,
    pub(crate) site: Site,
    pub(crate) metrics: Metrics,
    pub(crate) disk: Disk,
    /// A random secret of this server, from which others are derived.
    pub(crate) secret: [u8; 32],
    /// Whether visitors may not see the pages of people.
    pub(crate) are_people_private: AtomicBool,
    /// How long matches that have begun may take to their end when the server stops.
    pub(crate) patience: Duration,
    /// Matches a minute of an arena whose bots are all well known; 0 for no limit.
    pub(crate) pace: u32,
}

/// Where and as what the server is seen.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The name of the site.
    pub(crate) title: String,
    /// Scheme, host and port of its pages.
    pub(crate) address: String,
    /// Whether the operator did not name the address.
    pub(crate) is_guessed: bool,
    /// Whether pages are seen over HTTPS.
    pub(crate) is_secure: bool,
    /// Whether search engines may list the pages.
    pub(crate) is_indexed: bool,
    /// The proxies whose `X-Forwarded-For` counts.
    pub(crate) proxies: Vec<IpAddr>,
    /// Who may read the figures, beside administrators.
    pub(crate) metrics_from: Vec<IpAddr>,
    /// The digest of the token with which others may.
    pub(crate) metrics_token: Option<blake3::Hash>,
    /// The folder with everything.
    pub(crate) data: PathBuf,
    /// The address of the server whose workers play, if this machine does not.
    pub(crate) workers: Option<String>,
    /// When the server started.
    pub(crate) since: i64,
}

impl std::ops::Deref for Shared {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl std::ops::Deref for Inner {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl Shared {
    pub(crate) fn new(parts: Parts) -> Shared {
        Shared(Arc::new(Inner {
            parts,
            problems: Problems::default(),
            ledger: Ledger::default(),
            trouble: AtomicBool::new(false),
            player: Arc::default(),
            erasing: AsyncLock::default(),
            drawing: tokio::sync::Mutex::default(),
            uploads: Uploads::default(),
            doomed: Notify::new(),
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

    /// Returns whether the thread that plays lives.
    pub(crate) fn is_player_alive(&self) -> bool {
        Arc::strong_count(&self.player) > 1
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
