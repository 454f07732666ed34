//! Makes faults of programs, with evidence such as their last output and their exit status.

use std::{fmt, io, time::Duration};

use agon_core::{Decision, Evidence, Fault, FaultKind};
use agon_sandbox::Exceeded;

use super::{Exit, FaultSite, GRACE, Process, Trouble};
use crate::{clock::Timer, shortage, turn_log::Cost};

/// The kept part of the last output: bytes, and characters once they are escaped.
const LAST_OUTPUT: usize = 200;

/// What runtimes of languages print if their heap, or the kernel, gives no more: Java, Node,
/// Python, .NET and Mono, Go, PyPy, SBCL, Erlang, C++.
const OUT_OF_MEMORY: [&str; 9] = [
    "OutOfMemoryError",
    "heap out of memory",
    "MemoryError",
    "OutOfMemoryException",
    "runtime: out of memory",
    "using too much memory, aborting",
    "Heap exhausted",
    "eheap_alloc: Cannot allocate",
    "std::bad_alloc",
];

/// What `env` says of `#!/usr/bin/env python3` with a line end of Windows.
const LINE_END_OF_WINDOWS: [&str; 2] = ["\\r’: No such file", "\\r': No such file"];

fn ran_out_of_memory(last_words: &str) -> bool {
    OUT_OF_MEMORY.iter().any(|words| last_words.contains(words))
}

impl Process {
    /// Ends the process because of a fault, and returns the fault with all evidence.
    pub(crate) fn end_with(
        &mut self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        // Taken before the kill, which leaves traces of its own.
        let exit = self.exit();
        self.kill();
        self.note_lack_of_memory(exit);
        let peak_memory = self.peak_memory();
        let mut fault = self.seen(place, kind, detail);
        self.blame(&mut fault);
        fault.evidence.peak_memory = peak_memory;
        fault.evidence.stderr_tail = self.stderr_tail();
        if fault.kind == FaultKind::Crash && ran_out_of_memory(&fault.evidence.stderr_tail) {
            fault.kind = FaultKind::Memory;
            fault.detail = format!("its runtime found no more memory: {}", fault.detail);
        }
        let last_words = &fault.evidence.stderr_tail;
        if LINE_END_OF_WINDOWS.iter().any(|words| last_words.contains(words)) {
            fault.detail += "; its first line ends with a carriage return: save it with line ends \
                             of Unix";
        }
        if let Some(exit) = exit {
            fault.evidence.exit_status = exit.status;
            fault.evidence.signal = exit.signal;
        }
        fault
    }

    /// Notes a kill by the system while memory was short.
    ///
    /// Another process may have been the greedy one.
    fn note_lack_of_memory(&self, exit: Option<Exit>) {
        let Some(child) = &self.child else { return };
        let is_killed = exit.is_some_and(|exit| exit.signal == Some(libc::SIGKILL));
        let exceeded = child.ended.as_ref().is_some_and(|ending| ending.exceeded.is_some());
        if is_killed && !exceeded && shortage::killed_for_memory() > child.memory_kills {
            self.turn_log.lack(shortage::of_memory("a bot's process was ended"));
        }
    }

    /// Adds the limit that the process has exceeded, if that ended it.
    fn blame(&self, fault: &mut Fault) {
        let ending = self.child.as_ref().and_then(|child| child.ended.as_ref());
        let Some(exceeded) = ending.and_then(|ending| ending.exceeded) else { return };
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (kind, detail) = match exceeded {
            Exceeded::Memory { used, limit } => (
                FaultKind::Memory,
                format!("it used {} MiB of memory; the limit is {} MiB", mib(used), mib(limit)),
            ),
            Exceeded::Processes { used, limit } => (
                FaultKind::Crash,
                format!("it had {used} processes and threads; the limit is {limit}"),
            ),
            Exceeded::OpenFiles { used, limit } => (
                FaultKind::Crash,
                format!("it had {used} files open in all its processes; the limit is {limit}"),
            ),
            Exceeded::Watches { used, limit } => (
                FaultKind::Crash,
                format!("it watched {used} files with epoll; the limit is {limit}"),
            ),
            Exceeded::Hoard { processes, files } => (
                FaultKind::Crash,
                format!(
                    "it had {processes} processes and threads and {files} open files when there \
                     were no more of them for others"
                ),
            ),
            Exceeded::Files { used, limit } => (
                FaultKind::Crash,
                format!("it wrote {} MiB of files; the limit is {} MiB", mib(used), mib(limit)),
            ),
            Exceeded::Depth { limit } => {
                (FaultKind::Crash, format!("it made more than {limit} folders within each other"))
            }
            Exceeded::Unseen { error } => (
                FaultKind::Crash,
                format!(
                    "what it wrote cannot be looked at ({})",
                    io::Error::from_raw_os_error(error)
                ),
            ),
        };
        if fault.kind == FaultKind::Crash {
            fault.kind = kind;
        }
        fault.detail = format!("{detail}: {}", fault.detail);
        fault.evidence.exceeded = true;
    }

    /// Ends the process because there is no answer, and returns the reason as a fault.
    pub(crate) fn end_with_trouble(
        &mut self,
        place: FaultSite,
        trouble: Trouble,
        timer: &Timer,
    ) -> Fault {
        let (kind, detail) = self.describe(trouble, timer);
        self.end_with(place, kind, detail)
    }

    /// Describes the reason for the missing answer.
    pub(crate) fn describe(&self, trouble: Trouble, timer: &Timer) -> (FaultKind, String) {
        match trouble {
            Trouble::Timeout if self.unsent() > 0 => (
                FaultKind::Timeout,
                format!(
                    "it did not read its input: {} bytes wait ({})",
                    self.unsent(),
                    timer.words(&self.meter())
                ),
            ),
            Trouble::Timeout => {
                (FaultKind::Timeout, format!("no answer: {}", timer.words(&self.meter())))
            }
            Trouble::Crash => (FaultKind::Crash, "its process ended before it answered".to_owned()),
            Trouble::Closed if self.child.as_ref().is_none_or(|child| child.serves) => {
                (FaultKind::Closed, "it closed the connection before it answered".to_owned())
            }
            Trouble::Closed if self.pipes.stdout.is_none() => {
                (FaultKind::Closed, "it closed its standard output and runs on".to_owned())
            }
            Trouble::Closed => {
                (FaultKind::Closed, "it closed its standard input and runs on".to_owned())
            }
            Trouble::Flood => (
                FaultKind::Flood,
                format!(
                    "it wrote more than {} bytes that are no answer",
                    self.pipes.inbox.len() - 1
                ),
            ),
        }
    }

    /// Returns the end of the stderr output of a killed process.
    pub(crate) fn stderr_tail(&self) -> String {
        self.stderr_tail_within(GRACE)
    }

    fn stderr_tail_within(&self, patience: Duration) -> String {
        let tail = self.child.as_ref().map(|child| child.stderr.tail(patience));
        let text = printable(&tail.unwrap_or_default(), &['\n', '\t']);
        // Its author has never seen the folder of the copy.
        match self.child.as_ref().and_then(|child| child.copy.as_ref()) {
            Some((copy, place)) => text.replace(copy, place),
            None => text,
        }
    }

    /// Makes a fault that does not end the process.
    pub(crate) fn seen(
        &self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        // Garbage was taken for an answer. For other faults the latest output says more.
        let taken = self.pipes.inbox.is_empty() || kind == FaultKind::Garbage;
        Fault { evidence: self.evidence(taken), ..place.fault(kind, detail) }
    }

    /// Returns the last output in both directions, and the cost of the answer.
    ///
    /// If `taken`, only output that was taken counts.
    fn evidence(&self, taken: bool) -> Evidence {
        let sent: Vec<u8> = self.pipes.last_sent.iter().copied().collect();
        let last = if taken { &self.last_taken } else { &self.pipes.inbox };
        let last_input = last_output(&sent);
        let last_output = last_output(last);
        let mut evidence = Evidence { last_output, last_input, ..Evidence::default() };
        note_cost(&mut evidence, self.turn_log.cost());
        evidence
    }

    /// Returns all evidence about an answer that was taken.
    pub(crate) fn evidence_now(&mut self) -> Evidence {
        Evidence {
            stderr_tail: self.stderr_tail_now(),
            peak_memory: self.peak_memory(),
            ..self.evidence(true)
        }
    }

    /// Makes the same fault, with the process's stderr output so far.
    pub(crate) fn seen_now(
        &mut self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        let mut fault = self.seen(place, kind, detail);
        fault.evidence.stderr_tail = self.stderr_tail_now();
        fault.evidence.peak_memory = self.peak_memory();
        fault
    }

    /// Returns the end of the stderr output so far, of a running process.
    fn stderr_tail_now(&self) -> String {
        self.stderr_tail_within(Duration::ZERO)
    }
}

/// Adds the cost of an answer.
pub(crate) fn note_cost(evidence: &mut Evidence, cost: Option<Cost>) {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    evidence.cpu_us = cost.and_then(|cost| cost.cpu).map(micros);
    evidence.wall_us = cost.map(|cost| micros(cost.wall));
}

/// The question of a bot that finds its questions in shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    step: u64,
    decisions: usize,
    /// The first and the last unit.
    units: (u32, u32),
}

impl Asked {
    /// Describes some decisions of a step.
    pub(crate) fn new(step: u64, decisions: &[Decision]) -> Asked {
        let unit = |decision: Option<&Decision>| decision.map_or(0, |decision| decision.unit);
        let units = (unit(decisions.first()), unit(decisions.last()));
        Asked { step, decisions: decisions.len(), units }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Asked { step, decisions, units: (first, last) } = self;
        match decisions {
            0 => Ok(()),
            1 => write!(f, "step {step}: a decision for unit {first}"),
            _ => write!(f, "step {step}: {decisions} decisions for units from {first} to {last}"),
        }
    }
}

/// Returns the end of some output as evidence.
pub(crate) fn last_output(bytes: &[u8]) -> String {
    let text = printable(&bytes[bytes.len().saturating_sub(LAST_OUTPUT)..], &[]);
    match text.char_indices().rev().nth(LAST_OUTPUT - 1) {
        Some((start @ 1.., _)) => format!("…{}", &text[start..]),
        _ => text,
    }
}

pub(crate) use agon_core::text::escape_bytes as printable;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_printable() {
        assert_eq!(
            printable(b"PLACE 1\n\x1b[2J\xff\0ok", &[]),
            "PLACE 1\\n\\u001b[2J\\xff\\u0000ok"
        );
        assert_eq!(last_output(&[0; 1000]), format!("…{}", &"\\u0000".repeat(34)[4..]));
        assert_eq!(last_output("ä".repeat(100).as_bytes()), "ä".repeat(100));
        assert_eq!(printable("Zug\nnach oben: ↑".as_bytes(), &['\n']), "Zug\nnach oben: ↑");
    }
}
