//! Forking, in processes with a single thread.

use std::io;

use rustix::process::Pid;

/// Which process goes on.
pub(super) enum Forked {
    /// The parent, with its child.
    Parent(Pid),
    /// The child, which must end with [`leave`].
    Child,
}

/// Makes a copy of this process.
///
/// # Errors
/// If there may be no more processes.
#[allow(unsafe_code)]
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: this process has one thread, so that the child finds no lock held by another.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid => {
            Pid::from_raw(pid).filter(|_| pid > 0).map(Forked::Parent).ok_or_else(io::Error::last_os_error)
        }
    }
}

/// Bytes of stack for what a child does before it executes a program. None of it calls itself.
const STACK: usize = 1 << 20;

/// Starts a child that executes a program: `execute` returns only if that fails, and then the child ends. Returns when one
/// or the other has happened.
///
/// Until then the child works in the memory of this process, which stands still. So none of it is copied, neither when
/// the child begins nor when one of both writes to it, and whatever `execute` leaves there can be read afterwards.
/// Everything else, like descriptors, limits and privileges, is the child's own.
///
/// # Errors
/// If there may be no more processes.
#[allow(unsafe_code)]
pub(super) fn fork_to_execute<F: FnOnce()>(execute: F) -> io::Result<Pid> {
    extern "C" fn run<F: FnOnce()>(task: *mut libc::c_void) -> libc::c_int {
        // SAFETY: it is the pointer below, and its owner stands still.
        let task = unsafe { &mut *task.cast::<Option<F>>() };
        if let Some(execute) = task.take() {
            execute();
        }
        127
    }
    let mut task = Some(execute);
    let mut stack: Vec<u128> = Vec::with_capacity(STACK / size_of::<u128>());
    // It grows downwards. The alignment of its elements is that of stacks.
    let top = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack and the task live until the child has left this memory, which is before the call returns. Nobody
    // else uses the memory meanwhile: this process has one thread, and that one waits.
    let pid = unsafe { libc::clone(run::<F>, top.cast(), flags, (&raw mut task).cast()) };
    Pid::from_raw(pid).filter(|_| pid > 0).ok_or_else(io::Error::last_os_error)
}

/// Ends this process at once, without what a program does at its end.
#[allow(unsafe_code)]
pub(super) fn leave(status: i32) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(status) }
}

/// How signals are taken: as the kernel does it, or not at all.
#[allow(unsafe_code)]
pub(super) fn take_signal(signal: i32, ignore: bool) {
    let how = if ignore { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: no handler is installed; what is no signal, or has to stay as it is, is refused.
    unsafe { libc::signal(signal, how) };
}

/// What a child that has ended used, with its own children that it had waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reaped {
    pub(super) pid: i32,
    /// As `wait` has it.
    pub(super) status: i32,
    pub(super) usage: libc::rusage,
}

/// Waits for a child (any, if `pid` is -1) to end, or only looks whether one has; `None` if there is none (yet).
#[allow(unsafe_code)]
pub(super) fn reap(pid: i32, wait: bool) -> Option<Reaped> {
    let options = if wait { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: all fields are numbers, for which zero bytes are valid.
        let mut reaped = Reaped { pid, status: 0, usage: unsafe { std::mem::zeroed() } };
        // SAFETY: both are valid places for the results during the call.
        reaped.pid = unsafe { libc::wait4(pid, &mut reaped.status, options, &mut reaped.usage) };
        match reaped.pid {
            1.. => return Some(reaped),
            0 => return None,
            _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ => return None,
        }
    }
}
