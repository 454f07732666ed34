//! [`RemoteQueue`]: a queue of matches whose workers are on other machines.

mod fleet;
mod host;
mod jobs;
mod results;
mod sentences;
mod unstored;
mod waiting;

pub use fleet::FleetState;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::fleet::{
    Command, Coordinator, Event, JobKey, Limits, Loss, Status, VERSION, message::RunMessage,
};
use agon_arena::{ArenaError, Finished};
use agon_match::spec::{Digest, MatchOutcome};
use agon_text::escape;
use tracing::debug;

use self::{
    fleet::Fleet,
    host::{Heard, Host, since_boot},
    jobs::{Jobs, PackedFiles},
    sentences::words,
    unstored::Unstored,
};
use crate::{Answer, Order, RemoteOptions, Trouble};

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
    unstored: Unstored,
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
    /// Bots that `agon-nats` could neither store nor keep, and when they are sent again.
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
        let epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64);
        Ok(RemoteQueue {
            coordinator: Coordinator::new(Limits::default(), epoch << 16),
            jobs: Jobs::new(options.fairness.clone()),
            fleet: Fleet::new(now),
            unstored: Unstored::default(),
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
    ///
    /// # Errors
    /// If the program that speaks NATS has ended.
    pub fn give_up(&mut self, ticket: u64) -> Result<(), ArenaError> {
        match self.jobs.key_of(ticket) {
            Some(key) => {
                self.unstored.give_up(key);
                self.learn(Event::GiveUp { key })?;
                // The coordinator may not have had it.
                self.jobs.remove(key);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn note(&self, text: &str) {
        if let Some(watcher) = &self.options.watcher {
            // It may have words of the server or of a worker.
            watcher.note(&escape(text));
        }
    }

    /// Keeps why a worker could not play a match. People hear it, because they may have to mend
    /// something.
    ///
    /// `unopened`: the seat whose bot the worker could not start, if that was why.
    fn note_problem(&mut self, key: JobKey, problem: &str, unopened: Option<u32>) {
        if let Some(problem) = self.jobs.note_problem(key, problem, unopened) {
            let text = format!("a worker could not play a match: {problem}");
            self.note_sometimes(&text);
        }
    }

    /// Tells people something that may happen often.
    fn note_sometimes(&mut self, text: &str) {
        if Instant::now() >= self.next_problem {
            self.next_problem = Instant::now() + AGAIN;
            self.note(text);
        }
    }

    /// Returns whether no other process can lead this run now.
    fn leads(&self) -> bool {
        since_boot() < self.lease
    }

    /// Has the coordinator learn something, and does what it says.
    fn learn(&mut self, event: Event) -> Result<(), ArenaError> {
        let now = self.began.elapsed().as_millis() as u64;
        for command in self.coordinator.learn(now, event) {
            self.obey(command)?;
        }
        Ok(())
    }

    fn obey(&mut self, command: Command) -> Result<(), ArenaError> {
        match command {
            Command::Publish { batch, class, avoid, least_speed, jobs } => {
                let class = self.jobs.class_for(class, least_speed);
                let order = Order::Publish {
                    batch,
                    lane: self.options.lane,
                    class: class.name.clone(),
                    about: class.about.clone(),
                };
                let message =
                    self.jobs.message(&self.options.run, batch, class.class.clone(), avoid, &jobs);
                debug!(batch, matches = jobs.len(), "publishes a batch");
                self.host.tell(&order, &message)
            }
            Command::Look { batch, place } => self.host.tell(&Order::Look { batch, place }, &[]),
            Command::Remove { batch, place } => {
                self.host.tell(&Order::Remove { batch, place }, &[])
            }
            // What came with the event was delivered.
            Command::Deliver { .. } => Ok(()),
            Command::Avoid { worker } => {
                self.note(&format!(
                    "the worker {worker} keeps matches and brings no results, and others played \
                     them; it gets no more until it brings one. Restart it, or revoke its \
                     credentials (agon worker revoke)"
                ));
                Ok(())
            }
            Command::Quarantine { key, loss } => {
                self.quarantine(key, &loss);
                Ok(())
            }
            Command::Withdraw { key } => {
                self.jobs.remove(key);
                Ok(())
            }
        }
    }

    fn quarantine(&mut self, key: JobKey, loss: &Loss) {
        let Some(job) = self.jobs.remove(key) else { return };
        let workers = loss.workers.join(", ");
        let bot = job.bot_at_fault(loss.times).map(str::to_owned);
        let last = job.problem.map(|problem| format!("; the last one said: {problem}"));
        let last = last.unwrap_or_default();
        let times = loss.times;
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
            Answer::Carried { batch, place } => self.learn(Event::Carried { batch, place }),
            Answer::Refused { batch, why } => {
                // It may be full for long, and each batch is refused then.
                if Instant::now() >= self.next_refusal {
                    self.next_refusal = Instant::now() + AGAIN;
                    self.note(&format!("the server does not take matches now: {why}"));
                }
                self.learn(Event::Refused { batch })
            }
            Answer::Found { batch, is_there } => self.learn(Event::Found { batch, is_there }),
            Answer::Results => self.take(&heard.bytes),
            Answer::Blob(digest) => match self.fetched.remove(&digest) {
                Some(_) => self.take(&heard.bytes),
                None => Ok(()),
            },
            Answer::Missing(digest) => {
                let Some(key) = self.fetched.remove(&digest) else { return Ok(()) };
                let problem = "its result was lost on the way; if this goes on, the server has too \
                               little room for replays (max_file_store)";
                self.note_problem(key, problem, None);
                self.learn(Event::ResultLost { key })
            }
            Answer::Beat => match self.fleet.hear(&heard.bytes, &self.options.run) {
                Some(beat) => self.learn(Event::Beat(beat)),
                None => Ok(()),
            },
            Answer::Lease(ms) => {
                self.lease = heard.at + Duration::from_millis(ms);
                Ok(())
            }
            Answer::Failed(error) => Err(ArenaError::Remote(error)),
            Answer::Waits(text) => {
                self.note(&text);
                Ok(())
            }
            Answer::Trouble(trouble) => {
                self.note(&words(&trouble));
                match trouble {
                    Trouble::Forgotten => drop(self.send_bots(|_| true)?),
                    Trouble::Lost(_) => self.is_away = true,
                    Trouble::Back => {
                        self.is_away = false;
                        self.fleet.excuse();
                        return self.learn(Event::Back);
                    }
                }
                Ok(())
            }
            Answer::Stored(digest) => {
                self.is_flushed = false;
                let ready = self.unstored.stored(digest);
                ready.into_iter().try_for_each(|submission| self.learn(submission))
            }
            Answer::Unstored(digest) => {
                self.unsent.insert(digest);
                Ok(())
            }
            Answer::Described => {
                self.is_describing = false;
                Ok(())
            }
            Answer::Opened { .. } => Ok(()),
        }
    }

    /// Sends the files of a bot.
    fn send_bot(&mut self, files: &PackedFiles) -> Result<(), ArenaError> {
        self.host.tell(&Order::Blob(files.digest), &files.bytes)
    }

    /// Sends all bots again that are wanted; returns how many these were.
    fn send_bots(&mut self, is_wanted: impl Fn(Digest) -> bool) -> Result<usize, ArenaError> {
        let mut sent = 0;
        for bot in self.jobs.bots() {
            match self.jobs.bundle(bot) {
                Some(Ok(files)) if is_wanted(files.digest) => {
                    self.send_bot(&files)?;
                    sent += 1;
                }
                Some(Ok(_)) => {}
                // Its matches fail, if a worker does not have it yet.
                Some(Err(error)) => self.note(&format!("a bot cannot be sent again: {error}")),
                None => {}
            }
        }
        Ok(sent)
    }

    /// Tells those who watch the server how the run stands.
    fn describe(&mut self, status: Status) -> Result<(), ArenaError> {
        let now = self.began.elapsed().as_millis() as u64;
        let message = RunMessage {
            version: VERSION,
            run: self.options.run.clone(),
            title: self.options.title.clone(),
            lane: self.options.lane,
            status,
            oldest: self.coordinator.oldest(now).map_or(0, |(ms, _)| ms),
        };
        let bytes = serde_json::to_vec(&message).expect("a run can be written as JSON");
        self.is_describing = true;
        self.host.tell(&Order::Describe, &bytes)
    }

    /// Returns what people should know if matches wait while slots are idle.
    fn idle(&mut self) -> Option<String> {
        let now = self.began.elapsed().as_millis() as u64;
        let (ms, key) = self.coordinator.oldest(now)?;
        let class = self.jobs.class_of_match(key)?;
        let gets_none = |worker: &str| self.coordinator.is_silent(worker);
        self.fleet.idle(Instant::now(), class, Duration::from_millis(ms), gets_none)
    }

    /// After this process stood still, workers are as they were: what they have said meanwhile may
    /// still be under way.
    fn notice_pause(&mut self) -> Result<(), ArenaError> {
        let late = Instant::now().saturating_duration_since(self.next_tick);
        if late < PAUSE || self.is_away {
            return Ok(());
        }
        self.next_tick = Instant::now() + TICK;
        self.fleet.excuse();
        self.learn(Event::Back)
    }

    /// Lets time pass.
    fn tick(&mut self) -> Result<(), ArenaError> {
        self.next_tick = Instant::now() + TICK;
        if self.is_away {
            // No worker can be heard, so none may be forgotten.
            if let Some(watcher) = &self.options.watcher {
                watcher.status(self.coordinator.status());
            }
            return Ok(());
        }
        self.learn(Event::Tick)?;
        self.blocked = self.fleet.blocked(self.jobs.needs());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.state = self.fleet.state(now.as_secs(), self.host.expires);
        let status = self.coordinator.status();
        if let Some(watcher) = &self.options.watcher {
            watcher.status(status);
        }
        if Instant::now() >= self.next_bots {
            self.next_bots = Instant::now() + RENEW_BOTS;
            self.send_bots(|_| true)?;
        }
        if Instant::now() >= self.next_unsent && !self.unsent.is_empty() {
            self.next_unsent = Instant::now() + AGAIN;
            let unsent = std::mem::take(&mut self.unsent);
            if self.send_bots(|digest| unsent.contains(&digest))? < unsent.len() {
                self.note("the files of bots have changed before they could be stored");
            }
        }
        if Instant::now() >= self.next_description && !self.is_describing {
            self.next_description = Instant::now() + DESCRIBE;
            self.describe(status)?;
        }
        if self.options.has_end {
            let by_class = self.jobs.of_classes(|class| self.fleet.speeds(class));
            self.learn(Event::Speeds { by_class })?;
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

impl Drop for RemoteQueue {
    fn drop(&mut self) {
        // What no worker has begun is taken back. If the server is gone, it expires there.
        if !self.has_stopped && self.jobs.open() > 0 {
            let _ = self.learn(Event::Stop);
        }
    }
}
