//! [`PlayerLine`]: what the caption beside a board says about one player.

use super::Ink;

/// What a caption says of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerLine {
    /// The ink that its things have.
    pub ink: Ink,
    /// Its score and what else matters, short: "312 cells".
    pub score: String,
    /// The things in its hand, an ink for each; empty in games without hands.
    pub hand: Vec<Ink>,
    /// Whether it is its turn, where players take turns.
    pub to_move: bool,
    /// Whether it is out of the game.
    pub out: bool,
}
