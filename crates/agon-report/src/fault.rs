//! Faults of bots.

use std::collections::BTreeMap;

use agon_core::FaultKind;
use agon_tournament::{MatchId, Record};
use schemars::JsonSchema;
use serde::Serialize;

use crate::names::Names;

/// Faults of one kind of one bot. What the machine did wrong is never among them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultLine<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The kind.
    pub kind: FaultKind,
    /// How often.
    pub count: u64,
    /// In how many matches.
    pub matches: u64,
    /// The first one in short.
    pub text: &'a str,
    /// The first matches with it.
    #[schemars(with = "Vec<String>")]
    pub examples: Vec<MatchId>,
    /// The replays of these matches, where they were kept.
    pub replays: Vec<Option<&'a str>>,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// Matches that are named.
const EXAMPLES: usize = 3;

/// Faults in order of bots and kinds; `records` are of bots that the plan has.
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
                    number,
                });
                line.count += fault.count;
                // The same kind may be there twice; it is one match.
                if line.examples.last() == Some(&record.id) {
                    continue;
                }
                line.matches += 1;
                if line.examples.len() < EXAMPLES {
                    line.examples.push(record.id);
                    line.replays.push(record.replay.as_deref());
                }
            }
        }
    }
    lines.into_values().collect()
}
