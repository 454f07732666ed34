//! What the caller of this crate provides: messages to people, interrupts, colours, and the wish
//! for a rematch.
//!
//! The command line passes an [`Environment`] along when it shows a match or replay.

use std::sync::atomic::{AtomicU16, Ordering};

use agon_arena::Notice;
use agon_view::Rematch;

/// The services of the program that shows something.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Receives messages for people, perhaps while a match runs in another thread.
    pub tell: &'a (dyn Fn(Notice) + Sync),
    /// Returns whether the match has to end, for example by Ctrl-C.
    pub is_interrupted: fn() -> bool,
    /// Ends the match: `is_interrupted` returns true from now on.
    pub interrupt: fn(),
    /// Whether a terminal shows colours; `None` leaves that to its environment variables.
    pub colors: Option<bool>,
    /// Where people may ask for another match when one is over; `None` does not offer it.
    pub another: Option<&'a AnotherMatch>,
}

impl Environment<'_> {
    /// Sends people a message.
    pub(crate) fn say(&self, text: impl Into<String>) {
        (self.tell)(Notice::Info(text.into()));
    }

    /// Returns the wish for another match, if it may be asked for.
    pub(crate) fn rematch(&self) -> Option<Rematch> {
        self.another.map(|another| another.wish.clone())
    }
}

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
