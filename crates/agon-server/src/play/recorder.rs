//! Writes what the runner did: matches that were planned, and how they ended.
//!
//! Everything of a moment is one transaction, behind one sync of the replays. If the database
//! fails, the group is kept and tried again: nothing is lost, and the runner waits once some
//! hundred matches are waiting here.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use agon_ladder::ledger::{Entry as LogEntry, GROUP, MatchRecord, Pairing};
use anyhow::{Result, bail};
use prometheus_client::metrics::gauge::Gauge;
use tokio::{runtime::Handle, sync::oneshot};
use tracing::{error, info};

use crate::{database::Statement, shared::Shared, store::ledger};

/// How long a group gathers.
const GATHER: Duration = Duration::from_millis(50);

/// The most entries of a group.
const MOST: usize = 500;

/// How long the recorder waits after a failure.
const AGAIN: Duration = Duration::from_secs(1);

/// How long a group may take once the server stops.
const LAST: Duration = Duration::from_secs(15);

/// Something to write.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) statements: Vec<Statement>,
    /// A replay, whose digest is in the statements.
    pub(super) replay: Option<Vec<u8>>,
    /// What the log says of it.
    pub(super) logged: Logged,
    /// The arena whose table changes.
    pub(super) arena: i64,
}

/// What the log says of something.
#[derive(Clone, Debug)]
pub(super) enum Logged {
    /// Nothing: it is not about matches.
    Nothing,
    /// A match was planned.
    Planned(Pairing),
    /// It was played.
    Played(MatchRecord),
    /// It could not be played.
    GivenUp(u64),
}

/// What the thread gets.
#[derive(Debug)]
enum Work {
    Write(Box<Entry>),
    /// Say when everything before is written.
    Tell(oneshot::Sender<()>),
}

/// The thread that writes.
#[derive(Debug)]
pub(super) struct Recorder {
    sender: Option<SyncSender<Work>>,
    thread: Option<JoinHandle<()>>,
    /// Entries that are not written yet.
    backlog: Gauge,
}

impl Recorder {
    /// Starts the thread.
    pub(super) fn start(shared: Shared, runtime: Handle) -> Result<Recorder> {
        let (sender, receiver) = sync_channel(2 * MOST);
        let thread = thread::Builder::new().name("recorder".to_owned());
        let backlog = shared.metrics.recorder_backlog.clone();
        let thread = thread.spawn(move || run(&shared, &runtime, &receiver))?;
        Ok(Recorder { sender: Some(sender), thread: Some(thread), backlog })
    }

    /// Writes something soon. Waits if too much waits already.
    pub(super) fn record(&self, entry: Entry) {
        if let Some(sender) = &self.sender {
            self.backlog.inc();
            // The thread ends only when the sender is dropped.
            let _ = sender.send(Work::Write(Box::new(entry)));
        }
    }

    /// Says when everything is written that was given before.
    pub(super) fn tell_when_written(&self, done: oneshot::Sender<()>) {
        if let Some(sender) = &self.sender {
            // As above. Whoever waits notices if it ends without writing.
            let _ = sender.send(Work::Tell(done));
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

fn run(shared: &Shared, runtime: &Handle, receiver: &Receiver<Work>) {
    while let Ok(first) = receiver.recv() {
        let (group, waiting) = gather(first, receiver);
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
        shared.metrics.recorder_backlog.dec_by(i64::try_from(group.len()).unwrap_or(0));
        tell(shared, &group);
        for done in waiting {
            // Whoever waited may have given up.
            let _ = done.send(());
        }
    }
}

/// Waits for more. Returns what is to be written, and who waits for that.
fn gather(first: Work, receiver: &Receiver<Work>) -> (Vec<Entry>, Vec<oneshot::Sender<()>>) {
    let until = Instant::now() + GATHER;
    let (mut group, mut waiting) = (Vec::new(), Vec::new());
    let mut next = Some(first);
    while let Some(work) = next {
        match work {
            Work::Write(entry) => group.push(*entry),
            Work::Tell(done) => waiting.push(done),
        }
        let left = until.saturating_duration_since(Instant::now());
        let is_full = group.len() >= MOST;
        next = if is_full { None } else { receiver.recv_timeout(left).ok() };
    }
    (group, waiting)
}

fn write(shared: &Shared, runtime: &Handle, group: &[Entry]) -> Result<()> {
    if group.is_empty() {
        return Ok(());
    }
    // Nobody removes these replays before they are named.
    let _named = runtime.block_on(shared.erasing.read());
    let mut has_replays = false;
    for replay in group.iter().filter_map(|entry| entry.replay.as_deref()) {
        shared.blobs.put(replay)?;
        has_replays = true;
    }
    if has_replays {
        shared.blobs.sync()?;
    }
    runtime.block_on(async {
        let last_moment = async {
            shared.ended().await;
            tokio::time::sleep(LAST).await;
        };
        tokio::select! {
            written = shared.store.write(statements(group)) => Ok(written?),
            // A database that is away may stay away; what it has is known at the next start.
            () = last_moment => bail!("the server stops"),
        }
    })
}

/// Returns the statements of a group, with the entries of the log: many matches share one.
fn statements(group: &[Entry]) -> Vec<Statement> {
    let mut all = Vec::new();
    for arena in arenas(group) {
        let own = || group.iter().filter(|entry| entry.arena == arena);
        let id = arena.cast_unsigned();
        let (mut planned, mut played) = (Vec::new(), Vec::new());
        for entry in own() {
            match &entry.logged {
                Logged::Planned(pairing) => planned.push((entry, pairing)),
                Logged::Played(record) => played.push((entry, record)),
                Logged::GivenUp(_) | Logged::Nothing => {}
            }
        }
        // A match is planned before it has a result; a result's entry is the last one when it is
        // written.
        for chunk in planned.chunks(GROUP) {
            let matches = chunk.iter().map(|(_, pairing)| (*pairing).clone()).collect();
            all.push(ledger::append(&LogEntry::Pairings { arena: id, matches }));
            all.extend(chunk.iter().flat_map(|(entry, _)| entry.statements.iter().cloned()));
        }
        for chunk in played.chunks(GROUP) {
            let matches = chunk.iter().map(|(_, record)| (*record).clone()).collect();
            all.push(ledger::append(&LogEntry::Results { arena: id, matches }));
            all.extend(chunk.iter().flat_map(|(entry, _)| entry.statements.iter().cloned()));
        }
        for entry in own() {
            match entry.logged {
                Logged::GivenUp(number) => {
                    all.push(ledger::append(&LogEntry::GivenUp { arena: id, number }));
                    all.extend(entry.statements.iter().cloned());
                }
                Logged::Nothing => all.extend(entry.statements.iter().cloned()),
                Logged::Planned(_) | Logged::Played(_) => {}
            }
        }
    }
    all
}

/// Returns the arenas of a group.
fn arenas(group: &[Entry]) -> BTreeSet<i64> {
    group.iter().map(|entry| entry.arena).collect()
}

/// Tells pages what is new.
fn tell(shared: &Shared, group: &[Entry]) {
    for arena in arenas(group) {
        let own = group.iter().filter(|entry| entry.arena == arena);
        let over = own.filter_map(|entry| match &entry.logged {
            Logged::Played(record) => Some(record.number),
            Logged::GivenUp(number) => Some(*number),
            Logged::Planned(_) | Logged::Nothing => None,
        });
        let over: Vec<u64> = over.collect();
        if let Some(handle) = shared.arena_of(arena).filter(|_| !over.is_empty()) {
            handle.results(&over);
        }
    }
}
