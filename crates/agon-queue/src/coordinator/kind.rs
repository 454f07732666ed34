//! What matches travel with.

use crate::Audience;

/// Matches that may travel in a batch together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// Whether nobody has played them yet. Checks, which are not new, come first: results wait for
    /// them, and take room.
    pub(super) is_new: bool,
    pub(super) class: u32,
    pub(super) audience: Audience,
    /// Volunteers that have played them.
    pub(super) avoid: Vec<String>,
}
