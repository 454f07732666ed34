//! Workers that live and have matches, but bring no results.

use std::collections::BTreeSet;

use super::{BatchId, Command, Coordinator};
use crate::fleet::JobKey;

/// A worker may keep a batch without a result so long, in milliseconds; or longer, if matches take
/// long.
const LONGEST: u64 = 300_000;

/// The same as long as nobody knows how long matches take.
const UNKNOWN: u64 = 1_800_000;

/// How many times as long as usual a batch may take.
const FACTOR: u64 = 20;

/// The most silent workers that batches name.
const MOST: usize = 64;

impl Coordinator {
    /// Takes batches from workers that have brought no result of them for far too long. Somebody
    /// else plays the matches, too; each further time they may take twice as long, because some
    /// matches are just long.
    pub(super) fn take_from_silent(&mut self, now: u64, commands: &mut Vec<Command>) {
        let mut all: Vec<(BatchId, String)> = Vec::new();
        for (&id, batch) in &self.batches {
            let Some(holder) = &batch.holder else { continue };
            let took = self.pace.get(&batch.class).map_or(0, |pace| pace.ms(batch.jobs.len()));
            let most = if took > 0 { LONGEST.max(FACTOR * took) } else { UNKNOWN };
            let before = |key: &JobKey| self.jobs.get(key).map_or(0, |job| job.kept_by.len());
            let times = batch.jobs.iter().map(before).max().unwrap_or(0).min(16);
            if batch.progress + (most << times) < now {
                all.push((id, holder.clone()));
            }
        }
        for (id, holder) in all {
            let Some(batch) = self.batches.get(&id) else { continue };
            for key in &batch.jobs {
                if let Some(job) = self.jobs.get_mut(key) {
                    job.kept_by.insert(holder.clone());
                }
            }
            self.give_back(now, id, None, commands);
        }
    }

    /// A worker has brought a result of a match. Those are silent that kept it before; the worker
    /// itself is not.
    pub(super) fn brought(
        &mut self,
        worker: &str,
        kept_by: BTreeSet<String>,
        commands: &mut Vec<Command>,
    ) {
        self.silent.remove(worker);
        for worker in kept_by.into_iter().filter(|other| other != worker) {
            if self.silent.len() < MOST && self.silent.insert(worker.clone()) {
                commands.push(Command::Avoid { worker });
            }
        }
    }
}
