//! Sets the limits of a program that the kernel enforces, and its processor cores.

use std::fs;

use rustix::process::{
    Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::{ConfineError, Offer, SandboxState, failed, sandbox_state::Identity};
use crate::{Mechanism, Order};

/// Bytes that a program may lock in memory.
const LOCKED: u64 = 64 << 10;

/// Bytes that a process may have beyond its limit of memory without using them.
///
/// The kernel counts what is reserved: 8 GiB for any program of SBCL, and for a JVM a part of the
/// machine's memory. The supervisor measures what is used.
const RESERVED: u64 = 64 << 30;

/// Signals that may wait for all processes of a program, and timers.
///
/// In a namespace of users they count for the user outside as well.
const SIGNALS: u64 = 512;

/// How far behind other programs a confined one comes where they share a core.
///
/// It matters only where the kernel does not share cores between sessions first, as in most
/// containers. There the arena would wait for dozens of busy processes of a bot.
const NICE: i32 = 10;

/// Processes that a user may start beside a program while it runs.
///
/// It matters only where the kernel counts them together with the program's processes.
const SLACK: u64 = 1000;

/// Decides the kernel's limit of processes, and notes it if it differs from the requested one.
pub(super) fn count_processes(order: &Order, offer: &Offer, state: &mut SandboxState) {
    let Some(limit) = order.limits.processes else { return };
    let why = if let Some(why) = offer.refused(Mechanism::ProcessLimit) {
        why
    } else {
        match state.identity {
            Identity::Spare(_) | Identity::Sub(_) if order.sandbox.is_some() => {
                state.processes = Some(limit);
                return state.holds(Mechanism::ProcessLimit, "of a user of its own");
            }
            _ if state.root => "root's processes are not limited by the kernel",
            Identity::Namespace(_) if kernel() >= (5, 14) => {
                // The supervisor and the first process count, too.
                state.processes = Some(limit.saturating_add(2));
                return state.holds(Mechanism::ProcessLimit, "of a namespace of users");
            }
            Identity::Namespace(_) => "kernels before 5.14 count all processes of the user",
            _ => {
                "the kernel counts all processes of the user, as the program has no namespace of \
                 its own"
            }
        }
    };
    // Still, a program must not fill the machine before the supervisor counts its processes.
    state.processes = Some(limit.saturating_add(tasks()).saturating_add(SLACK));
    state.lacks(Mechanism::ProcessLimit, format!("{why}; the arena counts them now and then"));
}

/// Returns the version of the kernel.
pub(super) fn kernel() -> (u32, u32) {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy();
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Returns the number of processes and threads on the machine.
fn tasks() -> u64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(['/', ' ']).nth(4).and_then(|count| count.parse().ok()).unwrap_or(SLACK)
}

/// Applies all limits to the calling process.
pub(super) fn apply(order: &Order, state: &SandboxState) -> Result<(), ConfineError> {
    let limits = &order.limits;
    let asked = [
        ("of memory", Resource::Data, limits.memory.map(|used| used.saturating_add(RESERVED))),
        ("of processes", Resource::Nproc, state.processes),
        ("of open files", Resource::Nofile, limits.files),
        ("of file sizes", Resource::Fsize, limits.file),
    ];
    for (name, resource, limit) in asked {
        if let Some(limit) = limit {
            lower(resource, limit, limit).map_err(|error| {
                failed(format!("cannot set the limit {name} to {limit}"))(error)
            })?;
        }
    }
    if let Some(seconds) = limits.cpu {
        // First a signal that a program can handle, and a second later one that it cannot ignore.
        lower(Resource::Cpu, seconds, seconds.saturating_add(1))
            .map_err(failed("cannot limit the CPU time"))?;
    }
    if order.sandbox.is_some() {
        // The kernel cuts what is too high.
        getpriority_process(None)
            .and_then(|nice| setpriority_process(None, nice + NICE))
            .map_err(failed("cannot put it behind others"))?;
        let none = [Resource::Core, Resource::Msgqueue, Resource::Rtprio, Resource::Nice];
        let few = [(Resource::Memlock, LOCKED), (Resource::Sigpending, SIGNALS)];
        for (resource, limit) in none.map(|resource| (resource, 0)).into_iter().chain(few) {
            lower(resource, limit, limit).map_err(failed("cannot lower a limit"))?;
        }
    }
    Ok(())
}

/// Sets a limit, but never above its current value.
fn lower(resource: Resource, current: u64, maximum: u64) -> rustix::io::Result<()> {
    let hard = getrlimit(resource).maximum;
    let at_most = |limit| Some(hard.map_or(limit, |hard| hard.min(limit)));
    setrlimit(resource, Rlimit { current: at_most(current), maximum: at_most(maximum) })
}

/// Keeps the process on some processor cores.
///
/// If they are not available any more, the program starts all the same.
pub(crate) fn pin(cores: &[usize]) {
    let mut set = CpuSet::new();
    for core in cores.iter().filter(|core| **core < CpuSet::MAX_CPU) {
        set.set(*core);
    }
    if set.count() > 0 {
        let _ = sched_setaffinity(None, &set);
    }
}
