//! A batch that the carrier or a worker has.

use std::collections::VecDeque;

use crate::fleet::JobKey;

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
    /// The class of its matches.
    pub(super) class: u32,
    /// The worker that said that it has it.
    pub(super) holder: Option<String>,
    /// How often it was delivered.
    pub(super) delivery: u32,
    /// When something was heard of it.
    pub(super) heard: u64,
    /// When its holder took it, or a result of it came.
    pub(super) progress: u64,
    /// How often it was found waiting since a worker last said that it has it.
    pub(super) waits: u32,
    /// Whether the carrier was asked for it.
    pub(super) is_looked_for: bool,
}
