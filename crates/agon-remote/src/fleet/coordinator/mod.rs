//! The coordinator of a run: forms batches of its matches, follows them, and takes each result
//! once.
//!
//! It has neither a clock nor I/O. Its user says which time it is ([`Coordinator::at`]) and what
//! has happened, then asks what to do ([`Coordinator::actions`]). `agon-remote` drives it over
//! NATS, tests over a simulated carrier.
//!
//! ```text
//! waiting ──> in a batch ──> over
//!    └── lost ────┴──> given up
//! ```

mod batches;
mod publishing;
mod workers;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use self::{batches::Batch, publishing::Pace, workers::Workers};
use crate::fleet::JobKey;
use crate::fleet::message::{BatchId, Held};

/// What is named as the worker of a match whose result was lost.
const ON_THE_WAY: &str = "none (its result was lost on the way)";

/// The most workers that are named as those that had a match.
const MOST_NAMES: usize = 8;

/// Limits of a coordinator. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A batch of which nobody has told anything for this long is looked for.
    pub lease: u64,
    /// A worker with matches that has told nothing for this long is gone.
    pub silence: u64,
    /// The same for one without matches, which says less often that it lives.
    pub idle_silence: u64,
    /// How long the matches of a batch should take together.
    pub batch: u64,
    /// The most matches of a batch.
    pub batch_most: usize,
    /// The most matches that the carrier has at a time, whatever workers say.
    pub carried: usize,
    /// A match that so many workers lost, or could not play, is not played any more.
    pub losses: u32,
    /// After so many losses, a match is given up, even if they were all on the same worker.
    pub losses_in_all: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            lease: 15_000,
            silence: 14_000,
            idle_silence: 47_000,
            batch: 400,
            batch_most: 500,
            carried: 50_000,
            losses: 3,
            losses_in_all: 12,
        }
    }
}

impl Limits {
    /// Returns for how long a worker may tell nothing, in milliseconds. `is_idle`: when it told
    /// something last, it had no matches.
    pub fn silence_of(&self, is_idle: bool) -> u64 {
        if is_idle { self.idle_silence } else { self.silence }
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

/// A worker tells that it lives, and what it has of this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// Its name.
    pub worker: String,
    /// How many matches it plays at a time.
    pub slots: u32,
    /// The batches that it has.
    pub held: Vec<Held>,
    /// Batches that it had and gives back, without having begun what is not over.
    pub returned: Vec<Held>,
}

/// Why a match is given up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// How often it was lost or could not be played.
    pub times: u32,
    /// The first workers that had it, in this order, each once.
    pub workers: Vec<String>,
}

impl Loss {
    /// Counts a worker that was lost. Of several matches in a batch only one can be the reason, so
    /// that each of them is suspected, but no more.
    fn count(&mut self, worker: &str, is_alone: bool) {
        let is_known = self.workers.iter().any(|known| known == worker);
        self.times = if is_alone { self.times + 1 } else { self.times.max(1) };
        if !is_known && self.workers.len() < MOST_NAMES {
            self.workers.push(worker.to_owned());
        }
    }
}

/// What a coordinator wants done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Give these batches to the carrier.
    pub publish: Vec<NewBatch>,
    /// Ask the carrier whether it still has these batches, at these places.
    pub look: Vec<(BatchId, u64)>,
    /// Take these batches out of the carrier, if they are still at these places.
    pub remove: Vec<(BatchId, u64)>,
    /// Say that these workers have kept matches for far too long: others get them, too.
    pub silent: Vec<String>,
    /// Give these matches up: workers that had them were lost, again and again.
    pub give_up: Vec<(JobKey, Loss)>,
    /// Drop these matches: they have not begun, and will not.
    pub withdraw: Vec<JobKey>,
}

/// A batch for the carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// Its number, which is used once in a run.
    pub batch: BatchId,
    /// The class of its matches: the number that the user gives to each class.
    pub class: u32,
    /// The matches.
    pub jobs: Vec<JobKey>,
}

/// The coordinator of a run.
#[derive(Debug)]
pub struct Coordinator {
    limits: Limits,
    now: u64,
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
    pace: BTreeMap<u32, Pace>,
    is_stopped: bool,
    status: Status,
    actions: Actions,
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
    /// How many workers have kept it for too long.
    kept: u32,
}

impl Coordinator {
    /// Makes a coordinator without matches, whose batches have numbers after `last_batch`.
    pub fn new(limits: Limits, last_batch: BatchId) -> Coordinator {
        Coordinator {
            limits,
            now: 0,
            jobs: BTreeMap::new(),
            waiting: BTreeMap::new(),
            batches: BTreeMap::new(),
            carried: BTreeMap::new(),
            refused_until: 0,
            refusal_pause: 0,
            last_batch,
            workers: Workers::default(),
            pace: BTreeMap::new(),
            is_stopped: false,
            status: Status::default(),
            actions: Actions::default(),
        }
    }

    /// Says which time it is, in milliseconds. It never goes back; where it starts does not matter.
    pub fn at(&mut self, now: u64) -> &mut Coordinator {
        self.now = now;
        self
    }

    /// Returns what is to be done, and forms batches of what waits.
    pub fn actions(&mut self) -> Actions {
        self.workers.forget(self.now, &self.limits);
        self.publish();
        std::mem::take(&mut self.actions)
    }

    /// A match is to be played. It may travel with others that are submitted before
    /// [`Coordinator::actions`].
    pub fn submit(&mut self, key: JobKey, class: u32) {
        if self.is_stopped {
            return self.actions.withdraw.push(key);
        }
        let (since, loss) = (self.now, Loss::default());
        let job = Job { class, since, batch: None, loss, kept: 0 };
        let before = self.jobs.insert(key, job);
        debug_assert!(before.is_none(), "each match is submitted once");
        self.wait(key, false);
    }

    /// No match begins any more: those that no worker has yet are over.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        let waiting = std::mem::take(&mut self.waiting);
        let mut gone: Vec<JobKey> = waiting.into_values().flatten().collect();
        // A batch that nobody has taken is taken back. If a worker takes it at this moment, its
        // results are dropped.
        let free: Vec<BatchId> =
            self.batches.iter().filter(|(_, of)| of.holder.is_none()).map(|(id, _)| *id).collect();
        for id in free {
            gone.extend(self.take_back(id).into_iter().flat_map(|batch| batch.jobs));
        }
        for key in gone {
            self.jobs.remove(&key);
            self.actions.withdraw.push(key);
        }
    }

    /// A match is not wanted any more, whoever has it. If a worker plays it, its result is dropped.
    pub fn give_up(&mut self, key: JobKey) {
        let Some(job) = self.jobs.get(&key) else { return };
        if let Some(id) = job.batch
            && let Some(batch) = self.batches.get(&id)
            && batch.jobs.len() == 1
            && batch.holder.is_none()
        {
            self.actions.remove.extend(batch.place.map(|place| (id, place)));
        }
        self.detach(key);
        self.jobs.remove(&key);
    }

    /// A worker has played a match, of this run or of an earlier one; or it has an error that it
    /// would have everywhere. `us` is how long it took, in microseconds. Returns whether this
    /// result counts: the first one of a match does.
    pub fn over(&mut self, worker: &str, key: JobKey, us: u64) -> bool {
        self.workers.heard(self.now, worker);
        self.detach(key);
        let Some(job) = self.jobs.remove(&key) else {
            self.status.again += 1;
            return false;
        };
        self.pace.entry(job.class).or_default().took(us);
        self.status.over += 1;
        true
    }

    /// A worker could not play a match; another one may.
    pub fn lacking(&mut self, worker: &str, key: JobKey) {
        self.workers.heard(self.now, worker);
        // Otherwise somebody else has it, or has played it already.
        match self.jobs.get(&key).is_some_and(|job| job.batch.is_some()) {
            true => self.lose(key, Some((worker, true))),
            false => self.status.again += 1,
        }
    }

    /// A worker has played a match, but its result was lost, as one that is too large for the
    /// carrier. Nobody is to blame, but it must not go on for ever.
    pub fn result_lost(&mut self, key: JobKey) {
        if self.jobs.get(&key).is_some_and(|job| job.batch.is_some()) {
            self.lose(key, Some((ON_THE_WAY, true)));
        }
    }

    /// The coordinator could hear nobody for a while, and hears them again.
    pub fn back(&mut self) {
        self.workers.excuse(self.now);
        // Results come first that were sent meanwhile.
        for batch in self.batches.values_mut() {
            (batch.heard, batch.progress) = (self.now, self.now);
        }
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
    pub fn oldest(&self) -> Option<(u64, JobKey)> {
        let has_worker =
            |batch: BatchId| self.batches.get(&batch).is_some_and(|batch| batch.holder.is_some());
        let free = self.jobs.iter().filter(|(_, job)| !job.batch.is_some_and(has_worker));
        free.map(|(key, job)| (self.now.saturating_sub(job.since), *key)).max()
    }

    /// Has a match wait; behind others, or before them.
    fn wait(&mut self, key: JobKey, is_first: bool) {
        let Some(job) = self.jobs.get(&key) else { return };
        let waiting = self.waiting.entry(job.class).or_default();
        match is_first {
            true => waiting.push_front(key),
            false => waiting.push_back(key),
        }
    }

    /// Takes a match out of its batch, or out of those that wait.
    fn detach(&mut self, key: JobKey) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        match job.batch.take() {
            Some(batch) => self.take_out(batch, key),
            None => {
                if let Some(waiting) = self.waiting.get_mut(&job.class) {
                    waiting.retain(|other| *other != key);
                }
            }
        }
    }

    /// Takes a match from whoever had it, and has it wait again, before others; or gives it up. If
    /// a worker had it and was lost, it is named, with whether the match was the only one.
    fn lose(&mut self, key: JobKey, lost: Option<(&str, bool)>) {
        if let Some(id) = self.jobs.get_mut(&key).and_then(|job| job.batch.take()) {
            self.take_out(id, key);
        }
        let Some(job) = self.jobs.get_mut(&key) else { return };
        if let Some((worker, is_alone)) = lost {
            job.loss.count(worker, is_alone);
        }
        let (times, workers) = (job.loss.times, job.loss.workers.len() as u32);
        if times >= self.limits.losses_in_all || workers.min(times) >= self.limits.losses {
            let loss = std::mem::take(&mut job.loss);
            self.jobs.remove(&key);
            self.actions.give_up.push((key, loss));
        } else if self.is_stopped {
            self.jobs.remove(&key);
            self.actions.withdraw.push(key);
        } else {
            // It was not waiting while a worker had it.
            job.since = self.now;
            self.wait(key, true);
        }
    }
}
