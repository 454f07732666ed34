//! The server as requests see it: what is shared, and the parts that work.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::Semaphore;

use crate::{
    accounts::{sign_in_limits::SignInLimits, throttle::Throttle},
    intake::queue::Queue,
    limits::Limits,
    play::{Comparisons, Controls, Orders, SlotUse},
    shared::Shared,
    tries::Tries,
};

/// The server as requests see it. Clones are the same.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

/// See [`App`].
struct Inner {
    shared: Shared,
    queue: Arc<Queue>,
    controls: Controls,
    tries: Arc<Tries>,
    /// How many uploads are read at a time: each may take its whole size of memory.
    uploads: Semaphore,
    /// Who uploads something now: one thing at a time.
    uploading: Mutex<BTreeSet<i64>>,
    /// Limits for wrong passwords.
    sign_ins: SignInLimits,
    /// Limits of requests.
    limits: Limits,
    /// How many passwords are hashed at a time: each takes 19 MiB and a core.
    hashing: Semaphore,
    /// What the API limits.
    api: ApiLimits,
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

    fn new() -> ApiLimits {
        ApiLimits {
            requests: Throttle::new(ApiLimits::REQUESTS, ApiLimits::WINDOW / ApiLimits::REQUESTS),
            exports: Arc::new(Semaphore::new(4)),
            keys: Mutex::default(),
        }
    }
}

impl App {
    pub(crate) fn new(
        shared: Shared,
        queue: Arc<Queue>,
        tries: Arc<Tries>,
        controls: Controls,
        limits: Limits,
    ) -> App {
        App(Arc::new(Inner {
            shared,
            queue,
            controls,
            tries,
            uploads: Semaphore::new(8),
            uploading: Mutex::default(),
            sign_ins: SignInLimits::new(),
            limits,
            hashing: Semaphore::new(2),
            api: ApiLimits::new(),
        }))
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(crate) fn orders(&self) -> &Orders {
        &self.0.controls.orders
    }

    pub(crate) fn tries(&self) -> &Tries {
        &self.0.tries
    }

    pub(crate) fn comparisons(&self) -> &Comparisons {
        &self.0.controls.comparisons
    }

    pub(crate) fn slots(&self) -> &SlotUse {
        &self.0.controls.slots
    }

    pub(crate) fn uploads(&self) -> &Semaphore {
        &self.0.uploads
    }

    /// Notes that a person uploads something, until the return value is dropped; `None` if the
    /// person does so already.
    pub(crate) fn own_upload(&self, person: i64) -> Option<OwnUpload> {
        let mut uploading = self.0.uploading.lock().unwrap_or_else(PoisonError::into_inner);
        uploading.insert(person).then(|| OwnUpload { app: self.clone(), person })
    }

    pub(crate) fn sign_ins(&self) -> &SignInLimits {
        &self.0.sign_ins
    }

    pub(crate) fn api(&self) -> &ApiLimits {
        &self.0.api
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn hashing(&self) -> &Semaphore {
        &self.0.hashing
    }
}

/// A person's upload that is under way.
pub(crate) struct OwnUpload {
    app: App,
    person: i64,
}

impl Drop for OwnUpload {
    fn drop(&mut self) {
        let uploading = &self.app.0.uploading;
        uploading.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.person);
    }
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0.shared
    }
}
