//! [`Reconnecting`]: has workers on other machines play, whatever becomes of the connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, fmt, thread};

use agon_arena::{ArenaError, Finished, Job, MatchQueue, SlotCounts};
use agon_remote::{RemoteOptions, RemoteQueue, RemoteWatcher, fleet::Status};

use super::SlotUse;
use crate::{logs::say, shared::Shared};

/// How long it rests at first after the connection has failed; each time longer.
const REST: Duration = Duration::from_secs(2);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Has workers on other machines play. If the connection is lost for good, it makes a new one, and
/// submits the open matches again.
#[derive(Debug)]
pub(super) struct Reconnecting {
    options: RemoteOptions,
    /// Once it is set, no match begins any more.
    stop: Arc<AtomicBool>,
    /// Learns what is known of the workers.
    slots: Arc<SlotUse>,
    state: State,
    /// The matches that are not over.
    jobs: BTreeMap<u64, Job>,
    /// Those that a new connection has refused.
    refused: Vec<Finished>,
    /// How often in a row it could not connect, or only for a moment.
    failures: u32,
    /// When it connected last.
    opened: Option<Instant>,
}

/// The connection.
#[derive(Debug)]
enum State {
    /// It is being made, which may take long.
    Opening(Receiver<Result<RemoteQueue, ArenaError>>),
    Open(Box<RemoteQueue>),
    /// It failed, and is made again then.
    Resting(Instant),
}

impl State {
    fn open(options: &RemoteOptions, stop: &Arc<AtomicBool>) -> State {
        let (sender, receiver) = mpsc::channel();
        let (options, stop) = (options.clone(), Arc::clone(stop));
        let connect = move || {
            let announce = |line: &str| {
                if let Some(watcher) = &options.watcher {
                    watcher.note(line);
                }
            };
            let _ = sender.send(RemoteQueue::open(options.clone(), stop, &announce));
        };
        // Without a thread the receiver is without a sender, which is a failure like others.
        let _ = thread::Builder::new().name("connect".to_owned()).spawn(connect);
        State::Opening(receiver)
    }
}

impl Reconnecting {
    /// Begins to connect. Once `stop` is set, no match begins any more.
    pub(super) fn new(
        options: RemoteOptions,
        stop: Arc<AtomicBool>,
        slots: Arc<SlotUse>,
    ) -> Reconnecting {
        Reconnecting {
            state: State::open(&options, &stop),
            options,
            stop,
            slots,
            jobs: BTreeMap::new(),
            refused: Vec::new(),
            failures: 0,
            opened: None,
        }
    }

    /// Submits all open matches to a new connection.
    fn opened(&mut self, queue: RemoteQueue) {
        self.opened = Some(Instant::now());
        self.state = State::Open(Box::new(queue));
        for job in std::mem::take(&mut self.jobs).into_values() {
            let (ticket, took) = (job.ticket, Duration::ZERO);
            if let Err(problem) = self.submit(job) {
                let outcome = Err(problem);
                self.refused.push(Finished { ticket, outcome, replay: None, took });
            }
        }
    }

    fn fail(&mut self, problem: &ArenaError) {
        if self.opened.take().is_some_and(|at| at.elapsed() > LONGEST_REST) {
            self.failures = 0;
        }
        self.failures += 1;
        let rest = REST.saturating_mul(1 << self.failures.min(6)).min(LONGEST_REST);
        let seconds = rest.as_secs();
        let text = format!("no matches are played: {problem}; it is tried again in {seconds} s");
        if let Some(watcher) = &self.options.watcher {
            watcher.note(&text);
        }
        // It says goodbye to the server, which may take seconds. Without a thread it does so here.
        let old = std::mem::replace(&mut self.state, State::Resting(Instant::now() + rest));
        let _ = thread::Builder::new().spawn(move || drop(old));
    }
}

impl MatchQueue for Reconnecting {
    fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        let ticket = job.ticket;
        self.jobs.insert(ticket, job.clone());
        let State::Open(queue) = &mut self.state else { return Ok(()) };
        let Err(problem) = queue.submit(job) else { return Ok(()) };
        if queue.is_lost() {
            self.fail(&problem);
            return Ok(());
        }
        self.jobs.remove(&ticket);
        Err(problem)
    }

    fn wanted(&self) -> usize {
        match &self.state {
            // Without workers one match waits: so people hear why nobody plays it.
            State::Open(queue) => queue.wanted().max(1),
            // Who should play is chosen when somebody can.
            State::Opening(_) | State::Resting(_) => 0,
        }
    }

    fn open(&self) -> usize {
        match &self.state {
            // What no worker has begun was taken back.
            State::Open(queue) if queue.is_stopped() => queue.open(),
            State::Opening(_) | State::Resting(_) if self.is_stopped() => 0,
            // Those that no worker can play leave the room to others.
            State::Open(queue) => {
                let blocked = if queue.slots().all > 0 { queue.blocked() } else { 0 };
                self.jobs.len().saturating_sub(blocked)
            }
            State::Opening(_) | State::Resting(_) => self.jobs.len(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn slots(&self) -> SlotCounts {
        match &self.state {
            State::Open(queue) => queue.slots(),
            State::Opening(_) | State::Resting(_) => {
                SlotCounts { waiting: self.jobs.len() as u64, ..SlotCounts::default() }
            }
        }
    }

    fn wait(&mut self) -> Result<Option<Finished>, ArenaError> {
        while self.open() > 0 {
            if let Some(finished) = self.wait_for(REST)? {
                return Ok(Some(finished));
            }
        }
        Ok(None)
    }

    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError> {
        if let Some(finished) = self.refused.pop() {
            return Ok(Some(finished));
        }
        match &mut self.state {
            State::Open(queue) => {
                let waited = queue.wait_for(patience);
                self.slots.set_fleet(queue.fleet());
                match waited {
                    Ok(Some(finished)) => {
                        self.jobs.remove(&finished.ticket);
                        return Ok(Some(finished));
                    }
                    Ok(None) => {}
                    Err(problem) => self.fail(&problem),
                }
            }
            State::Opening(opened) => match opened.try_recv() {
                Ok(Ok(queue)) => self.opened(queue),
                Ok(Err(problem)) => self.fail(&problem),
                Err(TryRecvError::Disconnected) => {
                    let problem = std::io::Error::other("the system does not start a thread");
                    self.fail(&ArenaError::Thread(problem));
                }
                Err(TryRecvError::Empty) => thread::sleep(patience),
            },
            State::Resting(until) if Instant::now() >= *until => {
                self.state = State::open(&self.options, &self.stop);
            }
            State::Resting(_) => thread::sleep(patience),
        }
        Ok(None)
    }

    fn give_up(&mut self, ticket: u64) -> bool {
        self.jobs.remove(&ticket);
        if let State::Open(queue) = &mut self.state
            && let Err(problem) = queue.give_up(ticket)
        {
            self.fail(&problem);
        }
        true
    }
}

/// Tells administrators how matches on other machines fare.
pub(crate) struct Watcher(pub(crate) Shared);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

impl RemoteWatcher for Watcher {
    fn note(&self, text: &str) {
        self.0.problems.note("workers", text);
        say(&format!("note: {text}"));
    }

    // The slots are asked for it.
    fn status(&self, _status: Status) {}
}
