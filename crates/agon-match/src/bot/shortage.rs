//! Shortages of the machine or the arena: too little memory, disk, or too few descriptors or
//! processes.
//!
//! They are never a bot's fault. The referee ends the match with an error instead of a result.

use std::fmt;

/// A lack of something that a bot needs and the arena has to provide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What failed.
    pub what: String,
    /// The system's message.
    pub said: String,
    /// What a person can do about it.
    pub remedy: String,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shortage { what, said, remedy } = self;
        write!(f, "{what}: {said}; {remedy}")
    }
}
