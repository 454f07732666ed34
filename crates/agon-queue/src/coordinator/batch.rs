//! A batch that the carrier or a worker has.

use std::collections::VecDeque;

use crate::{Audience, JobKey, Owner};

/// A batch of which not all matches are over.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// How many matches it had at first.
    pub(super) size: usize,
    /// Its matches that are not over, in the order in which they are played.
    pub(super) jobs: VecDeque<JobKey>,
    /// Where the carrier has it, once it has said so.
    pub(super) place: Option<u64>,
    /// Who may have it.
    pub(super) audience: Audience,
    /// The worker that said that it has it.
    pub(super) holder: Option<Holder>,
    /// Whose worker had it last.
    pub(super) owner: Option<Owner>,
    /// How often it was delivered.
    pub(super) delivery: u32,
    /// When something was heard of it.
    pub(super) heard: u64,
    /// How often it was found waiting since a worker last said that it has it.
    pub(super) waits: u32,
    /// Whether the carrier was asked for it.
    pub(super) is_looked_for: bool,
}

/// A worker that has a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) worker: String,
    pub(super) owner: Owner,
}
