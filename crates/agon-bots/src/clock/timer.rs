//! Measures the time for one answer, and decides when it is over. Hosts of processes start a timer
//! with each question.

use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};

use super::{Clock, CpuMeter, PATIENCE, Probe, Queues};

/// The check interval for a bot that is over its wall limit but ready to run.
///
/// It waits for a core just now, or is about to use up its CPU time. The interval is the same if it
/// waits for a disk.
const READY_INTERVAL: Duration = Duration::from_millis(20);

/// The check interval for a bot that is over its wall limit only if its waits for a core count.
const WAITING_INTERVAL: Duration = Duration::from_millis(100);

/// The least wall time that a bot gets while the machine keeps it from running.
///
/// A full disk queue or a crowded machine can take a core away for seconds at a time.
const MACHINE_PATIENCE: Duration = Duration::from_secs(10);

/// The time left for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeLeft {
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
    /// `None` if the process was gone already.
    cpu_at_start: Option<Duration>,
    limit: Option<Limit>,
    /// The first check of the bot, after the limit had passed in wall time.
    ///
    /// Quick answers are never checked, because a check takes some microseconds.
    first_look: OnceCell<FirstLook>,
    /// How long it waited for a core between the first check and the last one.
    waited: Cell<Duration>,
    /// Whether its limit in wall time is over, although it got no core for most of that.
    had_no_core: Cell<bool>,
    /// The time of the answer, once it is there or will not come.
    stamp: Cell<Option<Stamp>>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    time: Duration,
    /// The limit in wall time; the same as `time` for a limit that is wall time itself.
    longest: Duration,
    /// The limit in wall time if the system does not report which threads wait for a core.
    ///
    /// Where it does, one that waits for a disk, or is always ready to run, gets at least
    /// [`MACHINE_PATIENCE`].
    most_patient: Duration,
    bank: Bank,
}

impl Limit {
    fn by_wall(&self) -> bool {
        self.longest == self.time
    }
}

#[derive(Clone, Debug)]
struct FirstLook {
    /// Wall time since the question.
    wall: Duration,
    queues: Option<Queues>,
}

/// The time of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// CPU time; `None` if it is unknown.
    pub(crate) cpu: Option<Duration>,
    /// Wall time.
    pub(crate) wall: Duration,
    /// The time beyond the limit, if there is a bank to pay for it.
    beyond: Duration,
}

impl Timer {
    /// Starts to measure with the first or a later answer's limit.
    pub(crate) fn start(clock: Option<Clock>, first: bool, meter: &CpuMeter) -> Timer {
        Timer::start_with(clock, first, Duration::ZERO, meter)
    }

    /// Starts to measure with `extra` on top of the clock's limit.
    pub(crate) fn start_with(
        clock: Option<Clock>,
        first: bool,
        extra: Duration,
        meter: &CpuMeter,
    ) -> Timer {
        let limit = clock.map(|clock| {
            let base = if first { clock.first } else { clock.then };
            let time = base.saturating_add(extra);
            let longest = super::longest(clock, time);
            let most_patient = super::most_patient(clock, time);
            Limit { time, longest, most_patient, bank: Bank::default() }
        });
        Timer {
            started: Instant::now(),
            cpu_at_start: meter.question_begins(),
            limit,
            first_look: OnceCell::new(),
            waited: Cell::default(),
            had_no_core: Cell::default(),
            stamp: Cell::default(),
        }
    }

    /// Adds the rest of a bank to the limit.
    pub(crate) fn banked(mut self, bank: Bank) -> Timer {
        if let Some(limit) = &mut self.limit {
            limit.bank = bank;
        }
        self
    }

    /// Returns the moment of the question, which identifies it.
    pub(crate) fn question(&self) -> Instant {
        self.started
    }

    /// Stops the time, because the answer has come or will not come, and returns it.
    ///
    /// Only the first call counts.
    pub(crate) fn stop(&self, probe: &impl Probe) -> Stamp {
        if let Some(stamp) = self.stamp.get() {
            return stamp;
        }
        let wall = self.started.elapsed();
        // A bot that has not been checked before is not checked now either, if it was in time.
        let beyond = self.beyond_at(wall, probe);
        let cpu = self.cpu_at_start.map(|before| probe.known().saturating_sub(before));
        let stamp = Stamp { cpu, wall, beyond };
        self.stamp.set(Some(stamp));
        stamp
    }

    /// Continues the time, because the output was no answer.
    pub(crate) fn go_on(&self) {
        self.stamp.set(None);
    }

    /// Returns the wall time since the question, up to the answer if it is there.
    pub(crate) fn wall(&self) -> Duration {
        self.stamp.get().map_or_else(|| self.started.elapsed(), |stamp| stamp.wall)
    }

    /// Returns the CPU time before the question; `None` if the process was gone already.
    pub(crate) fn cpu_at_start(&self) -> Option<Duration> {
        self.cpu_at_start
    }

    /// Estimates how much wall time passes until the time is over; `None` without a limit.
    ///
    /// It assumes that the bot uses the processor as it has done since the question. It only looks:
    /// what the bot is charged does not depend on it.
    pub(crate) fn estimate(&self, meter: &CpuMeter) -> Option<Duration> {
        self.estimate_at(self.started.elapsed(), meter)
    }

    fn estimate_at(&self, wall: Duration, probe: &impl Probe) -> Option<Duration> {
        let limit = self.limit?;
        let bank = limit.bank.left;
        let by_wall = limit.longest.saturating_add(bank).saturating_sub(wall);
        let cpu = probe.known().saturating_sub(self.cpu_at_start.unwrap_or_default());
        if limit.by_wall() || cpu.is_zero() {
            return Some(by_wall);
        }
        let left = limit.time.saturating_add(bank).saturating_sub(cpu);
        // Several threads use more CPU time than passes on the wall.
        let nanos = left.as_nanos().saturating_mul(wall.as_nanos()) / cpu.as_nanos();
        let by_cpu = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        Some(by_wall.min(by_cpu))
    }

    /// Returns the time left, by wall and CPU time.
    pub(crate) fn left(&self, meter: &CpuMeter) -> TimeLeft {
        self.left_at(self.started.elapsed(), meter)
    }

    fn left_at(&self, wall: Duration, probe: &impl Probe) -> TimeLeft {
        let Some(limit) = self.limit else { return TimeLeft::Forever };
        if wall < limit.time {
            let wait = limit.time - wall;
            let next_look = probe.until_next_look().filter(|_| !limit.by_wall());
            let Some(next_look) = next_look else { return TimeLeft::Wait(wait) };
            probe.look_and_measure();
            return TimeLeft::Wait(wait.min(next_look));
        }
        let longest = limit.longest.saturating_add(limit.bank.left);
        if limit.by_wall() {
            self.first_look.get_or_init(|| FirstLook { wall, queues: None });
            return self.left_on_the_wall(wall, longest, probe);
        }
        let first = self.first_look.get_or_init(|| FirstLook { wall, queues: probe.queues() });
        let most = limit.time.saturating_add(limit.bank.left);
        let cpu = most.saturating_sub(self.cpu(probe));
        if cpu.is_zero() {
            return TimeLeft::Over;
        }
        let next_look = probe.until_next_look().unwrap_or(Duration::MAX);
        // At least a millisecond, so that the arena does not spin while a bot nears its limit.
        let wait = |wall_left: Duration| {
            TimeLeft::Wait(cpu.min(wall_left).min(next_look).max(Duration::from_millis(1)))
        };
        // The arena was late for the first check. How long the bot had waited for a core until then
        // is unknown, so that time does not count.
        let wall = wall - first.wall.saturating_sub(limit.time);
        if wall < longest {
            return wait(longest - wall);
        }
        let most_patient = limit.most_patient.saturating_add(limit.bank.left);
        let Some(queues) = probe.queues() else {
            return if wall < most_patient { wait(most_patient - wall) } else { TimeLeft::Over };
        };
        // Helpers are included here, too: a bot must not escape its limit by keeping them busy.
        if self.ran(&queues) >= most {
            return TimeLeft::Over;
        }
        let charged = wall.saturating_sub(self.waited(&queues));
        match longest.checked_sub(charged) {
            Some(left) if !left.is_zero() => wait(left.min(WAITING_INTERVAL)),
            _ if charged >= most_patient.max(MACHINE_PATIENCE) => TimeLeft::Over,
            _ if queues.ready() || queues.blocked() => wait(READY_INTERVAL),
            _ => TimeLeft::Over,
        }
    }

    /// Returns the time left of a limit in wall time.
    ///
    /// A bot that had no core for a part of it gets the rest, as long as it would run: others must
    /// not take it away.
    fn left_on_the_wall(&self, wall: Duration, longest: Duration, probe: &impl Probe) -> TimeLeft {
        if wall < longest {
            return TimeLeft::Wait(longest - wall);
        }
        if self.stamp.get().is_some() {
            return TimeLeft::Over;
        }
        let is_ready = || probe.queues().is_some_and(|queues| queues.ready());
        let cpu = self.cpu(probe);
        let had_no_core = cpu < longest && wall.saturating_sub(cpu) >= longest / 16 && is_ready();
        let is_over = wall >= longest.saturating_mul(PATIENCE);
        self.had_no_core.set(had_no_core && is_over);
        match had_no_core && !is_over {
            true => TimeLeft::Wait((longest - cpu).clamp(Duration::from_millis(1), READY_INTERVAL)),
            false => TimeLeft::Over,
        }
    }

    /// Returns whether the time in wall time is over, and the bot still had no core.
    pub(crate) fn had_no_core(&self) -> bool {
        self.had_no_core.get()
    }

    /// Returns the CPU time used since the question.
    fn cpu(&self, probe: &impl Probe) -> Duration {
        probe.look_and_measure().saturating_sub(self.cpu_at_start.unwrap_or_default())
    }

    /// Returns how long the bot has waited for a core since the first check.
    fn waited(&self, now: &Queues) -> Duration {
        let before = self.first_look.get().and_then(|first| first.queues.as_ref());
        self.waited.set(before.map_or(Duration::ZERO, |before| now.waited_since(before)));
        self.waited.get()
    }

    /// Returns the same for a bot that may be gone: then the result of the last check.
    fn waited_by_now(&self, probe: &impl Probe) -> Duration {
        probe.queues().map_or_else(|| self.waited.get(), |queues| self.waited(&queues))
    }

    /// Returns how long the threads of the bot and its helpers have run since the first check.
    fn ran(&self, now: &Queues) -> Duration {
        let before = self.first_look.get().and_then(|first| first.queues.as_ref());
        before.map_or(Duration::ZERO, |before| now.ran_since(before))
    }

    /// Returns the time beyond the limit, up to the answer if it is there.
    pub(crate) fn beyond(&self, meter: &CpuMeter) -> Duration {
        match self.stamp.get() {
            Some(stamp) => stamp.beyond,
            None => self.beyond_at(self.started.elapsed(), meter),
        }
    }

    /// Returns the time beyond the limit for an answer after this much wall time.
    ///
    /// If the answer is there at the first check, only CPU time counts: the wall time may be the
    /// arena's fault.
    fn beyond_at(&self, wall: Duration, probe: &impl Probe) -> Duration {
        let Some(limit) = self.limit else { return Duration::ZERO };
        if limit.bank.left.is_zero() || wall < limit.time {
            return Duration::ZERO;
        }
        let first_look = self.first_look.get().map_or(wall, |first| first.wall);
        let wall = wall - first_look.saturating_sub(limit.time);
        if limit.by_wall() {
            return wall.saturating_sub(limit.time);
        }
        let mut beyond_wall = wall.saturating_sub(limit.longest);
        if !beyond_wall.is_zero() {
            beyond_wall = beyond_wall.saturating_sub(self.waited_by_now(probe));
        }
        self.cpu(probe).saturating_sub(limit.time).max(beyond_wall)
    }

    /// Describes the limit, for the fault of a bot that exceeded it.
    pub(crate) fn words(&self, meter: &CpuMeter) -> String {
        self.words_at(self.wall(), meter, meter.measures())
    }

    fn words_at(&self, wall: Duration, probe: &impl Probe, measured: bool) -> String {
        let Some(limit) = self.limit else { return "no limit".to_owned() };
        let cpu = self.cpu(probe);
        let mut words = match measured {
            true => format!("{} ms of CPU time in {} ms", cpu.as_millis(), wall.as_millis()),
            false => format!("{} ms have passed", wall.as_millis()),
        };
        let waited = || self.waited_by_now(probe).as_millis();
        if wall >= limit.longest
            && !limit.by_wall()
            && let waited @ 1.. = waited()
        {
            words.push_str(&format!(", {waited} ms of them waiting for a core"));
        }
        words.push_str(&format!("; the limit is {} ms", limit.time.as_millis()));
        if measured && !limit.by_wall() && cpu < limit.time {
            words.push_str(&format!(
                " of CPU time, and {} ms for a bot that waits for something (does it flush its \
                 output?)",
                limit.longest.as_millis()
            ));
        }
        let Bank { whole, left } = limit.bank;
        if !whole.is_zero() {
            let beyond =
                self.stamp.get().map_or_else(|| self.beyond_at(wall, probe), |stamp| stamp.beyond);
            let now = beyond.min(left);
            let used = whole - left + now;
            words.push_str(&format!(
                ", and {} of {} ms of the bank are used, {} ms of them now",
                used.as_millis(),
                whole.as_millis(),
                now.as_millis()
            ));
        }
        words
    }
}

/// A bot's bank of time in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bank {
    pub(super) whole: Duration,
    pub(super) left: Duration,
}

impl Bank {
    /// Returns the full bank of a clock.
    pub(crate) fn of(clock: Option<Clock>) -> Bank {
        let whole = clock.map_or(Duration::ZERO, |clock| clock.bank);
        Bank { whole, left: whole }
    }

    /// Takes off the time that an answer took beyond its limit.
    ///
    /// Call it when the answer has come, or nobody waits for it any more.
    pub(crate) fn charge(&mut self, beyond: Duration) {
        self.left -= beyond.min(self.left);
    }
}

#[cfg(test)]
mod tests;
