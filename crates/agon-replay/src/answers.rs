//! The recorded answers alone, without the states they led to.

use agon_core::Codec;

use crate::{
    error::{Difference, ReadError},
    replay::Replay,
};

impl Replay {
    /// Hands on the answers of each step, with the step's number from 0, as fast as they can be
    /// read: for counting and learning. No state is computed, so nobody checks here that they fit
    /// the match; a [`Cursor`](crate::Cursor) does.
    ///
    /// # Errors
    /// If answers cannot be read; all before were handed on.
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
