//! What workers do in a simulation.

use super::{
    super::{carrier::Message, machine::Machine, scenario::exponential},
    Happening, PULL, World,
};
use crate::fleet::{Beat, Event, Held, Result, Verdict, WorkerCommand, WorkerEvent};

impl World<'_> {
    /// Asks the carrier for as many batches as the worker wants and has not asked for.
    pub(super) fn ask(&mut self, worker: usize) {
        let machine = &mut self.machines[worker];
        let more = machine.wanting().saturating_sub(machine.asked);
        machine.asked += more;
        let life = machine.life;
        (0..more).for_each(|_| self.send(Happening::Pulled(worker)));
        if more > 0 {
            self.at(self.now + PULL, Happening::PullEnded(worker, life));
        }
    }

    pub(super) fn arrived(&mut self, worker: usize, message: Message) {
        let held = Held { batch: message.batch, delivery: message.deliveries };
        let jobs = message.jobs.len() as u32;
        let number = self.machines[worker].take(message);
        self.tell(worker, WorkerEvent::Arrived { number, run: 0, held, jobs });
    }

    pub(super) fn ended(&mut self, worker: usize, number: u64, job: u32, us: u64) {
        self.report.played += 1;
        self.slot_us += us;
        if let Some(taken) = self.machines[worker].batches.get_mut(&number) {
            let key = taken.message.jobs[job as usize];
            taken.results.push(Result { key, verdict: Verdict::Over, us });
        }
        self.tell(worker, WorkerEvent::Over { number, job, us });
    }

    pub(super) fn worker_tick(&mut self, worker: usize) {
        if self.machines[worker].is_dead {
            return;
        }
        self.tell(worker, WorkerEvent::Tick);
        self.at(self.now + 1_000_000, Happening::WorkerTick(worker));
    }

    pub(super) fn tell(&mut self, worker: usize, event: WorkerEvent) {
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
        // The worker is told that the carrier has them, even if they are lost afterwards.
        let report = Event::Results { worker: name, results };
        self.send(Happening::Results(report));
        let reported = WorkerEvent::Reported { number, results: count };
        let (_, most) = self.scenario.delay;
        self.at(self.now + most, Happening::Worker(worker, life, reported));
    }
}
