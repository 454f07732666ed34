//! The order of a round: which class of cells is asked next, and which amoebas on it still have to
//! act. `state.rs` takes its batches from here.

use agon_core::{Decision, Player, Purpose, Seed};

use super::{MAX_PLAYERS, board::Board, torus::Torus};

/// The classes of cells in the order of a round.
///
/// The order is drawn from seed and round; within a class the order is by player, then cell.
/// Classes without amoebas take part in the draw, so the order does not depend on the living.
///
/// The amoebas of a class are looked up when its turn comes. An amoeba that came to a cell during
/// the round has acted. So the waiting ones were there from the start of the round.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    order: Vec<usize>,
    /// Classes that have been asked.
    taken: usize,
    /// Buffer for the decisions of a class before they are sorted by player.
    waiting: Vec<Decision>,
}

impl Schedule {
    pub(super) fn new(torus: &Torus, seed: Seed, round: u32) -> Schedule {
        let order = Vec::with_capacity(torus.classes());
        let waiting = Vec::new();
        let mut schedule = Schedule { order, taken: 0, waiting };
        schedule.begin_round(torus, seed, round);
        schedule
    }

    /// Draws the order of a round.
    pub(super) fn begin_round(&mut self, torus: &Torus, seed: Seed, round: u32) {
        self.order.clear();
        self.order.extend(0..torus.classes());
        seed.stream(Purpose::Order, round.into()).shuffle(&mut self.order);
        self.taken = 0;
    }

    /// Fills `batch` with the next class's amoebas that still live; false when the round is over.
    pub(super) fn next_batch(
        &mut self,
        torus: &Torus,
        board: &Board,
        batch: &mut Vec<Decision>,
    ) -> bool {
        batch.clear();
        while batch.is_empty()
            && let Some(&class) = self.order.get(self.taken)
        {
            self.collect(torus.class(class), board, batch);
            self.taken += 1;
        }
        !batch.is_empty()
    }

    /// Sorts the decisions by player with a counting sort; cells already come in order.
    fn collect(
        &mut self,
        (rows, columns): (&[u32], &[u64]),
        board: &Board,
        batch: &mut Vec<Decision>,
    ) {
        self.waiting.clear();
        // Where each player's decisions start. At first: how many the player before has.
        let mut next = [0; MAX_PLAYERS + 1];
        for cell in rows.iter().flat_map(|&row| board.occupancy.among(row, columns)) {
            let content = board.content(cell as usize);
            if content.waits() {
                next[usize::from(content.occupant())] += 1;
                self.waiting.push(Decision::new(Player(u16::from(content.occupant()) - 1), cell));
            }
        }
        for player in 0..MAX_PLAYERS {
            next[player + 1] += next[player];
        }
        batch.resize(self.waiting.len(), Decision::new(Player(0), 0));
        for &decision in &self.waiting {
            let next = &mut next[decision.player.index()];
            batch[*next] = decision;
            *next += 1;
        }
    }
}
