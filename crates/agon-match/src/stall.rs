//! Noticing that the machine, or the arena itself, stood still during a match.
//!
//! A thread beside the match, on the same core, sleeps for [`PERIOD`] again and again and notes how late it wakes: it
//! is late when the arena was stopped (Ctrl-Z, `SIGSTOP`), a virtual machine paused, a computer suspended, or a core
//! overloaded beyond measure. Time is that of `CLOCK_BOOTTIME`, which goes on while a computer is suspended; sleeping
//! does not. The match itself does not do anything for it but look at a number.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::{self, Thread},
    time::Duration,
};

use agon_core::Fault;
use agon_replay::Void;
use rustix::time::{ClockId, clock_gettime};

/// How long the thread sleeps at a time: 50 times a second it uses some microseconds.
const PERIOD: Duration = Duration::from_millis(20);

/// A stall as long as this makes a match void, whatever happened: bots that plan with the clock on the wall have lost
/// a good part of their time for an answer, or think that they have.
pub const VOID_STALL: Duration = Duration::from_secs(1);

/// A stall as long as this makes a match void if a bot was late in the same step: nobody knows whose fault that was.
pub const VOID_STALL_WITH_TIMEOUT: Duration = Duration::from_millis(100);

/// Watches for stalls as long as it lives.
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
        let thread = thread::Builder::new().name("stalls".to_owned()).spawn(watch)?.thread().clone();
        Ok(StallWatch { beats, thread })
    }

    /// A step of the match begins.
    pub(crate) fn begin_step(&self) {
        self.beats.begin_step();
    }

    /// The longest stall so far.
    pub(crate) fn longest(&self) -> Duration {
        self.beats.longest(now())
    }

    /// Why the match is void because of what happened in this step, if it is. Only faults of bots that `has_clock` says
    /// are late on a clock count.
    pub(crate) fn spoils(&self, faults: &[Fault], has_clock: impl Fn(&Fault) -> bool) -> Option<Void> {
        let late =
            faults.iter().find(|fault| fault.kind == agon_core::FaultKind::Timeout && has_clock(fault))?;
        let stall = self.beats.in_step(now());
        (stall >= VOID_STALL_WITH_TIMEOUT).then(|| Void::Timeout { stall_ms: millis(stall), step: late.step })
    }
}

impl Drop for StallWatch {
    fn drop(&mut self) {
        // Not waited for: it ends by itself when it gets a core.
        self.beats.over.store(true, Relaxed);
        self.thread.unpark();
    }
}

/// Why a match with such a stall is void, if it is.
pub(crate) fn spoilt_by(longest: Duration) -> Option<Void> {
    (longest >= VOID_STALL).then(|| Void::Stall { stall_ms: millis(longest) })
}

/// A time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// When the thread woke, and how late. All times in nanoseconds.
#[derive(Debug, Default)]
struct Beats {
    last: AtomicU64,
    longest: AtomicU64,
    in_step: AtomicU64,
    over: AtomicBool,
}

impl Beats {
    fn starting_at(now: u64) -> Beats {
        Beats { last: AtomicU64::new(now), ..Beats::default() }
    }

    /// The thread has woken.
    fn beat(&self, now: u64) {
        let late = self.late(now);
        self.longest.fetch_max(late, Relaxed);
        self.in_step.fetch_max(late, Relaxed);
        self.last.store(now, Relaxed);
    }

    fn begin_step(&self) {
        self.in_step.store(0, Relaxed);
    }

    /// How late the thread is if it wakes now: after a stall the match may go on before it.
    fn late(&self, now: u64) -> u64 {
        now.saturating_sub(self.last.load(Relaxed)).saturating_sub(PERIOD.as_nanos() as u64)
    }

    fn longest(&self, now: u64) -> Duration {
        Duration::from_nanos(self.longest.load(Relaxed).max(self.late(now)))
    }

    fn in_step(&self, now: u64) -> Duration {
        Duration::from_nanos(self.in_step.load(Relaxed).max(self.late(now)))
    }
}

/// Nanoseconds since the computer was started, suspended ones included.
fn now() -> u64 {
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let time = clock_gettime(clock);
    // Neither is negative.
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use agon_core::{Evidence, FaultKind, Player};

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
        assert_eq!((beats.longest(540 * MS), beats.in_step(540 * MS)), (ms(500), ms(500)));
        beats.begin_step();
        beats.beat(570 * MS);
        assert_eq!((beats.longest(570 * MS), beats.in_step(570 * MS)), (ms(500), ms(10)));
    }

    #[test]
    fn a_stall_is_seen_before_the_thread_has_woken() {
        let beats = Beats::starting_at(0);
        beats.begin_step();
        assert_eq!((beats.longest(3020 * MS), beats.in_step(3020 * MS)), (ms(3000), ms(3000)));
        assert_eq!(beats.in_step(15 * MS), ms(0));
    }

    #[test]
    fn a_second_makes_a_match_void() {
        assert_eq!(spoilt_by(ms(999)), None);
        assert_eq!(spoilt_by(ms(1_000)), Some(Void::Stall { stall_ms: 1000 }));
    }

    #[test]
    fn a_late_bot_makes_a_match_void_only_with_a_stall() {
        let watch = StallWatch::start().unwrap();
        let fault = |kind| Fault {
            player: Player(0),
            step: 7,
            kind,
            detail: String::new(),
            evidence: Evidence::default(),
            count: 1,
        };
        let late = [fault(FaultKind::Garbage), fault(FaultKind::Timeout)];
        watch.beats.in_step.store(250 * MS, Relaxed);
        let void = Some(Void::Timeout { stall_ms: 250, step: 7 });
        assert_eq!(watch.spoils(&late, |_| true), void);
        assert_eq!(watch.spoils(&late, |_| false), None, "fuel does not stall");
        assert_eq!(watch.spoils(&late[..1], |_| true), None);
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
