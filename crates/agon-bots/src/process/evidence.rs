//! Faults of programs, with what was seen.

use std::{fmt, io, time::Duration};

use agon_core::{Decision, Evidence, Fault, FaultKind, Game, Player};
use agon_jail::Exceeded;

use super::{Exit, GRACE, Process, Trouble};
use crate::{BatchPart, Shortage, clock::Timer, shortage::killed_for_memory, turn_log::Cost};

/// How much of the last output is kept: bytes, and characters once they are escaped.
const LAST_OUTPUT: usize = 200;

/// Whom a fault concerns, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultSite {
    /// Whose bot it is.
    pub(crate) player: Player,
    /// The step of the match.
    pub(crate) step: u64,
}

impl<G: Game> From<BatchPart<'_, G>> for FaultSite {
    fn from(part: BatchPart<'_, G>) -> FaultSite {
        FaultSite { player: part.player, step: part.step }
    }
}

impl FaultSite {
    /// Before the first step.
    pub(crate) fn start(player: Player) -> FaultSite {
        FaultSite { player, step: 0 }
    }

    /// A fault of which nothing more was seen.
    pub(crate) fn fault(self, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let detail = detail.into();
        let evidence = Evidence::default();
        Fault { player: self.player, step: self.step, kind, detail, evidence, count: 1 }
    }
}

impl Process {
    /// Ends the process because of a fault, and tells all that was seen of it.
    pub(crate) fn end_with(
        &mut self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        // Asked before the killing, which leaves traces of its own.
        let exit = self.exit();
        self.kill();
        self.note_lack_of_memory(exit);
        let peak_memory = self.peak_memory();
        let mut fault = self.seen(place, kind, detail);
        self.blame(&mut fault);
        fault.evidence.peak_memory = peak_memory;
        fault.evidence.stderr_tail = self.talk();
        if let Some(exit) = exit {
            fault.evidence.exit_status = exit.status;
            fault.evidence.signal = exit.signal;
        }
        fault
    }

    /// A process that the system has killed while it was short of memory may have been ended for
    /// another's greed.
    fn note_lack_of_memory(&self, exit: Option<Exit>) {
        let Some(child) = &self.child else { return };
        let is_killed = exit.is_some_and(|exit| exit.signal == Some(libc::SIGKILL));
        let exceeded = child.ended.as_ref().is_some_and(|ending| ending.exceeded.is_some());
        if is_killed && !exceeded && killed_for_memory() > child.memory_kills {
            self.turn_log.lack(Shortage::of_memory("a bot's process was ended"));
        }
    }

    /// Tells the limit that the process has exceeded, if that was its end.
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

    /// Ends the process because there is no answer, and tells why.
    pub(crate) fn end_with_trouble(
        &mut self,
        place: FaultSite,
        trouble: Trouble,
        timer: &Timer,
    ) -> Fault {
        let (kind, detail) = self.describe(trouble, timer);
        self.end_with(place, kind, detail)
    }

    /// Why there is no answer, in words.
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
            Trouble::Closed if self.child.is_none() => {
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

    /// The end of what a process that has been killed wrote to stderr.
    pub(crate) fn talk(&self) -> String {
        self.talk_within(GRACE)
    }

    fn talk_within(&self, patience: Duration) -> String {
        let tail = self.child.as_ref().map(|child| child.talk.tail(patience));
        printable(&tail.unwrap_or_default(), &['\n', '\t'])
    }

    /// A fault that does not end the process.
    pub(crate) fn seen(
        &self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        // Garbage is what was taken for an answer; otherwise what came last tells more.
        let taken = self.pipes.inbox.is_empty() || kind == FaultKind::Garbage;
        Fault { evidence: self.evidence(taken), ..place.fault(kind, detail) }
    }

    /// What was said last in both directions, and what the answer has cost; `taken`: of the output
    /// only what was taken.
    fn evidence(&self, taken: bool) -> Evidence {
        let sent: Vec<u8> = self.pipes.last_sent.iter().copied().collect();
        let last = if taken { &self.last_taken } else { &self.pipes.inbox };
        let (last_output, last_input) = (last_output(last), last_output(&sent));
        let mut evidence = Evidence { last_output, last_input, ..Evidence::default() };
        note_cost(&mut evidence, self.turn_log.cost());
        evidence
    }

    /// All that can be seen of an answer that was taken.
    pub(crate) fn evidence_now(&mut self) -> Evidence {
        Evidence {
            stderr_tail: self.talk_now(),
            peak_memory: self.peak_memory(),
            ..self.evidence(true)
        }
    }

    /// The same with what the process has written to stderr so far.
    pub(crate) fn seen_now(
        &mut self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        let mut fault = self.seen(place, kind, detail);
        fault.evidence.stderr_tail = self.talk_now();
        fault.evidence.peak_memory = self.peak_memory();
        fault
    }

    /// The end of what a process that runs has written to stderr by now.
    fn talk_now(&self) -> String {
        self.talk_within(Duration::ZERO)
    }
}

/// Adds what an answer has cost.
pub(crate) fn note_cost(evidence: &mut Evidence, cost: Option<Cost>) {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    evidence.cpu_us = cost.and_then(|cost| cost.cpu).map(micros);
    evidence.wall_us = cost.map(|cost| micros(cost.wall));
}

/// What a bot was asked that finds its questions in shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    step: u64,
    decisions: usize,
    /// The first and the last unit.
    units: (u32, u32),
}

impl Asked {
    /// Some decisions of a step.
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

/// The end of some output as evidence.
pub(crate) fn last_output(bytes: &[u8]) -> String {
    let text = printable(&bytes[bytes.len().saturating_sub(LAST_OUTPUT)..], &[]);
    match text.char_indices().rev().nth(LAST_OUTPUT - 1) {
        Some((start @ 1.., _)) => format!("…{}", &text[start..]),
        _ => text,
    }
}

pub(crate) use agon_text::escape_bytes as printable;

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
