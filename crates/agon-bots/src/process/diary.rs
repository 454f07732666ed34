//! What a process notes in its bot's diary.

use super::{Process, Usage};
use crate::{clock::Timer, diary::Cost};

impl Process {
    /// Notes what the answer to a question has cost, now that it is there or will not come, and what came on stderr
    /// before it.
    pub(super) fn note_cost(&mut self, timer: &Timer) {
        let mut cpu = None;
        if let Some(child) = &self.child {
            // The clock of a process stands at zero once it is gone.
            let used = child.ended.as_ref().map_or_else(|| child.meter.used(), |ending| ending.cpu);
            cpu = timer.cpu_at_start().map(|before| used.saturating_sub(before));
            child.talk.catch_up();
        }
        self.diary.spend(timer.question(), Cost { cpu, wall: timer.wall() });
    }

    /// Notes, once, how the process has ended and what it has used in all.
    pub(super) fn note_end(&mut self) {
        if !std::mem::replace(&mut self.closed, true)
            && let Some(Usage { cpu, peak_memory, ended, .. }) = self.usage()
        {
            self.diary.process_ended(ended, cpu, peak_memory);
        }
    }
}
