//! How long to wait.
//!
//! A server whose processes are stopped, or whose disk hangs, takes connections and answers
//! nothing. Nobody waits for it much longer than these times.

use std::time::Duration;

/// How long a connection may take.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// How long a question may take, with the wait for a free connection; and each transaction of a
/// group that is written.
pub(super) const QUESTION: Duration = Duration::from_secs(20);

/// How long a connection that writes waits for the lock: a server that ended just now may still
/// have it.
pub(super) const LOCKED: Duration = Duration::from_secs(10);
