//! What a bot's process has used of the processor, and what it could not get.

use std::time::Duration;

use rustix::process::Pid;

use super::Queues;

/// What a timer needs to know of a bot's process.
pub(crate) trait Probe {
    /// CPU time used so far.
    fn used(&self) -> Duration;

    /// Its threads' times in the run queues; `None` where they cannot be read.
    fn queues(&self) -> Option<Queues>;
}

/// Reads the CPU time of a process, and how long its threads have waited for a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuMeter(Option<Process>);

#[derive(Clone, Copy, Debug)]
struct Process {
    clock: libc::clockid_t,
    pid: Pid,
}

impl CpuMeter {
    /// The meter of what is no child: it stands still.
    pub(crate) const NONE: CpuMeter = CpuMeter(None);

    /// The meter of a running process, which must not have been waited for.
    #[allow(unsafe_code)]
    pub(crate) fn of(pid: Pid) -> CpuMeter {
        let mut clock = 0;
        // SAFETY: `clock` is a valid place for the clock's id during the call, which keeps no pointer to it.
        let error = unsafe { libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &mut clock) };
        CpuMeter((error == 0).then_some(Process { clock, pid }))
    }

    /// Whether there is a process to be measured.
    pub(crate) fn measures(&self) -> bool {
        self.0.is_some()
    }

    /// CPU time used so far; zero where it cannot be read, which leaves the wall limit.
    #[allow(unsafe_code)]
    pub(crate) fn used(&self) -> Duration {
        let Some(Process { clock, .. }) = self.0 else { return Duration::ZERO };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid place for the result during the call, which keeps no pointer to it. An id
        // whose process is gone is refused with an error.
        match unsafe { libc::clock_gettime(clock, &mut time) } {
            0 => Duration::new(time.tv_sec as u64, time.tv_nsec as u32),
            _ => Duration::ZERO,
        }
    }
}

impl Probe for CpuMeter {
    fn used(&self) -> Duration {
        CpuMeter::used(self)
    }

    fn queues(&self) -> Option<Queues> {
        Queues::read([self.0?.pid])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_sees_work() {
        let meter = CpuMeter::of(rustix::process::getpid());
        let before = meter.used();
        let mut x = 1u64;
        while meter.used() < before + Duration::from_millis(5) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(meter.used() >= before + Duration::from_millis(5));
    }
}
