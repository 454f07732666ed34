//! Measures the CPU time, memory and output of a bot's process, for results and for `agon check`.

use std::fs;
use std::time::{Duration, Instant};

use agon_sandbox::Ending;

use super::{Child, Process, ShutdownReport, Usage, last_output};
use crate::clock::{CpuMeter, Gone, Timer};
use crate::turn_log::Cost;

/// The time limit for the last words of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

impl Process {
    /// Returns the usage of the process so far; `None` if it is no child.
    pub(crate) fn usage(&mut self) -> Option<Usage> {
        let ended = self.exit();
        let child = self.child.as_ref()?;
        let stderr = child.stderr.total();
        let before = self.looked.and_then(|(_, before)| before);
        let (cpu, peak_memory, since_question) = match child.ended {
            Some(Ending { cpu, peak_memory, .. }) => {
                (cpu, peak_memory, before.map(|before| cpu.saturating_sub(before)))
            }
            None => {
                let pid = child.confined.program.pid.as_raw_nonzero().get();
                let cpu = child.meter.used_so_far();
                let since_question = before.map(|before| child.meter.most_since(before));
                (cpu, peak_memory(pid), since_question)
            }
        };
        let since_question = since_question.unwrap_or_default();
        let since_answer = since_question.saturating_sub(self.spent);
        Some(Usage { cpu, peak_memory, stderr, ended, since_question, since_answer })
    }

    /// Returns the usage of an ended process and of the programs that it started.
    ///
    /// `None` if it was killed.
    pub(crate) fn family_usage(&mut self) -> Option<Usage> {
        self.exit()?;
        // Its last words may still be on their way.
        self.child.as_ref()?.stderr.tail(LAST_WORDS);
        self.usage()
    }

    /// Returns the peak of resident memory in bytes; `None` if it is unknown or no child's.
    pub(crate) fn peak_memory(&mut self) -> Option<u64> {
        self.usage()?.peak_memory
    }

    /// Returns the end of the output since the last answer, as printable text.
    pub(crate) fn unsolicited(&mut self) -> String {
        self.pump();
        last_output(self.inbox())
    }
}

/// Returns the peak memory of a running process in bytes; dead processes have no memory.
fn peak_memory(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

impl Process {
    /// Closes the process's input, waits for its end, and kills the rest after `patience`.
    ///
    /// `None` if it is no child.
    pub(crate) fn shutdown(mut self, patience: Duration) -> Option<ShutdownReport> {
        let tree = &self.child.as_ref()?.confined.program.tree;
        let members: Vec<_> = tree.members().into_iter().filter(|member| member.runs).collect();
        let peaks = members.iter().filter_map(|member| tree.peak_memory(member.pid));
        let peak_memory = peaks.reduce(u64::saturating_add);
        let helpers = members.len().saturating_sub(1);
        self.pipes.outbox().clear();
        self.pipes.close_input();
        let begun = Instant::now();
        while self.exit().is_none() && begun.elapsed() < patience {
            // Output is thrown away, so that no process is stuck with the rest of it.
            self.pipes.inbox.clear();
            self.pump_for(Some(patience.saturating_sub(begun.elapsed())));
        }
        let exit = self.exit();
        let took = begun.elapsed();
        let left_behind = self.left_behind();
        self.kill();
        let stderr_tail = self.stderr_tail();
        let stderr = self.child.as_ref().map_or(0, |child| child.stderr.total());
        Some(ShutdownReport {
            exit,
            took,
            helpers,
            peak_memory,
            left_behind,
            stderr,
            byte_order_mark: self.pipes.byte_order_mark == Some(true),
            stderr_tail,
        })
    }

    /// Returns the number of processes that it had started and that ran on after its end.
    pub(crate) fn left_behind(&self) -> usize {
        let ending = self.child.as_ref().and_then(|child| child.ended.as_ref());
        ending.map_or(0, |ending| ending.left_behind as usize)
    }
}

impl Process {
    /// Notes the cost of an answer, once it has come or will not come, and the stderr before it.
    pub(crate) fn note_cost(&mut self, timer: &Timer) {
        let stamp = match &self.child {
            // The clock of a process reads zero once the process is gone.
            Some(Child { ended: Some(ending), .. }) => timer.stop(&Gone(ending.cpu)),
            Some(child) => timer.stop(&child.meter),
            None => timer.stop(&CpuMeter::NONE),
        };
        if let Some(child) = &self.child {
            child.stderr.catch_up();
        }
        let cpu = self.child.as_ref().and(stamp.cpu);
        self.spent = cpu.unwrap_or_default();
        self.turn_log.spend(timer.question(), Cost { cpu, wall: stamp.wall });
    }

    /// Notes, once, the end of the process and its total usage.
    pub(super) fn note_end(&mut self) {
        if !std::mem::replace(&mut self.closed, true)
            && let Some(Usage { cpu, peak_memory, ended, .. }) = self.usage()
        {
            self.turn_log.process_ended(ended, cpu, peak_memory);
        }
    }
}
