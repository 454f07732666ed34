//! Plays the matches of all arenas, as long as the server runs.
//!
//! A thread of its own chooses matches, has them played on reserved cores or by workers on other
//! machines, and learns from their results. It never waits for the database: tasks read what it
//! needs, and a second thread writes what happened, in groups that share a sync.
//!
//! | module | contents |
//! | --- | --- |
//! | `runner` | the loop: plan, play, learn |
//! | `field` | the versions that play in an arena, and their opened bots |
//! | `comparisons` | sequential tests between versions of a bot |
//! | `reconnecting` | workers on other machines |
//! | `result` | from the outcome of a match to what is kept of it |
//! | `recorder` | writes what happened |

mod comparisons;
mod field;
mod reconnecting;
mod recorder;
mod result;
mod runner;

use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::{collections::BTreeSet, num::NonZero};

use agon_arena::SlotCounts;
use agon_ladder::VersionId;
use agon_remote::{FleetState, RemoteOptions};
use anyhow::Result;
use parking_lot::Mutex;
use tokio::{runtime::Handle, sync::oneshot};

use crate::{shared::Shared, store::matches::SeatedMatch};

pub(crate) use comparisons::{Comparison, Comparisons};
pub(crate) use field::FieldNews;
pub(crate) use reconnecting::Watcher;

/// What the runner is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// Something about an arena has changed: its settings, its bots, who plays.
    Refresh { arena: i64 },
    /// This is what the database says of an arena that has changed.
    Changed { arena: i64, news: Box<FieldNews> },
    /// Versions are erased: give up their matches, and say when all earlier results are written.
    Erase { versions: Vec<i64>, done: oneshot::Sender<()> },
    /// Versions were not erased after all.
    Keep { versions: Vec<i64> },
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

/// Where matches are played.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// How many this machine plays at a time.
    pub(crate) count: NonZero<usize>,
    /// The cores that they have for themselves.
    pub(crate) cores: Vec<usize>,
    /// The workers that play instead of this machine.
    pub(crate) remote: Option<RemoteOptions>,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { count: NonZero::<usize>::MIN, cores: Vec::new(), remote: None }
    }
}

/// What the slots for matches do, and what is known of workers on other machines.
#[derive(Debug, Default)]
pub(crate) struct SlotUse {
    counts: Mutex<SlotCounts>,
    fleet: Mutex<FleetState>,
}

impl SlotUse {
    /// Notes what they do.
    fn set(&self, counts: SlotCounts) {
        *self.counts.lock() = counts;
    }

    /// Notes what is known of workers on other machines.
    fn set_fleet(&self, fleet: &FleetState) {
        let mut kept = self.fleet.lock();
        if *kept != *fleet {
            kept.clone_from(fleet);
        }
    }

    /// Returns what they do.
    pub(crate) fn get(&self) -> SlotCounts {
        *self.counts.lock()
    }

    /// Returns what is known of workers on other machines.
    pub(crate) fn fleet(&self) -> FleetState {
        self.fleet.lock().clone()
    }

    /// Returns the needed programs that no worker has; nothing if no worker is known.
    pub(crate) fn lacks(&self, needed: &BTreeSet<String>) -> Vec<String> {
        let programs = self.fleet().programs;
        let lacks = programs.as_ref().map(|programs| needed.difference(programs));
        lacks.into_iter().flatten().cloned().collect()
    }
}

/// What others see and say of the matches.
#[derive(Clone, Debug)]
pub(crate) struct Controls {
    pub(crate) orders: Orders,
    pub(crate) comparisons: Arc<Comparisons>,
    pub(crate) slots: Arc<SlotUse>,
}

/// The thread that plays.
#[derive(Debug)]
pub(crate) struct Player {
    orders: Orders,
    thread: JoinHandle<()>,
}

impl Player {
    /// Begins to play.
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
        let life = Arc::clone(&shared.player);
        let thread = thread.spawn(move || {
            // Dropped when the thread ends, however it ends.
            let _life = life;
            runner::run(shared, controls, &slots, received, runtime);
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

/// Returns the players of a match as the ladder names them, in the order of their seats.
fn players(seated: &SeatedMatch) -> Vec<VersionId> {
    seated.seats.iter().map(|seat| version_id(seat.version)).collect()
}

fn version_id(id: i64) -> VersionId {
    VersionId(id.cast_unsigned())
}

fn id_of(id: VersionId) -> i64 {
    id.0.cast_signed()
}
