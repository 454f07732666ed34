//! Reports matches of a pool that wait for bots, for people who would take the wait for a hang.

use std::fmt;

use agon_core::Game;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Waiting};

/// Follows the matches of a pool that wait for bots. Calls come from the workers.
pub trait WaitWatcher: fmt::Debug + Send + Sync {
    /// The match of a worker waits; called again and again as long as it does.
    fn waiting(&self, worker: usize, waiting: &Waiting);

    /// The match of a worker does not wait any more.
    fn over(&self, worker: usize);
}

/// Reports the waits of the match that a worker plays. The wait is over when it is dropped, too.
pub(crate) struct WaitReporter<'a> {
    worker: usize,
    watcher: Option<&'a dyn WaitWatcher>,
    is_waiting: bool,
}

impl<'a> WaitReporter<'a> {
    /// Reports waits of a worker's match to `watcher`.
    pub(crate) fn new(worker: usize, watcher: Option<&'a dyn WaitWatcher>) -> WaitReporter<'a> {
        WaitReporter { worker, watcher, is_waiting: false }
    }

    fn end_wait(&mut self) {
        if let (true, Some(watcher)) = (std::mem::take(&mut self.is_waiting), self.watcher) {
            watcher.over(self.worker);
        }
    }
}

impl<G: Game> Observer<G> for WaitReporter<'_> {
    fn step(&mut self, _: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.end_wait();
        Ok(Control::Continue)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        if let Some(watcher) = self.watcher {
            self.is_waiting = true;
            watcher.waiting(self.worker, waiting);
        }
    }
}

impl Drop for WaitReporter<'_> {
    fn drop(&mut self) {
        self.end_wait();
    }
}
