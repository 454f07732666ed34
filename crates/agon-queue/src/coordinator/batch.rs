//! A batch that the carrier or a worker has.

use std::collections::VecDeque;

use super::kind::Kind;
use crate::{JobKey, Owner};

/// A batch of which not all matches are over.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// How many matches it had at first.
    pub(super) size: usize,
    /// Its matches that are not over, in the order in which they are played.
    pub(super) jobs: VecDeque<JobKey>,
    /// Where the carrier has it, once it has said so.
    pub(super) place: Option<u64>,
    /// The speed that a worker must have to get it; 0 for any.
    pub(super) least_speed: u32,
    /// After this time, slower ones get it, too.
    pub(super) fast_until: u64,
    /// What its matches travel with.
    pub(super) kind: Kind,
    /// The worker that said that it has it.
    pub(super) holder: Option<Holder>,
    /// Whose worker had it last, unless it was given back.
    pub(super) owner: Option<Owner>,
    /// Whose worker had it last, given back or not.
    pub(super) last_owner: Option<Owner>,
    /// How often it was delivered.
    pub(super) delivery: u32,
    /// When something was heard of it.
    pub(super) heard: u64,
    /// When its last owner took it, or a result of it came.
    pub(super) progress: u64,
    /// How often it was found waiting since a worker last said that it has it.
    pub(super) waits: u32,
    /// Since when the carrier has it no more, although a volunteer's results are missing.
    pub(super) gone: Option<u64>,
    /// Whether the carrier was asked for it.
    pub(super) is_looked_for: bool,
}

impl Batch {
    /// Returns whether a worker of this volunteer said last that it has it.
    pub(super) fn is_held_by(&self, owner: &str) -> bool {
        // Its results may come while nobody knows whether it still lives.
        matches!(&self.owner, Some(Owner::Volunteer(name)) if name == owner)
    }
}

/// A worker that has a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) worker: String,
    pub(super) owner: Owner,
}
