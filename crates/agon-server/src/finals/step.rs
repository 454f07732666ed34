//! How far a final is.

/// How far a final is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// There is nothing to do yet.
    Waits,
    /// Something was done, and the next thing can be.
    Next,
    /// The final is played in its own arena: nothing is left to do here.
    Done,
}
