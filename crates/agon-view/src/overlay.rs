//! What lies over a board for those who do more than look.

use agon_core::Player;
use agon_games::{
    human::{Choice, Gesture},
    scene::{Place, Render, Scene},
};

use crate::{Input, Redraw};

/// Something over the board of a viewer: choosing a move, hints.
pub trait Overlay<G: Render>: Send {
    /// Gets an input before the viewer does, with the place of the board that the pointer is on.
    /// `None`: it is the viewer's.
    fn input(&mut self, input: Input, place: Option<Place>, game: &G) -> Option<Redraw>;

    /// Gets a click on a place. `None`: it is the viewer's, who looks into the place.
    fn pick(&mut self, place: Place, game: &G) -> Option<Redraw> {
        let _ = (place, game);
        None
    }

    /// What can be chosen now; the viewer shows buttons for it.
    fn choices(&self, game: &G) -> &[Choice] {
        let _ = game;
        &[]
    }

    /// A button for this was pressed.
    fn press(&mut self, act: Gesture, game: &G) -> Option<Redraw> {
        let _ = (act, game);
        None
    }

    /// Looks after what has happened meanwhile. Called as [`App::tick`](crate::App::tick).
    fn tick(&mut self, game: &G) -> Redraw {
        let _ = game;
        Redraw::No
    }

    /// Changes what is seen of a state: adds marks.
    fn mark(&self, scene: &mut Scene, game: &G);

    /// A line for the person, over the board's lower edge.
    fn text(&self, game: &G) -> Option<String>;

    /// Whose eyes see the board; all is seen if nobody's.
    fn player(&self, game: &G) -> Option<Player> {
        let _ = game;
        None
    }

    /// Whether the newest state is to be seen at once, and not after what led to it.
    fn is_hasty(&self, game: &G) -> bool {
        let _ = game;
        true
    }
}
