//! The time limits of a bot's answers to one batch. Each game has its own default.

use std::time::Duration;

use crate::bot::Clock;

/// Time limits for a bot's answers to one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Time for a batch.
    pub clock: Clock,
    /// Extra time for each decision of it.
    pub each: Duration,
}
