//! [`AnotherMatch`]: whether people want a rematch, and where their page is.

use std::sync::atomic::{AtomicU16, Ordering};

use agon_view::Rematch;

/// What a match leaves for the next one of the same bots.
#[derive(Debug, Default)]
pub struct AnotherMatch {
    pub(crate) wish: Rematch,
    /// The port of the page; 0 without one.
    port: AtomicU16,
}

impl AnotherMatch {
    /// Returns whether somebody has asked for another match since the last call.
    pub fn is_wanted(&self) -> bool {
        self.wish.take()
    }

    /// Returns the port on which pages expect the next match, if they followed the last one.
    pub fn port(&self) -> Option<u16> {
        Some(self.port.load(Ordering::Relaxed)).filter(|&port| port > 0)
    }

    pub(crate) fn set_port(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
    }
}
