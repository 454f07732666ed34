//! The queue as its user sees it: submits matches, and waits for the next one that is over.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::fleet::{Event, Status};
use agon_arena::{ArenaError, Finished, Job, MatchQueue, SlotCounts};

use super::{GLANCE, RemoteQueue, jobs::Submitted};

/// The most matches that wait for a worker that can play them, while others are submitted.
const MOST_BLOCKED: usize = 10_000;

impl MatchQueue for RemoteQueue {
    fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        let submitted = self.jobs.add(job)?;
        for files in &submitted.bundles {
            self.unstored.sent(files.digest);
            self.send_bot(files)?;
        }
        self.is_flushed = false;
        let Submitted { key, class, files, .. } = submitted;
        let submission = Event::Submit { key, class };
        match self.unstored.submit(key, files, submission) {
            Some(submission) => self.learn(submission),
            None => Ok(()),
        }
    }

    fn wanted(&self) -> usize {
        // Matches that no worker can play must not hold up others.
        let has_workers = self.coordinator.has_workers();
        let blocked = if has_workers { self.blocked.min(MOST_BLOCKED) } else { 0 };
        self.coordinator.wanted() + blocked
    }

    fn open(&self) -> usize {
        self.jobs.open() + self.done.len()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn slots(&self) -> SlotCounts {
        let Status { slots, taken, waiting, carried, .. } = self.coordinator.status();
        SlotCounts {
            all: u64::from(slots),
            playing: taken,
            waiting: waiting + carried.saturating_sub(taken),
        }
    }

    fn wait(&mut self) -> Result<Option<Finished>, ArenaError> {
        while self.open() > 0 {
            if let Some(finished) = self.wait_for(GLANCE)? {
                return Ok(Some(finished));
            }
        }
        Ok(None)
    }

    /// Waits for a match that is over. It also hears of workers meanwhile, even if none is open.
    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError> {
        let began = Instant::now();
        loop {
            self.notice_pause()?;
            // Another coordinator may have gone on with this run if this one stood still.
            if self.leads()
                && let Some(finished) = self.done.pop_front()
            {
                return Ok(Some(finished));
            }
            if self.has_stopped && self.jobs.open() == 0 && !self.leads() {
                // The next run plays them again.
                self.done.clear();
            }
            if !std::mem::replace(&mut self.is_flushed, true) {
                self.learn(Event::Flush)?;
            }
            if self.is_stopped() && !self.has_stopped {
                self.has_stopped = true;
                for key in self.unstored.stop() {
                    self.jobs.remove(key);
                }
                self.learn(Event::Stop)?;
                if self.open() == 0 {
                    return Ok(None);
                }
            }
            let left = patience.saturating_sub(began.elapsed());
            if let Some(heard) = self.host.hear(left.min(GLANCE))? {
                self.hear(heard)?;
            }
            if Instant::now() >= self.next_tick {
                // What has been said counts before what was not said in time.
                let until = Instant::now() + GLANCE;
                while Instant::now() < until
                    && let Some(heard) = self.host.hear(Duration::ZERO)?
                {
                    self.hear(heard)?;
                }
                self.tick()?;
            }
            if began.elapsed() >= patience && (self.done.is_empty() || !self.leads()) {
                return Ok(None);
            }
        }
    }
}
