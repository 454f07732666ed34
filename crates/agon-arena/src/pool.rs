//! A pool of workers that plays the matches of several clients, of any game, as long as it lives.
//!
//! Comparisons, tunings and tournaments have their matches played by one.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use agon_bots::HostOptions;
use agon_match::pin;
use tracing::debug;

use crate::{ArenaError, Finished, Job, MatchQueue, SlotCounts, WaitWatcher, worker::Worker};

/// Options of a pool.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// What depends on the installation: programs, caches, folders. Time limits and confinement are
    /// those of each match.
    pub machine: HostOptions,
    /// The number of matches that are played at a time; `None` for one on each core.
    pub workers: Option<NonZero<usize>>,
    /// The most attempts at a match that is void again and again; at least 1.
    pub attempts: usize,
    /// The cores that matches may use, if the system reports cores; empty for all of them.
    ///
    /// Other work of the process should stay off them. A core that this process may not use is left
    /// out.
    pub cores: Vec<usize>,
    /// Follows matches that wait for bots.
    pub waits: Option<Arc<dyn WaitWatcher>>,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        let machine = HostOptions::default();
        PoolOptions { machine, workers: None, attempts: 10, cores: Vec::new(), waits: None }
    }
}

/// Workers that play matches. Clones are handles of the same pool; with the last handle and the
/// last client the workers end.
#[derive(Clone, Debug)]
pub struct Pool {
    inner: Arc<Inner>,
}

/// Submits matches to a pool and receives their outcomes. Clients take turns, match by match.
///
/// A client that is dropped gives up its matches, and waits for the workers that play them.
#[derive(Debug)]
pub struct Client {
    submitter: Submitter,
    /// An entry for each match that was given out; `None` of one that was not played to its end.
    results: Receiver<Option<Finished>>,
}

/// Submits matches of a client from another thread than the one that waits for them.
#[derive(Clone, Debug)]
pub struct Submitter {
    pool: Pool,
    link: Link,
}

/// What workers know of a client.
#[derive(Clone, Debug)]
struct Link {
    /// Its number.
    client: u64,
    /// Once it is set, no match begins any more.
    stop: Arc<AtomicBool>,
    /// Once it is set, matches that are being played are given up.
    abandon: Arc<AtomicBool>,
    results: Sender<Option<Finished>>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    options: PoolOptions,
    /// The cores that may be used; empty if the system does not report them.
    cores: Vec<usize>,
    state: Mutex<State>,
    /// There is a new job, or the pool closes.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By number.
    clients: BTreeMap<u64, Queue>,
    /// The clients with waiting jobs; the next one to be served first.
    turns: VecDeque<u64>,
    /// The number of the next client.
    next_client: u64,
    /// Waiting jobs of all clients.
    waiting: usize,
    idle: usize,
    closing: bool,
}

/// The jobs of a client.
#[derive(Debug, Default)]
struct Queue {
    /// Those that wait.
    waiting: VecDeque<Task>,
    /// The states of all that are not over, by ticket.
    jobs: BTreeMap<u64, JobState>,
}

/// The state of a job that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JobState {
    /// It waits for a worker.
    Waiting,
    /// A worker has it.
    Playing,
    /// Its outcome waits for the client.
    Returned,
}

/// A job with its way back.
#[derive(Debug)]
struct Task {
    job: Job,
    link: Link,
}

impl Pool {
    /// Makes a pool. Workers are started when matches need them, so that there are never more
    /// workers than matches.
    pub fn new(options: PoolOptions) -> Pool {
        let mut cores = pin::cores().unwrap_or_default();
        if !options.cores.is_empty() {
            cores.retain(|core| options.cores.contains(core));
        }
        let shared = Shared { options, cores, state: Mutex::default(), changed: Condvar::new() };
        Pool { inner: Arc::new(Inner { shared: Arc::new(shared), workers: Mutex::default() }) }
    }

    /// Returns how many matches are played at a time.
    pub fn workers(&self) -> usize {
        let Shared { options, cores, .. } = &*self.inner.shared;
        options.workers.map_or(cores.len().max(1), NonZero::get)
    }

    /// Returns the options that depend on the installation.
    pub fn machine(&self) -> &HostOptions {
        &self.inner.shared.options.machine
    }

    /// Makes a client. Once `stop` is set, none of its matches begins any more, and those that are
    /// being played are played to their end.
    pub fn client(&self, stop: Arc<AtomicBool>) -> Client {
        let (sender, results) = mpsc::channel();
        let mut state = self.inner.shared.lock();
        let client = state.next_client;
        state.next_client += 1;
        state.clients.insert(client, Queue::default());
        let link = Link { client, stop, abandon: Arc::default(), results: sender };
        Client { submitter: Submitter { pool: self.clone(), link }, results }
    }

    /// Starts a worker if there are fewer than allowed.
    fn start_worker(&self) -> Result<(), ArenaError> {
        let mut workers = self.inner.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = workers.len();
        if number < self.workers() {
            let shared = Arc::clone(&self.inner.shared);
            let thread = thread::Builder::new().name(format!("match {number}"));
            debug!(number, "starts a worker");
            workers.push(thread.spawn(move || shared.work(number)).map_err(ArenaError::Thread)?);
        }
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        let workers = self.workers.get_mut().unwrap_or_else(PoisonError::into_inner);
        for worker in workers.drain(..) {
            // Panics of matches are caught: a worker does not panic.
            let _ = worker.join();
        }
    }
}

impl Client {
    /// Returns what submits matches of this client from another thread.
    pub fn submitter(&self) -> Submitter {
        self.submitter.clone()
    }

    fn shared(&self) -> &Shared {
        &self.submitter.pool.inner.shared
    }

    /// Waits for the next match that is over, but not longer than `patience` if there is one;
    /// `None` if none ended in this time, or no match is open.
    fn next(&self, patience: Option<Duration>) -> Option<Finished> {
        let begun = Instant::now();
        while self.open() > 0 {
            let entry = match patience {
                Some(patience) => {
                    self.results.recv_timeout(patience.saturating_sub(begun.elapsed())).ok()?
                }
                None => self.results.recv().expect("this client has a sender itself"),
            };
            if let Some(finished) = entry {
                self.shared().count(self.submitter.link.client, finished.ticket);
                return Some(finished);
            }
        }
        None
    }
}

/// A match is played as soon as a worker is free and the other clients had their turn.
impl MatchQueue for Client {
    fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        self.submitter.submit(job)
    }

    fn wanted(&self) -> usize {
        // Two for each worker.
        2 * self.submitter.pool.workers()
    }

    fn open(&self) -> usize {
        self.shared().lock().clients[&self.submitter.link.client].jobs.len()
    }

    fn is_stopped(&self) -> bool {
        self.submitter.link.stop.load(Ordering::Relaxed)
    }

    fn slots(&self) -> SlotCounts {
        let state = self.shared().lock();
        let jobs = &state.clients[&self.submitter.link.client].jobs;
        let count = |wanted| jobs.values().filter(|&&state| state == wanted).count() as u64;
        SlotCounts {
            all: self.submitter.pool.workers() as u64,
            playing: count(JobState::Playing),
            waiting: count(JobState::Waiting),
        }
    }

    fn wait(&mut self) -> Result<Option<Finished>, ArenaError> {
        Ok(self.next(None))
    }

    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError> {
        Ok(self.next(Some(patience)))
    }
}

impl Submitter {
    /// Submits a match, as the client itself does. The client must still be there.
    ///
    /// # Panics
    /// If the client was dropped.
    pub fn submit(&self, job: Job) -> Result<(), ArenaError> {
        let task = Task { job, link: self.link.clone() };
        let ticket = task.job.ticket;
        if !self.pool.inner.shared.add(task)? {
            return Ok(());
        }
        // Without any worker nobody would play it, and `wait` would not end.
        let started = self.pool.start_worker();
        started.inspect_err(|_| self.pool.inner.shared.retract(self.link.client, ticket))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let Link { client, ref abandon, .. } = self.submitter.link;
        abandon.store(true, Ordering::Relaxed);
        self.shared().withdraw(client);
        while self.next(None).is_some() {}
        self.shared().lock().clients.remove(&client);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job of a client. Returns whether no worker is free for it.
    fn add(&self, task: Task) -> Result<bool, ArenaError> {
        let mut state = self.lock();
        let client = task.link.client;
        let ticket = task.job.ticket;
        let queue = state.queue(client);
        if queue.jobs.contains_key(&ticket) {
            return Err(ArenaError::Job(ticket));
        }
        queue.jobs.insert(ticket, JobState::Waiting);
        queue.waiting.push_back(task);
        if queue.waiting.len() == 1 {
            state.turns.push_back(client);
        }
        state.waiting += 1;
        let wants_worker = state.waiting > state.idle;
        drop(state);
        self.changed.notify_one();
        Ok(wants_worker)
    }

    /// Gives up a job of a client if it still waits.
    fn retract(&self, client: u64, ticket: u64) {
        let mut state = self.lock();
        let queue = state.queue(client);
        let Some(place) = queue.waiting.iter().position(|task| task.job.ticket == ticket) else {
            return;
        };
        queue.waiting.remove(place);
        queue.jobs.remove(&ticket);
        if queue.waiting.is_empty() {
            state.turns.retain(|&turn| turn != client);
        }
        state.waiting -= 1;
    }

    /// Gives up the waiting jobs of a client.
    fn withdraw(&self, client: u64) {
        let mut state = self.lock();
        let queue = state.queue(client);
        let waiting = std::mem::take(&mut queue.waiting);
        queue.jobs.retain(|_, state| *state != JobState::Waiting);
        state.waiting -= waiting.len();
        state.turns.retain(|&turn| turn != client);
    }

    /// Counts a job whose outcome its client has.
    fn count(&self, client: u64, ticket: u64) {
        let state = self.lock().queue(client).jobs.remove(&ticket);
        assert_eq!(state, Some(JobState::Returned), "what a client receives has been returned");
    }

    /// Notes that a job has come back, or that it was not played to its end.
    fn bring_back(&self, client: u64, ticket: u64, is_over: bool) {
        let mut state = self.lock();
        let jobs = &mut state.queue(client).jobs;
        if is_over {
            jobs.insert(ticket, JobState::Returned);
        } else {
            jobs.remove(&ticket);
        }
    }

    /// Waits for a job; `None` once the pool closes.
    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.take() {
                return Some(task);
            }
            if state.closing {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Plays jobs until the pool closes, as the worker of this number.
    fn work(&self, number: usize) {
        let Shared { options, cores, .. } = self;
        while let Some(Task { job, link }) = self.take() {
            let Link { client, stop, abandon, results } = link;
            let is_stopped = stop.load(Ordering::Relaxed) || abandon.load(Ordering::Relaxed);
            let PoolOptions { machine, attempts, waits, .. } = options;
            let attempts = *attempts;
            let waits = waits.as_deref();
            let worker = Worker { number, machine, cores, attempts, waits, abandon: &abandon };
            let entry = if is_stopped { None } else { worker.play(&job) };
            debug!(client, ticket = job.ticket, is_stopped, "a worker is done with a job");
            self.bring_back(client, job.ticket, entry.is_some());
            // A client waits for its matches even when it is dropped.
            let _ = results.send(entry);
        }
    }
}

impl State {
    fn queue(&mut self, client: u64) -> &mut Queue {
        self.clients.get_mut(&client).expect("a client is there until it is dropped")
    }

    /// Gives out the next job of the client whose turn it is; the client then waits for the
    /// others.
    fn take(&mut self) -> Option<Task> {
        let client = self.turns.pop_front()?;
        let queue = self.queue(client);
        let task = queue.waiting.pop_front()?;
        queue.jobs.insert(task.job.ticket, JobState::Playing);
        if !queue.waiting.is_empty() {
            self.turns.push_back(client);
        }
        self.waiting -= 1;
        Some(task)
    }
}
