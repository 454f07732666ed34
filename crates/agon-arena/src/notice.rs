//! Messages for people that are no errors.
//!
//! Code below the command line sends them while it prepares or plays matches, and `agon` prints
//! them.

/// A message that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Says what happens.
    Info(String),
    /// Says something that is good to know.
    Note(String),
    /// Warns of something that may be a mistake.
    Warning(String),
}

/// Receives messages for people.
pub type Tell<'a> = &'a dyn Fn(Notice);
