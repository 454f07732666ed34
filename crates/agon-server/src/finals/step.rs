//! How far a final is.

/// How far a final is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// There is nothing to do yet.
    Waits,
    /// Something was done.
    Next,
    /// The final is played, or there is none.
    Done,
}
