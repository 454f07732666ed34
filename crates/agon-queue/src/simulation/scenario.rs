//! What is simulated.

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
            end: 3_600_000_000,
        }
    }
}
