//! How a program takes the end of its input.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::{Exit, Process, usage::peak_memory};

/// How long processes that a program started may take to end after it.
const STRAGGLING: Duration = Duration::from_millis(200);

/// How a bot's process ended after its input had been closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Farewell {
    /// How it ended by itself; `None` if it had to be killed.
    pub exit: Option<Exit>,
    /// How long that took.
    pub took: Duration,
    /// How many others of its group ran when its input was closed: processes that it had started.
    pub helpers: usize,
    /// The peaks of resident memory of all these processes and its own together, in bytes.
    pub peak_memory: Option<u64>,
    /// How many processes of its group it left running.
    pub left_behind: usize,
    /// Bytes written to stderr in all.
    pub stderr: u64,
    /// The end of what it wrote to stderr.
    pub stderr_tail: String,
}

impl Process {
    /// Closes the process's input, waits up to `patience` for its end, and kills what is left; `None` if it is no
    /// child.
    pub(crate) fn farewell(mut self, patience: Duration) -> Option<Farewell> {
        let id = self.id()?;
        let helpers = companions(id);
        let peaks = helpers.iter().copied().chain([id]).filter_map(peak_memory);
        let (helpers, peak_memory) = (helpers.len(), peaks.reduce(u64::saturating_add));
        self.pipes.outbox.clear();
        self.pipes.close_input();
        let begun = Instant::now();
        while self.exit().is_none() && begun.elapsed() < patience {
            // Read and thrown away, so that nobody is stuck with the rest of some output.
            self.pipes.inbox.clear();
            self.pump_for(Some(patience.saturating_sub(begun.elapsed())));
        }
        let (exit, took) = (self.exit(), begun.elapsed());
        let left_behind = if exit.is_some() { self.left_behind() } else { 0 };
        self.kill();
        let stderr_tail = self.talk();
        let stderr = self.child.as_ref().map_or(0, |child| child.talk.total());
        Some(Farewell { exit, took, helpers, peak_memory, left_behind, stderr, stderr_tail })
    }

    /// How many others of the process's group still run a moment after its end. Looks through all processes of the
    /// machine.
    pub(crate) fn left_behind(&self) -> usize {
        let begun = Instant::now();
        loop {
            let count = self.id().map_or(0, |id| companions(id).len());
            if count == 0 || begun.elapsed() > STRAGGLING {
                return count;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The other processes of a leader's group that run.
fn companions(leader: i32) -> Vec<i32> {
    let is_companion = |pid: i32| pid != leader && runs_in_group(pid, leader);
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|&pid| is_companion(pid)).collect()
}

/// Whether a process runs in a group; the dead may still wait for their parent to take notice.
fn runs_in_group(pid: i32, group: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // pid (name) state parent group ...; the name may hold anything.
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let (state, of) = (fields.next(), fields.nth(1));
    of.and_then(|text| text.parse().ok()) == Some(group) && !matches!(state, Some("Z" | "X"))
}
