//! Who asks the people at a screen.

use agon_games::human::{Gesture, HumanInput};

use crate::Prompt;

/// Who asks the people at a screen: a match in another thread
/// ([`PromptQueue`](crate::PromptQueue)), or one on another computer.
pub trait PromptSource<G: HumanInput>: Send {
    /// The question that waits for orders.
    fn question(&self) -> Option<Prompt<G>>;

    /// Whether question `number` still waits.
    fn is_open(&self, number: u64) -> bool;

    /// Gives the orders that `acts` have made up, from the first on, for question `number`; they
    /// count for nothing if it does not wait any more.
    fn give(&self, number: u64, acts: Vec<Gesture>, orders: G::Orders);

    /// Whether the match is over.
    fn is_over(&self) -> bool;

    /// Nobody is at the screen any more.
    fn leave(&self);
}
