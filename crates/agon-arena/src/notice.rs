//! What people should know while matches are played.

/// A message that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// What happens.
    Info(String),
    /// What is good to know.
    Note(String),
    /// What may be a mistake.
    Warning(String),
}

/// Receives messages for people.
pub type Tell<'a> = &'a dyn Fn(Notice);
