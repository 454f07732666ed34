//! Limits for the size of a tournament's plan.

/// The most matches at a time, also for `--jobs`.
pub const MAX_JOBS: usize = 4096;

/// The most bots of a plan.
pub const MAX_BOTS: usize = 10_000;

/// The most bots in a round robin, a Swiss system or an elimination: there all pairs are planned or
/// weighed, or each loss moves others.
pub const MAX_PAIRED_BOTS: usize = 2_000;
