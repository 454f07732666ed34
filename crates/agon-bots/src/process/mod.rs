//! A program that can do nothing to whoever talks to it.
//!
//! - Usually `agon-jail` starts it for us; dropping a [`Process`] kills it with all that it has started. Otherwise
//!   somebody else has started it and it is at the other end of a socket.
//! - Nothing blocks: questions are queued and written as fast as the bot reads them, answers are read as they
//!   come, and all waiting is `poll` with the end of the bot's time.
//! - Nothing grows: output that waits to be read is bounded, stderr is drained into a bounded tail.
//! - What goes wrong is a [`Trouble`], and becomes a fault with all that was seen.

mod diary;
mod evidence;
mod farewell;
mod heard;
mod pipes;
mod shebang;
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
use agon_jail::Ending;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub use agon_jail::kill_all;
pub(crate) use evidence::{Asked, Place, last_output, note_cost, printable};
pub use farewell::Farewell;
pub(crate) use heard::hear;
pub(crate) use spawn::{Launch, Output};
pub use usage::Usage;

use crate::{
    Diary,
    clock::{CpuMeter, Left, Timer},
};
use pipes::Pipes;
use spawn::Started;
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
    jailed: agon_jail::Child,
    /// How it ended, by itself or because it was killed.
    ended: Option<Ending>,
    killed: bool,
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
        Process::spawn(launch).map_err(|error| {
            let program = launch.program.display();
            let lost = (error.kind() == io::ErrorKind::NotFound)
                .then(|| shebang::missing_interpreter(&launch.program))
                .flatten();
            let why = lost.unwrap_or_else(|| error.to_string());
            place.fault(FaultKind::Start, format!("`{program}` cannot be started: {why}"))
        })
    }

    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn spawn(launch: &Launch) -> io::Result<Process> {
        let Started { child, stdin, stdout, talk } = spawn::spawn(launch)?;
        let diary = launch.diary.clone();
        let talk = Talk::drain(talk, launch.tail, diary.clone())?;
        let pipes = Pipes::of(stdin, stdout, launch.most_output)?;
        let meter = CpuMeter::of_program(child.program());
        let child = Some(Child { talk, meter, jailed: child, ended: None, killed: false });
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
        self.child.as_ref().map_or(CpuMeter::NONE, |child| child.meter.clone())
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
        write(self.pipes.outbox());
        self.pipes.widen();
        self.pipes.write_some();
    }

    /// Bytes of questions that the bot's pipe has not taken yet.
    pub(crate) fn unsent(&self) -> usize {
        self.pipes.unsent()
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

    /// Reads and writes what can be without waiting. It does so by trying, which costs less than asking before.
    pub(crate) fn pump(&mut self) {
        self.pipes.write_some();
        self.pipes.read_some();
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
        let mut looked = false;
        loop {
            if ready(self) {
                return Ok(());
            }
            if let Some(trouble) = self.trouble() {
                return Err(trouble);
            }
            let left = match &self.child {
                Some(child) => timer.left(&child.meter),
                None => timer.left(&CpuMeter::NONE),
            };
            let time = match left {
                Left::Forever => None,
                Left::Wait(time) => Some(time),
                // The answer may be its end, which was not looked for so far.
                Left::Over if !looked => Some(Duration::ZERO),
                Left::Over => return Err(Trouble::Timeout),
            };
            self.pump_for(time);
            looked = true;
        }
    }

    /// What keeps the process from ever answering again, as far as it has been noticed.
    pub(crate) fn trouble(&mut self) -> Option<Trouble> {
        if self.pipes.flooded() {
            return Some(Trouble::Flood);
        }
        if let Some(child) = &mut self.child
            && self.pipes.closed
            && !self.ended
        {
            // Whoever exits closes the pipes first and is gone a moment later.
            let mut fds = [PollFd::from_borrowed_fd(child.jailed.control(), PollFlags::IN)];
            let _ = poll(&mut fds, timespec(Some(GRACE)).as_ref());
            self.ended = child.has_ended();
        }
        match self.ended {
            true => Some(Trouble::Crash),
            false => self.pipes.closed.then_some(Trouble::Closed),
        }
    }

    /// How the process ended, if it did so by itself.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        let child = self.child.as_mut()?;
        if !child.has_ended() || child.killed {
            return None;
        }
        let Ending { status, signal, .. } = child.ended.as_ref()?;
        Some(Exit { status: *status, signal: *signal })
    }

    /// Kills the process with all that it has started, or hangs up.
    pub(crate) fn kill(&mut self) {
        match &mut self.child {
            Some(child) => {
                child.kill();
                child.talk.catch_up();
            }
            None => (self.pipes.stdin, self.pipes.stdout) = (None, None),
        }
        self.note_end();
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
            && self.pipes.unsent() > 0
        {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        let child = self.child.as_ref().filter(|_| !self.ended);
        if let Some(child) = child {
            fds.push(PollFd::from_borrowed_fd(child.jailed.control(), PollFlags::IN));
        }
        // An interruption only makes the wait shorter.
        let happened = poll(&mut fds, timespec(time).as_ref()).unwrap_or(0);
        let ended = child.is_some() && fds.last().is_some_and(|fd| !fd.revents().is_empty());
        drop(fds);
        if ended && let Some(child) = &mut self.child {
            self.ended = child.has_ended();
        }
        if happened > 0 {
            // In this order: what the bot wrote before it ended or broke its input still counts.
            self.pipes.write_some();
            self.pipes.read_some();
        }
    }
}

impl Child {
    /// Whether it has ended, by itself or because it was killed.
    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.jailed.ended().cloned();
        }
        self.ended.is_some()
    }

    fn kill(&mut self) {
        if !self.has_ended() {
            self.killed = true;
            let used = self.meter.used();
            let ending = self.jailed.kill();
            self.ended = Some(Ending { cpu: ending.cpu.max(used), ..ending.clone() });
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
