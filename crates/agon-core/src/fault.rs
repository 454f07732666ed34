//! Faults of bots: the misbehaviour of a bot, with evidence.
//!
//! Hosts and the referee record them, and results and replays keep them. Misbehaviour is data: it
//! never becomes an error of the arena.

use std::{borrow::Cow, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Player;

/// One case of misbehaviour, with what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Whose bot it was.
    pub player: Player,
    /// The step of the match, from 0, in which it happened.
    pub step: u64,
    /// What kind of misbehaviour.
    pub kind: FaultKind,
    /// One sentence: what was expected and what came.
    pub detail: String,
    /// What was seen.
    pub evidence: Evidence,
    /// How many faults of this kind the bot committed in the step, this one included (a crash in a
    /// batch of 500 decisions costs 500 answers but is told once).
    pub count: u64,
}

/// Kinds of misbehaviour.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The bot could not be started, or did not finish starting.
    Start,
    /// It did not answer in time.
    Timeout,
    /// It ended by itself. An exit status, a signal or the detail says how.
    Crash,
    /// It closed its input or output but went on running.
    Closed,
    /// It answered something that cannot be read.
    Garbage,
    /// It answered something that can be read but breaks the rules.
    Illegal,
    /// It wrote far more than an answer takes.
    Flood,
    /// It answered before it had been asked.
    Early,
    /// It wanted more memory than it may have.
    Memory,
    /// It threw an exception that it did not catch.
    Exception,
}

impl FaultKind {
    /// The kind in plain words: "did not answer in time".
    pub fn words(self) -> &'static str {
        match self {
            FaultKind::Start => "could not be started",
            FaultKind::Timeout => "did not answer in time",
            FaultKind::Crash => "crashed",
            FaultKind::Closed => "closed its pipe",
            FaultKind::Garbage => "answered garbage",
            FaultKind::Illegal => "broke the rules",
            FaultKind::Flood => "flooded its output",
            FaultKind::Early => "answered before it was asked",
            FaultKind::Memory => "ran out of memory",
            FaultKind::Exception => "threw an exception",
        }
    }
}

/// What was seen of a fault; whatever does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The exit status, if the process ended with one.
    pub exit_status: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// The end of what it wrote to stderr.
    pub stderr_tail: String,
    /// The end of what it last wrote as an answer, as text with escapes for bytes that are none.
    pub last_output: String,
    /// Which unit's decision it was, if it can be told.
    pub unit: Option<u32>,
    /// The end of what it was sent last, as text with escapes; of bots that share memory with the
    /// arena the question in words. Programs need not have read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_input: String,
    /// The most memory that its process had resident at a time by then, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// CPU time that it used for this answer, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Time from the question until the answer, or the lack of one, was noticed, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_us: Option<u64>,
    /// Whether it was ended because all that it had started used more than it may together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exceeded: bool,
}

impl Fault {
    /// Escapes characters in all texts that a reader would not see. The texts come from a bot or
    /// from an untrusted file.
    pub fn escape(&mut self) {
        let Evidence { stderr_tail, last_output, last_input, .. } = &mut self.evidence;
        for text in [&mut self.detail, last_output, last_input] {
            replace(text, crate::text::escape);
        }
        replace(stderr_tail, crate::text::escape_lines);
    }
}

/// Replaces a text by its escaped form, if the two differ.
fn replace(text: &mut String, escape: impl FnOnce(&str) -> Cow<'_, str>) {
    if let Cow::Owned(escaped) = escape(text) {
        *text = escaped;
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}: {}", self.step, self.kind.words(), self.detail)?;
        if let Some(status) = self.evidence.exit_status {
            write!(f, " ({})", exit_words(status))?;
        }
        if let Some(signal) = self.evidence.signal {
            write!(f, " ({})", signal_words(signal))?;
        }
        Ok(())
    }
}

/// Signals by their numbers on Linux, which are the same on all processors that Agon runs on.
const SIGNALS: [(i32, &str, &str); 18] = [
    (1, "SIGHUP", "hung up"),
    (2, "SIGINT", "interrupted"),
    (3, "SIGQUIT", "quit"),
    (4, "SIGILL", "illegal instruction"),
    (5, "SIGTRAP", "breakpoint"),
    (6, "SIGABRT", "aborted"),
    (7, "SIGBUS", "bus error"),
    (8, "SIGFPE", "arithmetic error, such as a division by zero"),
    (9, "SIGKILL", "killed; by the kernel if memory was short"),
    (10, "SIGUSR1", "user signal 1"),
    (11, "SIGSEGV", "segmentation fault"),
    (12, "SIGUSR2", "user signal 2"),
    (13, "SIGPIPE", "broken pipe"),
    (14, "SIGALRM", "alarm"),
    (15, "SIGTERM", "asked to end"),
    (24, "SIGXCPU", "limit of CPU time"),
    (25, "SIGXFSZ", "limit of file size"),
    (31, "SIGSYS", "forbidden system call"),
];

/// Returns the name of a signal: "SIGSEGV".
pub fn signal_name(number: i32) -> Option<&'static str> {
    SIGNALS.iter().find(|(known, ..)| *known == number).map(|(_, name, _)| *name)
}

/// Describes a signal: "SIGSEGV (segmentation fault)".
pub fn signal_words(number: i32) -> String {
    match SIGNALS.iter().find(|(known, ..)| *known == number) {
        Some((_, name, meaning)) => format!("{name} ({meaning})"),
        None => format!("signal {number}"),
    }
}

/// Describes an exit status: "exit status 3".
///
/// From 128 on, a shell reports that a signal ended its program.
pub fn exit_words(status: i32) -> String {
    match (status, signal_name(status - 128)) {
        (127, _) => "exit status 127 (of a shell: command not found)".to_owned(),
        (_, Some(name)) => format!("exit status {status} (of a shell: {name})"),
        _ => format!("exit status {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What older versions wrote, and what is written of faults without a process.
    const BEFORE: &str =
        r#"{"exit_status":null,"signal":null,"stderr_tail":"","last_output":"","unit":3}"#;

    #[test]
    fn texts_of_a_fault_command_no_terminal() {
        let evil = "\u{1b}]0;pwned\u{7}\n\u{202e}";
        let evidence =
            Evidence { stderr_tail: evil.into(), last_output: evil.into(), ..Evidence::default() };
        let evidence = Evidence { last_input: evil.into(), ..evidence };
        let player = Player(0);
        let kind = FaultKind::Garbage;
        let detail = evil.to_owned();
        let mut fault = Fault { player, step: 0, kind, detail, evidence, count: 1 };
        fault.escape();
        let line = "\\u001b]0;pwned\\u0007\\n\\u202e";
        let Evidence { stderr_tail, last_output, last_input, .. } = &fault.evidence;
        assert_eq!([&fault.detail, last_output, last_input], [line; 3]);
        assert_eq!(stderr_tail, "\\u001b]0;pwned\\u0007\n\\u202e");
    }

    #[test]
    fn evidence_of_older_versions_is_read_and_written_as_before() {
        let evidence = Evidence { unit: Some(3), ..Evidence::default() };
        assert_eq!(serde_json::from_str::<Evidence>(BEFORE).unwrap(), evidence);
        assert_eq!(serde_json::to_string(&evidence).unwrap(), BEFORE);
    }

    #[test]
    fn signals_have_names() {
        assert_eq!(signal_words(11), "SIGSEGV (segmentation fault)");
        assert_eq!(signal_words(63), "signal 63");
        assert!(SIGNALS.is_sorted_by_key(|(number, ..)| *number));
    }

    #[test]
    fn exit_statuses_of_shells_are_explained() {
        assert_eq!(exit_words(3), "exit status 3");
        assert_eq!(exit_words(139), "exit status 139 (of a shell: SIGSEGV)");
        assert_eq!(exit_words(200), "exit status 200");
    }
}
