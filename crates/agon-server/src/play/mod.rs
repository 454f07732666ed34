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
//! | `orders` | what the runner is told |
//! | `place` | where matches are played: here, or by workers on other machines |
//! | `slot_use` | what the slots do |
//! | `result` | from the outcome of a match to what is kept of it |
//! | `recorder` | writes what happened |

mod comparisons;
mod entries;
mod field;
mod ids;
mod orders;
mod place;
mod recorder;
mod result;
mod runner;
mod slot_use;

use std::{
    sync::mpsc::Receiver,
    thread::{self, JoinHandle},
};

use anyhow::Result;
use tokio::runtime::Handle;

pub(crate) use comparisons::{Comparison, Comparisons};
pub(crate) use orders::{Order, Orders};
pub(crate) use place::Watcher;
pub(crate) use runner::{Controls, Slots};
pub(crate) use slot_use::SlotUse;

use crate::shared::Shared;

/// The thread that plays.
#[derive(Debug)]
pub(crate) struct Player {
    orders: Orders,
    thread: JoinHandle<()>,
}

impl Player {
    /// Begins to play.
    ///
    /// # Errors
    /// If the system does not start threads.
    pub(crate) fn start(
        shared: Shared,
        controls: Controls,
        slots: Slots,
        received: Receiver<Order>,
        runtime: Handle,
    ) -> Result<Player> {
        let orders = controls.orders.clone();
        let thread = thread::Builder::new().name("ladder".to_owned());
        // From now on, so that nobody finds the server unwell while the thread starts.
        let life = shared.player.begin();
        let thread = thread.spawn(move || {
            // Dropped when the thread ends, however it ends.
            let _life = life;
            runner::run(shared, controls, &slots, &received, &runtime);
        })?;
        Ok(Player { orders, thread })
    }

    /// Has it finish, and waits for its end.
    pub(crate) fn finish(self) {
        self.orders.send(Order::Finish);
        // If it panicked, what it has not written is played again after the next start.
        let _ = self.thread.join();
    }
}
