//! The supervisor of one program, which always ends the program with all that it has started.

use std::io::{self, PipeReader, Read};
use std::time::{Duration, Instant};
use std::{env::temp_dir, os::fd::OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use super::init::{ProgramEnded, init};
use super::pool::{Lease, PoolAccess};
use super::{Request, failed, scratch::Bounded};
use crate::confine::{self, SandboxState};
use crate::fork::{Forked, fork, leave, reap};
use crate::tree::{self, kill_below};
use crate::{
    Ending, Exceeded, Folder, Limits, Mechanism, Member, Order, Tree, folders_left,
    message::Message,
};

/// The interval for measuring the processes' common usage.
const USAGE_INTERVAL: Duration = Duration::from_millis(20);

/// What a program holds is counted at every so many measurements.
const HOLDINGS_INTERVAL: u32 = 5;

/// Files that all processes of a program together may have open, so that a few programs cannot take
/// all that the machine or its user may have.
const OPEN_FILES: u64 = 4096;

/// Files that they may watch with `epoll`: the kernel limits them for a user.
const WATCHES: u64 = 16_384;

/// The check interval for the ends of processes that the program left behind.
const ENDING_INTERVAL: Duration = Duration::from_millis(5);

/// The time for init to notice that others have ended.
const TAKING_NOTICE: Duration = Duration::from_millis(100);

/// Supervises a program until its end.
pub(super) fn keep(mut request: Request, access: PoolAccess<'_>) {
    // The supervisor stays on the program's cores as well, instead of those of the zygote.
    confine::pin(&request.order.cores);
    // The program's root has another `/proc`, or none, and init moves its supervisor there at
    // any moment.
    let proc = tree::proc().ok();
    let PoolAccess { pooled, lease } = access;
    let state = match confine::enter(&request.order, confine::offer(), pooled) {
        Ok(state) => state,
        Err(error) => return failed(&request.control, &error.what, &error.source),
    };
    let scratch = match scratch(&mut request.order, &state) {
        Ok(scratch) => scratch,
        Err(error) => return failed(&request.control, "there is no scratch folder", &error),
    };
    // The program's root has other folders above these, and the program may move them.
    let bounded = match bounded(&request.order) {
        Ok(bounded) => bounded,
        Err(error) => return failed(&request.control, "a folder for it cannot be watched", &error),
    };
    let forked = io::pipe().and_then(|pipe| Ok((pipe, fork()?)));
    match forked {
        Ok(((reports, report), Forked::Child)) => {
            drop((reports, bounded));
            init(request, state, lease, proc, report);
        }
        Ok(((reports, report), Forked::Parent(init))) => {
            drop(report);
            let Request { order, control, stdio, inherits } = request;
            // The program alone decides when its descriptors are closed.
            drop((stdio, inherits));
            let supervisor = Supervisor {
                limits: order.limits,
                is_confined: order.sandbox.is_some(),
                looks: 0,
                grace: order.grace,
                control,
                reports,
                init,
                namespace: state.has(Mechanism::Processes),
                tree: proc.map(|proc| Tree::seen_by(proc, init)),
                ended: None,
                exceeded: None,
                peak: 0,
                bounded,
                lease: lease.filter(|_| !state.untidy),
                scratch,
            };
            supervisor.run();
        }
        Err(error) => failed(&request.control, "there may be no more processes", &error),
    }
    leave(0);
}

/// Makes a scratch folder for a program without one in a namespace of mounts.
fn scratch(order: &mut Order, state: &SandboxState) -> io::Result<Option<Folder>> {
    let Some(sandbox) = &mut order.sandbox else { return Ok(None) };
    if state.has(Mechanism::Mounts) {
        return Ok(None);
    }
    let scratch = Folder::create(&temp_dir(), "agon-scratch-", 0o700)?;
    sandbox.fallback = scratch.path().into();
    sandbox.bounded.push((sandbox.fallback.clone(), sandbox.scratch));
    Ok(Some(scratch))
}

/// Opens the folders with limits.
fn bounded(order: &Order) -> io::Result<Vec<Bounded>> {
    let bounded = order.sandbox.iter().flat_map(|sandbox| &sandbox.bounded);
    bounded.map(|(path, limit)| Bounded::open(path, *limit)).collect()
}

struct Supervisor {
    limits: Limits,
    /// Whether what the program holds is limited.
    is_confined: bool,
    /// The measurements so far.
    looks: u32,
    grace: Duration,
    control: OwnedFd,
    reports: PipeReader,
    init: Pid,
    /// Whether the end of init ends all processes.
    namespace: bool,
    /// `None` without `/proc`: then only the kernel's own limits hold.
    tree: Option<Tree>,
    ended: Option<ProgramEnded>,
    exceeded: Option<Exceeded>,
    /// The peak of the measured memory.
    peak: u64,
    bounded: Vec<Bounded>,
    /// Given back when all processes are dead.
    lease: Option<Lease>,
    /// Removed at the end.
    scratch: Option<Folder>,
}

/// An event that the supervisor waits for.
enum Event {
    /// The program has ended.
    Program(ProgramEnded),
    /// The arena does not want the program any more, or init has ended without a report.
    Over,
    /// It is time to measure.
    Look,
}

impl Supervisor {
    fn run(mut self) {
        let looks = self.is_confined
            || self.limits.memory.is_some()
            || self.limits.processes.is_some()
            || !self.bounded.is_empty();
        let mut left_behind = 0;
        loop {
            match self.next(looks.then_some(USAGE_INTERVAL)) {
                Event::Program(ended) => {
                    self.ended = Some(ended);
                    left_behind = self.wait_for_the_rest();
                    // What it has done just before its end counts as well.
                    self.exceeded = self.bounded.iter_mut().find_map(Bounded::exceeded_at_end);
                    break;
                }
                Event::Over => break,
                Event::Look => {
                    self.look();
                    if self.exceeded.is_some() {
                        break;
                    }
                }
            }
        }
        let mut ending = self.end(left_behind);
        drop(self.scratch.take());
        ending.unremoved_folders = folders_left();
        // Nobody may be listening any more.
        let _ = Message::Ended(ending).send(&self.control);
    }

    fn next(&mut self, time: Option<Duration>) -> Event {
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let mut fds = [
            PollFd::new(&self.control, PollFlags::RDHUP),
            PollFd::new(&self.reports, PollFlags::IN),
        ];
        match poll(&mut fds, time.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Event::Look,
            Ok(_) => {}
            Err(_) => return Event::Over,
        }
        let unwanted = !fds[0].revents().is_empty();
        let reported = !fds[1].revents().is_empty();
        if reported {
            let mut bytes = [0; 64];
            let length = self.reports.read(&mut bytes).unwrap_or(0);
            return postcard::from_bytes(&bytes[..length]).map_or(Event::Over, Event::Program);
        }
        if unwanted { Event::Over } else { Event::Look }
    }

    /// Waits for the program's leftover processes within their grace period.
    ///
    /// Returns the number of those that still run.
    fn wait_for_the_rest(&mut self) -> u64 {
        let deadline = Instant::now() + self.grace;
        loop {
            let left = self.tree.as_ref().map_or(0, Tree::running);
            if left == 0 || Instant::now() >= deadline {
                return left;
            }
            match self.next(Some(ENDING_INTERVAL)) {
                Event::Over => return left,
                Event::Program(_) | Event::Look => {}
            }
        }
    }

    /// Measures the usage of all processes together.
    fn look(&mut self) {
        let Some(tree) = &self.tree else { return };
        let members = tree.members();
        let running = || members.iter().filter(|member| member.runs);
        let resident: u64 = running().map(|member| member.resident).sum();
        if let Some(limit) = self.limits.memory.filter(|&limit| resident > limit) {
            // Memory that several processes share has counted for each of them.
            let share = |pid| tree.proportional_memory(pid);
            let used = running().map(|member| share(member.pid).unwrap_or(member.resident)).sum();
            self.peak = self.peak.max(used);
            if used > limit {
                self.exceeded = Some(Exceeded::Memory { used, limit });
            }
        } else {
            self.peak = self.peak.max(resident);
        }
        if let Some(exceeded) = self.bounded.iter_mut().find_map(Bounded::exceeded) {
            self.exceeded = Some(exceeded);
        }
        let used = running().map(|member| member.threads).sum();
        if let Some(limit) = self.limits.processes.filter(|&limit| used > limit) {
            self.exceeded = Some(Exceeded::Processes { used, limit });
        }
        self.looks = self.looks.wrapping_add(1);
        if self.is_confined && self.looks.is_multiple_of(HOLDINGS_INTERVAL) {
            let of = |member: &Member| tree.holdings(member.pid, WATCHES);
            let (files, watches) = running().map(of).fold((0, 0), |(files, watches), each| {
                (files + each.files, watches + each.watches)
            });
            if files > OPEN_FILES {
                self.exceeded = Some(Exceeded::OpenFiles { used: files, limit: OPEN_FILES });
            }
            if watches > WATCHES {
                self.exceeded = Some(Exceeded::Watches { used: watches, limit: WATCHES });
            }
        }
    }

    /// Kills all processes, and returns the end.
    fn end(&mut self, left_behind: u64) -> Ending {
        if self.ended.is_none()
            && let Some(tree) = &self.tree
        {
            let peaks =
                tree.members().into_iter().filter_map(|member| tree.peak_memory(member.pid));
            self.peak = self.peak.max(peaks.max().unwrap_or(0));
        }
        if !self.namespace
            && let Some(tree) = &self.tree
        {
            kill_below(tree);
            // Their usage counts once init has noticed their ends.
            let deadline = Instant::now() + TAKING_NOTICE;
            while !tree.members().is_empty() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // It exists until it is reaped.
        let _ = kill_process(self.init, Signal::KILL);
        let reaped = reap(self.init.as_raw_nonzero().get(), true);
        // The first process of a namespace has outlived all others. The receiver of this
        // message may start the next program. If the process was not there to be killed,
        // something was wrong.
        if self.namespace && reaped.is_some_and(|reaped| libc::WIFSIGNALED(reaped.status)) {
            self.lease.take().into_iter().for_each(Lease::give_back);
        }
        let mut ending = Ending { left_behind, exceeded: self.exceeded, ..Ending::default() };
        if let Some(reaped) = reaped {
            ending.cpu = duration(reaped.usage.ru_utime) + duration(reaped.usage.ru_stime);
        }
        let mut peak = self.peak;
        if let Some(ended) = self.ended {
            let status = ended.status;
            ending.status = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            ending.signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
            peak = peak.max(ended.peak_memory);
        }
        ending.peak_memory = (peak > 0).then_some(peak);
        ending
    }
}

fn duration(time: libc::timeval) -> Duration {
    // CPU time is never negative.
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}
