//! The coordinator of a run: forms batches of its matches, follows them, and takes each result
//! once.
//!
//! It has neither a clock nor I/O: whoever drives it tells it the time with each event, and does
//! what its commands say. `agon-remote` drives it over NATS, tests over a simulated carrier.
//!
//! ```text
//! waiting ──> in a batch ──> over
//!    └── lost ────┴──> in quarantine
//! ```

mod batch;
mod batches;
mod events;
mod limits;
mod pace;
mod publishing;
mod silent;
mod speeds;
mod tail;
mod waiting;
mod workers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use self::{batch::Batch, pace::Pace, workers::Workers};
pub use self::{
    events::{BatchId, Beat, Command, Event, Held, Loss, Result, Verdict},
    limits::Limits,
    speeds::Speeds,
};
use crate::fleet::JobKey;

/// What is named as the worker of a match whose result was lost.
const ON_THE_WAY: &str = "none (its result was lost on the way)";

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
    /// Matches that are in no batch, by their classes.
    waiting: BTreeMap<u32, VecDeque<JobKey>>,
    batches: BTreeMap<BatchId, Batch>,
    /// The matches of all batches, by their classes.
    carried: BTreeMap<u32, usize>,
    /// Until when the carrier gets no batch, because it has refused one.
    refused_until: u64,
    /// How long the last such pause was, in milliseconds; 0 if it has taken one since.
    refusal_pause: u64,
    last_batch: BatchId,
    workers: Workers,
    /// Workers that keep matches and bring no results.
    silent: BTreeSet<String>,
    pace: BTreeMap<u32, Pace>,
    /// How fast the workers are that can play matches of a class.
    speeds: BTreeMap<u32, Speeds>,
    is_stopped: bool,
    status: Status,
}

/// A match that is not over.
#[derive(Clone, Debug)]
struct Job {
    class: u32,
    /// When it was submitted.
    since: u64,
    /// The batch that has it; of several, the last one. `None` if it waits.
    batch: Option<BatchId>,
    loss: Loss,
    /// Whether slow workers get it, too, although it is one of the last.
    is_for_all: bool,
    /// Workers that have kept it for too long.
    kept_by: BTreeSet<String>,
}

impl Coordinator {
    /// Makes a coordinator without matches, whose batches have numbers after `last_batch`.
    pub fn new(limits: Limits, last_batch: BatchId) -> Coordinator {
        Coordinator {
            limits,
            jobs: BTreeMap::new(),
            waiting: BTreeMap::new(),
            batches: BTreeMap::new(),
            carried: BTreeMap::new(),
            refused_until: 0,
            refusal_pause: 0,
            last_batch,
            workers: Workers::default(),
            silent: BTreeSet::new(),
            pace: BTreeMap::new(),
            speeds: BTreeMap::new(),
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
            Event::ResultLost { key } => {
                let is_played = self.jobs.get(&key).is_some_and(|job| job.batch.is_some());
                if is_played {
                    self.detach(now, key);
                    self.lose(now, key, Some((ON_THE_WAY, true)), &mut commands);
                }
            }
            Event::Beat(beat) => self.beat(now, beat, &mut commands),
            Event::Results { worker, results } => {
                self.results(now, &worker, &results, &mut commands);
            }
            Event::Carried { batch, place } => self.carried(now, batch, place, &mut commands),
            Event::Refused { batch } => self.refused(now, batch, &mut commands),
            Event::Found { batch, is_there } => self.found(now, batch, is_there, &mut commands),
            Event::Speeds { by_class } => self.speeds = by_class,
            Event::Back => {
                self.workers.excuse(now);
                // Results come first that were sent meanwhile.
                for batch in self.batches.values_mut() {
                    (batch.heard, batch.progress) = (now, now);
                }
            }
            Event::Tick => self.look(now, &mut commands),
        }
        self.workers.forget(now, &self.limits);
        self.publish(now, &mut commands);
        commands
    }

    /// Returns how many matches its user should have submitted, so that no worker waits.
    pub fn wanted(&self) -> usize {
        // As many again wait here, whatever the carrier has of all classes.
        let depth = self.greatest_depth();
        self.all_carried().max(depth) + depth.max(32)
    }

    /// Returns whether any worker lives.
    pub fn has_workers(&self) -> bool {
        self.workers.slots() > 0
    }

    /// Returns how many matches are not over.
    pub fn open(&self) -> usize {
        self.jobs.len()
    }

    /// Returns how things stand.
    pub fn status(&self) -> Status {
        let carried = self.all_carried() as u64;
        let taken = self.batches.values().filter(|batch| batch.holder.is_some());
        Status {
            taken: taken.map(|batch| batch.jobs.len() as u64).sum(),
            workers: self.workers.count(),
            slots: self.workers.slots(),
            waiting: (self.jobs.len() as u64).saturating_sub(carried),
            carried,
            ..self.status
        }
    }

    /// Returns the first of those matches that no worker has, and for how long it waits, in
    /// milliseconds.
    pub fn oldest(&self, now: u64) -> Option<(u64, JobKey)> {
        let has_worker =
            |batch: BatchId| self.batches.get(&batch).is_some_and(|batch| batch.holder.is_some());
        let free = self.jobs.iter().filter(|(_, job)| !job.batch.is_some_and(has_worker));
        free.map(|(key, job)| (now.saturating_sub(job.since), *key)).max()
    }

    /// Returns whether a worker gets no matches, because it keeps them and brings no results.
    pub fn is_silent(&self, worker: &str) -> bool {
        self.silent.contains(worker)
    }

    fn submit(&mut self, now: u64, key: JobKey, class: u32, commands: &mut Vec<Command>) {
        if self.is_stopped {
            commands.push(Command::Withdraw { key });
            return;
        }
        let loss = Loss { times: 0, workers: Vec::new() };
        let job = Job {
            class,
            since: now,
            batch: None,
            loss,
            is_for_all: false,
            kept_by: BTreeSet::new(),
        };
        let before = self.jobs.insert(key, job);
        debug_assert!(before.is_none(), "each match is submitted once");
        self.wait(key, false);
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
            self.jobs.remove(&key);
            commands.push(Command::Withdraw { key });
        }
    }

    /// Takes a match back, whoever has it. If a worker plays it, its result is dropped.
    fn give_up(&mut self, now: u64, key: JobKey, commands: &mut Vec<Command>) {
        let Some(job) = self.jobs.get(&key) else { return };
        if let Some(id) = job.batch {
            let batch = self.batches.get(&id);
            let free = batch.filter(|of| of.jobs.len() == 1 && of.holder.is_none());
            let place = free.and_then(|of| of.place);
            commands.extend(place.map(|place| Command::Remove { batch: id, place }));
        }
        self.detach(now, key);
        self.jobs.remove(&key);
        commands.push(Command::Withdraw { key });
    }

    fn results(&mut self, now: u64, worker: &str, results: &[Result], commands: &mut Vec<Command>) {
        self.workers.heard(now, worker);
        for result in results {
            let Some(job) = self.jobs.get(&result.key) else {
                self.status.again += 1;
                continue;
            };
            match result.verdict {
                Verdict::Over => {
                    self.pace.entry(job.class).or_default().took(result.us);
                    self.detach(now, result.key);
                    let job = self.jobs.remove(&result.key);
                    self.brought(worker, job.map(|job| job.kept_by).unwrap_or_default(), commands);
                    self.status.over += 1;
                    commands.push(Command::Deliver { key: result.key });
                }
                // Otherwise somebody else has it, or has played it already.
                Verdict::Lacking if job.batch.is_some() => {
                    self.detach(now, result.key);
                    self.lose(now, result.key, Some((worker, true)), commands);
                }
                Verdict::Lacking => self.status.again += 1,
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
            self.wait(key, true);
        }
    }
}
