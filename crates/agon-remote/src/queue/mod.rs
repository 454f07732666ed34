//! [`RemoteQueue`]: a queue of matches whose workers are on other machines.
//!
//! | module | contents |
//! | --- | --- |
//! | `jobs` | the matches that are not over, with all that their messages need |
//! | `fleet` | the workers, as far as people should know of them |
//! | `host` | the program `agon-nats`, as the arena sees it |

mod fleet;
mod host;
mod jobs;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use agon_arena::{ArenaError, Finished, Job, MatchQueue, SlotCounts};
use agon_core::text::escape;
use agon_match::spec::{Digest, MatchOutcome, PlayedOn};
use tracing::debug;

use self::fleet::Fleet;
use self::host::{Heard, Host, since_boot};
use self::jobs::{Jobs, PackedFiles, Submitted};
use crate::fleet::message::{Ending, ResultMessage, RunMessage};
use crate::fleet::{
    Actions, Coordinator, JobKey, Limits, Loss, NewBatch, Status, VERSION, message,
};
use crate::{Answer, Order, RemoteOptions};

pub use self::fleet::{FleetState, expiring};

/// How often time passes for the coordinator.
const TICK: Duration = Duration::from_millis(500);

/// If time has not passed for so long, this process stood still.
const PAUSE: Duration = Duration::from_secs(5);

/// How often the run is described to those who watch the server.
const DESCRIBE: Duration = Duration::from_secs(2);

/// How often people hear that the server takes no matches.
const AGAIN: Duration = Duration::from_secs(60);

/// How long it waits for messages before it looks whether it was stopped.
const GLANCE: Duration = Duration::from_millis(100);

/// How often all bots are sent again. The server removes files after a month; those that it has are
/// not sent over the network.
const RENEW_BOTS: Duration = Duration::from_secs(24 * 3600);

/// How often a bot that cannot be stored is tried again.
const STORE_AGAIN: Duration = Duration::from_secs(5);

/// The most matches that wait for a worker that can play them, while others are submitted.
const MOST_BLOCKED: usize = 10_000;

/// Why there is no result of a match whose result was too large for a message.
const LOST: &str = "its result was lost on the way; if this goes on, the server has too little \
                    room for replays (max_file_store)";

/// Has matches played on other machines.
///
/// Dropping it takes back what no worker has begun.
#[derive(Debug)]
pub struct RemoteQueue {
    options: RemoteOptions,
    host: Host,
    coordinator: Coordinator,
    jobs: Jobs,
    fleet: Fleet,
    /// Bots that are on their way to the server for the first time.
    unstored: BTreeSet<Digest>,
    /// Matches with such bots. They are not submitted yet: no worker could play them, and others
    /// need not wait for them.
    held_back: Vec<Submitted>,
    /// Results that are fetched because they are too large for a message, and of which match.
    fetched: BTreeMap<Digest, JobKey>,
    /// Matches that are over and were not fetched.
    done: VecDeque<Finished>,
    began: Instant,
    next_tick: Instant,
    next_description: Instant,
    /// Whether the server cannot be reached: then nothing can be known, and time does not pass for
    /// the coordinator.
    is_away: bool,
    /// Whether `agon-nats` still has the last description: in a long outage they would fill the
    /// pipe.
    is_describing: bool,
    /// When people may hear again that the server takes no matches.
    next_refusal: Instant,
    /// When people may hear again that something went wrong with a match.
    next_problem: Instant,
    /// When all bots are sent again.
    next_bots: Instant,
    /// Bots that could not be stored, and when they are sent again.
    unsent: BTreeSet<Digest>,
    next_unsent: Instant,
    /// Until when no other coordinator can lead this run, as time since the machine was started.
    lease: Duration,
    stop: Arc<AtomicBool>,
    has_stopped: bool,
    /// Whether all submitted matches may travel.
    is_flushed: bool,
    /// Open matches that no worker can play, when this was last looked at.
    blocked: usize,
    /// What was known of the workers when this was last looked at.
    state: FleetState,
}

impl RemoteQueue {
    /// Connects to the server, and takes the lead of the run. Once `stop` is set, no match begins
    /// any more.
    ///
    /// `announce` gets a line if the program that speaks NATS must be built first.
    ///
    /// # Errors
    /// If there is no server, or it refuses, or another coordinator leads the run.
    pub fn open(
        options: RemoteOptions,
        stop: Arc<AtomicBool>,
        announce: &dyn Fn(&str),
    ) -> Result<RemoteQueue, ArenaError> {
        let host = Host::start(&options, announce)?;
        let now = Instant::now();
        // Numbers of batches that an earlier coordinator of this run cannot have used.
        let epoch = since_1970().as_millis() as u64;
        Ok(RemoteQueue {
            coordinator: Coordinator::new(Limits::default(), epoch << 16),
            jobs: Jobs::new(options.fairness.clone()),
            fleet: Fleet::new(now),
            unstored: BTreeSet::new(),
            held_back: Vec::new(),
            fetched: BTreeMap::new(),
            done: VecDeque::new(),
            began: now,
            next_tick: now,
            next_description: now,
            is_away: false,
            is_describing: false,
            next_refusal: now,
            next_problem: now,
            next_bots: now + RENEW_BOTS,
            unsent: BTreeSet::new(),
            next_unsent: now,
            lease: host.lease,
            host,
            stop,
            has_stopped: false,
            is_flushed: true,
            blocked: 0,
            state: FleetState::default(),
            options,
        })
    }

    /// Returns how things stand.
    pub fn status(&self) -> Status {
        self.coordinator.status()
    }

    /// Returns whether the program that speaks NATS has ended: nothing can be played any more.
    pub fn is_lost(&self) -> bool {
        self.host.is_lost
    }

    /// Returns how many open matches no worker can play: they wait for one that can.
    pub fn blocked(&self) -> usize {
        self.blocked
    }

    /// Returns what is known of the workers.
    pub fn fleet(&self) -> &FleetState {
        &self.state
    }

    /// Takes a match back, whoever has it: it never ends.
    pub fn give_up(&mut self, ticket: u64) -> Result<(), ArenaError> {
        let Some(key) = self.jobs.key_of(ticket) else { return Ok(()) };
        self.held_back.retain(|job| job.key != key);
        self.jobs.remove(key);
        self.coordinator().give_up(key);
        self.act()
    }

    fn note(&self, text: &str) {
        if let Some(watcher) = &self.options.watcher {
            // It may have words of the server or of a worker.
            watcher.note(&escape(text));
        }
    }

    /// Tells people something that may happen often.
    fn note_sometimes(&mut self, text: &str) {
        if is_due(&mut self.next_problem, AGAIN) {
            self.note(text);
        }
    }

    /// Keeps why there is no result of a match. People hear it, because they may have to mend
    /// something.
    ///
    /// `unopened`: the seat whose bot a worker could not start, if that was why.
    fn note_problem(&mut self, key: JobKey, problem: &str, unopened: Option<u32>) {
        if let Some(problem) = self.jobs.note_problem(key, problem, unopened) {
            let text = format!("a worker could not play a match: {problem}");
            self.note_sometimes(&text);
        }
    }

    /// Returns whether no other process can lead this run now.
    fn leads(&self) -> bool {
        since_boot() < self.lease
    }

    /// Returns the coordinator, which knows what time it is.
    fn coordinator(&mut self) -> &mut Coordinator {
        self.coordinator.at(self.began.elapsed().as_millis() as u64)
    }

    /// Does what the coordinator wants done.
    fn act(&mut self) -> Result<(), ArenaError> {
        let Actions { publish, look, remove, silent, give_up, withdraw } =
            self.coordinator().actions();
        for (batch, place) in look {
            self.host.tell(Order::Look { batch, place }, Vec::new())?;
        }
        for (batch, place) in remove {
            self.host.tell(Order::Remove { batch, place }, Vec::new())?;
        }
        for NewBatch { batch, class, jobs } in publish {
            let message = self.jobs.message(&self.options.run, batch, class, &jobs);
            debug!(batch, matches = jobs.len(), "publishes a batch");
            let (lane, of) = (self.options.lane, self.jobs.class(class));
            let (class, about) = (of.name.clone(), of.about.clone());
            self.host.tell(Order::Publish { batch, lane, class, about }, message)?;
        }
        for worker in silent {
            self.note(&format!(
                "the worker {worker} has kept matches for far too long, and brings no results; \
                 others get them, too. Restart it, or revoke its credentials (agon worker revoke)"
            ));
        }
        for (key, loss) in give_up {
            self.lost(key, &loss);
        }
        for key in withdraw {
            self.jobs.remove(key);
        }
        Ok(())
    }

    /// Ends a match that workers lost, or could not play, again and again.
    fn lost(&mut self, key: JobKey, loss: &Loss) {
        let Some(job) = self.jobs.remove(key) else { return };
        let (times, workers) = (loss.times, loss.workers.join(", "));
        let bot = job.bot_at_fault(times).map(str::to_owned);
        let last = job.problem.map(|problem| format!("; the last one said: {problem}"));
        let last = last.unwrap_or_default();
        let error = match bot {
            Some(name) => {
                let problem = format!(
                    "it could not be started {times} times, on these workers: {workers}{last}"
                );
                ArenaError::OpenElsewhere { name, problem }
            }
            None => ArenaError::Remote(format!(
                "a match on seed {} failed {times} times, on these workers: {workers}{last}",
                job.seed
            )),
        };
        self.finish(job.ticket, Err(error), None);
    }

    fn finish(
        &mut self,
        ticket: u64,
        outcome: Result<MatchOutcome, ArenaError>,
        replay: Option<Vec<u8>>,
    ) {
        self.done.push_back(Finished { ticket, outcome, replay, took: Duration::ZERO });
    }

    fn hear(&mut self, heard: Heard) -> Result<(), ArenaError> {
        match heard.answer {
            Answer::Carried { batch, place } => self.coordinator().carried(batch, place),
            Answer::Refused { batch, why } => {
                // It may be full for long, and each batch is refused then.
                if is_due(&mut self.next_refusal, AGAIN) {
                    self.note(&format!("the server does not take matches now: {why}"));
                }
                self.coordinator().refused(batch);
            }
            Answer::Found { batch, is_there } => self.coordinator().found(batch, is_there),
            Answer::Results => self.take(&heard.bytes)?,
            Answer::Blob(digest) => {
                if self.fetched.remove(&digest).is_some() {
                    self.take(&heard.bytes)?;
                }
            }
            Answer::Missing(digest) => {
                let Some(key) = self.fetched.remove(&digest) else { return Ok(()) };
                self.note_problem(key, LOST, None);
                self.coordinator().result_lost(key);
            }
            Answer::Beat => {
                if let Some(beat) = self.fleet.hear(&heard.bytes, &self.options.run) {
                    self.coordinator().beat(beat);
                }
            }
            Answer::Stored(digest) => {
                if self.unstored.remove(&digest) {
                    for job in std::mem::take(&mut self.held_back) {
                        self.submit_if_stored(job);
                    }
                }
            }
            Answer::Back => {
                self.note("the connection to the server is there again");
                self.is_away = false;
                self.fleet.excuse();
                self.coordinator().back();
            }
            Answer::Lost(why) => {
                self.is_away = true;
                self.note(&format!(
                    "the connection to the server is lost ({why}); workers go on, and it is tried \
                     again"
                ));
            }
            Answer::Forgotten => {
                self.note("the server has lost its data; bots and matches are sent again");
                self.send_bots(|_| true)?;
            }
            Answer::Lease(ms) => self.lease = heard.at + Duration::from_millis(ms),
            Answer::Failed(error) => return Err(ArenaError::Remote(error)),
            Answer::Waits(text) => self.note(&text),
            Answer::Unstored(digest) => drop(self.unsent.insert(digest)),
            Answer::Described => self.is_describing = false,
            Answer::Opened { .. } => {}
        }
        self.act()
    }

    /// Takes results of a worker.
    fn take(&mut self, bytes: &[u8]) -> Result<(), ArenaError> {
        let (message, replays) = match message::read_results(bytes) {
            Ok(read) => read,
            Err(error) => {
                self.note_sometimes(&format!("dropped results of a worker: {error}"));
                return Ok(());
            }
        };
        let worker = escape(&message.worker).into_owned();
        let worker = worker.as_str();
        for (result, replay) in message.results.into_iter().zip(replays) {
            let ResultMessage { key, ending, us } = result;
            let ended = match ending {
                Ending::Stored { digest } => {
                    // It comes as a message of its own.
                    self.fetched.insert(digest, key);
                    self.host.tell(Order::Fetch(digest), Vec::new())?;
                    continue;
                }
                Ending::Lacking { error, seat } => Err((format!("{worker}: {error}"), seat)),
                Ending::Played { outcome, .. } if !self.jobs.fits(key, &outcome) => {
                    Err((format!("{worker} sent another match's result"), None))
                }
                Ending::Played { mut outcome, .. } => {
                    // Nobody else says who has sent it.
                    let scale = outcome.machine.as_ref().map_or(100, |machine| machine.scale);
                    outcome.machine = Some(PlayedOn { worker: worker.to_owned(), scale });
                    Ok((Ok(*outcome), replay))
                }
                Ending::Failed { error } => Ok((Err(ArenaError::Remote(error)), None)),
            };
            match ended {
                Ok((outcome, replay)) => {
                    if self.coordinator().over(worker, key, us)
                        && let Some(job) = self.jobs.remove(key)
                    {
                        self.finish(job.ticket, outcome, replay);
                    }
                }
                Err((problem, unopened)) => {
                    self.note_problem(key, &problem, unopened);
                    self.coordinator().lacking(worker, key);
                }
            }
        }
        Ok(())
    }

    /// Submits a match to the coordinator, once all its bots are on the server.
    fn submit_if_stored(&mut self, job: Submitted) {
        if job.files.iter().any(|digest| self.unstored.contains(digest)) {
            return self.held_back.push(job);
        }
        self.coordinator().submit(job.key, job.class);
        self.is_flushed = false;
    }

    /// Sends all bots again that are wanted; returns how many these were.
    fn send_bots(&mut self, is_wanted: impl Fn(Digest) -> bool) -> Result<usize, ArenaError> {
        let mut sent = 0;
        for files in self.jobs.bundles() {
            match files {
                Ok(PackedFiles { digest, bytes }) if is_wanted(digest) => {
                    self.host.tell(Order::Blob(digest), bytes)?;
                    sent += 1;
                }
                Ok(_) => {}
                // Its matches fail, if a worker does not have it yet.
                Err(error) => self.note(&format!("a bot cannot be sent again: {error}")),
            }
        }
        Ok(sent)
    }

    /// Tells those who watch the server how the run stands.
    fn describe(&mut self, status: Status) -> Result<(), ArenaError> {
        let oldest = self.coordinator().oldest().map_or(0, |(ms, _)| ms);
        let RemoteOptions { run, title, lane, .. } = &self.options;
        let (run, title, lane) = (run.clone(), title.clone(), *lane);
        let message = RunMessage { version: VERSION, run, title, lane, status, oldest };
        let bytes = serde_json::to_vec(&message).expect("a run can be written as JSON");
        self.is_describing = true;
        self.host.tell(Order::Describe, bytes)
    }

    /// Returns what people should know if matches wait while slots are idle.
    fn idle(&mut self) -> Option<String> {
        let (ms, key) = self.coordinator().oldest()?;
        let class = self.jobs.class_of_match(key)?;
        self.fleet.idle(Instant::now(), class, Duration::from_millis(ms))
    }

    /// Lets time pass.
    fn tick(&mut self) -> Result<(), ArenaError> {
        self.next_tick = Instant::now() + TICK;
        if !self.is_away {
            self.coordinator().tick();
            self.act()?;
        }
        let status = self.coordinator.status();
        if let Some(watcher) = &self.options.watcher {
            watcher.status(status);
        }
        if self.is_away {
            // No worker can be heard, so none may be forgotten.
            return Ok(());
        }
        self.blocked = self.fleet.blocked(self.jobs.needs());
        self.state = self.fleet.state(since_1970().as_secs(), self.host.expires);
        if is_due(&mut self.next_bots, RENEW_BOTS) {
            self.send_bots(|_| true)?;
        }
        if !self.unsent.is_empty() && is_due(&mut self.next_unsent, STORE_AGAIN) {
            let unsent = std::mem::take(&mut self.unsent);
            if self.send_bots(|digest| unsent.contains(&digest))? < unsent.len() {
                self.note("the files of bots have changed before they could be stored");
            }
        }
        if !self.is_describing && is_due(&mut self.next_description, DESCRIBE) {
            self.describe(status)?;
        }
        if status.waiting + status.carried > 0 {
            let lack = self.fleet.lack(&self.options.address, self.jobs.needs());
            if let Some(text) = lack.or_else(|| self.idle()) {
                self.note(&text);
            }
        }
        Ok(())
    }
}

impl MatchQueue for RemoteQueue {
    fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        let (submitted, bundles) = self.jobs.add(job)?;
        for PackedFiles { digest, bytes } in bundles {
            self.unstored.insert(digest);
            self.host.tell(Order::Blob(digest), bytes)?;
        }
        self.submit_if_stored(submitted);
        Ok(())
    }

    fn wanted(&self) -> usize {
        // Matches that no worker can play must not hold up others.
        let has_workers = self.coordinator.has_workers();
        let blocked = if has_workers { self.blocked.min(MOST_BLOCKED) } else { 0 };
        self.coordinator.wanted() + blocked
    }

    fn open(&self) -> usize {
        self.jobs.open() + self.done.len()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn slots(&self) -> SlotCounts {
        let Status { slots, taken, waiting, carried, .. } = self.coordinator.status();
        SlotCounts {
            all: u64::from(slots),
            playing: taken,
            waiting: waiting + carried.saturating_sub(taken),
        }
    }

    fn wait(&mut self) -> Result<Option<Finished>, ArenaError> {
        while self.open() > 0 {
            if let Some(finished) = self.wait_for(GLANCE)? {
                return Ok(Some(finished));
            }
        }
        Ok(None)
    }

    /// Waits for a match that is over. It also hears of workers meanwhile, even if none is open.
    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError> {
        let began = Instant::now();
        loop {
            let late = Instant::now().saturating_duration_since(self.next_tick);
            if late >= PAUSE && !self.is_away {
                // This process stood still. Workers are as they were: what they have said meanwhile
                // may still be under way.
                self.next_tick = Instant::now() + TICK;
                self.fleet.excuse();
                self.coordinator().back();
                self.act()?;
            }
            // Another coordinator may have gone on with this run if this one stood still.
            if self.leads()
                && let Some(finished) = self.done.pop_front()
            {
                return Ok(Some(finished));
            }
            if self.has_stopped && self.jobs.open() == 0 && !self.leads() {
                // The next run plays them again.
                self.done.clear();
            }
            if !std::mem::replace(&mut self.is_flushed, true) {
                self.act()?;
            }
            if self.is_stopped() && !self.has_stopped {
                self.has_stopped = true;
                for job in std::mem::take(&mut self.held_back) {
                    self.jobs.remove(job.key);
                }
                self.coordinator().stop();
                self.act()?;
                if self.open() == 0 {
                    return Ok(None);
                }
            }
            let left = patience.saturating_sub(began.elapsed());
            if let Some(heard) = self.host.hear(left.min(GLANCE))? {
                self.hear(heard)?;
            }
            if Instant::now() >= self.next_tick {
                // What has been said counts before what was not said in time.
                let until = Instant::now() + GLANCE;
                while Instant::now() < until
                    && let Some(heard) = self.host.hear(Duration::ZERO)?
                {
                    self.hear(heard)?;
                }
                self.tick()?;
            }
            if began.elapsed() >= patience && (self.done.is_empty() || !self.leads()) {
                return Ok(None);
            }
        }
    }
}

impl Drop for RemoteQueue {
    fn drop(&mut self) {
        // What no worker has begun is taken back. If the server is gone, it expires there.
        if !self.has_stopped && self.jobs.open() > 0 {
            self.coordinator().stop();
            let _ = self.act();
        }
    }
}

/// Returns whether something is due, which happens once in such a time.
fn is_due(next: &mut Instant, every: Duration) -> bool {
    let now = Instant::now();
    let is_due = now >= *next;
    if is_due {
        *next = now + every;
    }
    is_due
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
