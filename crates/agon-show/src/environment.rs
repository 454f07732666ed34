//! What the caller of this crate provides: messages to people, interrupts, and colours.
//!
//! The command line passes an [`Environment`] along when it shows a match or replay.

use std::fmt;

use agon_arena::Notice;

/// What the program lends that shows something.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Receives messages for people; a match may be played meanwhile, in another thread.
    pub tell: &'a (dyn Fn(Notice) + Sync),
    /// How the match that is played is ended early.
    pub interrupts: Interrupts,
    /// Whether a terminal shows colours; `None`: as its environment variables say.
    pub colors: Option<bool>,
}

/// How the match that is played is ended early, for example by Ctrl-C.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts {
    /// Returns whether the match is to end.
    pub is_interrupted: fn() -> bool,
    /// Has the match end: `is_interrupted` returns true from now on.
    pub interrupt: fn(),
}

impl Environment<'_> {
    /// Tells people something.
    pub(crate) fn say(&self, text: impl Into<String>) {
        (self.tell)(Notice::Info(text.into()));
    }

    /// Whether the match is to end.
    pub(crate) fn is_interrupted(&self) -> bool {
        (self.interrupts.is_interrupted)()
    }
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Environment { tell: _, interrupts, colors } = self;
        f.debug_struct("Environment")
            .field("interrupts", interrupts)
            .field("colors", colors)
            .finish_non_exhaustive()
    }
}
