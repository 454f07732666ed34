//! The sequence of a round: who is asked together with whom, and when.

use std::sync::Arc;

use agon_core::{Decision, Player, Purpose, Seed};

use super::{board::Board, torus::Torus};

/// The amoebas that had not acted when the sequence was made, class by class in the order of the round.
///
/// The order of the classes is drawn from seed and round; within a class the order is by player, then cell. Classes
/// without amoebas take part in the draw, so that the order does not depend on what lives.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    sequence: Arc<[Decision]>,
    /// Where each class begins in the sequence; one more at the end.
    starts: Arc<[usize]>,
    /// Classes that were taken out.
    taken: usize,
}

impl Schedule {
    pub(super) fn new(torus: &Torus, board: &Board, seed: Seed, round: u32) -> Schedule {
        let species = board.population.size.len();
        let turn_of_class = draw_turns(torus.classes(), seed, round);
        let mut waiting = Vec::new();
        for (cell, class) in torus.class_of_cells().enumerate() {
            if let Some(player) = board.species(cell).filter(|_| !board.acted[cell]) {
                let decision = Decision::new(Player::from_index(player), cell as u32);
                waiting.push((turn_of_class[class] * species + player, decision));
            }
        }
        // A counting sort by turn and player: the cells are in order already.
        let mut next = vec![0; torus.classes() * species + 1];
        waiting.iter().for_each(|(key, _)| next[key + 1] += 1);
        for key in 1..next.len() {
            next[key] += next[key - 1];
        }
        let starts = next.iter().copied().step_by(species).collect();
        let mut sequence = vec![Decision::new(Player(0), 0); waiting.len()];
        for (key, decision) in waiting {
            sequence[next[key]] = decision;
            next[key] += 1;
        }
        Schedule { sequence: sequence.into(), starts, taken: 0 }
    }

    /// Fills `batch` with the next class's amoebas that still live; false when the round is over.
    pub(super) fn next_batch(&mut self, board: &Board, batch: &mut Vec<Decision>) -> bool {
        batch.clear();
        while batch.is_empty() && self.taken + 1 < self.starts.len() {
            let class = self.starts[self.taken]..self.starts[self.taken + 1];
            // Whoever stands on the cell of a killed amoeba came there in this round, and has acted.
            let alive = |decision: &&Decision| {
                let cell = decision.unit as usize;
                !board.is_empty(cell) && !board.acted[cell]
            };
            batch.extend(self.sequence[class].iter().filter(alive));
            self.taken += 1;
        }
        !batch.is_empty()
    }
}

/// At which place of the round's order each class comes.
fn draw_turns(classes: usize, seed: Seed, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes).collect();
    seed.stream(Purpose::Order, round.into()).shuffle(&mut order);
    let mut turns = vec![0; classes];
    for (turn, class) in order.into_iter().enumerate() {
        turns[class] = turn;
    }
    turns
}
