//! What is simulated.

use agon_core::Rng;

use crate::fleet::{Limits, WorkerLimits};

/// What is simulated. Times are in microseconds, probabilities in millionths.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What decides all that is random.
    pub seed: u64,
    /// How many workers there are.
    pub workers: usize,
    /// The slots of each.
    pub slots: usize,
    /// How many matches are to be played.
    pub matches: usize,
    /// Their classes; all workers can play all of them.
    pub classes: u32,
    /// How long a match takes: the least, and the usual length beyond it. The tail is exponential.
    pub service: (u64, u64),
    /// A message takes so long, at least and at most.
    pub delay: (u64, u64),
    /// A message between coordinator and worker is lost.
    pub loss: u32,
    /// A message is delivered twice.
    pub repeat: u32,
    /// What the carrier has acknowledged is forgotten.
    pub forget: u32,
    /// All that the carrier has is forgotten at this time.
    pub wipes: Vec<u64>,
    /// A worker dies in a match, and starts again after ten seconds.
    pub deaths: u32,
    /// A worker stands still in a match, for a minute.
    pub stalls: u32,
    /// A worker is a straggler: it takes three times as long.
    pub stragglers: u32,
    /// Stragglers take whatever there is, as if they were as fast as others.
    pub is_eager: bool,
    /// The coordinator dies at this time, and another one goes on with its journal.
    pub kills: Vec<u64>,
    /// Matches that kill each worker that plays them.
    pub deadly: usize,
    /// What the coordinator and the carrier need for a message, in nanoseconds: the first
    /// bottleneck.
    pub coordinator_ns: u64,
    /// It ends here at the latest.
    pub end: u64,
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
            is_eager: false,
            kills: Vec::new(),
            deadly: 0,
            coordinator_ns: 0,
            end: 3_600_000_000,
        }
    }
}

impl Scenario {
    /// Returns the limits of workers.
    pub(super) fn worker_limits(&self) -> WorkerLimits {
        WorkerLimits {
            slots: self.slots,
            gather: 150,
            short: 1_000,
            beat: 4_000,
            idle_beat: 15_000,
            answer: 0,
        }
    }
}

/// The speed of a worker that is not slow.
pub(super) const FASTEST: u32 = 300;

/// Draws an exponentially distributed time with this mean.
pub(super) fn exponential(rng: &mut Rng, mean: u64) -> u64 {
    // In steps of a 64th of a halving: the geometric distribution is the discrete one.
    let mut halvings = 0;
    while rng.chance(1, 2) && halvings < 40 {
        halvings += 1;
    }
    (mean * halvings + rng.below(mean.max(1))) * 2 / 3
}

/// The limits of the real one; more matches may be carried, for thousands of machines.
pub(super) fn coordinator_limits() -> Limits {
    Limits { carried: 200_000, ..Limits::default() }
}
