//! Where the matches of the ladder are played: in this process, or by workers on other machines.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use agon_arena::{ArenaError, Client, Finished, Job, MatchQueue, Pool, PoolOptions, SlotCounts};
use agon_remote::fleet::Status;
use agon_remote::{FleetState, RemoteOptions, RemoteQueue, RemoteWatcher};

use crate::{shared::Shared, talk::say};

/// For how long matches are planned ahead, so that no slot waits for the planner.
const AHEAD: Duration = Duration::from_millis(40);

/// The same for workers on other machines: a match takes a while to get there.
const AHEAD_ELSEWHERE: Duration = Duration::from_secs(1);

/// The most matches that are planned ahead for a slot.
const MOST_AHEAD: u64 = 64;
const MOST_AHEAD_ELSEWHERE: u64 = 512;

/// Matches that take longer than this in microseconds are not planned ahead.
const LONG_US: u64 = 5_000_000;

/// How long it rests at first after the connection to other machines has failed; each time longer.
const REST: Duration = Duration::from_secs(2);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Where matches are played.
#[derive(Debug)]
pub(super) enum Place {
    Here(Client),
    Elsewhere(Box<Elsewhere>),
}

impl Place {
    /// Plays on slots of this machine.
    pub(super) fn here(options: PoolOptions) -> Place {
        Place::Here(Pool::new(options).client(Arc::default()))
    }

    /// Has workers play, and begins to connect to their server.
    pub(super) fn elsewhere(options: RemoteOptions) -> Place {
        let stop = Arc::default();
        let state = State::open(&options, &stop);
        Place::Elsewhere(Box::new(Elsewhere {
            options,
            stop,
            state,
            jobs: BTreeMap::new(),
            refused: Vec::new(),
            failures: 0,
            opened: None,
        }))
    }

    /// Returns how many matches were submitted and are not over.
    pub(super) fn open(&self) -> usize {
        match self {
            Place::Here(client) => client.open(),
            Place::Elsewhere(elsewhere) => elsewhere.open(),
        }
    }

    /// Returns what the slots do.
    pub(super) fn slots(&self) -> SlotCounts {
        match self {
            Place::Here(client) => client.slots(),
            Place::Elsewhere(elsewhere) => match &elsewhere.state {
                State::Open(queue) => queue.slots(),
                State::Opening(_) | State::Resting(_) => {
                    SlotCounts { waiting: elsewhere.jobs.len() as u64, ..SlotCounts::default() }
                }
            },
        }
    }

    /// Returns what is known of workers on other machines.
    pub(super) fn fleet(&self) -> Option<&FleetState> {
        match self {
            Place::Elsewhere(elsewhere) if let State::Open(queue) = &elsewhere.state => {
                Some(queue.fleet())
            }
            _ => None,
        }
    }

    /// Returns how many matches should be open if they take so long: those that are played, and
    /// those ahead.
    pub(super) fn wanted(&self, mean_us: u64) -> usize {
        let (slots, ahead, most) = match self {
            Place::Here(client) => (client.workers() as u64, AHEAD, MOST_AHEAD),
            Place::Elsewhere(elsewhere) => match &elsewhere.state {
                // Without workers one match waits: so people hear why nobody plays it.
                State::Open(queue) => match queue.slots().all {
                    0 => return 1,
                    slots => (slots, AHEAD_ELSEWHERE, MOST_AHEAD_ELSEWHERE),
                },
                // Who should play is chosen when somebody can.
                State::Opening(_) | State::Resting(_) => return 0,
            },
        };
        let ahead = (ahead.as_micros() as u64 / mean_us.max(1)).min(most);
        let wanted = slots.saturating_mul(1 + ahead.max(u64::from(mean_us < LONG_US)));
        usize::try_from(wanted).unwrap_or(usize::MAX)
    }

    /// Submits a match.
    ///
    /// # Errors
    /// If it cannot be played.
    pub(super) fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        match self {
            Place::Here(client) => client.submit(job),
            Place::Elsewhere(elsewhere) => elsewhere.submit(job),
        }
    }

    /// Waits so long for a match that is over.
    pub(super) fn wait_for(&mut self, patience: Duration) -> Option<Finished> {
        match self {
            Place::Here(client) => client.wait_for(patience),
            Place::Elsewhere(elsewhere) => elsewhere.wait_for(patience),
        }
    }

    /// Returns whether something happens there even if no match is open.
    pub(super) fn has_news(&self) -> bool {
        matches!(self, Place::Elsewhere(_))
    }

    /// Takes a match back that other machines have. Returns whether it ends with that: one of this
    /// machine is played to its end.
    pub(super) fn give_up(&mut self, ticket: u64) -> bool {
        let Place::Elsewhere(elsewhere) = self else { return false };
        elsewhere.jobs.remove(&ticket);
        if let State::Open(queue) = &mut elsewhere.state
            && let Err(problem) = queue.give_up(ticket)
        {
            elsewhere.fail(&problem);
        }
        true
    }

    /// Begins no more matches on other machines. Those of this machine are few.
    pub(super) fn stop(&self) {
        if let Place::Elsewhere(elsewhere) = self {
            elsewhere.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Has workers on other machines play. If the connection is lost for good, it makes a new one, and
/// submits the open matches again.
#[derive(Debug)]
pub(super) struct Elsewhere {
    options: RemoteOptions,
    /// Once it is set, no match begins any more.
    stop: Arc<AtomicBool>,
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
        let options = options.clone();
        let stop = Arc::clone(stop);
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

impl Elsewhere {
    fn open(&self) -> usize {
        match &self.state {
            // What no worker has begun was taken back.
            State::Open(queue) if queue.is_stopped() => queue.open(),
            State::Opening(_) | State::Resting(_) if self.stop.load(Ordering::Relaxed) => 0,
            // Those that no worker can play leave the room to others.
            State::Open(queue) => {
                let blocked = if queue.slots().all > 0 { queue.blocked() } else { 0 };
                self.jobs.len().saturating_sub(blocked)
            }
            State::Opening(_) | State::Resting(_) => self.jobs.len(),
        }
    }

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

    fn wait_for(&mut self, patience: Duration) -> Option<Finished> {
        if let Some(finished) = self.refused.pop() {
            return Some(finished);
        }
        match &mut self.state {
            State::Open(queue) => match queue.wait_for(patience) {
                Ok(Some(finished)) => {
                    self.jobs.remove(&finished.ticket);
                    Some(finished)
                }
                Ok(None) => None,
                Err(problem) => {
                    self.fail(&problem);
                    None
                }
            },
            State::Opening(opened) => {
                match opened.try_recv() {
                    Ok(Ok(queue)) => self.opened(queue),
                    Ok(Err(problem)) => self.fail(&problem),
                    Err(TryRecvError::Disconnected) => {
                        let problem = std::io::Error::other("the system does not start a thread");
                        self.fail(&ArenaError::Thread(problem));
                    }
                    Err(TryRecvError::Empty) => thread::sleep(patience),
                }
                None
            }
            State::Resting(until) => {
                if Instant::now() >= *until {
                    self.state = State::open(&self.options, &self.stop);
                } else {
                    thread::sleep(patience);
                }
                None
            }
        }
    }

    /// Submits all open matches to a new connection.
    fn opened(&mut self, queue: RemoteQueue) {
        self.opened = Some(Instant::now());
        self.state = State::Open(Box::new(queue));
        for job in std::mem::take(&mut self.jobs).into_values() {
            let ticket = job.ticket;
            if let Err(problem) = self.submit(job) {
                let outcome = Err(problem);
                let took = Duration::ZERO;
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
        let state = State::Resting(Instant::now() + rest);
        // It says goodbye to the server, which may take seconds.
        let old = std::mem::replace(&mut self.state, state);
        // Without a thread it does so here.
        let _ = thread::Builder::new().spawn(move || drop(old));
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
