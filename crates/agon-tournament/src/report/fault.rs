//! The part `faults` of a report: what each bot did wrong, and how often.

use std::collections::BTreeMap;

use crate::{MatchId, Record};
use agon_core::FaultKind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::names::Names;

/// Faults of one kind by one bot. They never include mistakes of the machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultLine<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The kind.
    pub kind: FaultKind,
    /// The number of faults.
    pub count: u64,
    /// The number of matches with such a fault.
    pub matches: u64,
    /// A short description of the first one.
    pub text: &'a str,
    /// The first matches with such a fault.
    #[schemars(with = "Vec<String>")]
    pub examples: Vec<MatchId>,
    /// The replays of these matches, if they were kept.
    pub replays: Vec<Option<&'a str>>,
    /// The steps of these matches in which it happened first; `null` for results of an older
    /// Agon.
    pub steps: Vec<Option<u64>>,
    /// The end of what the bot wrote to stderr in the first match that has any; empty if none has.
    pub stderr: &'a str,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// The number of matches that are listed.
const EXAMPLES: usize = 3;

/// Returns faults in order of bots and kinds. `records` must only name bots of the plan.
pub(crate) fn faults<'a>(records: &[&'a Record], names: &Names<'a>) -> Vec<FaultLine<'a>> {
    let mut lines: BTreeMap<(usize, FaultKind), FaultLine<'a>> = BTreeMap::new();
    for record in records {
        for (seat, faults) in record.seats.iter().zip(&record.faults) {
            let Some(number) = names.number(seat) else { continue };
            for fault in faults {
                let line = lines.entry((number, fault.kind)).or_insert_with(|| FaultLine {
                    bot: names.of(number),
                    kind: fault.kind,
                    count: 0,
                    matches: 0,
                    text: &fault.text,
                    examples: Vec::new(),
                    replays: Vec::new(),
                    steps: Vec::new(),
                    stderr: "",
                    number,
                });
                line.count += fault.count;
                if line.stderr.is_empty() {
                    line.stderr = &fault.stderr;
                }
                // The same kind may occur twice in a match, which counts once.
                if line.examples.last() == Some(&record.id) {
                    continue;
                }
                line.matches += 1;
                if line.examples.len() < EXAMPLES {
                    line.examples.push(record.id);
                    line.replays.push(record.replay.as_deref());
                    line.steps.push(fault.step);
                }
            }
        }
    }
    lines.into_values().collect()
}
