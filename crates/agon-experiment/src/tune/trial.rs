//! Tries the extreme values of a tuned bot before the tuning starts. A bot may reject them.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{ArenaError, BotEntry, Job, JobSource, Next};
use agon_core::{FaultKind, Seed};
use agon_match::Control;
use agon_match::spec::MatchOutcome;
use anyhow::{Result, bail};

use super::{
    job_source::{MINUS, PLUS},
    template::Template,
};
use crate::{Tell, series::Series};

/// Opens the bot with the starting, the least and the greatest values.
///
/// Unless the bot is built in, the least and the greatest values then play a match each against the
/// starting ones: a program may look at its arguments only then.
///
/// # Errors
/// If it cannot be opened, or fails with some of the values.
pub(crate) fn trial(
    series: &Series,
    template: &Template,
    (start, greatest): (&[i64], &[i64]),
    (seed, stop): (Seed, Arc<AtomicBool>),
    tell: Tell<'_>,
) -> Result<()> {
    let lowest = vec![0; start.len()];
    let all = [start, &lowest, greatest];
    for steps in all {
        // Under its own name: `tuned-plus` would mean nothing in an error.
        let version = template.entry(steps, None, tell)?;
        series.try_open([version.as_ref()])?;
    }
    let versions = all.map(|steps| template.entry(steps, Some(PLUS), tell));
    let versions: Vec<Arc<BotEntry>> = versions.into_iter().collect::<Result<_>>()?;
    if template.is_builtin() {
        return Ok(());
    }
    let start = template.entry(start, Some(MINUS), tell)?;
    let jobs = versions[1..].iter().zip(0..).map(|(version, ticket)| {
        Job::new(ticket, &series.base, seed, vec![version.clone(), start.clone()])
    });
    let mut trial = ValueTrial { jobs: jobs.collect(), refusal: None };
    series.run(&mut trial, stop)?;
    match trial.refusal {
        Some(refusal) => {
            bail!("{refusal}; let it take all values of the ranges, or give narrower ones")
        }
        None => Ok(()),
    }
}

/// The matches of the trial, as a source for a pool.
struct ValueTrial {
    jobs: VecDeque<Job>,
    refusal: Option<String>,
}

/// The faults of a program that rejects its arguments.
const REFUSALS: [FaultKind; 4] =
    [FaultKind::Start, FaultKind::Crash, FaultKind::Closed, FaultKind::Exception];

impl JobSource for ValueTrial {
    type Error = ArenaError;

    fn next(&mut self) -> Result<Next, ArenaError> {
        Ok(self.jobs.pop_front().map_or(Next::Done, Next::Job))
    }

    fn over(
        &mut self,
        _: u64,
        outcome: MatchOutcome,
        _: Option<Vec<u8>>,
    ) -> Result<Control, ArenaError> {
        let result = outcome.result;
        let Some(fault) = result.faults.iter().find(|fault| REFUSALS.contains(&fault.kind)) else {
            return Ok(Control::Continue);
        };
        let spec = &result.players[fault.player.index()].bot.spec;
        let said = fault.evidence.stderr_tail.lines().rfind(|line| !line.trim().is_empty());
        let said = said.map_or(String::new(), |line| format!(" (stderr: {})", line.trim()));
        self.refusal = Some(format!("`{spec}` {}: {}{said}", fault.kind.words(), fault.detail));
        Ok(Control::Stop)
    }
}
