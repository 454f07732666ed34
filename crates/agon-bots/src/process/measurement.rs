//! Measures the CPU time, memory and output of a bot's process, for results and for `agon check`.

use std::{fs, time::Duration};

use agon_sandbox::Ending;

use super::{Process, Usage, last_output};

/// The time limit for the last words of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

impl Process {
    /// Returns the usage of the process so far; `None` if it is no child.
    pub(crate) fn usage(&mut self) -> Option<Usage> {
        let exit = self.exit();
        let child = self.child.as_ref()?;
        let stderr = child.stderr.total();
        let before = self.looked.and_then(|(_, before)| before);
        if let Some(Ending { cpu, peak_memory, .. }) = child.ended {
            let since_question = before.map_or(Duration::ZERO, |before| cpu.saturating_sub(before));
            let since_answer = since_question.saturating_sub(self.spent);
            return Some(Usage {
                cpu,
                peak_memory,
                stderr,
                ended: exit,
                since_question,
                since_answer,
            });
        }
        let pid = child.confined.program().pid.as_raw_nonzero().get();
        let cpu = child.meter.used_so_far();
        let since_question = before.map_or(Duration::ZERO, |before| child.meter.most_since(before));
        let since_answer = since_question.saturating_sub(self.spent);
        let peak_memory = peak_memory(pid);
        Some(Usage { cpu, peak_memory, stderr, ended: exit, since_question, since_answer })
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
