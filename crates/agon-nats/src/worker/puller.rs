//! Asks the server for batches: first the lane whose turn it is, then the others; and waits at all
//! of them if none has any.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agon_core::text::escape;
use agon_remote::fleet::message::{BatchMessage, read_batch};
use agon_remote::fleet::{Abilities, Held, Lane, Unfit, Wanted};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use tracing::{debug, info, warn};

use super::{abilities::fits, life::News};
use crate::nats::{
    Delivery, JobQueue, MOMENT, Nats, Purpose, QUEUES, REFUSED, Refusal, Subscriber,
};

/// How long a request waits for a batch. One that is lost delays the next one so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon it looks again for new classes of matches, after something has changed.
const LOOK: Duration = Duration::from_secs(1);

/// How often it looks if nothing has changed for long. It hears of new classes, but what is said
/// may be lost.
const RARE_LOOK: Duration = Duration::from_secs(8);

/// How long the first pause of a queue is; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    length: Duration,
}

/// Queues that are not asked for a while, because this worker could not use what it got there:
/// otherwise it would take the same batches again and again, before others get them. Copies share
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pauses(Arc<Mutex<BTreeMap<String, Pause>>>);

impl Pauses {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Pause>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A batch of a queue could not be used.
    pub(super) fn fails(&self, queue: &str, now: Instant) {
        let mut all = self.all();
        let length = match all.get(queue) {
            // What was taken before the pause says nothing new.
            Some(pause) if now < pause.until => return,
            Some(pause) => LONGEST_PAUSE.min(2 * pause.length),
            None => FIRST_PAUSE,
        };
        all.insert(queue.to_owned(), Pause { until: now + length, length });
    }

    /// A match of a queue was played. If it began before a pause, it says nothing new.
    pub(super) fn works(&self, queue: &str, now: Instant) {
        let mut all = self.all();
        if all.get(queue).is_some_and(|pause| pause.until <= now) {
            all.remove(queue);
        }
    }

    /// Returns how long it is until the next pause ends.
    fn next(&self, now: Instant) -> Option<Duration> {
        self.all().values().filter(|pause| now < pause.until).map(|pause| pause.until - now).min()
    }

    /// Returns whether a queue is not asked now.
    fn has(&self, queue: &str, now: Instant) -> bool {
        self.all().get(queue).is_some_and(|pause| now < pause.until)
    }
}

/// A request that waits, and what came of it.
type Waiting = BoxFuture<'static, (String, anyhow::Result<Vec<Delivery>>)>;

/// Asks the server for batches.
pub(super) struct Puller {
    nats: Nats,
    abilities: Abilities,
    /// Why batches were refused, so that it is said once.
    refusals: BTreeSet<Refusal>,
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
    pub(super) fn new(nats: Nats, abilities: Abilities, pauses: Pauses) -> Puller {
        Puller {
            nats,
            abilities,
            refusals: BTreeSet::new(),
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
        found: mpsc::UnboundedSender<News>,
    ) {
        let _ = found.send(News::Abilities(self.abilities.clone()));
        let mut news = self.nats.listen(QUEUES).await.ok();
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
    async fn look(&mut self, found: &mpsc::UnboundedSender<News>) {
        self.looked = Some(Instant::now());
        self.pause = (2 * self.pause).min(RARE_LOOK);
        let queues = match self.nats.queues(&self.queues).await {
            Ok(queues) => queues,
            // No coordinator was there yet, or the connection is lost.
            Err(error) => return debug!("no queue: {error:#}"),
        };
        let before = self.abilities.clone();
        if queues.iter().any(|queue| !self.known.contains(&queue.name)) {
            self.pause = LOOK;
        }
        self.known = queues.iter().map(|queue| queue.name.clone()).collect();
        self.queues.clear();
        for queue in queues {
            match fits(&mut self.abilities, &queue.class) {
                Ok(()) => drop(self.queues.insert(queue.name.clone(), queue)),
                Err(unfit) if self.unfit.get(&queue.name) != Some(&unfit) => {
                    info!("leaves matches {}: {unfit}", escape(&queue.name));
                    self.unfit.insert(queue.name, unfit);
                }
                Err(_) => {}
            }
        }
        if self.abilities != before {
            let _ = found.send(News::Abilities(self.abilities.clone()));
        }
    }

    /// Takes what is there, at the first queue that has something. Returns whether one had.
    async fn try_all(&mut self, wanted: u32, found: &mpsc::UnboundedSender<News>) -> bool {
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
        found: &mpsc::UnboundedSender<News>,
    ) {
        let batches = match came {
            Ok(batches) => batches,
            Err(error) => {
                // It is gone, or the server is; the next look says.
                warn!("no batch of {}: {error:#}", escape(name));
                self.queues.remove(name);
                self.pause = LOOK;
                return;
            }
        };
        for batch in batches {
            let message = read_batch(&batch.message.payload);
            let checked = self.nats.check(Purpose::Batch, &batch.message);
            let is_useless = match (checked, &message) {
                (Err(refusal), _) => {
                    if self.refusals.insert(refusal) {
                        warn!("a batch of matches is not played: {refusal}");
                    }
                    // The clock of this machine may be wrong.
                    self.nats.knows_all() && refusal != Refusal::Expired
                }
                (Ok(()), Err(error)) => {
                    // Batches of other versions of Agon are at other queues.
                    warn!("dropped a batch of matches: {}", escape(&error.to_string()));
                    true
                }
                (Ok(()), Ok(_)) => false,
            };
            if is_useless {
                // If this is lost, it comes once more.
                tokio::spawn(async move { drop(batch.remove().await) });
                continue;
            }
            // Otherwise this worker does not know whose it is, and leaves it to others.
            let is_playable = checked.is_ok();
            if is_playable
                && wanted > 0
                && let Ok(message) = message
            {
                wanted -= 1;
                self.handed += 1;
                let batch = News::Batch(name.to_owned(), Box::new(batch), Box::new(message));
                let _ = found.send(batch);
                continue;
            }
            if let Ok(BatchMessage { run, batch: number, .. }) = message {
                debug!(batch = number, is_playable, "gives a batch back");
                // Otherwise the coordinator would see a second delivery, and believe that the first
                // worker died.
                let held = Held { batch: number, delivery: batch.delivery };
                let _ = found.send(News::Returned(run, held));
            }
            if !is_playable {
                self.pauses.fails(name, Instant::now());
            }
            // If matches came at another queue, too, its coordinator hears at once who gives it
            // back. If this is lost, the server delivers it again all the same.
            let pause = if is_playable { MOMENT } else { REFUSED };
            tokio::spawn(async move { drop(batch.pause(pause).await) });
        }
    }
}

/// Waits for the next news; for ever, if nobody listens.
async fn next_of(news: &mut Option<Subscriber>) -> Option<()> {
    match news {
        Some(news) => news.next().await.map(drop),
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_as_long_until_something_works() {
        let pauses = Pauses::default();
        let (queue, other) = ("normal-a", "normal-b");
        let mut now = Instant::now();
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            pauses.fails(queue, now);
            pauses.fails(queue, now);
            assert!(!pauses.has(other, now));
            now += Duration::from_secs(seconds) - Duration::from_millis(1);
            assert!(pauses.has(queue, now), "{seconds}");
            now += Duration::from_millis(1);
            assert!(!pauses.has(queue, now), "{seconds}");
        }
        pauses.fails(queue, now);
        pauses.works(queue, now);
        assert_eq!(pauses.next(now), Some(LONGEST_PAUSE), "a match that began before says nothing");
        now += LONGEST_PAUSE;
        pauses.works(queue, now);
        assert_eq!(pauses.next(now), None);
        pauses.fails(queue, now);
        assert!(!pauses.has(queue, now + FIRST_PAUSE));
    }
}
