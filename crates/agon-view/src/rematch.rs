//! [`Rematch`]: the wish for another match when one is over.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A person's wish for another match of the same bots. Clones share it.
///
/// A viewer that has one offers a key when a running match is over. Whoever started the match
/// reads the wish when the viewer has closed.
#[derive(Clone, Debug, Default)]
pub struct Rematch(Arc<AtomicBool>);

impl Rematch {
    /// Asks for another match.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether somebody has asked.
    pub fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns whether somebody has asked, and forgets it.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
