//! Where a viewer gets the questions to the people who play in it.
//!
//! [`HumanPlayer`](crate::HumanPlayer) asks a [`PromptSource`] for questions and gives orders back.
//! It need not know whether the match runs in the same program or, for a page in a browser,
//! elsewhere.

use agon_games::human::{Gesture, HumanInput};

use crate::Prompt;

/// The source of the prompts for people at a screen.
///
/// It is a match in another thread ([`PromptQueue`](crate::PromptQueue)), or one on
/// another computer.
pub trait PromptSource<G: HumanInput>: Send {
    /// Returns the question that waits for orders.
    fn question(&self) -> Option<Prompt<G>>;

    /// Returns whether question `number` still waits.
    fn is_open(&self, number: u64) -> bool;

    /// Gives orders for question `number`, with `acts`, all gestures that composed them.
    ///
    /// They are ignored if the question does not wait any more.
    fn give(&self, number: u64, acts: Vec<Gesture>, orders: G::Orders);

    /// Returns whether the match is over.
    fn is_over(&self) -> bool;

    /// Reports that nobody is at the screen any more.
    fn leave(&self);
}
