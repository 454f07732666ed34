//! How long to wait.

use std::time::Duration;

/// How long a connection may take, and how long a question waits for a free one.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// How long a question may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
