//! The loop of a simulation: events in order of time, and what follows from each. `workers` has
//! what workers do.

mod workers;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
};

use agon_core::{Purpose, Rng, Seed};
use agon_match::spec::Digest;

use super::{
    carrier::{Carrier, Message},
    machine::Machine,
    report::Report,
    scenario::{self, Scenario},
};
use crate::fleet::{BatchId, Command, Coordinator, Event, JobKey, Speeds, WorkerEvent};

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
    Publish(u32, Message),
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

/// A straggler takes so many times as long.
const SLOWNESS: u64 = 3;

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
        let rng = Seed::plain(scenario.seed).stream(Purpose::Sample, 0);
        let key = |number: usize| JobKey(Digest::of(&(number as u64).to_le_bytes()));
        let keys: Vec<JobKey> = (0..scenario.matches).map(key).collect();
        let mut slow = Seed::plain(scenario.seed).stream(Purpose::Sample, 1);
        let slowness =
            |_| if slow.chance(scenario.stragglers.into(), 1_000_000) { SLOWNESS } else { 1 };
        let slowness: Vec<u64> = (0..scenario.workers).map(slowness).collect();
        let limits = scenario.worker_limits();
        let machine = |(number, slowness): (usize, &u64)| Machine::new(number, limits, *slowness);
        let speeds = slowness.iter().map(|slowness| scenario::FASTEST / *slowness as u32).collect();
        World {
            scenario,
            rng,
            now: 0,
            order: 0,
            heap: BinaryHeap::new(),
            events: BTreeMap::new(),
            coordinator: Coordinator::new(scenario::coordinator_limits(), 0),
            life: 0,
            carrier: Carrier::new(speeds),
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
        self.call_roll();
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
            Happening::Publish(life, message) => self.publish(life, message),
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
                self.carrier.pull(worker);
                self.deliver();
            }
            Happening::PullEnded(worker, life) => {
                self.carrier.end_pull(worker);
                if self.lives(worker, life) {
                    self.machines[worker].asked = 0;
                    self.ask(worker);
                }
            }
            Happening::Ended(worker, life, number, job, us) if self.lives(worker, life) => {
                self.ended(worker, number, job, us);
            }
            Happening::Rise(worker) => {
                self.machines[worker].rise(self.scenario.worker_limits());
                self.at(self.now, Happening::WorkerTick(worker));
            }
            Happening::CoordinatorTick => {
                self.submit();
                self.tell_speeds();
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

    /// The coordinator learns how fast workers are.
    fn tell_speeds(&mut self) {
        let slots = self.scenario.slots as u32;
        let living = self.machines.iter().filter(|machine| !machine.is_dead);
        let speed = |machine: &Machine| (scenario::FASTEST / machine.slowness as u32, slots);
        if !self.scenario.is_eager {
            let speeds = Speeds::of(living.map(speed));
            let by_class = (0..self.scenario.classes).map(|class| (class, speeds)).collect();
            self.learn_now(Event::Speeds { by_class });
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
        self.coordinator = Coordinator::new(scenario::coordinator_limits(), last);
        // It takes what the earlier one had published out of the carrier; some is under way.
        self.carrier.wipe();
        self.unsent = self.open.iter().rev().copied().collect();
        self.call_roll();
    }

    /// The coordinator wants to know which workers there are.
    fn call_roll(&mut self) {
        for worker in 0..self.machines.len() {
            let life = self.machines[worker].life;
            self.send(Happening::Worker(worker, life, WorkerEvent::RollCall));
        }
    }

    fn submit(&mut self) {
        while self.coordinator.open() < self.coordinator.wanted() {
            let Some(key) = self.unsent.pop() else { break };
            if !self.open.contains(&key) {
                continue;
            }
            self.submitted.entry(key).or_insert(self.now);
            // By a digit of a digest: classes come in no order.
            let digit = key.to_string().bytes().next().unwrap_or_default();
            let class = u32::from(digit) % self.scenario.classes;
            self.learn_now(Event::Submit { key, class });
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
            Command::Publish { batch, least_speed, jobs, .. } => {
                self.report.messages += 1;
                let message = Message { place: 0, batch, least_speed, jobs, deliveries: 0 };
                self.send(Happening::Publish(life, message));
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
            Command::Avoid { .. } | Command::Withdraw { .. } => {}
        }
    }

    fn publish(&mut self, life: u32, message: Message) {
        let batch = message.batch;
        let forgets = self.rng.chance(self.scenario.forget.into(), 1_000_000);
        let place = if forgets { self.carrier.forget() } else { self.carrier.publish(message) };
        self.send(Happening::Coordinator(life, Event::Carried { batch, place }));
        self.deliver();
    }

    fn deliver(&mut self) {
        while let Some((worker, message)) = self.carrier.deliver(self.now) {
            let life = self.machines[worker].life;
            self.send(Happening::Delivered(worker, life, message));
        }
    }
}
