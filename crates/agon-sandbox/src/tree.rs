//! The processes of a program, with their CPU time and memory, read from `/proc`.
//!
//! The supervisor enforces limits with them, and the arena's clocks charge a bot for its helpers.

use std::io::{self, BufRead, BufReader};
use std::{collections::BTreeSet, fs, os::fd::OwnedFd, thread, time::Duration};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat};
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::Pid;

/// A family of processes: a first one that only manages the others, and its descendants.
#[derive(Debug)]
pub struct Tree {
    proc: OwnedFd,
    /// The first process, if `proc` also shows processes of others.
    ///
    /// Otherwise the family is all of `proc`, and its first process has number 1.
    root: Option<Pid>,
}

/// A process of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number in this `/proc`.
    pub pid: i32,
    /// Its group of processes.
    pub group: i32,
    /// Whether it runs. Otherwise it is dead, and its parent has not reaped it yet.
    pub runs: bool,
    /// Whether its first thread is ready to run: it uses a core, or waits for one.
    pub ready: bool,
    /// The time of its start, in the kernel's ticks since the start of the machine.
    pub started: u64,
    /// Its CPU time, to the hundredth of a second.
    pub cpu: Duration,
    /// CPU time of its descendants that have ended and been reaped.
    pub cpu_of_ended: Duration,
    /// Its threads.
    pub threads: u64,
    /// Resident bytes. Shared memory counts for each of its processes.
    pub resident: u64,
}

/// What a process holds of things that the kernel counts for all programs of a user together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holdings {
    /// Open files.
    pub(crate) files: u64,
    /// Files that it watches with `epoll`.
    pub(crate) watches: u64,
}

impl Tree {
    /// Makes the family of all processes in a `/proc`, except its number 1.
    pub fn namespace(proc: OwnedFd) -> Tree {
        Tree { proc, root: None }
    }

    /// Makes the family of all descendants of a process.
    pub fn below(root: Pid) -> io::Result<Tree> {
        Ok(Tree::seen_by(proc()?, root))
    }

    /// Does the same, with a `/proc` that shows them.
    pub(crate) fn seen_by(proc: OwnedFd, root: Pid) -> Tree {
        Tree { proc, root: Some(root) }
    }

    /// Returns all members; none if they are invisible.
    pub fn members(&self) -> Vec<Member> {
        match self.root {
            None => self
                .numbers()
                .into_iter()
                .filter(|&pid| pid != 1)
                .filter_map(|pid| self.member(pid))
                .collect(),
            Some(root) => {
                let mut pids = self.children(root.as_raw_nonzero().get());
                let mut next = 0;
                while let Some(&pid) = pids.get(next) {
                    next += 1;
                    pids.extend(self.children(pid));
                }
                pids.into_iter().filter_map(|pid| self.member(pid)).collect()
            }
        }
    }

    /// Returns the program's helpers and their CPU time, to the hundredth of a second.
    ///
    /// These are all processes except the program's first one, as long as that runs. The time
    /// includes that of helpers that have ended, if anybody waited for them.
    pub fn helpers(&self) -> (Vec<Member>, Duration) {
        let root = self.root.map_or(1, |root| root.as_raw_nonzero().get());
        // Comes first, so that no orphan that ends meanwhile counts twice.
        let orphans = self.member(root).map_or(Duration::ZERO, |root| root.cpu_of_ended);
        let mut members = self.members();
        // Numbers are given in ascending order; reused ones are larger.
        if self.root.is_none() {
            members.sort_unstable_by_key(|member| member.pid);
        }
        let own = members.first().map_or(Duration::ZERO, |first| first.cpu);
        let all: Duration = members.iter().map(|member| member.cpu + member.cpu_of_ended).sum();
        members.drain(..members.len().min(1));
        (members, (orphans + all).saturating_sub(own))
    }

    /// Returns how long the first thread of a member was on a core, exactly, and which part of the
    /// time in which it wanted one: from 0, always waiting, to 1.
    pub fn time_on_core(&self, pid: i32) -> (Duration, f64) {
        let text = self.read(&format!("{pid}/schedstat")).unwrap_or_default();
        let mut times = text.split_ascii_whitespace().map(|word| word.parse().unwrap_or(0));
        let ran: u64 = times.next().unwrap_or_default();
        let waited: u64 = times.next().unwrap_or_default();
        let share = if ran > 0 { ran as f64 / (ran as f64 + waited as f64) } else { 0.0 };
        (Duration::from_nanos(ran), share)
    }

    /// Returns the number of running members.
    pub fn running(&self) -> u64 {
        self.members().iter().filter(|member| member.runs).count() as u64
    }

    /// Returns the peak of resident memory of a process, in bytes.
    pub fn peak_memory(&self, pid: i32) -> Option<u64> {
        let status = self.read(&format!("{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    }

    /// Returns the resident bytes of a process. Memory that it shares counts in part.
    pub(crate) fn proportional_memory(&self, pid: i32) -> Option<u64> {
        let text = self.read(&format!("{pid}/smaps_rollup"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    }

    /// Returns what a process holds. It stops counting watches at `most`.
    pub(crate) fn holdings(&self, pid: i32, most: u64) -> Holdings {
        let own = self.holdings_of_thread(&format!("{pid}"), most);
        if own.files > 0 {
            return own;
        }
        // All threads have the same files, but the first one may have ended.
        let threads = self.threads(pid).into_iter();
        let others =
            threads.map(|thread| self.holdings_of_thread(&format!("{pid}/task/{thread}"), most));
        others.max_by_key(|holdings| holdings.files).unwrap_or_default()
    }

    fn holdings_of_thread(&self, thread: &str, most: u64) -> Holdings {
        let mut holdings = Holdings::default();
        for number in self.list(&format!("{thread}/fd")) {
            holdings.files += 1;
            let target = readlinkat(&self.proc, format!("{thread}/fd/{number}"), Vec::new());
            let is_epoll = target.is_ok_and(|target| target.as_bytes() == EPOLL);
            if is_epoll && holdings.watches < most {
                holdings.watches += self.watches(&format!("{thread}/fdinfo/{number}"), most);
            }
        }
        holdings
    }

    /// Counts the lines that tell what an `epoll` watches.
    fn watches(&self, path: &str, most: u64) -> u64 {
        let file = openat(&self.proc, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let Ok(file) = file.map(fs::File::from) else { return 0 };
        let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let watches = lines.filter(|line| line.starts_with(b"tfd:"));
        watches.zip(0..=most).count() as u64
    }

    fn numbers(&self) -> Vec<i32> {
        self.list(".")
    }

    /// Returns the entries of a folder that are numbers.
    fn list(&self, folder: &str) -> Vec<i32> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&self.proc, folder, flags, Mode::empty());
        let Some(folder) = folder.ok().and_then(|folder| Dir::new(folder).ok()) else {
            return Vec::new();
        };
        folder.flatten().filter_map(|entry| entry.file_name().to_str().ok()?.parse().ok()).collect()
    }

    fn threads(&self, pid: i32) -> Vec<i32> {
        self.list(&format!("{pid}/task"))
    }

    /// Returns the children of a process, of all its threads.
    fn children(&self, pid: i32) -> Vec<i32> {
        let threads = self.threads(pid).into_iter();
        let lists =
            threads.filter_map(|thread| self.read(&format!("{pid}/task/{thread}/children")));
        lists
            .flat_map(|list| {
                list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>()
            })
            .collect()
    }

    fn member(&self, pid: i32) -> Option<Member> {
        let mut member = parse_stat(pid, &self.read(&format!("{pid}/stat"))?)?;
        if member.runs && member.resident == 0 && member.threads > 1 {
            // Its first thread has ended, and has no memory any more.
            let stats = self.threads(pid).into_iter().filter_map(|thread| {
                parse_stat(thread, &self.read(&format!("{pid}/task/{thread}/stat"))?)
            });
            member.resident = stats.map(|thread| thread.resident).max().unwrap_or(0);
        }
        Some(member)
    }

    fn read(&self, path: &str) -> Option<String> {
        let file =
            openat(&self.proc, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        io::read_to_string(fs::File::from(file)).ok()
    }
}

/// The kernel's name of what a process watches files with.
const EPOLL: &[u8] = b"anon_inode:[eventpoll]";

/// Opens the `/proc` of the calling process.
pub(crate) fn proc() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, "/proc", flags, Mode::empty())?)
}

/// Reads a line of `/proc/PID/stat`: `pid (name) state parent ...`; the name may hold anything.
///
/// `None` for a process that ended before the whole line was written: its group is -1.
fn parse_stat(pid: i32, stat: &str) -> Option<Member> {
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    // Fields are numbered from 1, the state is the third.
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |at: usize| field(at)?.parse::<u64>().ok();
    let time = |ticks: u64| Duration::from_millis(ticks * 1000 / clock_ticks_per_second().max(1));
    let cpu = time(number(14)? + number(15)?);
    let cpu_of_ended = time(number(16)? + number(17)?);
    let state = field(3)?;
    let threads = number(20)?;
    Some(Member {
        pid,
        group: field(5)?.parse().ok().filter(|&group| group >= 0)?,
        // The state is that of the first thread. Others may run on after it.
        runs: !matches!(state, "Z" | "X") || threads > 1,
        ready: state == "R",
        started: number(22)?,
        cpu,
        cpu_of_ended,
        threads,
        resident: number(24)? * page_size() as u64,
    })
}

/// Kills all descendants of a process, which adopts orphans, until none is left.
///
/// The process itself stays.
pub(crate) fn kill_below(tree: &Tree) {
    // A signal reaches a whole group at once, even processes that are just being started. A process
    // cannot leave its group for one outside of the program. Only in the first process's group,
    // which has to survive to adopt orphans, each gets its own signal. A process that keeps making
    // new groups is stopped first: then it cannot fork while others are killed.
    let first = tree.root.map(|root| root.as_raw_nonzero().get());
    for signal in [libc::SIGSTOP, libc::SIGKILL] {
        let mut last = usize::MAX;
        for _ in 0..ROUNDS {
            let running: Vec<Member> =
                tree.members().into_iter().filter(|member| member.runs).collect();
            let targets: BTreeSet<i32> =
                running.iter().map(|member| target(member, first)).collect();
            let are_stopped = targets.len() < 2 || running.len() == last;
            if running.is_empty() || signal == libc::SIGSTOP && are_stopped {
                break;
            }
            last = running.len();
            for target in targets {
                kill(target, signal);
            }
            // Thousands of processes need time to end.
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns the target of the kill that ends a member.
///
/// It is the member's group, as a negative number, unless the first process is in it.
fn target(member: &Member, first: Option<i32>) -> i32 {
    // To the kernel, 0 is the caller's group and -1 is everybody. A group that this `/proc` does
    // not know is 0.
    if member.group < 2 || Some(member.group) == first { member.pid } else { -member.group }
}

/// The most rounds of killing, so that a program that only forks ends as well.
const ROUNDS: u32 = 64;

/// Sends a signal to a process, or to the group with this negative number.
#[allow(unsafe_code)]
fn kill(target: i32, signal: i32) {
    // SAFETY: a plain system call. It fails only if the process or group is gone.
    unsafe { libc::kill(target, signal) };
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name() {
        let line = "42 (a) b) S 1 41 42 0 -1 4194560 100 0 0 0 7 3 20 10 20 0 5 0 12345 1000000 \
            250 18446744073709551615";
        let member = parse_stat(42, line).expect("it is a line of stat");
        let time = |ticks: u64| Duration::from_millis(ticks * 1000 / clock_ticks_per_second());
        let resident = 250 * page_size() as u64;
        assert_eq!(
            member,
            Member {
                pid: 42,
                group: 41,
                runs: true,
                ready: false,
                started: 12345,
                cpu: time(10),
                cpu_of_ended: time(30),
                threads: 5,
                resident
            }
        );
        assert_eq!(parse_stat(42, "42 (x) Z 1").map(|member| member.runs), None, "it is cut off");
    }

    #[test]
    fn neither_everybody_nor_the_own_group_is_a_target() {
        let line = |group| {
            format!("42 (a) R 1 {group} 42 0 -1 0 0 0 0 0 7 3 20 10 20 0 5 0 12345 1000000 250")
        };
        let target = |group| parse_stat(42, &line(group)).map(|member| target(&member, Some(7)));
        assert_eq!(target(-1), None, "it is gone");
        assert_eq!(target(0), Some(42), "its group is not seen");
        assert_eq!(target(1), Some(42), "-1 is everybody");
        assert_eq!(target(7), Some(42), "the first process stays");
        assert_eq!(target(41), Some(-41));
    }

    #[test]
    fn children_of_children_are_seen() {
        let mut shell = std::process::Command::new("sh");
        let mut child =
            shell.args(["-c", "sleep 100 & sleep 100 & wait"]).process_group(0).spawn().unwrap();
        let tree = Tree::below(rustix::process::getpid()).unwrap();
        let own = Tree::below(Pid::from_child(&child)).unwrap();
        while own.running() < 2 {
            thread::yield_now();
        }
        assert!(tree.running() >= 3);
        kill_below(&own);
        while own.running() > 0 {
            thread::yield_now();
        }
        child.wait().unwrap();
    }
}
