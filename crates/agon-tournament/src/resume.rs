//! Makes the schedule of a tournament from the results in its journal.
//!
//! A tournament continues with it, and reports take the standing from it.

use std::collections::BTreeMap;

use agon_core::Seed;
use thiserror::Error;

use crate::{MatchId, Plan, Record, RecordError, Schedule};

/// Why the results in a journal do not fit the plan that its header names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResumeError {
    /// A result cannot be taken.
    #[error("the journal does not fit the plan: {0}")]
    Record(#[from] RecordError),
    /// A match does not follow from the plan and the results before it.
    #[error(
        "the journal does not fit the plan: match {0} does not follow from the results before it; \
         if lines were deleted from the journal, delete that of this match, too"
    )]
    Stray(MatchId),
    /// A match had other seats or another seed.
    #[error(
        "the journal does not fit the plan: match {id} was played by {played} on seed {seed}, but \
         it is one of {planned} on seed {planned_seed}; delete its line to have it played again"
    )]
    Other {
        /// The match.
        id: MatchId,
        /// Who played.
        played: String,
        /// On which seed.
        seed: Seed,
        /// Who should have.
        planned: String,
        /// On which seed.
        planned_seed: Seed,
    },
}

impl Plan {
    /// Returns the schedule after the results of a journal.
    ///
    /// # Errors
    /// If a result is not of a match that the plan leads to.
    pub fn resume(&self, records: &[Record]) -> Result<Schedule, ResumeError> {
        let mut schedule = self.schedule();
        for record in records {
            schedule.record(record.id, record.outcome())?;
        }
        if let Some(&stray) = schedule.strays().first() {
            return Err(ResumeError::Stray(stray));
        }
        let by_id: BTreeMap<MatchId, &Record> =
            records.iter().map(|record| (record.id, record)).collect();
        for game in schedule.history().all().flat_map(|played| played.pairing.matches()) {
            let Some(record) = by_id.get(&game.id) else { continue };
            let names: Vec<&str> =
                game.seats.iter().map(|entrant| self.bots[entrant.index()].name.as_str()).collect();
            if record.seats != names || record.seed != game.seed {
                return Err(ResumeError::Other {
                    id: game.id,
                    played: record.seats.join(", "),
                    seed: record.seed,
                    planned: names.join(", "),
                    planned_seed: game.seed,
                });
            }
        }
        Ok(schedule)
    }
}
