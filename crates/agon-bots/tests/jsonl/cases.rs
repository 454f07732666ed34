//! The table of programs that misbehave: each misbehaviour, and the answers and faults it leads to.

use FaultKind::{Closed, Crash, Early, Flood, Garbage, Memory, Timeout};
use agon_core::FaultKind;

/// A misbehaviour and its consequences.
pub(super) struct Case {
    /// The misbehaviour, by its name in `bots/jsonl.py`.
    pub(super) mode: &'static str,
    /// The result in each step: `G` all answers, `b` the second missing, `.` all default.
    pub(super) answers: &'static str,
    /// The faults, each with its step and a part of its detail.
    pub(super) faults: &'static [(FaultKind, u64, &'static str)],
    /// Whether it needs a running clock.
    pub(super) timed: bool,
}

const fn case(
    mode: &'static str,
    answers: &'static str,
    faults: &'static [(FaultKind, u64, &'static str)],
) -> Case {
    Case { mode, answers, faults, timed: false }
}

const fn timed(
    mode: &'static str,
    answers: &'static str,
    faults: &'static [(FaultKind, u64, &'static str)],
) -> Case {
    Case { mode, answers, faults, timed: true }
}

/// Misbehaviours that are possible with any connection.
pub(super) const CASES: &[Case] = &[
    // Nothing wrong.
    case("good", "GGGGGG", &[]),
    case("windows", "GGGGGG", &[]),
    case("blank lines", "GGGGGG", &[]),
    case("bytes", "GGGGGG", &[]),
    case("spaced", "GGGGGG", &[]),
    // Answers at a wrong time.
    case("late", "GGGGGG", &[]),
    case("twice", "GGGGGG", &[]),
    case(
        "early",
        "GG.GGG",
        &[(Early, 2, "it answered step 3, but the question is that of step 2")],
    ),
    case("ahead", "GGG.GG", &[(Early, 3, "it answered step 3 before it had the whole question")]),
    timed("silent", "GG.GGG", &[(Timeout, 2, "no answer: ")]),
    timed("sleep", "GG.GGG", &[(Timeout, 2, "no answer: ")]),
    timed(
        "mute",
        "GG....",
        &[
            (Timeout, 2, "no answer: "),
            (Timeout, 3, ""),
            (Timeout, 4, "that was 3 times in a row; the bot stays out"),
        ],
    ),
    // Lines that are no answers.
    case("banner", ".GGGGG", &[(Garbage, 0, "it is no JSON object")]),
    case("garbage", "GG.GGG", &[(Garbage, 2, "it is no JSON object")]),
    case(
        "chatter",
        "GG.GGG",
        &[(Garbage, 2, "expected a line {\"step\": 2, \"answers\": [...]}, but it is no JSON")],
    ),
    case("too few", "GG.GGG", &[(Garbage, 2, "expected 3 answers, one per decision, but 2 came")]),
    case("too many", "GG.GGG", &[(Garbage, 2, "expected 3 answers, one per decision, but 4 came")]),
    case("no step", "GG.GGG", &[(Garbage, 2, "missing field `step`")]),
    case("strange step", "GG.GGG", &[(Garbage, 2, "invalid type: string \"2\"")]),
    case("keys twice", "GG.GGG", &[(Garbage, 2, "duplicate field `step`")]),
    case("nested", "GG.GGG", &[(Garbage, 2, "but 1 came")]),
    case("not closed", "GG.GGG", &[(Garbage, 2, "expected a line")]),
    case("no text", "GG.GGG", &[(Garbage, 2, "")]),
    // Answers of which a part is none.
    case(
        "an element",
        "GGbGGG",
        &[(Garbage, 2, "answer 2 of 3 is no valid one: there is no action `EAT`")],
    ),
    case("all elements", "GG.GGG", &[(Garbage, 2, "answer 1 of 3 is no valid one: ")]),
    case("nested element", "GG.GGG", &[(Garbage, 2, "answer 1 of 3 is no valid one: ")]),
    // Too much.
    case("huge", "GG....", &[(Flood, 2, "bytes")]),
    case("flood", "GG....", &[(Flood, 2, "bytes that are no answer")]),
    case("flood of late answers", "GG....", &[(Flood, 2, "bytes that are no answer")]),
    case("flood of blanks", "GG....", &[(Flood, 2, "bytes that are no answer")]),
];

/// Misbehaviours towards an arena that has started the program.
pub(super) const OF_PROGRAMS: &[Case] = &[
    case("unsolicited", ".GGGGG", &[(Early, 0, "before it had the whole question")]),
    case("children", "GGGGGG", &[]),
    case(
        "exit at once",
        "......",
        &[(Crash, 0, "its process ended before it answered; the bot stays out")],
    ),
    case("close at once", "......", &[(Closed, 0, "it closed its standard output and runs on")]),
    case("exit", "GG....", &[(Crash, 2, "its process ended before it answered")]),
    case("signal", "GG....", &[(Crash, 2, "its process ended before it answered")]),
    case("memory", "GG....", &[(Memory, 2, "its runtime found no more memory")]),
    case("close", "GG....", &[(Closed, 2, "it closed its standard output and runs on")]),
    case("close input", "GGG...", &[(Closed, 3, "it closed its standard input and runs on")]),
    case("blind", "GG.GGG", &[(Early, 2, "before it had the whole question")]),
    timed(
        "spin",
        "GG....",
        &[(Timeout, 2, ""), (Timeout, 3, ""), (Timeout, 4, "3 times in a row")],
    ),
];

/// Misbehaviours of a program at the other end of a connection.
///
/// The arena sees neither its process nor its reads.
pub(super) const OF_CONNECTIONS: &[Case] = &[
    case(
        "exit at once",
        "......",
        &[(Closed, 0, "it closed the connection before it answered; the bot stays out")],
    ),
    case("close at once", "......", &[(Closed, 0, "it closed the connection")]),
    case("exit", "GG....", &[(Closed, 2, "it closed the connection")]),
    case("signal", "GG....", &[(Closed, 2, "it closed the connection")]),
    case("memory", "GG....", &[(Closed, 2, "it closed the connection")]),
    case("close", "GG....", &[(Closed, 2, "it closed the connection")]),
    case("blind", "GGGGGG", &[]),
    timed(
        "spin",
        "GG....",
        &[(Timeout, 2, ""), (Timeout, 3, ""), (Timeout, 4, "3 times in a row")],
    ),
];
