//! The last matches of a run: slow workers would hold up its end, so faster ones get them first.

use super::{
    BatchId, Command, Coordinator,
    speeds::{STEPS, Speeds},
};
use crate::fleet::speed_step;

/// A worker that needs less than this longer than the fastest one holds up nothing, in
/// milliseconds.
const LEAST: u64 = 1_000;

impl Coordinator {
    /// Returns the speed that a worker must have for the next batch of a class, of so many matches;
    /// 0 for any.
    ///
    /// Those who are at least so fast need some time for what waits behind it. A slower worker that
    /// needs longer than the fastest one by more than this time would end after all of them.
    pub(super) fn least_speed(&self, class: u32, matches: usize) -> u32 {
        let speeds = self.speeds_of(class);
        let elsewhere = self.all_carried() + matches;
        let behind = self.jobs.len().saturating_sub(elsewhere);
        // As long as its user has more matches, it keeps about as many waiting here as are out.
        if speeds.fastest == 0 || 2 * behind >= self.depth(class) {
            return 0;
        }
        let quickest = self.quickest(class, &speeds);
        let holds_up = |(step, slots): &(&u64, &u64)| {
            let longer = quickest * (100 - **step) / **step;
            let rest = quickest * behind as u64 / (**slots).max(1);
            longer >= rest.max(LEAST)
        };
        let step = STEPS.iter().zip(&speeds.slots).find(holds_up).map_or(0, |(step, _)| *step);
        let least = u32::try_from(speeds.fastest * step / 100).unwrap_or(u32::MAX);
        least / speed_step(least) * speed_step(least)
    }

    /// Returns until when only fast workers get a batch that is published now: its turn is before.
    pub(super) fn fast_until(&self, now: u64, class: u32) -> u64 {
        let speeds = self.speeds_of(class);
        let ahead = self.all_carried() as u64;
        let quickest = self.quickest(class, &speeds);
        now + quickest * ahead / speeds.slots[0].max(1) + quickest.max(LEAST)
    }

    /// Returns how long a match takes the fastest worker, in milliseconds; 0 if nobody knows.
    fn quickest(&self, class: u32, speeds: &Speeds) -> u64 {
        let pace = self.pace.get(&class).copied().unwrap_or_default();
        100 * pace.ms(1) / speeds.lead.max(100)
    }

    fn speeds_of(&self, class: u32) -> Speeds {
        self.speeds.get(&class).copied().unwrap_or_default()
    }

    /// Gives matches to all workers that only fast ones could have, if these have gone, or have not
    /// taken them in time.
    pub(super) fn take_from_fast(&mut self, now: u64, commands: &mut Vec<Command>) {
        let mut all: Vec<BatchId> = Vec::new();
        for (&id, batch) in &self.batches {
            if batch.least_speed == 0 || batch.holder.is_some() {
                continue;
            }
            let fastest = self.speeds_of(batch.class).fastest;
            if fastest < batch.least_speed.into() || batch.fast_until < now {
                all.push(id);
            }
        }
        for id in all {
            let Some(batch) = self.batches.get(&id) else { continue };
            for key in &batch.jobs {
                if let Some(job) = self.jobs.get_mut(key) {
                    job.is_for_all = true;
                }
            }
            self.give_back(now, id, None, commands);
        }
    }
}
