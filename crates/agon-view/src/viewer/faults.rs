//! Goes from fault to fault, with a key or a button.

use agon_games::{jsonl::JsonGame, scene::Render};

use super::Viewer;

impl<G: Render + JsonGame> Viewer<G> {
    /// Jumps to the next step with a fault and pauses there; after the last one, to the first.
    pub(super) fn next_fault(&mut self) {
        let here = self.playback.step();
        let steps = || self.fault_steps();
        let next = steps().filter(|&step| step > here).min().or_else(|| steps().min());
        self.go_to_fault(next);
    }

    /// Jumps to the step with a fault before this one; before the first one, to the last.
    pub(super) fn previous_fault(&mut self) {
        let here = self.playback.step();
        let steps = || self.fault_steps();
        let previous = steps().filter(|&step| step < here).max().or_else(|| steps().max());
        self.go_to_fault(previous);
    }

    /// Returns the steps with faults that can be shown. A file may name others.
    fn fault_steps(&self) -> impl Iterator<Item = u64> {
        let steps = self.playback.steps();
        self.notes.faults.iter().map(|fault| fault.step).filter(move |&step| step <= steps)
    }

    fn go_to_fault(&mut self, step: Option<u64>) {
        if let Some(step) = step {
            self.playback.pause();
            self.playback.seek(step);
            self.playback.pause();
        }
    }
}
