//! A pool of workers that plays the matches of several clients, of any game, as long as it lives.

use std::{
    collections::VecDeque,
    num::NonZero,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use agon_bots::HostOptions;
use agon_match::pin;

use crate::{ArenaError, Finished, Job, worker::Worker};

/// Options of a pool.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// What depends on the installation: programs, caches, folders. Time limits and confinement are
    /// those of each match.
    pub machine: HostOptions,
    /// The number of matches that are played at a time; `None` for one on each core.
    pub workers: Option<NonZero<usize>>,
    /// How often a match is played at most if it is void again and again; at least 1.
    pub attempts: usize,
}

impl Default for PoolOptions {
    fn default() -> PoolOptions {
        PoolOptions { machine: HostOptions::default(), workers: None, attempts: 10 }
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
    pool: Pool,
    number: u64,
    /// Once it is set, no match begins any more.
    stop: Arc<AtomicBool>,
    /// Once it is set, matches that are being played are given up.
    abandon: Arc<AtomicBool>,
    sender: Sender<Option<Finished>>,
    /// An entry for each match submitted; `None` of a match that was not played to its end.
    results: Receiver<Option<Finished>>,
    /// Matches submitted whose entry has not been received.
    open: usize,
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
    /// Those with waiting jobs; the next one to be served first.
    clients: VecDeque<Queue>,
    /// The number of the next client.
    next_client: u64,
    waiting: usize,
    idle: usize,
    closing: bool,
}

/// The waiting jobs of a client.
#[derive(Debug)]
struct Queue {
    client: u64,
    jobs: VecDeque<Task>,
}

/// A job with its way back.
#[derive(Debug)]
struct Task {
    job: Job,
    stop: Arc<AtomicBool>,
    abandon: Arc<AtomicBool>,
    results: Sender<Option<Finished>>,
}

impl Pool {
    /// Makes a pool. Workers are started when matches need them, so that there are never more
    /// workers than matches.
    pub fn new(options: PoolOptions) -> Pool {
        let shared = Shared {
            options,
            cores: pin::cores().unwrap_or_default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Pool { inner: Arc::new(Inner { shared: Arc::new(shared), workers: Mutex::default() }) }
    }

    /// Returns how many matches are played at a time.
    pub fn workers(&self) -> usize {
        let Shared { options, cores, .. } = &*self.inner.shared;
        options.workers.map_or(cores.len().max(1), NonZero::get)
    }

    /// Returns what depends on the installation.
    pub fn machine(&self) -> &HostOptions {
        &self.inner.shared.options.machine
    }

    /// Makes a client. Once `stop` is set, none of its matches begins any more, and those that are
    /// being played are played to their end.
    pub fn client(&self, stop: Arc<AtomicBool>) -> Client {
        let (sender, results) = mpsc::channel();
        let mut state = self.inner.shared.lock();
        let number = state.next_client;
        state.next_client += 1;
        let pool = self.clone();
        Client { pool, number, stop, abandon: Arc::default(), sender, results, open: 0 }
    }

    /// Starts a worker if there are fewer than allowed.
    fn start_worker(&self) -> Result<(), ArenaError> {
        let mut workers = self.inner.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = workers.len();
        if number < self.workers() {
            let shared = Arc::clone(&self.inner.shared);
            let thread = thread::Builder::new().name(format!("match {number}"));
            workers.push(thread.spawn(move || shared.work()).map_err(ArenaError::Thread)?);
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
    /// Submits a match. It is played as soon as a worker is free and the other clients had their
    /// turn.
    ///
    /// # Errors
    /// If the system does not start a thread for it.
    pub fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        let task = Task {
            job,
            stop: Arc::clone(&self.stop),
            abandon: Arc::clone(&self.abandon),
            results: self.sender.clone(),
        };
        let wants_worker = self.pool.inner.shared.add(self.number, task);
        self.open += 1;
        if wants_worker { self.pool.start_worker() } else { Ok(()) }
    }

    /// Returns how many matches the pool plays at a time.
    pub fn workers(&self) -> usize {
        self.pool.workers()
    }

    /// Returns whether no more matches begin.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns how many matches were submitted and have not come back.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Waits for the next match that is over, in the order in which they end; `None` if no match
    /// is open any more.
    pub fn wait(&mut self) -> Option<Finished> {
        while self.open > 0 {
            let entry = self.results.recv().expect("this client has a sender itself");
            self.open -= 1;
            if let Some(finished) = entry {
                return Some(finished);
            }
        }
        None
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.abandon.store(true, Ordering::Relaxed);
        self.open -= self.pool.inner.shared.withdraw(self.number);
        while self.wait().is_some() {}
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job of a client. Returns whether no worker is free for it.
    fn add(&self, client: u64, task: Task) -> bool {
        let mut state = self.lock();
        match state.clients.iter_mut().find(|queue| queue.client == client) {
            Some(queue) => queue.jobs.push_back(task),
            None => state.clients.push_back(Queue { client, jobs: VecDeque::from([task]) }),
        }
        state.waiting += 1;
        let wants_worker = state.waiting > state.idle;
        drop(state);
        self.changed.notify_one();
        wants_worker
    }

    /// Takes the waiting jobs of a client away. Returns how many they were.
    fn withdraw(&self, client: u64) -> usize {
        let mut state = self.lock();
        let Some(place) = state.clients.iter().position(|queue| queue.client == client) else {
            return 0;
        };
        let queue = state.clients.remove(place).expect("it was found there");
        state.waiting -= queue.jobs.len();
        queue.jobs.len()
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

    /// Plays jobs until the pool closes.
    fn work(&self) {
        let Shared { options, cores, .. } = self;
        while let Some(Task { job, stop, abandon, results }) = self.take() {
            let is_over = stop.load(Ordering::Relaxed) || abandon.load(Ordering::Relaxed);
            let PoolOptions { machine, attempts, .. } = options;
            let worker = Worker { machine, cores, attempts: *attempts, abandon: &abandon };
            let entry = if is_over { None } else { worker.play(&job) };
            // A client waits for its matches even when it is dropped.
            let _ = results.send(entry);
        }
    }
}

impl State {
    /// The next job of the client whose turn it is; the client then waits for the others.
    fn take(&mut self) -> Option<Task> {
        let mut queue = self.clients.pop_front()?;
        let task = queue.jobs.pop_front();
        if !queue.jobs.is_empty() {
            self.clients.push_back(queue);
        }
        self.waiting -= usize::from(task.is_some());
        task
    }
}
