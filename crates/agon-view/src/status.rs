//! Where a viewer stands.

use agon_games::scene::Place;

/// Where a viewer stands, for shells that tell it elsewhere than in the picture, and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Steps before the state that is shown.
    pub step: u64,
    /// Steps that there are.
    pub steps: u64,
    /// Turns of the game that are over in it.
    pub turn: u64,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Whether there will be no more steps than these.
    pub complete: bool,
    /// The place that is looked at more closely.
    pub selection: Option<Place>,
}
