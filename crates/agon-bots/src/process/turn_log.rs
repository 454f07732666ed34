//! Notes the costs of a process in its bot's turn log.

use super::{Child, Process, Usage};
use crate::{
    clock::{CpuMeter, Gone, Timer},
    turn_log::Cost,
};

impl Process {
    /// Notes the cost of an answer, once it has come or will not come, and the stderr before it.
    pub(crate) fn note_cost(&mut self, timer: &Timer) {
        let stamp = match &self.child {
            // The clock of a process reads zero once the process is gone.
            Some(Child { ended: Some(ending), .. }) => timer.stop(&Gone(ending.cpu)),
            Some(child) => timer.stop(&child.meter),
            None => timer.stop(&CpuMeter::NONE),
        };
        if let Some(child) = &self.child {
            child.stderr.catch_up();
        }
        let cpu = self.child.as_ref().and(stamp.cpu);
        self.spent = cpu.unwrap_or_default();
        self.turn_log.spend(timer.question(), Cost { cpu, wall: stamp.wall });
    }

    /// Notes, once, the end of the process and its total usage.
    pub(super) fn note_end(&mut self) {
        if !std::mem::replace(&mut self.closed, true)
            && let Some(Usage { cpu, peak_memory, ended, .. }) = self.usage()
        {
            self.turn_log.process_ended(ended, cpu, peak_memory);
        }
    }
}
