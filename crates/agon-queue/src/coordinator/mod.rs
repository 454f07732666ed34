//! The coordinator of a run: forms batches of its matches, follows them, and takes each result
//! once.
//!
//! It has neither a clock nor I/O: whoever drives it tells it the time with each event, and does
//! what its commands say. `agon-remote` drives it over NATS, tests over a simulated carrier.
//!
//! ```text
//! waiting ──> in a batch ──> over
//!    ↑            │ └──> claimed by a volunteer ──> over
//!    ├── checked ─│──────┘
//!    └── lost ────┴──> in quarantine
//! ```

mod batch;
mod batches;
mod claim;
mod claims;
mod events;
mod kind;
mod limits;
mod pace;
mod publishing;
mod speeds;
mod tail;
mod volunteers;
mod waiting;
mod workers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use self::{
    batch::Batch, claim::Claim, kind::Kind, pace::Pace, volunteers::Volunteers, workers::Workers,
};
pub use self::{
    events::{BatchId, Beat, Command, Event, Exclusion, Held, Loss, Result, Verdict},
    limits::Limits,
    speeds::Speeds,
    volunteers::VolunteerStatus,
};
use crate::{Audience, JobKey, Owner, Terms};

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
    /// Results of volunteers that wait for a later check.
    pub held: u64,
    /// Matches that were played again to check a volunteer's result.
    pub checks: u64,
    /// Volunteers that take part no more.
    pub excluded: u64,
}

/// The coordinator of a run.
#[derive(Debug)]
pub struct Coordinator {
    limits: Limits,
    jobs: BTreeMap<JobKey, Job>,
    /// Matches that are in no batch, by what they travel with.
    waiting: BTreeMap<Kind, VecDeque<JobKey>>,
    batches: BTreeMap<BatchId, Batch>,
    /// The matches of all batches, by audience and class.
    carried: BTreeMap<(Audience, u32), usize>,
    /// Until when the carrier gets no batch, because it has refused one.
    refused_until: u64,
    /// How long the last such pause was, in milliseconds; 0 if it has taken one since.
    refusal_pause: u64,
    last_batch: BatchId,
    workers: Workers,
    volunteers: Volunteers,
    /// Classes whose matches no trusted worker can play.
    unable: BTreeSet<u32>,
    /// Whether there is room for results that are not checked yet.
    has_room: bool,
    pace: BTreeMap<u32, Pace>,
    /// How fast the trusted workers are that can play matches of a class.
    speeds: BTreeMap<u32, Speeds>,
    is_stopped: bool,
    /// Since when it hears workers, and when it learned something last.
    began: Option<u64>,
    now: u64,
    status: Status,
}

/// A match that is not over.
#[derive(Clone, Debug)]
struct Job {
    class: u32,
    terms: Terms,
    /// Where it waits, if it does.
    waits_at: Option<Kind>,
    /// When it was submitted.
    since: u64,
    /// The batch that has it; of several, the last one.
    batch: Option<BatchId>,
    loss: Loss,
    /// Whether slow workers get it, too, although it is one of the last.
    is_for_all: bool,
    /// Whether it vanished at volunteers: trusted workers are asked first then.
    was_dropped: bool,
    /// Volunteers that lost it, or could not play it.
    lost_by: Vec<String>,
    /// What volunteers have said came of it.
    claims: Vec<Claim>,
}

impl Coordinator {
    /// Makes a coordinator without matches, whose batches have numbers after `last_batch`. The
    /// secret decides which results of volunteers are checked.
    pub fn new(limits: Limits, last_batch: BatchId, secret: u64) -> Coordinator {
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
            volunteers: Volunteers::new(secret),
            unable: BTreeSet::new(),
            has_room: true,
            pace: BTreeMap::new(),
            speeds: BTreeMap::new(),
            is_stopped: false,
            began: None,
            now: 0,
            status: Status::default(),
        }
    }

    /// Learns something at a time in milliseconds, and returns what is to be done. The time never
    /// goes back; where it starts does not matter.
    pub fn learn(&mut self, now: u64, event: Event) -> Vec<Command> {
        self.began.get_or_insert(now);
        self.now = now;
        let mut commands = Vec::new();
        match event {
            Event::Submit { key, class, terms } => {
                // Others follow, with which it may travel.
                self.submit(now, key, class, terms, &mut commands);
                return commands;
            }
            Event::Flush => {}
            Event::Stop => self.stop(&mut commands),
            Event::GiveUp { key } => self.give_up(now, key, &mut commands),
            Event::ResultLost { key } => {
                let is_played = self.jobs.get(&key).is_some_and(|job| job.batch.is_some());
                if is_played {
                    self.detach(now, key);
                    let lost = Some((ON_THE_WAY, &Owner::Trusted, true));
                    self.lose(now, key, lost, &mut commands);
                }
            }
            Event::Beat(beat) => self.beat(now, beat, &mut commands),
            Event::Results { worker, owner, results } => {
                self.results(now, &worker, &owner, &results, &mut commands);
            }
            Event::Carried { batch, place } => self.carried(now, batch, place, &mut commands),
            Event::Refused { batch } => self.refused(now, batch, &mut commands),
            Event::Found { batch, is_there } => self.found(now, batch, is_there, &mut commands),
            Event::Volunteers { unable, has_room } => {
                self.unable = unable;
                self.has_room = has_room;
            }
            Event::Speeds { by_class } => self.speeds = by_class,
            Event::Back => {
                // Workers may be there again that have not reported yet.
                self.began = Some(now);
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
        // As many again wait here, whatever the carrier has of all classes; results that wait for a
        // check keep nobody busy.
        let depths = [Audience::Trusted, Audience::Everybody].map(|of| self.greatest_depth(of));
        let depth = depths[0].max(depths[1]);
        self.all_carried().max(depth) + depth.max(32) + self.volunteers.open()
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
        let held = self.volunteers.held() as u64;
        let taken = self.batches.values().filter(|batch| batch.holder.is_some());
        Status {
            taken: taken.map(|batch| batch.jobs.len() as u64).sum(),
            workers: self.workers.count(),
            slots: self.workers.slots(),
            waiting: (self.jobs.len() as u64).saturating_sub(carried + held),
            carried,
            held,
            ..self.status
        }
    }

    /// Returns for how long, in milliseconds, the first of those matches waits that no worker has.
    pub fn oldest(&self, now: u64) -> Option<u64> {
        let has_worker =
            |batch: BatchId| self.batches.get(&batch).is_some_and(|batch| batch.holder.is_some());
        let is_free = |job: &&Job| match job.batch {
            Some(batch) => !has_worker(batch),
            None => job.waits_at.is_some(),
        };
        let free = self.jobs.values().filter(is_free);
        free.map(|job| now.saturating_sub(job.since)).max()
    }

    /// Returns how volunteers fare, in order of their names.
    pub fn volunteers(&self) -> Vec<VolunteerStatus> {
        self.volunteers.status()
    }

    /// Returns whether matches wait that no trusted worker can play, nor any of these volunteers:
    /// all of them have played or lost them.
    pub fn is_stuck(&self, owners: &BTreeSet<&str>) -> bool {
        let all_avoid = |kind: &Kind| {
            kind.audience.is_open()
                && !self.has_trusted(kind.class)
                && !kind.avoid.is_empty()
                && owners.iter().all(|owner| kind.avoid.iter().any(|name| name == owner))
        };
        self.waiting.iter().any(|(kind, keys)| !keys.is_empty() && all_avoid(kind))
            || self.batches.values().any(|of| of.holder.is_none() && all_avoid(&of.kind))
    }

    fn submit(
        &mut self,
        now: u64,
        key: JobKey,
        class: u32,
        terms: Terms,
        commands: &mut Vec<Command>,
    ) {
        if self.is_stopped {
            commands.push(Command::Withdraw { key });
            return;
        }
        let loss = Loss { times: 0, workers: Vec::new() };
        let job = Job {
            class,
            terms,
            waits_at: None,
            since: now,
            batch: None,
            loss,
            is_for_all: false,
            was_dropped: false,
            lost_by: Vec::new(),
            claims: Vec::new(),
        };
        let before = self.jobs.insert(key, job);
        debug_assert!(before.is_none(), "each match is submitted once");
        self.wait(key, false);
    }

    fn stop(&mut self, commands: &mut Vec<Command>) {
        self.is_stopped = true;
        let waiting = std::mem::take(&mut self.waiting);
        let mut gone: Vec<JobKey> = waiting.into_values().flatten().collect();
        // What volunteers have said and nobody has checked does not count.
        let is_held = |job: &Job| job.batch.is_none() && job.waits_at.is_none();
        gone.extend(self.jobs.iter().filter(|(_, job)| is_held(job)).map(|(key, _)| *key));
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
            self.drop_claims(key, commands);
            if self.jobs.remove(&key).is_some() {
                commands.push(Command::Withdraw { key });
            }
        }
    }

    /// Takes a match back, whoever has it. If a worker plays it, its result is dropped.
    fn give_up(&mut self, now: u64, key: JobKey, commands: &mut Vec<Command>) {
        self.drop_claims(key, commands);
        let Some(job) = self.jobs.get(&key) else { return };
        match job.batch {
            None => self.unqueue(key),
            Some(id) => {
                let batch = self.batches.get(&id);
                let free = batch.filter(|of| of.jobs.len() == 1 && of.holder.is_none());
                let place = free.and_then(|of| of.place);
                commands.extend(place.map(|place| Command::Remove { batch: id, place }));
                self.take_out(now, id, key);
            }
        }
        self.jobs.remove(&key);
        commands.push(Command::Withdraw { key });
    }

    fn results(
        &mut self,
        now: u64,
        worker: &str,
        owner: &Owner,
        results: &[Result],
        commands: &mut Vec<Command>,
    ) {
        if let Owner::Volunteer(name) = owner
            && !self.volunteers.take_part(name)
        {
            self.status.again += results.len() as u64;
            return;
        }
        self.workers.heard(now, worker, owner);
        for result in results {
            let Some(job) = self.jobs.get(&result.key) else {
                self.status.again += 1;
                continue;
            };
            let class = job.class;
            if result.verdict == Verdict::Over {
                let pace = self.pace.entry(class).or_default();
                pace.took(result.us, !owner.is_volunteer());
            }
            match (owner, result.verdict) {
                (Owner::Volunteer(owner), _) => self.claim(now, owner, result, commands),
                (Owner::Trusted, Verdict::Over) => {
                    self.status.checks += u64::from(!job.claims.is_empty());
                    self.detach(now, result.key);
                    self.settle(now, result.key, result.digest, None, commands);
                }
                // Otherwise somebody else has it, or has played it already.
                (Owner::Trusted, Verdict::Lacking) if job.batch.is_some() => {
                    self.detach(now, result.key);
                    self.lose(now, result.key, Some((worker, owner, true)), commands);
                }
                (Owner::Trusted, Verdict::Lacking) => self.status.again += 1,
            }
        }
    }

    /// Has a match wait again, before others; or gives it up. If a worker had it and was lost, it
    /// is named with its owner, and with whether the match was the only one.
    fn lose(
        &mut self,
        now: u64,
        key: JobKey,
        lost: Option<(&str, &Owner, bool)>,
        commands: &mut Vec<Command>,
    ) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        job.batch = None;
        match lost {
            Some((worker, Owner::Trusted, is_alone)) => job.loss.count(worker, is_alone),
            // Volunteers alone cannot have a match given up.
            Some((_, Owner::Volunteer(owner), _)) => {
                job.was_dropped = true;
                if !job.lost_by.contains(owner) {
                    job.lost_by.push(owner.clone());
                }
            }
            None => {}
        }
        let workers = job.loss.workers.len() as u32;
        let limits = self.limits;
        if job.loss.times >= limits.losses_in_all || workers.min(job.loss.times) >= limits.losses {
            let loss = job.loss.clone();
            self.drop_claims(key, commands);
            self.jobs.remove(&key);
            commands.push(Command::Quarantine { key, loss });
        } else if self.is_stopped {
            self.drop_claims(key, commands);
            self.jobs.remove(&key);
            commands.push(Command::Withdraw { key });
        } else {
            // It was not waiting while a worker had it.
            job.since = now;
            self.wait(key, true);
        }
    }
}
