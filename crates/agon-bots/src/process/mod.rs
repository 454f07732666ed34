//! A program that can do nothing to whoever talks to it.
//!
//! - Usually it is a child, in a process group of its own; dropping a [`Process`] kills the whole group and what
//!   the child has started elsewhere, and waits for the child. Otherwise somebody else has started it and it is at the other end of a socket.
//! - Nothing blocks: questions are queued and written as fast as the bot reads them, answers are read as they
//!   come, and all waiting is `poll` with the end of the bot's time.
//! - Nothing grows: output that waits to be read is bounded, stderr is drained into a bounded tail.
//! - What goes wrong is a [`Trouble`], and becomes a fault with all that was seen.

mod diary;
mod evidence;
mod farewell;
mod group;
mod pipes;
mod spawn;
mod talk;
#[cfg(test)]
mod tests;
mod usage;

use std::{
    io,
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use agon_core::{Fault, FaultKind};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid},
};

pub(crate) use evidence::{Asked, Place, last_output, note_cost, printable};
pub use farewell::Farewell;
pub use group::kill_all;
pub(crate) use spawn::{Launch, Limits, Output};
pub use usage::Usage;

use crate::{
    Diary,
    clock::{CpuMeter, Left, Timer},
};
use group::Group;
use pipes::Pipes;
use talk::Talk;

/// How long a process that closed its pipes may take to end before it counts as still running, and how long
/// its last words may take to arrive.
const GRACE: Duration = Duration::from_secs(1);

/// A running program.
#[derive(Debug)]
pub(crate) struct Process {
    pipes: Pipes,
    last_taken: Vec<u8>,
    ended: bool,
    /// Whether its end has been noted in the diary.
    closed: bool,
    diary: Diary,
    /// `None` if it is no child.
    child: Option<Child>,
}

/// What is known of a child, beside its pipes.
#[derive(Debug)]
struct Child {
    talk: Talk,
    meter: CpuMeter,
    /// Becomes readable when the process ends.
    pidfd: OwnedFd,
    group: Group,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The time is over.
    Timeout,
    /// The process has ended.
    Crash,
    /// It closed its standard input or output but runs on.
    Closed,
    /// It wrote more than may wait to be read.
    Flood,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

impl Process {
    /// Starts a bot's program.
    ///
    /// # Errors
    /// With a fault of kind `Start`.
    pub(crate) fn start(launch: &Launch, place: Place) -> Result<Process, Fault> {
        Process::spawn(launch.clone()).map_err(|error| {
            let program = launch.program.display();
            place.fault(FaultKind::Start, format!("`{program}` cannot be started: {error}"))
        })
    }

    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn spawn(launch: Launch) -> io::Result<Process> {
        let (most_output, keep, diary) = (launch.most_output, launch.tail, launch.diary.clone());
        let (child, talk) = spawn::spawn(launch)?;
        let mut group = Group::of(child);
        let talk = Talk::drain(talk, keep, diary.clone())?;
        let pipes = Pipes::take(&mut group.leader, most_output)?;
        let pidfd = pidfd_open(group.id(), PidfdFlags::empty())?;
        let meter = CpuMeter::of(group.id());
        let child = Some(Child { talk, meter, pidfd, group });
        diary.process_started();
        Ok(Process { pipes, last_taken: Vec::new(), ended: false, closed: false, diary, child })
    }

    /// A program at the other end of a socket.
    ///
    /// # Errors
    /// If the socket cannot be used.
    pub(crate) fn connected(socket: OwnedFd) -> io::Result<Process> {
        spawn::ignore_broken_pipes();
        let pipes = Pipes::over(socket, spawn::MOST_OUTPUT)?;
        let (last_taken, diary) = (Vec::new(), Diary::default());
        Ok(Process { pipes, last_taken, ended: false, closed: false, diary, child: None })
    }

    /// Where it is noted what the process costs and says.
    pub(crate) fn diary(&self) -> &Diary {
        &self.diary
    }

    /// The process's CPU clock, which stands still if it is no child.
    pub(crate) fn meter(&self) -> CpuMeter {
        self.child.as_ref().map_or(CpuMeter::NONE, |child| child.meter)
    }

    /// Sets how many bytes of output may wait to be taken before it is a flood.
    pub(crate) fn allow_output(&mut self, most: usize) {
        self.pipes.most_output = most;
    }

    /// Queues a question and writes as much of it as the bot's pipe takes now.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.send_with(|outbox| outbox.extend_from_slice(bytes));
    }

    /// The same with a question that `write` appends to what is queued.
    pub(crate) fn send_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.pipes.outbox);
        self.pipes.widen();
        self.pipes.write_some();
    }

    /// Bytes of questions that the bot's pipe has not taken yet.
    pub(crate) fn unsent(&self) -> usize {
        self.pipes.outbox.len()
    }

    /// Bytes of questions that are in the bot's pipe or on their way there: the bot has not read them yet. Sockets
    /// do not tell what they hold.
    pub(crate) fn unread(&self) -> u64 {
        let in_pipe = if self.child.is_some() { self.pipes.unread() } else { 0 };
        self.unsent() as u64 + in_pipe
    }

    /// Output that has been read and not yet been taken.
    pub(crate) fn inbox(&self) -> &[u8] {
        &self.pipes.inbox
    }

    /// Whether the process has ended, as far as it has been noticed.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes the first `length` bytes of the output.
    pub(crate) fn take(&mut self, length: usize) -> &[u8] {
        self.last_taken.clear();
        self.last_taken.extend(self.pipes.inbox.drain(..length));
        &self.last_taken
    }

    /// Takes a line without its end (`\n` or `\r\n`), if there is a whole one.
    pub(crate) fn take_line(&mut self) -> Option<&[u8]> {
        let end = self.pipes.inbox.iter().position(|&byte| byte == b'\n')?;
        let line = self.take(end + 1);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Reads and writes what can be without waiting.
    pub(crate) fn pump(&mut self) {
        self.pump_for(Some(Duration::ZERO));
    }

    /// Waits until `ready`, writing the questions and reading output.
    ///
    /// An answer that is already there when this is called counts as in time: the arena came late, not the bot.
    ///
    /// # Errors
    /// With the reason why `ready` will not come about, or not in time.
    pub(crate) fn wait(
        &mut self,
        timer: &Timer,
        ready: impl FnMut(&mut Process) -> bool,
    ) -> Result<(), Trouble> {
        let waited = self.wait_until(timer, ready);
        self.note_cost(timer);
        waited
    }

    fn wait_until(
        &mut self,
        timer: &Timer,
        mut ready: impl FnMut(&mut Process) -> bool,
    ) -> Result<(), Trouble> {
        self.pump();
        loop {
            if ready(self) {
                return Ok(());
            }
            if let Some(trouble) = self.trouble() {
                return Err(trouble);
            }
            match timer.left(&self.meter()) {
                Left::Forever => self.pump_for(None),
                Left::Wait(time) => self.pump_for(Some(time)),
                Left::Over => return Err(Trouble::Timeout),
            }
        }
    }

    /// What keeps the process from ever answering again, as far as it has been noticed.
    pub(crate) fn trouble(&mut self) -> Option<Trouble> {
        if self.pipes.flooded() {
            return Some(Trouble::Flood);
        }
        if let Some(child) = &self.child
            && self.pipes.closed
            && !self.ended
        {
            // Whoever exits closes the pipes first and is gone a moment later.
            let mut fds = [PollFd::new(&child.pidfd, PollFlags::IN)];
            self.ended = matches!(poll(&mut fds, timespec(Some(GRACE)).as_ref()), Ok(1..));
        }
        match self.ended {
            true => Some(Trouble::Crash),
            false => self.pipes.closed.then_some(Trouble::Closed),
        }
    }

    /// The number of the process, if it is a child.
    fn id(&self) -> Option<i32> {
        Some(self.child.as_ref()?.group.id().as_raw_nonzero().get())
    }

    /// How the process ended, if it did.
    pub(crate) fn exit(&self) -> Option<Exit> {
        let group = &self.child.as_ref()?.group;
        if group.dead {
            return None;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(group.id()), options).ok()??;
        Some(Exit { status: status.exit_status(), signal: status.terminating_signal() })
    }

    /// Kills the process and all others of its group, or hangs up.
    pub(crate) fn kill(&mut self) {
        self.note_end();
        match &mut self.child {
            Some(child) => {
                child.group.kill();
                child.talk.catch_up();
            }
            None => (self.pipes.stdin, self.pipes.stdout) = (None, None),
        }
        self.ended = true;
    }

    /// Sends what is queued and closes the input; waits until the program has ended (or has hung up), at most
    /// until `deadline`. Output is thrown away.
    pub(crate) fn see_off(&mut self, deadline: Instant) {
        loop {
            if self.unsent() == 0 {
                self.pipes.close_input();
            }
            self.pipes.inbox.clear();
            let gone = if self.child.is_some() { self.ended } else { self.pipes.closed };
            let left = deadline.saturating_duration_since(Instant::now());
            if gone || left.is_zero() {
                return;
            }
            self.pump_for(Some(left));
        }
    }

    /// Waits for one thing to happen, at most for `time` (`None`: forever), and deals with it.
    fn pump_for(&mut self, time: Option<Duration>) {
        let mut fds = Vec::with_capacity(3);
        if let Some(stdout) = &self.pipes.stdout {
            fds.push(PollFd::new(stdout, PollFlags::IN));
        }
        if let Some(stdin) = &self.pipes.stdin
            && !self.pipes.outbox.is_empty()
        {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        let child = self.child.as_ref().filter(|_| !self.ended);
        if let Some(child) = child {
            fds.push(PollFd::new(&child.pidfd, PollFlags::IN));
        }
        // An interruption only makes the wait shorter.
        let happened = poll(&mut fds, timespec(time).as_ref()).unwrap_or(0);
        let ended = child.is_some() && fds.last().is_some_and(|fd| !fd.revents().is_empty());
        drop(fds);
        self.ended |= ended;
        if happened > 0 {
            // In this order: what the bot wrote before it ended or broke its input still counts.
            self.pipes.write_some();
            self.pipes.read_some();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn timespec(time: Option<Duration>) -> Option<Timespec> {
    // A wait too long for the kernel's format is as good as forever.
    time.and_then(|time| Timespec::try_from(time).ok())
}
