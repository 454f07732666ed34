//! What a program has used, for whoever examines it.

use std::{fs, mem::MaybeUninit, ptr, time::Duration};

use super::{Exit, Process, last_output};

/// How long the last words of a process that has ended may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What a bot's process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the process with all its threads; of a runner that is started anew each turn that of all turns,
    /// with the programs that it started and waited for.
    pub cpu: Duration,
    /// The most memory that was resident at a time, in bytes; `None` if that is not known any more. Of a runner it
    /// is not below what the arena itself had resident when it started the runner.
    pub peak_memory: Option<u64>,
    /// Bytes written to stderr; of a runner also to stdout, which is no more than talk.
    pub stderr: u64,
    /// How the process has ended, if it has.
    pub ended: Option<Exit>,
}

impl Process {
    /// What the process has used so far; `None` if it is no child.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let child = self.child.as_ref()?;
        let peak_memory = self.id().and_then(peak_memory);
        Some(Usage { cpu: child.meter.used(), peak_memory, stderr: child.talk.total(), ended: self.exit() })
    }

    /// What a process that has ended has used, with the programs that it started and waited for; `None` once it has
    /// been killed.
    pub(crate) fn family_usage(&self) -> Option<Usage> {
        let talk = &self.child.as_ref()?.talk;
        let ended = Some(self.exit()?);
        let used = resources(self.id()?)?;
        let cpu = duration(used.ru_utime) + duration(used.ru_stime);
        // The kernel counts in KiB.
        let peak_memory = u64::try_from(used.ru_maxrss).ok().map(|kib| kib << 10);
        // What it said last may still be on its way.
        talk.tail(LAST_WORDS);
        Some(Usage { cpu, peak_memory, stderr: talk.total(), ended })
    }

    /// CPU time used so far, until the process has been killed; of one that has ended by itself with that of the
    /// programs that it started and waited for. `None` if it is no child.
    pub(super) fn family_cpu(&self) -> Option<Duration> {
        let meter = self.child.as_ref()?.meter;
        let of_dead = self.exit().and(self.id()).and_then(resources);
        Some(of_dead.map_or_else(|| meter.used(), |used| duration(used.ru_utime) + duration(used.ru_stime)))
    }

    /// The most memory that was resident at a time, in bytes; `None` once it has been killed. Of a process that has
    /// ended it is not below what its parent had resident when it started it.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let id = self.id()?;
        // The kernel counts in KiB.
        let of_dead = || u64::try_from(self.exit().and(resources(id))?.ru_maxrss).ok().map(|kib| kib << 10);
        peak_memory(id).or_else(of_dead)
    }

    /// The end of what the process has written since its last answer, as printable text.
    pub(crate) fn unasked(&mut self) -> String {
        self.pump();
        last_output(self.inbox())
    }
}

/// The high-water mark of a running process in bytes; the dead have no memory any more.
pub(super) fn peak_memory(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// What a child that has ended and has not been reaped has used, with its own children that it has reaped.
#[allow(unsafe_code)]
fn resources(pid: i32) -> Option<libc::rusage> {
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: a plain system call; `used` is a valid place for the result during the call, and the place for facts
    // about the child's end may be null. The library's function of this name has no argument for the resources.
    let result = unsafe {
        let nothing = ptr::null_mut::<libc::siginfo_t>();
        libc::syscall(libc::SYS_waitid, libc::P_PID, pid, nothing, options, used.as_mut_ptr())
    };
    // SAFETY: all fields are numbers, for which zero bytes are valid; the kernel wrote others over them.
    (result == 0).then(|| unsafe { used.assume_init() })
}

fn duration(time: libc::timeval) -> Duration {
    // Used time is never negative.
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}
