//! The server as requests see it: what is shared, and the parts that work.

use std::{collections::BTreeSet, ops::Deref, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::accounts::sign_in_limits::{SignInLimits, Throttle};
use crate::play::{Comparisons, Controls, Orders, SlotUse};
use crate::{intake::queue::Queue, limits::Limits, shared::Shared, tries::Tries};

/// The server as requests see it. Clones are the same.
pub(crate) type App = Arc<AppState>;

/// See [`App`].
pub(crate) struct AppState {
    pub(crate) shared: Shared,
    pub(crate) queue: Arc<Queue>,
    pub(crate) tries: Arc<Tries>,
    pub(crate) orders: Orders,
    pub(crate) comparisons: Arc<Comparisons>,
    pub(crate) slots: Arc<SlotUse>,
    /// How many uploads are read at a time: each may take its whole size of memory.
    pub(crate) upload_places: Semaphore,
    /// Who uploads something now: one thing at a time.
    uploading: Mutex<BTreeSet<i64>>,
    /// Limits for wrong passwords.
    pub(crate) sign_ins: SignInLimits,
    /// Limits of requests.
    pub(crate) limits: Limits,
    /// How many passwords are hashed at a time: each takes 19 MiB and a core.
    pub(crate) hashing: Semaphore,
    /// How many replays are played again at a time for viewers that do not know their game: each
    /// takes a core, and perhaps 200 MiB.
    pub(crate) scenes: Arc<Semaphore>,
    /// What the API limits.
    pub(crate) api: ApiLimits,
}

/// What the API limits.
pub(crate) struct ApiLimits {
    /// Requests of a token, and of an address without one.
    pub(crate) requests: Throttle,
    /// Exports at a time.
    pub(crate) exports: Arc<Semaphore>,
    /// The requests with an `Idempotency-Key` that are being answered: person and key.
    pub(crate) keys: Mutex<BTreeSet<(i64, String)>>,
}

impl ApiLimits {
    /// Requests at once; so many come back within [`ApiLimits::WINDOW`].
    pub(crate) const REQUESTS: u32 = 6_000;

    /// The time in which all requests come back.
    pub(crate) const WINDOW: Duration = Duration::from_secs(60);
}

impl AppState {
    pub(crate) fn new(
        shared: Shared,
        queue: Arc<Queue>,
        tries: Arc<Tries>,
        controls: Controls,
        limits: Limits,
    ) -> AppState {
        let Controls { orders, comparisons, slots } = controls;
        let each = ApiLimits::WINDOW / ApiLimits::REQUESTS;
        AppState {
            shared,
            queue,
            tries,
            orders,
            comparisons,
            slots,
            upload_places: Semaphore::new(8),
            uploading: Mutex::default(),
            sign_ins: SignInLimits::new(),
            limits,
            hashing: Semaphore::new(2),
            scenes: Arc::new(Semaphore::new(1)),
            api: ApiLimits {
                requests: Throttle::new(ApiLimits::REQUESTS, each),
                exports: Arc::new(Semaphore::new(4)),
                keys: Mutex::default(),
            },
        }
    }

    /// Notes that a person uploads something, until the return value is dropped; `None` if the
    /// person does so already.
    pub(crate) fn own_upload(self: &Arc<Self>, person: i64) -> Option<OwnUpload> {
        let is_free = self.uploading.lock().insert(person);
        is_free.then(|| OwnUpload { app: Arc::clone(self), person })
    }
}

/// A person's upload that is under way.
pub(crate) struct OwnUpload {
    app: App,
    person: i64,
}

impl Drop for OwnUpload {
    fn drop(&mut self) {
        self.app.uploading.lock().remove(&self.person);
    }
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}
