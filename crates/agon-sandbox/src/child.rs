//! A started program, as the arena sees it: its confinement, its processes and its end.
//!
//! Dropping it kills the program with everything that it has started.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{io, os::fd::OwnedFd, path::PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use rustix::process::Pid;
use thiserror::Error;

use crate::message::{Message, Received};
use crate::{Confinement, Ending, Exceeded, Tree, folder};

/// The time limit for a start: folders may be on slow disks.
const STARTING: Duration = Duration::from_secs(60);

/// The time limit for killing everything: the kernel waits for disks and frees memory.
const KILLING: Duration = Duration::from_secs(10);

/// The description of a failure without a more precise one.
const CANNOT_START: &str = "it cannot be started";

/// A program with everything that it has started. Dropping it ends all of them.
#[derive(Debug)]
pub struct Child {
    /// A descriptor that becomes readable when it ends.
    pub ended_fd: Arc<OwnedFd>,
    /// Its processes.
    pub program: RunningProgram,
    /// Its confinement.
    pub confinement: Confinement,
    /// A TCP socket in its network, not connected; `None` if it has no [loopback
    /// address](crate::Sandbox::loopback).
    ///
    /// A socket stays in the network in which it was made, whoever connects it.
    pub socket: Option<OwnedFd>,
    /// The CPU time of init before the start of the program. It does not count for the program.
    set_up: Duration,
    /// What it held when [`end_hoarders`] ended it.
    hoard: Arc<OnceLock<Exceeded>>,
    /// Its end, once its supervisor has reported that or has gone without a report.
    ended: Option<Ending>,
}

/// The processes of a running program.
#[derive(Clone, Debug)]
pub struct RunningProgram {
    /// The number of its first process.
    pub pid: Pid,
    /// All its processes.
    pub tree: Arc<Tree>,
}

impl Child {
    /// Waits until the program runs.
    pub(crate) fn await_start(control: OwnedFd) -> Result<Child, StartError> {
        let deadline = Instant::now() + STARTING;
        let next = || next_of_start(&control, deadline);

        let Received { message: Message::Init, sender: init, descriptor: proc } = next()? else {
            return Err(out_of_order());
        };
        let Received { message: Message::Program, sender: program, .. } = next()? else {
            return Err(out_of_order());
        };
        let running = next()?;
        let Received { message: Message::Running(confinement, set_up), .. } = running else {
            return Err(out_of_order());
        };
        let socket = running.descriptor;

        let (Some(init), Some(pid)) = (init, program) else {
            let unknown = io::Error::other("the kernel does not tell its number");
            return Err(StartError::new(CANNOT_START, unknown));
        };
        let tree = match proc {
            Some(proc) => Tree::namespace(proc),
            None => {
                Tree::below(init).map_err(|error| StartError::new("there is no /proc", error))?
            }
        };
        let program = RunningProgram { pid, tree: Arc::new(tree) };
        let control = Arc::new(control);
        let hoard = Arc::default();
        let tree = Arc::clone(&program.tree);
        register(Registered { control: Arc::downgrade(&control), tree, hoard: Arc::clone(&hoard) });
        Ok(Child { ended_fd: control, program, confinement, socket, set_up, hoard, ended: None })
    }

    /// Returns its end, if it has ended. Does not wait.
    pub fn ended(&mut self) -> Option<&Ending> {
        if self.ended.is_none() {
            self.read_messages(Instant::now());
        }
        self.ended.as_ref()
    }

    /// Kills it with everything that it has started, and returns its end.
    ///
    /// It may have ended before.
    pub fn kill(&mut self) -> &Ending {
        if self.ended.is_none() {
            tell_to_kill(&self.ended_fd);
            self.read_messages(Instant::now() + KILLING);
        }
        self.ended.get_or_insert_default()
    }

    fn read_messages(&mut self, deadline: Instant) {
        loop {
            match next(&self.ended_fd, deadline) {
                Ok(Some(Received { message: Message::Ended(ending), .. })) => {
                    ending.unremoved_folders.iter().cloned().for_each(folder::note);
                    let cpu = ending.cpu.saturating_sub(self.set_up);
                    let exceeded = ending.exceeded.or(self.hoard.get().copied());
                    self.ended = Some(Ending { cpu, exceeded, ..ending });
                }
                Ok(Some(_)) => continue,
                // Something has killed the supervisor, and with it everything.
                Ok(None) => self.ended = Some(Ending::default()),
                Err(_) => {}
            }
            return;
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A child of this process as [`kill_all`] and [`end_hoarders`] know it.
#[derive(Clone)]
struct Registered {
    control: Weak<OwnedFd>,
    tree: Arc<Tree>,
    hoard: Arc<OnceLock<Exceeded>>,
}

/// Returns the children of this process.
fn running() -> MutexGuard<'static, Vec<Registered>> {
    static RUNNING: Mutex<Vec<Registered>> = Mutex::new(Vec::new());
    // The list stays valid even if a thread panicked while it held the lock.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn register(child: Registered) {
    let mut running = running();
    running.retain(|child| child.control.strong_count() > 0);
    running.push(child);
}

/// Processes and threads, and open files, that are unusually many: half of what a program may have.
const HOARD: (u64, u64) = (64, 2048);

/// Ends all programs with unusually many processes or open files. Returns whether there were any.
///
/// It is for a process that lacks these for somebody else.
pub fn end_hoarders() -> bool {
    let children = running().clone();
    let hoarders = children.iter().filter_map(|child| {
        let control = child.control.upgrade()?;
        let members = child.tree.members();
        let processes = members.iter().map(|member| member.threads).sum();
        let files = members.iter().map(|member| child.tree.holdings(member.pid, 0).files).sum();
        let is_hoarder = processes > HOARD.0 || files > HOARD.1;
        if is_hoarder {
            let _ = child.hoard.set(Exceeded::Hoard { processes, files });
            tell_to_kill(&control);
        }
        is_hoarder.then_some(control)
    });
    let hoarders: Vec<Arc<OwnedFd>> = hoarders.collect();
    let time = Timespec::try_from(KILLING).ok();
    for control in &hoarders {
        // The supervisor goes when nothing is left. Its last message is for the program's owner.
        let _ = poll(&mut [PollFd::new(control, PollFlags::empty())], time.as_ref());
    }
    !hoarders.is_empty()
}

/// Kills all programs with everything that they have started, and waits for their ends.
///
/// It is for a process that is about to end without dropping them.
pub fn kill_all() {
    let all: Vec<Arc<OwnedFd>> =
        running().iter().filter_map(|child| child.control.upgrade()).collect();
    all.iter().for_each(|control| tell_to_kill(control));
    let deadline = Instant::now() + KILLING;
    for control in all {
        // The owner may read the message instead. Either way the socket is closed in the end.
        while let Ok(Some(_)) = next(&control, deadline) {}
    }
}

fn tell_to_kill(control: &OwnedFd) {
    // Fails only if the supervisor is gone.
    let _ = shutdown(control, Shutdown::Write);
}

/// Returns the next message of a program that starts.
fn next_of_start(control: &OwnedFd, deadline: Instant) -> Result<Received, StartError> {
    loop {
        let received =
            next(control, deadline).map_err(|error| StartError::new(CANNOT_START, error))?;
        let received = received.ok_or(StartError::Lost)?;
        match received.message {
            Message::Failed(what, error) => {
                return Err(StartError::new(what, io::Error::from_raw_os_error(error)));
            }
            // The program ended before it ran: no more messages follow.
            Message::Ended(_) => {}
            _ => return Ok(received),
        }
    }
}

fn out_of_order() -> StartError {
    StartError::new(CANNOT_START, io::Error::other("its messages came out of order"))
}

/// Returns the next message; `None` after the last one.
fn next(control: &OwnedFd, deadline: Instant) -> io::Result<Option<Received>> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(control, PollFlags::IN)];
        match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
            Ok(1..) => return Message::receive(control),
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The reason why a program does not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program that starts programs cannot be started itself.
    #[error("cannot start `{}`, which starts programs: {source}", path.display())]
    Launcher {
        /// The executable.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The supervisor ended without a report, by another's doing.
    #[error("it cannot be started: its supervisor ended without a report")]
    Lost,
    /// A step of the start failed.
    #[error("{what}: {source}")]
    Failed {
        /// The step.
        what: String,
        /// The reason.
        source: io::Error,
    },
}

impl StartError {
    pub(crate) fn new(what: impl Into<String>, source: impl Into<io::Error>) -> StartError {
        StartError::Failed { what: what.into(), source: source.into() }
    }
}
