//! A run on many machines as a simulation: the real coordinator and real workers, with a carrier
//! that loses, repeats, reorders and forgets, as NATS JetStream may.
//!
//! All happens in virtual time, in an order that depends on the seed alone. Times are in
//! microseconds unless a name says otherwise.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use agon_core::{Purpose, Rng, Seed};
use agon_match::spec::Digest;
use agon_remote::fleet::{
    Actions, BatchId, Beat, Coordinator, Held, JobKey, Limits, NewBatch, Wanted, WorkerActions,
    WorkerState,
};

/// How long a request for batches waits for them.
const PULL: u64 = 10_000_000;

/// How long a delivery may go without a word.
const ACK_WAIT: u64 = 12_000_000;

/// What is simulated. Probabilities are in millionths.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// What decides all that is random.
    pub(crate) seed: u64,
    pub(crate) workers: usize,
    /// The slots of each worker.
    pub(crate) slots: usize,
    /// How many matches are to be played.
    pub(crate) matches: usize,
    /// Their classes; all workers can play all of them.
    pub(crate) classes: u32,
    /// How long a match takes: the least, and the usual length beyond it. The tail is exponential.
    pub(crate) service: (u64, u64),
    /// A message takes so long, at least and at most.
    pub(crate) delay: (u64, u64),
    /// A message between coordinator and worker is lost.
    pub(crate) loss: u32,
    /// A message is delivered twice.
    pub(crate) repeat: u32,
    /// What the carrier has acknowledged is forgotten.
    pub(crate) forget: u32,
    /// All that the carrier has is forgotten at these times.
    pub(crate) wipes: Vec<u64>,
    /// A worker dies in a match, and starts again after ten seconds.
    pub(crate) deaths: u32,
    /// A worker stands still in a match, for a minute.
    pub(crate) stalls: u32,
    /// A worker takes three times as long as others.
    pub(crate) stragglers: u32,
    /// The coordinator dies at these times, and another one goes on with its journal.
    pub(crate) kills: Vec<u64>,
    /// Matches that kill each worker that plays them.
    pub(crate) deadly: usize,
    /// What the coordinator and the carrier need for a message, in nanoseconds: the first
    /// bottleneck.
    pub(crate) coordinator_ns: u64,
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            seed: 1,
            workers: 8,
            slots: 2,
            matches: 2_000,
            classes: 1,
            service: (1_000, 20_000),
            delay: (200, 2_000),
            loss: 0,
            repeat: 0,
            forget: 0,
            wipes: Vec::new(),
            deaths: 0,
            stalls: 0,
            stragglers: 0,
            kills: Vec::new(),
            deadly: 0,
            coordinator_ns: 0,
        }
    }
}

/// What came of a simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// How often each match was counted: in a right run, once.
    pub(crate) counted: BTreeMap<JobKey, u32>,
    /// Matches that were given up.
    pub(crate) given_up: Vec<JobKey>,
    /// When the last match was over; the end, if some are open.
    pub(crate) took: u64,
    /// When 95 % of the matches were over. The last ones may wait for something that was lost.
    pub(crate) mostly: u64,
    /// How busy the slots were until then, in millionths.
    pub(crate) mostly_busy: u64,
    /// Matches that workers have played, counting those that were played again.
    pub(crate) played: u64,
    /// From the submission of each match to its result, sorted.
    pub(crate) turnaround: Vec<u64>,
    /// How busy the slots were, in millionths.
    pub(crate) busy: u64,
    /// How busy the coordinator was until 95 % were over, in millionths.
    pub(crate) coordinator: u64,
    /// Messages from and to the coordinator.
    pub(crate) messages: u64,
}

/// Something that happens; what is delivered twice happens twice.
type Happening = Rc<dyn Fn(&mut World)>;

/// A batch in the carrier.
#[derive(Clone)]
struct Message {
    place: u64,
    batch: BatchId,
    jobs: Vec<JobKey>,
    deliveries: u32,
}

/// Queues of batches, which are delivered again unless they are acknowledged.
#[derive(Default)]
struct Carrier {
    last: u64,
    waiting: VecDeque<Message>,
    /// Deliveries that were not acknowledged yet, and until when they may be.
    delivered: BTreeMap<u64, (Message, u64)>,
    /// Workers that wait for a batch, in order, and for how many each does.
    pulls: VecDeque<usize>,
    pulls_of: BTreeMap<usize, usize>,
}

/// A worker: the real one, whose matches take time.
struct Machine {
    state: WorkerState,
    /// Its batches, each with results that were not sent, and how long these matches took.
    batches: BTreeMap<u64, (Message, Vec<(JobKey, u64)>)>,
    last: u64,
    wanted: Wanted,
    /// Batches that have come in this life.
    handed: u64,
    /// Batches that it has asked for.
    asked: u32,
    /// Counts its lives: what an earlier one had begun does not matter.
    life: u32,
    is_dead: bool,
    /// It stands still until then.
    stalled: u64,
    /// Its matches take so many times as long.
    slowness: u64,
}

struct World {
    scenario: Scenario,
    rng: Rng,
    now: u64,
    /// What happens, by its time and its number.
    events: BTreeMap<(u64, u64), Happening>,
    last: u64,
    coordinator: Coordinator,
    /// Counts the lives of the coordinator.
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

/// Plays a scenario to its end, or until an hour is over.
pub(crate) fn simulate(scenario: &Scenario) -> Report {
    let mut world = World::new(scenario.clone());
    world.begin();
    while let Some(((time, _), event)) = world.events.pop_first() {
        world.now = time;
        if world.open.is_empty() || time >= 3_600_000_000 {
            break;
        }
        event(&mut world);
    }
    let World { mut report, slot_us, now, .. } = world;
    report.took = now;
    report.turnaround.sort_unstable();
    let slots = (scenario.workers * scenario.slots) as u64;
    report.busy = slot_us.saturating_mul(1_000_000) / (now * slots).max(1);
    report
}

impl Machine {
    fn new(slots: usize, slowness: u64) -> Machine {
        Machine {
            state: WorkerState::new(slots, 0),
            batches: BTreeMap::new(),
            last: 0,
            wanted: Wanted::default(),
            handed: 0,
            asked: 0,
            life: 0,
            is_dead: false,
            stalled: 0,
            slowness,
        }
    }
}

impl Carrier {
    /// Takes back a delivery: others get it.
    fn give_back(&mut self, place: u64) {
        if let Some((message, _)) = self.delivered.remove(&place) {
            self.waiting.push_front(message);
        }
    }

    /// A worker does not wait any more.
    fn end_pull(&mut self, worker: usize) {
        // Most of the time it does not wait: the list is long.
        if self.pulls_of.remove(&worker).is_some_and(|count| count > 0) {
            self.pulls.retain(|other| *other != worker);
        }
    }
}

impl World {
    fn new(scenario: Scenario) -> World {
        let key = |number: usize| JobKey(Digest::of(&(number as u64).to_le_bytes()));
        let keys: Vec<JobKey> = (0..scenario.matches).map(key).collect();
        let mut slow = Seed::plain(scenario.seed).stream(Purpose::Sample, 1);
        let machine = |_| {
            let is_slow = slow.chance(scenario.stragglers.into(), 1_000_000);
            Machine::new(scenario.slots, if is_slow { 3 } else { 1 })
        };
        World {
            rng: Seed::plain(scenario.seed).stream(Purpose::Sample, 0),
            now: 0,
            events: BTreeMap::new(),
            last: 0,
            coordinator: coordinator(0),
            life: 0,
            carrier: Carrier::default(),
            machines: (0..scenario.workers).map(machine).collect(),
            open: keys.iter().copied().collect(),
            deadly: keys.iter().take(scenario.deadly).copied().collect(),
            unsent: keys.into_iter().rev().collect(),
            submitted: BTreeMap::new(),
            report: Report::default(),
            slot_us: 0,
            busy_until: 0,
            busy: 0,
            scenario,
        }
    }

    fn begin(&mut self) {
        for at in self.scenario.wipes.clone() {
            self.at(at, World::wipe);
        }
        for at in self.scenario.kills.clone() {
            self.at(at, World::kill);
        }
        for worker in 0..self.machines.len() {
            // They do not all start at once.
            let at = self.rng.below(1_000_000);
            self.at(at, move |world| world.worker_tick(worker));
        }
        self.at(0, World::coordinator_tick);
        self.call_roll();
        self.at(0, World::carrier_tick);
    }

    fn at(&mut self, time: u64, event: impl Fn(&mut World) + 'static) {
        self.last += 1;
        self.events.insert((time.max(self.now), self.last), Rc::new(event));
    }

    /// A message is on its way: it may be lost, take its time, or come twice.
    fn send(&mut self, event: impl Fn(&mut World) + 'static) {
        let event = Rc::new(event);
        let Scenario { loss, repeat, delay: (least, most), .. } = self.scenario;
        if self.rng.chance(loss.into(), 1_000_000) {
            return;
        }
        let copies = 1 + u32::from(self.rng.chance(repeat.into(), 1_000_000));
        for _ in 0..copies {
            let delay = least + self.rng.below(most - least + 1);
            let event = Rc::clone(&event);
            self.at(self.now + delay, move |world| event(world));
        }
    }

    // The coordinator.

    /// Returns something that the coordinator learns, if it still lives the same life.
    fn of_leader<E>(&self, event: E) -> impl Fn(&mut World) + use<E>
    where
        E: Fn(&mut World) + 'static,
    {
        let (life, event) = (self.life, Rc::new(event));
        move |world| {
            if world.life == life {
                let event = Rc::clone(&event);
                world.learn(move |world| event(world));
            }
        }
    }

    /// The coordinator learns something, once it is free.
    fn learn(&mut self, event: impl Fn(&mut World) + 'static) {
        self.report.messages += 1;
        if self.scenario.coordinator_ns == 0 {
            event(self);
            return self.act();
        }
        let began = (self.now * 1_000).max(self.busy_until);
        self.busy_until = began + self.scenario.coordinator_ns;
        self.busy += self.scenario.coordinator_ns;
        let life = self.life;
        self.at(self.busy_until / 1_000, move |world| {
            if world.life == life {
                event(world);
                world.act();
            }
        });
    }

    fn coordinator(&mut self) -> &mut Coordinator {
        self.coordinator.at(self.now / 1_000)
    }

    fn act(&mut self) {
        let Actions { publish, look, remove, give_up, .. } = self.coordinator().actions();
        for (batch, place) in look {
            let look = move |world: &mut World| {
                let of = &world.carrier;
                let is_there = of.delivered.contains_key(&place)
                    || of.waiting.iter().any(|message| message.place == place);
                let found =
                    world.of_leader(move |world| world.coordinator().found(batch, is_there));
                world.send(found);
            };
            self.send(look);
        }
        for (_, place) in remove {
            self.send(move |world| {
                world.carrier.delivered.remove(&place);
                world.carrier.waiting.retain(|message| message.place != place);
            });
        }
        for NewBatch { batch, jobs, .. } in publish {
            self.report.messages += 1;
            let life = self.life;
            self.send(move |world| world.publish(life, batch, jobs.clone()));
        }
        for (key, _) in give_up {
            self.open.remove(&key);
            self.report.given_up.push(key);
        }
    }

    fn coordinator_tick(&mut self) {
        self.submit();
        self.learn(|world| world.coordinator().tick());
        self.at(self.now + 1_000_000, World::coordinator_tick);
    }

    fn submit(&mut self) {
        while self.coordinator.open() < self.coordinator.wanted() {
            let Some(key) = self.unsent.pop() else { break };
            if !self.open.contains(&key) {
                continue;
            }
            self.submitted.entry(key).or_insert(self.now);
            // By a digit of a digest: classes come in no order.
            let digit = key.0.to_string().bytes().next().unwrap_or_default();
            let class = u32::from(digit) % self.scenario.classes;
            self.coordinator().submit(key, class);
        }
        self.act();
    }

    /// Results come, which no life of a coordinator need be the first to see.
    fn results(&mut self, worker: &str, results: &[(JobKey, u64)]) {
        for &(key, us) in results {
            if !self.coordinator().over(worker, key, us) {
                continue;
            }
            self.open.remove(&key);
            *self.report.counted.entry(key).or_default() += 1;
            let since = self.submitted.get(&key).copied().unwrap_or(self.now);
            self.report.turnaround.push(self.now - since);
            if self.report.counted.len() * 20 <= self.scenario.matches * 19 {
                let slots = (self.scenario.workers * self.scenario.slots) as u64;
                self.report.mostly = self.now;
                self.report.mostly_busy =
                    self.slot_us.saturating_mul(1_000_000) / (self.now * slots).max(1);
                self.report.coordinator = self.busy.saturating_mul(1_000) / self.now.max(1);
            }
        }
        self.act();
        self.submit();
    }

    /// The coordinator dies; the next one has the journal only.
    fn kill(&mut self) {
        self.life += 1;
        self.coordinator = coordinator(u64::from(self.life) << 32);
        // It takes what the earlier one had published out of the carrier; some is under way.
        self.wipe();
        self.unsent = self.open.iter().rev().copied().collect();
        self.call_roll();
    }

    /// The coordinator wants to know which workers there are.
    fn call_roll(&mut self) {
        for worker in 0..self.machines.len() {
            let tell = move |world: &mut World| world.tell(worker, WorkerState::roll_call);
            let roll_call = self.of_living(worker, tell);
            self.send(roll_call);
        }
    }

    // The carrier.

    fn publish(&mut self, life: u32, batch: BatchId, jobs: Vec<JobKey>) {
        self.carrier.last += 1;
        let place = self.carrier.last;
        // It has acknowledged, and may forget.
        if !self.rng.chance(self.scenario.forget.into(), 1_000_000) {
            self.carrier.waiting.push_back(Message { place, batch, jobs, deliveries: 0 });
        }
        self.send(move |world| {
            if world.life == life {
                world.learn(move |world| world.coordinator().carried(batch, place));
            }
        });
        self.deliver();
    }

    fn deliver(&mut self) {
        while !self.carrier.pulls.is_empty()
            && let Some(mut message) = self.carrier.waiting.pop_front()
            && let Some(worker) = self.carrier.pulls.pop_front()
        {
            *self.carrier.pulls_of.entry(worker).or_insert(1) -= 1;
            message.deliveries += 1;
            let until = self.now + ACK_WAIT;
            self.carrier.delivered.insert(message.place, (message.clone(), until));
            let delivery =
                self.of_living(worker, move |world| world.arrived(worker, message.clone()));
            self.send(delivery);
        }
    }

    fn carrier_tick(&mut self) {
        let now = self.now;
        let delivered = self.carrier.delivered.iter();
        let late: Vec<u64> =
            delivered.filter(|(_, (_, until))| *until <= now).map(|(place, _)| *place).collect();
        late.into_iter().for_each(|place| self.carrier.give_back(place));
        self.deliver();
        self.at(self.now + 250_000, World::carrier_tick);
    }

    fn wipe(&mut self) {
        self.carrier.waiting.clear();
        self.carrier.delivered.clear();
    }

    // Workers.

    /// Returns something that happens to a worker, if it still lives the same life.
    fn of_living<E>(&self, worker: usize, event: E) -> impl Fn(&mut World) + use<E>
    where
        E: Fn(&mut World) + 'static,
    {
        let life = self.machines[worker].life;
        move |world| {
            let machine = &world.machines[worker];
            if !machine.is_dead && machine.life == life {
                event(world);
            }
        }
    }

    fn worker_tick(&mut self, worker: usize) {
        if !self.machines[worker].is_dead {
            self.tell(worker, |_, _| {});
            self.at(self.now + 1_000_000, move |world| world.worker_tick(worker));
        }
    }

    /// A worker learns something, as soon as it does not stand still.
    fn tell(&mut self, worker: usize, news: impl Fn(&mut WorkerState, u64) + Clone + 'static) {
        let until = self.machines[worker].stalled;
        if until > self.now {
            let later = self.of_living(worker, move |world| world.tell(worker, news.clone()));
            return self.at(until, later);
        }
        let now = self.now / 1_000;
        let state = &mut self.machines[worker].state;
        news(state, now);
        let actions = state.actions(now);
        self.obey(worker, actions);
    }

    fn arrived(&mut self, worker: usize, message: Message) {
        let machine = &mut self.machines[worker];
        machine.last += 1;
        machine.handed += 1;
        machine.asked = machine.asked.saturating_sub(1);
        let number = machine.last;
        let held = Held { batch: message.batch, delivery: message.deliveries };
        let jobs = message.jobs.len() as u32;
        machine.batches.insert(number, (message, Vec::new()));
        let arrived = move |state: &mut WorkerState, now| state.arrived(now, number, 0, held, jobs);
        self.tell(worker, arrived);
    }

    fn obey(&mut self, worker: usize, actions: WorkerActions) {
        let place = |world: &World, number: &u64| {
            world.machines[worker].batches.get(number).map(|(message, _)| message.place)
        };
        for number in actions.prepare {
            let ready = move |world: &mut World| {
                world.tell(worker, move |state, _| state.ready(number));
            };
            let ready = self.of_living(worker, ready);
            self.at(self.now, ready);
        }
        for (number, job) in actions.play {
            self.play(worker, number, job);
        }
        for number in actions.report {
            self.report_results(worker, number);
        }
        if actions.beats {
            let beat = Beat {
                worker: self.name(worker),
                slots: self.scenario.slots as u32,
                held: self.machines[worker].state.held(0),
                returned: Vec::new(),
            };
            let beat = self.of_leader(move |world| world.coordinator().beat(beat.clone()));
            self.send(beat);
        }
        for place in
            actions.progress.iter().filter_map(|number| place(self, number)).collect::<Vec<_>>()
        {
            self.send(move |world| {
                if let Some((_, until)) = world.carrier.delivered.get_mut(&place) {
                    *until = world.now + ACK_WAIT;
                }
            });
        }
        for number in actions.give_back {
            if let Some((message, _)) = self.machines[worker].batches.remove(&number) {
                self.send(move |world| world.carrier.give_back(message.place));
            }
        }
        for number in actions.acknowledge {
            if let Some((message, _)) = self.machines[worker].batches.remove(&number) {
                let acknowledge =
                    move |world: &mut World| drop(world.carrier.delivered.remove(&message.place));
                self.send(acknowledge);
            }
        }
        if let Some(wanted) = actions.want {
            self.machines[worker].wanted = wanted;
            self.ask(worker);
        }
    }

    /// Returns the name of a worker in its present life.
    fn name(&self, worker: usize) -> String {
        format!("m{worker}.{}", self.machines[worker].life)
    }

    /// Asks the carrier for as many batches as the worker wants and has not asked for.
    fn ask(&mut self, worker: usize) {
        let machine = &mut self.machines[worker];
        let came = (machine.handed - machine.wanted.arrived) as u32;
        let more = machine.wanted.batches.saturating_sub(came).saturating_sub(machine.asked);
        machine.asked += more;
        for _ in 0..more {
            self.send(move |world| {
                world.carrier.pulls.push_back(worker);
                *world.carrier.pulls_of.entry(worker).or_default() += 1;
                world.deliver();
            });
        }
        if more > 0 {
            let again = self.of_living(worker, move |world| {
                world.machines[worker].asked = 0;
                world.ask(worker);
            });
            // The request has ended, whether it was answered or not.
            let end = move |world: &mut World| {
                world.carrier.end_pull(worker);
                again(world);
            };
            self.at(self.now + PULL, end);
        }
    }

    fn play(&mut self, worker: usize, number: u64, job: u32) {
        let Scenario { service: (least, usual), deaths, stalls, slots, .. } = self.scenario;
        let machine = &mut self.machines[worker];
        let us = (least + exponential(&mut self.rng, usual)) * machine.slowness;
        let Some((message, _)) = machine.batches.get(&number) else { return };
        let key = message.jobs[job as usize];
        if self.deadly.contains(&key) || self.rng.chance(deaths.into(), 1_000_000) {
            // It loses all that it has.
            let slowness = machine.slowness;
            (machine.is_dead, machine.life) = (true, machine.life + 1);
            machine.batches.clear();
            let rise = move |world: &mut World| {
                let Machine { last, life, stalled, .. } = world.machines[worker];
                world.machines[worker] =
                    Machine { last, life, stalled, ..Machine::new(slots, slowness) };
                world.at(world.now, move |world| world.worker_tick(worker));
            };
            return self.at(self.now + 10_000_000, rise);
        }
        if self.rng.chance(stalls.into(), 1_000_000) {
            machine.stalled = self.now + 60_000_000;
        }
        let ended = self.of_living(worker, move |world| {
            world.report.played += 1;
            world.slot_us += us;
            if let Some((_, results)) = world.machines[worker].batches.get_mut(&number) {
                results.push((key, us));
            }
            world.tell(worker, move |state, now| state.over(now, number, us));
        });
        self.at(self.now + us, ended);
    }

    fn report_results(&mut self, worker: usize, number: u64) {
        let name = self.name(worker);
        let Some((_, results)) = self.machines[worker].batches.get_mut(&number) else { return };
        let results = std::mem::take(results);
        let count = results.len() as u32;
        // The worker is told that the carrier has them, even if they are lost afterwards.
        self.send(move |world| {
            let (name, results) = (name.clone(), results.clone());
            world.learn(move |world| world.results(&name, &results));
        });
        let (_, most) = self.scenario.delay;
        let reported = self.of_living(worker, move |world| {
            world.tell(worker, move |state, _| state.reported(number, count));
        });
        self.at(self.now + most, reported);
    }
}

/// Makes a coordinator. It may have more carried than a real one, for thousands of machines.
fn coordinator(last_batch: BatchId) -> Coordinator {
    Coordinator::new(Limits { carried: 200_000, ..Limits::default() }, last_batch)
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
