//! Init: the first process of a program's family. It starts the program, but never becomes the
//! program.
//!
//! The kernel treats the first process of a namespace specially, and some process has to reap
//! orphans.

use std::ffi::{CString, OsString};
use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::{fs::File, os::unix::ffi::OsStrExt, time::Duration};

use rustix::fs::{Mode, OFlags, openat};
use rustix::net::{SendFlags, send};
use rustix::process::{
    Pid, Signal, chdir, getpid, set_child_subreaper, set_parent_process_death_signal, setpgid,
    setsid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::{Request, failed, pool::Lease};
use crate::confine::{self, ConfineError, SandboxState};
use crate::fork::{fork_to_execute, leave, reap, take_signal};
use crate::{INHERITED, Mechanism, Order, message::Message, tree};

/// Descriptors from this number on are out of the way.
const FREE: i32 = 64;

/// The last real-time signal.
const LAST_SIGNAL: i32 = 64;

/// Init's report to the supervisor when the program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProgramEnded {
    /// The status in the format of `wait`.
    pub(super) status: i32,
    /// The peak of resident memory, in bytes.
    pub(super) peak_memory: u64,
}

/// Starts the program, and stays until it is killed itself.
///
/// `proc` is the machine's `/proc`, if there is one.
pub(super) fn init(
    request: Request,
    mut state: SandboxState,
    lease: Option<Lease>,
    proc: Option<OwnedFd>,
    mut report: PipeWriter,
) -> ! {
    let Request { mut order, control, stdio, inherits } = request;
    if !state.has(Mechanism::Mounts) {
        order.start_copies();
    }
    proc.into_iter().for_each(end_first);
    let started = prepare(&order, &mut state, lease, &control).and_then(|()| {
        let socket = confine::own_socket(&order)?;
        Ok((start(&order, &state, &control, stdio, inherits)?, socket))
    });
    let (program, socket) = match started {
        Ok(started) => started,
        Err(ConfineError { what, source }) => {
            failed(&control, &what, &source);
            leave(1);
        }
    };
    // If this cannot be sent, the arena is gone, and the supervisor is about to end everything.
    let running = Message::Running(state.confinement, own_cpu());
    let _ = match &socket {
        Some(socket) => running.send_with(&control, socket),
        None => running.send(&control),
    };
    // The last message comes from the supervisor.
    drop((control, socket));
    loop {
        match reap(-1, true) {
            Some(reaped) if reaped.pid == program.as_raw_nonzero().get() => {
                // The kernel counts in KiB.
                let peak_memory = u64::try_from(reaped.usage.ru_maxrss).unwrap_or(0) << 10;
                let ended = ProgramEnded { status: reaped.status, peak_memory };
                let sent = postcard::to_stdvec(&ended).map(|bytes| report.write_all(&bytes));
                if !matches!(sent, Ok(Ok(()))) {
                    leave(1);
                }
            }
            Some(_) => {}
            None => sleep(),
        }
    }
}

/// Makes this process the first of its family.
fn prepare(
    order: &Order,
    state: &mut SandboxState,
    lease: Option<Lease>,
    control: &OwnedFd,
) -> Result<(), ConfineError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(confine::failed("the supervisor cannot be watched"))?;
    setsid().map_err(confine::failed("there is no new session"))?;
    set_child_subreaper(Some(getpid())).map_err(confine::failed("orphans cannot be taken in"))?;
    let pooled = confine::set_up(order, confine::offer(), state, lease.is_some())?;
    if let (Some(pooled), Some(lease)) = (pooled, lease) {
        // If this fails, the next start sets up its own sandbox.
        let _ = lease.offer(&pooled);
    }
    // As the first process of a namespace it has number 1, and its `/proc` has exactly the
    // namespace's processes.
    let own_proc = if getpid().as_raw_nonzero().get() == 1 { namespace_proc() } else { None };
    let sent = match own_proc {
        Some(proc) => Message::Init.send_with(control, proc),
        None => Message::Init.send(control),
    };
    sent.map_err(confine::failed("the arena is gone"))
}

/// Asks the kernel to kill this family, and not the arena, when memory runs out.
///
/// Every process may ask for that.
fn end_first(proc: OwnedFd) {
    let path = "self/oom_score_adj";
    if let Ok(file) = openat(proc, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
        let _ = File::from(file).write_all(b"1000");
    }
}

/// Returns the `/proc` of this process's namespace, if there is one.
///
/// A `/proc` of another namespace has another process with number 1.
fn namespace_proc() -> Option<OwnedFd> {
    let own = std::fs::read_link("/proc/self").ok()?;
    if own.as_os_str() == "1" { tree::proc().ok() } else { None }
}

/// Forks the program's process, and returns once it runs. Its descriptors are then closed here.
fn start(
    order: &Order,
    state: &SandboxState,
    control: &OwnedFd,
    stdio: [OwnedFd; 3],
    inherits: Vec<OwnedFd>,
) -> Result<Pid, ConfineError> {
    confine::give_pipes(&stdio, state);
    let mut ready = PreparedProgram::new(order, state, stdio, inherits)?;
    let mut failure = None;
    let program = fork_to_execute(|| {
        failure = Some(ready.become_program(order, state, control));
    });
    let program = program.map_err(confine::failed("there may be no more processes"))?;
    failure.map_or(Ok(program), Err)
}

/// Everything that a process needs to become the program.
///
/// The process works in the memory of this one, so it allocates nothing unless something fails.
struct PreparedProgram {
    folder: CString,
    image: ExecArguments,
    restrictions: confine::Restrictions,
    /// The message for the time when the process exists.
    message: Vec<u8>,
    /// Out of the way, because they may have one of the numbers that they will get.
    stdio: [OwnedFd; 3],
    inherits: Vec<OwnedFd>,
}

impl PreparedProgram {
    fn new(
        order: &Order,
        state: &SandboxState,
        stdio: [OwnedFd; 3],
        inherits: Vec<OwnedFd>,
    ) -> Result<PreparedProgram, ConfineError> {
        let away = |fd: OwnedFd| {
            let moved = confine::aside(fd, FREE);
            moved.map_err(confine::failed("its input and output cannot be connected"))
        };
        let [stdin, stdout, stderr] = stdio;
        let message = postcard::to_stdvec(&Message::Program).map_err(io::Error::other);
        Ok(PreparedProgram {
            folder: text(&order.folder).map_err(confine::failed("its folder has no name"))?,
            image: ExecArguments::new(order, state).map_err(confine::failed(""))?,
            restrictions: confine::Restrictions::new(order, state, FREE)?,
            message: message
                .map_err(confine::failed("what to tell the arena cannot be written"))?,
            stdio: [away(stdin)?, away(stdout)?, away(stderr)?],
            inherits: inherits.into_iter().map(away).collect::<Result<_, _>>()?,
        })
    }

    /// Becomes the program; returns only if that fails.
    fn become_program(
        &mut self,
        order: &Order,
        state: &SandboxState,
        control: &OwnedFd,
    ) -> ConfineError {
        match self.prepare(order, state, control) {
            Ok(()) => ConfineError { what: String::new(), source: self.image.execute() },
            Err(failure) => failure,
        }
    }

    fn prepare(
        &mut self,
        order: &Order,
        state: &SandboxState,
        control: &OwnedFd,
    ) -> Result<(), ConfineError> {
        // A group of its own: signals to its group must not reach init. No session, because its
        // leader cannot change its group.
        setpgid(None, None).map_err(confine::failed("there is no new group"))?;
        chdir(self.folder.as_c_str()).map_err(|error| {
            let folder = order.folder.to_string_lossy();
            confine::failed(format!("the folder {folder} cannot be entered"))(error)
        })?;
        send(control, &self.message, SendFlags::NOSIGNAL)
            .map_err(confine::failed("the arena is gone"))?;
        connect(&self.stdio, &self.inherits)
            .map_err(confine::failed("its input and output cannot be connected"))?;
        // Undoes any settings of the arena's start, such as `nohup`.
        (1..=LAST_SIGNAL).for_each(|signal| take_signal(signal, false));
        // Init's end ends its namespace. Without a namespace, this ends the program.
        set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(confine::failed("init cannot be watched"))?;
        self.restrictions.apply(order, state)
    }
}

/// Puts the descriptors at their usual numbers, none of which is in use.
fn connect([stdin, stdout, stderr]: &[OwnedFd; 3], inherits: &[OwnedFd]) -> io::Result<()> {
    dup2_stdin(stdin)?;
    dup2_stdout(stdout)?;
    dup2_stderr(stderr)?;
    let mut next = INHERITED;
    for fd in inherits {
        place(fd, next)?;
        next += 1;
    }
    close_from(next)
}

/// Marks all descriptors from this number on to be closed at execution.
///
/// They include those that the arena's own parent left open.
#[allow(unsafe_code)]
fn close_from(first: i32) -> io::Result<()> {
    // SAFETY: a plain system call, which closes nothing yet.
    let result = unsafe {
        libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Copies a descriptor to this number, so that it stays open in the program.
#[allow(unsafe_code)]
fn place(fd: &OwnedFd, number: i32) -> io::Result<()> {
    // SAFETY: a plain system call. It closes the former owner of the number. Only that owner could
    // mind, and this process is about to become the program.
    if unsafe { libc::dup2(fd.as_raw_fd(), number) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The program's arguments and variables in the kernel's form.
struct ExecArguments {
    /// The texts in the lists.
    _texts: Vec<CString>,
    /// Both end with null.
    args: Vec<*const libc::c_char>,
    env: Vec<*const libc::c_char>,
}

impl ExecArguments {
    fn new(order: &Order, state: &SandboxState) -> io::Result<ExecArguments> {
        let words: Vec<CString> = std::iter::once(&order.program)
            .chain(&order.args)
            .map(text)
            .collect::<io::Result<_>>()?;
        // Only this process knows its place.
        let scratch: Option<(OsString, OsString)> = order
            .sandbox
            .as_ref()
            .map(|sandbox| ("TMPDIR".into(), state.scratch(sandbox).to_owned()));
        let kept = order.env.iter().filter(|(name, _)| scratch.is_none() || name != "TMPDIR");
        let variables: Vec<CString> =
            kept.chain(&scratch).map(variable).collect::<io::Result<_>>()?;
        let pointers = |texts: &[CString]| -> Vec<*const libc::c_char> {
            texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let args = pointers(&words);
        let env = pointers(&variables);
        Ok(ExecArguments { _texts: words.into_iter().chain(variables).collect(), args, env })
    }

    /// Executes the program; returns only if that fails.
    #[allow(unsafe_code)]
    fn execute(&self) -> io::Error {
        // SAFETY: both lists end with null, and their texts live as long as this.
        unsafe { libc::execve(self.args[0], self.args.as_ptr(), self.env.as_ptr()) };
        io::Error::last_os_error()
    }
}

fn text(text: &OsString) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| zero())
}

fn variable((name, value): &(OsString, OsString)) -> io::Result<CString> {
    CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).map_err(|_| zero())
}

fn zero() -> io::Error {
    io::Error::other("there is a zero byte in its command line")
}

/// Returns the CPU time that this process itself has used.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Sleeps until a signal comes.
fn sleep() {
    // There are no children, and none will come. It can only be killed.
    std::thread::sleep(Duration::from_secs(3600));
}
