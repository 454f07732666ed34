//! Plays the matches of all arenas, as long as the server runs.
//!
//! A thread of its own chooses matches, has them played by a pool on reserved cores, and learns
//! from their results. A second one writes what happened to the database, in groups that share a
//! sync.
//!
//! | module | contents |
//! | --- | --- |
//! | `runner` | the loop: plan, play, learn |
//! | `field` | the versions that play in an arena |
//! | `comparisons` | sequential tests between versions of a bot |
//! | `entries` | bots with their files read, for many matches |
//! | `result` | from the outcome of a match to what is kept of it |
//! | `recorder` | writes what happened |

mod comparisons;
mod entries;
mod field;
mod recorder;
mod result;
mod runner;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use anyhow::Result;

pub(crate) use comparisons::{Comparison, Comparisons};
pub(crate) use result::{rating, spread};
pub(crate) use runner::Slots;

use crate::app::App;

/// What the runner is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Something about an arena has changed: its settings, its bots, who plays.
    Refresh {
        /// The arena.
        arena: i64,
    },
    /// Play what has begun to its end, and begin nothing any more.
    Finish,
}

/// The thread that plays. Clones are handles of the same.
#[derive(Clone, Debug)]
pub(crate) struct Player(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    orders: Sender<Order>,
    receiver: Mutex<Option<Receiver<Order>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Player {
    /// Makes a player that does not play yet.
    pub(crate) fn new() -> Player {
        let (orders, receiver) = mpsc::channel();
        let receiver = Mutex::new(Some(receiver));
        Player(Arc::new(Inner { orders, receiver, thread: Mutex::default() }))
    }

    /// Begins to play.
    ///
    /// # Errors
    /// If the system does not start threads.
    ///
    /// # Panics
    /// If it plays already.
    pub(crate) fn start(&self, app: App, slots: Slots) -> Result<()> {
        let receiver = self.0.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
        let orders = receiver.expect("it is started once");
        let runtime = tokio::runtime::Handle::current();
        let thread = thread::Builder::new().name("ladder".to_owned());
        let thread = thread.spawn(move || runner::run(app, &slots, &orders, &runtime))?;
        *self.0.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(())
    }

    /// Tells it something.
    pub(crate) fn send(&self, order: Order) {
        // It ends only with the program.
        let _ = self.0.orders.send(order);
    }

    /// Has it finish, and waits for its end.
    pub(crate) fn finish(&self) {
        self.send(Order::Finish);
        let thread = self.0.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
