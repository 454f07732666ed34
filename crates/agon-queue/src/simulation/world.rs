//! The loop of a simulation: events in order of time, and what follows from each.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
};

use agon_core::{Purpose, Rng, Seed};
use agon_spec::Digest;

use super::{
    carrier::{Carrier, Message},
    machine::Machine,
    report::Report,
    scenario::Scenario,
};
use crate::{
    BatchId, Beat, Command, Coordinator, Event, Held, JobKey, Limits, Result, Verdict,
    WorkerCommand, WorkerEvent, WorkerLimits,
};

/// Something that happens.
#[derive(Clone, Debug)]
enum Happening {
    /// The coordinator learns something, if it still lives its life of this number.
    Coordinator(u32, Event),
    /// Results come, which no life of a coordinator need be the first to see.
    Results(Event),
    /// The coordinator is done with what it did before.
    Learn(u32, Event),
    /// A batch reaches the carrier.
    Publish(u32, BatchId, Vec<JobKey>),
    Look(u32, BatchId, u64),
    Remove(u64),
    /// A worker of this life learns something.
    Worker(usize, u32, WorkerEvent),
    Delivered(usize, u32, Message),
    Progress(u64),
    Acknowledge(u64),
    Return(u64),
    Pulled(usize),
    /// A request for batches has ended, whether it was answered or not.
    PullEnded(usize, u32),
    /// A match ends on a worker.
    Ended(usize, u32, u64, u32, u64),
    Rise(usize),
    CoordinatorTick,
    WorkerTick(usize),
    CarrierTick,
    Wipe,
    Kill,
}

struct World<'a> {
    scenario: &'a Scenario,
    rng: Rng,
    now: u64,
    order: u64,
    heap: BinaryHeap<Reverse<(u64, u64)>>,
    events: BTreeMap<u64, Happening>,
    coordinator: Coordinator,
    /// The lives of the coordinator.
    life: u32,
    carrier: Carrier,
    machines: Vec<Machine>,
    /// What the journal lacks.
    open: BTreeSet<JobKey>,
    /// Matches that the coordinator does not have yet.
    unsent: Vec<JobKey>,
    submitted: BTreeMap<JobKey, u64>,
    deadly: BTreeSet<JobKey>,
    report: Report,
    slot_us: u64,
    /// Until when the coordinator is busy, in nanoseconds; and how long it was in all.
    busy_until: u64,
    busy: u64,
}

/// How long a request for batches waits for them, in microseconds.
const PULL: u64 = 10_000_000;

/// Plays a scenario to its end.
pub fn simulate(scenario: &Scenario) -> Report {
    let mut world = World::new(scenario);
    world.begin();
    world.run();
    let World { mut report, slot_us, now, .. } = world;
    report.took = now;
    let slots = (scenario.workers * scenario.slots) as u64;
    report.busy = slot_us.saturating_mul(1_000_000) / (now * slots).max(1);
    report.mostly_busy =
        report.mostly_us.saturating_mul(1_000_000) / (report.mostly * slots).max(1);
    report
}

impl<'a> World<'a> {
    fn new(scenario: &'a Scenario) -> World<'a> {
        let rng = Seed(scenario.seed).stream(Purpose::Sample, 0);
        let key = |number: usize| JobKey(Digest::of(&(number as u64).to_le_bytes()));
        let keys: Vec<JobKey> = (0..scenario.matches).map(key).collect();
        let limits = worker_limits(scenario);
        let mut slow = Seed(scenario.seed).stream(Purpose::Sample, 1);
        let slowness = |_| if slow.chance(scenario.stragglers.into(), 1_000_000) { 3 } else { 1 };
        let slowness: Vec<u64> = (0..scenario.workers).map(slowness).collect();
        let machine = |(number, slowness): (usize, &u64)| Machine::new(number, limits, *slowness);
        World {
            scenario,
            rng,
            now: 0,
            order: 0,
            heap: BinaryHeap::new(),
            events: BTreeMap::new(),
            coordinator: Coordinator::new(coordinator_limits(), 0),
            life: 0,
            carrier: Carrier::default(),
            machines: slowness.iter().enumerate().map(machine).collect(),
            open: keys.iter().copied().collect(),
            deadly: keys.iter().take(scenario.deadly).copied().collect(),
            unsent: keys.into_iter().rev().collect(),
            submitted: BTreeMap::new(),
            report: Report::default(),
            slot_us: 0,
            busy_until: 0,
            busy: 0,
        }
    }

    fn begin(&mut self) {
        for at in self.scenario.wipes.clone() {
            self.at(at, Happening::Wipe);
        }
        for at in self.scenario.kills.clone() {
            self.at(at, Happening::Kill);
        }
        for number in 0..self.machines.len() {
            // They do not all start at once.
            let at = self.rng.below(1_000_000);
            self.at(at, Happening::WorkerTick(number));
        }
        self.at(0, Happening::CoordinatorTick);
        self.at(0, Happening::CarrierTick);
    }

    fn run(&mut self) {
        while let Some(Reverse((time, order))) = self.heap.pop() {
            let happening = self.events.remove(&order).expect("each is there once");
            self.now = time;
            if self.open.is_empty() || time >= self.scenario.end {
                return;
            }
            self.happen(happening);
        }
    }

    fn at(&mut self, time: u64, happening: Happening) {
        self.order += 1;
        self.heap.push(Reverse((time.max(self.now), self.order)));
        self.events.insert(self.order, happening);
    }

    /// A message is on its way: it may be lost, take its time, or come twice.
    fn send(&mut self, happening: Happening) {
        let scenario = self.scenario;
        if self.rng.chance(scenario.loss.into(), 1_000_000) {
            return;
        }
        let copies = 1 + u32::from(self.rng.chance(scenario.repeat.into(), 1_000_000));
        for _ in 0..copies {
            let (least, most) = scenario.delay;
            let delay = least + self.rng.below(most - least + 1);
            self.at(self.now + delay, happening.clone());
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Coordinator(life, event) if life == self.life => self.learn(event),
            Happening::Results(event) => self.learn(event),
            Happening::Learn(life, event) if life == self.life => self.learn_now(event),
            Happening::Publish(life, batch, jobs) => self.publish(life, batch, jobs),
            Happening::Look(life, batch, place) => {
                let is_there = self.carrier.has(place);
                self.send(Happening::Coordinator(life, Event::Found { batch, is_there }));
            }
            Happening::Remove(place) => self.carrier.remove(place),
            Happening::Worker(worker, life, event) if self.lives(worker, life) => {
                self.tell(worker, event);
            }
            Happening::Delivered(worker, life, message) if self.lives(worker, life) => {
                self.arrived(worker, message);
            }
            Happening::Progress(place) => self.carrier.progress(self.now, place),
            Happening::Acknowledge(place) => self.carrier.acknowledge(place),
            Happening::Return(place) => self.carrier.give_back(place),
            Happening::Pulled(worker) => {
                self.carrier.pulls.push_back(worker);
                self.deliver();
            }
            Happening::PullEnded(worker, life) => {
                self.carrier.pulls.retain(|other| *other != worker);
                if self.lives(worker, life) {
                    self.machines[worker].asked = 0;
                    self.ask(worker);
                }
            }
            Happening::Ended(worker, life, number, job, us) if self.lives(worker, life) => {
                self.ended(worker, number, job, us);
            }
            Happening::Rise(worker) => {
                let limits = worker_limits(self.scenario);
                self.machines[worker].rise(limits);
                self.at(self.now, Happening::WorkerTick(worker));
            }
            Happening::CoordinatorTick => {
                self.submit();
                self.learn(Event::Tick);
                self.at(self.now + 1_000_000, Happening::CoordinatorTick);
            }
            Happening::WorkerTick(worker) => self.worker_tick(worker),
            Happening::CarrierTick => {
                self.carrier.expire(self.now);
                self.deliver();
                self.at(self.now + 250_000, Happening::CarrierTick);
            }
            Happening::Wipe => self.carrier.wipe(),
            Happening::Kill => self.kill(),
            _ => {}
        }
    }

    fn lives(&self, worker: usize, life: u32) -> bool {
        let machine = &self.machines[worker];
        !machine.is_dead && machine.life == life
    }

    /// The coordinator dies; the next one has the journal only.
    fn kill(&mut self) {
        self.life += 1;
        let last = u64::from(self.life) << 32;
        self.coordinator = Coordinator::new(coordinator_limits(), last);
        // It takes what the earlier one had published out of the carrier; some is under way.
        self.carrier.wipe();
        self.unsent = self.open.iter().rev().copied().collect();
    }

    fn submit(&mut self) {
        while self.coordinator.open() < self.coordinator.wanted() {
            let Some(key) = self.unsent.pop() else { break };
            if !self.open.contains(&key) {
                continue;
            }
            self.submitted.entry(key).or_insert(self.now);
            self.learn_now(Event::Submit { key, class: 0 });
        }
        self.learn_now(Event::Flush);
    }

    /// The coordinator learns something, once it is free.
    fn learn(&mut self, event: Event) {
        self.report.messages += 1;
        if self.scenario.coordinator_ns == 0 {
            return self.learn_now(event);
        }
        let began = (self.now * 1_000).max(self.busy_until);
        self.busy_until = began + self.scenario.coordinator_ns;
        self.busy += self.scenario.coordinator_ns;
        self.at(self.busy_until / 1_000, Happening::Learn(self.life, event));
    }

    fn learn_now(&mut self, event: Event) {
        let is_result = matches!(event, Event::Results { .. });
        for command in self.coordinator.learn(self.now / 1_000, event) {
            self.command(command);
        }
        if is_result {
            self.submit();
        }
    }

    fn command(&mut self, command: Command) {
        let life = self.life;
        match command {
            Command::Publish { batch, jobs, .. } => {
                self.report.messages += 1;
                self.send(Happening::Publish(life, batch, jobs));
            }
            Command::Look { batch, place } => self.send(Happening::Look(life, batch, place)),
            Command::Remove { place, .. } => self.send(Happening::Remove(place)),
            Command::Deliver { key } => {
                self.open.remove(&key);
                *self.report.counted.entry(key).or_default() += 1;
                let since = self.submitted.get(&key).copied().unwrap_or(self.now);
                self.report.turnaround.add(self.now - since);
                if self.report.counted.len() * 20 <= self.scenario.matches * 19 {
                    self.report.mostly = self.now;
                    self.report.mostly_us = self.slot_us;
                    self.report.coordinator = self.busy.saturating_mul(1_000) / self.now.max(1);
                }
            }
            Command::Quarantine { key, .. } => {
                self.open.remove(&key);
                self.report.quarantined.push(key);
            }
            Command::Withdraw { .. } => {}
        }
    }

    fn publish(&mut self, life: u32, batch: BatchId, jobs: Vec<JobKey>) {
        let forgets = self.rng.chance(self.scenario.forget.into(), 1_000_000);
        let place = if forgets { self.carrier.forget() } else { self.carrier.publish(batch, jobs) };
        self.send(Happening::Coordinator(life, Event::Carried { batch, place }));
        self.deliver();
    }

    fn deliver(&mut self) {
        while let Some((worker, message)) = self.carrier.deliver(self.now) {
            let life = self.machines[worker].life;
            self.send(Happening::Delivered(worker, life, message));
        }
    }

    /// Asks the carrier for as many batches as the worker wants and has not asked for.
    fn ask(&mut self, worker: usize) {
        let machine = &mut self.machines[worker];
        let more = machine.wanting().saturating_sub(machine.asked);
        machine.asked += more;
        let life = machine.life;
        (0..more).for_each(|_| self.send(Happening::Pulled(worker)));
        if more > 0 {
            self.at(self.now + PULL, Happening::PullEnded(worker, life));
        }
    }

    fn arrived(&mut self, worker: usize, message: Message) {
        let held = Held { batch: message.batch, delivery: message.deliveries };
        let jobs = message.jobs.len() as u32;
        let number = self.machines[worker].take(message);
        self.tell(worker, WorkerEvent::Arrived { number, run: 0, held, jobs });
    }

    fn ended(&mut self, worker: usize, number: u64, job: u32, us: u64) {
        self.report.played += 1;
        self.slot_us += us;
        if let Some(taken) = self.machines[worker].batches.get_mut(&number) {
            let key = taken.message.jobs[job as usize];
            taken.results.push((key, us));
        }
        self.tell(worker, WorkerEvent::Over { number, job, us });
    }

    fn worker_tick(&mut self, worker: usize) {
        if self.machines[worker].is_dead {
            return;
        }
        self.tell(worker, WorkerEvent::Tick);
        self.at(self.now + 1_000_000, Happening::WorkerTick(worker));
    }

    fn tell(&mut self, worker: usize, event: WorkerEvent) {
        let machine = &mut self.machines[worker];
        if machine.stalled > self.now {
            let (until, life) = (machine.stalled, machine.life);
            self.at(until, Happening::Worker(worker, life, event));
            return;
        }
        for command in machine.state.learn(self.now / 1_000, event) {
            self.obey(worker, command);
        }
    }

    fn obey(&mut self, worker: usize, command: WorkerCommand) {
        let life = self.machines[worker].life;
        let place = |machine: &Machine, number| {
            machine.batches.get(number).map(|taken| taken.message.place)
        };
        match command {
            WorkerCommand::Want { batches, arrived } => {
                self.machines[worker].wanted = (batches, arrived);
                self.ask(worker);
            }
            WorkerCommand::Prepare { number } => {
                self.at(self.now, Happening::Worker(worker, life, WorkerEvent::Ready { number }));
            }
            WorkerCommand::Play { number, job } => self.play(worker, number, job),
            WorkerCommand::Report { number } => self.send_results(worker, number),
            WorkerCommand::Progress { number } => {
                if let Some(place) = place(&self.machines[worker], &number) {
                    self.send(Happening::Progress(place));
                }
            }
            WorkerCommand::Acknowledge { number } | WorkerCommand::Return { number } => {
                if let Some(taken) = self.machines[worker].batches.remove(&number) {
                    let place = taken.message.place;
                    self.send(match command {
                        WorkerCommand::Return { .. } => Happening::Return(place),
                        _ => Happening::Acknowledge(place),
                    });
                }
            }
            WorkerCommand::Beat => {
                let machine = &self.machines[worker];
                let beat = Beat {
                    worker: machine.name(),
                    slots: self.scenario.slots as u32,
                    held: machine.state.held(0),
                    returned: Vec::new(),
                };
                self.send(Happening::Coordinator(self.life, Event::Beat(beat)));
            }
            WorkerCommand::End => {}
        }
    }

    fn play(&mut self, worker: usize, number: u64, job: u32) {
        let (least, usual) = self.scenario.service;
        let us = least + exponential(&mut self.rng, usual);
        let us = us * self.machines[worker].slowness;
        let key = self.machines[worker].batches.get(&number).map(|t| t.message.jobs[job as usize]);
        let is_deadly = key.is_some_and(|key| self.deadly.contains(&key));
        if is_deadly || self.rng.chance(self.scenario.deaths.into(), 1_000_000) {
            self.machines[worker].die();
            self.at(self.now + 10_000_000, Happening::Rise(worker));
            return;
        }
        if self.rng.chance(self.scenario.stalls.into(), 1_000_000) {
            self.machines[worker].stalled = self.now + 60_000_000;
        }
        let life = self.machines[worker].life;
        self.at(self.now + us, Happening::Ended(worker, life, number, job, us));
    }

    fn send_results(&mut self, worker: usize, number: u64) {
        let machine = &mut self.machines[worker];
        let Some(taken) = machine.batches.get_mut(&number) else { return };
        let results = std::mem::take(&mut taken.results);
        let count = results.len() as u32;
        let (name, life) = (machine.name(), machine.life);
        let results = results
            .into_iter()
            .map(|(key, us)| Result { key, verdict: Verdict::Over, us })
            .collect();
        // The worker is told that the carrier has them, even if they are lost afterwards.
        self.send(Happening::Results(Event::Results { worker: name, results }));
        let reported = WorkerEvent::Reported { number, results: count };
        let (_, most) = self.scenario.delay;
        self.at(self.now + most, Happening::Worker(worker, life, reported));
    }
}

/// The limits of the real one; more matches may be carried, for thousands of machines.
fn coordinator_limits() -> Limits {
    Limits { carried: 200_000, ..Limits::default() }
}

fn worker_limits(scenario: &Scenario) -> WorkerLimits {
    WorkerLimits { slots: scenario.slots, gather: 150, short: 1_000, beat: 4_000 }
}

/// Draws an exponentially distributed time with this mean.
fn exponential(rng: &mut Rng, mean: u64) -> u64 {
    // In steps of a 64th of a halving: the geometric distribution is the discrete one.
    let mut halvings = 0;
    while rng.chance(1, 2) && halvings < 40 {
        halvings += 1;
    }
    (mean * halvings + rng.below(mean.max(1))) * 2 / 3
}
