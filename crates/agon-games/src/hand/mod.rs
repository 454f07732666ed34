//! How a person plays: orders made up piece by piece, with hints, and undone before they are given.
//!
//! A game's `hand.rs` implements [`Hand`]. It knows nothing of windows and pixels, so that a person plays in the same
//! way in a window, a terminal and a browser: a screen passes on what was picked or typed, and shows the [`Hints`].

use agon_core::{Decision, Player};

use crate::scene::{Ink, Mark, Place, Show};

/// A game that a person can play.
pub trait Hand: Show {
    /// What a person has chosen so far, in a turn.
    type Orders: Clone + std::fmt::Debug + Send + 'static;

    /// Nothing chosen yet, at the first batch of a turn in which `player` is asked.
    fn orders(&self, player: Player) -> Self::Orders;

    /// Takes what the person did.
    fn act(&self, orders: &mut Self::Orders, act: Act) -> Reaction;

    /// What the person should see.
    fn hints(&self, orders: &Self::Orders) -> Hints;

    /// The answer to a decision of now, once the orders are given; later batches of the same turn are answered by
    /// the same orders. Default where nothing was ordered.
    fn carry_out(&self, orders: &Self::Orders, decision: Decision) -> Self::Answer;

    /// Whether a turn lasts a fixed time for bots, so that a person may want it to last as well (rezzo), in
    /// milliseconds.
    fn turn_ms(&self) -> Option<u32> {
        None
    }
}

/// What a person did. Places are those of [`Show::scene_for`] the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Picked a place with the pointer, or confirmed the one under the cursor.
    Pick(Place),
    /// Typed a character: one of a [`Choice`], or a digit of a number.
    Type(char),
    /// An arrow key.
    Go(Way),
    /// Return.
    Confirm,
    /// Backspace: take the last order back.
    Undo,
    /// Escape: drop the choice that has been begun.
    Cancel,
}

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Up.
    Up,
    /// Right.
    Right,
    /// Down.
    Down,
    /// Left.
    Left,
}

/// What came of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It means nothing here.
    Ignored,
    /// The orders or hints have changed.
    Changed,
    /// It cannot be done, and why: "column 3 is full".
    Refused(String),
    /// The orders are given.
    Given,
}

/// What a person should see beside the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// What to do now, in a sentence: "Choose a column for the blue pellet".
    pub message: String,
    /// On top of the scene, drawn at any size: places that can be picked, what is chosen, where orders lead.
    pub marks: Vec<Mark>,
    /// What can be typed now; screens show buttons for them.
    pub choices: Vec<Choice>,
    /// Orders so far, to be given with Return; 0 if they are given one by one.
    pub orders: usize,
}

/// Something that can be typed or clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to type or to click.
    pub act: Act,
    /// What it means: "turn left", "all 12 units".
    pub label: String,
    /// A colour that it stands for.
    pub ink: Option<Ink>,
    /// Whether it is chosen now.
    pub chosen: bool,
}
