//! How long a coordinator waits for what, and how much it gives out.

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
