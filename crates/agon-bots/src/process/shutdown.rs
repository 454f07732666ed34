//! Closes a program's input and reports how it ends, for `agon check`.

use std::time::{Duration, Instant};

use super::{Process, ShutdownReport};

impl Process {
    /// Closes the process's input, waits for its end, and kills the rest after `patience`.
    ///
    /// `None` if it is no child.
    pub(crate) fn shutdown(mut self, patience: Duration) -> Option<ShutdownReport> {
        let tree = &self.child.as_ref()?.confined.program().tree;
        let members: Vec<_> = tree.members().into_iter().filter(|member| member.runs).collect();
        let peaks = members.iter().filter_map(|member| tree.peak_memory(member.pid));
        let peak_memory = peaks.reduce(u64::saturating_add);
        let helpers = members.len().saturating_sub(1);
        self.pipes.outbox().clear();
        self.pipes.close_input();
        let begun = Instant::now();
        while self.exit().is_none() && begun.elapsed() < patience {
            // Output is thrown away, so that no process is stuck with the rest of it.
            self.pipes.inbox.clear();
            self.pump_for(Some(patience.saturating_sub(begun.elapsed())));
        }
        let exit = self.exit();
        let took = begun.elapsed();
        let left_behind = self.left_behind();
        self.kill();
        let stderr_tail = self.stderr_tail();
        let stderr = self.child.as_ref().map_or(0, |child| child.stderr.total());
        Some(ShutdownReport {
            exit,
            took,
            helpers,
            peak_memory,
            left_behind,
            stderr,
            byte_order_mark: self.pipes.byte_order_mark == Some(true),
            stderr_tail,
        })
    }

    /// Returns the number of processes that it had started and that ran on after its end.
    pub(crate) fn left_behind(&self) -> usize {
        let ending = self.child.as_ref().and_then(|child| child.ended.as_ref());
        ending.map_or(0, |ending| ending.left_behind as usize)
    }
}
