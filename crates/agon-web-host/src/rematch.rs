//! The wish for another match when one is over, which a page sends.
//!
//! The server calls it. The arena then ends this program and starts it again for the next match.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_web::page::dialogue::ToArena;

use crate::{arena::Arena, feed::Feed};

/// The wish for another match. Clones are the same wish.
#[derive(Clone, Debug)]
pub(crate) struct Rematch(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    arena: Arena,
    is_asked_for: AtomicBool,
}

impl Rematch {
    /// Makes it for this arena. Nobody has asked yet.
    pub(crate) fn new(arena: Arena) -> Rematch {
        Rematch(Arc::new(Shared { arena, is_asked_for: AtomicBool::new(false) }))
    }

    /// Asks the arena, once. Returns false if the match is still running.
    ///
    /// # Errors
    /// If the arena is gone.
    pub(crate) fn ask(&self, feed: &Feed) -> io::Result<bool> {
        if !feed.has_ended() {
            return Ok(false);
        }
        if self.0.is_asked_for.swap(true, Ordering::Relaxed) {
            return Ok(true);
        }
        self.0.arena.tell(&ToArena::Rematch, &[]).map(|()| true)
    }

    /// Returns whether somebody has asked, so that this match is of the past.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.0.is_asked_for.load(Ordering::Relaxed)
    }
}
