//! How many late answers a program may give, and how long it may take to end.

use std::time::Duration;

/// The number of late answers in a row that ends a bot.
pub const TIMEOUTS: u32 = 3;

/// The time that a bot has to end by itself after the match.
pub const GOODBYE: Duration = Duration::from_millis(200);
