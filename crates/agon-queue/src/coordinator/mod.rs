//! The coordinator of a run: forms batches of its matches, follows them, and takes each result
//! once.
//!
//! It has neither a clock nor I/O: whoever drives it tells it the time with each event, and does
//! what its commands say. `agon-remote` drives it over NATS, tests over a simulated carrier.
//!
//! ```text
//! waiting ──> in a batch ──> over
//!    ↑            │
//!    └── lost ────┴──> in quarantine
//! ```

mod batch;
mod batches;
mod events;
mod pace;
mod workers;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

pub use self::events::{BatchId, Beat, Command, Event, Held, Loss, Result, Verdict};
use self::{batch::Batch, pace::Pace, workers::Workers};
use crate::JobKey;

/// Limits of a coordinator. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A batch of which nobody has told anything for this long is looked for.
    pub lease: u64,
    /// A worker that has told nothing for this long is gone.
    pub silence: u64,
    /// How long the matches of a batch should take together.
    pub batch: u64,
    /// The most matches of a batch.
    pub batch_most: usize,
    /// The most matches that the carrier has at a time, whatever the workers say.
    pub carried: usize,
    /// A match that so many workers lost, or could not play, is not played any more.
    pub losses: u32,
    /// Nor is one that was lost so often, whoever had it.
    pub losses_in_all: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            lease: 15_000,
            silence: 14_000,
            batch: 400,
            batch_most: 500,
            carried: 50_000,
            losses: 3,
            losses_in_all: 12,
        }
    }
}

/// How things stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Workers that live.
    pub workers: u32,
    /// Their slots.
    pub slots: u32,
    /// Matches that wait here.
    pub waiting: u64,
    /// Matches that the carrier or a worker has.
    pub carried: u64,
    /// Those of them that a worker has.
    pub taken: u64,
    /// Matches that are over.
    pub over: u64,
    /// Results that came again.
    pub again: u64,
    /// Batches whose worker was lost.
    pub lost: u64,
    /// Batches that the carrier forgot.
    pub forgotten: u64,
}

/// The coordinator of a run.
#[derive(Debug)]
pub struct Coordinator {
    limits: Limits,
    jobs: BTreeMap<JobKey, Job>,
    /// Matches that are in no batch, by class.
    waiting: BTreeMap<u32, VecDeque<JobKey>>,
    batches: BTreeMap<BatchId, Batch>,
    /// The matches of all batches.
    carried: usize,
    last_batch: BatchId,
    workers: Workers,
    pace: BTreeMap<u32, Pace>,
    is_stopped: bool,
    status: Status,
}

/// A match that is not over.
#[derive(Clone, Debug)]
struct Job {
    class: u32,
    /// When it was submitted.
    since: u64,
    /// The batch that has it; of several, the last one.
    batch: Option<BatchId>,
    loss: Loss,
}

impl Coordinator {
    /// Makes a coordinator without matches, whose batches have numbers after `last_batch`.
    pub fn new(limits: Limits, last_batch: BatchId) -> Coordinator {
        Coordinator {
            limits,
            jobs: BTreeMap::new(),
            waiting: BTreeMap::new(),
            batches: BTreeMap::new(),
            carried: 0,
            last_batch,
            workers: Workers::default(),
            pace: BTreeMap::new(),
            is_stopped: false,
            status: Status::default(),
        }
    }

    /// Learns something at a time in milliseconds, and returns what is to be done. The time never
    /// goes back; where it starts does not matter.
    pub fn learn(&mut self, now: u64, event: Event) -> Vec<Command> {
        let mut commands = Vec::new();
        match event {
            Event::Submit { key, class } => {
                // Others follow, with which it may travel.
                self.submit(now, key, class, &mut commands);
                return commands;
            }
            Event::Flush => {}
            Event::Stop => self.stop(&mut commands),
            Event::GiveUp { key } => self.give_up(now, key, &mut commands),
            Event::Beat(beat) => self.beat(now, beat, &mut commands),
            Event::Results { worker, results } => {
                self.results(now, &worker, &results, &mut commands);
            }
            Event::Carried { batch, place } => self.carried(now, batch, place, &mut commands),
            Event::Refused { batch } => self.refused(now, batch, &mut commands),
            Event::Found { batch, is_there } => self.found(now, batch, is_there, &mut commands),
            Event::Tick => self.look(now, &mut commands),
        }
        self.workers.forget(now, self.limits.silence);
        self.publish(now, &mut commands);
        commands
    }

    /// Returns how many matches its user should have submitted, so that no worker waits.
    pub fn wanted(&self) -> usize {
        // As many again wait here.
        2 * self.depth().max(32)
    }

    /// Returns how many matches are not over.
    pub fn open(&self) -> usize {
        self.jobs.len()
    }

    /// Returns how things stand.
    pub fn status(&self) -> Status {
        let carried = self.carried as u64;
        let taken = self.batches.values().filter(|batch| batch.holder.is_some());
        Status {
            taken: taken.map(|batch| batch.jobs.len() as u64).sum(),
            workers: self.workers.count(),
            slots: self.workers.slots(),
            waiting: self.jobs.len() as u64 - carried,
            carried,
            ..self.status
        }
    }

    /// Returns for how long, in milliseconds, the first of those matches waits that no worker has.
    pub fn oldest(&self, now: u64) -> Option<u64> {
        let has_worker =
            |batch: BatchId| self.batches.get(&batch).is_some_and(|batch| batch.holder.is_some());
        let free = self.jobs.values().filter(|job| !job.batch.is_some_and(has_worker));
        free.map(|job| now.saturating_sub(job.since)).max()
    }

    fn submit(&mut self, now: u64, key: JobKey, class: u32, commands: &mut Vec<Command>) {
        if self.is_stopped {
            commands.push(Command::Withdraw { key });
            return;
        }
        let loss = Loss { times: 0, workers: Vec::new() };
        let before = self.jobs.insert(key, Job { class, since: now, batch: None, loss });
        debug_assert!(before.is_none(), "each match is submitted once");
        self.waiting.entry(class).or_default().push_back(key);
    }

    fn stop(&mut self, commands: &mut Vec<Command>) {
        self.is_stopped = true;
        let waiting = std::mem::take(&mut self.waiting);
        let mut gone: Vec<JobKey> = waiting.into_values().flatten().collect();
        // A batch that nobody has taken is taken back. If a worker takes it at this moment, its
        // results are dropped.
        let free: Vec<BatchId> =
            self.batches.iter().filter(|(_, of)| of.holder.is_none()).map(|(id, _)| *id).collect();
        for id in free {
            let Some(batch) = self.remove(id) else { continue };
            commands.extend(batch.place.map(|place| Command::Remove { batch: id, place }));
            gone.extend(batch.jobs);
        }
        for key in gone {
            if self.jobs.remove(&key).is_some() {
                commands.push(Command::Withdraw { key });
            }
        }
    }

    /// Takes a match back, whoever has it. If a worker plays it, its result is dropped.
    fn give_up(&mut self, now: u64, key: JobKey, commands: &mut Vec<Command>) {
        let Some(job) = self.jobs.remove(&key) else { return };
        match job.batch {
            None => {
                let waiting = self.waiting.entry(job.class).or_default();
                waiting.retain(|other| *other != key);
            }
            Some(id) => {
                let batch = self.batches.get(&id);
                let free = batch.filter(|of| of.jobs.len() == 1 && of.holder.is_none());
                let place = free.and_then(|of| of.place);
                commands.extend(place.map(|place| Command::Remove { batch: id, place }));
                self.take_out(now, id, key);
            }
        }
        commands.push(Command::Withdraw { key });
    }

    fn results(&mut self, now: u64, worker: &str, results: &[Result], commands: &mut Vec<Command>) {
        self.workers.seen(now, worker, None);
        for result in results {
            let Some(job) = self.jobs.get(&result.key) else {
                self.status.again += 1;
                continue;
            };
            let (class, batch) = (job.class, job.batch);
            if let Some(batch) = batch {
                self.take_out(now, batch, result.key);
            }
            match result.verdict {
                Verdict::Over => {
                    self.pace.entry(class).or_default().took(result.us);
                    self.over(result.key);
                    commands.push(Command::Deliver { key: result.key });
                }
                Verdict::Lacking => self.lose(now, result.key, Some((worker, true)), commands),
            }
        }
    }

    /// Removes a match that is over.
    fn over(&mut self, key: JobKey) {
        if let Some(job) = self.jobs.remove(&key) {
            self.status.over += 1;
            if job.batch.is_none() {
                // It was lost, and came late.
                let waiting = self.waiting.entry(job.class).or_default();
                waiting.retain(|other| *other != key);
            }
        }
    }

    /// Has a match wait again, before others; or gives it up. If a worker had it and was lost, it
    /// is named, with whether the match was the only one.
    fn lose(
        &mut self,
        now: u64,
        key: JobKey,
        lost: Option<(&str, bool)>,
        commands: &mut Vec<Command>,
    ) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        job.batch = None;
        if let Some((worker, is_alone)) = lost {
            job.loss.count(worker, is_alone);
        }
        let workers = job.loss.workers.len() as u32;
        let limits = self.limits;
        if job.loss.times >= limits.losses_in_all || workers.min(job.loss.times) >= limits.losses {
            let loss = job.loss.clone();
            self.jobs.remove(&key);
            commands.push(Command::Quarantine { key, loss });
        } else if self.is_stopped {
            self.jobs.remove(&key);
            commands.push(Command::Withdraw { key });
        } else {
            // It was not waiting while a worker had it.
            job.since = now;
            let class = job.class;
            self.waiting.entry(class).or_default().push_front(key);
        }
    }
}
