//! The layer over the board with which people play: the trait [`Overlay`].
//!
//! The viewer offers each input to the overlay first, and paints its marks, choices and messages.
//! [`HumanPlayer`](crate::HumanPlayer) implements it. The viewer of a replay has no overlay.

use agon_core::Player;
use agon_games::{
    human::{Choice, Gesture},
    scene::{Place, Render, Scene},
};

use crate::{Input, Key, Redraw};

/// A layer over the board of a viewer, for choosing moves and showing hints.
pub trait Overlay<G: Render>: Send {
    /// Handles an input before the viewer does; `place` is the board's place under the pointer.
    ///
    /// Returns `None` to leave the input to the viewer.
    fn input(&mut self, input: Input, place: Option<Place>, game: &G) -> Option<Redraw>;

    /// Handles a click on a place.
    ///
    /// Returns `None` to leave the click to the viewer, which inspects the place.
    fn pick(&mut self, place: Place, game: &G) -> Option<Redraw> {
        let _ = (place, game);
        None
    }

    /// Returns the current choices. The viewer shows a button for each.
    fn choices(&self, game: &G) -> &[Choice] {
        let _ = game;
        &[]
    }

    /// Handles the press of a choice's button.
    fn press(&mut self, act: Gesture, game: &G) -> Option<Redraw> {
        let _ = (act, game);
        None
    }

    /// Checks for changes, such as new questions.
    ///
    /// Called as often as [`App::tick`](crate::App::tick).
    fn tick(&mut self, game: &G) -> Redraw {
        let _ = game;
        Redraw::No
    }

    /// Adds its marks to the scene of a state.
    fn mark(&self, scene: &mut Scene, game: &G);

    /// Shows in the scene of a state what this gesture would change. Returns whether it did.
    fn preview(&self, act: Gesture, scene: &mut Scene, game: &G) -> bool {
        let _ = (act, scene, game);
        false
    }

    /// Returns a line for the person, shown over the board's lower edge.
    fn text(&self, game: &G) -> Option<String>;

    /// Returns the player whose view the board shows; `None` to show everything.
    fn player(&self, game: &G) -> Option<Player> {
        let _ = game;
        None
    }

    /// Returns whether the match is hidden, while one person hands the screen over to another.
    fn is_covered(&self) -> bool {
        false
    }

    /// Handles a key before the next question, while the newest states are on their way.
    ///
    /// Returns `None` to leave the key to the viewer.
    fn early(&mut self, key: Key, game: &G) -> Option<Redraw> {
        let _ = (key, game);
        None
    }

    /// Returns whom the person waits for, in a sentence; `None` if the match waits for the person,
    /// or nobody plays any more.
    fn waiting(&self, game: &G) -> Option<String> {
        let _ = game;
        None
    }

    /// Returns the places of the person's units and of the chosen ones; none without a question.
    fn units(&self, game: &G) -> (&[Place], &[Place]) {
        let _ = game;
        (&[], &[])
    }

    /// Returns whether to show the newest state at once, without the states on the way.
    fn is_hasty(&self, game: &G) -> bool {
        let _ = game;
        true
    }
}
