//! A result that is checked.

use agon_spec::Digest;

/// What a volunteer says came of a match.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) owner: String,
    pub(super) digest: Option<Digest>,
    /// Which of its results it is.
    pub(super) number: u64,
    /// If it is being checked: once that is passed, its earlier results count, with numbers below
    /// this one. Otherwise it is held.
    pub(super) releases: Option<u64>,
}
