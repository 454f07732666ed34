//! What all threads and requests of the server share. Clones share it too.

use std::sync::{Arc, Weak};
use std::{
    collections::BTreeMap, net::IpAddr, path::PathBuf, sync::atomic::AtomicBool, time::Duration,
};

use agon_arena::BlobStore;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, RwLock as AsyncLock, watch};

use crate::{
    arena_handle::{ArenaHandle, LiveArena},
    health::{Disk, Problems},
    intake::build::Workshop,
    ledger::Ledger,
    metrics::Metrics,
    store::Store,
    store::arenas::Arena,
};

/// What all threads and requests of the server share.
pub(crate) type Shared = Arc<SharedState>;

/// See [`Shared`].
pub(crate) struct SharedState {
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
    pub(crate) ending: watch::Sender<bool>,
    pub(crate) arenas: RwLock<BTreeMap<i64, ArenaHandle>>,
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

impl SharedState {
    /// Returns all arenas, the oldest first.
    pub(crate) fn arenas(&self) -> Vec<ArenaHandle> {
        let mut all: Vec<ArenaHandle> = self.arenas.read().values().cloned().collect();
        all.sort_by_key(|arena| (arena.get().created, arena.id()));
        all
    }

    /// Returns an arena by id.
    pub(crate) fn arena_of(&self, id: i64) -> Option<ArenaHandle> {
        self.arenas.read().get(&id).cloned()
    }

    /// Returns an arena by its name in addresses.
    pub(crate) fn arena(&self, slug: &str) -> Option<ArenaHandle> {
        let arenas = self.arenas.read();
        arenas.values().find(|arena| arena.get().slug == slug).cloned()
    }

    /// Adds an arena, or changes it.
    pub(crate) fn set_arena(&self, arena: Arena) -> ArenaHandle {
        let mut arenas = self.arenas.write();
        let id = arena.id;
        match arenas.get(&id) {
            Some(handle) => handle.set(arena),
            None => drop(arenas.insert(id, Arc::new(LiveArena::new(arena)))),
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

/// When the uploads that are on their way began: one that began in time counts, even if it takes a
/// while.
#[derive(Debug, Default)]
pub(crate) struct Uploads(Mutex<Vec<Weak<i64>>>);

/// An upload that is on its way, until it is dropped.
pub(crate) type Underway = Arc<i64>;

impl Uploads {
    /// Notes that an upload begins.
    pub(crate) fn begin(&self, began: i64) -> Underway {
        let underway = Arc::new(began);
        let mut all = self.0.lock();
        all.retain(|upload| upload.strong_count() > 0);
        all.push(Arc::downgrade(&underway));
        underway
    }

    /// Returns whether an upload that began at this time or before is still on its way.
    pub(crate) fn has_begun_by(&self, at: i64) -> bool {
        let all = self.0.lock();
        all.iter().filter_map(Weak::upgrade).any(|began| *began <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_began_in_time_are_known_until_they_end() {
        let uploads = Uploads::default();
        let (one, two) = (uploads.begin(5), uploads.begin(5));
        let late = uploads.begin(9);
        drop(one);
        assert!(uploads.has_begun_by(5) && !uploads.has_begun_by(4));
        drop(two);
        assert!(!uploads.has_begun_by(8) && uploads.has_begun_by(9));
        drop(late);
        assert!(!uploads.has_begun_by(i64::MAX));
    }
}
