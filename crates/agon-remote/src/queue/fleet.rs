//! The workers, as far as people should know of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use agon_queue::{
    Abilities, Beat, Class, Limits, Owner, Speeds, Unfit, message,
    message::{MOST_NAME, WorkerMessage},
};
use agon_text::escape;
use tracing::warn;

use super::jobs::Need;
use crate::Address;

/// After this time without a worker, people hear that there is none.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often they hear it.
const AGAIN: Duration = Duration::from_secs(60);

/// The most workers of volunteers whose abilities are kept; of all there may be twice as many.
const MOST: usize = 20_000;

/// A worker that lives.
#[derive(Debug)]
struct Worker {
    /// It is taken for dead after this time.
    until: Instant,
    /// How many matches it plays at a time; 0 if it takes no more.
    slots: u32,
    owner: Owner,
    abilities: Abilities,
}

impl Worker {
    /// Checks that it can play; `None` if it may not have the match.
    fn check(&self, need: Need<'_>) -> Option<Result<(), Unfit>> {
        let may_have = need.audience.is_open() || !self.owner.is_volunteer();
        may_have.then(|| need.class.check(&self.abilities))
    }
}

/// The workers that live.
#[derive(Debug)]
pub(super) struct Fleet {
    workers: BTreeMap<String, Worker>,
    /// When people may hear again that nobody can play.
    next: Instant,
}

impl Fleet {
    pub(super) fn new(now: Instant) -> Fleet {
        Fleet { workers: BTreeMap::new(), next: now + PATIENCE }
    }

    /// Hears that a worker lives; returns what it has of a run.
    pub(super) fn hear(&mut self, owner: Owner, bytes: &[u8], run: &str) -> Option<Beat> {
        let message: WorkerMessage = match message::read(bytes) {
            Ok(message) => message,
            Err(error) => {
                warn!("a worker's message cannot be used: {}", escape(&error.to_string()));
                return None;
            }
        };
        let WorkerMessage { worker, slots, abilities, is_draining, .. } = message;
        if worker.len() > MOST_NAME {
            warn!("a worker's name has {} bytes", worker.len());
            return None;
        }
        let worker = owner.worker(&escape(&worker));
        let slots = if is_draining { 0 } else { slots };
        // Volunteers cannot leave trusted workers without room.
        let room = if owner.is_volunteer() { MOST } else { 2 * MOST };
        if self.workers.len() < room || self.workers.contains_key(&worker) {
            let silence = Limits::default().silence_of(message.held.is_empty());
            let until = Instant::now() + Duration::from_millis(silence);
            let known = Worker { until, slots, owner: owner.clone(), abilities };
            self.workers.insert(worker.clone(), known);
        }
        let of_run = |mut all: BTreeMap<String, _>| all.remove(run).unwrap_or_default();
        Some(Beat {
            worker,
            owner,
            slots,
            held: of_run(message.held),
            returned: of_run(message.returned),
        })
    }

    /// Nobody could be heard until now.
    pub(super) fn excuse(&mut self) {
        self.next = Instant::now() + PATIENCE;
        self.workers.values_mut().for_each(|worker| worker.until = worker.until.max(self.next));
    }

    /// Returns how many matches no worker can play, of needs with their numbers of matches.
    pub(super) fn blocked<'a>(&self, needs: impl Iterator<Item = (Need<'a>, usize)>) -> usize {
        let fits = |need| self.workers.values().any(|worker| worker.check(need) == Some(Ok(())));
        needs.filter(|(need, _)| !fits(*need)).map(|(_, count)| count).sum()
    }

    /// Returns whether a trusted worker can play a class.
    pub(super) fn has_trusted(&self, class: &Class) -> bool {
        let mut trusted = self.workers.values().filter(|worker| !worker.owner.is_volunteer());
        trusted.any(|worker| class.check(&worker.abilities).is_ok())
    }

    /// Returns how fast the trusted workers are that take matches of a class.
    pub(super) fn speeds(&self, class: &Class) -> Speeds {
        let now = Instant::now();
        let trusted = self.workers.values().filter(|worker| {
            worker.until > now
                && worker.slots > 0
                && !worker.owner.is_volunteer()
                && class.check(&worker.abilities).is_ok()
        });
        Speeds::of(trusted.map(|worker| (worker.abilities.speed, worker.slots)))
    }

    /// Returns the volunteers whose workers are here.
    pub(super) fn volunteers(&self) -> BTreeSet<&str> {
        let owners = self.workers.values().map(|worker| &worker.owner);
        let name = |owner| match owner {
            &Owner::Trusted => None,
            Owner::Volunteer(name) => Some(name.as_str()),
        };
        owners.filter_map(name).collect()
    }

    /// Returns what people should know if matches of a class wait, and nobody can play them.
    pub(super) fn lack<'a>(
        &mut self,
        address: &Address,
        needs: impl Iterator<Item = (Need<'a>, usize)>,
        is_stuck: bool,
    ) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        // As the coordinator forgets them.
        self.workers.retain(|_, worker| worker.until > now);
        if self.workers.is_empty() {
            self.next = now + AGAIN;
            return Some(format!(
                "no worker is there; start one on each machine: agon worker {address}"
            ));
        }
        if is_stuck {
            self.next = now + AGAIN;
            return Some(
                "matches wait that all volunteers here have played or could not play; start a \
                 worker with credentials of the role `worker`"
                    .to_owned(),
            );
        }
        for (need, _) in needs {
            let mut why = None;
            let fits = self.workers.iter().any(|(name, worker)| match worker.check(need) {
                Some(Ok(())) => true,
                Some(Err(unfit)) => {
                    why.get_or_insert(format!("{}: {unfit}", escape(name)));
                    false
                }
                None => false,
            });
            if fits {
                continue;
            }
            let why = why.unwrap_or_else(|| {
                "all workers are volunteers', and bots are not public (--volunteers)".to_owned()
            });
            self.next = now + AGAIN;
            let count = self.workers.len();
            return Some(format!("matches wait, but none of {count} workers can play them; {why}"));
        }
        None
    }
}
