//! What the runner is told.

use std::sync::mpsc::{self, Receiver, Sender};

use tokio::sync::oneshot;

/// What the runner is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// Something about an arena has changed: its settings, its bots, who plays.
    Refresh {
        /// The arena.
        arena: i64,
    },
    /// Versions are erased: give up their matches, and say when all earlier results are written.
    Erase {
        /// The versions.
        versions: Vec<i64>,
        /// Hears it.
        done: oneshot::Sender<()>,
    },
    /// Versions were not erased after all.
    Keep {
        /// The versions.
        versions: Vec<i64>,
    },
    /// Play what has begun to its end, and begin nothing any more.
    Finish,
}

/// Tells the runner. Clones tell the same one.
#[derive(Clone, Debug)]
pub(crate) struct Orders(Sender<Order>);

impl Orders {
    /// Returns both ends.
    pub(crate) fn new() -> (Orders, Receiver<Order>) {
        let (sender, receiver) = mpsc::channel();
        (Orders(sender), receiver)
    }

    /// Tells the runner something.
    pub(crate) fn send(&self, order: Order) {
        // It ends only with the program.
        let _ = self.0.send(order);
    }
}
