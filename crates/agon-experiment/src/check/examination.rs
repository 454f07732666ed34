//! The topics of the examinations of `agon check`, and what an examination found.

use std::fmt;

use agon_bots::ShutdownReport;
use agon_core::{Evidence, Fault, FaultKind, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::matches::{ExaminedBot, Played};
use agon_text::number::grouped;

/// How an examination went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No problem was found.
    Passed,
    /// Something may lose matches.
    Warning,
    /// Something is wrong.
    Failed,
    /// It was not examined, or there was nothing to examine.
    NotApplicable,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Passed => "passed",
            Status::Warning => "warning",
            Status::Failed => "failed",
            Status::NotApplicable => "not applicable",
        })
    }
}

/// What an examination is about; its number is what `agon check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The bot is there and can be loaded.
    Opens = 1,
    /// It still runs a moment after its start.
    Starts,
    /// Its first answer comes in time.
    FirstAnswer,
    /// Its answers keep the rules.
    Legal,
    /// It writes only when it is asked.
    Protocol,
    /// All its answers come in time.
    Time,
    /// How much memory it takes.
    Memory,
    /// It ends when its input ends.
    EndOfInput,
    /// It answers the same to the same questions.
    SameAnswers,
    /// How much it writes to stderr.
    Stderr,
}

impl Topic {
    /// All topics, in order of their numbers.
    pub const ALL: [Topic; 10] = [
        Topic::Opens,
        Topic::Starts,
        Topic::FirstAnswer,
        Topic::Legal,
        Topic::Protocol,
        Topic::Time,
        Topic::Memory,
        Topic::EndOfInput,
        Topic::SameAnswers,
        Topic::Stderr,
    ];

    /// Returns the number, from 1.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Opens => "opens",
            Topic::Starts => "starts",
            Topic::FirstAnswer => "first answer",
            Topic::Legal => "legal answers",
            Topic::Protocol => "protocol",
            Topic::Time => "time",
            Topic::Memory => "memory",
            Topic::EndOfInput => "end of input",
            Topic::SameAnswers => "same answers",
            Topic::Stderr => "stderr",
        }
    }

    /// Returns the examination that a fault belongs to.
    ///
    /// `first`: the fault was at the first question of the match.
    fn of(fault: &Fault, first: bool) -> Topic {
        match fault.kind {
            FaultKind::Start => Topic::Starts,
            FaultKind::Early | FaultKind::Flood => Topic::Protocol,
            FaultKind::Memory => Topic::Memory,
            FaultKind::Timeout | FaultKind::Crash | FaultKind::Closed if first => {
                Topic::FirstAnswer
            }
            FaultKind::Timeout => Topic::Time,
            _ => Topic::Legal,
        }
    }
}

/// A fault, with the match in which it was seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Case {
    /// The number of the match, from 1.
    #[serde(rename = "match")]
    pub number: u32,
    /// The seed of the match.
    pub seed: Seed,
    /// The fault.
    pub fault: Fault,
}

/// What an examination found.
#[derive(Clone, Debug)]
pub struct Examination {
    /// What it is about.
    pub topic: Topic,
    /// How it went.
    pub status: Status,
    /// What was found, in a line.
    pub found: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The faults that it is about.
    pub cases: Vec<Case>,
    /// What the bot wrote and how it ended, if no fault says so.
    pub seen: Evidence,
    /// What was measured; `null` if nothing was.
    pub figures: Value,
}

impl Examination {
    pub(super) fn new(topic: Topic, status: Status, found: impl Into<String>) -> Examination {
        let found = found.into();
        let seen = Evidence::default();
        Examination {
            topic,
            status,
            found,
            remedy: None,
            cases: Vec::new(),
            seen,
            figures: Value::Null,
        }
    }

    pub(super) fn passed(topic: Topic, found: impl Into<String>) -> Examination {
        Examination::new(topic, Status::Passed, found)
    }

    pub(super) fn not_applicable(topic: Topic, found: impl Into<String>) -> Examination {
        Examination::new(topic, Status::NotApplicable, found)
    }

    /// Makes an examination that was left out, because another one failed.
    pub(super) fn not_reached(topic: Topic, by: Topic) -> Examination {
        Examination::not_applicable(topic, format!("not examined, because {} failed", by.number()))
    }

    pub(super) fn failed(
        topic: Topic,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Examination {
        Examination {
            remedy: Some(remedy.into()),
            ..Examination::new(topic, Status::Failed, found)
        }
    }

    pub(super) fn with_cases(self, cases: Vec<Case>) -> Examination {
        Examination { cases, ..self }
    }

    pub(super) fn with_figures(self, figures: Value) -> Examination {
        Examination { figures, ..self }
    }
}

/// `1 match`, `2 matches`.
pub(super) fn match_count(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{} matches", grouped(count as i64)) }
}

impl ExaminedBot {
    /// Returns all matches, the repeated one included.
    pub(super) fn all(&self) -> impl Iterator<Item = &Played> {
        self.matches.iter().chain(&self.again)
    }

    /// Returns how the bot reacted to the end of its input, for each match at whose end it still
    /// ran.
    pub(super) fn shutdowns(&self) -> impl Iterator<Item = &ShutdownReport> {
        self.all().filter_map(|played| played.record.shutdown.as_ref())
    }

    /// Returns the faults that belong to an examination.
    pub(super) fn cases(&self, topic: Topic) -> Vec<Case> {
        let mut cases = Vec::new();
        for played in self.all() {
            let first = played.record.turns.first().map_or(0, |think| think.step);
            let own =
                played.faults().filter(|fault| Topic::of(fault, fault.step == first) == topic);
            cases.extend(own.map(|fault| Case {
                number: played.number,
                seed: played.result.seed,
                fault: fault.clone(),
            }));
        }
        cases
    }

    /// Returns whether a match had no first answer.
    pub(super) fn lacks_first_answer(&self) -> bool {
        !self.cases(Topic::FirstAnswer).is_empty()
    }

    /// Returns the first failed examination other than `but`, which kept matches from their end.
    pub(super) fn blocked_by(&self, but: Topic) -> Option<Topic> {
        let blamed = |topic: &Topic| match topic {
            Topic::Starts if !self.trial.runs() => true,
            Topic::Protocol if !self.trial.waits() => true,
            topic => !self.cases(*topic).is_empty(),
        };
        Topic::ALL.into_iter().filter(|&topic| topic != but).find(blamed)
    }
}
