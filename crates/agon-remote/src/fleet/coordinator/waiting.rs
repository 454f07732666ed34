//! Matches that wait, by their classes.

use super::Coordinator;
use crate::fleet::JobKey;

impl Coordinator {
    /// Has a match wait; behind others, or before them.
    pub(super) fn wait(&mut self, key: JobKey, is_first: bool) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        job.batch = None;
        let waiting = self.waiting.entry(job.class).or_default();
        match is_first {
            true => waiting.push_front(key),
            false => waiting.push_back(key),
        }
    }

    /// Takes a match out of its batch, or out of those that wait.
    pub(super) fn detach(&mut self, now: u64, key: JobKey) {
        let Some(job) = self.jobs.get(&key) else { return };
        match job.batch {
            Some(batch) => self.take_out(now, batch, key),
            None => {
                if let Some(waiting) = self.waiting.get_mut(&job.class) {
                    waiting.retain(|other| *other != key);
                }
            }
        }
    }
}
