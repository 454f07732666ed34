//! The states of jobs, as a state machine without I/O.
//!
//! ```text
//! planned → given out → returned → counted
//!    ↑          │
//!    └── lost ──┴→ given up
//! ```
//!
//! A pool has a table for each client. The first result of a job counts, whichever attempt it is
//! of, and all others are dropped. Matches on other machines travel in batches, which the
//! coordinator of `agon-remote` follows.

use std::collections::BTreeMap;

use thiserror::Error;

/// The state of a job that has not been counted or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits for a worker.
    Planned,
    /// A worker has it.
    GivenOut {
        /// How often it was given out, from 1.
        attempt: u32,
    },
    /// Its outcome has come back, and waits to be counted.
    Returned,
}

/// What becomes of a result that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It is the first one: it is to be counted.
    Accepted,
    /// The job has a result already, or was given up, or was never planned.
    Dropped,
}

/// What becomes of a job whose worker is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It waits for a worker again.
    Again,
    /// It was given out as often as allowed, and is given up.
    GivenUp,
    /// Nothing: another attempt has it, or it is over.
    None,
}

/// A step that the state of a job does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JobError {
    /// A ticket is used again before its job is over.
    #[error("job {0} is there already")]
    Known(u64),
    /// The job is in another state.
    #[error("job {ticket} is {}, not {expected}", .state.map_or("not there", JobState::name))]
    State {
        /// The job.
        ticket: u64,
        /// Its state; `None` if it is not there.
        state: Option<JobState>,
        /// What it should be.
        expected: &'static str,
    },
}

/// How many jobs there are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Jobs that wait for a worker.
    pub planned: u64,
    /// Jobs that workers have.
    pub given_out: u64,
    /// Jobs whose outcome waits.
    pub returned: u64,
    /// Jobs that are over.
    pub counted: u64,
    /// Jobs that nobody plays any more.
    pub given_up: u64,
}

/// The jobs of a client. It holds only those that are not over.
#[derive(Clone, Debug)]
pub struct JobTable {
    jobs: BTreeMap<u64, Job>,
    /// How often a job is given out at most.
    attempts: u32,
    counted: u64,
    given_up: u64,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    state: JobState,
    /// How often it was given out.
    attempts: u32,
}

impl JobState {
    fn name(self) -> &'static str {
        match self {
            JobState::Planned => "planned",
            JobState::GivenOut { .. } => "given out",
            JobState::Returned => "returned",
        }
    }
}

impl JobTable {
    /// Makes a table whose jobs are given out `attempts` times at most, and at least once.
    pub fn new(attempts: u32) -> JobTable {
        JobTable { jobs: BTreeMap::new(), attempts: attempts.max(1), counted: 0, given_up: 0 }
    }

    /// Adds a job.
    ///
    /// # Errors
    /// If there is a job of this ticket that is not over.
    pub fn plan(&mut self, ticket: u64) -> Result<(), JobError> {
        if self.jobs.contains_key(&ticket) {
            return Err(JobError::Known(ticket));
        }
        self.jobs.insert(ticket, Job { state: JobState::Planned, attempts: 0 });
        Ok(())
    }

    /// Gives a planned job to a worker. Returns the number of the attempt, from 1.
    ///
    /// # Errors
    /// If it is not planned.
    pub fn give_out(&mut self, ticket: u64) -> Result<u32, JobError> {
        match self.jobs.get_mut(&ticket) {
            Some(job) if job.state == JobState::Planned => {
                job.attempts += 1;
                job.state = JobState::GivenOut { attempt: job.attempts };
                Ok(job.attempts)
            }
            job => {
                let state = job.map(|job| job.state);
                Err(JobError::State { ticket, state, expected: "planned" })
            }
        }
    }

    /// Takes a result. Even a worker that was thought lost may bring it.
    pub fn returned(&mut self, ticket: u64) -> Receipt {
        match self.jobs.get_mut(&ticket) {
            Some(job) if job.attempts > 0 && job.state != JobState::Returned => {
                job.state = JobState::Returned;
                Receipt::Accepted
            }
            _ => Receipt::Dropped,
        }
    }

    /// Learns that the worker of an attempt is gone.
    pub fn lost(&mut self, ticket: u64, attempt: u32) -> Loss {
        match self.jobs.get_mut(&ticket) {
            Some(job) if job.state == (JobState::GivenOut { attempt }) => {
                if attempt < self.attempts {
                    job.state = JobState::Planned;
                    return Loss::Again;
                }
                self.give_up(ticket);
                Loss::GivenUp
            }
            _ => Loss::None,
        }
    }

    /// Counts a job whose outcome is there. It leaves the table.
    ///
    /// # Errors
    /// If the outcome is not there.
    pub fn count(&mut self, ticket: u64) -> Result<(), JobError> {
        match self.state(ticket) {
            Some(JobState::Returned) => {
                self.jobs.remove(&ticket);
                self.counted += 1;
                Ok(())
            }
            state => Err(JobError::State { ticket, state, expected: "returned" }),
        }
    }

    /// Gives a job up, whatever its state. It leaves the table.
    pub fn give_up(&mut self, ticket: u64) {
        if self.jobs.remove(&ticket).is_some() {
            self.given_up += 1;
        }
    }

    /// Returns the state of a job; `None` if it is not there, or over.
    pub fn state(&self, ticket: u64) -> Option<JobState> {
        self.jobs.get(&ticket).map(|job| job.state)
    }

    /// Returns how many jobs are not over.
    pub fn open(&self) -> usize {
        self.jobs.len()
    }

    /// Returns how many jobs there are in each state.
    pub fn counts(&self) -> JobCounts {
        let JobTable { counted, given_up, .. } = *self;
        let mut counts = JobCounts { counted, given_up, ..JobCounts::default() };
        for job in self.jobs.values() {
            match job.state {
                JobState::Planned => counts.planned += 1,
                JobState::GivenOut { .. } => counts.given_out += 1,
                JobState::Returned => counts.returned += 1,
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn a_job_goes_its_way() {
        let mut table = JobTable::new(2);
        table.plan(7).unwrap();
        assert_eq!(table.plan(7), Err(JobError::Known(7)));
        assert_eq!(table.returned(7), Receipt::Dropped, "nobody has it");
        assert!(table.count(7).unwrap_err().to_string().contains("is planned, not returned"));
        assert_eq!(table.give_out(7), Ok(1));
        assert!(table.give_out(7).unwrap_err().to_string().contains("given out, not planned"));
        assert_eq!(table.returned(7), Receipt::Accepted);
        assert_eq!(table.returned(7), Receipt::Dropped);
        table.count(7).unwrap();
        assert_eq!((table.open(), table.returned(7)), (0, Receipt::Dropped));
        assert!(table.count(7).unwrap_err().to_string().contains("is not there"));
        assert_eq!(table.counts(), JobCounts { counted: 1, ..JobCounts::default() });
    }

    #[test]
    fn lost_jobs_are_given_out_again_until_they_are_given_up() {
        let mut table = JobTable::new(2);
        table.plan(1).unwrap();
        table.give_out(1).unwrap();
        assert_eq!(table.lost(1, 2), Loss::None, "that attempt was never made");
        assert_eq!(table.lost(1, 1), Loss::Again);
        assert_eq!(table.lost(1, 1), Loss::None, "it is known");
        assert_eq!(table.give_out(1), Ok(2));
        // The first worker was slow, not gone.
        assert_eq!(table.returned(1), Receipt::Accepted);
        assert_eq!(table.lost(1, 2), Loss::None);
        table.plan(2).unwrap();
        for attempt in 1..=2 {
            assert_eq!(table.give_out(2), Ok(attempt));
            let expected = if attempt == 1 { Loss::Again } else { Loss::GivenUp };
            assert_eq!(table.lost(2, attempt), expected);
        }
        assert_eq!((table.state(2), table.counts().given_up), (None, 1));
    }

    /// A carrier loses, repeats and reorders: each job is counted once or given up, never both.
    #[test]
    fn whatever_the_carrier_does_each_job_ends_once() {
        for seed in 0..200 {
            let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
            let mut table = JobTable::new(3);
            let jobs = 20;
            (0..jobs).for_each(|ticket| table.plan(ticket).unwrap());
            let mut out: Vec<(u64, u32)> = Vec::new();
            let mut counted = BTreeSet::new();
            for _ in 0..100_000 {
                if table.open() == 0 {
                    break;
                }
                let ticket = rng.below(jobs);
                match rng.below(5) {
                    0 | 1 => out.extend(table.give_out(ticket).ok().map(|one| (ticket, one))),
                    2 if !out.is_empty() => {
                        // Results may come twice, and late.
                        let (ticket, _) = out[rng.index(out.len())];
                        table.returned(ticket);
                    }
                    3 if !out.is_empty() => {
                        let (ticket, attempt) = out[rng.index(out.len())];
                        table.lost(ticket, attempt);
                    }
                    _ => {
                        if table.count(ticket).is_ok() {
                            assert!(counted.insert(ticket), "job {ticket} was counted twice");
                        }
                    }
                }
            }
            let JobCounts { counted: count, given_up, .. } = table.counts();
            assert_eq!((table.open(), count + given_up), (0, jobs));
            assert_eq!(count, counted.len() as u64);
        }
    }
}
