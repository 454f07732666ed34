//! Reads the recorded answers of a replay without playing the match.
//!
//! It serves other programs, which count or learn from answers; the commands of `agon` need the
//! states as well.

use agon_core::Codec;

use crate::replay::{
    error::{Difference, ReadError},
    replay::Replay,
};

impl Replay {
    /// Calls `visit` with the answers of each step and the step's number, from 0.
    ///
    /// It is as fast as reading, for counting and learning. No state is computed, so nothing checks
    /// that the answers fit the match; a [`Cursor`](crate::replay::Cursor) does that.
    ///
    /// # Errors
    /// If answers cannot be read. All earlier ones were visited.
    pub fn visit_answers<A: Codec>(
        &self,
        mut visit: impl FnMut(u64, &[A]),
    ) -> Result<(), ReadError> {
        let mut answers = Vec::new();
        let mut step = 0;
        while step < self.steps() {
            let mut block = self.steps_block(step)?;
            while !block.is_done() {
                let count = block.take_count().map_err(|problem| self.damage_at(step, problem))?;
                block
                    .take_answers(count, &mut answers)
                    .map_err(|kind| Difference { step, kind })?;
                visit(step, &answers);
                step += 1;
            }
            block.check_end().map_err(|problem| self.damage_at(step - 1, problem))?;
        }
        Ok(())
    }
}
