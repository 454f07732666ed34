//! Asks the server for batches: first the lane whose turn it is, then the others; and waits at all
//! of them if none has any.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use agon_remote::fleet::{Held, Lane, Unfit, message::BatchMessage};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};
use tracing::{debug, info, warn};

use super::{
    abilities::Machine,
    inspection::{Inspected, Inspector},
    pauses::Pauses,
};
use crate::nats::{Beats, Delivery, JobQueue, Nats, Said};

/// How long a request waits for a batch. One that is lost delays the next one so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon it looks again for new classes of matches, after something has changed.
const LOOK: Duration = Duration::from_secs(1);

/// How often it looks if nothing has changed for long. It hears of new classes, but what is said
/// may be lost.
const RARE_LOOK: Duration = Duration::from_secs(8);

/// What it tells the worker.
pub(super) enum Pulled {
    /// A batch has come.
    Batch(String, Box<Delivery>, Box<BatchMessage>),
    /// A batch of a run has come and was given back.
    Returned(String, Held),
    /// What this machine can play has changed.
    Abilities(agon_remote::fleet::Abilities),
}

/// How many batches the worker wants: see `WorkerCommand::Want`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) batches: u32,
    pub(super) arrived: u64,
}

/// A request that waits, and what came of it.
type Waiting = BoxFuture<'static, (String, anyhow::Result<Vec<Delivery>>)>;

/// Asks the server for batches.
pub(super) struct Puller {
    nats: Nats,
    machine: Machine,
    inspector: Inspector,
    queues: BTreeMap<String, JobQueue>,
    /// All that there were when it looked, whether this machine can use them or not.
    known: BTreeSet<String>,
    /// Queues at which a request waits.
    waiting: FuturesUnordered<Waiting>,
    waits_at: BTreeSet<String>,
    /// Queues that this machine cannot use, so that it is said once.
    unfit: BTreeMap<String, Unfit>,
    /// Batches that were handed over.
    handed: u64,
    pauses: Pauses,
    /// Counts requests: which lane comes first.
    turn: u64,
    /// Counts requests of each lane: which class comes first.
    class_turns: BTreeMap<Lane, usize>,
    looked: Option<Instant>,
    /// After this time it looks again.
    pause: Duration,
}

impl Puller {
    pub(super) fn new(nats: Nats, worker: String, machine: Machine, pauses: Pauses) -> Puller {
        Puller {
            inspector: Inspector::new(nats.clone(), worker),
            nats,
            machine,
            queues: BTreeMap::new(),
            known: BTreeSet::new(),
            waiting: FuturesUnordered::new(),
            waits_at: BTreeSet::new(),
            unfit: BTreeMap::new(),
            handed: 0,
            pauses,
            turn: 0,
            class_turns: BTreeMap::new(),
            looked: None,
            pause: LOOK,
        }
    }

    /// Asks for as many as are wanted, until nobody wants any more.
    pub(super) async fn run(
        mut self,
        mut orders: watch::Receiver<Wanted>,
        found: mpsc::UnboundedSender<Pulled>,
    ) {
        let _ = found.send(Pulled::Abilities(self.machine.abilities.clone()));
        let mut news = self.nats.queue_news().await.ok();
        loop {
            if self.looked.is_none_or(|at| at.elapsed() >= self.pause) {
                self.look(&found).await;
            }
            let wanted = self.wanted(*orders.borrow_and_update());
            if wanted > 0 && self.try_all(wanted, &found).await {
                continue;
            }
            if wanted > 0 {
                self.wait_at_all();
            }
            let next = self.pauses.next(Instant::now()).unwrap_or(self.pause);
            tokio::select! {
                changed = orders.changed() => if changed.is_err() {
                    return;
                },
                Some((name, came)) = self.waiting.next() => {
                    self.waits_at.remove(&name);
                    let wanted = self.wanted(*orders.borrow_and_update());
                    self.hand_over(&name, came, wanted, &found);
                }
                Some(_) = next_of(&mut news) => {
                    self.looked = None;
                    self.pause = LOOK;
                }
                () = sleep(self.pause.min(next)) => {}
            }
        }
    }

    /// Returns how many batches are still wanted: those count that the worker did not know of.
    fn wanted(&self, order: Wanted) -> u32 {
        let unknown = self.handed.saturating_sub(order.arrived);
        order.batches.saturating_sub(u32::try_from(unknown).unwrap_or(u32::MAX))
    }

    /// Looks which queues there are.
    async fn look(&mut self, found: &mpsc::UnboundedSender<Pulled>) {
        self.looked = Some(Instant::now());
        self.pause = (2 * self.pause).min(RARE_LOOK);
        let queues = match self.nats.queues(&self.queues).await {
            Ok(queues) => queues,
            // No coordinator was there yet, or the connection is lost.
            Err(error) => return debug!("no queue: {error:#}"),
        };
        let before = self.machine.abilities.clone();
        if queues.iter().any(|queue| !self.known.contains(&queue.name)) {
            self.pause = LOOK;
        }
        self.known = queues.iter().map(|queue| queue.name.clone()).collect();
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
    async fn try_all(&mut self, wanted: u32, found: &mpsc::UnboundedSender<Pulled>) -> bool {
        for name in self.names() {
            if self.waits_at.contains(&name) || self.pauses.has(&name, Instant::now()) {
                continue;
            }
            let Some(queue) = self.queues.get(&name) else { continue };
            let came = queue.take(wanted, None).await;
            let has_some = came.as_ref().is_ok_and(|came| !came.is_empty());
            self.hand_over(&name, came, wanted, found);
            if has_some {
                return true;
            }
        }
        false
    }

    /// Returns the names of all queues in the order in which they are asked now: lanes by their
    /// shares, and the classes of a lane in turn.
    fn names(&mut self) -> Vec<String> {
        let order = Lane::order(self.turn);
        self.turn += 1;
        *self.class_turns.entry(order[0]).or_default() += 1;
        let of_lane = |lane: Lane| {
            let of = self.queues.values().filter(|queue| queue.lane == lane);
            let mut names: Vec<String> = of.map(|queue| queue.name.clone()).collect();
            if !names.is_empty() {
                let turn = self.class_turns.get(&lane).copied().unwrap_or_default();
                let first = turn % names.len();
                names.rotate_left(first);
            }
            names
        };
        order.into_iter().flat_map(of_lane).collect()
    }

    /// Waits at all queues.
    fn wait_at_all(&mut self) {
        for (name, queue) in &self.queues {
            if self.pauses.has(name, Instant::now()) || !self.waits_at.insert(name.clone()) {
                continue;
            }
            let (name, queue) = (name.clone(), queue.clone());
            // A single one of each: what is more than was wanted is given back.
            let wait = async move { (name, queue.take(1, Some(PATIENCE)).await) };
            self.waiting.push(wait.boxed());
        }
    }

    /// Hands over what has come, but no more than is wanted.
    fn hand_over(
        &mut self,
        name: &str,
        came: anyhow::Result<Vec<Delivery>>,
        mut wanted: u32,
        found: &mpsc::UnboundedSender<Pulled>,
    ) {
        let batches = match came {
            Ok(batches) => batches,
            Err(error) => {
                // It is gone, or the server is; the next look says.
                warn!("no batch of {}: {error:#}", agon_text::escape(name));
                self.queues.remove(name);
                self.pause = LOOK;
                return;
            }
        };
        for batch in batches {
            match self.inspector.inspect(&batch) {
                Inspected::Playable(message) if wanted > 0 => {
                    wanted -= 1;
                    self.handed += 1;
                    let batch = Pulled::Batch(name.to_owned(), Box::new(batch), message);
                    let _ = found.send(batch);
                }
                // Matches came at another queue, too.
                Inspected::Playable(message) => {
                    return_it(Some(*message), batch, Returned::Surplus, found);
                }
                Inspected::ForOthers(message) => {
                    self.pauses.fails(name, Instant::now());
                    return_it(Some(*message), batch, Returned::Unusable, found);
                }
                Inspected::Unknown(message) => {
                    self.pauses.fails(name, Instant::now());
                    return_it(message.map(|of| *of), batch, Returned::Unusable, found);
                }
                Inspected::Useless => {
                    // If this is lost, it comes once more.
                    tokio::spawn(async move { drop(batch.remove().await) });
                }
            }
        }
    }
}

/// Why a batch is given back.
#[derive(Clone, Copy, Debug)]
enum Returned {
    Surplus,
    Unusable,
}

/// Gives a batch back, and tells its coordinator. Otherwise the coordinator would see a second
/// delivery, and believe that the first worker died.
fn return_it(
    message: Option<BatchMessage>,
    batch: Delivery,
    why: Returned,
    found: &mpsc::UnboundedSender<Pulled>,
) {
    if let Some(BatchMessage { run, batch: number, .. }) = message {
        debug!(batch = number, ?why, "gives a batch back");
        let held = Held { batch: number, delivery: batch.delivery };
        let _ = found.send(Pulled::Returned(run, held));
    }
    // If this is lost, the server delivers it again all the same.
    tokio::spawn(async move {
        let _ = match why {
            Returned::Surplus => batch.leave().await,
            Returned::Unusable => batch.refuse().await,
        };
    });
}

/// Waits for the next news; for ever, if nobody listens.
async fn next_of(news: &mut Option<Beats>) -> Option<Said> {
    match news {
        Some(news) => news.next().await,
        None => std::future::pending().await,
    }
}
