//! Time limits for batches.

use std::time::Duration;

use crate::Clock;

/// Time limits for a bot's answers to one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Time for a batch.
    pub clock: Clock,
    /// Extra time for each decision of it.
    pub each: Duration,
}
