//! Writes what the runner did: matches that were planned, and how they ended.
//!
//! Everything of a moment is one transaction, behind one sync of the replays. If the database
//! fails, the group is kept and tried again: nothing is lost, and the runner waits once some
//! hundred matches are waiting here.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Result;
use tokio::runtime::Handle;
use tracing::{error, info};

use crate::{database::Statement, shared::Shared};

/// How long a group gathers.
const GATHER: Duration = Duration::from_millis(50);

/// The most entries of a group.
const MOST: usize = 500;

/// How long the recorder waits after a failure.
const AGAIN: Duration = Duration::from_secs(1);

/// Something to write.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) statements: Vec<Statement>,
    /// A replay, whose digest is in the statements.
    pub(super) replay: Option<Vec<u8>>,
    /// The arena whose table changes.
    pub(super) arena: i64,
    /// The match that is over, if one is.
    pub(super) over: Option<u64>,
}

/// The thread that writes.
#[derive(Debug)]
pub(super) struct Recorder {
    sender: Option<SyncSender<Entry>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system does not start threads.
    pub(super) fn start(shared: Shared, runtime: Handle) -> Result<Recorder> {
        let (sender, receiver) = sync_channel(2 * MOST);
        let thread = thread::Builder::new().name("recorder".to_owned());
        let thread = thread.spawn(move || run(&shared, &runtime, &receiver))?;
        Ok(Recorder { sender: Some(sender), thread: Some(thread) })
    }

    /// Writes something soon. Waits if too much waits already.
    pub(super) fn record(&self, entry: Entry) {
        if let Some(sender) = &self.sender {
            // The thread ends only when the sender is dropped.
            let _ = sender.send(entry);
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // It writes what waits, and ends.
        self.sender.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, runtime: &Handle, receiver: &Receiver<Entry>) {
    while let Ok(first) = receiver.recv() {
        let group = gather(first, receiver);
        let mut was_trouble = false;
        while let Err(problem) = write(shared, runtime, &group) {
            if !was_trouble {
                error!("results cannot be written and are kept: {problem:#}");
            }
            was_trouble = true;
            shared.problems.note("results", &format!("{problem:#}"));
            shared.trouble.store(true, std::sync::atomic::Ordering::Relaxed);
            if shared.is_ending() {
                // They are played again after the next start.
                return;
            }
            thread::sleep(AGAIN);
        }
        if was_trouble {
            info!("results are written again");
        }
        shared.trouble.store(false, std::sync::atomic::Ordering::Relaxed);
        tell(shared, &group);
    }
}

fn gather(first: Entry, receiver: &Receiver<Entry>) -> Vec<Entry> {
    let until = Instant::now() + GATHER;
    let mut group = vec![first];
    while group.len() < MOST {
        let left = until.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(entry) => group.push(entry),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    group
}

fn write(shared: &Shared, runtime: &Handle, group: &[Entry]) -> Result<()> {
    let mut has_replays = false;
    for replay in group.iter().filter_map(|entry| entry.replay.as_deref()) {
        shared.blobs.put(replay)?;
        has_replays = true;
    }
    if has_replays {
        shared.blobs.sync()?;
    }
    let statements = group.iter().flat_map(|entry| entry.statements.iter().cloned()).collect();
    Ok(runtime.block_on(shared.store.write(statements))?)
}

/// Tells pages what is new.
fn tell(shared: &Shared, group: &[Entry]) {
    let mut arenas: Vec<i64> = group.iter().map(|entry| entry.arena).collect();
    arenas.sort_unstable();
    arenas.dedup();
    for arena in arenas {
        let over = group.iter().filter(|entry| entry.arena == arena).filter_map(|e| e.over);
        let over: Vec<u64> = over.collect();
        if let Some(handle) = shared.arena_of(arena).filter(|_| !over.is_empty()) {
            handle.results(&over);
        }
    }
}
