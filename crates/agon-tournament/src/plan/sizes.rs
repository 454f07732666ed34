//! The largest plans.

/// Most matches at a time.
pub const MAX_JOBS: usize = 4096;

/// Most bots of a plan.
pub const MAX_BOTS: usize = 10_000;

/// Most bots where all pairs are planned or weighed, or each loss moves others.
pub const MAX_PAIRED_BOTS: usize = 2_000;
