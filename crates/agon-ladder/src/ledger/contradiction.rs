//! Entries that cannot be true together.

use thiserror::Error;

/// What an entry says that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// A match is planned that was planned before.
    #[error("match {0} of arena {1} is planned twice")]
    PlannedTwice(u64, u64),
    /// A match has a result, but was not planned, or has a result already.
    #[error("match {0} of arena {1} has a result, but is not waiting for one")]
    NotWaiting(u64, u64),
    /// A match is annulled that does not count.
    #[error("match {0} of arena {1} is annulled, but did not count")]
    NotCounted(u64, u64),
    /// A match is restored that was not annulled.
    #[error("match {0} of arena {1} counts again, but was not annulled")]
    NotAnnulled(u64, u64),
    /// The places do not fit the players.
    #[error("match {0} of arena {1} has places for other players than were planned")]
    Places(u64, u64),
    /// A version plays that nobody handed in to the arena.
    #[error("match {0} of arena {1} has a version that was not handed in there")]
    Stranger(u64, u64),
    /// A table is said to be made of entries that came after it, or of fewer than the one before.
    #[error("a table of arena {0} is made of a wrong number of entries")]
    TableSize(u64),
    /// A version has the same id as another one.
    #[error("version {0} is handed in twice")]
    HandedInTwice(u64),
    /// A nonce does not fit its version, or came too late.
    #[error("the nonce of version {0} does not fit, or is not expected")]
    Nonce(u64),
    /// A final is promised, closed or drawn twice, or in a wrong order.
    #[error("the final of arena {0} is drawn in a wrong order")]
    Final(u64),
}
