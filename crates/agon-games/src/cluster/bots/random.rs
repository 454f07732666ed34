//! The built-in bot `random`: any pellet into any column, and sometimes a rotation.

use agon_core::{Policy, Rng};

use super::super::{Answer, Cluster, View};

/// Drops any pellet into any column. Rotates with a given chance, or if no column is free.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Chance of a rotation in percent.
    pub rotate: u64,
}

impl Policy<Cluster> for Random {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let columns: Vec<_> = view.valid_columns().collect();
        match (rng.pick(&columns), rng.pick(view.hand())) {
            (Some(&(column, _)), Some(&color)) if !rng.chance(self.rotate, 100) => {
                Answer::Place { column: column as u16, color }
            }
            _ => Answer::Rotate { cycles: rng.between(1, 5) as u8 },
        }
    }
}
