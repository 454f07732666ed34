//! Forks the supervisor, init and the program, and waits for the ends of children. The process that
//! forks has a single thread.
//!
//! [`in_child`] and [`Beside`] run tasks in children: a confinement that cannot be undone, or what
//! this process may not do itself once it has entered namespaces. The search for this machine's
//! mechanisms and `agon doctor` try them this way.

use std::io::{self, Read, Write};
use std::{fs::File, os::fd::OwnedFd, ptr};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;
use serde::{Serialize, de::DeserializeOwned};

/// The process that continues.
pub(crate) enum Forked {
    /// The parent, with its child.
    Parent(Pid),
    /// The child, which must end with [`leave`].
    Child,
}

/// Makes a copy of this process.
#[allow(unsafe_code)]
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: this process has one thread, so the child finds no lock held by another thread.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid => number(pid).map(Forked::Parent),
    }
}

/// Bytes of stack for a child before it executes a program. It has no recursion.
const STACK: usize = 1 << 20;

/// Bytes of forbidden memory below that stack.
///
/// More than a page, because a function may skip some bytes.
const GUARD: usize = 64 << 10;

/// The stack of a child that works in the memory of this process.
#[derive(Debug)]
struct Stack {
    /// The start of the guard; the stack follows it.
    start: *mut libc::c_void,
}

#[allow(unsafe_code)]
impl Stack {
    /// Maps a stack with a guard below it.
    fn new() -> io::Result<Stack> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: new memory at a place that the kernel chooses.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), GUARD + STACK, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Stack { start };
        // SAFETY: the part above the guard in the newly mapped memory.
        let opened =
            unsafe { libc::mprotect(stack.bottom(), STACK, libc::PROT_READ | libc::PROT_WRITE) };
        if opened == 0 { Ok(stack) } else { Err(io::Error::last_os_error()) }
    }

    /// Returns the lowest usable address.
    fn bottom(&self) -> *mut libc::c_void {
        self.start.wrapping_byte_add(GUARD)
    }

    /// Returns the start of the stack, which grows downwards. Pages have the alignment of stacks.
    fn top(&self) -> *mut libc::c_void {
        self.bottom().wrapping_byte_add(STACK)
    }
}

#[allow(unsafe_code)]
impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: all of the mapped memory, which nobody uses any more.
        unsafe { libc::munmap(self.start, GUARD + STACK) };
    }
}

/// Starts a child that executes a program, and returns when it does so or has failed.
///
/// `execute` returns only if it fails, and then the child ends. Until then the child works in the
/// memory of this process, which stands still. So nothing is copied, neither at the child's start
/// nor on writes, and results of `execute` can be read afterwards. Everything else, such as
/// descriptors, limits and privileges, is the child's own.
///
/// `execute` should allocate nothing: make everything that it needs before. If its stack overflows,
/// the child ends, and no memory of this process is written.
#[allow(unsafe_code)]
pub(crate) fn fork_to_execute<F: FnOnce()>(execute: F) -> io::Result<Pid> {
    extern "C" fn run<F: FnOnce()>(task: *mut libc::c_void) -> libc::c_int {
        // SAFETY: it is the pointer below, and its owner stands still.
        let task = unsafe { &mut *task.cast::<Option<F>>() };
        if let Some(execute) = task.take() {
            execute();
        }
        127
    }
    let mut task = Some(execute);
    let stack = Stack::new()?;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack and the task live until the child has left this memory, which is before the
    // call returns. Nobody else uses the memory meanwhile: this process has one thread, and that
    // one waits.
    let pid = unsafe { libc::clone(run::<F>, stack.top(), flags, (&raw mut task).cast()) };
    number(pid)
}

/// Returns the number of a new process, or the error behind a negative number.
fn number(pid: i32) -> io::Result<Pid> {
    let error = io::Error::last_os_error();
    let pid = if pid > 0 { Pid::from_raw(pid) } else { None };
    pid.ok_or(error)
}

/// Ends this process at once, without the usual tasks at the end of a program.
#[allow(unsafe_code)]
pub(crate) fn leave(status: i32) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(status) }
}

/// Sets the handling of a signal: the kernel's default, or none.
#[allow(unsafe_code)]
pub(crate) fn take_signal(signal: i32, ignore: bool) {
    let how = if ignore { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: no handler is installed. The system refuses invalid numbers and fixed signals.
    unsafe { libc::signal(signal, how) };
}

/// The usage of an ended child, and of its own children that it had waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    /// The status in the format of `wait`.
    pub(crate) status: i32,
    pub(crate) usage: libc::rusage,
}

/// Waits for the end of a child (any, if `pid` is -1), or only checks for one.
///
/// `None` if there is none, or none yet.
#[allow(unsafe_code)]
pub(crate) fn reap(pid: i32, wait: bool) -> Option<Reaped> {
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

/// A child process that does a task as soon as it is told.
#[derive(Debug)]
pub(crate) struct Beside {
    pid: Pid,
    /// Its end starts the task.
    begin: OwnedFd,
    results: OwnedFd,
}

impl Beside {
    /// Starts the process, which has to have one thread.
    pub(crate) fn start(task: impl FnOnce() -> io::Result<()>) -> io::Result<Beside> {
        let (told, begin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (results, sender) = pipe_with(PipeFlags::CLOEXEC)?;
        if let Forked::Parent(pid) = fork()? {
            return Ok(Beside { pid, begin, results });
        }
        drop((begin, results));
        let waited = File::from(told).read(&mut [0]);
        // Otherwise the parent gave up.
        if matches!(waited, Ok(1)) {
            let result = task().map_err(|error| error.to_string());
            let _ = postcard::to_stdvec(&result).map(|bytes| File::from(sender).write_all(&bytes));
        }
        leave(0)
    }

    /// Has the task done.
    ///
    /// # Errors
    /// With those of the task.
    pub(crate) fn finish(self) -> io::Result<()> {
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
    let Forked::Parent(pid) = fork()? else {
        drop(receiver);
        let sent = postcard::to_stdvec(&task())
            .is_ok_and(|bytes| File::from(sender).write_all(&bytes).is_ok());
        leave(i32::from(!sent))
    };
    drop(sender);
    received(pid, receiver)
}

/// Returns what a child has sent at its end.
fn received<T: DeserializeOwned>(pid: Pid, receiver: OwnedFd) -> io::Result<T> {
    let mut bytes = Vec::new();
    let read = File::from(receiver).read_to_end(&mut bytes);
    // A process that ignores its children's ends has nothing to wait for.
    reap(pid.as_raw_nonzero().get(), true);
    read?;
    postcard::from_bytes(&bytes).map_err(|_| io::Error::other("a child process ended early"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rights of the memory at an address, from `/proc/self/maps`.
    fn rights(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
        let line = maps.lines().find(|line| {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            (number(start)..number(end)).contains(&address)
        });
        line.unwrap().split(' ').nth(1).unwrap().to_owned()
    }

    #[test]
    fn nobody_may_touch_what_is_below_the_stack() {
        let stack = Stack::new().unwrap();
        let start = stack.start.addr();
        let bottom = stack.bottom().addr();
        let top = stack.top().addr();
        assert_eq!((bottom - start, top - bottom, top % 4096), (GUARD, STACK, 0));
        for address in [start, bottom - 1] {
            assert_eq!(rights(address), "---p");
        }
        for address in [bottom, top - 1] {
            assert_eq!(rights(address), "rw-p");
        }
    }

    /// Uses the stack without end; it returns a value so that the compiler keeps it.
    #[allow(unconditional_recursion)]
    fn deeper(frames: u64) -> u64 {
        let frame = std::hint::black_box([frames; 64]);
        deeper(frames + 1) + std::hint::black_box(&frame)[0]
    }

    #[test]
    fn a_child_whose_stack_overflows_ends_and_the_parent_goes_on() {
        let mut begun = false;
        let child = fork_to_execute(|| {
            begun = true;
            std::hint::black_box(deeper(0));
        });
        let reaped = reap(child.unwrap().as_raw_nonzero().get(), true).unwrap();
        assert!(begun && libc::WIFSIGNALED(reaped.status), "{}", reaped.status);
        let signal = libc::WTERMSIG(reaped.status);
        // The runtime's own handler may have recognised an overflow.
        assert!([libc::SIGSEGV, libc::SIGABRT].contains(&signal), "{signal}");
    }
}
