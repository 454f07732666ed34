//! What a command found, as an exit code.

/// What a command found, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: what was checked is not so.
    Negative,
    /// 130: stopped by Ctrl-C.
    Interrupted,
}
