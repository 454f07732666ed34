//! How long a bot may think, and what it is charged for.
//!
//! A program is charged the CPU time of its process, not the time on the wall: on a busy machine it must not
//! lose because others were served first. The wall still matters in two ways. As long as less wall time than
//! the limit has passed nothing is checked at all. And a bot that uses no CPU (it sleeps, or waits for
//! something) gets a multiple of its limit, [`Clock::wall_factor`], and then it is over.
//!
//! Only the process itself is charged, with all its threads; processes that it starts are not.

use std::time::{Duration, Instant};

use rustix::process::Pid;

/// The least wall time a bot gets when it is charged CPU time: interpreters need to be scheduled to start.
const LEAST_WALL: Duration = Duration::from_secs(1);

/// Time limits of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// CPU time for the first answer, start-up included as far as it happens after the question.
    pub first: Duration,
    /// CPU time for every later answer.
    pub then: Duration,
    /// How many times its limit a bot may take in wall time while it uses less CPU time than that; the result
    /// is at least a second. With 1 (or 0) the limit is plain wall time and CPU time is not looked at.
    pub wall_factor: u32,
}

impl Clock {
    /// The factor used unless a game or a person chooses another.
    pub const WALL_FACTOR: u32 = 10;

    /// The same limit for all answers, charged as CPU time.
    pub const fn cpu(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: Clock::WALL_FACTOR }
    }

    /// The same limit for all answers, in wall time.
    pub const fn wall(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: 1 }
    }

    fn longest(&self, limit: Duration) -> Duration {
        match self.wall_factor {
            0 | 1 => limit,
            factor => limit.saturating_mul(factor).max(LEAST_WALL),
        }
    }
}

/// Which time limits apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Those that the game documents.
    #[default]
    Game,
    /// These.
    Clock(Clock),
    /// None: a bot may stop in a debugger. Its death is still noticed.
    Unlimited,
}

impl Timing {
    /// The clock that applies to a game whose own is `default`.
    pub fn or(self, default: Clock) -> Option<Clock> {
        match self {
            Timing::Game => Some(default),
            Timing::Clock(clock) => Some(clock),
            Timing::Unlimited => None,
        }
    }
}

/// What is left of the time for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// There is no limit.
    Forever,
    /// Nothing has to be checked before this much wall time has passed.
    Wait(Duration),
    /// The time is over.
    Over,
}

/// Measures the time for one answer.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    started: Instant,
    cpu_at_start: Duration,
    limit: Option<Limit>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    time: Duration,
    longest: Duration,
}

impl Timer {
    /// Starts to measure with the first or a later answer's limit.
    pub(crate) fn start(clock: Option<Clock>, first: bool, meter: &CpuMeter) -> Timer {
        Timer::start_with(clock, first, Duration::ZERO, meter)
    }

    /// Starts to measure with `extra` on top of the clock's limit.
    pub(crate) fn start_with(clock: Option<Clock>, first: bool, extra: Duration, meter: &CpuMeter) -> Timer {
        let limit = clock.map(|clock| {
            let base = if first { clock.first } else { clock.then };
            let time = base.saturating_add(extra);
            Limit { time, longest: clock.longest(time) }
        });
        Timer { started: Instant::now(), cpu_at_start: meter.used(), limit }
    }

    /// Has the time on the wall begin only now; the CPU time used so far still counts.
    pub(crate) fn restart_wall(&mut self) {
        self.started = Instant::now();
    }

    /// What tells this question from others.
    pub(crate) fn question(&self) -> Instant {
        self.started
    }

    /// Time on the wall since the question.
    pub(crate) fn wall(&self) -> Duration {
        self.started.elapsed()
    }

    /// CPU time that the process had used before the question.
    pub(crate) fn cpu_at_start(&self) -> Duration {
        self.cpu_at_start
    }

    /// What is left, by wall and CPU time.
    pub(crate) fn left(&self, meter: &CpuMeter) -> Left {
        self.left_at(self.started.elapsed(), || meter.used().saturating_sub(self.cpu_at_start))
    }

    fn left_at(&self, wall: Duration, cpu: impl FnOnce() -> Duration) -> Left {
        let Some(limit) = self.limit else { return Left::Forever };
        if wall < limit.time {
            return Left::Wait(limit.time - wall);
        }
        if wall >= limit.longest {
            return Left::Over;
        }
        match limit.time.checked_sub(cpu()) {
            // Not less than a millisecond, so that nobody spins while a bot nears its limit.
            Some(left) if !left.is_zero() => {
                Left::Wait(left.max(Duration::from_millis(1)).min(limit.longest - wall))
            }
            _ => Left::Over,
        }
    }

    /// The limit in words, for the fault of a bot that exceeded it.
    pub(crate) fn words(&self, meter: &CpuMeter) -> String {
        let Some(limit) = self.limit else { return "no limit".to_owned() };
        let wall = self.started.elapsed().as_millis();
        let cpu = meter.used().saturating_sub(self.cpu_at_start).as_millis();
        let used = match meter.0 {
            Some(_) => format!("{cpu} ms of CPU time in {wall} ms"),
            None => format!("{wall} ms have passed"),
        };
        format!("{used}; the limit is {} ms", limit.time.as_millis())
    }
}

/// Reads the CPU time of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuMeter(Option<libc::clockid_t>);

impl CpuMeter {
    /// The meter of what is no child: it stands still.
    pub(crate) const NONE: CpuMeter = CpuMeter(None);

    /// The meter of a running process, which must not have been waited for.
    #[allow(unsafe_code)]
    pub(crate) fn of(process: Pid) -> CpuMeter {
        let mut id = 0;
        // SAFETY: `id` is a valid place for the clock's id during the call, which keeps no pointer to it.
        let error = unsafe { libc::clock_getcpuclockid(process.as_raw_nonzero().get(), &mut id) };
        CpuMeter((error == 0).then_some(id))
    }

    /// CPU time used so far; zero where it cannot be read, which leaves the wall limit.
    #[allow(unsafe_code)]
    pub(crate) fn used(&self) -> Duration {
        let Some(id) = self.0 else { return Duration::ZERO };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid place for the result during the call, which keeps no pointer to it. An id
        // whose process is gone is refused with an error.
        match unsafe { libc::clock_gettime(id, &mut time) } {
            0 => Duration::new(time.tv_sec as u64, time.tv_nsec as u32),
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn left(clock: Clock, wall: Duration, cpu: Duration) -> Left {
        let meter = CpuMeter(None);
        Timer::start(Some(clock), false, &meter).left_at(wall, || cpu)
    }

    #[test]
    fn cpu_time_is_not_looked_at_before_the_wall_limit() {
        let timer = Timer::start(Some(Clock::cpu(SECOND)), true, &CpuMeter(None));
        assert_eq!(timer.left_at(ms(400), || panic!("looked at")), Left::Wait(ms(600)));
    }

    #[test]
    fn a_bot_that_was_not_served_gets_the_rest_of_its_cpu_time() {
        assert_eq!(left(Clock::cpu(SECOND), 3 * SECOND, ms(400)), Left::Wait(ms(600)));
        assert_eq!(left(Clock::cpu(SECOND), 3 * SECOND, SECOND), Left::Over);
        assert_eq!(left(Clock::cpu(SECOND), ms(9_700), ms(400)), Left::Wait(ms(300)));
        assert_eq!(left(Clock::cpu(SECOND), 10 * SECOND, ms(0)), Left::Over);
    }

    #[test]
    fn short_limits_still_get_a_second_of_wall_time() {
        assert_eq!(left(Clock::cpu(ms(10)), ms(500), ms(2)), Left::Wait(ms(8)));
        assert_eq!(left(Clock::cpu(ms(10)), SECOND, ms(2)), Left::Over);
    }

    #[test]
    fn a_wall_clock_looks_at_the_wall_only() {
        assert_eq!(left(Clock::wall(ms(60)), ms(59), SECOND), Left::Wait(ms(1)));
        assert_eq!(left(Clock::wall(ms(60)), ms(60), ms(0)), Left::Over);
    }

    #[test]
    fn without_a_clock_there_is_always_time() {
        let timer = Timer::start(None, true, &CpuMeter(None));
        assert_eq!(timer.left_at(1000 * SECOND, || 1000 * SECOND), Left::Forever);
    }

    #[test]
    fn the_meter_sees_work() {
        let meter = CpuMeter::of(rustix::process::getpid());
        let before = meter.used();
        let mut x = 1u64;
        while meter.used() < before + ms(5) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(meter.used() >= before + ms(5));
    }
}
