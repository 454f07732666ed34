//! [`View`]: what a player's agent sees in a tick. Built-in bots decide by it; hosts make their
//! questions, and a person's screen its picture, of it.

use super::{agent::Agent, answer::Ack, cell::Cell, world::World};

/// Rows and columns of the viewport.
pub const VIEWPORT: usize = 13;
/// The number of columns to either side of the agent.
pub const SIDEWAYS: i64 = VIEWPORT as i64 / 2;

/// One message to a bot: the 13×13 cells ahead of its agent, which stands in the middle of the last
/// row.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    world: &'a World,
    agent: Agent,
    tick: u64,
    ack: Ack,
}

impl<'a> View<'a> {
    /// Makes the view of an agent in a tick; `ack` is the result of its last answer.
    pub fn new(world: &'a World, agent: Agent, tick: u64, ack: Ack) -> View<'a> {
        View { world, agent, tick, ack }
    }

    /// The number of this tick.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The number of this tick as messages carry it: its last eight bits.
    pub fn ts(&self) -> u8 {
        self.tick as u8
    }

    /// The result of the previous answer.
    pub fn ack(&self) -> Ack {
        self.ack
    }

    /// The agent's own number as cells show their owner: the player's index plus 1.
    pub fn me(&self) -> u8 {
        self.cell(0, 0).owner
    }

    /// The cell `forward` (0 to 12) steps ahead and `right` (−6 to 6) steps to the right of the
    /// agent.
    ///
    /// # Panics
    /// Outside of the viewport.
    pub fn cell(&self, forward: i64, right: i64) -> Cell {
        let (x, y) = self.spot(forward, right);
        self.world.cell_at(x, y)
    }

    /// The damage of a cell, addressed as in [`View::cell`].
    ///
    /// # Panics
    /// Outside of the viewport.
    pub fn damage(&self, forward: i64, right: i64) -> u8 {
        let (x, y) = self.spot(forward, right);
        self.world.damage(y * self.world.width() + x)
    }

    /// All places of the viewport as (forward, right), in the order of the message: from the
    /// farthest row to the agent's, left to right.
    pub fn places() -> impl Iterator<Item = (i64, i64)> {
        View::rows_of_places().flatten()
    }

    /// The same, row by row.
    pub(super) fn rows_of_places() -> impl Iterator<Item = impl Iterator<Item = (i64, i64)>> {
        let row = |forward| (-SIDEWAYS..=SIDEWAYS).map(move |right| (forward, right));
        (0..VIEWPORT as i64).rev().map(row)
    }

    /// The viewport as text, the farthest row first.
    pub fn rows(&self) -> Vec<String> {
        let row = |forward| {
            (-SIDEWAYS..=SIDEWAYS).map(|right| self.cell(forward, right).to_char()).collect()
        };
        (0..VIEWPORT as i64).rev().map(row).collect()
    }

    fn spot(&self, forward: i64, right: i64) -> (usize, usize) {
        let inside = (0..VIEWPORT as i64).contains(&forward) && right.abs() <= SIDEWAYS;
        assert!(inside, "{forward} ahead, {right} to the right is outside of the viewport");
        self.agent.spot(self.world, forward, right)
    }
}
