//! Forking, in processes with a single thread.

use std::{io, ptr};

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
        pid => number(pid).map(Forked::Parent),
    }
}

/// Bytes of stack for what a child does before it executes a program. None of it calls itself.
const STACK: usize = 1 << 20;

/// Bytes below that stack that nobody may touch. More than a page: a function may skip some of
/// them.
const GUARD: usize = 64 << 10;

/// A stack for a child that works in the memory of this process.
#[derive(Debug)]
struct Stack {
    /// Where the guard begins; the stack follows.
    start: *mut libc::c_void,
}

#[allow(unsafe_code)]
impl Stack {
    /// Maps a stack with a guard below it.
    ///
    /// # Errors
    /// If there is no memory.
    fn new() -> io::Result<Stack> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: new memory at a place that the kernel chooses.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), GUARD + STACK, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Stack { start };
        // SAFETY: the part above the guard of the memory that was just mapped.
        let opened =
            unsafe { libc::mprotect(stack.bottom(), STACK, libc::PROT_READ | libc::PROT_WRITE) };
        if opened == 0 { Ok(stack) } else { Err(io::Error::last_os_error()) }
    }

    /// The lowest address that may be used.
    fn bottom(&self) -> *mut libc::c_void {
        self.start.wrapping_byte_add(GUARD)
    }

    /// Where the stack begins: it grows downwards. Pages are aligned as stacks want it.
    fn top(&self) -> *mut libc::c_void {
        self.bottom().wrapping_byte_add(STACK)
    }
}

#[allow(unsafe_code)]
impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: all of what was mapped, which nobody uses any more.
        unsafe { libc::munmap(self.start, GUARD + STACK) };
    }
}

/// Starts a child that executes a program: `execute` returns only if that fails, and then the child
/// ends. Returns when one or the other has happened.
///
/// Until then the child works in the memory of this process, which stands still. So none of it is
/// copied, neither when the child begins nor when one of both writes to it, and whatever `execute`
/// leaves there can be read afterwards. Everything else, like descriptors, limits and privileges,
/// is the child's own. `execute` should allocate nothing: what it needs is better made before. If
/// its stack overflows, the child ends, and no memory of this process is written to.
///
/// # Errors
/// If there is no memory for a stack, or there may be no more processes.
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
    let stack = Stack::new()?;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack and the task live until the child has left this memory, which is before the
    // call returns. Nobody else uses the memory meanwhile: this process has one thread, and that
    // one waits.
    let pid = unsafe { libc::clone(run::<F>, stack.top(), flags, (&raw mut task).cast()) };
    number(pid)
}

/// The number of a new process, or why there is none if the system gave a negative one.
fn number(pid: i32) -> io::Result<Pid> {
    let error = io::Error::last_os_error();
    let pid = if pid > 0 { Pid::from_raw(pid) } else { None };
    pid.ok_or(error)
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

/// Waits for a child (any, if `pid` is -1) to end, or only looks whether one has; `None` if there
/// is none (yet).
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The rights of the memory at an address, as `/proc/self/maps` has them.
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

    /// Uses the stack without end; returns so that the compiler keeps it.
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
