//! Notices when the machine, or the arena itself, stood still during a match. `void` decides
//! whether the match still counts.
//!
//! A thread beside the match, on the same core, sleeps for [`PERIOD`] again and again and notes how
//! late it wakes. It is late when the arena was stopped (Ctrl-Z, `SIGSTOP`), a virtual machine
//! paused, a computer suspended, or a core badly overloaded. On Linux it measures time with
//! `CLOCK_BOOTTIME`, which continues while a computer is suspended; sleeping does not. The match
//! itself only reads a number.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::{self, Thread},
    time::Duration,
};

/// How long the thread sleeps at a time: it uses some microseconds 50 times a second.
const PERIOD: Duration = Duration::from_millis(20);

/// Watches for stalls until it is dropped.
#[derive(Debug)]
pub(crate) struct StallWatch {
    beats: Arc<Beats>,
    thread: Thread,
}

impl StallWatch {
    /// Starts to watch, on the cores that the calling thread may use.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(crate) fn start() -> io::Result<StallWatch> {
        let beats = Arc::new(Beats::starting_at(now()));
        let shared = Arc::clone(&beats);
        let watch = move || {
            while !shared.over.load(Relaxed) {
                thread::park_timeout(PERIOD);
                shared.beat(now());
            }
        };
        let thread =
            thread::Builder::new().name("stalls".to_owned()).spawn(watch)?.thread().clone();
        Ok(StallWatch { beats, thread })
    }

    /// Returns the longest stall so far.
    pub(crate) fn longest(&self) -> Duration {
        self.beats.longest(now())
    }

    /// Returns the longest stall since the last call.
    pub(crate) fn take(&self) -> Duration {
        self.beats.take(now())
    }
}

impl Drop for StallWatch {
    fn drop(&mut self) {
        // Does not wait for the thread, which ends when it next gets a core.
        self.beats.over.store(true, Relaxed);
        self.thread.unpark();
    }
}

/// Returns a time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The last time that the thread woke, and how late it was. All times are in nanoseconds.
#[derive(Debug, Default)]
struct Beats {
    last: AtomicU64,
    longest: AtomicU64,
    untaken: AtomicU64,
    over: AtomicBool,
}

impl Beats {
    fn starting_at(now: u64) -> Beats {
        Beats { last: AtomicU64::new(now), ..Beats::default() }
    }

    /// Notes that the thread has woken.
    fn beat(&self, now: u64) {
        let late = self.late(now);
        self.longest.fetch_max(late, Relaxed);
        self.untaken.fetch_max(late, Relaxed);
        self.last.store(now, Relaxed);
    }

    /// Returns how late the thread would be now: after a stall the match may wake up before it.
    fn late(&self, now: u64) -> u64 {
        now.saturating_sub(self.last.load(Relaxed)).saturating_sub(PERIOD.as_nanos() as u64)
    }

    fn longest(&self, now: u64) -> Duration {
        Duration::from_nanos(self.longest.load(Relaxed).max(self.late(now)))
    }

    fn take(&self, now: u64) -> Duration {
        Duration::from_nanos(self.untaken.swap(0, Relaxed).max(self.late(now)))
    }
}

/// Returns the nanoseconds since the start of the computer, including suspended times.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative.
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

/// Returns the nanoseconds since the first call. Suspended times may be missing.
#[cfg(not(target_os = "linux"))]
fn now() -> u64 {
    use std::{sync::OnceLock, time::Instant};

    static FIRST: OnceLock<Instant> = OnceLock::new();
    let time = FIRST.get_or_init(Instant::now).elapsed();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_longest_stall_is_kept_and_each_step_has_its_own() {
        let beats = Beats::starting_at(0);
        beats.beat(20 * MS);
        assert_eq!(beats.longest(20 * MS), ms(0));
        beats.beat(540 * MS);
        assert_eq!((beats.longest(540 * MS), beats.take(540 * MS)), (ms(500), ms(500)));
        beats.beat(570 * MS);
        assert_eq!((beats.longest(570 * MS), beats.take(570 * MS)), (ms(500), ms(10)));
    }

    #[test]
    fn a_stall_is_seen_before_the_thread_has_woken() {
        let beats = Beats::starting_at(0);
        assert_eq!((beats.longest(3020 * MS), beats.take(3020 * MS)), (ms(3000), ms(3000)));
        assert_eq!(Beats::starting_at(0).take(15 * MS), ms(0));
    }

    #[test]
    fn the_thread_beats() {
        let watch = StallWatch::start().unwrap();
        let first = watch.beats.last.load(Relaxed);
        while watch.beats.last.load(Relaxed) == first {
            thread::yield_now();
        }
    }
}
