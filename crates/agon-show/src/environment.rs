//! What the caller of this crate provides: messages to people, interrupts, and colours.
//!
//! The command line passes an [`Environment`] along when it shows a match or replay.

use std::fmt;

use agon_arena::Notice;
use agon_view::Rematch;

use crate::AnotherMatch;

/// The services of the program that shows something.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Receives messages for people, perhaps while a match runs in another thread.
    pub tell: &'a (dyn Fn(Notice) + Sync),
    /// The way to end the match early.
    pub interrupts: Interrupts,
    /// Whether a terminal shows colours; `None` leaves that to its environment variables.
    pub colors: Option<bool>,
    /// Where people may ask for another match when one is over; `None` does not offer it.
    pub another: Option<&'a AnotherMatch>,
}

/// The way to end the running match early, for example by Ctrl-C.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts {
    /// Returns whether the match has to end.
    pub is_interrupted: fn() -> bool,
    /// Ends the match: `is_interrupted` returns true from now on.
    pub interrupt: fn(),
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

    /// Returns whether the match has to end.
    pub(crate) fn is_interrupted(&self) -> bool {
        (self.interrupts.is_interrupted)()
    }
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Environment { tell: _, interrupts, colors, another } = self;
        f.debug_struct("Environment")
            .field("interrupts", interrupts)
            .field("colors", colors)
            .field("another", another)
            .finish_non_exhaustive()
    }
}
