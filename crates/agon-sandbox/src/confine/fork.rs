//! Runs a task in a child process, such as a confinement that cannot be undone.
//!
//! The search for this machine's mechanisms and `agon doctor` try them this way.

use std::{
    fs::File,
    io::{self, Read, Write},
};

use rustix::{
    pipe::{PipeFlags, pipe_with},
    process::{Pid, WaitOptions, waitpid},
};
use serde::{Serialize, de::DeserializeOwned};

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
    let mut bytes = Vec::new();
    let read = File::from(receiver).read_to_end(&mut bytes);
    // A process that ignores its children's ends has nothing to wait for.
    while matches!(waitpid(Pid::from_raw(pid), WaitOptions::empty()), Err(rustix::io::Errno::INTR))
    {
    }
    read?;
    postcard::from_bytes(&bytes).map_err(|_| io::Error::other("a child process ended early"))
}
