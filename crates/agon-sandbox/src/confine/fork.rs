//! Runs a task in a child process: a confinement that cannot be undone, or what this process may
//! not do itself once it has entered namespaces.
//!
//! The search for this machine's mechanisms and `agon doctor` try them this way.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
};

use rustix::{
    pipe::{PipeFlags, pipe_with},
    process::{Pid, WaitOptions, waitpid},
};
use serde::{Serialize, de::DeserializeOwned};

/// A child process that does a task as soon as it is told.
#[derive(Debug)]
pub(super) struct Beside {
    pid: i32,
    /// Its end starts the task.
    begin: OwnedFd,
    results: OwnedFd,
}

impl Beside {
    /// Starts the process, which has to have one thread.
    ///
    /// # Errors
    /// If no process can be made.
    pub(super) fn start(task: impl FnOnce() -> io::Result<()>) -> io::Result<Beside> {
        let (told, begin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (results, sender) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: the process has one thread, so the child may do everything that the parent may.
        #[allow(unsafe_code)]
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(io::Error::last_os_error());
        }
        if pid > 0 {
            return Ok(Beside { pid, begin, results });
        }
        drop((begin, results));
        let waited = File::from(told).read(&mut [0]);
        // Otherwise the parent gave up.
        if matches!(waited, Ok(1)) {
            let result = task().map_err(|error| error.to_string());
            let _ = postcard::to_stdvec(&result).map(|bytes| File::from(sender).write_all(&bytes));
        }
        // SAFETY: ends the process without the parent's own tasks for its end.
        #[allow(unsafe_code)]
        unsafe {
            libc::_exit(0)
        }
    }

    /// Has the task done.
    ///
    /// # Errors
    /// With those of the task.
    pub(super) fn finish(self) -> io::Result<()> {
        let Beside { pid, begin, results } = self;
        File::from(begin).write_all(&[1])?;
        received::<Result<(), String>>(pid, results)?.map_err(io::Error::other)
    }
}

/// Runs a task in a child process, and returns its result.
///
/// The child ends at once. The calling process must have one thread.
///
/// # Errors
///
/// If no process can be made, or the child ends without a result.
pub(crate) fn in_child<T: Serialize + DeserializeOwned>(task: impl FnOnce() -> T) -> io::Result<T> {
    let (receiver, sender) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: the process has one thread, so the child may do everything that the parent may.
    #[allow(unsafe_code)]
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    if pid == 0 {
        drop(receiver);
        let sent = postcard::to_stdvec(&task())
            .is_ok_and(|bytes| File::from(sender).write_all(&bytes).is_ok());
        // SAFETY: ends the process without the parent's own tasks for its end.
        #[allow(unsafe_code)]
        unsafe {
            libc::_exit(i32::from(!sent))
        }
    }
    drop(sender);
    received(pid, receiver)
}

/// Returns what a child has sent at its end.
fn received<T: DeserializeOwned>(pid: i32, receiver: OwnedFd) -> io::Result<T> {
    let mut bytes = Vec::new();
    let read = File::from(receiver).read_to_end(&mut bytes);
    // A process that ignores its children's ends has nothing to wait for.
    while matches!(waitpid(Pid::from_raw(pid), WaitOptions::empty()), Err(rustix::io::Errno::INTR))
    {
    }
    read?;
    postcard::from_bytes(&bytes).map_err(|_| io::Error::other("a child process ended early"))
}
