//! Lets a person play a game: they compose their orders step by step, with hints and undo.
//!
//! A game's `human.rs` implements [`HumanInput`]. It knows nothing of windows and pixels, so a
//! person plays the same way in a window, a terminal and a browser. The viewer (`agon-view`) passes
//! on clicks and keys, and shows the [`Hints`].

mod gesture;
mod hints;
mod units;

pub use gesture::{ArrowKey, Gesture, Reaction};
pub use hints::{Choice, Hints};
pub use units::UnitOrders;

use agon_core::{Decision, Player};

use crate::scene::{Render, Scene};

/// A game that a person can play.
pub trait HumanInput: Render {
    /// What a person has chosen so far, in a turn.
    type Orders: Clone + std::fmt::Debug + Send + 'static;

    /// Returns empty orders. Called at the first batch of a turn in which `player` is asked.
    fn orders(&self, player: Player) -> Self::Orders;

    /// Applies a gesture to the orders.
    fn act(&self, orders: &mut Self::Orders, act: Gesture) -> Reaction;

    /// Returns what the screen shows for these orders.
    fn hints(&self, orders: &Self::Orders) -> Hints;

    /// Returns the answer to an open decision once the orders are submitted. The same orders answer
    /// later batches of the same turn. Default where nothing was ordered.
    fn carry_out(&self, orders: &Self::Orders, decision: Decision) -> Self::Answer;

    /// Returns the board after these submitted orders, which a screen shows before the click.
    ///
    /// `None` if other players or chance decide about it as well. Of the scene, only the board with
    /// its cells, marks and pieces is shown.
    fn preview(&self, orders: &Self::Orders) -> Option<Scene> {
        let _ = orders;
        None
    }

    /// Returns how long a turn lasts for bots, in milliseconds, if that is fixed. A person may want
    /// the same pace.
    fn turn_ms(&self) -> Option<u32> {
        None
    }
}
