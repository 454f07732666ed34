//! Whether the server can do its work, which `/readyz` reports, and problems for administrators.

use std::{collections::VecDeque, sync::atomic::Ordering, time::Duration};

use parking_lot::Mutex;
use tokio::time::timeout;
use tracing::{error, info};

use crate::{disk, shared::Shared, store::now};

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns why the server cannot do its work; nothing if it can. Everybody may read it.
pub(crate) async fn troubles(shared: &Shared) -> Vec<&'static str> {
    let mut troubles = Vec::new();
    match timeout(PATIENCE, shared.store.fact("secret")).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            error!("the server is not ready: {error}");
            troubles.push("the database does not answer");
        }
        Err(_) => troubles.push("the database does not answer in time"),
    }
    if shared.trouble.load(Ordering::Relaxed) {
        troubles.push("results cannot be written; Organise → Server shows why");
    }
    if shared.disk.is_low() {
        troubles.push(disk::FULL);
    }
    if !shared.is_player_alive() {
        troubles.push("the thread that plays has ended; start the server again");
    }
    if shared.is_ending() {
        troubles.push("the server stops");
    }
    troubles
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
        let mut problems = self.0.lock();
        let text =
            agon_core::text::escape_lines(agon_core::text::name::cut(text, 2_000)).into_owned();
        let known = problems.iter().position(|known| known.place == place && known.text == text);
        let count = known.and_then(|at| problems.remove(at)).map_or(0, |known| known.count);
        if count == 0 {
            info!(place, text, "a problem");
        }
        problems.push_front(Problem { at: now(), place, text, count: count + 1 });
        problems.truncate(PROBLEMS);
    }

    /// Returns all problems, the last one first.
    pub(crate) fn all(&self) -> Vec<Problem> {
        self.0.lock().iter().cloned().collect()
    }
}
