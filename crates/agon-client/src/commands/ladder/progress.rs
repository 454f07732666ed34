//! Says from time to time how far something long is, on a terminal.

use std::time::{Duration, Instant};

use agon_text::number::grouped;

/// How often to say something.
const INTERVAL: Duration = Duration::from_secs(3);

/// Says how far something is.
#[derive(Debug)]
pub(super) struct Teller {
    last: Instant,
    is_watched: bool,
}

impl Teller {
    pub(super) fn new() -> Teller {
        Teller { last: Instant::now(), is_watched: agon_console::is_watched() }
    }

    /// Says that so many of so many are done, if it is time to.
    pub(super) fn tell(&mut self, what: &str, done: u64, all: u64) {
        if self.is_watched && self.last.elapsed() >= INTERVAL {
            let number = |number| grouped(i64::try_from(number).unwrap_or(i64::MAX));
            say!("{what}: {} of {}", number(done), number(all));
            self.last = Instant::now();
        }
    }
}
