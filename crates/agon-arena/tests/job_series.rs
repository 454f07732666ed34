//! Many matches of the same bots, for tests and benchmarks.

use std::sync::Arc;

use agon_arena::{ArenaError, BotEntry, Job, JobSource, Next};
use agon_core::Seed;
use agon_match::Control;
use agon_match::spec::{MatchOutcome, MatchSpec};

/// So many matches of the same bots. The number of a match is its ticket and its seed.
pub(crate) struct JobSeries {
    pub(crate) base: MatchSpec,
    pub(crate) bots: Vec<Arc<BotEntry>>,
    pub(crate) matches: u64,
    /// Matches that were given out.
    pub(crate) begun: u64,
    /// Steps of the matches that are over.
    pub(crate) steps: u64,
}

impl JobSeries {
    pub(crate) fn new(base: MatchSpec, bots: Vec<Arc<BotEntry>>, matches: u64) -> JobSeries {
        JobSeries { base, bots, matches, begun: 0, steps: 0 }
    }

    /// Makes the job of a number.
    pub(crate) fn job(&self, number: u64) -> Job {
        Job::new(number, &self.base, Seed(number), self.bots.clone())
    }
}

impl JobSource for JobSeries {
    type Error = ArenaError;

    fn next(&mut self) -> Result<Next, ArenaError> {
        if self.begun == self.matches {
            return Ok(Next::Done);
        }
        let number = self.begun;
        self.begun += 1;
        Ok(Next::Job(self.job(number)))
    }

    fn over(
        &mut self,
        _: u64,
        outcome: MatchOutcome,
        _: Option<Vec<u8>>,
    ) -> Result<Control, ArenaError> {
        assert!(outcome.result.faults.is_empty(), "{:?}", outcome.result.faults);
        self.steps += outcome.result.steps;
        Ok(Control::Continue)
    }
}
