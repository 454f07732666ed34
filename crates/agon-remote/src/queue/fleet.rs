//! The workers, as far as people should know of them.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use agon_queue::{Abilities, Beat, Class, Limits, message, message::WorkerMessage};
use agon_text::escape;
use tracing::warn;

use crate::Address;

/// After this time without a worker, people hear that there is none.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often they hear it.
const AGAIN: Duration = Duration::from_secs(60);

/// The most workers whose abilities are kept.
const MOST: usize = 20_000;

/// The workers that live.
#[derive(Debug)]
pub(super) struct Fleet {
    workers: BTreeMap<String, (Instant, Abilities)>,
    /// When people may hear again that nobody can play.
    next: Instant,
}

impl Fleet {
    pub(super) fn new(now: Instant) -> Fleet {
        Fleet { workers: BTreeMap::new(), next: now + PATIENCE }
    }

    /// Hears that a worker lives; returns what it has of a run.
    pub(super) fn hear(&mut self, bytes: &[u8], run: &str) -> Option<Beat> {
        let message: WorkerMessage = match message::read(bytes) {
            Ok(message) => message,
            Err(error) => {
                warn!("a worker's message cannot be used: {}", escape(&error.to_string()));
                return None;
            }
        };
        let WorkerMessage { worker, slots, abilities, is_draining, .. } = message;
        let at = Instant::now();
        if self.workers.len() < MOST || self.workers.contains_key(&worker) {
            self.workers.insert(worker.clone(), (at, abilities));
        }
        let of_run = |mut all: BTreeMap<String, _>| all.remove(run).unwrap_or_default();
        Some(Beat {
            worker,
            slots: if is_draining { 0 } else { slots },
            held: of_run(message.held),
            returned: of_run(message.returned),
        })
    }

    /// Returns how many matches no worker can play, of classes with their numbers of matches.
    pub(super) fn blocked<'a>(&self, classes: impl Iterator<Item = (&'a Class, usize)>) -> usize {
        let fits = |class: &Class| self.workers.values().any(|(_, able)| class.check(able).is_ok());
        classes.filter(|(class, _)| !fits(class)).map(|(_, count)| count).sum()
    }

    /// Returns what people should know if matches of a class wait, and nobody can play them.
    pub(super) fn lack<'a>(
        &mut self,
        address: &Address,
        classes: impl Iterator<Item = &'a Class>,
    ) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        // As the coordinator forgets them.
        let silence = Duration::from_millis(Limits::default().silence);
        self.workers.retain(|_, (seen, _)| *seen + silence > now);
        if self.workers.is_empty() {
            self.next = now + AGAIN;
            return Some(format!(
                "no worker is there; start one on each machine: agon worker {address}"
            ));
        }
        for class in classes {
            let mut why = None;
            let mut checked =
                self.workers.iter().map(|(name, (_, able))| (name, class.check(able)));
            let fits = checked.any(|(name, check)| match check {
                Ok(()) => true,
                Err(unfit) => {
                    why.get_or_insert(format!("{}: {unfit}", escape(name)));
                    false
                }
            });
            if let (false, Some(why)) = (fits, why) {
                self.next = now + AGAIN;
                let count = self.workers.len();
                return Some(format!(
                    "matches wait, but none of {count} workers can play them; {why}"
                ));
            }
        }
        None
    }
}
