//! The version of everything that travels.

/// The version of all messages and classes. Another form gets another number: workers of one
/// version leave the matches of others.
pub const VERSION: u32 = 6;
