//! A simulated machine: the real worker, whose matches take time.

use std::collections::BTreeMap;

use super::carrier::Message;
use crate::fleet::{Result, WorkerLimits, WorkerState};

/// A worker of the simulation.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    number: usize,
    pub(super) state: WorkerState,
    /// By the worker's own number.
    pub(super) batches: BTreeMap<u64, Taken>,
    next: u64,
    /// How many batches it wants, counting from so many that had come.
    pub(super) wanted: (u32, u64),
    /// Batches that have come in this life.
    handed: u64,
    /// Batches that it has asked for.
    pub(super) asked: u32,
    /// Counts its lives: what an earlier one had begun does not matter.
    pub(super) life: u32,
    pub(super) is_dead: bool,
    /// It stands still until then.
    pub(super) stalled: u64,
    /// Its matches take so many times as long.
    pub(super) slowness: u64,
}

/// A batch that a machine has.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) message: Message,
    /// Results that were not sent.
    pub(super) results: Vec<Result>,
}

impl Machine {
    pub(super) fn new(number: usize, limits: WorkerLimits, slowness: u64) -> Machine {
        Machine {
            number,
            state: WorkerState::new(limits),
            batches: BTreeMap::new(),
            next: 0,
            wanted: (0, 0),
            handed: 0,
            asked: 0,
            life: 0,
            is_dead: false,
            stalled: 0,
            slowness,
        }
    }

    /// Returns the name of its present life.
    pub(super) fn name(&self) -> String {
        format!("m{}.{}", self.number, self.life)
    }

    /// Takes a batch; returns its number.
    pub(super) fn take(&mut self, message: Message) -> u64 {
        self.next += 1;
        self.handed += 1;
        self.asked = self.asked.saturating_sub(1);
        self.batches.insert(self.next, Taken { message, results: Vec::new() });
        self.next
    }

    /// Returns how many batches it still wants.
    pub(super) fn wanting(&self) -> u32 {
        let (batches, arrived) = self.wanted;
        batches.saturating_sub((self.handed - arrived) as u32)
    }

    /// It dies, and loses all that it has.
    pub(super) fn die(&mut self) {
        self.is_dead = true;
        self.life += 1;
        self.batches.clear();
    }

    /// It starts again.
    pub(super) fn rise(&mut self, limits: WorkerLimits) {
        self.is_dead = false;
        (self.wanted, self.handed, self.asked) = ((0, 0), 0, 0);
        self.state = WorkerState::new(limits);
    }
}
