//! Keeping a match on one processor core.
//!
//! A question to a program and its answer take a fraction of the time when both run on the same
//! core, and several matches side by side do not disturb each other. The pool in `agon-arena`
//! chooses the cores.

use std::io;

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Returns the cores that this thread may run on.
#[cfg(target_os = "linux")]
pub fn cores() -> io::Result<Vec<usize>> {
    let allowed = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect())
}

/// Keeps this thread, and the threads and processes it will start, on one core.
#[cfg(target_os = "linux")]
pub fn pin_to_core(core: usize) -> io::Result<()> {
    let allowed = cores()?;
    if !allowed.contains(&core) {
        let text = format!("this process may use the cores {allowed:?}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    stay_on(&[core])
}

/// Keeps this thread, and the threads and processes it will start, on some cores.
#[cfg(target_os = "linux")]
pub fn stay_on(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    Ok(sched_setaffinity(None, &set)?)
}

/// Returns the cores that this thread may run on.
#[cfg(not(target_os = "linux"))]
pub fn cores() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Keeps this thread, and the threads and processes it will start, on one core.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_core(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Keeps this thread, and the threads and processes it will start, on some cores.
#[cfg(not(target_os = "linux"))]
pub fn stay_on(_: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Keeps this thread on one core. Dropping it restores the earlier cores.
#[derive(Debug)]
pub(crate) struct Pinned {
    before: Vec<usize>,
}

impl Pinned {
    pub(crate) fn to(core: usize) -> io::Result<Pinned> {
        let before = cores()?;
        pin_to_core(core)?;
        Ok(Pinned { before })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // It worked before. If the system refuses it now, the thread just stays where it is.
        let _ = stay_on(&self.before);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_on_its_core_for_a_while() {
        let before = cores().unwrap();
        let core = *before.last().unwrap();
        let pinned = Pinned::to(core).unwrap();
        assert_eq!(cores().unwrap(), [core]);
        drop(pinned);
        assert_eq!(cores().unwrap(), before);
    }

    #[test]
    fn an_impossible_core_is_refused() {
        let error = pin_to_core(100_000).unwrap_err().to_string();
        assert!(error.starts_with("this process may use the cores ["), "{error}");
    }
}
