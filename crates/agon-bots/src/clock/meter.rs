//! Measures the CPU time of a bot's processes, and how long they waited for a core. Timers charge
//! bots by it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agon_sandbox::{Member, RunningProgram, Tree};
use rustix::time::{ClockId, clock_gettime};
use rustix::{param::clock_ticks_per_second, process::Pid};

use super::Queues;
use super::unseen::{Unseen, until_next_look};

/// Measurements of a bot's process that a timer needs.
pub(crate) trait Probe {
    /// Returns the CPU time used so far. Searches for helpers first.
    fn look_and_measure(&self) -> Duration;

    /// Returns the CPU time used so far, without a search for helpers.
    fn known(&self) -> Duration;

    /// Returns the times of its threads in the run queues; `None` where they cannot be read.
    fn queues(&self) -> Option<Queues>;

    /// Returns the time until the next look, if helpers have to be watched.
    fn until_next_look(&self) -> Option<Duration> {
        None
    }
}

/// Reads the CPU time of a bot's processes, and how long their threads have waited for a core.
///
/// Reading the clock of the first process is exact and costs next to nothing. Finding its helpers,
/// the other processes, takes some microseconds each. So they are searched for only after an
/// answer exceeds its wall limit; once found, they are measured on every answer, and watched while
/// it is awaited. CPU time that they used before is not charged, because it is unknown which answer
/// it belongs to. That does not hold for helpers that started after the question, nor for the first
/// answer: all earlier time belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct CpuMeter(Option<Arc<Processes>>);

#[derive(Debug)]
struct Processes {
    clock: libc::clockid_t,
    pid: Pid,
    /// `None` for a process that is measured alone.
    tree: Option<Arc<Tree>>,
    helpers: Mutex<Helpers>,
}

/// The helpers of a bot: the processes that its first one has started.
#[derive(Debug, Default)]
struct Helpers {
    /// How many questions the bot has been asked, and when it was asked the last one, in the
    /// kernel's ticks since the start of the machine.
    questions: u64,
    asked: u64,
    /// Whether some have been found, and whether that was before the current question.
    found: bool,
    known_before: bool,
    /// CPU time of the helpers that is not charged.
    uncharged: Duration,
    /// The estimate for those that ended without a trace.
    unseen: Unseen,
}

impl CpuMeter {
    /// The meter of bots without a process: always reads zero.
    pub(crate) const NONE: CpuMeter = CpuMeter(None);

    /// Makes a meter for a running process alone.
    #[cfg(test)]
    pub(crate) fn of(pid: Pid) -> CpuMeter {
        CpuMeter::measuring(pid, None)
    }

    /// Makes a meter for a program and everything that it starts.
    pub(crate) fn of_program(program: &RunningProgram) -> CpuMeter {
        CpuMeter::measuring(program.pid, Some(Arc::clone(&program.tree)))
    }

    #[allow(unsafe_code)]
    fn measuring(pid: Pid, tree: Option<Arc<Tree>>) -> CpuMeter {
        let mut clock = 0;
        // SAFETY: `clock` is a valid place for the clock's id during the call, which keeps no
        // pointer to it.
        let error = unsafe { libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &mut clock) };
        let helpers = Mutex::default();
        CpuMeter((error == 0).then(|| Arc::new(Processes { clock, pid, tree, helpers })))
    }

    /// Returns whether there is a process to measure.
    pub(crate) fn measures(&self) -> bool {
        self.0.is_some()
    }

    /// Counts a question and returns the CPU time used so far.
    ///
    /// `None` if there is no process whose time can be read.
    pub(crate) fn question_begins(&self) -> Option<Duration> {
        let processes = self.0.as_ref()?;
        let first = processes.used_by_first()?;
        let mut helpers = processes.helpers();
        helpers.questions += 1;
        helpers.asked = ticks();
        helpers.known_before = helpers.found;
        helpers.unseen.pause();
        Some(first + processes.charged_to_others(&mut helpers))
    }

    /// Returns the CPU time used so far, without a search for helpers.
    ///
    /// Zero where it cannot be read; then only the wall limit holds.
    pub(crate) fn used_so_far(&self) -> Duration {
        let Some(processes) = &self.0 else { return Duration::ZERO };
        let others = processes.charged_to_others(&mut processes.helpers());
        processes.used_by_first().unwrap_or_default() + others
    }

    /// Returns all CPU time used so far, even that of helpers that is not charged.
    pub(crate) fn used_in_all(&self) -> Duration {
        let Some(processes) = &self.0 else { return Duration::ZERO };
        let mut helpers = processes.helpers();
        let measured = processes.look(&mut helpers).1;
        processes.used_by_first().unwrap_or_default() + measured + helpers.unseen.cpu
    }

    /// Returns the most CPU time that the bot may have used since its question.
    ///
    /// `before` is the time charged until then. Helpers that were not known then may have used all
    /// of their time since.
    pub(crate) fn most_since(&self, before: Duration) -> Duration {
        let known = self.0.as_ref().is_some_and(|processes| processes.helpers().known_before);
        let used = if known { self.used_so_far() } else { self.used_in_all() };
        used.saturating_sub(before)
    }
}

impl Processes {
    fn helpers(&self) -> MutexGuard<'_, Helpers> {
        // Numbers are valid whatever happened to a thread that held the lock.
        self.helpers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the CPU time of the first process; `None` once it is gone.
    #[allow(unsafe_code)]
    fn used_by_first(&self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid place for the result during the call, which keeps no pointer to
        // it. The system refuses the id of a process that is gone.
        match unsafe { libc::clock_gettime(self.clock, &mut time) } {
            0 => Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32)),
            _ => None,
        }
    }

    /// Looks at the helpers; returns those that exist and their measured CPU time.
    fn look(&self, helpers: &mut Helpers) -> (Vec<Member>, Duration) {
        self.tree.as_ref().map(|tree| helpers.unseen.look(tree)).unwrap_or_default()
    }

    /// Returns the CPU time of the helpers that is charged; zero before some have been found.
    fn charged_to_others(&self, helpers: &mut Helpers) -> Duration {
        if !helpers.found {
            return Duration::ZERO;
        }
        let measured = self.look(helpers).1;
        (measured + helpers.unseen.cpu).saturating_sub(helpers.uncharged)
    }

    /// Searches for helpers, unless some have been found.
    fn look_for_others(&self) {
        let mut helpers = self.helpers();
        if helpers.found {
            return;
        }
        let (members, used) = self.look(&mut helpers);
        if members.is_empty() && used.is_zero() {
            return;
        }
        let is_new = |member: &&Member| member.started >= helpers.asked;
        let of_new = members.iter().filter(is_new).map(|member| member.cpu + member.cpu_of_ended);
        let older = used.saturating_sub(of_new.sum());
        let free = if helpers.questions > 1 { older } else { Duration::ZERO };
        (helpers.found, helpers.uncharged) = (true, free);
    }
}

impl Probe for CpuMeter {
    fn look_and_measure(&self) -> Duration {
        if let Some(processes) = &self.0 {
            processes.look_for_others();
        }
        CpuMeter::used_so_far(self)
    }

    fn known(&self) -> Duration {
        CpuMeter::used_so_far(self)
    }

    fn queues(&self) -> Option<Queues> {
        Queues::read([self.0.as_ref()?.pid])
    }

    fn until_next_look(&self) -> Option<Duration> {
        self.0.as_ref()?.helpers().found.then(until_next_look)
    }
}

/// Returns the time since the start of the machine in the kernel's ticks.
fn ticks() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative.
    time.tv_sec as u64 * clock_ticks_per_second()
        + time.tv_nsec as u64 * clock_ticks_per_second() / 1_000_000_000
}

/// A program that has ended, with its total CPU time.
pub(crate) struct Gone(pub(crate) Duration);

impl Probe for Gone {
    fn look_and_measure(&self) -> Duration {
        self.0
    }

    fn known(&self) -> Duration {
        self.0
    }

    fn queues(&self) -> Option<Queues> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_sees_work() {
        let meter = CpuMeter::of(rustix::process::getpid());
        let before = meter.used_so_far();
        let mut x = 1u64;
        while meter.used_so_far() < before + Duration::from_millis(5) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(meter.used_so_far() >= before + Duration::from_millis(5));
    }
}
