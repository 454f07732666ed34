//! Asks the server for batches: first the lane whose turn it is, then the others; and waits at all
//! of them if none has any.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use agon_queue::{Lane, Unfit};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::{sync::mpsc, time::sleep};
use tracing::{debug, info, warn};

use super::abilities::Machine;
use crate::nats::{Delivery, JobQueue, Nats};

/// How long a request waits for a batch.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it looks for new classes of matches.
const LOOK: Duration = Duration::from_secs(1);

/// What it tells the worker.
pub(super) enum Pulled {
    /// A batch has come.
    Batch(Box<Delivery>),
    /// So many are still to come.
    Pending(u32),
    /// What this machine can play has changed.
    Abilities(agon_queue::Abilities),
}

/// A request that waits, and what came of it.
type Waiting = BoxFuture<'static, (String, anyhow::Result<Vec<Delivery>>)>;

/// Asks the server for batches.
pub(super) struct Puller {
    nats: Nats,
    machine: Machine,
    queues: BTreeMap<String, JobQueue>,
    /// Queues at which a request waits.
    waiting: FuturesUnordered<Waiting>,
    waits_at: HashMap<String, ()>,
    /// Queues that this machine cannot use, so that it is said once.
    unfit: BTreeMap<String, Unfit>,
    wanted: u32,
    turn: u64,
    looked: Option<Instant>,
}

impl Puller {
    pub(super) fn new(nats: Nats, machine: Machine) -> Puller {
        Puller {
            nats,
            machine,
            queues: BTreeMap::new(),
            waiting: FuturesUnordered::new(),
            waits_at: HashMap::new(),
            unfit: BTreeMap::new(),
            wanted: 0,
            turn: 0,
            looked: None,
        }
    }

    /// Asks for as many as `orders` say, until nobody wants any more.
    pub(super) async fn run(
        mut self,
        mut orders: mpsc::UnboundedReceiver<u32>,
        found: mpsc::UnboundedSender<Pulled>,
    ) {
        let _ = found.send(Pulled::Abilities(self.machine.abilities.clone()));
        loop {
            if self.looked.is_none_or(|at| at.elapsed() >= LOOK) {
                self.look(&found).await;
            }
            if self.wanted > 0 && self.try_all(&found).await {
                continue;
            }
            if self.wanted > 0 {
                self.wait_at_all();
            }
            tokio::select! {
                more = orders.recv() => match more {
                    Some(more) => self.wanted += more,
                    None => return,
                },
                Some((name, came)) = self.waiting.next() => {
                    self.waits_at.remove(&name);
                    self.hand_over(&name, came, &found);
                }
                () = sleep(LOOK) => {}
            }
        }
    }

    /// Looks which queues there are.
    async fn look(&mut self, found: &mpsc::UnboundedSender<Pulled>) {
        self.looked = Some(Instant::now());
        let queues = match self.nats.queues().await {
            Ok(queues) => queues,
            // No coordinator was there yet, or the connection is lost.
            Err(error) => return debug!("no queue: {error:#}"),
        };
        let before = self.machine.abilities.clone();
        self.queues.clear();
        for queue in queues {
            match self.machine.fits(&queue.class) {
                Ok(()) => drop(self.queues.insert(queue.name.clone(), queue)),
                Err(unfit) if self.unfit.get(&queue.name) != Some(&unfit) => {
                    info!("leaves matches {}: {unfit}", agon_text::escape(&queue.name));
                    self.unfit.insert(queue.name, unfit);
                }
                Err(_) => {}
            }
        }
        if self.machine.abilities != before {
            let _ = found.send(Pulled::Abilities(self.machine.abilities.clone()));
        }
    }

    /// Takes what is there, at the first queue that has something. Returns whether one had.
    async fn try_all(&mut self, found: &mpsc::UnboundedSender<Pulled>) -> bool {
        let order = Lane::order(self.turn);
        self.turn += 1;
        let mut names: Vec<&JobQueue> = self.queues.values().collect();
        if names.is_empty() {
            return false;
        }
        // Classes take turns, too.
        let first = self.turn as usize % names.len();
        names.rotate_left(first);
        names.sort_by_key(|queue| order.iter().position(|lane| *lane == queue.lane));
        let names: Vec<String> = names.into_iter().map(|queue| queue.name.clone()).collect();
        for name in names {
            if self.waits_at.contains_key(&name) {
                continue;
            }
            let came = self.queues[&name].take(self.wanted, None).await;
            let has_some = came.as_ref().is_ok_and(|came| !came.is_empty());
            self.hand_over(&name, came, found);
            if has_some {
                return true;
            }
        }
        false
    }

    /// Waits at all queues.
    fn wait_at_all(&mut self) {
        for (name, queue) in &self.queues {
            if self.waits_at.insert(name.clone(), ()).is_some() {
                continue;
            }
            let (name, queue) = (name.clone(), queue.clone());
            // A single one: what comes at several queues at once is more than was wanted.
            let wait = async move { (name, queue.take(1, Some(PATIENCE)).await) };
            self.waiting.push(wait.boxed());
        }
    }

    fn hand_over(
        &mut self,
        name: &str,
        came: anyhow::Result<Vec<Delivery>>,
        found: &mpsc::UnboundedSender<Pulled>,
    ) {
        match came {
            Ok(batches) => {
                for batch in batches {
                    self.wanted = self.wanted.saturating_sub(1);
                    let _ = found.send(Pulled::Batch(Box::new(batch)));
                }
            }
            Err(error) => {
                // It is gone, or the server is; the next look says.
                warn!("no batch of {}: {error:#}", agon_text::escape(name));
                self.queues.remove(name);
            }
        }
        let _ = found.send(Pulled::Pending(self.wanted));
    }
}
