//! A program that talks to the arena and cannot harm it. All hosts with child processes use it.
//!
//! - Usually `agon-sandbox` starts it for us. Dropping a [`Process`] kills it with everything that
//!   it has started. Otherwise it was started elsewhere and is at the other end of a socket.
//! - Nothing blocks. Questions are queued and written as fast as the bot reads them. Answers are
//!   read as they come. All waiting is `poll` with the end of the bot's time.
//! - Nothing grows. Waiting output is limited, and only the end of stderr is kept.
//! - Each problem is a [`Trouble`], and becomes a fault with all its evidence.

mod evidence;
mod finished_run;
mod launch;
mod measurement;
mod pipes;
mod shebang;
mod spawn;
mod stderr;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};
use std::{io, os::fd::OwnedFd, sync::Arc};

use agon_core::{Evidence, Fault, FaultKind, Player};
use agon_sandbox::{Ending, end_hoarders};
use pipes::Pipes;
use rustix::{event::PollFlags, io::Errno, process::Pid};
use spawn::Started;
use stderr::StderrReader;
use tracing::debug;

use crate::clock::{CpuMeter, TimeLeft, Timer};
use crate::{BatchPart, Progress, Snapshot, TurnLog, Wait, shortage};

pub use agon_match::bot::{Exit, ShutdownReport, Usage};
pub use agon_sandbox::kill_all;

pub(crate) use evidence::{Asked, last_output, note_cost, printable};
pub(crate) use finished_run::run_to_end;
pub(crate) use launch::{Launch, Output, Sees};
pub(crate) use pipes::without_mark;

/// The time that a process may take to end after it closed its pipes.
///
/// Afterwards it counts as still running. It is also the time limit for its last words.
const GRACE: Duration = Duration::from_secs(1);

/// The same for a server, which may close a connection and run on.
const GRACE_OF_SERVER: Duration = Duration::from_millis(50);

/// A running program.
#[derive(Debug)]
pub(crate) struct Process {
    pipes: Pipes,
    /// The output that was taken last.
    pub(crate) last_taken: Vec<u8>,
    ended: bool,
    /// The time by which a program that has closed a pipe must end.
    closing: Option<Instant>,
    /// The last question whose answer was looked for, and the CPU time used before it.
    looked: Option<(Instant, Option<Duration>)>,
    /// The CPU time of the last answer.
    spent: Duration,
    /// The reason why a question has no answer, until it is reported.
    settled: Option<(Instant, Trouble)>,
    /// Whether its end has been noted in the turn log.
    closed: bool,
    /// The log of its costs and output.
    pub(crate) turn_log: TurnLog,
    /// `None` if it is no child.
    child: Option<Child>,
}

/// Facts about a child, beside its pipes.
#[derive(Debug)]
struct Child {
    stderr: StderrReader,
    meter: CpuMeter,
    confined: agon_sandbox::Child,
    /// Its end, by itself or by a kill.
    ended: Option<Ending>,
    killed: bool,
    /// Whether it is a server, so that the pipes are a connection to it.
    serves: bool,
    /// The system's count of kills for lack of memory when it was started.
    memory_kills: u64,
    /// The snapshots that it sees; they are removed with their last owner.
    _snapshots: Vec<Arc<Snapshot>>,
    /// The folder of the bot's copy and the folder that its author knows, if they differ.
    copy: Option<(String, String)>,
}

impl Process {
    /// Starts a bot's program.
    ///
    /// # Errors
    /// With a fault of kind `Start`.
    pub(crate) fn start(launch: &Launch, place: FaultSite) -> Result<Process, Fault> {
        Process::spawn(launch).map_err(|error| {
            let program = launch.program.display();
            if let Some(shortage) =
                shortage::behind(&error, format_args!("`{program}` cannot be started"))
            {
                launch.turn_log.lack(shortage.clone());
                return place.fault(FaultKind::Start, shortage.to_string());
            }
            let is_no_program = Errno::from_io_error(&error) == Some(Errno::NOEXEC);
            let problem = (error.kind() == io::ErrorKind::NotFound || is_no_program)
                .then(|| {
                    let home = Snapshot::home_of(&launch.snapshots);
                    shebang::problem_of_script(&launch.program, home)
                })
                .flatten();
            let why = problem.unwrap_or_else(|| error.to_string());
            place.fault(FaultKind::Start, format!("`{program}` cannot be started: {why}"))
        })
    }

    /// Starts a program.
    ///
    /// If there are no more processes or open files, bots with unusually many are ended first.
    pub(crate) fn spawn(launch: &Launch) -> io::Result<Process> {
        Process::try_spawn(launch).or_else(|error| {
            let is_caused = shortage::may_be_a_bots_fault(&error) && end_hoarders();
            if is_caused { Process::try_spawn(launch) } else { Err(error) }
        })
    }

    fn try_spawn(launch: &Launch) -> io::Result<Process> {
        let memory_kills = shortage::killed_for_memory();
        let Started { child, stdin, stdout, stderr } = spawn::spawn(launch)?;
        let turn_log = launch.turn_log.clone();
        let stderr = StderrReader::drain(stderr, launch.tail, turn_log.clone())?;
        let [stdin, stdout] = [stdin.map(OwnedFd::from), stdout.map(OwnedFd::from)];
        let pipes = Pipes::new(stdin, stdout, launch.most_output)?;
        let child = Child {
            stderr,
            meter: CpuMeter::of_program(&child.program),
            confined: child,
            ended: None,
            killed: false,
            serves: launch.needs.loopback,
            memory_kills,
            _snapshots: launch.snapshots.clone(),
            copy: launch.typed.copy_names(launch.folder.as_deref()),
        };
        debug!(program = ?launch.program, pid = ?child.confined.program.pid, "starts a program");
        let child = Some(child);
        turn_log.process_started();
        Ok(Process::with(pipes, turn_log, child))
    }

    /// Takes a program at the other end of a socket.
    pub(crate) fn connected(socket: OwnedFd) -> io::Result<Process> {
        spawn::ignore_broken_pipes();
        let pipes = Pipes::new(Some(socket.try_clone()?), Some(socket), launch::MAX_OUTPUT)?;
        Ok(Process::with(pipes, TurnLog::default(), None))
    }

    /// Makes a stand-in for a server that runs already; it has no connection yet.
    pub(crate) fn elsewhere(turn_log: TurnLog) -> io::Result<Process> {
        spawn::ignore_broken_pipes();
        Ok(Process::with(Pipes::new(None, None, launch::MAX_OUTPUT)?, turn_log, None))
    }

    fn with(pipes: Pipes, turn_log: TurnLog, child: Option<Child>) -> Process {
        Process {
            pipes,
            last_taken: Vec::new(),
            ended: false,
            closing: None,
            looked: None,
            spent: Duration::ZERO,
            settled: None,
            closed: false,
            turn_log,
            child,
        }
    }

    /// Returns the process's CPU clock, which stands still if it is no child.
    pub(crate) fn meter(&self) -> CpuMeter {
        self.child.as_ref().map_or(CpuMeter::NONE, |child| child.meter.clone())
    }

    /// Takes the socket in the network of a program that serves, with the program's number.
    pub(crate) fn take_socket(&mut self) -> Option<(OwnedFd, Pid)> {
        let confined = &mut self.child.as_mut()?.confined;
        Some((confined.socket.take()?, confined.program.pid))
    }

    /// Talks through this connected socket from now on, or through none, and forgets what waits.
    pub(crate) fn talk_over(&mut self, socket: Option<&Arc<OwnedFd>>) {
        self.pipes.continue_with(socket);
        self.closing = None;
    }

    /// Returns whether the other side has closed its pipe or its connection.
    pub(crate) fn has_hung_up(&self) -> bool {
        self.pipes.closed
    }

    /// Sets how many bytes of output may wait to be taken before it is a flood.
    pub(crate) fn allow_output(&mut self, most: usize) {
        self.pipes.most_output = most;
    }

    /// Queues a question and writes as much of it as the bot's pipe takes now.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.send_with(|outbox| outbox.extend_from_slice(bytes));
    }

    /// Does the same with a question that `write` appends to the queue.
    pub(crate) fn send_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(self.pipes.outbox());
        self.pipes.widen();
        self.pipes.write_some();
    }

    /// Returns the bytes of questions that the bot's pipe has not taken yet.
    pub(crate) fn unsent(&self) -> usize {
        self.pipes.unsent()
    }

    /// Returns the bytes of questions that the bot has not read yet.
    ///
    /// They are in its pipe or on their way there. Sockets do not report what they hold.
    pub(crate) fn unread(&self) -> u64 {
        let in_pipe = if self.child.is_some() { self.pipes.unread() } else { 0 };
        self.unsent() as u64 + in_pipe
    }

    /// Returns the output that has been read and not been taken.
    pub(crate) fn inbox(&self) -> &[u8] {
        &self.pipes.inbox
    }

    /// Returns how many bytes of output have been read so far.
    pub(crate) fn received(&self) -> u64 {
        self.pipes.received
    }

    /// Returns whether the arena has noticed the end of the process.
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

    /// Takes a line as text; empty if there is no whole one.
    pub(crate) fn take_text(&mut self) -> String {
        String::from_utf8_lossy(self.take_line().unwrap_or_default()).into_owned()
    }

    /// Returns whether a whole line waits to be taken.
    pub(crate) fn has_line(&self) -> bool {
        self.inbox().contains(&b'\n')
    }

    /// Reads and writes as much as it can without waiting.
    ///
    /// It simply tries, which is cheaper than asking first.
    pub(crate) fn pump(&mut self) {
        self.pipes.write_some();
        self.pipes.read_some();
    }

    /// Waits until `ready`, while it writes the questions and reads output.
    ///
    /// # Errors
    /// With the reason why `ready` does not happen, or not in time.
    pub(crate) fn wait(
        &mut self,
        timer: &Timer,
        mut ready: impl FnMut(&mut Process) -> bool,
    ) -> Result<(), Trouble> {
        loop {
            match self.look(timer, &mut ready) {
                Ok(waited) => return waited,
                Err(Progress::Waits(wait)) => wait.wait(),
                Err(Progress::Done | Progress::Last) => {}
            }
        }
    }

    /// Checks for `ready`, or for the certainty that it will not happen, which ends the timer.
    ///
    /// It writes the rest of the questions and reads output, but does not wait. An answer that is
    /// there at this call is in time: the arena came late, not the bot.
    ///
    /// # Errors
    /// With the events to wait for before the next call.
    pub(crate) fn look(
        &mut self,
        timer: &Timer,
        ready: impl FnMut(&mut Process) -> bool,
    ) -> Result<Result<(), Trouble>, Progress> {
        if let Some((question, trouble)) = self.settled.take()
            && question == timer.question()
        {
            return Ok(Err(trouble));
        }
        let looked = self.look_now(timer, ready)?;
        self.note_cost(timer);
        match looked {
            Ok(()) => Ok(Ok(())),
            // Handling the trouble takes longer than noticing an answer.
            Err(trouble) => {
                self.settled = Some((timer.question(), trouble));
                Err(Progress::Last)
            }
        }
    }

    fn look_now(
        &mut self,
        timer: &Timer,
        mut ready: impl FnMut(&mut Process) -> bool,
    ) -> Result<Result<(), Trouble>, Progress> {
        self.pump();
        if ready(self) {
            return Ok(Ok(()));
        }
        let left = match &self.child {
            Some(child) => timer.left(&child.meter),
            None => timer.left(&CpuMeter::NONE),
        };
        // A bot that has just been asked has hardly ended; if it has, the wait is short.
        let question = (timer.question(), timer.cpu_at_start());
        let has_been_looked_at = self.looked.replace(question) == Some(question);
        if (has_been_looked_at || left == TimeLeft::Over) && self.notice_end() {
            // Output from before its end still counts.
            self.pump();
            if ready(self) {
                return Ok(Ok(()));
            }
        }
        let patience = match self.trouble() {
            Some(Trouble::Closed) => self.patience().ok_or(Trouble::Closed),
            Some(trouble) => Err(trouble),
            None => match left {
                TimeLeft::Forever => return Err(Progress::Waits(self.until_something(None))),
                TimeLeft::Wait(time) => Ok(time),
                TimeLeft::Over => Err(Trouble::Timeout),
            },
        };
        match patience {
            Ok(time) => Err(Progress::Waits(self.until_something(Some(time)))),
            Err(trouble) => Ok(Err(trouble)),
        }
    }

    /// Looks whether the process has ended; true if that is news.
    fn notice_end(&mut self) -> bool {
        let had_ended = self.ended;
        if let Some(child) = &mut self.child {
            self.ended = child.has_ended();
        }
        self.ended && !had_ended
    }

    /// Returns how long a process that has closed a pipe may still take to end.
    ///
    /// A process that exits closes its pipes first and is gone a moment later. `None` if the time
    /// is over.
    fn patience(&mut self) -> Option<Duration> {
        let serves = self.child.as_ref()?.serves;
        let grace = if serves { GRACE_OF_SERVER } else { GRACE };
        let end = *self.closing.get_or_insert_with(|| Instant::now() + grace);
        Some(end.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    /// Returns the known reason why the process will never answer again.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        if self.pipes.flooded() {
            return Some(Trouble::Flood);
        }
        match self.ended {
            true => Some(Trouble::Crash),
            false => self.pipes.closed.then_some(Trouble::Closed),
        }
    }

    /// Returns the end of the process, if it ended by itself.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        let child = self.child.as_mut()?;
        if !child.has_ended() || child.killed {
            return None;
        }
        let Ending { status, signal, .. } = child.ended.as_ref()?;
        Some(Exit { status: *status, signal: *signal })
    }

    /// Kills the process and everything that it has started, or hangs up.
    pub(crate) fn kill(&mut self) {
        match &mut self.child {
            Some(child) => {
                child.kill();
                child.stderr.catch_up();
            }
            None => (self.pipes.stdin, self.pipes.stdout) = (None, None),
        }
        self.note_end();
        self.ended = true;
    }

    /// Sends the queue, closes the input, and waits for the end until `deadline`.
    ///
    /// The end of a program at a socket is its hanging up. Output is thrown away.
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

    /// Waits for one event, at most for `time` (`None`: forever), and handles it.
    pub(crate) fn pump_for(&mut self, time: Option<Duration>) {
        self.until_something(time).wait();
        if !self.ended {
            self.notice_end();
        }
        // In this order: output from before its end, or before it broke its input, still counts.
        self.pump();
    }

    /// Returns the events to wait for: the bot writes, reads or ends, or the time is over.
    fn until_something(&self, time: Option<Duration>) -> Wait {
        let mut wait = Wait::at_most(time);
        if let Some(stdout) = &self.pipes.stdout {
            wait = wait.or(stdout, PollFlags::IN);
        }
        if let Some(stdin) = self.pipes.stdin.as_ref().filter(|_| self.pipes.unsent() > 0) {
            wait = wait.or(stdin, PollFlags::OUT);
        }
        match self.child.as_ref().filter(|_| !self.ended) {
            Some(child) => wait.or(&child.confined.ended_fd, PollFlags::IN),
            None => wait,
        }
    }
}

impl Child {
    /// Returns whether it has ended, by itself or by a kill.
    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.confined.ended().cloned();
        }
        self.ended.is_some()
    }

    fn kill(&mut self) {
        if !self.has_ended() {
            self.killed = true;
            // Afterwards nobody knows what its helpers used that it did not wait for.
            let used = self.meter.used_in_all();
            let ending = self.confined.kill();
            self.ended = Some(Ending { cpu: ending.cpu.max(used), ..ending.clone() });
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes the methods of [`Bot`](crate::Bot) that ask a bot's program, which has a turn log.
///
/// The bot has the fields `process` and `timer`. A server has no input that ends, and no output.
macro_rules! methods_of_program {
    (server $($turn_log:ident).+) => {
        fn time_left(&self) -> Option<std::time::Duration> {
            self.timer.as_ref()?.estimate(&self.process.as_ref()?.meter())
        }

        fn turn_log(&self) -> Option<$crate::TurnLog> {
            Some(self.$($turn_log).+.clone())
        }

        fn evidence(&mut self) -> agon_core::Evidence {
            self.process.as_mut().map($crate::process::Process::evidence_now).unwrap_or_default()
        }

        fn usage(&mut self) -> Option<$crate::Usage> {
            self.process.as_mut().and_then($crate::process::Process::usage)
        }
    };
    ($($turn_log:ident).+) => {
        $crate::process::methods_of_program!(server $($turn_log).+);

        fn unsolicited_output(&mut self) -> Option<String> {
            self.process.as_mut().map($crate::process::Process::unsolicited)
        }

        fn shutdown(&mut self, patience: std::time::Duration) -> Option<$crate::ShutdownReport> {
            self.process.take().and_then(|process| process.shutdown(patience))
        }
    };
}
pub(crate) use methods_of_program;

/// The reason for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The time is over.
    Timeout,
    /// The process has ended.
    Crash,
    /// It closed its standard input or output but runs on.
    Closed,
    /// It wrote more output than may wait.
    Flood,
}

/// The player and the step that a fault concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultSite {
    /// The bot's player.
    pub(crate) player: Player,
    /// The step of the match.
    pub(crate) step: u64,
}

impl From<BatchPart<'_>> for FaultSite {
    fn from(part: BatchPart<'_>) -> FaultSite {
        FaultSite { player: part.player, step: part.step }
    }
}

impl FaultSite {
    /// Returns the site of faults before the first step.
    pub(crate) fn start(player: Player) -> FaultSite {
        FaultSite { player, step: 0 }
    }

    /// Makes a fault without evidence.
    pub(crate) fn fault(self, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let detail = detail.into();
        let evidence = Evidence::default();
        Fault { player: self.player, step: self.step, kind, detail, evidence, count: 1 }
    }
}
